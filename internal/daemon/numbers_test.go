package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// TestEventNumbers: a number means an event of the packet that the letter
// answers, also when another attempt is in force; in answer to any other mail it
// means nothing. The answer names the event.
func TestEventNumbers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		opening := b.with("greta", "the turn opens")
		first := review(b)
		before := b.events()
		b.reply("greta", first, "AS Zog: move away from Bobo\nMOD bobo +10")
		b.crank()
		ruled := b.with("greta", "rulings")
		b.with("greta", "attempt 2")
		b.inbox("greta")
		after := b.events()
		n := slices.IndexFunc(before, func(e game.Event) bool { return strings.HasPrefix(e.Ref, "bobo/") })
		for n < len(before) && n < len(after) && before[n].Ref == after[n].Ref {
			n++
		}
		if n < 0 || n >= len(before) {
			t.Fatalf("the attempts number their events alike")
		}
		line := fmt.Sprintf("EVENT %d MISS", n+1)
		for _, m := range []mailIn{ruled, opening} {
			b.clock.advance(time.Minute)
			b.reply("greta", m, line)
			b.crank()
			says(t, "the answer to "+m.subject, b.one("greta"), "Nothing has changed", "answers no packet", "Answer the packet")
		}
		b.clock.advance(time.Minute)
		b.reply("greta", first, line)
		b.crank()
		says(t, "the answer", b.with("greta", "rulings"), "event "+before[n].Ref, "You answered attempt 1")
		rulings := b.game().Rulings
		if got := rulings[len(rulings)-1].Body.Ref; got != before[n].Ref {
			t.Errorf("ruled %s, want %s", got, before[n].Ref)
		}
	})
}

// TestAnswersToTheHello: the GM's answer to the hello is greeted when it says
// nothing, and carried out when it does.
func TestAnswersToTheHello(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello, here I am.":         "Your mail arrives verified",
		"AS zog: two shots at Bobo": "Orders for",
		"NOTE The lamps go out.":    "Noted for the reports",
		"BOBO STA 12":               "Not done",
		"EVENT 3 HIT":               "answers no packet",
		"AS zog: gargle":            "No orders were found",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, oneDatabase(t), benchOptions{})
			hello := b.with("greta", "welcome")
			b.inbox("greta")
			b.reply("greta", hello, text)
			b.crank()
			m := b.one("greta")
			says(t, "the answer", m, want)
			if strings.HasPrefix(text, "AS zog: two") {
				if _, ok := b.game().InForce()["zog"]; !ok {
					t.Error("the orders are not stored")
				}
			}
		})
	}
}
