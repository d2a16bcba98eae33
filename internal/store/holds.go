package store

import (
	"context"
	"time"
)

// NewConfirmation is a one-time token to be sent to a role's registered
// address.
type NewConfirmation struct {
	Role    int64
	Attempt int // for a GM: the attempt and digest in review, else 0
	Digest  string
	Expires time.Time
	// Mails makes the mail that carries token n. It must not touch the store.
	Mails func(n int) ([]NewMail, error)
}

// HoldLetter sets a letter aside until its owner confirms it; the letter's
// disposition is held. With c it numbers a one-time token (1 to 255, then from
// 1 again; a token byte holds it) and sends it; without, the owner was told
// lately. n is 0 without c.
func (s *Store) HoldLetter(ctx context.Context, e Ending, h Hold, c *NewConfirmation) (n int, err error) {
	e.Disposition, e.Game, e.Turn, e.Role = Held, h.Game, h.Turn, h.Role
	err = s.change(ctx, "holding a letter", e.Now, func(t *txn) error {
		if err := t.end(e); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO hold (id, game, turn, role, letter, why, state, created_at) VALUES ($1, $2, $3, $4, $5, $6, 'held', $7)
			ON CONFLICT (letter) DO UPDATE SET why = excluded.why, state = 'held'`,
			t.NewID(), ref(h.Game), ref(h.Turn), h.Role, e.Letter, h.Why, t.now)
		if err != nil || c == nil {
			return err
		}
		if err := t.get([]any{&n}, `UPDATE role SET confirmations = confirmations + 1 WHERE id = $1 RETURNING (confirmations - 1) % 255 + 1`, c.Role); err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM confirmation WHERE role = $1 AND n = $2`, c.Role, n); err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO confirmation (role, n, attempt, digest, created_at, expires) VALUES ($1, $2, $3, $4, $5, $6)`,
			c.Role, n, c.Attempt, c.Digest, t.now, c.Expires)
		if err != nil {
			return err
		}
		mails, err := c.Mails(n)
		if err != nil {
			return err
		}
		return t.queue(mails)
	})
	return n, err
}

// ConfirmationByN reads a one-time token's row.
func (s *Store) ConfirmationByN(ctx context.Context, role int64, n int) (c Confirmation, err error) {
	err = s.read(ctx, "reading a confirmation", func(t *txn) error {
		return t.get([]any{&c.Role, &c.N, &c.Attempt, &c.Digest, (*Time)(&c.Expires), (*Time)(&c.UsedAt)},
			`SELECT role, n, attempt, digest, expires, used_at FROM confirmation WHERE role = $1 AND n = $2`, role, n)
	})
	return c, err
}

// Confirm uses a role's token n once, before it expires. All letters of the
// role that are held then are read again, as confirmed, in the order of their
// ids, which are returned. ErrDone: used, expired, or no letter is held any more.
func (s *Store) Confirm(ctx context.Context, e Ending, role int64, n int, now time.Time) (letters []int64, err error) {
	err = s.change(ctx, "confirming", now, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE confirmation SET used_at = $3 WHERE role = $1 AND n = $2 AND used_at IS NULL AND expires > $3`, role, n, now)
		if err != nil {
			return err
		}
		if err := t.end(e); err != nil {
			return err
		}
		letters, err = list(t, scanID, `SELECT letter FROM hold WHERE role = $1 AND state = 'held' ORDER BY letter`, role)
		if err != nil {
			return err
		}
		if len(letters) == 0 {
			return ErrDone
		}
		for _, id := range letters {
			if _, err := t.exec(`UPDATE hold SET state = 'confirmed' WHERE letter = $1`, id); err != nil {
				return err
			}
			err := t.must(ErrChanged, `UPDATE letter SET disposition = NULL, why = '', confirmed = TRUE, tries = 0 WHERE id = $1 AND disposition = 'held'`, id)
			if err != nil {
				return err
			}
			if err := t.wake(DoIngest, id, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
	return letters, err
}
