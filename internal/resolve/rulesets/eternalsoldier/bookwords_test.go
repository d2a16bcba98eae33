package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
)

// readBack reads a line as an order of Ann's, and gives what the receipt says of it
// with the texts of its problems.
func readBack(t testing.TB, w *World, line string) (phrase string, problems []string) {
	t.Helper()
	r := ruleset(t)
	v := r.See(w, "ann")
	voc := r.Vocabulary(v)
	got := parse.Orders([]parse.Line{{Text: line}}, []parse.Actor{{ID: "ann", View: v, Vocabulary: voc}})[0]
	checked, more := r.Check(v, got.Plan)
	for _, p := range append(got.Problems, more...) {
		problems = append(problems, p.Text)
	}
	return strings.Join(parse.Phrases(checked, voc), "; "), problems
}

// TestWordsForThings: what the receipt makes of orders about things of the map.
func TestWordsForThings(t *testing.T) {
	t.Parallel()
	s := field(nil, who("ann", "a", "C3", "weapon=long_sword", "weapon=luger:belt"), who("zog", "b", "F3"))
	s.Features = []game.Feature{
		{ID: "gate", Name: "gate", Kind: "door", State: "closed", Squares: []game.Square{{X: 3, Y: 3}}},
		{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 4, Y: 1}}},
	}
	w := world(t, s)
	for line, want := range map[string]string{
		"Shoot at the gate with the luger.":                  "fire 1 shot at gate with luger",
		"Strike the gate with the long sword.":               "strike at gate with long sword",
		"Smash the crate twice.":                             "strike at crate with long sword, 2 blows",
		"Quick attack on the gate, one segment early.":       "quick attack at gate with long sword, 1 segment early",
		"Open the gate.":                                     "Open the gate",
		"Shoot over the crate at Zog with the luger.":        "", // not at the crate
		"Strike at Zog with the long sword.":                 "strike at Zog with long sword",
		"Set attack on the gate with the long sword at +20.": "strike at gate with long sword at +20",
	} {
		if got, problems := readBack(t, w, line); got != want || want != "" && len(problems) > 0 {
			t.Errorf("%s: %q %q, want %q", line, got, problems, want)
		}
	}
}

// TestWordsForFeats: acrobatics, first aid and mounts, as the receipt says them.
func TestWordsForFeats(t *testing.T) {
	t.Parallel()
	s := field(nil, who("ann", "a", "C3", "skills.acrobatics=40", "skills.medic=40", "weapon=long_sword", "up=oak"), who("bob", "a", "C4"), who("horse", "a", "D4", "seats=1", "player="), who("zog", "b", "F3"))
	s.Features = []game.Feature{
		{ID: "table", Name: "table", Kind: "table", Low: true, Squares: []game.Square{{X: 3, Y: 1}}},
		{ID: "oak", Name: "oak", Kind: "tree", Squares: []game.Square{{X: 2, Y: 2}}},
	}
	w := world(t, s)
	for line, want := range map[string]string{
		"Get up acrobatically.":                 "stand up acrobatically",
		"Stand up with acrobatics.":             "stand up acrobatically",
		"Roll to my feet.":                      "stand up acrobatically",
		"Do a somersault.":                      "somersault",
		"I do a cartwheel, then strike at Zog.": "cartwheel; strike at Zog with long sword",
		"Backward handspring.":                  "backward handspring",
		"Jump onto the table.":                  "jump onto table",
		"Jump over the table acrobatically.":    "jump past table acrobatically",
		"Climb the oak.":                        "climb to oak",
		"Climb down from the oak.":              "climb down oak",
		"Give first aid to Bob.":                "give first aid to Bob",
		"Bandage Bob.":                          "give first aid to Bob",
		"Set the bones of Bob.":                 "give first aid to Bob",
		"Mount the horse.":                      "mount Horse",
		"Dismount.":                             "climb down",
		"Turn to face Zog acrobatically.":       "face Zog acrobatically",
	} {
		if got, problems := readBack(t, w, line); got != want || len(problems) > 0 {
			t.Errorf("%s: %q %q, want %q", line, got, problems, want)
		}
	}
}
