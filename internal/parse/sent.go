package parse

import "strings"

// original is a mail that we sent, prepared for finding copies of it. Copies
// may be wrapped anew, quoted or spaced otherwise, so it is a run of words.
type original struct {
	plain  []string // its lines, normalised
	marker string
	words  []string
	line   map[string][]int // whole lines -> where they begin
	four   map[string][]int // four words in a row -> where they begin
}

// places bounds how many repetitions of the same text are remembered.
const places = 16

func newOriginal(text string) *original {
	o := &original{line: map[string][]int{}, four: map[string][]int{}}
	lines, _ := split(text)
	for _, l := range lines {
		plain := Normalize(l.Text)
		o.plain = append(o.plain, plain)
		words := copyWords(plain)
		if len(words) == 0 {
			continue
		}
		if o.marker == "" && strings.HasPrefix(strings.Join(words, " "), Marker) {
			o.marker = strings.Join(words, " ")
		}
		key := strings.Join(words, " ")
		if len(o.line[key]) < places {
			o.line[key] = append(o.line[key], len(o.words))
		}
		o.words = append(o.words, words...)
	}
	for i := range o.words {
		if i+4 > len(o.words) {
			break
		}
		key := strings.Join(o.words[i:i+4], " ")
		if len(o.four[key]) < places {
			o.four[key] = append(o.four[key], i)
		}
	}
	return o
}

// copyWords are the words of a normalised line without quote marks.
func copyWords(line string) []string {
	return strings.Fields(strings.TrimLeft(line, "> "))
}

// at reports where a line ends in the original if it stands there at p.
func (o *original) at(words []string, p int) (int, bool) {
	if len(words) == 0 || p+len(words) > len(o.words) {
		return 0, false
	}
	for i, w := range words {
		if o.words[p+i] != w {
			return 0, false
		}
	}
	return p + len(words), true
}

// find looks for a line at p or later: right there, as a whole line, or by its
// first four words. It gives the place behind the line.
func (o *original) find(words []string, p int) (int, bool) {
	if next, ok := o.at(words, p); ok {
		return next, true
	}
	for _, i := range o.line[strings.Join(words, " ")] {
		if i >= p {
			return i + len(words), true
		}
	}
	if len(words) < 4 {
		return 0, false
	}
	for _, i := range o.four[strings.Join(words[:4], " ")] {
		if i < p {
			continue
		}
		if next, ok := o.at(words, i); ok {
			return next, true
		}
	}
	return 0, false
}

// original finds the mail that a copy of a marker line comes from.
func (d *divider) original(words []string) *original {
	line := strings.Join(words, " ")
	if !strings.HasPrefix(line, Marker) {
		return nil
	}
	for _, o := range d.sent {
		if o.marker == line {
			return o
		}
	}
	return nil
}

// copies marks our own text that came back without quote marks as tail:
// from a copy of a marker line on, or where five lines in a row are a mail that
// we sent. Lines between that are not ours stay new.
func (d *divider) copies() {
	for i := 0; i < len(d.plain); i++ {
		if d.zone[i] != zoneNew || blank(d.plain[i]) {
			continue
		}
		if strings.HasPrefix(strings.Join(d.words[i], " "), Marker) {
			d.zone[i] = zoneTail
			o := d.original(d.words[i])
			if o == nil && len(d.sent) > 0 {
				o = d.sent[0]
			}
			if o != nil {
				d.subtract(o, i+1, 0)
			}
			continue
		}
		for _, o := range d.sent {
			if p, ok := d.run(o, i); ok {
				d.subtract(o, i, p)
				break
			}
		}
	}
}

// run reports that five lines from i on, blank ones aside, follow each other in
// the original, and where they begin there.
func (d *divider) run(o *original, i int) (int, bool) {
	first := d.words[i]
	starts := o.line[strings.Join(first, " ")]
	if len(first) >= 4 {
		starts = o.four[strings.Join(first[:4], " ")]
	}
	for _, start := range starts {
		p, n := start, 0
		for j := i; j < len(d.plain) && n < 5; j++ {
			if blank(d.plain[j]) {
				continue
			}
			next, ok := o.at(d.words[j], p)
			if d.zone[j] != zoneNew || !ok {
				break
			}
			p, n = next, n+1
		}
		if n == 5 {
			return start, true
		}
	}
	return 0, false
}

// subtract marks the lines from i on that stand in the original at p or later.
func (d *divider) subtract(o *original, i, p int) {
	gap := 0 // lines in a row that are not ours
	for ; i < len(d.plain) && p < len(o.words); i++ {
		if d.zone[i] != zoneNew || blank(d.plain[i]) {
			continue
		}
		next, ok := o.find(d.words[i], p)
		if !ok {
			if gap++; gap > 200 {
				return
			}
			continue
		}
		gap = 0
		d.zone[i], p = zoneTail, next
	}
}
