package mail_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
)

// stranger is who logs in with a wrong password. It is always the same one:
// Dovecot lets everybody wait the longer the more different passwords were wrong.
const stranger = "stranger"

// secrets are the forms in which a log-in can be read off a wire.
func secrets(user string) []string {
	return []string{lab.Password, user,
		base64.StdEncoding.EncodeToString([]byte("\x00" + user + "\x00" + lab.Password)),
		base64.StdEncoding.EncodeToString([]byte(user)), base64.StdEncoding.EncodeToString([]byte(lab.Password))}
}

// silent fails the test if a client said a secret in the clear.
func silent(t *testing.T, r *relay, user string, more ...string) {
	t.Helper()
	heard := r.heard()
	for _, s := range append(secrets(user), more...) {
		if strings.Contains(heard, s) {
			t.Errorf("the client said %q before the connection was secured:\n%s", s, heard)
		}
	}
}

// certificates are the reasons for which a server's certificate is refused.
var certificates = map[string]struct {
	host  string // where the client finds the server
	ours  bool   // whether it trusts the lab's authority
	fault func(error) bool
}{
	"system's authorities": {"127.0.0.1", false, func(err error) bool {
		_, ok := errors.AsType[x509.UnknownAuthorityError](err)
		return ok
	}},
	"another host's": {"127.0.0.2", true, func(err error) bool {
		_, ok := errors.AsType[x509.HostnameError](err)
		return ok
	}},
}

func TestIMAPOverTLS(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for mode, server := range map[mail.TLSMode]string{mail.TLSStartTLS: lab.IMAP, mail.TLSImplicit: lab.IMAPS} {
		user := l.User(t, "tls")
		config := mail.IMAPConfig{Addr: server, TLS: mode, User: user, Pass: lab.Password, CA: l.CA(t)}
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, "127.0.0.1", server)
			c := config
			c.Addr = r.addr
			m, err := mail.DialIMAP(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := m.Select(t.Context(), "INBOX"); err != nil {
				t.Error(err)
			}
			silent(t, r, user, "INBOX")
		})
		t.Run(string(mode)+" by name", func(t *testing.T) {
			t.Parallel()
			_, port, _ := net.SplitHostPort(server)
			c := config
			c.Addr = net.JoinHostPort("localhost", port)
			m, err := mail.DialIMAP(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			m.Close()
		})
		t.Run(string(mode)+" wrong password", func(t *testing.T) {
			t.Parallel()
			c := config
			c.User, c.Pass = stranger, "not-"+lab.Password
			_, err := mail.DialIMAP(t.Context(), c)
			answer, ok := errors.AsType[*imap.Error](err)
			if !ok || answer.Code != imap.ResponseCodeAuthenticationFailed || !strings.HasPrefix(err.Error(), "logging in: ") || strings.Contains(err.Error(), c.Pass) {
				t.Errorf("%v, want the server's refusal", err)
			}
		})
		for name, tt := range certificates {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRelay(t, tt.host, server)
				c := config
				if c.Addr = r.addr; !tt.ours {
					c.CA = nil
				}
				m, err := mail.DialIMAP(t.Context(), c)
				if err == nil {
					m.Close()
				}
				if !tt.fault(err) {
					t.Errorf("%v", err)
				}
				silent(t, r, user)
			})
		}
		t.Run(string(mode)+" without TLS at the other end", func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, "127.0.0.1", startPost(t).IMAPAddr())
			c := config
			c.Addr = r.addr
			c.CommandTimeout = 30 * time.Second
			m, err := mail.DialIMAP(t.Context(), c)
			if err == nil {
				m.Close()
				t.Error("no error")
			}
			silent(t, r, user)
		})
	}
}

func TestIMAPLogins(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for name, tt := range map[string]struct {
		hide []string
		said string // empty: nothing secret is said
	}{
		"AUTHENTICATE PLAIN":          {nil, " AUTHENTICATE PLAIN "},
		"without initial response":    {[]string{" SASL-IR", ""}, " AUTHENTICATE PLAIN\r\n"},
		"LOGIN where there's no SASL": {[]string{" AUTH=PLAIN", "", " AUTH=LOGIN", ""}, " LOGIN "},
		"LOGINDISABLED":               {[]string{" AUTH=PLAIN", " LOGINDISABLED"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := l.User(t, "login")
			r := newRelay(t, "127.0.0.1", lab.IMAP, tt.hide...)
			m, err := mail.DialIMAP(t.Context(), mail.IMAPConfig{Addr: r.addr, TLS: mail.TLSNone, User: user, Pass: lab.Password})
			if err == nil {
				defer m.Close()
				_, err = m.Select(t.Context(), "INBOX")
			}
			if tt.said == "" {
				if err == nil || !strings.Contains(err.Error(), "neither AUTHENTICATE PLAIN nor LOGIN") {
					t.Errorf("%v", err)
				}
				silent(t, r, user)
				return
			}
			if err != nil || !strings.Contains(r.heard(), tt.said) {
				t.Errorf("%v; the client said\n%s", err, r.heard())
			}
		})
	}
}

func TestSubmissionOverTLS(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for mode, server := range map[mail.TLSMode]string{mail.TLSStartTLS: lab.Submission, mail.TLSImplicit: lab.SMTPS} {
		user := l.User(t, "tls")
		sender := func(addr string) *mail.SMTP {
			return &mail.SMTP{Addr: addr, TLS: mode, User: user, Pass: lab.Password, CA: l.CA(t)}
		}
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, "127.0.0.1", server)
			s := sender(r.addr)
			defer s.Close()
			for range 2 {
				if err := s.Send(t.Context(), user+"@"+lab.Domain, user+"@"+lab.Domain, []byte("Subject: "+user+"\r\n\r\nx\r\n")); err != nil {
					t.Fatal(err)
				}
			}
			await(t, l, user, 2)
			silent(t, r, user, "MAIL FROM", "Subject")
			if r.n != 1 {
				t.Errorf("%d connections for two mails", r.n)
			}
		})
		t.Run(string(mode)+" wrong password", func(t *testing.T) {
			t.Parallel()
			s := sender(server)
			s.User, s.Pass = stranger, "not-"+lab.Password
			e := failure(t, s, user+"@"+lab.Domain, user+"@"+lab.Domain)
			if e.Stage != mail.StageAuth || e.Code != 535 || !e.Ours() || e.Unreachable() || strings.Contains(e.Error(), s.Pass) {
				t.Errorf("%v", e)
			}
		})
		for name, tt := range certificates {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRelay(t, tt.host, server)
				s := sender(r.addr)
				if !tt.ours {
					s.CA = nil
				}
				e := failure(t, s, user+"@"+lab.Domain, user+"@"+lab.Domain)
				if e.Stage != mail.StageTLS || !e.Temporary() || !e.Ours() || e.Unreachable() || !tt.fault(e) {
					t.Errorf("%v", e)
				}
				silent(t, r, user, "MAIL FROM")
			})
		}
		t.Run(string(mode)+" without TLS at the other end", func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, "127.0.0.1", lab.SMTP)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := sender(r.addr).Send(ctx, user+"@"+lab.Domain, user+"@"+lab.Domain, []byte("Subject: x\r\n\r\nx\r\n"))
			e, ok := errors.AsType[*mail.SendError](err)
			if !ok || e.Stage != mail.StageTLS || !e.Ours() || e.Unreachable() {
				t.Errorf("%v", err)
			}
			silent(t, r, user, "AUTH", "MAIL FROM")
		})
	}
}

func TestSubmissionLogins(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for name, tt := range map[string]struct {
		hide []string
		said string
	}{
		"PLAIN": {nil, "AUTH PLAIN "},
		"LOGIN": {[]string{"AUTH PLAIN LOGIN", "AUTH LOGIN"}, "AUTH LOGIN\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := l.User(t, "auth")
			r := newRelay(t, "127.0.0.1", lab.Submission, tt.hide...)
			s := &mail.SMTP{Addr: r.addr, TLS: mail.TLSNone, User: user, Pass: lab.Password}
			defer s.Close()
			if err := s.Send(t.Context(), user+"@"+lab.Domain, user+"@"+lab.Domain, []byte("Subject: x\r\n\r\nx\r\n")); err != nil {
				t.Fatal(err)
			}
			await(t, l, user, 1)
			if !strings.Contains(r.heard(), tt.said) {
				t.Errorf("the client said\n%s", r.heard())
			}
			wrong := &mail.SMTP{Addr: r.addr, TLS: mail.TLSNone, User: stranger, Pass: "not-" + lab.Password}
			if e := failure(t, wrong, "a@"+lab.Domain, user+"@"+lab.Domain); e.Stage != mail.StageAuth || e.Code != 535 || !e.Ours() {
				t.Errorf("%v", e)
			}
		})
	}
}

// failure sends a mail that must not go out.
func failure(t *testing.T, s *mail.SMTP, from, to string) *mail.SendError {
	t.Helper()
	e, ok := errors.AsType[*mail.SendError](s.Send(t.Context(), from, to, []byte("Subject: x\r\n\r\nx\r\n")))
	if !ok {
		t.Fatalf("a mail from %s to %s went out", from, to)
	}
	return e
}

// await waits until a mailbox of the lab has n letters, and gives them.
func await(t testing.TB, l *lab.Lab, user string, n int) [][]byte {
	t.Helper()
	for t.Context().Err() == nil {
		letters, err := l.Letters(t.Context(), user, "INBOX")
		if err != nil {
			t.Fatal(err)
		}
		if len(letters) >= n {
			return letters
		}
	}
	t.Fatal("the test ended before the mail came")
	return nil
}

// startPost starts a post office with the account "pbem".
func startPost(t *testing.T) *postoffice.Server {
	t.Helper()
	dir := t.TempDir()
	post, err := postoffice.Start(t.Context(), postoffice.Options{Dir: dir, Domain: postDomain, Accounts: postoffice.AccountsFile(filepath.Join(dir, "accounts"))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { post.Close() })
	return post
}

const postDomain = "pbemd.localhost"
