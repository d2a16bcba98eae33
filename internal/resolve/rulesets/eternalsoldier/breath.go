package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// choked reports that somebody is in a hold that takes his air.
func (f *Fighter) choked() bool {
	return slices.ContainsFunc(f.Held, func(h HeldBy) bool { return h.Hold == "choke" || h.Hold == "judo_choke" })
}

// breathes counts suffocation (7.6): who is choked loses points from the first
// segment, who has no air after as many segments as his constitution, and who
// breathes gets them back.
func (e *engine) breathes(f *Fighter) {
	if f.Airless > 0 {
		f.Airless++
	}
	loss, why := 0, ""
	switch {
	case f.choked():
		loss, why = e.Suffocation.Loss, "Choked"
	case f.Airless > f.CON+1:
		loss, why = e.Suffocation.Loss, fmt.Sprintf("Without air for %d segments, constitution %d", f.Airless-1, f.CON)
	case f.Airless > 0:
	case f.Suff < f.SuffMax && !e.gasps(f):
		if f.Suff = min(f.SuffMax, f.Suff+e.Suffocation.Recovery); f.Suff == f.SuffMax && f.able() {
			ev := e.event(e.ref(f, ".u"), f, "breath", "recovered", "7.6")
			private(ev, f.Name+" has breath again.")
			e.emit(ev)
		}
	}
	if loss > 0 {
		e.stifles(f, loss, why)
	}
	e.smothers(f)
}

// gasps reports a poison at work that takes suffocation points.
func (e *engine) gasps(f *Fighter) bool {
	return slices.ContainsFunc(f.Poisons, func(p Poison) bool {
		row := e.poison(p.Type)
		return row != nil && row.Effect == "suffocation"
	})
}

// stifles takes suffocation points, with the reason.
func (e *engine) stifles(f *Fighter, loss int, why string) {
	ev := e.event(e.ref(f, ".u"), f, "breath", "loses", "7.6")
	ev.Lines = append(ev.Lines, game.Line{Label: why, Value: strconv.Itoa(-loss)}, game.Line{Label: "Suffocation points", Value: fmt.Sprintf("%d of %d", f.Suff-loss, f.SuffMax)})
	ev.Numbers["loss"], ev.Numbers["left"] = loss, f.Suff-loss
	ev.Changes = append(ev.Changes, changed(f.ID, "SUFF", strconv.Itoa(f.Suff), strconv.Itoa(f.Suff-loss)))
	ev.Unverified = append(ev.Unverified, "suffocation: the pool is ten times the hit points, and ten are lost in a segment")
	f.Suff -= loss
	private(ev, fmt.Sprintf("%s gets no air: %s lost, %d left.", f.Name, plural(loss, "suffocation point"), f.Suff))
	e.emit(ev)
}

// smothers judges what is left of the air.
func (e *engine) smothers(f *Fighter) {
	switch {
	case 2*f.Suff <= -f.SuffMax:
		e.becomes(f, dead, e.event(e.ref(f, ".w"), f, "status", "", "7.6"), f.Name+" has no breath left, and dies.")
	case f.Suff <= 0 && f.Status != unconscious:
		e.becomes(f, unconscious, e.event(e.ref(f, ".w"), f, "status", "", "7.6"), f.Name+" passes out for want of air.")
	}
}
