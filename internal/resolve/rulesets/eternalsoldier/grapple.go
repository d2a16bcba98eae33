package eternalsoldier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// wrestler is what somebody grabs with: both hands, at class IV (10.1).
func (e *engine) wrestler(skill string) arms {
	row := &weaponRow{ID: "wrestling", Name: "hands", Skill: skill, Speed: e.action("wrestle").Class, Type: "pummel", Reach: "unarmed", Source: "W"}
	return arms{Weapon: &Weapon{ID: "wrestling", Kind: row.ID, Name: row.Name, State: "in_hand", Hand: "both"}, row: row, bare: true}
}

// holdNamed is the hold or technique of an order; without one it is a grab, or
// what follows on a grab.
func (e *engine) holdNamed(f, target *Fighter, in game.Intent) *holdRow {
	if in.Kind != "" {
		return e.tables.hold(in.Kind)
	}
	if f.holds(target, "grab") {
		return e.tables.hold("arm_hold")
	}
	return e.tables.hold("grab")
}

// holds reports that f has a hold on somebody; "" for any.
func (f *Fighter) holds(target *Fighter, hold string) bool {
	return slices.ContainsFunc(target.Held, func(h HeldBy) bool { return h.By == f.ID && (hold == "" || h.Hold == hold) })
}

// grapple carries a step of wrestling or judo on (10.2).
func (e *engine) grapple(f *Fighter, in game.Intent, later bool) progress {
	if in.Verb == "break_free" {
		return e.breakFree(f, in, later)
	}
	if later {
		return waits
	}
	target, _, _, ok := e.aim(f, in)
	if !ok || target == nil {
		e.impossible(f, in, "no_target", f.Name+" has nobody to grab.")
		return passed
	}
	row := e.holdNamed(f, target, in)
	can := e.allowed(f)
	switch {
	case row == nil || row.Reaction && !can:
		e.impossible(f, in, "illegal_option", fmt.Sprintf("There is no such hold: %s.", strings.ReplaceAll(in.Kind, "_", " ")))
		return passed
	case can:
	case f.hand("main") != nil || f.hand("off") != nil:
		e.impossible(f, in, "hands_full", f.Name+" needs both hands empty to grapple.")
		return passed
	case f.lame("main_arm") || f.lame("off_arm"):
		e.impossible(f, in, "broken", f.Name+" needs both arms to grapple.")
		return passed
	case len(row.Needs) > 0 && !slices.ContainsFunc(row.Needs, func(h string) bool { return f.holds(target, h) }):
		e.impossible(f, in, "illegal_option", fmt.Sprintf("A %s needs another hold first.", row.Name))
		return passed
	}
	a := e.wrestler(row.Skill)
	if !e.inReach(f, a, target, nil) && !can {
		return e.closeIn(f, a, target, nil)
	}
	if f.Move != nil {
		e.halt(f, "")
	}
	ready := e.readyWith(f, a, e.now)
	quick := in
	if in.Early > 0 {
		quick.Verb = "quick_attack"
	}
	waited := e.waited(f, ready, e.now, target.ID)
	if e.now < f.LastAction+1 || !e.timely(f, quick, a, ready, waited) {
		return waits
	}
	timing := waited
	if e.now < ready {
		timing = e.now - ready
	}
	e.attacks = append(e.attacks, &attack{f: f, in: in, arms: a, target: target, ready: ready, timing: timing, rate: 1, hold: row})
	return busy
}

// holdModifier is what a hold adds to the chance; a limb breaks more easily in a
// joint lock than in an arm hold (10.2).
func (e *engine) holdModifier(a *attack) int {
	switch {
	case a.hold.ID != "break_limb":
		return a.hold.Modifier
	case a.f.holds(a.target, "joint_lock"):
		return e.Wrestling.BreakJoint
	}
	return e.Wrestling.BreakArm
}

// holdEffect brings about a hold that was not parried or dodged, in step 9.
func (e *engine) holdEffect(a *attack) {
	if !a.landed() {
		return
	}
	f, t, ev := a.f, a.target, a.ev
	chart := e.criticalRow(a)
	damage, bypass := 0, false
	if n, err := resolve.ParseNotation(a.hold.Damage); a.hold.Damage != "" && err == nil {
		damage = e.rollAll(ev, "dmg", f.ID, a.when, n)
		ev.Lines = append(ev.Lines, game.Line{Label: "Damage " + n.String(), Value: fmt.Sprint(damage)})
		if a.hold.ID == "throw_down" || a.hold.ID == "bear_hug" {
			b := e.strengthLine(f, a.arms)
			damage = max(0, damage+b)
			ev.Lines = append(ev.Lines, game.Line{Label: "Strength", Value: resolve.Signed(b)})
		}
	}
	if chart != nil {
		damage, bypass = e.critical(a, chart, damage)
	}
	then := func(do func()) { e.tallied(t).effects = append(e.tallied(t).effects, do) }
	take := func(hold string) {
		then(func() {
			if !f.holds(t, hold) {
				t.Held = append(t.Held, HeldBy{By: f.ID, Hold: hold})
				ev.Changes = append(ev.Changes, changed(t.ID, "HELD", "", hold))
				e.hinders(t, hold)
			}
		})
	}
	down := func() { then(func() { e.falls(t, ev) }) }
	switch a.hold.ID {
	case "throw_down":
		damage = e.breakFall(t, a.ref, damage)
		down()
	case "trip", "sweep":
		down()
	case "leg_hold":
		take("leg_hold")
		e.footing(t, 0, a.ref)
	case "disarm":
		then(func() {
			if wp := t.hand("main"); wp != nil {
				e.letGo(t, wp)
			}
		})
	case "judo_throw":
		damage = e.breakFall(t, a.ref, damage)
		e.thrownDown(f, t, ev)
	case "break_limb":
		limb := "leg"
		if f.holds(t, "arm_hold") || f.holds(t, "joint_lock") {
			limb = "main_arm"
		}
		then(func() { e.breakLimb(t, limb, a.ref, ev) })
	default:
		take(a.hold.ID)
	}
	if damage > 0 {
		e.reaches(t, blow{by: f, damage: damage, kind: "pummel", from: a.ref, bypass: bypass, chart: chart})
	}
}

// thrownDown is the throw of judo (10.2): in step 9 somebody lies up to five feet
// away, and his next readiness is two segments later.
func (e *engine) thrownDown(by, t *Fighter, ev *game.Event) {
	t.shifts(e, 2)
	to := e.inside(away(t.At, by.At, 5*foot))
	e.tallied(t).effects = append(e.tallied(t).effects, func() {
		e.falls(t, ev)
		if e.free(t, to) {
			t.At = to
		}
	})
}

// breakFall halves the damage of a throw or a fall for who knows judo (10.2), by
// Judo or by agility, whichever is likelier; from is the ref of what throws him.
func (e *engine) breakFall(t *Fighter, from string, damage int) int {
	p := e.percent(t, "judo")
	if p <= 0 || damage < 1 || e.helpless(t) {
		return damage
	}
	ev := e.event(e.answerRef(t, from, ".f"), t, "breakfall", miss, "10.2")
	line := func(label string, v int) { ev.Lines = append(ev.Lines, game.Line{Label: label, Value: fmt.Sprint(v)}) }
	ok := false
	if agility := e.agile(t); 5*agility > p {
		roll := e.roll(ev, "breakfall", t.ID, from, 20)
		ok = e.attribute(agility, e.ruleDie(ev, 0), roll)
		line("Agility", agility)
		line("D20", roll)
	} else {
		roll := e.roll(ev, "breakfall", t.ID, from, 100)
		ok = e.succeeds(p+e.ruleDie(ev, 0), roll)
		line("Judo", p)
		line("D100", roll)
	}
	text := t.Name + " falls hard."
	if ok {
		ev.Outcome, text = "success", t.Name+" knows how to fall."
	}
	e.ruled(ev)
	e.public(ev, t, text)
	e.after = append(e.after, ev)
	if ok {
		return damage / 2
	}
	return damage
}

// free reports that somebody can be at a point.
func (e *engine) free(f *Fighter, p Point) bool {
	s := e.w.square(p)
	return !e.walls.at(s) && !slices.ContainsFunc(e.w.Fighters, func(o *Fighter) bool { return o != f && o.Status != dead && e.w.square(o.At) == s })
}

// breakFree is an opposed roll against the holder: the greater difference wins,
// a tie keeps the hold (10.2).
func (e *engine) breakFree(f *Fighter, in game.Intent, later bool) progress {
	if later {
		return waits
	}
	if len(f.Held) == 0 {
		return passed
	}
	if a := e.wrestler("wrestling"); e.now < f.LastAction+1 || e.now < e.readyWith(f, a, e.now) {
		return waits
	}
	holder := e.w.fighter(f.Held[0].By)
	ev := e.event(e.ref(f, ""), f, "break_free", "", "10.2")
	e.applySets(ev.Ref)
	mine, ok := e.struggle(ev, f, e.when())
	free := ok
	if holder != nil && holder.able() {
		grip := e.event(e.answerRef(holder, ev.Ref, ""), holder, "grip", "done", "10.2")
		theirs, held := e.struggle(grip, holder, ev.Ref)
		free = ok && (!held || mine > theirs)
		ev.Target = holder.ID
		private(grip, fmt.Sprintf("%s tries to keep hold of %s.", holder.Name, f.Name))
		e.ruled(grip)
		e.after = append(e.after, grip)
	}
	if w, ruled := e.rulings.EventWord(ev.Ref, "free", "held"); ruled {
		free = w == "free"
	}
	f.Shift = 0
	f.acted(e.now)
	e.next(f)
	ev.Outcome = "held"
	text := f.Name + " struggles, but does not get free."
	if free {
		ev.Outcome = "free"
		text = f.Name + " gets free."
		ev.Changes = append(ev.Changes, changed(f.ID, "HELD", f.Held[0].Hold, ""))
		by := f.Held[0].By
		t := e.tallied(f)
		t.effects = append(t.effects, func() { f.shake(by) })
	}
	e.public(ev, f, text)
	e.emit(ev)
	e.mark(f, "act", ev.Ref, "breaks free")
	return busy
}

// struggle rolls one side of an escape: the difference, and whether it succeeded.
func (e *engine) struggle(ev *game.Event, f *Fighter, when string) (difference int, ok bool) {
	chance := max(e.percent(f, "wrestling"), e.percent(f, "judo"), e.strength(f)*e.Wrestling.Strength)
	lines, n := e.rulings.Mod(ev.Ref)
	chance += n
	roll := e.roll(ev, "escape", f.ID, when, 100)
	ev.Lines = append(ev.Lines, lines...)
	ev.Lines = append(ev.Lines, game.Line{Label: f.Name + ": chance", Value: fmt.Sprint(chance)}, game.Line{Label: "D100", Value: fmt.Sprint(roll)})
	return chance - roll, e.succeeds(chance, roll)
}

// shake gets rid of all holds of one holder; "" of all.
func (f *Fighter) shake(by game.ID) {
	f.Held = slices.DeleteFunc(f.Held, func(h HeldBy) bool { return by == "" || h.By == by })
	if len(f.Held) == 0 {
		f.Held = nil
	}
}

// release lets go of whom an order names, or of everybody; it costs no time.
func (e *engine) release(f *Fighter, in game.Intent) progress {
	for _, o := range e.w.Fighters {
		if f.holds(o, "") && (in.Target.ID == "" || in.Target.ID == o.ID) {
			e.letsGo(f, o)
		}
	}
	return passed
}

func (e *engine) letsGo(f, o *Fighter) {
	o.shake(f.ID)
	ev := e.event(e.ref(f, ".l"), f, "release", "done", "10.2")
	ev.Target = o.ID
	e.between(ev, f, o, fmt.Sprintf("%s lets go of %s.", f.Name, o.Name), f.Name+" lets go of somebody.", "Somebody lets go of "+o.Name+".", "")
	e.emit(ev)
}

// letAllGo ends the holds of somebody who can hold nobody any more.
func (e *engine) letAllGo(f *Fighter) {
	for _, o := range e.w.Fighters {
		if f.holds(o, "") {
			e.letsGo(f, o)
		}
	}
}

func (f *Fighter) inHeadLock() bool {
	return slices.ContainsFunc(f.Held, func(h HeldBy) bool { return h.Hold == "head_lock" })
}

// bound reports that a hold keeps somebody from using a weapon: an arm that is
// held, or both in a bear hug (10.2).
func (f *Fighter) bound(a arms) bool {
	return slices.ContainsFunc(f.Held, func(h HeldBy) bool {
		switch h.Hold {
		case "arm_hold", "joint_lock":
			return a.Hand != "off"
		case "bear_hug", "full_pin":
			return true
		}
		return false
	})
}

// hinders cuts short what somebody does with the limb that a hold is on (2.4): with
// the main arm, with both, with the legs, or anything at all.
func (e *engine) hinders(f *Fighter, hold string) {
	act := f.Activity
	if act == nil {
		return
	}
	withLegs := slices.Contains(fallen, act.Kind) || act.Kind == "prone"
	wp := f.weapon(act.Item)
	offHand := wp != nil && (wp.Hand == "off" || act.Kind == draw && f.hand("main") != nil)
	switch hold {
	case "full_pin":
	case "bear_hug":
		if withLegs {
			return
		}
	case "arm_hold":
		if withLegs || offHand {
			return
		}
	case "leg_hold":
		if !withLegs {
			return
		}
	default:
		return
	}
	e.breaksOff(f)
}

// stabbed is what a parry with a weapon does to a wrestler: it counts as an
// attack on his body (10.1, A56).
func (e *engine) stabbed(a *attack) {
	r := a.parried
	if r == nil || r.verb != "parry" || r.result != hit && r.result != critical || r.arms.row == nil || r.arms.bare || !e.yes("wrestler_parry_damage") {
		return
	}
	n, err := resolve.ParseNotation(r.arms.row.Damage)
	if err != nil {
		return
	}
	damage := max(0, e.rollAll(r.ev, "dmg", r.f.ID, a.ref, n)+e.strengthLine(r.f, r.arms))
	r.ev.Lines = append(r.ev.Lines, game.Line{Label: "Damage to the wrestler", Value: fmt.Sprint(damage)})
	e.reaches(a.f, blow{by: r.f, damage: damage, kind: r.arms.row.Type, from: r.ev.Ref})
}

// counterThrow is judo in place of a parry (10.2): with both hands empty, against
// whoever is near enough to be thrown; nil when it cannot be made.
func (e *engine) counterThrow(a *attack, last int) *reaction {
	f, row := a.target, e.tables.hold("counter_throw")
	if row == nil || e.percent(f, row.Skill) <= 0 || !e.emptyHanded(f) || f.bound(e.wrestler(row.Skill)) || a.arms.missile() || !e.parries(a) || !e.w.touches(f.At, a.f.At, e.reach("unarmed")) {
		return nil
	}
	r := e.parry(a, e.wrestler(row.Skill), last)
	r.hold = row
	r.sum.add(row.Name, row.Modifier, "modifier of a "+row.Name)
	return r
}

// emptyHanded: has both hands free and sound, as all grappling needs (10.1).
func (e *engine) emptyHanded(f *Fighter) bool {
	return f.hand("main") == nil && f.hand("off") == nil && !f.lame("main_arm") && !f.lame("off_arm")
}

// countered throws whoever has attacked, once his attack has come to nothing (10.2).
func (e *engine) countered(r *reaction) {
	a := r.to
	if r.hold == nil || a.landed() {
		return
	}
	n, err := resolve.ParseNotation(r.hold.Damage)
	if err != nil {
		return
	}
	damage := e.rollAll(r.ev, "dmg", r.f.ID, a.ref, n)
	r.ev.Lines = append(r.ev.Lines, game.Line{Label: "Damage " + n.String(), Value: fmt.Sprint(damage)})
	r.ev.Unverified = append(r.ev.Unverified, "effect of a "+r.hold.Name)
	damage = e.breakFall(a.f, r.ev.Ref, damage)
	e.thrownDown(r.f, a.f, r.ev)
	if damage > 0 {
		e.reaches(a.f, blow{by: r.f, damage: damage, kind: "pummel", from: r.ev.Ref})
	}
}

// caught is what a wrestling parry does to an armed attacker: a hold on the arm
// with the weapon (10.2).
func (e *engine) caught(r *reaction) {
	a := r.to
	if a.hold != nil || a.landed() || r.hold != nil || !r.arms.bare || r.arms.row == nil || r.arms.row.ID != "wrestling" || r.result != hit && r.result != critical {
		return
	}
	t := e.tallied(a.f)
	t.effects = append(t.effects, func() {
		a.f.Held = append(a.f.Held, HeldBy{By: r.f.ID, Hold: "arm_hold"})
		e.hinders(a.f, "arm_hold")
		r.ev.Changes = append(r.ev.Changes, changed(a.f.ID, "HELD", "", "arm_hold"))
	})
}
