package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// gmLetter carries out a GM's letter: one command, or rulings, notes and foes'
// orders together.
func (d *Daemon) gmLetter(ctx context.Context, c *call) error {
	lines := c.newLines()
	forms := formsOf(roleGM)
	cmd, rest, ok := parse.FirstCommand(lines, forms)
	switch {
	case ok && cmd.Word == "CONFIRM":
		return d.confirmation(ctx, c, cmd)
	case ok && cmd.Word == "OK":
		return d.command(ctx, c, cmd, rest)
	case ok && commandNamed(cmd.Word).run != nil:
		if !parse.OnlyThanks(rest) {
			if go_, err := d.permit(ctx, c, commandNamed(cmd.Word).Needs); !go_ || err != nil {
				return err
			}
			return d.alone(ctx, c, cmd.Word)
		}
		return d.command(ctx, c, cmd, rest)
	}
	v := c.table.rules.See(c.table.world, game.GM)
	refs, err := d.refs(ctx, c)
	if err != nil {
		return err
	}
	read := parse.GM(lines, forms, c.table.rules.Vocabulary(v), refs)
	if c.trust.token == tokenValid && c.token.Purpose == mail.PurposeHello &&
		len(read.As)+len(read.Rulings)+len(read.Notes)+len(read.Commands)+len(read.Problems) == 0 {
		return d.greeted(ctx, c)
	}
	return d.gmText(ctx, c, read)
}

// greeted answers the answer to a hello: it tells the GM how his mail arrives.
func (d *Daemon) greeted(ctx context.Context, c *call) error {
	if go_, err := d.permit(ctx, c, rightLight); !go_ || err != nil {
		return err
	}
	m, err := report.Answer("greeted", d.head(c.table, c.role), report.Greeted{
		Verified: c.trust.auth == mail.AuthVerified, Why: c.letter.Auth.Why, Token: c.trust.proof == "token",
	})
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// refs are the events' refs by their number in the packet that the letter
// answers, the one in force or an older one: rulings name numbers, and only refs
// are stored. In answer to any other mail a number means nothing. The token need
// not be good any more: it only says which packet lay before the writer.
func (d *Daemon) refs(ctx context.Context, c *call) ([]string, error) {
	if c.trust.token == tokenNone || c.token.Purpose != mail.PurposeRelease || int(c.token.Turn) != c.table.Turn.N {
		return nil, nil
	}
	a, err := d.Store.Attempt(ctx, c.table.Turn.ID, int(c.token.N))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil // of an earlier phase: such a letter is not carried out
	}
	if err != nil {
		return nil, err
	}
	var events []game.Event
	if err := json.Unmarshal(a.Events, &events); err != nil {
		return nil, fmt.Errorf("reading the events of attempt %d: %w", a.N, err)
	}
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.Ref
	}
	return out, nil
}

// gmText carries out what was read of a letter that is not one command. Either
// all of it is done, or nothing, and the answer says which line was wrong.
func (d *Daemon) gmText(ctx context.Context, c *call, g parse.GMText) error {
	need := rightLight
	if len(g.Commands)+len(g.Rulings) > 0 || len(g.As) > 0 && c.table.closedBefore() {
		need = rightProof
	}
	if go_, err := d.permit(ctx, c, need); !go_ || err != nil {
		return err
	}
	if stale, err := d.otherTurn(ctx, c); stale || err != nil {
		return err
	}
	if len(g.Commands) > 0 && slices.ContainsFunc(g.Commands, func(x parse.Command) bool { return commandNamed(x.Word).run != nil }) {
		word := g.Commands[0].Word
		return d.refuseGM(ctx, c, g, word, word+" stands in a letter with other lines, so it is not clear whether they belong to it. A command is a letter of its own; rulings are another.")
	}
	if len(g.Problems) > 0 || !g.OnlyThanks() {
		return d.refuseGM(ctx, c, g, "your letter", "Some lines were not understood, so none was carried out.")
	}
	kinds := 0
	for _, n := range []int{len(g.As), len(g.Rulings) + len(g.Commands)} {
		if n > 0 {
			kinds++
		}
	}
	switch {
	case kinds == 0 && len(g.Notes) == 0:
		in := d.status(c)
		in.Title = "Nothing changed: your letter holds no command, ruling or order"
		in.Notes = slices.Concat(nearCommand(c.newLines(), roleGM), in.Notes)
		m, err := report.Answer("status", d.head(c.table, c.role), in)
		if err != nil {
			return err
		}
		return d.answer(ctx, c, m)
	case len(g.As) > 0 && !c.table.closedBefore():
		if kinds > 1 || len(g.Notes) > 0 {
			return d.refuseGM(ctx, c, g, "your letter", "Orders for your combatants and rulings stand in one letter; send two.")
		}
		return d.foesOrders(ctx, c, g)
	case kinds == 0:
		return d.notes(ctx, c, g)
	}
	return d.rulings(ctx, c, g)
}

func (d *Daemon) refuseGM(ctx context.Context, c *call, g parse.GMText, title, why string) error {
	r := report.Refused{Title: title, Why: why, Problems: g.Problems}
	for _, x := range g.Commands {
		r.Understood = append(r.Understood, x.Line.Text)
	}
	for _, x := range g.Rulings {
		r.Understood = append(r.Understood, x.Text)
	}
	for _, a := range g.As {
		for _, who := range a.Who {
			r.Understood = append(r.Understood, fmt.Sprintf("orders for %s (%d lines)", who, len(a.Lines)))
		}
	}
	for _, n := range g.Notes {
		r.Understood = append(r.Understood, "NOTE "+n)
	}
	for _, l := range g.Rest {
		if strings.TrimSpace(l.Text) != "" && !parse.IsSignatureOrThanks(l.Text) {
			r.Unread = append(r.Unread, l.Text)
		}
	}
	r.Do = append(r.Do, nearCommand(c.newLines(), roleGM)...)
	r.Do = append(r.Do, "Mend the lines named above and send the whole letter again.", "HELP lists all that a GM may write.")
	return d.refuse(ctx, c, r)
}

// closedBefore reports that the turn, or the phase after a Pause, was closed at
// least once: from then on there are rulings, and foes keep their plans, so that
// changing one is a ruling too (design section 6). A later phase begins with the
// turn's lock; there the draft tells that the GM has seen.
func (t *table) closedBefore() bool {
	if t.Turn.Phase == 0 {
		return t.Turn.Lock != nil
	}
	return t.Turn.State != game.Open || !t.Turn.ReopenedAt.IsZero()
}

// foesOrders stores orders for the GM's own combatants.
func (d *Daemon) foesOrders(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State != game.Open {
		return d.refuseGM(ctx, c, g, "your combatants' orders", fmt.Sprintf("Turn %d is %s.", t.Turn.N, stateWords[t.Turn.State]))
	}
	all := t.actors(c.role)
	var rd reading
	for _, block := range g.As {
		for _, who := range block.Who {
			i := slices.IndexFunc(all, func(a parse.Actor) bool { return a.ID == who })
			if i < 0 {
				return d.refuseGM(ctx, c, g, "your combatants' orders",
					fmt.Sprintf("%s is not one of your combatants that can act. A player's character is ordered by his player; after the close a ruling can change what happened.", who))
			}
			part := d.read(t, all[i:i+1], block.Lines)
			rd.parts = append(rd.parts, part.parts...)
		}
	}
	if !rd.orders() {
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
	m, err := report.Receipt(d.receipt(c, t.with(revisions), rd, false))
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindReceipt, m, false)
	if err != nil {
		return err
	}
	d.trace(c, "foes' orders: "+m.Subject)
	return d.Store.StoreOrders(ctx, d.ending(c, store.Acted, "foes' orders", n), t.Turn.Key(), revisions)
}

// rulings stores rulings, ACCEPT, DROP and notes of one letter; a new attempt follows.
func (d *Daemon) rulings(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State != game.Closed && t.Turn.State != game.Review && (t.Turn.State != game.Open || !t.closedBefore()) {
		return d.refuseGM(ctx, c, g, "the ruling", fmt.Sprintf("Turn %d is %s. Rulings are taken from its close until it is approved.", t.Turn.N, stateWords[t.Turn.State]))
	}
	rules := slices.Clone(g.Rulings)
	drops := []int{}
	for _, cmd := range g.Commands {
		switch cmd.Word {
		case "ACCEPT":
			if !slices.ContainsFunc(t.Revisions, func(r store.Revision) bool { return r.LateN == cmd.Number }) {
				return d.refuseGM(ctx, c, g, "the ruling", fmt.Sprintf("There is no late letter %d in this turn.", cmd.Number))
			}
			rules = append(rules, game.Ruling{Kind: game.RuleAccept, Value: fmt.Sprint(cmd.Number), Text: cmd.Line.Text})
		case "DROP":
			if !slices.ContainsFunc(t.Rulings, func(r store.Ruling) bool { return r.N == cmd.Number && r.DroppedBy == 0 }) {
				return d.refuseGM(ctx, c, g, "DROP", fmt.Sprintf("There is no ruling %d in force in this turn.", cmd.Number))
			}
			drops = append(drops, cmd.Number)
		}
	}
	for _, block := range g.As {
		for _, who := range block.Who {
			r, problems := d.orderRuling(t, c.role, who, block.Lines)
			if len(problems) > 0 {
				g.Problems = problems
				return d.refuseGM(ctx, c, g, "the ruling", "The orders could not be taken as they stand.")
			}
			rules = append(rules, r)
		}
	}
	for _, n := range g.Notes {
		rules = append(rules, game.Ruling{Kind: game.RuleNote, Value: n, Text: "NOTE " + n})
	}
	for i := range rules {
		rules[i].Letter = c.row.ID
	}
	var in report.Rulings
	last := 0
	for _, r := range t.Rulings {
		last = max(last, r.N)
		switch {
		case r.DroppedBy != 0:
		case slices.Contains(drops, r.N):
			in.Notes = append(in.Notes, fmt.Sprintf("Ruling %d is taken back.", r.N))
		default:
			in.Rulings = append(in.Rulings, numbered(r))
		}
	}
	for i := range rules {
		rules[i].N = last + 1 + i
		in.Rulings = append(in.Rulings, rules[i])
	}
	if c.token.Purpose == mail.PurposeRelease && t.Draft != nil && int(c.token.N) != t.Draft.N {
		in.Notes = append(in.Notes, fmt.Sprintf("You answered attempt %d, so event numbers are those of its packet.", c.token.N))
	}
	if t.Turn.State == game.Open {
		in.Notes = append(in.Notes, "They apply when the turn closes again.")
	} else {
		in.Notes = append(in.Notes, "A new attempt follows.")
	}
	m, err := report.Answer("rulings", d.head(t, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	d.trace(c, fmt.Sprintf("ruled: %d rulings, %d dropped", len(rules), len(drops)))
	return d.Store.Rule(ctx, d.ending(c, store.Acted, "rulings", n), t.Turn.Key(), rules, drops)
}

// orderRuling makes a ruling of orders for one of the GM's combatants after
// the first close: changing a foe's plan then is a ruling (design section 6).
func (d *Daemon) orderRuling(t *table, r store.Role, who game.ID, lines []parse.Line) (game.Ruling, []game.Problem) {
	i := slices.IndexFunc(t.actors(r), func(a parse.Actor) bool { return a.ID == who })
	if i < 0 {
		return game.Ruling{}, []game.Problem{{Severity: game.Wrong, Kind: "not_your_character", Text: fmt.Sprintf("%s is not one of your combatants that can act.", who)}}
	}
	rd := d.read(t, t.actors(r)[i:i+1], lines)
	var problems []game.Problem
	for _, p := range rd.parts {
		for _, x := range p.problems {
			if x.Severity == game.Wrong {
				problems = append(problems, x)
			}
		}
	}
	if len(problems) == 0 && !rd.orders() {
		problems = []game.Problem{{Severity: game.Wrong, Kind: "unparsed", Text: "No orders were found for " + string(who) + "."}}
	}
	if len(problems) > 0 {
		return game.Ruling{}, problems
	}
	plan, err := canonical(rd.parts[0].plan)
	if err != nil {
		return game.Ruling{}, []game.Problem{{Severity: game.Wrong, Kind: "unparsed", Text: "The orders could not be kept."}}
	}
	text := fmt.Sprintf("AS %s: %s", who, strings.Join(strings.Fields(textOf(lines)), " "))
	return game.Ruling{Kind: game.RuleOrders, Who: who, Value: string(plan), Text: text}, nil
}

// notes stores NOTE lines alone: narrative, which changes no event and so makes
// no new attempt.
func (d *Daemon) notes(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State == game.Approved || t.Turn.State == game.Stuck {
		return d.refuseGM(ctx, c, g, "NOTE", fmt.Sprintf("Turn %d is %s.", t.Turn.N, stateWords[t.Turn.State]))
	}
	in := d.status(c)
	in.Title = "Noted for the reports of this turn"
	in.Notes = append(in.Notes, g.Notes...)
	return d.change(ctx, c, "noted", in, func(e store.Ending) error {
		_, err := d.Store.AddNotes(ctx, e, t.Turn.Key(), noteRulings(g.Notes, c.row.ID))
		return err
	})
}

func noteRulings(notes []string, letter int64) []game.Ruling {
	var out []game.Ruling
	for _, n := range notes {
		out = append(out, game.Ruling{Kind: game.RuleNote, Value: n, Text: "NOTE " + n, Letter: letter})
	}
	return out
}

// runOK releases the attempt that the letter answers, and nothing else: not
// another attempt, not when the letter says more than OK.
func (d *Daemon) runOK(ctx context.Context, c *call, _ parse.Command, rest []parse.Line) error {
	t := c.table
	stale := report.Stale{State: t.Turn.State, Current: t.inForce()}
	if c.token.Purpose == mail.PurposeRelease && c.trust.token != tokenNone {
		stale.Asked = int(c.token.N)
	}
	g := parse.GM(rest, formsOf(roleGM), game.Vocabulary{}, nil)
	switch {
	case len(g.Rulings)+len(g.As)+len(g.Commands)+len(g.Problems) > 0 || !g.OnlyThanks():
		stale.Why = "Your letter says more than OK, so nothing was released."
		for _, l := range rest {
			if strings.TrimSpace(l.Text) != "" && !parse.IsSignatureOrThanks(l.Text) {
				stale.Read = append(stale.Read, l.Text)
			}
		}
	case c.token.Purpose != mail.PurposeRelease:
		stale.Why = "OK releases the attempt whose packet it answers; you answered another mail."
	case t.Turn.State != game.Review:
		stale.Why = fmt.Sprintf("Turn %d is %s: there is no attempt to release.", t.Turn.N, stateWords[t.Turn.State])
	case stale.Asked != t.Turn.Attempt || int(c.token.Turn) != t.Turn.N:
		stale.Why = fmt.Sprintf("You answered attempt %d of turn %d; attempt %d of turn %d is in force.", stale.Asked, c.token.Turn, t.Turn.Attempt, t.Turn.N)
	}
	if stale.Why != "" {
		return d.stale(ctx, c, stale)
	}
	m, err := report.Answer("approved", d.head(t, c.role), report.Approved{Attempt: t.Turn.Attempt})
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	d.trace(c, fmt.Sprintf("OK: attempt %d of turn %d goes out", t.Turn.Attempt, t.Turn.N))
	err = d.Store.Approve(ctx, d.ending(c, store.Acted, fmt.Sprintf("released attempt %d", t.Turn.Attempt), n),
		t.Turn.Key(), t.Turn.Attempt, t.Turn.Digest, noteRulings(g.Notes, c.row.ID))
	if err == nil {
		d.Step("ok-taken")
	}
	return err
}

// stale answers an OK that released nothing, with the packet in force again.
func (d *Daemon) stale(ctx context.Context, c *call, in report.Stale) error {
	m, err := report.Answer("stale", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, true)
	if err != nil {
		return err
	}
	mails := []store.NewMail{n}
	if c.table.Turn.State == game.Review && len(in.Read) == 0 {
		p, err := d.packetAgain(c)
		if err != nil {
			return err
		}
		mails = append(mails, p)
	}
	return d.answerWith(ctx, c, "an OK that released nothing", mails...)
}

// inForce is the attempt that waits for an OK, 0 when none does.
func (t *table) inForce() int {
	if t.Turn.State == game.Review {
		return t.Turn.Attempt
	}
	return 0
}

// freshPacket answers a verified GM whose letter had no valid token: the same
// words in answer to the fresh mail will count.
func (d *Daemon) freshPacket(ctx context.Context, c *call) error {
	cmd, _, _ := parse.FirstCommand(c.newLines(), formsOf(roleGM))
	if c.table.Turn.State != game.Review && cmd.Word != "OK" {
		return d.refuse(ctx, c, report.Refused{
			Title: "your letter", Why: "This needs an answer to one of our mails: your letter carried no answer address that is good.",
			Do: []string{"Send the same words in answer to this mail."}, Understood: firstLines(c.newLines(), 8),
		})
	}
	return d.stale(ctx, c, report.Stale{
		State: c.table.Turn.State, Current: c.table.inForce(),
		Why: "This needs an answer to one of our mails: your letter carried no valid answer address.",
	})
}

// runClose asks for the close now; the fence still lets every letter in that
// was received before.
func (d *Daemon) runClose(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	in := d.status(c)
	in.Title = fmt.Sprintf("Turn %d closes now", c.table.Turn.N)
	if c.table.paused() {
		in.Title = fmt.Sprintf("Turn %d closes once the game is resumed", c.table.Turn.N)
	}
	return d.change(ctx, c, "close asked", in, func(e store.Ending) error {
		return d.Store.AskClose(ctx, e, c.table.Turn.Key(), c.row.ReceivedAt)
	})
}

// runReopen opens a closed turn again. The lock stays, so the dice stay.
func (d *Daemon) runReopen(ctx context.Context, c *call, cmd parse.Command, _ []parse.Line) error {
	t := c.table
	deadline := d.Now().Add(cmd.Duration)
	var told []store.NewMail
	for _, r := range t.Roles {
		if r.Kind != rolePlayer {
			continue
		}
		n, err := d.told(t, r, "reopened", deadline)
		if err != nil {
			return err
		}
		told = append(told, n)
	}
	n, err := d.answerMoved(c, "reopened", deadline)
	if err != nil {
		return err
	}
	d.trace(c, "reopened until "+deadline.UTC().Format(time.RFC3339))
	return d.Store.Reopen(ctx, d.ending(c, store.Acted, "reopened", append(told, n)...), t.Turn.Key(), deadline)
}

// runExtend moves the deadline.
func (d *Daemon) runExtend(ctx context.Context, c *call, cmd parse.Command, _ []parse.Line) error {
	deadline := c.table.Turn.DeadlineAt.Add(cmd.Duration)
	return d.moved(ctx, c, "extended", deadline, func(e store.Ending) error {
		return d.Store.Extend(ctx, e, c.table.Turn.Key(), deadline, remindAt(c.table.file, c.table.Turn.OpenedAt, deadline))
	})
}

// runPause stops the clock of the turn.
func (d *Daemon) runPause(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	t := c.table.Turn
	if !t.PausedAt.IsZero() {
		return d.refuse(ctx, c, report.Refused{Title: "PAUSE", Why: "The game is paused already.", Do: []string{"RESUME lets the clock go on."}})
	}
	return d.moved(ctx, c, "paused", t.DeadlineAt, func(e store.Ending) error {
		return d.Store.SetPaused(ctx, e, t.Key(), d.Now(), t.DeadlineAt, time.Time{})
	})
}

// runResume lets the clock go on; the deadline moves by the length of the pause.
func (d *Daemon) runResume(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	t := c.table.Turn
	if t.PausedAt.IsZero() {
		return d.refuse(ctx, c, report.Refused{Title: "RESUME", Why: "The game is not paused.", Do: []string{"PAUSE stops the clock."}})
	}
	deadline := t.DeadlineAt.Add(d.Now().Sub(t.PausedAt))
	return d.moved(ctx, c, "resumed", deadline, func(e store.Ending) error {
		return d.Store.SetPaused(ctx, e, t.Key(), time.Time{}, deadline, remindAt(c.table.file, t.OpenedAt, deadline))
	})
}

// moved tells everybody that the deadline is another one now.
func (d *Daemon) moved(ctx context.Context, c *call, kind string, deadline time.Time, do func(store.Ending) error) error {
	t := c.table
	var mails []store.NewMail
	for _, r := range t.Roles {
		if r.Kind == rolePlayer {
			n, err := d.told(t, r, kind, deadline)
			if err != nil {
				return err
			}
			mails = append(mails, n)
		}
	}
	n, err := d.answerMoved(c, kind, deadline)
	if err != nil {
		return err
	}
	d.trace(c, kind)
	return do(d.ending(c, store.Acted, kind, append(mails, n)...))
}

// movedData is what the mail of a moved clock says.
func (d *Daemon) movedData(t *table, r store.Role, kind string, deadline time.Time) any {
	at := t.when(deadline, r)
	switch kind {
	case "reopened":
		return report.Reopened{Deadline: at, GM: r.Kind == roleGM}
	case "extended":
		return report.Extended{From: t.when(t.Turn.DeadlineAt, r), Deadline: at}
	case "paused":
		return report.Paused{Since: t.when(d.Now(), r)}
	}
	return report.Resumed{Deadline: at}
}

func (d *Daemon) told(t *table, r store.Role, kind string, deadline time.Time) (store.NewMail, error) {
	m, err := report.Answer(kind, d.head(t, r), d.movedData(t, r, kind, deadline))
	if err != nil {
		return store.NewMail{}, err
	}
	return d.letterOf(envelope{kind: kindAnswer, role: r, turn: t.Turn}, m)
}

func (d *Daemon) answerMoved(c *call, kind string, deadline time.Time) (store.NewMail, error) {
	m, err := report.Answer(kind, d.head(c.table, c.role), d.movedData(c.table, c.role, kind, deadline))
	if err != nil {
		return store.NewMail{}, err
	}
	return d.envelopeFor(c, kindAnswer, m, false)
}

// remindAt is when those who owe are reminded: some time before the deadline,
// or never if that is before the turn opened.
func remindAt(f *scenario.Game, opened, deadline time.Time) time.Time {
	at := deadline.Add(-f.Clock.Remind)
	if f.Clock.Remind <= 0 || !at.After(opened) {
		return time.Time{}
	}
	return at
}

// runRulings lists the rulings of the turn.
func (d *Daemon) runRulings(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	var in report.Rulings
	for _, r := range c.table.Rulings {
		if r.DroppedBy != 0 {
			in.Notes = append(in.Notes, fmt.Sprintf("Ruling %d, \"%s\", was taken back.", r.N, r.Body.Text))
			continue
		}
		in.Rulings = append(in.Rulings, numbered(r))
	}
	m, err := report.Answer("rulings", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// numbered is a stored ruling with its number.
func numbered(r store.Ruling) game.Ruling {
	body := r.Body
	body.N = r.N
	return body
}
