package report

import (
	"image/color"

	"github.com/pbemd/pbemd/internal/game"
)

// stance is what somebody is to the reader. Each has a colour and a shape.
type stance int

const (
	yours stance = iota
	ally
	enemy
	neutral
	unseen
)

// stanceWords are as legends print them.
var stanceWords = [...]string{yours: "yours", ally: "ally", enemy: "enemy", neutral: "neutral", unseen: "out of sight"}

var stanceColours = [...]color.RGBA{
	yours: {0x00, 0x63, 0xb0, 0xff}, ally: {0x00, 0x76, 0x5c, 0xff}, enemy: {0xc4, 0x42, 0x08, 0xff},
	neutral: {0x88, 0x48, 0x78, 0xff}, unseen: {0x5c, 0x5c, 0x60, 0xff},
}

func stanceOf(relation string) stance {
	switch relation {
	case "self":
		return yours
	case "ally":
		return ally
	case "enemy":
		return enemy
	}
	return neutral
}

// token is one of the pieces that the pictures show: on the map somebody's
// place, on the timeline a deed.
type token struct {
	stance stance
	hollow bool   // not there now; a deed that was put off or came to nothing
	ring   bool   // a reaction
	cross  bool   // down; a deed that came to nothing
	facing string // N, NE … or empty
	text   string
}

// outline lays the path of a token's shape.
func (c *canvas) outline(s stance, x, y, r float64) {
	switch s {
	case enemy:
		r *= 1.22
		c.gg.MoveTo(x, y-r)
		c.gg.LineTo(x+r, y)
		c.gg.LineTo(x, y+r)
		c.gg.LineTo(x-r, y)
		c.gg.ClosePath()
	case neutral, unseen:
		r *= 0.9
		c.gg.DrawRectangle(x-r, y-r, 2*r, 2*r)
	default:
		c.gg.DrawCircle(x, y, r)
	}
}

func (c *canvas) token(x, y, r float64, t token) {
	col := stanceColours[t.stance]
	if d, ok := directions[t.facing]; ok && !t.cross {
		// A beak that looks out of the shape.
		l, w := 1.75*r, 0.55*r
		if d[0]*d[1] != 0 {
			l *= 0.7071
			w *= 0.7071
		}
		c.gg.SetColor(col)
		c.gg.MoveTo(x+l*d[0], y+l*d[1])
		c.gg.LineTo(x+0.4*l*d[0]-w*d[1], y+0.4*l*d[1]+w*d[0])
		c.gg.LineTo(x+0.4*l*d[0]+w*d[1], y+0.4*l*d[1]-w*d[0])
		c.gg.ClosePath()
		c.gg.Fill()
	}
	c.outline(t.stance, x, y, r)
	script := white
	if t.hollow {
		c.gg.SetColor(paper)
		c.gg.FillPreserve()
		c.gg.SetColor(col)
		c.gg.SetLineWidth(1.2 * scale)
		c.gg.SetDash(2*scale, 1.4*scale)
		c.gg.Stroke()
		c.gg.SetDash()
		script = col
	} else {
		c.gg.SetColor(col)
		c.gg.FillPreserve()
		c.gg.SetColor(white)
		c.gg.SetLineWidth(0.8 * scale)
		c.gg.Stroke()
	}
	if t.ring || t.stance == yours && !t.hollow {
		ring := col
		if t.ring {
			ring = ink
		}
		c.outline(t.stance, x, y, r+1.3)
		c.gg.SetColor(ring)
		c.gg.SetLineWidth(1.1 * scale)
		c.gg.Stroke()
	}
	if t.cross {
		c.line(x-r, y-r, x+r, y+r, 1.2, ink)
		c.line(x-r, y+r, x+r, y-r, 1.2, ink)
	}
	if t.text != "" {
		size := max(6, int(r*1.35))
		if len(t.text) > 2 {
			size = max(6, size-2)
		}
		c.centred(x, y, t.text, size, true, script)
	}
}

// directions are the eight on the map, y to the south.
var directions = map[string][2]float64{
	"N": {0, -1}, "NE": {1, -1}, "E": {1, 0}, "SE": {1, 1}, "S": {0, 1}, "SW": {-1, 1}, "W": {-1, 0}, "NW": {-1, -1},
}

// down reports that he lies there for all to see.
func down(s game.Sight) bool {
	for _, st := range s.Status {
		if st == "down" || st == "dead" {
			return true
		}
	}
	return false
}
