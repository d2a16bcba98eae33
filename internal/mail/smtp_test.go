package mail

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

// smtpBackend answers by the recipient's name and keeps what it takes.
type smtpBackend struct {
	mu   sync.Mutex
	mail []string // "from to body"
}

type smtpSession struct {
	b        *smtpBackend
	from, to string
}

func (b *smtpBackend) NewSession(*smtp.Conn) (smtp.Session, error) { return &smtpSession{b: b}, nil }

func (s *smtpSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *smtpSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, pass string) error {
		if user != "pbem" || pass != "secret" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no"}
		}
		return nil
	}), nil
}

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	if strings.HasPrefix(from, "busy") {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"}
	}
	s.from = from
	return nil
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	refuse := func(code int, enhanced smtp.EnhancedCode) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "no"}
	}
	switch name, _, _ := strings.Cut(to, "@"); name {
	case "unknown":
		return refuse(550, smtp.EnhancedCode{5, 1, 1})
	case "full":
		return refuse(552, smtp.EnhancedCode{5, 2, 2})
	case "policy":
		return refuse(550, smtp.EnhancedCode{5, 7, 1})
	case "bare":
		return refuse(550, smtp.NoEnhancedCode)
	case "grey":
		return refuse(450, smtp.EnhancedCode{4, 2, 0})
	}
	s.to = to
	return nil
}

func (s *smtpSession) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if strings.Contains(string(body), "spam") {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "no spam"}
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.b.mail = append(s.b.mail, s.from+" "+s.to+" "+string(body))
	return nil
}

func (s *smtpSession) Reset()        {}
func (s *smtpSession) Logout() error { return nil }

func smtpServer(t *testing.T) (addr string, b *smtpBackend) {
	t.Helper()
	b = &smtpBackend{}
	srv := smtp.NewServer(b)
	srv.AllowInsecureAuth = true
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return ln.Addr().String(), b
}

func TestSendDelivers(t *testing.T) {
	t.Parallel()
	addr, b := smtpServer(t)
	s := &SMTP{Addr: addr, TLS: TLSNone, User: "pbem", Pass: "secret", Hello: "pbem.example.org"}
	raw := "Subject: x\r\n\r\n.dot\r\n"
	if err := s.Send(t.Context(), "pbem+b@example.org", "alice@player.test", []byte(raw)); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), "", "bob@player.test", []byte(raw)); err != nil {
		t.Fatal(err)
	}
	want := []string{"pbem+b@example.org alice@player.test " + raw, " bob@player.test " + raw}
	if diff := cmp.Diff(want, b.mail); diff != "" {
		t.Error(diff)
	}
}

func TestSendErrorsSayWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	addr, _ := smtpServer(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	tests := []struct {
		name                         string
		smtp                         *SMTP
		from, to, raw                string
		stage                        Stage
		temporary, ours, unreachable bool
	}{
		{"no server", &SMTP{Addr: closed.Addr().String(), TLS: TLSNone}, "a@b", "c@d", "", StageConnect, true, true, false},
		{"no STARTTLS", &SMTP{Addr: addr, TLS: TLSStartTLS}, "a@b", "c@d", "", StageTLS, true, true, false},
		{"no TLS at all", &SMTP{Addr: addr, TLS: TLSImplicit}, "a@b", "c@d", "", StageTLS, true, true, false},
		{"no TLS mode", &SMTP{Addr: addr}, "a@b", "c@d", "", StageTLS, true, true, false},
		{"wrong password", &SMTP{Addr: addr, TLS: TLSNone, User: "pbem", Pass: "x"}, "a@b", "c@d", "", StageAuth, false, true, false},
		{"sender refused", &SMTP{Addr: addr, TLS: TLSNone}, "busy@b", "c@d", "", StageMail, true, true, false},
		{"unknown mailbox", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "unknown@d", "", StageRcpt, false, false, true},
		{"full mailbox", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "full@d", "", StageRcpt, false, false, true},
		{"no enhanced code", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "bare@d", "", StageRcpt, false, false, true},
		{"policy", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "policy@d", "", StageRcpt, false, false, false},
		{"greylisted", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "grey@d", "", StageRcpt, true, false, false},
		{"content refused", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "c@d", "spam\r\n", StageData, false, false, false},
		{"recipient with newline", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "c@d\r\nDATA", "", StageRcpt, false, false, true},
		{"no recipient", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "", "", StageRcpt, false, false, true},
		{"sender with newline", &SMTP{Addr: addr, TLS: TLSNone}, "a@b\nX", "c@d", "", StageMail, false, true, false},
		{"recipient outside ASCII", &SMTP{Addr: addr, TLS: TLSNone}, "a@b", "jörg@d", "", StageRcpt, false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.smtp.Send(t.Context(), tt.from, tt.to, []byte(tt.raw))
			e, ok := errors.AsType[*SendError](err)
			if !ok {
				t.Fatalf("%v, want a *SendError", err)
			}
			if e.Stage != tt.stage || e.Temporary() != tt.temporary || e.Ours() != tt.ours || e.Unreachable() != tt.unreachable || e.Msg == "" {
				t.Errorf("%v: stage %s, temporary %v, ours %v, unreachable %v", e, e.Stage, e.Temporary(), e.Ours(), e.Unreachable())
			}
		})
	}
}

func TestEndOfTheContextEndsSending(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := ln.Accept(); err == nil {
			defer conn.Close()
			cancel() // the server never greets
			io.Copy(io.Discard, conn)
		}
	}()
	err = (&SMTP{Addr: ln.Addr().String(), TLS: TLSNone}).Send(ctx, "a@b", "c@d", nil)
	if e, ok := errors.AsType[*SendError](err); !ok || !errors.Is(err, context.Canceled) || !e.Temporary() {
		t.Errorf("%v, want context.Canceled", err)
	}
}
