package mail

import (
	"context"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
)

// IMAPFacts is what [CheckIMAP] found.
type IMAPFacts struct {
	Move, UIDPlus, Idle bool     // what the server offers after login
	Missing             []string // folders that do not exist
}

// CheckIMAP connects, logs in and asks about folders. It selects, makes and
// marks nothing.
func CheckIMAP(ctx context.Context, config IMAPConfig, folders ...string) (IMAPFacts, error) {
	var facts IMAPFacts
	box, err := DialIMAP(ctx, config)
	if err != nil {
		return facts, err
	}
	defer box.Close()
	m := box.(*imapMailbox)
	for _, folder := range folders {
		err := m.do(ctx, "asking about folder "+folder, m.brief(0), func() error {
			_, err := m.client.Status(folder, &imap.StatusOptions{UIDValidity: true}).Wait()
			return err
		})
		if _, refused := errors.AsType[*imap.Error](err); refused {
			facts.Missing = append(facts.Missing, folder)
			continue
		}
		if err != nil {
			return facts, err
		}
	}
	err = m.do(ctx, "asking what the server can do", m.brief(0), func() error {
		caps := m.client.Caps()
		facts.Move, facts.UIDPlus, facts.Idle = caps.Has(imap.CapMove), caps.Has(imap.CapUIDPlus), caps.Has(imap.CapIdle)
		return nil
	})
	if err != nil {
		return facts, err
	}
	return facts, m.do(ctx, "saying goodbye", m.brief(0), func() error { return m.client.Logout().Wait() })
}

// Check connects, secures the connection and logs in as Send does, and sends
// nothing. Errors are *SendError.
func (s *SMTP) Check(ctx context.Context) error {
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	if err := c.client.Noop(); err != nil {
		return sendError(ctx, StageMail, err)
	}
	c.quit()
	return nil
}

// RecordName is where DNS has the public key of a signer (RFC 6376 section
// 3.6.2.1).
func (s *Signer) RecordName() string { return s.selector + "._domainkey." + s.domain }

// Record is the TXT record that has to stand there.
func (s *Signer) Record() string {
	kind, key := "rsa", []byte(nil)
	switch k := s.key.Public().(type) { // NewSigner takes no other
	case ed25519.PublicKey:
		kind, key = "ed25519", k
	case *rsa.PublicKey:
		key, _ = x509.MarshalPKIXPublicKey(k) // never fails for RSA
	}
	return "v=DKIM1; k=" + kind + "; p=" + base64.StdEncoding.EncodeToString(key)
}

// Published reports whether one of the TXT records found there holds the
// signer's public key.
func (s *Signer) Published(records []string) bool {
	want := publicKey(s.Record())
	return slices.ContainsFunc(records, func(r string) bool { return publicKey(r) == want })
}

// publicKey is the p tag of a key record, without the blanks that it may hold.
func publicKey(record string) string {
	for tag := range strings.SplitSeq(record, ";") {
		name, value, _ := strings.Cut(tag, "=")
		if strings.TrimSpace(name) == "p" {
			return strings.Join(strings.Fields(value), "")
		}
	}
	return ""
}
