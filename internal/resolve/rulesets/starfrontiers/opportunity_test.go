package starfrontiers

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// The rows of 22.13 on opportunity shots. Sol watches with a held shot; Max
// crosses in front of him. OP-9 is in TestAHeldBlowAndOP9.
func TestOpportunityShotsOP(t *testing.T) {
	t.Parallel()
	const watch = `"reactions": [{"when": {"kind": "within", "who": "max", "distance": 12}, "do": [{"verb": "fire", "target": "max"}]}]`
	for _, c := range []struct {
		id       string
		sol, max int // dice
		plan     string
		settings []string
		facing   string
		mode     string
		shot     bool
		line     string // the target's movement line of the sum
		words    []string
	}{
		{"OP-1", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, nil, "N", "run", true, "Target running -10", nil},
		// His dial costs the first of two sub-actions: the held one comes at 7, Max runs at 10.
		{"OP-2", 9, 5, `{"steps": [{"verb": "set", "item": "sol-laser_pistol", "setting": 3}, {"verb": "hold"}], ` + watch + `}`, nil, "N", "run", false, "", nil},
		{"OP-2 with the slot reached", 9, 2, `{"steps": [{"verb": "set", "item": "sol-laser_pistol", "setting": 3}, {"verb": "hold"}], ` + watch + `}`, nil, "N", "run", true, "Target running -10", nil},
		{"OP-3", 2, 9, `{"steps": [{"verb": "hold"}], ` + watch + `}`, nil, "N", "run", true, "Target running -10", nil},
		{"OP-4", 2, 9, `{"steps": [{"verb": "hold"}, {"verb": "move", "to": "K20", "mode": "walk"}], ` + watch + `}`, nil, "N", "run", false, "", nil},
		// He has moved before Max does where the slower go first.
		{"OP-5", 2, 9, `{"steps": [{"verb": "move", "to": "K15", "mode": "walk"}, {"verb": "hold"}], ` + watch + `}`, []string{"pbem.movement=phase_low_first"}, "N", "run", false, "", nil},
		{"OP-5 but for his move", 2, 9, `{"steps": [{"verb": "hold"}], ` + watch + `}`, []string{"pbem.movement=phase_low_first"}, "N", "run", true, "Target running -10", nil},
		{"OP-6", 2, 9, `{"steps": [{"verb": "hold"}], ` + watch + `}`, []string{"low_vs_high=false"}, "N", "run", false, "", nil},
		{"OP-7", 9, 2, `{"steps": [{"verb": "hold"}]}`, nil, "N", "run", false, "", nil},
		{"OP-8", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, nil, "N", "run", false, "", []string{"surprise=unaware"}},
		{"OP-10", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, nil, "N", "dodge", true, "Target dodging -20", nil},
		{"OP-11", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, []string{"target_move_mod=cancel"}, "N", "dodge", true, "", nil},
		{"OP-11 unless dodging", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, []string{"target_move_mod=cancel_unless_dodging"}, "N", "dodge", true, "Target dodging -20", nil},
		{"OP-12", 9, 2, `{"steps": [{"verb": "hold"}], ` + watch + `}`, nil, "S", "run", false, "", nil},
	} {
		w := world(t, set(battlefield(2,
			who("max", "gang", "E10", "rs=50", "facing=E"),
			who("sol", "heroes", "K14", append([]string{"rs=50", "facing=" + c.facing, "weapon=laser_pistol", "exposed="}, c.words...)...),
		), c.settings...))
		w.fighter("max").Exposed = true // he is known, also to whoever looks the other way
		out := run(t, w, map[game.ID]string{"sol": c.plan, "max": `{"steps": [{"verb": "move", "to": "R10", "mode": "` + c.mode + `"}]}`},
			map[string][]int{"init/player-sol": {c.sol}, "init/player-max": {c.max}})
		got, line := false, ""
		for _, ev := range out.Events {
			if ev.Attack {
				got = true
				for _, l := range ev.Lines {
					if strings.HasPrefix(l.Label, "Target ") {
						line = l.Label + " " + l.Value
					}
				}
			}
		}
		if got != c.shot || line != c.line {
			t.Errorf("%s: shot %v, %q; want %v, %q\n%s", c.id, got, line, c.shot, c.line, story(out))
		}
	}
}
