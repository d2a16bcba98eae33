package mail

import (
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

const (
	maxIdle      = 8                // connections kept
	maxMails     = 100              // over one connection: what servers commonly allow
	idleTime     = 30 * time.Second // a connection is kept so long
	staleTimeout = 10 * time.Second // for the first answer over a kept connection
	quitTimeout  = 5 * time.Second  // for the answer to the goodbye

	maxSMTPAnswers   = 1 << 20 // bytes of one server's answers to one mail
	handshakeTimeout = time.Minute
)

// smtpConn is a session in which mail can be sent.
type smtpConn struct {
	client *smtp.Client
	conn   *meteredConn
	mails  int         // that were taken
	expiry *time.Timer // while it is kept
}

// quit ends the session with a goodbye, whatever comes of it.
func (c *smtpConn) quit() {
	c.client.CommandTimeout = quitTimeout
	c.client.Quit()
	c.conn.Close()
}

// idleConns are the sessions that wait for a mail. Whoever stops a session's
// timer owns the session.
type idleConns struct {
	mu     sync.Mutex
	conns  []*smtpConn
	closed bool
}

// take gives the session used last; nil: there is none.
func (i *idleConns) take() *smtpConn {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.conns) > 0 {
		c := i.conns[len(i.conns)-1]
		i.conns = i.conns[:len(i.conns)-1]
		if c.expiry.Stop() {
			return c
		}
	}
	return nil
}

// keep keeps a session, or ends it if it has done its part.
func (i *idleConns) keep(c *smtpConn) {
	i.mu.Lock()
	if i.closed || c.mails >= maxMails || len(i.conns) >= maxIdle {
		i.mu.Unlock()
		c.quit()
		return
	}
	defer i.mu.Unlock()
	c.expiry = time.AfterFunc(idleTime, func() {
		i.drop(c)
		c.quit()
	})
	i.conns = append(i.conns, c)
}

func (i *idleConns) drop(c *smtpConn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.conns = slices.DeleteFunc(i.conns, func(o *smtpConn) bool { return o == c })
}

func (i *idleConns) close() {
	i.mu.Lock()
	i.closed = true
	conns := i.conns
	i.conns = nil
	i.mu.Unlock()
	for _, c := range conns {
		if c.expiry.Stop() {
			c.quit()
		}
	}
}
