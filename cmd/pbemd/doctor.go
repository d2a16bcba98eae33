package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// serverPatience is how long a server may take to answer the doctor.
const serverPatience = 20 * time.Second

const doctorUsage = `usage: pbemd doctor [--config FILE] [--health]

Connects to everything that the config names, and says line by line what is right,
what is wrong, and what to do. It changes nothing and sends no mail. Exit code 0:
all is right; 1: something is wrong.

  --health   only asks the daemon that runs (http.listen), and prints its /healthz
`

// runDoctor is pbemd doctor.
func runDoctor(env environment, args []string) int {
	var path string
	var health bool
	rest, code, done := flags(env, "doctor", args, func(fs *flag.FlagSet) {
		fs.Usage = func() { fmt.Fprint(env.stderr, doctorUsage) }
		fs.StringVar(&path, "config", "", "config `file`; without it: everything embedded in pbemd-data")
		fs.BoolVar(&health, "health", false, "only ask the daemon that runs")
	})
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprint(env.stderr, doctorUsage)
		return exitUsage
	}
	c, err := ReadConfig(path)
	if err != nil {
		return fail(env, fmt.Errorf("the config is not right:\n%w", err))
	}
	c.Log.Level = "error"
	h := &House{Config: c, Log: newLog(c.Log, env.stderr)}
	if env.tune != nil {
		env.tune(h)
	}
	if health {
		return askHealth(env, c.HTTP.Listen)
	}
	d := &doctor{house: h, out: env.stdout, lookup: net.DefaultResolver.LookupTXT}
	d.examine(env.ctx)
	if d.wrongs > 0 {
		fmt.Fprintf(env.stdout, "%d wrong\n", d.wrongs)
		return exitError
	}
	fmt.Fprintln(env.stdout, "all is right")
	return exitDone
}

// askHealth prints what the daemon says of itself.
func askHealth(env environment, listen string) int {
	if listen == "" {
		return fail(env, errors.New("the config has no http.listen, so that the daemon cannot be asked; without --health the doctor looks for himself"))
	}
	code, body, err := getHealth(env.ctx, listen)
	if err != nil {
		return fail(env, fmt.Errorf("asking the daemon: %w; does pbemd serve run?", err))
	}
	env.stdout.Write(body)
	if code != http.StatusOK {
		return exitError
	}
	return exitDone
}

// getHealth asks a daemon that listens at an address for its /healthz.
func getHealth(ctx context.Context, listen string) (code int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*readLimit)
	defer cancel()
	url, err := healthURL(listen)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, body, err
}

// doctor looks at everything that a config names.
type doctor struct {
	house  *House
	out    io.Writer
	lookup func(ctx context.Context, name string) ([]string, error)
	wrongs int
}

func (d *doctor) right(what, format string, args ...any) { d.line("ok", what, format, args...) }
func (d *doctor) note(what, format string, args ...any)  { d.line("note", what, format, args...) }

// wrong says what is wrong and what to do about it.
func (d *doctor) wrong(what string, err error, do string) {
	d.wrongs++
	d.line("WRONG", what, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	if do != "" {
		fmt.Fprintf(d.out, "       %-10s %s\n", "", do)
	}
}

func (d *doctor) line(verdict, what, format string, args ...any) {
	fmt.Fprintf(d.out, "%-6s %-10s %s\n", verdict, what, fmt.Sprintf(format, args...))
}

func (d *doctor) examine(ctx context.Context) {
	d.keys()
	if d.house.Config.embedded() {
		d.note("mail", "pbemd serves its own post office for %s (SMTP %s, IMAP %s); it is not asked",
			d.house.Config.Mail.Address, d.house.Config.Post.SMTP, d.house.Config.Post.IMAP)
	} else {
		d.imap(ctx)
		d.smtp(ctx)
		d.verdicts()
	}
	d.dkim(ctx)
	d.http(ctx)
	d.database(ctx)
}

// keys looks at the token key file.
func (d *doctor) keys() {
	path := d.house.Config.Mail.TokenKeyFile
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(path)
		if _, err := os.Stat(folder); err != nil && folder != filepath.Clean(d.house.Config.Data) {
			d.wrong("token keys", err, "make the folder "+folder)
			return
		}
		d.note("token keys", "%s is not there yet; the first start makes it. If this house has games, restore it from the backup", path)
		return
	}
	if err == nil {
		_, err = mail.LoadKeys(path, false)
	}
	switch {
	case err != nil:
		d.wrong("token keys", err, "restore the file from the backup: without it no answer to a mail that was sent is known")
	case info.Mode().Perm()&0o007 != 0:
		d.wrong("token keys", fmt.Errorf("everybody may read %s", path), "chmod o= "+path+": whoever reads it can write as any player or GM")
	default:
		d.right("token keys", "%s", path)
	}
}

// imap looks at the mailbox.
func (d *doctor) imap(ctx context.Context) {
	c := d.house.Config.IMAP
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	mode, _ := tlsMode(c.TLS)
	facts, err := mail.CheckIMAP(ctx, mail.IMAPConfig{Addr: c.Addr, TLS: mode, User: c.User, Pass: c.password, CA: c.ca},
		"INBOX", "Processed", "Quarantine")
	if err != nil {
		d.wrong("imap", err, "see to imap.addr, imap.tls, imap.ca_file, imap.user and the password")
		return
	}
	d.right("imap", "%s takes the login of %s (%s)", c.Addr, c.User, tlsWords(c.TLS))
	for _, folder := range facts.Missing {
		if folder == "INBOX" {
			d.wrong("imap", errors.New("there is no INBOX"), "let the mail server make the mailbox")
			continue
		}
		d.note("imap", "there is no folder %s yet; pbemd serve makes it", folder)
	}
	if !facts.Move && !facts.UIDPlus {
		d.note("imap", "the server has neither MOVE nor UIDPLUS: letters stay in INBOX, marked %s", mail.MovedKeyword)
	}
	if !facts.Idle {
		d.note("imap", "the server has no IDLE: new letters are found once a minute")
	}
}

func tlsWords(mode string) string {
	switch mode {
	case "none":
		return "in the clear"
	case "starttls":
		return "STARTTLS"
	}
	return "TLS"
}

// smtp looks at the way out.
func (d *doctor) smtp(ctx context.Context) {
	c := d.house.Config.SMTP
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	mode, _ := tlsMode(c.TLS)
	out := &mail.SMTP{Addr: c.Addr, TLS: mode, User: c.User, Pass: c.password, CA: c.ca}
	if err := out.Check(ctx); err != nil {
		do := "see to smtp.addr"
		if e, ok := errors.AsType[*mail.SendError](err); ok {
			switch e.Stage {
			case mail.StageTLS:
				do = "see to smtp.tls (port 465 is implicit, 587 is starttls) and smtp.ca_file"
			case mail.StageAuth:
				do = "see to smtp.user and its password"
			}
		}
		d.wrong("smtp", err, do)
		return
	}
	login := "without a login"
	if c.User != "" {
		login = "takes the login of " + c.User
	}
	d.right("smtp", "%s %s (%s); no mail was sent", c.Addr, login, tlsWords(c.TLS))
}

// verdicts says whose word on senders is taken.
func (d *doctor) verdicts() {
	if id := d.house.Config.Mail.AuthservID; id != "" {
		d.right("senders", "are believed as %s says in Authentication-Results", id)
		return
	}
	d.note("senders", "no mail.authserv_id: pbemd verifies DKIM itself, and has no DMARC")
}

// dkim compares the signing key with what DNS says.
func (d *doctor) dkim(ctx context.Context) {
	c := d.house.Config.DKIM
	if c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	name := c.signer.RecordName()
	records, err := d.lookup(ctx, name)
	do := fmt.Sprintf("publish this TXT record at %s: %s", name, c.signer.Record())
	switch {
	case err != nil:
		d.wrong("dkim", fmt.Errorf("looking up the key: %w", err), do)
	case !c.signer.Published(records):
		d.wrong("dkim", fmt.Errorf("%s holds another key", name), do)
	default:
		d.right("dkim", "%s holds the key that signs", name)
	}
}

// http asks the daemon that runs, if one does.
func (d *doctor) http(ctx context.Context) {
	listen := d.house.Config.HTTP.Listen
	if listen == "" {
		d.note("http", "no http.listen: there are no /healthz and no metrics")
		return
	}
	code, body, err := getHealth(ctx, listen)
	if errors.Is(err, syscall.ECONNREFUSED) {
		d.note("http", "nobody answers at %s: pbemd serve does not run here", listen)
		return
	}
	if err != nil {
		d.wrong("http", err, "see to http.listen")
		return
	}
	var said diagnosis
	if err := json.Unmarshal(body, &said); err != nil || said.Status == "" {
		d.wrong("http", fmt.Errorf("at %s answers somebody else (%d)", listen, code), "choose another http.listen, or stop the other program")
		return
	}
	if code == http.StatusOK {
		d.right("http", "pbemd %s answers at %s: %s", said.Version, listen, said.Status)
		return
	}
	for _, c := range said.Checks {
		if !c.OK && c.Level == failing {
			d.wrong("http", fmt.Errorf("pbemd %s answers at %s: %s: not so: %s", said.Version, listen, said.Status, c.What), c.Do)
		}
	}
}

// database looks at the database and at what it says of the house.
func (d *doctor) database(ctx context.Context) {
	url := d.house.Config.Database.URL
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		// Opening would make the file.
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			d.note("database", "%s is not there yet; pbemd serve makes it", path)
			return
		}
	}
	reach, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	st, err := d.house.openStore(reach)
	if err != nil {
		d.wrong("database", err, "see to database.url and whether the database runs")
		return
	}
	defer st.Close()
	if err := st.CheckSchema(reach); err != nil {
		d.wrong("database", err, "")
		return
	}
	d.right("database", "%s, its schema is current", databaseKind(url))
	h, err := st.Health(reach, d.house.Config.Mail.Account)
	if err != nil {
		d.wrong("database", err, "see whether the database is overloaded")
		return
	}
	d.figures(h)
	d.games(reach, st)
}

// figures says how the house stands.
func (d *doctor) figures(h store.Health) {
	if h.Searched.IsZero() {
		d.note("mailbox", "it was never searched to its end: pbemd serve did not run yet")
	}
	if h.Holder != "" && h.Until.After(h.Now) {
		d.right("mailbox", "%s keeps it", h.Holder)
	} else {
		d.note("mailbox", "no process keeps it: pbemd serve does not run, or cannot reach the IMAP server")
	}
	for _, c := range judge(h, h.Searched) {
		if c.Name == "search" && h.Searched.IsZero() {
			continue
		}
		switch {
		case !c.OK && c.Name == "stuck":
			d.wrong("stuck", fmt.Errorf("%s", joinStuck(h.Stuck)), c.Do)
		case !c.OK:
			d.wrong(c.Name, fmt.Errorf("not so: %s; waiting: %d, for %s", c.What, c.Count, seconds(c.Age)), c.Do)
		case c.Name == "search":
			d.right(c.Name, "%s %s ago", c.What, seconds(c.Age))
		case c.Name == "letters", c.Name == "outbox":
			d.right(c.Name, "%s; waiting: %d", c.What, c.Count)
		default:
			d.right(c.Name, "%s", c.What)
		}
	}
	if h.Review.Count > 0 {
		d.note("review", "turns that wait for their GM: %d, the longest for %s", h.Review.Count, seconds(h.Review.Age(h.Now).Seconds()))
	}
	if h.Quarantined > 0 {
		d.note("quarantine", "letters that were set aside unread, ever: %d", h.Quarantined)
	}
	if h.Unreachable > 0 {
		d.note("addresses", "addresses that refused a mail for good: %d; the GM was told which", h.Unreachable)
	}
}

func joinStuck(turns []store.StuckTurn) string {
	var names []string
	for _, t := range turns {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ") + " cannot go on without a person"
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

// games tells where each game stands.
func (d *doctor) games(ctx context.Context, st *store.Store) {
	games, err := st.Games(ctx, false)
	if err != nil {
		d.wrong("games", err, "see whether the database is overloaded")
		return
	}
	if len(games) == 0 {
		d.note("games", "there is none; pbemd game create FILE makes one")
	}
	for _, g := range games {
		s, err := st.Snapshot(ctx, g.ID)
		if err != nil {
			d.wrong("game", fmt.Errorf("%s: %w", g.Name, err), "see whether the database is overloaded")
			return
		}
		state := string(s.Turn.State)
		if !s.Turn.PausedAt.IsZero() || !g.PausedAt.IsZero() {
			state += ", paused"
		}
		d.right("game", "%s turn %d: %s; deadline %s", g.Name, s.Turn.N, state, s.Turn.DeadlineAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
}
