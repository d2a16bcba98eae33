package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// runClose asks for the close now; the fence still lets every letter in that
// was received before.
func (d *Daemon) runClose(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	in := d.status(c)
	in.Title = fmt.Sprintf("Turn %d closes now", c.table.Turn.N)
	in.Deadline = report.When{}
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
		if r.Kind != rolePlayer || !t.takesPart(r) {
			continue
		}
		n, err := d.tellMoved(t, r, "reopened", deadline)
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
		if r.Kind == rolePlayer && t.takesPart(r) {
			n, err := d.tellMoved(t, r, kind, deadline)
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

func (d *Daemon) tellMoved(t *table, r store.Role, kind string, deadline time.Time) (store.NewMail, error) {
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
