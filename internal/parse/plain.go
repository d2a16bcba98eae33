package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// plain reads a verb by nothing but the fields that the game gives it: whom it
// is done to, with what, how often. It serves every verb that needs no grammar
// of its own, so that a new one in a ruleset is read without a change here.
func (r *reader) plain(c *clause, _ int) ([]node, bool) {
	verb := r.lx.verbs[c.lemma.intent]
	in := game.Intent{Verb: verb.Name}
	apply(&in, c.lemma.set)
	has := func(field string) bool { return slices.Contains(verb.Fields, field) }
	s := shot{object: -1, first: c.p}
	var things []int
	r.slots(c, func(p int) int {
		if n := r.option(verb.Name, &in, p); n > 0 {
			return n
		}
		if set, n := r.formAt(verb.Name, p); n > 0 {
			apply(&in, set)
			return n
		}
		if n := r.blowCount(&s, p); n > 0 {
			return n
		}
		if has("direction") && in.Direction == "" {
			k := p
			if r.toks[k].is("to") || r.toks[k].is("towards") {
				k++
			}
			if _, n := r.lx.at("article", r.toks, k); n > 0 {
				k += n
			}
			if v, n := r.lx.at("direction", r.toks, k); n > 0 {
				in.Direction = v
				return k + n - p
			}
		}
		if field := thingField(verb.Fields); field != "" && things == nil {
			k := 0
			if _, n := r.lx.at("using", r.toks, p); n > 0 {
				k = n
			} else if r.toks[p].is("to") || r.toks[p].is("into") {
				k = 1
			}
			if ids, n := r.thing(p+k, nil); n > 0 {
				things = ids
				return k + n
			}
		}
		if !has("target") {
			return 0
		}
		_, k := r.lx.at("target", r.toks, p)
		if _, n := r.lx.at("grip", r.toks, p); n > k {
			k = n
		}
		f, n := r.person(p + k)
		if m := r.struck(verb.Name, &s, p, k, n); m > 0 {
			return m
		}
		if n == 0 || s.object >= 0 {
			if n > 0 && f.pronoun {
				return k + n
			}
			return 0
		}
		if q := p + k + n; q < len(r.toks) && r.toks[q].is("'s") {
			return 0
		}
		s.target, s.object, s.from, s.to = f, p, p+k, p+k+n
		r.mention(f)
		return k + n
	})
	attack := verb.Class == "attack"
	if !r.settle(c, s.object, attack) {
		return nil, false
	}
	switch {
	case !has("target") || !attack && s.object < 0:
	case !attack && s.target.one() && !s.target.unknown:
		in.Target = game.To(r.lx.people[s.target.ids[0]].ID) // whoever it is, it does him no harm
	case !r.chooseTarget(c, s, &in):
		return nil, false
	}
	if field := thingField(verb.Fields); field != "" && len(things) > 0 {
		if len(things) > 1 {
			var names []string
			for _, i := range things {
				names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
			}
			r.refuse(c, "which_weapon", "Which one is meant?", names, "Write the whole name.")
			return nil, false
		}
		id := r.lx.things[things[0]].ID
		switch field {
		case "weapon":
			in.Weapon = id
		case "device":
			in.Device = id
		default:
			in.Item = id
		}
	}
	if has("text") {
		in.Text = r.text(c.from, c.p)
	}
	if in.Target.ID != "" && in.Pending == "" {
		r.target = in.Target
	}
	in.At = r.span(c.from, c.p)
	nodes := []node{{intent: in, attack: attack, ask: c.ask, told: c.told}}
	return nodes, true
}

// thingField is the field that takes a thing of one's own.
func thingField(fields []string) string {
	for _, f := range []string{"weapon", "item", "device"} {
		if slices.Contains(fields, f) {
			return f
		}
	}
	return ""
}

// named is the special act that a lemma stands for, if this game knows it.
func (r *reader) namedSpecial(c *clause) ([]node, int) {
	kind := c.lemma.set["kind"]
	end := r.skip(c.p)
	for q := c.p; q < end; q++ {
		if r.dangerous(q, false) {
			r.reject(c, fmt.Sprintf("“%s” makes it unclear what is meant, so it is not done.", r.text(q, end)))
			return nil, c.p
		}
	}
	in := game.Intent{Verb: "special", Kind: kind, At: r.span(c.from, end)}
	for q := c.p; q < end; q++ {
		if f, n := r.person(q); n > 0 {
			if f.one() && !f.unknown {
				in.Target = game.To(r.lx.people[f.ids[0]].ID)
				r.mention(f)
			}
			q += n - 1
		}
	}
	c.p = end
	return []node{{intent: in, told: c.told}}, max(end, c.from+1)
}
