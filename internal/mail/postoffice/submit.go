package postoffice

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The answers are those of RFC 3463 and RFC 4954; none shows an internal error.
var (
	errAuthRequired = &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "Authentication required"}
	errAuthLater    = &smtp.SMTPError{Code: 454, EnhancedCode: smtp.EnhancedCode{4, 7, 0}, Message: "Temporary authentication failure"}
	errSender       = &smtp.SMTPError{Code: 553, EnhancedCode: smtp.EnhancedCode{5, 1, 7}, Message: "Bad sender address"}
	errRecipient    = &smtp.SMTPError{Code: 553, EnhancedCode: smtp.EnhancedCode{5, 1, 3}, Message: "Bad recipient address"}
	errRelay        = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "Relaying denied"}
	errUnknown      = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such mailbox here"}
	errLater        = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Try again later"}
	errNoRoom       = &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 3, 1}, Message: "Insufficient system storage, try again later"}
	errHungUp       = &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 4, 2}, Message: "Connection lost"}
	errTooLarge     = &smtp.SMTPError{Code: 552, EnhancedCode: smtp.EnhancedCode{5, 3, 4}, Message: "Letter is too large"}
)

// smtpSession is one connection of a mail program that sends.
type smtpSession struct {
	srv   *Server
	conn  *smtp.Conn
	user  string // full address once authenticated
	from  string
	rcpts []envelope
}

type envelope struct{ rcpt, mailbox string }

func (s *Server) newSubmission(c *smtp.Conn) (smtp.Session, error) {
	return &smtpSession{srv: s, conn: c}, nil
}

func (sess *smtpSession) AuthMechanisms() []string {
	return []string{sasl.Plain, sasl.Login}
}

func (sess *smtpSession) Auth(mech string) (sasl.Server, error) {
	switch mech {
	case sasl.Plain:
		return sasl.NewPlainServer(func(identity, user, password string) error {
			if identity != "" && identity != user {
				return smtp.ErrAuthFailed
			}
			return sess.login(user, password)
		}), nil
	case sasl.Login:
		return &loginServer{login: sess.login}, nil
	}
	return nil, smtp.ErrAuthUnknownMechanism
}

func (sess *smtpSession) login(user, password string) error {
	name, ok, err := sess.srv.login(user, password)
	if err != nil {
		sess.srv.opts.Log.Error("post office cannot check a password", "err", err)
		return errAuthLater
	}
	if !ok {
		return smtp.ErrAuthFailed
	}
	sess.user = name + "@" + sess.srv.opts.Domain
	return nil
}

func (sess *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	if sess.user == "" {
		return errAuthRequired
	}
	if !validPath(from) {
		return errSender
	}
	sess.from = from
	return nil
}

func (sess *smtpSession) Rcpt(rcpt string, _ *smtp.RcptOptions) error {
	if sess.user == "" {
		return errAuthRequired
	}
	name, err := sess.srv.recipient(rcpt)
	if errors.Is(err, errFaultTimeout) {
		return sess.hang()
	} else if err != nil {
		return err
	}
	sess.rcpts = append(sess.rcpts, envelope{rcpt, name})
	return nil
}

// hang keeps the client waiting until it or the server closes the connection.
func (sess *smtpSession) hang() error {
	conn := sess.conn.Conn()
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return errHungUp
	}
	io.Copy(io.Discard, conn) // ends with the connection, which is all we wait for
	conn.Close()
	return errHungUp
}

func (sess *smtpSession) Data(r io.Reader) error {
	max := sess.srv.opts.MaxLetter
	raw, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return err
	}
	if int64(len(raw)) > max {
		return errTooLarge
	}
	clean := stripResults(raw)
	for _, env := range sess.rcpts {
		if err := sess.srv.deliver(env.mailbox, sess.submitted(env.rcpt, clean)); err != nil {
			sess.srv.opts.Log.Error("post office cannot store a letter", "mailbox", env.mailbox, "err", err)
			return notStored(err)
		}
	}
	return nil
}

// notStored is the answer where a letter could not be stored: RFC 5321 section 4.2.2
// has one of its own for a disk that is full.
func notStored(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return errNoRoom
	}
	return errLater
}

func (sess *smtpSession) Reset() {
	sess.from = ""
	sess.rcpts = nil
}

func (sess *smtpSession) Logout() error { return nil }

var errFaultTimeout = errors.New("recipient never answers")

// recipient finds the mailbox for an envelope recipient; errors are answers to
// RCPT but for errFaultTimeout.
func (s *Server) recipient(rcpt string) (name string, err error) {
	at := strings.LastIndexByte(rcpt, '@')
	if at < 0 || !strings.EqualFold(rcpt[at+1:], s.opts.Domain) {
		return "", errRelay
	}
	if !validPath(rcpt) {
		return "", errRecipient
	}
	base, _, _ := strings.Cut(rcpt[:at], "+")
	name = strings.ToLower(base)
	switch name {
	case "temperror":
		return "", errLater
	case "permerror":
		return "", errUnknown
	case "timeout":
		return "", errFaultTimeout
	}
	if !validName(name) {
		return "", errUnknown
	}
	_, known, err := s.account(name)
	if err != nil {
		s.opts.Log.Error("post office cannot look up a recipient", "err", err)
		return "", errLater
	}
	if !known {
		return "", errUnknown
	}
	return name, nil
}

// loginServer is the server's half of the LOGIN mechanism
// (draft-murchison-sasl-login), which go-sasl leaves out.
type loginServer struct {
	login   func(user, password string) error
	user    string
	hasUser bool
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case response == nil:
		return []byte("Username:"), false, nil
	case !l.hasUser:
		l.user, l.hasUser = string(response), true
		return []byte("Password:"), false, nil
	}
	return nil, true, l.login(l.user, string(response))
}
