package parse_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/scenario"
)

// actors makes the readers' actors of the scenes, each once.
type actors map[string]parse.Actor

func (a actors) of(t testing.TB, scene, id string) parse.Actor {
	t.Helper()
	key := scene + " " + id
	if got, ok := a[key]; ok {
		return got
	}
	file := "../scenario/testdata/" + scene + ".json"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, faults := scenario.ReadScene(file, data)
	if faults != nil {
		t.Fatal(faults)
	}
	rules, err := rulesets.Find(s.System)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := scenario.View(*s, game.ID(id))
	if w, faults := rules.Setup(*s); len(faults) == 0 {
		v = rules.See(w, game.ID(id))
	}
	if !ok {
		t.Fatalf("%s has no %s", scene, id)
	}
	a[key] = parse.Actor{ID: game.ID(id), View: v, Vocabulary: rules.Vocabulary(v)}
	return a[key]
}

func linesOf(text string) []parse.Line {
	var all []parse.Line
	for i, l := range strings.Split(text, "\n") {
		all = append(all, parse.Line{N: i + 1, Text: l})
	}
	return all
}

// TestPhrasingsOfThreeGames reads every text of testdata/phrasings.txt: "@ scene
// actor" says who writes, "> " begins a text, which goes on over further such
// lines; below it stands the plan as JSON. What a receipt prints of it must read
// as the same plan.
func TestPhrasingsOfThreeGames(t *testing.T) {
	t.Parallel()
	const file = "testdata/phrasings.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	update := flag.Lookup("update").Value.String() == "true"
	all := actors{}
	var actor parse.Actor
	var out strings.Builder
	var text []string
	cases := 0
	finish := func(want string) {
		cases++
		plan := parse.Orders(linesOf(strings.Join(text, "\n")), []parse.Actor{actor})[0].Plan
		got := parse.PlanJSON(t, plan)
		out.WriteString(got + "\n")
		if !update && got != want {
			t.Errorf("%s: %s\n got %s\nwant %s", actor.ID, strings.Join(text, "\n"), got, want)
		}
		printed := parse.Phrases(plan, actor.Vocabulary)
		again := parse.Orders(linesOf(strings.Join(printed, "\n")), []parse.Actor{actor})[0].Plan
		opts := []cmp.Option{
			cmpopts.EquateEmpty(), cmpopts.IgnoreFields(game.Intent{}, "At", "Pending", "Action"), cmpopts.IgnoreFields(game.Reaction{}, "At"),
			cmpopts.IgnoreFields(game.Plan{}, "Questions", "Unparsed", "Ask"),
		}
		pending := strings.Contains(got, `"pending"`)
		if diff := cmp.Diff(plan, again, opts...); diff != "" && !pending {
			t.Errorf("%s: %s\nprinted as\n%s\nreads as another plan (-first +second):\n%s", actor.ID, strings.Join(text, "\n"), strings.Join(printed, "\n"), diff)
		}
		text = nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(string(data), "\n"), "\n") {
		if l, ok := strings.CutPrefix(line, ">"); ok {
			text = append(text, strings.TrimPrefix(l, " "))
			out.WriteString(line + "\n")
			continue
		}
		if text != nil {
			finish(line)
			if strings.HasPrefix(line, "{") {
				continue
			}
		}
		out.WriteString(line + "\n")
		if l, ok := strings.CutPrefix(line, "@ "); ok {
			scene, id, _ := strings.Cut(l, " ")
			actor = all.of(t, scene, id)
		}
	}
	if text != nil {
		finish("")
	}
	if cases < 200 && !update {
		t.Errorf("%d cases, want at least 200", cases)
	}
	if update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// seeds are the texts of the phrasings with who writes them.
func seeds(t testing.TB) (texts []string, who []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/phrasings.txt")
	if err != nil {
		t.Fatal(err)
	}
	actor := ""
	for line := range strings.SplitSeq(string(data), "\n") {
		if l, ok := strings.CutPrefix(line, "@ "); ok {
			actor = l
		}
		if l, ok := strings.CutPrefix(line, "> "); ok {
			texts, who = append(texts, l), append(who, actor)
		}
	}
	return texts, who
}

// FuzzOrdersOfThreeGames reads any text in each of the games: positions lie
// inside the lines, nobody unseen is named, and what is printed can be read.
func FuzzOrdersOfThreeGames(f *testing.F) {
	all := actors{}
	var readers []parse.Actor
	for _, who := range []string{"sf-warehouse mira", "sf-canyon tasha", "sf-corridor harlan", "es-bridge hollis", "pm-ford bess"} {
		scene, id, _ := strings.Cut(who, " ")
		readers = append(readers, all.of(f, scene, id))
	}
	texts, _ := seeds(f)
	for i, text := range texts {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		actor := readers[int(n)%len(readers)]
		r := parse.Orders(linesOf(text), []parse.Actor{actor})[0]
		for _, p := range r.Problems {
			if p.At.Line > 0 && (p.At.Col < 1 || p.At.Len < 0 || p.At.Col+p.At.Len-1 > len([]rune(p.Source))) {
				t.Errorf("%+v lies outside of %q", p.At, p.Source)
			}
		}
		b, err := json.Marshal(r.Plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []string{"skulker", "bandit_ridge", "pirate_x", "bolt_man", "out_oak"} {
			if strings.Contains(string(b), `":"`+hidden+`"`) {
				t.Errorf("%s is in the plan", hidden)
			}
		}
		printed := parse.Phrases(r.Plan, actor.Vocabulary)
		parse.Orders(linesOf(strings.Join(printed, "\n")), []parse.Actor{actor})
	})
}

// BenchmarkOrderMail reads a mail of ten lines with five slips, in a scene of
// fifty combatants.
func BenchmarkOrderMail(b *testing.B) {
	actor := actors{}.of(b, "sf-warehouse", "mira")
	for i := range 50 - len(actor.Vocabulary.People) {
		id := game.ID("thug_" + string(rune('a'+i/26)) + string(rune('a'+i%26)))
		s := game.Sight{ID: id, Name: "thug " + strings.ToUpper(string(id[5:])), Side: "gang", Race: "Human", Description: "thug with a club", Relation: "enemy", Distance: 20 + i, InSight: true}
		actor.View.Others = append(actor.View.Others, s)
		actor.Vocabulary.People = append(actor.Vocabulary.People, game.Named{
			ID: id, Names: []string{s.Name, string(id)}, Words: []string{"thug", "club"}, Relation: "enemy", Sight: &s,
		})
	}
	lines := linesOf(strings.Join([]string{
		"Hi all, here are my orders for this turn.",
		"1. Turn on my albedo scren.",
		"2. Set the pistol to 4.",
		"3. One shto at the robot, then one at Zog.",
		"4. If Zog comes within 10 metres of me, I shoot him onec.",
		"5. If the robot is down I shoot the scarred Yazirian instead.",
		"6. Then I run bakc behind the grey crates and duck.",
		`I shout "Chirik, cover the loading door!"`,
		"How far is it to the ofice door?",
		"Thanks, Anna",
	}, "\n"))
	b.ReportAllocs()
	for b.Loop() {
		parse.Orders(lines, []parse.Actor{actor})
	}
}
