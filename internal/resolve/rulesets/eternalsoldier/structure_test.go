package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// before is a thing of the map with Ann on one side of it and Zog on the other.
func before(material string, x game.Feature, ann []string, settings ...string) game.Scenario {
	if material != "" {
		settings = append(settings, "structures."+string(x.ID)+"="+material)
	}
	s := field(settings, who("ann", "a", "C3", append([]string{"agi=10", "hp=50", "skills.one_handed=90", "skills.one_handed_missile=90", "skills.two_handed_missile=90", "skills.hand_to_hand=90"}, ann...)...), who("zog", "b", "F3", "hp=50"))
	s.Features = []game.Feature{x}
	return s
}

func gate() game.Feature {
	return game.Feature{ID: "gate", Name: "gate", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 4, Y: 2}}}
}

// TestThingsAreStruck: what the material stops does no harm, what goes through
// wears the section down (8.6).
func TestThingsAreStruck(t *testing.T) {
	t.Parallel()
	shot, blow := `{"steps": [{"verb": "fire", "target": "gate"}]}`, `{"steps": [{"verb": "melee", "target": "gate"}]}`
	for _, c := range []struct {
		name     string
		material string
		settings []string
		ann      []string
		plan     string
		dmg      []int
		through  int
		left     int // that the section can still take; 0: it has fallen
		outcome  string
	}{
		{"ST1: 27 points against 4 mm of steel", "steel_plate 4", []string{"tables.arms.weapon.luger.damage=3d9"}, []string{"weapon=luger"}, shot, []int{9, 9, 9}, 15, 80 - 15, "pierced"},
		{"ST2: the same from an armor-piercing shell", "steel_plate 4", []string{"tables.arms.weapon.luger.damage=3d9"}, []string{"weapon=luger,armor_piercing:true"}, shot, []int{9, 9, 9}, 21, 80 - 21, "pierced"},
		{"ST3: 12 points are stopped", "steel_plate 4", []string{"tables.arms.weapon.luger.damage=3d4"}, []string{"weapon=luger"}, shot, []int{4, 4, 4}, 0, 80, "holds"},
		{"a blow with its strength", "wood 1", nil, []string{"weapon=long_sword", "str=18"}, blow, []int{8, 8}, 20 - 6, 50 - 14, "pierced"},
		{"a fist", "wood 1", nil, nil, blow, []int{4}, 0, 50, "holds"},
		{"what is left at nothing falls", "wood 0.2", nil, []string{"weapon=long_sword"}, blow, []int{8, 8}, 15, 0, "destroyed"},
		{"a force screen never does", "force_screen 1", nil, []string{"weapon=long_sword"}, blow, []int{8, 8}, 11, 0, "pierced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, before(c.material, gate(), c.ann, c.settings...))
			if c.plan == blow {
				w.fighter("ann").At = w.centre(game.Square{X: 3, Y: 2})
			}
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": c.plan}, dice.NewScripted(map[string][]int{"hit/ann": {2}, "dmg/ann": c.dmg}, dice.Constant(50)))
			ev := b.event(t, "ann/s0.t")
			after := b.after[0]
			if ev.Numbers["through"] != c.through || ev.Outcome != c.outcome || after.Sections["gate"].Left != c.left {
				t.Errorf("%d through, %s, %d left; want %d, %s, %d", ev.Numbers["through"], ev.Outcome, after.Sections["gate"].Left, c.through, c.outcome, c.left)
			}
			if open := after.Features[0].State == destroyed; open != (c.outcome == destroyed) || open == after.Features[0].Opaque {
				t.Errorf("the gate: %+v", after.Features[0])
			}
			if hit := b.event(t, "ann/s0"); hit.Outcome != "hit" || !strings.Contains(hit.Text[game.All], "the gate") {
				t.Errorf("%s: %s", hit.Outcome, hit.Text[game.All])
			}
		})
	}
}

// TestWhatGoesThroughAThing may strike whoever is in the line behind, if the GM
// says so, and nobody if he does not (8.6 step 3).
func TestWhatGoesThroughAThing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		ann      string
		armor    string
		settings []string
		ruling   string
		loses    int
	}{
		{"without a word", "luger", "", nil, "", 0},
		{"ruled", "luger", "", nil, "strikes", 16 - 6},
		{"ruled, against armor", "luger", "kevlar_suit", nil, "strikes", 16 - 6 - 2},
		{"ruled, an armor-piercing shell is an explosion behind", "luger,armor_piercing:true", "kevlar_suit", nil, "strikes", 16 - 3 - 1},
		{"the whole damage behind (A42)", "luger,armor_piercing:true", "", []string{"piercing_damage=full"}, "strikes", 16},
		{"ruled to miss", "luger", "", nil, "misses", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := before("wood 1", gate(), []string{"weapon=" + c.ann}, c.settings...)
			if c.armor != "" {
				s.Combatants[1].Values = append(s.Combatants[1].Values, raw("armor", c.armor))
			}
			var rulings []game.Ruling
			if c.ruling != "" {
				rulings = append(rulings, game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "ann/s0.t", Value: c.ruling})
			}
			b := fought(t, world(t, s), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`},
				dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {8, 8}}, dice.Constant(1)), rulings...)
			if got := 50 - b.after[0].fighter("zog").HP; got != c.loses {
				t.Errorf("he loses %d, want %d", got, c.loses)
			}
			asked := false
			for _, q := range b.out.Inquiries {
				asked = asked || q.Kind == "structure" && strings.Contains(q.Text, "Zog is in the line behind")
			}
			if asked != (c.ruling == "") {
				t.Errorf("asked: %v, %v", asked, b.out.Inquiries)
			}
		})
	}
}

// TestThingsWithoutAMaterial are the GM's: asked, and they hold until he answers.
func TestThingsWithoutAMaterial(t *testing.T) {
	t.Parallel()
	crate := game.Feature{ID: "gate", Name: "crate", Kind: "crate", Squares: []game.Square{{X: 3, Y: 2}}}
	for ruling, want := range map[string]string{"": "", "collapses": destroyed, "stands": ""} {
		var rulings []game.Ruling
		if ruling != "" {
			rulings = append(rulings, game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "ann/s0.t", Value: ruling})
		}
		b := fought(t, world(t, before("", crate, []string{"weapon=long_sword"})), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "gate"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {4, 4}}, dice.Constant(1)), rulings...)
		if got := b.after[0].Features[0].State; got != want {
			t.Errorf("%q: %q", ruling, got)
		}
		if !strings.Contains(fmt.Sprint(b.out.Inquiries), "8 points of edged damage to the crate") || len(b.out.Unused) > 0 {
			t.Errorf("%q: %v, unused %v", ruling, b.out.Inquiries, b.out.Unused)
		}
	}
}

// TestABlowAtAThingIsWalkedUpTo, and is no critical, for the chart speaks of bodies.
func TestABlowAtAThingIsWalkedUpTo(t *testing.T) {
	t.Parallel()
	x := gate()
	x.Squares = []game.Square{{X: 8, Y: 2}}
	b := fought(t, world(t, before("wood 1", x, []string{"weapon=long_sword"})), 1, 8, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "gate"}]}`}, dice.Constant(2))
	for _, ev := range b.events {
		if ev.Kind == "melee" {
			if at := b.after[ev.At].square(b.after[ev.At].fighter("ann").At); ev.Outcome != hit || at.X != 7 {
				t.Errorf("%s from %s", ev.Outcome, at)
			}
			return
		}
	}
	t.Errorf("no blow: %s", b.refs())
}

// TestABlastBreachesPartOfAWall: only what lies in its zones goes, and the GM is
// asked about the rest (8.6 step 5, ST4).
func TestABlastBreachesPartOfAWall(t *testing.T) {
	t.Parallel()
	wall := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true}
	for y := range 20 {
		wall.Squares = append(wall.Squares, game.Square{X: 11, Y: y})
	}
	for _, c := range []struct {
		name     string
		casualty int
		ruling   string
		squares  int
		state    string
	}{
		{"the kill zone of 15 ft alone", 3, "", 20 - 8, ""},     // rows 1 to 7 lie within 5 yd of K3, and row 0
		{"the casualty zone of 30 ft too", 10, "", 20 - 13, ""}, // rows 0 to 12 within 10 yd
		{"ruled to fall", 3, "collapses", 20, destroyed},        // the feature keeps its squares, and is no more
		{"ruled to stand", 3, "stands", 20, ""},                 //
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var rulings []game.Ruling
			if c.ruling != "" {
				rulings = append(rulings, game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "ann/s0.t", Value: c.ruling})
			}
			b := fought(t, world(t, range10([]string{"structures.wall=wood 1"}, &wall, "grenade")), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-grenade", "to": [10, 3]}]}`},
				dice.NewScripted(map[string][]int{"hit/ann": {10}, "dmg/ann": {2, 2, 2, 2, 2, 2}, "casualty/ann": {c.casualty - 2, 1, 1}}, dice.Constant(1)), rulings...)
			x := b.after[0].Features[0]
			if len(x.Squares) != c.squares || x.State != c.state {
				t.Errorf("%d squares, %q; want %d, %q", len(x.Squares), x.State, c.squares, c.state)
			}
			asked := strings.Contains(fmt.Sprint(b.out.Inquiries), "Does the rest still stand?")
			if asked != (c.ruling == "") {
				t.Errorf("asked: %v", b.out.Inquiries)
			}
		})
	}
}

// TestDoorsOpenAndClose: it takes its class, one has to stand there, and a closed
// door hides.
func TestDoorsOpenAndClose(t *testing.T) {
	t.Parallel()
	use := func(action string) map[game.ID]string {
		return map[game.ID]string{"ann": `{"steps": [{"verb": "use", "item": "gate", "action": "` + action + `"}]}`}
	}
	for _, c := range []struct {
		name, state, action string
		at                  int
		zog                 int
		want                string
		text                string
	}{
		{"opened in three segments", "closed", "open the gate", 3, 8, "open", "Ann has opened the gate."},
		{"closed", "open", "shut the gate", 3, 8, "closed", "Ann has closed the gate."},
		{"from afar", "closed", "open the gate", 1, 8, "closed", "Ann is too far from the gate."},
		{"open already", "open", "open the gate", 3, 8, "open", "Ann finds the gate open already."},
		{"locked", "locked", "open the gate", 3, 8, "locked", "Ann cannot: the gate is locked."},
		{"somebody is in it", "open", "close the gate", 3, 4, "open", "Ann cannot: the gate has somebody in it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := gate()
			x.State, x.Opaque = c.state, c.state != "open"
			w := world(t, before("", x, nil))
			w.fighter("ann").At, w.fighter("zog").At = w.centre(game.Square{X: c.at, Y: 2}), w.centre(game.Square{X: c.zog, Y: 2})
			b := fought(t, w, 1, 5, use(c.action), dice.Constant(1))
			last := b.out.World.(*World)
			if x := last.Features[0]; x.State != c.want || x.Opaque != (c.want != "open") {
				t.Errorf("%+v, want %s", x, c.want)
			}
			said := false
			for _, ev := range b.events {
				said = said || ev.Text[game.All] == c.text
			}
			if !said {
				t.Errorf("nobody says %q: %v", c.text, b.refs())
			}
			if c.want == "open" && c.state == "closed" && (b.after[2].Features[0].State != "closed" || b.after[3].Features[0].State != "open") {
				t.Error("not in its time of three segments")
			}
		})
	}
}
