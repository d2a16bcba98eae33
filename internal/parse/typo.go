package parse

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// distance is the number of slips of the keys between two words: a letter
// missing, added, wrong, or two neighbours swapped (optimal string alignment).
// It stops at limit+1.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); (d > limit || -d > limit) && isASCII(a) && isASCII(b) {
		return limit + 1
	}
	var bufs [2][maxWord]rune
	x, y := appendRunes(bufs[0][:0], a), appendRunes(bufs[1][:0], b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][maxWord + 1]int
	before, last, row := rows[0][:], rows[1][:], rows[2][:]
	if len(y) >= len(last) {
		before, last, row = make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	}
	for j := range len(y) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit+1)
}

// maxWord is how long a word may be to be compared without memory of its own.
const maxWord = 31

func appendRunes(to []rune, s string) []rune {
	for _, r := range s {
		to = append(to, r)
	}
	return to
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// slips is how many slips a word of n letters may have. A word of three letters
// may only have two neighbours swapped, which nearest looks after.
func slips(n int) int {
	switch {
	case n < 3:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

// dictionary holds the words that a slip may have been meant for, by first letter.
type dictionary map[rune][]listed

// listed is a word of a dictionary, with the letters in it.
type listed struct {
	word    string
	letters uint32
}

// letterSet is the letters of a word, a bit each.
func letterSet(word string) uint32 {
	var set uint32
	for _, r := range word {
		set |= 1 << (r & 31)
	}
	return set
}

func (d dictionary) add(word string) {
	r, _ := utf8.DecodeRuneInString(word)
	if len(word) >= 3 {
		d[r] = append(d[r], listed{word, letterSet(word)})
	}
}

// nearest gives the known words nearest to one that is not known, best first,
// at most three, and whether the first of them is alone at its distance and
// near enough to be taken for it. Hands rarely miss the first letter, so only
// words with that letter, or with the first two swapped, are looked at.
func nearest(word string, dictionaries ...dictionary) (words []string, sure bool) {
	type found struct {
		word   string
		weight int // a swap is the likeliest slip
	}
	n := utf8.RuneCountInString(word)
	if n < 3 || n > 24 {
		return nil, false
	}
	runes := []rune(word)
	far := 2
	if n < 5 {
		far = 1
	}
	var all []found
	set := letterSet(word)
	look := func(first rune, ok func(string) bool) {
		for _, d := range dictionaries {
			for _, l := range d[first] {
				if bits.OnesCount32(set^l.letters) > 2*far {
					continue // each slip changes two letters at most
				}
				w := l.word
				dist := distance(word, w, far)
				if dist > far || !ok(w) {
					continue
				}
				f := found{w, 2 * dist}
				if dist == 1 && (swapped(word, w) || neighbours(word, w)) {
					f.weight--
				}
				if !slices.ContainsFunc(all, func(o found) bool { return o.word == w }) {
					all = append(all, f)
				}
			}
		}
	}
	look(runes[0], func(string) bool { return true })
	if runes[1] != runes[0] {
		look(runes[1], func(w string) bool { return swapped(word, w) })
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(a.weight-b.weight, strings.Compare(a.word, b.word))
	})
	for _, f := range all {
		if len(words) < 3 {
			words = append(words, f.word)
		}
	}
	if len(all) == 0 || len(all) > 1 && all[1].weight == all[0].weight {
		return words, false
	}
	best := all[0]
	shorter := min(n, utf8.RuneCountInString(best.word))
	if shorter == 3 {
		return words, best.weight == 1
	}
	return words, best.weight <= 2*slips(shorter)
}

// rows are the keys of a keyboard.
var rows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// neighbours reports two words that differ by one key hit beside the right one.
func neighbours(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] == b[i] {
			continue
		}
		if a[i+1:] != b[i+1:] {
			return false
		}
		for _, row := range rows {
			x, y := strings.IndexByte(row, a[i]), strings.IndexByte(row, b[i])
			if x >= 0 && y >= 0 && (x-y == 1 || y-x == 1) {
				return true
			}
		}
		return false
	}
	return false
}

// swapped reports that two words differ only by two neighbours swapped.
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y) && distance(a, b, 1) == 1
}
