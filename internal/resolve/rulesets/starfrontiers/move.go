package starfrontiers

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// move carries out one piece of movement, square by square (4.7, 17). The event
// is closed whenever a reaction cuts in, so that it tells only what had happened.
func (e *engine) move(s *state, in game.Intent, k int, suffix string, by *happening) {
	f := s.f
	if s.early {
		e.cannot(s, k, suffix, "move", "shot_early", fmt.Sprintf("%s stays: he has shot before his turn.", f.Name))
		return
	}
	if len(s.locks) > 0 {
		e.lockedMove(s, k, suffix)
		return
	}
	if row := e.feat(in.Mode); row != nil {
		e.stunt(s, e.ref(s, k, suffix), in, row)
		return
	}
	in.Mode = f.mode(in.Mode)
	trigger := game.ID("")
	if by != nil {
		trigger = by.trigger()
	}
	limit := f.allowance(e.tables, in.Mode)*1000 - s.walked
	if f.Posture == "prone" && in.Mode != "crawl" {
		limit -= f.allowance(e.tables, "walk") * 1000 / 2
	}
	if m, ok := e.foretold(e.peek(s, k, suffix), "metres"); ok && m >= 0 {
		limit = m * 1000 // shorter or longer, by a ruling
	}
	sc := e.scene(s)
	w := sc.route(in, trigger, max(limit, 0), s.odd)
	if in.Mode == "dodge" && len(w.path) == 0 && w.whole {
		ev := e.event(e.ref(s, k, suffix), f, "move", "done")
		ev.Rule = "17.1"
		e.witnesses(ev, f, nil, false)
		e.tell(ev, fmt.Sprintf("%s dodges on the spot.", f.Name))
		return
	}
	if len(w.path) == 0 {
		e.notMoved(s, in, w, k, suffix)
		return
	}
	end := w.path[len(w.path)-1]
	answers := e.declare(s, "move", "", &end)
	if !e.able(f) {
		e.lostUnit(s, unit{act: in}, k)
		return
	}
	if f.Place != sc.at { // an interrupt has moved him
		answers = append(answers, e.declare(s, "move", "", nil)...)
		w = e.scene(s).route(in, trigger, max(limit, 0), s.odd)
	}
	s.failed = false
	e.walk(s, in, w, k, suffix, sc)
	e.answer(answers)
}

// lookOut turns somebody who has moved towards the nearest enemy that he knows
// of: turning is free during movement (5.1), and nobody ends it with his back
// to the foe unless he orders so.
func (e *engine) lookOut(s *state, start *scene) {
	best := -1
	for _, sc := range []*scene{start, e.scene(s)} {
		for _, p := range sc.people {
			if p.relation != "enemy" || !p.seen || p.down {
				continue
			}
			if d := squared(s.f.Place, p.at); best < 0 || d < best {
				if dir, ok := resolve.Toward(s.f.Place, p.at); ok {
					best, s.f.Facing = d, dir.String()
				}
			}
		}
	}
}

// notMoved tells that a move came to nothing; who is kept from moving at all
// stands still for the whole turn (6.5).
func (e *engine) notMoved(s *state, in game.Intent, w way, k int, suffix string) {
	if w.whole && w.why == "" {
		if in.EndPosture != "" {
			e.posture(s, in.EndPosture, k, suffix)
		}
		return
	}
	if s.walked == 0 && s.mode != "dodge" {
		s.mode = "stationary"
	}
	reason, why := "path_blocked", "finds no way there"
	if w.why == "no_goal" {
		reason, why = "no_goal", "does not see where to go"
	}
	e.cannot(s, k, suffix, "move", reason, s.f.Name+" "+why+" and stays.")
}

// leg is the part of a move that one event tells.
type leg struct {
	ref         string
	from        game.Square
	cost        int // millimetres of the allowance
	rough       int // of them what difficult ground adds
	some, first map[game.ID]bool
}

func (e *engine) leg(s *state, k int, suffix string) *leg {
	ref := e.ref(s, k, suffix)
	e.applySets(ref, s)
	l := &leg{ref: ref, from: s.f.Place, some: map[game.ID]bool{}, first: map[game.ID]bool{}}
	for _, v := range e.w.Fighters {
		if v != s.f && e.knows(v, s.f) {
			l.first[v.ID], l.some[v.ID] = true, true
		}
	}
	return l
}

func (e *engine) walk(s *state, in game.Intent, w way, k int, suffix string, start *scene) {
	f := s.f
	posture := f.Posture
	if in.Mode == "crawl" {
		f.Posture = "prone"
	} else {
		if f.Posture == "prone" {
			s.walked += f.allowance(e.tables, "walk") * 1000 / 2
		}
		f.Posture = "stand"
	}
	l := e.leg(s, k, suffix)
	if !f.able() {
		return
	}
	stopped := ""
	var answers []answer
	for i, sq := range w.path {
		p := &pathing{t: e.tables, g: e.g, blocked: func(at game.Square) bool { return e.barred(f, at) }}
		d, ok := resolve.Toward(f.Place, sq)
		mm, free := p.cost(f.Place, d, s.odd)
		last := i == len(w.path)-1
		if !ok || !free || step(f.Place, d) != sq || last && e.occupied(f, sq) {
			stopped = "path_blocked"
			break
		}
		at := &happening{class: "move", who: s, act: "move", from: f.Place, before: e.watched(s)}
		e.open(s, sq)
		f.Place, f.Facing = sq, d.String()
		e.look()
		s.walked += mm
		l.cost += mm
		if c := e.g.cell(sq); c != nil && c.rough {
			l.rough += p.length(d, s.odd) * (e.Move.Rough - 1)
		}
		if d%2 == 1 {
			s.odd = !s.odd
		}
		for _, v := range e.w.Fighters {
			if v != f && !l.some[v.ID] && e.knows(v, f) {
				l.some[v.ID] = true
			}
		}
		open := true
		stop := func() {
			if open {
				open = false
				e.endLeg(s, in, l, posture, "")
				posture = f.Posture
			}
		}
		answers = append(answers, e.entered(at, stop)...)
		e.aftermath(stop)
		if !f.able() {
			return
		}
		if f.Place != sq {
			break // a ruling has put him elsewhere
		}
		if !open {
			if last {
				l = nil
				break
			}
			l = e.leg(s, k, suffix)
		}
		if in.StopWhen != nil && e.holds(s, *in.StopWhen, nil) {
			break
		}
	}
	e.lookOut(s, start)
	if l != nil && (f.Place != l.from || stopped != "") {
		if stopped != "" && f.Place != l.from {
			e.makeRoom(s, l.from)
		}
		e.endLeg(s, in, l, posture, stopped)
	}
	if in.EndPosture != "" {
		e.posture(s, in.EndPosture, k, suffix)
	}
	e.answer(e.still(answers))
}

// watched lists those who hold something and see somebody where he stands.
func (e *engine) watched(x *state) map[game.ID]bool {
	out := map[game.ID]bool{}
	for _, c := range e.reactors(x) {
		out[c.f.ID] = e.sees(c.f, x.f)
	}
	return out
}

// still keeps of several answers to one move the first of each combatant.
func (e *engine) still(list []answer) []answer {
	var out []answer
	seen := map[*held]bool{}
	for _, a := range list {
		if !seen[a.h] && e.holds(a.s, a.h.When, a.ev) {
			seen[a.h] = true
			out = append(out, a)
		}
	}
	return out
}

// barred: an enemy on his feet stands there, on squares that hold one (17.2).
func (e *engine) barred(f *Fighter, at game.Square) bool {
	if e.w.ScaleMM > 2000 {
		return false
	}
	for _, o := range e.w.Fighters {
		if o.Place == at && o != f && o.able() && e.w.relation(f, o) == "enemy" {
			return true
		}
	}
	return false
}

func (e *engine) occupied(f *Fighter, at game.Square) bool {
	if e.w.ScaleMM > 2000 {
		return false
	}
	for _, o := range e.w.Fighters {
		if o != f && o.Place == at && o.able() {
			return true
		}
	}
	return false
}

// makeRoom steps back out of a square that somebody else holds.
func (e *engine) makeRoom(s *state, from game.Square) {
	for range 100 {
		if !e.occupied(s.f, s.f.Place) || s.f.Place == from {
			return
		}
		d, ok := resolve.Toward(s.f.Place, from)
		if !ok {
			return
		}
		s.f.Place = step(s.f.Place, d)
	}
}

// endLeg stores the event of a part of a move. Who saw it from beginning to end
// reads whence and whither; who saw a part of it only that he moved.
func (e *engine) endLeg(s *state, in game.Intent, l *leg, posture, stopped string) {
	f := s.f
	ev := e.event(l.ref, f, "move", "done")
	ev.Rule = "17.1"
	ev.Numbers["metres"] = (l.cost + 500) / 1000
	if l.rough > 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "Difficult ground", Value: resolve.Signed((l.rough+500)/1000) + " m"})
	}
	if stopped != "" {
		ev.Outcome, ev.Reason = "stopped", stopped
		s.failed = true
	}
	if f.Place == l.from {
		ev.Outcome = "impossible"
	}
	if in.Mode == "crawl" && has(e.Move.Unverified, "crawl_m") {
		ev.Unverified = append(ev.Unverified, "crawling: metres a turn")
	}
	if f.Guessed {
		ev.Unverified = append(ev.Unverified, "animals: metres a turn")
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "AT", l.from.String(), f.Place.String()))
	if posture != f.Posture {
		ev.Changes = append(ev.Changes, changed(f.ID, "POSTURE", posture, f.Posture))
	}
	ev.Seen[f.ID] = game.Own
	for _, v := range e.w.Fighters {
		switch {
		case v == f:
		case l.first[v.ID] && e.knows(v, f):
			ev.Seen[v.ID] = game.Seen
		case l.some[v.ID]:
			ev.Seen[v.ID] = game.Actor
		}
	}
	verb := modeVerb(in.Mode)
	text := fmt.Sprintf("%s %s from %s to %s.", f.Name, verb, l.from, f.Place)
	if stopped != "" {
		text = fmt.Sprintf("%s %s from %s to %s and can go no farther.", f.Name, verb, l.from, f.Place)
	}
	if f.Place == l.from {
		text = fmt.Sprintf("%s cannot leave %s.", f.Name, l.from)
	}
	ev.Text[game.All] = text + fmt.Sprintf(" (%d m)", ev.Numbers["metres"])
	ev.Text[game.Own], ev.Text[game.Seen] = text, text
	ev.Text[game.Actor] = fmt.Sprintf("%s is seen on the move.", f.Name)
	e.emit(ev)
	e.mark(s, "act", l.ref, verb)
}
