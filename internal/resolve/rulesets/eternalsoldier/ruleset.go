// Package eternalsoldier knows the words of Eternal Soldier: segments of half a second, readiness, parries and dodges.
// Orders are understood and checked for what the rules forbid outright; the
// rules themselves are not built yet, and Setup says so.
package eternalsoldier

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Name is the system's name in game files.
const Name = "eternal-soldier"

//go:embed data/*.toml
var embedded embed.FS

// Ruleset is the game system. Make it with New.
type Ruleset struct {
	*resolve.Planned
	t *tables
}

var (
	_ resolve.Ruleset = (*Ruleset)(nil)
	_ resolve.Roller  = (*Ruleset)(nil)
)

// New reads the embedded words.
func New() (*Ruleset, error) {
	sub, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, fmt.Errorf("opening the data: %w", err)
	}
	p, err := resolve.NewPlanned(Name, sub)
	if err != nil {
		return nil, err
	}
	t, err := embeddedTables()
	if err != nil {
		return nil, err
	}
	return &Ruleset{Planned: p, t: t}, nil
}

// Load implements resolve.Ruleset.
func (r *Ruleset) Load(b []byte) (game.World, error) {
	w := &World{}
	if err := json.Unmarshal(b, w); err != nil {
		return nil, fmt.Errorf("loading an eternal-soldier world: %w", err)
	}
	for _, f := range w.Fighters {
		if f == nil || f.ID == "" {
			return nil, errors.New("loading an eternal-soldier world: a combatant has no id")
		}
	}
	if w.Side < 1 {
		return nil, fmt.Errorf("loading an eternal-soldier world: the side of a square is %d", w.Side)
	}
	return w, nil
}

// Vocabulary implements resolve.Ruleset.
func (r *Ruleset) Vocabulary(v game.View) game.Vocabulary {
	voc := r.Planned.Vocabulary(v)
	if v.Viewer == game.GM {
		voc.Fields = slices.Clone(fields)
	}
	return voc
}

// Resolve implements resolve.Ruleset.
func (r *Ruleset) Resolve(in resolve.Input) resolve.Outcome {
	w, ok := in.World.(*World)
	if !ok {
		return resolve.Outcome{World: in.World, Events: []game.Event{}}
	}
	return r.resolve(w, in)
}

// DiceOwner implements resolve.Roller: whoever is named rolls; whether somebody
// notices something is the GM's to know.
func (r *Ruleset) DiceOwner(gw game.World, n dice.Name) (game.ID, bool) {
	w, ok := gw.(*World)
	if !ok || w.fighter(n.Who) == nil {
		return "", false
	}
	return n.Who, n.Kind == "awareness" || n.Kind == "surprise"
}
