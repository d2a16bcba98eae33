package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// reader reads the text of one character, sentence by sentence.
type reader struct {
	lx       *lexicon
	actor    Actor
	siblings map[game.ID]bool // further characters of the same letter
	source   map[int]string   // lines by number, normalised
	toks     []token          // of the sentence
	out      Reading
	orphans  []game.Problem // orders that name none of several characters

	nodes    []node // of the whole letter
	lastFrom int    // first node of the sentence before
	clauses  int
	round    int
	standing bool

	subject     who // of the clause before, in this sentence
	spoken      who // last explicit subject of the letter
	named       []int
	namedBefore []int
	trigger     *found // whom "him" means in what hangs on a condition
	conditional bool   // reading what hangs on a condition
	ready       []game.ID
	unready     []game.ID
	dial        game.Setting // set before a shot
	stays       bool         // he said that he stays where he is
	target      game.Ref     // last one fired at
	weapon      game.ID      // last one fired
	pending     struct {
		aim, lean bool
		target    game.Ref
	}
	broken     bool // a clause of this sentence was not understood
	lastBranch bool // the sentence before ended with a branch that may have an "otherwise"
	multi      bool // text not addressed to one of several characters
}

// who is the subject of a clause.
type who int

const (
	nobody who = iota // none named: an imperative
	self
	selfByName
	sibling
	friend
	other
	unclear
)

func (r *reader) vocab() game.Vocabulary { return r.actor.Vocabulary }

func newReader(a Actor, lx *lexicon, source map[int]string) *reader {
	return &reader{lx: lx, actor: a, source: source, out: Reading{Actor: a.ID}}
}

// span covers the tokens from p up to q.
func (r *reader) span(p, q int) game.Span {
	if p >= len(r.toks) {
		p = len(r.toks) - 1
	}
	if p < 0 {
		return game.Span{}
	}
	s := r.toks[p].at
	for _, t := range r.toks[p:max(min(q, len(r.toks)), p)] {
		if t.at.Line == s.Line && t.at.Col+t.at.Len > s.Col+s.Len {
			s.Len = t.at.Col + t.at.Len - s.Col
		}
	}
	// A place never lies outside of the line that is shown with it.
	if n := len([]rune(r.source[s.Line])); s.Col+s.Len-1 > n {
		s.Len = max(n-s.Col+1, 0)
	}
	return s
}

// text is what was typed from p up to q.
func (r *reader) text(p, q int) string { return rawText(r.toks[p:min(q, len(r.toks))]) }

// read reads tokens sentence by sentence.
func (r *reader) read(toks []token) {
	from := 0
	for i := 0; i <= len(toks); i++ {
		end := i == len(toks) || toks[i].kind == stop ||
			toks[i].kind == mark && (toks[i].is(".") || toks[i].is("!") || toks[i].is("?") || toks[i].is(";"))
		if !end {
			continue
		}
		term := ""
		if i < len(toks) {
			term = toks[i].text
		}
		if i > from {
			r.sentence(slices.Clone(toks[from:i]), term)
		}
		from = i + 1
	}
}

// sentence reads one sentence; term is the mark that ends it.
func (r *reader) sentence(toks []token, term string) {
	if r.clauses >= MaxClauses {
		if r.clauses == MaxClauses {
			r.clauses++
			r.tell(game.Problem{Severity: game.Wrong, Kind: "too_long", Text: fmt.Sprintf("These orders have more than %d parts; the rest was not read.", MaxClauses), At: toks[0].at, Source: r.source[toks[0].at.Line]})
		}
		return
	}
	r.lx.mend(toks)
	parts := r.unwrap(toks)
	for i, part := range parts {
		if r.toks = part; len(part) == 0 {
			continue
		}
		end := "\n"
		if i == len(parts)-1 {
			end = term
		}
		r.sentencePart(end)
	}
}

// sentencePart reads the tokens of r.toks as one sentence.
func (r *reader) sentencePart(term string) {
	if len(r.named) > 0 {
		r.namedBefore = r.named
	}
	r.named, r.trigger, r.conditional = nil, nil, false
	r.subject, r.broken = nobody, false
	r.pending.aim, r.pending.lean, r.pending.target = false, false, game.Ref{}
	before := len(r.nodes)
	r.oneSentence(term)
	if len(r.nodes) != before {
		r.lastFrom = before
		r.tellMended()
	}
}

// unwrap takes line ends out of a sentence. Where an order begins at a line's
// start and no comma or "and" leads over to it, the sentence is cut; before a
// condition the line end stays, as a mark that something begins there.
func (r *reader) unwrap(toks []token) [][]token {
	r.toks = slices.DeleteFunc(slices.Clone(toks), func(t token) bool { return t.kind == newline })
	var ends []int // places in r.toks with a line end before them
	n := 0
	for _, t := range toks {
		if t.kind == newline {
			ends = append(ends, n)
			continue
		}
		n++
	}
	var tail [][]token
	for _, i := range slices.Backward(ends) {
		if i == 0 || i >= len(r.toks) || openWords[r.toks[i-1].text] {
			continue
		}
		switch {
		case r.leads(i):
			r.toks = slices.Insert(r.toks, i, token{kind: newline, text: "\n", at: r.toks[i].at})
		case r.startsClause(i) && !r.toks[i-1].is(",") && !r.toks[i-1].is(":") && level(r.toks[:i]) == 0:
			tail = append(tail, slices.Clone(r.toks[i:]))
			r.toks = r.toks[:i]
		}
	}
	parts := [][]token{r.toks}
	for _, t := range slices.Backward(tail) {
		parts = append(parts, t)
	}
	return parts
}

// level is the number of brackets that are open at the end of some tokens.
func level(toks []token) int {
	n := 0
	for _, t := range toks {
		switch {
		case t.is("[") || t.is("("):
			n++
		case t.is("]") || t.is(")"):
			n--
		}
	}
	return n
}

// leads reports that a condition or an "otherwise" begins at p.
func (r *reader) leads(p int) bool {
	_, q := r.force(p)
	_, n := r.lx.at("condition", r.toks, q)
	_, k := r.lx.at("otherwise", r.toks, p)
	return n > 0 || k > 0
}

// oneSentence decides what kind of sentence this is, and reads it.
func (r *reader) oneSentence(term string) {
	p := r.label(0)
	if value, n := r.lx.at("askgm", r.toks, p); n > 0 && value != "" && p+n < len(r.toks) && r.toks[p+n].is(":") {
		if p += n + 1; p < len(r.toks) {
			r.ask(p, endMark(term))
		}
		return
	}
	switch {
	case p >= len(r.toks):
		return
	case r.retracts(p):
		r.retract()
		return
	case r.chatter(p):
		return
	case r.asks(p, term):
		r.ask(p, "?")
		return
	}
	r.checked(p)
}

// ask keeps a question to the GM.
func (r *reader) ask(p int, end string) {
	r.out.Plan.Ask = append(r.out.Plan.Ask, game.Text{Text: r.text(p, len(r.toks)) + end})
	r.tell(game.Problem{Severity: game.Noted, Kind: "gm_question", Text: "This was read as a question to the GM, not as an order.", Source: r.source[r.toks[p].at.Line], At: r.span(p, len(r.toks))})
	r.lastBranch = false
}

// endMark is the mark that belongs to the text of a sentence.
func endMark(term string) string {
	if term == "?" || term == "!" || term == "." {
		return term
	}
	return ""
}

// checked reads orders; what fails to be understood takes nothing with it but
// its own clause, or the whole sentence if a condition was not understood.
func (r *reader) checked(p int) {
	if value, n := r.lx.at("otherwise", r.toks, p); n > 0 && value != "" {
		r.otherwise(p + n)
		return
	}
	nodes, next, ok := r.actions(p, 0, false)
	if !ok {
		r.lastBranch = false
		return
	}
	if next < len(r.toks) {
		if _, n := r.lx.at("otherwise", r.toks, next); n > 0 {
			r.commit(nodes)
			r.otherwise(next + n)
			return
		}
		r.fail(next, len(r.toks), "unparsed", "This was not understood.", "")
	}
	r.commit(nodes)
}

// commit adds the nodes of a sentence to the letter's.
func (r *reader) commit(nodes []node) {
	for _, n := range nodes {
		n.intent.Round = r.later()
		if n.cond != nil {
			n.cond.standing = r.standing
			n.cond.round = r.later()
			// "… instead" takes the place of the attack before.
			if n.cond.instead && len(r.nodes) > 0 && !n.cond.standing {
				if last := r.nodes[len(r.nodes)-1]; last.cond == nil && last.attack && n.cond.forced == "" && !n.cond.reaction() {
					n.cond.els = []node{last}
					n.cond.forced = "step"
					inheritShots(n.cond.then, last.intent.Shots)
					r.nodes = r.nodes[:len(r.nodes)-1]
				}
			}
		}
		r.nodes = append(r.nodes, n)
		r.lastBranch = true
	}
}

// later is the round that orders are for, 0 for the first.
func (r *reader) later() int {
	if r.round > 1 {
		return r.round
	}
	return 0
}

func inheritShots(nodes []node, shots int) {
	for i := range nodes {
		if nodes[i].shotless && nodes[i].intent.Verb == "fire" && shots > 0 {
			nodes[i].intent.Shots = shots
		}
	}
}

// otherwise reads what follows "otherwise" and hangs it on the last condition,
// or on the step before becoming impossible.
func (r *reader) otherwise(p int) {
	if !r.lastBranch || len(r.nodes) == 0 {
		r.fail(p, len(r.toks), "trigger_unclear", "It is not clear what this “otherwise” belongs to: the condition before it was not understood, or there is none.", "Write the whole condition again: if …, …; otherwise …")
		return
	}
	last := r.nodes[len(r.nodes)-1]
	r.conditional = true
	nodes, next, ok := r.actions(p, 1, false)
	if !ok || len(nodes) == 0 {
		return
	}
	if next < len(r.toks) {
		r.fail(next, len(r.toks), "unparsed", "This was not understood.", "")
	}
	if last.cond != nil && len(last.cond.els) == 0 && last.cond.forced != "reaction" && !last.cond.held && !last.cond.standing {
		last.cond.els = nodes
		return
	}
	b := &branch{when: game.Condition{Kind: "impossible"}, then: nodes, forced: "step", at: r.span(p, len(r.toks)), round: r.later()}
	if last.cond == nil {
		r.nodes = append(r.nodes, node{cond: b})
		return
	}
	r.fail(p, len(r.toks), "trigger_unclear", "It is not clear what this “otherwise” belongs to.", "Write the whole condition again: if …, …; otherwise …")
}

// label passes over labels such as "Action:", "Round 2:" and "Standing order:".
func (r *reader) label(p int) int {
	r.standing = false
	if _, n := r.lx.at("thanks", r.toks, p); n > 0 && p+n < len(r.toks) && r.toks[p+n].is(",") {
		p += n + 1
	}
	for p < len(r.toks) {
		colon := -1
		for i := p; i < len(r.toks) && i < p+4; i++ {
			if r.toks[i].is(":") {
				colon = i
				break
			}
		}
		words := ""
		if colon > p {
			words = strings.ToLower(r.text(p, colon))
		}
		switch {
		case (strings.HasPrefix(words, "round ") || strings.HasPrefix(words, "turn ")) && colon == p+2:
			n, k := r.number(p + 1)
			if k == 0 {
				return p
			}
			if strings.HasPrefix(words, "round ") && n >= 10 && n <= 200 {
				r.round = n / 10
			}
		case words == "standing order" || words == "standing orders" || words == "standing":
			r.standing = true
		case colon == p+1 && r.onlyDiscourse(p, colon), colon == p+2 && r.onlyDiscourse(p, colon):
		case r.toks[p].is("from") && p+2 < len(r.toks) && r.toks[p+1].is("now") && r.toks[p+2].is("on"):
			r.standing = true
			p += 3
			for p < len(r.toks) && (r.toks[p].is(",") || r.toks[p].is(":")) {
				p++
			}
			return p
		default:
			return p
		}
		p = colon + 1
	}
	return p
}

func (r *reader) onlyDiscourse(p, q int) bool {
	for p < q {
		_, n := r.lx.at("discourse", r.toks, p)
		if n == 0 || p+n > q {
			return false
		}
		p += n
	}
	return true
}

// retracts reports "just kidding", "scratch that" and the like.
func (r *reader) retracts(p int) bool {
	_, n := r.lx.at("retract", r.toks, p)
	if n == 0 {
		return false
	}
	p += n
	for p < len(r.toks) {
		if r.toks[p].kind == word && r.toks[p].text != "no" && r.toks[p].text != "sorry" {
			return false
		}
		p++
	}
	return true
}

func (r *reader) retract() {
	if len(r.nodes) == 0 || r.lastFrom >= len(r.nodes) {
		return
	}
	r.nodes = r.nodes[:r.lastFrom]
	r.lastBranch = false
	r.tell(game.Problem{Severity: game.Noted, Kind: "retracted", Text: "The orders of the sentence before this were taken back.", Source: r.source[r.toks[0].at.Line], At: r.span(0, len(r.toks))})
}

// chatter reports thanks, greetings and smileys.
func (r *reader) chatter(p int) bool {
	var words []string
	for _, t := range r.toks[p:] {
		switch t.kind {
		case word:
			words = append(words, possessive(t.text))
		case number, speech:
			return false
		}
	}
	thanks := r.lx.phrases["thanks"]
	for len(words) > 0 {
		n := thanks.match(words)
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return true
}

// asks reports a question to the GM.
func (r *reader) asks(p int, term string) bool {
	if term == "?" {
		return true
	}
	for {
		_, n := r.lx.at("discourse", r.toks, p)
		if n == 0 {
			break
		}
		p += n
	}
	_, n := r.lx.at("question", r.toks, p)
	return n > 0 && p+n < len(r.toks)
}

// tellMended states every slip of the sentence that was read as another word.
func (r *reader) tellMended() {
	for _, t := range r.toks {
		if t.mended {
			r.tell(game.Problem{Severity: game.Noted, Kind: "spelling", Text: fmt.Sprintf("“%s” was read as “%s”.", t.raw, t.text), Source: r.source[t.at.Line], At: r.clip(t.at)})
		}
	}
}

func (r *reader) clip(s game.Span) game.Span {
	if n := len([]rune(r.source[s.Line])); s.Col+s.Len-1 > n {
		s.Len = max(n-s.Col+1, 0)
	}
	return s
}

func (r *reader) tell(p game.Problem) { r.out.Problems = append(r.out.Problems, p) }

// fail reports text that is not carried out.
func (r *reader) fail(p, q int, kind, text, do string) {
	q = min(q, len(r.toks))
	for p < q && r.toks[p].kind == mark && r.toks[p].text != "(" {
		p++
	}
	for q > p && (r.toks[q-1].kind == newline || r.toks[q-1].is(",")) {
		q--
	}
	if p >= q {
		return
	}
	r.out.Plan.Unparsed = append(r.out.Plan.Unparsed, r.text(p, q))
	r.broken = r.broken || kind != "story"
	if kind != "unparsed" && kind != "story" {
		r.out.Plan.Questions = append(r.out.Plan.Questions, game.Question{Kind: kind, Text: text, Default: "it is not done", At: r.span(p, q)})
	}
	severity := game.Wrong
	switch kind {
	case "story":
		severity = game.Noted
	case "unparsed":
	default:
		severity = game.Asked
	}
	told := game.Problem{Severity: severity, Kind: kind, Text: text, Do: do, Source: r.source[r.toks[p].at.Line], At: r.span(p, q)}
	if kind != "story" {
		told.Understood, told.Nearest = r.understood(p, q), r.suggest(p, q)
	}
	if k := len(r.out.Problems); kind == "story" && k > 0 && r.out.Problems[k-1].Kind == kind && r.out.Problems[k-1].Text == text {
		return // one remark is enough for a paragraph of story
	}
	r.tell(told)
}

// understood lists the words of a stretch that mean something in this game.
func (r *reader) understood(p, q int) string {
	var parts []string
	for p < q {
		if i, n, _ := r.verbAt(p); n > 0 {
			parts = append(parts, strings.Join(r.lx.lemmas[i].words, " "))
			p += n
			continue
		}
		if n, ids := nameAt(r.lx.people, r.toks, p); n > 0 && len(ids) == 1 {
			parts = append(parts, personName(r.lx.people[ids[0]].ID, r.vocab()))
			p += n
			continue
		}
		if n, ids := nameAt(r.lx.places, r.toks, p); n > 0 && len(ids) == 1 {
			parts = append(parts, placeName(r.lx.places[ids[0]].ID, r.vocab()))
			p += n
			continue
		}
		p++
	}
	if len(parts) > 8 {
		parts = parts[:8]
	}
	return strings.Join(parts, ", ")
}

// suggest gives the nearest known words of the first word that is not known.
func (r *reader) suggest(p, q int) []string {
	for _, t := range r.toks[p:q] {
		if t.kind != word || t.raw == "" || r.lx.knows(t.text) || hasDigit(t.text) {
			continue
		}
		if near, _ := nearest(t.text, r.lx.table.fix, r.lx.fix); len(near) > 0 {
			return near
		}
	}
	return nil
}
