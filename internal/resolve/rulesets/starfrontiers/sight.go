package starfrontiers

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
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
	case !viewer.able(), slices.Contains(other.Veiled, viewer.ID):
		return false
	case slices.Contains(other.Shown, viewer.ID):
		return true
	case other.SeenBy != nil:
		return slices.Contains(*other.SeenBy, viewer.ID)
	case other.Exposed, viewer.Place == at:
		return true
	}
	if m := viewer.blurred(); m > 0 && !g.within(viewer.Place, at, m) {
		return false
	}
	if !w.spots(t, viewer, at) || arc(viewer.facing(), viewer.Place, at) == "rear" {
		return false
	}
	return w.lineTo(g.eyes(t, viewer), viewer, other, at, lean)
}

// notices reports that a viewer has a thing of the map before his eyes: any
// square of it, as sees judges those who stand in the open.
func (w *World) notices(t *tables, g *grid, viewer *Fighter, f game.Feature) bool {
	g = g.eyes(t, viewer)
	return viewer.able() && slices.ContainsFunc(f.Squares, func(s game.Square) bool {
		return s == viewer.Place || w.spots(t, viewer, s) &&
			arc(viewer.facing(), viewer.Place, s) != "rear" && g.clear(viewer.Place, s)
	})
}

// remembered are the features of a world as somebody knows them.
// What he knows nothing of, and what he knows to be gone, is left out.
func (f *Fighter) remembered(features []game.Feature) []game.Feature {
	out := slices.Clone(features)
	for i := range out {
		if old, ok := f.Stale[i]; ok {
			out[i] = old
		}
	}
	return there(out)
}

// there leaves out of a new list what a ruling has taken away, and what somebody
// does not know to be there.
func there(features []game.Feature) []game.Feature {
	return slices.DeleteFunc(features, func(x game.Feature) bool { return x.Kind == resolve.GoneKind || x.ID == "" })
}

// look brings what everybody knows of the map up to what he has before his eyes.
func (e *engine) look() {
	for _, v := range e.w.Fighters {
		if len(v.Stale) == 0 {
			continue
		}
		for i, f := range e.w.Features {
			old, ok := v.Stale[i]
			switch {
			case !ok, !e.w.notices(e.tables, e.g, v, f) && !e.w.notices(e.tables, e.g, v, old):
				continue
			case !e.w.notices(e.tables, e.g, v, f) && !within(f.Squares, old.Squares):
				v.Stale[i] = game.Feature{} // it is not where it was: he does not know where it is
			default:
				delete(v.Stale, i)
			}
			clear(e.known)
		}
	}
}

// within tells that all squares of a list are in another.
func within(list, of []game.Square) bool {
	return !slices.ContainsFunc(list, func(s game.Square) bool { return !slices.Contains(of, s) })
}

// place is the map as somebody knows it at this instant.
func (e *engine) place(f *Fighter) ([]game.Feature, *grid) {
	things := e.w.noticed(e.tables, e.g, f, e.things)
	if len(f.Stale) == 0 && len(things) == len(e.things) {
		if things == nil {
			return e.w.Features, e.g
		}
		return slices.Concat(e.w.Features, things), e.g
	}
	features := slices.Concat(f.remembered(e.w.Features), things)
	var key strings.Builder // by what he knows and has in sight
	if len(f.Stale) > 0 {
		key.WriteString(string(f.ID))
	}
	for _, x := range things {
		key.WriteString("/" + string(x.ID))
	}
	g := e.known[key.String()]
	if g == nil {
		g = e.w.gridOf(features)
		e.known[key.String()] = g
	}
	return features, g
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
