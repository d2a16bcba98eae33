package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// fleet is a rig of one or more games for tests that play with what the
// processes stand on. Its people play in each of the games.
type fleet struct {
	*rig
	t      *testing.T
	db     *sql.DB
	games  []string
	posted map[string]string // Message-ID and what is to become of a letter
	orders int               // how many of them are orders, of one character each
	kills  int               // of processes that may have been sending
	logs   map[string][]*tail
	log    *tail // of a House in this process
}

// players of a rig's games.
var players = []string{"anna", "ben", "carla"}

// newFleet makes a rig and its games; l nil: with the post office.
func newFleet(t *testing.T, dir, dsn string, l *lab.Lab, games ...string) *fleet {
	t.Helper()
	suffix := ""
	if l != nil {
		suffix = l.User(t, "")
	}
	r, err := newRig(t.Context(), dir, dsn, l, suffix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	f := &fleet{rig: r, t: t, games: games, posted: map[string]string{}, logs: map[string][]*tail{}, log: &tail{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(f.allLogs())
		}
	})
	f.must(r.create())
	f.db, err = r.sql()
	f.must(err)
	t.Cleanup(func() { f.db.Close() })
	file, err := os.ReadFile(filepath.Join(dir, "game.toml"))
	f.must(err)
	for _, name := range games[1:] {
		text := strings.Replace(string(file), `name = "`+games[0]+`"`, `name = "`+name+`"`, 1)
		f.must(os.WriteFile(filepath.Join(dir, name+".toml"), []byte(text), 0o600))
		_, err := r.pbemd("game", "create", name+".toml", "--config", "pbemd.toml")
		f.must(err)
	}
	return f
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// run starts processes.
func (f *fleet) run(names ...string) {
	f.t.Helper()
	for _, name := range names {
		f.must(f.start(name, ""))
		f.logs[name] = append(f.logs[name], f.procs[name].log)
	}
}

// said counts the log lines with some words of a process, over all its lives.
func (f *fleet) said(name, words string) (n int) {
	for _, log := range f.logs[name] {
		n += log.count(words)
	}
	return n
}

// count is said of several processes.
func (f *fleet) count(words string, names ...string) (n int) {
	for _, name := range names {
		n += f.said(name, words)
	}
	return n
}

// until waits for something to come about.
func (f *fleet) until(what string, there func() (bool, error)) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.ctx, rigPatience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := there()
		if ok && err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.t.Fatalf("%s does not come about: %v%s", what, err, f.allLogs())
		}
	}
}

// settled waits until the mailbox is read, nothing is due, and all that was sent
// has arrived; the database may be away meanwhile.
func (f *fleet) settled() {
	f.t.Helper()
	f.until("an end of the work", func() (bool, error) {
		st, err := f.database(f.ctx)
		if err != nil {
			return false, err
		}
		defer st.Close()
		wants, err := f.unsettled(f.ctx, st, f.db)
		if err == nil && wants != "" {
			err = errors.New(wants)
		}
		return err == nil, err
	})
}

func (f *fleet) allLogs() string {
	var b strings.Builder
	b.WriteString(f.log.String())
	for _, name := range slices.Sorted(maps.Keys(f.procs)) {
		fmt.Fprintf(&b, "\n-- %s (alive: %v) --\n%s", name, f.procs[name].alive(), f.procs[name].log)
	}
	return b.String()
}

// number runs a query that gives one number.
func (f *fleet) number(query string, args ...any) int {
	f.t.Helper()
	var n int
	if err := f.db.QueryRowContext(f.ctx, query, args...).Scan(&n); err != nil {
		f.t.Fatal(query, err)
	}
	return n
}

// letterTo is a letter that is written and not sent.
type letterTo struct {
	who, to, id string
	raw         []byte
}

// written writes a letter in answer to somebody's newest mail of a game whose
// first line holds the words. It is to be acted on.
func (f *fleet) written(game, who, words, text string) letterTo {
	f.t.Helper()
	all, err := f.inbox(who)
	f.must(err)
	for _, m := range slices.Backward(all) {
		if !strings.Contains(m.subject, "["+game+"-") || !strings.Contains(m.marker, words) {
			continue
		}
		id := fmt.Sprintf("<%s.%s.%d@fleet.test>", game, who, len(f.posted)+1)
		to, raw := f.write(who, &m, text, arrival{id: id})
		f.posted[id] = store.Acted
		return letterTo{who, to, id, raw}
	}
	f.t.Fatalf("%s has no mail %q of %s", who, words, game)
	return letterTo{}
}

// ordered writes orders of every player in every game.
func (f *fleet) ordered(text string) (letters []letterTo) {
	f.t.Helper()
	for _, game := range f.games {
		for _, who := range players {
			letters = append(letters, f.written(game, who, "", text))
			f.orders++
		}
	}
	return letters
}

// post sends letters one after the other.
func (f *fleet) post(letters ...letterTo) {
	f.t.Helper()
	for _, l := range letters {
		f.must(f.send(l.who, l.to, l.raw))
	}
}

// turn closes the turn of every game at its deadline and has the GM release it.
func (f *fleet) turn(deadline time.Time) {
	f.t.Helper()
	f.must(f.clock.set(deadline.Add(rigGrace + time.Second)))
	f.settled()
	f.release()
}

// release is the GM's OK to every game's draft.
func (f *fleet) release() {
	f.t.Helper()
	for _, game := range f.games {
		f.post(f.written(game, "greta", "attempt 1", "OK"))
	}
	f.settled()
}

// check is what must hold in the end, after a number of turns in every game.
func (f *fleet) check(turns int) {
	f.t.Helper()
	if n := f.number(`SELECT COUNT(*) FROM letter WHERE disposition IS NULL`); n > 0 {
		f.t.Errorf("%d letters have no disposition", n)
	}
	for id, want := range f.posted {
		var n int
		var what, why sql.NullString
		err := f.db.QueryRowContext(f.ctx, `SELECT COUNT(*), MIN(disposition), MIN(why) FROM letter WHERE message_id = $1`, id).Scan(&n, &what, &why)
		f.must(err)
		if n != 1 || what.String != want {
			f.t.Errorf("letter %s: %d times, %s (%s); want it %s once", id, n, what.String, why.String, want)
		}
	}
	if n := f.number(`SELECT COUNT(*) FROM letter`); n != len(f.posted) {
		f.t.Errorf("%d letters are stored, %d were sent", n, len(f.posted))
	}
	if n := f.number(`SELECT COUNT(*) FROM revision`); n != f.orders {
		f.t.Errorf("%d orders are stored, %d were sent", n, f.orders)
	}
	for _, game := range f.games {
		for n := 1; n <= turns; n++ {
			if got := f.number(`SELECT COUNT(*) FROM turn JOIN game ON game.id = turn.game WHERE game.name = $1 AND n = $2 AND state = 'released' AND attempt = 1 AND released = 1`, game, n); got != 1 {
				f.t.Errorf("%s turn %d: released with its one attempt %d times", game, n, got)
			}
			if got := f.number(`SELECT COUNT(*) FROM attempt JOIN turn ON turn.id = attempt.turn JOIN game ON game.id = turn.game WHERE game.name = $1 AND turn.n = $2`, game, n); got != 1 {
				f.t.Errorf("%s turn %d has %d attempts", game, n, got)
			}
		}
		if got := f.number(`SELECT COUNT(*) FROM turn JOIN game ON game.id = turn.game WHERE game.name = $1 AND n = $2 AND state = 'open'`, game, turns+1); got != 1 {
			f.t.Errorf("%s: turn %d is not open", game, turns+1)
		}
	}
	f.once(f.kills)
}

// once checks that every mail went out, and to each mailbox once; but for those
// that a number of killed processes had in hand, which may come again as they were.
func (f *fleet) once(kills int) {
	f.t.Helper()
	if n := f.number(`SELECT COUNT(*) FROM outbox WHERE state NOT IN ('sent', 'superseded')`); n > 0 {
		f.t.Errorf("%d mails did not go out", n)
	}
	again := 0
	for _, who := range people {
		all, err := f.inbox(who)
		f.must(err)
		seen := map[string]mailIn{}
		for _, m := range all {
			first, twice := seen[m.messageID]
			switch {
			case twice && (first.text != m.text || first.subject != m.subject):
				f.t.Errorf("%s has two mails %s", who, m.messageID)
			case twice:
				again++
			}
			seen[m.messageID] = m
		}
		if n := f.number(`SELECT COUNT(*) FROM outbox WHERE state = 'sent' AND address = $1`, f.address(who)); n != len(seen) {
			f.t.Errorf("%d mails were sent to %s, who has %d", n, who, len(seen))
		}
	}
	if most := kills * store.SendWorkers; again > most {
		f.t.Errorf("%d mails came twice, %d may", again, most)
	}
}

// holder names the process that has the lease of the mailbox; empty: none has.
func (f *fleet) holder() (string, error) {
	var holder string
	var until store.Time
	err := f.db.QueryRowContext(f.ctx, `SELECT holder, until FROM lease WHERE account = 'main'`).Scan(&holder, &until)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !time.Time(until).After(f.clock.now()) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for name, p := range f.procs {
		if fields := strings.Split(holder, "/"); len(fields) == 3 && fields[1] == strconv.Itoa(p.cmd.Process.Pid) {
			return name, nil
		}
	}
	return "", fmt.Errorf("the lease is held by %s, which is no process of ours", holder)
}

// theHolder waits until some process other than not has the lease.
func (f *fleet) theHolder(not string) (name string) {
	f.t.Helper()
	f.until("a holder of the mailbox", func() (bool, error) {
		var err error
		name, err = f.holder()
		return name != "" && name != not, err
	})
	return name
}

// leases writes down who holds the mailbox.
type leases struct {
	mu   sync.Mutex
	held []string // each after the one before
}

func (l *leases) watch(ctx context.Context, f *fleet) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var holder string
		if f.db.QueryRowContext(ctx, `SELECT holder FROM lease WHERE account = 'main'`).Scan(&holder) != nil {
			continue
		}
		l.mu.Lock()
		if len(l.held) == 0 || l.held[len(l.held)-1] != holder {
			l.held = append(l.held, holder)
		}
		l.mu.Unlock()
	}
}

func (l *leases) count() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.held) }

// TestSeveralProcesses plays two turns of as many games with several processes on
// one PostgreSQL and one mailbox: they share the work, one of them keeps the
// mailbox, and whichever dies or is restarted, every letter is acted on once.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for _, names := range [][]string{{"one", "two"}, {"one", "two", "three"}} {
		t.Run(fmt.Sprintf("%d processes", len(names)), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, t.TempDir(), pgtest.DSN(t), l, []string{"Dusk", "Dawn", "Noon"}[:len(names)]...)
			imap := newProxy(t, lab.IMAP)
			f.must(f.through(imap, nil))
			const lease = time.Hour // nobody waits for its end
			f.terms = "claim=1m look=50s lease=" + lease.String()
			f.run(names...)
			var seen leases
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() { seen.watch(ctx, f) })
			t.Cleanup(func() { cancel(); wg.Wait() })
			f.settled()

			// All of them work.
			idle := func() bool {
				return slices.ContainsFunc(names, func(name string) bool { return f.said(name, "msg=letter") == 0 })
			}
			for wave := 0; wave < 10 && (wave == 0 || idle()); wave++ {
				f.post(f.ordered("Crouch.")...)
				f.settled()
			}
			for _, name := range names {
				t.Logf("%s read %d letters", name, f.said(name, "msg=letter"))
				if f.said(name, "msg=letter") == 0 {
					t.Errorf("%s read no letter", name)
				}
			}
			if n := seen.count(); n != 1 {
				t.Errorf("the mailbox had %d holders while nothing happened", n)
			}
			if taken, most := imap.count(); taken != 1 {
				t.Errorf("%d connections to the mailbox, %d at a time, while nothing happened", taken, most)
			}

			// The holder dies while letters come in: another takes the mailbox when the
			// lease is over.
			held := f.theHolder("")
			letters := f.ordered("Crouch.")
			f.post(letters[:4]...)
			f.must(f.kill(held))
			f.kills++
			f.post(letters[4:]...)
			if name, err := f.holder(); name != held || err != nil {
				t.Errorf("%q has the mailbox after %s was killed (%v)", name, held, err)
			}
			f.must(f.clock.set(f.clock.now().Add(lease))) // what it worked on is free then, too
			next := f.theHolder(held)
			f.run(held)
			f.settled()

			// The holder is drained while letters come in: another takes it at once.
			letters = f.ordered("Crouch.")
			f.post(letters[:4]...)
			f.must(f.stop(next))
			left, err := f.holder()
			f.must(err)
			if left == next {
				t.Errorf("%s has ended and keeps the mailbox", next)
			}
			f.post(letters[4:]...)
			f.theHolder(next)
			f.run(next)
			f.settled()
			f.turn(firstDeadline)

			// All are restarted, one after the other, while letters come in.
			letters = f.ordered("Crouch.")
			var posted sync.WaitGroup
			var failed error
			posted.Go(func() {
				for _, l := range letters {
					failed = errors.Join(failed, f.send(l.who, l.to, l.raw))
				}
			})
			for _, name := range names {
				f.must(f.stop(name))
				f.run(name)
			}
			posted.Wait()
			f.must(failed)
			f.settled()
			f.turn(firstDeadline.Add(24 * time.Hour))
			f.check(2)
			t.Logf("%d holders of the mailbox, %d letters, %d mails", seen.count(), len(f.posted), f.number(`SELECT COUNT(*) FROM outbox`))
			for _, name := range names {
				f.must(f.stop(name))
			}
		})
	}
}
