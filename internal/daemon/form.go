package daemon

import (
	"context"
	"slices"

	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// formAside is told to a player whose letter orders in his own words and in the
// order form.
const formAside = "The order form in your letter was changed as well. What you wrote outside of it counts, and the form was left aside. Answer USE FORM to take the form instead."

// formOrWords reads what a letter orders: its new text, or the changed order form
// where the new text orders nothing and nothing in it went wrong. aside: both
// order, and the form was left out.
func (d *Daemon) formOrWords(c *call, actors []parse.Actor, lines []parse.Line) (rd reading, aside bool) {
	rd = d.read(c.table, actors, lines)
	switch {
	case !c.zones.FormChanged || slices.Equal(lines, c.zones.Form):
		return rd, false
	case rd.silent():
		return d.read(c.table, actors, c.zones.Form), false
	}
	return rd, true
}

// runUseForm takes the order form instead of the words outside of it: that of this
// letter, or of the writer's newest of this turn that held a changed one.
func (d *Daemon) runUseForm(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	if !parse.OnlyThanks(rest) {
		return d.alone(ctx, c, cmd.Word)
	}
	form := c.zones.Form
	if !c.zones.FormChanged {
		var err error
		if form, err = d.earlierForm(ctx, c); err != nil {
			return err
		}
	}
	if form == nil {
		return d.refuse(ctx, c, report.Refused{
			Title: cmd.Word,
			Why:   "No letter of yours in this turn holds the order form with something changed in it.",
			Do:    []string{"Change the lines between BEGIN ORDERS and END ORDERS of the turn's opening mail and send them, or write the orders in your own words."},
		})
	}
	return d.orders(ctx, c, form, false)
}

// formLetters is among how many of a writer's newest letters his form is looked for.
const formLetters = 12

// earlierForm is the changed form of the newest letter of a role in this turn
// that held one and might order, nil if none did: also of one that only asked, or
// was a CHECK, for its answer offers USE FORM too.
func (d *Daemon) earlierForm(ctx context.Context, c *call) ([]parse.Line, error) {
	letters, err := d.Store.Letters(ctx, store.LetterFilter{Role: c.role.ID, Turn: c.table.Turn.ID, Limit: formLetters})
	if err != nil {
		return nil, err
	}
	for _, l := range letters {
		if !slices.Contains([]string{store.Acted, store.Answered, store.Late}, l.Disposition) {
			continue
		}
		row, err := d.Store.LetterByID(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		was := d.opened(row)
		if err := d.place(ctx, was); err != nil {
			return nil, err
		}
		may := l.Disposition == store.Acted || was.trust.judge(rightOrders) == doIt
		if was.role.ID == c.role.ID && may && was.zones.FormChanged {
			return was.zones.Form, nil
		}
	}
	return nil, nil
}
