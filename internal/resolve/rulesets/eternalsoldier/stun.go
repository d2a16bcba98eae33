package eternalsoldier

import (
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// stuns keeps somebody from acting and preparing for so many segments (4.8, 9.1).
func (e *engine) stuns(f *Fighter, n int, ev *game.Event) {
	if n <= 0 {
		return
	}
	f.StunnedTo = max(f.StunnedTo, e.now+n)
	f.LastAction = max(f.LastAction, e.now+n)
	e.stopsAll(f, ev.Ref)
	ev.Lines = append(ev.Lines, game.Line{Label: "Stunned until segment", Value: strconv.Itoa(f.StunnedTo)})
	ev.Numbers["stunned_until"] = f.StunnedTo
}

// shocks stuns somebody for as many segments as he loses hit points, where the
// game has that rule (9.1). With the further option a will roll shortens it by the
// margin of its success, or lengthens it by that of its failure.
func (e *engine) shocks(f *Fighter, damage int) {
	if damage <= 0 || !e.yes("stun_from_damage") {
		return
	}
	n := damage
	ev := e.event(e.ref(f, ".z"), f, "stun", "stunned", "9.1")
	ev.Lines = append(ev.Lines, game.Line{Label: "Hit points lost", Value: strconv.Itoa(damage)})
	if e.yes("stun_will_roll") {
		roll := e.roll(ev, "stun", f.ID, e.when(), 20)
		modifier := e.ruleDie(ev, 0)
		margin := f.WILL + modifier - roll
		ok := e.attribute(f.WILL, modifier, roll)
		if ok != (margin >= 0) {
			margin = 0 // a roll that decides by itself has no margin
		}
		n = max(0, n-margin)
		ev.Lines = append(ev.Lines, game.Line{Label: "Will " + strconv.Itoa(f.WILL) + ", D20 " + strconv.Itoa(roll), Value: resolve.Signed(-margin)})
		ev.Numbers["roll"], ev.Numbers["margin"] = roll, margin
	}
	ev.Numbers["segments"] = n
	text := f.Name + " shakes it off."
	if n == 0 {
		ev.Outcome = "shaken_off"
	} else {
		text = f.Name + " is stunned for " + plural(n, "segment") + "."
	}
	e.stuns(f, n, ev)
	e.after = append(e.after, ev)
	e.public(ev, f, text)
}

// burns marks a hit that burnt ablative armor (8.1), and tells when it has become
// thinner by it.
func (e *engine) burns(f *Fighter, ar *Armor, row *armorRow, ev *game.Event) {
	ar.Hits++
	ev.Unverified = append(ev.Unverified, "ablative armor: every "+strconv.Itoa(e.Ablative.Hits)+" hits of heat take a die from each column")
	ev.Lines = append(ev.Lines, game.Line{Label: "Hits that have burnt the " + row.Name, Value: strconv.Itoa(ar.Hits)})
	if ar.Hits%e.Ablative.Hits == 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "The " + row.Name, Value: "is thinner by a die"})
	}
}
