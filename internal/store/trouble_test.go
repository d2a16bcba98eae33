package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestTrouble tells faults of the database from those of what it was asked.
func TestTrouble(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", "postgres://x@127.0.0.1:1/x?sslmode=disable") // nobody listens
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	refused := db.PingContext(t.Context())
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{refused, true},
		{fmt.Errorf("storing: %w", &pgconn.PgError{Code: "53100"}), true}, // disk full
		{&pgconn.PgError{Code: "57P01"}, true},                            // shutting down
		{&pgconn.PgError{Code: "25006"}, true},                            // a standby
		{&pgconn.PgError{Code: "40P01"}, true},                            // deadlock
		{&pgconn.PgError{Code: "23505"}, false},                           // unique
		{&pgconn.PgError{Code: "22021"}, false},                           // bad text
		{pgconn.ErrConnClosed, true},
		{io.ErrUnexpectedEOF, true},
		{errors.Join(errors.New("x"), io.EOF), true},
		{ErrChanged, false},
		{sql.ErrNoRows, false},
		{context.DeadlineExceeded, false},
		{&Snooze{}, false},
	} {
		if got := Trouble(tt.err); got != tt.want {
			t.Errorf("Trouble(%v) = %v", tt.err, got)
		}
	}
}

// TestInsist repeats while there is trouble, and not after.
func TestInsist(t *testing.T) {
	t.Parallel()
	tries := 0
	other := errors.New("other")
	err := Insist(t.Context(), func() error {
		if tries++; tries < 3 {
			return io.EOF
		}
		return other
	})
	if tries != 3 || !errors.Is(err, other) {
		t.Errorf("%d tries, %v", tries, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Insist(ctx, func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}
