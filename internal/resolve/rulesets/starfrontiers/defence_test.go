package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// 22.8: critical hits and defences.
func TestDefencesCD(t *testing.T) {
	t.Parallel()
	ten := func(sum int) []int { // dice of ten that add up
		var out []int
		for ; sum > 10; sum -= 9 {
			out = append(out, 9)
		}
		return append(out, sum)
	}
	for _, c := range []struct {
		id       string
		weapon   string
		hit      int
		damage   int
		dice     map[string][]int
		settings []string
		words    []string
		outcome  string
		taken    int
		left     string // what is left of the defence, as a change of the event
		wound    bool
	}{
		{id: "CD-1", weapon: "automatic_pistol", hit: 11, damage: 9, outcome: "critical", taken: 18},
		{id: "CD-2 20", weapon: "automatic_pistol", hit: 4, damage: 9, dice: map[string][]int{"grievous/bobo": {20}, "wound/bobo": {4}}, outcome: "grievous", taken: 18, wound: true},
		{id: "CD-2 21", weapon: "automatic_pistol", hit: 4, damage: 9, dice: map[string][]int{"grievous/bobo": {21}}, outcome: "grievous", taken: 18},
		{id: "CD-3", weapon: "sonic_disruptor", hit: 4, damage: 6, words: []string{"item=sonic_screen"}, outcome: "hit", left: "SEU 50>48"},
		{id: "CD-4", weapon: "laser_pistol:dial=2", hit: 4, damage: 12, words: []string{"item=albedo_suit"}, outcome: "hit", left: "CAPACITY 100>88"},
		{id: "CD-5", weapon: "laser_pistol:dial=2", hit: 4, damage: 12, dice: map[string][]int{"grievous/bobo": {1}, "wound/bobo": {4}}, settings: []string{"albedo_suit=half"}, words: []string{"item=albedo_suit"}, outcome: "grievous", taken: 12, left: "CAPACITY 100>88", wound: true},
		{id: "CD-6", weapon: "laser_pistol:dial=2", hit: 4, damage: 18, words: []string{"item=albedo_screen:seu=4"}, outcome: "hit", left: "SEU 4>0"},
		{id: "CD-7", weapon: "laser_pistol:dial=2", hit: 11, damage: 18, words: []string{"item=albedo_screen:seu=2"}, outcome: "critical", taken: 26, left: "SCREEN on>off"},
		{id: "CD-8", weapon: "laser_pistol:dial=2", hit: 50, damage: 18, words: []string{"item=albedo_screen:seu=2"}, outcome: "hit", taken: 8, left: "SEU 2>0"},
		{id: "CD-9", weapon: "automatic_pistol", hit: 11, damage: 6, words: []string{"item=inertia_screen"}, outcome: "critical", taken: 6, left: "SEU 50>48"},
		{id: "CD-10", weapon: "needler_pistol", hit: 1, damage: 9, words: []string{"item=skeinsuit"}, outcome: "hit"},
		{id: "CD-11", weapon: "gyrojet_pistol", hit: 50, damage: 11, words: []string{"item=inertia_screen"}, outcome: "hit", taken: 5, left: "SEU 50>48"},
		{id: "CD-12", weapon: "gyrojet_pistol", hit: 50, damage: 11, words: []string{"item=inertia_screen", "item=skeinsuit"}, outcome: "hit", taken: 2, left: "CAPACITY 100>97"},
		{id: "CD-14", weapon: "automatic_pistol", hit: 50, damage: 10, words: []string{"item=skeinsuit:capacity=3"}, outcome: "hit", taken: 7, left: "CAPACITY 3>0"},
		{id: "CD-14 worn out", weapon: "automatic_pistol", hit: 50, damage: 10, words: []string{"item=skeinsuit:capacity=0"}, outcome: "hit", taken: 10},
		{id: "CD-16", weapon: "laser_pistol:dial=2", hit: 50, damage: 12, words: []string{"item=inertia_screen"}, outcome: "hit", taken: 12},
		{id: "CD-17", weapon: "electrostunner:mode=blast", hit: 50, damage: 22, words: []string{"item=anti_shock_implant"}, outcome: "hit", taken: 22},
		{id: "halves rounded up", weapon: "gyrojet_pistol", hit: 50, damage: 11, settings: []string{"damage_halving_round=up"}, words: []string{"item=inertia_screen"}, outcome: "hit", taken: 6},
		{id: "a screen that is off", weapon: "automatic_pistol", hit: 50, damage: 6, words: []string{"item=inertia_screen:off"}, outcome: "hit", taken: 6},
		{id: "no screen works with a space suit", weapon: "automatic_pistol", hit: 50, damage: 6, words: []string{"item=inertia_screen", "item=space_suit"}, outcome: "hit", taken: 6},
	} {
		dice := map[string][]int{"hit/bobo": {c.hit}, "dmg/bobo": ten(c.damage)}
		for k, v := range c.dice {
			dice[k] = v
		}
		if kind, _, _ := strings.Cut(c.weapon, ":"); kind == "sonic_disruptor" {
			dice["dmg/bobo"] = []int{1, 1, 1, 1, 1, 1}
		} else if kind == "electrostunner" {
			dice["dmg/bobo"] = []int{10, 10, 1, 1}
		} else if kind != "automatic_pistol" && len(dice["dmg/bobo"]) == 1 {
			dice["dmg/bobo"] = []int{c.damage - 1, 1}
		}
		_, ev, zog := hurt(t, c.weapon, dice, c.settings, c.words...)
		if ev.Outcome != c.outcome || zog.Now != 50-c.taken || len(zog.Effects) > 0 != c.wound {
			t.Errorf("%s: %s, STA %d, %v; want %s, %d: %v", c.id, ev.Outcome, zog.Now, zog.Effects, c.outcome, 50-c.taken, ev.Lines)
		}
		if c.left != "" && !slices.ContainsFunc(ev.Changes, func(x game.Change) bool { return x.Field+" "+x.From+">"+x.To == c.left }) {
			t.Errorf("%s: no change %s in %v", c.id, c.left, ev.Changes)
		}
	}
	// CD-13
	row := data(t).defence("albedo_screen", "")
	for points, want := range map[int]int{1: 1, 4: 1, 5: 1, 6: 2, 10: 2, 11: 3, 20: 4, 21: 5} {
		if _, got := (guard{row: row}).absorb(points, 100, "laser", false); got != want {
			t.Errorf("CD-13: %d points cost %d SEU, want %d", points, got, want)
		}
	}
	// CD-15: a screen that cannot pay lets the stun through.
	f := &Fighter{Items: []Item{{Kind: "gauss_screen", State: "on", Left: 1}}}
	g := data(t).guards(f, "stun_electric", func(string) string { return "" })
	if len(g) != 1 {
		t.Fatal("CD-15: no guard")
	}
	if absorbed, cost := g[0].absorb(1, 1, "stun_electric", false); absorbed != 0 || cost != 0 {
		t.Errorf("CD-15: absorbs %d for %d", absorbed, cost)
	}
}

func TestScreensAreSwitchedAndRunDry(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A1", "item=albedo_screen:off:seu=1", "item=inertia_screen"), who("zog", "gang", "F1")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "set", "item": "bobo-albedo_screen", "state": "on"}]}`}, nil)
	w = out.World.(*World)
	bobo := w.fighter("bobo")
	if bobo.Items[0].State != "on" || bobo.Items[1].State != "off" {
		t.Fatalf("%+v", bobo.Items)
	}
	if ev := event(t, out, "bobo/r1.1m"); ev.Seen["zog"] != "" {
		t.Error("zog sees it")
	}
	for turn := 2; turn <= 10; turn++ {
		if bobo = w.fighter("bobo"); bobo.Items[0].Left != 1 {
			t.Fatalf("before turn %d: %+v", turn, bobo.Items[0])
		}
		w = run(t, w, nil, nil).World.(*World)
	}
	if bobo = w.fighter("bobo"); bobo.Items[0].Left != 0 || bobo.Items[0].State != "off" {
		t.Errorf("after ten turns: %+v", bobo.Items[0])
	}
}

// What an enemy wears, and what is left of it, is for the GM and himself.
func TestFogHidesArmour(t *testing.T) {
	t.Parallel()
	out, _, _ := hurt(t, "automatic_pistol", map[string][]int{"hit/bobo": {50}, "dmg/bobo": {7}}, nil, "item=inertia_screen", "item=skeinsuit")
	if got := encode(t, projected(out, "bobo")); strings.Contains(strings.ToLower(got), "screen") || strings.Contains(got, "skeinsuit") || strings.Contains(got, "SEU") {
		t.Errorf("bobo reads %s", got)
	}
	if got := encode(t, projected(out, game.GM)); !strings.Contains(got, "Inertia screen") || !strings.Contains(got, "Skeinsuit") {
		t.Errorf("the GM reads %s", got)
	}
	view := encode(t, ruleset(t).See(out.World, "bobo"))
	if strings.Contains(view, "skeinsuit") {
		t.Error("bobo's view tells of it")
	}
	if own := encode(t, ruleset(t).See(out.World, "zog").Items); !strings.Contains(own, `"state":"worn"`) || !strings.Contains(own, `"left":48`) {
		t.Errorf("zog reads %s", own)
	}
}
