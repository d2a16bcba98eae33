package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// melee reads blows: at whom, with what, how many. What names nobody is no
// blow that the rules know, and goes to the GM as it stands.
func (r *reader) melee(c *clause, depth int) ([]node, bool) {
	start, told, ask := c.p, c.told, c.ask
	s := shot{object: -1, first: c.p, weapons: c.weapons, named: len(c.weapons) > 0}
	in := game.Intent{Verb: "melee", Blows: 1}
	butt := c.lemma.set["weapon"] == "butt"
	r.slots(c, func(p int) int { return r.blowPart(c, &s, &in, &butt, p) })
	if _, free := r.lx.verbs["special"]; free && s.object < 0 && len(c.left) > 0 {
		c.p, c.left, c.told, c.ask = start, nil, told, ask
		nodes, end := r.freeAction(c)
		c.p = end
		return nodes, len(nodes) > 0
	}
	ranged := func(i int) bool { return isRanged(r.lx.things[i]) }
	if s.named && !butt && slices.ContainsFunc(s.weapons, ranged) && !slices.ContainsFunc(s.weapons, func(i int) bool { return isMelee(r.lx.things[i]) }) {
		if c.lemma.set["any"] != "" && doerOf("fire") != nil && r.lx.verbs["fire"].Name != "" {
			c.p, c.left, c.told, c.ask = start, nil, told, ask
			return r.fire(c, depth)
		}
		r.refuse(c, "which_weapon", "Is that a shot, or a blow with the butt?", nil, "Write “fire … with”, or “strike … with the butt of”.")
		return nil, false
	}
	if c.verbless && (len(c.left) > 0 || s.object < 0 && r.trigger == nil) {
		return nil, r.reject(c, "This was not understood as an order.")
	}
	if !r.settle(c, s.object, true) {
		return nil, false
	}
	switch {
	case s.twice:
		return nil, r.reject(c, "Two numbers of blows stand here.")
	case s.amount.value > 1000:
		return nil, r.reject(c, "So many blows cannot be struck.")
	case s.amount.n > 0 && !s.amount.all:
		in.Blows = s.amount.value
	}
	in.Until = s.until
	if !r.chooseArm(c, s, butt, &in) {
		return nil, false
	}
	if s.mode != "" {
		if !slices.ContainsFunc(r.lx.things, func(e entity) bool { return e.ID == in.Weapon && hasMode(e, s.mode) }) {
			return nil, r.reject(c, fmt.Sprintf("That weapon has no setting “%s”.", s.mode))
		}
		in.Mode = s.mode
	}
	if (s.object >= 0 || r.trigger != nil || !r.target.IsZero() || !r.pending.target.IsZero()) && !r.chooseTarget(c, s, &in) {
		return nil, false
	}
	if in.Target.ID != "" && in.Pending == "" {
		r.target, r.lastVerb = in.Target, "melee"
	}
	in.At = r.span(c.from, c.p)
	r.timed(&in)
	if _, ok := r.lx.verbs["set_attack"]; ok {
		if c.lemma.set["quick"] != "" {
			in.Verb = "quick_attack"
		}
		attackTime(&in)
	}
	return []node{{intent: in, attack: true, ask: c.ask, told: c.told}}, true
}

// blowPart takes one part of a blow at p.
func (r *reader) blowPart(c *clause, s *shot, in *game.Intent, butt *bool, p int) int {
	if _, n := r.lx.at("behindback", r.toks, p); n > 0 {
		in.Behind = true
		return n
	}
	if n := r.option("melee", in, p); n > 0 {
		return n
	}
	if _, ok := r.lx.verbs["set_attack"]; ok {
		if n := r.timing("quick_attack", in, p); n > 0 {
			return n
		}
		if n := r.timing("set_attack", in, p); n > 0 {
			return n
		}
	}
	if v, n := r.mode(p); n > 0 {
		s.mode = v
		return n
	}
	if v, n := r.lx.at("ability", r.toks, p); n > 0 {
		in.Ability = v
		return n
	}
	if _, n := r.lx.at("until", r.toks, p); n > 0 && s.until == nil && s.object >= 0 {
		if n := r.untilWhen(s, p, n); n > 0 {
			return n
		}
	}
	if _, k := r.lx.at("using", r.toks, p); k > 0 && !s.named {
		if ids, n := r.arm(p+k, butt); n > 0 {
			s.weapons, s.named = ids, true
			return k + n
		}
		if q := r.phraseEnd(p + k); q > p+k && (r.toks[p].is("with") || r.toks[p].is("using")) {
			s.unknown = r.text(p+k, q)
			return q - p
		}
	}
	if n := r.blowCount(s, p); n > 0 {
		return n
	}
	if r.toks[p].is("in") && c.lemma.set["weapon"] == "bare" && !r.takes("melee", "called") {
		if _, n := r.location(p + 1); n > 0 {
			return n + 1 // where a fist lands makes no difference here
		}
	}
	if ids, n := r.arm(p, butt); n > 0 && !s.named && s.object < 0 {
		s.weapons, s.named = ids, true
		return n
	}
	_, k := r.lx.at("target", r.toks, p)
	f, n := r.person(p + k)
	if m := r.struck("melee", s, p, k, n); m > 0 {
		return m
	}
	if n == 0 || s.object >= 0 {
		return 0
	}
	if q := p + k + n; q < len(r.toks) && r.toks[q].is("'s") {
		body := r.bodyOf("melee", in, q)
		if body == 0 {
			return 0
		}
		s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
		r.mention(f)
		return k + n + body
	}
	s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
	r.mention(f)
	return k + n
}

// blowCount reads a number of blows at p: "twice", "2 blows", "x2".
func (r *reader) blowCount(s *shot, p int) int {
	a := r.count(p)
	if !a.times {
		v, k := r.number(p)
		_, n := r.lx.at("blows", r.toks, p+k)
		if k == 0 || n == 0 || v%10 != 0 || v == 0 {
			return 0
		}
		a = amount{n: k + n, value: v / 10}
	}
	s.twice = s.twice || s.amount.n > 0
	s.amount = a
	return a.n
}

// arm reads what a blow is struck with: a thing, or the butt of one.
func (r *reader) arm(p int, butt *bool) ([]int, int) {
	q := p
	if _, n := r.lx.at("article", r.toks, q); n > 0 {
		q += n
	}
	if _, n := r.lx.at("buttof", r.toks, q); n > 0 {
		if ids, k := r.thing(q+n, isArm); k > 0 {
			*butt = true
			return ids, q + n + k - p
		}
	}
	ids, n := r.thing(p, isArm)
	if n > 0 && p+n < len(r.toks) && (r.toks[p+n].is("butt") || r.toks[p+n].is("stock")) {
		*butt = true
		return ids, n + 1
	}
	return ids, n
}

func isShield(e entity) bool { return e.Thing != nil && strings.Contains(e.Thing.Kind, "shield") }

func isMelee(e entity) bool { return e.Thing != nil && e.Thing.Melee }

func isArm(e entity) bool { return isMelee(e) || isRanged(e) }

// chooseArm finds the weapon of a blow: the one named, bare hands for a punch,
// else what is in hand; without any melee weapon the rules choose.
func (r *reader) chooseArm(c *clause, s shot, butt bool, in *game.Intent) bool {
	if s.unknown != "" {
		r.refuse(c, "unknown_weapon", fmt.Sprintf("You have no “%s”.", s.unknown), r.thingNames(isArm), "Write the weapon as it stands on your sheet.")
		return false
	}
	ids := slices.Clone(s.weapons)
	switch {
	case !s.named && c.lemma.set["weapon"] == "bare":
		in.Weapon = game.BareHands
		return true
	case !s.named:
		for i, e := range r.lx.things {
			if (butt && isRanged(e) || !butt && isMelee(e) && e.ID != game.BareHands && !isShield(e)) && r.inHand(e) {
				ids = append(ids, i)
			}
		}
		if len(ids) == 0 && !butt {
			return r.gunInHand(c)
		}
	case butt:
		ids = slices.DeleteFunc(ids, func(i int) bool { return !isRanged(r.lx.things[i]) })
	default:
		ids = slices.DeleteFunc(ids, func(i int) bool { return !isMelee(r.lx.things[i]) })
	}
	if inHand := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !r.inHand(r.lx.things[i]) }); len(inHand) > 0 {
		ids = inHand
	}
	if n := len(r.ready); len(ids) > 1 && n > 0 && !s.named {
		if last := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return r.lx.things[i].ID != r.ready[n-1] }); len(last) == 1 {
			ids = last // the one drawn for it
		}
	}
	if len(ids) == 1 {
		in.Weapon = r.lx.things[ids[0]].ID
		return true
	}
	if len(ids) == 0 {
		r.refuse(c, "unknown_weapon", "You have no such weapon in hand.", r.thingNames(isArm), "Write “with” and the weapon.")
		return false
	}
	var names []string
	for _, i := range ids {
		names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
	}
	r.refuse(c, "which_weapon", "More than one weapon would fit: which one?", names, "Write “with” and the weapon.")
	return false
}

// gunInHand asks when somebody with nothing but a gun in hand is to "attack":
// that may be meant as a shot.
func (r *reader) gunInHand(c *clause) bool {
	if c.lemma.set["any"] == "" || !slices.ContainsFunc(r.lx.things, func(e entity) bool { return isRanged(e) && r.inHand(e) }) {
		return true
	}
	r.refuse(c, "which_weapon", "Attack with what: a shot, or a blow?", r.thingNames(isArm), "Write “fire” or “strike”, or “with” and the weapon.")
	return false
}
