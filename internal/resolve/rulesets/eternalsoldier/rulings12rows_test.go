package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func numberRows12() []row12 {
	const a, rolls, chances = "1 numbers", "2 rolls", "3 chances"
	figure := func(field string, of func(*Fighter) int) row12 {
		return row12{area: a, may: "another " + field + " for one character", says: "ZOG " + field + " 33", shows: after("zog", func(f *Fighter) bool { return of(f) == 33 })}
	}
	asleep := with(nil, []string{"surprised=true"})
	return []row12{
		{area: a, may: "a cell of a table for the fight", says: "GAME tables.arms.weapon.long_sword.bonus 40", shows: func(out resolve.Outcome, w *World) bool {
			return happened(out, "ann/s0").Numbers["chance"] == 100 && w.House["arms.weapon.long_sword.bonus"] == "40"
		}},
		{area: a, may: "a cell of a table for this turn", says: "TURN tables.arms.weapon.long_sword.bonus 40", shows: func(out resolve.Outcome, w *World) bool {
			return happened(out, "ann/s0").Numbers["chance"] == 100 && w.House == nil
		}},
		{area: a, may: "dice of a weapon", says: "GAME tables.arms.weapon.long_sword.damage 1d4", dice: hits12, shows: lined("ann/s0", "Damage 1d4", "4")},
		{area: a, may: "a list", says: "TURN tables.tables.early.penalty = [7, 9]", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}, {"verb": "quick_attack", "target": "zog", "early": 1}]}`}, shows: lined("ann/s6", "1 segment early", "-7")},
		{area: a, may: "columns of a new row", says: `GAME tables.arms.weapon.club = {"name": "club", "skill": "one_handed", "speed": 6, "draw": 4, "type": "pummel", "damage": "1d8", "reach": "medium"}`, shows: func(_ resolve.Outcome, w *World) bool {
			return len(w.House) == 1 && ruleset1.at(w.House).weapon("club") != nil
		}},
		{area: a, may: "a constant of the rules", says: "GAME tables.tables.set.bonus 5", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 2}, {"verb": "melee", "target": "zog"}]}`}, shows: lined("ann/s2", "Set for 2 segments", "+10")},
		{area: a, may: "values for the campaign", shown: "resolve/rulesets/eternalsoldier TestAGameMayHaveItsOwnTables"},
		figure("STR", func(f *Fighter) int { return f.STR }), figure("AGI", func(f *Fighter) int { return f.AGI }), figure("DEX", func(f *Fighter) int { return f.DEX }),
		figure("CON", func(f *Fighter) int { return f.CON }), figure("INT", func(f *Fighter) int { return f.INT }), figure("WILL", func(f *Fighter) int { return f.WILL }),
		figure("HP", func(f *Fighter) int { return f.HP }), figure("HPMAX", func(f *Fighter) int { return f.HPMax }), figure("SUFF", func(f *Fighter) int { return f.Suff }),
		{area: a, may: "rounds in a weapon", says: "ZOG AMMO 30", scene: far(nil, []string{"weapon=submachine_gun"}), shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].Left == 30 })},
		{area: a, may: "rounds carried", says: "ZOG CARRIES 30", scene: far(nil, []string{"item=ammo,count:9"}), shows: after("zog", func(f *Fighter) bool { return f.Items[0].Count == 30 })},
		{area: a, may: "his size", says: "ZOG SIZE huge AT EVENT {ann/s0}", shows: number("ann/s0", "chance", 95)},
		{area: a, may: "a number of one roll", says: "EVENT {ann/s0} DAMAGE 21", dice: hits12, shows: number("zog/ann/s0.e", "damage", 21)},

		{area: rolls, may: "set a die, or enter one by hand", says: "DIE hit/ann/s0 = 7", shows: number("ann/s0", "roll", 7)},
		{area: rolls, may: "roll again", says: "DIE hit/ann/s0 REROLL", dice: map[string][]int{"hit/ann/s0": {80}, "hit/ann/s0~1": {12}}, shows: number("ann/s0", "roll", 12)},
		{area: rolls, may: "hide a roll", says: "EVENT {ann/s0} DICE hidden", shows: func(out resolve.Outcome, _ *World) bool {
			ev := happened(out, "ann/s0")
			return len(ev.Dice) == 0 && len(ev.Lines) > 2 && ev.Lines[0].Secret
		}},
		{area: rolls, may: "roll openly", says: "EVENT {zog/s0.a} DICE open", scene: asleep, shows: func(out resolve.Outcome, _ *World) bool {
			ev := happened(out, "zog/s0.a")
			return len(ev.Lines) > 0 && !ev.Lines[0].Secret
		}},
		{area: rolls, may: "skip a roll: say how it ends", says: "EVENT {ann/s0} HIT", shows: ended("ann/s0", hit)},
		{area: rolls, may: "skip a roll that would hit", says: "EVENT {ann/s0} MISS", dice: hits12, shows: ended("ann/s0", miss)},
		{area: rolls, may: "the result of a parry", says: "EVENT {zog/ann/s0} SUCCESS", plans: parrys, dice: hits12, shows: ended("zog/ann/s0", "success")},

		{area: chances, may: "a modifier with a reason on all attacks of somebody", says: "MOD ann +10 because high ground", shows: lined("ann/s0", "GM", "+10")},
		{area: chances, may: "a modifier with a reason on one roll", says: "EVENT {ann/s0} MODIFIER -15 because the sun is in her eyes", shows: all(lined("ann/s0", "GM", "-15"), number("ann/s0", "chance", 60))},
		{area: chances, may: "the chance", says: "EVENT {ann/s0} CHANCE 33", shows: number("ann/s0", "chance", 33)},
		{area: chances, may: "a modifier on a parry", says: "EVENT {zog/ann/s0} MODIFIER +20", plans: parrys, dice: hits12, shows: number("zog/ann/s0", "chance", 95)},
		{area: chances, may: "a modifier on Acrobatics", says: "EVENT {ann/s0.b} MODIFIER +40", scene: with([]string{"posture=prone", "skills.acrobatics=60"}, nil), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "posture", "posture": "stand", "mode": "acrobatic"}]}`}, dice: map[string][]int{"acrobatics/ann": {70}}, shows: lined("ann/s0.b", "Segments saved", "3")},
		{area: chances, may: "a modifier on noticing", says: "EVENT {zog/s0.a} MODIFIER +15", scene: with(nil, []string{"surprised=true"}), dice: map[string][]int{"awareness/zog": {20}}, shows: ended("zog/s0.a", "notices")},
		{area: chances, may: "a modifier on a treatment", says: "EVENT {ann/s10.d} MODIFIER +60", scene: func(t testing.TB) *World {
			w := scene12(t, []string{"weapon=dagger:belt", "skills.medic=40"}, nil, "segments_per_turn=40")
			w.fighter("zog").Broken = []Bone{{Limb: "leg", Points: 5}}
			return w
		}, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "treat", "target": "zog"}]}`}, shows: ended("ann/s10.d", wordSuccess)},
		{area: chances, may: "the threshold of a dodge against a missile", says: "EVENT {zog/ann/s0} CHANCE 40", scene: far(nil, nil), plans: map[game.ID]string{"ann": shoots["ann"], "zog": `{"standing": [{"verb": "dodge_policy"}]}`}, shows: number("zog/ann/s0", "chance", 40)},
		{area: chances, may: "a modifier on a dodge against a missile", says: "EVENT {zog/ann/s0} MODIFIER +30", scene: far(nil, nil), plans: map[game.ID]string{"ann": shoots["ann"], "zog": `{"standing": [{"verb": "dodge_policy"}]}`}, shows: number("zog/ann/s0", "chance", 35)},
	}
}

var ruleset1 = func() *Ruleset {
	r, err := New()
	if err != nil {
		panic(err)
	}
	return r
}()

func timeRows12() []row12 {
	const a, start, aware, order = "4 timing", "5 start", "6 awareness", "7 order"
	stowed := with([]string{"weapon=long_sword:sheathed"}, nil)
	draws := map[game.ID]string{"ann": `{"steps": [{"verb": "ready", "action": "draw", "item": "ann-long_sword"}]}`}
	drawsThen := map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}]}`}
	parrying := func(t testing.TB) *World {
		return scene12(t, nil, []string{"weapon=medium_shield", "weapon=dagger:belt"})
	}
	parryDraw := map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 1}, {"verb": "melee", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "ready", "action": "draw", "item": "zog-dagger"}], "standing": [{"verb": "parry_policy"}]}`}
	hit1 := map[string][]int{"hit/ann/s1": {30}, "parry/zog/ann/s1": {5}}
	twice := map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "blows": 2}]}`}
	back := with(nil, []string{"facing=E"})
	both := map[game.ID]string{"ann": strike, "zog": `{"steps": [{"verb": "melee", "target": "ann"}]}`}
	kills := map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {8, 8}, "hit/zog/s0": {30}, "dmg/zog/s0": {8, 8}}
	frail := with(nil, []string{"hp=10"})
	return []row12{
		{area: a, may: "lastAction", says: "ANN LAST_ACTION 1 AT SEGMENT 0", shows: there("ann/s8")},
		{area: a, may: "readyAt", says: "ANN READY_AT 4 AT SEGMENT 0", shows: there("ann/s4")},
		{area: a, may: "shift readiness from a segment on", says: "ANN READY_SHIFT -2 AT SEGMENT 3", plans: twice, shows: there("ann/s5")},
		{area: a, may: "since when somebody waits", says: "ANN WAITS_FROM 3 AT SEGMENT 3", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 5}, {"verb": "melee", "target": "zog"}]}`}, shows: lined("ann/s5", "Set for 2 segments", "+20")},
		{area: a, may: "for whom somebody waits", says: "ANN WAITS_FOR zog", shows: after("ann", func(f *Fighter) bool { return f.HoldTarget == "zog" })},
		{area: a, may: "how early or late an attack is", says: "EVENT {ann/s0} TIMING 3", shows: lined("ann/s0", "Set for 3 segments", "+30")},
		{area: a, may: "that an attack is early", says: "EVENT {ann/s0} TIMING -2", shows: lined("ann/s0", "2 segments early", "-30")},
		{area: a, may: "the class of an action", says: "EVENT {ann/s0.b} CLASS 3", scene: stowed, plans: draws, shows: number("ann/s0.b", "segments", 3)},
		{area: a, may: "the class of an action for all", says: "TURN tables.actions.action.prone.class 4", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "posture", "posture": "prone"}]}`}, shows: number("ann/s0.b", "segments", 4)},
		{area: a, may: "the speed class of a weapon", says: "ANN SPEED_CLASS 3 AT SEGMENT 0", plans: twice, shows: there("ann/s3")},
		{area: a, may: "the draw class of a weapon", says: "ANN DRAW_CLASS 2 AT SEGMENT 0", scene: stowed, plans: draws, shows: there("ann/s2.d")},
		{area: a, may: "the reload class of a weapon", says: "ANN RELOAD_CLASS 2 AT SEGMENT 0", scene: far([]string{"weapon=luger,rounds:1", "item=ammo,count:8"}, nil), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "reload", "weapon": "ann-luger"}]}`}, shows: there("ann/s2.d")},
		{area: a, may: "how long an action takes", says: "EVENT {ann/s0.b} SEGMENTS 2", scene: stowed, plans: draws, shows: there("ann/s2.d")},
		{area: a, may: "when what is under way is done", says: "ANN DONE_AT 4 AT SEGMENT 2", scene: stowed, plans: draws, shows: there("ann/s4.d")},
		{area: a, may: "an action is impossible", says: "EVENT {ann/s0.b} CANCEL", scene: stowed, plans: draws, shows: all(ended("ann/s0.b", "cancelled"), never("ann/s6.d"))},
		{area: a, may: "an attack is impossible", says: "EVENT {ann/s0} CANCEL", dice: hits12, shows: all(ended("ann/s0", "cancelled"), never("zog/ann/s0.e"))},
		{area: a, may: "a movement is impossible", says: "EVENT {ann/s0.m} CANCEL", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "move", "to": [0, 2]}]}`}, shows: all(ended("ann/s0.m", "cancelled"), after("ann", func(f *Fighter) bool { return f.Steps == nil }))},
		{area: a, may: "an action is free", says: "EVENT {ann/s0.b} FREE", scene: stowed, plans: drawsThen, shows: all(there("ann/s0.d"), there("ann/s0"))},
		{area: a, may: "an attack is free", says: "EVENT {ann/s0} FREE", plans: twice, shows: there("ann/s1")},
		{area: a, may: "a reaction is free", says: "EVENT {zog/ann/s0} FREE", plans: parrys, dice: hits12, shows: after("zog", func(f *Fighter) bool { return f.LastAction == longAgo })},
		{area: a, may: "an action is interrupted", says: "ANN INTERRUPTED yes AT SEGMENT 4", scene: stowed, plans: draws, shows: never("ann/s6.d")},
		{area: a, may: "an interrupted draw keeps its progress", says: "EVENT {zog/ann/s1} PROGRESS kept", scene: parrying, plans: parryDraw, dice: hit1, shows: there("zog/s3.d")},
		{area: a, may: "an interrupted draw loses its progress", says: "EVENT {zog/ann/s1} PROGRESS lost", scene: func(t testing.TB) *World {
			return scene12(t, nil, []string{"weapon=medium_shield", "weapon=dagger:belt"}, "reaction_resets_activity=false")
		}, plans: parryDraw, dice: hit1, shows: there("zog/s4.d")},
		{area: a, may: "how many segments a turn has", says: "TURN segments_per_turn 20", shows: func(_ resolve.Outcome, w *World) bool {
			return w.Segment == 20 && w.Settings["segments_per_turn"] == ""
		}},

		{area: start, may: "who is surprised", says: "ANN SURPRISED yes AT SEGMENT 0", dice: map[string][]int{"awareness/ann": {20, 20, 20, 20, 20, 20, 20, 20, 20, 20}}, shows: never("ann/s0")},
		{area: start, may: "who is not", says: "ANN SURPRISED no AT SEGMENT 0", scene: with([]string{"surprised=true"}, nil), shows: there("ann/s0")},
		{area: start, may: "who is ready", says: "ANN DRAWN long sword AT SEGMENT 0", scene: stowed, plans: drawsThen, shows: there("ann/s0")},
		{area: start, may: "who is not", says: "ANN STOWED long sword AT SEGMENT 0", shows: never("ann/s0")},
		{area: start, may: "who is in cover", says: "ZOG COVER 50 AT SEGMENT 0", scene: far(nil, nil), plans: shoots, shows: func(out resolve.Outcome, w *World) bool {
			return happened(out, "ann/s0").Numbers["chance"] == 40 && w.fighter("zog").Cover == "50"
		}},
		{area: start, may: "at what range", says: "ZOG AT AZ3 AT SEGMENT 0", scene: far(nil, nil), plans: shoots, shows: lined("ann/s0", "Range 49 yd", "-10")},
		{area: start, may: "facing where", says: "ZOG FACING E AT SEGMENT 0", dice: hits12, shows: lined("ann/s0", "Blow from behind", "+20")},
		{area: start, may: "who is aware of whom", says: "ZOG HIDDEN yes AT SEGMENT 0", shows: never("ann/s0")},
		{area: start, may: "who alone is aware of him", says: "ZOG HIDDEN yes AT SEGMENT 0\nZOG SEEN_BY ann AT SEGMENT 0", shows: func(_ resolve.Outcome, w *World) bool {
			return w.fighter("zog").SeenBy != nil && len(*w.fighter("zog").SeenBy) == 1
		}},

		{area: aware, may: "a blow from behind is noticed", says: "EVENT {ann/s0} AWARE yes", scene: back, plans: parrys, shows: func(out resolve.Outcome, _ *World) bool {
			return !linedEvent(out, "ann/s0", "Target surprised or unaware")
		}},
		{area: aware, may: "a shot is not noticed", says: "EVENT {ann/s0} AWARE no", scene: far(nil, nil), plans: map[game.ID]string{"ann": shoots["ann"], "zog": `{"standing": [{"verb": "dodge_policy"}]}`}, shows: never("zog/ann/s0")},
		{area: aware, may: "the roll of who is surprised", says: "EVENT {zog/s0.a} NOTICES", scene: with(nil, []string{"surprised=true"}), dice: map[string][]int{"awareness/zog": {20}}, shows: after("zog", func(f *Fighter) bool { return !f.Surprise })},
		{area: aware, may: "that he does not", says: "EVENT {zog/s0.a} UNAWARE", scene: with(nil, []string{"surprised=true"}), dice: map[string][]int{"awareness/zog": {1}}, shows: ended("zog/s0.a", "unaware")},
		{area: aware, may: "from where a blow comes", says: "EVENT {ann/s0} SIDE flank", shows: lined("ann/s0", "Blow from the flank", "+10")},
		{area: aware, may: "that it comes from the front", says: "EVENT {ann/s0} SIDE front", scene: back, shows: func(out resolve.Outcome, _ *World) bool { return !linedEvent(out, "ann/s0", "Blow from behind") }},
		{area: aware, may: "that it comes from behind", says: "EVENT {ann/s0} SIDE behind", plans: parrys, dice: hits12, shows: never("zog/ann/s0")},

		{area: order, may: "one act before another of the same segment", says: "EVENT {ann/s0} ORDER -1", scene: frail, plans: both, dice: kills, shows: all(ended("zog/s0", "lost"), after("zog", func(f *Fighter) bool { return f.Status == dead }))},
		{area: order, may: "one act behind another", says: "EVENT {zog/s0} ORDER 1", scene: frail, plans: both, dice: kills, shows: ended("zog/s0", "lost")},
		{area: order, may: "the order of rolls", not: "each die is named after who rolls it and when, so that no order of rolling changes any"},
	}
}

func linedEvent(out resolve.Outcome, ref, label string) bool {
	for _, l := range happened(out, ref).Lines {
		if l.Label == label {
			return true
		}
	}
	return happened(out, ref).Ref == ""
}
