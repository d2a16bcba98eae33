package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
)

const (
	inbox      = "INBOX"
	processed  = "Processed"
	quarantine = "Quarantine"

	maxLetter = 10 << 20 // bytes; more is not fetched
)

// Watch keeps the mailbox: it takes the lease, searches, stores what is new,
// and waits for more, until ctx ends. dial opens a connection.
func (d *Daemon) Watch(ctx context.Context, holder string, dial func(context.Context) (mail.Mailbox, error)) error {
	defer d.unlease(ctx, holder)
	if d.Reread {
		d.askReread(ctx)
	}
	standby := false
	for ctx.Err() == nil {
		held, err := d.Store.Lease(ctx, d.Account, holder, d.Terms.Lease)
		if err != nil || !held {
			switch {
			case err != nil && ctx.Err() == nil:
				d.Log.Error("mailbox lease", "err", err)
			case err == nil && !standby:
				standby = true
				d.Log.Info("another process keeps the mailbox; this one stands by", "account", d.Account)
			}
			sleep(ctx, d.Terms.LeaseRetry)
			continue
		}
		standby = false
		d.Log.Info("keeping the mailbox", "account", d.Account)
		if err := d.watchOnce(ctx, holder, dial); err != nil && ctx.Err() == nil {
			d.Log.Warn("mailbox", "account", d.Account, "err", err)
			// Another process may reach the server though this one does not.
			d.unlease(ctx, holder)
			sleep(ctx, d.Terms.Redial)
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

var errLeased = errors.New("another process holds the mailbox now")

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
		held, err := d.Store.Lease(ctx, d.Account, holder, d.Terms.Lease)
		if err != nil {
			return err
		}
		if !held {
			return errLeased
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
	// IDLE is a hint: searched at least once a poll.
	idle, cancel := context.WithTimeout(ctx, d.Terms.Poll)
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

func sleep(ctx context.Context, for_ time.Duration) {
	t := time.NewTimer(for_)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
