package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// RulingWords are the fields of one form of ruling.
type RulingWords struct {
	Form   string // how it is written
	What   string // what it is about
	Fields []game.Field
}

// rulingForms are the forms in which fields are written, in their order.
var rulingForms = []struct {
	of      game.FieldKind
	outcome bool
	form    string
	what    string
}{
	{"", false, "NAME FIELD value", "somebody"},
	{game.OfEvent, true, "EVENT 7 WORD", "how an event ends"},
	{game.OfEvent, false, "EVENT 7 FIELD value", "an event"},
	{game.OfThing, false, "THING FIELD value", "a thing of the map, such as DOOR OPEN yes"},
	{game.OfSquare, false, "E4 FIELD value", "a square"},
	{game.OfTurn, false, "TURN KEY value", "the rules of this turn; with GAME in place of TURN from now on"},
}

// rulingWords sorts fields by the forms in which they are written; a form that
// has none is left out.
func rulingWords(fields []game.Field) []RulingWords {
	var out []RulingWords
	for _, form := range rulingForms {
		w := RulingWords{Form: form.form, What: form.what}
		for _, f := range fields {
			if f.Of == form.of && (f.Type == "outcome") == form.outcome {
				w.Fields = append(w.Fields, f)
			}
		}
		if w.Fields != nil {
			out = append(out, w)
		}
	}
	return out
}

// Words are what may stand in the place of FIELD, WORD or KEY.
func (w RulingWords) Words() string {
	var out []string
	for _, f := range w.Fields {
		names := []string{f.Name}
		switch f.Type {
		case "cell":
			names = []string{f.Name + "…"}
		case "outcome":
			names = nil
			for _, word := range f.Words {
				names = append(names, strings.ToUpper(word))
			}
		}
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return strings.Join(out, ", ")
}

// Rows say of each word what may be written and what it does.
func (w RulingWords) Rows() []game.Line {
	var out []game.Line
	for _, f := range w.Fields {
		l := game.Line{Label: f.Name, Value: f.Allowed()}
		if f.Type == "outcome" {
			l.Label, l.Value = strings.ToUpper(strings.Join(f.Words, ", ")), ""
		}
		if f.Help != "" {
			l.Value = strings.TrimPrefix(l.Value+". "+strings.ToUpper(f.Help[:1])+f.Help[1:], ". ")
		}
		out = append(out, l)
	}
	return out
}

// Words are all that a ruling may say in answer to this packet, by form, besides
// what it may say of events of one kind alone: see EventWords.
func (in PacketIn) Words() []RulingWords {
	return rulingWords(slices.DeleteFunc(slices.Clone(in.Fields), func(f game.Field) bool { return f.Of == game.OfEvent && len(f.Kinds) > 0 }))
}

// EventWords is what may be ruled of the events of one kind.
type EventWords struct {
	Event  int // number of the first of them
	Kind   string
	Words  []string // that stand alone
	Values []string // with a value that may be written so
}

// EventWords are what a ruling may say of this packet's events, by their kinds in
// the order of the packet, as it is written.
func (in PacketIn) EventWords() []EventWords {
	var out []EventWords
	seen := map[string]bool{}
	for i, e := range in.Events {
		if seen[e.Kind] {
			continue
		}
		seen[e.Kind] = true
		w := EventWords{Event: i + 1, Kind: e.Kind}
		for _, f := range in.Fields {
			if f.Of != game.OfEvent || !slices.Contains(f.Kinds, e.Kind) {
				continue
			}
			if f.Type != "outcome" {
				w.Values = append(w.Values, f.Name+" "+sample(f, e))
				continue
			}
			for _, word := range f.Words {
				if word = strings.ToUpper(word); !slices.Contains(w.Words, word) {
					w.Words = append(w.Words, word)
				}
			}
		}
		if len(w.Words)+len(w.Values) > 0 {
			out = append(out, w)
		}
	}
	return out
}

// allows reports that a value may be written for a figure.
func allows(f game.Field, value string) bool {
	n, err := strconv.Atoi(value)
	_, square := game.ParseSquare(value)
	switch {
	case slices.ContainsFunc(f.Words, func(w string) bool { return strings.EqualFold(w, value) }):
		return true
	case f.Type == "number":
		return err == nil && (f.Most == 0 || n >= f.Least && n <= f.Most)
	}
	return f.Type == "square" && square
}

// maxSample bounds how many words of a field are offered as what may be written.
const maxSample = 5

// sample is a value that may be written for a field of an event: the number that it
// has, or its words.
func sample(f game.Field, e game.Event) string {
	if n := len(f.Words); n > 0 {
		if n > maxSample {
			return strings.Join(f.Words[:maxSample], "|") + "|…"
		}
		return strings.Join(f.Words, "|")
	}
	switch f.Type {
	case "number":
		if n, ok := e.Numbers[strings.ToLower(f.Name)]; ok && (f.Most == 0 || n >= f.Least && n <= f.Most) {
			return strconv.Itoa(n)
		}
		if f.Least < 0 {
			return "+1"
		}
		return "1"
	case "square":
		return "E4"
	}
	return "leg"
}

// Moment is how a ruling names a moment of this turn, such as "AT SEGMENT 14"; empty
// when the system's time begins anew with each turn.
func (in PacketIn) Moment() string {
	c := in.Head.Clock
	if !c.RunsOn {
		return ""
	}
	return "AT " + strings.ToUpper(c.Says(c.First))
}

// Settings reports that a ruling may change a rule of the game.
func (in PacketIn) Settings() bool {
	return slices.ContainsFunc(in.Fields, func(f game.Field) bool { return f.Of == game.OfTurn })
}

// Words are all that a ruling may say, by form.
func (h Help) Words() []RulingWords { return rulingWords(h.Rulings) }
