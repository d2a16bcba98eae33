package parse

import (
	"strconv"
	"strings"
)

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

// verbAt finds the verb at p: the index of its lemma, its length and tense.
func (r *reader) verbAt(p int) (i, n int, when tense) {
	if p >= len(r.toks) || r.toks[p].kind != word || r.givesUp(p) {
		return 0, 0, base
	}
	for _, f := range r.lx.forms[r.toks[p].text] {
		for _, ph := range r.lx.table.verbs[f.base] {
			k := 1
			if len(ph.words) > 1 {
				rest := wordsAt(ph.words[1:], r.toks, p+1)
				if rest == 0 {
					continue
				}
				k += rest
			}
			if k < n || k == n && (when != past || f.tense == past) {
				continue
			}
			if j, err := strconv.Atoi(ph.value); err == nil {
				i, n, when = j, k, f.tense
			}
		}
	}
	// The game may have words for a verb that we do not know.
	if j, k, t := r.ownAt(p); k > n || k == n && k > 0 && len(r.lx.lemmas[j].set) > 0 {
		return j, k, t
	}
	return i, n, when
}

// lemmaOf is what an entry of the verbs means.
func (r *reader) lemmaOf(ph phrase) lemma {
	j, err := strconv.Atoi(ph.value)
	if err != nil {
		return lemma{}
	}
	return r.lx.lemmas[j]
}

// subjectAt reads who acts: n is 0 if nobody is named. A name or description
// counts only when a verb follows it.
func (r *reader) subjectAt(p int) (who, int) {
	if p >= len(r.toks) || r.toks[p].kind != word {
		return nobody, 0
	}
	t := r.toks[p]
	verbFollows := func(q int) bool {
		for q < len(r.toks) && (strings.HasSuffix(r.toks[q].text, "ly") || possessive(r.toks[q].text) == "myself" || r.toks[q].is("then") || r.toks[q].is("just") || r.toks[q].is("also") || r.toks[q].is("now")) {
			q++
		}
		flags, q2 := r.aux(q)
		if flags.any {
			return true
		}
		_, n, _ := r.verbAt(q2)
		return n > 0
	}
	switch t.text {
	case "i":
		return self, 1
	case "we":
		return unclear, 1
	case "you":
		return other, 1
	case "my":
		if p+1 < len(r.toks) {
			switch r.toks[p+1].text {
			case "character", "pc", "char", "guy", "man", "hero", "person", "figure", "avatar", "toon":
				return selfByName, 2
			}
		}
	case "he", "she", "they", "it":
		if !verbFollows(p + 1) {
			return nobody, 0
		}
		switch r.spoken {
		case nobody:
			// Nobody else was spoken of: his player tells the story.
			if len(r.named)+len(r.namedBefore) == 0 && !r.multi && (t.is("he") || t.is("she")) {
				return selfByName, 1
			}
		case selfByName, sibling, friend:
			return r.spoken, 1
		case other:
			return other, 1
		}
		return unclear, 1
	case "who", "which", "that":
		return nobody, 0
	}
	if possessive(t.text) == "my" && p+1 < len(r.toks) {
		// "her thumb finds the dial"
		if _, n := r.lx.at("bodypart", r.toks, p+1); n > 0 && verbFollows(p+1+n) && r.spoken != other && r.spoken != friend {
			return selfByName, 1 + n
		}
	}
	if _, n, when := r.verbAt(p); n > 0 && when == base && t.raw == strings.ToLower(t.raw) {
		return nobody, 0
	}
	f, n := r.person(p)
	if n == 0 || f.pronoun || f.selector != "" || f.race != "" || !verbFollows(p+n) {
		return nobody, 0
	}
	switch {
	case f.unknown:
		return other, n
	case len(f.ids) != 1:
		for _, i := range f.ids {
			if r.lx.people[i].ID == r.lx.self {
				return unclear, n
			}
		}
		return other, n
	}
	e := r.lx.people[f.ids[0]]
	switch {
	case e.ID == r.lx.self:
		return selfByName, n
	case r.siblings[e.ID]:
		return sibling, n
	case e.Relation == "ally":
		return friend, n
	}
	return other, n
}

// auxiliaries are what stands between subject and verb.
type auxiliaries struct {
	any     bool
	intent  bool // will, am going to …
	thought bool // could, might, thinking of …
	past    bool
	not     bool
}

// aux reads the words between subject and verb.
func (r *reader) aux(p int) (auxiliaries, int) {
	var a auxiliaries
	for p < len(r.toks) && r.toks[p].kind == word {
		if r.toks[p].is("not") || r.toks[p].is("never") {
			a.any, a.not = true, true
			p++
			continue
		}
		_, ni := r.lx.at("intention", r.toks, p)
		_, nh := r.lx.at("hypothetical", r.toks, p)
		_, np := r.lx.at("past", r.toks, p)
		_, nv, _ := r.verbAt(p)
		if r.toks[p].is("to") && !a.any && r.begun {
			if _, k, when := r.verbAt(p + 1); k > 0 && when == base {
				a.any, a.intent = true, true // "I want to shoot him and then to hide"
				p++
				continue
			}
		}
		if (r.toks[p].is("go") || r.toks[p].is("goes")) && p+2 < len(r.toks) && r.toks[p+1].is("to") {
			if _, k, when := r.verbAt(p + 2); k > 0 && when == base {
				a.any, a.intent = true, true // "I go to hide behind the stone"
				p += 2
				continue
			}
		}
		switch {
		case nv > 0 && nv >= max(ni, nh, np) && !(ni == nv && r.aheadVerb(p+ni)) && !(nh == nv && r.aheadVerb(p+nh)):
			return a, p
		case ni > 0 && ni >= nh && ni >= np:
			a.any, a.intent = true, true
			p += ni
		case nh > 0 && nh >= np:
			a.any, a.thought = true, true
			p += nh
		case np > 0:
			a.any, a.past = true, true
			p += np
		case p+1 < len(r.toks) && (r.adverb(p) || possessive(r.toks[p].text) == "myself") && (a.any || r.aheadVerb(p+1)):
			p++
		default:
			return a, p
		}
	}
	return a, p
}

func (r *reader) adverb(p int) bool {
	t := r.toks[p].text
	switch t {
	case "just", "then", "also", "now", "first", "only", "again", "simply", "quickly", "immediately", "still", "instead", "both", "too", "once":
		return true
	}
	return len(t) > 4 && strings.HasSuffix(t, "ly")
}

func (r *reader) aheadVerb(p int) bool {
	_, n, _ := r.verbAt(p)
	return n > 0
}

// vocative reads a name with a comma and an imperative behind it: "Zorg, shoot
// him". Whoever is addressed acts.
func (r *reader) vocative(p int) (who, int) {
	f, n := r.person(p)
	if n == 0 || f.pronoun || f.selector != "" || f.race != "" || len(f.ids) == 0 || p+n >= len(r.toks) || !r.toks[p+n].is(",") {
		return nobody, 0
	}
	if _, k := r.thing(p, nil); k >= n {
		return nobody, 0
	}
	if _, k, when := r.verbAt(p + n + 1); k == 0 || when != base {
		return nobody, 0
	}
	e := r.lx.people[f.ids[0]]
	switch {
	case f.one() && e.ID == r.lx.self:
		return selfByName, n + 1
	case f.one() && r.siblings[e.ID]:
		return sibling, n + 1
	case f.one() && e.Relation == "ally":
		return friend, n + 1
	}
	return other, n + 1
}
