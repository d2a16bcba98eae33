// Package percentile knows the words of the percentile missile rules: seconds, rolled durations, options bought with points.
// Orders are understood and checked for what the rules forbid outright; the
// rules themselves are not built yet, and Setup says so.
package percentile

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Name is the system's name in game files.
const Name = "percentile"

//go:embed data/*.toml
var embedded embed.FS

// Ruleset is the game system. Make it with New.
type Ruleset struct {
	*resolve.Planned
	guide *resolve.GuideText
}

var (
	_ resolve.Ruleset = (*Ruleset)(nil)
	_ resolve.Guide   = (*Ruleset)(nil)
)

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
	guide, err := embeddedGuide()
	if err != nil {
		return nil, err
	}
	return &Ruleset{p, guide}, nil
}

// Sample implements resolve.Guide.
func (r *Ruleset) Sample() game.View { return r.guide.View() }

// Guide implements resolve.Guide: what can be written, and nothing of rules.
func (r *Ruleset) Guide(v game.View) game.Guide { return r.guide.Fill(guideFill(v)) }

// guideFill is what stands in the guide of a viewer.
func guideFill(v game.View) resolve.GuideFill {
	return resolve.GuideFill{Words: resolve.ExampleWords(v), Setting: func(string) string { return "" }}
}

var embeddedGuide = sync.OnceValues(func() (*resolve.GuideText, error) {
	return resolve.ReadGuide(embedded, nil, func(g *resolve.GuideText) resolve.GuideFill { return guideFill(g.View()) })
})
