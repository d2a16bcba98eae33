package resolve

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestSettingsAreReadAsWordsAndNumbers(t *testing.T) {
	t.Parallel()
	keys := Settings{
		{Key: "cap", Values: []string{"50"}, Number: []int{0, 100}},
		{Key: "melee.crits", Values: []string{"on", "off"}},
		{Key: "order", Values: []string{"first", "last"}, Later: []string{"random"}},
	}
	for _, c := range []struct {
		key, raw string
		want     map[string]string
		fault    string
	}{
		{"cap", `40`, map[string]string{"cap": "40"}, ""},
		{"cap", `50`, map[string]string{"cap": "50"}, ""},
		{"cap", `101`, map[string]string{}, "or 0 to 100"},
		{"crits", `false`, map[string]string{"melee.crits": "off"}, ""},
		{"melee.crits", `"On"`, map[string]string{}, ""},
		{"order", `"random"`, map[string]string{}, "is not built yet"},
		{"order", `"middle"`, map[string]string{}, "allowed: first, last"},
		{"speed", `1`, map[string]string{}, "known are cap, melee.crits, order"},
	} {
		got, faults := keys.Read("dusk.toml", []game.Value{{Key: c.key, Raw: json.RawMessage(c.raw), Line: 7}})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s = %s (-want +got):\n%s", c.key, c.raw, diff)
		}
		switch {
		case c.fault == "" && len(faults) > 0:
			t.Errorf("%s = %s: %v", c.key, c.raw, faults)
		case c.fault != "" && (len(faults) != 1 || faults[0].Line != 7 || !strings.Contains(faults[0].Text, c.fault)):
			t.Errorf("%s = %s: faults %v, want one that says %q", c.key, c.raw, faults, c.fault)
		}
	}
}

func TestDataNamesEveryFaultAndHashesWhatItRead(t *testing.T) {
	t.Parallel()
	read := func(text string) *Data {
		d := NewData(fstest.MapFS{"a.toml": {Data: []byte(text)}})
		var into struct{ Known int }
		d.Read("a.toml", &into)
		return d
	}
	if one, two := read("known = 1"), read("known = 2"); one.Hash() == two.Hash() || one.Hash() != read("known = 1").Hash() || len(one.Faults()) > 0 {
		t.Errorf("hashes %s and %s, faults %v", one.Hash(), two.Hash(), one.Faults())
	}
	d := read("known = 1\nother = 2\n")
	d.Read("b.toml", &struct{}{})
	if f := d.Faults(); len(f) != 2 || !strings.Contains(f[0].Error(), "other") || !strings.Contains(f[1].Error(), "b.toml") {
		t.Errorf("faults: %v", f)
	}
}
