package starfrontiers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every vector of section 22 stands under its id in a test, or here with the
// reason why it does not. Of a prefix the number of the last vector is given.
func TestEveryVectorIsTested(t *testing.T) {
	t.Parallel()
	prefixes := []struct {
		name string
		last int
	}{
		{"IM", 1}, {"IN", 17}, {"SL", 22}, {"SU", 8}, {"SP", 6}, {"TH", 23}, {"RB", 12}, {"DI", 2}, {"LO", 7}, {"FA", 3},
		{"CG", 43}, {"CD", 17}, {"FU", 15}, {"FD", 8}, {"BU", 9}, {"PW", 6}, {"DM", 16}, {"OP", 12}, {"ML", 5}, {"WR", 3}, {"WL", 6}, {"GR", 7}, {"S", 7},
	}
	// Read from testdata/vectors.md row by row, with their number checked there.
	byFile := map[string]bool{"SL": true, "RB": true, "CG": true, "FD": true}
	without := map[string]string{
		"WR-1": "wrestling (7.3) is not built", "WR-2": "wrestling (7.3) is not built", "WR-3": "wrestling (7.3) is not built",
		"WL-1": "weightless combat (15) is not built", "WL-2": "weightless combat (15) is not built", "WL-3": "weightless combat (15) is not built",
		"WL-4": "weightless combat (15) is not built", "WL-5": "weightless combat (15) is not built", "WL-6": "weightless combat (15) is not built",
	}
	named := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`(?:Test(?:\w*?[a-z])?|\b)(I[MN]|S[LUP]|TH|RB|DI|LO|FA|C[GD]|F[UD]|BU|PW|DM|OP|ML|W[RL]|GR|S)-?(\d+)(?: to (?:[A-Z]+-)?(\d+))?`)
	for _, name := range files {
		if name == "ledger_test.go" {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range id.FindAllStringSubmatch(string(b), -1) {
			from, to := 0, 0
			_, _ = fmt.Sscan(m[2], &from)
			if to = from; m[3] != "" {
				_, _ = fmt.Sscan(m[3], &to)
			}
			for n := from; n <= to; n++ {
				named[fmt.Sprintf("%s-%d", m[1], n)] = true
			}
		}
	}
	for _, p := range prefixes {
		for n := 1; n <= p.last; n++ {
			key := fmt.Sprintf("%s-%d", p.name, n)
			switch tested := named[key] || byFile[p.name]; {
			case tested && without[key] != "":
				t.Errorf("%s is tested; take it off the list (%s)", key, without[key])
			case !tested && without[key] == "":
				t.Errorf("no test names %s", strings.Replace(key, "S-", "S", 1))
			}
		}
	}
}
