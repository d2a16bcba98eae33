package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
)

func (m *imapMailbox) Move(ctx context.Context, uid uint32, folder string) error {
	return m.move(ctx, fmt.Sprintf("moving message %d to %s", uid, folder), []uint32{uid}, folder)
}

func (m *imapMailbox) MoveAll(ctx context.Context, uids []uint32, folder string) error {
	err := m.move(ctx, fmt.Sprintf("moving %d messages to %s", len(uids), folder), uids, folder)
	if errors.Is(err, ErrGone) {
		err = nil
	}
	return err
}

// move moves those of the messages that are there; ErrGone: none is.
func (m *imapMailbox) move(ctx context.Context, what string, uids []uint32, folder string) error {
	return m.do(ctx, what, m.brief(int64(len(uids))*metaBytes), func() error {
		// Servers differ in what they answer for a message that is gone: OK, or
		// nonsense (the memory server) that ends the connection.
		found, err := m.client.Fetch(uidSet(uids...), &imap.FetchOptions{UID: true, Flags: true}).Collect()
		if err != nil {
			return err
		}
		var there imap.UIDSet
		for _, f := range found {
			if f.UID != 0 && slices.Contains(uids, uint32(f.UID)) {
				there.AddNum(f.UID)
			}
		}
		if len(there) == 0 {
			return ErrGone
		}
		caps := m.client.Caps()
		switch {
		case caps.Has(imap.CapMove):
			data, err := m.client.Move(there, folder).Wait()
			if err == nil && caps.Has(imap.CapUIDPlus) && isEmptySet(data.SourceUIDs) {
				return ErrGone
			}
			return err
		case caps.Has(imap.CapUIDPlus):
			return m.copyAndExpunge(there, folder)
		}
		// Without UID EXPUNGE only an EXPUNGE of everybody's deleted messages is left.
		return m.store(there, MovedKeyword)
	})
}

// copyAndExpunge is a move by hand. The library's own sends all commands at
// once, so that a refused copy still deletes.
func (m *imapMailbox) copyAndExpunge(uids imap.UIDSet, folder string) error {
	data, err := m.client.Copy(uids, folder).Wait()
	if err != nil {
		return err
	}
	if len(data.SourceUIDs) == 0 {
		return ErrGone
	}
	if err := m.store(uids, string(imap.FlagDeleted)); err != nil {
		return err
	}
	return m.client.UIDExpunge(uids).Close()
}

func (m *imapMailbox) store(uids imap.UIDSet, flag string) error {
	return m.client.Store(uids, &imap.StoreFlags{
		Op:     imap.StoreFlagsAdd,
		Silent: true,
		Flags:  []imap.Flag{imap.Flag(flag)},
	}, nil).Close()
}

func (m *imapMailbox) Flag(ctx context.Context, uid uint32, keyword string) error {
	return m.do(ctx, fmt.Sprintf("marking message %d", uid), m.brief(0), func() error {
		return m.store(uidSet(uid), keyword)
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
