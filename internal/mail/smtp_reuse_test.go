package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/emersion/go-smtp"
)

// countedListener counts the connections that it accepted, and can cut them all.
type countedListener struct {
	net.Listener
	n     atomic.Int64
	mu    sync.Mutex
	conns []net.Conn
}

func (l *countedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.n.Add(1)
		l.mu.Lock()
		l.conns = append(l.conns, conn)
		l.mu.Unlock()
	}
	return conn, err
}

// cut ends all connections, after some last words.
func (l *countedListener) cut(words string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		fmt.Fprint(conn, words)
		conn.Close()
	}
	l.conns = nil
}

func countedServer(t *testing.T) (s *SMTP, b *smtpBackend, ln *countedListener) {
	t.Helper()
	b = &smtpBackend{}
	srv := smtp.NewServer(b)
	srv.AllowInsecureAuth = true
	ln = &countedListener{Listener: listen(t, nil)}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	s = &SMTP{Addr: ln.Addr().String(), TLS: TLSNone, User: "pbem", Pass: "secret"}
	t.Cleanup(func() { s.Close() })
	return s, b, ln
}

func TestConnectionIsKeptForTheNextMail(t *testing.T) {
	t.Parallel()
	s, b, ln := countedServer(t)
	for range maxMails + 1 {
		if err := s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	if n := ln.n.Load(); n != 2 || len(b.mail) != maxMails+1 {
		t.Errorf("%d connections for %d mails; want 2, for one takes %d", n, len(b.mail), maxMails)
	}
	s.Close()
	for range 2 {
		if err := s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	if n := ln.n.Load(); n != 4 {
		t.Errorf("%d connections; want one for each mail after Close", n-2)
	}
}

// TestKeptConnectionChangesNoError: a fault is the same over a connection that
// already took a mail, and the next mail goes out all the same.
func TestKeptConnectionChangesNoError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to, raw                string
		stage                        Stage
		code                         int
		temporary, ours, unreachable bool
	}{
		{"busy@b", "c@d", "", StageMail, 451, true, true, false},
		{"a@b", "unknown@d", "", StageRcpt, 550, false, false, true},
		{"a@b", "policy@d", "", StageRcpt, 550, false, false, false},
		{"a@b", "grey@d", "", StageRcpt, 450, true, false, false},
		{"a@b", "jörg@d", "", StageRcpt, 553, false, false, false},
		{"a@b", "c@d", "spam\r\n", StageData, 554, false, false, false},
	} {
		t.Run(tt.from+" "+tt.to+" "+tt.raw, func(t *testing.T) {
			t.Parallel()
			s, b, _ := countedServer(t)
			for range 2 {
				if err := s.Send(t.Context(), "a@b", "c@d", []byte("good\r\n")); err != nil {
					t.Fatal(err)
				}
				e, ok := errors.AsType[*SendError](s.Send(t.Context(), tt.from, tt.to, []byte(tt.raw)))
				if !ok || e.Stage != tt.stage || e.Code != tt.code || e.Temporary() != tt.temporary || e.Ours() != tt.ours || e.Unreachable() != tt.unreachable {
					t.Errorf("%v", e)
				}
			}
			if err := s.Send(t.Context(), "a@b", "c@d", []byte("good\r\n")); err != nil || len(b.mail) != 3 {
				t.Errorf("afterwards: %v, %d mails", err, len(b.mail))
			}
		})
	}
}

// TestStaleConnectionIsReplaced: a server that ended the session meanwhile is
// asked again over a new one, and gets each mail once.
func TestStaleConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{
		"silently":      "",
		"with a word":   "421 4.4.2 idle for too long\r\n",
		"with half":     "421 4.4",
		"with nonsense": "\x00\xff\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b, ln := countedServer(t)
			for i := range 3 {
				if err := s.Send(t.Context(), "a@b", "c@d", fmt.Appendf(nil, "%d\r\n", i)); err != nil {
					t.Fatal(err)
				}
				ln.cut(words)
			}
			if want := []string{"a@b c@d 0\r\n", "a@b c@d 1\r\n", "a@b c@d 2\r\n"}; !slices.Equal(b.mail, want) || ln.n.Load() != 3 {
				t.Errorf("%q over %d connections", b.mail, ln.n.Load())
			}
		})
	}
}

// TestConnectionLostInAMailIsNotTriedAgain: whatever goes wrong once MAIL was
// taken, the mail is the caller's to send again; after DATA it may have been taken.
func TestConnectionLostInAMailIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]Stage{"RCPT": StageRcpt, "DATA": StageData, ".": StageData} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			ln := &countedListener{Listener: listen(t, nil)}
			defer ln.Close()
			var first atomic.Bool
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					go serveSMTP(conn, func(line string) bool { return strings.HasPrefix(line, command) && first.Swap(true) })
				}
			}()
			s := &SMTP{Addr: ln.Addr().String(), TLS: TLSNone}
			defer s.Close()
			if err := s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n")); err != nil {
				t.Fatal(err)
			}
			e, ok := errors.AsType[*SendError](s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n")))
			if !ok || e.Stage != want || e.Code != 0 || !e.Temporary() || e.Ours() || e.Unreachable() || ln.n.Load() != 1 {
				t.Errorf("%v over %d connections", e, ln.n.Load())
			}
		})
	}
}

// serveSMTP says yes to everything, until it hears the line that makes it hang up.
func serveSMTP(conn net.Conn, hangUp func(line string) bool) {
	defer conn.Close()
	fmt.Fprint(conn, "220 hello\r\n")
	data := false
	for in := bufio.NewScanner(conn); in.Scan(); {
		line := in.Text()
		if (!data || line == ".") && hangUp(line) {
			return
		}
		switch {
		case data && line != ".":
		case line == "DATA":
			data = true
			fmt.Fprint(conn, "354 go on\r\n")
		default:
			data = false
			fmt.Fprint(conn, "250 yes\r\n")
		}
	}
}

func TestManyMailsAtATime(t *testing.T) {
	t.Parallel()
	s, b, ln := countedServer(t)
	var wg sync.WaitGroup
	const senders, each = 20, 20
	for i := range senders {
		wg.Go(func() {
			for j := range each {
				if err := s.Send(t.Context(), "a@b", "c@d", fmt.Appendf(nil, "%d %d\r\n", i, j)); err != nil {
					t.Error(err)
				}
				if j == each/2 && i == 0 {
					ln.cut("") // some of them in a mail: these are told so
				}
			}
		})
		if i == 0 {
			wg.Wait() // so that nobody else is in a mail
		}
	}
	wg.Wait()
	slices.Sort(b.mail)
	if n := len(slices.Compact(b.mail)); n != senders*each || len(b.mail) != n {
		t.Errorf("%d mails, %d of them different, want %d", len(b.mail), n, senders*each)
	}
	if n := len(s.idle.conns); n > maxIdle || n == 0 {
		t.Errorf("%d connections are kept", n)
	}
	if n := ln.n.Load(); n >= senders*each/2 {
		t.Errorf("%d connections for %d mails", n, senders*each)
	}
}

func TestEndOfTheContextEndsAKeptConnection(t *testing.T) {
	t.Parallel()
	ln := &countedListener{Listener: listen(t, nil)}
	defer ln.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var second atomic.Bool
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go serveSMTP(conn, func(line string) bool {
				if strings.HasPrefix(line, "MAIL") && second.Swap(true) {
					cancel()
					<-t.Context().Done() // says nothing more
				}
				return false
			})
		}
	}()
	s := &SMTP{Addr: ln.Addr().String(), TLS: TLSNone}
	defer s.Close()
	if err := s.Send(ctx, "a@b", "c@d", []byte("x\r\n")); err != nil {
		t.Fatal(err)
	}
	err := s.Send(ctx, "a@b", "c@d", []byte("x\r\n"))
	if !errors.Is(err, context.Canceled) || ln.n.Load() != 1 || len(s.idle.conns) != 0 {
		t.Errorf("%v over %d connections, %d kept", err, ln.n.Load(), len(s.idle.conns))
	}
}

// TestKeptConnectionExpires: after half a minute a session is ended with a
// goodbye, whether the server answers that or not.
func TestKeptConnectionExpires(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]bool{"server answers": true, "server is silent": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				heard := make(chan []string, 1)
				go func() {
					var lines []string
					fmt.Fprint(far, "220 hello\r\n")
					for in := bufio.NewScanner(far); in.Scan(); {
						lines = append(lines, in.Text())
						switch {
						case in.Text() != "QUIT":
							fmt.Fprint(far, "250 hello\r\n")
						case answers:
							fmt.Fprint(far, "221 bye\r\n")
						}
					}
					heard <- lines
				}()
				c := &smtpConn{conn: &meteredConn{Conn: near}}
				c.conn.allow(maxSMTPAnswers)
				c.client = smtp.NewClient(c.conn)
				if err := c.client.Hello("x"); err != nil {
					t.Fatal(err)
				}
				var idle idleConns
				idle.keep(c)
				time.Sleep(idleTime - time.Nanosecond)
				if got := idle.take(); got != c {
					t.Fatal("the session is not kept for its time")
				}
				idle.keep(c)
				time.Sleep(idleTime + quitTimeout + time.Second)
				if got := idle.take(); got != nil || len(idle.conns) != 0 {
					t.Error("the session is kept for too long")
				}
				if lines := <-heard; lines[len(lines)-1] != "QUIT" {
					t.Errorf("the server heard %q", lines)
				}
			})
		})
	}
}

// TestAuthLogin: a server that knows no mechanism but LOGIN may ask its
// questions in words of its own, or without any.
func TestAuthLogin(t *testing.T) {
	t.Parallel()
	for name, questions := range map[string][2]string{
		"as in the draft": {"VXNlcm5hbWU6", "UGFzc3dvcmQ6"}, // Username: Password:
		"other words":     {"VXNlciBOYW1lAA==", "UGFzc3dvcmQA"},
		"no words":        {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln := listen(t, nil)
			defer ln.Close()
			heard := make(chan []string, 1)
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				in := bufio.NewScanner(conn)
				var lines []string
				for _, answer := range []string{"220 hello", "250-hello\r\n250 AUTH LOGIN", "334 " + questions[0], "334 " + questions[1], "535 5.7.8 no"} {
					fmt.Fprint(conn, answer+"\r\n")
					in.Scan()
					lines = append(lines, in.Text())
				}
				heard <- lines
			}()
			s := &SMTP{Addr: ln.Addr().String(), TLS: TLSNone, User: "pbem", Pass: "secret"}
			e, ok := errors.AsType[*SendError](s.Send(t.Context(), "a@b", "c@d", nil))
			if !ok || e.Stage != StageAuth || e.Code != 535 || !e.Ours() || e.Unreachable() {
				t.Errorf("%v", e)
			}
			if got := (<-heard)[1:4]; !slices.Equal(got, []string{"AUTH LOGIN", "cGJlbQ==", "c2VjcmV0"}) {
				t.Errorf("the server heard %q", got)
			}
		})
	}
}

// TestSMTPServerThatNeverStopsTalkingIsCutOff: what a server says is bounded, and
// what is kept of it fits on a line.
func TestSMTPServerThatNeverStopsTalkingIsCutOff(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{"line without end": "x", "lines without end": "-more\r\n250"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln := listen(t, nil)
			defer ln.Close()
			said := make(chan int, 1)
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				fmt.Fprint(conn, "220 hello\r\n250")
				sum, chunk := 0, strings.Repeat(more, 500)
				for {
					n, err := fmt.Fprint(conn, chunk)
					if sum += n; err != nil {
						said <- sum
						return
					}
				}
			}()
			err := (&SMTP{Addr: ln.Addr().String(), TLS: TLSNone}).Send(t.Context(), "a@b", "c@d", nil)
			e, ok := errors.AsType[*SendError](err)
			if !ok || e.Stage != StageConnect || !e.Temporary() || !e.Ours() {
				t.Errorf("%v", err)
			}
			if n := <-said; n > maxSMTPAnswers+12<<20 {
				t.Errorf("%d bytes were taken", n)
			}
		})
	}
	t.Run("refusal in many lines", func(t *testing.T) {
		t.Parallel()
		ln := listen(t, nil)
		defer ln.Close()
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprint(conn, strings.Repeat("554-5.7.1 No \x00\xff\x1b[31mservice for you\r\n", 100)+"554 5.7.1 Go\r\n")
			bufio.NewScanner(conn).Scan()
		}()
		err := (&SMTP{Addr: ln.Addr().String(), TLS: TLSNone}).Send(t.Context(), "a@b", "c@d", nil)
		e, ok := errors.AsType[*SendError](err)
		if !ok || e.Code != 554 || e.Enhanced != [3]int{5, 7, 1} || len(e.Msg) > 400 || !utf8.ValidString(e.Msg) || strings.ContainsFunc(e.Msg, unicode.IsControl) {
			t.Errorf("%q", err)
		}
	})
}
