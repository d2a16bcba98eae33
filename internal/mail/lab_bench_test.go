package mail_test

import (
	"testing"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

func BenchmarkSend(b *testing.B) {
	l := lab.Open(b)
	raw := []byte("From: a@example.test\r\nTo: b@example.test\r\nSubject: x\r\n\r\ntext\r\n")
	to := l.User(b, "bench") + "@" + lab.Domain
	for name, s := range map[string]*mail.SMTP{
		"clear":          {Addr: lab.SMTP, TLS: mail.TLSNone},
		"STARTTLS login": {Addr: lab.Submission, TLS: mail.TLSStartTLS, User: "bench", Pass: lab.Password, CA: l.CA(b)},
		"TLS login":      {Addr: lab.SMTPS, TLS: mail.TLSImplicit, User: "bench", Pass: lab.Password, CA: l.CA(b)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := s.Send(b.Context(), "a@"+lab.Domain, to, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
