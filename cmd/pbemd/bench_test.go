package main

import (
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// The benchmarks run the whole House. Without the variables below they are so
// small that they only show that they work; scripts/bench gives figures.
const (
	benchLetters = "PBEMD_BENCH_LETTERS" // order mails of BenchmarkMailbox
	benchGames   = "PBEMD_BENCH_GAMES"   // open games of BenchmarkGames
	benchIdle    = "PBEMD_BENCH_IDLE"    // how long they are idle
)

func benchSize(b *testing.B, name string, small int) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return small
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("%s=%q is not a number above 0", name, text)
	}
	return n
}

// onDatabases runs a benchmark on SQLite, and on PostgreSQL where the
// environment names one.
func onDatabases(b *testing.B, f func(b *testing.B, dsn string)) {
	b.Run("sqlite", func(b *testing.B) {
		for b.Loop() {
			f(b, "sqlite:"+filepath.Join(b.TempDir(), "pbemd.db"))
		}
	})
	if os.Getenv(pgtest.Env) == "" {
		return
	}
	b.Run("postgres", func(b *testing.B) {
		for b.Loop() {
			f(b, pgtest.DSN(b))
		}
	})
}

// benchHouse opens a House on a migrated database, with a log of warnings.
func benchHouse(b *testing.B, c Config, tune func(*House)) *House {
	b.Helper()
	c.defaults()
	log, err := os.OpenFile(filepath.Join(c.Data, "log.txt"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	h := &House{Config: c, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	st, err := h.openStore(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if err := st.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	if tune != nil {
		tune(h)
	}
	if err := h.Open(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && len(text) > 0 {
			b.Logf("the log begins:\n%.4000s", text)
		}
	})
	return h
}

func closeHouse(b *testing.B, h *House) {
	b.Helper()
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
}

// benchDB is the database of a House, past its store: to set the stage and to
// count.
type benchDB struct {
	b *testing.B
	*sql.DB
	postgres bool
}

func openDB(b *testing.B, dsn string) benchDB {
	b.Helper()
	driver := "pgx"
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		// As safe as the store's own connections.
		q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(30000)", "journal_mode(WAL)", "synchronous(FULL)"}}
		driver, dsn = "sqlite", "file:"+path+"?"+q.Encode()
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return benchDB{b, db, driver == "pgx"}
}

func (db benchDB) exec(query string, args ...any) {
	db.b.Helper()
	if _, err := db.ExecContext(db.b.Context(), query, args...); err != nil {
		db.b.Fatalf("%s: %v", query, err)
	}
}

func (db benchDB) count(query string, args ...any) (n int) {
	db.b.Helper()
	if err := db.QueryRowContext(db.b.Context(), query, args...).Scan(&n); err != nil {
		db.b.Fatalf("%s: %v", query, err)
	}
	return n
}

// makeGames creates games g1 to gN as an operator would, and gives their first
// mails for sent: what is measured comes after them.
func makeGames(b *testing.B, h *House, db benchDB, n, players int, address func(game, player int) string) {
	b.Helper()
	for g := range n {
		_, faults, err := h.Daemon.CreateGame(b.Context(), "bench.toml", benchGame(g+1, players, address))
		if err != nil || len(faults) > 0 {
			b.Fatal("creating a game:", faults, err)
		}
	}
	db.exec(`UPDATE outbox SET state = 'sent', sent_at = created_at, tries = 1`)
	db.exec(`DELETE FROM river_job WHERE args->>'do' = 'send'`)
	db.analyze()
}

// analyze does what autovacuum does for tables that grew over weeks.
func (db benchDB) analyze() {
	if db.postgres {
		db.exec(`ANALYZE`)
	}
}

// gameName is the short name of a game of benchGame.
func gameName(game int) string { return fmt.Sprintf("g%d", game) }

// benchGame is the file of a game with so many players and three foes, whose
// turns last a day or more. The GM is player 0.
func benchGame(game, players int, address func(game, player int) string) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, `[game]
name = "%s"
title = "Dusk at the loading dock"
system = "star-frontiers"
units = "m"
scale_m = 2.0
grid = { width = 20, height = 14 }
opening = "The last freighter has gone, and the sodium lamps over the loading dock flicker on one by one."
[clock]
zone = "Europe/Berlin"
schedule = "0 20 * * *"
min_turn = "48h"
grace = "1s"
[gm]
name = "Greta"
address = "%s"
[[feature]]
id = "near_crates"
name = "the near crates"
kind = "crate"
squares = ["E4", "E5"]
[[feature]]
id = "far_crates"
name = "the far crates"
kind = "crate"
squares = ["M8:M9"]
`, gameName(game), address(game, 0))
	fighter := func(id, name, who, place, facing string) {
		fmt.Fprintf(&s, `[[combatant]]
id = "%s"
name = "%s"
%s
race = "Human"
description = "somebody in a flight jacket"
place = "%s"
facing = "%s"
str = 45
sta = 45
dex = 55
rs = 60
int = 45
log = 45
per = 45
ldr = 45
skills = { projectile = 2 }
[[combatant.weapon]]
id = "%[1]s-pistol"
kind = "automatic_pistol"
name = "automatic pistol"
state = "in_hand"
rounds = 20
`, id, name, who, place, facing)
	}
	for p := 1; p <= players; p++ {
		fmt.Fprintf(&s, "[[player]]\nid = \"p%d\"\nname = \"Player %[1]d\"\naddress = \"%[2]s\"\n", p, address(game, p))
		fighter(fmt.Sprintf("hero%d", p), heroes[p-1], fmt.Sprintf("player = \"p%d\"\nside = \"heroes\"", p), fmt.Sprintf("B%d", 2*p), "E")
	}
	for i, foe := range []string{"Zog", "Kira", "Rask"} {
		fighter(strings.ToLower(foe), foe, "side = \"smugglers\"\npolicy = \"aggressive\"", fmt.Sprintf("Q%d", 4+2*i), "W")
	}
	return []byte(s.String())
}

var heroes = []string{"Bobo", "Chirik", "Mira", "Tarn", "Ella"}

// use is what a process has used of the machine.
type use struct {
	cpu time.Duration // user and system
	rss int64         // bytes resident
}

func used(b *testing.B) use {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return use{cpu: time.Duration(r.Utime.Nano() + r.Stime.Nano()), rss: pages * int64(os.Getpagesize())}
}
