package mail

import (
	"strings"
	"unicode/utf8"
)

// What is kept of a letter's text.
const (
	maxTextLines = 10_000
	maxTextLine  = 2_000 // bytes
	maxText      = 1 << 20
)

// cleanText makes text fit to be stored and read anywhere: valid UTF-8, lines
// ended by "\n", no control characters but tab.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\t' || r == '\n':
			return r
		case r < ' ' || 0x7f <= r && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

// limitText divides lines that are too long and cuts a text that is. A long
// quoted line stays quoted in all its pieces.
func (l *Letter) limitText(s string) string {
	var out strings.Builder
	lines := 0
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		quote := ""
		if len(line) > maxTextLine {
			l.note(noteLong)
			if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
				quote = "> "
			}
		}
		for first := true; first || line != ""; first = false {
			var piece string
			piece, line = cutLine(line, maxTextLine-len(quote))
			if !first {
				piece = quote + piece
			}
			if lines++; lines > maxTextLines || out.Len()+len(piece)+1 > maxText {
				l.note(noteCut)
				return out.String()
			}
			out.WriteString(piece)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// cutLine cuts at the last blank within limit bytes; without one, between characters.
func cutLine(line string, limit int) (piece, rest string) {
	if len(line) <= limit {
		return line, ""
	}
	if at := strings.LastIndexByte(line[:limit], ' '); at > limit/2 {
		return line[:at], line[at+1:]
	}
	at := limit
	for !utf8.RuneStart(line[at]) {
		at--
	}
	return line[:at], line[at:]
}
