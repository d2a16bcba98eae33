package starfrontiers

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
	"github.com/pbemd/pbemd/internal/resolve"
)

// areas21 are the rows of the table of section 21, in its order.
var areas21 = []string{
	"Surprise", "Spotting", "Initiative", "n and slots", "Orders", "Reactions", "Map", "Position and movement", "Line of sight", "To hit", "Damage",
	"Critical, grievous, fumble", "Status", "Resources", "Medical", "Data", "Rules", "Bystanders", "Process", "Information", "Safety",
}

// row21 is one thing of an area that the GM may do.
type row21 struct {
	area, may string
	// The lines as the GM types them; {bobo/r1.1} stands for the number that the
	// packet gives to that event.
	says  string
	scene func(testing.TB) *World // nil: pair21
	plans map[game.ID]string      // nil: both shoot
	dice  map[string][]int
	shows func(out resolve.Outcome, after *World) bool // true with the ruling, false without it
	shown string                                       // it is no ruling of one turn: the package and the test that show it
	not   string                                       // it is not done: why
}

// pair21 is Bobo, a player's, and Zog, the GM's, ten metres apart with pistols.
func pair21(t testing.TB) *World {
	return scene21(t, nil, nil)
}

// scene21 is the pair with words for the two and settings.
func scene21(t testing.TB, bobo, zog []string, settings ...string) *World {
	s := set(battlefield(2,
		who("bobo", "heroes", "A5", append([]string{"dex=50", "rs=50", "int=45", "sta=50", "facing=E", "weapon=automatic_pistol"}, bobo...)...),
		who("zog", "gang", "F5", append([]string{"gm=", "dex=50", "rs=40", "sta=50", "facing=W", "weapon=automatic_pistol"}, zog...)...),
	), settings...)
	return world(t, s)
}

func with(bobo, zog []string, settings ...string) func(testing.TB) *World {
	return func(t testing.TB) *World { return scene21(t, bobo, zog, settings...) }
}

var bothShoot = map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}]}`, "zog": oneShot("bobo")}

func (r row21) input(t testing.TB) resolve.Input {
	make := r.scene
	if make == nil {
		make = pair21
	}
	plans := r.plans
	if plans == nil {
		plans = bothShoot
	}
	return input(t, make(t), plans, r.dice)
}

var refWord = regexp.MustCompile(`\{([^}]+)\}`)

// typed reads lines as the daemon reads a GM's letter that answers the packet of
// an attempt.
func typed(t testing.TB, in resolve.Input, attempt resolve.Outcome, says string) parse.GMText {
	t.Helper()
	rules := ruleset(t)
	refs := make([]string, len(attempt.Events))
	for i, ev := range attempt.Events {
		refs[i] = ev.Ref
	}
	says = refWord.ReplaceAllStringFunc(says, func(w string) string {
		i := slices.Index(refs, strings.Trim(w, "{}"))
		if i < 0 {
			t.Errorf("%s: the attempt has no event %s:\n%s", says, w, story(attempt))
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

// TestRulings21 has a row for each thing that section 21 lets the GM do: its
// words are read by the real reader, and what they change is looked for in the
// turn; without them it is not there.
func TestRulings21(t *testing.T) {
	t.Parallel()
	has := map[string]int{}
	for _, r := range rows21() {
		has[r.area]++
		name := r.area + ": " + r.may
		if r.shown != "" || r.not != "" {
			if r.shows != nil || r.shown != "" && r.not != "" {
				t.Errorf("%s: it is done, shown elsewhere, or not done", name)
			}
			if r.shown != "" {
				testNamed(t, name, r.shown)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.try(t)
		})
	}
	for _, a := range areas21 {
		if has[a] == 0 {
			t.Errorf("%s has no row", a)
		}
		delete(has, a)
	}
	if len(has) > 0 {
		t.Errorf("no areas of section 21: %v", has)
	}
}

func (r row21) try(t *testing.T) {
	in := r.input(t)
	plain := ruleset(t).Resolve(in)
	if r.shows(plain, plain.World.(*World)) {
		t.Fatalf("the turn is so without the ruling:\n%s", story(plain))
	}
	text := typed(t, in, plain, r.says)
	if len(text.Problems)+len(text.Rest) > 0 || len(text.Rulings) != len(strings.Split(r.says, "\n")) {
		t.Fatalf("read %+v", text)
	}
	ruled := func() resolve.Outcome {
		in := r.input(t)
		in.Rulings = text.Rulings
		return ruleset(t).Resolve(in)
	}
	out := ruled()
	if len(out.Unused) > 0 {
		t.Errorf("not used: %v", out.Unused)
	}
	if !r.shows(out, out.World.(*World)) {
		t.Errorf("it does not show:\n%s", story(out))
	}
	if diff := cmp.Diff(encode(t, out), encode(t, ruled())); diff != "" {
		t.Errorf("a second time it is another:\n%s", diff)
	}
	back, err := ruleset(t).Load([]byte(encode(t, out.World)))
	if err != nil || encode(t, back) != encode(t, out.World) {
		t.Errorf("the world is not read back as it was: %v", err)
	}
	for _, x := range text.Rulings {
		if !slices.ContainsFunc(out.Events, func(ev game.Event) bool { return slices.Contains(ev.Ruled, x.N) }) {
			t.Errorf("no event tells of %q", x.Text)
		}
	}
	r.secret(t, in, plain)
}

// secret rules the same in secret: it has the same effect, and no player reads of it.
func (r row21) secret(t *testing.T, in resolve.Input, plain resolve.Outcome) {
	text := typed(t, in, plain, strings.ReplaceAll(r.says, "\n", " SECRET\n")+" SECRET")
	if len(text.Problems)+len(text.Rest) > 0 {
		t.Fatalf("in secret: %+v", text)
	}
	hidden := r.input(t)
	for _, x := range text.Rulings {
		if !x.Secret {
			t.Errorf("%q is no secret", x.Text)
		}
		x.Reason = "xyzzy"
		hidden.Rulings = append(hidden.Rulings, x)
	}
	out := ruleset(t).Resolve(hidden)
	if !r.shows(out, out.World.(*World)) {
		t.Errorf("in secret it does not show:\n%s", story(out))
	}
	for _, f := range in.World.(*World).Fighters {
		lines := encode(t, projected(out, f.ID))
		for _, word := range []string{"xyzzy", "ruling", "SECRET"} {
			if strings.Contains(lines, word) {
				t.Errorf("%s reads %q: %s", f.ID, word, lines)
			}
		}
	}
}

// testNamed looks for "package TestName" in the tests of a package of ours.
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

// TestRulingsThatCannotBe are refused when they are read, with what may be written.
func TestRulingsThatCannotBe(t *testing.T) {
	t.Parallel()
	r := row21{scene: func(t testing.TB) *World {
		w := scene21(t, nil, []string{"weapon=laser_pistol:holstered"})
		w.Features = append(w.Features, game.Feature{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 9, Y: 9}}})
		return w
	}}
	in := r.input(t)
	out := ruleset(t).Resolve(in)
	for says, want := range map[string]string{
		"BOBO STA 51":                   "from -100 to 50",
		"BOBO STA lots":                 "a whole number from -100 to 1000",
		"BOBO AT ZZ9":                   "from A1 to AN20",
		"BOBO AMMO 21":                  "from 0 to 20",
		"BOBO DIAL 3":                   "no dial",
		"ZOG DIAL 11":                   "from 1 to 10",
		"BOBO CLIPS 3":                  "Set AMMO instead",
		"BOBO SCREEN on":                "wears no screen",
		"BOBO CAPACITY 5":               "wears no suit",
		"BOBO POLICY flee":              "a player's character",
		"BOBO GROUP zog":                "a player's character",
		"ZOG GROUP bobo":                "rolls for himself",
		"BOBO SHOWN bobo":               "Name somebody else",
		"BOBO REACTS yes":               "AT EVENT 7",
		"BOBO SURPRISED yes AT EVENT 2": "Leave AT EVENT out",
		"BOBO FALL 0":                   "from 1 to 1000",
		"BOBO LEAN maybe":               "yes, no",
		"BOBO NOTICE":                   "words of your own",
		"BOBO INITIATIVE 3 AT EVENT 3":  "Leave AT EVENT out",
		"EVENT {bobo/r1.i} HIT":         "TOTAL, ACTIONS",
		"EVENT {bobo/r1.1} TOTAL 12":    "HIT, MISS, CRITICAL",
		"EVENT {bobo/r1.1} PURPLE":      "Outcomes are HIT",
		"EVENT {bobo/r1.1} COVER brick": "none, soft, hard",
		"EVENT {bobo/r1.1} WOUND 11":    "from 0 to 10",
		"EVENT {bobo/r1.1} DAMAGE":      "from 0 to 1000",
		"EVENT {bobo/r1.1} LOCATION":    "one word of your own",
		"DIE hit/bobo/r1.1 = 101":       "from 1 to 100",
		"TURN sequence backwards":       "pbem, side, individual",
		"TURN weather 200":              "from 1 to 100",
		"TURN sequence side AT EVENT 1": "Leave AT EVENT out",
		"GAME gravity off":              "crit_rules",
		"CRATE OPEN yes":                "GONE yes",
		"CRATE COVER some":              "none, soft, hard",
		"ZZ9 TERRAIN wall":              "from A1 to AN20",
		"E4 TERRAIN lava":               "low_wall",
		"BOBO STA 12 AT EVENT 99":       "from 1 to",
		"MOD bobo lots":                 "MOD bobo +10",
	} {
		text := typed(t, in, out, says)
		if len(text.Problems) != 1 || len(text.Rulings) != 0 || len(text.Rest) != 1 {
			t.Errorf("%s: %+v", says, text)
			continue
		}
		if p := text.Problems[0]; !strings.Contains(p.Text+" "+p.Do, want) || p.Do == "" || p.Source == "" || p.At.Line != 1 {
			t.Errorf("%s: %+v", says, p)
		}
	}
}

// TestEveryFieldIsUnderstood: the packet names no field that is not carried out.
func TestEveryFieldIsUnderstood(t *testing.T) {
	t.Parallel()
	said := ""
	for _, r := range rows21() {
		said += r.says + "\n"
	}
	rules := ruleset(t)
	for _, f := range rules.Vocabulary(rules.See(pair21(t), game.GM)).Fields {
		if f.Of == game.OfTurn {
			continue // TestRulesOfATurn
		}
		words := []string{f.Name}
		if f.Type == "outcome" {
			words = f.Words
		}
		for _, w := range words {
			if !regexp.MustCompile(`(?m)^\S+ (\S+ )?` + fmt.Sprintf(`(?i:%s)\b`, regexp.QuoteMeta(w))).MatchString(said) {
				t.Errorf("no row of section 21 says %s (%s)", w, f.Of)
			}
		}
	}
}
