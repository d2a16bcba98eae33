package resolve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/pbemd/pbemd/internal/game"
)

// Data reads the TOML files of a game system one after another: it keeps one
// hash over all of them, and every fault that it finds. Make it with NewData.
type Data struct {
	files  fs.FS
	sum    hash.Hash
	faults []error
}

// NewData begins to read the files of a system.
func NewData(files fs.FS) *Data { return &Data{files: files, sum: sha256.New()} }

// Read reads one file into a struct. A key that the struct does not know is a fault.
func (d *Data) Read(name string, into any) {
	b, err := fs.ReadFile(d.files, name)
	if err != nil {
		d.faults = append(d.faults, err)
		return
	}
	fmt.Fprintf(d.sum, "%s %d\n%s", name, len(b), b)
	meta, err := toml.Decode(string(b), into)
	if err != nil {
		d.faults = append(d.faults, fmt.Errorf("%s: %w", name, err))
		return
	}
	for _, k := range meta.Undecoded() {
		d.faults = append(d.faults, game.Fault{File: name, Key: k.String(), Text: "unknown key"})
	}
}

// Hash is the hex SHA-256 over the names, lengths and bytes of the files read, in order.
func (d *Data) Hash() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// Faults lists what was wrong with the files, in the order in which they were read.
func (d *Data) Faults() []error { return d.faults }

// Embedded reads the folder "data" of a system's own files once, when it is first
// wanted.
func Embedded[T any](files fs.FS, load func(fs.FS) (T, error)) func() (T, error) {
	return sync.OnceValues(func() (T, error) {
		sub, err := fs.Sub(files, "data")
		if err != nil {
			var none T
			return none, err
		}
		return load(sub)
	})
}
