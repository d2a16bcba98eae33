package rulesets

import (
	"strings"
	"testing"
)

func TestListedSystems(t *testing.T) {
	t.Parallel()
	all := All()
	if len(all) == 0 {
		t.Fatal("no system")
	}
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.Name()] || r.Version() < 1 || len(r.DataHash()) != 64 {
			t.Errorf("%s: version %d, data %s", r.Name(), r.Version(), r.DataHash())
		}
		seen[r.Name()] = true
		if got, ok := ByName(r.Name()); !ok || got.Name() != r.Name() {
			t.Errorf("%s is not found by its name", r.Name())
		}
	}
	if !seen["star-frontiers"] {
		t.Error("star-frontiers is not listed")
	}
}

func TestFindSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"eternal-soldier": "is not built yet",
		"percentile":      "is not built yet",
		"chess":           `there is no system "chess"`,
	} {
		_, err := Find(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "star-frontiers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := Find("star-frontiers"); err != nil || r.Name() != "star-frontiers" {
		t.Errorf("%v", err)
	}
}
