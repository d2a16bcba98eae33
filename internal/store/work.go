package store

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
)

// Kinds of work: what a job may be told to do about a row.
const (
	DoIngest  = "ingest"  // a letter
	DoClose   = "close"   // a turn
	DoResolve = "resolve" // a turn
	DoRelease = "release" // a turn
	DoSend    = "send"    // a mail
	DoRemind  = "remind"  // a turn
	DoNudge   = "nudge"   // a turn
)

// kinds says of every kind which rows are due at the instant $1 and where it is
// kept when a job looks at them; in the order in which Due gives them. Each
// condition holds that of an index word for word: SQLite infers nothing.
var kinds = []struct {
	kind, table, at, due, woken string
}{
	{DoIngest, "letter", "seen_at", "disposition IS NULL AND seen_at <= $1", "woken_at"},
	{DoClose, "turn", "COALESCE(asked_at, deadline_at)", "state <> 'released' AND state = 'open' AND paused_at IS NULL AND (deadline_at <= $1 OR asked_at <= $1)", "woken_at"},
	{DoResolve, "turn", "closed_at", "state <> 'released' AND state = 'closed' AND closed_at <= $1", "woken_at"},
	{DoRelease, "turn", "review_at", "state <> 'released' AND state = 'approved' AND review_at <= $1", "woken_at"},
	{DoSend, "outbox", "COALESCE(claim_until, not_before, created_at)", "state IN ('queued', 'claimed') AND ((state = 'queued' AND COALESCE(not_before, created_at) <= $1) OR (state = 'claimed' AND claim_until <= $1))", "woken_at"},
	{DoRemind, "turn", "remind_at", "state <> 'released' AND state = 'open' AND paused_at IS NULL AND remind_at <= $1", "remind_woken_at"},
	{DoNudge, "turn", "nudge_at", "state <> 'released' AND (state = 'review' OR state = 'open' AND paused_at IS NULL) AND nudge_at <= $1", "nudge_woken_at"},
}

// look is the one kind of job: "look at this row". A second one for the same
// row finds nothing to do, so jobs are not unique.
type look struct {
	Do  string    `json:"do"`
	Row int64     `json:"row,string"` // a string: on its way into jsonb a number is rounded to a float64
	At  time.Time `json:"at,omitzero"`
}

// Kind is River's name of the job.
func (look) Kind() string { return "look" }

const sendQueue = "send" // of its own, so that a slow mail server holds up nothing else

func jobFor(w Work) river.InsertManyParams {
	o := &river.InsertOpts{MaxAttempts: len(retries)}
	if w.At.After(time.Now()) { // a job scheduled in the past waits for the queue's leader all the same
		o.ScheduledAt = w.At
	}
	if w.Kind == DoSend {
		o.Queue = sendQueue
	}
	return river.InsertManyParams{Args: look{w.Kind, w.Row, w.At}, InsertOpts: o}
}

// wake tells the row that somebody will look at it, at the instant at (zero: at
// once), and asks for the job, which is inserted with the commit.
func (t *txn) wake(kind string, row int64, at time.Time) error {
	for _, k := range kinds {
		if k.kind == kind {
			t.work = append(t.work, Work{kind, row, at})
			_, err := t.exec(`UPDATE `+k.table+` SET `+k.woken+` = $2 WHERE id = $1`, row, later(t.now, at))
			return err
		}
	}
	return fmt.Errorf("there is no work of kind %q", kind)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (t *txn) insertJobs() error {
	if len(t.work) == 0 || t.opt.NoJobs {
		return nil
	}
	var jobs []river.InsertManyParams
	for _, w := range t.work {
		jobs = append(jobs, jobFor(w))
	}
	_, err := t.jobs.InsertManyTx(t.ctx, t.tx, jobs)
	return err
}

// Wake asks for a look at rows, outside any other change.
func (s *Store) Wake(ctx context.Context, work ...Work) error {
	return s.change(ctx, "waking rows", time.Time{}, func(t *txn) error {
		for _, w := range work {
			if err := t.wake(w.Kind, w.Row, w.At); err != nil {
				return err
			}
		}
		return nil
	})
}

// Due gives the rows that are due at now, whoever was told to look at them and
// when: ingest first, then close, resolve, release, send, remind and nudge,
// each by id, at most limit of each kind.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) (due []Work, err error) {
	err = s.read(ctx, "reading what is due", func(t *txn) error {
		due = nil
		for _, k := range kinds {
			ws, err := list(t, func(r scanner) (Work, error) {
				w := Work{Kind: k.kind}
				return w, r.Scan(&w.Row, (*Time)(&w.At))
			}, `SELECT id, `+k.at+` FROM `+k.table+` WHERE `+k.due+` ORDER BY id LIMIT $2`, now, limit)
			if err != nil {
				return err
			}
			due = append(due, ws...)
		}
		return nil
	})
	return due, err
}

// sweepLimit bounds one sweep's work of one kind; the rest is the next one's.
const sweepLimit = 500

// sweep re-inserts jobs for rows that are due and that nobody was told to look
// at for a Term: what a killed process or a discarded job left behind.
func (s *Store) sweep(ctx context.Context) (n int, err error) {
	err = s.change(ctx, "sweeping", time.Time{}, func(t *txn) error {
		n = 0
		for _, k := range kinds {
			stale := `(` + k.woken + ` IS NULL OR ` + k.woken + ` <= $2)`
			ids, err := list(t, scanID, `SELECT id FROM `+k.table+` WHERE `+k.due+` AND `+stale+` ORDER BY id LIMIT $3`,
				t.now, t.now.Add(-s.opt.Term), sweepLimit)
			if err != nil {
				return err
			}
			for _, id := range ids {
				// Compared again under the row's lock: of two sweeps one wakes it.
				hit, err := t.exec(`UPDATE `+k.table+` SET `+k.woken+` = $1 WHERE id = $3 AND `+stale, t.now, t.now.Add(-s.opt.Term), id)
				if err != nil {
					return err
				}
				if hit == 1 {
					t.work = append(t.work, Work{Kind: k.kind, Row: id})
					n++
				}
			}
		}
		return nil
	})
	return n, err
}

// looked notes that a job will look at the row again at the instant at.
func (s *Store) looked(ctx context.Context, w Work, at time.Time) error {
	return s.note(ctx, "noting the next look", time.Time{}, func(t *txn) error {
		for _, k := range kinds {
			if k.kind == w.Kind {
				_, err := t.exec(`UPDATE `+k.table+` SET `+k.woken+` = $2 WHERE id = $1`, w.Row, at)
				return err
			}
		}
		return nil
	})
}
