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

// SearchedTo records how far a search has come: every UID up to m.LastUID is
// stored. The fence stays as it is. ErrDone: holder no longer has the lease.
func (s *Store) SearchedTo(ctx context.Context, account, folder, holder string, m Mailbox) error {
	m.SearchedFrom = time.Unix(0, 0) // of a folder that was never searched to its end
	return s.change(ctx, "recording how far a search is", time.Time{}, func(t *txn) error {
		return t.searched(account, folder, holder, m)
	})
}

// searched moves a folder's UIDs to where m says, and its fence forward only.
func (t *txn) searched(account, folder, holder string, m Mailbox) error {
	err := t.must(ErrDone, `UPDATE lease SET holder = holder WHERE account = $1 AND holder = $2 AND until > $3`, account, holder, t.now)
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO mailbox (account, folder, uid_validity, last_uid, searched_from) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account, folder) DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid,
		searched_from = CASE WHEN excluded.searched_from > mailbox.searched_from THEN excluded.searched_from ELSE mailbox.searched_from END`,
		account, folder, int64(m.UIDValidity), int64(m.LastUID), m.SearchedFrom)
	return err
}

// SearchDone records a complete search: every UID it named is stored or given
// up. It wakes the open turns whose deadline or early close lies before its
// beginning. ErrDone: holder no longer has the lease.
func (s *Store) SearchDone(ctx context.Context, account, folder, holder string, m Mailbox) error {
	return s.change(ctx, "recording a search", time.Time{}, func(t *txn) error {
		if err := t.searched(account, folder, holder, m); err != nil {
			return err
		}
		_, err := t.exec(`DELETE FROM unfetched WHERE account = $1 AND folder = $2 AND (uid_validity <> $3 OR uid <= $4 AND given_up_at IS NULL)`,
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

// Unfetched is a letter that the server did not give.
type Unfetched struct {
	UID       uint32
	Tries     int       // those that count
	TriedAt   time.Time // the last of them
	GivenUpAt time.Time // zero: the search waits for it
}

const unfetchedSelect = `SELECT uid, tries, tried_at, given_up_at FROM unfetched WHERE account = $1 AND folder = $2 AND uid_validity = $3`

func scanUnfetched(r scanner) (u Unfetched, err error) {
	return u, r.Scan(&u.UID, &u.Tries, (*Time)(&u.TriedAt), (*Time)(&u.GivenUpAt))
}

// Unfetched lists what could not be fetched from a folder, by UID.
func (s *Store) Unfetched(ctx context.Context, account, folder string, validity uint32) (us []Unfetched, err error) {
	err = s.read(ctx, "listing unfetched letters", func(t *txn) error {
		us, err = list(t, scanUnfetched, unfetchedSelect+` ORDER BY uid`, account, folder, int64(validity))
		return err
	})
	return us, err
}

// FetchFailed notes that a letter could not be fetched. It counts if counts says
// so and the last one that counted is apart ago; after it was given up every one
// does. A complete search that is past the letter forgets it, unless it was
// given up.
func (s *Store) FetchFailed(ctx context.Context, account, folder string, validity, uid uint32, counts bool, apart time.Duration) (u Unfetched, err error) {
	n := 0
	if counts {
		n = 1
	}
	err = s.change(ctx, "counting a failed fetch", time.Time{}, func(t *txn) error {
		_, err := t.exec(`INSERT INTO unfetched (account, folder, uid_validity, uid, tries, tried_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account, folder, uid_validity, uid) DO UPDATE SET tries = unfetched.tries + excluded.tries, tried_at = excluded.tried_at
			WHERE unfetched.given_up_at IS NOT NULL OR excluded.tries > 0 AND (unfetched.tries = 0 OR unfetched.tried_at <= $7)`,
			account, folder, int64(validity), int64(uid), n, t.now, t.now.Add(-apart))
		if err != nil {
			return err
		}
		u, err = one(t, scanUnfetched, unfetchedSelect+` AND uid = $4`, account, folder, int64(validity), int64(uid))
		return err
	})
	return u, err
}

// GiveUpFetching says that no search waits for a letter any more. ErrDone: that
// was said before.
func (s *Store) GiveUpFetching(ctx context.Context, account, folder string, validity, uid uint32, mails []NewMail) error {
	return s.change(ctx, "giving up a letter", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE unfetched SET given_up_at = $5 WHERE account = $1 AND folder = $2 AND uid_validity = $3 AND uid = $4 AND given_up_at IS NULL`,
			account, folder, int64(validity), int64(uid), t.now)
		if err != nil {
			return err
		}
		return t.queue(mails)
	})
}

// ForgetUnfetched ends the account of a letter that was fetched after all, is
// gone, or was given up for good. ErrDone: it ended before.
func (s *Store) ForgetUnfetched(ctx context.Context, account, folder string, validity, uid uint32, mails []NewMail) error {
	return s.change(ctx, "forgetting an unfetched letter", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `DELETE FROM unfetched WHERE account = $1 AND folder = $2 AND uid_validity = $3 AND uid = $4`,
			account, folder, int64(validity), int64(uid))
		if err != nil {
			return err
		}
		return t.queue(mails)
	})
}
