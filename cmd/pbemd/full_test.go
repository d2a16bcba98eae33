package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// disk is a small file system of a test's own.
type disk struct {
	t   *testing.T
	dir string
}

// newDisk mounts a file system of some megabytes. Who runs the tests of real
// servers is root: the lab needs it too.
func newDisk(t *testing.T, size string) *disk {
	t.Helper()
	dir, err := os.MkdirTemp("", "pbemd-disk-")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=755,size="+size); err != nil {
		os.Remove(dir)
		t.Fatalf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(unix.Unmount(dir, unix.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return &disk{t: t, dir: dir}
}

func (d *disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// fill takes all space that is left.
func (d *disk) fill() {
	d.t.Helper()
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 1 << 12} {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			d.t.Fatal(err)
		}
		err = nil
	}
}

// free gives the space back.
func (d *disk) free() {
	d.t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		d.t.Fatal(err)
	}
}

// noise is text that nothing makes shorter.
func noise(bytes int) string {
	b := make([]byte, bytes*3/4)
	rand.Read(b) // never fails (crypto/rand)
	return base64.StdEncoding.EncodeToString(b)
}

// fullHouse is a game on a disk that is filled up again and again.
type fullHouse struct {
	*fleet
	disk *disk
	pg   *pgtest.Cluster // nil: SQLite
}

// full fills the disk, and the room that the database has within its files.
func (f *fullHouse) full() {
	f.t.Helper()
	_, err := f.db.Exec(`CREATE TABLE IF NOT EXISTS filler (b TEXT)`)
	f.must(err)
	f.disk.fill()
	for _, size := range []int{64 << 10, 4 << 10, 256} {
		for err = nil; err == nil; {
			_, err = f.db.Exec(`INSERT INTO filler VALUES ($1)`, noise(size))
		}
		if !store.Trouble(err) {
			f.t.Fatal(err)
		}
	}
	f.t.Logf("full: %v", err)
}

// free makes room again, and starts a PostgreSQL that has given up, as an init
// system would.
func (f *fullHouse) free() {
	f.t.Helper()
	f.disk.free()
	f.until("a database with room", func() (bool, error) {
		if f.pg != nil && !f.pg.Running() {
			f.t.Log("PostgreSQL gave up")
			if err := f.pg.Start(); err != nil {
				return false, err
			}
		}
		_, err := f.db.Exec(`INSERT INTO filler VALUES ('')`)
		return err == nil, err
	})
}

// later lets everything go out that a post office without room had put off.
func (f *fullHouse) later() {
	f.t.Helper()
	f.settled()
	f.must(f.clock.set(f.clock.now().Add(2 * time.Hour)))
	f.settled()
}

// trouble waits until the process has met the full disk some more times.
func (f *fullHouse) trouble(times int) {
	f.t.Helper()
	seen := func() int { return f.said("one", "level=WARN") + f.said("one", "level=ERROR") }
	before := seen()
	f.until("trouble with the full disk", func() (bool, error) { return seen() >= before+times, nil })
}

// ordered is fleet.ordered with letters for which there is no room in what the
// database has left anywhere.
func (f *fullHouse) ordered(text string) []letterTo {
	f.t.Helper()
	letters := f.fleet.ordered(text)
	for i, l := range letters {
		var pad strings.Builder
		for range 1000 {
			pad.WriteString(" " + noise(96) + "\r\n")
		}
		letters[i].raw = []byte(strings.Replace(string(l.raw), "\r\n\r\n", "\r\nX-Pad:\r\n"+pad.String()+"\r\n", 1))
	}
	return letters
}

// TestDiskFull fills the disk of database and post office while letters come in,
// at the deadline and when the GM releases. Nothing is lost, doubled or half
// done, and all goes on by itself when there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	sqlite := func(t *testing.T, l *lab.Lab) *fullHouse {
		d, dir := newDisk(t, "24m"), t.TempDir()
		if err := os.Symlink(d.dir, filepath.Join(dir, "data")); err != nil {
			t.Fatal(err)
		}
		return &fullHouse{disk: d, fleet: newFleet(t, dir, "sqlite:"+filepath.Join(dir, "data", "pbemd.db"), l, "Dusk")}
	}
	t.Run("sqlite lab", func(t *testing.T) {
		t.Parallel()
		playFull(t, sqlite(t, l))
	})
	t.Run("sqlite post office", func(t *testing.T) {
		t.Parallel()
		playFull(t, sqlite(t, nil))
	})
	t.Run("postgres lab", func(t *testing.T) {
		t.Parallel()
		d := newDisk(t, "128m")
		pg := pgtest.ServerIn(t, d.dir)
		f := &fullHouse{disk: d, pg: pg, fleet: newFleet(t, t.TempDir(), pg.DSN(), l, "Dusk")}
		f.db.SetMaxIdleConns(0)
		playFull(t, f)
	})
}

func playFull(t *testing.T, f *fullHouse) {
	f.terms = "claim=1m look=50s"
	f.run("one")
	f.settled()

	// Letters come in.
	letters := f.ordered("Crouch.")
	f.full()
	if f.lab != nil {
		f.post(letters...)
		f.trouble(10)
		left, err := f.lab.Letters(f.ctx, f.user("pbem"), "INBOX")
		f.must(err)
		if len(left) != len(letters) {
			t.Errorf("%d letters lie in the mailbox, want %d", len(left), len(letters))
		}
	} else {
		for _, l := range letters {
			err := f.send(l.who, l.to, l.raw)
			if se, ok := errors.AsType[*mail.SendError](err); !ok || se.Code != 452 {
				t.Errorf("a letter for which the post office has no room: %v, want 452", err)
			}
		}
		f.trouble(10)
	}
	f.free()
	if f.lab == nil {
		f.post(letters...)
	}
	f.later()
	for _, who := range players {
		if n := f.mails(who, "orders received"); n != 1 {
			t.Errorf("%s has %d receipts", who, n)
		}
	}

	// The deadline.
	f.full()
	f.must(f.clock.set(firstDeadline.Add(rigGrace + time.Second)))
	f.trouble(20)
	f.free()
	f.state(game.Review)
	f.later()

	// The release.
	ok := f.written("Dusk", "greta", "attempt 1", "OK")
	if f.lab == nil {
		f.post(ok)
		f.full() // wherever the release is by now
	} else {
		f.full()
		f.post(ok)
	}
	f.trouble(20)
	f.free()
	f.later()
	f.check(1)
	if f.pg == nil {
		var verdict string
		f.must(f.db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict))
		if verdict != "ok" {
			t.Errorf("the database: %s", verdict)
		}
	}
	f.survived("one")
}

// TestDiskFullAtDraft fills the disk each time that a turn is resolved and not
// drafted yet, more often than a turn is tried that is to blame itself.
func TestDiskFullAtDraft(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	d := newDisk(t, "128m")
	pg := pgtest.ServerIn(t, d.dir)
	f := &fullHouse{disk: d, pg: pg, fleet: newFleet(t, t.TempDir(), pg.DSN(), l, "Dusk")}
	f.db.SetMaxIdleConns(0)
	const times = 4
	full := make(chan int, times) // how often a draft was refused before
	resolved := 0
	var isFull atomic.Bool
	refused := func() int {
		return strings.Count(pg.Log(), "STATEMENT:  INSERT INTO attempt") + strings.Count(pg.Log(), "STATEMENT:  INSERT INTO outbox")
	}
	h := f.house()
	h.Rows.Claim = 15 * time.Second // so long a look that came meanwhile puts off the next
	h.Step = func(name string) {    // one process resolves a turn once at a time
		if name == "resolved" && resolved < times && !isFull.Load() {
			resolved++
			isFull.Store(true)
			f.full()
			full <- refused()
		}
	}
	f.serve(h)
	f.settled()
	f.post(f.ordered("Crouch.")...)
	f.settled()
	f.must(f.clock.set(firstDeadline.Add(rigGrace + time.Second)))
	// A draft that began while the disk was full, or that fits into what is left of
	// it, is stored: then there are fewer times.
	drafted := func() (bool, error) {
		var state game.State
		err := f.db.QueryRowContext(f.ctx, `SELECT state FROM turn WHERE n = 1`).Scan(&state)
		return err == nil && state == game.Review, err
	}
	for {
		n := -1
		f.until("the turn to be resolved", func() (bool, error) {
			select {
			case n = <-full:
				return true, nil
			default:
				return drafted()
			}
		})
		if n < 0 {
			break
		}
		f.until("a draft without room", func() (bool, error) {
			if refused() > n {
				return true, nil
			}
			return drafted()
		})
		f.free()
		isFull.Store(false)
	}
	if refused() == 0 {
		t.Fatal("no draft met the full disk")
	}
	f.settled()
	f.release()
	f.check(1)
}
