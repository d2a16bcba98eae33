// Package starfrontiers adjudicates Star Frontiers (Alpha Dawn) in the
// play-by-email variant of the seed: initiative slots that count down, plans of
// sub-actions, held reactions. Sections named in comments are those of the
// rules analysis (star-frontiers.md). All tables are in data/*.toml.
//
// Refs of events: who/r<round>.<k> is sub-action k; the same with a letter is
// what belongs to it without being one: m a free step before it (movement,
// posture, gear), z one after the last, h a sub-action that was kept, x one that
// was kept and not used; further ones of a kind are m2, m3 … Once a round there
// are who/r<round>.i (initiative), who/r<round>.t (a tie die),
// who/r<round>.l (closing in for melee), who/r<round>.s
// (speech), who/r<round>.g<n> (figures set by ruling n) and who/r<round>.e (what
// the end of the round brings).
package starfrontiers

import (
	"encoding/json"
	"fmt"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Name is the system's name in game files.
const Name = "star-frontiers"

const version = 4

// Ruleset is the game system. Make it with New.
type Ruleset struct {
	t     *tables
	guide *resolve.GuideText
}

var (
	_ resolve.Ruleset = (*Ruleset)(nil)
	_ resolve.Roller  = (*Ruleset)(nil)
)

// New reads the embedded tables; they are validated by the tests of this
// package, so an error means a broken build.
func New() (*Ruleset, error) {
	t, err := embeddedTables()
	if err != nil {
		return nil, err
	}
	guide, err := embeddedGuide()
	if err != nil {
		return nil, err
	}
	return &Ruleset{t: t, guide: guide}, nil
}

// Name implements resolve.Ruleset.
func (r *Ruleset) Name() string { return Name }

// Version implements resolve.Ruleset.
func (r *Ruleset) Version() int { return version }

// DataHash implements resolve.Ruleset.
func (r *Ruleset) DataHash() string { return r.t.hash }

// Clock implements resolve.Ruleset: slots of initiative, which each round counts
// down anew.
func (r *Ruleset) Clock(game.World, int) game.Clock { return game.Clock{Unit: "slot"} }

// Load implements resolve.Ruleset.
func (r *Ruleset) Load(b []byte) (game.World, error) {
	w := &World{}
	if err := json.Unmarshal(b, w); err != nil {
		return nil, fmt.Errorf("loading a star-frontiers world: %w", err)
	}
	for _, f := range w.Fighters {
		if f == nil || f.ID == "" {
			return nil, fmt.Errorf("loading a star-frontiers world: a combatant has no id")
		}
	}
	if w.ScaleMM < 1 {
		return nil, fmt.Errorf("loading a star-frontiers world: scale_mm is %d", w.ScaleMM)
	}
	return w, nil
}

// DiceOwner implements resolve.Roller: initiative is rolled by a player or by a
// group of the GM's, in the name of its first combatant.
func (r *Ruleset) DiceOwner(gw game.World, n dice.Name) (game.ID, bool) {
	w, ok := gw.(*World)
	if !ok {
		return "", false
	}
	if n.Kind == "init" && w.setting("sequence") == "pbem" {
		for _, f := range w.Fighters {
			if w.roller(r.t, f) == n.Who {
				return f.ID, false
			}
		}
	}
	if w.fighter(n.Who) != nil {
		return n.Who, n.Kind == "surprise"
	}
	return "", false
}
