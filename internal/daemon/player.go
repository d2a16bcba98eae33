package daemon

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// playerLetter carries out a player's letter: a command, or orders.
func (d *Daemon) playerLetter(ctx context.Context, c *call) error {
	lines := c.newLines()
	cmd, rest, ok := parse.FirstCommand(lines, formsOf(rolePlayer))
	if ok && cmd.Word == "CONFIRM" {
		return d.confirmation(ctx, c, cmd)
	}
	check := ok && cmd.Word == "CHECK"
	if check {
		lines = rest
	} else if i := slices.IndexFunc(lines, isCheck); i >= 0 {
		check = true
		lines = slices.Delete(slices.Clone(lines), i, i+1)
	}
	if ok && !check {
		return d.command(ctx, c, cmd, rest)
	}
	if go_, err := d.permit(ctx, c, rightOrders); !go_ || err != nil {
		return err
	}
	if stale, err := d.otherTurn(ctx, c); stale || err != nil {
		return err
	}
	if row := commandNamed("CHECK"); check && !row.in(c.table.Turn.State) {
		return d.notNow(ctx, c, row)
	}
	return d.orders(ctx, c, lines, check)
}

// newLines are the lines that act: the new text, or the changed order form when
// nothing was written outside it, or without either a Subject that asks something.
func (c *call) newLines() []parse.Line {
	switch {
	case slices.ContainsFunc(c.zones.New, func(l parse.Line) bool { return strings.TrimSpace(l.Text) != "" }):
		return c.zones.New
	case c.zones.FormChanged:
		return c.zones.Form
	}
	if l := c.subjectLine(); l != nil {
		return l
	}
	return c.zones.New
}

func isCheck(l parse.Line) bool {
	return strings.EqualFold(strings.Trim(strings.TrimSpace(l.Text), ".!"), "CHECK")
}

// command runs a command from the table after asking whether its giver, the
// state of the turn, and the rest of his letter allow it.
func (d *Daemon) command(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	row := commandNamed(cmd.Word)
	if row.run == nil {
		return fmt.Errorf("command %s has nothing to run", cmd.Word)
	}
	if go_, err := d.permit(ctx, c, row.Needs); !go_ || err != nil {
		return err
	}
	if row.States != nil {
		if stale, err := d.otherTurn(ctx, c); stale || err != nil {
			return err
		}
	}
	if !row.in(c.table.Turn.State) {
		return d.notNow(ctx, c, row)
	}
	return row.run(d, ctx, c, cmd, rest)
}

// notNow refuses a command that the state of the turn does not allow.
func (d *Daemon) notNow(ctx context.Context, c *call, row command) error {
	return d.refuse(ctx, c, report.Refused{
		Title: row.Word,
		Why:   fmt.Sprintf("Turn %d is %s; %s counts while it is %s.", c.table.Turn.N, stateWords[c.table.Turn.State], row.Word, statesWords(row.States)),
		Do:    []string{"STATUS tells where the turn stands."},
	})
}

var stateWords = map[game.State]string{
	game.Open: "open for orders", game.Closed: "closed and being worked out", game.Review: "with the GM",
	game.Approved: "approved and going out", game.Released: "over", game.Stuck: "stuck and waiting for the GM",
}

func statesWords(states []game.State) string {
	var out []string
	for _, s := range states {
		out = append(out, stateWords[s])
	}
	return strings.Join(out, " or ")
}

// otherTurn answers a letter whose token speaks of a turn or phase that is not
// the current one, or that speaks of none and was received before this one began.
// Nothing of it is stored.
func (d *Daemon) otherTurn(ctx context.Context, c *call) (bool, error) {
	t := c.table.Turn
	n, phase := int(c.token.Turn), t.Phase
	switch prev := c.table.Prev; {
	case c.trust.token == tokenNone || c.token.Purpose == mail.PurposeHello || c.token.Purpose == mail.PurposeConfirm:
		// A server may give whole seconds.
		if prev == nil || !c.row.ReceivedAt.Before(t.OpenedAt.Truncate(time.Second)) {
			return false, nil
		}
		if n = t.N; t.Phase == 0 {
			n--
		}
		phase = t.Phase - 1
	case c.token.Purpose == mail.PurposeOrders:
		phase = int(c.token.N)
	case c.token.Purpose == mail.PurposeRelease && t.Phase > 0 && prev != nil && int(c.token.N) <= prev.N:
		phase = t.Phase - 1 // or before: attempts are numbered through the turn
	}
	if n == t.N && phase == t.Phase {
		return false, nil
	}
	m, err := report.Answer("closedturn", d.head(c.table, c.role), report.ClosedTurn{
		Turn: n, Open: openTurn(t), Lines: firstLines(c.newLines(), 8),
	})
	if err != nil {
		return true, err
	}
	return true, d.answer(ctx, c, m)
}

// openTurn is the number of a turn that takes orders, else 0.
func openTurn(t store.Turn) int {
	if t.State == game.Open {
		return t.N
	}
	return 0
}

// orders reads a letter's orders, checks them by the rules, and stores them or,
// for CHECK, only tells what would be stored.
func (d *Daemon) orders(ctx context.Context, c *call, lines []parse.Line, check bool) error {
	t := c.table
	actors := t.actors(c.role)
	if len(actors) == 0 {
		return d.refuse(ctx, c, report.Refused{
			Title: "your orders",
			Why:   "None of your characters can act in this turn.",
			Do:    []string{"Wait for the report."},
		})
	}
	near := nearCommand(lines, rolePlayer)
	lines, notes := d.strayCommands(lines)
	rd, aside := d.formOrWords(c, actors, lines)
	rd.notes = slices.Concat(near, notes, rd.notes)
	if aside {
		rd.notes = append(rd.notes, formAside)
	}
	switch {
	case check:
		return d.checked(ctx, c, rd)
	case rd.silent():
		return d.unchanged(ctx, c, rd)
	case c.late():
		revisions, err := rd.revisions(c)
		if err != nil {
			return err
		}
		return d.lateOrders(ctx, c, revisions)
	case !rd.orders():
		m, err := report.Receipt(d.receipt(c, t, rd, false))
		if err != nil {
			return err
		}
		return d.answer(ctx, c, m)
	}
	revisions, err := rd.revisions(c)
	if err != nil {
		return err
	}
	n, err := d.receiptFor(ctx, c, t.with(revisions), rd)
	if err != nil {
		return err
	}
	why, mails := "orders", []store.NewMail{n}
	if t.same(revisions) && c.epoch == nil {
		// Orders that stand already: a machine that sends our words back does that.
		var over string
		if mails, over, err = d.quietly(ctx, c, n); err != nil {
			return err
		}
		why = "orders as they stood" + over
	}
	d.trace(c, why+": "+n.Subject)
	return d.Store.StoreOrders(ctx, d.ending(c, store.Acted, why, mails...), t.Turn.Key(), revisions)
}

// same reports that all the revisions order what is in force already.
func (t *table) same(revisions []store.Revision) bool {
	inForce := t.InForce()
	return !slices.ContainsFunc(revisions, func(r store.Revision) bool {
		old, ok := inForce[r.Combatant]
		return !ok || !bytes.Equal(old.Plan, r.Plan)
	})
}

// strayCommands takes lines that are nothing but a command out of orders: a
// command counts only as the first line, and a word such as READY below orders
// must not become part of them.
func (d *Daemon) strayCommands(lines []parse.Line) ([]parse.Line, []string) {
	var out []parse.Line
	var notes []string
	for _, l := range lines {
		cmd, _, ok := parse.FirstCommand([]parse.Line{l}, formsOf(rolePlayer))
		if !ok {
			out = append(out, l)
			continue
		}
		notes = append(notes, fmt.Sprintf("%s (line %d) was not taken: a command is the first line of a letter. Answer %s alone, once this receipt reads right.", cmd.Word, l.N, cmd.Word))
	}
	return out, notes
}

// nearCommand says of a first line that is nearly a command, or is one of the
// GM's in a player's letter, which word was perhaps meant. It is never carried out.
func nearCommand(lines []parse.Line, kind string) []string {
	i := slices.IndexFunc(lines, func(l parse.Line) bool { return strings.TrimSpace(l.Text) != "" })
	if i < 0 {
		return nil
	}
	l := lines[i]
	if word, ok := parse.NearCommand(l.Text, formsOf(kind)); ok {
		alone := word + ", answer with that word alone"
		if row := commandNamed(word); row.Arg == parse.ArgNumber {
			alone = word + ", answer with a line such as " + row.Example + " alone"
		}
		return []string{fmt.Sprintf("Line %d is not a command, and was not taken as one. If you mean %s on the first line.", l.N, alone)}
	}
	cmd, _, masters := parse.FirstCommand(lines[i:], formsOf(roleGM))
	_, _, mine := parse.FirstCommand(lines[i:], formsOf(kind))
	if masters && !mine && !parse.IsSignatureOrThanks(l.Text) {
		return []string{fmt.Sprintf("%s (line %d) is a word of the GM's; nothing was done about it. HELP lists yours.", cmd.Word, l.N)}
	}
	return nil
}

// reading is what was read of a letter: plans and problems by combatant.
type reading struct {
	parts []readPart
	notes []string
}

type readPart struct {
	actor    parse.Actor
	plan     game.Plan
	problems []game.Problem
	lines    []parse.Line
}

// read parses lines and lets the rules check what was understood.
func (d *Daemon) read(t *table, actors []parse.Actor, lines []parse.Line) reading {
	var out reading
	for _, r := range parse.Orders(lines, actors) {
		p := readPart{plan: r.Plan, problems: r.Problems, lines: r.Lines}
		if i := slices.IndexFunc(actors, func(a parse.Actor) bool { return a.ID == r.Actor }); i >= 0 {
			p.actor = actors[i]
			plan, problems := t.rules.Check(p.actor.View, r.Plan)
			p.plan, p.problems = plan, append(p.problems, sourced(problems, r.Lines)...)
		}
		out.parts = append(out.parts, p)
	}
	return out
}

// sourced gives problems that the rules found the line they speak of, so that a
// receipt can show the place.
func sourced(problems []game.Problem, lines []parse.Line) []game.Problem {
	for i, p := range problems {
		j := slices.IndexFunc(lines, func(l parse.Line) bool { return l.N == p.At.Line })
		if p.Source == "" && j >= 0 {
			problems[i].Source = parse.Normalize(lines[j].Text)
		}
	}
	return problems
}

// orders reports that at least one combatant is ordered to do something.
func (r reading) orders() bool {
	return slices.ContainsFunc(r.parts, func(p readPart) bool { return p.actor.ID != "" && !p.plan.Empty() })
}

// silent reports that the letter orders nothing and nothing in it went wrong.
func (r reading) silent() bool {
	return !r.orders() && !slices.ContainsFunc(r.parts, func(p readPart) bool {
		return len(p.plan.Questions)+len(p.plan.Ask) > 0 ||
			slices.ContainsFunc(p.problems, func(x game.Problem) bool { return x.Severity != game.Noted })
	})
}

// remarks are what was noted of the lines of a letter that orders nothing.
func (r reading) remarks() []string {
	var out []string
	for _, p := range r.parts {
		for _, x := range p.problems {
			out = append(out, fmt.Sprintf("Line %d: %s", x.At.Line, x.Text))
		}
	}
	return out[:min(len(out), 5)]
}

// revisions are what is to be stored: a letter replaces only the combatants that it orders.
func (r reading) revisions(c *call) ([]store.Revision, error) {
	var out []store.Revision
	for _, p := range r.parts {
		if p.actor.ID == "" || p.plan.Empty() {
			continue
		}
		plan, err := canonical(p.plan)
		if err != nil {
			return nil, err
		}
		out = append(out, c.revision(p.actor.ID, textOf(p.lines), plan))
	}
	return out, nil
}

func (c *call) revision(who game.ID, text string, plan []byte) store.Revision {
	return store.Revision{
		Turn: c.table.Turn.ID, Phase: c.table.Turn.Phase, Combatant: who, Role: c.role.ID,
		Letter: c.row.ID, MessageID: c.letter.MessageID, TextSHA: c.textSHA(),
		ReceivedAt: c.row.ReceivedAt, Text: text, Plan: plan,
	}
}

func textOf(lines []parse.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// with is the table as it will be once revisions are stored.
func (t *table) with(revisions []store.Revision) *table {
	u := *t
	u.Revisions = slices.Concat(t.Revisions, revisions)
	slices.SortStableFunc(u.Revisions, compareRevisions)
	return &u
}

func (t *table) grace() time.Duration { return t.file.Clock.Grace }

// checked answers CHECK: the receipt, and nothing is stored.
func (d *Daemon) checked(ctx context.Context, c *call, rd reading) error {
	m, err := report.Receipt(d.receipt(c, c.table, rd, true))
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// unchanged answers a letter without any order, such as "thanks!".
func (d *Daemon) unchanged(ctx context.Context, c *call, rd reading) error {
	in := d.status(c)
	in.Notes = slices.Concat(ownNotes(c, rd), rd.remarks(), in.Notes)
	if left := written(c.zones.Quoted) + written(c.zones.Tail); left > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf("Lines that were not read as orders, because they are quoted, stand below a signature, or come from a mail of ours: %d.", left))
	}
	in.Title = "Nothing changed: no orders were found in your letter"
	if tail := d.tailOrders(c); len(tail) > 0 {
		in.Sections = append(in.Sections, report.Section{Title: "Orders that stand where nothing is read; write them above", Lines: tail})
	}
	m, err := report.Answer("status", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// runClear takes a player's orders back.
func (d *Daemon) runClear(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	if !parse.OnlyThanks(rest) {
		return d.alone(ctx, c, cmd.Word)
	}
	t := c.table
	empty, err := canonical(game.Plan{})
	if err != nil {
		return err
	}
	var revisions []store.Revision
	for _, b := range t.own(c.role) {
		if t.may(b) {
			r := c.revision(b.ID, cmd.Line.Text, empty)
			r.Cleared = true
			revisions = append(revisions, r)
		}
	}
	if c.late() {
		return d.lateOrders(ctx, c, revisions)
	}
	after := t.with(revisions)
	in := d.statusAt(c, after)
	in.Title = "Your orders are cleared"
	if slices.ContainsFunc(revisions, func(r store.Revision) bool { _, newer := after.overtaking(c.row.ID, r.Combatant); return newer }) {
		in.Title = "Your orders that came after this CLEAR stand"
	}
	return d.change(ctx, c, "cleared", in, func(e store.Ending) error {
		return d.Store.StoreOrders(ctx, e, t.Turn.Key(), revisions)
	})
}

// runReady takes READY and UNREADY. When it completes the table, the turn is
// asked to close early.
func (d *Daemon) runReady(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	if !parse.OnlyThanks(rest) {
		return d.alone(ctx, c, cmd.Word)
	}
	if c.late() {
		return d.lateOrders(ctx, c, nil)
	}
	u := *c.table
	t := &u
	t.Ready = map[int64]store.Ready{}
	for k, v := range c.table.Ready {
		t.Ready[k] = v
	}
	mine := store.Ready{Role: c.role.ID, On: cmd.Word == "READY", ReceivedAt: c.row.ReceivedAt, Letter: c.row.ID}
	if old, ok := t.Ready[c.role.ID]; !ok || !old.ReceivedAt.After(mine.ReceivedAt) {
		t.Ready[c.role.ID] = mine
	}
	at := t.askedAt()
	in := d.statusAt(c, t)
	switch {
	case !mine.On:
		in.Title = "You are not ready any more"
	case !t.file.Clock.EarlyClose:
		in.Title = "You are ready"
		in.Notes = append(in.Notes, "This game closes at its deadline, however many are ready.")
	case at.IsZero():
		in.Title = "You are ready"
		in.Notes = append(in.Notes, "The turn closes early once every player is ready.")
	case t.paused():
		in.Title = "You are ready, and so is everybody: the turn closes once the game is resumed"
	default:
		in.Title = "You are ready, and so is everybody: the turn closes now"
		in.Deadline = report.When{}
	}
	return d.change(ctx, c, strings.ToLower(cmd.Word), in, func(e store.Ending) error {
		var ask *time.Time
		if !at.IsZero() {
			ask = &at
		}
		return d.Store.SetReady(ctx, e, t.Turn.Key(), []store.Ready{mine}, ask, at.IsZero() && t.Turn.AskedBy == "ready")
	})
}

// paused reports that the clock stands: whatever is asked, no turn closes now.
func (t *table) paused() bool { return !t.Turn.PausedAt.IsZero() || !t.Game.PausedAt.IsZero() }

// alone refuses a command that stands above other text.
func (d *Daemon) alone(ctx context.Context, c *call, word string) error {
	return d.refuse(ctx, c, report.Refused{
		Title: word,
		Why:   word + " stood above other text, so it is not clear which of the two you want.",
		Do:    []string{"Send " + word + " alone, or the orders alone."}, Understood: firstLines(c.newLines(), 6),
	})
}

// change ends a letter that changed something with a status answer.
func (d *Daemon) change(ctx context.Context, c *call, why string, in report.Status, do func(store.Ending) error) error {
	m, err := report.Answer("status", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	mails, err := d.packetToo(c, []store.NewMail{n})
	if err != nil {
		return err
	}
	d.trace(c, why)
	return do(d.ending(c, store.Acted, why, mails...))
}
