package daemon

import (
	"context"
	"errors"
	"strings"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// bounced ends a delivery report (RFC 3464). It counts only at the return
// address of a mail of ours: nobody else knows its token, so nobody can forge
// a report that makes a player unreachable. What the report returns is never read.
func (d *Daemon) bounced(ctx context.Context, c *call) error {
	b := c.letter.Bounce
	role, ok, err := d.returnOf(ctx, c.letter.Recipients)
	if err != nil {
		return err
	}
	why := "bounce: " + c.letter.Why
	if !ok {
		if err := d.route(ctx, c); err != nil {
			return err
		}
		return d.end(ctx, c, store.Ignored, why+"; it did not come to the return address of a mail of ours, so it counts for nothing")
	}
	c.role = role
	said := strings.TrimSpace(b.Status + " " + b.Said)
	if !b.Failed() {
		return d.end(ctx, c, store.Ignored, strings.TrimSpace(why+"; the mail is not given up "+said))
	}
	// The GM hears of it once, and again only if the player was heard of since.
	since, err := d.Store.HeardOf(ctx, role.ID, role.Address)
	if err != nil {
		return err
	}
	if said == "" {
		said = "the report names no reason"
	}
	if err := d.tellRefused(ctx, kindBounced, role.Game, role.ID, since, said); err != nil {
		return err
	}
	why += "; a mail to " + role.Name + " came back: " + said
	if !b.Unreachable() {
		return d.end(ctx, c, store.Acted, why)
	}
	d.trace(c, store.Acted+": "+why)
	return d.Store.Bounced(ctx, d.ending(c, store.Acted, why), role.Address)
}

// returnOf is the role to whose mail a letter returns, by the token of the
// envelope sender. Tokens of an older epoch are another person's, or void.
func (d *Daemon) returnOf(ctx context.Context, recipients []string) (role store.Role, ok bool, err error) {
	for _, text := range mail.FindTokens(recipients, d.Address) {
		k, err := d.Keys.Open(text)
		if err != nil || k.Purpose != mail.PurposeBounce || k.ExpiredAt(d.Now()) {
			continue
		}
		role, err := d.Store.RoleByNo(ctx, k.Game, k.Role)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return role, false, err
		}
		if role.Epoch == k.Epoch {
			return role, true, nil
		}
	}
	return role, false, nil
}
