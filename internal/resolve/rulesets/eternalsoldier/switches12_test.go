package eternalsoldier

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// TestRulesOfATurn end with the turn; those of the game stay.
func TestRulesOfATurn(t *testing.T) {
	t.Parallel()
	rulesettest.RulesOfATurn(t, ruleset(t), row12{}.input, func(w game.World, key string) string {
		return rules{book(t).tables, w.(*World).Settings}.word(key)
	})
}

// switch12 is one of the switches at the end of section 12: where it stands in a
// game file, a value that is not the default, and a turn that shows its effect.
type switch12 struct {
	key, value string
	row        row12
}

// list12 is the list at the end of section 12, as it is written there.
const list12 = `segmentTable segmentRounding earlyPenaltyTable setCap critBase fumbleRule fumbleAlways100 hitAlways01 offHandShieldPenalty strBonusApplies
	breakIncludesAttackerSTR armorOnLeftover critReducedStillLands reactionResetsActivity fastMoveStopsPreparation missileDodgeDivideAfterPenalty willTimerResetsOnHit
	d20Extremes stunFromDamage opposedCombat calledShots woundedPenalty segmentsPerTurn rangeChart meleeAdjustments missileAdjustments criticalChart fumbleChart wrestlingChart
	judoChart weapons armor shields structures poisons actionClasses`

func switches12() map[string]switch12 {
	early := map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}, {"verb": "quick_attack", "target": "zog", "early": 1}]}`}
	waits := map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 6}, {"verb": "melee", "target": "zog"}]}`}
	crit := map[string][]int{"hit/ann": {2}, "crit/ann": {50}, "dmg/ann": {4, 4}, "agi/zog": {1}}
	strong := with([]string{"str=18", "hp=50"}, []string{"weapon=foil"})
	parries := map[string][]int{"hit/ann": {30}, "parry/zog": {20}, "dmg/ann": {3, 3}}
	shield := map[string][]int{"hit/ann": {30}, "parry/zog": {99}}
	low := with(nil, []string{"hp=20", "hp_now=1", "will=15"})
	runner := map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}, {"verb": "move", "to": [2, 12], "mode": "run"}]}`}
	bare := with([]string{"weapon=dagger:belt"}, nil)
	grabs := func(kind string) map[game.ID]string {
		return map[game.ID]string{"ann": `{"steps": [{"verb": "wrestle", "target": "zog", "kind": "` + kind + `"}]}`}
	}
	prone := map[game.ID]string{"ann": `{"steps": [{"verb": "posture", "posture": "prone"}]}`}
	return map[string]switch12{
		"segmentTable":                   {"tables.segments.table", table12(), row12{plans: prone, shows: number("ann/s0.b", "segments", 4)}},
		"segmentRounding":                {"segment_rounding", "half_down", row12{scene: with([]string{"agi=20"}, nil), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "blows": 2}]}`}, shows: there("ann/s3")}},
		"earlyPenaltyTable":              {"tables.tables.early.penalty", "[7, 9]", row12{plans: early, shows: lined("ann/s6", "1 segment early", "-7")}},
		"setCap":                         {"set_cap", "30", row12{plans: waits, shows: lined("ann/s6", "Set for 6 segments", "+30")}},
		"critBase":                       {"crit_base", "unadjusted", row12{scene: with(nil, []string{"posture=prone"}), dice: map[string][]int{"hit/ann": {8}, "crit/ann": {50}, "agi/zog": {1}}, shows: ended("ann/s0", hit)}},
		"fumbleRule":                     {"fumble_rule", "flat96", row12{dice: map[string][]int{"hit/ann": {96}, "fumble/ann": {60}}, scene: with([]string{"skills.one_handed=75"}, nil), shows: ended("ann/s0", fumble)}},
		"fumbleAlways100":                {"fumble_always_100", "false", row12{dice: map[string][]int{"hit/ann": {100}, "fumble/ann": {60}}, scene: with([]string{"skills.one_handed=90"}, nil), shows: ended("ann/s0", hit)}},
		"hitAlways01":                    {"hit_always_01", "false", row12{dice: map[string][]int{"hit/ann": {1}}, scene: far([]string{"skills.one_handed_missile=1"}, nil, "light=darkness"), plans: shoots, shows: ended("ann/s0", miss)}},
		"offHandShieldPenalty":           {"off_hand_shield_penalty", "false", row12{scene: with(nil, []string{"weapon=medium_shield"}), plans: parrys, dice: shield, shows: number("zog/ann/s0", "chance", 90)}},
		"strBonusApplies":                {"str_bonus_applies", "none", row12{scene: strong, dice: parries, shows: number("zog/ann/s0.e", "damage", 6)}},
		"breakIncludesAttackerSTR":       {"break_includes_attacker_str", "false", row12{scene: strong, plans: parrys, dice: parries, shows: all(ended("zog/ann/s0", "success"), number("ann/s0", "damage", 6))}},
		"armorOnLeftover":                {"armor_on_leftover", "false", row12{scene: with(nil, []string{"weapon=foil", "armor=plate_mail"}), plans: parrys, dice: map[string][]int{"hit/ann": {30}, "parry/zog": {20}, "dmg/ann": {6, 6}, "armor/zog": {5, 5}}, shows: number("zog/ann/s0.e", "damage", 4)}},
		"critReducedStillLands":          {"crit_reduced_still_lands", "false", row12{plans: parrys, dice: map[string][]int{"hit/ann": {2}, "parry/zog": {20}, "dmg/ann": {4, 4}}, shows: never("zog/ann/s0.e")}},
		"reactionResetsActivity":         {"reaction_resets_activity", "false", row12{scene: with(nil, []string{"weapon=medium_shield", "weapon=dagger:belt"}), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 1}, {"verb": "melee", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "ready", "action": "draw", "item": "zog-dagger"}], "standing": [{"verb": "parry_policy"}]}`}, dice: map[string][]int{"hit/ann": {30}, "parry/zog": {5}}, shows: there("zog/s3.d")}},
		"fastMoveStopsPreparation":       {"fast_move_stops_preparation", "false", row12{plans: runner, shows: after("ann", func(f *Fighter) bool { return f.Delay == 0 })}},
		"missileDodgeDivideAfterPenalty": {"missile_dodge_divide_after_penalty", "false", row12{scene: far(nil, nil), plans: map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 5}, {"verb": "fire", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "posture", "posture": "kneel"}], "standing": [{"verb": "dodge_policy"}]}`}, shows: never("zog/ann/s5")}},
		"willTimerResetsOnHit":           {"will_timer_resets_on_hit", "false", row12{scene: low, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "blows": 2}]}`}, dice: map[string][]int{"hit/ann": {30, 30}, "dmg/ann": {1, 1, 1, 1}, "will/zog": {1, 1}}, shows: after("zog", func(f *Fighter) bool { return f.WillAt == 10 })}},
		"d20Extremes":                    {"d20_extremes", "true", row12{scene: with(nil, []string{"hp=20", "hp_now=1", "will=25"}), dice: map[string][]int{"hit/ann": {30}, "dmg/ann": {1, 1}, "will/zog": {20}}, shows: after("zog", func(f *Fighter) bool { return f.Status == unconscious })}},
		"stunFromDamage":                 {"stun_from_damage", "true", row12{dice: map[string][]int{"hit/ann": {30}, "dmg/ann": {4, 4}}, shows: after("zog", func(f *Fighter) bool { return f.StunnedTo > 0 })}},
		"opposedCombat":                  {"opposed_combat", "true", row12{plans: parrys, dice: map[string][]int{"hit/ann": {10}, "parry/zog": {60}}, shows: ended("zog/ann/s0", miss)}},
		"calledShots":                    {"called_shots", "true", row12{plans: map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "called": "head"}]}`}, shows: lined("ann/s0", "Called shot at the head", "-30")}},
		"woundedPenalty":                 {"wounded_penalty", "true", row12{scene: with([]string{"hp_now=-2", "will=18", "status=faltering"}, nil), shows: lined("ann/s0", "At 0 hit points or below", "-10")}},
		"segmentsPerTurn":                {"segments_per_turn", "4", row12{shows: func(_ resolve.Outcome, w *World) bool { return w.Segment == 4 }}},
		"rangeChart":                     {"tables.tables.range.band", `[{"to": 100, "modifier": 33}]`, row12{scene: far(nil, nil), plans: shoots, shows: lined("ann/s0", "Range 20 yd", "+33")}},
		"meleeAdjustments":               {"tables.adjustments.melee.target_prone.attack", "31", row12{scene: with(nil, []string{"posture=prone"}), shows: lined("ann/s0", "Target prone", "+31")}},
		"missileAdjustments":             {"tables.adjustments.missile.target_prone.attack", "-31", row12{scene: far(nil, []string{"posture=prone"}), plans: shoots, shows: lined("ann/s0", "Target prone", "-31")}},
		"criticalChart":                  {"tables.charts.critical.55", `{"effect": "times", "n": 5}`, row12{dice: crit, shows: number("ann/s0", "damage", 40)}},
		"fumbleChart":                    {"tables.charts.fumble.70", `{"effect": "breaks"}`, row12{dice: map[string][]int{"hit/ann": {100}, "fumble/ann": {60}}, shows: after("ann", func(f *Fighter) bool { return f.Weapons[0].Broken })}},
		"wrestlingChart":                 {"tables.charts.hold.trip.modifier", "31", row12{scene: bare, plans: grabs("trip"), shows: lined("ann/s0", "trip", "+31")}},
		"judoChart":                      {"tables.charts.hold.sweep.modifier", "31", row12{scene: bare, plans: grabs("sweep"), shows: lined("ann/s0", "sweep", "+31")}},
		"weapons":                        {"tables.arms.weapon.long_sword.bonus", "31", row12{shows: number("ann/s0", "chance", 91)}},
		"armor":                          {"tables.armor.armor.leather.edged", "1d4", row12{scene: with(nil, []string{"armor=leather"}), dice: map[string][]int{"hit/ann": {30}, "dmg/ann": {4, 4}, "armor/zog": {2}}, shows: number("zog/ann/s0.e", "damage", 6)}},
		"shields":                        {"tables.arms.shield.medium_shield.bonus", "31", row12{scene: with(nil, []string{"weapon=medium_shield"}), plans: parrys, dice: shield, shows: number("zog/ann/s0", "chance", 81)}},
		"structures":                     {"tables.structures.structure.wood.bullet", "1", row12{scene: gate12, plans: map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "gate"}]}`}, dice: map[string][]int{"hit/ann": {1}}, shows: number("ann/s0.t", "stops", 3)}},
		"poisons": {"tables.tables.poison.D.every", "3", row12{scene: func(t testing.TB) *World {
			w := pair12(t)
			w.fighter("zog").Poisons = []Poison{{Type: "D", Due: 1}}
			return w
		}, shows: all(there("zog/s4.p"), never("zog/s3.p"))}},
		"actionClasses": {"tables.actions.action.prone.class", "4", row12{plans: prone, shows: number("ann/s0.b", "segments", 4)}},
	}
}

// table12 is a chart of segments in which all takes four.
func table12() string {
	row := "[" + strings.TrimSuffix(strings.Repeat("4, ", 10), ", ") + "]"
	return "[" + strings.TrimSuffix(strings.Repeat(row+", ", 12), ", ") + "]"
}

// gate12 is a wooden gate before Ann, who has a pistol.
func gate12(t testing.TB) *World {
	s := field(nil, who("ann", "a", "C3", "agi=10", "hp=50", "skills.one_handed_missile=50", "weapon=luger"), who("zog", "b", "W3", "hp=50"))
	s.Features = []game.Feature{{ID: "gate", Name: "gate", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 10, Y: 2}}}}
	s.Settings = append(s.Settings, raw("structures.gate", "wood 3"))
	return world(t, s)
}

// TestSwitches12 walks the list at the end of section 12: each switch can be set by
// a game file and by a ruling, and it has an effect.
func TestSwitches12(t *testing.T) {
	t.Parallel()
	known := switches12()
	for _, name := range strings.Fields(list12) {
		s, ok := known[name]
		if !ok {
			t.Errorf("there is no switch %s", name)
			continue
		}
		delete(known, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.try(t)
		})
	}
	for name := range known {
		t.Errorf("%s is not in the list", name)
	}
}

func (s switch12) try(t *testing.T) {
	rules := ruleset(t)
	in := s.row.input(t)
	plain := rules.Resolve(in)
	shows := func(out resolve.Outcome) bool { return s.row.shows(out, out.World.(*World)) }
	if shows(plain) {
		t.Fatalf("it is so without the switch:\n%s", rulesettest.Told(plain))
	}
	for _, word := range []string{"TURN ", "GAME "} {
		text := rulesettest.Typed(t, rules, in, plain, word+s.key+" "+s.value)
		if len(text.Rulings) != 1 || len(text.Problems) > 0 {
			t.Fatalf("read %+v", text)
		}
		ruled := s.row.input(t)
		ruled.Rulings = text.Rulings
		if out := rules.Resolve(ruled); !shows(out) || len(out.Unused) > 0 {
			t.Errorf("%sdoes not show, unused %v:\n%s", word, out.Unused, rulesettest.Told(out))
		}
	}
	// The same in a game file.
	scene := field([]string{s.key + "=" + s.value}, who("ann", "a", "C3"), who("zog", "b", "D3"))
	set := world(t, scene)
	filed := s.row.input(t)
	w := filed.World.(*World)
	w.House = set.House
	maps.Copy(w.Settings, set.Settings)
	if len(set.House)+len(set.Settings) != 1 {
		t.Errorf("the game file sets %v %v", set.House, slices.Sorted(maps.Keys(set.Settings)))
	}
	if out := rules.Resolve(filed); !shows(out) {
		t.Errorf("set in a game file it does not show:\n%s", rulesettest.Told(out))
	}
}

// TestRulingsThatCannotBe are refused when they are read, with what may be written.
func TestRulingsThatCannotBe(t *testing.T) {
	t.Parallel()
	r := row12{scene: func(t testing.TB) *World {
		w := scene12(t, nil, []string{"weapon=long_sword", "weapon=dagger:belt"})
		w.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 9, Y: 9}}}}
		w.Segment = 5
		return w
	}, dice: map[string][]int{"hit/ann": {30}}}
	rulesettest.Refused(t, ruleset(t), r.input(t), map[string]string{
		"ANN HP 51":                      "at most 50 hit points",
		"ANN HP lots":                    "from -1000 to 10000",
		"ANN AT ZZ9":                     "from A1 to CB20",
		"ANN STATUS faltering":           "has 50 hit points",
		"ANN AMMO 3":                     "holds no rounds",
		"ANN CARRIES 3":                  "carries no ammunition",
		"ANN DRAWN dagger":               "Name one of his: long sword",
		"ANN BROKEN spoon":               "long sword, dagger",
		"ANN RELOAD_CLASS 3":             "nothing in hand that is loaded",
		"ANN WEAR 3":                     "nothing that burns away",
		"ANN HELD_BY ann":                "Name somebody else",
		"ANN SEEN_BY ann":                "Name somebody else",
		"ANN ZONE kill":                  "ANN ZONE kill AT EVENT 7",
		"ANN HP 9 AT SEGMENT 4":          "from 5 on",
		"ANN HP 9 AT EVENT 99":           "from 1 to",
		"ANN SIZE vast":                  "tiny, small",
		"ANN POISON Q":                   "none",
		"ANN SPEED_CLASS 11":             "from 1 to 10",
		"ANN ROLL luck":                  "str, agi",
		"EVENT {zog/ann/s5.e} PARRY":     "Outcomes are HIT",
		"EVENT {zog/ann/s5.e} HIT":       "DAMAGE, TYPE, ARMOR",
		"EVENT {ann/s5} NOTICES":         "HIT, MISS",
		"EVENT {ann/s5} COVER 50":        "HIT, MISS",
		"EVENT {ann/s5} DAMAGE":          "from 0 to 1000",
		"EVENT {ann/s5} ARMOR tin":       "force_field",
		"DIE hit/ann/s5 = 101":           "from 1 to 100",
		"TURN light pink":                "poor_light, darkness",
		"TURN gravity off":               "light",
		"TURN light darkness AT EVENT 1": "AT SEGMENT 12",
		"GAME tables.arms.weapon.long_sword.damage 3x4": "not dice",
		"GAME tables.spells.fire 3":                     "no such table",
		"CRATE OPEN yes":                                "is no door",
		"CRATE HITS 5":                                  "MATERIAL wood first",
		"CRATE AT ZZ9":                                  "from A1 to CB20",
		"ZZ9 TERRAIN wall":                              "from A1 to CB20",
		"E4 TERRAIN lava":                               "low_wall",
		"MOD ann lots":                                  "MOD bobo +10",
	})
}
