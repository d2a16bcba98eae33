package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
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
	events, err := d.answered(ctx, c)
	if err != nil {
		return err
	}
	read := parse.GM(lines, forms, c.table.rules.Vocabulary(v), refsOf(events))
	if judge, ok := c.table.rules.(resolve.Judge); ok {
		read.Object(func(r game.Ruling) (string, string) { return judge.Fault(c.table.world, events, r) })
	}
	if c.trust.token == tokenValid && c.token.Purpose == mail.PurposeHello &&
		len(read.As)+len(read.Rulings)+len(read.Notes)+len(read.Errata)+len(read.Commands)+len(read.Problems) == 0 {
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

// refsOf are the events' refs by their number in a packet: rulings name numbers,
// and only refs are stored.
func refsOf(events []game.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.Ref
	}
	return out
}

// answered are the events of the packet that the letter answers, the one in force
// or an older one. In answer to any other mail a number means nothing. The token
// need not be good any more: it only says which packet lay before the writer.
func (d *Daemon) answered(ctx context.Context, c *call) ([]game.Event, error) {
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
	return events, nil
}

// gmText carries out what was read of a letter that is not one command. Either
// all of it is done, or nothing, and the answer says which line was wrong.
func (d *Daemon) gmText(ctx context.Context, c *call, g parse.GMText) error {
	need := rightLight
	if len(g.Commands)+len(g.Rulings)+len(g.Errata) > 0 || len(g.As) > 0 && c.table.closedBefore() {
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
	if len(g.Errata) > 0 {
		return d.errata(ctx, c, g)
	}
	orders, rules, notes := len(g.As) > 0, len(g.Rulings)+len(g.Commands) > 0, len(g.Notes) > 0
	switch {
	case !orders && !rules && !notes:
		in := d.status(c)
		in.Title = "Nothing changed: your letter holds no command, ruling or order"
		in.Notes = slices.Concat(nearCommand(c.newLines(), roleGM), in.Notes)
		m, err := report.Answer("status", d.head(c.table, c.role), in)
		if err != nil {
			return err
		}
		return d.answer(ctx, c, m)
	case orders && !c.table.closedBefore():
		if rules || notes {
			return d.refuseGM(ctx, c, g, "your letter", "Orders for your combatants and rulings stand in one letter; send two.")
		}
		return d.foesOrders(ctx, c, g)
	case !orders && !rules:
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
	for _, n := range g.Errata {
		r.Understood = append(r.Understood, "ERRATUM "+n)
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

// runOK releases the attempt that the letter answers, and nothing else: not
// another attempt, not when the letter says more than OK.
func (d *Daemon) runOK(ctx context.Context, c *call, _ parse.Command, rest []parse.Line) error {
	t := c.table
	stale := report.Stale{State: t.Turn.State, Current: t.inForce()}
	if c.token.Purpose == mail.PurposeRelease && c.trust.token != tokenNone {
		stale.Asked = int(c.token.N)
	}
	rest = withoutOwnThanks(rest, c.role.Name)
	g := parse.GM(rest, formsOf(roleGM), game.Vocabulary{}, nil)
	switch {
	case len(g.Rulings)+len(g.As)+len(g.Errata)+len(g.Commands)+len(g.Problems) > 0 || !g.OnlyThanks():
		stale.Why = "Your letter says more than OK."
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

// stale answers an OK that released nothing, with the packet in force again. It
// never waits with other answers: the GM believes that the turn goes out.
func (d *Daemon) stale(ctx context.Context, c *call, in report.Stale) error {
	m, err := report.Answer("stale", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, true)
	if err != nil {
		return err
	}
	c.urgent = true
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

// withoutOwnThanks leaves out lines such as "Thanks, Greta" that end with the
// writer's registered name. Only he can be meant: "Thanks, wait" stays.
func withoutOwnThanks(lines []parse.Line, name string) []parse.Line {
	first, _, _ := strings.Cut(name, " ")
	return slices.DeleteFunc(slices.Clone(lines), func(l parse.Line) bool {
		text := strings.ToLower(strings.TrimRight(strings.TrimSpace(l.Text), ".!"))
		for _, n := range []string{name, first} {
			thanks, ok := strings.CutSuffix(text, strings.ToLower(n))
			if ok && n != "" && strings.HasSuffix(strings.TrimRight(thanks, " "), ",") && parse.IsSignatureOrThanks(strings.Trim(thanks, " ,")) {
				return true
			}
		}
		return false
	})
}
