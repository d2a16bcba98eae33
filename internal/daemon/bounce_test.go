package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store"
)

// report is a delivery report (RFC 3464) of a mail to ben, sent to an address.
func (b *bench) report(to, action, status string) []byte {
	b.n++
	return []byte(strings.ReplaceAll(fmt.Sprintf(`Return-Path: <>
From: Mail Delivery System <MAILER-DAEMON@relay.test>
To: %s
Subject: Undelivered Mail Returned to Sender
Message-ID: <dsn%d@relay.test>
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary=x

--x
Content-Type: text/plain

It could not be delivered.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.test

Final-Recipient: rfc822; ben@%s
Action: %s
Status: %s
Diagnostic-Code: smtp; 550 %s said the other side
--x
Content-Type: message/rfc822

From: %s
Subject: returned

OK
three shots at Zog
--x--
`, to, b.n, testDomain, action, status, status, ourAddress), "\n", "\r\n"))
}

// TestBounces: a report counts only at the return address of a mail of ours; it
// marks an address whose mailbox is gone, tells the GM once, and makes nobody
// late. Nobody answers it, and nothing of what it returns is read.
func TestBounces(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		ben := b.one("ben")
		back := b.envelopeSender(ben)
		bounce := func(to, action, status string) map[string][]mailIn {
			return b.unchanged(action+" "+status, func() { b.raw("ben", arrival{auth: "none", to: to}, b.report(to, action, status)) })
		}
		for name, to := range map[string]string{"no token": ourAddress, "a forged token": forged(back), "the address to answer to": ben.replyTo} {
			if got := bounce(to, "failed", "5.1.1"); len(got) > 0 || !b.role("ben").Reachable {
				t.Fatalf("%s: %s; Ben reachable: %v", name, subjects(got), b.role("ben").Reachable)
			}
			b.disposed(name, store.Ignored, "counts for nothing")
		}
		for _, soft := range [][2]string{{"delayed", "4.4.1"}, {"failed", "4.2.2"}, {"delivered", "2.0.0"}, {"relayed", "2.0.0"}} {
			if got := bounce(back, soft[0], soft[1]); len(got) > 0 || !b.role("ben").Reachable {
				t.Fatalf("%v: %s; Ben reachable: %v", soft, subjects(got), b.role("ben").Reachable)
			}
			b.disposed(soft[0], store.Ignored, "not given up")
		}

		got := bounce(back, "failed", "5.1.1")
		b.disposed("a hard bounce", store.Acted, "came back: 5.1.1")
		says(t, "what the GM is told", only(t, "a hard bounce", got, "greta"), "Ben", "5.1.1 said the other side", "Nobody is late")
		if b.role("ben").Reachable || !b.role("anna").Reachable {
			t.Fatalf("reachable: Ben %v, Anna %v", b.role("ben").Reachable, b.role("anna").Reachable)
		}
		if got := bounce(back, "failed", "5.1.1"); len(got) > 0 {
			t.Fatalf("told again: %s", subjects(got))
		}

		// The next mail is accepted by our own server, and comes back as well.
		b.clock.advance(time.Hour)
		b.deliver(func() { b.reply("ben", ben, "STATUS", arrival{auth: "fail"}) })
		if !b.role("ben").Reachable {
			t.Error("a mail that went out left Ben marked")
		}
		b.crank()
		got = bounce(b.envelopeSender(b.with("ben", "")), "failed", "5.2.1")
		if len(got["greta"]) != 1 || b.role("ben").Reachable {
			t.Errorf("after Ben was heard of: %s; reachable: %v", subjects(got), b.role("ben").Reachable)
		}
	})
}

// TestBounceForOtherReasons: a mail that was refused for what it says is told of,
// but the address is not at fault.
func TestBounceForOtherReasons(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	back := b.envelopeSender(b.one("ben"))
	got := b.unchanged("spam", func() { b.raw("ben", arrival{auth: "none", to: back}, b.report(back, "failed", "5.7.1")) })
	says(t, "what the GM is told", only(t, "spam", got, "greta"), "5.7.1")
	if !b.role("ben").Reachable {
		t.Error("Ben is marked")
	}
}

// TestBounceOfAnOldEpoch: what comes back to an address that was voided says
// nothing about who has the role now.
func TestBounceOfAnOldEpoch(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	ben := b.one("ben")
	b.deliver(func() { b.reply("ben", ben, "LOCK") })
	back := b.envelopeSender(ben)
	got := b.unchanged("an old epoch", func() { b.raw("ben", arrival{auth: "none", to: back}, b.report(back, "failed", "5.1.1")) })
	if len(got) > 0 || !b.role("ben").Reachable {
		t.Errorf("%s; reachable: %v", subjects(got), b.role("ben").Reachable)
	}
	b.disposed("an old epoch", store.Ignored, "counts for nothing")
}
