package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// cover reads "cover Zorg", "watch the door with the rifle", "overwatch": a shot
// at whoever attacks the one or comes into the other. An order that follows and
// says it better takes its place.
func (r *reader) cover(c *clause, depth int) ([]node, bool) {
	s := shot{object: -1}
	var when *game.Condition
	max := 0
	r.slots(c, func(p int) int {
		if v, n := r.whole(p); n > 0 && max == 0 {
			if k := r.bareShot(p + n); k > 0 {
				max = v
				return n + k
			}
		}
		k := 0
		if _, n := r.lx.at("using", r.toks, p); n > 0 {
			k = n
		}
		if ids, n := r.thing(p+k, isRanged); n > 0 && !s.named {
			s.weapons, s.named = ids, true
			return k + n
		}
		if when != nil {
			return 0
		}
		k = 0
		if _, n := r.lx.at("target", r.toks, p); n > 0 {
			k = n
		} else if _, n := r.lx.at("relation", r.toks, p); n > 0 {
			k = n
		} else if r.toks[p].is("over") {
			k = 1
		}
		ref, f, n := r.place(p + k)
		if n == 0 || ref.IsZero() {
			return 0
		}
		s.object = p
		switch {
		case len(f.ids) == 1 && r.lx.people[f.ids[0]].Relation == "enemy":
			when = &game.Condition{Kind: "declares", Who: r.idsOf(f), Act: "any"}
			s.target = f
		case len(f.ids) > 0 || f.selector == game.Me || ref.ID == game.Me:
			when = &game.Condition{Kind: "attacks", Who: game.Who{game.AnyEnemy}, Object: ref}
		case f.selector == "":
			when = &game.Condition{Kind: "enters", Who: game.Who{game.AnyEnemy}, Area: ref}
			r.placeNamed = ref
		default:
			s.object = -1
			return 0
		}
		return k + n
	})
	if len(c.left) > 0 {
		return nil, r.settle(c, s.object, true) && r.reject(c, "What is to be watched was not understood.")
	}
	if when == nil {
		if c.lemma.set["alone"] != "" {
			return []node{{intent: game.Intent{Verb: "wait"}, told: c.told}}, true
		}
		return nil, r.reject(c, "What is to be watched was not understood.") || r.hint("Write: if <who> comes within <n> "+r.unit()+", fire at <who>.")
	}
	trigger, conditional := r.trigger, r.conditional
	f := found{selector: game.AnyEnemy, pronoun: true}
	if s.target.text != "" {
		f = s.target
		f.pronoun = true
	}
	r.trigger, r.conditional = &f, true
	s.object, s.target = -1, found{}
	nodes, ok := r.makeShot(c, s)
	r.trigger, r.conditional = trigger, conditional
	if !ok {
		return nil, false
	}
	b := &branch{when: *when, then: nodes, forced: "reaction", at: r.span(c.from, c.p), max: max, loose: true}
	return []node{{cond: b}}, true
}

func (r *reader) idsOf(f found) game.Who {
	var who game.Who
	for _, i := range f.ids {
		who = append(who, r.lx.people[i].ID)
	}
	return who
}

// whoever reads an order that is told of the one it is for: "whoever shoots at
// Bess gets it", "the first bandit who moves gets one shot from my rifle". ok is
// false if there is nothing of the kind at p.
func (r *reader) whoever(p, depth int) (b *branch, end int, ok bool) {
	cr := conditionReader{reader: r}
	var f found
	q := p
	if v, n := r.lx.at("whoever", r.toks, p); n > 0 {
		f, q = found{selector: game.ID(v), text: r.text(p, p+n)}, p+n
	} else {
		g, n := r.anyOf(p)
		if n == 0 || p+n >= len(r.toks) {
			return nil, p, false
		}
		switch t := r.toks[p+n]; {
		case t.is("who"), t.is("that"), t.is("which"), t.is("to"):
			f, q = g, p+n+1
		case cr.progressive(p+n) && (g.selector != "" || g.all || g.any):
			f, q = g, p+n // "anyone coming through the door"
		case t.is("on"), t.is("in"), t.is("at"), t.is("inside"):
			return r.whoeverIn(p, p+n, g, depth)
		default:
			return nil, p, false
		}
	}
	if f.unknown || f.unsure && !f.all {
		return nil, p, false
	}
	cr.loose = true
	when, q, ok := cr.predicate(f, q)
	if !ok {
		return nil, p, false
	}
	return r.whoeverGets(p, q, f, when, depth)
}

// whoeverIn reads "anyone on the bridge gets a shot": somebody in a place.
func (r *reader) whoeverIn(p, q int, f found, depth int) (b *branch, end int, ok bool) {
	if f.selector == "" && !f.all && !f.any {
		return nil, p, false
	}
	ref, _, n := r.place(q + 1)
	if n == 0 && q+1 < len(r.toks) && r.toks[q+1].is("it") && !r.placeNamed.IsZero() {
		ref, n = r.placeNamed, 1
	}
	if n == 0 || ref.IsZero() || ref.Square == nil && !r.isPlace(ref.ID) {
		return nil, p, false
	}
	cr := conditionReader{reader: r}
	return r.whoeverGets(p, q+1+n, f, game.Condition{Kind: "enters", Who: cr.names(f), Area: ref}, depth)
}

// whoeverGets reads what is ordered about him: "gets a shot", ", I shoot him".
func (r *reader) whoeverGets(p, q int, f found, when game.Condition, depth int) (b *branch, end int, ok bool) {
	for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is("will") || r.toks[q].is("is") || r.toks[q].is("to") || r.toks[q].is("be") || r.toks[q].is("just") || r.toks[q].is("'s") || r.toks[q].is("going")) {
		q++
	}
	b = &branch{when: when, forced: "reaction"}
	trigger, conditional, subject := r.trigger, r.conditional, r.subject
	defer func() { r.trigger, r.conditional, r.subject = trigger, conditional, subject }()
	t := f
	t.pronoun = true
	r.trigger, r.conditional, r.subject = &t, true, nobody
	if _, n := r.lx.at("gets", r.toks, q); n > 0 {
		c := &clause{from: q, p: q + n, verbFrom: q, lemma: lemma{words: []string{"fire"}, intent: "fire", set: map[string]string{}}}
		for c.p < len(r.toks) && (r.toks[c.p].is("it") || r.toks[c.p].is("shot") || r.toks[c.p].is("back") || r.toks[c.p].is("the") && c.p+1 < len(r.toks) && r.toks[c.p+1].is("same")) {
			c.p++
		}
		b.then, end = r.order(c, depth)
	} else if q > p && (r.toks[q-1].is(",") || r.startsClause(q)) {
		if b.then, end, ok = r.actions(q, depth+1, true); !ok {
			return nil, p, false
		}
	} else {
		return nil, p, false
	}
	if len(b.then) == 0 {
		return nil, max(end, q), true
	}
	end = r.totals(end, b)
	b.at = r.span(p, end)
	return b, end, true
}

// getsShots reads "the bandit who shot at me gets two needles": an order told of the
// one who is known already. end is 0 if there is nothing of the kind at p.
func (r *reader) getsShots(p, depth int) (nodes []node, end int) {
	f, n := r.person(p)
	if n == 0 || !f.one() || f.friend || f.unknown || f.pronoun || r.multi {
		return nil, 0
	}
	_, k := r.lx.at("gets", r.toks, p+n)
	if k == 0 || !r.count(p+n+k).noun || slices.ContainsFunc(r.toks[p:], func(t token) bool { return t.is("but") || t.is("none") || t.is("nothing") || t.is("not") }) {
		return nil, 0
	}
	r.mention(f)
	r.pending.target = game.To(r.lx.people[f.ids[0]].ID)
	c := &clause{from: p, p: p + n + k, verbFrom: p + n + k, lemma: lemma{words: []string{"fire"}, intent: "fire", set: map[string]string{}}}
	return r.order(c, depth)
}

// startsWhoever reports that an order told of the one it is for begins at p.
func (r *reader) startsWhoever(p int) bool {
	if _, n := r.lx.at("whoever", r.toks, p); n > 0 {
		return true
	}
	if r.toks[p].kind != word || !r.toks[p].is("anyone") && !r.toks[p].is("anybody") && !r.toks[p].is("anything") && !r.toks[p].is("any") && !r.toks[p].is("first") && !r.toks[p].is("the") {
		return false
	}
	_, n := r.anyOf(p)
	cr := conditionReader{reader: r}
	if n == 0 || p+n >= len(r.toks) || !(r.toks[p+n].is("who") || r.toks[p+n].is("that") || r.toks[p+n].is("to") || r.toks[p+n].is("on") || r.toks[p+n].is("in") || r.toks[p+n].is("at") || cr.progressive(p+n)) {
		return false
	}
	for q := p + n; q < len(r.toks) && q < p+n+14; q++ {
		if _, k := r.lx.at("gets", r.toks, q); k > 0 {
			return true
		}
	}
	return false
}

// totals reads "up to three shots in all" behind a reaction.
func (r *reader) totals(p int, b *branch) int {
	q := p
	for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is("(") || r.toks[q].is("but") || r.toks[q].is("and")) {
		q++
	}
	if _, n := r.lx.at("upto", r.toks, q); n > 0 {
		if v, k := r.whole(q + n); k > 0 {
			e := q + n + k
			e += r.shotNoun(e)
			if _, x := r.lx.at("inall", r.toks, e); x > 0 {
				e += x
			}
			if r.boundary(e) || e >= len(r.toks) || r.toks[e].is(")") {
				b.max = v
				if e < len(r.toks) && r.toks[e].is(")") {
					e++
				}
				return e
			}
		}
	}
	return r.limits(p, b)
}

// isTotal reports "up to three shots in all" at p.
func (r *reader) isTotal(p int) bool {
	_, n := r.lx.at("upto", r.toks, p)
	if n == 0 {
		return false
	}
	_, k := r.whole(p + n)
	return k > 0 && r.shotNoun(p+n+k) > 0
}

// anyOf reads "anyone", "any bandit", "the first one", "a Yazirian": somebody
// whom a condition will tell.
func (r *reader) anyOf(p int) (found, int) {
	q := p
	first := false
	for _, w := range []string{"the", "first", "next"} {
		if q < len(r.toks) && r.toks[q].is(w) {
			first = first || w != "the"
			q++
		}
	}
	if !first {
		q = p
	}
	if first {
		if q < len(r.toks) && (r.toks[q].is("one") || r.toks[q].is("man") || r.toks[q].is("who") || r.toks[q].is("to") || r.toks[q].is("person") || r.toks[q].is("that")) {
			n := q + 1 - p
			if !r.toks[q].is("one") && !r.toks[q].is("man") && !r.toks[q].is("person") {
				n--
			}
			if _, k := r.lx.at("ofthem", r.toks, p+n); k > 0 {
				n += k
			}
			return found{selector: game.AnyEnemy, text: r.text(p, p+n)}, n
		}
	}
	f, n := r.person(q)
	if n == 0 {
		return found{}, 0
	}
	n += q - p
	if _, k := r.lx.at("hostile", r.toks, p+n); k > 0 && f.selector == game.Anyone {
		f.selector = game.AnyEnemy
		n += k
	}
	if first && len(f.ids) > 0 {
		f = r.kindOf(f)
	}
	return f, n
}

// kindOf makes of those whom a noun fits what a condition names: any enemy, if
// it fits all of them, or the list.
func (r *reader) kindOf(f found) found {
	all := true
	for i, e := range r.lx.people {
		if e.Relation == "enemy" && !slices.Contains(f.ids, i) {
			all = false
		}
	}
	if all {
		return found{selector: game.AnyEnemy, text: f.text}
	}
	f.unsure, f.all, f.pronoun = false, true, true
	return f
}
