package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// grievousTable is a table of wounds (12.3, 12.4).
type grievousTable struct {
	ID             string         `toml:"id" json:"id,omitempty"`
	Chance         int            `toml:"chance" json:"chance"`
	ChancePerSkill int            `toml:"chance_per_skill" json:"chance_per_skill,omitempty"`
	ClassChance    map[string]int `toml:"class_chance" json:"class_chance,omitempty"`
	Twice          []string       `toml:"twice" json:"twice,omitempty"`
	Wound          []woundRow     `toml:"wound" json:"wound"`
}

type woundRow struct {
	Roll    int         `toml:"roll" json:"roll"`
	Class   string      `toml:"class" json:"class,omitempty"`
	Name    string      `toml:"name" json:"name"`
	Lose    string      `toml:"lose" json:"lose,omitempty"`
	Burn    bool        `toml:"burn" json:"burn,omitempty"`
	Stun    string      `toml:"stun" json:"stun,omitempty"`
	Drop    bool        `toml:"drop" json:"drop,omitempty"`
	Prone   bool        `toml:"prone" json:"prone,omitempty"`
	Gear    bool        `toml:"gear" json:"gear,omitempty"`
	Effects []effectRow `toml:"effects" json:"effects,omitempty"`
}

// effectRow is an Effect as a table writes it.
type effectRow struct {
	Kind   string `toml:"kind" json:"kind"`
	Turns  int    `toml:"turns" json:"turns,omitempty"`
	Points int    `toml:"points" json:"points,omitempty"`
	Mod    int    `toml:"mod" json:"mod,omitempty"`
	Sight  int    `toml:"sight" json:"sight,omitempty"`
	Heal   string `toml:"heal" json:"heal,omitempty"`
}

// woundDie is the die of a table of wounds.
const woundDie = 10

// damageClasses are those of 12.4.
var damageClasses = []string{"puncture", "slash", "crush", "burn", "shock", "blast"}

// heals are what can end a wound (11.7, 11.8, 12.4).
var heals = []string{"first_aid", "minor_surgery", "major_surgery", "splint", "hospital", "solvaway"}

// faults says what is wrong with a table.
func (g *grievousTable) faults() []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if g.Chance < 0 || g.Chance > 100 || g.ChancePerSkill < 0 || g.ChancePerSkill > 100 {
		bad("a chance must be 0 to 100")
	}
	for class, v := range g.ClassChance {
		if !slices.Contains(damageClasses, class) || v < 0 || v > 100 {
			bad("class_chance: %q = %d: needs a damage class and 0 to 100", class, v)
		}
	}
	for _, class := range g.Twice {
		if !slices.Contains(damageClasses, class) {
			bad("twice: %q is not a damage class", class)
		}
	}
	for roll := 1; roll <= woundDie; roll++ {
		if !slices.ContainsFunc(g.Wound, func(w woundRow) bool { return w.Roll == roll && w.Class == "" }) {
			bad("no wound without a class for a roll of %d", roll)
		}
	}
	for _, w := range g.Wound {
		if w.Roll < 1 || w.Roll > woundDie || w.Name == "" || w.Class != "" && !slices.Contains(damageClasses, w.Class) {
			bad("wound %d %q: needs a roll of 1 to %d, a name, and for its class a damage class or none", w.Roll, w.Name, woundDie)
		}
		for _, dice := range []string{w.Lose, w.Stun} {
			if n, err := resolve.ParseNotation(dice); dice != "" && (err != nil || n.Min() < 0) {
				bad("wound %d: %q is not dice", w.Roll, dice)
			}
		}
		for _, x := range w.Effects {
			if !slices.Contains(effectKinds, x.Kind) || x.Turns < 0 || x.Points < 0 || x.Points > 100 || x.Sight < 0 || x.Mod < -1000 || x.Mod > 1000 || x.Heal != "" && !slices.Contains(heals, x.Heal) {
				bad("wound %d: %q is no effect with figures that can be", w.Roll, x.Kind)
			}
		}
	}
	slices.Sort(out)
	return out
}

// wound finds the row of a roll for a damage class.
func (g *grievousTable) wound(roll int, class string) woundRow {
	var out woundRow
	for _, w := range g.Wound {
		if w.Roll == roll && (w.Class == class || w.Class == "" && out.Name == "") {
			out = w
		}
	}
	return out
}

// chance is how probable a wound is, in percent. A setting of the game comes
// before the table.
func (g *grievousTable) chance(setting, class string, skill int) int {
	if n, err := strconv.Atoi(setting); err == nil {
		return n
	}
	v, ok := g.ClassChance[class]
	if !ok {
		v = g.Chance
	}
	return v + g.ChancePerSkill*skill
}

// grievous sees whether there is a wound (12.3), rolls it and does it. A ruling
// on the event chooses it: WOUND 0 is none.
func (e *engine) grievous(ev *game.Event, h harm, look string) string {
	if h.to.machine() || has(h.to.Status, "dead") {
		return look
	}
	class := h.class
	if class == "" {
		class = "crush"
	}
	ruled, given := e.rules.EventNumber(ev.Ref, "wound")
	given = given && ruled >= 0 && ruled <= woundDie
	if given && ruled == 0 {
		return look
	}
	if !given {
		chance := e.wounds.chance(e.w.setting("grievous_chance"), class, h.skill)
		d := e.rules.Roll("grievous/"+h.dice, 100)
		ev.Dice = append(ev.Dice, d)
		ev.Lines = append(ev.Lines, game.Line{Label: "Grievous wound up to " + strconv.Itoa(chance), Value: strconv.Itoa(d.Value)})
		if d.Value > chance {
			return look
		}
	}
	times := 1
	if slices.Contains(e.wounds.Twice, class) && !given {
		times = 2
	}
	for n := 1; n <= times; n++ {
		roll := ruled
		if !given {
			name := "wound/" + h.dice
			if n > 1 {
				name += "#" + strconv.Itoa(n)
			}
			d := e.rules.Roll(name, woundDie)
			ev.Dice = append(ev.Dice, d)
			roll = d.Value
		}
		row := e.wounds.wound(roll, class)
		ev.Lines = append(ev.Lines, game.Line{Label: "Wound " + strconv.Itoa(roll), Value: row.Name})
		look += e.maim(ev, h, row)
		e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
			Ref: ev.Ref, Kind: "grievous_wound",
			Text:    fmt.Sprintf("%s has a grievous wound: %s.", h.to.Name, row.Name),
			Default: "the wound that was rolled",
			Answer:  fmt.Sprintf("%s WOUND 0", h.to.ID),
		})
	}
	return look
}

// maim does a wound and gives what is to be seen of it besides.
func (e *engine) maim(ev *game.Event, h harm, row woundRow) (look string) {
	t := h.to
	note := func(label, value string) {
		ev.Lines = append(ev.Lines, game.Line{Label: label, Value: value, Secret: true})
	}
	if n, err := resolve.ParseNotation(row.Lose); err == nil {
		points := e.rollSum(ev, "dmg", string(t.ID)+"/"+ev.Ref, n)
		note(row.Name, resolve.Signed(-points))
		kind := h.kind
		if row.Burn {
			kind = "heat"
		}
		e.lose(ev, t, points, kind)
	}
	if n, err := resolve.ParseNotation(row.Stun); err == nil {
		turns := e.rollSum(ev, "stunturns", h.dice, n)
		note("Stunned, turns", strconv.Itoa(turns))
		if turns > 0 {
			e.down(ev, t, Effect{Kind: "stunned", Name: row.Name, Turns: turns})
			look = " and drops stunned"
		}
	}
	for _, x := range row.Effects {
		t.add(Effect{Kind: x.Kind, Name: row.Name, Turns: x.Turns, Points: x.Points, Mod: x.Mod, Sight: x.Sight, Heal: x.Heal})
		ev.Changes = append(ev.Changes, changed(t.ID, "WOUND", "", row.Name))
	}
	if row.Drop {
		look += e.letGo(ev, t)
	}
	if row.Prone {
		e.drop(ev, t)
	}
	if row.Gear {
		note(row.Name, e.breakGear(ev, t))
	}
	return look
}

// letGo lets the weapon arm drop what it holds.
func (e *engine) letGo(ev *game.Event, t *Fighter) string {
	for i := range t.Weapons {
		wp := &t.Weapons[i]
		if wp.State != "in_hand" || t.inOther(wp) {
			continue
		}
		place := t.Place
		ev.Changes = append(ev.Changes, changed(t.ID, "WEAPON", wp.Name+" in_hand", wp.Name+" on_ground"))
		wp.State, wp.At = "on_ground", &place
		return " and drops the " + wp.Name
	}
	return ""
}

// breakGear puts the screen in use out of order, or else the weapon in hand;
// the GM may rule otherwise.
func (e *engine) breakGear(ev *game.Event, t *Fighter) string {
	for i := range t.Items {
		it := &t.Items[i]
		if row := e.defence(it.Kind, it.Name); row != nil && row.Class == "screen" && it.State == "on" {
			it.State = "broken"
			ev.Changes = append(ev.Changes, changed(t.ID, "SCREEN", "on", "broken"))
			return "the " + it.Name + " is broken"
		}
	}
	for i := range t.Weapons {
		if wp := &t.Weapons[i]; wp.inHand() {
			wp.Broken = true
			ev.Changes = append(ev.Changes, changed(t.ID, "WEAPON", wp.Name+" "+wp.State, wp.Name+" broken"))
			return "the " + wp.Name + " is broken"
		}
	}
	return "nothing that could break"
}
