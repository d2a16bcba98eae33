package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

const (
	fetchApart = 2 * time.Minute // between two failures that count against a letter
	fetchKeep  = 24 * time.Hour  // so long a letter that was given up is tried

	vouchBytes   = 3   // times the bytes of a letter must have been given of others
	vouchFetches = 100 // but no more fetches than this
	vouchAmong   = 50  // of so many letters the largest is chosen
)

// forget ends the account of a letter that failed before.
func (s *search) forget(ctx context.Context, uid uint32, mails []store.NewMail) error {
	if _, failed := s.known[uid]; !failed {
		return nil
	}
	return ignoreDone(s.Store.ForgetUnfetched(ctx, s.Account, s.folder, s.validity, uid, mails))
}

// unfetched is what becomes of a letter that could not be fetched. It counts
// against the letter if the server answered about it. A lost connection counts
// if it had given three times the letter's bytes of others, and only as long as
// none is lost anywhere else: so a server or a line that fails at whatever it
// carries is not taken for a bad letter. At the third time a stub takes its
// place, people are told, and the letter stays where it is to be tried for a day.
func (s *search) unfetched(ctx context.Context, m mail.Meta, why error) error {
	s.blamed = true
	fault := store.Lost
	switch {
	case errors.Is(why, mail.ErrWithheld):
		fault = store.Refused
	case s.given >= enough(m) || s.vouched == m.UID:
		fault = store.LostAlone
	}
	why = fmt.Errorf("fetching letter %d of %s: %w", m.UID, s.folder, why)
	if s.folder != inbox && fault == store.Refused {
		s.Log.Warn("reading a letter again", "err", why)
		s.again.skip(s.folder, m.UID)
		return nil
	}
	u, err := s.Store.FetchFailed(ctx, s.Account, s.folder, s.validity, m.UID, fault, fetchApart)
	if err != nil {
		return err
	}
	switch {
	case u.GivenUpAt.IsZero() && u.Tries < maxTries:
		s.stop(m.UID)
		s.failed = why
	case u.GivenUpAt.IsZero():
		err = s.giveUp(ctx, m, why)
	case s.Now().Sub(u.GivenUpAt) >= fetchKeep:
		if fault == store.Refused {
			err = s.move(ctx, quarantine, m.UID)
		}
		if err == nil {
			err = s.forget(ctx, m.UID, nil)
		}
	}
	if err == nil && fault != store.Refused {
		err = why
	}
	return err
}

func (s *search) giveUp(ctx context.Context, m mail.Meta, why error) error {
	if s.folder != inbox {
		return ignoreDone(s.Store.GiveUpFetching(ctx, s.Account, s.folder, s.validity, m.UID, nil))
	}
	l, err := s.letter(ctx, m, fmt.Appendf(nil, "X-Pbemd-Unfetched: %d/%d\r\n\r\n", s.validity, m.UID))
	if err != nil {
		return err
	}
	l.Quarantine = fmt.Sprintf("could not be fetched (UID %d): %v", m.UID, why)
	id, _, err := s.store(ctx, l)
	if err != nil {
		return err
	}
	mails, err := s.alarm(fmt.Sprintf("letter %d is in quarantine", id), l.Quarantine,
		"No turn waits for it. It is tried for a day more, and read if the server gives it.")
	if err != nil {
		return err
	}
	if len(mails) == 0 {
		if mails, err = s.tellGMs(ctx, m); err != nil {
			return err
		}
	}
	return ignoreDone(s.Store.GiveUpFetching(ctx, s.Account, inbox, s.validity, m.UID, mails))
}

// tellGMs tells the GMs of the account of a letter that was given up, where no
// operator hears of it.
func (s *search) tellGMs(ctx context.Context, m mail.Meta) ([]store.NewMail, error) {
	games, err := s.Store.Games(ctx, false)
	if err != nil {
		return nil, err
	}
	var mails []store.NewMail
	for _, g := range games {
		if g.Account != s.Account {
			continue
		}
		t, err := s.tableOf(ctx, g.ID)
		if err != nil {
			return nil, err
		}
		gm, ok := t.gm()
		if !ok {
			continue
		}
		n, err := s.tell(t, gm, kindAlarm, "unfetched", report.Refused{
			Title: "A letter cannot be read",
			Why:   "The mail server does not give a letter that arrived " + t.when(s.arrived(m), gm).String() + ". It may be of this game or of another.",
			Do:    []string{"No turn waits for it any more. It is tried for a day; if it was in time, it then waits for your ACCEPT."},
		})
		if err != nil {
			return nil, err
		}
		mails = append(mails, n)
	}
	return mails, nil
}

// enough is how many bytes of other letters show that a connection carries more
// than this letter. What a server says of the size may be anything.
func enough(m mail.Meta) int64 { return vouchBytes * min(max(m.Size, 1), maxLetter) }

// vouch has the server give other letters before one that ended a connection is
// tried again, if that try can count: the letter may be alone in the mailbox. In
// between it is tried without, because on a bad line that has the better chance.
func (s *search) vouch(ctx context.Context, m mail.Meta, u store.Unfetched) error {
	if !u.GivenUpAt.IsZero() || s.Now().Sub(u.TriedAt) < fetchApart || s.given >= enough(m) {
		return nil
	}
	folder, validity := s.folder, s.validity
	w, err := s.witness(ctx, m)
	if err != nil {
		return err
	}
	limit := int64(maxLetter + 1)
	if w.UID == 0 { // the account holds no other: the first half of the letter itself
		if _, err := s.open(ctx, folder); err != nil {
			return err
		}
		w, limit = m, max(min(m.Size, maxLetter)/2, 1)
	}
	for i := 0; s.given < enough(m) && s.vouched != m.UID; i++ {
		if err := s.keepLease(ctx); err != nil {
			return err
		}
		raw, _, err := s.box.FetchRaw(ctx, w.UID, limit)
		if errors.Is(err, mail.ErrGone) || errors.Is(err, mail.ErrWithheld) {
			break
		}
		if err != nil {
			return fmt.Errorf("fetching a letter that was given before: %w", err)
		}
		if s.given += int64(len(raw)); i+1 == vouchFetches {
			s.vouched = m.UID
		}
	}
	if _, err := s.open(ctx, folder); err != nil {
		return err
	}
	if s.validity != validity {
		return fmt.Errorf("%s was numbered anew meanwhile", folder)
	}
	return nil
}

// witness opens Processed and chooses a letter that was given before: the largest
// of the newest, for a line may fail by the length of what it carries. UID 0:
// there is none.
func (s *search) witness(ctx context.Context, not mail.Meta) (w mail.Meta, err error) {
	was := s.folder
	state, err := s.open(ctx, processed)
	if err != nil {
		return w, err
	}
	from := uint32(1)
	if state.UIDNext > 4*vouchAmong {
		from = state.UIDNext - 4*vouchAmong
	}
	uids, err := s.box.ListUIDs(ctx, from)
	if err == nil && len(uids) == 0 && from > 1 {
		uids, err = s.box.ListUIDs(ctx, 1)
	}
	if err != nil {
		return w, fmt.Errorf("searching %s: %w", processed, err)
	}
	metas, err := s.box.FetchMeta(ctx, uids[max(len(uids)-vouchAmong, 0):])
	if err != nil {
		return w, fmt.Errorf("asking about letters: %w", err)
	}
	for _, m := range metas {
		if m.Size > w.Size && !(was == processed && m.UID == not.UID) {
			w = m
		}
	}
	return w, nil
}
