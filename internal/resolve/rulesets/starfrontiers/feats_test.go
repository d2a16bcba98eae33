package starfrontiers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// 17.4: how a climb, a swim, a jump or a glide ends is for the GM to rule, who
// reads what is wanted and what the rules know of it.
func TestFeatsAreForTheGM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, race, move string
		want             string // of the question; empty: it is refused
		answer           string
	}{
		{"climb", "Human", `"to": "wall", "mode": "climb", "relation": "onto"`, "climb onto the wall", "bobo AT C5"},
		{"swim", "Human", `"to": "E9", "mode": "swim"`, "swim to E9", "bobo AT E9"},
		{"jump", "Human", `"direction": "E", "distance": {"value": 4, "unit": "m"}, "mode": "jump"`, "jump 4 m east; the rules leave it to you. Known of it: down 5 m or less is safe", "bobo AT A5"},
		{"jump to a square", "Human", `"to": "D5", "mode": "jump"`, "jump to D5", "bobo AT D5"},
		{"glide", "Yazirian", `"to": "zog", "mode": "glide"`, "1 m forward for each metre of height", "bobo AT K9"},
		{"nobody else glides", "Human", `"to": "zog", "mode": "glide"`, "", ""},
		{"to nowhere", "Human", `"to": "tower", "mode": "climb"`, "", ""},
	} {
		s := battlefield(2, who("bobo", "heroes", "A5", "race="+c.race), who("zog", "gang", "K9"))
		s.Features = []game.Feature{{ID: "wall", Name: "the wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 2, Y: 4}}}}
		w, rules := world(t, s), ruleset(t)
		p, problems := rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [{"verb": "move", `+c.move+`}]}`))
		if refused := slices.ContainsFunc(problems, func(x game.Problem) bool { return x.Severity == game.Wrong }); refused != (c.want == "") || refused != (len(p.Steps) == 0) {
			t.Errorf("%s: %+v %v", c.name, p.Steps, problems)
			continue
		}
		out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", ` + c.move + `}]}`}, nil)
		if out.World.(*World).fighter("bobo").Place.String() != "A5" {
			t.Errorf("%s: he goes without a ruling", c.name)
		}
		if c.want == "" {
			continue
		}
		if len(out.Inquiries) != 1 || !strings.Contains(out.Inquiries[0].Text, c.want) || out.Inquiries[0].Answer != c.answer {
			t.Errorf("%s: %+v", c.name, out.Inquiries)
		}
		// The answer that it names does what it says.
		ruled := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", ` + c.move + `}]}`}, nil,
			game.Ruling{N: 1, Kind: game.RuleSet, Ref: out.Inquiries[0].Ref, Who: "bobo", Field: "AT", Value: strings.Fields(c.answer)[2], Text: c.answer})
		if got := ruled.World.(*World).fighter("bobo").Place.String(); got != strings.Fields(c.answer)[2] || len(ruled.Unused) > 0 || len(ruled.Inquiries) > 0 {
			t.Errorf("%s: ruled, he is in %s, unused %v, asked %v", c.name, got, ruled.Unused, ruled.Inquiries)
		}
	}
}

// A jump over something low is the vault of 17.2, and needs no ruling.
func TestJumpOverSomethingLowIsAVault(t *testing.T) {
	t.Parallel()
	for move, want := range map[string]string{
		`"to": "crate", "mode": "jump"`:                      "D5",
		`"to": "crate", "mode": "jump", "relation": "past"`:  "D5",
		`"to": "crate", "mode": "jump", "relation": "onto"`:  "C5",
		`"to": "crate", "mode": "climb"`:                     "C5",
		`"to": "crate", "mode": "climb", "relation": "past"`: "D5",
		`"to": "crate", "mode": "run", "relation": "past"`:   "D5",
	} {
		s := battlefield(2, who("bobo", "heroes", "A5"), who("zog", "gang", "R5"))
		wall := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true} // no way round
		for y := range 20 {
			if y != 4 {
				wall.Squares = append(wall.Squares, game.Square{X: 2, Y: y})
			}
		}
		s.Features = []game.Feature{wall, {ID: "crate", Name: "crate", Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: 2, Y: 4}}}}
		out := run(t, world(t, s), map[game.ID]string{"bobo": `{"steps": [{"verb": "move", ` + move + `}]}`}, nil)
		if got := out.World.(*World).fighter("bobo").Place.String(); got != want || len(out.Inquiries) > 0 {
			t.Errorf("%s: in %s, want %s; %v", move, got, want, out.Inquiries)
		}
	}
}

// runner runs back and forth for so many rounds of turns of one round each.
func runner(t *testing.T, w *World, rounds int, mode string) *World {
	t.Helper()
	for i := range rounds {
		dir := []string{"E", "W"}[i%2]
		w = run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "direction": "` + dir + `", "mode": "` + mode + `"}]}`}, nil).World.(*World)
	}
	return w
}

// 17.4, A-18: so many tenths of a minute as his Stamina has points.
func TestEnduranceOfRunning(t *testing.T) {
	t.Parallel()
	start := func(words ...string) *World {
		s := battlefield(2, who("bobo", "heroes", "A5", append([]string{"str=9", "sta=5"}, words...)...), who("zog", "gang", "R15"))
		return world(t, s)
	}
	w := runner(t, start(), 4, "run")
	if f := w.fighter("bobo"); f.has("winded") || f.Ran != 4 {
		t.Fatalf("after 4 rounds: %+v", f.Health)
	}
	if got := lines(ruleset(t).See(w, "bobo").Sheet); !strings.Contains(got, "Breath: for 1 more round of running") {
		t.Errorf("his sheet:\n%s", got)
	}
	w = runner(t, w, 1, "walk")
	if f := w.fighter("bobo"); f.Ran != 4 {
		t.Errorf("a round of walking is no rest: %+v", f.Health)
	}
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "direction": "S", "mode": "run"}]}`}, nil)
	if ev := event(t, out, "bobo/r1.e"); ev.Rule != "17.4" || ev.Text[game.All] != "Bobo is out of breath and cannot run any more." {
		t.Errorf("%+v", ev)
	}
	w = out.World.(*World)
	f := w.fighter("bobo")
	if !f.has("winded") || f.Effects[0].Turns != 100 {
		t.Fatalf("after 5 rounds: %+v", f.Health)
	}
	rules := ruleset(t)
	order := plan(t, `{"steps": [{"verb": "move", "direction": "N", "mode": "run"}]}`)
	p, problems := rules.Check(rules.See(w, "bobo"), order)
	if len(p.Steps) != 1 || p.Steps[0].Mode != "walk" || !strings.Contains(fmt.Sprint(problems), "out of breath") {
		t.Errorf("he can run: %+v %v", p.Steps, problems)
	}
	p, _ = rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [{"verb": "move", "direction": "N", "mode": "dodge"}]}`))
	if p.Steps[0].Mode != "dodge" {
		t.Errorf("dodging: %+v", p.Steps)
	}
	w = runner(t, w, 99, "walk")
	if !w.fighter("bobo").has("winded") {
		t.Error("rested after 99 rounds")
	}
	if w = runner(t, w, 1, "walk"); w.fighter("bobo").has("winded") {
		t.Error("not rested after 100 rounds")
	}
	for name, w := range map[string]*World{
		"a robot":               runner(t, start("race=robot", "level=2"), 6, "run"),
		"who stops short of it": runner(t, start("sta=7"), 6, "run"),
		"who dodges":            runner(t, start(), 6, "dodge"),
		"who walks by a run's name": func() *World {
			w := start()
			for range 6 {
				w = run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "direction": "E", "distance": 2, "mode": "run"}]}`}, nil).World.(*World)
			}
			return w
		}(),
	} {
		if w.fighter("bobo").has("winded") {
			t.Errorf("%s is out of breath", name)
		}
	}
}

// Ten minutes of rest give the whole of it back.
func TestARestGivesBreathBack(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A5", "sta=5"), who("zog", "gang", "R15")))
	w = runner(t, w, 4, "run")
	w.Played += 99
	if w = runner(t, w, 1, "walk"); w.fighter("bobo").Ran != 4 {
		t.Errorf("%+v", w.fighter("bobo").Health)
	}
	if w = runner(t, w, 1, "run"); w.fighter("bobo").Ran != 1 || w.fighter("bobo").has("winded") {
		t.Errorf("%+v", w.fighter("bobo").Health)
	}
}
