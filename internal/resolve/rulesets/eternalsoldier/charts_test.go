package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestTheCriticalChart is each row of 4.8: a long sword that rolls 5 and 5, and an
// attacker without a strength bonus.
func TestTheCriticalChart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		roll  int
		dice  map[string][]int
		loses int
		after func(ann, zog *Fighter) any
		want  any
	}{
		{20, map[string][]int{"extra/ann": {4}}, 14, nil, nil},
		{21, nil, 16, nil, nil},
		{45, nil, 20, nil, nil},
		{55, map[string][]int{"agi/zog": {11}}, 10, func(_, z *Fighter) any { return z.Posture }, "prone"},
		{55, map[string][]int{"agi/zog": {10}}, 10, func(_, z *Fighter) any { return z.Posture }, "stand"},
		{56, map[string][]int{"arm/zog": {1}}, 10, func(_, z *Fighter) any { return fmt.Sprint(z.Broken, " ", z.Weapons[0].State) }, "[{main_arm 10 0 false}] on_ground"},
		{63, map[string][]int{"arm/zog": {2}}, 10, func(_, z *Fighter) any { return fmt.Sprint(z.Broken, " ", z.Weapons[0].State) }, "[{off_arm 10 0 false}] in_hand"},
		{64, nil, 10, func(_, z *Fighter) any { return fmt.Sprint(z.Broken, " ", z.Posture) }, "[{leg 10 0 false}] prone"},
		{78, nil, 10, func(a, _ *Fighter) any { return a.Shift }, -2},
		{79, nil, 10, func(_, z *Fighter) any { return z.Weapons[0].State }, "on_ground"},
		{91, nil, 10, func(_, z *Fighter) any { return z.Shift }, 3},
		{95, nil, 10, nil, nil},
		{98, nil, 10, func(_, z *Fighter) any { return z.StunnedTo }, 10},
		{100, nil, 30, nil, nil},
	} {
		t.Run(fmt.Sprint(c.roll, c.want), func(t *testing.T) {
			t.Parallel()
			script := map[string][]int{"hit/ann": {3}, "crit/ann": {c.roll}, "dmg/ann": {5, 5}}
			for k, v := range c.dice {
				script[k] = v
			}
			source := dice.NewScripted(script, dice.Constant(1))
			b := fought(t, duel(t, nil, "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike}, source)
			ann, zog := b.after[0].fighter("ann"), b.after[0].fighter("zog")
			if got := 100 - zog.HP; got != c.loses {
				t.Errorf("he loses %d, want %d", got, c.loses)
			}
			if c.after != nil && c.after(ann, zog) != c.want {
				t.Errorf("%v, want %v", c.after(ann, zog), c.want)
			}
			if f := source.Faults(); len(f) > 0 && c.roll != 21 { // which rolls no damage
				t.Error(f)
			}
		})
	}
}

// TestArmorDoesNotCountForSomeCriticals alone.
func TestArmorDoesNotCountForSomeCriticals(t *testing.T) {
	t.Parallel()
	for roll, want := range map[int]int{78: 10 - 4, 92: 10} {
		b := fought(t, duel(t, nil, `armor="chain_mail"`), 1, 1, map[game.ID]string{"ann": strike},
			dice.NewScripted(map[string][]int{"hit/ann": {3}, "crit/ann": {roll}, "dmg/ann": {5, 5}}, dice.Constant(2)))
		if got := 100 - b.after[0].fighter("zog").HP; got != want {
			t.Errorf("critical %d: he loses %d, want %d", roll, got, want)
		}
	}
}

// TestTheFumbleChart is each row of 4.8.
func TestTheFumbleChart(t *testing.T) {
	t.Parallel()
	sword := func(f *Fighter) *Weapon { return &f.Weapons[0] }
	for _, c := range []struct {
		roll int
		dice map[string][]int
		bob  bool // another stands beside
		got  func(ann, bob *Fighter) any
		want any
	}{
		{roll: 30, got: func(a, _ *Fighter) any { return sword(a).State }, want: "on_ground"},
		{roll: 55, got: func(a, _ *Fighter) any { return a.Posture }, want: "prone"},
		{roll: 70, got: func(a, _ *Fighter) any { return a.Shift }, want: 3},
		{roll: 80, got: func(a, _ *Fighter) any { return sword(a).Stuck }, want: true},
		{roll: 87, dice: map[string][]int{"flies/ann": {4, 3}, "direction/ann": {3}}, got: func(a, _ *Fighter) any { return sword(a).Place.minus(a.At) }, want: Point{7 * foot, 0}},
		{roll: 93, dice: map[string][]int{"other/ann": {85}, "dmg/ann": {4, 4}}, bob: true, got: func(_, b *Fighter) any { return b.HP }, want: 92},
		{roll: 93, dice: map[string][]int{"other/ann": {86}}, bob: true, got: func(_, b *Fighter) any { return b.HP }, want: 100},
		{roll: 93, got: func(a, _ *Fighter) any { return a.HP }, want: 100},
		{roll: 97, dice: map[string][]int{"dmg/ann": {4, 5}}, got: func(a, _ *Fighter) any { return a.HP }, want: 96},
		{roll: 98, got: func(a, _ *Fighter) any { return sword(a).Broken }, want: true},
	} {
		t.Run(fmt.Sprint(c.roll, c.want), func(t *testing.T) {
			t.Parallel()
			w := duel(t, nil, "weapon=long_sword")
			if c.bob {
				w = world(t, field(nil, who("ann", "a", "C3", "hp=100", "skills.one_handed=70", "weapon=long_sword"), who("bob", "a", "C4", "hp=100"), who("zog", "b", "D3", "hp=100")))
			}
			script := map[string][]int{"hit/ann": {100}, "fumble/ann": {c.roll}}
			for k, v := range c.dice {
				script[k] = v
			}
			source := dice.NewScripted(script, dice.Constant(1))
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, source)
			if got := c.got(b.after[0].fighter("ann"), b.after[0].fighter("bob")); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			if f := source.Faults(); len(f) > 0 {
				t.Error(f)
			}
		})
	}
}

// TestAFumbledDodgeIsAFall, whatever the chart says of weapons.
func TestAFumbledDodgeIsAFall(t *testing.T) {
	t.Parallel()
	for roll, want := range map[int]string{10: "prone", 90: "prone", 60: "stand"} {
		b := fought(t, duel(t, nil, "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "dodge_policy"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {50}, "dodge/zog": {100}, "fumble/zog": {roll}}, dice.Constant(1)))
		z := b.after[0].fighter("zog")
		if z.Posture != want || z.Weapons[0].State != "in_hand" {
			t.Errorf("%d: he is in posture %s, the sword %s", roll, z.Posture, z.Weapons[0].State)
		}
	}
}

// TestACriticalDefenceMakesQuick by two segments.
func TestACriticalDefenceMakesQuick(t *testing.T) {
	t.Parallel()
	b := fought(t, duel(t, nil, "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "parry/zog": {7}}, dice.Constant(1)))
	if got := b.ready(t, 0, "zog", "zog-long_sword"); got != 7-2 {
		t.Errorf("he is ready in %d, want 5", got)
	}
}

// TestAStuckWeaponIsFreedFirst, as an action of class VIII.
func TestAStuckWeaponIsFreedFirst(t *testing.T) {
	t.Parallel()
	w := duel(t, nil)
	w.fighter("ann").Weapons[0].Stuck = true
	b := fought(t, w, 1, 16, map[game.ID]string{"ann": strike}, dice.Constant(50))
	if ev := b.event(t, "ann/s0.b"); ev.Outcome != "free_weapon" || ev.Numbers["done_at"] != 8 {
		t.Errorf("%s, done at %d", ev.Outcome, ev.Numbers["done_at"])
	}
	b.event(t, "ann/s15") // and ready with it seven segments later
}

// TestParriesBreakWeapons is 4.7, with what is left over meeting armor (A34).
func TestParriesBreakWeapons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		zog      []string
		dmg      []int
		broken   bool
		loses    int
	}{
		{"a foil holds 8", nil, []string{"weapon=foil"}, []int{4, 4}, false, 0},
		{"and breaks at 11 (B10)", nil, []string{"weapon=foil"}, []int{5, 6}, true, 3},
		{"a medium shield holds 20", nil, []string{"weapon=medium_shield"}, []int{8, 8}, false, 0},
		{"mail takes its part of the rest", nil, []string{"weapon=foil", `armor="chain_mail"`}, []int{5, 6}, true, 1},
		{"or does not", []string{"armor_on_leftover=false"}, []string{"weapon=foil", `armor="chain_mail"`}, []int{5, 6}, true, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := fought(t, duel(t, c.settings, c.zog...), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
				dice.NewScripted(map[string][]int{"hit/ann": {50}, "parry/zog": {20}, "dmg/ann": c.dmg, "armor/zog": {1, 1}}, dice.Constant(1)))
			z := b.after[0].fighter("zog")
			if z.Weapons[0].Broken != c.broken || 100-z.HP != c.loses {
				t.Errorf("broken %v, loses %d; want %v, %d", z.Weapons[0].Broken, 100-z.HP, c.broken, c.loses)
			}
		})
	}
}

// TestAR9: armor that stops more than the damage leaves nothing, not less.
func TestAR9(t *testing.T) {
	t.Parallel()
	b := fought(t, duel(t, nil, `armor="chain_mail"`), 1, 1, map[game.ID]string{"ann": strike},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {2, 2}, "armor/zog": {4, 3}}, dice.Constant(1)))
	if ev := b.event(t, "zog/ann/s0.e"); ev.Numbers["damage"] != 0 || b.after[0].fighter("zog").HP != 100 {
		t.Errorf("damage %d, hit points %d", ev.Numbers["damage"], b.after[0].fighter("zog").HP)
	}
}

// TestStrengthInBlows is 1.2: unarmed and melee, half for a punch in the first
// kind of powered armor, nothing for missiles.
func TestStrengthInBlows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		str      string
		weapon   game.ID
		armor    string
		want     int
	}{
		{"a sword", nil, "18", "ann-long_sword", "", 4},
		{"a weak arm", nil, "3", "ann-long_sword", "", -4},
		{"a fist", nil, "18", "bare", "", 4},
		{"a knife thrown", nil, "18", "ann-throwing_knife", "", 0},
		{"where that counts", []string{"str_bonus_applies=unarmed_melee_thrown"}, "18", "ann-throwing_knife", "", 4},
		{"where swords do not", []string{"str_bonus_applies=unarmed"}, "18", "ann-long_sword", "", 0},
		{"nowhere", []string{"str_bonus_applies=none"}, "18", "bare", "", 0},
		{"a punch in powered armor", nil, "10", "bare", "powered", 12},
		{"a sword in it", nil, "10", "ann-long_sword", "powered", 25},
		{"a punch in the improved kind", nil, "10", "bare", "powered_improved", 25},
	} {
		keys := []string{"str=" + c.str, "weapon=long_sword", "weapon=throwing_knife"}
		if c.armor != "" {
			keys = append(keys, "armor="+c.armor)
		}
		w := world(t, field(c.settings, who("ann", "a", "C3", keys...), who("zog", "b", "D3")))
		e := &engine{rules: rules{ruleset(t).t, w.Settings}}
		a, ok := e.arm(w.fighter("ann"), c.weapon, c.weapon == "ann-throwing_knife")
		if !ok {
			t.Fatalf("%s: no %s", c.name, c.weapon)
		}
		if got := e.strengthLine(w.fighter("ann"), a); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestChartsAreTold: the report says what a critical or a fumble came to.
func TestChartsAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hit, crit, fumble int
		weapon            string
		want              string
	}{
		{2, 75, 0, "ann-long_sword", "a critical hit: attack two segments early next time."},
		{99, 0, 10, "ann-long_sword", "a fumble: drops the weapon."},
		{99, 0, 40, "ann-long_sword", "a fumble: falls."},
		{99, 0, 10, "bare", "a fumble, but there is no weapon to lose."},
		{99, 0, 99, "bare", "a fumble: a bone in the hand breaks."},
	} {
		b := fought(t, duel(t, nil, "hp=99"), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "weapon": "` + c.weapon + `", "target": "zog"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {c.hit}, "crit/ann": {c.crit}, "fumble/ann": {c.fumble}}, dice.Constant(1)))
		ev := b.event(t, "ann/s0")
		for _, who := range []game.Grade{game.All, game.Own, game.Seen} {
			if !strings.HasSuffix(ev.Text[who], c.want) {
				t.Errorf("%s: %s", who, ev.Text[who])
			}
		}
	}
	zog := fought(t, duel(t, nil, "hp=99", "skills.defense=40"), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "dodge_policy"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "dodge/zog": {100}, "fumble/zog": {10}}, dice.Constant(1)))
	if ev := zog.event(t, "zog/ann/s0"); !strings.HasSuffix(ev.Text[game.All], ": a fumble, and falls.") {
		t.Errorf("%s", ev.Text[game.All])
	}
}
