package percentile

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// Check implements resolve.Ruleset: power is for hurled weapons (7.4), snap
// shots for projectile weapons (7.5), and a called shot needs points (7.1).
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	c := checker{view: v, rules: r}
	p.Steps = c.list(p.Steps, true)
	p.Reactions = slices.Clone(p.Reactions)
	for i := range p.Reactions {
		p.Reactions[i].Do = c.list(p.Reactions[i].Do, false)
	}
	return p, c.problems
}

type checker struct {
	view     game.View
	rules    *Ruleset
	problems []game.Problem
}

// list gives the intents that may be done.
func (c *checker) list(all []game.Intent, top bool) []game.Intent {
	var out []game.Intent
	for i, in := range all {
		step := 0
		if top {
			step = i + 1
		}
		in.Then, in.Else = c.list(in.Then, false), c.list(in.Else, false)
		if c.legal(in, step) {
			out = append(out, in)
		}
	}
	return out
}

func (c *checker) legal(in game.Intent, step int) bool {
	ask := func(kind, text, do string) {
		c.problems = append(c.problems, game.Problem{Severity: game.Asked, Kind: kind, Text: text, Do: do, At: in.At, Step: step})
	}
	name, kind := "this weapon", ""
	for _, w := range slices.Concat(c.view.Weapons, c.view.Items) {
		if w.ID == in.Weapon || w.ID == in.Item {
			name, kind = w.Name, w.Kind
		}
	}
	switch {
	case in.Power > 0 && in.Verb == "fire":
		ask("illegal_option", fmt.Sprintf("Power is for hurled weapons only; the %s has none.", name), "the attack is not made; leave the power out")
		return false
	case in.Snap && kind != "" && !slices.Contains(c.rules.Uses(kind), "ranged"):
		ask("illegal_option", fmt.Sprintf("The %s cannot be snapped: only projectile weapons can.", name), "the attack is not made; leave the snap out")
		return false
	case in.Called != "" && in.CalledPoints == 0:
		ask("points", fmt.Sprintf("How many points go into the called shot at the %s?", in.Called), "it is an ordinary attack until you name them")
	}
	return true
}
