package pgtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is a PostgreSQL of a test's own, which the test may stop, crash and
// start as it likes. It has one database, "postgres", and no passwords.
type Cluster struct {
	dir  string // holds the data; the server's user owns it
	log  string // a file elsewhere, for the folder may be full
	bin  string
	addr string // of loopback
	port int
}

// Ways of stopping a Cluster, as pg_ctl names them.
const (
	Fast      = "fast"      // sessions are ended, a checkpoint is written
	Immediate = "immediate" // as a crash: the next start recovers
)

// Server makes and starts a cluster, which ends with the test. Without Env the
// test is skipped; with it, the programs of PostgreSQL must be in the PATH or
// where Debian has them.
func Server(t testing.TB) *Cluster {
	t.Helper()
	needEnv(t)
	dir, err := os.MkdirTemp("", "pbemd-postgres-") // not t.TempDir: its parent is closed to the server's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return ServerIn(t, dir)
}

// ServerIn is Server with its data in a folder that is there, such as a small
// file system.
func ServerIn(t testing.TB, dir string) *Cluster {
	t.Helper()
	needEnv(t)
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	// An address of its own keeps the port free while the cluster is down: local
	// ends of connections have 127.0.0.1.
	c := &Cluster{dir: dir, bin: bin, addr: fmt.Sprintf("127.%d.%d.%d", 1+rand.N(250), rand.N(250), 1+rand.N(250)), port: 5432}
	log, err := os.CreateTemp("", "pbemd-postgres-*.log")
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	c.log = log.Name()
	t.Cleanup(func() { os.Remove(c.log) })
	for _, path := range []string{dir, c.log} {
		if err := c.own(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.make(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.Running() {
			if err := c.Stop(Immediate); err != nil {
				t.Error(err)
			}
		}
	})
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func needEnv(t testing.TB) {
	t.Helper()
	if os.Getenv(Env) == "" {
		t.Skip(Env + " is not set: not run on PostgreSQL")
	}
}

// programs finds the folder of pg_ctl and initdb, the newest if there are
// several.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if _, err := exec.LookPath("pg_ctl"); err == nil {
			if path, err = filepath.EvalSymlinks(path); err == nil {
				return filepath.Dir(path), nil
			}
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("looking for PostgreSQL: neither initdb and pg_ctl in the PATH nor /usr/lib/postgresql/*/bin (%w)", err)
	}
	version := func(dir string) int { n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))); return n }
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// serverUser runs PostgreSQL where the tests run as root, which it refuses.
const serverUser = "postgres"

// own gives a file or folder to the server's user.
func (c *Cluster) own(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup(serverUser)
	if err != nil {
		return fmt.Errorf("giving a file to PostgreSQL: %w", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	return os.Chown(path, uid, gid)
}

// run runs a program of PostgreSQL as the server's user.
func (c *Cluster) run(name string, args ...string) error {
	args = append([]string{filepath.Join(c.bin, name)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"setpriv", "--reuid=" + serverUser, "--regid=" + serverUser, "--init-groups", "--"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = "/", &out, &out, time.Second
	if err := cmd.Run(); err != nil {
		log := c.Log()
		return fmt.Errorf("%s %s: %w\n%s%s", name, args[len(args)-1], err, out.Bytes(), log[max(0, len(log)-4096):])
	}
	return nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// make writes the cluster's files. What it logs ahead comes in small pieces, so
// that it fits on a small file system.
func (c *Cluster) make() error {
	if err := c.run("initdb", "-D", c.data(), "-U", "postgres", "--auth=trust", "--no-instructions", "--no-sync", "--wal-segsize=1", "-E", "UTF8", "--locale=C"); err != nil {
		return err
	}
	for file, lines := range map[string]string{
		"postgresql.conf": fmt.Sprintf("listen_addresses = '%s'\nport = %d\nunix_socket_directories = ''\nfsync = off\nmax_connections = 100\n"+
			"shared_buffers = 16MB\nmin_wal_size = 2MB\nmax_wal_size = 8MB\n", c.addr, c.port),
		"pg_hba.conf": "host all all 127.0.0.0/8 trust\n",
	} {
		f, err := os.OpenFile(filepath.Join(c.data(), file), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(lines)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DSN names the cluster's one database; it stays the same over restarts.
func (c *Cluster) DSN() string {
	return fmt.Sprintf("postgres://postgres@%s:%d/postgres?sslmode=disable", c.addr, c.port)
}

// Start starts the cluster and returns when it takes connections.
func (c *Cluster) Start() error {
	return c.run("pg_ctl", "-D", c.data(), "-l", c.log, "-w", "-s", "start")
}

// Stop stops the cluster, in a mode such as Fast, and returns when it has ended.
func (c *Cluster) Stop(mode string) error {
	return c.run("pg_ctl", "-D", c.data(), "-m", mode, "-w", "-s", "stop")
}

// Running reports whether the server's first process lives; a crash may have
// ended it.
func (c *Cluster) Running() bool {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return false
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	_, err = os.Stat(filepath.Join("/proc", strings.TrimSpace(pid)))
	return err == nil
}

// Log is what the server wrote.
func (c *Cluster) Log() string {
	log, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(log)
}
