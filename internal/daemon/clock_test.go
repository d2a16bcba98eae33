package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// schedule is the daily game with another time of day.
func schedule(t testing.TB, cron string) string {
	t.Helper()
	file := dailyGame(t)
	out := strings.Replace(file, `schedule = "0 20 * * *"`, `schedule = "`+cron+`"`, 1)
	if out == file && cron != "0 20 * * *" {
		t.Fatal("the daily game has another schedule")
	}
	return out
}

// create makes a game of a file at the bench's instant.
func (b *bench) create(file string) {
	b.t.Helper()
	if _, faults, err := b.d.CreateGame(b.t.Context(), "test.toml", []byte(file)); err != nil || len(faults) > 0 {
		b.t.Fatal("creating the game:", faults, err)
	}
	b.crank()
}

// work carries out what is due while nobody can read the mailbox.
func (b *bench) work() {
	b.t.Helper()
	if _, err := b.d.RunDue(b.t.Context()); err != nil {
		b.t.Fatal("working:", err)
	}
}

// at sets the clock and carries out all that is due then.
func (b *bench) at(at time.Time) {
	b.t.Helper()
	b.clock.set(at)
	b.crank()
}

// state fails the test unless the current turn is n in the state wanted.
func (b *bench) state(n int, want game.State) store.Snapshot {
	b.t.Helper()
	s := b.game()
	if s.Turn.N != n || s.Turn.State != want {
		b.t.Fatalf("turn %d is %s, want turn %d %s", s.Turn.N, s.Turn.State, n, want)
	}
	return s
}

// markers lists the first lines of a person's new mails that hold a word.
func (b *bench) markers(user, word string) []mailIn {
	b.t.Helper()
	var out []mailIn
	for _, m := range b.inbox(user) {
		if strings.Contains(m.marker+m.subject, word) {
			out = append(out, m)
		}
	}
	return out
}

func utc(month time.Month, day, hour, minute int) time.Time {
	return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
}

// TestDeadlinesOverClockChanges plays a turn over each change of the clocks in
// Berlin: the deadline printed, the instant of the close, and the next deadline.
func TestDeadlinesOverClockChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, cron     string
		created        time.Time
		deadline, next time.Time
		printed, then  string
	}{
		{"spring, evening", "0 20 * * *", utc(3, 28, 12, 0), utc(3, 29, 18, 0), utc(3, 30, 18, 0),
			"Sun 29 Mar 2026 20:00 CEST (UTC+02:00)", "Mon 30 Mar 2026 20:00 CEST (UTC+02:00)"},
		{"spring, a time that is skipped", "30 2 * * *", utc(3, 28, 12, 0), utc(3, 29, 1, 0), utc(3, 30, 0, 30),
			"Sun 29 Mar 2026 03:00 CEST (UTC+02:00)", "Mon 30 Mar 2026 02:30 CEST (UTC+02:00)"},
		{"spring, the night before", "30 2 * * *", utc(3, 27, 12, 0), utc(3, 28, 1, 30), utc(3, 29, 1, 0),
			"Sat 28 Mar 2026 02:30 CET (UTC+01:00)", "Sun 29 Mar 2026 03:00 CEST (UTC+02:00)"},
		{"autumn, evening", "0 20 * * *", utc(10, 24, 12, 0), utc(10, 25, 19, 0), utc(10, 26, 19, 0),
			"Sun 25 Oct 2026 20:00 CET (UTC+01:00)", "Mon 26 Oct 2026 20:00 CET (UTC+01:00)"},
		{"autumn, a time that comes twice", "30 2 * * *", utc(10, 24, 10, 0), utc(10, 25, 0, 30), utc(10, 26, 1, 30),
			"Sun 25 Oct 2026 02:30 CEST (UTC+02:00)", "Mon 26 Oct 2026 02:30 CET (UTC+01:00)"},
		{"autumn, the night before", "30 2 * * *", utc(10, 23, 10, 0), utc(10, 24, 0, 30), utc(10, 25, 0, 30),
			"Sat 24 Oct 2026 02:30 CEST (UTC+02:00)", "Sun 25 Oct 2026 02:30 CEST (UTC+02:00)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{noGame: true})
			b.clock.set(tt.created)
			b.create(schedule(t, tt.cron))
			if got := b.game().Turn.DeadlineAt; !got.Equal(tt.deadline) {
				t.Fatalf("the turn closes %v, want %v", got.UTC(), tt.deadline)
			}
			opening := b.one("anna")
			contains(t, "the opening", opening.text, tt.printed)
			b.reply("anna", opening, "two shots at Zog")
			b.crank()
			contains(t, "the receipt", b.one("anna").text, tt.printed)

			grace := 5 * time.Minute
			b.at(tt.deadline.Add(grace - time.Second))
			b.state(1, game.Open)
			b.at(tt.deadline.Add(grace))
			b.state(1, game.Review)
			b.reply("greta", b.with("greta", "attempt 1"), "OK")
			b.crank()
			if got := b.state(2, game.Open).Turn.DeadlineAt; !got.Equal(tt.next) {
				t.Fatalf("the next turn closes %v, want %v", got.UTC(), tt.next)
			}
			contains(t, "the report", b.with("anna", "report").text, tt.then)
		})
	}
}

// TestMinTurn: a turn that opens shortly before a deadline of the schedule ends
// with the one after.
func TestMinTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{noGame: true})
	b.clock.set(utc(3, 2, 7, 0)) // exactly min_turn before
	b.create(dailyGame(t))
	if got, want := b.game().Turn.DeadlineAt, utc(3, 2, 19, 0); !got.Equal(want) {
		t.Errorf("12 h before: closes %v, want %v", got, want)
	}
	b.at(utc(3, 2, 19, 5))
	b.at(utc(3, 3, 7, 1)) // the GM takes his time: the next 20:00 is 11 h 59 min away
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	if got, want := b.state(2, game.Open).Turn.DeadlineAt, utc(3, 4, 19, 0); !got.Equal(want) {
		t.Errorf("a minute later: closes %v, want %v", got, want)
	}
}

// TestOutage: the mailbox cannot be read over the deadline. The turn waits for
// it, people are told once, and what had come in time counts.
func TestOutage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		deadline := b.game().Turn.DeadlineAt
		anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
		b.inbox("greta")

		// The mailbox is last read at noon; then letters pile up unseen.
		b.at(utc(3, 2, 11, 0))
		b.clock.set(deadline.Add(-time.Minute))
		b.reply("anna", anna, "two shots at Zog")
		b.clock.set(deadline.Add(4 * time.Minute)) // within the grace
		b.reply("ben", ben, "one shot at Zog")
		b.work() // the reminder, for nobody's orders are known
		for _, who := range []string{"anna", "ben", "carla"} {
			b.inbox(who)
		}

		shut := deadline.Add(5 * time.Minute)
		b.clock.set(shut.Add(15*time.Minute - time.Second))
		b.work()
		b.none("greta")
		b.none("mallory")
		b.clock.set(shut.Add(15 * time.Minute))
		b.work()
		contains(t, "what the GM is told", b.one("greta").text, "waits for the mailbox", "nobody is late")
		contains(t, "what the operator is told", b.one("mallory").text, "cannot close")
		for range 48 {
			b.clock.advance(time.Hour)
			b.work()
		}
		b.state(1, game.Open)
		for _, who := range []string{"greta", "mallory", "anna", "ben", "carla"} {
			b.none(who)
		}

		// Back again. Carla's letter of after the grace does not count any more.
		b.reply("carla", carla, "two shots at Zog")
		b.crank()
		s := b.state(1, game.Review)
		if len(s.Frozen) != 2 || s.Frozen[0].Combatant != "bobo" || s.Frozen[1].Combatant != "chirik" {
			t.Errorf("frozen orders: %+v", s.Frozen)
		}
		contains(t, "Anna's receipt", b.one("anna").text, "Bobo")
		contains(t, "Carla's answer", b.one("carla").text, "does not count")
		packet := b.one("greta")
		contains(t, "the packet", packet.text, "Chirik", "No orders came for", "Mira")
		b.none("mallory")
		if d := b.dispositions(); d[""] != 0 || d[store.Acted] != 2 || d[store.Late] != 0 {
			t.Errorf("dispositions %v", d)
		}
	})
}

// lateLetter delivers a letter that was received in time, after the close.
func lateLetter(b *bench, user string, m mailIn, text string) {
	b.t.Helper()
	now := b.clock.now()
	b.clock.set(b.game().Turn.DeadlineAt.Add(-time.Minute))
	b.reply(user, m, text)
	b.clock.set(now)
}

// TestLateLetter: a letter received in time that turns up after the close stands
// on top of the packet. The GM accepts it, and a new attempt counts it; or he
// does not, and it ends with the turn.
func TestLateLetter(t *testing.T) {
	t.Parallel()
	for _, accept := range []bool{true, false} {
		name := map[bool]string{true: "accepted", false: "not accepted"}[accept]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, dsn string) {
				b := newBench(t, dsn, benchOptions{})
				opening := b.with("carla", "the turn opens")
				packet := review(b)
				if strings.Contains(packet.text, "ACCEPT 1") {
					t.Fatalf("the packet speaks of a late letter before one came:\n%s", packet.text)
				}
				lock := string(b.game().Turn.Lock)
				lateLetter(b, "carla", opening, "one shot at Zog")
				b.crank()
				contains(t, "what Carla is told", b.one("carla").text, "in time", "the GM has been told")
				s := b.state(1, game.Review)
				if s.Turn.Attempt != 1 || b.dispositions()[store.Late] != 1 {
					t.Fatalf("attempt %d, dispositions %v", s.Turn.Attempt, b.dispositions())
				}
				again := b.one("greta")
				contains(t, "the packet with the late letter", again.text, "attempt 1", "ACCEPT 1", "late letter 1")
				if top, _, _ := strings.Cut(again.text, "ACCEPT 1"); !strings.Contains(top, "Mira") {
					t.Errorf("the late orders do not stand on top:\n%s", again.text)
				}
				if !accept {
					b.reply("greta", again, "OK")
					b.crank()
					b.state(2, game.Open)
					if d := b.dispositions(); d[store.Late] != 0 || d[store.Ignored] != 1 {
						t.Errorf("dispositions %v", d)
					}
					return
				}
				b.reply("greta", again, "ACCEPT 1")
				b.crank()
				s = b.state(1, game.Review)
				if s.Turn.Attempt != 2 || string(s.Turn.Lock) != lock {
					t.Fatalf("attempt %d after ACCEPT, same lock: %v", s.Turn.Attempt, string(s.Turn.Lock) == lock)
				}
				second := b.with("greta", "attempt 2")
				contains(t, "the second packet", second.text, "Mira", "late")
				if !strings.Contains(string(s.Draft.Orders), `"combatant":"mira"`) {
					t.Errorf("orders of attempt 2: %s", s.Draft.Orders)
				}
				b.reply("greta", second, "OK")
				b.crank()
				b.state(2, game.Open)
				for _, who := range []string{"anna", "ben", "carla"} {
					contains(t, who+"'s report", b.with(who, "report").text, "a letter of ")
				}
				if d := b.dispositions(); d[store.Late] != 0 || d[store.Ignored] != 0 {
					t.Errorf("dispositions %v", d)
				}
			})
		})
	}
}

// TestLateNumbersGoOn: a REOPEN takes all late letters, and the next late
// letter has a new number, the one that its sender and the GM are told.
func TestLateNumbersGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	ben, carla := b.with("ben", "the turn opens"), b.with("carla", "the turn opens")
	review(b)
	lateLetter(b, "carla", carla, "one shot at Zog")
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "REOPEN 24h")
	b.crank()
	s := b.state(1, game.Open)
	if _, ok := s.InForce()["mira"]; !ok {
		t.Error("the late letter does not count after REOPEN")
	}
	b.clock.advance(25 * time.Hour)
	b.crank()
	b.state(1, game.Review)
	b.inbox("ben")
	b.inbox("greta")
	lateLetter(b, "ben", ben, "one shot at Zog")
	b.crank()
	contains(t, "what Ben is told", b.one("ben").text, "2")
	contains(t, "the packet", b.one("greta").text, "ACCEPT 2")
	for _, r := range b.game().Revisions {
		if want := map[game.ID]int{"chirik": 2}[r.Combatant]; r.LateN != want {
			t.Errorf("%s has late number %d, want %d", r.Combatant, r.LateN, want)
		}
	}
}

// TestGrace: within the grace a letter counts; after it, it is too late, even
// while the turn is still open.
func TestGrace(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	anna, ben, carla := b.one("anna"), b.one("ben"), b.one("carla")
	deadline := b.game().Turn.DeadlineAt
	b.clock.set(deadline.Add(5 * time.Minute))
	b.reply("anna", anna, "two shots at Zog")
	b.clock.advance(time.Second)
	b.reply("ben", ben, "one shot at Zog")
	b.crank()
	s := b.state(1, game.Review)
	if len(s.Frozen) != 1 || s.Frozen[0].Combatant != "bobo" {
		t.Errorf("frozen orders: %+v", s.Frozen)
	}
	contains(t, "Ben's answer", b.markers("ben", "late")[0].text, "does not count")
	b.reply("carla", carla, "one shot at Zog")
	b.crank()
	if got := b.markers("carla", "late"); len(got) != 1 {
		t.Fatalf("Carla got %d answers", len(got))
	}
	if d := b.dispositions(); d[store.Late] != 0 || d[store.Answered] != 2 {
		t.Errorf("dispositions %v", d)
	}
}

// TestPausedClock: while the game is paused nobody is reminded and nothing
// closes, but orders are taken; afterwards the clock goes on where it stood.
func TestPausedClock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		gm, anna := b.with("greta", "the turn opens"), b.one("anna")
		b.inbox("ben")
		b.at(utc(3, 2, 12, 0)) // an hour before the reminder
		b.reply("greta", gm, "PAUSE")
		b.crank()
		b.one("anna")
		b.one("ben")
		b.at(utc(3, 4, 12, 0))
		b.none("ben")
		b.reply("anna", anna, "two shots at Zog")
		b.crank()
		contains(t, "the receipt during a pause", b.one("anna").text, "Bobo", "paused")
		if _, ok := b.state(1, game.Open).InForce()["bobo"]; !ok {
			t.Error("orders sent during a pause do not count")
		}
		b.reply("greta", gm, "RESUME")
		b.crank()
		b.one("ben")
		b.one("anna")
		if got, want := b.game().Turn.DeadlineAt, utc(3, 4, 19, 0); !got.Equal(want) {
			t.Fatalf("after RESUME the turn closes %v, want %v", got, want)
		}
		b.at(utc(3, 4, 12, 59))
		b.none("ben")
		b.at(utc(3, 4, 13, 0))
		contains(t, "the reminder", b.one("ben").text, "Chirik")
		b.none("anna")
		b.at(utc(3, 4, 18, 0))
		b.none("ben") // once
		b.at(utc(3, 4, 19, 5))
		b.state(1, game.Review)
	})
}

// TestEarlyCloseFence: CLOSE does not overtake a letter that was received before it.
func TestEarlyCloseFence(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	gm, anna, ben := b.with("greta", "the turn opens"), b.one("anna"), b.one("ben")
	b.clock.advance(time.Hour)
	b.reply("anna", anna, "two shots at Zog")
	b.clock.advance(time.Second)
	b.reply("greta", gm, "CLOSE")
	b.clock.advance(time.Second)
	b.reply("ben", ben, "one shot at Zog")
	// All three are found at once; which is read first must not matter.
	if held, err := b.st.Lease(t.Context(), "main", "test", time.Hour); !held || err != nil {
		t.Fatal(held, err)
	}
	if err := b.d.Search(t.Context(), "test", b.box); err != nil {
		t.Fatal(err)
	}
	due, err := b.st.Due(t.Context(), b.clock.now(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(due) != 3 {
		t.Fatalf("due: %+v", due)
	}
	if err := b.d.ingest(t.Context(), due[1]); err != nil { // CLOSE
		t.Fatal(err)
	}
	if err := b.d.closeTurn(t.Context(), store.Work{Kind: workClose, Row: b.game().Turn.ID}); err == nil {
		t.Error("the close overtook an unread letter")
	}
	b.state(1, game.Open)
	b.clock.advance(time.Minute)
	b.crank()
	s := b.state(1, game.Review)
	if _, ok := s.InForce()["bobo"]; !ok {
		t.Error("Anna's letter does not count")
	}
}
