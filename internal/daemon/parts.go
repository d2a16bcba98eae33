package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// A pause asks some, and that it came about tells that somebody perceived
// something. A player none of whose characters is asked perceived nothing of it
// (design section 5), so to him the turn has no further part: no brief goes to
// him, his letters are answered as if the GM still had the turn, and his report
// tells the whole of it. One thing every reader is told all the same: that orders
// were reopened after the GM had seen a draft (section 6).

// takesPart reports whether a role is told of the phase that a turn is in: one of
// its characters may order in it, or it is the GM's.
func (t *table) takesPart(r store.Role) bool {
	if r.Kind == roleGM {
		return true
	}
	asks, all := asked(t.Turn)
	return all || slices.ContainsFunc(t.own(r), func(b game.Body) bool { return slices.Contains(asks, b.ID) })
}

// asked lists whom a phase asks; all: everybody.
func asked(t store.Turn) (asks []game.ID, all bool) {
	if len(t.Asks) == 0 {
		return nil, true
	}
	if err := json.Unmarshal(t.Asks, &asks); err != nil {
		return nil, false
	}
	return asks, len(asks) == 0
}

// before is the phase of the turn before this one.
func (d *Daemon) before(ctx context.Context, t *table) (*table, error) {
	refs, err := d.Store.TurnsOf(ctx, t.Game.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(refs, func(r store.TurnRef) bool { return r.N == t.Turn.N && r.Phase == t.Turn.Phase-1 })
	if i < 0 {
		return nil, fmt.Errorf("%s %s has no part before it", t.Game.Name, turnName(t.Turn.N, t.Turn.Phase))
	}
	s, err := d.Store.SnapshotOfTurn(ctx, refs[i].ID)
	if err != nil {
		return nil, err
	}
	return d.table(s)
}

// tableFor is the turn as a role may know it: the newest phase in which it takes
// part. If that is over, it is shown as it was when the GM had it.
func (d *Daemon) tableFor(ctx context.Context, t *table, r store.Role) (*table, error) {
	if !t.Game.EndedAt.IsZero() {
		return t, nil
	}
	out, err := t, error(nil)
	for !out.takesPart(r) {
		if out, err = d.before(ctx, out); err != nil {
			return nil, err
		}
	}
	if out != t {
		out.veils, out.Turn.State = t.Turn.ID, game.Review
	}
	return out, nil
}

// rowID is the row of the turn that goes on, whatever the reader is shown of it.
func (t *table) rowID() int64 {
	if t.veils != 0 {
		return t.veils
	}
	return t.Turn.ID
}

// told is what a reader's report is made of.
type told struct {
	parts []*table // of the turn that it tells of, in order
	out   resolve.Outcome
	look
}

// toldOf puts together what a role is told when a phase is released: that phase
// and the ones before it of which it was not told.
func (d *Daemon) toldOf(ctx context.Context, t *table, r store.Role, out resolve.Outcome) (told, error) {
	what := told{parts: []*table{t}, out: out}
	for !what.parts[0].takesPart(r) {
		was, err := d.before(ctx, what.parts[0])
		if err != nil {
			return what, err
		}
		earlier, err := was.outcome()
		if err != nil {
			return what, err
		}
		what.parts, what.out = append([]*table{was}, what.parts...), joinedOutcome(earlier, what.out)
	}
	return what, nil
}

// told is toldOf for every role, with pictures.
func (d *Daemon) told(ctx context.Context, t *table, out resolve.Outcome) (map[int64]told, error) {
	all := map[int64]told{}
	var here []store.Role
	for _, r := range t.Roles {
		what, err := d.toldOf(ctx, t, r, out)
		if err != nil {
			return nil, err
		}
		if from := what.parts[0]; from != t {
			what.look = d.looks(from, t.Draft.WorldAfter, what.out, r)[r.ID]
		} else {
			here = append(here, r)
		}
		all[r.ID] = what
	}
	for id, l := range d.looks(t, t.Draft.WorldAfter, out, here...) {
		x := all[id]
		x.look = l
		all[id] = x
	}
	return all, nil
}

// outcome is that of the attempt which was released of a phase that is over.
func (t *table) outcome() (resolve.Outcome, error) {
	if t.Draft == nil || t.Draft.N != t.Turn.Released {
		return resolve.Outcome{}, fmt.Errorf("%s of %s is over without its attempt %d", turnName(t.Turn.N, t.Turn.Phase), t.Game.Name, t.Turn.Released)
	}
	return outcomeOf(*t.Draft)
}

// joinedOutcome is the outcome of two phases. What the later one tells again,
// such as an initiative that a pause came after, is told once.
func joinedOutcome(earlier, later resolve.Outcome) resolve.Outcome {
	again := map[string]bool{}
	for _, e := range later.Events {
		again[e.Ref] = true
	}
	out := later
	out.Events = slices.Concat(slices.DeleteFunc(slices.Clone(earlier.Events), func(e game.Event) bool { return again[e.Ref] }), later.Events)
	out.Timeline = slices.Concat(slices.DeleteFunc(slices.Clone(earlier.Timeline), func(m game.Mark) bool { return again[m.Ref] }), later.Timeline)
	return out
}
