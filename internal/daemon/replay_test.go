package daemon

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// database opens a connection of the test's own to the bench's database.
func (b *bench) database() *sql.DB {
	b.t.Helper()
	driver, dsn := "pgx", b.dsn
	if path, ok := strings.CutPrefix(b.dsn, "sqlite:"); ok {
		driver, dsn = "sqlite", "file:"+path+"?_pragma=busy_timeout(30000)"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { db.Close() })
	return db
}

// replayed recomputes the game and gives the results, the ones that differ or
// are broken in words.
func (b *bench) replayed(turn int) (all []Replayed, wrong []string) {
	b.t.Helper()
	err := b.d.Replay(b.t.Context(), b.game().Game.ID, turn, func(r Replayed) error {
		all = append(all, r)
		where := fmt.Sprintf("%d.%d attempt %d: ", r.Turn, r.Phase, r.Attempt)
		for _, f := range r.Faults {
			wrong = append(wrong, where+f)
		}
		if d := r.Difference; d != nil {
			wrong = append(wrong, fmt.Sprintf("%s%s %s: was %s, is %s", where, d.Ref, d.What, d.Was, d.Is))
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all, wrong
}

// turnOver closes the turn at its deadline and releases it with OK.
func (b *bench) turnOver() {
	b.t.Helper()
	n := b.game().Turn.N
	b.clock.set(b.game().Turn.DeadlineAt.Add(5 * time.Minute))
	b.crank()
	b.reply("greta", b.with("greta", "attempt"), "OK")
	b.crank()
	if s := b.game(); s.Turn.N != n+1 {
		b.t.Fatalf("turn %d is %s, want turn %d", s.Turn.N, s.Turn.State, n+1)
	}
}

// everyRuling has each form of ruling, on somebody, an event, a die, a thing, a
// square, the turn and the game, in the open and in secret.
const everyRuling = `MOD bobo +10 because high ground
BOBO NOTICE A twig snaps, because of the wind. SECRET
MIRA REACTS no AT EVENT 1
ZOG STA 30
EVENT 1 ACTIONS 1
DIE hit/bobo/r1.1 REROLL
the drums COVER none because they are empty
near_crates GONE yes SECRET
E10 TERRAIN wall
TURN crit_rules off
GAME fumble_rules off SECRET
AS Mira: crouch`

// threeTurns plays a turn with rulings of every kind, one that is reopened, and one in which
// nobody orders anything; the fourth is open.
func (b *bench) threeTurns() {
	b.t.Helper()
	b.reply("anna", b.with("anna", "the turn opens"), "Two shots at Zog.")
	b.crank()
	b.clock.set(b.game().Turn.DeadlineAt.Add(5 * time.Minute))
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), everyRuling)
	b.crank()
	if s := b.game(); s.Turn.Attempt != 2 || len(s.Rulings) != strings.Count(everyRuling, "\n")+1 {
		b.t.Fatalf("attempt %d of %d rulings: %s", s.Turn.Attempt, len(s.Rulings), b.inbox("greta")[0].text)
	}
	b.reply("greta", b.with("greta", "attempt 2"), "OK\nNOTE The lights flicker.")
	b.crank()
	b.reply("ben", b.with("ben", "turn 2 opens"), "One shot at Zog.")
	b.crank()
	b.clock.set(b.game().Turn.DeadlineAt.Add(5 * time.Minute))
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "REOPEN 24h")
	b.crank()
	b.reply("anna", b.with("anna", "turn 2 opens"), "Crouch.")
	b.crank()
	b.turnOver()
	b.turnOver()
	if s := b.game(); s.Turn.N != 4 || s.Turn.State != game.Open {
		b.t.Fatalf("turn %d is %s", s.Turn.N, s.Turn.State)
	}
}

// TestReplay: every attempt of a game, those that were not released too, is
// drafted again to the same bytes, also when a person was forgotten; nothing is
// written.
func TestReplay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.threeTurns()
		want := []string{"1.0", "1.1", "1.2!", "2.0", "2.1", "2.2!", "3.0", "3.1!", "4.0"}
		check := func(what string, turn int, want []string) {
			t.Helper()
			all, wrong := b.replayed(turn)
			if len(wrong) > 0 {
				t.Fatalf("%s: %q", what, wrong)
			}
			var got []string
			for _, r := range all {
				line := fmt.Sprintf("%d.%d", r.Turn, r.Attempt)
				if r.Released {
					line += "!"
				}
				if r.Other != "" || r.Attempt > 0 && r.Events == 0 {
					t.Errorf("%s: %+v", what, r)
				}
				got = append(got, line)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: recomputed %q, want %q", what, got, want)
			}
		}
		before := b.rowsWith("")
		check("the game", 0, want)
		check("turn 2", 2, want[3:6])
		check("turn 4", 4, want[8:])
		if after := b.rowsWith(""); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("rows before %v, after %v", before, after)
		}
		err := b.d.Replay(t.Context(), b.game().Game.ID, 9, func(Replayed) error { return nil })
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("turn 9: %v", err)
		}
		if _, err := b.d.Forget(t.Context(), "anna@pbemd.localhost", true); err != nil {
			t.Fatal(err)
		}
		check("after forgetting", 0, want)
	})
}

// TestReplayStops when it is told to, and when its context ends.
func TestReplayStops(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	b.turnOver()
	enough := errors.New("enough")
	if err := b.d.Replay(t.Context(), b.game().Game.ID, 0, func(Replayed) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := b.d.Replay(ctx, b.game().Game.ID, 0, func(Replayed) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestReplayOfPhases: a turn in two parts has one lock.
func TestReplayOfPhases(t *testing.T) {
	t.Parallel()
	b := pausing(t, oneDatabase(t))
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	b.turnOver()
	all, wrong := b.replayed(0)
	if len(wrong) > 0 || len(all) != 5 || all[2].Phase != 1 || all[3].Attempt != 2 {
		t.Errorf("%+v, %q", all, wrong)
	}
}

// TestReplayFindsWhatWasChanged in the database behind the program's back.
func TestReplayFindsWhatWasChanged(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.threeTurns()
		db := b.database()
		g := b.game().Game
		const attempt2 = ` FROM attempt WHERE n = 2 AND turn = (SELECT id FROM turn WHERE game = $1 AND n = 1)`
		const bobos = ` FROM revision WHERE combatant = 'bobo' AND turn = (SELECT id FROM turn WHERE game = $1 AND n = 1)`
		for _, tt := range []struct {
			column, from string
			old, new     string // in its value
			want         []string
		}{
			{"events", attempt2, `"outcome":"`, `"outcome":"changed`, []string{"1.0 attempt 2: What is stored is not what its digest binds", `outcome: was "changed`}},
			{"world_after", attempt2, `"turn":`, `"turn":1`, []string{"2.0 attempt 0: It opened on another world than turn 1 ended with: turn was 12 and is 2", "the world after the turn, turn: was 12, is 2"}},
			{"lock", ` FROM turn WHERE game = $1 AND n = 2`, "", "", []string{"2.0 attempt 0: Its lock is 00"}},
			{"plan", bobos, `"shots":2`, `"shots":3`, []string{"1.0 attempt 2: Its orders are not those of the stored letters: [0].plan.steps[0].shots was 2 and is 3"}},
			{"text_sha", bobos, "", "", []string{"1.0 attempt 0: Its lock is", "1.0 attempt 2: ", "2.0 attempt 1: "}},
		} {
			var was any
			if err := db.QueryRowContext(t.Context(), `SELECT `+tt.column+tt.from, g.ID).Scan(&was); err != nil {
				t.Fatal(tt.column, err)
			}
			write := func(v any) {
				t.Helper()
				table, where, _ := strings.Cut(strings.TrimPrefix(tt.from, " FROM "), " ")
				if r, err := db.ExecContext(t.Context(), `UPDATE `+table+` SET `+tt.column+` = $2 `+where, g.ID, v); err != nil {
					t.Fatal(tt.column, err)
				} else if n, _ := r.RowsAffected(); n != 1 {
					t.Fatalf("%s: %d rows", tt.column, n)
				}
			}
			switch v := was.(type) {
			case string:
				write(strings.Repeat("0", len(v)))
			case []byte:
				if tt.old == "" {
					write(make([]byte, len(v)))
				} else {
					write([]byte(strings.Replace(string(v), tt.old, tt.new, 1)))
				}
			}
			_, wrong := b.replayed(0)
			contains(t, tt.column, strings.Join(wrong, "\n"), tt.want...)
			write(was)
		}
		if _, wrong := b.replayed(0); len(wrong) > 0 {
			t.Errorf("restored: %q", wrong)
		}
	})
}

// newer is a ruleset of the next version, which changes what resolve says.
type newer struct {
	noticed
	change func(*resolve.Outcome)
}

func (n *newer) Version() int { return n.Ruleset.Version() + 1 }

func (n *newer) Resolve(in resolve.Input) resolve.Outcome {
	out := n.Ruleset.Resolve(in)
	n.change(&out)
	return out
}

// TestReplayUnderAnotherVersion tells under which rules a turn was drafted, and
// the first event that they make otherwise.
func TestReplayUnderAnotherVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	b.reply("anna", b.with("anna", "the turn opens"), "Two shots at Zog.")
	b.crank()
	b.turnOver()
	n := &newer{change: func(*resolve.Outcome) {}}
	b.d = b.another(func(o *Options) {
		find := o.Rulesets
		o.Rulesets = func(name string) (rs resolve.Ruleset, err error) {
			n.Ruleset, err = find(name)
			return n, err
		}
	}, nil)
	all, wrong := b.replayed(0)
	if len(wrong) > 0 || !strings.HasPrefix(all[1].Other, "star-frontiers ") {
		t.Errorf("%+v, %q", all, wrong)
	}
	for name, tt := range map[string]struct {
		change func(*resolve.Outcome)
		want   string
	}{
		"an outcome": {func(o *resolve.Outcome) {
			for i := range o.Events {
				if o.Events[i].Ref == "bobo/r1.1" {
					o.Events[i].Outcome = "splendid"
				}
			}
		}, `bobo/r1.1 outcome: was "`},
		"one more event": {func(o *resolve.Outcome) {
			o.Events = append(o.Events, game.Event{Ref: "zog/r9.9", Text: map[game.Grade]string{game.All: "Zog sings."}})
		}, "zog/r9.9 the event: was nothing, is zog/r9.9: Zog sings."},
		"no events": {func(o *resolve.Outcome) { o.Events = o.Events[:0] }, "is nothing"},
		"the end":   {func(o *resolve.Outcome) { o.Done, o.Why = true, "tired" }, "the outcome, done: was false, is true"},
		"a panic":   {func(o *resolve.Outcome) { panic("a table has no row 7") }, "It cannot be recomputed: the rules stopped: a table has no row 7"},
	} {
		n.change = tt.change
		if _, wrong = b.replayed(1); len(wrong) != 1 {
			t.Fatalf("%s: %q", name, wrong)
		}
		contains(t, name, wrong[0], tt.want)
	}
}
