package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
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
	conn   watchedConn
	client *imapclient.Client
	lost   error         // why the connection is of no use any more
	news   chan struct{} // the server told of new messages; holds one
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
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, fmt.Errorf("securing IMAP connection: %w", err)
		}
		conn = secure
	}
	m := &imapMailbox{config: config, conn: watchedConn{conn}, news: make(chan struct{}, 1)}
	if err := m.do(ctx, "logging in", config.CommandTimeout, m.open); err != nil {
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

// do runs one command under the watchdog: the server has until the limit, and
// the end of the context is the end of the connection. Any error that is not an
// answer of the server makes the connection useless.
func (m *imapMailbox) do(ctx context.Context, what string, limit time.Duration, f func() error) error {
	if m.lost != nil {
		return fmt.Errorf("%s: connection lost: %w", what, m.lost)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	m.conn.arm(limit)
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
	err = m.do(ctx, "selecting "+folder, m.config.CommandTimeout, func() error {
		data, err := m.client.Select(folder, nil).Wait()
		if err == nil {
			state = FolderState{UIDValidity: data.UIDValidity, UIDNext: uint32(data.UIDNext), Messages: data.NumMessages}
		}
		return err
	})
	return state, err
}

// maxUIDs bounds what one search may return.
const maxUIDs = 1_000_000

func (m *imapMailbox) ListUIDs(ctx context.Context, from uint32) (uids []uint32, err error) {
	// What is told from here on is not in this search.
	select {
	case <-m.news:
	default:
	}
	from = max(from, 1)
	err = m.do(ctx, "searching", m.config.CommandTimeout, func() error {
		criteria := &imap.SearchCriteria{UID: []imap.UIDSet{{imap.UIDRange{Start: imap.UID(from)}}}}
		data, err := m.client.UIDSearch(criteria, nil).Wait()
		if err != nil {
			return err
		}
		uids, err = uidsFrom(data.All, from)
		return err
	})
	return uids, err
}

// uidsFrom keeps the UIDs that are at least from: a server answers "n:*" with
// its last message if n is too high (RFC 9051 section 6.4.4).
func uidsFrom(set imap.NumSet, from uint32) ([]uint32, error) {
	var uids []uint32
	ranges, _ := set.(imap.UIDSet)
	for _, r := range ranges {
		start, stop := max(uint32(r.Start), from), uint32(r.Stop)
		for u := uint64(start); u <= uint64(stop); u++ {
			if len(uids) == maxUIDs {
				return nil, errors.New("the server names too many messages")
			}
			uids = append(uids, uint32(u))
		}
	}
	slices.Sort(uids)
	return slices.Compact(uids), nil
}

func (m *imapMailbox) FetchMeta(ctx context.Context, uids []uint32) (metas []Meta, err error) {
	if len(uids) == 0 {
		return nil, nil
	}
	err = m.do(ctx, "fetching message data", m.config.CommandTimeout, func() error {
		found, err := m.client.Fetch(uidSet(uids...), &imap.FetchOptions{
			UID: true, Flags: true, InternalDate: true, RFC822Size: true,
		}).Collect()
		if err != nil {
			return err
		}
		metas = mergeMeta(found)
		return nil
	})
	return metas, err
}

// mergeMeta joins what a server may have said of one message in several lines.
func mergeMeta(found []*imapclient.FetchMessageBuffer) []Meta {
	byUID := map[uint32]Meta{}
	for _, f := range found {
		m := byUID[uint32(f.UID)]
		m.UID = uint32(f.UID)
		m.Size = cmp.Or(m.Size, f.RFC822Size)
		if m.InternalDate.IsZero() {
			m.InternalDate = f.InternalDate
		}
		if f.Flags != nil {
			m.Flags = nil
			for _, flag := range f.Flags {
				m.Flags = append(m.Flags, string(flag))
			}
		}
		byUID[m.UID] = m
	}
	metas := make([]Meta, 0, len(byUID))
	for _, m := range byUID {
		metas = append(metas, m)
	}
	slices.SortFunc(metas, func(a, b Meta) int { return cmp.Compare(a.UID, b.UID) })
	return metas
}

func (m *imapMailbox) FetchRaw(ctx context.Context, uid uint32, limit int64) (raw []byte, cut bool, err error) {
	err = m.do(ctx, fmt.Sprintf("fetching message %d", uid), m.config.BodyTimeout, func() error {
		cmd := m.client.Fetch(uidSet(uid), &imap.FetchOptions{
			UID: true,
			BodySection: []*imap.FetchItemBodySection{{
				Peek:    true,
				Partial: &imap.SectionPartial{Size: limit + 1},
			}},
		})
		found := false
		for msg := cmd.Next(); msg != nil; msg = cmd.Next() {
			found = true
			for item := msg.Next(); item != nil; item = msg.Next() {
				body, ok := item.(imapclient.FetchItemDataBodySection)
				if !ok || body.Literal == nil {
					continue
				}
				var err error
				if raw, err = m.readLiteral(body.Literal, limit); err != nil {
					// Touching the command again would race inside the library.
					return err
				}
			}
		}
		if err := cmd.Close(); err != nil {
			if aboutMessage(err) {
				return fmt.Errorf("%w: %w", ErrWithheld, err)
			}
			return err
		}
		if !found {
			return ErrGone
		}
		if raw == nil {
			return fmt.Errorf("%w: no text", ErrWithheld)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if int64(len(raw)) > limit {
		return raw[:limit], true, nil
	}
	return raw, false, nil
}

// aboutMessage tells an answer that refuses one message from one that a part of
// the server is down for a while (RFC 5530 section 3).
func aboutMessage(err error) bool {
	answer, ok := errors.AsType[*imap.Error](err)
	return ok && answer.Code != imap.ResponseCodeUnavailable && answer.Code != imap.ResponseCodeInUse
}

// readLiteral reads a literal of at most limit+1 bytes to its end. The library
// reports a connection lost inside a literal as its end, so the length is what
// tells.
func (m *imapMailbox) readLiteral(literal imap.LiteralReader, limit int64) ([]byte, error) {
	if literal.Size() > limit+1 {
		m.conn.expire()
		io.Copy(io.Discard, literal)
		return nil, fmt.Errorf("the server sends %d bytes where at most %d were asked for", literal.Size(), limit+1)
	}
	buf := bytes.NewBuffer(make([]byte, 0, literal.Size()+bytes.MinRead))
	if _, err := io.Copy(buf, literal); err != nil {
		return nil, err
	}
	if int64(buf.Len()) != literal.Size() {
		return nil, fmt.Errorf("the connection was lost after %d of %d bytes", buf.Len(), literal.Size())
	}
	return buf.Bytes(), nil
}

func (m *imapMailbox) Move(ctx context.Context, uid uint32, folder string) error {
	what := fmt.Sprintf("moving message %d to %s", uid, folder)
	return m.do(ctx, what, m.config.CommandTimeout, func() error {
		// Servers differ in what they answer for a message that is gone: OK, or
		// nonsense (the memory server) that ends the connection.
		found, err := m.client.Fetch(uidSet(uid), &imap.FetchOptions{UID: true, Flags: true}).Collect()
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return ErrGone
		}
		caps := m.client.Caps()
		switch {
		case caps.Has(imap.CapMove):
			data, err := m.client.Move(uidSet(uid), folder).Wait()
			if err == nil && caps.Has(imap.CapUIDPlus) && isEmptySet(data.SourceUIDs) {
				return ErrGone
			}
			return err
		case caps.Has(imap.CapUIDPlus):
			return m.copyAndExpunge(uid, folder)
		}
		// Without UID EXPUNGE only an EXPUNGE of everybody's deleted messages is left.
		return m.store(uid, MovedKeyword)
	})
}

// copyAndExpunge is a move by hand. The library's own sends all commands at
// once, so that a refused copy still deletes.
func (m *imapMailbox) copyAndExpunge(uid uint32, folder string) error {
	data, err := m.client.Copy(uidSet(uid), folder).Wait()
	if err != nil {
		return err
	}
	if len(data.SourceUIDs) == 0 {
		return ErrGone
	}
	if err := m.store(uid, string(imap.FlagDeleted)); err != nil {
		return err
	}
	return m.client.UIDExpunge(uidSet(uid)).Close()
}

func (m *imapMailbox) store(uid uint32, flag string) error {
	return m.client.Store(uidSet(uid), &imap.StoreFlags{
		Op:     imap.StoreFlagsAdd,
		Silent: true,
		Flags:  []imap.Flag{imap.Flag(flag)},
	}, nil).Close()
}

func (m *imapMailbox) Flag(ctx context.Context, uid uint32, keyword string) error {
	return m.do(ctx, fmt.Sprintf("marking message %d", uid), m.config.CommandTimeout, func() error {
		return m.store(uid, keyword)
	})
}

func (m *imapMailbox) EnsureFolders(ctx context.Context, folders ...string) error {
	for _, folder := range folders {
		if strings.EqualFold(folder, "INBOX") {
			continue
		}
		err := m.do(ctx, "making folder "+folder, m.config.CommandTimeout, func() error {
			_, err := m.client.Status(folder, &imap.StatusOptions{UIDValidity: true}).Wait()
			if _, refused := errors.AsType[*imap.Error](err); refused {
				return m.client.Create(folder, nil).Wait()
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
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
		err := m.do(context.WithoutCancel(ctx), "waiting for mail", m.config.CommandTimeout, func() (err error) {
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
	limit := m.config.CommandTimeout
	if ctx.Err() != nil {
		limit = min(limit, 5*time.Second) // somebody is waiting for us to stop
	}
	// Both calls are needed: the library deadlocks on one without the other.
	return m.do(context.WithoutCancel(ctx), "ending the wait for mail", limit, func() error {
		return errors.Join(idle.Close(), idle.Wait())
	})
}

func (m *imapMailbox) Noop(ctx context.Context) error {
	return m.do(ctx, "asking for news", m.config.CommandTimeout, func() error { return m.client.Noop().Wait() })
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

func isEmptySet(set imap.NumSet) bool {
	uids, ok := set.(imap.UIDSet)
	return !ok || len(uids) == 0
}
