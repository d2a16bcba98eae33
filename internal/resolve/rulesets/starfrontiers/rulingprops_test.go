package starfrontiers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// TestRandomRulings: whatever is ruled, the outcome is one that can be.
func TestRandomRulings(t *testing.T) {
	t.Parallel()
	rulesettest.RandomRulings(t, ruleset(t), 80, func(r *rand.Rand) resolve.Input { return randomInput(t, r, 2+r.IntN(6)) }, func(out resolve.Outcome) string {
		w := out.World.(*World)
		for _, f := range w.Fighters {
			if !newGrid(nil, w.Width, w.Height, 1).inside(f.Place) {
				return fmt.Sprintf("%s left the map: %v", f.ID, f.Place)
			}
			for _, wp := range f.Weapons {
				if wp.Left < 0 || wp.Left > wp.Full {
					return fmt.Sprintf("%s has %d of %d", wp.ID, wp.Left, wp.Full)
				}
			}
		}
		if out.Pause == nil && w.Usual != nil {
			return "the rules of the turn outlast it"
		}
		return ""
	})
}

// TestAMapChangedUnseenIsAsItWas for who has not the place before his eyes; he
// learns of it when he looks.
func TestAMapChangedUnseenIsAsItWas(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("ann", "heroes", "A5", "facing=W"), who("bobo", "heroes", "A6", "facing=E"), who("zog", "gang", "AF19", "gm=", "facing=W")))
	w.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Cover: "hard", Squares: []game.Square{{X: 8, Y: 4}}}}
	rules := ruleset(t)
	in := input(t, w, nil, nil)
	in.Rulings = typed(t, in, rules.Resolve(in), "CRATE GONE yes\nH8 TERRAIN wall\nH9 TERRAIN low_wall").Rulings
	out := rules.Resolve(in)
	after := out.World.(*World)
	names := func(w *World, id game.ID) string {
		var list []string
		for _, f := range rules.See(w, id).Features {
			list = append(list, f.Name)
		}
		return strings.Join(list, ", ")
	}
	for id, want := range map[game.ID]string{"ann": "crate", "bobo": "wall, low wall", game.GM: "wall, low wall"} {
		if got := names(after, id); got != want {
			t.Errorf("%s knows of %q, want %q", id, got, want)
		}
	}
	if lines := encode(t, projected(out, "ann")); strings.Contains(lines, "wall") || strings.Contains(lines, "gone") {
		t.Errorf("ann reads of it: %s", lines)
	}
	if lines := encode(t, projected(out, "bobo")); !strings.Contains(lines, "There is a wall in H8 now") || !strings.Contains(lines, "Crate is gone") {
		t.Errorf("bobo reads %s", lines)
	}
	if own := string(rules.See(after, "ann").Own); strings.Contains(own, "wall") {
		t.Errorf("ann's own figures tell of it: %s", own)
	}
	turned := run(t, after, map[game.ID]string{"ann": `{"steps": [{"verb": "face", "direction": "E"}]}`}, nil).World.(*World)
	if got := names(turned, "ann"); got != "wall, low wall" {
		t.Errorf("having looked, ann knows of %q", got)
	}
	if _, ok := rules.Fault(turned, nil, game.Ruling{Kind: game.RuleSet, On: game.OfThing, Who: "crate", Field: "COVER", Value: "soft"}); ok == "" {
		t.Error("what is gone can be ruled on")
	}
}

// TestAThingMovedOutOfSight leaves the map of one who sees only where it stood.
func TestAThingMovedOutOfSight(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("ann", "heroes", "E5", "facing=E"), who("bobo", "heroes", "E9", "facing=W"), who("zog", "gang", "AF19", "gm=", "facing=E")))
	w.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Cover: "hard", Squares: []game.Square{{X: 12, Y: 4}}}}
	rules := ruleset(t)
	in := input(t, w, nil, nil)
	in.Rulings = typed(t, in, rules.Resolve(in), "CRATE AT A5").Rulings
	out := rules.Resolve(in)
	after := out.World.(*World)
	place := func(w *World, id game.ID) string {
		for _, f := range rules.See(w, id).Features {
			return f.Squares[0].String()
		}
		return "nowhere"
	}
	for id, want := range map[game.ID]string{"ann": "nowhere", "bobo": "A5", "zog": "M5", game.GM: "A5"} {
		if got := place(after, id); got != want {
			t.Errorf("for %s the crate is in %s, want %s", id, got, want)
		}
	}
	ev := event(t, out, "gm/r1.g1")
	if got := ev.Text[ev.Seen["ann"]]; got != "The crate is not where it was." {
		t.Errorf("ann reads %q", got)
	}
	if got := ev.Text[ev.Seen["bobo"]]; got != "Crate is now in A5." || ev.Seen["zog"] != "" {
		t.Errorf("bobo reads %q, zog %q", got, ev.Text[ev.Seen["zog"]])
	}
	turned := run(t, after, map[game.ID]string{"ann": `{"steps": [{"verb": "face", "direction": "W"}]}`}, nil).World.(*World)
	if got := place(turned, "ann"); got != "A5" {
		t.Errorf("having looked, ann sees the crate in %s", got)
	}
}

// TestFiguresBeforeAnyEvent: whatever event of the packet the GM names, a figure
// is set before it.
func TestFiguresBeforeAnyEvent(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	seen := map[string]bool{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 22))
		in := randomInput(t, r, 6)
		plain := rules.Resolve(in)
		for i, ev := range plain.Events {
			if seen[ev.Kind+ev.Outcome] {
				continue
			}
			seen[ev.Kind+ev.Outcome] = true
			in.Rulings = typed(t, in, plain, "c00 SEU 3 AT EVENT "+strconv.Itoa(i+1)+"\nc00 FACING SW AT EVENT "+strconv.Itoa(i+1)).Rulings
			out := rules.Resolve(in)
			at := slices.IndexFunc(out.Events, func(e game.Event) bool { return strings.HasPrefix(e.Ref, "c00/") && strings.Contains(e.Ref, ".g") })
			if at < 0 || at > slices.IndexFunc(out.Events, func(e game.Event) bool { return e.Ref == ev.Ref }) {
				t.Errorf("seed %d: nothing is set before %s (%s %s)", seed, ev.Ref, ev.Kind, ev.Outcome)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d kinds of events were there", len(seen))
	}
}

// TestADieThatIsRuledIsToldWhereItFell: the report of one does not name the die
// of another.
func TestADieThatIsRuledIsToldWhereItFell(t *testing.T) {
	t.Parallel()
	in := input(t, pair21(t), bothShoot, nil)
	in.Rulings = typed(t, in, ruleset(t).Resolve(in), "DIE init/gang/r1 = 9\nDIE hit/bobo/r1.2 REROLL\nZOG POSTURE prone AT EVENT {zog/r1.i}").Rulings
	out := ruleset(t).Resolve(in)
	for _, ev := range out.Events {
		want := map[string][]int{"zog/r1.i": {1}, "bobo/r1.2": {2}, "zog/r1.g3": {3}}[ev.Ref]
		if diff := cmp.Diff(want, ev.Ruled); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ev.Ref, diff)
		}
	}
	if lines := encode(t, projected(out, "bobo")); strings.Contains(lines, "init/gang") {
		t.Errorf("bobo reads of the gang's die: %s", lines)
	}
}

// TestStaminaSetToNothing makes of somebody what losing it would (11.5, 16.2).
func TestStaminaSetToNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who, sta, set string
		want          []string
		fell          bool
	}{
		{"zog", "50", "-5", []string{"dying"}, true},
		{"zog", "50", "-31", []string{"dying", "dead"}, true},
		{"zog", "50", "5", nil, false},
		{"robot", "100", "0", []string{"destroyed"}, true},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "A5", "facing=E"), who("zog", "gang", "F5", "gm=", "sta=50", "facing=W"),
			who("robot", "gang", "F9", "gm=", "race=robot", "model=combat", "facing=W")))
		in := input(t, w, nil, nil)
		in.Rulings = typed(t, in, ruleset(t).Resolve(in), c.who+" STA "+c.set).Rulings
		f := ruleset(t).Resolve(in).World.(*World).fighter(game.ID(c.who))
		if !slices.Equal(f.Status, c.want) || f.Fell > 0 != c.fell || strconv.Itoa(f.Now) != c.set {
			t.Errorf("%s STA %s: %v, fell %d, STA %d", c.who, c.set, f.Status, f.Fell, f.Now)
		}
	}
}

// TestAFoeRollsAloneAgain though others have rolled under his name.
func TestAFoeRollsAloneAgain(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A5", "facing=E"), who("kira", "gang", "F7", "gm=", "facing=W"), who("zog", "gang", "F5", "gm=", "facing=W")))
	for _, says := range []string{"ZOG GROUP zog", "KIRA GROUP zog", "ZOG GROUP zog"} {
		in := input(t, w, nil, nil)
		in.Rulings = typed(t, in, ruleset(t).Resolve(in), says).Rulings
		w = ruleset(t).Resolve(in).World.(*World)
		kira, zog := w.roller(ruleset(t).t, w.fighter("kira")), w.roller(ruleset(t).t, w.fighter("zog"))
		if together := strings.HasPrefix(says, "KIRA"); (kira == zog) != together {
			t.Errorf("%s: they roll as %s and %s", says, kira, zog)
		}
	}
}

// TestSurrenderIsSeen by who has him before his eyes.
func TestSurrenderIsSeen(t *testing.T) {
	t.Parallel()
	in := input(t, pair21(t), nil, nil)
	in.Rulings = typed(t, in, ruleset(t).Resolve(in), "ZOG SURRENDERED yes").Rulings
	if ev := event(t, ruleset(t).Resolve(in), "zog/r1.g1"); ev.Text[ev.Seen["bobo"]] != "Zog is now in F5, and has given up." {
		t.Errorf("%v %v", ev.Seen, ev.Text)
	}
}

// TestWhatIsNoticedIsOfOneTurn: another ambush has words of its own.
func TestWhatIsNoticedIsOfOneTurn(t *testing.T) {
	t.Parallel()
	in := input(t, scene21(t, []string{"surprise=check", "notice=A twig snaps."}, nil), nil, map[string][]int{"surprise/bobo": {100}})
	if f := ruleset(t).Resolve(in).World.(*World).fighter("bobo"); f.Surprise != "" || f.Notice != "" {
		t.Errorf("afterwards %q, %q", f.Surprise, f.Notice)
	}
}

// TestARuledClimbIsNotLeftToTheGM in the words of the report.
func TestARuledClimbIsNotLeftToTheGM(t *testing.T) {
	t.Parallel()
	in := input(t, pair21(t), one(`{"steps": [{"verb": "move", "to": "C5", "mode": "climb"}]}`), nil)
	plain := ruleset(t).Resolve(in)
	in = input(t, pair21(t), one(`{"steps": [{"verb": "move", "to": "C5", "mode": "climb"}]}`), nil)
	in.Rulings = typed(t, in, plain, "BOBO AT C5 AT EVENT {bobo/r1.1m}").Rulings
	for want, out := range map[string]resolve.Outcome{
		"Bobo means to climb to C5, and stays unless the GM rules so.": plain,
		"Bobo means to climb to C5.":                                   ruleset(t).Resolve(in),
	} {
		if got := event(t, out, "bobo/r1.1m").Text[game.Own]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhoIsOutOfSightIsNoGoal, and the report says so.
func TestWhoIsOutOfSightIsNoGoal(t *testing.T) {
	t.Parallel()
	charge := one(`{"steps": [{"verb": "move", "to": "zog", "mode": "run"}]}`)
	in := input(t, pair21(t), charge, nil)
	text := typed(t, in, ruleset(t).Resolve(in), "D5 TERRAIN wall AT EVENT {bobo/r1.1m}")
	in = input(t, pair21(t), charge, nil)
	in.Rulings = text.Rulings
	ev := event(t, ruleset(t).Resolve(in), "bobo/r1.1m")
	if ev.Reason != "no_goal" || ev.Text[game.Own] != "Bobo does not see where to go and stays." {
		t.Errorf("%s, %q", ev.Reason, ev.Text[game.Own])
	}
}
