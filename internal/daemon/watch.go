package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

const (
	inbox      = "INBOX"
	processed  = "Processed"
	quarantine = "Quarantine"

	maxLetter   = 10 << 20 // bytes; more is not fetched
	leaseTerm   = 2 * time.Minute
	pollEvery   = time.Minute // IDLE is a hint: searched at least so often
	redialAfter = 10 * time.Second
	leaseRetry  = 20 * time.Second
)

// Watch keeps the mailbox: it takes the lease, searches, stores what is new,
// and waits for more, until ctx ends. dial opens a connection.
func (d *Daemon) Watch(ctx context.Context, holder string, dial func(context.Context) (mail.Mailbox, error)) error {
	defer d.unlease(ctx, holder)
	for ctx.Err() == nil {
		held, err := d.Store.Lease(ctx, d.Account, holder, leaseTerm)
		if err != nil || !held {
			if err != nil && ctx.Err() == nil {
				d.Log.Error("mailbox lease", "err", err)
			}
			sleep(ctx, leaseRetry)
			continue
		}
		if err := d.watchOnce(ctx, holder, dial); err != nil && ctx.Err() == nil {
			d.Log.Warn("mailbox", "account", d.Account, "err", err)
			// Another process may reach the server though this one does not.
			d.unlease(ctx, holder)
			sleep(ctx, redialAfter)
		}
	}
	return nil
}

// unlease gives the lease back, so that another process need not wait for its end.
func (d *Daemon) unlease(ctx context.Context, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := d.Store.Unlease(ctx, d.Account, holder); err != nil {
		d.Log.Warn("giving back the mailbox lease", "err", err)
	}
}

// watchOnce works one connection until it breaks or the lease is lost.
func (d *Daemon) watchOnce(ctx context.Context, holder string, dial func(context.Context) (mail.Mailbox, error)) error {
	box, err := dial(ctx)
	if err != nil {
		return fmt.Errorf("opening the mailbox: %w", err)
	}
	defer box.Close()
	if err := box.EnsureFolders(ctx, processed, quarantine); err != nil {
		return fmt.Errorf("making folders: %w", err)
	}
	for ctx.Err() == nil {
		held, err := d.Store.Lease(ctx, d.Account, holder, leaseTerm)
		if err != nil {
			return err
		}
		if !held {
			return errors.New("another process holds the mailbox now")
		}
		if err := d.Search(ctx, holder, box); err != nil {
			return err
		}
		if err := d.idle(ctx, box); err != nil {
			return fmt.Errorf("waiting for mail: %w", err)
		}
	}
	return nil
}

// idle waits until the server has news, a turn waits for a search, or it is
// time to search anyway.
func (d *Daemon) idle(ctx context.Context, box mail.Mailbox) error {
	idle, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-d.hurry:
			cancel()
		case <-done:
		}
	}()
	return box.Idle(idle)
}

// Search is one complete search of the account: every new letter is stored, and
// only then moved away; then the search is recorded, which frees the turns that
// waited for it. An error means that the search is not complete.
func (d *Daemon) Search(ctx context.Context, holder string, box mail.Mailbox) error {
	begun := d.Now()
	folder, err := box.Select(ctx, inbox)
	if err != nil {
		return fmt.Errorf("opening %s: %w", inbox, err)
	}
	state, err := d.Store.MailboxState(ctx, d.Account, inbox)
	if err != nil {
		return err
	}
	from := state.LastUID + 1
	if state.UIDValidity != folder.UIDValidity || folder.UIDNext != 0 && folder.UIDNext < from {
		// Another folder under the same name: everything is looked at again, and the
		// hash of the bytes keeps what is known from being stored twice.
		from = 1
	}
	uids, err := box.ListUIDs(ctx, from)
	if err != nil {
		return fmt.Errorf("searching %s: %w", inbox, err)
	}
	last := from - 1
	for len(uids) > 0 {
		batch := uids[:min(len(uids), 50)]
		uids = uids[len(batch):]
		metas, err := box.FetchMeta(ctx, batch)
		if err != nil {
			return fmt.Errorf("asking about letters: %w", err)
		}
		for _, m := range metas {
			if err := d.take(ctx, box, folder.UIDValidity, m); err != nil {
				return err
			}
		}
		last = batch[len(batch)-1]
	}
	return d.Store.SearchDone(ctx, d.Account, inbox, holder, store.Mailbox{
		UIDValidity: folder.UIDValidity, LastUID: last, SearchedFrom: begun,
	})
}

// take stores one letter and moves it away.
func (d *Daemon) take(ctx context.Context, box mail.Mailbox, validity uint32, m mail.Meta) error {
	// One byte more than is read of a letter: that is how ingest knows it for too long.
	raw, cut, err := box.FetchRaw(ctx, m.UID, maxLetter+1)
	if errors.Is(err, mail.ErrGone) {
		return nil
	}
	unread := ""
	if err != nil {
		tries, terr := d.Store.FetchFailed(ctx, d.Account, inbox, validity, m.UID)
		if terr != nil {
			return terr
		}
		if tries < maxTries {
			return fmt.Errorf("fetching letter %d: %w", m.UID, err)
		}
		// Three times: a stub is stored in its place, and the next goes on.
		unread = fmt.Sprintf("could not be fetched (UID %d): %v", m.UID, err)
		raw = fmt.Appendf(nil, "X-Pbemd-Unfetched: %d/%d\r\n\r\n", validity, m.UID)
	}
	d.Step("fetched")
	why := unread // why it goes into quarantine
	if cut {
		why = fmt.Sprintf("longer than %d bytes", maxLetter)
	}
	arrived := m.InternalDate
	if arrived.IsZero() {
		arrived = d.Now() // the server does not say
	}
	l := mail.ReadHeader(raw, mail.ReadOptions{MXHops: d.MXHops, InternalDate: arrived})
	id, isNew, err := d.Store.StoreLetter(ctx, store.NewLetter{
		Account: d.Account, Raw: raw, MessageID: l.MessageID, ReceivedAt: l.ReceivedAt, Now: d.Now(),
		UID: m.UID, UIDValidity: validity, Quarantine: unread,
	})
	if err != nil {
		return fmt.Errorf("storing letter %d: %w", m.UID, err)
	}
	d.Step("stored")
	folder := processed
	if why != "" {
		folder = quarantine
		mails, err := d.alarm(fmt.Sprintf("letter %d is in quarantine", id), why)
		if err == nil && isNew {
			err = d.Store.QueueMails(ctx, mails)
		}
		if err != nil {
			return err
		}
	}
	// A move that fails is harmless: the letter is known by its bytes.
	if err := box.Move(ctx, m.UID, folder); err != nil && !errors.Is(err, mail.ErrGone) {
		d.Log.Warn("moving a letter", "uid", m.UID, "err", err)
		if strings.Contains(err.Error(), "closed") {
			return fmt.Errorf("moving letter %d: %w", m.UID, err)
		}
	}
	d.Step("moved")
	return nil
}

func sleep(ctx context.Context, for_ time.Duration) {
	t := time.NewTimer(for_)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
