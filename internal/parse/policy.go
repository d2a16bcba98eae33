package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// defensive reports a clause about parries and dodges in a game that has
// policies for them: "I parry with the shield", "dodge arrows".
func (r *reader) defensive(c *clause) bool {
	if _, ok := r.lx.verbs["parry_policy"]; !ok {
		return false
	}
	_, n := r.lx.at("policy", r.toks, c.verbFrom)
	if n == 0 {
		return false
	}
	if v, _ := r.lx.at("policy", r.toks, c.verbFrom); v != "dodge_policy" || c.lemma.intent != "move" {
		return true
	}
	for p, end := c.p, r.skip(c.p); p < end; p++ {
		if _, k := r.lx.at("relation", r.toks, p); k > 0 {
			if ref, _, m := r.place(p + k); m > 0 && ref.ID != "" && r.isPlace(ref.ID) || ref.Square != nil {
				return false
			}
		}
		if _, k := r.lx.at("direction", r.toks, p); k > 0 {
			return false
		}
	}
	return true
}

// policyClause reads one clause of a policy.
func (r *reader) policyClause(c *clause, _ int) ([]node, bool) {
	end := r.skip(c.p)
	all := r.policies(c.verbFrom, end)
	c.p = end
	var nodes []node
	for _, in := range all {
		in.At = r.span(c.from, end)
		nodes = append(nodes, node{intent: in, told: c.told})
	}
	return nodes, len(nodes) > 0
}

// policySentence reads a sentence that is all about defence: "parry if my
// chance is 50 or better, else dodge if that is 40 or better, else take it".
// It is false if the sentence orders anything else.
func (r *reader) policySentence(p int) bool {
	if _, ok := r.lx.verbs["parry_policy"]; !ok {
		return false
	}
	found := false
	for q := p; q < len(r.toks); {
		if _, n := r.lx.at("policy", r.toks, q); n > 0 {
			found = true
			q += n
			continue
		}
		if r.toks[q].kind == speech {
			return false
		}
		if i, n, when := r.verbAt(q); n > 0 && when != past {
			switch r.lx.lemmas[i].intent {
			case "fire", "melee", "throw", "reload", "ready", "wrestle", "burst", "say":
				if _, _, quiet := r.policyNoise(q); !quiet {
					return false
				}
			case "move", "posture":
				if _, k := r.lx.at("relation", r.toks, q+n); k > 0 {
					return false
				}
			}
			q += n
			continue
		}
		q++
	}
	if !found {
		return false
	}
	list := r.policies(p, len(r.toks))
	if len(list) == 0 {
		return false
	}
	for _, in := range list {
		in.At = r.span(p, len(r.toks))
		r.out.Plan.Standing = append(r.out.Plan.Standing, game.Standing{Policy: &in})
	}
	return true
}

// policyNoise reports a word that looks like an order and, in talk of defence,
// is a noun or a purpose: "his blow", "ready to shoot".
func (r *reader) policyNoise(q int) (game.Intent, int, bool) {
	if q == 0 {
		return game.Intent{}, 0, false
	}
	prev := r.toks[q-1]
	_, art := r.lx.at("article", r.toks, q-1)
	return game.Intent{}, 0, art > 0 || prev.is("to") || prev.is("quick") || prev.is("melee") || prev.is("from") || prev.is("of") || prev.is("next") || prev.is("any") || prev.is("stay") || prev.is("be") || prev.is("keep") || prev.is("am") || prev.is("not")
}

// policies reads the policies of a stretch in their order.
func (r *reader) policies(p, end int) []game.Intent {
	var all []game.Intent
	var in game.Intent
	not, giveUp := false, false
	lead := game.Intent{}
	flush := func() {
		if in.Verb == "" {
			return
		}
		all = append(all, in)
		in = game.Intent{}
	}
	set := func(do func(*game.Intent)) {
		if in.Verb == "" {
			do(&lead)
		} else {
			do(&in)
		}
	}
	for q := p; q < end; {
		if v, n := r.lx.at("policy", r.toks, q); n > 0 {
			if in.Verb == v && v != "take_blow" {
				q += n
				continue
			}
			flush()
			in = lead
			in.Verb = v
			lead = game.Intent{}
			if not && v != "take_blow" {
				no := false
				in.Allow = &no
			}
			in.GiveUp = giveUp && v != "take_blow"
			q += n
			// "I won't dodge or parry": neither of them.
			not = not && q < end && (r.toks[q].is("or") || r.toks[q].is("nor"))
			continue
		}
		if _, n := r.lx.at("giveup", r.toks, q); n > 0 {
			giveUp = true
			if in.Verb != "" {
				in.GiveUp = true
			}
			q += n
			continue
		}
		t := r.toks[q]
		if t.is("not") || t.is("never") {
			// "Melee blows I don't dodge": what is not done stands behind.
			not = true
			q++
			continue
		}
		if t.is("but") || t.is("otherwise") || t.is("else") || t.is(";") {
			not = false
		}
		if v, n := r.lx.at("attackkind", r.toks, q); n > 0 {
			set(func(x *game.Intent) {
				if len(x.Against) == 0 || x.Against[0] == "all" {
					x.Against = game.Who{game.ID(v)}
				}
			})
			q += n
			continue
		}
		if _, n := r.lx.at("using", r.toks, q); n > 0 {
			if ids, k := r.thing(q+n, isArm); k > 0 && len(ids) == 1 {
				set(func(x *game.Intent) { x.Weapon = r.lx.things[ids[0]].ID })
				q += n + k
				continue
			}
		}
		if f, n := r.person(q); n > 0 && f.one() && !f.pronoun && r.lx.people[f.ids[0]].Relation != "self" {
			r.mention(f)
			id := r.lx.people[f.ids[0]].ID
			if in.Verb != "" && len(in.Against) == 0 {
				in.Against = game.Who{id}
			}
			q += n
			continue
		}
		if k, n := r.penalty(q); n > 0 {
			set(func(x *game.Intent) { x.MaxPenalty = k })
			q += n
			continue
		}
		if v, n := r.whole(q); n > 0 {
			k := q + n
			_, pc := r.lx.at("points", r.toks, k)
			k += pc
			if _, x := r.lx.at("orbetter", r.toks, k); x > 0 {
				set(func(y *game.Intent) { y.MinChance = v })
				q = k + x
				continue
			}
			if u, x := r.lx.at("timeunit", r.toks, k); x > 0 && u == "segment" {
				set(func(y *game.Intent) { y.MaxEarly = v })
				q = k + x
				continue
			}
			if q > p {
				if _, x := r.lx.at("atleast", r.toks, q-1); x > 0 || q > p+1 && r.chanceWord(q-2) {
					set(func(y *game.Intent) { y.MinChance = v })
				}
			}
			q = k
			continue
		}
		q++
	}
	flush()
	if n := len(all); n > 0 && len(all[n-1].Against) == 0 {
		all[n-1].Against = lead.Against
	}
	return all
}

func (r *reader) chanceWord(p int) bool {
	return p >= 0 && slices.Contains([]string{"least", "over", "above", "than", "minimum"}, r.toks[p].text)
}

// penalty reads "-30", "a penalty of 30", "up to 30 penalty", "minus 30".
func (r *reader) penalty(p int) (int, int) {
	t := r.toks[p]
	if t.kind == word && len(t.text) > 1 && t.text[0] == '-' {
		n, ok := r.lx.numberWord(t.text[1:])
		if ok {
			return n, 1
		}
	}
	if t.is("-") || t.is("minus") {
		if v, n := r.whole(p + 1); n > 0 {
			return v, n + 1
		}
	}
	q := p
	if _, n := r.lx.at("penaltyof", r.toks, q); n > 0 {
		q += n
		if q < len(r.toks) && (r.toks[q].is("-") || r.toks[q].is("minus")) {
			q++
		}
		if v, n := r.whole(q); n > 0 {
			return v, q + n - p
		}
		if v, n := r.penalty1(q); n > 0 {
			return v, q + n - p
		}
	}
	if v, n := r.whole(p); n > 0 && p+n < len(r.toks) && (r.toks[p+n].is("penalty") || r.toks[p+n].is("malus")) {
		return v, n + 1
	}
	return 0, 0
}

func (r *reader) penalty1(p int) (int, int) {
	if p < len(r.toks) && len(r.toks[p].text) > 1 && r.toks[p].text[0] == '-' {
		if n, ok := r.lx.numberWord(r.toks[p].text[1:]); ok {
			return n, 1
		}
	}
	return 0, 0
}
