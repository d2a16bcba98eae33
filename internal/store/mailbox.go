package store

import (
	"context"
	"errors"
	"time"
)

// Lease takes or prolongs the right to read an account's mailbox until a term
// from now; false: another holder has it.
func (s *Store) Lease(ctx context.Context, account, holder string, term time.Duration) (ok bool, err error) {
	err = s.change(ctx, "taking the mailbox lease", time.Time{}, func(t *txn) error {
		n, err := t.exec(`INSERT INTO lease (account, holder, until) VALUES ($1, $2, $3)
			ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE lease.holder = excluded.holder OR lease.until <= $4`, account, holder, t.now.Add(term), t.now)
		ok = n == 1
		return err
	})
	return ok, err
}

// Unlease gives the lease back, if holder has it.
func (s *Store) Unlease(ctx context.Context, account, holder string) error {
	return s.change(ctx, "giving the mailbox lease back", time.Time{}, func(t *txn) error {
		_, err := t.exec(`DELETE FROM lease WHERE account = $1 AND holder = $2`, account, holder)
		return err
	})
}

// Mailbox is how far a folder was read. The UIDs only save work; SearchedFrom
// is the fence of the deadlines.
type Mailbox struct {
	UIDValidity, LastUID uint32
	SearchedFrom         time.Time // when the last complete search began
	// IgnoreBefore is set while a folder is read that its server numbered anew:
	// unknown letters received before it are recorded and not acted on.
	IgnoreBefore time.Time
	RereadAsked  time.Time // when AskReread was called; zero: nothing is to be read again
}

// MailboxState reads how far a folder was read; zero when it never was.
func (s *Store) MailboxState(ctx context.Context, account, folder string) (m Mailbox, err error) {
	err = s.read(ctx, "reading the mailbox's state", func(t *txn) error {
		m, err = t.mailbox(account, folder)
		return err
	})
	return m, err
}

func (t *txn) mailbox(account, folder string) (m Mailbox, err error) {
	err = t.get([]any{&m.UIDValidity, &m.LastUID, (*Time)(&m.SearchedFrom), (*Time)(&m.IgnoreBefore), (*Time)(&m.RereadAsked)},
		`SELECT uid_validity, last_uid, searched_from, ignore_before, reread_asked FROM mailbox WHERE account = $1 AND folder = $2`, account, folder)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return m, err
}

// neverSearched is the fence of a folder that was never searched to its end.
var neverSearched = time.Unix(0, 0)

// holds is the first statement of what only the holder of the lease may do.
func (t *txn) holds(account, holder string) error {
	return t.must(ErrDone, `UPDATE lease SET holder = holder WHERE account = $1 AND holder = $2 AND until > $3`, account, holder, t.now)
}

// SearchedTo records how far a search has come: every UID up to m.LastUID is
// stored. The fence stays as it is. ErrDone: holder no longer has the lease.
func (s *Store) SearchedTo(ctx context.Context, account, folder, holder string, m Mailbox) error {
	return s.change(ctx, "recording how far a search is", time.Time{}, func(t *txn) error {
		return t.searched(account, folder, holder, m)
	})
}

// searched moves a folder's UIDs to where m says.
func (t *txn) searched(account, folder, holder string, m Mailbox) error {
	if err := t.holds(account, holder); err != nil {
		return err
	}
	_, err := t.exec(`INSERT INTO mailbox (account, folder, uid_validity, last_uid, searched_from) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account, folder) DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid`,
		account, folder, int64(m.UIDValidity), int64(m.LastUID), neverSearched)
	return err
}

// SearchDone records a complete search: every UID it named is stored or given
// up. The fence moves, forward only, unless everything is to be read again
// first. It wakes the open turns whose deadline or early close lies before the
// search's beginning. ErrDone: holder no longer has the lease.
func (s *Store) SearchDone(ctx context.Context, account, folder, holder string, m Mailbox) error {
	return s.change(ctx, "recording a search", time.Time{}, func(t *txn) error {
		if err := t.searched(account, folder, holder, m); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE mailbox SET ignore_before = NULL, searched_from = CASE WHEN reread_asked IS NULL AND searched_from < $3 THEN $3 ELSE searched_from END
			WHERE account = $1 AND folder = $2`, account, folder, m.SearchedFrom)
		if err != nil {
			return err
		}
		_, err = t.exec(`DELETE FROM unfetched WHERE account = $1 AND folder = $2 AND (uid_validity <> $3 OR uid <= $4 AND given_up_at IS NULL)`,
			account, folder, int64(m.UIDValidity), int64(m.LastUID))
		if err != nil {
			return err
		}
		freed, err := list(t, scanID, `SELECT turn.id FROM turn JOIN game ON game.id = turn.game
			WHERE game.account = $1 AND turn.state = 'open' AND turn.paused_at IS NULL AND (turn.deadline_at <= $2 OR turn.asked_at <= $2)
			ORDER BY turn.id`, account, m.SearchedFrom)
		if err != nil {
			return err
		}
		for _, id := range freed {
			if err := t.wake(DoClose, id, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Renumbered records that a folder's server numbers its letters anew: all of it
// is to be read from the first UID, under validity. was is the state in which
// that was noticed. With a margin, unknown letters that are older by more than
// it than the newest letter known are ignored until a search is complete; mails
// go out with the change. ErrDone: holder no longer has the lease, or somebody
// else recorded it.
func (s *Store) Renumbered(ctx context.Context, account, folder, holder string, was Mailbox, validity uint32, margin time.Duration, mails []NewMail) (m Mailbox, err error) {
	err = s.change(ctx, "recording a renumbered mailbox", time.Time{}, func(t *txn) error {
		if err := t.holds(account, holder); err != nil {
			return err
		}
		var before time.Time
		if margin > 0 {
			// What came from the future, by a clock that was wrong, is newer than everything.
			err := t.get([]any{(*Time)(&before)}, `SELECT MAX(received_at) FROM letter WHERE account = $1 AND received_at <= $2`, account, t.now)
			if err != nil {
				return err
			}
			if !before.IsZero() {
				before = before.Add(-margin)
			}
		}
		// The first cut stays until the folder is read: letters that came since are no measure.
		err := t.must(ErrDone, `UPDATE mailbox SET uid_validity = $5, last_uid = 0, ignore_before = COALESCE(ignore_before, $6)
			WHERE account = $1 AND folder = $2 AND uid_validity = $3 AND last_uid = $4`,
			account, folder, int64(was.UIDValidity), int64(was.LastUID), int64(validity), before)
		if err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM unfetched WHERE account = $1 AND folder = $2`, account, folder); err != nil {
			return err
		}
		if m, err = t.mailbox(account, folder); err != nil {
			return err
		}
		return t.queue(mails)
	})
	return m, err
}

// AskReread asks that the next search reads every folder of the account again,
// whoever makes it; until that is done no fence moves.
func (s *Store) AskReread(ctx context.Context, account, folder string) error {
	return s.change(ctx, "asking to read all letters again", time.Time{}, func(t *txn) error {
		_, err := t.exec(`INSERT INTO mailbox (account, folder, uid_validity, last_uid, searched_from, reread_asked) VALUES ($1, $2, 0, 0, $3, $4)
			ON CONFLICT (account, folder) DO UPDATE SET reread_asked = excluded.reread_asked`, account, folder, neverSearched, t.now)
		return err
	})
}

// RereadDone records that every folder was read again as asked at an instant. It
// gives how many of the letters found by that were ignored, and how many are not
// judged yet. ErrDone: holder no longer has the lease, or it was asked again.
func (s *Store) RereadDone(ctx context.Context, account, folder, holder string, asked time.Time, mails []NewMail) (ignored, waiting int, err error) {
	err = s.change(ctx, "recording that all letters were read again", time.Time{}, func(t *txn) error {
		if err := t.holds(account, holder); err != nil {
			return err
		}
		err := t.must(ErrDone, `UPDATE mailbox SET reread_asked = NULL WHERE account = $1 AND folder = $2 AND reread_asked = $3`, account, folder, asked)
		if err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM unfetched WHERE account = $1 AND folder <> $2`, account, folder); err != nil {
			return err
		}
		err = t.get([]any{&ignored, &waiting}, `SELECT COUNT(CASE WHEN disposition = 'ignored' THEN 1 END), COUNT(CASE WHEN disposition IS NULL THEN 1 END)
			FROM letter WHERE account = $1 AND reread AND seen_at >= $2`, account, asked)
		if err != nil {
			return err
		}
		return t.queue(mails)
	})
	return ignored, waiting, err
}
