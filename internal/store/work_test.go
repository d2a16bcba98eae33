package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// jobs counts River's jobs.
func (b *bench) jobs() (n int) {
	b.t.Helper()
	b.must(b.db.QueryRow(`SELECT COUNT(*) FROM river_job`).Scan(&n))
	return n
}

func TestJobIsInsertedOnlyWithItsRow(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		before := b.jobs()
		if before != 2 { // close and reminder of turn 1
			t.Errorf("%d jobs of a new game, want 2", before)
		}
		if err := b.QueueMails(b.ctx, []NewMail{b.mailTo(1, "receipt", ""), {Role: 1, Address: "nobody"}}); err == nil {
			t.Fatal("a mail to no role was queued")
		}
		if n := b.jobs(); n != before {
			t.Errorf("a rolled-back change left %d jobs", n-before)
		}
		id := b.letter(noon)
		if n := b.jobs(); n != before+1 {
			t.Errorf("a letter made %d jobs, want 1", n-before)
		}
		e := acted(id)
		e.Mails = []NewMail{b.mailTo(1, "receipt", ""), b.mailTo(2, "receipt", "")}
		b.must(b.EndLetter(b.ctx, e))
		if n := b.jobs(); n != before+3 {
			t.Errorf("%d jobs, want %d", n, before+3)
		}
		wantErr(t, "a second end", b.EndLetter(b.ctx, e), ErrDone)
		b.must(b.Wake(b.ctx, Work{Kind: DoClose, Row: b.snap().Turn.ID}))
		if n := b.jobs(); n != before+4 {
			t.Errorf("%d jobs, want %d", n, before+4)
		}
		if err := b.Wake(b.ctx, Work{Kind: "dance"}); err == nil {
			t.Error("unknown work was accepted")
		}
	})
}

func TestDueIsInFixedOrder(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		one, two := b.letter(noon), b.letter(noon)
		b.must(b.QueueMails(b.ctx, []NewMail{b.mailTo(1, "receipt", "")}))
		turn := b.snap().Turn.ID
		second := b.newGame("dawn")
		sn, err := b.Snapshot(b.ctx, second.ID)
		b.must(err)
		for _, w := range []struct {
			state game.State
			kind  string
		}{{game.Closed, DoResolve}, {game.Approved, DoRelease}, {game.Review, DoNudge}} {
			_, err := b.db.Exec(`UPDATE turn SET state = $2, closed_at = $3, review_at = $3, nudge_at = $3 WHERE id = $1`, sn.Turn.ID, string(w.state), Time(noon))
			b.must(err)
			due, err := b.Due(b.ctx, deadline, 10)
			b.must(err)
			var got []string
			for _, d := range due {
				got = append(got, d.Kind)
			}
			want := []string{DoIngest, DoIngest, DoClose, DoSend, DoRemind}
			switch w.kind {
			case DoNudge:
				want = append(want, w.kind)
			default:
				want = slices.Insert(want, 3, w.kind)
			}
			if !slices.Equal(got, want) {
				t.Errorf("due %v, want %v", got, want)
			}
			if due[0].Row != one || due[1].Row != two || due[2].Row != turn {
				t.Errorf("due %v", due)
			}
		}
		if due, err := b.Due(b.ctx, deadline, 1); err != nil || len(due) != 5 {
			t.Errorf("one of a kind: %v, %v", due, err)
		}
	})
}

func TestSearchWakesTheTurnsThatItFrees(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		before := b.jobs()
		b.searched(deadline.Add(-time.Microsecond))
		if n := b.jobs(); n != before {
			t.Errorf("%d jobs before the deadline", n-before)
		}
		b.searched(deadline)
		if n := b.jobs(); n != before+1 {
			t.Errorf("%d jobs, want 1", n-before)
		}
	})
}

// seen collects what handlers were given.
type seen struct {
	mu sync.Mutex
	ws []Work
	ch chan Work
}

func newSeen() *seen { return &seen{ch: make(chan Work, 100)} }

func (s *seen) add(w Work) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.At = time.Time{}
	s.ws = append(s.ws, w)
	s.ch <- w
	n := 0
	for _, o := range s.ws {
		if o == w {
			n++
		}
	}
	return n
}

// wait returns when a row was seen.
func (s *seen) wait(t *testing.T, want Work) {
	t.Helper()
	for {
		select {
		case w := <-s.ch:
			if w == want {
				return
			}
		case <-time.After(60 * time.Second):
			t.Fatalf("nobody looked at %v", want)
		}
	}
}

func (b *bench) start(handlers map[string]Handler) *Workers {
	b.t.Helper()
	w, err := b.Work(b.ctx, handlers)
	b.must(err)
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			b.t.Error(err)
		}
	})
	return w
}

func TestHandlersSeeTheRows(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, Now: time.Now})
		s := newSeen()
		b.start(map[string]Handler{
			DoIngest: func(ctx context.Context, w Work) error {
				if _, err := b.TakeLetter(ctx, w.Row); err != nil {
					return err
				}
				// Snoozed the first time; the second look ends it.
				if s.add(w) == 1 {
					return cmp.Or(b.LetterFailed(ctx, w.Row), error(&Snooze{time.Millisecond}))
				}
				e := acted(w.Row)
				e.Mails = []NewMail{b.mailTo(1, "receipt", "")}
				return b.EndLetter(ctx, e)
			},
			DoSend: func(ctx context.Context, w Work) error {
				m, err := b.ClaimMail(ctx, w.Row, time.Now())
				if err != nil {
					return err
				}
				s.add(w)
				return b.MailSent(ctx, m.ID, m.Claim, time.Now())
			},
			DoClose:  func(ctx context.Context, w Work) error { s.add(w); return ErrDone },
			DoRemind: func(ctx context.Context, w Work) error { return nil },
		})
		s.wait(t, Work{Kind: DoClose, Row: b.snap().Turn.ID}) // the deadline is long past by the real clock
		id := b.letter(time.Now())
		s.wait(t, Work{Kind: DoIngest, Row: id})
		s.wait(t, Work{Kind: DoIngest, Row: id})
		for w := range s.ch {
			if w.Kind == DoSend {
				break
			}
		}
		if l, err := b.LetterByID(b.ctx, id); err != nil || l.Disposition != Acted || l.Tries != 1 || l.Faults != 1 {
			t.Errorf("letter %+v, %v", l, err)
		}
	})
}

func TestFailedWorkIsTriedAgain(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, Now: time.Now})
		s := newSeen()
		b.start(map[string]Handler{
			DoClose:  func(context.Context, Work) error { return nil },
			DoRemind: func(context.Context, Work) error { return nil },
			DoIngest: func(ctx context.Context, w Work) error {
				switch s.add(w) {
				case 1:
					return errors.New("no connection")
				case 2:
					panic("a fault of ours")
				}
				return b.EndLetter(ctx, acted(w.Row))
			},
		})
		id := b.letter(time.Now())
		for range 2 {
			s.wait(t, Work{Kind: DoIngest, Row: id})
		}
	})
}

func TestSweepRescuesWhatALostJobLeft(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		// The process that stored the letter was killed, and its job with it.
		killed := newBench(t, Options{DSN: dsn, Now: time.Now, NoJobs: true})
		id := killed.letter(time.Now())
		killed.must(killed.Store.Close())

		b := &bench{Store: open(t, Options{DSN: dsn, Now: time.Now, Term: time.Millisecond, Sweep: 20 * time.Millisecond}), t: t, ctx: t.Context()}
		s := newSeen()
		done := func(context.Context, Work) error { return nil }
		b.start(map[string]Handler{DoClose: done, DoRemind: done, DoIngest: func(ctx context.Context, w Work) error {
			defer s.add(w)
			return b.EndLetter(ctx, acted(w.Row))
		}})
		s.wait(t, Work{Kind: DoIngest, Row: id})
	})
}

func TestSweepWakesARowOnceATerm(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		b.letter(noon)
		m := b.mailTo(1, "receipt", "")
		m.NotBefore = noon.Add(time.Hour)
		b.must(b.QueueMails(b.ctx, []NewMail{m}))
		before := b.jobs()
		sweep := func(at time.Time, want int) {
			t.Helper()
			b.clock.set(at)
			if n, err := b.sweep(b.ctx); err != nil || n != want {
				t.Errorf("a sweep at %v woke %d rows, %v; want %d", at, n, err, want)
			}
		}
		sweep(noon.Add(10*time.Minute-time.Microsecond), 0)
		sweep(noon.Add(10*time.Minute), 1) // the letter
		sweep(noon.Add(11*time.Minute), 0)
		sweep(noon.Add(20*time.Minute), 1)
		sweep(noon.Add(time.Hour), 1)                // the mail's own job is about to run
		sweep(noon.Add(time.Hour+10*time.Minute), 2) // and did not
		sweep(deadline.Add(10*time.Minute), 4)       // the close and the reminder as well
		if n := b.jobs() - before; n != 9 {
			t.Errorf("%d jobs, want 9", n)
		}
		// A row that was snoozed is nobody's to wake.
		b.must(b.looked(b.ctx, Work{Kind: DoClose, Row: b.snap().Turn.ID}, deadline.Add(time.Hour)))
		sweep(deadline.Add(20*time.Minute), 3)
	})
}

func TestTwoSweepsAtOnceWakeARowOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		b.letter(noon)
		before := b.jobs()
		b.clock.set(noon.Add(time.Hour))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := b.sweep(b.ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := b.jobs() - before; n != 1 {
			t.Errorf("four sweeps made %d jobs, want 1", n)
		}
	})
}

func TestStopLetsAHandlerEnd(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, Now: time.Now})
		begun, end := make(chan struct{}), make(chan struct{})
		var once sync.Once
		ended := false
		done := func(context.Context, Work) error { return nil }
		w, err := b.Work(b.ctx, map[string]Handler{DoClose: done, DoRemind: done, DoIngest: func(ctx context.Context, w Work) error {
			once.Do(func() { close(begun) })
			<-end
			ended = ctx.Err() == nil
			return nil
		}})
		b.must(err)
		b.letter(time.Now())
		<-begun
		stopped := make(chan error)
		go func() { stopped <- w.Stop(b.ctx) }()
		select {
		case err := <-stopped:
			t.Fatalf("stopped before the handler ended: %v", err)
		default:
		}
		close(end)
		if err := <-stopped; err != nil || !ended {
			t.Errorf("stopped with %v; the handler ended in peace: %v", err, ended)
		}
	})
}

func TestSchema(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		s := open(t, Options{DSN: dsn})
		if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "run pbemd migrate") {
			t.Errorf("an empty database: %v", err)
		}
		var wg sync.WaitGroup
		for range 4 {
			o := open(t, Options{DSN: dsn})
			wg.Go(func() {
				if err := o.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := s.CheckSchema(t.Context()); err != nil {
			t.Errorf("after migrating: %v", err)
		}
		p, err := s.provider()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.DownTo(t.Context(), 0); err != nil {
			t.Errorf("down: %v", err)
		}
		if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "run pbemd migrate") {
			t.Errorf("after going down: %v", err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("up again: %v", err)
		}
		if _, err := s.db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, TRUE)`); err != nil {
			t.Fatal(err)
		}
		if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "newer program") {
			t.Errorf("a newer database: %v", err)
		}
	})
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"sqlite:", "sqlite:/no/such/folder/x.db", "postgres://127.0.0.1:1/x?connect_timeout=1"} {
		if _, err := Open(t.Context(), Options{DSN: dsn}); err == nil || !strings.HasPrefix(err.Error(), "opening the database: ") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}
