package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// bombard is the house policy on what bursts: a foe throws a grenade, or fires
// the shell in his launcher, in place of another attack when it reaches enough of
// the enemies whom he sees, and at one alone when he has no other attack. He never
// does with a friend, a bystander or himself in the blast; if one has come into
// it when the moment is there, he makes the other attack (spared). A
// launcher is loaded when there is nothing better to do.
func (k *knowledge) bombard(other []game.Intent) []game.Intent {
	in, victims := k.bestLob()
	attacks := slices.ContainsFunc(other, func(in game.Intent) bool { return isAttack(in.Verb) })
	if victims == 0 || attacks && victims < k.t.Policy.Victims {
		if wp := k.me.launcher(k.t, ""); !attacks && wp != nil && wp.inHand() && (wp.Unready || wp.Left == 0) && k.prey() != nil {
			if _, ok := k.me.feeds(k.t, wp, ""); ok {
				return []game.Intent{{Verb: "reload", Weapon: wp.ID}}
			}
		}
		return other
	}
	steps := []game.Intent{in}
	var fall []game.Intent
	for _, o := range other {
		if isAttack(o.Verb) || o.Verb == "move" || o.Verb == "reload" {
			fall = append(fall, o)
		}
	}
	if len(fall) > 0 {
		steps = append(steps, game.Intent{Verb: "if", When: &game.Condition{Kind: "impossible"}, Then: fall})
	}
	if k.me.Policy == "cautious" && k.me.Posture == "stand" {
		steps = append(steps, game.Intent{Verb: "posture", Posture: "crouch"})
	}
	return steps
}

// bestLob is the throw or launch that reaches the most enemies: of equal ones at
// the nearest, with what comes first on the sheet.
func (k *knowledge) bestLob() (best game.Intent, most int) {
	if k.me.has("arm") && k.me.has("other_arm") {
		return best, 0
	}
	try := func(in game.Intent, row *weaponRow, wp *Weapon, g *grenadeRow) {
		if g == nil || g.Cloud {
			return // smoke is no attack
		}
		for i := range k.sc.people {
			p := &k.sc.people[i]
			if !p.seen || p.down || p.relation != "enemy" || !k.sc.g.within(k.sc.at, p.at, k.t.Policy.Lob) {
				continue
			}
			if _, ok := wp.band(row, k.sc.g.metres(k.sc.at, p.at)); !ok || !k.sc.g.eyes(k.t, k.me).clear(k.sc.at, p.at) {
				continue
			}
			if n := k.victims(p.at, g); n > most {
				in.Target = game.To(p.id)
				best, most = in, n
			}
		}
	}
	for i := range k.me.Items {
		if it := &k.me.Items[i]; it.thrown() && it.Count > 0 {
			try(game.Intent{Verb: "throw", Item: it.ID}, k.t.weapon("grenade"), nil, k.t.grenade(it))
		}
	}
	if wp := k.me.launcher(k.t, ""); wp != nil && wp.inHand() && wp.Left > 0 && !wp.Unready && !wp.Broken && k.me.unhandy(wp) == "" {
		if row := k.row(wp); !row.Tripod || wp.State == "mounted" {
			try(game.Intent{Verb: "launch", Weapon: wp.ID}, row, wp, k.t.grenadeRow(wp.Loaded))
		}
	}
	return best, most
}

// victims counts the enemies on their feet whom a burst would reach; 0 if it
// would reach anybody else.
func (k *knowledge) victims(at game.Square, g *grenadeRow) int {
	reaches := func(s game.Square) bool { return k.sc.g.within(at, s, k.t.Blast.Radius) && k.sc.g.open(at, s) }
	if reaches(k.sc.at) {
		return 0
	}
	n := 0
	for i := range k.sc.people {
		p := &k.sc.people[i]
		switch race := k.t.race(p.race); {
		case !reaches(p.at):
		case p.relation != "enemy" || !k.me.mayAttack(k.t, p.id):
			return 0
		case p.down, g.Type == "gas" && race != nil && race.Machine:
		default:
			n++
		}
	}
	return n
}

// spared reports a friend, a bystander or himself where something would burst
// that a foe throws of his own accord: then he does not.
func (e *engine) spared(s *state, sh shot) bool {
	if sh.grenade == nil || s.given || s.f.Player != "" {
		return false
	}
	for _, f := range e.w.Fighters {
		mine := f == s.f || e.w.relation(s.f, f) == "ally" || e.w.relation(s.f, f) == "neutral" && e.sees(s.f, f)
		if mine && !f.beyondBlows() && e.g.metres(sh.at, f.Place) <= e.Blast.Radius && e.g.open(sh.at, f.Place) {
			return true
		}
	}
	return false
}
