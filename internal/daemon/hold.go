package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// permit asks the trust table and deals with every letter that may not act.
// It reports true when the act may be carried out now.
func (d *Daemon) permit(ctx context.Context, c *call, need right) (bool, error) {
	switch c.trust.judge(need) {
	case doIt:
		return true, nil
	case confirm:
		return false, d.holdLetter(ctx, c, "waits for the GM's confirmation: "+c.letter.Auth.Why, true)
	case hold:
		why := "it came from " + c.from + ", not from the registered address"
		if c.trust.auth == mail.AuthFailed {
			why = "its authentication failed: " + c.letter.Auth.Why
		}
		return false, d.holdLetter(ctx, c, why, false)
	case fresh:
		return false, d.freshPacket(ctx, c)
	case notice:
		return false, d.dailyNotice(ctx, c)
	case greet:
		c.role, c.table = store.Role{}, nil
		c.roles = nil
		return false, d.unrouted(ctx, c)
	}
	return false, d.end(ctx, c, store.Ignored, "nothing vouches for the sender")
}

// holdLetter sets a letter aside and tells its owner. The notice carries a
// one-time token: CONFIRM with it lets letters count that are held then. A
// letter that was asked for (it answers one of our mails from the registered
// address) and one that may be forged never share a notice or a token; so a
// forgery neither hides behind a question that the owner answers nor silences it.
func (d *Daemon) holdLetter(ctx context.Context, c *call, why string, asked bool) error {
	now := d.Now()
	h := store.Hold{Game: c.role.Game, Turn: c.table.rowID(), Role: c.role.ID, Letter: c.row.ID, Kind: store.Suspect, Why: why,
		From: c.from, Subject: c.letter.Subject, ReceivedAt: c.row.ReceivedAt, CreatedAt: now}
	kind := kindHeld
	if asked {
		h.Kind, kind = store.Asked, kindConfirm
	}
	told, err := d.Store.CountMails(ctx, c.role.ID, c.role.Address, kind, false, now.Add(-hourLong))
	if err != nil {
		return err
	}
	waits := slices.ContainsFunc(c.table.Holds, func(o store.Hold) bool {
		return o.Role == h.Role && o.Kind == h.Kind && o.Letter != h.Letter
	})
	e := d.ending(c, store.Held, why)
	var conf *store.NewConfirmation
	switch {
	case !asked:
		// At most one notice an hour: the next one waits for the full hour, and
		// lists all that are held by then.
		at := time.Time{}
		if told > 0 && c.epoch == nil {
			at = now.Truncate(hourLong).Add(hourLong)
		}
		conf = d.heldNotice(c, h, at)
	case told == 0 || !waits || c.epoch != nil:
		conf = d.question(c, h)
	}
	d.trace(c, "held: "+why)
	_, err = d.Store.HoldLetter(ctx, e, h, conf)
	return err
}

// question asks a GM about his own letter, which only lacks proof, and shows what it asks for.
func (d *Daemon) question(c *call, h store.Hold) *store.NewConfirmation {
	conf := d.newConfirmation(c, h)
	conf.Mails = func(n int) ([]store.NewMail, error) {
		m, err := report.Answer("confirm", d.headOf(c), report.Confirm{N: n, What: firstLines(c.newLines(), 8), Until: c.table.when(conf.Expires, c.role)})
		if err != nil {
			return nil, err
		}
		return d.confirmMails(c, n, kindConfirm, m, time.Time{})
	}
	return conf
}

// heldNotice lists every letter that is held and may be forged; it shows no text
// of theirs. Its token covers those and no later one.
func (d *Daemon) heldNotice(c *call, h store.Hold, at time.Time) *store.NewConfirmation {
	conf := d.newConfirmation(c, h)
	conf.Mails = func(n int) ([]store.NewMail, error) {
		in := report.Held{N: n, Until: c.table.when(conf.Expires, c.role)}
		for _, o := range append(slices.Clone(c.table.Holds), h) {
			if o.Role == h.Role && o.Kind == store.Suspect && (o.Letter != h.Letter || o.ID == h.ID) {
				in.Letters = append(in.Letters, report.HeldLetter{From: o.From, Subject: o.Subject, Received: c.table.when(o.ReceivedAt, c.role), Why: o.Why})
			}
		}
		m, err := report.Answer("held", d.headOf(c), in)
		if err != nil {
			return nil, err
		}
		return d.confirmMails(c, n, kindHeld, m, at)
	}
	return conf
}

func (d *Daemon) newConfirmation(c *call, h store.Hold) *store.NewConfirmation {
	conf := &store.NewConfirmation{Role: c.role.ID, Kind: h.Kind, Expires: d.Now().Add(confirmLife)}
	if c.role.Kind == roleGM && c.table.Draft != nil {
		conf.Attempt, conf.Digest = c.table.Draft.N, c.table.Draft.Digest
	}
	return conf
}

// confirmMails composes a notice with its one-time token; a later one of its
// kind takes the place of one that has not gone out.
func (d *Daemon) confirmMails(c *call, n int, kind string, m report.Mail, at time.Time) ([]store.NewMail, error) {
	k := d.orderToken(c.role, c.table.Turn)
	k.Purpose, k.N = mail.PurposeConfirm, uint8(n)
	e := envelope{kind: kind, role: c.role, turn: c.table.Turn, token: k, notBefore: at}
	if kind == kindHeld {
		e.gather = "held"
	}
	out, err := d.letterOf(e, m)
	if err != nil {
		return nil, err
	}
	return d.packetToo(c, []store.NewMail{out})
}

func firstLines(lines []parse.Line, n int) []string {
	var out []string
	for _, l := range lines {
		if strings.TrimSpace(l.Text) == "" {
			continue
		}
		if len(out) == n {
			return append(out, "…")
		}
		out = append(out, l.Text)
	}
	return out
}

// confirmation carries out CONFIRM: the token that came with it went to the
// registered address alone, so it counts whatever authentication says.
func (d *Daemon) confirmation(ctx context.Context, c *call, cmd parse.Command) error {
	if c.from != c.role.Address {
		return d.refuse(ctx, c, report.Refused{
			Title: "CONFIRM",
			Why:   fmt.Sprintf("A CONFIRM in your name came from %s. It counts only from this address, your registered one.", c.from),
			Do:    []string{"If you wrote the held letters, answer the mail that asks for the confirmation from here.", "If you did not, do nothing."},
		})
	}
	if c.trust.token != tokenValid {
		if go_, err := d.permit(ctx, c, rightLight); !go_ || err != nil {
			return err
		}
	}
	if c.trust.token != tokenValid || c.token.Purpose != mail.PurposeConfirm {
		return d.refuse(ctx, c, report.Refused{
			Title: "CONFIRM",
			Why:   "CONFIRM counts only as an answer to the mail that asks for it; this one answers another mail, or one that is too old.",
			Do:    []string{"Answer the newest mail that asks for a confirmation with CONFIRM, and change nothing in its address.", "If you have none, send your letter again from your registered address."},
		})
	}
	n := int(c.token.N)
	if cmd.Number != 0 && cmd.Number != n {
		return d.refuse(ctx, c, report.Refused{
			Title: "CONFIRM",
			Why:   fmt.Sprintf("You wrote CONFIRM %d, but answered the mail that asks for CONFIRM %d.", cmd.Number, n),
			Do:    []string{fmt.Sprintf("Answer that mail with CONFIRM %d.", n)},
		})
	}
	e := d.ending(c, store.Acted, fmt.Sprintf("confirmation %d", n))
	letters, err := d.Store.Confirm(ctx, e, c.role.ID, n, d.Now())
	if errors.Is(err, store.ErrDone) {
		return d.refuse(ctx, c, report.Refused{
			Title: "CONFIRM",
			Why:   fmt.Sprintf("Confirmation %d has been used, or is too old, or its letters ended with their turn.", n),
			Do:    []string{"Send your letter again; STATUS tells where the turn stands."},
		})
	}
	if err != nil {
		return err
	}
	d.trace(c, fmt.Sprintf("confirmed: %d held letters go on", len(letters)))
	return nil
}

// refuse answers a letter that did nothing: what is wrong, and what to do.
func (d *Daemon) refuse(ctx context.Context, c *call, r report.Refused) error {
	m, err := report.Answer("refused", d.headOf(c), r)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}
