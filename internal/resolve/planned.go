package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// Planned is a game system of which only the words are known so far: its orders
// are understood, and none can be carried out. A system that is being built
// begins with it and replaces its methods one by one.
type Planned struct {
	name    string
	hash    string
	verbs   []game.Verb
	kinds   map[string][]string // kind of weapon -> what it is good for
	attacks []game.Named        // kinds of attacks that are told apart
}

// uses are what a kind of weapon may be good for.
var uses = []string{"melee", "ranged", "thrown", "auto", "shield"}

// NewPlanned reads verbs.toml and weapons.toml.
func NewPlanned(name string, files fs.FS) (*Planned, error) {
	p := &Planned{name: name}
	data := NewData(files)
	var rows struct {
		Verb []struct {
			Name, Class, Example string
			Fields, Words        []string
			Form                 []game.Form
		}
		Attack []struct {
			ID    game.ID
			Words []string
		}
	}
	data.Read("verbs.toml", &rows)
	data.Read("weapons.toml", &p.kinds)
	if err := errors.Join(data.Faults()...); err != nil {
		return nil, fmt.Errorf("reading the words of %s: %w", name, err)
	}
	for _, v := range rows.Verb {
		if v.Name == "" || v.Class == "" {
			return nil, fmt.Errorf("verbs.toml: verb %q needs a name and a class", v.Name)
		}
		for _, f := range v.Form {
			if len(f.Words) == 0 || len(f.Set) == 0 {
				return nil, fmt.Errorf("verbs.toml: verb %q: a form needs words and what they set", v.Name)
			}
			for field := range f.Set {
				if !slices.Contains(v.Fields, field) {
					return nil, fmt.Errorf("verbs.toml: verb %q: the form %q sets %s, which is none of its fields", v.Name, f.Words[0], field)
				}
			}
		}
		p.verbs = append(p.verbs, game.Verb{Name: v.Name, Class: v.Class, Fields: v.Fields, Words: v.Words, Forms: v.Form, Example: v.Example})
	}
	for _, a := range rows.Attack {
		p.attacks = append(p.attacks, game.Named{ID: a.ID, Names: a.Words})
	}
	for _, kind := range slices.Sorted(maps.Keys(p.kinds)) {
		for _, use := range p.kinds[kind] {
			if !slices.Contains(uses, use) {
				return nil, fmt.Errorf("weapons.toml: %s: %q is none of %v", kind, use, uses)
			}
		}
	}
	p.hash = data.Hash()
	return p, nil
}

// Name implements Ruleset.
func (p *Planned) Name() string { return p.name }

// Version implements Ruleset.
func (p *Planned) Version() int { return 1 }

// DataHash implements Ruleset.
func (p *Planned) DataHash() string { return p.hash }

// Setup implements Ruleset: there are no rules to play by.
func (p *Planned) Setup(s game.Scenario) (game.World, []game.Fault) {
	return nil, []game.Fault{{File: s.File, Key: "system", Text: fmt.Sprintf("the rules of %s are not built yet; its orders can be read, but not carried out", p.name)}}
}

// Load implements Ruleset.
func (p *Planned) Load([]byte) (game.World, error) {
	return nil, fmt.Errorf("loading a world: the rules of %s are not built yet", p.name)
}

// Clock implements Ruleset: how time is kept is not known yet.
func (p *Planned) Clock(game.World, int) game.Clock { return game.Clock{} }

// See implements Ruleset.
func (p *Planned) See(_ game.World, viewer game.ID) game.View {
	return game.View{Viewer: viewer, System: p.name}
}

// Vocabulary implements Ruleset.
func (p *Planned) Vocabulary(v game.View) game.Vocabulary {
	things := slices.Concat(v.Weapons, v.Items)
	for i := range things {
		for _, use := range p.Uses(things[i].Kind) {
			switch use {
			case "melee", "shield":
				things[i].Melee = true
			case "ranged":
				things[i].Ranged = true
			case "thrown":
				things[i].Thrown = true
			case "auto":
				if !slices.Contains(things[i].Modes, "auto") {
					things[i].Modes = append(slices.Clone(things[i].Modes), "auto")
				}
			}
		}
	}
	if v.Self.ID != "" {
		things = append(things, BareHands)
	}
	return game.Vocabulary{Verbs: slices.Clone(p.verbs), People: People(v, ""), Things: Things(things), Places: Places(v), Attacks: slices.Clone(p.attacks)}
}

// Uses tells what a kind of weapon is good for.
func (p *Planned) Uses(kind string) []string { return p.kinds[kind] }

// Check implements Ruleset: the rules say nothing yet.
func (p *Planned) Check(_ game.View, plan game.Plan) (game.Plan, []game.Problem) { return plan, nil }

// Default implements Ruleset.
func (p *Planned) Default(v game.View) game.Plan { return game.Plan{Standing: v.Standing} }

// Forecast implements Ruleset.
func (p *Planned) Forecast(game.View, game.Plan, dice.Source) game.Forecast { return game.Forecast{} }

// Resolve implements Ruleset: without a world nothing happens.
func (p *Planned) Resolve(in Input) Outcome { return Outcome{World: in.World} }
