package resolve

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Relation is what b is to a, by their ids and sides: self, ally, enemy or
// neutral. Who has no side, or is on the side "neutral", is nobody's enemy.
func Relation(a, aSide, b, bSide game.ID) string {
	switch {
	case a == b:
		return "self"
	case aSide == bSide && aSide != "":
		return "ally"
	case aSide == "" || bSide == "" || aSide == "neutral" || bSide == "neutral":
		return "neutral"
	}
	return "enemy"
}

// Over reports that a fight has ended, and why: of two sides or more, at most
// one has anybody left who is able. Who is of no side or neutral does not count.
func Over(bodies []game.Body) (over bool, why string) {
	able, all := map[game.ID]bool{}, map[game.ID]bool{}
	for _, b := range bodies {
		if b.Side == "" || b.Side == "neutral" {
			continue
		}
		all[b.Side] = true
		able[b.Side] = able[b.Side] || b.Able
	}
	var fallen []string
	standing := 0
	for side := range all {
		if able[side] {
			standing++
		} else {
			fallen = append(fallen, string(side))
		}
	}
	if len(all) < 2 || standing > 1 {
		return false, ""
	}
	slices.Sort(fallen)
	return true, "nobody is able to fight on among: " + strings.Join(fallen, ", ")
}
