package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Words that a ruling may say of a deed besides how it ends.
const (
	WordAllow  = "allow"  // this once, though the rules forbid it
	WordCancel = "cancel" // it is not done
)

// YesNo are the words of a field that is true or false.
var YesNo = []string{"yes", "no"}

// FieldsOf are fields that are set on one kind of thing.
func FieldsOf(kind game.FieldKind, list []game.Field) []game.Field {
	out := slices.Clone(list)
	for i := range out {
		out[i].Of = kind
	}
	return out
}

// WithPeople gives fields of the type person the combatants of a view as their words.
func WithPeople(list []game.Field, v game.View) []game.Field {
	out := slices.Clone(list)
	var ids []string
	for _, o := range v.Others {
		ids = append(ids, string(o.ID))
	}
	for i := range out {
		if out[i].Type == "person" {
			out[i].Type, out[i].Words = "word", ids
		}
	}
	return out
}

// Fields are the settings that can be another one by a ruling: TURN sequence
// side, GAME crit_rules off.
func (s Settings) Fields() []game.Field {
	var out []game.Field
	for _, row := range s {
		f := game.Field{Name: row.Key, Of: game.OfTurn, Type: "word", Words: row.Values}
		if len(row.Number) == 2 {
			f.Type, f.Least, f.Most = "number", row.Number[0], row.Number[1]
		} else if len(row.Values) < 2 {
			continue
		}
		out = append(out, f)
	}
	return out
}

// Put sets a key of a game's settings, which hold only what differs from the
// defaults.
func (s Setting) Put(set map[string]string, value string) {
	if delete(set, s.Key); value != s.Values[0] {
		set[s.Key] = value
	}
}

// EventFault tells why a ruling on an event cannot come to bear: an event of its
// kind says nothing of it. fields are what may be ruled of events.
func EventFault(fields []game.Field, events []game.Event, x game.Ruling) (text, do string) {
	i := slices.IndexFunc(events, func(ev game.Event) bool { return ev.Ref == x.Ref })
	if i < 0 {
		return "", ""
	}
	kind := events[i].Kind
	fits := func(f game.Field) bool { return len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind) }
	var may []string
	for _, f := range fields {
		if !fits(f) {
			continue
		}
		names := []string{f.Name}
		if f.Type == "outcome" {
			if names = nil; x.Field == "outcome" && slices.Contains(f.Words, x.Value) {
				return "", ""
			}
			for _, word := range f.Words {
				names = append(names, strings.ToUpper(word))
			}
		} else if strings.EqualFold(f.Name, x.Field) {
			return "", ""
		}
		for _, n := range names {
			if !slices.Contains(may, n) {
				may = append(may, n)
			}
		}
	}
	word := x.Field
	if word == "outcome" {
		word = x.Value
	}
	text = fmt.Sprintf("Event %d is of the kind %s, of which %s says nothing.", i+1, strings.ReplaceAll(kind, "_", " "), strings.ToUpper(word))
	if len(may) == 0 {
		return text, "Rule on another event, or set a figure."
	}
	return text, "Write one of " + strings.Join(may, ", ") + "."
}

// DieFault tells that a die has no such side.
func DieFault(events []game.Event, x game.Ruling) (text, do string) {
	n, err := strconv.Atoi(x.Value)
	if err != nil {
		return "", ""
	}
	for _, ev := range events {
		for _, d := range ev.Dice {
			if d.Name == x.Die && (n < 1 || n > d.Sides) {
				return fmt.Sprintf("%s is a die of %d sides.", d.Name, d.Sides), fmt.Sprintf("Write a number from 1 to %d, or REROLL.", d.Sides)
			}
		}
	}
	return "", ""
}

// SquareFault tells that a square is not on a map of so many squares.
func SquareFault(name string, width, height int) (text, do string) {
	last := game.Square{X: width - 1, Y: height - 1}
	if sq, ok := game.ParseSquare(name); !ok || sq.X > last.X || sq.Y > last.Y {
		return fmt.Sprintf("%s is off the map.", strings.ToUpper(name)), fmt.Sprintf("Write a square from A1 to %s.", last)
	}
	return "", ""
}

// Fault tells that a key is no setting of a game.
func (s Settings) Fault(key string) (text, do string) {
	if s.Find(key) == nil {
		return key + " is no rule of this game.", "Write one of " + strings.Join(s.Keys(), ", ") + "."
	}
	return "", ""
}

// ThingFault tells why something of a ruling cannot be set on a thing of the map.
func ThingFault(features []game.Feature, width, height int, x game.Ruling) (text, do string) {
	i := slices.IndexFunc(features, func(f game.Feature) bool { return f.ID == x.Who })
	switch {
	case i < 0 || features[i].Kind == GoneKind:
		return fmt.Sprintf("There is no %s on the map.", x.Who), "Name a thing of the map, or a square: E4 TERRAIN wall."
	case strings.EqualFold(x.Field, "OPEN") && features[i].Kind != "door":
		return features[i].Name + " is no door.", "Write OPAQUE no, or GONE yes."
	case strings.EqualFold(x.Field, "AT"):
		return SquareFault(x.Value, width, height)
	}
	return "", ""
}

// Mod gives the modifier ruled on one roll, as a line of its sum. Of a secret
// one the sum shows no more than the figure.
func (r *Rulings) Mod(ref string) (lines []game.Line, total int) {
	x, ok := r.Foretold(ref, "modifier")
	if !ok {
		return nil, 0
	}
	v, ok := r.EventNumber(ref, "modifier")
	if !ok {
		return nil, 0
	}
	label := "GM"
	if x.Reason != "" && !x.Secret {
		label += ": " + x.Reason
	}
	return []game.Line{{Label: label, Value: Signed(v)}}, v
}

// Faults judges a ruling that cannot come to bear in an encounter, whatever happens
// in the turn: the functions are what a system itself says of what is set.
type Faults struct {
	Events []game.Field // what may be ruled of events
	Rule   func(game.Ruling) (text, do string)
	Thing  func(game.Ruling) (text, do string)
	Square func(name string) (text, do string)
	Figure func(x game.Ruling, field, value string) (text, do string) // of somebody
}

// Of judges one ruling against the events of an attempt.
func (f Faults) Of(events []game.Event, x game.Ruling) (text, do string) {
	switch x.Kind {
	case game.RuleEvent:
		return EventFault(f.Events, events, x)
	case game.RuleDie:
		return DieFault(events, x)
	case game.RuleSet:
		switch x.On {
		case game.OfTurn, game.OfGame:
			return f.Rule(x)
		case game.OfThing:
			return f.Thing(x)
		case game.OfSquare:
			return f.Square(string(x.Who))
		}
		return f.Figure(x, strings.ToUpper(x.Field), strings.ToLower(strings.TrimSpace(x.Value)))
	}
	return "", ""
}
