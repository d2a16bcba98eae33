package parse

import (
	"regexp"
	"strings"
)

// attributions marks "On … wrote:" lines in any language, and where a copy of a
// letter begins without marks: below a block of header lines, a line such as
// "Original Message", or an attribution. What stands below one of those never
// acts if there is new text above it: who answers there is told.
func (d *divider) attributions() {
	for i := 0; i < len(d.plain); i++ {
		if blank(d.plain[i]) {
			continue
		}
		if d.zone[i] == zoneNew {
			if n := d.headerBlock(i); n > 0 {
				if d.headers(i, n) {
					return
				}
				i += n - 1
				continue
			}
			if copyLine(d.plain[i]) {
				d.zone[i] = zoneQuoted
				d.below(i, i+1)
				continue
			}
		}
		a, ok := d.attribution(i)
		if !ok {
			continue
		}
		for j := a.from; j <= i; j++ {
			d.zone[j] = zoneQuoted
		}
		if a.head > 0 && d.zone[a.from] == zoneQuoted {
			d.head[a.from] = a.head
		}
		d.initials(i + 1)
		if a.unmarked {
			d.below(a.from, i+1)
		}
	}
}

// below notes that a copy without marks begins at line start, if there is new
// text above line i.
func (d *divider) below(i, start int) {
	if d.start == 0 && d.newAbove(i) {
		d.start = start
	}
}

// newAbove reports whether new text stands above line i.
func (d *divider) newAbove(i int) bool {
	for j := d.clear; j < i; j++ {
		if (d.zone[j] == zoneNew || d.head[j] > 0) && !blank(d.plain[j]) && !rule(d.plain[j]) && !separator(d.plain[j]) {
			return true
		}
		d.clear = j + 1 // no line becomes new again
	}
	return d.head[i] > 0
}

// unmarked makes the text below such a beginning tail: it may be a copy, or
// have been typed there. Where it holds our own text, that tells the two apart.
func (d *divider) unmarked() {
	if d.start == 0 {
		return
	}
	for j := d.start; j < len(d.zone); j++ {
		if d.zone[j] == zoneTail {
			return
		}
	}
	for j := d.start; j < len(d.zone); j++ {
		if d.zone[j] == zoneNew {
			d.zone[j] = zoneTail
		}
	}
}

// attribution is what introduces a copy. It stands on the lines from "from" to
// the one that it was found at.
type attribution struct {
	from     int
	head     int  // bytes of new text before it on line from
	unmarked bool // the lines below are not marked as quoted
}

// attribution reports whether what ends with line i introduces what follows: it
// names us as its writer, or says who wrote it and when.
func (d *divider) attribution(i int) (a attribution, ok bool) {
	if !d.closes(i) || !strings.ContainsAny(d.plain[i], "@:：") && !wroteLast(d.plain[i]) {
		return a, false
	}
	next := d.nextText(i + 1)
	end := next == len(d.plain)
	marked := !end && (d.zone[next] == zoneQuoted || strings.HasPrefix(d.plain[next], Marker) || d.headerBlock(next) > 0 || d.sameInitials(next, 2) > 0)
	text := ""
	for from, up := i, 0; from >= 0 && up < 5; from, up = from-1, up+1 {
		line := strings.TrimSpace(d.plain[from])
		switch {
		case blank(line):
			// Some programs leave a blank line before the address.
			if below := strings.TrimSpace(d.plain[from+1]); below != "<" {
				return a, false
			}
			continue
		case from < i && d.zone[from] != zoneNew:
			return a, false
		}
		text = strings.TrimSpace(line + " " + text)
		if len(text) > maxIntroduction {
			return a, false
		}
		switch s := d.introduction(text); {
		case marked && s.marked(from == i && next <= i+2), end && s.ended(), !marked && s.alone():
		default:
			continue
		}
		a = attribution{from: from, unmarked: !marked}
		if !dated(text) {
			a.from = d.dateAbove(from)
		}
		a.head = leadAt(d.lines[a.from].Text)
		return a, true
	}
	return a, false
}

// maxIntroduction is the length of an attribution at most, in bytes.
const maxIntroduction = 500

// closes reports whether an attribution may end with line i: its next line does
// not go on with it.
func (d *divider) closes(i int) bool {
	line := strings.TrimSpace(d.plain[i])
	if d.zone[i] == zoneQuoted {
		// "> wrote:": the bracket of an address on a line of its own.
		line = strings.TrimSpace(strings.TrimPrefix(line, ">"))
		return i > 0 && d.zone[i-1] == zoneNew && !blank(d.plain[i-1]) && (line == ":" || len(strings.Fields(line)) <= 3 && wroteLast(line))
	}
	if d.zone[i] != zoneNew {
		return false
	}
	if wroteLast(line) || strings.HasSuffix(line, ":") || i+1 >= len(d.plain) {
		return true
	}
	next := strings.TrimSpace(d.plain[i+1])
	if strings.HasPrefix(next, "> ") || next == ">" || next == ">:" {
		next = strings.TrimSpace(strings.TrimPrefix(next, ">"))
	} else if d.zone[i+1] != zoneNew {
		return true
	}
	return !(wroteLast(next) || strings.HasSuffix(next, ":")) || len(strings.Fields(next)) > 6
}

// dateAbove is the line, at most three above one that begins an attribution
// without a date, where the date stands; the line itself if there is none.
func (d *divider) dateAbove(from int) int {
	for up := from - 1; up >= 0 && up >= from-3 && d.zone[up] == zoneNew; up-- {
		if dated(d.plain[up]) {
			return up
		}
		if blank(d.plain[up]) && strings.TrimSpace(d.plain[up+1]) != "<" {
			break
		}
	}
	return from
}

// introduction is what the text of an attribution holds.
type introduction struct {
	us, date, wrote bool
	address         bool // any
	ends            bool // with a colon or a word for "wrote"
	digit           bool // first
	short           bool
}

func (d *divider) introduction(text string) introduction {
	text = strings.TrimSpace(strings.Trim(text, "-*_ "))
	s := introduction{us: d.namesUs(text), date: dated(text), wrote: wrote(text), address: strings.Contains(text, "@")}
	s.wrote = s.wrote || wroteGlued(text)
	s.ends = strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") || wroteLast(text)
	s.ends = s.ends || s.date && wroteGlued(text)
	s.digit = text != "" && text[0] >= '0' && text[0] <= '9'
	s.short = len(strings.Fields(text)) <= 4 && s.ends && s.wrote
	return s
}

// marked reports whether quoted lines may follow; near: directly.
func (s introduction) marked(near bool) bool {
	return s.us || s.ends && s.date && (s.wrote || s.digit || s.address) || s.wrote && s.date && s.address || near && s.short
}

// ended reports whether a letter may end so: its program left the copy away.
func (s introduction) ended() bool { return s.us && s.ends || s.alone() }

// alone reports whether it cannot be anything else, whatever follows.
func (s introduction) alone() bool {
	return s.ends && (s.us && s.wrote || s.date && s.wrote || s.date && s.address)
}

var dates = regexp.MustCompile(`\b(19|20)\d\d\b|(19|20)\d\d年|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}`)

// dated reports a date with its year.
func dated(s string) bool { return dates.MatchString(s) }

// wrote reports a word for "wrote" anywhere.
func wrote(s string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if isWrote(w) {
			return true
		}
	}
	return false
}

// wroteLast reports a line that ends with a word for "wrote".
func wroteLast(s string) bool {
	s = strings.TrimRight(strings.ToLower(s), "-*_ :：")
	return isWrote(s[strings.LastIndexAny(s, " >")+1:])
}

// wroteGlued reports "wrote:" with the first word of the copy behind it.
func wroteGlued(s string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if before, after, ok := strings.Cut(w, ":"); ok && after != "" && tables().wrote[before] {
			return true
		}
	}
	return false
}

func isWrote(w string) bool {
	w = strings.Trim(w, ":：-*>,")
	if tables().wrote[w] {
		return true
	}
	// Languages that write words together.
	for _, end := range []string{"写道", "寫道", "のメール", "작성"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// leadAt is where an attribution begins in the middle of a line, 0 if it does
// not: some programs set it behind the last word of the letter.
func leadAt(line string) int {
	for _, lead := range tables().lead {
		for at := 0; ; {
			i := strings.Index(line[at:], lead+" ")
			if i < 0 {
				break
			}
			at += i
			before := strings.TrimRight(line[:at], "- ")
			words := strings.Fields(line[at+len(lead):])
			if len(words) > 0 && (at == 0 || before == "") {
				return 0
			}
			if (line[at-1] == ' ' || line[at-1] == '-') && hasDigit(strings.Join(words[:min(3, len(words))], "")) {
				return len(before)
			}
			at += len(lead)
		}
	}
	return 0
}

// initials marks lines that quote with the initials of who wrote them, as in
// "RB> text", two or more in a row below an attribution.
func (d *divider) initials(i int) {
	i = d.nextText(i)
	for n := d.sameInitials(i, len(d.plain)); n > 0; n-- {
		d.zone[i] = zoneQuoted
		i++
	}
}

// sameInitials counts the lines from i on, at most limit of them, that begin with
// the same initials; 0 if there are fewer than two.
func (d *divider) sameInitials(i, limit int) int {
	n, first := 0, ""
	for j := i; j < len(d.plain) && d.zone[j] == zoneNew && n < limit; j++ {
		if n > 0 && blank(d.plain[j]) {
			continue
		}
		mark, _, ok := strings.Cut(strings.TrimSpace(d.plain[j]), ">")
		if !ok || mark == "" || len(mark) > 15 || strings.ContainsAny(mark, " <@") || first != "" && mark != first {
			break
		}
		first, n = mark, j-i+1
	}
	if n < 2 {
		return 0
	}
	return n
}
