package daemon

import (
	"context"
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// errata sends every player at once what a report that is out had wrong. It
// changes nothing: the figures themselves are mended by rulings of the turn that
// comes next.
func (d *Daemon) errata(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if len(g.Commands)+len(g.Rulings)+len(g.As)+len(g.Notes) > 0 {
		return d.refuseGM(ctx, c, g, "ERRATUM", "An erratum stands in a letter with other lines; it is a letter of its own, because it goes out at once.")
	}
	in := report.Erratum{Turn: t.Turn.N, Lines: g.Errata}
	if t.Turn.Phase == 0 {
		in.Turn--
	}
	if in.Turn == 0 {
		return d.refuseGM(ctx, c, g, "ERRATUM", "No report is out yet that could be wrong. A NOTE stands in the next one.")
	}
	var mails []store.NewMail
	var to []string
	for _, r := range t.Roles {
		if r.Kind != rolePlayer {
			continue
		}
		n, err := d.tell(t, r, kindAnswer, "erratum", in)
		if err != nil {
			return err
		}
		mails, to = append(mails, n), append(to, r.Name)
	}
	in.To = to
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
