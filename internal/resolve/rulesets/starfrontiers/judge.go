package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

var _ resolve.Judge = (*Ruleset)(nil)

// Fault implements resolve.Judge: what of a ruling cannot come to bear in this
// encounter, whatever happens in the turn.
func (r *Ruleset) Fault(gw game.World, events []game.Event, x game.Ruling) (text, do string) {
	w, ok := gw.(*World)
	if !ok {
		return "", ""
	}
	return resolve.Faults{
		Events: eventFields,
		Rule:   func(x game.Ruling) (string, string) { return w.ruleFault(r.t, x) },
		Thing:  func(x game.Ruling) (string, string) { return resolve.ThingFault(w.Features, w.Width, w.Height, x) },
		Square: w.squareFault,
		Figure: func(x game.Ruling, field, value string) (string, string) {
			f := w.fighter(x.Who)
			if f == nil {
				return "", ""
			}
			return w.figureFault(r.t, f, field, value, x.Ref)
		},
	}.Of(events, x)
}

func (w *World) ruleFault(t *tables, x game.Ruling) (text, do string) {
	if row := t.settings.Find(x.Field); row != nil && w.Stage != nil && slices.Contains(openingSettings, row.Key) {
		return "The turn has begun: " + row.Key + " cannot change before the next.", "Rule it when the next turn is closed."
	}
	return t.settings.Fault(x.Field)
}

func (w *World) squareFault(name string) (text, do string) {
	return resolve.SquareFault(name, w.Width, w.Height)
}

// figureFault tells what somebody's sheet has against a figure.
func (w *World) figureFault(t *tables, f *Fighter, field, value, ref string) (text, do string) {
	n, _ := strconv.Atoi(value)
	foe := func() (string, string) {
		if f.Player != "" {
			return fmt.Sprintf("%s is a player's character, and %s is for your own.", f.Name, field), "Name one of your own combatants."
		}
		return "", ""
	}
	if tooLate(field, ref) {
		return field + " is settled when the turn begins.", "Leave AT EVENT out."
	}
	switch field {
	case "STA":
		if n > f.STA {
			return fmt.Sprintf("The Stamina of %s is %d.", f.Name, f.STA), fmt.Sprintf("Write a number from -100 to %d.", f.STA)
		}
	case "AT", "DROPPED":
		return w.squareFault(value)
	case "DIAL", "AMMO", "CLIPS", "RATE":
		return f.gunFault(t, field, n)
	case "SCREEN", "SEU":
		if !slices.ContainsFunc(f.Items, func(it Item) bool { return t.class(&it) == "screen" && it.State != "carried" }) {
			return f.Name + " wears no screen.", "Leave it out."
		}
	case "CAPACITY":
		if !slices.ContainsFunc(f.Items, func(it Item) bool { return t.class(&it) == "suit" && it.State == "worn" }) {
			return f.Name + " wears no suit.", "Leave it out."
		}
	case "GROUP":
		if text, do = foe(); text == "" {
			if with := w.fighter(game.ID(value)); with == nil || with.Player != "" {
				return fmt.Sprintf("%s rolls for himself.", value), "Name one of your own combatants; his own name lets him roll alone."
			}
		}
		return text, do
	case "POLICY", "FLEE", "PROTECT":
		return foe()
	case "SHOWN", "VEILED", "KNOWN", "MASKED":
		if game.ID(value) == f.ID {
			return f.Name + " knows of himself.", "Name somebody else."
		}
	case "REACTS":
		if ref == "" {
			return "It is not said to what " + f.Name + " reacts.", fmt.Sprintf("Write %s REACTS %s AT EVENT 7, with the number of the deed.", strings.ToUpper(string(f.ID)), value)
		}
	case "SURPRISE", "NOTICE":
		if w.Stage != nil {
			return "Who notices what is settled in this turn.", fmt.Sprintf("Write %s SURPRISED yes, or no.", strings.ToUpper(string(f.ID)))
		}
	}
	return "", ""
}

// gunFault tells what every firearm that somebody has in hand, or may have drawn
// by then, has against a figure.
func (f *Fighter) gunFault(t *tables, field string, n int) (text, do string) {
	text, do = f.Name+" has no firearm.", "Leave it out."
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		row := t.weapon(wp.Kind)
		if !shoots(row) {
			continue
		}
		switch {
		case field == "DIAL" && !row.PerSEU:
			text, do = "The "+wp.Name+" has no dial.", "Leave it out."
		case field == "DIAL" && (n < row.DialMin || n > wp.DialMax):
			text, do = fmt.Sprintf("The dial of the %s goes from %d to %d.", wp.Name, row.DialMin, wp.DialMax), "Write a number of these."
		case field == "AMMO" && n > wp.Full:
			text, do = fmt.Sprintf("The %s holds %d.", wp.Name, wp.Full), fmt.Sprintf("Write a number from 0 to %d.", wp.Full)
		case field == "CLIPS" && !slices.ContainsFunc(f.Items, func(it Item) bool { return t.feeding(wp, &it) }):
			text, do = fmt.Sprintf("%s carries nothing that loads the %s.", f.Name, wp.Name), "Set AMMO instead."
		default:
			return "", ""
		}
	}
	return text, do
}
