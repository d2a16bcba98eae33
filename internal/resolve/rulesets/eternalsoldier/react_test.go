package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// duel are two at arm's length with swords out; both are ready from segment 0.
func duel(t testing.TB, settings []string, zog ...string) *World {
	return world(t, field(settings,
		who("ann", "a", "C3", "agi=10", "hp=100", "skills.one_handed=70", "skills.defense=40", "weapon=long_sword"),
		who("zog", "b", "D3", append([]string{"agi=10", "hp=100", "skills.one_handed=60", "skills.defense=50"}, zog...)...),
	))
}

const strike = `{"steps": [{"verb": "melee", "target": "zog"}]}`

// TestPoliciesChooseTheReaction, in the order of preference and within their limits.
func TestPoliciesChooseTheReaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, standing string
		steps          string
		zog            []string
		settings       []string
		want           string // verb and chance of the reaction; "" for none
		chance         int
	}{
		{name: "none: the blow is taken", standing: `[]`, zog: []string{"weapon=long_sword"}},
		{name: "parry", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=long_sword"}, want: "parry", chance: 75},
		{name: "dodge", standing: `[{"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "the chance is too low, so the next one", standing: `[{"verb": "parry_policy", "min_chance": 80}, {"verb": "dodge_policy", "min_chance": 40}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "both too low", standing: `[{"verb": "parry_policy", "min_chance": 80}, {"verb": "dodge_policy", "min_chance": 51}]`, zog: []string{"weapon=long_sword"}},
		{name: "by rank", standing: `[{"verb": "parry_policy", "rank": 2}, {"verb": "dodge_policy", "rank": 1}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "taking comes before", standing: `[{"verb": "take_blow"}, {"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}},
		{name: "taking that of others does not", standing: `[{"verb": "take_blow", "against": "missile"}, {"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "never a dodge", standing: `[{"verb": "dodge_policy"}, {"verb": "dodge_policy", "allow": false, "against": "long_sword"}]`, zog: []string{"weapon=long_sword"}},
		{name: "against somebody", standing: `[{"verb": "dodge_policy", "against": "ann"}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "against others", standing: `[{"verb": "dodge_policy", "against": "dagger"}]`, zog: []string{"weapon=long_sword"}},
		{name: "a waiting set attack is not lost", steps: `"steps": [{"verb": "set_attack", "target": "ann", "bonus": 50}], `, standing: `[{"verb": "take_blow", "against": "long_sword", "keep_set": true}, {"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}},
		{name: "for this weapon it is", steps: `"steps": [{"verb": "set_attack", "target": "ann", "bonus": 50}], `, standing: `[{"verb": "take_blow", "against": "dagger", "keep_set": true}, {"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "without one there is nothing to lose", standing: `[{"verb": "take_blow", "against": "long_sword", "keep_set": true}, {"verb": "dodge_policy"}]`, zog: []string{"weapon=long_sword"}, want: "dodge", chance: 50},
		{name: "the shield is better", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=long_sword", "weapon=medium_shield"}, want: "parry", chance: 60 + 30 - 10},
		{name: "without the off hand's penalty", settings: []string{"off_hand_shield_penalty=false"}, standing: `[{"verb": "parry_policy", "weapon": "zog-medium_shield"}]`, zog: []string{"weapon=long_sword", "weapon=medium_shield"}, want: "parry", chance: 90},
		{name: "with the shield's own skill", standing: `[{"verb": "parry_policy", "weapon": "zog-medium_shield"}]`, zog: []string{"weapon=medium_shield", "skills.shield=20"}, want: "parry", chance: 20 + 30 - 10},
		{name: "which a setting takes away", settings: []string{"shield_skill=one_handed"}, standing: `[{"verb": "parry_policy", "weapon": "zog-medium_shield"}]`, zog: []string{"weapon=medium_shield", "skills.shield=20"}, want: "parry", chance: 80},
		{name: "a bow parries nothing", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=bow"}},
		{name: "nor does what is sheathed", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=long_sword:sheathed"}},
		{name: "not from behind", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=long_sword", "facing=E"}},
		{name: "from the flank", standing: `[{"verb": "parry_policy"}]`, zog: []string{"weapon=long_sword", "facing=S"}, want: "parry", chance: 65},
		{name: "prone", standing: `[{"verb": "dodge_policy"}]`, zog: []string{"posture=prone"}, want: "dodge", chance: 30},
		{name: "kneeling", standing: `[{"verb": "dodge_policy"}]`, zog: []string{"posture=kneel"}, want: "dodge", chance: 40},
		{name: "not when surprised", standing: `[{"verb": "dodge_policy"}]`, zog: []string{"surprised=true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(20))
			b := fought(t, duel(t, c.settings, c.zog...), 1, 1, map[game.ID]string{"ann": strike, "zog": `{` + c.steps + `"standing": ` + c.standing + `}`}, source)
			var got []game.Event
			for _, ev := range b.events {
				if ev.Kind == "parry" || ev.Kind == "dodge" {
					got = append(got, ev)
				}
			}
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("%s at %d", got[0].Kind, got[0].Numbers["chance"])
			case c.want != "" && (len(got) != 1 || got[0].Kind != c.want || got[0].Numbers["chance"] != c.chance):
				t.Errorf("%+v, want %s at %d", got, c.want, c.chance)
			}
		})
	}
}

// TestLimitsOfHaste: a reaction before its time is made only within the limits.
func TestLimitsOfHaste(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		standing string
		made     bool
	}{
		{`[{"verb": "parry_policy"}]`, true},
		{`[{"verb": "parry_policy", "max_penalty": 60}]`, true},
		{`[{"verb": "parry_policy", "max_penalty": 59}]`, false},
		{`[{"verb": "parry_policy", "max_early": 3}]`, true},
		{`[{"verb": "parry_policy", "max_early": 2}]`, false},
		{`[{"verb": "parry_policy", "min_chance": 16}]`, false},
	} {
		w := duel(t, nil, "weapon=long_sword")
		w.Segment = 4
		w.fighter("zog").LastAction = 0 // ready at 7, three segments early in 4
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": ` + c.standing + `}`}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(15)))
		made := b.after[4].fighter("zog").LastAction == 4
		if made != c.made {
			t.Errorf("%s: made %v, want %v", c.standing, made, c.made)
		}
	}
}

// TestSeveralBlowsInOneSegment: each may be answered, but the second reaction is
// early by a full preparation (4.6, A19).
func TestSeveralBlowsInOneSegment(t *testing.T) {
	t.Parallel()
	melee := func(settings ...string) *bout {
		w := world(t, field(settings,
			who("ann", "a", "C3", "hp=100", "skills.one_handed=70", "weapon=long_sword"),
			who("bob", "a", "D4", "hp=100", "skills.one_handed=70", "weapon=long_sword"),
			who("zog", "b", "D3", "agi=20", "hp=100", "skills.one_handed=60", "weapon=dagger", "facing=SW"),
		))
		return fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "bob": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {50}, "hit/bob": {50}}, dice.Constant(30)))
	}
	b := melee()
	first, second := b.event(t, "zog/ann/s0"), b.event(t, "zog/bob/s0")
	if got := []int{first.Numbers["early"], first.Numbers["chance"], second.Numbers["early"], second.Numbers["chance"]}; got[0] != 0 || got[1] != 65 || got[2] != 2 || got[3] != 35 {
		t.Errorf("early and chance of both: %v", got)
	}
	for _, ev := range melee("several_reactions=false").events {
		if ev.Ref == "zog/bob/s0" {
			t.Error("the second blow is answered all the same")
		}
	}
}

// TestGivingUpAnAttackOfTheSameSegment: who gives it up parries in time and has not
// acted otherwise; who keeps it is early by a full preparation (2.5, A18).
func TestGivingUpAnAttackOfTheSameSegment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, standing string
		settings       []string
		attacks        string
		early          int
	}{
		{"gives up", `[{"verb": "parry_policy", "give_up_attack": true}]`, nil, "given_up", 0},
		{"keeps it", `[{"verb": "parry_policy"}]`, nil, hit, 2},
		{"may not give up", `[{"verb": "parry_policy", "give_up_attack": true}]`, []string{"give_up_attack=false"}, hit, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := fought(t, duel(t, c.settings, "agi=30", "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike,
				"zog": `{"steps": [{"verb": "melee", "target": "ann"}], "standing": ` + c.standing + `}`},
				dice.NewScripted(map[string][]int{"hit/ann": {50}, "hit/zog": {40}}, dice.Constant(30)))
			own, parry := b.event(t, "zog/s0"), b.event(t, "zog/ann/s0")
			if own.Outcome != c.attacks || parry.Numbers["early"] != c.early {
				t.Errorf("the attack is %s, the parry %d early", own.Outcome, parry.Numbers["early"])
			}
			if left := len(b.after[0].fighter("zog").Steps); (left == 1) != (c.attacks == "given_up") {
				t.Errorf("%d steps left", left)
			}
		})
	}
}

// TestDodgingMissiles is 5.7: before the roll, by thresholds, and the shot is spent.
func TestDodgingMissiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weapon   string
		verb     string
		roll     int
		settings []string
		dodged   bool
		left     int
	}{
		{"throwing_knife", "throw", 41, nil, true, 0},
		{"throwing_knife", "throw", 42, nil, false, 0},
		{"bow,loaded:true", "fire", 20, nil, true, 0},
		{"bow,loaded:true", "fire", 21, nil, false, 0},
		{"luger", "fire", 8, nil, true, 7},
		{"luger", "fire", 9, nil, false, 7},
		{"luger", "fire", 8, []string{"dodge_saves_round=true"}, true, 8},
	} {
		w := world(t, field(c.settings,
			who("ann", "a", "C3", "hp=100", "skills.one_handed_missile=60", "skills.thrown=60", "skills.archery=60", "weapon="+c.weapon),
			who("zog", "b", "F3", "hp=100", "skills.defense=82")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "` + c.verb + `", "target": "zog"}]}`, "zog": `{"standing": [{"verb": "dodge_policy"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {2}, "dodge/zog": {c.roll}}, dice.Constant(1)))
		shot := b.event(t, "ann/s0")
		if dodged := shot.Reason == "dodged"; dodged != c.dodged || dodged == (shot.Outcome == hit) {
			t.Errorf("%s dodged with %d: %s %s", c.weapon, c.roll, shot.Outcome, shot.Reason)
		}
		if z := b.after[0].fighter("zog"); z.LastAction != 0 {
			t.Errorf("%s: the dodge is not his last action: %d", c.weapon, z.LastAction)
		}
		if got := b.after[0].fighter("ann").Weapons[0].Left; got != c.left {
			t.Errorf("%s: %d rounds left, want %d", c.weapon, got, c.left)
		}
	}
}

// TestAReactionRestartsAnActivity, in full (2.4, A17).
func TestAReactionRestartsAnActivity(t *testing.T) {
	t.Parallel()
	for want, setting := range map[int]string{10: "reaction_resets_activity=true", 6: "reaction_resets_activity=false"} {
		w := duel(t, []string{setting}, "weapon=long_sword:sheathed")
		b := fought(t, w, 1, 8, map[game.ID]string{
			"ann": `{"steps": [{"verb": "hold", "segment": 4}, {"verb": "melee", "target": "zog"}]}`,
			"zog": `{"steps": [{"verb": "ready", "action": "draw", "item": "zog-long_sword"}], "standing": [{"verb": "dodge_policy"}]}`,
		}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(60)))
		dodge := b.event(t, "zog/ann/s4")
		if dodge.Numbers["early"] != 0 {
			t.Errorf("drawing does not count for the dodge, and yet it is %d early", dodge.Numbers["early"])
		}
		if a := b.after[4].fighter("zog").Activity; a == nil || a.DoneAt != want {
			t.Errorf("%s: %+v, want it done at %d", setting, a, want)
		}
	}
}
