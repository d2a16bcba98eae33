package mail_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

func letter(n int) []byte {
	return fmt.Appendf(nil, "From: a@example.test\r\nSubject: %d\r\n\r\n%s\r\n", n, strings.Repeat("x", 100*n))
}

// inbox delivers letters to a new mailbox and opens it at an address.
func inbox(t *testing.T, l *lab.Lab, addr string, letters ...[]byte) (user string, m mail.Mailbox, state mail.FolderState) {
	t.Helper()
	user = l.User(t, "imap")
	if err := l.Deliver("a@"+lab.Domain, user+"@"+lab.Domain, letters...); err != nil {
		t.Fatal(err)
	}
	m = open(t, addr, user)
	state, err := m.Select(t.Context(), "INBOX")
	if err != nil || int(state.Messages) != len(letters) {
		t.Fatalf("%+v, %v", state, err)
	}
	return user, m, state
}

func open(t *testing.T, addr, user string) mail.Mailbox {
	t.Helper()
	m, err := mail.DialIMAP(t.Context(), mail.IMAPConfig{Addr: addr, TLS: mail.TLSNone, User: user, Pass: lab.Password, IdleTime: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.EnsureFolders(t.Context(), "Processed", "Quarantine"); err != nil {
		t.Fatal(err)
	}
	return m
}

func uids(t *testing.T, m mail.Mailbox, folder string) []uint32 {
	t.Helper()
	if _, err := m.Select(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	got, err := m.ListUIDs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestDovecotGivesLettersAndMovesThem: the walk of letters through a mailbox, and
// the same where the server cannot move.
func TestDovecotGivesLettersAndMovesThem(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for name, tt := range map[string]struct {
		hide        []string
		said, never string
		stays       bool
	}{
		"MOVE":                     {nil, "UID MOVE", "UID COPY", false},
		"no MOVE":                  {[]string{" MOVE", ""}, "UID EXPUNGE", "UID MOVE", false},
		"neither MOVE nor UIDPLUS": {[]string{" MOVE", "", " UIDPLUS", ""}, mail.MovedKeyword, "EXPUNGE", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			r := newRelay(t, "127.0.0.1", lab.IMAP, tt.hide...)
			_, m, state := inbox(t, l, r.addr, letter(1), letter(2), letter(3))
			if state.UIDValidity == 0 || state.UIDNext != 4 {
				t.Errorf("%+v", state)
			}
			if got, err := m.ListUIDs(ctx, 2); !slices.Equal(got, []uint32{2, 3}) || err != nil {
				t.Errorf("%v, %v", got, err)
			}
			if got, err := m.ListUIDs(ctx, 4); len(got) != 0 || err != nil {
				t.Errorf("above the last: %v, %v", got, err)
			}
			metas, err := m.FetchMeta(ctx, []uint32{3, 1, 99})
			if err != nil || len(metas) != 2 || metas[0].UID != 1 || metas[1].UID != 3 {
				t.Fatalf("%+v, %v", metas, err)
			}
			if age := time.Since(metas[1].InternalDate); age < -time.Minute || age > time.Hour {
				t.Errorf("arrived %v", metas[1].InternalDate)
			}
			raw, cut, err := m.FetchRaw(ctx, 3, 1<<20)
			if err != nil || cut || int64(len(raw)) != metas[1].Size || !bytes.HasSuffix(raw, letter(3)) {
				t.Errorf("%q, %v, %v", raw, cut, err)
			}
			if part, cut, err := m.FetchRaw(ctx, 3, 50); !bytes.Equal(part, raw[:50]) || !cut || err != nil {
				t.Errorf("50 bytes: %q, %v, %v", part, cut, err)
			}
			if whole, cut, err := m.FetchRaw(ctx, 3, int64(len(raw))); !bytes.Equal(whole, raw) || cut || err != nil {
				t.Errorf("exactly all: %d bytes, %v, %v", len(whole), cut, err)
			}
			if metas, err := m.FetchMeta(ctx, []uint32{3}); err != nil || slices.Contains(metas[0].Flags, `\Seen`) {
				t.Errorf("reading marked the letter: %+v, %v", metas, err)
			}
			if err := m.Flag(ctx, 1, "Odd"); err != nil {
				t.Error(err)
			}
			if err := m.Move(ctx, 2, "Processed"); err != nil {
				t.Fatal(err)
			}
			if err := m.Move(ctx, 3, "No such folder"); err == nil && !tt.stays {
				t.Error("moved to nowhere")
			}
			if tt.stays {
				metas, err := m.FetchMeta(ctx, []uint32{2})
				if err != nil || len(metas) != 1 || !slices.Contains(metas[0].Flags, mail.MovedKeyword) {
					t.Errorf("not marked: %+v, %v", metas, err)
				}
			} else {
				if _, _, err := m.FetchRaw(ctx, 2, 100); !errors.Is(err, mail.ErrGone) {
					t.Errorf("fetching what was moved: %v", err)
				}
				if err := m.Move(ctx, 2, "Processed"); !errors.Is(err, mail.ErrGone) {
					t.Errorf("moving what was moved: %v", err)
				}
				if got := uids(t, m, "INBOX"); !slices.Equal(got, []uint32{1, 3}) {
					t.Errorf("left: %v", got)
				}
				if got := uids(t, m, "Processed"); len(got) != 1 {
					t.Errorf("moved: %v", got)
				}
			}
			if heard := r.heard(); !strings.Contains(heard, tt.said) || strings.Contains(heard, tt.never) {
				t.Errorf("the client said\n%s", heard)
			}
		})
	}
}

// TestLettersThatVanish: another client may take a letter away at any time, and
// that is neither our fault nor the letter's.
func TestLettersThatVanish(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user, m, _ := inbox(t, l, lab.IMAP, letter(1), letter(2), letter(3), letter(4))
	other := open(t, lab.IMAP, user)
	uids(t, other, "INBOX")
	for uid := range uint32(3) {
		if err := other.Move(t.Context(), uid+1, "Quarantine"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := m.FetchRaw(t.Context(), 1, 1000); !errors.Is(err, mail.ErrGone) {
		t.Errorf("fetching: %v", err)
	}
	if err := m.Move(t.Context(), 2, "Processed"); !errors.Is(err, mail.ErrGone) {
		t.Errorf("moving: %v", err)
	}
	metas, err := m.FetchMeta(t.Context(), []uint32{3, 4})
	if err != nil || len(metas) != 1 || metas[0].UID != 4 {
		t.Errorf("asking about: %+v, %v", metas, err)
	}
	if raw, _, err := m.FetchRaw(t.Context(), 4, 1000); err != nil || !bytes.HasSuffix(raw, letter(4)) {
		t.Errorf("what is left: %v", err)
	}
}

func TestDovecotWakesWhoWaits(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user, m, _ := inbox(t, l, lab.IMAP)
	for i := range 2 {
		if _, err := m.ListUIDs(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		delivered := make(chan error, 1)
		go func() { delivered <- l.Deliver("a@"+lab.Domain, user+"@"+lab.Domain, letter(1)) }()
		if err := m.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-delivered; err != nil {
			t.Fatal(err)
		}
		if got := uids(t, m, "INBOX"); len(got) != i+1 {
			t.Errorf("%d letters after waking up, want %d", len(got), i+1)
		}
	}
}

// TestKickedConnection: when the server throws us out, whoever waits or asks gets
// an error, and dialling again works.
func TestKickedConnection(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user, m, _ := inbox(t, l, lab.IMAP, letter(1))
	waits := make(chan error, 1)
	go func() { waits <- m.Idle(t.Context()) }()
	l.Doveadm(t, "kick", user)
	err := <-waits
	for err == nil && t.Context().Err() == nil { // kicked before it waited
		err = m.Noop(t.Context())
	}
	if errors.Is(err, mail.ErrGone) || errors.Is(err, mail.ErrWithheld) {
		t.Errorf("%v", err)
	}
	if _, _, err := m.FetchRaw(t.Context(), 1, 1000); err == nil {
		t.Error("the lost connection still answers")
	}
	again := open(t, lab.IMAP, user)
	if got := uids(t, again, "INBOX"); len(got) != 1 {
		t.Errorf("after dialling again: %v", got)
	}
}

func TestUIDValidityChanges(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user, m, before := inbox(t, l, lab.IMAP, letter(1), letter(2))
	if err := m.Move(t.Context(), 1, "Processed"); err != nil {
		t.Fatal(err)
	}
	l.Doveadm(t, "mailbox", "update", "-u", user, "--uid-validity", "1900000000", "INBOX")
	got, err := m.Select(t.Context(), "INBOX")
	if err != nil || got.UIDValidity != 1900000000 || got.UIDValidity == before.UIDValidity || got.Messages != 1 {
		t.Errorf("over the same connection: %+v, %v; before %+v", got, err, before)
	}
	got, err = open(t, lab.IMAP, user).Select(t.Context(), "INBOX")
	if err != nil || got.UIDValidity != 1900000000 || got.Messages != 1 {
		t.Errorf("over a new one: %+v, %v", got, err)
	}
}

// TestOddPartsCostNothing: message/global parts and other oddities, of which a
// BODYSTRUCTURE answer ends a connection, are fetched like all others.
func TestOddPartsCostNothing(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	odd := [][]byte{
		[]byte("From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: message/global\r\n\r\nFrom: jörg@b\r\n\r\nx\r\n"),
		[]byte("From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"\"\"\"\r\n\r\n--\r\n"),
		[]byte("From: \"\\\"\x01 <a@b\r\nContent-Type: text/plain; charset=\"\r\n\r\n\x00\xff\r\n"),
		[]byte("From: a@b\r\n\r\n"),
	}
	_, m, _ := inbox(t, l, lab.IMAP, odd...)
	metas, err := m.FetchMeta(t.Context(), []uint32{1, 2, 3, 4})
	if err != nil || len(metas) != len(odd) {
		t.Fatalf("%+v, %v", metas, err)
	}
	for i, raw := range odd {
		got, cut, err := m.FetchRaw(t.Context(), uint32(i+1), 1000)
		if cut || err != nil || int64(len(got)) != metas[i].Size {
			t.Errorf("letter %d: %v, %v", i+1, cut, err)
		}
		if !bytes.Contains(raw, []byte{0}) && !bytes.HasSuffix(got, raw) {
			t.Errorf("letter %d is other: %q", i+1, got)
		}
	}
}
