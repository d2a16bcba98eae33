package store

import (
	"context"
	"time"
)

// NewConfirmation is a one-time token to be sent to a role's registered
// address.
type NewConfirmation struct {
	Role    int64
	Kind    HoldKind
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
		if h.Turn != 0 {
			// The turn's row is taken, so that it cannot be released meanwhile and
			// leave the hold behind.
			if err := t.must(ErrChanged, `UPDATE turn SET tries = tries WHERE id = $1 AND state <> 'released'`, h.Turn); err != nil {
				return err
			}
		}
		if err := t.end(e); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO hold (id, game, turn, role, letter, kind, why, from_addr, subject, received_at, state, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, (SELECT received_at FROM letter WHERE id = $5), 'held', $10)
			ON CONFLICT (letter) DO UPDATE SET kind = excluded.kind, why = excluded.why, state = 'held', created_at = excluded.created_at`,
			t.NewID(), ref(h.Game), ref(h.Turn), h.Role, e.Letter, string(h.Kind), h.Why, h.From, h.Subject, t.now)
		if err != nil || c == nil {
			return err
		}
		if err := t.get([]any{&n}, `UPDATE role SET confirmations = confirmations + 1 WHERE id = $1 RETURNING (confirmations - 1) % 255 + 1`, c.Role); err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM confirmation WHERE role = $1 AND n = $2`, c.Role, n); err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO confirmation (role, n, kind, attempt, digest, created_at, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			c.Role, n, string(c.Kind), c.Attempt, c.Digest, t.now, c.Expires)
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
		return t.get([]any{&c.Role, &c.N, &c.Kind, &c.Attempt, &c.Digest, (*Time)(&c.Expires), (*Time)(&c.UsedAt)},
			`SELECT role, n, kind, attempt, digest, expires, used_at FROM confirmation WHERE role = $1 AND n = $2`, role, n)
	})
	return c, err
}

// Confirm uses a role's token n once, before it expires. The letters of the role
// that it covers (see HoldKind) are read again, as confirmed, in the order of
// their ids, which are returned. An open turn of the game changes with it.
// ErrDone: used, expired, or no such letter is held any more.
func (s *Store) Confirm(ctx context.Context, e Ending, role int64, n int, now time.Time) (letters []int64, err error) {
	err = s.change(ctx, "confirming", now, func(t *txn) error {
		_, err := t.exec(`UPDATE turn SET input_seq = input_seq + 1 WHERE state = 'open' AND game = (SELECT game FROM role WHERE id = $1)`, role)
		if err != nil {
			return err
		}
		err = t.must(ErrDone, `UPDATE confirmation SET used_at = $3 WHERE role = $1 AND n = $2 AND used_at IS NULL AND expires > $3`, role, n, now)
		if err != nil {
			return err
		}
		if err := t.end(e); err != nil {
			return err
		}
		letters, err = list(t, scanID, `SELECT hold.letter FROM hold JOIN confirmation ON confirmation.role = hold.role AND confirmation.kind = hold.kind
			WHERE hold.role = $1 AND confirmation.n = $2 AND hold.state = 'held' AND (hold.kind = 'asked' OR hold.created_at <= confirmation.created_at)
			ORDER BY hold.letter`, role, n)
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
			err := t.must(ErrChanged, `UPDATE letter SET disposition = NULL, why = '', confirmed = TRUE, tries = 0, taken_until = NULL WHERE id = $1 AND disposition = 'held'`, id)
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
