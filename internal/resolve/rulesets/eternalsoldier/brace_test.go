package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestBracedShots are the rows of 5.4: a weapon that is rested on something beside
// the firer, and a sight.
func TestBracedShots(t *testing.T) {
	t.Parallel()
	crate := func(at string) game.Feature { f := terrain("crate", false, at); f.Low = true; return f }
	for _, c := range []struct {
		line, gun, crate string
		chance           int
		noted            bool
	}{
		{"Fire once at Zog", "luger,range_modifier:0", "D3", 60, false},
		{"Fire once at Zog, braced", "luger,range_modifier:0", "D3", 70, false},
		{"Fire once at Zog braced", "luger,range_modifier:0", "F3", 60, true},
		{"Quick shot at Zog, braced", "luger,range_modifier:0", "D3", 70, false},
		{"Fire once at Zog", "luger,range_modifier:0,sight:15", "F3", 75, false},
	} {
		s := field(nil, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon="+c.gun), who("zog", "b", "Z3"))
		s.Features = append(s.Features, crate(c.crate))
		w := world(t, s)
		p, receipt, problems := letter(t, w, "ann", c.line)
		if _, again, _ := letter(t, w, "ann", receipt); again != receipt || (len(problems) == 1) != c.noted || len(p.Steps) != 1 {
			t.Errorf("%q is read as %q with %+v, and that as %q", c.line, receipt, problems, again)
			continue
		}
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": string(encode(t, p))}, dice.Constant(99))
		if got := b.event(t, "ann/s0").Numbers["chance"]; got != c.chance {
			t.Errorf("%s with %s: %d, want %d", c.line, c.gun, got, c.chance)
		}
	}
}

// TestRunningInPoweredArmor of the improved kind doubles what a run covers, on a
// Powered Armor roll (6, 8.1).
func TestRunningInPoweredArmor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		armor, mode string
		roll        int
		feet        int // after the first segment of half as much, and two more
	}{
		{"powered_improved", "run", 50, 10 + 20 + 20}, {"powered_improved", "run", 51, 5 + 10 + 10}, {"powered_improved", "walk", 0, 2 + 5 + 5}, {"powered", "run", 0, 2 + 4 + 4},
	} {
		script := map[string][]int{}
		if c.roll > 0 {
			script["powered/ann"] = []int{c.roll}
		}
		w := world(t, field(nil, who("ann", "a", "C3", "agi=10", "skills.powered_armor=50", "armor="+c.armor), who("zog", "b", "Z9")))
		source := dice.NewScripted(script, nil)
		b := fought(t, w, 1, 3, map[game.ID]string{"ann": `{"steps": [{"verb": "move", "direction": "E", "mode": "` + c.mode + `"}]}`}, source)
		moved := (b.after[2].fighter("ann").At.X - w.fighter("ann").At.X) / foot
		if moved != c.feet || len(source.Faults()) > 0 {
			t.Errorf("%s: %d ft, want %d; %v", c.armor+" "+c.mode, moved, c.feet, source.Faults())
		}
	}
}
