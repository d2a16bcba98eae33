package eternalsoldier

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// feats are the acrobatics that are ordered by name (2.4).
var feats = []string{"somersault", "cartwheel", "flip", "handspring", "backward_handspring", "tightrope"}

// how is the way in which an order wants an action done: acrobatic, or nothing.
func how(in game.Intent, row *actionRow) string {
	if row.Acrobatic && (in.Ability == "acrobatics" || in.Mode == "acrobatic") {
		return "acrobatic"
	}
	return ""
}

// tumbles carries an order of acrobatics out: it takes its class, and the roll may
// shorten it (2.4).
func (e *engine) tumbles(f *Fighter, in game.Intent) progress {
	row := e.action(in.Kind)
	if row == nil || !slices.Contains(feats, in.Kind) {
		e.impossible(f, in, "illegal_option", fmt.Sprintf("There are no acrobatics of that kind: %s.", in.Kind))
		return passed
	}
	if f.Move != nil {
		e.halt(f, "")
	}
	e.begin(f, Activity{Kind: row.ID, Name: row.Name}, row.Class, "begins a "+row.Name, "acrobatic", row.guess())
	f.HoldFrom = e.now
	e.next(f)
	return busy
}

// leaps carries an order to jump onto or over a thing of the map, or to climb into
// a tree (2.4); handled is false for another kind of movement.
func (e *engine) leaps(f *Fighter, in game.Intent) (p progress, handled bool) {
	x := e.w.feature(in.To.ID)
	id := ""
	switch {
	case x == nil:
		return passed, false
	case in.Mode == "jump" && in.Relation == "past":
		id = "jump_over"
	case in.Mode == "jump":
		id = "jump_onto"
	case in.Mode == "climb" && x.Kind == "tree":
		id = "climb_tree"
	default:
		return passed, false
	}
	name := resolve.Definite(x.Name)
	no := func(reason, text string) (progress, bool) {
		e.impossible(f, in, reason, f.Name+" "+text+".")
		return passed, true
	}
	to, open := e.landing(f, x, id)
	switch {
	case f.lame("leg"):
		return no("broken", "cannot do that with a broken leg")
	case len(f.Held) > 0:
		return no("held", "is held and cannot get away")
	case f.Posture != "stand":
		return no("posture", "has to stand up first")
	case !e.besides(f, x):
		if f.Move == nil {
			e.closeIn(f, arms{}, nil, &to)
		}
		if f.Move == nil {
			return no("out_of_reach", "cannot get to "+name)
		}
		return waits, true
	case !open:
		return no("blocked", "has no room there: "+name)
	}
	if f.Move != nil {
		e.halt(f, "")
	}
	row := e.action(id)
	phrase := map[string]string{"jump_onto": "jumps onto ", "jump_over": "jumps over ", "climb_tree": "climbs into "}[id] + name
	e.begin(f, Activity{Kind: id, Name: row.Name + " " + name, Item: x.ID}, row.Class, phrase, how(in, row), row.guess())
	f.HoldFrom = e.now
	e.next(f)
	return busy, true
}

// landing is where a leap at a thing leads: onto its nearest square, or over it to
// the first one behind; open: there is room.
func (e *engine) landing(f *Fighter, x *game.Feature, id string) (to Point, open bool) {
	s := e.w.square(f.At)
	best := x.Squares[0]
	for _, q := range x.Squares[1:] {
		if distance(f.At, e.w.centre(q)) < distance(f.At, e.w.centre(best)) {
			best = q
		}
	}
	if id != "jump_over" {
		return e.w.centre(best), e.open(f, best)
	}
	d, ok := resolve.Toward(s, best)
	if !ok {
		return e.w.centre(best), false
	}
	dx, dy := d.Vector()
	for slices.Contains(x.Squares, best) && e.crowd.inside(best) {
		best = game.Square{X: best.X + dx, Y: best.Y + dy}
	}
	return e.w.centre(best), e.open(f, best)
}

// leapt brings somebody where his leap or climb leads; "" when there is no room any
// more.
func (e *engine) leapt(f *Fighter, a *Activity, ev *game.Event) string {
	x := e.w.feature(a.Item)
	if x == nil || !e.besides(f, x) {
		return ""
	}
	e.crowd.gather(e.w)
	to, open := e.landing(f, x, a.Kind)
	if !open {
		return ""
	}
	from := e.w.square(f.At)
	f.Facing = facingOr(to.minus(f.At), f.Facing)
	f.At, f.Up = to, ""
	ev.Changes = append(ev.Changes, changed(f.ID, "AT", from.String(), e.w.square(to).String()))
	name := resolve.Definite(x.Name)
	switch a.Kind {
	case "jump_over":
		return fmt.Sprintf("%s is over %s.", f.Name, name)
	case "climb_tree":
		f.Up = x.ID
		return fmt.Sprintf("%s is up in %s.", f.Name, name)
	}
	f.Up = x.ID
	return fmt.Sprintf("%s is on %s.", f.Name, name)
}

func facingOr(to, old Point) Point {
	if to == (Point{}) {
		return old
	}
	return to
}

// climbsDown gets somebody off what he stands on, out of a tree or off a mount.
func (e *engine) climbsDown(f *Fighter, in game.Intent) progress {
	x := e.w.feature(f.Up)
	id, off := "dismount", "gets off"
	switch {
	case f.Up == "":
		e.impossible(f, in, "illegal_option", f.Name+" stands on the ground.")
		return passed
	case x != nil && x.Kind == "tree":
		id, off = "leave_tree", "climbs down from"
	case x != nil:
		f.Up = "" // a step down is free
		return passed
	}
	row := e.action(id)
	e.begin(f, Activity{Kind: id, Name: row.Name, Item: f.Up}, row.Class, off+" "+e.w.upName(f), how(in, row), row.guess())
	f.HoldFrom = e.now
	e.next(f)
	return busy
}

// upName is what somebody stands on or rides, with its article; "" for nothing.
func (w *World) upName(f *Fighter) string {
	if o := w.fighter(f.Up); o != nil {
		return o.Name
	}
	if x := w.feature(f.Up); x != nil {
		return resolve.Definite(x.Name)
	}
	return ""
}

// gotDown puts somebody onto the ground beside a tree or a mount.
func (e *engine) gotDown(f *Fighter) string {
	name := e.w.upName(f)
	e.setDown(f)
	return fmt.Sprintf("%s is down from %s.", f.Name, name)
}

// setDown puts somebody into a free square beside what he was on, or leaves him
// where he is when there is none.
func (e *engine) setDown(f *Fighter) {
	f.Up = ""
	e.crowd.gather(e.w)
	s := e.w.square(f.At)
	for d := resolve.North; d <= resolve.NorthWest; d++ {
		x, y := d.Vector()
		next := game.Square{X: s.X + x, Y: s.Y + y}
		if e.open(f, next) && e.walls.clear(s, next) {
			f.At = e.w.centre(next)
			return
		}
	}
}

// tumblesDown is somebody who falls from what he stood on or rode; how far, and
// what it does to him, the GM says (7.8).
func (e *engine) tumblesDown(f *Fighter, ev *game.Event) {
	if f.Up == "" {
		return
	}
	name := e.w.upName(f)
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "fall", Default: "the fall does no harm", Answer: string(f.ID) + " FALL 10",
		Text: fmt.Sprintf("%s falls from %s. How many feet?", f.Name, name),
	})
	ev.Changes = append(ev.Changes, changed(f.ID, "UP", string(f.Up), ""))
	e.setDown(f)
}
