package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestFieldsAreSwitched: off, a field stops nothing; it takes its class (8.1, 11).
func TestFieldsAreSwitched(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.one_handed=90", "weapon=dagger"), who("zog", "b", "D3", "agi=10", "hp=50", `armor=["leather", "force_field"]`)))
	blows := `{"steps": [{"verb": "hold", "segment": 4}, {"verb": "melee", "target": "zog"}]}`
	for _, c := range []struct {
		orders string
		loses  int
		off    bool
		text   string
	}{
		{"", 6 - 2 - 3, false, ""},
		{`{"steps": [{"verb": "set", "item": "force_field", "state": "off"}]}`, 6 - 2, true, "Zog has the Force Field off."},
		{`{"steps": [{"verb": "set", "item": "force_field", "state": "on"}]}`, 6 - 2 - 3, false, "The Force Field is on already."},
		{`{"steps": [{"verb": "set", "item": "leather", "state": "off"}]}`, 6 - 2 - 3, false, "Zog has no field of that kind."},
	} {
		plans := map[game.ID]string{"ann": blows}
		if c.orders != "" {
			plans["zog"] = c.orders
		}
		armor := []int{2, 3}
		b := fought(t, w, 1, 5, plans, dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {6}, "armor/zog": armor}, dice.Constant(1)))
		z := b.after[4].fighter("zog")
		said := c.text == ""
		for _, ev := range b.events {
			said = said || ev.Text[game.All] == c.text
		}
		if got := 50 - z.HP; got != c.loses || z.Armor[1].Off != c.off || !said {
			t.Errorf("%s: loses %d, off %v, said %v", c.orders, got, z.Armor[1].Off, said)
		}
	}
}

// TestPoisonIsPutOnABlade, and works from then on (7.7, 11).
func TestPoisonIsPutOnABlade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		item, poison string
		left         int
	}{{"poison,effect:H,count:2", "H", 1}, {"poison,effect:honey,count:2", "", 2}, {"poison,effect:H,count:0", "", 0}} {
		w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "weapon=dagger", "item="+c.item), who("zog", "b", "Z9")))
		b := fought(t, w, 1, 4, map[game.ID]string{"ann": `{"steps": [{"verb": "use", "item": "ann-poison", "on": "ann-dagger"}]}`}, dice.Constant(1))
		a := b.after[3].fighter("ann")
		if a.Weapons[0].Poison != c.poison || a.Items[0].Count != c.left || b.after[2].fighter("ann").Weapons[0].Poison != "" {
			t.Errorf("%s: %q, %d left", c.item, a.Weapons[0].Poison, a.Items[0].Count)
		}
	}
}

// TestWordsForGadgets: who gets a drug, what a poison is put on, which field.
func TestWordsForGadgets(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "weapon=long_sword", "item=drug,effect:2", "item=poison,effect:C", `armor=["force_field"]`), who("bob", "a", "C4"), who("zog", "b", "F3")))
	for line, want := range map[string]string{
		"Give the drug to Bob.":               "use drug on Bob",
		"Take the drug.":                      "use drug",
		"Apply the poison to the long sword.": "use poison on long sword",
		"Use the poison on the long sword.":   "use poison on long sword",
		"Turn off the force field.":           "turn off Force Field",
	} {
		if got, problems := readBack(t, w, line); got != want || len(problems) > 0 {
			t.Errorf("%s: %q %q, want %q", line, got, problems, want)
		}
	}
	if v := ruleset(t).See(w, "bob"); len(v.Items) != 0 {
		t.Error(fmt.Sprint("a comrade sees it among his own things: ", v.Items))
	}
}
