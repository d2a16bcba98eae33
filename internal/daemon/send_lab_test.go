package daemon

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

// throughLab sends what goes to the lab's domain to OpenSMTPD, and all else to
// the bench's post office. OpenSMTPD has faults for some envelope addresses:
// recipient stands in for the lab's recipients, sender for every sender; with a
// sender all mail goes to the lab.
type throughLab struct {
	lab, post mail.Sender
	mu        sync.Mutex
	recipient string
	sender    string
}

func (s *throughLab) Send(ctx context.Context, from, to string, raw []byte) error {
	s.mu.Lock()
	recipient, sender := s.recipient, s.sender
	s.mu.Unlock()
	ours := strings.HasSuffix(to, "@"+lab.Domain)
	if ours && recipient != "" {
		to = recipient + "@" + lab.Domain
	}
	if sender != "" {
		from = sender + "@" + lab.Domain
	}
	if ours || sender != "" {
		return s.lab.Send(ctx, from, to, raw)
	}
	return s.post.Send(ctx, from, to, raw)
}

// faults sets which faults OpenSMTPD shows from now on; empty: none.
func (s *throughLab) faults(recipient, sender string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recipient, s.sender = recipient, sender
}

// labBench is a bench whose Ben has a mailbox in the lab.
func labBench(t *testing.T) (b *bench, f *faulty, s *throughLab, ben string, start func()) {
	t.Helper()
	l := lab.Open(t)
	ben = l.User(t, "ben")
	b, f = failing(t, "sqlite:"+t.TempDir()+"/x.db", nil)
	smtp := &mail.SMTP{Addr: lab.SMTP, TLS: mail.TLSNone}
	t.Cleanup(func() { smtp.Close() })
	s = &throughLab{lab: smtp, post: f.Sender}
	f.Sender = s
	file := dailyGame(t)
	here := `"ben@` + testDomain
	if !strings.Contains(file, here) {
		t.Fatal("Ben has another address")
	}
	return b, f, s, ben, func() { b.create(strings.Replace(file, here, `"`+ben+"@"+lab.Domain, 1)) }
}

// labLetters waits until somebody has n letters in the lab, and fails the test if
// one of them came twice.
func labLetters(t *testing.T, user string, n int) {
	t.Helper()
	l := lab.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		letters, err := l.Letters(ctx, user, "INBOX")
		if err != nil {
			t.Fatalf("waiting for %d letters: %v", n, err)
		}
		if len(letters) < n {
			continue // OpenSMTPD delivers when it gets to it
		}
		ids := map[string]bool{}
		for _, raw := range letters {
			ids[mail.ReadHeader(raw, mail.ReadOptions{}).MessageID] = true
			if !bytes.Contains(raw, []byte("\r\nReturn-Path: <pbem+")) && !bytes.HasPrefix(raw, []byte("Return-Path: <pbem+")) {
				t.Errorf("a letter whose bounce would not come back to us:\n%.300s", raw)
			}
		}
		if len(ids) != n || len(letters) != n {
			t.Errorf("%d letters, %d of them different, want %d", len(letters), len(ids), n)
		}
		return
	}
}

// TestRefusalsOfARealServer: what OpenSMTPD says of a recipient for good marks
// the address or does not, the GM is told once, and the next mail that is taken
// takes the mark away.
func TestRefusalsOfARealServer(t *testing.T) {
	t.Parallel()
	for fault, reachable := range map[string]bool{
		"permerror": false, // 550 5.1.1
		"full":      false, // 552 5.2.2
		"policy":    true,  // 550 5.7.1: about the mail, not the mailbox
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			b, f, s, ben, start := labBench(t)
			s.faults(fault, "")
			start()
			if got := b.role("ben").Reachable; got != reachable || b.unsent() != 0 || f.tried[ben] != 1 {
				t.Errorf("reachable %v, want %v; %d unsent, tried %d times", got, reachable, b.unsent(), f.tried[ben])
			}
			told := b.markers("greta", "refuse")
			if len(told) != 1 {
				t.Fatalf("the GM was told %d times", len(told))
			}
			contains(t, "what the GM is told", told[0].text, "Ben", "Nobody is late")
			for _, who := range []string{"anna", "carla"} {
				b.one(who)
				if !b.role(who).Reachable {
					t.Errorf("%s is marked", who)
				}
			}
			s.faults("", "")
			b.at(utc(3, 2, 13, 0)) // the reminder
			labLetters(t, ben, 1)
			if !b.role("ben").Reachable {
				t.Error("Ben is still marked though he got a mail")
			}
			if b.at(utc(3, 2, 19, 6)); len(b.markers("greta", "attempt 1")) != 1 {
				t.Error("the turn did not close")
			}
		})
	}
}

// TestTemporaryFaultOfARealServer: the mail waits, alone, and arrives once.
func TestTemporaryFaultOfARealServer(t *testing.T) {
	t.Parallel()
	b, f, s, ben, start := labBench(t)
	s.faults("temperror", "")
	start()
	for _, who := range []string{"anna", "carla"} {
		b.one(who)
	}
	for range 3 {
		b.clock.advance(10 * time.Minute)
		b.work()
	}
	if n := f.tried[ben]; n != 4 || b.unsent() != 1 || !b.role("ben").Reachable {
		t.Errorf("tried %d times, %d unsent, reachable %v", n, b.unsent(), b.role("ben").Reachable)
	}
	s.faults("", "")
	b.clock.advance(time.Hour)
	b.work()
	labLetters(t, ben, 1)
	if n := b.unsent(); n != 0 || len(b.markers("greta", "refuse")) != 0 {
		t.Errorf("%d unsent", n)
	}
}

// TestSenderRefusedByARealServer: what the server has against us is our fault.
// All sending pauses, nobody is marked, the operator is told once, and
// afterwards everybody gets his mail once.
func TestSenderRefusedByARealServer(t *testing.T) {
	t.Parallel()
	for _, sender := range []string{"busy", "banned"} { // 421 4.3.2, 550 5.7.1
		t.Run(sender, func(t *testing.T) {
			t.Parallel()
			b, f, s, ben, start := labBench(t)
			s.faults("", sender)
			start()
			if n := f.tried[""]; n != 1 {
				t.Errorf("%d mails were tried in the first minute", n)
			}
			for i := range 5 {
				b.clock.advance(time.Minute)
				b.work()
				if n := f.tried[""]; n > i+2 {
					t.Errorf("%d mails were tried in %d minutes", n, i+2)
				}
			}
			for _, who := range []string{"anna", "ben", "carla", "gm"} {
				if !b.role(who).Reachable {
					t.Errorf("%s is marked unreachable", who)
				}
			}
			s.faults("", "")
			for range 3 {
				b.clock.advance(time.Hour)
				b.work()
			}
			labLetters(t, ben, 1)
			for _, who := range []string{"anna", "carla"} {
				b.one(who)
			}
			contains(t, "what the operator is told", b.one("mallory").text, "cannot be sent")
			if n := b.unsent(); n != 0 {
				t.Errorf("%d mails are unsent", n)
			}
			if got := b.markers("greta", "refuse"); len(got) != 0 {
				t.Errorf("the GM was told of a refusal %d times", len(got))
			}
		})
	}
}
