package mail

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-smtp"
)

// loopbackTLS is a server configuration for 127.0.0.1 and the pool that trusts it.
func loopbackTLS(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	srv := httptest.NewTLSServer(nil) // for its certificate
	defer srv.Close()
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	return &tls.Config{Certificates: srv.TLS.Certificates}, pool
}

func listen(t *testing.T, implicit *tls.Config) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit != nil {
		ln = tls.NewListener(ln, implicit)
	}
	return ln
}

func TestConnectionsAreSecured(t *testing.T) {
	t.Parallel()
	server, pool := loopbackTLS(t)
	for mode, implicit := range map[TLSMode]*tls.Config{TLSImplicit: server, TLSStartTLS: nil} {
		t.Run("SMTP "+string(mode), func(t *testing.T) {
			t.Parallel()
			b := &smtpBackend{}
			srv := smtp.NewServer(b)
			srv.TLSConfig = server
			ln := listen(t, implicit)
			go srv.Serve(ln)
			defer srv.Close()
			s := &SMTP{Addr: ln.Addr().String(), TLS: mode, User: "pbem", Pass: "secret", CA: pool}
			if err := s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n")); err != nil || len(b.mail) != 1 {
				t.Errorf("%v, %q", err, b.mail)
			}
			s = &SMTP{Addr: s.Addr, TLS: mode, User: "pbem", Pass: "secret", CA: x509.NewCertPool()}
			err := s.Send(t.Context(), "a@b", "c@d", []byte("x\r\n"))
			if e, ok := err.(*SendError); !ok || e.Stage != StageTLS {
				t.Errorf("a certificate nobody trusts: %v", err)
			}
		})
		t.Run("IMAP "+string(mode), func(t *testing.T) {
			t.Parallel()
			user := imapmemserver.NewUser("pbem", "secret")
			mem := imapmemserver.New()
			mem.AddUser(user)
			options := &imapserver.Options{
				NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
					return mem.NewSession(), nil, nil
				},
			}
			if implicit == nil {
				options.TLSConfig = server
			}
			srv := imapserver.New(options)
			ln := listen(t, implicit)
			go srv.Serve(ln)
			defer srv.Close()
			config := IMAPConfig{Addr: ln.Addr().String(), TLS: mode, User: "pbem", Pass: "secret", CA: pool}
			m, err := DialIMAP(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if err := m.EnsureFolders(t.Context(), "Processed"); err != nil {
				t.Error(err)
			}
			config.CA = x509.NewCertPool()
			if m, err := DialIMAP(t.Context(), config); err == nil {
				m.Close()
				t.Error("a certificate nobody trusts is taken")
			}
		})
	}
}
