package store

import (
	"errors"
	"testing"
)

// TestRequeue: a letter that changed nothing is read once more, and only such a one.
func TestRequeue(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		for disposition, again := range map[string]bool{
			Answered: true, Ignored: true, Quarantined: true, Poison: true,
			Acted: false, Held: false, Duplicate: false, Late: false,
		} {
			id := b.letter(noon)
			if _, err := b.TakeLetter(b.ctx, id); err != nil {
				t.Fatal(err)
			}
			b.must(b.EndLetter(b.ctx, Ending{Letter: id, Disposition: disposition, Why: "x", From: "a@b.test", Now: noon}))
			if err := b.Requeue(b.ctx, id); (err == nil) != again || err != nil && !errors.Is(err, ErrChanged) {
				t.Errorf("%s: %v", disposition, err)
			}
			if !again {
				continue
			}
			if err := b.Requeue(b.ctx, id); !errors.Is(err, ErrChanged) {
				t.Errorf("%s, twice: %v", disposition, err)
			}
			l, err := b.TakeLetter(b.ctx, id)
			if err != nil || l.Tries != 1 || !l.ReceivedAt.Equal(noon) {
				t.Errorf("%s: taken again: %d tries, received %v, %v", disposition, l.Tries, l.ReceivedAt, err)
			}
			b.must(b.EndLetter(b.ctx, Ending{Letter: id, Disposition: Ignored, Why: "again", From: "a@b.test", Now: noon}))
		}
		// One that was never stored whole was never begun.
		stub, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("cut"), Quarantine: "too long", ReceivedAt: noon, Now: noon})
		b.must(err)
		if err := b.Requeue(b.ctx, stub); !errors.Is(err, ErrChanged) {
			t.Errorf("a letter that is not whole: %v", err)
		}
		waiting := b.letter(noon)
		if err := b.Requeue(b.ctx, waiting); !errors.Is(err, ErrChanged) {
			t.Errorf("a letter that waits: %v", err)
		}
	})
}

// TestBounceMarksAnAddress: with the end of the report, once.
func TestBounceMarksAnAddress(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		reachable := func(role int64) bool {
			t.Helper()
			r, err := b.RoleByNo(b.ctx, b.game.No, uint16(role))
			b.must(err)
			return r.Reachable
		}
		r, err := b.RoleByNo(b.ctx, b.game.No, 1)
		b.must(err)
		id := b.letter(noon)
		b.must(b.Bounced(b.ctx, Ending{Letter: id, Disposition: Acted, Why: "5.1.1", Now: noon}, r.Address))
		if reachable(1) {
			t.Error("the address is not marked")
		}
		if err := b.Bounced(b.ctx, Ending{Letter: id, Disposition: Acted, Why: "5.1.1", Now: noon}, r.Address); !errors.Is(err, ErrDone) {
			t.Errorf("twice: %v", err)
		}
		if at, err := b.HeardOf(b.ctx, r.ID, r.Address); err != nil || !at.IsZero() {
			t.Errorf("heard of at %v, %v", at, err)
		}
		heard := b.letter(noon)
		b.must(b.EndLetter(b.ctx, Ending{Letter: heard, Disposition: Answered, Why: "x", Role: r.ID, From: r.Address, Now: noon}))
		if at, err := b.HeardOf(b.ctx, r.ID, r.Address); err != nil || !at.Equal(noon) {
			t.Errorf("heard of at %v, %v", at, err)
		}
	})
}
