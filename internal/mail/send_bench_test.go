package mail_test

import (
	"testing"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

// BenchmarkSend is one small mail to the servers of the lab, over a kept
// connection and over one of its own.
func BenchmarkSend(b *testing.B) {
	l := lab.Open(b)
	raw := []byte("From: a@example.test\r\nTo: b@example.test\r\nSubject: x\r\n\r\ntext\r\n")
	to := l.User(b, "bench") + "@" + lab.Domain
	for _, bench := range []struct {
		name, addr string
		tls        mail.TLSMode
		user       string
	}{
		{"OpenSMTPD", lab.SMTP, mail.TLSNone, ""},
		{"submission with STARTTLS", lab.Submission, mail.TLSStartTLS, "bench"},
		{"submission over TLS", lab.SMTPS, mail.TLSImplicit, "bench"},
	} {
		for _, kept := range []bool{true, false} {
			s := &mail.SMTP{Addr: bench.addr, TLS: bench.tls, User: bench.user, Pass: lab.Password, CA: l.CA(b)}
			name := "/kept"
			if !kept {
				name = "/one a mail"
				s.Close() // from then on none is kept
			}
			b.Run(bench.name+name, func(b *testing.B) {
				for b.Loop() {
					if err := s.Send(b.Context(), "a@"+lab.Domain, to, raw); err != nil {
						b.Fatal(err)
					}
				}
			})
			s.Close()
		}
	}
}
