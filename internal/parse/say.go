package parse

import (
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// quoted reads a quotation that no verb of saying introduces; one may follow:
// "Halt!" she shouts, …
func (r *reader) quoted(p int) ([]node, int) {
	said := r.toks[p]
	q := p + 1
	for q < len(r.toks) && r.toks[q].is(",") {
		q++
	}
	s, n := r.subjectAt(q)
	if (s == nobody || s == unclear) && q < len(r.toks) {
		switch r.toks[q].text {
		case "he", "she", "they", "it":
			s, n = selfByName, 1
		}
	}
	flags, v := r.aux(q + n)
	i, k, _ := r.verbAt(v)
	var to game.ID
	if k > 0 && r.lx.lemmas[i].intent == "say" && !flags.not && !flags.thought {
		if s == friend || s == other || s == sibling {
			r.subject, r.spoken = s, s
			e := r.skip(v + k)
			if s != sibling {
				r.fail(p, e, "story", "This was read as what somebody else says.", "")
			}
			return nil, e
		}
		if n > 0 {
			r.subject = s
			r.spoken = selfByName
		}
		to, q = r.hearer(v + k)
		q = r.skip(q)
	} else {
		q = p + 1
		to, q = r.hearer(q)
	}
	if r.multi {
		c := &clause{from: p, p: q}
		if !r.mine(s, p, c) {
			return nil, q
		}
	}
	return r.say(said.raw, to, p, q), q
}

// hearer reads "to Gorlap", "at him", "over the radio" behind a verb of saying.
func (r *reader) hearer(p int) (game.ID, int) {
	var to game.ID
	for p < len(r.toks) && !r.boundary(p) {
		if s, n := r.subjectAt(p); n > 0 && (s == self || s == selfByName) {
			break
		}
		k := 0
		if r.toks[p].is("to") || r.toks[p].is("at") {
			k = 1
		}
		if f, n := r.person(p + k); n > 0 {
			if f.one() && !f.unknown && r.lx.people[f.ids[0]].ID != r.lx.self {
				to = r.lx.people[f.ids[0]].ID
			}
			p += k + n
			continue
		}
		p++
	}
	return to, p
}

// speech reads what follows a verb of saying: a quotation, or the rest of the
// sentence.
func (r *reader) speech(c *clause) ([]node, int) {
	q := c.p
	for q < len(r.toks) && r.toks[q].kind != speech {
		q++
	}
	if q < len(r.toks) {
		to, _ := r.hearer(c.p)
		for end := c.p; end < q; end++ {
			if r.boundary(end) && r.toks[end].kind != speech && r.startsClause(r.joints(end)) && r.joints(end) < q {
				// "I shout and fire, "Die!"": something else is ordered in between.
				return nil, end
			}
		}
		text := r.toks[q].raw
		if r.toks[q].text == "" {
			r.tell(game.Problem{Severity: game.Noted, Kind: "open_quote", Text: "The quotation is not closed: all up to the end of the paragraph was read as speech.", Source: r.source[r.toks[q].at.Line], At: r.span(q, q+1)})
		}
		after := q + 1
		if to == "" {
			to, after = r.hearer(after)
		}
		return r.say(text, to, c.from, after), after
	}
	if c.p >= len(r.toks) || r.boundary(c.p) && !r.toks[c.p].is(":") && !r.commands(c.p) {
		// "I shout and run": nothing is said that could be told.
		return nil, c.p
	}
	p := c.p
	for p < len(r.toks) && r.toks[p].kind == mark {
		p++
	}
	var to game.ID
	switch c.lemma.words[0] {
	case "tell", "order", "ask", "warn", "beg", "radio", "call":
		if f, n := r.person(p); n > 0 && f.one() && p+n < len(r.toks) {
			to = r.lx.people[f.ids[0]].ID
			p += n
		}
	}
	text := r.text(p, len(r.toks))
	if r.nearVerb(p, len(r.toks)) {
		r.tell(game.Problem{Severity: game.Noted, Kind: "speech", Text: "All of this was read as speech.", Do: "Put what is said in quotation marks; what stands outside of them is an order.", Source: r.source[r.toks[p].at.Line], At: r.span(p, len(r.toks))})
	}
	return r.say(text, to, c.from, len(r.toks)), len(r.toks)
}

// commands reports a comma with an imperative behind it: "I shout, get down!"
// is speech; "she snarls, raises her gun" is not.
func (r *reader) commands(p int) bool {
	if !r.toks[p].is(",") {
		return false
	}
	q := r.joints(p)
	if s, n := r.subjectAt(q); n > 0 && (s == self || s == selfByName) {
		return false
	}
	_, n, when := r.verbAt(q)
	return n == 0 || when == base
}

// say makes speech: a step where it hangs on a condition, else a free act.
func (r *reader) say(text string, to game.ID, p, q int) []node {
	text = strings.TrimRight(strings.TrimSpace(text), ",")
	if text == "" {
		return nil
	}
	if r.conditional {
		in := game.Intent{Verb: "say", Text: text, At: r.span(p, q)}
		if to != "" {
			in.Target = game.To(to)
		}
		return []node{{intent: in}}
	}
	r.out.Plan.Say = append(r.out.Plan.Say, game.Speech{Text: text, To: to})
	return nil
}
