package parse

import (
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// asideNumber passes over "(+15)" and "ROF 3", which the rules know themselves.
func (r *reader) asideNumber(p int) int {
	q := p
	open := r.toks[q].is("(")
	if open {
		q++
	}
	switch {
	case q < len(r.toks) && (r.toks[q].is("rof") || r.toks[q].is("rate")) && !open:
		q++
		if q+1 < len(r.toks) && r.toks[q].is("of") && r.toks[q+1].is("fire") {
			q += 2
		}
		if _, n := r.whole(q); n > 0 {
			return q + n - p
		}
		return 0
	case q+1 < len(r.toks) && (r.toks[q].is("+") || r.toks[q].is("-")) && r.toks[q+1].kind == number:
		q += 2
	case q < len(r.toks) && len(r.toks[q].text) > 1 && r.toks[q].text[0] == '-' && r.toks[q].kind == word && hasDigit(r.toks[q].text):
		q++
	default:
		return 0
	}
	if q < len(r.toks) && r.toks[q].is("%") {
		q++
	}
	if !open {
		return 0
	}
	if q < len(r.toks) && r.toks[q].is(")") {
		return q + 1 - p
	}
	return 0
}

// supplement reads what a sentence without verb or target adds to the shot
// before it: "One shot, dial 3." ok is false if it is nothing of the kind.
func (r *reader) supplement(p int) (end int, ok bool) {
	if len(r.nodes) == 0 || r.begun || r.conditional {
		return p, false
	}
	last := &r.nodes[len(r.nodes)-1]
	in := &last.intent
	if last.cond != nil || in.Verb != "fire" && in.Verb != "melee" && in.Verb != "throw" {
		return p, false
	}
	var s shot
	s.object = -1
	q := p
	opt := *in
	for q < len(r.toks) {
		if r.toks[q].kind == mark || r.toks[q].kind == newline || r.toks[q].is("and") {
			q++
			continue
		}
		if a := r.count(q); a.n > 0 && (a.noun || a.times || a.all) && s.amount.n == 0 && in.Verb == "fire" && last.shotless {
			s.amount = a
			q += a.n
			continue
		}
		if v, n := r.setting(q, false); n > 0 && s.setting.IsZero() && in.Verb == "fire" && in.Setting.IsZero() {
			s.setting = v
			q += n
			continue
		}
		if ids, n := r.thing(q, isRanged); n > 0 && in.Verb == "fire" && !s.named && len(ids) > 0 {
			one := slices.ContainsFunc(ids, func(i int) bool { return r.lx.things[i].ID == in.Weapon })
			s.weapons, s.named = ids, true
			if len(ids) > 1 && !one {
				return p, false
			}
			q += n
			q += r.dialAfter(&s, q)
			continue
		}
		if _, n := r.lx.at("aim", r.toks, q); n > 0 && in.Verb == "fire" {
			s.aim = true
			q += n
			continue
		}
		if n := r.option(in.Verb, &opt, q); n > 0 {
			q += n
			continue
		}
		if _, n := r.lx.at("filler", r.toks, q); n > 0 {
			q += n
			continue
		}
		return p, false
	}
	if in.Verb == "fire" {
		if s.named && len(s.weapons) == 1 {
			opt.Weapon = r.lx.things[s.weapons[0]].ID
		}
		switch {
		case s.amount.all:
			opt.Shots = max(r.rateOf(opt.Weapon), 1)
		case s.amount.n > 0:
			opt.Shots = s.amount.value
		}
		if s.amount.n > 0 {
			last.shotless = false
			last.ask = slices.DeleteFunc(last.ask, func(q game.Question) bool { return q.Kind == "shots" })
		}
		if !s.setting.IsZero() {
			opt.Setting = s.setting
		}
		if s.aim {
			opt.Aim = true
			last.ask = slices.DeleteFunc(last.ask, func(q game.Question) bool { return q.Kind == "shots" })
		}
	}
	*in = opt
	return q, true
}

func (r *reader) rateOf(id game.ID) int {
	for _, e := range r.lx.things {
		if e.ID == id && e.Thing != nil {
			return max(e.Rate, e.Thing.Rate)
		}
	}
	return 1
}

// listNumber passes over "(2)" or "(b)" before an order.
func (r *reader) listNumber(p int) int {
	if p+2 < len(r.toks) && r.toks[p].is("(") && r.toks[p+2].is(")") && (r.toks[p+1].kind == number || len(r.toks[p+1].text) == 1) {
		return 3
	}
	return 0
}

// leadingArm reads the weapons that stand before the subject: "With the rifle I
// shoot …".
func (r *reader) leadingArm(p int) ([]int, int) {
	if !r.toks[p].is("with") && !r.toks[p].is("using") && !r.toks[p].is("from") {
		return nil, 0
	}
	ids, n := r.bothThings(p)
	if n == 0 {
		ids, n = r.thing(p+1, isAttack)
		n++
	}
	if len(ids) == 0 {
		return nil, 0
	}
	q := p + n
	for q < len(r.toks) && r.toks[q].is(",") {
		q++
	}
	if n := r.count(q); n.times {
		// "With the rifle one time I shoot": the number belongs behind the verb
		if s, k := r.subjectAt(q + n.n); s == self || s == selfByName {
			if _, v, _ := r.verbAt(q + n.n + k); v > 0 {
				r.toks = slices.Concat(r.toks[:q], r.toks[q+n.n:q+n.n+k+v], r.toks[q:q+n.n], r.toks[q+n.n+k+v:])
				return ids, q - p
			}
		}
	}
	if s, _ := r.subjectAt(q); s != self && s != selfByName {
		return nil, 0
	}
	return ids, q - p
}

// leadOption is the length of a called shot or a snap at p, which look like verbs.
func (r *reader) leadOption(p int) int {
	if p >= len(r.toks) || !r.takes("fire", "called") {
		return 0
	}
	_, n := r.lx.at("calledword", r.toks, p)
	if _, k := r.location(p); k > 0 && p+k < len(r.toks) && r.toks[p+k].is("shot") {
		n = max(n, k+1)
	}
	if _, k := r.lx.at("snap", r.toks, p); k > n && p+k < len(r.toks) && !r.toks[p+k].is("off") {
		n = k
	}
	return n
}

// verbSlip is the order that a word which is none was meant for, behind "I'll"
// and before somebody: "I'll short the Yazirian". It is -1 if that is not clear.
func (r *reader) verbSlip(p int) int {
	if p >= len(r.toks) || r.toks[p].kind != word || len(r.toks[p].text) < 4 {
		return -1
	}
	if f, n := r.person(p + 1); n == 0 || f.unknown {
		return -1
	}
	found := ""
	for form, readings := range r.lx.forms {
		if distance(r.toks[p].text, form, 1) > 1 {
			continue
		}
		for _, v := range readings {
			if v.tense == base && r.strikes(v.base) {
				if found != "" && found != form {
					return -1
				}
				found = form
			}
		}
	}
	if found == "" {
		return -1
	}
	r.toks[p].text, r.toks[p].mended = found, true
	i, n, _ := r.verbAt(p)
	if n != 1 {
		return -1
	}
	return i
}

// strikes reports a verb that is done to somebody.
func (r *reader) strikes(base string) bool {
	for _, ph := range r.lx.table.verbs[base] {
		if i, err := strconv.Atoi(ph.value); err == nil && len(ph.words) == 1 {
			switch r.lx.lemmas[i].intent {
			case "fire", "melee", "wrestle":
				return r.lx.lemmas[i].set["need"] == ""
			}
		}
	}
	return false
}

// sameMan reads "same man again": the attack before, once more.
func (r *reader) sameMan(c *clause, p int) ([]node, bool) {
	_, n := r.lx.at("sametarget", r.toks, p)
	if n == 0 || !r.boundary(p+n) || r.target.IsZero() || r.lastVerb == "" {
		return nil, false
	}
	c.p = p + n
	in := game.Intent{Verb: r.lastVerb, Target: r.target, At: r.span(c.from, c.p)}
	s := shot{object: -1}
	switch r.lastVerb {
	case "throw":
		if !r.chooseMissile(c, s, &in) {
			return nil, true
		}
		return []node{{intent: in, attack: true}}, true
	case "fire":
		nodes, _ := r.makeShot(c, s)
		return nodes, true
	}
	in.Blows = 1
	if !r.chooseArm(c, s, false, &in) {
		return nil, true
	}
	return []node{{intent: in, attack: true}}, true
}
