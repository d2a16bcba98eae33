package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// takes reports that a verb of this game has a field.
func (r *reader) takes(verb, field string) bool {
	return slices.Contains(r.lx.verbs[verb].Fields, field)
}

// option reads one option of an attack at p, if this game's verb has it: a
// called shot, points for speed or power, a snap, a segment, a fuse.
func (r *reader) option(verb string, in *game.Intent, p int) int {
	if p >= len(r.toks) {
		return 0
	}
	if q := p; r.toks[q].is("and") || r.toks[q].is("&") || r.toks[q].is("(") || r.toks[q].is("with") {
		// "10 points into power and 5 into quick"
		if n := r.points(verb, in, q+1); n > 0 {
			return n + 1
		}
	}
	for _, read := range []func(string, *game.Intent, int) int{r.points, r.called, r.snap, r.timing, r.fuse, r.alternative, r.attribute} {
		if n := read(verb, in, p); n > 0 {
			return n
		}
	}
	q := p
	for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is("-") || r.toks[q].is("but")) {
		q++
	}
	if _, n := r.lx.at("onlyif", r.toks, q); n > 0 && r.takes(verb, "only_if_reached") {
		in.OnlyIfReached = true
		end := q + n
		k := end
		for k < len(r.toks) && r.toks[k].kind == mark {
			k++
		}
		if _, x := r.lx.at("otherwise", r.toks, k); x > 0 && k > end {
			// "otherwise the hit stays where it landed": that is the rule.
			if i := r.staysThere(k + x); i > 0 {
				end = i
			}
		}
		return end - p
	}
	return 0
}

// staysThere reports that the rest says that the hit stays where it is.
func (r *reader) staysThere(p int) int {
	for q := p; q < len(r.toks); q++ {
		if r.toks[q].is("stays") || r.toks[q].is("lands") || r.toks[q].is("landed") || r.toks[q].is("stands") || r.toks[q].is("stand") || r.toks[q].is("stay") {
			return len(r.toks)
		}
	}
	return 0
}

// whole reads a whole number of at least 1.
func (r *reader) whole(p int) (int, int) {
	if p < len(r.toks) && r.toks[p].is("+") {
		v, n := r.whole(p + 1)
		if n == 0 {
			return 0, 0
		}
		return v, n + 1
	}
	v, n := r.number(p)
	if n == 0 || v%10 != 0 || v == 0 {
		return 0, 0
	}
	return v / 10, n
}

// pointFields are the options that points are given to.
func pointField(in *game.Intent, name string) *int {
	switch name {
	case "quick":
		return &in.Quick
	case "power":
		return &in.Power
	case "quick_reload":
		return &in.QuickReload
	case "called_points":
		return &in.CalledPoints
	}
	return nil
}

// points reads "quick 10", "10 points into power", "5 into quick", "power: 10".
func (r *reader) points(verb string, in *game.Intent, p int) int {
	set := func(name string, v int) bool {
		f := pointField(in, name)
		if f == nil || *f != 0 || !r.takes(verb, name) && !(name == "power" && r.takes(verb, "quick")) {
			return false
		}
		*f = v
		return true
	}
	if name, n := r.lx.at("option", r.toks, p); n > 0 {
		q := p + n
		for q < len(r.toks) && (r.toks[q].is("for") || r.toks[q].is(":") || r.toks[q].is("by") || r.toks[q].is("with") || r.toks[q].is("at") || r.toks[q].is("giving") || r.toks[q].is("up") || r.toks[q].is("of") || r.toks[q].is("=") || r.toks[q].is(",")) {
			q++
		}
		if v, k := r.whole(q); k > 0 && set(name, v) {
			return r.pointWord(q+k) - p
		}
		return 0
	}
	if p < len(r.toks) && (r.toks[p].is("giving") || r.toks[p].is("give")) && p+1 < len(r.toks) && r.toks[p+1].is("up") {
		if v, k := r.whole(p + 2); k > 0 && r.takes(verb, "quick_reload") && in.Verb == "reload" && set("quick_reload", v) {
			return r.pointWord(p+2+k) - p
		}
		return r.giving(verb, in, p, p+2)
	}
	return r.giving(verb, in, p, p)
}

// giving reads "10 points into power" at q.
func (r *reader) giving(verb string, in *game.Intent, p, q int) int {
	v, k := r.whole(q)
	if k == 0 {
		return 0
	}
	end := r.pointWord(q + k)
	pts := end > q+k
	for end < len(r.toks) && (r.toks[end].is("into") || r.toks[end].is("in") || r.toks[end].is("to") || r.toks[end].is("for") || r.toks[end].is("on") || r.toks[end].is("of") || r.toks[end].is("the") || r.toks[end].is("a")) {
		end++
	}
	if name, n := r.lx.at("option", r.toks, end); n > 0 {
		if f := pointField(in, name); f != nil && *f == 0 && (r.takes(verb, name) || name == "power") {
			*f = v
			return end + n - p
		}
		return 0
	}
	if _, n := r.lx.at("calledword", r.toks, end); n > 0 && in.CalledPoints == 0 && r.takes(verb, "called_points") {
		in.CalledPoints = v
		return end + n - p
	}
	if pts && in.Called != "" && in.CalledPoints == 0 {
		in.CalledPoints = v
		return r.pointWord(q+k) - p
	}
	return 0
}

// pointWord passes over "points".
func (r *reader) pointWord(p int) int {
	_, n := r.lx.at("points", r.toks, p)
	return p + n
}

// bodyOf reads "'s head" behind the one it belongs to.
func (r *reader) bodyOf(verb string, in *game.Intent, p int) int {
	if p >= len(r.toks) || !r.toks[p].is("'s") || !r.takes(verb, "called") || in.Called != "" {
		return 0
	}
	loc, n := r.location(p + 1)
	if n == 0 {
		return 0
	}
	in.Called = loc
	return n + 1
}

// location reads a place of the body: "the head", "his left arm".
func (r *reader) location(p int) (string, int) {
	q := p
	if _, n := r.lx.at("article", r.toks, q); n > 0 {
		q += n
	}
	v, n := r.lx.at("location", r.toks, q)
	if n == 0 {
		return "", 0
	}
	return v, q + n - p
}

// called reads "called shot to the head for 10 points", "in the leg".
func (r *reader) called(verb string, in *game.Intent, p int) int {
	if !r.takes(verb, "called") || in.Called != "" && in.CalledPoints != 0 {
		return 0
	}
	if n := r.bareLocation(p); n > 0 && in.Called == "" {
		in.Called, _ = r.location(p)
		return n
	}
	q := p
	_, lead := r.lx.at("calledword", r.toks, q)
	q += lead
	if in.Called == "" {
		prep := false
		for q < len(r.toks) && (r.toks[q].is("to") || r.toks[q].is("at") || r.toks[q].is("on") || r.toks[q].is("for") || r.toks[q].is("in") || r.toks[q].is("into") || r.toks[q].is("through") || r.toks[q].is(":")) {
			q++
			prep = true
		}
		loc, n := r.location(q)
		head := n > 0 && !prep && lead == 0 && q+n < len(r.toks) && (r.toks[q+n].is("shot") || r.toks[q+n].is("hit"))
		switch {
		case n > 0 && head:
			n++
		case n == 0 || !prep && lead == 0:
			if lead > 0 {
				return lead
			}
			return 0
		}
		in.Called = loc
		q += n
		if _, k := r.person(q + 1); k > 0 && q < len(r.toks) && r.toks[q].is("of") {
			return q + 1 - p
		}
	} else if lead == 0 {
		return 0
	}
	k := q
	if k < len(r.toks) && (r.toks[k].is("for") || r.toks[k].is("with") || r.toks[k].is(":") || r.toks[k].is(",") || r.toks[k].is("(") || r.toks[k].is("at")) {
		k++
	}
	if v, n := r.whole(k); n > 0 && in.CalledPoints == 0 {
		end := r.pointWord(k + n)
		if _, other := r.lx.at("option", r.toks, r.intoOf(end)); other == 0 && (end > k+n || k > q && !r.toks[q].is(",") || r.boundary(k+n)) {
			in.CalledPoints = v
			q = end
		}
	}
	return q - p
}

func (r *reader) intoOf(p int) int {
	for p < len(r.toks) && (r.toks[p].is("into") || r.toks[p].is("for") || r.toks[p].is("to") || r.toks[p].is("on") || r.toks[p].is("of")) {
		p++
	}
	return p
}

// snap reads "snap shot", "after 3 seconds", and once it is a snap "as soon as
// he moves".
func (r *reader) snap(verb string, in *game.Intent, p int) int {
	if !r.takes(verb, "snap") {
		return 0
	}
	if _, n := r.lx.at("snap", r.toks, p); n > 0 && !in.Snap {
		in.Snap = true
		return n
	}
	if !in.Snap {
		return 0
	}
	q := p
	if r.toks[q].is("after") || r.toks[q].is("in") {
		q++
	}
	if v, n := r.whole(q); n > 0 && in.SnapAfter == 0 {
		if u, k := r.lx.at("timeunit", r.toks, q+n); k > 0 && u == "second" {
			in.SnapAfter = v
			return q + n + k - p
		}
	}
	return 0
}

// timing reads when an attack is made: "one segment early", "in segment 25",
// "three segments past ready", "at +50"; and for how long: "ten rounds".
func (r *reader) timing(verb string, in *game.Intent, p int) int {
	if v, n := r.whole(p); n > 0 {
		u, k := r.lx.at("timeunit", r.toks, p+n)
		q := p + n + k
		if k > 0 && u == "segment" {
			if m, x := r.lx.at("past", r.toks, q); x > 0 && m != "" {
				return 0
			}
			if _, x := r.lx.at("early", r.toks, q); x > 0 && r.takes(verb, "early") && in.Early == 0 {
				in.Early = v
				return q + x - p
			}
			if _, x := r.lx.at("lateness", r.toks, q); x > 0 && r.takes(verb, "wait") && in.Wait == 0 {
				in.Wait = v
				return q + x - p
			}
			if r.takes(verb, "segments") && in.Segments == 0 {
				in.Segments = v
				return q - p
			}
		}
		if _, x := r.lx.at("bonus", r.toks, q); x > 0 && k == 0 && r.takes(verb, "bonus") && in.Bonus == 0 {
			in.Bonus = v
			return p + n + x - p
		}
	}
	q := p
	for q < len(r.toks) && (r.toks[q].is("in") || r.toks[q].is("at") || r.toks[q].is("on") || r.toks[q].is("for") || r.toks[q].is("until") || r.toks[q].is("till") || r.toks[q].is("with") || r.toks[q].is("the") || r.toks[q].is("full") || r.toks[q].is("bonus") || r.toks[q].is("of")) {
		q++
	}
	if u, k := r.lx.at("timeunit", r.toks, q); k > 0 && u == "segment" {
		if v, n := r.whole(q + k); n > 0 && r.takes(verb, "segment") && in.Segment == 0 {
			in.Segment = v
			return q + k + n - p
		}
	}
	if q < len(r.toks) && r.toks[q].is("+") && r.takes(verb, "bonus") && in.Bonus == 0 {
		if v, n := r.whole(q); n > 0 {
			_, x := r.lx.at("bonus", r.toks, q+n)
			in.Bonus = v
			return q + n + x - p
		}
	}
	if q > p && r.takes(verb, "segments") {
		if v, n := r.whole(q); n > 0 {
			if u, k := r.lx.at("timeunit", r.toks, q+n); k > 0 && u == "segment" && in.Segments == 0 {
				in.Segments = v
				return q + n + k - p
			}
		}
	}
	return 0
}

// fuse reads "on impact", "with a two turn fuse", "fuse 3".
func (r *reader) fuse(verb string, in *game.Intent, p int) int {
	if !r.takes(verb, "fuse") || in.Fuse != "" {
		return 0
	}
	q := p
	for q < len(r.toks) && (r.toks[q].is("with") || r.toks[q].is("a") || r.toks[q].is("an") || r.toks[q].is("on") || r.toks[q].is("the") || r.toks[q].is("at")) {
		q++
	}
	if _, n := r.lx.at("impact", r.toks, q); n > 0 {
		in.Fuse = "impact"
		return q + n - p
	}
	digits := func(v int) string { return []string{"", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}[v] }
	if v, n := r.whole(q); n > 0 && v <= 10 {
		k := q + n
		if u, x := r.lx.at("timeunit", r.toks, k); x > 0 && u == "turn" {
			k += x
		}
		if k < len(r.toks) && (r.toks[k].is("fuse") || r.toks[k].is("delay") || r.toks[k].is("timer")) {
			in.Fuse = digits(v)
			return k + 1 - p
		}
		return 0
	}
	if q < len(r.toks) && (r.toks[q].is("fuse") || r.toks[q].is("fused") || r.toks[q].is("timer")) {
		k := q + 1
		for k < len(r.toks) && (r.toks[k].is("set") || r.toks[k].is("to") || r.toks[k].is("of") || r.toks[k].is("for") || r.toks[k].is("at") || r.toks[k].is(":") || r.toks[k].is("is")) {
			k++
		}
		if _, n := r.lx.at("impact", r.toks, k); n > 0 {
			in.Fuse = "impact"
			return k + n - p
		}
		if v, n := r.whole(k); n > 0 && v <= 10 {
			_, x := r.lx.at("timeunit", r.toks, k+n)
			in.Fuse = digits(v)
			return k + n + x - p
		}
	}
	return 0
}
