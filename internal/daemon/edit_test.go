package daemon

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// changed is the daily game with texts replaced, by pairs.
func changed(t *testing.T, pairs ...string) []byte {
	t.Helper()
	s := dailyGame(t)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			t.Fatalf("the game file has no %q", pairs[i])
		}
		s = strings.Replace(s, pairs[i], pairs[i+1], 1)
	}
	return []byte(s)
}

// TestEditRefusesTheWorld: what lives in the world is refused, each with its
// line, key and what can be done instead; and nothing is stored.
func TestEditRefusesTheWorld(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	for name, tt := range map[string]struct {
		pairs []string
		key   string
		line  bool
		says  string
	}{
		"a figure":          {[]string{"sta = 55", "sta = 60"}, "combatant[bobo].sta", true, "it was 55 and is 60"},
		"a weapon":          {[]string{"rounds = 20", "rounds = 40"}, "combatant[bobo].weapon[bobo-pistol]", true, "rounds"},
		"a place":           {[]string{`place = "C6"`, `place = "C7"`}, "combatant[bobo].place", true, "BOBO STA 12"},
		"whose it is":       {[]string{`player = "anna" # leave`, `player = "ben" # leave`, `player = "ben"` + "\nside = \"heroes\"\nrace = \"Vrusk\"", `player = "anna"` + "\nside = \"heroes\"\nrace = \"Vrusk\""}, "combatant[bobo].player", true, "name and address of its player"},
		"the map":           {[]string{`squares = ["J1:J4"]`, `squares = ["J1:J5"]`}, "feature[wall].feature", false, "E4 TERRAIN wall"},
		"the scale":         {[]string{"scale_m = 2.0", "scale_m = 3.0"}, "game.scale", true, "cannot become"},
		"the grid":          {[]string{"width = 20", "width = 21"}, "game.grid", true, "20 by 14"},
		"rounds":            {[]string{"rounds = 1 ", "rounds = 2 "}, "game.rounds", true, "cannot become 2"},
		"the rules":         {[]string{"# The map.", "[settings]\n\"initiative.ties\" = \"x\"\n# The map."}, "settings.initiative.ties", true, "it was not there"},
		"a new player":      {[]string{"[[player]]\nid = \"ben\"", "[[player]]\nid = \"dora\"\nname = \"D\"\naddress = \"d@example.org\"\n[[player]]\nid = \"ben\"", "[[combatant]]\nid = \"zog\"", "[[combatant]]\nid = \"doris\"\nname = \"Doris\"\nplayer = \"dora\"\nside = \"heroes\"\nrace = \"Human\"\nplace = \"A1\"\nstr = 45\nsta = 45\ndex = 55\nrs = 60\nint = 45\nlog = 40\nper = 40\nldr = 50\n[[combatant]]\nid = \"zog\""}, "player[dora]", true, "cannot join"},
		"another id":        {[]string{`id = "anna"`, `id = "anne"`, `player = "anna"`, `player = "anne"`}, "player[anna]", false, "keep the id"},
		"our own address":   {[]string{"anna@", "pbem@"}, "player[anna].address", true, "cannot be a person's address"},
		"a mail system's":   {[]string{"anna@", "postmaster@"}, "player[anna].address", true, "bounces"},
		"a schedule":        {[]string{`schedule = "0 20 * * *"`, `schedule = "@every 1h"`}, "clock.schedule", true, ""},
		"one address twice": {[]string{"anna@pbemd.localhost", "x@bücher.example", "ben@pbemd.localhost", "x@xn--bcher-kva.example"}, "player[ben].address", false, "already"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, tt.pairs...))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				if f.Key == tt.key && strings.Contains(f.Text, tt.says) && (f.Line > 0 || !tt.line) && f.File == "new.toml" {
					return
				}
			}
			t.Errorf("no fault at %s that says %q: %v", tt.key, tt.says, faults)
		})
	}
	if s := b.game(); s.Game.File != dailyGame(t) || s.Turn.Seq != 0 {
		t.Error("a refused edit changed something")
	}
	_, _, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, `name = "Dusk"`, `name = "Dawn"`))
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another name: %v", err)
	}
}

// TestEditIsTakenBySharingProcesses: another process that serves the game takes
// the new file with its next look at it; the open turn keeps its deadline, the
// next one follows the new schedule.
func TestEditIsTakenBySharingProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		other := b.another(nil, nil)
		text := changed(t, `title = "Dusk at the loading dock"`, `title = "Night at the dock"`, `schedule = "0 20 * * *"`, `schedule = "0 9 * * *"`,
			`grace = "5m"`, `grace = "1h"`, `remind = "6h"`, `remind = "2h"`, "early_close = true", "early_close = false", `proof = "verified"`, `proof = "token"`,
			"The last freighter", "The first freighter", `zone = "Europe/London"`, `zone = "Asia/Tokyo"`, `name = "Carla"`, `name = "Carlotta"`)
		before := b.game()
		e, faults, err := other.PlanEdit(t.Context(), "new.toml", text)
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		contains(t, "the changes", strings.Join(e.Changes, "\n"), `title is "Night at the dock"`, "nobody who plays already", "single-use token",
			`clock.schedule: turns end at "0 9 * * *"`, "from turn 2 on", "clock.grace", "in turn 1 too", "reminded 2h0m0s", "clock.early_close",
			"deadline of turn 1 stays Mon 2 Mar 2026 20:00", "player[ben].zone", "Asia/Tokyo", "Carlotta instead of Carla")
		if len(e.Moved) != 0 {
			t.Errorf("moved %v", e.Moved)
		}
		if b.game().Game.File != before.Game.File {
			t.Fatal("a planned edit was stored")
		}
		if err := other.ApplyEdit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if err := other.ApplyEdit(t.Context(), e); !errors.Is(err, store.ErrOtherFile) {
			t.Errorf("the same edit again: %v", err)
		}
		s := b.game()
		tb, err := b.d.table(s)
		if err != nil {
			t.Fatal(err)
		}
		if tb.grace() != time.Hour || tb.file.Clock.EarlyClose || tb.file.GMProof != "token" || tb.Game.Title != "Night at the dock" {
			t.Errorf("the other process plays by %+v", tb.file.Clock)
		}
		if !s.Turn.DeadlineAt.Equal(before.Turn.DeadlineAt) || s.Roles[3].Name != "Carlotta" || s.Roles[2].Zone != "Asia/Tokyo" {
			t.Errorf("turn %+v, roles %+v", s.Turn, s.Roles)
		}
		for _, who := range []string{"anna", "ben", "carla", "greta"} {
			b.read[who] = 0
			b.inbox(who)
		}
		b.clock.set(before.Turn.DeadlineAt.Add(59 * time.Minute))
		b.crank()
		if got := b.game().Turn.State; got != game.Open {
			t.Fatalf("the turn is %s within the new grace", got)
		}
		b.clock.advance(time.Minute)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 1"), "OK")
		b.crank()
		s = b.game()
		if want := time.Date(2026, 3, 3, 8, 0, 0, 0, time.UTC); s.Turn.N != 2 || !s.Turn.DeadlineAt.Equal(want) {
			t.Errorf("turn %d closes %v, want %v", s.Turn.N, s.Turn.DeadlineAt, want)
		}
	})
}

// TestEditDuringResolveMakesOneAttemptOfOneFile: a draft that was begun with the
// old file is not stored.
func TestEditDuringResolveMakesOneAttemptOfOneFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.clock.advance(24 * time.Hour)
		n := &noticed{}
		slow := b.another(n.wrap(), nil)
		b.fetch()
		for _, w := range b.due(workClose) {
			if err := b.d.closeTurn(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		e, faults, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, "loading dock", "fuel depot"))
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		edited := false
		n.resolve = func(resolve.Input) {
			if !edited {
				edited = true
				if err := b.d.ApplyEdit(t.Context(), e); err != nil {
					t.Error(err)
				}
			}
		}
		work := b.due(workResolve)
		if len(work) != 1 {
			t.Fatalf("to be resolved: %v", work)
		}
		if err := slow.resolveTurn(t.Context(), work[0]); err != nil {
			t.Fatal(err)
		}
		if s := b.game(); !edited || s.Turn.State != game.Closed || s.Turn.Attempt != 0 {
			t.Fatalf("after the edit the turn is %s with attempt %d", s.Turn.State, s.Turn.Attempt)
		}
		b.crank()
		if s := b.game(); s.Turn.State != game.Review || s.Turn.Attempt != 1 {
			t.Errorf("the turn is %s with attempt %d", s.Turn.State, s.Turn.Attempt)
		}
	})
}

// TestMovedPlayer: from another address on, the old one is a stranger's and its
// tokens are void; the new one is written to and can order at once.
func TestMovedPlayer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		anna := b.one("anna")
		b.reply("anna", anna, "Two shots at Zog.")
		b.crank()
		b.one("anna")
		e, faults, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, "anna@", "Mallory@"))
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		contains(t, "the changes", strings.Join(e.Changes, "\n"), "mallory@pbemd.localhost instead of anna@pbemd.localhost", "are void", "Orders in force stay")
		if diff := cmp.Diff([]string{"mallory@pbemd.localhost"}, e.Moved); diff != "" {
			t.Error(diff)
		}
		if err := b.d.ApplyEdit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		b.crank()
		b.none("anna")
		fresh := b.one("mallory")
		contains(t, "the mail to the new address", fresh.text, "Bobo", "the turn opens")
		b.reply("anna", anna, "Three shots at Zog.")
		b.crank()
		if n := len(b.game().Revisions); n != 1 {
			t.Errorf("%d revisions after a letter from the old address", n)
		}
		b.reply("mallory", fresh, "One shot at Zog.")
		b.crank()
		contains(t, "the receipt", b.one("mallory").subject, "received")
		s := b.game()
		if len(s.Revisions) != 2 || len(s.InForce()) != 1 {
			t.Errorf("%d revisions, %d in force", len(s.Revisions), len(s.InForce()))
		}
	})
}

// TestMovedGM: a GM who moves while a packet waits gets it at the new address,
// and his OK from there releases.
func TestMovedGM(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.clock.advance(24 * time.Hour)
	b.crank()
	old := b.with("greta", "attempt 1")
	e, faults, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, "greta@", "mallory@", `name = "Greta"`, `name = "Mallory"`))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if err := b.d.ApplyEdit(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	b.crank()
	b.reply("greta", old, "OK")
	b.crank()
	if s := b.game(); s.Turn.State != game.Review {
		t.Fatalf("the old GM's OK: the turn is %s", s.Turn.State)
	}
	b.reply("mallory", b.with("mallory", "attempt 1"), "OK")
	b.crank()
	if s := b.game(); s.Turn.N != 2 {
		t.Errorf("the new GM's OK: turn %d is %s", s.Turn.N, s.Turn.State)
	}
}
