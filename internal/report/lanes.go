package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Where time runs on, a course has a lane for each who did something, over the
// window of the turn: deeds at their points of time, what takes time as stretches,
// and of the reader's own when each may act again.

// stretch is something that takes time, as far as the reader knows of it. It goes
// on to the point to, and no longer.
type stretch struct {
	lane     lane
	moving   bool
	from, to int
	since    bool // it was under way when the turn began
	further  bool // it is under way when the turn ends
	unbegun  bool // the reader did not perceive its beginning
	unended  bool // nor its end
	cut      bool
	begins   int // the moments that tell of its ends; -1: none
	ends     int
}

// rest is the time after which somebody may act again.
type rest struct {
	lane     lane
	from, to int // to: the first point at which he is ready
	until    int // the point of his next deed, if that came first; else to
	last     bool
	after    int // the moment after which it counts; -1: the beginning of the turn
}

func (m moment) lane() lane { return lane{m.who, m.stance} }

// under is a key of what one is at: a movement goes beside other things.
type under struct {
	lane   lane
	moving bool
}

// stretches puts beginnings and ends together.
func (c *Course) stretches() []stretch {
	var out []stretch
	open := map[under]int{}
	for i, m := range c.moments {
		k := under{m.lane(), m.moving}
		at, under := open[k]
		switch m.kind {
		case game.MarkBegin:
			open[k] = len(out)
			s := stretch{lane: k.lane, moving: m.moving, from: m.at, to: m.at + 1, unended: true, begins: i, ends: -1}
			if m.until > 0 {
				s.to = m.until
			}
			out = append(out, s)
		case game.MarkGoing:
			if !under {
				at = len(out)
				open[k] = at
				out = append(out, stretch{lane: k.lane, moving: m.moving, from: c.Clock.First, to: c.Clock.Last + 1, since: true, begins: -1, ends: -1})
			}
			s := &out[at]
			s.unended, s.further = false, true
			if s.to = m.until; m.until == 0 {
				s.to = c.Clock.Last + 1
			}
		case game.MarkEnd, game.MarkCut:
			if !under {
				at = len(out)
				out = append(out, stretch{lane: k.lane, moving: m.moving, from: max(m.at-1, c.Clock.First), unbegun: true, begins: -1})
			}
			s := &out[at]
			s.to, s.ends, s.cut, s.unended, s.further = m.at, i, m.kind == game.MarkCut, false, false
			delete(open, k)
		}
	}
	return out
}

// rests lists when the reader's own may act again, as it turned out: what put it
// off before his next deed is counted in.
func (c *Course) rests() []rest {
	var out []rest
	open, deed := map[lane]int{}, map[lane]int{}
	for i, m := range c.moments {
		l := m.lane()
		switch {
		case m.kind == game.MarkReady:
			at, under := open[l]
			if !under {
				at = len(out)
				open[l] = at
				r := rest{lane: l, from: m.at, after: -1}
				if n, ok := deed[l]; ok {
					r.after = n
				}
				out = append(out, r)
			}
			out[at].to, out[at].until = m.until, m.until
			out[at].last = m.at == c.Clock.Last
		case m.kind == game.MarkGoing || m.moving:
		default:
			if at, under := open[l]; under {
				out[at].until, out[at].last = min(out[at].to, m.at), false
				delete(open, l)
			}
			deed[l] = i
		}
	}
	return slices.DeleteFunc(out, func(r rest) bool { return r.to <= r.from && !r.last })
}

// shown reports that he was ready before he acted again, within the turn.
func (r rest) shown(c *Course) bool { return r.to == r.until && r.to > r.from && r.to <= c.Clock.Last }

// next says of the reader's own what they can do when the turn is over, in a few
// words, by lane.
func (c *Course) next(stretches []stretch, rests []rest) map[lane]string {
	out := map[lane]string{}
	for _, r := range rests {
		switch {
		case !r.last:
		case r.to > c.Clock.Last+1:
			out[r.lane] = fmt.Sprintf("ready in %d", r.to)
		default:
			out[r.lane] = "ready"
		}
	}
	for _, s := range stretches {
		switch {
		case !s.further:
		case !s.moving:
			out[s.lane] = fmt.Sprintf("busy until %d", s.to)
		case out[s.lane] == "":
			out[s.lane] = "on the move"
		case !strings.HasPrefix(out[s.lane], "busy"):
			out[s.lane] = "moving, " + out[s.lane]
		}
	}
	return out
}

// saidOn tells the course in words where time runs on: a line for each point of
// time, with what was under way before it and what comes after.
func (c *Course) saidOn() []game.Line {
	stretches, rests := c.stretches(), c.rests()
	var out []game.Line
	var before []string
	for _, s := range stretches {
		if s.since && s.moving {
			before = append(before, s.lane.who+" is on the move")
		} else if s.since {
			before = append(before, fmt.Sprintf("%s is busy until %d", s.lane.who, s.to))
		}
	}
	again := map[int][]string{}
	for _, r := range rests {
		switch {
		case r.after < 0 && r.shown(c):
			before = append(before, fmt.Sprintf("%s is ready in %d", r.lane.who, r.to))
		case r.shown(c):
			again[r.from] = append(again[r.from], fmt.Sprintf("%s in %d", r.lane.who, r.to))
		}
	}
	if len(before) > 0 {
		out = append(out, game.Line{Label: "before", Value: strings.Join(before, ", ")})
	}
	for i := 0; i < len(c.moments); {
		at := c.moments[i].at
		var parts []string
		row := false // the one before was a deed
		for ; i < len(c.moments) && c.moments[i].at == at; i++ {
			m := c.moments[i]
			switch {
			case m.line == 0:
			case row && m.kind == "act" && m.lane() == c.moments[i-1].lane():
				last := &parts[len(parts)-1]
				*last = strings.TrimSuffix(*last, ")") + fmt.Sprintf(", %d)", m.line)
			default:
				parts = append(parts, m.words())
			}
			row = m.kind == "act"
		}
		value := strings.Join(parts, ", ")
		if len(again[at]) > 0 {
			value = strings.TrimPrefix(value+"; ready again: "+strings.Join(again[at], ", "), "; ")
			delete(again, at)
		}
		if value != "" {
			out = append(out, game.Line{Label: c.Clock.Says(at), Value: value})
		}
	}
	if then := c.then(c.next(stretches, rests)); then != "" {
		out = append(out, game.Line{Label: "then", Value: then})
	}
	return out
}

// then joins what next says, those first who come first in the turn.
func (c *Course) then(next map[lane]string) string {
	var out []string
	for _, l := range lanesOf(c.moments) {
		if s := next[l]; s != "" {
			out = append(out, l.who+" is "+s)
		}
	}
	return strings.Join(out, ", ")
}

// lanesOf lists who is in moments, those who are closest to the reader first.
func lanesOf(moments []moment) []lane {
	var out []lane
	for _, m := range moments {
		if !slices.Contains(out, m.lane()) {
			out = append(out, m.lane())
		}
	}
	slices.SortStableFunc(out, func(x, y lane) int { return int(x.stance) - int(y.stance) })
	return out
}
