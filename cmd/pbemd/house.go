package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/store"
)

// House is the daemon with everything it stands on: database, mail, post
// office. serve, demo and the end-to-end tests build the same House.
type House struct {
	Config Config
	Log    *slog.Logger
	// Trace hears what happens, for people who watch; may be nil.
	Trace func(daemon.Trace)
	// OnLogin hears of mail programs that log in at the post office; may be nil.
	OnLogin func(user, proto string)
	// OnDeliver hears of letters that reach a mailbox of the post office; may be nil.
	OnDeliver func(user string, raw []byte)
	// Now is the clock; nil: time.Now. Step hears of daemon.Steps. Terms, Rows and
	// IMAPTimeout say how long things may take; zero values are for real servers.
	Now         func() time.Time
	Step        func(name string)
	Terms       daemon.Terms
	Rows        RowTerms
	IMAPTimeout time.Duration // for any answer, letters too
	// Reread asks that every letter of the mailbox be read again: after a restore.
	Reread bool

	Store  *store.Store
	Daemon *daemon.Daemon
	Post   *postoffice.Server // nil with an own mail server

	lock      *os.File
	dial      func(context.Context) (mail.Mailbox, error)
	workers   *store.Workers
	web       *web        // nil without http.listen
	holder    string      // this process in the mailbox lease
	unwatched atomic.Bool // the search loop came to an end
	cancel    context.CancelFunc
	wait      sync.WaitGroup
}

// RowTerms are the terms of store.Options.
type RowTerms struct {
	Term, Sweep, Claim, Look time.Duration
}

// openStore connects to the database as the config says.
func (h *House) openStore(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Options{DSN: h.Config.Database.URL, Log: h.Log, Now: h.Now,
		Term: h.Rows.Term, Sweep: h.Rows.Sweep, Claim: h.Rows.Claim, Look: h.Rows.Look})
}

// accountsFile lists the post office's accounts.
func (h *House) accountsFile() string { return filepath.Join(h.Config.Data, "accounts") }

// Open opens database, keys and daemon without serving: enough to make and
// show games.
func (h *House) Open(ctx context.Context) error {
	if err := os.MkdirAll(h.Config.Data, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	st, err := h.openStore(ctx)
	if err != nil {
		return err
	}
	h.Store = st
	if strings.HasPrefix(h.Config.Database.URL, "sqlite:") {
		// The embedded database has no operator: it is brought up to date here.
		if err := st.Migrate(ctx); err != nil {
			return err
		}
	}
	if err := st.CheckSchema(ctx); err != nil {
		return err
	}
	return h.makeDaemon()
}

func (h *House) makeDaemon() error {
	c := h.Config
	keys, err := mail.LoadKeys(c.Mail.TokenKeyFile, true)
	if err != nil {
		return fmt.Errorf("token keys: %w", err)
	}
	o := daemon.Options{
		Store: h.Store, Keys: keys, Account: c.Mail.Account, Address: c.Mail.Address, Name: c.Mail.Name,
		Operator: c.Operator, AuthservID: c.Mail.AuthservID, MXHops: c.Mail.MXHops,
		Build: build(), Log: h.Log, Trace: h.Trace, LookupTXT: net.LookupTXT, Rulesets: rulesets.Find,
		Now: h.Now, Step: h.Step, Terms: h.Terms, Reread: h.Reread,
	}
	if c.DKIM != nil {
		o.Sign = c.DKIM.signer.Sign
	}
	if c.embedded() {
		password, err := postoffice.AddAccount(h.accountsFile(), c.Mail.Address)
		if err != nil {
			return fmt.Errorf("the post office's own account: %w", err)
		}
		// The addresses are known once the post office listens: see Serve.
		o.SubmissionID, o.MXHops = c.Post.Domain, 1
		o.Renumbers = true
		o.Sender = &postSender{house: h, user: c.Mail.Address, pass: password}
		h.dial = func(ctx context.Context) (mail.Mailbox, error) {
			return mail.DialIMAP(ctx, mail.IMAPConfig{Addr: h.Post.IMAPAddr(), TLS: mail.TLSNone, User: c.Mail.Address, Pass: password})
		}
	} else {
		smtpTLS, _ := tlsMode(c.SMTP.TLS)
		imapTLS, _ := tlsMode(c.IMAP.TLS)
		o.Sender = &mail.SMTP{Addr: c.SMTP.Addr, TLS: smtpTLS, User: c.SMTP.User, Pass: c.SMTP.password, CA: c.SMTP.ca}
		h.dial = func(ctx context.Context) (mail.Mailbox, error) {
			return mail.DialIMAP(ctx, mail.IMAPConfig{Addr: c.IMAP.Addr, TLS: imapTLS, User: c.IMAP.User, Pass: c.IMAP.password, CA: c.IMAP.ca,
				CommandTimeout: h.IMAPTimeout, BodyTimeout: h.IMAPTimeout})
		}
	}
	h.Daemon, err = daemon.New(o)
	return err
}

// postSender sends through the post office of the same house.
// Its address is known once that listens.
type postSender struct {
	house      *House
	user, pass string

	once sync.Once
	out  *mail.SMTP
}

func (s *postSender) Send(ctx context.Context, from, to string, raw []byte) error {
	s.once.Do(func() {
		s.out = &mail.SMTP{Addr: s.house.Post.SMTPAddr(), TLS: mail.TLSNone, User: s.user, Pass: s.pass}
	})
	return s.out.Send(ctx, from, to, raw)
}

// Close ends kept connections.
func (s *postSender) Close() error {
	s.once.Do(func() { s.out = &mail.SMTP{} })
	return s.out.Close()
}

// AddAccount makes an account at the post office for an address of its domain.
func (h *House) AddAccount(address string) (password string, ours bool, err error) {
	if !h.ours(address) {
		return "", false, nil
	}
	password, err = postoffice.AddAccount(h.accountsFile(), strings.ToLower(address))
	return password, true, err
}

// ours tells whether an address is one of the post office's.
func (h *House) ours(address string) bool {
	return h.Config.embedded() && strings.HasSuffix(strings.ToLower(address), "@"+h.Config.Post.Domain)
}

// addPeople makes the operator's account, and those that game create, stopped half
// way, left unmade.
func (h *House) addPeople(ctx context.Context) error {
	addresses, err := h.Store.PlayingAddresses(ctx)
	if err != nil {
		return err
	}
	addresses = append(addresses, strings.ToLower(h.Config.Operator))
	addresses = slices.DeleteFunc(addresses, func(a string) bool { return !h.ours(a) })
	accounts, err := postoffice.AddAccounts(h.accountsFile(), addresses...)
	if accounts != nil && err != nil {
		h.Log.Warn("no account at the post office", "err", err)
		return nil
	}
	return err
}

// Serve starts post office, workers and the watch on the mailbox. It returns
// when all of them run; Close ends them.
func (h *House) Serve(ctx context.Context) error {
	run, cancel := context.WithCancel(ctx)
	h.cancel = cancel
	if err := h.takeFolder(); err != nil {
		return err
	}
	if err := h.listenHTTP(); err != nil {
		return err
	}
	if h.Config.embedded() {
		// It outlives ctx: work that ends after it still sends mail.
		post, err := postoffice.Start(context.WithoutCancel(ctx), postoffice.Options{
			Dir: filepath.Join(h.Config.Data, "spool"), Domain: h.Config.Post.Domain,
			SMTPAddr: h.Config.Post.SMTP, IMAPAddr: h.Config.Post.IMAP,
			Accounts: postoffice.AccountsFile(h.accountsFile()), Log: h.Log, OnLogin: h.OnLogin, OnDeliver: h.OnDeliver, Now: h.Now,
		})
		if err != nil {
			return err
		}
		h.Post = post
		if err := h.addPeople(ctx); err != nil {
			return err
		}
	}
	workers, err := h.Store.Work(run, h.Daemon.Handlers())
	if err != nil {
		return err
	}
	h.workers = workers
	h.holder = holderName()
	h.wait.Go(func() {
		defer h.unwatched.Store(true)
		if err := h.Daemon.Watch(run, h.holder, h.dial); err != nil {
			h.Log.Error("watching the mailbox", "err", err)
		}
	})
	h.web.serve()
	return nil
}

// takeFolder locks the data folder, so that one process serves it.
func (h *House) takeFolder() error {
	if !h.Config.embedded() && !strings.HasPrefix(h.Config.Database.URL, "sqlite:") {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(h.Config.Data, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("locking the data folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return fmt.Errorf("the data folder %s is served by another pbemd; stop that one, or name another folder with the key data", h.Config.Data)
	}
	h.lock = f
	return nil
}

// drainTime is how long running work may take to end.
const drainTime = 20 * time.Second

// Close drains: no new letter is taken, running work ends, then all is closed.
func (h *House) Close() error {
	var errs []error
	if h.workers != nil {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		errs = append(errs, h.workers.Stop(ctx))
		cancel()
	}
	if h.cancel != nil {
		h.cancel()
	}
	errs = append(errs, h.web.close())
	h.wait.Wait()
	if h.Daemon != nil {
		if c, ok := h.Daemon.Sender.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if h.Post != nil {
		errs = append(errs, h.Post.Close())
	}
	if h.Store != nil {
		errs = append(errs, h.Store.Close())
	}
	if h.lock != nil {
		errs = append(errs, h.lock.Close())
	}
	return errors.Join(errs...)
}

// holderName names this process in the mailbox lease.
func holderName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	b := make([]byte, 4)
	rand.Read(b) // never fails (crypto/rand)
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), hex.EncodeToString(b))
}

// newLog makes the log that a config asks for.
func newLog(c LogConfig, w io.Writer) *slog.Logger {
	level, _ := logLevel(c.Level)
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
