package eternalsoldier

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// rollAttacks is step 6: all attacks of the segment, each by itself and on how
// things stand after step 5; or the missiles among them alone, where they come
// before the movement (A54). The shots of a burst are attacks of their own.
func (e *engine) rollAttacks(missilesOnly bool) {
	var all []*attack
	for _, a := range e.attacks {
		if a.gone || a.made || missilesOnly && !a.arms.missile() {
			all = append(all, a)
			continue
		}
		all = append(all, e.volley(a)...)
	}
	e.attacks = all
}

// volley rolls an attack, and the further shots of automatic fire or of the
// second barrel.
func (e *engine) volley(a *attack) []*attack {
	f := a.f
	a.prior = &prior{shift: f.Shift, burst: f.Burst, weapon: *a.arms.Weapon}
	out := []*attack{a}
	e.rollOne(a)
	for n := 2; n <= a.rate && !e.ceases(a, out[len(out)-1]); n++ {
		b := *a
		b.ref, b.ev = "", nil
		if a.shot > 0 {
			b.shot = a.shot + n - 1
		}
		if b.timing > 0 && a.burst != nil {
			b.timing = 0 // the first shot alone has it (5.6)
		}
		e.name(&b)
		e.rollOne(&b)
		out = append(out, &b)
	}
	f.Shift = 0
	a.made = true
	for _, b := range out {
		b.made = true
	}
	e.fired(a, len(out))
	return out
}

// prior is how things stood before an attack was rolled.
type prior struct {
	shift  int
	burst  *Burst
	weapon Weapon
}

// withdraw takes an attack back as if it had never been rolled: no round is spent,
// and nothing has left the hand (2.5 step 7).
func (a *attack) withdraw() {
	a.gone = true
	if b := a.prior; b != nil {
		a.f.Shift, a.f.Burst = b.shift, b.burst
		*a.arms.Weapon = b.weapon
	}
}

// ceases reports that automatic fire stops after a shot: its order is fulfilled (5.6).
func (e *engine) ceases(a, last *attack) bool {
	until := a.in.Until
	if a.burst == nil || until == nil {
		return false
	}
	if until.Kind == "hit" && (last.result == hit || last.result == critical) {
		a.burst.On, a.burst.Left = false, 0
		return true
	}
	return false
}

// fired takes the rounds out of the weapon.
func (e *engine) fired(a *attack, n int) {
	if !a.arms.missile() {
		return
	}
	wp := a.arms.Weapon
	if a.arms.row.Missile == "thrown" {
		e.thrown(a)
	} else if !a.dodged || !e.yes("dodge_saves_round") {
		wp.Left = max(0, wp.Left-n)
	}
	b := a.burst
	if b == nil {
		return
	}
	b.Shots += n
	b.Left = max(0, b.Left-n)
	b.Last, b.Whole = e.now, n == a.arms.rate()
	if n < a.arms.rate() || wp.Left < 1 {
		b.On, b.Left = false, 0
	}
	if e.word("auto_penalty_lasts") == "segment" {
		b.Shots = 0
	}
	a.f.Burst = b
}

// thrown leaves the hand and lies where the target is.
func (e *engine) thrown(a *attack) {
	wp, to := a.arms.Weapon, a.spot
	wp.State, wp.Hand, wp.Place = "on_ground", "", &to
}

// turnTo turns whoever attacks towards his target (4.4).
func (e *engine) turnTo(f *Fighter, a *attack) {
	to := a.at
	if a.target != nil {
		to = &a.target.At
	}
	if to != nil && *to != f.At {
		f.Facing = to.minus(f.At)
	}
}

// name gives an attack its ref and its event.
func (e *engine) name(a *attack) {
	a.ref = e.ref(a.f, "")
	a.when = strings.TrimPrefix(a.ref, string(a.f.ID)+"/")
	kind, rule := "melee", "4.2"
	if a.hold != nil {
		kind, rule = "wrestle", "10.2"
	} else if a.arms.missile() {
		if kind, rule = "fire", "5.5"; a.arms.row.Missile == "thrown" {
			kind = "throw"
		}
	}
	a.ev = e.event(a.ref, a.f, kind, "", rule)
	a.ev.Attack = true
	if a.target != nil {
		a.ev.Target = a.target.ID
	}
	if n := e.lifted[a.f]; n > 0 {
		e.rulings.Note(a.ev, []int{n})
		e.rulings.Mark(n)
		delete(e.lifted, a.f)
	}
}

// rollOne makes the roll of one attack.
func (e *engine) rollOne(a *attack) {
	e.applySets(a.ref)
	a.spot = a.f.At
	switch {
	case a.target != nil:
		a.spot = a.target.At
	case a.at != nil:
		a.spot = *a.at
	}
	e.ruleTiming(a)
	e.rulings.EventNumber(a.ref, "order")
	switch {
	case a.target != nil && e.helpless(a.target) && !a.arms.missile() && a.hold == nil:
		a.result = hit // it is not rolled (4.4)
		a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Helpless target", Value: "hit"})
	default:
		a.sum = e.sumOf(a)
		if a.hold != nil {
			a.sum.add(a.hold.Name, e.holdModifier(a), "modifier of a "+a.hold.Name)
		}
		e.ruleSum(a.ref, &a.sum)
		a.roll = e.roll(a.ev, "hit", a.f.ID, a.when, 100)
		if a.arms.missile() {
			a.result = e.judgeShot(a.sum, a.roll)
		} else {
			a.result = e.judge(a.sum, a.roll)
		}
		a.ev.Numbers["chance"], a.ev.Numbers["roll"] = a.sum.total, a.roll
		a.ev.Lines = append(a.ev.Lines, a.sum.lines...)
		a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Chance", Value: fmt.Sprint(a.sum.total)}, game.Line{Label: "D100", Value: fmt.Sprint(a.roll)})
		a.ev.Unverified = append(a.ev.Unverified, a.sum.unverified...)
	}
	if a.dodged {
		a.result = miss
	}
	w, decided := e.rulings.EventWord(a.ref, hit, miss, critical, fumble)
	if decided {
		a.result = w
	}
	if a.result == critical && (a.thing != "" || a.arms.missile() && !decided && !e.yes("missile_criticals")) {
		a.result = hit // the chart speaks of bodies
	}
	a.blow = a.result
	_, a.free = e.rulings.EventWord(a.ref, wordFree)
	e.ruled(a.ev)
}

// landed: as things stand the attack connects.
func (a *attack) landed() bool { return !a.gone && (a.blow == hit || a.blow == critical) }

// spent takes an attack that was made off the plan (4.2, 5.6).
func (e *engine) spent(f *Fighter, a *attack) {
	if len(f.Steps) > 1 && f.Steps[0].Verb == "move" && a.in.Ability == onTheMove {
		move := f.Steps[0]
		f.Steps = f.Steps[1:]
		defer func() { f.Steps = append([]game.Intent{move}, f.Steps...) }()
	}
	if len(f.Steps) == 0 || f.Steps[0].Verb != a.in.Verb {
		return
	}
	f.Struck++
	in := f.Steps[0]
	switch {
	case a.burst != nil && a.burst.On && a.burst.Left > 0:
		return
	case in.Until != nil && a.burst == nil:
		if !e.holds(f, *in.Until) && a.target != nil && a.target.able() {
			return
		}
	case f.Struck < max(in.Blows, in.Shots):
		return
	}
	e.next(f)
}
