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

	start := 0
	for start < from && width(r[start:min(to, len(r))]) > caretWidth-2 {
		start++
	}
	if start > 0 { // some of what stands before belongs to the picture
		room := caretWidth - 2 - width(r[start:to])
		for start > 0 && room > 0 {
			start--
			room -= runeWidth(r[start])
		}
	}
	end, used := start, 0
	for end < len(r) && used+runeWidth(r[end]) <= caretWidth-2 {
		used += runeWidth(r[end])
		end++
	}
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

func width(r []rune) int {
	n := 0
	for _, c := range r {
		n += runeWidth(c)
	}
	return n
}
