package eternalsoldier

import (
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func mapRows12() []row12 {
	const bang, cover = "17 explosions", "18 cover and movement"
	grenade := with([]string{"weapon=grenade"}, []string{"at=Z3"})
	lob := map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-grenade", "target": [25, 2]}]}`}
	boom := map[string][]int{"hit/ann/s0": {10}, "dmg/ann": {2, 2, 2, 2, 2, 2}, "casualty/ann": {1, 1, 1}, "agi/zog": {5}}
	walled := func(t testing.TB) *World {
		s := field(nil, who("ann", "a", "C3", "agi=10", "hp=50", "skills.thrown=50", "skills.one_handed_missile=50", "skills.one_handed=60", "weapon=luger"), who("zog", "b", "W3", "agi=10", "hp=50", "weapon=long_sword"))
		s.Features = []game.Feature{
			{ID: "gate", Name: "gate", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 10, Y: 2}}},
			{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 21, Y: 2}}},
		}
		s.Settings = append(s.Settings, raw("structures.gate", "wood 3"))
		return world(t, s)
	}
	onCrate := func(t testing.TB) *World {
		w := pair12(t)
		w.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Squares: []game.Square{{X: 2, Y: 2}}}}
		return w
	}
	shot := there("ann/s0")
	crate := func(test func(game.Feature) bool) func(resolve.Outcome, *World) bool {
		return func(_ resolve.Outcome, w *World) bool { return test(w.Features[1]) }
	}
	walks := map[game.ID]string{"ann": `{"steps": [{"verb": "move", "to": [0, 2], "mode": "walk"}]}`}
	runner := func(t testing.TB) *World { return scene12(t, nil, []string{"at=W3"}) }
	runs := map[game.ID]string{"ann": `{"steps": [{"verb": "move", "to": [22, 8], "mode": "run"}]}`}
	crossing := map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 3}, {"verb": "fire", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "move", "direction": "S", "mode": "run"}]}`}
	return []row12{
		{area: bang, may: "it comes down elsewhere", says: "EVENT {ann/s0} LANDS AZ9", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.HP == 50 })},
		{area: bang, may: "scatter", says: "EVENT {ann/s0} MISS", scene: grenade, plans: lob, dice: boom, shows: ended("ann/s0", miss)},
		{area: bang, may: "a dud", says: "EVENT {ann/s0} DUD", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.HP == 50 })},
		{area: bang, may: "damage in the kill zone", says: "EVENT {ann/s0} DAMAGE 30", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.HP == 20 })},
		{area: bang, may: "damage in the casualty zone", says: "EVENT {ann/s0} CASUALTY 20\nZOG ZONE casualty AT EVENT {ann/s0}", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.HP == 30 })},
		{area: bang, may: "who is inside", says: "ANN ZONE kill AT EVENT {ann/s0}", scene: grenade, plans: lob, dice: boom, shows: there("ann/ann/s0.e")},
		{area: bang, may: "who is outside", says: "ZOG ZONE out AT EVENT {ann/s0}", scene: grenade, plans: lob, dice: boom, shows: never("zog/ann/s0.e")},
		{area: bang, may: "who is behind cover", says: "EVENT {zog/ann/s0.e} DAMAGE 0", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.HP == 50 })},
		{area: bang, may: "the radii of its zones", says: `TURN tables.arms.weapon.grenade = {"kill_ft": 1, "casualty_ft": 2}`, scene: func(t testing.TB) *World {
			return scene12(t, []string{"weapon=grenade"}, []string{"at=AA3"})
		}, plans: lob, dice: boom, shows: never("zog/ann/s0.e")},
		{area: bang, may: "who stays on his feet", says: "EVENT {zog/ann/s0.a} FALLS", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.Posture == "prone" })},
		{area: bang, may: "that he stays up", says: "EVENT {zog/ann/s0.a} STANDS", scene: grenade, plans: lob, dice: map[string][]int{"hit/ann/s0": {10}, "agi/zog": {20}, "dmg/ann": {1, 1, 1, 1, 1, 1}}, shows: after("zog", func(f *Fighter) bool { return f.Posture == "stand" })},
		{area: bang, may: "a modifier on his footing", says: "EVENT {zog/ann/s0.a} MODIFIER -9", scene: grenade, plans: lob, dice: boom, shows: after("zog", func(f *Fighter) bool { return f.Posture == "prone" })},
		{area: bang, may: "secondary damage", says: "ZOG HURT 6 AT SEGMENT 1", scene: grenade, plans: lob, dice: boom, shows: there("zog/zog/s1.g1.e")},
		{area: bang, may: "a structure collapses", says: "GATE HITS 0", scene: walled, plans: shoots, shows: func(_ resolve.Outcome, w *World) bool { return w.Features[0].State == destroyed }},
		{area: bang, may: "what a structure can still take", says: "GATE HITS 7", scene: walled, plans: shoots, shows: func(_ resolve.Outcome, w *World) bool { return w.Sections["gate"].Left == 7 }},
		{area: bang, may: "what it is made of", says: "GATE MATERIAL stone", scene: walled, plans: shoots, shows: func(_ resolve.Outcome, w *World) bool { return w.Sections["gate"].Kind == "stone" }},
		{area: bang, may: "how thick it is", says: "GATE THICKNESS 5", scene: walled, plans: shoots, shows: func(_ resolve.Outcome, w *World) bool { return w.Sections["gate"].Tenths == 50 }},
		{area: bang, may: "that what was struck collapses", says: "EVENT {ann/s0.t} COLLAPSES", scene: walled, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`}, dice: map[string][]int{"hit/ann/s0": {1}}, shows: ended("ann/s0.t", destroyed)},
		{area: bang, may: "that it stands", says: "EVENT {ann/s0.t} STANDS", scene: func(t testing.TB) *World {
			w := walled(t)
			s := w.Sections["gate"]
			s.Left, s.Tenths = 1, 1
			w.Sections["gate"] = s
			return w
		}, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`}, dice: map[string][]int{"hit/ann/s0": {1}, "dmg/ann": {8, 8}}, shows: func(_ resolve.Outcome, w *World) bool { return w.Features[0].State != destroyed }},
		{area: bang, may: "whom strikes what goes through", says: "EVENT {ann/s0.t} STRIKES", scene: walled, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`}, dice: map[string][]int{"hit/ann/s0": {1}, "dmg/ann": {8, 8, 8, 8}}, first: "EVENT {ann/s0} DAMAGE 90", shows: func(out resolve.Outcome, w *World) bool { return w.fighter("zog").HP < 50 }},
		{area: bang, may: "that it strikes nobody", says: "EVENT {ann/s0.t} MISSES", scene: walled, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`}, dice: map[string][]int{"hit/ann/s0": {1}}, first: "EVENT {ann/s0} DAMAGE 90", shows: func(out resolve.Outcome, _ *World) bool {
			return happened(out, "ann/s0").Numbers["damage"] == 90 && !slices.ContainsFunc(out.Inquiries, func(q game.Inquiry) bool { return q.Ref == "ann/s0.t" && q.Kind == "structure" })
		}},

		{area: cover, may: "percent of a body for one shot", says: "EVENT {ann/s0} COVER 75", scene: far(nil, nil), plans: shoots, shows: lined("ann/s0", "Three quarters in cover", "-30")},
		{area: cover, may: "that cover does not count", says: "EVENT {ann/s0} COVER none", scene: func(t testing.TB) *World {
			w := walled(t)
			w.Features[0].Opaque, w.Features[1].Cover = false, "hard"
			return w
		}, plans: shoots, shows: func(out resolve.Outcome, _ *World) bool {
			return there("ann/s0")(out, nil) && !linedEvent(out, "ann/s0", "Half in cover")
		}},
		{area: cover, may: "what a shield covers", says: "EVENT {ann/s0} SHIELD 35", scene: far(nil, []string{"weapon=medium_shield"}), plans: shoots, shows: lined("ann/s0", "Behind a medium shield", "-35")},
		{area: cover, may: "range", says: "EVENT {ann/s0} RANGE 70", scene: far(nil, nil), plans: shoots, shows: lined("ann/s0", "Range 70 yd", "-20")},
		{area: cover, may: "degrees that the aim swings", says: "EVENT {ann/s3} DEGREES 12", scene: far(nil, nil), plans: crossing, shows: lined("ann/s3", "Aim swings", "-12")},
		{area: cover, may: "speed", says: "ANN SPEED 40 AT SEGMENT 0", scene: runner, plans: runs, shows: number("ann/s0.m", "feet_a_segment", 40)},
		{area: cover, may: "the speed of one movement", says: "EVENT {ann/s0.m} FEET 30", scene: runner, plans: runs, shows: number("ann/s0.m", "feet_a_segment", 30)},
		{area: cover, may: "the speeds of all", says: "TURN tables.tables.pace.run 200", scene: runner, plans: runs, shows: number("ann/s0.m", "feet_a_segment", 20)},
		{area: cover, may: "where somebody is", says: "ANN AT A9 AT EVENT {ann/s0.m}", plans: walks, shows: number("ann/s4.n", "feet", 18)},
		{area: cover, may: "how somebody holds himself", says: "ZOG POSTURE prone AT EVENT {ann/s0}", dice: hits12, shows: lined("ann/s0", "Target prone", "+20")},
		{area: cover, may: "the cover that a thing gives", says: "CRATE COVER hard AT SEGMENT 0\nGATE GONE yes AT SEGMENT 0", scene: walled, plans: shoots, shows: lined("ann/s0", "Half in cover", "-20")},
		{area: cover, may: "bad footing on a thing", says: "CRATE DIFFICULT yes AT SEGMENT 0", scene: onCrate, shows: lined("ann/s0", "Bad footing", "-10")},
		{area: cover, may: "bad footing in a square", says: "C3 TERRAIN difficult AT SEGMENT 0", shows: lined("ann/s0", "Bad footing", "-10")},
		{area: cover, may: "what somebody stands on", says: "ANN GROUND high AT SEGMENT 0", shows: lined("ann/s0", "Higher ground", "+10")},
		{area: cover, may: "who rides", says: "ANN MOUNTED yes AT SEGMENT 0", shows: lined("ann/s0", "Higher ground", "+10")},
		{area: cover, may: "a thing that hides nobody", says: "CRATE LOW no", scene: walled, plans: shoots, shows: crate(func(f game.Feature) bool { return !f.Low })},
		{area: cover, may: "what can be seen through", says: "GATE OPAQUE no AT SEGMENT 0", scene: walled, plans: shoots, shows: shot},
		{area: cover, may: "where a thing is", says: "GATE AT AZ9 AT SEGMENT 0", scene: walled, plans: shoots, shows: shot},
		{area: cover, may: "a wall where none was", says: "H3 TERRAIN wall AT SEGMENT 0", scene: far(nil, nil), plans: shoots, shows: never("ann/s0")},
		{area: cover, may: "none where one was", says: "K3 TERRAIN open AT SEGMENT 0", scene: walled, plans: shoots, shows: shot},
	}
}

func holdRows12() []row12 {
	const wrestle, skills = "19 wrestling", "20 skills"
	bare := with([]string{"weapon=dagger:belt", "skills.wrestling=60"}, nil)
	grabs := func(kind string) map[game.ID]string {
		return map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog", "kind": "` + kind + `"}]}`}
	}
	held := func(t testing.TB) *World {
		w := bare(t)
		w.fighter("zog").Held = []HeldBy{{By: "ann", Hold: "grab"}}
		return w
	}
	frees := map[game.ID]string{"zog": `{"steps": [{"verb": "break_free"}]}`}
	skill := func(name, id string) row12 {
		return row12{area: skills, may: "his skill " + id, says: "ZOG " + name + " 44", shows: after("zog", func(f *Fighter) bool { return f.Skills[id].Tenths == 440 })}
	}
	return []row12{
		{area: wrestle, may: "a hold is impossible against such a body", says: "EVENT {ann/s0} CANCEL", scene: bare, plans: grabs("trip"), shows: ended("ann/s0", "cancelled")},
		{area: wrestle, may: "a hold that the rules forbid", says: "EVENT {ann/s0.x} ALLOW", scene: bare, plans: grabs("full_pin"), shows: there("ann/s0")},
		{area: wrestle, may: "a hold with a weapon in hand", says: "EVENT {ann/s0.x} ALLOW", plans: grabs("grab"), shows: there("ann/s0")},
		{area: wrestle, may: "a modifier for size", says: "EVENT {ann/s0} MODIFIER -20 because he is a giant", scene: bare, plans: grabs("trip"), shows: number("ann/s0", "chance", 50)},
		{area: wrestle, may: "modifiers of holds", says: "GAME tables.charts.hold.trip.modifier 30", scene: bare, plans: grabs("trip"), shows: number("ann/s0", "chance", 90)},
		{area: wrestle, may: "who holds whom", says: "ZOG HELD_BY ann", plans: map[game.ID]string{}, shows: after("zog", func(f *Fighter) bool { return len(f.Held) == 1 })},
		{area: wrestle, may: "which hold it is", says: "ZOG HOLD head_lock", scene: held, plans: map[game.ID]string{}, shows: after("zog", (*Fighter).inHeadLock)},
		{area: wrestle, may: "that he is free", says: "ZOG HELD no", scene: held, plans: map[game.ID]string{}, shows: after("zog", func(f *Fighter) bool { return f.Held == nil })},
		{area: wrestle, may: "that he gets out of it", says: "EVENT {zog/s0} FREE", scene: held, plans: frees, dice: map[string][]int{"escape/zog": {90}}, shows: after("zog", func(f *Fighter) bool { return f.Held == nil })},
		{area: wrestle, may: "that he does not", says: "EVENT {zog/s0} HELD", scene: held, plans: frees, dice: map[string][]int{"escape/zog": {1}, "escape/ann": {99}}, shows: after("zog", func(f *Fighter) bool { return f.Held != nil })},
		{area: wrestle, may: "a modifier on getting out", says: "EVENT {zog/s0} MODIFIER +50", scene: held, plans: frees, dice: map[string][]int{"escape/zog": {80}, "escape/ann": {90}}, shows: after("zog", func(f *Fighter) bool { return f.Held == nil })},

		skill("ONE_HANDED", "one_handed"), skill("TWO_HANDED", "two_handed"), skill("HAND_TO_HAND", "hand_to_hand"), skill("DEFENSE", "defense"), skill("ARCHERY", "archery"),
		skill("ONE_HANDED_MISSILE", "one_handed_missile"), skill("TWO_HANDED_MISSILE", "two_handed_missile"), skill("THROWN", "thrown"), skill("WRESTLING", "wrestling"), skill("JUDO", "judo"),
		skill("SHIELD", "shield"), skill("ACROBATICS", "acrobatics"), skill("AWARENESS", "awareness"), skill("MEDIC", "medic"), skill("POWERED_ARMOR", "powered_armor"), skill("MOUNTED_LANCE", "mounted_lance"),
		{area: skills, may: "a skill that the book does not list", says: `GAME tables.skills.skill.seamanship = {"name": "Seamanship"}` + "\nZOG ROLL int", plans: map[game.ID]string{}, shows: func(_ resolve.Outcome, w *World) bool {
			return ruleset1.at(w.House).skill("seamanship") != nil
		}},
		{area: skills, may: "an attribute roll for anything", says: "ZOG ROLL agi AT SEGMENT 3", dice: map[string][]int{"agi/zog/s3": {9}}, shows: ended("zog/s3.g1", wordSuccess)},
		{area: skills, may: "a skill roll for anything", says: "ZOG ROLL acrobatics", dice: map[string][]int{"acrobatics/zog/s9": {99}}, shows: ended("zog/s9.g1", miss)},
		{area: skills, may: "a modifier on such a roll", first: "ZOG ROLL agi", says: "EVENT {zog/s9.g1} MODIFIER +5 because it is dark", dice: map[string][]int{"agi/zog/s9": {14}}, shows: ended("zog/s9.g1", wordSuccess)},
	}
}

func processRows12() []row12 {
	const optional, rewind, over = "21 optional rules", "22 rewind", "23 take over"
	joins := func(t testing.TB) *World {
		w := pair12(t)
		w.fighter("zog").SeenBy = &[]game.ID{}
		return w
	}
	closed := func(t testing.TB) *World {
		w := scene12(t, []string{"weapon=luger"}, []string{"at=H3"})
		w.Features = []game.Feature{{ID: "gate", Name: "gate", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 5, Y: 2}}}}
		return w
	}
	return []row12{
		{area: optional, may: "stun from damage", says: "TURN stun_from_damage true", dice: hits12, shows: after("zog", func(f *Fighter) bool { return f.StunnedTo > 0 })},
		{area: optional, may: "opposed combat", says: "GAME opposed_combat true", plans: parrys, dice: map[string][]int{"hit/ann/s0": {10}, "parry/zog": {60}}, shows: func(out resolve.Outcome, w *World) bool {
			return happened(out, "zog/ann/s0").Outcome == miss && w.Settings["opposed_combat"] == "true"
		}},
		{area: optional, may: "each setting for a turn or from now on", shown: "resolve/rulesets/eternalsoldier TestRulesOfATurn"},
		{area: optional, may: "each switch of section 12", shown: "resolve/rulesets/eternalsoldier TestSwitches12"},
		{area: rewind, may: "open the turn again", shown: "daemon TestReopened"},
		{area: rewind, may: "replay with changes", shown: "daemon TestRulings"},
		{area: rewind, may: "change what was before any event", says: "ZOG HP 9 AT EVENT {ann/s0}", dice: hits12, shows: after("zog", func(f *Fighter) bool { return f.HP == 1 })},
		{area: rewind, may: "annotate the log", shown: "daemon TestRulings"},
		{area: over, may: "any character", shown: "daemon TestOrdersInAPlayersStead"},
		{area: over, may: "reinforcements", says: "ZOG HIDDEN no AT SEGMENT 4\nZOG AT D4 AT SEGMENT 4", scene: joins, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "set_attack", "target": "zog", "wait": 1}], "reactions": [{"when": {"kind": "los", "who": "zog"}, "do": [{"verb": "melee", "target": "zog"}]}]}`}, shows: there("ann/s4")},
		{area: over, may: "a door opens", says: "GATE OPEN yes AT SEGMENT 4", scene: closed, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 5}, {"verb": "fire", "target": "zog"}]}`}, shows: there("ann/s5")},
		{area: over, may: "weather and light", says: "TURN light darkness AT SEGMENT 4", plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 5}, {"verb": "melee", "target": "zog"}]}`}, shows: lined("ann/s5", "Darkness", "-40")},
		{area: over, may: "combatants who are not in the game file", not: "whose dice are whose is fixed when the turn opens; who may join stands hidden in the game file, and HIDDEN and AT bring him in"},
		{area: over, may: "let the fight end", says: "ZOG STATUS surrendered AT SEGMENT 2", shows: func(out resolve.Outcome, w *World) bool { return out.Done && w.Segment == 3 }},
	}
}
