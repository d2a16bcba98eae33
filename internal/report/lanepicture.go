package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

const deedRadius = 6.6

// drawOn draws the course of a system whose time runs on.
func (c *Course) drawOn() Picture {
	l := c.arrange()
	key := c.key(l)
	height := 8.0 + keyHeight(key)
	for i := range l.strips {
		height += l.strips[i].height()
	}
	can := newCanvas(sheetWidth, height)
	y := 4.0
	for i := range l.strips {
		c.drawStrip(can, l, &l.strips[i], y)
		y += l.strips[i].height()
	}
	drawKey(can, key, y)
	return can.picture("course", c.alt(), c.lines(), c.caption())
}

func (c *Course) drawStrip(can *canvas, l *arrangement, s *strip, y float64) {
	head, top := y+bandHead/2, y+bandHead
	row := s.row()
	bottom := top + row*float64(len(s.lanes))
	can.text(8, head, title(c.Clock.Unit), 10, true, ink)
	for i, who := range s.lanes {
		ly := top + row*float64(i)
		if i%2 == 0 {
			can.box(4, ly, sheetWidth-8, row, ground)
		}
		name := who.who
		if name == "" {
			name = "out of sight"
		}
		can.text(8, ly+row/2, can.fit(name, 10, true, laneLabel-16), 10, true, stanceColours[who.stance])
		if s.final {
			can.text(s.left[len(s.left)-1]+6, ly+row/2, l.next[who], 9, false, ink)
		}
	}
	if s.final && len(l.next) > 0 {
		can.text(s.left[len(s.left)-1]+6, head, "then", 10, true, ink)
	}
	for _, x := range s.left {
		can.line(x, top-4, x, bottom, 0.5, ruled)
	}
	c.drawTimes(can, l, s, head)
	d := &stripDrawing{c: c, l: l, s: s, can: can, top: top}
	for _, x := range l.rests {
		d.rest(x)
	}
	for _, x := range l.stretches {
		d.stretch(x)
	}
	for i := range c.moments {
		d.moment(i)
	}
	for i := range c.moments {
		d.arrow(i)
	}
}

// drawTimes labels the points of time: those with deeds, and others where there is
// room.
func (c *Course) drawTimes(can *canvas, l *arrangement, s *strip, y float64) {
	type extent struct{ from, to float64 }
	var taken []extent
	for _, deeds := range []bool{true, false} {
		for i, w := range s.width {
			if (l.columns[s.first+i] > 0) != deeds {
				continue
			}
			label := fmt.Sprint(s.first + i)
			x, half := s.left[i]+w/2, can.width(label, 9, true)/2
			if slices.ContainsFunc(taken, func(e extent) bool { return x-half < e.to+3 && x+half > e.from-3 }) {
				continue
			}
			taken = append(taken, extent{x - half, x + half})
			can.centred(x, y, label, 9, true, ink)
		}
	}
}

// stripDrawing is a strip in the making.
type stripDrawing struct {
	c   *Course
	l   *arrangement
	s   *strip
	can *canvas
	top float64
}

func (d *stripDrawing) middle(who lane) float64 {
	return d.top + d.s.row()*(float64(slices.Index(d.s.lanes, who))+0.5)
}

// at is where a moment stands; ok: it has a place in this strip.
func (d *stripDrawing) at(i int) (x, y float64, ok bool) {
	if i < 0 || d.l.column[i] < 0 || d.l.column[i] >= mostColumns {
		return 0, 0, false
	}
	m := d.c.moments[i]
	if m.at < d.s.first || m.at > d.s.last {
		return 0, 0, false
	}
	return d.s.begins(m.at) + 1.5 + cellWidth*(float64(d.l.column[i])+0.5), d.middle(m.lane()), true
}

// rest is a thin line to where somebody is ready, with a tick there.
func (d *stripDrawing) rest(r rest) {
	if r.from > d.s.last || r.until < d.s.first || r.to <= r.from {
		return
	}
	y := d.middle(r.lane)
	x1, _, ok := d.at(r.after)
	if !ok {
		x1 = d.s.begins(max(r.from, d.s.first-1))
	}
	x2 := d.s.begins(min(r.until, d.s.last+1))
	d.can.line(x1, y, max(x1, x2), y, 0.9, stanceColours[r.lane.stance])
	if r.shown(d.c) && r.to >= d.s.first && r.to <= d.s.last {
		d.can.line(x2, y-5, x2, y+5, 1.6, ink)
	}
}

// stretch is a bar, of a movement a row of dashes; what the reader does not know
// the end of ends in dots.
func (d *stripDrawing) stretch(s stretch) {
	if s.from > d.s.last || s.to < d.s.first {
		return
	}
	y, col := d.middle(s.lane), stanceColours[s.lane.stance]
	x1, _, ok := d.at(s.begins)
	if !ok {
		x1 = d.s.begins(max(s.from, d.s.first-1))
		if s.since && s.from >= d.s.first {
			x1 -= 4
		}
	}
	x2, _, ok := d.at(s.ends)
	over := false
	switch {
	case ok && s.cut:
	case s.to > d.s.last && s.unended:
		x2 = d.s.begins(d.s.last+1) - 4
	case s.to > d.s.last:
		x2 = d.s.begins(d.s.last + 1)
	default:
		x2, over = d.s.begins(s.to), true
	}
	if s.unended {
		x2 = min(x2, x1+deedRadius+6)
		d.dots(x2+2, y, 1, s.lane)
	}
	if s.unbegun {
		x1 = max(x1, x2-6)
		d.dots(x1-2, y, -1, s.lane)
	}
	if x2 <= x1 {
		return
	}
	if s.moving {
		d.can.gg.SetDash(3*scale, 2*scale)
		d.can.line(x1, y, x2, y, 2, col)
		d.can.gg.SetDash()
		return
	}
	d.can.box(x1, y-2.5, x2-x1, 5, col)
	if over && !s.unended {
		d.can.box(x2-1.2, y-5, 1.2, 10, col)
	}
}

func (d *stripDrawing) dots(x, y, way float64, who lane) {
	for i := range 3 {
		d.can.box(x+way*3*float64(i)-0.7, y-0.7, 1.4, 1.4, stanceColours[who.stance])
	}
}

// arrow leads from what answers a deed to the deed, and from a deed to what it cut
// short.
func (d *stripDrawing) arrow(i int) {
	x1, y1, ok1 := d.at(i)
	x2, y2, ok2 := d.at(d.l.deedOf[i])
	if !ok1 || !ok2 {
		return
	}
	if d.c.moments[i].kind == game.MarkCut {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	d.can.arrow(x1, y1, x2, y2, deedRadius+1.6, deedRadius+0.8)
}

// arrow draws a line that begins so far from its beginning and ends so far from its
// end. Where there is little room only the head is left of it.
func (c *canvas) arrow(x1, y1, x2, y2, from, short float64) {
	long := math.Hypot(x2-x1, y2-y1)
	if long <= short {
		return
	}
	ux, uy := (x2-x1)/long, (y2-y1)/long
	x2, y2 = x2-ux*short, y2-uy*short
	head := min(5, max(3, long-short-from))
	if shaft := long - short - head; shaft > from {
		c.line(x1+ux*from, y1+uy*from, x1+ux*(shaft+1), y1+uy*(shaft+1), 1.2, ink)
	}
	c.gg.SetColor(ink)
	c.gg.MoveTo(x2, y2)
	c.gg.LineTo(x2-ux*head-uy*3, y2-uy*head+ux*3)
	c.gg.LineTo(x2-ux*head+uy*3, y2-uy*head-ux*3)
	c.gg.ClosePath()
	c.gg.Fill()
}

func (d *stripDrawing) moment(i int) {
	x, y, ok := d.at(i)
	if !ok {
		return
	}
	m := d.c.moments[i]
	text := fmt.Sprint(m.line)
	if t, some := d.l.texts[i]; some {
		if text = t; t == "" {
			return
		}
	}
	d.can.deed(x, y, deedRadius, m.kind, m.moving, token{stance: m.stance, text: text})
}

// deed draws one of the tokens of a course.
func (c *canvas) deed(x, y, r float64, kind string, moving bool, t token) {
	switch kind {
	case game.MarkBegin:
		c.tab(x, y, r, moving, t)
		return
	case game.MarkCut:
		c.line(x-4, y-5, x+4, y+5, 1.8, ink)
		c.line(x-4, y+5, x+4, y-5, 1.8, ink)
		return
	case game.MarkDown:
		t.hollow, t.cross, t.text = true, true, ""
	case "react":
		t.ring = true
	case "hold", "lost":
		t.hollow = true
	}
	c.token(x, y, r, t)
	if kind == "lost" {
		c.line(x-r, y+r, x+r, y-r, 1.2, ink)
	}
}

// tab is where something begins that takes time; of a movement it is empty.
func (c *canvas) tab(x, y, r float64, moving bool, t token) {
	col := stanceColours[t.stance]
	w, h := 2.1*r, 1.7*r
	fill, script := col, white
	if moving {
		fill, script = paper, col
	}
	c.box(x-w/2-0.8, y-h/2-0.8, w+1.6, h+1.6, white)
	c.box(x-w/2, y-h/2, w, h, col)
	c.box(x-w/2+0.9, y-h/2+0.9, w-1.8, h-1.8, fill)
	size := max(6, int(r*1.35))
	if len(t.text) > 2 {
		size = max(6, size-2)
	}
	c.centred(x, y, t.text, size, true, script)
}
