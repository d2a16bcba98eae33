package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// attackTime turns an ordinary attack into the one that its time makes of it: a
// quick attack before one is ready, a set attack after.
func attackTime(in *game.Intent) {
	switch {
	case in.Early > 0:
		in.Verb = "quick_attack"
	case in.Wait > 0 || in.Bonus > 0 || in.Segment > 0 && in.Verb != "quick_attack":
		in.Verb = "set_attack"
	default:
		if in.Verb != "quick_attack" {
			return
		}
	}
	in.Shots, in.Blows, in.Aim = 0, 0, false
}

// timed hands a waiting time, ordered before, to the attack that follows it.
func (r *reader) timed(in *game.Intent) {
	if t := r.pending.time; t != nil {
		in.Wait, in.Bonus, in.Segment = t.Wait, t.Bonus, t.Segment
		r.pending.time = nil
	}
}

// bonusWhen reads "when I have +30" behind an attack: the set bonus that it waits
// for. It is the end of it, 0 if it is anything else.
func (r *reader) bonusWhen(p int, nodes []node) int {
	if _, ok := r.lx.verbs["set_attack"]; !ok || len(nodes) == 0 || !nodes[len(nodes)-1].attack {
		return 0
	}
	if p+1 >= len(r.toks) || !r.toks[p].is("i") || !r.toks[p+1].is("have") && !r.toks[p+1].is("get") && !r.toks[p+1].is("reach") {
		return 0
	}
	in := &nodes[len(nodes)-1].intent
	for q := p + 2; q < len(r.toks) && q < p+6; q++ {
		if n := r.timing("set_attack", in, q); n > 0 && in.Bonus > 0 {
			attackTime(in)
			return q + n
		}
	}
	return 0
}

// lateTime reads "set at +20", "set for two segments" behind an attack and a comma: it makes a set attack
// of it. It is the end of it, 0 if it is anything else.
func (r *reader) lateTime(p int, nodes []node) int {
	if _, ok := r.lx.verbs["set_attack"]; !ok || len(nodes) == 0 || !nodes[len(nodes)-1].attack || !r.toks[p].is("set") {
		return 0
	}
	in := nodes[len(nodes)-1].intent
	n := r.timing("set_attack", &in, p+1)
	if n == 0 {
		in.Wait, n = r.forSegments(p + 1)
	}
	if n == 0 || !r.boundary(p+1+n) {
		return 0
	}
	attackTime(&in)
	nodes[len(nodes)-1].intent = in
	return p + 1 + n
}

// forSegments reads "for two segments": for how long a set attack waits.
func (r *reader) forSegments(p int) (wait, n int) {
	if p >= len(r.toks) || !r.toks[p].is("for") {
		return 0, 0
	}
	v, k := r.whole(p + 1)
	u, x := r.lx.at("timeunit", r.toks, p+1+k)
	if k == 0 || x == 0 || u != "segment" {
		return 0, 0
	}
	return v, 1 + k + x
}

// bothThings reads "both needlers", "the two pistols", "my two guns".
func (r *reader) bothThings(p int) ([]int, int) {
	q := p
	if _, n := r.lx.at("using", r.toks, q); n > 0 {
		q += n
	}
	if _, n := r.lx.at("article", r.toks, q); n > 0 {
		q += n
	}
	if q >= len(r.toks) || !r.toks[q].is("both") && !r.toks[q].is("two") && !r.toks[q].is("each") {
		return nil, 0
	}
	q++
	if q < len(r.toks) && r.toks[q].is("of") {
		q++
	}
	if r.bareShot(q) > 0 {
		return nil, 0 // "two needles"
	}
	ids, n := r.thing(q, func(e entity) bool { return isRanged(e) && r.inHand(e) })
	if n == 0 || len(ids) != 2 {
		return nil, 0
	}
	return ids, q + n - p
}

// leadsBoth reports that the weapons named before the shot are two, meant both.
func (c *clause) leadsBoth(r *reader) bool {
	if len(c.weapons) != 2 {
		return false
	}
	for p := c.from; p < c.p && p < len(r.toks); p++ {
		if r.toks[p].is("both") || r.toks[p].is("two") || r.toks[p].is("each") {
			return true
		}
	}
	return false
}

// fromBoth makes a shot from each of two weapons.
func (r *reader) fromBoth(c *clause, s shot) ([]node, bool) {
	if slices.ContainsFunc(s.both, func(i int) bool { return r.lx.things[i].Thing.TwoHanded }) {
		r.refuse(c, "two_handed", "One of the two takes both hands: which one is fired?", r.thingNames(isRanged), "Write an order for one of them.")
		return nil, false
	}
	if s.amount.all {
		s.each = true
	}
	if s.amount.n > 0 && !s.each {
		if s.amount.value%len(s.both) != 0 {
			return nil, r.reject(c, "It is not clear how many shots each of the two fires.")
		}
		s.amount.value /= len(s.both)
	}
	var nodes []node
	both := s.both
	s.both = nil
	for k, i := range both {
		s.weapons = []int{i}
		if k > 0 {
			c.ask, c.told = nil, nil
		}
		one, ok := r.makeShot(c, s)
		if !ok {
			return nil, false
		}
		nodes = append(nodes, one...)
	}
	return nodes, true
}
