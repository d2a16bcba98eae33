package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestPaces: feet in the first three segments at agility 12 (6).
func TestPaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode, posture string
		settings      []string
		want          string
	}{
		{"walk", "stand", nil, "[3 9 15]"},
		{"run", "stand", nil, "[6 18 30]"},
		{"crawl", "stand", nil, "[1 4 7]"},
		{"run", "prone", nil, "[1 4 7]"},
		{"walk", "stand", []string{"first_segment=cap"}, "[6 12 18]"},
		{"run", "stand", []string{"first_segment=cap"}, "[6 18 30]"},
	} {
		w := world(t, field(c.settings, who("zog", "b", "A3", "agi=12", "posture="+c.posture), who("ann", "a", "A9")))
		b := fought(t, w, 1, 3, map[game.ID]string{"zog": `{"steps": [{"verb": "move", "direction": "E", "mode": "` + c.mode + `"}]}`}, dice.Constant(1))
		var got []int
		for s := range 3 {
			got = append(got, (b.after[s].fighter("zog").At.X-w.fighter("zog").At.X)/foot)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s %s %v: %v, want %s", c.posture, c.mode, c.settings, got, c.want)
		}
	}
}

// TestTheFirstSegmentOfEachStart is halved anew (A59).
func TestTheFirstSegmentOfEachStart(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{"halving_after_stop=true": 3 + 3, "halving_after_stop=false": 3 + 6} {
		w := world(t, field([]string{setting}, who("zog", "b", "A3", "agi=12"), who("ann", "a", "A9")))
		b := fought(t, w, 1, 4, map[game.ID]string{"zog": `{"steps": [{"verb": "move", "to": [1, 2], "mode": "walk"}, {"verb": "hold", "segment": 3}, {"verb": "move", "direction": "S", "mode": "walk"}]}`}, dice.Constant(1))
		z := b.after[3].fighter("zog")
		if got := (z.At.X - w.fighter("zog").At.X + z.At.Y - w.fighter("zog").At.Y) / foot; got != want {
			t.Errorf("%s: %d ft, want %d", setting, got, want)
		}
	}
}

// TestFastMovementStopsPreparation by a segment for each, walking does not; and
// either costs what was gathered by waiting (2.3, 6).
func TestFastMovementStopsPreparation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode    string
		setting string
		ready   int
	}{
		{"walk", "fast_move_stops_preparation=true", 7},
		{"run", "fast_move_stops_preparation=true", 7 + 3},
		{"run", "fast_move_stops_preparation=false", 7},
	} {
		w := world(t, field([]string{c.setting}, who("zog", "b", "A3", "agi=10", "weapon=long_sword"), who("ann", "a", "Z9")))
		w.fighter("zog").LastAction = 0
		b := fought(t, w, 1, 3, map[game.ID]string{"zog": `{"steps": [{"verb": "move", "direction": "E", "mode": "` + c.mode + `"}]}`}, dice.Constant(1))
		if got := b.ready(t, 2, "zog", "zog-long_sword"); got != c.ready {
			t.Errorf("%s, %s: ready in %d, want %d", c.mode, c.setting, got, c.ready)
		}
		if z := b.after[2].fighter("zog"); z.HoldFrom != 2 || b.readyToDodge(z, z.LastAction) != 4 {
			t.Errorf("%s: waits since %d, dodges in %d", c.mode, z.HoldFrom, b.readyToDodge(z, z.LastAction))
		}
	}
}

// TestWaitingIsLost by moving, and by naming another target (A45).
func TestWaitingIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, steps string
		settings    []string
		chance      int
	}{
		{"waits for him", `{"verb": "set_attack", "target": "ann", "segment": 4}`, nil, 60 + 40},
		{"waits for nobody", `{"verb": "hold", "segment": 4}, {"verb": "fire", "target": "ann"}`, nil, 60 + 40},
		{"walks a segment", `{"verb": "move", "direction": "E", "distance": {"value": 1, "unit": "ft"}, "mode": "walk"}, {"verb": "set_attack", "target": "ann", "segment": 4}`, nil, 60 + 40},
		{"walks at last", `{"verb": "hold", "segment": 3}, {"verb": "move", "direction": "E", "distance": {"value": 1, "unit": "ft"}, "mode": "walk"}, {"verb": "fire", "target": "ann"}`, nil, 60 + 10},
	} {
		w := world(t, field(c.settings, who("zog", "b", "A3", "agi=10", "hp=50", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("ann", "a", "Z3", "hp=50")))
		b := fought(t, w, 1, 6, map[game.ID]string{"zog": `{"steps": [` + c.steps + `]}`}, dice.Constant(99))
		for _, ev := range b.events {
			if ev.Attack && ev.Numbers["chance"] != c.chance {
				t.Errorf("%s: chance %d in %d, want %d", c.name, ev.Numbers["chance"], ev.At, c.chance)
			}
		}
	}
	for setting, want := range map[string]int{"set_lost_on_switch=true": 60 + 20, "set_lost_on_switch=false": 60 + 40} {
		w := world(t, field([]string{setting}, who("zog", "b", "A3", "agi=10", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("ann", "a", "Z3"), who("bob", "a", "Z9")))
		b := fought(t, w, 1, 2, map[game.ID]string{"zog": `{"steps": [{"verb": "set_attack", "target": "ann", "segment": 4}]}`}, dice.Constant(99))
		next := fought(t, b.after[1], 1, 3, map[game.ID]string{"zog": `{"steps": [{"verb": "set_attack", "target": "bob", "segment": 4}]}`}, dice.Constant(99))
		if got := next.event(t, "zog/s4").Numbers["chance"]; got != want {
			t.Errorf("%s: %d, want %d", setting, got, want)
		}
	}
}

// TestTwoWantOnePlace: the lower id takes it and the other stops short (2.5 step 4).
func TestTwoWantOnePlace(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=12"), who("bob", "a", "G3", "agi=12"), who("zog", "b", "Z9")))
	plans := map[game.ID]string{}
	for _, id := range []game.ID{"ann", "bob"} {
		plans[id] = `{"steps": [{"verb": "move", "to": [4, 2], "mode": "run"}]}`
	}
	b := fought(t, w, 1, 4, plans, dice.Constant(1))
	a, o := b.after[3].fighter("ann"), b.after[3].fighter("bob")
	if got := w.square(a.At).String() + " " + w.square(o.At).String(); got != "E3 F3" {
		t.Errorf("they stand at %s, want E3 F3", got)
	}
	if b.event(t, "bob/s1.n").Reason != "blocked" {
		t.Errorf("Bob stops for %q", b.event(t, "bob/s1.n").Reason)
	}
}

// TestAnAttackIsNotMadeWhenItsTargetIsGone: he counts as having waited (2.5 step 4).
func TestAnAttackIsNotMadeWhenItsTargetIsGone(t *testing.T) {
	t.Parallel()
	s := field(nil, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger"), who("zog", "b", "F3", "agi=12"))
	s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 3, Y: 3}, {X: 4, Y: 4}}}}
	w := world(t, s)
	w.fighter("ann").LastAction = 0 // ready in 3
	b := fought(t, w, 1, 4, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`,
		"zog": `{"steps": [{"verb": "hold", "segment": 2}, {"verb": "move", "to": [5, 5], "mode": "run"}]}`}, dice.Constant(1))
	ann := b.after[3].fighter("ann")
	if e := newEngine(b.rules, b.after[3], inputOf(b.after[3])); e.sees(ann, b.after[3].fighter("zog")) {
		t.Fatal("he is still in sight")
	}
	for _, ev := range b.events {
		if ev.Attack {
			t.Errorf("%s is made", ev.Ref)
		}
	}
	if ann.Weapons[0].Left != 8 || ann.LastAction != 0 {
		t.Errorf("%d rounds, last action %d", ann.Weapons[0].Left, ann.LastAction)
	}
}

// TestDegrees between directions, rounded down (6 step 7).
func TestDegrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b Point
		want int
	}{
		{Point{1000, 0}, Point{1000, 0}, 0}, {Point{1000, 0}, Point{0, 1000}, 90}, {Point{1000, 0}, Point{-1000, 0}, 180},
		{Point{1000, 0}, Point{1000, 1000}, 45}, {Point{1000, 0}, Point{1000, -17}, 0}, {Point{1000, 0}, Point{1000, 18}, 1},
		{Point{0, 5_000_000}, Point{5_000_000, -5_000_000}, 135}, {Point{1000, 0}, Point{}, 0},
	} {
		if got := degrees(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestTheAimFollowsAMover: crossing costs a point a degree, coming on nothing.
func TestTheAimFollowsAMover(t *testing.T) {
	t.Parallel()
	for direction, want := range map[string]int{"S": 60 - 45, "W": 60} {
		// 12 ft a segment across the line at 12 ft is half a right angle.
		w := world(t, field(nil, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("zog", "b", "G3", "agi=12")))
		w.fighter("ann").LastAction = -2 // ready in 1
		w.fighter("zog").At.X = w.fighter("ann").At.X + 12*foot
		b := fought(t, w, 1, 2, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "move", "direction": "` + direction + `", "mode": "run"}]}`}, dice.Constant(99))
		shot := b.event(t, "ann/s1")
		got := shot.Numbers["chance"]
		if direction == "S" {
			// It stood 6 ft off the line when the segment began.
			want = 60 - (degrees(Point{12, 6}, Point{12, 18}))
		}
		if got != want {
			t.Errorf("%s: %d, want %d", direction, got, want)
		}
	}
}

// TestTheWayAround: who is told where to go walks around walls and people; who is
// told a direction stops before them; and who is hemmed in waits and says nothing.
func TestTheWayAround(t *testing.T) {
	t.Parallel()
	s := field(nil, who("ann", "a", "C3", "agi=12"), who("bob", "a", "C9", "agi=12"), who("zog", "b", "Z9"))
	s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 4, Y: 1}, {X: 4, Y: 2}, {X: 4, Y: 3}, {X: 4, Y: 8}}}}
	b := fought(t, world(t, s), 1, 12, map[game.ID]string{
		"ann": `{"steps": [{"verb": "move", "to": [6, 2], "mode": "walk"}]}`,
		"bob": `{"steps": [{"verb": "move", "direction": "E", "mode": "walk"}]}`,
	}, dice.Constant(1))
	w := b.out.World.(*World)
	if got := w.square(w.fighter("ann").At).String() + " " + w.square(w.fighter("bob").At).String(); got != "G3 D9" {
		t.Errorf("they stand at %s, want G3 D9", got)
	}
	cell := world(t, field(nil, who("ann", "a", "A1", "skills.one_handed=50", "weapon=dagger"), who("zog", "b", "F1"),
		who("b0", "a", "B1"), who("b1", "a", "B2"), who("b2", "a", "A2"))) // comrades stand all around her
	still := fought(t, cell, 1, 5, map[game.ID]string{"ann": strike}, dice.Constant(1))
	if len(still.events) > 0 {
		t.Errorf("she cannot get out, and yet: %s", still.refs())
	}
}

// TestRootsAreRoundedDown for squares and what lies beside them.
func TestRootsAreRoundedDown(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 4, 5, 99, 3048, 65535, 65536, 1_000_003, 500_000_000} {
		for sq, want := range map[int]int{n * n: n, n*n + 2*n: n, n*n - 1: n - 1} {
			if sq >= 0 && root(sq) != want {
				t.Errorf("the root of %d is %d, want %d", sq, root(sq), want)
			}
		}
	}
}
