package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// GMText is what a GM's letter says. Rulings carry no number, letter or turn
// yet. Notes are the texts of NOTE lines: narrative, which changes no event.
type GMText struct {
	Commands []Command
	Rulings  []game.Ruling
	As       []AsBlock
	Notes    []string
	Rest     []Line // nothing of the above; blank lines are left out
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

// GM reads a GM's letter: lines are commands, rulings, NOTE, or "AS who: …"
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
	v     game.Vocabulary
	refs  []string
	forms []Form
	out   GMText
	note  []string // lines of the running NOTE
	as    bool     // an AS block is running
}

func (g *gmReader) endNote() {
	if len(g.note) > 0 {
		if text := strings.TrimSpace(strings.Join(g.note, "\n")); text != "" {
			g.out.Notes = append(g.out.Notes, text)
		}
	}
	g.note = nil
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
	case first == "NOTE" || first == "NOTE:":
		g.endNote()
		g.as = false
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
func (g *gmReader) wrong(l Line, text string, p game.Problem) {
	p.Severity = game.Wrong
	p.Source = text
	p.At = game.Span{Line: l.N, Col: 1, Len: len([]rune(text))}
	g.out.Problems = append(g.out.Problems, p)
	g.out.Rest = append(g.out.Rest, l)
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
	best, id := 0, game.ID("")
	for _, p := range g.v.People {
		for _, name := range append([]string{string(p.ID)}, p.Names...) {
			w := strings.Fields(strings.ToLower(Normalize(name)))
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

// ruling reads one ruling. Nothing at all means that the line is no ruling.
func (g *gmReader) ruling(words []string) (*game.Ruling, *game.Problem) {
	r := &game.Ruling{}
	words, r.Reason, r.Secret = cutReason(words)
	if len(words) == 0 {
		return nil, nil
	}
	switch strings.ToUpper(words[0]) {
	case "EVENT":
		return g.eventRuling(r, words)
	case "DIE":
		return dieRuling(r, words)
	case "MOD":
		return g.modRuling(r, words)
	case "ACCEPT":
		n, ok := readNumber(words[1:])
		if !ok {
			return nil, nil
		}
		r.Kind, r.Value = game.RuleAccept, strconv.Itoa(n)
		return r, nil
	}
	return g.setRuling(r, words)
}

// cutReason takes "because …" and SECRET off the end.
func cutReason(words []string) (rest []string, reason string, secret bool) {
	for i, w := range words {
		if strings.EqualFold(strings.Trim(w, ","), "because") && i > 0 {
			tail := words[i+1:]
			if n := len(tail); n > 0 && strings.Trim(tail[n-1], ".,") == "SECRET" {
				tail, secret = tail[:n-1], true
			}
			reason = strings.Join(tail, " ")
			words = words[:i]
			break
		}
	}
	if n := len(words); n > 1 && strings.EqualFold(strings.Trim(words[n-1], ".,()"), "secret") {
		words, secret = words[:n-1], true
	}
	if n := len(words); n > 0 {
		words = slices.Clone(words)
		words[n-1] = strings.TrimRight(words[n-1], ".,!;")
		if words[n-1] == "" {
			words = words[:n-1]
		}
	}
	return words, reason, secret
}

// event translates a packet's number into a ref.
func (g *gmReader) event(w string) (string, *game.Problem) {
	n, ok := readNumber([]string{w})
	switch {
	case !ok:
		return "", &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("%q is not the number of an event.", w), Do: "Write EVENT and the number in the packet: EVENT 7 HIT"}
	case len(g.refs) == 0:
		return "", &game.Problem{Kind: "bad_ruling", Text: "Your letter answers no packet, so a number names no event.", Do: "Answer the packet whose numbers you mean."}
	case n > len(g.refs):
		return "", &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("There is no event %d: the packet has events 1 to %d.", n, len(g.refs)), Do: fmt.Sprintf("Write a number from 1 to %d.", len(g.refs))}
	}
	return g.refs[n-1], nil
}

func (g *gmReader) eventRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 2 || len(words) > 5 || !digits(words[1]) {
		return nil, nil
	}
	ref, p := g.event(words[1])
	if p != nil {
		return nil, p
	}
	r.Kind, r.Ref = game.RuleEvent, ref
	rest := words[2:]
	if len(rest) == 3 && rest[1] == "=" {
		rest = []string{rest[0], rest[2]}
	}
	switch {
	case len(rest) == 1 && letters(rest[0]):
		r.Field, r.Value = "outcome", strings.ToLower(rest[0])
	case len(rest) == 2 && letters(rest[0]) && signedNumber(rest[1]):
		r.Field, r.Value = strings.ToLower(rest[0]), strings.TrimPrefix(rest[1], "+")
	default:
		return nil, &game.Problem{Kind: "bad_ruling", Text: "This does not say what the event shall be.", Understood: "event " + words[1] + " of the packet", Do: "Write an outcome or a number: EVENT 7 HIT, EVENT 7 DAMAGE 12"}
	}
	return r, nil
}

func dieRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 2 || !strings.Contains(words[1], "/") {
		return nil, nil
	}
	rest := words[2:]
	if len(rest) > 0 && rest[0] == "=" {
		rest = rest[1:]
	}
	r.Kind, r.Die = game.RuleDie, words[1]
	if name, value, ok := strings.Cut(words[1], "="); ok && len(rest) == 0 {
		r.Die, rest = name, []string{value}
	}
	switch {
	case len(rest) == 1 && strings.EqualFold(rest[0], "reroll"):
		r.Value = "reroll"
	case len(rest) == 1 && digits(rest[0]) && len(rest[0]) <= 4:
		r.Value = rest[0]
	default:
		return nil, &game.Problem{Kind: "bad_ruling", Text: "This does not say what the die shall show.", Understood: "die " + words[1], Do: "Write DIE hit/bobo/r1.1 = 42, or DIE hit/bobo/r1.1 REROLL"}
	}
	return r, nil
}

func (g *gmReader) modRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 3 {
		return nil, nil
	}
	id, n := g.person(words[1:])
	rest := words[1+n:]
	if n == 0 {
		if !signedNumber(words[len(words)-1]) {
			return nil, nil
		}
		name := strings.Join(words[1:len(words)-1], " ")
		return nil, &game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("There is no combatant %q.", name), Nearest: g.nearPeople(name), Do: "Write MOD, a name and a number: MOD bobo +10 because high ground"}
	}
	if len(rest) != 1 || !signedNumber(rest[0]) || len(rest[0]) > 5 {
		return nil, &game.Problem{Kind: "bad_ruling", Text: "A modifier is one whole number with its sign.", Understood: "a modifier for " + string(id), Do: "Write MOD bobo +10 because high ground"}
	}
	r.Kind, r.Who, r.Value = game.RuleMod, id, strings.TrimPrefix(rest[0], "+")
	return r, nil
}

// setRuling reads "BOBO STA 12", perhaps with "AT EVENT 7".
func (g *gmReader) setRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	id, n := g.person(words)
	if n == 0 || len(words) < n+2 {
		return nil, nil
	}
	i := slices.IndexFunc(g.v.Fields, func(f game.Field) bool { return strings.EqualFold(f.Name, words[n]) })
	rest := words[n+1:]
	if i < 0 {
		if len(rest) == 1 && signedNumber(rest[0]) && strings.ToUpper(words[n]) == words[n] {
			return nil, &game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("%s is nothing that can be set.", words[n]), Understood: "a value for " + string(id), Nearest: g.fieldNames(), Do: "Write a name, a field and a value: BOBO STA 12"}
		}
		return nil, nil
	}
	f := g.v.Fields[i]
	if k := len(rest); k >= 4 && strings.EqualFold(rest[k-3], "at") && strings.EqualFold(rest[k-2], "event") {
		ref, p := g.event(rest[k-1])
		if p != nil {
			return nil, p
		}
		r.Ref, rest = ref, rest[:k-3]
	}
	if len(rest) > 1 && rest[0] == "=" {
		rest = rest[1:]
	}
	value, ok := fieldValue(f, strings.Join(rest, " "))
	if !ok {
		if len(rest) > 3 {
			return nil, nil // a sentence about somebody
		}
		do := "Write a whole number."
		switch {
		case len(f.Words) > 0:
			do = "Write one of: " + strings.Join(f.Words, ", ") + "."
		case f.Type == "square":
			do = "Write a square such as E4."
		}
		return nil, &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("%q is no value for %s.", strings.Join(rest, " "), f.Name), Understood: f.Name + " of " + string(id), Do: do}
	}
	r.Kind, r.Who, r.Field, r.Value = game.RuleSet, id, f.Name, value
	return r, nil
}

func (g *gmReader) fieldNames() []string {
	var names []string
	for _, f := range g.v.Fields {
		if len(names) < 3 {
			names = append(names, f.Name)
		}
	}
	return names
}

func fieldValue(f game.Field, s string) (string, bool) {
	for _, w := range f.Words {
		if strings.EqualFold(w, s) {
			return w, true
		}
	}
	switch f.Type {
	case "number":
		return strings.TrimPrefix(s, "+"), signedNumber(s) && len(s) <= 7
	case "square":
		sq, ok := game.ParseSquare(s)
		return sq.String(), ok
	case "word":
		return strings.ToLower(s), len(f.Words) == 0 && letters(s)
	}
	return "", false
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func signedNumber(s string) bool {
	return digits(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")) && !strings.HasPrefix(s, "-+")
}

func letters(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz_-") == ""
}
