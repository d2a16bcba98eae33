package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

// What a pbemd process of the tests reads from its environment.
const (
	envClock = "PBEMD_RIG_CLOCK" // a file with the clock's distance from the real one
	envDie   = "PBEMD_RIG_DIE"   // "step:n": the process kills itself at the nth call of a step
	envTerms = "PBEMD_RIG_TERMS" // "imap=3s claim=1m": terms that are not a rig's; see shortened
)

// TestMain lets the test binary be pbemd itself when it is called by that name.
// Tests of processes wait more than they work: more of them run at once than
// there are processors, unless -parallel says otherwise.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	testscript.Main(m, map[string]func(){"pbemd": mortal})
}

// mortal is pbemd with the clock of a rig, terms that are short, and a step at
// which it dies.
func mortal() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(environment{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, tune: shortened}, os.Args[1:]))
}

// shortenedClaims are the terms of rigs whose processes die: what one of them was
// at is taken up again soon. Slow is not dead, so all others keep long claims.
var shortenedClaims = fmt.Sprintf("claim=%ds", 2*slowness)

// shortened makes a House of a rig.
func shortened(h *House) {
	if path := os.Getenv(envClock); path != "" {
		h.Now = clockFile(path).now
	}
	h.Terms = daemon.Terms{Lease: 2 * time.Second * slowness, LeaseRetry: 200 * time.Millisecond, Poll: 200 * time.Millisecond,
		Redial: 200 * time.Millisecond, Outage: 500 * time.Millisecond}
	h.Rows = RowTerms{Term: 500 * time.Millisecond, Sweep: 200 * time.Millisecond, Claim: 40 * time.Second * slowness, Look: 30 * time.Second * slowness}
	terms := map[string]*time.Duration{"imap": &h.IMAPTimeout, "claim": &h.Rows.Claim, "look": &h.Rows.Look, "lease": &h.Terms.Lease}
	for _, term := range strings.Fields(os.Getenv(envTerms)) {
		name, value, _ := strings.Cut(term, "=")
		d, err := time.ParseDuration(value)
		if err != nil {
			panic(err)
		}
		*terms[name] = d
	}
	step, n, ok := strings.Cut(os.Getenv(envDie), ":")
	if !ok {
		return
	}
	left, err := strconv.Atoi(n)
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	h.Step = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		if name != step {
			return
		}
		if left--; left == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // no instruction of ours after it
		}
	}
}

// clockFile is a clock that runs as the real one does, at a distance that the
// file says in nanoseconds.
type clockFile string

func (c clockFile) now() time.Time {
	b, err := os.ReadFile(string(c))
	if err != nil {
		panic(err)
	}
	away, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Now().Add(time.Duration(away)).Round(0)
}

// set puts the clock to an instant; in one step, for processes that read it.
func (c clockFile) set(at time.Time) error {
	next := string(c) + ".next"
	if err := os.WriteFile(next, strconv.AppendInt(nil, int64(time.Until(at)), 10), 0o600); err != nil {
		return err
	}
	return os.Rename(next, string(c))
}

// rig is a game whose daemon runs in processes of their own, with its people
// outside of them: on a database, with the post office or the lab as the mail
// server.
type rig struct {
	ctx    context.Context
	dir    string
	dsn    string
	lab    *lab.Lab // nil: the post office of the process
	suffix string   // of mailbox names in the lab
	clock  clockFile
	terms  string // of its processes; see envTerms
	procs  map[string]*process

	letters map[string][]mailIn // what was read of each mailbox so far
	others  []string            // whom a test names besides people
	n       int
}

// mailIn is one mail that somebody got.
type mailIn struct {
	subject, text, replyTo, messageID, marker string
	raw                                       []byte
}

// people of the rig's game, and the operator.
var people = []string{"anna", "ben", "carla", "greta", "oper"}

// rigStart is when a rig's clock begins: a Monday, twelve hours before a deadline.
var rigStart = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

// newRig writes config, game file and clock into a folder.
func newRig(ctx context.Context, dir, dsn string, l *lab.Lab, suffix string) (*rig, error) {
	r := &rig{ctx: ctx, dir: dir, dsn: dsn, lab: l, suffix: suffix, clock: clockFile(filepath.Join(dir, "clock")),
		procs: map[string]*process{}, letters: map[string][]mailIn{}}
	if err := r.clock.set(rigStart); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name, example := range map[string]string{"game.toml": "demo.toml", "bridge.toml": "bridge.toml"} {
		text, err := r.gameFile(example)
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	config := fmt.Sprintf("data = %q\noperator = %q\n[database]\nurl = %q\n", filepath.Join(dir, "data"), r.address("oper"), dsn)
	if l == nil {
		config += "[post_office]\nsmtp = \"127.0.0.1:0\"\nimap = \"127.0.0.1:0\"\n"
	} else {
		config += fmt.Sprintf("[mail]\naddress = %q\nauthserv_id = \"mx.test\"\nmx_hops = 2\n", r.address("pbem")) +
			fmt.Sprintf("[imap]\naddr = %q\ntls = \"none\"\nuser = %q\npassword_env = \"PBEMD_RIG_PASSWORD\"\n", lab.IMAP, r.user("pbem")) +
			fmt.Sprintf("[smtp]\naddr = %q\ntls = \"none\"\n", lab.SMTP)
	}
	files["pbemd.toml"] = config
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// gameFile is an example for the people of the rig, with a turn a day.
func (r *rig) gameFile(example string) (string, error) {
	text, err := examples.Files.ReadFile(example)
	if err != nil {
		return "", err
	}
	game := string(text)
	for from, to := range map[string]string{
		`schedule = "* * * * *"`: `schedule = "0 20 * * *"`,
		`min_turn = "15s"`:       `min_turn = "12h"`,
		`grace = "1s"`:           `grace = "5m"`,
		`remind = "20s"`:         `remind = "6h"`,
	} {
		if !strings.Contains(game, from) {
			return "", fmt.Errorf("examples/%s has no line %s", example, from)
		}
		game = strings.Replace(game, from, to, 1)
	}
	for _, who := range people {
		game = strings.ReplaceAll(game, who+"@pbemd.localhost", r.address(who))
	}
	return game, nil
}

func (r *rig) user(who string) string {
	if r.lab == nil {
		return who
	}
	return who + r.suffix
}

func (r *rig) address(who string) string {
	if r.lab == nil {
		return who + "@pbemd.localhost"
	}
	return r.user(who) + "@" + lab.Domain
}

// environ is the environment of every pbemd of the rig.
func (r *rig) environ() []string {
	return []string{envClock + "=" + string(r.clock), envTerms + "=" + r.terms, "PBEMD_RIG_PASSWORD=" + lab.Password}
}

// pbemd runs a command of the rig to its end.
func (r *rig) pbemd(args ...string) (stdout string, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(r.ctx, self())
	cmd.Args = append([]string{"pbemd"}, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, append(os.Environ(), r.environ()...), &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("pbemd %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// create migrates the database and makes the game.
func (r *rig) create() error {
	if _, err := r.pbemd("migrate", "--config", "pbemd.toml"); err != nil {
		return err
	}
	_, err := r.pbemd("game", "create", "game.toml", "--config", "pbemd.toml")
	return err
}

// process is one pbemd serve.
type process struct {
	cmd        *exec.Cmd
	smtp, imap string // of its post office
	done       chan struct{}
	err        error // how it ended; to be read after done
	log        *tail
	mortal     bool // it is to die at a step
}

// tail keeps what a process writes, and shows its end.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - 1<<22; over > 0 {
		t.buf = t.buf[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf[max(0, len(t.buf)-1<<16):])
}

// count counts the places where it holds the words.
func (t *tail) count(words string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Count(t.buf, []byte(words))
}

// start runs a pbemd serve and returns when it serves. die is a value of
// envDie, or empty.
func (r *rig) start(name, die string) error { return r.startFor(name, die, 0) }

// startFor is start for a process that is killed so long after its beginning;
// 0: never. flags are further ones of serve.
func (r *rig) startFor(name, die string, life time.Duration, flags ...string) error {
	if p := r.procs[name]; p != nil && p.alive() {
		return fmt.Errorf("process %q runs already", name)
	}
	p := &process{mortal: die != "", done: make(chan struct{}), log: &tail{}}
	p.cmd = exec.Command(self())
	p.cmd.Args = append([]string{"pbemd", "serve", "--config", "pbemd.toml"}, flags...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = r.dir, append(append(os.Environ(), r.environ()...), envDie+"="+die), p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	r.procs[name] = p
	if life > 0 {
		time.AfterFunc(life, func() { p.cmd.Process.Kill() }) // an error: it is dead already
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		io.Copy(io.Discard, lines)
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	if err != nil {
		<-p.done
		if die != "" || life > 0 {
			return nil // it died before it could say so
		}
		return fmt.Errorf("pbemd serve ended at once: %w\n%s", p.err, p.log)
	}
	if r.lab == nil {
		fields := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" (),\n", c) })
		for i, f := range fields[:len(fields)-1] {
			switch f {
			case "SMTP":
				p.smtp = fields[i+1]
			case "IMAP":
				p.imap = fields[i+1]
			}
		}
		if p.smtp == "" || p.imap == "" {
			return fmt.Errorf("pbemd serve does not say where its post office is: %q", line)
		}
	}
	return nil
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill ends a process as a power cut would, and waits for its end.
func (r *rig) kill(name string) error {
	p := r.procs[name]
	if p == nil {
		return fmt.Errorf("there is no process %q", name)
	}
	p.cmd.Process.Kill() // an error: it is dead already
	<-p.done
	return p.raced()
}

// raced reports what the race detector found in a process.
func (p *process) raced() error {
	if log := p.log.String(); strings.Contains(log, "DATA RACE") {
		return fmt.Errorf("the process has a data race:\n%s", log)
	}
	return nil
}

// stop drains a process as an operator would.
func (r *rig) stop(name string) error {
	p := r.procs[name]
	if p == nil {
		return fmt.Errorf("there is no process %q", name)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && p.alive() {
		return err
	}
	<-p.done
	if p.err != nil {
		return fmt.Errorf("pbemd serve ended with %w\n%s", p.err, p.log)
	}
	return nil
}

// close kills all that runs.
func (r *rig) close() {
	for name := range r.procs {
		if err := r.kill(name); err != nil {
			panic(err)
		}
	}
}

// running gives a process that serves: the post office is in it.
func (r *rig) running() (*process, error) {
	for _, p := range r.procs {
		if p.alive() {
			return p, nil
		}
	}
	return nil, errors.New("no process serves")
}
