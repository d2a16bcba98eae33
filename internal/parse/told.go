package parse

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// tellMended states every slip of the sentence that was read as another word, those
// of one line together.
func (r *reader) tellMended() {
	for p := 0; p < len(r.toks); {
		line, q := r.toks[p].at.Line, p
		var slips []string
		first, last := -1, -1
		for ; q < len(r.toks) && r.toks[q].at.Line == line; q++ {
			if t := r.toks[q]; t.mended {
				if first < 0 {
					first = q
				}
				slips, last = append(slips, fmt.Sprintf("“%s” as “%s”", t.raw, t.text)), q
			}
		}
		if first >= 0 {
			text := strings.Join(slips[:len(slips)-1], ", ")
			if text != "" {
				text += " and "
			}
			r.tell(game.Problem{Severity: game.Noted, Kind: "spelling", Text: "Read " + text + slips[len(slips)-1] + ".", Source: r.source[line], At: r.span(first, last+1)})
		}
		p = q
	}
}

func (r *reader) tell(p game.Problem) { r.out.Problems = append(r.out.Problems, p) }

// fail reports text that is not carried out.
func (r *reader) fail(p, q int, kind, text, do string) {
	q = min(q, len(r.toks))
	for p < q && r.toks[p].kind == mark && r.toks[p].text != "(" {
		p++
	}
	for q > p && (r.toks[q-1].kind == newline || r.toks[q-1].is(",")) {
		q--
	}
	if p >= q {
		return
	}
	r.out.Plan.Unparsed = append(r.out.Plan.Unparsed, r.text(p, q))
	r.broken = r.broken || kind != "story"
	if kind != "unparsed" && kind != "story" {
		r.out.Plan.Questions = append(r.out.Plan.Questions, game.Question{Kind: kind, Text: text, Default: "it is not done", At: r.span(p, q)})
	}
	severity := game.Wrong
	switch kind {
	case "story":
		severity = game.Noted
	case "unparsed":
	default:
		severity = game.Asked
	}
	if severity == game.Asked {
		do = strings.TrimSpace(do + " " + unanswered("it is not done"))
	}
	told := game.Problem{Severity: severity, Kind: kind, Text: text, Do: do, Source: r.source[r.toks[p].at.Line], At: r.span(p, q)}
	if kind != "story" {
		told.Understood, told.Nearest = r.understood(p, q), r.suggest(p, q)
	}
	if k := len(r.out.Problems); kind == "story" && k > 0 && r.out.Problems[k-1].Kind == kind && r.out.Problems[k-1].Text == text {
		return // one remark is enough for a paragraph of story
	}
	r.tell(told)
}

// understood lists the words of a stretch that mean something in this game.
func (r *reader) understood(p, q int) string {
	var parts []string
	for p < q {
		if i, n, _ := r.verbAt(p); n > 0 {
			parts = append(parts, strings.Join(r.lx.lemmas[i].words, " "))
			p += n
			continue
		}
		if n, ids := r.lx.nameAt(r.lx.people, r.toks, p); n > 0 && len(ids) == 1 {
			parts = append(parts, personName(r.lx.people[ids[0]].ID, r.vocab()))
			p += n
			continue
		}
		if n, ids := r.lx.nameAt(r.lx.places, r.toks, p); n > 0 && len(ids) == 1 {
			parts = append(parts, placeName(r.lx.places[ids[0]].ID, r.vocab()))
			p += n
			continue
		}
		p++
	}
	if len(parts) > 8 {
		parts = parts[:8]
	}
	return strings.Join(parts, ", ")
}

// suggest gives the nearest known words of the first word that is not known.
func (r *reader) suggest(p, q int) []string {
	for _, t := range r.toks[p:q] {
		if t.kind != word || t.raw == "" || r.lx.knows(t.text) || hasDigit(t.text) {
			continue
		}
		if near, _ := nearest(t.text, r.lx.table.fix, r.lx.fix); len(near) > 0 {
			return near
		}
	}
	return nil
}
