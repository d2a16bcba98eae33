package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestTurnWalksFromOrdersToTheNextTurn(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		at := noon.Add(time.Hour)
		b.order(at, "mira", "fire")
		b.order(at.Add(time.Hour), "bobo", "hide")
		b.order(at.Add(2*time.Hour), "mira", "run")
		want := map[game.ID]string{"mira": "run", "bobo": "hide"}
		if diff := cmp.Diff(want, texts(b.snap().InForce())); diff != "" {
			t.Error(diff)
		}
		b.close()
		sn := b.snap()
		if string(sn.Turn.Lock) != "lock|hide|run" || sn.Turn.State != game.Closed || len(sn.Frozen) != 2 {
			t.Fatalf("lock %q, state %s, frozen %d", sn.Turn.Lock, sn.Turn.State, len(sn.Frozen))
		}
		begun, err := b.ResolveBegins(b.ctx, sn.Turn.ID)
		b.must(err)
		if begun.Turn.Tries != 1 {
			t.Errorf("tries %d, want 1", begun.Turn.Tries)
		}
		n := b.draft("d1")
		ok := b.letter(deadline.Add(time.Hour))
		b.must(b.Approve(b.ctx, acted(ok), b.key(), n, "d1", nil))
		sn = b.snap()
		if sn.Draft == nil || sn.Draft.Digest != "d1" || sn.Draft.Seq != begun.Turn.Seq || sn.Prev != nil {
			t.Errorf("draft %+v, prev %+v", sn.Draft, sn.Prev)
		}
		next := b.ahead(NewTurn{N: 2, World: []byte(`{"n":2}`), OpenedAt: deadline.Add(2 * time.Hour), DeadlineAt: deadline.Add(30 * time.Hour)})
		r := Release{Key: b.key(), Attempt: n, Digest: "d1", Now: deadline.Add(2 * time.Hour),
			Next:  next,
			Mails: []NewMail{{Role: b.roles[1].ID, Address: b.roles[1].Address, Game: b.game.ID, Turn: next.ID, Kind: "report", Bytes: []byte("x")}}}
		b.must(b.StoreRelease(b.ctx, r))
		if err := b.StoreRelease(b.ctx, r); !errors.Is(err, ErrChanged) {
			t.Errorf("a second release: %v, want ErrChanged", err)
		}
		now := b.snap()
		if diff := cmp.Diff(*next, now.Turn); diff != "" {
			t.Errorf("the turn that was foreseen (-) is not the one that is stored (+):\n%s", diff)
		}
		if now.Turn.N != 2 || now.Turn.State != game.Open || now.Prev == nil || now.Prev.Digest != "d1" {
			t.Errorf("the next turn is %+v, prev %+v", now.Turn, now.Prev)
		}
		if string(now.PrevLock) != string(sn.Turn.Lock) {
			t.Errorf("previous lock %q, want %q", now.PrevLock, sn.Turn.Lock)
		}
		old, err := b.SnapshotOfTurn(b.ctx, sn.Turn.ID)
		b.must(err)
		if old.Turn.State != game.Released || old.Turn.Released != 1 || len(old.Frozen) != 2 {
			t.Errorf("the released turn is %+v", old.Turn)
		}
	})
}
