package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// stable is Ann at a horse, with Bob to ride along, and Zog far off.
func stable(t testing.TB, settings []string, ann ...string) *World {
	s := field(settings, who("ann", "a", "C3", append([]string{"agi=10", "hp=50", "skills.one_handed=60", "skills.one_handed_missile=60"}, ann...)...),
		who("bob", "a", "C4", "agi=10", "hp=50", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"),
		who("horse", "a", "D3", "agi=12", "speed=30", "seats=2", "size=large", "hp=50", "player="), who("zog", "b", "T3", "hp=50"))
	return world(t, s)
}

func places(w *World, ids ...game.ID) string {
	var out []string
	for _, id := range ids {
		out = append(out, w.square(w.fighter(id).At).String())
	}
	return strings.Join(out, " ")
}

// TestMountAndRide: it takes its class to get on and off; who steers moves at the
// speed of the mount, and all on it with him (6, 11).
func TestMountAndRide(t *testing.T) {
	t.Parallel()
	b := fought(t, stable(t, nil), 1, 16, map[game.ID]string{
		"ann": `{"steps": [{"verb": "mount", "target": "horse"}, {"verb": "move", "to": [13, 2], "mode": "run"}, {"verb": "climb_down"}]}`,
		"bob": `{"steps": [{"verb": "mount", "target": "horse"}]}`,
	}, dice.Constant(50))
	if a, bob := b.after[4].fighter("ann"), b.after[5].fighter("bob"); a.Up != "" || bob.Up != "horse" || b.after[5].fighter("ann").Up != "horse" {
		t.Errorf("after 4 and 5: %q, %q, %q", a.Up, b.after[5].fighter("ann").Up, bob.Up)
	}
	// From D3: 15 ft in the first segment, then 30, at a run; N3 is 30 ft away.
	for segment, want := range map[int]string{5: "I3 I3 I3", 6: "N3 N3 N3"} {
		if got := places(b.after[segment], "ann", "bob", "horse"); got != want {
			t.Errorf("after %d: %s, want %s", segment, got, want)
		}
	}
	last := b.out.World.(*World)
	if a := last.fighter("ann"); a.Up != "" || a.At == last.fighter("horse").At || last.fighter("bob").Up != "horse" {
		t.Errorf("Ann %q, Bob %q", a.Up, last.fighter("bob").Up)
	}
}

// TestRidersFightFromAbove: ten more against who stands on the ground; who steers at
// speed fires as a runner does and loses preparation, his passenger only follows
// the target with his aim (4.4, 5.4, 6).
func TestRidersFightFromAbove(t *testing.T) {
	t.Parallel()
	w := stable(t, nil, "weapon=long_sword")
	for _, id := range []game.ID{"ann", "horse"} {
		w.fighter(id).At = w.centre(game.Square{X: 18, Y: 2})
	}
	w.fighter("ann").Up = "horse"
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.Constant(99))
	if got := b.event(t, "ann/s0").Numbers["chance"]; got != 60+15+10 {
		t.Errorf("from above: %d", got)
	}
	for _, c := range []struct {
		who    game.ID
		chance int
	}{{"ann", 60 - 30}, {"bob", 60}} {
		w := stable(t, nil, "weapon=luger,range_modifier:0")
		w.fighter("ann").Up, w.fighter("bob").Up, w.fighter("ann").At, w.fighter("bob").At = "horse", "horse", w.fighter("horse").At, w.fighter("horse").At
		plans := map[game.ID]string{"ann": `{"steps": [{"verb": "move", "to": [13, 2], "mode": "run"}]}`, "bob": `{"steps": [{"verb": "fire", "target": "zog"}]}`}
		if c.who == "ann" {
			plans["ann"] = `{"steps": [{"verb": "move", "direction": "E", "mode": "run"}], "reactions": [{"when": {"kind": "count", "value": 1}, "do": [{"verb": "fire", "target": "zog"}]}]}`
			delete(plans, "bob")
		}
		b := fought(t, w, 1, 2, plans, dice.Constant(99))
		n := map[game.ID]int{"ann": 1, "bob": 0}[c.who]
		if got := b.event(t, fmt.Sprintf("%s/s%d", c.who, n)).Numbers["chance"]; got != c.chance {
			t.Errorf("%s: %d, want %d", c.who, got, c.chance)
		}
	}
}

// TestFallingOff: whose mount falls, and who loses consciousness on it, is on the
// ground, and the GM is asked how far he fell.
func TestFallingOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		hit  game.ID
	}{{"the mount dies", "horse"}, {"the rider is out", "ann"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := stable(t, nil)
			w.fighter("ann").Up, w.fighter("ann").At = "horse", w.fighter("horse").At
			b := fought(t, w, 1, 1, nil, dice.Constant(20), game.Ruling{N: 1, Kind: game.RuleSet, Who: c.hit, Field: "COLLIDE", Value: "300"})
			a := b.after[0].fighter("ann")
			if c.hit == "ann" {
				b = fought(t, func() *World { w.fighter("ann").HP = 1; return w }(), 1, 1, nil, dice.Constant(20), game.Ruling{N: 1, Kind: game.RuleSet, Who: "ann", Field: "COLLIDE", Value: "10"})
				a = b.after[0].fighter("ann")
			}
			if a.Up != "" || a.Posture != "prone" || a.At == b.after[0].fighter("horse").At || !strings.Contains(fmt.Sprint(b.out.Inquiries), "Ann falls from Horse. How many feet?") {
				t.Errorf("%q, %s, %v", a.Up, a.Posture, b.out.Inquiries)
			}
		})
	}
}

// TestCrashes: what stops a mount at speed is put before the GM with its dice (7.8);
// a fight does not go on for the sake of a mount.
func TestCrashes(t *testing.T) {
	t.Parallel()
	w := stable(t, nil)
	w.Features = append(w.Features, game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true})
	for y := range w.Height {
		w.Features[0].Squares = append(w.Features[0].Squares, game.Square{X: 9, Y: y})
	}
	w.fighter("ann").Up, w.fighter("ann").At = "horse", w.fighter("horse").At
	b := fought(t, w, 1, 4, map[game.ID]string{"ann": `{"steps": [{"verb": "move", "direction": "E", "mode": "run"}]}`}, dice.Constant(1))
	asked := ""
	for _, ev := range b.events {
		if ev.Reason == "blocked" {
			asked = ev.Ref
		}
	}
	found := false
	for _, s := range b.inquiries {
		found = found || s.Ref == asked && strings.Contains(s.Text, "in the way of Horse, Ann at 40 miles an hour (4 dice each)") && s.Answer == "horse COLLIDE 40"
	}
	if !found {
		t.Errorf("%v", b.inquiries)
	}
	for _, body := range w.Bodies() {
		if body.Able == (body.ID == "horse") {
			t.Errorf("%s counts: %v", body.ID, body.Able)
		}
	}
}

// TestMountsAreChecked in the game file and in orders.
func TestMountsAreChecked(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"up=nobody": `there is no combatant and no feature "nobody"`,
		"up=zog":    "nobody can ride on Zog: give it seats",
	} {
		_, faults := ruleset(t).setup(field(nil, who("ann", "a", "C3", key), who("zog", "b", "D3")))
		if len(faults) != 1 || !strings.Contains(faults[0].Text, want) {
			t.Errorf("%s: %v", key, faults)
		}
	}
	for order, want := range map[string]string{
		`{"verb": "mount", "target": "bob"}`:  "Ann cannot ride on Bob.",
		`{"verb": "mount", "target": "zog"}`:  "Ann cannot ride on Zog.",
		`{"verb": "mount", "target": "none"}`: "Ann sees nothing to mount.",
	} {
		b := fought(t, stable(t, nil), 1, 1, map[game.ID]string{"ann": `{"steps": [` + order + `]}`}, dice.Constant(1))
		if got := b.event(t, "ann/s0.x").Text[game.All]; got != want {
			t.Errorf("%s: %s", order, got)
		}
	}
}
