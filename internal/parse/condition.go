package parse

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// A condition holds if its own test and all of And do, or any of Or does. Only
// the own test is turned around by Not.

// conditionalOrder reads a condition at p and the orders that hang on it. The
// branch has no orders if none follow. ok is false if it was not understood.
func (r *reader) conditionalOrder(p int, lead string, depth int, before []node) (b *branch, end int, ok bool) {
	if depth >= game.MaxNesting {
		return nil, p, false
	}
	b = &branch{}
	cr := conditionReader{reader: r}
	r.lastNot = false
	when, q, ok := cr.either(p)
	if !ok {
		return nil, q, false
	}
	if lead == "unless" {
		if when, ok = negate(when); !ok {
			return nil, q, false
		}
		r.lastNot = !r.lastNot
	}
	b.when, b.moving = when, cr.moving || lead == "when" && (when.Kind == "within" || when.Kind == "held")
	q = r.limits(q, b)
	b.comma = q
	trigger, conditional := r.trigger, r.conditional
	defer func() { r.trigger, r.conditional = trigger, conditional }()
	if cr.who != nil && !when.Not {
		r.trigger = cr.who
	}
	r.conditional = true
	r.lastWhen, r.lastMoving, r.lastTrigger = &b.when, b.moving, cr.who
	k := q
	for k < len(r.toks) && r.toks[k].is(",") {
		k++
	}
	if _, n := r.lx.at("inwhichcase", r.toks, k); n > 0 && len(before) > 0 && lead == "unless" {
		// "a burst, unless he is in the way, in which case three shots"
		els, e, ok := r.actions(k+n, depth+1, true)
		b.els = els
		return b, e, ok && len(els) > 0
	}
	if k < len(r.toks) && r.toks[k].is("then") && len(before) > 0 && lead == "unless" {
		return nil, q, false // "…, unless he is up, then two shots": at which of the two?
	}
	next := r.joints(q)
	if next >= len(r.toks) || r.toks[next].is("]") {
		return b, next, depth > 0 || len(before) > 0
	}
	if _, n := r.lx.at("otherwise", r.toks, next); n > 0 {
		return b, next, len(before) > 0
	}
	if next == q && !r.startsClause(q) && !r.toks[q].is("[") {
		return nil, q, false
	}
	if r.chatter(next) {
		return nil, len(r.toks), true // "if not, fine"
	}
	if instead(r.toks[q:]) {
		b.instead = true
	}
	problems, questions, unparsed := len(r.out.Problems), len(r.out.Plan.Questions), len(r.out.Plan.Unparsed)
	b.then, end, ok = r.actions(next, depth+1, true)
	if !ok {
		return nil, end, false
	}
	if len(b.then) > 0 {
		end = r.totals(end, b)
	}
	if len(b.then) == 0 && (len(r.out.Problems) > problems || len(r.out.Plan.Questions) > questions || len(r.out.Plan.Unparsed) > unparsed) {
		// The orders were not understood; that has been reported.
		return nil, max(end, next+1), true
	}
	if len(b.then) == 0 {
		return nil, max(end, next+1), end > next
	}
	at := end
	for at < len(r.toks) && r.toks[at].is(",") {
		at++
	}
	if _, n := r.lx.at("otherwise", r.toks, at); n > 0 {
		r.trigger = trigger
		els, e, ok := r.instead(b.then, at+n)
		if !ok {
			els, e, ok = r.actions(at+n, depth+1, true)
		}
		if !ok {
			return nil, e, false
		}
		b.els, end = els, e
	}
	return b, end, true
}

func instead(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return t.is("instead") })
}

// limits reads "at most 2 times" and "until next turn" behind a condition.
func (r *reader) limits(p int, b *branch) int {
	for {
		q := p
		for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is("(") || r.toks[q].is(")")) {
			q++
		}
		if v, n := r.lx.at("expiry", r.toks, q); n > 0 {
			b.until = v
			p = q + n
			continue
		}
		if op, n := r.lx.at("op", r.toks, q); n > 0 && op == "<=" {
			if a := r.count(q + n); a.times {
				b.max = a.value
				p = q + n + a.n
				continue
			}
		}
		return p
	}
}

// negate turns a condition around.
func negate(c game.Condition) (game.Condition, bool) {
	flip := func(list []game.Condition) ([]game.Condition, bool) {
		var all []game.Condition
		for _, sub := range list {
			n, ok := negate(sub)
			if !ok {
				return nil, false
			}
			all = append(all, n)
		}
		return all, true
	}
	if len(c.And) > 0 && len(c.Or) > 0 {
		return c, false
	}
	and, ok1 := flip(c.And)
	or, ok2 := flip(c.Or)
	c.Not, c.And, c.Or = !c.Not, or, and
	return c, ok1 && ok2
}

// conditionReader reads one condition; who is the first one that acts in it.
type conditionReader struct {
	*reader
	who     *found
	subject *found // of the test before: "if Zog moves or shoots"
	moving  bool
	depth   int
	loose   bool // the condition may end before "gets"
	state   bool // "is" was said before
}

// either reads tests joined by "or".
func (r *conditionReader) either(p int) (game.Condition, int, bool) {
	c, p, ok := r.both(p)
	if !ok {
		return c, p, false
	}
	for p < len(r.toks) && (r.toks[p].is("or") || r.toks[p].is("/")) {
		next, q, ok := r.both(p + 1)
		if !ok && r.subject != nil {
			next, q, ok = r.stateOf(*r.subject, p+1)
		}
		if !ok {
			return c, p, false
		}
		c.Or = append(c.Or, next)
		p = q
	}
	return c, p, true
}

// both reads tests joined by "and".
func (r *conditionReader) both(p int) (game.Condition, int, bool) {
	c, p, ok := r.test(p)
	if !ok {
		return c, p, false
	}
	if len(c.Or) > 0 && p < len(r.toks) && r.toks[p].is("and") {
		// A bracket first: the test behind it becomes the main one.
		next, q, ok := r.test(p + 1)
		if !ok || len(next.And)+len(next.Or) > 0 {
			return c, p, ok
		}
		next.And = []game.Condition{c}
		c, p = next, q
	}
	for p < len(r.toks) && (r.toks[p].is("and") || r.toks[p].is("but")) {
		next, q, ok := r.test(p + 1)
		if !ok && r.subject != nil {
			next, q, ok = r.stateOf(*r.subject, p+1)
		}
		if !ok {
			break
		}
		c.And = append(c.And, next)
		p = q
	}
	return c, p, true
}

// stateOf reads a further state of the same one: "wounded and in the open".
func (r *conditionReader) stateOf(f found, p int) (game.Condition, int, bool) {
	r.state = true
	c, q, ok := r.predicate(f, p)
	r.state = false
	if ok {
		q = r.fill(q)
	}
	return c, q, ok
}

// fill passes over words that add nothing to a test.
func (r *conditionReader) fill(p int) int {
	for p < len(r.toks) {
		_, n := r.lx.at("condfiller", r.toks, p)
		if n == 0 {
			break
		}
		if r.toks[p].is("has") || r.toks[p].is("have") || r.toks[p].is("then") {
			break
		}
		p += n
	}
	return p
}

// test reads one test, or a bracket.
func (r *conditionReader) test(p int) (game.Condition, int, bool) {
	c, q, ok := r.plainTest(r.fill(p))
	if !ok {
		return c, q, false
	}
	return c, r.fill(q), true
}

func (r *conditionReader) plainTest(p int) (game.Condition, int, bool) {
	if p >= len(r.toks) {
		return game.Condition{}, p, false
	}
	if r.toks[p].is("(") {
		if r.depth++; r.depth > game.MaxNesting {
			return game.Condition{}, p, false
		}
		c, q, ok := r.either(p + 1)
		r.depth--
		if !ok || q >= len(r.toks) || !r.toks[q].is(")") {
			return c, q, false
		}
		return c, q + 1, true
	}
	if r.toks[p].is("not") && p+1 < len(r.toks) && r.toks[p+1].is("(") {
		c, q, ok := r.plainTest(p + 1)
		if !ok {
			return c, q, false
		}
		c, ok = negate(c)
		return c, q, ok
	}
	if _, n := r.lx.at("impossible", r.toks, p); n > 0 && r.ends(p+n) {
		return game.Condition{Kind: "impossible"}, p + n, true
	}
	if _, n := r.lx.at("noone", r.toks, p); n > 0 {
		c, q, ok := r.predicate(found{selector: game.AnyEnemy, text: r.text(p, p+n)}, p+n)
		c.Not = !c.Not // "nobody is within 20 feet"
		return c, q, ok && len(c.And)+len(c.Or) == 0
	}
	if r.toks[p].is("i") {
		if c, q, ok := r.of(p); ok {
			return c, q, true
		}
		return r.own(p + 1)
	}
	if _, n := r.lx.at("article", r.toks, p); n > 0 {
		if _, k := r.lx.at("stamina", r.toks, p+n); k > 0 {
			return r.stamina(game.To(game.Me), p+n+k)
		}
	}
	if c, q, ok := r.of(p); ok {
		return c, q, true
	}
	if ids, n := r.thing(p, isRanged); n > 0 && len(ids) == 1 {
		return r.ammo(r.lx.things[ids[0]].ID, p+n)
	}
	f, n := r.person(p)
	if n > 0 && p+n < len(r.toks) && r.toks[p+n].is("'s") && !f.unknown {
		if _, k := r.lx.at("signalword", r.toks, p+n+1); k > 0 {
			r.mention(f)
			q := p + n + 1 + k
			for q < len(r.toks) && (r.toks[q].is("comes") || r.toks[q].is("is") || r.toks[q].is("given")) {
				q++
			}
			return game.Condition{Kind: "signal", Who: r.names(f)}, q, r.ends(q)
		}
	}
	if n > 0 && p+n < len(r.toks) && r.toks[p+n].is("'s") {
		if _, k := r.lx.at("stamina", r.toks, p+n+1); k > 0 && f.one() {
			r.mention(f)
			return r.stamina(game.To(r.lx.people[f.ids[0]].ID), p+n+1+k)
		}
	}
	if q := p + n; n > 0 && f.pronoun && len(f.ids) != 1 && r.lastTrigger != nil && q < len(r.toks) && r.toks[q].is("is") {
		if c, k := r.asNear(*r.lastTrigger, q+1); k > 0 {
			r.acts(*r.lastTrigger)
			return c, q + 1 + k, true
		}
	}
	if n > 0 {
		if c, q, ok := r.about(f, p, p+n); ok {
			return c, q, true
		}
	}
	if r.subject != nil {
		return r.predicate(*r.subject, p)
	}
	return game.Condition{}, p, false
}

// ends reports that a test may end at p.
func (r *conditionReader) ends(p int) bool {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return true
	}
	if _, n := r.lx.at("gets", r.toks, p); n > 0 && r.loose {
		return true
	}
	return r.boundary(p) || r.startsClause(p) || r.toks[p].is("or") || r.toks[p].is("and") || r.toks[p].is("but") || r.toks[p].is("then")
}

// about reads a test of somebody, or of one of several: "Zog or Kira moves".
func (r *conditionReader) about(f found, from, p int) (game.Condition, int, bool) {
	if f.any && len(f.ids) > 1 {
		f = r.kindOf(f)
	}
	if f.unknown || f.unsure || f.pronoun && len(f.ids) != 1 && f.selector == "" && f.race == "" {
		return game.Condition{}, p, false
	}
	for p < len(r.toks) && r.toks[p].is("or") && f.one() {
		g, n := r.person(p + 1)
		if n == 0 || !g.one() || g.unknown {
			break
		}
		f.ids = append(f.ids, g.ids...)
		p += 1 + n
		// The list is meant; a single one is not.
		f.pronoun = true
		for p < len(r.toks) && r.toks[p].is("or") {
			g, n := r.person(p + 1)
			if n == 0 || !g.one() {
				break
			}
			f.ids = append(f.ids, g.ids...)
			p += 1 + n
		}
	}
	if len(f.ids) > 1 && !f.pronoun {
		return game.Condition{}, p, false // "the Yazirian", and there are two
	}
	r.mention(f)
	return r.predicate(f, p)
}

func (r *conditionReader) names(f found) game.Who {
	switch {
	case f.selector == game.Anyone && r.foesOnly:
		return game.Who{game.AnyEnemy}
	case f.selector != "":
		return game.Who{f.selector}
	case f.race != "":
		return game.Who{game.ID("race:" + f.race)}
	}
	var who game.Who
	for _, i := range f.ids {
		who = append(who, r.lx.people[i].ID)
	}
	return who
}

// ref is the person as an object; false if it must be one and is not.
func (r *conditionReader) ref(f found) (game.Ref, bool) {
	who := r.names(f)
	if len(who) != 1 || strings.HasPrefix(string(who[0]), "race:") {
		return game.Ref{}, false
	}
	if who[0] == r.lx.self {
		return game.To(game.Me), true
	}
	return game.To(who[0]), true
}
