package eternalsoldier

import (
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// suffers judges what the damage of a segment means: death, or a will roll (7.2, 7.3).
func (e *engine) suffers(f *Fighter, t *tally) {
	if f.Status == dead || t.damage == 0 || f.DiesAt > 0 {
		return
	}
	switch e.condition(f.HP, f.HPMax) {
	case slain:
		e.becomes(f, dead, e.event(e.ref(f, ".w"), f, "status", "", "7.2"), f.Name+" is dead.")
	case low:
		if f.Status != unconscious {
			e.wills(f, true)
		}
	}
}

// wills makes a will roll to stay up, if one is needed (7.3). A roll that a hit
// forces restarts the ten segments (A30).
func (e *engine) wills(f *Fighter, hit bool) {
	if _, needed := e.willRoll(f.HP, f.Drug); !needed {
		f.WillAt = 0
		return
	}
	ev := e.event(e.ref(f, ".w"), f, "status", "", "7.3")
	e.applySets(ev.Ref)
	modifier, needed := e.willRoll(f.HP, f.Drug) // by what was set before it
	if !needed {
		f.WillAt = 0
		return
	}
	ok := false
	if f.HP == 0 && e.word("will_at_zero") == "unconscious" {
		ev.Lines = append(ev.Lines, game.Line{Label: "Hit points", Value: "0"})
	} else {
		roll := e.roll(ev, "will", f.ID, e.when(), 20)
		modifier = e.ruleDie(ev, modifier)
		ok = e.attribute(f.WILL, modifier, roll)
		ev.Numbers["roll"], ev.Numbers["will"], ev.Numbers["modifier"] = roll, f.WILL, modifier
		ev.Lines = append(ev.Lines,
			game.Line{Label: "Will", Value: strconv.Itoa(f.WILL)},
			game.Line{Label: "Hit points below zero, and drugs", Value: strconv.Itoa(modifier)},
			game.Line{Label: "D20", Value: strconv.Itoa(roll)})
	}
	if w, ruled := e.rulings.EventWord(ev.Ref, faltering, unconscious, "stands", "falls", dead); ruled {
		if w == dead {
			e.becomes(f, dead, ev, f.Name+" is dead.")
			return
		}
		ok = w == faltering || w == "stands"
	}
	if !ok {
		f.WillAt = e.now + e.Will.Wake
		e.becomes(f, unconscious, ev, f.Name+" loses consciousness.")
		return
	}
	if due := e.now + e.Will.Again; !hit || f.WillAt == 0 || e.yes("will_timer_resets_on_hit") {
		f.WillAt = due
	}
	switch f.Status {
	case unconscious:
		e.becomes(f, faltering, ev, f.Name+" comes to.")
	case active:
		e.becomes(f, faltering, ev, f.Name+" falters, but stays up.")
	default:
		e.becomes(f, f.Status, ev, f.Name+" stays up.")
	}
}

// becomes changes somebody's state and tells it.
func (e *engine) becomes(f *Fighter, status string, ev *game.Event, text string) {
	was, stood := f.Status, f.able()
	if word := e.changedStatus(ev, f, was, status); word {
		f.Status = status
	}
	ev.Outcome = status
	if !f.able() {
		e.fells(f, ev)
	}
	e.public(ev, f, text)
	e.emit(ev)
	if stood && !f.able() {
		e.mark(f, game.MarkDown, ev.Ref, status)
	}
	if !f.able() {
		e.hear("down", ev, "")
	}
}

// fells ends what somebody was about who is out of action now; the event tells of it.
func (e *engine) fells(f *Fighter, ev *game.Event) {
	e.stopsAll(f, ev.Ref)
	e.letAllGo(f)
	if f.Status == dead || f.Status == unconscious {
		e.tumblesDown(f, ev)
		f.Posture = "prone"
		e.unhorses(f, ev)
	}
	if f.Status == dead {
		f.WillAt, f.Poisons = 0, nil
	}
}

// changedStatus notes a new state; able stands for faltering too, as long as he acts.
func (e *engine) changedStatus(ev *game.Event, f *Fighter, was, status string) bool {
	if was == status {
		return false
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", was, status))
	return true
}

// timed is step 2: drugs, poison, air, then the will roll with the hit points
// that result (2.5).
func (e *engine) timed(f *Fighter) {
	if f.Status == dead {
		return
	}
	before := f.HP
	e.wearsOff(f)
	e.poisoned(f)
	if f.Status != dead {
		e.breathes(f)
	}
	if f.Status == dead {
		return
	}
	switch {
	case f.DiesAt > 0 && e.now < f.DiesAt, e.now < f.OutUntil:
	case f.DiesAt > 0, e.condition(f.HP, f.HPMax) == slain:
		f.DiesAt = 0
		e.becomes(f, dead, e.event(e.ref(f, ".w"), f, "status", "", "7.2"), f.Name+" is dead.")
	case f.OutUntil > 0 && f.HP <= 0:
		f.OutUntil = 0
		e.wills(f, false)
	case f.HP > 0:
		f.OutUntil = 0
		f.WillAt = 0
		if f.Status == unconscious && f.Suff > 0 || f.Status == faltering {
			e.becomes(f, active, e.event(e.ref(f, ".w"), f, "status", "", "7.3"), f.Name+" is well again.")
		}
	case before > 0 || f.WillAt > 0 && e.now >= f.WillAt:
		e.wills(f, false)
	}
	e.wakes(f)
}
