package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestWhatIsGivenUpIsAsIfNeverRolled: no round is spent, nothing has left the hand,
// and an earlier readiness is still there for the parry (2.5 step 7).
func TestWhatIsGivenUpIsAsIfNeverRolled(t *testing.T) {
	t.Parallel()
	const parry = `"standing": [{"verb": "parry_policy", "give_up_attack": true}, {"verb": "dodge_policy", "give_up_attack": true}]`
	for _, c := range []struct {
		name, plan string
		zog        []string
		last       int
		shift      int
		early      int
		want       string // state and rounds of his first weapon, his shift
	}{
		{"a shot", `{"verb": "fire", "target": "ann"}`, []string{"weapon=luger"}, longAgo, 0, 0, "in_hand 8 0"},
		{"both barrels", `{"verb": "fire", "target": "ann", "barrels": 2}`, []string{"weapon=shotgun"}, longAgo, 0, 0, "in_hand 2 0"},
		{"a throw", `{"verb": "throw", "target": "ann"}`, []string{"weapon=throwing_knife"}, longAgo, 0, 0, "in_hand 0 0"},
		{"two segments early by the chart", `{"verb": "melee", "target": "ann"}`, []string{"weapon=long_sword"}, 5, -2, 0, "in_hand 0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := duel(t, nil, append([]string{"skills.one_handed_missile=60", "skills.two_handed_missile=60", "skills.thrown=60"}, c.zog...)...)
			w.Segment = 10
			z := w.fighter("zog")
			z.LastAction, z.Shift = c.last, c.shift
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"steps": [` + c.plan + `], ` + parry + `}`}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(30)))
			if ev := b.event(t, "zog/s10"); ev.Outcome != "given_up" {
				t.Fatalf("his attack is %s", ev.Outcome)
			}
			after := b.after[10].fighter("zog")
			if got := fmt.Sprint(after.Weapons[0].State, " ", after.Weapons[0].Left, " ", after.Shift); got != c.want || b.event(t, "zog/ann/s10").Numbers["early"] != c.early {
				t.Errorf("%s, %d early; want %s, %d", got, b.event(t, "zog/ann/s10").Numbers["early"], c.want, c.early)
			}
		})
	}
}

// TestGivingUpForAnyBlow: a policy that gives an attack up for one of several blows
// does so whichever of them is the first.
func TestGivingUpForAnyBlow(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil,
		who("ann", "a", "C3", "hp=100", "skills.one_handed=70", "weapon=long_sword"), who("bob", "a", "D4", "hp=100", "skills.one_handed=70", "weapon=long_sword"),
		who("zog", "b", "D3", "hp=100", "skills.one_handed=60", "weapon=dagger", "facing=SW")))
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "bob": strike,
		"zog": `{"steps": [{"verb": "melee", "target": "ann"}], "standing": [{"verb": "parry_policy", "against": "bob", "give_up_attack": true}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "hit/bob": {50}}, dice.Constant(30)))
	if ev := b.event(t, "zog/s0"); ev.Outcome != "given_up" || b.event(t, "zog/bob/s0").Numbers["early"] != 0 {
		t.Errorf("his attack is %s, %s", ev.Outcome, b.refs())
	}
}

// TestAReactionTurnsToTheAttacker: facing is toward whom the latest reaction was
// for, from the next segment on (4.4).
func TestAReactionTurnsToTheAttacker(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "weapon=long_sword", "facing=S")
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(20)))
	if ev := b.event(t, "zog/ann/s0"); ev.Numbers["chance"] != 65 {
		t.Errorf("from the flank he parries at %d, want 65", ev.Numbers["chance"])
	}
	after := b.after[0]
	if got := b.sideOf(after.fighter("ann"), after.fighter("zog")); got != "" {
		t.Errorf("he has not turned: she is at his %s", got)
	}
}

// TestAutomaticFireAndDodging: who fires a burst dodges only by giving up the shots
// of the segment, and does not walk beside it (2.5, 5.6).
func TestAutomaticFireAndDodging(t *testing.T) {
	t.Parallel()
	for standing, want := range map[string][2]bool{
		`{"verb": "dodge_policy"}`:                         {false, true},
		`{"verb": "dodge_policy", "give_up_attack": true}`: {true, false},
	} {
		w := world(t, field(nil, who("ann", "a", "C3", "hp=50", "skills.one_handed_missile=60", "weapon=luger"),
			who("zog", "b", "H3", "hp=50", "skills.defense=90", "skills.one_handed_missile=60", "weapon=submachine_gun")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "auto_fire", "target": "ann"}], "standing": [` + standing + `]}`}, dice.Constant(99))
		dodged, fired := false, b.after[0].fighter("zog").Weapons[0].Left < 32
		for _, ev := range b.events {
			dodged = dodged || ev.Kind == "dodge"
		}
		if got := [2]bool{dodged, fired}; got != want {
			t.Errorf("%s: dodged and fired: %v, want %v", standing, got, want)
		}
	}
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.one_handed_missile=60", "weapon=submachine_gun"), who("zog", "b", "Z3")))
	b := fought(t, w, 1, 4, map[game.ID]string{"ann": `{"steps": [{"verb": "move", "direction": "N"}], "reactions": [{"when": {"kind": "count", "value": 2}, "do": [{"verb": "auto_fire", "target": "zog", "rounds": 3}]}]}`}, dice.Constant(99))
	if b.after[2].fighter("ann").At != b.after[1].fighter("ann").At || b.after[2].fighter("ann").Weapons[0].Left != 29 {
		t.Errorf("she walks as she fires: %s", b.refs())
	}
}

// TestANewTargetWithinABurst is for a game that lets it: then the trigger stays
// held, the shots count on, and each turn costs 10 (5.6).
func TestANewTargetWithinABurst(t *testing.T) {
	t.Parallel()
	const orders = `{"steps": [{"verb": "auto_fire", "target": "zog", "rounds": 5}, {"verb": "auto_fire", "target": "yak", "rounds": 2}]}`
	for setting, want := range map[string][]string{
		"burst_new_target=false": {"0:60", "0:50", "0:40", "0:30", "0:20", "3:60", "3:50"},
		"burst_new_target=true":  {"0:60", "0:50", "0:40", "0:30", "0:20", "1:10", "1:10"},
	} {
		w := world(t, field([]string{setting}, who("ann", "a", "C3", "agi=10", "skills.one_handed_missile=60", "weapon=submachine_gun,range_modifier:0"), who("zog", "b", "Z3"), who("yak", "b", "Z5")))
		same(t, setting, fought(t, w, 1, 5, map[game.ID]string{"ann": orders}, dice.Constant(99)).chances(), want...)
	}
}

// TestNoSetBonusOnTheMove: moving in the very segment of an attack leaves none (2.3).
func TestNoSetBonusOnTheMove(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("zog", "b", "Z3")))
	b := fought(t, w, 1, 6, map[game.ID]string{"ann": `{"steps": [{"verb": "move", "direction": "E"}], "reactions": [{"when": {"kind": "count", "value": 4}, "do": [{"verb": "fire", "target": "zog"}]}]}`}, dice.Constant(99))
	if same(t, "chances", b.chances(), "4:60"); b.after[4].fighter("ann").At == b.after[3].fighter("ann").At {
		t.Error("she does not walk on as she fires")
	}
}

// TestABlowThatLandsIsNotStopped by the weapon that it breaks, where a softened
// critical blow takes the test of breakage (A61).
func TestABlowThatLandsIsNotStopped(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"reduced_critical_breakage=false": "88 false", "reduced_critical_breakage=true": "88 true"} {
		w := world(t, field([]string{setting}, who("ann", "a", "C3", "str=10", "hp=100", "skills.one_handed=70", "weapon=long_sword"), who("zog", "b", "D3", "hp=100", "skills.one_handed=60", "weapon=foil")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {5}, "parry/zog": {40}, "dmg/ann": {6, 6}}, dice.Constant(1)))
		z := b.after[0].fighter("zog")
		if got := fmt.Sprint(z.HP, " ", z.Weapons[0].Broken); got != want {
			t.Errorf("%s: %s, want %s", setting, got, want)
		}
	}
}

// TestWhatAHoldCutsShort is what is done with the limb in use; and losing the thing
// ends what is done with it, without being an action (2.4).
func TestWhatAHoldCutsShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hold, activity string
		cut            bool
	}{
		{"arm_hold", draw, true}, {"arm_hold", "stand", false}, {"leg_hold", "stand", true}, {"leg_hold", draw, false}, {"bear_hug", draw, true}, {"full_pin", "stand", true}, {"grab", draw, false}, {"head_lock", "stand", false},
	} {
		w := wrestlers(t, "weapon=dagger:belt", "posture=kneel")
		z := w.fighter("zog")
		z.Held = []HeldBy{{By: "ann", Hold: "grab"}}
		z.Activity = &Activity{Kind: c.activity, Name: c.activity, Item: "zog-dagger", DoneAt: 9}
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog", "kind": "` + c.hold + `"}]}`}, dice.NewScripted(map[string][]int{"hit/ann": {20}}, dice.Constant(1)))
		if cut := b.after[0].fighter("zog").Activity == nil; cut != c.cut {
			t.Errorf("%s while he does %s: cut short %v", c.hold, c.activity, cut)
		}
	}
	w := world(t, field(nil, who("ann", "a", "C3"), who("zog", "b", "D3", "agi=10", "weapon=luger", "item=ammo,count:8")))
	z := w.fighter("zog")
	z.Weapons[0].Left, z.LastAction = 0, 0
	w.Segment = 5
	z.Activity = &Activity{Kind: reload, Name: "load the luger", Item: "zog-luger", Start: 2, DoneAt: 9}
	e := newEngine(rules{ruleset(t).t, nil}, w, inputOf(w))
	e.now = 5
	mine := e.w.fighter("zog")
	e.letGo(mine, &mine.Weapons[0])
	if mine.Activity != nil || mine.LastAction != 0 || mine.Delay != 3 {
		t.Errorf("he goes on with %+v; last action %d, %d segments lost", mine.Activity, mine.LastAction, mine.Delay)
	}
}

// TestWhatIsGoneWhenItIsDone is no action: readiness does not count from it (2.4).
func TestWhatIsGoneWhenItIsDone(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3"), who("zog", "b", "D3", "agi=10", "weapon=dagger:on_ground")))
	w.Segment = 5
	z := w.fighter("zog")
	z.LastAction, z.Weapons[0].Broken = 0, true
	z.Activity = &Activity{Kind: "pick_up", Name: "pick up the dagger", Item: "zog-dagger", Start: 2, DoneAt: 5}
	b := fought(t, w, 1, 1, nil, dice.Constant(1))
	if after := b.after[5].fighter("zog"); after.LastAction != 0 || after.Delay != 3 || b.event(t, "zog/s5.d").Outcome != "impossible" {
		t.Errorf("last action %d, %d segments lost", after.LastAction, after.Delay)
	}
}
