package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// health reads the health at an instant.
func (b *bench) health(at time.Time) Health {
	b.t.Helper()
	b.clock.set(at)
	h, err := b.Health(b.ctx, account)
	b.must(err)
	if !h.Now.Equal(at) {
		b.t.Errorf("read at %v, want %v", h.Now, at)
	}
	return h
}

func TestHealthOfAQuietHouse(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		if diff := cmp.Diff(Health{Now: noon, Term: 10 * time.Minute}, b.health(noon)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHealthOfTheMailbox(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		if _, err := b.Lease(b.ctx, account, "here", time.Hour); err != nil {
			t.Fatal(err)
		}
		b.must(b.SearchedTo(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 1, LastUID: 3}))
		h := b.health(noon)
		if !h.Searched.IsZero() || h.Holder != "here" || !h.Until.Equal(noon.Add(time.Hour)) {
			t.Errorf("a first search under way: searched %v, held by %q until %v", h.Searched, h.Holder, h.Until)
		}
		b.searched(noon.Add(time.Minute))
		if h := b.health(noon.Add(time.Hour)); !h.Searched.Equal(noon.Add(time.Minute)) {
			t.Errorf("searched from %v", h.Searched)
		}
		// The deadlines wait for every folder that was ever searched: so does this.
		b.must(b.SearchDone(b.ctx, account, "Other", "here", Mailbox{UIDValidity: 1, SearchedFrom: noon}))
		if h := b.health(noon.Add(time.Hour)); !h.Searched.Equal(noon) {
			t.Errorf("two folders: searched from %v", h.Searched)
		}
		other, err := b.Health(b.ctx, "other")
		b.must(err)
		if !other.Searched.IsZero() || other.Holder != "" {
			t.Errorf("of another account: %+v", other)
		}
	})
}

func TestHealthOfLetters(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.letter(noon.Add(2 * time.Minute))
		first := b.letter(noon.Add(time.Minute))
		h := b.health(noon.Add(11 * time.Minute))
		if h.Letters.Count != 2 || h.Letters.Age(h.Now) != 10*time.Minute {
			t.Errorf("waiting %+v", h.Letters)
		}
		if !h.Neglected.Equal(noon.Add(time.Minute)) {
			t.Errorf("neglected since %v", h.Neglected)
		}
		b.must(b.EndLetter(b.ctx, acted(first)))
		_, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("odd"), ReceivedAt: noon, Now: noon, Quarantine: "odd"})
		b.must(err)
		h = b.health(noon.Add(11 * time.Minute))
		if h.Letters.Count != 1 || h.Letters.Age(h.Now) != 9*time.Minute || h.Quarantined != 1 {
			t.Errorf("waiting %+v, quarantined %d", h.Letters, h.Quarantined)
		}
	})
}

func TestHealthOfTheOutbox(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		later := b.mailTo(1, "reminder", "")
		later.NotBefore = noon.Add(time.Hour)
		b.must(b.QueueMails(b.ctx, []NewMail{later}))
		if h := b.health(noon.Add(59 * time.Minute)); h.Outbox != (Waiting{}) {
			t.Errorf("a mail of later: %+v", h.Outbox)
		}
		if h := b.health(noon.Add(61 * time.Minute)); h.Outbox.Count != 1 || h.Outbox.Age(h.Now) != time.Minute {
			t.Errorf("a minute after its time: %+v", h.Outbox)
		}
		b.clock.set(noon)
		b.must(b.QueueMails(b.ctx, []NewMail{b.mailTo(2, "report", "")}))
		var m Mail
		for i := range 2 {
			var err error
			at := noon.Add(time.Duration(i) * time.Hour)
			m, err = b.ClaimMail(b.ctx, b.mailID("report"), at)
			b.must(err)
			if i == 0 {
				b.must(b.MailRetry(b.ctx, m.ID, m.Claim, noon.Add(time.Hour), "busy"))
			}
		}
		if h := b.health(noon.Add(time.Minute)); h.Outbox.Count != 1 || h.Outbox.Age(h.Now) != time.Minute {
			t.Errorf("a mail that was tried waits since it was written: %+v", h.Outbox)
		}
		b.must(b.MailFailed(b.ctx, m.ID, m.Claim, "no such mailbox", true))
		if h := b.health(noon.Add(time.Minute)); h.Outbox.Count != 0 || h.Unreachable != 1 {
			t.Errorf("after it failed: %+v, unreachable %d", h.Outbox, h.Unreachable)
		}
	})
}

// mailID finds the mail of a kind.
func (b *bench) mailID(kind string) int64 {
	b.t.Helper()
	m, err := b.MailByMessageID(b.ctx, "<"+kind+">")
	b.must(err)
	return m.ID
}

func TestHealthOfTurns(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		if h := b.health(deadline.Add(DueLimit - time.Second)); h.Overdue.Count != 0 {
			t.Errorf("before the limit: %+v", h.Overdue)
		}
		h := b.health(deadline.Add(DueLimit))
		if h.Overdue.Count != 1 || h.Overdue.Age(h.Now) != DueLimit {
			t.Errorf("overdue %+v", h.Overdue)
		}
		b.close()
		b.clock.set(deadline.Add(time.Hour))
		b.draft("d1")
		h = b.health(deadline.Add(3 * time.Hour))
		if h.Overdue.Count != 0 || h.Review.Count != 1 || h.Review.Age(h.Now) != 2*time.Hour || len(h.Stuck) != 0 {
			t.Errorf("in review: %+v", h)
		}
		b.must(b.Rule(b.ctx, Ending{}, b.key(), []game.Ruling{{Kind: game.RuleMod}}, nil)) // back to closed
		b.must(b.MarkStuck(b.ctx, b.key(), "a broken invariant", nil))
		h = b.health(deadline.Add(3 * time.Hour))
		if diff := cmp.Diff([]StuckTurn{{Game: "dusk", N: 1}}, h.Stuck); diff != "" || h.Review.Count != 0 {
			t.Errorf("stuck: %s%+v", diff, h.Review)
		}
		if s := h.Stuck[0].String(); s != "dusk turn 1" {
			t.Errorf("named %q", s)
		}
		if s := (StuckTurn{Game: "dusk", N: 1, Phase: 2}).String(); s != "dusk turn 1 phase 2" {
			t.Errorf("named %q", s)
		}
	})
}

// TestASweepEndsNeglect: while a process sweeps, no row that is due stays
// untold for much more than a Term.
func TestASweepEndsNeglect(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.letter(noon)
		at := noon.Add(25 * time.Minute)
		if h := b.health(at); !h.Neglected.Equal(noon) {
			t.Errorf("neglected since %v", h.Neglected)
		}
		if _, err := b.sweep(b.ctx); err != nil {
			t.Fatal(err)
		}
		if h := b.health(at); !h.Neglected.Equal(at) {
			t.Errorf("neglected since %v after a sweep at %v", h.Neglected, at)
		}
	})
}

func TestWorkersAreAliveUntilTheyStop(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		w, err := b.Work(b.ctx, nil)
		b.must(err)
		if !w.Alive() {
			t.Error("they work and are not alive")
		}
		b.must(w.Stop(b.ctx))
		if w.Alive() {
			t.Error("they stopped and are alive")
		}
	})
}
