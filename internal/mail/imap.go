package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
)

// IMAPConfig says how to reach an account.
type IMAPConfig struct {
	Addr       string // host:port
	TLS        TLSMode
	User, Pass string
	CA         *x509.CertPool // nil: the system's

	// How long the server may take; zero values are for real servers.
	CommandTimeout time.Duration // for any answer; 60 s
	BodyTimeout    time.Duration // for the text of a message; 5 min
	IdleTime       time.Duration // how long Idle waits at most; 5 to 9 min, by chance
}

// imapMailbox is the [Mailbox] over go-imap v2. It asks for nothing that the
// library parses strictly (no ENVELOPE, no BODYSTRUCTURE: one odd message would
// end each connection) and uses UIDs only.
type imapMailbox struct {
	config IMAPConfig
	conn   *watchedConn
	client *imapclient.Client
	lost   error         // why the connection is of no use any more
	news   chan struct{} // the server told of new messages; holds one

	briefBytes int64 // see the constants of these names
	maxUIDs    int
}

// DialIMAP connects and logs in.
func DialIMAP(ctx context.Context, config IMAPConfig) (Mailbox, error) {
	config.CommandTimeout = cmp.Or(config.CommandTimeout, time.Minute)
	config.BodyTimeout = cmp.Or(config.BodyTimeout, 5*time.Minute)
	conn, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", config.Addr)
	if err != nil {
		return nil, fmt.Errorf("connecting to IMAP server: %w", err)
	}
	if config.TLS == TLSImplicit {
		secure := tls.Client(conn, tlsConfig(config.Addr, config.CA))
		shake, cancel := context.WithTimeout(ctx, config.CommandTimeout)
		defer cancel()
		if err := secure.HandshakeContext(shake); err != nil {
			conn.Close()
			return nil, fmt.Errorf("securing IMAP connection: %w", err)
		}
		conn = secure
	}
	m := &imapMailbox{config: config, conn: &watchedConn{}, news: make(chan struct{}, 1),
		briefBytes: briefBytes, maxUIDs: maxUIDs}
	m.conn.Conn = conn
	if err := m.do(ctx, "logging in", m.brief(0), m.open); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// open brings the connection to the authenticated state.
func (m *imapMailbox) open() error {
	options := &imapclient.Options{
		UnilateralDataHandler: &imapclient.UnilateralDataHandler{
			Mailbox: func(data *imapclient.UnilateralDataMailbox) {
				if data.NumMessages != nil {
					m.tell()
				}
			},
		},
	}
	switch m.config.TLS {
	case TLSStartTLS:
		options.TLSConfig = tlsConfig(m.config.Addr, m.config.CA)
		client, err := imapclient.NewStartTLS(m.conn, options)
		if err != nil {
			return err
		}
		m.client = client
	case TLSImplicit, TLSNone:
		m.client = imapclient.New(m.conn, options)
	default:
		return fmt.Errorf("unknown TLS mode %q", m.config.TLS)
	}
	if err := m.client.WaitGreeting(); err != nil {
		return err
	}
	if m.client.State() == imap.ConnStateAuthenticated {
		return nil
	}
	caps := m.client.Caps()
	switch {
	case caps.Has(imap.AuthCap(sasl.Plain)):
		return m.client.Authenticate(sasl.NewPlainClient("", m.config.User, m.config.Pass))
	case caps.Has(imap.CapLoginDisabled):
		return errors.New("the server allows neither AUTHENTICATE PLAIN nor LOGIN on this connection")
	}
	return m.client.Login(m.config.User, m.config.Pass).Wait()
}

// allowance is what a server may take for one command.
type allowance struct {
	time  time.Duration
	bytes int64 // that it says from the command on until the next one
}

const (
	briefBytes = 1 << 20   // for any answer, and the news until the next one
	metaBytes  = 4 << 10   // for the flags and dates of one message
	maxUIDs    = 1_000_000 // that one search may name
)

// brief is the allowance for a command with a short answer, and what more it says
// in bytes.
func (m *imapMailbox) brief(more int64) allowance {
	return allowance{m.config.CommandTimeout, m.briefBytes + more}
}

// do runs one command under the watchdog: the server has its allowance, and
// the end of the context is the end of the connection. Any error that is not an
// answer of the server makes the connection useless.
func (m *imapMailbox) do(ctx context.Context, what string, limit allowance, f func() error) error {
	if m.lost != nil {
		return fmt.Errorf("%s: connection lost: %w", what, m.lost)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	m.conn.arm(limit.time, limit.bytes)
	stop := context.AfterFunc(ctx, m.conn.expire)
	err := f()
	if !stop() {
		m.lost = context.Cause(ctx)
		if err != nil {
			err = m.lost
		}
	}
	if err == nil {
		m.conn.disarm()
		return nil
	}
	_, answered := errors.AsType[*imap.Error](err)
	if !answered && !errors.Is(err, ErrGone) && !errors.Is(err, ErrWithheld) && m.lost == nil {
		m.lost = err
		m.conn.Close()
	}
	m.conn.disarm()
	return fmt.Errorf("%s: %w", what, err)
}

func (m *imapMailbox) tell() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

func (m *imapMailbox) Select(ctx context.Context, folder string) (state FolderState, err error) {
	err = m.do(ctx, "selecting "+folder, m.brief(0), func() error {
		data, err := m.client.Select(folder, nil).Wait()
		if err == nil {
			state = FolderState{UIDValidity: data.UIDValidity, UIDNext: uint32(data.UIDNext), Messages: data.NumMessages}
		}
		return err
	})
	return state, err
}

func (m *imapMailbox) ListUIDs(ctx context.Context, from uint32) (uids []uint32, err error) {
	// What is told from here on is not in this search.
	select {
	case <-m.news:
	default:
	}
	from = max(from, 1)
	err = m.do(ctx, "searching", m.brief(int64(m.maxUIDs)*12), func() error {
		criteria := &imap.SearchCriteria{UID: []imap.UIDSet{{imap.UIDRange{Start: imap.UID(from)}}}}
		data, err := m.client.UIDSearch(criteria, nil).Wait()
		if err != nil {
			return err
		}
		uids, err = uidsFrom(data.All, from, m.maxUIDs)
		return err
	})
	return uids, err
}

// uidsFrom keeps the UIDs that are at least from: a server answers "n:*" with
// its last message if n is too high (RFC 9051 section 6.4.4).
func uidsFrom(set imap.NumSet, from uint32, most int) ([]uint32, error) {
	var uids []uint32
	ranges, _ := set.(imap.UIDSet)
	for _, r := range ranges {
		start, stop := max(uint32(r.Start), from), uint32(r.Stop)
		for u := uint64(start); u <= uint64(stop); u++ {
			if len(uids) == most {
				return nil, errors.New("the server names too many messages")
			}
			uids = append(uids, uint32(u))
		}
	}
	slices.Sort(uids)
	return slices.Compact(uids), nil
}

func (m *imapMailbox) Idle(ctx context.Context) error {
	if m.lost != nil {
		return fmt.Errorf("waiting for mail: connection lost: %w", m.lost)
	}
	wait := m.config.IdleTime
	if wait == 0 {
		wait = 5*time.Minute + rand.N(4*time.Minute)
	}
	var idle *imapclient.IdleCommand
	if m.client.Caps().Has(imap.CapIdle) {
		err := m.do(context.WithoutCancel(ctx), "waiting for mail", m.brief(0), func() (err error) {
			idle, err = m.client.Idle()
			return err
		})
		if err != nil {
			return err
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-m.news:
	case <-ctx.Done():
	case <-timer.C:
	case <-m.client.Closed():
	}
	if idle == nil {
		return nil
	}
	limit := m.brief(0)
	if ctx.Err() != nil {
		limit.time = min(limit.time, 5*time.Second) // somebody is waiting for us to stop
	}
	// Both calls are needed: the library deadlocks on one without the other.
	return m.do(context.WithoutCancel(ctx), "ending the wait for mail", limit, func() error {
		return errors.Join(idle.Close(), idle.Wait())
	})
}

func (m *imapMailbox) Noop(ctx context.Context) error {
	return m.do(ctx, "asking for news", m.brief(0), func() error { return m.client.Noop().Wait() })
}

func (m *imapMailbox) Close() error {
	m.lost = cmp.Or(m.lost, net.ErrClosed)
	err := m.conn.Close()
	if m.client != nil {
		m.client.Close()
	}
	return err
}

func uidSet(uids ...uint32) imap.UIDSet {
	var set imap.UIDSet
	for _, u := range uids {
		set.AddNum(imap.UID(u))
	}
	return set
}
