// Package rulesettest tries what every game system must keep: Run is one suite
// of properties for all of them. It also holds a game system for tests of others,
// Pausing.
package rulesettest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// World is a counter and bodies.
type World struct {
	Counter int64       `json:"counter"`
	Figures []game.Body `json:"figures"`
}

// Bodies implements game.World.
func (w World) Bodies() []game.Body { return w.Figures }

// At implements game.World: phases played.
func (w World) At() int64 { return w.Counter }

// Pausing is the smallest ruleset that uses a Pause: phase 0 of each turn ends
// with a brief to everybody who is able, and phase 1 ends the turn. Free is put
// into its pauses. If Asks names somebody, phase 0 is of those alone; if Never is
// set there is none, and phase 0 is like the phase 1 of the others.
type Pausing struct {
	Free, Never bool
	Asks        []game.ID
}

var _ resolve.Ruleset = Pausing{}

// Name implements resolve.Ruleset.
func (Pausing) Name() string { return "pausing" }

// Version implements resolve.Ruleset.
func (Pausing) Version() int { return 1 }

// DataHash implements resolve.Ruleset: there is no data.
func (Pausing) DataHash() string { return strings.Repeat("0", 64) }

// Setup implements resolve.Ruleset.
func (Pausing) Setup(s game.Scenario) (game.World, []game.Fault) {
	w := World{Figures: []game.Body{}}
	for _, c := range s.Combatants {
		w.Figures = append(w.Figures, game.Body{ID: c.ID, Name: c.Name, Side: c.Side, Player: c.Player, Place: c.Place, Able: true})
	}
	slices.SortFunc(w.Figures, func(a, b game.Body) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return w, nil
}

// Load implements resolve.Ruleset.
func (Pausing) Load(b []byte) (game.World, error) {
	var w World
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, fmt.Errorf("loading a pausing world: %w", err)
	}
	return w, nil
}

// Clock implements resolve.Ruleset.
func (Pausing) Clock(game.World, int) game.Clock { return game.Clock{Unit: "slot"} }

// See implements resolve.Ruleset: everybody sees everybody.
func (Pausing) See(w game.World, viewer game.ID) game.View {
	v := game.View{Viewer: viewer, System: "pausing", Round: int(w.At()), ScaleMM: 1000, Units: "m", Width: 20, Height: 20}
	for _, b := range w.Bodies() {
		s := game.Sight{ID: b.ID, Name: b.Name, Side: b.Side, Relation: "neutral", Place: b.Place, InSight: true}
		if b.ID == viewer {
			s.Relation = "self"
			v.Self = s
		} else {
			v.Others = append(v.Others, s)
		}
	}
	return v
}

// Vocabulary implements resolve.Ruleset: one can wait and speak.
func (Pausing) Vocabulary(v game.View) game.Vocabulary {
	voc := game.Vocabulary{Verbs: []game.Verb{
		{Name: "wait", Class: "minor", Words: []string{"pass"}, Example: "wait"},
		{Name: "say", Class: "minor", Fields: []string{"text", "to"}, Example: `say "hello"`},
	}}
	for _, s := range append([]game.Sight{v.Self}, v.Others...) {
		if s.ID != "" {
			voc.People = append(voc.People, game.Named{ID: s.ID, Names: []string{s.Name}, Relation: s.Relation})
		}
	}
	return voc
}

// Check implements resolve.Ruleset: nothing is refused.
func (Pausing) Check(_ game.View, p game.Plan) (game.Plan, []game.Problem) { return p, nil }

// Default implements resolve.Ruleset.
func (Pausing) Default(game.View) game.Plan {
	return game.Plan{Steps: []game.Intent{{Verb: "wait"}}}
}

// Forecast implements resolve.Ruleset.
func (Pausing) Forecast(game.View, game.Plan, dice.Source) game.Forecast { return game.Forecast{} }

// Resolve implements resolve.Ruleset: phase 0 pauses, phase 1 ends. Each able
// combatant rolls one die a phase, luck/<id>/p<phase>.
func (p Pausing) Resolve(in resolve.Input) resolve.Outcome {
	w, ok := in.World.(World)
	if !ok {
		return resolve.Outcome{World: in.World}
	}
	rules := resolve.NewRulings(in.Rulings, in.Dice)
	next := World{Counter: w.Counter + 1, Figures: slices.Clone(w.Figures)}
	out := resolve.Outcome{World: next, Events: []game.Event{}}
	pause := &game.Pause{Reason: "halfway", Briefs: map[game.ID]string{}, Free: p.Free}
	phase := in.Phase
	if p.Never {
		phase, next.Counter = 1, w.Counter+2
		out.World = next
	}
	for _, b := range w.Figures {
		if !b.Able || phase == 0 && len(p.Asks) > 0 && !slices.Contains(p.Asks, b.ID) {
			continue
		}
		die := rules.Roll(fmt.Sprintf("luck/%s/p%d", b.ID, phase), 10)
		out.Events = append(out.Events, game.Event{
			Ref: fmt.Sprintf("%s/p%d", b.ID, phase), Round: 1, Actor: b.ID, Kind: "wait", Outcome: "done",
			Dice: []game.Die{die}, Numbers: map[string]int{"luck": die.Value}, Seen: map[game.ID]game.Grade{b.ID: game.Own},
			Text: map[game.Grade]string{game.All: b.Name + " waits.", game.Own: b.Name + " waits."}, Ruled: rules.Take(),
		})
		pause.Asks = append(pause.Asks, b.ID)
		pause.Briefs[b.ID] = b.Name + ", the first half is over: what now?"
	}
	if phase == 0 && len(pause.Asks) > 0 {
		out.Pause = pause
	}
	out.Unused = rules.Unused()
	return out
}
