package starfrontiers

import (
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// endOfTurn applies the figures that the GM set, and stores plans and standing
// orders for the next turn.
func (e *engine) endOfTurn(plans map[game.ID]ordered) {
	e.applySets("", nil)
	if e.w.Usual != nil {
		e.w.Settings, e.w.Usual = e.w.Usual.Settings, nil
		e.remap()
	}
	if !e.out.Done {
		e.out.Done, e.out.Why = resolve.Over(e.w.fighting())
	}
	for _, f := range e.w.Fighters {
		o, ok := plans[f.ID]
		kept, acted := e.kept[f.ID]
		given := ok && o.given && acted
		var standing []game.Standing
		if !given || len(kept.Standing) == 0 {
			for _, x := range f.Standing {
				if x.Reaction == nil || x.Reaction.Until != "end_of_turn" {
					standing = append(standing, x)
				}
			}
		}
		if given {
			f.Last = storedPlan(o.plan)
			standing = append(standing, kept.Standing...)
			for _, x := range kept.Reactions {
				switch x.Until {
				case "next_turn":
					x.Until = "end_of_turn"
				case "cancelled":
				default:
					continue
				}
				x.Slot = nil
				standing = append(standing, game.Standing{Reaction: &x})
			}
		}
		f.Standing = distinct(standing)
		f.Exposed = false
		f.endAwareness()
	}
}

// distinct leaves out what is there already, and keeps each as JSON keeps it.
func distinct(list []game.Standing) []game.Standing {
	seen := map[string]bool{}
	var out []game.Standing
	for _, s := range list {
		b, err := s.MarshalJSON()
		var x game.Standing
		if err != nil || seen[string(b)] || len(out) >= maxReactions || x.UnmarshalJSON(b) != nil {
			continue
		}
		seen[string(b)] = true
		out = append(out, x)
	}
	return out
}
