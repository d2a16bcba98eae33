package parse

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pbemd/pbemd/internal/game"
)

// lexicon is all that the reader knows of one character's world: the words of
// the language and those of the character's Vocabulary, nothing else.
type lexicon struct {
	*table
	view    game.View
	self    game.ID
	people  []entity
	things  []entity
	places  []entity
	verbs   map[string]game.Verb // by name: what this game knows
	lemmas  []lemma              // what verbs do: the table's, and the game's own
	extra   phrases              // the game's own words for verbs -> lemma and tense
	gaps    []gapped             // those that somebody stands in the middle of
	manners map[string]phrases   // those that only tell how, behind the verb, by verb
	kinds   phrases              // the game's kinds of attack -> id
	races   map[string]string    // word -> race as the view spells it
	known   map[string]bool      // the game's words
	firsts  map[string]bool      // first words of names
	tells   map[string]bool      // whether a word tells something of somebody, as asked so far
	fix     dictionary           // the game's words; the table has its own
}

// entity is a person, thing or place with its names cut into words.
type entity struct {
	game.Named
	names    [][]string // whole names and the id, longest match wins
	words    wordSet
	stems    wordSet // the words without their endings
	heads    wordSet // words that name by themselves: "boss" of "the gang boss"
	held     wordSet // words of what is in his hands
	initials uint32  // first letters of words, stems and side
	side     string  // beginning of the words for one of the side: gang, gangster
}

// wordSet is a set of a few words; there is one for each combatant in each letter,
// so that a slice that is walked over costs less than a map.
type wordSet []string

func (s wordSet) has(w string) bool {
	for _, o := range s {
		if o == w {
			return true
		}
	}
	return false
}

func (s *wordSet) add(w string) {
	if !s.has(w) {
		*s = append(*s, w)
	}
}

// initial is a bit for the first letter of a word.
func initial(w string) uint32 { return 1 << (w[0] & 31) }

// has reports that a word is one of the entity's, whatever its ending: "hood"
// of the hooded man, "beard" of the bearded one; or a word that means the same.
func (e *entity) has(w string) bool {
	if w == "" || e.initials&initial(w) == 0 {
		return false // a stem begins as its word does
	}
	return e.words.has(w) || e.stems.has(stem(w)) || e.side != "" && strings.HasPrefix(w, e.side)
}

func newLexicon(a Actor) *lexicon {
	lx := &lexicon{
		table: tables(), view: a.View, self: a.ID, verbs: map[string]game.Verb{}, extra: phrases{}, manners: map[string]phrases{}, kinds: phrases{},
		races: map[string]string{}, known: map[string]bool{}, firsts: map[string]bool{}, tells: map[string]bool{}, fix: dictionary{},
	}
	lx.people = lx.entities(a.Vocabulary.People)
	lx.things = lx.entities(a.Vocabulary.Things)
	lx.places = lx.entities(a.Vocabulary.Places)
	for _, k := range a.Vocabulary.Attacks {
		for _, name := range k.Names {
			lx.kinds.add(plainWords(name), string(k.ID))
			lx.learn(plainWords(name))
		}
	}
	lx.lemmas = slices.Clip(lx.table.lemmas)
	for _, v := range a.Vocabulary.Verbs {
		lx.ownVerb(v)
	}
	return lx
}

// learn adds words to those known, and to those that a slip may have meant.
func (lx *lexicon) learn(words []string) {
	for _, w := range words {
		if !lx.known[w] && !lx.table.known[w] && possessive(w) != "my" {
			lx.known[w] = true
			lx.fix.add(w)
		}
	}
}

func (lx *lexicon) entities(list []game.Named) []entity {
	all := make([]entity, 0, len(list))
	for _, n := range list {
		e := entity{Named: n, words: make(wordSet, 0, 8), stems: make(wordSet, 0, 12)}
		listed := false
		add := func(text string, whole bool) {
			words, ends := phraseWords(text)
			if len(words) == 0 {
				return
			}
			if whole {
				e.names = append(e.names, words)
			}
			lx.learn(words)
			for i, w := range words {
				if describesNothing[w] {
					continue
				}
				if !listed && (i+1 == len(words) || ends[i] || describesNothing[words[i+1]]) {
					e.heads.add(w) // it names by itself, others only tell more of him
				}
				base := stem(w)
				e.words.add(w)
				e.stems.add(base)
				for _, same := range lx.alike[base] {
					e.stems.add(same)
				}
			}
		}
		for _, name := range n.Names {
			if name != string(n.ID) || len(n.Names) == 1 {
				add(name, true)
			}
		}
		id := plainWords(string(n.ID))
		e.names = append(e.names, id)
		lx.learn(id)
		listed = true // a list of words says nothing of their order
		for _, w := range n.Words {
			if !e.words.has(w) || strings.ContainsRune(w, ' ') {
				add(w, len(plainWords(w)) > 1)
			}
		}
		listed = false
		add(n.Kind, false)
		if s := n.Sight; s != nil {
			add(s.Race, false)
			add(s.Description, false)
			if side := stem(strings.ToLower(string(s.Side))); len(side) >= 4 && s.Relation == "enemy" {
				e.side = side
				e.heads.add(string(s.Side))
				e.heads.add(side)
			}
			for _, w := range plainWords(s.Name) {
				if r := []rune(s.Name)[0]; unicode.IsUpper(r) && !describesNothing[w] {
					e.heads.add(w) // each part of a proper name
				}
			}
			for _, w := range plainWords(s.Holding) {
				e.held.add(w)
			}
			if s.Race != "" {
				lx.races[strings.ToLower(s.Race)] = s.Race
			}
		}
		if t := n.Thing; t != nil {
			add(t.Kind, false)
		}
		for _, w := range slices.Concat(e.words, e.stems) {
			if w != "" {
				e.initials |= initial(w)
			}
		}
		if e.side != "" {
			e.initials |= initial(e.side)
		}
		for _, name := range e.names {
			lx.firsts[name[0]] = true
		}
		all = append(all, e)
	}
	return all
}

// phraseWords are the words of a name or a description, and whether something
// other than a word stands behind each.
func phraseWords(text string) (words []string, ends []bool) {
	if isPlain(text) {
		return []string{possessive(text)}, []bool{false}
	}
	if words := splitPlain(text); words != nil {
		return words, make([]bool, len(words))
	}
	for _, t := range lexLine(nil, Normalize(strings.ReplaceAll(text, "_", " ")), 1, 0) {
		if t.kind == mark {
			if len(ends) > 0 {
				ends[len(ends)-1] = true
			}
			if t.text == "-" {
				continue
			}
		}
		words, ends = append(words, possessive(t.text)), append(ends, t.kind == mark)
	}
	return words, ends
}

// splitPlain cuts a text that holds nothing but letters of English and single
// blanks; nil if there is anything else in it.
func splitPlain(text string) []string {
	n := 1
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case (c == ' ' || c == '_') && i > 0 && i+1 < len(text) && text[i-1] != ' ' && text[i-1] != '_':
			n++
		default:
			return nil
		}
	}
	if text == "" {
		return nil
	}
	words := make([]string, 0, n)
	for from, i := 0, 0; i <= len(text); i++ {
		if i < len(text) && text[i] != ' ' && text[i] != '_' {
			continue
		}
		w := strings.ToLower(text[from:i])
		if _, two := runTogether[w]; two {
			return nil
		}
		words, from = append(words, possessive(w)), i+1
	}
	return words
}

// describesNothing are words of a description that tell nobody apart.
var describesNothing = map[string]bool{
	"the": true, "a": true, "an": true, "in": true, "with": true, "of": true, "and": true, "my": true, "on": true, "at": true, "to": true,
	"who": true, "is": true, "has": true, "from": true, "by": true, "hand": true, "one": true, "for": true, "into": true, "'s": true,
	"he": true, "she": true, "it": true, "him": true, "her": true, "them": true, "they": true, "than": true, "this": true, "that": true, "not": true, "no": true,
	"all": true, "up": true, "out": true, "over": true, "under": true, "behind": true, "across": true, "round": true, "two": true, "i": true, "only": true, "has_": true, "off": true,
}

// nameAt finds the longest whole name or id at a place: its length and whose
// it is.
func (lx *lexicon) nameAt(list []entity, toks []token, p int) (n int, who []int) {
	if p >= len(toks) || !lx.firsts[possessive(toks[p].text)] {
		return 0, nil
	}
	for i := range list {
		for _, name := range list[i].names {
			k := wordsAt(name, toks, p)
			switch {
			case k == 0 || k < n:
			case k > n:
				n, who = k, []int{i}
			case len(who) > 0 && who[len(who)-1] != i:
				who = append(who, i)
			}
		}
	}
	return n, who
}

// wordsAt is the number of tokens that a run of words takes at p, 0 if it does
// not stand there. Hyphens within are passed over.
func wordsAt(words []string, toks []token, p int) int {
	q := p
	for _, w := range words {
		if q > p && q < len(toks) && toks[q].is("-") && q+1 < len(toks) && adjacent(toks[q-1], toks[q]) {
			q++
		}
		if q >= len(toks) || toks[q].kind == speech || possessive(toks[q].text) != w {
			return 0
		}
		q++
	}
	return q - p
}

// at finds the longest entry of a section at p: its value and length.
func (lx *lexicon) at(section string, toks []token, p int) (value string, n int) {
	if p >= len(toks) || toks[p].kind == speech {
		return "", 0
	}
	t := &toks[p]
	if t.seen != t.text || t.starts == nil {
		t.seen, t.starts = t.text, lx.starts[possessive(t.text)]
		if t.starts == nil {
			t.starts = noStarts
		}
	}
	for i := range t.starts {
		if t.starts[i].section == section {
			return longest(t.starts[i].list, toks, p)
		}
	}
	return "", 0
}

// noStarts says that no entry begins with a word.
var noStarts = []start{}

// longest finds the first of some entries, which stand longest first, that stands
// at p.
func longest(list []phrase, toks []token, p int) (value string, n int) {
	for _, ph := range list {
		if k := wordsAt(ph.words, toks, p); k > 0 {
			return ph.value, k
		}
	}
	return "", 0
}

func matchAt(list phrases, toks []token, p int) (value string, n int) {
	if p >= len(toks) || toks[p].kind == speech {
		return "", 0
	}
	return longest(list[possessive(toks[p].text)], toks, p)
}

// mend replaces words that are slips of known ones.
func (lx *lexicon) mend(toks []token) {
	for i, t := range toks {
		if t.kind != word || t.raw == "" || lx.knows(t.text) || lx.ordinary(t.text) || hasDigit(t.text) || lx.knows(singular(t.text)) {
			continue
		}
		if w := lx.shortFor(t.text); w != "" {
			toks[i].text, toks[i].mended = w, true
			continue
		}
		best, sure := nearest(t.text, lx.table.fix, lx.fix)
		if !sure && len(best) > 1 && (i == 0 || toks[i-1].is("i") || toks[i-1].is("will") || toks[i-1].is("to")) {
			// Of "shot" and "shoot", what stands behind "I" is the verb.
			if w := lx.oneVerb(best); w != "" && distance(t.text, w, 1) == 1 {
				best, sure = []string{w}, true
			}
		}
		if sure {
			toks[i].text, toks[i].mended = best[0], true
		}
	}
}

// oneVerb is the verb that all of some words are forms of; "" if they are not.
func (lx *lexicon) oneVerb(words []string) string {
	verb := ""
	for _, w := range words {
		for _, f := range lx.forms[w] {
			if verb != "" && verb != f.base {
				return ""
			}
			verb = f.base
		}
		if len(lx.forms[w]) == 0 {
			return ""
		}
	}
	return verb
}

// shortFor is the word that describes somebody of which w is the beginning, if
// there is only one: "yaz" for Yazirian.
func (lx *lexicon) shortFor(w string) string {
	if len(w) < 3 || len(w) > 5 {
		return ""
	}
	found := ""
	for _, e := range lx.people {
		for _, full := range e.heads {
			if len(full) > len(w)+1 && strings.HasPrefix(full, w) {
				if found != "" && found != full {
					return ""
				}
				found = full
			}
		}
	}
	return found
}

// knows reports a word of the tables or of the game.
func (lx *lexicon) knows(w string) bool {
	return lx.table.known[w] || lx.known[w] || lx.meant[w] || possessive(w) == "my"
}

// ordinary reports an ordinary word or a plain form of one.
func (lx *lexicon) ordinary(w string) bool {
	if lx.english[w] {
		return true
	}
	for _, end := range []string{"s", "es", "d", "ed", "ing", "ly", "er", "ers"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 2 && (lx.english[stem] || lx.english[stem+"e"] || stem[len(stem)-1] == stem[len(stem)-2] && lx.english[stem[:len(stem)-1]]) {
			return true
		}
	}
	return false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
