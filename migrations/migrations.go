// Package migrations holds the numbered SQL of the database, one set for
// PostgreSQL and SQLite. internal/store runs it.
package migrations

import "embed"

// FS holds the goose migrations, at its top level.
//
//go:embed *.sql
var FS embed.FS
