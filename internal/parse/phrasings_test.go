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
		got := short(t, plan)
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

// short is a plan in one line: empty lists left out, questions as their kinds.
func short(t *testing.T, p game.Plan) string {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Steps     []json.RawMessage `json:"steps,omitempty"`
		Reactions []json.RawMessage `json:"reactions,omitempty"`
		Standing  []json.RawMessage `json:"standing,omitempty"`
		Say       []json.RawMessage `json:"say,omitempty"`
		Ask       []json.RawMessage `json:"ask,omitempty"`
		Questions []string          `json:"questions,omitempty"`
		Unparsed  []string          `json:"unparsed,omitempty"`
	}
	var q game.Plan
	if err := json.Unmarshal(b, &q); err != nil {
		t.Fatal(err)
	}
	q.Questions = nil
	if b, err = json.Marshal(q); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, x := range p.Questions {
		m.Questions = append(m.Questions, x.Kind)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
