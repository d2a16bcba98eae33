package store

import (
	"context"
	"time"
)

// Unfetched is a letter that the server did not give.
type Unfetched struct {
	UID       uint32
	Tries     int       // those that count
	TriedAt   time.Time // the last of them
	GivenUpAt time.Time // zero: the search waits for it
	Lost      bool      // the connection ended at it the last time that was noted
}

const unfetchedSelect = `SELECT uid, tries, tried_at, given_up_at, lost FROM unfetched WHERE account = $1 AND folder = $2 AND uid_validity = $3`

func scanUnfetched(r scanner) (u Unfetched, err error) {
	return u, r.Scan(&u.UID, &u.Tries, (*Time)(&u.TriedAt), (*Time)(&u.GivenUpAt), &u.Lost)
}

// Unfetched lists what could not be fetched from a folder, by UID.
func (s *Store) Unfetched(ctx context.Context, account, folder string, validity uint32) (us []Unfetched, err error) {
	err = s.read(ctx, "listing unfetched letters", func(t *txn) error {
		us, err = list(t, scanUnfetched, unfetchedSelect+` ORDER BY uid`, account, folder, int64(validity))
		return err
	})
	return us, err
}

// Fault says what a letter that could not be fetched tells.
type Fault int

const (
	// Refused: the server, still there, answered that it does not give it.
	Refused Fault = iota
	// Lost: the connection ended. That may be anybody's fault.
	Lost
	// LostAlone: the connection ended, and had given enough of other letters to show
	// that it is good for more than this one.
	LostAlone
)

// FetchFailed notes that a letter could not be fetched. The try counts unless
// the fault is Lost, if the last one that counted is apart ago; after the letter
// was given up every one does. Tries that lost the connection must follow one
// another: one at another letter, in any folder, ends the row of this one. A
// complete search that is past the letter forgets it, unless it was given up.
func (s *Store) FetchFailed(ctx context.Context, account, folder string, validity, uid uint32, fault Fault, apart time.Duration) (u Unfetched, err error) {
	n := 1
	if fault == Lost {
		n = 0
	}
	err = s.change(ctx, "counting a failed fetch", time.Time{}, func(t *txn) error {
		_, err := t.exec(`INSERT INTO unfetched (account, folder, uid_validity, uid, tries, tried_at, lost) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account, folder, uid_validity, uid) DO UPDATE SET tries = unfetched.tries + excluded.tries, tried_at = excluded.tried_at, lost = excluded.lost
			WHERE unfetched.given_up_at IS NOT NULL OR excluded.tries > 0 AND (unfetched.tries = 0 OR unfetched.tried_at <= $8)`,
			account, folder, int64(validity), int64(uid), n, t.now, fault != Refused, t.now.Add(-apart))
		if err != nil {
			return err
		}
		if u, err = one(t, scanUnfetched, unfetchedSelect+` AND uid = $4`, account, folder, int64(validity), int64(uid)); err != nil {
			return err
		}
		if fault == Refused || !u.GivenUpAt.IsZero() {
			return nil
		}
		return t.lostElsewhere(account, folder, validity, uid)
	})
	return u, err
}

// LostElsewhere notes that a connection ended where no letter is to blame: tries
// that lost one before do not count any more.
func (s *Store) LostElsewhere(ctx context.Context, account string) error {
	return s.change(ctx, "noting a lost connection", time.Time{}, func(t *txn) error { return t.lostElsewhere(account, "", 0, 0) })
}

func (t *txn) lostElsewhere(account, folder string, validity, uid uint32) error {
	_, err := t.exec(`UPDATE unfetched SET tries = 0, tried_at = $5 WHERE account = $1 AND NOT (folder = $2 AND uid_validity = $3 AND uid = $4)
		AND lost AND tries > 0 AND given_up_at IS NULL`, account, folder, int64(validity), int64(uid), t.now)
	return err
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
