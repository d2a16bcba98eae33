package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// ruled notes on an event which rulings have touched it since the last call; a
// line of its sum names each of them.
func (e *engine) ruled(ev *game.Event) {
	e.rulings.Note(ev, e.rulings.Take())
}

// emit stores an event.
func (e *engine) emit(ev *game.Event) {
	e.overt(ev)
	e.veil(ev)
	e.ruled(ev)
	resolve.Told(ev)
	slices.Sort(ev.Unverified)
	ev.Unverified = slices.Compact(ev.Unverified)
	e.out.Inquiries = append(e.out.Inquiries, resolve.Unprinted(ev, &e.w.Named)...)
	e.out.Events = append(e.out.Events, *ev)
}

// private makes an event one that only the actor and the GM know of.
func private(ev *game.Event, text string) {
	ev.Seen[ev.Actor] = game.Own
	ev.Text[game.All], ev.Text[game.Own] = text, text
}

// public tells an event in the same words to all who see its actor.
func (e *engine) public(ev *game.Event, f *Fighter, text string) {
	e.witnesses(ev, f, nil, false)
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = text, text, text
}

// between tells what one does to another: in full to who sees both, of one of
// them to who sees no more, and of a noise to who hears it.
func (e *engine) between(ev *game.Event, f, other *Fighter, full, onlyActor, onlyTarget, noise string) {
	e.witnesses(ev, f, other, noise != "")
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = full, full, full
	ev.Text[game.Actor], ev.Text[game.Target], ev.Text[game.Heard] = onlyActor, onlyTarget, noise
}

// witnesses grades everybody's perception of a deed with at most one target.
// What touches somebody he always notices; noise is heard by whoever is awake.
func (e *engine) witnesses(ev *game.Event, actor, target *Fighter, loud bool) {
	resolve.Witnesses(ev, e.w.Fighters, actor, target != nil, loud, func(v *Fighter) (game.ID, resolve.Onlooker) {
		if v == actor {
			return v.ID, resolve.Onlooker{}
		}
		return v.ID, resolve.Onlooker{Actor: e.sees(v, actor), Target: target == nil || v == target || e.sees(v, target), Struck: v == target, Awake: v.able()}
	})
}

// sees is perception at this instant: a clear line, unless the scenario says who
// sees somebody.
func (e *engine) sees(viewer, other *Fighter) bool {
	return e.w.sees(viewer, other, e.walls)
}

func (w *World) sees(viewer, other *Fighter, opaque walls) bool {
	switch {
	case viewer == other:
		return true
	case viewer.Status == unconscious || viewer.Status == dead:
		return false
	case other.SeenBy != nil:
		return slices.Contains(*other.SeenBy, viewer.ID)
	}
	return opaque.clear(w.square(viewer.At), w.square(other.At))
}

// hear notes a deed that an event tells of, for the conditions of the next
// segment, with those who saw it or to whom it was done.
func (e *engine) hear(kind string, ev *game.Event, object game.ID) {
	h := Happening{Kind: kind, Who: ev.Actor, Object: object, Seen: []game.ID{}}
	for _, v := range e.w.Fighters {
		if g := ev.Seen[v.ID]; v.able() && (v.ID == object || g == game.Own || g == game.Seen || g == game.Actor) {
			h.Seen = append(h.Seen, v.ID)
		}
	}
	e.heard = append(e.heard, h)
}

func changed(who game.ID, field, from, to string) game.Change {
	return game.Change{Who: who, Field: field, From: from, To: to}
}
