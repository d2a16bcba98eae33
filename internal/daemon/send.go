package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

const (
	// giveUpAfter is how long a mail is tried, or until its turn is released if
	// that is later.
	giveUpAfter = 5 * 24 * time.Hour
)

// sendMail hands one stored mail to SMTP. It claims the row first and names its
// claim when it records; so the one duplicate that can happen is the same bytes
// with the same Message-ID after a crash between the two (design section 2.9).
func (d *Daemon) sendMail(ctx context.Context, w store.Work) error {
	if wait := d.sendPause(d.Now()); wait > 0 {
		return &store.Snooze{For: wait}
	}
	m, err := d.Store.ClaimMail(ctx, w.Row, d.Now())
	if errors.Is(err, store.ErrDone) || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Step("claimed")
	err = d.hand(ctx, m)
	if err == nil {
		d.Step("smtp-accepted")
		d.pauseSending(time.Time{})
		// A mail that is not recorded goes out again.
		err := store.Insist(ctx, func() error { return d.Store.MailSent(ctx, m.ID, m.Claim, d.Now()) })
		if err != nil && !errors.Is(err, store.ErrDone) {
			return err
		}
		d.Step("recorded")
		d.Trace(Trace{What: "sent", Who: m.Address, Text: m.Subject})
		return nil
	}
	return d.sendFailed(ctx, m, err)
}

// hand gives a mail to the server, and leaves a part of the job's time to record
// what became of it: a server that is silent must not keep that from being known.
func (d *Daemon) hand(ctx context.Context, m store.Mail) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Until(end)/4))
		defer cancel()
	}
	return d.Sender.Send(ctx, m.Sender, m.Address, m.Bytes)
}

// sendPause is how much longer nothing is sent.
func (d *Daemon) sendPause(now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.silentUntil.Sub(now)
}

func (d *Daemon) pauseSending(until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.silentUntil = until
}

// sendFailed sorts a failure: ours pauses all sending and blames nobody; what
// the server says of the recipient for good marks the address; all else is tried
// again, ever more slowly, for five days or until its turn is over.
func (d *Daemon) sendFailed(ctx context.Context, m store.Mail, err error) error {
	se, known := errors.AsType[*mail.SendError](err)
	why := err.Error()
	ours := known && se.Ours()
	if known && !ours && !se.Temporary() {
		return d.mailRefused(ctx, m, se.Answer(), se.Unreachable())
	}
	now := d.Now()
	wait := min(time.Minute<<min(m.Tries, 6), time.Hour)
	if ours {
		d.pauseSending(now.Add(d.Terms.Outage))
		if err := d.tellOutage(ctx, why); err != nil {
			return err
		}
		// What the server has against one mail's sender must not hold up the others:
		// only an outage lets a mail wait as short as the pause.
		if se.Stage != mail.StageMail || se.Temporary() {
			wait = d.Terms.Outage
		}
	}
	if now.Sub(m.CreatedAt) > giveUpAfter {
		over, err := d.turnOver(ctx, m.Turn)
		if err != nil {
			return err
		}
		if over {
			d.Log.Error("mail given up", "mail", m.ID, "role", m.Role, "why", why)
			return ignoreDone(d.Store.MailFailed(ctx, m.ID, m.Claim, "given up after five days: "+why, false))
		}
	}
	d.Log.Warn("mail waits", "mail", m.ID, "tries", m.Tries, "for", wait, "ours", ours, "err", err)
	return ignoreDone(d.Store.MailRetry(ctx, m.ID, m.Claim, now.Add(wait), why))
}

func ignoreDone(err error) error {
	if errors.Is(err, store.ErrDone) {
		return nil
	}
	return err
}

// turnOver reports that nothing of a mail's turn is to come any more.
func (d *Daemon) turnOver(ctx context.Context, id int64) (bool, error) {
	if id == 0 {
		return true, nil
	}
	snap, err := d.Store.SnapshotOfTurn(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	return snap.Turn.State == game.Released, err
}

// tellOutage tells the operator that our own mail server does not take our mail.
// The log says it at once, this mail when it can be sent.
func (d *Daemon) tellOutage(ctx context.Context, why string) error {
	return d.tellOperator(ctx, kindOutage, "mail cannot be sent", why, "Nothing is lost and nobody is marked: every mail waits and is tried again.")
}

// tellOperator tells the operator of one kind of trouble, at most once a day.
func (d *Daemon) tellOperator(ctx context.Context, kind, title string, lines ...string) error {
	if d.Operator == "" {
		d.Log.Error("alarm", "what", title)
		return nil
	}
	_, err := d.Store.Tell(ctx, kind+"/operator", d.Now().Add(-24*time.Hour), func() ([]store.NewMail, error) {
		mails, err := d.alarm(title, lines...)
		for i := range mails {
			mails[i].Kind = kind
		}
		return mails, err
	})
	return err
}

// mailRefused ends a mail that the recipient's server refused for good. The one
// who must see to it hears of it once: the GM, or the operator if the mail was
// the GM's own.
func (d *Daemon) mailRefused(ctx context.Context, m store.Mail, why string, unreachable bool) error {
	d.Log.Warn("mail refused", "mail", m.ID, "role", m.Role, "unreachable", unreachable, "why", why)
	if m.Role != 0 {
		if err := d.tellRefused(ctx, kindRefused, m.Game, m.Role, m.CreatedAt, why); err != nil {
			return err
		}
	}
	return ignoreDone(d.Store.MailFailed(ctx, m.ID, m.Claim, why, unreachable))
}

// tellRefused tells of a refused mail, unless the address is known to refuse
// all mail, or it was told of since an instant. Unreachable is not late.
func (d *Daemon) tellRefused(ctx context.Context, kind string, gameID, role int64, since time.Time, why string) error {
	snap, err := d.Store.Snapshot(ctx, gameID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, ok := snap.RoleByID(role)
	if !ok || !r.Reachable {
		return nil
	}
	t, err := d.table(snap)
	if err != nil {
		return err
	}
	gm, ok := t.gm()
	if !ok {
		return nil
	}
	kind = fmt.Sprintf("%s-%d", kind, r.ID)
	if gm.ID == r.ID {
		return d.tellOperator(ctx, kind, "the GM of "+t.Game.Name+" cannot be reached", "Mail to "+r.Address+" was refused for good: "+why,
			"Nobody can release the turn before he reads his mail.")
	}
	_, err = d.Store.Tell(ctx, kind, since, func() ([]store.NewMail, error) {
		told, err := d.tell(t, gm, kind, "unreachable", unreachableNote(r, why))
		return []store.NewMail{told}, err
	})
	return err
}
