// Package dice rolls dice that nobody can choose. A die is not taken from a
// stream but has a name, kind/who/when, from which its value follows under a
// key that was sealed before the orders came in; so mending one order changes
// only the dice that depend on it (design section 6).
package dice

import (
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Source rolls named dice. The value is 1..sides; sides is 1..1,000,000. The
// same name and sides give the same value however often they are asked.
// Implementations note where the value came from: sealed, scripted, constant or gm.
type Source interface {
	Roll(name string, sides int) game.Die
}

// maxSides is the greatest die there is.
const maxSides = 1_000_000

// Name is a die's name taken apart: kind/who/when[#n][~k].
type Name struct {
	Kind string  // hit, dmg, init …
	Who  game.ID // whoever rolls; for init a player or a group of foes
	When string  // r1.2, r1, r1.e, s14, or the Ref of the event answered
	N    int     // n-th further die of that kind there; 1 is the first and is not written
	K    int     // k-th re-roll; 0 is not written
}

// String writes the name.
func (n Name) String() string {
	s := n.Kind + "/" + string(n.Who) + "/" + n.When
	if n.N > 1 {
		s += "#" + strconv.Itoa(n.N)
	}
	if n.K > 0 {
		s += "~" + strconv.Itoa(n.K)
	}
	return s
}

// ParseName reads a name. When may itself hold slashes (avoid/zog/bobo/r1.2).
func ParseName(s string) (Name, bool) {
	kind, rest, ok := strings.Cut(s, "/")
	if !ok || kind == "" {
		return Name{}, false
	}
	who, when, ok := strings.Cut(rest, "/")
	if !ok || who == "" || when == "" {
		return Name{}, false
	}
	n := Name{Kind: kind, Who: game.ID(who), N: 1}
	if i := strings.LastIndexByte(when, '~'); i >= 0 {
		k, err := strconv.Atoi(when[i+1:])
		if err != nil || k < 1 || k > 99 {
			return Name{}, false
		}
		n.K, when = k, when[:i]
	}
	if i := strings.LastIndexByte(when, '#'); i >= 0 {
		m, err := strconv.Atoi(when[i+1:])
		if err != nil || m < 2 || m > 9999 {
			return Name{}, false
		}
		n.N, when = m, when[:i]
	}
	if when == "" {
		return Name{}, false
	}
	n.When = when
	return n, true
}
