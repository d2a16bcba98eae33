package postoffice

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	epochFile   = ".epoch"
	maxEpoch    = 1 << 19 // keeps the folders made and deleted at a start under 2^23
	stampLayout = "20060102T150405.000000Z"
	letterExt   = ".eml"
	tempPrefix  = ".new-"
)

// stored is one letter of the spool.
type stored struct {
	seq int
	at  time.Time
	raw []byte
}

// letterID is the name of a letter's file without its ending: the time of
// storing and the number in its mailbox, which alone gives the order.
func letterID(seq int, at time.Time) string {
	return fmt.Sprintf("%s-%08d", at.UTC().Format(stampLayout), seq)
}

func parseLetterID(id string) (seq int, at time.Time, err error) {
	stamp, number, _ := strings.Cut(id, "-")
	if at, err = time.Parse(stampLayout, stamp); err != nil {
		return 0, time.Time{}, err
	}
	seq, err = strconv.Atoi(number)
	return seq, at, err
}

// readSpool reads a mailbox folder, which may be absent. Files that are no
// letters are skipped and logged; what a crash left half written is skipped.
func readSpool(dir string, log *slog.Logger) ([]stored, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var letters []stored
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		l, err := readLetter(filepath.Join(dir, e.Name()))
		if err != nil {
			log.Error("skipping broken file in spool", "file", filepath.Join(dir, e.Name()), "err", err)
			continue
		}
		letters = append(letters, l)
	}
	slices.SortFunc(letters, func(a, b stored) int { return a.seq - b.seq })
	return letters, nil
}

func readLetter(path string) (stored, error) {
	id, ok := strings.CutSuffix(filepath.Base(path), letterExt)
	if !ok {
		return stored{}, fmt.Errorf("name does not end in %s", letterExt)
	}
	seq, at, err := parseLetterID(id)
	if err != nil {
		return stored{}, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return stored{}, err
	}
	if len(raw) == 0 {
		return stored{}, errors.New("file is empty")
	}
	return stored{seq, at, raw}, nil
}

// writeFile makes dir/name with its content, or nothing: when it returns nil
// both have reached the disk.
func writeFile(dir, name string, content []byte) (err error) {
	temp := filepath.Join(dir, tempPrefix+name)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be opened for that there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// raiseEpoch counts the starts on a spool folder. The new number is on the
// disk before anybody can see a UIDVALIDITY made from it.
func raiseEpoch(dir string) (uint32, error) {
	path := filepath.Join(dir, epochFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	var last uint64
	if err == nil {
		last, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
		if err != nil || last >= maxEpoch {
			return 0, fmt.Errorf("%s should hold the number of starts so far, under %d: mail programs rely on its rising", path, maxEpoch)
		}
	}
	epoch := uint32(last) + 1
	return epoch, writeFile(dir, epochFile, fmt.Appendf(nil, "%d\n", epoch))
}
