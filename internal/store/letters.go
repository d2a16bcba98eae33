package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// NewLetter is a letter as fetched from a mail account.
type NewLetter struct {
	Account          string
	Raw              []byte
	MessageID        string
	From             string    // normalised address that the header claims; may be empty
	ReceivedAt       time.Time // by our MX
	Now              time.Time
	UID, UIDValidity uint32
	Quarantine       string // why it is not safe to parse: it is stored as ended
	Ignore           string // why it is not to be acted on: it is stored as ended
	// Reread marks a letter that lay where only letters lie that were read before:
	// a database that is lost may have known it. See Ending.
	Reread bool
	// Mails, if set, makes the mails that go out with a letter that is new. It must
	// not touch the store.
	Mails func(id int64) ([]NewMail, error)
}

const letterCols = `id, account, sha256, message_id, received_at, seen_at, from_addr, COALESCE(disposition, ''), why, confirmed, tries, faults,
	COALESCE(role, 0), COALESCE(game, 0), COALESCE(turn, 0)`

func scanLetter(r scanner) (l Letter, err error) {
	err = r.Scan(l.dest()...)
	return l, err
}

func scanRawLetter(r scanner) (l Letter, err error) {
	err = r.Scan(append(l.dest(), &l.Raw)...)
	return l, err
}

func (l *Letter) dest() []any {
	return []any{&l.ID, &l.Account, &l.SHA, &l.MessageID, (*Time)(&l.ReceivedAt), (*Time)(&l.SeenAt),
		&l.From, &l.Disposition, &l.Why, &l.Confirmed, &l.Tries, &l.Faults, &l.Role, &l.Game, &l.Turn}
}

// StoredLetter says which letter some bytes are.
type StoredLetter struct {
	ID    int64
	Fresh bool // they were not known before
}

// StoreLetter is StoreLetters for one.
func (s *Store) StoreLetter(ctx context.Context, l NewLetter) (id int64, fresh bool, err error) {
	stored, err := s.StoreLetters(ctx, []NewLetter{l})
	if err != nil {
		return 0, false, err
	}
	return stored[0].ID, stored[0].Fresh, nil
}

// StoreLetters keeps letters' raw bytes and wakes their ingest, all or none. The
// same bytes in the same account are one letter: it is not fresh, and nothing
// changes.
func (s *Store) StoreLetters(ctx context.Context, letters []NewLetter) (stored []StoredLetter, err error) {
	if len(letters) == 0 {
		return nil, nil
	}
	err = s.change(ctx, "storing letters", letters[0].Now, func(t *txn) error {
		stored = nil
		for _, l := range letters {
			one, err := t.storeLetter(l)
			if err != nil {
				return err
			}
			stored = append(stored, one)
		}
		return nil
	})
	return stored, err
}

func (t *txn) storeLetter(l NewLetter) (stored StoredLetter, err error) {
	sum := sha256.Sum256(l.Raw)
	sha := hex.EncodeToString(sum[:])
	stored = StoredLetter{ID: t.NewID(), Fresh: true}
	var disposition any
	why, woken := l.Quarantine, t.now
	switch {
	case l.Quarantine != "":
		disposition = Quarantined
	case l.Ignore != "":
		disposition, why = Ignored, l.Ignore
	}
	if disposition != nil {
		woken = time.Time{}
	}
	n, err := t.exec(`INSERT INTO letter (id, account, sha256, message_id, received_at, seen_at, raw, uid, uid_validity, disposition, why, confirmed, tries, faults, from_addr, text_sha, reread, woken_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE, 0, 0, $12, '', $13, $14) ON CONFLICT (account, sha256) DO NOTHING`,
		stored.ID, l.Account, sha, l.MessageID, l.ReceivedAt, t.now, nonNil(l.Raw), int64(l.UID), int64(l.UIDValidity), disposition, why, l.From, l.Reread, woken)
	if err != nil {
		return stored, err
	}
	if n == 0 {
		stored.Fresh = false
		return stored, t.get([]any{&stored.ID}, `SELECT id FROM letter WHERE account = $1 AND sha256 = $2`, l.Account, sha)
	}
	if l.Mails != nil {
		mails, err := l.Mails(stored.ID)
		if err != nil {
			return stored, err
		}
		if err := t.queue(mails); err != nil {
			return stored, err
		}
	}
	if disposition == nil {
		t.work = append(t.work, Work{Kind: DoIngest, Row: stored.ID})
	}
	return stored, nil
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// earlierWait is how soon a letter is looked at again that came before its turn.
const earlierWait = time.Second

// TakeLetter begins an ingest: it raises the letter's tries, which counts even
// if the process dies of the letter, and reads it. ErrDone: it has a disposition.
// *Snooze: somebody took it less than Options.Claim ago, or an earlier letter of
// the same sender has no disposition yet; what a person wrote first is read first.
func (s *Store) TakeLetter(ctx context.Context, id int64) (l Letter, err error) {
	err = s.note(ctx, "taking a letter", time.Time{}, func(t *txn) error {
		l, err = one(t, scanRawLetter, `UPDATE letter SET tries = tries + 1, taken_until = $2 WHERE id = $1 AND disposition IS NULL`+free+`
			AND NOT EXISTS (`+earlierLetters+`) RETURNING `+letterCols+`, raw`, id, t.now.Add(t.opt.Claim), t.now)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		var earlier bool
		err = t.get([]any{&earlier}, `SELECT EXISTS (`+earlierLetters+`) FROM letter WHERE id = $1 AND disposition IS NULL`, id)
		switch {
		case errors.Is(err, ErrNotFound):
			return ErrDone
		case err != nil:
			return err
		case earlier:
			return &Snooze{For: earlierWait}
		}
		return t.taken(`SELECT taken_until FROM letter WHERE id = $1 AND disposition IS NULL`, id)
	})
	return l, err
}

// earlierLetters are those without a disposition that the sender of a letter
// wrote before it.
const earlierLetters = `SELECT 1 FROM letter AS earlier WHERE earlier.account = letter.account AND earlier.from_addr = letter.from_addr AND letter.from_addr <> ''
	AND earlier.disposition IS NULL AND (earlier.received_at < letter.received_at OR earlier.received_at = letter.received_at AND earlier.id < letter.id)`

// free is the condition of a row that nobody works on at the instant $3.
const free = ` AND (taken_until IS NULL OR taken_until <= $3)`

// taken says why a row could not be taken: a *Snooze until it is free, or
// ErrDone if the query finds none.
func (t *txn) taken(query string, args ...any) error {
	var until time.Time
	err := t.get([]any{(*Time)(&until)}, query, args...)
	switch {
	case errors.Is(err, ErrNotFound):
		return ErrDone
	case err != nil:
		return err
	}
	return &Snooze{For: max(until.Sub(t.now), 0)}
}

// LetterFailed counts that an ingest ended with an error: the process lives, so
// the try is given back, and the fault is counted instead.
func (s *Store) LetterFailed(ctx context.Context, id int64) error {
	return s.change(ctx, "counting a fault", time.Time{}, func(t *txn) error {
		_, err := t.exec(`UPDATE letter SET tries = tries - 1, faults = faults + 1, taken_until = NULL WHERE id = $1 AND disposition IS NULL`, id)
		return err
	})
}

// EndLetter ends a letter that changed nothing else.
func (s *Store) EndLetter(ctx context.Context, e Ending) error {
	return s.change(ctx, "ending a letter", e.Now, func(t *txn) error { return t.end(e) })
}

// Requeue takes the disposition of a letter back that changed nothing, so that
// it is read again, as if it had just come; it counts with its own received_at.
// ErrChanged: the letter acted, waits for somebody, has no disposition, or is not
// whole (nobody has begun to read it, or it was forgotten).
func (s *Store) Requeue(ctx context.Context, id int64) error {
	return s.change(ctx, "reading a letter again", time.Time{}, func(t *txn) error {
		err := t.must(ErrChanged, `UPDATE letter SET disposition = NULL, why = '', tries = 0, faults = 0, taken_until = NULL, reread = FALSE
			WHERE id = $1 AND disposition IN ('answered', 'ignored', 'quarantined', 'poison') AND tries > 0 AND LENGTH(raw) > 0
			AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.letter = letter.id)`, id)
		if err != nil {
			return err
		}
		return t.wake(DoIngest, id, time.Time{})
	})
}

// Bounced ends a delivery report by which mail to an address does not arrive.
// The next mail that is accepted takes the mark away (MailSent).
func (s *Store) Bounced(ctx context.Context, e Ending, address string) error {
	return s.change(ctx, "recording a bounce", e.Now, func(t *txn) error {
		if err := t.end(e); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE address SET reachable = FALSE WHERE addr = $1`, address)
		return err
	})
}

// HeardOf is when the newest letter of a role came from an address; zero: none did.
func (s *Store) HeardOf(ctx context.Context, role int64, address string) (at time.Time, err error) {
	err = s.look(ctx, "looking for the newest letter of a role", func(t *txn) error {
		return t.get([]any{(*Time)(&at)}, `SELECT received_at FROM letter WHERE role = $1 AND from_addr = $2 ORDER BY received_at DESC LIMIT 1`, role, address)
	})
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return at, err
}

// end gives the letter its disposition, raises epochs and queues the mails.
// Where a turn changes too, the turn's row is taken first: one order of locks.
func (t *txn) end(e Ending) error {
	if e.Letter != 0 {
		if e.Disposition == "" {
			return errors.New("a letter cannot end without a disposition")
		}
		reread := false
		err := t.get([]any{&reread}, `UPDATE letter SET disposition = $2, why = $3, game = COALESCE($4, game), turn = COALESCE($5, turn),
				role = COALESCE($6, role), from_addr = $7, text_sha = $8 WHERE id = $1 AND disposition IS NULL RETURNING reread`,
			e.Letter, e.Disposition, e.Why, ref(e.Game), ref(e.Turn), ref(e.Role), e.From, e.TextSHA)
		if errors.Is(err, ErrNotFound) {
			return ErrDone
		}
		if err != nil {
			return err
		}
		if reread && e.changesNothing() {
			_, err := t.exec(`UPDATE letter SET disposition = $2, why = $3 WHERE id = $1`, e.Letter, Ignored, rereadWhy+e.Why)
			return err
		}
	}
	for _, r := range e.RaiseEpoch {
		err := t.must(ErrChanged, `UPDATE role SET epoch = $2 WHERE id = $1 AND epoch = $3`, r.Role, int64(r.Epoch), int64(r.Epoch-1))
		if err != nil {
			return err
		}
	}
	return t.queue(e.Mails)
}

// rereadWhy begins the reason why a letter found by reading everything again is ignored.
const rereadWhy = "read again after a restore; it changes nothing any more, so nobody is told: "

// changesNothing reports an ending that only tells somebody something. Who wrote
// a letter before a database was lost was told long ago.
func (e Ending) changesNothing() bool {
	switch e.Disposition {
	case Answered, Ignored, Quarantined, Duplicate:
		return len(e.RaiseEpoch) == 0
	}
	return false
}

// LetterByID reads a letter, raw bytes included.
func (s *Store) LetterByID(ctx context.Context, id int64) (l Letter, err error) {
	err = s.look(ctx, "reading a letter", func(t *txn) error {
		l, err = one(t, scanRawLetter, `SELECT `+letterCols+`, raw FROM letter WHERE id = $1`, id)
		return err
	})
	return l, err
}

// ConfirmationAsked is when the mail that asks for a confirmation was written.
func (s *Store) ConfirmationAsked(ctx context.Context, role int64, n int) (at time.Time, err error) {
	err = s.read(ctx, "reading when a confirmation was asked for", func(t *txn) error {
		return t.get([]any{(*Time)(&at)}, `SELECT created_at FROM confirmation WHERE role = $1 AND n = $2`, role, n)
	})
	return at, err
}

// LetterFilter chooses letters; zero fields choose all.
type LetterFilter struct {
	Game        int64
	Role        int64
	Turn        int64  // its row: the phase that the letter ended in
	From        string // normalised address
	Disposition string
	Limit       int // default 100
}

// Letters lists letters without their raw bytes, newest first.
func (s *Store) Letters(ctx context.Context, f LetterFilter) (ls []Letter, err error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	err = s.read(ctx, "listing letters", func(t *txn) error {
		ls, err = list(t, scanLetter, `SELECT `+letterCols+` FROM letter
			WHERE (CAST($1 AS BIGINT) = 0 OR game = CAST($1 AS BIGINT)) AND ($2 = '' OR disposition = $2) AND ($4 = '' OR from_addr = $4)
			AND (CAST($5 AS BIGINT) = 0 OR role = CAST($5 AS BIGINT)) AND (CAST($6 AS BIGINT) = 0 OR turn = CAST($6 AS BIGINT))
			ORDER BY id DESC LIMIT $3`, f.Game, f.Disposition, f.Limit, f.From, f.Role, f.Turn)
		return err
	})
	return ls, err
}

// SameLetter finds a letter that ended before with the same Message-ID, sender
// and text in other bytes: the earliest that was neither held nor ignored, else
// the earliest. Ask again after an ErrChanged: the two may have been read at the
// same time.
func (s *Store) SameLetter(ctx context.Context, account, messageID, from, textSHA string, not int64) (id int64, ok bool, err error) {
	err = s.look(ctx, "looking for the same letter", func(t *txn) error {
		return t.get([]any{&id}, `SELECT id FROM letter WHERE account = $1 AND message_id = $2 AND from_addr = $3 AND text_sha = $4
			AND id <> $5 AND disposition IS NOT NULL ORDER BY CASE WHEN disposition IN ('held', 'ignored') THEN 1 ELSE 0 END, id LIMIT 1`, account, messageID, from, textSHA, not)
	})
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	return id, err == nil, err
}
