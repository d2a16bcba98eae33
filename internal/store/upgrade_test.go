package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/migrations"
)

// firstRelease makes a database as the first release did, with a game in the
// middle of its first turn.
func firstRelease(t *testing.T, s *Store) {
	t.Helper()
	const name = "00001_walk.sql"
	walk, err := migrations.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dialect := goose.DialectPostgres
	if s.path != "" {
		dialect = goose.DialectSQLite3
	}
	p, err := goose.NewProvider(dialect, s.db, fstest.MapFS{name: {Data: walk}}, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := s.riverMigrator()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join("testdata", "first-release.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.SplitAfter(string(rows), ";\n") {
		if _, err := s.db.ExecContext(t.Context(), row); err != nil {
			t.Fatalf("%v in %s", err, row)
		}
	}
}

// TestUpgrade: a database of the first release is brought up to date, and its
// game goes on.
func TestUpgrade(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		c := &clock{t: noon.Add(time.Hour)}
		b := &bench{Store: open(t, Options{DSN: dsn, NoJobs: true, Now: c.now}), t: t, ctx: t.Context(), clock: c}
		firstRelease(t, b.Store)
		if err := b.CheckSchema(b.ctx); err == nil || !strings.Contains(err.Error(), "run pbemd migrate") {
			t.Errorf("before the upgrade: %v", err)
		}
		for range 2 {
			b.must(b.Migrate(b.ctx))
		}
		b.must(b.CheckSchema(b.ctx))

		g, err := b.GameByName(b.ctx, "dusk")
		b.must(err)
		b.game = g
		sn := b.snap()
		b.roles = sn.Roles
		if len(sn.Roles) != 2 || sn.Roles[1].Address != "anna@example.org" || sn.Turn.N != 1 || sn.Turn.State != game.Open || string(sn.Turn.World) != `{"n":1}` {
			t.Errorf("after the upgrade: %+v, roles %+v", sn.Turn, sn.Roles)
		}
		m, err := b.MailboxState(b.ctx, account, "INBOX")
		b.must(err)
		if diff := cmp.Diff(Mailbox{UIDValidity: 1, LastUID: 4_000_000_000, SearchedFrom: noon}, m); diff != "" {
			t.Errorf("mailbox (-want +got):\n%s", diff)
		}
		us, err := b.Unfetched(b.ctx, account, "INBOX", 1)
		if err != nil || len(us) != 1 || us[0].Tries != 2 || us[0].Lost {
			t.Errorf("unfetched: %+v, %v", us, err)
		}
		// The letter that waited is read, and found again it is known.
		l, err := b.TakeLetter(b.ctx, 50)
		b.must(err)
		b.must(b.StoreOrders(b.ctx, acted(l.ID), b.key(), orders(l.ID, l.ReceivedAt, "mira", "shoot")))
		if id, fresh, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: l.Raw, ReceivedAt: noon, Now: noon}); id != l.ID || fresh || err != nil {
			t.Errorf("found again: %d, %v, %v", id, fresh, err)
		}
		b.close()
		if sn := b.snap(); sn.Turn.State != game.Closed || len(sn.Frozen) != 1 {
			t.Errorf("the turn is %s with %d orders", sn.Turn.State, len(sn.Frozen))
		}

		// And back: nothing that the first release knows of is lost.
		p, err := b.provider()
		b.must(err)
		if _, err := p.DownTo(b.ctx, 1); err != nil {
			t.Fatal("going back:", err)
		}
		b.must(b.Migrate(b.ctx))
		if l, err := b.LetterByID(b.ctx, l.ID); err != nil || l.Disposition != Acted {
			t.Errorf("after going back and forth: %+v, %v", l, err)
		}
	})
}

// TestNewerDatabaseIsRefused: an older program changes nothing in it.
func TestNewerDatabaseIsRefused(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		s := open(t, Options{DSN: dsn, NoJobs: true})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (900, TRUE)`); err != nil {
			t.Fatal(err)
		}
		// serve on SQLite migrates before it checks.
		if err := s.Migrate(t.Context()); err != nil {
			t.Error("migrating:", err)
		}
		err := s.CheckSchema(t.Context())
		if err == nil || !strings.Contains(err.Error(), "the database is at schema 900") || !strings.Contains(err.Error(), "use the newer program") {
			t.Errorf("the check says: %v", err)
		}
	})
}
