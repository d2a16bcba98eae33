package starfrontiers

import (
	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Check implements resolve.Ruleset.
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) { return p, nil }

// Default implements resolve.Ruleset.
func (r *Ruleset) Default(v game.View) game.Plan {
	return game.Plan{Steps: []game.Intent{{Verb: "defend"}}}
}

// Forecast implements resolve.Ruleset.
func (r *Ruleset) Forecast(v game.View, p game.Plan, d dice.Source) game.Forecast {
	return game.Forecast{}
}

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
