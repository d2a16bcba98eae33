package store

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// mailTo is a mail to the bench's role i.
func (b *bench) mailTo(i int, kind, gather string) NewMail {
	r := b.roles[i]
	return NewMail{Role: r.ID, Address: r.Address, Sender: "bounce@example.org", Game: b.game.ID, Kind: kind, Subject: kind, Text: kind, Bytes: []byte(kind), MessageID: "<" + kind + ">", Gather: gather}
}

// due gives the mails that are due now.
func (b *bench) dueMails() []int64 {
	b.t.Helper()
	due, err := b.Due(b.ctx, b.clock.now(), 100)
	b.must(err)
	var ids []int64
	for _, w := range due {
		if w.Kind == DoSend {
			ids = append(ids, w.Row)
		}
	}
	return ids
}

func TestCrashBetweenClaimAndRecordIsSentAgain(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.must(b.QueueMails(b.ctx, []NewMail{b.mailTo(1, "report", "")}))
		id := b.dueMails()[0]
		first, err := b.ClaimMail(b.ctx, id, noon)
		b.must(err)
		if first.Sender != "bounce@example.org" || first.Tries != 1 || string(first.Bytes) != "report" {
			t.Errorf("mail %+v", first)
		}
		_, err = b.ClaimMail(b.ctx, id, noon.Add(3*time.Minute-time.Microsecond))
		wantErr(t, "a second claim", err, ErrDone)
		if ids := b.dueMails(); len(ids) != 0 {
			t.Errorf("due while claimed: %v", ids)
		}
		// The process dies here. The claim runs out.
		b.clock.set(noon.Add(3 * time.Minute))
		if ids := b.dueMails(); !slices.Equal(ids, []int64{id}) {
			t.Errorf("due after the claim: %v", ids)
		}
		second, err := b.ClaimMail(b.ctx, id, b.clock.now())
		b.must(err)
		if second.Tries != 2 || second.MessageID != first.MessageID || string(second.Bytes) != string(first.Bytes) {
			t.Errorf("the second try is %+v", second)
		}
		wantErr(t, "the first claim's record", b.MailSent(b.ctx, id, first.Claim, noon), ErrDone)
		b.must(b.MailSent(b.ctx, id, second.Claim, noon))
		wantErr(t, "a second record", b.MailSent(b.ctx, id, second.Claim, noon), ErrDone)
		_, err = b.ClaimMail(b.ctx, id, noon.Add(time.Hour))
		wantErr(t, "a claim of a sent mail", err, ErrDone)
	})
}

func TestMailWaitsForItsTime(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		m := b.mailTo(1, "receipt", "")
		m.NotBefore = noon.Add(10 * time.Minute)
		b.must(b.QueueMails(b.ctx, []NewMail{m}))
		if ids := b.dueMails(); len(ids) != 0 {
			t.Errorf("due too early: %v", ids)
		}
		b.clock.set(m.NotBefore)
		id := b.dueMails()[0]
		_, err := b.ClaimMail(b.ctx, id, noon)
		if z, ok := errors.AsType[*Snooze](err); !ok || z.For != 10*time.Minute {
			t.Errorf("an early claim: %v", err)
		}
		got, err := b.ClaimMail(b.ctx, id, m.NotBefore)
		b.must(err)
		b.must(b.MailRetry(b.ctx, id, got.Claim, m.NotBefore.Add(time.Minute), "greylisted"))
		if ids := b.dueMails(); len(ids) != 0 {
			t.Errorf("due at once after a failure: %v", ids)
		}
		got, err = b.ClaimMail(b.ctx, id, m.NotBefore.Add(time.Minute))
		b.must(err)
		if got.Tries != 2 || got.Why != "greylisted" {
			t.Errorf("mail %+v", got)
		}
	})
}

func TestOnlyTheNewestUnsentMailOfAGatheringGoesOut(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		queue := func(m NewMail) int64 {
			t.Helper()
			b.must(b.QueueMails(b.ctx, []NewMail{m}))
			ids := b.dueMails()
			return ids[len(ids)-1]
		}
		state := func(id int64) (s string) {
			t.Helper()
			b.must(b.db.QueryRow(`SELECT state FROM outbox WHERE id = $1`, id).Scan(&s))
			return s
		}
		anna := queue(b.mailTo(1, "receipt", "receipts"))
		claim, err := b.ClaimMail(b.ctx, anna, noon)
		b.must(err)
		second := queue(b.mailTo(1, "receipt", "receipts"))
		bert := queue(b.mailTo(2, "receipt", "receipts"))
		other := queue(b.mailTo(1, "receipt", "notices"))
		third := queue(b.mailTo(1, "receipt", "receipts"))
		b.must(b.MailRetry(b.ctx, anna, claim.Claim, noon, "busy"))
		for _, w := range []struct {
			id   int64
			want string
		}{{anna, Superseded}, {second, Superseded}, {bert, Queued}, {other, Queued}, {third, Queued}} {
			if got := state(w.id); got != w.want {
				t.Errorf("mail %d is %s, want %s", w.id, got, w.want)
			}
		}
	})
}

func TestAddressIsUnreachableUntilAMailArrives(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.must(b.QueueMails(b.ctx, []NewMail{b.mailTo(1, "one", ""), b.mailTo(1, "two", ""), b.mailTo(1, "three", "")}))
		ids := b.dueMails()
		reachable := func() bool { r, _ := b.snap().RoleByID(b.roles[1].ID); return r.Reachable }
		claim := func(id int64) string {
			m, err := b.ClaimMail(b.ctx, id, noon)
			b.must(err)
			return m.Claim
		}
		b.must(b.MailFailed(b.ctx, ids[0], claim(ids[0]), "421 later", false))
		if !reachable() {
			t.Error("unreachable by another failure")
		}
		wantErr(t, "a second failure", b.MailFailed(b.ctx, ids[0], "", "", true), ErrDone)
		b.must(b.MailFailed(b.ctx, ids[1], claim(ids[1]), "550 5.1.1", true))
		if reachable() {
			t.Error("reachable after 550 5.1.1")
		}
		b.must(b.MailSent(b.ctx, ids[2], claim(ids[2]), noon))
		if !reachable() {
			t.Error("unreachable after a mail arrived")
		}
	})
}

func TestMailsAreCountedAndFound(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		quiet := b.mailTo(1, "answer", "")
		quiet.Quiet = true
		stranger := NewMail{Address: "stranger@example.org", Kind: "greet", Bytes: []byte("x")}
		b.must(b.QueueMails(b.ctx, []NewMail{b.mailTo(1, "receipt", ""), quiet, stranger, b.mailTo(2, "receipt", "")}))
		tests := []struct {
			name          string
			role          int64
			address, kind string
			quiet         bool
			since         time.Time
			want          int
		}{
			{"all of a role", b.roles[1].ID, "", "", false, noon, 2},
			{"of a kind", b.roles[1].ID, "", "receipt", false, noon, 1},
			{"quiet ones", b.roles[1].ID, "", "", true, noon, 1},
			{"lately", b.roles[1].ID, "", "", false, noon.Add(time.Microsecond), 0},
			{"of a stranger", 0, "stranger@example.org", "greet", false, noon, 1},
		}
		for _, tt := range tests {
			if n, err := b.CountMails(b.ctx, tt.role, tt.address, tt.kind, tt.quiet, tt.since); err != nil || n != tt.want {
				t.Errorf("%s: %d, %v; want %d", tt.name, n, err, tt.want)
			}
		}
		if got, err := b.SentTexts(b.ctx, b.roles[1].ID, 10); err != nil || len(got) != 0 {
			t.Errorf("sent %q, %v before anything was", got, err)
		}
		ids := b.dueMails()
		for _, id := range ids[:2] {
			m, err := b.ClaimMail(b.ctx, id, noon)
			b.must(err)
			b.must(b.MailSent(b.ctx, id, m.Claim, noon))
		}
		if got, err := b.SentTexts(b.ctx, b.roles[1].ID, 10); err != nil || !slices.Equal(got, []string{"answer", "receipt"}) {
			t.Errorf("sent %q, %v", got, err)
		}
		m, err := b.MailByMessageID(b.ctx, "<answer>")
		b.must(err)
		if m.ID != ids[1] || m.State != Sent || !m.SentAt.Equal(noon) || !m.Quiet {
			t.Errorf("mail %+v", m)
		}
		_, err = b.MailByMessageID(b.ctx, "<none>")
		wantErr(t, "an unknown Message-ID", err, ErrNotFound)
	})
}
