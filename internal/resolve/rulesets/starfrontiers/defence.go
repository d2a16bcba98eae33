package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// defenceRow is one row of 14.2.
type defenceRow struct {
	ID         game.ID  `toml:"id"`
	Name       string   `toml:"name"`
	Class      string   `toml:"class"` // screen, suit, implant, gear
	Stops      []string `toml:"stops"`
	Halves     []string `toml:"halves"`
	Tireless   []string `toml:"tireless"`
	HalfIf     []string `toml:"half_if"`
	SEUPoints  int      `toml:"seu_points"`
	SEUHit     int      `toml:"seu_hit"`
	SEUMinute  int      `toml:"seu_minute"`
	Pack       int      `toml:"pack"`
	Don        int      `toml:"don"`
	Capacity   int      `toml:"capacity"`
	NoScreen   bool     `toml:"no_screen"`
	SeesSmoke  bool     `toml:"sees_smoke"`
	Source     string   `toml:"source"`
	Unverified []string `toml:"unverified"`
}

// attackTypes are the keys of 14.2.
var attackTypes = []string{
	"laser", "sonic", "electric", "stun_electric", "stun_sonic", "ballistic", "needle", "gyrojet", "fragment", "explosion", "heat", "gas", "web",
	"melee_muscle", "melee_vibro", "melee_electric", "melee_sonic", "bare_hands", "bite_claw", "fall", "poison", "acid",
}

var defenceClasses = []string{"screen", "suit", "implant", "gear"}

// states of a defence by its class; the first is what a sheet that says nothing means.
func defenceStates(class string) []string {
	if class == "screen" {
		return []string{"on", "off", "carried"}
	}
	return []string{"worn", "carried"}
}

// defence finds the row of an item: by its kind, or by its name if the kind says
// no more than a class. Not a defence: nil.
func (t *tables) defence(kind, name string) *defenceRow {
	for i := range t.defences {
		row := &t.defences[i]
		if kind == string(row.ID) || slices.Contains(defenceClasses, kind) && strings.EqualFold(name, row.Name) {
			return row
		}
	}
	return nil
}

// in reports that a defence is in use: a worn suit, a screen that is on. A suit
// that is worn out and a screen without power protect from nothing (14.1).
func (it *Item) protects(row *defenceRow) bool {
	switch row.Class {
	case "screen":
		return it.State == "on" && it.Left > 0
	case "suit":
		return it.State == "worn" && (row.Capacity == 0 || it.Left > 0)
	}
	return it.State == "worn"
}

// guard is a defence that stands in an attack's way.
type guard struct {
	row  *defenceRow
	it   *Item
	half bool
}

// guards are those of somebody against a type of attack: the screen, the suit,
// then implants and gear (14.4).
func (t *tables) guards(f *Fighter, kind string, setting func(string) string) []guard {
	noScreen := false
	for i := range f.Items {
		if row := t.defence(f.Items[i].Kind, f.Items[i].Name); row != nil && row.NoScreen && f.Items[i].protects(row) {
			noScreen = true
		}
	}
	var out []guard
	for _, class := range defenceClasses {
		for i := range f.Items {
			it := &f.Items[i]
			row := t.defence(it.Kind, it.Name)
			if row == nil || row.Class != class || !it.protects(row) || class == "screen" && noScreen {
				continue
			}
			stops := slices.Contains(row.Stops, kind)
			if !stops && !slices.Contains(row.Halves, kind) {
				continue
			}
			weak := len(row.HalfIf) == 2 && setting(row.HalfIf[0]) == row.HalfIf[1]
			out = append(out, guard{row, it, !stops || weak})
			if class == "screen" || class == "suit" {
				break // one of each is worn
			}
		}
	}
	return out
}

// absorb is what a guard takes off d points with so much SEU or capacity left,
// and what that costs it (14.4). up: halves are rounded for the attacker.
func (g guard) absorb(d, left int, kind string, up bool) (absorbed, cost int) {
	if d <= 0 {
		return 0, 0
	}
	want := d
	if g.half {
		want = d - halved(d, up)
	}
	switch {
	case g.row.Class == "screen" && g.row.SEUPoints > 0:
		cost = min((want+g.row.SEUPoints-1)/g.row.SEUPoints, left)
		return min(want, g.row.SEUPoints*cost), cost
	case g.row.Class == "screen":
		if left < g.row.SEUHit {
			return 0, 0
		}
		return want, g.row.SEUHit
	case g.row.Capacity > 0 && !slices.Contains(g.row.Tireless, kind):
		absorbed = min(want, left)
		return absorbed, absorbed
	}
	return want, 0
}

// halved is half of so much damage as the victim takes it (0.2).
func halved(d int, up bool) int {
	if up {
		return (d + 1) / 2
	}
	return d / 2
}

// negated tells whether the defences that stop a type of attack would let
// nothing of so many undoubled points through (14.3); it changes nothing.
func negated(guards []guard, d int, kind string, up bool) bool {
	if d <= 0 {
		return false
	}
	for _, g := range guards {
		if !g.half {
			absorbed, _ := g.absorb(d, g.it.Left, kind, up)
			d -= absorbed
		}
	}
	return d == 0
}

// defend takes off what screens and suits absorb, and gives what gets through.
// What they are and what is left of them is for the GM alone.
func (e *engine) defend(ev *game.Event, t *Fighter, kind string, d int) int {
	up := e.halvesUp()
	for _, g := range e.ruledGuards(ev.Ref, e.guards(t, kind, e.w.setting)) {
		absorbed, cost := g.absorb(d, g.it.Left, kind, up)
		if absorbed == 0 && cost == 0 {
			continue
		}
		d -= absorbed
		value := "stops " + strconv.Itoa(absorbed)
		field, unit := "CAPACITY", "points"
		if g.row.Class == "screen" {
			field, unit = "SEU", "SEU"
		}
		if cost > 0 {
			ev.Changes = append(ev.Changes, changed(t.ID, field, strconv.Itoa(g.it.Left), strconv.Itoa(g.it.Left-cost)))
			g.it.Left -= cost
			t.drained(g.it)
			value += fmt.Sprintf(" for %d %s, %d left", cost, unit, g.it.Left)
		}
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(g.row.Name), Value: value, Secret: true})
		for _, cell := range g.row.Unverified {
			ev.Unverified = append(ev.Unverified, g.row.Name+": "+cell)
		}
		e.spent(ev, t, g)
	}
	return d
}

// spent switches off a screen without power.
func (e *engine) spent(ev *game.Event, t *Fighter, g guard) {
	if g.it.Left > 0 || g.row.Class != "screen" {
		return
	}
	g.it.State = "off"
	ev.Changes = append(ev.Changes, changed(t.ID, "SCREEN", "on", "off"))
	ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(g.row.Name), Value: "out of power, off", Secret: true})
}

func (e *engine) halvesUp() bool { return e.w.setting("damage_halving_round") == "up" }

// screen finds the screen that an order to switch something means: the one
// named, or the only one.
func (c *checker) screen(in game.Intent) *Item {
	if in.Item != "" {
		if it := c.me.item(in.Item); it != nil && c.t.class(it) == "screen" {
			return it
		}
		return nil
	}
	if in.State == "" {
		return nil
	}
	var only *Item
	for i := range c.me.Items {
		if it := &c.me.Items[i]; c.t.class(it) == "screen" {
			if only != nil {
				return nil
			}
			only = it
		}
	}
	return only
}

func (t *tables) class(it *Item) string {
	if row := t.defence(it.Kind, it.Name); row != nil {
		return row.Class
	}
	return ""
}

// setScreen checks switching a worn screen, which is free (14.1).
func (c *checker) setScreen(in game.Intent, it *Item) []game.Intent {
	in.Item, in.Wait, in.Mode, in.Setting = it.ID, 0, "", game.Setting{}
	switch {
	case in.State != "on" && in.State != "off":
		c.add(game.Wrong, "illegal_option", "A screen is on or off.", "write turn on or turn off")
		return nil
	case it.State != "on" && it.State != "off":
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s is %s.", it.Name, it.State), "leave it out")
		return nil
	case in.State == "on" && it.Left < 1:
		c.add(game.Wrong, "empty_weapon", "The "+it.Name+" has no power left.", "leave it out")
		return nil
	}
	return []game.Intent{in}
}

// switchScreen turns a screen on or off; another one that is on goes off.
func (e *engine) switchScreen(s *state, in game.Intent, it *Item, ref string) {
	ev := e.event(ref, s.f, "set", "done")
	ev.Rule = "14.1"
	if it.State != "on" && it.State != "off" || in.State == "on" && it.Left < 1 {
		e.fail(s, ev, "no_power", fmt.Sprintf("%s cannot switch the %s.", s.f.Name, it.Name))
		return
	}
	for i := range s.f.Items {
		if o := &s.f.Items[i]; in.State == "on" && o != it && o.State == "on" {
			o.State = "off"
			ev.Changes = append(ev.Changes, changed(s.f.ID, "SCREEN", o.Name+" on", o.Name+" off"))
		}
	}
	ev.Changes = append(ev.Changes, changed(s.f.ID, "SCREEN", it.Name+" "+it.State, it.Name+" "+in.State))
	if it.State != in.State {
		it.Since = e.w.Played
	}
	it.State = in.State
	private(ev, fmt.Sprintf("%s turns the %s %s.", s.f.Name, it.Name, in.State))
	e.emit(ev)
}
