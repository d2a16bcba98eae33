package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestAnArmThatWasNotSet is slower and clumsier in what it does, and in nothing
// else (7.5).
func TestAnArmThatWasNotSet(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "str=10", "agi=15", "dex=10", "points.one_handed=10", "points.defense=4", "weapon=long_sword", "weapon=dagger"), who("zog", "b", "D3")))
	a := w.fighter("ann")
	a.InjuredM = 5
	r := rules{book(t).tables, nil}
	sword, _ := r.arm(a, "ann-long_sword", false)
	dagger, _ := r.arm(a, "ann-dagger", false)
	a.LastAction = 0
	if got := fmt.Sprint(r.readyWith(a, sword, 0), r.readyWith(a, dagger, 0), r.readyToDodge(a, 0), r.agile(a)); got != "7 4 3 15" {
		t.Errorf("ready with the sword, the dagger, to dodge; agility: %s", got)
	}
	if got := fmt.Sprint(r.percentWith(a, "one_handed", "main"), r.percentWith(a, "one_handed", "off"), r.percent(a, "defense")); got != "50 60 30" {
		t.Errorf("percents: %s", got)
	}
	b := fought(t, w, 1, 8, map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 7}, {"verb": "melee", "weapon": "ann-long_sword", "target": "zog"}]}`}, dice.Constant(99))
	if ev := b.event(t, "ann/s7"); ev.Numbers["chance"] != 50+15 {
		t.Errorf("her blow is at %d", ev.Numbers["chance"])
	}
}

// TestLimbsOfNoUse: who has broken what cannot strike with it (7.5).
func TestLimbsOfNoUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		broken []string
		weapon string
		chance int
		text   string
	}{
		{"a fist", nil, "bare", 60, ""},
		{"the other fist", []string{"main_arm"}, "bare", 60 - 10, ""},
		{"no fist", []string{"main_arm", "off_arm"}, "bare", 0, "Ann cannot strike: both arms are broken."},
		{"a kick", []string{"main_arm", "off_arm"}, "kick", 60 - 5, ""},
		{"no kick", []string{"leg"}, "kick", 0, "Ann cannot kick: the leg is broken."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.hand_to_hand=60"), who("zog", "b", "D3")))
			for _, limb := range c.broken {
				w.fighter("ann").Broken = append(w.fighter("ann").Broken, Bone{Limb: limb, Points: 3})
			}
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "weapon": "` + c.weapon + `", "target": "zog"}]}`}, dice.Constant(99))
			if c.text != "" {
				if ev := b.event(t, "ann/s0.x"); ev.Text[game.All] != c.text {
					t.Errorf("%s", ev.Text[game.All])
				}
				return
			}
			if ev := b.event(t, "ann/s0"); ev.Numbers["chance"] != c.chance {
				t.Errorf("at %d, want %d", ev.Numbers["chance"], c.chance)
			}
		})
	}
}

// TestWhoCannotMoveIsHit without a roll: agility 0 is helpless (4.4, 7.7).
func TestWhoCannotMoveIsHit(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "agi=4", "weapon=long_sword")
	w.fighter("zog").Lame = 4
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}, {"verb": "dodge_policy"}]}`}, dice.Constant(2))
	if ev := b.event(t, "ann/s0"); ev.Outcome != hit || ev.Numbers["roll"] != 0 {
		t.Errorf("%s, roll %d", ev.Outcome, ev.Numbers["roll"])
	}
}

// TestTheHandsOfAHolder are full: he draws nothing and strikes with no fist (10.2).
func TestTheHandsOfAHolder(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{
		`{"verb": "ready", "action": "draw", "item": "ann-dagger"}`:                 "Ann has no hand free for the dagger.",
		`{"verb": "melee", "weapon": "bare", "target": "zog"}`:                      "Ann has both hands in a hold.",
		`{"verb": "release"}, {"verb": "melee", "weapon": "bare", "target": "zog"}`: "",
		`{"verb": "melee", "weapon": "kick", "target": "zog"}`:                      "",
	} {
		w := world(t, field(nil, who("ann", "a", "C3", "skills.hand_to_hand=60", "weapon=dagger:belt"), who("zog", "b", "D3")))
		w.fighter("zog").Held = []HeldBy{{"ann", "grab"}}
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [` + order + `]}`}, dice.Constant(99))
		got := ""
		for _, ev := range b.events {
			if ev.Outcome == "impossible" {
				got = ev.Text[game.All]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", order, got, want)
		}
	}
}

// TestStunAndWill is the further option of 9.1: the margin of a will roll shortens
// the stun, or lengthens it.
func TestStunAndWill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		roll     int
		until    int
		text     string
	}{
		{[]string{"stun_from_damage=true"}, 0, 7, "Zog is stunned for 7 segments."},
		{[]string{"stun_from_damage=true", "stun_will_roll=true"}, 8, 3, "Zog is stunned for 3 segments."},
		{[]string{"stun_from_damage=true", "stun_will_roll=true"}, 15, 10, "Zog is stunned for 10 segments."},
		{[]string{"stun_from_damage=true", "stun_will_roll=true"}, 2, 0, "Zog shakes it off."},
		{nil, 0, 0, ""},
		{[]string{"stun_will_roll=true"}, 0, 0, ""}, // nothing to shorten
	} {
		w := duel(t, c.settings, "hp=50", "will=12", "weapon=long_sword")
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {3, 4}, "stun/zog": {c.roll}}, dice.Constant(1)))
		if got := b.after[0].fighter("zog").StunnedTo; got != c.until {
			t.Errorf("%v, %d: until %d, want %d", c.settings, c.roll, got, c.until)
		}
		if c.text != "" && b.event(t, "zog/s0.z").Text[game.All] != c.text {
			t.Errorf("%v: %s", c.settings, b.event(t, "zog/s0.z").Text[game.All])
		}
	}
}

// TestOpposedCombat is 9.2: a parry or dodge must beat the difference of the blow,
// also a critical one; ties favour the attacker.
func TestOpposedCombat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting    string
		hit, parry int
		want       string
	}{
		{"false", 20, 70, "success"}, // 85 - 20 = 65 against 75 - 70 = 5
		{"true", 20, 70, miss},
		{"true", 60, 49, "success"}, // 25 against 26
		{"true", 60, 50, miss},      // a tie
		{"true", 9, 3, miss},        // 76 against 72, though a critical
		{"true", 60, 3, critical},
	} {
		w := duel(t, []string{"opposed_combat=" + c.setting}, "hp=99", "skills.one_handed=60", "weapon=long_sword")
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {c.hit}, "parry/zog": {c.parry}}, dice.Constant(1)))
		ev := b.event(t, "zog/ann/s0")
		if ev.Outcome != c.want {
			t.Errorf("%s: %d against %d: %s, want %s", c.setting, c.hit, c.parry, ev.Outcome, c.want)
		}
		if told := strings.Contains(fmt.Sprint(ev.Lines), "Skill roll difference"); told != (c.setting == "true") {
			t.Errorf("%s: %v", c.setting, ev.Lines)
		}
	}
}

// TestNothingBurnsNothing: ablative armor is marked only by a hit of which its
// column stops something (8.1).
func TestNothingBurnsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weapon string
		dmg    []int
		hits   int
	}{{"laser_pistol", []int{3, 3, 3}, 5}, {"luger", []int{3, 3}, 4}} {
		w := world(t, field(nil, who("ann", "a", "C3", "skills.one_handed_missile=90", "weapon="+c.weapon), who("zog", "b", "F3", "hp=50", `armor="ablative"`)))
		w.fighter("zog").Armor[0].Hits = 4
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": c.dmg}, dice.Constant(1)))
		if got := b.after[0].fighter("zog").Armor[0].Hits; got != c.hits {
			t.Errorf("%s: %d, want %d", c.weapon, got, c.hits)
		}
		if thin := strings.Contains(fmt.Sprint(b.event(t, "zog/ann/s0.e").Lines), "is thinner by a die"); thin != (c.hits == 5) {
			t.Errorf("%s: %v", c.weapon, b.event(t, "zog/ann/s0.e").Lines)
		}
	}
}

// TestFallsAndCollisions: dice by feet and by miles an hour, a die less by agility,
// half of the rest by who has learnt to fall (7.8, 10.2).
func TestFallsAndCollisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set    string
		keys   []string
		script map[string][]int
		loses  int
	}{
		{"FALL 45", nil, map[string][]int{"agi/zog": {11}, "fall/zog": {4, 4, 4}}, 12},
		{"FALL 45", nil, map[string][]int{"agi/zog": {10}, "fall/zog": {4, 4}}, 8},
		{"FALL 14", nil, map[string][]int{"agi/zog": {11}}, 0},
		{"FALL 45", []string{"skills.judo=60"}, map[string][]int{"agi/zog": {11}, "fall/zog": {4, 4, 5}, "breakfall/zog": {60}}, 6},
		{"FALL 45", []string{"skills.judo=60"}, map[string][]int{"agi/zog": {11}, "fall/zog": {4, 4, 5}, "breakfall/zog": {61}}, 13},
		{"COLLIDE 30", []string{"skills.judo=60"}, map[string][]int{"fall/zog": {4, 4, 5}}, 13},
		{"FALL 45", []string{`armor="leather"`}, map[string][]int{"agi/zog": {11}, "fall/zog": {4, 4, 4}, "armor/zog": {3}}, 9},
	} {
		w := world(t, field(nil, who("zog", "b", "D3", append([]string{"agi=10", "str=12", "hp=50"}, c.keys...)...), who("ann", "a", "Z9")))
		_, z := ruled(t, w, c.script, c.set)
		if got := 50 - z.HP; got != c.loses {
			t.Errorf("%s %v %v: loses %d, want %d", c.set, c.keys, c.script, got, c.loses)
		}
	}
}

// TestTheCasualtyZoneHasHalfTheDice when nothing else is said (8.4).
func TestTheCasualtyZoneHasHalfTheDice(t *testing.T) {
	t.Parallel()
	s := field([]string{`tables.arms.weapon.bomb={"name": "bomb", "skill": "thrown", "missile": "thrown", "speed": 5, "draw": 4, "type": "explosion", "damage": "5d10", "kill_ft": 6, "casualty_ft": 20, "range": 30}`},
		who("ann", "a", "C3", "hp=90", "skills.thrown=90", "weapon=bomb"), who("zog", "b", "P3", "hp=90"))
	b := fought(t, world(t, s), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-bomb", "to": [11, 2]}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {10}, "dmg/ann": {9, 9, 9, 9, 9}, "casualty/ann": {7, 6}}, dice.Constant(1)))
	if got := 90 - b.after[0].fighter("zog").HP; got != 13 {
		t.Errorf("loses %d, want 13", got)
	}
}
