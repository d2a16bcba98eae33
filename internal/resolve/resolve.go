// Package resolve holds the contract between pbemd and a game system, and what
// all systems surely share. A ruleset is stateless and deterministic: the same
// input gives the same bytes. Nothing outside a ruleset looks inside its World.
package resolve

import (
	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// Ruleset adjudicates one game system.
type Ruleset interface {
	// Name is the system's name in game files, such as "star-frontiers".
	Name() string
	// Version rises whenever the same input could give other bytes.
	Version() int
	// DataHash is the hex SHA-256 over the embedded data files.
	DataHash() string
	// Setup makes a world of a scenario, or says what is wrong and where.
	Setup(game.Scenario) (game.World, []game.Fault)
	// Load reads what json.Marshal wrote of a World: Load(Marshal(w)) == w.
	Load([]byte) (game.World, error)
	// Clock says how the system keeps time, and which of it a turn of so many
	// rounds takes that begins with this world.
	Clock(w game.World, rounds int) game.Clock
	// See is the only way from a world to anything a player gets. The viewer is
	// a combatant of the world, or game.GM.
	See(w game.World, viewer game.ID) game.View
	// Vocabulary lists verbs, people, things and places as this viewer knows
	// them; for the GM also what a ruling may set.
	Vocabulary(game.View) game.Vocabulary
	// Check says what the rules have against a plan, from what the viewer knows,
	// and gives the plan back as it would be carried out when nobody answers: what is refused
	// is gone from it, defaults are filled in.
	Check(game.View, game.Plan) (game.Plan, []game.Problem)
	// Default is what silence does: the standing orders, a foe's policy, or the
	// default of the rules.
	Default(game.View) game.Plan
	// Forecast shows slots or readiness and ammunition if all goes as planned.
	// The source answers the viewer's own init dice truly, all else by constants.
	Forecast(game.View, game.Plan, dice.Source) game.Forecast
	// Resolve carries the turn out. It is total: no error and no panic on any valid input.
	Resolve(Input) Outcome
}

// Input is all that decides a turn.
type Input struct {
	World   game.World
	Turn    int
	Phase   int           // 0, raised by each Pause
	Rounds  int           // 1..20
	Orders  []game.Orders // by combatant id; who is missing gets his Default
	Rulings []game.Ruling // in force, by number
	Dice    dice.Source
}

// Outcome is what became of it.
type Outcome struct {
	Events    []game.Event
	World     game.World
	Inquiries []game.Inquiry
	Timeline  []game.Mark
	Pause     *game.Pause // nil: the turn is over
	// Unused lists the numbers of rulings whose ref or die did not occur.
	Unused []int
	// Done is true when a stop condition ended the encounter, with Why.
	Done bool
	Why  string
}

// Roller is an optional power: who rolls which die for whom. DiceOwner gives
// the combatant that a die's name speaks of when it names a group, and whether
// that kind of die is secret (surprise, awareness, spotting).
type Roller interface {
	DiceOwner(w game.World, n dice.Name) (combatant game.ID, secret bool)
}

// Judge is an optional power: it says what is wrong with a ruling that is well
// written, and what to write instead. World is that at the beginning of the
// turn, events those of the packet that the ruling answers. No text: nothing is.
type Judge interface {
	Fault(w game.World, events []game.Event, r game.Ruling) (text, do string)
}
