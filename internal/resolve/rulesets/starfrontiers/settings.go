package starfrontiers

import "strings"

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
