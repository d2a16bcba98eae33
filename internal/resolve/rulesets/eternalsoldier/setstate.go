package eternalsoldier

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// fields are what a ruling may set on a combatant (12).
var fields = []game.Field{
	{Name: "HP", Type: "number", Help: "hit points left"},
	{Name: "SUFF", Type: "number", Help: "suffocation points left"},
	{Name: "READY_SHIFT", Type: "number", Help: "segments by which the next attack or reaction is ready later; negative: sooner"},
	{Name: "LAST_ACTION", Type: "number", Help: "the segment in which the last action was completed"},
	{Name: "DONE_AT", Type: "number", Help: "the segment in which the activity under way is done"},
	{Name: "STATUS", Type: "word", Words: []string{active, faltering, unconscious, dead, surrendered}, Help: "state"},
	{Name: "POSTURE", Type: "word", Words: []string{"stand", "kneel", "prone"}, Help: "posture"},
	{Name: "AT", Type: "square", Help: "where he is"},
	{Name: "SURPRISED", Type: "word", Words: []string{"yes", "no"}, Help: "surprised"},
	{Name: "POISON", Type: "word", Words: []string{"A", "B", "C", "D", "E", "F", "G", "H", "none"}, Help: "poison at work"},
	{Name: "FALL", Type: "number", Help: "falls so many feet"},
	{Name: "COLLIDE", Type: "number", Help: "runs into something at so many miles an hour"},
	{Name: "HELD", Type: "word", Words: []string{"no"}, Help: "free of all holds"},
	{Name: "DRUG", Type: "number", Help: "rating of a drug that keeps him up"},
}

// applySets sets what rulings say before an event, or at the end of a turn.
func (e *engine) applySets(ref string) {
	for _, x := range e.rulings.Sets(ref) {
		f := e.w.fighter(x.Who)
		if f == nil {
			continue
		}
		ev := e.event(e.ref(f, ".g"+strconv.Itoa(x.N)), f, "ruling", "set", "12")
		from, ok := e.setField(ev, f, strings.ToUpper(strings.TrimSpace(x.Field)), strings.TrimSpace(x.Value))
		if !ok {
			continue
		}
		e.rulings.Used(x.N)
		ev.Changes = append(ev.Changes, changed(f.ID, strings.ToUpper(x.Field), from, x.Value))
		ev.Text[game.All] = "The GM sets " + f.Name + ": " + strings.ToUpper(x.Field) + " " + x.Value + "."
		if !x.Secret {
			ev.Text[game.Own] = ev.Text[game.All]
			ev.Seen[f.ID] = game.Own
		}
		e.emit(ev)
	}
}

// setField sets one field and gives what it was.
func (e *engine) setField(ev *game.Event, f *Fighter, field, value string) (from string, ok bool) {
	number := func(into *int, low, high int) (string, bool) {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > high {
			return "", false
		}
		was := strconv.Itoa(*into)
		*into = n
		return was, true
	}
	word := strings.ToLower(value)
	switch field {
	case "HP":
		return number(&f.HP, -1000, f.HPMax)
	case "SUFF":
		return number(&f.Suff, -10000, f.SuffMax)
	case "READY_SHIFT":
		return number(&f.Shift, -100, 1000)
	case "LAST_ACTION":
		return number(&f.LastAction, longAgo, 1_000_000)
	case "DONE_AT":
		if f.Activity != nil {
			return number(&f.Activity.DoneAt, f.Activity.Start+1, 1_000_000)
		}
	case "DRUG":
		return number(&f.Drug, 0, 20)
	case "FALL", "COLLIDE":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 1000 {
			return "", false
		}
		if field == "FALL" {
			e.drops(f, ev, e.fallDice(n, false), true)
		} else {
			e.drops(f, ev, e.collisionDice(n), false)
		}
		return "", true
	case "HELD":
		if word == "no" {
			f.shake("")
			return "", true
		}
	case "STATUS":
		if slices.Contains([]string{active, faltering, unconscious, dead, surrendered}, word) {
			from, f.Status = f.Status, word
			return from, true
		}
	case "POSTURE":
		if slices.Contains([]string{"stand", "kneel", "prone"}, word) {
			from, f.Posture = f.Posture, word
			return from, true
		}
	case "SURPRISED":
		if word == "yes" || word == "no" {
			from, f.Surprise = strconv.FormatBool(f.Surprise), word == "yes"
			return from, true
		}
	case "POISON":
		if up := strings.ToUpper(value); e.poison(up) != nil {
			f.Poisons = append(f.Poisons, Poison{Type: up, Due: e.now + e.poison(up).Every})
			return "", true
		} else if word == "none" {
			f.Poisons = nil
			return "", true
		}
	case "AT":
		if s, parsed := game.ParseSquare(value); parsed && s.X < e.w.Width && s.Y < e.w.Height {
			from, f.At = e.w.square(f.At).String(), e.w.centre(s)
			return from, true
		}
	default:
		return e.recovers(f, field, word)
	}
	return "", false
}
