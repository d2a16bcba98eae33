package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// GMText is what a GM's letter says. Rulings carry no number, letter or turn
// yet. Notes are the texts of NOTE lines: narrative, which changes no event.
type GMText struct {
	Commands []Command
	Rulings  []game.Ruling
	Ruled    []Line // where each of the rulings stands
	As       []AsBlock
	Notes    []string
	Errata   []string // texts of ERRATUM lines: what a report that is out had wrong
	Rest     []Line   // nothing of the above; blank lines are left out
	Problems []game.Problem
}

// AsBlock is a GM's text that orders some of his combatants: "AS zog, kira: …".
type AsBlock struct {
	Who   []game.ID
	Lines []Line
}

// OnlyThanks reports that nothing but thanks and a signature is left over. A
// name counts as a signature only below a line of thanks or greeting.
func (t GMText) OnlyThanks() bool { return OnlyThanks(t.Rest) }

// OnlyThanks reports that lines hold nothing but thanks and a signature.
func OnlyThanks(lines []Line) bool {
	written := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return blank(clipped(l.Text)) })
	for i, l := range written {
		if !IsSignatureOrThanks(l.Text) && !(i > 0 && i == len(written)-1 && nameLine(l.Text)) {
			return false
		}
	}
	return true
}

// nameLine reports a line of one or two capitalised words that mean nothing
// else: who signs.
func nameLine(s string) bool {
	words := strings.Fields(clipped(s))
	for _, w := range words {
		lower := strings.ToLower(strings.Trim(w, "-,.~"))
		if lower == "" || len(w) > 2 && w == strings.ToUpper(w) || w[0] < 'A' || w[0] > 'Z' || tables().english[lower] || len(tables().forms[lower]) > 0 || !letters(lower) {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 2
}

// IsSignatureOrThanks reports a line of thanks, greeting or farewell, a smiley
// or a rule: text that asks for nothing.
func IsSignatureOrThanks(line string) bool {
	var words []string
	for _, t := range lexLine(nil, clipped(line), 1, 0) {
		if t.kind == number {
			return false
		}
		if t.kind == word {
			words = append(words, possessive(t.text))
		}
	}
	if len(words) > 12 {
		return false
	}
	thanks := tables().phrases["thanks"]
	for len(words) > 0 {
		n := thanks.match(words)
		if n == 0 && (words[0] == "gm" || words[0] == "all" || words[0] == "d" || words[0] == "p") {
			n = 1
		}
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return true
}

func clipped(s string) string {
	s, _ = clip(Normalize(s))
	return s
}

// match is the number of words that an entry takes at the front, 0 for none.
func (p phrases) match(words []string) int {
	for _, ph := range p[words[0]] {
		if len(ph.words) <= len(words) && slices.Equal(ph.words, words[:len(ph.words)]) {
			return len(ph.words)
		}
	}
	return 0
}

// GM reads a GM's letter: lines are commands, rulings, NOTE, ERRATUM, or "AS who: …"
// blocks. v is the GM's vocabulary; refs are the events of the packet answered
// to, refs[0] being event 1. A line that is none of these is in Rest, and if it
// looks like a ruling gone wrong, has a problem too.
func GM(lines []Line, forms []Form, v game.Vocabulary, refs []string) GMText {
	if len(lines) > MaxLines {
		lines = lines[:MaxLines]
	}
	g := gmReader{v: v, refs: refs, forms: forms}
	for _, l := range lines {
		g.line(l)
	}
	g.endNote()
	return g.out
}

type gmReader struct {
	v       game.Vocabulary
	refs    []string
	forms   []Form
	out     GMText
	note    []string // lines of the running NOTE or ERRATUM
	erratum bool     // and that is an ERRATUM
	as      bool     // an AS block is running
}

func (g *gmReader) endNote() {
	if len(g.note) > 0 {
		if text := strings.TrimSpace(strings.Join(g.note, "\n")); text != "" {
			into := &g.out.Notes
			if g.erratum {
				into = &g.out.Errata
			}
			*into = append(*into, text)
		}
	}
	g.note, g.erratum = nil, false
}

func (g *gmReader) line(l Line) {
	text := clipped(l.Text)
	if blank(text) {
		g.endNote()
		if g.as {
			g.keep(l)
		}
		return
	}
	if g.note != nil && strings.HasPrefix(text, " ") {
		g.note = append(g.note, strings.TrimSpace(text))
		return
	}
	if cmd, ok := readCommand(l, g.forms); ok {
		g.endNote()
		g.as = false
		g.out.Commands = append(g.out.Commands, cmd)
		return
	}
	words := strings.Fields(text)
	switch first := strings.ToUpper(words[0]); {
	case slices.Contains([]string{"NOTE", "NOTE:", "ERRATUM", "ERRATUM:"}, first):
		g.endNote()
		g.as, g.erratum = false, strings.HasPrefix(first, "E")
		rest := strings.TrimLeft(strings.TrimSpace(text)[len(words[0]):], ": ")
		g.note = []string{rest}
		return
	case first == "AS" && strings.Contains(text, ":"):
		g.endNote()
		if g.asLine(l, text) {
			return
		}
	default:
		r, p := g.ruling(words)
		if r == nil && p == nil {
			break
		}
		if p != nil && (g.note != nil || g.as) {
			break // prose and orders may begin like a ruling
		}
		g.endNote()
		g.as = false
		if p != nil {
			g.wrong(l, text, *p)
			return
		}
		r.Text = strings.TrimSpace(text)
		g.out.Rulings = append(g.out.Rulings, *r)
		g.out.Ruled = append(g.out.Ruled, l)
		return
	}
	switch {
	case g.note != nil:
		g.note = append(g.note, strings.TrimSpace(text))
	case g.as:
		g.keep(l)
	default:
		g.out.Rest = append(g.out.Rest, l)
	}
}

func (g *gmReader) keep(l Line) {
	last := &g.out.As[len(g.out.As)-1]
	last.Lines = append(last.Lines, l)
}

// wrong reports a line that begins as a ruling and is none.
func (g *gmReader) wrong(l Line, text string, p game.Problem) { g.out.wrong(l, text, p) }

func (t *GMText) wrong(l Line, text string, p game.Problem) {
	p.Severity = game.Wrong
	p.Source = text
	p.At = game.Span{Line: l.N, Col: 1, Len: len([]rune(text))}
	t.Problems = append(t.Problems, p)
	t.Rest = append(t.Rest, l)
}

// Object lets the rules object to rulings that are well written: fault says what
// is wrong with one, and what to write instead, or nothing.
func (t *GMText) Object(fault func(game.Ruling) (text, do string)) {
	rulings, lines := t.Rulings, t.Ruled
	t.Rulings, t.Ruled = nil, nil
	for i, r := range rulings {
		if text, do := fault(r); text != "" {
			t.wrong(lines[i], clipped(lines[i].Text), game.Problem{Kind: "bad_ruling", Text: text, Do: do})
			continue
		}
		t.Rulings, t.Ruled = append(t.Rulings, r), append(t.Ruled, lines[i])
	}
}

// asLine reads "AS zog, kira: orders". The orders keep their place in the line.
func (g *gmReader) asLine(l Line, text string) bool {
	head, rest, _ := strings.Cut(text, ":")
	names := strings.TrimSpace(strings.TrimSpace(head)[2:])
	var who []game.ID
	for name := range strings.FieldsFuncSeq(strings.ReplaceAll(strings.ToLower(names), " and ", ","), func(r rune) bool { return r == ',' || r == '&' || r == '+' }) {
		words := strings.Fields(name)
		id, n := g.person(words)
		if n == 0 || n != len(words) {
			g.as = false
			g.wrong(l, text, game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("There is no combatant %q.", strings.TrimSpace(name)), Nearest: g.nearPeople(name), Do: "Write AS and a name: AS zog: fire at Bobo"})
			return true
		}
		if !slices.Contains(who, id) {
			who = append(who, id)
		}
	}
	if len(who) == 0 {
		return false
	}
	g.as = true
	g.out.As = append(g.out.As, AsBlock{Who: who})
	if !blank(rest) {
		pad := strings.Repeat(" ", len([]rune(head))+1)
		g.keep(Line{l.N, pad + rest})
	}
	return true
}

// person finds the combatant whose name or id the words begin with.
func (g *gmReader) person(words []string) (game.ID, int) {
	return naming(g.v.People, words)
}

// naming finds what of a list the words begin with by a whole name or its id, with
// or without an article.
func naming(list []game.Named, words []string) (game.ID, int) {
	if len(words) > 1 && strings.EqualFold(words[0], "the") {
		if id, n := naming(list, words[1:]); n > 0 {
			return id, n + 1
		}
	}
	best, id := 0, game.ID("")
	for _, p := range list {
		for _, name := range append([]string{string(p.ID)}, p.Names...) {
			w := strings.Fields(strings.ToLower(Normalize(name)))
			if len(w) > 1 && w[0] == "the" {
				w = w[1:]
			}
			if len(w) > best && len(w) <= len(words) && slices.EqualFunc(w, words[:len(w)], strings.EqualFold) {
				best, id = len(w), p.ID
			}
		}
	}
	return id, best
}

func (g *gmReader) nearPeople(name string) []string {
	d := dictionary{}
	for _, p := range g.v.People {
		d.add(strings.ToLower(string(p.ID)))
		for _, n := range p.Names {
			d.add(strings.ToLower(n))
		}
	}
	near, _ := nearest(strings.TrimSpace(strings.ToLower(name)), d)
	return near
}
