package resolve

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// NewEvent begins an event; its lists and maps are there and empty.
func NewEvent(ref string, round, at int, actor game.ID, kind, outcome, rule string) *game.Event {
	return &game.Event{
		Ref: ref, Round: round, At: at, Actor: actor, Kind: kind, Outcome: outcome, Rule: rule,
		Dice: []game.Die{}, Numbers: map[string]int{}, Lines: []game.Line{},
		Seen: map[game.ID]game.Grade{}, Text: map[game.Grade]string{},
	}
}

// Note notes on an event which rulings have touched it, with a line of its sum
// for each that it has not noted before. touched is sorted, each number once.
func (r *Rulings) Note(ev *game.Event, touched []int) {
	touched = slices.DeleteFunc(touched, func(n int) bool { return slices.Contains(ev.Ruled, n) })
	if len(touched) == 0 {
		return
	}
	ev.Ruled = append(ev.Ruled, touched...)
	slices.Sort(ev.Ruled)
	ev.Ruled = slices.Compact(ev.Ruled)
	ev.Lines = append(ev.Lines, r.Lines(touched)...)
}

// Told takes away the grades for which an event has no words.
func Told(ev *game.Event) {
	for g, text := range ev.Text {
		if text == "" {
			delete(ev.Text, g)
		}
	}
}

// Attacks are the attacks of the last turn that a viewer saw; the GM saw all.
func Attacks(past []Past, viewer game.ID) []game.Attack {
	out := []game.Attack{}
	for _, p := range past {
		if viewer == game.GM || slices.Contains(p.Known, viewer) {
			out = append(out, game.Attack{Attacker: p.Attacker, Target: p.Target})
		}
	}
	return out
}
