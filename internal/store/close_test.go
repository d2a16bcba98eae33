package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestFence(t *testing.T) {
	tests := []struct {
		name string
		do   func(b *bench) CloseIn
		why  string
		err  error
	}{
		{"opens when all is read", func(b *bench) CloseIn {
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", nil},
		{"shut during the grace period", func(b *bench) CloseIn {
			b.searched(deadline.Add(time.Hour))
			c := b.closing()
			c.Now = c.Now.Add(-time.Microsecond)
			return c
		}, WhyGrace, nil},
		{"shut without a search", func(b *bench) CloseIn { return b.closing() }, WhySearch, nil},
		{"shut when the search began too early", func(b *bench) CloseIn {
			b.searched(deadline.Add(grace - time.Microsecond))
			return b.closing()
		}, WhySearch, nil},
		{"shut when one of two folders was not searched", func(b *bench) CloseIn {
			b.searched(deadline.Add(grace))
			b.must(b.SearchDone(b.ctx, account, "Junk", "here", Mailbox{SearchedFrom: noon}))
			return b.closing()
		}, WhySearch, nil},
		{"shut by a letter at the deadline", func(b *bench) CloseIn {
			b.letter(deadline)
			b.searched(deadline.Add(grace))
			return b.closing()
		}, WhyLetter, nil},
		{"shut by a letter within the grace period", func(b *bench) CloseIn {
			b.letter(deadline.Add(grace))
			b.searched(deadline.Add(grace))
			return b.closing()
		}, WhyLetter, nil},
		{"not shut by a letter after the grace period", func(b *bench) CloseIn {
			b.letter(deadline.Add(grace + time.Microsecond))
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", nil},
		{"not shut by a letter with a disposition", func(b *bench) CloseIn {
			b.must(b.EndLetter(b.ctx, acted(b.letter(deadline))))
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", nil},
		{"not shut by a held letter", func(b *bench) CloseIn {
			_, err := b.HoldLetter(b.ctx, acted(b.letter(deadline)), Hold{Role: b.roles[1].ID}, nil)
			b.must(err)
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", nil},
		{"not shut by a letter of another account", func(b *bench) CloseIn {
			_, _, err := b.StoreLetter(b.ctx, NewLetter{Account: "other", Raw: []byte("x"), ReceivedAt: noon, Now: noon})
			b.must(err)
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", nil},
		{"another deadline by now", func(b *bench) CloseIn {
			c := b.closing()
			b.must(b.Extend(b.ctx, Ending{}, b.key(), deadline.Add(time.Hour), time.Time{}))
			b.searched(deadline.Add(grace))
			return c
		}, "", ErrDone},
		{"paused", func(b *bench) CloseIn {
			b.must(b.SetPaused(b.ctx, Ending{}, b.key(), noon, time.Time{}, time.Time{}))
			b.searched(deadline.Add(grace))
			return b.closing()
		}, "", ErrDone},
		{"resumed", func(b *bench) CloseIn {
			b.must(b.SetPaused(b.ctx, Ending{}, b.key(), noon, time.Time{}, time.Time{}))
			b.must(b.SetPaused(b.ctx, Ending{}, b.key(), time.Time{}, deadline.Add(time.Hour), time.Time{}))
			b.searched(deadline.Add(time.Hour + grace))
			return b.closing()
		}, "", nil},
		{"READY has no grace", func(b *bench) CloseIn { return asked(b, "ready", noon.Add(time.Hour)) }, "", nil},
		{"READY waits for a search as well", func(b *bench) CloseIn {
			return asked(b, "ready", noon.Add(time.Hour).Add(-time.Microsecond))
		}, WhySearch, nil},
		{"CLOSE has no grace", func(b *bench) CloseIn { return asked(b, "gm", noon.Add(time.Hour)) }, "", nil},
		{"READY taken back", func(b *bench) CloseIn {
			c := asked(b, "ready", noon.Add(time.Hour))
			id := b.letter(noon.Add(2 * time.Hour))
			b.must(b.SetReady(b.ctx, acted(id), b.key(), []Ready{{b.roles[1].ID, false, noon.Add(2 * time.Hour), id}}, nil, true))
			return c
		}, "", ErrDone},
		{"CLOSE is not taken back by UNREADY", func(b *bench) CloseIn {
			c := asked(b, "gm", noon.Add(time.Hour))
			id := b.letter(noon.Add(2 * time.Hour))
			b.must(b.SetReady(b.ctx, acted(id), b.key(), []Ready{{b.roles[1].ID, false, noon.Add(2 * time.Hour), id}}, nil, true))
			return c
		}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, dsn string) {
				b := newBench(t, Options{DSN: dsn, NoJobs: true})
				closed, why, err := b.CloseTurn(b.ctx, tt.do(b))
				wantErr(t, "close", err, tt.err)
				if why != tt.why || closed != (tt.why == "" && tt.err == nil) {
					t.Errorf("closed %v, why %q; want %q", closed, why, tt.why)
				}
				want := game.Open
				if closed {
					want = game.Closed
				}
				if got := b.snap().Turn.State; got != want {
					t.Errorf("the turn is %s, want %s", got, want)
				}
			})
		})
	}
}

// asked asks for an early close by a letter received an hour after noon, and
// searches the mailbox from an instant on.
func asked(b *bench, by string, searched time.Time) CloseIn {
	at := noon.Add(time.Hour)
	id := b.letter(at)
	if by == "gm" {
		b.must(b.AskClose(b.ctx, acted(id), b.key(), at))
	} else {
		b.must(b.SetReady(b.ctx, acted(id), b.key(), []Ready{{b.roles[1].ID, true, at, id}}, &at, false))
	}
	b.searched(searched)
	c := b.closing()
	c.Reason, c.Deadline, c.Now = by, at, at
	return c
}

func TestEveryOrderOfIngestEndsInTheSameOrders(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		at := noon.Add(time.Hour)
		// The second and third came in the same second: the letter's id decides.
		letters := []struct {
			at   time.Time
			revs []Revision
		}{
			{at.Add(time.Second), []Revision{{Combatant: "mira", Text: "fire"}, {Combatant: "bobo", Text: "hide"}}},
			{at, []Revision{{Combatant: "mira", Text: "run"}, {Combatant: "zog", Text: "roar"}}},
			{at, []Revision{{Combatant: "zog", Cleared: true}, {Combatant: "mira", Text: "duck"}}},
		}
		want := map[game.ID]string{"mira": "fire", "bobo": "hide"}
		perms := [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
		for i, perm := range perms {
			b.game = b.newGame(fmt.Sprint("perm", i))
			var ids [3]int64
			for j, l := range letters {
				ids[j] = b.letter(l.at)
			}
			ingest := func(j int) error {
				var revs []Revision
				for _, r := range letters[j].revs {
					r.Letter, r.ReceivedAt = ids[j], letters[j].at
					revs = append(revs, r)
				}
				return b.StoreOrders(b.ctx, acted(ids[j]), b.key(), revs)
			}
			for _, j := range perm {
				b.must(ingest(j))
				wantErr(t, "a retry", ingest(j), ErrDone)
			}
			for _, j := range perm {
				wantErr(t, "a late retry", ingest(j), ErrDone)
			}
			if diff := cmp.Diff(want, texts(b.snap().InForce())); diff != "" {
				t.Errorf("ingested as %v: %s", perm, diff)
			}
			b.close()
			if got := string(b.snap().Turn.Lock); got != "lock|hide|fire" {
				t.Errorf("ingested as %v: lock %q", perm, got)
			}
		}
	})
}

func TestNewestReadyCountsWhateverTheOrderOfIngest(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		at, role := noon.Add(time.Hour), b.roles[1].ID
		old, young := b.letter(at), b.letter(at)
		b.must(b.SetReady(b.ctx, acted(young), b.key(), []Ready{{role, false, at, young}}, nil, true))
		b.must(b.SetReady(b.ctx, acted(old), b.key(), []Ready{{role, true, at, old}}, nil, false))
		if got := b.snap().Ready[role]; got.On || got.Letter != young {
			t.Errorf("ready %+v", got)
		}
	})
}

func TestFrozenOrdersNeverChange(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.order(noon.Add(time.Hour), "mira", "fire")
		b.close()
		frozen := func() (now, first string) {
			sn := b.snap()
			return fmt.Sprint(textList(sn.Frozen)), fmt.Sprint(textList(sn.FirstFrozen))
		}
		check := func(what, wantNow, wantFirst string) {
			t.Helper()
			if now, first := frozen(); now != wantNow || first != wantFirst {
				t.Errorf("%s: frozen %s, at first %s; want %s and %s", what, now, first, wantNow, wantFirst)
			}
			if got := string(b.snap().Turn.Lock); got != "lock|fire" {
				t.Errorf("%s: lock %q", what, got)
			}
		}
		check("closed", "[fire]", "[fire]")

		late := b.letter(deadline)
		n, err := b.StoreLate(b.ctx, acted(late), b.key(), orders(late, deadline, "bobo", "hide"))
		b.must(err)
		if sn := b.snap(); n != 1 || sn.Turn.Lates != 1 || sn.Revisions[1].LateN != 1 || len(sn.InForce()) != 1 {
			t.Errorf("late %d: %+v", n, sn.Revisions)
		}
		check("a late letter", "[fire]", "[fire]")
		b.draft("d1")
		b.must(b.Reopen(b.ctx, acted(b.letter(deadline.Add(time.Hour))), b.key(), deadline.Add(24*time.Hour)))
		sn := b.snap()
		if sn.Turn.ReopenedAt.IsZero() || sn.Turn.State != game.Open || !sn.Turn.ClosedAt.IsZero() || sn.Turn.Digest != "" {
			t.Errorf("reopened: %+v", sn.Turn)
		}
		check("reopened", "[]", "[fire]")
		b.order(deadline.Add(2*time.Hour), "mira", "run")
		b.close()
		check("closed again", "[hide run]", "[fire]")
		if l, err := b.LetterByID(b.ctx, late); err != nil || l.Disposition != Acted {
			t.Errorf("the late letter is %s, %v", l.Disposition, err)
		}
		again := b.letter(deadline.Add(3 * time.Hour))
		if n, err := b.StoreLate(b.ctx, acted(again), b.key(), orders(again, deadline, "zog", "roar")); n != 2 || err != nil {
			t.Errorf("the second late letter is %d, %v; want 2", n, err)
		}
	})
}

func textList(rs []Revision) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.Text)
	}
	return out
}

func TestReopenBeforeADraftSaysSo(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		b.close()
		b.must(b.Reopen(b.ctx, Ending{}, b.key(), deadline.Add(24*time.Hour)))
		if at := b.snap().Turn.ReopenedAt; !at.IsZero() {
			t.Errorf("the GM had seen no draft, but reopened at %v", at)
		}
	})
}
