package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
)

const turnCols = `id, game, n, phase, state, attempt, released, lates, opened_at, deadline_at, asked_at, asked_by, closed_at, review_at,
	paused_at, reopened_at, input_seq, void, lock, digest, world, asks, remind_at, nudge_at, nudge_step, tries, why`

func scanTurn(r scanner) (t Turn, err error) {
	err = r.Scan(&t.ID, &t.Game, &t.N, &t.Phase, &t.State, &t.Attempt, &t.Released, &t.Lates, (*Time)(&t.OpenedAt), (*Time)(&t.DeadlineAt),
		(*Time)(&t.AskedAt), &t.AskedBy, (*Time)(&t.ClosedAt), (*Time)(&t.ReviewAt), (*Time)(&t.PausedAt), (*Time)(&t.ReopenedAt),
		&t.Seq, &t.Void, &t.Lock, &t.Digest, &t.World, &t.Asks, (*Time)(&t.RemindAt), (*Time)(&t.NudgeAt), &t.NudgeStep, &t.Tries, &t.Why)
	return t, err
}

func (t *txn) turn(id int64) (Turn, error) {
	return one(t, scanTurn, `SELECT `+turnCols+` FROM turn WHERE id = $1`, id)
}

const revisionSelect = `SELECT revision.id, revision.turn, turn.phase, revision.combatant, COALESCE(revision.role, 0), revision.letter,
	revision.message_id, revision.text_sha, revision.received_at, revision.text, revision.plan, revision.cleared, revision.late_n
	FROM revision JOIN turn ON turn.id = revision.turn `

func scanRevision(r scanner) (v Revision, err error) {
	err = r.Scan(&v.ID, &v.Turn, &v.Phase, &v.Combatant, &v.Role, &v.Letter,
		&v.MessageID, &v.TextSHA, (*Time)(&v.ReceivedAt), &v.Text, &v.Plan, &v.Cleared, &v.LateN)
	return v, err
}

const attemptSelect = `SELECT attempt.turn, turn.phase, attempt.n, attempt.seq, attempt.ruleset, attempt.version, attempt.data_sha, attempt.build,
	attempt.world_before, attempt.orders, attempt.rulings, attempt.events, attempt.world_after, attempt.outcome, attempt.digest, attempt.created_at
	FROM attempt JOIN turn ON turn.id = attempt.turn `

func scanAttempt(r scanner) (a Attempt, err error) {
	err = r.Scan(&a.Turn, &a.Phase, &a.N, &a.Seq, &a.Ruleset, &a.Version, &a.DataSHA, &a.Build,
		&a.WorldBefore, &a.Orders, &a.Rulings, &a.Events, &a.WorldAfter, &a.Outcome, &a.Digest, (*Time)(&a.CreatedAt))
	return a, err
}

// Snapshot reads everything about a game and its current turn and phase, at
// one instant.
func (s *Store) Snapshot(ctx context.Context, gameID int64) (snap Snapshot, err error) {
	err = s.read(ctx, "reading a game", func(t *txn) error {
		turn, err := one(t, scanTurn, `SELECT `+turnCols+` FROM turn WHERE game = $1 ORDER BY n DESC, phase DESC LIMIT 1`, gameID)
		if err != nil {
			return err
		}
		snap, err = t.snapshot(turn)
		return err
	})
	return snap, err
}

// SnapshotOfTurn is Snapshot for the turn and phase with this id.
func (s *Store) SnapshotOfTurn(ctx context.Context, turnID int64) (snap Snapshot, err error) {
	err = s.read(ctx, "reading a turn", func(t *txn) error {
		turn, err := t.turn(turnID)
		if err != nil {
			return err
		}
		snap, err = t.snapshot(turn)
		return err
	})
	return snap, err
}

// TurnBrief reads of a turn only what decides whether it closes.
func (s *Store) TurnBrief(ctx context.Context, turnID int64) (turn Turn, g Game, roles []Role, err error) {
	err = s.read(ctx, "reading a turn", func(t *txn) error {
		if turn, err = t.turn(turnID); err != nil {
			return err
		}
		if g, err = one(t, scanGame, `SELECT `+gameCols+` FROM game WHERE id = $1`, turn.Game); err != nil {
			return err
		}
		roles, err = t.roles(turn.Game)
		return err
	})
	return turn, g, roles, err
}

func (t *txn) snapshot(turn Turn) (Snapshot, error) {
	sn := Snapshot{Turn: turn, Combatants: map[game.ID]int64{}, Ready: map[int64]Ready{}}
	var err error
	if sn.Game, err = one(t, scanGame, `SELECT `+gameCols+` FROM game WHERE id = $1`, turn.Game); err != nil {
		return sn, err
	}
	if turn.N > 1 {
		err = t.get([]any{&sn.PrevLock}, `SELECT lock FROM turn WHERE game = $1 AND n = $2 ORDER BY phase LIMIT 1`, turn.Game, turn.N-1)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return sn, err
		}
	}
	if sn.Roles, err = t.roles(turn.Game); err != nil {
		return sn, err
	}
	type owner struct {
		id   game.ID
		role int64
	}
	owners, err := list(t, func(r scanner) (o owner, err error) { return o, r.Scan(&o.id, &o.role) },
		`SELECT id, COALESCE(role, 0) FROM combatant WHERE game = $1`, turn.Game)
	if err != nil {
		return sn, err
	}
	for _, o := range owners {
		sn.Combatants[o.id] = o.role
	}
	if sn.Revisions, err = t.revisions(turn.ID); err != nil {
		return sn, err
	}
	ready, err := list(t, func(r scanner) (v Ready, err error) {
		return v, r.Scan(&v.Role, &v.On, (*Time)(&v.ReceivedAt), &v.Letter)
	}, `SELECT role, is_on, received_at, letter FROM ready WHERE turn = $1`, turn.ID)
	if err != nil {
		return sn, err
	}
	for _, v := range ready {
		sn.Ready[v.Role] = v
	}
	if sn.Rulings, err = t.rulings(turn); err != nil {
		return sn, err
	}
	sn.Holds, err = list(t, func(r scanner) (h Hold, err error) {
		return h, r.Scan(&h.ID, &h.Game, &h.Turn, &h.Role, &h.Letter, &h.Kind, &h.Why, &h.From, &h.Subject, (*Time)(&h.ReceivedAt), &h.State, (*Time)(&h.CreatedAt))
	}, `SELECT id, COALESCE(game, 0), COALESCE(turn, 0), role, letter, kind, why, from_addr, subject, received_at, state, created_at FROM hold WHERE game = $1 AND state = 'held' ORDER BY id`, turn.Game)
	if err != nil {
		return sn, err
	}
	if turn.State != game.Open {
		sn.Frozen, err = list(t, scanRevision, revisionSelect+`JOIN turn_orders ON turn_orders.revision = revision.id
			WHERE turn_orders.turn = $1 ORDER BY revision.combatant`, turn.ID)
		if err != nil {
			return sn, err
		}
	}
	if turn.Lock != nil {
		sn.FirstFrozen, err = list(t, scanRevision, revisionSelect+`JOIN turn_counted ON turn_counted.revision = revision.id
			WHERE turn_counted.game = $1 AND turn_counted.n = $2 ORDER BY revision.combatant`, turn.Game, turn.N)
		if err != nil {
			return sn, err
		}
	}
	if turn.Attempt > 0 {
		if sn.Draft, err = t.attempt(`WHERE attempt.turn = $1 AND attempt.n = $2`, turn.ID, turn.Attempt); err != nil {
			return sn, err
		}
	}
	if turn.N == 1 && turn.Phase == 0 {
		return sn, nil
	}
	sn.Prev, err = t.attempt(`WHERE turn.game = $1 AND (turn.n < $2 OR (turn.n = $2 AND turn.phase < $3)) AND attempt.n = turn.released
		ORDER BY turn.n DESC, turn.phase DESC LIMIT 1`, turn.Game, turn.N, turn.Phase)
	return sn, err
}

// revisions of a turn, by (received_at, letter).
func (t *txn) revisions(turnID int64) ([]Revision, error) {
	return list(t, scanRevision, revisionSelect+`WHERE revision.turn = $1 ORDER BY revision.received_at, revision.letter, revision.combatant`, turnID)
}

func (t *txn) rulings(turn Turn) ([]Ruling, error) {
	return list(t, func(r scanner) (Ruling, error) {
		v := Ruling{Turn: turn.ID, Phase: turn.Phase}
		var body []byte
		if err := r.Scan(&v.ID, &v.N, &v.Letter, &body, &v.DroppedBy); err != nil {
			return v, err
		}
		if err := json.Unmarshal(body, &v.Body); err != nil {
			return v, fmt.Errorf("reading ruling %d: %w", v.N, err)
		}
		return v, nil
	}, `SELECT id, n, COALESCE(letter, 0), body, COALESCE(dropped_by, 0) FROM ruling WHERE turn = $1 ORDER BY n`, turn.ID)
}

func (t *txn) attempt(where string, args ...any) (*Attempt, error) {
	a, err := one(t, scanAttempt, attemptSelect+where, args...)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return &a, err
}
