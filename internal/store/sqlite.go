package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
)

// busyTimeout is how long, in milliseconds, a statement waits for another's
// transaction: a disk that others use too can keep one commit for many seconds, and
// whoever waits behind it is not to be told that the database is locked.
const busyTimeout = 30_000

// openSQLite opens a pool on a database file. Commits wait for the disk when
// synchronous is FULL, and survive only the process when it is NORMAL.
func openSQLite(path, synchronous string) (*sql.DB, error) {
	q := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout), "journal_mode(WAL)", "synchronous(" + synchronous + ")", "foreign_keys(1)"},
	}
	c, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(preparing{c}), nil
}

// preparing opens connections that keep the statements they have prepared: SQLite
// itself keeps none, and to parse them again was a fifth of the work of a letter.
type preparing struct{ driver.Connector }

// Connect opens one connection.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{sqliteConn: c.(sqliteConn), kept: map[string]*keptStmt{}}, nil
}

// sqliteConn is what a connection of the driver is able to do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// maxKept bounds the statements of one connection; there are about a hundred
// texts. Those beyond are parsed each time.
const maxKept = 250

type preparingConn struct {
	sqliteConn
	kept map[string]*keptStmt // by text
}

type keptStmt struct {
	sqliteStmt
	busy bool // rows of it are being read
}

// sqliteStmt is what a statement of the driver is able to do.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Unwrap gives the driver's own connection.
func (c *preparingConn) Unwrap() driver.Conn { return c.sqliteConn }

// stmt gives the kept statement of a text, or nil if there is none to use now.
func (c *preparingConn) stmt(ctx context.Context, query string) (*keptStmt, error) {
	if s, ok := c.kept[query]; ok {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if len(c.kept) >= maxKept {
		return nil, nil
	}
	p, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := &keptStmt{sqliteStmt: p.(sqliteStmt)}
	c.kept[query] = s
	return s, nil
}

// ExecContext runs a statement.
func (c *preparingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext begins to read rows.
func (c *preparingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &keptRows{rows, s}, nil
}

// Close finalizes the statements, and closes the connection.
func (c *preparingConn) Close() error {
	for _, s := range c.kept {
		s.Close()
	}
	clear(c.kept)
	return c.sqliteConn.Close()
}

// keptRows are rows of a kept statement.
type keptRows struct {
	driver.Rows
	s *keptStmt
}

// Close makes the statement free for the next query.
func (r *keptRows) Close() error {
	r.s.busy = false
	return r.Rows.Close()
}
