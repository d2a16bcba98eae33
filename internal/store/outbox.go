package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Fates of a mail.
const (
	Queued     = "queued"
	Claimed    = "claimed"
	Sent       = "sent"
	Failed     = "failed"
	Superseded = "superseded" // a newer mail of the same gathering replaced it
)

const mailCols = `id, COALESCE(role, 0), address, sender, COALESCE(game, 0), COALESCE(turn, 0), kind, subject, text, bytes, message_id,
	not_before, gather, carry, quiet, state, claim, tries, created_at, sent_at, why`

func scanMail(r scanner) (m Mail, err error) {
	err = r.Scan(&m.ID, &m.Role, &m.Address, &m.Sender, &m.Game, &m.Turn, &m.Kind, &m.Subject, &m.Text, &m.Bytes, &m.MessageID,
		(*Time)(&m.NotBefore), &m.Gather, &m.Carry, &m.Quiet, &m.State, &m.Claim, &m.Tries, (*Time)(&m.CreatedAt), (*Time)(&m.SentAt), &m.Why)
	return m, err
}

// forgotten is where the address of a person ends whom somebody made us forget:
// nothing is written to it.
const forgotten = "@invalid"

// QueueMails puts mails into the outbox.
func (s *Store) QueueMails(ctx context.Context, mails []NewMail) error {
	return s.change(ctx, "queueing mails", time.Time{}, func(t *txn) error { return t.queue(mails) })
}

func (t *txn) queue(mails []NewMail) error {
	for _, m := range mails {
		if strings.HasSuffix(m.Address, forgotten) {
			continue
		}
		if m.Gather != "" {
			_, err := t.exec(`UPDATE outbox SET state = 'superseded' WHERE state = 'queued' AND gather = $1 AND role IS NOT DISTINCT FROM $2 AND address = $3`,
				m.Gather, ref(m.Role), m.Address)
			if err != nil {
				return err
			}
		}
		id := t.NewID()
		_, err := t.exec(`INSERT INTO outbox (id, role, address, sender, game, turn, kind, subject, text, bytes, message_id, not_before, gather, carry, quiet, state, claim, tries, created_at, why, woken_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'queued', '', 0, $16, '', $17)`,
			id, ref(m.Role), m.Address, m.Sender, ref(m.Game), ref(m.Turn), m.Kind, m.Subject, m.Text, nonNil(m.Bytes), m.MessageID, m.NotBefore, m.Gather, m.Carry, m.Quiet, t.now, later(t.now, m.NotBefore))
		if err != nil {
			return err
		}
		t.work = append(t.work, Work{DoSend, id, m.NotBefore})
	}
	return nil
}

// ClaimMail takes a mail for sending, for as long as Options.Claim says; the
// claim is named in Mail.Claim. ErrDone: it is sent, failed, superseded or in
// somebody's hands. A *Snooze: it may not go out yet. The claim waits for the disk:
// by it the one who holds it records the sending, also after a crash of the database.
func (s *Store) ClaimMail(ctx context.Context, id int64, now time.Time) (m Mail, err error) {
	claim := strconv.FormatInt(s.NewID(), 36)
	err = s.set(ctx, "claiming a mail", now, func(t *txn) error {
		m, err = one(t, scanMail, `UPDATE outbox SET state = 'claimed', claim = $2, claim_until = $3, tries = tries + 1
			WHERE id = $1 AND ((state = 'queued' AND (not_before IS NULL OR not_before <= $4)) OR (state = 'claimed' AND claim_until <= $4))
			RETURNING `+mailCols, id, claim, t.now.Add(s.opt.Claim), t.now)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		var at time.Time
		err = t.get([]any{(*Time)(&at)}, `SELECT not_before FROM outbox WHERE id = $1 AND state = 'queued'`, id)
		if err == nil {
			return &Snooze{max(at.Sub(t.now), 0)}
		}
		if errors.Is(err, ErrNotFound) {
			err = ErrDone
		}
		return err
	})
	return m, err
}

const claimed = ` WHERE id = $1 AND state = 'claimed' AND claim = $2`

// MailSent records that the server accepted the mail, and that its address can
// be reached. ErrDone: the claim ran out and somebody else has the mail.
func (s *Store) MailSent(ctx context.Context, id int64, claim string, now time.Time) error {
	return s.change(ctx, "recording a sent mail", now, func(t *txn) error {
		var reachable bool
		err := t.get([]any{&reachable}, `UPDATE outbox SET state = 'sent', sent_at = $3, why = ''`+claimed+`
			RETURNING COALESCE((SELECT reachable FROM address WHERE address.addr = outbox.address), TRUE)`, id, claim, t.now)
		if errors.Is(err, ErrNotFound) {
			return ErrDone
		}
		if err != nil || reachable {
			return err
		}
		_, err = t.exec(`UPDATE address SET reachable = TRUE WHERE NOT reachable AND addr = (SELECT address FROM outbox WHERE id = $1)`, id)
		return err
	})
}

// MailRetry gives a mail back, not to be sent before an instant; when a newer
// one of its gathering waits by now, that one replaces it.
func (s *Store) MailRetry(ctx context.Context, id int64, claim string, notBefore time.Time, why string) error {
	return s.change(ctx, "giving a mail back", time.Time{}, func(t *txn) error {
		var state string
		err := t.get([]any{&state}, `UPDATE outbox SET claim = '', claim_until = NULL, not_before = $3, why = $4,
			state = CASE WHEN gather <> '' AND EXISTS (SELECT 1 FROM outbox n WHERE n.state = 'queued' AND n.gather = outbox.gather
				AND n.role IS NOT DISTINCT FROM outbox.role AND n.address = outbox.address AND n.id > outbox.id)
				THEN 'superseded' ELSE 'queued' END`+claimed+` RETURNING state`, id, claim, notBefore, why)
		if errors.Is(err, ErrNotFound) {
			return ErrDone
		}
		if err != nil || state != Queued {
			return err
		}
		return t.wake(DoSend, id, notBefore)
	})
}

// MailFailed ends a mail that will never arrive; unreachable marks its address.
func (s *Store) MailFailed(ctx context.Context, id int64, claim, why string, unreachable bool) error {
	return s.change(ctx, "recording a failed mail", time.Time{}, func(t *txn) error {
		err := t.must(ErrDone, `UPDATE outbox SET state = 'failed', why = $3`+claimed, id, claim, why)
		if err != nil || !unreachable {
			return err
		}
		_, err = t.exec(`UPDATE address SET reachable = FALSE WHERE addr = (SELECT address FROM outbox WHERE id = $1)`, id)
		return err
	})
}

// SentTexts gives the plain texts of the mails sent to a role, newest first.
// One that a crash left between accepted and recorded counts as sent.
func (s *Store) SentTexts(ctx context.Context, role int64, limit int) (texts []string, err error) {
	err = s.look(ctx, "reading sent mails", func(t *txn) error {
		texts, err = list(t, func(r scanner) (text string, err error) { return text, r.Scan(&text) },
			`SELECT text FROM outbox WHERE role = $1 AND (state = 'sent' OR tries > 0) ORDER BY id DESC LIMIT $2`, role, limit)
		return err
	})
	return texts, err
}

// MailByMessageID finds the mail that a letter answers.
func (s *Store) MailByMessageID(ctx context.Context, messageID string) (m Mail, err error) {
	err = s.look(ctx, "finding a mail", func(t *txn) error {
		m, err = one(t, scanMail, `SELECT `+mailCols+` FROM outbox WHERE message_id = $1 ORDER BY id LIMIT 1`, messageID)
		return err
	})
	return m, err
}

// FirstMail finds the first mail of a kind about a turn that was queued for a
// role since an instant. ErrNotFound: there is none.
func (s *Store) FirstMail(ctx context.Context, turn, role int64, kind string, since time.Time) (m Mail, err error) {
	err = s.look(ctx, "finding the first mail", func(t *txn) error {
		m, err = one(t, scanMail, `SELECT `+mailCols+` FROM outbox WHERE role = $1 AND created_at >= $2 AND turn = $3 AND kind = $4 ORDER BY id LIMIT 1`, role, since, turn, kind)
		return err
	})
	return m, err
}

// Gathered finds the newest mail of a gathering that has not gone out for
// certain. ErrNotFound: there is none.
func (s *Store) Gathered(ctx context.Context, role int64, address, gather string) (m Mail, err error) {
	err = s.look(ctx, "finding a gathered mail", func(t *txn) error {
		m, err = one(t, scanMail, `SELECT `+mailCols+` FROM outbox WHERE state IN ('queued', 'claimed') AND gather = $1
			AND role IS NOT DISTINCT FROM $2 AND address = $3 ORDER BY id DESC LIMIT 1`, gather, ref(role), address)
		return err
	})
	return m, err
}

// CountMails counts the mails queued since an instant for a role, or for an
// address when role is 0; of one kind, or of every kind when that is empty;
// only answers without a change of state when quietOnly, and then not those
// whose place another took.
func (s *Store) CountMails(ctx context.Context, role int64, address, kind string, quietOnly bool, since time.Time) (n int, err error) {
	who, whom := `role = $1`, any(role)
	if role == 0 {
		who, whom = `address = $1`, address
	}
	err = s.look(ctx, "counting mails", func(t *txn) error {
		return t.get([]any{&n}, `SELECT COUNT(*) FROM outbox WHERE `+who+` AND created_at >= $2 AND ($3 = '' OR kind = $3) AND (quiet AND state <> 'superseded' OR NOT $4)`,
			whom, since, kind, quietOnly)
	})
	return n, err
}

// Unsent counts the mails that are still to go out, now or later.
func (s *Store) Unsent(ctx context.Context) (n int, err error) {
	err = s.read(ctx, "counting unsent mails", func(t *txn) error {
		return t.get([]any{&n}, `SELECT COUNT(*) FROM outbox WHERE state IN ('queued', 'claimed')`)
	})
	return n, err
}
