package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestSameBytesAreOneLetter(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		l := NewLetter{Account: account, Raw: []byte("From: x\r\n\r\nhello"), ReceivedAt: noon, Now: noon, UID: 1, UIDValidity: 1}
		var ids [8]int64
		var fresh [8]bool
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				var err error
				if ids[i], fresh[i], err = b.StoreLetter(b.ctx, l); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		n := 0
		for i, id := range ids {
			if fresh[i] {
				n++
			}
			if id != ids[0] {
				t.Errorf("ids %v", ids)
			}
		}
		if n != 1 {
			t.Errorf("%d of 8 were fresh, want 1", n)
		}
		l.UID, l.UIDValidity = 7, 2 // found again in a mailbox that numbers anew
		if id, fresh, err := b.StoreLetter(b.ctx, l); id != ids[0] || fresh || err != nil {
			t.Errorf("found again: %d, %v, %v", id, fresh, err)
		}
		l.Account = "other"
		if id, fresh, err := b.StoreLetter(b.ctx, l); id == ids[0] || !fresh || err != nil {
			t.Errorf("in another account: %d, %v, %v", id, fresh, err)
		}
	})
}

// snoozed reports the answer to look again after so long.
func snoozed(err error, after time.Duration) bool {
	z, ok := errors.AsType[*Snooze](err)
	return ok && z.For == after
}

func TestLetterIsCountedBeforeItIsReadAndEndsOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		id := b.letter(noon)
		for want := 1; want <= 3; want++ { // the process dies of it each time
			l, err := b.TakeLetter(b.ctx, id)
			b.must(err)
			if _, err := b.TakeLetter(b.ctx, id); !snoozed(err, 3*time.Minute) {
				t.Errorf("take %d: another one takes it too: %v", want, err)
			}
			b.clock.set(b.clock.now().Add(3 * time.Minute))
			if l.Tries != want || string(l.Raw) != "Message 1" || !l.ReceivedAt.Equal(noon) {
				t.Errorf("take %d: %+v", want, l)
			}
		}
		e := Ending{Letter: id, Disposition: Poison, Why: "three tries", Game: b.game.ID, Role: b.roles[1].ID}
		b.must(b.EndLetter(b.ctx, e))
		wantErr(t, "a second end", b.EndLetter(b.ctx, e), ErrDone)
		_, err := b.TakeLetter(b.ctx, id)
		wantErr(t, "a fourth take", err, ErrDone)
		if b.EndLetter(b.ctx, Ending{Letter: b.letter(noon)}) == nil {
			t.Error("a letter ended without a disposition")
		}
		ls, err := b.Letters(b.ctx, LetterFilter{Game: b.game.ID, Disposition: Poison})
		b.must(err)
		if len(ls) != 1 || ls[0].ID != id || ls[0].Why != "three tries" || ls[0].Role != b.roles[1].ID || ls[0].Raw != nil {
			t.Errorf("letters %+v", ls)
		}
		if all, err := b.Letters(b.ctx, LetterFilter{Limit: 1}); err != nil || len(all) != 1 || all[0].ID == id {
			t.Errorf("the newest letter is %+v, %v", all, err)
		}
	})
}

func TestQuarantinedLetterIsKeptAndEnded(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		id, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("bomb"), ReceivedAt: noon, Now: noon, Quarantine: "5000 parts"})
		b.must(err)
		l, err := b.LetterByID(b.ctx, id)
		b.must(err)
		if l.Disposition != Quarantined || l.Why != "5000 parts" || string(l.Raw) != "bomb" {
			t.Errorf("%+v", l)
		}
		if due, err := b.Due(b.ctx, noon, 10); err != nil || len(due) != 0 {
			t.Errorf("due %v, %v", due, err)
		}
	})
}

func TestTextOfBadBytesIsStoredAlikeOnBothDatabases(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		const bad, want = "a\x00b\xffc\xc3", "a\uFFFDb\uFFFDc\uFFFD"
		id, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte(bad), MessageID: bad, ReceivedAt: noon, Now: noon})
		b.must(err)
		e := acted(id)
		e.Why, e.From = bad, bad
		e.Mails = []NewMail{{Address: bad, Subject: bad, Text: bad, Bytes: []byte(bad), MessageID: bad}}
		b.must(b.StoreOrders(b.ctx, e, b.key(), []Revision{{Combatant: "mira", Letter: id, ReceivedAt: noon, Text: bad, Plan: []byte(bad)}}))
		l, err := b.LetterByID(b.ctx, id)
		b.must(err)
		if l.MessageID != want || l.Why != want || string(l.Raw) != bad {
			t.Errorf("letter %q %q %q", l.MessageID, l.Why, l.Raw)
		}
		if r := b.snap().Revisions[0]; r.Text != want || string(r.Plan) != bad {
			t.Errorf("revision %q %q", r.Text, r.Plan)
		}
		m, err := b.MailByMessageID(b.ctx, bad)
		b.must(err)
		if m.Subject != want || m.Text != want || string(m.Bytes) != bad {
			t.Errorf("mail %q %q %q", m.Subject, m.Text, m.Bytes)
		}
	})
}

func TestSameLetterInOtherBytesIsFound(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		one := b.letter(noon)
		two, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("other"), MessageID: "<1@example.org>", ReceivedAt: noon, Now: noon})
		b.must(err)
		find := func() (int64, bool) {
			id, ok, err := b.SameLetter(b.ctx, account, "<1@example.org>", "anna@example.org", "abc", two)
			b.must(err)
			return id, ok
		}
		if id, ok := find(); ok {
			t.Errorf("found %d before it ended", id)
		}
		e := acted(one)
		e.From, e.TextSHA = "anna@example.org", "abc"
		b.must(b.EndLetter(b.ctx, e))
		if id, ok := find(); !ok || id != one {
			t.Errorf("found %d, %v; want %d", id, ok, one)
		}
		if _, ok, _ := b.SameLetter(b.ctx, account, "<1@example.org>", "anna@example.org", "other text", two); ok {
			t.Error("found one with other text")
		}
	})
}

func TestConfirmationIsUsedOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		role, turn := b.roles[0].ID, b.snap().Turn.ID
		hold := func() (letter int64, n int) {
			t.Helper()
			letter = b.letter(noon)
			n, err := b.HoldLetter(b.ctx, Ending{Letter: letter, Why: "no proof", Now: noon}, Hold{Game: b.game.ID, Turn: turn, Role: role, Why: "no proof"},
				&NewConfirmation{Role: role, Attempt: 3, Digest: "d", Expires: noon.Add(time.Hour), Mails: func(n int) ([]NewMail, error) {
					return []NewMail{{Role: role, Address: "gert@example.org", Kind: "confirm", Text: strings.Repeat("n", n)}}, nil
				}})
			b.must(err)
			return letter, n
		}
		one, n1 := hold()
		two, n2 := hold()
		if n1 != 1 || n2 != 2 {
			t.Errorf("numbers %d and %d", n1, n2)
		}
		if sn := b.snap(); len(sn.Holds) != 2 || sn.Holds[0].Letter != one || sn.Holds[0].Why != "no proof" {
			t.Errorf("holds %+v", sn.Holds)
		}
		c, err := b.ConfirmationByN(b.ctx, role, n2)
		b.must(err)
		if c.Attempt != 3 || c.Digest != "d" || !c.UsedAt.IsZero() || !c.Expires.Equal(noon.Add(time.Hour)) {
			t.Errorf("confirmation %+v", c)
		}
		confirm := func(n int, now time.Time) ([]int64, error) {
			e := acted(b.letter(noon))
			return b.Confirm(b.ctx, e, role, n, now)
		}
		_, err = confirm(n1, noon.Add(time.Hour))
		wantErr(t, "expired", err, ErrDone)
		_, err = confirm(7, noon)
		wantErr(t, "unknown", err, ErrDone)
		_, err = b.Confirm(b.ctx, acted(b.letter(noon)), b.roles[1].ID, n2, noon)
		wantErr(t, "another role's", err, ErrDone)
		letters, err := confirm(n2, noon)
		b.must(err)
		if len(letters) != 2 || letters[0] != one || letters[1] != two {
			t.Errorf("confirmed %v, want %d and %d", letters, one, two)
		}
		l, err := b.TakeLetter(b.ctx, one)
		b.must(err)
		if !l.Confirmed || l.Tries != 1 {
			t.Errorf("letter %+v", l)
		}
		_, err = confirm(n2, noon)
		wantErr(t, "used", err, ErrDone)
		_, err = confirm(n1, noon)
		wantErr(t, "with nothing held any more", err, ErrDone)

		if _, n := hold(); n != 3 {
			t.Errorf("number %d, want 3", n)
		}
		_, err = b.db.Exec(`UPDATE role SET confirmations = 255`)
		b.must(err)
		if _, n := hold(); n != 1 { // a byte in a token: the number comes round, the old one is gone
			t.Errorf("number %d after 255, want 1", n)
		}
	})
}

func TestLettersThatWaitEndWithTheTurn(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		turn := b.snap().Turn.ID
		held := b.letter(noon)
		n, err := b.HoldLetter(b.ctx, Ending{Letter: held}, Hold{Game: b.game.ID, Turn: turn, Role: b.roles[1].ID}, nil)
		b.must(err)
		if n != 0 {
			t.Errorf("confirmation %d without one", n)
		}
		b.close()
		accepted, late := b.letter(deadline), b.letter(deadline)
		for _, id := range []int64{accepted, late} {
			_, err := b.StoreLate(b.ctx, acted(id), b.key(), orders(id, deadline, "mira", "late"))
			b.must(err)
		}
		b.must(b.Rule(b.ctx, acted(b.letter(deadline)), b.key(), []game.Ruling{{Kind: game.RuleAccept, Value: "1"}, {Kind: game.RuleAccept, Value: "2"}}, nil))
		b.must(b.Rule(b.ctx, acted(b.letter(deadline)), b.key(), nil, []int{2}))
		attempt := b.draft("d1")
		b.must(b.Approve(b.ctx, Ending{}, b.key(), attempt, "d1", nil))
		err = b.StoreRelease(b.ctx, Release{Key: b.key(), Attempt: attempt, Digest: "d1", EndGame: true})
		b.must(err)
		for id, want := range map[int64]string{held: Ignored, accepted: Acted, late: Ignored} {
			if l, err := b.LetterByID(b.ctx, id); err != nil || l.Disposition != want {
				t.Errorf("letter %q: %s, %v; want %s", l.Raw, l.Disposition, err, want)
			}
		}
		if sn := b.snap(); len(sn.Holds) != 0 || sn.Game.EndedAt.IsZero() {
			t.Errorf("holds %v, ended %v", sn.Holds, sn.Game.EndedAt)
		}
		if gs, err := b.Games(b.ctx, false); err != nil || len(gs) != 0 {
			t.Errorf("running games %v, %v", gs, err)
		}
	})
}

func TestEpochIsRaisedOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		role := b.roles[1]
		raise := func(to uint8) error {
			e := acted(b.letter(noon))
			e.RaiseEpoch = []EpochRaise{{role.ID, to}}
			return b.EndLetter(b.ctx, e)
		}
		b.must(raise(1))
		wantErr(t, "decided on the same epoch", raise(1), ErrChanged)
		_, err := b.db.Exec(`UPDATE role SET epoch = 255`)
		b.must(err)
		b.must(raise(0))
		r, err := b.RoleByNo(b.ctx, role.GameNo, role.No)
		b.must(err)
		if r.Epoch != 0 || r.Key != "anna" || r.Address != "anna@example.org" || r.Zone != "Europe/Berlin" || !r.Reachable || r.Ended {
			t.Errorf("role %+v", r)
		}
		_, err = b.RoleByNo(b.ctx, 99, 1)
		wantErr(t, "an unknown role", err, ErrNotFound)
	})
}

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

// TestMailsOfALetter go out with it, once.
func TestMailsOfALetter(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		l := NewLetter{Account: account, Raw: []byte("long"), ReceivedAt: noon, Now: noon}
		l.Mails = func(id int64) ([]NewMail, error) { return nil, errors.New("cannot be composed") }
		if _, _, err := b.StoreLetter(b.ctx, l); err == nil {
			t.Error("it was stored without them")
		}
		if ls, err := b.Letters(b.ctx, LetterFilter{}); err != nil || len(ls) != 0 {
			t.Errorf("%d letters, %v", len(ls), err)
		}
		var named int64
		l.Mails = func(id int64) ([]NewMail, error) { named = id; return []NewMail{b.mailTo(0, "alarm", "")}, nil }
		for range 2 {
			id, _, err := b.StoreLetter(b.ctx, l)
			if err != nil || id != named {
				t.Errorf("letter %d is told of as %d, %v", id, named, err)
			}
		}
		if ids := b.dueMails(); len(ids) != 1 {
			t.Errorf("%d mails", len(ids))
		}
	})
}

// TestLettersInOrder: what a person wrote first is read first, whatever order
// the jobs run in; others do not wait for it.
func TestLettersInOrder(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		store := func(n int, from string, at time.Time) int64 {
			id, fresh, err := b.StoreLetter(b.ctx, NewLetter{Account: "main", Raw: []byte{byte(n)}, From: from, ReceivedAt: at, Now: noon})
			b.must(err)
			if !fresh {
				t.Fatalf("letter %d is not new", n)
			}
			return id
		}
		late := store(1, "gm@x.test", noon.Add(time.Minute))
		early := store(2, "gm@x.test", noon)
		same := store(3, "gm@x.test", noon)
		other := store(4, "anna@x.test", noon.Add(time.Hour))
		nobody := store(5, "", noon.Add(time.Hour))
		nobody2 := store(6, "", noon.Add(2*time.Hour))
		waits := func(id int64, want bool) {
			t.Helper()
			_, err := b.TakeLetter(b.ctx, id)
			_, snoozed := errors.AsType[*Snooze](err)
			if snoozed != want || err != nil && !snoozed {
				t.Fatalf("taking the letter: %v, want to wait: %v", err, want)
			}
		}
		waits(late, true)
		waits(same, true)
		waits(other, false)
		waits(nobody2, false)
		waits(nobody, false)
		waits(early, false)
		b.must(b.EndLetter(b.ctx, acted(early)))
		waits(late, true)
		waits(same, false)
		b.must(b.EndLetter(b.ctx, acted(same)))
		waits(late, false)
		// A letter that waited was not tried; an error gives its try back.
		l, err := b.LetterByID(b.ctx, late)
		b.must(err)
		if l.Tries != 1 || l.Faults != 0 {
			t.Errorf("tries %d, faults %d", l.Tries, l.Faults)
		}
		b.must(b.LetterFailed(b.ctx, late))
		waits(late, false) // at once
		b.must(b.LetterFailed(b.ctx, late))
		l, err = b.LetterByID(b.ctx, late)
		b.must(err)
		if l.Tries != 0 || l.Faults != 2 {
			t.Errorf("after an error: tries %d, faults %d", l.Tries, l.Faults)
		}
	})
}
