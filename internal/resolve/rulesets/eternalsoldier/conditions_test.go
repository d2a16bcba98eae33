package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestReactionsWaitForTheirMoment: a deed is answered in the next segment, for
// nobody sees the declarations of its own (2.5 step 3); a state as soon as it is
// there; and each once, unless more is said.
func TestReactionsWaitForTheirMoment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, when, max string
		zog             string // his plan
		want            []string
	}{
		{"he reaches for a weapon", `{"kind": "declares", "who": "zog", "act": "draw"}`, "", `{"verb": "hold", "segment": 2}, {"verb": "ready", "action": "draw", "item": "zog-dagger"}`, []string{"3"}},
		{"he walks", `{"kind": "declares", "who": "zog", "act": "move"}`, "", `{"verb": "hold", "segment": 4}, {"verb": "move", "direction": "N"}`, []string{"5"}},
		{"he comes near", `{"kind": "within", "who": "zog", "distance": {"value": 5, "unit": "yd"}}`, "", `{"verb": "move", "direction": "W", "mode": "walk"}`, []string{"1"}},
		{"he does not", `{"kind": "within", "who": "zog", "distance": {"value": 2, "unit": "yd"}}`, "", `{"verb": "wait"}`, nil},
		{"he is not down", `{"kind": "down", "object": "zog", "not": true}`, "", `{"verb": "wait"}`, []string{"0"}},
		{"a segment has come", `{"kind": "count", "unit": "segment", "value": 6}`, "", `{"verb": "wait"}`, []string{"6"}},
		{"twice", `{"kind": "count", "unit": "segment", "value": 6}`, `, "max": 2`, `{"verb": "wait"}`, []string{"6", "9"}},
		{"somebody else draws", `{"kind": "declares", "who": "bob", "act": "draw"}`, "", `{"verb": "ready", "action": "draw", "item": "zog-dagger"}`, nil},
		{"he is wounded", `{"kind": "wounded", "object": "zog"}`, "", `{"verb": "wait"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "hp=50", "skills.one_handed_missile=60", "weapon=luger"), who("bob", "a", "C9", "weapon=dagger:belt"), who("zog", "b", "I3", "agi=12", "hp=50", "weapon=dagger:belt")))
			b := fought(t, w, 1, 12, map[game.ID]string{
				"ann": `{"reactions": [{"when": ` + c.when + `, "do": [{"verb": "fire", "target": "zog"}]` + c.max + `}]}`,
				"zog": `{"steps": [` + c.zog + `]}`,
			}, dice.Constant(99))
			var got []string
			for _, ev := range b.events {
				if ev.Attack {
					got = append(got, fmt.Sprint(ev.At))
				}
			}
			same(t, "shots in", got, c.want...)
		})
	}
}

// TestOrdersByTurn is 2.7: new steps replace the old ones, without new ones they go
// on, and what is under way is waited for.
func TestOrdersByTurn(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "hp=50", "skills.one_handed=60", "weapon=long_sword:sheathed"), who("zog", "b", "D3", "hp=50")))
	first := fought(t, w, 3, 3, map[game.ID]string{"ann": `{"steps": [{"verb": "ready", "action": "draw", "item": "ann-long_sword"}, {"verb": "posture", "posture": "prone"}]}`}, dice.Constant(99))
	on := fought(t, first.after[2], 6, 6, map[game.ID]string{"ann": `{"say": ["Now!"]}`}, dice.Constant(99))
	if a := on.after[8].fighter("ann"); a.Posture != "prone" || on.event(t, "ann/s6.d").Outcome != draw {
		t.Errorf("without new steps: %s", on.refs())
	}
	other := fought(t, first.after[2], 12, 12, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog"}]}`}, dice.Constant(99))
	if a := other.after[14].fighter("ann"); a.Posture != "stand" {
		t.Errorf("the old steps go on: %s", other.refs())
	}
	other.event(t, "ann/s13") // drawn in 6, ready seven segments later
}

// TestStandingOrdersOutlastNewSteps: the steps of a later turn end the reactions of
// the plan before, and no standing order (2.7); another one of its kind does.
func TestStandingOrdersOutlastNewSteps(t *testing.T) {
	t.Parallel()
	const (
		near  = `{"when": {"kind": "within", "who": "zog", "distance": {"value": 5, "unit": "yd"}}, "do": [{"verb": "posture", "posture": "prone"}], "until": "cancelled"}`
		later = `{"when": {"kind": "count", "unit": "segment", "value": 90}, "do": [{"verb": "wait"}]}`
	)
	for _, c := range []struct {
		name, first, then, want string
	}{
		{"a standing order", `{"standing": [` + near + `]}`, `{"steps": [{"verb": "wait"}]}`, "prone"},
		{"with a reaction in the new plan", `{"standing": [` + near + `]}`, `{"reactions": [` + later + `]}`, "prone"},
		{"a reaction of the plan", `{"reactions": [` + near + `]}`, `{"steps": [{"verb": "wait"}]}`, "stand"},
		{"another standing order", `{"standing": [` + near + `]}`, `{"standing": [` + later + `]}`, "stand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "hp=50"), who("zog", "b", "M3", "agi=12", "hp=50")))
			first := fought(t, w, 2, 2, map[game.ID]string{"ann": c.first}, dice.Constant(99))
			then := fought(t, first.after[1], 10, 10, map[game.ID]string{"ann": c.then, "zog": `{"steps": [{"verb": "move", "direction": "W"}]}`}, dice.Constant(99))
			if got := then.after[11].fighter("ann").Posture; got != c.want {
				t.Errorf("she is %s, want %s: %s", got, c.want, then.refs())
			}
		})
	}
}
