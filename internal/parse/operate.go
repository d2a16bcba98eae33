package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// operated finds the thing or place that a clause is about: "open the door",
// "look along the ridge with the binoculars", "open it".
func (r *reader) operated(c *clause) (ref game.Ref, at int, ok bool) {
	end := r.skip(c.p)
	tool := -1
	for p := c.p; p < end; p++ {
		k := 0
		if _, n := r.lx.at("using", r.toks, p); n > 0 {
			k = n
		} else if r.toks[p].is("on") || r.toks[p].is("at") || r.toks[p].is("to") || r.toks[p].is("up") || r.toks[p].is("through") {
			k = 1
		}
		gear := func(e entity) bool { return !isArm(e) && !isMissile(e) }
		if ids, n := r.thing(p+k, gear); n > 0 {
			ids = slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !gear(r.lx.things[i]) })
			if len(ids) == 1 {
				return game.To(r.lx.things[ids[0]].ID), p, true
			}
		}
		if ref, _, n := r.place(p + k); n > 0 && ref.ID != "" && ref.Square == nil && tool < 0 && r.isPlace(ref.ID) {
			tool = p
			c.tool = ref
			p += k + n - 1
			continue
		}
		if r.toks[p].is("it") && !r.placeNamed.IsZero() && tool < 0 {
			tool, c.tool = p, r.placeNamed
		}
	}
	if tool >= 0 && c.lemma.set["far"] == "" {
		return c.tool, tool, true
	}
	return game.Ref{}, 0, false
}

// isDoor reports a place that can be closed.
func (r *reader) isDoor(id game.ID) bool {
	return slices.ContainsFunc(r.lx.places, func(e entity) bool { return e.ID == id && (e.Kind == "door" || e.State != "") })
}

func (r *reader) isPlace(id game.ID) bool {
	return slices.ContainsFunc(r.lx.places, func(e entity) bool { return e.ID == id })
}

// operate reads the use of a thing or of a place: a door, a console, a tool.
func (r *reader) operate(c *clause, _ int) ([]node, bool) {
	ref, _, _ := r.operated(c)
	end := r.skip(c.p)
	for q := c.verbFrom; q < end; q++ {
		if r.dangerous(q, false) && !r.toks[q].is("toward") && !r.toks[q].is("towards") && !r.toks[q].is("'s") {
			return nil, r.reject(c, "It is not clear what is meant, so it is not done.")
		}
	}
	in := game.Intent{Verb: "use", Item: ref.ID, Action: r.text(c.verbFrom, end), At: r.span(c.from, end)}
	if r.takes("use", "on") && r.takes("use", "action") {
		in.On = r.usedOn(c.p, end, in.Item)
	}
	c.p = end
	return []node{{intent: in, told: c.told}}, true
}

// usedOn finds on whom, or on which other thing, something is used: "the drug to
// Bob", "the poison on the dagger".
func (r *reader) usedOn(p, end int, item game.ID) game.Ref {
	for ; p < end; p++ {
		t := r.toks[p]
		if !t.is("to") && !t.is("on") && !t.is("onto") && !t.is("into") {
			continue
		}
		if f, n := r.person(p + 1); n > 0 && f.one() && !f.unknown {
			r.mention(f)
			return game.To(r.lx.people[f.ids[0]].ID)
		}
		if ids, n := r.thing(p+1, nil); n > 0 && len(ids) == 1 && r.lx.things[ids[0]].ID != item {
			return game.To(r.lx.things[ids[0]].ID)
		}
	}
	return game.Ref{}
}

// gadget reports that a thing which is no weapon stands at p.
func (r *reader) gadget(p int) bool {
	ids, n := r.thing(p, nil)
	return n > 0 && !slices.ContainsFunc(ids, func(i int) bool { return isAttack(r.lx.things[i]) })
}
