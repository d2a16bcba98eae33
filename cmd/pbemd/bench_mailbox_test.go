package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	netmail "net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
)

// playersPerGame is how many order mails one turn gets here.
const playersPerGame = 5

// BenchmarkMailbox takes a mailbox of order mails in Dovecot to stored orders and
// receipts that OpenSMTPD accepted. Beside it stands the least that any program
// must do for the same letters: mbsync pulls them, each is committed as one row,
// and the same receipts are sent.
func BenchmarkMailbox(b *testing.B) {
	l := lab.Open(b)
	if _, err := exec.LookPath("mbsync"); err != nil {
		b.Fatal("needs mbsync (Debian package isync) for the baseline")
	}
	n := benchSize(b, benchLetters, 50)
	onDatabases(b, func(b *testing.B, dsn string) {
		m := newMailboxBench(b, l, dsn, n)
		m.deliver()
		r := m.serve()
		m.check()
		m.settle()
		base := m.baseline()
		m.settle()

		rate, baseRate := float64(n)/r.took.Seconds(), float64(n)/base.sum().Seconds()
		b.ReportMetric(rate, "mails/s")
		b.ReportMetric(baseRate, "baseline-mails/s")
		b.ReportMetric(rate/baseRate, "of-baseline")
		b.ReportMetric(r.moved.Seconds(), "fetched-s")
		b.ReportMetric(r.ingested.Seconds(), "ingested-s")
		b.ReportMetric(r.took.Seconds(), "sent-s")
		b.ReportMetric(base.pull.Seconds(), "mbsync-s")
		b.ReportMetric(base.commits.Seconds(), "commits-s")
		b.ReportMetric(base.sends.Seconds(), "sends-s")
		b.ReportMetric(float64(r.cpu.Microseconds())/1000/float64(n), "cpu-ms/mail")
		b.ReportMetric(0, "ns/op")
	})
}

// mailboxBench is one daemon, its mailbox in the lab, and one mailbox that all
// players share.
type mailboxBench struct {
	b        *testing.B
	lab      *lab.Lab
	db       benchDB
	config   Config
	n        int
	us, them string // names of mailboxes
	sunk     int    // mails sent to them so far
}

func newMailboxBench(b *testing.B, l *lab.Lab, dsn string, n int) *mailboxBench {
	b.Helper()
	m := &mailboxBench{b: b, lab: l, n: n, us: shortUser(), them: shortUser()}
	m.config = Config{Data: b.TempDir(), Database: DatabaseConfig{URL: dsn},
		Mail: MailConfig{Address: m.us + "@" + lab.Domain, AuthservID: "mx.test", MXHops: 2}, // the MX and Dovecot
		IMAP: &ServerConfig{Addr: lab.IMAP, TLS: "none", User: m.us, password: lab.Password},
		SMTP: &ServerConfig{Addr: lab.SMTP, TLS: "none"},
	}
	h := benchHouse(b, m.config, nil)
	m.db = openDB(b, dsn)
	makeGames(b, h, m.db, (n+playersPerGame-1)/playersPerGame, playersPerGame, func(game, player int) string {
		return fmt.Sprintf("%s+g%dp%d@%s", m.them, game, player, lab.Domain)
	})
	closeHouse(b, h)
	return m
}

// shortUser is a mailbox of its own whose name leaves room for a token: a local
// part has 64 octets at most.
func shortUser() string { return "b" + strings.ToLower(crand.Text()[:14]) }

// deliver puts one answer of each player to his opening mail into our mailbox,
// as an MX would, in an order of chance.
func (m *mailboxBench) deliver() {
	m.b.Helper()
	rows, err := m.db.QueryContext(m.b.Context(), `SELECT outbox.bytes, outbox.text FROM outbox JOIN role ON role.id = outbox.role
		WHERE outbox.kind = 'opening' AND role.kind = 'player' ORDER BY outbox.id LIMIT $1`, m.n)
	if err != nil {
		m.b.Fatal(err)
	}
	defer rows.Close()
	type letter struct {
		from, to string
		raw      []byte
	}
	var letters []letter
	for rows.Next() {
		var opening, text []byte
		if err := rows.Scan(&opening, &text); err != nil {
			m.b.Fatal(err)
		}
		from, to, raw := m.answer(opening, string(text), len(letters))
		letters = append(letters, letter{from, to, raw})
	}
	if err := rows.Err(); err != nil {
		m.b.Fatal(err)
	}
	if len(letters) != m.n {
		m.b.Fatalf("%d opening mails to answer, want %d", len(letters), m.n)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	for _, x := range letters {
		if err := m.lab.Deliver(x.from, x.to, x.raw); err != nil {
			m.b.Fatal(err)
		}
	}
}

// answer is what a mail program sends when a player answers above the quoted mail.
func (m *mailboxBench) answer(opening []byte, text string, i int) (from, to string, raw []byte) {
	m.b.Helper()
	head, err := netmail.ReadMessage(bytes.NewReader(opening))
	if err != nil {
		m.b.Fatal(err)
	}
	h := head.Header
	player, err := netmail.ParseAddress(h.Get("To"))
	if err != nil {
		m.b.Fatal(err)
	}
	replyTo, err := netmail.ParseAddress(h.Get("Reply-To"))
	if err != nil {
		m.b.Fatal(err)
	}
	now := time.Now().Format(time.RFC1123Z)
	var w strings.Builder
	fmt.Fprintf(&w, "Received: from out.example.test by mx.test; %s\n", now)
	fmt.Fprintf(&w, "Authentication-Results: mx.test; dmarc=pass header.from=%s\n", lab.Domain)
	fmt.Fprintf(&w, "From: %s\nTo: %s\nSubject: Re: %s\nDate: %s\n", player, replyTo, h.Get("Subject"), now)
	fmt.Fprintf(&w, "Message-ID: <bench.%d.%s>\nIn-Reply-To: %s\nReferences: %[3]s\n", i, player.Address, h.Get("Message-Id"))
	w.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n")
	w.WriteString("Fire two shots at Zog with my pistol.\n\nOn Monday, pbemd wrote:\n")
	for line := range strings.Lines(text) {
		w.WriteString("> " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return player.Address, replyTo.Address, []byte(strings.ReplaceAll(w.String(), "\n", "\r\n"))
}

// ran is when the last letter had passed a step, from the start of the daemon,
// and what its process used until then.
type ran struct{ moved, ingested, took, cpu time.Duration }

// serve starts the daemon and waits until each letter's receipt is sent and
// recorded.
func (m *mailboxBench) serve() (r ran) {
	m.b.Helper()
	var start time.Time
	var mu sync.Mutex
	steps := map[string]int{}
	all := make(chan struct{})
	h := benchHouse(m.b, m.config, func(h *House) {
		h.Step = func(name string) {
			mu.Lock()
			defer mu.Unlock()
			if steps[name]++; steps[name] != m.n {
				return
			}
			switch name {
			case "moved":
				r.moved = time.Since(start)
			case "ingested":
				r.ingested = time.Since(start)
			case "recorded":
				r.took = time.Since(start)
				close(all)
			}
		}
	})
	before := used(m.b)
	start = time.Now()
	if err := h.Serve(m.b.Context()); err != nil {
		m.b.Fatal(err)
	}
	select {
	case <-all:
	case <-time.After(20*time.Second + time.Duration(m.n)*time.Second/2):
		m.b.Fatalf("not all of %d receipts are sent: %v", m.n, steps)
	}
	r.cpu = used(m.b).cpu - before.cpu
	closeHouse(m.b, h)
	m.sunk += m.n
	return r
}

// check wants every letter to have done what its player wrote.
func (m *mailboxBench) check() {
	m.b.Helper()
	for _, q := range []string{
		`SELECT COUNT(*) FROM letter WHERE disposition = 'acted'`,
		`SELECT COUNT(DISTINCT role) FROM revision`,
		`SELECT COUNT(DISTINCT role) FROM outbox WHERE kind = 'receipt' AND state = 'sent'`,
	} {
		if got := m.db.count(q); got != m.n {
			m.b.Errorf("%s: %d, want %d", q, got, m.n)
		}
	}
}

// settle waits until OpenSMTPD has delivered what it accepted: its own work must
// not weigh on the next measurement.
func (m *mailboxBench) settle() {
	m.b.Helper()
	ctx, cancel := context.WithTimeout(m.b.Context(), 2*time.Minute)
	defer cancel()
	for {
		out := m.lab.Doveadm(m.b, "mailbox", "status", "-u", m.them, "messages", "INBOX")
		_, count, _ := strings.Cut(strings.TrimSpace(out), "messages=")
		if n, err := strconv.Atoi(count); err == nil && n >= m.sunk {
			return
		}
		select {
		case <-ctx.Done():
			m.b.Fatalf("the players have got %q of %d mails", out, m.sunk)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// baseline is how long the parts of the least possible work take.
type baseline struct{ pull, commits, sends time.Duration }

func (b baseline) sum() time.Duration { return b.pull + b.commits + b.sends }

func (m *mailboxBench) baseline() (out baseline) {
	m.b.Helper()
	dir := m.b.TempDir()
	start := time.Now()
	m.mbsync(dir)
	out.pull = time.Since(start)
	files, err := filepath.Glob(filepath.Join(dir, "near", "new", "*"))
	if err != nil || len(files) != m.n {
		m.b.Fatalf("mbsync pulled %d letters, want %d (%v)", len(files), m.n, err)
	}

	m.db.exec(`CREATE TABLE bench_letter (id BIGINT PRIMARY KEY, raw BYTEA NOT NULL)`)
	start = time.Now()
	for i, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			m.b.Fatal(err)
		}
		m.db.exec(`INSERT INTO bench_letter (id, raw) VALUES ($1, $2)`, i, raw)
	}
	out.commits = time.Since(start)
	out.sends = m.sendAgain()
	return out
}

// mbsync pulls the letters, which lie in Processed by now, into a Maildir.
func (m *mailboxBench) mbsync(dir string) {
	m.b.Helper()
	config := fmt.Sprintf(`IMAPAccount lab
Host 127.0.0.1
Port %s
User %s
Pass %s
SSLType None
AuthMechs PLAIN

IMAPStore far
Account lab

MaildirStore near
Inbox %s

Channel all
Far :far:Processed
Near :near:
Sync Pull
Create Near
SyncState *
`, strings.TrimPrefix(lab.IMAP, "127.0.0.1:"), m.us, lab.Password, filepath.Join(dir, "near"))
	path := filepath.Join(dir, "mbsyncrc")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		m.b.Fatal(err)
	}
	cmd := exec.CommandContext(m.b.Context(), "mbsync", "-c", path, "all")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.b.Fatalf("mbsync: %v\n%s", err, out)
	}
}

// sendAgain sends the receipts once more by the daemon's own sender, as many at
// a time as the daemon does.
func (m *mailboxBench) sendAgain() time.Duration {
	m.b.Helper()
	type out struct {
		from, to string
		raw      []byte
	}
	rows, err := m.db.QueryContext(m.b.Context(), `SELECT sender, address, bytes FROM outbox WHERE kind = 'receipt' ORDER BY id`)
	if err != nil {
		m.b.Fatal(err)
	}
	defer rows.Close()
	queue := make(chan out, m.n)
	for rows.Next() {
		var x out
		if err := rows.Scan(&x.from, &x.to, &x.raw); err != nil {
			m.b.Fatal(err)
		}
		queue <- x
	}
	close(queue)
	h := benchHouse(m.b, m.config, nil)
	defer closeHouse(m.b, h)
	errs := make([]error, store.SendWorkers)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range errs {
		wg.Go(func() {
			for x := range queue {
				errs[i] = errors.Join(errs[i], h.Daemon.Sender.Send(m.b.Context(), x.from, x.to, x.raw))
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	if err := errors.Join(errs...); err != nil {
		m.b.Fatal(err)
	}
	m.sunk += m.n
	return took
}
