// Package rulesets lists the game systems, explicitly and in order.
package rulesets

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets/starfrontiers"
)

// makers is the list: adding a game system is one line here.
var makers = []func() (resolve.Ruleset, error){
	func() (resolve.Ruleset, error) { return starfrontiers.New() },
}

// unbuilt are systems that are described and planned.
var unbuilt = []string{"eternal-soldier", "percentile"}

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

// Find is ByName with an error that says why there is no such system, and which
// there are.
func Find(name string) (resolve.Ruleset, error) {
	if r, ok := ByName(name); ok {
		return r, nil
	}
	if slices.Contains(unbuilt, name) {
		return nil, fmt.Errorf("the system %q is not built yet; built are %v", name, Names())
	}
	return nil, fmt.Errorf("there is no system %q; built are %v", name, Names())
}

// Names lists the names of the systems, in order.
func Names() []string {
	var out []string
	for _, r := range All() {
		out = append(out, r.Name())
	}
	return out
}
