package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

func wrestlers(t testing.TB, zog ...string) *World {
	return world(t, field(nil,
		who("ann", "a", "C3", "agi=10", "str=10", "hp=50", "skills.wrestling=60", "skills.judo=50"),
		who("zog", "b", "D3", append([]string{"agi=10", "str=10", "hp=50", "skills.wrestling=40", "skills.one_handed=60"}, zog...)...)))
}

// TestHolds are the rows of 10.2 with their modifiers and effects.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hold   string
		first  string // a hold that is on already
		zog    []string
		chance int
		dice   map[string][]int
		want   string // holds, posture, hit points
	}{
		{hold: "grab", chance: 70, want: "[{ann grab}] stand 50"},
		{hold: "arm_hold", chance: 60, want: "[{ann arm_hold}] stand 50"},
		{hold: "leg_hold", chance: 50, dice: map[string][]int{"agi/zog": {11}}, want: "[{ann leg_hold}] prone 50"},
		{hold: "trip", chance: 70, want: "[] prone 50"},
		{hold: "throw_down", chance: 50, dice: map[string][]int{"dmg/ann": {3}}, want: "[] prone 47"},
		{hold: "disarm", chance: 40, zog: []string{"weapon=dagger"}, want: "[] stand 50"},
		{hold: "head_lock", chance: 40, want: "[{ann head_lock}] stand 50"},
		{hold: "bear_hug", chance: 40, dice: map[string][]int{"dmg/ann": {2}}, want: "[{ann bear_hug}] stand 48"},
		{hold: "full_pin", first: "grab", chance: 30 + 20, want: "[{ann grab} {ann full_pin}] stand 50"},
		{hold: "break_limb", first: "arm_hold", chance: 40 + 20, dice: map[string][]int{"dmg/ann": {4}}, want: "[{ann arm_hold}] stand 46"},
		{hold: "sweep", chance: 70, want: "[] prone 50"},
		{hold: "judo_throw", chance: 50, dice: map[string][]int{"dmg/ann": {6}}, want: "[] prone 44"},
		{hold: "judo_throw", chance: 50, zog: []string{"skills.judo=60"}, dice: map[string][]int{"dmg/ann": {6}, "breakfall/zog": {60}}, want: "[] prone 47"},
		{hold: "judo_throw", chance: 50, zog: []string{"skills.judo=30"}, dice: map[string][]int{"dmg/ann": {6}, "breakfall/zog": {10}}, want: "[] prone 47"},
		{hold: "throw_down", chance: 50, zog: []string{"skills.judo=60"}, dice: map[string][]int{"dmg/ann": {3}, "breakfall/zog": {60}}, want: "[] prone 49"},
		{hold: "joint_lock", chance: 40, want: "[{ann joint_lock}] stand 50"},
		{hold: "break_limb", first: "joint_lock", chance: 60 + 20, dice: map[string][]int{"dmg/ann": {4}}, want: "[{ann joint_lock}] stand 46"},
	} {
		t.Run(c.hold, func(t *testing.T) {
			t.Parallel()
			w := wrestlers(t, c.zog...)
			if c.first != "" {
				w.fighter("zog").Held = []HeldBy{{By: "ann", Hold: c.first}}
			}
			script := map[string][]int{"hit/ann": {20}}
			for k, v := range c.dice {
				script[k] = v
			}
			source := dice.NewScripted(script, dice.Constant(1))
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog", "kind": "` + c.hold + `"}]}`}, source)
			z := b.after[0].fighter("zog")
			if got := fmt.Sprint(z.Held, " ", z.Posture, " ", z.HP); got != c.want || b.event(t, "ann/s0").Numbers["chance"] != c.chance {
				t.Errorf("%s at %d, want %s at %d", got, b.event(t, "ann/s0").Numbers["chance"], c.want, c.chance)
			}
			if c.hold == "disarm" && z.Weapons[0].State != "on_ground" {
				t.Errorf("his dagger is %s", z.Weapons[0].State)
			}
			if c.hold == "break_limb" && fmt.Sprint(z.Broken) != "[{main_arm 4 0 false}]" {
				t.Errorf("broken: %v", z.Broken)
			}
			if f := source.Faults(); len(f) > 0 {
				t.Error(f)
			}
		})
	}
}

// TestWhatAHoldNeeds: both hands empty, and for some another hold first.
func TestWhatAHoldNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ann, hold, reason string }{
		{"weapon=dagger", "grab", "hands_full"}, {"agi=10", "full_pin", "illegal_option"}, {"agi=10", "break_limb", "illegal_option"},
		{"agi=10", "counter_throw", "illegal_option"}, {"agi=10", "tickle", "illegal_option"},
	} {
		w := world(t, field(nil, who("ann", "a", "C3", "skills.wrestling=60", c.ann), who("zog", "b", "D3")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog", "kind": "` + c.hold + `"}]}`}, dice.Constant(1))
		if ev := b.event(t, "ann/s0.x"); ev.Reason != c.reason {
			t.Errorf("%s with %s: %s, want %s", c.hold, c.ann, ev.Reason, c.reason)
		}
	}
}

// TestAParryOnAWrestler is an attack on his body and foils the grapple (10.1, A56);
// a wrestling parry catches the arm of who strikes.
func TestAParryOnAWrestler(t *testing.T) {
	t.Parallel()
	b := fought(t, wrestlers(t, "weapon=dagger"), 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog"}]}`, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {20}, "parry/zog": {30}, "dmg/zog": {5}}, dice.Constant(1)))
	if a, z := b.after[0].fighter("ann"), b.after[0].fighter("zog"); a.HP != 45 || z.Held != nil || z.Weapons[0].Broken {
		t.Errorf("Ann has %d, Zog is held: %v", a.HP, z.Held)
	}
	caught := fought(t, world(t, field(nil, who("ann", "a", "C3", "hp=50", "skills.one_handed=60", "weapon=dagger"), who("zog", "b", "D3", "hp=50", "skills.wrestling=50"))), 1, 1,
		map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy", "weapon": "bare"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {20}, "parry/zog": {30}}, dice.Constant(1)))
	if a, z := caught.after[0].fighter("ann"), caught.after[0].fighter("zog"); z.HP != 50 || fmt.Sprint(a.Held) != "[{zog arm_hold}]" {
		t.Errorf("Zog has %d, Ann is held: %v", z.HP, a.Held)
	}
}

// TestBreakingFree is an opposed roll: the greater difference, and a tie holds.
func TestBreakingFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mine, theirs int
		free         bool
	}{{20, 41, true}, {20, 40, false}, {20, 61, true}, {41, 99, false}} {
		w := wrestlers(t)
		w.fighter("zog").Held = []HeldBy{{By: "ann", Hold: "grab"}}
		b := fought(t, w, 1, 1, map[game.ID]string{"zog": `{"steps": [{"verb": "break_free"}]}`},
			dice.NewScripted(map[string][]int{"escape/zog": {c.mine}, "escape/ann": {c.theirs}}, dice.Constant(1)))
		if z := b.after[0].fighter("zog"); (z.Held == nil) != c.free || z.LastAction != 0 {
			t.Errorf("%d against %d: held %v", c.mine, c.theirs, z.Held)
		}
	}
}

// TestWhoIsHeld cannot walk off, strike with a held arm, or breathe when choked.
func TestWhoIsHeld(t *testing.T) {
	t.Parallel()
	w := wrestlers(t, "weapon=dagger")
	z := w.fighter("zog")
	z.Held = []HeldBy{{By: "ann", Hold: "arm_hold"}, {By: "ann", Hold: "choke"}}
	b := fought(t, w, 1, 3, map[game.ID]string{"zog": `{"steps": [{"verb": "move", "direction": "E"}, {"verb": "melee", "target": "ann"}]}`}, dice.Constant(1))
	if b.event(t, "zog/s0.x").Reason != "held" || b.event(t, "zog/s0.x.2").Reason != "held" {
		t.Errorf("he is not hindered: %s", b.refs())
	}
	if got := b.after[2].fighter("zog").Suff; got != 500-30 {
		t.Errorf("%d suffocation points left, want 470", got)
	}
	let := fought(t, b.after[2], 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "release"}]}`}, dice.Constant(1))
	if got := let.after[3].fighter("zog").Held; got != nil {
		t.Errorf("released, and held: %v", got)
	}
}

// TestCounterThrow is judo in place of a parry (10.2): the attack comes to nothing,
// and whoever made it is thrown.
func TestCounterThrow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		ann, zog []string
		plan     string // of Ann, who attacks
		hit      int
		throw    int
		want     string // Ann's posture and hit points, Zog's hit points
		chance   int    // 0: it is not made
	}{
		{name: "a blow", hit: 50, throw: 40, want: "prone 45 50", chance: 40},
		{name: "it fails", hit: 50, throw: 41, want: "stand 50 46", chance: 40},
		{name: "a critical blow is only softened", hit: 5, throw: 40, want: "stand 50 46", chance: 40},
		{name: "a critical throw", hit: 5, throw: 4, want: "prone 45 50", chance: 40},
		{name: "a hold", ann: []string{"skills.wrestling=60"}, plan: `{"steps": [{"verb": "wrestle", "target": "zog"}]}`, hit: 50, throw: 40, want: "prone 45 50", chance: 40},
		{name: "who knows how to fall", ann: []string{"skills.judo=10", "weapon=dagger"}, hit: 50, throw: 40, want: "prone 48 50", chance: 40},
		{name: "not with a weapon in hand", zog: []string{"weapon=dagger"}, hit: 50, want: "stand 50 46"},
		{name: "not without judo", zog: []string{"skills.judo=0"}, hit: 50, want: "stand 50 46"},
		{name: "not from behind", zog: []string{"facing=E"}, hit: 50, want: "stand 50 46"},
		{name: "from the flank", zog: []string{"facing=S"}, hit: 50, throw: 30, want: "prone 45 50", chance: 30},
		{name: "nor at a missile", ann: []string{"skills.thrown=60", "weapon=throwing_knife"}, plan: `{"steps": [{"verb": "throw", "target": "zog"}]}`, hit: 50, want: "stand 50 46"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.ann == nil {
				c.ann = []string{"weapon=dagger"}
			}
			if c.plan == "" {
				c.plan = strike
			}
			w := world(t, field(nil,
				who("ann", "a", "C3", append([]string{"agi=10", "str=10", "hp=50", "skills.one_handed=60"}, c.ann...)...),
				who("zog", "b", "D3", append([]string{"agi=10", "str=10", "hp=50", "skills.judo=50"}, c.zog...)...)))
			script := map[string][]int{"hit/ann": {c.hit}, "dmg/ann": {4}, "breakfall/ann": {10}}
			if c.throw > 0 {
				script["parry/zog"], script["dmg/zog"] = []int{c.throw}, []int{5}
			}
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": c.plan, "zog": `{"standing": [{"verb": "counter_throw"}]}`}, dice.NewScripted(script, dice.Constant(1)))
			a, z := b.after[0].fighter("ann"), b.after[0].fighter("zog")
			if got := fmt.Sprint(a.Posture, " ", a.HP, " ", z.HP); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if c.chance == 0 {
				return
			}
			ev := b.event(t, "zog/ann/s0")
			if ev.Numbers["chance"] != c.chance || ev.Rule != "10.2" {
				t.Errorf("chance %d by %s, want %d", ev.Numbers["chance"], ev.Rule, c.chance)
			}
			if thrown := a.Posture == "prone"; thrown != (a.Shift == 2) || thrown != (a.At != w.fighter("ann").At) || thrown && z.Held != nil {
				t.Errorf("Ann at %v, ready %d segments later; holds: %v", a.At, a.Shift, z.Held)
			}
		})
	}
}
