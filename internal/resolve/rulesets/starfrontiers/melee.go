package starfrontiers

import (
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// blow is everything that the sum of 7.1 looks at.
type blow struct {
	base             int    // basic chance of an animal or of a sheet; 0: from an ability or level
	robot            int    // level
	ability          string // STR or DEX
	score            int    // of the ability
	skill            int    // Melee Weapons, or Martial Arts with bare hands
	toHit            int    // modifier of the weapon
	behind           bool
	unaware          bool
	helpless         bool
	rage             bool
	targetEncumbered bool
	encumbered       bool
	wounded          bool
	defending        bool
	ails             []game.Line // what the attacker suffers from (7.1 no. 11)
}

// sumBlow adds the lines of 7.1; the total is not clamped.
func (t *tables) sumBlow(b blow) (lines []game.Line, chance int) {
	add := func(label string, v int) {
		lines = append(lines, game.Line{Label: label, Value: resolve.Signed(v)})
		chance += v
	}
	when := func(is bool, label string, v int) {
		if is && v != 0 {
			add(label, v)
		}
	}
	switch {
	case b.robot > 0:
		add("Basic chance, level "+strconv.Itoa(b.robot), t.Attack.RobotBase+t.Attack.RobotLevel*b.robot)
	case b.base > 0:
		add("Basic chance", b.base)
	default:
		add("Basic chance, half of "+b.ability+" "+strconv.Itoa(b.score), halfUp(b.score, 2))
	}
	when(b.robot == 0, "Skill "+strconv.Itoa(b.skill), t.Attack.SkillLevel*b.skill)
	when(true, "Weapon", b.toHit)
	switch {
	case b.helpless:
		add("Target helpless", t.Melee.Helpless)
	case b.behind:
		add("Target struck from behind", t.Melee.Behind)
	case b.unaware:
		add("Target unaware", t.Melee.Behind)
	}
	when(b.rage, "Battle rage", t.Melee.Rage)
	when(b.targetEncumbered, "Target encumbered", t.Melee.TargetEncumbered)
	when(b.encumbered, "Attacker encumbered", t.Melee.Encumbered)
	when(b.wounded, "Attacker wounded", t.Melee.Wounded)
	when(b.defending, "Target defending himself", t.Melee.Defending)
	for _, l := range b.ails {
		v, _ := strconv.Atoi(l.Value)
		when(true, l.Label, v)
	}
	return lines, chance
}

// blade is the weapon meant for a blow: the one named, else the first melee
// weapon in hand, else none. A firearm that is held in hand is swung as a club
// (7.1). No row: one cannot strike with it; no weapon: it is not on the sheet.
func (f *Fighter) blade(t *tables, id game.ID) (*Weapon, *weaponRow) {
	if id == "" {
		for i := range f.Weapons {
			if row := t.weapon(f.Weapons[i].Kind); row != nil && row.Melee && f.Weapons[i].inHand() {
				return &f.Weapons[i], row
			}
		}
		id = game.BareHands
	}
	if id == game.BareHands {
		row := f.natural(t)
		return &Weapon{ID: game.BareHands, Kind: row.ID, Name: row.Name, State: "in_hand"}, row
	}
	wp := f.weapon(id)
	if wp == nil {
		return nil, nil
	}
	row := t.weapon(wp.Kind)
	switch {
	case row == nil:
		return wp, nil
	case row.Melee:
		return wp, row
	case !row.Heavy && row.Shots != "throw":
		return wp, t.weapon(t.Melee.Butt)
	}
	return wp, nil
}

// melee gives the better of the two abilities that an attacker may choose from,
// or the one he has chosen.
func (f *Fighter) melee(choice string) (ability string, score int) {
	if choice == "str" || choice != "dex" && f.STR > f.DEX {
		return "STR", f.STR
	}
	return "DEX", f.DEX
}

// force is what a blow does: the dice of the weapon, and what strength and
// training add (1.1, 7.1).
func (f *Fighter) force(t *tables, row *weaponRow) (dice resolve.Notation, extra []bonus) {
	dice = row.damageAt("", 0)
	if row.PSBonus {
		extra = append(extra, bonus{"Punching score, STR " + strconv.Itoa(f.STR), t.punch(f.STR)})
	}
	if level := f.Skills["martial_arts"]; row.ID == game.BareHands && level > 0 {
		extra = append(extra, bonus{"Martial Arts " + strconv.Itoa(level), level})
	}
	return dice, extra
}

// bonus is a constant part of damage.
type bonus struct {
	label string
	n     int
}

// helpless states: attackers have it easy (7.1).
var helplessStates = []string{"stunned", "unconscious", "incapacitated", "dying", "down", "held", "entangled"}

func (f *Fighter) helpless() bool {
	return slices.ContainsFunc(f.Status, func(s string) bool { return slices.Contains(helplessStates, s) })
}

// beyondBlows: nothing is gained by striking him.
func (f *Fighter) beyondBlows() bool { return has(f.Status, "dead") || has(f.Status, "destroyed") }

// isAttack reports the verbs that are carried out as a series of attacks.
func isAttack(verb string) bool { return attackWords[verb].does != "" }

// armOf names what an attack is made with; all of a turn are made with one (4.4).
func armOf(in *game.Intent) string { return in.Verb + " " + string(in.Weapon) + string(in.Item) }
