package eternalsoldier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// checker judges one plan. It knows nothing but the view.
type checker struct {
	r        *Ruleset
	v        game.View
	k        *knowledge // nil for a scene that is no world
	problems []game.Problem
	step     int // 1-based, of the plan given
	span     game.Span
}

// Check implements resolve.Ruleset: what names somebody or something that the
// actor does not know of is refused, and what the rules forbid outright.
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	c := &checker{r: r, v: v}
	c.k, _ = r.know(v)
	out := p
	if c.k != nil {
		if !c.k.me.able() {
			if !p.Empty() {
				c.add(game.Wrong, "contradiction", v.Self.Name+" is out of action and can do nothing.", "no orders are needed until he is on his feet again")
			}
			return game.Plan{Ask: p.Ask, Questions: p.Questions, Unparsed: p.Unparsed}, c.problems
		}
		out.Steps = c.intents(p.Steps, 0)
		if len(out.Steps) > maxSteps {
			c.add(game.Wrong, "too_many_actions", fmt.Sprintf("The plan has %d steps.", len(out.Steps)), fmt.Sprintf("the first %d are carried out", maxSteps))
			out.Steps = out.Steps[:maxSteps]
		}
		out.Reactions = nil
		for _, x := range p.Reactions[:min(len(p.Reactions), maxReactions)] {
			c.step, c.span = 0, x.At
			if x.Do = c.intents(x.Do, 1); len(x.Do) > 0 {
				out.Reactions = append(out.Reactions, x)
			}
		}
	}
	out.Standing = nil
	for _, s := range p.Standing[:min(len(p.Standing), maxStanding)] {
		if c.standing(s) {
			out.Standing = append(out.Standing, s)
		}
	}
	return out, c.problems
}

func (c *checker) add(severity game.Severity, kind, text, do string) {
	c.problems = append(c.problems, game.Problem{Severity: severity, Kind: kind, Text: text, Do: do, At: c.span, Step: c.step})
}

// standing reports whether a standing order holds. Missiles cannot be parried
// (5.1), and a counter-throw is for judo and for empty hands (10.2).
func (c *checker) standing(s game.Standing) bool {
	in := s.Policy
	if in != nil && in.Verb == "counter_throw" && in.Allow == nil && c.k != nil {
		c.step, c.span = 0, in.At
		if c.k.percent(c.k.me, "judo") <= 0 {
			c.add(game.Wrong, "illegal_option", c.v.Self.Name+" has not learnt judo.", "nobody is counter-thrown; write parry or dodge")
			return false
		}
		if c.k.me.hand("main") != nil || c.k.me.hand("off") != nil {
			c.add(game.Noted, "illegal_option", "A counter-throw needs both hands empty.", "while there is something in them it is not made")
		}
		return true
	}
	if in == nil || in.Verb != "parry_policy" || in.Allow != nil || !slices.ContainsFunc(in.Against, func(id game.ID) bool { return c.r.missile(c.v, id) }) {
		return true
	}
	c.problems = append(c.problems, game.Problem{
		Severity: game.Asked, Kind: "illegal_option", Text: "Missiles cannot be parried, only dodged.", Do: "nothing is parried; write “dodge arrows” to dodge them", At: in.At,
	})
	return false
}

// intents checks steps and gives those that may be carried out.
func (c *checker) intents(list []game.Intent, depth int) []game.Intent {
	var out []game.Intent
	for i, in := range list {
		if depth == 0 {
			c.step, c.span = i+1, in.At
		}
		if in.Verb == "if" {
			if depth > game.MaxNesting {
				c.add(game.Wrong, "free_text", "Conditions are nested too deeply.", "this one is not carried out")
				continue
			}
			in.Then, in.Else = c.intents(in.Then, depth+1), c.intents(in.Else, depth+1)
			if len(in.Then)+len(in.Else) == 0 {
				continue
			}
			out = append(out, in)
			continue
		}
		if c.allowed(in) {
			out = append(out, in)
		}
	}
	return out
}

// allowed reports that a step may be carried out as far as its actor knows.
func (c *checker) allowed(in game.Intent) bool {
	if !slices.ContainsFunc(c.r.Planned.Vocabulary(c.v).Verbs, func(v game.Verb) bool { return v.Name == in.Verb }) && !isPolicy(in.Verb) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("There is no such thing to do here: %s.", in.Verb), "write one of the words that HELP ORDERS lists")
		return false
	}
	for _, ref := range []game.Ref{in.Target, in.Follow, in.AwayFrom} {
		if ref.ID != "" && !c.known(ref.ID) {
			c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s knows of nobody called %s here.", c.v.Self.Name, ref.ID), "this step is not carried out; name somebody you see")
			return false
		}
	}
	if in.To.ID != "" && in.Verb != "say" && !c.known(in.To.ID) {
		c.add(game.Wrong, "path", fmt.Sprintf("%s knows of no %s here.", c.v.Self.Name, in.To.ID), "this step is not carried out; name a place of the map")
		return false
	}
	if isAttack(in.Verb) && in.Target.ID == c.v.Self.ID && in.Target.ID != "" {
		c.add(game.Wrong, "friendly_target", c.v.Self.Name+" does not attack himself.", "this step is not carried out")
		return false
	}
	for _, id := range []game.ID{in.Weapon, in.Item} {
		if id != "" && id != game.BareHands && id != "kick" && !c.carries(id) && !(in.Verb == "use" && c.known(id)) {
			c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("%s has no %s.", c.v.Self.Name, id), "this step is not carried out")
			return false
		}
	}
	if in.Verb == "throw" && in.Fuse != "" && in.Fuse != "impact" {
		c.add(game.Noted, "illegal_option", "Whatever is thrown goes off where it lands.", "the fuse is not set")
	}
	if in.Called != "" && c.k.word("called_shots") != "true" {
		c.add(game.Noted, "illegal_option", "Called shots are not played in this game.", "the attack is made without aiming at the "+placeName(in.Called))
	}
	if isAttack(in.Verb) && in.Target.IsZero() && in.To.IsZero() {
		c.add(game.Noted, "which_target", "Nobody is named for this attack.", "it is for the nearest enemy then")
	}
	if in.Ability == braced && !rests(c.v.Features, c.v.Self.Place) {
		c.add(game.Noted, "illegal_option", "There is nothing here to rest a weapon on.", "unless that has changed by then, it is fired without")
	}
	a, ok := c.k.weaponFor(in)
	switch {
	case in.Verb == "set" && c.k.me.field(in.Item) != nil && (in.State == "on" || in.State == "off"):
		return true
	case in.Verb == "set":
		c.add(game.Wrong, "illegal_option", "There is nothing to set here.", "this step is not carried out; automatic fire is “full auto with …”")
	case in.Verb == "prefer":
		c.add(game.Wrong, "illegal_option", "These rules know no order of preference among targets.", "this is not carried out; name the target of each attack")
	case in.Verb == "defend":
		c.add(game.Noted, "illegal_option", "Here one defends by parrying or dodging each blow.", "he waits, under the policies that he has; write for example “parry up to -30, else dodge”")
		return true
	case in.Verb == "auto_fire" && in.Weapon != "" && ok && a.rate() == 0:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s does not fire on automatic.", a.Name), "this step is not carried out; write “fire” for single shots")
	case isAttack(in.Verb) && in.Weapon != "" && ok && a.Broken:
		c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("The %s is broken.", a.Name), "this step is not carried out")
	case in.Verb == "posture" && !slices.Contains([]string{"stand", "kneel", "crouch", "prone"}, in.Posture):
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("There is no posture %q.", in.Posture), "write stand, kneel or prone")
	case in.Verb == "acrobatics" && c.k.percent(c.k.me, "acrobatics") == 0:
		c.add(game.Noted, "illegal_option", c.v.Self.Name+" has not learnt Acrobatics.", "only an 01 helps, and a fumble is a fall")
		return true
	case in.Verb == treat && c.k.percent(c.k.me, "medic") == 0:
		c.add(game.Wrong, "illegal_option", c.v.Self.Name+" has not learnt Medic.", "this step is not carried out")
	case in.Verb == "climb_down" && c.k.me.Up == "":
		c.add(game.Noted, "illegal_option", c.v.Self.Name+" stands on the ground now.", "it is tried when its turn comes")
		return true
	case in.Verb == "move" && in.Mode == "jump" && c.feature(in.To.ID):
		return true
	case in.Verb == "move" && c.k.pace(in.Mode) == 0:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("One cannot move like that: %s.", in.Mode), "write walk, run or crawl; jump onto or over a thing of the map, climb into a tree")
	default:
		return true
	}
	return false
}

// known: a selector, somebody or something that the viewer knows of.
func (c *checker) known(id game.ID) bool {
	return resolve.IsSelector(id) || id == c.v.Self.ID ||
		slices.ContainsFunc(c.v.Others, func(o game.Sight) bool { return o.ID == id }) ||
		slices.ContainsFunc(c.v.Features, func(f game.Feature) bool { return f.ID == id }) ||
		c.carries(id)
}

// feature reports a thing of the map.
func (c *checker) feature(id game.ID) bool {
	return slices.ContainsFunc(c.v.Features, func(f game.Feature) bool { return f.ID == id })
}

func (c *checker) carries(id game.ID) bool {
	is := func(t game.Thing) bool { return t.ID == id }
	return slices.ContainsFunc(c.v.Weapons, is) || slices.ContainsFunc(c.v.Items, is)
}

// missile reports a kind of attack, or somebody who holds a weapon, of which
// missiles come.
func (r *Ruleset) missile(v game.View, id game.ID) bool {
	if id == "missile" || id == "gun" {
		return true
	}
	for _, o := range v.Others {
		if o.ID == id {
			return slices.Contains(r.Uses(strings.ReplaceAll(strings.ToLower(o.Holding), " ", "_")), "ranged")
		}
	}
	return false
}
