package store

import (
	"context"
	"time"
)

// raise is the first statement of every change of a turn that a letter causes:
// it raises input_seq and sets more, if the turn is as the caller read it and
// where allows it (arguments of set and where count from $4). Otherwise
// ErrChanged. Until the commit nobody else gets past the row: what close and
// ingest read after it is the truth.
func (t *txn) raise(key TurnKey, where, set string, args ...any) error {
	err := t.must(ErrChanged, `UPDATE turn SET input_seq = input_seq + 1`+set+
		` WHERE id = $1 AND phase = $2 AND input_seq = $3 AND `+where,
		append([]any{key.ID, key.Phase, key.Seq}, args...)...)
	if err == nil {
		t.opt.Hook("raised")
	}
	return err
}

// decide raises and ends the letter that the change comes from, which is the
// turn's from now on.
func (t *txn) decide(e Ending, key TurnKey, where, set string, args ...any) error {
	if err := t.raise(key, where, set, args...); err != nil {
		return err
	}
	e.Turn = key.ID
	return t.end(e)
}

// resolveAgain wakes the resolve of a closed turn: one that runs now was begun
// from an input_seq that has just become old, and stores nothing. What it was
// tried on is another input now, so the count of tries begins again.
func (t *txn) resolveAgain(turn int64) error {
	n, err := t.exec(`UPDATE turn SET tries = 0, taken_until = NULL WHERE id = $1 AND state = 'closed'`, turn)
	if err != nil || n == 0 {
		return err
	}
	return t.wake(DoResolve, turn, time.Time{})
}

// StoreOrders stores a letter's orders, one revision a combatant, while the
// turn is open. A repetition changes nothing.
func (s *Store) StoreOrders(ctx context.Context, e Ending, key TurnKey, revisions []Revision) error {
	return s.change(ctx, "storing orders", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state = 'open'`, ``); err != nil {
			return err
		}
		return t.revise(key.ID, 0, revisions)
	})
}

// StoreLate stores the orders of a punctual letter that turned up after the
// close, under the turn's next late number (Turn.Lates + 1). They count only if
// the GM accepts that number or reopens the turn, which is all that helps a stuck one.
func (s *Store) StoreLate(ctx context.Context, e Ending, key TurnKey, revisions []Revision) (n int, err error) {
	e.Disposition = Late
	err = s.change(ctx, "storing late orders", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state IN ('closed', 'review', 'stuck')`, `, lates = lates + 1`); err != nil {
			return err
		}
		if err := t.get([]any{&n}, `SELECT lates FROM turn WHERE id = $1`, key.ID); err != nil {
			return err
		}
		if err := t.revise(key.ID, n, revisions); err != nil {
			return err
		}
		return t.resolveAgain(key.ID)
	})
	return n, err
}

func (t *txn) revise(turn int64, late int, revisions []Revision) error {
	for _, r := range revisions {
		_, err := t.exec(`INSERT INTO revision (id, turn, combatant, role, letter, message_id, text_sha, received_at, text, plan, cleared, late_n)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (turn, combatant, letter) DO NOTHING`,
			t.NewID(), turn, r.Combatant, ref(r.Role), r.Letter, r.MessageID, r.TextSHA, r.ReceivedAt, r.Text, r.Plan, r.Cleared, late)
		if err != nil {
			return err
		}
	}
	return nil
}

// SetReady stores READY and UNREADY while the turn is open; of each role's the
// newest letter's counts. askClose is the received_at of the letter that made
// all ready: the turn then closes early. clearAsk takes such a wish back, but
// never the GM's CLOSE.
func (s *Store) SetReady(ctx context.Context, e Ending, key TurnKey, ready []Ready, askClose *time.Time, clearAsk bool) error {
	return s.change(ctx, "storing READY", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state = 'open'`, ``); err != nil {
			return err
		}
		for _, r := range ready {
			_, err := t.exec(`INSERT INTO ready (turn, role, is_on, received_at, letter) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (turn, role) DO UPDATE SET is_on = excluded.is_on, received_at = excluded.received_at, letter = excluded.letter
				WHERE (excluded.received_at, excluded.letter) > (ready.received_at, ready.letter)`,
				key.ID, r.Role, r.On, r.ReceivedAt, r.Letter)
			if err != nil {
				return err
			}
		}
		if clearAsk {
			if _, err := t.exec(`UPDATE turn SET asked_at = NULL, asked_by = '' WHERE id = $1 AND asked_by = 'ready'`, key.ID); err != nil {
				return err
			}
		}
		if askClose == nil {
			return nil
		}
		n, err := t.exec(`UPDATE turn SET asked_at = $2, asked_by = 'ready' WHERE id = $1 AND asked_by <> 'gm'`, key.ID, *askClose)
		if err != nil || n == 0 {
			return err
		}
		return t.wake(DoClose, key.ID, time.Time{})
	})
}

// AskClose is the GM's CLOSE: the turn closes as soon as every letter received
// until receivedAt is read.
func (s *Store) AskClose(ctx context.Context, e Ending, key TurnKey, receivedAt time.Time) error {
	return s.change(ctx, "asking for the close", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state = 'open'`, `, asked_at = $4, asked_by = 'gm'`, receivedAt); err != nil {
			return err
		}
		return t.wake(DoClose, key.ID, time.Time{})
	})
}

// Extend moves the deadline and the next reminder of an open turn.
func (s *Store) Extend(ctx context.Context, e Ending, key TurnKey, deadline, remindAt time.Time) error {
	return s.change(ctx, "extending the turn", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state = 'open'`, `, deadline_at = $4, remind_at = $5`, deadline, remindAt); err != nil {
			return err
		}
		return t.clock(key.ID, deadline, remindAt)
	})
}

// SetPaused pauses the game and its turn at an instant, or resumes them when at
// is zero. A turn still open then has the deadline and reminder given.
func (s *Store) SetPaused(ctx context.Context, e Ending, key TurnKey, at, deadline, remindAt time.Time) error {
	return s.change(ctx, "pausing or resuming the game", e.Now, func(t *txn) error {
		err := t.decide(e, key, `state IN ('open', 'closed', 'review', 'stuck')`, `, paused_at = $4`, at)
		if err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE game SET paused_at = $2 WHERE id = (SELECT game FROM turn WHERE id = $1)`, key.ID, at); err != nil {
			return err
		}
		if err := t.resolveAgain(key.ID); err != nil || !at.IsZero() {
			return err
		}
		n, err := t.exec(`UPDATE turn SET deadline_at = $2, remind_at = $3 WHERE id = $1 AND state = 'open'`, key.ID, deadline, remindAt)
		if err != nil || n == 0 {
			return err
		}
		return t.clock(key.ID, deadline, remindAt)
	})
}

// Reopen opens a closed, drafted or stuck turn again, until a new deadline.
// The lock stays; READY and early closes are forgotten; late orders count from
// now on; ReopenedAt says whether the GM had seen a draft.
func (s *Store) Reopen(ctx context.Context, e Ending, key TurnKey, deadline time.Time) error {
	return s.change(ctx, "reopening the turn", e.Now, func(t *txn) error {
		err := t.decide(e, key, `state IN ('closed', 'review', 'stuck')`, `, state = 'open', deadline_at = $4, asked_at = NULL, asked_by = '',
			reopened_at = CASE WHEN EXISTS (SELECT 1 FROM attempt a WHERE a.turn = $1) THEN $5 ELSE reopened_at END,
			closed_at = NULL, review_at = NULL, digest = '', remind_at = NULL, nudge_at = CASE WHEN phase > 0 THEN $5 END, nudge_step = 0,
			tries = 0, taken_until = NULL, why = ''`, deadline, t.now)
		if err != nil {
			return err
		}
		if key.Phase > 0 {
			if err := t.wake(DoNudge, key.ID, t.now); err != nil {
				return err
			}
		}
		for _, q := range []string{
			`DELETE FROM turn_orders WHERE turn = $1`,
			`DELETE FROM ready WHERE turn = $1`,
			`UPDATE revision SET late_n = 0 WHERE turn = $1`,
			`UPDATE letter SET disposition = 'acted', why = 'the turn was reopened' WHERE turn = $1 AND disposition = 'late'`,
		} {
			if _, err := t.exec(q, key.ID); err != nil {
				return err
			}
		}
		return t.clock(key.ID, deadline, time.Time{})
	})
}

// RemindDone queues the reminders that were due at was, and sets the time of
// the next (zero: none). ErrDone: somebody else did, or the turn has closed.
func (s *Store) RemindDone(ctx context.Context, turnID int64, was, next time.Time, mails []NewMail) error {
	return s.change(ctx, "reminding", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE turn SET remind_at = $3 WHERE id = $1 AND remind_at = $2 AND state = 'open' AND paused_at IS NULL`, turnID, was, next)
		if err != nil {
			return err
		}
		if !next.IsZero() {
			if err := t.wake(DoRemind, turnID, next); err != nil {
				return err
			}
		}
		return t.queue(mails)
	})
}

// NudgeDone queues the nudge that was due at was, and sets the next one's time
// (zero: none) and step. ErrDone: somebody else did, or the GM has answered, or the
// turn has closed.
func (s *Store) NudgeDone(ctx context.Context, turnID int64, was, next time.Time, step int, mails []NewMail) error {
	return s.change(ctx, "nudging", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE turn SET nudge_at = $3, nudge_step = $4 WHERE id = $1 AND nudge_at = $2 AND state IN ('open', 'review')`, turnID, was, next, step)
		if err != nil {
			return err
		}
		if !next.IsZero() {
			if err := t.wake(DoNudge, turnID, next); err != nil {
				return err
			}
		}
		return t.queue(mails)
	})
}
