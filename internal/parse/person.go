package parse

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// found is what a phrase for a person refers to.
type found struct {
	ids      []int   // people of the lexicon that match
	selector game.ID // instead of people
	race     string  // "any Yazirian"
	pronoun  bool
	friend   bool     // matches friends only
	all      bool     // all of the ids are meant
	any      bool     // any one of the ids is meant
	unknown  bool     // a noun phrase that fits nobody
	unsure   bool     // it says more than is known of those who fit
	names    []string // several places that fit
	text     string
	at       game.Span
}

// one is the single combatant meant, if it is clear.
func (f found) one() bool { return len(f.ids) == 1 && !f.unsure }

// person reads a phrase for a person at p: a name, a selector, a pronoun, or a
// description. n is 0 if there is no such phrase.
func (r *reader) person(p int) (f found, n int) {
	r.work++
	if p >= len(r.toks) {
		return found{}, 0
	}
	defer func() {
		if n > 0 {
			f.text = rawText(r.toks[p : p+n])
			f.at = r.span(p, p+n)
		}
	}()
	q := p
	_, nSel := r.lx.at("selector", r.toks, p)
	if r.toks[p].is("the") || r.toks[p].is("a") || r.toks[p].is("an") || r.toks[p].is("that") || r.toks[p].is("this") {
		q++
		if _, k := r.lx.at("selector", r.toks, q); k > 0 && nSel == 0 {
			nSel = k + 1
		}
	}
	nName, who := r.lx.nameAt(r.lx.people, r.toks, q)
	if nName > 0 {
		nName += q - p
	}
	if nSel > 0 && nSel >= nName {
		value, k := r.lx.at("selector", r.toks, p)
		if k == 0 {
			value, _ = r.lx.at("selector", r.toks, q)
		}
		if value == "me" {
			return r.selfRef(), nSel
		}
		return found{selector: game.ID(value)}, nSel
	}
	if f, k := r.whoeverIs(p); k > 0 {
		return f, k
	}
	if r.toks[p].is("whoever") {
		if f, k := r.relative(p); k > 0 {
			return f, k // "whoever shot at me"
		}
	}
	d, nDesc := r.description(p)
	if k, _ := r.lx.nameAt(r.lx.places, r.toks, q); nDesc > 0 && nName == 0 && k > 0 && k+q-p >= nDesc {
		return found{}, 0 // the place itself
	}
	if nDesc > 0 && nName == 0 && d.unsure && !isArticle(r.toks[p].text) {
		if _, k := r.thing(p, nil); k >= nDesc {
			return found{}, 0 // one's own thing
		}
	}
	if nName > 0 && nName >= nDesc {
		return r.fit(who, true), nName
	}
	if nDesc > 0 {
		return d, nDesc
	}
	if _, k := r.lx.at("pronoun", r.toks, p); k > 0 && !r.owns(p) {
		return r.pronounRef(), k
	}
	return found{}, 0
}

// owns reports a possessive at p: "my", or "her" with a noun behind it.
func (r *reader) owns(p int) bool {
	t := r.toks[p]
	if possessive(t.text) != "my" || !t.is("her") {
		return possessive(t.text) == "my"
	}
	q := p + 1
	if q >= len(r.toks) || r.toks[q].kind != word || r.boundary(q) || r.lx.isFunction(r.toks[q].text) {
		return false
	}
	_, n := r.lx.at("times", r.toks, q)
	_, k := r.lx.at("every", r.toks, q)
	return n == 0 && k == 0 && !r.aheadVerb(q)
}

func (r *reader) selfRef() found {
	for i, e := range r.lx.people {
		if e.ID == r.lx.self {
			return found{ids: []int{i}}
		}
	}
	return found{selector: game.Me}
}

// fit keeps enemies if there are any (SCHEMA 7.5), and says when only friends
// are left. named: by name, which means nobody else.
func (r *reader) fit(ids []int, named bool) found {
	var enemies []int
	for _, i := range ids {
		if rel := r.lx.people[i].Relation; rel == "enemy" || rel == "neutral" {
			enemies = append(enemies, i)
		}
	}
	if len(enemies) > 0 && !named {
		return found{ids: enemies}
	}
	friend := len(ids) > 0
	for _, i := range ids {
		friend = friend && r.lx.people[i].Relation == "ally"
	}
	return found{ids: ids, friend: friend}
}

// pronounRef is the last person named in the letter, if that is clear: in the
// last sentence that named anybody, only one was named.
func (r *reader) pronounRef() found {
	f := found{pronoun: true}
	if r.trigger != nil {
		t := *r.trigger
		t.pronoun = true
		return t
	}
	f.ids = slices.Clone(r.named)
	if len(f.ids) == 0 {
		f.ids = slices.Clone(r.namedBefore)
	}
	if len(f.ids) > 1 {
		// With friends and one foe spoken of, he is meant, unless it is a kindness.
		some := slices.DeleteFunc(slices.Clone(f.ids), func(i int) bool { return (r.lx.people[i].Relation == "ally") != r.kindly })
		if len(some) == 1 {
			f.ids = some
		}
	}
	return f
}

// mention remembers who was spoken of.
func (r *reader) mention(f found) {
	if f.pronoun || !f.one() || r.lx.people[f.ids[0]].ID == r.lx.self {
		return
	}
	r.itIsPlace = false
	if !slices.Contains(r.named, f.ids[0]) {
		r.named = append(r.named, f.ids[0])
	}
}

// description reads "the scarred Yazirian", "the Yazirian with the axe", "the
// nearest Yazirian", "any Yazirian", "the other one".
func (r *reader) description(p int) (found, int) {
	q := p
	var content []string
	nearest, other, anyOf, article, all := false, false, false, false, false
	unknown, one := false, false
	var near game.Ref
	for {
		if q >= len(r.toks) || r.toks[q].kind != word {
			break
		}
		t := r.toks[q]
		switch {
		case q == p && (t.is("any") || t.is("a") || t.is("an") || t.is("another")):
			anyOf, article = t.is("any") || t.is("a") || t.is("an"), true
			q++
			continue
		case q == p && (t.is("both") || t.is("all") || t.is("every") || t.is("each")):
			all, article = true, true
			q++
			for q < len(r.toks) && (r.toks[q].is("the") || r.toks[q].is("of")) {
				q++
			}
			continue
		case q == p+1 && article && len(content) == 0 && r.describes(q+1) && (t.is("two") || t.is("three") || t.is("four") || t.is("other") && false):
			all = true
			q++
			continue
		case q == p && (isArticle(t.text) || t.is("one") && r.toks[min(q+1, len(r.toks)-1)].is("of")):
			article = true
			q++
			continue
		}
		if len(content) == 0 && !nearest && article || q == p {
			if _, k := r.lx.at("nearest", r.toks, q); k > 0 && r.describes(q+k) {
				nearest = true
				q += k
				continue
			}
		}
		if article && len(content) == 0 && t.is("other") {
			other = true
			q++
			if q < len(r.toks) && r.toks[q].is("one") {
				q++
			}
			continue
		}
		if r.describes(q) {
			if k, who := r.lx.nameAt(r.lx.people, r.toks, q); k > 1 && len(who) == 1 && len(content) == 0 {
				for _, w := range r.toks[q : q+k] {
					if !describesNothing[possessive(w.text)] {
						content = append(content, singular(w.text))
					}
				}
				q += k
				continue
			}
			content = append(content, t.text)
			q++
			continue
		}
		if n := len(content); n > 1 && content[n-1] == "without" && (t.is("a") || t.is("the") || t.is("any")) && r.describes(q+1) {
			q++ // "the spearman without a helmet"
			continue
		}
		if _, k := r.lx.at("somebody", r.toks, q); k > 0 && len(content) > 0 && !one {
			one = true
			q += k
			continue
		}
		if _, k := r.lx.at("somebody", r.toks, q); k > 0 && article && len(content) == 0 && !one && (r.jointAt(q+k) > 0 || r.tells(q+k) || r.nearestAt(q+k)) {
			one = true // "the one with the axe"
			q += k
			continue
		}
		if g, k := r.relative(q); k > 0 && article && (len(content) > 0 || one) {
			g.ids = slices.DeleteFunc(g.ids, func(i int) bool { return !r.fits(&r.lx.people[i], content) })
			if len(g.ids) == 0 {
				return found{unknown: true}, q + k - p
			}
			return g, q + k - p
		}
		if _, k := r.lx.at("nearest", r.toks, q); k > 0 && article && (len(content) > 0 || one) && near.IsZero() {
			if ref, n := r.nearTo(q + k); n > 0 {
				near = ref
				q += k + n
				continue
			}
		}
		if k := r.jointAt(q); k > 0 && (len(content) > 0 || one) {
			if next, words := r.jointWords(q+k, content, t.is("with")); next > 0 {
				content = append(content, words...)
				q = next
				continue
			}
			break
		}
		if _, k := r.lx.at("expletive", r.toks, q); k > 0 && (article || len(content) > 0) && (r.moreNoun(q+k) || article && one) {
			q += k
			continue
		}
		if w := r.slipOf(q, content); w != "" && article {
			content = append(content, w)
			r.toks[q].text, r.toks[q].mended = w, true
			q++
			continue
		}
		// An unknown word between article and noun may tell somebody apart whom
		// the viewer does not know: it makes the phrase unclear, never ignored.
		if article && len(content) == 0 && r.describes(q+1) && !r.lx.isFunction(t.text) {
			unknown = true
			q++
			continue
		}
		break
	}
	if len(content) == 0 && !other && near.IsZero() {
		return found{}, 0
	}
	if article && len(content) > 0 && !one && !other && q < len(r.toks) && r.toks[q].kind == word && !r.lx.knows(r.toks[q].text) && !r.lx.isNoun(content[len(content)-1]) {
		return found{}, 0 // "the big plasma cannon" is nobody
	}
	if other && len(content) == 0 {
		one = true // "the other one" of the same kind
	}
	var ids []int
	me := -1
	for i := range r.lx.people {
		e := &r.lx.people[i]
		if !r.fits(e, content) {
			continue
		}
		if e.ID == r.lx.self && len(content) > 0 && article {
			me = i
			continue
		}
		ids = append(ids, i)
	}
	if len(ids) == 0 && me >= 0 && !other {
		ids = []int{me}
	}
	if other && len(content) == 0 {
		ids = r.sameKind(ids)
	}
	if other {
		ids = slices.DeleteFunc(ids, func(i int) bool {
			return r.lx.people[i].ID == r.lx.self || slices.Contains(r.named, i) || len(r.named) == 0 && slices.Contains(r.namedBefore, i)
		})
	}
	f := r.fit(ids, !article && len(content) == 1)
	if !one && len(content) > 0 && len(f.ids) > 0 && !slices.ContainsFunc(content, func(w string) bool { return r.head(f.ids, w) }) {
		unknown = true
	}
	switch {
	case len(f.ids) == 0:
		return found{unknown: true}, q - p
	case unknown, all:
		f.unsure, f.all = true, all && !unknown
	case !near.IsZero():
		f.ids = r.nearestOf(f.ids, near)
	case nearest:
		f.ids = f.ids[:1]
	case anyOf && len(content) == 1 && r.lx.races[content[0]] != "":
		return found{race: r.lx.races[content[0]]}, q - p
	}
	f.any = anyOf && !unknown
	return f, q - p
}

// sameKind keeps those of the race of whoever was named last.
func (r *reader) sameKind(ids []int) []int {
	last := r.named
	if len(last) == 0 {
		last = r.namedBefore
	}
	if len(last) == 0 || r.lx.people[last[len(last)-1]].Sight == nil {
		return ids
	}
	race := r.lx.people[last[len(last)-1]].Sight.Race
	some := slices.DeleteFunc(slices.Clone(ids), func(i int) bool {
		s := r.lx.people[i].Sight
		return s == nil || s.Race != race || slices.Contains(last, i)
	})
	if len(some) == 0 {
		return ids
	}
	return append(some, last...)
}

// isNoun reports a word that names one of the people by itself.
func (lx *lexicon) isNoun(w string) bool {
	return slices.ContainsFunc(lx.people, func(e entity) bool { return e.heads.has(w) || e.heads.has(singular(w)) })
}

// head reports a word that names one of these people by itself.
func (r *reader) head(ids []int, w string) bool {
	for _, i := range ids {
		e := r.lx.people[i]
		if e.heads.has(w) || e.heads.has(singular(w)) || e.heads.has(stem(w)) || e.side != "" && strings.HasPrefix(w, e.side) {
			return true
		}
		if !e.words.has(w) && e.has(w) && !e.held.has(w) {
			return true // a noun made of a word that describes him: "scarface", "the hood"
		}
	}
	return false
}

func isArticle(w string) bool {
	switch w {
	case "the", "that", "this", "those", "these":
		return true
	}
	return false
}

// isFunction reports words that join phrases, which describe nobody.
func (lx *lexicon) isFunction(w string) bool {
	for _, section := range []string{"relation", "danger", "aside", "target", "using", "filler", "shots", "number", "condition", "article"} {
		for _, ph := range lx.phrases[section][possessive(w)] {
			if len(ph.words) == 1 {
				return true
			}
		}
	}
	return false
}

// describes reports that the word at q tells something of somebody seen.
func (r *reader) describes(q int) bool {
	if q >= len(r.toks) || r.toks[q].kind != word {
		return false
	}
	w := r.toks[q].text
	known, asked := r.lx.tells[w]
	if !asked {
		for i := range r.lx.people {
			known = known || r.lx.people[i].has(w)
		}
		r.lx.tells[w] = known
	}
	return known
}

// moreNoun reports that the phrase goes on with a description after q.
func (r *reader) moreNoun(q int) bool {
	for range 3 {
		if r.describes(q) {
			return true
		}
		_, k := r.lx.at("expletive", r.toks, q)
		if k == 0 {
			return false
		}
		q += k
	}
	return false
}

// fits reports that all words of a description are true of somebody.
func (r *reader) fits(e *entity, content []string) bool {
	for _, w := range content {
		if !e.has(w) {
			return false
		}
	}
	return true
}

func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// jointWords reads what follows "with the", "in the": words that, with those
// before, still fit somebody. A thing of the actor's own after "with" is his weapon.
func (r *reader) jointWords(q int, content []string, with bool) (int, []string) {
	if with {
		if _, k := r.thing(q, nil); k > 0 {
			before := 0
			for i := range r.lx.people {
				if r.fits(&r.lx.people[i], content) {
					before++
				}
			}
			if before == 1 && len(content) > 0 {
				return 0, nil
			}
		}
	}
	var words []string
	for q < len(r.toks) {
		if w := r.slipOf(q, append(slices.Clone(content), words...)); w != "" && len(words) > 0 {
			r.toks[q].text, r.toks[q].mended = w, true
		}
		if !r.describes(q) {
			break
		}
		words = append(words, r.toks[q].text)
		q++
	}
	if len(words) == 0 {
		return 0, nil
	}
	all := append(slices.Clone(content), words...)
	for i := range r.lx.people {
		if r.fits(&r.lx.people[i], all) {
			return q, words
		}
	}
	return 0, nil
}

// names of several people, for choices and questions.
func (r *reader) choices(ids []int) []string {
	var all []string
	for _, i := range ids {
		e := r.lx.people[i]
		s := personName(e.ID, r.vocab())
		if e.Sight != nil {
			s += " (" + game.Length(e.Sight.Distance, r.lx.view.Units) + ")"
		}
		all = append(all, s)
	}
	return all
}
