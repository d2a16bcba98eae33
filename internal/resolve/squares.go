package resolve

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Dir is one of the eight directions of the square map, clockwise from north.
type Dir int

// The directions; y grows to the south.
const (
	North Dir = iota
	NorthEast
	East
	SouthEast
	South
	SouthWest
	West
	NorthWest
)

var dirNames = [8]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
var dirWords = [8]string{"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}
var dirVectors = [8][2]int{{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}

// String gives the short name: N, NE, E …
func (d Dir) String() string { return dirNames[((d%8)+8)%8] }

// Word gives the name in words: north, northeast …
func (d Dir) Word() string { return dirWords[((d%8)+8)%8] }

// Vector gives the step in squares.
func (d Dir) Vector() (dx, dy int) {
	v := dirVectors[((d%8)+8)%8]
	return v[0], v[1]
}

// Turned is the direction n eighths clockwise of d.
func (d Dir) Turned(n int) Dir { return Dir(((int(d)+n)%8 + 8) % 8) }

// ParseDir reads a direction by its short name or in words ("ne", "north-east").
func ParseDir(s string) (Dir, bool) {
	if i := slices.Index(dirNames[:], s); i >= 0 {
		return Dir(i), true
	}
	s = strings.ToLower(strings.NewReplacer("-", "", " ", "", "_", "").Replace(s))
	for i := range dirNames {
		if s == strings.ToLower(dirNames[i]) || s == dirWords[i] {
			return Dir(i), true
		}
	}
	return 0, false
}

// Toward rounds the vector from a to b to one of the eight directions; it is
// diagonal if and only if (|dx|+|dy|)² > 2·max². The same square gives ok false.
func Toward(a, b game.Square) (d Dir, ok bool) {
	dx, dy := b.X-a.X, b.Y-a.Y
	if dx == 0 && dy == 0 {
		return 0, false
	}
	ax, ay := abs(dx), abs(dy)
	m := max(ax, ay)
	if (ax+ay)*(ax+ay) <= 2*m*m {
		if ax >= ay {
			dy = 0
		} else {
			dx = 0
		}
	}
	for i, v := range dirVectors {
		if v[0] == sign(dx) && v[1] == sign(dy) {
			return Dir(i), true
		}
	}
	return 0, false
}

// Crossing is one thing that the straight line between two centres meets: the
// inside of a cell, or the point where four cells touch.
type Crossing struct {
	Cell   game.Square // the cell, or one of the two beside the corner
	Corner bool
	Other  game.Square // the second cell beside the corner
}

// Cross visits in order what the line from the centre of a to the centre of b
// passes between its two end cells, until visit says stop. At a corner it enters
// neither of the two cells beside it. Exact, in integers.
func Cross(a, b game.Square, visit func(Crossing) (more bool)) {
	dx, dy := b.X-a.X, b.Y-a.Y
	nx, ny := abs(dx), abs(dy)
	sx, sy := sign(dx), sign(dy)
	at := a
	for ix, iy := 0, 0; ix < nx || iy < ny; {
		// The next vertical border is met at (2·ix+1)/(2·nx) of the way, the
		// next horizontal one at (2·iy+1)/(2·ny).
		v, h := (2*ix+1)*ny, (2*iy+1)*nx
		switch {
		case iy >= ny || ix < nx && v < h:
			at.X += sx
			ix++
		case ix >= nx || h < v:
			at.Y += sy
			iy++
		default:
			if !visit(Crossing{
				Cell:   game.Square{X: at.X + sx, Y: at.Y},
				Corner: true,
				Other:  game.Square{X: at.X, Y: at.Y + sy},
			}) {
				return
			}
			at.X += sx
			at.Y += sy
			ix++
			iy++
		}
		if at != b && !visit(Crossing{Cell: at}) {
			return
		}
	}
}

// LineClear reports whether no opaque cell blocks the line between two centres
// (star-frontiers.md 5.2): the end cells never block, a touched corner does not,
// a corner with an opaque cell on both sides does.
func LineClear(a, b game.Square, opaque func(game.Square) bool) bool {
	free := true
	Cross(a, b, func(c Crossing) bool {
		free = !opaque(c.Cell) || c.Corner && !opaque(c.Other)
		return free
	})
	return free
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}
