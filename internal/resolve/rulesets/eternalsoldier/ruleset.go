// Package eternalsoldier knows the words of Eternal Soldier: segments of half a second, readiness, parries and dodges.
// Orders are understood and checked for what the rules forbid outright; the
// rules themselves are not built yet, and Setup says so.
package eternalsoldier

import (
	"embed"
	"fmt"
	"io/fs"

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

var _ resolve.Ruleset = (*Ruleset)(nil)

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
