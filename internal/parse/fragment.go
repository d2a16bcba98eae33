package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

func isAttack(e entity) bool { return isArm(e) || isMissile(e) || isShell(e) }

// fragment reads an attack that has no verb.
func (r *reader) fragment(c *clause, p int) ([]node, int) {
	c.lemma, c.verbless = lemma{words: []string{"fire"}, intent: "fire", set: map[string]string{}}, true
	if ids, n := r.bothThings(p); n > 0 {
		c.weapons, c.p = ids, p+n
		for c.p < len(r.toks) && (r.toks[c.p].is(",") || r.toks[c.p].is(":")) {
			c.p++
		}
	} else if ids, n := r.thing(p, isAttack); n > 0 {
		fits := func(keep func(entity) bool) bool {
			return slices.ContainsFunc(ids, func(i int) bool { return keep(r.lx.things[i]) })
		}
		end := p + n
		for end < len(r.toks) && (r.toks[end].is(",") || r.toks[end].is(":") || r.toks[end].is("->")) {
			end++
		}
		switch {
		case fits(isLauncher) && !fits(func(e entity) bool { return isRanged(e) && !isLauncher(e) }), fits(isShell):
		case fits(isMelee) && !fits(isGrenade) && !fits(isRanged) && r.withinReach(end):
			c.lemma, c.weapons, c.p = lemma{words: []string{"strike"}, intent: "melee", set: map[string]string{}}, ids, end
		case fits(isGrenade), fits(isMissile) && !fits(isRanged) && r.lx.verbs["throw"].Name != "":
			c.lemma = lemma{words: []string{"throw"}, intent: "throw", set: map[string]string{}}
			if end > p+n {
				c.weapons, c.p = ids, end
			}
		case fits(isMelee) && !fits(isRanged):
			c.lemma = lemma{words: []string{"strike"}, intent: "melee", set: map[string]string{}}
			if end > p+n {
				c.weapons, c.p = ids, end
			}
		case end > p+n && fits(isRanged):
			c.weapons, c.p = ids, end
		}
	}
	c.verbFrom = c.p
	return r.order(c, 0)
}

// withinReach reports that somebody is named at p, without "at", who stands near
// enough for a blow: "dagger Grunmar" is one then.
func (r *reader) withinReach(p int) bool {
	f, n := r.person(p)
	if n == 0 || !f.one() || f.unknown {
		return false
	}
	s := r.lx.people[f.ids[0]].Sight
	return s != nil && s.Distance <= reach
}

// reach is how far away somebody may stand for a blow, in metres, where a text
// could mean a throw as well.
const reach = 2

// bareOrder reads orders that are no attack and have no verb: "behind the cart",
// "stunner to blast", "to the rocks".
func (r *reader) bareOrder(c *clause, p int) doer {
	if _, n := r.lx.at("relation", r.toks, p); n > 0 && r.begun || n > 0 && r.toks[p].is("behind") {
		if ref, _, k := r.place(p + n); k > 0 && !ref.IsZero() && (ref.Square != nil || r.isPlace(ref.ID)) && r.lx.verbs["move"].Name != "" && r.boundary(p+n+k) {
			c.lemma, c.p, c.verbFrom = lemma{words: []string{"move"}, intent: "move", set: map[string]string{}}, p, p
			return (*reader).move
		}
	}
	if ids, n := r.thing(p, isScreen); n > 0 && len(ids) == 1 && isScreen(r.lx.things[ids[0]]) && p+n < len(r.toks) && (r.toks[p+n].is("on") || r.toks[p+n].is("off")) && r.boundary(p+n+1) && r.lx.verbs["set"].Name != "" {
		c.lemma, c.p, c.verbFrom = lemma{words: []string{"set"}, intent: "set", set: map[string]string{}}, p, p
		return func(r *reader, c *clause, _ int) ([]node, bool) { return r.switching(c) }
	}
	if r.toks[p].is("down") && r.boundary(p+1) && r.lx.verbs["posture"].Name != "" {
		c.lemma, c.p, c.verbFrom = lemma{words: []string{"duck"}, intent: "posture", set: map[string]string{"posture": "crouch"}}, p+1, p
		return (*reader).posture
	}
	if action, n := r.drawnOut(p); n > 0 && r.lx.verbs["ready"].Name != "" {
		c.lemma = lemma{words: []string{"draw"}, intent: "ready", set: map[string]string{"action": action}}
		c.p, c.verbFrom = p, p
		return func(r *reader, c *clause, depth int) ([]node, bool) {
			end := p + n
			r.toks[end] = token{kind: mark, text: ",", at: r.toks[end].at} // the particle is read
			nodes, ok := r.readyThing(c, depth)
			return nodes, ok
		}
	}
	if ids, n := r.thing(p, isHelp); n > 0 && slices.ContainsFunc(ids, func(i int) bool { return isHelp(r.lx.things[i]) }) && p+n < len(r.toks) && (r.toks[p+n].is("on") || r.toks[p+n].is("->") || r.toks[p+n].is("@") || r.toks[p+n].is("for") || r.toks[p+n].is("to") || r.toks[p+n].is("into")) && r.lx.verbs["use"].Name != "" {
		if f, k := r.person(p + n + 1); k > 0 && !f.unknown {
			c.lemma, c.p, c.verbFrom = lemma{words: []string{"use"}, intent: "use", set: map[string]string{}}, p, p
			return (*reader).use
		}
	}
	if n := r.oneBlow(p); n > 0 && r.lx.verbs["melee"].Name != "" && r.isTarget(p+n) {
		c.lemma, c.p, c.verbFrom = lemma{words: []string{"strike"}, intent: "melee", set: map[string]string{}}, p+n, p+n
		return (*reader).melee
	}
	if _, n := r.whole(p); n > 0 && r.lx.verbs["melee"].Name != "" {
		if _, k := r.lx.at("blows", r.toks, p+n); k > 0 && r.bareShot(p+n) == 0 && r.isTarget(p+n+k) {
			c.lemma, c.p, c.verbFrom, c.verbless = lemma{words: []string{"strike"}, intent: "melee", set: map[string]string{}}, p, p, true
			return (*reader).melee
		}
	}
	if _, n := r.mode(p); n > 0 && r.boundary(p+n) && r.lx.verbs["set"].Name != "" {
		c.lemma, c.p, c.verbFrom, c.verbless = lemma{words: []string{"set"}, intent: "set", set: map[string]string{}}, p, p, true
		return (*reader).set
	}
	if ids, n := r.thing(p, isArm); n > 0 && len(ids) > 0 && p+n < len(r.toks) && r.lx.verbs["set"].Name != "" {
		q := p + n
		_, m := r.mode(q)
		_, k := r.setting(q, true)
		if x := max(m, k); x > 0 && r.boundary(q+x) {
			c.lemma, c.p, c.verbFrom, c.verbless = lemma{words: []string{"set"}, intent: "set", set: map[string]string{}}, p, p, true
			return (*reader).set
		}
	}
	return nil
}

// oneBlow reads "a stab", "just an ordinary blow".
func (r *reader) oneBlow(p int) int {
	if p >= len(r.toks) || !r.toks[p].is("a") && !r.toks[p].is("an") {
		return 0
	}
	k, _ := r.qualities(p + 1)
	if _, n := r.lx.at("blows", r.toks, p+1+k); n > 0 && r.bareShot(p+1+k) == 0 {
		return 1 + k + n
	}
	return 0
}

// looksLikeShot reports a stretch without a verb that holds both a number of
// shots, or the actor's weapon, and a target.
func (r *reader) looksLikeShot(p int) bool {
	count, target, lead := false, false, -1
	noun := false
	area := false // what may be sent at a place
	for q := p; q < len(r.toks); {
		if q > p && r.boundary(q) && !(q == lead && (r.toks[q].is(",") || r.toks[q].is(":"))) {
			break
		}
		if c := r.count(q); c.n > 0 && (c.noun || c.times || q == p && r.isTarget(q+c.n)) {
			count = true
			noun = noun || c.noun
			q += c.n
			continue
		}
		if n := r.asideNumber(q); n > 0 {
			q += n
			continue
		}
		if _, n := r.bothThings(q); n > 0 && q == p {
			q += n
			lead, count = q, true
			continue
		}
		if ids, n := r.thing(q, isAttack); n > 0 && (q == p || lead == q-1 || lead == q) && slices.ContainsFunc(ids, func(i int) bool { return isAttack(r.lx.things[i]) }) {
			area = slices.ContainsFunc(ids, func(i int) bool {
				e := r.lx.things[i]
				return isGrenade(e) || isShell(e) || isLauncher(e)
			})
			q += n
			lead = q // the weapon may stand before the shot, with a comma
			count = true
			if r.trigger != nil && r.boundary(q) {
				return true
			}
			continue
		}
		if _, n := r.lx.at("aim", r.toks, q); n > 0 || q == p && r.bareShot(q) > 0 {
			count = true
		}
		if _, n := r.lx.at("burst", r.toks, q); n > 0 && r.burstVerb() != "" {
			count, area = true, true
			q += n
			continue
		}
		if n := r.option("fire", &game.Intent{}, q); n > 0 && q == p {
			count = true
			q += n
			continue
		}
		if _, k := r.lx.at("relation", r.toks, q); k > 0 && area {
			if _, _, n := r.place(q + k); n > 0 {
				target = true
			}
		}
		if _, n := r.lx.at("target", r.toks, q); n > 0 && count && q+n < len(r.toks) && r.toks[q+n].kind == word {
			target = true // known or not: the shot says which
		}
		if _, n := r.person(q); n > 0 {
			target = true
			q += n
			continue
		}
		q++
	}
	return count && (target || r.trigger != nil && noun)
}
