package parse

import (
	"strings"
)

// adverbial passes over how something is done: "politely", "with a grunt they
// must have heard", "without looking".
func (r *reader) adverbial(p int) int {
	t := r.toks[p]
	if t.kind != word {
		return 0
	}
	if len(t.text) > 4 && strings.HasSuffix(t.text, "ly") && !r.lx.knows(t.text) {
		return 1
	}
	q := p
	switch {
	case t.is("with"):
		q++
		if _, n := r.lx.at("article", r.toks, q); n > 0 {
			q += n
		}
		for k := 0; k < 3 && q < len(r.toks) && r.toks[q].kind == word; k++ {
			if _, n := r.lx.at("mannernoun", r.toks, q); n > 0 {
				return r.plainTail(q+n) - p
			}
			q++
			if q < len(r.toks) && r.toks[q].is("'s") {
				q++
			}
		}
	case t.is("like"):
		if end := r.plainTail(q + 1); end > q+1 {
			return end - p // "like so much porridge"
		}
	case t.is("without") || t.is("counting") || t.is("ignoring") || t.is("hoping"):
		q++
		if q < len(r.toks) && (r.toks[q].is("me") || r.toks[q].is("even") || possessive(r.toks[q].text) == "my" || r.toks[q].is("him") || r.toks[q].is("the")) {
			q++
		}
		if end := r.plainTail(q); end > q || !t.is("without") {
			return end - p
		}
	}
	return 0
}

// plainTail is where the clause at p ends, if nothing in it speaks of people,
// places or conditions; else p.
func (r *reader) plainTail(p int) int {
	end := p
	for end < len(r.toks) && !r.boundary(end) && r.toks[end].kind == word && !r.toks[end].is("and") {
		if _, n := r.person(end); n > 0 && !r.toks[end].is("they") && !r.toks[end].is("it") {
			return p
		}
		if _, n := r.lx.at("condition", r.toks, end); n > 0 {
			return p
		}
		end++
	}
	return end
}
