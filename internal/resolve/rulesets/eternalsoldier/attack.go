package eternalsoldier

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// attack is one blow or shot of this segment. Its timing is fixed when it is
// declared (2.3).
type attack struct {
	f         *Fighter
	in        game.Intent
	arms      arms
	target    *Fighter
	at        *Point  // of what is thrown at a place, or of the thing that is struck
	thing     game.ID // a thing of the map that is struck or shot at (8.6)
	spot      Point   // where it goes, when it is rolled
	flight    int     // of a missile: how far that is
	ready     int
	timing    int    // segments early when negative, waited when positive
	shot      int    // number in the burst, from 1; 0: no burst
	rate      int    // shots that it may make in this segment
	burst     *Burst // what the automatic fire has come to
	locked    bool   // a dodge was rolled against it: it must be made
	kept      bool   // its maker has chosen to keep it and to react all the same
	withdrawn bool   // its maker parries or dodges instead
	made      bool
	free      bool // it costs no time, as ruled
	gone      bool // given up or not made
	dodged    bool
	sum       sum
	roll      int
	result    string
	blow      string // the result after the defender's answer
	test      bool   // a parry must stand the test of breakage
	known     *bool  // whether the target is aware of it
	parried   *reaction
	ref       string
	when      string
	hold      *holdRow
	chart     string        // what a row of the chart of criticals or fumbles comes to
	prior     *prior        // its maker and his weapon, when it is rolled
	arm       string        // main or off, as a die has decided
	cover     int           // what the target's cover takes off the chance, 0 or negative
	shelter   *game.Feature // behind which it stands
	shield    *Weapon       // behind which it hides
	ev        *game.Event
}

// attackStep carries an attack on: it gets the weapon out, closes in, waits for
// readiness, and declares (4.2, 5.5).
func (e *engine) attackStep(f *Fighter, in game.Intent, later bool) progress {
	if in.Verb == "wrestle" || in.Verb == "break_free" {
		return e.grapple(f, in, later)
	}
	target, at, thing, ok := e.aim(f, in)
	if !ok {
		if !later {
			e.impossible(f, in, "no_target", f.Name+" has nobody to attack.")
			return passed
		}
		return waits
	}
	a, ok := e.choose(f, in)
	if !ok {
		e.impossible(f, in, "no_weapon", f.Name+" has no weapon for that.")
		return passed
	}
	if usable, p := e.handle(f, in, a); !usable {
		return p
	}
	if later {
		return waits
	}
	if why := f.crippled(a); why != "" && !e.allowed(f) {
		e.impossible(f, in, "broken", f.Name+" "+why+".")
		return passed
	}
	if a.bare && a.ID != "kick" && e.w.clasps(f) && !e.allowed(f) {
		e.impossible(f, in, "hands_full", f.Name+" has both hands in a hold.")
		return passed
	}
	if f.bound(a) && !e.allowed(f) {
		e.impossible(f, in, "held", fmt.Sprintf("%s is held and cannot use the %s.", f.Name, a.Name))
		return passed
	}
	if in.Verb == "set_attack" || in.Verb == "hold" {
		e.aimAt(f, target)
	}
	if !e.inReach(f, a, target, at) && !e.allowed(f) {
		if a.missile() {
			e.impossible(f, in, "out_of_range", fmt.Sprintf("%s is out of range of the %s.", resolve.Title(e.goalName(target, thing)), a.Name))
			return passed
		}
		return e.closeIn(f, a, target, at)
	}
	if mover := e.mover(f); mover.Move != nil && mover.Move.Intent.Verb != "move" {
		e.halt(mover, "")
	}
	return e.strikeNow(f, in, a, target, at, thing)
}

// strikeNow declares the attack if its time has come.
func (e *engine) strikeNow(f *Fighter, in game.Intent, a arms, target *Fighter, at *Point, thing game.ID) progress {
	ready := e.readyWith(f, a, e.now)
	id := game.ID("")
	if target != nil {
		id = target.ID
	}
	on := e.continues(f, a, in, id)
	if f.Burst != nil && !on {
		f.Burst.On, f.Burst.Whole = false, false // not going on is stopping (5.6)
	}
	waited := e.waited(f, ready, e.now, id)
	if mover := e.mover(f); mover.Move != nil {
		if in.Verb == "auto_fire" && mover == f {
			e.halt(f, "") // beside automatic fire nobody moves (2.5)
		}
		waited = 0 // he moves in this segment (2.3)
	}
	switch {
	case on:
	case e.now < f.LastAction+1:
		return waits
	case !e.timely(f, in, a, ready, waited):
		return waits
	}
	timing := waited
	if e.now < ready {
		timing = e.now - ready
	}
	if on {
		timing = 0
	}
	x := &attack{f: f, in: in, arms: a, target: target, at: at, thing: thing, ready: ready, timing: timing}
	if a.missile() && !e.missileFits(f, in, a, x) {
		return passed
	}
	e.attacks = append(e.attacks, x)
	return busy
}

// timely reports that an order wants its attack in this segment.
func (e *engine) timely(f *Fighter, in game.Intent, a arms, ready, waited int) bool {
	switch in.Verb {
	case "quick_attack":
		if in.Segment > 0 {
			return e.now >= in.Segment
		}
		return e.now >= ready-max(in.Early, 1)
	case "set_attack":
		switch {
		case e.now < ready:
			return false
		case in.When != nil:
			return e.holds(f, *in.When)
		case in.Segment > 0:
			return e.now >= in.Segment
		case in.Wait > 0:
			return waited >= in.Wait
		case in.Bonus > 0:
			return e.setBonus(waited, a.missile()) >= min(in.Bonus, e.setBonus(1000, a.missile()))
		}
		return e.setBonus(waited, a.missile()) >= e.setBonus(5, a.missile())
	}
	return e.now >= ready
}

// aimAt names the target of a wait; another one than before begins it anew (2.3).
func (e *engine) aimAt(f *Fighter, target *Fighter) {
	if target == nil || f.HoldTarget == target.ID {
		return
	}
	if f.HoldTarget != "" && e.yes("set_lost_on_switch") {
		f.HoldFrom = e.now
	}
	f.HoldTarget = target.ID
}

// choose finds the weapon of an order: the one it names, else what is in hand
// and fits, else what is carried and fits, else bare hands for a blow.
func (e *engine) choose(f *Fighter, in game.Intent) (arms, bool) {
	thrown := in.Verb == "throw"
	id := in.Weapon
	if thrown {
		id = in.Item
	}
	if id != "" {
		return e.arm(f, id, thrown || in.Verb == "fire" || in.Verb == "auto_fire")
	}
	fits := func(a arms) bool {
		if a.row == nil || a.Broken {
			return false
		}
		switch in.Verb {
		case "fire", "auto_fire":
			return a.missile() && a.row.Missile != "thrown" && (in.Verb == "fire" || a.rate() > 0)
		case "throw":
			return a.missile() && a.row.Missile == "thrown"
		case "melee":
			return !a.missile()
		}
		return a.row.Missile != "thrown"
	}
	for _, held := range []bool{true, false} {
		for i := range f.Weapons {
			if (f.Weapons[i].State == "in_hand") != held {
				continue
			}
			for _, asThrown := range []bool{thrown, true} {
				if a, ok := e.arm(f, f.Weapons[i].ID, asThrown); ok && fits(a) {
					return a, true
				}
			}
		}
	}
	if in.Verb == "melee" || in.Verb == "quick_attack" || in.Verb == "set_attack" {
		return e.arm(f, game.BareHands, false)
	}
	return arms{}, false
}

// handle gets the weapon of an attack ready: into the hand, free, and loaded. When
// it is not usable yet, the progress says whether that takes time or is hopeless.
func (e *engine) handle(f *Fighter, in game.Intent, a arms) (usable bool, p progress) {
	switch {
	case a.bare:
		return true, passed
	case a.State != "in_hand" || a.Broken:
		return false, e.fetch(f, in, a)
	case a.Stuck:
		row := e.action("free_weapon")
		e.begin(f, Activity{Kind: row.ID, Name: row.Name, Item: a.ID}, row.Class, "struggles with the "+a.Name, "", row.guess())
		return false, busy
	case a.missile() && a.row.Missile != "thrown" && a.Full > 0 && a.Left < 1:
		return false, e.reloads(f, game.Intent{Verb: "reload", Weapon: a.ID})
	}
	return true, passed
}

// missileFits looks how many shots an attack has, and with which penalty.
func (e *engine) missileFits(f *Fighter, in game.Intent, a arms, x *attack) bool {
	x.rate = 1
	old := f.Burst
	if old != nil && (old.Weapon != a.ID || !old.On && e.now >= old.Last+e.segments(e.agile(f), a.speed())+e.slower(a)) {
		old = nil
	}
	if in.Verb != "auto_fire" {
		if old != nil {
			x.shot = old.Shots + 1 // the penalty of the burst still counts (5.6)
			x.burst = &Burst{Weapon: a.ID, Target: old.Target, Shots: old.Shots}
		}
		if in.Barrels > 1 && a.row.Shotgun {
			x.rate = min(in.Barrels, a.Left)
		}
		return true
	}
	if a.rate() < 1 {
		e.impossible(f, in, "illegal_option", fmt.Sprintf("The %s does not fire on automatic.", a.Name))
		return false
	}
	x.burst = &Burst{Weapon: a.ID, Left: ordered(in, a.rate()), On: true}
	if x.target != nil {
		x.burst.Target = x.target.ID
	}
	if old != nil {
		x.burst.Shots, x.burst.Shifts = old.Shots, old.Shifts
		switch {
		case old.Target != x.burst.Target && e.continues(f, a, in, x.burst.Target):
			x.burst.Shifts++
		case old.On && old.Target == x.burst.Target:
			x.burst.Left = old.Left
		}
	}
	x.shot, x.rate = x.burst.Shots+1, min(a.rate(), x.burst.Left, a.Left)
	return x.rate > 0
}

// ordered is how many rounds an order of automatic fire wants: without a limit a
// segment at the full rate (5.6).
func ordered(in game.Intent, rate int) int {
	switch {
	case in.Rounds > 0:
		return in.Rounds
	case in.Segments > 0:
		return in.Segments * rate
	case in.Until != nil:
		return 10_000
	}
	return rate
}

// continues reports that a burst goes on from the segment before, at the same
// target; at another one only where the setting lets it, and then every shot of
// that segment must have been fired (5.6).
func (e *engine) continues(f *Fighter, a arms, in game.Intent, target game.ID) bool {
	b := f.Burst
	if b == nil || in.Verb != "auto_fire" || b.Weapon != a.ID || b.Last != e.now-1 {
		return false
	}
	if b.Target != target {
		return e.yes("burst_new_target") && b.Whole
	}
	return b.On && b.Left > 0
}

// aim finds the target of an order among those whom he knows of: somebody, a
// place, or a thing of the map with the place where it is struck.
func (e *engine) aim(f *Fighter, in game.Intent) (who *Fighter, at *Point, thing game.ID, ok bool) {
	ref := in.Target
	if ref.IsZero() {
		ref = in.To
	}
	if ref.Square != nil {
		p := e.w.centre(*ref.Square)
		return nil, &p, "", true
	}
	if p, is := e.faceOf(f, ref.ID); is {
		return nil, &p, ref.ID, true
	}
	if t := e.whom(f, ref.ID); t != nil {
		return t, nil, "", true
	}
	return nil, nil, "", false
}

// whom finds a combatant by id or selector, as somebody knows them; nobody who is
// dead, or down unless he is named.
func (e *engine) whom(f *Fighter, id game.ID) *Fighter {
	var best *Fighter
	for _, o := range e.w.Fighters {
		if o == f || o.Status == dead || !e.sees(f, o) {
			continue
		}
		if o.ID == id {
			return o
		}
		if !o.able() || !matchesSelector(id, e.w.relation(f, o), o) {
			continue
		}
		if best == nil || better(id, f, o, best) {
			best = o
		}
	}
	return best
}

func better(id game.ID, f, o, best *Fighter) bool {
	if id == game.WeakestEnemy && o.HP != best.HP {
		return o.HP < best.HP
	}
	return distance(f.At, o.At) < distance(f.At, best.At)
}

// inReach: near enough for the weapon (4.2), or within what carries (5.3).
func (e *engine) inReach(f *Fighter, a arms, target *Fighter, at *Point) bool {
	to := f.At
	switch {
	case target != nil:
		to = target.At
	case at != nil:
		to = *at
	}
	if a.missile() {
		if a.RangeMod != nil {
			return true
		}
		_, carries := e.rangeModifier(distance(f.At, to), a.row.Range, a.row.Shotgun)
		return carries
	}
	return e.w.touches(f.At, to, e.reachOf(a))
}

// reachOf is a weapon's reach in feet.
func (e *engine) reachOf(a arms) int {
	if a.row == nil {
		return e.reach("short")
	}
	return e.reach(a.row.Reach)
}

// touches: within so many feet, or in one of the eight neighbouring squares.
func (w *World) touches(a, b Point, feet int) bool {
	s, t := w.square(a), w.square(b)
	return max(abs(s.X-t.X), abs(s.Y-t.Y)) <= 1 || distance(a, b) <= feet*foot
}

// dropAttacks takes back what can no longer be done after the movement (2.5 step 4).
func (e *engine) dropAttacks() {
	e.attacks = slices.DeleteFunc(e.attacks, func(a *attack) bool {
		return !a.made && a.target != nil && (!e.sees(a.f, a.target) || a.target.Status == dead || !e.inReach(a.f, a.arms, a.target, nil) && e.lifted[a.f] == 0)
	})
}
