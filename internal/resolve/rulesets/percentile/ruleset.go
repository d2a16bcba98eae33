// Package percentile knows the words of the percentile missile rules: seconds, rolled durations, options bought with points.
// Orders are understood and checked for what the rules forbid outright; the
// rules themselves are not built yet, and Setup says so.
package percentile

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Name is the system's name in game files.
const Name = "percentile"

//go:embed data/*.toml
var embedded embed.FS

// Ruleset is the game system. Make it with New.
type Ruleset struct{ *resolve.Planned }

var _ resolve.Ruleset = (*Ruleset)(nil)

// Clock implements resolve.Ruleset: seconds.
func (r *Ruleset) Clock(game.World, int) game.Clock { return game.Clock{Unit: "second"} }

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
	return &Ruleset{p}, nil
}
