package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// together sorts out what does not go with what: attacks and a whole-turn
// action, aim and movement, two weapons.
func (c *checker) together(steps []game.Intent, at []int) ([]game.Intent, []int) {
	var first *game.Intent
	moves, attacks := false, false
	each(steps, func(in *game.Intent) {
		switch {
		case isAttack(in.Verb):
			attacks = true
			if first == nil {
				first = in
			}
		case in.Verb == "move":
			moves = true
		}
	})
	var out []game.Intent
	var where []int
	whole := ""
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		switch {
		case wholeTurn(&s) && attacks && s.Verb == "reload":
			c.ask("attack_and_reload", "Reloading takes the whole turn.", "he shoots and does not reload")
			continue
		case wholeTurn(&s) && attacks && s.Verb != "defend":
			c.add(game.Wrong, "contradiction", "Using something takes the place of the turn's attacks.", "he attacks")
			continue
		case wholeTurn(&s) && attacks:
			c.add(game.Wrong, "contradiction", "Whoever defends himself makes no attack.", "he attacks")
			continue
		case wholeTurn(&s) && whole != "":
			c.add(game.Wrong, "too_many_actions", "That is one action too many for the turn.", "only the first is carried out: "+whole)
			continue
		}
		if wholeTurn(&s) {
			whole = s.Verb
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	each(out, func(in *game.Intent) {
		if in.Verb == "fire" && in.Aim && moves {
			in.Aim = false
			c.ask("aim_with_move", "Careful aim needs a shooter who does not move.", "he moves and shoots without aiming")
		}
	})
	if first != nil {
		out, where = c.oneWeapon(out, where, first)
	}
	return out, where
}

// oneWeapon leaves out the attacks that do not go with the first one (4.4): all
// are of one kind, and with one weapon or with a pair of one-handed ones (6.7).
func (c *checker) oneWeapon(steps []game.Intent, at []int, first *game.Intent) ([]game.Intent, []int) {
	arm, pair := armOf(first), ""
	var out []game.Intent
	var where []int
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		if isAttack(s.Verb) && armOf(&s) != arm && armOf(&s) != pair {
			a, b := c.me.weapon(first.Weapon), c.me.weapon(s.Weapon)
			switch {
			case first.Verb != "fire" || s.Verb != "fire" || pair != "":
				c.add(game.Wrong, "too_many_actions", "All attacks of a turn are of one kind and with one weapon, or with one in each hand.", "the others are left out")
				continue
			case a == nil || b == nil || a.TwoHanded || b.TwoHanded || a.State == "mounted" || b.State == "mounted":
				c.ask("two_handed", "Two weapons are fired at a time only if each needs one hand.", "the attacks with the second weapon are left out")
				c.asked["two_handed"] = true
				continue
			}
			pair = armOf(&s)
			c.add(game.Noted, "two_weapons", fmt.Sprintf("With a weapon in each hand every shot is at %+d%s.", c.t.Attack.TwoWeapons, c.wrongToo(a, b)), "")
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	if pair == "" {
		return out, where
	}
	each(out, func(in *game.Intent) {
		if in.Verb == "fire" && in.Aim {
			in.Aim = false
			c.add(game.Wrong, "aim_with_move", "Nobody aims carefully with two weapons.", "the shots are fired without aiming")
		}
	})
	return alternate(out, where)
}

// wrongToo adds what the other hand costs.
func (c *checker) wrongToo(a, b *Weapon) string {
	pair := []game.ID{a.ID, b.ID}
	for _, wp := range []*Weapon{a, b} {
		if c.me.second(pair, wp) {
			return fmt.Sprintf(", and those with the %s at another %+d", wp.Name, c.t.Attack.WrongHand)
		}
	}
	return ""
}

// alternate lets two weapons that are fired at the same target one after the other
// take turns: main, off, main … (20.2).
func alternate(steps []game.Intent, at []int) ([]game.Intent, []int) {
	for i := range len(steps) - 1 {
		a, b := steps[i], steps[i+1]
		if a.Verb != "fire" || b.Verb != "fire" || a.Weapon == b.Weapon || a.Target.String() != b.Target.String() || max(a.Shots, 1)+max(b.Shots, 1) < 3 {
			continue
		}
		var mixed []game.Intent
		var where []int
		for n := range min(max(a.Shots, b.Shots), 9) {
			for _, one := range []struct {
				in game.Intent
				at int
			}{{a, at[i]}, {b, at[i+1]}} {
				if n < max(one.in.Shots, 1) {
					one.in.Shots = 1
					mixed, where = append(mixed, one.in), append(where, one.at)
				}
			}
		}
		return slices.Concat(steps[:i], mixed, steps[i+2:]), slices.Concat(at[:i], where, at[i+2:])
	}
	return steps, at
}

// entitled cuts the plan down to the sub-actions that he gets and to the
// ammunition that he has (4.4, 6.6, 9.4); left are those not used.
func (c *checker) entitled(steps []game.Intent, at []int, rx []game.Reaction) (out []game.Intent, where []int, left int) {
	limit := c.me.entitlement(c.t, steps, rx)
	left = limit
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		n := spends(&s)
		if n > left {
			c.ask("too_many_actions", fmt.Sprintf("That is %s in a turn; %s has %d.", plural(spendsAll(steps), "action"), c.v.Self.Name, limit), "the last ones are left out")
			c.asked["too_many_actions"] = true
			if !c.shorten(&s, left) {
				continue
			}
		}
		left -= spends(&s)
		out = append(out, s)
		where = append(where, at[i])
	}
	out, where = c.ammunition(out, where)
	return out, where, left
}

// unmixed leaves out reactions that take the whole turn beside attacks: any other
// mixture of sub-actions needs the GM's leave (4.4).
func (c *checker) unmixed(steps []game.Intent, rx []game.Reaction) []game.Reaction {
	attacks := false
	note := func(in *game.Intent) { attacks = attacks || isAttack(in.Verb) }
	each(steps, note)
	for _, x := range rx {
		each(x.Do, note)
	}
	if !attacks {
		return rx
	}
	var kept []game.Reaction
	for _, x := range rx {
		whole := false
		each(x.Do, func(in *game.Intent) { whole = whole || wholeTurn(in) })
		if whole {
			c.step, c.span = 0, x.At
			c.add(game.Wrong, "too_many_actions", "What takes the whole turn cannot be held ready beside attacks.", "the reaction is left out")
			continue
		}
		kept = append(kept, x)
	}
	return kept
}

// fed leaves out reactions for which no sub-action is kept or left.
func (c *checker) fed(rx []game.Reaction, holds bool, left int) []game.Reaction {
	var kept []game.Reaction
	for _, x := range rx {
		c.step, c.span = 0, x.At
		if x.Slot == nil && !holds {
			if left == 0 {
				c.ask("too_many_actions", "No action is left that could be held ready for a reaction.", "the reaction is left out; plan fewer shots")
				continue
			}
			each(x.Do, func(in *game.Intent) {
				switch in.Verb {
				case "fire":
					in.Shots = min(max(in.Shots, 1), left)
				case "melee":
					in.Blows = min(max(in.Blows, 1), left)
				}
			})
			need := max(spendsAll(x.Do), 1)
			x.Max = min(x.Max, max(left/need, 1))
			left -= min(need*x.Max, left)
		}
		kept = append(kept, x)
	}
	return kept
}

// entitlement is how many sub-actions a plan may have: the rate of the weapon
// that it attacks with, or one.
func (f *Fighter) entitlement(t *tables, steps []game.Intent, rx []game.Reaction) int {
	var wp *Weapon
	holds, blows := false, 0
	note := func(in *game.Intent) {
		switch in.Verb {
		case "fire":
			if wp == nil && blows == 0 {
				wp = f.weapon(in.Weapon)
			}
		case "burst", "throw", "launch":
			if wp == nil && blows == 0 {
				blows = 1
			}
		case "melee":
			if _, row := f.blade(t, in.Weapon); wp == nil && blows == 0 && row != nil {
				blows = f.blows(t, row)
			}
		case "set":
			if wp == nil && in.Wait > 0 {
				wp = f.weapon(in.Item)
			}
		case "hold":
			holds = true
		}
	}
	each(steps, note)
	for _, x := range rx {
		each(x.Do, note)
	}
	if blows > 0 && wp == nil {
		return blows
	}
	if wp == nil && (holds || len(rx) > 0) {
		wp = f.gun(t)
	}
	if wp == nil {
		return 1
	}
	n := max(wp.Rate, 1)
	if pair := pairOf(steps, rx); pair != nil { // 6.7
		n = 0
		for _, id := range pair {
			if one := f.weapon(id); one != nil {
				n += max(one.Rate, 1)
			}
		}
	}
	return min(n, 9)
}

// shorten cuts an intent down to n sub-actions; false: nothing is left of it.
func (c *checker) shorten(in *game.Intent, n int) bool {
	switch {
	case n <= 0 && spends(in) > 0:
		return false
	case in.Verb == "fire":
		in.Shots = min(max(in.Shots, 1), n)
	case in.Verb == "melee":
		in.Blows = min(max(in.Blows, 1), n)
	case in.Verb == "if":
		in.Then, in.Else = c.shortenAll(in.Then, n), c.shortenAll(in.Else, n)
		return len(in.Then)+len(in.Else) > 0
	}
	return spends(in) <= n
}

func (c *checker) shortenAll(steps []game.Intent, n int) []game.Intent {
	var out []game.Intent
	for _, s := range steps {
		if spends(&s) > n && !c.shorten(&s, n) {
			continue
		}
		n -= spends(&s)
		out = append(out, s)
	}
	return out
}

// ammunition cuts unconditional shots down to what the magazine holds.
func (c *checker) ammunition(steps []game.Intent, at []int) ([]game.Intent, []int) {
	left, dial, thrown := map[game.ID]int{}, map[game.ID]int{}, map[game.ID]int{}
	for _, w := range c.me.Weapons {
		left[w.ID], dial[w.ID] = w.Left, w.Dial
	}
	var out []game.Intent
	var where []int
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		switch s.Verb {
		case "set":
			if !s.Setting.IsZero() {
				dial[s.Item] = s.Setting.N
			}
		case "fire":
			wp := c.me.weapon(s.Weapon)
			row := c.row(wp)
			if row == nil {
				continue
			}
			n := 0
			for n < max(s.Shots, 1) {
				if row.take(left[wp.ID], dial[wp.ID], c.useLeft(s)) == 0 {
					break
				}
				left[wp.ID] -= row.take(left[wp.ID], dial[wp.ID], c.useLeft(s))
				n++
			}
			if n < max(s.Shots, 1) {
				text := fmt.Sprintf("The %s has %d %s: enough for %s.", wp.Name, wp.Left, row.Unit, plural(n, "shot"))
				if n == 0 {
					c.add(game.Wrong, "empty_weapon", fmt.Sprintf("The %s has too little left for a shot (%d %s).", wp.Name, wp.Left, row.Unit), "reload, or set the dial lower")
					continue
				}
				c.ask("empty_weapon", text, fmt.Sprintf("%s fired", plural(n, "shot")+map[bool]string{true: " is", false: " are"}[n == 1]))
				s.Shots = n
			}
		case "throw":
			it := c.me.item(s.Item)
			if it == nil {
				break
			}
			if thrown[s.Item]++; thrown[s.Item] > it.Count {
				c.add(game.Wrong, "empty_weapon", fmt.Sprintf("There are no more than %s of the %s.", strconv.Itoa(it.Count), it.Name), "the last one is left out")
				continue
			}
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	return out, where
}

func (c *checker) useLeft(in game.Intent) bool {
	switch in.OnShort {
	case "use_left":
		return true
	case "refuse":
		return false
	}
	return c.setting("low_ammo") == "use_what_is_left"
}

// take is what one shot takes out of a magazine with so much left; 0: no shot.
func (w *weaponRow) take(left, dial int, useLeft bool) int {
	cost := w.cost(dial)
	switch {
	case left >= cost:
		return cost
	case useLeft && w.PerSEU && left >= max(w.DialMin, 1):
		return left
	}
	return 0
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
