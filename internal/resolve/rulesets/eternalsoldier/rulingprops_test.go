package eternalsoldier

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// TestRandomRulings: whatever is ruled, the outcome is one that can be.
func TestRandomRulings(t *testing.T) {
	t.Parallel()
	rulesettest.RandomRulings(t, ruleset(t), 120, func(r *rand.Rand) resolve.Input {
		in := randomInput(t, r)
		in.Dice = named(r.Uint64())
		return in
	}, func(out resolve.Outcome) string {
		w := out.World.(*World)
		for _, f := range w.Fighters {
			if s := w.square(f.At); s.X < 0 || s.Y < 0 || s.X >= w.Width || s.Y >= w.Height {
				return fmt.Sprintf("%s left the map: %v", f.ID, s)
			}
			for _, wp := range f.Weapons {
				if wp.Left < 0 || wp.Left > wp.Full {
					return fmt.Sprintf("%s has %d of %d", wp.ID, wp.Left, wp.Full)
				}
			}
			if f.HP > f.HPMax || f.Suff > f.SuffMax {
				return fmt.Sprintf("%s has %d of %d, and %d of %d", f.ID, f.HP, f.HPMax, f.Suff, f.SuffMax)
			}
		}
		if w.Usual != nil {
			return "the rules of the turn outlast it"
		}
		return ""
	})
}

// TestRulingsLeaveOtherTurnsAlone: what is ruled at a segment that has not come is
// not used, and nothing is another for it.
func TestRulingsLeaveOtherTurnsAlone(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	in := randomInput(t, rand.New(rand.NewPCG(3, 4)))
	in.Dice = named(3)
	plain := rules.Resolve(in)
	in.Rulings = rulesettest.Typed(t, rules, in, plain, "C00 HP 3 AT SEGMENT 900\nTURN light darkness AT SEGMENT 900").Rulings
	out := rules.Resolve(in)
	if len(in.Rulings) != 2 || len(out.Unused) != 2 {
		t.Errorf("%d rulings, unused %v", len(in.Rulings), out.Unused)
	}
	out.Unused, plain.Unused = nil, nil
	if a, b := string(encode(t, plain)), string(encode(t, out)); a != b {
		t.Error(firstDifference(a, b))
	}
	if got := out.World.(*World).fighter(game.ID("c00")); got == nil {
		t.Error("nobody is there")
	}
}

// TestAHiddenRollIsTheGMsAlone: who makes it reads what came of it and nothing of how.
func TestAHiddenRollIsTheGMsAlone(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	in := row12{dice: hits12}.input(t)
	plain := rules.Resolve(in)
	reckoned := func(out resolve.Outcome, who game.ID) (lines int) {
		for _, l := range report.Project(out.Events, []game.ID{who}) {
			lines += len(l.Sum) + len(l.Dice)
		}
		return lines
	}
	hidden := row12{dice: hits12}.input(t)
	hidden.Rulings = rulesettest.Typed(t, rules, in, plain, "EVENT {ann/s0} DICE hidden SECRET").Rulings
	out := rules.Resolve(hidden)
	if reckoned(plain, "ann") == 0 || reckoned(out, "ann") != 0 || reckoned(out, game.GM) <= reckoned(plain, game.GM) {
		t.Errorf("ann reads %d lines, then %d; the GM %d, then %d", reckoned(plain, "ann"), reckoned(out, "ann"), reckoned(plain, game.GM), reckoned(out, game.GM))
	}
	if ev := happened(out, "ann/s0"); len(ev.Numbers) > 0 || ev.Text[game.Own] != happened(plain, "ann/s0").Text[game.Own] {
		t.Errorf("%v, %q", ev.Numbers, ev.Text[game.Own])
	}
}
