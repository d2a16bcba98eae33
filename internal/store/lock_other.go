//go:build !unix

package store

import "context"

// lockFile takes no lock where there is no flock: there, one process at a time
// must migrate an SQLite file.
func lockFile(context.Context, string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}
