package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Setting is one key that a game file may set. The first of its values is the
// default; Later lists values of which the rules are not built yet; Number gives
// the least and the greatest where a whole number may stand.
type Setting struct {
	Key    string   `toml:"key"`
	Values []string `toml:"values"`
	Later  []string `toml:"later"`
	Number []int    `toml:"number"`
	Rule   string   `toml:"rule"` // section or ambiguity of the rules that it decides
}

// Valid reports that there is a default, and that the limits of a number are two.
func (s Setting) Valid() bool {
	return len(s.Values) > 0 && (len(s.Number) == 0 || len(s.Number) == 2 && s.Number[0] <= s.Number[1])
}

// Takes reports that a word is a value of the setting.
func (s Setting) Takes(word string) bool {
	n, err := strconv.Atoi(word)
	return slices.Contains(s.Values, word) || len(s.Number) == 2 && err == nil && strconv.Itoa(n) == word && n >= s.Number[0] && n <= s.Number[1]
}

// Settings are the keys of a system.
type Settings []Setting

// Find finds a key, with or without the part before its dot; nil when there is none.
func (s Settings) Find(key string) *Setting {
	for i := range s {
		_, short, dotted := strings.Cut(s[i].Key, ".")
		if s[i].Key == key || dotted && short == key {
			return &s[i]
		}
	}
	return nil
}

// Keys lists the keys, sorted.
func (s Settings) Keys() []string {
	out := make([]string, 0, len(s))
	for _, row := range s {
		out = append(out, row.Key)
	}
	slices.Sort(out)
	return out
}

// Read takes the settings of a game file: what differs from the defaults, and
// what is wrong.
func (s Settings) Read(file string, values []game.Value) (map[string]string, []game.Fault) {
	set := map[string]string{}
	var faults []game.Fault
	for _, v := range values {
		bad := func(text string) {
			faults = append(faults, game.Fault{File: file, Line: v.Line, Key: v.Key, Text: text})
		}
		row := s.Find(v.Key)
		if row == nil {
			bad("unknown setting; known are " + strings.Join(s.Keys(), ", "))
			continue
		}
		word := SettingWord(v.Raw)
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
			bad(strconv.Quote(SettingWord(v.Raw)) + " is not a value of this setting; " + allowed)
		}
	}
	return set, faults
}

// SettingWord reads a string, a boolean or a number as the word it stands for.
func SettingWord(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.ToLower(strings.TrimSpace(s))
	}
	return strings.TrimSpace(string(raw))
}
