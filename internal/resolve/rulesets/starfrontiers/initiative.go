package starfrontiers

import (
	"cmp"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// initiativeModifier is ceil(RS/10); robots and remote weapons have level + 3
// (1.1, 3.2).
func (f *Fighter) initiativeModifier(t *tables) int {
	switch {
	case f.IM > 0:
		return f.IM
	case f.Level > 0:
		return f.Level + t.Attack.RobotInitiative
	}
	return halfUp(f.RS, 10)
}

// halfUp divides and rounds up.
func halfUp(n, by int) int { return (n + by - 1) / by }

// reaction is the Reaction Speed used in ties: a robot's is ten times its
// modifier (16.2).
func (f *Fighter) reaction(t *tables) int {
	if f.Level > 0 {
		return 10 * f.initiativeModifier(t)
	}
	return f.RS
}

// holstered reports a weapon that has to be drawn: a sheathed blade counts, one
// that lies on the ground does not (3.3).
func (wp *Weapon) holstered() bool {
	switch wp.State {
	case "holstered", "slung", "sheathed", "belt", "boot", "bandolier":
		return true
	}
	return wp.Picked && wp.State == "in_hand"
}

func (wp *Weapon) inHand() bool { return wp.State == "in_hand" || wp.State == "mounted" }

// holsterPenalty tells whether the -3 of 3.3 applies: the plan uses, in any
// branch or reaction, a weapon that starts the turn holstered; or, by the
// literal reading, none is in hand and one is holstered.
func (f *Fighter) holsterPenalty(setting string, uses map[game.ID]bool) bool {
	ready, stowed := false, false
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		if wp.holstered() {
			stowed = true
			if uses[wp.ID] {
				return true
			}
		} else if wp.inHand() {
			ready = true
		}
	}
	return setting == "always_if_holstered" && stowed && !ready
}

// slot is when the k-th of n sub-actions happens: ceil(total·(n-k+1)/n); a
// total of 0 or less is kept for all of them (4.4).
func slot(total, n, k int) int {
	if total <= 0 || n < 1 {
		return total
	}
	return (total*(n-k+1) + n - 1) / n
}

// sideRoll is the total of a side: the die and the highest modifier on it; the
// roller's holstered weapon lowers the whole (3.2, 3.3).
func sideRoll(t *tables, die int, modifiers []int, rollerHolstered bool) (total, modifier int) {
	for i, m := range modifiers {
		if i == 0 || m > modifier {
			modifier = m
		}
	}
	if rollerHolstered {
		modifier += t.Initiative.Holster
	}
	return die + modifier, modifier
}

// side is a side's initiative.
type side struct {
	id              game.ID
	total, modifier int
	hand            int // by a ruling: of equal totals the higher goes first
}

// compareSides puts the side with initiative first: the higher total, then the
// higher modifier (3.4), unless the GM breaks the tie by hand. Moves go from the last to the first, attacks from the
// first to the last.
func compareSides(a, b side) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.hand, a.hand), cmp.Compare(b.modifier, a.modifier), cmp.Compare(a.id, b.id))
}

// surprisedTotal is the total of everybody who is surprised: one below the
// lowest of the others; if there are none, totals stay as rolled (2.1).
func surprisedTotal(rolled int, unsurprised []int) int {
	if len(unsurprised) == 0 {
		return rolled
	}
	return slices.Min(unsurprised) - 1
}

// key orders sub-actions; the greatest goes first (4.4).
type key struct {
	slot, hand, im, total, rs, index, tie int
	id                                    game.ID
}

// before compares two keys: negative when a goes first.
func before(a, b key) int {
	return cmp.Or(
		cmp.Compare(b.slot, a.slot),
		cmp.Compare(b.hand, a.hand), // by a ruling
		cmp.Compare(b.im, a.im),
		cmp.Compare(b.total, a.total),
		cmp.Compare(b.rs, a.rs),
		cmp.Compare(a.index, b.index),
		cmp.Compare(b.tie, a.tie),
		cmp.Compare(a.id, b.id),
	)
}
