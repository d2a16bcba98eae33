package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

var allStates = []game.State{game.Open, game.Closed, game.Review, game.Approved, game.Released, game.Stuck}

// TestEveryChangeIsRefusedOutsideItsStates calls every change of a turn in
// every state, and checks its move against game's table.
func TestEveryChangeIsRefusedOutsideItsStates(t *testing.T) {
	none := func(int) ([]NewMail, error) { return nil, nil }
	changes := []struct {
		name string
		in   []game.State
		want error // in the other states
		do   func(b *bench, key TurnKey) error
	}{
		{"StoreOrders", []game.State{game.Open}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.StoreOrders(b.ctx, Ending{}, key, nil)
		}},
		{"SetReady", []game.State{game.Open}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.SetReady(b.ctx, Ending{}, key, nil, &noon, false)
		}},
		{"AskClose", []game.State{game.Open}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.AskClose(b.ctx, Ending{}, key, noon)
		}},
		{"Extend", []game.State{game.Open}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.Extend(b.ctx, Ending{}, key, deadline, time.Time{})
		}},
		{"CloseTurn", []game.State{game.Open}, ErrDone, func(b *bench, key TurnKey) error {
			b.searched(deadline.Add(grace))
			return closer(b.ctx, b.closing())(b.Store)
		}},
		{"StoreLate", []game.State{game.Closed, game.Review, game.Stuck}, ErrChanged, func(b *bench, key TurnKey) error {
			_, err := b.StoreLate(b.ctx, Ending{}, key, nil)
			return err
		}},
		{"Rule", []game.State{game.Closed, game.Review}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.Rule(b.ctx, Ending{}, key, []game.Ruling{{Kind: game.RuleMod}}, nil)
		}},
		{"AddNotes", []game.State{game.Open, game.Closed, game.Review}, ErrChanged, func(b *bench, key TurnKey) error {
			_, err := b.AddNotes(b.ctx, Ending{}, key, []game.Ruling{{Kind: game.RuleNote}})
			return err
		}},
		{"SetPaused", []game.State{game.Open, game.Closed, game.Review, game.Stuck}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.SetPaused(b.ctx, Ending{}, key, noon, time.Time{}, time.Time{})
		}},
		{"Reopen", []game.State{game.Closed, game.Review, game.Stuck}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.Reopen(b.ctx, Ending{}, key, deadline)
		}},
		{"ResolveBegins", []game.State{game.Closed}, ErrDone, func(b *bench, key TurnKey) error {
			_, err := b.ResolveBegins(b.ctx, key.ID)
			return err
		}},
		{"StoreDraft", []game.State{game.Closed}, ErrChanged, func(b *bench, key TurnKey) error {
			_, err := b.StoreDraft(b.ctx, key, Attempt{}, time.Time{}, none)
			return err
		}},
		{"ReleaseBegins", []game.State{game.Approved}, ErrDone, func(b *bench, key TurnKey) error {
			_, err := b.ReleaseBegins(b.ctx, key.ID)
			return err
		}},
		{"MarkStuck", []game.State{game.Closed, game.Approved}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.MarkStuck(b.ctx, key, "a panic", nil)
		}},
		{"Approve", []game.State{game.Review}, ErrChanged, func(b *bench, key TurnKey) error {
			return b.Approve(b.ctx, Ending{}, key, 0, "", []game.Ruling{{Kind: game.RuleNote}})
		}},
		{"StoreRelease", []game.State{game.Approved}, ErrChanged, func(b *bench, key TurnKey) error {
			err := b.StoreRelease(b.ctx, Release{Key: key})
			return err
		}},
		{"RemindDone", []game.State{game.Open}, ErrDone, func(b *bench, key TurnKey) error {
			return b.RemindDone(b.ctx, key.ID, noon, deadline, nil)
		}},
		{"NudgeDone", []game.State{game.Open, game.Review}, ErrDone, func(b *bench, key TurnKey) error {
			return b.NudgeDone(b.ctx, key.ID, noon, deadline, 1, nil)
		}},
	}
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		turn := b.snap().Turn.ID
		for _, c := range changes {
			for _, state := range allStates {
				_, err := b.db.Exec(`UPDATE turn SET state = $2, attempt = 0, remind_at = $3, nudge_at = $3, asked_at = NULL, asked_by = '', paused_at = NULL, lock = NULL WHERE id = $1`,
					turn, string(state), Time(noon))
				b.must(err)
				_, err = b.db.Exec(`UPDATE game SET paused_at = NULL`)
				b.must(err)
				for _, q := range []string{`DELETE FROM attempt`, `DELETE FROM mailbox`, `DELETE FROM turn_orders`} {
					_, err = b.db.Exec(q)
					b.must(err)
				}
				key := b.key()
				err = c.do(b, key)
				after := b.snap().Turn
				if !slices.Contains(c.in, state) {
					if !errors.Is(err, c.want) {
						t.Errorf("%s in %s: %v, want %v", c.name, state, err, c.want)
					}
					if after.State != state || after.Seq != key.Seq {
						t.Errorf("%s in %s changed the turn to %s", c.name, state, after.State)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s in %s: %v", c.name, state, err)
				}
				if after.State != state && !game.CanMove(state, after.State) {
					t.Errorf("%s moved the turn from %s to %s, which is no lawful move", c.name, state, after.State)
				}
			}
		}
	})
}

func TestChangeDecidedOnAnOldStateChangesNothing(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		old := b.key()
		b.order(noon, "mira", "fire")
		id := b.letter(noon)
		e := acted(id)
		e.Mails = []NewMail{b.mailTo(1, "receipt", "")}
		wantErr(t, "orders", b.StoreOrders(b.ctx, e, old, orders(id, noon, "mira", "run")), ErrChanged)
		wantErr(t, "another phase", b.Extend(b.ctx, e, TurnKey{old.ID, 1, old.Seq + 1}, deadline, deadline), ErrChanged)
		if l, err := b.LetterByID(b.ctx, id); err != nil || l.Disposition != "" {
			t.Errorf("the letter is %q, %v", l.Disposition, err)
		}
		if ids := b.dueMails(); len(ids) != 0 || len(b.snap().Revisions) != 1 {
			t.Errorf("mails %v, revisions %v", ids, b.snap().Revisions)
		}
		// And a letter that was ended meanwhile changes nothing either.
		b.must(b.EndLetter(b.ctx, acted(id)))
		seq := b.key()
		wantErr(t, "orders of an ended letter", b.StoreOrders(b.ctx, e, seq, orders(id, noon, "mira", "run")), ErrDone)
		if b.key() != seq {
			t.Error("input_seq rose")
		}
	})
}

func TestRulingsAreNumberedAndDropped(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		rule := func(add []game.Ruling, drop ...int) error {
			return b.Rule(b.ctx, acted(b.letter(deadline.Add(time.Hour))), b.key(), add, drop)
		}
		mod := []game.Ruling{{Kind: game.RuleMod, Who: "bobo", Value: "+10", Reason: "high ground", Text: "MOD bobo +10 because high ground"}}
		wantErr(t, "in an open turn", rule(mod), ErrChanged)
		_, err := b.AddNotes(b.ctx, acted(b.letter(noon)), b.key(), []game.Ruling{{Kind: game.RuleNote, Value: "Rain."}})
		b.must(err)
		b.close()
		b.must(rule(mod))
		b.must(rule(nil, 2))
		wantErr(t, "dropping it again", rule(nil, 2), ErrChanged)
		wantErr(t, "dropping what is not there", rule(nil, 9), ErrChanged)
		b.must(rule(mod, 1))
		got := b.snap().Rulings
		if len(got) != 3 || got[0].DroppedBy == 0 || got[1].DroppedBy == 0 || got[2].DroppedBy != 0 || got[2].N != 3 || got[2].Body.Reason != "high ground" {
			t.Errorf("rulings %+v", got)
		}
		b.draft("d1")
		b.must(b.Reopen(b.ctx, Ending{}, b.key(), deadline.Add(24*time.Hour)))
		b.must(rule(mod)) // open, but it has a lock: foes' orders are rulings from now on
		if sn := b.snap(); sn.Turn.State != game.Open || len(sn.Rulings) != 4 {
			t.Errorf("the turn is %s with %d rulings", sn.Turn.State, len(sn.Rulings))
		}
	})
}

func TestPhasesKeepLockAndGoOnCountingAttempts(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.order(noon, "mira", "sneak")
		b.close()
		b.draft("d1")
		b.must(b.Rule(b.ctx, Ending{}, b.key(), nil, nil))
		b.draft("d2")
		b.must(b.Approve(b.ctx, Ending{}, b.key(), 2, "d2", nil))
		lock := b.snap().Turn.Lock
		b.must(b.StoreRelease(b.ctx, Release{Key: b.key(), Attempt: 2, Digest: "d2", Next: b.ahead(NewTurn{
			N: 1, Phase: 1, OpenedAt: deadline, DeadlineAt: deadline.Add(24 * time.Hour), Lock: lock, Asks: []byte(`["mira"]`)})}))
		next := b.snap().Turn
		if next.Phase != 1 || next.Attempt != 2 || string(next.Asks) != `["mira"]` {
			t.Errorf("phase %+v", next)
		}
		sn := b.snap()
		if sn.Draft != nil || sn.Prev == nil || sn.Prev.Digest != "d2" || sn.PrevLock != nil || len(sn.Revisions) != 0 {
			t.Errorf("draft %v, prev %v, previous lock %q, revisions %v", sn.Draft, sn.Prev, sn.PrevLock, sn.Revisions)
		}
		b.order(deadline.Add(time.Hour), "mira", "strike")
		c := b.closing()
		c.Lock = func([]Revision) []byte { t.Error("the lock was made again"); return nil }
		b.searched(c.Now)
		b.must(closer(b.ctx, c)(b.Store))
		sn = b.snap()
		if string(sn.Turn.Lock) != "lock|sneak" || textList(sn.Frozen)[0] != "strike" || textList(sn.FirstFrozen)[0] != "sneak" {
			t.Errorf("lock %q, frozen %v, at first %v", sn.Turn.Lock, textList(sn.Frozen), textList(sn.FirstFrozen))
		}
		if n := b.draft("d3"); n != 3 {
			t.Errorf("attempt %d, want 3", n)
		}
		if sn := b.snap(); sn.Draft == nil || sn.Draft.Phase != 1 || sn.Draft.N != 3 {
			t.Errorf("draft %+v", sn.Draft)
		}
	})
}

func TestPauseStopsTheClock(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.must(b.SetPaused(b.ctx, Ending{}, b.key(), noon.Add(time.Hour), deadline, time.Time{}))
		if due, err := b.Due(b.ctx, deadline.AddDate(0, 1, 0), 10); err != nil || len(due) != 0 {
			t.Errorf("due in a paused game: %v, %v", due, err)
		}
		if sn := b.snap(); !sn.Game.PausedAt.Equal(noon.Add(time.Hour)) || !sn.Turn.PausedAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("paused at %v and %v", sn.Game.PausedAt, sn.Turn.PausedAt)
		}
		// Orders are still taken.
		b.order(noon.Add(2*time.Hour), "mira", "fire")
		b.must(b.SetPaused(b.ctx, Ending{}, b.key(), time.Time{}, deadline.Add(time.Hour), deadline))
		sn := b.snap()
		if !sn.Game.PausedAt.IsZero() || !sn.Turn.PausedAt.IsZero() || !sn.Turn.DeadlineAt.Equal(deadline.Add(time.Hour)) || !sn.Turn.RemindAt.Equal(deadline) {
			t.Errorf("resumed: %+v", sn.Turn)
		}

		// A turn that is released in a paused game opens the next one paused.
		b.close()
		b.draft("d1")
		b.must(b.SetPaused(b.ctx, Ending{}, b.key(), deadline, time.Time{}, time.Time{}))
		b.must(b.Approve(b.ctx, Ending{}, b.key(), 1, "d1", nil))
		b.must(b.StoreRelease(b.ctx, Release{Key: b.key(), Attempt: 1, Digest: "d1", Next: b.ahead(NewTurn{N: 2, OpenedAt: deadline, DeadlineAt: deadline.Add(24 * time.Hour)})}))
		next := b.snap().Turn
		if !next.PausedAt.Equal(deadline) {
			t.Errorf("the next turn is paused at %v", next.PausedAt)
		}
	})
}

func TestRemindersAndNudgesGoOutOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		turn, was := b.snap().Turn.ID, deadline.Add(-6*time.Hour)
		b.must(b.RemindDone(b.ctx, turn, was, time.Time{}, []NewMail{b.mailTo(1, "reminder", "")}))
		wantErr(t, "the same reminder", b.RemindDone(b.ctx, turn, was, time.Time{}, []NewMail{b.mailTo(1, "reminder", "")}), ErrDone)
		if ids := b.dueMails(); len(ids) != 1 {
			t.Errorf("%d reminders", len(ids))
		}
		b.close()
		b.clock.set(deadline.Add(time.Hour))
		b.draft("d1")
		at := deadline.Add(13 * time.Hour)
		b.must(b.NudgeDone(b.ctx, turn, at, at.Add(12*time.Hour), 1, nil))
		wantErr(t, "the same nudge", b.NudgeDone(b.ctx, turn, at, at.Add(12*time.Hour), 1, nil), ErrDone)
		if got := b.snap().Turn; got.NudgeStep != 1 || !got.NudgeAt.Equal(at.Add(12*time.Hour)) || !got.ReviewAt.Equal(deadline.Add(time.Hour)) {
			t.Errorf("turn %+v", got)
		}
		b.must(b.Rule(b.ctx, Ending{}, b.key(), nil, nil))
		wantErr(t, "a nudge after the GM's answer", b.NudgeDone(b.ctx, turn, at.Add(12*time.Hour), time.Time{}, 2, nil), ErrDone)
	})
}

func TestStuckTurnSaysWhyAndIsReopened(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.order(noon, "mira", "fire")
		b.close()
		b.must(b.MarkStuck(b.ctx, b.key(), "index out of range", []NewMail{b.mailTo(0, "stuck", "")}))
		if got := b.snap().Turn; got.State != game.Stuck || got.Why != "index out of range" {
			t.Errorf("turn %+v", got)
		}
		b.must(b.Reopen(b.ctx, Ending{}, b.key(), deadline.Add(24*time.Hour)))
		if sn := b.snap(); sn.Turn.State != game.Open || sn.Turn.Why != "" || len(sn.InForce()) != 1 {
			t.Errorf("turn %+v", sn.Turn)
		}
	})
}

func TestPeopleAreOneAcrossGames(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.newGame("dawn")
		roles, err := b.RolesOf(b.ctx, "anna@example.org")
		b.must(err)
		if len(roles) != 2 || roles[0].GameName != "dusk" || roles[1].GameName != "dawn" || roles[0].Person != roles[1].Person || roles[0].ID == roles[1].ID {
			t.Errorf("roles %+v", roles)
		}
		if rs, err := b.RolesOf(b.ctx, "nobody@example.org"); err != nil || len(rs) != 0 {
			t.Errorf("a stranger's roles: %v, %v", rs, err)
		}
		if sn := b.snap(); sn.Combatants["mira"] != b.roles[1].ID || sn.Combatants["zog"] != 0 || len(sn.Combatants) != 3 {
			t.Errorf("combatants %v", sn.Combatants)
		}
		g, err := b.GameByName(b.ctx, "dawn")
		b.must(err)
		b.must(b.EditGame(b.ctx, GameEdit{Game: g.ID, WasSHA: g.FileSHA, Title: g.Title, File: "new", SHA: "sha"}))
		if g, err = b.GameByNo(b.ctx, g.No); err != nil || g.File != "new" || g.FileSHA != "sha" {
			t.Errorf("game %+v, %v", g, err)
		}
		_, err = b.GameByName(b.ctx, "noon")
		wantErr(t, "an unknown game", err, ErrNotFound)
	})
}
