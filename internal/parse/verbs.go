package parse

import (
	"fmt"
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
	n := len(w)
	switch {
	case strings.HasSuffix(w, "e"):
		put(w+"s", third)
		put(w[:n-1]+"ing", ing)
		put(w+"d", past)
	case n > 1 && w[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(w[n-2])):
		put(w[:n-1]+"ies", third)
		put(w+"ing", ing)
		put(w[:n-1]+"ied", past)
	default:
		s := "s"
		for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
			if strings.HasSuffix(w, end) {
				s = "es"
			}
		}
		put(w+s, third)
		put(w+"ing", ing)
		put(w+"ed", past)
	}
}
