package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// TestTwoGames: a person in two games is asked which when nothing says so; the
// Subject's tag, and what he owes, decide; a token of one game says nothing in
// another.
func TestTwoGames(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	second := strings.NewReplacer(`name = "Dusk"`, `name = "Dawn"`, `address = "ben@`, `address = "mallory@`).Replace(monthlyGame(t))
	if _, faults, err := b.d.CreateGame(t.Context(), "dawn.toml", []byte(second)); err != nil || len(faults) > 0 {
		t.Fatal(faults, err)
	}
	b.crank()
	plain := func(subject string) mailIn { return mailIn{subject: subject, replyTo: ourAddress} }
	dawn := func() store.Snapshot {
		g, err := b.st.GameByName(t.Context(), "Dawn")
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.st.Snapshot(t.Context(), g.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	got := b.unchanged("no game named", func() { b.reply("anna", plain("my orders"), "one shot at Zog") })
	says(t, "which game", only(t, "which", got, "anna"), "Dusk", "Dawn", "Nothing of it was carried out")
	got = b.unchanged("no game named, nobody vouches", func() { b.reply("anna", plain("my orders"), "one shot at Zog", arrival{auth: "none"}) })
	says(t, "the notice", only(t, "notice", got, "anna"), "left unread")
	b.clock.advance(25 * time.Hour)
	got = b.unchanged("no game named, failed", func() { b.reply("anna", plain("my orders"), "one shot at Zog", arrival{auth: "fail"}) })
	says(t, "the notice", only(t, "notice", got, "anna"), "left unread")
	if n := len(dawn().InForce()); n != 0 {
		t.Fatalf("%d orders in Dawn", n)
	}
	// The tag routes and never authorises.
	got = b.unchanged("a tag alone", func() { b.reply("anna", plain("[Dusk-1] orders"), "one shot at Zog", arrival{auth: "none"}) })
	if l := b.lastLetter(); l.Disposition != store.Ignored || len(got) > 0 {
		t.Fatalf("a tag without proof: %s; %s", l.Disposition, subjects(got))
	}
	b.deliver(func() { b.reply("anna", plain("[Dawn-1] orders"), "one shot at Zog") })
	if len(dawn().InForce()) != 1 || len(b.game().InForce()) != 0 {
		t.Fatal("the tag did not route to Dawn")
	}
	// She owes in one game only now.
	b.deliver(func() { b.reply("anna", plain("orders"), "two shots at Zog") })
	if len(b.game().InForce()) != 1 {
		t.Fatal("the letter did not go where orders were owed")
	}
	// A tag of a game in which he has no part does not act in his own.
	got = b.unchanged("a foreign tag", func() { b.reply("ben", plain("[Dawn-1] orders"), "one shot at Zog") })
	says(t, "a foreign tag", only(t, "foreign", got, "ben"), "does not say which game")
	// Anna's token of Dawn, used by Ben of Dusk.
	got = b.unchanged("another game's token", func() {
		b.reply("ben", b.tagged("anna", "[Dawn-1]"), "one shot at Zog")
	})
	says(t, "another game's token", only(t, "token", got, "anna"), "ben@"+testDomain)
	if l := b.lastLetter(); l.Disposition != store.Held || l.Game != dawn().Game.ID {
		t.Fatalf("the letter is %s in game %d", l.Disposition, l.Game)
	}
}

// tagged is the newest mail of a person with words in its Subject.
func (b *bench) tagged(user, words string) mailIn {
	b.t.Helper()
	b.read[user] = 0
	for _, m := range slices.Backward(b.inbox(user)) {
		if strings.Contains(m.subject, words) {
			return m
		}
	}
	b.t.Fatalf("%s has no mail %q", user, words)
	return mailIn{}
}

// TestMachinesAreNotAnswered: machines' letters, bounces and our own mail come
// back are recorded with a reason, whatever token they carry, and end there.
func TestMachinesAreNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	head := func(extra string) []byte {
		return fmt.Appendf(nil, "From: anna@%s\r\nTo: %s\r\nSubject: Re: %s\r\nMessage-ID: <m%d@x.test>\r\n%s\r\n\r\nthree shots at Zog\r\n", testDomain, anna.replyTo, anna.subject, len(extra), extra)
	}
	for name, raw := range map[string][]byte{
		"a holiday notice":       head("Auto-Submitted: auto-replied"),
		"bulk":                   head("Precedence: bulk"),
		"a mailing list":         head("List-Id: <list.test>"),
		"an empty return path":   append([]byte("Return-Path: <>\r\n"), head("X-Empty: yes")...),
		"a delivery report":      head("Content-Type: multipart/report; report-type=delivery-status; boundary=x"),
		"our own mail come back": anna.raw,
		"a letter marked ours":   head(mail.LoopField + ": 1"),
	} {
		got := b.unchanged(name, func() { b.raw("anna", arrival{auth: "none", to: anna.replyTo}, raw) })
		if l := b.lastLetter(); l.Disposition != store.Ignored || !strings.Contains(l.Why, "automatic: ") && !strings.Contains(l.Why, "bounce: ") {
			t.Errorf("%s: %s: %s", name, l.Disposition, l.Why)
		}
		if len(got) > 0 {
			t.Errorf("%s: got %s", name, subjects(got))
		}
	}
}

// TestAnswersGoHome: whatever a letter's From and Reply-To say, its answer goes to
// the registered address, and to a stranger at most once a day.
func TestAnswersGoHome(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	n := 0
	letter := func(from, replyTo string) []byte {
		n++
		return fmt.Appendf(nil, "From: %s@%s\r\nReply-To: %s@%s\r\nSender: %[3]s@%[4]s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <h%d@x.test>\r\n\r\nSTATUS\r\n",
			from, testDomain, replyTo, testDomain, anna.replyTo, anna.subject, n)
	}
	got := b.unchanged("Reply-To a stranger", func() { b.raw("anna", arrival{to: anna.replyTo}, letter("anna", "mallory")) })
	says(t, "Reply-To a stranger", only(t, "Reply-To a stranger", got, "anna"), "Turn 1, open for orders")
	got = b.unchanged("From a stranger", func() { b.raw("mallory", arrival{to: anna.replyTo}, letter("mallory", "ben")) })
	says(t, "From a stranger", only(t, "From a stranger", got, "anna"), "held back")

	stranger := mailIn{subject: "Hello?", replyTo: ourAddress}
	for i, want := range []int{1, 0, 0} {
		got := b.unchanged("a stranger", func() { b.reply("mallory", stranger, fmt.Sprint("Who is there? ", i)) })
		if len(got["mallory"]) != want || len(got) != want {
			t.Fatalf("a stranger's letter %d: %s", i+1, subjects(got))
		}
	}
	b.disposed("a stranger's third letter", store.Ignored, "answered within a day already")
	for i, want := range []int{1, 0, 0} {
		got := b.unchanged("unproven", func() {
			b.reply("ben", mailIn{subject: "orders", replyTo: ourAddress}, fmt.Sprint(i+1, " shots at Zog"), arrival{auth: "none"})
		})
		if len(got["ben"]) != want || len(got) != want {
			t.Fatalf("unproven letter %d: %s", i+1, subjects(got))
		}
	}
	b.disposed("the third unproven letter", store.Ignored, "told within a day already")
}

// TestCopyWithProof: a copy of a held letter that arrives with proof acts; the
// held one is not needed any more, and does no harm when it is confirmed.
func TestCopyWithProof(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	got := b.unchanged("the detour", func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "fail", id: "<same@x.test>"}) })
	ask := only(t, "the detour", got, "anna")
	b.clock.advance(time.Minute)
	got = b.deliver(func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "pass", id: "<same@x.test>"}) })
	says(t, "the copy", only(t, "the copy", got, "anna"), "fire 1 shot at Zog")
	direct := b.lastLetter().ID
	got = b.unchanged("a third copy", func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "none", id: "<same@x.test>"}) })
	if l := b.lastLetter(); l.Disposition != store.Duplicate || len(got) > 0 {
		t.Fatalf("the third copy is %s: %s", l.Disposition, subjects(got))
	}
	b.deliver(func() { b.reply("anna", ask, "CONFIRM") })
	if r := b.game().InForce()["bobo"]; r.Letter != direct {
		t.Errorf("in force: letter %d, want %d", r.Letter, direct)
	}
}
