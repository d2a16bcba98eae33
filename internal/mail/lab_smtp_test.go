package mail_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
)

// class is what a failed delivery means.
type class struct {
	stage                        mail.Stage
	code                         int
	temporary, ours, unreachable bool
}

func classOf(t *testing.T, err error) class {
	t.Helper()
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		t.Fatalf("%v, want a *SendError", err)
	}
	return class{e.Stage, e.Code, e.Temporary(), e.Ours(), e.Unreachable()}
}

// TestFailureClassesOfOpenSMTPD and the next: each fault that a real server shows
// has its class, over a new connection and over one that took a mail before.
func TestFailureClassesOfOpenSMTPD(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user := l.User(t, "faults")
	good := user + "@" + lab.Domain
	for name, tt := range map[string]struct {
		from, to string
		want     class
	}{
		"temporary fault": {good, "temperror@" + lab.Domain, class{mail.StageRcpt, 451, true, false, false}},
		"unknown mailbox": {good, "permerror@" + lab.Domain, class{mail.StageRcpt, 550, false, false, true}},
		"mailbox full":    {good, "full@" + lab.Domain, class{mail.StageRcpt, 552, false, false, true}},
		"policy":          {good, "policy@" + lab.Domain, class{mail.StageRcpt, 550, false, false, false}},
		"unknown domain":  {good, "somebody@elsewhere.test", class{mail.StageRcpt, 550, false, false, true}},
		"sender refused":  {"banned@" + lab.Domain, good, class{mail.StageMail, 550, false, true, false}},
		"server too busy": {"busy@" + lab.Domain, good, class{mail.StageMail, 421, true, true, false}},
		"not a mail":      {good, good, class{mail.StageData, 550, false, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &mail.SMTP{Addr: lab.SMTP, TLS: mail.TLSNone}
			defer s.Close()
			raw := []byte("Subject: x\r\n\r\nx\r\n")
			if tt.want.stage == mail.StageData {
				raw = []byte("this is no header field\r\n\r\nx\r\n")
			}
			for range 2 {
				if got := classOf(t, s.Send(t.Context(), tt.from, tt.to, raw)); got != tt.want {
					t.Errorf("%+v, want %+v", got, tt.want)
				}
				if err := s.Send(t.Context(), good, good, []byte("Subject: x\r\n\r\nx\r\n")); err != nil {
					t.Error("a good mail afterwards:", err)
				}
			}
		})
	}
}

func TestFailureClassesOfThePostOffice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	accounts := filepath.Join(dir, "accounts")
	pass, err := postoffice.AddAccount(accounts, "pbem@"+postDomain)
	if err != nil {
		t.Fatal(err)
	}
	post, err := postoffice.Start(t.Context(), postoffice.Options{Dir: filepath.Join(dir, "spool"), Domain: postDomain, Accounts: postoffice.AccountsFile(accounts)})
	if err != nil {
		t.Fatal(err)
	}
	defer post.Close()
	us := "pbem@" + postDomain
	raw := []byte("Subject: x\r\n\r\nx\r\n")
	for name, tt := range map[string]struct {
		pass, to string
		want     class
	}{
		"temporary fault": {pass, "temperror@" + postDomain, class{mail.StageRcpt, 451, true, false, false}},
		"unknown mailbox": {pass, "permerror@" + postDomain, class{mail.StageRcpt, 550, false, false, true}},
		"no account":      {pass, "nobody@" + postDomain, class{mail.StageRcpt, 550, false, false, true}},
		"unknown domain":  {pass, "pbem@elsewhere.test", class{mail.StageRcpt, 550, false, false, false}},
		"no answer":       {pass, "timeout@" + postDomain, class{mail.StageRcpt, 0, true, false, false}},
		"wrong password":  {"wrong", us, class{mail.StageAuth, 535, false, true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &mail.SMTP{Addr: post.SMTPAddr(), TLS: mail.TLSNone, User: us, Pass: tt.pass}
			defer s.Close()
			for range 2 {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if strings.HasPrefix(tt.to, "timeout") {
					ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
				}
				err := s.Send(ctx, us, tt.to, raw)
				cancel()
				if got := classOf(t, err); got != tt.want {
					t.Errorf("%+v, want %+v", got, tt.want)
				}
				if tt.pass != pass {
					continue
				}
				if err := s.Send(t.Context(), us, us, raw); err != nil {
					t.Error("a good mail afterwards:", err)
				}
			}
		})
	}
}

// TestSignatureSurvivesDelivery: what is signed comes out of the mailbox as it was
// sent, by SMTP and by submission over TLS.
func TestSignatureSurvivesDelivery(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	user := l.User(t, "signed")
	us := user + "@" + lab.Domain
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	message := mail.Message{
		From: mail.Address{Name: "PBEM Dämmerung", Addr: us}, To: mail.Address{Addr: us}, Subject: "[Dusk-7] Bericht über Zug 7",
		MessageID: "<1@example.test>", Date: time.Date(2026, 3, 3, 21, 14, 5, 0, time.UTC), AutoSubmitted: mail.AutoGenerated,
		Text: "From here on: Zög  \n.\n..\n" + strings.Repeat("ä", 300) + "\n-- \n\n\n", HTML: "<p>Zög</p>\n.\nFrom x<img src=\"cid:map\">",
		Pictures: []mail.Picture{{CID: "map", Name: "map.png", PNG: bytes.Repeat([]byte{0x89, 'P', 'N', 'G', 0}, 500)}},
	}
	raw, err := mail.Compose(message)
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]*mail.Signer{}
	for _, key := range []any{rsaKey, edKey} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		signer, err := mail.NewSigner(lab.Domain, "pbem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*mail.SMTP{
			{Addr: lab.SMTP, TLS: mail.TLSNone},
			{Addr: lab.Submission, TLS: mail.TLSStartTLS, User: user, Pass: lab.Password, CA: l.CA(t)},
		} {
			if err := s.Send(t.Context(), us, us, signed); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
		sent[string(signed)] = signer
	}
	seen := map[string]int{}
	for _, letter := range await(t, l, user, 4) {
		for signed, signer := range sent {
			if !bytes.HasSuffix(letter, []byte(signed)) {
				continue
			}
			seen[signed]++
			found, err := dkim.VerifyWithOptions(bytes.NewReader(letter), &dkim.VerifyOptions{LookupTXT: func(domain string) ([]string, error) {
				if domain != signer.RecordName() {
					return nil, errors.New("no such record: " + domain)
				}
				return []string{signer.Record()}, nil
			}})
			if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Domain != lab.Domain {
				t.Errorf("the signature does not verify: %+v, %v", found, err)
			}
		}
	}
	for signed := range sent {
		if seen[signed] != 2 {
			t.Errorf("%d of 2 letters came as they were sent", seen[signed])
		}
	}
}
