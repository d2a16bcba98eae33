package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// policySteps are what a foe without steps does by his policy; nil: he waits.
// They are made of what he perceives, segment by segment.
func (e *engine) policySteps(f *Fighter) []game.Intent {
	if f.Policy != "aggressive" && f.Policy != "cautious" && f.Policy != "flee" {
		return nil
	}
	enemy := e.whom(f, game.NearestEnemy)
	if enemy == nil {
		return nil
	}
	if f.Policy == "flee" {
		return []game.Intent{{Verb: "move", AwayFrom: game.To(enemy.ID), Mode: "run"}}
	}
	if wp := e.gun(f); wp != nil && !e.w.touches(f.At, enemy.At, e.reach("long")) {
		a, _ := e.arm(f, wp.ID, false)
		if e.inReach(f, a, enemy, nil) {
			return []game.Intent{{Verb: "fire", Weapon: wp.ID, Target: game.To(enemy.ID)}}
		}
	}
	blow := game.Intent{Verb: "melee", Weapon: e.blade(f), Target: game.To(enemy.ID)}
	a, ok := e.arm(f, blow.Weapon, false)
	if f.Policy == "cautious" && (!ok || !e.w.touches(f.At, enemy.At, e.reachOf(a))) {
		return nil
	}
	return []game.Intent{blow}
}

// gun is a missile weapon that can still be fired.
func (e *engine) gun(f *Fighter) *Weapon {
	i := slices.IndexFunc(f.Weapons, func(w Weapon) bool {
		a, ok := e.arm(f, w.ID, false)
		return ok && a.missile() && a.row.Missile != "thrown" && !w.Broken && w.State != "on_ground" && (w.Left > 0 || f.ammunition() != nil)
	})
	if i < 0 {
		return nil
	}
	return &f.Weapons[i]
}

// blade is a weapon for blows: one in hand, else one that is carried, else bare hands.
func (e *engine) blade(f *Fighter) game.ID {
	for _, held := range []bool{true, false} {
		for i := range f.Weapons {
			wp := &f.Weapons[i]
			a, ok := e.arm(f, wp.ID, false)
			if ok && a.row != nil && !a.missile() && !wp.Broken && (wp.State == "in_hand") == held && (held || wp.State != "on_ground" && e.freeHand(f, wp) != "") {
				return wp.ID
			}
		}
	}
	return game.BareHands
}
