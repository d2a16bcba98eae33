package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/go-cmp/cmp"
)

// memoryAccount is an in-process IMAP server with one user and an INBOX.
func memoryAccount(t *testing.T, caps imap.CapSet) (addr string, user *imapmemserver.User) {
	t.Helper()
	user = imapmemserver.NewUser("pbem", "secret")
	if err := user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	mem := imapmemserver.New()
	mem.AddUser(user)
	srv := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps:         caps,
		InsecureAuth: true,
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return ln.Addr().String(), user
}

func withMove() imap.CapSet {
	return imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapUIDPlus: {}, imap.CapMove: {}, imap.CapIdle: {}}
}

func withoutMove() imap.CapSet {
	return imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapUIDPlus: {}, imap.CapIdle: {}}
}

type literal struct {
	*strings.Reader
	size int64
}

func (l literal) Size() int64 { return l.size }

func deliver(t *testing.T, user *imapmemserver.User, raw string) {
	t.Helper()
	_, err := user.Append("INBOX", literal{strings.NewReader(raw), int64(len(raw))}, &imap.AppendOptions{
		Time: time.Date(2026, 3, 3, 20, 14, 7, 0, time.UTC),
	})
	if err != nil {
		t.Error(err)
	}
}

func dial(t *testing.T, config IMAPConfig) Mailbox {
	t.Helper()
	config.TLS, config.User, config.Pass = TLSNone, "pbem", "secret"
	m, err := DialIMAP(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func openInbox(t *testing.T, config IMAPConfig) Mailbox {
	t.Helper()
	m := dial(t, config)
	if _, err := m.Select(t.Context(), "INBOX"); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMailboxFetchesStoresAndMoves(t *testing.T) {
	t.Parallel()
	for name, caps := range map[string]imap.CapSet{"server with MOVE": withMove(), "server without MOVE": withoutMove()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			addr, user := memoryAccount(t, caps)
			m := dial(t, IMAPConfig{Addr: addr})
			if err := m.EnsureFolders(ctx, "INBOX", "Processed", "Quarantine"); err != nil {
				t.Fatal(err)
			}
			if err := m.EnsureFolders(ctx, "Processed"); err != nil {
				t.Fatalf("a second time: %v", err)
			}
			for i := range 3 {
				deliver(t, user, fmt.Sprintf("Subject: %d\r\n\r\nbody %d\r\n", i+1, i+1))
			}
			state, err := m.Select(ctx, "INBOX")
			if err != nil {
				t.Fatal(err)
			}
			if want := (FolderState{UIDValidity: 1, UIDNext: 4, Messages: 3}); state != want {
				t.Errorf("state %+v, want %+v", state, want)
			}
			uids, err := m.ListUIDs(ctx, 2)
			if diff := cmp.Diff([]uint32{2, 3}, uids); diff != "" || err != nil {
				t.Fatalf("uids: %v %s", err, diff)
			}
			metas, err := m.FetchMeta(ctx, []uint32{3, 2, 77})
			want := []Meta{
				{UID: 2, InternalDate: time.Date(2026, 3, 3, 20, 14, 7, 0, time.UTC), Size: 22},
				{UID: 3, InternalDate: time.Date(2026, 3, 3, 20, 14, 7, 0, time.UTC), Size: 22},
			}
			if diff := cmp.Diff(want, metas); diff != "" || err != nil {
				t.Errorf("meta: %v %s", err, diff)
			}
			raw, cut, err := m.FetchRaw(ctx, 2, 1000)
			if string(raw) != "Subject: 2\r\n\r\nbody 2\r\n" || cut || err != nil {
				t.Errorf("raw %q, cut %v, %v", raw, cut, err)
			}
			raw, cut, err = m.FetchRaw(ctx, 2, 9)
			if string(raw) != "Subject: " || !cut || err != nil {
				t.Errorf("raw %q, cut %v, %v; want the first 9 bytes, cut", raw, cut, err)
			}
			if metas, _ := m.FetchMeta(ctx, []uint32{2}); len(metas) != 1 || len(metas[0].Flags) != 0 {
				t.Errorf("fetching changed the flags: %+v", metas)
			}
			if _, _, err := m.FetchRaw(ctx, 77, 1000); !errors.Is(err, ErrGone) {
				t.Errorf("fetching a message that is not there: %v, want ErrGone", err)
			}
			if err := m.Flag(ctx, 2, "Seenbypbem"); err != nil {
				t.Error(err)
			}
			if metas, _ := m.FetchMeta(ctx, []uint32{2}); len(metas) != 1 || !cmp.Equal(metas[0].Flags, []string{"seenbypbem"}) {
				t.Errorf("after Flag: %+v", metas)
			}
			if err := m.Move(ctx, 2, "Processed"); err != nil {
				t.Fatal(err)
			}
			if err := m.Move(ctx, 3, "No such folder"); err == nil {
				t.Error("moving to a folder that is not there: no error")
			}
			if uids, err := m.ListUIDs(ctx, 0); !cmp.Equal(uids, []uint32{1, 3}) || err != nil {
				t.Errorf("left in INBOX: %v, %v", uids, err)
			}
			if state, err := m.Select(ctx, "Processed"); state.Messages != 1 || err != nil {
				t.Errorf("Processed: %+v, %v", state, err)
			}
			if err := m.Noop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMoveOfAVanishedMessageSaysGone(t *testing.T) {
	t.Parallel()
	for name, caps := range map[string]imap.CapSet{"memory server with MOVE": withMove(), "memory server without MOVE": withoutMove()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, _ := memoryAccount(t, caps)
			m := openInbox(t, IMAPConfig{Addr: addr})
			if err := m.EnsureFolders(t.Context(), "Processed"); err != nil {
				t.Fatal(err)
			}
			if err := m.Move(t.Context(), 5, "Processed"); !errors.Is(err, ErrGone) {
				t.Errorf("%v, want ErrGone", err)
			}
			if err := m.Noop(t.Context()); err != nil {
				t.Errorf("the connection did not survive: %v", err)
			}
		})
	}
	addr := scriptedServer(t, "IMAP4rev1 MOVE UIDPLUS", map[string]string{
		"UID FETCH": "* 5 FETCH (UID 5 FLAGS ())\nTAG OK done",
		"UID MOVE":  "TAG OK done",
	})
	m := openInbox(t, IMAPConfig{Addr: addr})
	if err := m.Move(t.Context(), 5, "Processed"); !errors.Is(err, ErrGone) {
		t.Errorf("%v, want ErrGone", err)
	}
	if err := m.Noop(t.Context()); err != nil {
		t.Errorf("the connection did not survive: %v", err)
	}
}

func TestMoveWithoutMoveOrUIDPLUSOnlyMarks(t *testing.T) {
	t.Parallel()
	addr, user := memoryAccount(t, imap.CapSet{imap.CapIMAP4rev1: {}})
	deliver(t, user, "Subject: x\r\n\r\ny\r\n")
	m := openInbox(t, IMAPConfig{Addr: addr})
	if err := m.Move(t.Context(), 1, "Processed"); err != nil {
		t.Fatal(err)
	}
	metas, err := m.FetchMeta(t.Context(), []uint32{1})
	if err != nil || len(metas) != 1 || !strings.EqualFold(strings.Join(metas[0].Flags, " "), MovedKeyword) {
		t.Errorf("%+v, %v; want the message marked in its place", metas, err)
	}
}

func TestRefusedCopyDeletesNothing(t *testing.T) {
	t.Parallel()
	addr, user := memoryAccount(t, withoutMove())
	deliver(t, user, "Subject: x\r\n\r\ny\r\n")
	m := openInbox(t, IMAPConfig{Addr: addr})
	if err := m.Move(t.Context(), 1, "No such folder"); err == nil {
		t.Fatal("no error")
	}
	metas, err := m.FetchMeta(t.Context(), []uint32{1})
	if err != nil || len(metas) != 1 || len(metas[0].Flags) != 0 {
		t.Errorf("%+v, %v; want the message untouched", metas, err)
	}
}

func TestIdleReturnsOnNewMail(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1 IDLE", map[string]string{"IDLE": "+ idling\n* 4 EXISTS", "DONE": "TAG OK done"})
	m := openInbox(t, IMAPConfig{Addr: addr})
	if err := m.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.Noop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestIdleReturnsOnTheEndOfItsContextAndKeepsTheConnection(t *testing.T) {
	t.Parallel()
	addr, _ := memoryAccount(t, withMove())
	m := openInbox(t, IMAPConfig{Addr: addr})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Idle(ctx); err != nil {
		t.Errorf("the end of the context: %v", err)
	}
	if err := m.Noop(t.Context()); err != nil {
		t.Errorf("the connection did not survive: %v", err)
	}
}

func TestIdleEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	for name, caps := range map[string]imap.CapSet{"with IDLE": withMove(), "without IDLE": {imap.CapIMAP4rev1: {}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, _ := memoryAccount(t, caps)
			m := openInbox(t, IMAPConfig{Addr: addr, IdleTime: time.Millisecond})
			if err := m.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := m.Noop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongPasswordIsAnError(t *testing.T) {
	t.Parallel()
	addr, _ := memoryAccount(t, withMove())
	_, err := DialIMAP(t.Context(), IMAPConfig{Addr: addr, TLS: TLSNone, User: "pbem", Pass: "wrong"})
	if _, ok := errors.AsType[*imap.Error](err); !ok {
		t.Errorf("%v, want the server's answer", err)
	}
}

// scriptedServer is an IMAP server that answers the commands that begin with
// one of the keys with the text, "TAG" being the command's tag; log-in and
// SELECT are answered as well, and so is NOOP if it is no key. An answer that
// ends in "CLOSE" ends the connection, "SILENCE" leaves the client waiting.
func scriptedServer(t *testing.T, caps string, answers map[string]string) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	all := map[string]string{
		"LOGIN":      "TAG OK [CAPABILITY " + caps + "] in",
		"CAPABILITY": "* CAPABILITY " + caps + "\nTAG OK done",
		"SELECT":     "* 3 EXISTS\n* OK [UIDVALIDITY 9] v\n* OK [UIDNEXT 813] n\nTAG OK [READ-WRITE] selected",
		"NOOP":       "TAG OK done",
	}
	for k, v := range answers {
		all[k] = v
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go serveScript(conn, caps, all)
		}
	}()
	return ln.Addr().String()
}

func serveScript(conn net.Conn, caps string, answers map[string]string) {
	defer conn.Close()
	fmt.Fprintf(conn, "* OK [CAPABILITY %s] hello\r\n", caps)
	last := ""
	for in := bufio.NewScanner(conn); in.Scan(); {
		tag, command, _ := strings.Cut(in.Text(), " ")
		if tag == "DONE" {
			tag, command = last, "DONE"
		}
		last = tag
		answer := tag + " BAD unexpected"
		for k, v := range answers {
			if strings.HasPrefix(command, k) {
				answer = strings.ReplaceAll(v, "TAG", tag)
			}
		}
		answer = strings.ReplaceAll(answer, "\n", "\r\n")
		if text, ok := strings.CutSuffix(answer, "CLOSE"); ok {
			fmt.Fprint(conn, text)
			return
		}
		if text, ok := strings.CutSuffix(answer, "SILENCE"); ok {
			fmt.Fprint(conn, text)
			continue
		}
		fmt.Fprint(conn, answer+"\r\n")
	}
}

func TestSearchDropsTheLastUIDBelowTheRange(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID SEARCH": "* SEARCH 812\nTAG OK done"})
	m := openInbox(t, IMAPConfig{Addr: addr})
	uids, err := m.ListUIDs(t.Context(), 813)
	if len(uids) != 0 || err != nil {
		t.Errorf("%v, %v; want none", uids, err)
	}
}

func TestDuplicateFetchLineIsNotASecondMessage(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{
		"UID FETCH 16 (UID BODY": "* 15 FETCH (UID 16 BODY[]<0> {5}\nhello FLAGS (\\Seen))\n* 15 FETCH (UID 16 FLAGS (\\Seen))\nTAG OK Success",
		"UID FETCH 16 (UID FLAGS": "* 15 FETCH (UID 16 RFC822.SIZE 5754 INTERNALDATE \"03-Mar-2026 20:14:07 +0000\" FLAGS (\\Seen))\n" +
			"* 15 FETCH (UID 16 FLAGS (\\Seen))\nTAG OK Success",
	})
	m := openInbox(t, IMAPConfig{Addr: addr})
	raw, cut, err := m.FetchRaw(t.Context(), 16, 100)
	if string(raw) != "hello" || cut || err != nil {
		t.Errorf("%q, %v, %v", raw, cut, err)
	}
	if err := m.Noop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMetaOfOneMessageInTwoLinesIsMerged(t *testing.T) {
	t.Parallel()
	items := "* 15 FETCH (UID 16 RFC822.SIZE 5754 INTERNALDATE \"03-Mar-2026 20:14:07 +0000\" FLAGS ())\n" +
		"* 15 FETCH (UID 16 FLAGS (\\Seen))\nTAG OK Success"
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID FETCH": items})
	m := openInbox(t, IMAPConfig{Addr: addr})
	metas, err := m.FetchMeta(t.Context(), []uint32{16})
	if err != nil || len(metas) != 1 || metas[0].Size != 5754 || metas[0].InternalDate.IsZero() {
		t.Errorf("%+v, %v", metas, err)
	}
}

func TestCutLiteralIsAnErrorAndEndsTheConnection(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID FETCH": "* 15 FETCH (UID 16 BODY[]<0> {500}\nhello CLOSE"})
	m := openInbox(t, IMAPConfig{Addr: addr})
	raw, _, err := m.FetchRaw(t.Context(), 16, 1000)
	if err == nil || raw != nil {
		t.Fatalf("%q, %v; want an error", raw, err)
	}
	if err := m.Noop(t.Context()); err == nil {
		t.Error("the lost connection still answers")
	}
}

func TestServerThatSendsMoreThanAskedForIsCutOff(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{
		"UID FETCH": "* 15 FETCH (UID 16 BODY[] {5000}\n" + strings.Repeat("x", 5000) + ")\nTAG OK done",
	})
	m := openInbox(t, IMAPConfig{Addr: addr})
	if _, _, err := m.FetchRaw(t.Context(), 16, 100); err == nil {
		t.Error("no error")
	}
}

func TestSilentServerEndsEveryCommand(t *testing.T) {
	t.Parallel()
	short := 20 * time.Millisecond
	commands := map[string]func(context.Context, Mailbox) error{
		"NOOP": func(ctx context.Context, m Mailbox) error { return m.Noop(ctx) },
		"UID SEARCH": func(ctx context.Context, m Mailbox) error {
			_, err := m.ListUIDs(ctx, 1)
			return err
		},
		"UID FETCH": func(ctx context.Context, m Mailbox) error {
			_, _, err := m.FetchRaw(ctx, 1, 100)
			return err
		},
		"IDLE": func(ctx context.Context, m Mailbox) error { return m.Idle(ctx) },
	}
	for name, run := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := scriptedServer(t, "IMAP4rev1 IDLE", map[string]string{name: "SILENCE"})
			m := openInbox(t, IMAPConfig{Addr: addr, CommandTimeout: time.Second, BodyTimeout: short})
			m.(*imapMailbox).config.CommandTimeout = short
			if err := run(t.Context(), m); err == nil {
				t.Error("no error")
			}
			if err := m.Noop(t.Context()); err == nil {
				t.Error("the lost connection still answers")
			}
		})
	}
	t.Run("inside a literal", func(t *testing.T) {
		t.Parallel()
		addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID FETCH": "* 1 FETCH (UID 1 BODY[]<0> {90}\nhelloSILENCE"})
		m := openInbox(t, IMAPConfig{Addr: addr, BodyTimeout: short})
		if _, _, err := m.FetchRaw(t.Context(), 1, 100); err == nil {
			t.Error("no error")
		}
	})
	t.Run("after IDLE was granted", func(t *testing.T) {
		t.Parallel()
		addr := scriptedServer(t, "IMAP4rev1 IDLE", map[string]string{"IDLE": "+ idling\nSILENCE", "DONE": "SILENCE"})
		m := openInbox(t, IMAPConfig{Addr: addr, IdleTime: time.Millisecond})
		m.(*imapMailbox).config.CommandTimeout = short
		if err := m.Idle(t.Context()); err == nil {
			t.Error("no error")
		}
	})
}

func TestMessageThatTheServerDoesNotGive(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer         string
		withheld, lost bool
	}{
		"refused":                {"TAG NO [SERVERBUG] index is corrupt", true, false},
		"refused without a code": {"TAG NO cannot", true, false},
		"no text":                {"* 1 FETCH (UID 1 BODY[]<0> NIL)\nTAG OK done", true, false},
		"an empty text":          {"* 1 FETCH (UID 1 BODY[]<0> {0}\n)\nTAG OK done", true, false},
		"the store is down":      {"TAG NO [UNAVAILABLE] try later", false, false},
		"mailbox is in use":      {"TAG NO [INUSE] try later", false, false},
		"connection lost":        {"* 1 FETCH (UID 1 BODY[]<0> {90}\nhelloCLOSE", false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID FETCH": tt.answer})
			m := openInbox(t, IMAPConfig{Addr: addr})
			_, _, err := m.FetchRaw(t.Context(), 1, 100)
			if err == nil || errors.Is(err, ErrWithheld) != tt.withheld {
				t.Errorf("%v, withheld should be %v", err, tt.withheld)
			}
			if err := m.Noop(t.Context()); (err != nil) != tt.lost {
				t.Errorf("afterwards: %v, lost should be %v", err, tt.lost)
			}
		})
	}
}

func TestMessageThatAnotherClientTookIsGone(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID FETCH": "TAG NO [EXPUNGEISSUED] it is no more"})
	m := openInbox(t, IMAPConfig{Addr: addr})
	if _, _, err := m.FetchRaw(t.Context(), 1, 100); !errors.Is(err, ErrGone) {
		t.Errorf("%v, want ErrGone", err)
	}
	if err := m.Noop(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestEndOfTheContextEndsACommand(t *testing.T) {
	t.Parallel()
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID SEARCH": "SILENCE"})
	m := openInbox(t, IMAPConfig{Addr: addr})
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := m.ListUIDs(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}
