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
	when, q, ok := cr.either(p)
	if !ok {
		return nil, q, false
	}
	if lead == "unless" {
		if when, ok = negate(when); !ok {
			return nil, q, false
		}
	}
	b.when, b.moving = when, cr.moving || lead == "when" && when.Kind == "within"
	q = r.limits(q, b)
	b.comma = q
	trigger, conditional := r.trigger, r.conditional
	defer func() { r.trigger, r.conditional = trigger, conditional }()
	if cr.who != nil && !when.Not {
		r.trigger = cr.who
	}
	r.conditional = true
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
	if instead(r.toks[q:]) {
		b.instead = true
	}
	problems, questions, unparsed := len(r.out.Problems), len(r.out.Plan.Questions), len(r.out.Plan.Unparsed)
	b.then, end, ok = r.actions(next, depth+1, true)
	if !ok {
		return nil, end, false
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
		els, e, ok := r.actions(at+n, depth+1, true)
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
}

// either reads tests joined by "or".
func (r *conditionReader) either(p int) (game.Condition, int, bool) {
	c, p, ok := r.both(p)
	if !ok {
		return c, p, false
	}
	for p < len(r.toks) && (r.toks[p].is("or") || r.toks[p].is("/")) {
		next, q, ok := r.both(p + 1)
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
	for p < len(r.toks) && r.toks[p].is("and") {
		next, q, ok := r.test(p + 1)
		if !ok {
			break
		}
		c.And = append(c.And, next)
		p = q
	}
	return c, p, true
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
	if r.toks[p].is("i") {
		return r.own(p + 1)
	}
	if _, n := r.lx.at("article", r.toks, p); n > 0 {
		if _, k := r.lx.at("stamina", r.toks, p+n); k > 0 {
			return r.stamina(game.To(game.Me), p+n+k)
		}
	}
	if ids, n := r.thing(p, isRanged); n > 0 && len(ids) == 1 {
		return r.ammo(r.lx.things[ids[0]].ID, p+n)
	}
	f, n := r.person(p)
	if n > 0 && p+n < len(r.toks) && r.toks[p+n].is("'s") {
		if _, k := r.lx.at("stamina", r.toks, p+n+1); k > 0 && f.one() {
			r.mention(f)
			return r.stamina(game.To(r.lx.people[f.ids[0]].ID), p+n+1+k)
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
	return r.boundary(p) || r.startsClause(p) || r.toks[p].is("or") || r.toks[p].is("and") || r.toks[p].is("then")
}

// about reads a test of somebody, or of one of several: "Zog or Kira moves".
func (r *conditionReader) about(f found, from, p int) (game.Condition, int, bool) {
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

// predicate reads what is tested of a person.
func (r *conditionReader) predicate(f found, p int) (game.Condition, int, bool) {
	r.subject = &f
	is, not := false, false
	from := p
	for p < len(r.toks) {
		p = r.fill(p)
		if p >= len(r.toks) {
			break
		}
		switch r.toks[p].text {
		case "is", "are", "be", "being", "am", "'s":
			is = true
		case "not", "never":
			not = !not
		case "does", "do", "did", "has", "have", "will", "been", "should", "to", "of", "has been":
		case "no":
			if p+1 < len(r.toks) && (r.toks[p+1].is("longer") || r.toks[p+1].is("more")) {
				not = !not
				p++
				break
			}
			return game.Condition{}, p, false
		default:
			goto read
		}
		p++
	}
read:
	if p >= len(r.toks) {
		return game.Condition{}, p, false
	}
	if _, n := r.lx.at("visible", r.toks, p); n > 0 {
		return game.Condition{Kind: "los", Who: r.names(f), Not: not}, p + n, true
	}
	if _, n := r.lx.at("unseen", r.toks, p); n > 0 && is {
		return game.Condition{Kind: "los", Who: r.names(f), Not: !not}, p + n, true
	}
	if c, q, ok := r.near(f, p, not, is || from < p); ok {
		return c, q, true
	}
	value, n := r.lx.at("falls", r.toks, p)
	_, nd := r.lx.at("down", r.toks, p)
	_, nu := r.lx.at("up", r.toks, p)
	if nu == 0 && (r.toks[p].is("stands") || r.toks[p].is("lives")) && r.ends(p+1) {
		nu = 1
		is = true
	}
	if n > 0 && value != "" || is && (nd > 0 || nu > 0) {
		ref, ok := r.ref(f)
		k := max(n, nd, nu)
		return game.Condition{Kind: "down", Object: ref, Not: not != (nu > 0 && nd == 0 && n == 0)}, p + k, ok && r.ends(r.fill(p+k))
	}
	if is && !r.progressive(p) {
		return game.Condition{}, p, false
	}
	return r.declares(f, p, not)
}

// progressive reports an -ing form: "is shooting".
func (r *conditionReader) progressive(p int) bool {
	for _, form := range r.lx.forms[r.toks[p].text] {
		if form.tense == ing {
			return true
		}
	}
	_, n := r.lx.at("intention", r.toks, p)
	return n > 0 || r.toks[p].is("about")
}

// near reads "comes within 10 m of me", "is closer than 5 yards".
func (r *conditionReader) near(f found, p int, not, state bool) (game.Condition, int, bool) {
	from := p
	for {
		_, n := r.lx.at("comes", r.toks, p)
		if n == 0 {
			break
		}
		p = r.fill(p + n)
	}
	moves := p > from
	if _, n := r.lx.at("direction", r.toks, p); n > 0 && moves && r.toks[p].is("back") {
		p += n
	}
	_, n := r.lx.at("nearer", r.toks, p)
	far := false
	if n == 0 {
		if _, n = r.lx.at("farther", r.toks, p); n > 0 {
			far = true
		}
	}
	if n == 0 || !moves && !state {
		return game.Condition{}, p, false
	}
	d, k := r.length(p + n)
	if k == 0 {
		return game.Condition{}, p, false
	}
	p += n + k
	c := game.Condition{Kind: "within", Who: r.names(f), Distance: &d, Of: game.To(game.Me), Not: not != far}
	if p < len(r.toks) && r.toks[p].is("away") {
		p++
	}
	if p < len(r.toks) && (r.toks[p].is("of") || r.toks[p].is("to") || r.toks[p].is("from") || r.toks[p].is("near")) {
		ref, g, k := r.place(p + 1)
		if k == 0 || ref.IsZero() {
			return c, p, false
		}
		if ref.ID == r.lx.self || g.one() && r.lx.people[g.ids[0]].ID == r.lx.self {
			ref = game.To(game.Me)
		}
		c.Of = ref
		p += 1 + k
	}
	r.acts(f)
	r.moving = r.moving || moves && !far && !not
	return c, p, true
}

// acts remembers who sets a condition off.
func (r *conditionReader) acts(f found) {
	if r.who == nil {
		r.who = &f
	}
}

// declares reads what somebody does: "shoots at me", "tries to throw a grenade".
func (r *conditionReader) declares(f found, p int, not bool) (game.Condition, int, bool) {
	for {
		_, n := r.lx.at("intention", r.toks, p)
		if n == 0 || r.act(p).n >= n {
			break
		}
		p = r.fill(p + n)
	}
	a := r.act(p)
	if a.n == 0 {
		return game.Condition{}, p, false
	}
	c := game.Condition{Kind: "declares", Who: r.names(f), Act: a.name, Not: not}
	p = r.fill(p + a.n)
	// A thing that is thrown, drawn or used may be named.
	if a.name == "throw" || a.name == "draw" || a.name == "use" {
		q := p
		if _, n := r.lx.at("article", r.toks, q); n > 0 {
			q += n
		}
		for q < len(r.toks) && (r.toks[q].is("grenade") || r.toks[q].is("grenades") || r.toks[q].is("something") || r.toks[q].is("anything") || r.toks[q].is("weapon") || r.toks[q].is("gun") || r.toks[q].is("pistol") || r.toks[q].is("knife") || r.toks[q].is("it")) {
			q++
			p = q
		}
	}
	prep, k := "", 0
	if p < len(r.toks) {
		switch r.toks[p].text {
		case "at", "on", "for", "to", "towards", "toward", "upon", "into":
			prep, k = r.toks[p].text, 1
		case "away":
			prep, k = "away", 1
			if p+1 < len(r.toks) && r.toks[p+1].is("from") {
				k = 2
			}
		case "from":
			prep, k = "away", 1
		}
	}
	ref, g, n := r.place(p + k)
	if n > 0 {
		if ref.IsZero() || k == 0 && len(g.ids) == 0 && g.selector == "" {
			if k > 0 {
				return c, p, false
			}
			n = 0
		}
	}
	if n > 0 {
		if g.one() && r.lx.people[g.ids[0]].ID == r.lx.self {
			ref = game.To(game.Me)
		}
		c.Object = ref
		p += k + n
	} else if k > 0 && prep != "away" {
		return c, p, false
	} else if prep == "away" {
		p += k
	}
	if c.Act == "move" && prep != "" {
		c.Act = "move_toward"
		if prep == "away" {
			c.Act = "move_away"
		}
	}
	r.acts(f)
	p = r.fill(p)
	return c, p, r.ends(p)
}

// act is an act of somebody else as it was read.
type act struct {
	name string
	n    int
}

func (r *conditionReader) act(p int) act {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return act{}
	}
	var best act
	for _, f := range r.lx.forms[r.toks[p].text] {
		if f.tense == past {
			continue
		}
		for _, ph := range r.lx.phrases["acts"][f.base] {
			n := 1
			if len(ph.words) > 1 {
				k := wordsAt(ph.words[1:], r.toks, p+1)
				if k == 0 {
					continue
				}
				n += k
			}
			if n > best.n {
				best = act{ph.value, n}
			}
		}
	}
	return best
}

// own reads a test of the actor himself: what he sees, has, or can do.
func (r *conditionReader) own(p int) (game.Condition, int, bool) {
	not := false
	for p < len(r.toks) {
		p = r.fill(p)
		if p < len(r.toks) && (r.toks[p].is("not") || r.toks[p].is("never")) {
			not = !not
			p++
			continue
		}
		if p+1 < len(r.toks) && r.toks[p].is("no") && r.toks[p+1].is("longer") {
			not = !not
			p += 2
			continue
		}
		if p < len(r.toks) && (r.toks[p].is("can") || r.toks[p].is("do") || r.toks[p].is("could")) {
			p++
			continue
		}
		break
	}
	if _, n := r.lx.at("see", r.toks, p); n > 0 {
		f, k := r.person(p + n)
		if k == 0 || f.unknown || f.unsure || len(f.ids) > 1 {
			return game.Condition{}, p, false
		}
		r.mention(f)
		return game.Condition{Kind: "los", Who: r.names(f), Not: not}, p + n + k, true
	}
	if not && (p >= len(r.toks) || r.ends(p)) {
		return game.Condition{Kind: "impossible"}, p, true
	}
	if p >= len(r.toks) {
		return game.Condition{}, p, false
	}
	switch r.toks[p].text {
	case "have", "had", "has":
		op, v, q, ok := r.compare(p + 1)
		if !ok {
			return game.Condition{}, p, false
		}
		if _, n := r.lx.at("stamina", r.toks, q); n > 0 {
			return game.Condition{Kind: "sta", Object: game.To(game.Me), Op: op, Value: &v, Not: not}, r.leftover(q + n), true
		}
		n := r.bareShot(q)
		if _, k := r.lx.at("seu", r.toks, q); k > 0 {
			n = k
		}
		w, ok := r.current()
		if n == 0 || !ok {
			return game.Condition{}, p, false
		}
		return game.Condition{Kind: "ammo", Weapon: w, Op: op, Value: &v, Not: not}, r.leftover(q + n), true
	case "am", "run", "runs":
		if _, n := r.lx.at("empty", r.toks, p+1); n > 0 {
			w, ok := r.current()
			zero := 0
			return game.Condition{Kind: "ammo", Weapon: w, Op: "<=", Value: &zero, Not: not}, p + 1 + n, ok
		}
		q := r.fill(p + 1)
		if q < len(r.toks) && r.toks[q].is("not") {
			not = !not
			q++
		}
		if _, n := r.lx.at("down", r.toks, q); n > 0 {
			return game.Condition{Kind: "down", Object: game.To(game.Me), Not: not}, q + n, true
		}
	}
	return game.Condition{}, p, false
}

// leftover passes over "left" and "remaining".
func (r *conditionReader) leftover(p int) int {
	for p < len(r.toks) && (r.toks[p].is("left") || r.toks[p].is("remaining") || r.toks[p].is("in") || r.toks[p].is("it")) {
		p++
	}
	return p
}

// current is the weapon in hand.
func (r *conditionReader) current() (game.ID, bool) {
	if r.weapon != "" {
		return r.weapon, true
	}
	var id game.ID
	n := 0
	for _, e := range r.lx.things {
		if isRanged(e) && r.inHand(e) {
			id = e.ID
			n++
		}
	}
	return id, n == 1
}

// compare reads "fewer than 3", "at most 10", "10 or less", "below 5".
func (r *conditionReader) compare(p int) (op string, value, next int, ok bool) {
	p = r.fill(p)
	op, n := r.lx.at("op", r.toks, p)
	if n > 0 && r.toks[p].is("only") {
		op = "<="
	}
	v, k := r.number(p + n)
	if k == 0 || v%10 != 0 {
		return "", 0, p, false
	}
	next = p + n + k
	if n == 0 {
		op = "="
	}
	if next+1 < len(r.toks) && r.toks[next].is("or") {
		switch r.toks[next+1].text {
		case "less", "fewer", "lower", "under", "below":
			op = "<="
			next += 2
		case "more", "above", "higher":
			op = ">="
			next += 2
		}
	}
	return op, v / 10, next, true
}

// stamina reads "is below 10", "drops under 5".
func (r *conditionReader) stamina(object game.Ref, p int) (game.Condition, int, bool) {
	not := false
	for p < len(r.toks) {
		p = r.fill(p)
		_, n := r.lx.at("falls", r.toks, p)
		_, k := r.lx.at("comes", r.toks, p)
		n = max(n, k)
		if n == 0 && p < len(r.toks) && r.toks[p].is("not") {
			not, n = !not, 1
		}
		if n == 0 {
			break
		}
		p += n
	}
	if p < len(r.toks) && r.toks[p].is("to") {
		p++
	}
	op, v, q, ok := r.compare(p)
	if !ok {
		return game.Condition{}, p, false
	}
	if _, n := r.lx.at("stamina", r.toks, q); n > 0 {
		q += n
	}
	return game.Condition{Kind: "sta", Object: object, Op: op, Value: &v, Not: not}, q, true
}

// ammo reads "is empty", "has fewer than 3 shots left".
func (r *conditionReader) ammo(weapon game.ID, p int) (game.Condition, int, bool) {
	not := false
	for p < len(r.toks) && (r.toks[p].is("is") || r.toks[p].is("has") || r.toks[p].is("not") || r.toks[p].is("does") || r.toks[p].is("have") || r.toks[p].is("runs")) {
		not = not != r.toks[p].is("not")
		p++
	}
	if _, n := r.lx.at("empty", r.toks, p); n > 0 {
		zero := 0
		return game.Condition{Kind: "ammo", Weapon: weapon, Op: "<=", Value: &zero, Not: not}, p + n, true
	}
	op, v, q, ok := r.compare(p)
	if !ok {
		return game.Condition{}, p, false
	}
	n := r.bareShot(q)
	if _, k := r.lx.at("seu", r.toks, q); k > 0 {
		n = k
	}
	return game.Condition{Kind: "ammo", Weapon: weapon, Op: op, Value: &v, Not: not}, r.leftover(q + n), n > 0
}
