package parse

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
)

// chooseTarget finds whom a shot is fired at.
func (r *reader) chooseTarget(c *clause, s shot, in *game.Intent) bool {
	f := s.target
	done, deed := "shot at", "a shot"
	switch in.Verb {
	case "melee":
		done, deed = "struck", "a blow"
	case "throw", "launch":
		done, deed = "the target", "thrown"
	case "wrestle":
		done, deed = "seized", "a hold"
	}
	switch {
	case !s.thing.IsZero():
		in.Target = s.thing
		return true
	case s.object < 0 && !r.pending.target.IsZero():
		in.Target = r.pending.target
		r.pending.target = game.Ref{}
		return true
	case s.object < 0 && r.trigger != nil:
		f = *r.trigger
		f.pronoun = true
	case s.object < 0 && !r.target.IsZero():
		in.Target = r.target
		return true
	case s.object < 0:
		var enemies []int
		for i, e := range r.lx.people {
			if e.Relation == "enemy" {
				enemies = append(enemies, i)
			}
		}
		in.Pending = "which_target"
		r.question(c, "which_target", "Who shall be "+done+"?", r.choices(enemies), "this step is not done")
		return true
	}
	if r.pending.target != (game.Ref{}) {
		r.pending.target = game.Ref{}
	}
	if f.one() && r.lx.people[f.ids[0]].ID == r.lx.self && !f.unknown {
		in.Pending = "friendly_target"
		r.question(c, "friendly_target", "This would be "+deed+" at yourself. Do you mean it?", nil, "this step is not done")
		return true
	}
	if f.unknown {
		r.notSeen(c, f.text, s.from, s.to)
		return false
	}
	if f.race != "" || f.selector == game.Anyone {
		// "a Yazirian", "anyone": whoever it is, an enemy.
		if r.trigger == nil {
			in.Pending = "which_target"
			r.question(c, "which_target", fmt.Sprintf("Who is meant by “%s”?", f.text), nil, "this step is not done")
			return true
		}
	}
	if f.selector == game.AnyAlly || f.selector == game.Me {
		in.Pending = "friendly_target"
		r.question(c, "friendly_target", "This would be "+deed+" at your own side. Do you mean it?", nil, "this step is not done")
		return true
	}
	if kind := r.unclearPerson(c, f, true); kind != "" {
		if kind == "target_not_visible" {
			r.notSeen(c, f.text, s.from, s.to)
			return false
		}
		in.Pending = kind
		return true
	}
	switch {
	case f.selector == game.Anyone || f.race != "":
		in.Target = game.To(game.Trigger)
	case f.selector != "":
		in.Target = game.To(f.selector)
		if r.trigger != nil && (f.pronoun || f.selector == game.AnyEnemy) {
			in.Target = game.To(game.Trigger)
		}
	default:
		in.Target = game.To(r.lx.people[f.ids[0]].ID)
	}
	return true
}

// struck reads a thing of the map that an attack is made at, where this game's
// verb takes one: "shoot at the door". k is the length of the words before the
// target, n of a person that stands there too. Without such words it stands right
// behind the verb: what is shot over a thing, or from behind it, is not aimed at it.
func (r *reader) struck(verb string, s *shot, p, k, n int) int {
	if s.object >= 0 || !r.takes(verb, "object") || k == 0 && p != s.first {
		return 0
	}
	ref, _, m := r.place(p + k)
	if m <= n || !r.isPlace(ref.ID) {
		return 0
	}
	s.thing, s.object, s.from, s.to = ref, p, p+k, p+k+m
	return k + m
}

// whoClause reads "who comes within 5 m" behind "anyone": the shot then waits
// for that.
func (r *reader) whoClause(s *shot, p int) int {
	f := s.target
	cr := conditionReader{reader: r}
	if p >= len(r.toks) || f.selector == "" && f.race == "" || r.trigger != nil {
		return 0
	}
	from := p + 1
	if !r.toks[p].is("who") && !r.toks[p].is("that") {
		if from = p; !cr.progressive(p) {
			return 0
		}
	}
	when, q, ok := cr.predicate(f, from)
	if !ok || !cr.ends(q) {
		return 0
	}
	s.when = &when
	return q - p
}
