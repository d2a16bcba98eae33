package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// both runs a test on SQLite and on PostgreSQL, each in a database of its own.
func both(t *testing.T, f func(t *testing.T, dsn string)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, "sqlite:"+filepath.Join(t.TempDir(), "p b?m%d.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, pgtest.DSN(t))
	})
}

// noon is when the tests' turns open; their deadline is a day later.
var (
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	deadline = noon.Add(24 * time.Hour)
)

// clock is a clock that the test sets.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

// bench is one game on one open store, with a fake clock.
type bench struct {
	*Store
	t     *testing.T
	ctx   context.Context
	clock *clock
	game  Game
	roles []Role // gm, anna, bert
	n     int    // letters made
}

const account = "main"

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	c := &clock{t: noon}
	if o.Now == nil {
		o.Now = c.now
	}
	b := &bench{Store: open(t, o), t: t, ctx: t.Context(), clock: c}
	b.must(b.Migrate(b.ctx))
	b.game = b.newGame("dusk")
	b.roles = b.snap().Roles
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) newGame(name string) Game {
	b.t.Helper()
	g, err := b.CreateGame(b.ctx, NewGame{
		Game: Game{Name: name, Title: "Dusk", System: "star-frontiers", Account: account, File: "x", FileSHA: "y", Secret: []byte("secret")},
		Roles: []NewRole{
			{No: 1, Kind: "gm", Name: "Gert", Address: "gert@example.org", Zone: "UTC"},
			{No: 2, Kind: "player", Key: "anna", Name: "Anna", Address: "anna@example.org", Zone: "Europe/Berlin"},
			{No: 3, Kind: "player", Key: "bert", Name: "Bert", Address: "bert@example.org", Zone: "UTC"},
		},
		Combatants: map[game.ID]uint16{"mira": 2, "bobo": 3, "zog": 0},
		Turn:       NewTurn{N: 1, World: []byte(`{"n":1}`), OpenedAt: noon, DeadlineAt: deadline, RemindAt: deadline.Add(-6 * time.Hour)},
	})
	b.must(err)
	return g
}

func (b *bench) snap() Snapshot {
	b.t.Helper()
	sn, err := b.Snapshot(b.ctx, b.game.ID)
	b.must(err)
	return sn
}

func (b *bench) key() TurnKey { b.t.Helper(); return b.snap().Turn.Key() }

// letter stores a letter received at an instant.
func (b *bench) letter(at time.Time) int64 {
	b.t.Helper()
	b.n++
	id, fresh, err := b.StoreLetter(b.ctx, NewLetter{
		Account: account, Raw: fmt.Appendf(nil, "Message %d", b.n), MessageID: fmt.Sprintf("<%d@example.org>", b.n), ReceivedAt: at, Now: at,
	})
	b.must(err)
	if !fresh {
		b.t.Fatal("the letter is not fresh")
	}
	return id
}

func acted(letter int64) Ending { return Ending{Letter: letter, Disposition: Acted, Now: noon} }

// orders is a letter's revision for one combatant.
func orders(letter int64, at time.Time, who game.ID, text string) []Revision {
	return []Revision{{Combatant: who, Letter: letter, ReceivedAt: at, Text: text, Plan: []byte(`{"steps":[]}`)}}
}

// order stores a letter with orders, as an ingest would: read again on ErrChanged.
func (b *bench) order(at time.Time, who game.ID, text string) int64 {
	b.t.Helper()
	id := b.letter(at)
	b.must(b.StoreOrders(b.ctx, acted(id), b.key(), orders(id, at, who, text)))
	return id
}

// searched records a complete search of the account that began at an instant.
func (b *bench) searched(from time.Time) {
	b.t.Helper()
	ok, err := b.Lease(b.ctx, account, "here", 1000*time.Hour)
	b.must(err)
	if !ok {
		b.t.Fatal("the lease is not to be had")
	}
	b.must(b.SearchDone(b.ctx, account, "INBOX", "here", Mailbox{UIDValidity: 1, LastUID: 9, SearchedFrom: from}))
}

const grace = 5 * time.Minute

// closing is the close of the current turn at its deadline.
func (b *bench) closing() CloseIn {
	b.t.Helper()
	sn := b.snap()
	return CloseIn{Key: sn.Turn.Key(), Now: sn.Turn.DeadlineAt.Add(grace), Account: account, Reason: "deadline", Deadline: sn.Turn.DeadlineAt,
		Grace: grace, Lock: lockOf}
}

func lockOf(in []Revision) []byte {
	lock := []byte("lock")
	for _, r := range in {
		lock = append(lock, "|"+r.Text...)
	}
	return lock
}

// close closes the current turn at its deadline.
func (b *bench) close() {
	b.t.Helper()
	b.searched(b.snap().Turn.DeadlineAt.Add(grace))
	closed, why, err := b.CloseTurn(b.ctx, b.closing())
	b.must(err)
	if !closed {
		b.t.Fatalf("not closed: %s", why)
	}
}

// draft stores the next attempt.
func (b *bench) draft(digest string) int {
	b.t.Helper()
	n, err := b.StoreDraft(b.ctx, b.key(), Attempt{Ruleset: "r", Digest: digest, WorldAfter: []byte(`{"n":2}`)}, b.clock.now().Add(12*time.Hour),
		func(int) ([]NewMail, error) { return nil, nil })
	b.must(err)
	return n
}

// ahead is the turn that a release of the current one opens.
func (b *bench) ahead(n NewTurn) *Turn {
	sn := b.snap()
	return b.Ahead(sn.Game, sn.Turn, n)
}

func texts(in map[game.ID]Revision) map[game.ID]string {
	out := map[game.ID]string{}
	for id, r := range in {
		out[id] = r.Text
	}
	return out
}
