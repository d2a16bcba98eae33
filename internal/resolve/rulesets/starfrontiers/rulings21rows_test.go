package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// find gives an event, or one that is empty.
func find(out resolve.Outcome, ref string) game.Event {
	for _, ev := range out.Events {
		if ev.Ref == ref {
			return ev
		}
	}
	return game.Event{}
}

func ended(ref, outcome string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool { return find(out, ref).Outcome == outcome }
}

func number(ref, name string, want int) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool {
		n, ok := find(out, ref).Numbers[name]
		return ok && n == want
	}
}

func after(id game.ID, test func(*Fighter) bool) func(resolve.Outcome, *World) bool {
	return func(_ resolve.Outcome, w *World) bool { return test(w.fighter(id)) }
}

// first tells that one event comes before another.
func first(a, b string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool {
		at := func(ref string) int {
			return slices.IndexFunc(out.Events, func(ev game.Event) bool { return ev.Ref == ref })
		}
		return at(a) >= 0 && at(b) >= 0 && at(a) < at(b)
	}
}

func lined(ref, label, value string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool {
		return slices.ContainsFunc(find(out, ref).Lines, func(l game.Line) bool { return strings.HasPrefix(l.Label, label) && l.Value == value })
	}
}

// hits are dice by which Bobo's first shot hits for four points.
var hits = map[string][]int{"hit/bobo": {10}, "dmg/bobo": {4}}

func one(plan string) map[game.ID]string {
	return map[game.ID]string{"bobo": plan, "zog": `{"steps": [{"verb": "wait"}]}`}
}

// walled is a pair of whom Zog walks behind a wall before Bobo shoots.
func walled(t testing.TB) *World {
	w := pair21(t)
	w.Features = []game.Feature{
		{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 3, Y: 4}}},
		{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 2, Y: 4}}},
	}
	w.fighter("zog").Place = game.Square{X: 5, Y: 1}
	return w
}

// gated is the same with a door in the wall's place.
func gated(t testing.TB) *World {
	w := walled(t)
	w.Features = []game.Feature{{ID: "gate", Name: "gate", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 3, Y: 4}}}}
	return w
}

// ducks are the plans of the two in those.
var (
	ducks     = map[game.ID]string{"bobo": oneShot("zog"), "zog": `{"steps": [{"verb": "move", "to": "F5", "mode": "walk"}]}`}
	ducksDice = map[string][]int{"init/player-bobo": {1}, "init/gang": {10}}
)

// sees tells whether somebody sees another as the turn ends.
func sees(id, other game.ID, want bool) func(resolve.Outcome, *World) bool {
	return func(_ resolve.Outcome, w *World) bool {
		r, _ := New()
		return slices.ContainsFunc(r.See(w, id).Others, func(o game.Sight) bool { return o.ID == other && o.InSight }) == want
	}
}

func cover21(want string) func(resolve.Outcome, *World) bool {
	return lined("bobo/r1.1", "Target in "+want, map[string]string{"soft cover": "-10", "hard cover": "-20"}[want])
}

func rows21() []row21 {
	return slices.Concat(surpriseRows21(), turnRows21(), placeRows21(), woundRows21(), gearRows21(), otherRows21())
}

func surpriseRows21() []row21 {
	const a = "Surprise"
	marked := with([]string{"surprise=check"}, nil)
	return []row21{
		{area: a, may: "choose who may check", says: "BOBO SURPRISE check", dice: map[string][]int{"surprise/bobo": {99}}, shows: ended("bobo/r1.u", "surprised")},
		{area: a, may: "who has no chance", says: "BOBO SURPRISE unaware", shows: ended("bobo/r1.v", "lost")},
		{area: a, may: "give modifiers", says: "EVENT {bobo/r1.u} CHANCE 65", scene: marked, dice: map[string][]int{"surprise/bobo": {60}}, shows: ended("bobo/r1.u", "noticed")},
		{area: a, may: "rule on the check", says: "EVENT {bobo/r1.u} NOTICED", scene: marked, dice: map[string][]int{"surprise/bobo": {60}}, shows: ended("bobo/r1.u", "noticed")},
		{area: a, may: "rule that he fails", says: "EVENT {bobo/r1.u} SURPRISED", scene: marked, dice: map[string][]int{"surprise/bobo": {1}}, shows: ended("bobo/r1.u", "surprised")},
		{area: a, may: "set surprised", says: "BOBO SURPRISED yes", shows: ended("bobo/r1.v", "lost")},
		{area: a, may: "set unsurprised", says: "BOBO SURPRISED no", scene: with([]string{"surprise=unaware"}, nil), shows: func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1").Attack }},
		{area: a, may: "write the something unusual", says: "BOBO NOTICE Because of the wind you hear a twig.", scene: marked, dice: map[string][]int{"surprise/bobo": {1}},
			shows: func(out resolve.Outcome, _ *World) bool {
				return out.Pause != nil && strings.Contains(out.Pause.Briefs["bobo"], "Because of the wind you hear a twig.")
			}},
		{area: a, may: "surprise robots", says: "ZOG SURPRISED yes", scene: with(nil, []string{"race=robot", "level=3", "programs=attack_defense"}), shows: ended("zog/r1.v", "lost")},
		{area: a, may: "decide whether a reply was a bad choice", shown: "resolve/rulesets/starfrontiers TestSU4ABadChoiceIsRuled"},
	}
}

func turnRows21() []row21 {
	// Both have initiative 11 with dice of 6 and 7, so that modifiers decide.
	level := map[string][]int{"init/player-bobo": {6}, "init/gang": {7}}
	foes := func(t testing.TB) *World {
		return world(t, battlefield(2,
			who("bobo", "heroes", "A5", "rs=50", "facing=E", "weapon=automatic_pistol"),
			who("kag", "gang", "F3", "gm=", "rs=20", "facing=W"), who("zog", "gang", "F5", "gm=", "rs=40", "facing=W")))
	}
	split := func(t testing.TB) *World {
		w := foes(t)
		w.fighter("kag").Group, w.fighter("zog").Group = "kag", "zog"
		return w
	}
	rolled := func(id, by string) func(resolve.Outcome, *World) bool {
		return func(out resolve.Outcome, _ *World) bool {
			d := find(out, id+"/r1.i").Dice
			return len(d) == 1 && d[0].Name == "init/"+by+"/r1"
		}
	}
	const watching = `{"steps": [], "reactions": [{"when": {"kind": "within", "who": "any_enemy", "distance": 8}, "do": [{"verb": "fire", "target": "trigger", "shots": 1}], "max": 1}]}`
	walks := map[game.ID]string{"bobo": watching, "zog": `{"steps": [{"verb": "move", "to": "B5", "mode": "walk"}]}`}
	waits := map[game.ID]string{"bobo": watching, "zog": `{"steps": [{"verb": "fire", "target": "bobo", "shots": 1}]}`}
	swift := map[string][]int{"init/player-bobo": {10}, "init/gang": {1}}
	reaction := func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1").Attack }
	return []row21{
		{area: "Initiative", may: "supply a die", says: "DIE init/gang/r1 = 10", dice: level, shows: number("zog/r1.i", "total", 14)},
		{area: "Initiative", may: "re-roll a die", says: "DIE init/gang/r1 REROLL", dice: map[string][]int{"init/gang/r1": {7}, "init/gang/r1~1": {10}}, shows: number("zog/r1.i", "total", 14)},
		{area: "Initiative", may: "add a modifier", says: "BOBO INITIATIVE +3", dice: level, shows: number("bobo/r1.i", "total", 14)},
		{area: "Initiative", may: "set totals", says: "EVENT {zog/r1.i} TOTAL 20", dice: level, shows: number("zog/r1.i", "total", 20)},
		{area: "Initiative", may: "break ties by hand", says: "ZOG TIE 1", dice: level, shows: first("zog/r1.1", "bobo/r1.1")},
		{area: "Initiative", may: "break a tie of sides by hand", says: "ZOG TIE 1", scene: with(nil, []string{"sta=4"}, "sequence=side"), dice: map[string][]int{"init/bobo": {6}, "init/zog": {7}}, shows: func(out resolve.Outcome, _ *World) bool {
			return out.Pause == nil // Zog's side has the initiative, and the GM's own are not asked
		}},
		{area: "Initiative", may: "merge groups of foes", says: "ZOG GROUP kag", scene: split, shows: rolled("zog", "kag")},
		{area: "Initiative", may: "split groups of foes", says: "ZOG GROUP zog", scene: foes, shows: rolled("zog", "zog")},
		{area: "Initiative", may: "switch the sequence for a turn", says: "TURN sequence individual", shows: func(out resolve.Outcome, w *World) bool {
			return len(find(out, "bobo/r1.i").Dice) == 1 && find(out, "bobo/r1.i").Dice[0].Name == "init/bobo/r1" && w.setting("sequence") == "pbem"
		}},
		{area: "Initiative", may: "have sides declare one after the other", says: "TURN sequence side", dice: map[string][]int{"init/bobo": {10}, "init/zog": {1}}, shows: func(out resolve.Outcome, _ *World) bool {
			return out.Pause != nil && out.Pause.Reason == "declaration" && slices.Equal(out.Pause.Asks, []game.ID{"bobo"})
		}},
		{area: "Initiative", may: "hide totals before and after the close", says: "GAME init_visible hidden", scene: pair21, shows: func(out resolve.Outcome, w *World) bool {
			return find(out, "zog/r1.i").Seen["bobo"] == "" && w.setting("pbem.init_visible") == "hidden"
		}},
		{area: "n and slots", may: "set n for a plan", says: "EVENT {bobo/r1.i} ACTIONS 1", dice: level, shows: func(out resolve.Outcome, _ *World) bool {
			return find(out, "bobo/r1.i").Numbers["actions"] == 1 && find(out, "bobo/r1.2").Ref == ""
		}},
		{area: "n and slots", may: "set a slot", says: "EVENT {bobo/r1.2} SLOT 11", dice: level, shows: first("bobo/r1.2", "zog/r1.1")},
		{area: "n and slots", may: "move an event", says: "EVENT {bobo/r1.1} SLOT 2", dice: level, shows: first("zog/r1.1", "bobo/r1.1")},
		{area: "n and slots", may: "insert an event", says: "ZOG POSTURE prone AT EVENT {bobo/r1.2}", shows: func(out resolve.Outcome, _ *World) bool {
			return slices.ContainsFunc(find(out, "bobo/r1.2").Lines, func(l game.Line) bool { return l.Label == "Target prone" })
		}},
		{area: "n and slots", may: "cancel an event", says: "EVENT {bobo/r1.1} CANCEL", dice: hits, shows: ended("bobo/r1.1", "cancelled")},
		{area: "n and slots", may: "let a foe who is down at the same count act", says: "EVENT {zog/r1.1} ALLOW", scene: with(nil, []string{"sta=4"}), dice: hits, shows: func(out resolve.Outcome, w *World) bool {
			return find(out, "zog/r1.1").Attack && !w.fighter("zog").able()
		}},
		{area: "n and slots", may: "let equal counts be simultaneous", says: "TURN init.tie simultaneous", scene: with(nil, []string{"rs=50", "sta=4"}),
			dice:  map[string][]int{"init/player-bobo": {6}, "init/gang": {6}, "tie/bobo": {90}, "tie/zog": {1}, "hit/bobo": {10}, "dmg/bobo": {4}},
			shows: func(out resolve.Outcome, _ *World) bool { return find(out, "zog/r1.1").Attack }},
		{area: "Orders", may: "reject an order", says: "EVENT {bobo/r1.1m} CANCEL", plans: one(`{"steps": [{"verb": "move", "to": "C5", "mode": "walk"}]}`), shows: ended("bobo/r1.1m", "cancelled")},
		{area: "Orders", may: "edit and replace orders, in a player's stead too", shown: "daemon TestOrdersInAPlayersStead"},
		{area: "Orders", may: "enter orders for his own before the close", shown: "daemon TestFoesOrders"},
		{area: "Orders", may: "accept late orders", shown: "daemon TestLateLetter"},
		{area: "Orders", may: "answer a clarification, reinterpret free text", shown: "daemon TestOrdersInAPlayersStead"},
		{area: "Orders", may: "set a policy", says: "ZOG POLICY aggressive", shows: after("zog", func(f *Fighter) bool { return f.Policy == "aggressive" })},
		{area: "Orders", may: "let a foe flee below so much", says: "ZOG FLEE 10", shows: after("zog", func(f *Fighter) bool { return f.Flee == 10 })},
		{area: "Orders", may: "let a foe protect somebody", says: "ZOG PROTECT bobo", shows: after("zog", func(f *Fighter) bool { return f.Protect == "bobo" })},
		{area: "Reactions", may: "decide that a trigger has not fired", says: "EVENT {bobo/r1.1} DENY", plans: walks, dice: swift, shows: first("bobo/r1.1n", "bobo/r1.1")},
		{area: "Reactions", may: "deny what an event sets off", says: "BOBO REACTS no AT EVENT {zog/r1.1m}", plans: walks, dice: swift, shows: func(out resolve.Outcome, _ *World) bool {
			return find(out, "bobo/r1.1x").Reason == "not_triggered" && find(out, "zog/r1.1m").Outcome == "done"
		}},
		{area: "Reactions", may: "deny a reaction for good", says: "EVENT {bobo/r1.1} CANCEL", plans: walks, dice: swift, shows: ended("bobo/r1.1", "cancelled")},
		{area: "Reactions", may: "allow an interrupt, whatever the trigger", says: "BOBO REACTS yes AT EVENT {zog/r1.1}", plans: waits, dice: swift, shows: first("bobo/r1.1", "zog/r1.1")},
		{area: "Reactions", may: "let somebody slower react", says: "BOBO REACTS yes AT EVENT {zog/r1.1}", plans: waits, dice: map[string][]int{"init/player-bobo": {1}, "init/gang": {10}}, shows: reaction},
		{area: "Reactions", may: "mark a declaration secret", says: "ZOG SECRET yes", scene: with(nil, nil, "declaration=two_phase"), dice: swift, shows: func(out resolve.Outcome, _ *World) bool { return out.Pause == nil }},
		{area: "Reactions", may: "ask somebody but once", says: "BOBO SECOND no", scene: with(nil, nil, "declaration=two_phase"), dice: swift, shows: func(out resolve.Outcome, _ *World) bool { return out.Pause == nil }},
	}
}

func placeRows21() []row21 {
	const sight, place, mapped = "Line of sight", "Position and movement", "Map"
	far := func(t testing.TB) *World {
		return world(t, battlefield(20, who("bobo", "heroes", "A5", "dex=90", "facing=E", "weapon=heavy_laser:mounted"), who("zog", "gang", "AA5", "gm=", "facing=W")))
	}
	runs := one(`{"steps": [{"verb": "move", "to": "A15", "mode": "walk"}]}`)
	named := func(want string) func(resolve.Outcome, *World) bool {
		return func(out resolve.Outcome, _ *World) bool {
			return strings.Contains(find(out, "bobo/r1.1").Text[game.Own], want)
		}
	}
	snipes := one(oneShot("zog"))
	corner := func(t testing.TB) *World {
		w := pair21(t)
		w.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 1, Y: 4}}}}
		w.fighter("zog").Exposed = true
		return w
	}
	leaning := one(`{"steps": [{"verb": "fire", "target": "zog", "shots": 1, "lean": true}]}`)
	shot := func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1").Attack }
	noShot := func(out resolve.Outcome, _ *World) bool { return !find(out, "bobo/r1.1").Attack }
	beyond := func(t testing.TB) *World {
		w := pair21(t)
		w.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 2, Y: 4}}}}
		w.fighter("zog").Exposed = true
		return w
	}
	brawl := func(t testing.TB) *World {
		w := scene21(t, nil, []string{"weapon=sword"})
		w.fighter("zog").Place = game.Square{X: 1, Y: 4}
		return w
	}
	return []row21{
		{area: "Spotting", may: "set the weather for a turn", says: "TURN weather 80", scene: far, plans: snipes, shows: named("a distant figure")},
		{area: "Spotting", may: "let somebody see less far", says: "BOBO SPOTTING 50", scene: far, shows: after("bobo", func(f *Fighter) bool { return f.Spotting == 50 })},
		{area: "Spotting", may: "a high viewpoint", says: "BOBO VIEW 3", scene: far, shows: after("bobo", func(f *Fighter) bool { return f.View == 3 })},
		{area: "Spotting", may: "set the visibility of somebody to somebody", says: "ZOG SHOWN bobo", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
		{area: "Spotting", may: "hide somebody from somebody", says: "ZOG VEILED bobo", plans: snipes, shows: noShot},
		{area: "Spotting", may: "hide somebody until he attacks", says: "ZOG HIDDEN yes", plans: snipes, shows: sees("bobo", "zog", false)},
		{area: "Spotting", may: "reveal a detail", says: "ZOG KNOWN bobo", scene: func(t testing.TB) *World {
			w := far(t)
			w.Settings["weather"] = "80"
			return w
		}, plans: snipes, shows: named("Zog")},
		{area: "Spotting", may: "hide a detail", says: "ZOG MASKED bobo", plans: snipes, shows: named("a distant figure")},
		{area: mapped, may: "open a door", says: "GATE OPEN yes AT EVENT {bobo/r1.1}", scene: gated, plans: ducks, dice: ducksDice, shows: func(out resolve.Outcome, w *World) bool {
			return find(out, "bobo/r1.1").Attack && w.Features[0].State == "open"
		}},
		{area: mapped, may: "put up a wall", says: "D5 TERRAIN wall AT EVENT {bobo/r1.1}", plans: snipes, shows: ended("bobo/r1.1", "lost")},
		{area: mapped, may: "change terrain to cover", says: "D5 TERRAIN hard_cover AT EVENT {bobo/r1.1}", plans: snipes, shows: cover21("hard cover")},
		{area: mapped, may: "clear a square", says: "D5 TERRAIN open AT EVENT {bobo/r1.1}", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
		{area: mapped, may: "take a thing away", says: "WALL GONE yes AT EVENT {bobo/r1.1}", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
		{area: mapped, may: "move a thing", says: "WALL AT K10", scene: walled, plans: ducks, dice: ducksDice, shows: sees("bobo", "zog", true)},
		{area: mapped, may: "let one see through a thing", says: "WALL OPAQUE no AT EVENT {bobo/r1.1}", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
		{area: mapped, may: "set the cover that a thing gives", says: "CRATE COVER hard AT EVENT {bobo/r1.1}\nWALL GONE yes AT EVENT {bobo/r1.1}", scene: walled, plans: ducks, dice: ducksDice, shows: cover21("hard cover")},
		{area: mapped, may: "a thing that hides nobody", says: "CRATE LOW no", scene: walled, shows: func(_ resolve.Outcome, w *World) bool { return !w.Features[1].Low }},
		{area: mapped, may: "difficult ground", says: "B5 TERRAIN difficult AT EVENT {bobo/r1.1m}\nC5 TERRAIN difficult AT EVENT {bobo/r1.1m}", plans: one(`{"steps": [{"verb": "move", "to": "N5", "mode": "walk"}]}`), shows: func(_ resolve.Outcome, w *World) bool {
			return len(w.Features) == 2 && w.Features[0].Difficult
		}},
		{area: mapped, may: "make a thing difficult ground", says: "CRATE DIFFICULT yes", scene: walled, shows: func(_ resolve.Outcome, w *World) bool { return w.Features[1].Difficult }},
		{area: mapped, may: "light", says: "TURN light 5", plans: snipes, shows: noShot},
		{area: mapped, may: "smoke somewhere", says: "D5 SMOKE 3 AT EVENT {bobo/r1.1}", plans: snipes, shows: ended("bobo/r1.1", "lost")},
		{area: mapped, may: "smoke round somebody", says: "ZOG SMOKE 3", shows: func(_ resolve.Outcome, w *World) bool { return len(w.Clouds) == 1 }},
		{area: mapped, may: "gravity", not: "weightless combat (15) is not built"},
		{area: mapped, may: "atmosphere", not: "the rules have nothing that hangs on it but gases, which POISON, COUGHING and CAPACITY set"},
		{area: mapped, may: "edges", not: "the map has squares and things, no edges (5.2 no. 2); a wall is a square"},
		{area: place, may: "place and move somebody", says: "ZOG AT C3", shows: after("zog", func(f *Fighter) bool { return f.Place.String() == "C3" })},
		{area: place, may: "turn somebody", says: "ZOG FACING N", shows: after("zog", func(f *Fighter) bool { return f.Facing == "N" })},
		{area: place, may: "shorten a path", says: "EVENT {bobo/r1.1m} METRES 4", plans: runs, shows: after("bobo", func(f *Fighter) bool { return f.Place.String() == "A7" })},
		{area: place, may: "lengthen a path", says: "EVENT {bobo/r1.1m} METRES 40", plans: runs, shows: after("bobo", func(f *Fighter) bool { return f.Place.String() == "A15" })},
		{area: place, may: "grant a melee lock", says: "BOBO LOCKED yes", plans: runs, shows: func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1m").Reason == "melee_lock" }},
		{area: place, may: "lift a melee lock", says: "BOBO LOCKED no", scene: brawl, plans: map[game.ID]string{"bobo": runs["bobo"], "zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`},
			shows: after("bobo", func(f *Fighter) bool { return f.Place.String() != "A5" })},
		{area: place, may: "a fall from a climb or a jump", says: "ZOG FALL 10", dice: map[string][]int{"dmg/zog/r1.g1": {4}}, shows: after("zog", func(f *Fighter) bool { return f.Now == 36 })},
		{area: place, may: "how climbing, jumping, gliding or swimming ends", says: "BOBO AT C5 AT EVENT {bobo/r1.1m}", plans: one(`{"steps": [{"verb": "move", "to": "C5", "mode": "climb"}]}`), shows: after("bobo", func(f *Fighter) bool { return f.Place.String() == "C5" })},
		{area: sight, may: "rule somebody seen", says: "ZOG SHOWN bobo AT EVENT {bobo/r1.1}", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
		{area: sight, may: "rule somebody not seen", says: "ZOG VEILED bobo AT EVENT {bobo/r1.2}", shows: ended("bobo/r1.2", "lost")},
		{area: sight, may: "allow leaning", says: "BOBO LEAN yes", scene: beyond, plans: snipes, shows: shot},
		{area: sight, may: "deny leaning", says: "BOBO LEAN no", scene: corner, plans: leaning, shows: ended("bobo/r1.1", "lost")},
		{area: sight, may: "set cover for one shot", says: "EVENT {bobo/r1.1} COVER hard", plans: snipes, shows: cover21("hard cover")},
		{area: sight, may: "allow a throw at a place out of sight", says: "EVENT {bobo/r1.1} ALLOW", dice: ducksDice,
			scene: func(t testing.TB) *World {
				w := walled(t)
				w.fighter("bobo").Items = scene21(t, []string{"item=doze_grenade"}, nil).fighter("bobo").Items
				return w
			},
			plans: map[game.ID]string{"bobo": `{"steps": [{"verb": "throw", "item": "bobo-doze_grenade", "target": "zog"}]}`, "zog": ducks["zog"]},
			shows: func(out resolve.Outcome, _ *World) bool { return find(out, "bobo/r1.1").Attack }},
		{area: sight, may: "allow a shot", says: "EVENT {bobo/r1.1} ALLOW", scene: walled, plans: ducks, dice: ducksDice, shows: shot},
	}
}
