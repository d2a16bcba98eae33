package report

import (
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// caretWidth is how many columns of a source line are shown: four of indent are
// added, and a few are left for quote marks.
const caretWidth = 64

// caret shows a line of a letter with carets under a span of it. A long line is
// shown through a window around the span. Without a span there are no carets.
func caret(source string, at game.Span) []string {
	r := []rune(strings.TrimRight(verbatim(source), " "))
	from, to := at.Col-1, at.Col-1+max(at.Len, 1)
	if at.Col < 1 || from >= len(r) {
		from, to = 0, 0
	}
	to = min(to, len(r))

	start, end := window(r, from, to)
	to = min(to, end)

	line, lead := string(r[start:end]), 0
	if start > 0 {
		line, lead = "…"+line, 1
	}
	if end < len(r) {
		line += "…"
	}
	if to <= from {
		return []string{line}
	}
	return []string{line, strings.Repeat(" ", lead+width(r[start:from])) + strings.Repeat("^", max(1, width(r[from:to])))}
}

// window chooses the part of a line that is shown: all of it if it fits, else
// the span with as much on both sides as there is room for. Two columns are
// kept for the marks of what is left out.
func window(r []rune, from, to int) (start, end int) {
	if width(r) <= caretWidth {
		return 0, len(r)
	}
	start, end = from, from
	room := caretWidth - 2
	grow := func(i int) bool {
		w := runeWidth(r[i])
		if w > room {
			room = 0
			return false
		}
		room -= w
		return true
	}
	for end < to && grow(end) {
		end++
	}
	for room > 0 && (start > 0 || end < len(r)) {
		if end < len(r) && grow(end) {
			end++
		}
		if start > 0 && grow(start-1) {
			start--
		}
	}
	return start, end
}

func width(r []rune) int {
	n := 0
	for _, c := range r {
		n += runeWidth(c)
	}
	return n
}

// marked is a source line divided around the span that its carets point at.
type marked struct{ Before, Span, After string }

// Marked finds the span in a preformatted block that caret wrote, so that HTML
// can mark it in a line that wraps; nil for any other block.
func (b block) Marked() *marked {
	if b.Kind != pre || len(b.Lines) != 2 || strings.Trim(b.Lines[1], " ^") != "" {
		return nil
	}
	from := strings.IndexByte(b.Lines[1], '^')
	if from < 0 {
		return nil
	}
	before, rest := atColumn(b.Lines[0], from)
	span, after := atColumn(rest, len(b.Lines[1])-from)
	return &marked{before, span, after}
}

// atColumn divides a line where that column begins.
func atColumn(s string, column int) (before, after string) {
	used := 0
	for i, r := range s {
		if w := runeWidth(r); used >= column && w > 0 {
			return s[:i], s[i:]
		}
		used += runeWidth(r)
	}
	return s, ""
}

// Label is the width of a row's first cell in HTML: signs take little, words
// that are to be copied take much, and what stands before bare figures all the rest.
func (b block) Label() string {
	wide, figures := "1%", len(b.Rows) > 1
	for _, r := range b.Rows {
		figures = figures && len(r) == 2 && textWidth(plain(r[1])) < 6
		switch {
		case len(r) == 0:
		case len(r[0]) == 1 && r[0][0].Style == "code":
			return "46%"
		case textWidth(plain(r[0])) > 2:
			wide = "34%" // "Ammunition" fits on the narrowest phone
		}
	}
	if figures && wide != "1%" {
		return "70%"
	}
	return wide
}
