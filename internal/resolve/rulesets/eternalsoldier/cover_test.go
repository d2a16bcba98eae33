package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// range10 are a shooter and a target ten yards apart, with something before the target.
func range10(settings []string, f *game.Feature, gun string, zog ...string) game.Scenario {
	s := field(settings, who("ann", "a", "C3", "hp=50", "skills.one_handed_missile=60", "skills.thrown=90", "weapon="+gun), who("zog", "b", "M3", append([]string{"hp=50"}, zog...)...))
	if f != nil {
		s.Features = []game.Feature{*f}
	}
	return s
}

// TestCoverTakesOffTheChance by how much of the body it hides (5.4).
func TestCoverTakesOffTheChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cover   string
		low     bool
		place   string
		posture string
		want    int
	}{
		{"soft", false, "L3", "stand", 50}, {"hard", false, "L3", "stand", 40}, {"soft", false, "G3", "stand", 60}, {"", false, "L3", "stand", 60},
		{"soft", true, "L3", "kneel", 40}, {"hard", true, "L3", "kneel", 30}, {"hard", true, "L3", "prone", 60 - 40 - 20}, {"hard", false, "L3", "kneel", 40},
	} {
		at, _ := game.ParseSquare(c.place)
		s := range10(nil, &game.Feature{ID: "crate", Name: "crate", Kind: "crate", Cover: c.cover, Low: c.low, Squares: []game.Square{at}}, "luger,range_modifier:0", "posture="+c.posture)
		b := fought(t, world(t, s), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`}, dice.Constant(99))
		if got := b.event(t, "ann/s0").Numbers["chance"]; got != c.want {
			t.Errorf("%s at %s, low %v, %s: %d, want %d", c.cover, c.place, c.low, c.posture, got, c.want)
		}
	}
}

// TestWhatTheCoverStops: a shot that misses by the cover alone strikes it, and what
// gets through goes on (8.6).
func TestWhatTheCoverStops(t *testing.T) {
	t.Parallel()
	crate := &game.Feature{ID: "crate", Name: "crate", Kind: "crate", Cover: "hard", Squares: []game.Square{{X: 11, Y: 2}}}
	for _, c := range []struct {
		name     string
		settings []string
		feature  *game.Feature
		zog      []string
		roll     int
		dmg      []int
		loses    int
		broken   bool
	}{
		{"wood stops 6 an inch against bullets", []string{"structures.crate=wood 2"}, crate, nil, 60, []int{8, 8}, 4, false},
		{"and all of less", []string{"structures.crate=wood 2"}, crate, nil, 60, []int{6, 6}, 0, false},
		{"a wider miss strikes nothing", []string{"structures.crate=wood 1"}, crate, nil, 61, []int{8, 8}, 0, false},
		{"a thing without a material stops it", nil, crate, nil, 60, []int{8, 8}, 0, false},
		{"a shield holds its points", nil, nil, []string{"weapon=small_shield"}, 60, []int{8, 7}, 0, false},
		{"and breaks beyond", nil, nil, []string{"weapon=small_shield"}, 60, []int{8, 8}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := fought(t, world(t, range10(c.settings, c.feature, "luger,range_modifier:0", c.zog...)), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`},
				dice.NewScripted(map[string][]int{"hit/ann": {c.roll}, "dmg/ann": c.dmg}, dice.Constant(1)))
			z := b.after[0].fighter("zog")
			if got := 50 - z.HP; got != c.loses {
				t.Errorf("he loses %d, want %d", got, c.loses)
			}
			if len(z.Weapons) > 0 && z.Weapons[0].Broken != c.broken {
				t.Errorf("the shield is broken: %v", z.Weapons[0].Broken)
			}
		})
	}
}

// TestABlastAndAWall: what stands it shields, what does not is destroyed (8.6).
func TestABlastAndAWall(t *testing.T) {
	t.Parallel()
	wall := &game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 11, Y: 1}, {X: 11, Y: 2}, {X: 11, Y: 3}}}
	for _, c := range []struct {
		material string
		loses    int
		state    string
	}{
		{"wood 2", 12 - 6, "destroyed"}, // stops 3 an inch, and the kill zone's 12 are more
		{"concrete 3", 0, ""},           // stops 18
		{"", 0, ""},                     // nothing to reckon with: it stops all
	} {
		var settings []string
		if c.material != "" {
			settings = []string{"structures.wall=" + c.material}
		}
		b := fought(t, world(t, range10(settings, wall, "grenade")), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-grenade", "to": [10, 2]}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {10}, "dmg/ann": {2, 2, 2, 2, 2, 2}, "casualty/ann": {1, 1, 1}}, dice.Constant(1)))
		w := b.after[0]
		if got := 50 - w.fighter("zog").HP; got != c.loses || w.Features[0].State != c.state {
			t.Errorf("%q: he loses %d, the wall is %q; want %d, %q", c.material, got, w.Features[0].State, c.loses, c.state)
		}
	}
}

// TestStructuresAreNamedWell in the game file.
func TestStructuresAreNamedWell(t *testing.T) {
	t.Parallel()
	crate := &game.Feature{ID: "crate", Name: "crate", Kind: "crate", Squares: []game.Square{{X: 11, Y: 2}}}
	for setting, want := range map[string]string{
		"structures.gate=wood 2":    `there is no feature "gate"`,
		"structures.crate=cheese 2": `"cheese" is not a material; known are earth`,
		"structures.crate=wood":     `needs a thickness in its unit (1 in)`,
	} {
		_, faults := ruleset(t).setup(range10([]string{setting}, crate, "luger"))
		if len(faults) != 1 || !strings.Contains(faults[0].Text, want) {
			t.Errorf("%s: %v, want %q", setting, faults, want)
		}
	}
}

// TestGivingADrug: it takes its time, has its rating, and wears off (7.4).
func TestGivingADrug(t *testing.T) {
	t.Parallel()
	s := field([]string{"drug_segments=4"}, who("ann", "a", "C3", "agi=10", "item=drug,effect:2,count:1"), who("bob", "a", "D3"), who("zog", "b", "Z9"))
	b := fought(t, world(t, s), 1, 9, map[game.ID]string{"ann": `{"steps": [{"verb": "use", "item": "ann-drug", "on": "bob"}]}`}, dice.Constant(1))
	var got []int
	for i := range 9 {
		got = append(got, b.after[i].fighter("bob").Drug)
	}
	if fmt.Sprint(got) != "[0 0 0 2 2 2 2 0 0]" || b.after[3].fighter("ann").Items[0].Count != 0 {
		t.Errorf("rating by segment: %v", got)
	}
}

// TestSheetsAreChecked: what a sheet may say, and what it may not.
func TestSheetsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, want string }{
		{"agi=0", "must be a whole number from 1 to 100"},
		{"skills.knitting=50", "is not a skill; known are"},
		{"skills.defense=many", "must be a percentage"},
		{"points.medic=4", "is not a skill that has points"},
		{`armor=["leather", "chain_mail"]`, "nobody wears two kinds of body armor"},
		{"armor=paper", `"paper" is not a kind of armor`},
		{"weapon=lightsaber", `"lightsaber" is not a weapon; known are`},
		{"weapon=luger,speed_class:XI", "must be a class, I to X"},
		{"weapon=luger,colour:red", "is not a key of a weapon"},
		{"item=rope,colour:red", "is not a key of an item"},
		{"mood=bad", "is not a key of this system"},
		{"posture=float", `"float" is not a posture`},
		{"policy=brave", `"brave" is not a policy`},
		{"facing=up", `"up" is not a direction`},
	} {
		_, faults := ruleset(t).setup(field(nil, who("ann", "a", "C3", c.key), who("zog", "b", "D3")))
		if len(faults) != 1 || !strings.Contains(faults[0].Text, c.want) {
			t.Errorf("%s: %v, want %q", c.key, faults, c.want)
		}
	}
	_, faults := ruleset(t).setup(field(nil, who("ann", "a", "C3", "weapon=two_handed_sword", "weapon=dagger"), who("zog", "b", "D3")))
	if len(faults) != 1 || !strings.Contains(faults[0].Text, "holds more than two hands can") {
		t.Errorf("three hands: %v", faults)
	}
}
