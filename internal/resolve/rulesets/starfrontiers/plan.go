package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// Bounds of a plan: whatever lies beyond is cut off before it is looked at.
const (
	maxSteps     = 60
	maxReactions = 20
	maxSpeech    = 20
	maxRounds    = 20
	maxText      = 2000
)

// spends is how many sub-actions an intent takes (4.4). What the rules do not
// know takes none: the GM says what it costs. Of a set, the check has written
// into Wait what the change of the dial costs.
func spends(in *game.Intent) int {
	switch in.Verb {
	case "fire":
		return max(in.Shots, 1)
	case "melee":
		return max(in.Blows, 1)
	case "if":
		if in.When != nil && in.When.Kind == "impossible" && !in.When.Not {
			return 0 // the fallback of the step before
		}
		return max(spendsAll(in.Then), spendsAll(in.Else))
	case "ready":
		if in.Action == "pick_up" {
			return 1
		}
		return 0
	case "move", "posture", "face", "say", "ask", "prefer", "wait", "special":
		return 0
	case "set":
		return in.Wait
	case "use":
		if opensDoor(in) {
			return 0
		}
	}
	return 1
}

func spendsAll(steps []game.Intent) int {
	n := 0
	for i := range steps {
		n += spends(&steps[i])
	}
	return n
}

// wholeTurn reports what is all that one does in a turn but for moving (9.4).
func wholeTurn(in *game.Intent) bool {
	switch in.Verb {
	case "reload", "defend", "use", "plug", "unplug":
		return !opensDoor(in)
	}
	return false
}

// each calls do for every intent of a list, nested ones included.
func each(steps []game.Intent, do func(*game.Intent)) { eachTo(steps, do, game.MaxNesting+1) }

func eachTo(steps []game.Intent, do func(*game.Intent), depth int) {
	if depth < 0 {
		return
	}
	for i := range steps {
		do(&steps[i])
		eachTo(steps[i].Then, do, depth-1)
		eachTo(steps[i].Else, do, depth-1)
	}
}

// roundOf gives the part of a plan that belongs to a round; ok is false when
// the plan says nothing about it.
func roundOf(p game.Plan, round int) (game.Plan, bool) {
	in := func(r int) bool { return r == round || r <= 0 && round == 1 }
	out := game.Plan{Standing: p.Standing}
	place := map[int]int{}
	for i, s := range p.Steps {
		if in(s.Round) {
			place[i] = len(out.Steps)
			s.Round = 0
			out.Steps = append(out.Steps, s)
		}
	}
	for _, r := range p.Reactions {
		if !in(r.Round) {
			continue
		}
		r.Round = 0
		if r.Slot != nil {
			if i, ok := place[*r.Slot]; ok {
				r.Slot = &i
			} else {
				r.Slot = nil
			}
		}
		out.Reactions = append(out.Reactions, r)
	}
	if round == 1 {
		out.Say = p.Say
		return out, true
	}
	return out, len(out.Steps) > 0 || len(out.Reactions) > 0
}

// weaponsUsed lists the weapons that any branch or reaction of a plan uses.
func weaponsUsed(p game.Plan) map[game.ID]bool {
	uses := map[game.ID]bool{}
	note := func(in *game.Intent) {
		switch in.Verb {
		case "fire", "reload", "melee", "burst", "launch":
			uses[in.Weapon] = true
		case "throw":
			uses[in.Item] = true
		case "ready":
			if in.Action == "draw" || in.Action == "swap" {
				uses[in.Item] = true
			}
		}
	}
	each(p.Steps, note)
	for _, r := range p.Reactions {
		each(r.Do, note)
	}
	delete(uses, "")
	return uses
}

// unit is one sub-action of a plan with the free steps that go before it.
type unit struct {
	pre   []game.Intent
	act   game.Intent   // no verb: only what goes before it
	fall  []game.Intent // what to do if act has become impossible
	then  bool          // belongs to the if before it, which has not been decided yet
	spent bool          // of a hold: its sub-action has gone to a reaction
	step  int           // index of the step of the plan, from 0; -1: of no step
}

// compile makes sub-actions of steps: a series of shots becomes single ones, an
// if takes as many as its larger branch and keeps them until it is decided.
// after is what follows the last sub-action.
func compile(steps []game.Intent) (units []unit, after []game.Intent) {
	var pre []game.Intent
	for i, s := range steps {
		n := spends(&s)
		switch {
		case s.Verb == "if" && s.When != nil && s.When.Kind == "impossible" && !s.When.Not && len(units) > 0:
			last := units[len(units)-1].step
			for j := range units {
				if units[j].step == last {
					units[j].fall = s.Then
				}
			}
		case n == 0:
			pre = append(pre, s)
		case s.Verb == "if":
			for j := range n {
				u := unit{act: s, step: i, then: j > 0}
				if j == 0 {
					u.pre, pre = pre, nil
				}
				units = append(units, u)
			}
		default:
			for j := range n {
				one := s
				switch s.Verb {
				case "fire":
					one.Shots = 1
				case "melee":
					one.Blows = 1
				}
				u := unit{act: one, step: i}
				if j == 0 {
					u.pre, pre = pre, nil
				}
				units = append(units, u)
			}
		}
	}
	return units, pre
}

// withHolds appends the sub-actions that reactions keep when no hold step feeds
// them, and makes a plan of movement only one sub-action.
func withHolds(units []unit, after []game.Intent, rx []game.Reaction) ([]unit, []game.Intent) {
	holds := slices.ContainsFunc(units, func(u unit) bool { return u.act.Verb == "hold" })
	for _, x := range rx {
		if x.Slot != nil || holds {
			continue
		}
		for range max(spendsAll(x.Do), 1) * max(x.Max, 1) {
			if len(units) >= 9 {
				break
			}
			units = append(units, unit{pre: after, act: game.Intent{Verb: "hold"}, step: -1})
			after = nil
		}
	}
	if len(units) == 0 {
		return []unit{{pre: after, step: -1}}, nil
	}
	return units, after
}
