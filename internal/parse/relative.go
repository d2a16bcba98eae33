package parse

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// jointAt reads what joins a description to its noun: "with the", "standing on
// the", "up on the". It is 0 if there is none.
func (r *reader) jointAt(p int) int {
	if _, n := r.lx.at("joint", r.toks, p); n > 0 {
		return n
	}
	q := p
	for q < len(r.toks) {
		_, n := r.lx.at("staying", r.toks, q)
		if n == 0 {
			break
		}
		q += n
	}
	_, n := r.lx.at("bythe", r.toks, q)
	if n == 0 || q == p && !r.wideJoint(p) {
		return 0
	}
	q += n
	if _, k := r.lx.at("article", r.toks, q); k > 0 {
		q += k
	} else if q == p+n {
		return 0
	}
	return q - p
}

// wideJoint reports that a bare "on the", "by the" may belong to the noun before:
// it does when what follows describes somebody and is no place by itself.
func (r *reader) wideJoint(p int) bool {
	return p > 0
}

// tells reports that a clause about somebody begins at p: "who shot me".
func (r *reader) tells(p int) bool {
	_, n := r.relative(p)
	return n > 0
}

// relative reads "who shot at me last turn", "that is holding Bokk": whom it
// means, from what the viewer perceived.
func (r *reader) relative(p int) (found, int) {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return found{}, 0
	}
	q := p
	if r.toks[p].is("who") || r.toks[p].is("that") || r.toks[p].is("which") || r.toks[p].is("whoever") {
		q++
	} else if !r.toks[p].is("holding") && !r.toks[p].is("gripping") && !r.toks[p].is("strangling") {
		return found{}, 0
	}
	for q < len(r.toks) && (r.toks[q].is("is") || r.toks[q].is("'s") || r.toks[q].is("was") || r.toks[q].is("just") || r.toks[q].is("has") || r.toks[q].is("had") || r.toks[q].is("still")) {
		q++
	}
	value, n := r.lx.at("deed", r.toks, q)
	if n == 0 || r.toks[p].is("whoever") && (value != "attacked" || q > p+1) {
		return found{}, 0
	}
	q += n
	f, k := r.person(q)
	if k == 0 || !f.one() {
		return found{}, 0
	}
	q += k
	if _, n := r.lx.at("lastturn", r.toks, q); n > 0 {
		q += n
	}
	victim := r.lx.people[f.ids[0]]
	var ids []int
	add := func(id game.ID) {
		if i := slices.IndexFunc(r.lx.people, func(e entity) bool { return e.ID == id }); i >= 0 && !slices.Contains(ids, i) {
			ids = append(ids, i)
		}
	}
	switch value {
	case "holds":
		if victim.Sight == nil {
			return found{}, 0
		}
		for _, s := range victim.Sight.Status {
			if id, ok := strings.CutPrefix(s, "held_by:"); ok {
				add(game.ID(id))
			}
		}
	case "attacked":
		for _, a := range r.actor.View.Attacks {
			if a.Target == victim.ID {
				add(a.Attacker)
			}
		}
	}
	out := r.fit(ids, false)
	out.unknown = len(ids) == 0
	return out, q - p
}

// whoeverIs reads "whoever is on the machine gun", "the one who shot me".
func (r *reader) whoeverIs(p int) (found, int) {
	t := r.toks[p]
	if !t.is("whoever") || p+2 >= len(r.toks) || !(r.toks[p+1].is("is") || r.toks[p+1].is("'s")) {
		return found{}, 0
	}
	n := r.jointAt(p + 2)
	if n == 0 {
		return found{}, 0
	}
	next, words := r.jointWords(p+2+n, nil, false)
	if next == 0 {
		return found{}, 0
	}
	var ids []int
	for i, e := range r.lx.people {
		if e.ID != r.lx.self && r.fits(&e, words) {
			ids = append(ids, i)
		}
	}
	return r.fit(ids, false), next - p
}

// slipOf is the word of a description that an ordinary word at q was meant for,
// where the words before it fit somebody: "the green best" of the green vest.
func (r *reader) slipOf(q int, content []string) string {
	t := r.toks[q]
	if len(content) == 0 || t.kind != word || len(t.text) < 4 || r.lx.knows(t.text) || r.lx.isFunction(t.text) {
		return ""
	}
	found := ""
	for _, e := range r.lx.people {
		if !r.fits(&e, content) {
			continue
		}
		for _, w := range e.words {
			if len(w) >= 4 && distance(t.text, w, 1) == 1 {
				if found != "" && found != w {
					return ""
				}
				found = w
			}
		}
	}
	return found
}
