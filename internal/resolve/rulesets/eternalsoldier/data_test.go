package eternalsoldier

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pbemd/pbemd/internal/game"
)

// TestEveryAmbiguityIsDecided: each of the 67 of section 13 by a setting or in one other place.
func TestEveryAmbiguityIsDecided(t *testing.T) {
	t.Parallel()
	r := book(t)
	decided := map[int]int{}
	for _, s := range r.settings {
		for _, word := range strings.Split(s.Rule, ",") {
			if n := ambiguity(strings.TrimSpace(word)); n > 0 {
				decided[n]++
			}
		}
	}
	for _, a := range r.ambiguous {
		if a.By != "data" && a.By != "sheet" && a.By != "ruling" && a.By != "fixed" || a.At == "" {
			t.Errorf("A%d is decided by %q at %q", a.N, a.By, a.At)
		}
		if decided[a.N] > 0 {
			t.Errorf("A%d is decided twice", a.N)
		}
		decided[a.N]++
	}
	for n := 1; n <= 67; n++ {
		if decided[n] == 0 {
			t.Errorf("nothing decides A%d", n)
		}
	}
}

func ambiguity(word string) int {
	n := 0
	if len(word) < 2 || word[0] != 'A' {
		return 0
	}
	for _, c := range word[1:] {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// TestTheArmorChart are cells of 8.1 and 8.6 from each corner.
func TestTheArmorChart(t *testing.T) {
	t.Parallel()
	r := book(t)
	if n := len(r.armors); n != 17 {
		t.Errorf("%d kinds of armor, want 17: the chart's, and the second powered one", n)
	}
	for _, c := range []struct{ id, kind, want string }{
		{"thick_furs", "pummel", "1d4"}, {"thick_furs", "energy", "1d8"}, {"thick_furs", "bullet", ""}, {"full_plate", "edged", "3d8"},
		{"kevlar_suit", "bullet", "2d10"}, {"absorbent_field", "pummel", ""}, {"absorbent_field", "beam", "3d10"}, {"powered", "bullet", "5d10"}, {"powered_improved", "energy", "4d10"},
	} {
		a := r.armor(game.ID(c.id))
		if a == nil {
			t.Errorf("there is no %s", c.id)
			continue
		}
		if got := a.of(c.kind); got != c.want {
			t.Errorf("%s against %s: %q, want %q", c.id, c.kind, got, c.want)
		}
	}
	if n := len(r.structures); n != 10 {
		t.Errorf("%d structures, want 10", n)
	}
	if got := r.structure("alloyed_plate_13").of("explosion"); got != 7 {
		t.Errorf("alloyed plate of tech 13 against explosions: %d, want 7", got)
	}
}

// TestFaultsInTheDataAreNamed by file, key and reason.
func TestFaultsInTheDataAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, old, new, want string }{
		{"actions.toml", "class = 8", "class = 11", "actions.toml: action.pick_up: needs an id, a name and a class"},
		{"arms.toml", `reach = "pole"`, `reach = "far"`, `arms.toml: weapon.spear.reach: "far" is not a reach`},
		{"arms.toml", `type = "pierce"`, `type = "sharp"`, `"sharp" is not a type of damage`},
		{"arms.toml", `damage = "3d8"`, `damage = "3x8"`, "arms.toml: weapon.two_handed_sword.damage"},
		{"arms.toml", "speed = 9\n", "sped = 9\n", "unknown key"},
		{"charts.toml", "to = 45", "to = 30", "rows must rise"},
		{"charts.toml", `effect = "most"`, `effect = "much"`, "one of the effects"},
		{"armor.toml", `source = "D"`, `source = "X"`, `"X" is not a tag`},
		{"skills.toml", "agi = 10", "agi = 9", "skills.toml: skill.defense: needs an id, and weights that sum to 10"},
		{"segments.toml", "[10, 20, 30", "[10, 20, 0", "table[0]: needs 10 values of 1 or more"},
		{"tables.toml", "again = 10", "again = 0", "tables.toml: will.again: must be 1 or more"},
		{"settings.toml", `rule = "A3"`, "", "settings.toml: setting.segment_rounding: needs a default and the rule"},
	} {
		t.Run(c.file+" "+c.new, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			names, err := fs.Glob(embedded, "data/*.toml")
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range names {
				b, err := fs.ReadFile(embedded, n)
				if err != nil {
					t.Fatal(err)
				}
				if name := strings.TrimPrefix(n, "data/"); name == c.file {
					if !strings.Contains(string(b), c.old) {
						t.Fatalf("%s does not hold %q", name, c.old)
					}
					files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(b), c.old, c.new, 1))}
				} else {
					files[name] = &fstest.MapFile{Data: b}
				}
			}
			if _, err := loadTables(files); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// TestEverySettingIsRead somewhere: one that decides nothing would be a promise
// that is not kept. Those of one value are the readings that are built.
func TestEverySettingIsRead(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	for _, s := range book(t).settings {
		if len(s.Values) == 1 && len(s.Number) == 0 {
			continue
		}
		if !strings.Contains(code.String(), `"`+s.Key+`"`) {
			t.Errorf("nothing reads %s", s.Key)
		}
	}
}
