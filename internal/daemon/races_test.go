package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

func TestCloseAgainstIngest(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
		gm := b.with("greta", "the turn opens")
		b.empty()

		// A close that has begun does not pass a letter received in time: it waits,
		// and the order counts.
		deadline := b.game().Turn.DeadlineAt
		b.clock.set(deadline)
		b.reply("anna", anna, "two shots at Zog")
		b.clock.set(deadline.Add(5 * time.Minute))
		letters := b.fetch()
		err1, err2 := b.race(b.turnStep((*Daemon).closeTurn), ingesting(letters[0]))
		b.must(err2)
		if !snoozes(err1) {
			t.Fatalf("the close before an unread letter: %v", err1)
		}
		if _, ok := b.state(1, game.Open).InForce()["bobo"]; !ok {
			t.Fatal("Anna's orders do not count")
		}

		// The GM has the close wait for a reopened turn, then asks for it at once:
		// what was received before counts though it is stored during the close …
		b.crank()
		b.reply("greta", b.with("greta", "attempt 1"), "REOPEN 48h")
		b.crank()
		b.empty()
		b.reply("greta", gm, "CLOSE")
		letters = b.fetch()
		b.must(b.d.ingest(t.Context(), letters[0]))
		b.clock.advance(time.Second)
		// … but not what was received after.
		b.reply("carla", carla, "one shot at Zog")
		letters = b.fetch()
		err1, err2 = b.race(b.turnStep((*Daemon).closeTurn), ingesting(letters[0]))
		b.must(err1, err2)
		s := b.state(1, game.Closed)
		if len(s.Frozen) != 1 || s.Frozen[0].Combatant != "bobo" {
			t.Errorf("frozen: %+v", s.Frozen)
		}
		if d := b.dispositions(); d[store.Late] != 1 {
			t.Errorf("dispositions %v", d)
		}
		b.crank()
		contains(t, "what Carla is told", b.one("carla").text, "the GM has been told")

		// The other way round: an order that is being stored goes before the close.
		b.reply("greta", b.with("greta", "attempt 2"), "REOPEN 24h")
		b.crank()
		b.clock.set(b.game().Turn.DeadlineAt)
		b.reply("ben", ben, "one shot at Zog")
		b.clock.advance(5 * time.Minute)
		letters = b.fetch()
		err1, err2 = b.race(ingesting(letters[0]), b.turnStep((*Daemon).closeTurn))
		b.must(err1, err2)
		s = b.state(1, game.Closed)
		if len(s.Frozen) != 3 {
			t.Errorf("frozen: %+v", s.Frozen)
		}
	})
}

func TestRulingAgainstOK(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		packet := review(b)
		b.empty()
		b.reply("greta", packet, "MOD bobo +10 because high ground")
		b.reply("greta", packet, "OK")
		letters := b.fetch()
		b.must(b.race(ingesting(letters[0]), ingesting(letters[1])))
		if s := b.state(1, game.Closed); len(s.Rulings) != 1 {
			t.Fatalf("rulings %+v", s.Rulings)
		}
		b.crank()
		if got := b.markers("greta", "nothing was released"); len(got) != 1 {
			t.Errorf("the GM was told %d times that nothing was released", len(got))
		}
		second := b.with("greta", "attempt 2")
		contains(t, "the second packet", second.text, "high ground")
		b.empty()

		b.clock.advance(time.Hour)
		b.reply("greta", second, "OK")
		b.reply("greta", second, "MOD bobo -10 because of the rain")
		letters = b.fetch()
		b.must(b.race(ingesting(letters[0]), ingesting(letters[1])))
		if s := b.state(1, game.Approved); len(s.Rulings) != 1 || s.Turn.Attempt != 2 {
			t.Fatalf("attempt %d, rulings %+v", s.Turn.Attempt, s.Rulings)
		}
		b.crank()
		b.state(2, game.Open)
		if got := b.markers("greta", "Not done"); len(got) != 1 {
			t.Errorf("the GM was told %d times that the ruling came too late", len(got))
		}
		b.one("anna")
	})
}

func TestTwoRulingsAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		packet := review(b)
		b.reply("greta", packet, "MOD bobo +10 because high ground")
		b.reply("greta", packet, "MOD zog -10 because of the smoke\nNOTE Smoke rises.")
		letters := b.fetch()
		b.must(b.race(ingesting(letters[0]), ingesting(letters[1])))
		s := b.state(1, game.Closed)
		var got []string
		for i, r := range s.Rulings {
			if r.N != i+1 {
				t.Errorf("ruling %d has the number %d", i+1, r.N)
			}
			got = append(got, r.Body.Text)
		}
		if len(got) != 3 || !strings.Contains(got[0], "high ground") || !strings.Contains(got[1], "smoke") {
			t.Fatalf("rulings %q", got)
		}
		b.empty()
		b.crank()
		if s := b.state(1, game.Review); s.Turn.Attempt != 2 {
			t.Errorf("attempt %d", s.Turn.Attempt)
		}
		contains(t, "the packet", b.with("greta", "attempt 2").text, "high ground", "smoke", "Smoke rises.")
	})
}

func TestExtendAgainstClose(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		gm := b.with("greta", "the turn opens")
		b.empty()
		deadline := b.game().Turn.DeadlineAt
		b.clock.set(deadline.Add(5*time.Minute + time.Second))
		b.reply("greta", gm, "EXTEND 24h")
		letters := b.fetch()
		b.must(b.race(ingesting(letters[0]), b.turnStep((*Daemon).closeTurn)))
		s := b.state(1, game.Open)
		if want := deadline.Add(24 * time.Hour); !s.Turn.DeadlineAt.Equal(want) {
			t.Fatalf("the turn closes %v, want %v", s.Turn.DeadlineAt, want)
		}
		b.crank()
		b.state(1, game.Open)
		b.empty()

		b.clock.set(s.Turn.DeadlineAt.Add(5*time.Minute + time.Second))
		b.reply("greta", gm, "EXTEND 24h")
		letters = b.fetch()
		b.must(b.race(b.turnStep((*Daemon).closeTurn), ingesting(letters[0])))
		b.state(1, game.Closed)
		b.crank()
		b.state(1, game.Review)
		if got := b.markers("greta", "Not done"); len(got) != 1 {
			t.Errorf("the GM was told %d times that it was too late", len(got))
		}
		b.none("anna")
	})
}

func TestTwoOKsAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		packet := review(b)
		// The same letter in other bytes, and the same word once more.
		for _, id := range []string{"<same@x.test>", ""} {
			turn := b.game().Turn.N
			b.empty()
			b.reply("greta", packet, "OK", arrival{id: id})
			b.clock.advance(time.Second)
			b.reply("greta", packet, "OK", arrival{id: id})
			letters := b.fetch()
			b.must(b.race(ingesting(letters[0]), ingesting(letters[1])))
			b.state(turn, game.Approved)
			b.crank()
			b.state(turn+1, game.Open)
			for _, who := range []string{"anna", "ben", "carla"} {
				if got := b.markers(who, "report"); len(got) != 1 {
					t.Errorf("%s got %d reports", who, len(got))
				}
			}
			told := b.markers("greta", "nothing was released")
			if id != "" {
				if d := b.dispositions(); d[store.Duplicate] != 1 || len(told) != 0 {
					t.Errorf("dispositions %v; the GM was told %d times", d, len(told))
				}
			} else if len(told) != 1 {
				t.Errorf("the GM was told %d times that nothing was released", len(told))
			}
			b.clock.advance(48 * time.Hour)
			b.crank()
			packet = b.with("greta", "attempt 1")
		}
	})
}

// TestTwoDaemonsDraft: another process drafts the turn while this one resolves
// it; one packet goes out. A ruling in that gap makes the work of both old.
func TestTwoDaemonsDraft(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.reply("anna", b.one("anna"), "Three shots at Zog.")
		b.crank()
		b.empty()
		var gap once
		one := b.another(func(o *Options) {
			o.Step = func(name string) {
				if name == "resolved" {
					gap.fire()
				}
			}
		}, nil)
		two := b.another(nil, nil)
		b.clock.advance(24 * time.Hour)
		b.fetch()
		turn := b.turnStep((*Daemon).closeTurn)
		b.must(b.d.closeTurn(t.Context(), turn.row))
		gap.arm(func() {
			b.clock.advance(claimTerm) // the first was thought dead
			b.must(two.resolveTurn(t.Context(), turn.row))
		})
		b.must(one.resolveTurn(t.Context(), turn.row))
		if s := b.state(1, game.Review); s.Turn.Attempt != 1 {
			t.Fatalf("attempt %d", s.Turn.Attempt)
		}
		b.crank()
		packet := b.markers("greta", "for the GM")
		if len(packet) != 1 {
			t.Fatalf("the GM got %d packets", len(packet))
		}

		// A first ruling puts the turn back; a second comes while it is resolved.
		b.reply("greta", packet[0], "MOD bobo +10 because high ground")
		b.must(b.d.ingest(t.Context(), b.fetch()[0]))
		b.reply("greta", packet[0], "MOD bobo +5 because of the light")
		letters := b.fetch()
		gap.arm(func() { b.must(two.ingest(t.Context(), letters[0])) })
		b.must(one.resolveTurn(t.Context(), turn.row))
		if s := b.state(1, game.Closed); s.Turn.Attempt != 1 || s.Turn.Tries != 0 {
			t.Fatalf("attempt %d, tries %d after a ruling in the gap", s.Turn.Attempt, s.Turn.Tries)
		}
		b.crank()
		if s := b.state(1, game.Review); s.Turn.Attempt != 2 {
			t.Fatalf("attempt %d", s.Turn.Attempt)
		}
		second := b.markers("greta", "for the GM")
		if len(second) != 1 {
			t.Fatalf("the GM got %d packets", len(second))
		}
		contains(t, "the packet", second[0].text, "attempt 2", "high ground", "the light")
	})
}

// TestTwoDaemonsRelease: two processes release one turn, at once and one while
// the other has only read it. Everybody gets one report.
func TestTwoDaemonsRelease(t *testing.T) {
	t.Parallel()
	for _, gap := range []string{"at once", "between reading and storing"} {
		t.Run(gap, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, dsn string) {
				b := newBench(t, dsn, benchOptions{})
				packet := review(b)
				b.empty()
				b.reply("greta", packet, "OK")
				b.must(b.d.ingest(t.Context(), b.fetch()[0]))
				turn := b.turnStep((*Daemon).releaseTurn)
				if gap == "at once" {
					b.must(b.race(turn, turn))
				} else {
					n := &noticed{}
					one, two := b.another(n.wrap(), nil), b.another(nil, nil)
					n.load.arm(func() {
						b.clock.advance(claimTerm)
						b.must(two.releaseTurn(t.Context(), turn.row))
					})
					b.must(one.releaseTurn(t.Context(), turn.row))
				}
				b.state(2, game.Open)
				b.crank()
				for _, who := range []string{"anna", "ben", "carla"} {
					if got := b.markers(who, "report"); len(got) != 1 {
						t.Errorf("%s got %d reports", who, len(got))
					}
				}
			})
		})
	}
}

// TestTwoDaemonsReadAndSend: a letter is acted on once and a mail sent once,
// whichever process looks at its row in between.
func TestTwoDaemonsReadAndSend(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna := b.one("anna")
		n := &noticed{}
		var claimed once
		one := b.another(func(o *Options) {
			n.wrap()(o)
			o.Step = func(name string) {
				if name == "claimed" {
					claimed.fire()
				}
			}
		}, nil)
		two := b.another(nil, nil)
		b.reply("anna", anna, "two shots at Zog")
		letter := b.fetch()[0]
		n.load.arm(func() {
			if err := two.ingest(t.Context(), letter); !snoozes(err) {
				t.Errorf("a letter that another one reads: %v", err)
			}
			b.clock.advance(claimTerm) // the first was thought dead
			b.must(two.ingest(t.Context(), letter))
		})
		b.must(one.ingest(t.Context(), letter))
		if s := b.state(1, game.Open); len(s.Revisions) != 1 {
			t.Errorf("%d revisions", len(s.Revisions))
		}
		mails := b.due(workSend)
		if len(mails) != 1 {
			t.Fatalf("%d receipts", len(mails))
		}
		claimed.arm(func() { b.must(two.sendMail(t.Context(), mails[0])) })
		b.must(one.sendMail(t.Context(), mails[0]))
		b.crank()
		b.one("anna")
	})
}
