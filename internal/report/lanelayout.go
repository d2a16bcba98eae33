package report

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

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
