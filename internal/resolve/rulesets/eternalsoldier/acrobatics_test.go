package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// gym is Ann with agility 10 among things to jump onto, over and into.
func gym(t testing.TB, keys ...string) *World {
	s := field(nil, who("ann", "a", "C3", append([]string{"agi=10", "skills.acrobatics=40"}, keys...)...), who("zog", "b", "Z9"))
	s.Features = []game.Feature{
		{ID: "table", Name: "table", Kind: "table", Low: true, Squares: []game.Square{{X: 3, Y: 2}}},
		{ID: "wall", Name: "low wall", Kind: "wall", Low: true, Squares: []game.Square{{X: 2, Y: 3}, {X: 3, Y: 3}}},
		{ID: "oak", Name: "oak", Kind: "tree", Squares: []game.Square{{X: 1, Y: 2}}},
		{ID: "keep", Name: "keep", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 2, Y: 1}}},
		{ID: "beam", Name: "beam", Kind: "beam", Squares: []game.Square{{X: 12, Y: 2}}},
	}
	return world(t, s)
}

// TestAcrobatics is 2.4: each takes its class; the roll cuts a segment for each full
// ten of its difference, down to one, a miss changes nothing, a fumble is a fall.
func TestAcrobatics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind           string
		roll           int
		chance, doneAt int
		posture        string
	}{
		{"somersault", 90, 110, 2, "stand"},
		{"somersault", 3, 110, 1, "stand"},
		{"somersault", 100, 110, 4, "prone"},
		{"cartwheel", 70, 70, 4, "stand"},
		{"flip", 41, 40, 5, "stand"},
		{"flip", 20, 40, 3, "stand"},
		{"flip", 95, 40, 5, "prone"},
		{"handspring", 10, 20, 4, "stand"},
		{"backward_handspring", 1, 0, 5, "stand"},
		{"tightrope", 10, 30, 3, "stand"},
	} {
		t.Run(fmt.Sprint(c.kind, c.roll), func(t *testing.T) {
			t.Parallel()
			b := fought(t, gym(t), 1, 7, map[game.ID]string{"ann": `{"steps": [{"verb": "acrobatics", "kind": "` + c.kind + `"}]}`},
				dice.NewScripted(map[string][]int{"acrobatics/ann": {c.roll}}, dice.Constant(1)))
			ev := b.event(t, "ann/s0.b")
			if ev.Numbers["chance"] != c.chance || ev.Numbers["done_at"] != c.doneAt {
				t.Errorf("at %d, done at %d; want %d, %d", ev.Numbers["chance"], ev.Numbers["done_at"], c.chance, c.doneAt)
			}
			if got := b.after[0].fighter("ann").Posture; got != c.posture {
				t.Errorf("%s, want %s", got, c.posture)
			}
			if done := strings.Contains(b.refs(), fmt.Sprintf("ann/s%d.d", c.doneAt)); done != (c.posture == "stand") {
				t.Errorf("done: %v, %s", done, b.refs())
			}
		})
	}
}

// TestLeaps are the orders of 11 to jump and climb, quicker with acrobatics.
func TestLeaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		order  string
		roll   int
		n      int
		at, up string
		text   string
	}{
		{"onto a table", `{"verb": "move", "to": "table", "mode": "jump", "relation": "onto"}`, 0, 5, "D3", "table", "Ann is on the table."},
		{"acrobatically", `{"verb": "move", "to": "table", "mode": "jump", "relation": "onto", "ability": "acrobatics"}`, 10, 2, "D3", "table", "Ann is on the table."},
		{"over a wall", `{"verb": "move", "to": "wall", "mode": "jump", "relation": "past"}`, 0, 5, "C5", "", "Ann is over the low wall."},
		{"into a tree", `{"verb": "move", "to": "oak", "mode": "climb", "relation": "into"}`, 0, 10, "B3", "oak", "Ann is up in the oak."},
		{"into a tree and down", `{"verb": "move", "to": "oak", "mode": "climb"}, {"verb": "climb_down"}`, 0, 16, "B2", "", "Ann is down from the oak."},
		{"from a tree he climbs down before he walks", `{"verb": "move", "to": "oak", "mode": "climb"}, {"verb": "move", "to": [1, 0]}`, 0, 18, "B1", "", "Ann is down from the oak."},
		{"over what is closed behind", `{"verb": "move", "to": "keep", "mode": "jump", "relation": "onto"}`, 0, 1, "C3", "", "Ann has no room there: the keep."},
		{"he walks there first", `{"verb": "move", "to": "beam", "mode": "jump", "relation": "onto"}`, 0, 14, "M3", "beam", "Ann is on the beam."},
		{"on the ground", `{"verb": "climb_down"}`, 0, 1, "C3", "", "Ann stands on the ground."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := fought(t, gym(t), 1, c.n+1, map[game.ID]string{"ann": `{"steps": [` + c.order + `]}`}, dice.NewScripted(map[string][]int{"acrobatics/ann": {c.roll}}, dice.Constant(1)))
			a := b.out.World.(*World).fighter("ann")
			said := false
			for _, ev := range b.events {
				said = said || ev.Text[game.All] == c.text
			}
			if at := b.after[0].square(a.At).String(); at != c.at || string(a.Up) != c.up || !said {
				t.Errorf("%s, up %q, said %v; want %s, %q, %q: %s", at, a.Up, said, c.at, c.up, c.text, b.refs())
			}
		})
	}
}

// TestAFumbleUpATree is a fall whose height the GM is asked.
func TestAFumbleUpATree(t *testing.T) {
	t.Parallel()
	w := gym(t)
	w.fighter("ann").Up = "oak"
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "climb_down", "ability": "acrobatics"}]}`}, dice.Constant(97))
	a := b.after[0].fighter("ann")
	if a.Up != "" || a.Posture != "prone" || a.Activity != nil || !strings.Contains(fmt.Sprint(b.out.Inquiries), "Ann falls from the oak. How many feet?") {
		t.Errorf("%q, %s, %v, %v", a.Up, a.Posture, a.Activity, b.out.Inquiries)
	}
}

// TestAFumbleBehindAnAct counts too: what is begun in step 10 is rolled there.
func TestAFumbleBehindAnAct(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "weapon=long_sword")
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}, {"verb": "acrobatics", "kind": "flip"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {90}, "acrobatics/ann": {99}}, dice.Constant(1)))
	if got := b.after[0].fighter("ann").Posture; got != "prone" {
		t.Errorf("%s", got)
	}
}
