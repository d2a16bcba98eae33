package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"bytes"

	"github.com/pbemd/pbemd/examples"
	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/store"
)

// demoPatience bounds demo --once: its schedule closes every minute.
const demoPatience = 10 * time.Minute

// runDemo plays a sample game by real mail in one process.
func runDemo(env environment, args []string) int {
	var once bool
	var file string
	rest, code, done := flags(env, "demo", args, func(fs *flag.FlagSet) {
		fs.BoolVar(&once, "once", false, "end after the first released turn")
		fs.StringVar(&file, "game", "", "game `file`, or the name of an example: demo, ambush, brawl or bridge; the mails of its seats are read from FILE's name with .mails.toml")
	})
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd demo [--once] [--game FILE]")
		return exitUsage
	}
	name, text, script, err := demoFiles(file)
	if err != nil {
		return fail(env, err)
	}
	folder, err := demoFolder("pbemd-data")
	if err != nil {
		return fail(env, err)
	}
	d := &demo{out: env.stdout, folder: folder, seats: map[string]*seat{}, released: make(chan struct{}, 1)}
	if err := d.play(env.ctx, name, text, script, once); err != nil {
		return fail(env, fmt.Errorf("%w (everything is kept in %s)", err, folder))
	}
	return exitDone
}

// demoFiles reads the game and, where there is one, the script of its seats. A
// bare word is the name of an example that the program carries.
func demoFiles(file string) (name string, text []byte, s Script, err error) {
	var files fs.FS = examples.Files
	name = cmp.Or(file, "demo") + ".toml"
	if strings.ContainsAny(file, `./\`) {
		files, name = os.DirFS(filepath.Dir(file)), filepath.Base(file)
	}
	text, err = fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) && name != filepath.Base(file) {
		return name, nil, s, fmt.Errorf("there is no example %q: name demo, ambush, brawl, bridge, or a game file such as ./%s", file, name)
	}
	if err != nil {
		return name, nil, s, fmt.Errorf("reading the game file: %w", err)
	}
	mails := strings.TrimSuffix(name, ".toml") + ".mails.toml"
	raw, err := fs.ReadFile(files, mails)
	if errors.Is(err, fs.ErrNotExist) {
		// Without a script the players stay silent and the GM releases what comes.
		s.Mail = []ScriptMail{{Seat: "gm", When: "attempt", Text: "OK"}}
		return name, text, s, nil
	}
	if err == nil {
		s, err = readScript(mails, raw)
	}
	return name, text, s, err
}

// demoFolder makes the first demo-<n> that is not there yet, so that one run
// never meets another.
func demoFolder(under string) (string, error) {
	if err := makeFolder(under); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		folder := filepath.Join(under, fmt.Sprintf("demo-%d", n))
		err := os.Mkdir(folder, 0o700)
		if err == nil {
			return folder, os.Mkdir(filepath.Join(folder, "mails"), 0o700)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("making a folder for the demo: %w", err)
		}
	}
}

// demo is a game that plays itself, and prints a line for each mail.
type demo struct {
	out    io.Writer
	folder string
	house  *House
	seats  map[string]*seat // by mailbox name

	mu       sync.Mutex
	mails    int
	ctx      context.Context
	answers  sync.WaitGroup
	released chan struct{}
}

func (d *demo) play(ctx context.Context, name string, text []byte, script Script, once bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.ctx = ctx
	log, err := os.Create(filepath.Join(d.folder, "log.txt"))
	if err != nil {
		return fmt.Errorf("making the log: %w", err)
	}
	defer log.Close()
	c := Config{Data: d.folder}
	c.Post.SMTP, c.Post.IMAP = "127.0.0.1:0", "127.0.0.1:0"
	c.defaults()
	h := &House{Config: c, Log: newLog(LogConfig{Level: "info", Format: "text"}, log), Trace: d.trace, OnLogin: d.login, OnDeliver: d.deliver}
	d.house = h
	defer d.answers.Wait()
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.Open(ctx); err != nil {
		return err
	}
	d.line("a game by mail, kept in %s", d.folder)
	g, faults, err := h.Daemon.CreateGame(ctx, name, text)
	if len(faults) > 0 {
		return fmt.Errorf("the game file has faults: %w", faults[0])
	}
	if err != nil {
		return err
	}
	if err := d.makeSeats(ctx, g, script); err != nil {
		return err
	}
	if err := h.Serve(ctx); err != nil {
		return err
	}
	d.invite(g)
	return d.wait(ctx, once)
}

// makeSeats gives everybody an account and, while nobody logs in to it, a script.
func (d *demo) makeSeats(ctx context.Context, g store.Game, script Script) error {
	snap, err := d.house.Store.Snapshot(ctx, g.ID)
	if err != nil {
		return err
	}
	var addresses []string
	for _, r := range snap.Roles {
		addresses = append(addresses, r.Address)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, r := range snap.Roles {
		password, ours, err := d.house.AddAccount(r.Address)
		if err != nil {
			return err
		}
		if !ours {
			return fmt.Errorf("the demo plays only with addresses at %s, not %s", d.house.Config.Post.Domain, r.Address)
		}
		user, _, _ := strings.Cut(r.Address, "@")
		s := &seat{user: user, address: r.Address, password: password, log: d.house.Log, now: time.Now, seen: map[string]int{},
			send: &postSender{house: d.house, user: r.Address, pass: password}}
		for j, a := range addresses {
			if j != i {
				s.others = append(s.others, a)
			}
		}
		for _, m := range script.Mail {
			if m.Seat == user || m.Seat == r.Kind {
				s.script = append(s.script, m)
			}
		}
		d.seats[user] = s
	}
	return nil
}

// invite says how a person can join.
func (d *demo) invite(g store.Game) {
	post := d.house.Post
	d.line("SMTP %s, IMAP %s (no TLS; this machine only)", post.SMTPAddr(), post.IMAPAddr())
	d.line("to join, log in with any mail program; that seat's script then stops:")
	snap, err := d.house.Store.Snapshot(d.ctx, g.ID)
	if err != nil {
		return
	}
	for _, r := range snap.Roles {
		user, _, _ := strings.Cut(r.Address, "@")
		d.line("  %-6s %-24s password %s", r.Kind, r.Address, d.seats[user].password)
		rc := d.seats[user].muttrc(post.SMTPAddr(), post.IMAPAddr())
		if err := os.WriteFile(filepath.Join(d.folder, user+".muttrc"), []byte(rc), 0o600); err != nil {
			d.house.Log.Error("writing a config for neomutt", "err", err)
		}
	}
	d.line("  with neomutt:  neomutt -F %s", filepath.Join(d.folder, "NAME.muttrc"))
	d.line("turn 1 closes at %s", snap.Turn.DeadlineAt.Local().Format("15:04:05"))
}

// wait returns after the first release with --once, else when ctx ends.
func (d *demo) wait(ctx context.Context, once bool) error {
	patience := ctx
	if once {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, demoPatience)
		defer cancel()
	}
	select {
	case <-d.released:
	case <-patience.Done():
		if once && ctx.Err() != nil {
			return errors.New("stopped before the first turn was released")
		}
		if once {
			return errors.New("the first turn was not released in time")
		}
		return nil
	}
	if !once {
		d.line("the first turn is released; the game goes on until you stop it (Ctrl-C)")
		<-ctx.Done()
		return nil
	}
	if err := d.drain(patience); err != nil {
		return err
	}
	d.mu.Lock()
	mails := d.mails
	d.mu.Unlock()
	d.line("the first turn is released; %d mails are in %s", mails, filepath.Join(d.folder, "mails"))
	return nil
}

// drain waits until every queued mail has gone out.
func (d *demo) drain(ctx context.Context) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := d.house.Store.Unsent(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the reports did not go out in time")
		case <-tick.C:
		}
	}
}

func (d *demo) line(format string, args ...any) {
	fmt.Fprintf(d.out, "%s  %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// trace prints what moves the turn on; mails print themselves on delivery.
func (d *demo) trace(t daemon.Trace) {
	switch t.What {
	case "closed":
		d.line("== turn %d of %s is closed (%s)", t.Turn, t.Game, t.Text)
	case "draft":
		d.line("== turn %d of %s: %s", t.Turn, t.Game, t.Text)
	case "pause":
		d.line("== a pause of turn %d of %s is released (%s)", t.Turn, t.Game, t.Text)
	case "released":
		d.line("== turn %d of %s is released (%s)", t.Turn, t.Game, t.Text)
		select {
		case d.released <- struct{}{}:
		default:
		}
	}
}

// login hears of a mail program: its seat belongs to a person from now on.
func (d *demo) login(user, _ string) {
	d.mu.Lock()
	s := d.seats[user]
	d.mu.Unlock()
	if s != nil && s.stop() {
		d.line("== a mail program has logged in as %s: the seat is yours", user)
	}
}

// deliver keeps a mail as .eml (and its HTML beside it), prints its line, and
// lets the seat answer.
func (d *demo) deliver(user string, raw []byte) {
	raw = bytes.Clone(raw)
	env, err := enmime.ReadEnvelope(bytes.NewReader(raw))
	from, subject := "?", "(unreadable)"
	if err == nil {
		from, subject = shortAddress(env.GetHeader("From")), env.GetHeader("Subject")
	}
	d.mu.Lock()
	d.mails++
	base := filepath.Join(d.folder, "mails", fmt.Sprintf("%03d-%s-to-%s", d.mails, from, user))
	s := d.seats[user]
	d.line("%-6s -> %-6s %s", from, user, subject)
	d.mu.Unlock()
	if err := os.WriteFile(base+".eml", raw, 0o600); err != nil {
		d.house.Log.Error("keeping a mail", "err", err)
	}
	if env != nil && env.HTML != "" && s != nil {
		if err := keepPage(base, env); err != nil {
			d.house.Log.Error("keeping a mail", "err", err)
		}
	}
	if s == nil || d.ctx.Err() != nil {
		return
	}
	d.answers.Go(func() { s.receive(d.ctx, raw) })
}

// keepPage writes a mail's HTML as base.html, and each picture that it shows
// beside it, under the name that the page then shows it by.
func keepPage(base string, env *enmime.Envelope) error {
	page := env.HTML
	for _, p := range slices.Concat(env.Inlines, env.OtherParts) {
		if p.ContentType != "image/png" || p.ContentID == "" {
			continue
		}
		name := base + "." + filepath.Base(p.ContentID) + ".png"
		if err := os.WriteFile(name, p.Content, 0o600); err != nil {
			return err
		}
		page = strings.ReplaceAll(page, `src="cid:`+p.ContentID+`"`, `src="`+filepath.Base(name)+`"`)
	}
	return os.WriteFile(base+".html", []byte(page), 0o600)
}

// shortAddress is the local part without its plus.
func shortAddress(from string) string {
	if i := strings.LastIndexByte(from, '<'); i >= 0 {
		from = from[i+1:]
	}
	from, _, _ = strings.Cut(from, "@")
	from, _, _ = strings.Cut(from, "+")
	return from
}
