package rulesettest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Judged is a game system that objects to rulings.
type Judged interface {
	resolve.Ruleset
	resolve.Judge
}

// Ruling is one thing that the rules of a system let the GM decide. Lines are as
// he types them; {bobo/r1.1} stands for the number that the packet gives to that
// event. Where First is not empty it is said in answer to the first packet, and
// Says to the next.
type Ruling struct {
	Area, May   string
	First, Says string
	Input       func(testing.TB) resolve.Input
	Shows       func(resolve.Outcome) bool // true with what is said, false without it
	Shown       string                     // it is no ruling of one turn: the package and the test that show it
	Not         string                     // it is not done: why
}

// Rulings tries all rows. Each area must have one, and no row another area: its
// words are read by the real reader, and what they change is looked for in the
// turn; without them it is not there.
func Rulings(t *testing.T, rules Judged, areas []string, rows []Ruling) {
	t.Helper()
	has := map[string]int{}
	for _, r := range rows {
		has[r.Area]++
		name := r.Area + ": " + r.May
		if r.Shown != "" || r.Not != "" {
			if r.Shows != nil || r.Shown != "" && r.Not != "" {
				t.Errorf("%s: it is done, shown elsewhere, or not done", name)
			}
			if r.Shown != "" {
				testNamed(t, name, r.Shown)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.try(t, rules)
		})
	}
	for _, a := range areas {
		if has[a] == 0 {
			t.Errorf("%s has no row", a)
		}
		delete(has, a)
	}
	if len(has) > 0 {
		t.Errorf("no areas of the rules: %v", has)
	}
}

var refWord = regexp.MustCompile(`\{([^}]+)\}`)

// Typed reads lines as the daemon reads a GM's letter that answers the packet of
// an attempt.
func Typed(t testing.TB, rules Judged, in resolve.Input, attempt resolve.Outcome, says string) parse.GMText {
	t.Helper()
	refs := make([]string, len(attempt.Events))
	for i, ev := range attempt.Events {
		refs[i] = ev.Ref
	}
	says = refWord.ReplaceAllStringFunc(says, func(w string) string {
		if strings.Contains(w, "\"") {
			return w // columns of a table
		}
		i := slices.Index(refs, strings.Trim(w, "{}"))
		if i < 0 {
			t.Errorf("%s: the attempt has no event %s:\n%s", says, w, Told(attempt))
		}
		return strconv.Itoa(i + 1)
	})
	var lines []parse.Line
	for i, l := range strings.Split(says, "\n") {
		lines = append(lines, parse.Line{N: i + 1, Text: l})
	}
	got := parse.GM(lines, nil, rules.Vocabulary(rules.See(in.World, game.GM)), refs)
	got.Object(func(x game.Ruling) (string, string) { return rules.Fault(in.World, attempt.Events, x) })
	for i := range got.Rulings {
		got.Rulings[i].N = i + 1
	}
	return got
}

// Told writes events as the GM reads them, one a line.
func Told(out resolve.Outcome) string {
	var b strings.Builder
	for i, ev := range out.Events {
		fmt.Fprintf(&b, "%d. %s %s %s: %s\n", i+1, ev.Ref, ev.Kind, ev.Outcome, ev.Text[game.All])
	}
	return b.String()
}

func (r Ruling) try(t *testing.T, rules Judged) {
	in := r.Input(t)
	plain := rules.Resolve(in)
	if r.Shows(plain) {
		t.Fatalf("the turn is so without the ruling:\n%s", Told(plain))
	}
	read := func(suffix string) []game.Ruling {
		var out []game.Ruling
		attempt := plain
		for _, says := range []string{r.First, r.Says} {
			if says == "" {
				continue
			}
			text := Typed(t, rules, in, attempt, strings.ReplaceAll(says, "\n", suffix+"\n")+suffix)
			if len(text.Problems)+len(text.Rest) > 0 || len(text.Rulings) != len(strings.Split(says, "\n")) {
				t.Fatalf("read %+v, in answer to\n%s", text, Told(attempt))
			}
			for _, x := range text.Rulings {
				x.N = len(out) + 1
				out = append(out, x)
			}
			attempt = r.ruled(t, rules, out)
			if r.Says != says && r.Shows(attempt) {
				t.Fatalf("the turn is so without the second ruling:\n%s", Told(attempt))
			}
		}
		return out
	}
	rulings := read("")
	out := r.ruled(t, rules, rulings)
	if len(out.Unused) > 0 {
		t.Errorf("not used: %v", out.Unused)
	}
	if !r.Shows(out) {
		t.Errorf("it does not show:\n%s", Told(out))
	}
	if diff := cmp.Diff(written(out), written(r.ruled(t, rules, rulings))); diff != "" {
		t.Errorf("a second time it is another:\n%s", diff)
	}
	back, err := rules.Load(encoded(out.World))
	if err != nil || written(back) != written(out.World) {
		t.Errorf("the world is not read back as it was: %v", err)
	}
	for _, x := range rulings {
		if !slices.ContainsFunc(out.Events, func(ev game.Event) bool { return slices.Contains(ev.Ruled, x.N) }) {
			t.Errorf("no event tells of %q", x.Text)
		}
	}
	// In secret it has the same effect, and no player reads of it.
	hidden := read(" SECRET")
	for i := range hidden {
		if !hidden[i].Secret {
			t.Errorf("%q is no secret", hidden[i].Text)
		}
		hidden[i].Reason = "xyzzy"
	}
	out = r.ruled(t, rules, hidden)
	if !r.Shows(out) {
		t.Errorf("in secret it does not show:\n%s", Told(out))
	}
	for _, b := range in.World.Bodies() {
		lines := written(report.Project(out.Events, []game.ID{b.ID}))
		for _, word := range []string{"xyzzy", "ruling", "SECRET"} {
			if strings.Contains(lines, word) {
				t.Errorf("%s reads %q: %s", b.ID, word, lines)
			}
		}
	}
}

func (r Ruling) ruled(t testing.TB, rules Judged, rulings []game.Ruling) resolve.Outcome {
	in := r.Input(t)
	in.Rulings = rulings
	return rules.Resolve(in)
}

// written is a value as the store keeps it.
func written(v any) string { return string(encoded(v)) }

// testNamed looks for "package TestName" in the tests of a package of ours; the
// tests of rulesets are three folders below their packages.
func testNamed(t *testing.T, row, name string) {
	t.Helper()
	dir, fn, _ := strings.Cut(name, " ")
	files, err := filepath.Glob(filepath.Join("..", "..", "..", dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s: there are no tests in %s", row, dir)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(b), "func "+fn+"(") {
			return
		}
	}
	t.Errorf("%s: there is no test %s in %s", row, fn, dir)
}

// EveryFieldIsSaid reports each field that no row says: the packet would offer it,
// and nothing shows that it is carried out. Settings stand aside.
func EveryFieldIsSaid(t *testing.T, fields []game.Field, rows []Ruling) {
	t.Helper()
	said := ""
	for _, r := range rows {
		said += r.First + "\n" + r.Says + "\n"
	}
	for _, f := range fields {
		if f.Of == game.OfTurn {
			continue
		}
		words := []string{f.Name}
		if f.Type == "outcome" {
			words = f.Words
		}
		for _, w := range words {
			if !regexp.MustCompile(`(?m)^\S+ (\S+ )?` + fmt.Sprintf(`(?i:%s)\b`, regexp.QuoteMeta(w))).MatchString(said) {
				t.Errorf("no row says %s (%s)", w, f.Of)
			}
		}
	}
}

// Refused tries lines that cannot be: each is refused when it is read, and what may
// be written instead holds the words wanted.
func Refused(t *testing.T, rules Judged, in resolve.Input, lines map[string]string) {
	t.Helper()
	out := rules.Resolve(in)
	for says, want := range lines {
		text := Typed(t, rules, in, out, says)
		if len(text.Problems) != 1 || len(text.Rulings) != 0 || len(text.Rest) != 1 {
			t.Errorf("%s: %+v", says, text)
			continue
		}
		if p := text.Problems[0]; !strings.Contains(p.Text+" "+p.Do, want) || p.Do == "" || p.Source == "" || p.At.Line != 1 {
			t.Errorf("%s: %+v", says, p)
		}
	}
}

// RulesOfATurn puts every value of every setting in force for a turn: it ends with
// the turn, but not with a pause in it; and from now on: it stays. setting gives
// the value of a key that is in force in a world.
func RulesOfATurn(t *testing.T, rules Judged, input func(testing.TB) resolve.Input, setting func(w game.World, key string) string) {
	t.Helper()
	in := input(t)
	plain := rules.Resolve(in)
	for _, f := range rules.Vocabulary(rules.See(in.World, game.GM)).Fields {
		if f.Of != game.OfTurn || f.Type == "cell" {
			continue
		}
		values := slices.Clone(f.Words)
		if f.Type == "number" {
			values = append(values, strconv.Itoa(f.Most))
		}
		for _, value := range values {
			for _, word := range []string{"TURN", "GAME"} {
				text := Typed(t, rules, in, plain, word+" "+f.Name+" "+value)
				if len(text.Rulings) != 1 || len(text.Problems) > 0 {
					t.Fatalf("%s %s: %+v", f.Name, value, text)
				}
				again := input(t)
				again.Rulings = text.Rulings
				out := rules.Resolve(again)
				want := value
				if word == "TURN" && out.Pause == nil {
					want = setting(in.World, f.Name)
				}
				if got := setting(out.World, f.Name); got != want || len(out.Unused) > 0 {
					t.Errorf("%s %s %s: it is %s, unused %v", word, f.Name, value, got, out.Unused)
				}
			}
		}
	}
}

// Offered tries that what the packet of a turn offers to rule of its events is read
// and can be, each word and each value as it is written there.
func Offered(t *testing.T, rules Judged, in resolve.Input) {
	t.Helper()
	out := rules.Resolve(in)
	packet := report.PacketIn{Events: out.Events, Fields: rules.Vocabulary(rules.See(in.World, game.GM)).Fields}
	offered := packet.EventWords()
	if len(offered) == 0 {
		t.Errorf("nothing is offered:\n%s", Told(out))
	}
	for _, w := range offered {
		for _, line := range slices.Concat(w.Words, w.Values) {
			line, _, _ = strings.Cut(line, "|")
			if text := Typed(t, rules, in, out, fmt.Sprintf("EVENT %d %s", w.Event, line)); len(text.Rulings) != 1 || len(text.Problems) > 0 {
				t.Errorf("EVENT %d %s: %+v", w.Event, line, text.Problems)
			}
		}
	}
}
