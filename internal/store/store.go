package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib" // and the driver "pgx"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"modernc.org/sqlite"

	"github.com/pbemd/pbemd/internal/game"
)

// Options says which database to open and how to treat work. Only DSN is
// needed.
type Options struct {
	DSN    string           // "sqlite:PATH", or PostgreSQL as a URL or keywords; search_path is honoured
	Now    func() time.Time // default time.Now
	Log    *slog.Logger     // default discards
	Term   time.Duration    // the sweep wakes a due row that nobody looked at for so long; default 10 min
	Sweep  time.Duration    // time between two sweeps, up to a tenth more by chance; default 1 min
	Claim  time.Duration    // how long a claim of a mail lasts; default 3 min
	Look   time.Duration    // how long a handler may take, less than Claim; default 2 min
	NoJobs bool             // insert no jobs: the caller works off Due himself
	Hook   func(step string)
}

// Store is the database. All methods may be called by several goroutines and
// several processes at once.
type Store struct {
	db     *sql.DB
	quick  *sql.DB // the same database; its commits do not wait for the disk
	path   string  // of the SQLite file; empty on PostgreSQL
	driver riverdriver.Driver[*sql.Tx]
	jobs   *river.Client[*sql.Tx] // inserts only
	ids    *ids
	opt    Options
}

// Open connects to the database. It does not migrate it.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Term <= 0 {
		o.Term = 10 * time.Minute
	}
	if o.Sweep <= 0 {
		o.Sweep = time.Minute
	}
	if o.Claim <= 0 {
		o.Claim = 3 * time.Minute
	}
	if o.Look <= 0 {
		o.Look = 2 * time.Minute
	}
	if o.Hook == nil {
		o.Hook = func(string) {}
	}
	s := &Store{ids: newIDs(), opt: o}
	if err := s.connect(ctx); err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context) error {
	var err error
	if path, ok := strings.CutPrefix(s.opt.DSN, "sqlite:"); ok {
		if path == "" {
			return errors.New("sqlite: needs a path")
		}
		s.path = path
		if s.db, err = openSQLite(path, "FULL"); err != nil {
			return err
		}
		if s.quick, err = openSQLite(path, "NORMAL"); err != nil {
			return err
		}
		s.db.SetMaxOpenConns(8)
	} else {
		config, err := pgx.ParseConfig(s.opt.DSN)
		if err != nil {
			return err
		}
		s.db = stdlib.OpenDB(*config)
		quick := config.Copy()
		quick.RuntimeParams["synchronous_commit"] = "off"
		s.quick = stdlib.OpenDB(*quick)
		s.db.SetMaxOpenConns(16)
	}
	s.db.SetMaxIdleConns(8)
	s.driver = s.driverOn(s.db)
	s.quick.SetMaxOpenConns(8)
	s.quick.SetMaxIdleConns(8)
	if err = s.db.PingContext(ctx); err != nil {
		s.Close()
		return err
	}
	s.jobs, err = river.NewClient(s.driver, &river.Config{Logger: s.riverLogger()})
	if err != nil {
		s.Close()
	}
	return err
}

// driverOn is River's driver of the database over one pool.
func (s *Store) driverOn(db *sql.DB) riverdriver.Driver[*sql.Tx] {
	if s.path != "" {
		return riversqlite.New(db)
	}
	return riverdatabasesql.New(db)
}

// Close closes the connections. Stop the Workers first.
func (s *Store) Close() error { return errors.Join(s.quick.Close(), s.db.Close()) }

// txn is one open transaction. Inside it nothing may touch the pool.
type txn struct {
	*Store
	ctx  context.Context
	tx   *sql.Tx // nil: each statement is a transaction of its own
	on   statements
	now  time.Time
	work []Work // jobs to insert before the commit
}

// statements are a transaction, or a pool.
type statements interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// change runs f in one transaction, inserts the jobs it asked for, and commits.
// A deadlock or a serialisation failure is tried again twice, so f may be
// called more than once.
func (s *Store) change(ctx context.Context, what string, now time.Time, f func(*txn) error) error {
	if now.IsZero() {
		now = s.opt.Now()
	}
	return again(what, func() error { return s.once(ctx, nil, now, f) })
}

// note runs f for what only says who is at work on a row: one statement that
// changes something, and perhaps others that read. It survives the end of every
// process, but perhaps not that of the machine, after which nobody is at work; so
// it does not wait for the disk. The commit of the next change takes it along.
func (s *Store) note(ctx context.Context, what string, now time.Time, f func(*txn) error) error {
	if now.IsZero() {
		now = s.opt.Now()
	}
	return again(what, func() error { return f(&txn{Store: s, ctx: ctx, on: s.quick, now: now}) })
}

// set runs f, whose one statement changes something, and waits for the disk.
func (s *Store) set(ctx context.Context, what string, now time.Time, f func(*txn) error) error {
	if now.IsZero() {
		now = s.opt.Now()
	}
	return again(what, func() error { return f(&txn{Store: s, ctx: ctx, on: s.db, now: now}) })
}

// again tries what met a passing error twice more.
func again(what string, try func() error) error {
	err := try()
	for range 2 {
		if !passing(err) {
			break
		}
		err = try()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// look runs f, which reads with one statement: that sees one state by itself.
func (s *Store) look(ctx context.Context, what string, f func(*txn) error) error {
	if err := f(&txn{Store: s, ctx: ctx, on: s.db, now: s.opt.Now()}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// read runs f in one transaction that sees one state of the database.
func (s *Store) read(ctx context.Context, what string, f func(*txn) error) error {
	o := &sql.TxOptions{ReadOnly: true}
	if s.path == "" {
		o.Isolation = sql.LevelRepeatableRead
	}
	if err := s.once(ctx, o, s.opt.Now(), f); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (s *Store) once(ctx context.Context, o *sql.TxOptions, now time.Time, f func(*txn) error) error {
	tx, err := s.db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	t := &txn{Store: s, ctx: ctx, tx: tx, on: tx, now: now}
	if err := f(t); err != nil {
		return err
	}
	if err := t.insertJobs(); err != nil {
		return err
	}
	return tx.Commit()
}

// exec runs a statement and gives the number of rows it touched.
func (t *txn) exec(query string, args ...any) (int64, error) {
	res, err := t.on.ExecContext(t.ctx, query, columns(args)...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// must is exec where anything but a touched row means that somebody else did it.
func (t *txn) must(otherwise error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		err = otherwise
	}
	return err
}

// get reads one row; none is ErrNotFound.
func (t *txn) get(dest []any, query string, args ...any) error {
	err := t.on.QueryRowContext(t.ctx, query, columns(args)...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(...any) error }

// list reads all rows.
func list[T any](t *txn, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := t.on.QueryContext(t.ctx, query, columns(args)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// one reads one row; none is ErrNotFound.
func one[T any](t *txn, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	// Read to the end: what changes a row outside a transaction commits there.
	all, err := list(t, scan, query, args...)
	if err != nil || len(all) == 0 {
		var none T
		return none, cmp.Or(err, ErrNotFound)
	}
	return all[0], nil
}

func scanID(r scanner) (id int64, err error) { return id, r.Scan(&id) }

// ref is the id of another row; 0 is NULL.
type ref int64

// columns makes arguments into what both databases store alike: times as Time,
// and text without NUL and invalid UTF-8, which PostgreSQL refuses.
func columns(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case time.Time:
			args[i] = Time(v)
		case string:
			args[i] = clean(v)
		case game.ID:
			args[i] = clean(string(v))
		case game.State:
			args[i] = string(v)
		case ref:
			if args[i] = any(int64(v)); v == 0 {
				args[i] = nil
			}
		}
	}
	return args
}

func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// unique reports a violated primary key or unique constraint.
func unique(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == "23505"
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() == 2067 || e.Code() == 1555 // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY
	}
	return false
}

// passing reports an error that the same transaction need not meet again.
func passing(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == "40P01" || e.Code == "40001"
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()&0xff == 5 // SQLITE_BUSY
	}
	return false
}

// Trouble reports that the database failed, and not what was asked of it: it is
// away or going, or out of room. The same may be asked again. The end of a
// context is not its fault.
func Trouble(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator, system
			return true
		}
		return e.Code == "25006" || passing(err) // read-only: it is no longer the one to write to
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case 5, 6, 7, 8, 10, 13, 14: // SQLITE_BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN
			return true
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return slices.ContainsFunc([]error{pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF},
		func(gone error) bool { return errors.Is(err, gone) })
}

// Insist repeats f while the database is in trouble, until ctx ends: what must
// not stay undone because the database was away for a moment.
func Insist(ctx context.Context, f func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := f()
		if !Trouble(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}
