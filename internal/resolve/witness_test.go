package resolve

import (
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// TestGradesOfPerception are all that one can get of a deed.
func TestGradesOfPerception(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		o           Onlooker
		aimed, loud bool
		want        game.Grade
	}{
		{"sees both", Onlooker{Actor: true, Target: true, Awake: true}, true, false, game.Seen},
		{"is struck by whom he sees", Onlooker{Actor: true, Struck: true}, true, false, game.Seen},
		{"sees the actor alone", Onlooker{Actor: true, Awake: true}, true, true, game.Actor},
		{"sees the target alone", Onlooker{Target: true, Awake: true}, true, true, game.Target},
		{"sees it and sleeps", Onlooker{Target: true}, true, true, ""},
		{"is struck out of the dark, asleep", Onlooker{Struck: true}, true, false, game.Target},
		{"sees nobody of a deed at nobody", Onlooker{Target: true, Awake: true}, false, false, ""},
		{"but hears it", Onlooker{Target: true, Awake: true}, false, true, game.Heard},
		{"sleeps through the noise", Onlooker{}, true, true, ""},
	} {
		if got := c.o.Grade(c.aimed, c.loud); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAnUnprintedValueIsNamedOnce, and each by itself.
func TestAnUnprintedValueIsNamedOnce(t *testing.T) {
	t.Parallel()
	named := []string{"range of the club"}
	ev := &game.Event{Ref: "zog/r1.1", Unverified: []string{"range of the club", "rage", "reach"}}
	if got := Unprinted(ev, &named); len(got) != 2 || got[0].Ref != "zog/r1.1" || len(named) != 3 {
		t.Errorf("%+v, named %v", got, named)
	}
	if got := Unprinted(ev, &named); len(got) != 0 {
		t.Errorf("the second time: %+v", got)
	}
}
