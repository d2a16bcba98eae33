package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// disposed fails the test unless the newest letter came to this end.
func (b *bench) disposed(what, disposition, why string) {
	b.t.Helper()
	if l := b.lastLetter(); l.Disposition != disposition || !strings.Contains(l.Why, why) {
		b.t.Fatalf("%s: the letter is %s: %s; want %s: …%s…", what, l.Disposition, l.Why, disposition, why)
	}
}

// TestConfirmPlayer: a letter whose authentication failed is held, its owner is
// told without a word of what it says, and his CONFIRM lets it count from when it
// came, even though the CONFIRM fails authentication as well.
func TestConfirmPlayer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna := b.one("anna")
		got := b.unchanged("a failed letter", func() { b.reply("anna", anna, "two shots at Zog", arrival{auth: "fail"}) })
		b.disposed("a failed letter", store.Held, "dmarc=fail")
		held, at := b.lastLetter().ID, b.lastLetter().ReceivedAt
		ask := only(t, "the notice", got, "anna")
		says(t, "the notice", ask, "1 letter in your name was held back", "CONFIRM 1", "nothing of it is read")
		if strings.Contains(ask.text, "shots") {
			t.Errorf("the notice shows the letter:\n%s", ask.text)
		}

		b.clock.advance(10 * time.Minute)
		// A wrong number, another address, another mail: nothing.
		got = b.unchanged("a wrong number", func() { b.reply("anna", ask, "CONFIRM 2") })
		says(t, "a wrong number", only(t, "wrong number", got, "anna"), "You wrote CONFIRM 2", "Answer that mail with CONFIRM 1")
		got = b.unchanged("another address", func() { b.reply("ben", ask, "CONFIRM 1") })
		says(t, "another address", only(t, "another address", got, "anna"), "came from ben@", "registered")
		got = b.unchanged("another address, unverified", func() { b.reply("mallory", ask, "CONFIRM 1", arrival{auth: "none"}) })
		says(t, "another address", only(t, "another address", got, "anna"), "came from mallory@")
		got = b.unchanged("another mail", func() { b.reply("anna", anna, "CONFIRM 1") })
		says(t, "another mail", only(t, "another mail", got, "anna"), "CONFIRM counts only as an answer to the mail that asks for it")
		got = b.unchanged("a forged address", func() {
			b.reply("anna", mailIn{subject: "x", replyTo: forged(ask.replyTo)}, "CONFIRM 1", arrival{auth: "none"})
		})
		says(t, "a forged address", only(t, "forged", got, "anna"), "left unread")

		// Another letter comes in between: the confirmed one is the older still.
		b.deliver(func() { b.reply("anna", anna, "Mira is late", arrival{auth: "fail"}) })
		got = b.deliver(func() { b.reply("anna", ask, "Confirm.", arrival{auth: "fail"}) })
		if len(got["anna"]) != 1 || len(got) != 1 { // the letter in between is not covered: no notice listed it
			t.Fatalf("after CONFIRM: %s", subjects(got))
		}
		r := b.game().InForce()["bobo"]
		if r.Letter != held || !r.ReceivedAt.Equal(at) {
			t.Fatalf("in force: letter %d of %s, want %d of %s", r.Letter, r.ReceivedAt, held, at)
		}
		// Once only.
		b.clock.advance(time.Hour + time.Second)
		got = b.unchanged("CONFIRM again", func() { b.reply("anna", ask, "CONFIRM 1") })
		// Two mails: the notice of the letter in between comes at the full hour.
		if len(got["anna"]) != 2 {
			t.Fatalf("after CONFIRM again: %s", subjects(got))
		}
		says(t, "CONFIRM again", got["anna"][1], "Confirmation 1 has been used")
	})
}

// TestConfirmKeepsOrder: a confirmed letter counts from when it came, so later
// orders stay in force.
func TestConfirmKeepsOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	ask := only(t, "the notice", b.deliver(func() { b.reply("anna", anna, "three shots at Zog", arrival{auth: "fail"}) }), "anna")
	b.clock.advance(time.Minute)
	b.deliver(func() { b.reply("anna", anna, "one shot at Zog") })
	later := b.lastLetter().ID
	b.clock.advance(time.Minute)
	got := b.deliver(func() { b.reply("anna", ask, "CONFIRM") })
	if r := b.game().InForce()["bobo"]; r.Letter != later {
		t.Fatalf("in force: letter %d, want the later %d", r.Letter, later)
	}
	says(t, "the receipt", only(t, "the receipt", got, "anna"), "but newer ones stand for Bobo", "stands - fire 1 shot at Zog")
}

// TestHoldNotices: at most one notice an hour tells of letters that may be
// forged. Each lists all that are held, and its CONFIRM covers those and no
// letter that came later, which nobody has seen.
func TestHoldNotices(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	send := func(text string) map[string][]mailIn {
		return b.unchanged("a held letter", func() { b.reply("mallory", anna, text, arrival{auth: "none"}) })
	}
	first := only(t, "the first", send("one shot at Zog"), "anna")
	for i := range 5 {
		b.clock.advance(10 * time.Minute)
		if got := send(fmt.Sprintf("%d shots at Kira", i%3+1)); len(got) > 0 {
			t.Fatalf("letter %d within the hour: %s", i+2, subjects(got))
		}
		b.disposed("a letter within the hour", store.Held, "not from the registered address")
	}
	b.clock.advance(11 * time.Minute)
	b.crank()
	second := b.one("anna")
	if n := strings.Count(second.text, "From mallory@"); n != 6 {
		t.Fatalf("the notice after an hour lists %d letters, want 6:\n%s", n, second.text)
	}
	b.deliver(func() { b.reply("anna", first, "CONFIRM") })
	if s := b.game(); len(s.Holds) != 5 || len(s.Revisions) != 1 {
		t.Fatalf("the first CONFIRM left %d letters held and let %d count; want 5 and 1", len(s.Holds), len(s.Revisions))
	}
	b.inbox("anna")
	send("three shots at Chirik") // after the notice was written
	b.deliver(func() { b.reply("anna", second, "CONFIRM") })
	if s := b.game(); len(s.Holds) != 1 || len(s.Revisions) != 6 {
		t.Fatalf("the second CONFIRM left %d letters held and let %d count; want 1 and 6", len(s.Holds), len(s.Revisions))
	}
	b.inbox("anna")
	got := b.deliver(func() { b.reply("anna", second, "CONFIRM") })
	says(t, "a CONFIRM used twice", only(t, "twice", got, "anna"), "Send your letter again")
}

// TestForgeryBehindAQuestion: a question about the GM's own letter never lets a
// forged one in, and a forged one never silences the question.
func TestForgeryBehindAQuestion(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"the ruling", "the forgery"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			b := newBench(t, oneDatabase(t), benchOptions{})
			packet := review(b)
			own := func() { b.reply("greta", packet, "MOD bobo +10", arrival{auth: "none"}) }
			forgery := func() { b.letter("greta", "[Dusk-1] x", "", "ZOG STA 0", arrival{auth: "fail"}) }
			steps := []func(){own, forgery}
			if first == "the forgery" {
				steps = []func(){forgery, own}
			}
			for _, step := range steps {
				step()
				b.crank()
				b.clock.advance(time.Minute)
			}
			b.deliver(func() { b.reply("greta", b.with("greta", "please confirm"), "CONFIRM", arrival{auth: "none"}) })
			var texts []string
			for _, r := range b.game().Rulings {
				texts = append(texts, r.Body.Text)
			}
			if strings.Join(texts, "|") != "MOD bobo +10" {
				t.Fatalf("rulings in force: %q", texts)
			}
			if held := b.with("greta", "letters held"); !strings.Contains(held.text, "dmarc=fail") {
				t.Errorf("the notice of the forgery does not say why:\n%s", held.text)
			}
		})
	}
}

// TestConfirmGM: one confirmation covers all that a GM has held: a letter of
// rulings, and the OK after it releases what it answered or nothing.
func TestConfirmGM(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		unproven := arrival{auth: "none"}
		gm := b.with("greta", "the turn opens")
		var ask mailIn
		got := b.unchanged("PAUSE", func() { b.reply("greta", gm, "PAUSE", unproven) })
		ask = only(t, "PAUSE", got, "greta")
		says(t, "the question", ask, "Did you write this?", "PAUSE", "CONFIRM 1")
		got = b.unchanged("CLOSE", func() { b.reply("greta", gm, "EXTEND 48h", unproven) })
		if len(got) > 0 {
			t.Fatalf("the second held letter: %s", subjects(got))
		}
		was := b.game().Turn.DeadlineAt
		b.deliver(func() { b.reply("greta", ask, "CONFIRM 1", unproven) })
		if s := b.game().Turn; s.PausedAt.IsZero() || !s.DeadlineAt.Equal(was.Add(48*time.Hour)) {
			t.Fatalf("paused %s, deadline %s", s.PausedAt, s.DeadlineAt)
		}
		b.deliver(func() { b.reply("greta", gm, "RESUME") })
		b.clock.set(b.game().Turn.DeadlineAt.Add(time.Hour))
		b.crank()
		packet := b.with("greta", "attempt 1")

		// A ruling and an OK to the same packet, both held: the ruling makes the OK stale.
		got = b.unchanged("a ruling", func() { b.reply("greta", packet, "MOD bobo +10", unproven) })
		ask = only(t, "a ruling", got, "greta")
		b.unchanged("OK", func() { b.reply("greta", packet, "OK", unproven) })
		b.deliver(func() { b.reply("greta", ask, "CONFIRM", unproven) })
		if s := b.game(); s.Turn.N != 1 || s.Turn.State != game.Review || s.Turn.Attempt != 2 || len(s.Rulings) != 1 {
			t.Fatalf("turn %d is %s, attempt %d, %d rulings", s.Turn.N, s.Turn.State, s.Turn.Attempt, len(s.Rulings))
		}
		says(t, "the stale OK", b.with("greta", "nothing was released"), "Nothing was released")
		second := b.with("greta", "attempt 2")
		// Within the same hour: a used confirmation makes room for the next.
		got = b.unchanged("OK", func() { b.reply("greta", second, "OK", unproven) })
		ask = only(t, "OK", got, "greta")
		b.deliver(func() { b.reply("greta", ask, "CONFIRM", unproven) })
		if n := b.game().Turn.N; n != 2 {
			t.Fatalf("turn %d after a confirmed OK", n)
		}
		// An OK to a mail that is no packet stays one, confirmed or not.
		opening := b.with("greta", "turn 2")
		ask = only(t, "OK", b.unchanged("OK to the opening", func() { b.reply("greta", opening, "OK", unproven) }), "greta")
		got = b.deliver(func() { b.reply("greta", ask, "CONFIRM", unproven) })
		if s := b.game().Turn; s.N != 2 || s.State != game.Open {
			t.Fatalf("turn %d is %s after a confirmed OK to the opening", s.N, s.State)
		}
		says(t, "the confirmed OK to the opening", only(t, "OK", got, "greta"), "you answered another mail")
	})
}

// TestHoldsEnd: held letters end with their turn; a confirmation after that says
// so. One confirmed between the close and the release is late for the GM to
// accept, if it came in time.
func TestHoldsEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna, ben := b.one("anna"), b.one("ben")
		askAnna := only(t, "Anna's notice", b.deliver(func() { b.reply("anna", anna, "three shots at Zog", arrival{auth: "fail"}) }), "anna")
		askBen := only(t, "Ben's notice", b.deliver(func() { b.reply("ben", ben, "one shot at Zog", arrival{auth: "fail"}) }), "ben")
		b.clock.advance(24 * time.Hour)
		b.crank()
		packet := b.with("greta", "attempt 1")
		says(t, "the packet", packet, "held")
		got := b.deliver(func() { b.reply("anna", askAnna, "CONFIRM") })
		if len(got["anna"]) != 1 || len(got["greta"]) != 1 || len(got) != 2 {
			t.Fatalf("a late letter: %s", subjects(got))
		}
		says(t, "what Anna is told", got["anna"][0], "in time", "three shots at Zog")
		says(t, "the packet with the late letter", got["greta"][0], "attempt 1", "ACCEPT 1")
		if s := b.game(); len(s.Revisions) != 1 || s.Revisions[0].LateN != 1 || len(s.InForce()) != 0 {
			t.Fatalf("revisions: %+v", s.Revisions)
		}
		b.deliver(func() { b.reply("greta", packet, "ACCEPT 1") })
		second := b.with("greta", "attempt 2")
		b.deliver(func() { b.reply("greta", second, "OK") })
		if n := b.game().Turn.N; n != 2 {
			t.Fatalf("turn %d", n)
		}
		got = b.unchanged("a confirmation too late", func() { b.reply("ben", askBen, "CONFIRM") })
		says(t, "a confirmation too late", only(t, "too late", got, "ben"), "its letters ended with their turn", "Send your letter again")
		for _, l := range b.letters() {
			if l.Disposition == store.Held || l.Disposition == "" {
				t.Errorf("letter %d is %q: %s", l.ID, l.Disposition, l.Why)
			}
		}
	})
}

// TestConfirmationLapses: three days after the notice its token is worth nothing.
func TestConfirmationLapses(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	anna := b.one("anna")
	send := func() map[string][]mailIn {
		return b.unchanged("held", func() { b.reply("anna", anna, "three shots at Zog", arrival{auth: "fail"}) })
	}
	ask := only(t, "the notice", send(), "anna")
	b.clock.advance(confirmLife + time.Second)
	got := b.unchanged("a lapsed confirmation", func() { b.reply("anna", ask, "CONFIRM") })
	says(t, "a lapsed confirmation", only(t, "lapsed", got, "anna"), "is too old")
	ask = only(t, "the next notice", send(), "anna")
	b.deliver(func() { b.reply("anna", ask, "CONFIRM") })
	if len(b.game().InForce()) != 1 {
		t.Error("the fresh confirmation does not count")
	}
}

// letters lists all letters.
func (b *bench) letters() []store.Letter {
	b.t.Helper()
	ls, err := b.st.Letters(b.t.Context(), store.LetterFilter{Limit: 1000})
	if err != nil {
		b.t.Fatal(err)
	}
	return ls
}
