package report

import (
	"fmt"
	"slices"
)

const (
	laneLabel  = 74.0
	laneHeight = 21.0
	bandHead   = 20.0
	bandGap    = 8.0
	mostTall   = 520.0 // of all bands
	inBand     = 12    // columns of a band at most
)

// band is a stretch of the course that fits side by side, with the lanes of
// those who act in it.
type band struct {
	round   int
	groups  []group
	columns int
	lanes   []lane
}

type lane struct {
	who    string
	stance stance
}

// bands divides the course; a round begins a new one.
func (c *Course) bands() []band {
	var out []band
	for _, g := range c.groups() {
		for len(g.moments) > 0 {
			n := len(out)
			if n == 0 || out[n-1].round != g.round || out[n-1].columns == inBand ||
				len(g.moments) <= inBand && out[n-1].columns+len(g.moments) > inBand {
				out = append(out, band{round: g.round})
				n++
			}
			b := &out[n-1]
			take := min(len(g.moments), inBand-b.columns)
			b.groups = append(b.groups, group{g.round, g.label, g.moments[:take]})
			b.columns += take
			g.moments = g.moments[take:]
		}
	}
	for i := range out {
		out[i].findLanes()
	}
	return out
}

// findLanes lists who acts in a band.
func (b *band) findLanes() {
	var all []moment
	for _, g := range b.groups {
		all = append(all, g.moments...)
	}
	b.lanes = lanesOf(all)
}

func (b *band) height() float64 { return bandHead + laneHeight*float64(len(b.lanes)) + bandGap }

func (c *Course) draw() Picture {
	if c.Clock.RunsOn {
		return c.drawOn()
	}
	bands := c.bands()
	height, left := 8.0, 0
	for i := range bands {
		if height += bands[i].height(); height > mostTall && i > 0 {
			height -= bands[i].height()
			for _, b := range bands[i:] {
				left += b.columns
			}
			bands = bands[:i]
			break
		}
	}
	key := c.varied() || left > 0
	if key {
		height += 20
	}
	can := newCanvas(sheetWidth, height)
	y := 4.0
	for i := range bands {
		c.drawBand(can, &bands[i], y, i == 0 || bands[i-1].round != bands[i].round)
		y += bands[i].height()
	}
	if key {
		c.drawKey(can, y+8, left)
	}
	return can.picture("course", c.alt(), c.lines(), c.caption())
}

func (c *Course) drawBand(can *canvas, b *band, y float64, begins bool) {
	const right = sheetWidth - 6.0
	column := min((right-laneLabel)/float64(b.columns), 30)
	head := y + bandHead/2
	switch {
	case begins && c.rounds > 1:
		can.text(8, head, fmt.Sprintf("Round %d", b.round), 10, true, ink)
	case begins:
		can.text(8, head, title(c.Clock.Unit), 10, true, ink)
	}
	bottom := y + bandHead + laneHeight*float64(len(b.lanes))
	for i := range b.lanes {
		ly := y + bandHead + laneHeight*float64(i)
		if i%2 == 0 {
			can.box(4, ly, sheetWidth-8, laneHeight, ground)
		}
		l := b.lanes[i]
		who := l.who
		if who == "" {
			who = "out of sight"
		}
		can.text(8, ly+laneHeight/2, can.fit(who, 10, true, laneLabel-14), 10, true, stanceColours[l.stance])
	}
	x := laneLabel
	for _, g := range b.groups {
		w := column * float64(len(g.moments))
		can.centred(x+w/2, head, g.label, 10, true, ink)
		can.line(x, y+bandHead-4, x, bottom, 0.5, ruled)
		c.drawGroup(can, b, g, x, y+bandHead, column)
		x += w
	}
	can.line(x, y+bandHead-4, x, bottom, 0.5, ruled)
}

func (c *Course) drawGroup(can *canvas, b *band, g group, x, y, column float64) {
	r := min(column*0.4, 8)
	place := func(i int) (float64, float64) {
		m := g.moments[i]
		row := slices.Index(b.lanes, m.lane())
		return x + column*(float64(i)+0.5), y + laneHeight*(float64(row)+0.5)
	}
	for i, m := range g.moments {
		// A reaction is tied to the deed that it answers: the one after it, which
		// it interrupts, or the last one before.
		if j := answered(g, i); m.kind == "react" && j >= 0 {
			x1, y1 := place(i)
			x2, y2 := place(j)
			can.line(x1, y1, x2, y2, 1.2, ink)
		}
	}
	for i, m := range g.moments {
		px, py := place(i)
		can.token(px, py, r, token{
			stance: m.stance, text: fmt.Sprint(m.line), ring: m.kind == "react",
			hollow: m.kind == "hold" || m.kind == "lost",
		})
		if m.kind == "lost" {
			can.line(px-r, py+r, px+r, py-r, 1.2, ink)
		}
	}
}

// answered finds the deed of a group that a reaction answers; -1 when the
// reader does not know whose it is, or has not seen it.
func answered(g group, i int) int {
	on := g.moments[i].on
	if on == "" {
		return -1
	}
	isIt := func(m moment) bool { return m.who == on && m.kind != "react" }
	for j := i + 1; j < len(g.moments); j++ {
		if isIt(g.moments[j]) {
			return j
		}
		if g.moments[j].kind != "react" {
			break
		}
	}
	for j := i - 1; j >= 0; j-- {
		if isIt(g.moments[j]) {
			return j
		}
	}
	return -1
}

// varied reports that there are other deeds than plain acts.
func (c *Course) varied() bool {
	return slices.ContainsFunc(c.moments, func(m moment) bool { return m.kind != "act" })
}

// drawKey explains the tokens that occur.
func (c *Course) drawKey(can *canvas, y float64, left int) {
	x := 14.0
	add := func(kind, what string, t token) {
		if !slices.ContainsFunc(c.moments, func(m moment) bool { return m.kind == kind }) {
			return
		}
		can.token(x, y, 5, t)
		if kind == "lost" {
			can.line(x-5, y+5, x+5, y-5, 1.2, ink)
		}
		can.text(x+10, y, what, 10, false, faint)
		x += 16 + can.width(what, 10, false) + 10
	}
	add("act", "acts", token{stance: unseen})
	add("react", "reacts", token{stance: unseen, ring: true})
	add("hold", "waits", token{stance: unseen, hollow: true})
	add("lost", "in vain", token{stance: unseen, hollow: true})
	if left > 0 {
		can.text(x, y, fmt.Sprintf("and %d more below", left), 10, false, faint)
	}
}
