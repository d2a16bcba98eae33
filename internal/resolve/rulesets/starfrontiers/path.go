package starfrontiers

import (
	"container/heap"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// pathing finds ways over the map (17.2). Costs are in millimetres; diagonals
// alternately cost one square and two, counted over the whole turn.
type pathing struct {
	t       *tables
	g       *grid
	blocked func(game.Square) bool // an enemy who is on his feet
	lengths bool                   // a step costs its length, whatever the ground
}

// length of one step in millimetres: a dear diagonal counts as two squares.
func (p *pathing) length(d resolve.Dir, odd bool) int {
	if d%2 == 1 && odd {
		return 2 * p.g.scaleMM
	}
	return p.g.scaleMM
}

// cost of one step, or not ok when it is not allowed. odd tells that the next
// diagonal is a dear one.
func (p *pathing) cost(from game.Square, d resolve.Dir, odd bool) (mm int, ok bool) {
	to := step(from, d)
	c := p.g.cell(to)
	if c == nil || c.opaque && !c.door || p.blocked != nil && p.blocked(to) {
		return 0, false
	}
	mm = p.length(d, odd)
	if dx, dy := d.Vector(); dx != 0 && dy != 0 &&
		p.g.opaque(game.Square{X: from.X + dx, Y: from.Y}) && p.g.opaque(game.Square{X: from.X, Y: from.Y + dy}) {
		return 0, false
	}
	if p.lengths {
		return mm, true
	}
	if c.rough {
		mm *= p.t.Move.Rough
	}
	if c.door {
		mm += p.t.Move.Door * 1000
	}
	if c.low {
		mm = max(mm, p.t.Move.Vault*1000)
	}
	return mm, true
}

// node is a square with the parity of diagonals on the way to it.
type node struct {
	s   game.Square
	odd bool
}

type reached struct {
	cost int
	from node
	ok   bool
}

// field is what can be reached from one square, cheapest ways first.
type field struct {
	start node
	best  map[node]reached
}

type queued struct {
	n    node
	cost int
	seq  int
}

type queue []queued

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].cost != q[j].cost {
		return q[i].cost < q[j].cost
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// reach walks the map from a square up to a cost; it stops early when done says so.
func (p *pathing) reach(from game.Square, odd bool, limit int, done func(game.Square) bool) *field {
	start := node{from, odd}
	f := &field{start: start, best: map[node]reached{start: {ok: true}}}
	q := &queue{{n: start}}
	seq := 0
	settled := map[node]bool{}
	for q.Len() > 0 {
		x := heap.Pop(q).(queued)
		if settled[x.n] {
			continue
		}
		settled[x.n] = true
		if done != nil && done(x.n.s) {
			return f
		}
		for d := resolve.North; d <= resolve.NorthWest; d++ {
			mm, ok := p.cost(x.n.s, d, x.n.odd)
			if !ok || x.cost+mm > limit {
				continue
			}
			to := node{step(x.n.s, d), x.n.odd != (d%2 == 1)}
			if old := f.best[to]; !old.ok || x.cost+mm < old.cost {
				f.best[to] = reached{cost: x.cost + mm, from: x.n, ok: true}
				seq++
				heap.Push(q, queued{to, x.cost + mm, seq})
			}
		}
	}
	return f
}

// cost gives the cheapest way's cost to a square.
func (f *field) cost(s game.Square) (int, bool) {
	n, ok := f.node(s)
	if !ok {
		return 0, false
	}
	return f.best[n].cost, true
}

func (f *field) node(s game.Square) (node, bool) {
	a, b := f.best[node{s, false}], f.best[node{s, true}]
	switch {
	case a.ok && (!b.ok || a.cost <= b.cost):
		return node{s, false}, true
	case b.ok:
		return node{s, true}, true
	}
	return node{}, false
}

// path lists the squares to walk through, the last one included.
func (f *field) path(s game.Square) []game.Square {
	n, ok := f.node(s)
	if !ok {
		return nil
	}
	var out []game.Square
	for n != f.start {
		out = append(out, n.s)
		n = f.best[n].from
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
