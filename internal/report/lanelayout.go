package report

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// strip is a row of points of time that fits side by side in a picture, with the
// lanes of those who are at something in it.
type strip struct {
	first, last int
	width       []float64 // of each point
	left        []float64 // where each begins; one more: where the last ends
	lanes       []lane
	final       bool // it ends the turn: what comes next stands behind it
}

// arrangement is where everything of a course stands.
type arrangement struct {
	strips    []strip
	stretches []stretch
	rests     []rest
	next      map[lane]string
	lanes     []lane
	column    []int          // of each moment within its point of time; -1: it has none
	columns   map[int]int    // how many a point has
	texts     map[int]string // of moments that stand for several
	deedOf    []int          // the moment that each answers or was cut short by; -1: none
	dropped   int            // moments of strips that the picture has no room for
}

const (
	cellWidth   = 16.0 // of a deed
	emptyWidth  = 8.0  // of a point without a deed, at least
	emptyMost   = 34.0
	lanesRight  = sheetWidth - 8.0
	lanesTall   = 900.0
	mostColumns = 12
	inARow      = 3 // so many shots of one segment and more are one token
)

func (c *Course) arrange() *arrangement {
	l := &arrangement{stretches: c.stretches(), rests: c.rests(), lanes: lanesOf(c.moments), columns: map[int]int{}, texts: map[int]string{}}
	l.next = c.next(l.stretches, l.rests)
	l.column, l.deedOf = make([]int, len(c.moments)), make([]int, len(c.moments))
	for i, m := range c.moments {
		l.column[i], l.deedOf[i] = -1, -1
		if (m.kind == "react" || m.kind == game.MarkCut) && m.on != "" && m.deed != "" {
			l.deedOf[i] = slices.IndexFunc(c.moments, func(d moment) bool { return d.ref == m.deed && d.at == m.at && d.who == m.on && d.kind != "react" })
		}
	}
	c.condense(l)
	for i := 0; i < len(c.moments); {
		j := i
		for j < len(c.moments) && c.moments[j].at == c.moments[i].at {
			j++
		}
		l.columns[c.moments[i].at] = c.place(l, i, j)
		for k := i + 1; k < j; k++ {
			if t, ok := l.texts[k]; ok && t == "" {
				l.column[k] = l.column[k-1] // it stands in the place of the first
			}
		}
		i = j
	}
	l.divide(c)
	return l
}

// stands reports that a moment has a place of its own.
func (m moment) stands() bool {
	return m.kind != game.MarkEnd && m.kind != game.MarkGoing && m.kind != game.MarkReady
}

// condense lets the first of many shots of a burst stand for all of them.
func (c *Course) condense(l *arrangement) {
	for i := 0; i < len(c.moments); i++ {
		m := c.moments[i]
		j := i + 1
		for ; j < len(c.moments); j++ {
			d := c.moments[j]
			if d.kind != "act" || m.kind != "act" || d.lane() != m.lane() || d.at != m.at || slices.Contains(l.deedOf, j) {
				break
			}
		}
		if j-i >= inARow {
			l.texts[i] = fmt.Sprintf("%d…", m.line)
			for k := i + 1; k < j; k++ {
				l.texts[k] = ""
			}
			i = j - 1
		}
	}
}

// place gives the moments from..to of one point of time their columns: each lane
// from left to right in the order of what happened, and what answers a deed over
// or under it with nothing between. It gives the number of columns.
func (c *Course) place(l *arrangement, from, to int) int {
	free := map[lane]int{}
	taken := map[[2]int]bool{} // column, lane
	n := 0
	put := func(group []int) {
		lo, hi, column := len(l.lanes), 0, 0
		for _, i := range group {
			row := slices.Index(l.lanes, c.moments[i].lane())
			lo, hi, column = min(lo, row), max(hi, row), max(column, free[c.moments[i].lane()])
		}
		blocked := func() bool {
			for row := lo; row <= hi; row++ {
				if taken[[2]int{column, row}] {
					return true
				}
			}
			return false
		}
		for blocked() {
			column++
		}
		for row := lo; row <= hi; row++ {
			taken[[2]int{column, row}] = true
		}
		for _, i := range group {
			l.column[i], free[c.moments[i].lane()] = column, column+1
		}
		n = max(n, column+1)
	}
	for i := from; i < to; i++ {
		if !c.moments[i].stands() || l.column[i] >= 0 {
			continue
		}
		if t, ok := l.texts[i]; ok && t == "" {
			continue
		}
		deed := i
		if d := l.deedOf[i]; d >= from && l.column[d] < 0 {
			deed = d
		}
		group := []int{deed}
		for j := from; j < to; j++ {
			if l.deedOf[j] == deed && l.column[j] < 0 && !slices.ContainsFunc(group, func(g int) bool { return c.moments[g].lane() == c.moments[j].lane() }) {
				group = append(group, j)
			}
		}
		put(group)
		if l.column[i] < 0 {
			put([]int{i})
		}
	}
	return min(n, mostColumns)
}

// divide makes strips of the window, and drops those for which there is no room.
func (l *arrangement) divide(c *Course) {
	probe := newCanvas(1, 1)
	width := func(at int) float64 {
		if n := l.columns[at]; n > 0 {
			return cellWidth*float64(n) + 3
		}
		return emptyWidth
	}
	room := lanesRight - laneLabel
	tail := 0.0
	for _, text := range l.next {
		tail = max(tail, probe.width(text, 8, false)+10)
	}
	cut := func(most float64) (out []strip) {
		for at := c.Clock.First; at <= c.Clock.Last; {
			s := strip{first: at}
			used := 0.0
			for ; at <= c.Clock.Last; at++ {
				w := width(at)
				behind := 0.0
				if at == c.Clock.Last {
					behind = tail
				}
				if used > 0 && used+w+behind > most {
					break
				}
				used += w
				s.width = append(s.width, width(at))
			}
			s.last, s.final = at-1, at > c.Clock.Last
			out = append(out, s)
		}
		return out
	}
	// As few as there must be, and about as long each as the other.
	l.strips = cut(room)
	for most := room - 8; len(l.strips) > 1; most -= 8 {
		even := cut(most)
		if len(even) > len(l.strips) {
			break
		}
		l.strips = even
	}
	for i := range l.strips {
		s := &l.strips[i]
		behind := 0.0
		if s.final {
			behind = tail
		}
		l.spread(s, room-behind)
		l.populate(c, s)
	}
	tall := 0.0
	for i, s := range l.strips {
		if tall += s.height(); tall > lanesTall && i > 0 {
			for _, m := range c.moments {
				if m.at >= s.first && m.stands() {
					l.dropped++
				}
			}
			l.strips = l.strips[:i]
			break
		}
	}
}

// spread gives what room is left to the points without deeds.
func (l *arrangement) spread(s *strip, room float64) {
	empty, used := 0, 0.0
	for i, w := range s.width {
		if used += w; l.columns[s.first+i] == 0 {
			empty++
		}
	}
	more := 0.0
	if empty > 0 {
		more = min(max(0, room-used)/float64(empty), emptyMost-emptyWidth)
	}
	x := laneLabel
	for i := range s.width {
		if l.columns[s.first+i] == 0 {
			s.width[i] += more
		}
		s.left = append(s.left, x)
		x += s.width[i]
	}
	s.left = append(s.left, x)
}

// populate finds the lanes of a strip.
func (l *arrangement) populate(c *Course, s *strip) {
	busy := map[lane]bool{}
	for i, m := range c.moments {
		if l.column[i] >= 0 && m.at >= s.first && m.at <= s.last {
			busy[m.lane()] = true
		}
	}
	for _, x := range l.stretches {
		if x.from <= s.last && x.to >= s.first {
			busy[x.lane] = true
		}
	}
	for _, x := range l.rests {
		if x.from <= s.last && x.until >= s.first {
			busy[x.lane] = true
		}
	}
	for _, x := range l.lanes {
		if busy[x] || s.final && l.next[x] != "" {
			s.lanes = append(s.lanes, x)
		}
	}
}

// row is how tall a lane is: less where there are many.
func (s *strip) row() float64 {
	if len(s.lanes) > 8 {
		return 17
	}
	return laneHeight
}

func (s *strip) height() float64 { return bandHead + s.row()*float64(len(s.lanes)) + bandGap }

// begins is where a point of time begins in the strip: outside of it a little
// beyond its end.
func (s *strip) begins(at int) float64 {
	switch {
	case at < s.first:
		return s.left[0] - 4
	case at > s.last:
		return s.left[len(s.left)-1] + 4
	}
	return s.left[at-s.first]
}
