package mail

import (
	"net"
	"time"
)

// watchedConn is a connection whose read deadline belongs to us. The IMAP
// library sets none while it waits for an answer, so a silent server would hold
// it for ever, and closing its client from outside races with it; a deadline
// unblocks it cleanly.
type watchedConn struct{ net.Conn }

// arm gives the server until d from now to finish its answer.
func (c watchedConn) arm(d time.Duration) { c.Conn.SetReadDeadline(time.Now().Add(d)) }

// disarm lets the connection rest.
func (c watchedConn) disarm() { c.Conn.SetReadDeadline(time.Time{}) }

// expire ends all reading and writing now. The connection is lost.
func (c watchedConn) expire() { c.Conn.SetDeadline(time.Unix(1, 0)) }

// SetReadDeadline ignores the library.
func (c watchedConn) SetReadDeadline(time.Time) error { return nil }

// SetDeadline obeys the library in writing only.
func (c watchedConn) SetDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(t) }
