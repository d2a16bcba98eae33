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
		if s != but && !e.mute[s.f.ID] && len(s.rx) > 0 && s.f.able() && !s.f.bound() && !s.surprised {
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
			e.react(c, h, ev, e.spare(c, h))
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
			e.react(a.s, a.h, a.ev, e.spare(a.s, a.h))
		}
	}
}

// entered is the moment after a mover has entered a square: what is set off by a
// greater total happens at once, and so do opportunity shots (8); the others
// answer when the move has ended. stop runs before the first reaction.
func (e *engine) entered(ev *happening, stop func()) (later []answer) {
	x := ev.who
	for _, c := range e.reactors(x) {
		h := e.setOff(c, ev)
		if h == nil {
			continue
		}
		shot := e.opens(c, h)
		higher := c.init.total > x.init.total || shot && c.init.total == x.init.total && before(c.rank(), x.rank()) < 0
		switch ks := e.spare(c, h); {
		case higher && len(ks) > 0:
			if e.possible(c, h, ev) {
				stop()
				e.react(c, h, ev, ks)
			}
		case !higher && shot && e.mayShootEarly(c, h):
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

// spare lists the held sub-actions that can be spent on a reaction now: those
// whose slot has come. While everybody moves before the first attack, and in
// sequences without slots, all of them (3.1, 4.6).
func (e *engine) spare(s *state, h *held) []int {
	var out []int
	for i, u := range s.units {
		if u.act.Verb == "hold" && !u.spent && (i < s.next || e.unslotted) && (h == nil || h.feed == 0 || h.feed == i+1) {
			out = append(out, i+1)
		}
	}
	return out
}

// opens reports that what is held begins with shots.
func (e *engine) opens(c *state, h *held) bool {
	in := e.firstDeed(c, h.Do, 0)
	return in != nil && (in.Verb == "fire" || in.Verb == "burst")
}

// firstDeed is what a reaction would begin with now.
func (e *engine) firstDeed(c *state, do []game.Intent, depth int) *game.Intent {
	for i := range do {
		in := &do[i]
		if in.Verb != "if" {
			return in
		}
		if in.When == nil || depth > game.MaxNesting {
			continue
		}
		branch := in.Else
		if e.holds(c, *in.When, nil) {
			branch = in.Then
		}
		if first := e.firstDeed(c, branch, depth+1); first != nil {
			return first
		}
	}
	return nil
}

// possible tells whether the stored action is legal now.
func (e *engine) possible(c *state, h *held, ev *happening) bool {
	in := e.firstDeed(c, h.Do, 0)
	if in == nil || !isAttack(in.Verb) {
		return true
	}
	if ev.class == "move" && e.opens(c, h) && contains(c.locks, ev.who.f.ID) {
		return false // he has his hands full with the mover (8)
	}
	_, reason := e.attackAt(c, *in, ev)
	return reason == ""
}

// mayShootEarly is the second row of the table of section 8: a slower shooter
// who has not moved and will not, once a turn, with his first sub-action.
func (e *engine) mayShootEarly(c *state, h *held) bool {
	if e.w.setting("opportunity.low_vs_high") != "true" || c.early || c.walked > 0 || len(c.units) == 0 {
		return false
	}
	if u := c.units[0]; u.act.Verb != "hold" || u.spent || h.feed > 1 {
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

// react carries out a held order with the sub-actions ks at hand: one event
// spends as many of them as the order has shots or blows (4.5.3). A first attack
// that is not possible now spends nothing.
func (e *engine) react(c *state, h *held, ev *happening, ks []int) {
	if len(ks) == 0 || h.left < 1 || !c.f.able() || !e.possible(c, h, ev) {
		return
	}
	if e.denied(c, ks[0]) {
		return
	}
	defer func(before *state) { e.cause = before }(e.cause)
	e.cause = ev.who
	h.left--
	p := &purse{rest: ks}
	p.next(c)
	e.carry(c, h.Do, ev, p, 0)
	e.aftermath(atOnce)
}

// purse is what a reaction may spend: the sub-action that it has begun with, and
// those after it.
type purse struct {
	k     int
	rest  []int
	fresh bool // k has not been used yet
}

// next spends one more sub-action; false: there is none.
func (p *purse) next(c *state) bool {
	if len(p.rest) == 0 {
		return false
	}
	p.k, p.rest, p.fresh = p.rest[0], p.rest[1:], true
	c.units[p.k-1].spent = true
	return true
}

// carry does what a reaction says.
func (e *engine) carry(c *state, do []game.Intent, ev *happening, p *purse, depth int) {
	for _, in := range do {
		switch {
		case !c.f.able():
			return
		case in.Verb == "if":
			if in.When == nil || depth > game.MaxNesting {
				continue
			}
			branch := in.Else
			if e.holds(c, *in.When, nil) {
				branch = in.Then
			}
			e.carry(c, branch, ev, p, depth+1)
		case isAttack(in.Verb):
			e.assault(c, in, ev, p)
		case in.Verb == "set" && in.Wait > 0:
			p.fresh = false // the change of the dial takes the place of a shot
			e.free(c, in, p.k, "m", ev, 0)
		case spends(&in) > 0:
			if !p.fresh && !p.next(c) {
				return
			}
			p.fresh = false
			e.act(c, in, nil, p.k)
		default:
			if in.Verb == "move" {
				c.mode = faster(c.mode, in.Mode)
			}
			e.free(c, in, p.k, "m", ev, 0)
		}
	}
}

// assault makes the attacks of a reaction one by one, as long as they are
// possible and there is something left to spend.
func (e *engine) assault(c *state, in game.Intent, ev *happening, p *purse) {
	one := in
	one.Shots, one.Blows = min(one.Shots, 1), min(one.Blows, 1)
	for range spends(&in) {
		if !c.f.able() {
			return
		}
		if !p.fresh {
			if len(p.rest) == 0 {
				return
			}
			if _, reason := e.attackAt(c, in, ev); reason != "" {
				return
			}
			p.next(c)
		}
		p.fresh = false
		e.shoot(c, one, nil, p.k, ev)
	}
}
