package parse

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Orders reads a player's lines into a plan for each character that they order.
// With several characters each order must name its own ("Mira: …", "Zorg runs
// to …"); what names none is asked about, in a Reading without an actor. A
// character of whom nothing is said has no Reading. Line numbers of problems are
// those of the lines; columns count the characters of Problem.Source.
func Orders(lines []Line, actors []Actor) []Reading {
	if len(actors) == 0 {
		return nil
	}
	if len(lines) > MaxLines {
		lines = lines[:MaxLines]
	}
	source := map[int]string{}
	plain := make([]Line, len(lines))
	for i, l := range lines {
		plain[i] = Line{l.N, clipped(l.Text)}
		source[l.N] = plain[i].Text
	}
	readers := make([]*reader, len(actors))
	for i, a := range actors {
		readers[i] = newReader(a, newLexicon(a), source)
		readers[i].siblings = map[game.ID]bool{}
		for _, b := range actors {
			if b.ID != a.ID {
				readers[i].siblings[b.ID] = true
			}
		}
	}
	var orphans Reading
	for _, s := range sections(plain, readers) {
		switch {
		case s.stranger:
			r := readers[0]
			r.toks = lex(s.lines)
			if len(r.toks) > 0 {
				r.fail(0, len(r.toks), "not_your_character", "These are orders for a character who is not yours.", "Only his own player can order him.")
				r.out.Lines = append(r.out.Lines, s.lines...)
			}
		case s.who >= 0:
			readers[s.who].section(s.lines, false)
		case len(actors) == 1:
			readers[0].section(s.lines, false)
		default:
			for i, r := range readers {
				before := len(r.nodes) + len(r.out.Plan.Say) + len(r.out.Plan.Ask)
				problems := len(r.out.Problems)
				unparsed, questions := len(r.out.Plan.Unparsed), len(r.out.Plan.Questions)
				r.section(s.lines, true)
				if i > 0 && before == len(r.nodes)+len(r.out.Plan.Say)+len(r.out.Plan.Ask) {
					// What nobody understood is told once.
					r.out.Problems = r.out.Problems[:problems]
					r.out.Plan.Unparsed, r.out.Plan.Questions = r.out.Plan.Unparsed[:unparsed], r.out.Plan.Questions[:questions]
				}
				if i == 0 {
					orphans.Problems = append(orphans.Problems, r.orphans...)
				}
				r.orphans = nil
			}
		}
	}
	var all []Reading
	for _, r := range readers {
		r.assemble(r.nodes)
		if len(actors) == 1 || !r.out.Plan.Empty() || len(r.out.Problems) > 0 || len(r.out.Plan.Ask) > 0 {
			r.out.Problems = stepsOf(r.out)
			all = append(all, r.out)
		}
	}
	if len(orphans.Problems) > 0 {
		all = append(all, orphans)
	}
	return all
}

// stepsOf puts the problems in the order of the text, and notes which step of
// the plan each concerns.
func stepsOf(out Reading) []game.Problem {
	problems := out.Problems
	for i, p := range problems {
		for j, s := range out.Plan.Steps {
			if p.At.Line > 0 && p.At.Line == s.At.Line && p.At.Col >= s.At.Col && p.At.Col < s.At.Col+max(s.At.Len, 1) {
				problems[i].Step = j + 1
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b game.Problem) int {
		if a.At.Line != b.At.Line {
			return a.At.Line - b.At.Line
		}
		return a.At.Col - b.At.Col
	})
	return problems
}

// section is a run of lines for one character: who is its place among the
// actors, or -1 if nobody is named.
type section struct {
	who      int
	stranger bool // a heading names somebody who is nobody's here
	lines    []Line
}

// sections cuts lines at headings that name a character: "Mira:", "MIRA",
// "Orders for Mira:", "Mira - …".
func sections(lines []Line, readers []*reader) []section {
	all := []section{{who: -1}}
	for _, l := range lines {
		if who, stranger, n := heading(l, readers); n > 0 {
			rest := string([]rune(l.Text)[n:])
			all = append(all, section{who: who, stranger: stranger})
			if blank(rest) {
				continue
			}
			l.Text = strings.Repeat(" ", n) + rest
		}
		last := &all[len(all)-1]
		last.lines = append(last.lines, l)
	}
	return all
}

// heading reads a heading at the front of a line: who it names, and how many
// characters it takes with its colon.
func heading(l Line, readers []*reader) (who int, stranger bool, n int) {
	body, from := bullet(l.Text)
	if r := []rune(body); len(r) > 200 {
		body, _, _ = strings.Cut(string(r[:200]), "\ufffd")
	}
	toks := lexLine(nil, body, l.N, from)
	p := 0
	for p < len(toks) && (toks[p].is("orders") || toks[p].is("order") || toks[p].is("for") || toks[p].is("actions") || toks[p].is("plan") || toks[p].is("action")) {
		p++
	}
	if p >= len(toks) || toks[p].kind != word {
		return 0, false, 0
	}
	for i, r := range readers {
		k, ids := r.lx.nameAt(r.lx.people, toks, p)
		if k == 0 {
			// The first word of one's own name will do.
			for j, e := range r.lx.people {
				if e.ID == r.lx.self && len(e.names) > 0 && len(e.names[0]) > 1 && toks[p].is(e.names[0][0]) {
					k, ids = 1, []int{j}
				}
			}
		}
		if k == 0 || len(ids) != 1 {
			continue
		}
		q := p + k
		if q+1 < len(toks) && toks[q].is("'s") && (toks[q+1].is("orders") || toks[q+1].is("actions") || toks[q+1].is("order")) {
			q += 2
		}
		end := 0
		switch {
		case q == len(toks) && (len(readers) > 1 || p > 0) && from == 0:
			end = len([]rune(l.Text))
		case q < len(toks) && toks[q].is(":"):
			end = toks[q].at.Col
		case q+1 < len(toks) && toks[q].is("-") && !adjacent(toks[q-1], toks[q]) && len(readers) > 1:
			end = toks[q].at.Col
		default:
			continue
		}
		id := r.lx.people[ids[0]].ID
		for j, other := range readers {
			if other.lx.self == id {
				return j, false, end
			}
		}
		if i == len(readers)-1 && r.lx.people[ids[0]].Relation == "ally" && toks[len(toks)-1].at.Col >= end {
			return -1, true, end
		}
	}
	return 0, false, 0
}

// section reads the lines of one section; multi: they name nobody, and the
// letter is for several.
func (r *reader) section(lines []Line, multi bool) {
	r.multi = multi
	r.spoken = nobody
	before := len(r.nodes) + len(r.out.Plan.Say) + len(r.out.Plan.Ask) + len(r.out.Problems)
	r.read(lex(lines))
	if len(r.nodes)+len(r.out.Plan.Say)+len(r.out.Plan.Ask)+len(r.out.Problems) > before {
		for _, l := range lines {
			if !blank(l.Text) {
				r.out.Lines = append(r.out.Lines, l)
			}
		}
	}
}

// LooksLikeOrder reports that a line by itself would order this character
// something, or would be asked about.
func LooksLikeOrder(line string, a Actor) bool {
	for _, r := range Orders([]Line{{1, line}}, []Actor{a}) {
		if len(r.Plan.Steps)+len(r.Plan.Reactions)+len(r.Plan.Standing) > 0 {
			return true
		}
		for _, q := range r.Plan.Questions {
			if q.Kind != "not_your_character" && q.Kind != "trigger_unclear" {
				return true
			}
		}
	}
	return false
}

// JudgeTail fills TailOrders with the lines of the tail that would have been
// orders of one of these characters, so that the receipt can say "write it above".
func (z *Zones) JudgeTail(actors []Actor) {
	z.TailOrders = nil
	for i, l := range z.Tail {
		if i == 200 {
			return
		}
		for _, a := range actors {
			if LooksLikeOrder(l.Text, a) {
				z.TailOrders = append(z.TailOrders, l)
				break
			}
		}
	}
}
