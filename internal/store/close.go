package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// CloseIn is a reason to close a turn.
type CloseIn struct {
	Key      TurnKey // Seq is ignored: close acts on whatever was ordered
	Now      time.Time
	Account  string        // mail account that serves the game
	Reason   string        // deadline, ready, gm
	Deadline time.Time     // the deadline_at or asked_at that it acts on; compared
	Grace    time.Duration // for the deadline only
	// Lock makes the turn's lock from the orders in force, by combatant. It is
	// called only when the turn has none, and must not touch the store.
	Lock func(inForce []Revision) []byte
}

// Reasons why a turn does not close yet.
const (
	WhyGrace  = "the grace period is not over"
	WhySearch = "the mailbox was not searched since"
	WhyLetter = "a letter received in time is not read yet"
)

// CloseTurn closes an open turn: it freezes the orders in force, sets the lock
// and wakes the resolve. Not closed, with why: the deadline fence (design
// section 3) is shut, try again later. ErrDone: the turn is not open, is paused,
// or has another deadline by now.
func (s *Store) CloseTurn(ctx context.Context, c CloseIn) (closed bool, why string, err error) {
	fence := c.Deadline
	if c.Reason == "deadline" {
		fence = fence.Add(c.Grace)
		if c.Now.Before(fence) {
			return false, WhyGrace, nil
		}
	}
	err = s.change(ctx, "closing the turn", c.Now, func(t *txn) error {
		reason, by := `deadline_at = $4 AND $5 = 'deadline'`, c.Reason
		if c.Reason != "deadline" {
			reason = `asked_at = $4 AND asked_by = $5`
		}
		var lock []byte
		err := t.get([]any{&lock}, `UPDATE turn SET state = 'closed', closed_at = $3, input_seq = input_seq + 1, tries = 0, taken_until = NULL, remind_at = NULL
			WHERE id = $1 AND phase = $2 AND state = 'open' AND paused_at IS NULL AND `+reason+`
			AND NOT EXISTS (SELECT 1 FROM game WHERE game.id = turn.game AND game.paused_at IS NOT NULL) RETURNING lock`,
			c.Key.ID, c.Key.Phase, t.now, c.Deadline, by)
		if errors.Is(err, ErrNotFound) {
			return ErrDone
		}
		if err != nil {
			return err
		}
		t.opt.Hook("close taken")
		if why, err = t.fence(c.Account, fence); err != nil {
			return err
		}
		if why != "" {
			return errShut
		}
		return t.freeze(c, lock)
	})
	if errors.Is(err, errShut) {
		return false, why, nil
	}
	return err == nil, "", err
}

// errShut rolls a close back whose fence is shut.
var errShut = errors.New("the fence is shut")

// fence says why letters received until an instant, the grace included, may
// still be unread. Every folder of the account that was ever searched counts.
func (t *txn) fence(account string, until time.Time) (why string, err error) {
	var folders, behind, waiting int
	err = t.get([]any{&folders, &behind}, `SELECT COUNT(*), COUNT(CASE WHEN searched_from < $2 THEN 1 END) FROM mailbox WHERE account = $1`, account, until)
	if err != nil {
		return "", err
	}
	if folders == 0 || behind > 0 {
		return WhySearch, nil
	}
	err = t.get([]any{&waiting}, `SELECT COUNT(*) FROM letter WHERE account = $1 AND received_at <= $2 AND disposition IS NULL`, account, until)
	if err == nil && waiting > 0 {
		why = WhyLetter
	}
	return why, err
}

func (t *txn) freeze(c CloseIn, lock []byte) error {
	all, err := t.revisions(c.Key.ID)
	if err != nil {
		return err
	}
	inForce := Snapshot{Revisions: all}.InForce()
	var frozen []Revision
	for _, id := range slices.Sorted(maps.Keys(inForce)) {
		frozen = append(frozen, inForce[game.ID(id)])
	}
	for _, r := range frozen {
		_, err := t.exec(`INSERT INTO turn_orders (turn, combatant, revision) VALUES ($1, $2, $3)`, c.Key.ID, r.Combatant, r.ID)
		if err != nil {
			return err
		}
	}
	if lock == nil {
		if _, err := t.exec(`UPDATE turn SET lock = $2 WHERE id = $1`, c.Key.ID, c.Lock(frozen)); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO turn_counted (game, n, combatant, revision) SELECT turn.game, turn.n, turn_orders.combatant, turn_orders.revision
			FROM turn JOIN turn_orders ON turn_orders.turn = turn.id WHERE turn.id = $1`, c.Key.ID)
		if err != nil {
			return err
		}
	}
	return t.wake(DoResolve, c.Key.ID, time.Time{})
}
