package parse

import (
	"fmt"
	"slices"
	"strings"
)

// tense tells the forms of a verb apart.
type tense int

const (
	base  tense = iota // fire
	third              // fires
	ing                // firing
	past               // fired
)

// verbForm is one reading of an inflected word.
type verbForm struct {
	base  string
	tense tense
}

// lemma is what a verb means: the intent, and fields that it brings along.
type lemma struct {
	words  []string
	intent string
	set    map[string]string
	own    bool // the game's own
}

// loadVerbs reads verbs and acts, and inflects the first word of each.
func (t *table) loadVerbs() error {
	irregular := map[string][]string{}
	order := func(_, value, entry string) error {
		if value == "" {
			return fmt.Errorf("has no base form")
		}
		irregular[value] = append(irregular[value], entry)
		return nil
	}
	if err := eachEntry("data/forms.txt", order); err != nil {
		return err
	}
	t.irregular = irregular
	acts := phrases{}
	t.phrases["acts"] = acts
	inflected := map[string]bool{}
	add := func(words []string) {
		if w := words[0]; !inflected[w] {
			inflected[w] = true
			t.inflect(w, irregular[w])
		}
	}
	err := eachEntry("data/verbs.txt", func(_, value, entry string) error {
		fields := strings.Fields(value)
		if len(fields) == 0 {
			return fmt.Errorf("has no intent")
		}
		l := lemma{words: plainWords(entry), intent: fields[0], set: map[string]string{}}
		for _, f := range fields[1:] {
			key, v, ok := strings.Cut(f, "=")
			if !ok {
				return fmt.Errorf("%q is not field=value", f)
			}
			l.set[key] = v
		}
		t.lemmas = append(t.lemmas, l)
		t.verbs.add(l.words, fmt.Sprint(len(t.lemmas)-1))
		add(l.words)
		return nil
	})
	if err != nil {
		return err
	}
	return eachEntry("data/acts.txt", func(_, value, entry string) error {
		words := plainWords(entry)
		acts.add(words, value)
		add(words)
		return nil
	})
}

// inflect adds the forms of a base form: the irregular ones, or by rule.
func (t *table) inflect(w string, irregular []string) {
	put := func(form string, when tense) {
		t.forms[form] = append(t.forms[form], verbForm{w, when})
	}
	put(w, base)
	if len(irregular) > 0 {
		for i, f := range irregular {
			switch {
			case f == w:
			case i == 0:
				put(f, third)
			case strings.HasSuffix(f, "ing"):
				put(f, ing)
			default:
				put(f, past)
			}
		}
		return
	}
	forms := regular(w)
	put(forms[0], third)
	put(forms[1], ing)
	put(forms[2], past)
}

// regular gives the third person, the -ing form and the past of a regular verb.
func regular(w string) [3]string {
	n := len(w)
	switch {
	case strings.HasSuffix(w, "e"):
		return [3]string{w + "s", w[:n-1] + "ing", w + "d"}
	case n > 1 && w[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(w[n-2])):
		return [3]string{w[:n-1] + "ies", w + "ing", w[:n-1] + "ied"}
	}
	s := "s"
	for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(w, end) {
			s = "es"
		}
	}
	return [3]string{w + s, w + "ing", w + "ed"}
}

// conjugate adds the base and the -ing form of entries that begin with a verb in
// the third person: what "comes through" a door may also "come" or be "coming".
func (t *table) conjugate(sections ...string) {
	form := map[string]map[tense]string{}
	thirds := map[string]string{}
	for w, readings := range t.forms {
		for _, v := range readings {
			if form[v.base] == nil {
				form[v.base] = map[tense]string{}
			}
			if v.tense != past {
				form[v.base][v.tense] = w
			}
			if v.tense == third {
				thirds[w] = v.base
			}
		}
	}
	for _, section := range sections {
		for _, list := range t.phrases[section] {
			for _, ph := range list {
				w := ph.words[0]
				b, known := thirds[w]
				if !known {
					for _, cut := range []string{"", "e"} {
						s, ok := strings.CutSuffix(w, cut+"s")
						if ok && len(s) > 2 && regular(s)[0] == w && !strings.HasSuffix(s, "s") {
							b = s
						}
					}
				}
				if b == "" || b == w || b == "be" {
					continue
				}
				going := form[b][ing]
				if going == "" {
					going = regular(b)[1]
				}
				for _, first := range []string{b, going} {
					if n := len(ph.words); !slices.ContainsFunc(t.phrases[section][first], func(o phrase) bool { return slices.Equal(o.words[1:], ph.words[1:n]) }) {
						t.phrases[section].add(append([]string{first}, ph.words[1:]...), ph.value)
					}
				}
			}
		}
	}
}
