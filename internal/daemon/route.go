package daemon

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

const hourLong = time.Hour

// route finds whose letter it is and of which game: by the recipient token,
// then In-Reply-To, then References; then the Subject tag, which routes and
// never authorises; then the sender's only role that can be meant (design
// section 2.3). It leaves c.role empty when none is found. A token that is no
// longer good says nothing about a letter from another address than its own.
func (d *Daemon) route(ctx context.Context, c *call) error {
	for _, text := range d.tokensOf(c.letter) {
		k, err := d.Keys.Open(text)
		if err != nil {
			continue
		}
		role, err := d.Store.RoleByNo(ctx, k.Game, k.Role)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		mine := c.from == role.Address || c.row.Confirmed && c.row.Role == role.ID
		if !mine && !d.good(k, role) {
			continue
		}
		c.token, c.role = k, role
		return nil
	}
	if c.from == "" {
		return nil
	}
	roles, err := d.Store.RolesOf(ctx, c.from)
	if err != nil {
		return err
	}
	if running := slices.DeleteFunc(slices.Clone(roles), func(r store.Role) bool { return r.Ended }); len(running) > 0 {
		roles = running
	}
	c.roles = roles
	if tag := subjectTag(c.letter.Subject); tag != "" {
		var tagged []store.Role
		for _, r := range roles {
			if strings.EqualFold(r.GameName, tag) {
				tagged = append(tagged, r)
			}
		}
		if len(tagged) > 0 {
			roles = tagged
		} else if _, err := d.Store.GameByName(ctx, tag); err == nil {
			return nil // it speaks of a game in which he has no part
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	if len(roles) > 1 {
		owing, err := d.owing(ctx, roles)
		if err != nil {
			return err
		}
		if len(owing) == 1 {
			roles = owing
		}
	}
	if len(roles) == 1 {
		c.role = roles[0]
	}
	return nil
}

// good reports whether a token that we sealed still proves that its holder got
// mail of ours. The token of an envelope sender proves nothing: every server
// on its way saw it.
func (d *Daemon) good(k mail.Token, r store.Role) bool {
	return k.Epoch == r.Epoch && !k.ExpiredAt(d.Now()) && k.Purpose != mail.PurposeBounce
}

// tokensOf lists the candidates of a letter, those of its recipients first.
func (d *Daemon) tokensOf(l mail.Letter) []string {
	out := mail.FindTokens(l.Recipients, d.Address)
	ids := []string{l.InReplyTo}
	for _, r := range slices.Backward(l.References) {
		ids = append(ids, r)
	}
	for _, id := range ids {
		if t, ok := mail.TokenOfMessageID(id, d.domain); ok && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

var tagPattern = regexp.MustCompile(`\[([A-Za-z0-9-]{1,40})-([0-9]{1,6})(?:\.[0-9]{1,3})?\]`)

// subjectTag is the game that a Subject such as "Re: [Dusk-7] …" speaks of.
func subjectTag(subject string) string {
	m := tagPattern.FindStringSubmatch(subject)
	if m == nil {
		return ""
	}
	if n, err := strconv.Atoi(m[2]); err != nil || n < 1 {
		return ""
	}
	return m[1]
}

// owing lists those of the roles that a game waits for: players with a
// character able to act and no orders in an open turn.
func (d *Daemon) owing(ctx context.Context, roles []store.Role) ([]store.Role, error) {
	var out []store.Role
	for _, r := range roles {
		if r.Kind != rolePlayer {
			continue
		}
		t, err := d.tableOf(ctx, r.Game)
		if err != nil {
			return nil, err
		}
		if len(t.owed(r.ID)) > 0 {
			out = append(out, r)
		}
	}
	return out, nil
}

// weigh puts together what is known about the sender of a routed letter.
func (d *Daemon) weigh(c *call) trust {
	t := trust{
		auth: c.letter.Auth.Level, role: c.role.Kind, confirmed: c.row.Confirmed,
		proof: c.table.file.GMProof,
	}
	if c.token != (mail.Token{}) {
		t.token = tokenStale
		if d.good(c.token, c.role) {
			t.token = tokenValid
			t.release = c.token.Purpose == mail.PurposeRelease
		}
	}
	if c.from == c.role.Address {
		t.address = addressRegistered
	}
	for _, a := range slices.Concat(c.letter.To, c.letter.Cc) {
		for _, r := range c.table.Roles {
			if r.ID != c.role.ID && a == r.Address && a != c.role.Address {
				t.crowded = true
			}
		}
	}
	return t
}

// unrouted answers a letter that belongs to no role: a stranger's, or one of a
// person with several games who did not say which.
func (d *Daemon) unrouted(ctx context.Context, c *call) error {
	verified := c.letter.Auth.Level == mail.AuthVerified
	if len(c.roles) == 0 {
		if !verified {
			return d.end(ctx, c, store.Ignored, "a stranger's letter whose sender nobody vouches for")
		}
		n, err := d.Store.CountMails(ctx, 0, c.from, kindGreet, false, d.Now().Add(-24*hourLong))
		if err != nil {
			return err
		}
		if n > 0 {
			return d.end(ctx, c, store.Ignored, "a stranger's letter; answered within a day already")
		}
		m, err := report.Answer("stranger", report.Head{}, report.Stranger{Address: c.from})
		if err != nil {
			return err
		}
		out, err := d.plainMail(kindGreet, c.from, m, &c.letter)
		if err != nil {
			return err
		}
		d.trace(c, "answered: a stranger")
		return d.Store.EndLetter(ctx, d.ending(c, store.Answered, "a verified stranger, told what this address is", out))
	}
	// His address is known, but not which of his games he means.
	c.role = c.roles[0]
	if !verified {
		return d.dailyNotice(ctx, c)
	}
	var names []string
	for _, r := range c.roles {
		names = append(names, r.GameName)
	}
	m, err := report.Answer("which", report.Head{Reader: c.role.Name}, report.Which{Games: names})
	if err != nil {
		return err
	}
	out, err := d.plainMail(kindAnswer, c.role.Address, m, &c.letter)
	if err != nil {
		return err
	}
	out.Role = c.role.ID
	return d.answerWith(ctx, c, "asked which game", out)
}

// dailyNotice tells a registered address, once a day, that a letter in its
// name proved nothing and was not acted on.
func (d *Daemon) dailyNotice(ctx context.Context, c *call) error {
	disposition, why := store.Ignored, "nothing vouches for the sender"
	if c.letter.Kind == mail.KindQuarantine {
		disposition, why = store.Quarantined, c.letter.Why
	}
	n, err := d.Store.CountMails(ctx, c.role.ID, c.role.Address, kindNotice, false, d.Now().Add(-24*hourLong))
	if err != nil {
		return err
	}
	if n > 0 {
		return d.end(ctx, c, disposition, why+"; its owner was told within a day already")
	}
	m, err := report.Answer("unproven", d.headOf(c), report.Unproven{Subject: c.letter.Subject, Token: c.trust.token == tokenStale})
	if err != nil {
		return err
	}
	out, err := d.envelopeFor(c, kindNotice, m, false)
	if err != nil {
		return err
	}
	d.trace(c, "noticed: "+why)
	return d.Store.EndLetter(ctx, d.ending(c, disposition, why+"; its owner was told", out))
}

// headOf is the head of an answer, also before a game is known.
func (d *Daemon) headOf(c *call) report.Head {
	if c.table == nil {
		return report.Head{Reader: c.role.Name}
	}
	return d.head(c.table, c.role)
}
