package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestCriticalShots are ambiguity A58: there is no chart for them, unless the game
// file has it.
func TestCriticalShots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		outcome  string
		loses    int
	}{
		{nil, hit, 9},
		{[]string{"missile_criticals=true"}, critical, 27}, // 100 on the chart: triple damage
	} {
		w := world(t, field(c.settings, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("zog", "b", "M3", "hp=50")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {6}, "dmg/ann": {4, 5}, "crit/ann": {100}}, dice.Constant(1)))
		if got := 50 - b.after[0].fighter("zog").HP; got != c.loses || b.event(t, "ann/s0").Outcome != c.outcome {
			t.Errorf("%v: a %s, and he loses %d; want a %s and %d", c.settings, b.event(t, "ann/s0").Outcome, got, c.outcome, c.loses)
		}
	}
	w := world(t, field([]string{"missile_criticals=true"}, who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"), who("zog", "b", "M3", "hp=50")))
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`}, dice.NewScripted(map[string][]int{"hit/ann": {7}, "dmg/ann": {4, 5}}, dice.Constant(1)))
	if got := b.event(t, "ann/s0").Outcome; got != hit {
		t.Errorf("7 at 60 is a %s, want a %s", got, hit)
	}
}

// TestMovementAndFire are ambiguity A54: the movement of a segment comes before its
// fire, or behind it. Zog walks behind a wall as Ann shoots.
func TestMovementAndFire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		zog      string // his plan
		chance   int    // of the shot in segment 3; 0: it is not made
	}{
		{"he stands", nil, `{"verb": "wait"}`, 60},
		{"movement first: he is out of sight", nil, `{"verb": "hold", "segment": 3}, {"verb": "move", "direction": "N", "mode": "run"}`, 0},
		{"fire first: he is not yet", []string{"move_before_fire=false"}, `{"verb": "hold", "segment": 3}, {"verb": "move", "direction": "N", "mode": "run"}`, 60},
		{"movement first: the aim swings", nil, `{"verb": "hold", "segment": 3}, {"verb": "move", "direction": "S", "mode": "run"}`, 60 - 18},
		{"fire first: it does not", []string{"move_before_fire=false"}, `{"verb": "hold", "segment": 3}, {"verb": "move", "direction": "S", "mode": "run"}`, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := field(c.settings,
				who("ann", "a", "C6", "skills.one_handed_missile=60", "weapon=luger,range_modifier:0"),
				who("zog", "b", "I6", "agi=12", "hp=50"))
			s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 6, Y: 4}, {X: 7, Y: 4}}}}
			b := fought(t, world(t, s), 1, 4, map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 3}, {"verb": "fire", "target": "zog"}]}`, "zog": `{"steps": [` + c.zog + `]}`}, dice.Constant(99))
			got := 0
			for _, ev := range b.events {
				if ev.Attack {
					got = ev.Numbers["chance"]
				}
			}
			if c.chance > 0 {
				c.chance += 30 // set for three segments
			}
			if got != c.chance {
				t.Errorf("chance %d, want %d; %s", got, c.chance, b.refs())
			}
			if at := b.after[3].fighter("zog").At; (at != b.after[2].fighter("zog").At) != (c.name != "he stands") {
				t.Errorf("he is at %v", at)
			}
		})
	}
}
