package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// TLSMode says how a connection is secured.
type TLSMode string

// The ways of securing a connection.
const (
	TLSImplicit TLSMode = "implicit" // TLS from the first byte (ports 465 and 993)
	TLSStartTLS TLSMode = "starttls" // upgraded before anything secret is said; no upgrade, no connection
	TLSNone     TLSMode = "none"     // in the clear: for loopback
)

// Sender delivers stored bytes to one recipient. Errors are *SendError.
type Sender interface {
	Send(ctx context.Context, from, to string, raw []byte) error
}

// SMTP is a Sender that submits to a server. A connection over which a mail was
// taken is kept for the next one, for half a minute and up to 100 mails: to
// connect costs many times what a mail costs. It is safe for concurrent use; its
// fields are not to be changed after the first mail.
type SMTP struct {
	Addr       string // host:port
	TLS        TLSMode
	User, Pass string         // no AUTH if User is empty
	CA         *x509.CertPool // nil: the system's
	Hello      string         // name for EHLO; empty: localhost

	idle idleConns
}

// Stage is how far a delivery came before it failed.
type Stage string

// The stages of a delivery in their order.
const (
	StageConnect Stage = "connect"
	StageTLS     Stage = "tls"
	StageAuth    Stage = "auth"
	StageMail    Stage = "mail"
	StageRcpt    Stage = "rcpt"
	StageData    Stage = "data"
)

// SendError is a delivery that did not succeed. Code and Enhanced are what the
// server said (RFC 5321, RFC 3463); zero if it said nothing.
type SendError struct {
	Stage    Stage
	Code     int
	Enhanced [3]int
	Msg      string // one line of valid UTF-8, at most 400 bytes
	err      error
}

func (e *SendError) Error() string {
	return fmt.Sprintf("sending mail (%s): %s", e.Stage, e.Answer())
}

// Answer is what the server said, or what went wrong if it said nothing.
func (e *SendError) Answer() string {
	switch {
	case e.Code == 0:
		return e.Msg
	case e.Enhanced[0] <= 0:
		return fmt.Sprintf("%d %s", e.Code, e.Msg)
	}
	return fmt.Sprintf("%d %d.%d.%d %s", e.Code, e.Enhanced[0], e.Enhanced[1], e.Enhanced[2], e.Msg)
}

// Unwrap returns the library's or the context's error, if there is one.
func (e *SendError) Unwrap() error { return e.err }

// Temporary reports whether the same mail may succeed later: everything but a 5xx answer.
func (e *SendError) Temporary() bool { return e.Code < 500 }

// Ours reports whether the fault lies between us and our own server, whoever
// the recipient is: sending is to pause, and nobody is to be marked.
func (e *SendError) Ours() bool {
	switch e.Stage {
	case StageConnect, StageTLS, StageAuth, StageMail:
		return true
	}
	return false
}

// Unreachable reports whether the recipient's address is at fault: a 5xx answer
// at RCPT with 5.1.x (address), 5.2.x (mailbox) or no enhanced code.
func (e *SendError) Unreachable() bool {
	if e.Stage != StageRcpt || e.Code < 500 {
		return false
	}
	known := e.Enhanced[0] > 0
	return !known || e.Enhanced[0] == 5 && (e.Enhanced[1] == 1 || e.Enhanced[1] == 2)
}

// Send delivers raw from the envelope sender (empty for none) to one recipient.
// The end of the context ends the connection. After an error at StageData the
// server may have taken the mail all the same.
func (s *SMTP) Send(ctx context.Context, from, to string, raw []byte) error {
	if err := checkEnvelope(from, to); err != nil {
		return err
	}
	if c := s.idle.take(); c != nil {
		err := s.over(ctx, c, from, to, raw)
		// Servers end sessions when they like, and say so at the next command. Only
		// what a fresh connection says counts; a mail that got past MAIL is not tried twice.
		if e, ok := errors.AsType[*SendError](err); !ok || e.Stage != StageMail || ctx.Err() != nil {
			return err
		}
	}
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return s.over(ctx, c, from, to, raw)
}

// Close ends the connections that are kept; later ones are not kept any more.
func (s *SMTP) Close() error {
	s.idle.close()
	return nil
}

// over sends one mail over a connection, and keeps that for the next one if the
// mail was taken.
func (s *SMTP) over(ctx context.Context, c *smtpConn, from, to string, raw []byte) error {
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	c.conn.allow(maxSMTPAnswers)
	err := c.send(ctx, from, to, raw)
	alive := stop()
	if err != nil || !alive {
		c.conn.Close()
		return err
	}
	s.idle.keep(c)
	return nil
}

// send is one mail transaction. Nothing needs to be reset before it: a mail that
// was taken leaves no trace in a session (RFC 5321 section 4.1.1.4), and any
// other end is the end of the connection.
func (c *smtpConn) send(ctx context.Context, from, to string, raw []byte) error {
	utf8 := !isASCII(from + to)
	if can, _ := c.client.Extension("SMTPUTF8"); utf8 && !can {
		return &SendError{Stage: StageRcpt, Code: 553, Enhanced: [3]int{5, 6, 7}, Msg: "our server cannot send to addresses outside ASCII"}
	}
	patience := c.client.CommandTimeout
	if c.mails > 0 {
		c.client.CommandTimeout = staleTimeout
	}
	if err := c.client.Mail(from, &smtp.MailOptions{Size: int64(len(raw)), UTF8: utf8}); err != nil {
		return sendError(ctx, StageMail, err)
	}
	c.client.CommandTimeout = patience
	if err := c.client.Rcpt(to, nil); err != nil {
		return sendError(ctx, StageRcpt, err)
	}
	w, err := c.client.Data()
	if err != nil {
		return sendError(ctx, StageData, err)
	}
	if _, err := io.Copy(w, bytes.NewReader(raw)); err != nil {
		return sendError(ctx, StageData, err)
	}
	if err := w.Close(); err != nil {
		return sendError(ctx, StageData, err)
	}
	c.mails++
	return nil
}

// connect makes a connection over which mail can be sent.
func (s *SMTP) connect(ctx context.Context) (*smtpConn, error) {
	conn, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, sendError(ctx, StageConnect, err)
	}
	c := &smtpConn{conn: &meteredConn{Conn: conn}}
	c.conn.allow(maxSMTPAnswers)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if c.client, err = s.open(ctx, c.conn); err == nil && s.User != "" {
		if err = authenticate(c.client, s.User, s.Pass); err != nil {
			err = sendError(ctx, StageAuth, err)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// open says hello over a connection that is as secure as it is meant to be.
func (s *SMTP) open(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	var c *smtp.Client
	greeted := StageConnect
	switch s.TLS {
	case TLSImplicit:
		t := tls.Client(conn, tlsConfig(s.Addr, s.CA))
		shake, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		if err := t.HandshakeContext(shake); err != nil {
			return nil, sendError(ctx, StageTLS, err)
		}
		c = smtp.NewClient(t)
	case TLSStartTLS:
		var err error
		if c, err = smtp.NewClientStartTLS(conn, tlsConfig(s.Addr, s.CA)); err != nil {
			return nil, sendError(ctx, StageTLS, err)
		}
		greeted = StageTLS // the handshake happens with the next command
	case TLSNone:
		c = smtp.NewClient(conn)
	default:
		return nil, &SendError{Stage: StageTLS, Msg: fmt.Sprintf("unknown TLS mode %q", s.TLS)}
	}
	hello := s.Hello
	if hello == "" {
		hello = "localhost"
	}
	if err := c.Hello(hello); err != nil {
		return nil, sendError(ctx, greeted, err)
	}
	return c, nil
}

func authenticate(c *smtp.Client, user, pass string) error {
	switch {
	case c.SupportsAuth(sasl.Plain):
		return c.Auth(sasl.NewPlainClient("", user, pass))
	case c.SupportsAuth(sasl.Login):
		return c.Auth(&loginClient{answers: [][]byte{[]byte(user), []byte(pass)}})
	}
	return errors.New("the server offers neither AUTH PLAIN nor AUTH LOGIN")
}

// loginClient is the LOGIN mechanism (draft-murchison-sasl-login). The library's
// sends the user name unasked and knows one wording of the second question;
// servers differ in both.
type loginClient struct{ answers [][]byte }

func (l *loginClient) Start() (mechanism string, initial []byte, err error) {
	return sasl.Login, nil, nil
}

func (l *loginClient) Next([]byte) (answer []byte, err error) {
	if len(l.answers) == 0 {
		return nil, sasl.ErrUnexpectedServerChallenge
	}
	answer, l.answers = l.answers[0], l.answers[1:]
	return answer, nil
}

// checkEnvelope refuses addresses that could not be told to any server, so that
// they do not come back for ever as a temporary fault.
func checkEnvelope(from, to string) error {
	bad := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '<' || r == '>' })
	}
	if from != "" && (bad(from) || !strings.Contains(from, "@")) {
		return &SendError{Stage: StageMail, Code: 553, Enhanced: [3]int{5, 1, 7}, Msg: "the envelope sender is not an address"}
	}
	if bad(to) || !strings.Contains(to, "@") {
		return &SendError{Stage: StageRcpt, Code: 553, Enhanced: [3]int{5, 1, 3}, Msg: "the recipient is not an address"}
	}
	return nil
}

func sendError(ctx context.Context, stage Stage, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	e := &SendError{Stage: stage, Msg: err.Error(), err: err}
	if answer, ok := errors.AsType[*smtp.SMTPError](err); ok {
		e.Code, e.Enhanced, e.Msg = answer.Code, answer.EnhancedCode, answer.Message
	}
	e.Msg = fieldText(e.Msg) // it is shown and stored
	return e
}

// tlsConfig is for a client of host:port.
func tlsConfig(addr string, roots *x509.CertPool) *tls.Config {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	return &tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
