package starfrontiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// declarations is the moment when plans have been declared and nothing has been
// done yet. In the two-phase variant whoever is faster may answer what he sees
// declared (4.3); in the sequence by sides the next side declares, which sees
// what those before it have declared (3.1 no. 3).
func (e *engine) declarations(plans map[game.ID]ordered) *game.Pause {
	told := e.stage.Declared
	switch sequence := e.w.setting("sequence"); {
	case sequence == "side":
		last := 0
		for _, s := range e.st {
			last = max(last, s.order)
		}
		for side := last - 1 - told; side >= 0; side-- {
			told++
			if p := e.askThose(func(c, x *state) bool { return c.order == side && x.order > side }, "declaration", told, plans); p != nil {
				return p
			}
		}
	case sequence == "pbem" && e.w.setting("pbem.declaration") == "two_phase" && told == 0:
		return e.askThose(func(c, x *state) bool { return x.init.total < c.init.total }, "two_phase", 1, plans)
	}
	return nil
}

// askThose asks every player's combatant who sees something declared that he may
// answer.
func (e *engine) askThose(may func(c, x *state) bool, reason string, told int, plans map[game.ID]ordered) *game.Pause {
	p := game.Pause{Reason: reason, Briefs: map[game.ID]string{}, Free: true}
	order := slices.Clone(e.st)
	slices.SortFunc(order, func(a, b *state) int { return cmp.Or(swifter(b, a), strings.Compare(string(a.f.ID), string(b.f.ID))) })
	for _, c := range e.st {
		if c.f.Player == "" || c.surprised || c.f.Once {
			continue
		}
		var lines []string
		for _, x := range order {
			if x == c || !may(c, x) || x.f.Secret || e.w.relation(c.f, x.f) == "ally" || !e.knows(c.f, x.f) {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s is about to %s.", x.f.Name, e.declared(c, x)))
		}
		if len(lines) > 0 {
			p.Asks = append(p.Asks, c.f.ID)
			p.Briefs[c.f.ID] = strings.Join(lines, " ") + " " + c.f.Name + " may change his orders; without a word they stand."
		}
	}
	out := e.pause(p, plans)
	if out == nil {
		return nil
	}
	st := e.w.Stage
	st.Declared = told
	if reason == "two_phase" {
		st.First = map[game.ID]game.Plan{}
	}
	st.Dice, st.Totals = map[string]game.Die{}, map[game.ID]int{}
	for _, s := range e.st {
		if s.init.die.Name != "" {
			st.Dice[s.init.die.Name] = s.init.die
		}
		if s.init.ruled {
			st.Totals[s.f.ID] = s.init.total
		}
		if reason == "two_phase" {
			st.First[s.f.ID] = *storedPlan(game.Plan{Steps: s.plan.Steps})
		}
	}
	for _, d := range e.ties {
		st.Dice[d.Name] = d
	}
	return out
}

// declared says in plain words what of a plan can be read: its unconditional
// steps, no dials, nothing held back (4.3, A-06).
func (e *engine) declared(c, x *state) string {
	var parts []string
	for _, in := range x.plan.Steps {
		if s := e.intention(c, x, in); s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return "wait and see"
	}
	return strings.Join(parts, ", then ")
}

func (e *engine) intention(c, x *state, in game.Intent) string {
	at := func(prep string) string {
		if name := e.meant(c, x, in.Target); name != "" {
			return " " + prep + " " + name
		}
		return ""
	}
	many := func(n int, what string) string {
		if n > 1 {
			return fmt.Sprintf(" (%d %s)", n, what)
		}
		return ""
	}
	switch in.Verb {
	case "fire":
		return "fire" + at("at") + many(in.Shots, "shots")
	case "melee":
		return "strike" + at("at") + many(in.Blows, "blows")
	case "burst", "throw", "launch", "wrestle":
		return in.Verb + map[string]string{"burst": " fire", "throw": " something", "launch": " something", "wrestle": ""}[in.Verb] + at("at")
	case "move":
		to := e.meant(c, x, in.To)
		switch mode := e.modeWord(x, in); {
		case to != "":
			return mode + " to " + to
		case !in.AwayFrom.IsZero():
			return mode + " away"
		case in.Mode == "dodge":
			return "dodge"
		default:
			return mode
		}
	case "posture":
		return map[string]string{"prone": "drop to the ground", "stand": "stand up", "kneel": "kneel down"}[in.Posture] + map[bool]string{true: "crouch down"}[in.Posture == "crouch"]
	case "reload":
		return "reload"
	case "ready":
		if in.Action == "draw" || in.Action == "swap" {
			return "draw a weapon"
		}
		return ""
	case "use":
		return "use something"
	case "defend":
		return "stand on guard"
	}
	return ""
}

func (e *engine) modeWord(x *state, in game.Intent) string {
	if in.Mode == "" {
		return "move"
	}
	return x.f.mode(in.Mode)
}

// meant is what the one who reads a declaration calls its goal: somebody whom he
// perceives, a thing or a square; of others he cannot tell who is meant.
func (e *engine) meant(c, x *state, ref game.Ref) string {
	switch {
	case ref.IsZero():
		return ""
	case ref.Square != nil:
		return ref.Square.String()
	}
	p := e.scene(x).pick(ref.ID, "")
	if ref.ID == game.Me {
		return "himself"
	}
	if p == nil {
		if f := e.scene(c).feature(ref.ID); f != nil {
			return f.Name
		}
		return "somebody"
	}
	if p.id == c.f.ID {
		return c.f.Name
	}
	if o := e.w.fighter(p.id); o != nil && e.sees(c.f, o) {
		return e.w.nameFor(e.tables, c.f, o)
	}
	return "somebody"
}
