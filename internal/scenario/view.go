package scenario

import (
	"encoding/json"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// View is what a combatant of a scene perceives, as the scene itself says it:
// whom he sees by visible_to, what is on his sheet, the whole map. It serves the
// reading of orders in systems that make no world of it; a ruleset's See knows
// better. ok is false if there is no such combatant.
func View(s game.Scenario, viewer game.ID) (v game.View, ok bool) {
	i := slices.IndexFunc(s.Combatants, func(c game.Combatant) bool { return c.ID == viewer })
	if i < 0 {
		return game.View{}, false
	}
	me := s.Combatants[i]
	scale := s.Scale.Millimetres(0)
	v = game.View{
		Viewer: viewer, System: s.System, Title: s.Title, Turn: s.Turn, Round: 1, ScaleMM: scale, Units: s.Units,
		Width: s.Width, Height: s.Height, Self: sight(me), Features: s.Features, Attacks: []game.Attack{},
	}
	v.Self.Relation, v.Self.InSight = "self", true
	for _, g := range me.Weapons {
		v.Weapons = append(v.Weapons, thing(g))
	}
	for _, g := range me.Items {
		v.Items = append(v.Items, thing(g))
	}
	known := map[game.ID]bool{viewer: true}
	for _, c := range s.Combatants {
		seen := c.VisibleAll || c.Hidden == nil || slices.Contains(c.Hidden, viewer)
		if c.ID == viewer || !seen && c.Side != me.Side {
			continue
		}
		o := sight(c)
		o.Relation, o.InSight = "enemy", seen
		if c.Side == me.Side {
			o.Relation = "ally"
		}
		o.Distance = metres(c.Place, me.Place, scale)
		v.Others = append(v.Others, o)
		known[c.ID] = true
	}
	slices.SortStableFunc(v.Others, func(a, b game.Sight) int { return a.Distance - b.Distance })
	for _, a := range s.History {
		if known[a.Attacker] && known[a.Target] {
			v.Attacks = append(v.Attacks, a)
		}
	}
	if p, ok := s.Last[viewer]; ok {
		v.Last = &p
	}
	v.Standing = me.Standing
	return v, true
}

// metres is the distance between two squares, rounded.
func metres(a, b game.Square, scaleMM int) int {
	dx, dy := a.X-b.X, a.Y-b.Y
	square := (dx*dx + dy*dy) * scaleMM * scaleMM
	root := max(dx, -dx) + max(dy, -dy)
	for root *= scaleMM; root > 0 && root*root > square; {
		root = (root + square/root) / 2
	}
	return (root + 500) / 1000
}

func sight(c game.Combatant) game.Sight {
	s := game.Sight{
		ID: c.ID, Name: c.Name, Side: c.Side, Race: c.Race, Description: c.Description, Place: c.Place,
		Posture: c.Posture, Facing: c.Facing, Status: c.Status,
	}
	for _, g := range c.Weapons {
		if th := thing(g); th.State == "in_hand" || th.State == "mounted" {
			if s.Holding != "" {
				s.Holding += " and "
			}
			s.Holding += th.Name
		}
	}
	return s
}

// thing is a weapon or item with what the scene tells of it. What cannot be
// read of its values is left to the ruleset to refuse.
func thing(g game.Gear) game.Thing {
	th := game.Thing{ID: g.ID, Name: g.Name, Kind: g.Kind}
	for _, v := range g.Values {
		var into any
		switch v.Key {
		case "state":
			into = &th.State
		case "count":
			into = &th.Count
		case "rate":
			into = &th.Rate
		case "dial":
			into = &th.Dial
		case "dial_max":
			into = &th.DialMax
		case "seu", "rounds":
			into = &th.Left
		case "modes":
			into = &th.Modes
		case "mode":
			into = &th.Mode
		case "two_handed":
			into = &th.TwoHanded
		default:
			continue
		}
		_ = json.Unmarshal(v.Raw, into)
	}
	return th
}
