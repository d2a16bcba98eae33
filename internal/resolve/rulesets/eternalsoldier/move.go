package eternalsoldier

import (
	"fmt"
	"reflect"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// move carries a step of movement on (6); it is done when it has arrived, which
// moves tells.
func (e *engine) move(f *Fighter, in game.Intent) progress {
	if in.StopWhen != nil && e.holds(f, *in.StopWhen) {
		if f.Move != nil {
			e.halt(f, "")
		}
		return passed
	}
	if f.Move != nil && sameIntent(f.Move.Intent, in) {
		return waits // under way
	}
	if m := e.w.ridden(f); m != nil {
		return e.rides(f, m, in)
	}
	if p, handled := e.leaps(f, in); handled {
		return p
	}
	if x := e.w.feature(f.Up); x != nil {
		if x.Kind == "tree" {
			f.Steps = append([]game.Intent{{Verb: "climb_down"}}, f.Steps...)
			return e.climbsDown(f, f.Steps[0])
		}
		f.Up = ""
	}
	pace := e.pace(in.Mode)
	if pace == 0 {
		e.impossible(f, in, "not_built", fmt.Sprintf("%s cannot move like that: %s.", f.Name, in.Mode))
		return passed
	}
	if f.Posture == "prone" {
		pace = min(pace, e.Pace.Crawl)
	}
	if f.lame("leg") {
		pace = min(pace, e.Pace.Quarter)
	}
	if len(f.Held) > 0 {
		e.impossible(f, in, "held", f.Name+" is held and cannot move away.")
		return passed
	}
	m := Movement{Pace: pace, Intent: in, Posture: in.EndPosture}
	if !e.destination(f, in, &m) {
		e.impossible(f, in, "path", f.Name+" does not know where to go.")
		return passed
	}
	if m.To == f.At && m.Toward == "" {
		return passed
	}
	e.setOut(f, m)
	return waits
}

// sameIntent compares two orders without their places in letters.
func sameIntent(a, b game.Intent) bool {
	a.At, b.At = game.Span{}, game.Span{}
	return reflect.DeepEqual(a, b)
}

// destination finds where an order of movement leads.
func (e *engine) destination(f *Fighter, in game.Intent, m *Movement) bool {
	length := 0
	if in.Distance != nil {
		length = lengthOf(*in.Distance, e.w.Side)
	}
	switch {
	case !in.AwayFrom.IsZero():
		p, _, ok := e.placeOf(f, in.AwayFrom)
		if !ok {
			return false
		}
		if length == 0 {
			length = e.full(f) * foot * 20
		}
		m.To = e.inside(away(f.At, p, length))
	case in.Direction != "":
		d, ok := resolve.ParseDir(in.Direction)
		if !ok {
			return false
		}
		if length == 0 {
			length = e.w.Side * max(e.w.Width, e.w.Height)
		}
		m.To = e.inside(f.At.moved(d, length))
	default:
		to := in.To
		if to.IsZero() {
			to = in.Follow
		}
		p, o, ok := e.placeOf(f, to)
		if !ok {
			return false
		}
		m.To = p
		if o != nil {
			m.Toward, m.Reach = o.ID, e.reach("medium")*foot
		}
		if length > 0 && length < distance(f.At, p) {
			m.To, m.Toward = along(f.At, p, length, distance(f.At, p)), ""
		}
	}
	return true
}

// away is a point so far from p as seen from at.
func away(at, p Point, length int) Point {
	d := at.minus(p)
	n := d.length()
	if n == 0 {
		return Point{at.X, at.Y - length}
	}
	return Point{at.X + d.X*length/n, at.Y + d.Y*length/n}
}

// inside keeps a point on the map.
func (e *engine) inside(p Point) Point {
	side := e.w.Side
	return Point{min(max(p.X, side/2), e.w.Width*side-side/2), min(max(p.Y, side/2), e.w.Height*side-side/2)}
}

// placeOf is where what an order names is, as far as somebody knows.
func (e *engine) placeOf(f *Fighter, ref game.Ref) (Point, *Fighter, bool) {
	if ref.Square != nil {
		return e.w.centre(*ref.Square), nil, true
	}
	if ref.ID == "" {
		return Point{}, nil, false
	}
	for _, x := range e.w.Features {
		if x.ID == ref.ID && len(x.Squares) > 0 {
			return e.nearestOf(f, x), nil, true
		}
	}
	if wp := f.weapon(ref.ID); wp != nil && wp.Place != nil {
		return *wp.Place, nil, true
	}
	for _, o := range e.w.Fighters {
		if o != f && o.ID == ref.ID && e.knows(f, o) {
			return o.At, o, true
		}
	}
	if o := e.whom(f, ref.ID); o != nil {
		return o.At, o, true
	}
	return Point{}, nil, false
}

// nearestOf is the middle of the square of a feature that is nearest; of one that
// cannot be entered the square before it.
func (e *engine) nearestOf(f *Fighter, x game.Feature) Point {
	best := e.w.centre(x.Squares[0])
	for _, s := range x.Squares[1:] {
		if c := e.w.centre(s); distance(f.At, c) < distance(f.At, best) {
			best = c
		}
	}
	if !e.walls.at(e.w.square(best)) {
		return best
	}
	d := distance(f.At, best)
	return along(f.At, best, max(0, d-e.w.Side), d)
}

// setOut begins a movement; the first segment of one is half as far (6).
func (e *engine) setOut(f *Fighter, m Movement) {
	if f.Move == nil {
		if x, ok := e.cancelled(e.peek(f, ".m")); ok {
			e.cancels(f, e.event(e.ref(f, ".m"), f, "move", "", "6"), x, "set out")
			e.off[f] = true
			return
		}
		if v, ok := e.rulings.EventNumber(e.peek(f, ".m"), "feet"); ok {
			m.Rate = &v
		}
		e.letAllGo(f)
	}
	m.Begun, m.From = e.now, f.At
	if f.Move != nil && f.Move.Pace == m.Pace {
		m.Begun, m.Counted = f.Move.Begun, f.Move.Counted // it goes on, only elsewhere
		m.From, m.Feet = f.Move.From, f.Move.Feet
	}
	first := f.Move == nil || e.sprints(f, &m) && !e.sprints(f, f.Move)
	if !first {
		m.Doubled = f.Move.Doubled && m.Pace == f.Move.Pace
	}
	m.Rolling = !e.yes("halving_after_stop") && f.Moved
	f.Move = &m
	if !first {
		return
	}
	ev := e.event(e.ref(f, ".m"), f, "move", "begun", "6")
	e.exerts(f, ev)
	rate := e.full(f) * m.Pace / 100
	if f.Move.Doubled {
		rate *= 2
	}
	if m.Rate != nil {
		rate = *m.Rate
	}
	ev.Numbers["feet_a_segment"] = rate
	ev.Lines = append(ev.Lines, game.Line{Label: "Feet a segment", Value: fmt.Sprint(rate)})
	ev.Unverified = append(ev.Unverified, "full speed in feet a segment")
	e.public(ev, f, fmt.Sprintf("%s %s.", f.Name, e.gait(m.Pace, f)))
	e.emit(ev)
	e.markBegin(f, ev.Ref, moving, 0)
	e.hear("move", ev, m.Toward)
}

// sprints reports a run in powered armor of the improved kind.
func (e *engine) sprints(f *Fighter, m *Movement) bool {
	return e.wornBy(f).powered == "improved" && m.Pace > e.Pace.Walk && f.Posture != "prone"
}

// exerts doubles such a run on a Powered Armor roll (6, 8.1).
func (e *engine) exerts(f *Fighter, ev *game.Event) {
	if !e.sprints(f, f.Move) {
		return
	}
	p := e.percent(f, "powered_armor")
	roll := e.roll(ev, "powered", f.ID, e.when(), 100)
	f.Move.Doubled = e.succeeds(p, roll)
	ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("%s %d, D100 %d", e.skill("powered_armor").Name, p, roll), Value: map[bool]string{true: "twice as fast", false: "no faster"}[f.Move.Doubled]})
}

func (e *engine) gait(pace int, f *Fighter) string {
	switch {
	case f.Posture == "prone":
		return "crawls off"
	case pace > e.Pace.Walk:
		return "sets off at a run"
	}
	return "sets off at a walk"
}

// closeIn walks up to whom an order wants struck, or to the thing that stands at a
// place.
func (e *engine) closeIn(f *Fighter, a arms, target *Fighter, at *Point) progress {
	if on := e.w.ridden(f); on != nil {
		e.closeRiding(f, on, target, at, e.reachOf(a)*foot)
		return waits
	}
	if f.Move == nil && len(f.Held) == 0 {
		m := Movement{Pace: e.Pace.Walk, Reach: e.reachOf(a) * foot, Intent: game.Intent{Verb: "melee"}}
		if target != nil {
			m.To, m.Toward = target.At, target.ID
		} else {
			d := distance(f.At, *at)
			m.To = along(f.At, *at, max(0, d-e.w.Side), d)
		}
		// Who is hemmed in waits for a gap.
		if way := e.way(f, &m, foot); len(way) > 1 || e.open(f, e.w.square(along(f.At, way[0], e.w.Side, distance(f.At, way[0])))) {
			e.setOut(f, m)
		}
	}
	return waits
}

// moves is step 4: everybody at once, by id where two want one place (2.5).
func (e *engine) moves() {
	e.standing()
	for _, f := range e.w.Fighters {
		if m := f.Move; m != nil && f.able() {
			way := *m
			e.stride(f, m)
			e.carried(f, way)
		}
	}
}

// standing notes where everybody is before the movement of the segment.
func (e *engine) standing() {
	e.was = map[*Fighter]Point{}
	for _, f := range e.w.Fighters {
		e.was[f] = f.At
	}
}

// stride is one segment of movement.
func (e *engine) stride(f *Fighter, m *Movement) {
	if o := e.w.fighter(m.Toward); o != nil && e.knows(f, o) {
		m.To = e.was[o]
	}
	if e.yes("fast_move_stops_preparation") && m.Pace > e.Pace.Walk {
		if f.Activity == nil {
			f.Delay++
		}
		m.Counted = e.now
	}
	f.HoldFrom = e.now
	left := e.feet(f, m) * foot
	way := e.way(f, m, left)
	for _, p := range way {
		if left = e.walk(f, m, p, left); left <= 0 || e.there(f, m) {
			break
		}
	}
	switch moved := f.At != e.was[f]; {
	case e.there(f, m) && m.Intent.Verb == "move" && m.Intent.Follow.IsZero():
		e.halt(f, "")
		e.arrive(f)
	case !moved && !e.there(f, m) && e.feet(f, m) > 0:
		feet := e.feet(f, m)
		ref := e.halt(f, "blocked")
		e.arrive(f)
		e.crashes(f, feet, ref)
	}
}

// there reports that a movement has come where it leads.
func (e *engine) there(f *Fighter, m *Movement) bool {
	return f.At == m.To || m.Toward != "" && e.w.touches(f.At, m.To, m.Reach/foot)
}

// walk goes straight towards a point, as far as so much of the way is left and
// nothing stands there; it gives what is left.
func (e *engine) walk(f *Fighter, m *Movement, to Point, left int) int {
	from := f.At
	all := distance(from, to)
	want, at := min(left, all), from
	for n := min(foot, want); n > 0; n = min(n+foot, want) {
		p := along(from, to, n, all)
		if !e.open(f, e.w.square(p)) {
			want = 0
			left = 0
			break
		}
		if at = p; n == want || m.Toward != "" && e.w.touches(p, m.To, m.Reach/foot) {
			break
		}
	}
	if at != from {
		e.crowd.put(e.w.square(from), nil)
		f.Facing = at.minus(from)
		m.Feet += (distance(from, at) + foot/2) / foot
		f.At = at
		e.crowd.put(e.w.square(at), f)
	}
	return left - distance(from, at)
}

// arrive takes a movement that is over off the plan.
func (e *engine) arrive(f *Fighter) {
	if len(f.Steps) == 0 || f.Steps[0].Verb != "move" {
		return
	}
	in := f.Steps[0]
	e.next(f)
	if in.EndPosture != "" && in.EndPosture != f.Posture {
		f.Steps = append([]game.Intent{{Verb: "posture", Posture: in.EndPosture}}, f.Steps...)
	}
}

// feet is how far somebody comes in this segment (6).
func (e *engine) feet(f *Fighter, m *Movement) int {
	hundredths := e.full(f) * m.Pace
	if m.Doubled {
		hundredths *= 2
	}
	if m.Rate != nil {
		hundredths = *m.Rate * 100
	}
	if e.now == m.Begun && !m.Rolling {
		if e.word("first_segment") == "cap" {
			hundredths = min(hundredths, e.full(f)*50)
		} else {
			hundredths /= 2
		}
	}
	return hundredths / 100
}

// halt ends a movement and tells how far it went; it gives the ref of its event.
func (e *engine) halt(f *Fighter, reason string) (ref string) {
	m := f.Move
	f.Move = nil
	f.Moved = true
	ev := e.event(e.ref(f, ".n"), f, "move", "done", "6")
	ev.Reason = reason
	ev.Numbers["feet"] = m.Feet
	from, to := e.w.square(m.From), e.w.square(f.At)
	if from != to {
		ev.Changes = append(ev.Changes, changed(f.ID, "AT", from.String(), to.String()))
	}
	text := fmt.Sprintf("%s has moved %s to %s.", f.Name, plurals(m.Feet, "foot", "feet"), to)
	if reason == "blocked" {
		text = fmt.Sprintf("%s can go no further than %s.", f.Name, to)
	}
	e.public(ev, f, text)
	e.emit(ev)
	e.mark(f, game.MarkEnd, ev.Ref, moving)
	return ev.Ref
}

func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// swing is by how many degrees the aim has to follow in this segment (6 step 7).
func (e *engine) swing(f, t *Fighter) int {
	return degrees(e.was[t].minus(e.was[f]), t.At.minus(f.At))
}
