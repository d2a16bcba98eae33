package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Spans of time in segments (7.7).
const (
	minute = 120
	hour   = 60 * minute
	day    = 24 * hour
)

// recoveryFields are what a ruling may set between fights (7.4 to 7.7, 12).
var recoveryFields = []game.Field{
	{Name: "DAYS", Type: "number", Least: 1, Most: 365, Help: "so many days pass for him: he heals, poisons and drugs run on"},
	{Name: "HOURS", Type: "number", Least: 1, Most: 240, Help: "so many hours pass for him"},
	{Name: "MINUTES", Type: "number", Least: 1, Most: 600, Help: "so many minutes pass for him"},
	{Name: "CARE", Type: "number", Least: 0, Most: 1000, Help: "tenths of a hit point that he heals a day under care or magic; 0: his constitution"},
	{Name: "AIR", Type: "word", Words: []string{"yes", "no"}, Help: "whether he has air: no when he drowns or smoke chokes him"},
	{Name: "BONES_SET", Type: "word", Words: []string{"yes", "no"}, Help: "whether his broken bones are set, so that they heal cleanly"},
}

// recovers sets one of recoveryFields; from is what it was.
func (e *engine) recovers(f *Fighter, field, value string) (from string, ok bool) {
	n, err := strconv.Atoi(value)
	within := func(name string) bool {
		x := find(recoveryFields, func(x *game.Field) bool { return x.Name == name })
		return err == nil && n >= x.Least && n <= x.Most
	}
	switch field {
	case "DAYS", "HOURS", "MINUTES":
		if !within(field) || f.Status == dead {
			return "", false
		}
		e.elapse(f, n*map[string]int{"DAYS": day, "HOURS": hour, "MINUTES": minute}[field])
		return "", true
	case "CARE":
		if within(field) {
			from, f.Care = strconv.Itoa(f.Care), n
			return from, true
		}
	case "AIR":
		from = yesOrNo(f.Airless == 0)
		switch value {
		case "yes":
			f.Airless = 0
		case "no":
			f.Airless = max(f.Airless, 1)
		default:
			return "", false
		}
		return from, true
	case "BONES_SET":
		if len(f.Broken) == 0 || value != "yes" && value != "no" {
			return "", false
		}
		from = yesOrNo(!slices.ContainsFunc(f.Broken, func(b Bone) bool { return !b.Set }))
		for i := range f.Broken {
			f.Broken[i].Set = value == "yes"
		}
		return from, true
	}
	return "", false
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// elapse lets n segments pass for somebody outside of a fight: drugs wear off,
// poisons are rolled against, what they took comes back, air is lost or found,
// and each whole day heals (7.4 to 7.7). Its rolls are those of a fight, in the
// order in which they fall due.
func (e *engine) elapse(f *Fighter, n int) {
	start := e.now
	hp := f.HP
	days, rolls := 0, 0
	told, marked := len(e.out.Events), len(e.out.Timeline)
	for f.Status != dead {
		next := e.nextChange(f)
		if next-start > n {
			break
		}
		if next-e.now < day-f.Rested { // it is not the day alone that is full
			if rolls++; rolls > maxPassing {
				e.passesOn(f)
				rolls = 0
				continue
			}
		}
		f.Rested += next - e.now
		e.now = next
		e.wearsOff(f)
		e.poisoned(f)
		if e.condition(f.HP, f.HPMax) == slain && e.now >= f.DiesAt {
			e.becomes(f, dead, e.event(e.ref(f, ".w"), f, "status", "", "7.2"), f.Name+" is dead.")
			break
		}
		if e.smothers(f); f.Status == dead {
			break
		}
		if f.Rested >= day {
			f.Rested = 0
			days++
			e.healsADay(f)
		}
	}
	f.Rested += start + n - e.now
	e.now = start
	// The clock of the fight has not gone on.
	for i := range e.out.Events[told:] {
		e.out.Events[told+i].At = start
	}
	for i := range e.out.Timeline[marked:] {
		e.out.Timeline[marked+i].At = start
	}
	f.shiftClocks(n)
	if f.Status == dead {
		return
	}
	e.breathesFor(f, n)
	if f.Status == dead {
		return
	}
	ev := e.event(e.ref(f, ".h"), f, "recovery", "done", "7.5")
	ev.Numbers["segments"], ev.Numbers["days"], ev.Numbers["hp"] = n, days, f.HP
	ev.Lines = append(ev.Lines, game.Line{Label: "Days of rest", Value: strconv.Itoa(days)}, game.Line{Label: "Hit points", Value: fmt.Sprintf("%d of %d", f.HP, f.HPMax)})
	if f.Tenths > 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "Tenths carried on", Value: strconv.Itoa(f.Tenths)})
	}
	text := fmt.Sprintf("%s pass for %s: hit points %d of %d.", span(n), f.Name, f.HP, f.HPMax)
	if f.HP != hp {
		ev.Changes = append(ev.Changes, changed(f.ID, "HP", strconv.Itoa(hp), strconv.Itoa(f.HP)))
	}
	if f.HP <= 0 {
		ev.Unverified = append(ev.Unverified, "who is at 0 hit points or below after some time: one will roll tells how he is")
	}
	private(ev, text)
	e.emit(ev)
	e.comesTo(f)
}

// maxPassing bounds how many rolls are made for the time that passes for somebody by
// one ruling.
const maxPassing = 500

// passesOn ends the rolls of a time that brings no end of them: how the poison and
// what it took come out is for the GM to say.
func (e *engine) passesOn(f *Fighter) {
	f.Poisons, f.Mending = nil, nil
	ev := e.event(e.ref(f, ".p"), f, "poison", "undecided", "7.7")
	private(ev, fmt.Sprintf("After %d rolls it is still not decided how the poison in %s ends.", maxPassing, f.Name))
	e.emit(ev)
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "free_text", Text: ev.Text[game.All],
		Default: "no more rolls were made, and nothing more came of it", Answer: strings.ToUpper(string(f.ID)) + " HP " + strconv.Itoa(f.HP),
	})
}

// span says a time as it was given.
func span(n int) string {
	switch {
	case n%day == 0:
		return plural(n/day, "day")
	case n%hour == 0:
		return plural(n/hour, "hour")
	}
	return plural(n/minute, "minute")
}

// nextChange is the segment of the next thing that time does to somebody: his day
// is full, a drug wears off, a roll is due.
func (e *engine) nextChange(f *Fighter) int {
	next := e.now + day - f.Rested
	if f.DrugTill > 0 {
		next = min(next, max(e.now, f.DrugTill))
	}
	for _, p := range f.Poisons {
		next = min(next, max(e.now, p.Due))
	}
	for _, m := range f.Mending {
		next = min(next, max(e.now, m.Due))
	}
	return next
}

// shiftClocks makes the clocks of somebody's body n segments earlier, for the clock
// of the fight stands still meanwhile. Nothing that he was about goes on.
func (f *Fighter) shiftClocks(n int) {
	for i := range f.Poisons {
		f.Poisons[i].Due -= n
	}
	for i := range f.Mending {
		f.Mending[i].Due -= n
	}
	for _, clock := range []*int{&f.DrugTill, &f.DiesAt} {
		if *clock > 0 {
			*clock = max(1, *clock-n)
		}
	}
	if f.OutUntil != late {
		f.OutUntil = max(0, f.OutUntil-n)
	}
	f.LastAction = max(longAgo, f.LastAction-n)
	f.Shift, f.Delay, f.NotBefore, f.StunnedTo = 0, 0, 0, 0
	f.Activity, f.Burst, f.Move = nil, nil, nil
}

// breathesFor counts the air of n segments (7.6).
func (e *engine) breathesFor(f *Fighter, n int) {
	switch {
	case f.Airless > 0:
		had := f.Airless - 1
		f.Airless += n
		if lost := min(n, had+n-f.CON); lost > 0 {
			e.stifles(f, lost*e.Suffocation.Loss, fmt.Sprintf("Without air for %d segments, constitution %d", had+n, f.CON))
		}
	case !e.gasps(f):
		f.Suff = min(f.SuffMax, f.Suff+n*e.Suffocation.Recovery)
	}
	e.smothers(f)
}

// healsADay gives the tenths of a day of rest (7.5, A50).
func (e *engine) healsADay(f *Fighter) {
	rate := f.CON
	if f.Care > 0 {
		rate = f.Care
	}
	points, left := e.healed(rate, f.Tenths)
	f.Tenths = left
	if points = min(points, f.HPMax-f.HP); f.HP+points >= f.HPMax {
		f.Tenths = 0 // nothing is left to heal
	}
	f.HP += points
	e.knits(f, points)
}

// knits counts points that have healed against broken bones: those of older wounds
// come first (7.5). A bone that was not set leaves its limb the worse by a D6.
func (e *engine) knits(f *Fighter, points int) {
	for i := 0; i < len(f.Broken); {
		b := &f.Broken[i]
		older := min(points, b.Older)
		b.Older -= older
		if b.Points -= min(points-older, b.Points); b.Older+b.Points > 0 {
			i++
			continue
		}
		ev := e.event(e.ref(f, ".k"), f, "bone", "healed", "7.5")
		ev.Unverified = append(ev.Unverified, "the order in which wounds heal: the oldest first")
		text := fmt.Sprintf("%s has healed, and cleanly.", resolve.Title(f.limb(b.Limb)))
		if !b.Set {
			loss := e.roll(ev, "bone", f.ID, e.when(), 6)
			ev.Outcome = "lame"
			ev.Lines = append(ev.Lines, game.Line{Label: "The bone was not set, D6", Value: strconv.Itoa(loss)})
			ev.Numbers["loss"] = loss
			into := f.injury(b.Limb)
			ev.Changes = append(ev.Changes, changed(f.ID, "INJURED", strconv.Itoa(*into), strconv.Itoa(*into+loss)))
			*into += loss
			text = fmt.Sprintf("%s has healed, but was not set: it is slower by %d from now on.", resolve.Title(f.limb(b.Limb)), loss)
		}
		f.Broken = orNil(slices.Delete(f.Broken, i, i+1))
		private(ev, text)
		e.emit(ev)
	}
}

// injury is what an unset bone has cost a limb (7.5).
func (f *Fighter) injury(limb string) *int {
	switch limb {
	case "main_arm":
		return &f.InjuredM
	case "off_arm":
		return &f.InjuredO
	}
	return &f.Injured
}

// limb names a limb of somebody.
func (f *Fighter) limb(id string) string {
	name := map[string]string{"main_arm": "main arm", "off_arm": "off arm", "leg": "leg"}[id]
	return f.Name + "'s " + name
}

// comesTo judges how somebody is when time has passed (7.3). Who is at 0 or below
// makes one will roll for how he is then.
func (e *engine) comesTo(f *Fighter) {
	f.WillAt = 0
	switch {
	case f.Suff <= 0, e.now < f.OutUntil:
	case f.HP > 0:
		if f.Status == unconscious || f.Status == faltering {
			e.becomes(f, active, e.event(e.ref(f, ".w"), f, "status", "", "7.3"), f.Name+" is well again.")
		}
	case f.Status != surrendered:
		e.wills(f, true)
	}
}
