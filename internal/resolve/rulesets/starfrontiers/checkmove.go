package starfrontiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// move fills in the mode and says how far it will carry.
func (c *checker) move(in game.Intent) []game.Intent {
	modes := []string{"", "walk", "run", "dodge", "crawl"}
	if in.Mode == "sprint" {
		in.Mode = "run"
	}
	if row := c.t.feat(in.Mode); row != nil && !c.vaults(&in) {
		return c.feat(in, row)
	}
	if !slices.Contains(modes, in.Mode) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("Nobody moves by %q in this system.", in.Mode), "write walk, run, dodge or crawl")
		return nil
	}
	if in.Weave && in.Mode == "" {
		in.Mode = "dodge"
	}
	if c.reloads && !c.reacting && in.Mode != "crawl" && in.Mode != "walk" {
		if in.Mode != "" {
			c.add(game.Noted, "path", "Whoever reloads walks at most.", "the mode is walk")
		}
		in.Mode = "walk"
	}
	if in.EndPosture != "" && !slices.Contains(postures, in.EndPosture) {
		in.EndPosture = ""
	}
	for _, ref := range []game.Ref{in.To, in.Follow, in.AwayFrom} {
		if ref.IsZero() || c.reacting && ref.ID == game.Trigger || resolve.IsSelector(ref.ID) {
			continue
		}
		if _, ok := c.sc.place(ref, ""); !ok {
			c.add(game.Wrong, "path", fmt.Sprintf("%s knows no place or person called %q.", c.v.Self.Name, ref.String()), "write a square such as E4, something on the map, or somebody in sight")
			return nil
		}
	}
	if in.Direction != "" {
		if _, ok := c.sc.direction(in.Direction); !ok {
			c.add(game.Wrong, "path", fmt.Sprintf("%q is not a direction.", in.Direction), "write north, northeast …, or forward, back, left, right")
			return nil
		}
	}
	if in.Distance != nil && in.Distance.Tenths < 0 {
		d := *in.Distance
		d.Tenths = -d.Tenths
		in.Distance = &d
	}
	if in.StopWhen != nil && !c.condition(*in.StopWhen, false) {
		in.StopWhen = nil
	}
	if m := c.me.mode(in.Mode); in.Mode != "" && m != in.Mode {
		why := "Hurt as %s is, that is more than can be done."
		if c.me.has("winded") {
			why = "%s is out of breath and cannot run."
		}
		c.add(game.Noted, "path", fmt.Sprintf(why, c.v.Self.Name), "the mode is "+m)
		in.Mode = m
	}
	if c.moved || c.reacting {
		if in.Mode == "" {
			in.Mode = "walk"
			if c.reacting || in.Direction == "" && in.Distance == nil {
				in.Mode = "run"
			}
			in.Mode = c.me.mode(in.Mode)
		}
		c.moved = true
		return []game.Intent{in}
	}
	c.engaged()
	limits := map[string]int{}
	for _, m := range modes[1:] {
		limits[m] = c.me.allowance(c.t, m)*1000 - c.standCost(m)
	}
	unset := in.Mode == ""
	if unset {
		in.Mode = "walk"
		w := c.sc.route(in, "", limits["walk"], false)
		if !w.whole || w.cost > limits["walk"] {
			in.Mode = "run"
		}
		if w.why == "blocked" && len(w.path) == 0 {
			in.Mode = "walk"
		}
		if !in.AwayFrom.IsZero() {
			in.Mode = "run"
		}
		in.Mode = c.me.mode(in.Mode)
	}
	w := c.sc.route(in, "", max(limits[in.Mode], 0), false)
	switch {
	case w.why == "no_goal" && in.Mode != "dodge" && !resolve.IsSelector(in.To.ID) && !resolve.IsSelector(in.Follow.ID):
		c.ask("path", "Where to?", "without a goal nobody moves")
		return nil
	case w.why == "blocked":
		c.ask("path", "The way is blocked.", "he goes as far as he can")
	case !w.whole:
		c.ask("path", fmt.Sprintf("That is farther than %s can %s in a turn (%d m).", c.v.Self.Name, in.Mode, c.me.allowance(c.t, in.Mode)), "he goes as far as the mode allows")
	case unset && in.Mode == "run":
		c.add(game.Noted, "path", fmt.Sprintf("That is more than a walk of %d m, so he runs (%+d to hit while running).", c.me.allowance(c.t, "walk"), c.t.AttackerMovement["run"]), "")
	}
	if in.Mode == "crawl" && slices.Contains(c.t.Move.Unverified, "crawl_m") {
		c.add(game.Noted, "unverified", "How far one crawls is in no source seen.", fmt.Sprintf("%d m are taken", c.t.Move.Crawl))
	}
	c.moved = true
	return []game.Intent{in}
}

// standCost is what getting up takes of the allowance (17.3), in millimetres.
func (c *checker) standCost(mode string) int {
	if c.me.Posture != "prone" || mode == "crawl" {
		return 0
	}
	return c.me.allowance(c.t, "walk") * 1000 / 2
}

// cond checks an if with its branches.
func (c *checker) cond(in game.Intent, depth int) []game.Intent {
	if depth >= game.MaxNesting {
		c.add(game.Wrong, "trigger_unclear", "Conditions can be nested three deep.", "the inner one is left out")
		return nil
	}
	if in.When == nil || !c.condition(*in.When, false) {
		return nil
	}
	moved := c.moved
	var then, other []game.Intent
	for _, s := range in.Then[:min(len(in.Then), maxSteps)] {
		then = append(then, c.intent(s, depth+1)...)
	}
	after := c.moved
	c.moved = moved
	for _, s := range in.Else[:min(len(in.Else), maxSteps)] {
		other = append(other, c.intent(s, depth+1)...)
	}
	c.moved = c.moved || after
	if len(then) == 0 && len(other) == 0 {
		return nil
	}
	in.Then, in.Else = then, other
	return []game.Intent{in}
}

// condition checks a condition; for a reaction something in it must be able to
// set it off.
func (c *checker) condition(when game.Condition, trigger bool) bool {
	atoms := resolve.Atoms(when)
	sets := false
	for _, a := range atoms {
		row := c.t.condition(a.Kind)
		switch {
		case row == nil:
			c.ask("trigger_unclear", fmt.Sprintf("The rules of this system do not know the condition %q.", strings.ReplaceAll(a.Kind, "_", " ")),
				"it is not carried out; write it with: sees, is down, comes within … m, STA, ammunition, fires, moves")
			return false
		case !trigger && !row.State:
			c.ask("trigger_unclear", fmt.Sprintf("%q is something that happens, and can only set off what is held ready.", resolve.Title(strings.ReplaceAll(a.Kind, "_", " "))),
				"it is not carried out; write it as a reaction, and keep an action for it")
			return false
		case row.Class == "count" && c.setting("sequence") != "pbem" && a.Kind == "count":
			c.ask("trigger_unclear", "In this game's sequence there are no counts to wait for.", "it is not carried out; write: at the end of the turn")
			return false
		}
		sets = sets || row.Class != "" && !a.Not
		ids := append(slices.Clone(a.Who), a.By)
		for _, ref := range []game.Ref{a.Object, a.Of, a.Area} {
			ids = append(ids, c.named(ref).ID)
		}
		for _, id := range ids {
			if id != "" && !resolve.IsSelector(id) && id != c.me.ID && c.sc.person(id) == nil && c.sc.feature(id) == nil {
				c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, id), "name somebody in sight: "+c.inSight())
				return false
			}
		}
		if slices.Contains(row.Needs, "distance") && a.Distance == nil && a.Value == nil {
			c.ask("trigger_unclear", "Within what distance?", "without a distance it is not carried out")
			return false
		}
		if slices.Contains(row.Needs, "number") && a.Value == nil {
			c.ask("trigger_unclear", fmt.Sprintf("%s: what number?", resolve.Title(a.Kind)), "without a number it is not carried out")
			return false
		}
		if !trigger && (a.Kind == "declares" || a.Kind == "attacks") && !c.asked["faster_opponent"] {
			c.asked["faster_opponent"] = true
			c.add(game.Noted, "faster_opponent", "Only the plans of slower opponents in sight can be read.", "against a faster one this condition counts as false")
		}
	}
	if len(atoms) == 0 || trigger && !sets {
		c.ask("trigger_unclear", "What should set this off?", "without a trigger it is not carried out; write: if … comes within 10 m, or if … fires")
		return false
	}
	return true
}

// reaction checks a held order.
func (c *checker) reaction(x game.Reaction) (game.Reaction, bool) {
	if !c.condition(x.When, true) {
		return x, false
	}
	wasMoved := c.moved
	c.reacting = true
	var do []game.Intent
	for _, s := range x.Do[:min(len(x.Do), maxSteps)] {
		if row := c.t.verb(s.Verb); row != nil && !row.Held {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q cannot be held ready as a reaction.", s.Verb), "hold a shot, a blow or a move")
			continue
		}
		do = append(do, c.intent(s, 0)...)
	}
	c.reacting, c.moved = false, wasMoved
	if len(do) == 0 {
		return x, false
	}
	x.Do = do
	x.Max = min(max(x.Max, 1), 9)
	switch x.Until {
	case "next_turn", "cancelled":
	default:
		x.Until = "end_of_turn"
	}
	return x, true
}
