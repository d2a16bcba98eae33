package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

func isGrenade(e entity) bool {
	return e.Thing != nil && !e.Thing.Ranged && strings.Contains(e.Thing.Kind, "grenade")
}

func isShell(e entity) bool { return e.Thing != nil && e.Thing.Kind == "shell" }

// isLauncher is a weapon that sends grenades.
func isLauncher(e entity) bool {
	return e.Thing != nil && e.Thing.Ranged && strings.HasPrefix(e.Thing.Kind, "grenade")
}

func isMissile(e entity) bool { return isGrenade(e) || e.Thing != nil && e.Thing.Thrown }

// speaksOfThing gives the first thing of the clause from p on that keep takes.
func (r *reader) speaksOfThing(p int, keep func(entity) bool) bool {
	for end := r.skip(p); p < end; p++ {
		ids, n := r.thing(p, nil)
		if n == 0 {
			continue
		}
		some, all := false, true
		for _, i := range ids {
			ok := keep(r.lx.things[i])
			some, all = some || ok, all && ok
		}
		// "gun" means any of them, so that it tells nothing.
		if all || some && !slices.ContainsFunc(r.toks[p:p+n], func(t token) bool { return generic(t.text, r.lx.things[ids[0]]) }) {
			return true
		}
		p += n - 1
	}
	return false
}

// throw reads a throw: what, at whom or where, and how.
func (r *reader) throw(c *clause, _ int) ([]node, bool) {
	s := shot{object: -1, weapons: c.weapons, named: len(c.weapons) > 0}
	in := game.Intent{Verb: "throw"}
	times := 1
	count := amount{}
	r.slots(c, func(p int) int {
		if n := r.option("throw", &in, p); n > 0 {
			return n
		}
		if r.toks[p].is("go") && c.lemma.words[0] == "let" {
			return 1
		}
		if _, n := r.lx.at("until", r.toks, p); n > 0 && s.until == nil && s.object >= 0 {
			if n := r.untilWhen(&s, p, n); n > 0 {
				return n
			}
		}
		k := 0
		if _, n := r.lx.at("using", r.toks, p); n > 0 {
			k = n
		}
		if ids, n := r.thing(p+k, isMissile); n > 0 && !s.named && slices.ContainsFunc(ids, func(i int) bool { return isMissile(r.lx.things[i]) }) {
			s.weapons, s.named = ids, true
			if _, x := r.lx.at("inmyhand", r.toks, p+k+n); x > 0 {
				s.weapons = slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return isMissile(r.lx.things[i]) && !r.inHand(r.lx.things[i]) })
				n += x
			}
			return k + n
		}
		if r.toks[p].is("both") && !s.named {
			if ids, n := r.thing(p+1, isMissile); n > 0 {
				s.weapons, s.named, s.each = ids, true, true
				return 1 + n
			}
		}
		if v, n := r.whole(p); n > 0 && !s.named && count.n == 0 {
			if _, k := r.thing(p+n, isMissile); k > 0 {
				count = amount{n: n, value: v}
				return n
			}
		}
		if n := r.landing(&s, &in, p); n > 0 {
			return n
		}
		return 0
	})
	if c.verbless && (len(c.left) > 0 && !r.unknownAhead(c, s) || s.object < 0 && r.trigger == nil) {
		return nil, r.reject(c, "This was not understood as an order.")
	}
	for len(c.left) > 0 {
		if _, n := r.lx.at("article", r.toks, c.left[0]); n == 0 {
			break
		}
		c.left = c.left[1:] // "my" of something that was not understood
	}
	if !s.named && len(c.left) > 0 && !r.dangerous(c.left[0], true) && (s.object < 0 || c.left[0] < s.object) {
		i := c.left[0]
		if _, n := r.lx.at("article", r.toks, i); n > 0 && i+n < c.p {
			i += n
		}
		end := i
		for end < c.p && (s.object < 0 || end < s.object) && r.toks[end].kind == word && end < r.phraseEnd(i) {
			if _, n := r.lx.at("target", r.toks, end); n > 0 && end > i {
				break
			}
			end++
		}
		r.refuse(c, "unknown_weapon", fmt.Sprintf("You have no “%s” to throw.", r.text(i, max(end, i+1))), r.thingNames(isMissile), "Write the thing as it stands on your sheet.")
		return nil, false
	}
	if s.named && len(c.left) > 0 && r.unknownKind(c, s) {
		r.refuse(c, "unknown_weapon", "You have no such thing to throw.", r.thingNames(isMissile), "Write the thing as it stands on your sheet.")
		return nil, false
	}
	if !r.settle(c, s.object, false) {
		return nil, false
	}
	if count.value > 1 {
		times = count.value
	}
	if s.each && len(s.weapons) == 1 {
		times = 2
	}
	if s.each && len(s.weapons) > 2 {
		return nil, r.reject(c, "It is not clear which are thrown.")
	}
	if times > 3 {
		return nil, r.reject(c, "So many cannot be thrown.")
	}
	if s.each && len(s.weapons) == 2 {
		var nodes []node
		for _, i := range s.weapons {
			one := s
			one.each, one.weapons = false, []int{i}
			made, ok := r.thrownAt(c, one, in, 1)
			if !ok {
				return nil, false
			}
			nodes = append(nodes, made...)
		}
		return nodes, true
	}
	return r.thrownAt(c, s, in, times)
}

// thrownAt makes the throws of what was read.
func (r *reader) thrownAt(c *clause, s shot, in game.Intent, times int) ([]node, bool) {
	if !r.chooseMissile(c, s, &in) {
		return nil, false
	}
	if in.To.IsZero() && in.Target.IsZero() && !r.chooseTarget(c, s, &in) {
		return nil, false
	}
	in.At = r.span(c.from, c.p)
	if !in.Target.IsZero() {
		r.target, r.lastVerb = in.Target, "throw"
	}
	var nodes []node
	for range times {
		nodes = append(nodes, node{intent: in, attack: true, ask: c.ask, told: c.told})
		c.ask, c.told = nil, nil
	}
	return nodes, true
}

// unknownAhead reports that all that was not understood stands before the target.
func (r *reader) unknownAhead(c *clause, s shot) bool {
	return s.object >= 0 && c.left[len(c.left)-1] < s.object
}

// unknownKind reports a word before "grenade" that tells of another kind of it.
func (r *reader) unknownKind(c *clause, s shot) bool {
	i := c.left[0]
	if s.object >= 0 && i > s.object {
		return false
	}
	_, n := r.thing(i+1, isMissile)
	return n > 0 && r.toks[i].kind == word && !r.lx.isFunction(r.toks[i].text) && !r.dangerous(i, false)
}

// landing reads where something is thrown: at somebody, at a thing, into a place.
func (r *reader) landing(s *shot, in *game.Intent, p int) int {
	if s.object >= 0 {
		return 0
	}
	rel, k := r.lx.at("relation", r.toks, p)
	_, t := r.lx.at("target", r.toks, p)
	if t > k || t == k && t > 0 {
		rel, k = "", t
	}
	if _, x := r.lx.at("feet", r.toks, p+k); x > 0 {
		k += x
	}
	if k == 0 {
		// "toss Zog a grenade"
		f, n := r.person(p)
		if n == 0 || f.pronoun && s.named {
			return 0
		}
		if p > 0 {
			if _, a := r.lx.at("aside", r.toks, p-1); a > 0 {
				return 0 // "over Zog" is not at him
			}
		}
		if q := p + n; q < len(r.toks) && r.toks[q].is("'s") {
			return 0
		}
		s.target, s.object, s.from, s.to = f, p, p, p+n
		r.mention(f)
		return n
	}
	f, n := r.person(p + k)
	ref, g, m := r.place(p + k)
	switch {
	case m > n || m > 0 && m == n && (f.unknown || f.unsure && r.isPlace(ref.ID)):
		if ref.IsZero() {
			s.target, s.object, s.from, s.to = found{unknown: true, text: r.text(p+k, p+k+m)}, p, p+k, p+k+m
			if len(g.names) > 0 {
				s.target = found{unsure: true, text: g.text}
			}
			return k + m
		}
		s.object = p
		if ref.Square != nil || rel != "" && rel != "to" {
			in.To, in.Relation = ref, rel
		} else {
			in.Target = ref
		}
		return k + m
	case n > 0:
		if q := p + k + n; q < len(r.toks) && r.toks[q].is("'s") {
			body := r.bodyOf(in.Verb, in, q)
			if body == 0 {
				return 0
			}
			n += body
			s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
			r.mention(f)
			return k + n
		}
		s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
		r.mention(f)
		return k + n
	}
	if _, art := r.lx.at("article", r.toks, p+k); art > 0 && s.named {
		end := r.phraseEnd(p + k)
		s.target, s.object, s.from, s.to = found{unknown: true, text: r.text(p+k, end)}, p, p+k, end
		return end - p
	}
	return 0
}

// chooseMissile finds what is thrown: the thing named, or the only one.
func (r *reader) chooseMissile(c *clause, s shot, in *game.Intent) bool {
	var ids []int
	for _, i := range s.weapons {
		if isMissile(r.lx.things[i]) && !r.gone(r.lx.things[i]) {
			ids = append(ids, i)
		}
	}
	if !s.named {
		for i, e := range r.lx.things {
			if isMissile(e) && (isGrenade(e) || r.inHand(e)) && !r.gone(e) {
				ids = append(ids, i)
			}
		}
	}
	if held := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return isGrenade(r.lx.things[i]) || !r.inHand(r.lx.things[i]) }); len(held) == 1 {
		ids = held
	}
	switch len(ids) {
	case 0:
		r.refuse(c, "unknown_weapon", "You have nothing of that kind to throw.", r.thingNames(isMissile), "Write the thing as it stands on your sheet.")
		return false
	case 1:
		in.Item = r.lx.things[ids[0]].ID
		if e := r.lx.things[ids[0]]; !isGrenade(e) {
			r.unready = append(r.unready, e.ID)
			r.thrown = append(r.thrown, e.ID)
			r.ready = slices.DeleteFunc(r.ready, func(x game.ID) bool { return x == e.ID })
		}
		return true
	}
	kind := "which_weapon"
	var names []string
	for _, i := range ids {
		names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
		if isGrenade(r.lx.things[i]) {
			kind = "grenade_kind"
		}
	}
	r.refuse(c, kind, "Which one is thrown?", names, "Write the whole name.")
	return false
}

// gone reports something that the letter has thrown already.
func (r *reader) gone(e entity) bool { return slices.Contains(r.thrown, e.ID) }

// launch reads the shot of a grenade rifle or the like.
func (r *reader) launch(c *clause, _ int) ([]node, bool) {
	s := shot{object: -1}
	in := game.Intent{Verb: "launch"}
	var weapons, shells []int
	r.slots(c, func(p int) int {
		k := 0
		if _, n := r.lx.at("using", r.toks, p); n > 0 {
			k = n
		}
		if ids, n := r.thing(p+k, isLauncher); n > 0 && weapons == nil && slices.ContainsFunc(ids, func(i int) bool { return isLauncher(r.lx.things[i]) }) {
			weapons = ids
			return k + n
		}
		if ids, n := r.thing(p+k, isShell); n > 0 && shells == nil && slices.ContainsFunc(ids, func(i int) bool { return isShell(r.lx.things[i]) }) {
			shells = ids
			return k + n
		}
		if _, n := r.whole(p); n > 0 && r.toks[p].is("one") {
			return n
		}
		if r.toks[p].is("it") && p == c.p && r.handling != "" {
			return 1 // what was loaded
		}
		return r.landing(&s, &in, p)
	})
	if !r.settle(c, s.object, false) {
		return nil, false
	}
	pick := func(ids []int, keep func(entity) bool) []int {
		if ids == nil {
			for i := range r.lx.things {
				ids = append(ids, i)
			}
		}
		return slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !keep(r.lx.things[i]) })
	}
	named := shells != nil
	weapons, shells = pick(weapons, isLauncher), pick(shells, isShell)
	switch i := slices.IndexFunc(r.lx.things, func(e entity) bool { return e.ID == r.loaded }); {
	case named:
	case i >= 0:
		shells = []int{i}
	case len(shells) > 1:
		// The one that is in it: which that is the rules know.
		shells = nil
		c.told = append(c.told, game.Problem{Severity: game.Noted, Kind: "chosen_shell", Text: "The shell that is loaded is launched.", Source: r.source[r.toks[c.from].at.Line], At: r.span(c.from, c.p)})
	}
	switch {
	case len(weapons) == 0:
		r.refuse(c, "unknown_weapon", "You have nothing to launch it with.", nil, "")
		return nil, false
	case len(weapons) > 1:
		r.refuse(c, "which_weapon", "What is it launched with?", r.thingNames(isLauncher), "")
		return nil, false
	case len(shells) == 0 && named:
		r.refuse(c, "unknown_weapon", "You have no such shell.", r.thingNames(isShell), "")
		return nil, false
	case len(shells) > 1:
		r.refuse(c, "grenade_kind", "Which shell?", r.thingNames(isShell), "Write the whole name.")
		return nil, false
	}
	in.Weapon = r.lx.things[weapons[0]].ID
	if len(shells) == 1 {
		in.Shell = r.lx.things[shells[0]].ID
	}
	if in.To.IsZero() && in.Target.IsZero() && !r.chooseTarget(c, s, &in) {
		return nil, false
	}
	in.At = r.span(c.from, c.p)
	return []node{{intent: in, attack: true, ask: c.ask, told: c.told}}, true
}
