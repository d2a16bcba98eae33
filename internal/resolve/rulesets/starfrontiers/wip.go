package starfrontiers

import (
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Resolve implements resolve.Ruleset.
func (r *Ruleset) Resolve(in resolve.Input) resolve.Outcome {
	w, ok := in.World.(*World)
	if !ok {
		return resolve.Outcome{World: in.World}
	}
	next := w.clone()
	next.Turn = in.Turn + 1
	next.Played += int64(max(in.Rounds, 1))
	return resolve.Outcome{World: next, Events: []game.Event{}}
}
