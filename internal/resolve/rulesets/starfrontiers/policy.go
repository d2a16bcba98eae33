package starfrontiers

import (
	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// Default implements resolve.Ruleset: standing orders, else a foe's policy, else
// hold position, defend in melee, no voluntary fire (4.2).
func (r *Ruleset) Default(v game.View) game.Plan {
	k, ok := r.know(v)
	if !ok {
		return game.Plan{}
	}
	if len(k.me.Standing) > 0 {
		var p game.Plan
		for _, s := range k.me.Standing {
			switch {
			case s.Reaction != nil:
				p.Reactions = append(p.Reactions, *s.Reaction)
			case s.Policy != nil:
				p.Steps = append(p.Steps, *s.Policy)
			}
		}
		return p
	}
	switch k.me.Policy {
	case "aggressive":
		return game.Plan{Steps: k.attack(true)}
	case "cautious":
		return game.Plan{Steps: k.attack(false)}
	case "hold":
		return game.Plan{Steps: []game.Intent{{Verb: "wait"}}}
	}
	return game.Plan{Steps: []game.Intent{{Verb: "defend"}}}
}

// attack is what the policies do: all shots at the nearest enemy in range;
// reload when dry; and if nobody is in range, close in or stay in cover.
func (k *knowledge) attack(closeIn bool) []game.Intent {
	enemy := k.sc.pick(game.NearestEnemy, "")
	wp := k.me.gun(k.t)
	row := k.row(wp)
	if row != nil && len(row.Modes) > 0 && len(row.BuiltModes) > 0 && wp.Mode != row.BuiltModes[0] {
		row, wp = nil, nil // set to something that is not built
	}
	if row != nil && row.take(wp.Left, wp.Dial, false) == 0 {
		if k.me.clipFor(k.t, wp) != nil {
			return []game.Intent{{Verb: "reload", Weapon: wp.ID}}
		}
		row, wp = nil, nil
	}
	if enemy == nil {
		return []game.Intent{{Verb: "wait"}}
	}
	if row != nil {
		if _, ok := row.band(k.sc.g.metres(k.sc.at, enemy.at)); ok {
			steps := []game.Intent{{Verb: "fire", Weapon: wp.ID, Target: game.To(enemy.id), Shots: k.affordable(wp, row)}}
			if !closeIn && k.me.Posture == "stand" {
				steps = append(steps, game.Intent{Verb: "posture", Posture: "crouch"})
			}
			return steps
		}
	}
	if !closeIn {
		return []game.Intent{{Verb: "posture", Posture: "crouch"}}
	}
	return []game.Intent{{Verb: "move", To: game.To(enemy.id), Mode: "run"}}
}

// affordable is how many shots the rate and the magazine allow.
func (k *knowledge) affordable(wp *Weapon, row *weaponRow) int {
	n, left := 0, wp.Left
	for n < max(wp.Rate, 1) && row.take(left, wp.Dial, false) > 0 {
		left -= row.take(left, wp.Dial, false)
		n++
	}
	return max(n, 1)
}

// initiative is a total with its parts.
type initiative struct {
	die      game.Die
	modifier int // with the holster penalty
	holster  bool
	total    int
}

func (t *tables) initiative(f *Fighter, setting string, uses map[game.ID]bool, die game.Die) initiative {
	i := initiative{die: die, modifier: f.initiativeModifier(t), holster: f.holsterPenalty(setting, uses)}
	if i.holster {
		i.modifier += t.Initiative.Holster
	}
	i.total = die.Value + i.modifier
	return i
}

// initName is the name of an initiative die.
func initName(roller game.ID, round int) string {
	return dice.Name{Kind: "init", Who: roller, When: "r" + itoa(round)}.String()
}
