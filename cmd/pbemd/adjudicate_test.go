package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

var update = flag.Bool("update", false, "write the golden files anew")

const holdup = "../../examples/holdup.toml"

// command runs a command that needs nothing but its input.
func command(f func([]string, *strings.Reader, *bytes.Buffer, *bytes.Buffer) int, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = f(args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func adjudicateCommand(args []string, in *strings.Reader, out, errs *bytes.Buffer) int {
	return runAdjudicate(args, in, out, errs)
}

func parseCommand(args []string, in *strings.Reader, out, errs *bytes.Buffer) int {
	return runParse(args, in, out, errs)
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// withFile writes a changed copy of the hold-up.
func withFile(t *testing.T, changes ...string) string {
	t.Helper()
	data, err := os.ReadFile(holdup)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("%q is not in %s", changes[i], holdup)
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	file := filepath.Join(t.TempDir(), "x.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// outcome is what --json prints.
type outcome struct {
	events []game.Event
	state  map[game.ID]struct {
		Place  game.Square       `json:"place"`
		Able   bool              `json:"able"`
		Sheet  map[string]string `json:"sheet"`
		Status []string          `json:"status"`
	}
}

func readJSONLines(t *testing.T, text string) outcome {
	t.Helper()
	var o outcome
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if o.state != nil {
			t.Fatalf("there is more after the state: %s", lines.Text())
		}
		if strings.HasPrefix(lines.Text(), `{"state":`) {
			var s struct{ State any }
			s.State = &o.state
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var e game.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		o.events = append(o.events, e)
	}
	if o.state == nil {
		t.Fatalf("there is no state in:\n%s", text)
	}
	return o
}

// The hold-up is S1 of the rules without the blow at its end: two held shots as
// Yaz comes within ten metres, the third in its own slot.
func TestAdjudicateTheHoldup(t *testing.T) {
	t.Parallel()
	code, out, errs := command(adjudicateCommand, "", holdup, "--json")
	if code != exitDone || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	o := readJSONLines(t, out)
	type shot struct {
		At, Hit, Chance int
		Outcome         string
	}
	var got []shot
	for _, e := range o.events {
		if e.Kind != "fire" || !e.Attack {
			continue
		}
		s := shot{At: e.At, Chance: e.Numbers["chance"], Outcome: e.Outcome}
		for _, d := range e.Dice {
			if strings.HasPrefix(d.Name, "hit/bobo") {
				s.Hit = d.Value
			}
			if d.Source != "scripted" {
				t.Errorf("%s came from %s", d.Name, d.Source)
			}
		}
		got = append(got, s)
	}
	want := []shot{{8, 12, 15, "hit"}, {8, 40, 15, "miss"}, {5, 25, 25, "hit"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shots (-want +got):\n%s", diff)
	}
	if yaz := o.state["yaz"]; yaz.Sheet["STA"] != "25/35" || yaz.Place != (game.Square{X: 1}) {
		t.Errorf("Yaz ends as %+v", yaz)
	}
}

// The stories of the examples stand in testdata. If one changes although nobody
// changed the example, the ruleset's version must rise.
func TestAdjudicateTellsTheStory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"holdup", "demo", "brawl", "ambush", "swords", "gunfight", "bridge"} {
		code, out, errs := command(adjudicateCommand, "", "../../examples/"+name+".toml")
		if code != exitDone || errs != "" {
			t.Fatalf("%s: exit code %d: %s", name, code, errs)
		}
		golden(t, name+".txt", out)
	}
}

func TestAdjudicateIsDeterministic(t *testing.T) {
	t.Parallel()
	_, first, _ := command(adjudicateCommand, "", "--json", holdup)
	_, second, _ := command(adjudicateCommand, "", holdup, "--json")
	if first != second {
		t.Error("two runs differ")
	}
	data, err := os.ReadFile(holdup)
	if err != nil {
		t.Fatal(err)
	}
	if _, third, _ := command(adjudicateCommand, string(data), "-", "--json"); first != third {
		t.Error("a file and standard input differ")
	}
}

func TestAdjudicateRulings(t *testing.T) {
	t.Parallel()
	_, plain, _ := command(adjudicateCommand, "", holdup, "--json")
	number := 0
	for i, e := range readJSONLines(t, plain).events {
		if e.Kind == "fire" && e.Outcome == "miss" {
			number = i + 1
		}
	}
	file := withFile(t, "# Dice by", `[[ruling]]
line = "EVENT `+itoa(number)+` HIT"

[[ruling]]
line = "DIE dmg/zog/r1.1 = 3"

[[ruling]]
kind = "set"
who = "bobo"
field = "STA"
value = "7"
reason = "an old wound"

# Dice by`)
	code, out, errs := command(adjudicateCommand, "", file, "--json")
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	o := readJSONLines(t, out)
	for _, e := range o.events {
		if e.Kind == "fire" && e.Outcome != "hit" {
			t.Errorf("%s is a %s", e.Ref, e.Outcome)
		}
	}
	if sta := o.state["bobo"].Sheet["STA"]; sta != "7/50" {
		t.Errorf("Bobo has STA %s", sta)
	}
	if !strings.Contains(errs, "Ruling 2 was not used") {
		t.Errorf("the ruling on a die that nobody rolled is not told:\n%s", errs)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestAdjudicateTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		code int
		want []string // in standard error
	}{
		"no file":              {nil, exitUsage, []string{"usage: pbemd adjudicate"}},
		"two files":            {[]string{holdup, holdup}, exitUsage, []string{"usage: pbemd adjudicate"}},
		"an unknown flag":      {[]string{holdup, "--xml"}, exitUsage, []string{"usage: pbemd adjudicate"}},
		"help":                 {[]string{"--help"}, exitDone, []string{"usage: pbemd adjudicate"}},
		"no such file":         {[]string{"nowhere.toml"}, exitError, []string{"nowhere.toml"}},
		"faults of the file":   {[]string{withFile(t, `place = "A1"`, `place = "Z9"`, `title =`, `titel =`)}, exitError, []string{"x.toml:15: game.titel", "game.title: it is missing", "x.toml:29: combatant[bobo].place"}},
		"faults of the system": {[]string{withFile(t, "rounds = 20", "bullets = 20", "dex = 50", "dex = 500")}, exitError, []string{"bullets", "dex"}},
		"no such system":       {[]string{withFile(t, `"star-frontiers"`, `"chess"`)}, exitError, []string{`"chess"`, "star-frontiers"}},
		"a ruling that is none": {[]string{withFile(t, "# Dice by", "[[ruling]]\nline = \"make it so\"\n# Dice by")}, exitError,
			[]string{"ruling[1]", `"make it so" is not one ruling`}},
		"a ruling on no event": {[]string{withFile(t, "# Dice by", "[[ruling]]\nline = \"EVENT 99 HIT\"\n# Dice by")}, exitError, []string{"ruling[1]", "99"}},
	} {
		code, out, errs := command(adjudicateCommand, "", c.args...)
		if code != c.code || out != "" {
			t.Errorf("%s: exit code %d, want %d; printed %q", name, code, c.code, out)
		}
		for _, w := range c.want {
			if !strings.Contains(errs, w) {
				t.Errorf("%s: %q is not in standard error:\n%s", name, w, errs)
			}
		}
	}
}
