package starfrontiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// checker judges one plan. It knows nothing but the view.
type checker struct {
	*knowledge
	problems []game.Problem
	step     int       // 1-based, of the plan given
	span     game.Span // where that step was read
	moved    bool      // an earlier step moves him, so that distances will change
	reacting bool      // inside a reaction, where targets and distances are those of its moment
	drawn    bool      // the note on drawing was given
	dials    map[game.ID]int
	modes    map[game.ID]string // set in this plan
	changed  int                // dial changes
	begun    bool
	reloads  bool // the round goes into reloading, with which one walks at most (9.4)
	asked    map[string]bool
}

// Check implements resolve.Ruleset.
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	k, ok := r.know(v)
	if !ok {
		return p, nil
	}
	return check(k, p)
}

// check judges a plan by what is known.
func check(k *knowledge, p game.Plan) (game.Plan, []game.Problem) {
	name := k.v.Self.Name
	c := &checker{knowledge: k, dials: map[game.ID]int{}, modes: map[game.ID]string{}, asked: map[string]bool{}}
	for _, q := range p.Questions {
		c.asked[q.Kind] = true
	}
	out := game.Plan{Ask: p.Ask, Questions: p.Questions, Unparsed: p.Unparsed}
	if !k.me.able() {
		if !p.Empty() {
			c.add(game.Wrong, "contradiction", name+" is out of action and can do nothing.", "no orders are needed until he is on his feet again")
		}
		return out, c.problems
	}
	if k.me.bound() && len(p.Steps)+len(p.Reactions) > 0 {
		c.add(game.Noted, "contradiction", name+" is held by threads and can do nothing but talk.", "the orders hold in case he gets free before")
	}
	for _, s := range p.Say[:min(len(p.Say), maxSpeech)] {
		s.Text = clip(s.Text)
		out.Say = append(out.Say, s)
	}
	steps := p.Steps
	if len(steps) > maxSteps {
		c.add(game.Wrong, "too_many_actions", fmt.Sprintf("The plan has %d steps.", len(steps)), fmt.Sprintf("the first %d are carried out", maxSteps))
		steps = steps[:maxSteps]
	}
	reactions := p.Reactions[:min(len(p.Reactions), maxReactions)]
	byRound := map[int]bool{}
	for _, s := range steps {
		byRound[round1(s.Round)] = true
	}
	for _, x := range reactions {
		byRound[round1(x.Round)] = true
	}
	for round := 1; round <= maxRounds; round++ {
		if byRound[round] {
			c.round(&out, steps, reactions, round)
		}
	}
	c.standing(&out, p.Standing)
	return out, c.problems
}

func round1(r int) int { return min(max(r, 1), maxRounds) }

func clip(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// round checks what belongs to one round and adds it to the plan.
func (c *checker) round(out *game.Plan, steps []game.Intent, reactions []game.Reaction, round int) {
	c.moved, c.changed, c.begun, c.reloads = round > 1, 0, false, false
	for i := range steps {
		c.reloads = c.reloads || steps[i].Verb == "reload" && round1(steps[i].Round) == round
	}
	each(steps, func(in *game.Intent) {
		if isAttack(in.Verb) && round1(in.Round) == round {
			c.reloads = false // then he shoots and does not reload
		}
	})
	var kept []game.Intent
	var at []int // the step of the plan, from 1, that each kept one comes from
	for i, s := range steps {
		if round1(s.Round) != round {
			continue
		}
		c.step, c.span = i+1, s.At
		got := c.intent(s, 0)
		for range got {
			at = append(at, i+1)
		}
		kept = append(kept, got...)
	}
	kept, at = c.together(kept, at)
	var rx []game.Reaction
	for _, x := range reactions {
		if round1(x.Round) != round {
			continue
		}
		c.step, c.span = 0, x.At
		y, ok := c.reaction(x)
		switch {
		case !ok:
		case y.When.Kind == "notice":
			y.Until, y.Slot, y.Round = "cancelled", nil, 0
			out.Standing = append(out.Standing, game.Standing{Reaction: &y})
		default:
			rx = append(rx, y)
		}
	}
	rx = c.unmixed(kept, rx)
	kept, at, left := c.entitled(kept, at, rx)
	holds := false
	for _, s := range kept {
		holds = holds || s.Verb == "hold"
	}
	for i := range rx {
		if rx[i].Slot == nil {
			continue
		}
		// The hold that feeds it may have moved, or be gone.
		hold := slices.Index(at, *rx[i].Slot+1)
		if hold < 0 || kept[hold].Verb != "hold" {
			rx[i].Slot = nil
			continue
		}
		hold += len(out.Steps)
		rx[i].Slot = &hold
	}
	rx = c.fed(rx, holds, left)
	if holds && len(rx) == 0 {
		c.step, c.span = 0, game.Span{}
		c.add(game.Noted, "trigger_unclear", "An action is held back, but no order says for what.", "it is lost at the end of the turn")
	}
	out.Steps = append(out.Steps, kept...)
	out.Reactions = append(out.Reactions, rx...)
}

func (c *checker) standing(out *game.Plan, standing []game.Standing) {
	for _, s := range standing[:min(len(standing), maxReactions)] {
		c.step, c.moved = 0, true
		switch {
		case s.Policy != nil:
			c.span = s.Policy.At
			for _, in := range c.intent(*s.Policy, 0) {
				out.Standing = append(out.Standing, game.Standing{Policy: &in})
			}
		case s.Reaction != nil:
			c.span = s.Reaction.At
			stands := *s.Reaction
			if stands.Until == "" {
				stands.Until = "cancelled" // until it is taken back
			}
			if x, ok := c.reaction(stands); ok {
				out.Standing = append(out.Standing, game.Standing{Reaction: &x})
			}
		}
	}
}

func (c *checker) add(sev game.Severity, kind, text, do string) {
	c.problems = append(c.problems, game.Problem{Severity: sev, Kind: kind, Text: text, Do: do, Step: c.step, At: c.span})
}

// ask is add for a question that the parser has not put already.
func (c *checker) ask(kind, text, do string) {
	if !c.asked[kind] {
		c.add(game.Asked, kind, text, do)
	}
}

// never are the questions whose default is not to do the step at all.
var never = []string{
	"which_target", "grenade_kind", "target_not_visible", "not_your_character", "unknown_weapon", "which_weapon",
	"trigger_unclear", "contradiction", "friendly_target", "free_text", "illegal_option", "no_previous",
}

// intent checks one step and gives what is carried out of it: nothing, the step
// itself, or with what has to go before it.
func (c *checker) intent(in game.Intent, depth int) []game.Intent {
	if in.Pending != "" {
		if slices.Contains(never, in.Pending) {
			return nil
		}
		c.asked[in.Pending] = true
		in.Pending = ""
	}
	in.Text = clip(in.Text)
	for _, ref := range []*game.Ref{&in.To, &in.Target, &in.AwayFrom, &in.Follow} {
		*ref = c.named(*ref)
	}
	row := c.t.verb(in.Verb)
	switch {
	case row == nil && in.Verb != "ask":
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("This game has no order %q.", in.Verb), "leave it out, or say in your own words what you want")
		return nil
	case row != nil && !row.Built:
		c.add(game.Wrong, "not_built", fmt.Sprintf("The rules of this system are not built for %q yet.", strings.ReplaceAll(in.Verb, "_", " ")),
			"it is not carried out; order something else, or ask the GM for a ruling in your own words")
		return nil
	}
	switch in.Verb {
	case "fire":
		return c.fire(in)
	case "melee":
		return c.melee(in)
	case "burst":
		return c.burst(in)
	case "throw":
		return c.throw(in)
	case "launch":
		return c.launch(in)
	case "plug", "unplug":
		return c.plug(in)
	case "move":
		return c.move(in)
	case "posture":
		if !slices.Contains(postures, in.Posture) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q is not a posture.", in.Posture), "write stand, crouch, kneel or prone")
			return nil
		}
		if in.Posture != "prone" && c.me.has("lamed") {
			c.add(game.Wrong, "illegal_option", c.v.Self.Name+" cannot get up: the legs do not carry.", "he stays where he lies")
			return nil
		}
	case "face":
		_, okDir := c.sc.direction(in.Direction)
		if _, ok := c.sc.place(in.Target, ""); !ok && !okDir && in.Target.ID != game.Trigger {
			c.add(game.Wrong, "target_not_visible", "There is nothing of that name to turn to.", "write a direction, such as north, or somebody you see")
			return nil
		}
	case "ready":
		return c.ready(in)
	case "reload":
		return c.reload(in)
	case "set":
		return c.set(in)
	case "use":
		return c.use(in)
	case "if":
		return c.cond(in, depth)
	case "special":
		if c.me.ragesBy(in) {
			return c.rage(in)
		}
		c.add(game.Noted, "free_text", "The rules do not say how this ends.", "it goes to the GM; unless he rules otherwise, nothing happens")
	case "hold":
		in.Max = min(max(in.Max, 0), 9)
	}
	return []game.Intent{in}
}

// named reads a square written as a name ("E4") when nothing else has that name.
func (c *checker) named(ref game.Ref) game.Ref {
	if ref.ID == "" || c.sc.person(ref.ID) != nil || c.sc.feature(ref.ID) != nil {
		return ref
	}
	if sq, ok := game.ParseSquare(string(ref.ID)); ok {
		return game.AtSquare(sq)
	}
	return ref
}

// weapon finds the weapon meant, or says why there is none.
func (c *checker) weapon(id game.ID) *Weapon {
	if id == "" {
		wp := c.me.gun(c.t)
		if wp == nil {
			c.add(game.Wrong, "unknown_weapon", c.v.Self.Name+" carries no weapon that can be fired.", "the shot is left out")
		}
		return wp
	}
	if wp := c.me.weapon(id); wp != nil {
		return wp
	}
	var have []string
	for _, w := range c.me.Weapons {
		have = append(have, w.Name)
	}
	do := c.v.Self.Name + " carries no weapon"
	if len(have) > 0 {
		do = "carried: " + strings.Join(have, ", ")
	}
	c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("There is no %q on the sheet of %s.", id, c.v.Self.Name), do)
	return nil
}

// target checks whom or what is shot at.
func (c *checker) target(ref game.Ref) bool {
	switch {
	case ref.IsZero() && c.reacting: // at whoever set it off
		return true
	case ref.IsZero():
		c.ask("which_target", "At whom?", "name the target; without a name the shot is not fired")
		return false
	case ref.Square != nil || c.sc.feature(ref.ID) != nil:
		c.add(game.Wrong, "illegal_option", "Shots at places and things are not built yet.", "name somebody you see")
		return false
	case ref.ID == game.Me || ref.ID == c.me.ID:
		c.add(game.Wrong, "friendly_target", "That would be a shot at oneself.", "name another target")
		return false
	case ref.ID == game.Trigger && c.reacting:
		return true
	case ref.ID == game.Leader:
		c.ask("which_target", "Who is the leader? That is not to be seen.", "name the target; without a name the shot is not fired")
		return false
	case resolve.IsSelector(ref.ID):
		if ref.ID == game.AnyAlly || ref.ID == game.Anyone || ref.ID == game.Trigger {
			c.ask("which_target", "At whom?", "name the target; without a name the shot is not fired")
			return false
		}
		if !c.reacting && !c.moved && c.sc.pick(ref.ID, "") == nil {
			c.add(game.Noted, "target_not_visible", "No such target is in sight now.", "the shot is fired if there is one when the moment comes")
		}
		return true
	}
	p := c.sc.person(ref.ID)
	switch {
	case p == nil || !p.seen && p.relation != "ally":
		c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, ref.ID), "name somebody in sight: "+c.inSight())
		return false
	case p.relation == "ally":
		c.ask("friendly_target", p.name+" is on your own side.", "the shot is not fired; if you mean it, tell the GM so in your own words")
		return false
	case c.beyondBlows(p.id) && !c.reacting:
		c.add(game.Wrong, "target_not_visible", p.name+" is down already.", "name another target: "+c.inSight())
		return false
	case p.down && !c.reacting:
		c.add(game.Noted, "target_not_visible", p.name+" lies there and cannot act.", "he is shot at all the same")
	}
	return true
}

func (c *checker) inSight() string {
	var names []string
	for _, p := range c.sc.people {
		if p.seen && p.relation != "ally" && !p.down {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return "nobody is in sight"
	}
	return strings.Join(names[:min(len(names), 12)], ", ")
}
