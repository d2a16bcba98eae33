package eternalsoldier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// What became of the first step of a plan.
type progress int

const (
	passed progress = iota // it is done: the next one may follow at once
	waits                  // it goes on, or its time has not come
	busy                   // it takes up this segment
)

// maxStepsASegment bounds how many steps without duration one segment may hold.
const maxStepsASegment = 30

// declare is step 3: what somebody does in this segment. In step 10 (later) it
// begins no more than an activity (2.5).
func (e *engine) declare(f *Fighter, later bool) {
	if !f.able() || f.Surprise || f.stunned(e.now) || e.agile(f) < 1 {
		return
	}
	if f.pinned() {
		// Nothing is left but to struggle (10.2).
		if len(f.Steps) > 0 && f.Steps[0].Verb == "break_free" {
			e.step(f, f.Steps[0], later)
		}
		return
	}
	if len(e.w.riders(f)) > 0 {
		return // who rides him orders
	}
	if !later {
		e.react(f)
	}
	if len(f.Steps) == 0 {
		f.Steps = e.policySteps(f)
	}
	for range maxStepsASegment {
		if len(f.Steps) == 0 {
			if mover := e.mover(f); mover.Move != nil && !later {
				e.halt(mover, "")
			}
			return
		}
		steps := len(f.Steps)
		p := e.step(f, f.Steps[0], later)
		switch {
		case e.calledOff(f, steps):
			return
		case e.gratis(f):
		case p == passed:
			e.next(f)
		default:
			e.alongside(f, later)
			return
		}
	}
}

// onTheMove is the ability of an order that is carried out beside the movement
// ordered before it (2.5 step 3).
const onTheMove = "moving"

// alongside carries on what is ordered beside a movement under way.
func (e *engine) alongside(f *Fighter, later bool) {
	if later || f.Move == nil || len(f.Steps) < 2 || f.Steps[0].Verb != "move" || f.Steps[1].Ability != onTheMove {
		return
	}
	move := f.Steps[0]
	f.Steps = f.Steps[1:]
	if e.step(f, f.Steps[0], later) == passed {
		e.next(f)
	}
	f.Steps = append([]game.Intent{move}, f.Steps...)
}

// next takes the first step off the plan.
func (e *engine) next(f *Fighter) {
	f.Steps, f.Struck = f.Steps[1:], 0
	if len(f.Steps) == 0 {
		f.Steps = nil
	}
}

// react puts what a condition was waiting for in front of the plan (11).
func (e *engine) react(f *Fighter) {
	kept := f.Reactions[:0:0]
	var do []game.Intent
	for _, r := range f.Reactions {
		if !e.holds(f, r.When) {
			kept = append(kept, r)
			continue
		}
		do = append(do, r.Do...)
		if r.Max > 1 {
			r.Max--
			kept = append(kept, r)
		}
	}
	if len(do) == 0 {
		return
	}
	f.Reactions = kept
	if len(kept) == 0 {
		f.Reactions = nil
	}
	f.Steps, f.Struck = append(slices.Clone(do), f.Steps...), 0
	if isAttack(do[0].Verb) {
		e.breaksOff(f) // an order that cannot wait (2.3)
	}
}

func isAttack(verb string) bool {
	switch verb {
	case "melee", "fire", "throw", "quick_attack", "set_attack", "auto_fire", "wrestle":
		return true
	}
	return false
}

// step carries a step on.
func (e *engine) step(f *Fighter, in game.Intent, later bool) progress {
	if in.Pending != "" {
		return passed // it waits for an answer that has not come
	}
	switch in.Verb {
	case "if":
		branch := in.Else
		if in.When != nil && e.holds(f, *in.When) {
			branch = in.Then
		}
		e.next(f)
		f.Steps = append(slices.Clone(branch), f.Steps...)
		if len(f.Steps) == 0 {
			f.Steps = nil
			return waits
		}
		return e.step(f, f.Steps[0], later)
	case "say":
		if !later {
			e.speech(f, in.Text, in.To.ID)
		}
		return passed
	case "wait":
		if mover := e.mover(f); !later && mover.Move != nil {
			e.halt(mover, "")
		}
		return passed
	case "hold":
		return e.hold(f, in)
	case "cease_fire":
		if f.Burst != nil {
			f.Burst.On, f.Burst.Left = false, 0
		}
		return passed
	case "special":
		return e.special(f, in, later)
	case "defend", "prefer":
		return passed
	case "release":
		return e.release(f, in)
	}
	// All else waits for what is under way, unless it is a movement.
	if f.Activity != nil && in.Verb != "move" {
		return waits
	}
	switch in.Verb {
	case "move":
		if later || f.Activity != nil && slices.Contains(fallen, f.Activity.Kind) {
			return waits
		}
		return e.move(f, in)
	case "ready":
		return e.gear(f, in)
	case "reload":
		p := e.reloads(f, in)
		if p == busy && f.Activity != nil && f.Activity.Kind == reload {
			e.next(f)
		}
		return p
	case "posture":
		return e.posture(f, in)
	case "face":
		return e.face(f, in)
	case "use":
		return e.uses(f, in)
	case "set":
		return e.switches(f, in)
	case "look":
		return e.looks(f, in)
	case "mount":
		return e.mounts(f, in)
	case "acrobatics":
		return e.tumbles(f, in)
	case "climb_down":
		return e.climbsDown(f, in)
	case treat:
		return e.treats(f, in, in.Target.ID)
	case "melee", "fire", "throw", "quick_attack", "set_attack", "auto_fire", "wrestle", "break_free":
		return e.attackStep(f, in, later)
	}
	e.impossible(f, in, "not_built", f.Name+" cannot do that here.")
	return passed
}

// impossible tells why a step is not carried out.
func (e *engine) impossible(f *Fighter, in game.Intent, reason, text string) {
	ev := e.event(e.ref(f, ".x"), f, in.Verb, "impossible", "")
	ev.Reason = reason
	private(ev, text)
	e.emit(ev)
	e.mark(f, "lost", ev.Ref, "cannot")
}

// hold waits for a segment or a condition; for nothing at all it is a pass.
func (e *engine) hold(f *Fighter, in game.Intent) progress {
	switch {
	case in.Segment > 0 && e.now < in.Segment:
		return waits
	case in.When != nil && !e.holds(f, *in.When):
		return waits
	}
	return passed
}

// special are surrender, and what only the GM can decide.
func (e *engine) special(f *Fighter, in game.Intent, later bool) progress {
	if later && in.Kind != "surrender" {
		return waits
	}
	ev := e.event(e.ref(f, ".f"), f, "special", "done", "")
	if in.Kind == "surrender" {
		ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", active, surrendered))
		f.Status = surrendered
		e.fells(f, ev)
		e.public(ev, f, f.Name+" surrenders.")
		e.emit(ev)
		e.mark(f, "act", ev.Ref, "surrenders")
		e.hear("surrenders", ev, "")
		f.Steps, f.Reactions = nil, nil
		return waits
	}
	text := in.Text
	if text == "" {
		text = strings.ReplaceAll(in.Kind, "_", " ")
	}
	private(ev, fmt.Sprintf("%s: %s", f.Name, text))
	e.emit(ev)
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "free_text", Text: fmt.Sprintf("%s wants to: %s", f.Name, text),
		Default: "nothing came of it", Answer: "NOTE …",
	})
	return passed
}

// speech says something; words cost no time (11).
func (e *engine) speech(f *Fighter, text string, to game.ID) {
	if text == "" {
		return
	}
	ev := e.event(e.ref(f, ".s"), f, "speech", "done", "")
	said := fmt.Sprintf("%s: “%s”", f.Name, text)
	if hearer := e.w.fighter(to); hearer != nil && hearer != f && e.knows(f, hearer) {
		ev.Target = to
		said = fmt.Sprintf("%s to %s: “%s”", f.Name, hearer.Name, text)
	}
	ev.Seen[f.ID] = game.Own
	for _, v := range e.w.Fighters {
		if v == f || !v.able() || ev.Target != "" && v.ID != ev.Target {
			continue
		}
		ev.Seen[v.ID] = game.Heard
		if e.knows(v, f) {
			ev.Seen[v.ID] = game.Seen
		}
	}
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = said, said, said
	ev.Text[game.Heard] = fmt.Sprintf("A voice: “%s”", text)
	e.emit(ev)
	e.hear("speak", ev, ev.Target)
}

// knows: sees him, or he is a comrade.
func (e *engine) knows(viewer, other *Fighter) bool {
	return e.sees(viewer, other) || e.w.relation(viewer, other) == "ally"
}

// gear draws, stows, drops, picks up and swaps.
func (e *engine) gear(f *Fighter, in game.Intent) progress {
	wp := f.weapon(in.Item)
	if wp == nil {
		wp = f.weapon(in.Weapon)
	}
	if wp == nil {
		return passed // things other than weapons are at hand
	}
	a, _ := e.arm(f, wp.ID, false)
	switch in.Action {
	case "holster":
		if wp.State != "in_hand" {
			return passed
		}
		if a.shield != nil {
			row := e.action("strap_shield")
			e.begin(f, Activity{Kind: row.ID, Name: row.Name, Item: wp.ID}, row.Class, "slings the "+wp.Name, "", row.guess())
			return busy
		}
		e.begin(f, Activity{Kind: stow, Name: "put away the " + wp.Name, Item: wp.ID}, a.draw(), "puts the "+wp.Name+" away", "", "")
		return busy
	case "drop":
		if wp.State != "in_hand" {
			return passed
		}
		row := e.action("drop")
		e.begin(f, Activity{Kind: "drop", Name: "drop the " + wp.Name, Item: wp.ID}, row.Class, "lets go of the "+wp.Name, "", row.guess())
		return busy
	}
	if in.Action == "swap" {
		// What the hands hold makes room first.
		for _, which := range []string{"main", "off"} {
			if old := f.hand(which); old != nil && wp.State != "in_hand" && e.freeHand(f, wp) == "" {
				return e.gear(f, game.Intent{Verb: "ready", Action: "holster", Item: old.ID})
			}
		}
	}
	return e.fetch(f, in, a)
}

// fetch gets a weapon into the hand: out of where it is carried, or off the ground.
func (e *engine) fetch(f *Fighter, in game.Intent, a arms) progress {
	wp := a.Weapon
	switch {
	case wp.Broken:
		e.impossible(f, in, "broken", fmt.Sprintf("%s cannot use the %s: it is broken.", f.Name, wp.Name))
		return passed
	case wp.State == "in_hand":
		return passed
	case e.freeHand(f, wp) == "":
		e.impossible(f, in, "hands_full", fmt.Sprintf("%s has no hand free for the %s.", f.Name, wp.Name))
		return passed
	case wp.State == "on_ground":
		if wp.Place == nil || distance(f.At, *wp.Place) > max(e.w.Side, e.reach("short")*foot) {
			e.impossible(f, in, "out_of_reach", fmt.Sprintf("The %s lies too far away.", wp.Name))
			return passed
		}
		row := e.action("pick_up")
		e.begin(f, Activity{Kind: "pick_up", Name: "pick up the " + wp.Name, Item: wp.ID}, row.Class, "reaches down for the "+wp.Name, "", row.guess())
		return busy
	}
	what := ""
	if wp.Draw == 0 && a.row != nil {
		what = a.row.unverified("draw")
	}
	e.begin(f, Activity{Kind: draw, Name: "draw the " + wp.Name, Item: wp.ID}, a.draw(), "reaches for the "+wp.Name, "", what)
	return busy
}

// reloads nocks or loads.
func (e *engine) reloads(f *Fighter, in game.Intent) progress {
	wp := f.weapon(in.Weapon)
	if wp == nil {
		i := slices.IndexFunc(f.Weapons, func(w Weapon) bool { return w.State == "in_hand" && w.Full > 0 })
		if i < 0 {
			e.impossible(f, in, "no_weapon", f.Name+" has nothing in hand to load.")
			return passed
		}
		wp = &f.Weapons[i]
	}
	a, ok := e.arm(f, wp.ID, true)
	switch {
	case !ok || wp.Full == 0 || a.reload() == 0:
		e.impossible(f, in, "no_weapon", fmt.Sprintf("The %s is not to be loaded.", wp.Name))
		return passed
	case wp.Left >= wp.Full:
		return passed
	case f.ammunition() == nil:
		e.impossible(f, in, "out_of_ammunition", fmt.Sprintf("%s has nothing left to load the %s with.", f.Name, wp.Name))
		return passed
	case wp.State != "in_hand":
		return e.fetch(f, in, a)
	}
	what := ""
	if wp.Reload == 0 {
		what = a.row.unverified("reload")
	}
	e.begin(f, Activity{Kind: reload, Name: "load the " + wp.Name, Item: wp.ID}, a.reload(), "loads the "+wp.Name, "", what)
	return busy
}

// posture goes prone, kneels or gets up.
func (e *engine) posture(f *Fighter, in game.Intent) progress {
	want := in.Posture
	if want == "crouch" {
		want = "kneel"
	}
	if want == f.Posture {
		return passed
	}
	id, phrase := "prone", "goes to the ground"
	switch {
	case want == "kneel":
		id, phrase = "kneel", "goes down on a knee"
	case want == "stand" && f.Posture == "prone":
		id, phrase = "stand", "gets up"
	case want == "stand":
		id, phrase = "rise", "gets up from the knee"
	case want != "prone":
		e.impossible(f, in, "not_built", fmt.Sprintf("There is no posture %q.", in.Posture))
		return passed
	}
	if f.Move != nil {
		e.halt(f, "")
	}
	row := e.action(id)
	e.begin(f, Activity{Kind: id, Name: row.Name}, row.Class, phrase, how(in, row), row.guess())
	f.HoldFrom = e.now
	return busy
}

// face turns: less than 90 degrees is free, more is an action (2.4).
func (e *engine) face(f *Fighter, in game.Intent) progress {
	toward, ok := e.toward(f, in)
	if !ok {
		return passed
	}
	if degrees(f.Facing, toward) < 90 {
		f.Facing = toward
		return passed
	}
	row := e.action("turn")
	e.begin(f, Activity{Kind: "turn", Name: row.Name, Toward: &toward}, row.Class, "turns", how(in, row), row.guess())
	return busy
}

// toward is the direction that an order names.
func (e *engine) toward(f *Fighter, in game.Intent) (Point, bool) {
	if d, ok := resolve.ParseDir(in.Direction); in.Direction != "" && ok {
		x, y := d.Vector()
		return Point{x * yard, y * yard}, true
	}
	if p, _, ok := e.placeOf(f, in.Target); ok && p != f.At {
		return p.minus(f.At), true
	}
	return Point{}, false
}

// uses is any other use of a thing: it takes its class, and the GM says what comes of it.
func (e *engine) uses(f *Fighter, in game.Intent) progress {
	if x := e.w.feature(in.Item); x != nil {
		return e.operates(f, in, x)
	}
	row := e.action("use")
	name := string(in.Item)
	if wp := f.weapon(in.Item); wp != nil {
		name = wp.Name
	} else if row := e.armor(in.Item); row != nil {
		name = row.Name
	}
	if i := slices.IndexFunc(f.Items, func(it Item) bool { return it.ID == in.Item }); i >= 0 {
		if f.Items[i].Kind == "kit" {
			return e.treats(f, in, in.On.ID)
		}
		if f.Items[i].Kind == "poison" && f.weapon(in.On.ID) != nil {
			return e.coats(f, in, &f.Items[i])
		}
		name = f.Items[i].Name
	}
	what := "use the " + name
	if in.Action != "" {
		what = in.Action + " the " + name
	}
	ref := e.begin(f, Activity{Kind: "use", Name: what, Item: in.Item, On: in.On.ID}, row.Class, "busies himself with the "+name, "", row.guess())
	if !slices.ContainsFunc(f.Items, func(it Item) bool { return it.ID == in.Item && it.Kind == "drug" }) {
		e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
			Ref: ref, Kind: "free_text", Text: fmt.Sprintf("%s wants to %s. What comes of it?", f.Name, what),
			Default: "nothing came of it", Answer: "NOTE …",
		})
	}
	e.next(f)
	return busy
}
