// Package eternalsoldier adjudicates Eternal Soldier: half-second segments that
// never reset, one number of readiness for each combatant, quick and set attacks,
// parries and dodges as reactions. Sections named in comments are those of the
// rules specification (eternal-soldier.md). All tables are in data/*.toml, each
// row with the tag of its source; what no source prints the packet names.
//
// A turn is a window of segments, cut so that the cut does not show: whatever runs
// on stands in the World (readiness, activities, bursts, movement, timers, what is
// left of each plan), and refs and dice carry the absolute segment.
//
// Refs of events: who/s<segment> is the deed, a blow, a shot or a struggle, with
// .2, .3 … for the further shots of a burst. Behind it stand .b (begins something),
// .d (has done it), .k (breaks it off), .m and .n (sets out, has moved), .s (speech), .f (special),
// .x (cannot), .l (lets go), .w (state: will rolls, death), .p (poison), .q (a drug
// wears off), .a (awareness) and .g<n> (figures set by ruling n). What answers
// another's event, or is done by it, is who/<that ref>: a parry or a dodge, with .e
// the harm, with .a the footing, with .k whether it stuns, and with .f the break-fall.
// What ruling n sets on the rules, on a thing or on a square is gm/s<segment>.g<n>.
//
// Figures that a ruling sets AT EVENT stand before an attack, a struggle or a will
// roll when that comes; before any other event from the beginning of its segment, as
// AT SEGMENT does. Those of an answer come behind what it is reckoned from.
package eternalsoldier

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Name is the system's name in game files.
const Name = "eternal-soldier"

const version = 2

//go:embed data/*.toml
var embedded embed.FS

// Ruleset is the game system. Make it with New.
type Ruleset struct {
	*resolve.Planned
	t      *tables
	guide  *resolve.GuideText
	houses sync.Map // tables of games that have their own, by what they are made of
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
	guide, err := embeddedGuide()
	if err != nil {
		return nil, err
	}
	return &Ruleset{Planned: p, t: t, guide: guide}, nil
}

// Version implements resolve.Ruleset.
func (r *Ruleset) Version() int { return version }

// DataHash implements resolve.Ruleset: over the words and over the tables.
func (r *Ruleset) DataHash() string {
	sum := sha256.Sum256([]byte(r.Planned.DataHash() + r.t.hash))
	return hex.EncodeToString(sum[:])
}

// Setup implements resolve.Ruleset.
func (r *Ruleset) Setup(s game.Scenario) (game.World, []game.Fault) {
	w, faults := r.setup(s)
	if len(faults) > 0 {
		return nil, faults
	}
	return w, nil
}

// Clock implements resolve.Ruleset: segments of half a second that never begin
// anew; a turn is a window of segments_per_turn for each of its rounds (2.7).
func (r *Ruleset) Clock(gw game.World, rounds int) game.Clock {
	c := game.Clock{Unit: "segment", RunsOn: true, Last: -1}
	if w, ok := gw.(*World); ok {
		c.First, c.Last = w.Segment, w.Segment+rules{r.at(w.House), w.Settings}.window(rounds)-1
	}
	return c
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
