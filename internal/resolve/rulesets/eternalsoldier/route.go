package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// crowd are the squares that somebody stands or lies in, and the memory of the
// search for a way through them.
type crowd struct {
	width, height int
	cells         []*Fighter
	seen          []int32 // by square: the number of the search that has come there
	from          []int32 // by square: where it came from
	search        int32
}

// gather notes where everybody is.
func (c *crowd) gather(w *World) {
	if c.cells == nil {
		n := w.Width * w.Height
		*c = crowd{width: w.Width, height: w.Height, cells: make([]*Fighter, n), seen: make([]int32, n), from: make([]int32, n)}
	}
	clear(c.cells)
	for _, f := range w.Fighters {
		if f.Status != dead && w.ridden(f) == nil {
			c.put(w.square(f.At), f)
		}
	}
}

func (c *crowd) inside(s game.Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < c.width && s.Y < c.height
}

// put places somebody in a square; nil empties it.
func (c *crowd) put(s game.Square, f *Fighter) {
	if c.inside(s) {
		c.cells[s.Y*c.width+s.X] = f
	}
}

// open reports that somebody can be in a square: no wall, nobody else, on the map.
func (e *engine) open(f *Fighter, s game.Square) bool {
	if !e.crowd.inside(s) || e.walls.at(s) {
		return false
	}
	o := e.crowd.cells[s.Y*e.crowd.width+s.X]
	return o == nil || o == f
}

// way lists the points to go through: straight on as long as nothing is in the
// way in this segment, and else around it, by the fewest squares. Without a way
// around it is the straight one, which ends before what is there.
func (e *engine) way(f *Fighter, m *Movement, length int) []Point {
	straight := []Point{m.To}
	if m.Intent.Direction != "" || !m.Intent.AwayFrom.IsZero() {
		return straight // a direction leads nowhere else
	}
	all := distance(f.At, m.To)
	free := true
	for n := foot; free && n < min(all, length+e.w.Side); n += foot {
		p := along(f.At, m.To, n, all)
		if m.Toward != "" && e.w.touches(p, m.To, m.Reach/foot) {
			break
		}
		free = e.open(f, e.w.square(p))
	}
	if free || e.there(f, m) {
		return straight
	}
	if around := e.around(f, m); around != nil {
		return around
	}
	return straight
}

// around is the way by the fewest squares to where a movement leads; nil: there is none.
func (e *engine) around(f *Fighter, m *Movement) []Point {
	c := &e.crowd
	c.search++
	index := func(s game.Square) int32 { return int32(s.Y*c.width + s.X) }
	start, goal := e.w.square(f.At), e.w.square(m.To)
	if !c.inside(start) {
		return nil
	}
	c.seen[index(start)] = c.search
	queue := []game.Square{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s != start && (s == goal || m.Toward != "" && e.w.touches(e.w.centre(s), m.To, m.Reach/foot)) {
			var out []Point
			if s == goal {
				out = append(out, m.To)
			}
			for ; s != start; s = (game.Square{X: int(c.from[index(s)]) % c.width, Y: int(c.from[index(s)]) / c.width}) {
				out = append(out, e.w.centre(s))
			}
			slices.Reverse(out)
			return out
		}
		for d := resolve.North; d <= resolve.NorthWest; d++ {
			x, y := d.Vector()
			next := game.Square{X: s.X + x, Y: s.Y + y}
			if !e.open(f, next) || c.seen[index(next)] == c.search ||
				x != 0 && y != 0 && (e.walls.at(game.Square{X: s.X + x, Y: s.Y}) || e.walls.at(game.Square{X: s.X, Y: s.Y + y})) {
				continue
			}
			c.seen[index(next)], c.from[index(next)] = c.search, index(s)
			queue = append(queue, next)
		}
	}
	return nil
}
