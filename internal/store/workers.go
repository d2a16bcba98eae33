package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// Handler looks at one row and does what is due. Nil and ErrDone: nothing is
// left to do; a *Snooze: look again later; any other error: tried again after
// 2 s, 10 s, 1 min and 4 min, and then once a Term by the sweep. A handler must
// bear being called at any time, twice, and for a row that wants nothing.
type Handler func(ctx context.Context, w Work) error

// Snooze is the error of a handler that wants to look again later.
type Snooze struct{ For time.Duration }

// Error says how long.
func (s *Snooze) Error() string { return fmt.Sprintf("look again in %v", s.For) }

// retries are the waits after a job's first, second, … failure; the last
// failure discards the job. Together they last less than a Term, so that jobs
// of one row do not pile up.
var retries = [...]time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 4 * time.Minute, 0}

// NextRetry is River's question when a failed job runs again.
func (looker) NextRetry(job *river.Job[look]) time.Time {
	n := min(len(job.Errors), len(retries)-1) // the failure at hand is not in Errors yet
	return time.Now().Add(retries[n])
}

// rescueAfter is when River gives the job of a process that is gone to another:
// later than any claim of a mail, which lasts longer than any job.
const rescueAfter = 5 * time.Minute

// How many jobs a process runs at once.
const (
	SendWorkers = 8 // mails under way to the mail server
	lookWorkers = 8 // everything else
)

// fetchCooldown is the least time between two fetches of jobs; each fetch takes
// as many as there are workers free. River's own 100 ms would let a process send
// no more than SendWorkers mails in that time.
const fetchCooldown = 5 * time.Millisecond

// looker is River's worker over the handlers.
type looker struct {
	river.WorkerDefaults[look]
	s        *Store
	handlers map[string]Handler
}

// Work runs the handler of the job's kind.
func (l looker) Work(ctx context.Context, job *river.Job[look]) error {
	w := Work{job.Args.Do, job.Args.Row, job.Args.At}
	h, ok := l.handlers[w.Kind]
	if !ok {
		return fmt.Errorf("no handler for work of kind %q", w.Kind)
	}
	err := h(ctx, w)
	if err == nil || errors.Is(err, ErrDone) {
		return nil
	}
	if z, ok := errors.AsType[*Snooze](err); ok {
		wait := max(z.For, 0)
		if err := l.s.looked(ctx, w, l.s.opt.Now().Add(wait)); err != nil {
			return err
		}
		return river.JobSnooze(wait)
	}
	l.s.opt.Log.Warn("work failed", "kind", w.Kind, "row", w.Row, "attempt", job.Attempt, "err", err)
	return err
}

// untriedTime is how long a database that is away is waited for to give a try
// back; shorter than a process may take to drain.
const untriedTime = 15 * time.Second

// Untried gives back the row that a handler took, and the try that it counted,
// when it was Trouble that ended the work: the row is not to blame.
func (s *Store) Untried(ctx context.Context, w Work) error {
	table, where := "turn", ` AND state IN ('closed', 'approved')`
	if w.Kind == DoIngest {
		table, where = "letter", ` AND disposition IS NULL`
	}
	ctx, cancel := context.WithTimeout(ctx, untriedTime)
	defer cancel()
	return Insist(ctx, func() error {
		return s.change(ctx, "giving a try back", time.Time{}, func(t *txn) error {
			_, err := t.exec(`UPDATE `+table+` SET tries = tries - 1, taken_until = NULL WHERE id = $1 AND tries > 0`+where, w.Row)
			return err
		})
	})
}

// startTime is how long a database in trouble is waited for to start working.
const startTime = time.Minute

// Workers is a process's share in the work.
type Workers struct {
	client *river.Client[*sql.Tx]
	stop   context.CancelFunc
	wg     sync.WaitGroup
}

// Work starts working: jobs of any process call the handlers by kind, and the
// safety sweep runs beside them. It works until Stop, whatever becomes of ctx.
func (s *Store) Work(ctx context.Context, handlers map[string]Handler) (*Workers, error) {
	l := looker{s: s, handlers: handlers}
	ws := river.NewWorkers()
	if err := river.AddWorkerSafely(ws, l); err != nil {
		return nil, fmt.Errorf("starting the workers: %w", err)
	}
	// The rows carry the truth: what the queue has fetched and done may be forgotten
	// with the machine.
	config := &river.Config{
		Logger:               s.riverLogger(),
		Workers:              ws,
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: lookWorkers}, sendQueue: {MaxWorkers: SendWorkers}},
		FetchPollInterval:    200 * time.Millisecond, // no notifications over database/sql
		FetchCooldown:        fetchCooldown,
		JobTimeout:           s.opt.Look,
		RescueStuckJobsAfter: rescueAfter,
	}
	patient, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ctx = context.WithoutCancel(ctx)
	var client *river.Client[*sql.Tx]
	err := Insist(patient, func() (err error) {
		if client, err = river.NewClient(s.driverOn(s.quick), config); err != nil {
			return err
		}
		return client.Start(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("starting the workers: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	w := &Workers{client: client, stop: stop}
	w.wg.Go(func() { s.sweepOften(ctx) })
	return w, nil
}

func (s *Store) sweepOften(ctx context.Context) {
	for {
		jitter := rand.N(s.opt.Sweep/10 + 1)
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.opt.Sweep + jitter):
		}
		n, err := s.sweep(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.opt.Log.Error("sweep failed", "err", err)
		case err == nil && n > 0:
			s.opt.Log.Info("swept", "rows", n)
		}
	}
}

// Stop lets running handlers end and takes no new work. When ctx ends first,
// the handlers' contexts are cancelled; what they leave is rescued later.
func (w *Workers) Stop(ctx context.Context) error {
	w.stop()
	err := w.client.Stop(ctx)
	if ctx.Err() != nil {
		hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = w.client.StopAndCancel(hard)
	}
	w.wg.Wait()
	if err != nil {
		return fmt.Errorf("stopping the workers: %w", err)
	}
	return nil
}
