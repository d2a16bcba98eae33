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
	return k.silence()
}

// silence is what is done without orders.
func (k *knowledge) silence() game.Plan {
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
	enemy := k.prey()
	wp := k.me.gun(k.t)
	row := k.row(wp)
	if row != nil && (wp.Unready || row.take(wp.Left, wp.Dial, false) == 0) {
		if _, ok := k.me.feeds(k.t, wp, ""); ok && wp.Cord == nil {
			return []game.Intent{{Verb: "reload", Weapon: wp.ID}}
		}
		row, wp = nil, nil
	}
	if enemy == nil {
		return []game.Intent{{Verb: "wait"}}
	}
	reach := k.sc.g.reach(k.t, k.sc.at, enemy.at)
	if blow := k.blowAt(enemy); reach && (row == nil || blow.Weapon != game.BareHands || k.me.natural(k.t).ID == "claws") {
		return []game.Intent{blow}
	}
	if row != nil {
		if _, ok := wp.band(row, k.sc.g.metres(k.sc.at, enemy.at)); ok {
			steps := []game.Intent{{Verb: "fire", Weapon: wp.ID, Target: game.To(enemy.id), Shots: k.affordable(wp, row)}}
			if !closeIn && k.me.Posture == "stand" {
				steps = append(steps, game.Intent{Verb: "posture", Posture: "crouch"})
			}
			return steps
		}
	}
	if steps := k.rake(enemy); row == nil && steps != nil {
		return steps
	}
	if _, hunts := k.me.programmed(k.t); !hunts {
		return []game.Intent{{Verb: "wait"}} // a robot that is not to hunt stands where it is
	}
	if !closeIn {
		return []game.Intent{{Verb: "posture", Posture: "crouch"}}
	}
	run := game.Intent{Verb: "move", To: game.To(enemy.id), Mode: "run"}
	if w := k.sc.route(run, "", k.me.allowance(k.t, "run")*1000, false); w.whole {
		return []game.Intent{run, k.blowAt(enemy)}
	}
	return []game.Intent{run}
}

// rake is what somebody does with a weapon that fires nothing but bursts: at the
// enemy and those beside him, or he puts in a new belt.
func (k *knowledge) rake(enemy *person) []game.Intent {
	wp := k.me.burster(k.t, "")
	row := k.row(wp)
	if row == nil || !wp.inHand() || row.Tripod && wp.State != "mounted" || wp.Broken || k.sc.g.metres(k.sc.at, enemy.at) > wp.reach(row) {
		return nil
	}
	if wp.Left < row.BurstRounds {
		if _, ok := k.me.feeds(k.t, wp, ""); !ok {
			return nil
		}
		return []game.Intent{{Verb: "reload", Weapon: wp.ID}}
	}
	var targets []game.Ref
	for _, ref := range k.within(game.To(enemy.id)) {
		if k.me.mayAttack(k.t, ref.ID) && k.sc.g.metres(k.sc.at, k.sc.pick(ref.ID, "").at) <= wp.reach(row) {
			targets = append(targets, ref)
		}
	}
	return []game.Intent{{Verb: "burst", Weapon: wp.ID, Targets: targets}}
}

// prey is the nearest enemy on his feet whom its programs let a robot attack.
func (k *knowledge) prey() *person {
	for i := range k.sc.people {
		if p := &k.sc.people[i]; p.seen && !p.down && p.relation == "enemy" && k.me.mayAttack(k.t, p.id) {
			return p
		}
	}
	return nil
}

// blowAt is an attack with all blows of the weapon in hand, or without one.
func (k *knowledge) blowAt(enemy *person) game.Intent {
	wp, row := k.me.blade(k.t, "")
	if wp.Left < row.SEUHit {
		wp, row = k.me.blade(k.t, game.BareHands)
	}
	return game.Intent{Verb: "melee", Weapon: wp.ID, Target: game.To(enemy.id), Blows: k.me.blows(k.t, row)}
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
