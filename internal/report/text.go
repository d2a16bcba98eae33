package report

import (
	"strings"
	"unicode"
)

// columns is how wide the plain text is.
const columns = 72

// writeText writes a document as plain text under its marker line.
func writeText(marker string, doc []block) string {
	var b strings.Builder
	b.WriteString(marker + "\n")
	for i, bl := range doc {
		lines := textLines(bl)
		if len(lines) == 0 {
			continue
		}
		if i == 0 || !isHeading(doc[i-1]) {
			b.WriteByte('\n')
		}
		for _, l := range lines {
			b.WriteString(strings.TrimRight(l, " ") + "\n")
		}
	}
	return b.String()
}

func isHeading(b block) bool { return b.Kind == heading || b.Kind == subheading }

func textLines(b block) []string {
	switch b.Kind {
	case heading, subheading:
		return textHeading(b)
	case paragraph, callout:
		return wrap(plain(b.Spans), "", "", columns)
	case detail:
		return wrap(plain(b.Spans), "  ", "  ", columns)
	case list:
		return textList(b)
	case table:
		return textTable(b.Rows)
	case pre:
		out := make([]string, len(b.Lines))
		for i, l := range b.Lines {
			out[i] = "    " + l
		}
		return out
	case flush, picture:
		return b.Lines
	case rule:
		return []string{strings.Repeat("-", 40)}
	}
	return nil
}

func textHeading(b block) []string {
	lines := wrap(plain(b.Spans), "", "", columns)
	long := 0
	for _, l := range lines {
		long = max(long, textWidth(l))
	}
	if long == 0 {
		return nil
	}
	under := "-"
	if b.Kind == heading {
		under = "="
	}
	return append(lines, strings.Repeat(under, long))
}

func textList(b block) []string {
	var out []string
	wide := 2
	for _, it := range b.Items {
		wide = max(wide, len(it.Marker)+1)
	}
	hang := strings.Repeat(" ", wide)
	for _, it := range b.Items {
		marker := "-"
		if b.Ordered {
			marker = it.Marker
		}
		first := marker + strings.Repeat(" ", wide-len(marker))
		lines := wrap(plain(it.Spans), first, hang, columns)
		if len(lines) == 0 {
			lines = []string{first}
		}
		out = append(out, lines...)
		for _, d := range it.Details {
			out = append(out, wrap(plain(d), hang, hang, columns)...)
		}
	}
	return out
}

// textTable aligns cells. Every column but the last is as wide as its longest
// cell, within a limit; the last takes what is left; all wrap inside themselves.
func textTable(rows [][][]span) []string {
	n := 0
	for _, r := range rows {
		n = max(n, len(r))
	}
	if n == 0 {
		return nil
	}
	const gap = 2
	limit := 32
	if n > 2 {
		limit = (columns - gap*(n-1)) / n
	}
	widths := make([]int, n)
	left := columns
	for i := range n - 1 {
		for _, r := range rows {
			if i < len(r) {
				widths[i] = max(widths[i], min(limit, textWidth(plain(r[i]))))
			}
		}
		left -= widths[i] + gap
	}
	widths[n-1] = left
	var out []string
	for _, r := range rows {
		parts := make([][]string, n)
		high := 1
		for i, c := range r {
			parts[i] = wrap(plain(c), "", "", widths[i])
			high = max(high, len(parts[i]))
		}
		for y := range high {
			var line strings.Builder
			for i := range n {
				cell := ""
				if y < len(parts[i]) {
					cell = parts[i][y]
				}
				line.WriteString(cell)
				if i < n-1 {
					line.WriteString(strings.Repeat(" ", widths[i]+gap-textWidth(cell)))
				}
			}
			out = append(out, line.String())
		}
	}
	return out
}

// wrap breaks text at blanks into lines of at most width columns, indents
// included. A word that is longer than a line is cut.
func wrap(s, first, rest string, width int) []string {
	var out []string
	line, used, empty := first, textWidth(first), true
	next := func() {
		out = append(out, line)
		line, used, empty = rest, textWidth(rest), true
	}
	for _, word := range strings.Fields(s) {
		for {
			w := textWidth(word)
			if !empty && used+1+w <= width {
				line += " " + word
				used += 1 + w
				break
			}
			if !empty {
				next()
			}
			head, tail := cutWidth(word, max(width-used, 2))
			line += head
			used += textWidth(head)
			empty = false
			if tail == "" {
				break
			}
			word = tail
			next()
		}
	}
	if !empty {
		out = append(out, line)
	}
	return out
}

// cutWidth divides a word after at most width columns, and after at least one
// character.
func cutWidth(word string, width int) (head, tail string) {
	used := 0
	for i, r := range word {
		w := runeWidth(r)
		if i > 0 && used+w > width {
			return word[:i], word[i:]
		}
		used += w
	}
	return word, ""
}

func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// wide holds the ranges that take two columns (Unicode TR 11: W and F, without
// the small islands).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, {Lo: 0x2E80, Hi: 0x303E, Stride: 1},
		{Lo: 0x3041, Hi: 0xA4CF, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7A3, Stride: 1},
		{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, {Lo: 0xFE30, Hi: 0xFE6F, Stride: 1},
		{Lo: 0xFF01, Hi: 0xFF60, Stride: 1}, {Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1F300, Hi: 0x1FAFF, Stride: 1}, {Lo: 0x20000, Hi: 0x3FFFD, Stride: 1},
	},
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
