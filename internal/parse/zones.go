package parse

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Marker begins the first line of every mail that pbemd sends. A copy of such a
// line in a letter shows where our own text begins, whatever the mail program
// did to it.
const Marker = game.Marker

// ZoneInput is a letter's text and what is needed to tell its zones apart.
type ZoneInput struct {
	Text string
	// Us are our addresses, and the domain of our Message-IDs.
	Us []string
	// Sent are the texts of mails that we sent to this address, newest first.
	// The first 20 are looked at.
	Sent []string
	// FormID is the id of the order form in force, empty if there is none.
	FormID string
}

// Zones are the parts of a letter, in order. New text acts; Form acts line by
// line if nothing new orders; Tail and Quoted never act. Every line of the
// letter is in exactly one of them, but for the lines of an unchanged form's
// frame and what lies beyond the bounds.
type Zones struct {
	New    []Line
	Form   []Line // inside of a changed, unquoted form in force
	Tail   []Line // below a signature mark or phone footer; our own text come back without marks
	Quoted []Line

	FormID            string // id of the form in Form
	FormChanged       bool
	QuotedFormChanged bool // a form in quoted text was changed: to be asked about
	// TailOrders are lines of the tail that look like orders; JudgeTail fills it.
	TailOrders []Line
	Notes      []string // for the reader of the receipt, one sentence each
}

type zone int

const (
	zoneNew zone = iota
	zoneForm
	zoneTail
	zoneQuoted
)

// Divide tells the zones of a letter apart (design section 4). It never fails:
// what it is not sure of is new text, unless it can be shown to be a copy.
func Divide(in ZoneInput) Zones {
	var z Zones
	lines, cut := split(in.Text)
	if cut {
		z.Notes = append(z.Notes, fmt.Sprintf("The letter is longer than we read: only the first %d lines, and of each line the first %d characters, were looked at.", MaxLines, MaxRunes))
	}
	if hidden(in.Text) {
		z.Notes = append(z.Notes, "The letter holds invisible characters; they were left out.")
	}
	d := divider{in: in, lines: lines, zone: make([]zone, len(lines))}
	d.plain = make([]string, len(lines))
	d.words = make([][]string, len(lines))
	for i, l := range lines {
		d.plain[i] = strings.TrimRight(Normalize(l.Text), " ")
		d.words[i] = copyWords(d.plain[i])
	}
	sent := in.Sent
	if len(sent) > 20 {
		sent = sent[:20]
	}
	for _, s := range sent {
		d.sent = append(d.sent, newOriginal(s))
	}
	d.quotes()
	d.attributions()
	d.copies()
	d.tail()
	d.forms(&z)
	for i, l := range lines {
		switch d.zone[i] {
		case zoneNew:
			z.New = append(z.New, l)
		case zoneForm:
			z.Form = append(z.Form, l)
		case zoneTail:
			z.Tail = append(z.Tail, l)
		case zoneQuoted:
			z.Quoted = append(z.Quoted, l)
		}
	}
	return z
}

// divider holds a letter while its lines are told apart. plain are the lines
// normalised, without blanks at their ends;
type divider struct {
	in    ZoneInput
	lines []Line
	plain []string
	words [][]string // of each line, without quote marks
	zone  []zone
	sent  []*original
}

// quotes marks the lines that begin with ">" at any depth, and those of three
// or more lines in a row that begin with "|".
func (d *divider) quotes() {
	bars := 0
	for i, s := range d.plain {
		s = strings.TrimLeft(s, " ")
		if strings.HasPrefix(s, ">") {
			d.zone[i] = zoneQuoted
		}
		if !strings.HasPrefix(s, "|") {
			bars = 0
			continue
		}
		bars++
		if bars == 3 {
			d.zone[i-1], d.zone[i-2] = zoneQuoted, zoneQuoted
		}
		if bars >= 3 {
			d.zone[i] = zoneQuoted
		}
	}
}

// attributions marks "On … wrote:" lines in any language: up to four lines that
// hold our address, before quoted lines, a block of header lines, our marker or
// the end. A block of header lines that names us begins a copy without marks.
func (d *divider) attributions() {
	for i := 0; i < len(d.plain); i++ {
		if d.zone[i] != zoneNew || blank(d.plain[i]) {
			continue
		}
		if n := d.headerBlock(i); n > 0 {
			d.headers(i, n)
			return
		}
		from, to, ok := d.attribution(i)
		if !ok {
			continue
		}
		for j := from; j <= to; j++ {
			d.zone[j] = zoneQuoted
		}
		i = to
	}
}

// attribution reports whether line i names us as the writer of what follows, or
// introduces quoted lines with a date, and which lines belong to it.
func (d *divider) attribution(i int) (from, to int, ok bool) {
	line := strings.TrimSpace(d.plain[i])
	from, to = i, i
	if !d.namesUs(line) {
		// Programs that print the display name only: "On 3 March Dusk wrote:".
		dated := strings.HasSuffix(line, ":") && strings.ContainsAny(line, "0123456789")
		next := d.nextText(i + 1)
		return i, i, dated && i+2 >= next && next < len(d.plain) && d.zone[next] == zoneQuoted && d.introduces(line)
	}
	if !strings.HasSuffix(line, ":") && i+1 < len(d.plain) {
		next := strings.TrimSpace(d.plain[i+1])
		if d.zone[i+1] == zoneNew && strings.HasSuffix(next, ":") && len(strings.Fields(next)) <= 4 {
			to = i + 1
		}
	}
	next := d.nextText(to + 1)
	switch {
	case next == len(d.plain):
	case d.zone[next] == zoneQuoted, strings.HasPrefix(d.plain[next], Marker), d.headerBlock(next) > 0:
	default:
		return 0, 0, false
	}
	if to == i && next == len(d.plain) && !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, ">") {
		return 0, 0, false // "I mail this to gm@…" as the last line is text
	}
	// A wrapped attribution: the line above belongs to it if this one begins
	// with our address, and the one above that if there was no date yet.
	if d.beginsWithUs(line) {
		for from > 0 && from > i-3 && d.zone[from-1] == zoneNew && !blank(d.plain[from-1]) {
			from--
			if strings.ContainsAny(d.plain[from], "0123456789") {
				break
			}
		}
	}
	return from, to, true
}

// introduces reports that a line begins or ends as an attribution does.
func (d *divider) introduces(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	if len(words) < 2 {
		return false
	}
	last := strings.Trim(words[len(words)-1], ":")
	return tables().wrote[last] || words[0][0] >= '0' && words[0][0] <= '9'
}

// headers marks a block of n header lines at i and what comes below it. With
// new text above, all below is a copy; as the first thing in the letter, only
// what we can show to be a copy is.
func (d *divider) headers(i, n int) {
	above := false
	for j := range i {
		if d.zone[j] == zoneNew && !blank(d.plain[j]) && !rule(d.plain[j]) && !separator(d.plain[j]) {
			above = true
		}
	}
	first := i
	for first > 0 && (rule(d.plain[first-1]) || separator(d.plain[first-1])) {
		first--
	}
	for j := first; j < i+n; j++ {
		d.zone[j] = zoneQuoted
	}
	if !above {
		return
	}
	var o *original
	p := 0
	for j := i + n; j < len(d.plain); j++ {
		if d.zone[j] == zoneQuoted {
			continue
		}
		d.zone[j] = zoneQuoted
		if o == nil {
			o = d.original(d.words[j])
		}
		if o == nil || blank(d.plain[j]) {
			continue
		}
		next, ok := o.find(d.words[j], p)
		if !ok {
			d.zone[j] = zoneTail // typed below the copy: reported, never acts
			continue
		}
		p = next
	}
}

// headerBlock is the number of lines of a block of two or more "Word: value"
// lines of which one names us, or 0.
func (d *divider) headerBlock(i int) int {
	us, n := false, 0
	for j := i; j < len(d.plain) && n < 12 && d.zone[j] == zoneNew; j++ {
		s := d.plain[j]
		name, _, ok := strings.Cut(strings.Trim(s, " *"), ":")
		header := ok && len(strings.Fields(name)) >= 1 && len(strings.Fields(name)) <= 2 && len(name) <= 24
		if !header {
			// A long value runs on over the next line.
			if blank(s) || n == 0 || !d.namesUs(s) || !strings.HasPrefix(s, " ") {
				break
			}
		}
		us = us || d.namesUs(s)
		n++
	}
	if n >= 2 && us {
		return n
	}
	return 0
}

func (d *divider) namesUs(line string) bool {
	line = strings.ToLower(line)
	for _, us := range d.in.Us {
		local, domain, isAddress := strings.Cut(strings.ToLower(us), "@")
		if us == "" {
			continue
		}
		if !isAddress {
			if strings.Contains(line, "@"+local) {
				return true
			}
			continue
		}
		// Plus-addresses carry a token that differs from mail to mail.
		base, _, _ := strings.Cut(local, "+")
		for rest := line; ; {
			at := strings.Index(rest, "@"+domain)
			if at < 0 {
				break
			}
			word := rest[strings.LastIndexAny(rest[:at], " <:(,;\"")+1 : at]
			if b, _, _ := strings.Cut(word, "+"); b == base {
				return true
			}
			rest = rest[at+1:]
		}
	}
	return false
}

func (d *divider) beginsWithUs(line string) bool {
	first := strings.Fields(strings.TrimLeft(line, "< ("))
	return len(first) > 0 && d.namesUs(first[0])
}

// nextText is the first line from i on that is not blank, or the end.
func (d *divider) nextText(i int) int {
	for i < len(d.plain) && blank(d.plain[i]) {
		i++
	}
	return i
}

// tail marks what lies below a signature mark or a known phone footer.
func (d *divider) tail() {
	below := false
	for i, s := range d.plain {
		if d.zone[i] == zoneQuoted {
			continue
		}
		if d.zone[i] == zoneNew && !below {
			t := strings.TrimSpace(s)
			below = t == "--" || footer(t)
		}
		if below {
			d.zone[i] = zoneTail
		}
	}
}

// footer reports a line that phones and mail services add by themselves.
func footer(line string) bool {
	line = strings.ToLower(strings.TrimRight(line, ". "))
	for _, f := range tables().footers {
		if line == f || strings.HasPrefix(line, f+" ") && len(line) < 100 {
			return true
		}
	}
	return false
}

// rule reports a line of one repeated mark, such as Outlook's underscores.
func rule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 5 && strings.Trim(line, line[:1]) == "" && strings.ContainsAny(line[:1], "_-=*")
}

// separator reports a line such as "-----Original Message-----".
func separator(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "---") && strings.HasSuffix(line, "---")
}
