// Package daemon is the imperative shell that joins mail, parse, resolve,
// report and store: it takes letters in, closes turns, drafts and releases
// them, and sends what was written. It alone reads the clock. Every step looks
// at a row, works with no transaction open, and ends in one transaction of the
// store; so any step may be killed and repeated.
package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// Kinds of role.
const (
	roleGM     = "gm"
	rolePlayer = "player"
)

// Kinds of work: what a row wants (store.Work.Kind).
const (
	workIngest  = "ingest"
	workClose   = "close"
	workResolve = "resolve"
	workRelease = "release"
	workSend    = "send"
	workRemind  = "remind"
	workNudge   = "nudge"
)

// Steps are the failpoints of design section 2, in the order of a walk.
var Steps = []string{"fetched", "stored", "moved", "ingested", "closed", "resolved", "drafted",
	"packet-queued", "ok-taken", "rendered", "released", "claimed", "smtp-accepted", "recorded"}

// Options are all that a daemon needs from outside. Every field without
// "optional" is required.
type Options struct {
	Store    *store.Store
	Rulesets func(name string) (resolve.Ruleset, error)
	Sender   mail.Sender
	Keys     mail.Keys
	Account  string // name of the mail account, stored with letters
	Address  string // our address, such as pbem@example.org; tokens go behind its plus
	Name     string // display name of our mail
	Operator string // optional: address that hears of letters and turns that need a person
	// How letters are judged: see mail.ReadOptions.
	AuthservID   string
	MXHops       int
	SubmissionID string
	LookupTXT    func(string) ([]string, error) // optional: DNS
	Build        string
	Now          func() time.Time  // optional: time.Now
	Rand         io.Reader         // optional: crypto/rand; secrets of games are drawn from it
	Log          *slog.Logger      // optional: slog.Default
	Step         func(name string) // optional: called at each of Steps
	Terms        Terms             // optional
	// Renumbers says that the mail server numbers its folders anew at each start,
	// which then is no sign of anything: the post office does.
	Renumbers bool
	// Reread asks that every letter of the account be read again first: after a
	// restore.
	Reread bool
	// Sign, if set, signs composed mail (DKIM).
	Sign func(raw []byte) ([]byte, error)
	// Trace, if set, hears one line a letter taken in and a turn moved on.
	Trace func(Trace)
}

// Terms are how long the parts of a daemon wait. Zero values are for real
// servers.
type Terms struct {
	Lease      time.Duration // of the mailbox, prolonged at half of it; 2 min
	LeaseRetry time.Duration // between two tries to get it; 20 s
	Poll       time.Duration // between two searches when the server tells of nothing; 1 min
	Redial     time.Duration // after a connection failed; 10 s
	Outage     time.Duration // sending rests so long after a failure of our own server; 1 min
}

func (t Terms) withDefaults() Terms {
	return Terms{
		Lease:      cmp.Or(t.Lease, 2*time.Minute),
		LeaseRetry: cmp.Or(t.LeaseRetry, 20*time.Second),
		Poll:       cmp.Or(t.Poll, time.Minute),
		Redial:     cmp.Or(t.Redial, 10*time.Second),
		Outage:     cmp.Or(t.Outage, time.Minute),
	}
}

// Trace is one thing that happened, for people who watch.
type Trace struct {
	What string // letter, closed, draft, pause, released, sent
	Game string
	Turn int
	Who  string
	Text string
}

// Daemon carries games. Make one with New.
type Daemon struct {
	Options
	domain string
	hurry  chan struct{} // wakes the watch: a turn waits for a search

	mu          sync.Mutex
	files       map[string]*scenario.Game  // parsed game files by SHA
	rules       map[string]resolve.Ruleset // systems by name
	silentUntil time.Time                  // nothing is sent before
	reread      *rereading                 // how far it is
}

// New makes a daemon of its parts.
func New(o Options) (*Daemon, error) {
	if o.Store == nil || o.Rulesets == nil || o.Sender == nil || o.Account == "" {
		return nil, errors.New("making a daemon: Store, Rulesets, Sender and Account are required")
	}
	addr, err := mail.NormalizeAddress(o.Address)
	if err != nil {
		return nil, fmt.Errorf("making a daemon: our address %q: %w", o.Address, err)
	}
	o.Address = addr
	o.Terms = o.Terms.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	if o.Trace == nil {
		o.Trace = func(Trace) {}
	}
	if o.Name == "" {
		o.Name = "pbemd"
	}
	return &Daemon{Options: o, domain: domainOf(addr), hurry: make(chan struct{}, 1), files: map[string]*scenario.Game{}, rules: map[string]resolve.Ruleset{}}, nil
}

// ruleset finds a game system; each is made once, for making reads its data.
func (d *Daemon) ruleset(name string) (resolve.Ruleset, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if rs, ok := d.rules[name]; ok {
		return rs, nil
	}
	rs, err := d.Rulesets(name)
	if err == nil {
		d.rules[name] = rs
	}
	return rs, err
}

// Handlers lists what the daemon does with each kind of work.
func (d *Daemon) Handlers() map[string]store.Handler {
	return map[string]store.Handler{
		workIngest:  d.ingest,
		workClose:   d.closeTurn,
		workResolve: d.resolveTurn,
		workRelease: d.releaseTurn,
		workSend:    d.sendMail,
		workRemind:  d.remind,
		workNudge:   d.nudge,
	}
}

// RunDue carries out everything that is due now, in order, until nothing is,
// without a work queue. It is how a fake clock drives a daemon; rows whose
// handler fails or snoozes are left for the next call. It returns how many
// rows it handled.
func (d *Daemon) RunDue(ctx context.Context) (int, error) {
	handlers := d.Handlers()
	left := map[store.Work]bool{}
	done := 0
	for {
		due, err := d.Store.Due(ctx, d.Now(), 100)
		if err != nil {
			return done, err
		}
		looked := false
		for _, w := range due {
			w.At = time.Time{}
			if left[w] {
				continue
			}
			looked = true
			err := handlers[w.Kind](ctx, w)
			if snooze, ok := errors.AsType[*store.Snooze](err); ok {
				d.Log.Debug("snoozed", "kind", w.Kind, "row", w.Row, "for", snooze.For)
				left[w] = true
				continue
			}
			if err != nil {
				d.Log.Error("work", "kind", w.Kind, "row", w.Row, "err", err)
				left[w] = true
				continue
			}
			done++
		}
		if !looked {
			return done, nil
		}
		if done > 100_000 {
			return done, errors.New("work does not come to an end")
		}
	}
}

// maxFiles is how many parsed game files are kept.
const maxFiles = 500

// file reads a game's file; the parsed form is kept, for it never changes.
func (d *Daemon) file(g store.Game) (*scenario.Game, error) {
	d.mu.Lock()
	f, ok := d.files[g.FileSHA]
	d.mu.Unlock()
	if ok {
		return f, nil
	}
	f, faults := scenario.ReadGame(g.Name+".toml", []byte(g.File))
	if len(faults) > 0 {
		return nil, fmt.Errorf("reading the stored file of game %s: %w", g.Name, faults[0])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.files) >= maxFiles {
		clear(d.files)
	}
	d.files[g.FileSHA] = f
	return f, nil
}

// table is a snapshot with all that is derived from it: one reading of a
// game's current turn, from which a letter is judged and a mail written.
type table struct {
	store.Snapshot
	file  *scenario.Game
	rules resolve.Ruleset
	world game.World
	seals *seals
	zone  *time.Location
	atlas report.Atlas
	veils int64 // row of the phase that goes on, of which the reader is not told; 0: none
}

func (d *Daemon) table(s store.Snapshot) (*table, error) {
	f, err := d.file(s.Game)
	if err != nil {
		return nil, err
	}
	rs, err := d.ruleset(s.Game.System)
	if err != nil {
		return nil, err
	}
	w, err := rs.Load(s.Turn.World)
	if err != nil {
		return nil, fmt.Errorf("loading the world of %s turn %d: %w", s.Game.Name, s.Turn.N, err)
	}
	sl, err := newSeals(s.Game, s.Turn, s.PrevLock, rs, w)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(f.Clock.Zone)
	if err != nil {
		return nil, fmt.Errorf("zone of game %s: %w", s.Game.Name, err)
	}
	return &table{Snapshot: s, file: f, rules: rs, world: w, seals: sl, zone: zone, atlas: report.Atlas{Ours: playersSides(w)}}, nil
}

func (d *Daemon) tableOf(ctx context.Context, gameID int64) (*table, error) {
	s, err := d.Store.Snapshot(ctx, gameID)
	if err != nil {
		return nil, err
	}
	return d.table(s)
}

// maxRetries bounds how often a change is decided again because the turn moved
// on meanwhile; more contention than this is an error that the queue retries.
const maxRetries = 20

// retry runs decide until it does not meet a turn that changed meanwhile.
func retry(decide func() error) error {
	var err error
	for range maxRetries {
		if err = decide(); !errors.Is(err, store.ErrChanged) {
			return err
		}
	}
	return err
}

// canonical is the JSON that is stored, hashed and compared: Go's encoding
// writes struct fields in order and map keys sorted.
func canonical(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing %T as JSON: %w", v, err)
	}
	return b, nil
}
