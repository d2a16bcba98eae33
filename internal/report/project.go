package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pbemd/pbemd/internal/game"
)

// ReportLine is one event as its reader perceived it. Sum and Dice are there
// only when it is his own act, was done to him, or the reader is the GM.
type ReportLine struct {
	N     int // from 1, of this report
	Round int
	Grade game.Grade
	Text  string
	Sum   []game.Line
	Dice  []string // in words

	// At is when it was, which is told only where time runs on (game.Clock); of a
	// line of initiative it is how early somebody acts, if Text names the Actor.
	At         int
	Last       bool // At is not for the reader: of initiative, after all others
	Initiative bool
	Actor      game.ID
}

// instead lists the grades whose text may stand in when a ruleset wrote none
// for a grade: never one that tells more.
var instead = map[game.Grade][]game.Grade{
	game.All:    {game.All, game.Own, game.Seen},
	game.Own:    {game.Own, game.Seen, game.Heard},
	game.Seen:   {game.Seen, game.Heard},
	game.Actor:  {game.Actor, game.Heard},
	game.Target: {game.Target, game.Heard},
	game.Heard:  {game.Heard},
}

// Project gives the events that any of the characters perceived, each in the
// best grade that one of them had, numbered from 1 without gaps: the story
// first, then who had which initiative. The GM's keep the order of his packet.
// It is the fog:
// no other function of this package turns events into a player's text.
// The character game.GM perceives everything.
func Project(events []game.Event, characters []game.ID) []ReportLine {
	var out []ReportLine
	for _, p := range project(events, characters) {
		out = append(out, p.line)
	}
	return out
}

// projected is a line with the event that it tells of.
type projected struct {
	line  ReportLine
	event *game.Event
}

func project(events []game.Event, characters []game.ID) []projected {
	var out, initiative []projected
	told := map[string]int{} // how many lines there are of a kind of event
	for i := range events {
		e := &events[i]
		best := grade(*e, characters)
		text := ""
		for _, g := range instead[best] {
			if text = e.Text[g]; text != "" {
				text = reworded(e, g, told)
				break
			}
		}
		if text == "" {
			continue
		}
		l := ReportLine{Round: e.Round, Grade: best, Text: text, At: e.At, Last: e.Masked && best != game.All}
		if best == game.Own || best == game.All {
			l.Sum = readable(e.Lines, best)
			for _, d := range e.Dice {
				l.Dice = append(l.Dice, ownDie(d, best, characters))
			}
		}
		if e.Kind == "initiative" {
			l.Initiative, l.Actor = true, e.Actor
			if best != game.All {
				initiative = append(initiative, projected{l, e})
				continue
			}
		}
		out = append(out, projected{l, e})
	}
	out = append(out, initiative...)
	for i := range out {
		out[i].line.N = i + 1
	}
	return out
}

// reworded is an event's text of a grade in its next wording. Only lines that the
// reader gets are counted, so the words tell him of nothing else.
func reworded(e *game.Event, g game.Grade, told map[string]int) string {
	more := e.More[g]
	if len(more) == 0 {
		return e.Text[g]
	}
	n := told[e.Kind] % (1 + len(more))
	told[e.Kind]++
	if n == 0 {
		return e.Text[g]
	}
	return more[n-1]
}

// tells reports that the line names somebody, in a grade in which a name is that
// of a person perceived and not a word that happens to be alike.
func (l ReportLine) tells(name string) bool {
	if name == "" || l.Grade == game.Target || l.Grade == game.Heard {
		return false
	}
	for rest := l.Text; ; {
		before, after, found := strings.Cut(rest, name)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !unicode.IsLetter(last) && !unicode.IsLetter(next) {
			return true
		}
		rest = after
	}
}

// readable leaves out what only the GM reads.
func readable(lines []game.Line, g game.Grade) []game.Line {
	if g == game.All {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l game.Line) bool { return l.Secret })
}

// grade is the best that any of the characters had; empty when none perceived it.
func grade(e game.Event, characters []game.ID) game.Grade {
	best := game.Grade("")
	for _, c := range characters {
		g := e.Seen[c]
		if c == game.GM {
			g = game.All
		}
		if g != "" && (best == "" || game.Better(g, best)) {
			best = g
		}
	}
	return best
}

// ownDie names a die that the reader's own character rolled (its name is
// kind/who/when); the name of anybody else's would tell who it was.
func ownDie(d game.Die, g game.Grade, characters []game.ID) string {
	kind, rest, _ := strings.Cut(d.Name, "/")
	who, when, _ := strings.Cut(rest, "/")
	switch {
	case g == game.All, slices.Contains(characters, game.ID(who)) && !strings.Contains(when, "/"):
		return dieWords(d.Name+" ", d)
	}
	return dieWords(word(kind)+" ", d)
}
