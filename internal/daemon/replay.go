package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// Replayed is what recomputing a part of a game's history showed.
type Replayed struct {
	Turn, Phase int
	// Attempt is the one that was recomputed; 0 stands for the turn itself: its
	// lock, and its place behind the turn before.
	Attempt  int
	Released bool // the attempt that was released
	Stuck    bool // there is no such attempt: a stuck turn was tried again
	Events   int  // that it holds
	// Other says under which rules the attempt was drafted, if this program's are
	// others: then its bytes may differ.
	Other      string
	Difference *Difference
	Faults     []string // what is broken under any rules, a sentence each
}

// Same reports that nothing differs and nothing is broken.
func (r Replayed) Same() bool { return r.Difference == nil && len(r.Faults) == 0 }

// Replay recomputes every stored attempt of a game, or of one turn (0: all), from
// the world, orders and rulings it was drafted of, under dice that are derived
// anew from the game's secret and the stored letters; and it follows the chain of
// worlds and locks from turn to turn. It tells each result as it is found and
// changes nothing. store.ErrNotFound: the game has no such turn.
func (d *Daemon) Replay(ctx context.Context, gameID int64, turn int, each func(Replayed) error) error {
	refs, err := d.Store.TurnsOf(ctx, gameID)
	if err != nil {
		return err
	}
	if turn > 0 && !slices.ContainsFunc(refs, func(r store.TurnRef) bool { return r.N == turn }) {
		return fmt.Errorf("turn %d: %w", turn, store.ErrNotFound)
	}
	p := &replay{d: d, locks: map[int][]byte{}}
	for _, ref := range refs {
		// A turn hangs on the one before, and the one behind it hangs on it.
		if turn > 0 && (ref.N < turn-1 || ref.N > turn+1) {
			continue
		}
		snap, attempts, err := d.Store.History(ctx, ref.ID)
		if err != nil {
			return err
		}
		link := p.link(&snap)
		if asked := turn == 0 || ref.N == turn; !asked {
			if ref.N == turn+1 && ref.Phase == 0 && !link.Same() {
				if err := each(link); err != nil {
					return err
				}
			}
			p.remember(snap, attempts)
			continue
		}
		if err := each(link); err != nil {
			return err
		}
		for _, a := range attempts {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := p.attempt(snap, a)
			if err != nil {
				return err
			}
			if err := each(r); err != nil {
				return err
			}
		}
		if snap.Turn.State == game.Stuck {
			if err := each(p.stuck(snap)); err != nil {
				return err
			}
		}
		p.remember(snap, attempts)
	}
	return nil
}

// replay follows one game from turn to turn.
type replay struct {
	d     *Daemon
	locks map[int][]byte // by turn, made anew of the letters that counted
	last  *store.Turn    // row before
	world []byte         // after its released attempt; nil: none was released
}

// link checks a turn's place in the chain, and puts the locks that are made anew
// in the place of those that are stored: the dice are rolled under them.
func (p *replay) link(s *store.Snapshot) Replayed {
	out := Replayed{Turn: s.Turn.N, Phase: s.Turn.Phase}
	fault := func(format string, args ...any) { out.Faults = append(out.Faults, fmt.Sprintf(format, args...)) }
	switch {
	case p.last == nil:
	case p.world == nil:
		fault("It was opened although the turn before it, %s, was not released.", turnName(p.last.N, p.last.Phase))
	case !bytes.Equal(p.world, s.Turn.World):
		path, was, is := firstDifference(p.world, s.Turn.World)
		fault("It opened on another world than %s ended with: %s was %s and is %s.", turnName(p.last.N, p.last.Phase), path, was, is)
	}
	if prev, ok := p.locks[s.Turn.N-1]; ok {
		s.PrevLock = prev
	}
	if s.Turn.Lock == nil {
		return out
	}
	lock := lockOf(s.Game, s.Turn.N, s.Roles, s.FirstFrozen)
	if !bytes.Equal(lock, s.Turn.Lock) {
		fault("Its lock is %x; the letters that counted give %x.", s.Turn.Lock, lock)
	}
	s.Turn.Lock, p.locks[s.Turn.N] = lock, lock
	return out
}

// remember keeps what the next turn hangs on.
func (p *replay) remember(s store.Snapshot, attempts []store.Attempt) {
	p.last, p.world = &s.Turn, nil
	for _, a := range attempts {
		if s.Turn.State == game.Released && a.N == s.Turn.Released {
			p.world = a.WorldAfter
		}
	}
}

// attempt recomputes one attempt and compares. What this program cannot compute
// is a fault of the attempt; an error is of the database.
func (p *replay) attempt(s store.Snapshot, a store.Attempt) (Replayed, error) {
	out := Replayed{Turn: s.Turn.N, Phase: s.Turn.Phase, Attempt: a.N, Released: s.Turn.State == game.Released && a.N == s.Turn.Released}
	fault := func(format string, args ...any) { out.Faults = append(out.Faults, fmt.Sprintf(format, args...)) }
	var events []json.RawMessage
	if err := json.Unmarshal(a.Events, &events); err != nil {
		fault("Its events cannot be read: %v.", err)
	}
	out.Events = len(events)
	if !bytes.Equal(a.WorldBefore, s.Turn.World) {
		fault("It was drafted of another world than the turn opened on.")
	}
	if digestOfAttempt(a) != a.Digest {
		fault("What is stored is not what its digest binds.")
	}
	rs, err := p.d.ruleset(a.Ruleset)
	if err != nil {
		fault("It cannot be recomputed: %v.", err)
		return out, nil
	}
	if a.Version != rs.Version() || a.DataSHA != rs.DataHash() {
		out.Other = fmt.Sprintf("%s %d (data %.12s)", a.Ruleset, a.Version, a.DataSHA)
	}
	in, err := p.input(s, a, rs)
	if err != nil {
		fault("It cannot be recomputed: %v.", err)
		return out, nil
	}
	again, _, err := record(rs, in, a.WorldBefore)
	if err != nil {
		p.d.Log.Error("replay", "game", s.Game.Name, "turn", s.Turn.N, "attempt", a.N, "err", err)
		first, _, _ := strings.Cut(err.Error(), "\n")
		fault("It cannot be recomputed: %s.", first)
		return out, nil
	}
	out.Difference = differenceOf(a, again)
	if out.Released {
		orders, err := p.ordersOf(s)
		switch {
		case err != nil:
			fault("The orders of its letters cannot be read: %v.", err)
		case !bytes.Equal(orders, a.Orders):
			path, was, is := firstDifference(a.Orders, orders)
			fault("Its orders are not those of the stored letters: %s was %s and is %s.", path, was, is)
		}
	}
	return out, nil
}

// stuck drafts a stuck turn again, to show what stops it.
func (p *replay) stuck(s store.Snapshot) Replayed {
	out := Replayed{Turn: s.Turn.N, Phase: s.Turn.Phase, Attempt: s.Turn.Attempt + 1, Stuck: true}
	t, err := p.d.table(s)
	if err == nil {
		var made resolve.Outcome
		_, made, err = p.d.attempt(t)
		out.Events = len(made.Events)
	}
	if err != nil {
		out.Faults = append(out.Faults, err.Error())
	}
	return out
}

// input is what the attempt was drafted of, with dice derived anew.
func (p *replay) input(s store.Snapshot, a store.Attempt, rs resolve.Ruleset) (resolve.Input, error) {
	f, err := p.d.file(s.Game)
	if err != nil {
		return resolve.Input{}, err
	}
	in := resolve.Input{Turn: s.Turn.N, Phase: s.Turn.Phase, Rounds: max(1, f.Scenario.Rounds)}
	if in.World, err = rs.Load(a.WorldBefore); err != nil {
		return in, err
	}
	if err := json.Unmarshal(a.Orders, &in.Orders); err != nil {
		return in, fmt.Errorf("reading its orders: %w", err)
	}
	if err := json.Unmarshal(a.Rulings, &in.Rulings); err != nil {
		return in, fmt.Errorf("reading its rulings: %w", err)
	}
	sl, err := newSeals(s.Game, s.Turn, s.PrevLock, rs, in.World)
	if err != nil {
		return in, err
	}
	in.Dice, err = sl.source(s.Turn.Lock)
	return in, err
}

// ordersOf are the orders that the stored letters of a turn come to.
func (p *replay) ordersOf(s store.Snapshot) ([]byte, error) {
	t, err := p.d.table(s)
	if err != nil {
		return nil, err
	}
	in, err := p.d.input(t)
	if err != nil {
		return nil, err
	}
	return canonical(in.Orders)
}

// turnName is "turn 3" or "turn 3 part 2".
func turnName(n, phase int) string {
	if phase > 0 {
		return fmt.Sprintf("turn %d part %d", n, phase+1)
	}
	return fmt.Sprintf("turn %d", n)
}
