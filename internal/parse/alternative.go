package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// alternatives reads a condition that only names who is next: "If he's down:
// Dunstan, then the young one". It changes the attack before it, which is the
// last of nodes, or of the letter if there are none. ok is false if it is nothing
// of the kind; then nothing has changed.
func (r *reader) alternatives(p int, lead string, nodes []node) (end int, ok bool) {
	all := nodes
	if len(all) == 0 && !r.begun {
		all = r.nodes
	}
	if len(all) == 0 || lead == "unless" {
		return p, false
	}
	last := &all[len(all)-1]
	in := &last.intent
	if last.cond != nil || !last.attack || in.Pending != "" || in.Target.ID == "" || len(in.Alt) > 0 {
		return p, false
	}
	named := slices.Clone(r.named)
	defer func() {
		if !ok {
			r.named = named
		}
	}()
	cr := conditionReader{reader: r}
	when, q, read := cr.either(p)
	if !read || len(when.And)+len(when.Or) > 0 || !r.goneTarget(when, in.Target) {
		return p, false
	}
	refs, end := r.nextTargets(q)
	if len(refs) == 0 || end < len(r.toks) {
		return p, false
	}
	if r.takes(in.Verb, "alt") {
		in.Alt = refs
		return end, true
	}
	if len(refs) > 1 {
		return p, false
	}
	next := last.calm()
	next.intent.Target = refs[0]
	at := r.span(p, end)
	*last = node{cond: &branch{when: when, then: []node{next}, els: []node{*last}, forced: "step", at: at}}
	return end, true
}

// goneTarget reports a condition that says no more than that a target cannot be
// attacked any longer.
func (r *reader) goneTarget(c game.Condition, target game.Ref) bool {
	switch c.Kind {
	case "impossible":
		return !c.Not
	case "down":
		return !c.Not && c.Object == target
	case "los":
		return c.Not && len(c.Who) == 1 && c.Who[0] == target.ID
	}
	return false
}

// nextTargets reads a list of targets in their order from p on, none of them with
// a verb of its own: ": Dunstan, then the young one".
func (r *reader) nextTargets(p int) ([]game.Ref, int) {
	var refs []game.Ref
	for p < len(r.toks) {
		if r.toks[p].kind == mark || r.toks[p].kind == newline {
			p++
			continue
		}
		if _, n := r.lx.at("nexttarget", r.toks, p); n > 0 {
			p += n
			continue
		}
		f, n := r.person(p)
		if n == 0 || !f.one() || f.friend || f.unknown || f.pronoun {
			return refs, p
		}
		refs = append(refs, game.To(r.lx.people[f.ids[0]].ID))
		r.mention(f)
		p += n
	}
	return refs, p
}

// instead reads "otherwise Grunmar": the attack that stands before it, at somebody
// else. ok is false if it is anything more.
func (r *reader) instead(then []node, p int) (els []node, end int, ok bool) {
	if len(then) != 1 || then[0].cond != nil || !then[0].attack || then[0].intent.Target.ID == "" || then[0].intent.Pending != "" {
		return nil, p, false
	}
	refs, end := r.nextTargets(p)
	if len(refs) != 1 || end < len(r.toks) {
		return nil, p, false
	}
	n := then[0].calm()
	n.intent.Target = refs[0]
	return []node{n}, end, true
}

// alternative reads ", alternatively at Dunstan" behind an attack, if this game's
// verb has other targets in order.
func (r *reader) alternative(verb string, in *game.Intent, p int) int {
	if !r.takes(verb, "alt") {
		return 0
	}
	q := p
	for q < len(r.toks) && r.toks[q].is(",") {
		q++
	}
	_, k := r.lx.at("alternatively", r.toks, q)
	if k == 0 {
		return 0
	}
	f, n := r.person(q + k)
	if n == 0 || !f.one() || f.friend || f.unknown {
		return 0
	}
	r.mention(f)
	in.Alt = append(in.Alt, game.To(r.lx.people[f.ids[0]].ID))
	return q + k + n - p
}

// attribute reads how an attribute is used: "AGI on the draw only", "no PER",
// "STR to damage". What none is said of is as the rules have it.
func (r *reader) attribute(verb string, in *game.Intent, p int) int {
	q := p
	none := false
	if r.toks[q].is("no") || r.toks[q].is("without") {
		none = true
		q++
	}
	field, n := r.lx.at("attribute", r.toks, q)
	if n == 0 || !r.takes(verb, field) {
		return 0
	}
	to := map[string]*string{"agi": &in.Agi, "per": &in.Per, "str": &in.Str}[field]
	if *to != "" {
		return 0
	}
	q += n
	if none {
		*to = "none"
		return q - p
	}
	for q < len(r.toks) && (r.toks[q].is("to") || r.toks[q].is("on") || r.toks[q].is("for") || r.toks[q].is("the") || r.toks[q].is(":") || r.toks[q].is("=")) {
		q++
	}
	value, k := r.lx.at("attributeuse", r.toks, q)
	if k == 0 || !slices.Contains(map[string][]string{"agi": {"both", "draw", "speed", "none"}, "per": {"range", "none"}, "str": {"range", "damage", "none"}}[field], value) {
		return 0
	}
	*to = value
	return q + k - p
}

// prefers reads whom somebody would rather attack: "prefer Zog, then the nearest".
func (r *reader) prefers(c *clause, _ int) ([]node, bool) {
	var order []game.ID
	p := c.p
	for p < len(r.toks) {
		if r.toks[p].kind == mark && !r.toks[p].is("(") || r.toks[p].kind == newline || r.toks[p].is("and") {
			p++
			continue
		}
		if _, n := r.lx.at("nexttarget", r.toks, p); n > 0 {
			p += n
			continue
		}
		if v, n := r.lx.at("preference", r.toks, p); n > 0 {
			order = append(order, game.ID(v))
			p += n
			continue
		}
		f, n := r.person(p)
		if n == 0 || !f.one() || f.friend || f.unknown {
			break
		}
		order = append(order, r.lx.people[f.ids[0]].ID)
		r.mention(f)
		p += n
	}
	c.p = p
	if len(order) == 0 || p < len(r.toks) && !r.boundary(p) {
		return nil, r.reject(c, "Whom you would rather attack was not understood.") || r.hint("Write: prefer <who>, then <who>, then the nearest (weakest, most dangerous, wounded).")
	}
	in := game.Intent{Verb: "prefer", Order: order, At: r.span(c.from, p)}
	r.out.Plan.Standing = append(r.out.Plan.Standing, game.Standing{Policy: &in})
	return nil, true
}
