package daemon

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
)

// fakeBox is an account in memory that fails where it is told to. It outlives its
// connections: dial opens another one. A letter keeps its UID when it is moved.
type fakeBox struct {
	mu sync.Mutex

	validity uint32
	last     uint32
	letters  map[uint32][]byte
	now      func() time.Time
	arrived  map[uint32]time.Time
	moved    map[uint32]string // where letters went
	flags    map[uint32]string
	selected string

	onCommand   func(command string, bytes int) error // the connection is lost
	unfetchable map[uint32]error                      // what FetchRaw says; unless it is ErrWithheld the connection is lost
	halves      bool                                  // a part of such a letter is given
	lost        error
	onFetch     func(uid uint32)
	moveErr     error
	onEnsure    func()
	dialErr     error
	onSearch    func()
	searches    int // of the INBOX
	bodies      int // given
	dials       int
	open        int
	news        chan error // ends one Idle
}

func newFakeBox(now func() time.Time) *fakeBox {
	return &fakeBox{now: now, arrived: map[uint32]time.Time{}, validity: 1, letters: map[uint32][]byte{}, moved: map[uint32]string{},
		flags: map[uint32]string{}, unfetchable: map[uint32]error{}, news: make(chan error)}
}

// put delivers a letter.
func (f *fakeBox) put(raw string) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	f.letters[f.last], f.arrived[f.last] = []byte(raw), f.now()
	return f.last
}

// putIn delivers a letter that lies in a folder.
func (f *fakeBox) putIn(folder, raw string) uint32 {
	uid := f.put(raw)
	f.moved[uid] = folder
	return uid
}

// where is the folder of a letter.
func (f *fakeBox) where(uid uint32) string {
	if folder, moved := f.moved[uid]; moved {
		return folder
	}
	return inbox
}

// command is one command of a connection: it may be lost by it.
func (f *fakeBox) command(what string, bytes int) error {
	if f.lost == nil && f.onCommand != nil {
		f.lost = f.onCommand(what, bytes)
	}
	return f.lost
}

// renumber is what a server does that lost its index: all letters are there
// again, under other numbers.
func (f *fakeBox) renumber() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.validity++
	all := map[uint32][]byte{}
	for i, uid := range slices.Backward(slices.Sorted(maps.Keys(f.letters))) {
		all[uint32(100+i)] = f.letters[uid]
	}
	f.letters, f.moved, f.last = all, map[uint32]string{}, 200
}

func (f *fakeBox) dial(context.Context) (mail.Mailbox, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials++
	if f.dialErr != nil {
		return nil, f.dialErr
	}
	f.open++
	f.lost = nil
	return f, nil
}

func (f *fakeBox) Select(_ context.Context, folder string) (mail.FolderState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.command("SELECT", 0); err != nil {
		return mail.FolderState{}, err
	}
	f.selected = folder
	return mail.FolderState{UIDValidity: f.validity, UIDNext: f.last + 1}, nil
}

func (f *fakeBox) ListUIDs(_ context.Context, from uint32) ([]uint32, error) {
	f.mu.Lock()
	if err := f.command("SEARCH", 0); err != nil {
		f.mu.Unlock()
		return nil, err
	}
	var out []uint32
	for _, uid := range slices.Sorted(maps.Keys(f.letters)) {
		if uid >= from && f.where(uid) == f.selected {
			out = append(out, uid)
		}
	}
	var hook func()
	if f.selected == inbox {
		f.searches++
		hook = f.onSearch
	}
	f.mu.Unlock()
	if hook != nil {
		hook()
	}
	return out, nil
}

func (f *fakeBox) FetchMeta(_ context.Context, uids []uint32) ([]mail.Meta, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.command("FETCH", 0); err != nil {
		return nil, err
	}
	var out []mail.Meta
	for _, uid := range uids {
		if raw, ok := f.letters[uid]; ok && f.where(uid) == f.selected {
			m := mail.Meta{UID: uid, InternalDate: f.arrived[uid], Size: int64(len(raw))}
			if flag := f.flags[uid]; flag != "" {
				m.Flags = []string{`\Seen`, flag}
			}
			out = append(out, m)
		}
	}
	return out, nil
}

func (f *fakeBox) FetchRaw(_ context.Context, uid uint32, limit int64) ([]byte, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.onFetch != nil {
		f.onFetch(uid)
	}
	raw, ok := f.letters[uid]
	part := raw[:min(int64(len(raw)), limit)]
	switch {
	case f.lost != nil:
		return nil, false, f.lost
	case !ok || f.where(uid) != f.selected:
		return nil, false, mail.ErrGone
	case f.unfetchable[uid] != nil && !(f.halves && len(part) < len(raw)):
		err := f.unfetchable[uid]
		if !errors.Is(err, mail.ErrWithheld) {
			f.lost = err
		}
		return nil, false, err
	}
	if err := f.command("BODY", len(part)); err != nil {
		return nil, false, err
	}
	f.bodies++
	return part, len(part) < len(raw), nil
}

func (f *fakeBox) Move(_ context.Context, uid uint32, folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.command("MOVE", 0); err != nil {
		return err
	}
	if f.moveErr == nil {
		f.moved[uid] = folder
	}
	return f.moveErr
}

func (f *fakeBox) Idle(ctx context.Context) error {
	select {
	case err := <-f.news:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (f *fakeBox) Flag(context.Context, uint32, string) error { return nil }
func (f *fakeBox) EnsureFolders(context.Context, ...string) error {
	if f.onEnsure != nil {
		f.onEnsure()
	}
	return f.lost
}
func (f *fakeBox) Noop(context.Context) error { f.mu.Lock(); defer f.mu.Unlock(); return f.lost }
func (f *fakeBox) Close() error               { f.mu.Lock(); f.open--; f.mu.Unlock(); return nil }
func (f *fakeBox) count() (searches, dials, open int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.searches, f.dials, f.open
}
