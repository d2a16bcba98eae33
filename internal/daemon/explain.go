package daemon

import (
	"context"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/store"
)

// Explained is what there is to know of a stored letter: how it is read, and what
// its sender may do as things stand now. It holds no token.
type Explained struct {
	Row    store.Letter
	Letter mail.Letter
	Zones  parse.Zones
	Role   store.Role // zero: it belongs to nobody
	Turn   int        // of the game now

	Token   string // "valid", "old" or "none"
	Address string // "registered" or "other"
	May     []May  // for a person's letter that belongs to somebody
}

// May says what becomes of one kind of act in a letter.
type May struct{ Act, Answer string }

// Explain reads a stored letter as ingest would and changes nothing. It does not
// say what ingest did: that is the letter's disposition. ErrNotFound: there is none.
func (d *Daemon) Explain(ctx context.Context, id int64) (Explained, error) {
	row, err := d.Store.LetterByID(ctx, id)
	if err != nil {
		return Explained{}, err
	}
	c := d.opened(row)
	if err := d.place(ctx, c); err != nil {
		return Explained{}, err
	}
	x := Explained{Row: row, Letter: c.letter, Role: c.role, Zones: c.zones}
	if c.role.ID == 0 {
		if c.letter.Kind != mail.KindQuarantine {
			x.Zones = d.zonesOf(c.letter.Text, nil, "")
		}
		return x, nil
	}
	x.Turn = c.table.Turn.N
	x.Token = map[tokenState]string{tokenNone: "none", tokenValid: "valid", tokenStale: "old"}[c.trust.token]
	x.Address = map[addressState]string{addressOther: "other", addressRegistered: "registered"}[c.trust.address]
	if c.letter.Kind != mail.KindLetter {
		return x, nil
	}
	acts := []struct {
		need right
		act  string
	}{{rightOrders, "orders"}, {rightLight, "STATUS, HELP"}, {rightLock, "LOCK"}}
	if c.role.Kind == roleGM {
		acts = []struct {
			need right
			act  string
		}{{rightProof, "OK, CLOSE, REOPEN, rulings"}, {rightTurn, "EXTEND, PAUSE, RESUME"}, {rightLight, "STATUS, RULINGS, NOTE, foes' orders"}, {rightLock, "LOCK"}}
	}
	for _, a := range acts {
		x.May = append(x.May, May{a.act, decisionWords[c.trust.judge(a.need)]})
	}
	return x, nil
}

var decisionWords = map[decision]string{
	doIt:    "count",
	confirm: "wait for one word of confirmation",
	hold:    "are held; only the registered address is told",
	fresh:   "are refused; the answer brings a fresh address to repeat them with",
	notice:  "do not count; the registered address is told once a day",
	greet:   "do not count; the sender is told once a day what this address is",
	silent:  "do not count; nobody is told",
}
