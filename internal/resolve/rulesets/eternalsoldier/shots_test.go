package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func inputOf(w *World) resolve.Input {
	return resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: dice.Constant(50)}
}

// chances lists segment and chance of each attack.
func (b *bout) chances() []string {
	var out []string
	for _, ev := range b.events {
		if ev.Attack {
			out = append(out, fmt.Sprintf("%d:%d", ev.At, ev.Numbers["chance"]))
		}
	}
	return out
}

// TestAutomaticFire is 5.6: over segments the shots count on, after re-aiming they
// begin anew, and fire before that has the old penalty.
func TestAutomaticFire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, steps string
		settings    []string
		want        []string
		left        int
	}{
		{"seven rounds", `{"verb": "auto_fire", "target": "zog", "rounds": 7}`, nil, []string{"0:60", "0:50", "0:40", "0:30", "0:20", "1:20", "1:20"}, 25},
		{"two segments", `{"verb": "auto_fire", "target": "zog", "segments": 2}`, nil, []string{"0:60", "0:50", "0:40", "0:30", "0:20", "1:20", "1:20", "1:20", "1:20", "1:20"}, 22},
		{"no limit is one segment", `{"verb": "auto_fire", "target": "zog"}`, nil, []string{"0:60", "0:50", "0:40", "0:30", "0:20"}, 27},
		{"the penalty of a segment", `{"verb": "auto_fire", "target": "zog", "rounds": 6}`, []string{"auto_penalty_lasts=segment"}, []string{"0:60", "0:50", "0:40", "0:30", "0:20", "1:60"}, 26},
		{"re-aimed", `{"verb": "auto_fire", "target": "zog", "rounds": 2}, {"verb": "fire", "target": "zog"}`, nil, []string{"0:60", "0:50", "3:60"}, 29},
		{"too soon", `{"verb": "auto_fire", "target": "zog", "rounds": 2}, {"verb": "quick_attack", "target": "zog", "segment": 2}`, nil, []string{"0:60", "0:50", "2:30"}, 29},
		{"set, for the first shot", `{"verb": "hold", "segment": 3}, {"verb": "auto_fire", "target": "zog", "rounds": 2}`, nil, []string{"3:90", "3:50"}, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(c.settings, who("ann", "a", "C3", "agi=10", "skills.one_handed_missile=60", "weapon=submachine_gun,range_modifier:0"), who("zog", "b", "Z3", "hp=50")))
			b := fought(t, w, 1, 6, map[game.ID]string{"ann": `{"steps": [` + c.steps + `]}`}, dice.Constant(99))
			same(t, "chances", b.chances(), c.want...)
			if got := b.after[5].fighter("ann").Weapons[0].Left; got != c.left {
				t.Errorf("%d rounds left, want %d", got, c.left)
			}
		})
	}
}

// TestAutomaticFireUntilAHit stops after the shot that hits; the rounds that were
// not fired are not spent.
func TestAutomaticFireUntilAHit(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.one_handed_missile=60", "weapon=submachine_gun,range_modifier:0"), who("zog", "b", "Z3", "hp=50")))
	b := fought(t, w, 1, 6, map[game.ID]string{"ann": `{"steps": [{"verb": "auto_fire", "target": "zog", "until": {"kind": "hit", "object": "zog"}}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {99, 99, 99, 99, 99, 99, 20}}, dice.Constant(1)))
	if got := len(b.chances()); got != 7 {
		t.Errorf("%d shots, want 7", got)
	}
	if a := b.after[5].fighter("ann"); a.Weapons[0].Left != 25 || a.Steps != nil {
		t.Errorf("%d rounds left, %d steps to go", a.Weapons[0].Left, len(a.Steps))
	}
}

// TestMissileAdjustments is the chart of 5.4.
func TestMissileAdjustments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		ann, zog []string
		bob      string // a comrade of Ann's
		want     int
	}{
		{name: "none", want: 60},
		{name: "prone", zog: []string{"posture=prone"}, want: 40},
		{name: "small", zog: []string{"size=small"}, want: 50},
		{name: "huge", zog: []string{"size=huge"}, want: 80},
		{name: "dark", settings: []string{"light=darkness"}, want: 20},
		{name: "behind a shield", zog: []string{"weapon=large_shield"}, want: 45},
		{name: "but not from behind, of which he is unaware", zog: []string{"weapon=large_shield", "facing=E"}, want: 70},
		{name: "off hand", ann: []string{"handed=right"}, want: 60},
		{name: "surprised", zog: []string{"surprised=true"}, want: 70},
		{name: "in a fight with a friend", bob: "L3", want: 40},
		{name: "a friend farther off", bob: "L8", want: 60},
	} {
		people := []game.Combatant{
			who("ann", "a", "C3", append([]string{"skills.one_handed_missile=60", "weapon=luger,range_modifier:0"}, c.ann...)...),
			who("zog", "b", "M3", append([]string{"hp=50"}, c.zog...)...),
		}
		if c.bob != "" {
			people = append(people, who("bob", "a", c.bob))
		}
		b := fought(t, world(t, field(c.settings, people...)), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`}, dice.Constant(99))
		if got := b.event(t, "ann/s0").Numbers["chance"]; got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestAShotGoesAstray into a fight hand to hand: a miss by no more than 20 is
// rolled once more at the friend (5.4).
func TestAShotGoesAstray(t *testing.T) {
	t.Parallel()
	for roll, want := range map[int]int{40: 50, 41: 50 - 4, 60: 50 - 4, 61: 50} {
		w := world(t, field(nil, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("bob", "a", "L3", "hp=50"), who("zog", "b", "M3", "hp=50")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {roll}, "stray/ann": {60}, "dmg/ann": {2, 2}}, dice.Constant(1)))
		if got := b.after[0].fighter("bob").HP; got != want {
			t.Errorf("%d: Bob has %d, want %d", roll, got, want)
		}
	}
}

// TestAmmunition: a bow is nocked between shots, a gun loaded when it is empty,
// as far as what is carried goes.
func TestAmmunition(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.archery=60", "weapon=bow,loaded:true", "item=ammo,count:1"), who("zog", "b", "M3", "hp=50")))
	b := fought(t, w, 1, 40, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}, {"verb": "fire", "target": "zog"}, {"verb": "fire", "target": "zog"}]}`}, dice.Constant(99))
	same(t, "shots at", b.chances(), "0:70", "9:70") // nocked from 0 to 5, prepared to 9
	last := b.events[len(b.events)-1]
	if last.Outcome != "impossible" || last.Reason != "out_of_ammunition" {
		t.Errorf("at the end: %s %s", last.Outcome, last.Reason)
	}
}

// TestAShotgunThinsOut: a die less for each half of its range, and both barrels
// are rolled by themselves (5.9).
func TestAShotgunThinsOut(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "A3", "skills.two_handed_missile=60", "weapon=shotgun"), who("zog", "b", "AJ3", "hp=100")))
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog", "barrels": 2}]}`}, dice.Constant(5))
	first, second := b.event(t, "ann/s0"), b.event(t, "ann/s0.2")
	if first.Numbers["damage"] != 10 || second.Numbers["damage"] != 10 || first.Numbers["chance"] != 60 {
		t.Errorf("at 35 yd: damage %d and %d, chance %d; want two dice of 5 each, at 60", first.Numbers["damage"], second.Numbers["damage"], first.Numbers["chance"])
	}
	if a := b.after[0].fighter("ann"); a.Weapons[0].Left != 0 || b.after[0].fighter("zog").HP != 80 {
		t.Errorf("%d rounds left, he has %d", a.Weapons[0].Left, b.after[0].fighter("zog").HP)
	}
}

// TestGrenades: damage by zones, armor for each, and the rolls for footing EX1 and
// EX2; a miss lands elsewhere (8.4).
func TestGrenades(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil,
		who("ann", "a", "A3", "skills.thrown=60", "weapon=grenade"),
		who("zog", "b", "M3", "agi=12", "hp=100"), who("yaz", "b", "M9", "agi=12", "str=12", "hp=100", `armor="leather"`), who("far", "b", "AA3", "hp=100")))
	source := dice.NewScripted(map[string][]int{"hit/ann": {10}, "agi/zog": {8}, "agi/yaz": {12}, "dmg/ann": {5, 5, 5, 5, 5, 5}, "casualty/ann": {4, 4, 4}, "armor/yaz": {2}}, dice.Constant(1))
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-grenade", "to": [12, 2]}]}`}, source)
	got := map[game.ID]string{}
	for _, f := range b.after[0].Fighters {
		got[f.ID] = fmt.Sprint(f.HP, " ", f.Posture)
	}
	for id, want := range map[game.ID]string{"zog": "70 prone", "yaz": "90 stand", "far": "100 stand"} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	if f := source.Faults(); len(f) > 0 {
		t.Error(f)
	}
	missed := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-grenade", "to": [12, 2]}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {99}, "scatter/ann": {5}, "direction/ann": {7}}, dice.Constant(1)))
	// Half of twelve yards to the west: out of the kill zone of all.
	if got := missed.event(t, "zog/ann/s0.e").Numbers["damage"]; got != 3 {
		t.Errorf("a miss costs him %d, want three dice of 1", got)
	}
}
