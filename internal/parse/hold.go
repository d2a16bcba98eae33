package parse

import "github.com/pbemd/pbemd/internal/game"

// heldFor reads "for 3 seconds", "until second 5", which only some games count.
func (r *reader) heldFor(in *game.Intent, p int) int {
	if !r.takes("hold", "seconds") && !r.takes("hold", "second") {
		return 0
	}
	q := p
	if r.toks[q].is("for") || r.toks[q].is("until") || r.toks[q].is("till") || r.toks[q].is("in") {
		q++
	}
	if v, n := r.whole(q); n > 0 {
		if u, k := r.lx.at("timeunit", r.toks, q+n); k > 0 && u == "second" && in.Seconds == 0 {
			in.Seconds = v
			return q + n + k - p
		}
	}
	if u, k := r.lx.at("timeunit", r.toks, q); k > 0 && u == "second" && q > p {
		if v, n := r.whole(q + k); n > 0 && in.Second == 0 {
			in.Second = v
			return q + k + n - p
		}
	}
	return 0
}

// fetched reports "get the sling out": a thing of the sheet with "out" behind it.
func (r *reader) fetched(c *clause) bool {
	ids, n := r.thing(c.p, func(e entity) bool { return !r.inHand(e) })
	if c.p+n < len(r.toks) && r.toks[c.p+n].is("one") {
		n++ // "get the spare one out"
	}
	return n > 0 && len(ids) > 0 && c.p+n < len(r.toks) && r.toks[c.p+n].is("out")
}
