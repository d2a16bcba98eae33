package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// CreateGame makes a game of a file: world, roles, the first turn, the opening
// mails, and a hello to the GM. The faults of a bad file are returned with
// their places; then nothing is stored.
func (d *Daemon) CreateGame(ctx context.Context, name string, text []byte) (store.Game, []game.Fault, error) {
	f, faults := scenario.ReadGame(name, text)
	if len(faults) > 0 {
		return store.Game{}, faults, nil
	}
	rs, err := d.ruleset(f.System)
	if err != nil {
		return store.Game{}, []game.Fault{{File: name, Key: "game.system", Text: err.Error()}}, nil
	}
	w, faults := rs.Setup(f.Scenario)
	if len(faults) > 0 {
		return store.Game{}, faults, nil
	}
	world, err := canonical(w)
	if err != nil {
		return store.Game{}, nil, err
	}
	now := d.Now()
	deadline, err := scenario.NextDeadline(f.Clock.Schedule, f.Clock.Zone, now, f.Clock.MinTurn)
	if err != nil {
		return store.Game{}, []game.Fault{{File: name, Key: "clock.schedule", Text: err.Error()}}, nil
	}
	secret := make([]byte, 32)
	if _, err := io.ReadFull(d.Rand, secret); err != nil {
		return store.Game{}, nil, fmt.Errorf("drawing the game's secret: %w", err)
	}
	sum := sha256.Sum256(text)
	in := store.NewGame{
		Game: store.Game{
			Name: f.Name, Title: f.Title, System: f.System, Account: d.Account, File: string(text),
			FileSHA: hex.EncodeToString(sum[:]), Secret: secret, CreatedAt: now,
		},
		Combatants: map[game.ID]uint16{},
		Turn:       store.NewTurn{N: 1, World: world, OpenedAt: now, DeadlineAt: deadline, RemindAt: remindAt(f, now, deadline)},
	}
	if faults := d.roles(f, name, w, &in); len(faults) > 0 {
		return store.Game{}, faults, nil
	}
	in.Mails = func(g store.Game, roles []store.Role, t store.Turn) ([]store.NewMail, error) {
		tb, err := d.table(store.Snapshot{Game: g, Turn: t, Roles: roles})
		if err != nil {
			return nil, err
		}
		return d.firstMails(tb)
	}
	g, err := d.Store.CreateGame(ctx, in)
	if err != nil {
		return store.Game{}, nil, fmt.Errorf("creating game %s: %w", f.Name, err)
	}
	d.Log.Info("game created", "game", g.Name, "no", g.No)
	return g, nil, nil
}

// roles gives everybody a part: the GM is number 1, players follow in file order.
func (d *Daemon) roles(f *scenario.Game, name string, w game.World, in *store.NewGame) []game.Fault {
	var faults []game.Fault
	add := func(kind string, key game.ID, p scenario.Person, where string) {
		if text := d.badAddress(p.Address); text != "" {
			faults = append(faults, game.Fault{File: name, Key: where, Text: text})
			return
		}
		addr, _ := mail.NormalizeAddress(p.Address)
		in.Roles = append(in.Roles, store.NewRole{No: uint16(len(in.Roles) + 1), Kind: kind, Key: key, Name: p.Name, Address: addr, Zone: zoneOf(p, f)})
	}
	add(roleGM, game.GM, f.GM, "gm.address")
	no := map[game.ID]uint16{}
	for _, p := range f.Players {
		add(rolePlayer, p.ID, p, "player."+string(p.ID)+".address")
		no[p.ID] = uint16(len(in.Roles))
	}
	for _, b := range w.Bodies() {
		in.Combatants[b.ID] = no[b.Player]
	}
	return faults
}

// badAddress says why an address cannot be a person's here; empty if it can.
func (d *Daemon) badAddress(address string) string {
	addr, err := mail.NormalizeAddress(address)
	switch {
	case err != nil || d.ours(addr):
		return fmt.Sprintf("%q cannot be a person's address here", address)
	case mail.IsMailSystem(addr):
		return fmt.Sprintf("%q is a mail system's own address: letters from there are taken for bounces", address)
	}
	return ""
}

// zoneOf is the zone for times in mails to a person.
func zoneOf(p scenario.Person, f *scenario.Game) string { return cmp.Or(p.Zone, f.Clock.Zone) }

// helloMail asks a GM for an answer, which tells him whether his mail arrives
// verified.
func (d *Daemon) helloMail(t *table, r store.Role) (store.NewMail, error) {
	k := d.orderToken(r, t.Turn)
	k.Purpose = mail.PurposeHello
	m, err := report.Answer("hello", d.head(t, r), report.Hello{Proof: t.file.GMProof})
	if err != nil {
		return store.NewMail{}, err
	}
	return d.letterOf(envelope{kind: kindHello, role: r, turn: t.Turn, token: k}, m)
}

// firstMails are the openings and the GM's hello.
func (d *Daemon) firstMails(t *table) ([]store.NewMail, error) {
	var out []store.NewMail
	for _, r := range t.Roles {
		if r.Kind == roleGM {
			n, err := d.helloMail(t, r)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		n, err := d.openingMail(t, r)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// Show describes a game for its operator: who plays, where the turn stands, and
// what waits for whom. It tells no orders.
func (d *Daemon) Show(ctx context.Context, gameID int64) (string, error) {
	t, err := d.tableOf(ctx, gameID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("game", "%s: %s (%s)", t.Game.Name, t.Game.Title, t.Game.System)
	line("turn", "%d, %s", t.Turn.N, stateWords[t.Turn.State])
	if t.Turn.Phase > 0 {
		line("part", "%d of that turn", t.Turn.Phase+1)
	}
	if t.Turn.State == game.Stuck {
		line("stuck", "%s", t.Turn.Why)
	}
	if t.Turn.State == game.Open {
		line("deadline", "%s", t.when(t.Turn.DeadlineAt, store.Role{}))
	}
	if !t.Turn.PausedAt.IsZero() {
		line("paused", "since %s", t.when(t.Turn.PausedAt, store.Role{}))
	}
	if t.Turn.State == game.Review {
		line("attempt", "%d waits for the GM since %s", t.Turn.Attempt, t.when(t.Turn.ReviewAt, store.Role{}))
	}
	for _, r := range t.Roles {
		if r.Kind == roleGM {
			line("gm", "%s <%s>", r.Name, r.Address)
		}
	}
	for _, l := range d.statusOfPlayers(t).Lines {
		line("player", "%s", l)
	}
	if n := len(t.Holds); n > 0 {
		line("held", "%d letters wait for a confirmation", n)
	}
	return b.String(), nil
}

// ExportNote says what an export holds, for whoever finds it.
const ExportNote = `Each turn has a folder, turn-001 and so on; a further part of a turn has its own, turn-001-part-2. ` +
	`In it: turn.json (state, times, lock), dice.json (seals, leaves, lock; secrets only of a turn that is over), orders/ (the orders in force: their words and the plan as understood), rulings.json, world-before.json, ` +
	`and once it is released attempt.json with the bytes that its digest binds: attempt-orders.json, attempt-rulings.json, events.json, world-after.json, outcome.json. ` +
	`mails/ holds what was sent, by reader; a mail that reports a turn and opens the next one stands with the turn that it reports. mails.json lists all of them. ` +
	`The secret of the dice is left out until the game ends, and so are secrets of turns that are not over; with them anybody could compute dice that are still to be rolled. ` +
	`Drafts that were not released and the raw letters are left out. Keep the folder private: it tells names, addresses and the orders of a turn that is still open, and its mails hold addresses with which their readers can be impersonated as long as the game runs.`

// Export gives everything of a game as files to write, in an order that is
// always the same: two exports of one state are the same bytes. It holds no
// secret of dice that are still to be rolled.
func (d *Daemon) Export(ctx context.Context, gameID int64, write func(path string, data []byte) error) error {
	x := &export{d: d, write: write, folders: map[int64]folder{}}
	if err := write("README.txt", []byte(strings.ReplaceAll(ExportNote, ". ", ".\n")+"\n")); err != nil {
		return err
	}
	last, err := d.Store.Snapshot(ctx, gameID)
	if err != nil {
		return err
	}
	x.open = last.Turn.N
	if err := d.Store.Export(ctx, gameID, x.turn, x.mail); err != nil {
		return err
	}
	return x.json("mails.json", x.mails)
}

// export is one game on its way into files.
type export struct {
	d       *Daemon
	write   func(path string, data []byte) error
	open    int // the turn that is not over, unless the game is
	roles   map[int64]string
	last    string // folder of the turn before
	folders map[int64]folder
	mails   []exportedMail
}

// folder is where a turn is written, and the one before it.
type folder struct {
	name, before string
	opened       time.Time
}

type exportedMail struct {
	File      string    `json:"file,omitempty"` // none: its bytes were blanked
	Kind      string    `json:"kind"`
	Reader    string    `json:"reader"`
	Address   string    `json:"address"`
	Subject   string    `json:"subject"`
	MessageID string    `json:"message_id"`
	State     string    `json:"state"`
	Queued    time.Time `json:"queued"`
	Sent      time.Time `json:"sent,omitzero"`
}

// json writes what is ours; what is hashed is written as it is stored.
func (x *export) json(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return x.write(path, append(b, '\n'))
}

type exportedTurn struct {
	Turn     int        `json:"turn"`
	Phase    int        `json:"phase"`
	State    game.State `json:"state"`
	Released int        `json:"released_attempt"`
	Void     int        `json:"void"`
	Opened   time.Time  `json:"opened"`
	Deadline time.Time  `json:"deadline"`
	Closed   time.Time  `json:"closed,omitzero"`
	Reopened time.Time  `json:"reopened,omitzero"`
	Paused   time.Time  `json:"paused,omitzero"`
	Asks     string     `json:"asks,omitempty"`
	Why      string     `json:"why,omitempty"`
}

func (x *export) turn(s store.Snapshot) error {
	if x.roles == nil {
		if err := x.head(s); err != nil {
			return err
		}
	}
	dir := fmt.Sprintf("turn-%03d", s.Turn.N)
	if s.Turn.Phase > 0 {
		dir += fmt.Sprintf("-part-%d", s.Turn.Phase+1)
	}
	x.folders[s.Turn.ID] = folder{dir, cmp.Or(x.last, dir), s.Turn.OpenedAt}
	x.last = dir
	t := s.Turn
	for _, f := range []struct {
		name string
		v    any
	}{
		{"turn.json", exportedTurn{t.N, t.Phase, t.State, t.Released, t.Void, t.OpenedAt, t.DeadlineAt, t.ClosedAt, t.ReopenedAt, t.PausedAt, string(t.Asks), t.Why}},
		{"dice.json", x.dice(s)},
		{"rulings.json", rulingsOf(s)},
	} {
		if err := x.json(dir+"/"+f.name, f.v); err != nil {
			return err
		}
	}
	if err := x.write(dir+"/world-before.json", t.World); err != nil {
		return err
	}
	if err := x.orders(dir, s); err != nil {
		return err
	}
	if t.State != game.Released || s.Draft == nil {
		return nil
	}
	return x.attempt(dir, *s.Draft)
}

// head writes what is of the whole game.
func (x *export) head(s store.Snapshot) error {
	x.roles = map[int64]string{}
	type person struct {
		Part       string    `json:"part"`
		ID         string    `json:"id"`
		Name       string    `json:"name"`
		Address    string    `json:"address"`
		Zone       string    `json:"zone"`
		Combatants []game.ID `json:"combatants"`
	}
	var people []person
	for _, r := range s.Roles {
		x.roles[r.ID] = cmp.Or(string(r.Key), roleGM)
		p := person{r.Kind, x.roles[r.ID], r.Name, r.Address, r.Zone, []game.ID{}}
		for _, id := range slices.Sorted(maps.Keys(s.Combatants)) {
			if s.Combatants[id] == r.ID || s.Combatants[id] == 0 && r.Kind == roleGM {
				p.Combatants = append(p.Combatants, id)
			}
		}
		people = append(people, p)
	}
	g := s.Game
	secret := ""
	if !g.EndedAt.IsZero() {
		secret = digestOf(g.Secret).String()
	}
	if err := x.write("game.toml", []byte(g.File)); err != nil {
		return err
	}
	return x.json("game.json", struct {
		Name    string    `json:"name"`
		Title   string    `json:"title"`
		System  string    `json:"system"`
		File    string    `json:"file_sha256"`
		Created time.Time `json:"created"`
		Paused  time.Time `json:"paused,omitzero"`
		Ended   time.Time `json:"ended,omitzero"`
		Seal    string    `json:"dice_seal"`
		Secret  string    `json:"dice_secret,omitempty"`
		People  []person  `json:"people"`
	}{g.Name, g.Title, g.System, g.FileSHA, g.CreatedAt, g.PausedAt, g.EndedAt, dice.GameSeal(digestOf(g.Secret)).String(), secret, people})
}

// exportedDice are what a turn's dice are checked with.
type exportedDice struct {
	Lock    string            `json:"lock,omitempty"`
	Leaves  map[string]string `json:"leaves,omitempty"`
	Seals   map[string]string `json:"seals,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"`
	Why     string            `json:"why,omitempty"` // the seals could not be computed
}

func (x *export) dice(s store.Snapshot) exportedDice {
	out := exportedDice{Leaves: map[string]string{}, Seals: map[string]string{}, Secrets: map[string]string{}}
	if s.Turn.Lock != nil {
		out.Lock = digestOf(s.Turn.Lock).String()
		for _, l := range leaves(s.Game, s.Turn.N, s.Roles, s.FirstFrozen) {
			out.Leaves[string(l.Player)] = l.Leaf.String()
		}
	}
	t, err := x.d.table(s)
	if err != nil {
		out.Why = err.Error() // the world of rules that this program has no more
		return out
	}
	for a, secret := range t.seals.secrets {
		out.Seals[a] = dice.Seal(secret).String()
		if s.Turn.N < x.open || !s.Game.EndedAt.IsZero() {
			out.Secrets[a] = secret.String()
		}
	}
	return out
}

func rulingsOf(s store.Snapshot) []any {
	out := []any{}
	for _, r := range s.Rulings {
		out = append(out, struct {
			Ruling  game.Ruling `json:"ruling"`
			Dropped bool        `json:"dropped"`
		}{numbered(r), r.DroppedBy != 0})
	}
	return out
}

// orders writes the orders in force, late ones that were accepted among them.
func (x *export) orders(dir string, s store.Snapshot) error {
	type order struct {
		Combatant game.ID   `json:"combatant"`
		By        string    `json:"by"`
		Received  time.Time `json:"received"`
		Letter    int64     `json:"letter"`
		MessageID string    `json:"message_id"`
		TextSHA   string    `json:"text_sha256"`
		Late      bool      `json:"late,omitempty"`
	}
	accepted := map[string]bool{}
	for _, r := range s.Rulings {
		if r.DroppedBy == 0 && r.Body.Kind == game.RuleAccept {
			accepted[r.Body.Value] = true
		}
	}
	inForce := map[game.ID]store.Revision{}
	for _, r := range s.Revisions {
		if r.LateN == 0 || accepted[strconv.Itoa(r.LateN)] {
			inForce[r.Combatant] = r
		}
	}
	list := []order{}
	for _, id := range slices.Sorted(maps.Keys(inForce)) {
		r := inForce[id]
		if r.Cleared {
			continue
		}
		list = append(list, order{id, cmp.Or(x.roles[r.Role], roleGM), r.ReceivedAt, r.Letter, r.MessageID, r.TextSHA, r.LateN > 0})
		if err := x.write(fmt.Sprintf("%s/orders/%s.txt", dir, id), []byte(r.Text)); err != nil {
			return err
		}
		if err := x.write(fmt.Sprintf("%s/orders/%s.json", dir, id), r.Plan); err != nil {
			return err
		}
	}
	return x.json(dir+"/orders.json", list)
}

func (x *export) attempt(dir string, a store.Attempt) error {
	err := x.json(dir+"/attempt.json", struct {
		Attempt int       `json:"attempt"`
		Ruleset string    `json:"ruleset"`
		Version int       `json:"version"`
		Data    string    `json:"data_sha256"`
		Build   string    `json:"build"`
		Digest  string    `json:"digest"`
		Drafted time.Time `json:"drafted"`
	}{a.N, a.Ruleset, a.Version, a.DataSHA, a.Build, a.Digest, a.CreatedAt})
	for _, f := range []struct {
		name string
		data []byte
	}{{"attempt-orders.json", a.Orders}, {"attempt-rulings.json", a.Rulings}, {"events.json", a.Events}, {"world-after.json", a.WorldAfter}, {"outcome.json", a.Outcome}} {
		if err == nil {
			err = x.write(dir+"/"+f.name, f.data)
		}
	}
	return err
}

// mail writes one mail into the folder of its turn.
func (x *export) mail(m store.Mail) error {
	at := x.folders[m.Turn]
	dir := at.name
	if (m.Kind == kindReport || m.Kind == kindBrief) && !m.CreatedAt.After(at.opened) {
		dir = at.before // it opened the turn that it belongs to
	}
	out := exportedMail{Kind: m.Kind, Reader: cmp.Or(x.roles[m.Role], "nobody"), Address: m.Address, Subject: m.Subject, MessageID: m.MessageID,
		State: m.State, Queued: m.CreatedAt, Sent: m.SentAt}
	if len(m.Bytes) > 0 {
		out.File = path.Join(dir, "mails", out.Reader, fmt.Sprintf("%05d-%s.eml", len(x.mails)+1, m.Kind))
	}
	x.mails = append(x.mails, out)
	if out.File == "" {
		return nil
	}
	return x.write(out.File, m.Bytes)
}
