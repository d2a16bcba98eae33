package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// TestWhoIsNotAskedLearnsOfNoPause: one player's character has noticed something and
// is asked. To the others it is the same, to the byte, as if nobody was asked and
// the GM took that time over his packet: whatever they write or ask meanwhile,
// whatever the GM does, and in the report.
func TestWhoIsNotAskedLearnsOfNoPause(t *testing.T) {
	t.Parallel()
	play := func(rules rulesettest.Pausing) *bench {
		b := pausingAs(t, oneDatabase(t), rules)
		ben, carla := b.with("ben", "the turn opens"), b.with("carla", "the turn opens")
		say := func(user string, m mailIn, text string, how ...arrival) {
			t.Helper()
			b.reply(user, m, text, how...)
			b.crank()
		}
		say("ben", ben, `say "first"`)
		b.at(utc(3, 2, 19, 5))
		if !rules.Never {
			say("greta", b.with("greta", "attempt 1"), "OK")
			b.state(1, game.Open)
		}
		b.clock.set(utc(3, 2, 20, 0))
		asks := []string{"STATUS", `say "second"`, "READY", "CLEAR", "CHECK\nwait"}
		for _, text := range asks {
			say("ben", ben, text)
		}
		b.clock.set(utc(3, 2, 22, 0))
		for _, text := range []string{"WHY 1", "REPORT 1", "REPORT", "thanks!", "HELP"} {
			say("ben", ben, text)
		}
		for _, text := range asks {
			say("carla", carla, text)
		}
		say("mallory", carla, "wait", arrival{auth: "none"}) // held
		b.clock.set(utc(3, 2, 23, 30))
		b.letter("ben", "Hello?", "", "STATUS", arrival{})
		b.letter("ben", "Hello?", "", `say "third"`, arrival{auth: "none"})
		say("ben", ben, `say "fourth"`, arrival{cc: "carla@" + testDomain})
		if !rules.Never {
			for _, word := range []string{"EXTEND 1h", "PAUSE", "RESUME"} {
				say("greta", b.with("greta", "turn 1"), word)
			}
			say("greta", b.with("greta", "turn 1"), "ERRATUM It was no bell but a gong.")
			says(t, "the answer to ERRATUM", b.with("greta", "erratum"), "Sent to Anna", "Not sent to Ben and Carla")
			says(t, "the erratum", b.with("anna", "erratum"), "the report of turn 1", "no bell but a gong")
			say("anna", b.with("anna", "part 2 opens"), "READY")
			b.state(1, game.Review)
		}
		say("carla", carla, "STATUS")
		b.at(utc(3, 3, 5, 0))
		attempt := map[bool]string{true: "attempt 1", false: "attempt 2"}[rules.Never]
		say("greta", b.with("greta", attempt), "OK\nNOTE The bell tolls.")
		b.state(2, game.Open)
		b.clock.advance(2 * time.Hour)
		report := b.with("ben", "report")
		for _, text := range []string{"WHY 1", "WHY 2", "REPORT 1", "STATUS"} {
			say("ben", report, text)
		}
		say("ben", report, `say "fifth"`, arrival{id: "<fifth@" + testDomain + ">"})
		return b
	}
	with, without := play(rulesettest.Pausing{Asks: []game.ID{"bobo"}}), play(rulesettest.Pausing{Never: true})
	if with.read["anna"] = 0; len(with.markers("anna", "part 2 opens")) == 0 {
		t.Fatal("Anna was not asked")
	}
	for _, who := range []string{"ben", "carla"} {
		a, b := with.everything(who), without.everything(who)
		for i := range max(len(a), len(b)) {
			switch {
			case i >= len(a):
				t.Errorf("%s lacks %q", who, b[i].Subject)
			case i >= len(b):
				t.Errorf("%s has %q", who, a[i].Subject)
			default:
				if diff := cmp.Diff(b[i], a[i]); diff != "" {
					t.Errorf("%s, %s (-without a pause +with one):\n%s", who, b[i].Subject, diff)
				}
			}
		}
	}
	if d := with.dispositions(); d[""]+d["held"]+d["late"] != 0 {
		t.Errorf("letters that came to no end: %v", d)
	}
}

// TestWhoIsNotAskedHearsOfTheWait: a pause that is open for days is to those whom it
// does not ask a GM who takes days: they hear of it at the same time, and once.
func TestWhoIsNotAskedHearsOfTheWait(t *testing.T) {
	t.Parallel()
	play := func(rules rulesettest.Pausing, reopened bool) *bench {
		b := pausingAs(t, oneDatabase(t), rules)
		b.at(utc(3, 2, 19, 5))
		if !rules.Never {
			b.reply("greta", b.with("greta", "attempt 1"), "OK")
			b.crank()
			b.reply("greta", b.with("greta", "turn 1"), "EXTEND 48h")
			b.crank()
		}
		if reopened {
			b.reply("anna", b.with("anna", "part 2 opens"), "READY")
			b.crank()
			b.state(1, game.Review)
			b.reply("greta", b.with("greta", "attempt 2"), "REOPEN 72h")
			b.crank()
		}
		for _, at := range []time.Time{utc(3, 3, 7, 10), utc(3, 3, 19, 4), utc(3, 3, 19, 6), utc(3, 3, 23, 0), utc(3, 4, 23, 0)} {
			b.at(at)
		}
		b.state(1, map[bool]game.State{true: game.Review, false: game.Open}[rules.Never])
		if !rules.Never {
			b.reply("anna", b.with("anna", "part 2 opens"), "READY")
			b.crank()
			b.state(1, game.Review)
		}
		for _, at := range []time.Time{utc(3, 5, 12, 0), utc(3, 6, 12, 0), utc(3, 8, 12, 0)} {
			b.at(at)
		}
		return b
	}
	asks := rulesettest.Pausing{Asks: []game.ID{"bobo"}}
	with, reopened, without := play(asks, false), play(asks, true), play(rulesettest.Pausing{Never: true}, false)
	for _, who := range []string{"ben", "carla"} {
		reopened.read[who] = 0
		if n := len(reopened.markers(who, "waiting for the GM")); n != 1 {
			t.Errorf("%s heard %d times of the wait for a turn that was reopened", who, n)
		}
		if diff := cmp.Diff(without.everything(who), with.everything(who)); diff != "" {
			t.Errorf("%s (-without a pause +with one):\n%s", who, diff)
		}
		with.read[who] = 0
		if n := len(with.markers(who, "waiting for the GM")); n != 1 {
			t.Errorf("%s heard %d times of the wait", who, n)
		}
	}
	if with.read["anna"] = 0; len(with.markers("anna", "waiting for the GM")) != 1 {
		t.Error("Anna, who was asked, did not hear of the wait after her answer, or twice")
	}
}

// TestTheReportTellsOfPartsThatWereNotTold: Tarn notices something and has an
// answer for it, so only Chitter is asked. Tarn's player gets one report of the
// whole turn, can ask why, and check its dice.
func TestTheReportTellsOfPartsThatWereNotTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{noGame: true})
	b.create(dailyAmbush(t))
	opening := b.with("anna", "the turn opens")
	b.reply("anna", opening, "If I notice anything, I dive behind the fallen trunk.")
	b.crank()
	receipt := b.with("anna", "orders received")
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "EVENT 1 NOTICED\nEVENT 3 NOTICED")
	b.crank()
	b.reply("greta", b.with("greta", "attempt 2"), "OK")
	b.crank()
	if s := b.state(1, game.Open); s.Turn.Phase != 1 {
		t.Fatalf("phase %d", s.Turn.Phase)
	}
	for who, asked := range map[string]bool{"anna": false, "ben": true, "carla": false} {
		b.read[who] = 0
		if got := len(b.markers(who, "part 2")) > 0; got != asked {
			t.Errorf("%s is told of the pause: %v", who, got)
		}
	}
	b.at(utc(3, 3, 19, 5))
	b.at(utc(3, 4, 19, 30))
	says(t, "the wait", b.with("anna", "waiting for the GM"), "waiting for the GM since Mon 2 Mar 2026 20:05")
	b.reply("greta", b.with("greta", "attempt 3"), "OK")
	b.crank()
	report := b.with("anna", "report")
	says(t, "the report", report, "Turn 1 is over, turn 2 opens", "1. Tarn notices something. A metal click", "2. Tarn ")
	if strings.Contains(report.text, "part 2") || strings.Count(report.text, "Tarn has initiative") > 1 {
		t.Errorf("the report tells of parts:\n%s", report.text)
	}
	b.reply("anna", report, "WHY 1")
	b.crank()
	says(t, "WHY 1", b.with("anna", "why line 1"), "the report of turn 1", "Tarn notices something", "Intuition")
	all, err := dice.Merge(blocks(t, 1, opening, receipt, report)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range dice.Verify(all, true) {
		if f.Result == dice.Wrong {
			t.Errorf("%s: %s", f.About, f.Why)
		}
	}
	if !slices.ContainsFunc(all.Dice, func(d dice.Printed) bool { return strings.HasPrefix(d.Name, "surprise/tarn") }) {
		t.Error("the die of the part that was not told is missing")
	}
}

// ending is Pausing in a game whose first turn is its last.
type ending struct{ rulesettest.Pausing }

func (e ending) Resolve(in resolve.Input) resolve.Outcome {
	out := e.Pausing.Resolve(in)
	out.Done, out.Why = out.Pause == nil, "Everybody goes home."
	return out
}

// Not even the last report of a game, or what is asked after it, tells of a part.
func TestTheEndTellsOfNoPart(t *testing.T) {
	t.Parallel()
	b := pausingAs(t, oneDatabase(t), ending{rulesettest.Pausing{Asks: []game.ID{"bobo"}}})
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	b.at(utc(3, 3, 19, 5))
	b.reply("greta", b.with("greta", "attempt 2"), "OK")
	b.crank()
	report := b.with("ben", "report")
	says(t, "the last report", report, "Turn 1: the end", "Everybody goes home.", "1. Chirik waits.")
	for _, text := range []string{"STATUS", "WHY 1", "REPORT 1", "wait"} {
		b.reply("ben", report, text)
		b.crank()
	}
	for _, m := range b.everything("ben") {
		if strings.Contains(m.Subject+m.Text, "part 2") {
			t.Errorf("%s\n%s", m.Subject, m.Text)
		}
	}
}
