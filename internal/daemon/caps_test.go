package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store"
)

// TestAnswersAreCapped: five answers an hour that change nothing go out at once;
// the next says that the rest of the hour is answered in one mail, and it is. After
// twenty in a day letters are recorded with the reason. A change is always answered.
func TestAnswersAreCapped(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	anna := b.one("anna")
	told := false
	for hour := range 5 {
		for i := range quietPerHour + 3 {
			got := b.unchanged("STATUS", func() { b.reply("anna", anna, "STATUS") })
			name := fmt.Sprintf("hour %d, letter %d", hour, i)
			switch {
			case hour > 2 || hour == 2 && i > quietPerHour:
				b.disposed(name, store.Ignored, "over the cap of answers")
				if !told { // the operator, once
					told = true
					says(t, name, only(t, name, got, "mallory"), "no more answers to anna@")
				} else if len(got) > 0 {
					t.Fatalf("%s: %s", name, subjects(got))
				}
			case i < quietPerHour:
				says(t, name, only(t, name, got, "anna"), "Turn 1 is open")
				b.disposed(name, store.Answered, "status")
			case i == quietPerHour:
				says(t, name, only(t, name, got, "anna"), "answered later", "5 answers", "in that one mail")
				b.disposed(name, store.Answered, "gathered with others of the hour")
			default:
				b.disposed(name, store.Answered, "gathered with others of the hour")
				if len(got) > 0 {
					t.Fatalf("%s: %s", name, subjects(got))
				}
			}
		}
		b.clock.advance(time.Hour + time.Second)
		b.crank()
		switch {
		case hour < 2:
			says(t, "the gathered answer", b.one("anna"), "answer to your last 3 letters", "The newest answer", "Turn 1 is open")
		case hour == 2:
			says(t, "the answer that waited alone", b.one("anna"), "Turn 1 is open")
		default:
			b.none("anna")
		}
	}
	// Caps hold for one person, and never for what changes something.
	got := b.unchanged("Ben's STATUS", func() { b.reply("ben", b.with("ben", "the turn opens"), "STATUS") })
	only(t, "Ben's STATUS", got, "ben")
	for _, text := range []string{"two shots at Zog", "READY", "UNREADY", "CLEAR"} {
		got := b.deliver(func() { b.reply("anna", anna, text) })
		only(t, text, got, "anna")
	}
	b.clock.advance(24 * time.Hour)
	got = b.unchanged("a day later", func() { b.reply("anna", anna, "STATUS") })
	only(t, "a day later", got, "anna")
}

// TestReceiptsAreGathered: from the sixth in an hour on receipts come in one mail
// every ten minutes; the last one says how many letters it stands for.
func TestReceiptsAreGathered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		file := dailyGame(t)
		from, to := strings.Index(file, "[[player]]\nid = \"ben\""), strings.Index(file, "[[player]]\nid = \"carla\"")
		two := strings.Replace(file[:from]+file[to:], `player = "ben"`, `player = "anna"`, 1)
		b := newBench(t, dsn, benchOptions{file: two})
		anna := b.one("anna")
		send := func(i int) int {
			who := []string{"Bobo", "Chirik"}[i%2]
			return len(b.deliver(func() { b.reply("anna", anna, fmt.Sprintf("%s: %d shots at Zog", who, i/2%2+1)) })["anna"])
		}
		for i := range 12 {
			want := 1
			if i >= receiptsAtOnce {
				want = 0
			}
			if got := send(i); got != want {
				t.Fatalf("letter %d: %d receipts at once, want %d", i+1, got, want)
			}
			b.clock.advance(20 * time.Second)
			b.disposed("an order", store.Acted, "orders")
		}
		b.clock.advance(gatherFor)
		b.crank()
		m := b.one("anna")
		says(t, "the gathered receipt", m, "stands for your last 7 letters", "Bobo", "Chirik", "fire 2 shots at Zog")
		b.clock.advance(gatherFor)
		b.crank()
		b.none("anna")
		if f := b.facts().InForce; f["bobo"] == 0 || f["chirik"] != b.lastLetter().ID {
			t.Fatalf("in force: %v", f)
		}
		b.clock.advance(time.Hour)
		if got := send(3); got != 1 {
			t.Errorf("an hour later: %d receipts at once", got)
		}
	})
}

// TestFaultsOfGatheredReceipts: a receipt that takes another's place says what
// was wrong in that one's letter.
// TestReceiptThatWaitsIsTakenAlong: when fewer receipts went out in the last hour
// again, a newer one does not overtake the one that waits.
func TestReceiptThatWaitsIsTakenAlong(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	anna := b.one("anna")
	send := func(at time.Time, shots string) int {
		b.clock.set(at)
		return len(b.deliver(func() { b.reply("anna", anna, "Bobo: "+shots+" at Zog") })["anna"])
	}
	for i := range receiptsAtOnce {
		if n := send(utc(3, 2, 7, 2+i), "one shot"); n != 1 {
			t.Fatalf("letter %d: %d receipts at once", i+1, n)
		}
	}
	if n := send(utc(3, 2, 8, 1), "two shots"); n != 0 {
		t.Fatalf("the sixth letter: %d receipts at once", n)
	}
	if n := send(utc(3, 2, 8, 7), "three shots"); n != 0 {
		t.Fatalf("the seventh letter: its receipt overtook the sixth's")
	}
	b.at(utc(3, 2, 8, 10))
	says(t, "the receipt of both", b.one("anna"), "stands for your last 2 letters", "fire 3 shots at Zog")
	b.at(utc(3, 2, 8, 30))
	b.none("anna")
}

func TestFaultsOfGatheredReceipts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna := b.one("anna")
		for i := range receiptsAtOnce {
			b.reply("anna", anna, fmt.Sprintf("%d shots at Zog", i%2+1))
			b.crank()
			b.one("anna")
		}
		for _, text := range []string{"one shot at Zog\nfire the bazooka at Zog", "two shots at Zog", "two shots at Zog\nREADY", "one shot at Zog"} {
			b.clock.advance(time.Second)
			b.reply("anna", anna, text)
			b.crank()
			b.none("anna")
		}
		b.clock.advance(gatherFor)
		b.crank()
		m := b.one("anna")
		says(t, "the gathered receipt", m, "received (1 problem)", "stands for your last 4 letters", "Your letters before this one",
			"The letter of Mon 2 Mar 2026", "bazooka", "READY (line 2) was not taken")
		// What was told once is not told again.
		b.clock.advance(time.Second)
		b.reply("anna", anna, "two shots at Zog")
		b.crank()
		b.clock.advance(gatherFor)
		b.crank()
		if m := b.one("anna"); strings.Contains(m.text, "bazooka") {
			t.Errorf("told twice:\n%s", m.text)
		}
	})
}

// TestLoopsEnd: a machine that answers every mail of ours, and hides that it is
// one, is not answered without end, whatever it says.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nonsense":         "I am away until Monday. Your mail will be read then.",
		"orders":           "two shots at Zog",
		"a command":        "HELP",
		"what we wrote":    "",
		"a wrong word":     "CONFIRM 9",
		"a faulty order":   "fire the bazooka at Zog",
		"a GM's confirm":   "OK",
		"an unproven word": "STATUS",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
			how := arrival{auth: "none"}
			user := "anna"
			switch name {
			case "a GM's confirm":
				user = "greta"
			case "an unproven word":
				how.to = ourAddress
			}
			next := []mailIn{b.with(user, "the turn opens")}
			b.inbox(user)
			n := 0
			for ; len(next) > 0; n++ {
				if n > quietPerDay+2 {
					t.Fatalf("%d answers in %s, the last: %s", n, b.clock.now().Sub(b.game().Turn.OpenedAt), next[0].subject)
				}
				said := text
				if said == "" {
					said = next[0].text
				}
				b.reply(user, next[0], said, how)
				b.clock.advance(time.Minute)
				b.crank()
				next = append(next[1:], b.inbox(user)...)
				if len(next) == 0 {
					b.clock.advance(time.Hour) // what was gathered
					b.crank()
					next = b.inbox(user)
				}
			}
			if n < 2 {
				t.Errorf("the loop was over after %d letters", n)
			}
		})
	}
}

// TestFailedOKIsToldAtOnce: an OK that released nothing is answered now, however
// many answers went before, for the GM believes that the turn goes out.
func TestFailedOKIsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	for range quietPerHour + 2 {
		b.deliver(func() { b.reply("greta", packet, "STATUS") })
	}
	got := b.unchanged("OK and more", func() { b.reply("greta", packet, "OK\nbut let Zog miss") })
	says(t, "OK and more", only(t, "OK and more", got, "greta"), "Nothing was released", "but let Zog miss")
}
