package parse

import (
	"strings"
	"testing"
)

// work reads a text and counts how often a place in it was looked at.
func work(text string) int {
	a := shed()
	source := map[int]string{}
	lines := linesOf(text)
	for i := range lines {
		lines[i].Text = clipped(lines[i].Text)
		source[lines[i].N] = lines[i].Text
	}
	r := newReader(a, newLexicon(a), source)
	r.section(lines, false)
	return r.work
}

// TestWorkGrowsWithTheLength: twice the sentences are twice the work, and no more
// beyond the number of clauses that are read. Within one sentence the work may grow
// with the square, so that a sentence has a bound.
func TestWorkGrowsWithTheLength(t *testing.T) {
	t.Parallel()
	for _, one := range []string{
		"Two shots at Zog, then duck behind the grey crates.", "If the scarred Yazirian comes within 10 m, shoot him. Otherwise wait.",
		"The rain falls on the shed and nobody says a word about the porridge.", "I flurble the gronk with my lasre at the yzirain.",
		"\"Fire!\" she shouts.", "Why is it so dark?", "- reload\n", "zog", "if Zog moves\n",
	} {
		few, more := work(strings.Repeat(one+"\n", 20)), work(strings.Repeat(one+"\n", 40))
		if more > few*23/10 {
			t.Errorf("%s: 20 times %d, 40 times %d", one, few, more)
		}
		if most, beyond := work(strings.Repeat(one+"\n", 2000)), work(strings.Repeat(one+"\n", 4000)); beyond > most*23/10 {
			t.Errorf("%s: 2000 times %d, 4000 times %d", one, most, beyond)
		}
	}
	for _, word := range []string{"zog ", "two zog then ", "and ", "if zog moves, ", "the ", "at the grey crates ", "fire at zog and ", "not ", "( ", "who ", "with the pistol ", "until he ", "or ", "then one at the robot ", "anyone who "} {
		at := func(n int) int { return work(strings.Repeat(word, n/len(strings.Fields(word)))) }
		if half, whole := at(maxSentence/2), at(maxSentence-10); whole > half*45/10+2000 {
			t.Errorf("%q: %d words cost %d, %d cost %d: more than the square", word, maxSentence/2, half, maxSentence, whole)
		}
		if whole, beyond := at(maxSentence-10), at(20*maxSentence); beyond > whole*2+100_000 {
			t.Errorf("%q: a sentence costs %d, one beyond the bound %d", word, whole, beyond)
		}
	}
}
