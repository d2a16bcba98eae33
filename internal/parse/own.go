package parse

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// ownVerb learns the game's own words for a verb, and for ways of doing it.
func (lx *lexicon) ownVerb(v game.Verb) {
	lx.verbs[v.Name] = v
	for _, w := range v.Words {
		lx.ownWords(v.Name, w, nil)
	}
	for _, f := range v.Forms {
		for _, w := range f.Words {
			lx.ownWords(v.Name, w, f.Set)
		}
	}
}

// ownWords adds one entry, with the forms of its first word as a verb. In extra
// stands the index of its lemma with the tense.
func (lx *lexicon) ownWords(intent, text string, set map[string]string) {
	head, tail, gap := strings.Cut(text, "*")
	words := plainWords(head)
	if words := plainWords(tail); gap && strings.TrimSpace(head) == "" && len(words) > 0 {
		if lx.manners[intent] == nil {
			lx.manners[intent] = phrases{}
		}
		lx.learn(words)
		lx.manners[intent].add(words, strconv.Itoa(len(lx.lemmas)*tenses))
		lx.lemmas = append(lx.lemmas, lemma{words: words, intent: intent, set: maps.Clone(set), own: true})
		return
	}
	if len(words) == 0 {
		return
	}
	lx.learn(words)
	i := len(lx.lemmas)
	lx.lemmas = append(lx.lemmas, lemma{words: words, intent: intent, set: maps.Clone(set), own: true})
	if lx.lemmas[i].set == nil {
		lx.lemmas[i].set = map[string]string{}
	}
	if gap {
		third, ing := lx.formsOf(words[0])
		for _, first := range []string{words[0], third, ing} {
			lx.gaps = append(lx.gaps, gapped{append([]string{first}, words[1:]...), plainWords(tail), i})
		}
		return
	}
	forms := []string{base: words[0]}
	if len(set) > 0 { // "trip" says what is done; a word for a verb may be a noun
		t, g := lx.formsOf(words[0])
		forms = append(forms, t, g)
	}
	for when, first := range forms {
		lx.extra.add(append([]string{first}, words[1:]...), strconv.Itoa(i*tenses+when))
		if len(words) == 1 {
			lx.learn([]string{first})
		}
	}
}

// tenses is how many there are.
const tenses = int(past) + 1

// formsOf are the third person and the -ing form of a word, taken as a verb.
func (t *table) formsOf(w string) (third, ing string) {
	forms := regular(w)
	third, ing = forms[0], forms[1]
	for i, f := range t.irregular[w] {
		switch {
		case i == 0 && f != w:
			third = f
		case strings.HasSuffix(f, "ing"):
			ing = f
		}
	}
	return third, ing
}

// ownAt finds one of the game's own words at p: its lemma, its length and tense.
func (r *reader) ownAt(p int) (i, n int, when tense) {
	v, n := matchAt(r.lx.extra, r.toks, p)
	if n == 0 {
		return 0, 0, base
	}
	k, _ := strconv.Atoi(v)
	return k / tenses, n, tense(k % tenses)
}

// formAt finds the words for a way of doing a verb at p, with "in a" or the like
// before them: what they set.
func (r *reader) formAt(verb string, p int) (set map[string]string, n int) {
	q := p
	if t := r.toks[q]; t.is("in") || t.is("into") || t.is("with") || t.is("by") || t.is("using") {
		q++
	}
	if _, k := r.lx.at("article", r.toks, q); k > 0 {
		q += k
	}
	if q >= len(r.toks) || r.toks[q].kind == speech {
		return nil, 0
	}
	// The same words may stand for a way of doing several verbs.
	ways := slices.Clone(r.lx.manners[verb][possessive(r.toks[q].text)])
	for _, ph := range r.lx.extra[possessive(r.toks[q].text)] {
		if k, _ := strconv.Atoi(ph.value); r.lx.lemmas[k/tenses].intent == verb && len(r.lx.lemmas[k/tenses].set) > 0 {
			ways = append(ways, ph)
		}
	}
	slices.SortStableFunc(ways, func(a, b phrase) int { return len(b.words) - len(a.words) })
	v, n := longest(ways, r.toks, q)
	if n == 0 {
		return nil, 0
	}
	k, _ := strconv.Atoi(v)
	return r.lx.lemmas[k/tenses].set, q + n - p
}

// gapped is a way of doing a verb with whom it is done to in the middle of its
// words: "throw * down".
type gapped struct {
	head, tail []string
	lemma      int
}

// gapAt finds such words at p: the lemma, the person between them, and the length.
func (r *reader) gapAt(p int) (l lemma, f found, from, n int) {
	for _, g := range r.lx.gaps {
		k := wordsAt(g.head, r.toks, p)
		if k == 0 {
			continue
		}
		who, m := r.person(p + k)
		q := p + k + m
		if m == 0 {
			continue
		}
		if q < len(r.toks) && r.toks[q].is("'s") {
			q++
		}
		if t := wordsAt(g.tail, r.toks, q); t > 0 {
			return r.lx.lemmas[g.lemma], who, p + k, q + t - p
		}
	}
	return lemma{}, found{}, 0, 0
}

// betweenWords reads a clause whose person stands between the words of its verb.
func (r *reader) betweenWords(c *clause) doer {
	l, f, from, n := r.gapAt(c.verbFrom)
	if n == 0 {
		return nil
	}
	return func(r *reader, c *clause, _ int) ([]node, bool) {
		c.lemma, c.p = l, c.verbFrom+n
		in := game.Intent{Verb: l.intent}
		apply(&in, l.set)
		s := shot{target: f, object: c.verbFrom, from: from, to: c.p}
		r.mention(f)
		r.slots(c, func(p int) int { return r.option(l.intent, &in, p) })
		attack := r.lx.verbs[l.intent].Class == "attack"
		if !r.settle(c, -1, attack) || !r.chooseTarget(c, s, &in) {
			return nil, false
		}
		if in.Target.ID != "" && in.Pending == "" {
			r.target = in.Target
		}
		in.At = r.span(c.from, c.p)
		return []node{{intent: in, attack: attack, ask: c.ask, told: c.told}}, true
	}
}

// byForm reads "put Zog in a head lock": the verb says nothing, and a way of doing
// one of the game's verbs does.
func (r *reader) byForm(c *clause) doer {
	if _, n := r.lx.at("lightverb", r.toks, c.verbFrom); n == 0 {
		return nil
	}
	for p, end := c.verbFrom+1, r.skip(c.verbFrom+1); p < end; p++ {
		if i, n, _ := r.ownAt(p); n > 0 && len(r.lx.lemmas[i].set) > 0 && r.lx.verbs[r.lx.lemmas[i].intent].Class == "attack" && doerOf(r.lx.lemmas[i].intent) == nil && r.speaksOf(c.verbFrom+1) {
			c.lemma = lemma{words: c.lemma.words, intent: r.lx.lemmas[i].intent, set: map[string]string{}}
			c.p = c.verbFrom + 1
			return (*reader).plain
		}
	}
	return nil
}

// apply sets fields of an intent by their names in letters and files.
func apply(in *game.Intent, set map[string]string) {
	b, err := json.Marshal(set)
	if err == nil {
		_ = json.Unmarshal(b, in) // what is no field of an intent says nothing
	}
}

// policyAt finds a word for a policy at p, of the language or the game's own: the
// policy, what the word sets, and its length.
func (r *reader) policyAt(p int) (verb string, set map[string]string, n int) {
	verb, n = r.lx.at("policy", r.toks, p)
	if i, k, _ := r.ownAt(p); k > n && r.lx.verbs[r.lx.lemmas[i].intent].Class == "policy" {
		return r.lx.lemmas[i].intent, r.lx.lemmas[i].set, k
	}
	return verb, nil, n
}

// phraseOwn writes a verb that has no grammar of its own: by the game's words for it.
func phraseOwn(in game.Intent, v game.Vocabulary) string {
	s := strings.ReplaceAll(in.Verb, "_", " ")
	if in.Mode != "" {
		s = formName(in.Verb, "mode", in.Mode, v)
	}
	if in.Kind != "" {
		s = formName(in.Verb, "kind", in.Kind, v)
	}
	if w := directionWords[in.Direction]; w != "" {
		s += " " + w
	}
	if !in.Target.IsZero() {
		s += " " + refName(in.Target, v)
	}
	return s
}

// phraseWay is the game's own word for how something is done, behind the order.
func phraseWay(in game.Intent, v game.Vocabulary) string {
	for _, x := range v.Verbs {
		if x.Name == in.Verb && slices.ContainsFunc(x.Forms, func(f game.Form) bool { return in.Ability != "" && f.Set["ability"] == in.Ability }) {
			return " " + formName(in.Verb, "ability", in.Ability, v)
		}
	}
	return ""
}

// formName is what a way of doing a verb is called, as it is printed; "" for none.
func formName(verb, field, value string, v game.Vocabulary) string {
	if value == "" {
		return ""
	}
	for _, x := range v.Verbs {
		if x.Name != verb {
			continue
		}
		for _, f := range x.Forms {
			if f.Set[field] == value {
				return strings.TrimPrefix(f.Words[0], "* ")
			}
		}
	}
	return strings.ReplaceAll(value, "_", " ")
}

// moving is the ability of an order that is carried out beside a movement.
const moving = "moving"

// atOnce joins "walk north while striking at Zog": the movement comes first, and the
// other order is carried out beside it, where the game has a word for that.
func (r *reader) atOnce(before, made []node) []node {
	if len(before) == 0 || len(made) != 1 || made[0].cond != nil || before[len(before)-1].cond != nil {
		return append(before, made...)
	}
	beside := func(n *node) bool {
		ok := slices.ContainsFunc(r.lx.verbs[n.intent.Verb].Forms, func(f game.Form) bool { return f.Set["ability"] == moving })
		if ok && n.intent.Ability == "" {
			n.intent.Ability = moving
		}
		return ok
	}
	a, b := before[len(before)-1], made[0]
	switch {
	case a.intent.Verb == "move" && beside(&b):
		return append(before, b)
	case b.intent.Verb == "move" && beside(&a):
		return append(before[:len(before)-1:len(before)-1], b, a)
	}
	return append(before, b)
}
