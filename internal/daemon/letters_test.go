package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// monthlyGame is the demo's game with a deadline a month away, so that a test
// can let days go by between letters.
func monthlyGame(t testing.TB) string {
	return strings.Replace(dailyGame(t), `schedule = "0 20 * * *"`, `schedule = "0 20 1 * *"`, 1)
}

// oneDatabase is an SQLite database of the test's own.
func oneDatabase(t *testing.T) string { return "sqlite:" + t.TempDir() + "/x.db" }

// people have mailboxes that are not ours.
var people = []string{"anna", "ben", "carla", "greta", "mallory"}

// facts are what a letter that may not act must leave as it is.
type facts struct {
	Turn    string
	InForce map[game.ID]int64 // letter whose orders count
	Ready   map[int64]bool
	Rulings []string
	Epochs  map[string]uint8
}

func (b *bench) facts() facts {
	b.t.Helper()
	s := b.game()
	f := facts{
		Turn: fmt.Sprintf("%d.%d %s attempt %d seq %d deadline %s asked %s paused %s", s.Turn.N, s.Turn.Phase, s.Turn.State,
			s.Turn.Attempt, s.Turn.Seq, s.Turn.DeadlineAt, s.Turn.AskedAt, s.Turn.PausedAt),
		InForce: map[game.ID]int64{}, Ready: map[int64]bool{}, Epochs: map[string]uint8{},
	}
	for id, r := range s.InForce() {
		f.InForce[id] = r.Letter
	}
	for role, r := range s.Ready {
		f.Ready[role] = r.On
	}
	for _, r := range s.Rulings {
		f.Rulings = append(f.Rulings, fmt.Sprint(r.Body.Text, r.DroppedBy))
	}
	for _, r := range s.Roles {
		f.Epochs[r.Name] = r.Epoch
	}
	return f
}

// deliver carries out what send mails, and gives what everybody got of it. The
// letter must have come to its end.
func (b *bench) deliver(send func()) map[string][]mailIn {
	b.t.Helper()
	for _, user := range people {
		b.inbox(user)
	}
	send()
	b.crank()
	if l := b.lastLetter(); l.Disposition == "" || l.Why == "" {
		b.t.Fatalf("letter %d came to no end: %q, %q", l.ID, l.Disposition, l.Why)
	}
	got := map[string][]mailIn{}
	for _, user := range people {
		if m := b.inbox(user); len(m) > 0 {
			got[user] = m
		}
	}
	return got
}

// unchanged is deliver for letters that may change nothing.
func (b *bench) unchanged(name string, send func()) map[string][]mailIn {
	b.t.Helper()
	before := b.facts()
	got := b.deliver(send)
	if d := cmp.Diff(before, b.facts()); d != "" {
		b.t.Fatalf("%s: something changed:\n%s", name, d)
	}
	return got
}

// only is the single mail that anybody got, and user got it.
func only(t *testing.T, name string, got map[string][]mailIn, user string) mailIn {
	t.Helper()
	if len(got) != 1 || len(got[user]) != 1 {
		t.Fatalf("%s: want one mail to %s, got %s", name, user, subjects(got))
	}
	return got[user][0]
}

// says fails the test unless a mail, its lines joined again, has all the words.
func says(t *testing.T, what string, m mailIn, words ...string) {
	t.Helper()
	flat := m.subject + " " + strings.Join(strings.Fields(m.text), " ")
	for _, w := range words {
		if !strings.Contains(flat, w) {
			t.Fatalf("%s lacks %q:\n%s\n%s", what, w, m.subject, m.text)
		}
	}
}

func subjects(got map[string][]mailIn) string {
	var out []string
	for _, user := range slices.Sorted(maps.Keys(got)) {
		for _, m := range got[user] {
			out = append(out, user+": "+m.subject)
		}
	}
	if out == nil {
		return "no mail"
	}
	return strings.Join(out, "; ")
}

// envelopeSender is the address to which a mail of ours would bounce.
func (b *bench) envelopeSender(m mailIn) string {
	b.t.Helper()
	out, err := b.st.MailByMessageID(b.t.Context(), m.messageID)
	if err != nil {
		b.t.Fatal(err)
	}
	return out.Sender
}

// forged changes the last character of an address's token.
func forged(addr string) string {
	at := strings.IndexByte(addr, '@')
	c := byte('0')
	if addr[at-1] == '0' {
		c = '1'
	}
	return addr[:at-1] + string(c) + addr[at:]
}

// TestTrustOfPlayers sends real letters through every row of the trust table.
// A day goes by between two letters, so that no cap is met by chance.
func TestTrustOfPlayers(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	anna, ben := b.one("anna"), b.one("ben")
	bounce := b.envelopeSender(anna)
	none := mailIn{subject: "orders", replyTo: ourAddress}
	to := func(addr string) mailIn { return mailIn{subject: "orders", replyTo: addr} }

	rows := []struct {
		name  string
		user  string // who submits
		mail  mailIn // what is answered
		how   arrival
		why   string // what the letter's disposition is and says
		reads string // user: words of the one mail that anybody gets; empty: none
		acts  bool
	}{
		{"token, verified by log-in", "anna", anna, arrival{}, "acted: orders", "anna: orders received", true},
		{"token, dmarc=pass", "anna", anna, arrival{auth: "pass"}, "acted: orders", "anna: orders received", true},
		{"token, no result", "anna", anna, arrival{auth: "none"}, "acted: orders", "anna: orders received", true},
		{"token, dmarc=fail", "anna", anna, arrival{auth: "fail"}, "held: its authentication failed", "anna: Did you write this?", false},
		{"token, dmarc=fail, more than an hour later", "anna", anna, arrival{auth: "fail"}, "held: its authentication failed", "anna: Did you write this?", false},
		{"token, a stranger's verified address", "mallory", anna, arrival{}, "held: it came from mallory@", "anna: not from the registered address", false},
		{"token, a stranger's address", "mallory", anna, arrival{auth: "none"}, "held: it came from mallory@", "anna: not from the registered address", false},
		{"token, another player's verified address", "ben", anna, arrival{}, "held: it came from ben@", "anna: not from the registered address", false},
		{"token, somebody else's log-in", "mallory", anna, arrival{from: "anna@" + testDomain}, "held: its authentication failed", "anna: Did you write this?", false},
		{"the GM's token", "ben", b.with("greta", "the turn opens"), arrival{}, "held: it came from ben@", "greta: not from the registered address", false},
		{"no token, verified", "anna", none, arrival{}, "acted: orders", "anna: orders received", true},
		{"no token, dmarc=pass", "anna", none, arrival{auth: "pass"}, "acted: orders", "anna: orders received", true},
		{"no token, no result", "anna", none, arrival{auth: "none"}, "ignored: nothing vouches", "anna: was left unread", false},
		{"no token, dmarc=fail", "anna", none, arrival{auth: "fail"}, "held: its authentication failed", "anna: Did you write this?", false},
		{"forged token, verified", "anna", to(forged(anna.replyTo)), arrival{}, "acted: orders", "anna: orders received", true},
		{"forged token, no result", "anna", to(forged(anna.replyTo)), arrival{auth: "none"}, "ignored: nothing vouches", "anna: was left unread", false},
		{"the token of an envelope sender, no result", "anna", to(bounce), arrival{auth: "none"}, "ignored: nothing vouches", "anna: was left unread", false},
		{"the token of an envelope sender, another address", "ben", to(b.envelopeSender(anna)), arrival{auth: "none"}, "ignored: nothing vouches", "ben: was left unread", false},
		{"a verified stranger", "mallory", none, arrival{}, "answered: a verified stranger", "mallory: No game here knows mallory@", false},
		{"a stranger nobody vouches for", "mallory", none, arrival{auth: "none"}, "ignored: a stranger's letter", "", false},
		{"a stranger whose authentication failed", "mallory", none, arrival{auth: "fail"}, "ignored: a stranger's letter", "", false},
		{"a letter whose In-Reply-To alone has the token", "anna", mailIn{subject: anna.subject, messageID: anna.messageID, replyTo: ourAddress}, arrival{auth: "none"}, "acted: orders", "anna: orders received", true},
	}
	for i, r := range rows {
		b.clock.advance(25 * time.Hour)
		before := b.facts()
		text := fmt.Sprintf("%s at Zog", []string{"one shot", "two shots"}[i%2])
		if r.user == "ben" {
			text = "fire the laser pistol at Kira"
		}
		got := b.deliver(func() { b.reply(r.user, r.mail, text, r.how) })
		l := b.lastLetter()
		contains(t, r.name, l.Disposition+": "+l.Why, r.why)
		if r.reads == "" {
			if len(got) > 0 {
				t.Errorf("%s: got %s", r.name, subjects(got))
			}
		} else {
			user, words, _ := strings.Cut(r.reads, ": ")
			m := only(t, r.name, got, user)
			says(t, r.name, m, words)
			if !r.acts && strings.Contains(m.text, text) {
				t.Errorf("%s: the answer shows what the letter says:\n%s", r.name, m.text)
			}
		}
		changed := cmp.Diff(before, b.facts()) != ""
		if changed != r.acts {
			t.Errorf("%s: changed %v, want %v", r.name, changed, r.acts)
		}
		if r.acts && b.game().InForce()["bobo"].Letter != l.ID {
			t.Errorf("%s: the letter's orders are not in force", r.name)
		}
	}
	// Ben's own letter was never in doubt.
	b.reply("ben", ben, "one shot at Zog")
	b.crank()
	if _, ok := b.game().InForce()["chirik"]; !ok {
		t.Error("Ben's orders do not count")
	}
	if d := b.dispositions(); d[""] != 0 {
		t.Errorf("letters without disposition: %v", d)
	}
}

// TestTrustOfTheGM sends real letters of a GM through the table, in an open turn
// and in review.
func TestTrustOfTheGM(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	gm := b.with("greta", "the turn opens")
	hello := b.with("greta", "welcome")
	none := mailIn{subject: "a word", replyTo: ourAddress}
	type row struct {
		name  string
		mail  mailIn
		how   arrival
		text  string
		why   string
		reads string // words of what the GM gets
		acts  bool
	}
	run := func(rows []row) {
		t.Helper()
		for _, r := range rows {
			b.clock.advance(25 * time.Hour)
			before := b.facts()
			got := b.deliver(func() { b.reply("greta", r.mail, r.text, r.how) })
			l := b.lastLetter()
			contains(t, r.name, l.Disposition+": "+l.Why, r.why)
			if len(got["greta"]) == 0 {
				t.Fatalf("%s: the GM got nothing; others: %s", r.name, subjects(got))
			}
			says(t, r.name, got["greta"][0], r.reads)
			if changed := cmp.Diff(before, b.facts()) != ""; changed != r.acts {
				t.Errorf("%s: changed %v, want %v", r.name, changed, r.acts)
			}
		}
	}
	run([]row{
		{"hello, verified", hello, arrival{}, "Hello!", "answered", "arrives verified", false},
		{"hello, no result", hello, arrival{auth: "none"}, "Hello!", "answered", "arrives without proof", false},
		{"hello, failed", hello, arrival{auth: "fail"}, "Hello!", "held: its authentication failed", "Did you write this?", false},
		{"STATUS, no result", gm, arrival{auth: "none"}, "STATUS", "answered: status", "The players", false},
		{"RULINGS, no result", gm, arrival{auth: "none"}, "RULINGS", "answered", "Rulings in force", false},
		{"foes' orders, no result", gm, arrival{auth: "none"}, "AS Zog: one shot at Bobo", "acted: foes' orders", "Zog", true},
		{"NOTE, no result", gm, arrival{auth: "none"}, "NOTE Rain sets in.", "acted: noted", "Rain sets in.", true},
		{"EXTEND, no result", gm, arrival{auth: "none"}, "EXTEND 24h", "held: waits for the GM's confirmation", "CONFIRM", false},
		{"CLOSE, no result", gm, arrival{auth: "none"}, "CLOSE", "held: waits for the GM's confirmation", "CLOSE", false},
		{"CLOSE, hello token, no result", hello, arrival{auth: "none"}, "CLOSE", "held: waits for the GM's confirmation", "CLOSE", false},
		{"EXTEND, no token, verified", none, arrival{}, "EXTEND 24h", "acted: extended", "New deadline", true},
		{"AS, no token, verified", none, arrival{}, "AS Zog: two shots at Bobo", "acted: foes' orders", "Zog", true},
		{"CLOSE, no token, verified", none, arrival{}, "CLOSE", "answered", "in answer to this mail", false},
		{"CLOSE, no token, no result", none, arrival{auth: "none"}, "CLOSE", "ignored: nothing vouches", "was left unread", false},
		{"CLOSE, token, failed", gm, arrival{auth: "fail"}, "CLOSE", "held: its authentication failed", "Did you write this?", false},
		{"CLOSE, forged token, verified", mailIn{subject: "x", replyTo: forged(gm.replyTo)}, arrival{}, "CLOSE", "answered", "in answer to this mail", false},
	})
	// What the refusal promises is so: the same word in answer to it counts.
	b.deliver(func() { b.reply("greta", b.with("greta", "not done"), "CLOSE") })
	b.clock.advance(time.Second)
	b.crank()
	if s := b.game().Turn.State; s != game.Review {
		t.Fatalf("CLOSE in answer to the refusal left the turn %s", s)
	}
	packet := b.with("greta", "attempt 1")
	run([]row{
		{"RULINGS in review, no result", packet, arrival{auth: "none"}, "RULINGS", "answered", "Rulings in force", false},
		{"a ruling, no result", packet, arrival{auth: "none"}, "MOD bobo +10", "held: waits for the GM's confirmation", "MOD bobo +10", false},
		{"REOPEN, no result", packet, arrival{auth: "none"}, "REOPEN 24h", "held: waits for the GM's confirmation", "REOPEN 24h", false},
		{"OK, no token, verified", none, arrival{}, "OK", "answered: an OK that released nothing", "Nothing was released", false},
		{"OK, no token, no result", none, arrival{auth: "none"}, "OK", "ignored: nothing vouches", "was left unread", false},
		{"OK, failed", packet, arrival{auth: "fail"}, "OK", "held: its authentication failed", "Did you write this?", false},
		{"OK, no result", packet, arrival{auth: "none"}, "OK", "held: waits for the GM's confirmation", "CONFIRM", false},
	})
	// The packet that came again with the refusal releases.
	b.deliver(func() { b.reply("greta", b.with("greta", "attempt 1"), "OK", arrival{auth: "pass"}) })
	if n := b.game().Turn.N; n != 2 {
		t.Fatalf("turn %d after a verified OK", n)
	}
}

// TestProofByToken: in a game with proof = "token" the packet's token is proof
// of an unverified OK and of rulings, and of nothing else.
func TestProofByToken(t *testing.T) {
	t.Parallel()
	file := strings.Replace(dailyGame(t), `proof = "verified"`, `proof = "token"`, 1)
	b := newBench(t, oneDatabase(t), benchOptions{file: file})
	hello := b.with("greta", "welcome")
	gm := b.with("greta", "the turn opens")
	got := b.unchanged("hello", func() { b.reply("greta", hello, "hi", arrival{auth: "none"}) })
	says(t, "the answer to the hello", only(t, "hello", got, "greta"), "takes your answer to a packet as proof")
	got = b.unchanged("CLOSE by an order token", func() { b.reply("greta", gm, "CLOSE", arrival{auth: "none"}) })
	says(t, "CLOSE", only(t, "CLOSE", got, "greta"), "CONFIRM")
	packet := review(b)
	b.deliver(func() { b.reply("greta", packet, "MOD bobo +10", arrival{auth: "none"}) })
	second := b.with("greta", "attempt 2")
	got = b.unchanged("a failed OK", func() { b.reply("greta", second, "OK", arrival{auth: "fail"}) })
	says(t, "a failed OK", only(t, "a failed OK", got, "greta"), "held back")
	b.deliver(func() { b.reply("greta", second, "OK", arrival{auth: "none"}) })
	if n := b.game().Turn.N; n != 2 {
		t.Fatalf("turn %d after OK with the packet's token", n)
	}
}

// TestOldTokens: a token that expired, or that a shared letter voided, routes a
// letter and proves nothing.
func TestOldTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{file: strings.Replace(monthlyGame(t), `schedule = "0 20 1 * *"`, `schedule = "0 20 1 6 *"`, 1)})
		anna, gm := b.one("anna"), b.with("greta", "the turn opens")

		// A reply-all counts, voids the old address, and brings a good one.
		before := b.facts()
		got := b.deliver(func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "none", cc: "ben@" + testDomain}) })
		receipt := only(t, "the reply-all", got, "anna")
		says(t, "its receipt", receipt, "answer addresses are void", "Bobo")
		after := b.facts()
		if after.Epochs["Anna"] != before.Epochs["Anna"]+1 || after.Epochs["Ben"] != before.Epochs["Ben"] {
			t.Fatalf("epochs went from %v to %v", before.Epochs, after.Epochs)
		}
		// The same letter once more, as a second way brought it, voids nothing.
		got = b.unchanged("its second copy", func() {
			b.reply("anna", anna, "one shot at Zog", arrival{auth: "none", cc: "ben@" + testDomain + ", x@elsewhere.test", id: b.lastLetter().MessageID})
		})
		if l := b.lastLetter(); l.Disposition != store.Duplicate || len(got) > 0 {
			t.Fatalf("the second copy is %s; mails: %s", l.Disposition, subjects(got))
		}
		got = b.unchanged("the voided address", func() { b.reply("anna", anna, "two shots at Zog", arrival{auth: "none"}) })
		says(t, "the voided address", only(t, "voided", got, "anna"), "answer to an older mail")
		b.deliver(func() { b.reply("anna", receipt, "two shots at Zog", arrival{auth: "none"}) })
		if l := b.lastLetter(); l.Disposition != store.Acted {
			t.Fatalf("the fresh address: %s: %s", l.Disposition, l.Why)
		}
		// A verified sender may use the old one, and is told.
		got = b.deliver(func() { b.reply("anna", anna, "one shot at Zog") })
		says(t, "the old address, verified", only(t, "old", got, "anna"), "too old; this mail has a fresh one")
		// To others it is worth nothing: Ben's letter is Ben's.
		b.deliver(func() { b.reply("ben", anna, "one shot at Zog") })
		if f := b.facts(); f.InForce["chirik"] != b.lastLetter().ID || f.InForce["bobo"] == b.lastLetter().ID {
			t.Fatalf("orders in force: %v", f.InForce)
		}
		got = b.deliver(func() { b.reply("mallory", anna, "one shot at Zog") })
		says(t, "a stranger with the old address", only(t, "stranger", got, "mallory"), "No game here knows")

		// 45 days later every token of the first mails has expired.
		b.clock.set(time.Date(2026, 4, 20, 6, 0, 0, 0, time.UTC))
		b.crank()
		got = b.unchanged("an expired token", func() { b.reply("greta", gm, "NOTE Rain.", arrival{auth: "none"}) })
		says(t, "an expired token", only(t, "expired", got, "greta"), "answer to an older mail")
		got = b.unchanged("an expired token, verified, and a command that needs one", func() { b.reply("greta", gm, "CLOSE") })
		m := only(t, "expired CLOSE", got, "greta")
		says(t, "expired CLOSE", m, "in answer to this mail")
		b.deliver(func() { b.reply("greta", m, "NOTE Rain.", arrival{auth: "none"}) })
		if l := b.lastLetter(); l.Disposition != store.Acted {
			t.Fatalf("the fresh address: %s: %s", l.Disposition, l.Why)
		}
	})
}

// TestSharedLetters: any letter with a good token that shows another participant
// voids the role's tokens, and its answer carries fresh ones; a GM gets the
// packet in force again, and so does he after STATUS.
func TestSharedLetters(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	shared := arrival{cc: "Ben <ben@" + testDomain + ">"}
	for _, text := range []string{"STATUS", "NOTE A dog barks.", "HELP", "RULINGS"} {
		before := b.facts().Epochs["Greta"]
		got := b.deliver(func() { b.reply("greta", packet, text, shared) })
		if len(got) != 1 || len(got["greta"]) != 2 {
			t.Fatalf("%s: got %s", text, subjects(got))
		}
		if now := b.facts().Epochs["Greta"]; now != before+1 {
			t.Fatalf("%s: epoch %d after %d", text, now, before)
		}
		old := packet
		packet = got["greta"][1]
		contains(t, "the packet after "+text, packet.marker, "attempt 1")
		got = b.unchanged("OK to the voided packet", func() { b.reply("greta", old, "OK") })
		says(t, "OK to the voided packet", got["greta"][0], "Nothing was released")
		packet = got["greta"][1]
	}
	// More answers than the cap: voiding tokens is never done in silence.
	for range quietPerHour + 2 {
		got := b.deliver(func() { b.reply("greta", packet, "STATUS", shared) })
		if len(got["greta"]) != 2 {
			t.Fatalf("a shared STATUS was answered by %s", subjects(got))
		}
		packet = got["greta"][1]
	}
	// A shared letter that is held brings the notice even within the hour.
	for i := range 2 {
		got := b.deliver(func() { b.reply("greta", packet, "OK", arrival{auth: "fail", cc: "ben@" + testDomain}) })
		if len(got["greta"]) != 2 {
			t.Fatalf("shared and held, %d: %s", i, subjects(got))
		}
		packet = got["greta"][1]
	}
	b.deliver(func() { b.reply("greta", packet, "OK") })
	if n := b.game().Turn.N; n != 2 {
		t.Fatalf("turn %d after OK to the freshest packet", n)
	}
}
