package parse

import (
	"fmt"
	"strconv"
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
	weapons  []int // named before a verbless shot: "Rifle, 4 shots at Zog"
	told     []game.Problem
	ask      []game.Question
	left     []int // tokens that no slot took
}

// actions reads clauses from p on, up to an "otherwise", a closing bracket or
// the end. ok is false if a condition in it was not understood: then nothing of
// the sentence may be carried out, and that has been reported.
func (r *reader) actions(p, depth int, nested bool) (nodes []node, next int, ok bool) {
	from := p
	for p < len(r.toks) {
		p = r.joints(p)
		if _, _, when := r.verbAt(p + 1); p < len(r.toks) && r.toks[p].is("after") && when == ing && len(nodes) == 0 {
			p++ // "after reloading, I run": in the order of the text
		}
		if p >= len(r.toks) || r.toks[p].is("]") || r.toks[p].is(")") {
			break
		}
		if _, n := r.lx.at("otherwise", r.toks, p); n > 0 && p > from {
			break
		}
		forced, q := r.force(p)
		if lead, n := r.lx.at("condition", r.toks, q); n > 0 {
			if nested && len(nodes) > 0 && r.apart(p) {
				break // "if A, do this; if B, do that": side by side
			}
			b, end, ok := r.conditionalOrder(q+n, lead, depth, nodes)
			ok = ok && r.placed(q, b, nodes, end)
			if !ok && len(nodes) == 0 && q > from && (r.subject == other || r.subject == friend) {
				r.fail(from, len(r.toks), "story", "What others do is not yours to order; this was read as story.", "")
				return nil, len(r.toks), true
			}
			if !ok {
				r.fail(from, len(r.toks), "trigger_unclear", r.unclear(), "Write the condition as: if <who> comes within <n> m, …; if <who> shoots (moves, throws, reloads), …; if <who> is down, …")
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
		if q <= p {
			q = p + 1
		}
		nodes = append(nodes, made...)
		p = q
	}
	return nodes, p, true
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

// unclear says why a condition was not taken.
func (r *reader) unclear() string {
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

// joints passes over commas, "and", "then" and other words between clauses.
func (r *reader) joints(p int) int {
	for p < len(r.toks) {
		t := r.toks[p]
		if t.kind == newline || t.kind == mark && strings.Contains(",:;-+&>/*.–=", t.text[:1]) && !t.is("->=") {
			p++
			continue
		}
		if t.is("or") && p+1 < len(r.toks) && (r.toks[p+1].is("if")) {
			p++
			continue
		}
		if t.is("but") {
			p++
			continue
		}
		_, n := r.lx.at("discourse", r.toks, p)
		if n == 0 {
			return p
		}
		if f, _ := r.force(p); f != "" {
			return p
		}
		if _, k := r.lx.at("danger", r.toks, p); k > n {
			return p // "next turn I …" is not for now
		}
		if _, k := r.lx.at("condition", r.toks, p); k >= n {
			return p
		}
		if _, k := r.lx.at("otherwise", r.toks, p); k >= n {
			return p
		}
		// "Before" and "while" join only when an order in -ing follows, "after"
		// only at the front.
		if t.is("before") || t.is("while") {
			if _, _, when := r.verbAt(p + n); when != ing {
				return p
			}
		}
		if t.is("first") || t.is("second") || t.is("third") || t.is("right") || t.is("free") || t.is("me") || t.is("order") {
			if q := p + n; q < len(r.toks) && !r.startsClause(q) && !r.toks[q].is(",") && !r.toks[q].is(":") {
				return p
			}
		}
		p += n
	}
	return p
}

// force reads "on my turn" and "as a reaction" before a condition.
func (r *reader) force(p int) (string, int) {
	value, n := r.lx.at("forced", r.toks, p)
	q := p + n
	for n > 0 && q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is(":")) {
		q++
	}
	if _, k := r.lx.at("condition", r.toks, q); n > 0 && k > 0 {
		return value, q
	}
	return "", p
}

// boundary reports that the clause before p has ended: what follows, behind
// commas and "and", begins another one.
func (r *reader) boundary(p int) bool {
	if p >= len(r.toks) {
		return true
	}
	t := r.toks[p]
	if t.is("]") || t.is("[") || t.kind == speech {
		return true
	}
	if t.kind == mark && (t.is("->") || t.is(">")) && r.startsClause(r.joints(p)) {
		return true
	}
	if lead, n := r.lx.at("condition", r.toks, p); n > 0 && lead != "" && !t.is("once") {
		return true
	}
	if _, n := r.lx.at("otherwise", r.toks, p); n > 0 {
		return true
	}
	if value, n := r.lx.at("forced", r.toks, p); n > 0 && value != "" {
		if f, _ := r.force(p); f != "" {
			return true
		}
	}
	joint := t.kind == newline || t.is(",") || t.is("and") || t.is("then") || t.is("&") || t.is("+") || t.is("-") || t.is(":") || t.is("but") ||
		t.is("before") || t.is("while") || t.is("after") || t.is("so")
	if !joint {
		return false
	}
	q := r.joints(p)
	if q == p {
		return false
	}
	if q >= len(r.toks) {
		return true
	}
	if lead, n := r.lx.at("condition", r.toks, q); n > 0 && lead != "" {
		return true
	}
	if _, n := r.lx.at("otherwise", r.toks, q); n > 0 {
		return true
	}
	if f, _ := r.force(q); f != "" || r.toks[q].is("]") {
		return true
	}
	return r.startsClause(q)
}

// startsClause reports that a new order, or talk of somebody's action, begins here.
func (r *reader) startsClause(p int) bool {
	if p >= len(r.toks) {
		return false
	}
	if r.toks[p].kind == speech {
		return true
	}
	if r.toks[p].is("no") || r.toks[p].is("not") || r.toks[p].is("never") || r.toks[p].is("nothing") {
		return true
	}
	s, n := r.subjectAt(p)
	if n > 0 && s != nobody {
		return true
	}
	if _, n := r.setting(p, false); n > 0 {
		return false
	}
	if _, n := r.lx.at("lean", r.toks, p); n > 0 {
		return false
	}
	flags, q := r.aux(p)
	if _, n, when := r.verbAt(q); n > 0 {
		return when != past || flags.any
	}
	if flags.intent || flags.thought {
		return q > p+1 || !r.toks[p].is("is")
	}
	if c := r.count(p); c.n > 0 {
		if r.isTarget(p + c.n) {
			return true
		}
		_, n := r.person(p + c.n)
		return c.noun && n > 0
	}
	if _, n := r.lx.at("aim", r.toks, p); n > 0 {
		_, k, _ := r.verbAt(p)
		return k > 0
	}
	return false
}

// isTarget reports that "at Zog" or the like stands at p.
func (r *reader) isTarget(p int) bool {
	_, n := r.lx.at("target", r.toks, p)
	if n == 0 {
		return false
	}
	_, k := r.person(p + n)
	return k > 0
}

// verbAt finds the verb at p: the index of its lemma, its length and tense.
func (r *reader) verbAt(p int) (i, n int, when tense) {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return 0, 0, base
	}
	for _, f := range r.lx.forms[r.toks[p].text] {
		for _, ph := range r.lx.table.verbs[f.base] {
			k := 1
			if len(ph.words) > 1 {
				rest := wordsAt(ph.words[1:], r.toks, p+1)
				if rest == 0 {
					continue
				}
				k += rest
			}
			if k < n || k == n && (when != past || f.tense == past) {
				continue
			}
			if j, err := strconv.Atoi(ph.value); err == nil {
				i, n, when = j, k, f.tense
			}
		}
	}
	// The game's own words for a verb win over ours.
	if v, k := matchAt(r.lx.extra, r.toks, p); k > 0 && k >= n && (n == 0 || r.lx.lemmas[i].intent != v) {
		for j, l := range r.lx.lemmas {
			if l.intent == v && len(l.set) == 0 {
				return j, k, base
			}
		}
	}
	return i, n, when
}

// subjectAt reads who acts: n is 0 if nobody is named. A name or description
// counts only when a verb follows it.
func (r *reader) subjectAt(p int) (who, int) {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return nobody, 0
	}
	t := r.toks[p]
	verbFollows := func(q int) bool {
		for q < len(r.toks) && (strings.HasSuffix(r.toks[q].text, "ly") || r.toks[q].is("then") || r.toks[q].is("just") || r.toks[q].is("also") || r.toks[q].is("now")) {
			q++
		}
		flags, q2 := r.aux(q)
		if flags.any {
			return true
		}
		_, n, _ := r.verbAt(q2)
		return n > 0
	}
	switch t.text {
	case "i":
		return self, 1
	case "we":
		return unclear, 1
	case "you":
		return other, 1
	case "my":
		if p+1 < len(r.toks) {
			switch r.toks[p+1].text {
			case "character", "pc", "char", "guy", "man", "hero":
				return selfByName, 2
			}
		}
	case "he", "she", "they", "it":
		if !verbFollows(p + 1) {
			return nobody, 0
		}
		switch r.spoken {
		case nobody:
			// Nobody else was spoken of: his player tells the story.
			if len(r.named)+len(r.namedBefore) == 0 && !r.multi {
				return selfByName, 1
			}
		case selfByName, sibling, friend:
			return r.spoken, 1
		case other:
			return other, 1
		}
		return unclear, 1
	case "who", "which", "that":
		return nobody, 0
	}
	if _, n, when := r.verbAt(p); n > 0 && when == base && t.raw == strings.ToLower(t.raw) {
		return nobody, 0
	}
	f, n := r.person(p)
	if n == 0 || f.pronoun || f.selector != "" || f.race != "" || !verbFollows(p+n) {
		return nobody, 0
	}
	switch {
	case f.unknown:
		return other, n
	case len(f.ids) != 1:
		for _, i := range f.ids {
			if r.lx.people[i].ID == r.lx.self {
				return unclear, n
			}
		}
		return other, n
	}
	e := r.lx.people[f.ids[0]]
	switch {
	case e.ID == r.lx.self:
		return selfByName, n
	case r.siblings[e.ID]:
		return sibling, n
	case e.Relation == "ally":
		return friend, n
	}
	return other, n
}

// auxiliaries are what stands between subject and verb.
type auxiliaries struct {
	any     bool
	intent  bool // will, am going to …
	thought bool // could, might, thinking of …
	past    bool
	not     bool
}

// aux reads the words between subject and verb.
func (r *reader) aux(p int) (auxiliaries, int) {
	var a auxiliaries
	for p < len(r.toks) && r.toks[p].kind == word {
		if r.toks[p].is("not") || r.toks[p].is("never") {
			a.any, a.not = true, true
			p++
			continue
		}
		_, ni := r.lx.at("intention", r.toks, p)
		_, nh := r.lx.at("hypothetical", r.toks, p)
		_, np := r.lx.at("past", r.toks, p)
		_, nv, _ := r.verbAt(p)
		switch {
		case nv > 0 && nv >= max(ni, nh, np) && !(ni == nv && r.aheadVerb(p+ni)) && !(nh == nv && r.aheadVerb(p+nh)):
			return a, p
		case ni > 0 && ni >= nh && ni >= np:
			a.any, a.intent = true, true
			p += ni
		case nh > 0 && nh >= np:
			a.any, a.thought = true, true
			p += nh
		case np > 0:
			a.any, a.past = true, true
			p += np
		case p+1 < len(r.toks) && r.adverb(p) && (a.any || r.aheadVerb(p+1)):
			p++
		default:
			return a, p
		}
	}
	return a, p
}

func (r *reader) adverb(p int) bool {
	t := r.toks[p].text
	switch t {
	case "just", "then", "also", "now", "first", "only", "again", "simply", "quickly", "immediately", "still", "instead", "both", "too", "once":
		return true
	}
	return len(t) > 4 && strings.HasSuffix(t, "ly")
}

func (r *reader) aheadVerb(p int) bool {
	_, n, _ := r.verbAt(p)
	return n > 0
}

// skip is the place where the clause from p on ends.
func (r *reader) skip(p int) int {
	for p < len(r.toks) && !r.boundary(p) {
		p++
	}
	return p
}

// clause reads one clause at p and gives what it orders. Whatever is wrong
// with it is reported here, and costs only this clause.
func (r *reader) clause(p, depth int) ([]node, int) {
	from := p
	if r.toks[p].kind == speech {
		return r.quoted(p)
	}
	if r.toks[p].is("(") {
		return nil, r.bracket(p)
	}
	s, n := r.subjectAt(p)
	if s == nobody {
		s = r.subject
	} else {
		r.spoken = s
	}
	r.subject = s
	p += n
	flags, p := r.aux(p)
	i, nv, when := r.verbAt(p)
	if s == nobody && n == 0 && when == third && (r.spoken == friend || r.spoken == other || r.spoken == sibling) {
		s, r.subject = r.spoken, r.spoken // "Zorg ducks. Runs to the wall." goes on about Zorg
	}
	c := &clause{from: from, p: p + nv, verbFrom: p}
	if nv > 0 {
		c.lemma = r.lx.lemmas[i]
	}
	end := func() int { return r.skip(max(p+nv, from+1)) }
	if nv > 0 && c.lemma.intent == "say" && (s == nobody || s == self || s == selfByName) && !flags.not && !flags.thought {
		if r.mine(s, from, c) {
			return r.speech(c)
		}
		return nil, end()
	}
	switch s {
	case friend:
		e := end()
		r.fail(from, e, "not_your_character", "This is the action of a character who is not yours.", "Only his own player can order it.")
		return nil, e
	case other:
		e := end()
		r.fail(from, e, "story", "What others do is not yours to order; this was read as story.", "")
		return nil, e
	case sibling:
		return nil, end()
	case unclear:
		e := end()
		r.fail(from, e, "unparsed", "It is not clear who does this.", "Write “I …”, or the name of your character.")
		return nil, e
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
	switch {
	case flags.not:
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
			r.fail(c.from, len(r.toks), "trigger_unclear", "It is not clear what shall be done, and when.", "Say what you do: if <who> comes within <n> m, I shoot him once.")
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

// verbless reads orders that have no verb: "2 shots at Zog", "laser pistol: Zog,
// 2 shots", "no movement". Anything else is reported.
func (r *reader) verbless(c *clause, flags auxiliaries, subject bool) ([]node, int) {
	p := c.p
	if _, n := r.lx.at("nothing", r.toks, p); n > 0 && r.boundary(p+n) {
		return nil, p + n
	}
	if t := r.toks; p < len(t) && (t[p].is("no") || t[p].is("none") || flags.not && !subject) {
		e := r.skip(p)
		r.tell(game.Problem{Severity: game.Noted, Kind: "negation", Text: "This says what you do not do; nothing is done for it.", Source: r.source[t[p].at.Line], At: r.span(c.from, max(e, p+1))})
		return nil, max(e, p+1)
	}
	if !subject && !flags.any && r.lx.verbs["fire"].Name != "" && r.looksLikeShot(p) {
		if !r.mine(r.subject, p, c) {
			return nil, r.skip(max(p, c.from+1))
		}
		c.lemma, c.verbless = lemma{words: []string{"fire"}, intent: "fire"}, true
		if ids, n := r.thing(p, isRanged); n > 0 && p+n < len(r.toks) && (r.toks[p+n].is(",") || r.toks[p+n].is(":")) {
			c.weapons = ids
			c.p = p + n + 1
		}
		return r.order(c, 0)
	}
	if s, n := r.setting(p, false); n > 0 && r.boundary(p+n) && !subject {
		// "One shot at Zog. Power 5."
		if k := len(r.nodes); k > 0 && r.nodes[k-1].intent.Verb == "fire" && r.nodes[k-1].intent.Setting.IsZero() {
			r.nodes[k-1].intent.Setting = s
		}
		r.dial = s
		return nil, p + n
	}
	e := r.skip(max(p, c.from+1))
	kind, text := "story", "This was read as story, not as an order."
	if r.nearVerb(c.from, e) {
		kind, text = "unparsed", "This was not understood as an order."
	}
	r.fail(c.from, e, kind, text, "")
	r.broken = true // a shot without a verb behind it may hang on it
	return nil, e
}

// nearVerb reports that a stretch holds words that matter in orders.
func (r *reader) nearVerb(p, q int) bool {
	for ; p < q && p < len(r.toks); p++ {
		if i, n, _ := r.verbAt(p); n > 0 && r.lx.lemmas[i].intent != "say" {
			return true
		}
		if r.count(p).noun {
			return true
		}
		for _, list := range [][]entity{r.lx.people, r.lx.things, r.lx.places} {
			if n, ids := nameAt(list, r.toks, p); n > 0 && !(len(ids) == 1 && list[ids[0]].ID == r.lx.self) {
				return true
			}
		}
	}
	return false
}

// looksLikeShot reports a stretch without a verb that holds both a number of
// shots, or the actor's weapon, and a target.
func (r *reader) looksLikeShot(p int) bool {
	count, target, lead := false, false, -1
	for q := p; q < len(r.toks); {
		if q > p && r.boundary(q) && !(q == lead && (r.toks[q].is(",") || r.toks[q].is(":"))) {
			break
		}
		if c := r.count(q); c.n > 0 && (c.noun || c.times || q == p && r.isTarget(q+c.n)) {
			count = true
			q += c.n
			continue
		}
		if _, n := r.thing(q, isRanged); n > 0 && q == p {
			q += n
			lead = q // the weapon may stand before the shot, with a comma
			count = true
			continue
		}
		if _, n := r.lx.at("aim", r.toks, q); n > 0 {
			count = true
		}
		if _, n := r.person(q); n > 0 {
			target = true
			q += n
			continue
		}
		q++
	}
	return count && target
}
