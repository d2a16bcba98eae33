package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// clause is one clause while it is read: p is the next token.
type clause struct {
	from     int
	p        int
	lemma    lemma
	verbFrom int // first token of the verb, or of what stands for it
	verbless bool
	weapons  []int             // named before a verbless shot: "Rifle, 4 shots at Zog"
	way      map[string]string // the game's own word for how it is done
	told     []game.Problem
	ask      []game.Question
	left     []int // tokens that no slot took
	tool     game.Ref
}

// actions reads clauses from p on, up to an "otherwise", a closing bracket or
// the end. ok is false if a condition in it was not understood: then nothing of
// the sentence may be carried out, and that has been reported.
func (r *reader) actions(p, depth int, nested bool) (nodes []node, next int, ok bool) {
	from, told := p, len(r.out.Problems)
	for p < len(r.toks) {
		beside := p > from && r.toks[p].is("while")
		p = r.joints(p)
		if _, _, when := r.verbAt(p + 1); p < len(r.toks) && r.toks[p].is("after") && when == ing && len(nodes) == 0 {
			p++ // "after reloading, I run": in the order of the text
		}
		if p == 0 && len(r.toks) > 1 && r.toks[0].is("after") && r.toks[1].is("i") && !slices.ContainsFunc(r.toks, func(t token) bool { return t.is(",") || t.is("and") || t.is("then") }) {
			p++ // "After I go to hide": afterwards
		}
		if p >= len(r.toks) || r.toks[p].is("]") || r.toks[p].is(")") {
			break
		}
		if _, n := r.lx.at("otherwise", r.toks, p); n > 0 && p > from {
			break
		}
		if n := r.takesBack(p); n > 0 && len(nodes) > 0 {
			// "I would shoot Zog, but I won't."
			r.tell(game.Problem{Severity: game.Noted, Kind: "retracted", Text: "What stands before this in the sentence was taken back.", Source: r.source[r.toks[p].at.Line], At: r.span(p, p+n)})
			nodes, p = nil, p+n
			continue
		}
		if r.denies(p) && len(nodes) > 0 {
			r.fail(from, len(r.toks), "contradiction", "This takes back what stands before it; it is not clear what is left.", "Write the order once more as you want it.")
			return nil, len(r.toks), false
		}
		if _, no := r.lx.at("nothing", r.toks, p); no > 0 {
			// "no movement" corrects nothing
		} else if _, n := r.lx.at("correct", r.toks, p); n > 0 && len(nodes) > 0 && p > 0 && !r.toks[p-1].is("but") && r.corrects(p+n) {
			r.fail(from, len(r.toks), "contradiction", "This takes back what stands before it; it is not clear what is left.", "Write the order once more as you want it.")
			return nil, len(r.toks), false
		}
		if end := r.lateTime(p, nodes); end > 0 {
			p = end
			continue
		}
		forced, q := r.force(p)
		if lead, n := r.condLead(q); n > 0 {
			if nested && len(nodes) > 0 && r.apart(p) {
				break // "if A, do this; if B, do that": side by side
			}
			if r.was(q+n) && len(nodes) == 0 && q == from {
				r.fail(from, len(r.toks), "story", "This was read as story, not as an order.", "")
				return nil, len(r.toks), true
			}
			if end := r.bonusWhen(q+n, nodes); end > 0 {
				p = end
				continue
			}
			if end, ok := r.alternatives(q+n, lead, nodes); ok {
				p = end
				continue
			}
			b, end, ok := r.conditionalOrder(q+n, lead, depth, nodes)
			ok = ok && r.placed(q, b, nodes, end) && !(b != nil && len(b.then)+len(b.els) == 0 && r.broken)
			if !ok && len(nodes) == 0 && q > from && (r.subject == other || r.subject == friend) {
				r.fail(from, len(r.toks), "story", "What others do is not yours to order; this was read as story.", "")
				return nil, len(r.toks), true
			}
			if !ok {
				r.lastWhen = nil // "if not" must not point at half a condition
				r.fail(from, len(r.toks), "trigger_unclear", r.unclear(told), "Write the condition as: if <who> comes within <n> "+r.unit()+", …; if <who> shoots (moves, throws, reloads), …; if <who> is down, …")
				return nil, len(r.toks), false
			}
			if b != nil {
				if forced != "" {
					b.forced = forced
				}
				newLine := p > 1 && r.toks[p-1].kind == newline && !r.toks[p-2].is(":") && !r.toks[p-2].is(",")
				b.held = feeds(nodes) && !newLine
				b.at = r.span(p, end)
				nodes = r.attach(nodes, b)
			}
			p = end
			continue
		}
		if b, end, ok := r.whoever(p, depth); ok {
			if b != nil {
				nodes = append(nodes, node{cond: b})
			}
			r.begun = true
			p = end
			continue
		}
		if made, end := r.getsShots(p, depth); end > 0 {
			nodes, p, r.begun = append(nodes, made...), end, true
			continue
		}
		if r.toks[p].is("[") {
			sub, q, ok := r.actions(p+1, depth, false)
			if !ok {
				return nil, len(r.toks), false
			}
			if feeds(nodes) {
				for _, n := range sub {
					if n.cond != nil {
						n.cond.held = true
					}
				}
			}
			nodes = append(nodes, sub...)
			p = q
			if p < len(r.toks) && r.toks[p].is("]") {
				p++
			}
			continue
		}
		if r.clauses++; r.clauses > MaxClauses {
			return nodes, len(r.toks), true
		}
		made, q := r.clause(p, depth)
		r.begun = true
		if q <= p {
			q = p + 1
		}
		if beside {
			nodes = r.atOnce(nodes, made)
		} else {
			nodes = append(nodes, made...)
		}
		p = q
	}
	return nodes, p, true
}

// takesBack is the length of "I won't", "I don't" with nothing behind it.
func (r *reader) takesBack(p int) int {
	if !r.toks[p].is("i") {
		return 0
	}
	q, not := p+1, false
	for q < len(r.toks) {
		switch r.toks[q].text {
		case "will", "do", "can", "would", "could", "should", "am", "did":
		case "not", "never":
			not = true
		default:
			if not && r.boundary(q) {
				return q - p
			}
			return 0
		}
		q++
	}
	if !not {
		return 0
	}
	return q - p
}

// denies reports "no wait, not Dask" at p.
func (r *reader) denies(p int) bool {
	_, n := r.lx.at("correct", r.toks, p)
	if n == 0 {
		return false
	}
	for q := p + n; q < len(r.toks); q++ {
		if r.toks[q].kind != mark {
			return r.toks[q].is("not")
		}
	}
	return false
}

// was reports "I was", "he had been": what hangs on it is past.
func (r *reader) was(p int) bool {
	if p+1 >= len(r.toks) || !r.toks[p].is("i") && !r.toks[p].is("we") {
		return false
	}
	return r.toks[p+1].is("was") || r.toks[p+1].is("were")
}

// corrects reports that somebody, something or a number of shots is named from
// p on, and nothing is done to it: "I mean the robot".
func (r *reader) corrects(p int) bool {
	for p < len(r.toks) && r.toks[p].kind == mark {
		p++
	}
	if r.startsClause(p) && !r.count(p).noun {
		return false
	}
	return r.nearVerb(p, len(r.toks))
}

// feeds reports that a hold, or a reaction that it feeds, stands last.
func feeds(nodes []node) bool {
	if len(nodes) == 0 {
		return false
	}
	last := nodes[len(nodes)-1]
	return last.intent.Verb == "hold" || last.cond != nil && last.cond.held
}

// apart reports that what begins at p is set off from what is before it.
func (r *reader) apart(p int) bool {
	t := r.toks[p-1]
	return t.kind == mark || t.kind == newline || t.is("and") || t.is("then") || t.is("but")
}

// unclear says why a condition was not taken; told is how many problems there were
// before its sentence.
func (r *reader) unclear(told int) string {
	if slices.ContainsFunc(r.out.Problems[told:], func(p game.Problem) bool { return p.Severity != game.Noted }) {
		return "This condition hangs together with what is not clear above, so nothing of it is done."
	}
	return "This condition was not understood, so nothing that hangs on it is done."
}

// placed reports that it is clear what a condition behind other orders covers.
// "Shoot Zog if he moves" covers the shot; with more orders after it, or in
// commas with "and then" after it, it could cover either.
func (r *reader) placed(p int, b *branch, before []node, end int) bool {
	if b == nil || len(before) == 0 {
		return true
	}
	if before[len(before)-1].intent.Verb == "hold" || before[len(before)-1].cond != nil {
		return len(b.then) > 0
	}
	if len(b.then) == 0 {
		return end >= len(r.toks) || r.toks[end].is("]") || r.toks[end].is(")")
	}
	if !r.apart(p) {
		return false
	}
	q := b.comma
	return !((r.toks[p-1].is(",") || r.toks[p-1].kind == newline) && q > 0 && q+1 < len(r.toks) && r.toks[q].is(",") && (r.toks[q+1].is("and") || r.toks[q+1].is("then")))
}

// attach adds a branch behind the nodes it follows, or makes them hang on it if
// the branch has no orders of its own ("shoot him if he moves"). If several
// orders come before, all hang on it, which does less, and it is asked.
func (r *reader) attach(nodes []node, b *branch) []node {
	if len(b.then) > 0 || len(nodes) == 0 {
		return append(nodes, node{cond: b})
	}
	first := len(nodes)
	for first > 0 && nodes[first-1].cond == nil {
		first--
	}
	for _, n := range nodes[first:] {
		b.then = append(b.then, n.calm())
	}
	n := node{cond: b}
	if len(b.then) > 1 {
		n.ask = append(n.ask, game.Question{
			Kind: "trigger_unclear", Text: "Does the condition hold for all that is ordered in this sentence, or for the last of it only?",
			Choices: []string{"for all of it", "for the last only"}, Default: "nothing of it is done unless the condition holds", At: b.at,
		})
	}
	return append(nodes[:first:first], n)
}

// calm drops what need not be asked of an order that hangs on a condition: the
// number of shots (SCHEMA 7.2).
func (n node) calm() node {
	var ask []game.Question
	for _, q := range n.ask {
		if q.Kind != "shots" {
			ask = append(ask, q)
		}
	}
	n.ask = ask
	return n
}

// clause reads one clause at p and gives what it orders. Whatever is wrong
// with it is reported here, and costs only this clause.
func (r *reader) clause(p, depth int) ([]node, int) {
	from := p
	if r.toks[p].kind == speech {
		return r.quoted(p)
	}
	if r.toks[p].is("(") && r.listNumber(p) == 0 {
		return nil, r.bracket(p)
	}
	if r.toks[p].is("special") && p+2 < len(r.toks) && r.toks[p+1].is(":") && !r.multi {
		if _, ok := r.lx.verbs["special"]; ok {
			return r.special(p)
		}
	}
	if k := r.listNumber(p); k > 0 {
		p += k
	}
	arms, k := r.leadingArm(p)
	p += k
	if p >= len(r.toks) {
		return nil, p
	}
	s, n := r.subjectAt(p)
	if s == nobody && r.subject == nobody {
		if addressed, k := r.vocative(p); k > 0 {
			s, n = addressed, k
		}
	}
	if s == nobody {
		s = r.subject
	} else if f, k := r.person(p); s != other || k == 0 || !f.unknown && !f.unsure {
		r.spoken = s // "the far end of the bridge swims" speaks of nobody
	}
	r.subject = s
	p += n
	flags, p := r.aux(p)
	i, nv, when := r.verbAt(p)
	if s == nobody && n == 0 && when == third && (r.spoken == friend || r.spoken == other || r.spoken == sibling) {
		s, r.subject = r.spoken, r.spoken // "Zorg ducks. Runs to the wall." goes on about Zorg
	}
	if k := r.leadOption(p); k >= nv && k > 0 {
		nv = 0
	}
	c := &clause{from: from, p: p + nv, verbFrom: p, weapons: arms}
	if nv > 0 {
		c.lemma = r.lx.lemmas[i]
	}
	end := func() int { return r.skip(max(p+nv, from+1)) }
	if nv > 0 && c.lemma.intent == "say" && when != ing && (s == nobody || s == self || s == selfByName) && !flags.not && !flags.thought {
		if r.mine(s, from, c) {
			return r.speech(c)
		}
		return nil, end()
	}
	switch s {
	case friend:
		e := end()
		r.mentionAll(from, e)
		if nv == 0 && !flags.not && from+n < len(r.toks) && (r.toks[from+n].is("is") || r.toks[from+n].is("are")) {
			r.fail(from, e, "story", "This was read as story, not as an order.", "")
			return nil, e
		}
		r.fail(from, e, "not_your_character", "This is the action of a character who is not yours.", "Only his own player can order it.")
		return nil, e
	case other:
		e := end()
		r.mentionAll(from, e)
		r.fail(from, e, "story", "What others do is not yours to order; this was read as story.", "")
		return nil, e
	case sibling:
		return nil, end()
	case unclear:
		e := end()
		r.fail(from, e, "unparsed", "It is not clear who does this.", "Write “I …”, or the name of your character.")
		return nil, e
	}
	if nv == 0 && flags.intent && (s == self || s == selfByName) {
		if j := r.verbSlip(p); j >= 0 {
			nv, c.lemma = 1, r.lx.lemmas[j]
			c.p = p + 1
		}
	}
	if nv == 0 || n == 0 && when == past && !flags.any && r.looksLikeShot(p) {
		c.p = p
		return r.verbless(c, flags, n > 0)
	}
	if c.p < len(r.toks) && r.toks[c.p].is(":") {
		// "Move: none"
		if _, n := r.lx.at("nothing", r.toks, c.p+1); n > 0 && r.boundary(c.p+1+n) {
			return nil, c.p + 1 + n
		}
	}
	if q := r.pastPerson(c.p); q > c.p && q < len(r.toks) && r.toks[q].is("nothing") && !flags.not && (s == nobody || s == self || s == selfByName) {
		return nil, r.negated(c) // "give Bokk nothing yet"
	}
	if c.p < len(r.toks) && (r.toks[c.p].is("nothing") || r.toks[c.p].is("nobody") || r.toks[c.p].is("none") || r.toks[c.p].is("no") && c.p+1 < len(r.toks) && r.toks[c.p+1].is("one")) && !flags.not && (s == nobody || s == self || s == selfByName) {
		return nil, r.negated(c) // "I throw nothing and shoot nobody"
	}
	switch {
	case flags.not && r.lx.verbs["parry_policy"].Name != "" && r.defensive(c):
		c.verbFrom = from
		return r.done(c, depth, (*reader).policyClause)
	case flags.not:
		if r.mine(s, from, c) {
			if nodes, end, ok := r.keepBack(c); ok {
				return nodes, end
			}
		}
		return nil, r.negated(c)
	case flags.thought:
		e := end()
		r.fail(from, e, "unparsed", "This says what you could do, not what you do; it is not carried out.", fmt.Sprintf("If it is an order, write “I %s …”.", strings.Join(c.lemma.words, " ")))
		return nil, e
	case flags.past, when == past && !flags.intent, when == past:
		e := end()
		r.fail(from, e, "unparsed", "This tells of something past; it is not carried out.", fmt.Sprintf("If it is an order, write “I %s …”.", strings.Join(c.lemma.words, " ")))
		return nil, e
	}
	if !r.mine(s, from, c) {
		return nil, end()
	}
	return r.order(c, depth)
}

// pastPerson is the place behind a person at p, or p.
func (r *reader) pastPerson(p int) int {
	_, n := r.person(p)
	return p + n
}

// mine reports that a clause may be given to this character: in a letter for
// several, it must name one.
func (r *reader) mine(s who, from int, c *clause) bool {
	if !r.multi || s == selfByName {
		return true
	}
	e := r.skip(max(c.p, from+1))
	r.orphans = append(r.orphans, game.Problem{
		Severity: game.Asked, Kind: "which_character", Text: "It is not said which of your characters does this.", Understood: r.understood(from, e),
		Do: "Begin the line with the name of the character. It is not done until then.", Source: r.source[r.toks[from].at.Line], At: r.span(from, e),
	})
	return false
}

// negated passes over what is not to be done. It must not hang on a condition.
func (r *reader) negated(c *clause) int {
	e := r.skip(c.p)
	if e < len(r.toks) {
		if _, n := r.lx.at("condition", r.toks, r.joints(e)); n > 0 {
			r.fail(c.from, len(r.toks), "trigger_unclear", "It is not clear what shall be done, and when.", "Say what you do: if <who> shoots, I shoot him once.")
			return len(r.toks)
		}
	}
	for q := c.p; q < e; q++ {
		if _, n := r.lx.at("until", r.toks, q); n > 0 {
			r.fail(c.from, len(r.toks), "trigger_unclear", "It is not clear what shall be done, and when.", "Say what you do: if <who> comes within <n> "+r.unit()+", I shoot him once.")
			return len(r.toks)
		}
	}
	r.tell(game.Problem{Severity: game.Noted, Kind: "negation", Text: "This says what you do not do; nothing is done for it.", Source: r.source[r.toks[c.from].at.Line], At: r.span(c.from, e)})
	return e
}

// bracket passes over a bracketed remark.
func (r *reader) bracket(p int) int {
	depth := 0
	for q := p; q < len(r.toks); q++ {
		switch {
		case r.toks[q].is("(") || r.toks[q].is("["):
			depth++
		case r.toks[q].is(")") || r.toks[q].is("]"):
			depth--
		}
		if depth == 0 {
			r.fail(p, q+1, "story", "This remark in brackets was left out.", "")
			return q + 1
		}
	}
	r.fail(p, len(r.toks), "story", "This remark in brackets was left out.", "")
	return len(r.toks)
}

// mentionAll remembers whom a story speaks of: that is whom "him" means after it.
func (r *reader) mentionAll(p, q int) {
	for ; p < q; p++ {
		if f, n := r.person(p); n > 0 {
			if !f.unknown {
				r.mention(f)
			}
			p += n - 1
		}
	}
}
