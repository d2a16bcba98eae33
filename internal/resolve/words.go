package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Definite is the name of a thing with its article: "the crate", "the Gate".
func Definite(name string) string {
	if strings.HasPrefix(strings.ToLower(name), "the ") {
		return name
	}
	return "the " + name
}

// Title begins a sentence.
func Title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
