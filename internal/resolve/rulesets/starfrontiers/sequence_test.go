package starfrontiers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// sides are two of three sides' fighters; modifiers 4, 6 and 7 are Ann's, Bea's
// and Cal's, who are one side.
func sides(t testing.TB, words ...string) *World {
	return world(t, set(battlefield(2,
		who("ann", "heroes", "A1", append([]string{"rs=40", "facing=E", "weapon=laser_pistol"}, words...)...),
		who("bea", "heroes", "A3", "rs=60", "facing=E", "weapon=laser_pistol"),
		who("cal", "heroes", "A5", "rs=70", "facing=E", "weapon=laser_pistol"),
		who("zog", "gang", "F3", "rs=50", "facing=W", "weapon=laser_pistol"),
		who("yaz", "guard", "F5", "rs=30", "facing=W", "weapon=laser_pistol"),
	), "sequence=side"))
}

func refs(out resolve.Outcome) string {
	var got []string
	for _, ev := range out.Events {
		if ev.Kind != "initiative" && ev.Kind != "tie" && ev.Kind != "hold" {
			got = append(got, ev.Ref)
		}
	}
	return strings.Join(got, " ")
}

func total(t *testing.T, out resolve.Outcome, id string) int {
	return event(t, out, id+"/r1.i").Numbers["total"]
}

func TestSideRollsOfATurn(t *testing.T) {
	t.Parallel()
	dice := map[string][]int{"init/cal": {4}, "init/zog": {4}, "init/yaz": {2}}
	out := run(t, sides(t), nil, dice)
	if a, z := total(t, out, "ann"), total(t, out, "zog"); a != 11 || z != 9 {
		t.Errorf("IN-7: the side has %d, the other %d", a, z)
	}
	holstered := sides(t)
	holstered.fighter("cal").Weapons[0].State = "holstered"
	if a := total(t, run(t, holstered, nil, dice), "ann"); a != 8 {
		t.Errorf("IN-8: %d", a)
	}
	other := sides(t)
	other.fighter("ann").Weapons[0].State = "holstered"
	if a := total(t, run(t, other, nil, dice), "ann"); a != 11 {
		t.Errorf("IN-9: %d", a)
	}
}

// Moves go from the lowest side to the highest, attacks the other way (IN-12,
// 3.1); of equal totals the higher modifier has the initiative (IN-10, IN-11).
func TestTheOrderOfSides(t *testing.T) {
	t.Parallel()
	step := func(dir, then string) string {
		return `{"steps": [{"verb": "move", "direction": "` + dir + `", "distance": 2, "mode": "walk"}, ` + then + `]}`
	}
	plans := map[game.ID]string{
		"cal": step("E", `{"verb": "fire", "target": "yaz", "shots": 2}`), "ann": `{"steps": []}`, "bea": `{"steps": []}`,
		"zog": step("W", `{"verb": "fire", "target": "bea", "shots": 1}`), "yaz": step("W", `{"verb": "fire", "target": "cal", "shots": 1}`),
	}
	miss := func(cal, zog, yaz int) map[string][]int {
		return map[string][]int{"init/cal": {cal}, "init/zog": {zog}, "init/yaz": {yaz}, "hit/cal": {90, 90}, "hit/zog": {90}, "hit/yaz": {90}}
	}
	out := settle(t, sides(t), plans, miss(5, 4, 2))
	if diff := cmp.Diff("yaz/r1.1m zog/r1.1m cal/r1.1m cal/r1.1 cal/r1.2 zog/r1.1 yaz/r1.1", refs(out)); diff != "" {
		t.Errorf("IN-12 (-want +got):\n%s", diff)
	}
	// 7 + 2 against 5 + 4: Cal's side has the higher modifier.
	out = settle(t, sides(t), plans, miss(2, 4, 1))
	if diff := cmp.Diff("yaz/r1.1m zog/r1.1m cal/r1.1m cal/r1.1 cal/r1.2 zog/r1.1 yaz/r1.1", refs(out)); diff != "" {
		t.Errorf("IN-10 (-want +got):\n%s", diff)
	}
	// With Cal's weapon holstered, 7 - 3 + 5 and 5 + 4: the other has.
	w := sides(t)
	w.fighter("cal").Weapons[0].State = "holstered"
	out = settle(t, w, plans, miss(5, 4, 1))
	if got := refs(out); !strings.HasPrefix(got, "yaz/r1.1m cal/r1.1m zog/r1.1m zog/r1.1") {
		t.Errorf("IN-11: %s", got)
	}
}

// settle plays a turn through its pauses; nobody changes his orders.
func settle(t *testing.T, w *World, plans map[game.ID]string, dice map[string][]int, rulings ...game.Ruling) resolve.Outcome {
	t.Helper()
	in := input(t, w, plans, dice)
	in.Rulings = rulings
	out := ruleset(t).Resolve(in)
	for in.Phase = 1; out.Pause != nil; in.Phase++ {
		if in.Phase > 9 {
			t.Fatal("there is no end to the pauses")
		}
		in.World, in.Orders = out.World, nil
		in.Dice = input(t, w, plans, dice).Dice
		out = ruleset(t).Resolve(in)
	}
	return out
}

func TestSideBDeclaresFirst(t *testing.T) {
	t.Parallel()
	plans := map[game.ID]string{"zog": `{"steps": [{"verb": "fire", "target": "bea", "shots": 1}]}`, "yaz": `{"steps": [{"verb": "move", "to": "A9", "mode": "run"}]}`}
	in := input(t, sides(t), plans, map[string][]int{"init/cal": {5}, "init/zog": {4}, "init/yaz": {2}})
	out := ruleset(t).Resolve(in)
	if out.Pause == nil || !out.Pause.Free || !slices.Equal(out.Pause.Asks, []game.ID{"zog"}) || !strings.Contains(out.Pause.Briefs["zog"], "Yaz is about to run to A9.") {
		t.Fatalf("the second side answers the last: %+v", out.Pause)
	}
	in.World, in.Phase, in.Orders = out.World, 1, []game.Orders{{Combatant: "zog", Source: "player", Plan: plan(t, `{"steps": [{"verb": "posture", "posture": "prone"}]}`)}}
	out = ruleset(t).Resolve(in)
	if out.Pause == nil || !slices.Equal(out.Pause.Asks, []game.ID{"ann", "bea", "cal"}) ||
		out.Pause.Briefs["ann"] != "Yaz is about to run to A9. Zog is about to drop to the ground. Ann may change his orders; without a word they stand." {
		t.Fatalf("the first side answers both: %+v", out.Pause)
	}
	in.World, in.Phase, in.Orders = out.World, 2, nil
	out = ruleset(t).Resolve(in)
	if out.Pause != nil || out.World.(*World).fighter("zog").Posture != "prone" || out.World.(*World).fighter("yaz").Place.String() != "A9" {
		t.Errorf("%+v\n%s", out.Pause, story(out))
	}
}

func TestASurprisedSideIsSideB(t *testing.T) {
	t.Parallel()
	w := sides(t)
	w.fighter("zog").Surprise = "unaware"
	out := settle(t, w, nil, map[string][]int{"init/cal": {5}, "init/yaz": {2}})
	if got := event(t, out, "zog/r1.i"); got.Numbers["total"] != 4 || len(got.Dice) > 0 {
		t.Errorf("zog has %+v, want 4, one below the guard", got)
	}
	// One of a side that is not surprised goes with the last.
	w = sides(t)
	w.fighter("ann").Surprise = "unaware"
	plans := map[game.ID]string{"ann": `{"steps": [{"verb": "move", "to": "A2", "mode": "walk"}]}`, "zog": `{"steps": [{"verb": "move", "to": "G3", "mode": "walk"}]}`, "yaz": `{"steps": [{"verb": "move", "to": "G5", "mode": "walk"}]}`}
	out = settle(t, w, plans, map[string][]int{"init/cal": {5}, "init/zog": {4}, "init/yaz": {2}})
	if diff := cmp.Diff("ann/r1.v yaz/r1.1m ann/r1.1m zog/r1.1m", strings.TrimPrefix(refs(out), "ann/r1.u ")); diff != "" && !strings.HasPrefix(refs(out), "ann/r1.v ann/r1.1m yaz/r1.1m zog/r1.1m") {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Side A may shoot at side B's movers and, if it stays, side B at side A's
// (3.1 nos. 4 and 5), from the first move on (every held sub-action is at hand).
func TestOpportunityShotsOfSides(t *testing.T) {
	t.Parallel()
	watch := func(who string) string {
		return holding(`{"kind": "within", "who": "`+who+`", "distance": 30}`, `{"verb": "fire", "target": "`+who+`"}`)
	}
	walk := `{"steps": [{"verb": "move", "direction": "N", "distance": 2, "mode": "walk"}]}`
	w := func() *World {
		return world(t, set(battlefield(2,
			who("ann", "heroes", "A5", "rs=50", "sta=100", "facing=E", "weapon=laser_pistol"), who("zog", "gang", "F5", "rs=50", "sta=100", "facing=W", "weapon=laser_pistol")), "sequence=side"))
	}
	for _, c := range []struct {
		name     string
		ann, zog string
		dice     [2]int
		want     string
	}{
		{"A at B's mover", watch("zog"), walk, [2]int{9, 2}, "zog/r1.1m ann/r1.1"},
		{"B, who stays, at A's mover", watch("zog"), walk, [2]int{2, 9}, "zog/r1.1m ann/r1.1"},
		{"B, who moves, does not shoot", `{"steps": [{"verb": "move", "direction": "N", "distance": 2, "mode": "walk"}, {"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 30}, "do": [{"verb": "fire", "target": "zog"}]}]}`, walk, [2]int{2, 9}, "ann/r1.1m zog/r1.1m ann/r1.1"},
	} {
		out := settle(t, w(), map[game.ID]string{"ann": c.ann, "zog": c.zog}, map[string][]int{"init/ann": {c.dice[0]}, "init/zog": {c.dice[1]}, "hit/ann": {90}})
		if diff := cmp.Diff(c.want, refs(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestIndividualsMoveLowestFirst(t *testing.T) {
	t.Parallel()
	w := sides(t)
	w.Settings["sequence"] = "individual"
	plans := map[game.ID]string{}
	dice := map[string][]int{}
	for i, id := range []game.ID{"ann", "bea", "cal", "yaz", "zog"} {
		plans[id] = `{"steps": [{"verb": "move", "direction": "S", "distance": 2, "mode": "walk"}, {"verb": "fire", "target": "` + map[bool]string{true: "zog", false: "ann"}[id < "d"] + `", "shots": 1}]}`
		dice["init/"+string(id)], dice["hit/"+string(id)] = []int{i + 1}, []int{90}
	}
	// ann 4+1, bea 6+2, cal 7+3, yaz 3+4, zog 5+5 (tie with cal, whose modifier is higher).
	out := settle(t, w, plans, dice)
	if diff := cmp.Diff("ann/r1.1m yaz/r1.1m bea/r1.1m zog/r1.1m cal/r1.1m cal/r1.1 zog/r1.1 bea/r1.1 yaz/r1.1 ann/r1.1", refs(out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPhaseLowFirst(t *testing.T) {
	t.Parallel()
	w := world(t, set(battlefield(2,
		who("ann", "heroes", "A5", "rs=50", "sta=50", "facing=E", "weapon=laser_pistol"), who("zog", "gang", "F5", "rs=50", "sta=50", "facing=W", "weapon=laser_pistol")),
		"movement=phase_low_first"))
	plans := map[game.ID]string{
		"ann": `{"steps": [{"verb": "move", "direction": "N", "distance": 2, "mode": "walk"}, {"verb": "fire", "target": "zog", "shots": 1}, {"verb": "posture", "posture": "crouch"}]}`,
		"zog": `{"steps": [{"verb": "move", "direction": "N", "distance": 2, "mode": "walk"}, {"verb": "fire", "target": "ann", "shots": 1}]}`,
	}
	dice := map[string][]int{"init/player-ann": {9}, "init/player-zog": {2}, "hit/ann": {90}, "hit/zog": {90}}
	if diff := cmp.Diff("zog/r1.1m ann/r1.1m ann/r1.1 ann/r1.1z zog/r1.1", refs(run(t, w, plans, dice))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Every held sub-action is at hand while the others move.
	plans["ann"] = `{"steps": [{"verb": "hold"}, {"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 30}, "do": [{"verb": "fire", "target": "zog", "shots": 2}]}]}`
	if got := refs(run(t, w, plans, map[string][]int{"init/player-ann": {9}, "init/player-zog": {2}, "hit/ann": {90, 90}, "hit/zog": {90}})); got != "zog/r1.1m ann/r1.1 ann/r1.2 zog/r1.1" {
		t.Errorf("%s", got)
	}
}

func twoPhase(t *testing.T, state string) *World {
	return world(t, set(battlefield(2,
		who("ann", "heroes", "A5", "rs=50", "sta=50", "facing=E", "weapon=laser_pistol:"+state), who("bea", "heroes", "A7", "rs=10", "sta=50", "facing=E"),
		who("zog", "gang", "F5", "gm=", "rs=30", "sta=50", "facing=W", "weapon=laser_pistol")), "declaration=two_phase", "init.holster_applies=if_drawn_this_turn"))
}

func TestTwoPhases(t *testing.T) {
	t.Parallel()
	plans := map[game.ID]string{
		"zog": `{"steps": [{"verb": "fire", "target": "bea", "shots": 2}, {"verb": "if", "when": {"kind": "down", "object": "bea"}, "then": [{"verb": "posture", "posture": "prone"}]}]}`,
		"ann": `{"steps": [{"verb": "move", "to": "A8", "mode": "walk"}]}`, "bea": `{"steps": [{"verb": "move", "to": "A9", "mode": "walk"}]}`,
	}
	dice := map[string][]int{"init/player-ann": {9}, "init/player-bea": {1}, "init/gang": {4}, "hit/zog": {90, 90}, "hit/ann": {90}}
	in := input(t, twoPhase(t, "holstered"), plans, dice)
	out := ruleset(t).Resolve(in)
	want := "Zog is about to fire at Bea (2 shots). Ann may change his orders; without a word they stand."
	if out.Pause == nil || out.Pause.Reason != "two_phase" || !out.Pause.Free || !slices.Equal(out.Pause.Asks, []game.ID{"ann"}) || out.Pause.Briefs["ann"] != want {
		t.Fatalf("%+v", out.Pause)
	}
	if got := ruleset(t).Default(ruleset(t).See(out.World, "ann")); len(got.Steps) != 1 || got.Steps[0].Verb != "move" {
		t.Errorf("silence would do %+v", got)
	}
	// A plan that draws costs three points; the die has fallen and stays.
	in.World, in.Phase = out.World, 1
	in.Orders = []game.Orders{
		{Combatant: "ann", Source: "player", Plan: plan(t, `{"steps": [{"verb": "fire", "weapon": "ann-laser_pistol", "target": "zog", "shots": 1}]}`)},
		{Combatant: "bea", Source: "player", Plan: plan(t, `{"steps": [{"verb": "posture", "posture": "prone"}]}`)}, // not asked
	}
	out = ruleset(t).Resolve(in)
	if got := total(t, out, "ann"); got != 11 || out.Pause != nil {
		t.Errorf("ann has %d, pause %+v", got, out.Pause)
	}
	if w := out.World.(*World); w.fighter("bea").Place.String() != "A9" || event(t, out, "ann/r1.1").Kind != "fire" {
		t.Errorf("%s", story(out))
	}
}

func TestTheSecondPlanDoesNotGiveTheDrawBack(t *testing.T) {
	t.Parallel()
	dice := map[string][]int{"init/player-ann": {9}, "init/player-bea": {1}, "init/gang": {4}}
	in := input(t, twoPhase(t, "holstered"), map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "weapon": "ann-laser_pistol", "target": "zog", "shots": 1}]}`, "zog": `{"steps": [{"verb": "posture", "posture": "prone"}]}`}, dice)
	out := ruleset(t).Resolve(in)
	if out.Pause == nil {
		t.Fatal("no pause")
	}
	in.World, in.Phase, in.Orders = out.World, 1, []game.Orders{{Combatant: "ann", Source: "player", Plan: plan(t, `{"steps": [{"verb": "move", "to": "A8", "mode": "walk"}]}`)}}
	out = ruleset(t).Resolve(in)
	if got := total(t, out, "ann"); got != 11 {
		t.Errorf("ann has %d, want 11", got)
	}
}

func TestRulingsOnDeclarations(t *testing.T) {
	t.Parallel()
	plans := map[game.ID]string{"zog": `{"steps": [{"verb": "fire", "target": "bea", "shots": 2}]}`}
	dice := map[string][]int{"init/player-ann": {9}, "init/player-bea": {1}, "init/gang": {4}}
	for field, who := range map[string]game.ID{"SECRET": "zog", "SECOND": "ann"} {
		value := map[string]string{"SECRET": "yes", "SECOND": "no"}[field]
		out := run(t, twoPhase(t, "in_hand"), plans, dice, game.Ruling{N: 1, Kind: game.RuleSet, Who: who, Field: field, Value: value, Text: fmt.Sprint(who, field, value)})
		if out.Pause != nil || len(out.Unused) > 0 {
			t.Errorf("%s: pause %+v, unused %v", field, out.Pause, out.Unused)
		}
	}
	// A total set before the pause holds after it.
	in := input(t, twoPhase(t, "in_hand"), plans, dice)
	in.Rulings = []game.Ruling{{N: 1, Kind: game.RuleEvent, Ref: "ann/r1.i", Field: "total", Value: "20", Text: "EVENT 1 TOTAL 20"}}
	out := ruleset(t).Resolve(in)
	in.World, in.Phase, in.Orders, in.Rulings = out.World, 1, nil, nil
	if got := total(t, ruleset(t).Resolve(in), "ann"); got != 20 {
		t.Errorf("ann has %d", got)
	}
}
