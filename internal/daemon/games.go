package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

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
		addr, err := mail.NormalizeAddress(p.Address)
		switch {
		case err != nil || d.ours(addr):
			faults = append(faults, game.Fault{File: name, Key: where, Text: fmt.Sprintf("%q cannot be a person's address here", p.Address)})
			return
		case mail.IsMailSystem(addr):
			faults = append(faults, game.Fault{File: name, Key: where, Text: fmt.Sprintf("%q is a mail system's own address: letters from there are taken for bounces", p.Address)})
			return
		}
		zone := p.Zone
		if zone == "" {
			zone = f.Clock.Zone
		}
		in.Roles = append(in.Roles, store.NewRole{No: uint16(len(in.Roles) + 1), Kind: kind, Key: key, Name: p.Name, Address: addr, Zone: zone})
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

// firstMails are the openings and the GM's hello.
func (d *Daemon) firstMails(t *table) ([]store.NewMail, error) {
	var out []store.NewMail
	for _, r := range t.Roles {
		if r.Kind == roleGM {
			k := d.orderToken(r, t.Turn)
			k.Purpose = mail.PurposeHello
			m, err := report.Answer("hello", d.head(t, r), report.Hello{Proof: t.file.GMProof})
			if err != nil {
				return nil, err
			}
			n, err := d.letterOf(envelope{kind: kindHello, role: r, turn: t.Turn, token: k}, m)
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
