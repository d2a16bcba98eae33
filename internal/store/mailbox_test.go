package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLeaseAndSearch(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		lease := func(holder string, want bool) {
			t.Helper()
			if ok, err := b.Lease(b.ctx, account, holder, time.Minute); err != nil || ok != want {
				t.Errorf("lease of %s: %v, %v; want %v", holder, ok, err, want)
			}
		}
		search := func(holder string, from time.Time) error {
			return b.SearchDone(b.ctx, account, "INBOX", holder, Mailbox{UIDValidity: 3, LastUID: 4_000_000_000, SearchedFrom: from})
		}
		wantErr(t, "a search without a lease", search("one", noon), ErrDone)
		lease("one", true)
		lease("one", true)
		lease("two", false)
		b.must(search("one", noon))
		b.clock.set(noon.Add(time.Minute))
		wantErr(t, "a search after the lease's end", search("one", noon.Add(time.Hour)), ErrDone)
		lease("two", true)
		lease("one", false)
		b.must(search("two", noon.Add(-time.Hour)))
		m, err := b.MailboxState(b.ctx, account, "INBOX")
		b.must(err)
		if m.UIDValidity != 3 || m.LastUID != 4_000_000_000 || !m.SearchedFrom.Equal(noon) {
			t.Errorf("mailbox %+v: the fence went back", m)
		}
		b.must(b.Unlease(b.ctx, account, "one"))
		lease("one", false)
		b.must(b.Unlease(b.ctx, account, "two"))
		lease("one", true)
		if m, err := b.MailboxState(b.ctx, account, "Junk"); err != nil || m != (Mailbox{}) {
			t.Errorf("a folder never read: %+v, %v", m, err)
		}
	})
}

// TestSearchThatIsNotOver: how far it is saves work, and the fence is shut.
func TestSearchThatIsNotOver(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		to := func(holder string) error {
			return b.SearchedTo(b.ctx, account, "INBOX", holder, Mailbox{UIDValidity: 3, LastUID: 50, SearchedFrom: noon})
		}
		wantErr(t, "without a lease", to("here"), ErrDone)
		if ok, err := b.Lease(b.ctx, account, "here", 100*time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.must(to("here"))
		m, err := b.MailboxState(b.ctx, account, "INBOX")
		if err != nil || m.UIDValidity != 3 || m.LastUID != 50 || m.SearchedFrom.Year() != 1970 {
			t.Errorf("mailbox %+v, %v", m, err)
		}
		c := b.closing()
		if closed, why, err := b.CloseTurn(b.ctx, c); closed || why != WhySearch || err != nil {
			t.Errorf("the turn closed: %v, %q, %v", closed, why, err)
		}
		b.must(b.SearchDone(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 3, LastUID: 60, SearchedFrom: c.Now}))
		b.must(to("here"))
		if closed, why, err := b.CloseTurn(b.ctx, c); !closed || err != nil {
			t.Errorf("the turn did not close: %q, %v", why, err)
		}
	})
}

func TestFailedFetchesAreCountedUntilASearchIsPastThem(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		fail := func(uid uint32, fault Fault, want int) {
			t.Helper()
			u, err := b.FetchFailed(b.ctx, account, "INBOX", 1, uid, fault, 2*time.Minute)
			if err != nil || u.UID != uid || u.Tries != want {
				t.Errorf("UID %d: %+v, %v; want %d tries", uid, u, err, want)
			}
		}
		later := func(by time.Duration) { b.clock.set(b.clock.now().Add(by)) }
		fail(9, Lost, 0)
		fail(9, Refused, 1)
		fail(9, Refused, 1) // too soon
		later(119 * time.Second)
		fail(9, Refused, 1)
		later(time.Second)
		fail(9, Lost, 1)
		fail(9, Refused, 2)
		fail(8, Refused, 1)
		fail(10, Refused, 1)
		b.must(b.GiveUpFetching(b.ctx, account, "INBOX", 1, 8, []NewMail{b.mailTo(0, "alarm", "")}))
		wantErr(t, "again", b.GiveUpFetching(b.ctx, account, "INBOX", 1, 8, []NewMail{b.mailTo(0, "alarm", "")}), ErrDone)
		if ids := b.dueMails(); len(ids) != 1 {
			t.Errorf("%d mails", len(ids))
		}
		b.searched(noon) // up to UID 9
		us, err := b.Unfetched(b.ctx, account, "INBOX", 1)
		if err != nil || len(us) != 2 || us[0].UID != 8 || us[0].GivenUpAt.IsZero() || us[1].UID != 10 || !us[1].GivenUpAt.IsZero() {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		fail(9, Refused, 1)
		fail(8, Lost, 1) // given up: the time of each is noted
		later(time.Hour)
		fail(8, Lost, 1)
		us, err = b.Unfetched(b.ctx, account, "INBOX", 1)
		if err != nil || !us[0].TriedAt.Equal(b.clock.now()) {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		b.must(b.ForgetUnfetched(b.ctx, account, "INBOX", 1, 8, nil))
		wantErr(t, "again", b.ForgetUnfetched(b.ctx, account, "INBOX", 1, 8, nil), ErrDone)
	})
}

// TestLostConnectionsCountInARow: one that is lost elsewhere acquits the letters
// at which connections were lost before, and no others.
func TestLostConnectionsCountInARow(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		fail := func(folder string, uid uint32, fault Fault) {
			t.Helper()
			_, err := b.FetchFailed(b.ctx, account, folder, 1, uid, fault, 2*time.Minute)
			b.must(err)
			b.clock.set(b.clock.now().Add(2 * time.Minute))
		}
		tries := func(what string, want ...int) {
			t.Helper()
			us, err := b.Unfetched(b.ctx, account, "INBOX", 1)
			b.must(err)
			var got []int
			for _, u := range us {
				got = append(got, u.Tries)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: tries %v, want %v", what, got, want)
			}
		}
		fail("INBOX", 1, Refused)
		fail("INBOX", 2, LostAlone)
		fail("INBOX", 2, LostAlone)
		tries("two of one letter", 1, 2)
		fail("INBOX", 2, Lost)
		tries("its own that shows nothing", 1, 2)
		fail("INBOX", 1, Refused)
		tries("an answer about another", 2, 2)
		fail("INBOX", 3, Lost)
		tries("another letter", 2, 0, 0)
		fail("INBOX", 3, LostAlone)
		tries("the other alone", 2, 0, 1)
		fail("Processed", 1, Lost)
		tries("in another folder", 2, 0, 0)
		fail("INBOX", 2, LostAlone)
		b.must(b.LostElsewhere(b.ctx, account))
		tries("at no letter", 2, 0, 0)
		fail("INBOX", 2, LostAlone)
		b.must(b.GiveUpFetching(b.ctx, account, "INBOX", 1, 2, nil))
		fail("INBOX", 3, LostAlone)
		fail("INBOX", 2, LostAlone)
		tries("one that was given up", 2, 2, 1)
	})
}

// TestRenumberedMailbox: it is recorded once, with its mails; what it ignores is
// measured by what was known before, and only until it is searched.
func TestRenumberedMailbox(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.searched(noon)
		b.letter(noon.Add(-time.Hour))
		b.letter(noon.Add(-2 * time.Hour))
		_, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("from the future"), ReceivedAt: noon.AddDate(1, 0, 0), Now: noon})
		b.must(err)
		_, _, err = b.StoreLetter(b.ctx, NewLetter{Account: "other", Raw: []byte("another's"), ReceivedAt: noon, Now: noon})
		b.must(err)
		_, err = b.FetchFailed(b.ctx, account, "INBOX", 1, 12, Refused, 0)
		b.must(err)
		was, err := b.MailboxState(b.ctx, account, "INBOX")
		b.must(err)
		b.must(b.Unlease(b.ctx, account, "here"))
		anew := func() (Mailbox, error) {
			return b.Renumbered(b.ctx, account, "INBOX", "here", was, 7, 24*time.Hour, []NewMail{b.mailTo(0, "alarm", "")})
		}
		_, err = anew()
		wantErr(t, "without a lease", err, ErrDone)
		if ok, err := b.Lease(b.ctx, account, "here", 100*time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
		m, err := anew()
		b.must(err)
		want := Mailbox{UIDValidity: 7, SearchedFrom: noon, IgnoreBefore: noon.Add(-25 * time.Hour)}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, err = anew()
		wantErr(t, "again", err, ErrDone)
		if ids := b.dueMails(); len(ids) != 1 {
			t.Errorf("%d mails", len(ids))
		}
		if us, err := b.Unfetched(b.ctx, account, "INBOX", 1); err != nil || len(us) != 0 {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		b.letter(noon)
		m, err = b.Renumbered(b.ctx, account, "INBOX", "here", m, 8, 24*time.Hour, nil)
		if err != nil || !m.IgnoreBefore.Equal(want.IgnoreBefore) {
			t.Errorf("renumbered in the middle: %+v, %v", m, err)
		}
		b.must(b.SearchedTo(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 8, LastUID: 50}))
		if m, err = b.MailboxState(b.ctx, account, "INBOX"); err != nil || m.LastUID != 50 || m.IgnoreBefore.IsZero() {
			t.Errorf("in the middle: %+v, %v", m, err)
		}
		b.must(b.SearchDone(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 8, LastUID: 60, SearchedFrom: noon}))
		if m, err = b.MailboxState(b.ctx, account, "INBOX"); err != nil || !m.IgnoreBefore.IsZero() {
			t.Errorf("at the end: %+v, %v", m, err)
		}
		// A server that numbers anew at each start.
		if m, err = b.Renumbered(b.ctx, account, "INBOX", "here", m, 9, 0, nil); err != nil || m.LastUID != 0 || !m.IgnoreBefore.IsZero() {
			t.Errorf("without a margin: %+v, %v", m, err)
		}
	})
}

// TestRereadKeepsTheFence: until all is read again no turn closes, whatever
// search ends meanwhile.
func TestRereadKeepsTheFence(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		if ok, err := b.Lease(b.ctx, account, "here", 100*time.Hour); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.must(b.AskReread(b.ctx, account, "INBOX")) // of a mailbox that was never read
		c := b.closing()
		done := func() {
			t.Helper()
			b.must(b.SearchDone(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 1, LastUID: 9, SearchedFrom: c.Now}))
		}
		done()
		if closed, why, err := b.CloseTurn(b.ctx, c); closed || why != WhySearch || err != nil {
			t.Errorf("the turn closed: %v, %q, %v", closed, why, err)
		}
		m, err := b.MailboxState(b.ctx, account, "INBOX")
		b.must(err)
		first := m.RereadAsked
		b.clock.set(b.clock.now().Add(time.Second))
		b.must(b.AskReread(b.ctx, account, "INBOX"))
		rereadDone := func(asked time.Time) (int, int, error) {
			return b.RereadDone(b.ctx, account, "INBOX", "here", asked, []NewMail{b.mailTo(0, "alarm", "")})
		}
		_, _, err = rereadDone(first)
		wantErr(t, "it was asked again meanwhile", err, ErrDone)
		m, err = b.MailboxState(b.ctx, account, "INBOX")
		b.must(err)
		_, err = b.FetchFailed(b.ctx, account, "Processed", 1, 12, Refused, 0)
		b.must(err)
		at := b.clock.now()
		for i, l := range []NewLetter{{Reread: true}, {Reread: true, Ignore: "old"}, {Ignore: "old"}, {}} {
			l.Account, l.Raw, l.ReceivedAt, l.Now = account, []byte{byte(i)}, deadline, at
			_, _, err := b.StoreLetter(b.ctx, l)
			b.must(err)
		}
		ignored, waiting, err := rereadDone(m.RereadAsked)
		if err != nil || ignored != 1 || waiting != 1 {
			t.Errorf("%d ignored, %d waiting, %v", ignored, waiting, err)
		}
		if ids := b.dueMails(); len(ids) != 1 {
			t.Errorf("%d mails", len(ids))
		}
		if us, err := b.Unfetched(b.ctx, account, "Processed", 1); err != nil || len(us) != 0 {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		done()
		if _, why, err := b.CloseTurn(b.ctx, c); why != WhyLetter || err != nil {
			t.Errorf("after it: %q, %v", why, err)
		}
	})
}

// TestRereadLetterThatChangesNothing is ignored, and nobody is told.
func TestRereadLetterThatChangesNothing(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		for _, c := range []struct {
			disposition string
			raise       bool
			want        string
			mails       int
		}{
			{Answered, false, Ignored, 0}, {Ignored, false, Ignored, 0}, {Duplicate, false, Ignored, 0}, {Quarantined, false, Ignored, 0},
			{Quarantined, true, Quarantined, 1}, {Acted, false, Acted, 1}, {Late, false, Late, 1}, {Poison, false, Poison, 1},
		} {
			id, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: fmt.Append(nil, c), ReceivedAt: noon, Now: noon, Reread: true})
			b.must(err)
			before := len(b.dueMails())
			e := Ending{Letter: id, Disposition: c.disposition, Why: "because", Mails: []NewMail{b.mailTo(1, "answer", "")}, Now: noon}
			if c.raise {
				e.RaiseEpoch = []EpochRaise{{b.roles[1].ID, 1}}
			}
			b.must(b.EndLetter(b.ctx, e))
			l, err := b.LetterByID(b.ctx, id)
			b.must(err)
			if n := len(b.dueMails()) - before; l.Disposition != c.want || n != c.mails || !strings.HasSuffix(l.Why, "because") {
				t.Errorf("%s: ended %s (%s) with %d mails, want %s with %d", c.disposition, l.Disposition, l.Why, n, c.want, c.mails)
			}
			wantErr(t, "a second end", b.EndLetter(b.ctx, e), ErrDone)
		}
	})
}
