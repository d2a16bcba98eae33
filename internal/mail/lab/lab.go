// Package lab reaches the mail servers that scripts/lab starts, for tests:
// Dovecot and OpenSMTPD on loopback, where every name is a mailbox of its own.
// No product code imports it.
package lab

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/pbemd/pbemd/internal/mail"
)

// Where the servers listen; see scripts/lab.
const (
	Domain     = "example.test"
	IMAP       = "127.0.0.1:1143" // STARTTLS offered
	IMAPS      = "127.0.0.1:1193"
	LMTP       = "127.0.0.1:1124"
	SMTP       = "127.0.0.1:1125" // no login
	Submission = "127.0.0.1:1187" // STARTTLS offered, login needed
	SMTPS      = "127.0.0.1:1165" // login needed
	Password   = "secret"         // everybody's
)

// Lab is the running lab.
type Lab struct {
	dir string
}

// Running gives the lab that PBEMD_TEST_LAB names; false: none does. A variable
// that names a lab which does not run fails the test.
func Running(t testing.TB) (*Lab, bool) {
	t.Helper()
	dir := os.Getenv("PBEMD_TEST_LAB")
	if dir == "" {
		return nil, false
	}
	if _, err := os.Stat(filepath.Join(dir, "dovecot.conf")); err != nil {
		t.Fatalf("PBEMD_TEST_LAB names no lab that scripts/lab started: %v", err)
	}
	return &Lab{dir: dir}, true
}

// Open gives the lab, and skips the test where there is none.
func Open(t testing.TB) *Lab {
	t.Helper()
	l, ok := Running(t)
	if !ok {
		t.Skip("needs PBEMD_TEST_LAB: scripts/lab start")
	}
	return l
}

// User gives a mailbox name that nobody else uses, and removes the mailbox when
// the test ends. It is what and nine more characters: with a token behind its
// plus a local part may have 64.
func (l *Lab) User(t testing.TB, what string) string {
	user := what + "-" + strings.ToLower(rand.Text()[:8])
	t.Cleanup(func() { os.RemoveAll(filepath.Join(l.dir, "mail", user)) })
	return user
}

// Vacation gives a mailbox a responder of Dovecot's, as bob.sieve has it, that
// answers with the text. A deaf one stands behind a forwarder that loses what says
// that a mail is automatic (deaf.sieve), and answers that as well.
func (l *Lab) Vacation(t testing.TB, user, text string, deaf bool) {
	t.Helper()
	away := user
	if deaf {
		away += "-away"
		l.sieve(t, user, "deaf", "deaf-away@", away+"@")
	}
	l.sieve(t, away, "bob", "bob@", user+"@", "I am away until Monday.", text, "vacation :seconds", `vacation :from "`+user+"@"+Domain+`" :seconds`)
	t.Cleanup(func() { os.RemoveAll(filepath.Join(l.dir, "mail", away)) })
}

// sieve gives a mailbox a script of the lab with other words in it.
func (l *Lab) sieve(t testing.TB, user, script string, words ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.dir, "sieve", script+".sieve"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.dir, "sieve", user+".sieve")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(words...).Replace(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(path); os.Remove(strings.TrimSuffix(path, "sieve") + "svbin") })
}

// CAFile is the authority of the servers' certificate, in PEM. It is good for
// "localhost" and 127.0.0.1.
func (l *Lab) CAFile() string { return filepath.Join(l.dir, "tls", "ca.pem") }

// CA is the authority as a pool.
func (l *Lab) CA(t testing.TB) *x509.CertPool {
	t.Helper()
	pem, err := os.ReadFile(l.CAFile())
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("reading the lab's authority: %v", err)
	}
	return pool
}

// Deliver puts letters into mailboxes byte for byte, by LMTP over one
// connection. Dovecot puts Return-Path, Delivered-To and a Received on top.
func (l *Lab) Deliver(from, to string, letters ...[]byte) error {
	c, err := dialLMTP()
	if err != nil {
		return err
	}
	defer c.Close()
	for _, raw := range letters {
		if err := deliver(c, from, to, raw); err != nil {
			return fmt.Errorf("delivering to %s: %w", to, err)
		}
	}
	return c.Quit()
}

// deliver is one LMTP transaction: DATA is answered once for the one recipient.
func deliver(c *smtp.Client, from, to string, raw []byte) error {
	if err := c.Mail(from, nil); err != nil {
		return err
	}
	if err := c.Rcpt(to, nil); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	return w.Close()
}

// Dial opens a mailbox as its owner.
func (l *Lab) Dial(ctx context.Context, user string) (mail.Mailbox, error) {
	return mail.DialIMAP(ctx, mail.IMAPConfig{Addr: IMAP, TLS: mail.TLSNone, User: user, Pass: Password})
}

// Letters gives all letters of a folder in their order.
func (l *Lab) Letters(ctx context.Context, user, folder string) (letters [][]byte, err error) {
	box, err := l.Dial(ctx, user)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	if _, err := box.Select(ctx, folder); err != nil {
		return nil, err
	}
	uids, err := box.ListUIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	for _, uid := range uids {
		raw, _, err := box.FetchRaw(ctx, uid, 32<<20)
		if err != nil {
			return nil, err
		}
		letters = append(letters, raw)
	}
	return letters, nil
}

// Doveadm runs Dovecot's own tool on the lab, such as "mailbox", "update", "-u",
// user, "--uid-validity", "1900000000", "INBOX".
func (l *Lab) Doveadm(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "doveadm", append([]string{"-c", filepath.Join(l.dir, "dovecot.conf")}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("doveadm %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

func dialLMTP() (*smtp.Client, error) {
	conn, err := net.Dial("tcp", LMTP)
	if err != nil {
		return nil, fmt.Errorf("connecting to LMTP: %w", err)
	}
	return smtp.NewClientLMTP(conn), nil
}
