package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// setState sets what a ruling says of somebody's state of health or of his
// protection (21); visible tells whether others can see it.
func (e *engine) setState(ev *game.Event, f *Fighter, field, value string) (visible, ok bool) {
	n, err := strconv.Atoi(value)
	low := strings.ToLower(value)
	yes := low == "yes" || low == "true" || low == "on"
	no := low == "no" || low == "false" || low == "off"
	note := func(from, to string) { ev.Changes = append(ev.Changes, changed(f.ID, field, from, to)) }
	number := err == nil && n >= 0 && n <= 1000
	switch field {
	case "STUNNED", "UNCONSCIOUS":
		if !number {
			return false, false
		}
		e.timed(ev, f, strings.ToLower(field), n)
		return true, true
	case "BLEEDING", "POISON":
		if !number {
			return false, false
		}
		kind := strings.ToLower(field)
		f.endKind(kind)
		x := Effect{Kind: kind, Points: n, Heal: "first_aid"}
		if kind == "poison" {
			x = Effect{Kind: kind, Points: e.Poison.Points, Turns: n}
		}
		if n > 0 {
			f.add(x)
		}
		note("", value)
		return false, true
	case "SMOKE":
		if !number || n > 100 {
			return false, false
		}
		e.smoke(f, n)
		note("", value)
		return true, true
	case "COUGHING", "BURNING":
		if !number {
			return false, false
		}
		id := game.ID("smoke")
		if field == "BURNING" {
			id = "incendiary"
		}
		row := e.grenadeRow(id)
		if row == nil || row.effect() == nil {
			return false, false
		}
		x := *row.effect()
		x.Turns, x.Wait = n, 0
		f.endKind(x.Kind)
		if n > 0 {
			f.add(x)
		}
		note("", value)
		return true, true
	case "WOUND":
		return true, number && n <= woundDie && e.ruleWound(ev, f, n)
	case "BURN":
		if !number {
			return false, false
		}
		e.lose(ev, f, n, "heat")
		return true, true
	case "FALL":
		if !number || n == 0 {
			return false, false
		}
		e.fall(ev, f, n)
		return true, true
	case "ENTANGLED":
		if !yes && !no {
			return false, false
		}
		f.endKind("entangled")
		f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return s == "entangled" })
		if yes {
			f.add(Effect{Kind: "entangled", Heal: "solvaway"})
		}
		note("", low)
		return true, true
	case "SCREEN", "SEU":
		for i := range f.Items {
			it := &f.Items[i]
			if e.class(it) != "screen" || it.State == "carried" {
				continue
			}
			switch {
			case field == "SEU" && number:
				note(strconv.Itoa(it.Left), value)
				it.Left, it.Full = n, max(it.Full, n)
			case field == "SCREEN" && slices.Contains([]string{"on", "off", "broken"}, low):
				note(it.State, low)
				it.State, it.Since = low, e.w.Played
			default:
				return false, false
			}
			return false, true
		}
	case "CAPACITY":
		for i := range f.Items {
			if it := &f.Items[i]; e.class(it) == "suit" && it.State == "worn" && number {
				note(strconv.Itoa(it.Left), value)
				it.Left, it.Full = n, max(it.Full, n)
				return false, true
			}
		}
	case "DROPPED":
		sq, good := game.ParseSquare(value)
		for i := range f.Weapons {
			if wp := &f.Weapons[i]; wp.State == "on_ground" && good && e.g.inside(sq) {
				note(wp.Name, sq.String())
				wp.At = &sq
				return false, true
			}
		}
	case "CLIPS":
		if gun := f.gun(e.tables); gun != nil && number {
			for i := range f.Items {
				if it := &f.Items[i]; e.feeding(gun, it) {
					note(strconv.Itoa(it.Count), value)
					it.Count = n
					return false, true
				}
			}
		}
	case "RATE":
		if gun := f.gun(e.tables); gun != nil && number && n > 0 {
			note(strconv.Itoa(gun.Rate), value)
			gun.Rate = n
			return false, true
		}
	case "WALK", "RUN", "STR", "DEX", "RS", "INT":
		figure := map[string]*int{"WALK": &f.Walk, "RUN": &f.Run, "STR": &f.STR, "DEX": &f.DEX, "RS": &f.RS, "INT": &f.INT}[field]
		if number && (n > 0 || field == "WALK" || field == "RUN") {
			note(strconv.Itoa(*figure), value)
			*figure = n
			return false, true
		}
	case "BROKEN":
		for i := range f.Weapons {
			if wp := &f.Weapons[i]; wp.inHand() && (yes || no) {
				note(strconv.FormatBool(wp.Broken), strconv.FormatBool(yes))
				wp.Broken = yes
				return false, true
			}
		}
	}
	return false, false
}

// timed makes somebody stunned or unconscious for so many rounds, or ends it.
func (e *engine) timed(ev *game.Event, f *Fighter, kind string, turns int) {
	was := f.able()
	f.endKind(kind)
	f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return s == kind && f.Now > 0 })
	switch {
	case turns > 0:
		e.down(ev, f, Effect{Kind: kind, Turns: turns})
	case !was && f.able():
		ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", kind, "able"))
	}
}

// ruleWound gives somebody a wound of the table, or heals all of his wounds.
func (e *engine) ruleWound(ev *game.Event, f *Fighter, n int) bool {
	if n == 0 {
		was := f.able()
		f.end(func(x Effect) bool { return x.Heal != "" })
		ev.Changes = append(ev.Changes, changed(f.ID, "WOUND", "", "healed"))
		if !was && f.able() {
			ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", "incapacitated", "able"))
		}
		return true
	}
	row := e.wounds.wound(n, "")
	ev.Lines = append(ev.Lines, game.Line{Label: "Wound " + strconv.Itoa(n), Value: row.Name})
	e.maim(ev, harm{to: f, kind: "melee_muscle", dice: fmt.Sprintf("%s/%s", f.ID, strings.TrimPrefix(ev.Ref, string(f.ID)+"/"))}, row)
	return true
}

// feeding tells whether an item loads a weapon, be there one of it left or none.
func (t *tables) feeding(gun *Weapon, it *Item) bool {
	row := t.weapon(gun.Kind)
	if row == nil {
		return false
	}
	clip := t.clip(row.Clip)
	return clip != nil && clip.fits(it) || row.Feed != "" && it.fed(row.Feed)
}
