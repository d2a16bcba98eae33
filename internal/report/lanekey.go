package report

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// keySign is one entry of the key of a course.
type keySign struct {
	draw func(can *canvas, x, y float64) // in a field of 18 by 14 points, x its left
	what string
	x    float64
	row  int
}

const (
	signWidth = 24.0
	keyRow    = 15.0
)

// key explains the signs that occur, in rows.
func (c *Course) key(l *arrangement) []keySign {
	var out []keySign
	add := func(occurs bool, what string, draw func(can *canvas, x, y float64)) {
		if occurs {
			out = append(out, keySign{draw: draw, what: what})
		}
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(c.moments, func(m moment) bool { return m.kind == kind })
	}
	deed := func(kind string) func(can *canvas, x, y float64) {
		return func(can *canvas, x, y float64) { can.deed(x+9, y, 5, kind, false, token{stance: unseen}) }
	}
	answers := slices.ContainsFunc(l.deedOf, func(d int) bool { return d >= 0 })
	add(has("act"), "acts", deed("act"))
	add(len(l.texts) > 0, "several in a row", func(can *canvas, x, y float64) { can.deed(x+9, y, 6, "act", false, token{stance: unseen, text: "…"}) })
	add(has("react"), "reacts", deed("react"))
	add(answers, "to which deed", func(can *canvas, x, y float64) { can.arrow(x+2, y, x+18, y, 0, 0) })
	for _, moving := range []bool{false, true} {
		what := map[bool]string{false: "busy", true: "moves"}[moving]
		occurs := slices.ContainsFunc(l.stretches, func(s stretch) bool { return s.moving == moving })
		add(occurs, what, func(can *canvas, x, y float64) {
			d := &stripDrawing{c: c, can: can, l: &arrangement{}, s: &strip{last: 1, left: []float64{x + 2, x + 18, x + 19}, width: []float64{16, 1}, lanes: []lane{{"", unseen}}}, top: y - laneHeight/2}
			d.stretch(stretch{lane: lane{"", unseen}, moving: moving, from: 0, to: 1, begins: -1, ends: -1})
			can.tab(x+5, y, 4, moving, token{stance: unseen})
		})
	}
	add(slices.ContainsFunc(l.stretches, func(s stretch) bool { return s.unended || s.unbegun }), "not seen how long", func(can *canvas, x, y float64) {
		for i := range 3 {
			can.box(x+5+3.5*float64(i), y-0.8, 1.6, 1.6, stanceColours[unseen])
		}
	})
	add(slices.ContainsFunc(l.rests, func(r rest) bool { return r.shown(c) }), "ready again", func(can *canvas, x, y float64) {
		can.line(x+2, y, x+14, y, 0.9, stanceColours[unseen])
		can.line(x+14, y-5, x+14, y+5, 1.6, ink)
	})
	add(has(game.MarkCut), "cut short", deed(game.MarkCut))
	add(has("hold"), "waits", deed("hold"))
	add(has("lost"), "in vain", deed("lost"))
	add(has(game.MarkDown), "down", deed(game.MarkDown))
	add(l.dropped > 0, fmt.Sprintf("and %d more below", l.dropped), func(*canvas, float64, float64) {})
	probe := newCanvas(1, 1)
	x, row := 6.0, 0
	for i := range out {
		w := signWidth + probe.width(out[i].what, 10, false) + 10
		if x+w > sheetWidth && x > 6 {
			x, row = 6, row+1
		}
		out[i].x, out[i].row = x, row
		x += w
	}
	return out
}

func keyHeight(key []keySign) float64 {
	if len(key) == 0 {
		return 0
	}
	return keyRow*float64(key[len(key)-1].row+1) + 4
}

func drawKey(can *canvas, key []keySign, y float64) {
	for _, k := range key {
		ky := y + keyRow*(float64(k.row)+0.5)
		k.draw(can, k.x, ky)
		can.text(k.x+signWidth, ky, k.what, 10, false, faint)
	}
}
