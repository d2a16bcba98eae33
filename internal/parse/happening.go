package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// happening reads what becomes of somebody, or what he does besides the acts of
// a fight: gets loose, gives up, comes into sight, comes through a door. is: a
// form of "to be" stands before p.
func (r *conditionReader) happening(f found, p int, not, is bool) (game.Condition, int, bool) {
	section := "happens"
	if is {
		section = "state"
	}
	if _, n := r.lx.at("attacked", r.toks, p); n > 0 && is {
		ref, ok := r.ref(f)
		c := game.Condition{Kind: "attacks", Who: game.Who{game.AnyEnemy}, Object: ref, Not: not}
		by := found{selector: game.AnyEnemy, text: "any enemy"}
		q := r.fill(p + n)
		if q < len(r.toks) && r.toks[q].is("by") {
			g, k := r.person(q + 1)
			if k == 0 || g.unknown || g.unsure {
				return c, q, false
			}
			by, c.Who = g, r.names(g)
			q = r.fill(q + 1 + k)
		}
		r.who = &by
		return c, q, ok && r.ends(q)
	}
	if p+3 < len(r.toks) && is && r.toks[p].is("between") && r.toks[p+1].is("me") && r.toks[p+2].is("and") {
		if g, k := r.person(p + 3); k > 0 && g.one() && !g.unknown {
			// "is between me and Grunmar"
			ref, ok := r.ref(f)
			r.mention(g)
			q := r.fill(p + 3 + k)
			return game.Condition{Kind: "ally_in_line", Object: ref, Not: not}, q, ok && len(f.ids) == 1 && r.ends(q)
		}
	}
	value, n := r.lx.at(section, r.toks, p)
	if n == 0 && is {
		// "is coming through the door"
		value, n = "", 0
	}
	q := r.fill(p + n)
	if _, k := r.lx.at("passing", r.toks, p); k > n && n > 0 {
		n = 0 // "steps out from behind the crates" says more than "steps out"
	}
	switch {
	case n == 0:
	case value == "free" || value == "held":
		ref, ok := r.ref(f)
		r.acts(f)
		return game.Condition{Kind: "held", Object: ref, Not: not != (value == "free")}, q, ok && r.ends(q)
	case value == "wounded" || value == "hit":
		ref, ok := r.ref(f)
		return game.Condition{Kind: value, Object: ref, Not: not}, q, ok && r.ends(q)
	case value == "cover" || value == "open":
		ref, ok := r.ref(f)
		return game.Condition{Kind: "cover", Object: ref, Not: not != (value == "open")}, q, ok && r.ends(q)
	case value == "line":
		c := game.Condition{Kind: "ally_in_line", Not: not}
		if ref, ok := r.ref(f); ok && len(f.ids) == 1 {
			c.Object = ref
		}
		return c, q, r.ends(q)
	case value == "appears":
		c := game.Condition{Kind: "appears", Who: r.names(f), Not: not}
		if _, k := r.lx.at("relation", r.toks, q); k > 0 || q < len(r.toks) && (r.toks[q].is("from") || r.toks[q].is("in")) {
			k = max(k, 1)
			if ref, _, m := r.place(q + k); m > 0 && r.isPlace(ref.ID) {
				c.Area = ref
				q = r.fill(q + k + m)
			}
		}
		r.acts(f)
		r.moving = r.moving || !not
		return c, q, r.ends(q)
	case value == "signal":
		r.acts(f)
		return game.Condition{Kind: "signal", Who: r.names(f), Not: not}, q, r.ends(q)
	default: // surrenders, vanishes
		r.acts(f)
		return game.Condition{Kind: value, Who: r.names(f), Not: not}, q, r.ends(q)
	}
	if value, n := r.lx.at("passing", r.toks, p); n > 0 {
		ref, _, m := r.place(p + n)
		if m == 0 && p+n < len(r.toks) && r.toks[p+n].is("it") && !r.placeNamed.IsZero() {
			ref, m = r.placeNamed, 1
		}
		if m > 0 && !ref.IsZero() && (ref.Square != nil || r.isPlace(ref.ID)) {
			r.acts(f)
			r.moving = true
			r.placeNamed = ref
			q := r.fill(p + n + m)
			return game.Condition{Kind: value, Who: r.names(f), Area: ref, Not: not}, q, r.ends(q)
		}
	}
	return game.Condition{}, p, false
}

// of reads a test of something that is no person: a door that opens, a grenade
// that lands, the count, a segment.
func (r *conditionReader) of(p int) (game.Condition, int, bool) {
	if _, n := r.lx.at("noticing", r.toks, p); n > 0 {
		return game.Condition{Kind: "notice"}, r.fill(p + n), r.ends(r.fill(p + n))
	}
	if _, n := r.lx.at("agrenade", r.toks, p); n > 0 {
		q := r.fill(p + n)
		if _, k := r.lx.at("lands", r.toks, q); k > 0 {
			q = r.fill(q + k)
			c := game.Condition{Kind: "grenade_lands", Of: game.To(game.Me)}
			if _, k := r.lx.at("nearer", r.toks, q); k > 0 {
				if d, m := r.length(q + k); m > 0 {
					c.Distance = &d
					q += k + m
				}
			}
			if q < len(r.toks) && (r.toks[q].is("of") || r.toks[q].is("near") || r.toks[q].is("by") || r.toks[q].is("beside") || r.toks[q].is("to") || r.toks[q].is("next") || r.toks[q].is("close")) {
				for q < len(r.toks) && (r.toks[q].is("of") || r.toks[q].is("near") || r.toks[q].is("by") || r.toks[q].is("beside") || r.toks[q].is("to") || r.toks[q].is("next") || r.toks[q].is("close")) {
					q++
				}
				ref, g, k := r.place(q)
				if k == 0 || ref.IsZero() {
					return c, q, false
				}
				if g.one() && r.lx.people[g.ids[0]].ID == r.lx.self {
					ref = game.To(game.Me)
				}
				c.Of = ref
				q += k
			} else if _, k := r.lx.at("herenear", r.toks, q); k > 0 {
				q += k
			}
			return c, r.fill(q), r.ends(r.fill(q))
		}
	}
	q := p
	if _, n := r.lx.at("article", r.toks, q); n > 0 {
		q += n
	}
	if q < len(r.toks) && r.toks[q].is("count") || r.toks[min(q, len(r.toks)-1)].is("it") {
		k := q + 1
		for k < len(r.toks) && (r.toks[k].is("is") || r.toks[k].is("reaches") || r.toks[k].is("at") || r.toks[k].is("gets") || r.toks[k].is("to") || r.toks[k].is("hits") || r.toks[k].is("down")) {
			k++
		}
		if v, n := r.whole(k); n > 0 && r.toks[q].is("count") {
			return game.Condition{Kind: "count", Value: &v}, k + n, r.ends(k + n)
		}
		q = k
	}
	if u, n := r.lx.at("timeunit", r.toks, q); n > 0 && u != "turn" {
		if v, k := r.whole(q + n); k > 0 {
			e := q + n + k
			for e < len(r.toks) && (r.toks[e].is("comes") || r.toks[e].is("begins") || r.toks[e].is("starts") || r.toks[e].is("arrives")) {
				e++
			}
			return game.Condition{Kind: "time", Unit: u, Op: ">=", Value: &v}, e, r.ends(e)
		}
	}
	ref, f, n := r.place(p)
	if n > 0 && len(f.ids) == 0 && ref.ID != "" && r.isPlace(ref.ID) {
		q := r.fill(p + n)
		for q < len(r.toks) && (r.toks[q].is("is") || r.toks[q].is("gets") || r.toks[q].is("starts") || r.toks[q].is("to") || r.toks[q].is("being")) {
			q = r.fill(q + 1)
		}
		not := false
		if q < len(r.toks) && r.toks[q].is("not") {
			not = true
			q++
		}
		if _, k := r.lx.at("opens", r.toks, q); k > 0 {
			r.placeNamed = ref
			return game.Condition{Kind: "opens", Object: ref, Not: not}, r.fill(q + k), r.ends(r.fill(q + k))
		}
	}
	if value, n := r.lx.at("ownshot", r.toks, p); n > 0 && r.ends(r.fill(p+n)) {
		c := game.Condition{Kind: value}
		if !r.target.IsZero() {
			c.Object = r.target
		}
		return c, r.fill(p + n), true
	}
	if _, n := r.lx.at("turnend", r.toks, p); n > 0 {
		return game.Condition{Kind: "end_of_turn"}, p + n, r.ends(p + n)
	}
	return game.Condition{}, p, false
}

// ellipsis reads a condition that only points back at the one before: "if he
// hasn't", "if so", "if that happens". yes: the condition holds.
func (r *reader) ellipsis(p int) (q int, yes, ok bool) {
	if _, n := r.lx.at("ifso", r.toks, p); n > 0 {
		switch r.toks[p+n-1].text {
		case "is", "does", "do", "are", "has":
			return r.pointsBack(p) // "if he is wounded" goes on
		}
		return p + n, true, true
	}
	return r.pointsBack(p)
}

// pointsBack reads "if he hasn't," and "if that happens,".
func (r *reader) pointsBack(p int) (q int, yes, ok bool) {
	_, n := r.lx.at("condition", r.toks, p)
	if n == 0 || r.toks[p].is("unless") {
		return p, false, false
	}
	q = p + n
	if q < len(r.toks) && (r.toks[q].is("that") || r.toks[q].is("this")) {
		q++
	} else {
		f, k := r.person(q)
		if k == 0 || f.unknown {
			return p, false, false
		}
		q += k
	}
	not, aux := false, false
	for q < len(r.toks) && r.toks[q].kind == word {
		switch r.toks[q].text {
		case "is", "has", "does", "do", "did", "was", "have", "are", "will", "can":
			aux = true
		case "not":
			not = true
		case "still", "yet", "then", "by":
		default:
			return p, false, false
		}
		q++
	}
	if !aux || q >= len(r.toks) || !slices.Contains([]string{",", ":", "-"}, r.toks[q].text) {
		return p, false, false
	}
	if r.lastWhen != nil && r.lastNot && len(r.lastWhen.And)+len(r.lastWhen.Or) > 0 {
		return p, false, false
	}
	// "If he isn't in the way, …. If he is, …": what was denied is now affirmed.
	return q + 1, not == r.lastNot, true
}

// sameAgain reads the orders behind "if so" or "if he hasn't", which hang on
// the condition before.
func (r *reader) sameAgain(p int, yes bool) bool {
	if r.lastWhen == nil {
		return false
	}
	when := *r.lastWhen
	if !yes {
		var ok bool
		if when, ok = negate(when); !ok {
			return false
		}
	}
	trigger, conditional := r.trigger, r.conditional
	defer func() { r.trigger, r.conditional = trigger, conditional }()
	r.conditional = true
	if yes || !event(when, r.lastMoving) {
		r.trigger = r.lastTrigger
	}
	nodes, next, ok := r.actions(p, 1, false)
	if !ok || len(nodes) == 0 {
		return true
	}
	if next < len(r.toks) {
		r.fail(next, len(r.toks), "unparsed", "This was not understood.", "")
	}
	b := &branch{when: when, then: nodes, moving: r.lastMoving && yes, at: r.span(p, len(r.toks))}
	r.commit([]node{{cond: b}})
	return true
}
