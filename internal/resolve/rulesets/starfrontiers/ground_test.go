package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// 17.2: difficult ground costs double, and a distance stays the distance that it
// is. Bobo stands in A5, on squares of 2 m; C5 and D5 are rubble.
func TestDifficultGroundCostsDouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, move string
		rubble     string
		words      []string
		at         string
		metres     int // of the allowance
		line       string
	}{
		{"straight on, as far as a walk carries", `"direction": "E", "mode": "walk"`, "C5 D5", nil, "D5", 10, "+4 m"},
		{"the same on even ground", `"direction": "E", "mode": "walk"`, "", nil, "F5", 10, ""},
		{"so many metres are metres of the map", `"direction": "E", "distance": {"value": 4, "unit": "m"}, "mode": "walk"`, "C5 D5", nil, "C5", 6, "+2 m"},
		{"and no more than the walk pays for", `"direction": "E", "distance": {"value": 10, "unit": "m"}, "mode": "walk"`, "C5 D5", nil, "D5", 10, "+4 m"},
		{"the way round is cheaper", `"to": "E5", "mode": "walk"`, "C5 D5", nil, "E5", 10, ""},
		{"diagonals: 2, then 4, and double on rubble", `"direction": "SE", "mode": "run"`, "B6", nil, "J14", 28, "+2 m"},
		{"away from somebody, so many metres", `"away_from": "zog", "distance": {"value": 4, "unit": "m"}, "mode": "run"`, "A4 A6 B4 B5 B6 C3 C4 C5 C6 C7 A3 A7 B3 B7", nil, "B3", 8, "+4 m"},
		{"encumbered, half of it", `"direction": "E", "mode": "walk"`, "C5 D5", []string{"str=40", "carried_kg=21"}, "B5", 2, ""},
		{"with a hurt leg, half of it", `"direction": "E", "mode": "walk"`, "B5", []string{"lamed leg"}, "B5", 4, "+2 m"},
	} {
		hurtLeg := slices.Contains(c.words, "lamed leg")
		words := slices.DeleteFunc(slices.Clone(c.words), func(s string) bool { return s == "lamed leg" })
		s := battlefield(2, who("bobo", "heroes", "A5", words...), who("zog", "gang", "A20", "facing=S"))
		f := game.Feature{ID: "rubble", Name: "rubble", Kind: "rubble", Difficult: true}
		for name := range strings.FieldsSeq(c.rubble) {
			sq, _ := game.ParseSquare(name)
			f.Squares = append(f.Squares, sq)
		}
		s.Features = []game.Feature{f}
		w := world(t, s)
		if hurtLeg {
			w.fighter("bobo").add(Effect{Kind: "sprain"})
		}
		out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", ` + c.move + `}]}`}, nil)
		ev, line := event(t, out, "bobo/r1.1m"), ""
		for _, l := range ev.Lines {
			if l.Label == "Difficult ground" {
				line = l.Value
			}
		}
		if got := out.World.(*World).fighter("bobo").Place.String(); got != c.at || ev.Numbers["metres"] != c.metres || line != c.line {
			t.Errorf("%s: in %s for %d m, %q; want %s for %d m, %q", c.name, got, ev.Numbers["metres"], line, c.at, c.metres, c.line)
		}
	}
}

// Difficult ground hides and covers nobody.
func TestDifficultGroundIsOpen(t *testing.T) {
	t.Parallel()
	g := newGrid([]game.Feature{{Kind: "mud", Difficult: true, Squares: []game.Square{{X: 2}, {X: 3}}}}, 10, 10, 2000)
	a, b := game.Square{}, game.Square{X: 5}
	if !g.bare(a, b) || !g.clear(a, b) || g.cover(a, b) != "" || g.hides(a, b) {
		t.Error("mud is in the way of a line")
	}
}

// 17.2 and 17.3, what a step costs besides its length.
func TestCostsOnTheWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, move string
		posture    string
		at         string
		metres     int
	}{
		{"a low wall takes 5 m", `"direction": "E", "mode": "walk"`, "stand", "D5", 9},
		{"a door takes 2 m more", `"direction": "N", "mode": "walk"`, "stand", "A1", 10},
		{"getting up takes half the walk", `"direction": "S", "mode": "walk"`, "prone", "A7", 4},
		{"not for a crawl", `"direction": "S", "mode": "crawl"`, "prone", "A6", 2},
		{"half the run, dodging", `"direction": "S", "mode": "dodge"`, "stand", "A12", 14},
		{"a wall ends it", `"direction": "SE", "mode": "run"`, "stand", "B6", 2},
	} {
		s := battlefield(2, who("bobo", "heroes", "A5", "posture="+c.posture), who("zog", "gang", "R5"))
		s.Features = []game.Feature{
			{ID: "low", Name: "low wall", Kind: "low_wall", Low: true, Squares: []game.Square{{X: 2, Y: 4}}},
			{ID: "door", Name: "door", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 0, Y: 3}}},
			{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 2, Y: 6}}},
		}
		out := run(t, world(t, s), map[game.ID]string{"bobo": `{"steps": [{"verb": "move", ` + c.move + `}]}`}, nil)
		ev := event(t, out, "bobo/r1.1m")
		if got := out.World.(*World).fighter("bobo").Place.String(); got != c.at || ev.Numbers["metres"] != c.metres {
			t.Errorf("%s: in %s for %d m, want %s for %d m", c.name, got, ev.Numbers["metres"], c.at, c.metres)
		}
	}
}

// 17.5, what handling things takes of a turn's sub-actions; a timer is set with
// the throw. The turns of cords, belts and bows, and the -3 of drawing, have
// tests of their own.
func TestHandlingTakesSubActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, step string
		actions    int
		whole      bool // nothing else is done in the turn
	}{
		{"draw", `{"verb": "ready", "action": "draw", "item": "x"}`, 0, false},
		{"put away", `{"verb": "ready", "action": "holster", "item": "x"}`, 0, false},
		{"drop", `{"verb": "ready", "action": "drop", "item": "x"}`, 0, false},
		{"pick up", `{"verb": "ready", "action": "pick_up", "item": "x"}`, 1, false},
		{"reload", `{"verb": "reload"}`, 1, true},
		{"plug in", `{"verb": "plug", "device": "x"}`, 1, true},
		{"give a drug", `{"verb": "use", "item": "x", "on": "y"}`, 1, true},
		{"open a door", `{"verb": "use", "item": "x", "state": "open"}`, 0, false},
		{"speak", `{"verb": "say", "text": "Now!"}`, 0, false},
		{"throw with a timer", `{"verb": "throw", "item": "x", "target": "y", "fuse": "2"}`, 1, false},
		{"drop prone", `{"verb": "posture", "posture": "prone"}`, 0, false},
		{"turn", `{"verb": "face", "direction": "n"}`, 0, false},
	} {
		in := plan(t, `{"steps": [`+c.step+`]}`).Steps[0]
		if spends(&in) != c.actions || wholeTurn(&in) != c.whole {
			t.Errorf("%s: %d sub-actions, the whole turn %v", c.name, spends(&in), wholeTurn(&in))
		}
	}
}

// 9.4 and 17.5: whoever reloads may walk, and no faster.
func TestReloadingLeavesAWalk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, steps, mode string }{
		{"walking", `{"verb": "reload"}, {"verb": "move", "direction": "S", "mode": "walk"}`, "walk"},
		{"running", `{"verb": "move", "direction": "S", "mode": "run"}, {"verb": "reload"}`, "walk"},
		{"dodging", `{"verb": "reload"}, {"verb": "move", "direction": "S", "mode": "dodge"}`, "walk"},
		{"no mode, and far", `{"verb": "reload"}, {"verb": "move", "to": "A18"}`, "walk"},
		{"crawling", `{"verb": "reload"}, {"verb": "move", "direction": "S", "mode": "crawl"}`, "crawl"},
		{"shots, for which the reloading is left out", `{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "reload"}, {"verb": "move", "direction": "S", "mode": "run"}`, "run"},
		{"in another round", `{"verb": "move", "direction": "S", "mode": "run"}, {"verb": "reload", "round": 2}`, "run"},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "A5", "weapon=automatic_pistol:rounds=3", "clip=bulletclip_pistol", "facing=E"), who("zog", "gang", "H5")))
		p, _ := ruleset(t).Check(ruleset(t).See(w, "bobo"), plan(t, `{"steps": [`+c.steps+`]}`))
		got := ""
		for _, in := range p.Steps {
			if in.Verb == "move" {
				got = in.Mode
			}
		}
		if got != c.mode {
			t.Errorf("%s: %q, want %q", c.name, got, c.mode)
		}
	}
}
