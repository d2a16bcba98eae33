package report

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// Atlas draws maps. The ground of each is drawn once and overlaid for each
// reader, so one Atlas serves all mails of a turn. It is not safe for use by
// several goroutines; the zero value is ready.
type Atlas struct {
	Ours []game.ID // sides of the players: a GM's maps show them as a player's own

	grounds map[string]*image.RGBA
}

// Map is the picture of what a reader's characters perceive now, with the ways
// of those whom they perceived before as well. Its Text is the same in plain
// text. It is nil when there is no map. before may be empty.
func (a *Atlas) Map(before, now []game.View) *Picture {
	c := newChart(before, now, a.Ours...)
	if c.crop.w == 0 || c.crop.h == 0 {
		return nil
	}
	p := a.draw(&c)
	return &p
}

// sheet is where the map lies in its picture.
type sheet struct {
	x, y, cell    float64
	right, bottom float64
}

const (
	mapTop    = 16.0
	mapLeft   = 20.0
	mapMargin = 6.0
	mapTall   = 400.0 // points that the squares take at most
)

func (c *chart) sheet() sheet {
	// Whole pixels a cell, so that all are alike.
	pixels := int(min((sheetWidth-mapLeft-mapMargin)/float64(c.crop.w), mapTall/float64(c.crop.h), 26) * scale)
	s := sheet{cell: float64(max(pixels, 1)) / scale, y: mapTop}
	w := s.cell * float64(c.crop.w)
	s.x = float64(pixel(mapLeft+(sheetWidth-mapLeft-mapMargin-w)/2)) / scale
	s.right, s.bottom = s.x+w, s.y+s.cell*float64(c.crop.h)
	return s
}

func (s sheet) centre(x, y int) (float64, float64) {
	return s.x + (float64(x)+0.5)*s.cell, s.y + (float64(y)+0.5)*s.cell
}

func (a *Atlas) draw(c *chart) Picture {
	s := c.sheet()
	rows := c.ground()
	base := a.ground(c, s, rows)
	legend := c.entries(rows)
	half := (len(legend) + 1) / 2
	height := s.bottom + 10 + 17*float64(half) + 20
	can := newCanvas(sheetWidth, height)
	copy(can.img.Pix, base.Pix)
	c.drawFigures(can, s)
	for i, e := range legend {
		x, y := 8.0, s.bottom+18+17*float64(i%half)
		if i >= half {
			x = sheetWidth/2 + 2
		}
		e.draw(can, x+8, y)
		can.text(x+21, y, can.fit(e.text, 10, false, sheetWidth/2-27), 10, false, ink)
	}
	y := height - 11
	can.line(8, y, 8+s.cell, y, 1.5, ink)
	can.line(8, y-3, 8, y+3, 1.5, ink)
	can.line(8+s.cell, y-3, 8+s.cell, y+3, 1.5, ink)
	length := squareLength(c.scaleMM*c.crop.step, c.units)
	can.text(14+s.cell, y, length, 10, false, faint)
	if w := c.crop; w.w*w.step < c.width || w.h*w.step < c.height {
		part := fmt.Sprintf("part of %d by %d squares", c.width, c.height)
		can.text(sheetWidth-8-can.width(part, 10, false), y, part, 10, false, faint)
	}
	return can.picture("map", c.alt(), c.lines(), "")
}

// ground draws squares and features, or takes them from an earlier map.
func (a *Atlas) ground(c *chart, s sheet, rows [][]byte) *image.RGBA {
	key, err := json.Marshal([]any{c.crop.x, c.crop.y, c.crop.step, rows})
	if err == nil {
		if img := a.grounds[string(key)]; img != nil {
			return img
		}
	}
	can := newCanvas(sheetWidth, s.bottom+4)
	can.box(s.x, s.y, s.right-s.x, s.bottom-s.y, ground)
	for y, r := range rows {
		for x, g := range r {
			can.feature(s.x+float64(x)*s.cell, s.y+float64(y)*s.cell, s.cell, g)
		}
	}
	const px = 1.0 / scale
	for x := range c.crop.w + 1 {
		can.box(s.x+float64(x)*s.cell, s.y, px, s.bottom-s.y, ruled)
	}
	for y := range c.crop.h + 1 {
		can.box(s.x, s.y+float64(y)*s.cell, s.right-s.x, px, ruled)
	}
	every := 1
	for float64(every)*s.cell < 13 {
		every++
	}
	for x := 0; x < c.crop.w; x += every {
		cx, _ := s.centre(x, 0)
		name := c.crop.square(x, 0).String()
		can.centred(cx, s.y-7, name[:len(name)-len(fmt.Sprint(c.crop.y+1))], 9, false, faint)
	}
	for y := 0; y < c.crop.h; y += every {
		_, cy := s.centre(0, y)
		name := fmt.Sprint(c.crop.square(0, y).Y + 1)
		can.text(s.x-4-can.width(name, 9, false), cy, name, 9, false, faint)
	}
	if a.grounds == nil {
		a.grounds = map[string]*image.RGBA{}
	}
	if err == nil {
		a.grounds[string(key)] = can.img
	}
	return can.img
}

// feature fills one cell with what stands there.
func (c *canvas) feature(x, y, size float64, g byte) {
	switch g {
	case wallGlyph:
		c.box(x, y, size, size, stone)
	case closedGlyph:
		c.box(x, y, size, size, timber)
		c.line(x+size*0.25, y+size*0.5, x+size*0.75, y+size*0.5, 1.2, white)
	case openGlyph:
		c.box(x, y, size, size, timber)
		c.box(x+size*0.2, y+size*0.2, size*0.6, size*0.6, ground)
	case hardGlyph:
		c.box(x, y, size, size, rubble)
		c.line(x, y+size, x+size, y, 1, stone)
		c.line(x, y, x+size, y+size, 1, stone)
	case softGlyph:
		c.box(x, y, size, size, bramble)
		c.line(x, y+size, x+size, y, 1, faint)
	case otherGlyph:
		c.box(x, y, size, size, ruled)
	}
}

func (c *chart) drawFigures(can *canvas, s sheet) {
	for _, f := range c.figures {
		if f.from == nil {
			continue
		}
		x1, y1, ok1 := c.crop.cell(*f.from)
		x2, y2, ok2 := c.crop.cell(f.sight.Place)
		if !ok1 || !ok2 {
			continue
		}
		ax, ay := s.centre(x1, y1)
		bx, by := s.centre(x2, y2)
		col := stanceColours[f.stance]
		can.gg.SetDash(3*scale, 2*scale)
		can.line(ax, ay, bx, by, 1.5, col)
		can.gg.SetDash()
		can.gg.SetColor(col)
		can.gg.DrawCircle(ax, ay, 2.2)
		can.gg.Fill()
	}
	r := max(min(s.cell*0.46, 9), 5.5)
	taken := map[[2]int]int{}
	for _, f := range slices.Backward(c.figures) {
		x, y, ok := c.crop.cell(f.sight.Place)
		if !ok {
			continue
		}
		cx, cy := s.centre(x, y)
		// Those in one place stand a little aside of each other.
		n := taken[[2]int{x, y}]
		taken[[2]int{x, y}]++
		can.token(cx+float64(n%3)*r*0.8, cy+float64(n/3%3)*r*0.8, r, f.token())
	}
}

func (f *figure) token() token {
	t := token{stance: f.stance, text: string(rune(f.letter)), hollow: f.gone || !f.sight.InSight, cross: down(f.sight)}
	if !f.gone {
		t.facing = f.sight.Facing
	}
	return t
}

// entry is a line of the legend in the picture.
type entry struct {
	draw func(*canvas, float64, float64)
	text string
}

// mostEntries bounds the legend of a picture; the plain text has all.
const mostEntries = 24

func (c *chart) entries(rows [][]byte) []entry {
	var out []entry
	for _, f := range c.figures {
		if len(out) == mostEntries-1 && len(c.figures) > mostEntries {
			out = append(out, entry{func(*canvas, float64, float64) {}, fmt.Sprintf("and %d more", len(c.figures)-len(out))})
			break
		}
		t := f.token()
		t.facing = ""
		out = append(out, entry{func(can *canvas, x, y float64) { can.token(x, y, 6, t) }, f.describe()})
	}
	for _, g := range glyphs {
		if slices.ContainsFunc(rows, func(r []byte) bool { return slices.Contains(r, g.glyph) }) {
			out = append(out, entry{func(can *canvas, x, y float64) {
				can.feature(x-6, y-6, 12, g.glyph)
				can.frame(x-6, y-6, 12, 12, faint)
			}, g.what})
		}
	}
	return out
}

// frame draws a thin rectangle.
func (c *canvas) frame(x, y, w, h float64, col color.RGBA) {
	c.gg.SetColor(col)
	c.gg.SetLineWidth(scale * 0.7)
	c.gg.DrawRectangle(x, y, w, h)
	c.gg.Stroke()
}
