package eternalsoldier

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Check implements resolve.Ruleset. Missiles cannot be parried (5.1).
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	out := p
	out.Standing = nil
	var problems []game.Problem
	for _, s := range p.Standing {
		if in := s.Policy; in != nil && in.Verb == "parry_policy" && in.Allow == nil && slices.ContainsFunc(in.Against, func(id game.ID) bool { return r.missile(v, id) }) {
			problems = append(problems, game.Problem{
				Severity: game.Asked, Kind: "illegal_option", Text: "Missiles cannot be parried, only dodged.", Do: "nothing is parried; write “dodge arrows” to dodge them", At: in.At,
			})
			continue
		}
		out.Standing = append(out.Standing, s)
	}
	return out, problems
}

// missile reports a kind of attack, or somebody who holds a weapon, of which
// missiles come.
func (r *Ruleset) missile(v game.View, id game.ID) bool {
	if id == "missile" || id == "gun" {
		return true
	}
	for _, o := range v.Others {
		if o.ID == id {
			return slices.Contains(r.Uses(strings.ReplaceAll(strings.ToLower(o.Holding), " ", "_")), "ranged")
		}
	}
	return false
}
