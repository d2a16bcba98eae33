package parse

import (
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// amount is a number of shots as it was written.
type amount struct {
	n     int // tokens
	value int
	all   bool // all that the weapon gives
	noun  bool // "shots" or the like stood there
	times bool // "twice", "x2", "three times"
	aim   bool // "two aimed shots"
}

// count reads a number of shots at p: "3 shots", "x2", "twice", "a shot",
// "both shots", "another one", "3".
func (r *reader) count(p int) amount {
	if p >= len(r.toks) {
		return amount{}
	}
	if value, n := r.lx.at("times", r.toks, p); n > 0 {
		v, err := strconv.Atoi(value)
		if err == nil {
			return amount{n: n, value: v, times: true}
		}
	}
	if _, n := r.lx.at("every", r.toks, p); n > 0 {
		a := amount{n: n, all: true, noun: n > 1}
		if k := r.shotNoun(p + n); k > 0 {
			a.n, a.noun = n+k, true
		}
		switch {
		case r.toks[p].is("both") && n == 1 && !a.noun:
			return amount{}
		case n == 2 && r.toks[p+1].is("three"):
			a.all, a.value = false, 3
		case n == 2 && r.toks[p+1].is("two"):
			a.all, a.value = false, 2
		}
		return a
	}
	if r.toks[p].is("all") {
		q := p + 1
		for q < len(r.toks) && (r.toks[q].is("of") || possessive(r.toks[q].text) == "my" || r.toks[q].is("the")) {
			q++
		}
		if v, k := r.number(q); k > 0 && v%10 == 0 && v > 0 {
			n := q + k + r.shotNoun(q+k) - p
			return amount{n: n, value: v / 10, noun: true}
		}
	}
	if r.toks[p].is("x") {
		if v, k := r.number(p + 1); k > 0 && v%10 == 0 && v > 0 {
			return amount{n: 1 + k, value: v / 10, times: true}
		}
		return amount{}
	}
	q := p
	if r.toks[q].is("the") || possessive(r.toks[q].text) == "my" {
		q++
		if q < len(r.toks) && r.toks[q].is("other") {
			q++
		}
	}
	if q < len(r.toks) && r.toks[q].is("another") {
		k := r.shotNoun(q + 1)
		switch {
		case k > 0:
			return amount{n: q + 1 + k - p, value: 1, noun: true}
		case q+1 < len(r.toks) && r.toks[q+1].is("one"):
			return amount{n: q + 2 - p, value: 1}
		}
		return amount{}
	}
	if q < len(r.toks) && (r.toks[q].is("a") || r.toks[q].is("an")) {
		if k, aimed := r.qualities(q + 1); r.bareShot(q+1+k) > 0 {
			return amount{n: q + 1 + k + r.bareShot(q+1+k) - p, value: 1, noun: true, aim: aimed}
		}
		if q+1 < len(r.toks) && r.toks[q+1].is("couple") {
			k := q + 2
			if k < len(r.toks) && r.toks[k].is("of") {
				k++
			}
			if s := r.shotNoun(k); s > 0 {
				return amount{n: k + s - p, value: 2, noun: true}
			}
		}
		return amount{}
	}
	if q < len(r.toks) && r.toks[q].kind == word {
		// "sends the arrow at Zog", "arrow at Zog"
		if _, n := r.lx.at("missile", r.toks, q); n > 0 && r.isTarget(q+n) {
			return amount{n: q + n - p, value: 1, noun: true}
		}
	}
	v, k := r.number(q)
	if k == 0 || v%10 != 0 || v == 0 {
		return amount{}
	}
	a := amount{n: q + k - p, value: v / 10}
	if u, n := r.lx.at("unit", r.toks, q+k); n > 0 && u != "" {
		return amount{}
	}
	if q+k < len(r.toks) && r.toks[q+k].is("x") {
		a.n++
		a.times = true
		return a
	}
	more, aimed := r.qualities(q + k)
	if q+k+more < len(r.toks) && (r.toks[q+k+more].is("shoot") || r.toks[q+k+more].is("shoots")) {
		a.n += more + 1
		a.noun, a.aim = true, aimed
		return a
	}
	if s := r.bareShot(q + k + more); s > 0 {
		a.n += more + s
		a.noun, a.aim = true, aimed
		a.times = r.toks[p+a.n-1].is("times") || r.toks[p+a.n-1].is("time")
		return a
	}
	if q > p {
		if r.toks[q-1].is("other") && a.value > 1 {
			return a // "the other two at Zog"
		}
		return amount{}
	}
	if q+k < len(r.toks) && r.toks[q+k].is("more") {
		a.n++
	}
	return a
}

// qualities passes over words between a number and its shots.
func (r *reader) qualities(p int) (n int, aimed bool) {
	for {
		value, k := r.lx.at("quality", r.toks, p+n)
		if k == 0 {
			return n, aimed
		}
		aimed = aimed || value == "aim"
		n += k
	}
}

func (r *reader) shotNoun(p int) int {
	k, _ := r.qualities(p)
	if s := r.bareShot(p + k); s > 0 {
		return k + s
	}
	return 0
}

func (r *reader) bareShot(p int) int {
	_, n := r.lx.at("shots", r.toks, p)
	return n
}

// setting reads a power dial: "at power 5", "dial 4", "5 SEU", "full power".
// loose also takes "to 5", after a verb of setting.
func (r *reader) setting(p int, loose bool) (game.Setting, int) {
	q := p
	if q < len(r.toks) && (r.toks[q].is("at") || r.toks[q].is("@") || r.toks[q].is("on") || r.toks[q].is("with") || r.toks[q].is("to") || r.toks[q].is("using")) {
		q++
	}
	prep := q > p
	if q < len(r.toks) && (r.toks[q].is("the") || possessive(r.toks[q].text) == "my") {
		q++
	}
	if _, n := r.lx.at("full", r.toks, q); n > 0 && (n > 1 || prep || r.boundary(q+n)) {
		return game.Setting{Max: true}, q + n - p
	}
	_, dial := r.lx.at("dial", r.toks, q)
	k := q + dial
	if dial > 0 {
		for k < len(r.toks) && (r.toks[k].is("to") || r.toks[k].is("at") || r.toks[k].is("of") || r.toks[k].is("is") || r.toks[k].is("on") || r.toks[k].is("=") || r.toks[k].is(":")) {
			k++
		}
		if _, n := r.lx.at("full", r.toks, k); n > 0 {
			return game.Setting{Max: true}, k + n - p
		}
	}
	v, n := r.number(k)
	if n == 0 || v%10 != 0 || v == 0 {
		return game.Setting{}, 0
	}
	s := game.Setting{N: v / 10}
	k += n
	_, seu := r.lx.at("seu", r.toks, k)
	if dial > 0 || seu > 0 {
		return s, k + seu - p
	}
	// "on 7th dial"
	if k+1 < len(r.toks) && (r.toks[k].is("th") || r.toks[k].is("st") || r.toks[k].is("nd") || r.toks[k].is("rd")) {
		if _, d := r.lx.at("dial", r.toks, k+1); d > 0 {
			return s, k + 1 + d - p
		}
	}
	if loose && prep && (r.boundary(k) || r.adverbial(k) > 0) {
		return s, k - p
	}
	return game.Setting{}, 0
}

func isRanged(e entity) bool { return e.Thing != nil && e.Thing.Ranged }

// weaponAt reads "with my pistol", "using the laser".
func (r *reader) weaponAt(p int) ([]int, int) {
	_, k := r.lx.at("using", r.toks, p)
	if k == 0 {
		return nil, 0
	}
	ids, n := r.thing(p+k, isRanged)
	if n == 0 {
		return nil, 0
	}
	return ids, k + n
}
