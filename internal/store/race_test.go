package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// racing is a bench whose next change stops after its first statement until the
// other one, on a second store, runs into it.
type racing struct {
	*bench
	other *Store
	mu    sync.Mutex
	hit   func() // armed; runs once, inside the first change's transaction
}

func newRacing(t *testing.T, dsn string) *racing {
	r := &racing{}
	r.bench = newBench(t, Options{DSN: dsn, NoJobs: true, Hook: func(string) {
		r.mu.Lock()
		hit := r.hit
		r.hit = nil
		r.mu.Unlock()
		if hit != nil {
			hit()
		}
	}})
	r.other = open(t, Options{DSN: dsn, NoJobs: true, Now: r.clock.now})
	return r
}

// race runs second while first is between its statements.
func (r *racing) race(first, second func(*Store) error) (err1, err2 error) {
	r.t.Helper()
	var wg sync.WaitGroup
	ran := false
	r.hit = func() {
		ran = true
		begun := make(chan struct{})
		wg.Go(func() { close(begun); err2 = second(r.other) })
		<-begun
		if r.path == "" {
			r.blocked()
		} // SQLite gives the second no transaction before the first ends
	}
	err1 = first(r.Store)
	wg.Wait()
	if !ran {
		r.t.Fatal("the first change did not reach its first statement")
	}
	return err1, err2
}

// blocked returns when a connection waits for a row of our turn table.
func (r *racing) blocked() {
	ctx, cancel := context.WithTimeout(r.ctx, 20*time.Second)
	defer cancel()
	for n := 0; n == 0; {
		err := r.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_locks w JOIN pg_locks r ON r.pid = w.pid
			WHERE NOT w.granted AND r.relation = 'turn'::regclass`).Scan(&n)
		if err != nil {
			r.t.Errorf("waiting for the second to run into the first: %v", err)
			return
		}
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// closer is a CloseTurn whose closed and why are part of the error.
func closer(ctx context.Context, c CloseIn) func(*Store) error {
	return func(s *Store) error {
		closed, why, err := s.CloseTurn(ctx, c)
		if err == nil && !closed {
			err = errors.New(why)
		}
		return err
	}
}

func TestIngestDuringCloseIsTooLate(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		r.order(noon.Add(time.Hour), "mira", "fire")
		r.searched(deadline.Add(grace))
		at := deadline.Add(grace + time.Second) // the fence does not wait for it
		id, key := r.letter(at), r.key()
		err1, err2 := r.race(closer(r.ctx, r.closing()), func(s *Store) error {
			return s.StoreOrders(r.ctx, acted(id), key, orders(id, at, "mira", "run"))
		})
		wantErr(t, "close", err1, nil)
		wantErr(t, "orders", err2, ErrChanged)
		sn := r.snap()
		if len(sn.Revisions) != 1 || string(sn.Turn.Lock) != "lock|fire" {
			t.Errorf("%d revisions, lock %q", len(sn.Revisions), sn.Turn.Lock)
		}
		l, err := r.LetterByID(r.ctx, id)
		r.must(err)
		if l.Disposition != "" {
			t.Errorf("the letter is %q, want it undecided", l.Disposition)
		}
	})
}

func TestCloseDuringIngestTakesTheOrder(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		r.searched(deadline.Add(grace))
		at := deadline.Add(-time.Second) // the fence waits for it
		id, key := r.letter(at), r.key()
		err1, err2 := r.race(func(s *Store) error {
			return s.StoreOrders(r.ctx, acted(id), key, orders(id, at, "mira", "run"))
		}, closer(r.ctx, r.closing()))
		wantErr(t, "orders", err1, nil)
		wantErr(t, "close", err2, nil)
		if sn := r.snap(); len(sn.Frozen) != 1 || string(sn.Turn.Lock) != "lock|run" {
			t.Errorf("%d frozen, lock %q", len(sn.Frozen), sn.Turn.Lock)
		}
	})
}

func TestExtendAgainstClose(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		r.searched(deadline.Add(grace))
		id, key, c := r.letter(deadline), r.key(), r.closing()
		extend := func(s *Store) error {
			return s.Extend(r.ctx, acted(id), key, deadline.Add(24*time.Hour), time.Time{})
		}
		// The letter itself is not read yet, so this close finds its fence shut.
		err1, err2 := r.race(closer(r.ctx, c), extend)
		if err1 == nil || err1.Error() != WhyLetter {
			t.Errorf("close with an unread letter: %v", err1)
		}
		wantErr(t, "extend during a close that came to nothing", err2, nil)
		if got := r.snap().Turn; got.State != game.Open || !got.DeadlineAt.Equal(deadline.Add(24*time.Hour)) {
			t.Errorf("the turn is %s until %v", got.State, got.DeadlineAt)
		}

		late := r.letter(deadline.Add(25 * time.Hour))
		key = r.key()
		err1, err2 = r.race(func(s *Store) error {
			return s.Extend(r.ctx, acted(late), key, deadline.Add(48*time.Hour), time.Time{})
		}, closer(r.ctx, r.closing()))
		wantErr(t, "extend", err1, nil)
		wantErr(t, "close during extend", err2, ErrDone)

		r.searched(deadline.Add(49 * time.Hour))
		tooLate := r.letter(deadline.Add(49 * time.Hour))
		key = r.key()
		err1, err2 = r.race(closer(r.ctx, r.closing()), func(s *Store) error {
			return s.Extend(r.ctx, acted(tooLate), key, deadline.Add(72*time.Hour), time.Time{})
		})
		wantErr(t, "close", err1, nil)
		wantErr(t, "extend during close", err2, ErrChanged)
	})
}

func TestTwoClosersCloseOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		r.searched(deadline.Add(grace))
		c := r.closing()
		err1, err2 := r.race(closer(r.ctx, c), closer(r.ctx, c))
		wantErr(t, "first", err1, nil)
		wantErr(t, "second", err2, ErrDone)
	})
}

// inReview is a racing bench with attempt 1, digest d1, in review.
func inReview(t *testing.T, dsn string) *racing {
	r := newRacing(t, dsn)
	r.close()
	r.draft("d1")
	return r
}

func TestRulingAgainstOK(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := inReview(t, dsn)
		ok, rule, key := r.letter(deadline.Add(time.Hour)), r.letter(deadline.Add(time.Hour)), r.key()
		approve := func(s *Store) error { return s.Approve(r.ctx, acted(ok), key, 1, "d1", nil) }
		add := func(s *Store) error {
			return s.Rule(r.ctx, acted(rule), key, []game.Ruling{{Kind: game.RuleMod}}, nil)
		}
		err1, err2 := r.race(add, approve)
		wantErr(t, "ruling", err1, nil)
		wantErr(t, "OK during the ruling", err2, ErrChanged)
		if sn := r.snap(); sn.Turn.State != game.Closed || len(sn.Rulings) != 1 {
			t.Fatalf("the turn is %s with %d rulings", sn.Turn.State, len(sn.Rulings))
		}

		if n := r.draft("d2"); n != 2 {
			t.Fatalf("attempt %d, want 2", n)
		}
		key = r.key()
		wantErr(t, "OK to the old attempt", r.Approve(r.ctx, acted(ok), key, 1, "d1", nil), ErrChanged)
		rule = r.letter(deadline.Add(2 * time.Hour))
		err1, err2 = r.race(func(s *Store) error { return s.Approve(r.ctx, acted(ok), key, 2, "d2", nil) }, add)
		wantErr(t, "OK", err1, nil)
		wantErr(t, "ruling during the OK", err2, ErrChanged)
		if sn := r.snap(); sn.Turn.State != game.Approved || len(sn.Rulings) != 1 {
			t.Errorf("the turn is %s with %d rulings", sn.Turn.State, len(sn.Rulings))
		}
	})
}

func TestTwoRulingsAtOnceAreNumberedOneAfterTheOther(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := inReview(t, dsn)
		one, two, key := r.letter(deadline.Add(time.Hour)), r.letter(deadline.Add(time.Hour)), r.key()
		add := func(id int64, text string) func(*Store) error {
			return func(s *Store) error {
				return s.Rule(r.ctx, acted(id), key, []game.Ruling{{Kind: game.RuleMod, Text: text}}, nil)
			}
		}
		err1, err2 := r.race(add(one, "one"), add(two, "two"))
		wantErr(t, "first", err1, nil)
		wantErr(t, "second", err2, ErrChanged)
		key = r.key()
		r.must(add(two, "two")(r.other))
		sn := r.snap()
		if len(sn.Rulings) != 2 || sn.Rulings[0].Body.Text != "one" || sn.Rulings[1].N != 2 || sn.Rulings[1].Body.N != 2 || sn.Rulings[1].Body.Letter != two {
			t.Errorf("rulings %+v", sn.Rulings)
		}
	})
}

func TestRulingDuringResolveMakesTheDraftStale(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.close()
		begun, err := b.ResolveBegins(b.ctx, b.snap().Turn.ID)
		b.must(err)
		b.must(b.Rule(b.ctx, acted(b.letter(deadline.Add(time.Hour))), b.key(), []game.Ruling{{Kind: game.RuleMod}}, nil))
		_, err = b.StoreDraft(b.ctx, begun.Turn.Key(), Attempt{}, time.Time{}, func(int) ([]NewMail, error) { return nil, nil })
		wantErr(t, "draft", err, ErrChanged)
		if sn := b.snap(); sn.Draft != nil || sn.Turn.State != game.Closed || sn.Turn.Tries != 0 {
			t.Errorf("draft %+v in state %s after %d tries", sn.Draft, sn.Turn.State, sn.Turn.Tries)
		}
	})
}

func TestInputDuringResolveWakesItAgain(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		b.close()
		changes := []struct {
			name string
			do   func(e Ending) error
		}{
			{"a late letter", func(e Ending) error { _, err := b.StoreLate(b.ctx, e, b.key(), nil); return err }},
			{"a note", func(e Ending) error { _, err := b.AddNotes(b.ctx, e, b.key(), nil); return err }},
			{"a ruling", func(e Ending) error { return b.Rule(b.ctx, e, b.key(), nil, nil) }},
			{"a pause", func(e Ending) error { return b.SetPaused(b.ctx, e, b.key(), noon, noon, noon) }},
		}
		for _, c := range changes {
			id := b.letter(deadline)
			before := b.jobs()
			if err := c.do(acted(id)); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if n := b.jobs() - before; n != 1 {
				t.Errorf("%s made %d jobs, want 1", c.name, n)
			}
		}
	})
}

// contend runs f sixteen times at once and counts how often it wins; every
// loser must meet want.
func contend(t *testing.T, want error, f func(i int) error) int {
	t.Helper()
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, want) {
			t.Errorf("contender %d: %v, want %v", i, err, want)
		}
	}
	return won
}

func TestSixteenContendersOneWinner(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		at := noon.Add(time.Hour)
		letters := make([]int64, 16)
		for i := range letters {
			letters[i] = b.letter(at)
		}
		key := b.key()
		won := contend(t, ErrChanged, func(i int) error {
			return b.StoreOrders(b.ctx, acted(letters[i]), key, orders(letters[i], at, "mira", "run"))
		})
		if sn := b.snap(); won != 1 || len(sn.Revisions) != 1 || sn.Turn.Seq != key.Seq+1 {
			t.Errorf("%d won, %d revisions, input_seq %d", won, len(sn.Revisions), sn.Turn.Seq)
		}
		lost := errors.New("lost")
		won = contend(t, lost, func(i int) error {
			ok, err := b.Lease(b.ctx, "other", fmt.Sprint(i), time.Minute)
			if err == nil && !ok {
				err = lost
			}
			return err
		})
		if won != 1 {
			t.Errorf("%d took the lease", won)
		}
		for _, id := range letters { // what is left of them would shut the fence
			if err := b.EndLetter(b.ctx, acted(id)); err != nil && !errors.Is(err, ErrDone) {
				t.Fatal(err)
			}
		}
		b.searched(deadline.Add(grace))
		c := b.closing()
		if won = contend(t, ErrDone, func(int) error { return closer(b.ctx, c)(b.Store) }); won != 1 {
			t.Errorf("%d closed", won)
		}
	})
}

func TestGamesCreatedAtOnceGetDifferentNumbers(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				_, err := b.CreateGame(b.ctx, NewGame{Game: Game{Name: "game" + strings.Repeat("x", i)}, Turn: NewTurn{N: 1, OpenedAt: noon, DeadlineAt: deadline}})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		gs, err := b.Games(b.ctx, false)
		b.must(err)
		for i, g := range gs {
			if int(g.No) != i+1 {
				t.Errorf("game %s has number %d, want %d", g.Name, g.No, i+1)
			}
		}
		if len(gs) != 4 {
			t.Errorf("%d games, want 4", len(gs))
		}
		_, err = b.CreateGame(b.ctx, NewGame{Game: Game{Name: "dusk"}})
		wantErr(t, "a second dusk", err, ErrTaken)
	})
}
