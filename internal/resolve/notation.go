package resolve

import (
	"fmt"
	"strconv"
	"strings"
)

// Notation is dice as a table prints them: 4d10, 1d10+2, or a bare number.
type Notation struct {
	N     int // dice, 0..100
	Sides int // 2..1000 when N > 0
	Plus  int // added once
}

// ParseNotation reads "4d10", "2d10+1", "3d6-2" or "5".
func ParseNotation(s string) (Notation, error) {
	bad := fmt.Errorf("%q is not dice: write for example 4d10 or 2d10+1", s)
	text := strings.ToLower(strings.ReplaceAll(s, " ", ""))
	dice, plus := text, ""
	if i := strings.LastIndexAny(text, "+-"); i > 0 {
		dice, plus = text[:i], text[i:]
	}
	var n Notation
	if plus != "" {
		p, err := strconv.Atoi(plus)
		if err != nil {
			return Notation{}, bad
		}
		n.Plus = p
	}
	count, sides, isDice := strings.Cut(dice, "d")
	if !isDice {
		p, err := strconv.Atoi(dice)
		if err != nil || plus != "" {
			return Notation{}, bad
		}
		n.Plus = p
	} else {
		var err error
		n.N = 1
		if count != "" {
			if n.N, err = strconv.Atoi(count); err != nil {
				return Notation{}, bad
			}
		}
		if n.Sides, err = strconv.Atoi(sides); err != nil {
			return Notation{}, bad
		}
		if n.N < 1 || n.N > 100 || n.Sides < 2 || n.Sides > 1000 {
			return Notation{}, bad
		}
	}
	if n.Plus < -1000 || n.Plus > 1000 {
		return Notation{}, bad
	}
	return n, nil
}

// String writes the notation.
func (n Notation) String() string {
	if n.N == 0 {
		return strconv.Itoa(n.Plus)
	}
	s := strconv.Itoa(n.N) + "d" + strconv.Itoa(n.Sides)
	switch {
	case n.Plus > 0:
		s += "+" + strconv.Itoa(n.Plus)
	case n.Plus < 0:
		s += strconv.Itoa(n.Plus)
	}
	return s
}

// Times multiplies the number of dice, as a dial does.
func (n Notation) Times(k int) Notation {
	n.N = min(max(n.N*k, 0), 100)
	return n
}

// Min and Max are the ends of what can be rolled.
func (n Notation) Min() int { return n.N + n.Plus }

// Max is the greatest sum.
func (n Notation) Max() int { return n.N*n.Sides + n.Plus }
