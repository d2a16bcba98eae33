package parse

import (
	"strconv"
	"strings"
	"time"
)

// Arg says what follows a command's word.
type Arg int

// The arguments that a command may take.
const (
	ArgNone           Arg = iota
	ArgNumber             // DROP 3
	ArgDuration           // EXTEND 24h; 2d, 90m, "24 hours"
	ArgOptionalNumber     // CONFIRM, CONFIRM 2
)

// Form is one command of the table: its word (or words, in capitals) and what
// follows it.
type Form struct {
	Word string
	Arg  Arg
}

// Command is a command as it was read. Number is 0 and Duration is 0 when the
// form takes none.
type Command struct {
	Word     string
	Number   int
	Duration time.Duration
	Line     Line
}

// longest duration and greatest number that a command may name.
const (
	maxDuration = 366 * 24 * time.Hour
	maxNumber   = 1_000_000_000
)

// FirstCommand reads the first line that is not blank as a command. The whole
// line must be the command, case, blanks and '.' or '!' aside; anything more
// makes it text. The rest is what follows that line, or all lines if it is none.
func FirstCommand(lines []Line, forms []Form) (cmd Command, rest []Line, ok bool) {
	for i, l := range lines {
		if blank(Normalize(l.Text)) {
			continue
		}
		if cmd, ok = readCommand(l, forms); ok {
			return cmd, lines[i+1:], true
		}
		break
	}
	return Command{}, lines, false
}

func readCommand(l Line, forms []Form) (Command, bool) {
	words := commandWords(l.Text)
	for _, f := range forms {
		arg, ok := cutWords(words, strings.Fields(strings.ToLower(f.Word)))
		if !ok {
			continue
		}
		cmd := Command{Word: f.Word, Line: l}
		switch f.Arg {
		case ArgNone:
			ok = len(arg) == 0
		case ArgOptionalNumber:
			if len(arg) == 0 {
				return cmd, true
			}
			cmd.Number, ok = readNumber(arg)
		case ArgNumber:
			cmd.Number, ok = readNumber(arg)
		case ArgDuration:
			cmd.Duration, ok = readDuration(arg)
		}
		if ok {
			return cmd, true
		}
	}
	return Command{}, false
}

// commandWords are the words of a line in lower case, without the points and
// exclamation marks at its end.
func commandWords(line string) []string {
	line, _ = clip(Normalize(line))
	line = strings.TrimRight(strings.ToLower(line), ".! ")
	words := strings.Fields(line)
	if len(words) > 8 {
		return nil
	}
	return words
}

func cutWords(words, prefix []string) ([]string, bool) {
	if len(prefix) == 0 || len(words) < len(prefix) {
		return nil, false
	}
	for i, w := range prefix {
		if words[i] != w {
			return nil, false
		}
	}
	return words[len(prefix):], true
}

func readNumber(arg []string) (int, bool) {
	if len(arg) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(arg[0], "#"))
	return n, err == nil && n > 0 && n <= maxNumber && arg[0][0] != '+'
}

func readDuration(arg []string) (time.Duration, bool) {
	if len(arg) == 0 || len(arg) > 2 {
		return 0, false
	}
	s := strings.Join(arg, "")
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil || n <= 0 || n > 1_000_000 {
		return 0, false
	}
	var unit time.Duration
	switch s[i:] {
	case "m", "min", "mins", "minute", "minutes":
		unit = time.Minute
	case "h", "hour", "hours", "hr", "hrs":
		unit = time.Hour
	case "d", "day", "days":
		unit = 24 * time.Hour
	case "w", "week", "weeks":
		unit = 7 * 24 * time.Hour
	default:
		return 0, false
	}
	d := time.Duration(n) * unit
	return d, d <= maxDuration
}

// NearCommand says which command a line may have been meant for: a slip of the
// keys ("READDY"), a long form ("OKAY"), or politeness around it ("OK please").
// It is a suggestion to print, never to carry out. A line that is a command
// gives none.
func NearCommand(line string, forms []Form) (string, bool) {
	if _, ok := readCommand(Line{1, line}, forms); ok {
		return "", false
	}
	words := commandWords(line)
	polite := false
	for len(words) > 1 {
		last := strings.Trim(words[len(words)-1], ",.!")
		if !tables().polite[last] {
			break
		}
		words, polite = words[:len(words)-1], true
	}
	if len(words) > 1 && tables().polite[strings.Trim(words[0], ",")] {
		words, polite = words[1:], true
	}
	if len(words) == 0 {
		return "", false
	}
	words[len(words)-1] = strings.TrimRight(words[len(words)-1], ",")
	best, found := 100, ""
	for _, f := range forms {
		name := strings.Fields(strings.ToLower(f.Word))
		if len(words) < len(name) || len(words) > len(name)+2 {
			continue
		}
		arg := words[len(name):]
		if f.Arg == ArgNone && len(arg) > 0 {
			continue
		}
		got, want := strings.Join(words[:len(name)], " "), strings.Join(name, " ")
		d := distance(got, want, 3)
		switch {
		case d == 0 && f.Arg == ArgNone && !polite:
			continue
		case tables().long[got] == want:
			d = 1
		case d > 2 || d == 2 && len(want) < 5 || d == 1 && len(want) < 3:
			continue
		}
		if d < best {
			best, found = d, f.Word
		}
	}
	return found, found != ""
}
