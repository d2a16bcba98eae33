package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
)

const rulesUsage = `usage: pbemd rules [SYSTEM] [--scenario FILE [--as ID ...]] [--html FILE]

Lists the game systems, or explains how one is ordered: how a turn goes, what a
player can write, and the numbers behind it. The examples are those of a character
of nobody's game; with a scenario or game file, those of its combatant ID ("gm":
of all that no player orders). --html writes the same as a page for a browser.
A player gets the guide in his own words by the mail HELP ORDERS.
`

// runRules is the command "pbemd rules".
func runRules(env environment, args []string) int {
	var (
		file, html string
		ids        actorList
	)
	names, code, done := flags(env, "rules", args, func(fs *flag.FlagSet) {
		fs.Usage = func() { fmt.Fprint(env.stderr, rulesUsage) }
		fs.StringVar(&file, "scenario", "", "scenario or game file")
		fs.StringVar(&html, "html", "", "file to write the guide to as HTML")
		fs.Var(&ids, "as", "combatant whose examples are shown")
	})
	if done {
		return code
	}
	if len(names) > 1 || len(ids) > 0 && file == "" || file == "-" || html != "" && len(names) == 0 && file == "" {
		fmt.Fprint(env.stderr, rulesUsage)
		return exitUsage
	}
	if len(names) == 0 && file == "" {
		return listSystems(env)
	}
	rules, actors, gm, err := readersOf(names, file, ids)
	if err != nil {
		return fail(env, err)
	}
	guide, ok := daemon.GuideFor(rules, actors, gm)
	if !ok {
		return fail(env, fmt.Errorf("there is no guide to %s", rules.Name()))
	}
	text, page, err := guide.Page()
	if err != nil {
		return fail(env, err)
	}
	if html != "" {
		if err := os.WriteFile(html, []byte(page), 0o644); err != nil {
			return fail(env, fmt.Errorf("writing the guide: %w", err))
		}
		return exitDone
	}
	fmt.Fprint(env.stdout, text)
	return exitDone
}

// listSystems prints the names of the systems, with what they are called.
func listSystems(env environment) int {
	for _, r := range rulesets.All() {
		title := "no guide"
		if g, ok := r.(resolve.Guide); ok {
			guide := g.Guide(g.Sample())
			if title = guide.Title; guide.Unbuilt {
				title += " (orders are read; no game of it can be played yet)"
			}
		}
		fmt.Fprintf(env.stdout, "%-16s %s\n", r.Name(), title)
	}
	return exitDone
}

// readersOf finds the system and those whose guide it is: combatants of the file by
// their ids, without ids all whom players order.
func readersOf(names []string, file string, ids actorList) (rules resolve.Ruleset, actors []parse.Actor, gm bool, err error) {
	if file == "" {
		rules, err = rulesets.Find(names[0])
		return rules, nil, false, err
	}
	s, e, err := openScenario(file, nil)
	if err != nil && (e.scene == nil || !s.Scene) {
		return nil, nil, false, err
	}
	if len(names) > 0 && e.rules.Name() != names[0] {
		return nil, nil, false, fmt.Errorf("%s is a game of %s, not of %s", file, e.rules.Name(), names[0])
	}
	if slices.Contains(ids, game.GM) {
		if len(ids) > 1 {
			return nil, nil, false, fmt.Errorf("the guide of the GM is one, and that of players another: ask for them one by one")
		}
		gm = true
	}
	for _, b := range e.bodies() {
		if slices.Contains(ids, b.ID) || gm && b.Player == "" || len(ids) == 0 && b.Player != "" {
			actors = append(actors, e.actor(b.ID))
		}
	}
	for _, id := range ids {
		if _, ok := e.body(id); !ok && !gm {
			return nil, nil, false, fmt.Errorf("%s has no combatant %q; it has %s", file, id, strings.Join(e.ids(), ", "))
		}
	}
	if len(actors) == 0 {
		return nil, nil, false, fmt.Errorf("%s names no player; say with --as whose guide it is: %s", file, strings.Join(e.ids(), ", "))
	}
	return e.rules, actors, gm, nil
}
