package daemon

import (
	"fmt"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// Kinds of our mail (store.NewMail.Kind).
const (
	kindOpening = "opening"
	kindReceipt = "receipt"
	kindPacket  = "packet"
	kindReport  = "report"
	kindBrief   = "brief"
	kindConfirm = "confirm" // asks a GM about his own letter
	kindHeld    = "held"    // tells of letters that may be forged
	kindHello   = "hello"
	kindRemind  = "reminder"
	kindNudge   = "nudge"
	kindAnswer  = "answer"
	kindNotice  = "notice" // the daily notice of letters that proved nothing
	kindGreet   = "greet"  // the daily answer to a verified stranger
	kindAlarm   = "alarm"  // to the operator
)

const (
	tokenLife   = 45 * 24 * time.Hour
	confirmLife = 3 * 24 * time.Hour
)

// envelope says whose mail it is, under which token its answer comes back, and
// to which letter it is an answer.
type envelope struct {
	kind      string
	role      store.Role
	turn      store.Turn // zero: none
	token     mail.Token // zero: made for the role and turn
	answers   *mail.Letter
	quiet     bool
	gather    string
	notBefore time.Time
}

// orderToken is what the mails of a turn carry: it says who answers and of
// which turn and phase he speaks.
func (d *Daemon) orderToken(r store.Role, t store.Turn) mail.Token {
	return mail.Token{
		Game: r.GameNo, Role: r.No, Epoch: r.Epoch, Turn: uint16(t.N), N: uint8(t.Phase),
		Purpose: mail.PurposeOrders, Expires: mail.ExpiryDay(d.Now().Add(tokenLife)),
	}
}

// releaseToken is bound to one attempt and good for one OK.
func (d *Daemon) releaseToken(r store.Role, t store.Turn, attempt int) mail.Token {
	k := d.orderToken(r, t)
	k.Purpose, k.N = mail.PurposeRelease, uint8(attempt)
	return k
}

// letterOf composes a mail to a role: one person in To, tokens in Reply-To and
// Message-ID, the thread of the letter that it answers.
func (d *Daemon) letterOf(e envelope, m report.Mail) (store.NewMail, error) {
	k := e.token
	if k == (mail.Token{}) {
		k = d.orderToken(e.role, e.turn)
	}
	token := d.Keys.Seal(k)
	bounce := k
	bounce.Purpose = mail.PurposeBounce
	auto := "auto-generated"
	if e.answers != nil {
		auto = "auto-replied"
	}
	msg := mail.Message{
		From:          mail.Address{Name: d.Name + " " + e.role.GameName, Addr: d.Address},
		To:            mail.Address{Name: e.role.Name, Addr: e.role.Address},
		ReplyTo:       mail.PlusAddress(d.Address, token),
		Subject:       m.Subject,
		MessageID:     mail.MessageID(token, d.Store.NewID(), d.domain),
		Date:          d.Now(),
		AutoSubmitted: auto,
		Text:          m.Text,
		HTML:          m.HTML,
		Pictures:      inline(m.Pictures),
	}
	thread(&msg, e.answers)
	raw, err := d.compose(msg)
	if err != nil {
		return store.NewMail{}, fmt.Errorf("composing the %s to role %d: %w", e.kind, e.role.ID, err)
	}
	return store.NewMail{
		Role: e.role.ID, Address: e.role.Address, Game: e.role.Game, Turn: e.turn.ID, Kind: e.kind,
		Subject: m.Subject, Text: m.Text, Bytes: raw, MessageID: msg.MessageID,
		Sender: mail.PlusAddress(d.Address, d.Keys.Seal(bounce)),
		Quiet:  e.quiet, Gather: e.gather, NotBefore: e.notBefore,
	}, nil
}

// plainMail composes a mail to an address without a role: a verified stranger
// or the operator. It carries no token.
func (d *Daemon) plainMail(kind, address string, m report.Mail, answers *mail.Letter) (store.NewMail, error) {
	auto := "auto-generated"
	if answers != nil {
		auto = "auto-replied"
	}
	msg := mail.Message{
		From: mail.Address{Name: d.Name, Addr: d.Address}, To: mail.Address{Addr: address},
		Subject: m.Subject, MessageID: fmt.Sprintf("<%d.%s@%s>", d.Store.NewID(), kind, d.domain),
		Date: d.Now(), AutoSubmitted: auto, Text: m.Text, HTML: m.HTML,
	}
	thread(&msg, answers)
	raw, err := d.compose(msg)
	if err != nil {
		return store.NewMail{}, fmt.Errorf("composing the %s to %s: %w", kind, address, err)
	}
	return store.NewMail{Address: address, Kind: kind, Subject: m.Subject, Text: m.Text, Bytes: raw,
		MessageID: msg.MessageID, Quiet: answers != nil}, nil
}

// compose writes a mail as it will be sent, signed where we sign.
func (d *Daemon) compose(m mail.Message) ([]byte, error) {
	raw, err := mail.Compose(m)
	if err != nil || d.Sign == nil {
		return raw, err
	}
	return d.Sign(raw)
}

// thread puts an answer into the thread of the letter it answers.
func thread(m *mail.Message, l *mail.Letter) {
	if l == nil || l.MessageID == "" {
		return
	}
	m.InReplyTo = l.MessageID
	refs := l.References
	if len(refs) > 9 {
		refs = refs[len(refs)-9:]
	}
	m.References = append(append([]string{}, refs...), l.MessageID)
}

// head is the top of every mail of a turn.
func (d *Daemon) head(t *table, r store.Role) report.Head {
	h := report.Head{Game: t.Game.Name, Title: t.Game.Title, Turn: t.Turn.N, Reader: r.Name, Now: t.when(d.Now(), r), Clock: t.clock()}
	if t.takesPart(r) {
		h.Phase = t.Turn.Phase
	}
	return h
}

// when prints an instant in the game's zone and in the reader's.
func (t *table) when(at time.Time, r store.Role) report.When {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil || r.Zone == "" {
		zone = t.zone
	}
	return report.When{At: at, GameZone: t.zone, ReaderZone: zone}
}

// formID names the order form of a turn and phase: Dusk-3, Dusk-3.1.
func formID(g store.Game, t store.Turn) string {
	if t.Phase > 0 {
		return fmt.Sprintf("%s-%d.%d", g.Name, t.N, t.Phase)
	}
	return fmt.Sprintf("%s-%d", g.Name, t.N)
}

func domainOf(addr string) string {
	return addr[strings.LastIndexByte(addr, '@')+1:]
}

func compareIDs(a, b game.ID) int { return strings.Compare(string(a), string(b)) }

// compareRevisions orders revisions by (received_at, letter): the last is in force.
func compareRevisions(a, b store.Revision) int {
	if c := a.ReceivedAt.Compare(b.ReceivedAt); c != 0 {
		return c
	}
	switch {
	case a.Letter < b.Letter:
		return -1
	case a.Letter > b.Letter:
		return 1
	}
	return 0
}
