package parse

import (
	"fmt"
	"regexp"
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
	// Us are our addresses, and the domain of our Message-IDs as "@example.org".
	// A domain without "@" means every address there.
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
// frame and what lies beyond the bounds. A line that begins as new text and ends
// as an attribution is divided.
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
	d := divider{in: in, lines: lines, zone: make([]zone, len(lines)), head: map[int]int{}}
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
	d.unmarked()
	d.tail()
	d.forms(&z)
	for i, l := range lines {
		if n := d.head[i]; n > 0 && d.zone[i] == zoneQuoted {
			z.New = append(z.New, Line{l.N, l.Text[:n]})
			l.Text = l.Text[n:]
		}
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
// normalised, without blanks at their ends.
type divider struct {
	in    ZoneInput
	lines []Line
	plain []string
	words [][]string // of each line, without quote marks
	zone  []zone
	head  map[int]int // bytes of new text at the beginning of a quoted line
	clear int         // above this line stands no new text; see newAbove
	start int         // where a copy without marks may begin; 0: nowhere
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

// ourID is the part of our Message-IDs that stands before the domain: a token and
// a number.
var ourID = regexp.MustCompile(`^[0-9a-z]{44}\.[0-9]+$`)

// namesUs reports a line that holds an address of ours, with any token, or one of
// our Message-IDs.
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
			if b, _, _ := strings.Cut(word, "+"); b == base && base != "" || base == "" && ourID.MatchString(word) {
				return true
			}
			rest = rest[at+1:]
		}
	}
	return false
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
			below = t == "--" || footer(t) || d.listFooter(i)
		}
		if below {
			d.zone[i] = zoneTail
		}
	}
}

// listFooter reports the rule that a mailing list sets above its own lines.
func (d *divider) listFooter(i int) bool {
	return len(d.plain[i]) >= 40 && rule(d.plain[i]) && i+2 < len(d.plain) &&
		strings.HasSuffix(d.plain[i+1], " mailing list") && strings.Contains(d.plain[i+2], "@")
}

// footer reports a line that phones and mail services add by themselves.
func footer(line string) bool {
	line = strings.ToLower(strings.TrimRight(line, ". "))
	for _, f := range tables().footers {
		rest, ok := strings.CutPrefix(line, f)
		if ok && (rest == "" || (rest[0] == ' ' || rest[0] == '<') && len(line) < 100) {
			return true
		}
	}
	return false
}
