package daemon

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// line finds the number of the report's line that holds the words.
func line(t *testing.T, m mailIn, words string) string {
	t.Helper()
	n := regexp.MustCompile(`(?m)^([0-9]+)\. .*` + words).FindStringSubmatch(m.text)
	if n == nil {
		t.Fatalf("no line says %q:\n%s", words, m.text)
	}
	return n[1]
}

// bobosShot finds a line that tells of one, in whichever words.
const bobosShot = "Bobo('s shot| fires| shoots| lets fly)"

// TestWhy: each reader asks about a line of his own report, and is told what he
// perceived of it.
func TestWhy(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		opening := b.with("anna", "the turn opens")
		got := b.unchanged("before any report", func() { b.reply("anna", opening, "WHY 1") })
		says(t, "before any report", only(t, "WHY", got, "anna"), "Not done: WHY 1", "No turn is over yet")
		b.reply("anna", opening, "Two shots at Zog.")
		b.crank()
		b.clock.set(b.game().Turn.DeadlineAt.Add(5 * time.Minute))
		b.crank()
		packet := b.with("greta", "attempt 1")
		b.reply("greta", packet, "MOD bobo +10 because of the high ground SECRET")
		b.crank()
		next := b.with("greta", "attempt 2")
		why := func(user string, m mailIn, text string) mailIn {
			t.Helper()
			b.clock.advance(20 * time.Minute)
			return only(t, text, b.unchanged(text, func() { b.reply(user, m, text) }), user)
		}
		shot := line(t, next, bobosShot)
		old := why("greta", packet, "WHY "+shot)
		says(t, "the old packet", old, "line "+shot+" of attempt 1 of turn 1", "bobo/r1.1", "hit/bobo/r1.1")
		if strings.Contains(old.text, "high ground") {
			t.Errorf("attempt 1 knows the ruling of attempt 2:\n%s", old.text)
		}
		all := why("greta", next, "why "+shot+".\n\nThanks!")
		says(t, "the packet", all, "line "+shot+" of attempt 2 of turn 1", "high ground", "late heroes", "saw it", "Section 6")
		says(t, "no such event", why("greta", next, "WHY 999"), "Not done: WHY 999", "Attempt 2 of turn 1 has lines 1 to ")

		b.reply("greta", next, "OK")
		b.crank()
		anna, ben := b.with("anna", "turn 2 opens"), b.with("ben", "turn 2 opens")
		own := why("anna", anna, "WHY "+line(t, anna, bobosShot))
		says(t, "her own shot", own, "of the report of turn 1", "Chance 60%", "hit/bobo/r1.1 d100", "sealed for your side before any orders were known", "The rule")
		if strings.Contains(own.text, "high ground") {
			t.Errorf("a secret ruling is told:\n%s", own.text)
		}
		other := why("ben", ben, "WHY "+line(t, ben, bobosShot))
		says(t, "another's shot", other, "You saw it", "told only to those who did it")
		for _, number := range []string{"hit/", "Chance", "d100"} {
			if strings.Contains(other.text, number) {
				t.Errorf("Ben is told %q of Bobo's shot:\n%s", number, other.text)
			}
		}
		master := b.with("greta", "turn 2 opens")
		says(t, "the GM's report", why("greta", master, "WHY "+line(t, master, bobosShot)), "of the report of turn 1", "high ground", "saw it")
		says(t, "no such line", why("anna", anna, "WHY 99"), "The report of turn 1 has lines 1 to ", "no line 99", "REPORT 2")
		says(t, "a question mark", why("anna", anna, "Why 1?"), "If you mean WHY, answer with a line such as WHY 3 alone on the first line")
		says(t, "other text", why("anna", anna, "WHY 1\nTwo shots at Zog."), "Not done: WHY")

		// A letter without a token, and one that nobody proves: as for STATUS.
		b.clock.advance(time.Hour)
		got = b.deliver(func() { b.letter("anna", "[Dusk-2] why?", "", "WHY 1", arrival{auth: "pass"}) })
		says(t, "without a token", only(t, "WHY", got, "anna"), "Line 1 of the report of turn 1")
		b.deliver(func() { b.letter("anna", "[Dusk-2] why?", "", "WHY 1", arrival{auth: "none"}) })
		b.disposed("without proof", "ignored", "nothing vouches")

		// Later the answer to an old report still means that report, and so does the
		// answer to an explanation.
		b.turnOver()
		says(t, "an old report", why("anna", anna, "WHY 1"), "Line 1 of the report of turn 1")
		says(t, "an explanation of it", why("anna", mailIn{subject: own.subject, messageID: own.messageID, replyTo: own.replyTo}, "WHY 1"), "Line 1 of the report of turn 2")
		// Somebody else's report is none of his.
		theirs := anna
		theirs.replyTo = ben.replyTo
		says(t, "another's report", why("ben", theirs, "WHY 1"), "Line 1 of the report of turn 2")
	})
}

// pictures are those of a mail: id, what is said of it, and bytes.
func pictures(t *testing.T, m mailIn) []string {
	t.Helper()
	env, err := enmime.ReadEnvelope(bytes.NewReader(m.raw))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range env.Inlines {
		out = append(out, p.ContentID+" "+p.FileName+" "+p.Header.Get("Content-Description")+" "+string(p.Content))
	}
	return out
}

// TestReportAgain: the same text, HTML and lines under a fresh address to answer
// to; what is asked of the copy means the turn that it reports.
func TestReportAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		opening := b.with("anna", "the turn opens")
		ask := func(user string, m mailIn, text string) mailIn {
			t.Helper()
			b.clock.advance(20 * time.Minute)
			return only(t, text, b.unchanged(text, func() { b.reply(user, m, text) }), user)
		}
		says(t, "no turn is over", ask("anna", opening, "REPORT"), "Not done: REPORT", "No turn is over yet")
		says(t, "turn 1 is not", ask("anna", opening, "REPORT 1"), "Turn 1 is not over: it is open for orders", "STATUS")
		b.reply("anna", opening, "Two shots at Zog.")
		b.crank()
		b.turnOver()
		first := b.with("anna", "turn 2 opens")
		b.turnOver()
		second := b.with("anna", "turn 3 opens")
		for text, want := range map[string]mailIn{"REPORT 1": first, "report 2": second, "REPORT": second} {
			got := ask("anna", second, text)
			if got.text != want.text || got.html != want.html {
				t.Errorf("%s differs:\n%s", text, got.text)
			}
			if again, was := pictures(t, got), pictures(t, want); len(was) == 0 || !slices.Equal(again, was) {
				t.Errorf("%s has pictures %.200q, was %.200q", text, again, was)
			}
			if got.messageID == want.messageID || got.replyTo != second.replyTo || got.subject != "[Dusk-3] Again: "+strings.TrimPrefix(want.subject, want.subject[:9]) {
				t.Errorf("%s: %q %s %s", text, got.subject, got.messageID, got.replyTo)
			}
			n := strconv.Itoa(1)
			if want.text == second.text {
				n = "2"
			}
			says(t, "WHY to "+text, ask("anna", got, "WHY 1"), "Line 1 of the report of turn "+n)
		}
		// Its address is good for the turn that is open.
		b.reply("anna", b.with("anna", "turn 2 opens"), "One shot at Zog.")
		b.crank()
		if s := b.game(); len(s.InForce()) != 1 {
			t.Error("orders in answer to the copy do not count")
		}
		master := ask("greta", b.with("greta", "turn 3 opens"), "REPORT 1")
		says(t, "the GM's", master, "Again: Turn 1 is over")
		says(t, "not yet over", ask("anna", second, "REPORT 3"), "Turn 3 is not over", "turns 1 to 2")
		says(t, "to come", ask("anna", second, "REPORT 7"), "There is no turn 7 yet", "turn 3 is open")

		// Erased with the person.
		if _, err := b.d.Forget(t.Context(), "ben@pbemd.localhost", true); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("forgotten-1@invalid", "mallory@pbemd.localhost", `"forgotten-1"`, `"Mallory"`).Replace(b.game().Game.File)
		e, faults, err := b.d.PlanEdit(t.Context(), "new.toml", []byte(text))
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		if err := b.d.ApplyEdit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		b.crank()
		says(t, "erased", ask("mallory", b.with("mallory", "the turn opens"), "REPORT 1"), "The report of turn 1 is not kept any more")
		says(t, "the lines of an erased report", ask("mallory", b.with("mallory", "the turn opens"), "WHY 1"), "Line 1 of the report of turn 2")
	})
}

// TestReportOfPhases: a turn in two parts has two reports, each with its lines.
func TestReportOfPhases(t *testing.T) {
	t.Parallel()
	b := pausing(t, oneDatabase(t))
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	brief := b.with("anna", "part 2 opens")
	b.empty()
	got := b.deliver(func() { b.reply("anna", brief, "WHY 1") })
	says(t, "the brief's line", only(t, "WHY", got, "anna"), "Line 1 of the report of turn 1", "luck/bobo/p0")
	b.turnOver()
	report := b.with("anna", "turn 2 opens")
	b.empty()
	got = b.deliver(func() { b.reply("anna", report, "REPORT 1") })
	if len(got["anna"]) != 2 || !strings.Contains(got["anna"][0].text, "Bobo, the first half is over") || !strings.Contains(got["anna"][1].marker, "turn 2 opens") {
		t.Fatalf("REPORT 1 gives %s", subjects(got))
	}
	got = b.deliver(func() { b.reply("anna", got["anna"][1], "WHY 1") })
	says(t, "the second part's line", only(t, "WHY", got, "anna"), "Line 1 of the report of turn 1 part 2", "luck/bobo/p1")
}

// TestAskedAfterTheEnd: WHY and REPORT go on when the game is over.
func TestAskedAfterTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	b.reply("anna", b.with("anna", "the turn opens"), "Two shots at Zog.")
	b.crank()
	b.turnOver()
	b.empty()
	find := b.d.Rulesets
	b.d = b.another(func(o *Options) {
		o.Rulesets = func(name string) (resolve.Ruleset, error) {
			rs, err := find(name)
			return lastTurn{&noticed{Ruleset: rs}}, err
		}
	}, nil)
	b.clock.set(b.game().Turn.DeadlineAt.Add(5 * time.Minute))
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	b.state(2, game.Released)
	last := b.one("anna")
	ask := func(text string) mailIn {
		t.Helper()
		b.clock.advance(20 * time.Minute)
		return only(t, text, b.unchanged(text, func() { b.reply("anna", last, text) }), "anna")
	}
	if got := ask("REPORT 2"); got.text != last.text {
		t.Errorf("REPORT 2:\n%s", got.text)
	}
	says(t, "REPORT 1", ask("REPORT 1"), "Again: Turn 1 is over, turn 2 opens")
	says(t, "WHY", ask("WHY 1"), "Line 1 of the report of turn 2")
	says(t, "orders", ask("Two shots at Zog."), "is over")
}
