package parse

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// nearestAt reports "nearest to Zog" at p.
func (r *reader) nearestAt(p int) bool {
	_, k := r.lx.at("nearest", r.toks, p)
	if k == 0 {
		return false
	}
	_, n := r.nearTo(p + k)
	return n > 0
}

// nearTo reads what somebody is nearest to: "to the door", "Jonas", "me".
func (r *reader) nearTo(p int) (game.Ref, int) {
	q := p
	if q < len(r.toks) && (r.toks[q].is("to") || r.toks[q].is("by")) {
		q++
	}
	if q < len(r.toks) && r.toks[q].is("me") {
		return game.To(r.lx.self), q + 1 - p
	}
	ref, _, n := r.place(q)
	if n == 0 || ref.IsZero() {
		return game.Ref{}, 0
	}
	return ref, q + n - p
}

// nearestOf keeps those of some people who are seen nearest to somebody or to a
// place: one, or more if they are equally near.
func (r *reader) nearestOf(ids []int, to game.Ref) []int {
	var marks []game.Square
	switch {
	case to.Square != nil:
		marks = []game.Square{*to.Square}
	case to.ID == r.lx.self:
		marks = []game.Square{r.actor.View.Self.Place}
	default:
		for _, e := range r.lx.people {
			if e.ID == to.ID && e.Sight != nil {
				marks = append(marks, e.Sight.Place)
			}
		}
		for _, f := range r.actor.View.Features {
			if f.ID == to.ID {
				marks = append(marks, f.Squares...)
			}
		}
	}
	least, near := -1, ids
	for _, i := range ids {
		s := r.lx.people[i].Sight
		if s == nil || s.ID == to.ID {
			continue
		}
		for _, m := range marks {
			x, y := s.Place.X-m.X, s.Place.Y-m.Y
			switch d := x*x + y*y; {
			case least < 0 || d < least:
				least, near = d, []int{i}
			case d == least && !slices.Contains(near, i):
				near = append(near, i)
			}
		}
	}
	return near
}
