package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// poisonEffects are what a poison may take: hit points, tens of suffocation
// points, or a point of an attribute (7.7).
var poisonEffects = []string{"hp", "suffocation", "agility", "str", "dex", "con", "int", "will"}

// poisoned makes the rolls against poison that are due, and gives back what poisons
// that are over took (7.7).
func (e *engine) poisoned(f *Fighter) {
	for i := 0; i < len(f.Poisons) && f.Status != dead; {
		p := &f.Poisons[i]
		switch row := e.poison(p.Type); {
		case row == nil:
		case e.now < p.Due:
			i++
			continue
		default:
			p.Due = e.now + row.Every
			if !e.resistsPoison(f, p, row) {
				i++
				continue
			}
		}
		f.Poisons = slices.Delete(f.Poisons, i, i+1)
	}
	for i := 0; i < len(f.Mending); {
		m := &f.Mending[i]
		if e.now < m.Due {
			i++
			continue
		}
		if m.Due = e.now + m.Every; !e.mends(f, m) {
			i++
			continue
		}
		f.Mending = slices.Delete(f.Mending, i, i+1)
	}
	f.Poisons, f.Mending = orNil(f.Poisons), orNil(f.Mending)
}

// orNil makes nothing of an empty list, as JSON does.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// resistsPoison makes one roll against a poison, and reports that it is thrown off.
func (e *engine) resistsPoison(f *Fighter, p *Poison, row *poisonRow) (over bool) {
	ev := e.event(e.ref(f, ".p"), f, "poison", "resisted", "7.7")
	roll := e.roll(ev, "poison", f.ID, e.when(), 20)
	streak, loss, over := e.ruleDose(ev, row, f.CON, roll, p.Streak)
	p.Streak = streak
	ev.Lines = append(ev.Lines, game.Line{Label: "Constitution", Value: strconv.Itoa(f.CON)})
	if row.Modifier != 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "Poison " + row.ID, Value: fmt.Sprintf("%+d", row.Modifier)})
	}
	ev.Lines = append(ev.Lines, game.Line{Label: "D20", Value: strconv.Itoa(roll)})
	ev.Numbers["roll"], ev.Numbers["loss"], ev.Numbers["streak"] = roll, loss, streak
	text := f.Name + " resists the poison."
	if loss > 0 {
		ev.Outcome = "suffers"
		text = e.ails(f, p, row, loss, ev)
	}
	if over {
		ev.Outcome = "cured"
		text = f.Name + " has thrown off the poison."
		if p.Taken > 0 {
			f.Mending = append(f.Mending, Mend{Effect: row.Effect, Points: p.Taken, Every: row.Every, Due: p.Due})
			ev.Unverified = append(ev.Unverified, "points of an attribute lost to poison: one comes back each save-rate period")
		}
	}
	private(ev, text)
	e.emit(ev)
	return over
}

// ails takes what a poison takes.
func (e *engine) ails(f *Fighter, p *Poison, row *poisonRow, loss int, ev *game.Event) string {
	change := func(field string, from, to int) {
		ev.Changes = append(ev.Changes, changed(f.ID, field, strconv.Itoa(from), strconv.Itoa(to)))
	}
	switch row.Effect {
	case "suffocation":
		change("SUFF", f.Suff, f.Suff-loss)
		f.Suff -= loss
		return fmt.Sprintf("%s gasps: %d suffocation points lost to the poison.", f.Name, loss)
	case "hp":
		change("HP", f.HP, f.HP-loss)
		f.HP -= loss
		return fmt.Sprintf("The poison takes %s from %s.", plural(loss, "hit point"), f.Name)
	case "agility":
		was := e.agile(f)
		f.Lame += loss
		p.Taken += loss
		change("AGI", was, e.agile(f))
		if e.agile(f) == 0 {
			e.stopsAll(f, ev.Ref)
			return f.Name + " cannot move at all any more: agility is 0."
		}
		return fmt.Sprintf("%s stiffens: agility is %d.", f.Name, e.agile(f))
	}
	a, name := f.attribute(row.Effect)
	loss = min(loss, *a)
	change(name, *a, *a-loss)
	*a -= loss
	p.Taken += loss
	return fmt.Sprintf("The poison weakens %s: %s is %d.", f.Name, name, *a)
}

// attribute is one of the attributes that a poison may take, and its name on a sheet.
func (f *Fighter) attribute(effect string) (*int, string) {
	switch effect {
	case "str":
		return &f.STR, "STR"
	case "dex":
		return &f.DEX, "DEX"
	case "con":
		return &f.CON, "CON"
	case "int":
		return &f.INT, "INT"
	}
	return &f.WILL, "WILL"
}

// mends gives one point back, and reports that it was the last.
func (e *engine) mends(f *Fighter, m *Mend) (over bool) {
	ev := e.event(e.ref(f, ".p"), f, "poison", "mends", "7.7")
	m.Points--
	var name string
	var from, to int
	if m.Effect == "agility" {
		name, from = "AGI", e.agile(f)
		f.Lame = max(0, f.Lame-1)
		to = e.agile(f)
	} else {
		var a *int
		a, name = f.attribute(m.Effect)
		from, to = *a, *a+1
		*a = to
	}
	ev.Changes = append(ev.Changes, changed(f.ID, name, strconv.Itoa(from), strconv.Itoa(to)))
	private(ev, fmt.Sprintf("The poison leaves %s: %s is %d again.", f.Name, name, to))
	e.emit(ev)
	return m.Points <= 0
}

// infect exposes somebody to a poison (7.7).
func (e *engine) infect(f *Fighter, kind string, ev *game.Event) {
	row := e.poison(kind)
	if e.yes("poison_negates") {
		if roll := e.roll(ev, "poison", f.ID, e.when(), 20); e.attribute(f.CON, row.Modifier, roll) {
			ev.Lines = append(ev.Lines, game.Line{Label: "Poison resisted, D20", Value: strconv.Itoa(roll)})
			return
		}
	}
	due := e.now + row.Every
	if e.word("poison_first_roll") == "now" {
		due = e.now + 1
	}
	f.Poisons = append(f.Poisons, Poison{Type: kind, Due: due})
	ev.Changes = append(ev.Changes, changed(f.ID, "POISON", "", kind))
}
