package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// edit is a change of the bench's game to a new file.
func (b *bench) edit(roles ...RoleEdit) GameEdit {
	return GameEdit{Game: b.game.ID, WasSHA: "y", Title: "Dawn", File: "new", SHA: "sha", Roles: roles, Now: noon}
}

func TestGameEditIsMadeFromOneFile(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		anna := b.roles[1]
		e := b.edit(RoleEdit{Role: anna.ID, Name: "Anne", Zone: "UTC", Address: anna.Address})
		b.must(b.EditGame(b.ctx, e))
		wantErr(t, "a second edit from the old file", b.EditGame(b.ctx, e), ErrOtherFile)
		sn := b.snap()
		if sn.Game.File != "new" || sn.Game.FileSHA != "sha" || sn.Game.Title != "Dawn" {
			t.Errorf("game %+v", sn.Game)
		}
		got := sn.Roles[1]
		want := anna
		want.Name, want.Zone = "Anne", "UTC"
		if got != want {
			t.Errorf("role %+v, want %+v: an address that stays voids nothing", got, want)
		}
		b.must(b.change(b.ctx, "ending", noon, func(t *txn) error {
			_, err := t.exec(`UPDATE game SET ended_at = $1`, noon)
			return err
		}))
		e = b.edit()
		e.WasSHA = "sha"
		wantErr(t, "an edit of a game that has ended", b.EditGame(b.ctx, e), ErrOtherFile)
	})
}

func TestAnotherAddressIsAnotherPersonInThisGameOnly(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.newGame("dawn")
		anna := b.roles[1]
		e := b.edit(RoleEdit{Role: anna.ID, Name: "Anna", Zone: anna.Zone, Address: "anna@new.example"})
		e.Mails = func(s Snapshot) ([]NewMail, error) {
			r := s.Roles[1]
			if r.Address != "anna@new.example" || r.Epoch != 1 || s.Game.FileSHA != "sha" {
				return nil, fmt.Errorf("the mail is written from %+v", r)
			}
			return []NewMail{{Role: r.ID, Address: r.Address, Game: r.Game, Kind: "opening", MessageID: "<new>"}}, nil
		}
		b.must(b.EditGame(b.ctx, e))
		old, err := b.RolesOf(b.ctx, anna.Address)
		b.must(err)
		if len(old) != 1 || old[0].GameName != "dawn" || old[0].Epoch != 0 {
			t.Errorf("parts of the old address: %+v", old)
		}
		now, err := b.RolesOf(b.ctx, "anna@new.example")
		b.must(err)
		if len(now) != 1 || now[0].ID != anna.ID || now[0].Person == anna.Person || !now[0].Reachable {
			t.Errorf("parts of the new address: %+v", now)
		}
		if m, err := b.MailByMessageID(b.ctx, "<new>"); err != nil || m.Address != "anna@new.example" {
			t.Errorf("mail %+v, %v", m, err)
		}
		// And back: the person is the one of the other game again; 256 turns of the epoch wrap.
		e = b.edit(RoleEdit{Role: anna.ID, Name: "Anna", Zone: anna.Zone, Address: anna.Address})
		e.WasSHA, e.SHA = "sha", "sha2"
		b.must(b.change(b.ctx, "raising", noon, func(t *txn) error {
			_, err := t.exec(`UPDATE role SET epoch = 255 WHERE id = $1`, anna.ID)
			return err
		}))
		b.must(b.EditGame(b.ctx, e))
		if r := b.snap().Roles[1]; r.Person != anna.Person || r.Epoch != 0 {
			t.Errorf("role %+v", r)
		}
	})
}

func TestWhatIsMadeFromTheOldFileIsNotStored(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.close()
		old, err := b.ResolveBegins(b.ctx, b.snap().Turn.ID)
		b.must(err)
		b.must(b.EditGame(b.ctx, b.edit()))
		draft := Attempt{Ruleset: "r", Version: 1, Digest: "d"}
		none := func(int) ([]NewMail, error) { return nil, nil }
		_, err = b.StoreDraft(b.ctx, old.Turn.Key(), draft, noon.Add(time.Hour), none)
		wantErr(t, "a draft from the old file", err, ErrChanged)
		if sn := b.snap(); sn.Turn.Tries != 0 || sn.Turn.State != game.Closed {
			t.Errorf("turn %+v", sn.Turn)
		}
		if _, err = b.StoreDraft(b.ctx, b.key(), draft, noon.Add(time.Hour), none); err != nil {
			t.Errorf("a draft from the new file: %v", err)
		}
		// A nudge that was written before the edit goes to nobody.
		was := b.snap().Turn.NudgeAt
		e := b.edit()
		e.WasSHA = "sha"
		b.must(b.EditGame(b.ctx, e))
		wantErr(t, "a nudge from before", b.NudgeDone(b.ctx, b.snap().Turn.ID, was, time.Time{}, 1, nil), ErrDone)
		// An approved turn whose release stopped at the edit is woken.
		sn := b.snap()
		b.must(b.Approve(b.ctx, Ending{Now: noon}, sn.Turn.Key(), 1, "d", nil))
		rel := Release{Key: b.key(), Attempt: 1, Digest: "d", Now: noon}
		b.must(b.EditGame(b.ctx, e))
		err = b.StoreRelease(b.ctx, rel)
		wantErr(t, "a release from the old file", err, ErrChanged)
		rel.Key = b.key()
		if err = b.StoreRelease(b.ctx, rel); err != nil {
			t.Errorf("a release from the new file: %v", err)
		}
	})
}

func TestEditMeetsARelease(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		r.close()
		_, err := r.StoreDraft(r.ctx, r.key(), Attempt{Digest: "d"}, time.Time{}, func(int) ([]NewMail, error) { return nil, nil })
		r.must(err)
		r.must(r.Approve(r.ctx, Ending{Now: noon}, r.key(), 1, "d", nil))
		rel := Release{Key: r.key(), Attempt: 1, Digest: "d", Now: noon, Next: r.ahead(NewTurn{N: 2, OpenedAt: noon, DeadlineAt: deadline})}
		err1, err2 := r.race(func(s *Store) error { return s.StoreRelease(r.ctx, rel) },
			func(s *Store) error { return s.EditGame(r.ctx, r.edit()) })
		wantErr(t, "the release", err1, nil)
		if r.path == "" {
			wantErr(t, "the edit, which read the turn before", err2, ErrChanged)
			r.must(r.EditGame(r.ctx, r.edit()))
		} else {
			wantErr(t, "the edit, which waited", err2, nil)
		}
		if sn := r.snap(); sn.Turn.N != 2 || sn.Game.FileSHA != "sha" {
			t.Errorf("turn %d, file %s", sn.Turn.N, sn.Game.FileSHA)
		}
	})
}

func TestExportReadsEveryTurnAndEveryMail(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.newGame("dawn")
		b.close()
		_, err := b.StoreDraft(b.ctx, b.key(), Attempt{Digest: "d"}, time.Time{}, func(int) ([]NewMail, error) { return nil, nil })
		b.must(err)
		b.must(b.Approve(b.ctx, Ending{Now: noon}, b.key(), 1, "d", nil))
		err = b.StoreRelease(b.ctx, Release{Key: b.key(), Attempt: 1, Digest: "d", Now: noon, Next: b.ahead(NewTurn{N: 2, OpenedAt: noon, DeadlineAt: deadline})})
		b.must(err)
		var mails []NewMail
		for i := range exported + 3 {
			m := b.mailTo(1, fmt.Sprintf("kind%03d", i), "")
			if i < 2 {
				m.Gather = "g" // the second takes the first one's place
			}
			mails = append(mails, m)
		}
		b.must(b.QueueMails(b.ctx, mails))
		var turns, kinds []string
		b.must(b.Export(b.ctx, b.game.ID, func(s Snapshot) error {
			turns = append(turns, fmt.Sprint(s.Game.Name, s.Turn.N, s.Turn.State))
			return nil
		}, func(m Mail) error {
			kinds = append(kinds, m.Kind)
			return nil
		}))
		if diff := cmp.Diff([]string{"dusk1released", "dusk2open"}, turns); diff != "" {
			t.Error(diff)
		}
		if len(kinds) != exported+2 || kinds[0] != "kind001" || !strings.HasPrefix(kinds[len(kinds)-1], "kind052") {
			t.Errorf("%d mails: %v", len(kinds), kinds)
		}
	})
}
