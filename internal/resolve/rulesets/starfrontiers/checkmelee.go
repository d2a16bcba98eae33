package starfrontiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// melee checks a blow or a series of blows.
func (c *checker) melee(in game.Intent) []game.Intent {
	wp, row := c.me.blade(c.t, in.Weapon)
	switch {
	case wp == nil:
		c.weapon(in.Weapon) // says that there is none of that name
		return nil
	case row == nil:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("Nobody can strike with the %s.", wp.Name), "use another weapon, or bare hands")
		return nil
	case wp.State == "on_ground":
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" lies on the ground.", "pick it up first; that takes a turn's action")
		return nil
	case wp.Broken, !row.Natural && c.me.unhandy(wp) != "":
		c.add(game.Wrong, "illegal_option", c.unusable(wp), "use another weapon, or bare hands")
		return nil
	case wp.Left < row.SEUHit:
		c.add(game.Wrong, "empty_weapon", fmt.Sprintf("The %s has too little power left for a hit (%d SEU).", wp.Name, wp.Left), "reload it, or use another weapon")
		return nil
	}
	in.Weapon = wp.ID
	if !c.blowMode(&in, wp, row) || !c.opponent(&in) || !c.programmed(in.Target) {
		return nil
	}
	if wp.holstered() && !c.drawn {
		c.drawn = true
		c.add(game.Noted, "draw", fmt.Sprintf("The %s has to be drawn first (%+d on initiative).", wp.Name, c.t.Initiative.Holster), "")
	}
	if p := c.sc.pick(in.Target.ID, ""); p != nil && !c.moved && !c.reacting && p.seen && !c.sc.g.reach(c.t, c.sc.at, p.at) {
		c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; a blow reaches %d m.", p.name, c.sc.g.metres(c.sc.at, p.at), c.t.Senses.Reach), "move there first: run to "+p.name+", then strike")
		return nil
	}
	if in.Until != nil && !c.condition(*in.Until, false) {
		in.Until = nil
	}
	in.Blows = max(in.Blows, 1)
	if in.Ability != "str" && in.Ability != "dex" {
		in.Ability = ""
	}
	return append(c.switched(&in, wp, row), in)
}

// blowMode checks how a weapon is to be used.
func (c *checker) blowMode(in *game.Intent, wp *Weapon, row *weaponRow) bool {
	mode := in.Mode
	if mode == "" && row.ID == wp.Kind {
		mode = c.modeOf(wp)
	}
	if mode == "" {
		return true
	}
	if !slices.Contains(row.Modes, mode) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, mode), "leave the mode out")
		return false
	}
	in.Mode = mode
	return true
}

// opponent checks whom a blow is meant for; for nobody in particular it is the
// nearest enemy when the moment comes, or whoever set off the reaction.
func (c *checker) opponent(in *game.Intent) bool {
	ref := in.Target
	switch {
	case ref.IsZero() && c.reacting:
		in.Target = game.To(game.Trigger)
		return true
	case ref.IsZero():
		in.Target = game.To(game.NearestEnemy)
		return true
	case ref.Square != nil || c.sc.feature(ref.ID) != nil:
		c.add(game.Wrong, "illegal_option", "Blows at places and things are not built.", "name somebody you see, or tell the GM in your own words")
		return false
	case ref.ID == game.Me || ref.ID == c.me.ID:
		c.add(game.Wrong, "friendly_target", "That would be a blow at oneself.", "name another target")
		return false
	case ref.ID == game.Trigger && c.reacting:
		return true
	case ref.ID == game.Leader:
		c.ask("which_target", "Who is the leader? That is not to be seen.", "name the target; without a name nobody is struck")
		return false
	case resolve.IsSelector(ref.ID):
		if ref.ID == game.AnyAlly || ref.ID == game.Anyone || ref.ID == game.Trigger {
			c.ask("which_target", "At whom?", "name the target; without a name nobody is struck")
			return false
		}
		return true
	}
	p := c.sc.person(ref.ID)
	switch {
	case p == nil || !p.seen && p.relation != "ally":
		c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, ref.ID), "name somebody in sight: "+c.inSight())
		return false
	case p.relation == "ally":
		c.ask("friendly_target", p.name+" is on your own side.", "nobody is struck; if you mean it, tell the GM so in your own words")
		return false
	case c.beyondBlows(p.id):
		c.add(game.Wrong, "target_not_visible", p.name+" is past all fighting.", "name another target: "+c.inSight())
		return false
	}
	return true
}

// beyondBlows tells of somebody in the view that nothing is gained by striking him.
func (c *checker) beyondBlows(id game.ID) bool {
	return slices.ContainsFunc(c.v.Others, func(o game.Sight) bool {
		return o.ID == id && (has(o.Status, "dead") || has(o.Status, "destroyed"))
	})
}

// engaged notes that an enemy in reach may keep him from moving (7.2).
func (c *checker) engaged() {
	if c.asked["melee_lock"] {
		return
	}
	for _, p := range c.sc.people {
		if p.seen && p.relation == "enemy" && !p.down && c.sc.g.reach(c.t, c.sc.at, p.at) {
			c.asked["melee_lock"] = true
			c.add(game.Noted, "melee_lock", p.name+" is within reach.", "if "+p.name+" attacks him hand to hand this turn, he cannot move and the movement is dropped")
			return
		}
	}
}

// rage checks a try at battle rage (1.2).
func (c *checker) rage(in game.Intent) []game.Intent {
	if c.me.RageTried || c.v.Round > 1 || c.moved && round1(in.Round) > 1 {
		c.add(game.Wrong, "contradiction", "Battle rage is tried once, at the beginning of a battle.", "leave it out")
		return nil
	}
	in.Kind = "battle_rage"
	if in.Text == "" {
		in.Text = "battle rage"
	}
	return []game.Intent{in}
}

// programmed refuses attacks that a robot's programs do not know (16.2).
func (c *checker) programmed(target game.Ref) bool {
	attack, _ := c.me.programmed(c.t)
	switch p := c.sc.person(target.ID); {
	case attack == "any", attack == "back" && (p == nil || c.me.mayAttack(c.t, p.id)):
		return true
	case attack == "back":
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("%s is programmed to defend itself, and %s has not attacked it.", c.v.Self.Name, p.name), "name somebody who has")
		return false
	}
	c.add(game.Wrong, "illegal_option", c.v.Self.Name+" has no program to attack.", "its programs: "+strings.ReplaceAll(strings.Join(c.me.Programs, ", "), "_", " "))
	return false
}
