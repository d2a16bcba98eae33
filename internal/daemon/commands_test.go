package daemon

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

var update = flag.Bool("update", false, "write the README's table of commands anew")

// TestCommandTable: every row is whole, and each word stands in it once.
func TestCommandTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, row := range slices.Concat(commands(), rulingWords(nil, game.Clock{})) {
		if row.Word == "" || row.Example == "" || row.Help == "" || len(row.Who) == 0 || seen[row.Word] {
			t.Errorf("row %+v", row)
		}
		seen[row.Word] = true
	}
}

// TestHelpListsTheTable: HELP shows each role exactly the rows that it has.
func TestHelpListsTheTable(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	for user, kind := range map[string]string{"anna": rolePlayer, "greta": roleGM} {
		got := b.unchanged("HELP", func() { b.reply(user, b.with(user, "the turn opens"), "HELP") })
		m := only(t, "HELP", got, user)
		for _, row := range slices.Concat(commands(), rulingWords(nil, game.Clock{})) {
			// In the HTML a row's example stands alone in its cell.
			shown := strings.Contains(m.html, ">"+strings.ReplaceAll(row.Example, "+", "&#43;")+"<")
			if want := slices.Contains(row.Who, kind); shown != want {
				t.Errorf("HELP for the %s shows %q: %v, want %v", kind, row.Example, shown, want)
			}
		}
	}
}

// TestHelpNamesNoRulingThatTheSystemHasNot: HELP and the packet offer a GM only what
// a ruling of his game's system may say.
func TestHelpNamesNoRulingThatTheSystemHasNot(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{noGame: true})
	b.create(dailyExample(t, "Bridge"))
	help := only(t, "HELP", b.unchanged("HELP", func() { b.reply("greta", b.with("greta", "the turn opens"), "HELP") }), "greta")
	b.at(utc(3, 2, 19, 5))
	for _, m := range []mailIn{help, b.with("greta", "attempt 1")} {
		says(t, m.subject, m, "EVENT 7", "TURN ", "E4 ")
		for _, word := range []string{"STA ", "SMOKE", "SLOT", "sequence", "crit_rules", "COVER hard"} {
			if strings.Contains(m.text, word) {
				t.Errorf("%s offers %s:\n%s", m.subject, word, m.text)
			}
		}
	}
}

// TestRights gives every word of the table by those who do not have it, in each
// state of a turn, and by those who have it where the state forbids it: nothing
// changes, and the answer says so.
func TestRights(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	inState := func(state game.State) {
		opened := map[string]mailIn{"anna": b.with("anna", "the turn opens"), "greta": b.with("greta", "the turn opens")}
		if state == game.Review {
			opened["greta"] = b.with("greta", "attempt 1")
		}
		for _, row := range slices.Concat(commands(), rulingWords(nil, game.Clock{})) {
			for user, kind := range map[string]string{"anna": rolePlayer, "greta": roleGM} {
				has := slices.Contains(row.Who, kind)
				if has && (row.in(state) || row.run == nil) {
					continue // TestCommandsWork and the tests of each command
				}
				name := fmt.Sprintf("%s by the %s while %s", row.Example, kind, state)
				b.clock.advance(75 * time.Minute)
				got := b.unchanged(name, func() { b.reply(user, opened[user], row.Example) })
				delete(got, map[string]string{"anna": "greta", "greta": "anna"}[user]) // nudges go by
				m := got[user]
				if len(m) == 0 {
					t.Errorf("%s: no answer", name)
					continue
				}
				if !has {
					flat := m[0].subject + m[0].text
					if !slices.ContainsFunc([]string{"Nothing changed", "Nothing has changed", "No orders were found", "was closed when"}, func(s string) bool { return strings.Contains(flat, s) }) {
						t.Errorf("%s: the answer does not say that nothing was done:\n%s", name, flat)
					}
					continue
				}
				says(t, name, m[0], "Not done: "+row.Word, row.Word+" counts while it is", "STATUS", "Nothing has changed")
			}
		}
	}
	inState(game.Open)
	b.deliver(func() { b.reply("greta", b.with("greta", "the turn opens"), "CLOSE") })
	b.clock.advance(time.Second)
	b.crank()
	if s := b.game().Turn.State; s != game.Review {
		t.Fatalf("the turn is %s", s)
	}
	inState(game.Review)
}

// TestReadmeCommands keeps the README's tables equal to the table of commands.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	const file = "../../README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	begin := strings.Index(text, "<!-- commands:")
	end := strings.Index(text, "<!-- end of commands -->")
	if begin < 0 || end < begin {
		t.Fatalf("%s has no block for the commands", file)
	}
	begin += strings.IndexByte(text[begin:], '\n') + 1
	want := readmeCommands()
	if text[begin:end] == want {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the table of commands; run go test ./internal/daemon -run TestReadmeCommands -update. It should be:\n%s", file, want)
	}
	if err := os.WriteFile(file, []byte(text[:begin]+want+text[end:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readmeCommands are the tables of the README, one a reader.
func readmeCommands() string {
	var b strings.Builder
	table := func(title string, rows []command, has func(command) bool) {
		fmt.Fprintf(&b, "\n%s\n\n| Write | It does |\n|---|---|\n", title)
		for _, row := range rows {
			if has(row) {
				fmt.Fprintf(&b, "| `%s` | %s |\n", row.Example, row.Help)
			}
		}
	}
	only := func(kinds ...string) func(command) bool {
		return func(c command) bool { return slices.Equal(c.Who, kinds) }
	}
	table("Everybody:", commands(), only(anybody...))
	table("Players:", commands(), only(player...))
	table("The GM:", commands(), only(master...))
	table("The GM, as lines of one letter:", rulingWords(nil, game.Clock{}), only(master...))
	b.WriteString("\n")
	return b.String()
}
