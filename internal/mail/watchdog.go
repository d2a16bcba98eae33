package mail

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// errFlood means that a server says more than any answer to us can need.
var errFlood = errors.New("the server does not stop talking")

// meteredConn is a connection over which only so many bytes come in: the
// libraries keep whatever a server says of a line, a list or a greeting.
type meteredConn struct {
	net.Conn
	left atomic.Int64
}

// allow lets n bytes in from now on, whatever was left.
func (c *meteredConn) allow(n int64) { c.left.Store(n) }

// Read fails for good when the allowance is used up, until there is a new one.
func (c *meteredConn) Read(b []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, errFlood
	}
	n, err := c.Conn.Read(b[:min(int64(len(b)), left)])
	c.left.Add(-int64(n))
	return n, err
}

// watchedConn is a connection whose read deadline belongs to us. The IMAP
// library sets none while it waits for an answer, so a silent server would hold
// it for ever, and closing its client from outside races with it; a deadline
// unblocks it cleanly.
type watchedConn struct{ meteredConn }

// arm gives the server until d from now to finish its answer, and n bytes for it
// and for what it says unasked until the next command.
func (c *watchedConn) arm(d time.Duration, n int64) {
	c.allow(n)
	c.Conn.SetReadDeadline(time.Now().Add(d))
}

// disarm lets the connection rest.
func (c *watchedConn) disarm() { c.Conn.SetReadDeadline(time.Time{}) }

// expire ends all reading and writing now. The connection is lost.
func (c *watchedConn) expire() { c.Conn.SetDeadline(time.Unix(1, 0)) }

// SetReadDeadline ignores the library.
func (c *watchedConn) SetReadDeadline(time.Time) error { return nil }

// SetDeadline obeys the library in writing only.
func (c *watchedConn) SetDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(t) }
