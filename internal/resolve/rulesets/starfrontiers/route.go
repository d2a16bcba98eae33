package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// scene is what a combatant knows of the map and of the others when he plans a
// way: it is made of a view before the turn, and of the world during it.
type scene struct {
	t        *tables
	g        *grid
	me       game.ID
	at       game.Square
	facing   resolve.Dir
	people   []person // those he knows of, nearest first
	features []game.Feature
}

type person struct {
	id       game.ID
	name     string
	side     game.ID
	race     string
	relation string
	at       game.Square
	facing   resolve.Dir
	down     bool
	hurt     bool
	seen     bool
}

func (sc *scene) person(id game.ID) *person {
	for i := range sc.people {
		if sc.people[i].id == id {
			return &sc.people[i]
		}
	}
	return nil
}

func (sc *scene) feature(id game.ID) *game.Feature {
	for i := range sc.features {
		if sc.features[i].ID == id {
			return &sc.features[i]
		}
	}
	return nil
}

// pick resolves an id or selector among those that are seen: for a selector the
// nearest who is on his feet, for the weakest the nearest of the wounded.
func (sc *scene) pick(id, trigger game.ID) *person {
	if p := sc.person(id); p != nil {
		return p
	}
	if !resolve.IsSelector(id) {
		return nil
	}
	var first *person
	for i := range sc.people {
		p := &sc.people[i]
		if !p.seen || p.down || !resolve.Matches(game.Who{id}, sc.subject(p, trigger)) {
			continue
		}
		if first == nil {
			first = p
		}
		if id != game.WeakestEnemy || p.hurt {
			return p
		}
	}
	return first
}

func (sc *scene) subject(p *person, trigger game.ID) resolve.Subject {
	return resolve.Subject{ID: p.id, Side: p.side, Race: p.race, Relation: p.relation, Trigger: p.id == trigger}
}

// shared tells that squares are coarse enough for several to stand in one (17.2).
func (sc *scene) shared() bool { return sc.g.scaleMM > 2000 }

func (sc *scene) blockedBy(s game.Square) bool {
	if sc.shared() {
		return false
	}
	for _, p := range sc.people {
		if p.at == s && p.relation == "enemy" && !p.down {
			return true
		}
	}
	return false
}

// taken reports that nobody else may end his move here.
func (sc *scene) taken(s game.Square) bool {
	if sc.shared() {
		return false
	}
	for _, p := range sc.people {
		if p.at == s && !p.down {
			return true
		}
	}
	return false
}

// way is a planned path with its cost.
type way struct {
	path  []game.Square
	cost  int    // millimetres of the whole way to the goal, also of the part beyond the allowance
	whole bool   // the path ends at the goal
	why   string // blocked, no_goal
}

// route plans a move as far as limit (millimetres) allows. odd is the parity of
// the diagonals gone so far.
func (sc *scene) route(in game.Intent, trigger game.ID, limit int, odd bool) way {
	p := &pathing{t: sc.t, g: sc.g, blocked: sc.blockedBy}
	switch {
	case !in.AwayFrom.IsZero():
		return sc.flee(p, in, trigger, limit, odd)
	case in.Direction != "":
		return sc.straight(p, in, limit, odd)
	}
	goals := sc.goals(in, trigger)
	if goals == nil {
		return way{why: "no_goal", whole: in.Mode == "dodge"}
	}
	for _, s := range goals {
		if s == sc.at {
			return way{whole: true}
		}
	}
	isGoal := make(map[game.Square]bool, len(goals))
	for _, s := range goals {
		isGoal[s] = true
	}
	// The goals of "behind" come best first, so that the first within the
	// allowance counts; all others are equal and the nearest counts.
	f := p.reach(sc.at, odd, limit, nil)
	best, bestCost := game.Square{}, -1
	for _, s := range goals {
		c, ok := f.cost(s)
		if !ok || bestCost >= 0 && (in.Relation == "behind" || c >= bestCost) {
			continue
		}
		best, bestCost = s, c
	}
	if bestCost >= 0 {
		return way{path: f.path(best), cost: bestCost, whole: true}
	}
	// Too far: as far as the mode allows along the whole way.
	found := false
	far := p.reach(sc.at, odd, max(limit, sc.g.scaleMM)*6, func(s game.Square) bool {
		if isGoal[s] {
			best, found = s, true
		}
		return found
	})
	if !found {
		return sc.nearest(f, goals[0])
	}
	cost, _ := far.cost(best)
	w := sc.cut(p, far.path(best), limit, odd)
	w.cost = cost
	return w
}

// cut shortens a path to what the allowance pays for and to a square where he
// may stop.
func (sc *scene) cut(p *pathing, path []game.Square, limit int, odd bool) way {
	at, spent, n := sc.at, 0, 0
	for i, s := range path {
		d, ok := resolve.Toward(at, s)
		if !ok {
			break
		}
		mm, ok := p.cost(at, d, odd)
		if !ok || spent+mm > limit {
			break
		}
		spent += mm
		if d%2 == 1 {
			odd = !odd
		}
		at, n = s, i+1
	}
	for n > 0 && sc.taken(path[n-1]) {
		n--
	}
	return way{path: path[:n], cost: spent, whole: n == len(path)}
}

// nearest goes to the square within the allowance that lies nearest to a goal
// that no known way leads to.
func (sc *scene) nearest(f *field, goal game.Square) way {
	best, bestD, bestC := sc.at, squared(sc.at, goal), 0
	sc.each(func(s game.Square) {
		if sc.taken(s) {
			return
		}
		if c, ok := f.cost(s); ok {
			if d := squared(s, goal); d < bestD || d == bestD && c < bestC {
				best, bestD, bestC = s, d, c
			}
		}
	})
	return way{path: f.path(best), cost: bestC, why: "blocked"}
}

func (sc *scene) each(do func(game.Square)) {
	for y := 0; y < sc.g.height; y++ {
		for x := 0; x < sc.g.width; x++ {
			do(game.Square{X: x, Y: y})
		}
	}
}

// flee goes where the one fled from is farthest, out of his sight if it can be.
func (sc *scene) flee(p *pathing, in game.Intent, trigger game.ID, limit int, odd bool) way {
	from, ok := sc.place(in.AwayFrom, trigger)
	if !ok {
		return way{why: "no_goal"}
	}
	f := p.reach(sc.at, odd, limit, nil)
	near := f // what lies within the distance named, whatever the ground costs
	if in.Distance != nil {
		near = (&pathing{t: sc.t, g: sc.g, blocked: p.blocked, lengths: true}).reach(sc.at, odd, max(in.Distance.Millimetres(sc.g.scaleMM), 0), nil)
	}
	best, bestD, bestC := sc.at, squared(sc.at, from), 0
	sc.each(func(s game.Square) {
		if s == sc.at || sc.taken(s) {
			return
		}
		if _, ok := near.cost(s); !ok {
			return
		}
		if c, ok := f.cost(s); ok {
			if d := squared(s, from); d > bestD || d == bestD && c < bestC {
				best, bestD, bestC = s, d, c
			}
		}
	})
	return way{path: f.path(best), cost: bestC, whole: true}
}

// straight goes in one of the eight directions, or forward, back, left, right.
func (sc *scene) straight(p *pathing, in game.Intent, limit int, odd bool) way {
	d, ok := sc.direction(in.Direction)
	if !ok {
		return way{why: "no_goal"}
	}
	want := limit
	if in.Distance != nil {
		want = max(in.Distance.Millimetres(sc.g.scaleMM), 0)
	}
	var path []game.Square
	at, gone, cost, parity := sc.at, 0, 0, odd
	for len(path) < 1000 {
		mm, ok := p.cost(at, d, parity)
		long := p.length(d, parity)
		if !ok || gone+long > want || in.Distance == nil && cost+mm > want {
			break
		}
		gone, cost = gone+long, cost+mm
		if d%2 == 1 {
			parity = !parity
		}
		at = step(at, d)
		path = append(path, at)
	}
	blocked := gone+sc.g.scaleMM <= want
	w := sc.cut(p, path, limit, odd)
	w.cost = cost
	if in.Distance != nil && want > gone {
		w.cost = max(cost, min(want, limit+1))
	}
	if blocked && in.Distance != nil {
		w.why, w.whole = "blocked", false
	}
	if blocked && in.Distance == nil && len(path) == 0 {
		w.why, w.whole = "blocked", false
	}
	return w
}

func (sc *scene) direction(s string) (resolve.Dir, bool) {
	switch s {
	case "forward", "forwards", "ahead":
		return sc.facing, true
	case "back", "backward", "backwards":
		return sc.facing.Turned(4), true
	case "left":
		return sc.facing.Turned(-2), true
	case "right":
		return sc.facing.Turned(2), true
	}
	return resolve.ParseDir(s)
}

// place is where something named is.
func (sc *scene) place(ref game.Ref, trigger game.ID) (game.Square, bool) {
	if ref.Square != nil {
		return *ref.Square, sc.g.inside(*ref.Square)
	}
	if ref.ID == game.Me || ref.ID == sc.me {
		return sc.at, true
	}
	if p := sc.pick(ref.ID, trigger); p != nil {
		return p.at, true
	}
	if f := sc.feature(ref.ID); f != nil && len(f.Squares) > 0 {
		best := f.Squares[0]
		for _, s := range f.Squares {
			if squared(s, sc.at) < squared(best, sc.at) {
				best = s
			}
		}
		return best, true
	}
	sq, ok := game.ParseSquare(string(ref.ID)) // a square written as a name
	return sq, ok && sc.g.inside(sq)
}

// goals lists the squares in which a move would be done; nil: nothing is named
// that he knows of.
func (sc *scene) goals(in game.Intent, trigger game.ID) []game.Square {
	to := in.To
	if to.IsZero() {
		to = in.Follow
	}
	switch {
	case to.IsZero():
		return nil
	case to.Square != nil:
		if !sc.g.inside(*to.Square) {
			return nil
		}
		if in.Relation == "behind" {
			return sc.behind([]game.Square{*to.Square})
		}
		if sc.taken(*to.Square) || sc.g.opaque(*to.Square) {
			return sc.around([]game.Square{*to.Square})
		}
		return []game.Square{*to.Square}
	}
	if f := sc.feature(to.ID); f != nil {
		switch in.Relation {
		case "behind":
			return sc.behind(f.Squares)
		case "onto", "into", "under", "through", "between":
			var on []game.Square
			for _, s := range f.Squares {
				if !sc.g.opaque(s) && !sc.taken(s) {
					on = append(on, s)
				}
			}
			if len(on) > 0 {
				return on
			}
		case "past":
			if far := sc.beyond(f.Squares); len(far) > 0 {
				return far
			}
		}
		return sc.around(f.Squares)
	}
	p := sc.pick(to.ID, trigger)
	if p == nil {
		return nil
	}
	if sc.shared() {
		return []game.Square{p.at}
	}
	around := sc.around([]game.Square{p.at})
	if in.Relation == "behind" {
		var rear []game.Square
		for _, s := range around {
			if arc(p.facing, p.at, s) == "rear" {
				rear = append(rear, s)
			}
		}
		if len(rear) > 0 {
			return rear
		}
	}
	return around
}

// around lists the free squares beside some squares.
func (sc *scene) around(squares []game.Square) []game.Square {
	in := map[game.Square]bool{}
	for _, s := range squares {
		in[s] = true
	}
	var out []game.Square
	for _, s := range squares {
		for d := resolve.North; d <= resolve.NorthWest; d++ {
			n := step(s, d)
			if in[n] || !sc.g.inside(n) || sc.g.opaque(n) || n != sc.at && sc.taken(n) {
				continue
			}
			in[n] = true
			out = append(out, n)
		}
	}
	return out
}

// beyond lists, of the squares beside a thing, those that have it between them
// and where he stands.
func (sc *scene) beyond(squares []game.Square) []game.Square {
	return slices.DeleteFunc(sc.around(squares), func(s game.Square) bool {
		over := false
		resolve.Cross(sc.at, s, func(c resolve.Crossing) bool {
			over = over || !c.Corner && slices.Contains(squares, c.Cell)
			return !over
		})
		return !over
	})
}

// behind lists the squares beside a thing, first those where a crouching man is
// hidden from all enemies he sees, then those in cover from them.
func (sc *scene) behind(squares []game.Square) []game.Square {
	all := sc.around(squares)
	p := &pathing{t: sc.t, g: sc.g, blocked: sc.blockedBy}
	f := p.reach(sc.at, false, 200_000, nil)
	rank := func(s game.Square) int {
		worst := 0
		for _, o := range sc.people {
			if o.relation != "enemy" || !o.seen || o.down {
				continue
			}
			r := 3
			switch {
			case !sc.g.clear(o.at, s) || sc.g.hides(o.at, s):
				r = 0
			case sc.g.cover(o.at, s) == "hard":
				r = 1
			case sc.g.cover(o.at, s) == "soft":
				r = 2
			}
			worst = max(worst, r)
		}
		return worst
	}
	type option struct {
		s          game.Square
		rank, cost int
	}
	options := make([]option, 0, len(all))
	for _, s := range all {
		if c, ok := f.cost(s); ok {
			options = append(options, option{s, rank(s), c})
		}
	}
	var out []game.Square
	for len(options) > 0 {
		best := 0
		for i, o := range options {
			if b := options[best]; o.rank < b.rank || o.rank == b.rank && o.cost < b.cost {
				best = i
			}
		}
		out = append(out, options[best].s)
		options = append(options[:best], options[best+1:]...)
	}
	return out
}
