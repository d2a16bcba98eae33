package store

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

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
