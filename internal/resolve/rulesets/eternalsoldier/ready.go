package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// longAgo is the last action of somebody who has been at peace (2.6).
const longAgo = -1000

// strength is what counts for blows: powered armor has its own (1.2).
func (r rules) strength(f *Fighter) int {
	if r.wornBy(f).powered != "" {
		return r.Powered.Strength
	}
	return f.STR
}

// wornBy is what somebody wears, as far as agility goes.
func (r rules) wornBy(f *Fighter) wear {
	w := wear{trained: f.Skills["powered_armor"] != Skill{}}
	for _, a := range f.Armor {
		if row := r.armor(a.Kind); row != nil && !row.Field {
			w.minus += row.Minus
			if row.Powered != "" {
				w.powered = row.Powered
			}
		}
	}
	return w
}

// agile is the effective agility of somebody as he is now (8.2).
func (r rules) agile(f *Fighter) int { return r.agileWith(f, "") }

// agileWith is that for an action with a hand: main, off, both, or none at all. A
// leg that was not set counts while he stands, an arm where it is used (7.5).
func (r rules) agileWith(f *Fighter, hand string) int {
	injuries := 0
	if f.Posture == "stand" {
		injuries = f.Injured
	}
	switch hand {
	case "main":
		injuries += f.InjuredM
	case "off":
		injuries += f.InjuredO
	case "both":
		injuries += max(f.InjuredM, f.InjuredO)
	}
	return r.agility(f.STR, f.AGI+f.DrugAgi, r.wornBy(f), injuries, f.Lame)
}

// percent is a skill in whole percent (3.2); who never learnt it has 0.
func (r rules) percent(f *Fighter, skill string) int { return r.percentWith(f, skill, "") }

// percentWith is a skill as a hand uses it: its aptitude counts the agility of that
// arm.
func (r rules) percentWith(f *Fighter, skill, hand string) int {
	s := f.Skills[skill]
	if row := r.skill(skill); s.Points > 0 && row != nil {
		return floorDiv(row.skillTenths(s.Points, attributes{f.STR, r.agileWith(f, hand), f.DEX}), 10)
	}
	return floorDiv(s.Tenths, 10)
}

// arms is one weapon in one use: as it is swung, fired, thrown, or parried with.
type arms struct {
	*Weapon
	row    *weaponRow // nil for a shield
	shield *shieldRow
	bare   bool
}

// arm puts a weapon and its row together; thrown asks for the use as a missile.
// Bare hands are a weapon that nobody carries.
func (r rules) arm(f *Fighter, id game.ID, thrown bool) (arms, bool) {
	if id == game.BareHands || id == "kick" {
		row := r.weapon(id)
		hand := "main"
		switch {
		case id == "kick":
			hand = ""
		case f.lame("main_arm"):
			hand = "off"
		}
		return arms{Weapon: &Weapon{ID: id, Kind: row.ID, Name: row.Name, State: "in_hand", Hand: hand}, row: row, bare: true}, true
	}
	wp := f.weapon(id)
	if wp == nil {
		return arms{}, false
	}
	if s := r.shield(wp.Kind); s != nil {
		return arms{Weapon: wp, shield: s}, true
	}
	row := r.weapon(wp.Kind)
	if row == nil {
		return arms{}, false
	}
	if thrown && row.Thrown != "" {
		row = r.weapon(row.Thrown)
	} else if !thrown && row.Wielded != "" {
		row = r.weapon(row.Wielded)
	}
	return arms{Weapon: wp, row: row}, true
}

// speed is the class of using it.
func (a arms) speed() int {
	switch {
	case a.Weapon.Speed > 0:
		return a.Weapon.Speed
	case a.shield != nil:
		return a.shield.Speed
	}
	return a.row.Speed
}

// draw is the class of getting it out, of stowing it too (2.4).
func (a arms) draw() int {
	switch {
	case a.Weapon.Draw > 0:
		return a.Weapon.Draw
	case a.shield != nil:
		return a.shield.Draw
	case a.row.Draw > 0:
		return a.row.Draw
	}
	return 1
}

func (a arms) reload() int {
	if a.Weapon.Reload > 0 {
		return a.Weapon.Reload
	}
	if a.row == nil {
		return 0
	}
	return a.row.Reload
}

// rate is how many shots it fires in a segment on automatic; 0: it cannot.
func (a arms) rate() int {
	if a.Weapon.Auto > 0 {
		return a.Weapon.Auto
	}
	if a.row == nil {
		return 0
	}
	return a.row.Auto
}

func (a arms) twoHanded() bool { return a.row != nil && a.row.Hands == 2 || a.Hand == "both" }

// off reports that the off hand uses it, with -10 and a segment more (4.3).
func (a arms) off() bool { return a.Hand == "off" && !a.twoHanded() }

// piercing reports armor-piercing shells (8.6).
func (a arms) piercing() bool { return a.missile() && (a.Weapon.Piercing || a.row.Piercing) }

// missile reports that it strikes from afar in this use.
func (a arms) missile() bool { return a.row != nil && a.row.Missile != "" }

// delay is the preparation lost since the last action, up to and including
// segment s (2.4): what runs on now is counted, and no segment twice.
func (r rules) delay(f *Fighter, s int) int {
	switch {
	case f.Activity != nil:
		return f.Delay + max(0, s-f.Activity.Start)
	case f.Move != nil && f.Move.Pace > r.Pace.Walk && f.Move.Counted < s && r.yes("fast_move_stops_preparation"):
		return f.Delay + 1
	}
	return f.Delay
}

// slower is the segment more that the off hand takes; a shield is spared where
// the setting says so (A13).
func (r rules) slower(a arms) int {
	if a.off() && (a.shield == nil || r.yes("off_hand_shield_penalty")) {
		return 1
	}
	return 0
}

// readyWith is when an attack or a parry with a weapon is ready, as things stand
// in segment s (2.4).
func (r rules) readyWith(f *Fighter, a arms, s int) int {
	ready := f.LastAction + r.segments(r.agileWith(f, a.Hand), a.speed()) + r.slower(a) + f.Shift + r.delay(f, s)
	ready = max(ready, f.LastAction+1)
	if f.NotBefore > 0 {
		ready = max(ready, f.NotBefore)
	}
	return ready
}

// readyToDodge is when a dodge is ready (4.6); last is the action that counts.
func (r rules) readyToDodge(f *Fighter, last int) int {
	return last + r.segments(r.agile(f), r.action("dodge").Class)
}

// waited is for how many segments somebody has waited for an attack (2.3).
func (r rules) waited(f *Fighter, ready, s int, target game.ID) int {
	if f.HoldTarget != "" && f.HoldTarget != target && r.yes("set_lost_on_switch") {
		return 0
	}
	return max(0, s-max(ready, f.HoldFrom, 0))
}

// acted notes that somebody completed an action in segment s.
func (f *Fighter) acted(s int) {
	f.LastAction = s
	f.Delay, f.NotBefore = 0, 0
	f.HoldFrom, f.HoldTarget = s, ""
}

// abandon gives up what is under way in segment s (2.3, 2.4).
func (f *Fighter) abandon(s int) {
	if f.Activity == nil {
		return
	}
	f.Delay += max(0, s-f.Activity.Start)
	f.Activity = nil
	f.HoldFrom = s
}

// stunned: cannot act or react in segment s (9.1).
func (f *Fighter) stunned(s int) bool { return s < f.StunnedTo }

// hand is what a hand holds; both hands hold what needs both.
func (f *Fighter) hand(which string) *Weapon {
	for i := range f.Weapons {
		if wp := &f.Weapons[i]; wp.State == "in_hand" && (wp.Hand == which || wp.Hand == "both") {
			return wp
		}
	}
	return nil
}

// lame reports that a limb is broken: main_arm, off_arm or leg.
func (f *Fighter) lame(limb string) bool {
	return slices.ContainsFunc(f.Broken, func(b Bone) bool { return b.Limb == limb })
}

// crippled says why a broken limb keeps somebody from using a weapon (7.5); "" when
// it does not.
func (f *Fighter) crippled(a arms) string {
	switch {
	case a.ID == "kick" && f.lame("leg"):
		return "cannot kick: the leg is broken"
	case a.bare && a.ID != "kick" && f.lame("main_arm") && f.lame("off_arm"):
		return "cannot strike: both arms are broken"
	}
	return ""
}

// clasps reports that somebody has a hold on another, which takes both his hands (10.2).
func (w *World) clasps(f *Fighter) bool {
	return slices.ContainsFunc(w.Fighters, func(o *Fighter) bool { return f.holds(o, "") })
}

// helpless: cannot move at all, and a blow hits by itself (4.4).
func (r rules) helpless(f *Fighter) bool {
	return f.Status == unconscious || f.Status == dead || f.pinned() || r.agile(f) < 1
}
