package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// The kinds of activities whose class is the item's own.
const (
	draw   = "draw"
	stow   = "stow"
	reload = "reload"
)

// fallen are the activities that a fall cuts short (2.4).
var fallen = append([]string{"stand", "kneel", "rise", "turn", "jump_onto", "jump_over", "climb_tree", "leave_tree", "mount", "dismount"}, feats...)

// begin starts an activity in this segment (2.4). phrase is what the others see:
// "reaches for his long sword"; unverified names the class when no source prints it.
// It gives the ref of its event.
func (e *engine) begin(f *Fighter, a Activity, class int, phrase, how, unverified string) (ref string) {
	if x, ok := e.cancelled(e.peek(f, ".b")); ok {
		ev := e.event(e.ref(f, ".b"), f, "begin", "", "2.4")
		e.cancels(f, ev, x, a.Name)
		e.off[f] = true
		return ev.Ref
	}
	a.Start = e.now
	if v, ok := e.rulings.EventNumber(e.peek(f, ".b"), "class"); ok {
		class = min(max(v, 1), maxClass)
	}
	agility := e.agile(f)
	if wp := f.weapon(a.Item); wp != nil {
		hand := wp.Hand
		if wp.State != "in_hand" {
			hand = e.freeHand(f, wp)
		}
		agility = e.agileWith(f, hand)
	}
	n := e.segments(agility, class)
	ev := e.event(e.ref(f, ".b"), f, "begin", a.Kind, "2.4")
	ev.Lines = append(ev.Lines,
		game.Line{Label: "Class", Value: roman(class)},
		game.Line{Label: "Agility", Value: strconv.Itoa(agility)})
	if how == "acrobatic" {
		n = e.tumble(ev, f, a.Kind, n)
	}
	if wp := f.weapon(a.Item); (a.Kind == draw || a.Kind == reload) && wp != nil && e.yes("off_hand_draws") &&
		(wp.Hand == "off" || a.Kind == draw && e.freeHand(f, wp) == "off") {
		n++ // (A65)
	}
	if v, ok := e.rulings.EventNumber(ev.Ref, "segments"); ok {
		n = max(1, v)
	}
	_, free := e.rulings.EventWord(ev.Ref, wordFree)
	if free {
		n = 0
	}
	a.DoneAt = e.now + n
	ev.Lines = append(ev.Lines, game.Line{Label: "Done in segment", Value: strconv.Itoa(a.DoneAt)})
	ev.Numbers["done_at"], ev.Numbers["segments"] = a.DoneAt, n
	ev.Unverified = append(ev.Unverified, e.untoldOf(segmentsGuess)...)
	if unverified != "" {
		ev.Unverified = append(ev.Unverified, unverified)
	}
	f.Activity = &a
	if e.yes("activity_start_counts") && !free {
		f.acted(e.now)
	}
	text := fmt.Sprintf("%s %s.", f.Name, phrase)
	e.public(ev, f, text)
	ev.Text[game.Own] = fmt.Sprintf("%s %s, until segment %d.", f.Name, phrase, a.DoneAt)
	ev.Text[game.All] = ev.Text[game.Own]
	e.emit(ev)
	e.markBegin(f, ev.Ref, a.Name, a.DoneAt)
	e.hear(a.Kind, ev, a.Item)
	if free {
		e.gift[f] = true
		e.concludes(f)
	}
	return ev.Ref
}

// tumble rolls Acrobatics to be quicker (2.4): a segment less for each full ten
// of the difference, but one at least.
func (e *engine) tumble(ev *game.Event, f *Fighter, kind string, n int) int {
	var s sum
	s.start(e.skill("acrobatics").Name, e.percent(f, "acrobatics"))
	if row := e.action(kind); row != nil {
		s.add(row.Name, row.Roll, "")
	}
	e.ruleSum(ev.Ref, &s)
	roll := e.roll(ev, "acrobatics", f.ID, e.when(), 100)
	ev.Lines = append(ev.Lines, s.lines...)
	ev.Lines = append(ev.Lines, game.Line{Label: "Chance", Value: strconv.Itoa(s.total)}, game.Line{Label: "D100", Value: strconv.Itoa(roll)})
	ev.Numbers["chance"], ev.Numbers["roll"] = s.total, roll
	switch e.judge(s, roll) {
	case hit, critical:
		less := max(0, s.total-roll) / 10
		ev.Lines = append(ev.Lines, game.Line{Label: "Segments saved", Value: strconv.Itoa(n - max(1, n-less))})
		return max(1, n-less)
	case fumble:
		ev.Lines = append(ev.Lines, game.Line{Label: "A fumble", Value: "falls"})
		if e.applied {
			e.falls(f, ev)
		} else {
			e.tallied(f).effects = append(e.tallied(f).effects, func() { e.falls(f, ev) })
		}
	}
	return n
}

// complete is step 1: what is due is done.
func (e *engine) complete(f *Fighter) {
	a := f.Activity
	if a == nil || a.DoneAt > e.now {
		return
	}
	if e.concludes(f) {
		f.acted(e.now)
	} else {
		f.Delay += max(0, e.now-a.Start) // as when it is abandoned (2.4)
		f.HoldFrom = e.now
	}
}

// concludes brings an activity to its end and tells it; false: what it was for is
// gone.
func (e *engine) concludes(f *Fighter) bool {
	a := f.Activity
	f.Activity = nil
	ev := e.event(e.ref(f, ".d"), f, "done", a.Kind, "2.4")
	text := e.finish(f, a, ev)
	if text == "" {
		ev.Outcome, ev.Reason = "impossible", "gone"
		text = f.Name + " finds it gone."
	}
	e.public(ev, f, text)
	e.emit(ev)
	e.mark(f, game.MarkEnd, ev.Ref, a.Name)
	return ev.Outcome != "impossible"
}

// finish brings about what an activity was for, and tells it; "" when it cannot.
func (e *engine) finish(f *Fighter, a *Activity, ev *game.Event) string {
	wp := f.weapon(a.Item)
	switch a.Kind {
	case draw, "pick_up":
		if wp == nil || wp.Broken {
			return ""
		}
		hand := e.freeHand(f, wp)
		if hand == "" {
			return ""
		}
		was := wp.State
		wp.State, wp.Hand, wp.Place = "in_hand", hand, nil
		if was == "on_ground" {
			return fmt.Sprintf("%s has picked up the %s.", f.Name, wp.Name)
		}
		return fmt.Sprintf("%s has the %s out.", f.Name, wp.Name)
	case stow, "strap_shield":
		if wp == nil {
			return ""
		}
		wp.State, wp.Hand = "stowed", ""
		return fmt.Sprintf("%s has put the %s away.", f.Name, wp.Name)
	case "drop":
		if wp == nil {
			return ""
		}
		e.letGo(f, wp)
		return fmt.Sprintf("%s drops the %s.", f.Name, wp.Name)
	case "free_weapon":
		if wp == nil {
			return ""
		}
		wp.Stuck = false
		return fmt.Sprintf("%s gets the %s free.", f.Name, wp.Name)
	case reload:
		if wp == nil {
			return ""
		}
		e.load(f, wp)
		return fmt.Sprintf("%s has the %s loaded.", f.Name, wp.Name)
	case "prone":
		f.Posture = "prone"
		return f.Name + " is prone."
	case "kneel":
		f.Posture = "kneel"
		return f.Name + " kneels."
	case "stand", "rise":
		f.Posture = "stand"
		return f.Name + " is standing."
	case "turn":
		if a.Toward != nil {
			f.Facing = *a.Toward
		}
		return f.Name + " has turned."
	}
	switch {
	case slices.Contains(feats, a.Kind):
		return fmt.Sprintf("%s has done a %s.", f.Name, a.Name)
	case a.Kind == "jump_onto" || a.Kind == "jump_over" || a.Kind == "climb_tree":
		return e.leapt(f, a, ev)
	case a.Kind == "mount":
		return e.mounted(f, a, ev)
	case a.Kind == "leave_tree" || a.Kind == "dismount":
		return e.gotDown(f)
	}
	if a.Kind == treat {
		return e.treated(f, a, ev)
	}
	if ar := f.field(a.Item); a.Kind == "use" && a.State != "" && ar != nil {
		return e.switched(f, ar, a.State, ev)
	}
	if a.Kind == "use" && a.State == coated {
		return e.hasCoated(f, a, ev)
	}
	if a.Kind == "use" && a.State != "" {
		return e.swings(f, a, ev)
	}
	switch a.Kind {
	case "look":
		return e.spots(f, a, ev)
	case "listen":
		return e.hears(f, ev)
	}
	if a.Kind == "use" {
		if text := e.takes(f, a, ev); text != "" {
			return text
		}
	}
	return fmt.Sprintf("%s is done: %s.", f.Name, a.Name)
}

// freeHand is the hand that takes a weapon: both, main or off; "" when none is free.
func (e *engine) freeHand(f *Fighter, wp *Weapon) string {
	a, ok := e.arm(f, wp.ID, false)
	if e.w.clasps(f) {
		return ""
	}
	main := f.hand("main") == nil && !f.lame("main_arm")
	off := f.hand("off") == nil && !f.lame("off_arm")
	switch {
	case ok && a.row != nil && a.row.Hands == 2:
		if main && off {
			return "both"
		}
	case ok && a.shield != nil && off, !main && off:
		return "off"
	case main:
		return "main"
	}
	return ""
}

// letGo drops a weapon at somebody's feet.
func (e *engine) letGo(f *Fighter, wp *Weapon) {
	at := f.At
	wp.State, wp.Hand, wp.Place = "on_ground", "", &at
	if act := f.Activity; act != nil && act.Item == wp.ID && act.Kind != "pick_up" {
		e.breaksOff(f) // what was done with it comes to nothing (2.4)
	}
	if f.Burst != nil && f.Burst.Weapon == wp.ID {
		f.Burst = nil
	}
}

// ammunition are the things on a sheet that load a weapon.
func (f *Fighter) ammunition() *Item {
	i := slices.IndexFunc(f.Items, func(it Item) bool { return it.Kind == "ammo" && it.Count > 0 })
	if i < 0 {
		return nil
	}
	return &f.Items[i]
}

// load fills a weapon as far as what is carried goes (5.2).
func (e *engine) load(f *Fighter, wp *Weapon) {
	if it := f.ammunition(); it != nil {
		n := min(wp.Full-wp.Left, it.Count)
		wp.Left += n
		it.Count -= n
	}
}

// falls puts somebody on the ground by accident: at once, and without being his
// action (2.4).
func (e *engine) falls(f *Fighter, ev *game.Event) {
	e.tumblesDown(f, ev)
	if f.Posture == "prone" {
		return
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "POSTURE", f.Posture, "prone"))
	f.Posture = "prone"
	if f.Activity != nil && slices.Contains(fallen, f.Activity.Kind) {
		e.cutActivity(f, ev.Ref)
	}
	e.cutMove(f, ev.Ref)
}
