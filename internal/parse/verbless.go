package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// verbless reads orders that have no verb: "2 shots at Zog", "laser pistol: Zog,
// 2 shots", "no movement". Anything else is reported.
func (r *reader) verbless(c *clause, flags auxiliaries, subject bool) ([]node, int) {
	p := c.p
	if flags.not && p < len(r.toks) && r.toks[p].is(",") {
		// "Do not, under any circumstances, shoot Zog."
		r.tell(game.Problem{Severity: game.Noted, Kind: "negation", Text: "This says what you do not do; nothing is done for it.", Source: r.source[r.toks[c.from].at.Line], At: r.span(c.from, len(r.toks))})
		return nil, len(r.toks)
	}
	if _, n := r.lx.at("nothing", r.toks, p); n > 0 && (r.boundary(p+n) || r.toks[p+n].is(",")) {
		return nil, p + n
	}
	if t := r.toks; p < len(t) && (t[p].is("no") || t[p].is("none") || flags.not && !subject) {
		e := r.skip(p)
		r.tell(game.Problem{Severity: game.Noted, Kind: "negation", Text: "This says what you do not do; nothing is done for it.", Source: r.source[t[p].at.Line], At: r.span(c.from, max(e, p+1))})
		return nil, max(e, p+1)
	}
	if !subject && !flags.any {
		if _, n := r.lx.at("sametarget", r.toks, p); n > 0 {
			if !r.mine(r.subject, p, c) {
				return nil, r.skip(max(p, c.from+1))
			}
			if nodes, ok := r.sameMan(c, p); ok {
				return nodes, max(c.p, c.from+1)
			}
		}
		if end, ok := r.supplement(p); ok && !r.toks[p].is("down") {
			return nil, end
		}
		if do := r.bareOrder(c, p); do != nil {
			if !r.mine(r.subject, p, c) {
				return nil, r.skip(max(p, c.from+1))
			}
			return r.done(c, 0, do)
		}
	}
	if !subject && !flags.any && r.lx.verbs["fire"].Name != "" && r.looksLikeShot(p) {
		if !r.mine(r.subject, p, c) {
			return nil, r.skip(max(p, c.from+1))
		}
		return r.fragment(c, p)
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
	r.mentionAll(c.from, e)
	kind, text := "story", "This was read as story, not as an order."
	if r.nearVerb(c.from, e) {
		kind, text = "unparsed", "This was not understood as an order."
	}
	if e+1 < len(r.toks) && r.toks[e].is(":") && r.toks[e+1].kind != speech {
		// An unknown label may say anything of what stands behind it.
		e = len(r.toks)
		kind, text = "unparsed", "It is not clear what stands before the colon, so nothing behind it is done."
	}
	if r.tellsWhen(c.from, e) {
		// A time that was not understood may hold for all of the sentence.
		e = len(r.toks)
		kind, text = "unparsed", "It is not clear when this shall be done, so it is not."
	}
	r.fail(c.from, e, kind, text, "")
	r.broken = true // a shot without a verb behind it may hang on it
	return nil, e
}

// tellsWhen reports that a stretch which was not understood speaks of a time: it
// begins with "before" or the like, or holds an "until".
func (r *reader) tellsWhen(p, q int) bool {
	switch r.toks[p].text {
	case "before", "while", "after", "until", "till":
		return true
	}
	return slices.ContainsFunc(r.toks[p:min(q, len(r.toks))], func(t token) bool {
		return t.kind == word && (t.is("until") || t.is("till") || t.is("unless"))
	})
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
			if n, ids := r.lx.nameAt(list, r.toks, p); n > 0 && !(len(ids) == 1 && list[ids[0]].ID == r.lx.self) {
				return true
			}
		}
	}
	return false
}
