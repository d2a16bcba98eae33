package starfrontiers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// settingOf is the value in force: what the game file says, or the default. The
// keys of the variant by mail act in its sequence alone (0.3).
func settingOf(set map[string]string, key string) string {
	if v, ok := set[key]; ok && (set["sequence"] == "" || !strings.HasPrefix(key, "pbem.")) {
		return v
	}
	t, err := embeddedTables()
	if err != nil {
		return ""
	}
	for _, row := range t.settings {
		if row.Key == key {
			return row.Values[0]
		}
	}
	return ""
}

// readSettings takes the keys of 0.3, with or without the part before the dot.
func (t *tables) readSettings(file string, values []game.Value) (map[string]string, []game.Fault) {
	set := map[string]string{}
	var faults []game.Fault
	for _, v := range values {
		bad := func(text string) {
			faults = append(faults, game.Fault{File: file, Line: v.Line, Key: v.Key, Text: text})
		}
		row := t.settingRow(v.Key)
		if row == nil {
			bad("unknown setting; known are " + strings.Join(t.settingKeys(), ", "))
			continue
		}
		word := settingWord(v.Raw)
		allowed := "allowed: " + strings.Join(row.Values, ", ")
		if len(row.Number) == 2 {
			allowed += fmt.Sprintf(", or %d to %d", row.Number[0], row.Number[1])
		}
		// true and false stand for on and off, and the other way round.
		if !slices.Contains(row.Values, word) && !slices.Contains(row.Later, word) {
			if w, ok := map[string]string{"true": "on", "false": "off", "on": "true", "off": "false"}[word]; ok {
				word = w
			}
		}
		switch n, err := strconv.Atoi(word); {
		case len(row.Number) == 2 && err == nil && n >= row.Number[0] && n <= row.Number[1]:
			set[row.Key] = strconv.Itoa(n)
		case slices.Contains(row.Values, word):
			if word != row.Values[0] {
				set[row.Key] = word
			}
		case slices.Contains(row.Later, word):
			bad(strconv.Quote(word) + " is not built yet; " + allowed)
		default:
			bad(strconv.Quote(settingWord(v.Raw)) + " is not a value of this setting; " + allowed)
		}
	}
	return set, faults
}

func (t *tables) settingRow(key string) *settingRow {
	for i := range t.settings {
		row := &t.settings[i]
		_, short, dotted := strings.Cut(row.Key, ".")
		if row.Key == key || dotted && short == key {
			return row
		}
	}
	return nil
}

func (t *tables) settingKeys() []string {
	out := make([]string, 0, len(t.settings))
	for _, row := range t.settings {
		out = append(out, row.Key)
	}
	slices.Sort(out)
	return out
}

// settingWord reads a string, a boolean or a number as the word it stands for.
func settingWord(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.ToLower(strings.TrimSpace(s))
	}
	return strings.TrimSpace(string(raw))
}
