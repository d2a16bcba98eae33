package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// AddRulings stores rulings on a closed or drafted turn and gives their
// numbers, which go on where the turn's last left off. A draft in review goes
// back to be resolved, so an OK to it is stale.
func (s *Store) AddRulings(ctx context.Context, e Ending, key TurnKey, rulings []game.Ruling) (numbers []int, err error) {
	err = s.change(ctx, "storing rulings", e.Now, func(t *txn) error {
		numbers = nil
		if err := t.raise(key, isDecided, backToWork); err != nil {
			return err
		}
		if err := t.end(e, e.Mails); err != nil {
			return err
		}
		var last int
		if err := t.get([]any{&last}, `SELECT COALESCE(MAX(n), 0) FROM ruling WHERE turn = $1`, key.ID); err != nil {
			return err
		}
		for _, r := range rulings {
			last++
			r.N, r.Letter = last, e.Letter
			body, err := json.Marshal(r)
			if err != nil {
				return err
			}
			_, err = t.exec(`INSERT INTO ruling (id, turn, n, letter, body) VALUES ($1, $2, $3, $4, $5)`, t.NewID(), key.ID, r.N, ref(r.Letter), body)
			if err != nil {
				return err
			}
			numbers = append(numbers, r.N)
		}
		return t.wake(DoResolve, key.ID, time.Time{})
	})
	return numbers, err
}

// DropRuling takes ruling n back. The draft goes back to be resolved.
// ErrNotFound: there is no such ruling in force.
func (s *Store) DropRuling(ctx context.Context, e Ending, key TurnKey, n int) error {
	return s.change(ctx, "dropping a ruling", e.Now, func(t *txn) error {
		if err := t.raise(key, isDecided, backToWork); err != nil {
			return err
		}
		if err := t.must(ErrNotFound, `UPDATE ruling SET dropped_by = $3 WHERE turn = $1 AND n = $2 AND dropped_by IS NULL`, key.ID, n, e.Letter); err != nil {
			return err
		}
		if err := t.end(e, e.Mails); err != nil {
			return err
		}
		return t.wake(DoResolve, key.ID, time.Time{})
	})
}
