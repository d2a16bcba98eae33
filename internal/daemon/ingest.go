package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// maxTries is how often a letter may be begun before it counts as poison: a
// letter that kills the process must not stop those behind it.
const maxTries = 3

// maxFaults is how often reading a letter may end with an error that is not the
// database's: the queue tries again ever more slowly.
const maxFaults = 8

// call is one letter on its way through: what it is, whose, and of which game.
type call struct {
	row    store.Letter
	letter mail.Letter
	from   string // normalised address
	token  mail.Token
	trust  trust
	role   store.Role
	roles  []store.Role // all roles of the sender's address, when no token names one
	table  *table
	zones  parse.Zones
	epoch  *store.EpochRaise // to be raised with the ending
	locked bool              // its writer asked for that
	end    string            // what becomes of it, for the log
	urgent bool              // its answer is not gathered: a person waits on what did not happen
}

// ingest takes one stored letter to its disposition.
func (d *Daemon) ingest(ctx context.Context, w store.Work) error {
	row, err := d.Store.TakeLetter(ctx, w.Row)
	if errors.Is(err, store.ErrDone) || errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if row.Tries > maxTries || row.Faults > maxFaults {
		return d.poison(ctx, row)
	}
	err = retry(func() error { return d.ingestOnce(ctx, row) })
	switch {
	case errors.Is(err, store.ErrDone):
		return nil
	case store.Trouble(err):
		return errors.Join(err, d.Store.Untried(ctx, w))
	case err != nil:
		return errors.Join(err, d.Store.LetterFailed(ctx, row.ID))
	}
	d.Step("ingested")
	return nil
}

func (d *Daemon) ingestOnce(ctx context.Context, row store.Letter) (err error) {
	c := d.opened(row)
	defer func() {
		if err == nil {
			d.say(c)
		}
	}()
	switch c.letter.Kind {
	case mail.KindBounce:
		return d.bounced(ctx, c)
	case mail.KindAutomatic:
		// Whose mail it answers is recorded; nothing else is made of it.
		if err := d.route(ctx, c); err != nil {
			return err
		}
		return d.end(ctx, c, store.Ignored, string(c.letter.Kind)+": "+c.letter.Why)
	}
	if err := d.place(ctx, c); err != nil {
		return err
	}
	switch quarantined := c.letter.Kind == mail.KindQuarantine; {
	case quarantined && c.role.ID == 0:
		return d.end(ctx, c, store.Quarantined, c.letter.Why)
	case quarantined:
		return d.unreadable(ctx, c)
	case c.role.ID == 0:
		return d.unrouted(ctx, c)
	}
	if done, err := d.duplicate(ctx, c); done || err != nil {
		return err
	}
	c.voidTokens()
	if over, err := d.afterTheEnd(ctx, c); over || err != nil {
		return err
	}
	if c.role.Kind == roleGM {
		return d.gmLetter(ctx, c)
	}
	return d.playerLetter(ctx, c)
}

// opened begins a call: it takes the stored bytes apart.
func (d *Daemon) opened(row store.Letter) *call {
	l := mail.Read(row.Raw, mail.ReadOptions{
		AuthservID: d.AuthservID, MXHops: d.MXHops, SubmissionID: d.SubmissionID,
		LookupTXT: d.LookupTXT, InternalDate: row.ReceivedAt,
		Own: func(addr string) bool { return d.ours(addr) },
	})
	return &call{row: row, letter: l, from: l.From}
}

// place finds whose letter it is, of which game, what its sender may do, and
// the zones of its text. Where it belongs to nobody there is no more than that.
func (d *Daemon) place(ctx context.Context, c *call) error {
	if err := d.route(ctx, c); err != nil || c.role.ID == 0 {
		return err
	}
	snap, err := d.Store.Snapshot(ctx, c.role.Game)
	if err != nil {
		return err
	}
	if c.table, err = d.table(snap); err != nil {
		return err
	}
	// The snapshot's role is the newest; the trust was judged on the one routed by.
	if r, ok := snap.RoleByID(c.role.ID); ok {
		c.role = r
	}
	if c.table, err = d.tableFor(ctx, c.table, c.role); err != nil {
		return err
	}
	c.trust = d.weigh(c)
	if c.letter.Kind == mail.KindQuarantine {
		return nil
	}
	sent, err := d.Store.SentTexts(ctx, c.role.ID, sentTexts)
	if err != nil {
		return err
	}
	c.zones = d.zonesOf(c.letter.Text, sent, formID(c.table.Game, c.table.Turn))
	return nil
}

// zonesOf divides the text of a letter, given what we sent to its writer.
func (d *Daemon) zonesOf(text string, sent []string, form string) parse.Zones {
	return parse.Divide(parse.ZoneInput{Text: text, Us: []string{d.Address, "@" + d.domain}, Sent: sent, FormID: form})
}

// voidTokens ends a role's tokens with a letter that showed a good one to
// another participant. A confirmed letter did so when it was held.
func (c *call) voidTokens() {
	if c.trust.crowded && c.trust.token == tokenValid && !c.trust.confirmed {
		c.raiseEpoch()
	}
}

// raiseEpoch voids all tokens of the role with the ending of the letter; mails
// composed from here on carry good ones.
func (c *call) raiseEpoch() {
	if c.epoch == nil {
		c.role.Epoch++
		c.epoch = &store.EpochRaise{Role: c.role.ID, Epoch: c.role.Epoch}
	}
}

// sentTexts is how many of our newest mails to a reader are looked for in what
// he sends back.
const sentTexts = 12

func (d *Daemon) ours(addr string) bool {
	local, domain, ok := strings.Cut(addr, "@")
	ourLocal, ourDomain, _ := strings.Cut(d.Address, "@")
	if !ok || !strings.EqualFold(domain, ourDomain) {
		return false
	}
	base, _, _ := strings.Cut(local, "+")
	return strings.EqualFold(base, ourLocal)
}

// duplicate ends a letter that was delivered twice in other bytes: the same
// Message-ID, sender and new text. A copy that may act is none of one that might
// not: a detour can cost a letter its proof.
func (d *Daemon) duplicate(ctx context.Context, c *call) (bool, error) {
	if c.letter.MessageID == "" || c.row.Confirmed {
		return false, nil
	}
	id, ok, err := d.Store.SameLetter(ctx, c.row.Account, c.letter.MessageID, c.from, c.textSHA(), c.row.ID)
	if err != nil || !ok {
		return false, err
	}
	if c.trust.judge(rightLight) == doIt {
		first, err := d.Store.LetterByID(ctx, id)
		if err != nil {
			return false, err
		}
		if first.Disposition == store.Held || first.Disposition == store.Ignored {
			return false, nil
		}
	}
	return true, d.end(ctx, c, store.Duplicate, fmt.Sprintf("duplicate of %d", id))
}

// textSHA is the hash over the letter's new and form lines: what the leaf binds.
func (c *call) textSHA() string {
	h := sha256.New()
	for _, l := range c.zones.New {
		h.Write([]byte(l.Text))
		h.Write([]byte{'\n'})
	}
	for _, l := range c.zones.Form {
		h.Write([]byte(l.Text))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ending is the part of a transaction that ends the letter.
func (d *Daemon) ending(c *call, disposition, why string, mails ...store.NewMail) store.Ending {
	e := store.Ending{
		Letter: c.row.ID, Disposition: disposition, Why: why, Game: c.role.Game, Role: c.role.ID,
		From: c.from, TextSHA: c.textSHA(), Mails: mails, Now: d.Now(),
	}
	if c.table != nil {
		e.Turn = c.table.rowID()
	}
	if c.epoch != nil {
		e.RaiseEpoch = []store.EpochRaise{*c.epoch}
	}
	return e
}

// end gives a letter its disposition without any mail.
func (d *Daemon) end(ctx context.Context, c *call, disposition, why string) error {
	d.trace(c, disposition+": "+why)
	return d.Store.EndLetter(ctx, d.ending(c, disposition, why))
}

// trace notes what becomes of a letter; it is told once that is stored.
func (d *Daemon) trace(c *call, text string) { c.end = text }

func (d *Daemon) say(c *call) {
	t := Trace{What: "letter", Who: c.from, Text: c.end}
	if c.table != nil {
		t.Game, t.Turn = c.table.Game.Name, c.table.Turn.N
	}
	d.Trace(t)
	d.Log.Info("letter", "letter", c.row.ID, "from", c.from, "game", t.Game, "turn", t.Turn, "end", c.end)
}

// packetToo adds the packet in force to the answer to a GM whose release token
// ended with his letter.
func (d *Daemon) packetToo(c *call, mails []store.NewMail) ([]store.NewMail, error) {
	if c.epoch == nil || c.role.Kind != roleGM || c.table.Turn.State != game.Review ||
		slices.ContainsFunc(mails, func(n store.NewMail) bool { return n.Kind == kindPacket }) {
		return mails, nil
	}
	p, err := d.packetAgain(c)
	return append(mails, p), err
}

// envelopeFor composes an answer to the letter of a call.
func (d *Daemon) envelopeFor(c *call, kind string, m report.Mail, quiet bool) (store.NewMail, error) {
	e := envelope{kind: kind, role: c.role, answers: &c.letter, quiet: quiet}
	if c.table != nil {
		e.turn = c.table.Turn
	}
	if c.from != c.role.Address {
		e.answers = nil // the owner is told of a letter that he may not have written
	}
	return d.letterOf(e, m)
}

// unreadable ends a letter that is not safe to read. Its header was read, so a
// sender who would be answered is told what to do.
func (d *Daemon) unreadable(ctx context.Context, c *call) error {
	decision := c.trust.judge(rightLight)
	c.voidTokens()
	switch decision {
	case hold, notice:
		return d.dailyNotice(ctx, c)
	case greet, silent:
		return d.end(ctx, c, store.Quarantined, c.letter.Why)
	}
	m, err := report.Answer("refused", d.headOf(c), report.Refused{
		Title: "your letter could not be read", Why: sentence(c.letter.Why) + " Such a letter is set aside unread, because it cannot be read safely.",
		Do: []string{"Write what it said in a new letter: plain text, without attachments, and without forwarding other mail."},
	})
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, true)
	if err != nil {
		return err
	}
	if c.epoch == nil {
		mails, over, err := d.quietly(ctx, c, n)
		if err != nil {
			return err
		}
		d.trace(c, "could not be read: "+c.letter.Why+over)
		return d.Store.EndLetter(ctx, d.ending(c, store.Quarantined, c.letter.Why+over, mails...))
	}
	mails, err := d.packetToo(c, []store.NewMail{n})
	if err != nil {
		return err
	}
	d.trace(c, "could not be read: "+c.letter.Why)
	return d.Store.EndLetter(ctx, d.ending(c, store.Quarantined, c.letter.Why, mails...))
}

// sentence makes one of a reason: a capital first, a full stop last.
func sentence(why string) string {
	if why == "" {
		return ""
	}
	return strings.ToUpper(why[:1]) + why[1:] + "."
}

// poison ends a letter that was begun three times and never ended, or that ended
// with errors too often. The operator is told, and the person whose registered
// address it names.
func (d *Daemon) poison(ctx context.Context, row store.Letter) error {
	l := mail.ReadHeader(row.Raw, mail.ReadOptions{MXHops: d.MXHops, InternalDate: row.ReceivedAt})
	c := &call{row: row, letter: l, from: l.From}
	mails, err := d.alarm(fmt.Sprintf("letter %d could not be read", row.ID),
		fmt.Sprintf("Reading letter %d was begun again and again and never came to an end. It is set aside; nothing in it was acted on.", row.ID),
		"It came from "+l.From+" with the Subject: "+l.Subject)
	if err != nil {
		return err
	}
	if err := d.route(ctx, c); err != nil {
		return err
	}
	if c.role.ID != 0 && c.from == c.role.Address {
		m, err := report.Answer("refused", d.headOf(c), report.Refused{
			Title: "a letter could not be read", Why: "A letter in your name, received " + row.ReceivedAt.UTC().Format("2006-01-02 15:04 UTC") + ", could not be read. It is set aside; nothing in it was acted on.",
			Do: []string{"If you wrote it, write what it said in a new letter, as plain text."},
		})
		if err != nil {
			return err
		}
		n, err := d.envelopeFor(c, kindAnswer, m, false)
		if err != nil {
			return err
		}
		mails = append(mails, n)
	}
	e := d.ending(c, store.Poison, "reading it did not come to an end", mails...)
	return d.Store.EndLetter(ctx, e)
}

// alarm is a mail to the operator, if there is one; the log hears it in any case.
func (d *Daemon) alarm(title string, lines ...string) ([]store.NewMail, error) {
	d.Log.Error("alarm", "what", title)
	if d.Operator == "" {
		return nil, nil
	}
	m, err := report.Answer("operator", report.Head{}, report.Operator{Title: title, Lines: lines})
	if err != nil {
		return nil, err
	}
	n, err := d.plainMail(kindAlarm, d.Operator, m, nil)
	if err != nil {
		return nil, err
	}
	return []store.NewMail{n}, nil
}
