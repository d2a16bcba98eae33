package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// answer is a reaction that may not interrupt: it comes after the event that
// set it off is complete (4.5.2).
type answer struct {
	s  *state
	h  *held
	ev *happening
}

// reactors lists everybody who holds something, in key order without the slot.
func (e *engine) reactors(but *state) []*state {
	var out []*state
	for _, s := range e.st {
		if s != but && len(s.rx) > 0 && s.f.able() && !s.f.bound() {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state) int { return before(a.rank(), b.rank()) })
	return out
}

// declare is the moment before a sub-action's dice, or before the first square
// of a move: greater totals interrupt, the others answer afterwards.
func (e *engine) declare(x *state, act string, target game.ID, toward *game.Square) []answer {
	ev := &happening{class: "declare", who: x, act: act, target: target, toward: toward}
	var later []answer
	for _, c := range e.reactors(x) {
		h := e.setOff(c, ev)
		if h == nil {
			continue
		}
		if c.init.total > x.init.total {
			e.react(c, h, ev, c.free(h))
			if !e.able(x.f) {
				break
			}
		} else {
			later = append(later, answer{c, h, ev})
		}
	}
	return later
}

// answer carries out the reactions that had to wait.
func (e *engine) answer(list []answer) {
	for _, a := range list {
		if a.s.f.able() && a.h.left > 0 {
			e.react(a.s, a.h, a.ev, a.s.free(a.h))
		}
	}
}

// entered is the moment after a mover has entered a square; it tells whether
// anything was done about it. stop runs before the first reaction.
func (e *engine) entered(x *state, stop func()) (later []answer) {
	ev := &happening{class: "move", who: x, act: "move"}
	for _, c := range e.reactors(x) {
		h := e.setOff(c, ev)
		if h == nil {
			continue
		}
		higher := c.init.total > x.init.total || c.init.total == x.init.total && before(c.rank(), x.rank()) < 0
		switch {
		case higher && len(c.free(h)) > 0:
			if e.possible(c, h, ev) {
				stop()
				e.react(c, h, ev, c.free(h))
			}
		case !higher && shootsFirst(h) && e.mayShootEarly(c, h):
			if e.possible(c, h, ev) {
				stop()
				c.early = true
				e.react(c, h, ev, []int{1})
			}
		default:
			later = append(later, answer{c, h, ev})
		}
		if !x.f.able() {
			break
		}
	}
	return later
}

// setOff finds the first reaction of a combatant that an event sets off.
func (e *engine) setOff(c *state, ev *happening) *held {
	if !e.sees(c.f, ev.who.f) {
		return nil
	}
	for _, h := range c.rx {
		if h.left > 0 && e.holds(c, h.When, ev) {
			return h
		}
	}
	return nil
}

// free lists the held sub-actions that can be spent on a reaction now.
func (s *state) free(h *held) []int {
	var out []int
	for _, k := range s.avail {
		if h.feed == 0 || h.feed == k {
			out = append(out, k)
		}
	}
	return out
}

func shootsFirst(h *held) bool { return len(h.Do) > 0 && h.Do[0].Verb == "fire" }

// possible tells whether the stored action is legal now.
func (e *engine) possible(c *state, h *held, ev *happening) bool {
	if len(h.Do) == 0 || !isAttack(h.Do[0].Verb) {
		return true
	}
	if ev.class == "move" && shootsFirst(h) && contains(c.locks, ev.who.f.ID) {
		return false // he has his hands full with the mover (8)
	}
	_, reason := e.attackAt(c, h.Do[0], ev)
	return reason == ""
}

// mayShootEarly is the second row of the table of section 8: a slower shooter
// who has not moved and will not, once a turn, with his first sub-action.
func (e *engine) mayShootEarly(c *state, h *held) bool {
	if e.w.setting("opportunity.low_vs_high") != "true" || c.early || c.walked > 0 || len(c.units) == 0 {
		return false
	}
	if u := c.units[0]; u.act.Verb != "hold" || h.feed > 1 || c.next > 0 && !slices.Contains(c.avail, 1) {
		return false
	}
	return !plansMove(c)
}

func plansMove(c *state) bool {
	moves := false
	look := func(in *game.Intent) { moves = moves || in.Verb == "move" }
	for _, u := range c.units {
		for i := range u.pre {
			look(&u.pre[i])
		}
	}
	for i := range c.after {
		look(&c.after[i])
	}
	return moves
}

// react carries out a held order with the sub-actions ks at hand. A first shot
// that is not possible now spends nothing.
func (e *engine) react(c *state, h *held, ev *happening, ks []int) {
	if len(ks) == 0 || h.left < 1 || !e.possible(c, h, ev) {
		return
	}
	defer func(before *state) { e.cause = before }(e.cause)
	e.cause = ev.who
	h.left--
	k, ks := e.spend(c, ks)
	fresh := true // k has not been used for a shot yet
	for _, in := range h.Do {
		if !c.f.able() {
			return
		}
		if !isAttack(in.Verb) {
			if in.Verb == "set" && in.Wait > 0 {
				fresh = false // the change of the dial takes the place of a shot
			}
			if in.Verb == "move" {
				c.mode = faster(c.mode, in.Mode)
			}
			e.free(c, in, k, "m", ev, 0)
			continue
		}
		for range spends(&in) {
			if !fresh {
				if len(ks) == 0 {
					break
				}
				if _, reason := e.attackAt(c, in, ev); reason != "" {
					break
				}
				k, ks = e.spend(c, ks)
			}
			fresh = false
			one := in
			one.Shots, one.Blows = min(one.Shots, 1), min(one.Blows, 1)
			e.shoot(c, one, nil, k, ev)
		}
	}
}

// spend takes the first of the sub-actions and gives the rest.
func (e *engine) spend(c *state, ks []int) (int, []int) {
	c.avail = slices.DeleteFunc(c.avail, func(k int) bool { return k == ks[0] })
	return ks[0], ks[1:]
}
