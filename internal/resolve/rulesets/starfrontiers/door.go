package starfrontiers

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// opensDoor reports the use of a door, which is paid for with movement (17.2).
func opensDoor(in *game.Intent) bool {
	return in.Verb == "use" && (in.State == "open" || in.State == "closed")
}

// open opens the door that a mover passes.
func (e *engine) open(s *state, at game.Square) {
	c := e.g.cell(at)
	if c == nil || !c.door {
		return
	}
	for i := range e.w.Features {
		if f := &e.w.Features[i]; f.Kind == "door" && f.State == "closed" && slices.Contains(f.Squares, at) {
			e.swing(s, i, "open")
		}
	}
}

// swing opens or closes a door.
func (e *engine) swing(s *state, i int, to string) {
	is := e.w.Features[i]
	if is.State, is.Opaque, is.Cover = to, to == "closed", ""; is.Opaque {
		is.Cover = "hard"
	}
	e.alter(i, is)
	delete(s.f.Stale, i)
	if e.alert && to == "open" {
		e.pending = append(e.pending, happening{class: "effect", kind: "opens", who: s, target: is.ID})
	}
}

// door checks the opening or closing of a door within a step; ok is false when
// that is not what is meant, or when the rules do not say how it ends.
func (c *checker) door(in game.Intent, f *game.Feature) (steps []game.Intent, ok bool) {
	to := resolve.DoorDeed(in.Action)
	if f == nil || f.Kind != "door" || to == "" || f.State != "open" && f.State != "closed" {
		return nil, false
	}
	switch {
	case f.State == to && !c.moved && !c.reacting:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("%s is %s already.", resolve.Title(resolve.Definite(f.Name)), to), "leave it out")
		return nil, true
	case !besides(c.sc.at, f) && !c.moved && !c.reacting:
		at, _ := c.sc.place(game.To(f.ID), "")
		c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away.", resolve.Title(resolve.Definite(f.Name)), c.sc.g.metres(c.sc.at, at)), "move there first")
		return nil, true
	}
	in.State = to
	return []game.Intent{in}, true
}

// besides reports a square in or next to those of a thing.
func besides(at game.Square, f *game.Feature) bool {
	return slices.ContainsFunc(f.Squares, func(s game.Square) bool { return chebyshev(at, s) <= 1 })
}

// door opens or closes a door, for so many metres of the allowance (17.2).
func (e *engine) door(s *state, in game.Intent, ref string) {
	f := s.f
	e.applySets(ref, s)
	ev := e.event(ref, f, "use", "done")
	ev.Rule = "17.2"
	i := slices.IndexFunc(e.w.Features, func(x game.Feature) bool { return x.ID == in.Item && x.Kind == "door" })
	if i < 0 {
		e.fail(s, ev, "not_there", f.Name+" finds no door there.")
		return
	}
	d := e.w.Features[i]
	name := resolve.Definite(d.Name)
	no := func(reason, text string) {
		e.fail(s, ev, reason, fmt.Sprintf("%s cannot reach that: %s %s.", f.Name, name, text))
	}
	switch {
	case !besides(f.Place, &d):
		no("out_of_reach", "is too far away")
	case d.State == in.State:
		e.fail(s, ev, "done_already", fmt.Sprintf("%s finds %s %s already.", f.Name, name, d.State))
	case d.State != "open" && d.State != "closed":
		e.fail(s, ev, "locked", fmt.Sprintf("%s finds %s %s.", f.Name, name, d.State))
	case in.State == "closed" && slices.ContainsFunc(e.w.Fighters, func(o *Fighter) bool { return slices.Contains(d.Squares, o.Place) }):
		e.fail(s, ev, "blocked", fmt.Sprintf("%s cannot close %s: somebody is in it.", f.Name, name))
	case !e.pay(s, e.Move.Door*1000):
		e.fail(s, ev, "too_far", fmt.Sprintf("%s has no movement left for %s.", f.Name, name))
	default:
		s.failed = false
		ev.Numbers["metres"] = e.Move.Door
		e.witnesses(ev, f, nil, false)
		e.swing(s, i, in.State)
		verb := map[string]string{"open": "opens", "closed": "closes"}[in.State]
		for _, v := range e.w.Fighters {
			if _, told := ev.Seen[v.ID]; !told && v.able() && e.w.notices(e.tables, e.g, v, d) {
				ev.Seen[v.ID] = game.Heard // he sees the door, and not whose hand it was
			}
		}
		ev.Text[game.Heard] = fmt.Sprintf("%s %s.", resolve.Title(name), verb)
		e.tell(ev, fmt.Sprintf("%s %s %s.", f.Name, verb, name))
		e.aftermath(atOnce)
	}
}

// pay takes so many millimetres of what somebody can still move in this turn.
func (e *engine) pay(s *state, cost int) bool {
	mode := s.mode
	if mode == "stationary" || mode == "crawl" {
		mode = "walk"
	}
	if s.walked+cost > s.f.allowance(e.tables, mode)*1000 {
		return false
	}
	s.walked += cost
	return true
}
