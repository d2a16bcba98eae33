package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// pausing is a bench whose game is played by the ruleset that pauses in the
// middle of each turn.
func pausing(t *testing.T, dsn string) *bench {
	t.Helper()
	return pausingAs(t, dsn, rulesettest.Pausing{})
}

func pausingAs(t *testing.T, dsn string, rules resolve.Ruleset) *bench {
	t.Helper()
	b := newBench(t, dsn, benchOptions{noGame: true})
	b.d = b.another(func(o *Options) {
		o.Rulesets = func(string) (resolve.Ruleset, error) { return rules, nil }
	}, nil)
	b.create(dailyGame(t))
	return b
}

// blocks reads the dice blocks of mails that speak of a turn.
func blocks(t *testing.T, turn int, mails ...mailIn) []dice.Block {
	t.Helper()
	var out []dice.Block
	for _, m := range mails {
		for _, part := range strings.Split(m.text, "pbemd-dice 1")[1:] {
			b, ok, err := dice.ReadBlock("pbemd-dice 1" + part)
			if !ok || err != nil {
				t.Fatalf("%v; dice block of:\n%s", err, m.text)
			}
			if b.Turn == turn {
				out = append(out, b)
			}
		}
	}
	return out
}

// TestPause plays a turn of two phases: packet for the pause, OK, briefs, the
// second phase on the stored world, and only then the next turn.
func TestPause(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := pausing(t, dsn)
		anna := b.one("anna")
		b.reply("anna", anna, "wait")
		b.crank()
		receipt := b.one("anna")
		b.empty()
		b.at(utc(3, 2, 19, 5))
		pause := b.one("greta")
		contains(t, "the packet of a pause", pause.subject+pause.text, "Pause to approve", "attempt 1")
		lock := string(b.state(1, game.Review).Turn.Lock)
		b.reply("greta", pause, "OK")
		b.crank()

		s := b.state(1, game.Open)
		if s.Turn.Phase != 1 || string(s.Turn.Lock) != lock || !strings.Contains(string(s.Turn.World), `"counter":1`) {
			t.Fatalf("phase %d, same lock %v, world %s", s.Turn.Phase, string(s.Turn.Lock) == lock, s.Turn.World)
		}
		if len(s.Revisions) != 0 {
			t.Errorf("orders of phase 0 in phase 1: %+v", s.Revisions)
		}
		if want := utc(3, 3, 19, 0); !s.Turn.DeadlineAt.Equal(want) {
			t.Errorf("phase 1 closes %v, want %v", s.Turn.DeadlineAt, want)
		}
		brief := b.one("anna")
		contains(t, "the brief", brief.text, "Bobo, the first half is over", "BEGIN ORDERS Dusk-1.1")
		for _, secret := range []string{"Chirik, the first half", "secret heroes", "secret gm"} {
			if strings.Contains(brief.text, secret) {
				t.Errorf("the brief tells %q:\n%s", secret, brief.text)
			}
		}
		b.one("ben")

		// What is frozen stays so: letters of phase 0, orders or OK, do nothing.
		b.reply("anna", anna, `say "too late"`)
		b.crank()
		contains(t, "orders for phase 0", b.one("anna").text, "no more orders")
		b.empty()
		b.reply("greta", pause, "OK")
		b.crank()
		contains(t, "OK for phase 0", b.one("greta").text, "Nothing was released")
		b.reply("greta", pause, "MOD bobo +10")
		b.crank()
		b.one("greta")
		if s := b.state(1, game.Open); len(s.Revisions)+len(s.Rulings) != 0 || s.Turn.Phase != 1 {
			t.Fatalf("phase %d, revisions %+v, rulings %+v", s.Turn.Phase, s.Revisions, s.Rulings)
		}

		// Phase 1 takes orders of its own, foes' too.
		b.reply("anna", brief, `say "now"`)
		b.reply("greta", b.with("greta", "turn 1"), "AS Zog: wait", arrival{auth: "none"})
		b.crank()
		s = b.state(1, game.Open)
		if len(s.InForce()) != 2 || len(s.Rulings) != 0 {
			t.Errorf("in force %v, rulings %+v", s.InForce(), s.Rulings)
		}
		b.empty()
		b.at(utc(3, 3, 19, 5))
		s = b.state(1, game.Review)
		if s.Turn.Attempt != 2 || string(s.Turn.Lock) != lock {
			t.Fatalf("attempt %d of phase 1, same lock %v", s.Turn.Attempt, string(s.Turn.Lock) == lock)
		}
		second := b.one("greta")
		contains(t, "the packet of phase 1", second.text, "attempt 2")
		if second.replyTo == pause.replyTo {
			t.Error("both packets of the turn have one release token")
		}
		b.reply("greta", pause, "OK")
		b.crank()
		b.state(1, game.Review)
		b.empty()
		b.reply("greta", second, "OK")
		b.crank()
		s = b.state(2, game.Open)
		if s.Turn.Phase != 0 || string(s.PrevLock) != lock || !strings.Contains(string(s.Turn.World), `"counter":2`) {
			t.Errorf("phase %d, previous lock right %v, world %s", s.Turn.Phase, string(s.PrevLock) == lock, s.Turn.World)
		}
		report := b.one("anna")

		// All mails of the turn together prove the dice of both phases.
		all, err := dice.Merge(blocks(t, 1, anna, receipt, brief, report)...)
		if err != nil {
			t.Fatal(err)
		}
		right := map[string]bool{}
		for _, f := range dice.Verify(all, true) {
			if f.Result == dice.Wrong {
				t.Errorf("%s: %s", f.About, f.Why)
			}
			right[f.About] = f.Result == dice.Right
		}
		for _, about := range []string{"lock", "secret heroes", "luck/bobo/p0", "luck/bobo/p1"} {
			if !right[about] {
				t.Errorf("%s was not checked", about)
			}
		}
		if d := b.dispositions(); d[""] != 0 {
			t.Errorf("dispositions %v", d)
		}
	})
}

// TestReopenInPhase: REOPEN reaches the current phase only.
func TestReopenInPhase(t *testing.T) {
	t.Parallel()
	b := pausing(t, "sqlite:"+t.TempDir()+"/x.db")
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	b.at(utc(3, 3, 19, 5))
	b.reply("greta", b.with("greta", "attempt 2"), "REOPEN 24h")
	b.crank()
	if s := b.state(1, game.Open); s.Turn.Phase != 1 {
		t.Fatalf("REOPEN opened phase %d", s.Turn.Phase)
	}
	b.reply("greta", b.with("greta", "reopened"), "AS Zog: wait")
	b.crank()
	if s := b.state(1, game.Open); len(s.Rulings) != 1 || len(s.InForce()) != 0 {
		t.Errorf("a foe ordered after the first close: rulings %+v, in force %v", s.Rulings, s.InForce())
	}
	b.clock.advance(25 * time.Hour)
	b.crank()
	b.reply("greta", b.with("greta", "attempt 3"), "OK")
	b.crank()
	b.state(2, game.Open)
	contains(t, "the report", b.with("anna", "report").text, "reopened")
}
