package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/pbemd/pbemd/migrations"
)

// Migrate brings the database to this program's schema, River's tables
// included. Any number of processes may call it at once: a session lock
// (PostgreSQL) or a lock on a file beside the database (SQLite) makes them wait.
func (s *Store) Migrate(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("migrating the database: %w", err)
		}
	}()
	unlock, err := s.lockSchema(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := s.provider()
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return err
	}
	m, err := s.riverMigrator()
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// CheckSchema reports a database that this program does not fit, and says what
// to do about it. It changes nothing.
func (s *Store) CheckSchema(ctx context.Context) error {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return err
	}
	var want, have int64
	if want, err = goose.NumericComponent(names[len(names)-1]); err != nil {
		return err
	}
	err = s.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&have)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("checking the schema: %w", err)
		}
		return fmt.Errorf("the database has no schema yet: run pbemd migrate (%w)", err)
	}
	if have > want {
		return fmt.Errorf("the database is at schema %d and this program knows %d: use the newer program", have, want)
	}
	if have < want {
		return fmt.Errorf("the database is at schema %d and this program needs %d: run pbemd migrate", have, want)
	}
	m, err := s.riverMigrator()
	if err != nil {
		return err
	}
	res, err := m.Validate(ctx, nil)
	if err != nil {
		return fmt.Errorf("checking the work queue's schema: %w", err)
	}
	if !res.OK {
		return errors.New("the work queue's schema is old: run pbemd migrate")
	}
	return nil
}

func (s *Store) provider() (*goose.Provider, error) {
	d := goose.DialectPostgres
	if s.path != "" {
		d = goose.DialectSQLite3
	}
	return goose.NewProvider(d, s.db, migrations.FS, goose.WithDisableGlobalRegistry(true), goose.WithSlog(s.opt.Log))
}

func (s *Store) riverMigrator() (*rivermigrate.Migrator[*sql.Tx], error) {
	return rivermigrate.New(s.driver, &rivermigrate.Config{Logger: s.riverLogger()})
}

// lockSchema keeps other processes from migrating until the returned function
// is called. It is ours and not goose's, because River's migrations run under
// it too and goose's waits in steps of five seconds.
func (s *Store) lockSchema(ctx context.Context) (func() error, error) {
	if s.path != "" {
		return lockFile(ctx, s.path+".migrate")
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	const key = 0x7062656d // "pbem"
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1, hashtext(current_schema()))`, key); err != nil {
		conn.Close()
		return nil, err
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1, hashtext(current_schema()))`, key)
		return errors.Join(err, conn.Close())
	}, nil
}
