package daemon

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/scenario"
)

// guided is somebody with a guide.
type guided struct {
	name  string
	rules resolve.Ruleset
	guide resolve.Guide
	actor parse.Actor
}

// everyGuide are all who could read a guide: every combatant of every example, and
// the character of nobody's game of every system.
func everyGuide(t *testing.T) []guided {
	t.Helper()
	var out []guided
	add := func(name string, rules resolve.Ruleset, v game.View) {
		out = append(out, guided{name, rules, rules.(resolve.Guide), parse.Actor{ID: v.Viewer, View: v, Vocabulary: rules.Vocabulary(v)}})
	}
	for _, rules := range rulesets.All() {
		g, ok := rules.(resolve.Guide)
		if !ok {
			t.Fatalf("%s has no guide", rules.Name())
		}
		add(rules.Name(), rules, g.Sample())
	}
	files, err := fs.Glob(examples.Files, "*.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".mails.toml") || file == "pbemd.toml" {
			continue
		}
		rules, world := exampleWorld(t, file)
		for _, b := range world.Bodies() {
			add(file+" "+string(b.ID), rules, rules.See(world, b.ID))
		}
	}
	return out
}

func exampleWorld(t *testing.T, file string) (resolve.Ruleset, game.World) {
	t.Helper()
	b, err := examples.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, faults := scenario.Read(file, b)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	rules, err := rulesets.Find(s.System)
	if err != nil {
		t.Fatal(err)
	}
	world, faults := rules.Setup(s.Scenario)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return rules, world
}

// TestGuideOrdersAreUnderstood: each example of each guide is read as the verb that
// it stands for, and the reader asks nothing about it.
func TestGuideOrdersAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, g := range everyGuide(t) {
		n := 0
		for _, s := range g.guide.Guide(g.actor.View).Sections {
			for _, o := range s.Orders {
				for _, text := range o.Write {
					n++
					for _, r := range parse.Orders([]parse.Line{{N: 1, Text: text}}, []parse.Actor{g.actor}) {
						for _, p := range r.Problems {
							if p.Severity != game.Noted {
								t.Errorf("%s: %q: %s", g.name, text, p.Text)
							}
						}
						if !orders(r.Plan, o.Verb) || len(r.Plan.Unparsed) > 0 {
							t.Errorf("%s: %q is no %s: %+v", g.name, text, o.Verb, r.Plan)
						}
					}
				}
			}
		}
		if n < 10 {
			t.Errorf("%s: a guide with %d examples", g.name, n)
		}
	}
}

// orders reports that a plan holds a verb anywhere; hold is any order that waits.
func orders(p game.Plan, verb string) bool {
	var in func(list []game.Intent) bool
	in = func(list []game.Intent) bool {
		return slices.ContainsFunc(list, func(i game.Intent) bool { return i.Verb == verb || in(i.Then) || in(i.Else) })
	}
	switch verb {
	case "ask":
		return len(p.Ask) > 0
	case "say":
		return len(p.Say) > 0
	case "hold":
		return in(p.Steps) || len(p.Reactions) > 0 || slices.ContainsFunc(p.Standing, func(s game.Standing) bool { return s.Reaction != nil })
	}
	return in(p.Steps) || slices.ContainsFunc(p.Standing, func(s game.Standing) bool { return s.Policy != nil && s.Policy.Verb == verb })
}

var _ = report.Guide{}
