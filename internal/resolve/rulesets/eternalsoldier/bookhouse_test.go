package eternalsoldier

import (
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestHouseValuesOfTheBookAreNamed when they first count: wounds, air, drugs,
// structures.
func TestHouseValuesOfTheBookAreNamed(t *testing.T) {
	t.Parallel()
	set := func(field, value string) game.Ruling {
		return game.Ruling{N: 1, Kind: game.RuleSet, Who: "zog", Field: field, Value: value}
	}
	for name, c := range map[string]struct {
		prepare func(z *Fighter)
		plan    string
		rulings []game.Ruling
		n       int
		want    string
	}{
		"a bone":      {func(z *Fighter) { z.Broken, z.HP = []Bone{{Limb: "leg", Points: 1}}, 5 }, "", []game.Ruling{set("DAYS", "1")}, 1, "the order in which wounds heal: the oldest first"},
		"waking":      {func(z *Fighter) { z.HP = -2 }, "", []game.Ruling{set("HOURS", "1")}, 1, "who is at 0 hit points or below after some time: one will roll tells how he is"},
		"air":         {func(z *Fighter) { z.Held = []HeldBy{{"ann", "choke"}} }, "", nil, 1, "suffocation: the pool is ten times the hit points, and ten are lost in a segment"},
		"a drug":      {nil, `{"steps": [{"verb": "use", "item": "ann-drug"}]}`, nil, 4, "how long a drug lasts"},
		"a medic":     {nil, `{"steps": [{"verb": "treat", "target": "zog"}]}`, nil, 1, "class of the action: bind a wound or set a bone"},
		"a wall":      {nil, `{"steps": [{"verb": "melee", "target": "gate"}]}`, nil, 1, "structures: each section can take its Hits for each unit of thickness, and what goes through is taken off"},
		"coming back": {func(z *Fighter) { z.CON, z.Poisons = 20, []Poison{{Type: "H", Streak: 2, Taken: 1}} }, "", nil, 1, "points of an attribute lost to poison: one comes back each save-rate period"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := before("wood 1", gate(), []string{"weapon=long_sword", "skills.medic=50", "item=drug,effect:1"})
			w := world(t, s)
			ann, z := w.fighter("ann"), w.fighter("zog")
			ann.At, z.At, z.Side = w.centre(game.Square{X: 3, Y: 2}), w.centre(game.Square{X: 3, Y: 3}), "a"
			if c.prepare != nil {
				c.prepare(z)
			}
			plans := map[game.ID]string{}
			if c.plan != "" {
				plans["ann"] = c.plan
			}
			b := fought(t, w, c.n, c.n, plans, dice.Constant(8), c.rulings...)
			if named := b.out.World.(*World).Named; !slices.Contains(named, c.want) {
				t.Errorf("not named: %q in %q", c.want, named)
			}
		})
	}
}

// TestDerivedValuesAreNamedOnce: those behind nearly everything, with the first
// event that they count in and no other.
func TestDerivedValuesAreNamedOnce(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "str=14", "points.one_handed=8", "weapon=mace:belt"), who("zog", "b", "D3", "hp=90")))
	b := fought(t, w, 5, 40, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "blows": 3}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {20, 20, 99}, "fumble/ann": {60}}, dice.Constant(4)))
	count := map[string]int{}
	for _, ev := range b.events {
		for _, u := range ev.Unverified {
			count[u]++
		}
	}
	for _, want := range []string{segmentsGuess, strengthGuess, "aptitude of One-Handed Weapon", "mace: speed class"} {
		if count[want] != 1 {
			t.Errorf("%s is named %d times", want, count[want])
		}
	}
	if count["which rolls are fumbles: the worst tenth of the failing ones"] == 0 {
		t.Errorf("the range of fumbles is not named: %v", count)
	}
}
