package starfrontiers

import (
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

func lasts(id game.ID, kind string, want bool) func(resolve.Outcome, *World) bool {
	return after(id, func(f *Fighter) bool { return f.has(kind) == want })
}

func stamina(want int) func(resolve.Outcome, *World) bool {
	return after("zog", func(f *Fighter) bool { return f.Now == want })
}

func woundRows21() []row21 {
	const hit, hurt, crit, status = "To hit", "Damage", "Critical, grievous, fumble", "Status"
	snipes := one(oneShot("zog"))
	frag := func(t testing.TB) *World {
		return scene21(t, []string{"item=fragmentation_grenade"}, []string{"rs=40"})
	}
	thrown := one(`{"steps": [{"verb": "throw", "item": "bobo-fragmentation_grenade", "target": "zog"}]}`)
	boom := map[string][]int{"hit/bobo": {10}, "dmg/bobo/r1.1b": {5}, "avoid/zog": {90}}
	suited := with(nil, []string{"item=skeinsuit"})
	stun := with([]string{"weapon=sonic_stunner:holstered"}, nil)
	stuns := one(`{"steps": [{"verb": "fire", "weapon": "bobo-sonic_stunner", "target": "zog", "shots": 1}]}`)
	stunned := map[string][]int{"hit/bobo": {10}, "resist/zog": {99}}
	grievous := "EVENT {bobo/r1.1} GRIEVOUS\nEVENT {bobo/r1.1} DAMAGE 9\n"
	down := with(nil, []string{"status=unconscious", "sta_now=0"})
	return []row21{
		{area: hit, may: "a modifier with a label", says: "MOD bobo +10 because high ground", plans: snipes, shows: lined("bobo/r1.1", "GM", "+10")},
		{area: hit, may: "a modifier for one attack", says: "EVENT {bobo/r1.2} MODIFIER -15", shows: lined("bobo/r1.2", "GM", "-15")},
		{area: hit, may: "a final chance", says: "EVENT {bobo/r1.1} CHANCE 60", plans: snipes, shows: number("bobo/r1.1", "chance", 60)},
		{area: hit, may: "a roll", says: "DIE hit/bobo/r1.1 = 7", plans: snipes, shows: number("bobo/r1.1", "roll", 7)},
		{area: hit, may: "a hit", says: "EVENT {bobo/r1.1} HIT", plans: snipes, shows: ended("bobo/r1.1", "hit")},
		{area: hit, may: "a miss", says: "EVENT {bobo/r1.1} MISS", plans: snipes, dice: hits, shows: ended("bobo/r1.1", "miss")},
		{area: hurt, may: "a die of the damage", says: "DIE dmg/bobo/r1.1 = 9", plans: snipes, dice: hits, shows: stamina(41)},
		{area: hurt, may: "the total", says: "EVENT {bobo/r1.1} DAMAGE 17", plans: snipes, dice: hits, shows: stamina(33)},
		{area: hurt, may: "that he avoids it", says: "EVENT {bobo/r1.1b.zog} AVOIDED yes", scene: frag, plans: thrown, dice: boom, shows: number("bobo/r1.1b.zog", "taken", 37)},
		{area: hurt, may: "that he does not", says: "EVENT {bobo/r1.1b.zog} AVOIDED no", scene: frag, plans: thrown, dice: map[string][]int{"hit/bobo": {10}, "dmg/bobo/r1.1b": {5}, "avoid/zog": {1}}, shows: number("bobo/r1.1b.zog", "taken", 75)},
		{area: hurt, may: "that it is halved", says: "EVENT {bobo/r1.1} HALVED yes", plans: snipes, dice: hits, shows: stamina(48)},
		{area: hurt, may: "that avoiding it does not halve it", says: "EVENT {bobo/r1.1b.zog} HALVED no", scene: frag, plans: thrown, dice: map[string][]int{"hit/bobo": {10}, "dmg/bobo/r1.1b": {5}, "avoid/zog": {1}}, shows: number("bobo/r1.1b.zog", "taken", 75)},
		{area: hurt, may: "which defence applies", says: "EVENT {bobo/r1.1} DEFENCE none", scene: suited, plans: snipes, dice: hits, shows: stamina(46)},
		{area: hurt, may: "where it hits, for the report", says: "EVENT {bobo/r1.1} LOCATION leg", plans: snipes, dice: hits, shows: lined("bobo/r1.1", "Where it hits", "leg")},
		{area: hurt, may: "whether he resists", says: "EVENT {bobo/r1.1} RESISTED yes", scene: stun, plans: stuns, dice: stunned, shows: after("zog", (*Fighter).able)},
		{area: hurt, may: "a dud", says: "EVENT {bobo/r1.1b} CANCEL", scene: frag, plans: thrown, dice: boom, shows: stamina(50)},
		{area: hurt, may: "that a burst does not reach somebody", says: "EVENT {bobo/r1.1b.zog} CANCEL", scene: frag, plans: thrown, dice: boom, shows: stamina(50)},
		{area: hurt, may: "that a burst of fire misses one of several", says: "EVENT {bobo/r1.1.zog} CANCEL", dice: map[string][]int{"hit/bobo": {10}},
			scene: func(t testing.TB) *World {
				return world(t, battlefield(2, who("bobo", "heroes", "A5", "dex=50", "facing=E", "weapon=automatic_pistol"), who("kag", "gang", "F6", "gm="), who("zog", "gang", "F5", "gm=", "sta=50")))
			},
			plans: map[game.ID]string{"bobo": `{"steps": [{"verb": "burst", "targets": ["zog", "kag"]}]}`, "kag": `{"steps": [{"verb": "wait"}]}`, "zog": `{"steps": [{"verb": "wait"}]}`},
			shows: stamina(50)},
		{area: crit, may: "turn it off for a campaign", says: "GAME crit_rules off", plans: snipes, dice: map[string][]int{"hit/bobo": {1}, "dmg/bobo": {4}}, shows: func(out resolve.Outcome, w *World) bool {
			return w.setting("crit_rules") == "off" && find(out, "bobo/r1.1").Outcome == "hit"
		}},
		{area: crit, may: "turn it off for a turn", says: "TURN crit_rules off", plans: snipes, dice: map[string][]int{"hit/bobo": {1}, "dmg/bobo": {4}}, shows: func(out resolve.Outcome, w *World) bool {
			return w.setting("crit_rules") == "on" && find(out, "bobo/r1.1").Outcome == "hit"
		}},
		{area: crit, may: "cancel it for a hit", says: "EVENT {bobo/r1.1} HIT", plans: snipes, dice: map[string][]int{"hit/bobo": {1}, "dmg/bobo": {4}}, shows: ended("bobo/r1.1", "hit")},
		{area: crit, may: "grant it", says: "EVENT {bobo/r1.1} CRITICAL", plans: snipes, dice: hits, shows: stamina(42)},
		{area: crit, may: "grant a grievous one and choose the wound", says: grievous + "EVENT {bobo/r1.1} WOUND 4", plans: snipes, shows: lasts("zog", "leg", true)},
		{area: crit, may: "take the wound back", says: "EVENT {bobo/r1.1} WOUND 0", plans: snipes, dice: map[string][]int{"hit/bobo": {1}, "dmg/bobo": {4}, "grievous/bobo": {1}, "wound/bobo": {4}}, shows: lasts("zog", "leg", false)},
		{area: crit, may: "set the chance of a wound", says: "TURN grievous_chance 100", plans: snipes, dice: map[string][]int{"hit/bobo": {1}, "dmg/bobo": {4}, "grievous/bobo": {99}, "wound/bobo": {4}}, shows: lasts("zog", "leg", true)},
		{area: crit, may: "replace the table", shown: "resolve/rulesets/starfrontiers TestAGameBringsItsOwnTables"},
		{area: crit, may: "a fumble", says: "EVENT {bobo/r1.1} FUMBLE", plans: snipes, shows: ended("bobo/r1.1", "fumble")},
		{area: crit, may: "place the fumbled weapon", says: "BOBO DROPPED C4", plans: snipes, dice: map[string][]int{"hit/bobo": {97}, "fumble/bobo": {99}, "dist/bobo": {7}, "dir/bobo": {3}}, shows: after("bobo", func(f *Fighter) bool {
			return f.Weapons[0].At != nil && f.Weapons[0].At.String() == "C4"
		})},
		{area: crit, may: "rule breakage", says: "BOBO BROKEN yes", shows: after("bobo", func(f *Fighter) bool { return f.Weapons[0].Broken })},
		{area: status, may: "Stamina", says: "ZOG STA 12", shows: stamina(12)},
		{area: status, may: "stun", says: "ZOG STUNNED 3", shows: lasts("zog", "stunned", true)},
		{area: status, may: "its duration", says: "EVENT {bobo/r1.1} TURNS 7", scene: stun, plans: stuns, dice: stunned, shows: after("zog", func(f *Fighter) bool { return len(f.Effects) == 1 && f.Effects[0].Turns == 6 })},
		{area: status, may: "knock-out", says: "ZOG UNCONSCIOUS 3", shows: lasts("zog", "unconscious", true)},
		{area: status, may: "out of action", says: "ZOG DOWN yes", shows: after("zog", (*Fighter).down)},
		{area: status, may: "recovery", says: "ZOG ABLE yes", scene: down, shows: after("zog", (*Fighter).able)},
		{area: status, may: "death", says: "ZOG DEAD yes", shows: after("zog", func(f *Fighter) bool { return has(f.Status, "dead") })},
		{area: status, may: "dying", says: "ZOG FATE dying", scene: down, shows: after("zog", func(f *Fighter) bool { return has(f.Status, "dying") })},
		{area: status, may: "bleeding", says: "ZOG BLEEDING 2", shows: lasts("zog", "bleeding", true)},
		{area: status, may: "poison", says: "ZOG POISON 4", shows: lasts("zog", "poison", true)},
		{area: status, may: "a wound", says: "ZOG WOUND 5", shows: lasts("zog", "lamed", true)},
		{area: status, may: "burns", says: "ZOG BURN 5", shows: stamina(45)},
		{area: status, may: "fire", says: "ZOG BURNING 2", shows: lasts("zog", "burning", true)},
		{area: status, may: "smoke in the lungs", says: "ZOG COUGHING 2", shows: lasts("zog", "smoke", true)},
		{area: status, may: "entangled", says: "ZOG ENTANGLED yes", shows: lasts("zog", "entangled", true)},
		{area: status, may: "prone", says: "ZOG POSTURE prone", shows: after("zog", func(f *Fighter) bool { return f.Posture == "prone" })},
		{area: status, may: "battle rage", says: "ZOG RAGE yes", shows: after("zog", func(f *Fighter) bool { return f.Raging })},
		{area: status, may: "fear and morale", says: "ZOG POLICY flee", shows: after("zog", func(f *Fighter) bool { return f.Policy == "flee" })},
		{area: status, may: "surrender", says: "ZOG SURRENDERED yes", shows: func(out resolve.Outcome, w *World) bool { return out.Done && has(w.fighter("zog").Status, surrendered) }},
		{area: status, may: "held", not: "wrestling (7.3) is not built; ENTANGLED holds somebody where he is"},
		{area: status, may: "spinning", not: "weightless combat (15) is not built"},
	}
}

func gearRows21() []row21 {
	const a, m = "Resources", "Medical"
	screened := with(nil, []string{"item=inertia_screen:seu=9", "item=skeinsuit"})
	item := func(i int, test func(Item) bool) func(resolve.Outcome, *World) bool {
		return after("zog", func(f *Fighter) bool { return test(f.Items[i]) })
	}
	gun := func(test func(Weapon) bool) func(resolve.Outcome, *World) bool {
		return after("bobo", func(f *Fighter) bool { return test(f.Weapons[0]) })
	}
	medic := func(t testing.TB) *World {
		return world(t, battlefield(2,
			who("ann", "heroes", "A6", "sta=50", "sta_now=20", "rs=50"),
			who("bobo", "heroes", "A5", "skills.medical=1", "rs=50", "item=medkit", "item=stimdose"),
			who("zog", "gang", "K9", "gm=", "rs=20")))
	}
	apart := func(t testing.TB) *World {
		w := medic(t)
		w.fighter("ann").Place = game.Square{X: 9, Y: 9}
		return w
	}
	aids := one(`{"steps": [{"verb": "use", "item": "bobo-medkit", "on": "ann"}]}`)
	now := func(want int) func(resolve.Outcome, *World) bool {
		return after("ann", func(f *Fighter) bool { return f.Now == want })
	}
	return []row21{
		{area: a, may: "ammunition", says: "BOBO AMMO 3", shows: gun(func(w Weapon) bool { return w.Left == 3 })},
		{area: a, may: "the dial", says: "BOBO DIAL 3", scene: func(t testing.TB) *World {
			return world(t, battlefield(2, who("bobo", "heroes", "A5", "weapon=laser_pistol"), who("zog", "gang", "F5", "gm=")))
		}, plans: map[game.ID]string{}, shows: gun(func(w Weapon) bool { return w.Dial == 3 })},
		{area: a, may: "power", says: "ZOG SEU 4", scene: screened, shows: item(0, func(it Item) bool { return it.Left == 4 })},
		{area: a, may: "clips", says: "BOBO CLIPS 5", scene: with([]string{"clip=bulletclip_pistol"}, nil), shows: after("bobo", func(f *Fighter) bool { return f.Items[0].Count == 5 })},
		{area: a, may: "the state of a screen", says: "ZOG SCREEN off", scene: screened, shows: item(0, func(it Item) bool { return it.State == "off" })},
		{area: a, may: "capacity", says: "ZOG CAPACITY 7", scene: screened, shows: item(1, func(it Item) bool { return it.Left == 7 })},
		{area: a, may: "broken gear", says: "ZOG SCREEN broken", scene: screened, shows: item(0, func(it Item) bool { return it.State == "broken" })},
		{area: m, may: "allow treatment in combat at once", says: "EVENT {bobo/r1.1} ALLOW", scene: medic, plans: aids, shows: now(30)},
		{area: m, may: "allow it from afar", says: "EVENT {bobo/r1.1} ALLOW", scene: apart, plans: aids, shows: now(30)},
		{area: m, may: "times", says: "EVENT {bobo/r1.1} DONE 5", scene: medic, plans: aids, shows: now(30)},
		{area: m, may: "results", says: "EVENT {bobo/r1.1} DONE 5\nEVENT {bobo/r1.1} HEALED 22", scene: medic, plans: aids, shows: now(42)},
	}
}

func otherRows21() []row21 {
	const data, rules, by, process, told, safety = "Data", "Rules", "Bystanders", "Process", "Information", "Safety"
	figure := func(field string, of func(*Fighter) int) row21 {
		return row21{area: data, may: "another " + field, says: "ZOG " + field + " 33", shows: after("zog", func(f *Fighter) bool { return of(f) == 33 })}
	}
	hidden := with(nil, []string{"hidden="})
	snipes := one(oneShot("zog"))
	return []row21{
		figure("STR", func(f *Fighter) int { return f.STR }), figure("DEX", func(f *Fighter) int { return f.DEX }),
		figure("RS", func(f *Fighter) int { return f.RS }), figure("INT", func(f *Fighter) int { return f.INT }),
		figure("WALK", func(f *Fighter) int { return f.Walk }), figure("RUN", func(f *Fighter) int { return f.Run }),
		{area: data, may: "another rate", says: "BOBO RATE 1", shows: after("bobo", func(f *Fighter) bool { return f.Weapons[0].Rate == 1 })},
		{area: data, may: "confirm unverified cells", shown: "resolve/rulesets/starfrontiers TestUnverifiedValuesAreNamedOnce"},
		{area: data, may: "tables of criticals, wounds and fumbles", shown: "resolve/rulesets/starfrontiers TestAGameBringsItsOwnTables"},
		{area: data, may: "add or change weapons, grenades, defences, creatures, robots, races, skills", not: "what a thing of a kind does is data that a game is made with; a ruling sets the figures of one that is in the encounter, and a game file gives weapons ranges, animals and robots figures of their own"},
		{area: rules, may: "every key of 0.3 for a turn or from now on", shown: "resolve/rulesets/starfrontiers TestRulesOfATurn"},
		{area: rules, may: "a key for a turn", says: "TURN fumble_rules off", plans: snipes, dice: map[string][]int{"hit/bobo": {97}, "fumble/bobo": {99}, "dist/bobo": {7}, "dir/bobo": {3}}, shows: ended("bobo/r1.1", "miss")},
		{area: rules, may: "the A-nn that are no key", not: "each A-nn that leaves a choice is a key of 0.3; the others have one reading, which a ruling on the event mends"},
		{area: by, may: "somebody joins", says: "ZOG HIDDEN no\nZOG AT C5", scene: hidden, plans: one(`{"steps": [{"verb": "wait"}]}`), shows: sees("bobo", "zog", true)},
		{area: by, may: "with an initiative of his choice", says: "EVENT {zog/r1.i} TOTAL 30", scene: hidden, shows: number("zog/r1.i", "total", 30)},
		{area: by, may: "add combatants who are not in the game file", not: "whose dice are whose is fixed when the turn opens; who may join stands hidden in the game file, and HIDDEN, AT and TOTAL bring him in"},
		{area: by, may: "no stray shots", says: "TURN shots_into_melee off", scene: strayed, plans: strayPlans, dice: strayDice, shows: func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1w").Ref == "" }},
		{area: by, may: "whom a stray shot hits", says: "EVENT {bobo/r1.1w} MISS", scene: strayed, plans: strayPlans, dice: strayDice, shows: ended("bobo/r1.1w", "miss")},
		{area: process, may: "preview the draft, approve, publish", shown: "daemon TestWalk"},
		{area: process, may: "step through the events", shown: "report TestExplainEvent"},
		{area: process, may: "roll back to an event and go on with other dice or orders", shown: "daemon TestRulings"},
		{area: process, may: "open the turn again", shown: "daemon TestReopened"},
		{area: process, may: "re-run", shown: "daemon TestReplay"},
		{area: process, may: "compare two runs", shown: "report TestEventDifferences"},
		{area: process, may: "correct a published turn with an erratum mail", shown: "daemon TestErratum"},
		{area: told, may: "add to the narrative of every report", shown: "daemon TestRulings"},
		{area: told, may: "rewrite the sentences of a report", not: "they are made of the events: what is wrong in one is ruled on, and NOTE and ERRATUM stand beside them"},
		{area: told, may: "per-player secrecy", shown: "resolve/rulesets/starfrontiers TestASecretRulingIsToldToNobody"},
		{area: told, may: "show or hide odds", says: "GAME show_odds on", shows: func(_ resolve.Outcome, w *World) bool { return w.setting("show_odds") == "on" }},
		{area: told, may: "show initiative totals", says: "GAME init_visible all_public", shows: func(_ resolve.Outcome, w *World) bool { return w.setting("pbem.init_visible") == "all_public" }},
		{area: told, may: "show or hide dice", not: "whoever did it or had it done to him reads its dice, because he can check them (design section 6); nobody else reads them"},
		{area: safety, may: "pause the deadline", shown: "daemon TestPausedClock"},
		{area: safety, may: "grant an extension", shown: "daemon TestClockCommands"},
		{area: safety, may: "take over an absent player's character", shown: "daemon TestOrdersInAPlayersStead"},
	}
}

// strayed is a shot at Zog, who is locked in a fight with Kim, a friend.
func strayed(t testing.TB) *World {
	return world(t, battlefield(2,
		who("bobo", "heroes", "A5", "dex=50", "rs=50", "facing=E", "weapon=automatic_pistol"),
		who("kim", "heroes", "F6", "sta=50", "facing=N"),
		who("zog", "gang", "F5", "gm=", "rs=20", "sta=50", "facing=S", "weapon=sword")))
}

var (
	strayPlans = map[game.ID]string{"bobo": oneShot("zog"), "kim": `{"steps": [{"verb": "wait"}]}`, "zog": `{"steps": [{"verb": "melee", "target": "kim"}]}`}
	strayDice  = map[string][]int{"hit/bobo": {40}, "stray/bobo": {3}, "dmg/bobo": {4}, "hit/zog": {90}}
)

// TestRulesOfATurn end with the turn; those of the game stay.
func TestRulesOfATurn(t *testing.T) {
	t.Parallel()
	rulesettest.RulesOfATurn(t, ruleset(t), func(t testing.TB) resolve.Input { return input(t, pair21(t), bothShoot, nil) },
		func(w game.World, key string) string { return w.(*World).setting(key) })
}

// TestRulesOfATurnOutlastItsPause: what is ruled for a turn holds after a pause in
// it too, and ends with the turn.
func TestRulesOfATurnOutlastItsPause(t *testing.T) {
	t.Parallel()
	in := input(t, pair21(t), bothShoot, map[string][]int{"init/bobo": {10}, "init/zog": {1}})
	in.Rulings = typed(t, in, ruleset(t).Resolve(in), "TURN sequence side").Rulings
	out := ruleset(t).Resolve(in)
	if out.Pause == nil {
		t.Fatal("nobody is asked")
	}
	w, err := ruleset(t).Load([]byte(encode(t, out.World)))
	if err != nil || w.(*World).setting("sequence") != "side" {
		t.Fatalf("in the pause it is %s: %v", w.(*World).setting("sequence"), err)
	}
	next := input(t, w.(*World), nil, nil)
	next.Phase, next.Orders = 1, nil
	end := ruleset(t).Resolve(next).World.(*World)
	if end.setting("sequence") != "pbem" || end.Usual != nil {
		t.Errorf("after the turn it is %s", end.setting("sequence"))
	}
}
