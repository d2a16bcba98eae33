package daemon

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// faulty counts the attempts to send to each address, and fails those it is told to.
type faulty struct {
	mail.Sender
	mu    sync.Mutex
	fail  func(to string) *mail.SendError
	tried map[string]int
}

func (f *faulty) Send(ctx context.Context, from, to string, raw []byte) error {
	f.mu.Lock()
	if f.tried == nil {
		f.tried = map[string]int{}
	}
	who, _, _ := strings.Cut(to, "@")
	f.tried[who]++
	f.tried[""]++
	fail := f.fail
	f.mu.Unlock()
	if fail != nil {
		if err := fail(who); err != nil {
			return err
		}
	}
	return f.Sender.Send(ctx, from, to, raw)
}

// failing is a bench without a game whose sender is faulty.
func failing(t *testing.T, dsn string, fail func(to string) *mail.SendError) (*bench, *faulty) {
	b := newBench(t, dsn, benchOptions{noGame: true})
	f := &faulty{Sender: b.d.Sender, fail: fail}
	b.d = b.another(func(o *Options) { o.Sender = f }, nil)
	return b, f
}

// addressed is the daily game with somebody's address elsewhere.
func addressed(t testing.TB, who, to string) string {
	t.Helper()
	file := dailyGame(t)
	if !strings.Contains(file, `"`+who+"@"+testDomain) {
		t.Fatalf("%s has another address", who)
	}
	return strings.Replace(file, `"`+who+"@"+testDomain, `"`+to+"@"+testDomain, 1)
}

func (b *bench) unsent() int {
	b.t.Helper()
	n, err := b.st.Unsent(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *bench) role(key string) store.Role {
	b.t.Helper()
	for _, r := range b.game().Roles {
		if string(r.Key) == key {
			return r
		}
	}
	b.t.Fatalf("no role %s", key)
	return store.Role{}
}

// TestTemporaryRefusal: a mail that is refused for now is tried again, ever more
// slowly, until five days have passed and its turn is over. Nobody is marked.
func TestTemporaryRefusal(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b, f := failing(t, dsn, nil)
		b.create(addressed(t, "ben", "temperror"))
		for _, who := range []string{"anna", "carla"} {
			b.one(who) // others are not held up
		}
		b.inbox("greta")
		if f.tried["temperror"] != 1 || b.unsent() != 1 {
			t.Fatalf("tried %v, %d unsent", f.tried, b.unsent())
		}
		for i, wait := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
			b.clock.advance(wait*time.Minute - time.Second)
			b.work()
			if f.tried["temperror"] != i+1 {
				t.Fatalf("tried %d times before the wait %d was over", f.tried["temperror"], i)
			}
			b.clock.advance(time.Second)
			b.work()
			if f.tried["temperror"] != i+2 {
				t.Fatalf("tried %d times after the wait %d", f.tried["temperror"], i)
			}
		}
		// More than five days later the turn still waits for its mail.
		b.clock.advance(6 * 24 * time.Hour)
		b.crank()
		if n := b.unsent(); n != 1 {
			t.Errorf("%d unsent after a week in an open turn", n)
		}
		b.reply("greta", b.with("greta", "attempt 1"), "OK")
		b.crank()
		b.clock.advance(2 * time.Hour)
		b.crank()
		before := f.tried["temperror"]
		b.clock.advance(61 * time.Minute)
		b.crank()
		if got := f.tried["temperror"] - before; got != 1 {
			t.Errorf("%d mails are tried once the turn is over, want the report", got)
		}
		if !b.role("ben").Reachable {
			t.Error("a temporary fault marked Ben unreachable")
		}
		if got := b.markers("greta", "refuse"); len(got) != 0 {
			t.Errorf("the GM was told of a refusal %d times", len(got))
		}
	})
}

// TestPermanentRefusal: the address is marked, the GM is told once, and Ben is
// not late; a mail that arrives takes the mark away.
func TestPermanentRefusal(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		refuse := &mail.SendError{Stage: mail.StageRcpt, Code: 550, Enhanced: [3]int{5, 1, 1}, Msg: "no such mailbox"}
		b, f := failing(t, dsn, func(to string) *mail.SendError {
			if to == "ben" {
				return refuse
			}
			return nil
		})
		b.create(dailyGame(t))
		told := b.markers("greta", "refuses mail")
		if len(told) != 1 {
			t.Fatalf("the GM was told %d times", len(told))
		}
		contains(t, "what the GM is told", told[0].text, "Ben", "Nobody is late", "EXTEND")
		if b.role("ben").Reachable || !b.role("anna").Reachable {
			t.Fatalf("reachable: Ben %v, Anna %v", b.role("ben").Reachable, b.role("anna").Reachable)
		}
		b.reply("greta", b.with("greta", "the turn opens"), "STATUS")
		b.empty()
		b.crank()
		contains(t, "the GM's status", b.one("greta").text, "Ben", "mail to Ben is refused")
		b.at(utc(3, 2, 13, 0)) // the reminder is refused as well
		if f.tried["ben"] != 2 {
			t.Errorf("tried %d times", f.tried["ben"])
		}
		b.none("greta")

		// The mailbox is back: the next mail says so.
		f.mu.Lock()
		f.fail = nil
		f.mu.Unlock()
		b.at(utc(3, 2, 19, 5))
		b.reply("greta", b.with("greta", "attempt 1"), "OK")
		b.crank()
		b.one("ben")
		if !b.role("ben").Reachable {
			t.Error("Ben is still marked")
		}
		// And gone again: the GM is told again.
		f.mu.Lock()
		f.fail = func(to string) *mail.SendError {
			if to == "ben" {
				return refuse
			}
			return nil
		}
		f.mu.Unlock()
		b.empty()
		b.at(utc(3, 3, 13, 0))
		if got := b.markers("greta", "refuses mail"); len(got) != 1 || b.role("ben").Reachable {
			t.Errorf("the GM was told %d times more; Ben is reachable: %v", len(got), b.role("ben").Reachable)
		}
	})
}

// TestPermanentFaultAddress: the post office's own answer at RCPT marks an address.
func TestPermanentFaultAddress(t *testing.T) {
	t.Parallel()
	b, f := failing(t, "sqlite:"+t.TempDir()+"/x.db", nil)
	b.create(addressed(t, "ben", "permerror"))
	if b.role("ben").Reachable || f.tried["permerror"] != 1 || b.unsent() != 0 {
		t.Errorf("reachable %v, tried %d, %d unsent", b.role("ben").Reachable, f.tried["permerror"], b.unsent())
	}
	if got := b.markers("greta", "refuses mail"); len(got) != 1 {
		t.Errorf("the GM was told %d times", len(got))
	}
}

// TestGMUnreachable: when the GM's address refuses mail the operator hears of it, once.
func TestGMUnreachable(t *testing.T) {
	t.Parallel()
	b, _ := failing(t, "sqlite:"+t.TempDir()+"/x.db", nil)
	b.create(addressed(t, "greta", "permerror"))
	b.at(utc(3, 2, 19, 5))
	contains(t, "what the operator is told", b.one("mallory").text, "GM of Dusk", "cannot be reached")
	b.at(utc(3, 6, 19, 5))
	b.none("mallory")
}

// TestOutageOfOurServer: while our own server takes nothing, all sending pauses,
// nobody is marked, and the operator is told once; afterwards everybody gets his
// mail once.
func TestOutageOfOurServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fail func(*testing.T, *bench) mail.Sender
	}{
		{"nothing listens", func(_ *testing.T, b *bench) mail.Sender {
			return &mail.SMTP{Addr: "127.0.0.1:1", TLS: mail.TLSNone}
		}},
		{"our password is wrong", func(_ *testing.T, b *bench) mail.Sender {
			return &mail.SMTP{Addr: b.post.SMTPAddr(), TLS: mail.TLSNone, User: ourAddress, Pass: "wrong"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, dsn string) {
				b, f := failing(t, dsn, nil)
				works := f.Sender
				f.Sender = tt.fail(t, b)
				b.create(dailyGame(t))
				if f.tried[""] != 1 {
					t.Errorf("%d mails were tried in the first minute", f.tried[""])
				}
				for range 10 {
					b.clock.advance(time.Minute)
					b.work()
				}
				if f.tried[""] != 11 {
					t.Errorf("%d mails were tried in eleven minutes", f.tried[""])
				}
				for _, who := range []string{"anna", "ben", "carla", "gm"} {
					if !b.role(who).Reachable {
						t.Errorf("%s is marked unreachable", who)
					}
				}
				f.Sender = works
				b.clock.advance(time.Minute)
				b.work()
				if n := b.unsent(); n != 0 {
					t.Errorf("%d mails are unsent", n)
				}
				for _, who := range []string{"anna", "ben", "carla"} {
					b.one(who)
				}
				contains(t, "what the operator is told", b.one("mallory").text, "cannot be sent")
			})
		})
	}
}

// TestMailOurServerHates: a mail that our server refuses at MAIL FROM, time
// after time, does not keep the others waiting for ever.
func TestMailOurServerHates(t *testing.T) {
	t.Parallel()
	b, f := failing(t, "sqlite:"+t.TempDir()+"/x.db", func(to string) *mail.SendError {
		if to == "anna" {
			return &mail.SendError{Stage: mail.StageMail, Code: 552, Enhanced: [3]int{5, 3, 4}, Msg: "too large"}
		}
		return nil
	})
	b.create(dailyGame(t))
	for range 5 {
		b.clock.advance(time.Minute)
		b.work()
	}
	for _, who := range []string{"ben", "carla"} {
		b.one(who)
	}
	if n := b.unsent(); n != 1 || !b.role("anna").Reachable {
		t.Errorf("%d unsent, Anna reachable %v, tried %v", n, b.role("anna").Reachable, f.tried)
	}
}
