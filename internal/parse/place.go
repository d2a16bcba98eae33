package parse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// thing reads a phrase for one of the actor's own things at p. The ids are all
// that fit; keep, if given, narrows them.
func (r *reader) thing(p int, keep func(entity) bool) (ids []int, n int) {
	r.work++
	q := p
	if _, k := r.lx.at("article", r.toks, q); k > 0 {
		q += k
		if _, k := r.lx.at("possessive", r.toks, q); k > 0 {
			q += k
		}
	}
	if q == p && p > 0 && p < len(r.toks) && r.toks[p].is("it") && (r.toks[p-1].is("with") || r.toks[p-1].is("using")) && len(r.ready) > 0 {
		last := r.ready[len(r.ready)-1]
		return []int{slices.IndexFunc(r.lx.things, func(e entity) bool { return e.ID == last })}, 1
	}
	n, ids = r.lx.nameAt(r.lx.things, r.toks, q)
	// A longer description wins over a name: "laser pistol" over "laser".
	k := 0
	var words []string
	for q+k < len(r.toks) && r.toks[q+k].kind == word && (k > 0 || r.bareShot(q) == 0) && r.thingWord(r.toks[q+k].text) {
		words = append(words, r.toks[q+k].text)
		k++
	}
	if k > n {
		ids, n = nil, k
		for i, e := range r.lx.things {
			fits := true
			for _, w := range words {
				fits = fits && meansThing(w, &e)
			}
			if fits {
				ids = append(ids, i)
			}
		}
		if len(ids) == 0 {
			return nil, 0
		}
	}
	if n == 0 {
		return nil, 0
	}
	if keep != nil {
		kept := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !keep(r.lx.things[i]) })
		if len(kept) > 0 {
			ids = kept
		}
	}
	return ids, q + n - p
}

func (r *reader) thingWord(w string) bool {
	for i := range r.lx.things {
		if meansThing(w, &r.lx.things[i]) {
			return true
		}
	}
	return false
}

// meansThing reports that a word speaks of a thing: one of its words, the
// beginning or end of one ("auto", "knife" of a vibroknife), or its kind.
func meansThing(w string, e *entity) bool {
	if e.has(w) || generic(w, *e) {
		return true
	}
	for _, full := range e.words {
		if len(w) >= 4 && len(full) > len(w)+1 && strings.HasPrefix(full, w) || len(w) >= 5 && strings.HasSuffix(full, w) {
			return true
		}
	}
	return false
}

// generic reports words that mean any weapon of a kind.
func generic(w string, e entity) bool {
	t := e.Thing
	if t == nil {
		return false
	}
	switch w {
	case "gun", "guns", "firearm", "sidearm", "shooter", "piece":
		return t.Ranged
	case "weapon", "weapons":
		return t.Ranged || t.Melee
	case "blade":
		return t.Melee
	}
	return false
}

// place reads a phrase for a place at p: a square, a feature or a person.
func (r *reader) place(p int) (ref game.Ref, f found, n int) {
	q := p
	if q < len(r.toks) && r.toks[q].is("square") {
		q++
	}
	if q < len(r.toks) && r.toks[q].kind == word && hasDigit(r.toks[q].text) {
		if sq, ok := game.ParseSquare(r.toks[q].text); ok {
			return game.AtSquare(sq), found{}, q + 1 - p
		}
	}
	if q+1 < len(r.toks) && r.toks[q].is("x") && r.toks[q+1].kind == number && r.toks[q].at == r.toks[q+1].at {
		// "X20" is cut like "x2"; here it is a square.
		if sq, ok := game.ParseSquare("x" + r.toks[q+1].text); ok {
			return game.AtSquare(sq), found{}, q + 2 - p
		}
	}
	q = p
	if _, k := r.lx.at("article", r.toks, q); k > 0 {
		q += k
	}
	n, ids := r.lx.nameAt(r.lx.places, r.toks, q)
	if n == 0 && q == p && r.itIsPlace && !r.placeNamed.IsZero() && p < len(r.toks) && r.toks[p].is("it") {
		return r.placeNamed, found{}, 1
	}
	k := 0
	var words []string
	for q+k < len(r.toks) && r.toks[q+k].kind == word && r.placeWord(r.toks[q+k].text) {
		words = append(words, r.toks[q+k].text)
		k++
	}
	person, np := r.person(p)
	if k > n {
		ids, n = nil, k
		for i := range r.lx.places {
			if r.fits(&r.lx.places[i], words) {
				ids = append(ids, i)
			}
		}
	}
	if n > 0 && q+n-p >= np {
		n += q - p
		switch len(ids) {
		case 1:
			r.noted(r.lx.places[ids[0]].ID)
			return game.To(r.lx.places[ids[0]].ID), found{}, n
		case 0:
			return game.Ref{}, found{unknown: true, text: rawText(r.toks[p : p+n]), at: r.span(p, p+n)}, n
		}
		f := found{text: rawText(r.toks[p : p+n]), at: r.span(p, p+n)}
		for _, i := range ids {
			f.names = append(f.names, placeName(r.lx.places[i].ID, r.vocab()))
		}
		return game.Ref{}, f, n
	}
	if np > 0 {
		switch {
		case person.one():
			r.mention(person)
			return game.To(r.lx.people[person.ids[0]].ID), person, np
		case person.selector != "" && person.selector != game.Anyone:
			return game.To(person.selector), person, np
		}
		return game.Ref{}, person, np
	}
	return game.Ref{}, found{}, 0
}

// noted remembers a place as what "it" means.
func (r *reader) noted(id game.ID) { r.placeNamed, r.itIsPlace = game.To(id), true }

func (r *reader) placeWord(w string) bool {
	for i := range r.lx.places {
		if r.lx.places[i].has(w) {
			return true
		}
	}
	return false
}

// unit is the unit of length that the players use.
func (r *reader) unit() string { return cmp.Or(r.lx.view.Units, "m") }

// length reads a distance: "6 m", "10 metres", "5 squares", "thirty feet".
func (r *reader) length(p int) (game.Distance, int) {
	tenths, n := r.number(p)
	if n == 0 {
		return game.Distance{}, 0
	}
	unit, k := r.lx.at("unit", r.toks, p+n)
	if k == 0 {
		return game.Distance{}, 0
	}
	return game.Distance{Tenths: tenths, Unit: unit}, n + k
}

// number reads a number in digits or words, in tenths.
func (r *reader) number(p int) (tenths, n int) {
	if p >= len(r.toks) {
		return 0, 0
	}
	t := r.toks[p]
	if t.kind == number {
		return t.tenths, 1
	}
	if t.kind != word {
		return 0, 0
	}
	if v, ok := r.lx.numberWord(t.text); ok && !hasDigit(t.text) {
		if v >= 20 && v < 100 && p+1 < len(r.toks) {
			if u, ok := r.lx.numberWord(r.toks[p+1].text); ok && u < 10 && r.toks[p+1].kind == word {
				return (v + u) * 10, 2
			}
		}
		return v * 10, 1
	}
	return 0, 0
}
