package starfrontiers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// ragesBy reports that a free order is a try at battle rage.
func (f *Fighter) ragesBy(in game.Intent) bool {
	return in.Verb == "special" && f.Rage > 0 && (in.Kind == "battle_rage" || strings.Contains(strings.ToLower(in.Text), "battle rage"))
}

// rage is the try at battle rage (1.2): free, once a battle, in its first round.
func (e *engine) rage(s *state, ref string) {
	f := s.f
	ev := e.event(ref, f, "rage", "miss")
	ev.Rule = "1.2"
	if f.RageTried {
		e.fail(s, ev, "only_once", fmt.Sprintf("%s has tried for battle rage already.", f.Name))
		return
	}
	f.RageTried = true
	roll := e.rules.Roll(fmt.Sprintf("rage/%s/r%d", f.ID, e.round), 100)
	ev.Dice = append(ev.Dice, roll)
	ev.Numbers["chance"], ev.Numbers["roll"] = f.Rage, roll.Value
	ev.Lines = append(ev.Lines, game.Line{Label: "Battle rage", Value: strconv.Itoa(f.Rage) + "%"}, game.Line{Label: "Roll", Value: strconv.Itoa(roll.Value)})
	text := fmt.Sprintf("%s tries for battle rage and fails (chance %d, roll %d).", f.Name, f.Rage, roll.Value)
	if roll.Value > f.Rage {
		private(ev, text)
		e.emit(ev)
		return
	}
	ev.Outcome = "done"
	f.Raging = true
	ev.Changes = append(ev.Changes, changed(f.ID, "RAGE", "no", "yes"))
	ev.Lines = append(ev.Lines, game.Line{Label: "To hit in melee from now on", Value: resolve.Signed(e.Melee.Rage)})
	e.witnesses(ev, f, nil, false)
	text = fmt.Sprintf("%s falls into battle rage (chance %d, roll %d).", f.Name, f.Rage, roll.Value)
	ev.Text[game.All], ev.Text[game.Own] = text, text
	ev.Text[game.Seen] = f.Name + " falls into battle rage."
	e.emit(ev)
}
