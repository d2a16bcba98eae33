package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// throng are two sides of n each who fight hand to hand and shoot, all aggressive.
func throng(t testing.TB, n int) *World {
	var people []game.Combatant
	for i := range 2 * n {
		side, x := game.ID("a"), 10
		if i%2 == 1 {
			side, x = "b", 14
		}
		weapon := "weapon=long_sword"
		if i%6 == 0 {
			weapon = "weapon=luger"
		}
		people = append(people, who(game.ID(fmt.Sprintf("c%03d", i)), side, game.Square{X: x + i/2/18, Y: i / 2 % 18}.String(),
			"hp=60", "agi=12", "skills.one_handed=60", "skills.defense=40", "skills.one_handed_missile=50", weapon, "armor=leather", "policy=aggressive", "item=ammo,count:30"))
	}
	w := world(t, field(nil, people...))
	for _, f := range w.Fighters {
		f.Standing = plan(t, `{"standing": [{"verb": "parry_policy", "min_chance": 40}, {"verb": "dodge_policy", "against": "melee", "min_chance": 30}]}`).Standing
	}
	return w
}

func benchmark(b *testing.B, n, segments int) {
	w := throng(b, n)
	w.Settings["segments_per_turn"] = fmt.Sprint(segments)
	r := ruleset(b)
	events := 0
	for b.Loop() {
		events = len(r.Resolve(resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: named(1)}).Events)
	}
	b.ReportMetric(float64(events), "events")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events*2*n), "ns/event/viewer")
}

// The goals: 3 ms for the first and 500 ms for the second.
func BenchmarkTwentySegmentsEightAgainstEight(b *testing.B)  { benchmark(b, 8, 20) }
func BenchmarkHundredSegmentsFiftyAgainstFifty(b *testing.B) { benchmark(b, 50, 100) }

// BenchmarkResolveGrowth shows that the work grows at most as events times viewers,
// with combatants and with segments: the last figure of a line does not rise.
func BenchmarkResolveGrowth(b *testing.B) {
	for _, n := range []int{4, 8, 16, 32, 64} {
		b.Run(fmt.Sprintf("%dv%d", n, n), func(b *testing.B) { benchmark(b, n, 20) })
	}
	for _, s := range []int{10, 40, 100} {
		b.Run(fmt.Sprintf("%dsegments", s), func(b *testing.B) { benchmark(b, 8, s) })
	}
}
