package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

func burstsWith(e entity) bool {
	return e.Thing != nil && (slices.Contains(e.Thing.Modes, "burst") || slices.Contains(e.Thing.Modes, "auto"))
}

// burstVerb is the verb of automatic fire in this game: "burst", "auto_fire" or none.
func (r *reader) burstVerb() string {
	for _, v := range []string{"burst", "auto_fire"} {
		if _, ok := r.lx.verbs[v]; ok {
			return v
		}
	}
	return ""
}

// bursts reports that the clause from p on speaks of automatic fire.
func (r *reader) bursts(p int) bool {
	if r.burstVerb() == "" {
		return false
	}
	for end := r.skip(p); p < end; p++ {
		if _, n := r.lx.at("burst", r.toks, p); n > 0 {
			return true
		}
	}
	return false
}

// burst reads automatic fire at one or several, or at a place.
func (r *reader) burst(c *clause, _ int) ([]node, bool) {
	verb := r.burstVerb()
	in := game.Intent{Verb: verb}
	s := shot{object: -1, weapons: c.weapons, named: len(c.weapons) > 0}
	var who []found
	bursts := 1
	r.slots(c, func(p int) int {
		if v, n := r.whole(p); n > 0 {
			if _, k := r.lx.at("burst", r.toks, p+n); k > 0 {
				bursts = v
				return n + k
			}
		}
		if _, n := r.lx.at("burst", r.toks, p); n > 0 {
			return n
		}
		if _, n := r.lx.at("ceasefire", r.toks, p); n > 0 {
			return n
		}
		if verb == "auto_fire" {
			if n := r.timing(verb, &in, p); n > 0 {
				return n
			}
		}
		if a := r.count(p); a.n > 0 && (a.noun || a.all) && s.amount.n == 0 {
			s.amount = a
			return a.n
		}
		k := 0
		if _, n := r.lx.at("using", r.toks, p); n > 0 {
			k = n
		}
		if ids, n := r.thing(p+k, isRanged); n > 0 && !s.named {
			s.weapons, s.named = ids, true
			return k + n
		}
		if _, n := r.lx.at("until", r.toks, p); n > 0 && s.until == nil {
			if n := r.untilWhen(&s, p, n); n > 0 {
				return n
			}
		}
		_, k = r.lx.at("target", r.toks, p)
		if _, n := r.lx.at("sweeping", r.toks, p); n > k {
			k = n
		}
		if k == 0 && len(who) > 0 && (r.toks[p].is("and") || r.toks[p].is(",") || r.toks[p].is("&") || r.toks[p].is("+")) {
			k = 1
			if p+1 < len(r.toks) && r.toks[p+1].is("and") {
				k = 2
			}
		}
		f, n := r.person(p + k)
		ref, _, m := r.place(p + k)
		if m > n && !ref.IsZero() && in.Area.IsZero() && len(who) == 0 {
			in.Area, s.object = ref, p
			return k + m
		}
		if n == 0 || k == 0 && len(who) > 0 {
			return 0
		}
		who = append(who, f)
		if s.object < 0 {
			s.object, s.from, s.to = p, p+k, p+k+n
		}
		r.mention(f)
		return k + n
	})
	if s.object < 0 {
		for _, i := range c.left {
			if _, n := r.lx.at("target", r.toks, i); n > 0 && i+n < c.p {
				end := r.phraseEnd(i + n)
				r.notSeen(c, r.text(i+n, end), i+n, end)
				return nil, false
			}
		}
	}
	if !r.settle(c, s.object, true) {
		return nil, false
	}
	if bursts > 1 {
		return nil, r.reject(c, "Only one burst can be ordered at a time.")
	}
	ids := slices.DeleteFunc(slices.Clone(s.weapons), func(i int) bool { return !isRanged(r.lx.things[i]) })
	if !s.named {
		for i, e := range r.lx.things {
			if isRanged(e) && r.inHand(e) {
				ids = append(ids, i)
			}
		}
	}
	if able := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !burstsWith(r.lx.things[i]) }); len(able) > 0 {
		ids = able
	} else if len(ids) > 0 {
		r.refuse(c, "illegal_option", fmt.Sprintf("The %s fires no bursts.", thingName(r.lx.things[ids[0]].ID, r.vocab())), nil, "Write single shots: fire 1 shot at <who>.")
		return nil, false
	}
	if held := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !r.inHand(r.lx.things[i]) }); len(held) == 1 {
		ids = held
	}
	if len(ids) != 1 {
		r.refuse(c, "which_weapon", "A burst with which weapon?", r.thingNames(burstsWith), "Write “with” and the weapon.")
		return nil, false
	}
	in.Weapon = r.lx.things[ids[0]].ID
	r.weapon = in.Weapon
	if in.Area.IsZero() && !r.burstTargets(c, s, who, &in) {
		return nil, false
	}
	if verb == "auto_fire" && s.amount.n > 0 && !s.amount.all {
		in.Rounds = s.amount.value
	}
	in.Until = s.until
	in.At = r.span(c.from, c.p)
	return []node{{intent: in, attack: true, ask: c.ask, told: c.told}}, true
}

// burstTargets finds whom a burst is fired at.
func (r *reader) burstTargets(c *clause, s shot, who []found, in *game.Intent) bool {
	if len(who) == 0 || in.Verb == "auto_fire" {
		if len(who) > 1 {
			return r.reject(c, "More than one target stands here.")
		}
		if len(who) == 1 {
			s.target = who[0]
		}
		one := game.Intent{Verb: "fire"}
		if !r.chooseTarget(c, s, &one) {
			return false
		}
		in.Pending = one.Pending
		if in.Verb == "auto_fire" {
			in.Target = one.Target
		} else if !one.Target.IsZero() {
			in.Targets = []game.Ref{one.Target}
		}
		r.target = one.Target
		return true
	}
	for _, f := range who {
		if f.all && !f.unknown && !f.friend {
			for _, i := range f.ids {
				in.Targets = append(in.Targets, game.To(r.lx.people[i].ID))
			}
			continue
		}
		one := game.Intent{Verb: "fire"}
		s.target = f
		if !r.chooseTarget(c, s, &one) {
			return false
		}
		if one.Pending != "" {
			in.Pending = one.Pending
		} else {
			in.Targets = append(in.Targets, one.Target)
		}
	}
	if len(in.Targets) == 1 {
		r.target = in.Targets[0]
	}
	return true
}

// untilWhen reads "until he drops" behind an attack; n is the length of "until".
func (r *reader) untilWhen(s *shot, p, n int) int {
	cr := conditionReader{reader: r}
	if f := s.target; f.text != "" && s.until == nil && len(f.ids) == 1 {
		cr.subject = &f
	}
	until, q, ok := cr.either(p + n)
	if !ok || !cr.ends(q) {
		return 0
	}
	s.until = &until
	return q - p
}
