package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// treat is the activity of helping somebody who is hurt (2.4, 7.5).
const treat = "treat"

// treats begins to help somebody in reach, or oneself. How long it takes is the
// GM's to say; the class of the table stands until he does.
func (e *engine) treats(f *Fighter, in game.Intent, who game.ID) progress {
	to := f
	if who != "" && who != game.Me && who != f.ID {
		to = e.w.fighter(who)
	}
	switch {
	case to == nil || to != f && !e.knows(f, to):
		e.impossible(f, in, "no_target", f.Name+" has nobody to help.")
		return passed
	case to != f && !e.w.touches(f.At, to.At, e.reach("short")):
		e.impossible(f, in, "out_of_reach", fmt.Sprintf("%s is too far from %s to help.", f.Name, to.Name))
		return passed
	case e.percent(f, "medic") <= 0:
		e.impossible(f, in, "no_skill", f.Name+" has not learnt Medic.")
		return passed
	case to.Status == dead:
		e.impossible(f, in, "dead", fmt.Sprintf("%s is beyond help.", to.Name))
		return passed
	}
	row := e.action(treat)
	patient := to.Name
	if to == f {
		patient = "the own wounds"
	}
	e.begin(f, Activity{Kind: treat, Name: "treat " + patient, On: to.ID}, row.Class, "sees to "+patient, "", row.guess())
	e.next(f)
	return busy
}

// treated is the Medic roll when the time is over: it sets a broken bone; what else
// it does for the wounded the GM says (7.5).
func (e *engine) treated(f *Fighter, a *Activity, ev *game.Event) string {
	to := e.w.fighter(a.On)
	if to == nil || !e.w.touches(f.At, to.At, e.reach("short")) {
		return ""
	}
	var s sum
	s.start(e.skill("medic").Name, e.percent(f, "medic"))
	e.ruleSum(ev.Ref, &s)
	roll := e.roll(ev, "medic", f.ID, e.when(), 100)
	ok := e.succeeds(s.total, roll)
	if w, ruled := e.rulings.EventWord(ev.Ref, "success", miss); ruled {
		ok = w == "success"
	}
	ev.Target = to.ID
	ev.Lines = append(ev.Lines, s.lines...)
	ev.Lines = append(ev.Lines, game.Line{Label: "D100", Value: strconv.Itoa(roll)})
	ev.Numbers["chance"], ev.Numbers["roll"] = s.total, roll
	ev.Outcome = miss
	if !ok {
		return fmt.Sprintf("%s cannot help %s.", f.Name, to.Name)
	}
	ev.Outcome = "success"
	i := slices.IndexFunc(to.Broken, func(b Bone) bool { return !b.Set })
	if i >= 0 {
		to.Broken[i].Set = true
		ev.Changes = append(ev.Changes, changed(to.ID, "BONES_SET", "no", to.Broken[i].Limb))
		return fmt.Sprintf("%s has set the bone in %s.", f.Name, to.limb(to.Broken[i].Limb))
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "medic", Default: "nothing more",
		Text:   fmt.Sprintf("%s has helped %s (Medic %d, rolled %d). What does it do for him?", f.Name, to.Name, s.total, roll),
		Answer: fmt.Sprintf("%s HP %d", to.ID, min(to.HPMax, to.HP+1)),
	})
	return fmt.Sprintf("%s has seen to %s.", f.Name, to.Name)
}
