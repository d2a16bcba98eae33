package pgtest

import (
	"database/sql"
	"testing"
)

// TestClusterKeepsItsData over a stop and over a crash.
func TestClusterKeepsItsData(t *testing.T) {
	t.Parallel()
	c := Server(t)
	db, err := sql.Open("pgx", c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE kept (n INT)"); err != nil {
		t.Fatal(err)
	}
	for i, mode := range []string{Fast, Immediate} {
		if _, err := db.Exec("INSERT INTO kept VALUES ($1)", i); err != nil {
			t.Fatal(err)
		}
		if err := c.Stop(mode); err != nil {
			t.Fatal(err)
		}
		if c.Running() {
			t.Errorf("it runs after a stop (%s)", mode)
		}
		if err := db.Ping(); err == nil {
			t.Errorf("it answers after a stop (%s)", mode)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM kept").Scan(&n); err != nil || n != i+1 {
			t.Errorf("after a stop (%s): %d rows, %v; want %d", mode, n, err, i+1)
		}
	}
}
