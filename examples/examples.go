// Package examples holds the game and scenario files that the program plays
// and the tests read. Their comments are the documentation of the format.
package examples

import "embed"

// Files are the example files by name.
//
//go:embed *.toml
var Files embed.FS
