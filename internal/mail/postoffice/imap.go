package postoffice

import (
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// imapSession is one connection of a mail program that reads: the memory
// server's session with our accounts, and guards where that one is too kind.
type imapSession struct {
	*imapmemserver.UserSession // nil before the login

	srv *Server
	box *mailbox
}

var (
	_ imapserver.SessionIMAP4rev2   = (*imapSession)(nil)
	_ imapserver.SessionAppendLimit = (*imapSession)(nil)
)

func (s *Server) newIMAPSession(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
	return &imapSession{srv: s}, nil, nil
}

func (sess *imapSession) Login(user, password string) error {
	unavailable := &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeUnavailable, Text: "Try again later"}
	name, ok, err := sess.srv.login(user, password)
	if err != nil {
		sess.srv.opts.Log.Error("post office cannot check a password", "err", err)
		return unavailable
	}
	if !ok {
		return imapserver.ErrAuthFailed
	}
	box, err := sess.srv.mailbox(name)
	if err != nil {
		sess.srv.opts.Log.Error("post office cannot open a mailbox", "err", err)
		return unavailable
	}
	sess.box = box
	sess.UserSession = imapmemserver.NewUserSession(box.user)
	if sess.srv.opts.OnLogin != nil {
		sess.srv.opts.OnLogin(name, "imap")
	}
	return nil
}

func (sess *imapSession) AppendLimit() uint32 { return uint32(sess.srv.opts.MaxLetter) }

func (sess *imapSession) Create(folder string, options *imap.CreateOptions) error {
	return sess.box.create(folder, options)
}

func (sess *imapSession) Delete(folder string) error {
	if slices.Contains(standing, folder) {
		return errStanding
	}
	return sess.UserSession.Delete(folder)
}

func (sess *imapSession) Rename(from, to string, options *imap.RenameOptions) error {
	if slices.Contains(standing, from) {
		return errStanding
	}
	return sess.UserSession.Rename(from, to, options)
}

var errStanding = &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeCannot, Text: "This folder stays"}

// Poll is called after every command, any of which may have changed a folder
// that another session watches.
func (sess *imapSession) Poll(w *imapserver.UpdateWriter, allowExpunge bool) error {
	sess.box.wake()
	return sess.UserSession.Poll(w, allowExpunge)
}

// Idle (RFC 2177) differs from the memory server's in that it also reports what
// came between the last command and its own beginning.
func (sess *imapSession) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	changes, end := sess.box.watch()
	defer end()
	for {
		if err := sess.UserSession.Poll(w, true); err != nil {
			return err
		}
		select {
		case <-changes:
		case <-stop:
			return nil
		}
	}
}
