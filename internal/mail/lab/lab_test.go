package lab

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
)

// TestLetterGoesRound: what LMTP takes is in the mailbox byte for byte, and what
// OpenSMTPD takes arrives there too.
func TestLetterGoesRound(t *testing.T) {
	t.Parallel()
	l := Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	user := l.User(t, "round")
	raw := []byte("From: a@example.test\r\nTo: b@example.test\r\nSubject: x\r\n\r\n> odd =20 \xff text\r\n.\r\n..\r\n")
	if err := l.Deliver("a@example.test", user+"+detail@"+Domain, raw); err != nil {
		t.Fatal(err)
	}
	s := mail.SMTP{Addr: SMTP, TLS: mail.TLSNone}
	if err := s.Send(ctx, "a@"+Domain, user+"@"+Domain, []byte("From: a@example.test\r\nSubject: by SMTP\r\n\r\ntext\r\n")); err != nil {
		t.Fatal(err)
	}
	for {
		letters, err := l.Letters(ctx, user, "INBOX")
		if err != nil {
			t.Fatal(err)
		}
		if len(letters) < 2 {
			continue // OpenSMTPD delivers when it gets to it
		}
		if !bytes.HasSuffix(letters[0], raw) || !bytes.Contains(letters[0], []byte("Delivered-To: "+user+"+detail@")) {
			t.Errorf("delivered by LMTP:\n%s", letters[0])
		}
		if !bytes.Contains(letters[1], []byte("Subject: by SMTP")) {
			t.Errorf("delivered by SMTP:\n%s", letters[1])
		}
		return
	}
}
