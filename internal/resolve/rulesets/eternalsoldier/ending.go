package eternalsoldier

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// ending watches for what ends a turn before its window is over: 2.7 no. 7 leaves
// that to the GM, who says by settings when. Only combatants of players count.
type ending struct {
	busy map[*Fighter]bool // who has something left to do
	hp   map[*Fighter]int
	able map[*Fighter]bool
}

// watch begins with a turn, behind its orders.
func (e *engine) watch() {
	e.ending = ending{map[*Fighter]bool{}, map[*Fighter]int{}, map[*Fighter]bool{}}
	for _, f := range e.w.Fighters {
		if f.Player != "" {
			e.ending.busy[f], e.ending.hp[f], e.ending.able[f] = f.busy(), f.HP, f.able()
		}
	}
}

// busy reports that somebody has steps left or something under way.
func (f *Fighter) busy() bool {
	return f.able() && (len(f.Steps) > 0 || f.Activity != nil || f.Move != nil || f.Burst != nil && f.Burst.On)
}

// ends reports that the turn ends with this segment, and tells so. Who was the
// reason the GM reads, the others only that it is so.
func (e *engine) ends() bool {
	var why *Fighter
	reason := ""
	for _, f := range e.w.Fighters {
		if f.Player == "" {
			continue
		}
		was := e.ending
		switch {
		case why != nil:
		case e.yes("stop_when_down") && was.able[f] && !f.able():
			why, reason = f, "is out of action"
		case e.yes("stop_when_wounded") && f.HP < was.hp[f]:
			why, reason = f, "is hurt"
		case e.yes("stop_when_idle") && was.busy[f] && f.able() && !f.busy():
			why, reason = f, "has nothing left to do"
		}
		e.ending.busy[f], e.ending.hp[f], e.ending.able[f] = was.busy[f] || f.busy(), f.HP, f.able()
	}
	if why == nil {
		return false
	}
	ev := resolve.NewEvent(e.unique(fmt.Sprintf("turn/s%d", e.now)), 1, e.now, "", "turn", "ended", "2.7")
	ev.Text[game.All] = fmt.Sprintf("The turn ends early, with segment %d: %s %s.", e.now, why.Name, reason)
	ev.Text[game.Seen] = fmt.Sprintf("The turn ends early, with segment %d.", e.now)
	for _, f := range e.w.Fighters {
		ev.Seen[f.ID] = game.Seen
	}
	e.emit(ev)
	return true
}
