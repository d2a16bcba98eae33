package daemon

import (
	"context"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// ApplyEdit stores an edit and writes to those whose address is another one
// now. store.ErrOtherFile: the game's file is not the one any more that the edit
// was planned on.
func (d *Daemon) ApplyEdit(ctx context.Context, e Edit) error {
	in := e.edit
	in.Now = d.Now()
	var now *table
	var shown map[int64]*table // to each role
	in.Mails = func(s store.Snapshot) ([]store.NewMail, error) {
		t, err := d.table(s)
		if err != nil {
			return nil, err
		}
		if t.Turn.ID != now.Turn.ID {
			return nil, store.ErrChanged
		}
		var out []store.NewMail
		for _, r := range t.Roles {
			if !slices.Contains(e.Moved, r.Address) {
				continue
			}
			at := t
			if x := shown[r.ID]; x != nil && x.veils != 0 {
				at = x
			}
			mails, err := d.movedMails(at, r)
			if err != nil {
				return nil, err
			}
			out = append(out, mails...)
		}
		return out, nil
	}
	err := retry(func() (err error) {
		if now, err = d.tableOf(ctx, in.Game); err != nil {
			return err
		}
		shown = map[int64]*table{}
		for _, r := range now.Roles {
			if shown[r.ID], err = d.tableFor(ctx, now, r); err != nil {
				return err
			}
		}
		return d.Store.EditGame(ctx, in)
	})
	if err != nil {
		return err
	}
	d.Log.Info("game edited", "game", e.Game.Name, "file", in.SHA)
	return nil
}

// movedMails tell a reader at a new address where the turn stands, and give him
// addresses to answer to, for those in mails sent before are void.
func (d *Daemon) movedMails(t *table, r store.Role) ([]store.NewMail, error) {
	var out []store.NewMail
	if r.Kind == roleGM {
		hello, err := d.helloMail(t, r)
		if err != nil {
			return nil, err
		}
		out = append(out, hello)
	}
	if t.Turn.State == game.Open {
		m, err := d.openingMail(t, r)
		return append(out, m), err
	}
	c := &call{role: r, table: t}
	if r.Kind == roleGM && t.Turn.State == game.Review {
		m, err := d.packetAgain(c)
		return append(out, m), err
	}
	m, err := report.Answer("status", d.head(t, r), d.status(c))
	if err != nil {
		return nil, err
	}
	n, err := d.letterOf(envelope{kind: kindAnswer, role: r, turn: t.Turn}, m)
	return append(out, n), err
}
