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
	snap, err := d.Store.SnapshotOfTurn(ctx, w.Row)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	t, err := d.table(snap)
	if err != nil {
		return err
	}
	in, due := d.closeReason(t)
	if !due {
		return graceWait(t, d.Now())
	}
	closed, why, err := d.Store.CloseTurn(ctx, in)
	switch {
	case errors.Is(err, store.ErrDone):
		return nil
	case err != nil:
		return err
	case closed:
		d.Step("closed")
		d.Trace(Trace{What: "closed", Game: t.Game.Name, Turn: t.Turn.N, Text: in.Reason})
		d.Log.Info("turn closed", "game", t.Game.Name, "turn", t.Turn.N, "phase", t.Turn.Phase, "reason", in.Reason)
		return nil
	}
	if why == store.WhySearch {
		select {
		case d.hurry <- struct{}{}:
		default:
		}
	}
	shut := d.Now().Sub(in.Deadline.Add(in.Grace))
	d.Log.Debug("fence shut", "game", t.Game.Name, "turn", t.Turn.N, "why", why, "for", shut)
	if shut >= fenceAlarm {
		if err := d.tellFence(ctx, t, why); err != nil {
			return err
		}
	}
	return &store.Snooze{For: fenceWait}
}

// graceWait looks again at the end of the grace when the deadline has passed.
func graceWait(t *table, now time.Time) error {
	if t.Turn.State != game.Open || !t.Turn.PausedAt.IsZero() || now.Before(t.Turn.DeadlineAt) {
		return nil
	}
	return &store.Snooze{For: max(t.Turn.DeadlineAt.Add(t.grace()).Sub(now), time.Second)}
}

// closeReason says on what the close would act: the asked instant of READY or
// CLOSE without grace, else the deadline with it. Whichever is due first wins.
func (d *Daemon) closeReason(t *table) (store.CloseIn, bool) {
	turn := t.Turn
	if turn.State != game.Open || !turn.PausedAt.IsZero() || !t.Game.PausedAt.IsZero() {
		return store.CloseIn{}, false
	}
	roles := t.Roles
	in := store.CloseIn{
		Key: turn.Key(), Now: d.Now(), Account: t.Game.Account,
		Lock: func(inForce []store.Revision) []byte { return lockOf(t.Game, turn.N, roles, inForce) },
	}
	if !turn.AskedAt.IsZero() {
		in.Reason, in.Deadline = turn.AskedBy, turn.AskedAt
		return in, true
	}
	in.Reason, in.Deadline, in.Grace = "deadline", turn.DeadlineAt, t.grace()
	return in, !d.Now().Before(turn.DeadlineAt.Add(in.Grace))
}

// tellFence tells operator and GM, once a turn, that the close waits.
func (d *Daemon) tellFence(ctx context.Context, t *table, why string) error {
	gm, ok := t.gm()
	if !ok {
		return nil
	}
	n, err := d.Store.CountMails(ctx, gm.ID, gm.Address, kindFence, false, t.Turn.OpenedAt)
	if err != nil || n > 0 {
		return err
	}
	mails, err := d.alarm(fmt.Sprintf("%s turn %d cannot close", t.Game.Name, t.Turn.N),
		"The turn is due to close, but the fence of its deadline is shut: "+why+".",
		"Nobody is late by this; the turn closes as soon as the mailbox can be read.")
	if err != nil {
		return err
	}
	m, err := d.tell(t, gm, kindFence, "fence", fenceNote(t, why))
	if err != nil {
		return err
	}
	return d.Store.QueueMails(ctx, append(mails, m))
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
