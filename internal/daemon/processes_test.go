package daemon

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// claimTerm is how long a row belongs to the one who works on it (store.Options.Claim).
const claimTerm = 3 * time.Minute

// another is a daemon as a second process would run it: with its own
// connections and memory, on the same database, mail server and clock.
func (b *bench) another(change func(*Options), hook func(string)) *Daemon {
	b.t.Helper()
	o := b.d.Options
	st, err := store.Open(b.t.Context(), store.Options{DSN: b.dsn, Now: b.clock.now, Log: o.Log, Hook: hook})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { st.Close() })
	o.Store = st
	if change != nil {
		change(&o)
	}
	d, err := New(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// once runs what it holds at the first call after it was armed.
type once struct {
	mu sync.Mutex
	f  func()
}

func (o *once) arm(f func()) { o.mu.Lock(); o.f = f; o.mu.Unlock() }

func (o *once) fire() {
	o.mu.Lock()
	f := o.f
	o.f = nil
	o.mu.Unlock()
	if f != nil {
		f()
	}
}

// noticed is a ruleset that tells when it loads a world, which every step does
// between reading its turn and storing what it made of it, and when it resolves.
type noticed struct {
	resolve.Ruleset
	load    once
	resolve func(resolve.Input)
}

func (n *noticed) Load(b []byte) (game.World, error) {
	n.load.fire()
	return n.Ruleset.Load(b)
}

func (n *noticed) Resolve(in resolve.Input) resolve.Outcome {
	if n.resolve != nil {
		n.resolve(in)
	}
	return n.Ruleset.Resolve(in)
}

func (n *noticed) DiceOwner(w game.World, name dice.Name) (game.ID, bool) {
	return n.Ruleset.(resolve.Roller).DiceOwner(w, name)
}

// wrap puts it around a daemon's ruleset.
func (n *noticed) wrap() func(*Options) {
	return func(o *Options) {
		find := o.Rulesets
		o.Rulesets = func(name string) (resolve.Ruleset, error) {
			rs, err := find(name)
			n.Ruleset = rs
			return n, err
		}
	}
}

// fetch searches the mailbox and gives the letters that are to be read, in the
// order in which they came.
func (b *bench) fetch() []store.Work {
	b.t.Helper()
	if held, err := b.st.Lease(b.t.Context(), "main", "test", time.Hour); !held || err != nil {
		b.t.Fatal("leasing the mailbox:", held, err)
	}
	if err := b.d.Search(b.t.Context(), "test", b.box); err != nil {
		b.t.Fatal("searching:", err)
	}
	return b.due(workIngest)
}

func (b *bench) due(kind string) []store.Work {
	b.t.Helper()
	all, err := b.st.Due(b.t.Context(), b.clock.now(), 100)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []store.Work
	for _, w := range all {
		if w.Kind == kind {
			out = append(out, w)
		}
	}
	return out
}

// step is one handler on one row.
type step struct {
	run func(*Daemon, context.Context, store.Work) error
	row store.Work
}

func ingesting(w store.Work) step { return step{(*Daemon).ingest, w} }

func (b *bench) turnStep(f func(*Daemon, context.Context, store.Work) error) step {
	return step{f, store.Work{Row: b.game().Turn.ID}}
}

// race runs second, in another process, while first holds the turn's row: on
// PostgreSQL until it waits for that row, on SQLite until it waits for the lock.
// A second that waits for first's letter, which the same person wrote before, is
// run again when that is read.
func (b *bench) race(first, second step) (err1, err2 error) {
	b.t.Helper()
	var hook once
	one, two := b.another(nil, func(string) { hook.fire() }), b.another(nil, nil)
	var wg sync.WaitGroup
	raced := false
	hook.arm(func() {
		raced = true
		done := make(chan struct{})
		wg.Go(func() { defer close(done); err2 = second.run(two, b.t.Context(), second.row) })
		b.blocked(done)
	})
	err1 = first.run(one, b.t.Context(), first.row)
	wg.Wait()
	if snoozes(err2) {
		err2 = second.run(two, b.t.Context(), second.row)
	}
	if !raced {
		b.t.Fatal("the first did not reach the turn's row")
	}
	return err1, err2
}

// blocked returns when a connection to PostgreSQL waits for a row of our turns,
// or when what could wait is done.
func (b *bench) blocked(done <-chan struct{}) {
	if strings.HasPrefix(b.dsn, "sqlite:") {
		return
	}
	db, err := sql.Open("pgx", b.dsn)
	if err != nil {
		b.t.Error(err)
		return
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(b.t.Context(), 30*time.Second)
	defer cancel()
	for n := 0; n == 0; {
		select {
		case <-done:
			return
		default:
		}
		err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_locks w JOIN pg_locks r ON r.pid = w.pid
			WHERE NOT w.granted AND r.relation = 'turn'::regclass`).Scan(&n)
		if err != nil {
			b.t.Errorf("waiting for the second to run into the first: %v", err)
			return
		}
	}
}

// must fails the test on any error; a snooze is one.
func (b *bench) must(errs ...error) {
	b.t.Helper()
	if err := errors.Join(errs...); err != nil {
		b.t.Fatal(err)
	}
}

func snoozes(err error) bool {
	_, ok := errors.AsType[*store.Snooze](err)
	return ok
}

// empty forgets all mail so far.
func (b *bench) empty() {
	for _, who := range []string{"anna", "ben", "carla", "greta", "mallory"} {
		b.inbox(who)
	}
}
