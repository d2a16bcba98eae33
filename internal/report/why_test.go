package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// told is a whole explanation as one text.
func told(w Why) string {
	lines := append([]string{w.Text, w.Rule}, w.Notes...)
	for _, l := range slices.Concat(w.Sum, w.Dice, w.Facts) {
		lines = append(lines, l.Label+" "+l.Value)
	}
	return strings.Join(lines, "\n")
}

func whyIn() WhyIn {
	shot := game.Event{
		Ref: "zog/r1.1", Round: 1, Actor: "zog", Target: "bobo", Kind: "fire", Outcome: "hit", Reason: "a secret grudge", Rule: "6.2", Attack: true,
		Dice:       []game.Die{{Name: "hit/zog/r1.1", Sides: 100, Value: 23, Source: "sealed"}, {Name: "avoid/bobo/zog/r1.1", Sides: 100, Value: 77, Source: "sealed"}},
		Lines:      []game.Line{{Label: "chance", Value: "50"}, {Label: "grudge", Value: "13", Secret: true}},
		Numbers:    map[string]int{"chance": 50},
		Changes:    []game.Change{{Who: "bobo", Field: "STA", From: "45", To: "38"}, {Who: "zog", Field: "SEU", From: "20", To: "18"}},
		Seen:       map[game.ID]game.Grade{"bobo": game.Own, "mira": game.Seen, "kira": game.Heard, "zog": game.Own},
		Text:       map[game.Grade]string{game.All: "Zog shoots Bobo.", game.Own: "Somebody shoots you.", game.Seen: "Zog shoots Bobo.", game.Heard: "A shot rings out."},
		Unverified: []string{"laser range"}, Ruled: []int{2},
	}
	hidden := game.Event{Ref: "zog/r1.m", Actor: "zog", Kind: "move", Outcome: "done", Seen: map[game.ID]game.Grade{"zog": game.Own},
		Text: map[game.Grade]string{game.All: "Zog slips away.", game.Own: "You slip away."}}
	return WhyIn{
		Of: "the report of turn 1", System: "star-frontiers", Events: []game.Event{hidden, shot},
		Names:   map[game.ID]string{"zog": "Zog", "bobo": "Bobo", "mira": "Mira", "kira": "Kira"},
		Rulings: []game.Ruling{{N: 1, Text: "NOTE x"}, {N: 2, Text: "MOD zog +13 because of a secret grudge SECRET"}},
		Sealed:  func(d game.Die) string { return "sealed " + d.Name },
	}
}

// TestExplainTellsWhatWasPerceived and no more: numbers and dice to him to whom
// it was done, what is secret to nobody but the GM.
func TestExplainTellsWhatWasPerceived(t *testing.T) {
	t.Parallel()
	in := whyIn()
	for name, tt := range map[string]struct {
		who           []game.ID
		n             int
		want, without []string
	}{
		"the one who was hit": {[]game.ID{"bobo"}, 1, []string{"Somebody shoots you.", "chance 50", "Bobo STA 38, was 45", "hit d100 = 23", "6.2"}, []string{"grudge", "SEU", "hit/zog/r1.1 d100", "laser range", "Ruling", "zog/r1.1 "}},
		"a witness":           {[]game.ID{"mira"}, 1, []string{"Zog shoots Bobo.", "You saw it", "6.2"}, []string{"50", "38", "23", "grudge"}},
		"one who heard it":    {[]game.ID{"kira"}, 1, []string{"A shot rings out.", "You only heard it"}, []string{"Zog", "Bobo", "6.2", "50", "23", "grudge"}},
		"a player of two":     {[]game.ID{"kira", "bobo"}, 1, []string{"Somebody shoots you."}, []string{"grudge"}},
		"the shooter":         {[]game.ID{"zog"}, 2, []string{"Zog SEU 18, was 20", "hit/zog/r1.1 d100 = 23"}, []string{"Bobo STA", "grudge"}},
		"a simple act":        {[]game.ID{"zog"}, 1, []string{"You slip away.", "no sum and no die"}, nil},
		"the GM": {[]game.ID{game.GM}, 2, []string{"Zog shoots Bobo.", "grudge 13", "Bobo STA", "Zog SEU", "event zog/r1.1", "who Zog", "to whom Bobo", "because of a secret grudge",
			"felt it Bobo, Zog", "saw it Mira", "heard it Kira", "laser range", "Ruling 2 decided here: MOD zog +13", "hit/zog/r1.1 d100 = 23"}, []string{"NOTE"}},
	} {
		w, _, ok := Explain(in, tt.who, tt.n)
		if !ok || w.N != tt.n || w.Of != in.Of {
			t.Errorf("%s: %v %+v", name, ok, w)
		}
		text := told(w)
		for _, word := range tt.want {
			if !strings.Contains(text, word) {
				t.Errorf("%s: no %q in %s", name, word, text)
			}
		}
		// How a die was sealed may name it: that text is the caller's.
		for i := range w.Dice {
			w.Dice[i].Value = ""
		}
		text = told(w)
		for _, word := range tt.without {
			if strings.Contains(text, word) {
				t.Errorf("%s is told %q: %s", name, word, text)
			}
		}
	}
}

// TestExplainNumbersAsTheReportDoes: an event that the reader did not perceive
// has no number, whatever it holds.
func TestExplainNumbersAsTheReportDoes(t *testing.T) {
	t.Parallel()
	in := whyIn()
	for _, who := range [][]game.ID{{"bobo"}, {"mira"}, {"zog"}, {game.GM}, {"nobody"}} {
		lines := Project(in.Events, who)
		for _, l := range lines {
			w, _, ok := Explain(in, who, l.N)
			if !ok || w.Text != l.Text || cmp.Diff(w.Sum, l.Sum) != "" {
				t.Errorf("line %d of %v: %+v, %+v", l.N, who, w, l)
			}
		}
		for _, n := range []int{-1, 0, len(lines) + 1} {
			if w, count, ok := Explain(in, who, n); ok || count != len(lines) || w.N != 0 {
				t.Errorf("line %d of %v: %+v of %d", n, who, w, count)
			}
		}
	}
	other := in
	other.Events = in.Events[1:]
	a, _, _ := Explain(in, []game.ID{"bobo"}, 1)
	b, _, _ := Explain(other, []game.ID{"bobo"}, 1)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("a hidden event shows (-with +without):\n%s", diff)
	}
}

// TestExplainEvent counts as a packet does.
func TestExplainEvent(t *testing.T) {
	t.Parallel()
	in := whyIn()
	w, n, ok := ExplainEvent(in, 2)
	if !ok || n != 2 || w.N != 2 || !strings.Contains(told(w), "grudge 13") {
		t.Errorf("%v %d %+v", ok, n, w)
	}
	for _, n := range []int{0, 3, -1} {
		if _, count, ok := ExplainEvent(in, n); ok || count != 2 {
			t.Errorf("event %d: %v of %d", n, ok, count)
		}
	}
}
