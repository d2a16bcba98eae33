package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// TestATurnEndsEarly when the game's settings say so, and the next one goes on
// with the segment behind it.
func TestATurnEndsEarly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		player   string // of zog
		hit      int
		segment  int // the next one
		says     string
	}{
		{name: "not by itself", player: "ben", hit: 50, segment: 10},
		{name: "somebody is hurt", settings: []string{"stop_when_wounded=true"}, player: "ben", hit: 50, segment: 1, says: "Zog is hurt"},
		{name: "a foe is hurt", settings: []string{"stop_when_wounded=true"}, hit: 50, segment: 10},
		{name: "nobody is", settings: []string{"stop_when_wounded=true"}, player: "ben", hit: 99, segment: 10},
		{name: "all orders are carried out", settings: []string{"stop_when_idle=true"}, hit: 99, segment: 1, says: "Ann has nothing left to do"},
		{name: "being hurt is not being down", settings: []string{"stop_when_down=true"}, player: "ben", hit: 50, segment: 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(c.settings,
				who("ann", "a", "C3", "agi=10", "hp=100", "skills.one_handed=70", "weapon=long_sword"),
				who("zog", "b", "D3", "agi=10", "hp=100", "player="+c.player)))
			out := ruleset(t).Resolve(resolve.Input{World: w, Turn: 1, Rounds: 1, Orders: []game.Orders{{Combatant: "ann", Plan: plan(t, strike), Source: "player"}}, Dice: dice.NewScripted(map[string][]int{"hit/ann": {c.hit}}, dice.Constant(4))})
			if got := out.World.(*World).Segment; got != c.segment {
				t.Errorf("the next turn begins with segment %d, want %d", got, c.segment)
			}
			last := out.Events[len(out.Events)-1]
			if said := last.Kind == "turn"; said != (c.says != "") {
				t.Fatalf("the last event is %+v", last)
			}
			if c.says != "" && (!strings.Contains(last.Text[game.All], c.says) || strings.Contains(last.Text[game.Seen], "Zog") || strings.Contains(last.Text[game.Seen], "Ann") || last.Seen["ann"] != game.Seen) {
				t.Errorf("it is told as %+v", last)
			}
		})
	}
}

// TestEndingEarlyChangesNothingElse: the same fight, in more turns.
func TestEndingEarlyChangesNothingElse(t *testing.T) {
	t.Parallel()
	fight := func(settings ...string) (events []game.Event, turns int) {
		w := world(t, field(append(settings, "segments_per_turn=20"),
			who("ann", "a", "C3", "agi=10", "hp=60", "skills.one_handed=70", "weapon=long_sword", "policy=aggressive"),
			who("zog", "b", "D3", "agi=12", "hp=60", "skills.one_handed=60", "weapon=short_sword", "policy=aggressive")))
		for w.Segment < 40 {
			out := ruleset(t).Resolve(resolve.Input{World: w, Turn: turns + 1, Rounds: 1, Dice: named(7)})
			for _, ev := range out.Events {
				if ev.Kind != "turn" && ev.At < 40 {
					events = append(events, ev)
				}
			}
			turns++
			if w = out.World.(*World); out.Done {
				break
			}
		}
		return events, turns
	}
	whole, few := fight()
	parts, many := fight("stop_when_wounded=true", "stop_when_down=true", "stop_when_idle=true")
	if many <= few {
		t.Fatalf("%d turns, %d without ends", many, few)
	}
	for i := range min(len(whole), len(parts)) {
		if a, b := string(encode(t, whole[i])), string(encode(t, parts[i])); a != b {
			t.Fatalf("event %d is\n%s\nand\n%s", i, a, b)
		}
	}
	if len(whole) != len(parts) {
		t.Errorf("%d events and %d", len(whole), len(parts))
	}
}
