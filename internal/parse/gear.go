package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// posture reads a change of posture; behind a place it is a short move there
// that ends so.
func (r *reader) posture(c *clause, depth int) ([]node, bool) {
	posture := c.lemma.set["posture"]
	stays := c.lemma.words[0] == "stay" || c.lemma.words[0] == "keep"
	object := -1
	var rt route
	rt.object = -1
	r.slots(c, func(p int) int {
		if v, n := r.lx.at("relation", r.toks, p); n > 0 {
			if ref, f, k := r.place(p + n); k > 0 {
				object = p
				r.arrive(&rt, ref, f, p, v)
				return n + k
			}
		}
		if v, n := r.lx.at("end", r.toks, p); n > 0 && v == posture {
			return n
		}
		return 0
	})
	if rt.unclear.text != "" {
		if len(rt.unclear.names) > 0 {
			r.refuse(c, "which_target", fmt.Sprintf("“%s” fits more than one place: which one?", rt.unclear.text), rt.unclear.names, "Write the whole name, or a square such as E4.")
		} else {
			r.notSeen(c, rt.unclear.text, rt.object, rt.object+1)
		}
		return nil, false
	}
	if !r.settle(c, object, false) {
		return nil, false
	}
	in := game.Intent{Verb: "posture", Posture: posture}
	if !rt.in.To.IsZero() && rt.in.To == r.goneTo {
		stays = true // he is there already
	}
	if _, moves := r.lx.verbs["move"]; !rt.in.To.IsZero() && !stays && moves {
		in = game.Intent{Verb: "move", To: rt.in.To, Relation: rt.in.Relation, EndPosture: posture}
	}
	return []node{{intent: in, told: c.told}}, true
}

// reload reads a reloading; without a weapon it is the one in hand.
func (r *reader) reload(c *clause, _ int) ([]node, bool) {
	var ids []int
	object := -1
	in := game.Intent{Verb: "reload"}
	r.slots(c, func(p int) int {
		if _, n := r.lx.at("using", r.toks, p); n > 0 && r.toks[p].is("with") {
			// "reload with a fresh clip"
			q := p + n
			for q < len(r.toks) && (r.toks[q].is("a") || r.toks[q].is("new") || r.toks[q].is("fresh") || r.toks[q].is("the") || r.toks[q].is("full") || r.toks[q].is("another") || r.toks[q].is("spare")) {
				q++
			}
			if q < len(r.toks) && (r.toks[q].is("clip") || r.toks[q].is("magazine") || r.toks[q].is("powerclip")) {
				return q + 1 - p
			}
		}
		k := 0
		if r.toks[p].is("in") || r.toks[p].is("of") || r.toks[p].is("on") || r.toks[p].is("for") || r.toks[p].is("into") || r.toks[p].is("with") {
			k = 1
		}
		if shells, n := r.thing(p+k, isShell); n > 0 && in.Ammo == "" && len(shells) == 1 && isShell(r.lx.things[shells[0]]) {
			in.Ammo = string(r.lx.things[shells[0]].ID) // "reload with the doze shell"
			return k + n
		}
		if n := r.option("reload", &in, p); n > 0 {
			return n
		}
		if _, q := r.lx.at("quickly", r.toks, p); q > 0 {
			return q
		}
		if v, n := r.whole(p); n > 0 && c.lemma.set["quick"] != "" && in.QuickReload == 0 {
			in.QuickReload = v
			return r.pointWord(p+n) - p
		}
		if _, n := r.lx.at("another", r.toks, p); n > 0 {
			return n
		}
		if found, n := r.thing(p+k, isRanged); n > 0 && object < 0 {
			if slices.ContainsFunc(found, func(i int) bool { return isRanged(r.lx.things[i]) }) {
				ids, object = found, p
			}
			return k + n // ammunition says nothing: there is one kind for a weapon
		}
		return 0
	})
	if object < 0 && len(c.left) > 0 && !r.dangerous(c.left[0], false) {
		i := c.left[0]
		if _, n := r.lx.at("article", r.toks, i); n > 0 && i+n < c.p {
			i += n
		}
		r.refuse(c, "unknown_weapon", fmt.Sprintf("You have no “%s”.", r.text(i, r.phraseEnd(i))), r.thingNames(isRanged), "")
		return nil, false
	}
	if !r.settle(c, object, false) {
		return nil, false
	}
	if object < 0 {
		for i, e := range r.lx.things {
			if isRanged(e) && (in.Ammo == "" || isLauncher(e)) {
				ids = append(ids, i)
			}
		}
	}
	if inHand := slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return !r.inHand(r.lx.things[i]) }); len(inHand) > 0 {
		ids = inHand
	}
	if len(ids) != 1 {
		var names []string
		for _, i := range ids {
			names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
		}
		if len(ids) == 0 {
			r.refuse(c, "unknown_weapon", "You have no weapon to reload.", nil, "")
			return nil, false
		}
		r.refuse(c, "which_weapon", "Which weapon is to be reloaded?", names, "")
		return nil, false
	}
	in.Weapon = r.lx.things[ids[0]].ID
	r.handling = in.Weapon
	if in.Ammo != "" {
		r.loaded = game.ID(in.Ammo)
	}
	return []node{{intent: in, told: c.told}}, true
}

// readyThing reads drawing, holstering, dropping, picking up and swapping.
func (r *reader) readyThing(c *clause, depth int) ([]node, bool) {
	action := c.lemma.set["action"]
	// "drop back behind the rocks" is a movement.
	if action == "drop" && c.p < len(r.toks) {
		_, rel := r.lx.at("relation", r.toks, c.p)
		if rel > 0 || r.toks[c.p].is("back") {
			c.lemma.set = map[string]string{"end": "crouch"}
			return r.move(c, depth)
		}
	}
	wanted := func(e entity) bool {
		switch action {
		case "draw", "swap":
			return !r.inHand(e)
		case "holster", "drop":
			return r.inHand(e)
		}
		return true
	}
	if action == "draw" && r.boundary(c.p) && slices.ContainsFunc(r.lx.things, func(e entity) bool { return isBow(e) && r.inHand(e) }) {
		return nil, true // he draws his bow
	}
	var ids []int
	object := -1
	from := game.ID("")
	r.slots(c, func(p int) int {
		if action == "swap" && object >= 0 && from == "" && r.toks[p].is("for") && len(c.lemma.words) == 1 {
			// "swap the rifle for the pistol"
			other, n := r.thing(p+1, wanted)
			if n == 0 || len(other) != 1 || len(ids) != 1 {
				return 0
			}
			from, ids = r.lx.things[ids[0]].ID, other
			return n + 1
		}
		keep := wanted
		if action == "swap" && len(c.lemma.words) == 1 {
			keep = r.inHand // what is given for another
		}
		found, n := r.thing(p, keep)
		if n == 0 {
			return 0
		}
		if object >= 0 {
			return 0
		}
		ids, object = found, p
		return n
	})
	if object < 0 && len(c.left) > 0 {
		if r.dangerous(c.left[0], false) {
			return nil, r.settle(c, object, false)
		}
		i := c.left[0]
		if _, n := r.lx.at("article", r.toks, i); n > 0 && i+n < c.p {
			i += n
		}
		end := r.phraseEnd(i)
		if f, n := r.person(i); n > 0 && !f.pronoun {
			return nil, r.reject(c, "This was not understood as an order.")
		}
		r.refuse(c, "unknown_weapon", fmt.Sprintf("You have no “%s”.", r.text(i, end)), nil, "Write the thing as it stands on your sheet.")
		last := &r.out.Problems[len(r.out.Problems)-1]
		last.Nearest = r.suggest(i, end)
		return nil, false
	}
	if !r.settle(c, object, false) {
		return nil, false
	}
	if object < 0 {
		for i, e := range r.lx.things {
			if e.Thing != nil && (e.Thing.Ranged || e.Thing.Melee) && wanted(e) {
				ids = append(ids, i)
			}
		}
	}
	if len(ids) != 1 {
		var names []string
		for _, i := range ids {
			names = append(names, thingName(r.lx.things[i].ID, r.vocab()))
		}
		if len(ids) == 0 {
			r.refuse(c, "unknown_weapon", "You have nothing that fits this.", nil, "")
			return nil, false
		}
		r.refuse(c, "which_weapon", "What is meant?", names, "Write the whole name.")
		return nil, false
	}
	if action == "swap" && len(c.lemma.words) == 1 && from == "" {
		return nil, r.reject(c, "It is not clear what is swapped for what.") || r.hint("Write: switch to the <weapon>.")
	}
	id := r.lx.things[ids[0]].ID
	if from != "" {
		r.unready = append(r.unready, from)
		r.ready = slices.DeleteFunc(r.ready, func(x game.ID) bool { return x == from })
	}
	switch action {
	case "draw", "swap", "pick_up":
		r.handling = id
		r.ready = append(r.ready, id)
		r.unready = slices.DeleteFunc(r.unready, func(x game.ID) bool { return x == id })
	default:
		r.unready = append(r.unready, id)
		r.ready = slices.DeleteFunc(r.ready, func(x game.ID) bool { return x == id })
	}
	return []node{{intent: game.Intent{Verb: "ready", Action: action, Item: id, From: string(from)}, told: c.told}}, true
}

// isBow is a weapon that is drawn to be shot.
func isBow(e entity) bool { return isRanged(e) && strings.HasSuffix(e.Thing.Kind, "bow") }

// hold reads the keeping back of a shot for a reaction that follows.
func (r *reader) hold(c *clause, depth int) ([]node, bool) {
	in := game.Intent{Verb: "hold"}
	something := false
	r.slots(c, func(p int) int {
		if r.toks[p].is("it") || r.toks[p].is("everything") {
			return 0
		}
		if n := r.timing("hold", &in, p); n > 0 {
			something = true
			return n
		}
		if n := r.heldFor(&in, p); n > 0 {
			something = true
			return n
		}
		a := r.count(p)
		if a.n > 0 && !a.all && (a.noun || p == c.p) {
			if a.value > 1 {
				in.Max = a.value
			}
			something = true
			return a.n
		}
		// "my second shot", "my last shot", "the shot"
		q := p
		if _, n := r.lx.at("article", r.toks, q); n > 0 {
			q += n
		}
		if q < len(r.toks) && (r.toks[q].is("second") || r.toks[q].is("third") || r.toks[q].is("last") || r.toks[q].is("other") || r.toks[q].is("first") || r.toks[q].is("remaining") || r.toks[q].is("next")) {
			q++
		}
		if n := r.bareShot(q); n > 0 {
			something = true
			return q + n - p
		}
		if r.toks[p].is("action") || r.toks[p].is("back") || q > p && q < len(r.toks) && (r.toks[q].is("action") || r.toks[q].is("turn")) {
			something = true
			return max(q+1-p, 1)
		}
		return 0
	})
	for _, i := range c.left {
		if _, n := r.lx.at("until", r.toks, i); n > 0 {
			c.p, c.left = i, nil // "hold my attack until he moves": what follows waits for that
			return r.wait(c, depth)
		}
	}
	if in.Segment > 0 { // "hold my attack until segment 12"
		c.left = slices.DeleteFunc(c.left, func(i int) bool {
			return r.toks[i].is("attack") || r.toks[i].is("blow") || r.toks[i].is("strike") || r.toks[i].is("my")
		})
	}
	if len(c.left) > 0 {
		return nil, r.reject(c, "What shall be held was not understood.") || r.hint("Write: hold 1 shot: if <who> comes within <n> "+r.unit()+", fire at <who>")
	}
	q := r.joints(c.p)
	_, n := r.lx.at("condition", r.toks, q)
	if f, k := r.force(q); f != "" {
		_, n = r.lx.at("condition", r.toks, k)
	}
	if n == 0 && !something {
		in = game.Intent{Verb: "wait"}
	}
	return []node{{intent: in, told: c.told}}, true
}

// wait reads an explicit pass; "wait until Zog moves, then …" makes a reaction.
func (r *reader) wait(c *clause, depth int) ([]node, bool) {
	until := -1
	var held, set game.Intent
	r.slots(c, func(p int) int {
		if until >= 0 {
			return 0
		}
		if n := r.timing("set_attack", &set, p); n > 0 {
			return n
		}
		if n := r.heldFor(&held, p); n > 0 {
			return n
		}
		if _, n := r.lx.at("until", r.toks, p); n > 0 || r.toks[p].is("for") {
			until = p
			return 0
		}
		if _, n := r.lx.at("relation", r.toks, p); n > 0 {
			if _, _, k := r.place(p + n); k > 0 {
				return n + k
			}
		}
		return 0
	})
	w := node{intent: game.Intent{Verb: "wait"}}
	switch {
	case until >= 0:
	case held.Second > 0 || held.Seconds > 0:
		held.Verb = "hold"
		if !r.settle(c, -1, false) {
			return nil, false
		}
		return []node{{intent: held, told: c.told}}, true
	case set.Wait > 0 || set.Bonus > 0 || set.Segment > 0:
		// It is the attack behind it that waits.
		if !r.settle(c, -1, false) {
			return nil, false
		}
		if set.Segment > 0 {
			return []node{{intent: game.Intent{Verb: "hold", Segment: set.Segment}, told: c.told}}, true
		}
		r.pending.time = &set
		return nil, true
	}
	if until < 0 {
		if !r.settle(c, -1, false) {
			return nil, false
		}
		w.told = c.told
		switch strings.Join(c.lemma.words, " ") {
		case "hold fire", "hold my fire", "cease fire", "stop shooting", "stop firing":
			r.holdsFire = r.holdsFire || !r.conditional && !r.begun
		}
		switch c.lemma.words[0] {
		case "stay", "remain", "hang", "stand", "sit", "freeze", "keep":
			r.stays = r.stays || !r.conditional
		}
		return []node{w}, true
	}
	if end := r.idle(until); end > 0 && !r.begun {
		c.p, w.told = end, c.told // nothing hangs on what he waits for
		return []node{w}, true
	}
	c.p = until + 1
	w.intent.At = r.span(c.from, until)
	b, end, ok := r.conditionalOrder(c.p, "when", depth, nil)
	if !ok || b == nil || len(b.then) == 0 {
		c.p = len(r.toks)
		r.fail(c.from, c.p, "trigger_unclear", "What is waited for, or what is done then, was not understood.", "Write: if <who> comes within <n> "+r.unit()+", fire at <who>")
		return nil, false
	}
	c.p = end
	b.forced = "reaction"
	b.at = r.span(until, end)
	return []node{w, {cond: b}}, true
}

// idle is the end of a sentence that says from p on what somebody waits for, with
// nothing that is done then; 0 if something is.
func (r *reader) idle(p int) int {
	for q := p + 1; q < len(r.toks); q++ {
		t := r.toks[q]
		if t.kind != word || t.is("then") || t.is("and") || t.is("before") {
			return 0
		}
		if q > p+2 && t.is("i") {
			return 0
		}
	}
	return len(r.toks)
}

// defend reads a turn of defence.
func (r *reader) defend(c *clause, _ int) ([]node, bool) {
	r.slots(c, func(p int) int { return 0 })
	for _, i := range c.left {
		if f, n := r.person(i); n > 0 && !f.unsure {
			return nil, r.reject(c, "You can only defend yourself.")
		}
		if r.dangerous(i, false) {
			return nil, r.settle(c, -1, false)
		}
	}
	return []node{{intent: game.Intent{Verb: "defend"}, told: c.told}}, true
}
