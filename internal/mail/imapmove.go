package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emersion/go-imap/v2"
)

func (m *imapMailbox) Move(ctx context.Context, uid uint32, folder string) error {
	what := fmt.Sprintf("moving message %d to %s", uid, folder)
	return m.do(ctx, what, m.brief(0), func() error {
		// Servers differ in what they answer for a message that is gone: OK, or
		// nonsense (the memory server) that ends the connection.
		found, err := m.client.Fetch(uidSet(uid), &imap.FetchOptions{UID: true, Flags: true}).Collect()
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return ErrGone
		}
		caps := m.client.Caps()
		switch {
		case caps.Has(imap.CapMove):
			data, err := m.client.Move(uidSet(uid), folder).Wait()
			if err == nil && caps.Has(imap.CapUIDPlus) && isEmptySet(data.SourceUIDs) {
				return ErrGone
			}
			return err
		case caps.Has(imap.CapUIDPlus):
			return m.copyAndExpunge(uid, folder)
		}
		// Without UID EXPUNGE only an EXPUNGE of everybody's deleted messages is left.
		return m.store(uid, MovedKeyword)
	})
}

// copyAndExpunge is a move by hand. The library's own sends all commands at
// once, so that a refused copy still deletes.
func (m *imapMailbox) copyAndExpunge(uid uint32, folder string) error {
	data, err := m.client.Copy(uidSet(uid), folder).Wait()
	if err != nil {
		return err
	}
	if len(data.SourceUIDs) == 0 {
		return ErrGone
	}
	if err := m.store(uid, string(imap.FlagDeleted)); err != nil {
		return err
	}
	return m.client.UIDExpunge(uidSet(uid)).Close()
}

func (m *imapMailbox) store(uid uint32, flag string) error {
	return m.client.Store(uidSet(uid), &imap.StoreFlags{
		Op:     imap.StoreFlagsAdd,
		Silent: true,
		Flags:  []imap.Flag{imap.Flag(flag)},
	}, nil).Close()
}

func (m *imapMailbox) Flag(ctx context.Context, uid uint32, keyword string) error {
	return m.do(ctx, fmt.Sprintf("marking message %d", uid), m.brief(0), func() error {
		return m.store(uid, keyword)
	})
}

func (m *imapMailbox) EnsureFolders(ctx context.Context, folders ...string) error {
	for _, folder := range folders {
		if strings.EqualFold(folder, "INBOX") {
			continue
		}
		err := m.do(ctx, "making folder "+folder, m.brief(0), func() error {
			_, err := m.client.Status(folder, &imap.StatusOptions{UIDValidity: true}).Wait()
			if _, refused := errors.AsType[*imap.Error](err); refused {
				return m.client.Create(folder, nil).Wait()
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isEmptySet(set imap.NumSet) bool {
	uids, ok := set.(imap.UIDSet)
	return !ok || len(uids) == 0
}
