package starfrontiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// locks computes the melee lock (7.2), once a round, from places and plans as
// they are at its beginning; a ruling grants or lifts it. Of two who go for each
// other the slower steps into the other's square.
func (e *engine) locks() {
	foes := map[game.ID][]game.ID{} // whom each has declared melee on
	for _, o := range e.st {
		foes[o.f.ID] = e.declaredFoes(o)
	}
	for _, c := range e.st {
		for _, o := range e.st {
			if slices.Contains(foes[o.f.ID], c.f.ID) {
				c.locks = append(c.locks, o.f.ID)
			}
		}
		switch {
		case c.ruledLock == "no":
			c.locks = nil
		case c.ruledLock == "yes" && len(c.locks) == 0:
			c.locks = []game.ID{""}
		}
		if len(c.locks) > 0 && c.mode != "dodge" {
			c.mode = "stationary"
		}
	}
	order := slices.Clone(e.st)
	slices.SortFunc(order, func(a, b *state) int { return swifter(b, a) }) // the slowest first
	moved := map[game.ID]bool{}
	for _, c := range order {
		for _, id := range foes[c.f.ID] {
			o := e.by[id]
			if o == nil || moved[c.f.ID] || moved[id] || !slices.Contains(foes[id], c.f.ID) || swifter(c, o) < 0 || c.ruledLock == "no" || stays(c.plan.Steps) {
				continue
			}
			moved[c.f.ID], moved[id] = true, true
			e.closeIn(c, o)
		}
	}
}

// swifter compares two by initiative: negative when a has it.
func swifter(a, b *state) int {
	return cmp.Or(cmp.Compare(b.init.total, a.init.total), before(a.rank(), b.rank()))
}

// declaredFoes lists the opponents in reach on whom an unconditional step of a
// plan declares melee, or who may be meant by one at nobody in particular.
func (e *engine) declaredFoes(o *state) []game.ID {
	var out []game.ID
	if o.f.helpless() || o.surprised {
		return nil
	}
	for _, in := range o.plan.Steps {
		if in.Verb != "melee" {
			continue
		}
		for _, c := range e.st {
			if c == o || slices.Contains(out, c.f.ID) || !e.reaches(o.f.Place, c.f.Place) {
				continue
			}
			if in.Target.ID == c.f.ID || resolve.IsSelector(in.Target.ID) && e.w.relation(o.f, c.f) == "enemy" {
				out = append(out, c.f.ID)
			}
		}
	}
	return out
}

// stays: his orders say that he does not leave his square.
func stays(steps []game.Intent) bool {
	return slices.ContainsFunc(steps, func(in game.Intent) bool { return in.Verb == "wait" })
}

// closeIn moves somebody into the square of the opponent with whom he trades
// blows, before the first slot and without cost.
func (e *engine) closeIn(c, o *state) {
	f, to := c.f, o.f.Place
	if f.Place == to || !e.g.inside(to) || e.g.opaque(to) {
		return
	}
	from := f.Place
	e.count = c.init.total
	ev := e.event(e.unique(fmt.Sprintf("%s/r%d.l", f.ID, e.round)), f, "move", "done")
	ev.Rule, ev.Target = "7.2", o.f.ID
	ev.Numbers["metres"] = 0
	seen := map[game.ID]bool{}
	for _, v := range e.w.Fighters {
		seen[v.ID] = v != f && e.knows(v, f)
	}
	own := e.called(c, o.f)
	f.Place = to
	if d, ok := resolve.Toward(from, to); ok {
		f.Facing = d.String()
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "AT", from.String(), to.String()))
	ev.Seen[f.ID] = game.Own
	for _, v := range e.w.Fighters {
		if seen[v.ID] && e.knows(v, f) {
			ev.Seen[v.ID] = game.Actor
			if v == o.f || e.knows(v, o.f) {
				ev.Seen[v.ID] = game.Seen
			}
		}
	}
	text := fmt.Sprintf("%s closes with %s in %s.", f.Name, o.f.Name, to)
	ev.Text[game.All], ev.Text[game.Seen] = text, text
	ev.Text[game.Own] = fmt.Sprintf("%s closes with %s in %s.", f.Name, own, to)
	ev.Text[game.Actor] = fmt.Sprintf("%s closes in on somebody in %s.", f.Name, to)
	e.emit(ev)
	e.mark(c, "act", ev.Ref, "closes with "+o.f.Name)
}

// lockedMove tells that who is locked does not move (7.2).
func (e *engine) lockedMove(s *state, k int, suffix string) {
	var names []string
	for _, id := range s.locks {
		if o := e.w.fighter(id); o != nil {
			names = append(names, e.called(s, o))
		}
	}
	who := strings.Join(names, " and ")
	if who == "" || slices.Contains(names, distant) {
		who = "an opponent"
	}
	if s.walked == 0 && s.mode != "dodge" {
		s.mode = "stationary"
	}
	ev := e.event(e.ref(s, k, suffix), s.f, "move", "impossible")
	ev.Rule = "7.2"
	e.fail(s, ev, "melee_lock", fmt.Sprintf("%s cannot move: he is locked in melee with %s.", s.f.Name, who))
}

// fighting tells that one of two locks the other and both are still in reach.
func (e *engine) fighting(a, b *Fighter) bool {
	x, y := e.by[a.ID], e.by[b.ID]
	return x != nil && y != nil && e.reaches(a.Place, b.Place) && (contains(x.locks, b.ID) || contains(y.locks, a.ID))
}
