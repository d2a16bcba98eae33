package daemon

import (
	"context"
	"fmt"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
)

// afterTheEnd answers a letter of a game that has ended: there is nothing left
// to order, to release or to rule. What only tells, such as STATUS, goes on.
func (d *Daemon) afterTheEnd(ctx context.Context, c *call) (bool, error) {
	if c.table.Game.EndedAt.IsZero() {
		return false, nil
	}
	if cmd, _, ok := parse.FirstCommand(c.newLines(), formsOf(c.role.Kind)); ok {
		if commandNamed(cmd.Word).tells() {
			return false, nil
		}
	}
	if go_, err := d.permit(ctx, c, rightLight); !go_ || err != nil {
		return true, err
	}
	return true, d.refuse(ctx, c, report.Refused{
		Title: c.table.Game.Name + " is over",
		Why: fmt.Sprintf("%s ended with turn %d on %s. Nothing of your letter was carried out.",
			c.table.Game.Title, c.table.Turn.N, c.table.when(c.table.Game.EndedAt, c.role)),
		Do: []string{"The last report tells how it ended; it also holds what the dice can be checked with."},
	})
}
