package eternalsoldier

import (
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// moving names a movement among what the timeline shows as under way.
const moving = "move"

func (e *engine) stamp(f *Fighter, kind string, m game.Mark) {
	m.Round, m.At, m.Who, m.Kind = 1, e.now, f.ID, kind
	e.out.Timeline = append(e.out.Timeline, m)
}

// mark notes a deed on the timeline.
func (e *engine) mark(f *Fighter, kind, ref, text string) {
	e.stamp(f, kind, game.Mark{Ref: ref, Text: text})
}

// markBegin notes what takes until segment until; 0: as long as it takes.
func (e *engine) markBegin(f *Fighter, ref, what string, until int) {
	e.stamp(f, game.MarkBegin, game.Mark{Ref: ref, Text: what, Until: until})
}

// markGoing notes for his own side that something is under way.
func (e *engine) markGoing(f *Fighter) {
	if a := f.Activity; a != nil {
		e.stamp(f, game.MarkGoing, game.Mark{Text: a.Name, Until: a.DoneAt})
	}
	if f.Move != nil {
		e.stamp(f, game.MarkGoing, game.Mark{Text: moving})
	}
}

// markCut notes that something ends undone; the event with that ref tells why.
func (e *engine) markCut(f *Fighter, ref, what string) {
	on, deed := e.cause(f, ref)
	e.stamp(f, game.MarkCut, game.Mark{Ref: ref, Text: what, On: on, Deed: deed})
}

// cutActivity ends an activity undone.
func (e *engine) cutActivity(f *Fighter, ref string) {
	if f.Activity != nil {
		e.markCut(f, ref, f.Activity.Name)
		f.Activity = nil
	}
}

// cutMove ends a movement short of its goal.
func (e *engine) cutMove(f *Fighter, ref string) {
	if f.Move != nil {
		e.markCut(f, ref, moving)
		f.Move = nil
	}
}

// stopsAll ends all that somebody is at.
func (e *engine) stopsAll(f *Fighter, ref string) {
	e.cutActivity(f, ref)
	e.cutMove(f, ref)
	f.Burst = nil
}

// cause is the deed that an event which concerns somebody is or comes of, and whose:
// another's own, or in a ref who/<that deed> with .e, .a or .f behind (see the
// package comment).
func (e *engine) cause(f *Fighter, ref string) (who game.ID, deed string) {
	by, rest, _ := strings.Cut(ref, "/")
	if by == string(f.ID) {
		ref = rest
		if by, _, _ = strings.Cut(ref, "/"); by == ref {
			return "", ""
		}
		for _, suffix := range []string{".e", ".a", ".f"} {
			if i := strings.LastIndex(ref, suffix); i > 0 {
				ref = ref[:i]
				break
			}
		}
	}
	if e.w.fighter(game.ID(by)) == nil {
		return "", ""
	}
	return game.ID(by), ref
}

// breaksOff gives up what is under way, and tells it (2.3).
func (e *engine) breaksOff(f *Fighter) {
	a := f.Activity
	if a == nil {
		return
	}
	ev := e.event(e.ref(f, ".k"), f, "break_off", a.Kind, "2.3")
	e.public(ev, f, f.Name+" breaks off: "+a.Name+".")
	e.emit(ev)
	e.markCut(f, ev.Ref, a.Name)
	f.abandon(e.now)
}

// markReady notes when somebody may act next, if that has changed since it was
// noted. While an activity is under way that is not fixed.
func (e *engine) markReady(f *Fighter, s int) {
	if !f.able() || f.Surprise || f.Activity != nil || e.agile(f) < 1 {
		return
	}
	ready := e.firstReady(f, s)
	if was, noted := e.noted[f]; !noted && ready > e.now || noted && ready != was {
		e.stamp(f, game.MarkReady, game.Mark{Until: ready})
	}
	e.noted[f] = ready
}

// lastly notes how everybody stands at the end of a turn.
func (e *engine) lastly() {
	for _, f := range e.w.Fighters {
		e.noted[f] = -1
		e.markReady(f, e.w.Segment)
		e.markGoing(f)
	}
}

// markReadiness notes it of everybody.
func (e *engine) markReadiness(s int) {
	for _, f := range e.w.Fighters {
		e.markReady(f, s)
	}
}

// firstReady is the segment in which the first of somebody's weapons in hand is
// ready, as things stand before segment s (2.4); of bare hands where there is none.
func (e *engine) firstReady(f *Fighter, s int) int {
	ready := 0
	for i := range f.Weapons {
		if wp := &f.Weapons[i]; wp.inHand() {
			if a, ok := e.arm(f, wp.ID, false); ok && a.row != nil {
				if n := e.readyWith(f, a, s); ready == 0 || n < ready {
					ready = n
				}
			}
		}
	}
	if ready == 0 {
		if a, ok := e.arm(f, game.BareHands, false); ok {
			ready = e.readyWith(f, a, s)
		}
	}
	return max(ready, f.StunnedTo)
}

// underWay notes what everybody is at.
func (e *engine) underWay() {
	for _, f := range e.w.Fighters {
		e.markGoing(f)
	}
}
