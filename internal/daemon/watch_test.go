package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/store"
)

// look leases the mailbox and searches a fake one over a new connection.
func (b *bench) look(f *fakeBox) error {
	b.t.Helper()
	if f.lost = nil; f.searches == 0 { // the mailbox that the bench read before
		state, err := b.st.MailboxState(b.t.Context(), "main", inbox)
		b.must(err)
		f.validity = max(state.UIDValidity, 1)
	}
	if held, err := b.st.Lease(b.t.Context(), "main", "test", time.Hour); !held || err != nil {
		b.t.Fatal("leasing the mailbox:", held, err)
	}
	return b.d.Search(b.t.Context(), "test", f)
}

// orders is a letter of a player as it comes without any authentication result.
func (b *bench) orders(who, text string, n int) string {
	b.t.Helper()
	r := b.role(who)
	return fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: orders\r\nMessage-ID: <%d.%s@x.test>\r\n\r\n%s\r\n", r.Address,
		mail.PlusAddress(b.d.Address, b.d.Keys.Seal(b.d.orderToken(r, b.game().Turn))), n, who, text)
}

// TestMoveThatFails: a letter is known by its bytes, wherever it lies.
func TestMoveThatFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.empty()
	f := newFakeBox(b.clock.now)
	f.moveErr = errors.New("NO: over quota")
	f.put(b.orders("anna", "two shots at Zog", 1))
	for range 3 {
		b.must(b.look(f))
		b.work()
	}
	b.one("anna")
	if diff := cmp.Diff(map[string]int{store.Acted: 1}, b.dispositions()); diff != "" {
		t.Errorf("dispositions (-want +got):\n%s", diff)
	}
}

// TestPoison: a letter whose reading was begun three times and never ended is set
// aside; the operator is told, and those behind it and the deadline go on.
func TestPoison(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna, ben := b.one("anna"), b.one("ben")
		b.empty()
		b.reply("anna", anna, "two shots at Zog")
		b.reply("ben", ben, "one shot at Zog")
		letters := b.fetch()
		for range maxTries {
			if _, err := b.st.TakeLetter(t.Context(), letters[0].Row); err != nil {
				t.Fatal(err)
			}
			b.clock.advance(claimTerm)
		}
		b.crank()
		contains(t, "what the operator is told", b.one("mallory").text, "could not be read", "nothing in it was acted on")
		contains(t, "what the sender is told", b.one("anna").text, "could not be read", "write what it said in a new letter")
		b.one("ben")
		if diff := cmp.Diff(map[string]int{store.Acted: 1, store.Poison: 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		b.at(utc(3, 2, 19, 5))
		b.state(1, game.Review)
	})
}

// watching runs Watch on a fake mailbox, in fake time.
func watching(t *testing.T, test func(t *testing.T, d *Daemon, f *fakeBox, stop func())) {
	// The file is made outside of the bubble, where its folder outlives it.
	dsn := "sqlite:" + t.TempDir() + "/x.db"
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
		st, err := store.Open(t.Context(), store.Options{DSN: dsn, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if err := st.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := New(Options{Store: st, Rulesets: rulesets.Find, Sender: &mail.SMTP{}, Account: "main", Address: ourAddress, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		f := newFakeBox(time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Watch(ctx, "one", f.dial) }()
		stopped := false
		stop := func() {
			if stopped {
				return
			}
			stopped = true
			cancel()
			if err := <-done; err != nil {
				t.Error("watching:", err)
			}
		}
		defer stop()
		test(t, d, f, stop)
	})
}

func (f *fakeBox) want(t *testing.T, what string, searches, dials, open int) {
	t.Helper()
	synctest.Wait()
	if s, d, o := f.count(); s != searches || d != dials || o != open {
		t.Errorf("%s: %d searches, %d dials, %d open; want %d, %d, %d", what, s, d, o, searches, dials, open)
	}
}

// TestWatch: news are fetched at once, a turn that waits hurries the search, and
// without either the mailbox is searched once a minute.
func TestWatch(t *testing.T) {
	t.Parallel()
	watching(t, func(t *testing.T, d *Daemon, f *fakeBox, stop func()) {
		f.want(t, "at first", 1, 1, 1)
		f.put("Subject: one\r\n\r\none\r\n")
		f.news <- nil
		f.want(t, "after news", 2, 1, 1)
		if f.moved[1] != processed {
			t.Errorf("moved to %q", f.moved[1])
		}
		d.hurry <- struct{}{}
		f.want(t, "hurried", 3, 1, 1)
		time.Sleep(d.Terms.Poll)
		f.want(t, "a minute later", 4, 1, 1)
		state, err := d.Store.MailboxState(t.Context(), "main", inbox)
		if err != nil {
			t.Fatal(err)
		}
		if !state.SearchedFrom.Equal(time.Now().Truncate(time.Microsecond)) || state.LastUID != 1 {
			t.Errorf("state %+v at %v", state, time.Now())
		}
		stop()
		if held, err := d.Store.Lease(t.Context(), "main", "two", d.Terms.Lease); !held || err != nil {
			t.Errorf("the lease after the end: %v, %v", held, err)
		}
	})
}

// TestWatchRedials: a connection that breaks is opened again a little later; in
// between another process may have the mailbox.
func TestWatchRedials(t *testing.T) {
	t.Parallel()
	watching(t, func(t *testing.T, d *Daemon, f *fakeBox, stop func()) {
		f.want(t, "at first", 1, 1, 1)
		f.mu.Lock()
		f.dialErr = errors.New("no route to host")
		f.mu.Unlock()
		f.news <- errors.New("connection reset")
		f.want(t, "broken", 1, 1, 0)
		time.Sleep(d.Terms.Redial)
		f.want(t, "no server", 1, 2, 0)
		if held, err := d.Store.Lease(t.Context(), "main", "two", d.Terms.Lease); !held || err != nil {
			t.Errorf("the lease while this process reaches nothing: %v, %v", held, err)
		}
		time.Sleep(d.Terms.Lease / 2)
		f.want(t, "another process has it", 1, 2, 0)
		f.mu.Lock()
		f.dialErr = nil
		f.mu.Unlock()
		time.Sleep(d.Terms.Lease/2 + d.Terms.LeaseRetry)
		f.want(t, "the other one died", 2, 3, 1)
	})
}

// TestWatchLosesLease: a search that ends after its lease was lost does not count
// as complete, and the connection is given up.
func TestWatchLosesLease(t *testing.T) {
	t.Parallel()
	watching(t, func(t *testing.T, d *Daemon, f *fakeBox, stop func()) {
		f.want(t, "at first", 1, 1, 1)
		before, err := d.Store.MailboxState(t.Context(), "main", inbox)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		f.mu.Lock()
		f.onSearch = func() {
			f.mu.Lock()
			f.onSearch = nil
			f.mu.Unlock()
			if err := d.Store.Unlease(t.Context(), "main", "one"); err != nil {
				t.Error(err)
			}
			if held, err := d.Store.Lease(t.Context(), "main", "two", d.Terms.Lease); !held || err != nil {
				t.Error(held, err)
			}
		}
		f.mu.Unlock()
		f.put("Subject: one\r\n\r\none\r\n")
		f.news <- nil
		f.want(t, "the lease is lost", 2, 1, 0)
		after, err := d.Store.MailboxState(t.Context(), "main", inbox)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the search was recorded:\n%s", diff)
		}
		// The letter is kept all the same: by its bytes it is known to whoever comes next.
		ls, err := d.Store.Letters(t.Context(), store.LetterFilter{})
		if err != nil || len(ls) != 1 {
			t.Errorf("%d letters, %v", len(ls), err)
		}
		if err := d.Store.Unlease(t.Context(), "main", "two"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(d.Terms.Redial + d.Terms.LeaseRetry)
		f.want(t, "back again", 3, 2, 1)
		if ls, err = d.Store.Letters(t.Context(), store.LetterFilter{}); err != nil || len(ls) != 1 {
			t.Errorf("%d letters, %v", len(ls), err)
		}
	})
}

// TestCloseHurriesTheSearch: a turn that could close but for the search asks for one.
func TestCloseHurriesTheSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.clock.set(utc(3, 2, 19, 5))
	err := b.d.closeTurn(t.Context(), store.Work{Row: b.game().Turn.ID})
	if !snoozes(err) {
		t.Fatalf("the close before a search: %v", err)
	}
	select {
	case <-b.d.hurry:
	default:
		t.Error("nobody is hurried")
	}
}
