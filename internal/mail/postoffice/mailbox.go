package postoffice

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// standing are the folders of every mailbox: what the daemon moves letters to
// and what mail programs expect to find.
var standing = []string{"INBOX", "Processed", "Quarantine", "Sent", "Drafts", "Trash"}

// maxFolders bounds the folders made in one mailbox between two starts, and is
// how far UIDVALIDITY rises from start to start: no value comes twice.
const maxFolders = 16

// mailbox is one account's folder in the spool and its IMAP folders in memory.
type mailbox struct {
	name string
	dir  string
	user *imapmemserver.User

	mu      sync.Mutex // keeps the spool's order and the UIDs' order the same
	seq     int
	folders int // made since the start

	idleMu sync.Mutex
	idle   map[chan struct{}]struct{}
}

func openMailbox(spool, name string, epoch uint32, log *slog.Logger) (*mailbox, error) {
	box := &mailbox{
		name: name,
		dir:  filepath.Join(spool, name),
		user: imapmemserver.NewUser(name, ""),
		idle: make(map[chan struct{}]struct{}),
	}
	if err := os.MkdirAll(box.dir, 0o700); err != nil {
		return nil, err
	}
	if err := syncDir(spool); err != nil {
		return nil, err
	}
	// The memory server numbers the folders of a user from 1 as they are made
	// and has no other way to set UIDVALIDITY.
	for range epoch * maxFolders {
		if err := box.user.Create("scratch", nil); err != nil {
			return nil, err
		}
		if err := box.user.Delete("scratch"); err != nil {
			return nil, err
		}
	}
	for _, folder := range standing {
		if err := box.create(folder, nil); err != nil {
			return nil, err
		}
		if err := box.user.Subscribe(folder); err != nil {
			return nil, err
		}
	}
	letters, err := readSpool(box.dir, log)
	if err != nil {
		return nil, err
	}
	for _, l := range letters {
		if err := box.show(foldMalformed(l.raw), l.at); err != nil {
			return nil, err
		}
		box.seq = l.seq
	}
	return box, nil
}

// add stores a letter and shows it, and gives the bytes stored.
func (box *mailbox) add(letter traced, now time.Time) ([]byte, error) {
	box.mu.Lock()
	defer box.mu.Unlock()
	box.seq++
	id := letterID(box.seq, now)
	raw := foldMalformed(append([]byte(letter.trace(id, now)), letter.raw...))
	if err := writeFile(box.dir, id+letterExt, raw); err != nil {
		return nil, fmt.Errorf("storing letter: %w", err)
	}
	if err := box.show(raw, now); err != nil {
		return nil, err
	}
	box.wake()
	return raw, nil
}

func (box *mailbox) show(raw []byte, at time.Time) error {
	_, err := box.user.Append("INBOX", bytes.NewReader(raw), &imap.AppendOptions{Time: at})
	return err
}

func (box *mailbox) create(folder string, options *imap.CreateOptions) error {
	box.mu.Lock()
	defer box.mu.Unlock()
	if box.folders == maxFolders {
		return &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeLimit, Text: "Too many folders"}
	}
	if err := box.user.Create(folder, options); err != nil {
		return err
	}
	box.folders++
	return nil
}

// watch gives a channel that gets a value after each change in the mailbox,
// and a function to end that.
func (box *mailbox) watch() (changes <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	box.idleMu.Lock()
	defer box.idleMu.Unlock()
	box.idle[c] = struct{}{}
	return c, func() {
		box.idleMu.Lock()
		defer box.idleMu.Unlock()
		delete(box.idle, c)
	}
}

func (box *mailbox) wake() {
	box.idleMu.Lock()
	defer box.idleMu.Unlock()
	for c := range box.idle {
		select {
		case c <- struct{}{}:
		default: // one wake-up is already waiting
		}
	}
}
