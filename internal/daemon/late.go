package daemon

import (
	"context"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// punctual reports that a letter was received before the deadline and its grace ended.
func (c *call) punctual() bool {
	return !c.row.ReceivedAt.After(c.table.Turn.DeadlineAt.Add(c.table.grace()))
}

// late reports that a letter cannot change the turn's orders any more. The
// deadline of a paused turn will move: nothing is late then.
func (c *call) late() bool {
	t := c.table.Turn
	return t.State != game.Open || t.PausedAt.IsZero() && !c.punctual()
}

// lateOrders keeps what a punctual letter that turned up after the close orders
// or takes back for the GM; one that came after the deadline is told so.
func (d *Daemon) lateOrders(ctx context.Context, c *call, revisions []store.Revision) error {
	t := c.table
	if t.veils != 0 || !c.punctual() || len(revisions) == 0 || !slices.Contains([]game.State{game.Closed, game.Review, game.Stuck}, t.Turn.State) {
		m, err := report.Answer("late", d.head(t, c.role), t.late(c, 0))
		if err != nil {
			return err
		}
		return d.answer(ctx, c, m)
	}
	m, err := report.Answer("late", d.head(t, c.role), t.late(c, t.nextLate()))
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	mails, err := d.packetWithLate(t, revisions)
	if err != nil {
		return err
	}
	d.trace(c, "late: kept for the GM")
	_, err = d.Store.StoreLate(ctx, d.ending(c, store.Late, "received in time, turned up after the close", append(mails, n)...), t.Turn.Key(), revisions)
	return err
}

// late says what became of a letter that the close went before; n is its number
// for the GM, 0 when it does not count.
func (t *table) late(c *call, n int) report.Late {
	closed := t.Turn.ClosedAt
	if closed.IsZero() {
		closed = t.Turn.DeadlineAt
	}
	return report.Late{
		Received: t.when(c.row.ReceivedAt, c.role), Closed: t.when(closed, c.role), N: n,
		Stuck: t.Turn.State == game.Stuck, Lines: firstLines(c.newLines(), 8),
	}
}

// acceptedLetters name the late letter that counts by an ACCEPT. None is named
// when the turn was reopened since: that let all of them count.
func (t *table) acceptedLetters(accept game.Ruling, reader store.Role) []string {
	for _, rev := range t.Revisions {
		if role, ok := t.RoleByID(rev.Role); ok && strconv.Itoa(rev.LateN) == accept.Value {
			return []string{"a letter of " + role.Name + ", received " + t.when(rev.ReceivedAt, reader).String()}
		}
	}
	return nil
}

// nextLate is the number that the next late letter gets. Numbers go on over a
// REOPEN, so that no ACCEPT can mean another letter than it did.
func (t *table) nextLate() int { return t.Turn.Lates + 1 }
