package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// sees is the perception of 4.5: front or side arc, a line of sight, within
// spotting distance. Where the scenario says who sees somebody, that holds.
func (w *World) sees(t *tables, g *grid, viewer, other *Fighter) bool {
	return w.seesAt(t, g, viewer, other, other.Place, nil)
}

// leans says where combatants lean out of their squares in this turn.
type leans map[game.ID]game.Square

// seesAt is sees with the other one standing at a given square.
func (w *World) seesAt(t *tables, g *grid, viewer, other *Fighter, at game.Square, lean leans) bool {
	if viewer == other {
		return true
	}
	switch {
	case !viewer.able():
		return false
	case other.SeenBy != nil:
		return slices.Contains(*other.SeenBy, viewer.ID)
	case other.Exposed, viewer.Place == at:
		return true
	}
	if g.metres(viewer.Place, at) > t.Senses.Spot || arc(viewer.facing(), viewer.Place, at) == "rear" {
		return false
	}
	return w.lineTo(g, viewer, other, at, lean)
}

// lineTo is the line of sight alone, leaning and crouching counted.
func (w *World) lineTo(g *grid, viewer, other *Fighter, at game.Square, lean leans) bool {
	hidden := (other.Posture == "crouch" || other.Posture == "kneel" || other.Posture == "prone") && g.hides(viewer.Place, at)
	if !hidden && g.clear(viewer.Place, at) {
		return true
	}
	if s, ok := lean[other.ID]; ok && g.clear(viewer.Place, s) {
		return true
	}
	if s, ok := lean[viewer.ID]; ok && !hidden {
		if g.clear(s, at) {
			return true
		}
		if o, ok := lean[other.ID]; ok && g.clear(s, o) {
			return true
		}
	}
	return false
}
