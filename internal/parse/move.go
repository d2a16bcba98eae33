package parse

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
)

// route is what the slots of a movement have found.
type route struct {
	in      game.Intent
	object  int // token of the place, -1
	person  found
	unclear found // a place that fits nothing, or several
	second  bool
	away    bool
	to      bool // the place was named with "to"
}

// move reads a movement: how, how far, in which direction, where to.
func (r *reader) move(c *clause, _ int) ([]node, bool) {
	rt := route{in: game.Intent{Verb: "move", Mode: c.lemma.set["mode"], EndPosture: c.lemma.set["end"]}, object: -1}
	follow := c.lemma.set["follow"] != ""
	words := c.lemma.words
	preset := ""
	if last := words[len(words)-1]; len(words) > 1 {
		switch last {
		case "behind", "into", "over", "to":
			preset = last
		case "away", "back", "off":
			rt.away = last != "back"
			if last == "back" || words[0] == "fall" || words[0] == "pull" {
				rt.in.Direction = "back"
			}
		}
	}
	switch words[0] {
	case "retreat", "withdraw", "flee":
		rt.away = true
	}
	direct := preset == "behind" || preset == "into" || preset == "to" || follow || words[0] == "approach" || words[0] == "charge" || words[0] == "rush" || words[0] == "climb"
	first := c.p
	r.slots(c, func(p int) int {
		if p == first && r.toks[p].is("me") {
			return 1 // "I hide me behind the stone"
		}
		return r.routePart(c, &rt, p, direct && p == first)
	})
	if preset == "behind" || preset == "into" {
		rt.in.Relation = preset
	}
	if rt.second {
		r.refuse(c, "path", "More than one place stands here: where to?", nil, "Write one order for each move.")
		return nil, false
	}
	if f := rt.unclear; f.text != "" {
		if len(f.names) > 0 {
			r.refuse(c, "which_target", fmt.Sprintf("“%s” fits more than one place: which one?", f.text), f.names, "Write the whole name, or a square such as E4.")
			return nil, false
		}
		r.notSeen(c, f.text, rt.object, rt.object+1)
		return nil, false
	}
	if rt.object < 0 && rt.in.Distance == nil && (rt.in.Direction == "" || rt.in.Direction == "back" && len(c.left) > 0) {
		return nil, r.noPlace(c, follow)
	}
	if !r.settle(c, rt.object, false) {
		return nil, false
	}
	if follow {
		if rt.in.To.Square != nil || rt.person.text == "" {
			// "stay behind the crate": he stays.
			return []node{{intent: game.Intent{Verb: "wait"}, told: c.told}}, true
		}
		rt.in.Follow, rt.in.To = rt.in.To, game.Ref{}
	}
	if rt.away && !rt.in.To.IsZero() && rt.in.Relation == "" && !follow && rt.person.text != "" && !rt.to {
		rt.in.AwayFrom, rt.in.To = rt.in.To, game.Ref{}
	}
	if !rt.in.To.IsZero() && rt.in.Direction == "back" {
		rt.in.Direction = ""
	}
	n := node{intent: rt.in, ask: c.ask, told: c.told}
	r.goneTo = rt.in.To
	return []node{n}, true
}

// noPlace reports a movement whose place was not understood.
func (r *reader) noPlace(c *clause, follow bool) bool {
	for _, i := range c.left {
		if r.dangerous(i, false) {
			return r.settle(c, -1, false)
		}
	}
	if len(c.left) > 0 {
		i := c.left[0]
		if _, n := r.lx.at("article", r.toks, i); n > 0 && i+n < c.p {
			i += n
		}
		end := r.phraseEnd(i)
		if follow {
			r.notSeen(c, r.text(i, end), i, end)
			return false
		}
		r.notSeen(c, r.text(i, end), i, end)
		return false
	}
	r.refuse(c, "path", "Where to?", nil, "Write a place, a square such as E4, or a distance and a direction: move 6 m north.")
	return false
}

// routePart takes one part of a movement at p.
func (r *reader) routePart(c *clause, rt *route, p int, direct bool) int {
	if v, n := r.lx.at("end", r.toks, p); n > 0 {
		rt.in.EndPosture = v
		return n
	}
	if v, n := r.lx.at("manner", r.toks, p); n > 0 && v == "dodge" && r.takes("move", "weave") && !r.toks[p].is("dodging") && !r.toks[p].is("dodge") {
		rt.in.Weave = true
		return n
	}
	if v, n := r.lx.at("manner", r.toks, p); n > 0 && (rt.in.Mode == "" || rt.in.Mode == v) {
		rt.in.Mode = v
		return n
	}
	if set, n := r.formAt("move", p); n > 0 {
		apply(&rt.in, set)
		return n
	}
	if n := r.stopping(&rt.in, p); n > 0 {
		return n
	}
	if d, n := r.length(p); n > 0 && rt.in.Distance == nil {
		rt.in.Distance = &d
		return n
	}
	if _, n := r.lx.at("away", r.toks, p); n > 0 && (n > 1 || rt.away || rt.in.Direction == "back") && rt.object < 0 {
		if ref, f, k := r.place(p + n); k > 0 {
			if !r.arrive(rt, ref, f, p+n, "") {
				return n + k
			}
			rt.in.AwayFrom, rt.in.To = rt.in.To, game.Ref{}
			return n + k
		}
	}
	v, n := r.lx.at("relation", r.toks, p)
	if n == 0 && r.toks[p].is("over") {
		v, n = "past", 1 // of a way alone: what is shot or thrown over something is not aimed at it
	}
	if n > 0 {
		if ref, f, k := r.place(p + n); k > 0 {
			r.arrive(rt, ref, f, p, v)
			return n + k
		}
	}
	if v, n := r.lx.at("direction", r.toks, p); n > 0 && (rt.in.Direction == "" || rt.in.Direction == v || rt.in.Direction == "back" && v != "forward") {
		rt.in.Direction = v
		return n
	}
	if r.toks[p].is("away") && !rt.away {
		rt.away = true
		return 1
	}
	if direct || rt.object < 0 && len(c.left) == 0 && p < len(r.toks) && r.toks[p].kind == word && (hasDigit(r.toks[p].text) || r.toks[p].is("x")) {
		if ref, f, k := r.place(p); k > 0 {
			r.arrive(rt, ref, f, p, "")
			return k
		}
	}
	return 0
}

// stopping reads "until I see Zog", ", stop if anyone shoots" behind a movement.
func (r *reader) stopping(in *game.Intent, p int) int {
	if in.StopWhen != nil || !r.takes("move", "stop_when") {
		return 0
	}
	q := p
	for q < len(r.toks) && (r.toks[q].is(",") || r.toks[q].is("and") || r.toks[q].is("but")) {
		q++
	}
	_, n := r.lx.at("stopwhen", r.toks, q)
	if n == 0 {
		return 0
	}
	cr := conditionReader{reader: r}
	when, end, ok := cr.either(q + n)
	if !ok || !cr.ends(end) {
		return 0
	}
	in.StopWhen = &when
	return end - p
}

// arrive notes the place of a movement; false if it is not clear.
func (r *reader) arrive(rt *route, ref game.Ref, f found, p int, relation string) bool {
	if rt.object >= 0 {
		rt.second = true
		return false
	}
	rt.object = p
	if ref.IsZero() {
		rt.unclear = f
		if f.text == "" {
			rt.unclear.text = r.text(p, r.phraseEnd(p))
		}
		if len(f.ids) > 1 || f.unsure {
			rt.unclear.names = r.choices(f.ids)
		}
		return false
	}
	if f.one() && r.lx.people[f.ids[0]].ID == r.lx.self { // "hide behind the shield" that he carries
		rt.unclear.text = r.text(p, r.phraseEnd(p))
		return false
	}
	rt.in.To = ref
	if len(f.ids) > 0 || f.selector != "" {
		rt.person = f
	}
	rt.to = relation == "to"
	if !rt.to {
		rt.in.Relation = relation
	}
	return true
}
