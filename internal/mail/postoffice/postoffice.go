// Package postoffice is a small mail server in one process: SMTP submission
// and IMAP over a spool folder. It is the mail system of the embedded default
// (nobody has to own a domain to try the program) and the double that tests
// send real mail through.
//
// A letter is answered with 250 only after it lies on the disk, and every
// start reads the spool again, so no accepted letter is lost. Everything else
// is kept in memory: flags, moves, made folders and appended letters are gone
// after a restart, when each INBOX again shows all that its mailbox ever
// received, under a higher UIDVALIDITY. A reader must therefore recognise what
// it has seen.
//
// Mailboxes are named by the local part of their address in lower case;
// letters to "user+tag@domain" come to "user". Three addresses at the domain
// fail on purpose at RCPT: "temperror" (451), "permerror" (550) and "timeout"
// (no answer while the connection lasts).
package postoffice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-smtp"
)

const (
	defaultMaxLetter = 11 << 20 // bytes
	maxRecipients    = 100
	maxLine          = 64 << 10        // bytes; phones send HTML in one line
	smtpTimeout      = 5 * time.Minute // RFC 5321 section 4.5.3.2.7
)

var errClosed = errors.New("post office is closed")

// Options are the settings of a post office. Dir, Domain and Accounts are
// required.
type Options struct {
	// Dir is the spool folder; it is made if absent. One server at a time may
	// use it: the caller sees to that.
	Dir string
	// Domain is the only domain that letters are accepted for, such as
	// "pbemd.localhost".
	Domain string
	// ID is the authserv-id written into Authentication-Results (RFC 8601
	// section 2.2); empty means Domain.
	ID string
	// SMTPAddr and IMAPAddr are the addresses to listen on; empty means
	// "127.0.0.1:0". There is no TLS, so they should be loopback addresses.
	SMTPAddr, IMAPAddr string
	// Accounts gives all accounts: full address in lower case to password. It
	// is asked at each login and each recipient, so accounts may come and go. An
	// account with an empty password receives letters and admits nobody.
	Accounts func() (map[string]string, error)
	// MaxLetter is the largest letter taken by SMTP and APPEND, in bytes; 0
	// means 11 MiB.
	MaxLetter int64
	// Now is the clock for file names, Received fields and INTERNALDATE; nil
	// means time.Now.
	Now func() time.Time
	// Log gets what goes wrong; nil means slog.Default.
	Log *slog.Logger
	// OnLogin, if set, is called after each successful login of an IMAP client
	// with the mailbox name and the protocol, "imap".
	OnLogin func(user, proto string)
	// OnDeliver, if set, is called once a letter is on the disk and in the
	// INBOX, before the sender is answered, with the mailbox name and the
	// letter as stored. It may be called from several goroutines, must not
	// change raw, and must not call Close.
	OnDeliver func(user string, raw []byte)
}

// Server is a running post office.
type Server struct {
	opts   Options
	epoch  uint32
	smtp   *smtp.Server
	imap   *imapserver.Server
	smtpLn net.Listener
	imapLn net.Listener

	closeOnce sync.Once
	closeErr  error
	cancel    context.CancelFunc // of the watch on Start's context
	serving   sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	delivering sync.WaitGroup // raised only under mu while not closed
	mailboxes  map[string]*mailbox
}

// Start loads the spool, listens and serves until Close is called or ctx ends.
// When it returns, both addresses accept connections.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Dir == "" || opts.Domain == "" || opts.Accounts == nil {
		return nil, errors.New("starting post office: Dir, Domain and Accounts are required")
	}
	if opts.ID == "" {
		opts.ID = opts.Domain
	}
	if opts.SMTPAddr == "" {
		opts.SMTPAddr = "127.0.0.1:0"
	}
	if opts.IMAPAddr == "" {
		opts.IMAPAddr = "127.0.0.1:0"
	}
	if opts.MaxLetter == 0 {
		opts.MaxLetter = defaultMaxLetter
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}

	s := &Server{opts: opts, mailboxes: make(map[string]*mailbox)}
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("starting post office: %w", err)
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	if err := os.MkdirAll(s.opts.Dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.epoch, err = raiseEpoch(s.opts.Dir); err != nil {
		return err
	}
	if err := s.loadAccounts(); err != nil {
		return err
	}
	if s.smtpLn, err = net.Listen("tcp", s.opts.SMTPAddr); err != nil {
		return err
	}
	if s.imapLn, err = net.Listen("tcp", s.opts.IMAPAddr); err != nil {
		return errors.Join(err, s.smtpLn.Close())
	}

	logger := slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn)
	s.smtp = smtp.NewServer(smtp.BackendFunc(s.newSubmission))
	s.smtp.Domain = s.opts.Domain
	s.smtp.AllowInsecureAuth = true
	s.smtp.MaxRecipients = maxRecipients
	s.smtp.MaxMessageBytes = s.opts.MaxLetter
	s.smtp.MaxLineLength = maxLine
	s.smtp.ReadTimeout = smtpTimeout
	s.smtp.WriteTimeout = smtpTimeout
	s.smtp.ErrorLog = logger
	s.imap = imapserver.New(&imapserver.Options{
		NewSession:   s.newIMAPSession,
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapIMAP4rev2: {}},
		InsecureAuth: true,
		Logger:       imapLog{s, logger},
	})

	s.serve("smtp", s.smtp.Serve, s.smtpLn)
	s.serve("imap", s.imap.Serve, s.imapLn)
	ctx, s.cancel = context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { s.Close() })
	return nil
}

// imapLog takes what the IMAP server logs. Once the post office is closed every
// connection that is cut off complains, and that is nothing to warn of.
type imapLog struct {
	server *Server
	log    imapserver.Logger
}

func (l imapLog) Printf(format string, args ...any) {
	if !l.server.isClosed() {
		l.log.Printf(format, args...)
	}
}

func (s *Server) serve(proto string, serve func(net.Listener) error, ln net.Listener) {
	s.serving.Go(func() {
		if err := serve(ln); err != nil && !s.isClosed() {
			s.opts.Log.Error("post office stopped listening", "proto", proto, "err", err)
		}
	})
}

// loadAccounts opens the mailboxes of all accounts at our domain.
func (s *Server) loadAccounts() error {
	accounts, err := s.opts.Accounts()
	if err != nil {
		return fmt.Errorf("reading accounts: %w", err)
	}
	for _, address := range slices.Sorted(maps.Keys(accounts)) {
		name, ok := s.mailboxName(address)
		if !ok {
			s.opts.Log.Warn("post office has no place for account", "address", address, "domain", s.opts.Domain)
			continue
		}
		if _, err := s.mailbox(name); err != nil {
			return err
		}
	}
	return nil
}

// SMTPAddr is the host:port that takes submissions.
func (s *Server) SMTPAddr() string { return s.smtpLn.Addr().String() }

// IMAPAddr is the host:port that IMAP clients connect to.
func (s *Server) IMAPAddr() string { return s.imapLn.Addr().String() }

// Close ends all connections and waits for deliveries under way. It may be
// called more than once.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		s.cancel()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()

		// A server that has not begun to serve does not know its listener.
		s.closeErr = errors.Join(
			ignoreClosed(s.smtpLn.Close()), ignoreClosed(s.imapLn.Close()),
			ignoreClosed(s.smtp.Close()), ignoreClosed(s.imap.Close()))
		s.serving.Wait()
		s.delivering.Wait()
	})
	return s.closeErr
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Deliver puts a letter into the mailbox of rcpt as a mail exchanger would: raw
// is stored as it is, below Return-Path, Delivered-To and Received fields. The
// envelope sender is the first From address; a raw letter that begins with its
// own Return-Path keeps that. Nothing is checked but that rcpt has an account.
func (s *Server) Deliver(rcpt string, raw []byte) error {
	name, err := s.recipient(rcpt)
	if err == nil {
		err = s.deliver(name, s.injected(rcpt, raw))
	}
	if err != nil {
		return fmt.Errorf("delivering to %s: %w", rcpt, err)
	}
	return nil
}

// Letters gives what a mailbox, named by address or local part, received, in
// order, as it lies in the spool. Folders and flags of IMAP clients play no
// part. A mailbox that received nothing is empty.
func (s *Server) Letters(user string) ([][]byte, error) {
	name, ok := s.mailboxName(user)
	if !ok {
		return nil, fmt.Errorf("reading letters of %s: not an address at %s", user, s.opts.Domain)
	}
	stored, err := readSpool(filepath.Join(s.opts.Dir, name), s.opts.Log)
	if err != nil {
		return nil, fmt.Errorf("reading letters of %s: %w", user, err)
	}
	letters := make([][]byte, len(stored))
	for i, l := range stored {
		letters[i] = l.raw
	}
	return letters, nil
}

// deliver stores one copy of a letter, shows it to IMAP clients and tells
// OnDeliver.
func (s *Server) deliver(name string, letter traced) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.delivering.Add(1)
	s.mu.Unlock()
	defer s.delivering.Done()

	box, err := s.mailbox(name)
	if err != nil {
		return err
	}
	raw, err := box.add(letter, s.opts.Now())
	if err != nil {
		return err
	}
	if s.opts.OnDeliver != nil {
		s.opts.OnDeliver(name, raw)
	}
	return nil
}

// mailbox finds or opens the mailbox of an account.
func (s *Server) mailbox(name string) (*mailbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if box := s.mailboxes[name]; box != nil {
		return box, nil
	}
	box, err := openMailbox(s.opts.Dir, name, s.epoch, s.opts.Log)
	if err != nil {
		return nil, fmt.Errorf("opening mailbox of %s: %w", name, err)
	}
	s.mailboxes[name] = box
	return box, nil
}
