package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// brogan is the gunfight of the Combat chapter (14.5): 60 yards apart, with the
// range modifiers that the text names.
func brogan(t testing.TB) *World {
	return world(t, field(nil,
		who("arasmus", "a", "A10", "agi=13", "dex=12", "hp=9999", "points.one_handed_missile=8",
			"weapon=revolver:holstered,range_modifier:-20", "weapon=submachine_gun:slung,range_modifier:10"),
		who("brogan", "b", "BI10", "agi=10", "dex=15", "hp=9999", "points.archery=8", "points.one_handed_missile=6",
			"weapon=bow:slung,range_modifier:-40", "weapon=luger:holstered,range_modifier:-10", "item=ammo,count:12"),
	))
}

var broganPlans = map[game.ID]string{
	"arasmus": `{"steps": [
		{"verb": "ready", "action": "draw", "item": "arasmus-revolver"}, {"verb": "set_attack", "weapon": "arasmus-revolver", "target": "brogan", "segment": 10},
		{"verb": "set_attack", "weapon": "arasmus-revolver", "target": "brogan", "segment": 16}, {"verb": "ready", "action": "drop", "item": "arasmus-revolver"},
		{"verb": "hold", "segment": 18}, {"verb": "ready", "action": "draw", "item": "arasmus-submachine_gun"},
		{"verb": "auto_fire", "weapon": "arasmus-submachine_gun", "target": "brogan", "rounds": 4}, {"verb": "hold", "segment": 28},
		{"verb": "auto_fire", "weapon": "arasmus-submachine_gun", "target": "brogan", "rounds": 4}, {"verb": "hold", "segment": 29},
		{"verb": "move", "to": "brogan", "mode": "walk"}]}`,
	"brogan": `{"steps": [
		{"verb": "ready", "action": "draw", "item": "brogan-bow"}, {"verb": "fire", "weapon": "brogan-bow", "target": "arasmus"},
		{"verb": "ready", "action": "drop", "item": "brogan-bow"}, {"verb": "hold", "segment": 18}, {"verb": "ready", "action": "draw", "item": "brogan-luger"},
		{"verb": "posture", "posture": "prone"}, {"verb": "set_attack", "weapon": "brogan-luger", "target": "arasmus", "wait": 1},
		{"verb": "quick_attack", "weapon": "brogan-luger", "target": "arasmus", "early": 1}, {"verb": "set_attack", "weapon": "brogan-luger", "target": "arasmus", "wait": 1}]}`,
}

func broganDice() dice.Source {
	return dice.NewScripted(map[string][]int{
		"hit/arasmus": {68, 72, 78, 46, 61, 22, 96, 79, 91, 48}, "hit/brogan": {13, 51, 32, 69},
	}, dice.Constant(1))
}

// TestVectorsBrogan are the vectors of 14.5, segment by segment. GF6 and the
// three that follow from it have the figures of the rules, not those printed.
func TestVectorsBrogan(t *testing.T) {
	t.Parallel()
	b := fought(t, brogan(t), 1, 33, broganPlans, broganDice())
	act := func(ref string) []any {
		ev := b.event(t, ref)
		return []any{ev.At, ev.Numbers["chance"], ev.Numbers["roll"], ev.Outcome}
	}
	begins := func(ref string) any { return b.event(t, ref).Numbers["done_at"] }
	feet := func(segment int) []any {
		w := b.after[segment]
		a, o := w.fighter("arasmus"), w.fighter("brogan")
		return []any{a.Move.Feet, (distance(a.At, o.At) + yard/2) / yard}
	}
	waits := func(segment int, who game.ID) []any {
		var out []any
		for _, ev := range b.events {
			if ev.At == segment && ev.Actor == who {
				out = append(out, ev.Ref)
			}
		}
		return out
	}
	const colt, uzi, luger, bow = "arasmus-revolver", "arasmus-submachine_gun", "brogan-luger", "brogan-bow"
	shots := append(act("arasmus/s28.2"), append(act("arasmus/s28.3"), act("arasmus/s28.4")...)...)
	check(t, []vector{
		{"GF1", []any{begins("arasmus/s0.b"), begins("brogan/s0.b")}, []any{2, 7}},
		{"GF2", []any{b.ready(t, 2, "arasmus", colt)}, []any{5}},
		{"GF3", waits(5, "arasmus"), nil},
		{"GF4", []any{begins("brogan/s7.b")}, []any{12}},
		{"GF5", act("arasmus/s10"), []any{10, 78, 68, hit}},
		{"GF6", []any{b.ready(t, 10, "arasmus", colt)}, []any{13}},
		{"GF7", []any{b.ready(t, 12, "brogan", bow)}, []any{16}},
		{"GF8", act("arasmus/s16"), []any{16, 58, 72, miss}},
		{"GF9", act("brogan/s16"), []any{16, 20, 13, hit}},
		{"GF10", []any{b.event(t, "arasmus/s17.d").Outcome, b.event(t, "brogan/s17.d").Outcome}, []any{"drop", "drop"}},
		{"GF11", []any{begins("brogan/s18.b"), begins("arasmus/s18.b")}, []any{21, 22}},
		{"GF12", []any{begins("brogan/s21.b"), b.after[22].fighter("brogan").Posture}, []any{22, "prone"}},
		{"GF13", []any{b.ready(t, 22, "brogan", luger), b.ready(t, 22, "arasmus", uzi)}, []any{25, 24}},
		{"GF14", act("arasmus/s24"), []any{24, 38, 78, miss}},
		{"GF15", act("arasmus/s24.2"), []any{24, 28, 46, miss}},
		{"GF16", act("arasmus/s24.3"), []any{24, 18, 61, miss}},
		{"GF17", act("arasmus/s24.4"), []any{24, 8, 22, miss}},
		{"GF18", []any{b.ready(t, 24, "arasmus", uzi), b.after[24].fighter("arasmus").weapon(uzi).Left}, []any{26, 28}},
		{"GF19", waits(25, "brogan"), nil},
		{"GF20", act("brogan/s26"), []any{26, 45, 51, miss}},
		{"GF21", append(waits(26, "arasmus"), b.ready(t, 26, "brogan", luger)), []any{29}},
		{"GF22", act("brogan/s28"), []any{28, 25, 32, miss}},
		{"GF23", act("arasmus/s28"), []any{28, 58, 96, miss}},
		{"GF24", shots, []any{28, 28, 79, miss, 28, 18, 91, miss, 28, 8, 48, miss}},
		{"GF25", []any{b.ready(t, 28, "arasmus", uzi)}, []any{30}},
		{"GF26", feet(29)[:1], []any{3}},
		{"GF27", append(feet(30), b.ready(t, 30, "arasmus", uzi)), []any{9, 57, 30}},
		{"GF28", append(waits(31, "brogan"), b.ready(t, 31, "brogan", luger)), []any{31}},
		{"GF29", feet(31), []any{15, 55}},
		{"GF30", feet(32), []any{21, 53}},
		{"GF31", act("brogan/s32"), []any{32, 45, 69, miss}},
		{"GF32", []any{b.ready(t, 32, "brogan", luger)}, []any{35}},
	})
}

// TestVectorsPrintedPremises are CX2 and CX3: with what the text has instead of
// the rules it comes to the figures of the text.
func TestVectorsPrintedPremises(t *testing.T) {
	t.Parallel()
	// The GM shifts his last action after segment 10, so that he is ready in 12.
	source := broganDice()
	first := fought(t, brogan(t), 11, 11, broganPlans, source, game.Ruling{N: 1, Kind: game.RuleSet, Who: "arasmus", Field: "LAST_ACTION", Value: "9", Text: "ARASMUS LAST_ACTION 9"})
	then := fought(t, first.after[10], 6, 6, nil, source)
	shot := then.event(t, "arasmus/s16")
	w := brogan(t)
	w.fighter("brogan").Skills["one_handed_missile"] = Skill{Tenths: 480}
	b := fought(t, w, 1, 33, broganPlans, broganDice())
	check(t, []vector{
		{"CX2", []any{first.ready(t, 10, "arasmus", "arasmus-revolver"), shot.Numbers["chance"], shot.Numbers["roll"], shot.Outcome}, []any{12, 68, 72, miss}},
		{"CX3", []any{b.event(t, "brogan/s26").Numbers["chance"], b.event(t, "brogan/s26").Outcome, b.event(t, "brogan/s28").Numbers["chance"], b.event(t, "brogan/s28").Outcome}, []any{48, miss, 28, miss}},
	})
}
