package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// asBefore reads "as before", "same as last turn but at the Dralasite", "same
// again, dial 15": the plan of the last turn, with what is changed in it. It is
// false if the sentence at p is nothing of the kind.
func (r *reader) asBefore(p int) bool {
	for {
		_, n := r.lx.at("beforelead", r.toks, p)
		if n == 0 {
			break
		}
		p += n
	}
	_, n := r.lx.at("asbefore", r.toks, p)
	if n == 0 {
		if _, n = r.lx.at("onceagain", r.toks, p); n == 0 || p+n < len(r.toks) || len(r.nodes) > 0 {
			return false
		}
	}
	from := p
	p += n
	c := &clause{from: from, p: p, verbFrom: from}
	s := shot{object: -1}
	c.p = len(r.toks)
	for q := p; q < len(r.toks); {
		k := r.changed(&s, q)
		if k == 0 {
			r.fail(from, len(r.toks), "unparsed", "What is to be different this time was not understood, so nothing of it is done.", "Write: as before, but at <who>. Or write the orders in full.")
			return true
		}
		q += k
	}
	last := r.actor.View.Last
	if last == nil || last.Empty() {
		r.fail(from, len(r.toks), "no_previous", "You gave no orders last turn that could be repeated.", "Write the orders in full.")
		return true
	}
	if r.multi && !r.mine(nobody, from, c) {
		return true
	}
	plan := *last
	at := r.span(from, len(r.toks))
	target := game.Ref{}
	if s.object >= 0 {
		in := game.Intent{Verb: "fire"}
		if !r.chooseTarget(c, s, &in) {
			return true
		}
		if target = in.Target; in.Pending != "" {
			r.refuse(c, in.Pending, "Who is meant this time?", nil, "Write the whole name.")
			return true
		}
	}
	steps := r.changedSteps(plan.Steps, s, target)
	for _, in := range steps {
		in.At = at
		r.nodes = append(r.nodes, node{intent: in, attack: in.Verb == "fire"})
	}
	for _, x := range plan.Reactions {
		x.Do = r.changedSteps(x.Do, s, target)
		var then []node
		for _, in := range x.Do {
			then = append(then, node{intent: in})
		}
		if x.Slot == nil {
			r.nodes = append(r.nodes, node{cond: &branch{when: x.When, then: then, forced: "reaction", max: x.Max, until: x.Until, at: at}})
		}
	}
	r.tell(game.Problem{Severity: game.Noted, Kind: "as_before", Text: "These are your orders of the last turn.", Source: r.source[r.toks[from].at.Line], At: at})
	return true
}

// changed reads one change at q, or filler.
func (r *reader) changed(s *shot, q int) int {
	if r.toks[q].kind == mark || r.toks[q].kind == newline {
		return 1
	}
	if _, n := r.lx.at("butnow", r.toks, q); n > 0 {
		return n
	}
	if v, n := r.setting(q, true); n > 0 && s.setting.IsZero() {
		s.setting = v
		return n
	}
	if n := r.withoutStep(s, q); n > 0 {
		return n
	}
	if _, n := r.lx.at("aim", r.toks, q); n > 0 {
		s.aim = true
		return n
	}
	if a := r.count(q); a.n > 0 && (a.noun || a.times) && s.amount.n == 0 {
		s.amount = a
		return a.n
	}
	if ids, n := r.weaponAt(q); n > 0 && len(ids) == 1 && !s.named {
		s.weapons, s.named = ids, true
		return n
	}
	_, k := r.lx.at("target", r.toks, q)
	if f, n := r.person(q + k); n > 0 && s.object < 0 {
		s.target, s.object, s.from, s.to = f, q, q+k, q+k+n
		r.mention(f)
		return k + n
	}
	if _, n := r.lx.at("filler", r.toks, q); n > 0 {
		return n
	}
	return 0
}

// withoutStep reads "but don't crouch", "without reloading": a kind of step of
// the last plan that is left out this time.
func (r *reader) withoutStep(s *shot, p int) int {
	q := p
	for q < len(r.toks) && (r.toks[q].is("do") || r.toks[q].is("i") || r.toks[q].is("will")) {
		q++
	}
	if q >= len(r.toks) || !r.toks[q].is("not") && !r.toks[q].is("without") && !r.toks[q].is("no") || s.left != "" {
		return 0
	}
	k := q + 1
	if _, art := r.lx.at("article", r.toks, k); art > 0 {
		k += art
	}
	if _, n := r.lx.at("aim", r.toks, k); n > 0 && k+n == len(r.toks) {
		s.unaimed = true // "without the careful aim"
		return k + n - p
	}
	i, n, _ := r.verbAt(q + 1)
	last := r.actor.View.Last
	if n == 0 || last == nil || q+1+n < len(r.toks) {
		return 0
	}
	intent := r.lx.lemmas[i].intent
	if !slices.ContainsFunc(last.Steps, func(in game.Intent) bool { return in.Verb == intent }) {
		return 0
	}
	s.left = intent
	return q + 1 + n - p
}

// changedSteps are steps of the last plan with the changes made.
func (r *reader) changedSteps(steps []game.Intent, s shot, target game.Ref) []game.Intent {
	var all []game.Intent
	for _, in := range steps {
		if in.Pending = ""; in.Verb == s.left {
			continue
		}
		if in.Verb == "if" {
			in.Then, in.Else = r.changedSteps(in.Then, s, target), r.changedSteps(in.Else, s, target)
			all = append(all, in)
			continue
		}
		if !target.IsZero() && !in.Target.IsZero() && in.Verb != "face" {
			in.Target = target
		}
		if !target.IsZero() && len(in.Targets) > 0 {
			in.Targets = []game.Ref{target}
		}
		if in.Verb == "fire" {
			if !s.setting.IsZero() {
				in.Setting = s.setting
			}
			if s.amount.n > 0 && !s.amount.all {
				in.Shots = s.amount.value
			}
			if s.named {
				in.Weapon = r.lx.things[s.weapons[0]].ID
			}
			in.Aim = (in.Aim || s.aim) && !s.unaimed
		}
		all = append(all, in)
	}
	return all
}

// keepBack reads an attack that is not made before something: "I don't shoot
// unless one of them shoots first", "don't loose until I have the full +50".
func (r *reader) keepBack(c *clause) ([]node, int, bool) {
	intent := c.lemma.intent
	if intent != "fire" && intent != "melee" && intent != "wait" {
		return nil, 0, false
	}
	e := r.skip(c.p)
	for q := c.p; q < len(r.toks) && q <= e; q++ {
		_, until := r.lx.at("until", r.toks, q)
		lead, cond := r.lx.at("condition", r.toks, q)
		if until == 0 && (cond == 0 || lead != "unless") {
			continue
		}
		n := max(until, cond)
		var s shot
		s.object = -1
		if intent != "wait" && !r.blowOrShot(c, &s, q) {
			return nil, 0, false
		}
		if until > 0 {
			if nodes, end, ok := r.whenSet(c, s, q+n); ok {
				return nodes, end, true
			}
		}
		cr := conditionReader{reader: r}
		when, end, ok := cr.either(q + n)
		if !ok || end < len(r.toks) && !cr.ends(end) {
			return nil, 0, false
		}
		if until > 0 && end < len(r.toks) {
			return nil, 0, false
		}
		w := node{intent: game.Intent{Verb: "wait", At: r.span(c.from, q)}}
		trigger, conditional := r.trigger, r.conditional
		r.trigger, r.conditional = cr.who, true
		if s.object < 0 && cr.who == nil {
			r.trigger, r.conditional = trigger, conditional
			return nil, 0, false
		}
		nodes, made := r.makeShot(c, s)
		r.trigger, r.conditional = trigger, conditional
		if !made {
			return nil, max(end, c.p), true
		}
		b := &branch{when: when, then: nodes, moving: cr.moving, forced: "reaction", loose: true, at: r.span(q, end)}
		r.lastWhen, r.lastMoving, r.lastTrigger = &b.when, true, cr.who
		return []node{w, {cond: b}}, end, true
	}
	return nil, 0, false
}

// blowOrShot reads what stands between the verb and the condition at end: whom
// the attack is for, and with what.
func (r *reader) blowOrShot(c *clause, s *shot, end int) bool {
	for p := c.p; p < end; {
		n := r.shotPart(c, s, p, false)
		if n == 0 {
			if _, k := r.lx.at("filler", r.toks, p); k > 0 {
				n = k
			}
		}
		if n == 0 || p+n > end {
			return false
		}
		p += n
	}
	return true
}

// whenSet reads the time of a set attack at p: "I have the full +50".
func (r *reader) whenSet(c *clause, s shot, p int) ([]node, int, bool) {
	if _, ok := r.lx.verbs["set_attack"]; !ok {
		return nil, 0, false
	}
	end := r.skip(p)
	for q := p; q < end; q++ {
		if n := r.timing("set_attack", &s.opt, q); n > 0 {
			if s.object < 0 && r.target.IsZero() && r.pending.target.IsZero() {
				r.target = r.aimedAt
			}
			nodes, ok := r.makeShot(c, s)
			if !ok {
				return nil, max(c.p, end), true
			}
			return nodes, end, true
		}
	}
	return nil, 0, false
}

// asks about a state and what follows it: "Is Tolk down? Then I shoot the other.
// If not, I shoot Tolk." becomes "if Tolk is down, I …".
func (r *reader) askedIf(question, answer []token) ([]token, bool) {
	if len(question) < 3 || len(answer) == 0 || !slices.ContainsFunc([]string{"is", "are", "has", "does", "do", "can"}, question[0].is) {
		return nil, false
	}
	toks := r.toks
	defer func() { r.toks = toks }()
	r.toks = answer
	n := 0
	if answer[0].is("then") {
		n = 1
	} else if _, n = r.lx.at("ifso", answer, 0); n == 0 {
		return nil, false
	}
	r.toks = question
	_, k := r.person(1)
	if k == 0 || 1+k >= len(question) {
		return nil, false
	}
	if i := 1 + k; i < len(question) && question[0].is("is") || question[0].is("are") || question[0].is("has") {
		lead := token{kind: word, text: "if", raw: "if", at: question[0].at}
		comma := token{kind: mark, text: ",", raw: ",", at: answer[0].at}
		out := append([]token{lead}, question[1:i]...)
		out = append(out, question[0])
		out = append(out, question[i:]...)
		out = append(out, comma)
		return append(out, answer[n:]...), true
	}
	return nil, false
}
