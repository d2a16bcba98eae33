package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
)

// dovecot is a bench whose letters lie in a mailbox of Dovecot.
type dovecot struct {
	*bench
	lab  *lab.Lab
	user string
}

// onDovecot runs a test on both databases with a mailbox of Dovecot's. Times of
// receipt are those of the letters' own Received field, below Dovecot's.
func onDovecot(t *testing.T, f func(t *testing.T, b dovecot)) {
	l := lab.Open(t)
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.empty()
		b.d.MXHops = 2
		f(t, dovecot{b, l, l.User(t, "delivery")})
	})
}

// received is a letter as an MX gave it to Dovecot at an instant.
func received(at time.Time, raw string) []byte {
	return []byte("Received: from x.test by mx.test; " + at.Format(time.RFC1123Z) + "\r\n" + raw)
}

func (b dovecot) deliver(letters ...[]byte) {
	b.t.Helper()
	b.must(b.lab.Deliver("x@x.test", b.user+"@"+lab.Domain, letters...))
}

// dial opens the mailbox as Watch would.
func (b dovecot) dial(addr string) (mail.Mailbox, error) {
	box, err := mail.DialIMAP(b.t.Context(), mail.IMAPConfig{Addr: addr, TLS: mail.TLSNone, User: b.user, Pass: lab.Password})
	if err != nil {
		return nil, err
	}
	return box, box.EnsureFolders(b.t.Context(), processed, quarantine)
}

func (b dovecot) open() mail.Mailbox {
	b.t.Helper()
	box, err := b.dial(lab.IMAP)
	b.must(err)
	b.t.Cleanup(func() { box.Close() })
	return box
}

func (b dovecot) search(box mail.Mailbox) error {
	b.t.Helper()
	if held, err := b.st.Lease(b.t.Context(), "main", "test", time.Hour); !held || err != nil {
		b.t.Fatal("leasing the mailbox:", held, err)
	}
	return b.d.Search(b.t.Context(), "test", box)
}

// in counts the letters of a folder.
func (b dovecot) in(folder string, want int) {
	b.t.Helper()
	letters, err := b.lab.Letters(b.t.Context(), b.user, folder)
	b.must(err)
	if len(letters) != want {
		b.t.Errorf("%d letters in %s, want %d", len(letters), folder, want)
	}
}

// began gives the mailbox of the bench the validity of Dovecot's, which has taken
// its place.
func (b dovecot) began(box mail.Mailbox) {
	b.t.Helper()
	state, err := box.Select(b.t.Context(), inbox)
	b.must(err)
	if held, err := b.st.Lease(b.t.Context(), "main", "test", time.Hour); !held || err != nil {
		b.t.Fatal("leasing the mailbox:", held, err)
	}
	b.must(b.st.SearchedTo(b.t.Context(), "main", inbox, "test", store.Mailbox{UIDValidity: state.UIDValidity}))
}

// TestLabRenumbered: Dovecot numbers the mailbox anew, with what was read before
// in it again: the same bytes, and once more by LMTP.
func TestLabRenumbered(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		box := b.open()
		b.began(box)
		b.clock.set(utc(3, 2, 10, 0))
		now := b.clock.now()
		anna := received(now, b.orders("anna", "two shots at Zog", 1))
		b.deliver(anna, received(now, b.orders("ben", "one shot at Zog", 1)))
		b.must(b.search(box))
		b.work()
		b.one("anna")
		b.one("ben")
		b.in(processed, 2)

		b.lab.Doveadm(t, "mailbox", "update", "-u", b.user, "--uid-validity", "1900000000", "INBOX")
		b.lab.Doveadm(t, "copy", "-u", b.user, "INBOX", "mailbox", processed, "ALL")
		b.deliver(anna,
			received(now.Add(-25*time.Hour), b.orders("carla", "three shots at Zog", 1)),
			received(now.Add(-time.Hour), b.orders("carla", "one shot at Zog", 2)))
		b.must(b.search(b.open()))
		b.must(b.search(b.open()))
		b.work()
		b.none("anna")
		b.none("ben")
		contains(t, "Carla's receipt", b.one("carla").text, "Zog")
		contains(t, "what the operator is told", b.one("mallory").text, "is 1900000000")
		if diff := cmp.Diff(map[string]int{store.Acted: 3, store.Duplicate: 1, store.Ignored: 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		b.in(inbox, 0)
		b.in(processed, 7)
	})
}

// TestLabRebuilt: all letters were expunged and are delivered once more, while
// the connection stays.
func TestLabRebuilt(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		box := b.open()
		b.began(box)
		letters := [][]byte{received(b.clock.now(), b.orders("anna", "two shots at Zog", 1)), received(b.clock.now(), b.orders("ben", "one shot at Zog", 1))}
		b.deliver(letters...)
		b.must(b.search(box))
		b.work()
		b.one("anna")
		b.one("ben")
		for _, folder := range []string{"INBOX", processed} {
			b.lab.Doveadm(t, "expunge", "-u", b.user, "mailbox", folder, "ALL")
		}
		b.deliver(letters...)
		b.must(b.search(box))
		b.work()
		for _, who := range []string{"anna", "ben", "mallory"} {
			b.none(who)
		}
		if diff := cmp.Diff(map[string]int{store.Acted: 2, store.Duplicate: 2}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
	})
}

// meddled is a mailbox in which somebody works between two commands.
type meddled struct {
	mail.Mailbox
	listed, asked func()
}

func (m *meddled) ListUIDs(ctx context.Context, from uint32) ([]uint32, error) {
	uids, err := m.Mailbox.ListUIDs(ctx, from)
	if m.listed != nil {
		m.listed()
	}
	return uids, err
}

func (m *meddled) FetchMeta(ctx context.Context, uids []uint32) ([]mail.Meta, error) {
	metas, err := m.Mailbox.FetchMeta(ctx, uids)
	if m.asked != nil {
		m.asked()
	}
	return metas, err
}

// TestLabVanished: letters that another program expunges after they were found,
// or after they were asked about, are gone, and that is all.
func TestLabVanished(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		expunge := func(subject string) func() {
			return func() { b.lab.Doveadm(t, "expunge", "-u", b.user, "mailbox", "INBOX", "HEADER", "Message-ID", subject) }
		}
		box := b.open()
		b.began(box)
		for n := range 4 {
			b.deliver(received(b.clock.now(), b.orders("anna", fmt.Sprintf("%d shots at Zog", n+1), n)))
		}
		b.clock.set(utc(3, 2, 19, 6))
		b.must(b.search(&meddled{box, expunge("0.anna"), expunge("2.anna")}))
		b.work()
		b.state(1, game.Review)
		if diff := cmp.Diff(map[string]int{store.Acted: 2}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		b.in(inbox, 0)
		b.in(processed, 2)
	})
}

// TestLabFolderDeleted: the folder of what is done is deleted under us, and made
// again by the next letter.
func TestLabFolderDeleted(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		box := b.open()
		b.began(box)
		b.deliver(received(b.clock.now(), b.orders("anna", "two shots at Zog", 1)))
		b.must(b.search(box))
		b.lab.Doveadm(t, "mailbox", "delete", "-u", b.user, processed)
		b.deliver(received(b.clock.now(), b.orders("ben", "one shot at Zog", 1)), received(b.clock.now(), b.orders("carla", "one shot at Zog", 1)))
		b.must(b.search(box))
		b.work()
		for _, who := range []string{"anna", "ben", "carla"} {
			b.one(who)
		}
		b.in(inbox, 0)
		b.in(processed, 2)
	})
}

// cutter is a line to a server that is cut in the middle of bodies, as often as
// it is told.
type cutter struct {
	net.Listener
	to string

	mu     sync.Mutex
	random *rand.Rand
	mean   int // bytes of bodies that a connection carries, on average
	left   int // cuts
	cuts   int
}

func newCutter(t *testing.T, to string, seed uint64, cuts, mean int) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: l, to: to, random: rand.New(rand.NewPCG(seed, seed)), mean: mean, left: cuts}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.carry(conn)
		}
	}()
	return c
}

// carry joins two connections until one ends or the cut comes.
func (c *cutter) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	c.mu.Lock()
	budget := -1
	if c.left > 0 {
		c.left--
		budget = c.random.IntN(2 * c.mean)
	}
	c.mu.Unlock()
	var mu sync.Mutex
	body := false // one was asked for
	go func() {
		defer server.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := client.Read(buf)
			mu.Lock()
			body = body || bytes.Contains(buf[:n], []byte("BODY.PEEK[]"))
			mu.Unlock()
			if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}()
	buf := make([]byte, 4<<10)
	for {
		n, err := server.Read(buf)
		mu.Lock()
		counts := body
		mu.Unlock()
		if budget >= 0 && counts {
			if n > budget {
				client.Write(buf[:budget])
				c.mu.Lock()
				c.cuts++
				c.mu.Unlock()
				return
			}
			budget -= n
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// TestLabConnectionCuts: a line that is cut fifty times in the middle of letters
// loses none, doubles none, changes none and takes none for the reason; the turn
// waits for all.
func TestLabConnectionCuts(t *testing.T) {
	t.Parallel()
	const seed, cuts, letters = 11, 50, 60
	onDovecot(t, func(t *testing.T, b dovecot) {
		b.began(b.open())
		random := rand.New(rand.NewPCG(seed, 1))
		var sent [][]byte
		for i := range letters {
			body := make([]byte, 0, 200<<10)
			for size := 20<<10 + random.IntN(180<<10); len(body) < size; {
				body = fmt.Appendf(body, "%x %x %x\r\n", random.Uint64(), random.Uint64(), random.Uint64())
			}
			sent = append(sent, received(b.clock.now(), fmt.Sprintf("From: x@x.test\r\nMessage-ID: <%d@x.test>\r\n\r\n%s", i, body)))
		}
		sent[letters/2] = received(b.clock.now(), b.orders("anna", "two shots at Zog", 1))
		b.deliver(sent...)
		line := newCutter(t, lab.IMAP, seed, cuts, 60<<10)
		b.clock.set(utc(3, 2, 19, 6))
		before, err := b.st.MailboxState(t.Context(), "main", inbox)
		b.must(err)
		tries := 0
		for done := false; !done; tries++ {
			if tries > 4*cuts {
				t.Fatal("it never ends")
			}
			box, err := b.dial(line.Addr().String())
			if err == nil {
				err = b.search(box)
				box.Close()
			}
			done = err == nil
			state, serr := b.st.MailboxState(t.Context(), "main", inbox)
			b.must(serr)
			if !done && !state.SearchedFrom.Equal(before.SearchedFrom) {
				t.Fatalf("the fence moved to %v by a search that ended with %v", state.SearchedFrom, err)
			}
			b.work()
			if !done {
				b.state(1, game.Open)
			}
			b.clock.advance(30 * time.Second)
		}
		b.work()
		b.state(1, game.Review)
		line.mu.Lock()
		if line.cuts != cuts {
			t.Errorf("%d cuts, want %d (seed %d)", line.cuts, cuts, seed)
		}
		line.mu.Unlock()
		// What the database holds is what Dovecot holds, each once.
		if diff := cmp.Diff(map[string]int{store.Acted: 1, store.Ignored: letters - 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		want, got := map[[32]byte]int{}, map[[32]byte]int{}
		for _, folder := range []string{inbox, processed, quarantine} {
			ls, err := b.lab.Letters(t.Context(), b.user, folder)
			b.must(err)
			if folder != processed && len(ls) > 0 {
				t.Errorf("%d letters lie in %s", len(ls), folder)
			}
			for _, raw := range ls {
				want[sha256.Sum256(raw)]++
			}
		}
		ls, err := b.st.Letters(t.Context(), store.LetterFilter{Limit: 1000})
		b.must(err)
		for _, l := range ls {
			full, err := b.st.LetterByID(t.Context(), l.ID)
			b.must(err)
			got[sha256.Sum256(full.Raw)]++
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != letters {
			t.Errorf("%d letters (-Dovecot +database):\n%s", len(got), diff)
		}
		if us, err := b.st.Unfetched(t.Context(), "main", inbox, before.UIDValidity); err != nil || len(us) != 0 {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		for _, m := range b.inbox("mallory") {
			if !strings.Contains(m.subject, "cannot close") { // for more than a quarter of an hour
				t.Errorf("the operator is told: %s", m.subject)
			}
		}
		t.Logf("seed %d: %d cuts, %d connections", seed, cuts, tries)
	})
}

// TestLabReread: serve --reread after a restore, on Dovecot: Watch does it all.
func TestLabReread(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		box := b.open()
		b.began(box)
		b.clock.set(utc(3, 2, 10, 0))
		b.deliver(received(b.clock.now(), b.orders("anna", "two shots at Zog", 1)))
		b.must(b.search(box))
		b.work()
		b.clock.set(utc(3, 2, 19, 6))
		b.must(b.search(box))
		b.work()
		b.state(1, game.Review)
		for i := range 5 {
			b.deliver(received(b.clock.now(), b.orders("ben", fmt.Sprintf("%d shots at Zog", i+1), i)))
		}
		b.must(b.search(box))
		b.work()
		b.in(processed, 6)

		r := b.backup()
		r.clock.set(b.clock.now())
		log := &awaited{want: "all letters are read again", done: make(chan string, 1)}
		d := r.another(func(o *Options) { o.MXHops, o.Reread, o.Log = 2, true, slog.New(slog.NewTextHandler(log, nil)) }, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var wg sync.WaitGroup
		wg.Go(func() {
			err := d.Watch(ctx, "one", func(context.Context) (mail.Mailbox, error) { return b.dial(lab.IMAP) })
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		select {
		case line := <-log.done:
			contains(t, "the log", line, "known=0 new=6")
		case <-ctx.Done():
			t.Error("it is not done after a minute")
		}
		cancel()
		wg.Wait()
		r.must(dovecot{r, b.lab, b.user}.search(box))
		r.work()
		r.state(1, game.Review)
		contains(t, "Anna's receipt", r.one("anna").text, "Zog")
		r.none("ben")
		b.in(processed, 6)
		b.in(inbox, 0)
	})
}

// awaited is a log in which a line is waited for.
type awaited struct {
	want string
	done chan string
}

func (a *awaited) Write(p []byte) (int, error) {
	if strings.Contains(string(p), a.want) {
		a.done <- string(p)
	}
	return len(p), nil
}
