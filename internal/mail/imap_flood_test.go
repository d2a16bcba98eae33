package mail

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// floodServer is an IMAP server that answers the command that begins with the
// key by begin, and then by more, for ever. said counts what it got rid of.
func floodServer(t *testing.T, key, begin, more string) (addr string, said *atomic.Int64) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	said = &atomic.Int64{}
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		flood := func() {
			io.WriteString(conn, begin)
			chunk := strings.Repeat(more, 1+4096/len(more))
			for {
				n, err := io.WriteString(conn, chunk)
				said.Add(int64(n))
				if err != nil {
					return
				}
			}
		}
		if key == "" {
			flood()
			return
		}
		io.WriteString(conn, "* OK [CAPABILITY IMAP4rev1 IDLE] hello\r\n")
		for in := bufio.NewScanner(conn); in.Scan(); {
			tag, command, _ := strings.Cut(in.Text(), " ")
			switch {
			case strings.HasPrefix(command, key):
				flood()
				return
			case strings.HasPrefix(command, "LOGIN"):
				fmt.Fprintf(conn, "%s OK [CAPABILITY IMAP4rev1 IDLE] in\r\n", tag)
			default:
				fmt.Fprintf(conn, "%s OK done\r\n", tag)
			}
		}
	}()
	return ln.Addr().String(), said
}

// TestServerThatNeverStopsTalkingIsCutOff: however a server floods us, the
// command ends with an error after a bounded number of bytes.
func TestServerThatNeverStopsTalkingIsCutOff(t *testing.T) {
	t.Parallel()
	noop := func(ctx context.Context, m Mailbox) error { return m.Noop(ctx) }
	search := func(ctx context.Context, m Mailbox) error { _, err := m.ListUIDs(ctx, 1); return err }
	meta := func(ctx context.Context, m Mailbox) error { _, err := m.FetchMeta(ctx, []uint32{1, 2}); return err }
	text := func(ctx context.Context, m Mailbox) error { _, _, err := m.FetchRaw(ctx, 1, 1000); return err }
	idle := func(ctx context.Context, m Mailbox) error { return m.Idle(ctx) }
	const few = 20_000 // bytes and UIDs, instead of a million: the race detector is slow
	tests := map[string]struct {
		key, begin, more string
		run              func(context.Context, Mailbox) error
		bound            int64
	}{
		"greeting without end":      {"", "* OK ", "x", nil, briefBytes},
		"capabilities without end":  {"LOGIN", "* CAPABILITY", " X", nil, briefBytes},
		"line without end":          {"NOOP", "* OK ", "x", noop, few},
		"news without end":          {"NOOP", "", "* 7 EXISTS\r\n", noop, few},
		"literal nobody asked for":  {"NOOP", "* 1 FETCH (UID 1 BODY[] {1073741824}\r\n", "x", noop, few},
		"search without end":        {"UID SEARCH", "* SEARCH", " 7", search, few + 12*few},
		"number without end":        {"UID SEARCH", "* SEARCH ", "7", search, few + 12*few},
		"searches without end":      {"UID SEARCH", "", "* SEARCH 7\r\n", search, few + 12*few},
		"flags without end":         {"UID FETCH", "* 1 FETCH (UID 1 FLAGS (a", " b", meta, few + 2*metaBytes},
		"messages without end":      {"UID FETCH", "", "* 1 FETCH (UID 1)\r\n* 2 FETCH (UID 99)\r\n", meta, few + 2*metaBytes},
		"literal among the flags":   {"UID FETCH", "* 1 FETCH (UID 1 BODY[] {1073741824}\r\n", "x", meta, few + 2*metaBytes},
		"text in quotes":            {"UID FETCH", "* 1 FETCH (UID 1 BODY[]<0> \"", "x", text, few + 1125},
		"text over and over":        {"UID FETCH", "* 1 FETCH (UID 1 BODY[]<0> {5}\r\nhello", " BODY[]<0> {5}\r\nhello", text, few + 1125},
		"text of another message":   {"UID FETCH", "", "* 2 FETCH (UID 2 BODY[]<0> {5}\r\nhello)\r\n", text, few + 1125},
		"news while we wait":        {"IDLE", "+ idling\r\n* 1 FETCH (FLAGS (a", " b", idle, few},
		"continuations without end": {"NOOP", "", "+ go on\r\n", noop, few},
	}
	const buffers = 12 << 20 // what the two ends of a connection may hold
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, said := floodServer(t, tt.key, tt.begin, tt.more)
			config := IMAPConfig{Addr: addr, TLS: TLSNone, User: "pbem", Pass: "secret", IdleTime: time.Minute}
			m, err := DialIMAP(t.Context(), config)
			if err == nil {
				defer m.Close()
				if tt.run == nil {
					t.Fatal("logged in")
				}
				m.(*imapMailbox).briefBytes, m.(*imapMailbox).maxUIDs = few, few
				if err = tt.run(t.Context(), m); m.Noop(t.Context()) == nil {
					t.Error("the lost connection still answers")
				}
			}
			if err == nil {
				t.Error("no error")
			}
			if n := said.Load(); n > tt.bound+buffers {
				t.Errorf("%d bytes were taken, want at most about %d", n, tt.bound)
			}
		})
	}
}

// TestManyUIDsAreNoFlood: as many messages as we take are listed.
func TestManyUIDsAreNoFlood(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	const n = 100_000 // more bytes than any other answer may have
	for i := range n {
		fmt.Fprintf(&list, " %d", 4_000_000_000+2*i)
	}
	addr := scriptedServer(t, "IMAP4rev1", map[string]string{"UID SEARCH": "* SEARCH" + list.String() + "\nTAG OK done"})
	uids, err := openInbox(t, IMAPConfig{Addr: addr}).ListUIDs(t.Context(), 1)
	if len(uids) != n || err != nil {
		t.Errorf("%d, %v", len(uids), err)
	}
	addr = scriptedServer(t, "IMAP4rev1", map[string]string{"UID SEARCH": "* ESEARCH (TAG \"TAG\") UID ALL 1:4294967295\nTAG OK done"})
	if uids, err := openInbox(t, IMAPConfig{Addr: addr}).ListUIDs(t.Context(), 1); err == nil {
		t.Errorf("four milliards of messages are taken for %d", len(uids))
	}
}

// TestNewsBetweenCommandsAreCounted: what a server says unasked counts against
// the last command, however long ago it was.
func TestNewsBetweenCommandsAreCounted(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	conn := &watchedConn{}
	conn.Conn = near
	conn.arm(time.Minute, 10)
	conn.disarm()
	go func() {
		io.WriteString(far, "12345678901234567890")
		far.Close()
	}()
	got, err := io.ReadAll(conn)
	if string(got) != "1234567890" || err != errFlood {
		t.Errorf("%q, %v", got, err)
	}
	conn.arm(time.Minute, 100)
	if got, err := io.ReadAll(conn); string(got) != "1234567890" || err != nil {
		t.Errorf("with a new allowance: %q, %v", got, err)
	}
}
