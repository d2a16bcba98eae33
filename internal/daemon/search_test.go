package daemon

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

var (
	errCorrupt = fmt.Errorf("%w: index is corrupt", mail.ErrWithheld)
	errReset   = errors.New("connection reset")
)

// TestLetterThatIsWithheld: three times apart, and a stub stands in its place;
// the letters behind it go on at once, the deadline after that. A day later it is
// moved away.
func TestLetterThatIsWithheld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.empty()
		f := newFakeBox(b.clock.now)
		f.put(b.orders("anna", "two shots at Zog", 1))
		f.unfetchable[f.put("half")] = errCorrupt
		f.put(b.orders("ben", "one shot at Zog", 2))
		b.clock.set(utc(3, 2, 19, 6))
		for i := range 3 {
			for range 4 { // as often as it is tried in between, it counts once
				if i == 2 {
					break
				}
				if err := b.look(f); err == nil {
					t.Fatal("the search is complete though a letter could not be fetched")
				}
			}
			b.work()
			b.state(1, game.Open)
			if got := b.dispositions()[store.Acted]; got != 2 {
				t.Fatalf("%d letters were read", got)
			}
			b.clock.advance(fetchApart)
		}
		b.must(b.look(f))
		b.work()
		b.state(1, game.Review)
		if diff := cmp.Diff(map[string]int{store.Acted: 2, store.Quarantined: 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[uint32]string{1: processed, 3: processed}, f.moved); diff != "" {
			t.Errorf("folders (-want +got):\n%s", diff)
		}
		contains(t, "what the operator is told", b.one("mallory").text, "quarantine", "could not be fetched")
		b.clock.advance(fetchKeep)
		b.must(b.look(f))
		b.work()
		b.none("mallory")
		if f.moved[2] != quarantine {
			t.Errorf("after a day it lies in %q", f.moved[2])
		}
	})
}

// TestLetterThatIsGivenAfterAll is read like any other: punctual, but after the
// close.
func TestLetterThatIsGivenAfterAll(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		f := newFakeBox(b.clock.now)
		f.unfetchable[f.put(b.orders("anna", "two shots at Zog", 1))] = errCorrupt
		b.clock.set(utc(3, 2, 19, 6))
		for i := range 3 {
			if err := b.look(f); (err == nil) != (i == 2) {
				t.Fatal(err)
			}
			b.clock.advance(fetchApart)
		}
		b.work()
		b.state(1, game.Review)
		b.empty()
		delete(f.unfetchable, 1)
		b.must(b.look(f))
		b.work()
		contains(t, "what the operator is told", b.one("mallory").text, "after all")
		if diff := cmp.Diff(map[string]int{store.Late: 1, store.Quarantined: 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		if f.moved[1] != processed {
			t.Errorf("moved to %q", f.moved[1])
		}
		b.must(b.look(f))
		b.work()
		b.none("mallory")
	})
}

// TestOutageOfBodies: while no letter can be had none is given up, however long.
func TestOutageOfBodies(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{"reset": errReset, "unavailable": errors.New("NO [UNAVAILABLE]")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
			f := newFakeBox(b.clock.now)
			f.unfetchable[f.put(b.orders("anna", "two shots at Zog", 1))] = fault
			f.unfetchable[f.put(b.orders("ben", "one shot at Zog", 2))] = fault
			b.clock.set(utc(3, 2, 19, 6))
			for range 20 {
				if err := b.look(f); err == nil {
					t.Fatal("the search is complete")
				}
				b.clock.advance(10 * time.Minute)
			}
			b.work()
			b.state(1, game.Open)
			clear(f.unfetchable)
			b.must(b.look(f))
			b.work()
			if diff := cmp.Diff(map[string]int{store.Acted: 2}, b.dispositions()); diff != "" {
				t.Errorf("dispositions (-want +got):\n%s", diff)
			}
			b.state(1, game.Review)
		})
	}
}

// TestLetterThatEndsTheConnection counts as soon as others show that it is the
// only one.
func TestLetterThatEndsTheConnection(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	f := newFakeBox(b.clock.now)
	f.unfetchable[f.put("half")] = errReset
	for i := range maxTries {
		if err := b.look(f); err == nil {
			t.Fatal("the search is complete")
		}
		b.clock.advance(fetchApart)
		f.put(b.orders("anna", fmt.Sprintf("%d shots at Zog", i+1), i)) // comes after it, and is fetched first
		if err := b.look(f); err == nil {
			t.Fatal("the search is complete")
		}
	}
	b.must(b.look(f))
	b.work()
	if diff := cmp.Diff(map[string]int{store.Acted: 3, store.Quarantined: 1}, b.dispositions()); diff != "" {
		t.Errorf("dispositions (-want +got):\n%s", diff)
	}
	// It is tried again, which costs a connection, but not the search after it.
	b.clock.advance(fetchApart)
	if err := b.look(f); err == nil {
		t.Error("it was not tried again")
	}
	b.must(b.look(f))
}

// TestGMsHearOfALetterWithoutAnOperator: nobody else would.
func TestGMsHearOfALetterWithoutAnOperator(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.d.Operator = ""
	b.empty()
	f := newFakeBox(b.clock.now)
	f.unfetchable[f.put("half")] = errCorrupt
	for range maxTries {
		_ = b.look(f)
		b.clock.advance(fetchApart)
	}
	b.work()
	contains(t, "what the GM is told", b.one("greta").text, "does not give a letter that arrived Mon 2 Mar", "tried for a day")
	b.none("mallory")
}

// TestLongSearch: the lease is prolonged on the way, what was reached is kept,
// and another process that took the lease ends it.
func TestLongSearch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		f := newFakeBox(b.clock.now)
		for i := range searchBatch + 10 {
			f.put(fmt.Sprintf("From: x@x.test\r\nSubject: %d\r\n\r\nx\r\n", i))
		}
		begin := func() error {
			f.lost = nil
			if held, err := b.st.Lease(t.Context(), "main", "test", b.d.Terms.Lease); !held || err != nil {
				t.Fatal("leasing the mailbox:", held, err)
			}
			return b.d.Search(t.Context(), "test", f)
		}
		b.must(b.st.Unlease(t.Context(), "main", "test"))
		f.unfetchable[searchBatch+5] = errReset
		f.onFetch = func(uint32) { b.clock.advance(20 * time.Second) }
		before, err := b.st.MailboxState(t.Context(), "main", inbox)
		b.must(err)
		if err := begin(); !errors.Is(err, errReset) {
			t.Fatal("the search that breaks off:", err)
		}
		after, err := b.st.MailboxState(t.Context(), "main", inbox)
		b.must(err)
		if after.LastUID != searchBatch || !after.SearchedFrom.Equal(before.SearchedFrom) {
			t.Errorf("after the first batch %+v, was %+v", after, before)
		}
		clear(f.unfetchable)
		begun := b.clock.now()
		b.must(begin())
		after, err = b.st.MailboxState(t.Context(), "main", inbox)
		b.must(err)
		if after.LastUID != searchBatch+10 || !after.SearchedFrom.Equal(begun) {
			t.Errorf("at the end %+v, begun %v", after, begun)
		}

		for i := range 20 {
			f.put(fmt.Sprintf("From: y@x.test\r\nSubject: %d\r\n\r\nx\r\n", i))
		}
		f.onFetch = func(uid uint32) {
			b.clock.advance(20 * time.Second)
			if uid == searchBatch+12 {
				b.must(b.st.Unlease(t.Context(), "main", "test"))
				if held, err := b.st.Lease(t.Context(), "main", "other", time.Hour); !held || err != nil {
					t.Error("the other process:", held, err)
				}
			}
		}
		if err := begin(); !errors.Is(err, errLeased) {
			t.Errorf("the search whose lease was lost: %v", err)
		}
		if n := len(f.moved); n > searchBatch+15 {
			t.Errorf("it took %d letters", n)
		}
	})
}
