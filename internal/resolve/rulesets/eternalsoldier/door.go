package eternalsoldier

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// besides reports that somebody stands at a thing of the map.
func (e *engine) besides(f *Fighter, x *game.Feature) bool {
	return slices.ContainsFunc(x.Squares, func(s game.Square) bool { return e.w.touches(f.At, e.w.centre(s), e.reach("short")) })
}

// operates begins the use of a thing of the map (2.4). A door is opened or closed;
// of all else the GM says what comes of it.
func (e *engine) operates(f *Fighter, in game.Intent, x *game.Feature) progress {
	name := resolve.Definite(x.Name)
	to := ""
	if x.Kind == "door" {
		to = resolve.DoorDeed(in.Action)
	}
	switch {
	case !e.besides(f, x):
		e.impossible(f, in, "out_of_reach", fmt.Sprintf("%s is too far from %s.", f.Name, name))
		return passed
	case to != "" && x.State == to:
		e.impossible(f, in, "done_already", fmt.Sprintf("%s finds %s %s already.", f.Name, name, to))
		return passed
	}
	row := e.action("use")
	a := Activity{Kind: row.ID, Name: "use " + name, Item: x.ID}
	phrase := "busies himself with " + name
	switch {
	case to == "open":
		a.Name, a.State, phrase = "open "+name, to, "opens "+name
	case to == "closed":
		a.Name, a.State, phrase = "close "+name, to, "closes "+name
	case in.Action != "":
		a.Name = in.Action
	}
	ref := e.begin(f, a, row.Class, phrase, "", row.guess())
	if to == "" {
		e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
			Ref: ref, Kind: "free_text", Text: fmt.Sprintf("%s wants to %s. What comes of it?", f.Name, a.Name),
			Default: "nothing came of it", Answer: "NOTE …",
		})
	}
	e.next(f)
	return busy
}

// swings opens or closes a door when the time for it is over; "" when it is gone.
func (e *engine) swings(f *Fighter, a *Activity, ev *game.Event) string {
	x := e.w.feature(a.Item)
	if x == nil {
		return ""
	}
	name := resolve.Definite(x.Name)
	fails := func(reason, text string) string {
		ev.Outcome, ev.Reason = "impossible", reason
		return fmt.Sprintf("%s cannot: %s %s.", f.Name, name, text)
	}
	switch {
	case !e.besides(f, x):
		return fails("out_of_reach", "is too far away by now")
	case x.State != "" && x.State != "open" && x.State != "closed":
		return fails("locked", "is "+x.State)
	case a.State == "closed" && slices.ContainsFunc(e.w.Fighters, func(o *Fighter) bool {
		return o.Status != dead && slices.Contains(x.Squares, e.w.square(o.At))
	}):
		return fails("blocked", "has somebody in it")
	}
	ev.Changes = append(ev.Changes, changed(x.ID, "STATE", x.State, a.State))
	x.State, x.Opaque = a.State, a.State == "closed"
	e.walls = e.w.walls()
	return fmt.Sprintf("%s has %s %s.", f.Name, map[string]string{"open": "opened", "closed": "closed"}[a.State], name)
}
