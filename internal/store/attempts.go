package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// ResolveBegins raises the tries of a closed turn, which counts even if the
// process dies of resolving it, and reads the turn. ErrDone: it is not closed.
// *Snooze: somebody began less than Options.Claim ago.
func (s *Store) ResolveBegins(ctx context.Context, turnID int64) (snap Snapshot, err error) {
	err = s.note(ctx, "beginning to resolve", time.Time{}, func(t *txn) error {
		return t.takeTurn(turnID, "closed")
	})
	if err != nil {
		return Snapshot{}, err
	}
	snap, err = s.SnapshotOfTurn(ctx, turnID)
	if err == nil && snap.Turn.State != game.Closed {
		err = ErrDone
	}
	return snap, err
}

// takeTurn raises a turn's tries and takes it for as long as Options.Claim says.
func (t *txn) takeTurn(id int64, state string) error {
	err := t.must(ErrNotFound, `UPDATE turn SET tries = tries + 1, taken_until = $2 WHERE id = $1 AND state = $4`+free, id, t.now.Add(t.opt.Claim), t.now, state)
	if errors.Is(err, ErrNotFound) {
		err = t.taken(`SELECT taken_until FROM turn WHERE id = $1 AND state = $2`, id, state)
	}
	return err
}

// TurnFailed gives back a turn whose resolving or releasing ended with an error:
// the process lives, so that the next try need not wait.
func (s *Store) TurnFailed(ctx context.Context, turnID int64) error {
	return s.change(ctx, "giving a turn back", time.Time{}, func(t *txn) error {
		_, err := t.exec(`UPDATE turn SET taken_until = NULL WHERE id = $1 AND state IN ('closed', 'approved')`, turnID)
		return err
	})
}

// ReleaseBegins raises the tries of an approved turn, which counts even if the
// process dies of releasing it. ErrDone: it is not approved.
func (s *Store) ReleaseBegins(ctx context.Context, turnID int64) (tries int, err error) {
	err = s.note(ctx, "beginning to release", time.Time{}, func(t *txn) error {
		if err := t.takeTurn(turnID, "approved"); err != nil {
			return err
		}
		return t.get([]any{&tries}, `SELECT tries FROM turn WHERE id = $1`, turnID)
	})
	return tries, err
}

// StoreDraft stores attempt n of a closed turn and puts it in review. N, Turn,
// Phase, Seq and CreatedAt of the attempt are set here. mails makes the packet
// and whatever goes with it; it must not touch the store. ErrChanged: a ruling or
// another input came in after key was read; resolve again.
func (s *Store) StoreDraft(ctx context.Context, key TurnKey, a Attempt, nudgeAt time.Time, mails func(n int) ([]NewMail, error)) (n int, err error) {
	err = s.change(ctx, "storing a draft", time.Time{}, func(t *txn) error {
		err := t.get([]any{&n}, `UPDATE turn SET state = 'review', attempt = attempt + 1, digest = $4, review_at = $5, nudge_at = $6,
			nudge_step = 0, tries = 0, taken_until = NULL WHERE id = $1 AND phase = $2 AND input_seq = $3 AND state = 'closed' RETURNING attempt`,
			key.ID, key.Phase, key.Seq, a.Digest, t.now, nudgeAt)
		if errors.Is(err, ErrNotFound) {
			return ErrChanged
		}
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO attempt (turn, n, seq, ruleset, version, data_sha, build, world_before, orders, rulings, events, world_after, outcome, digest, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			key.ID, n, key.Seq, a.Ruleset, a.Version, a.DataSHA, a.Build, a.WorldBefore, a.Orders, a.Rulings, a.Events, a.WorldAfter, a.Outcome, a.Digest, t.now)
		if err != nil {
			return err
		}
		ms, err := mails(n)
		if err != nil {
			return err
		}
		if !nudgeAt.IsZero() {
			if err := t.wake(DoNudge, key.ID, nudgeAt); err != nil {
				return err
			}
		}
		return t.queue(ms)
	})
	return n, err
}

// MarkStuck sets a turn aside that cannot be resolved or released, and says why.
func (s *Store) MarkStuck(ctx context.Context, key TurnKey, why string, mails []NewMail) error {
	return s.change(ctx, "marking a turn stuck", time.Time{}, func(t *txn) error {
		if err := t.raise(key, `state IN ('closed', 'approved')`, `, state = 'stuck', why = $4`, why); err != nil {
			return err
		}
		return t.queue(mails)
	})
}

// Approve is the GM's OK to exactly this attempt and digest, with the notes that
// stood below it. ErrChanged: it is not the one in review.
func (s *Store) Approve(ctx context.Context, e Ending, key TurnKey, attempt int, digest string, notes []game.Ruling) error {
	return s.change(ctx, "approving the turn", e.Now, func(t *txn) error {
		err := t.decide(e, key, `state = 'review' AND attempt = $4 AND digest = $5`, `, state = 'approved', nudge_at = NULL`, attempt, digest)
		if err != nil {
			return err
		}
		if _, err := t.addRulings(e.Letter, key.ID, notes); err != nil {
			return err
		}
		return t.wake(DoRelease, key.ID, time.Time{})
	})
}

// Release is an approved turn rendered for its readers.
type Release struct {
	Key     TurnKey
	Attempt int
	Digest  string
	Next    *Turn // the turn or phase to come, of Ahead; nil: none
	EndGame bool
	Now     time.Time
	Mails   []NewMail // the reports, and with them the next opening
}

// StoreRelease releases the approved attempt, ends the letters that waited for
// the turn, opens the next turn or phase, and queues the mails. ErrChanged: the
// turn is not approved with this attempt, or the game was paused or resumed since
// the mails were written.
func (s *Store) StoreRelease(ctx context.Context, r Release) error {
	return s.change(ctx, "releasing the turn", r.Now, func(t *txn) error {
		err := t.raise(r.Key, `state = 'approved' AND attempt = $4 AND digest = $5`, `, state = 'released', released = attempt`, r.Attempt, r.Digest)
		if err != nil {
			return err
		}
		turn, err := t.turn(r.Key.ID)
		if err != nil {
			return err
		}
		if err := t.endWaiting(turn); err != nil {
			return err
		}
		if r.EndGame {
			if _, err := t.exec(`UPDATE game SET ended_at = $2 WHERE id = $1`, turn.Game, t.now); err != nil {
				return err
			}
		}
		if r.Next != nil {
			var paused time.Time
			if err := t.get([]any{(*Time)(&paused)}, `SELECT paused_at FROM game WHERE id = $1`, turn.Game); err != nil {
				return err
			}
			if !paused.Equal(r.Next.PausedAt) {
				return ErrChanged
			}
			if err := t.openTurn(*r.Next); err != nil {
				return err
			}
		}
		return t.queue(r.Mails)
	})
}

// endWaiting ends the letters that are held or late when a turn is over; late
// ones that the GM accepted have counted.
func (t *txn) endWaiting(turn Turn) error {
	rulings, err := t.rulings(turn)
	if err != nil {
		return err
	}
	for _, r := range rulings {
		if r.Body.Kind != game.RuleAccept || r.DroppedBy != 0 {
			continue
		}
		late, err := strconv.Atoi(r.Body.Value)
		if err != nil {
			return fmt.Errorf("reading ruling %d: %w", r.N, err)
		}
		_, err = t.exec(`UPDATE letter SET disposition = 'acted', why = 'accepted by the GM' WHERE turn = $1 AND disposition = 'late'
			AND id IN (SELECT letter FROM revision WHERE turn = $1 AND late_n = $2)`, turn.ID, late)
		if err != nil {
			return err
		}
	}
	_, err = t.exec(`UPDATE letter SET disposition = 'ignored', why = 'ended with the turn' WHERE turn = $1 AND disposition IN ('late', 'held')`, turn.ID)
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE hold SET state = 'ended' WHERE turn = $1 AND state = 'held'`, turn.ID)
	return err
}

// TurnRef names a row of the turns of a game.
type TurnRef struct {
	ID       int64
	N, Phase int
}

// TurnsOf lists all turns and phases of a game, the first one first.
func (s *Store) TurnsOf(ctx context.Context, gameID int64) (refs []TurnRef, err error) {
	err = s.read(ctx, "listing turns", func(t *txn) error {
		refs, err = list(t, func(r scanner) (v TurnRef, err error) { return v, r.Scan(&v.ID, &v.N, &v.Phase) },
			`SELECT id, n, phase FROM turn WHERE game = $1 ORDER BY n, phase`, gameID)
		return err
	})
	return refs, err
}

// History reads a turn or phase with every attempt that was drafted of it, by
// number, at one instant.
func (s *Store) History(ctx context.Context, turnID int64) (snap Snapshot, attempts []Attempt, err error) {
	err = s.read(ctx, "reading a turn's history", func(t *txn) error {
		turn, err := t.turn(turnID)
		if err != nil {
			return err
		}
		if snap, err = t.snapshot(turn); err != nil {
			return err
		}
		attempts, err = list(t, scanAttempt, attemptSelect+`WHERE attempt.turn = $1 ORDER BY attempt.n`, turnID)
		return err
	})
	return snap, attempts, err
}
