package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// receipt says what was understood of a letter, what changed, what is still
// owed, and what silence will do. after is the table with the letter's orders
// in force; for CHECK it is the table as it stands.
func (d *Daemon) receipt(c *call, after *table, rd reading, check bool) report.ReceiptIn {
	before := c.table.InForce()
	in := report.ReceiptIn{
		Head: d.head(after, c.role), Deadline: after.when(after.Turn.DeadlineAt, c.role),
		Received: after.when(c.row.ReceivedAt, c.role), Check: check,
		Notes:   ownNotes(c, rd),
		LeftOut: report.LeftOut{Quoted: written(c.zones.Quoted), Tail: written(c.zones.Tail), TailOrders: d.tailOrders(c)},
	}
	in.Notes = append(in.Notes, d.addressNotes(c)...)
	if after.Turn.PausedAt.IsZero() && d.Now().After(after.Turn.DeadlineAt.Add(after.grace())) {
		in.Notes = append(in.Notes, "The deadline is over: this letter came in time, a new one would not.")
	}
	if !after.Turn.PausedAt.IsZero() {
		in.Notes = append(in.Notes, "The game's clock is paused; the deadline will move by the length of the pause.")
	}
	for _, p := range rd.parts {
		if p.actor.ID == "" || p.plan.Empty() {
			in.Problems = append(in.Problems, p.problems...)
			in.Notes = append(in.Notes, questionsToGM(p.plan)...)
			continue
		}
		v, voc := p.actor.View, p.actor.Vocabulary
		rc := report.ReceiptCharacter{Name: v.Self.Name, Problems: p.problems, Understood: parse.Phrases(p.plan, voc)}
		newer, overtaken := after.overtaking(c.row.ID, p.actor.ID)
		switch old, ok := before[p.actor.ID]; {
		case overtaken && !check:
			rc.Newer, rc.Stands = after.when(newer.ReceivedAt, c.role), phrasesOf(newer.Plan, voc)
		case ok:
			rc.Changes = report.Differences(phrasesOf(old.Plan, voc), rc.Understood)
		}
		if rc.Newer.IsZero() {
			rc.Forecast = after.rules.Forecast(v, p.plan, after.seals.forecast(string(v.Self.Side))).Lines
		}
		in.Notes = append(in.Notes, questionsToGM(p.plan)...)
		in.Characters = append(in.Characters, rc)
	}
	silence, owed := d.silences(after, c.role)
	in.Owed = owed
	for _, s := range silence {
		in.Ready = append(in.Ready, "Without orders of yours "+s)
	}
	if r := readyLine(after, c.role); r != "" {
		in.Ready = append(in.Ready, r)
	}
	if c.role.Kind == rolePlayer && !check && after.Turn.Lock == nil {
		b := dice.Block{Game: after.Game.Name, Turn: after.Turn.N, Void: after.Turn.Void,
			Leaves: []dice.PlayerLeaf{{Player: c.role.Key, Leaf: leafOf(after.Game, after.Turn.N, c.role, inForceList(after.Snapshot))}}}
		in.Dice = b.String()
	}
	return in
}

// overtaking finds what stands of a combatant instead of a letter's orders: those
// of a letter that was received after it and read before it.
func (t *table) overtaking(letter int64, who game.ID) (store.Revision, bool) {
	for _, r := range slices.Backward(t.Revisions) {
		if r.LateN == 0 && r.Combatant == who {
			return r, r.Letter != letter
		}
	}
	return store.Revision{}, false
}

// standing are the orders in force of a role's combatants that a letter does not
// speak of.
func (d *Daemon) standing(t *table, r store.Role, rd reading) []report.ReceiptCharacter {
	var out []report.ReceiptCharacter
	inForce := t.InForce()
	for _, b := range t.own(r) {
		rev, ok := inForce[b.ID]
		if !ok || slices.ContainsFunc(rd.parts, func(p readPart) bool { return p.actor.ID == b.ID && !p.plan.Empty() }) {
			continue
		}
		v := t.view(b.ID)
		out = append(out, report.ReceiptCharacter{Name: v.Self.Name, Understood: phrasesOf(rev.Plan, t.rules.Vocabulary(v))})
	}
	return out
}

// addressNotes tell the writer what became of the address he answered to.
func (d *Daemon) addressNotes(c *call) []string {
	var out []string
	if c.trust.crowded {
		out = append(out, "Your letter also went to another participant, so the old answer addresses are void. Answer this mail from now on, and only us.")
	}
	if c.locked {
		out = append(out, "The answer addresses of every mail before this one are void. Answer this mail from now on.")
	}
	if c.trust.token == tokenStale && !c.locked {
		out = append(out, "The answer address that you used is too old; this mail has a fresh one.")
	}
	return out
}

// questionsToGM are told to the writer: they reach the GM with the packet.
func questionsToGM(p game.Plan) []string {
	var out []string
	for _, q := range p.Ask {
		out = append(out, "Your question goes to the GM: "+q.Text)
	}
	return out
}

func phrasesOf(plan []byte, voc game.Vocabulary) []string {
	var p game.Plan
	if err := json.Unmarshal(plan, &p); err != nil {
		return nil
	}
	return parse.Phrases(p, voc)
}

// silences says, for each combatant of a role without orders in force, what
// silence will do; the second list names them.
func (d *Daemon) silences(t *table, r store.Role) (lines, owed []string) {
	for _, b := range t.owed(r.ID) {
		v := t.view(b.ID)
		owed = append(owed, v.Self.Name)
		for _, s := range t.silence(v, t.rules.Vocabulary(v)) {
			lines = append(lines, v.Self.Name+" will "+s)
		}
	}
	return lines, owed
}

func readyLine(t *table, r store.Role) string {
	if r.Kind != rolePlayer || !t.file.Clock.EarlyClose || t.Turn.State != game.Open {
		return ""
	}
	if t.ready(r.ID) {
		return "You are READY; UNREADY takes it back."
	}
	return "Answer READY when you wait for nothing more."
}

// inForceList gives the revisions in force by (received_at, letter).
func inForceList(s store.Snapshot) []store.Revision {
	var out []store.Revision
	for _, r := range s.InForce() {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b store.Revision) int {
		if c := compareRevisions(a, b); c != 0 {
			return c
		}
		return compareIDs(a.Combatant, b.Combatant)
	})
	return out
}

// written counts the lines that are not blank.
func written(lines []parse.Line) (n int) {
	for _, l := range lines {
		if strings.TrimSpace(l.Text) != "" {
			n++
		}
	}
	return n
}

// tailOrders are lines below the signature, or come back from our own mail,
// that would have been orders: they never act, and the sender is told so.
func (d *Daemon) tailOrders(c *call) []string {
	var out []string
	for _, a := range c.table.actors(c.role) {
		for _, l := range c.zones.Tail {
			if len(out) < 5 && parse.LooksLikeOrder(l.Text, a) && !slices.Contains(out, l.Text) {
				out = append(out, l.Text)
			}
		}
	}
	return out
}

// status describes where the turn stands for the writer of a letter.
func (d *Daemon) status(c *call) report.Status { return d.statusAt(c, c.table) }

func (d *Daemon) statusAt(c *call, t *table) report.Status {
	r := c.role
	in := report.Status{
		Title: fmt.Sprintf("Turn %d is %s", t.Turn.N, stateWords[t.Turn.State]), Notes: d.addressNotes(c),
		Facts: []game.Line{{Label: "Turn", Value: fmt.Sprintf("%d, %s", t.Turn.N, stateWords[t.Turn.State])}},
	}
	if window := t.clock().Window(); window != "" {
		in.Facts[0].Value += ", " + window
	}
	fact := func(label, value string) { in.Facts = append(in.Facts, game.Line{Label: label, Value: value}) }
	if t.Turn.State == game.Open {
		in.Deadline = t.when(t.Turn.DeadlineAt, r)
	}
	if !t.Turn.PausedAt.IsZero() {
		fact("Clock", "paused since "+t.when(t.Turn.PausedAt, r).String())
	}
	if t.Turn.State == game.Review {
		fact("Waiting for the GM since", t.when(t.Turn.ReviewAt, r).String())
	}
	if t.Turn.State == game.Open && !t.Turn.ReopenedAt.IsZero() {
		fact("Reopened", "orders were reopened after the GM had seen a draft")
	}
	held := 0
	for _, h := range t.Holds {
		if h.Role == r.ID {
			held++
		}
	}
	if held > 0 {
		fact("Held letters", fmt.Sprintf("%d of yours wait for CONFIRM", held))
	}
	if l := readyLine(t, r); l != "" {
		fact("Ready", l)
	}
	if r.Kind == roleGM {
		if t.Draft != nil && t.Turn.State == game.Review {
			fact("Attempt", fmt.Sprintf("%d waits for OK", t.Draft.N))
		}
		in.Sections = append(in.Sections, d.statusOfPlayers(t))
	}
	inForce := t.InForce()
	for _, b := range t.own(r) {
		v := t.view(b.ID)
		voc := t.rules.Vocabulary(v)
		s := report.Section{Title: v.Self.Name}
		switch rev, ok := inForce[b.ID]; {
		case ok:
			s.Title += ": orders of " + t.when(rev.ReceivedAt, r).String()
			s.Lines = phrasesOf(rev.Plan, voc)
		case t.may(b):
			s.Title += ": no orders; silence will do this"
			s.Lines = t.unasked(v, voc)
		default:
			s.Title += ": cannot act"
		}
		in.Sections = append(in.Sections, s)
	}
	return in
}

// statusOfPlayers is what only the GM sees: who owes and who is ready. What they
// ordered stays theirs until the close.
func (d *Daemon) statusOfPlayers(t *table) report.Section {
	inForce := t.InForce()
	s := report.Section{Title: "The players"}
	for _, p := range t.Roles {
		if p.Kind != rolePlayer {
			continue
		}
		line := p.Name + ":"
		for _, b := range t.own(p) {
			switch _, has := inForce[b.ID]; {
			case has:
				line += " " + b.Name + " has orders;"
			case t.may(b):
				line += " " + b.Name + " owes orders;"
			default:
				line += " " + b.Name + " cannot act;"
			}
		}
		if t.ready(p.ID) {
			line += " READY;"
		}
		if !p.Reachable {
			line += " mail to " + p.Name + " is refused;"
		}
		s.Lines = append(s.Lines, strings.TrimRight(line, ";:"))
	}
	return s
}

// runStatus answers STATUS; a GM with an attempt in review gets its packet again.
func (d *Daemon) runStatus(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	m, err := report.Answer("status", d.head(c.table, c.role), d.status(c))
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, true)
	if err != nil {
		return err
	}
	mails := []store.NewMail{n}
	if c.role.Kind == roleGM && c.table.Turn.State == game.Review {
		p, err := d.packetAgain(c)
		if err != nil {
			return err
		}
		mails = append(mails, p)
	}
	return d.answerWith(ctx, c, "status", mails...)
}

// runLock voids the tokens of the writer's role.
func (d *Daemon) runLock(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	c.locked = true
	c.raiseEpoch()
	m, err := report.Answer("status", d.head(c.table, c.role), d.status(c))
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// runHelp answers HELP with the commands of the writer's role.
func (d *Daemon) runHelp(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	gm := c.role.Kind == roleGM
	in := report.Help{GM: gm, Commands: commandsOf(gm)}
	if gm {
		in.Rulings = c.table.rules.Vocabulary(c.table.rules.See(c.table.world, game.GM)).Fields
		in.Commands = append(in.Commands, rulingRows(in.Rulings, c.table.clock())...)
	}
	for _, a := range c.table.actors(c.role) {
		in.Examples = append(in.Examples, orderExamples(a.Vocabulary)...)
		break
	}
	m, err := report.Answer("help", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}
