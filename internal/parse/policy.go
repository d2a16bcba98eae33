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
	c.p = end
	if q := r.policyLimit(c.verbFrom, end); q >= 0 {
		return nil, r.reject(c, r.limited(q)) || r.hint(writePolicy)
	}
	list, ok := r.policies(c.verbFrom, end)
	if !ok {
		return nil, false
	}
	var nodes []node
	for _, in := range list.all {
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
				if !r.policyNoise(q) {
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
		r.fail(p, len(r.toks), "policy_unclear", r.limited(q), writePolicy)
		return true
	}
	list, ok := r.policies(p, len(r.toks))
	if !ok {
		return true
	}
	if len(list.all) == 0 && list.usual {
		r.tell(game.Problem{Severity: game.Noted, Kind: "as_usual", Text: "An attack of yours is kept for a parry or a dodge unless you write “even if it costs my attack”; this changes nothing.",
			Source: r.source[r.toks[p].at.Line], At: r.span(p, len(r.toks))})
		return true
	}
	if len(list.all) == 0 {
		return false
	}
	for _, in := range list.all {
		in.At = r.span(p, len(r.toks))
		r.out.Plan.Standing = append(r.out.Plan.Standing, game.Standing{Policy: &in})
	}
	return true
}

// policyNoise reports a word that looks like an order and, in talk of defence,
// is a noun or a purpose: "his blow", "ready to shoot".
func (r *reader) policyNoise(q int) bool {
	if q == 0 {
		return false
	}
	_, art := r.lx.at("article", r.toks, q-1)
	return art > 0 || slices.ContainsFunc([]string{"to", "quick", "melee", "from", "of", "next", "any", "stay", "be", "keep", "am", "not", "whoever", "who"}, r.toks[q-1].is)
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

// limited tells of a limit at q.
func (r *reader) limited(q int) string {
	return fmt.Sprintf("“%s” is a limit that parries and dodges do not know here, so this is not done.", r.toks[q].text)
}

// writePolicy is how a policy is written.
const writePolicy = "Write against what and at what cost: parry melee blows with the shield at up to -30; dodge arrows if my chance is 40 or better"

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
func (r *reader) penalty(p int) (value, n int) {
	segments := func(q int) bool { // "at most one segment"
		_, n := r.lx.at("timeunit", r.toks, q)
		return n > 0
	}
	minus := func(q int) bool { return q < len(r.toks) && (r.toks[q].is("-") || r.toks[q].is("minus")) }
	if v, n := r.minus(p); n > 0 {
		return v, n
	}
	if minus(p) {
		if v, n := r.whole(p + 1); n > 0 && !segments(p+1+n) {
			return v, n + 1
		}
	}
	if _, n := r.lx.at("penaltyof", r.toks, p); n > 0 {
		q := p + n
		if minus(q) {
			q++
		}
		if v, n := r.whole(q); n > 0 && !segments(q+n) {
			return v, q + n - p
		}
		if v, n := r.minus(q); n > 0 {
			return v, q + n - p
		}
	}
	if v, n := r.whole(p); n > 0 && p+n < len(r.toks) && (r.toks[p+n].is("penalty") || r.toks[p+n].is("malus")) {
		return v, n + 1
	}
	return 0, 0
}

// minus reads "-30" that is one word.
func (r *reader) minus(p int) (value, n int) {
	if p >= len(r.toks) || len(r.toks[p].text) < 2 || r.toks[p].text[0] != '-' {
		return 0, 0
	}
	v, ok := r.lx.numberWord(r.toks[p].text[1:])
	if !ok {
		return 0, 0
	}
	return v, 1
}
