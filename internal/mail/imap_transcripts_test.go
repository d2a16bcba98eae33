package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// conversationServer plays a server's part of testdata/imap/FILE.txt to one
// client, and fails the test if the client says anything else than its own part.
func conversationServer(t *testing.T, file string) (addr string) {
	t.Helper()
	const caps = "IMAP4rev1 IDLE UIDPLUS"
	var lines []string
	for line := range strings.Lines(string(readFile(t, "testdata/imap/"+file+".txt"))) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	lines = slices.Concat([]string{
		"S: * OK [CAPABILITY " + caps + "] hello", `C: TAG LOGIN "pbem" "secret"`, "S: TAG OK [CAPABILITY " + caps + "] in",
	}, lines)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { ln.Close(); <-done })
	go func() {
		defer close(done)
		if conn, err := ln.Accept(); err == nil {
			defer conn.Close()
			if err := converse(conn, lines); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}()
	return ln.Addr().String()
}

func converse(conn net.Conn, lines []string) error {
	in := bufio.NewScanner(conn)
	tag := ""
	for _, line := range lines {
		if answer, ok := strings.CutPrefix(line, "S: "); ok {
			fmt.Fprint(conn, strings.Replace(answer, "TAG", tag, 1)+"\r\n")
			continue
		}
		if line == "..." {
			io.Copy(io.Discard, conn)
			return nil
		}
		if !in.Scan() {
			return fmt.Errorf("the client left before %q", line)
		}
		said := in.Text()
		if strings.HasPrefix(line, "C: TAG ") {
			tag, said, _ = strings.Cut(said, " ")
			said = "TAG " + said
		}
		if !slices.Equal(wordsOf("C: "+said), wordsOf(line)) {
			return fmt.Errorf("the client said %q, want %q", said, line)
		}
	}
	if in.Scan() {
		return fmt.Errorf("the client went on with %q", in.Text())
	}
	return nil
}

// wordsOf are the words of a command, sorted: the library asks for the items of a
// message in any order.
func wordsOf(line string) []string {
	ws := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ()", r) })
	slices.Sort(ws)
	return ws
}

// TestConversationsOfTheBugList: in the protocol situations of the bug list the
// client says what it should, and makes of the answers what it should.
func TestConversationsOfTheBugList(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 3, 20, 14, 7, 0, time.UTC)
	meta := func(ctx context.Context, t *testing.T, m Mailbox, uids []uint32, want ...Meta) {
		t.Helper()
		got, err := m.FetchMeta(ctx, uids)
		for i := range got {
			got[i].InternalDate = got[i].InternalDate.UTC()
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("meta: %v %s", err, diff)
		}
	}
	text := func(ctx context.Context, t *testing.T, m Mailbox, uid uint32, want string) {
		t.Helper()
		if raw, cut, err := m.FetchRaw(ctx, uid, 100); string(raw) != want || cut || err != nil {
			t.Errorf("text: %q, %v, %v; want %q", raw, cut, err, want)
		}
	}
	list := func(ctx context.Context, t *testing.T, m Mailbox, from uint32, want ...uint32) {
		t.Helper()
		if got, err := m.ListUIDs(ctx, from); !slices.Equal(got, want) || err != nil {
			t.Errorf("listed %v, %v; want %v", got, err, want)
		}
	}
	for file, run := range map[string]func(context.Context, *testing.T, Mailbox){
		"44-bodystructure-is-never-asked-for": func(ctx context.Context, t *testing.T, m Mailbox) {
			meta(ctx, t, m, []uint32{7, 8, 9}, Meta{UID: 7, InternalDate: at, Size: 31},
				Meta{UID: 8, Flags: []string{"\\Seen"}, InternalDate: at.Add(time.Second), Size: 5}) // 9 has vanished
			text(ctx, t, m, 7, "Content-Type: text/plain \"\"\"\"\r\n")
		},
		"44-bodystructure-unasked": func(ctx context.Context, t *testing.T, m Mailbox) {
			if _, err := m.FetchMeta(ctx, []uint32{7, 8, 9}); err == nil || errors.Is(err, ErrGone) {
				t.Errorf("%v, want a lost connection", err)
			}
			if err := m.Noop(ctx); err == nil {
				t.Error("the lost connection still answers")
			}
		},
		"45-idle-goes-deaf": func(ctx context.Context, t *testing.T, m Mailbox) {
			m.(*imapMailbox).config.CommandTimeout = 20 * time.Millisecond
			if err := m.Idle(ctx); err == nil {
				t.Error("the deaf connection goes unnoticed")
			}
			if err := m.Noop(ctx); err == nil {
				t.Error("the lost connection still answers")
			}
		},
		"46-uidvalidity-and-uidnext-rewind": func(ctx context.Context, t *testing.T, m Mailbox) {
			for _, want := range []FolderState{{1795982147, 4, 3}, {1900000000, 4, 3}} {
				if got, err := m.Select(ctx, "INBOX"); got != want || err != nil {
					t.Errorf("%+v, %v; want %+v", got, err, want)
				}
			}
		},
		"47-duplicate-fetch-lines": func(ctx context.Context, t *testing.T, m Mailbox) {
			meta(ctx, t, m, []uint32{16}, Meta{UID: 16, Flags: []string{"\\Seen"}, InternalDate: at, Size: 5})
			text(ctx, t, m, 16, "hello")
		},
		"47-flag-update-before-the-message": func(ctx context.Context, t *testing.T, m Mailbox) {
			meta(ctx, t, m, []uint32{16}, Meta{UID: 16, Flags: []string{"\\Seen"}, InternalDate: at, Size: 5})
			text(ctx, t, m, 16, "hello")
		},
		"48-expunge-shifts-sequence-numbers": func(ctx context.Context, t *testing.T, m Mailbox) {
			for uid := range uint32(2) {
				if err := m.Move(ctx, uid+1, "Processed"); err != nil {
					t.Error(err)
				}
			}
		},
		"49-star-range-returns-last": func(ctx context.Context, t *testing.T, m Mailbox) { list(ctx, t, m, 813) },
		"50-seen-flag-loses-mail": func(ctx context.Context, t *testing.T, m Mailbox) {
			list(ctx, t, m, 7, 7)
			text(ctx, t, m, 7, "hello")
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			m := openInbox(t, IMAPConfig{Addr: conversationServer(t, file), IdleTime: time.Millisecond})
			run(t.Context(), t, m)
			m.Close()
		})
	}
}

// commands are all that a mailbox can be asked, by what goes over the wire.
func mailboxCommands() map[string]func(context.Context, Mailbox) error {
	return map[string]func(context.Context, Mailbox) error{
		"SELECT":     func(ctx context.Context, m Mailbox) error { _, err := m.Select(ctx, "INBOX"); return err },
		"UID SEARCH": func(ctx context.Context, m Mailbox) error { _, err := m.ListUIDs(ctx, 1); return err },
		"UID FETCH":  func(ctx context.Context, m Mailbox) error { _, err := m.FetchMeta(ctx, []uint32{1}); return err },
		"UID MOVE":   func(ctx context.Context, m Mailbox) error { return m.Move(ctx, 1, "Processed") },
		"UID STORE":  func(ctx context.Context, m Mailbox) error { return m.Flag(ctx, 1, "X") },
		"CREATE":     func(ctx context.Context, m Mailbox) error { return m.EnsureFolders(ctx, "Processed") },
		"IDLE":       func(ctx context.Context, m Mailbox) error { return m.Idle(ctx) },
		"NOOP":       func(ctx context.Context, m Mailbox) error { return m.Noop(ctx) },
	}
}

// TestAnswersThatRefuse: NO and BAD are errors of the command, and the connection
// goes on; BYE, an unknown tag and an end in mid-answer are its end.
func TestAnswersThatRefuse(t *testing.T) {
	t.Parallel()
	answers := map[string]bool{ // whether the connection is lost
		"TAG NO [UNAVAILABLE] later":             false,
		"TAG BAD what":                           false,
		"* NO thinking\nTAG NO":                  false,
		"* BYE shutting down\nCLOSE":             true,
		"* OK wait\n* BYE idle too long\nCLOSE":  true,
		"CLOSE":                                  true,
		"* 3 EXIS CLOSE":                         true,
		"NOTAG OK done":                          true,
		"* 1 FETCH (UID one)\nTAG OK done":       true,
		"* 99999999999999 EXISTS\nTAG OK done":   true,
		"\x00\xff\x01\nTAG OK done":              true,
		"+ go on\nTAG OK done":                   true,
		"TAG PERHAPS":                            true,
		"* STATUS (((((((((((((\nTAG OK done":    true,
		"* LIST (\\Noselect) NIL\nTAG OK done":   true,
		"* 1 FETCH (UID 1 BODY[] {-1}\nTAG OK x": true,
	}
	for name, run := range mailboxCommands() {
		for answer, lost := range answers {
			if name == "IDLE" && strings.HasPrefix(answer, "+") {
				continue // that is what IDLE waits for
			}
			t.Run(fmt.Sprintf("%s %.20q", name, answer), func(t *testing.T) {
				t.Parallel()
				script := map[string]string{
					"UID FETCH 1 (UID FLAGS)": "* 1 FETCH (UID 1 FLAGS ())\nTAG OK done", // before a move
					"STATUS":                  "TAG NO none",
				}
				script[name] = answer
				addr := scriptedServer(t, "IMAP4rev1 IDLE MOVE UIDPLUS", script)
				m := dial(t, IMAPConfig{Addr: addr})
				if name != "SELECT" {
					if _, err := m.Select(t.Context(), "INBOX"); err != nil {
						t.Fatal(err)
					}
				}
				if err := run(t.Context(), m); err == nil {
					t.Error("no error")
				}
				if name == "NOOP" && !lost {
					return // the same answer again
				}
				if err := m.Noop(t.Context()); (err != nil) != lost {
					t.Errorf("afterwards: %v; lost should be %v", err, lost)
				}
			})
		}
	}
}
