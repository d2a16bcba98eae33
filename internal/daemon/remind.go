package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// Kinds of our mail that are counted so that nobody is told twice.
const (
	kindFence   = "fence"   // the close waits for the mailbox; once a turn
	kindOutage  = "outage"  // our server takes no mail; once a day
	kindRefused = "refused" // with the role's id: a server refused a mail to it for good
	kindBounced = "bounced" // with the role's id: a mail to it came back
	kindStopped = "stopped" // with the turn's id: it cannot go on; once a day
)

// remind writes to those who owe orders, once, some time before the deadline.
func (d *Daemon) remind(ctx context.Context, w store.Work) error {
	t, err := d.tableOfTurn(ctx, w.Row)
	if t == nil || err != nil {
		return err
	}
	was := t.Turn.RemindAt
	if t.Turn.State != game.Open || was.IsZero() || d.Now().Before(was) {
		return nil
	}
	var mails []store.NewMail
	for _, r := range t.Roles {
		owed := t.owed(r.ID)
		if r.Kind != rolePlayer || len(owed) == 0 || !t.Turn.PausedAt.IsZero() {
			continue
		}
		var entries []report.FormEntry
		for _, b := range owed {
			v := t.view(b.ID)
			entries = append(entries, report.FormEntry{Name: b.Name, Default: t.silence(v, t.rules.Vocabulary(v))})
		}
		n, err := d.tell(t, r, kindRemind, "reminder", report.Reminder{
			Turn: t.Turn.N, Deadline: t.when(t.Turn.DeadlineAt, r), Owed: entries,
			FormID: formID(t.Game, t.Turn),
		})
		if err != nil {
			return err
		}
		mails = append(mails, n)
	}
	return ignoreDone(d.Store.RemindDone(ctx, t.Turn.ID, was, time.Time{}, mails))
}

// nudge writes to a GM whose packet waits, 12, 24 and 72 hours after it went out,
// and to the players whom the game waits for.
func (d *Daemon) nudge(ctx context.Context, w store.Work) error {
	t, err := d.tableOfTurn(ctx, w.Row)
	if t == nil || err != nil {
		return err
	}
	was := t.Turn.NudgeAt
	waits := t.Turn.State == game.Review && t.Draft != nil || t.Turn.State == game.Open && t.Turn.PausedAt.IsZero()
	if !waits || was.IsZero() || d.Now().Before(was) {
		return nil
	}
	gm, ok := t.gm()
	if !ok {
		return fmt.Errorf("game %s has no GM", t.Game.Name)
	}
	if t.Turn.State == game.Open {
		mails, next, err := d.waiting(ctx, t, gm)
		if err != nil {
			return err
		}
		return ignoreDone(d.Store.NudgeDone(ctx, t.Turn.ID, was, next, t.Turn.NudgeStep, mails))
	}
	since, err := d.packetOut(ctx, t, gm)
	if err != nil {
		return err
	}
	if at := d.nudgeAt(since, t.Turn.NudgeStep); d.Now().Before(at) {
		return ignoreDone(d.Store.NudgeDone(ctx, t.Turn.ID, was, at, t.Turn.NudgeStep, nil))
	}
	out, err := outcomeOf(*t.Draft)
	if err != nil {
		return err
	}
	p, err := d.packet(t, gm, *t.Draft, out, d.looks(t, t.Draft.WorldAfter, out, gm)[gm.ID])
	if err != nil {
		return err
	}
	n, err := d.tell(t, gm, kindNudge, "nudge", report.Nudge{Turn: t.Turn.N, Attempt: t.Draft.N, Since: t.when(since, gm)})
	if err != nil {
		return err
	}
	mails, _, err := d.waiting(ctx, t, gm)
	if err != nil {
		return err
	}
	step := t.Turn.NudgeStep + 1
	return ignoreDone(d.Store.NudgeDone(ctx, t.Turn.ID, was, d.nudgeAt(since, step), step, append([]store.NewMail{n, p}, mails...)))
}

// tellWaiting is how long a GM has a packet before the players hear of it.
const tellWaiting = 24 * time.Hour

// waiting writes, once, to the players who have waited for the GM so long, as far as
// they know; next is when more of them will have, zero: never.
func (d *Daemon) waiting(ctx context.Context, t *table, gm store.Role) (mails []store.NewMail, next time.Time, err error) {
	for _, r := range t.Roles {
		if r.Kind != rolePlayer {
			continue
		}
		shown, err := d.tableFor(ctx, t, r)
		if err != nil {
			return nil, next, err
		}
		if shown.Turn.State != game.Review {
			continue
		}
		since, err := d.packetOut(ctx, shown, gm)
		if err != nil {
			return nil, next, err
		}
		told, err := d.Store.CountMails(ctx, r.ID, r.Address, kindNudge, false, since)
		if err != nil {
			return nil, next, err
		}
		at := since.Add(tellWaiting)
		switch {
		case told > 0:
			continue
		case d.Now().Before(at):
			if next.IsZero() || at.Before(next) {
				next = at
			}
			continue
		}
		m, err := d.tell(shown, r, kindNudge, "waiting", report.Waiting{Turn: t.Turn.N, Since: t.when(since, r)})
		if err != nil {
			return nil, next, err
		}
		mails = append(mails, m)
	}
	return mails, next, nil
}

// packetOut is since when the GM has the packet in review: now while our mail
// server did not take it, for then nobody waits for him.
func (d *Daemon) packetOut(ctx context.Context, t *table, gm store.Role) (time.Time, error) {
	m, err := d.Store.FirstMail(ctx, t.Turn.ID, gm.ID, kindPacket, t.Turn.ReviewAt)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return t.Turn.ReviewAt, nil
	case err != nil:
		return time.Time{}, err
	case m.State == store.Queued || m.State == store.Claimed:
		return d.Now(), nil
	case m.State == store.Sent:
		return m.SentAt, nil
	}
	return t.Turn.ReviewAt, nil
}

// tableOfTurn is nil when there is no such turn any more.
func (d *Daemon) tableOfTurn(ctx context.Context, id int64) (*table, error) {
	snap, err := d.Store.SnapshotOfTurn(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return d.table(snap)
}

// fenceNote and unreachableNote tell a GM of what stands in the way without
// anybody's doing.
func fenceNote(t *table, why string) report.Refused {
	return report.Refused{
		Title: fmt.Sprintf("Turn %d waits for the mailbox", t.Turn.N),
		Why:   "The turn is due to close, but not every letter that arrived before could be read yet (" + why + ").",
		Do:    []string{"Nothing is to be done: nobody is late by this, and the turn closes as soon as the mailbox is readable."},
	}
}

func unreachableNote(r store.Role, why string) report.Refused {
	return report.Refused{
		Title: "Mail to " + r.Name + " is refused",
		Why:   "The mail server of " + r.Address + " refused it for good: " + why,
		Do:    []string{"Ask " + r.Name + " in another way. Nobody is late by this.", "EXTEND 48h gives the table time."},
	}
}
