package starfrontiers

import (
	"fmt"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// act carries out sub-action k: an attack or whatever takes the place of one.
func (e *engine) act(s *state, in game.Intent, fall []game.Intent, k int) {
	if s.f.bound() && !tied(in.Verb) {
		e.cannot(s, k, "", in.Verb, "entangled", s.f.Name+" is held by threads.")
		return
	}
	if isAttack(in.Verb) {
		e.shoot(s, in, fall, k, nil)
		return
	}
	ref := e.ref(s, k, "")
	e.applySets(ref, s)
	if e.calledOff(s, in.Verb, ref) {
		return
	}
	answers := e.declare(s, in.Verb, "", nil)
	if !e.able(s.f) {
		e.lostUnit(s, unit{act: in}, k)
		return
	}
	s.failed = false
	switch in.Verb {
	case "reload":
		e.reload(s, in, ref)
	case "ready":
		e.pickUp(s, in, ref)
	case "set":
		e.setWeapon(s, in, ref)
	case "use":
		e.use(s, in, ref)
	case "plug", "unplug":
		e.cord(s, in, ref)
	case "defend":
		s.defends = true
		ev := e.event(ref, s.f, "defend", "done")
		ev.Rule = "7.1"
		e.witnesses(ev, s.f, nil, false)
		e.tell(ev, fmt.Sprintf("%s stays on guard.", s.f.Name))
	default:
		return
	}
	e.mark(s, "act", ref, in.Verb)
	e.aftermath(atOnce)
	e.answer(answers)
}

// tell gives all who see the actor the same sentence, and stores the event.
func (e *engine) tell(ev *game.Event, text string) {
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = text, text, text
	e.emit(ev)
}

// free carries out a step that takes no sub-action; depth bounds nested ifs.
func (e *engine) free(s *state, in game.Intent, k int, suffix string, ev *happening, depth int) {
	if !e.able(s.f) {
		return
	}
	if s.f.bound() && in.Verb != "if" && !tied(in.Verb) {
		e.cannot(s, k, suffix, in.Verb, "entangled", s.f.Name+" is held by threads.")
		return
	}
	if in.Verb != "if" && in.Verb != "say" {
		ref := e.peek(s, k, suffix)
		e.applySets(ref, s)
		if !e.able(s.f) {
			return
		}
		if e.calledOff(s, in.Verb, ref) {
			e.refs[fmt.Sprintf("%s/r%d.%d%s", s.f.ID, e.round, k, suffix)]++
			return
		}
	}
	switch in.Verb {
	case "move":
		e.move(s, in, k, suffix, ev)
	case "posture":
		e.posture(s, in.Posture, k, suffix)
	case "face":
		e.face(s, in, k, suffix, ev)
	case "ready":
		var answers []answer
		if in.Action == "draw" || in.Action == "swap" {
			if answers = e.declare(s, "draw", "", nil); !e.able(s.f) {
				return
			}
		}
		e.ready(s, in, k, suffix)
		e.answer(answers)
	case "set":
		e.setWeapon(s, in, e.ref(s, k, suffix))
	case "use":
		if opensDoor(&in) {
			e.door(s, in, e.ref(s, k, suffix))
		}
	case "special":
		if s.f.ragesBy(in) {
			e.rage(s, e.ref(s, k, suffix))
			return
		}
		e.special(s, in, e.ref(s, k, suffix))
	case "say":
		to := in.To.ID
		if to == "" {
			to = in.Target.ID
		}
		e.speech(s, in.Text, to)
		e.aftermath(atOnce)
	case "if":
		if in.When == nil || depth > game.MaxNesting {
			return
		}
		branch := in.Else
		if e.holds(s, *in.When, nil) {
			branch = in.Then
		}
		s.mode = faster(s.mode, declaredMode(branch))
		for _, b := range branch {
			e.free(s, b, k, suffix, ev, depth+1)
		}
	}
}

func (e *engine) posture(s *state, to string, k int, suffix string) {
	from := s.f.Posture
	if to == "" || to == from {
		return
	}
	if s.f.has("lamed") && to != "prone" {
		e.cannot(s, k, suffix, "posture", "lamed", s.f.Name+" cannot get up.")
		return
	}
	if from == "prone" {
		if !e.getUp(s) {
			e.cannot(s, k, suffix, "posture", "too_far", fmt.Sprintf("%s has no movement left to get up.", s.f.Name))
			return
		}
	}
	s.f.Posture = to
	ref := e.ref(s, k, suffix)
	e.applySets(ref, s)
	ev := e.event(ref, s.f, "posture", "done")
	ev.Rule = "17.3"
	ev.Changes = append(ev.Changes, changed(s.f.ID, "POSTURE", from, to))
	e.witnesses(ev, s.f, nil, false)
	e.tell(ev, s.f.Name+map[string]string{
		"prone": " drops prone.", "crouch": " crouches.", "kneel": " kneels.", "stand": " gets up.",
	}[to])
}

// getUp pays for standing up from prone: half the walking rate (17.3).
func (e *engine) getUp(s *state) bool {
	return e.pay(s, s.f.allowance(e.tables, "walk")*1000/2)
}

func (e *engine) face(s *state, in game.Intent, k int, suffix string, ev *happening) {
	sc := e.scene(s)
	d, ok := sc.direction(in.Direction)
	if !ok {
		trigger := game.ID("")
		if ev != nil {
			trigger = ev.trigger()
		}
		if at, found := sc.place(in.Target, trigger); found {
			d, ok = resolve.Toward(s.f.Place, at)
		}
	}
	if !ok || d.String() == s.f.Facing {
		return
	}
	ref := e.ref(s, k, suffix)
	e.applySets(ref, s)
	out := e.event(ref, s.f, "face", "done")
	out.Changes = append(out.Changes, changed(s.f.ID, "FACING", s.f.Facing, d.String()))
	s.f.Facing = d.String()
	e.witnesses(out, s.f, nil, false)
	e.tell(out, fmt.Sprintf("%s turns %s.", s.f.Name, d.Word()))
}

// ready draws, puts away or drops a weapon (17.5).
func (e *engine) ready(s *state, in game.Intent, k int, suffix string) {
	wp := s.f.weapon(in.Item)
	if wp == nil {
		return
	}
	ref := e.ref(s, k, suffix)
	e.applySets(ref, s)
	ev := e.event(ref, s.f, "ready", "done")
	ev.Rule = "17.5"
	e.witnesses(ev, s.f, nil, false)
	from := wp.State
	switch in.Action {
	case "draw":
		if !wp.holstered() {
			e.fail(s, ev, "not_ready", fmt.Sprintf("%s cannot draw the %s.", s.f.Name, wp.Name))
			return
		}
		ev.Changes = append(ev.Changes, e.draw(s.f, wp)...)
		e.tell(ev, fmt.Sprintf("%s draws the %s.", s.f.Name, wp.Name))
		return
	case "holster":
		wp.State = "holstered"
		if wp.TwoHanded {
			wp.State = "slung"
		}
		ev.Changes = append(ev.Changes, changed(s.f.ID, "WEAPON", wp.Name+" "+from, wp.Name+" "+wp.State))
		e.tell(ev, fmt.Sprintf("%s puts the %s away.", s.f.Name, wp.Name))
		return
	}
	place := s.f.Place
	wp.State, wp.At = "on_ground", &place
	ev.Changes = append(ev.Changes, changed(s.f.ID, "WEAPON", wp.Name+" "+from, wp.Name+" on_ground"))
	e.tell(ev, fmt.Sprintf("%s drops the %s.", s.f.Name, wp.Name))
}

// draw takes a weapon in hand; what there is no hand left for is put away.
func (e *engine) draw(f *Fighter, wp *Weapon) []game.Change {
	var out []game.Change
	hands := 2
	if wp.TwoHanded {
		hands = 0
	} else {
		hands = 1
	}
	for i := range f.Weapons {
		o := &f.Weapons[i]
		if o == wp || o.State != "in_hand" {
			continue
		}
		need := 1
		if o.TwoHanded {
			need = 2
		}
		if need <= hands {
			hands -= need
			continue
		}
		from := o.State
		o.State = "holstered"
		if o.TwoHanded {
			o.State = "slung"
		}
		out = append(out, changed(f.ID, "WEAPON", o.Name+" "+from, o.Name+" "+o.State))
	}
	out = append(out, changed(f.ID, "WEAPON", wp.Name+" "+wp.State, wp.Name+" in_hand"))
	wp.State, wp.At, wp.Picked = "in_hand", nil, false
	return out
}

// fail stores an event that did not come off, for the actor and the GM alone.
func (e *engine) fail(s *state, ev *game.Event, reason, text string) {
	s.failed = true
	ev.Outcome, ev.Reason = "impossible", reason
	clear(ev.Seen)
	clear(ev.Text)
	private(ev, text)
	e.emit(ev)
}

func (e *engine) cannot(s *state, k int, suffix, kind, reason, text string) {
	e.fail(s, e.event(e.ref(s, k, suffix), s.f, kind, "impossible"), reason, text)
}

func (e *engine) pickUp(s *state, in game.Intent, ref string) {
	ev := e.event(ref, s.f, "ready", "done")
	ev.Rule = "17.5"
	wp := s.f.weapon(in.Item)
	if wp == nil || wp.State != "on_ground" || wp.At == nil || *wp.At != s.f.Place {
		e.fail(s, ev, "not_there", fmt.Sprintf("%s finds nothing to pick up here.", s.f.Name))
		return
	}
	e.witnesses(ev, s.f, nil, false)
	ev.Changes = append(ev.Changes, e.draw(s.f, wp)...)
	wp.Picked = true
	e.tell(ev, fmt.Sprintf("%s picks up the %s.", s.f.Name, wp.Name))
}

func (e *engine) reload(s *state, in game.Intent, ref string) {
	ev := e.event(ref, s.f, "reload", "done")
	ev.Rule = "9.4"
	wp := s.f.weapon(in.Weapon)
	if wp == nil {
		wp = s.f.gun(e.tables)
	}
	if wp == nil || wp.State == "on_ground" {
		e.fail(s, ev, "no_weapon", fmt.Sprintf("%s has no weapon in hand to reload.", s.f.Name))
		return
	}
	row := e.weapon(wp.Kind)
	it, ok := s.f.feeds(e.tables, wp, in.Ammo)
	ready := wp.Unready && wp.Left > 0 // it has to be drawn or worked, and no more
	if row == nil || wp.Cord != nil || !ok && !ready {
		e.fail(s, ev, "no_clip", fmt.Sprintf("%s has no clip left for the %s.", s.f.Name, wp.Name))
		return
	}
	wp.Unready = false
	if !ready {
		ev.Changes = append(ev.Changes, changed(s.f.ID, "AMMO", strconv.Itoa(wp.Left), strconv.Itoa(wp.Full)))
		wp.Left = wp.Full
		if it != nil {
			e.load(ev, wp, row, it)
		}
	}
	ev.Numbers["left"] = wp.Left
	e.witnesses(ev, s.f, nil, false)
	text := fmt.Sprintf("%s reloads the %s.", s.f.Name, wp.Name)
	ev.Text[game.All] = fmt.Sprintf("%s reloads the %s (%d %s).", s.f.Name, wp.Name, wp.Left, row.Unit)
	ev.Text[game.Own], ev.Text[game.Seen] = ev.Text[game.All], text
	e.emit(ev)
}

// load puts what an item holds into a weapon.
func (e *engine) load(ev *game.Event, wp *Weapon, row *weaponRow, it *Item) {
	it.Count--
	if c := e.clip(row.Clip); c != nil && c.Unverified {
		ev.Unverified = append(ev.Unverified, c.Name+": capacity")
	}
	if ammo := row.ammoOf(it); ammo != "" {
		wp.Ammo = ammo
	}
	if g := e.grenade(it); g != nil && row.launches() {
		wp.Loaded = g.ID
	}
}

// setWeapon turns a dial or switches a mode (9.3).
func (e *engine) setWeapon(s *state, in game.Intent, ref string) {
	e.applySets(ref, s)
	if it := s.f.item(in.Item); it != nil && in.State != "" {
		e.switchScreen(s, in, it, ref)
		return
	}
	ev := e.event(ref, s.f, "set", "done")
	ev.Rule = "9.3"
	wp := s.f.weapon(in.Item)
	if wp == nil {
		e.fail(s, ev, "no_weapon", fmt.Sprintf("%s has nothing to set.", s.f.Name))
		return
	}
	text := ""
	if in.Mode != "" {
		ev.Changes = append(ev.Changes, changed(s.f.ID, "MODE", wp.Mode, in.Mode))
		wp.Mode = in.Mode
		text = fmt.Sprintf("%s switches the %s to %s.", s.f.Name, wp.Name, in.Mode)
	} else {
		ev.Changes = append(ev.Changes, changed(s.f.ID, "DIAL", strconv.Itoa(wp.Dial), strconv.Itoa(in.Setting.N)))
		wp.Dial = in.Setting.N
		text = fmt.Sprintf("%s sets the %s to %d.", s.f.Name, wp.Name, wp.Dial)
	}
	private(ev, text)
	e.emit(ev)
}

// special hands a deed that the rules do not know to the GM.
func (e *engine) special(s *state, in game.Intent, ref string) {
	what := in.Text
	if what == "" {
		what = in.Kind
	}
	if row := e.feat(in.Kind); row != nil {
		e.stunt(s, ref, in, row)
		return
	}
	ev := e.event(ref, s.f, "special", "ruling")
	ev.Reason = "free_text"
	ruled := e.answered(s, ref)
	text := fmt.Sprintf("%s: %s.", s.f.Name, what)
	if !ruled {
		text += " Nothing comes of it unless the GM rules so."
	}
	private(ev, text)
	e.emit(ev)
	if ruled {
		return
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ref, Kind: "free_text",
		Text:    fmt.Sprintf("%s wants to do this, which the rules do not know: %s", s.f.Name, what),
		Default: "nothing happens",
		Answer:  fmt.Sprintf("%s POSTURE crouch", s.f.ID),
	})
}
