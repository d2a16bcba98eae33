package rulesets

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
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
	if _, err := Find("chess"); err == nil || !strings.Contains(err.Error(), `there is no system "chess"`) || !strings.Contains(err.Error(), "star-frontiers") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"star-frontiers", "eternal-soldier", "percentile"} {
		if r, err := Find(name); err != nil || r.Name() != name {
			t.Errorf("%v", err)
		}
	}
}

func TestSystemsThatAreNotBuiltSayIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"percentile"} {
		r, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		w, faults := r.Setup(game.Scenario{File: "a.toml", System: name})
		if w != nil || len(faults) != 1 || faults[0].Key != "system" || !strings.Contains(faults[0].Error(), "not built yet") {
			t.Errorf("%s: %v", name, faults)
		}
	}
}
