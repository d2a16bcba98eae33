package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// aknar is the long fight of the Combat chapter (14.3); damage is ignored there,
// so both have hit points enough.
func aknar(t testing.TB) *World {
	return world(t, field(nil,
		who("aknar", "a", "C3", "str=15", "agi=15", "dex=13", "hp=9999", "points.one_handed=11", "points.hand_to_hand=9", "points.defense=10", "weapon=long_sword:sheathed"),
		who("beauregard", "b", "D3", "str=17", "agi=8", "dex=12", "hp=9999", "points.two_handed=14", "points.one_handed=10", "weapon=two_handed_sword:slung", "weapon=dagger:belt"),
	))
}

var aknarPlans = map[game.ID]string{
	"aknar": `{"steps": [{"verb": "ready", "action": "draw", "item": "aknar-long_sword"}, {"verb": "melee", "target": "beauregard"},
		{"verb": "set_attack", "target": "beauregard", "wait": 2}, {"verb": "set_attack", "target": "beauregard", "segment": 21}, {"verb": "melee", "target": "beauregard"}],
		"standing": [{"verb": "parry_policy", "max_penalty": 10}]}`,
	"beauregard": `{"steps": [{"verb": "ready", "action": "draw", "item": "beauregard-two_handed_sword"}, {"verb": "quick_attack", "target": "aknar", "early": 2},
		{"verb": "ready", "action": "drop", "item": "beauregard-two_handed_sword"}, {"verb": "ready", "action": "draw", "item": "beauregard-dagger"},
		{"verb": "melee", "target": "aknar"}, {"verb": "melee", "target": "aknar"}, {"verb": "special", "kind": "surrender"}]}`,
}

// aknarDice are the dice that the text rolls; of the two fumbles it tells the
// results alone, which these rolls give.
func aknarDice() dice.Source {
	return dice.NewScripted(map[string][]int{
		"hit/aknar": {42, 3, 100, 39}, "crit/aknar": {75}, "fumble/aknar": {10}, "parry/aknar": {21},
		"hit/beauregard": {91, 10, 97}, "fumble/beauregard": {40},
	}, dice.Constant(1))
}

// TestVectorsAknar are the vectors of 14.3, segment by segment.
func TestVectorsAknar(t *testing.T) {
	t.Parallel()
	b := fought(t, aknar(t), 1, 40, aknarPlans, aknarDice())
	act := func(ref string) []any {
		ev := b.event(t, ref)
		return []any{ev.At, ev.Numbers["chance"], ev.Numbers["roll"], ev.Outcome}
	}
	done := func(ref string) []any { return []any{b.event(t, ref).Numbers["done_at"]} }
	const sword, great, dagger = "aknar-long_sword", "beauregard-two_handed_sword", "beauregard-dagger"
	var still []any // events of a segment in which somebody only waits
	for _, ev := range b.events {
		if (ev.At == 14 || ev.At == 19) && ev.Actor == "aknar" || ev.At == 16 && ev.Actor == "beauregard" && ev.Kind != "harm" {
			still = append(still, ev.Ref)
		}
	}
	crit := b.event(t, "aknar/s16")
	breakage := b.event(t, "aknar/beauregard/s30")
	end := b.event(t, "beauregard/s35.f")
	check(t, []vector{
		{"AB1", []any{b.event(t, "aknar/s0.b").Numbers["done_at"], b.event(t, "beauregard/s0.b").Numbers["done_at"]}, []any{4, 11}},
		{"AB2", []any{b.event(t, "aknar/s4.d").Outcome, b.ready(t, 4, "aknar", sword)}, []any{"draw", 9}},
		{"AB3", act("aknar/s9"), []any{9, 93, 42, hit}},
		{"AB4", []any{b.ready(t, 9, "aknar", sword)}, []any{14}},
		{"AB5", []any{b.event(t, "beauregard/s11.d").Outcome, b.ready(t, 11, "beauregard", great)}, []any{"draw", 22}},
		{"AB6", still, nil},
		{"AB7", act("aknar/s16"), []any{16, 113, 3, critical}},
		{"AB8", []any{b.ready(t, 16, "beauregard", great)}, []any{22}},
		{"AB9", []any{crit.Numbers["critical"], b.after[16].fighter("aknar").Shift, b.ready(t, 16, "aknar", sword)}, []any{75, -2, 19}},
		{"AB10", still, nil},
		{"AB11", act("beauregard/s20"), []any{20, 69, 91, miss}},
		{"AB12", []any{b.event(t, "beauregard/s20.b").Outcome, b.event(t, "beauregard/s21.d").Outcome, b.event(t, "beauregard/s21.b").Numbers["done_at"]}, []any{"drop", "drop", 25}},
		{"AB13", act("aknar/s21"), []any{21, 113, 100, fumble}},
		{"AB14", []any{b.after[21].fighter("aknar").weapon(sword).State}, []any{"on_ground"}},
		{"AB15", done("aknar/s21.b"), []any{26}},
		{"AB16", []any{b.ready(t, 25, "beauregard", dagger)}, []any{30}},
		{"AB17", []any{b.ready(t, 26, "aknar", sword)}, []any{31}},
		{"AB18", act("beauregard/s30"), []any{30, 62, 10, hit}},
		{"AB19", append(act("aknar/beauregard/s30"), breakage.Numbers["early"]), []any{30, 83, 21, "success", 1}},
		{"AB20", []any{breakage.Numbers["limit"], breakage.Numbers["passes"], b.after[30].fighter("aknar").weapon(sword).Broken}, []any{16, 0, false}},
		{"AB21", []any{b.ready(t, 30, "beauregard", dagger), b.ready(t, 30, "aknar", sword)}, []any{35, 35}},
		{"AB22", act("aknar/s35"), []any{35, 93, 39, hit}},
		{"AB23", act("beauregard/s35"), []any{35, 62, 97, fumble}},
		{"AB24", []any{b.after[35].fighter("beauregard").Posture}, []any{"prone"}},
		{"AB25", []any{end.At, b.after[35].fighter("beauregard").Status, b.out.Done}, []any{35, surrendered, true}},
	})
}

// TestVectorsForcedResults is CX8: the GM sets what the text tells without a die.
func TestVectorsForcedResults(t *testing.T) {
	t.Parallel()
	set := func(n int, ref, value string) game.Ruling {
		return game.Ruling{N: n, Kind: game.RuleEvent, Ref: ref, Value: value, Text: "EVENT " + value}
	}
	source := dice.NewScripted(map[string][]int{
		"hit/aknar": {42, 3, 100, 39}, "crit/aknar": {75}, "fumble/aknar": {99}, "parry/aknar": {21}, "dmg/beauregard": {6},
		"hit/beauregard": {91, 10, 97}, "fumble/beauregard": {99},
	}, dice.Constant(1))
	b := fought(t, aknar(t), 1, 40, aknarPlans, source, set(1, "aknar/s21", "drops"), set(2, "beauregard/s35", "falls"))
	w := b.after[35]
	check(t, []vector{{"CX8", []any{
		b.after[21].fighter("aknar").weapon("aknar-long_sword").State, w.fighter("beauregard").Posture, w.fighter("beauregard").weapon("beauregard-dagger").Broken,
		b.event(t, "aknar/beauregard/s30").Numbers["passes"], w.fighter("aknar").weapon("aknar-long_sword").Broken,
	}, []any{"on_ground", "prone", false, 0, false}}})
}

// TestVectorsOffHand are AM1 and CX7: a dagger in the off hand three segments
// after the last act.
func TestVectorsOffHand(t *testing.T) {
	t.Parallel()
	ardo := func(agi string) *bout {
		w := world(t, field(nil,
			who("ardo", "a", "C3", "agi="+agi, "hp=999", "skills.one_handed=70", "weapon=long_sword", "weapon=dagger"),
			who("guy", "b", "D3", "hp=999", "skills.two_handed=60", "weapon=two_handed_sword"),
		))
		w.Segment = 21
		return fought(t, w, 1, 4, map[game.ID]string{"ardo": `{"steps": [{"verb": "melee", "weapon": "ardo-long_sword", "target": "guy"},
			{"verb": "quick_attack", "weapon": "ardo-dagger", "target": "guy", "segment": 24}]}`}, dice.Constant(50))
	}
	quick, slow := ardo("18"), ardo("14")
	check(t, []vector{
		{"AM1", []any{quick.ready(t, 21, "ardo", "ardo-dagger"), quick.ready(t, 21, "ardo", "ardo-long_sword"), quick.event(t, "ardo/s24").Numbers["chance"]}, []any{24, 25, 70 + 5 - 10}},
		{"CX7", []any{slow.ready(t, 21, "ardo", "ardo-dagger"), slow.event(t, "ardo/s24").Numbers["chance"]}, []any{25, 70 + 5 - 10 - 10}},
	})
}
