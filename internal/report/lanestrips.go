package report

// strip is a row of points of time that fits side by side in a picture, with the
// lanes of those who are at something in it.
type strip struct {
	first, last int
	width       []float64 // of each point
	left        []float64 // where each begins; one more: where the last ends
	lanes       []lane
	final       bool // it ends the turn: what comes next stands behind it
}

// divide makes strips of the window, and drops those for which there is no room.
func (l *arrangement) divide(c *Course) {
	probe := newCanvas(1, 1)
	room := lanesRight - laneLabel
	tail := 0.0
	for _, text := range l.next {
		tail = max(tail, probe.width(text, 9, false)+10)
	}
	// As few as there must be, and about as long each as the other.
	l.strips = l.cut(c, room, tail)
	for most := room - 8; len(l.strips) > 1; most -= 8 {
		even := l.cut(c, most, tail)
		if len(even) > len(l.strips) {
			break
		}
		l.strips = even
	}
	l.fill(c, room, tail)
	if l.tallTo(len(l.strips)-1) > lanesTall {
		// There is no room for all of them: as much as goes into each.
		l.strips = l.cut(c, room, tail)
		l.fill(c, room, tail)
	}
	for i := range l.strips {
		if i == 0 || l.tallTo(i) <= lanesTall {
			continue
		}
		for _, m := range c.moments {
			if m.at >= l.strips[i].first && m.stands() {
				l.dropped++
			}
		}
		l.strips = l.strips[:i]
		break
	}
}

// cut divides the window into strips of at most so many points; the last has room
// for what stands behind it.
func (l *arrangement) cut(c *Course, most, tail float64) (out []strip) {
	for at := c.Clock.First; at <= c.Clock.Last; {
		s := strip{first: at}
		used := 0.0
		for ; at <= c.Clock.Last; at++ {
			w, behind := emptyWidth, 0.0
			if n := l.columns[at]; n > 0 {
				w = cellWidth*float64(n) + 3
			}
			if at == c.Clock.Last {
				behind = tail
			}
			if used > 0 && used+w+behind > most {
				break
			}
			used += w
			s.width = append(s.width, w)
		}
		s.last, s.final = at-1, at > c.Clock.Last
		out = append(out, s)
	}
	return out
}

// fill gives the points of time and the lanes of all strips their places.
func (l *arrangement) fill(c *Course, room, tail float64) {
	for i := range l.strips {
		s := &l.strips[i]
		behind := 0.0
		if s.final {
			behind = tail
		}
		l.spread(s, room-behind)
		l.populate(c, s)
	}
}

// tallTo is the height of the strips up to the i-th.
func (l *arrangement) tallTo(i int) (tall float64) {
	for j := range i + 1 {
		tall += l.strips[j].height()
	}
	return tall
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
