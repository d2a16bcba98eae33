package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// set reads the setting of a dial. In a game that has no such order by itself
// the shots after it carry it.
func (r *reader) set(c *clause, _ int) ([]node, bool) {
	var setting game.Setting
	named, mode := false, ""
	var item []int
	if s, n := r.setting(c.verbFrom, true); n > 0 {
		setting, named = s, true
		c.p = c.verbFrom + n
	}
	r.slots(c, func(p int) int {
		if s, n := r.setting(p, true); n > 0 && !named {
			setting, named = s, true
			return n
		}
		if m, n := r.mode(p); n > 0 && !named {
			mode, named = m, true
			return n
		}
		if _, n := r.lx.at("dial", r.toks, p); n > 0 {
			return n
		}
		if ids, n := r.thing(p, isArm); n > 0 && slices.ContainsFunc(ids, func(i int) bool { return isArm(r.lx.things[i]) }) {
			item = ids
			return n
		}
		if _, n := r.lx.at("article", r.toks, p); n > 0 {
			return n
		}
		if r.toks[p].is("it") || r.toks[p].is("round") || r.toks[p].is("around") || r.toks[p].is("way") {
			return 1
		}
		return 0
	})
	if !named && r.somewhat(c) {
		r.refuse(c, "setting", "To which power?", nil, "Write: set the <weapon> to power 5. Until then the dial stays as it is.")
		return nil, false
	}
	if !named || len(c.left) > 0 {
		hint := "Write the power with the shot: fire 1 shot at <who> at power 5."
		if _, ok := r.lx.verbs["set_attack"]; ok {
			hint = "Write a set attack in one line: set attack on <who> with the <weapon> at +20."
		}
		return nil, r.reject(c, "What shall be set, and to what, was not understood.") || r.hint(hint)
	}
	if mode == "" && (c.verbless || r.toks[c.from].is("power") || r.toks[c.from].is("dial") || r.toks[c.from].is("setting")) && item == nil && len(r.nodes) > 0 && r.nodes[len(r.nodes)-1].intent.Verb == "fire" {
		r.lateDial = setting
		return nil, true
	}
	if _, ok := r.lx.verbs["set"]; !ok && mode == "" {
		r.dial = setting
		return nil, true
	}
	if item == nil {
		for i, e := range r.lx.things {
			if r.inHand(e) && (mode == "" && isRanged(e) || mode != "" && hasMode(e, mode)) {
				item = append(item, i)
			}
		}
	}
	if mode != "" {
		item = slices.DeleteFunc(slices.Clone(item), func(i int) bool { return !hasMode(r.lx.things[i], mode) })
	}
	if len(item) != 1 {
		r.refuse(c, "which_weapon", "Which weapon is to be set?", r.thingNames(isRanged), "Write: set the <weapon> to power 5.")
		return nil, false
	}
	if c.verbless && mode == "" && r.firedHere == r.lx.things[item[0]].ID {
		r.lateDial = setting // "one shot at Zog, pistol on 7"
		return nil, true
	}
	r.handling = r.lx.things[item[0]].ID
	return []node{{intent: game.Intent{Verb: "set", Item: r.handling, Setting: setting, Mode: mode}, told: c.told}}, true
}

// somewhat reports a dial that is turned, with no number: "up a bit".
func (r *reader) somewhat(c *clause) bool {
	for p := c.verbFrom; p < c.p; p++ {
		if _, n := r.lx.at("somewhat", r.toks, p); n > 0 {
			return true
		}
	}
	return false
}

// mode reads how a weapon is set: "on stun", "to shock", "set to blast". Only
// what is a mode of something on the sheet is one; single shots and bursts are
// kinds of fire, not settings.
func (r *reader) mode(p int) (string, int) {
	q := p
	if r.toks[q].is("set") || r.toks[q].is("switched") || r.toks[q].is("turned") {
		q++
	}
	switch {
	case q >= len(r.toks):
		return "", 0
	case r.toks[q].is("to"), r.toks[q].is("on"), r.toks[q].is("in"), r.toks[q].is("at"):
		q++
	case q+1 < len(r.toks) && (r.toks[q+1].is("mode") || r.toks[q+1].is("setting")):
		// "shock mode"
	default:
		return "", 0
	}
	if q >= len(r.toks) || r.toks[q].is("single") || r.toks[q].is("burst") || !slices.ContainsFunc(r.lx.things, func(e entity) bool { return hasMode(e, r.toks[q].text) }) {
		return "", 0
	}
	mode := r.toks[q].text
	q++
	if q < len(r.toks) && (r.toks[q].is("mode") || r.toks[q].is("setting")) {
		q++
	}
	return mode, q - p
}

func hasMode(e entity, mode string) bool {
	return e.Thing != nil && slices.Contains(e.Thing.Modes, mode)
}

// face reads a turn towards somebody, something or a direction.
func (r *reader) face(c *clause, _ int) ([]node, bool) {
	in := game.Intent{Verb: "face"}
	object := -1
	r.slots(c, func(p int) int {
		if object >= 0 {
			return 0
		}
		k := 0
		if r.toks[p].is("to") || r.toks[p].is("towards") || r.toks[p].is("toward") || r.toks[p].is("at") {
			k = 1
		}
		if v, n := r.lx.at("direction", r.toks, p+k); n > 0 {
			in.Direction, object = v, p
			return k + n
		}
		ref, _, n := r.place(p + k)
		if n == 0 || ref.IsZero() {
			return 0
		}
		in.Target, object = ref, p
		return k + n
	})
	if object < 0 {
		return nil, r.reject(c, "Where to look was not understood.") || r.hint("Write: face <who>, or face north.")
	}
	if !r.settle(c, object, false) {
		return nil, false
	}
	return []node{{intent: in, told: c.told}}, true
}
