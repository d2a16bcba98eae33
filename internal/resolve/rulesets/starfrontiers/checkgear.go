package starfrontiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// fire checks a shot or a series of shots.
func (c *checker) fire(in game.Intent) []game.Intent {
	wp := c.weapon(in.Weapon)
	if wp == nil {
		return nil
	}
	row := c.row(wp)
	in.Weapon = wp.ID
	switch {
	case row.launches():
		return c.launch(in)
	case row.bursts() && (in.Mode == "burst" || in.Mode == "" && c.modeOf(wp) == "burst"):
		return c.burst(in)
	case !shoots(row):
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("Single shots with the %s are not possible.", wp.Name), "use another weapon")
		return nil
	}
	if !c.fit(wp, row) {
		return nil
	}
	if !c.mode(&in, wp, row) || !c.target(in.Target) || !c.programmed(in.Target) {
		return nil
	}
	if in.Target.IsZero() {
		in.Target = game.To(game.Trigger)
	}
	c.draws(wp)
	if p := c.sc.pick(in.Target.ID, ""); p != nil && !c.moved && !c.reacting && p.seen {
		m := c.sc.g.metres(c.sc.at, p.at)
		if _, ok := wp.band(row, m); !ok {
			c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; the %s reaches %d m.", p.name, m, wp.Name, wp.reach(row)), "move closer, or use another weapon")
			return nil
		}
	}
	if in.Until != nil && !c.condition(*in.Until, false) {
		in.Until = nil
	}
	if in.Shots < 0 {
		in.Shots = 1
	}
	if in.Aim && in.Shots > 1 {
		c.add(game.Noted, "too_many_actions", "Careful aim is for one shot.", "one aimed shot is fired")
		in.Shots = 1
	}
	if in.Shots == 0 {
		in.Shots = 1
		if wp.Rate > 1 && !in.Aim && !c.reacting {
			c.ask("shots", fmt.Sprintf("How many shots with the %s? Up to %d are possible.", wp.Name, wp.Rate), "one shot is fired if nothing else is written")
		}
	}
	if in.OnShort != "" && in.OnShort != "refuse" && in.OnShort != "use_left" {
		in.OnShort = ""
	}
	before := c.switched(&in, wp, row)
	return append(before, c.dial(in, wp, row)...)
}

// unusable says why a weapon is of no use.
func (c *checker) unusable(wp *Weapon) string {
	if wp.Broken {
		return "The " + wp.Name + " is broken."
	}
	return "With that arm " + c.v.Self.Name + " cannot use the " + wp.Name + "."
}

// switched puts a change between stun and damage before the shots (17.5: as a dial).
func (c *checker) switched(in *game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	now := c.modeOf(wp)
	if row.Stun == "" || in.Mode == "" || in.Mode == now {
		return nil
	}
	got := c.setMode(game.Intent{Verb: "set", Item: wp.ID, Mode: in.Mode, At: in.At, Round: in.Round}, wp, row)
	if len(got) == 0 {
		in.Mode = now
	}
	return got
}

func (c *checker) modeOf(wp *Weapon) string {
	if m, ok := c.modes[wp.ID]; ok {
		return m
	}
	return wp.Mode
}

// setMode checks a change of mode and says what it costs.
func (c *checker) setMode(in game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	in.Wait, in.Setting = 0, game.Setting{}
	if in.Mode == c.modeOf(wp) {
		return []game.Intent{in}
	}
	if row.Stun != "" {
		cost, ok := dialCost(c.setting("dial_rule"), c.me.Skills[row.Group], c.changed, c.begun)
		if !ok {
			c.add(game.Wrong, "setting", "A weapon can only be switched at the beginning of a turn.", "it stays on "+c.modeOf(wp))
			return nil
		}
		if cost > 0 {
			c.add(game.Noted, "setting", fmt.Sprintf("Switching the %s to %s takes the place of one attack.", wp.Name, in.Mode), "")
		}
		in.Wait = cost
		c.changed++
	}
	c.modes[wp.ID] = in.Mode
	return []game.Intent{in}
}

// mode checks the mode and the ammunition of a shot.
func (c *checker) mode(in *game.Intent, wp *Weapon, row *weaponRow) bool {
	mode := in.Mode
	if mode == "" {
		mode = c.modeOf(wp)
	}
	if mode != "" && len(row.Modes) > 0 {
		if !slices.Contains(row.Modes, mode) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, mode), "modes: "+strings.Join(row.Modes, ", "))
			return false
		}
		in.Mode = mode
	} else if mode != "" && mode != "single" {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, mode), "leave the mode out")
		return false
	}
	if in.Ammo != "" && len(row.Ammo) > 0 && in.Ammo != wp.Ammo {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s is loaded with %s.", wp.Name, wp.Ammo), "reload it first, or fire what is in it")
		return false
	}
	return true
}

// dial puts a change of setting before the shots (9.3).
func (c *checker) dial(in game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	if !row.PerSEU || in.Setting.IsZero() {
		in.Setting = game.Setting{}
		return []game.Intent{in}
	}
	n := in.Setting.N
	if in.Setting.Max {
		n = wp.DialMax
	}
	in.Setting = game.Setting{}
	now, ok := c.dials[wp.ID]
	if !ok {
		now = wp.Dial
	}
	set := game.Intent{Verb: "set", Item: wp.ID, Setting: game.Setting{N: n}, At: in.At, Round: in.Round}
	before := c.setDial(set, wp, row)
	if len(before) == 0 && n != now {
		c.add(game.Noted, "setting", fmt.Sprintf("The dial of the %s stays at %d.", wp.Name, now), "")
	}
	c.begun = true
	return append(before, in)
}

// setDial checks one change of a dial and says what it costs.
func (c *checker) setDial(in game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	n := in.Setting.N
	if in.Setting.Max {
		n = wp.DialMax
	}
	if n < row.DialMin || n > wp.DialMax {
		c.ask("setting", fmt.Sprintf("The dial of the %s goes from %d to %d.", wp.Name, row.DialMin, wp.DialMax), "the dial stays as it is")
		return nil
	}
	now, ok := c.dials[wp.ID]
	if !ok {
		now = wp.Dial
	}
	if n == now {
		return nil
	}
	cost, ok := dialCost(c.setting("dial_rule"), c.me.Skills[row.Group], c.changed, c.begun)
	if !ok {
		c.add(game.Wrong, "setting", "The dial can only be changed at the beginning of a turn.", "the dial stays as it is")
		return nil
	}
	if c.me.Level > 0 && c.setting("dial_rule") != "book" {
		cost = 0 // a robot sets its own weapon
	}
	if cost > 0 {
		c.add(game.Noted, "setting", fmt.Sprintf("Setting the %s to %d takes the place of one attack.", wp.Name, n), "")
	}
	c.changed++
	c.dials[wp.ID] = n
	in.Setting, in.Item, in.Wait = game.Setting{N: n}, wp.ID, cost
	return []game.Intent{in}
}

func (c *checker) set(in game.Intent) []game.Intent {
	if it := c.screen(in); it != nil {
		return c.setScreen(in, it)
	}
	wp := c.me.weapon(in.Item)
	if in.Item == "" {
		wp = c.me.gun(c.t)
	}
	if wp == nil {
		c.add(game.Wrong, "illegal_option", "The rules of this system are not built for setting that yet.", "only dials and modes of weapons can be set")
		return nil
	}
	row := c.row(wp)
	in.Item, in.Wait = wp.ID, 0
	if in.Mode != "" {
		if !slices.Contains(row.Modes, in.Mode) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, in.Mode), "leave it out")
			return nil
		}
		return c.setMode(in, wp, row)
	}
	if !row.PerSEU || in.Setting.IsZero() {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no dial.", wp.Name), "leave it out")
		return nil
	}
	return c.setDial(in, wp, row)
}

func (c *checker) ready(in game.Intent) []game.Intent {
	wp := c.me.weapon(in.Item)
	if in.Item == "" {
		for i := range c.me.Weapons {
			w := &c.me.Weapons[i]
			if (in.Action == "draw" || in.Action == "") && w.holstered() || in.Action == "pick_up" && w.State == "on_ground" || (in.Action == "holster" || in.Action == "drop") && w.inHand() {
				wp = w
				break
			}
		}
	}
	if wp == nil {
		c.add(game.Wrong, "unknown_weapon", "There is no such weapon to get ready.", "name one of the sheet")
		return nil
	}
	in.Item = wp.ID
	switch in.Action {
	case "", "swap":
		in.Action = "draw"
	case "draw", "holster", "drop", "pick_up":
	default:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q is nothing one can do with a weapon.", in.Action), "write draw, holster, drop or pick up")
		return nil
	}
	switch {
	case in.Action == "draw" && wp.State == "on_ground":
		in.Action = "pick_up"
	case in.Action == "draw" && wp.inHand():
		return nil
	case in.Action == "pick_up" && wp.State != "on_ground":
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" does not lie on the ground.", "leave it out")
		return nil
	}
	if in.Action == "draw" && !c.drawn {
		c.drawn = true
		c.add(game.Noted, "draw", fmt.Sprintf("Drawing the %s costs %d on initiative.", wp.Name, -c.t.Initiative.Holster), "")
	}
	return []game.Intent{in}
}

func (c *checker) reload(in game.Intent) []game.Intent {
	if in.Weapon == "" {
		in.Weapon = c.me.spent(c.t, in.Ammo)
	}
	wp := c.weapon(in.Weapon)
	if wp == nil {
		return nil
	}
	in.Weapon = wp.ID
	row := c.row(wp)
	switch {
	case wp.Cord != nil:
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" draws on a power pack.", "unplug it to use clips")
		return nil
	case wp.Unready && wp.Left > 0:
		return []game.Intent{in}
	case row.Clip == "" && wp.Every < 2:
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" takes no clip.", "leave it out")
		return nil
	}
	it, ok := c.me.feeds(c.t, wp, in.Ammo)
	if !ok {
		what := "clip"
		if row.Feed != "" {
			what = row.Feed
		}
		c.add(game.Wrong, "empty_weapon", fmt.Sprintf("There is no such %s for the %s on the sheet.", what, wp.Name), "leave it out")
		return nil
	}
	if it != nil && in.Ammo != "" {
		in.Ammo = string(it.ID)
	}
	return []game.Intent{in}
}
