package eternalsoldier

import (
	"fmt"
	"maps"
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
	if x.Kind == game.RuleSet {
		if text, do = w.momentFault(x.Ref); text != "" {
			return text, do
		}
	}
	return resolve.Faults{
		Events: eventFields,
		Rule:   func(x game.Ruling) (string, string) { return r.ruleFault(w, x) },
		Thing:  func(x game.Ruling) (string, string) { return r.thingFault(w, x) },
		Square: func(name string) (string, string) { return resolve.SquareFault(name, w.Width, w.Height) },
		Figure: func(x game.Ruling, field, value string) (string, string) {
			f := w.fighter(x.Who)
			if f == nil {
				return "", ""
			}
			return r.figureFault(w, f, field, value, x.Ref)
		},
	}.Of(events, x)
}

// momentFault: what is over is over.
func (w *World) momentFault(ref string) (text, do string) {
	n, err := strconv.Atoi(strings.TrimPrefix(ref, "@"))
	if err != nil || !strings.HasPrefix(ref, "@") || n >= w.Segment {
		return "", ""
	}
	return fmt.Sprintf("Segment %d is over: this turn begins with segment %d.", n, w.Segment), fmt.Sprintf("Write a segment from %d on.", w.Segment)
}

// ruleFault tries a value of the tables with those that the game has.
func (r *Ruleset) ruleFault(w *World, x game.Ruling) (text, do string) {
	path, cell := cellPath(x.Field)
	if !cell {
		return r.t.settings.Fault(x.Field)
	}
	house := maps.Clone(w.House)
	if house == nil {
		house = map[string]string{}
	}
	house[path] = cellOf(x.Value)
	if _, err := r.replaced(house); err != nil {
		return "This is no value of the tables: " + err.Error() + ".", "Write file, table, row and column, as the game file does: GAME tables.arms.weapon.long_sword.damage 2d10"
	}
	return "", ""
}

func (r *Ruleset) thingFault(w *World, x game.Ruling) (text, do string) {
	if text, do = resolve.ThingFault(w.Features, w.Width, w.Height, x); text != "" {
		return text, do
	}
	_, made := w.Sections[x.Who]
	if field := strings.ToUpper(x.Field); !made && (field == "HITS" || field == "THICKNESS") {
		return fmt.Sprintf("Of what %s is made is not known.", x.Who), fmt.Sprintf("Write %s MATERIAL wood first, or GONE yes.", strings.ToUpper(string(x.Who)))
	}
	return "", ""
}

// figureFault tells what somebody's sheet has against a figure.
func (r *Ruleset) figureFault(w *World, f *Fighter, field, value, ref string) (text, do string) {
	k := rules{r.at(w.House), w.Settings}
	a, _ := (&engine{rules: k, w: w}).held(f)
	n, _ := strconv.Atoi(value)
	switch field {
	case "HP":
		if n > f.HPMax {
			return fmt.Sprintf("%s has at most %s.", f.Name, plural(f.HPMax, "hit point")), fmt.Sprintf("Write a number up to %d, or set HPMAX first.", f.HPMax)
		}
	case "SUFF":
		if n > f.SuffMax {
			return fmt.Sprintf("%s has at most %s.", f.Name, plural(f.SuffMax, "suffocation point")), fmt.Sprintf("Write a number up to %d.", f.SuffMax)
		}
	case "HURT", "FALL", "COLLIDE":
		if strings.HasSuffix(ref, ".w") || strings.Contains(ref, ".w.") {
			return "A will roll comes behind all harm of its segment.", "Set it before the blow, or AT SEGMENT and a number."
		}
	case "STATUS":
		if value == faltering && f.HP > 0 && ref == "" {
			return fmt.Sprintf("%s has %s: who falters has none left.", f.Name, plural(f.HP, "hit point")), "Set HP first, or write STATUS able."
		}
	case "AT":
		return resolve.SquareFault(value, w.Width, w.Height)
	case "SEEN_BY", "HELD_BY":
		if game.ID(value) == f.ID {
			return f.Name + " cannot be that of himself.", "Name somebody else."
		}
	case "AMMO", "COATED", "SPEED_CLASS":
		switch {
		case a.bare || a.Weapon == nil:
			return f.Name + " has no weapon in hand.", "Write DRAWN and a weapon first."
		case field == "AMMO" && a.Full == 0:
			return fmt.Sprintf("The %s holds no rounds.", a.Name), "Leave it out."
		case field == "AMMO" && n > a.Full:
			return fmt.Sprintf("The %s holds %d.", a.Name, a.Full), fmt.Sprintf("Write a number from 0 to %d.", a.Full)
		}
	case "RELOAD_CLASS":
		if a.bare || a.Weapon == nil || a.reload() == 0 {
			return f.Name + " has nothing in hand that is loaded.", "Leave it out."
		}
	case "DRAW_CLASS":
		if len(f.Weapons) == 0 {
			return f.Name + " has no weapon.", "Leave it out."
		}
	case "CARRIES":
		if !slices.ContainsFunc(f.Items, func(it Item) bool { return it.Kind == "ammo" }) {
			return f.Name + " carries no ammunition.", "Set AMMO instead."
		}
	case "DRAWN", "STOWED", "DROPPED", "BROKEN", "MENDED", "STUCK", "FREED":
		if !slices.ContainsFunc(f.Weapons, func(wp Weapon) bool {
			return strings.EqualFold(wp.Name, value) || strings.EqualFold(string(wp.ID), value)
		}) {
			var names []string
			for i := range f.Weapons {
				names = append(names, f.Weapons[i].Name)
			}
			if names == nil {
				return f.Name + " has no weapon.", "Leave it out."
			}
			return fmt.Sprintf("%s has no %s.", f.Name, value), "Name one of his: " + strings.Join(names, ", ") + "."
		}
	case "WEAR":
		if !slices.ContainsFunc(f.Armor, func(ar Armor) bool { row := k.armor(ar.Kind); return row != nil && row.Wears }) {
			return f.Name + " wears nothing that burns away.", "Leave it out."
		}
	case "ZONE":
		if !strings.Contains(ref, "/") {
			return "It is not said of which explosion.", fmt.Sprintf("Write %s ZONE %s AT EVENT 7, with the number of the throw.", strings.ToUpper(string(f.ID)), value)
		}
	}
	return "", ""
}
