package eternalsoldier

import "github.com/pbemd/pbemd/internal/resolve"

// stops are the dice that a piece of armor takes off a hit of a type of damage
// (8.1); worn is how many hits have burnt ablative armor. No dice: nothing.
func (r rules) stops(a *armorRow, kind string, worn int) resolve.Notation {
	if kind == "beam" && r.word("beam_column") == "energy" {
		kind = "energy"
	}
	d := a.of(kind)
	if d == "" {
		return resolve.Notation{}
	}
	n, err := resolve.ParseNotation(d)
	if err != nil {
		return resolve.Notation{}
	}
	if a.Wears {
		if n.N -= worn / r.Ablative.Hits; n.N <= 0 {
			return resolve.Notation{}
		}
	}
	return n
}

// barrier is a structure in the way (8.6). Thickness is in tenths of its unit.
type barrier struct {
	*structureRow
	thickness int
}

// stop is what a barrier takes off a hit. Before armor-piercing shells it is
// half as thick.
func (b barrier) stop(kind string, piercing bool) int {
	points := b.of(kind) * b.thickness
	if piercing {
		return points / 20
	}
	return points / 10
}

// passes is what goes on behind a barrier, and whether it is pierced.
func (b barrier) passes(damage int, kind string, piercing bool) (through int, pierced bool) {
	through = max(0, damage-b.stop(kind, piercing))
	return through, through > 0
}

// stands is how many points a section can take before it falls; 0: it never does.
func (r rules) stands(b barrier) int {
	if r.word("structure_hits") == "total" {
		return b.Hits
	}
	return b.Hits * b.thickness / 10
}

// blasted tells what an explosion does to a barrier in its zones (8.6 step 5).
func (b barrier) blasted(kill, casualty int) (inKill, inCasualty bool) {
	stop := b.stop("explosion", false)
	return kill > stop, kill > stop && casualty > stop
}

// breaks is the test of a parry (4.7): limit is the most that the parrying
// weapon's own dice show, or a shield's Max Damage.
func breaks(damage, limit int) (broken bool, passes int) {
	if damage > limit {
		return true, damage - limit
	}
	return false, 0
}
