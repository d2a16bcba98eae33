package parse

import "slices"

// inlineItems cuts a line that numbers its orders itself: "1) break free 2) pick
// up the stunstick", "a) screen on b) fire". first is the mark that the line's
// bullet took, "1" or "a".
func inlineItems(toks []token, first string) []token {
	next := func(label string) string {
		if n := len(label); n == 1 && (label[0] >= '1' && label[0] < '9' || label[0] >= 'a' && label[0] < 'f') {
			return string(label[0] + 1)
		}
		return ""
	}
	want := next(first)
	open := 0
	for i := 0; i+1 < len(toks); i++ {
		t := toks[i]
		switch {
		case t.is("("):
			open++
		case t.is(")"):
			open--
		}
		if want == "" || t.text != want || open > 0 || !adjacent(t, toks[i+1]) || i == 0 {
			continue
		}
		before := toks[i-1]
		ends := before.kind == mark && (before.is(".") || before.is(";") || before.is(","))
		if !toks[i+1].is(")") && !(toks[i+1].is(".") && ends) {
			continue
		}
		toks[i] = token{kind: stop, text: "\n", at: t.at}
		toks = slices.Delete(toks, i+1, i+2)
		if before.is(",") {
			toks = slices.Delete(toks, i-1, i)
		}
		want = next(want)
	}
	return toks
}

// particles are the second words of verbs that take their thing in between:
// "pick the stunstick up", "put the Uzi away".
var particles = []string{"up", "away", "out", "back", "down", "aside"}

// joined brings the parts of such verbs together, where one's own thing, or "it",
// stands between them.
func (r *reader) joined() {
	for p := 0; p+2 < len(r.toks); p++ {
		if r.toks[p].kind != word || len(r.lx.forms[r.toks[p].text]) == 0 {
			continue
		}
		if r.toks[p].is("put") || r.toks[p].is("lay") || r.toks[p].is("set") || r.toks[p].is("puts") || r.toks[p].is("lays") || r.toks[p].is("sets") {
			if n := r.ownThing(p + 1); n > 0 && p+1+n < len(r.toks) && r.toks[p+1+n].is("down") {
				r.toks[p+1+n].text = "aside" // not as one puts somebody down
			}
		}
		for _, f := range r.lx.forms[r.toks[p].text] {
			for _, ph := range r.lx.table.verbs[f.base] {
				if len(ph.words) != 2 || !slices.Contains(particles, ph.words[1]) || !r.handles(ph) {
					continue
				}
				n := r.ownThing(p + 1)
				q := p + 1 + n
				if n == 0 || q >= len(r.toks) || !r.toks[q].is(ph.words[1]) {
					continue
				}
				particle := r.toks[q]
				copy(r.toks[p+2:q+1], r.toks[p+1:q])
				r.toks[p+1] = particle
			}
		}
	}
}

// ownThing is the length of a weapon of one's own at p, or of an "it".
func (r *reader) ownThing(p int) int {
	if r.toks[p].is("it") {
		return 1
	}
	ids, n := r.thing(p, isAttack)
	if n == 0 || !slices.ContainsFunc(ids, func(i int) bool { return isAttack(r.lx.things[i]) }) {
		return 0
	}
	return n
}

// handles reports a verb that only means drawing, putting away or picking up.
func (r *reader) handles(ph phrase) bool {
	return !slices.ContainsFunc(r.lx.table.verbs[ph.words[0]], func(o phrase) bool {
		return slices.Equal(o.words, ph.words) && r.lemmaOf(o).intent != "ready"
	})
}

// drawnOut reads a thing with "out" or "away" behind it: "stunstick out". It gives
// what is done with it and the length.
func (r *reader) drawnOut(p int) (action string, n int) {
	_, n = r.thing(p, isArm)
	if n == 0 || p+n >= len(r.toks) || !r.boundary(p+n+1) {
		return "", 0
	}
	switch r.toks[p+n].text {
	case "out", "drawn", "ready":
		return "draw", n
	case "away", "holstered", "sheathed":
		return "holster", n
	}
	return "", 0
}
