package game

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestSquares(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		at   Square
		ok   bool
	}{
		{"A1", Square{0, 0}, true}, {"E4", Square{4, 3}, true}, {"z26", Square{25, 25}, true},
		{"AA12", Square{26, 11}, true}, {" b2 ", Square{1, 1}, true}, {"ZZ999", Square{701, 998}, true},
		{"", Square{}, false}, {"E", Square{}, false}, {"4", Square{}, false}, {"E0", Square{}, false},
		{"E-1", Square{}, false}, {"E+1", Square{}, false}, {"AAA1", Square{}, false}, {"E1000", Square{}, false}, {"E4x", Square{}, false},
	} {
		got, ok := ParseSquare(tt.name)
		if ok != tt.ok || got != tt.at {
			t.Errorf("ParseSquare(%q) = %v, %v; want %v, %v", tt.name, got, ok, tt.at, tt.ok)
		}
		if ok {
			if back, _ := ParseSquare(got.String()); back != got {
				t.Errorf("%q comes back as %v by way of %s", tt.name, back, got)
			}
		}
	}
	for x := range 702 {
		s := Square{x, x % 999}
		if got, ok := ParseSquare(s.String()); !ok || got != s {
			t.Fatalf("%v is written %s and read %v", s, s, got)
		}
	}
}

func TestDistances(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		json string
		want Distance
		mm   int // on squares of 2 m
	}{
		{`10`, Distance{100, "m"}, 10_000},
		{`2.5`, Distance{25, "m"}, 2_500},
		{`{"value": 10, "unit": "yd"}`, Distance{100, "yd"}, 9_144},
		{`{"value": 30, "unit": "ft"}`, Distance{300, "ft"}, 9_144},
		{`{"value": 3, "unit": "sq"}`, Distance{30, "sq"}, 6_000},
	} {
		var got Distance
		if err := json.Unmarshal([]byte(tt.json), &got); err != nil || got != tt.want {
			t.Errorf("%s is read as %+v, %v", tt.json, got, err)
		}
		if mm := got.Millimetres(2000); mm != tt.mm {
			t.Errorf("%s is %d mm, want %d", tt.json, mm, tt.mm)
		}
		b, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var back Distance
		if err := json.Unmarshal(b, &back); err != nil || back.Tenths != got.Tenths {
			t.Errorf("%s is written %s and read %+v, %v", tt.json, b, back, err)
		}
	}
	for _, bad := range []string{`"far"`, `1e9`, `99999999999`, `{"value": "x"}`} {
		var d Distance
		if err := json.Unmarshal([]byte(bad), &d); err == nil {
			t.Errorf("%s is read as %+v", bad, d)
		}
	}
}

// TestPlanJSON: the forms that the order schema allows are read, and what is
// written is read back the same.
func TestPlanJSON(t *testing.T) {
	t.Parallel()
	text := `{
	 "steps": [
	  {"verb": "fire", "weapon": "bobo-pistol", "target": "zog", "shots": 2, "setting": "max", "until": {"kind": "down", "object": "zog"}},
	  {"verb": "move", "to": [4, 3], "mode": "run", "distance": 6},
	  {"verb": "if", "when": {"kind": "within", "who": ["zog", "kira"], "distance": {"value": 10, "unit": "m"}, "of": "me", "not": true},
	   "then": [{"verb": "wait"}], "else": [{"verb": "say", "text": "Halt!"}]}
	 ],
	 "reactions": [{"when": {"kind": "declares", "who": "any_enemy", "act": "fire"}, "do": [{"verb": "fire", "target": "trigger"}], "max": 2, "slot": 0}],
	 "standing": [{"verb": "prefer", "order": ["nearest"]}, {"when": {"kind": "hit", "object": "me"}, "do": [{"verb": "posture", "posture": "prone"}], "until": "next_turn"}],
	 "say": ["Drop it!", {"text": "Now", "to": "mira"}],
	 "ask": ["Is the door locked?"],
	 "questions": ["shots", {"kind": "which_target", "text": "Which one?"}],
	 "unparsed": ["tickle"]
	}`
	var p Plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if *p.Steps[1].To.Square != (Square{4, 3}) || !p.Steps[0].Setting.Max || p.Steps[2].When.Who[1] != "kira" {
		t.Errorf("read as %+v", p)
	}
	if p.Standing[0].Policy == nil || p.Standing[1].Reaction == nil || p.Say[0].Text != "Drop it!" || p.Say[1].To != "mira" {
		t.Errorf("standing orders or speech read as %+v, %+v", p.Standing, p.Say)
	}
	if *p.Reactions[0].Slot != 0 || p.Questions[1].Kind != "which_target" || p.Ask[0].Text == "" {
		t.Errorf("reactions or questions read as %+v, %+v", p.Reactions, p.Questions)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Plan
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(p, back) {
		t.Errorf("written as %s, read back as %+v, %v", b, back, err)
	}
	empty, err := json.Marshal(Plan{})
	if want := `{"steps":[],"reactions":[],"standing":[],"say":[],"ask":[],"questions":[],"unparsed":[]}`; err != nil || string(empty) != want {
		t.Errorf("an empty plan is written %s, %v", empty, err)
	}
	if !(Plan{Questions: []Question{{Kind: "shots"}}}).Empty() || (Plan{Say: []Speech{{Text: "x"}}}).Empty() {
		t.Error("questions alone are no order, speech is one")
	}
}

func TestGrades(t *testing.T) {
	t.Parallel()
	for i, a := range Grades {
		for j, b := range Grades {
			if got := Better(a, b); got != (i < j) {
				t.Errorf("Better(%s, %s) = %v", a, b, got)
			}
		}
	}
}

// TestStates: nothing leaves released, approved only goes out or is stuck, and every
// state can be reached from open.
func TestStates(t *testing.T) {
	t.Parallel()
	all := []State{Open, Closed, Review, Approved, Released, Stuck}
	reached := map[State]bool{Open: true}
	for range all {
		for _, a := range all {
			for _, b := range all {
				if reached[a] && CanMove(a, b) {
					reached[b] = true
				}
			}
		}
	}
	for _, s := range all {
		if !reached[s] {
			t.Errorf("%s is never reached", s)
		}
		if CanMove(Released, s) || CanMove(Approved, s) != (s == Released || s == Stuck) {
			t.Errorf("moves to %s", s)
		}
	}
}
