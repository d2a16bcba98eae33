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
}

// MailboxState reads how far a folder was read; zero when it never was.
func (s *Store) MailboxState(ctx context.Context, account, folder string) (m Mailbox, err error) {
	err = s.read(ctx, "reading the mailbox's state", func(t *txn) error {
		return t.get([]any{&m.UIDValidity, &m.LastUID, (*Time)(&m.SearchedFrom)},
			`SELECT uid_validity, last_uid, searched_from FROM mailbox WHERE account = $1 AND folder = $2`, account, folder)
	})
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return m, err
}

// SearchDone records a complete search: every UID it named is stored or
// quarantined. It wakes the open turns whose deadline or early close lies
// before its beginning. ErrDone: holder no longer has the lease.
func (s *Store) SearchDone(ctx context.Context, account, folder, holder string, m Mailbox) error {
	return s.change(ctx, "recording a search", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE lease SET holder = holder WHERE account = $1 AND holder = $2 AND until > $3`, account, holder, t.now)
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO mailbox (account, folder, uid_validity, last_uid, searched_from) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (account, folder) DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid,
			searched_from = CASE WHEN excluded.searched_from > mailbox.searched_from THEN excluded.searched_from ELSE mailbox.searched_from END`,
			account, folder, int64(m.UIDValidity), int64(m.LastUID), m.SearchedFrom)
		if err != nil {
			return err
		}
		_, err = t.exec(`DELETE FROM unfetched WHERE account = $1 AND folder = $2 AND (uid_validity <> $3 OR uid <= $4)`,
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

// FetchFailed counts that a letter could not be fetched, and gives how often
// that happened. A complete search that is past the letter forgets it.
func (s *Store) FetchFailed(ctx context.Context, account, folder string, validity, uid uint32) (tries int, err error) {
	err = s.change(ctx, "counting a failed fetch", time.Time{}, func(t *txn) error {
		return t.get([]any{&tries}, `INSERT INTO unfetched (account, folder, uid_validity, uid, tries) VALUES ($1, $2, $3, $4, 1)
			ON CONFLICT (account, folder, uid_validity, uid) DO UPDATE SET tries = unfetched.tries + 1 RETURNING tries`,
			account, folder, int64(validity), int64(uid))
	})
	return tries, err
}
