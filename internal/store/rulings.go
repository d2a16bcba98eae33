package store

import (
	"context"
	"encoding/json"

	"github.com/pbemd/pbemd/internal/game"
)

// Rule stores rulings and takes others back, on a turn that is closed, in
// review, or open again after a close (it has a lock). Numbers go on where the
// turn's last left off, also after a drop. A draft in review goes back to be
// resolved, so an OK to it is stale. ErrChanged: also when a ruling to drop is
// not in force.
func (s *Store) Rule(ctx context.Context, e Ending, key TurnKey, add []game.Ruling, drop []int) error {
	return s.change(ctx, "storing rulings", e.Now, func(t *txn) error {
		err := t.decide(e, key, `(state IN ('closed', 'review') OR (state = 'open' AND lock IS NOT NULL))`,
			`, state = CASE WHEN state = 'review' THEN 'closed' ELSE state END, digest = '', tries = 0, taken_until = NULL, review_at = NULL, nudge_at = NULL, nudge_step = 0`)
		if err != nil {
			return err
		}
		for _, n := range drop {
			err := t.must(ErrChanged, `UPDATE ruling SET dropped_by = $3 WHERE turn = $1 AND n = $2 AND dropped_by IS NULL`, key.ID, n, e.Letter)
			if err != nil {
				return err
			}
		}
		if _, err := t.addRulings(e.Letter, key.ID, add); err != nil {
			return err
		}
		return t.resolveAgain(key.ID)
	})
}

// AddNotes stores narrative for the report, which changes no event: the state
// of the turn, open, closed or in review, stays. It gives the numbers.
func (s *Store) AddNotes(ctx context.Context, e Ending, key TurnKey, notes []game.Ruling) (numbers []int, err error) {
	err = s.change(ctx, "storing notes", e.Now, func(t *txn) error {
		if err := t.decide(e, key, `state IN ('open', 'closed', 'review')`, ``); err != nil {
			return err
		}
		if numbers, err = t.addRulings(e.Letter, key.ID, notes); err != nil {
			return err
		}
		return t.resolveAgain(key.ID)
	})
	return numbers, err
}

// Attempt reads one attempt of a turn and phase, in force or not. ErrNotFound:
// it has none of this number.
func (s *Store) Attempt(ctx context.Context, turnID int64, n int) (a Attempt, err error) {
	err = s.read(ctx, "reading an attempt", func(t *txn) error {
		a, err = one(t, scanAttempt, attemptSelect+`WHERE attempt.turn = $1 AND attempt.n = $2`, turnID, n)
		return err
	})
	return a, err
}

// addRulings numbers rulings under the turn's row, which the caller has taken.
func (t *txn) addRulings(letter, turn int64, rulings []game.Ruling) ([]int, error) {
	var last int
	if err := t.get([]any{&last}, `SELECT COALESCE(MAX(n), 0) FROM ruling WHERE turn = $1`, turn); err != nil {
		return nil, err
	}
	var numbers []int
	for _, r := range rulings {
		last++
		r.N, r.Letter = last, letter
		body, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		_, err = t.exec(`INSERT INTO ruling (id, turn, n, letter, body) VALUES ($1, $2, $3, $4, $5)`, t.NewID(), turn, r.N, ref(letter), body)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, last)
	}
	return numbers, nil
}
