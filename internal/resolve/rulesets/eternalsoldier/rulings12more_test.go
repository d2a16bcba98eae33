package eternalsoldier

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func fightRows12() []row12 {
	const react, charts, hurt, breaks = "8 reactions", "9 charts", "10 damage", "11 breakage"
	dodges := map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "dodge_policy"}]}`}
	crit := map[string][]int{"hit/ann/s0": {2}, "crit/ann/s0": {50}, "dmg/ann": {4, 4}, "agi/zog": {1}}
	fumbles := map[string][]int{"hit/ann/s0": {100}, "fumble/ann/s0": {60}}
	misses := map[string][]int{"hit/ann/s0": {30}, "parry/zog": {100}, "fumble/zog": {60}}
	holds := map[string][]int{"hit/ann/s0": {30}, "parry/zog": {20}, "dmg/ann": {8, 8}}
	mail := with(nil, []string{`armor=["chain_mail","force_field"]`})
	stopped := map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {5, 5}, "armor/zog": {2, 2, 3}}
	foils := with(nil, []string{"weapon=foil"})
	effect := func(word, label string) row12 {
		return row12{area: charts, may: "the result of a critical hit: " + word, says: "EVENT {ann/s0} " + strings.ToUpper(word), dice: crit, shows: func(out resolve.Outcome, _ *World) bool {
			return slices.ContainsFunc(happened(out, "ann/s0").Lines, func(l game.Line) bool {
				return strings.HasPrefix(l.Label, "Critical hit chart") && strings.Contains(strings.ToLower(l.Value), label)
			})
		}}
	}
	bungle := func(word, label string) row12 {
		return row12{area: charts, may: "the result of a fumble: " + word, says: "EVENT {ann/s0} " + strings.ToUpper(word), dice: fumbles, shows: func(out resolve.Outcome, _ *World) bool {
			return slices.ContainsFunc(happened(out, "ann/s0").Lines, func(l game.Line) bool {
				return strings.HasPrefix(l.Label, "Fumble chart") && strings.Contains(strings.ToLower(l.Value), label)
			})
		}}
	}
	return []row12{
		{area: react, may: "he cannot react to a blow", says: "EVENT {ann/s0} REACTION none", plans: parrys, dice: hits12, shows: never("zog/ann/s0")},
		{area: react, may: "he cannot make this parry", says: "EVENT {zog/ann/s0} CANCEL", plans: parrys, dice: hits12, shows: all(ended("zog/ann/s0", "cancelled"), there("zog/ann/s0.e"))},
		{area: react, may: "he cannot make this dodge", says: "EVENT {zog/ann/s0} CANCEL", plans: dodges, dice: hits12, shows: ended("zog/ann/s0", "cancelled")},
		{area: react, may: "he parries though the blow comes from behind", says: "EVENT {ann/s0} REACTION parry", scene: with(nil, []string{"facing=E"}), plans: parrys, dice: hits12, shows: there("zog/ann/s0")},
		{area: react, may: "he dodges though he is surprised", says: "EVENT {ann/s0} REACTION dodge", scene: with(nil, []string{"surprised=true"}), dice: map[string][]int{"hit/ann/s0": {30}, "awareness/zog": {20}}, shows: there("zog/ann/s0")},
		{area: react, may: "he dodges a shot without a policy", says: "EVENT {ann/s0} REACTION dodge", scene: far(nil, nil), plans: shoots, shows: there("zog/ann/s0")},
		{area: react, may: "he parries an arrow", says: "EVENT {ann/s0} REACTION parry", scene: with([]string{"weapon=bow,loaded:true"}, []string{"at=W3"}), plans: shoots, dice: map[string][]int{"hit/ann/s0": {1}}, shows: there("zog/ann/s0")},
		{area: react, may: "he reaches whom he cannot reach", says: "EVENT {ann/s0.x} ALLOW", scene: with([]string{"weapon=throwing_knife"}, []string{"at=AZ3"}), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-throwing_knife", "target": "zog"}]}`}, shows: there("ann/s0")},

		{area: charts, may: "a critical hit", says: "EVENT {ann/s0} CRITICAL", dice: hits12, shows: ended("ann/s0", critical)},
		{area: charts, may: "a critical hit with a shot", says: "EVENT {ann/s0} CRITICAL", scene: far(nil, nil), plans: shoots, shows: ended("ann/s0", critical)},
		{area: charts, may: "a fumble", says: "EVENT {ann/s0} FUMBLE", shows: ended("ann/s0", fumble)},
		{area: charts, may: "that it is none", says: "EVENT {ann/s0} MISS", dice: fumbles, shows: ended("ann/s0", miss)},
		effect("extra", "deep blow"), effect("most", "full weight"), effect("times", "double"), effect("break_arm", "arm"), effect("break_leg", "leg"), effect("sooner", "early"),
		effect("disarm", "drops"), effect("later", "late"), effect("bypass", "armor does not count"), effect("stun", "stunned"),
		effect("footing", "keep its footing").without("crit/ann/s0", 10),
		bungle("drops", "drops"), bungle("falls", "falls"), bungle("stuck", "stuck"), bungle("flies", "flies"), bungle("other", "somebody else"), bungle("self", "himself"), bungle("breaks", "breaks"),
		{area: charts, may: "something else in place of a critical result", says: "EVENT {ann/s0} NOTHING because his belt snaps", dice: crit, shows: func(out resolve.Outcome, _ *World) bool {
			return never("zog/ann/s0.a")(out, nil) && there("zog/ann/s0.e")(out, nil)
		}},
		{area: charts, may: "something else in place of a fumble", says: "EVENT {zog/ann/s0} NOTHING", plans: parrys, dice: misses, shows: after("zog", func(f *Fighter) bool { return f.Shift == 0 && f.LastAction == 0 })},
		{area: charts, may: "the die of a chart", says: "DIE crit/ann/s0 = 75", dice: crit, shows: after("ann", func(f *Fighter) bool { return f.Shift == -2 })},
		{area: charts, may: "rows of a chart", says: `TURN tables.charts.critical.55 = {"effect": "times", "n": 5}`, dice: crit, shows: number("ann/s0", "damage", 40)},
		{area: charts, may: "forbid an option line of a weapon", says: "GAME tables.arms.weapon.spear.thrown = \"\"", scene: with([]string{"weapon=spear"}, []string{"at=H3"}), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-spear", "target": "zog"}]}`}, shows: never("ann/s0")},
		{area: charts, may: "forbid an option this once", says: "EVENT {ann/s0} CANCEL", scene: with([]string{"weapon=spear"}, []string{"at=H3"}), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "throw", "item": "ann-spear", "target": "zog"}]}`}, shows: ended("ann/s0", "cancelled")},

		{area: hurt, may: "amount, before armor", says: "EVENT {ann/s0} DAMAGE 25", dice: hits12, shows: number("zog/ann/s0.e", "damage", 25)},
		{area: hurt, may: "amount, behind armor", says: "EVENT {zog/ann/s0.e} DAMAGE 5", scene: mail, dice: stopped, shows: after("zog", func(f *Fighter) bool { return f.HP == 45 })},
		{area: hurt, may: "type", says: "EVENT {ann/s0} TYPE bullet", scene: mail, dice: stopped, shows: lined("zog/ann/s0.e", "Damage, bullet", "10")},
		{area: hurt, may: "type of one harm", says: "EVENT {zog/ann/s0.e} TYPE energy", scene: mail, dice: stopped, shows: lined("zog/ann/s0.e", "Damage, energy", "10")},
		{area: hurt, may: "location", says: "EVENT {zog/ann/s0.e} LOCATION leg", dice: hits12, shows: lined("zog/ann/s0.e", "Where it hits", "leg")},
		{area: hurt, may: "which layer counts", says: "EVENT {ann/s0} ARMOR force_field", scene: mail, dice: stopped, shows: number("zog/ann/s0.e", "damage", 8)},
		{area: hurt, may: "that armor is bypassed", says: "EVENT {zog/ann/s0.e} ARMOR none", scene: mail, dice: stopped, shows: number("zog/ann/s0.e", "damage", 10)},
		{area: hurt, may: "that armor counts against a critical hit that passes it", says: "EVENT {ann/s0} ARMOR all", scene: mail, dice: map[string][]int{"hit/ann/s0": {2}, "crit/ann/s0": {93}, "dmg/ann": {5, 5}, "armor/zog": {2, 2, 3}}, shows: number("zog/ann/s0.e", "damage", 3)},
		{area: hurt, may: "ablative wear", says: "ZOG WEAR 7", scene: with(nil, []string{"armor=ablative"}), shows: after("zog", func(f *Fighter) bool { return f.Armor[0].Hits == 7 })},
		{area: hurt, may: "what he wears", says: "ZOG WEARS kevlar_suit AT SEGMENT 0", scene: mail, shows: after("zog", func(f *Fighter) bool { return len(f.Armor) == 2 && f.Armor[1].Kind == "kevlar_suit" })},
		{area: hurt, may: "damage that no blow did", says: "ZOG HURT 9", shows: after("zog", func(f *Fighter) bool { return f.HP == 41 })},
		{area: hurt, may: "a die of the damage", says: "DIE dmg/ann/s0 = 8", dice: hits12, shows: number("ann/s0", "damage", 12)},

		{area: breaks, may: "what he parried with breaks", says: "EVENT {zog/ann/s0} BREAKS", plans: parrys, dice: holds, shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].Broken })},
		{area: breaks, may: "it holds", says: "EVENT {zog/ann/s0} HOLDS", scene: foils, plans: parrys, dice: holds, shows: after("zog", func(f *Fighter) bool { return !f.Weapons[0].Broken && f.HP == 50 })},
		{area: breaks, may: "what passes", says: "EVENT {zog/ann/s0} PASSES 3", scene: foils, plans: parrys, dice: holds, shows: number("zog/ann/s0.e", "damage", 3)},
		{area: breaks, may: "a weapon breaks", says: "ZOG BROKEN long sword", shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].Broken })},
		{area: breaks, may: "a shield breaks", says: "ZOG BROKEN medium shield", scene: with(nil, []string{"weapon=medium_shield"}), shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].Broken })},
		{area: breaks, may: "repair", says: "ZOG MENDED foil", scene: foils, plans: parrys, dice: holds, shows: after("zog", func(f *Fighter) bool { return !f.Weapons[0].Broken })},
		{area: breaks, may: "a weapon is stuck", says: "ZOG STUCK long sword", shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].Stuck })},
		{area: breaks, may: "it is free again", says: "ANN FREED long sword AT SEGMENT 5", dice: map[string][]int{"hit/ann/s0": {100}, "fumble/ann/s0": {75}}, shows: after("ann", func(f *Fighter) bool { return !f.Weapons[0].Stuck })},
		{area: breaks, may: "a weapon is dropped", says: "ZOG DROPPED long sword", shows: after("zog", func(f *Fighter) bool { return f.Weapons[0].State == "on_ground" })},
	}
}

// without gives a row another die.
func (r row12) without(die string, n int) row12 {
	dice := map[string][]int{}
	for k, v := range r.dice {
		dice[k] = v
	}
	dice[die] = []int{n}
	r.dice = dice
	return r
}

func woundRows12() []row12 {
	const die, bones, poison, drugs, falls = "12 will and death", "13 bones", "14 poison", "15 drugs", "16 falls"
	weak := with(nil, []string{"hp=20", "hp_now=2", "will=10"})
	down := map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {2, 2}, "will/zog": {19}}
	state := func(want string) func(resolve.Outcome, *World) bool {
		return after("zog", func(f *Fighter) bool { return f.Status == want })
	}
	low := with(nil, []string{"hp=20", "hp_now=-4", "status=unconscious", "will=10"})
	dying := with(nil, []string{"hp=20", "hp_now=-4", "status=faltering"})
	ill := func(kind string) func(testing.TB) *World {
		return func(t testing.TB) *World {
			w := scene12(t, nil, []string{"con=10"})
			w.fighter("zog").Poisons = []Poison{{Type: kind, Due: 3}}
			return w
		}
	}
	fails, makes := map[string][]int{"poison/zog/s3": {15}}, map[string][]int{"poison/zog/s3": {5}}
	broken := func(t testing.TB) *World {
		w := pair12(t)
		w.fighter("zog").Broken = []Bone{{Limb: "leg", Points: 5}}
		return w
	}
	drop := map[string][]int{"agi/zog": {20}, "fall/zog": {3, 3, 3}}
	waits := map[game.ID]string{}
	return []row12{
		{area: die, may: "a will roll is made", says: "EVENT {zog/s0.w} FALTERING", scene: weak, dice: down, shows: state(faltering)},
		{area: die, may: "a will roll is failed", says: "EVENT {zog/s0.w} FALLS", scene: weak, dice: map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {2, 2}, "will/zog": {1}}, shows: state(unconscious)},
		{area: die, may: "he stands", says: "EVENT {zog/s0.w} STANDS", scene: weak, dice: down, shows: state(faltering)},
		{area: die, may: "he loses consciousness", says: "EVENT {zog/s0.w} UNCONSCIOUS", scene: weak, dice: map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {2, 2}, "will/zog": {1}}, shows: state(unconscious)},
		{area: die, may: "he dies of it", says: "EVENT {zog/s0.w} DEAD", scene: weak, dice: down, shows: state(dead)},
		{area: die, may: "a modifier on a will roll", says: "EVENT {zog/s0.w} MODIFIER +15", scene: weak, dice: down, shows: state(faltering)},
		{area: die, may: "the die of a will roll", says: "DIE will/zog/s0 = 1", scene: weak, dice: down, shows: state(faltering)},
		{area: die, may: "when the next will roll is", says: "ZOG WILL_AT 4 AT SEGMENT 0", scene: dying, plans: waits, dice: map[string][]int{"will/zog": {19}}, shows: there("zog/s4.w")},
		{area: die, may: "consciousness", says: "ZOG STATUS unconscious AT SEGMENT 2", plans: waits, shows: state(unconscious)},
		{area: die, may: "how long it is lost", says: "ZOG OUT_UNTIL 6 AT SEGMENT 2", scene: crowd12, plans: waits, shows: there("zog/s6.w")},
		{area: die, may: "recovery", says: "ZOG STATUS able", scene: low, plans: waits, shows: state(active)},
		{area: die, may: "hit points", says: "ZOG HP 12", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.HP == 12 })},
		{area: die, may: "death", says: "ZOG STATUS dead", plans: waits, shows: state(dead)},
		{area: die, may: "surrender", says: "ZOG STATUS surrendered", plans: waits, shows: state(surrendered)},
		{area: die, may: "a dying speech", says: "ZOG DIES_AT 4 AT SEGMENT 0", scene: with(nil, []string{"hp=6"}), plans: map[game.ID]string{"ann": strike, "zog": `{"steps": [{"verb": "hold", "segment": 3}, {"verb": "say", "text": "Tell her."}]}`}, dice: map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {8, 8}}, shows: all(there("zog/s3.s"), state(dead))},
		{area: die, may: "a stun", says: "ANN STUNNED 5 AT SEGMENT 0", shows: never("ann/s0")},

		{area: bones, may: "which bone breaks", says: "ZOG BONE off_arm", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.lame("off_arm") })},
		{area: bones, may: "that it is healed", says: "ZOG BONE none", scene: broken, plans: waits, shows: after("zog", func(f *Fighter) bool { return !f.lame("leg") })},
		{area: bones, may: "which arm of a critical hit", says: "DIE arm/zog/ann/s0 = 2", dice: map[string][]int{"hit/ann/s0": {2}, "crit/ann/s0": {60}, "arm/zog": {1}}, shows: after("zog", func(f *Fighter) bool { return f.lame("off_arm") })},
		{area: bones, may: "how much must heal", says: "ZOG BONE_POINTS 12", scene: broken, plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Broken[0].Points == 12 })},
		{area: bones, may: "treatment", says: "ZOG BONES_SET yes", scene: broken, plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Broken[0].Set })},
		{area: bones, may: "how a treatment ends", says: "EVENT {ann/s10.d} SUCCESS", scene: func(t testing.TB) *World {
			w := scene12(t, []string{"weapon=dagger:belt", "skills.medic=40"}, nil, "segments_per_turn=40")
			w.fighter("zog").Broken = []Bone{{Limb: "leg", Points: 5}}
			return w
		}, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "treat", "target": "zog"}]}`}, shows: after("zog", func(f *Fighter) bool { return f.Broken[0].Set })},
		{area: bones, may: "what is left of it in a leg", says: "ZOG INJURED 3", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Injured == 3 })},
		{area: bones, may: "in the main arm", says: "ZOG INJURED_MAIN 3", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.InjuredM == 3 })},
		{area: bones, may: "in the other arm", says: "ZOG INJURED_OFF 3", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.InjuredO == 3 })},
		{area: bones, may: "how healing goes on", says: "ZOG DAYS 3", scene: broken, plans: waits, shows: there("zog/s9.h")},
		{area: bones, may: "hours of rest", says: "ZOG HOURS 5", plans: waits, shows: there("zog/s9.h")},
		{area: bones, may: "minutes of rest", says: "ZOG MINUTES 5", plans: waits, shows: there("zog/s9.h")},
		{area: bones, may: "medical care", says: "ZOG CARE 30", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Care == 30 })},

		{area: poison, may: "the type", says: "ZOG POISON H", plans: waits, shows: after("zog", func(f *Fighter) bool { return len(f.Poisons) == 1 && f.Poisons[0].Type == "H" })},
		{area: poison, may: "poison on a blade", says: "ANN COATED B AT SEGMENT 0", dice: hits12, shows: after("zog", func(f *Fighter) bool { return len(f.Poisons) == 1 })},
		{area: poison, may: "a type of the GM's own", says: `GAME tables.tables.poison.Z = {"every": 2, "effect": "hp", "recovery": 1}` + "\nZOG POISON A", plans: waits, shows: func(_ resolve.Outcome, w *World) bool {
			return ruleset1.at(w.House).poison("Z") != nil && len(w.fighter("zog").Poisons) == 1
		}},
		{area: poison, may: "an immediate roll", says: "ZOG POISON_AT 1 AT SEGMENT 0", scene: ill("D"), plans: waits, shows: there("zog/s1.p")},
		{area: poison, may: "partial resistance", says: "ZOG POISON_STREAK 2 AT SEGMENT 0", scene: ill("C"), plans: waits, dice: makes, shows: ended("zog/s3.p", "cured")},
		{area: poison, may: "that he resists", says: "EVENT {zog/s3.p} RESISTS", scene: ill("C"), plans: waits, dice: fails, shows: after("zog", func(f *Fighter) bool { return f.HP == 50 && f.Poisons[0].Streak == 1 })},
		{area: poison, may: "that he suffers", says: "EVENT {zog/s3.p} SUFFERS", scene: ill("C"), plans: waits, dice: makes, shows: after("zog", func(f *Fighter) bool { return f.HP == 49 })},
		{area: poison, may: "that it is cured", says: "EVENT {zog/s3.p} CURED", scene: ill("C"), plans: waits, dice: fails, shows: after("zog", func(f *Fighter) bool { return f.Poisons == nil })},
		{area: poison, may: "the dose", says: "EVENT {zog/s3.p} LOSS 6", scene: ill("C"), plans: waits, dice: fails, shows: after("zog", func(f *Fighter) bool { return f.HP == 44 })},
		{area: poison, may: "a modifier on the roll", says: "EVENT {zog/s3.p} MODIFIER +8", scene: ill("C"), plans: waits, dice: fails, shows: ended("zog/s3.p", "resisted")},
		{area: poison, may: "a cure", says: "ZOG POISON none", scene: ill("C"), plans: waits, dice: fails, shows: after("zog", func(f *Fighter) bool { return f.Poisons == nil })},
		{area: poison, may: "points of agility lost", says: "ZOG STIFF 4", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Lame == 4 })},
		{area: poison, may: "air", says: "ZOG AIR no", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Airless > 0 })},

		{area: drugs, may: "rating", says: "ZOG DRUG 3", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.Drug == 3 && f.DrugTill > 9 })},
		{area: drugs, may: "duration", says: "ZOG DRUG 3\nZOG DRUG_UNTIL 40", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.DrugTill == 40 })},
		{area: drugs, may: "side effects", says: "ZOG DRUG 3\nZOG DRUG_AGI -2", plans: waits, shows: after("zog", func(f *Fighter) bool { return f.DrugAgi == -2 })},

		{area: falls, may: "a fall", says: "ZOG FALL 45", plans: waits, dice: drop, shows: after("zog", func(f *Fighter) bool { return f.HP == 41 })},
		{area: falls, may: "a collision", says: "ZOG COLLIDE 30", plans: waits, dice: drop, shows: after("zog", func(f *Fighter) bool { return f.HP == 41 })},
		{area: falls, may: "its dice", first: "ZOG FALL 45", says: "DIE fall/zog/zog/s9.g1 = 6", plans: waits, dice: drop, shows: after("zog", func(f *Fighter) bool { return f.HP == 38 })},
		{area: falls, may: "the agility roll", first: "ZOG FALL 45", says: "DIE agi/zog/zog/s9.g1 = 1", plans: waits, dice: drop, shows: after("zog", func(f *Fighter) bool { return f.HP == 44 })},
		{area: falls, may: "whether armor counts", first: "ZOG FALL 45", says: "EVENT {zog/zog/s9.g1.e} ARMOR none", scene: with(nil, []string{"armor=force_field"}), plans: waits, dice: map[string][]int{"agi/zog": {20}, "fall/zog": {3, 3, 3}, "armor/zog": {4}}, shows: after("zog", func(f *Fighter) bool { return f.HP == 41 })},
		{area: falls, may: "the damage", first: "ZOG FALL 45", says: "EVENT {zog/zog/s9.g1.e} DAMAGE 20", plans: waits, dice: drop, shows: after("zog", func(f *Fighter) bool { return f.HP == 30 })},
	}
}
