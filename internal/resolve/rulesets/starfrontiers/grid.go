package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// grid is the map as geometry: what blocks, hides and covers in each square. It
// is made of a world or of a view alike, so that a check judges as the
// resolution does, only from what is known.
type grid struct {
	width, height int
	scaleMM       int
	cells         []cell
	marked        []int // how many cells with anything on them for a line to meet lie above and left of each corner
	trueReach     bool  // melee_diagonal=false: reach is the true distance (7.1)
	hazeMM        int   // of smoke that one sees through (5.2 no. 6); 0: there is none, or it is seen through
}

type cell struct {
	opaque bool
	low    bool
	door   bool // closed, and can be opened
	smoke  bool
	rough  bool // difficult ground
	cover  cover
}

// cover is what a cell gives: the greater, the better.
type cover uint8

const (
	noCover cover = iota
	softCover
	hardCover
)

var coverNames = [...]string{noCover: "", softCover: "soft", hardCover: "hard"}

func coverOf(name string) cover {
	return cover(max(slices.Index(coverNames[:], name), 0))
}

func newGrid(features []game.Feature, width, height, scaleMM int) *grid {
	g := &grid{width: max(width, 0), height: max(height, 0), scaleMM: max(scaleMM, 1)}
	g.cells = make([]cell, g.width*g.height)
	smoky := false
	for _, f := range features {
		for _, s := range f.Squares {
			c := g.cell(s)
			if c == nil {
				continue
			}
			if f.Kind == smokeKind {
				c.smoke = true
				smoky = true
				continue
			}
			c.opaque = c.opaque || f.Opaque
			c.low = c.low || f.Low
			c.rough = c.rough || f.Difficult
			c.door = c.door || f.Kind == "door" && f.State == "closed"
			given := coverOf(f.Cover)
			if given == noCover && f.Low {
				given = softCover
			}
			c.cover = max(c.cover, given)
		}
	}
	if t, err := embeddedTables(); smoky && err == nil {
		g.hazeMM = t.Cloud.Hides * 1000
	}
	g.count()
	return g
}

// count fills marked, by which bare tells in a few steps that a line needs no
// walking.
func (g *grid) count() {
	g.marked = make([]int, (g.width+1)*(g.height+1))
	for y := range g.height {
		row := 0
		for x := range g.width {
			if c := g.cells[y*g.width+x]; c != (cell{rough: c.rough}) {
				row++
			}
			g.marked[(y+1)*(g.width+1)+x+1] = g.marked[y*(g.width+1)+x+1] + row
		}
	}
}

// bare reports that there is nothing in the rectangle between two squares of the
// map, and so on no line between them.
func (g *grid) bare(a, b game.Square) bool {
	if !g.inside(a) || !g.inside(b) {
		return false
	}
	x0, x1, w := min(a.X, b.X), max(a.X, b.X)+1, g.width+1
	top, bottom := min(a.Y, b.Y)*w, (max(a.Y, b.Y)+1)*w
	return g.marked[bottom+x1]-g.marked[bottom+x0]-g.marked[top+x1]+g.marked[top+x0] == 0
}

func (w *World) grid() *grid {
	return w.gridOf(slices.Concat(w.Features, w.things()))
}

// gridOf is the map with these features on it.
func (w *World) gridOf(features []game.Feature) *grid {
	g := newGrid(features, w.Width, w.Height, w.ScaleMM)
	g.trueReach = w.setting("melee_diagonal") == "false"
	return g
}

func (g *grid) inside(s game.Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < g.width && s.Y < g.height
}

func (g *grid) cell(s game.Square) *cell {
	if !g.inside(s) {
		return nil
	}
	return &g.cells[s.Y*g.width+s.X]
}

func (g *grid) opaque(s game.Square) bool {
	c := g.cell(s)
	return c != nil && c.opaque
}

func (g *grid) low(s game.Square) bool {
	c := g.cell(s)
	return c != nil && c.low
}

// clear reports a free line of sight (5.2 no. 2 and 6).
func (g *grid) clear(a, b game.Square) bool {
	return g.bare(a, b) || resolve.LineClear(a, b, g.opaque) && !g.hazy(a, b)
}

// open reports a line that nothing solid cuts.
func (g *grid) open(a, b game.Square) bool {
	return g.bare(a, b) || resolve.LineClear(a, b, g.opaque)
}

// hazy reports more smoke on a line than one sees through: the squares whose
// inside it passes, the viewer's own not counted (5.2 no. 6).
func (g *grid) hazy(a, b game.Square) bool {
	if g.hazeMM == 0 || a == b {
		return false
	}
	smoke := 0
	if c := g.cell(b); c != nil && c.smoke {
		smoke++
	}
	resolve.Cross(a, b, func(c resolve.Crossing) bool {
		if x := g.cell(c.Cell); x != nil && x.smoke && !c.Corner {
			smoke++
		}
		return smoke*g.scaleMM <= g.hazeMM
	})
	return smoke*g.scaleMM > g.hazeMM
}

// eyes is the map as somebody's eyes meet it: some see through smoke.
func (g *grid) eyes(t *tables, f *Fighter) *grid {
	if g.hazeMM == 0 || !f.seesSmoke(t) {
		return g
	}
	keen := *g
	keen.hazeMM = 0
	return &keen
}

// lean gives the square from which a character at a sees b round an obstacle
// that touches his own square (5.2 no. 3): the first in the order N, E, S, W.
// free: the obstacle need not touch it.
func (g *grid) lean(a, b game.Square, free bool) (game.Square, bool) {
	if g.clear(a, b) {
		return game.Square{}, false
	}
	touching := free
	resolve.Cross(a, b, func(c resolve.Crossing) bool {
		touching = touching || g.opaque(c.Cell) && chebyshev(a, c.Cell) == 1 || c.Corner && g.opaque(c.Other) && chebyshev(a, c.Other) == 1
		return !touching
	})
	if !touching {
		return game.Square{}, false
	}
	for _, d := range []resolve.Dir{resolve.North, resolve.East, resolve.South, resolve.West} {
		n := step(a, d)
		if g.inside(n) && !g.opaque(n) && g.clear(n, b) {
			return n, true
		}
	}
	return game.Square{}, false
}

// cover is the best that the line passes (5.2 no. 8), the shooter's own square
// excepted.
func (g *grid) cover(from, to game.Square) string {
	if g.bare(from, to) {
		return ""
	}
	best := noCover
	pass := func(c *cell) {
		if c.smoke && g.hazeMM > 0 {
			best = max(best, softCover) // 10.3
		}
		best = max(best, c.cover)
	}
	if c := g.cell(to); c != nil && from != to {
		pass(c)
	}
	resolve.Cross(from, to, func(c resolve.Crossing) bool {
		if x := g.cell(c.Cell); x != nil && !c.Corner {
			pass(x)
		}
		return best != hardCover
	})
	return coverNames[best]
}

// hides reports that whoever crouches in to is hidden from from: the line to
// him passes a low wall that touches his square (5.2 no. 5).
func (g *grid) hides(from, to game.Square) bool {
	if g.bare(from, to) {
		return false
	}
	hidden := false
	resolve.Cross(from, to, func(c resolve.Crossing) bool {
		hidden = !c.Corner && g.low(c.Cell) && chebyshev(c.Cell, to) == 1
		return !hidden
	})
	return hidden
}

// metres is the distance of 5.3: rounded half up, at least 1, the same square 0.
func metres(scaleMM int, a, b game.Square) int {
	d := int64(squared(a, b))
	if d == 0 {
		return 0
	}
	// The greatest m with (2m-1)² · 10⁶ <= 4 · scale² · d.
	limit := 4 * int64(scaleMM) * int64(scaleMM) * d
	low, high := int64(1), int64(2)
	for (2*high-1)*(2*high-1)*1_000_000 <= limit {
		low, high = high, high*2
	}
	for low+1 < high {
		mid := (low + high) / 2
		if (2*mid-1)*(2*mid-1)*1_000_000 <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	return int(low)
}

// slide goes so many squares in a direction, as far as nothing solid is in the
// way; inside is false if the edge of the map has stopped it.
func (g *grid) slide(at game.Square, d resolve.Dir, squares int) (last game.Square, inside bool) {
	for range squares {
		n := step(at, d)
		if !g.inside(n) {
			return at, false
		}
		if !g.open(at, n) || g.opaque(n) {
			break
		}
		at = n
	}
	return at, true
}

// beyond follows the straight line from a through b as far as so many metres of
// a, until the next square is solid or off the map.
func (g *grid) beyond(a, b game.Square, metres int) game.Square {
	far := game.Square{X: a.X + (b.X-a.X)*(g.width+g.height), Y: a.Y + (b.Y-a.Y)*(g.width+g.height)}
	last := b
	if !g.open(a, b) {
		last = a
	}
	past := a == b
	resolve.Cross(a, far, func(c resolve.Crossing) bool {
		switch {
		case c.Corner:
			return !g.opaque(c.Cell) || !g.opaque(c.Other)
		case !g.inside(c.Cell), g.opaque(c.Cell), g.metres(a, c.Cell) > metres:
			return false
		case c.Cell == b:
			past = true
		}
		if past {
			last = c.Cell
		}
		return true
	})
	return last
}

func (g *grid) metres(a, b game.Square) int { return metres(g.scaleMM, a, b) }

// within reports metres(a, b) <= m, for m >= 1, without working them out.
func (g *grid) within(a, b game.Square, m int) bool {
	top := int64(2*m + 1)
	return top*top*1_000_000 > 4*int64(g.scaleMM)*int64(g.scaleMM)*int64(squared(a, b))
}

// reach is the melee distance of 7.1: whole squares, diagonals alike, unless the
// game goes by the true distance.
func (g *grid) reach(t *tables, a, b game.Square) bool {
	if g.trueReach {
		return int64(squared(a, b))*int64(g.scaleMM)*int64(g.scaleMM) <= int64(t.Senses.Reach)*int64(t.Senses.Reach)*1_000_000
	}
	return chebyshev(a, b)*g.scaleMM <= t.Senses.Reach*1000
}

// arc is where the square lies from a facing: front, side or rear (5.1).
func arc(facing resolve.Dir, from, to game.Square) string {
	vx, vy := to.X-from.X, to.Y-from.Y
	fx, fy := facing.Vector()
	dot := fx*vx + fy*vy
	switch {
	case dot >= 0:
		return "front"
	case dot*dot*2 <= (fx*fx+fy*fy)*(vx*vx+vy*vy):
		return "side"
	}
	return "rear"
}

func step(s game.Square, d resolve.Dir) game.Square {
	dx, dy := d.Vector()
	return game.Square{X: s.X + dx, Y: s.Y + dy}
}

func squared(a, b game.Square) int {
	return (a.X-b.X)*(a.X-b.X) + (a.Y-b.Y)*(a.Y-b.Y)
}

func chebyshev(a, b game.Square) int {
	return max(a.X-b.X, b.X-a.X, a.Y-b.Y, b.Y-a.Y)
}
