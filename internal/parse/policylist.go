package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// policyList reads the policies of a stretch one after another.
type policyList struct {
	*reader
	from, end int
	all       []game.Intent // in their order
	usual     bool          // it says that something is not to be done which is not done anyway

	first []game.Intent // what comes before all others
	in    game.Intent   // the policy that is being read
	lead  game.Intent   // what stands before its word
	doubt int           // a condition of which nothing has been understood yet; -1: none

	not, giveUp bool // of the next one
	chained     bool // "otherwise" stands before it
}

// policies reads the policies of a stretch. ok is false if something in it might
// turn it around: that has been reported, and nothing of it holds.
func (r *reader) policies(from, end int) (l policyList, ok bool) {
	l = policyList{reader: r, from: from, end: end, doubt: -1}
	for q := from; q < end; {
		n, ok := l.part(q)
		if !ok {
			return l, false
		}
		q += n
	}
	if l.doubt >= 0 {
		return l, r.doubtful(from, end, l.doubt)
	}
	l.flush()
	if n := len(l.all); n > 0 && len(l.all[n-1].Against) == 0 {
		l.all[n-1].Against = l.lead.Against
	}
	l.all = append(l.first, l.all...)
	return l, true
}

// flush ends the policy that is being read.
func (l *policyList) flush() {
	in := l.in
	if in.Verb == "" {
		return
	}
	if in.Verb == "take_blow" && !l.chained && len(in.Against) == 1 && !slices.Contains(broadKinds, in.Against[0]) {
		l.first = append(l.first, in) // "parry swords, ignore daggers": the narrower one counts
	} else {
		l.all = append(l.all, in)
	}
	l.in, l.chained = game.Intent{}, false
}

// current is the policy that a limit or a weapon belongs to: the one being read, or
// the one whose word is still to come.
func (l *policyList) current() *game.Intent {
	l.doubt = -1
	if l.in.Verb == "" {
		return &l.lead
	}
	return &l.in
}

// part takes one part at q and gives its length, of 1 at least.
func (l *policyList) part(q int) (n int, ok bool) {
	t := l.toks[q]
	if n := l.keepSet(q); n > 0 {
		return n, true
	}
	if n, ok := l.word(q); n > 0 || !ok {
		return n, ok
	}
	if n := l.giveUpAttack(q); n > 0 {
		return n, true
	}
	if _, n := l.lx.at("policyend", l.toks, q); n > 0 {
		if _, _, m := l.policyAt(q + n); m > 0 {
			l.not = true // "stop parrying"
			return n, true
		}
	}
	if t.is("not") || t.is("never") {
		l.not = true // "Melee blows I don't dodge": what is not done stands behind.
		return 1, true
	}
	if t.is("but") || t.is("otherwise") || t.is("else") || t.is(";") {
		l.not = false
	}
	if v, n := l.kind(q); n > 0 {
		if in := l.current(); len(in.Against) == 0 || in.Against[0] == "all" {
			in.Against = game.Who{v}
		}
		return n, true
	}
	if n, ok := l.armed(q); n > 0 || !ok {
		return n, ok
	}
	if f, n := l.person(q); n > 0 && f.one() && !f.pronoun && l.lx.people[f.ids[0]].Relation != "self" {
		l.mention(f)
		if l.in.Verb != "" && (len(l.in.Against) == 0 || l.in.Against[0] == "all") {
			l.in.Against, l.doubt = game.Who{l.lx.people[f.ids[0]].ID}, -1
		}
		return n, true
	}
	if k, n := l.penalty(q); n > 0 {
		l.current().MaxPenalty = k
		return n, true
	}
	if n := l.figure(q); n > 0 {
		return n, true
	}
	if _, n := l.lx.at("condition", l.toks, q); n > 0 || t.is("while") || t.is("until") {
		l.doubt = q
		return max(n, 1), true
	}
	return 1, true
}

// keepSet reads what a set attack is not lost for.
func (l *policyList) keepSet(q int) int {
	v, n := l.lx.at("keepset", l.toks, q)
	if n == 0 {
		return 0
	}
	switch who, k := l.spared(q+n, l.end); {
	case l.in.Verb == "take_blow" && k == 0:
		l.in.KeepSet = true
	case l.not || v == "keep":
		l.first = append(l.first, game.Intent{Verb: "take_blow", Against: who, KeepSet: true})
		l.not = false
		n += k
	}
	return n
}

// word reads the word for a policy: parry, dodge, take the blow.
func (l *policyList) word(q int) (n int, ok bool) {
	v, form, n := l.policyAt(q)
	if n == 0 || l.in.Verb == v && v != "take_blow" && len(form) == 0 && !l.not {
		return n, true
	}
	if l.doubt >= 0 && l.in.Verb != "" {
		return 0, l.doubtful(l.from, l.end, l.doubt)
	}
	l.doubt = -1 // "if I am attacked, dodge": that is what a policy is for
	otherwise := func(p int) bool { return p >= l.from && (l.toks[p].is("otherwise") || l.toks[p].is("else")) }
	l.flush()
	l.in, l.lead, l.chained = l.lead, game.Intent{}, otherwise(q-1) || otherwise(q-2)
	l.in.Verb = v
	apply(&l.in, form)
	l.in.GiveUp = l.giveUp && v != "take_blow"
	q += n
	if _, k := l.lx.at("policyover", l.toks, q); k > 0 && !(q+k < l.end && l.toks[q+k].is("than")) {
		l.not = true
		n += k
		q += k
	}
	if l.not && v != "take_blow" {
		no := false
		l.in.Allow = &no
	}
	// "I won't dodge or parry": neither of them.
	l.not = l.not && q < l.end && (l.toks[q].is("or") || l.toks[q].is("nor"))
	return n, true
}

// giveUpAttack reads that an attack of the same segment is given up, or never is:
// "never give up my attack for a parry", as it is done anyway.
func (l *policyList) giveUpAttack(q int) int {
	_, n := l.lx.at("giveup", l.toks, q)
	switch {
	case n == 0:
		return 0
	case !l.not && l.in.Verb == "":
		l.giveUp = true
		return n
	case !l.not:
		l.in.GiveUp = l.in.Verb != "take_blow"
		return n
	}
	l.not, l.usual = false, true
	end := q + n
	if end >= l.end || !l.toks[end].is("for") && !l.toks[end].is("to") {
		return n
	}
	for end++; end < l.end; {
		_, art := l.lx.at("article", l.toks, end)
		_, _, k := l.policyAt(end)
		_, x := l.kind(end)
		if l.toks[end].is("or") {
			art = 1
		}
		m := max(art, k, x)
		if m == 0 {
			break
		}
		end += m
	}
	return end - q
}

// armed reads with what blows are parried; not ok: it is not clear with what.
func (l *policyList) armed(q int) (n int, ok bool) {
	_, n = l.lx.at("using", l.toks, q)
	if n == 0 {
		return 0, true
	}
	if ids, k := l.thing(q+n, isArm); k > 0 && len(ids) == 1 {
		l.current().Weapon = l.lx.things[ids[0]].ID
		return n + k, true
	}
	if l.in.Verb == "parry_policy" && (l.toks[q].is("with") || l.toks[q].is("using")) {
		l.fail(l.from, l.end, "unknown_weapon", fmt.Sprintf("It is not clear what “%s” is, so nothing of this holds.", l.text(q+n, min(l.phraseEnd(q+n), l.end))), "Write a weapon or a shield as it stands on your sheet.")
		return 0, false
	}
	return 0, true
}

// figure reads a limit in figures: a chance, segments of haste, or a price.
func (l *policyList) figure(q int) int {
	v, n := l.whole(q)
	if n == 0 {
		return 0
	}
	_, points := l.lx.at("points", l.toks, q+n)
	n += points
	if _, x := l.lx.at("orbetter", l.toks, q+n); x > 0 {
		l.current().MinChance = v
		return n + x
	}
	if u, x := l.lx.at("timeunit", l.toks, q+n); x > 0 && u == "segment" {
		l.current().MaxEarly = v
		return n + x
	}
	if l.costs(l.from, q) {
		_, x := l.lx.at("orless", l.toks, q+n)
		l.current().MaxPenalty = v
		return n + x
	}
	if q == l.from {
		return n
	}
	if _, x := l.lx.at("atleast", l.toks, q-1); x > 0 || q > l.from+1 && l.chanceWord(q-2) || l.chanced(l.from, q) {
		l.current().MinChance = v
	}
	return n
}
