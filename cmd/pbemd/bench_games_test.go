package main

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store"
)

// BenchmarkGames keeps many open games: first idle, with their deadlines far
// away, then all due at one instant. Mail goes by the embedded post office.
func BenchmarkGames(b *testing.B) {
	n := benchSize(b, benchGames, 50)
	idle := time.Duration(benchSize(b, benchIdle, 2)) * time.Second
	onDatabases(b, func(b *testing.B, dsn string) {
		g := newGamesBench(b, dsn, n)
		h := benchHouse(b, g.config, func(h *House) { h.Step = g.step })
		debug.FreeOSMemory()
		if err := h.Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
		cpu, rss := g.idle(idle)
		due := g.due()
		peak := used(b).rss
		closeHouse(b, h)

		b.ReportMetric(g.made, "created/s")
		b.ReportMetric(g.copied, "copied/s")
		b.ReportMetric(cpu.Seconds()*float64(time.Minute)/float64(idle), "idle-cpu-s/min")
		b.ReportMetric(float64(rss)/(1<<20), "idle-MiB")
		b.ReportMetric(due.drafts, "drafts/s")
		b.ReportMetric(due.took.Seconds(), "all-drafted-s")
		b.ReportMetric(due.first.Seconds(), "first-draft-s")
		b.ReportMetric(float64(due.cpu.Microseconds())/1000/float64(n), "cpu-ms/draft")
		b.ReportMetric(float64(peak)/(1<<20), "due-MiB")
		b.ReportMetric(0, "ns/op")
	})
}

type gamesBench struct {
	b      *testing.B
	n      int
	db     benchDB
	config Config
	made   float64 // games created a second
	copied float64 // games copied a second

	drafts      atomic.Int64
	first, last chan time.Time // when the first and the last packet were queued
}

func (g *gamesBench) step(name string) {
	if name != "packet-queued" {
		return
	}
	switch g.drafts.Add(1) {
	case int64(g.n):
		g.last <- time.Now()
	case 1:
		g.first <- time.Now()
	}
}

// realGames is how many games are created as an operator would; all others are
// copies of the first, because drawing the maps of thousands takes half an hour.
const realGames = 25

func newGamesBench(b *testing.B, dsn string, n int) *gamesBench {
	b.Helper()
	dir := b.TempDir()
	g := &gamesBench{b: b, n: n, first: make(chan time.Time, 1), last: make(chan time.Time, 1), config: Config{Data: dir, Database: DatabaseConfig{URL: dsn},
		Post: PostConfig{SMTP: "127.0.0.1:0", IMAP: "127.0.0.1:0"}, Mail: MailConfig{TokenKeyFile: filepath.Join(dir, "token.keys")}}}
	h := benchHouse(b, g.config, nil)
	if _, _, err := h.AddAccount("greta@pbemd.localhost"); err != nil {
		b.Fatal(err)
	}
	g.db = openDB(b, dsn)
	const players = 3
	address := func(game, player int) string {
		if player == 0 {
			return "greta@pbemd.localhost"
		}
		return fmt.Sprintf("g%dp%d@pbemd.localhost", game, player)
	}
	real := min(n, realGames)
	start := time.Now()
	makeGames(b, h, g.db, real, players, address)
	g.made = float64(real) / time.Since(start).Seconds()
	closeHouse(b, h)
	if n > real {
		start = time.Now()
		copyGames(b, g.db, real+1, n, players, address)
		g.copied = float64(n-real) / time.Since(start).Seconds()
		g.db.analyze()
	}
	return g
}

// idle is what the daemon uses while nothing happens.
func (g *gamesBench) idle(span time.Duration) (cpu time.Duration, rss int64) {
	time.Sleep(span / 4) // starting is over
	before := used(g.b)
	time.Sleep(span)
	after := used(g.b)
	return after.cpu - before.cpu, after.rss
}

type dueBench struct {
	drafts      float64       // a second, from the end of the grace
	first, took time.Duration // after the end of the grace
	cpu         time.Duration
}

// due moves all deadlines to one instant and waits until a packet is queued for
// each game's GM.
func (g *gamesBench) due() (out dueBench) {
	const ahead, grace = 5 * time.Second, time.Second
	at := time.Now().Add(ahead)
	// No letter moves the deadlines of all games; what a deadline consists of is
	// moved here: the row and its job.
	g.db.exec(`UPDATE turn SET deadline_at = $1, woken_at = $1, remind_at = NULL`, store.Time(at))
	g.db.exec(`DELETE FROM river_job WHERE args->>'do' = 'remind'`)
	var when any = at.UTC()
	if !g.db.postgres {
		when = at.UTC().Format("2006-01-02 15:04:05.000")
	}
	g.db.exec(`UPDATE river_job SET scheduled_at = $1 WHERE args->>'do' = 'close'`, when)
	time.Sleep(time.Until(at.Add(grace)))
	before, start := used(g.b), time.Now()
	select {
	case end := <-g.last:
		out.took = end.Sub(start)
	case <-time.After(time.Minute + time.Duration(g.n)*300*time.Millisecond):
		g.b.Fatalf("%d of %d games are drafted", g.drafts.Load(), g.n)
	}
	out.cpu = used(g.b).cpu - before.cpu
	if g.n > 1 {
		out.first = (<-g.first).Sub(start)
	}
	out.drafts = float64(g.n) / out.took.Seconds()
	if got := g.db.count(`SELECT COUNT(DISTINCT game) FROM outbox WHERE kind = 'packet'`); got != g.n {
		g.b.Errorf("%d games have a packet, want %d", got, g.n)
	}
	return out
}
