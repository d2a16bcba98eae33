package resolve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// TestKeyedNamesThePlaceOfWhatIsWrong and leaves the value as it was.
func TestKeyedNamesThePlaceOfWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, raw, want, fault string
	}{
		{"number", `7`, "7", ""}, {"number", `11`, "5", "a whole number from 0 to 10"}, {"number", `"x"`, "5", "a whole number"},
		{"word", `"left"`, "left", ""}, {"word", `"up"`, "old", "one of left, right"},
		{"text", `"Zog"`, "Zog", ""}, {"text", `7`, "old", "a text"},
		{"truth", `true`, "true", ""}, {"truth", `1`, "false", "true or false"},
	} {
		var faults []game.Fault
		k := Keyed{File: "dusk.toml", At: "combatant[zog]", Value: game.Value{Key: "key", Raw: json.RawMessage(c.raw), Line: 9}, Faults: &faults}
		n, word, yes, got := 5, "old", false, ""
		switch c.kind {
		case "number":
			k.Number(&n, 0, 10)
			got = Signed(n)[1:]
			if n == 0 {
				got = "0"
			}
		case "word":
			k.Word(&word, "left", "right")
			got = word
		case "text":
			k.Text(&word)
			got = word
		case "truth":
			k.Truth(&yes)
			got = map[bool]string{true: "true", false: "false"}[yes]
		}
		if got != c.want {
			t.Errorf("%s %s is read as %s, want %s", c.kind, c.raw, got, c.want)
		}
		switch {
		case c.fault == "" && len(faults) > 0:
			t.Errorf("%s %s: %v", c.kind, c.raw, faults)
		case c.fault != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "dusk.toml:9: combatant[zog].key: must be ") || !strings.Contains(faults[0].Text, c.fault)):
			t.Errorf("%s %s: %v, want a fault that says %q", c.kind, c.raw, faults, c.fault)
		}
	}
}

func TestAFightIsOverWhenOneSideIsLeft(t *testing.T) {
	t.Parallel()
	body := func(side game.ID, able bool) game.Body { return game.Body{Side: side, Able: able} }
	for _, c := range []struct {
		name   string
		bodies []game.Body
		why    string
	}{
		{"two able sides", []game.Body{body("a", true), body("b", true)}, ""},
		{"one of them", []game.Body{body("a", true), body("b", false)}, "nobody is able to fight on among: b"},
		{"none of them", []game.Body{body("b", false), body("a", false)}, "nobody is able to fight on among: a, b"},
		{"a comrade stands", []game.Body{body("a", true), body("b", false), body("b", true)}, ""},
		{"only one side there is", []game.Body{body("a", false)}, ""},
		{"neutrals do not count", []game.Body{body("a", true), body("neutral", false), body("", false)}, ""},
	} {
		if over, why := Over(c.bodies); over != (c.why != "") || why != c.why {
			t.Errorf("%s: %v, %q; want %q", c.name, over, why, c.why)
		}
	}
}
