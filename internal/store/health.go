package store

import (
	"context"
	"fmt"
	"time"
)

// Health is what an operator watches, as one transaction saw it.
type Health struct {
	Now      time.Time // the instant of all ages, by the store's clock
	Searched time.Time // when the last complete search of the account began; zero: there was none
	Holder   string    // who has the account's mailbox lease; empty: nobody
	Until    time.Time // when that lease ends or ended

	Letters Waiting // without a disposition, since they were stored
	Outbox  Waiting // due and not sent, since they were first due
	Review  Waiting // turns that wait for their GM, since the draft
	Overdue Waiting // open turns due to close for more than DueLimit, since they were due
	Stuck   []StuckTurn

	Quarantined int // letters that were set aside unread, ever
	Unreachable int // addresses that refused a mail for good

	// Neglected is when somebody was last told to look at the row that waits
	// longest for it; zero: no row is due. The sweep tells somebody at least once
	// a Term, so that much more than a Term ago means that no process sweeps.
	Neglected time.Time
	Term      time.Duration // Options.Term
}

// DueLimit is how long a turn that is due may wait before it counts as overdue:
// the usual grace of 5 min and the 15 min after which people are told (design
// section 3). A game with a longer grace counts for the rest of it.
const DueLimit = 20 * time.Minute

// Waiting counts rows that wait for something.
type Waiting struct {
	Count  int
	Oldest time.Time // since when the oldest waits; zero: none does
}

func (w *Waiting) dest() []any { return []any{&w.Count, (*Time)(&w.Oldest)} }

// Age is how long the oldest has waited; 0: none waits.
func (w Waiting) Age(now time.Time) time.Duration {
	if w.Oldest.IsZero() {
		return 0
	}
	return max(now.Sub(w.Oldest), 0)
}

// StuckTurn names a turn that cannot go on without a person.
type StuckTurn struct {
	Game     string
	N, Phase int
}

func (t StuckTurn) String() string {
	if t.Phase > 0 {
		return fmt.Sprintf("%s turn %d phase %d", t.Game, t.N, t.Phase)
	}
	return fmt.Sprintf("%s turn %d", t.Game, t.N)
}

// Health reads the figures of an account. Mail and addresses belong to no
// account: all of them count.
func (s *Store) Health(ctx context.Context, account string) (h Health, err error) {
	err = s.read(ctx, "reading the state of health", func(t *txn) error {
		h = Health{Now: t.now, Term: s.opt.Term}
		for _, read := range []func(*Health, string) error{t.mailboxHealth, t.letterHealth, t.mailHealth, t.turnHealth, t.workHealth} {
			if err := read(&h, account); err != nil {
				return err
			}
		}
		return nil
	})
	return h, err
}

// mailboxHealth reads the same instant as the fence of the deadlines: that of
// the folder whose last complete search is oldest.
func (t *txn) mailboxHealth(h *Health, account string) error {
	err := t.get([]any{(*Time)(&h.Searched)}, `SELECT MIN(searched_from) FROM mailbox WHERE account = $1`, account)
	if err != nil {
		return err
	}
	if !h.Searched.After(time.Unix(0, 0)) {
		h.Searched = time.Time{} // begun and not finished yet
	}
	leases, err := list(t, func(r scanner) (l lease, err error) { return l, r.Scan(&l.holder, (*Time)(&l.until)) },
		`SELECT holder, until FROM lease WHERE account = $1`, account)
	for _, l := range leases {
		h.Holder, h.Until = l.holder, l.until
	}
	return err
}

type lease struct {
	holder string
	until  time.Time
}

func (t *txn) letterHealth(h *Health, account string) error {
	err := t.get(h.Letters.dest(), `SELECT COUNT(*), MIN(seen_at) FROM letter WHERE account = $1 AND disposition IS NULL`, account)
	if err != nil {
		return err
	}
	return t.get([]any{&h.Quarantined}, `SELECT COUNT(*) FROM letter WHERE account = $1 AND disposition IN ('quarantined', 'poison')`, account)
}

// mailHealth takes a mail whose time has not come for young, but one that was
// tried before waits since it was written: its next try only lies in the future.
func (t *txn) mailHealth(h *Health, _ string) error {
	err := t.get(h.Outbox.dest(), `SELECT COUNT(*), MIN(CASE WHEN tries > 0 THEN created_at ELSE COALESCE(not_before, created_at) END) FROM outbox
		WHERE state IN ('queued', 'claimed') AND (tries > 0 OR COALESCE(not_before, created_at) <= $1)`, t.now)
	if err != nil {
		return err
	}
	return t.get([]any{&h.Unreachable}, `SELECT COUNT(*) FROM address WHERE NOT reachable`)
}

func (t *txn) turnHealth(h *Health, account string) error {
	const running = ` FROM turn JOIN game ON game.id = turn.game WHERE turn.state <> 'released' AND game.account = $1 AND game.ended_at IS NULL AND `
	err := t.get(h.Review.dest(), `SELECT COUNT(*), MIN(turn.review_at)`+running+`turn.state = 'review'`, account)
	if err != nil {
		return err
	}
	err = t.get(h.Overdue.dest(), `SELECT COUNT(*), MIN(COALESCE(turn.asked_at, turn.deadline_at))`+running+
		`turn.state = 'open' AND turn.paused_at IS NULL AND game.paused_at IS NULL AND COALESCE(turn.asked_at, turn.deadline_at) <= $2`,
		account, t.now.Add(-DueLimit))
	if err != nil {
		return err
	}
	h.Stuck, err = list(t, func(r scanner) (s StuckTurn, err error) { return s, r.Scan(&s.Game, &s.N, &s.Phase) },
		`SELECT game.name, turn.n, turn.phase`+running+`turn.state = 'stuck' ORDER BY game.name, turn.n, turn.phase`, account)
	return err
}

// live says again, in the words of a partial index, what due implies: SQLite
// would read the whole table, bytes of mails included.
var live = map[string]string{"letter": "", "turn": "state <> 'released' AND ", "outbox": "state IN ('queued', 'claimed') AND "}

func (t *txn) workHealth(h *Health, _ string) error {
	for _, k := range kinds {
		var at time.Time
		err := t.get([]any{(*Time)(&at)}, `SELECT MIN(COALESCE(`+k.woken+`, `+k.at+`)) FROM `+k.table+` WHERE `+live[k.table]+k.due, t.now)
		if err != nil {
			return err
		}
		if !at.IsZero() && (h.Neglected.IsZero() || at.Before(h.Neglected)) {
			h.Neglected = at
		}
	}
	return nil
}

// Alive reports that the workers take work; false once they have stopped.
func (w *Workers) Alive() bool {
	select {
	case <-w.client.Stopped():
		return false
	default:
		return true
	}
}
