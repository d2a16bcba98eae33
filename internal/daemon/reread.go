package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// rereadReport is how many letters lie between two lines of the log.
const rereadReport = 1000

// rereading is one reading of every folder, which an operator asks for after he
// restored a database (Options.Reread): the letters since his backup lie where
// only letters lie that were read before. That it was asked is in the database,
// so that no kill and no other process passes it by, and no turn closes before
// it is done; how far it is this process knows alone.
type rereading struct {
	asked   time.Time
	reached map[string]reached // by folder
	known   int
	fresh   int
	skipped []string // what the server did not give
}

type reached struct{ validity, uid uint32 }

// rereading gives the one that was asked for at an instant; nil: none was.
func (s *search) rereading(asked time.Time) *rereading {
	if asked.IsZero() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reread == nil || !s.reread.asked.Equal(asked) {
		s.reread = &rereading{asked: asked, reached: map[string]reached{}}
		s.Log.Info("reading all letters again; no turn closes before that is done", "account", s.Account)
	}
	return s.reread
}

// took notes a letter taken in; without a rereading it does nothing.
func (r *rereading) took(folder string, at reached, isNew bool) {
	if r == nil {
		return
	}
	if r.reached[folder] = at; isNew {
		r.fresh++
	} else {
		r.known++
	}
}

func (r *rereading) skip(folder string, uid uint32) {
	if name := fmt.Sprintf("%s UID %d", folder, uid); !slices.Contains(r.skipped, name) {
		r.skipped = append(r.skipped, name)
	}
}

// askReread asks for a reading of every folder, until the database takes it.
func (d *Daemon) askReread(ctx context.Context) {
	for ctx.Err() == nil {
		err := d.Store.AskReread(ctx, d.Account, inbox)
		if err == nil {
			return
		}
		d.Log.Error("asking to read all letters again", "err", err)
		sleep(ctx, d.Terms.LeaseRetry)
	}
}

// rereadFolders reads the folders into which letters are moved. Every letter is
// fetched whole, for only its bytes tell whether it is known.
func (s *search) rereadFolders(ctx context.Context) error {
	for _, folder := range []string{processed, quarantine} {
		if err := s.rereadFolder(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) rereadFolder(ctx context.Context, folder string) error {
	if _, err := s.open(ctx, folder); err != nil {
		return err
	}
	from := uint32(1)
	if at := s.again.reached[folder]; at.validity == s.validity {
		from = at.uid + 1
	}
	uids, err := s.box.ListUIDs(ctx, from)
	if err != nil {
		return fmt.Errorf("searching %s: %w", folder, err)
	}
	if _, err := s.recall(ctx); err != nil {
		return err
	}
	for uid, u := range s.known {
		if !u.GivenUpAt.IsZero() {
			s.again.skip(folder, uid)
		}
	}
	uids = slices.DeleteFunc(uids, func(uid uint32) bool { return !s.known[uid].GivenUpAt.IsZero() })
	done := 0
	for batch := range slices.Chunk(uids, searchBatch) {
		if err := s.batch(ctx, batch); err != nil {
			return err
		}
		s.again.reached[folder] = reached{s.validity, batch[len(batch)-1]}
		before := done
		if done += len(batch); done/rereadReport > before/rereadReport {
			s.Log.Info("reading all letters again", "folder", folder, "letters", done, "of", len(uids), "known", s.again.known, "new", s.again.fresh)
		}
	}
	return nil
}

// outdated says why a letter that was found by reading again must not act,
// although its token is good: attempts and confirmations are numbered by the
// database, and what it answers may be none of those that this one wrote. So an
// OK never releases an attempt that the GM did not see, and a CONFIRM lets no
// letter in that it was not written for.
func (s *search) outdated(ctx context.Context, l mail.Letter) (why string, err error) {
	bound := func(k mail.Token) bool { return k.Purpose == mail.PurposeRelease || k.Purpose == mail.PurposeConfirm }
	if !slices.ContainsFunc(s.tokensOf(l), func(text string) bool { k, err := s.Keys.Open(text); return err == nil && bound(k) }) {
		return "", nil
	}
	c := &call{letter: l, from: l.From}
	if err := s.route(ctx, c); err != nil || c.role.ID == 0 || !bound(c.token) {
		return "", err
	}
	if c.token.Purpose == mail.PurposeConfirm {
		at, err := s.Store.ConfirmationAsked(ctx, c.role.ID, int(c.token.N))
		if errors.Is(err, store.ErrNotFound) || err == nil && l.ReceivedAt.Before(at) {
			return "read again after a restore; it answers a confirmation mail that this database did not write", nil
		}
		return "", err
	}
	snap, err := s.Store.Snapshot(ctx, c.role.Game)
	if err != nil {
		return "", err
	}
	t := snap.Turn
	if t.State != game.Review || int(c.token.Turn) != t.N || c.token.N != uint8(t.Attempt) || l.ReceivedAt.Before(t.ReviewAt) {
		return "read again after a restore; it answers a packet that this database did not write, or that is no longer in review", nil
	}
	return "", nil
}

// rereadDone ends a reading of every folder.
func (s *search) rereadDone(ctx context.Context) error {
	r := s.again
	var mails []store.NewMail
	if n := len(r.skipped); n > 0 {
		var err error
		mails, err = s.alarm(fmt.Sprintf("%d letters could not be read again", n),
			"All letters were read again, as asked, but the mail server does not give some: "+strings.Join(r.skipped[:min(n, 20)], ", ")+".",
			"If they came after the backup that was restored, nothing in them counts.")
		if err != nil {
			return err
		}
	}
	ignored, waiting, err := s.Store.RereadDone(ctx, s.Account, inbox, s.holder, r.asked, mails)
	if err != nil {
		return err
	}
	s.Log.Info("all letters are read again", "account", s.Account, "known", r.known, "new", r.fresh,
		"too old or without effect", ignored, "not judged yet", waiting, "not given by the server", len(r.skipped))
	s.mu.Lock()
	s.reread = nil
	s.mu.Unlock()
	return nil
}
