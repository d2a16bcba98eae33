package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// firstDeadline is that of a rig's first turn.
var firstDeadline = time.Date(2026, 3, 2, 19, 0, 0, 0, time.UTC)

// survived checks that processes live, have not panicked, and drain.
func (f *fleet) survived(names ...string) {
	f.t.Helper()
	for _, name := range names {
		if !f.procs[name].alive() {
			f.t.Errorf("%s ended: %v\n%s", name, f.procs[name].err, f.procs[name].log)
		}
		for _, words := range []string{"panic", "hush"} {
			if f.said(name, words) > 0 {
				f.t.Errorf("%s says %q:\n%s", name, words, f.procs[name].log)
			}
		}
		f.must(f.stop(name))
	}
}

// TestDatabaseRestarts stops and crashes PostgreSQL under two processes while
// letters come in, while the turn closes and while the GM's OK is under way, and
// leaves it down for a while.
func TestDatabaseRestarts(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	pg := pgtest.Server(t)
	f := newFleet(t, t.TempDir(), strings.Replace(pg.DSN(), "postgres@", "postgres:hush@", 1), l, "Dusk")
	f.db.SetMaxIdleConns(0) // what is idle would break with the server
	f.terms = "0s 20s 15s"
	f.run("one", "two")
	f.settled()
	restart := func(mode string, meanwhile func()) {
		t.Helper()
		f.must(pg.Stop(mode))
		meanwhile()
		f.must(pg.Start())
	}

	for _, mode := range []string{pgtest.Fast, pgtest.Immediate, pgtest.Fast, pgtest.Immediate} {
		letters := f.ordered("Crouch.")
		f.post(letters[0])
		restart(mode, func() { f.post(letters[1]) })
		f.post(letters[2])
	}
	f.settled()

	// Down for a while: both try again and again, and nobody else can begin.
	letters := f.ordered("Crouch.")
	restart(pgtest.Fast, func() {
		f.post(letters...)
		if _, err := f.pbemd("serve", "--config", "pbemd.toml"); err == nil || !strings.Contains(err.Error(), "exit status 1") ||
			!strings.Contains(err.Error(), "opening the database") || strings.Contains(err.Error(), "hush") {
			t.Errorf("serve without a database: %v", err)
		}
		for _, name := range []string{"one", "two"} {
			before := f.said(name, "sweep failed")
			f.until("the patience of "+name, func() (bool, error) { return f.said(name, "sweep failed") >= before+20, nil })
		}
	})
	f.settled()

	// The turn closes.
	restart(pgtest.Fast, func() { f.must(f.clock.set(firstDeadline.Add(rigGrace + time.Second))) })
	f.until("the close", func() (bool, error) {
		var open int
		err := f.db.QueryRowContext(f.ctx, `SELECT COUNT(*) FROM turn WHERE state = 'open'`).Scan(&open)
		return open == 0, err
	})
	restart(pgtest.Immediate, func() {})
	f.settled()
	ok := f.written("Dusk", "greta", "attempt 1", "OK")
	f.post(ok)
	restart(pgtest.Immediate, func() {})
	f.settled()
	f.check(1)
	f.survived("one", "two")
}

// TestDatabaseRestartsAtEachStep crashes PostgreSQL at every step of a walk, and
// at some as often as would make a turn stuck that ends the process: it is the
// database that fails, and not the turn.
func TestDatabaseRestartsAtEachStep(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	pg := pgtest.Server(t)
	f := newFleet(t, t.TempDir(), pg.DSN(), l, "Dusk")
	f.db.SetMaxIdleConns(0)

	left := map[string]int{"resolved": 3, "rendered": 3}
	for _, step := range daemon.Steps {
		left[step] = max(left[step], 1)
	}
	var mu sync.Mutex // held while the database is down
	h := f.house()
	h.Step = func(name string) {
		mu.Lock()
		if left[name] == 0 {
			mu.Unlock()
			return
		}
		left[name]--
		if err := pg.Stop(pgtest.Immediate); err != nil {
			t.Error(err)
		}
		go func() { // what comes after the step finds it down
			defer mu.Unlock()
			if err := pg.Start(); err != nil {
				t.Error(err)
			}
		}()
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.must(h.Open(ctx))
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		cancel()
	})
	f.must(h.Serve(ctx))

	f.settled()
	f.post(f.ordered("Crouch.")...)
	f.settled()
	f.turn(firstDeadline)
	f.check(1)
	mu.Lock()
	defer mu.Unlock()
	for step, n := range left {
		if n > 0 {
			t.Errorf("step %s was passed %d times too few", step, n)
		}
	}
}

// house is the rig's pbemd in this process.
func (f *fleet) house() *House {
	f.t.Helper()
	path := filepath.Join(f.dir, "pbemd.toml")
	text, err := os.ReadFile(path)
	f.must(err)
	config := strings.Replace(string(text), `password_env = "PBEMD_RIG_PASSWORD"`, `password_file = "password"`, 1)
	f.must(os.WriteFile(filepath.Join(f.dir, "password"), []byte(lab.Password), 0o600))
	config = strings.Replace(config, `"password"`, strconv.Quote(filepath.Join(f.dir, "password")), 1)
	f.must(os.WriteFile(path, []byte(config), 0o600))
	c, err := ReadConfig(path)
	f.must(err)
	h := &House{Config: c, Log: slog.New(slog.NewTextHandler(f.log, nil))}
	shortened(h)
	h.Now = f.clock.now
	h.Rows.Claim = 30 * time.Second // more than some restarts take
	h.Rows.Term = 2 * time.Second   // more than a try needs to be given back
	return h
}
