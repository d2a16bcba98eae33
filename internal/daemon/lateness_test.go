package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// TestCommandsAfterTheDeadline: while the mailbox cannot be read the turn stays
// open; a CLEAR, READY or UNREADY received after the grace is too late as orders
// are.
func TestCommandsAfterTheDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
	b.reply("anna", anna, "two shots at Zog")
	b.crank()
	b.clock.set(b.game().Turn.DeadlineAt.Add(5*time.Minute + time.Second))
	b.reply("anna", anna, "CLEAR")
	b.reply("ben", ben, "READY")
	b.reply("carla", carla, "UNREADY")
	b.empty()
	b.crank()
	s := b.state(1, game.Review)
	if len(s.Frozen) != 1 || s.Frozen[0].Combatant != "bobo" || len(s.Ready) != 0 {
		t.Errorf("frozen %+v, ready %+v", s.Frozen, s.Ready)
	}
	for _, who := range []string{"anna", "ben", "carla"} {
		got := b.markers(who, "late")
		if len(got) != 1 {
			t.Fatalf("%s got %d answers", who, len(got))
		}
		contains(t, who+"'s answer", got[0].text, "does not count")
	}
}

// TestLateClear: a CLEAR received in time that turns up after the close is a late
// letter; the GM may accept it.
func TestLateClear(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna := b.with("anna", "the turn opens")
		review(b)
		lateLetter(b, "anna", anna, "CLEAR")
		b.crank()
		contains(t, "what Anna is told", b.one("anna").text, "in time", "the GM has been told")
		again := b.one("greta")
		contains(t, "the packet with the late letter", again.text, "ACCEPT 1", "Bobo: takes the orders back")
		b.reply("greta", again, "ACCEPT 1")
		b.crank()
		s := b.state(1, game.Review)
		if s.Turn.Attempt != 2 || strings.Contains(string(s.Draft.Orders), `"bobo"`) {
			t.Errorf("attempt %d orders %s", s.Turn.Attempt, s.Draft.Orders)
		}
		contains(t, "the packet", b.with("greta", "attempt 2").text, "No orders came for", "Bobo")
	})
}

// TestAcceptedBeforeClear: orders that turn up late were taken back by a CLEAR
// received after them, which was read in time: accepting them revives nothing.
func TestAcceptedBeforeClear(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	b.clock.advance(5 * time.Minute)
	b.reply("anna", anna, "CLEAR")
	b.crank()
	b.clock.set(b.game().Turn.DeadlineAt.Add(time.Hour))
	b.crank()
	now := b.clock.now()
	b.clock.set(b.game().Turn.OpenedAt.Add(time.Minute))
	b.reply("anna", anna, "two shots at Zog")
	b.clock.set(now)
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "ACCEPT 1")
	b.crank()
	s := b.state(1, game.Review)
	if s.Turn.Attempt != 2 || strings.Contains(string(s.Draft.Orders), `"bobo"`) {
		t.Errorf("attempt %d orders %s", s.Turn.Attempt, s.Draft.Orders)
	}
}

// TestLateWhileStuck: a stuck turn keeps a punctual letter, and REOPEN lets it
// count.
func TestLateWhileStuck(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		gm, carla := b.with("greta", "the turn opens"), b.with("carla", "the turn opens")
		b.at(b.game().Turn.DeadlineAt.Add(4 * time.Minute))
		b.clock.advance(2 * time.Minute)
		b.fetch()
		turn := b.turnStep((*Daemon).closeTurn)
		b.must(b.d.closeTurn(t.Context(), turn.row))
		for range maxTries {
			if _, err := b.st.ResolveBegins(t.Context(), turn.row.Row); err != nil {
				t.Fatal(err)
			}
			b.clock.advance(claimTerm)
		}
		b.crank()
		b.state(1, game.Stuck)
		b.empty()
		lateLetter(b, "carla", carla, "one shot at Zog")
		b.crank()
		says(t, "what Carla is told", b.one("carla"), "in time", "reopens the turn")
		if d := b.dispositions(); d[store.Late] != 1 {
			t.Errorf("dispositions %v", d)
		}
		b.reply("greta", gm, "REOPEN 24h")
		b.crank()
		if _, ok := b.state(1, game.Open).InForce()["mira"]; !ok {
			t.Error("the letter does not count after REOPEN")
		}
	})
}

// TestCloseWhilePaused: CLOSE and the last READY of a paused game say that the
// turn closes once it is resumed, and so it does.
func TestCloseWhilePaused(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"CLOSE", "READY"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, oneDatabase(t), benchOptions{})
			gm := b.with("greta", "the turn opens")
			b.reply("greta", gm, "PAUSE")
			b.crank()
			users := []string{"greta"}
			if way == "READY" {
				users = []string{"anna", "ben", "carla"}
			}
			var last mailIn
			for _, u := range users {
				m := b.with(u, "the turn opens")
				b.inbox(u)
				b.clock.advance(time.Second)
				b.reply(u, m, way)
				b.crank()
				last = b.one(u)
			}
			says(t, "the answer", last, "closes once the game is resumed")
			b.clock.advance(time.Minute)
			b.crank()
			b.state(1, game.Open)
			b.reply("greta", gm, "RESUME")
			b.crank()
			b.clock.advance(time.Minute)
			b.crank()
			b.state(1, game.Review)
		})
	}
}

// TestOrdersFromBeforeTheTurn: a letter that answers no mail of ours, and was
// received before the turn opened, was not written for this turn.
func TestOrdersFromBeforeTheTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	b.reply("greta", packet, "OK")
	b.crank()
	opened := b.game().Turn.OpenedAt
	for _, text := range []string{"Two shots at Zog.", "READY", "CLEAR"} {
		got := b.unchanged(text, func() {
			b.clock.set(opened.Add(-time.Hour))
			b.letter("anna", "Bobo", "", text, arrival{})
			b.clock.set(opened.Add(time.Hour))
		})
		says(t, text, only(t, text, got, "anna"), "Turn 1 takes no more orders", "Turn 2 is open")
	}
	got := b.deliver(func() { b.letter("anna", "Bobo", "", "Two shots at Zog.", arrival{}) })
	says(t, "one of this turn", only(t, "one of this turn", got, "anna"), "Orders for Bobo received")
}
