package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// rest is what an attempt stores of an outcome besides events and world.
type rest struct {
	Inquiries []game.Inquiry `json:"inquiries"`
	Timeline  []game.Mark    `json:"timeline"`
	Pause     *game.Pause    `json:"pause,omitempty"`
	Unused    []int          `json:"unused"`
	Done      bool           `json:"done"`
	Why       string         `json:"why,omitempty"`
}

// resolveTurn drafts a closed turn: resolve and render with no transaction
// open, then one short transaction that stores attempt and packet only if
// nothing changed meanwhile.
func (d *Daemon) resolveTurn(ctx context.Context, w store.Work) error {
	snap, err := d.Store.ResolveBegins(ctx, w.Row)
	if errors.Is(err, store.ErrDone) || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.giveBack(ctx, w.Row, d.resolve(ctx, snap))
}

// giveBack lets a turn go whose handler ended with an error, so that the queue
// may try it again at once.
func (d *Daemon) giveBack(ctx context.Context, turn int64, err error) error {
	if err == nil || errors.Is(err, store.ErrDone) {
		return err
	}
	if store.Trouble(err) {
		return errors.Join(err, d.Store.Untried(ctx, store.Work{Kind: workResolve, Row: turn}))
	}
	return errors.Join(err, d.Store.TurnFailed(ctx, turn))
}

// resolve makes the draft of a turn that ResolveBegins has taken.
func (d *Daemon) resolve(ctx context.Context, snap store.Snapshot) error {
	t, err := d.table(snap)
	if err != nil {
		return errors.Join(err, d.tellStopped(ctx, snap, "cannot be resolved", err))
	}
	if snap.Turn.Tries > maxTries {
		return d.stuck(ctx, t, stuckRules, "resolving it was begun three times and never came to an end")
	}
	a, out, err := d.attempt(t)
	if err != nil {
		return d.stuck(ctx, t, stuckRules, err.Error())
	}
	d.Step("resolved")
	gm, ok := t.gm()
	if !ok {
		return fmt.Errorf("game %s has no GM", t.Game.Name)
	}
	seen := d.looks(t, a.WorldAfter, out, gm)[gm.ID]
	n, err := d.Store.StoreDraft(ctx, t.Turn.Key(), a, d.nudgeAt(d.Now(), 0), func(n int) ([]store.NewMail, error) {
		a.N = n
		m, err := d.packet(t, gm, a, out, seen)
		return []store.NewMail{m}, err
	})
	switch {
	case errors.Is(err, store.ErrChanged), errors.Is(err, store.ErrDone):
		// Somebody ruled, reopened or drafted meanwhile; the row that did so woke
		// its own work.
		return nil
	case err != nil:
		return err
	}
	d.Step("drafted")
	d.Step("packet-queued")
	d.Trace(Trace{What: "draft", Game: t.Game.Name, Turn: t.Turn.N, Who: gm.Address, Text: fmt.Sprintf("attempt %d waits for the GM", n)})
	d.Log.Info("turn drafted", "game", t.Game.Name, "turn", t.Turn.N, "phase", t.Turn.Phase, "attempt", n)
	return nil
}

// attempt resolves the turn of a table. A panic of a ruleset is an error here:
// the turn is stuck, the process is not.
func (d *Daemon) attempt(t *table) (a store.Attempt, out resolve.Outcome, err error) {
	in, err := d.input(t)
	if err != nil {
		return a, out, err
	}
	a, out, err = record(t.rules, in, t.Turn.World)
	if err != nil {
		d.Log.Error("resolve", "game", t.Game.Name, "turn", t.Turn.N, "err", err)
		return a, out, err
	}
	a.Turn, a.Phase, a.Seq, a.Build, a.CreatedAt = t.Turn.ID, t.Turn.Phase, t.Turn.Seq, d.Build, d.Now()
	return a, out, nil
}

// record carries a turn out and writes down all that is bound by the attempt's
// digest: what went in, what came out, and the rules that made it. before is the
// world of the input as it is stored.
func record(rs resolve.Ruleset, in resolve.Input, before []byte) (a store.Attempt, out resolve.Outcome, err error) {
	out, err = safely(rs, in)
	if err != nil {
		return a, out, fmt.Errorf("the rules stopped: %w", err)
	}
	a = store.Attempt{Ruleset: rs.Name(), Version: rs.Version(), DataSHA: rs.DataHash(), WorldBefore: before}
	for _, f := range []struct {
		into *[]byte
		v    any
	}{
		{&a.Orders, in.Orders}, {&a.Rulings, in.Rulings}, {&a.Events, out.Events}, {&a.WorldAfter, out.World},
		{&a.Outcome, rest{out.Inquiries, out.Timeline, out.Pause, out.Unused, out.Done, out.Why}},
	} {
		if *f.into, err = canonical(f.v); err != nil {
			return a, out, err
		}
	}
	if _, err := rs.Load(a.WorldAfter); err != nil {
		return a, out, fmt.Errorf("the world after the turn cannot be read back: %w", err)
	}
	a.Digest = digestOfAttempt(a)
	return a, out, nil
}

// safely resolves, turning a panic into an error.
func safely(rs resolve.Ruleset, in resolve.Input) (out resolve.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	return rs.Resolve(in), nil
}

// digestOfAttempt binds everything that an OK approves.
func digestOfAttempt(a store.Attempt) string {
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte(a.Ruleset), []byte(strconv.Itoa(a.Version)), []byte(a.DataSHA), a.WorldBefore,
		a.Orders, a.Rulings, a.Events, a.WorldAfter, a.Outcome,
	} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// input is all that decides the turn: the frozen orders, late ones that were
// accepted, rulings in force, and the dice under the lock of the first close.
func (d *Daemon) input(t *table) (resolve.Input, error) {
	in := resolve.Input{World: t.world, Turn: t.Turn.N, Phase: t.Turn.Phase, Rounds: t.rounds()}
	source, err := t.seals.source(t.Turn.Lock)
	if err != nil {
		return in, err
	}
	in.Dice = source
	accepted := map[int]bool{}
	for _, r := range t.Rulings {
		if r.DroppedBy != 0 {
			continue
		}
		body := r.Body
		body.N = r.N
		if body.Kind == game.RuleAccept {
			n, err := strconv.Atoi(body.Value)
			if err != nil {
				return in, fmt.Errorf("ruling %d accepts %q", r.N, body.Value)
			}
			accepted[n] = true
		}
		in.Rulings = append(in.Rulings, body)
	}
	// As at the close, with accepted letters in their places: a CLEAR, too, takes
	// back what was received before it and nothing else.
	orders := map[game.ID]store.Revision{}
	for _, r := range t.Revisions { // sorted by (received_at, letter)
		if r.LateN == 0 || accepted[r.LateN] {
			orders[r.Combatant] = r
		}
	}
	for _, b := range t.world.Bodies() {
		r, ok := orders[b.ID]
		if !ok || r.Cleared {
			continue
		}
		o := game.Orders{Combatant: b.ID, Source: "player", Late: r.LateN > 0}
		if b.Player == "" {
			o.Source = "gm"
		}
		if err := json.Unmarshal(r.Plan, &o.Plan); err != nil {
			return in, fmt.Errorf("reading the stored plan of %s: %w", b.ID, err)
		}
		in.Orders = append(in.Orders, o)
	}
	return in, nil
}

// What the GM is told of a stuck turn.
const (
	stuckRules   = "The rules could not be carried to their end."
	stuckReports = "Its reports could not be written, so your OK did not release it."
)

// stuck sets a turn aside that cannot be resolved or released, and tells operator
// and GM.
func (d *Daemon) stuck(ctx context.Context, t *table, what, why string) error {
	repeat := fmt.Sprintf("pbemd replay %s %d", t.Game.Name, t.Turn.N)
	mails, err := d.alarm(fmt.Sprintf("%s turn %d is stuck", t.Game.Name, t.Turn.N), why,
		"REOPEN by the GM opens it again with all orders in force.", repeat+" tries it again and changes nothing.")
	if err != nil {
		return err
	}
	if gm, ok := t.gm(); ok {
		m, err := d.tell(t, gm, kindAlarm, "stuck", report.Stuck{Why: what, Repeat: repeat})
		if err != nil {
			return err
		}
		mails = append(mails, m)
	}
	err = d.Store.MarkStuck(ctx, t.Turn.Key(), why, mails)
	if errors.Is(err, store.ErrChanged) || errors.Is(err, store.ErrDone) {
		return nil
	}
	return err
}

// packet is what the GM reads and answers.
func (d *Daemon) packet(t *table, gm store.Role, a store.Attempt, out resolve.Outcome, seen look) (store.NewMail, error) {
	in := d.packetIn(t, gm, a, out)
	in.Map, in.Course = seen.places, seen.course
	m, err := report.Packet(in)
	if err != nil {
		return store.NewMail{}, fmt.Errorf("writing the packet of %s turn %d: %w", t.Game.Name, t.Turn.N, err)
	}
	return d.letterOf(envelope{kind: kindPacket, role: gm, turn: t.Turn, token: d.releaseToken(gm, t.Turn, a.N)}, m)
}

func (d *Daemon) packetIn(t *table, gm store.Role, a store.Attempt, out resolve.Outcome) report.PacketIn {
	in := report.PacketIn{
		Head: d.head(t, gm), Attempt: a.N, Events: out.Events, Inquiries: out.Inquiries,
		Reopened: !t.Turn.ReopenedAt.IsZero(), Names: names(t.world),
		Pause: out.Pause, Unused: out.Unused, Fields: t.rules.Vocabulary(t.rules.See(t.world, game.GM)).Fields,
	}
	if after, err := t.rules.Load(a.WorldAfter); err == nil {
		in.Head.Clock = in.Head.Clock.Reached(after.At())
	}
	for _, b := range t.world.Bodies() {
		if b.Player == "" && b.Able {
			in.Foes = append(in.Foes, b.ID)
		}
	}
	d.packetOrders(t, a, &in)
	for _, r := range t.Rulings {
		if r.DroppedBy == 0 {
			in.Rulings = append(in.Rulings, numbered(r))
		}
	}
	if out.Done {
		in.Done = out.Why
	}
	if prev := t.Draft; prev != nil && prev.N < a.N {
		var old []game.Event
		if err := json.Unmarshal(prev.Events, &old); err == nil {
			in.Difference = report.EventDifferences(old, out.Events)
		}
	}
	return in
}

// packetOrders adds late and held letters and missing orders.
func (d *Daemon) packetOrders(t *table, a store.Attempt, in *report.PacketIn) {
	gm, _ := t.gm()
	var orders []game.Orders
	if err := json.Unmarshal(a.Orders, &orders); err != nil {
		d.Log.Error("reading an attempt's orders", "attempt", a.N, "err", err)
	}
	for _, o := range orders {
		v := t.view(o.Combatant)
		in.Orders = append(in.Orders, report.PacketOrders{
			Name: v.Self.Name, Source: o.Source, Late: o.Late, Lines: parse.Phrases(o.Plan, t.rules.Vocabulary(v)),
		})
	}
	for _, b := range t.world.Bodies() {
		ordered := slices.ContainsFunc(orders, func(o game.Orders) bool { return o.Combatant == b.ID })
		if b.Player == "" || !t.may(b) || ordered {
			continue
		}
		v := t.view(b.ID)
		line := game.Line{Label: b.Name, Value: strings.Join(t.unasked(v, t.rules.Vocabulary(v)), "; ")}
		if i := slices.IndexFunc(t.Roles, func(r store.Role) bool { return r.Kind == rolePlayer && r.Key == b.Player }); i >= 0 && !t.Roles[i].Reachable {
			line.Value += " (mail to " + t.Roles[i].Name + " is refused)"
		}
		in.Missing = append(in.Missing, line)
	}
	accepted := map[string]bool{}
	for _, r := range t.Rulings {
		if r.DroppedBy == 0 && r.Body.Kind == game.RuleAccept {
			accepted[r.Body.Value] = true
		}
	}
	seen := map[int]bool{}
	for _, r := range t.Revisions {
		if r.LateN == 0 || seen[r.LateN] || accepted[strconv.Itoa(r.LateN)] {
			continue
		}
		seen[r.LateN] = true
		who := ""
		if role, ok := t.RoleByID(r.Role); ok {
			who = role.Name
		}
		in.Late = append(in.Late, report.LateLetter{N: r.LateN, From: who, Received: t.when(r.ReceivedAt, gm), Lines: t.lateLines(r.LateN)})
	}
	for _, h := range t.Holds {
		if role, ok := t.RoleByID(h.Role); ok && h.Turn == t.Turn.ID {
			in.Held = append(in.Held, role.Name+": "+h.Why)
		}
	}
}

// lateLines are the orders of a late letter, by combatant.
func (t *table) lateLines(n int) []string {
	var out []string
	for _, r := range t.Revisions {
		if r.LateN != n {
			continue
		}
		v := t.view(r.Combatant)
		if r.Cleared {
			out = append(out, v.Self.Name+": takes the orders back")
		}
		for _, p := range phrasesOf(r.Plan, t.rules.Vocabulary(v)) {
			out = append(out, v.Self.Name+": "+p)
		}
	}
	return out
}

func names(w game.World) map[game.ID]string {
	out := map[game.ID]string{}
	for _, b := range w.Bodies() {
		out[b.ID] = b.Name
	}
	return out
}

// packetAgain is the packet in force once more, with a fresh token.
func (d *Daemon) packetAgain(c *call) (store.NewMail, error) {
	a := c.table.Draft
	if a == nil {
		return store.NewMail{}, fmt.Errorf("game %s has no attempt in review", c.table.Game.Name)
	}
	out, err := outcomeOf(*a)
	if err != nil {
		return store.NewMail{}, err
	}
	return d.packet(c.table, c.role, *a, out, d.looks(c.table, a.WorldAfter, out, c.role)[c.role.ID])
}

// packetWithLate is the packet in review once more, with a late letter on top:
// the GM may accept it, and his OK still releases the attempt as it stands. A
// turn that is not in review gets its packet later.
func (d *Daemon) packetWithLate(t *table, revisions []store.Revision) ([]store.NewMail, error) {
	gm, ok := t.gm()
	if t.Turn.State != game.Review || t.Draft == nil || !ok {
		return nil, nil
	}
	late := slices.Clone(revisions)
	for i := range late {
		late[i].LateN = t.nextLate()
	}
	out, err := outcomeOf(*t.Draft)
	if err != nil {
		return nil, err
	}
	m, err := d.packet(t.with(late), gm, *t.Draft, out, d.looks(t, t.Draft.WorldAfter, out, gm)[gm.ID])
	return []store.NewMail{m}, err
}

// outcomeOf reads an attempt's outcome back; the world stays bytes.
func outcomeOf(a store.Attempt) (resolve.Outcome, error) {
	var out resolve.Outcome
	var r rest
	if err := json.Unmarshal(a.Events, &out.Events); err != nil {
		return out, fmt.Errorf("reading the events of attempt %d: %w", a.N, err)
	}
	if err := json.Unmarshal(a.Outcome, &r); err != nil {
		return out, fmt.Errorf("reading the outcome of attempt %d: %w", a.N, err)
	}
	out.Inquiries, out.Timeline, out.Pause, out.Unused, out.Done, out.Why = r.Inquiries, r.Timeline, r.Pause, r.Unused, r.Done, r.Why
	return out, nil
}

// rolledDice lists the dice of events that a reader may check: those of his own
// side that he was shown with their numbers.
func rolledDice(s dice.Sealed, events []game.Event, own []game.ID, gm bool) []dice.Printed {
	var out []dice.Printed
	for _, e := range events {
		shown := gm || slices.ContainsFunc(own, func(id game.ID) bool { return e.Seen[id] == game.Own })
		if !shown {
			continue
		}
		for _, x := range e.Dice {
			out = append(out, s.Print(x))
		}
	}
	return out
}

// nudgeAt is when the GM is reminded of a packet for the step-th time: 12, 24
// and 72 hours after it.
func (d *Daemon) nudgeAt(review time.Time, step int) time.Time {
	after := []time.Duration{12 * time.Hour, 24 * time.Hour, 72 * time.Hour}
	if step >= len(after) {
		return time.Time{}
	}
	return review.Add(after[step])
}
