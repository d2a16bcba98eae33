package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

const (
	searchBatch = 50              // letters between two records of how far a search is
	fetchApart  = 2 * time.Minute // between two failures that count against a letter
	fetchKeep   = 24 * time.Hour  // so long a letter that was given up is tried
)

// search is one complete search of the account over one connection.
type search struct {
	*Daemon
	box      mail.Mailbox
	holder   string
	leased   time.Time // when the lease was last prolonged
	validity uint32
	known    map[uint32]store.Unfetched // letters that failed before
	fetched  int                        // letters that the server gave
	floor    uint32                     // the least UID that the search must not pass; 0 none
	failed   error                      // why it is not complete
}

// Search is one complete search of the account: every new letter is stored, and
// only then moved away; then the search is recorded, which frees the turns that
// waited for it. An error means that the search is not complete. holder has just
// taken the lease.
func (d *Daemon) Search(ctx context.Context, holder string, box mail.Mailbox) error {
	begun := d.Now()
	folder, err := box.Select(ctx, inbox)
	if err != nil {
		return fmt.Errorf("opening %s: %w", inbox, err)
	}
	state, err := d.Store.MailboxState(ctx, d.Account, inbox)
	if err != nil {
		return err
	}
	from := state.LastUID + 1
	if state.UIDValidity != folder.UIDValidity || folder.UIDNext != 0 && folder.UIDNext < from {
		// Another folder under the same name: everything is looked at again, and the
		// hash of the bytes keeps what is known from being stored twice.
		from = 1
	}
	uids, err := box.ListUIDs(ctx, from)
	if err != nil {
		return fmt.Errorf("searching %s: %w", inbox, err)
	}
	unfetched, err := d.Store.Unfetched(ctx, d.Account, inbox, folder.UIDValidity)
	if err != nil {
		return err
	}
	s := &search{Daemon: d, box: box, holder: holder, leased: begun, validity: folder.UIDValidity, known: map[uint32]store.Unfetched{}}
	for _, u := range unfetched {
		s.known[u.UID] = u
	}
	// Letters that failed before come last: what the server gives until then tells
	// their faults from its own.
	var fresh, again []uint32
	for _, uid := range uids {
		u, failed := s.known[uid]
		switch {
		case !failed:
			fresh = append(fresh, uid)
		case u.GivenUpAt.IsZero():
			s.stop(uid)
			again = append(again, uid)
		}
	}
	for _, u := range unfetched {
		if !u.GivenUpAt.IsZero() && d.Now().Sub(u.TriedAt) >= fetchApart {
			again = append(again, u.UID)
		}
	}
	for batch := range slices.Chunk(fresh, searchBatch) {
		if err := s.batch(ctx, batch); err != nil {
			return err
		}
		to := batch[len(batch)-1]
		if s.floor != 0 {
			to = min(to, s.floor-1)
		}
		if to < from {
			continue
		}
		err := d.Store.SearchedTo(ctx, d.Account, inbox, holder, store.Mailbox{UIDValidity: folder.UIDValidity, LastUID: to})
		if err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(again, searchBatch) {
		if err := s.batch(ctx, batch); err != nil {
			return err
		}
	}
	if s.failed != nil {
		return s.failed
	}
	last := from - 1
	if len(uids) > 0 {
		last = uids[len(uids)-1]
	}
	return d.Store.SearchDone(ctx, d.Account, inbox, holder, store.Mailbox{
		UIDValidity: folder.UIDValidity, LastUID: last, SearchedFrom: begun,
	})
}

// stop keeps a search that is not complete from being recorded past a UID.
func (s *search) stop(uid uint32) {
	if s.floor == 0 || uid < s.floor {
		s.floor = uid
	}
}

// keepLease prolongs the lease when half of it is over: a search may take longer.
func (s *search) keepLease(ctx context.Context) error {
	now := s.Now()
	if now.Sub(s.leased) < s.Terms.Lease/2 {
		return nil
	}
	held, err := s.Store.Lease(ctx, s.Account, s.holder, s.Terms.Lease)
	if err == nil && !held {
		err = errLeased
	}
	s.leased = now
	return err
}

// batch takes letters in and ends with the lease in hand.
func (s *search) batch(ctx context.Context, uids []uint32) error {
	metas, err := s.box.FetchMeta(ctx, uids)
	if err != nil {
		return fmt.Errorf("asking about letters: %w", err)
	}
	there := map[uint32]bool{}
	for _, m := range metas {
		there[m.UID] = true
		if err := s.keepLease(ctx); err != nil {
			return err
		}
		if err := s.take(ctx, m); err != nil {
			return err
		}
	}
	for _, uid := range uids {
		if _, failed := s.known[uid]; failed && !there[uid] {
			if err := s.forget(ctx, uid, nil); err != nil {
				return err
			}
		}
	}
	return s.keepLease(ctx)
}

// take fetches one letter, stores it and moves it away.
func (s *search) take(ctx context.Context, m mail.Meta) error {
	// One byte more than is read of a letter: that is how ingest knows it for too long.
	raw, cut, err := s.box.FetchRaw(ctx, m.UID, maxLetter+1)
	u, before := s.known[m.UID]
	switch {
	case errors.Is(err, mail.ErrGone):
		if before {
			return s.forget(ctx, m.UID, nil)
		}
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.unfetched(ctx, m, err)
	}
	s.fetched++
	s.Step("fetched")
	id, isNew, err := s.store(ctx, m, raw, "")
	if err != nil {
		return err
	}
	folder := processed
	var mails []store.NewMail
	if cut {
		folder = quarantine
		if isNew {
			mails, err = s.alarm(fmt.Sprintf("letter %d is in quarantine", id), fmt.Sprintf("longer than %d bytes", maxLetter))
		}
	} else if !u.GivenUpAt.IsZero() {
		mails, err = s.alarm(fmt.Sprintf("letter %d could be fetched after all", id), fmt.Sprintf("It was given up (UID %d); now it is read like any other.", m.UID))
	}
	if err != nil {
		return err
	}
	if before {
		err = s.forget(ctx, m.UID, mails)
	} else {
		err = s.Store.QueueMails(ctx, mails)
	}
	if err != nil {
		return err
	}
	return s.move(ctx, m.UID, folder)
}

func (s *search) store(ctx context.Context, m mail.Meta, raw []byte, quarantine string) (id int64, isNew bool, err error) {
	l := mail.ReadHeader(raw, mail.ReadOptions{MXHops: s.MXHops, InternalDate: s.arrived(m)})
	id, isNew, err = s.Store.StoreLetter(ctx, store.NewLetter{
		Account: s.Account, Raw: raw, MessageID: l.MessageID, From: l.From, ReceivedAt: l.ReceivedAt, Now: s.Now(),
		UID: m.UID, UIDValidity: s.validity, Quarantine: quarantine,
	})
	if err != nil {
		return 0, false, fmt.Errorf("storing letter %d: %w", m.UID, err)
	}
	s.Step("stored")
	return id, isNew, nil
}

// arrived is when the server took the letter, as far as it says.
func (s *search) arrived(m mail.Meta) time.Time {
	if m.InternalDate.IsZero() {
		return s.Now()
	}
	return m.InternalDate
}

func (s *search) move(ctx context.Context, uid uint32, folder string) error {
	// A move that fails is harmless: the letter is known by its bytes.
	if err := s.box.Move(ctx, uid, folder); err != nil && !errors.Is(err, mail.ErrGone) {
		s.Log.Warn("moving a letter", "uid", uid, "err", err)
		if strings.Contains(err.Error(), "closed") {
			return fmt.Errorf("moving letter %d: %w", uid, err)
		}
	}
	s.Step("moved")
	return nil
}

// forget ends the account of a letter that failed before.
func (s *search) forget(ctx context.Context, uid uint32, mails []store.NewMail) error {
	err := s.Store.ForgetUnfetched(ctx, s.Account, inbox, s.validity, uid, mails)
	if errors.Is(err, store.ErrDone) {
		err = nil
	}
	return err
}

// unfetched is what becomes of a letter that could not be fetched: why counts
// against it only if the server answered about it, or gave others over the same
// connection. At the third time a stub takes its place, people are told, and the
// letter stays where it is to be tried for a day.
func (s *search) unfetched(ctx context.Context, m mail.Meta, why error) error {
	answered := errors.Is(why, mail.ErrWithheld)
	why = fmt.Errorf("fetching letter %d: %w", m.UID, why)
	u, err := s.Store.FetchFailed(ctx, s.Account, inbox, s.validity, m.UID, answered || s.fetched > 0, fetchApart)
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
		if answered {
			err = s.move(ctx, m.UID, quarantine)
		}
		if err == nil {
			err = s.forget(ctx, m.UID, nil)
		}
	}
	if err == nil && !answered {
		err = why
	}
	return err
}

func (s *search) giveUp(ctx context.Context, m mail.Meta, why error) error {
	raw := fmt.Appendf(nil, "X-Pbemd-Unfetched: %d/%d\r\n\r\n", s.validity, m.UID)
	id, _, err := s.store(ctx, m, raw, fmt.Sprintf("could not be fetched (UID %d): %v", m.UID, why))
	if err != nil {
		return err
	}
	mails, err := s.alarm(fmt.Sprintf("letter %d is in quarantine", id), fmt.Sprintf("could not be fetched (UID %d): %v", m.UID, why),
		"No turn waits for it. It is tried for a day more, and read if the server gives it.")
	if err != nil {
		return err
	}
	if len(mails) == 0 {
		if mails, err = s.tellGMs(ctx, m); err != nil {
			return err
		}
	}
	err = s.Store.GiveUpFetching(ctx, s.Account, inbox, s.validity, m.UID, mails)
	if errors.Is(err, store.ErrDone) {
		err = nil
	}
	return err
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
