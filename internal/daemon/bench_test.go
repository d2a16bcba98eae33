package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// bench is a daemon on a fake clock with a real store and a real post office:
// letters go in by SMTP or as an MX would deliver them, answers come out of
// mailboxes, and crank carries out all that is due.
type bench struct {
	t     testing.TB
	clock *fakeClock
	post  *postoffice.Server
	st    *store.Store
	d     *Daemon
	box   mail.Mailbox
	pass  map[string]string
	read  map[string]int // letters of a mailbox seen so far
	n     int
	dir   string // spool and accounts
	dsn   string
	opts  benchOptions
}

type benchOptions struct {
	file   string // game file; empty: the demo's with a daily schedule
	step   func(string)
	noGame bool
}

type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *fakeClock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *fakeClock) advance(d time.Duration) { c.mu.Lock(); c.at = c.at.Add(d); c.mu.Unlock() }

func (c *fakeClock) set(at time.Time) { c.mu.Lock(); c.at = at; c.mu.Unlock() }

const (
	testDomain = "pbemd.localhost"
	ourAddress = "pbem@" + testDomain
	mxID       = "mx.test"
)

// onBoth runs a test on SQLite, and on PostgreSQL where PBEMD_TEST_POSTGRES
// names one.
func onBoth(t *testing.T, f func(t *testing.T, dsn string)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, "sqlite:"+filepath.Join(t.TempDir(), "pbemd.db"))
	})
	if os.Getenv("PBEMD_TEST_POSTGRES") == "" {
		return
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, pgtest.DSN(t))
	})
}

// dailyGame is the demo's game with people's hours: 20:00 in Berlin every day.
func dailyGame(t testing.TB) string {
	t.Helper()
	b, err := examples.Files.ReadFile("demo.toml")
	if err != nil {
		t.Fatal(err)
	}
	s := string(b)
	for from, to := range map[string]string{
		`schedule = "* * * * *"`: `schedule = "0 20 * * *"`,
		`min_turn = "15s"`:       `min_turn = "12h"`,
		`grace = "1s"`:           `grace = "5m"`,
		`remind = "20s"`:         `remind = "6h"`,
	} {
		if !strings.Contains(s, from) {
			t.Fatalf("examples/demo.toml has no line %s", from)
		}
		s = strings.Replace(s, from, to, 1)
	}
	return s
}

func newBench(t testing.TB, dsn string, o benchOptions) *bench {
	t.Helper()
	b := &bench{t: t, clock: &fakeClock{at: time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)}, pass: map[string]string{}, read: map[string]int{}, dsn: dsn, opts: o}
	dir := t.TempDir()
	b.dir = dir
	accounts := filepath.Join(dir, "accounts")
	for _, a := range []string{"pbem", "anna", "ben", "carla", "greta", "mallory"} {
		p, err := postoffice.AddAccount(accounts, a+"@"+testDomain)
		if err != nil {
			t.Fatal(err)
		}
		b.pass[a] = p
	}
	var err error
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	b.post, err = postoffice.Start(t.Context(), postoffice.Options{Dir: filepath.Join(dir, "spool"), Domain: testDomain,
		Accounts: postoffice.AccountsFile(accounts), Now: b.clock.now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.post.Close() })
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		empty, err := migrated()
		if err == nil {
			err = os.WriteFile(path, empty, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.st, err = store.Open(t.Context(), store.Options{DSN: dsn, Now: b.clock.now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.st.Close() })
	if err := b.st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.d, err = New(Options{
		Store: b.st, Rulesets: rulesets.Find, Account: "main", Address: ourAddress,
		Keys:   mail.NewKeys(1, [32]byte{1, 2, 3}),
		Sender: &mail.SMTP{Addr: b.post.SMTPAddr(), TLS: mail.TLSNone, User: ourAddress, Pass: b.pass["pbem"]},
		// Letters come in by our own submission, or from an MX called mx.test.
		SubmissionID: testDomain, AuthservID: mxID, MXHops: 1,
		Operator: "mallory@" + testDomain, Now: b.clock.now, Log: log, Step: o.step, Build: "test",
		Rand: rand.NewChaCha8([32]byte{7}), // the same dice in every run
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.box, err = mail.DialIMAP(t.Context(), mail.IMAPConfig{Addr: b.post.IMAPAddr(), TLS: mail.TLSNone, User: ourAddress, Pass: b.pass["pbem"]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.box.Close() })
	if err := b.box.EnsureFolders(t.Context(), processed, quarantine); err != nil {
		t.Fatal(err)
	}
	if !o.noGame {
		file := o.file
		if file == "" {
			file = dailyGame(t)
		}
		if _, faults, err := b.d.CreateGame(t.Context(), "test.toml", []byte(file)); err != nil || len(faults) > 0 {
			t.Fatal("creating the game:", faults, err)
		}
		b.crank()
	}
	return b
}

// migrated is an SQLite database with all migrations: to copy it costs each
// bench far less than to migrate one of its own.
var migrated = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "pbemd")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "empty.db")
	st, err := store.Open(context.Background(), store.Options{DSN: "sqlite:" + path})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(st.Migrate(context.Background()), st.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// crank searches the mailbox and carries out everything that is due, until
// nothing is.
func (b *bench) crank() {
	b.t.Helper()
	for range 20 {
		if held, err := b.st.Lease(b.t.Context(), "main", "test", time.Hour); !held || err != nil {
			b.t.Fatal("leasing the mailbox:", held, err)
		}
		if err := b.d.Search(b.t.Context(), "test", b.box); err != nil {
			b.t.Fatal("searching:", err)
		}
		n, err := b.d.RunDue(b.t.Context())
		if err != nil {
			b.t.Fatal("working:", err)
		}
		if n == 0 {
			return
		}
	}
	b.t.Fatal("work does not come to an end")
}

// mailIn is one mail that somebody got.
type mailIn struct {
	subject, text, html, replyTo, messageID, marker string
	raw                                             []byte
}

// inbox gives the mails that a person got since the last call.
func (b *bench) inbox(user string) []mailIn {
	b.t.Helper()
	all, err := b.post.Letters(user)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []mailIn
	for _, raw := range all[min(b.read[user], len(all)):] {
		env, err := enmime.ReadEnvelope(bytes.NewReader(raw))
		if err != nil {
			b.t.Fatal(err)
		}
		m := mailIn{subject: env.GetHeader("Subject"), text: strings.ReplaceAll(env.Text, "\r\n", "\n"), html: env.HTML,
			replyTo: strings.Trim(env.GetHeader("Reply-To"), "<>"), messageID: env.GetHeader("Message-Id"), raw: raw}
		m.marker, _, _ = strings.Cut(m.text, "\n")
		out = append(out, m)
	}
	b.read[user] = len(all)
	return out
}

// one gives the single new mail of a person; any other number fails the test.
func (b *bench) one(user string) mailIn {
	b.t.Helper()
	got := b.inbox(user)
	if len(got) != 1 {
		var subjects []string
		for _, m := range got {
			subjects = append(subjects, m.subject)
		}
		b.t.Fatalf("%s got %d mails, want one: %q", user, len(got), subjects)
	}
	return got[0]
}

// none fails the test if a person got mail.
func (b *bench) none(user string) {
	b.t.Helper()
	if got := b.inbox(user); len(got) > 0 {
		b.t.Fatalf("%s got %q, want nothing", user, got[0].subject)
	}
}

// with gives the newest of all mails of a person whose first line says what.
func (b *bench) with(user, what string) mailIn {
	b.t.Helper()
	b.read[user] = 0
	all := b.inbox(user)
	for i := len(all) - 1; i >= 0; i-- {
		if strings.Contains(all[i].marker, what) {
			return all[i]
		}
	}
	var markers []string
	for _, m := range all {
		markers = append(markers, m.marker)
	}
	b.t.Fatalf("%s has no mail %q, only %q", user, what, markers)
	return mailIn{}
}

// How a letter arrives.
type arrival struct {
	from string // address; empty: the user's own
	auth string // "submission" (default), "pass", "fail", "none"
	cc   string
	to   string // empty: the Reply-To of the mail answered
	id   string // Message-ID; empty: a new one
}

// reply sends an answer to a mail.
func (b *bench) reply(user string, m mailIn, text string, how ...arrival) string {
	b.t.Helper()
	var a arrival
	if len(how) > 0 {
		a = how[0]
	}
	if a.to == "" {
		a.to = m.replyTo
	}
	return b.letter(user, "Re: "+m.subject, m.messageID, text, a)
}

// letter sends a letter; it returns its Message-ID.
func (b *bench) letter(user, subject, inReplyTo, text string, a arrival) string {
	b.t.Helper()
	b.n++
	if a.from == "" {
		a.from = user + "@" + testDomain
	}
	if a.to == "" {
		a.to = ourAddress
	}
	if a.id == "" {
		a.id = fmt.Sprintf("<%s.%d@%s>", user, b.n, testDomain)
	}
	var w strings.Builder
	if a.auth == "pass" || a.auth == "fail" {
		fmt.Fprintf(&w, "Authentication-Results: %s; dmarc=%s header.from=%s\r\n", mxID, a.auth, a.from[strings.IndexByte(a.from, '@')+1:])
	}
	fmt.Fprintf(&w, "From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: %s\r\nDate: %s\r\n", a.from, a.to, subject, a.id, b.clock.now().Format(time.RFC1123Z))
	if a.cc != "" {
		fmt.Fprintf(&w, "Cc: %s\r\n", a.cc)
	}
	if inReplyTo != "" {
		fmt.Fprintf(&w, "In-Reply-To: %s\r\n", inReplyTo)
	}
	fmt.Fprintf(&w, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n", strings.ReplaceAll(text, "\n", "\r\n"))
	b.raw(user, a, []byte(w.String()))
	return a.id
}

// raw puts a whole letter into our mailbox.
func (b *bench) raw(user string, a arrival, raw []byte) {
	b.t.Helper()
	if a.auth == "" || a.auth == "submission" {
		s := mail.SMTP{Addr: b.post.SMTPAddr(), TLS: mail.TLSNone, User: user + "@" + testDomain, Pass: b.pass[user]}
		if err := s.Send(b.t.Context(), user+"@"+testDomain, a.to, raw); err != nil {
			b.t.Fatal("sending:", err)
		}
		return
	}
	if err := b.post.Deliver(a.to, raw); err != nil {
		b.t.Fatal("delivering:", err)
	}
}

// game gives the snapshot of the bench's game.
func (b *bench) game() store.Snapshot {
	b.t.Helper()
	g, err := b.st.GameByName(b.t.Context(), "Dusk")
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := b.st.Snapshot(b.t.Context(), g.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// dispositions counts what became of all letters.
func (b *bench) dispositions() map[string]int {
	b.t.Helper()
	ls, err := b.st.Letters(b.t.Context(), store.LetterFilter{Limit: 1000})
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]int{}
	for _, l := range ls {
		out[l.Disposition]++
	}
	return out
}

// lastLetter gives the newest letter.
func (b *bench) lastLetter() store.Letter {
	b.t.Helper()
	ls, err := b.st.Letters(b.t.Context(), store.LetterFilter{Limit: 1000})
	if err != nil || len(ls) == 0 {
		b.t.Fatal("no letters:", err)
	}
	last := ls[0]
	for _, l := range ls {
		if l.ID > last.ID {
			last = l
		}
	}
	return last
}
