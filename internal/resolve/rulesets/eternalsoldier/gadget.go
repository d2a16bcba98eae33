package eternalsoldier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// field is a field that somebody wears; nil for another thing.
func (f *Fighter) field(id game.ID) *Armor {
	if slices.ContainsFunc(f.Items, func(it Item) bool { return it.ID == id }) || f.weapon(id) != nil {
		return nil
	}
	return find(f.Armor, func(a *Armor) bool { return a.Kind == id })
}

func onOrOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// switches begins to turn a field on or off (8.1, 11); it takes its class.
func (e *engine) switches(f *Fighter, in game.Intent) progress {
	ar := f.field(in.Item)
	if ar == nil || in.State != "on" && in.State != "off" {
		return passed
	}
	row := e.armor(ar.Kind)
	switch {
	case row == nil || !row.Field:
		e.impossible(f, in, "illegal_option", f.Name+" has no field of that kind.")
		return passed
	case ar.Off == (in.State == "off"):
		e.impossible(f, in, "done_already", fmt.Sprintf("The %s is %s already.", row.Name, in.State))
		return passed
	}
	use := e.action("use")
	e.begin(f, Activity{Kind: use.ID, Name: "turn " + in.State + " the " + row.Name, Item: ar.Kind, State: in.State}, use.Class, "turns "+in.State+" the "+row.Name, "", use.guess())
	e.next(f)
	return busy
}

// switched is a field that is on or off from now on.
func (e *engine) switched(f *Fighter, ar *Armor, state string, ev *game.Event) string {
	ev.Changes = append(ev.Changes, changed(f.ID, "FIELD", onOrOff(!ar.Off), state))
	ar.Off = state == "off"
	return fmt.Sprintf("%s has the %s %s.", f.Name, e.armor(ar.Kind).Name, state)
}

// coated is what a blade is that gets a poison.
const coated = "coated"

// poisonNamed is the row of a type of poison as an item names it.
func (t *tables) poisonNamed(name string) *poisonRow {
	return find(t.Poison, func(p *poisonRow) bool { return strings.EqualFold(p.ID, name) })
}

// coats begins to put a poison on a weapon (7.7, 11): an item of the kind poison,
// whose effect is its type.
func (e *engine) coats(f *Fighter, in game.Intent, it *Item) progress {
	wp := f.weapon(in.On.ID)
	row := e.action("use")
	switch {
	case e.poisonNamed(it.Note) == nil:
		e.impossible(f, in, "illegal_option", fmt.Sprintf("Of the %s it is not known what poison it is.", it.Name))
		return passed
	case it.Count < 1:
		e.impossible(f, in, "out_of_ammunition", fmt.Sprintf("Nothing is left of the %s.", it.Name))
		return passed
	case wp.State == "on_ground" || wp.Broken:
		e.impossible(f, in, "out_of_reach", fmt.Sprintf("%s does not have the %s at hand.", f.Name, wp.Name))
		return passed
	}
	e.begin(f, Activity{Kind: row.ID, Name: "put the " + it.Name + " on the " + wp.Name, Item: it.ID, On: wp.ID, State: coated}, row.Class, "puts something on the "+wp.Name, "", row.guess())
	e.next(f)
	return busy
}

// hasCoated is a weapon that has its poison; "" when one of the two is gone.
func (e *engine) hasCoated(f *Fighter, a *Activity, ev *game.Event) string {
	wp := f.weapon(a.On)
	it := find(f.Items, func(it *Item) bool { return it.ID == a.Item && it.Count > 0 })
	if wp == nil || it == nil || wp.State == "on_ground" || e.poisonNamed(it.Note) == nil {
		return ""
	}
	it.Count--
	kind := e.poisonNamed(it.Note).ID
	ev.Changes = append(ev.Changes, changed(f.ID, "COATED", wp.Poison, kind))
	wp.Poison = kind
	return fmt.Sprintf("%s has put something on the %s.", f.Name, wp.Name)
}
