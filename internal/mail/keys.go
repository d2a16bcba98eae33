package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Keys are the secrets that seal tokens: the current one seals, all of them
// open. To change the key, add a line with a new id to the file: the last line
// is the current key.
type Keys struct {
	keys    map[byte][32]byte
	current byte
}

// NewKeys makes a key ring with one key.
func NewKeys(id byte, key [32]byte) Keys {
	return Keys{keys: map[byte][32]byte{id: key}, current: id}
}

// ParseKeys reads lines "id hexkey" (id 0..255, key of 32 bytes); blank lines
// and lines that begin with "#" do not count.
func ParseKeys(text []byte) (Keys, error) {
	k := Keys{keys: map[byte][32]byte{}}
	sc := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		idText, keyText, _ := strings.Cut(line, " ")
		id, err := strconv.ParseUint(idText, 10, 8)
		if err != nil {
			return Keys{}, fmt.Errorf("line %d: the key id must be a number from 0 to 255", n)
		}
		// The line is a secret: the error does not repeat it.
		raw, err := hex.DecodeString(strings.TrimSpace(keyText))
		if err != nil || len(raw) != 32 {
			return Keys{}, fmt.Errorf("line %d: the key must be 64 hexadecimal digits", n)
		}
		if _, twice := k.keys[byte(id)]; twice {
			return Keys{}, fmt.Errorf("line %d: key id %d occurs twice", n, id)
		}
		k.keys[byte(id)] = [32]byte(raw)
		k.current = byte(id)
	}
	if err := sc.Err(); err != nil {
		return Keys{}, fmt.Errorf("reading token keys: %w", err)
	}
	if len(k.keys) == 0 {
		return Keys{}, errors.New("there is no token key in the file")
	}
	return k, nil
}

// LoadKeys reads a key file. If there is none and create is set, it makes one
// with a random key, readable by its owner only; of two processes that do so
// at once, both end with the same file.
func LoadKeys(path string, create bool) (Keys, error) {
	text, err := os.ReadFile(path)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := createKeys(path); err != nil {
			return Keys{}, fmt.Errorf("making token key file %s: %w", path, err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return Keys{}, fmt.Errorf("reading token keys: %w", err)
	}
	k, err := ParseKeys(text)
	if err != nil {
		return Keys{}, fmt.Errorf("token key file %s: %w", path, err)
	}
	return k, nil
}

// createKeys writes a temporary file and links it to its name, which fails
// without harm if somebody else was first.
func createKeys(path string) error {
	var key [32]byte
	rand.Read(key[:])
	f, err := os.CreateTemp(filepath.Dir(path), ".token-key-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "# pbemd token keys: \"id hexkey\"; the last line seals, all open. Keep it secret.\n1 %x\n", key)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
