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
	if k.own.Plan != nil {
		return *k.own.Plan // what he ordered before the pause stands
	}
	if has(k.me.Status, surrendered) {
		return game.Plan{Steps: []game.Intent{{Verb: "wait"}}}
	}
	var p game.Plan
	for _, s := range k.me.Standing {
		switch {
		case s.Reaction != nil && s.Reaction.When.Kind == "notice": // of use only before an ambush
		case s.Reaction != nil:
			p.Reactions = append(p.Reactions, *s.Reaction)
		case s.Policy != nil:
			p.Steps = append(p.Steps, *s.Policy)
		}
	}
	if !p.Empty() {
		return p
	}
	return game.Plan{Steps: k.policy()}
}

// policy is what a foe does without orders (4.2, 21): flee when he is hurt too
// much, else as he is set; without one, hold position and defend in melee.
func (k *knowledge) policy() []game.Intent {
	if k.me.Flee > 0 && k.me.Now <= k.me.Flee {
		return k.flight()
	}
	switch k.me.Policy {
	case "aggressive":
		return k.bombard(k.attack(true))
	case "cautious":
		return k.bombard(k.attack(false))
	case "hold":
		return []game.Intent{{Verb: "wait"}}
	case "flee":
		return k.flight()
	case "protect":
		return k.guard()
	}
	return []game.Intent{{Verb: "defend"}}
}

// flight runs from the nearest enemy; out of everybody's sight he stays down.
func (k *knowledge) flight() []game.Intent {
	for i := range k.sc.people {
		if p := &k.sc.people[i]; p.seen && !p.down && p.relation == "enemy" {
			return []game.Intent{{Verb: "move", AwayFrom: game.To(p.id), Mode: k.me.mode("run")}}
		}
	}
	return []game.Intent{{Verb: "posture", Posture: "crouch"}}
}

// guard stays beside whom he protects and attacks the enemy nearest to that one.
func (k *knowledge) guard() []game.Intent {
	ward := k.sc.person(k.me.Protect)
	if ward == nil {
		return k.attack(true)
	}
	var steps []game.Intent
	if !k.sc.g.reach(k.t, k.sc.at, ward.at) {
		steps = append(steps, game.Intent{Verb: "move", To: game.To(ward.id), Mode: k.me.mode("run")})
	}
	best := (*person)(nil)
	for i := range k.sc.people {
		p := &k.sc.people[i]
		if p.seen && !p.down && p.relation == "enemy" && k.me.mayAttack(k.t, p.id) && (best == nil || squared(p.at, ward.at) < squared(best.at, ward.at)) {
			best = p
		}
	}
	if best == nil {
		if steps == nil {
			steps = []game.Intent{{Verb: "wait"}}
		}
		return steps
	}
	for _, in := range k.attackOn(best, false) {
		if isAttack(in.Verb) || in.Verb == "reload" {
			steps = append(steps, in)
		}
	}
	if steps == nil {
		steps = []game.Intent{{Verb: "wait"}}
	}
	return steps
}

// attack is what the policies do: all shots at the nearest enemy in range;
// reload when dry; and if nobody is in range, close in or stay in cover.
func (k *knowledge) attack(closeIn bool) []game.Intent { return k.attackOn(k.prey(), closeIn) }

func (k *knowledge) attackOn(enemy *person, closeIn bool) []game.Intent {
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
	roller   game.ID // who rolled for the side
	ruled    bool    // the GM has set the total
	bonus    int     // that the GM adds
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
