package eternalsoldier

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// mountable is the state of a mount or a vehicle in the eyes of others.
const mountable = "can_be_ridden"

// ridden is the mount or the vehicle that somebody is on; nil when he is on foot.
func (w *World) ridden(f *Fighter) *Fighter {
	if f.Up == "" {
		return nil
	}
	return w.fighter(f.Up)
}

// riders are all who are on a mount or in a vehicle, by id.
func (w *World) riders(m *Fighter) []*Fighter {
	var out []*Fighter
	if m.Seats == 0 {
		return nil
	}
	for _, f := range w.Fighters {
		if f.Up == m.ID {
			out = append(out, f)
		}
	}
	return out
}

// together: one carries the other, or they ride on the same.
func (w *World) together(f, o *Fighter) bool {
	m := w.ridden(f)
	return m != nil && (m == o || w.ridden(o) == m)
}

// mounts begins to get onto a mount or into a vehicle in reach (11).
func (e *engine) mounts(f *Fighter, in game.Intent) progress {
	m := e.w.fighter(in.Target.ID)
	no := func(reason, text string) progress {
		e.impossible(f, in, reason, f.Name+" "+text+".")
		return passed
	}
	switch {
	case m == nil || m == f || !e.knows(f, m):
		return no("no_target", "sees nothing to mount")
	case m.Seats == 0:
		return no("illegal_option", "cannot ride on "+m.Name)
	case e.w.relation(f, m) == "enemy":
		return no("illegal_option", "is not let onto "+m.Name)
	case f.Up == m.ID:
		return passed
	case len(e.w.riders(m)) >= m.Seats:
		return no("blocked", "finds no room on "+m.Name)
	case m.Move != nil:
		return no("moving", "cannot get onto "+m.Name+" in motion")
	case f.lame("leg"):
		return no("broken", "cannot do that with a broken leg")
	case len(f.Held) > 0:
		return no("held", "is held and cannot get away")
	}
	if !e.w.touches(f.At, m.At, e.reach("short")) {
		return e.closeIn(f, arms{}, m, nil)
	}
	if f.Move != nil {
		e.halt(f, "")
	}
	row := e.action("mount")
	e.begin(f, Activity{Kind: row.ID, Name: "mount " + m.Name, On: m.ID}, row.Class, "gets onto "+m.Name, how(in, row), row.guess())
	f.HoldFrom = e.now
	e.next(f)
	return busy
}

// mounted puts somebody onto his mount when the time is over; "" when it is gone or full.
func (e *engine) mounted(f *Fighter, a *Activity, ev *game.Event) string {
	m := e.w.fighter(a.On)
	if m == nil || !m.able() || !e.w.touches(f.At, m.At, e.reach("short")) || len(e.w.riders(m)) >= m.Seats {
		return ""
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "UP", string(f.Up), string(m.ID)))
	f.Up, f.At, f.Posture = m.ID, m.At, "stand"
	return fmt.Sprintf("%s is on %s.", f.Name, m.Name)
}

// rides lets a mount or a vehicle go where its rider orders, at its own speed. The
// step is done when it has come there, which moves tells.
func (e *engine) rides(f, m *Fighter, in game.Intent) progress {
	switch {
	case m.Move != nil && sameIntent(m.Move.Intent, in):
		return waits
	case !m.able():
		e.impossible(f, in, "blocked", fmt.Sprintf("%s does not carry %s any further.", m.Name, f.Name))
		return passed
	}
	pace := e.pace(in.Mode)
	if pace == 0 {
		e.impossible(f, in, "illegal_option", fmt.Sprintf("%s cannot move like that: %s.", m.Name, in.Mode))
		return passed
	}
	way := Movement{Pace: pace, Intent: in}
	if !e.destination(m, in, &way) {
		e.impossible(f, in, "path", f.Name+" does not know where to go.")
		return passed
	}
	if way.To == m.At && way.Toward == "" {
		return passed
	}
	m.Steered = f.ID
	e.setOut(m, way)
	return waits
}

// carried takes the riders along. For him who steers it is his own movement (6): he
// loses what he has waited, and above half speed preparation; and he is told that
// they are there.
func (e *engine) carried(m *Fighter, way Movement) {
	for _, f := range e.w.riders(m) {
		f.At = m.At
		if m.Steered != f.ID {
			continue
		}
		f.HoldFrom = e.now
		if way.Pace > e.Pace.Walk && e.yes("fast_move_stops_preparation") && f.Activity == nil {
			f.Delay++
		}
		if m.Move == nil && len(f.Steps) > 0 && f.Steps[0].Verb == "move" && sameIntent(way.Intent, f.Steps[0]) {
			e.arrive(f)
		}
	}
}

// races reports that somebody moves above half speed, by himself or on what he
// steers (6).
func (e *engine) races(f *Fighter) bool {
	f = e.mover(f)
	return f.Move != nil && f.Move.Pace > e.Pace.Walk
}

// mph is a speed in miles an hour of so many feet a segment, which is half a second.
func mph(feet int) int { return feet * 15 / 11 }

// crashes asks the GM what becomes of a mount or a vehicle, and of those on it, that
// is stopped by something at speed (7.8).
func (e *engine) crashes(m *Fighter, feet int, ref string) {
	speed := mph(feet)
	if m.Seats == 0 || e.collisionDice(speed) < 1 {
		return
	}
	names := m.Name
	for _, f := range e.w.riders(m) {
		names += ", " + f.Name
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ref, Kind: "fall", Default: "it stops in time", Answer: fmt.Sprintf("%s COLLIDE %d", m.ID, speed),
		Text: fmt.Sprintf("Something is in the way of %s at %d miles an hour (%d dice each). Do they run into it?", names, speed, e.collisionDice(speed)),
	})
}

// unhorses lets all fall off whose mount falls.
func (e *engine) unhorses(m *Fighter, ev *game.Event) {
	for _, f := range e.w.riders(m) {
		e.falls(f, ev)
	}
}

// closeRiding lets the mount of somebody carry him up to what an order wants struck.
func (e *engine) closeRiding(f, m *Fighter, target *Fighter, at *Point, reach int) {
	if m.Move != nil || !m.able() {
		return
	}
	way := Movement{Pace: e.Pace.Walk, Reach: reach, Intent: game.Intent{Verb: "melee"}}
	if target != nil {
		way.To, way.Toward = target.At, target.ID
	} else {
		d := distance(m.At, *at)
		way.To = along(m.At, *at, max(0, d-e.w.Side), d)
	}
	m.Steered = f.ID
	e.setOut(m, way)
}

// mover is whose movement somebody orders: his own, or that of what he steers.
func (e *engine) mover(f *Fighter) *Fighter {
	if m := e.w.ridden(f); m != nil && m.Steered == f.ID {
		return m
	}
	return f
}

// readRides checks who rides whom in a game file.
func (b *builder) readRides(w *World) {
	for _, f := range w.Fighters {
		if f.Up == "" || slices.ContainsFunc(w.Features, func(x game.Feature) bool { return x.ID == f.Up }) {
			continue
		}
		m := w.fighter(f.Up)
		key := "combatant[" + string(f.ID) + "].up"
		switch {
		case m == nil:
			b.fault(0, key, "there is no combatant and no feature %q", f.Up)
		case m == f || m.Seats == 0 || m.Up != "":
			b.fault(0, key, "nobody can ride on %s: give it seats", m.Name)
		case len(w.riders(m)) > m.Seats:
			b.fault(0, key, "%s has no room for so many", m.Name)
		default:
			f.At = m.At
		}
	}
}
