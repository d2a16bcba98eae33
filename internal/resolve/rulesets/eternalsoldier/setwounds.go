package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// setWounds sets what ails somebody: poison, drugs, bones, falls (7).
func (e *engine) setWounds(ev *game.Event, f *Fighter, field, value string) (from string, seen, ok bool) {
	if into := map[string]*int{"STIFF": &f.Lame, "INJURED": &f.Injured, "INJURED_MAIN": &f.InjuredM, "INJURED_OFF": &f.InjuredO, "DRUG_UNTIL": &f.DrugTill, "DRUG_AGI": &f.DrugAgi}[field]; into != nil {
		from, ok = whole(into, field, value)
		return from, false, ok
	}
	n := 0
	switch field {
	case "POISON":
		if strings.EqualFold(value, "none") {
			f.Poisons = nil
			return "", false, true
		}
		if row := e.poison(strings.ToUpper(value)); row != nil {
			f.Poisons = append(f.Poisons, Poison{Type: row.ID, Due: e.now + row.Every})
			return "", false, true
		}
	case "POISON_AT", "POISON_STREAK":
		if _, ok = whole(&n, field, value); !ok || len(f.Poisons) == 0 {
			return "", false, false
		}
		for i := range f.Poisons {
			if field == "POISON_AT" {
				f.Poisons[i].Due = n
			} else {
				f.Poisons[i].Streak = n
			}
		}
		return "", false, true
	case "DRUG":
		if from, ok = whole(&f.Drug, field, value); ok && f.Drug > 0 && f.DrugTill <= e.now {
			f.DrugTill = e.now + e.number("drug_segments")
		} else if ok && f.Drug == 0 {
			f.DrugTill = 0
		}
		return from, false, ok
	case "BONE":
		limb := strings.ToLower(value)
		if limb == "none" {
			f.Broken = nil
			return "", true, true
		}
		e.breakLimb(f, limb, "", ev)
		ev.Changes = nil
		return "", true, true
	case "BONE_POINTS":
		if _, ok = whole(&n, field, value); !ok || len(f.Broken) == 0 {
			return "", false, false
		}
		for i := range f.Broken {
			f.Broken[i].Points = n
		}
		return "", false, true
	case "FALL", "COLLIDE":
		if _, ok = whole(&n, field, value); !ok {
			return "", false, false
		}
		if field == "FALL" {
			e.drops(f, ev, e.fallDice(n, false), true)
		} else {
			e.drops(f, ev, e.collisionDice(n), false)
		}
		return "", false, true
	case "ROLL":
		return "", false, e.rolls(ev, f, strings.ToLower(value))
	}
	return "", false, false
}

// rolls is a roll on an attribute or a skill, for whatever the GM asks of it (1.3, 3.1).
func (e *engine) rolls(ev *game.Event, f *Fighter, what string) bool {
	lines, modifier := e.rulings.Mod(ev.Ref)
	success := false
	if row := e.skill(what); row != nil {
		chance := e.percent(f, row.ID)
		ev.Lines = append(append(ev.Lines, game.Line{Label: row.Name, Value: strconv.Itoa(chance)}), lines...)
		roll := e.roll(ev, what, f.ID, e.when(), 100)
		ev.Lines = append(ev.Lines, game.Line{Label: "D100", Value: strconv.Itoa(roll)})
		ev.Numbers["chance"], ev.Numbers["roll"] = chance+modifier, roll
		success = e.succeeds(chance+modifier, roll)
	} else {
		value, known := map[string]int{"str": f.STR, "agi": e.agile(f), "dex": f.DEX, "con": f.CON, "int": f.INT, "will": f.WILL}[what]
		if !known {
			return false
		}
		ev.Lines = append(append(ev.Lines, game.Line{Label: strings.ToUpper(what), Value: strconv.Itoa(value)}), lines...)
		roll := e.roll(ev, what, f.ID, e.when(), 20)
		ev.Lines = append(ev.Lines, game.Line{Label: "D20", Value: strconv.Itoa(roll)})
		ev.Numbers["chance"], ev.Numbers["roll"] = value+modifier, roll
		success = e.attribute(value, modifier, roll)
	}
	if ev.Outcome = miss; success {
		ev.Outcome = wordSuccess
	}
	ev.Lines = append(ev.Lines, game.Line{Label: "Result", Value: ev.Outcome})
	return true
}

// setGear sets what becomes of weapons, ammunition and armor.
func (e *engine) setGear(f *Fighter, field, value string) (from string, seen, ok bool) {
	word := strings.ToLower(value)
	if slices.Contains([]string{"DRAWN", "STOWED", "DROPPED", "BROKEN", "MENDED", "STUCK", "FREED"}, field) {
		wp := f.named(field, value)
		if wp == nil {
			return "", false, false
		}
		from = wp.State
		switch field {
		case "DRAWN":
			hand := e.freeHand(f, wp)
			if hand == "" || wp.Broken {
				return "", false, false
			}
			wp.State, wp.Hand, wp.Place = "in_hand", hand, nil
		case "STOWED":
			wp.State, wp.Hand, wp.Place = "stowed", "", nil
		case "DROPPED":
			e.letGo(f, wp)
		case "BROKEN", "MENDED":
			wp.Broken = field == "BROKEN"
		default:
			wp.Stuck = field == "STUCK"
		}
		return from, true, true
	}
	n := 0
	switch field {
	case "AMMO":
		a, good := e.held(f)
		if _, ok = whole(&n, field, value); !ok || !good || a.bare || n > a.Full || a.Full == 0 {
			return "", false, false
		}
		from, a.Weapon.Left = strconv.Itoa(a.Left), n
		return from, false, true
	case "CARRIES":
		i := slices.IndexFunc(f.Items, func(it Item) bool { return it.Kind == "ammo" })
		if _, ok = whole(&n, field, value); !ok || i < 0 {
			return "", false, false
		}
		from, f.Items[i].Count = strconv.Itoa(f.Items[i].Count), n
		return from, false, true
	case "SPEED_CLASS", "DRAW_CLASS", "RELOAD_CLASS":
		a, good := e.held(f)
		if field == "DRAW_CLASS" && good && a.bare && len(f.Weapons) > 0 {
			a, good = e.arm(f, f.Weapons[0].ID, false)
		}
		if _, ok = whole(&n, field, value); !ok || !good || a.bare || field == "RELOAD_CLASS" && a.reload() == 0 {
			return "", false, false
		}
		was := map[string]int{"SPEED_CLASS": a.speed(), "DRAW_CLASS": a.draw(), "RELOAD_CLASS": a.reload()}[field]
		*map[string]*int{"SPEED_CLASS": &a.Weapon.Speed, "DRAW_CLASS": &a.Weapon.Draw, "RELOAD_CLASS": &a.Weapon.Reload}[field] = n
		return strconv.Itoa(was), false, true
	case "COATED":
		a, good := e.held(f)
		if !good || a.bare || word != "none" && e.poison(strings.ToUpper(value)) == nil {
			return "", false, false
		}
		from, a.Weapon.Poison = a.Weapon.Poison, strings.ToUpper(value)
		if word == "none" {
			a.Weapon.Poison = ""
		}
		return from, false, true
	case "WEARS":
		if word == "none" {
			f.Armor = []Armor{}
			return "", true, true
		}
		row := e.armor(game.ID(word))
		if row == nil {
			return "", false, false
		}
		f.Armor = slices.DeleteFunc(f.Armor, func(a Armor) bool {
			old := e.armor(a.Kind)
			return a.Kind == row.ID || old != nil && !row.Field && !old.Field
		})
		f.Armor = append(f.Armor, Armor{Kind: row.ID})
		return "", true, true
	case "WEAR":
		i := slices.IndexFunc(f.Armor, func(a Armor) bool { row := e.armor(a.Kind); return row != nil && row.Wears })
		if i < 0 {
			return "", false, false
		}
		from, ok = whole(&f.Armor[i].Hits, field, value)
		return from, false, ok
	}
	return "", false, false
}

// named is the weapon that a ruling means: by id, or by its name the first that
// it can be said of.
func (f *Fighter) named(field, name string) *Weapon {
	fits := func(wp *Weapon) bool {
		switch field {
		case "DRAWN":
			return wp.State != "in_hand"
		case "STOWED", "DROPPED", "STUCK":
			return wp.State == "in_hand"
		case "MENDED":
			return wp.Broken
		case "BROKEN":
			return !wp.Broken
		}
		return wp.Stuck
	}
	for i := range f.Weapons {
		if wp := &f.Weapons[i]; (strings.EqualFold(string(wp.ID), name) || strings.EqualFold(wp.Name, name)) && fits(wp) {
			return wp
		}
	}
	return nil
}

// setHolds sets in whose hold somebody is, and in which zone of an explosion.
func (e *engine) setHolds(ev *game.Event, f *Fighter, field, value string, x game.Ruling) (from string, seen, ok bool) {
	word := strings.ToLower(value)
	switch field {
	case "HELD":
		if word == "no" {
			f.shake("")
			return "", true, true
		}
	case "HELD_BY":
		o := e.w.fighter(game.ID(word))
		if o == nil || o == f {
			return "", false, false
		}
		if !o.holds(f, "") {
			f.Held = append(f.Held, HeldBy{By: o.ID, Hold: "grab"})
		}
		return "", true, true
	case "HOLD":
		if e.tables.hold(word) == nil || len(f.Held) == 0 {
			return "", false, false
		}
		last := &f.Held[len(f.Held)-1]
		from, last.Hold = last.Hold, word
		return from, true, true
	case "ZONE":
		if !strings.Contains(x.Ref, "/") || !slices.Contains([]string{"kill", "casualty", "out"}, word) {
			return "", false, false
		}
		e.zones[f] = word
		ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("Zone of %s", f.Name), Value: word, Secret: x.Secret})
		return "", false, true
	}
	return "", false, false
}

// ruleDose is a roll against poison as ruled: the roll's modifier, what it comes to,
// and what it takes (7.7).
func (e *engine) ruleDose(ev *game.Event, row *poisonRow, constitution, roll, streak int) (newStreak, loss int, over bool) {
	newStreak, loss, over = e.resists(row, constitution+e.ruleDie(ev, 0), roll, streak)
	switch word, _ := e.rulings.EventWord(ev.Ref, "resists", "suffers", "cured"); word {
	case "resists":
		newStreak, loss, over = e.resists(row, 1000, 10, streak)
	case "suffers":
		newStreak, loss, over = e.resists(row, -1000, 10, streak)
	case "cured":
		newStreak, loss, over = streak+1, 0, true
	}
	if v, ok := e.rulings.EventNumber(ev.Ref, "loss"); ok {
		loss = max(0, v)
	}
	return newStreak, loss, over
}
