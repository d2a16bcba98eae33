package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// kindAgain is a report sent again; its turn is the one that it reports.
const kindAgain = "again"

// runReport sends the report of a turn again, as it was, with an address to
// answer to that is good. A turn of several parts has as many reports.
func (d *Daemon) runReport(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	if !parse.OnlyThanks(rest) {
		return d.alone(ctx, c, cmd.Word)
	}
	over, err := d.released(ctx, c.table)
	if err != nil {
		return err
	}
	n := cmd.Number
	if n == 0 && len(over) > 0 {
		n = over[len(over)-1].N
	}
	why := ""
	var mails []store.NewMail
	for i, r := range over {
		if r.N != n {
			continue
		}
		m, err := d.reportOf(ctx, c, over, i)
		if errors.Is(err, store.ErrNotFound) || err == nil && len(m.Bytes) == 0 {
			why = fmt.Sprintf("The report of %s is not kept any more.", turnName(r.N, r.Phase))
			continue
		}
		if err != nil {
			return err
		}
		again, err := d.again(c, r, m)
		if err != nil {
			return err
		}
		mails = append(mails, again)
	}
	if len(mails) > 0 {
		return d.answerWith(ctx, c, "answered: "+mails[0].Subject, mails...)
	}
	now := c.table.Turn
	switch {
	case why != "":
	case n == 0:
		why = "No turn is over yet."
	case n > now.N:
		why = fmt.Sprintf("There is no turn %d yet; turn %d is %s.", n, now.N, stateWords[now.State])
	default:
		why = fmt.Sprintf("Turn %d is not over: it is %s.", n, stateWords[now.State])
	}
	refused := report.Refused{Title: strings.TrimSpace(cmd.Line.Text), Why: why, Do: []string{"STATUS tells where the turn stands."}}
	if len(over) > 0 {
		refused.Do = []string{fmt.Sprintf("REPORT %d sends that of the newest turn that is over; there are reports of turns 1 to %d.", over[len(over)-1].N, over[len(over)-1].N)}
	}
	return d.refuse(ctx, c, refused)
}

// reportOf finds the mail that told a reader of the i-th turn that is over: the
// one that opened the next, or that ended the game.
func (d *Daemon) reportOf(ctx context.Context, c *call, over []store.TurnRef, i int) (store.Mail, error) {
	next := c.table.Turn.ID
	if i+1 < len(over) {
		next = over[i+1].ID
	}
	if next == over[i].ID {
		return d.Store.FirstMail(ctx, next, c.role.ID, kindReport, c.table.Turn.OpenedAt.Add(time.Microsecond))
	}
	m, err := d.Store.FirstMail(ctx, next, c.role.ID, kindReport, c.table.Game.CreatedAt)
	if errors.Is(err, store.ErrNotFound) {
		m, err = d.Store.FirstMail(ctx, next, c.role.ID, kindBrief, c.table.Game.CreatedAt)
	}
	return m, err
}

// again is a mail of ours once more: the same text, HTML and pictures under a
// new Message-ID and address to answer to, and a Subject that says so.
func (d *Daemon) again(c *call, of store.TurnRef, old store.Mail) (store.NewMail, error) {
	env, err := enmime.ReadEnvelope(bytes.NewReader(old.Bytes))
	if err != nil {
		return store.NewMail{}, fmt.Errorf("reading mail %d of ours: %w", old.ID, err)
	}
	m := report.Mail{
		Subject: d.head(c.table, c.role).Tag() + " Again: " + untagged(old.Subject),
		Text:    old.Text, HTML: strings.ReplaceAll(env.HTML, "\r\n", "\n"),
	}
	for _, p := range slices.Concat(env.Inlines, env.OtherParts) {
		if p.ContentType != "image/png" || p.ContentID == "" {
			continue
		}
		alt, err := new(mime.WordDecoder).DecodeHeader(p.Header.Get("Content-Description"))
		if err != nil {
			alt = ""
		}
		m.Pictures = append(m.Pictures, report.Picture{CID: p.ContentID, Alt: alt, PNG: p.Content})
	}
	n, err := d.envelopeFor(c, kindAgain, m, true)
	n.Turn = of.ID
	return n, err
}
