package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// Stage is what a turn keeps over its pauses: the world of a pause is the one
// that the next phase plays on.
type Stage struct {
	Settled  bool                  `json:"settled,omitempty"`  // who is surprised is settled (2.1)
	Declared int                   `json:"declared,omitempty"` // how often declarations have been told (3.1, 4.3)
	Asked    []game.ID             `json:"asked"`              // who may order now
	Plans    map[game.ID]game.Plan `json:"plans"`              // in force before the pause
	Given    []game.ID             `json:"given"`              // whose plan was ordered
	First    map[game.ID]game.Plan `json:"first,omitempty"`    // as they were declared
	Dice     map[string]game.Die   `json:"dice"`               // fallen before the pause
	Totals   map[game.ID]int       `json:"totals,omitempty"`   // initiative totals that the GM has set
}

// pause ends a phase: the world keeps the plans and the dice, and those asked
// may order again. Nobody is asked: there is none.
func (e *engine) pause(p game.Pause, plans map[game.ID]ordered) *game.Pause {
	slices.Sort(p.Asks)
	if len(p.Asks) == 0 {
		return nil
	}
	old := e.stage
	st := &Stage{
		Settled: true, Declared: old.Declared, Asked: p.Asks, Plans: map[game.ID]game.Plan{}, Given: []game.ID{},
		First: old.First, Dice: old.Dice, Totals: old.Totals,
	}
	for _, f := range e.w.Fighters {
		o, ok := plans[f.ID]
		if !ok {
			continue
		}
		st.Plans[f.ID] = *storedPlan(o.plan)
		if o.given {
			st.Given = append(st.Given, f.ID)
		}
	}
	e.w.Stage = st
	return &p
}

// rollOnce rolls a die that must not fall again after a pause, unless the GM rules
// on it anew.
func (e *engine) rollOnce(name string, sides int) game.Die {
	held := e.rules.Take()
	d := e.rules.Roll(name, sides)
	e.rules.Take() // the events of those it is rolled for tell of a ruling on it
	e.rules.Give(held)
	if kept, ok := e.stage.Dice[name]; ok && d.Source != "gm" && d.Name == name {
		return kept
	}
	return d
}

// carried merges the orders of this phase with the plans of those before it:
// only those who were asked may order again, and the GM's own.
func (e *engine) carried(orders []game.Orders) map[game.ID]ordered {
	out := map[game.ID]ordered{}
	st := e.stage
	for id, p := range st.Plans {
		out[id] = ordered{p, slices.Contains(st.Given, id)}
	}
	for _, o := range orders {
		given := o.Source != "default" && o.Source != "policy" && o.Source != "standing"
		if st.Settled && (!given || !slices.Contains(st.Asked, o.Combatant)) {
			if f := e.w.fighter(o.Combatant); !given || f == nil || f.Player != "" {
				continue
			}
		}
		out[o.Combatant] = ordered{o.Plan, given}
		if st.Settled {
			e.again[o.Combatant] = true
		}
	}
	return out
}
