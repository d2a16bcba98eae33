package mail

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

// TestCheckIMAPChangesNothing: a check tells what is there, and leaves it so.
func TestCheckIMAPChangesNothing(t *testing.T) {
	t.Parallel()
	user := imapmemserver.NewUser("pbem", "secret")
	for _, folder := range []string{"INBOX", "Processed"} {
		if err := user.Create(folder, nil); err != nil {
			t.Fatal(err)
		}
	}
	mem := imapmemserver.New()
	mem.AddUser(user)
	srv := imapserver.New(&imapserver.Options{
		InsecureAuth: true,
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
	})
	ln := listen(t, nil)
	go srv.Serve(ln)
	defer srv.Close()
	config := IMAPConfig{Addr: ln.Addr().String(), TLS: TLSNone, User: "pbem", Pass: "secret"}
	for range 2 {
		got, err := CheckIMAP(t.Context(), config, "INBOX", "Processed", "Quarantine")
		if err != nil {
			t.Fatal(err)
		}
		want := IMAPFacts{Move: got.Move, UIDPlus: got.UIDPlus, Idle: true, Missing: []string{"Quarantine"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	config.Pass = "wrong"
	if _, err := CheckIMAP(t.Context(), config); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestCheckSMTPSendsNothing(t *testing.T) {
	t.Parallel()
	b := &smtpBackend{}
	srv := smtp.NewServer(b)
	srv.AllowInsecureAuth = true
	ln := listen(t, nil)
	go srv.Serve(ln)
	defer srv.Close()
	s := SMTP{Addr: ln.Addr().String(), TLS: TLSNone, User: "pbem", Pass: "secret"}
	if err := s.Check(t.Context()); err != nil || len(b.mail) != 0 {
		t.Errorf("%v, %q", err, b.mail)
	}
	s.Pass = "wrong"
	if e, ok := errors.AsType[*SendError](s.Check(t.Context())); !ok || e.Stage != StageAuth {
		t.Errorf("a wrong password: %v", e)
	}
	srv.Close()
	if e, ok := errors.AsType[*SendError](s.Check(t.Context())); !ok || e.Stage != StageConnect {
		t.Errorf("nobody listens: %v", e)
	}
}

// TestKeyRecords: what a signer wants in DNS is found there however it is
// folded, and no other key is taken for it.
func TestKeyRecords(t *testing.T) {
	t.Parallel()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	var signers []*Signer
	for _, key := range []any{ed, bits} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSigner("example.org", "pbem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		if err != nil {
			t.Fatal(err)
		}
		signers = append(signers, s)
	}
	for i, s := range signers {
		other := signers[1-i].Record()
		if s.RecordName() != "pbem._domainkey.example.org" {
			t.Errorf("looked for at %s", s.RecordName())
		}
		folded := strings.Replace(s.Record(), "; p=", ";t=s; p = ", 1)
		if !s.Published([]string{"v=spf1 -all", other, folded[:60] + " " + folded[60:]}) {
			t.Errorf("%s is not found", folded)
		}
		if s.Published([]string{other, "v=DKIM1; p=", ""}) || s.Published(nil) {
			t.Error("another key is taken for this one")
		}
	}
}
