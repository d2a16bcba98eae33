package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

func isHelp(e entity) bool {
	return e.Thing != nil && (e.Thing.Kind == "dose" || e.Thing.Kind == "kit")
}

func isDose(e entity) bool { return e.Thing != nil && e.Thing.Kind == "dose" }

// isScreen is a thing that can be switched on and off.
func isScreen(e entity) bool {
	return e.Thing != nil && (e.Thing.State == "on" || e.Thing.State == "off")
}

// helps reports that the clause from p on names a drug or a kit of the sheet, or
// speaks of first aid.
func (r *reader) helps(p int) bool {
	for end := r.skip(p); p < end; p++ {
		if ids, n := r.thing(p, isHelp); n > 0 && slices.ContainsFunc(ids, func(i int) bool { return isHelp(r.lx.things[i]) }) {
			return true
		}
		if _, n := r.lx.at("firstaid", r.toks, p); n > 0 {
			return true
		}
	}
	return false
}

// use reads the giving of a drug or of first aid, to somebody or to oneself.
func (r *reader) use(c *clause, _ int) ([]node, bool) {
	var ids []int
	object, nobody, from, to := -1, -1, 0, 0
	var who found
	aid := c.lemma.set["aid"] != ""
	r.kindly = true
	defer func() { r.kindly = false }()
	r.slots(c, func(p int) int {
		if _, n := r.lx.at("firstaid", r.toks, p); n > 0 {
			aid, object = true, max(object, p)
			return n
		}
		k := 0
		for _, w := range []string{"with", "on", "to", "for", "into", "of", "->", "@"} {
			if r.toks[p].is(w) {
				k = 1
			}
		}
		if found, n := r.thing(p+k, isHelp); n > 0 && ids == nil && slices.ContainsFunc(found, func(i int) bool { return isHelp(r.lx.things[i]) }) {
			ids, object = found, max(object, p)
			return k + n
		}
		if f, n := r.person(p + k); n > 0 && who.text == "" {
			who, object, from, to = f, max(object, p), p+k, p+k+n
			return k + n
		}
		if q := r.phraseEnd(p + k); k > 0 && q > p+k && who.text == "" {
			nobody, who = p+k, found{text: r.text(p+k, q), unknown: true}
			from, to = p+k, q
			return q - p
		}
		return 0
	})
	if nobody >= 0 {
		r.notSeen(c, who.text, from, to)
		return nil, false
	}
	if !r.settle(c, object, false) {
		return nil, false
	}
	ids = slices.DeleteFunc(ids, func(i int) bool { return !isHelp(r.lx.things[i]) })
	if aid && len(ids) == 0 {
		for i, e := range r.lx.things {
			if e.Thing != nil && e.Thing.Kind == "kit" {
				ids = append(ids, i)
			}
		}
	}
	if len(ids) == 0 && c.lemma.words[0] == "inject" {
		for i, e := range r.lx.things {
			if isDose(e) {
				ids = append(ids, i)
			}
		}
	}
	if len(ids) != 1 {
		kind := "unknown_weapon"
		if len(ids) > 1 {
			kind = "which_weapon"
		}
		r.refuse(c, kind, "What shall be used?", r.thingNames(isHelp), "Write: use the <thing> on <who>.")
		return nil, false
	}
	in := game.Intent{Verb: "use", Item: r.lx.things[ids[0]].ID}
	switch {
	case who.text == "":
		if aid {
			return nil, r.reject(c, "Who shall be treated?")
		}
	case who.one():
		in.On = game.To(r.lx.people[who.ids[0]].ID)
		r.mention(who)
	case who.selector == game.Me:
	default:
		if len(who.ids) == 0 || who.unknown {
			r.notSeen(c, who.text, from, to)
			return nil, false
		}
		r.refuse(c, "which_target", fmt.Sprintf("“%s” fits more than one: which one?", who.text), r.choices(who.ids), "Write the whole name.")
		return nil, false
	}
	if in.On.ID == r.lx.self {
		in.On = game.Ref{}
	}
	return []node{{intent: in, told: c.told}}, true
}

// switching reads "turn on my screen": a thing that is on or off.
func (r *reader) switching(c *clause) ([]node, bool) {
	state := ""
	for q := c.verbFrom; q < c.p; q++ {
		if r.toks[q].is("on") || r.toks[q].is("off") {
			state = r.toks[q].text
		}
	}
	if l := c.lemma.words[0]; l == "activate" {
		state = "on"
	} else if l == "deactivate" {
		state = "off"
	}
	var ids []int
	object := -1
	r.slots(c, func(p int) int {
		if found, n := r.thing(p, isScreen); n > 0 && ids == nil {
			ids, object = found, p
			return n
		}
		if (r.toks[p].is("on") || r.toks[p].is("off")) && state == "" {
			state = r.toks[p].text
			return 1
		}
		if r.toks[p].is("to") {
			return 1
		}
		return 0
	})
	if !r.settle(c, object, false) {
		return nil, false
	}
	ids = slices.DeleteFunc(ids, func(i int) bool { return !isScreen(r.lx.things[i]) })
	switch {
	case len(ids) != 1:
		r.refuse(c, "which_weapon", "What shall be switched?", r.thingNames(isScreen), "Write: turn on the <thing>.")
		return nil, false
	case state == "":
		return nil, r.reject(c, "On or off?")
	}
	return []node{{intent: game.Intent{Verb: "set", Item: r.lx.things[ids[0]].ID, State: state}, told: c.told}}, true
}

// switches reports that the clause from p on names something that is on or off.
func (r *reader) switches(p int) bool {
	for end := r.skip(p); p < end; p++ {
		if ids, n := r.thing(p, isScreen); n > 0 && slices.ContainsFunc(ids, func(i int) bool { return isScreen(r.lx.things[i]) }) {
			return true
		}
	}
	return false
}
