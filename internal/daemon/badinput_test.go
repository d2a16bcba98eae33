package daemon

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// TestBadOrders: what is wrong with a letter of orders is said with what to do,
// and nothing of it is stored.
func TestBadOrders(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	anna, carla := b.one("anna"), b.one("carla")
	gm := b.with("greta", "the turn opens")
	rows := []struct {
		name  string
		user  string
		mail  mailIn
		text  string
		reads []string
	}{
		{"an empty letter", "anna", anna, "", []string{"Nothing changed: no orders were found", "Orders until", "Bobo: no orders"}},
		{"only blanks and a signature", "anna", anna, "\n \n-- \nAnna", []string{"Nothing changed: no orders were found", "a mail of ours: 2."}},
		{"only our own mail come back", "anna", anna, "> " + strings.ReplaceAll(anna.text, "\n", "\n> "), []string{"Nothing changed: no orders were found"}},
		{"an order below the signature", "anna", anna, "Hi!\n-- \ntwo shots at Zog", []string{"Nothing changed", "write them above", "two shots at Zog"}},
		{"an unknown weapon", "anna", anna, "fire the bazooka at Zog", []string{"No orders were found", "bazooka"}},
		{"a target whom nobody knows", "anna", anna, "two shots at Gromf", []string{"No orders were found", "two shots at Gromf"}},
		{"a target whom he cannot see", "anna", anna, "two shots at Rask", []string{"No orders were found", "two shots at Rask"}},
		{"nearly READY", "anna", anna, "REDY", []string{"is not a command", "If you mean READY"}},
		{"nearly STATUS", "anna", anna, "STATSU", []string{"If you mean STATUS"}},
		{"polite CLEAR", "anna", anna, "CLEAR please", []string{"If you mean CLEAR"}},
		{"CLEAR above text", "anna", anna, "CLEAR\nand wait for Ben", []string{"Not done: CLEAR", "stood above other text", "Send CLEAR alone"}},
		{"READY above text", "anna", anna, "READY\ntwo shots at Zog", []string{"Not done: READY", "Send READY alone"}},
		{"a word of the GM's", "anna", anna, "CLOSE", []string{"CLOSE (line 1) is a word of the GM's"}},
		{"REOPEN by a player", "anna", anna, "REOPEN 24h", []string{"REOPEN (line 1) is a word of the GM's"}},
		{"another player's character", "carla", carla, "Bobo: two shots at Zog", []string{"Bobo"}},
		{"nearly OK", "greta", gm, "OKAY", []string{"Nothing changed", "If you mean OK"}},
		{"a player's word", "greta", gm, "READY", []string{"Nothing has changed"}},
		{"an empty letter of the GM's", "greta", gm, "", []string{"Nothing changed: your letter holds no command, ruling or order"}},
		{"OK in an open turn", "greta", gm, "OK", []string{"Nothing was released"}},
		{"REOPEN in an open turn", "greta", gm, "REOPEN 24h", []string{"Not done: REOPEN", "counts while it is"}},
		{"RESUME without PAUSE", "greta", gm, "RESUME", []string{"is not paused", "PAUSE stops the clock"}},
		{"a ruling before the close", "greta", gm, "BOBO STA 12", []string{"Rulings are taken from its close"}},
		{"an event before the packet", "greta", gm, "EVENT 1 HIT", []string{"Not done", "answers no packet", "Answer the packet"}},
		{"AS nobody", "greta", gm, "AS Gromf: one shot at Bobo", []string{"There is no combatant", "Nothing has changed"}},
		{"AS nonsense", "greta", gm, "AS Zog: juggle the crates", []string{"No orders were found"}},
		{"PAUSE above text", "greta", gm, "PAUSE\nuntil I am back", []string{"Send PAUSE alone"}},
	}
	for _, r := range rows {
		t.Log(r.name)
		b.clock.advance(13 * time.Hour)
		got := b.unchanged(r.name, func() { b.reply(r.user, r.mail, r.text) })
		says(t, r.name, only(t, r.name, got, r.user), r.reads...)
		b.disposed(r.name, store.Answered, "")
	}
	if n := len(b.game().Revisions); n != 0 {
		t.Errorf("%d revisions are stored", n)
	}
}

// TestLessThanWritten: of orders with a fault only what is right is done, and the
// receipt says what is left out, or what was read for a slip of the keys.
func TestLessThanWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	for _, r := range []struct {
		name, text, plan string
		reads            []string
	}{
		{"more shots than the rate", "Bobo fires five shots at Zog.", `"shots":3`, []string{"with 1 problem", "fire 3 shots at Zog", "5 actions", "left out"}},
		{"a typo in a name", "two shots at Zgo", `"shots":2`, []string{"fire 2 shots at Zog", "Read “Zgo” as"}},
		{"one bad line", "one shot at Zog\nthen juggle the crates", `"shots":1`, []string{"fire 1 shot at Zog", "What needs your eye", "juggle the crates"}},
	} {
		got := b.deliver(func() { b.reply("anna", anna, r.text) })
		says(t, r.name, only(t, r.name, got, "anna"), r.reads...)
		b.disposed(r.name, store.Acted, "orders")
		if plan := string(b.game().InForce()["bobo"].Plan); !strings.Contains(plan, r.plan) || strings.Count(plan, `"verb"`) != 1 {
			t.Errorf("%s: in force: %s", r.name, plan)
		}
	}
}

// TestBadRulings: of a letter with one faulty line nothing is ruled, and the line
// is named with what would be right.
func TestBadRulings(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	b.reply("anna", b.one("anna"), "Three shots at Zog.")
	b.reply("greta", b.with("greta", "the turn opens"), "CLOSE")
	b.clock.advance(time.Second)
	b.crank()
	packet := b.with("greta", "attempt 1")
	for _, r := range []struct {
		name, text string
		reads      []string
	}{
		{"a number that no event has", "EVENT 99 HIT", []string{"There is no event 99"}},
		{"a field that is none", "BOBO STA 1\nBOBO HAIR RED", []string{"BOBO HAIR RED", "BOBO STA 1"}},
		{"a name that is none", "GROMF STA 1", []string{"GROMF STA 1"}},
		{"a value that is none", "BOBO STA lots", []string{"BOBO STA lots"}},
		{"a die that is none", "DIE", []string{"DIE"}},
		{"a modifier without a figure", "MOD bobo because high ground", []string{"MOD bobo because high ground"}},
		{"an outcome that is none", "EVENT 1 PURPLE", []string{"EVENT 1 PURPLE", "PURPLE", "Outcomes are"}},
		{"a figure that his sheet forbids", "BOBO STA 900", []string{"BOBO STA 900", "Stamina of Bobo", "Write a number from"}},
		{"a rule that is none", "TURN gravity off", []string{"TURN gravity off", "crit_rules"}},
		{"DROP of a ruling that is none", "DROP 7", []string{"There is no ruling 7"}},
		{"ACCEPT of a letter that is none", "ACCEPT 2", []string{"There is no late letter 2"}},
		{"prose beside a ruling", "MOD bobo +10\nand Zog should really have missed", []string{"and Zog should really have missed"}},
		{"a command beside a ruling", "MOD bobo +10\nREOPEN 24h", []string{"A command is a letter of its own"}},
		{"nearly REOPEN", "REOPN 24h", []string{"If you mean REOPEN"}},
		{"CLOSE in review", "CLOSE", []string{"Not done: CLOSE", "with the GM", "counts while it is open"}},
		{"PAUSE in review", "PAUSE", []string{"Not done: PAUSE"}},
	} {
		b.clock.advance(13 * time.Hour)
		got := b.unchanged(r.name, func() { b.reply("greta", packet, r.text) })
		if len(got["greta"]) == 0 {
			t.Fatalf("%s: no answer", r.name)
		}
		answers := got["greta"][:0]
		for _, m := range got["greta"] {
			if !strings.Contains(m.marker, "waits for you") && !strings.Contains(m.marker, "attempt") {
				answers = append(answers, m)
			}
		}
		if len(answers) != 1 {
			t.Fatalf("%s: %s", r.name, subjects(got))
		}
		says(t, r.name, answers[0], r.reads...)
		says(t, r.name, answers[0], "Nothing has changed")
	}
	got := b.unchanged("OKAY", func() { b.reply("greta", packet, "Okay!") })
	says(t, "OKAY", got["greta"][0], "Nothing changed", "If you mean OK, answer with that word alone")
	if n := len(b.game().Rulings); n != 0 {
		t.Errorf("%d rulings are stored", n)
	}
	// What only the rules can tell to be idle is taken, and stands on top of the
	// next packet as not used.
	b.deliver(func() { b.reply("greta", packet, "DIE hit/nobody/r1.1 = 4") })
	says(t, "the packet", b.with("greta", "attempt 2"), "DIE hit/nobody/r1.1 = 4", "not used")
}

// TestClosedTurn: an answer to a turn that is over, or not open for orders, is
// told which turn is open; nothing of it acts in that one.
func TestClosedTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	first := b.one("anna")
	gm := b.with("greta", "the turn opens")
	packet := review(b)
	for _, r := range []struct {
		name, text string
		reads      []string
	}{
		{"orders in review", "one shot at Zog", []string{"Turn 1 was closed when your letter was found", "It does not count", "one shot at Zog"}},
		{"CHECK in review", "CHECK\none shot at Zog", []string{"Not done: CHECK", "with the GM"}},
		{"READY in review", "READY", []string{"Not done: READY", "with the GM", "STATUS tells"}},
		{"CLEAR in review", "CLEAR", []string{"Turn 1 was closed when your letter was found", "It does not count"}},
	} {
		got := b.unchanged(r.name, func() { b.reply("anna", first, r.text) })
		says(t, r.name, only(t, r.name, got, "anna"), r.reads...)
	}
	b.deliver(func() { b.reply("greta", packet, "OK") })
	b.clock.advance(time.Hour + time.Second)
	for _, text := range []string{"one shot at Zog", "CLEAR", "READY", "CHECK\none shot at Zog"} {
		got := b.unchanged(text, func() { b.reply("anna", first, text) })
		says(t, text, only(t, text, got, "anna"), "Turn 1", "takes no more orders", "Turn 2 is open", "reply to the mail that opened it")
	}
	// The answer is a mail of turn 2: what answers it counts there.
	b.deliver(func() { b.reply("anna", b.with("anna", "the turn is closed"), "one shot at Zog") })
	b.disposed("an answer to the refusal", store.Acted, "orders")
	for _, text := range []string{"EXTEND 24h", "AS Zog: one shot at Bobo", "NOTE Late.", "CLOSE"} {
		got := b.unchanged(text, func() { b.reply("greta", gm, text) })
		says(t, text, only(t, text, got, "greta"), "Turn 1", "Turn 2 is open")
	}
}

// TestUnreadableLetters: a letter that is not safe to read is set aside, and a
// sender who would be answered is told why and what to do, but not without end.
func TestUnreadableLetters(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	n := 0
	letter := func(from, to, body string) []byte {
		n++
		return fmt.Appendf(nil, "From: %s@%s\r\nTo: %s\r\nSubject: orders\r\nMessage-ID: <u%d@x.test>\r\nMIME-Version: 1.0\r\n%s", from, testDomain, to, n, body)
	}
	var nest strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&nest, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	nested := nest.String() + "Content-Type: text/plain\r\n\r\ntwo shots at Zog\r\n"
	parts := "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\nContent-Type: text/plain\r\n\r\ntwo shots at Zog\r\n", 400) + "--b--\r\n"
	long := "Content-Type: text/plain\r\n\r\n" + strings.Repeat("two shots at Zog ", 70_000) + "\r\n"
	huge := "Content-Type: text/plain\r\n\r\ntwo shots at Zog\r\n" + strings.Repeat(strings.Repeat("x", 70)+"\r\n", maxLetter/72+10)

	told := []struct{ name, body, why string }{
		{"5,000 nested parts", nested, "parts within parts"},
		{"too many parts", parts, "more than 200 parts"},
		{"a line without end", long, "has a line of"},
		{"more than the limit", huge, "more than 10485760 bytes"},
	}
	for _, r := range told {
		got := b.unchanged(r.name, func() {
			b.raw("anna", arrival{auth: "none", to: anna.replyTo}, letter("anna", anna.replyTo, r.body))
		})
		delete(got, "mallory") // the operator hears of some
		says(t, r.name, only(t, r.name, got, "anna"), "could not be read", r.why, "Write what it said in a new letter", "Nothing has changed")
		b.disposed(r.name, store.Quarantined, r.why)
	}
	// One more is within the cap of answers; of the next is told that its answer waits.
	for i, want := range []int{1, 1, 0} {
		got := b.unchanged("many", func() { b.raw("anna", arrival{auth: "none", to: anna.replyTo}, letter("anna", anna.replyTo, long)) })
		if len(got["anna"]) != want {
			t.Fatalf("letter %d: %s", i, subjects(got))
		}
		b.disposed("many", store.Quarantined, "")
	}
	b.clock.advance(25 * time.Hour)
	b.crank()
	says(t, "the gathered answer", b.one("anna"), "answer to your last 2 letters", "could not be read")
	silent := []struct{ name, from, auth, to, why string }{
		{"a stranger's", "mallory", "none", ourAddress, store.Quarantined},
		{"a verified stranger's", "mallory", "pass", ourAddress, store.Quarantined},
	}
	for _, r := range silent {
		got := b.unchanged(r.name, func() { b.raw(r.from, arrival{auth: "none", to: r.to}, letter(r.from, r.to, nested)) })
		if len(got) > 0 {
			t.Errorf("%s: %s", r.name, subjects(got))
		}
		b.disposed(r.name, r.why, "parts within parts")
	}
	// Nobody vouches for it: its owner hears of it once a day.
	for i, want := range []int{1, 0} {
		got := b.unchanged("unproven", func() { b.raw("ben", arrival{auth: "none", to: ourAddress}, letter("ben", ourAddress, nested)) })
		if len(got["ben"]) != want {
			t.Fatalf("unproven, letter %d: %s", i, subjects(got))
		}
	}
	// A header that is not fit to be read says nothing about anybody.
	for name, raw := range map[string][]byte{
		"a header without end": append([]byte("From: anna@"+testDomain+"\r\n"), bytes.Repeat([]byte("X-Pad: "+strings.Repeat("y", 900)+"\r\n"), 400)...),
		"two senders":          []byte("From: anna@" + testDomain + "\r\nFrom: ben@" + testDomain + "\r\nTo: " + ourAddress + "\r\n\r\ntwo shots at Zog\r\n"),
		"no sender":            []byte("To: " + ourAddress + "\r\nSubject: x\r\n\r\ntwo shots at Zog\r\n"),
		"no letter at all":     []byte("\x00\xff\x00"),
		"nothing":              {},
	} {
		got := b.unchanged(name, func() { b.raw("anna", arrival{auth: "none", to: ourAddress}, raw) })
		if len(got) > 0 {
			t.Errorf("%s: %s", name, subjects(got))
		}
		b.disposed(name, store.Quarantined, "")
	}
}

// TestFogOfAnswers: two worlds that differ only in a foe whom nobody of the
// players can see give a player the same bytes, whatever he asks; and a hidden
// foe's name reads like a name that nobody has.
func TestFogOfAnswers(t *testing.T) {
	t.Parallel()
	with := monthlyGame(t)
	start := strings.Index(with, "# Behind the containers")
	if start < 0 {
		t.Fatal("the game has nobody hidden")
	}
	without := with[:start]
	texts := []string{
		"two shots at %s", "%s: two shots at Zog", "if %s comes within 10 m, shoot him", "CHECK\ntwo shots at %s",
		"\"%s, come out!\"", "two shots at Zog, then at %s", "STATUS", "HELP", "hide behind %s", "move to %s",
	}
	// play gives what Anna gets, with what differs from run to run left out.
	play := func(file, name string) []string {
		b := newBench(t, oneDatabase(t), benchOptions{file: file})
		anna := b.one("anna")
		out := []string{hideChance(anna.text)}
		for _, text := range texts {
			b.clock.advance(13 * time.Hour)
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, name)
			}
			got := b.deliver(func() { b.reply("anna", anna, text) })
			m := only(t, text, got, "anna")
			out = append(out, text+"\n"+hideChance(m.subject+"\n"+m.text+"\n"+m.html))
		}
		return out
	}
	hidden := play(with, "Rask")
	if d := cmp.Diff(hidden, play(without, "Rask")); d != "" {
		t.Errorf("a foe whom Bobo cannot see shows (with, without):\n%s", d)
	}
	invented := play(with, "Wusk")
	for i := range invented {
		invented[i] = strings.ReplaceAll(invented[i], "Wusk", "Rask")
	}
	if d := cmp.Diff(hidden, invented); d != "" {
		t.Errorf("a hidden name reads unlike an invented one (hidden, invented):\n%s", d)
	}
}

var (
	anyDigest     = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	anyInitiative = regexp.MustCompile(`(Initiative|Slots)(</td>\s*<td[^>]*>|\s+)[^<\n]*`)
)

// hideChance blanks what follows from the secret that each game draws anew: the
// digests of the dice, and the initiative told from them.
func hideChance(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\r' }), "")
	return anyInitiative.ReplaceAllString(anyDigest.ReplaceAllString(text, "DIGEST"), "$1 CHANCE")
}

// TestPausedTurnTakesOrders: no letter is late while the clock stands.
func TestPausedTurnTakesOrders(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	b.deliver(func() { b.reply("greta", b.with("greta", "the turn opens"), "PAUSE") })
	b.clock.advance(72 * time.Hour)
	got := b.deliver(func() { b.reply("anna", anna, "one shot at Zog") })
	says(t, "the receipt", only(t, "orders", got, "anna"), "Orders for Bobo received", "paused")
	if s := b.game(); s.Turn.State != game.Open || len(s.InForce()) != 1 {
		t.Fatalf("the turn is %s, %d orders in force", s.Turn.State, len(s.InForce()))
	}
}
