package daemon

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
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

// TestGuideKnowsEveryVerb: a verb that the vocabulary has an example for stands in
// the guide too.
func TestGuideKnowsEveryVerb(t *testing.T) {
	t.Parallel()
	for _, g := range everyGuide(t) {
		verbs := map[string]bool{}
		for _, s := range g.guide.Guide(g.actor.View).Sections {
			for _, o := range s.Orders {
				verbs[o.Verb] = true
			}
		}
		for _, v := range g.actor.Vocabulary.Verbs {
			if v.Example != "" && !verbs[v.Name] {
				t.Errorf("%s: %s (%s) is not in the guide", g.name, v.Name, v.Example)
			}
		}
	}
}

// TestGuideShowsWhatCanBeDone: what a mail shows nobody refuses, as things stand, and
// little is left out for that.
func TestGuideShowsWhatCanBeDone(t *testing.T) {
	t.Parallel()
	for _, g := range everyGuide(t) {
		in, ok := GuideFor(g.rules, []parse.Actor{g.actor}, false)
		if !ok {
			t.Fatalf("%s has no guide", g.name)
		}
		shown, all := 0, 0
		for _, s := range in.Sections {
			for _, o := range s.Orders {
				shown++
				if p := objections(g.rules, []parse.Actor{g.actor}, 0, o.Write); len(p) > 0 {
					t.Errorf("%s: %q: %s", g.name, o.Write, p[0].Text)
				}
			}
		}
		for _, s := range g.guide.Guide(g.actor.View).Sections {
			all += len(s.Orders)
		}
		if shown < all*8/10 {
			t.Errorf("%s: %d of %d examples are shown", g.name, shown, all)
		}
	}
}

// TestGuideOrdersMayBeCopied: an example that the plain text shows on two lines is
// read from two lines as from one.
func TestGuideOrdersMayBeCopied(t *testing.T) {
	t.Parallel()
	for _, g := range everyGuide(t) {
		in, _ := GuideFor(g.rules, []parse.Actor{g.actor}, false)
		text, _, err := in.Page()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range in.Sections {
			for _, o := range s.Orders {
				lines := copied(text, o.Write)
				want := parse.Orders([]parse.Line{{N: 1, Text: o.Write}}, []parse.Actor{g.actor})
				got := parse.Orders(lines, []parse.Actor{g.actor})
				if len(got) != 1 || cmp.Diff(want[0].Plan, got[0].Plan, cmpopts.IgnoreTypes(game.Span{})) != "" {
					t.Errorf("%s: %+v is not read as %q", g.name, lines, o.Write)
				}
			}
		}
	}
}

// copied are the lines in which a text shows an example of a list.
func copied(text, write string) (lines []parse.Line) {
	var words []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "- ") {
			lines, words = nil, nil
		}
		lines = append(lines, parse.Line{N: len(lines) + 1, Text: strings.TrimRight(line, "\n")})
		words = append(words, strings.Fields(line)...)
		if strings.Join(words, " ") == "- "+write {
			return lines
		}
	}
	return nil
}

// TestGuidesOfSeveralAreUnderstood: an example for one of several says for whom it is,
// and so it is read: in a player's letter, and behind AS in a GM's.
func TestGuidesOfSeveralAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"demo.toml", "ambush.toml", "brawl.toml", "bridge.toml"} {
		rules, world := exampleWorld(t, file)
		sides := map[bool][]parse.Actor{}
		for _, b := range world.Bodies() {
			v := rules.See(world, b.ID)
			sides[b.Player == ""] = append(sides[b.Player == ""], parse.Actor{ID: b.ID, View: v, Vocabulary: rules.Vocabulary(v)})
		}
		for gm, actors := range sides {
			in, _ := GuideFor(rules, actors, gm)
			if len(in.Names) != len(actors) {
				t.Errorf("%s: the guide is for %v", file, in.Names)
			}
			for _, s := range in.Sections {
				for _, o := range s.Orders {
					lines := []parse.Line{{N: 1, Text: o.Write}}
					if gm {
						read := parse.GM(lines, nil, rules.Vocabulary(rules.See(world, game.GM)), nil)
						if len(read.As) != 1 || len(read.As[0].Who) != 1 || len(read.Problems)+len(read.Rest) > 0 {
							t.Errorf("%s: %q is read as %+v", file, o.Write, read)
							continue
						}
						lines = read.As[0].Lines
						i := slices.IndexFunc(actors, func(a parse.Actor) bool { return a.ID == read.As[0].Who[0] })
						if p := parse.Orders(lines, actors[i:i+1]); len(p) != 1 || wrong(p[0].Problems) {
							t.Errorf("%s: %q: %+v", file, o.Write, p)
						}
						continue
					}
					name, _, _ := strings.Cut(o.Write, ":")
					readings := parse.Orders(lines, actors)
					i := slices.IndexFunc(actors, func(a parse.Actor) bool { return a.View.Self.Name == name })
					if len(readings) != 1 || i < 0 || readings[0].Actor != actors[i].ID || wrong(readings[0].Problems) {
						t.Errorf("%s: %q: %+v", file, o.Write, readings)
					}
				}
			}
		}
	}
}

func wrong(problems []game.Problem) bool {
	return slices.ContainsFunc(problems, func(p game.Problem) bool { return p.Severity != game.Noted })
}

// TestHelpOrders: it is answered once, in the text or in the Subject of a letter that
// says nothing else, with the reader's own weapons and with nobody whom he does not
// see; the letter's orders are never lost for it.
func TestHelpOrders(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{file: dailyGame(t)})
		anna := b.with("anna", "the turn opens")
		got := b.unchanged("HELP ORDERS", func() { b.reply("anna", anna, "help orders") })
		m := only(t, "HELP ORDERS", got, "anna")
		says(t, "HELP ORDERS", m, "How to order", "How a turn goes", "automatic pistol at Zog", "HELP ORDERS", "Range, short", "What needs the GM")
		for _, hidden := range []string{"Rask", "laser rifle", "REOPEN"} {
			if strings.Contains(m.text, hidden) {
				t.Errorf("Anna's guide speaks of %s", hidden)
			}
		}
		b.disposed("HELP ORDERS", store.Answered, "How to order")
		for _, subject := range []string{"HELP ORDERS", "[Dusk-1] Help Orders."} {
			got := b.unchanged(subject, func() { b.letter("anna", subject, anna.messageID, "\n\n-- \nAnna\n", arrival{}) })
			if only(t, subject, got, "anna").text != m.text {
				t.Errorf("the Subject %q is answered otherwise than the word", subject)
			}
		}
		got = b.deliver(func() { b.letter("anna", "HELP ORDERS", anna.messageID, "Crouch.", arrival{}) })
		says(t, "orders under such a Subject", only(t, "orders", got, "anna"), "Orders for Bobo received")
		got = b.unchanged("a Subject that acts", func() { b.letter("anna", "CLEAR", anna.messageID, "", arrival{}) })
		says(t, "a Subject that acts", only(t, "CLEAR", got, "anna"), "no orders were found")

		greta := b.with("greta", "the turn opens")
		got = b.unchanged("the GM's", func() { b.reply("greta", greta, "HELP ORDERS") })
		again := b.unchanged("the GM's Subject", func() { b.letter("greta", "Help orders", greta.messageID, "", arrival{}) })
		if only(t, "Help orders", again, "greta").text != only(t, "HELP ORDERS", got, "greta").text {
			t.Error("the GM's Subject is answered otherwise than his word")
		}
		says(t, "the GM's", only(t, "HELP ORDERS", got, "greta"), "AS Zog: ", "AS Kira: ", "EVENT 7 HIT", "NAME FIELD value", "REOPEN 24h")
	})
}

// TestHelpOrdersOfSeveral: one mail guides whoever orders two.
func TestHelpOrdersOfSeveral(t *testing.T) {
	t.Parallel()
	file := dailyGame(t)
	from, to := strings.Index(file, "[[player]]\nid = \"ben\""), strings.Index(file, "[[player]]\nid = \"carla\"")
	b := newBench(t, oneDatabase(t), benchOptions{file: strings.Replace(file[:from]+file[to:], `player = "ben"`, `player = "anna"`, 1)})
	opening := b.one("anna")
	m := only(t, "HELP ORDERS", b.unchanged("HELP ORDERS", func() { b.reply("anna", opening, "HELP ORDERS") }), "anna")
	says(t, "a guide for two", m, "what Bobo and Chirik do", "begin a line with the name", "Bobo: three shots with the automatic pistol at Zog", "Chirik: one shot with the laser rifle at Zog")
	if n := strings.Count(m.text, "How a turn goes\n"); n != 1 {
		t.Errorf("it tells how a turn goes %d times", n)
	}
}

// TestGuideOfAnotherGame: the guide names the settings that a game has of its own, and
// tells of the rules that it plays by.
func TestGuideOfAnotherGame(t *testing.T) {
	t.Parallel()
	file := dailyGame(t) + "\n[settings]\nsequence = \"side\"\nfumble_rules = false\n"
	b := newBench(t, oneDatabase(t), benchOptions{file: file})
	m := only(t, "HELP ORDERS", b.unchanged("HELP ORDERS", func() { b.reply("anna", b.with("anna", "the turn opens"), "HELP ORDERS") }), "anna")
	says(t, "a game by sides", m, "The sides roll for initiative", "side here, not pbem", "off here, not on: fumbles")
	if strings.Contains(m.text, "equal parts of your initiative") {
		t.Error("a game by sides has no slots")
	}
}
