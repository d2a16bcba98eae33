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
}

// The goals: 3 ms for the first and 500 ms for the last; the others show the growth.
func BenchmarkTwentySegmentsEightAgainstEight(b *testing.B)     { benchmark(b, 8, 20) }
func BenchmarkFortySegmentsEightAgainstEight(b *testing.B)      { benchmark(b, 8, 40) }
func BenchmarkTwentySegmentsSixteenAgainstSixteen(b *testing.B) { benchmark(b, 16, 20) }
func BenchmarkHundredSegmentsFiftyAgainstFifty(b *testing.B)    { benchmark(b, 50, 100) }
