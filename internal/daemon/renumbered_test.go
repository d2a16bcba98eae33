package daemon

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// TestFolderRenumbered: under another UIDVALIDITY, or when UIDs go back, all is
// looked at again; nothing is acted on twice, nothing old is answered, and the
// operator is told once.
func TestFolderRenumbered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.empty()
		f := newFakeBox(b.clock.now)
		f.put(b.orders("anna", "two shots at Zog", 1))
		f.put(b.orders("anna", "one shot at Zog", 2))
		b.must(b.look(f))
		b.work()
		if got := b.inbox("anna"); len(got) != 2 {
			t.Fatalf("%d receipts", len(got))
		}
		// An empty folder is as it should be.
		b.must(b.look(f))
		b.work()
		b.none("mallory")

		// Of three letters that nobody knows one is older by more than a day.
		newest := b.clock.now()
		f.renumber()
		ben := f.put(b.orders("ben", "one shot at Zog", 3))
		carla := f.put(b.orders("carla", "two shots at Zog", 4))
		recent := f.put(b.orders("carla", "one shot at Zog", 5))
		f.arrived[carla], f.arrived[recent] = newest.Add(-24*time.Hour-time.Second), newest.Add(-24*time.Hour)
		// The search breaks off before it reaches them, and once more in the middle.
		f.unfetchable[ben] = errReset
		for range 2 {
			if err := b.look(f); !errors.Is(err, errReset) {
				t.Fatalf("the search that breaks off: %v", err)
			}
		}
		clear(f.unfetchable)
		b.must(b.look(f))
		b.work()
		b.none("anna")
		b.one("ben")
		b.one("carla")
		contains(t, "what the operator is told", b.one("mallory").text, "INBOX", ourAddress, "UIDVALIDITY", "looked at again")
		if diff := cmp.Diff(map[string]int{store.Acted: 4, store.Ignored: 1}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
		ls, err := b.st.Letters(t.Context(), store.LetterFilter{Disposition: store.Ignored})
		b.must(err)
		contains(t, "why one is ignored", ls[0].Why, "older by more than a day", "numbered anew")
		if len(f.moved) != 5 {
			t.Errorf("moved %v", f.moved)
		}
		// After that the age of a letter says nothing again: somebody may find one in
		// his junk.
		found := f.put(b.orders("anna", "three shots at Zog", 6))
		f.arrived[found] = newest.Add(-30 * time.Hour)
		b.must(b.look(f))
		b.work()
		b.one("anna")

		// A folder that begins anew without saying so.
		f.mu.Lock()
		f.last, f.letters, f.moved = 0, map[uint32][]byte{}, map[uint32]string{}
		f.mu.Unlock()
		f.put(b.orders("carla", "three shots at Zog", 7))
		b.must(b.look(f))
		b.must(b.look(f))
		b.work()
		b.one("carla")
		contains(t, "what the operator is told", b.one("mallory").text, "the next one would get UID 2")
	})
}

// TestServerThatRenumbersAlways: of the post office a new UIDVALIDITY tells
// nothing, and how old a letter is does neither.
func TestServerThatRenumbersAlways(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.d.Renumbers = true
	b.empty()
	f := newFakeBox(b.clock.now)
	f.put(b.orders("anna", "two shots at Zog", 1))
	b.must(b.look(f))
	f.renumber()
	old := f.put(b.orders("ben", "one shot at Zog", 2))
	f.arrived[old] = b.clock.now().Add(-30 * time.Hour)
	b.must(b.look(f))
	b.work()
	b.one("anna")
	b.one("ben")
	b.none("mallory")
}

// TestFolderOfTheDoneIsDeleted: it is made again, and no letter waits for that.
func TestFolderOfTheDoneIsDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	f := newFakeBox(b.clock.now)
	f.put(b.orders("anna", "two shots at Zog", 1))
	f.put(b.orders("ben", "one shot at Zog", 2))
	f.moveErr = errors.New("NO [TRYCREATE] no such folder")
	f.onEnsure = func() { f.moveErr = nil }
	b.must(b.look(f))
	if diff := cmp.Diff(map[uint32]string{1: processed, 2: processed}, f.moved); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// TestConnectionLostInAMove blames no letter.
func TestConnectionLostInAMove(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	f := newFakeBox(b.clock.now)
	f.put(b.orders("anna", "two shots at Zog", 1))
	f.put(b.orders("ben", "one shot at Zog", 2))
	f.onCommand = func(what string, _ int) error {
		if what == "MOVE" {
			return errReset
		}
		return nil
	}
	if err := b.look(f); !errors.Is(err, errReset) {
		t.Fatalf("the search: %v", err)
	}
	us, err := b.st.Unfetched(t.Context(), "main", inbox, f.validity)
	if err != nil || len(us) != 0 {
		t.Errorf("blamed are %+v, %v", us, err)
	}
	f.onCommand = nil
	b.must(b.look(f))
	b.work()
	if diff := cmp.Diff(map[string]int{store.Acted: 2}, b.dispositions()); diff != "" {
		t.Errorf("dispositions (-want +got):\n%s", diff)
	}
}

// TestMarkedLetter: on a server that cannot move, a letter with our mark was read
// before. One that is not known all the same was so by a database that is lost:
// what only asks is not answered again.
func TestMarkedLetter(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.empty()
	f := newFakeBox(b.clock.now)
	f.flags[f.put(b.orders("anna", "STATUS", 1))] = mail.MovedKeyword
	f.flags[f.put(b.orders("ben", "one shot at Zog", 2))] = mail.MovedKeyword
	b.must(b.look(f))
	b.work()
	b.none("anna")
	b.one("ben")
}
