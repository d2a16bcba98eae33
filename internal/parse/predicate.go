package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// predicate reads what is tested of a person.
func (r *conditionReader) predicate(f found, p int) (game.Condition, int, bool) {
	r.subject = &f
	is, not := r.state, false
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
	r.reader.lastNot = not
	if p >= len(r.toks) {
		return game.Condition{}, p, false
	}
	if _, n := r.lx.at("visible", r.toks, p); n > 0 {
		return game.Condition{Kind: "los", Who: r.names(f), Not: not}, p + n, true
	}
	if _, n := r.lx.at("unseen", r.toks, p); n > 0 && (is || n > 1) {
		return game.Condition{Kind: "los", Who: r.names(f), Not: !not}, p + n, true
	}
	if c, q, ok := r.near(f, p, not, is || from < p); ok {
		return c, q, true
	}
	if c, q, ok := r.happening(f, p, not, is); ok {
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
	if c, n := r.asNear(f, p); n > 0 && state && !moves {
		c.Not = c.Not != not
		r.acts(f)
		return c, p + n, true
	}
	_, n := r.lx.at("nearer", r.toks, p)
	far := false
	if _, k := r.lx.at("armsreach", r.toks, p); k > 0 && n == 0 {
		d, k := r.armsReach(p) // "reaches me"
		p += k
		r.acts(f)
		r.moving = true
		return game.Condition{Kind: "within", Who: r.names(f), Distance: &d, Of: game.To(game.Me), Not: not}, p, true
	}
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
		if d, k = r.armsReach(p + n); k == 0 {
			return game.Condition{}, p, false
		}
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

// asNear reads "closer", "that close", "farther away" by themselves: the distance
// is that of the condition before.
func (r *conditionReader) asNear(f found, p int) (c game.Condition, n int) {
	for _, far := range []string{"", "far"} {
		_, n = r.lx.at("as"+far+"near", r.toks, p)
		if n == 0 || !r.ends(r.fill(p+n)) || r.lastWhen == nil || r.lastWhen.Kind != "within" || len(r.lastWhen.And)+len(r.lastWhen.Or) > 0 || !slices.Equal(r.lastWhen.Who, r.names(f)) {
			continue
		}
		c = *r.lastWhen
		c.Not = far != ""
		return c, n
	}
	return c, 0
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
		if end := q; q > p {
			// "draws his long bow": what it is makes no difference
			for end < len(r.toks) && end < q+3 && r.toks[end].kind == word && !r.ends(end) {
				end++
			}
			if a.name == "draw" && end > q && r.ends(end) {
				p, q = end, end
			}
		}
		for q < len(r.toks) && (r.toks[q].is("grenade") || r.toks[q].is("grenades") || r.toks[q].is("something") || r.toks[q].is("anything") || r.toks[q].is("weapon") || r.toks[q].is("gun") || r.toks[q].is("pistol") || r.toks[q].is("knife") || r.toks[q].is("it")) {
			q++
			p = q
		}
	}
	prep, k := "", 0
	if p < len(r.toks) {
		switch r.toks[p].text {
		case "at", "on", "for", "to", "towards", "toward", "upon", "into", "near":
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
	case "get", "take":
		if c, q, ok := r.happening(r.selfRef(), p, not, false); ok {
			return c, q, true
		}
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
		if c, q, ok := r.happening(r.selfRef(), q, not, true); ok {
			return c, q, true
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

// armsReach reads "reach", "striking distance", "reaches me": two of the units in
// which the game measures, or one square where that is less.
func (r *conditionReader) armsReach(p int) (game.Distance, int) {
	_, n := r.lx.at("armsreach", r.toks, p)
	return game.Distance{Tenths: 20, Unit: r.unit()}, n
}
