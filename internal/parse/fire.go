package parse

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// shot is what the slots of a shot have found.
type shot struct {
	amount  amount
	target  found
	thing   game.Ref // a thing of the map in place of somebody
	first   int      // token behind the verb
	object  int      // token of the target with its preposition, -1
	from    int      // tokens of the target
	to      int
	weapons []int
	named   bool // a weapon was named
	setting game.Setting
	mode    string
	aim     bool
	lean    bool
	each    bool
	unknown string          // a weapon phrase that fits nothing
	counts  []amount        // numbers of shots in their order, one for each target
	twice   bool            // two numbers of shots
	more    []found         // further targets
	when    *game.Condition // "anyone who comes within 5 m"
	until   *game.Condition // "until he drops"
	opt     game.Intent     // options of the game's own
	unaimed bool            // not with the aim of the last plan
	left    string          // verb of the last plan that is left out now
	both    []int           // two weapons, fired one after the other
}

// fire reads a shot: how many, at whom, with what, at which power, aimed or not.
func (r *reader) fire(c *clause, _ int) ([]node, bool) {
	s := shot{object: -1, weapons: c.weapons, named: len(c.weapons) > 0}
	if c.leadsBoth(r) {
		s.both = c.weapons
	}
	first := c.p
	if c.lemma.set["need"] == "" && c.p == c.verbFrom {
		first = c.from
	}
	s.first = first
	r.slots(c, func(p int) int { return r.shotPart(c, &s, p, p == first) })
	switch {
	case s.unknown != "":
		return nil, r.noWeapon(c, s)
	case s.twice:
		return nil, r.reject(c, "Two numbers of shots stand here.")
	case len(s.counts) > 1 && len(s.counts) == 1+len(s.more):
		s.each = true
	case len(s.counts) > 1:
		return nil, r.reject(c, "It is not clear how many shots each of them gets.")
	case len(s.more) > 0 && !s.each:
		return nil, r.reject(c, "More than one target stands here.") || r.hint("Write one order for each: fire 1 shot at …, then fire 1 shot at …")
	case c.lemma.set["need"] == "count" && s.amount.n == 0:
		if !r.settle(c, s.object, true) {
			return nil, false
		}
		return nil, r.reject(c, "This was not understood as an order.")
	}
	if s.object < 0 {
		for _, i := range c.left {
			// What stands behind "at" is the target, known or not.
			if _, n := r.lx.at("target", r.toks, i); n > 0 && i+n < c.p {
				end := r.phraseEnd(i + n)
				r.objectFrom, r.objectTo = i+n, end
				r.notSeen(c, r.text(i+n, end), i+n, end)
				return nil, false
			}
		}
		if n := len(c.left); n > 0 && c.left[0] == first && !r.dangerous(c.left[0], true) {
			end := r.phraseEnd(c.left[0])
			r.objectFrom, r.objectTo = c.left[0], end
			r.notSeen(c, r.text(c.left[0], end), c.left[0], end)
			return nil, false
		}
	}
	if s.object >= 0 && !s.named && len(c.left) > 0 && c.left[0] < s.object {
		// "fire the bazooka at Zog": a weapon that he does not have.
		i := c.left[0]
		_, art := r.lx.at("article", r.toks, i)
		unknown := art > 0 && i+art < s.object
		for q := i + art; q < s.object; q++ {
			unknown = unknown && slices.Contains(c.left, q) && r.toks[q].kind == word && !r.lx.isFunction(r.toks[q].text) && !r.dangerous(q, true)
		}
		if unknown {
			s.unknown = r.text(i+art, s.object)
			return nil, r.noWeapon(c, s)
		}
	}
	if c.verbless && (len(c.left) > 0 || s.object < 0 && r.trigger == nil || r.broken && !s.named) {
		return nil, r.reject(c, "This was not understood as an order.")
	}
	if !r.settle(c, s.object, true) {
		return nil, false
	}
	if s.when != nil {
		return r.waitingShot(c, s)
	}
	if len(s.both) > 1 {
		return r.fromBoth(c, s)
	}
	if len(s.counts) > 1 {
		s.amount = s.counts[0]
	}
	nodes, ok := r.makeShot(c, s)
	for i, f := range s.more {
		if !ok {
			break
		}
		s.target, c.told, c.ask = f, nil, nil
		if len(s.counts) > 1 {
			s.amount = s.counts[i+1]
		}
		var one []node
		one, ok = r.makeShot(c, s)
		nodes = append(nodes, one...)
	}
	return nodes, ok
}

// bareDial reads "rifle 20 -> Zog": a number right behind a weapon with a dial is
// its power where it is more than the shots that it fires.
func (r *reader) bareDial(s *shot, p int) int {
	if len(s.weapons) != 1 || !s.setting.IsZero() || p >= len(r.toks) || r.toks[p].kind != number {
		return 0
	}
	t := r.lx.things[s.weapons[0]].Thing
	v, n := r.whole(p)
	if n == 0 || t == nil || t.DialMax == 0 || v <= max(t.Rate, r.lx.things[s.weapons[0]].Rate, 1) || !r.isTarget(p+n) {
		return 0
	}
	s.setting = game.Setting{N: v}
	return n
}

// noWeapon asks about a weapon that the actor does not have.
func (r *reader) noWeapon(c *clause, s shot) bool {
	r.refuse(c, "unknown_weapon", fmt.Sprintf("You have no “%s”.", s.unknown), r.thingNames(isRanged), "Write the weapon as it stands on your sheet.")
	return false
}

// waitingShot makes a reaction of a shot at "anyone who …".
func (r *reader) waitingShot(c *clause, s shot) ([]node, bool) {
	f := s.target
	f.pronoun = true
	r.trigger, r.conditional = &f, true
	nodes, ok := r.makeShot(c, s)
	r.trigger, r.conditional = nil, false
	if !ok {
		return nil, false
	}
	b := &branch{when: *s.when, then: nodes, forced: "reaction", at: r.span(c.from, c.p)}
	return []node{{cond: b}}, true
}

// shotPart takes one part of a shot at p.
func (r *reader) shotPart(c *clause, s *shot, p int, first bool) int {
	if n := r.asideNumber(p); n > 0 {
		return n
	}
	if _, n := r.lx.at("haveit", r.toks, p); n > 0 && s.object >= 0 {
		return n
	}
	if r.toks[p].is("have") && s.object == c.verbFrom+1 && r.count(p+1).noun {
		return 1 // "let Zog have two shots"
	}
	if c.verbless && s.object < 0 && s.amount.n > 0 {
		// "Both shots go into the robot."
		switch r.toks[p].text {
		case "go", "goes", "are", "is", "get", "gets":
			return 1
		}
	}
	if _, n := r.lx.at("aim", r.toks, p); n > 0 {
		s.aim = true
		return n
	}
	if r.toks[p].is("with") || r.toks[p].is("taking") {
		if _, n := r.lx.at("aim", r.toks, p+1); n > 0 {
			s.aim = true
			return n + 1
		}
	}
	if _, n := r.lx.at("lean", r.toks, p); n > 0 {
		s.lean = true
		return n
	}
	if n := r.option("fire", &s.opt, p); n > 0 {
		return n
	}
	if _, ok := r.lx.verbs["set_attack"]; ok {
		if n := r.timing("quick_attack", &s.opt, p); n > 0 {
			return n
		}
		if n := r.timing("set_attack", &s.opt, p); n > 0 {
			return n
		}
	}
	if v, n := r.setting(p, false); n > 0 {
		s.setting = v
		return n
	}
	if v, n := r.mode(p); n > 0 {
		s.mode = v
		return n
	}
	if _, n := r.lx.at("until", r.toks, p); n > 0 && s.until == nil && s.object >= 0 {
		if n := r.untilWhen(s, p, n); n > 0 {
			return n
		}
	}
	if ids, n := r.bothThings(p); n > 0 && !s.named {
		s.weapons, s.both, s.named = ids, ids, true
		for _, t := range r.toks[p : p+n] {
			s.each = s.each || t.is("each")
		}
		return n
	}
	if ids, n := r.weaponAt(p); n > 0 && !s.named {
		s.weapons, s.named = ids, true
		return n + r.dialAfter(s, p+n)
	}
	if _, n := r.lx.at("each", r.toks, p); n > 0 {
		s.each = true
		return n
	}
	a := r.count(p)
	if a.n > 0 && (a.noun || a.times || a.all || first || r.isTarget(p+a.n) || r.toks[max(p-1, 0)].is(",") || r.toks[max(p-1, 0)].is(":")) {
		switch n := len(s.counts); {
		case n == 0:
		case a.times && len(s.more) == n && s.object >= 0:
			// "Zog once, the robot once"
		default:
			s.twice = true
		}
		s.counts = append(s.counts, a)
		s.amount = a
		s.aim = s.aim || a.aim
		return a.n
	}
	if n := r.bareShot(p); n > 0 && first {
		return n
	}
	if ids, n := r.thing(p, isRanged); n > 0 && s.named && len(s.weapons) == 1 && len(ids) == 1 && ids[0] != s.weapons[0] && isRanged(r.lx.things[ids[0]]) && r.toks[max(p-1, 0)].kind == mark {
		s.both = []int{s.weapons[0], ids[0]}
		for p+n < len(r.toks) && r.toks[p+n].is(",") {
			n++
		}
		return n
	}
	if i := r.handled(p); i >= 0 && !s.named && s.object < 0 {
		s.weapons, s.named = []int{i}, true // "draw the pistol and fire it twice at Zog"
		return 1
	}
	if ids, n := r.thing(p, isRanged); n > 0 && !s.named && (s.object < 0 || r.toks[p-1].is(",")) {
		s.weapons, s.named = ids, true
		return n + r.dialAfter(s, p+n) + r.bareDial(s, p+n)
	}
	// "with my flurb": a weapon that he does not have.
	if _, k := r.lx.at("using", r.toks, p); k > 0 && p+k < len(r.toks) && !s.named {
		if _, art := r.lx.at("article", r.toks, p+k); art > 0 && (r.toks[p].is("with") || r.toks[p].is("using")) {
			q := p + k + art
			if q < len(r.toks) && r.toks[q].kind == word && !r.lx.isFunction(r.toks[q].text) && r.toks[q].text != "grin" {
				end := r.phraseEnd(q)
				s.unknown = r.text(q, end)
				return end - p
			}
		}
	}
	_, k := r.lx.at("target", r.toks, p)
	if k == 0 && s.object < 0 && len(c.left) > 0 {
		return 0
	}
	if v, n := r.lx.at("whoever", r.toks, p+k); n > 0 && s.object < 0 && r.trigger == nil {
		// "shoot whoever comes over the bridge"
		f := found{selector: game.ID(v), text: r.text(p+k, p+k+n)}
		cr := conditionReader{reader: r}
		if when, q, ok := cr.predicate(f, p+k+n); ok && cr.ends(q) {
			s.target, s.object, s.from, s.to, s.when = f, p, p+k, q, &when
			return q - p
		}
	}
	f, n := r.person(p + k)
	if m := r.struck("fire", s, p, k, n); m > 0 {
		return m
	}
	if n == 0 {
		return 0
	}
	if s.object >= 0 {
		if k == 0 && !r.toks[max(p-1, 0)].is("and") && !r.toks[max(p-1, 0)].is(",") {
			return 0
		}
		r.mention(f)
		s.more = append(s.more, f)
		return k + n
	}
	if q := p + k + n; q < len(r.toks) && r.toks[q].is("'s") {
		body := r.bodyOf("fire", &s.opt, q)
		if body == 0 {
			return 0
		}
		s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
		r.mention(f)
		return k + n + body
	}
	s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
	r.objectFrom, r.objectTo = p+k, p+k+n
	r.mention(f)
	return k + n + r.whoClause(s, p+k+n)
}

// handled is the weapon that "it" at p means: the one handled before, where a
// number of shots or a target follows. It is -1 if there is none.
func (r *reader) handled(p int) int {
	if !r.toks[p].is("it") || r.handling == "" {
		return -1
	}
	if c := r.count(p + 1); !c.noun && !c.times && !r.isTarget(p+1) {
		return -1
	}
	return slices.IndexFunc(r.lx.things, func(e entity) bool { return e.ID == r.handling && isRanged(e) })
}

// dialAfter reads "at 12" right behind a weapon with a dial.
func (r *reader) dialAfter(s *shot, p int) int {
	if len(s.weapons) != 1 || r.lx.things[s.weapons[0]].Thing == nil || r.lx.things[s.weapons[0]].Thing.DialMax == 0 || p+1 >= len(r.toks) || !(r.toks[p].is("at") || r.toks[p].is("on")) {
		return 0
	}
	v, n := r.number(p + 1)
	if n == 0 || v%10 != 0 || v == 0 || !r.boundary(p+1+n) && !r.toks[p+1+n].is(",") {
		return 0
	}
	s.setting = game.Setting{N: v / 10}
	return 1 + n
}

func (r *reader) thingNames(keep func(entity) bool) []string {
	var all []string
	for _, e := range r.lx.things {
		if keep(e) {
			all = append(all, thingName(e.ID, r.vocab()))
		}
	}
	return all
}

// makeShot makes the intent of a shot that was read.
func (r *reader) makeShot(c *clause, s shot) ([]node, bool) {
	in := s.opt
	in.Verb, in.Setting, in.Until, in.Aim, in.Lean = "fire", s.setting, s.until, s.aim || r.pending.aim, s.lean || r.pending.lean
	r.timed(&in)
	r.pending.aim, r.pending.lean = false, false
	if in.Setting.IsZero() {
		in.Setting = r.dial
	}
	n := node{attack: true}
	weapon, ok := r.chooseWeapon(c, s, &in)
	if !ok {
		return nil, false
	}
	if s.mode != "" {
		if weapon == nil || !hasMode(*weapon, s.mode) {
			return nil, r.reject(c, fmt.Sprintf("That weapon has no setting “%s”.", s.mode))
		}
		in.Mode = s.mode
	}
	if !r.chooseTarget(c, s, &in) {
		return nil, false
	}
	if weapon != nil && slices.Contains(r.unready, weapon.ID) && !r.conditional {
		r.refuse(c, "contradiction", fmt.Sprintf("The %s is put away before it is fired.", thingName(weapon.ID, r.vocab())), r.thingNames(isRanged), "Leave out one of the two, or name another weapon.")
		return nil, false
	}
	rate := 1
	if weapon != nil {
		in.Weapon = weapon.ID
		r.weapon = weapon.ID
		if !r.conditional {
			r.firedHere = weapon.ID
		}
		rate = max(weapon.Rate, 1)
		if t := weapon.Thing; t != nil && t.Rate > rate {
			rate = t.Rate
		}
	}
	switch {
	case s.amount.all:
		in.Shots = rate
	case s.amount.n > 0:
		in.Shots = s.amount.value
		if in.Shots > 1000 {
			return nil, r.reject(c, "So many shots cannot be fired.")
		}
	default:
		in.Shots, n.shotless = 1, true
		if !in.Aim && !r.conditional && rate > 1 && in.Pending == "" {
			r.question(c, "shots", fmt.Sprintf("How many of up to %d shots?", rate), shotChoices(rate), "one shot is fired")
		}
	}
	if !in.Target.IsZero() {
		r.target, r.lastVerb = in.Target, "fire"
	}
	in.At = r.span(c.from, c.p)
	if _, ok := r.lx.verbs["set_attack"]; ok {
		if c.lemma.set["quick"] != "" {
			in.Verb = "quick_attack"
		}
		attackTime(&in)
	}
	n.intent, n.ask, n.told = in, c.ask, c.told
	return []node{n}, true
}

func shotChoices(rate int) []string {
	var all []string
	for i := 1; i <= min(rate, 20); i++ {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// chooseWeapon finds the weapon: the one named, or the only one that is ready.
func (r *reader) chooseWeapon(c *clause, s shot, in *game.Intent) (*entity, bool) {
	ids := s.weapons
	if !s.named {
		for i, e := range r.lx.things {
			if isRanged(e) && (!isLauncher(e) || r.lx.verbs["launch"].Name == "") {
				ids = append(ids, i)
			}
		}
	}
	if len(ids) == 0 {
		if s.named {
			return nil, true
		}
		r.refuse(c, "unknown_weapon", "You have no weapon that shoots.", nil, "")
		return nil, false
	}
	if s.named && !slices.ContainsFunc(ids, func(i int) bool { return isRanged(r.lx.things[i]) }) {
		r.refuse(c, "illegal_option", fmt.Sprintf("%s does not shoot.", thingName(r.lx.things[ids[0]].ID, r.vocab())), r.thingNames(isRanged), "")
		return nil, false
	}
	inHand := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !r.inHand(r.lx.things[i]) })
	switch {
	case len(ids) == 1:
		return &r.lx.things[ids[0]], true
	case len(inHand) == 1:
		e := &r.lx.things[inHand[0]]
		if r.chosen == e.ID {
			return e, true
		}
		r.chosen = e.ID
		c.told = append(c.told, game.Problem{
			Severity: game.Noted, Kind: "chosen_weapon", Text: fmt.Sprintf("The %s is used: it is the one in hand.", thingName(e.ID, r.vocab())),
			Source: r.source[r.toks[c.from].at.Line], At: r.span(c.from, c.p),
		})
		return e, true
	case !s.named && len(r.ready) > 0 && slices.ContainsFunc(inHand, func(i int) bool { return r.lx.things[i].ID == r.ready[len(r.ready)-1] }):
		i := slices.IndexFunc(r.lx.things, func(e entity) bool { return e.ID == r.ready[len(r.ready)-1] })
		return &r.lx.things[i], true
	case !s.named && r.weapon != "" && slices.ContainsFunc(inHand, func(i int) bool { return r.lx.things[i].ID == r.weapon }):
		i := slices.IndexFunc(r.lx.things, func(e entity) bool { return e.ID == r.weapon })
		return &r.lx.things[i], true
	}
	var names []string
	for _, i := range ids {
		names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
	}
	r.refuse(c, "which_weapon", "More than one weapon would fit: which one?", names, "Write “with” and the weapon.")
	return nil, false
}

// inHand reports that a thing is in hand, as the letter has ordered so far.
func (r *reader) inHand(e entity) bool {
	if slices.Contains(r.ready, e.ID) {
		return true
	}
	if slices.Contains(r.unready, e.ID) {
		return false
	}
	state := e.State
	if state == "" && e.Thing != nil {
		state = e.Thing.State
	}
	return state == "in_hand"
}
