package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// defensive reports a clause about parries and dodges in a game that has
// policies for them: "I parry with the shield", "dodge arrows".
func (r *reader) defensive(c *clause) bool {
	if _, ok := r.lx.verbs["parry_policy"]; !ok {
		return false
	}
	v, _, n := r.policyAt(c.verbFrom)
	if n == 0 {
		return false
	}
	if v != "dodge_policy" || c.lemma.intent != "move" {
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
	if q := r.policyLimit(c.verbFrom, end); q >= 0 {
		c.p = end
		return nil, r.reject(c, fmt.Sprintf("“%s” is a limit that parries and dodges do not know here, so this is not done.", r.toks[q].text))
	}
	all, _, ok := r.policies(c.verbFrom, end)
	c.p = end
	if !ok {
		return nil, false
	}
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
		if _, n := r.lx.at("keepset", r.toks, q); n > 0 {
			found = true
			q += n
			continue
		}
		if _, _, n := r.policyAt(q); n > 0 {
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
	if q := r.policyLimit(p, len(r.toks)); q >= 0 {
		r.fail(p, len(r.toks), "policy_unclear", fmt.Sprintf("“%s” is a limit that parries and dodges do not know here, so this is not done.", r.toks[q].text),
			"Write against what and at what cost: parry melee blows with the shield at up to -30; dodge arrows if my chance is 40 or better")
		return true
	}
	list, usual, ok := r.policies(p, len(r.toks))
	if !ok {
		return true
	}
	if len(list) == 0 && usual {
		r.tell(game.Problem{Severity: game.Noted, Kind: "as_usual", Text: "An attack of yours is kept for a parry or a dodge unless you write “even if it costs my attack”; this changes nothing.",
			Source: r.source[r.toks[p].at.Line], At: r.span(p, len(r.toks))})
		return true
	}
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
	return game.Intent{}, 0, art > 0 || prev.is("to") || prev.is("quick") || prev.is("melee") || prev.is("from") || prev.is("of") || prev.is("next") || prev.is("any") || prev.is("stay") || prev.is("be") || prev.is("keep") || prev.is("am") || prev.is("not") || prev.is("whoever") || prev.is("who")
}

// policyLimit finds a word that narrows a policy in a way that there is not; -1
// for none. What chats beside a policy is passed over, what limits it is not.
func (r *reader) policyLimit(p, end int) int {
	for q := p; q < end; q++ {
		if _, n := r.lx.at("policylimit", r.toks, q); n == 0 {
			continue
		}
		if _, k := r.kind(q + 1); r.toks[q].is("only") && q+1 < end && k == 0 {
			_, lead := r.condLead(q + 1)
			_, using := r.lx.at("using", r.toks, q+1)
			_, _, again := r.policyAt(q + 1)
			f, who := r.person(q + 1)
			if lead == 0 && using == 0 && again == 0 && (who == 0 || !f.one()) {
				return q
			}
		} else if !r.toks[q].is("only") {
			return q
		}
	}
	return -1
}

// kind reads a kind of attack: "melee blows", "arrows", "daggers".
func (r *reader) kind(p int) (game.ID, int) {
	if v, n := r.lx.at("attackkind", r.toks, p); n > 0 {
		return game.ID(v), n
	}
	if p >= len(r.toks) {
		return "", 0
	}
	v, n := longest(r.lx.kinds[possessive(r.toks[p].text)], r.toks, p)
	return game.ID(v), n
}

// spared reads what a set attack is not lost for, behind the words for that: "for
// a dagger", "to daggers or spears".
func (r *reader) spared(p, end int) (game.Who, int) {
	var who game.Who
	q := p
	for q < end {
		if k, n := r.kind(q); n > 0 {
			if k != "all" && !slices.Contains(who, k) {
				who = append(who, k)
			}
			q += n
			continue
		}
		_, art := r.lx.at("article", r.toks, q)
		if art == 0 && !slices.ContainsFunc([]string{"for", "to", "over", "against", "because", "of", "any", "some", "mere", "or", "and", "by"}, r.toks[q].is) {
			break
		}
		q += max(art, 1)
	}
	if len(who) == 0 {
		return nil, 0
	}
	return who, q - p
}

// policies reads the policies of a stretch in their order. usual: it says that
// something is not to be done which is not done anyway. ok is false if something in
// it might turn it around: that has been reported, and nothing of it holds.
func (r *reader) policies(p, end int) (all []game.Intent, usual, ok bool) {
	doubt := -1             // a condition of which nothing has been understood yet
	var first []game.Intent // what comes before all others
	var in game.Intent
	not, giveUp, chained := false, false, false
	lead := game.Intent{}
	flush := func() {
		if in.Verb == "" {
			return
		}
		if in.Verb == "take_blow" && !chained && len(in.Against) == 1 && !slices.Contains(broadKinds, in.Against[0]) {
			first = append(first, in) // "parry swords, ignore daggers": the narrower one counts
		} else {
			all = append(all, in)
		}
		in, chained = game.Intent{}, false
	}
	set := func(do func(*game.Intent)) {
		doubt = -1
		if in.Verb == "" {
			do(&lead)
		} else {
			do(&in)
		}
	}
	for q := p; q < end; {
		if v, n := r.lx.at("keepset", r.toks, q); n > 0 {
			q += n
			switch who, k := r.spared(q, end); {
			case in.Verb == "take_blow" && k == 0:
				in.KeepSet = true
			case not || v == "keep":
				first = append(first, game.Intent{Verb: "take_blow", Against: who, KeepSet: true})
				not = false
				q += k
			}
			continue
		}
		if v, form, n := r.policyAt(q); n > 0 {
			if in.Verb == v && v != "take_blow" && len(form) == 0 && !not {
				q += n
				continue
			}
			if doubt >= 0 && in.Verb != "" {
				return nil, false, r.doubtful(p, end, doubt)
			}
			doubt = -1 // "if I am attacked, dodge": that is what a policy is for
			after := q > p && (r.toks[q-1].is("otherwise") || r.toks[q-1].is("else") || q > p+1 && (r.toks[q-2].is("otherwise") || r.toks[q-2].is("else")))
			flush()
			in, chained = lead, after
			in.Verb = v
			apply(&in, form)
			lead = game.Intent{}
			in.GiveUp = giveUp && v != "take_blow"
			q += n
			if _, k := r.lx.at("policyover", r.toks, q); k > 0 && !(q+k < end && r.toks[q+k].is("than")) {
				not = true
				q += k
			}
			if not && v != "take_blow" {
				no := false
				in.Allow = &no
			}
			// "I won't dodge or parry": neither of them.
			not = not && q < end && (r.toks[q].is("or") || r.toks[q].is("nor"))
			continue
		}
		if _, n := r.lx.at("giveup", r.toks, q); n > 0 && not {
			// "never give up my attack for a parry": so it is.
			not, usual = false, true
			q += n
			if q < end && (r.toks[q].is("for") || r.toks[q].is("to")) {
				for q++; q < end; q++ {
					if _, art := r.lx.at("article", r.toks, q); art > 0 || r.toks[q].is("or") {
						continue
					}
					_, k := r.lx.at("policy", r.toks, q)
					_, x := r.kind(q)
					if k+x == 0 {
						break
					}
					q += max(k, x) - 1
				}
			}
			continue
		}
		if _, n := r.lx.at("giveup", r.toks, q); n > 0 {
			if in.Verb == "" {
				giveUp = true
			} else {
				in.GiveUp = in.Verb != "take_blow"
			}
			q += n
			continue
		}
		if _, n := r.lx.at("policyend", r.toks, q); n > 0 {
			if _, _, m := r.policyAt(q + n); m > 0 {
				not = true // "stop parrying"
				q += n
				continue
			}
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
		if v, n := r.kind(q); n > 0 {
			set(func(x *game.Intent) {
				if len(x.Against) == 0 || x.Against[0] == "all" {
					x.Against = game.Who{v}
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
			if in.Verb == "parry_policy" && (r.toks[q].is("with") || r.toks[q].is("using")) {
				r.fail(p, end, "unknown_weapon", fmt.Sprintf("It is not clear what “%s” is, so nothing of this holds.", r.text(q+n, min(r.phraseEnd(q+n), end))), "Write a weapon or a shield as it stands on your sheet.")
				return nil, false, false
			}
		}
		if f, n := r.person(q); n > 0 && f.one() && !f.pronoun && r.lx.people[f.ids[0]].Relation != "self" {
			r.mention(f)
			id := r.lx.people[f.ids[0]].ID
			if in.Verb != "" && (len(in.Against) == 0 || in.Against[0] == "all") {
				in.Against, doubt = game.Who{id}, -1
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
			if q > p && r.costs(p, q) {
				if _, x := r.lx.at("orless", r.toks, k); x > 0 {
					k += x
				}
				set(func(y *game.Intent) { y.MaxPenalty = v })
			} else if q > p {
				if _, x := r.lx.at("atleast", r.toks, q-1); x > 0 || q > p+1 && r.chanceWord(q-2) || r.chanced(p, q) {
					set(func(y *game.Intent) { y.MinChance = v })
				}
			}
			q = k
			continue
		}
		if _, n := r.lx.at("condition", r.toks, q); n > 0 || t.is("while") || t.is("until") {
			doubt = q
			q += max(n, 1)
			continue
		}
		q++
	}
	if doubt >= 0 {
		return nil, false, r.doubtful(p, end, doubt)
	}
	flush()
	if n := len(all); n > 0 && len(all[n-1].Against) == 0 {
		all[n-1].Against = lead.Against
	}
	return append(first, all...), usual, true
}

// doubtful reports a condition of a policy that was not understood; it is false.
func (r *reader) doubtful(p, end, from int) bool {
	r.fail(p, end, "trigger_unclear", fmt.Sprintf("“%s” was not understood, so nothing of this holds.", r.text(from, end)),
		"Write: parry if my chance is 50 or better; parry at up to -30; parry <who or what>")
	return false
}

// broadKinds are the kinds of attack that take others in.
var broadKinds = []game.ID{"all", "melee", "missile"}

// chanced reports that a number at q is one for a chance: "if my chance is more
// than 50".
func (r *reader) chanced(p, q int) bool {
	for k := q - 1; k >= p && k >= q-6 && (r.toks[k].kind != mark || r.toks[k].is("-")); k-- {
		if r.chanceIs(k) {
			return true
		}
	}
	return false
}

// costs reports that a number at q is a price, not a chance: "if it costs more
// than 30", "when that is worse than 20".
func (r *reader) costs(p, q int) bool {
	for k := q - 1; k >= p && k >= q-6; k-- {
		if r.chanceIs(k) || r.toks[k].kind == mark && !r.toks[k].is("-") {
			return false
		}
		if _, n := r.lx.at("cost", r.toks, k); n > 0 {
			return true
		}
	}
	return false
}

// chanceIs reports the word for a chance.
func (r *reader) chanceIs(p int) bool {
	return r.toks[p].is("chance") || r.toks[p].is("chances") || r.toks[p].is("odds")
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
	segments := func(q int) bool { // "at most one segment"
		_, n := r.lx.at("timeunit", r.toks, q)
		return n > 0
	}
	if t.is("-") || t.is("minus") {
		if v, n := r.whole(p + 1); n > 0 && !segments(p+1+n) {
			return v, n + 1
		}
	}
	q := p
	if _, n := r.lx.at("penaltyof", r.toks, q); n > 0 {
		q += n
		if q < len(r.toks) && (r.toks[q].is("-") || r.toks[q].is("minus")) {
			q++
		}
		if v, n := r.whole(q); n > 0 && !segments(q+n) {
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
