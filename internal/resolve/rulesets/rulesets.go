// Package rulesets lists the game systems, explicitly and in order.
package rulesets

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets/eternalsoldier"
	"github.com/pbemd/pbemd/internal/resolve/rulesets/percentile"
	"github.com/pbemd/pbemd/internal/resolve/rulesets/starfrontiers"
)

// makers is the list: adding a game system is one line here.
var makers = []func() (resolve.Ruleset, error){
	func() (resolve.Ruleset, error) { return starfrontiers.New() },
	func() (resolve.Ruleset, error) { return eternalsoldier.New() },
	func() (resolve.Ruleset, error) { return percentile.New() },
}

// All makes every system, in order. It panics when the data embedded in this
// program is broken, which the tests of the systems exclude.
func All() []resolve.Ruleset {
	out := make([]resolve.Ruleset, 0, len(makers))
	for _, make := range makers {
		r, err := make()
		if err != nil {
			panic(err)
		}
		out = append(out, r)
	}
	return out
}

// ByName finds a system by its name in game files.
func ByName(name string) (resolve.Ruleset, bool) {
	for _, r := range All() {
		if r.Name() == name {
			return r, true
		}
	}
	return nil, false
}

// Find is ByName with an error that says which systems there are.
func Find(name string) (resolve.Ruleset, error) {
	if r, ok := ByName(name); ok {
		return r, nil
	}
	return nil, fmt.Errorf("there is no system %q; there are %v", name, Names())
}

// Names lists the names of the systems, in order.
func Names() []string {
	var out []string
	for _, r := range All() {
		out = append(out, r.Name())
	}
	return out
}
