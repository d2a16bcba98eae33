package parse

import (
	"slices"
	"strings"
)

// joints passes over commas, "and", "then" and other words between clauses.
func (r *reader) joints(p int) int {
	for p < len(r.toks) {
		t := r.toks[p]
		if t.kind == newline || t.kind == mark && strings.Contains(",:;-+&>/*.–=", t.text[:1]) && !t.is("->=") {
			p++
			continue
		}
		if t.is("or") && p+1 < len(r.toks) && (r.toks[p+1].is("if")) {
			p++
			continue
		}
		if t.is("but") {
			p++
			continue
		}
		_, n := r.lx.at("discourse", r.toks, p)
		if n == 0 {
			return p
		}
		if f, _ := r.force(p); f != "" {
			return p
		}
		if _, k := r.lx.at("danger", r.toks, p); k > n {
			return p // "next turn I …" is not for now
		}
		if _, k := r.lx.at("condition", r.toks, p); k >= n {
			return p
		}
		if _, k := r.lx.at("otherwise", r.toks, p); k >= n {
			return p
		}
		// "Before" and "while" join only when an order in -ing follows, "after"
		// only at the front.
		if t.is("before") || t.is("while") {
			if !r.begun && t.is("before") {
				return p
			}
			if _, _, when := r.verbAt(p + n); when != ing && !(p+n < len(r.toks) && r.toks[p+n].is("i") && r.aheadVerb(p+n+1)) {
				return p
			}
		}
		if t.is("first") || t.is("second") || t.is("third") || t.is("right") || t.is("free") || t.is("me") || t.is("order") {
			if q := p + n; q < len(r.toks) && !r.startsClause(q) && !r.toks[q].is(",") && !r.toks[q].is(":") {
				return p
			}
		}
		p += n
	}
	return p
}

// force reads "on my turn" and "as a reaction" before a condition.
func (r *reader) force(p int) (string, int) {
	value, n := r.lx.at("forced", r.toks, p)
	q := p + n
	for n > 0 && q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is(":")) {
		q++
	}
	if _, k := r.lx.at("condition", r.toks, q); n > 0 && k > 0 {
		return value, q
	}
	return "", p
}

// boundary reports that the clause before p has ended: what follows, behind
// commas and "and", begins another one.
func (r *reader) boundary(p int) bool {
	r.work++
	if p >= len(r.toks) {
		return true
	}
	t := r.toks[p]
	if t.is("]") || t.is("[") || t.kind == speech {
		return true
	}
	if t.kind == mark && (t.is("->") || t.is(">")) && r.startsClause(r.joints(p)) {
		return true
	}
	if _, n := r.lx.at("onlyif", r.toks, p); n > 0 && r.takes("fire", "only_if_reached") {
		return false
	}
	if lead, n := r.condLead(p); n > 0 && lead != "" && !t.is("once") && !(t.is("should") && !r.inverted(p)) {
		return true
	}
	if _, n := r.lx.at("otherwise", r.toks, p); n > 0 {
		return true
	}
	if value, n := r.lx.at("forced", r.toks, p); n > 0 && value != "" {
		if f, _ := r.force(p); f != "" {
			return true
		}
	}
	joint := t.kind == newline || t.is(",") || t.is("and") || t.is("then") || t.is("&") || t.is("+") || t.is("-") || t.is(":") || t.is(";") || t.is("but") ||
		t.is("before") || t.is("while") || t.is("after") || t.is("so")
	if _, set := r.lx.verbs["set_attack"]; !joint || set && t.is("+") && p+1 < len(r.toks) && r.toks[p+1].kind == number {
		return false // "set shot +20 at Tolk"
	}
	q := r.joints(p)
	if q == p {
		return false
	}
	if q >= len(r.toks) {
		return true
	}
	if _, n := r.lx.at("onlyif", r.toks, q); n > 0 && r.takes("fire", "only_if_reached") {
		return false
	}
	if _, n := r.lx.at("stopwhen", r.toks, q); n > 0 && r.takes("move", "stop_when") {
		return false
	}
	if r.conditional && r.isTotal(q) {
		return true
	}
	if lead, n := r.condLead(q); n > 0 && lead != "" && !(r.toks[q].is("should") && !r.inverted(q)) {
		return true
	}
	if _, n := r.lx.at("otherwise", r.toks, q); n > 0 {
		return true
	}
	if f, _ := r.force(q); f != "" || r.toks[q].is("]") {
		return true
	}
	return r.startsClause(q)
}

// condLead reads the word that opens a condition; "once at Zog" is a number.
func (r *reader) condLead(p int) (lead string, n int) {
	lead, n = r.lx.at("condition", r.toks, p)
	if n != 1 || !r.toks[p].is("once") {
		return lead, n
	}
	if p+1 >= len(r.toks) || r.toks[p+1].kind != word {
		return "", 0
	}
	_, prep := r.lx.at("target", r.toks, p+1)
	_, with := r.lx.at("using", r.toks, p+1)
	if prep+with > 0 || r.toks[p+1].is("and") || r.toks[p+1].is("then") || r.toks[p+1].is("more") || r.toks[p+1].is("again") {
		return "", 0
	}
	return lead, n
}

// inverted reports that "should" opens a condition: "should he move, …".
func (r *reader) inverted(p int) bool {
	_, n := r.person(p + 1)
	return n > 0
}

// startsClause reports that a new order, or talk of somebody's action, begins here.
func (r *reader) startsClause(p int) bool {
	r.work++
	if p >= len(r.toks) {
		return false
	}
	if r.listNumber(p) > 0 || r.startsWhoever(p) {
		return true
	}
	if p > 1 && r.toks[p-1].is("then") && !r.looking {
		// Not within itself: a row of "then" would be walked over and over.
		r.looking = true
		shot := r.looksLikeShot(p)
		r.looking = false
		if shot {
			return true
		}
	}
	if p > 1 && r.toks[p-1].is(",") {
		// "unsling the rifle, frag shell at Zog"
		if ids, n := r.thing(p, nil); n > 0 && r.isTarget(p+n) && slices.ContainsFunc(ids, func(i int) bool { return isGrenade(r.lx.things[i]) || isShell(r.lx.things[i]) }) {
			return true
		}
	}
	if _, n := r.lx.at("manner", r.toks, p); n > 0 && r.boundary(p+n) && p > 0 && r.toks[p-1].is(",") && r.toks[p].text != "dodge" {
		return false
	}
	if _, n := r.lx.at("onlyif", r.toks, p); n > 0 {
		return false
	}
	if _, n := r.lx.at("end", r.toks, p); n > 1 && r.toks[p].is("ending") {
		return false
	}
	if _, n := r.lx.at("snap", r.toks, p); n > 0 && r.takes("fire", "snap") && r.toks[max(p-1, 0)].is(",") {
		return false
	}
	if r.givesUp(p) || r.bareLocation(p) > 0 {
		return false
	}
	if _, n := r.lx.at("option", r.toks, p); n > 0 && r.takes("fire", "quick") {
		if _, k := r.whole(p + n); k > 0 {
			return false
		}
	}
	if r.toks[p].kind == speech {
		return true
	}
	if _, n := r.lx.at("attribute", r.toks, p+1); n > 0 && r.toks[p].is("no") && r.takes("fire", "agi") {
		return false
	}
	if r.toks[p].is("no") || r.toks[p].is("not") || r.toks[p].is("never") || r.toks[p].is("nothing") {
		return true
	}
	s, n := r.subjectAt(p)
	if n > 0 && s != nobody {
		return true
	}
	if r.startsBare(p) {
		return true
	}
	if _, n := r.setting(p, false); n > 0 {
		return false
	}
	if _, n := r.lx.at("lean", r.toks, p); n > 0 {
		return false
	}
	flags, q := r.aux(p)
	if _, n, when := r.verbAt(q); n > 0 {
		return when != past || flags.any
	}
	if flags.intent || flags.thought {
		return q > p+1 || !r.toks[p].is("is")
	}
	if n := r.oneBlow(p); n > 0 && r.isTarget(p+n) {
		return true
	}
	if c := r.count(p); c.n > 0 {
		if r.isTarget(p + c.n) {
			return true
		}
		if _, k := r.weaponAt(p + c.n); c.noun && k > 0 && r.isTarget(p+c.n+k) {
			return true
		}
		_, n := r.person(p + c.n)
		return c.noun && n > 0
	}
	if _, n := r.lx.at("aim", r.toks, p); n > 0 {
		_, k, _ := r.verbAt(p)
		return k > 0
	}
	return false
}

// bareLocation is the length of a place of the body that stands by itself behind a
// comma: "crossbow, Dunstan, head".
func (r *reader) bareLocation(p int) int {
	if p == 0 || p >= len(r.toks) || !r.toks[p-1].is(",") || !r.takes("fire", "called") {
		return 0
	}
	_, n := r.location(p)
	if n == 0 || p+n < len(r.toks) && r.toks[p+n].kind == word {
		return 0
	}
	return n
}

// givesUp reports "giving up 10", which is an option and no surrender.
func (r *reader) givesUp(p int) bool {
	if p+2 >= len(r.toks) || !(r.toks[p].is("giving") || r.toks[p].is("give")) || !r.toks[p+1].is("up") {
		return false
	}
	_, n := r.whole(p + 2)
	return n > 0
}

// startsBare reports an order without a verb that is about a thing: "screen on",
// "stunstick out".
func (r *reader) startsBare(p int) bool {
	if p+1 < len(r.toks) && (r.toks[p+1].is("mode") || r.toks[p+1].is("setting")) {
		_, n := r.mode(p)
		return n > 0
	}
	if r.toks[p].is("down") && p > 0 && (p+1 >= len(r.toks) || r.toks[p+1].kind == mark || r.toks[p+1].kind == newline) {
		return r.toks[p-1].is("then") || r.toks[p-1].is(",")
	}
	ids, n := r.thing(p, nil)
	if n == 0 || p+n >= len(r.toks) {
		return false
	}
	switch r.toks[p+n].text {
	case "on", "off":
		return len(ids) == 1 && isScreen(r.lx.things[ids[0]]) && (p+n+1 >= len(r.toks) || r.toks[p+n+1].kind != word)
	case "out", "away", "drawn", "holstered", "sheathed":
		return p+n+1 >= len(r.toks) || r.toks[p+n+1].kind != word
	}
	return false
}

// isTarget reports that "at Zog" or the like stands at p.
func (r *reader) isTarget(p int) bool {
	_, n := r.lx.at("target", r.toks, p)
	if n == 0 {
		return false
	}
	_, k := r.person(p + n)
	return k > 0
}

// skip is the place where the clause from p on ends.
func (r *reader) skip(p int) int {
	for p < len(r.toks) && !r.boundary(p) {
		p++
	}
	return p
}
