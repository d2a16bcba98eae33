package daemon

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// rowsWith counts the rows of all tables that hold a text, in any case, read by
// a connection of the test's own.
func (b *bench) rowsWith(text string) map[string]int {
	b.t.Helper()
	driver, dsn, query := "pgx", b.dsn, `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	if path, ok := strings.CutPrefix(b.dsn, "sqlite:"); ok {
		driver, dsn, query = "sqlite", "file:"+path, `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	each := func(query string, f func(values []string)) {
		rows, err := db.QueryContext(b.t.Context(), query)
		if err != nil {
			b.t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			b.t.Fatal(err)
		}
		for rows.Next() {
			raw := make([]any, len(columns))
			for i := range raw {
				raw[i] = new(any)
			}
			if err := rows.Scan(raw...); err != nil {
				b.t.Fatal(err)
			}
			var values []string
			for _, v := range raw {
				if x, ok := (*v.(*any)).([]byte); ok {
					values = append(values, string(x))
				} else {
					values = append(values, fmt.Sprint(*v.(*any)))
				}
			}
			f(values)
		}
		if err := rows.Err(); err != nil {
			b.t.Fatal(err)
		}
	}
	var tables []string
	each(query, func(v []string) { tables = append(tables, v[0]) })
	found := map[string]int{}
	for _, table := range tables {
		each(`SELECT * FROM "`+table+`"`, func(values []string) {
			if strings.Contains(strings.ToLower(strings.Join(values, "\n")), text) {
				found[table]++
			}
		})
	}
	return found
}

// recomputed drafts every turn again from what is stored and compares.
func (b *bench) recomputed() int {
	b.t.Helper()
	g, err := b.st.GameByName(b.t.Context(), "Dusk")
	if err != nil {
		b.t.Fatal(err)
	}
	n := 0
	err = b.st.Export(b.t.Context(), g.ID, func(s store.Snapshot) error {
		if s.Draft == nil {
			return nil
		}
		n++
		t, err := b.d.table(s)
		if err != nil {
			return err
		}
		a, _, err := b.d.attempt(t)
		if err != nil {
			return err
		}
		if a.Digest != s.Draft.Digest || !bytes.Equal(a.Events, s.Draft.Events) {
			b.t.Errorf("turn %d is drafted otherwise", s.Turn.N)
		}
		if lock := lockOf(s.Game, s.Turn.N, s.Roles, s.FirstFrozen); !bytes.Equal(lock, s.Turn.Lock) {
			b.t.Errorf("the lock of turn %d is another one", s.Turn.N)
		}
		return nil
	}, func(store.Mail) error { return nil })
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestForgottenPlayer plays a turn, forgets a player in the midst of the next,
// and goes on: nothing of the person is left, history recomputes, the game
// releases, and a letter from the address is a stranger's.
func TestForgottenPlayer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		play := func() {
			b.reply("anna", b.with("anna", "turn"), "Two shots at Zog.\n\n-- \nMy marmalade is a quincunx.")
			b.reply("ben", b.with("ben", "turn"), "One shot at Zog.\n\nOn Monday, anna@pbemd.localhost wrote:\n> marmalade, a quincunx", arrival{cc: "Anna@pbemd.localhost"})
			b.letter("anna", "quincunx", "", "How is my quincunx?", arrival{auth: "fail"})
			b.letter("anna", "Re: quincunx", "", "I have a quincunx of questions.", arrival{})
			b.crank()
		}
		play()
		b.clock.advance(14 * time.Hour)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 1"), "OK")
		b.crank()
		if s := b.game(); s.Turn.N != 2 {
			t.Fatalf("turn %d is %s", s.Turn.N, s.Turn.State)
		}
		play()
		if got := b.rowsWith("quincunx"); got["letter"] == 0 || b.rowsWith("anna@pbemd.localhost")["outbox"] == 0 {
			t.Fatalf("before: %v", got)
		}
		before := b.game()

		if _, err := b.d.Forget(t.Context(), "Anna@PBEMD.localhost", false); !errors.Is(err, ErrRunning) {
			t.Fatalf("a player of a running game: %v", err)
		}
		done, err := b.d.Forget(t.Context(), "Anna@PBEMD.localhost", true)
		if err != nil {
			t.Fatal(err)
		}
		if done.Letters < 6 || done.Texts != 2 || done.Mails < 4 || done.Others < 2 {
			t.Errorf("blanked: %+v", done)
		}
		for _, text := range []string{"quincunx", "anna@pbemd.localhost", "name = \"anna\""} {
			got := b.rowsWith(text)
			if len(got) > 0 {
				t.Errorf("%q stands in %v", text, got)
			}
		}
		if n := b.recomputed(); n != 1 {
			t.Errorf("%d turns recomputed", n)
		}
		s := b.game()
		if s.Roles[1].Address != "forgotten-1@invalid" || s.Roles[1].Name != "forgotten-1" || len(s.InForce()) != len(before.InForce()) {
			t.Errorf("role %+v, %d orders in force", s.Roles[1], len(s.InForce()))
		}

		// The game goes on: READY of the others closes nothing, the deadline does.
		b.inbox("anna")
		b.clock.advance(24 * time.Hour)
		b.crank()
		packet := b.with("greta", "turn 2")
		contains(t, "the packet", packet.text, "Bobo", "fire")
		b.reply("greta", packet, "OK")
		b.crank()
		if s := b.game(); s.Turn.N != 3 {
			t.Fatalf("turn %d is %s: %s", s.Turn.N, s.Turn.State, s.Turn.Why)
		}
		contains(t, "Ben's report", b.with("ben", "turn 2").text, "leaf anna", "lock")
		b.none("anna")
		b.reply("anna", b.with("anna", "turn 2"), "Three shots at Zog.")
		b.crank()
		if s := b.game(); len(s.Revisions) != 0 {
			t.Errorf("orders from the forgotten address: %+v", s.Revisions)
		}
		b.read["anna"] = 0
		all := b.inbox("anna")
		contains(t, "the answer", all[len(all)-1].text, "anna@pbemd.localhost")
		if l := b.lastLetter(); l.Role != 0 || l.Disposition != store.Answered {
			t.Errorf("the letter ended as %q with role %d", l.Disposition, l.Role)
		}
		if n := b.recomputed(); n != 2 {
			t.Errorf("%d turns recomputed", n)
		}

		// The part goes to somebody else.
		text := strings.NewReplacer("forgotten-1@invalid", "mallory@pbemd.localhost", `"forgotten-1"`, `"Mallory"`).Replace(b.game().Game.File)
		e, faults, err := b.d.PlanEdit(t.Context(), "new.toml", []byte(text))
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		if err := b.d.ApplyEdit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		b.crank()
		b.reply("mallory", b.with("mallory", "the turn opens"), "One shot at Zog.")
		b.crank()
		if s := b.game(); len(s.InForce()) != 1 {
			t.Errorf("orders of the new player: %+v", s.Revisions)
		}
	})
}

// TestForgottenDuringReview: a draft that waits for its OK is released, and
// REOPEN finds the orders that were in force.
func TestForgottenDuringReview(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.reply("anna", b.one("anna"), "Two shots at Zog.")
		b.crank()
		b.clock.advance(24 * time.Hour)
		b.crank()
		if _, err := b.d.Forget(t.Context(), "anna@pbemd.localhost", true); err != nil {
			t.Fatal(err)
		}
		b.reply("greta", b.with("greta", "attempt 1"), "REOPEN 24h")
		b.crank()
		if s := b.game(); s.Turn.State != game.Open || len(s.InForce()) != 1 {
			t.Fatalf("the turn is %s with %d orders", s.Turn.State, len(s.InForce()))
		}
		b.clock.advance(25 * time.Hour)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 2"), "OK")
		b.crank()
		if s := b.game(); s.Turn.N != 2 {
			t.Errorf("turn %d is %s", s.Turn.N, s.Turn.State)
		}
		contains(t, "Ben's report", b.with("ben", "turn 1").text, "leaf anna", "reopened")
	})
}

// TestForgottenMeetsARelease: a release that was rendered for the person before
// is rendered again and writes to nobody at the old address.
func TestForgottenMeetsARelease(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.clock.advance(24 * time.Hour)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 1"), "OK")
		n := &noticed{}
		slow := b.another(n.wrap(), nil)
		for _, w := range b.fetch() {
			if err := b.d.ingest(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		n.load.arm(func() {
			if _, err := b.d.Forget(t.Context(), "anna@pbemd.localhost", true); err != nil {
				t.Error(err)
			}
		})
		for _, w := range b.due(workRelease) {
			if err := slow.releaseTurn(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.game(); s.Turn.State != game.Approved {
			t.Fatalf("turn %d is %s", s.Turn.N, s.Turn.State)
		}
		b.inbox("anna")
		b.crank()
		if s := b.game(); s.Turn.N != 2 {
			t.Fatalf("turn %d is %s", s.Turn.N, s.Turn.State)
		}
		b.none("anna")
		if got := b.rowsWith("anna@pbemd.localhost"); len(got) > 0 {
			t.Errorf("the address stands in %v", got)
		}
	})
}

// TestForgottenGM and strangers; and who cannot be forgotten.
func TestForgottenOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.letter("carla", "hello", "", "Who are you, quincunx?", arrival{from: "stranger@elsewhere.example", auth: "pass"})
	b.crank()
	if got := b.rowsWith("stranger@elsewhere.example"); got["letter"] != 1 || got["outbox"] != 1 {
		t.Fatalf("a stranger stands in %v", got)
	}
	if _, err := b.d.Forget(t.Context(), "stranger@elsewhere.example", false); err != nil {
		t.Fatal(err)
	}
	if got := b.rowsWith("stranger@elsewhere.example"); len(got) > 0 {
		t.Errorf("a stranger stands in %v", got)
	}
	if got := b.rowsWith("quincunx"); len(got) > 0 {
		t.Errorf("his words stand in %v", got)
	}
	if _, err := b.d.Forget(t.Context(), "greta@pbemd.localhost", true); err != nil {
		t.Fatal(err)
	}
	if gm, ok := (&table{Snapshot: b.game()}).gm(); !ok || gm.Address != "forgotten-1@invalid" {
		t.Errorf("the GM is %+v", gm)
	}
	for _, ours := range []string{ourAddress, "pbem+x@" + testDomain, "Mallory@" + testDomain} {
		if _, err := b.d.Forget(t.Context(), ours, true); !errors.Is(err, ErrOurs) {
			t.Errorf("%s: %v", ours, err)
		}
	}
	if _, err := b.d.Forget(t.Context(), "nobody", true); err == nil {
		t.Error("what is no address was forgotten")
	}
	if _, err := b.d.Forget(t.Context(), "nobody@example.org", false); err != nil {
		t.Error("somebody unknown:", err)
	}
}

// TestFileWithoutPerson: only the person's name and address change, however the
// file is written.
func TestFileWithoutPerson(t *testing.T) {
	t.Parallel()
	const in = "forgotten-1@invalid"
	for name, tt := range map[string]struct {
		change []string
		addr   string
		named  bool
		lines  []string
	}{
		"a player": {nil, "anna@pbemd.localhost", true, []string{`name = "forgotten-1"`, `address = "forgotten-1@invalid"`, `name = "Ben"`, `name = "Bobo"`}},
		"the GM":   {nil, "greta@pbemd.localhost", true, []string{`name = "forgotten-1"`, `name = "Anna"`}},
		"named like a figure": {[]string{`name = "Anna"`, `name = 'Bobo' # she`, `address = "anna@`, `address = "ANNA@`}, "anna@pbemd.localhost", true,
			[]string{`name = "forgotten-1" # she`, `name = "Bobo"`}},
		"an inline GM": {[]string{"[gm]\nname = \"Greta\"\naddress = \"greta@pbemd.localhost\"", "[gm]\n\"name\" = \"Greta\"\naddress = \"greta@pbemd.localhost\""}, "greta@pbemd.localhost", false,
			[]string{`"name" = "Greta"`, `address = "forgotten-1@invalid"`}},
		"another domain": {[]string{"anna@pbemd.localhost", "anna@bücher.example"}, "anna@xn--bcher-kva.example", true, []string{`address = "forgotten-1@invalid"`}},
		"in the opening": {[]string{"The last freighter", "Write to anna@pbemd.localhost."}, "anna@pbemd.localhost", true, []string{"Write to forgotten-1@invalid."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := string(changed(t, tt.change...))
			text, named, err := withoutPerson(store.Game{Name: "Dusk", File: file}, tt.addr, in)
			if err != nil || named != tt.named {
				t.Fatalf("named %v, %v", named, err)
			}
			contains(t, "the file", text, tt.lines...)
			if store.HasAddress(text, tt.addr) || strings.Count(text, "\n") != strings.Count(file, "\n") {
				t.Errorf("the file is\n%s", text)
			}
		})
	}
	hidden := string(changed(t, `"anna@pbemd.localhost"`, `"anna\u0040pbemd.localhost"`))
	if _, _, err := withoutPerson(store.Game{Name: "Dusk", File: hidden}, "anna@pbemd.localhost", in); err == nil || !strings.Contains(err.Error(), "game edit") {
		t.Errorf("an address in escapes: %v", err)
	}
	if text, named, err := withoutPerson(store.Game{Name: "Dusk", File: "old = anna@x.example"}, "anna@x.example", in); err != nil || named || text != "old = "+in {
		t.Errorf("a file of an older program: %q, %v, %v", text, named, err)
	}
}
