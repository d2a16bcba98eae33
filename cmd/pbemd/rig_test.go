package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jhillyerd/enmime/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
	"github.com/pbemd/pbemd/internal/store"
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

// shortened makes a House of a rig.
func shortened(h *House) {
	if path := os.Getenv(envClock); path != "" {
		h.Now = clockFile(path).now
	}
	h.Terms = daemon.Terms{Lease: 2 * time.Second, LeaseRetry: 200 * time.Millisecond, Poll: 200 * time.Millisecond,
		Redial: 200 * time.Millisecond, Outage: 500 * time.Millisecond}
	h.Rows = RowTerms{Term: 500 * time.Millisecond, Sweep: 200 * time.Millisecond, Claim: 2 * time.Second}
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
	text, err := examples.Files.ReadFile("demo.toml")
	if err != nil {
		return nil, err
	}
	game := string(text)
	for from, to := range map[string]string{
		`schedule = "* * * * *"`: `schedule = "0 20 * * *"`,
		`min_turn = "15s"`:       `min_turn = "12h"`,
		`grace = "1s"`:           `grace = "5m"`,
		`remind = "20s"`:         `remind = "6h"`,
	} {
		if !strings.Contains(game, from) {
			return nil, fmt.Errorf("examples/demo.toml has no line %s", from)
		}
		game = strings.Replace(game, from, to, 1)
	}
	for _, who := range people {
		game = strings.ReplaceAll(game, who+"@pbemd.localhost", r.address(who))
	}
	config := fmt.Sprintf("data = %q\noperator = %q\n[database]\nurl = %q\n", filepath.Join(dir, "data"), r.address("oper"), dsn)
	if l == nil {
		config += "[post_office]\nsmtp = \"127.0.0.1:0\"\nimap = \"127.0.0.1:0\"\n"
	} else {
		config += fmt.Sprintf("[mail]\naddress = %q\nauthserv_id = \"mx.test\"\nmx_hops = 2\n", r.address("pbem")) +
			fmt.Sprintf("[imap]\naddr = %q\ntls = \"none\"\nuser = %q\npassword_env = \"PBEMD_RIG_PASSWORD\"\n", lab.IMAP, r.user("pbem")) +
			fmt.Sprintf("[smtp]\naddr = %q\ntls = \"none\"\n", lab.SMTP)
	}
	for name, text := range map[string]string{"game.toml": game, "pbemd.toml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return r, nil
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

// password is a person's at the post office of the rig.
func (r *rig) password(who string) (string, error) {
	return postoffice.AddAccount(filepath.Join(r.dir, "data", "accounts"), r.address(who))
}

// arrival is how a letter comes in.
type arrival struct {
	by      string    // who sends it; empty: the person whose mail it answers
	from    string    // address; empty: the sender's own
	auth    string    // what the MX says: "pass" (default), "fail", "none"; the lab only
	subject string    // default: Re: what it answers
	id      string    // Message-ID; default: a new one
	at      time.Time // when the MX took it, default: now; the lab only
}

// meet lets the rig wait for the mails of somebody who has no part in its game.
func (r *rig) meet(who string) {
	if !slices.Contains(people, who) && !slices.Contains(r.others, who) {
		r.others = append(r.others, who)
	}
}

// write makes a person's letter: an answer to m, or a new one to our address.
func (r *rig) write(who string, m *mailIn, text string, a arrival) (to string, raw []byte) {
	r.n++
	if a.from == "" {
		a.from = r.address(who)
	}
	if a.id == "" {
		a.id = fmt.Sprintf("<%s.%d.%s>", who, r.n, a.from)
	}
	if a.at.IsZero() {
		a.at = r.clock.now()
	}
	at := a.at.UTC().Format(time.RFC1123Z)
	var b bytes.Buffer
	if r.lab != nil {
		fmt.Fprintf(&b, "Received: from client.test by mx.test with ESMTPS id %d; %s\r\n", r.n, at)
		switch a.auth {
		case "", "pass":
			fmt.Fprintf(&b, "Authentication-Results: mx.test; dmarc=pass header.from=%s\r\n", a.from[strings.IndexByte(a.from, '@')+1:])
		case "fail":
			fmt.Fprintf(&b, "Authentication-Results: mx.test; dmarc=fail header.from=%s\r\n", a.from[strings.IndexByte(a.from, '@')+1:])
		}
	}
	to = r.address("pbem")
	if m != nil {
		to = m.replyTo
		if a.subject == "" {
			a.subject = "Re: " + m.subject
		}
	}
	fmt.Fprintf(&b, "From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: %s\r\nDate: %s\r\n", a.from, to, a.subject, a.id, at)
	if m != nil {
		fmt.Fprintf(&b, "In-Reply-To: %s\r\nReferences: %s\r\n", m.messageID, m.messageID)
	}
	fmt.Fprintf(&b, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n", strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\r\n"))
	return to, b.Bytes()
}

// send brings a letter under way: by LMTP as an MX would deliver it, or by
// submission at the post office.
func (r *rig) send(who, to string, raw []byte) error {
	if r.lab != nil {
		return r.lab.Deliver(r.address(who), to, raw)
	}
	p, err := r.running()
	if err != nil {
		return err
	}
	pass, err := r.password(who)
	if err != nil {
		return err
	}
	s := mail.SMTP{Addr: p.smtp, TLS: mail.TLSNone, User: r.address(who), Pass: pass}
	return s.Send(r.ctx, r.address(who), to, raw)
}

// answer writes and sends a letter that answers the newest mail whose first
// line holds the words.
func (r *rig) answer(who, words, text string, a arrival) error {
	m, err := r.newest(who, words)
	if err != nil {
		return err
	}
	who = cmp.Or(a.by, who)
	to, raw := r.write(who, &m, text, a)
	return r.send(who, to, raw)
}

// unlessDead forgives an error of sending where the post office is in a process
// that was to die of the letter: it may have died before it could say that it has
// it. A letter that it does not have is missed later.
func (r *rig) unlessDead(err error) error {
	if err == nil || r.lab != nil {
		return err
	}
	for _, p := range r.procs {
		if !p.mortal {
			continue
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(rigPatience):
		}
	}
	return err
}

// open opens somebody's mailbox.
func (r *rig) open(who string) (mail.Mailbox, error) {
	if r.lab != nil {
		return r.lab.Dial(r.ctx, r.user(who))
	}
	p, err := r.running()
	if err != nil {
		return nil, err
	}
	pass, err := r.password(who)
	if err != nil {
		return nil, err
	}
	return mail.DialIMAP(r.ctx, mail.IMAPConfig{Addr: p.imap, TLS: mail.TLSNone, User: r.address(who), Pass: pass})
}

// inbox gives all mails of a person in their order. The post office numbers its
// letters anew when it starts, but keeps their order.
func (r *rig) inbox(who string) ([]mailIn, error) {
	box, err := r.open(who)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	if _, err := box.Select(r.ctx, "INBOX"); err != nil {
		return nil, err
	}
	uids, err := box.ListUIDs(r.ctx, 1)
	if err != nil {
		return nil, err
	}
	for _, uid := range uids[min(len(r.letters[who]), len(uids)):] {
		raw, _, err := box.FetchRaw(r.ctx, uid, 32<<20)
		if err != nil {
			return nil, err
		}
		m, err := readMail(raw)
		if err != nil {
			return nil, err
		}
		r.letters[who] = append(r.letters[who], m)
	}
	return r.letters[who], nil
}

func readMail(raw []byte) (mailIn, error) {
	env, err := enmime.ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		return mailIn{}, err
	}
	m := mailIn{subject: env.GetHeader("Subject"), text: strings.ReplaceAll(env.Text, "\r\n", "\n"),
		replyTo: strings.Trim(env.GetHeader("Reply-To"), "<>"), messageID: env.GetHeader("Message-Id"), raw: raw}
	m.marker, _, _ = strings.Cut(m.text, "\n")
	return m, nil
}

// find gives the mails of a person whose first line or Subject holds the words.
func (r *rig) find(who, words string) (found []mailIn, err error) {
	all, err := r.inbox(who)
	for _, m := range all {
		if strings.Contains(m.marker, words) || strings.Contains(m.subject, words) {
			found = append(found, m)
		}
	}
	return found, err
}

// newest gives the last of them.
func (r *rig) newest(who, words string) (mailIn, error) {
	found, err := r.find(who, words)
	if err == nil && len(found) == 0 {
		var have []string
		for _, m := range r.letters[who] {
			have = append(have, m.marker)
		}
		err = fmt.Errorf("%s has no mail %q, only %q", who, words, have)
	}
	if err != nil {
		return mailIn{}, err
	}
	return found[len(found)-1], nil
}

// rigGrace is the grace of the rig's game.
const rigGrace = 5 * time.Minute

// rigPatience bounds the wait for a process or a mail server.
const rigPatience = 90 * time.Second

// settle waits until the mailbox is read, nothing is due, and all that was sent
// has arrived.
func (r *rig) settle() error {
	ctx, cancel := context.WithTimeout(r.ctx, rigPatience)
	defer cancel()
	st, err := r.database(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	db, err := r.sql()
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		wants, err := r.unsettled(ctx, st, db)
		if err == nil && wants == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("it does not settle: %s (%v)%s", wants, err, r.logs())
		}
	}
}

// logs gives what the processes wrote last.
func (r *rig) logs() (logs string) {
	for name, p := range r.procs {
		logs += fmt.Sprintf("\n-- process %s (alive: %v) --\n%s", name, p.alive(), p.log)
	}
	return logs
}

// database opens the rig's database beside its processes.
func (r *rig) database(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Options{DSN: r.dsn, Now: r.clock.now})
}

// sql opens the rig's database without its store, to look at rows.
func (r *rig) sql() (*sql.DB, error) {
	if path, ok := strings.CutPrefix(r.dsn, "sqlite:"); ok {
		return sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	}
	return sql.Open("pgx", r.dsn)
}

// unsettled says what is still to come; empty: nothing.
func (r *rig) unsettled(ctx context.Context, st *store.Store, db *sql.DB) (string, error) {
	// Asked before the mailbox, which costs a login, and after it: a letter that is
	// not there any more is in the database.
	if wants, err := r.undone(ctx, st, db); wants != "" || err != nil {
		return wants, err
	}
	if n, err := r.unfetched(ctx); n > 0 || err != nil {
		return fmt.Sprintf("%d letters are not fetched", n), err
	}
	if wants, err := r.undone(ctx, st, db); wants != "" || err != nil {
		return wants, err
	}
	for _, who := range slices.Concat(people, r.others) {
		sent, err := sentTo(ctx, db, r.address(who))
		if err != nil {
			return "", err
		}
		arrived := func(id string) bool {
			return slices.ContainsFunc(r.letters[who], func(m mailIn) bool { return m.messageID == id })
		}
		if sent = slices.DeleteFunc(sent, arrived); len(sent) == 0 {
			continue
		}
		if _, err := r.inbox(who); err != nil {
			return "", err
		}
		if sent = slices.DeleteFunc(sent, arrived); len(sent) > 0 {
			return fmt.Sprintf("%d mails are under way to %s", len(sent), who), nil
		}
	}
	return "", nil
}

// sentTo gives the Message-IDs of the mails to an address that a mail server took.
func sentTo(ctx context.Context, db *sql.DB, address string) (ids []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT message_id FROM outbox WHERE state = 'sent' AND address = $1`, address)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// asksToClose counts the open turns that somebody asked to close, and all moves of
// all turns.
func asksToClose(ctx context.Context, db *sql.DB) (asked, moves int, err error) {
	err = db.QueryRowContext(ctx, `SELECT COUNT(CASE WHEN state = 'open' AND asked_at IS NOT NULL THEN 1 END), COALESCE(SUM(input_seq), 0) FROM turn`).Scan(&asked, &moves)
	return asked, moves, err
}

func (r *rig) unfetched(ctx context.Context) (int, error) {
	box, err := r.open("pbem")
	if err != nil {
		return 0, err
	}
	defer box.Close()
	if _, err := box.Select(ctx, "INBOX"); err != nil {
		return 0, err
	}
	uids, err := box.ListUIDs(ctx, 1)
	return len(uids), err
}

// undone says what the database still wants done.
func (r *rig) undone(ctx context.Context, st *store.Store, db *sql.DB) (string, error) {
	asked, moves, err := asksToClose(ctx, db)
	if err != nil {
		return "", err
	}
	// A second more: what is stored while the database is asked is due as well.
	due, err := st.Due(ctx, r.clock.now().Add(time.Second), 100)
	if err != nil {
		return "", err
	}
	if _, now, err := asksToClose(ctx, db); now != moves || err != nil {
		return "a turn moves on", err
	}
	due = slices.DeleteFunc(due, func(w store.Work) bool {
		return w.Kind == store.DoClose && asked == 0 && r.clock.now().Before(w.At.Add(rigGrace)) // letters may still be under way
	})
	if len(due) > 0 {
		return fmt.Sprintf("due: %v", due), nil
	}
	var rereading int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM mailbox WHERE reread_asked IS NOT NULL`).Scan(&rereading); err != nil {
		return "", err
	}
	if rereading > 0 {
		return "letters are being read again", nil
	}
	var claimed int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM outbox WHERE state = 'claimed'`).Scan(&claimed); err != nil {
		return "", err
	}
	if claimed > 0 {
		return fmt.Sprintf("%d mails are being sent", claimed), nil
	}
	var again int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND why <> '' AND not_before <= $1`,
		store.Time(r.clock.now().Add(time.Minute))).Scan(&again)
	if err != nil {
		return "", err
	}
	if again > 0 {
		return fmt.Sprintf("%d mails are tried again soon", again), nil
	}
	return "", nil
}
