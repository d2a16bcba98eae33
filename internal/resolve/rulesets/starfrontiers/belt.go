package starfrontiers

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Words of an order by which the belt of a screen is put on or taken off.
var donning = []struct {
	word  string
	state string // of the screen when it is done
}{
	{"off", "carried"}, {"unstrap", "carried"}, {"unbuckle", "carried"}, {"remove", "carried"},
	{"put", "off"}, {"don", "off"}, {"wear", "off"}, {"strap", "off"}, {"buckle", "off"},
}

// belt is the row of a screen that an order puts on or takes off, and the state
// in which it is to be; nil: it means nothing of the kind.
func (t *tables) belt(it *Item, in game.Intent) (*defenceRow, string) {
	if it == nil {
		return nil, ""
	}
	row := t.defence(it.Kind, it.Name)
	if row == nil || row.Don == 0 || in.Verb != "use" {
		return nil, ""
	}
	if in.State == "off" || in.State == "carried" {
		return row, in.State
	}
	words := resolve.Words(in.Action)
	for _, d := range donning {
		if slices.Contains(words, d.word) {
			return row, d.state
		}
	}
	return nil, ""
}

// wear checks putting on or taking off the belt of a screen (14.1, 17.5).
func (c *checker) wear(in game.Intent, it *Item, row *defenceRow, state string) []game.Intent {
	if why := it.unwearable(state); why != "" {
		c.add(game.Wrong, "illegal_option", "The "+it.Name+" "+why+".", "leave it out")
		return nil
	}
	c.add(game.Noted, "use", fmt.Sprintf("That takes %d turns without a step; order it again in each of them.", row.Don), "")
	in.State = state
	return []game.Intent{in}
}

// unwearable says why a screen cannot be put on or taken off; empty: it can.
func (it *Item) unwearable(state string) string {
	worn := it.State != "carried"
	switch {
	case it.Count < 1:
		return "is not there"
	case it.State == "broken":
		return "is broken"
	case state == "off" && worn:
		return "is worn already"
	case state == "carried" && !worn:
		return "is not worn"
	}
	return ""
}

// wear is one round of putting on or taking off the belt of a screen. It works
// until it is off, and never before it is on.
func (e *engine) wear(s *state, it *Item, row *defenceRow, state, ref string) {
	f := s.f
	ev := e.event(ref, f, "use", "done")
	ev.Rule = "14.1"
	if why := it.unwearable(state); why != "" {
		e.fail(s, ev, "not_there", fmt.Sprintf("%s cannot do that: the %s %s.", f.Name, it.Name, why))
		return
	}
	e.witnesses(ev, f, nil, false)
	kind, deed := game.ID("put_on"), "puts on"
	if state == "carried" {
		kind, deed = "take_off", "takes off"
	}
	done := e.progress(s, kind, it.ID)
	ev.Numbers["done"], ev.Numbers["of"] = done, row.Don
	if done < row.Don {
		e.tell(ev, fmt.Sprintf("%s %s the %s (%d of %d turns).", f.Name, deed, it.Name, done, row.Don))
		return
	}
	f.Task = nil
	ev.Changes = append(ev.Changes, changed(f.ID, "SCREEN", it.Name+" "+it.State, it.Name+" "+state))
	it.State = state
	e.tell(ev, fmt.Sprintf("%s %s the %s.", f.Name, deed, it.Name))
}
