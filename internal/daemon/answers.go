package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// Caps of answers that change nothing: a loop of two machines ends here. From
// the sixth in an hour on they are gathered into one, so that no person who
// fights the reader of letters is left without an answer; from the twentieth in
// a day on there is none.
const (
	quietPerHour = 5
	quietPerDay  = 20
	gatherQuiet  = time.Hour
)

const (
	kindGathering = "gathering" // tells that answers are gathered from now on
	kindCapped    = "capped"    // with the role's id: tells the operator of a cap, once a day
)

// answer ends a letter with an answer that changes nothing. Answers of this
// kind are capped.
func (d *Daemon) answer(ctx context.Context, c *call, m report.Mail) error {
	n, err := d.envelopeFor(c, kindAnswer, m, true)
	if err != nil {
		return err
	}
	return d.answerWith(ctx, c, "answered: "+m.Subject, n)
}

// answerWith is answer for mails that are composed; under the cap only the first
// is left. Voiding tokens is a change: such an answer is not capped, for it alone
// carries tokens that are good.
func (d *Daemon) answerWith(ctx context.Context, c *call, why string, mails ...store.NewMail) error {
	if c.epoch != nil {
		for i := range mails {
			mails[i].Quiet = false
		}
		mails, err := d.packetToo(c, mails)
		if err != nil {
			return err
		}
		d.trace(c, why)
		return d.Store.EndLetter(ctx, d.ending(c, store.Acted, why+"; its answer addresses are void", mails...))
	}
	out, over, err := d.quietly(ctx, c, mails[0])
	switch {
	case err != nil:
		return err
	case len(out) == 0:
		return d.end(ctx, c, store.Ignored, strings.TrimPrefix(over, "; "))
	case over != "":
		mails = out
	}
	d.trace(c, why+over)
	return d.Store.EndLetter(ctx, d.ending(c, store.Answered, why+over, mails...))
}

// quietly holds an answer that changes nothing to the caps: it gives what may go
// out, and says in over if that is not at once.
func (d *Daemon) quietly(ctx context.Context, c *call, n store.NewMail) (mails []store.NewMail, over string, err error) {
	now := d.Now()
	day, err := d.Store.CountMails(ctx, c.role.ID, c.role.Address, "", true, now.Add(-24*hourLong))
	if err != nil {
		return nil, "", err
	}
	if day >= quietPerDay {
		d.Log.Warn("too many answers to one address; letter recorded, not answered", "letter", c.row.ID, "role", c.role.ID)
		err := d.tellOperator(ctx, fmt.Sprintf("%s-%d", kindCapped, c.role.ID), "no more answers to "+c.role.Address+" today",
			fmt.Sprintf("%d answers that changed nothing went there within a day: a machine may be answering ours. Letters from there are recorded, and those that change something are still answered.", day))
		return nil, "; over the cap of answers to this address", err
	}
	n.Quiet = true
	hour, err := d.Store.CountMails(ctx, c.role.ID, c.role.Address, "", true, now.Add(-hourLong))
	if err != nil || hour < quietPerHour || n.Gather != "" || c.urgent {
		return []store.NewMail{n}, "", err
	}
	g, until, err := d.gatheredBefore(ctx, c.role, kindGathering)
	if err != nil {
		return nil, "", err
	}
	g.add(earlier{Received: c.row.ReceivedAt, Answer: untagged(n.Subject)})
	if g.Letters == 1 {
		until = now.Add(gatherQuiet)
		m, err := report.Answer("gathering", d.headOf(c), report.Gathering{Answers: quietPerHour, Until: whenFor(c, until)})
		if err != nil {
			return nil, "", err
		}
		told, err := d.quietMail(c, kindGathering, m)
		if err != nil {
			return nil, "", err
		}
		mails = append(mails, told)
	} else if n, err = d.newestOf(c, g, n); err != nil {
		return nil, "", err
	}
	n.Gather, n.NotBefore = kindGathering, until
	if n.Carry, err = g.text(); err != nil {
		return nil, "", err
	}
	return append(mails, n), "; its answer is gathered with others of the hour", nil
}

// newestOf is the answer to all the letters gathered: the newest one's in full.
func (d *Daemon) newestOf(c *call, g gathered, n store.NewMail) (store.NewMail, error) {
	in := report.Gathered{Letters: g.Letters}
	for _, e := range g.Earlier {
		in.Answers = append(in.Answers, game.Line{Label: whenFor(c, e.Received).String(), Value: e.Answer})
	}
	_, in.Newest, _ = strings.Cut(n.Text, "\n")
	m, err := report.Answer("gathered", d.headOf(c), in)
	if err != nil {
		return store.NewMail{}, err
	}
	return d.quietMail(c, kindAnswer, m)
}

// quietMail composes an answer that changes nothing, also before a game is known.
func (d *Daemon) quietMail(c *call, kind string, m report.Mail) (store.NewMail, error) {
	if c.table != nil {
		return d.envelopeFor(c, kind, m, true)
	}
	n, err := d.plainMail(kind, c.role.Address, m, &c.letter)
	n.Role = c.role.ID
	return n, err
}

func whenFor(c *call, at time.Time) report.When {
	if c.table == nil {
		return report.When{At: at}
	}
	return c.table.when(at, c.role)
}

// untagged is a Subject without its tag.
func untagged(subject string) string {
	if _, rest, ok := strings.Cut(subject, "] "); ok {
		return rest
	}
	return subject
}

// Receipts from the sixth in an hour on are gathered into one every ten minutes.
const (
	receiptsAtOnce = 5
	gatherFor      = 10 * time.Minute
)

// receiptFor is the mail that tells what became of orders. One that is gathered
// takes the place of those before it, so it shows all that is in force, and what
// was wrong in the letters before.
func (d *Daemon) receiptFor(ctx context.Context, c *call, after *table, rd reading) (store.NewMail, error) {
	now := d.Now()
	sent, err := d.Store.CountMails(ctx, c.role.ID, c.role.Address, kindReceipt, false, now.Add(-hourLong))
	if err != nil {
		return store.NewMail{}, err
	}
	in := d.receipt(c, after, rd, false)
	key := fmt.Sprintf("receipt/%d", c.table.Turn.ID)
	g, until, err := d.gatheredBefore(ctx, c.role, key)
	if err != nil {
		return store.NewMail{}, err
	}
	// One that waits is taken along in any case: it must not go out after a newer one.
	gather := g.Letters > 0 || sent >= receiptsAtOnce && c.epoch == nil
	if gather {
		this := earlier{Received: c.row.ReceivedAt, Problems: in.Faulty(), Notes: ownNotes(c, rd)}
		for _, e := range g.Earlier {
			in.Earlier = append(in.Earlier, report.EarlierLetter{Received: after.when(e.Received, c.role), Problems: e.Problems, Notes: e.Notes})
		}
		g.add(this)
		in.Gathered = g.Letters
		in.Characters = append(in.Characters, d.standing(after, c.role, rd)...)
	}
	m, err := report.Receipt(in)
	if err != nil {
		return store.NewMail{}, err
	}
	n, err := d.envelopeFor(c, kindReceipt, m, false)
	if err != nil || !gather {
		return n, err
	}
	switch {
	case c.epoch != nil:
		until = time.Time{} // it alone carries addresses that are good
	case until.IsZero():
		until = now.Truncate(gatherFor).Add(gatherFor)
	}
	n.Gather, n.NotBefore = key, until
	n.Carry, err = g.text()
	return n, err
}

// ownNotes are what a receipt notes of its letter alone, and not of the turn.
func ownNotes(c *call, rd reading) []string {
	return slices.Concat(rd.notes, c.letter.Notes, c.zones.Notes)
}

// gathered is what one mail of a gathering says for those whose place it took.
type gathered struct {
	Letters int       `json:"letters"` // that it answers
	Earlier []earlier `json:"earlier"` // the newest of them, in order
}

// earlier is what must not be lost of the answer to one of them.
type earlier struct {
	Received time.Time      `json:"received"`
	Answer   string         `json:"answer,omitempty"`
	Problems []game.Problem `json:"problems,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
}

// Bounds of what is carried on: of so many letters, so many problems and notes.
const (
	carriedLetters = 20
	carriedLines   = 10
)

func (g *gathered) add(e earlier) {
	g.Letters++
	e.Problems = e.Problems[:min(len(e.Problems), carriedLines)]
	e.Notes = e.Notes[:min(len(e.Notes), carriedLines)]
	if e.Answer == "" && len(e.Problems)+len(e.Notes) == 0 {
		return
	}
	g.Earlier = append(g.Earlier, e)
	g.Earlier = g.Earlier[max(len(g.Earlier)-carriedLetters, 0):]
}

func (g gathered) text() (string, error) {
	b, err := json.Marshal(g)
	return string(b), err
}

// gatheredBefore is what the mail of a gathering carries that has not gone out
// yet, and when it goes.
func (d *Daemon) gatheredBefore(ctx context.Context, r store.Role, gather string) (g gathered, at time.Time, err error) {
	m, err := d.Store.Gathered(ctx, r.ID, r.Address, gather)
	if errors.Is(err, store.ErrNotFound) {
		return g, at, nil
	}
	if err != nil {
		return g, at, err
	}
	if err := json.Unmarshal([]byte(m.Carry), &g); err != nil {
		return g, at, fmt.Errorf("reading what mail %d carries: %w", m.ID, err)
	}
	return g, m.NotBefore, nil
}
