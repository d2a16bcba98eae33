package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// bySense chooses the doer by what the clause speaks of, where the verb alone
// does not tell: a grenade is thrown whatever the verb, a dose is used.
func (r *reader) bySense(c *clause) doer {
	knows := func(verb string) bool { _, ok := r.lx.verbs[verb]; return ok }
	intent, need := c.lemma.intent, c.lemma.set["need"]
	if r.defensive(c) {
		return (*reader).policyClause
	}
	if do := r.betweenWords(c); do != nil {
		return do
	}
	if do := r.byForm(c); do != nil {
		return do
	}
	switch intent {
	case "quick_attack":
		if !r.speaksOfThing(c.p, isMelee) && slices.ContainsFunc(r.lx.things, func(e entity) bool { return isRanged(e) && r.inHand(e) }) && !slices.ContainsFunc(r.lx.things, func(e entity) bool { return isMelee(e) && !isShield(e) && e.ID != game.BareHands && r.inHand(e) }) {
			return (*reader).fire
		}
		return (*reader).melee
	case "move":
		if c.lemma.words[0] == "close" && len(c.lemma.words) == 1 && knows("use") {
			if ref, _, ok := r.operated(c); ok && r.isDoor(ref.ID) {
				return (*reader).operate
			}
		}
	case "fire", "throw", "melee", "burst", "launch":
		if _, n := r.lx.at("relation", r.toks, c.p); n > 0 && intent == "throw" && knows("move") {
			if ref, _, k := r.place(c.p + n); k > 0 && ref.ID != "" && r.isPlace(ref.ID) && r.boundary(c.p+n+k) {
				return (*reader).move // "rolls under the Explorer"
			}
		}
		if c.lemma.words[0] == "let" && r.havesIt(c) {
			return (*reader).fireAtWhom
		}
		if (need == "count" || c.lemma.words[0] == "take") && knows("ready") && r.fetched(c) {
			c.lemma.set = map[string]string{"action": "draw"}
			return (*reader).readyThing
		}
		unready := func(keep func(entity) bool) bool { return r.speaksOfThing(c.p, keep) }
		switch {
		case intent == "burst" && r.burstVerb() != "":
			return (*reader).burst
		case intent == "fire" && r.bursts(c.p) && !r.modeOnly(c):
			return (*reader).burst
		case knows("use") && (need == "count" || intent == "throw") && need != "missile" && r.helps(c.p) && !unready(isMissile):
			return (*reader).use
		case knows("use") && c.lemma.words[0] == "use" && (!r.speaksOfThing(c.p, isAttack) || r.takes("use", "action") && r.gadget(c.p)):
			if _, _, ok := r.operated(c); ok {
				return (*reader).operate
			}
		case knows("launch") && r.toks[min(c.p, len(r.toks)-1)].is("it") && c.p < len(r.toks) && slices.ContainsFunc(r.lx.things, func(e entity) bool { return e.ID == r.handling && isLauncher(e) }):
			return (*reader).launch
		case knows("launch") && (unready(isShell) || intent != "melee" && unready(isLauncher) || intent == "launch"):
			return (*reader).launch
		case knows("throw") && unready(isGrenade) && c.lemma.words[0] == "give":
			return (*reader).handOver
		case knows("throw") && unready(isGrenade):
			return (*reader).throw
		case need == "missile" && !unready(isMissile):
			return (*reader).noOrder
		case knows("throw") && (need == "missile" || need == "count") && unready(isMissile) && !unready(isRanged) && c.lemma.words[0] != "put" && c.lemma.words[0] != "plant" && r.aims(c.p):
			return (*reader).throw
		case knows("melee") && need == "count" && unready(isMelee) && !unready(isRanged):
			return (*reader).melee
		case intent == "throw" && knows("fire") && unready(isRanged) && !unready(isMissile) && need == "":
			return nil
		case intent == "melee" && knows("throw") && !unready(isMelee) && unready(isMissile):
			return (*reader).throw
		}
	case "wait":
		if w := c.lemma.words; len(w) == 2 && w[0] == "stand" && w[1] == "by" && knows("move") {
			if _, _, n := r.place(c.p); n > 0 {
				c.lemma = lemma{words: []string{"move"}, intent: "move", set: map[string]string{}}
				c.p = c.verbFrom + 1
				return (*reader).move // "stand by the door"
			}
		}
	case "use", "give":
		if c.lemma.words[0] == "give" && knows("fire") && r.countAhead(c.verbFrom+1) && !r.helps(c.verbFrom+1) {
			c.lemma = lemma{words: []string{"give"}, intent: "fire", set: map[string]string{"need": "count"}}
			c.p = c.verbFrom + 1
			return nil
		}
		if c.lemma.words[0] == "take" && knows("ready") && r.speaksOfThing(c.verbFrom+1, isArm) {
			c.lemma.set = map[string]string{"action": "draw"}
			c.p = c.verbFrom + 1
			return (*reader).readyThing
		}
		if knows("use") && (c.lemma.set["aid"] != "" || r.helps(c.p) || c.lemma.words[0] == "inject" && slices.ContainsFunc(r.lx.things, isDose)) {
			return (*reader).use
		}
		if knows("use") {
			if _, _, ok := r.operated(c); ok {
				return (*reader).operate
			}
		}
	case "set":
		if r.switches(c.p) {
			return func(r *reader, c *clause, _ int) ([]node, bool) { return r.switching(c) }
		}
	}
	return nil
}

// aims reports that the clause from p on names somebody, or a place behind "at".
func (r *reader) aims(p int) bool {
	for end := r.skip(p); p < end; p++ {
		if f, n := r.person(p); n > 0 && !(f.pronoun && r.toks[p].is("it")) {
			return true
		}
		if _, n := r.lx.at("target", r.toks, p); n > 0 {
			if _, _, k := r.place(p + n); k > 0 {
				return true
			}
		}
	}
	return false
}

// countAhead reports that the clause from p on holds a number of shots.
func (r *reader) countAhead(p int) bool {
	for end := r.skip(p); p < end; p++ {
		if r.count(p).noun {
			return true
		}
	}
	return false
}

// noOrder reports a clause that only looks like an order.
func (r *reader) noOrder(c *clause, _ int) ([]node, bool) {
	c.p = r.skip(c.p)
	r.mentionAll(c.from, c.p)
	r.fail(c.from, c.p, "story", "This was read as story, not as an order.", "")
	return nil, false
}

// havesIt reports "let Zog have it".
func (r *reader) havesIt(c *clause) bool {
	_, n := r.person(c.p)
	if n == 0 {
		return false
	}
	p := c.p + n
	_, k := r.lx.at("haveit", r.toks, p)
	return k > 0 || p < len(r.toks) && r.toks[p].is("have") && r.count(p+1).noun
}

// fireAtWhom reads "let Zog have it, both shots" as a shot at him.
func (r *reader) fireAtWhom(c *clause, depth int) ([]node, bool) {
	c.lemma = lemma{words: []string{"fire"}, intent: "fire", set: map[string]string{}}
	return r.fire(c, depth)
}

// handOver refuses "give Zog the grenade", which may be a gift or a throw.
func (r *reader) handOver(c *clause, _ int) ([]node, bool) {
	return nil, r.reject(c, "Is it thrown, or handed over?") || r.hint("Write: throw the <grenade> at <who>; or say in your own words that you hand it over.")
}

// modeOnly reports that "auto" or the like only names a weapon.
func (r *reader) modeOnly(c *clause) bool {
	for p, end := c.p, r.skip(c.p); p < end; p++ {
		if _, n := r.thing(p, isRanged); n > 0 {
			p += n - 1
			continue
		}
		if _, n := r.lx.at("burst", r.toks, p); n > 0 {
			return false
		}
	}
	return true
}
