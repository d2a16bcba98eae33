package daemon

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
)

// review brings a bench's first turn to the GM and returns his packet.
func review(b *bench) mailIn {
	b.t.Helper()
	b.reply("anna", b.with("anna", "the turn opens"), "Three shots at Zog.")
	b.clock.advance(24 * time.Hour)
	b.crank()
	b.inbox("anna")
	b.inbox("ben")
	b.inbox("carla")
	m := b.with("greta", "attempt 1")
	b.inbox("greta")
	return m
}

// TestOKReleasesNothingElse: a stale, repeated or crowded OK, one that says
// more, and one that answers another mail release nothing and say so.
func TestOKReleasesNothingElse(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		packet := review(b)
		opening := b.with("greta", "the turn opens")
		b.inbox("greta")

		refuse := func(name string, m mailIn, text string, why string) {
			t.Helper()
			b.reply("greta", m, text)
			b.crank()
			got := b.inbox("greta")
			if len(got) == 0 {
				t.Fatalf("%s: no answer", name)
			}
			contains(t, name, got[0].text, why)
			if s := b.game().Turn; s.State != game.Review || s.N != 1 {
				t.Fatalf("%s: turn %d is %s", name, s.N, s.State)
			}
		}
		refuse("more than OK", packet, "OK\nbut let Zog miss", "more than OK")
		refuse("a ruling beside OK", packet, "OK\nEVENT 1 MISS", "more than OK")
		refuse("another mail", opening, "OK", "another mail")
		b.clock.advance(2 * time.Hour)

		b.reply("greta", packet, "MOD bobo +10")
		b.crank()
		second := b.with("greta", "attempt 2")
		b.inbox("greta")
		refuse("a stale OK", packet, "OK", "attempt 1")
		if strings.Contains(packet.text, "attempt 2") {
			t.Fatal("the first packet names attempt 2")
		}
		b.clock.advance(2 * time.Hour)

		// A crowded OK is held for a confirmation, and its addresses are void.
		b.reply("greta", second, "OK", arrival{cc: "anna@" + testDomain})
		b.crank()
		ask := b.with("greta", "please confirm")
		contains(t, "the question", ask.text, "CONFIRM")
		if s := b.game().Turn; s.State != game.Review {
			t.Fatalf("a crowded OK released: %s", s.State)
		}
		refuse("the voided address", second, "OK", "no valid answer address")
		b.clock.advance(2 * time.Hour)
		b.reply("greta", ask, "CONFIRM")
		b.crank()
		if s := b.game().Turn; s.N != 2 {
			t.Fatalf("the confirmed OK did not release: turn %d is %s", s.N, s.State)
		}
		// The same OK again, in other bytes: nothing more is released.
		b.inbox("greta")
		b.reply("greta", second, "OK")
		b.crank()
		if s := b.game().Turn; s.N != 2 || s.State != game.Open {
			t.Fatalf("a repeated OK moved turn %d to %s", s.N, s.State)
		}
		contains(t, "the repeated OK", b.inbox("greta")[0].text, "Nothing was released")
	})
}

// TestRulings carries out each kind of ruling once, and takes one back.
func TestRulings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		packet := review(b)
		rule := func(text string) mailIn {
			t.Helper()
			at := b.game().Turn.Attempt
			b.reply("greta", packet, text)
			b.clock.advance(time.Minute)
			b.crank()
			s := b.game()
			if s.Turn.State != game.Review || s.Turn.Attempt != at+1 {
				t.Fatalf("%q: attempt %d is %s; %s", text, s.Turn.Attempt, s.Turn.State, b.inbox("greta")[0].text)
			}
			packet = b.with("greta", "for the GM")
			b.inbox("greta")
			return packet
		}
		contains(t, "STA", rule("BOBO STA 12").text, "BOBO STA 12", "STA")
		contains(t, "DIE", rule("DIE hit/bobo/r1.1 = 1").text, "= 1 (gm)")
		contains(t, "DIE reroll", rule("DIE hit/bobo/r1.2 reroll").text, "hit/bobo/r1.2~1")
		contains(t, "MOD", rule("MOD bobo +10 because high ground").text, "high ground")
		m := rule("DROP 4\nBOBO STA 10 SECRET")
		contains(t, "DROP and more", m.text, "STA 10")
		if strings.Contains(m.text, "+10 because high ground` because") {
			t.Error("the dropped ruling is still listed")
		}
		// NOTE alone changes no event, so it makes no attempt.
		at := b.game().Turn.Attempt
		b.reply("greta", packet, "NOTE The lamps go out.")
		b.crank()
		if s := b.game().Turn; s.State != game.Review || s.Attempt != at {
			t.Fatalf("a note moved the turn: %s, attempt %d", s.State, s.Attempt)
		}
		b.inbox("greta")
		b.reply("greta", packet, "RULINGS")
		b.crank()
		contains(t, "RULINGS", b.one("greta").text, "BOBO STA 12", "was taken back")
		// A line that is not understood: nothing of the letter is done.
		b.reply("greta", packet, "BOBO STA 1\nBOBO HAIR RED")
		b.crank()
		contains(t, "a wrong ruling", b.one("greta").text, "Nothing has changed")
		if s := b.game().Turn; s.Attempt != at || s.State != game.Review {
			t.Fatalf("half a letter was ruled: attempt %d", s.Attempt)
		}
		b.reply("greta", packet, "OK\nNOTE Far away a dog barks.")
		b.crank()
		report := b.with("anna", "report")
		contains(t, "the report", report.text, "The lamps go out.", "Far away a dog barks.", "The GM had a die of this turn set.")
		if v := b.view("bobo"); !strings.Contains(v, "10") {
			t.Errorf("Bobo's sheet after STA 10: %s", v)
		}
	})
}

// TestRulingsOfAGameWhoseTimeRunsOn: figures and rules from a segment on, values of the
// tables, and the results of the charts.
func TestRulingsOfAGameWhoseTimeRunsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{noGame: true})
	b.create(dailyExample(t, "Bridge"))
	b.at(utc(3, 2, 19, 5))
	packet := b.with("greta", "attempt 1")
	says(t, "the packet", packet, "(melee): HIT, MISS, CRITICAL", "REACTION none|parry|dodge", "AT SEGMENT 0 from that moment on")
	number := regexp.MustCompile(`(?m)^(\d+)\.\s+Grunmar\s+s2\s+segment`).FindStringSubmatch(packet.text)
	if number == nil {
		t.Fatalf("Grunmar does not strike in segment 2:\n%s", packet.text)
	}
	b.reply("greta", packet, "CORVIN HP 31 AT SEGMENT 5 because he stumbles\nTURN light darkness AT SEGMENT 9\nTURN tables.arms.weapon.two_handed_sword.bonus 5\nEVENT "+number[1]+" CRITICAL\nEVENT "+number[1]+" SOONER")
	b.clock.advance(time.Minute)
	b.crank()
	says(t, "the next packet", b.with("greta", "attempt 2"), "Corvin HP", "→ 31", "Darkness -40", "two-handed sword +5", "attack two segments early next time")
	// What cannot be is refused, with what may be written instead.
	b.reply("greta", packet, "CORVIN HP 500")
	b.crank()
	says(t, "a wrong ruling", b.with("greta", "not"), "Corvin has at most 40 hit points", "or set HPMAX first")
}

// view prints a combatant's sheet as the next turn opens.
func (b *bench) view(id game.ID) string {
	b.t.Helper()
	tb, err := b.d.table(b.game())
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, l := range tb.view(id).Sheet {
		out = append(out, l.Label+" "+l.Value)
	}
	return strings.Join(out, "; ")
}

// TestClockCommands: EXTEND, PAUSE, RESUME, CLOSE and REOPEN move the turn, and
// everybody is told.
func TestClockCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		gm := b.with("greta", "the turn opens")
		b.inbox("greta")
		b.inbox("anna")
		was := b.game().Turn.DeadlineAt
		b.reply("greta", gm, "EXTEND 24h")
		b.crank()
		if got := b.game().Turn.DeadlineAt; !got.Equal(was.Add(24 * time.Hour)) {
			t.Fatalf("EXTEND moved the deadline to %v", got)
		}
		b.one("anna")
		b.reply("greta", gm, "PAUSE")
		b.crank()
		b.one("anna")
		b.clock.advance(72 * time.Hour)
		b.crank()
		if s := b.game().Turn; s.State != game.Open {
			t.Fatalf("a paused turn went to %s", s.State)
		}
		b.reply("greta", gm, "RESUME")
		b.crank()
		b.one("anna")
		if got := b.game().Turn.DeadlineAt; !got.Equal(was.Add(96 * time.Hour)) {
			t.Fatalf("RESUME moved the deadline to %v, want %v", got, was.Add(96*time.Hour))
		}
		b.inbox("greta")
		b.reply("greta", gm, "CLOSE")
		b.clock.advance(time.Second)
		b.crank()
		if s := b.game().Turn; s.State != game.Review {
			t.Fatalf("CLOSE left the turn %s", s.State)
		}
		lock := string(b.game().Turn.Lock)
		packet := b.with("greta", "attempt 1")
		b.inbox("greta")
		b.reply("greta", packet, "REOPEN 24h")
		b.crank()
		s := b.game().Turn
		if s.State != game.Open || string(s.Lock) != lock {
			t.Fatalf("REOPEN left the turn %s, lock kept: %v", s.State, string(s.Lock) == lock)
		}
		opened := b.with("anna", "reopened")
		b.reply("anna", opened, "one shot at Zog")
		b.crank()
		b.clock.advance(25 * time.Hour)
		b.crank()
		second := b.with("greta", "attempt 2")
		contains(t, "the packet after REOPEN", second.text, "reopened after you had seen a draft")
		if got := string(b.game().Turn.Lock); got != lock {
			t.Error("the lock changed over a REOPEN")
		}
		// What the GM may not write in this state is answered, not done.
		b.inbox("greta")
		b.reply("greta", second, "EXTEND 24h")
		b.crank()
		contains(t, "EXTEND in review", b.one("greta").text, "Not done")
	})
}

// TestFoesOrders: AS orders the GM's own combatants, and only those.
func TestFoesOrders(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	gm := b.with("greta", "the turn opens")
	b.inbox("greta")
	b.reply("greta", gm, "AS Zog: two shots at Bobo")
	b.crank()
	contains(t, "the receipt", b.one("greta").subject, "Zog")
	if r, ok := b.game().InForce()["zog"]; !ok || !strings.Contains(string(r.Plan), "bobo") {
		t.Fatalf("orders in force: %+v", b.game().InForce())
	}
	b.reply("greta", gm, "AS Bobo: one shot at Zog")
	b.crank()
	contains(t, "AS of a player's character", b.one("greta").text, "Nothing has changed")
	if _, ok := b.game().InForce()["bobo"]; ok {
		t.Error("the GM ordered a player's character")
	}
}

// TestOrdersInAPlayersStead: after the close the GM gives a player's character
// other orders: an absent player's, words that were read wrongly, a question that
// nobody answered. They are read as that character knows things, his player's
// report says whose they are, and DROP gives the player's own back.
func TestOrdersInAPlayersStead(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	rule := func(text string) mailIn {
		t.Helper()
		at := b.game().Turn.Attempt
		b.reply("greta", packet, text)
		b.clock.advance(time.Minute)
		b.crank()
		if n := b.game().Turn.Attempt; n != at+1 {
			t.Fatalf("%q: attempt %d; %s", text, n, b.inbox("greta")[0].text)
		}
		packet = b.with("greta", "for the GM")
		b.inbox("greta")
		return packet
	}
	before := packet.text
	m := rule("AS Bobo: crouch")
	contains(t, "the packet", m.text, "AS bobo: crouch", "Bobo crouches")
	if strings.Contains(m.text, "hit/bobo/r1.1") {
		t.Error("Bobo still shoots")
	}
	b.reply("greta", packet, "AS Bobo: two shots at Gromf")
	b.crank()
	contains(t, "orders that are none", b.one("greta").text, "Nothing has changed")
	if m := rule("DROP 1"); !strings.Contains(m.text, "hit/bobo/r1.1") || !strings.Contains(before, "hit/bobo/r1.1") {
		t.Errorf("his player's orders are gone: %s", m.text)
	}
	rule("AS Bobo: one shot at Zog, then crouch")
	b.reply("greta", packet, "OK")
	b.crank()
	contains(t, "the report", b.with("anna", "report").text, "AS bobo: one shot at Zog, then crouch")
}

// TestErratum: what a report had wrong goes to every player at once and changes
// nothing; before the first report, beside other lines and without proof it goes
// to nobody.
func TestErratum(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	const words = "ERRATUM It was Mira's shot\n  that hit Zog."
	packet := review(b)
	refuse := func(name, text, why string) {
		t.Helper()
		got := b.unchanged(name, func() { b.reply("greta", packet, text) })
		says(t, name, only(t, name, got, "greta"), why, "Nothing has changed")
	}
	refuse("before the first report", words, "No report is out yet")
	b.reply("greta", packet, "OK")
	b.crank()
	packet = b.with("greta", "turn 2")
	for _, user := range []string{"anna", "ben", "carla", "greta"} {
		b.inbox(user)
	}
	refuse("beside a note", words+"\n\nNOTE Rain falls.", "a letter of its own")
	got := b.unchanged("ERRATUM", func() { b.reply("greta", packet, words) })
	for _, user := range []string{"anna", "ben", "carla"} {
		m := only(t, "ERRATUM", map[string][]mailIn{user: got[user]}, user)
		says(t, "to "+user, m, "Erratum to the report of turn 1", "It was Mira's shot", "that hit Zog.")
	}
	says(t, "the answer", only(t, "ERRATUM", map[string][]mailIn{"greta": got["greta"]}, "greta"), "Sent to Anna")
	got = b.unchanged("a player's", func() { b.reply("anna", b.with("anna", "report"), words) })
	if len(got["ben"])+len(got["carla"]) > 0 {
		t.Errorf("a player's ERRATUM went out: %s", subjects(got))
	}
}

// TestNudges: the GM is reminded 12, 24 and 72 hours after a packet; at the
// second the players hear whom they wait for.
func TestNudges(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	review(b)
	for i, hours := range []time.Duration{12, 24, 72} {
		at := b.game().Turn.ReviewAt.Add(hours * time.Hour)
		b.clock.set(at.Add(-time.Second))
		b.crank()
		b.none("greta")
		b.clock.set(at)
		b.crank()
		if got := b.inbox("greta"); len(got) != 2 {
			t.Fatalf("nudge %d: the GM got %d mails, want the nudge and the packet", i+1, len(got))
		}
		want := 0
		if i == 1 {
			want = 1
		}
		if got := len(b.inbox("anna")); got != want {
			t.Fatalf("nudge %d: Anna got %d mails, want %d", i+1, got, want)
		}
	}
	b.clock.advance(1000 * time.Hour)
	b.crank()
	b.none("greta")
	// The packet that came with the last nudge releases.
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	if n := b.game().Turn.N; n != 2 {
		t.Errorf("turn %d after OK", n)
	}
}

// TestThanksInOnesOwnName: a name behind thanks is a signature only if it is the
// writer's.
func TestThanksInOnesOwnName(t *testing.T) {
	t.Parallel()
	for text, left := range map[string]int{
		"Thanks, Greta": 0, "thank you, greta!": 0, "Thanks, Greta Garbo.": 0,
		"Thanks, wait": 1, "Thanks, Zog": 1, "Not yet, Greta": 1, "Thanks but no thanks, Zog hits, Greta": 1, "Greta": 1,
	} {
		if got := withoutOwnThanks([]parse.Line{{N: 1, Text: text}}, "Greta Garbo"); len(got) != left {
			t.Errorf("%q leaves %d lines, want %d", text, len(got), left)
		}
	}
}
