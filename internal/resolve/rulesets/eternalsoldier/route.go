package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// places are the squares that somebody stands or lies in.
func (e *engine) places() map[game.Square]*Fighter {
	out := map[game.Square]*Fighter{}
	for _, f := range e.w.Fighters {
		if f.Status != dead {
			out[e.w.square(f.At)] = f
		}
	}
	return out
}

// open reports that somebody can be in a square: no wall, nobody else, on the map.
func (e *engine) open(f *Fighter, s game.Square, taken map[game.Square]*Fighter) bool {
	o := taken[s]
	return s.X >= 0 && s.Y >= 0 && s.X < e.w.Width && s.Y < e.w.Height && !e.walls.at(s) && (o == nil || o == f)
}

// way lists the points to go through: straight on as long as nothing is in the
// way in this segment, and else around it, by the fewest squares. Without a way
// around it is the straight one, which ends before what is there.
func (e *engine) way(f *Fighter, m *Movement, length int, taken map[game.Square]*Fighter) []Point {
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
		free = e.open(f, e.w.square(p), taken)
	}
	if free || e.there(f, m) {
		return straight
	}
	start := e.w.square(f.At)
	from := map[game.Square]game.Square{start: start}
	queue := []game.Square{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		c := e.w.centre(s)
		if s != start && (c == m.To || s == e.w.square(m.To) || m.Toward != "" && e.w.touches(c, m.To, m.Reach/foot)) {
			var out []Point
			if s == e.w.square(m.To) && m.Toward == "" {
				out = append(out, m.To)
			}
			for ; s != start; s = from[s] {
				out = append(out, e.w.centre(s))
			}
			slices.Reverse(out)
			return out
		}
		for d := resolve.North; d <= resolve.NorthWest; d++ {
			x, y := d.Vector()
			next := game.Square{X: s.X + x, Y: s.Y + y}
			if _, seen := from[next]; seen || !e.open(f, next, taken) ||
				x != 0 && y != 0 && (e.walls.at(game.Square{X: s.X + x, Y: s.Y}) || e.walls.at(game.Square{X: s.X, Y: s.Y + y})) {
				continue
			}
			from[next] = s
			queue = append(queue, next)
		}
	}
	return straight
}
