// Package parse reads what people write. It divides the text of a letter into
// zones (new text, order form, tail, quotation), finds the commands in it, reads
// a player's free English into a plan, and a GM's text into rulings. It knows no
// game: whatever it understands comes from the Vocabulary of the reader's
// character, so that a hidden name and an invented name read alike.
//
// A wrong action is far worse than a question. A clause acts only when all of
// it that matters was understood; everything else is reported back with its
// place, and every choice made for the player is told.
package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/pbemd/pbemd/internal/game"
)

// Bounds of what is read of one letter. What lies beyond is left out, and said
// so in a note or a problem.
const (
	MaxLines   = 10_000 // lines of a letter
	MaxRunes   = 2_000  // characters of a line
	MaxClauses = 200    // clauses of one character
)

// Line is a line of a letter; N counts from 1 in the letter's text.
type Line struct {
	N    int
	Text string
}

// Actor is one character whose orders a letter may hold.
type Actor struct {
	ID         game.ID
	View       game.View
	Vocabulary game.Vocabulary
}

// Reading is what was understood for one character. Actor is empty for text
// that could not be given to any of several characters; it has problems only.
type Reading struct {
	Actor    game.ID
	Plan     game.Plan
	Problems []game.Problem
	Lines    []Line
}

// split cuts a text into lines, within the bounds; cut reports that something
// was left out.
func split(text string) (lines []Line, cut bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for n := 1; ; n++ {
		if n > MaxLines {
			return lines, true
		}
		line, rest, more := strings.Cut(text, "\n")
		line, long := clip(line)
		cut = cut || long
		lines = append(lines, Line{n, strings.TrimSuffix(line, "\r")})
		if !more {
			return lines, cut
		}
		text = rest
	}
}

// clip shortens a line to MaxRunes characters.
func clip(s string) (string, bool) {
	if len(s) <= MaxRunes || utf8.RuneCountInString(s) <= MaxRunes {
		return s, false
	}
	n := 0
	for i := range s {
		if n == MaxRunes {
			return s[:i], true
		}
		n++
	}
	return s, false
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
