package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

const (
	searchBatch  = 50             // letters between two records of how far a search is
	renumberedBy = 24 * time.Hour // an unknown letter of a renumbered mailbox may be so much older than the newest known one
)

// search is one complete search of the account over one connection.
type search struct {
	*Daemon
	box      mail.Mailbox
	holder   string
	begun    time.Time
	leased   time.Time                  // when the lease was last prolonged
	folder   string                     // that is open
	validity uint32                     // of it
	known    map[uint32]store.Unfetched // letters of it that failed before
	floor    uint32                     // the least UID that the search must not pass; 0 none
	failed   error                      // why it is not complete
	blamed   bool                       // a letter is why it is not
	made     bool                       // the folders were made again
	stored   map[string][]uint32        // letters of it that are to be moved, by folder
	fresh    []store.NewLetter          // fetched and not stored yet
	weight   int                        // their bytes

	given   int64  // bytes of letters that the server gave over this connection
	vouched uint32 // for this letter it gave others often enough

	ignoreBefore time.Time // unknown letters from before are only recorded; zero: none is
	again        *rereading
}

// Search is one complete search of the account: every new letter is stored, and
// only then moved away; then the search is recorded, which frees the turns that
// waited for it. An error means that the search is not complete. holder has just
// taken the lease.
func (d *Daemon) Search(ctx context.Context, holder string, box mail.Mailbox) error {
	now := d.Now()
	s := &search{Daemon: d, box: box, holder: holder, begun: now, leased: now}
	err := s.run(ctx)
	if err != nil && !s.blamed && ctx.Err() == nil {
		err = errors.Join(err, d.Store.LostElsewhere(ctx, d.Account))
	}
	return err
}

func (s *search) run(ctx context.Context) error {
	state, err := s.Store.MailboxState(ctx, s.Account, inbox)
	if err != nil {
		return err
	}
	if s.again = s.rereading(state.RereadAsked); s.again != nil {
		// What was written first is read first.
		if err := s.rereadFolders(ctx); err != nil {
			return err
		}
	}
	last, err := s.searchInbox(ctx, state)
	if err != nil {
		return err
	}
	if s.again != nil {
		if err := s.rereadDone(ctx); err != nil {
			return err
		}
	}
	return s.Store.SearchDone(ctx, s.Account, inbox, s.holder, store.Mailbox{
		UIDValidity: s.validity, LastUID: last, SearchedFrom: s.begun,
	})
}

// open selects a folder and learns which of its letters failed before.
func (s *search) open(ctx context.Context, folder string) (mail.FolderState, error) {
	state, err := s.box.Select(ctx, folder)
	if err != nil {
		return state, fmt.Errorf("opening %s: %w", folder, err)
	}
	s.folder, s.validity, s.stored = folder, state.UIDValidity, map[string][]uint32{}
	return state, nil
}

func (s *search) recall(ctx context.Context) ([]store.Unfetched, error) {
	unfetched, err := s.Store.Unfetched(ctx, s.Account, s.folder, s.validity)
	s.known = map[uint32]store.Unfetched{}
	for _, u := range unfetched {
		s.known[u.UID] = u
	}
	return unfetched, err
}

// renumbered says how a folder shows that its server numbers the letters anew;
// empty: it does not. That it is empty shows nothing: every letter is moved away.
func renumbered(was store.Mailbox, now mail.FolderState) string {
	switch {
	case was.UIDValidity == 0: // never read
		return ""
	case was.UIDValidity != now.UIDValidity:
		return fmt.Sprintf("its UIDVALIDITY was %d and is %d", was.UIDValidity, now.UIDValidity)
	case now.UIDNext != 0 && now.UIDNext <= was.LastUID:
		return fmt.Sprintf("UID %d was given to a letter, and the next one would get UID %d", was.LastUID, now.UIDNext)
	}
	return ""
}

// renumber begins anew with a folder whose server does: everything is looked at
// again, and the hash of the bytes keeps what is known from being stored twice.
func (s *search) renumber(ctx context.Context, was store.Mailbox, how string) (store.Mailbox, error) {
	var mails []store.NewMail
	margin := time.Duration(0)
	if !s.Renumbers {
		margin = renumberedBy
		var err error
		mails, err = s.alarm("the mailbox was numbered anew",
			"The mail server numbers the letters in "+s.folder+" of "+s.Address+" anew: "+how+".",
			"All of them are looked at again. Those that are known by their bytes are left alone; so is one that is not known and was received more than a day before the newest known one: it is kept and recorded as ignored, with the reason.",
			"A server does this when a mailbox was restored, moved or repaired. If nobody did that, find out what happened to it.")
		if err != nil {
			return store.Mailbox{}, err
		}
	}
	return s.Store.Renumbered(ctx, s.Account, s.folder, s.holder, was, s.validity, margin, mails)
}

// searchInbox takes in what is new. It gives the last UID that is done with.
func (s *search) searchInbox(ctx context.Context, state store.Mailbox) (last uint32, err error) {
	folder, err := s.open(ctx, inbox)
	if err != nil {
		return 0, err
	}
	if how := renumbered(state, folder); how != "" {
		if state, err = s.renumber(ctx, state, how); err != nil {
			return 0, err
		}
	}
	from := state.LastUID + 1
	if s.again != nil || state.UIDValidity != folder.UIDValidity {
		from = 1
	}
	if s.again == nil { // who asks to read everything again wants the old as well
		s.ignoreBefore = state.IgnoreBefore
	}
	uids, err := s.box.ListUIDs(ctx, from)
	if err != nil {
		return 0, fmt.Errorf("searching %s: %w", inbox, err)
	}
	unfetched, err := s.recall(ctx)
	if err != nil {
		return 0, err
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
		if !u.GivenUpAt.IsZero() && s.Now().Sub(u.TriedAt) >= fetchApart {
			again = append(again, u.UID)
		}
	}
	for batch := range slices.Chunk(fresh, searchBatch) {
		if err := s.batch(ctx, batch); err != nil {
			return 0, err
		}
		to := batch[len(batch)-1]
		if s.floor != 0 {
			to = min(to, s.floor-1)
		}
		if to < from {
			continue
		}
		err := s.Store.SearchedTo(ctx, s.Account, inbox, s.holder, store.Mailbox{UIDValidity: s.validity, LastUID: to})
		if err != nil {
			return 0, err
		}
	}
	for batch := range slices.Chunk(again, searchBatch) {
		if err := s.batch(ctx, batch); err != nil {
			return 0, err
		}
	}
	if s.failed != nil {
		return 0, s.failed
	}
	last = from - 1
	if len(uids) > 0 {
		last = uids[len(uids)-1]
	}
	return last, nil
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

// batch takes letters in, moves them away, and ends with the lease in hand. A
// server moves many letters at nearly the price of one.
func (s *search) batch(ctx context.Context, uids []uint32) error {
	if err := s.takeAll(ctx, uids); err != nil {
		return err
	}
	for _, folder := range []string{processed, quarantine} {
		if err := s.move(ctx, folder, s.stored[folder]...); err != nil {
			return err
		}
	}
	clear(s.stored)
	return s.keepLease(ctx)
}

func (s *search) takeAll(ctx context.Context, uids []uint32) error {
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
	if err := s.flush(ctx); err != nil {
		return err
	}
	for _, uid := range uids {
		if !there[uid] {
			if err := s.forget(ctx, uid, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// take fetches one letter, stores it and notes that it is to be moved away.
func (s *search) take(ctx context.Context, m mail.Meta) error {
	u, before := s.known[m.UID]
	if before && u.Lost {
		if err := s.vouch(ctx, m, u); err != nil {
			return err
		}
	}
	// One byte more than is read of a letter: that is how ingest knows it for too long.
	raw, cut, err := s.box.FetchRaw(ctx, m.UID, maxLetter+1)
	if err != nil && ctx.Err() == nil {
		// What came before it is not to be fetched again.
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, mail.ErrGone):
		return s.forget(ctx, m.UID, nil)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.unfetched(ctx, m, err)
	}
	s.given += int64(len(raw))
	s.Step("fetched")
	l, err := s.letter(ctx, m, raw)
	if err != nil {
		return err
	}
	if !cut && !before {
		return s.keep(ctx, l)
	}
	if err := s.flush(ctx); err != nil { // ids rise as UIDs do
		return err
	}
	if cut && !l.Reread {
		l.Mails = func(id int64) ([]store.NewMail, error) {
			return s.alarm(fmt.Sprintf("letter %d is in quarantine", id), fmt.Sprintf("longer than %d bytes", maxLetter))
		}
	}
	id, isNew, err := s.store(ctx, l)
	if err != nil {
		return err
	}
	s.again.took(s.folder, reached{s.validity, m.UID}, isNew)
	var mails []store.NewMail
	if !cut && !u.GivenUpAt.IsZero() {
		mails, err = s.alarm(fmt.Sprintf("letter %d could be fetched after all", id), fmt.Sprintf("It was given up (UID %d); now it is read like any other.", m.UID))
		if err != nil {
			return err
		}
	}
	if err := s.forget(ctx, m.UID, mails); err != nil {
		return err
	}
	to := processed
	if cut {
		to = quarantine
	}
	if s.folder == processed || s.folder == to {
		return nil
	}
	s.stored[to] = append(s.stored[to], m.UID)
	return nil
}

// Letters are stored together, up to so many and so many bytes: one commit for all
// of them.
const (
	storedTogether = 25
	weightTogether = 1 << 20
)

// keep is the end of take for most letters: they wait to be stored together.
func (s *search) keep(ctx context.Context, l store.NewLetter) error {
	s.fresh = append(s.fresh, l)
	s.weight += len(l.Raw)
	if len(s.fresh) < storedTogether && s.weight < weightTogether {
		return nil
	}
	return s.flush(ctx)
}

// flush stores the letters that wait, and notes that they are to be moved away.
func (s *search) flush(ctx context.Context) error {
	letters := s.fresh
	s.fresh, s.weight = nil, 0
	stored, err := s.Store.StoreLetters(ctx, letters)
	if err != nil && len(letters) > 1 {
		// One of them may be why: each by itself.
		stored = nil
		for _, l := range letters {
			one, err := s.Store.StoreLetters(ctx, []store.NewLetter{l})
			if err != nil {
				return fmt.Errorf("storing letter %d: %w", l.UID, err)
			}
			stored = append(stored, one...)
		}
		err = nil
	}
	if err != nil {
		return fmt.Errorf("storing letters: %w", err)
	}
	for i, l := range letters {
		s.noteStored(l, stored[i])
		s.again.took(s.folder, reached{s.validity, l.UID}, stored[i].Fresh)
		if s.folder != processed {
			s.stored[processed] = append(s.stored[processed], l.UID)
		}
	}
	return nil
}

func (s *search) noteStored(l store.NewLetter, as store.StoredLetter) {
	if !as.Fresh {
		return
	}
	if l.Ignore != "" {
		s.Log.Warn("letter ignored", "letter", as.ID, "from", l.From, "received", l.ReceivedAt, "why", l.Ignore)
	}
	s.Step("stored")
}

// letter is what is stored of a letter.
func (s *search) letter(ctx context.Context, m mail.Meta, raw []byte) (l store.NewLetter, err error) {
	h := mail.ReadHeader(raw, mail.ReadOptions{MXHops: s.MXHops, InternalDate: s.arrived(m)})
	l = store.NewLetter{
		Account: s.Account, Raw: raw, MessageID: h.MessageID, From: h.From, ReceivedAt: h.ReceivedAt, Now: s.Now(),
		UID: m.UID, UIDValidity: s.validity, Reread: s.wasRead(m, h.ReceivedAt),
	}
	switch {
	case l.Reread:
		l.Ignore, err = s.outdated(ctx, h)
	case s.folder == inbox && h.ReceivedAt.Before(s.ignoreBefore):
		l.Ignore = "older by more than a day than the newest letter read before the mailbox was numbered anew"
	}
	return l, err
}

func (s *search) store(ctx context.Context, l store.NewLetter) (id int64, isNew bool, err error) {
	id, isNew, err = s.Store.StoreLetter(ctx, l)
	if err != nil {
		return 0, false, fmt.Errorf("storing letter %d: %w", l.UID, err)
	}
	s.noteStored(l, store.StoredLetter{ID: id, Fresh: isNew})
	return id, isNew, nil
}

// arrived is when the server took the letter, as far as it says.
func (s *search) arrived(m mail.Meta) time.Time {
	if m.InternalDate.IsZero() {
		return s.Now()
	}
	return m.InternalDate
}

// wasRead reports that a letter which is not known was read before all the same,
// under a database that was lost since.
func (s *search) wasRead(m mail.Meta, received time.Time) bool {
	if slices.ContainsFunc(m.Flags, func(flag string) bool { return strings.EqualFold(flag, mail.MovedKeyword) }) {
		return true
	}
	// The post office keeps no moves: there the time must tell.
	return s.again != nil && (s.folder != inbox || s.Renumbers && received.Before(s.again.asked))
}

// move moves letters away. That it fails is harmless, unless the connection is
// lost: the letters are known by their bytes.
func (s *search) move(ctx context.Context, folder string, uids ...uint32) error {
	if all, ok := s.box.(mail.BatchMover); ok && len(uids) > 1 && all.MoveAll(ctx, uids, folder) == nil {
		for range uids {
			s.Step("moved")
		}
		return nil
	}
	for _, uid := range uids {
		err := s.box.Move(ctx, uid, folder)
		if err != nil && !errors.Is(err, mail.ErrGone) && !s.made {
			// Somebody may have deleted the folder.
			s.made = true
			if err = s.box.EnsureFolders(ctx, processed, quarantine); err == nil {
				err = s.box.Move(ctx, uid, folder)
			}
		}
		if err != nil && !errors.Is(err, mail.ErrGone) {
			s.Log.Warn("moving a letter", "uid", uid, "err", err)
			if s.box.Noop(ctx) != nil {
				return fmt.Errorf("moving letter %d: %w", uid, err)
			}
		}
		s.Step("moved")
	}
	return nil
}
