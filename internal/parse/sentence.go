package parse

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// holds reports that a stretch begins with a verb of keeping back.
func (r *reader) holds(toks []token) bool {
	for _, t := range toks[:min(len(toks), 4)] {
		for _, f := range r.lx.forms[t.text] {
			if f.base == "hold" || f.base == "keep" || f.base == "reserve" || f.base == "save" {
				return t.kind == word
			}
		}
	}
	return false
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
		if i == 0 || i >= len(r.toks) || leavesOpen(r.toks[max(i-2, 0)].text, r.toks[i-1].text) {
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

// loneCondition reports that a line is a condition and nothing else, so that what
// hangs on it stands in the next line, or in the one before. Where the condition is
// not understood, doubt tells what to say of it: what may hang on it is asked about.
func (r *reader) loneCondition(toks []token, doubt bool) bool {
	try := *r
	try.toks = slices.DeleteFunc(slices.Clone(toks), func(t token) bool { return t.kind == newline })
	_, q := try.force(0)
	_, n := try.condLead(q)
	if n == 0 {
		return false
	}
	q += n
	cr := conditionReader{reader: &try}
	if _, end, ok := cr.either(q); ok {
		return try.joints(end) >= len(try.toks)
	}
	if doubt {
		return !slices.ContainsFunc(try.toks[q:], func(t token) bool { return t.is(",") || t.is(":") || t.is("then") })
	}
	// Not its subject, and not its last word: "if he is still up" holds no order.
	for q++; q < len(try.toks)-1; q++ {
		switch try.toks[q].text {
		case "is", "are", "has", "have", "does", "was":
			continue
		}
		if try.toks[q].kind == mark || try.startsClause(q) {
			return false
		}
	}
	return true
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
	case r.replaces(0):
		r.retract()
		r.fail(0, len(r.toks), "contradiction", "This takes back the sentence before it; it is not clear what is left.", "Write the order once more as you want it.")
		return
	case r.asks(p, term):
		r.ask(p, "?")
		return
	case r.asBefore(p):
		r.lastBranch = false
		return
	case r.policySentence(p):
		r.lastBranch = false
		return
	}
	r.checked(p)
}

// ask keeps a question to the GM.
func (r *reader) ask(p int, end string) {
	r.out.Plan.Ask = append(r.out.Plan.Ask, game.Text{Text: r.text(p, len(r.toks)) + end})
	r.tell(game.Problem{Severity: game.Noted, Kind: "gm_question", Text: "This was read as a question to the GM, not as an order.", Source: r.source[r.toks[p].at.Line], At: r.span(p, len(r.toks))})
	r.lastBranch = false
	r.clauses++
}

// endMark is the mark that belongs to the text of a sentence.
func endMark(term string) string {
	if term == "?" || term == "!" || term == "." {
		return term
	}
	return ""
}

// label passes over labels such as "Action:", "Round 2:" and "Standing order:".
func (r *reader) label(p int) int {
	r.standing = false
	if _, n := r.lx.at("thanks", r.toks, p); n > 0 && p+n < len(r.toks) && r.toks[p+n].is(",") {
		p += n + 1
	}
	for p < len(r.toks) {
		colon := -1
		if _, n := r.lx.at("standinglead", r.toks, p); n > 0 {
			q := p + n
			if _, k := r.lx.at("expiry", r.toks, q); k > 0 {
				q += k
			}
			for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is(":") || r.toks[q].is("-")) {
				q++
			}
			if q > p+n || q == len(r.toks) || r.leads(q) || r.startsClause(q) {
				r.standing = true
				p = q
				continue
			}
		}
		if a := r.count(p); a.n > 0 && a.noun && p+a.n < len(r.toks) && r.toks[p+a.n].is(":") && r.count(p+a.n+1).n > 0 {
			p += a.n + 1 // "two shots: one at Zog, one at the robot"
			continue
		}
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

// replaces reports a sentence that puts something in the place of the one
// before: "No wait, at the robot."
func (r *reader) replaces(p int) bool {
	_, n := r.lx.at("correct", r.toks, p)
	return n > 0 && r.lastFrom < len(r.nodes) && r.corrects(p+n)
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
	thanks, interjections := r.lx.phrases["thanks"], r.lx.phrases["interjection"]
	for len(words) > 0 {
		n := max(thanks.match(words), interjections.match(words))
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
