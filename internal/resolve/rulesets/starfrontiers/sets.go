package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// applySets sets the figures that the GM ruled before the event ref, or with an
// empty ref those for the end of the turn.
func (e *engine) applySets(ref string, s *state) {
	sets := e.rules.Sets(ref)
	if len(sets) == 0 {
		return
	}
	// What was ruled of the event that comes next is not told by these.
	held := e.rules.Take()
	defer func() { e.rules.Give(held) }()
	for _, x := range sets {
		f := e.w.fighter(x.Who)
		if e.busy[x.N] {
			continue // it is about the event that tells of it
		}
		e.busy[x.N] = true
		defer delete(e.busy, x.N)
		if s == nil && ref == "" {
			e.count = 0
		}
		switch {
		case x.On != "":
			if e.refs["set"+strconv.Itoa(x.N)] == 0 {
				e.setScene(x)
			}
		case f == nil, ref == "" && slices.Contains(startFields, strings.ToUpper(x.Field)), tooLate(x.Field, ref):
		case strings.EqualFold(x.Field, "REACTS"):
			e.ruleReaction(x, f, s)
		default:
			e.applySet(x, f)
		}
	}
}

// applySet sets one figure. It is an event of its own; of a secret one nobody but
// the GM is told, though the figure changes all the same.
func (e *engine) applySet(x game.Ruling, f *Fighter) {
	if e.refs["set"+strconv.Itoa(x.N)] > 0 {
		return
	}
	ev := e.event(fmt.Sprintf("%s/r%d.g%d", f.ID, e.round, x.N), f, "ruling", "done")
	field, value := strings.ToUpper(strings.TrimSpace(x.Field)), strings.TrimSpace(x.Value)
	changes, visible, ok := e.setField(f, field, value)
	if !ok {
		visible, ok = e.setState(ev, f, field, value)
	}
	told := true
	if !ok {
		told, ok = e.setAwareness(ev, f, field, value)
		visible = field == "SURRENDERED"
	}
	if !ok {
		return
	}
	e.refs["set"+strconv.Itoa(x.N)]++
	ev.Reason = strings.TrimSpace(x.Reason)
	ev.Changes = append(ev.Changes, changes...)
	e.rules.Used(x.N)
	text := fmt.Sprintf("GM ruling %d: %s %s %s.", x.N, f.Name, strings.ToUpper(x.Field), x.Value)
	ev.Text[game.All] = text
	if !x.Secret && told {
		private(ev, text)
	}
	if visible && !x.Secret {
		for _, v := range e.w.Fighters {
			if v != f && e.knows(v, f) {
				ev.Seen[v.ID] = game.Seen
			}
		}
		ev.Text[game.Seen] = fmt.Sprintf("%s is now in %s, %s.", f.Name, f.Place, e.lookNow(f))
	}
	e.emit(ev)
}

func (e *engine) lookNow(f *Fighter) string {
	switch {
	case f.down():
		return "and is down"
	case has(f.Status, surrendered):
		return "and has given up"
	}
	return map[string]string{"stand": "standing", "crouch": "crouching", "kneel": "kneeling", "prone": "prone"}[f.Posture] + ", facing " + f.facing().Word()
}

// setField sets one of rulingFields; visible tells whether others can see it.
func (e *engine) setField(f *Fighter, field, value string) (changes []game.Change, visible, ok bool) {
	low := strings.ToLower(value)
	yes := low == "yes" || low == "true" || low == "on"
	if slices.Contains([]string{"ABLE", "DOWN", "DEAD", "HIDDEN", "LOCKED", "RAGE"}, field) && !yes && low != "no" && low != "false" && low != "off" {
		return nil, false, false
	}
	note := func(name, from, to string) { changes = append(changes, changed(f.ID, name, from, to)) }
	number, err := strconv.Atoi(value)
	gun := f.gun(e.tables)
	switch field {
	case "STA":
		if err != nil || number < -100 || number > f.STA {
			return nil, false, false
		}
		was, falls := f.able(), f.Now > 0 && number <= 0
		note("STA", strconv.Itoa(f.Now), strconv.Itoa(number))
		f.Now = number
		switch {
		case number > 0:
			e.wake(f)
		case falls:
			f.Fell = e.w.Played + 1
			f.Status = append(f.Status, e.fate(f))
		case !slices.ContainsFunc(f.Status, func(s string) bool { return slices.Contains(disabling, s) }):
			f.Status = append(f.Status, e.fate(f))
		}
		if e.beyondHelp(f) {
			f.Status = append(f.Status, "dead")
		}
		return changes, was != f.able(), true
	case "POSTURE":
		if !slices.Contains(postures, low) {
			return nil, false, false
		}
		note("POSTURE", f.Posture, low)
		f.Posture = low
	case "AT":
		sq, good := game.ParseSquare(value)
		if !good || !e.g.inside(sq) {
			return nil, false, false
		}
		note("AT", f.Place.String(), sq.String())
		f.Place = sq
	case "FACING":
		d, good := resolve.ParseDir(value)
		if !good {
			return nil, false, false
		}
		note("FACING", f.Facing, d.String())
		f.Facing = d.String()
	case "ABLE", "DOWN":
		if yes == (field == "ABLE") {
			note("ABLE", strconv.FormatBool(f.able()), "true")
			e.wake(f)
			f.Now = max(f.Now, 1)
		} else {
			note("ABLE", strconv.FormatBool(f.able()), "false")
			if f.able() {
				f.Status = append(f.Status, "unconscious")
			}
		}
	case "DEAD":
		note("DEAD", strconv.FormatBool(has(f.Status, "dead")), strconv.FormatBool(yes))
		f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return s == "dead" })
		if yes {
			f.Status = append(f.Status, "dead")
		}
	case "FATE":
		if !slices.Contains([]string{"dying", "unconscious", "dead"}, low) || f.able() {
			return nil, false, false
		}
		note("FATE", strings.Join(f.Status, ", "), low)
		f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return slices.Contains(disabling, s) })
		f.Status = append(f.Status, low)
	case "HIDDEN":
		note("HIDDEN", strconv.FormatBool(f.SeenBy != nil), strconv.FormatBool(yes))
		f.SeenBy = nil
		if yes {
			f.SeenBy = &[]game.ID{}
		}
		return changes, false, true
	case "RAGE":
		note("RAGE", strconv.FormatBool(f.Raging), strconv.FormatBool(yes))
		f.Raging = yes
		return changes, false, true
	case "LOCKED":
		s := e.by[f.ID]
		note("LOCKED", strconv.FormatBool(s != nil && len(s.locks) > 0), strconv.FormatBool(yes))
		f.Lock = low
		if s != nil {
			s.ruledLock, s.locks = "no", nil
			if yes {
				s.ruledLock, s.locks = "yes", []game.ID{""}
			}
		}
		return changes, false, true
	case "DIAL":
		row := (*weaponRow)(nil)
		if gun != nil {
			row = e.weapon(gun.Kind)
		}
		if err != nil || row == nil || !row.PerSEU || number < row.DialMin || number > gun.DialMax {
			return nil, false, false
		}
		note("DIAL", strconv.Itoa(gun.Dial), value)
		gun.Dial = number
		return changes, false, true
	case "AMMO":
		if err != nil || gun == nil || number < 0 || number > gun.Full {
			return nil, false, false
		}
		note("AMMO", strconv.Itoa(gun.Left), value)
		gun.Left = number
		return changes, false, true
	default:
		return nil, false, false
	}
	return changes, true, true
}

// wake ends every state that keeps somebody from acting.
func (e *engine) wake(f *Fighter) {
	f.endKind(limp...)
	f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return slices.Contains(disabling, s) })
}
