// Package pgtest gives tests a schema of their own on a real PostgreSQL, when
// the environment names one.
package pgtest

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Env names the environment variable that holds the DSN of a database in which
// the tests may make schemas: a URL, or keywords and values.
const Env = "PBEMD_TEST_POSTGRES"

// DSN makes a fresh schema and gives a DSN whose search_path is it; it is
// dropped when the test ends. Without Env the test is skipped; with it, a
// server that does not answer fails the test.
func DSN(t testing.TB) string {
	t.Helper()
	base := os.Getenv(Env)
	if base == "" {
		t.Skip(Env + " is not set: not run on PostgreSQL")
	}
	db, err := sql.Open("pgx", base)
	if err != nil {
		t.Fatalf("opening %s: %v", Env, err)
	}
	schema := "pbemd_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("making a schema in %s: %v", Env, err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec("DROP SCHEMA " + schema + " CASCADE"); err != nil {
			t.Errorf("dropping the schema: %v", err)
		}
		db.Close()
	})
	dsn, err := withSearchPath(base, schema)
	if err != nil {
		t.Fatalf("reading %s: %v", Env, err)
	}
	return dsn
}

func withSearchPath(dsn, schema string) (string, error) {
	if !strings.Contains(dsn, "://") {
		return dsn + " search_path=" + schema, nil
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "", fmt.Errorf("not a URL: %w", err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String(), nil
}
