package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// ambush is a marching line that Zog, hidden, fires at: Ann goes first, Bea last.
func ambush(t testing.TB, words ...string) *World {
	return world(t, battlefield(2,
		who("ann", "heroes", "E5", "rs=50", "sta=50", "facing=E", "surprise=unaware", "weapon=laser_pistol"),
		who("bea", "heroes", "D5", append([]string{"rs=60", "sta=50", "int=45", "facing=E", "weapon=laser_pistol"}, words...)...),
		who("zog", "gang", "A5", "gm=", "rs=30", "sta=50", "facing=E", "hidden=", "weapon=laser_pistol"),
	))
}

const zogShoots = `{"steps": [{"verb": "fire", "target": "bea", "shots": 1}]}`

func TestSurpriseSU(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id   string
		roll int
		want string
	}{{"SU-1", 45, "noticed"}, {"SU-2", 46, "surprised"}} {
		out := run(t, ambush(t, "surprise=check", "notice=Somebody steps on a twig."), map[game.ID]string{"zog": zogShoots}, map[string][]int{"surprise/bea": {c.roll}})
		ev := event(t, out, "bea/r1.u")
		if ev.Outcome != c.want || ev.Numbers["chance"] != 45 || ev.Rule != "2.1" {
			t.Errorf("%s: %+v", c.id, ev)
		}
		if got := event(t, out, "ann/r1.u"); got.Outcome != "surprised" || len(got.Dice) > 0 || len(got.Seen) > 0 {
			t.Errorf("SU-3: %+v", got)
		}
		if c.want == "surprised" {
			if out.Pause != nil {
				t.Errorf("%s: nobody has noticed anything, and there is a pause", c.id)
			}
			continue
		}
		if out.Pause == nil || !slices.Equal(out.Pause.Asks, []game.ID{"bea"}) || !strings.Contains(out.Pause.Briefs["bea"], "twig") || out.Pause.Briefs["ann"] != "" || out.Pause.Free {
			t.Errorf("%s: pause %+v", c.id, out.Pause)
		}
		if out.World.(*World).Turn != 1 || len(out.Inquiries) != 1 || out.Inquiries[0].Kind != "surprise" {
			t.Errorf("%s: %+v", c.id, out.Inquiries)
		}
	}
}

// noticed plays the phase before the pause and gives the input of the next.
func noticed(t *testing.T, reply string) resolve.Input {
	t.Helper()
	first := map[game.ID]string{
		"ann": `{"steps": [{"verb": "move", "to": "H5", "mode": "walk"}]}`,
		"bea": `{"steps": [{"verb": "fire", "target": "nearest_enemy", "shots": 1}]}`, "zog": zogShoots,
	}
	out := run(t, ambush(t, "surprise=check"), first, map[string][]int{"surprise/bea": {1}})
	in := input(t, out.World.(*World), map[game.ID]string{"bea": reply, "ann": `{"steps": [{"verb": "move", "to": "A1", "mode": "run"}]}`}, map[string][]int{"hit/zog": {90}})
	in.Phase = 1
	in.Orders = in.Orders[:2] // the GM's foe keeps the plan of the first phase
	return in
}

func TestWhoNoticesChoosesBeforeTheAttack(t *testing.T) {
	t.Parallel()
	in := noticed(t, `{"steps": [{"verb": "face", "direction": "W"}, {"verb": "fire", "target": "nearest_enemy", "shots": 1}, {"verb": "posture", "posture": "prone"}]}`)
	out := ruleset(t).Resolve(in)
	if out.Pause != nil {
		t.Fatalf("a second pause %+v", out.Pause)
	}
	if got := event(t, out, "bea/r1.1z"); got.Kind != "posture" {
		t.Errorf("her reply is not carried out\n%s", story(out))
	}
	// Ann was not asked: her plan of the first phase stands, and she only moves.
	if w := out.World.(*World); w.fighter("ann").Place.String() != "H5" || w.Stage != nil || w.fighter("bea").Surprise != "" {
		t.Errorf("ann is in %s\n%s", w.fighter("ann").Place, story(out))
	}
	if got := event(t, out, "zog/r1.1"); !got.Attack {
		t.Errorf("zog's plan of the first phase is gone\n%s", story(out))
	}
}

// SU-4: whoever chooses badly may be surprised all the same: the GM says so.
func TestSU4ABadChoiceIsRuled(t *testing.T) {
	t.Parallel()
	in := noticed(t, `{"steps": [{"verb": "fire", "target": "nearest_enemy", "shots": 1}]}`)
	in.Rulings = []game.Ruling{{N: 1, Kind: game.RuleSet, Who: "bea", Field: "SURPRISED", Value: "yes", Text: "bea SURPRISED yes"}}
	out := ruleset(t).Resolve(in)
	if got := event(t, out, "bea/r1.v"); got.Outcome != "lost" || len(out.Unused) > 0 {
		t.Errorf("%+v, unused %v", got, out.Unused)
	}
	if a, b := event(t, out, "zog/r1.i").Numbers["total"], event(t, out, "bea/r1.i").Numbers["total"]; b != a-1 {
		t.Errorf("zog %d, bea %d: the ambush has initiative", a, b)
	}
}

func TestAWordLeftForSurpriseNeedsNoPause(t *testing.T) {
	t.Parallel()
	out := run(t, ambush(t, "surprise=check"), map[game.ID]string{
		"zog": zogShoots,
		"bea": `{"steps": [{"verb": "move", "to": "H5"}], "standing": [{"when": {"kind": "notice"}, "do": [{"verb": "posture", "posture": "prone"}]}]}`,
	}, map[string][]int{"surprise/bea": {1}, "hit/zog": {90}})
	if out.Pause != nil || event(t, out, "bea/r1.1m").Kind != "posture" {
		t.Errorf("%+v\n%s", out.Pause, story(out))
	}
}

func TestTheSurprisedOnlyMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, plan string
		outcome  string
		want     []string
	}{
		{"SU-5", `{"steps": [{"verb": "move", "to": "D8", "mode": "run"}]}`, "surprised", []string{"move"}},
		{"SU-6", `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "posture", "posture": "prone"}]}`, "lost", []string{"posture"}},
		{"SU-7", holding(`{"kind": "within", "who": "any_enemy", "distance": 50}`, `{"verb": "fire", "target": "trigger"}`), "lost", nil},
		{"no reloading", `{"steps": [{"verb": "reload"}]}`, "lost", nil},
		{"a branch", `{"steps": [{"verb": "if", "when": {"kind": "sta", "op": ">=", "value": 1}, "then": [{"verb": "fire", "target": "zog", "shots": 2}, {"verb": "move", "to": "D6", "mode": "walk"}]}]}`, "lost", []string{"move"}},
	} {
		w := ambush(t, "surprise=unaware", "clip=powerclip")
		w.fighter("zog").SeenBy = nil
		w.fighter("zog").Place = game.Square{X: 8, Y: 4}
		out := run(t, w, map[game.ID]string{"bea": c.plan, "zog": `{"steps": [{"verb": "move", "to": "J1", "mode": "walk"}]}`}, nil)
		var got []string
		for _, ev := range out.Events {
			if ev.Actor == "bea" && ev.Kind != "initiative" && ev.Kind != "surprise" {
				got = append(got, ev.Kind)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || event(t, out, "bea/r1.v").Outcome != c.outcome {
			t.Errorf("%s: %s (-want +got):\n%s%s", c.id, event(t, out, "bea/r1.v").Outcome, diff, story(out))
		}
		if in := event(t, out, "bea/r1.i"); in.Numbers["actions"] != 1 || strings.Contains(in.Text[game.Own], "initiative") || !in.Lines[len(in.Lines)-1].Secret {
			t.Errorf("%s: %+v", c.id, in)
		}
		// SU-8: it is over with the first turn.
		again := run(t, out.World.(*World), map[game.ID]string{"bea": `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}]}`}, nil)
		if ev := event(t, again, "bea/r1.1"); ev.Kind != "fire" || event(t, again, "bea/r1.i").Rule == "2.1" {
			t.Errorf("SU-8: %s", story(again))
		}
	}
}

// A blow at somebody surprised counts as one from behind (7.1 no. 4), and his own
// melee locks nobody (7.2).
func TestTheSurprisedAreUnaware(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=50", "weapon=sword"}, []string{"surprise=unaware", "weapon=sword", "facing=W"})
	w.fighter("zog").Place = game.Square{X: w.fighter("bobo").Place.X + 1, Y: w.fighter("bobo").Place.Y}
	out := run(t, w, map[game.ID]string{
		"bobo": `{"steps": [{"verb": "melee", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`}, nil)
	found := false
	for _, l := range event(t, out, "bobo/r1.1").Lines {
		found = found || l.Label == "Target unaware" && l.Value == "+20"
	}
	if !found {
		t.Errorf("%+v", event(t, out, "bobo/r1.1").Lines)
	}
}

func TestSurprisedTotalsIN16(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("ann", "heroes", "A1", "rs=50"), who("bea", "gang", "F1", "rs=50"),
		who("cal", "heroes", "A3", "rs=100", "surprise=unaware"), who("dan", "heroes", "A5", "rs=90", "surprise=unaware")))
	out := run(t, w, nil, map[string][]int{"init/player-ann": {7}, "init/player-bea": {2}, "init/player-cal": {5}, "init/player-dan": {6}})
	for id, want := range map[string]int{"ann": 12, "bea": 7, "cal": 6, "dan": 6} {
		if got := event(t, out, id+"/r1.i").Numbers["total"]; got != want {
			t.Errorf("%s has %d, want %d", id, got, want)
		}
	}
	for _, f := range w.Fighters {
		f.Surprise = "unaware"
	}
	out = run(t, w, nil, map[string][]int{"init/player-cal": {5}})
	if got := event(t, out, "cal/r1.i").Numbers["total"]; got != 15 {
		t.Errorf("everybody is surprised, and cal has %d", got)
	}
}

func TestTheGMChoosesWhoMayCheck(t *testing.T) {
	t.Parallel()
	w := ambush(t)
	rule := func(n int, field, value string) game.Ruling {
		return game.Ruling{N: n, Kind: game.RuleSet, Who: "bea", Field: field, Value: value, Text: "bea " + field + " " + value}
	}
	out := run(t, w, map[game.ID]string{"zog": zogShoots}, map[string][]int{"surprise/bea": {60}}, rule(1, "SURPRISE", "check"))
	if ev := event(t, out, "bea/r1.u"); ev.Outcome != "surprised" || len(out.Unused) > 0 || out.World.(*World).fighter("bea").Surprise != "" {
		t.Errorf("%+v, unused %v", ev, out.Unused)
	}
	// He gives her a better chance, and it is enough.
	out = run(t, w, map[game.ID]string{"zog": zogShoots}, map[string][]int{"surprise/bea": {60}}, rule(1, "SURPRISE", "check"),
		game.Ruling{N: 2, Kind: game.RuleEvent, Ref: "bea/r1.u", Field: "chance", Value: "65", Text: "EVENT 2 CHANCE 65"})
	if out.Pause == nil {
		t.Errorf("%s", story(out))
	}
	// Or says how it ends.
	out = run(t, w, map[game.ID]string{"zog": zogShoots}, map[string][]int{"surprise/bea": {99}}, rule(1, "SURPRISE", "check"),
		game.Ruling{N: 2, Kind: game.RuleEvent, Ref: "bea/r1.u", Field: "outcome", Value: "noticed", Text: "EVENT 2 NOTICED"})
	if out.Pause == nil {
		t.Errorf("%s", story(out))
	}
}

func TestNobodyReadsThatHeIsMarked(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	plain, marked := ambush(t), ambush(t, "surprise=check", "notice=Somebody steps on a twig.")
	for _, id := range []game.ID{"ann", "bea"} {
		if diff := cmp.Diff(encode(t, rules.See(plain, id)), encode(t, rules.See(marked, id))); diff != "" {
			t.Errorf("%s sees the mark:\n%s", id, diff)
		}
	}
	// A check that fails is told to nobody, and the die is the GM's.
	out := run(t, marked, map[game.ID]string{"zog": zogShoots}, map[string][]int{"surprise/bea": {99}})
	if ev := event(t, out, "bea/r1.u"); len(ev.Seen) > 0 {
		t.Errorf("%+v", ev)
	}
}

func TestSpottingSP(t *testing.T) {
	t.Parallel()
	tab := data(t)
	for _, c := range []struct {
		id                 string
		words, settings    []string
		seen, unseen       int
		details, nodetails int
	}{
		{"SP-1, SP-2", nil, nil, 1000, 1001, 600, 601},
		{"SP-3", []string{"item=magnigoggles"}, nil, 3000, 3001, 1800, 1801},
		{"SP-4", nil, []string{"weather=poor"}, 500, 501, 300, 301},
		{"SP-5", []string{"item=binoculars"}, []string{"weather=poor"}, 1500, 1501, 900, 901},
		{"SP-6", []string{"viewpoint=2"}, nil, 2000, 2001, 600, 601},
		{"fog of another density", nil, []string{"weather=10"}, 100, 101, 60, 61},
		{"a telescopic sight in hand", []string{"weapon=laser_rifle:scope=true"}, nil, 3000, 3001, 1800, 1801},
		{"by ruling", []string{"spotting=30"}, nil, 300, 301, 180, 181},
	} {
		s := set(battlefield(1, who("ann", "heroes", "A1", append([]string{"facing=S"}, c.words...)...), who("zog", "gang", "A2")), c.settings...)
		w := world(t, s)
		ann := w.fighter("ann")
		at := func(m int) game.Square { return game.Square{X: 0, Y: m} }
		if !w.spots(tab, ann, at(c.seen)) || w.spots(tab, ann, at(c.unseen)) || w.far(tab, ann, at(c.details)) || !w.far(tab, ann, at(c.nodetails)) {
			t.Errorf("%s: seen at %d %v, at %d %v; details at %d %v, at %d %v", c.id, c.seen, w.spots(tab, ann, at(c.seen)), c.unseen, w.spots(tab, ann, at(c.unseen)),
				c.details, !w.far(tab, ann, at(c.details)), c.nodetails, !w.far(tab, ann, at(c.nodetails)))
		}
	}
}
