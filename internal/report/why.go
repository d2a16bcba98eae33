package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Why explains one line of what its reader was sent: how it came about, as far
// as he perceived it. Explain and ExplainEvent make it.
type Why struct {
	N      int
	Of     string // what the line stands in, such as "the report of turn 2"
	Text   string // the line
	When   string // such as "segment 14"; empty: it is not told
	Sum    []game.Line
	Dice   []game.Line // each in words, and how it was sealed
	Rule   string      // section of the rules; empty: none is named
	System string      // whose rules they are
	Facts  []game.Line // what changed; for the GM also who perceived it, and the like
	Notes  []string    // what is not told, and why
}

// WhyIn is what a line is explained from.
type WhyIn struct {
	Of, System string
	Clock      game.Clock
	Events     []game.Event
	Names      map[game.ID]string // of those whom the reader may be told of by name
	Rulings    []game.Ruling      // for the GM
	Sealed     func(game.Die) string
}

// Explain explains line n of the report that Project makes of the events for
// these characters. If it has no such line, it tells how many it has.
func Explain(in WhyIn, characters []game.ID, n int) (why Why, lines int, ok bool) {
	all := project(in.Events, characters)
	if n < 1 || n > len(all) {
		return why, len(all), false
	}
	why = explain(in, *all[n-1].event, all[n-1].line, characters)
	why.N = n
	return why, len(all), true
}

// ExplainEvent explains everything of event n of a packet.
func ExplainEvent(in WhyIn, n int) (why Why, events int, ok bool) {
	events = len(in.Events)
	if n < 1 || n > events {
		return why, events, false
	}
	e := in.Events[n-1]
	line := ReportLine{Grade: game.All, Text: e.Text[game.All], Sum: e.Lines, At: e.At}
	why = explain(in, e, line, []game.ID{game.GM})
	why.N = n
	return why, events, true
}

func explain(in WhyIn, e game.Event, line ReportLine, characters []game.ID) Why {
	w := Why{Of: in.Of, System: in.System, Text: line.Text, Sum: line.Sum}
	if in.Clock.RunsOn && !line.Last {
		w.When = in.Clock.Says(line.At)
	}
	if line.Grade == game.All || line.Grade == game.Own || line.Grade == game.Seen {
		w.Rule = e.Rule
	}
	if line.Grade != game.All && line.Grade != game.Own {
		w.Notes = append(w.Notes, untold[line.Grade])
		return w
	}
	for _, d := range e.Dice {
		w.Dice = append(w.Dice, game.Line{Label: ownDie(d, line.Grade, characters), Value: in.Sealed(d)})
	}
	for _, c := range e.Changes {
		if line.Grade == game.All || slices.Contains(characters, c.Who) {
			w.Facts = append(w.Facts, game.Line{Label: nameOf(in.Names, c.Who) + " " + word(c.Field), Value: fmt.Sprintf("%s, was %s", orNothing(c.To), orNothing(c.From))})
		}
	}
	if line.Grade == game.All {
		w.Facts = append(w.Facts, whole(in, e)...)
		for _, r := range in.Rulings {
			if slices.Contains(e.Ruled, r.N) {
				w.Notes = append(w.Notes, fmt.Sprintf("Ruling %d decided here: %s", r.N, r.Text))
			}
		}
	}
	if len(w.Sum)+len(w.Dice)+len(w.Facts) == 0 {
		w.Notes = append(w.Notes, "There is no sum and no die behind it: it was done as ordered.")
	}
	return w
}

// untold says why a reader is given no numbers.
var untold = map[game.Grade]string{
	game.Seen:   "You saw it, but the numbers and dice behind it are told only to those who did it or to whom it was done.",
	game.Actor:  "You saw who acted and no more; the numbers and dice behind it are told only to those who did it or to whom it was done.",
	game.Target: "You saw to whom it happened and no more; the numbers and dice behind it are told only to those who did it or to whom it was done.",
	game.Heard:  "You only heard it; the numbers and dice behind it are told only to those who did it or to whom it was done.",
}

// whole is what only the GM reads of an event.
func whole(in WhyIn, e game.Event) []game.Line {
	out := []game.Line{{Label: "event", Value: e.Ref}, {Label: "who", Value: nameOf(in.Names, e.Actor)}}
	add := func(label, value string) {
		if value != "" {
			out = append(out, game.Line{Label: label, Value: value})
		}
	}
	if e.Target != "" {
		add("to whom", nameOf(in.Names, e.Target))
	}
	add("what", strings.TrimSuffix(word(e.Kind)+": "+word(e.Outcome), ": "))
	add("because of", word(e.Reason))
	for _, k := range slices.Sorted(maps.Keys(e.Numbers)) {
		add(word(k), fmt.Sprint(e.Numbers[k]))
	}
	add("not printed by any source", strings.Join(e.Unverified, ", "))
	for _, g := range perceived {
		var who []string
		for _, id := range slices.Sorted(maps.Keys(e.Seen)) {
			if e.Seen[id] == g.Grade {
				who = append(who, nameOf(in.Names, id))
			}
		}
		add(g.Words, strings.Join(who, ", "))
	}
	return out
}

// perceived says in words how somebody perceived an event.
var perceived = []struct {
	Grade game.Grade
	Words string
}{
	{game.Own, "felt it"}, {game.Seen, "saw it"}, {game.Actor, "saw who acted"}, {game.Target, "saw to whom"}, {game.Heard, "heard it"},
}

func nameOf(names map[game.ID]string, id game.ID) string {
	if n := names[id]; n != "" {
		return n
	}
	return string(id)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
