package postoffice

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

func TestSubmissionNeedsAuth(t *testing.T) {
	t.Parallel()
	s := start(t)
	wantAnswer(t, dialSMTP(t, s).Mail("alice@"+domain, nil), 530, smtp.EnhancedCode{5, 7, 0})
	for name, client := range map[string]sasl.Client{
		"wrong password":      sasl.NewPlainClient("", "alice", "bob-secret"),
		"empty password":      sasl.NewPlainClient("", "alice", ""),
		"unknown user":        sasl.NewPlainClient("", "zog", "zog-secret"),
		"other domain":        sasl.NewPlainClient("", "alice@elsewhere.test", "alice-secret"),
		"a path as user":      sasl.NewPlainClient("", "../alice", "alice-secret"),
		"acting for another":  sasl.NewPlainClient("bob", "alice", "alice-secret"),
		"LOGIN with wrong pw": sasl.NewLoginClient("alice", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dialSMTP(t, s)
			wantAnswer(t, c.Auth(client), 535, smtp.EnhancedCode{5, 7, 8})
			wantAnswer(t, c.Mail("alice@"+domain, nil), 530, smtp.EnhancedCode{5, 7, 0})
		})
	}
}

func TestSubmissionByLoginMechanismAndLocalPart(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := dialSMTP(t, s)
	if err := c.Auth(sasl.NewLoginClient("Alice", "alice-secret")); err != nil {
		t.Fatal(err)
	}
	if err := c.SendMail("alice@"+domain, []string{"gm@" + domain}, strings.NewReader(letter("by LOGIN"))); err != nil {
		t.Fatal(err)
	}
	got, err := s.Letters("gm@" + domain)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !strings.Contains(string(got[0]), "smtp.auth=alice@pbemd.localhost\r\n") {
		t.Errorf("got %q", got)
	}
}

func TestAccountsThatCannotBeReadAreATemporaryFault(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	broken := false
	s := start(t, func(o *Options) {
		good := o.Accounts
		o.Accounts = func() (map[string]string, error) {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return nil, errors.New("disk on fire")
			}
			return good()
		}
	})
	c := submitter(t, s, "alice")
	mu.Lock()
	broken = true
	mu.Unlock()
	wantAnswer(t, dialSMTP(t, s).Auth(sasl.NewPlainClient("", "alice", "alice-secret")), 454, smtp.EnhancedCode{4, 7, 0})
	if err := c.Mail("alice@"+domain, nil); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, c.Rcpt("bob@"+domain, nil), 451, smtp.EnhancedCode{4, 3, 0})
}

func TestRecipients(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, tt := range []struct {
		name, rcpt string
		code       int
		enhanced   smtp.EnhancedCode
	}{
		{"unknown user", "zog@" + domain, 550, smtp.EnhancedCode{5, 1, 1}},
		{"unknown user with tag", "zog+alice@" + domain, 550, smtp.EnhancedCode{5, 1, 1}},
		{"a path", "../alice@" + domain, 550, smtp.EnhancedCode{5, 1, 1}},
		{"other domain", "alice@elsewhere.test", 550, smtp.EnhancedCode{5, 7, 1}},
		{"no domain", "postmaster", 550, smtp.EnhancedCode{5, 7, 1}},
		{"blank in the tag", `"alice+a b"@` + domain, 553, smtp.EnhancedCode{5, 1, 3}},
		{"very long tag", "alice+" + strings.Repeat("x", 400) + "@" + domain, 553, smtp.EnhancedCode{5, 1, 3}},
		{"temporary fault on purpose", "TempError@" + domain, 451, smtp.EnhancedCode{4, 3, 0}},
		{"permanent fault on purpose", "permerror@" + domain, 550, smtp.EnhancedCode{5, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := submitter(t, s, "alice")
			if err := c.Mail("alice@"+domain, nil); err != nil {
				t.Fatal(err)
			}
			wantAnswer(t, c.Rcpt(tt.rcpt, nil), tt.code, tt.enhanced)
		})
	}
}

func TestSenderAddressThatCouldForgeAField(t *testing.T) {
	t.Parallel()
	s := start(t)
	wantAnswer(t, submitter(t, s, "alice").Mail(`"a b"@x.test`, nil), 553, smtp.EnhancedCode{5, 1, 7})
}

func TestAtMostAHundredRecipients(t *testing.T) {
	t.Parallel()
	c := submitter(t, start(t), "alice")
	if err := c.Mail("alice@"+domain, nil); err != nil {
		t.Fatal(err)
	}
	for i := range maxRecipients {
		if err := c.Rcpt(fmt.Sprintf("bob+%d@%s", i, domain), nil); err != nil {
			t.Fatal(err)
		}
	}
	wantAnswer(t, c.Rcpt("bob+last@"+domain, nil), 452, smtp.EnhancedCode{4, 5, 3})
}

func TestEachRecipientGetsItsOwnCopyWithItsTag(t *testing.T) {
	t.Parallel()
	s := start(t)
	send(t, s, "alice", letter("tagged"), "Bob+Tag-1@PBEMD.localhost", "bob+two@"+domain, "gm@"+domain)
	for user, want := range map[string][]string{
		"bob": {"Bob+Tag-1@PBEMD.localhost", "bob+two@" + domain},
		"gm":  {"gm@" + domain},
	} {
		letters, err := s.Letters(user)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, raw := range letters {
			m, err := mail.ReadMessage(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Header["Delivered-To"]...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", user, diff)
		}
	}
}

func TestTimeoutAddressHoldsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *Server, *net.TCPConn)
	}{
		{"until the client leaves", func(t *testing.T, _ *Server, conn *net.TCPConn) {
			if err := conn.CloseWrite(); err != nil {
				t.Error(err)
			}
		}},
		{"until the server closes", func(t *testing.T, s *Server, _ *net.TCPConn) {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			conn, err := net.Dial("tcp", s.SMTPAddr())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			talk := textproto.NewConn(conn)
			for _, step := range []struct {
				say  string
				code int
			}{
				{"", 220},
				{"EHLO localhost", 250},
				{"AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00alice\x00alice-secret")), 235},
				{"MAIL FROM:<alice@pbemd.localhost>", 250},
			} {
				if step.say != "" {
					if err := talk.PrintfLine("%s", step.say); err != nil {
						t.Fatal(err)
					}
				}
				if _, _, err := talk.ReadResponse(step.code); err != nil {
					t.Fatalf("%s: %v", step.say, err)
				}
			}
			if err := talk.PrintfLine("RCPT TO:<timeout@pbemd.localhost>\r\nNOOP"); err != nil {
				t.Fatal(err)
			}
			tt.end(t, s, conn.(*net.TCPConn))
			// The server resets a connection with unread bytes, so only the text counts.
			if answer, _ := io.ReadAll(talk.R); len(answer) != 0 {
				t.Errorf("answered %q", answer)
			}
		})
	}
}

func TestLetterOverTheSizeLimit(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxLetter = 4096 })
	big := letter("big") + strings.Repeat("fire at Zog\r\n", 4096/12)
	c := submitter(t, s, "alice")
	wantAnswer(t, c.Mail("alice@"+domain, &smtp.MailOptions{Size: 5000}), 552, smtp.EnhancedCode{5, 3, 4})
	err := c.SendMail("alice@"+domain, []string{"bob@" + domain}, strings.NewReader(big))
	wantAnswer(t, err, 552, smtp.EnhancedCode{5, 3, 4})
	if err := c.SendMail("alice@"+domain, []string{"bob@" + domain}, strings.NewReader(letter("small"))); err != nil {
		t.Fatalf("the connection is of no use after a refused letter: %v", err)
	}
	letters, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"small"}, subjects(t, letters)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestAConnectionLostInsideALetterStoresNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := submitter(t, s, "alice")
	if err := c.Mail("alice@"+domain, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Rcpt("bob@"+domain, nil); err != nil {
		t.Fatal(err)
	}
	w, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, letter("half")); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if letters, err := s.Letters("bob"); err != nil || len(letters) != 0 {
		t.Errorf("got %q, %v", letters, err)
	}
}
