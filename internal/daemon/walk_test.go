package daemon

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// contains fails the test unless a text holds all the words.
func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Fatalf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

// TestWalk is one whole turn by mail: openings, orders, a mended mistake, the
// deadline, the packet, a ruling, OK, and everybody's report.
func TestWalk(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
		contains(t, "the opening", anna.text, "Bobo", "Zog", "Mon 2 Mar 2026 20:00 CET", "BEGIN ORDERS Dusk-1", "pbemd-dice 1", "game-seal")
		contains(t, "Ben's opening", ben.text, "for you 19:00 GMT")
		greta := b.inbox("greta")
		if len(greta) != 2 {
			t.Fatalf("the GM got %d mails, want hello and opening", len(greta))
		}

		// A mistake: the receipt names it; nothing wrong is done.
		b.reply("anna", anna, "Bobo fires five shots at Zog.")
		b.crank()
		first := b.one("anna")
		contains(t, "the first receipt", first.subject, "problem")
		contains(t, "the first receipt", first.text, "    Bobo fires five shots at Zog.", "^^^^")
		b.reply("anna", first, "Two shots at Zog, then crouch.\n\n-- \nAnna")
		b.crank()
		second := b.one("anna")
		if strings.Contains(second.subject, "problem") {
			t.Fatalf("the mended orders have a problem:\n%s", second.text)
		}
		contains(t, "the second receipt", second.text, "What changed", "Slots", "leaf anna")

		b.reply("ben", ben, "One shot at Zog.")
		b.crank()
		b.one("ben")
		b.reply("carla", carla, "Thanks for the invitation!")
		b.crank()
		contains(t, "the answer to thanks", b.one("carla").subject, "Nothing changed")
		if got := b.game().Turn.State; got != game.Open {
			t.Fatalf("turn is %s", got)
		}

		// Six hours before the deadline Carla is reminded, and only she.
		b.clock.set(time.Date(2026, 3, 2, 13, 0, 1, 0, time.UTC))
		b.crank()
		contains(t, "the reminder", b.one("carla").text, "Mira")
		b.none("anna")

		// The deadline, and the grace after it.
		b.clock.set(time.Date(2026, 3, 2, 19, 4, 59, 0, time.UTC))
		b.crank()
		if got := b.game().Turn.State; got != game.Open {
			t.Fatalf("the turn is %s before the grace is over", got)
		}
		b.clock.set(time.Date(2026, 3, 2, 19, 5, 0, 0, time.UTC))
		b.crank()
		if got := b.game().Turn.State; got != game.Review {
			t.Fatalf("the turn is %s after the deadline, want review", got)
		}
		packet := b.one("greta")
		contains(t, "the packet", packet.text, "attempt 1", "Mira", "hit/bobo/r1.1", "No orders came for")

		b.reply("greta", packet, "MOD bobo +10 because high ground")
		b.crank()
		got := b.inbox("greta")
		if len(got) != 2 {
			t.Fatalf("the GM got %d mails after a ruling, want the answer and the next packet", len(got))
		}
		next := got[1]
		contains(t, "the second packet", next.text, "attempt 2", "What is new against attempt 1", "high ground")
		b.reply("greta", next, "OK\n\nthanks!")
		b.crank()

		for _, who := range []string{"anna", "ben", "carla"} {
			m := b.one(who)
			contains(t, who+"'s report", m.text, "what happened in turn 1", "pbemd-dice 1", "secret heroes")
			if !strings.HasPrefix(m.subject, "[Dusk-2]") {
				t.Errorf("the report that opens turn 2 has the Subject %q", m.subject)
			}
		}
		s := b.game()
		if s.Turn.N != 2 || s.Turn.State != game.Open {
			t.Fatalf("turn %d is %s, want turn 2 open", s.Turn.N, s.Turn.State)
		}
		if want := time.Date(2026, 3, 3, 19, 0, 0, 0, time.UTC); !s.Turn.DeadlineAt.Equal(want) {
			t.Errorf("turn 2 closes %v, want %v", s.Turn.DeadlineAt, want)
		}
		if d := b.dispositions(); d[""] != 0 {
			t.Errorf("letters without disposition: %v", d)
		}
	})
}

// TestAttemptsRepeat shows that an attempt is a function of what is stored: the
// same turn drafted again gives the same digest.
func TestAttemptsRepeat(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.reply("anna", b.one("anna"), "Three shots at Zog.")
	b.crank()
	b.clock.advance(24 * time.Hour)
	b.crank()
	s := b.game()
	tb, err := b.d.table(s)
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := b.d.attempt(tb)
	if err != nil {
		t.Fatal(err)
	}
	if a.Digest != s.Turn.Digest || a.Digest == "" {
		t.Errorf("digest %s, stored %s", a.Digest, s.Turn.Digest)
	}
	var events []game.Event
	if err := json.Unmarshal(s.Draft.Events, &events); err != nil || len(events) == 0 {
		t.Errorf("stored events: %d, %v", len(events), err)
	}
}

// TestEarlyClose: the turn closes when every player is READY, keeps READY over a
// later revision, and not after UNREADY.
func TestEarlyClose(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
		b.reply("anna", anna, "two shots at Zog")
		b.reply("anna", anna, "READY")
		b.reply("ben", ben, "Ready!")
		b.crank()
		b.reply("anna", anna, "one shot at Zog")
		b.reply("ben", ben, "UNREADY")
		b.reply("carla", carla, "ready.")
		b.clock.advance(time.Minute)
		b.crank()
		if s := b.game().Turn; s.State != game.Open {
			t.Fatalf("the turn is %s while Ben is not ready", s.State)
		}
		b.reply("ben", ben, "READY")
		b.clock.advance(time.Minute)
		b.crank()
		s := b.game()
		if s.Turn.State != game.Review {
			t.Fatalf("the turn is %s when all are ready", s.Turn.State)
		}
		if len(s.Frozen) != 1 || !strings.Contains(string(s.Frozen[0].Plan), `"shots":1`) {
			t.Errorf("frozen orders: %+v", s.Frozen)
		}
	})
}

// TestCheckAndClear: CHECK stores nothing; CLEAR takes orders back.
func TestCheckAndClear(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	anna := b.one("anna")
	b.reply("anna", anna, "CHECK\nthree shots at Zog")
	b.crank()
	contains(t, "the CHECK", b.one("anna").subject, "NOT SUBMITTED")
	b.reply("anna", anna, "three shots at Zog\ncheck.")
	b.crank()
	contains(t, "the CHECK below", b.one("anna").subject, "NOT SUBMITTED")
	if n := len(b.game().InForce()); n != 0 {
		t.Fatalf("CHECK stored %d orders", n)
	}
	b.reply("anna", anna, "three shots at Zog")
	b.crank()
	b.one("anna")
	if n := len(b.game().InForce()); n != 1 {
		t.Fatalf("%d orders in force", n)
	}
	b.reply("anna", anna, "CLEAR\nand then shoot Kira")
	b.crank()
	contains(t, "CLEAR above text", b.one("anna").subject, "Not done")
	b.reply("anna", anna, "CLEAR")
	b.crank()
	contains(t, "the answer to CLEAR", b.one("anna").subject, "cleared")
	if n := len(b.game().InForce()); n != 0 {
		t.Fatalf("CLEAR left %d orders", n)
	}
	// READY below orders is not taken, and said so.
	b.reply("anna", anna, "two shots at Zog\nREADY")
	b.crank()
	m := b.one("anna")
	contains(t, "the receipt", m.text, "READY (line 2) was not taken")
	if b.game().Ready[0].On || len(b.game().InForce()) != 1 {
		t.Error("READY below orders was taken, or the orders were not")
	}
	for _, word := range []string{"STATUS", "HELP"} {
		b.reply("anna", anna, word)
		b.crank()
		b.one("anna")
	}
}
