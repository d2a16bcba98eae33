package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// giveUpAfter is how long a mail is tried.
const giveUpAfter = 5 * 24 * time.Hour

// sendMail hands one stored mail to SMTP. It claims the row first and names its
// claim when it records; so the one duplicate that can happen is the same bytes
// with the same Message-ID after a crash between the two (design section 2.9).
func (d *Daemon) sendMail(ctx context.Context, w store.Work) error {
	m, err := d.Store.ClaimMail(ctx, w.Row, d.Now())
	if errors.Is(err, store.ErrDone) || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Step("claimed")
	err = d.Sender.Send(ctx, m.Sender, m.Address, m.Bytes)
	if err == nil {
		d.Step("smtp-accepted")
		if err := d.Store.MailSent(ctx, m.ID, m.Claim, d.Now()); err != nil && !errors.Is(err, store.ErrDone) {
			return err
		}
		d.Step("recorded")
		d.Trace(Trace{What: "sent", Who: m.Address, Text: m.Subject})
		return nil
	}
	return d.sendFailed(ctx, m, err)
}

// sendFailed sorts a failure: ours pauses the mail and blames nobody; what the
// server says of the recipient for good marks the address; all else is tried
// again, ever more slowly, for five days.
func (d *Daemon) sendFailed(ctx context.Context, m store.Mail, err error) error {
	se, known := errors.AsType[*mail.SendError](err)
	why := err.Error()
	if known && !se.Ours() && !se.Temporary() {
		unreachable := se.Unreachable()
		d.Log.Warn("mail refused", "mail", m.ID, "role", m.Role, "unreachable", unreachable, "err", err)
		if unreachable && m.Role != 0 {
			if err := d.tellUnreachable(ctx, m, why); err != nil {
				return err
			}
		}
		return ignoreDone(d.Store.MailFailed(ctx, m.ID, m.Claim, why, unreachable))
	}
	if d.Now().Sub(m.CreatedAt) > giveUpAfter {
		d.Log.Error("mail given up", "mail", m.ID, "role", m.Role, "err", err)
		return ignoreDone(d.Store.MailFailed(ctx, m.ID, m.Claim, "given up after five days: "+why, false))
	}
	wait := min(time.Minute<<min(m.Tries, 6), time.Hour)
	d.Log.Warn("mail waits", "mail", m.ID, "tries", m.Tries, "for", wait, "ours", known && se.Ours(), "err", err)
	return ignoreDone(d.Store.MailRetry(ctx, m.ID, m.Claim, d.Now().Add(wait), why))
}

func ignoreDone(err error) error {
	if errors.Is(err, store.ErrDone) {
		return nil
	}
	return err
}

// tellUnreachable tells the GM, once, that a player's address refuses mail:
// unreachable is not late.
func (d *Daemon) tellUnreachable(ctx context.Context, m store.Mail, why string) error {
	snap, err := d.Store.Snapshot(ctx, m.Game)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, ok := snap.RoleByID(m.Role)
	if !ok || !r.Reachable {
		return nil
	}
	t, err := d.table(snap)
	if err != nil {
		return err
	}
	gm, ok := t.gm()
	if !ok || gm.ID == r.ID {
		return nil
	}
	n, err := d.tell(t, gm, kindAlarm, "unreachable", unreachableNote(r, why))
	if err != nil {
		return err
	}
	return d.Store.QueueMails(ctx, []store.NewMail{n})
}
