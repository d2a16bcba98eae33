package parse

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/*.txt
var files embed.FS

// table holds the reader's words. It never changes after loading.
type table struct {
	phrases   map[string]phrases // by section
	polite    map[string]bool
	long      map[string]string // other words for a command -> its word
	wrote     map[string]bool   // words of attributions: "wrote"
	lead      []string          // how they begin: "On"
	footers   []string
	copied    map[string]bool       // lines above a copied letter: "original message"
	passed    map[string]bool       // lines above one that is sent on: "forwarded message"
	header    map[string]string     // names of header fields -> from, sent, to, subject or cc
	verbs     phrases               // base forms; value: the index in lemmas
	lemmas    []lemma               // what a verb does
	forms     map[string][]verbForm // inflected form -> base and tense
	irregular map[string][]string   // base form -> forms that no rule gives
	english   map[string]bool       // ordinary words that are no slip of another
	meant     map[string]bool       // words of alike.txt
	alike     map[string][]string   // stem -> stems of words that mean the same
	known     map[string]bool       // every word of the tables
	fix       dictionary            // those of them that a slip may have meant
	starts    map[string][]start    // first word -> entries of every section
}

// tables loads the embedded words once. They are part of the program, so a
// fault in them is a fault of the program.
var tables = sync.OnceValue(func() *table {
	t, err := loadTables()
	if err != nil {
		panic(err)
	}
	return t
})

// phrases finds the longest of many entries that stands at a place. The lists
// are by first word, longest first.
type phrases map[string][]phrase

// start is the entries of one section that begin with the same word.
type start struct {
	section string
	list    []phrase
}

type phrase struct {
	words []string
	value string
}

func (p phrases) add(words []string, value string) {
	if len(words) == 0 {
		return
	}
	list := append(p[words[0]], phrase{words, value})
	slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	p[words[0]] = list
}

func loadTables() (*table, error) {
	t := &table{
		phrases: map[string]phrases{}, polite: map[string]bool{}, long: map[string]string{},
		wrote: map[string]bool{}, copied: map[string]bool{}, passed: map[string]bool{}, header: map[string]string{}, verbs: phrases{}, forms: map[string][]verbForm{}, english: map[string]bool{}, alike: map[string][]string{}, meant: map[string]bool{},
	}
	err := eachEntry("data/words.txt", func(section, value, entry string) error {
		switch section {
		case "polite":
			t.polite[entry] = true
		case "long":
			t.long[entry] = value
		default:
			if t.phrases[section] == nil {
				t.phrases[section] = phrases{}
			}
			if value == "" {
				value = entry
			}
			t.phrases[section].add(plainWords(entry), value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := t.loadLetterWords(); err != nil {
		return nil, err
	}
	if err := t.loadVerbs(); err != nil {
		return nil, err
	}
	t.conjugate("happens", "passing", "falls", "lands", "opens")
	err = eachEntry("data/english.txt", func(_, _, entry string) error {
		for _, w := range strings.Fields(entry) {
			t.english[w] = true
		}
		return nil
	})
	t.learnAll()
	t.starts = map[string][]start{}
	for _, section := range slices.Sorted(maps.Keys(t.phrases)) {
		for first, list := range t.phrases[section] {
			t.starts[first] = append(t.starts[first], start{section, list})
		}
	}
	if err == nil {
		err = eachEntry("data/alike.txt", func(_, value, entry string) error {
			for _, w := range []string{value, entry} {
				t.meant[w] = true
			}
			a, b := stem(value), stem(entry)
			t.alike[a] = append(t.alike[a], b)
			t.alike[b] = append(t.alike[b], a)
			return nil
		})
	}
	return t, err
}

// loadLetterWords loads what mail programs write into letters.
func (t *table) loadLetterWords() error {
	return eachEntry("data/letters.txt", func(section, value, entry string) error {
		entry = Normalize(entry)
		switch section {
		case "wrote":
			t.wrote[entry] = true
		case "lead":
			t.lead = append(t.lead, entry)
		case "footers":
			t.footers = append(t.footers, entry)
		case "original":
			t.copied[entry] = true
		case "forwarded":
			t.passed[entry] = true
		case "header":
			t.header[entry] = value
		default:
			return fmt.Errorf("there is no section %q", section)
		}
		return nil
	})
}

// learnAll collects every word of the tables.
func (t *table) learnAll() {
	t.known, t.fix = map[string]bool{}, dictionary{}
	learn := func(w string, fix bool) {
		if fix && !t.known[w] {
			t.fix.add(w)
		}
		t.known[w] = t.known[w] || fix
	}
	for form := range t.forms {
		learn(form, true)
	}
	for section, list := range t.phrases {
		for _, entries := range list {
			for _, ph := range entries {
				for _, w := range ph.words {
					learn(w, section != "thanks")
				}
			}
		}
	}
	for _, entries := range t.verbs {
		for _, ph := range entries {
			for _, w := range ph.words {
				learn(w, true)
			}
		}
	}
	for _, entries := range t.phrases["thanks"] {
		for _, ph := range entries {
			for _, w := range ph.words {
				t.known[w] = true
			}
		}
	}
}

// eachEntry reads a file of sections, values and entries.
func eachEntry(file string, add func(section, value, entry string) error) error {
	text, err := files.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	section := ""
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = strings.Trim(line, "[]")
			continue
		}
		value := ""
		if v, rest, ok := strings.Cut(line, " = "); ok {
			value, line = strings.TrimSpace(v), rest
		}
		for entry := range strings.SplitSeq(line, ",") {
			entry = strings.TrimSpace(entry)
			if entry == "" {
				continue
			}
			if err := add(section, value, entry); err != nil {
				return fmt.Errorf("%s:%d: %s: %w", file, i+1, entry, err)
			}
		}
	}
	return nil
}

// numberWord reads a number written as a word, or with digits.
func (t *table) numberWord(w string) (int, bool) {
	if list := t.phrases["number"][w]; len(list) > 0 {
		n, err := strconv.Atoi(list[0].value)
		return n, err == nil
	}
	if w == "" || w[0] < '0' || w[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && n >= 0 && n <= 100_000
}
