package mail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bugOptions are those that testdata/bugs assumes.
func bugOptions() ReadOptions {
	return ReadOptions{
		MXHops:     1,
		AuthservID: "MX.orders.example.test",
		Own:        func(addr string) bool { return strings.HasSuffix(addr, "@orders.example.test") },
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func readBug(t testing.TB, name string) Letter {
	return Read(readFile(t, filepath.Join("testdata/bugs", name)), bugOptions())
}

// unquoted are the lines of a text that are not quoted.
func unquoted(text string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); !strings.HasPrefix(line, ">") {
			lines[line] = true
		}
	}
	return lines
}

func TestLettersOfTheBugListAreReadAsExpected(t *testing.T) {
	t.Parallel()
	var expected map[string]struct {
		Action   string
		Orders   []string
		Expected string
	}
	if err := json.Unmarshal(readFile(t, "testdata/bugs/expected.json"), &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := readBug(t, name)
			switch want.Action {
			case "orders", "orders-once":
				if l.Kind != KindLetter || l.From != "alice@player.test" || l.Auth.Level != AuthVerified {
					t.Errorf("%s (%s) from %q, %s (%s)", l.Kind, l.Why, l.From, l.Auth.Level, l.Auth.Why)
				}
				if at := time.Date(2026, 3, 3, 20, 14, 7, 0, time.UTC); !l.ReceivedAt.Equal(at) {
					t.Errorf("received at %v, want %v", l.ReceivedAt, at)
				}
				lines := unquoted(l.Text)
				for _, o := range want.Orders {
					if !lines[o] && !lines["-"+o] {
						t.Errorf("%s: no line %q in\n%s", want.Expected, o, l.Text)
					}
				}
				for _, old := range []string{"APPROVE", "A PAR - BUR"} {
					if lines[old] && !strings.HasPrefix(name, "21") { // unmarked: the zones code knows our own text
						t.Errorf("quoted line %q came out unquoted", old)
					}
				}
			case "error-reply", "orders-or-error-reply":
				if l.Kind != KindLetter || l.From != "alice@player.test" {
					t.Errorf("%s (%s) from %q", l.Kind, l.Why, l.From)
				}
			case "ignore", "bounce":
				if l.Kind != KindAutomatic && l.Kind != KindBounce {
					t.Errorf("%s, want a machine's letter", l.Kind)
				}
			case "quarantine":
				if l.Kind == KindLetter && l.Auth.Level == AuthVerified && l.From == "gm@gm.test" {
					t.Error("a forged GM counts as verified")
				}
			default:
				t.Errorf("unknown action %q", want.Action)
			}
		})
	}
}

func TestBugListDetails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file string
		got  func(Letter) any
		want any
	}{
		{"03-ios-html-only-base64.eml", func(l Letter) any { return l.Notes }, []string{noteHTML}},
		{"04-format-flowed-delsp.eml", func(l Letter) any { return strings.Contains(l.Text, "\n> > A PAR - BUR\n-- \nAlice\n") }, true},
		{"05-malformed-header-line.eml", func(l Letter) any { return l.Notes }, []string{noteHeader}},
		{"06-invalid-quoted-printable.eml", func(l Letter) any { return l.Text }, "A LON - NTH =ZZ\n===\nF EDI S A LON - NTH\nSAVING=5\n"},
		{"07-cte-lies-base64.eml", func(l Letter) any { return l.Notes }, []string{noteTransfer}},
		{"10-iso-2022-jp-address.eml", func(l Letter) any { return l.FromName }, "アリス"},
		{"16-subject-only.eml", func(l Letter) any { return strings.TrimSpace(l.Text) }, ""},
		{"25-out-of-office.eml", func(l Letter) any { return l.Kind }, KindAutomatic},
		{"26-bounce-with-orders-inside.eml", func(l Letter) any { return l.Bounce }, Bounce{Action: "failed", Status: "5.1.1", Said: "550 5.1.1 no such user"}},
		{"26-bounce-with-orders-inside.eml", func(l Letter) any { return strings.Contains(l.Text, "A LON") }, false},
		{"27-from-ourselves.eml", func(l Letter) any { return l.Why }, "it is our own mail"},
		{"28-spoofed-gm-approve.eml", func(l Letter) any { return l.Auth.Level }, AuthFailed},
		{"30-two-from-headers.eml", func(l Letter) any { return l.Kind }, KindQuarantine},
		{"32-homograph.eml", func(l Letter) any { return l.From }, "gm@gm.xn--tst-rdd"},
		{"34-winmail-dat.eml", func(l Letter) any { return l.Notes }, []string{noteWinmail}},
		{"35-orders-in-attachment.eml", func(l Letter) any { return l.Notes }, []string{fmt.Sprintf(noteUnread, "orders.txt")}},
		{"35-orders-in-attachment.eml", func(l Letter) any { return l.Attachments }, []Attachment{{"orders.txt", "text/plain", 44}}},
		{"36-encoded-crlf-in-subject.eml", func(l Letter) any { return l.Subject }, "Re: [demo-3] Bcc: evil@evil.test"},
		{"42-deep-nesting.eml", func(l Letter) any { return l.Kind }, KindQuarantine},
		{"43-bounce-forged-to-disable-player.eml", func(l Letter) any { return FindTokens(l.Recipients, "pbem@orders.example.test") }, []string(nil)},
		{"01-html-only-br.eml", func(l Letter) any { return FindTokens(l.Recipients, "pbem@orders.example.test") }, []string{"k7f3q2m9x4v8t1z6"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got(readBug(t, tt.file))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.file, diff)
		}
	}
}

func TestReadHeaderFields(t *testing.T) {
	t.Parallel()
	raw := strings.ReplaceAll(`From mallory Tue Mar  3 20:14:07 2026
Received: by inner.example.org; Tue, 03 Mar 2026 20:14:09 +0000
Received: from x (y; z) by mx.example.org; Tue, 03 Mar 2026 21:14:08 +0100 (CET)
Received: from forged; Tue, 03 Mar 2020 00:00:00 +0000
Delivered-To: Pbem+ABC@example.org
From: "Player, Alice" <Alice@Player.TEST>
To: Game <pbem+ABC@example.org>, "a, b" <B@example.org>, nobody
Cc: undisclosed:;, C@EXAMPLE.org
Subject: =?utf-8?q?h=C3=A9llo?=
 world
Message-ID: <1@player.test>
In-Reply-To: Your letter <2@example.org> of today
References: <0@example.org> junk <2@example.org>
 <bad id@x> <3@example.org>
Date: Wed, 04 Mar 2026 00:00:00 +0100

Hello.
`, "\n", "\r\n")
	got := Read([]byte(raw), ReadOptions{MXHops: 2})
	want := Letter{
		Kind:       KindLetter,
		MessageID:  "<1@player.test>",
		InReplyTo:  "<2@example.org>",
		References: []string{"<0@example.org>", "<2@example.org>", "<3@example.org>"},
		From:       "alice@player.test",
		FromName:   "Player, Alice",
		To:         []string{"pbem+abc@example.org", "b@example.org"},
		Cc:         []string{"c@example.org"},
		Recipients: []string{"pbem+ABC@example.org", "B@example.org", "C@EXAMPLE.org", "Pbem+ABC@example.org"},
		Subject:    "héllo world",
		Date:       time.Date(2026, 3, 3, 23, 0, 0, 0, time.UTC),
		ReceivedAt: time.Date(2026, 3, 3, 20, 14, 8, 0, time.UTC),
		Text:       "Hello.\n",
		Auth:       Auth{AuthNone, "nothing is configured that could verify senders"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTokensThatGatewaysHide: an address of ours is found wherever a server has
// written whom the letter was for.
func TestTokensThatGatewaysHide(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{
		"To":                  "To: Game <pbem+tok@example.org>",
		"Cc among others":     "To: a@b.test\nCc: c@d.test, pbem+tok@example.org",
		"upper case":          "To: PBEM+TOK@EXAMPLE.ORG",
		"quoted":              `To: "pbem+tok"@example.org`,
		"escaped":             "To: pbem=2Btok@example.org",
		"Delivered-To":        "To: undisclosed-recipients:;\nDelivered-To: pbem+tok@example.org",
		"X-Original-To":       "To: list@b.test\nX-Original-To: pbem+tok@example.org",
		"X-Forwarded-To":      "To: alice@b.test\nX-Forwarded-To: pbem+tok@example.org",
		"Resent-To":           "To: alice@b.test\nResent-To: <pbem+tok@example.org>",
		"Received":            "Received: from x by mx.example.org with ESMTP id 1\n\tfor <pbem+tok@example.org>; Tue, 03 Mar 2026 20:14:08 +0000\nTo: alice@b.test",
		"Received, no angles": "Received: from x by y id 1 for pbem+tok@example.org; Tue, 03 Mar 2026 20:14:08 +0000",
		"second of two":       "Delivered-To: alice@b.test\nDelivered-To: pbem+tok@example.org",
	} {
		l := Read([]byte("From: a@b.test\n"+header+"\n\nx\n"), ReadOptions{})
		if got := FindTokens(l.Recipients, "pbem@example.org"); len(got) != 1 || !strings.EqualFold(got[0], "tok") {
			t.Errorf("%s: tokens %q of %q", name, got, l.Recipients)
		}
	}
	// Nowhere else: a Subject or a text never carries one.
	l := Read([]byte("From: a@b.test\nSubject: pbem+tok@example.org\nX-Note: pbem+tok@example.org\n\npbem+tok@example.org\n"), ReadOptions{})
	if got := FindTokens(l.Recipients, "pbem@example.org"); got != nil {
		t.Errorf("tokens %q", got)
	}
}

func TestReceivedAtNeverComesFromTheSender(t *testing.T) {
	t.Parallel()
	internal := time.Date(2026, 3, 3, 20, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		header string
		hops   int
		want   time.Time
	}{
		"no trusted hop":    {"Received: by x; Tue, 03 Mar 2020 20:14:07 +0000\n", 0, internal},
		"trusted hop":       {"Received: by x; Tue, 03 Mar 2026 19:59:00 +0000\n", 1, time.Date(2026, 3, 3, 19, 59, 0, 0, time.UTC)},
		"fewer than we add": {"Received: by x; Tue, 03 Mar 2020 20:14:07 +0000\n", 2, internal},
		"unreadable stamp":  {"Received: by x; yesterday\n", 1, internal},
		"no stamp":          {"Received: by x\n", 1, internal},
		"only a Date":       {"Date: Tue, 03 Mar 2020 20:14:07 +0000\n", 1, internal},
	}
	for name, tt := range tests {
		l := Read([]byte(tt.header+"From: a@b.test\n\nx\n"), ReadOptions{InternalDate: internal, MXHops: tt.hops})
		if !l.ReceivedAt.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", name, l.ReceivedAt, tt.want)
		}
	}
}

func TestMachineLettersAreRecognised(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header string
		want   Kind
	}{
		{"From: a@b.test", KindLetter},
		{"From: a@b.test\nAuto-Submitted: no", KindLetter},
		{"From: a@b.test\nAuto-Submitted: No (a person)", KindLetter},
		{"From: a@b.test\nX-Auto-Response-Suppress: All", KindLetter},
		{"From: a@b.test\nPrecedence: normal", KindLetter},
		{"From: a@b.test\nAuto-Submitted: auto-replied; owner-email=\"x\"", KindAutomatic},
		{"From: a@b.test\nAuto-Submitted: auto-generated", KindAutomatic},
		{"From: a@b.test\nPrecedence: BULK", KindAutomatic},
		{"From: a@b.test\nPrecedence: auto_reply", KindAutomatic},
		{"From: a@b.test\nList-Id: <l.example.org>", KindAutomatic},
		{"From: a@b.test\nX-Autoreply: yes", KindAutomatic},
		{"From: a@b.test\nX-Autorespond: vacation", KindAutomatic},
		{"From: a@b.test\nX-Pbem-Loop: example.org", KindAutomatic},
		{"From: Us <PBEM@example.org>", KindAutomatic},
		{"From: a@b.test\nContent-Type: text/calendar; method=REPLY", KindAutomatic},
		{"From: a@b.test\nContent-Type: multipart/report; report-type=feedback-report; boundary=x", KindAutomatic},
		{"From: a@b.test\nContent-Type: multipart/report; report-type=disposition-notification; boundary=x", KindAutomatic},
		{"From: a@b.test\nReturn-Path: <>", KindBounce},
		{"From: Postmaster@b.test", KindBounce},
		{"From: MAILER-DAEMON@b.test (Mail System)\nAuto-Submitted: auto-replied", KindBounce},
		{"From: a@b.test\nContent-Type: Multipart/Report; boundary=x", KindBounce},
		{"From: <>\nReturn-Path: <>", KindBounce},
		{"From: MAILER-DAEMON <>", KindBounce},
		{"From: Mail Delivery Subsystem <MAILER-DAEMON>", KindBounce},
		{"From: MAILER-DAEMON", KindBounce},
		{"From: mailer-daemon <a@b.test>", KindLetter},
		{"From: MAILER-DAEMON <>\nFrom: a@b.test", KindQuarantine},
		{"From: a@b.test\nX-Failed-Recipients: c@d.test", KindBounce},
		{"From: postmaster@b.test\nReturn-Path: <>\nAuto-Submitted: auto-replied", KindAutomatic},
		{"From: No-Reply@b.test", KindAutomatic},
		{"From: a@b.test\nX-Mail-Autoreply: yes", KindAutomatic},
		{"From: a@b.test\nX-Auto-Response-Suppress: DR, AutoReply", KindLetter},
		{"From: a@b.test\nX-MLServer: fml", KindAutomatic},
		{"From: a@b.test\nSubject: Automatic reply: [Dusk-7]", KindAutomatic},
		{"From: a@b.test\nSubject: =?utf-8?q?R=C3=A9ponse_automatique_=3A?= [Dusk-7]", KindAutomatic},
		{"From: a@b.test\nSubject: Re: Automatic reply: [Dusk-7]", KindLetter},
		{"From: a@b.test\nSubject: Out of office now, so I can play", KindLetter},
		{"From: a@b.test\nSubject: 自动回复：[Dusk-7]", KindAutomatic},
		{"From: a@b.test\nSubject: Fuera de oficina: [Dusk-7]", KindAutomatic},
		{"From: a@b.test\nX-Autogenerated: Reply", KindAutomatic},
		{"From: a@b.test\nX-POST-MessageClass: 9; Autoresponder", KindAutomatic},
		{"From: a@b.test\nX-POST-MessageClass: 1; Person", KindLetter},
		{"From: a@b.test\nX-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent", KindAutomatic},
		{"From: a@b.test\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nAccepted\n--x\nContent-Type: text/calendar; method=\"REPLY\"\n\nBEGIN\n--x--", KindAutomatic},
		{"From: a@b.test\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nCome\n--x\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN\n--x--", KindLetter},
		{"From: a@b.test\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\nAction: failed\n--x--", KindBounce},
		{"From: a@b.test\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: forwarded\n\n--x--", KindLetter},
		{"From: noreply@b.test\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: returned\n\n--x--", KindBounce},
		{"X: no sender", KindQuarantine},
	}
	own := func(addr string) bool { return addr == "pbem@example.org" }
	for _, tt := range tests {
		l := Read([]byte(tt.header+"\n\nx\n"), ReadOptions{Own: own})
		if l.Kind != tt.want || (l.Kind == KindLetter) != (l.Why == "") {
			t.Errorf("%q: %s (%s), want %s", tt.header, l.Kind, l.Why, tt.want)
		}
	}
}

func TestBombsAreQuarantinedUnparsed(t *testing.T) {
	t.Parallel()
	const from = "From: alice@player.test\r\n"
	nested := func(n int) string {
		var b strings.Builder
		b.WriteString(from)
		for i := range n {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
		}
		return b.String() + "\r\nx\r\n"
	}
	tests := map[string]string{
		"5,000 nested parts":      nested(5000),
		"25 nested parts":         nested(25),
		"nested by other types":   strings.ReplaceAll(nested(200), "multipart/mixed", "foo/bar"),
		"500,000 flat parts":      from + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\n", 500_000),
		"parts hidden by RFC2231": from + "Content-Type: multipart/mixed; boundary*0=\"b\"; boundary*1=c\r\n\r\n" + strings.Repeat("--bc\r\n\r\n", 3000),
		"11 MiB of text":          from + "\r\n" + strings.Repeat("hello world\r\n", 900_000),
		"26 MiB Subject":          from + "Subject: " + strings.Repeat("x", 26<<20) + "\r\n\r\nx\r\n",
		"1,001 header fields":     from + strings.Repeat("X: y\r\n", 1001) + "\r\nx\r\n",
		"300 KiB header":          from + strings.Repeat("X: "+strings.Repeat("y", 500)+"\r\n", 600) + "\r\nx\r\n",
		"a line of 2 MiB":         from + "\r\n" + strings.Repeat("x y", 700_000) + "\r\n",
		"a header of one line":    from + "X: " + strings.Repeat("x y", 70_000) + "\r\n\r\n",
		"no line end at all":      strings.Repeat("x", 1<<20),
	}
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := Read([]byte(raw), ReadOptions{})
			if l.Kind != KindQuarantine || l.Why == "" || l.Text != "" {
				t.Errorf("%s (%s), %d bytes of text; want it unread in quarantine", l.Kind, l.Why, len(l.Text))
			}
		})
	}
}

func TestQuarantinedLetterStillNamesItsSender(t *testing.T) {
	t.Parallel()
	l := Read([]byte("From: Alice@player.test\nTo: pbem+t@example.org\n\n"+strings.Repeat("x y\n", 100)), ReadOptions{MaxSize: 200})
	if l.Kind != KindQuarantine || l.From != "alice@player.test" || len(l.Recipients) != 1 {
		t.Errorf("%s from %q to %v", l.Kind, l.From, l.Recipients)
	}
}

func TestContinuationLinesCostLinearTime(t *testing.T) {
	t.Parallel()
	raw := "From: a@b.test\nSubject: x\n" + strings.Repeat(" y\n", 80_000) + "\nhello\n"
	if l := Read([]byte(raw), ReadOptions{}); l.Kind != KindLetter || l.Text != "hello\n" {
		t.Errorf("%s (%s)", l.Kind, l.Why)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"01-html-only-br.eml", "04-format-flowed-delsp.eml", "14-subject-encoded-word-broken-by-header.eml",
		"26-bounce-with-orders-inside.eml", "35-orders-in-attachment.eml"} {
		f.Add(readFile(f, filepath.Join("testdata/bugs", name)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		o := bugOptions()
		l := Read(raw, o)
		if l.Kind != KindQuarantine && l.Kind != KindLetter && l.Kind != KindAutomatic && l.Kind != KindBounce {
			t.Errorf("kind %q", l.Kind)
		}
		if (l.Kind == KindLetter) != (l.Why == "") || l.Kind == KindLetter && l.From == "" {
			t.Errorf("%s from %q, why %q", l.Kind, l.From, l.Why)
		}
		for _, s := range append([]string{l.Text, l.Subject, l.FromName, l.From, l.MessageID, l.Why}, l.Recipients...) {
			if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) || strings.ToValidUTF8(s, "") != s {
				t.Errorf("unclean text %q", s)
			}
		}
		if n := strings.Count(l.Text, "\n"); n > maxTextLines || len(l.Text) > maxText {
			t.Errorf("%d lines, %d bytes", n, len(l.Text))
		}
		if !cmp.Equal(l, Read(bytes.Clone(raw), o)) {
			t.Error("read twice, the letter differs")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"01-html-only-br.eml", "23-inline-replies.eml", "24-redos.eml", "42-deep-nesting.eml"} {
		raw := readFile(b, filepath.Join("testdata/bugs", name))
		o := bugOptions()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(raw, o)
			}
		})
	}
}
