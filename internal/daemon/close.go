package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// fenceAlarm is how long a fence may stay shut before people are told.
const fenceAlarm = 15 * time.Minute

// fenceWait is when a shut fence is looked at again. A finished search wakes
// the turn earlier.
const fenceWait = 20 * time.Second

// closeTurn closes a turn whose deadline has passed, or that everybody or the
// GM wants closed, once the deadline fence lets it (design section 3).
func (d *Daemon) closeTurn(ctx context.Context, w store.Work) error {
	turn, g, roles, err := d.Store.TurnBrief(ctx, w.Row)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := d.file(g)
	if err != nil {
		return err
	}
	now := d.Now()
	in, due := closeReason(turn, g, f.Clock.Grace, now)
	if !due {
		return graceWait(turn, f.Clock.Grace, now)
	}
	in.Lock = func(inForce []store.Revision) []byte { return lockOf(g, turn.N, roles, inForce) }
	closed, why, err := d.Store.CloseTurn(ctx, in)
	switch {
	case errors.Is(err, store.ErrDone):
		return nil
	case err != nil:
		return err
	case closed:
		d.Step("closed")
		d.Trace(Trace{What: "closed", Game: g.Name, Turn: turn.N, Text: in.Reason})
		d.Log.Info("turn closed", "game", g.Name, "turn", turn.N, "phase", turn.Phase, "reason", in.Reason)
		return nil
	}
	if why == store.WhySearch {
		select {
		case d.hurry <- struct{}{}:
		default:
		}
	}
	shut := d.Now().Sub(in.Deadline.Add(in.Grace))
	d.Log.Debug("fence shut", "game", g.Name, "turn", turn.N, "why", why, "for", shut)
	if shut >= fenceAlarm {
		if err := d.tellFence(ctx, turn.ID, why); err != nil {
			return err
		}
	}
	return &store.Snooze{For: fenceWait}
}

// graceWait looks again at the end of the grace when the deadline has passed.
func graceWait(turn store.Turn, grace time.Duration, now time.Time) error {
	if turn.State != game.Open || !turn.PausedAt.IsZero() || now.Before(turn.DeadlineAt) {
		return nil
	}
	return &store.Snooze{For: max(turn.DeadlineAt.Add(grace).Sub(now), time.Second)}
}

// closeReason says on what the close would act: the asked instant of READY or
// CLOSE without grace, else the deadline with it. Whichever is due first wins.
func closeReason(turn store.Turn, g store.Game, grace time.Duration, now time.Time) (store.CloseIn, bool) {
	if turn.State != game.Open || !turn.PausedAt.IsZero() || !g.PausedAt.IsZero() {
		return store.CloseIn{}, false
	}
	in := store.CloseIn{Key: turn.Key(), Now: now, Account: g.Account}
	if !turn.AskedAt.IsZero() {
		in.Reason, in.Deadline = turn.AskedBy, turn.AskedAt
		return in, true
	}
	in.Reason, in.Deadline, in.Grace = "deadline", turn.DeadlineAt, grace
	return in, !now.Before(turn.DeadlineAt.Add(grace))
}

// tellFence tells operator and GM, once a turn, that the close waits.
func (d *Daemon) tellFence(ctx context.Context, turn int64, why string) error {
	snap, err := d.Store.SnapshotOfTurn(ctx, turn)
	if err != nil {
		return err
	}
	t, err := d.table(snap)
	if err != nil {
		return err
	}
	gm, ok := t.gm()
	if !ok {
		return nil
	}
	_, err = d.Store.Tell(ctx, fmt.Sprintf("%s/%d", kindFence, turn), t.Turn.OpenedAt, func() ([]store.NewMail, error) {
		mails, err := d.alarm(fmt.Sprintf("%s turn %d cannot close", t.Game.Name, t.Turn.N),
			"The turn is due to close, but the fence of its deadline is shut: "+why+".",
			"Nobody is late by this; the turn closes as soon as the mailbox can be read.")
		if err != nil {
			return nil, err
		}
		m, err := d.tell(t, gm, kindFence, "fence", fenceNote(t, why))
		return append(mails, m), err
	})
	return err
}

// gm finds the game's GM.
func (t *table) gm() (store.Role, bool) {
	for _, r := range t.Roles {
		if r.Kind == roleGM {
			return r, true
		}
	}
	return store.Role{}, false
}
