package parse

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalize brings typed text to one form: NFC, straight quotes, plain hyphens,
// plain blanks; zero-width characters, bidi and other controls are dropped,
// except line ends. It changes nothing on a second run.
func Normalize(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || c < ' ' && c != '\n' || c == 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	// Dropping a joiner can bring two characters together that compose, so
	// composition comes last.
	return norm.NFC.String(strings.Map(plainRune, norm.NFC.String(strings.ToValidUTF8(s, "?"))))
}

func plainRune(r rune) rune {
	switch r {
	case '\n':
		return r
	case '\t':
		return ' '
	case '“', '”', '„', '‟', '«', '»', '″', '＂':
		return '"'
	case '‘', '’', '‚', '‛', '′', '‹', '›', '`', '´':
		return '\''
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－':
		return '-'
	case '×':
		return 'x'
	case '…':
		return '.'
	}
	switch {
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return -1
	}
	return r
}

// hidden reports that a text holds zero-width or bidi characters, which a
// reader does not see.
func hidden(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\uFEFF' && r != '\u00AD' && r != '\u200D' && unicode.Is(unicode.Cf, r)
	})
}
