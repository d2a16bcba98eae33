package daemon

import (
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// blind is a ruleset that cannot show a world while it is ill.
type blind struct {
	*noticed
	ill *bool
}

func (x blind) See(w game.World, who game.ID) game.View {
	if *x.ill {
		panic("a view has no column 9")
	}
	return x.noticed.See(w, who)
}

// approved is a turn whose OK was taken and that is not released yet.
func approved(b *bench) {
	b.t.Helper()
	b.reply("greta", review(b), "OK")
	b.must(b.d.ingest(b.t.Context(), b.fetch()[0]))
	b.state(1, game.Approved)
	b.empty()
}

// TestReportsThatPanic: after three tries the turn is stuck; operator and GM are
// told, players are not; REOPEN opens it again, and says that a draft was seen.
func TestReportsThatPanic(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		approved(b)
		ill := true
		b.d = b.another(func(o *Options) {
			find := o.Rulesets
			o.Rulesets = func(name string) (resolve.Ruleset, error) {
				rs, err := find(name)
				return blind{&noticed{Ruleset: rs}, &ill}, err
			}
		}, nil)
		for range maxTries - 1 {
			b.work()
			b.clock.advance(time.Minute)
			b.state(1, game.Approved)
		}
		b.none("mallory")
		b.work()
		b.state(1, game.Stuck)
		b.work()
		gm := b.with("greta", "stuck")
		contains(t, "what the GM is told", gm.text, "is stuck", "could not be written", "REOPEN")
		contains(t, "what the operator is told", b.one("mallory").text, "is stuck", "column 9")
		for _, who := range []string{"anna", "ben", "carla"} {
			b.none(who)
		}
		ill = false
		b.reply("greta", gm, "REOPEN 24h")
		b.crank()
		b.state(1, game.Open)
		b.clock.advance(25 * time.Hour)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 2"), "OK")
		b.crank()
		b.state(2, game.Open)
		contains(t, "the report", b.with("anna", "report").text, "reopened after the GM had seen a draft")
	})
}

// TestReleaseThatNeverEnds: a process that dies of the release three times leaves
// the turn stuck, and the fourth says so.
func TestReleaseThatNeverEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	approved(b)
	for range maxTries {
		if _, err := b.st.ReleaseBegins(t.Context(), b.game().Turn.ID); err != nil {
			t.Fatal(err)
		}
		b.clock.advance(claimTerm)
	}
	b.crank()
	b.state(1, game.Stuck)
	b.with("greta", "stuck")
	b.one("mallory")
}

// TestReopenedBeforeAPause: the report of the whole turn says that a part of it
// was reopened.
func TestReopenedBeforeAPause(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := pausing(t, dsn)
		b.at(utc(3, 2, 19, 5))
		b.reply("greta", b.with("greta", "attempt 1"), "REOPEN 24h")
		b.crank()
		b.clock.advance(25 * time.Hour)
		b.crank()
		at := b.state(1, game.Review).Turn.ReopenedAt
		b.reply("greta", b.with("greta", "attempt 2"), "OK")
		b.crank()
		s := b.state(1, game.Open)
		if s.Turn.Phase != 1 || at.IsZero() || !s.Turn.ReopenedAt.Equal(at) {
			t.Fatalf("phase %d, reopened %v, was %v", s.Turn.Phase, s.Turn.ReopenedAt, at)
		}
		b.at(s.Turn.DeadlineAt.Add(5 * time.Minute))
		b.reply("greta", b.with("greta", "attempt 3"), "OK")
		b.crank()
		s = b.state(2, game.Open)
		if !s.Turn.ReopenedAt.IsZero() {
			t.Error("the next turn was reopened")
		}
		all := b.inbox("anna")
		contains(t, "the report", all[len(all)-1].text, "reopened after the GM had seen a draft")
	})
}
