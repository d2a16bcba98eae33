package daemon

import (
	"context"
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// errata sends at once what a report that is out had wrong to every player who has
// it. During a pause those whom it does not ask have none of the turn yet, and learn
// of none (see parts.go). It changes nothing: the figures themselves are mended by
// rulings of the turn that comes next.
func (d *Daemon) errata(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if len(g.Commands)+len(g.Rulings)+len(g.As)+len(g.Notes) > 0 {
		return d.refuseGM(ctx, c, g, "ERRATUM", "An erratum stands in a letter with other lines; it is a letter of its own, because it goes out at once.")
	}
	in := report.Erratum{Lines: g.Errata}
	shown := map[int64]*table{} // to each player
	for _, r := range t.Roles {
		if r.Kind != rolePlayer {
			continue
		}
		x, err := d.tableFor(ctx, t, r)
		if err != nil {
			return err
		}
		shown[r.ID], in.Turn = x, max(in.Turn, x.reported())
	}
	if in.Turn == 0 {
		return d.refuseGM(ctx, c, g, "ERRATUM", "No report is out yet that could be wrong. A NOTE stands in the next one.")
	}
	var mails []store.NewMail
	var to, later []string
	for _, r := range t.Roles {
		x := shown[r.ID]
		switch {
		case x == nil:
			continue
		case x.reported() < in.Turn:
			later = append(later, r.Name)
			continue
		}
		n, err := d.tell(x, r, kindAnswer, "erratum", in)
		if err != nil {
			return err
		}
		mails, to = append(mails, n), append(to, r.Name)
	}
	in.To, in.Later = to, later
	m, err := report.Answer("erratum", d.head(t, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	d.trace(c, fmt.Sprintf("erratum to turn %d for %s", in.Turn, strings.Join(to, ", ")))
	return d.Store.EndLetter(ctx, d.ending(c, store.Acted, "erratum", append(mails, n)...))
}

// reported is the turn that the newest report told of; 0: none is out.
func (t *table) reported() int {
	if t.Turn.Phase == 0 {
		return t.Turn.N - 1
	}
	return t.Turn.N
}
