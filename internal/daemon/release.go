package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// releaseTurn releases an approved turn. One whose release failed or ended the
// process three times is stuck; one that cannot even be read takes no letter
// either, so only the operator can help.
func (d *Daemon) releaseTurn(ctx context.Context, w store.Work) error {
	snap, err := d.Store.SnapshotOfTurn(ctx, w.Row)
	if errors.Is(err, store.ErrNotFound) || err == nil && snap.Turn.State != game.Approved {
		return nil
	}
	if err != nil {
		return err
	}
	t, err := d.table(snap)
	if err != nil {
		return errors.Join(err, d.tellStopped(ctx, snap, "cannot be released", err))
	}
	tries, err := d.Store.ReleaseBegins(ctx, w.Row)
	if errors.Is(err, store.ErrDone) {
		return nil
	}
	if err != nil {
		return err
	}
	if tries > maxTries {
		return d.stuck(ctx, t, stuckReports, "releasing it was begun three times and never came to an end")
	}
	err = d.release(ctx, t)
	switch {
	case errors.Is(err, store.ErrChanged):
		return d.Store.TurnFailed(ctx, w.Row)
	case err == nil, errors.Is(err, store.ErrDone):
		return nil
	case tries == maxTries && ctx.Err() == nil && !store.Trouble(err):
		d.Log.Error("release", "game", t.Game.Name, "turn", t.Turn.N, "err", err)
		return d.stuck(ctx, t, stuckReports, err.Error())
	}
	return d.giveBack(ctx, w.Row, err)
}

// tellStopped tells the operator of a turn that no letter can help.
func (d *Daemon) tellStopped(ctx context.Context, snap store.Snapshot, what string, why error) error {
	return d.tellOperator(ctx, fmt.Sprintf("%s-%d", kindStopped, snap.Turn.ID),
		fmt.Sprintf("%s turn %d %s", snap.Game.Name, snap.Turn.N, what), why.Error(), "It is tried again and again.")
}

// release renders the reports of an approved turn and stores them with the next
// turn, or the next phase after a Pause, in one short transaction.
func (d *Daemon) release(ctx context.Context, t *table) error {
	if t.Draft == nil || t.Draft.N != t.Turn.Attempt {
		return fmt.Errorf("turn %d of %s is approved without its attempt %d", t.Turn.N, t.Game.Name, t.Turn.Attempt)
	}
	out, err := outcomeOf(*t.Draft)
	if err != nil {
		return err
	}
	now := d.Now()
	rel := store.Release{Key: t.Turn.Key(), Attempt: t.Draft.N, Digest: t.Draft.Digest, Now: now}
	var next *store.NewTurn
	switch {
	case out.Pause != nil:
		next, err = d.nextPhase(t, out.Pause, now)
	case out.Done:
		rel.EndGame = true
	default:
		next, err = d.nextTurn(t, now)
	}
	if err != nil {
		return err
	}
	if next != nil {
		rel.Next = d.Store.Ahead(t.Game, t.Turn, *next)
	}
	all, err := d.told(ctx, t, out)
	if err != nil {
		return err
	}
	if rel.Mails, err = d.renderMails(t, all, rel.Next); err != nil {
		return err
	}
	d.Step("rendered")
	if err := d.Store.StoreRelease(ctx, rel); err != nil {
		return err
	}
	d.Step("released")
	what := "released"
	if out.Pause != nil {
		what = "pause"
	}
	d.Trace(Trace{What: what, Game: t.Game.Name, Turn: t.Turn.N, Text: fmt.Sprintf("attempt %d", t.Draft.N)})
	d.Log.Info("turn released", "game", t.Game.Name, "turn", t.Turn.N, "phase", t.Turn.Phase, "attempt", t.Draft.N)
	return nil
}

// nextTurn opens on the world after; its deadline is the next of the schedule
// that leaves the players min_turn.
func (d *Daemon) nextTurn(t *table, now time.Time) (*store.NewTurn, error) {
	deadline, err := scenario.NextDeadline(t.file.Clock.Schedule, t.file.Clock.Zone, now, t.file.Clock.MinTurn)
	if err != nil {
		return nil, fmt.Errorf("next deadline of %s: %w", t.Game.Name, err)
	}
	return &store.NewTurn{N: t.Turn.N + 1, World: t.Draft.WorldAfter, OpenedAt: now, DeadlineAt: deadline,
		RemindAt: remindAt(t.file, now, deadline)}, nil
}

// nextPhase opens the same turn again for those whom the Pause asks.
func (d *Daemon) nextPhase(t *table, p *game.Pause, now time.Time) (*store.NewTurn, error) {
	next, err := d.nextTurn(t, now)
	if err != nil {
		return nil, err
	}
	next.N, next.Phase, next.Void, next.Lock, next.ReopenedAt = t.Turn.N, t.Turn.Phase+1, t.Turn.Void, t.Turn.Lock, t.Turn.ReopenedAt
	if next.Asks, err = canonical(p.Asks); err != nil {
		return nil, err
	}
	next.NudgeAt = now // whom it does not ask still waits for the GM, as far as he knows
	return next, nil
}

// renderMails is releaseMails, turning a panic into an error.
func (d *Daemon) renderMails(t *table, all map[int64]told, next *store.Turn) (mails []store.NewMail, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	return d.releaseMails(t, all, *cmp.Or(next, &store.Turn{}), next == nil)
}

// releaseMails are one mail a reader: what he perceived, and what comes next.
func (d *Daemon) releaseMails(t *table, all map[int64]told, next store.Turn, ended bool) ([]store.NewMail, error) {
	after, err := d.tableAfter(t, next)
	if err != nil {
		return nil, err
	}
	var mails []store.NewMail
	for _, r := range t.Roles {
		if !ended && !after.takesPart(r) {
			continue // he is told of the pause when the turn is over
		}
		n, err := d.releaseMail(t, after, r, all[r.ID], next, ended)
		if err != nil {
			return nil, err
		}
		mails = append(mails, n)
	}
	return mails, nil
}

// tableAfter is the next turn's table before it is stored; of an ended game,
// the last world without a turn to come.
func (d *Daemon) tableAfter(t *table, next store.Turn) (*table, error) {
	s := t.Snapshot
	s.Turn = next
	s.Turn.World = t.Draft.WorldAfter
	s.Revisions, s.Ready, s.Rulings, s.Holds, s.Frozen, s.Draft = nil, map[int64]store.Ready{}, nil, nil, nil, nil
	if next.N > t.Turn.N {
		s.PrevLock = t.Turn.Lock
	}
	return d.table(s)
}

func (d *Daemon) releaseMail(t, after *table, r store.Role, what told, next store.Turn, ended bool) (store.NewMail, error) {
	from, out := what.parts[0], what.out
	var own []game.ID
	for _, b := range t.own(r) {
		own = append(own, b.ID)
	}
	in := report.TurnReportIn{
		Head: d.head(from, r), Reopened: !t.Turn.ReopenedAt.IsZero(), Course: what.course, Names: names(t.world),
	}
	in.Head.Clock = in.Head.Clock.Reached(after.world.At())
	if ended {
		in.Done, in.Map = out.Why, what.places
	}
	master := r.Kind == roleGM
	if master {
		in.Lines = report.Project(out.Events, []game.ID{game.GM})
	} else {
		in.Lines = report.Project(out.Events, own)
	}
	for _, p := range what.parts {
		p.decided(&in, r)
	}
	if !master {
		for _, id := range own {
			before := from.view(id)
			in.Changes = append(in.Changes, report.SheetChange{Name: before.Self.Name, Before: before, After: after.view(id)})
		}
	}
	if out.Pause != nil {
		in.Narrative = append(briefs(out.Pause, t, own), in.Narrative...)
	}
	block, err := d.diceBlock(t, r, out, own, out.Pause != nil, ended)
	if err != nil {
		return store.NewMail{}, err
	}
	in.Dice = block
	if !ended {
		o := d.opening(after, r)
		o.Map = what.places
		in.Next = &o
	}
	m, err := report.TurnReport(in)
	if err != nil {
		return store.NewMail{}, fmt.Errorf("writing the report of %s turn %d: %w", t.Game.Name, t.Turn.N, err)
	}
	kind := kindReport
	if out.Pause != nil {
		kind = kindBrief
	}
	e := envelope{kind: kind, role: r, turn: next}
	if ended {
		e.turn = t.Turn
	}
	return d.letterOf(e, m)
}

// decided adds to a report what the GM has written and ruled in a phase.
func (t *table) decided(in *report.TurnReportIn, r store.Role) {
	master := r.Kind == roleGM
	for _, x := range t.Rulings {
		switch {
		case x.DroppedBy != 0:
		case x.Body.Kind == game.RuleNote:
			in.Narrative = append(in.Narrative, x.Body.Value)
		case x.Body.Kind == game.RuleDie:
			// Design section 6: every report says that the GM set or rolled a die again.
			in.Rulings = append(in.Rulings, dieRuling(x.Body, master))
		case x.Body.Kind == game.RuleAccept:
			in.Accepted = append(in.Accepted, t.acceptedLetters(x.Body, r)...)
		case master:
			in.Rulings = append(in.Rulings, x.Body.Text)
		}
	}
}

// dieRuling says that a die was not left to chance. Its name may speak of
// somebody whom a player knows nothing of, so only the GM reads it.
func dieRuling(r game.Ruling, master bool) string {
	what := "set"
	if strings.EqualFold(r.Value, "reroll") {
		what = "rolled again"
	}
	if !master {
		return "The GM had a die of this turn " + what + "."
	}
	return r.Text
}

// briefs are what the reader's characters are told at a Pause.
func briefs(p *game.Pause, t *table, own []game.ID) []string {
	var out []string
	for _, id := range own {
		if text := p.Briefs[id]; text != "" {
			out = append(out, names(t.world)[id]+": "+text)
		}
	}
	return out
}

// diceBlock is what the reader may check: seals, leaves, lock, the dice that he
// was shown, and, once the whole turn is over, the secret of his side.
func (d *Daemon) diceBlock(t *table, r store.Role, out resolve.Outcome, own []game.ID, pause, ended bool) (string, error) {
	source, err := t.seals.source(t.Turn.Lock)
	if err != nil {
		return "", err
	}
	lock := digestOf(t.Turn.Lock)
	b := dice.Block{Game: t.Game.Name, Turn: t.Turn.N, Void: t.Turn.Void, Lock: &lock, Leaves: leaves(t.Game, t.Turn.N, t.Roles, t.counted())}
	b.Seals = t.printedSeals(r)
	if !pause {
		side := t.seals.sideOf[r.Key]
		for _, a := range t.seals.audiences {
			if a == side || r.Kind == roleGM {
				b.Secrets = append(b.Secrets, dice.Named{Audience: a, Digest: t.seals.secrets[a]})
			}
		}
	}
	b.Dice = rolledDice(source, out.Events, own, r.Kind == roleGM)
	if ended {
		// The whole game's secret: everything can be checked now.
		secret := digestOf(t.Game.Secret)
		seal := dice.GameSeal(secret)
		b.GameSeal, b.GameSecret = &seal, &secret
	}
	return b.String(), nil
}

// counted are the letters that the lock was made of: those frozen at the first
// close of the turn.
func (t *table) counted() []store.Revision { return t.FirstFrozen }

// tell composes a mail of one of report's answers to a role outside any letter.
func (d *Daemon) tell(t *table, r store.Role, kind, template string, data any) (store.NewMail, error) {
	m, err := report.Answer(template, d.head(t, r), data)
	if err != nil {
		return store.NewMail{}, err
	}
	return d.letterOf(envelope{kind: kind, role: r, turn: t.Turn}, m)
}
