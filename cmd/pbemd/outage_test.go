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
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
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
	f.terms = "claim=30s look=20s"
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

	passed := map[string]bool{}
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
		passed[name] = true
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
	f.serve(h)
	f.settled()
	f.post(f.ordered("Crouch.")...)
	f.settled()
	f.turn(firstDeadline)
	f.check(1)
	mu.Lock()
	defer mu.Unlock()
	for _, step := range daemon.Steps {
		if !passed[step] {
			t.Errorf("step %s was not passed", step)
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

// serve runs a House until the test ends.
func (f *fleet) serve(h *House) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.ctx))
	f.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			f.t.Error(err)
		}
		cancel()
	})
	f.must(h.Open(ctx))
	f.must(h.Serve(ctx))
}

// mails counts somebody's mails whose first line or Subject holds the words.
func (f *fleet) mails(who, words string) int {
	f.t.Helper()
	found, err := f.find(who, words)
	f.must(err)
	return len(found)
}

// state waits until the first game's current turn is in a state.
func (f *fleet) state(want game.State) {
	f.t.Helper()
	f.until("the state "+string(want), func() (bool, error) {
		var state string
		err := f.db.QueryRowContext(f.ctx, `SELECT state FROM turn ORDER BY n DESC LIMIT 1`).Scan(&state)
		return state == string(want), err
	})
}

// onOutages runs a test of a server that is away, in both ways of being it.
func onOutages(t *testing.T, f func(t *testing.T, f *fleet, mode proxyMode, names []string)) {
	l := lab.Open(t)
	t.Run("refuses", func(t *testing.T) {
		t.Parallel()
		f(t, newFleet(t, t.TempDir(), pgtest.DSN(t), l, "Dusk"), refuse, []string{"one", "two"})
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		f(t, newFleet(t, dir, "sqlite:"+filepath.Join(dir, "pbemd.db"), l, "Dusk"), silent, []string{"one"})
	})
}

// jump puts the clock forward when no mail is on its way: one that is being sent
// while hours go by would look like one whose sender has died.
func (f *fleet) jump(at time.Time) {
	f.until("the mails to be out", func() (bool, error) {
		var n int
		err := f.db.QueryRowContext(f.ctx, `SELECT COUNT(*) FROM outbox WHERE state = 'claimed' OR state = 'queued' AND not_before IS NULL`).Scan(&n)
		return n == 0, err
	})
	f.must(f.clock.set(at))
}

// TestMailboxAway: the IMAP server is away for two days over a deadline, while
// the MX takes letters. The turn waits, people are told once, and nobody is late
// who was in time.
func TestMailboxAway(t *testing.T) {
	t.Parallel()
	onOutages(t, func(t *testing.T, f *fleet, mode proxyMode, names []string) {
		imap := newProxy(t, lab.IMAP)
		f.must(f.through(imap, nil))
		f.terms = "imap=3s claim=1m look=50s"
		f.run(names...)
		f.settled()
		f.post(f.written("Dusk", "anna", "", "Crouch."))
		f.settled()

		imap.set(mode)
		f.until("a watchdog's bark", func() (bool, error) {
			taken, _ := imap.count()
			return mode == refuse && f.said("one", "msg=mailbox") > 0 || taken >= 3, nil
		})
		for _, l := range []struct {
			at   time.Duration // after the deadline
			who  string
			want string
		}{
			{-time.Minute, "ben", store.Acted},
			{rigGrace - time.Minute, "carla", store.Acted},
			{rigGrace + time.Minute, "anna", store.Answered},
		} {
			f.jump(firstDeadline.Add(l.at))
			letter := f.written("Dusk", l.who, "", "Crouch.")
			f.posted[letter.id] = l.want
			f.post(letter)
		}
		f.orders = 3
		told := func() (bool, error) {
			gm, err := f.find("greta", "waits for the mailbox")
			if err != nil {
				return false, err
			}
			oper, err := f.find("oper", "cannot close")
			return len(gm) > 0 && len(oper) > 0, err
		}
		for _, after := range []time.Duration{24 * time.Hour, 48 * time.Hour} {
			f.jump(firstDeadline.Add(after))
			f.until("the word that the turn waits", told)
			f.until("another look", func() (bool, error) { // it ends with the time of the next
				var next store.Time
				err := f.db.QueryRowContext(f.ctx, `SELECT woken_at FROM turn WHERE state = 'open'`).Scan(&next)
				return time.Time(next).After(firstDeadline.Add(after + 15*time.Second)), err
			})
		}
		f.state(game.Open)

		imap.set(pass)
		f.state(game.Review)
		f.settled()
		if n := f.number(`SELECT COUNT(*) FROM turn_orders`); n != 3 {
			t.Errorf("%d orders are in force, want 3", n)
		}
		if n := f.mails("anna", "late"); n != 1 {
			t.Errorf("anna was told %d times that she is late", n)
		}
		f.release()
		f.check(1)
		for who, words := range map[string]string{"greta": "waits for the mailbox", "oper": "cannot close"} {
			if n := f.mails(who, words); n != 1 {
				t.Errorf("%s was told %d times that the turn waits", who, n)
			}
		}
		for _, who := range []string{"ben", "carla"} {
			if n := f.mails(who, "late"); n != 0 {
				t.Errorf("%s is late by our fault", who)
			}
		}
		f.survived(names...)
	})
}

// TestMailServerAway: the SMTP server is away for two days over a deadline. What
// people wrote counts though nobody could be told, and in the end everything
// goes out once.
func TestMailServerAway(t *testing.T) {
	t.Parallel()
	onOutages(t, func(t *testing.T, f *fleet, mode proxyMode, names []string) {
		smtp := newProxy(t, lab.SMTP)
		f.must(f.through(nil, smtp))
		f.terms = "claim=40s look=16s" // a silent server has three quarters of the latter
		f.run(names...)
		f.settled()
		sent := f.number(`SELECT COUNT(*) FROM outbox WHERE state = 'sent'`)

		smtp.set(mode)
		f.post(f.ordered("Crouch.")...)
		f.until("the orders", func() (bool, error) {
			var n int
			err := f.db.QueryRowContext(f.ctx, `SELECT COUNT(*) FROM revision`).Scan(&n)
			return n == 3, err
		})
		f.until("a mail that waits", func() (bool, error) { return f.count(`msg="mail waits"`, names...) > 0, nil })
		f.must(f.clock.set(firstDeadline.Add(rigGrace + time.Second)))
		f.state(game.Review)
		f.must(f.clock.set(firstDeadline.Add(48 * time.Hour)))
		f.until("a second word of the outage", func() (bool, error) {
			var n int
			err := f.db.QueryRowContext(f.ctx, `SELECT COUNT(*) FROM outbox WHERE kind = 'outage'`).Scan(&n)
			return n > 1, err
		})
		if n := f.number(`SELECT COUNT(*) FROM outbox WHERE state = 'sent'`); n != sent {
			t.Errorf("%d mails went out without a server", n-sent)
		}
		if n := f.number(`SELECT COUNT(*) FROM address WHERE NOT reachable`); n > 0 {
			t.Errorf("%d people are marked unreachable", n)
		}

		smtp.set(pass)
		for _, name := range names { // what follows may take its time
			f.must(f.stop(name))
		}
		f.terms = "claim=1m look=50s"
		f.run(names...)
		f.settled()
		for _, who := range players {
			if n := f.mails(who, "orders received"); n != 1 {
				t.Errorf("%s has %d receipts", who, n)
			}
		}
		if n := f.mails("greta", "attempt 1"); n != 1 {
			t.Errorf("the GM has %d packets", n)
		}
		if n := f.mails("greta", "waits for you") + f.mails("anna", "waiting for the GM"); n != 0 {
			t.Errorf("%d mails say that the game waits for a GM who knew nothing of it", n)
		}
		if n := f.mails("oper", "for the operator"); n != 2 {
			t.Errorf("the operator heard of it %d times, at its begin and two days later", n)
		}
		f.release()
		f.check(1)
		f.survived(names...)
	})
}
