package eternalsoldier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// wakes is the awareness roll of who is surprised, from the first overt act on
// (2.6). What he notices he may answer from the next segment on.
func (e *engine) wakes(f *Fighter) {
	if !f.Surprise || !f.able() || !e.alarmed(f) {
		return
	}
	ev := e.event(e.ref(f, ".a"), f, "surprise", "", "2.6")
	ok := false
	if e.word("surprise") == "d6" {
		if f.SurprisedTo <= e.now {
			f.SurprisedTo = e.now + e.secret(ev, "surprise", f.ID, e.when(), 6)
		}
		ok = e.now+1 >= f.SurprisedTo
	} else {
		ok = e.notices(ev, f, e.when())
	}
	if w, ruled := e.rulings.EventWord(ev.Ref, "notices", "unaware"); ruled {
		ok = w == "notices"
	}
	if ev.Outcome = "unaware"; !ok {
		ev.Text[game.All] = f.Name + " has not noticed anything yet."
		e.emit(ev)
		return
	}
	e.alerts(f, ev)
}

// alerts ends somebody's surprise: from the next segment on he may act and answer,
// and his readiness counts from this one (2.6).
func (e *engine) alerts(f *Fighter, ev *game.Event) {
	ev.Outcome = "notices"
	f.Surprise, f.SurprisedTo = false, 0
	f.acted(max(e.now, f.LastAction))
	f.StunnedTo = max(f.StunnedTo, e.now+1)
	private(ev, f.Name+" notices what is going on.")
	e.emit(ev)
}

// alarmed: the first overt act has been done, or somebody whom the surprised one
// could see or hear begins it in this segment.
func (e *engine) alarmed(f *Fighter) bool {
	return e.w.Overt || slices.ContainsFunc(e.w.Fighters, func(o *Fighter) bool {
		return o != f && !o.Surprise && o.able() && o.Side != f.Side && e.sees(f, o) && e.acts(o)
	})
}

// acts reports that somebody does something in this segment, and does not wait.
func (e *engine) acts(f *Fighter) bool {
	if len(f.Steps) == 0 {
		return f.Policy == "aggressive" || f.Policy == "flee"
	}
	switch in := f.Steps[0]; in.Verb {
	case "wait":
		return false
	case "hold":
		return e.hold(f, in) == passed && len(f.Steps) > 1
	}
	return true
}

// overt notes the first act that somebody of another side could notice: an attack,
// something begun, movement or speech. Only then do the surprised roll (2.6).
func (e *engine) overt(ev *game.Event) {
	if e.w.Overt || !ev.Attack && !slices.Contains([]string{"begin", "move", "speech", "special"}, ev.Kind) {
		return
	}
	actor := e.w.fighter(ev.Actor)
	e.w.Overt = actor != nil && slices.ContainsFunc(e.w.Fighters, func(v *Fighter) bool {
		_, noticed := ev.Seen[v.ID]
		return noticed && v.Side != actor.Side
	})
}

// startled ends the surprise of who has been wounded, where the setting says so.
func (e *engine) startled(f *Fighter, t *tally) {
	if f.Surprise && t.damage > 0 && f.able() && e.yes("surprise_ends_when_hit") {
		ev := e.event(e.ref(f, ".a"), f, "surprise", "", "2.6")
		ev.Lines = append(ev.Lines, game.Line{Label: "Hit points lost", Value: fmt.Sprint(t.damage)})
		e.alerts(f, ev)
	}
}

// looks is an order to look or to listen (1.3, 11): it takes its class, and when it
// is done an awareness roll tells what he has not perceived before.
func (e *engine) looks(f *Fighter, in game.Intent) progress {
	toward, ok := e.toward(f, in)
	if ok && in.Mode != "listen" && degrees(f.Facing, toward) >= 90 {
		return e.face(f, in) // first he turns
	}
	row := e.action("look")
	a := Activity{Kind: row.ID, Name: row.Name}
	phrase := "looks around"
	if ok {
		a.Toward, phrase = &toward, "looks out"
	}
	if in.Mode == "listen" {
		a.Kind, a.Name, phrase = "listen", "listen", "listens"
	}
	e.begin(f, a, row.Class, phrase, "", row.guess())
	e.next(f)
	return busy
}

// spots finds who is hidden and in the way of somebody's eyes: all that he could see
// and does not, with one roll for all of them (1.3, A55). They stay seen.
func (e *engine) spots(f *Fighter, a *Activity, ev *game.Event) string {
	facing := f.Facing
	if a.Toward != nil {
		facing = *a.Toward
		f.Facing = facing
	}
	var hidden []*Fighter
	for _, o := range e.w.Fighters {
		if o != f && o.Status != dead && o.SeenBy != nil && !slices.Contains(*o.SeenBy, f.ID) &&
			e.walls.clear(e.w.square(f.At), e.w.square(o.At)) && degrees(facing, o.At.minus(f.At)) <= e.Arc.Behind {
			hidden = append(hidden, o)
		}
	}
	// The roll is made in any case, so that its being made tells nothing.
	if !e.notices(ev, f, e.when()) || len(hidden) == 0 {
		return f.Name + " sees nothing new."
	}
	var names []string
	for _, o := range hidden {
		seen := append(slices.Clone(*o.SeenBy), f.ID)
		o.SeenBy = &seen
		names = append(names, o.Name)
	}
	ev.Outcome = "notices"
	return fmt.Sprintf("%s sees %s.", f.Name, strings.Join(names, " and "))
}

// hears tells from where something is to be heard of those who are out of sight:
// whoever did something in the segment before (1.3, 11).
func (e *engine) hears(f *Fighter, ev *game.Event) string {
	ok := e.notices(ev, f, e.when())
	var from []string
	for _, h := range e.w.Heard {
		o := e.w.fighter(h.Who)
		if o == nil || o == f || e.sees(f, o) || o.At == f.At {
			continue
		}
		if d, known := resolve.Toward(e.w.square(f.At), e.w.square(o.At)); known && !slices.Contains(from, d.String()) {
			from = append(from, d.String())
		}
	}
	if !ok || len(from) == 0 {
		return f.Name + " hears nothing new."
	}
	slices.Sort(from)
	ev.Outcome = "notices"
	return fmt.Sprintf("%s hears somebody: %s.", f.Name, strings.Join(from, ", "))
}
