package starfrontiers

import (
	"cmp"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// slotted: sub-actions have slots that count down (4.4). The sequences by sides
// and by individuals have none (3.1).
func (w *World) slotted() bool { return w.setting("sequence") == "pbem" }

// side is whose initiative a combatant shares: who belongs to nobody has his own.
func (s *state) side() game.ID { return s.f.sideID() }

func (f *Fighter) sideID() game.ID {
	if f.Side == "" {
		return f.ID
	}
	return f.Side
}

// sideRoller is who rolls for a side: the one with the highest modifier, the
// lowest id of several (3.2).
func (w *World) sideRoller(t *tables, side game.ID) *Fighter {
	var best *Fighter
	for _, f := range w.Fighters {
		if f.sideID() == side && f.able() && (best == nil || f.initiativeModifier(t) > best.initiativeModifier(t)) {
			best = f
		}
	}
	return best
}

// sideInitiative is the initiative of a side with a die; of its plans nothing is
// known yet when it is rolled, so that only what the roller has in hand counts
// (3.3).
func (w *World) sideInitiative(t *tables, roller *Fighter, die game.Die) initiative {
	var modifiers []int
	for _, f := range w.Fighters {
		if f.sideID() == roller.sideID() && f.able() {
			modifiers = append(modifiers, f.initiativeModifier(t))
		}
	}
	i := initiative{die: die, holster: roller.holsterPenalty("always_if_holstered", nil), roller: roller.ID}
	i.total, i.modifier = sideRoll(t, die.Value, modifiers, i.holster)
	return i
}

// rollSides rolls once for each side. A side that is surprised as a whole does
// not roll: it is the last (2.1, 3.2).
func (e *engine) rollSides() {
	rolled := map[game.ID]initiative{}
	var totals []int
	for _, s := range e.st {
		id := s.side()
		if _, done := rolled[id]; done || e.sideCaught(id) {
			continue
		}
		roller := e.w.sideRoller(e.tables, id)
		die := e.rollOnce(initName(roller.ID, e.round), e.tables.Initiative.Die)
		rolled[id] = e.w.sideInitiative(e.tables, roller, die)
		totals = append(totals, rolled[id].total)
	}
	for _, s := range e.st {
		i, ok := rolled[s.side()]
		if !ok {
			i = initiative{modifier: e.w.sideRoller(e.tables, s.side()).initiativeModifier(e.tables)}
			i.total = surprisedTotal(0, totals)
		}
		s.init = i
	}
}

// ranks puts everybody into the order of sides, or of individuals: 0 has the
// initiative (side A). Somebody surprised of a side that is not goes with the
// last (2.1 no. 6).
func (e *engine) ranks() {
	var sides []side
	for _, s := range e.st {
		id := s.f.ID
		if e.w.setting("sequence") == "side" {
			id = s.side()
		}
		x := side{id: id, total: s.init.total, modifier: s.init.modifier, hand: e.hand(s)}
		if !slices.ContainsFunc(sides, func(o side) bool { return o.id == id }) {
			sides = append(sides, x)
		}
	}
	if e.w.setting("sequence") == "side" {
		slices.SortFunc(sides, compareSides)
	} else {
		slices.SortFunc(sides, func(a, b side) int { return swifter(e.by[a.id], e.by[b.id]) })
	}
	for _, s := range e.st {
		id := s.f.ID
		if e.w.setting("sequence") == "side" {
			id = s.side()
		}
		s.order = slices.IndexFunc(sides, func(x side) bool { return x.id == id })
		if last := len(sides) - 1; s.surprised && e.w.setting("sequence") == "side" && s.order != last {
			s.order = last
			s.init.total, s.init.modifier = sides[last].total, sides[last].modifier
		}
	}
}

// hand is how the GM breaks a tie of somebody's side: the highest of it counts.
func (e *engine) hand(s *state) int {
	most := 0
	for _, o := range e.st {
		if o.side() == s.side() {
			most = max(most, o.f.Tie)
		}
	}
	return most
}

// inTurn compares two in a sequence without slots: whose side attacks first,
// wrestling before all else, then the chain of 3.4.
func inTurn(a, b *state) int {
	wrestles := func(s *state) int {
		if s.next < len(s.units) && s.units[s.next].act.Verb == "wrestle" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(wrestles(a), wrestles(b)), before(a.rank(), b.rank()))
}

// movePhase carries out the movement that is declared before the first attack,
// the slowest first, while everybody else may shoot at it (3.1 nos. 4 and 5, 4.6).
func (e *engine) movePhase() {
	order := slices.Clone(e.st)
	slices.SortFunc(order, func(a, b *state) int {
		if e.slotted {
			return swifter(b, a)
		}
		return cmp.Or(cmp.Compare(b.order, a.order), before(a.rank(), b.rank()))
	})
	e.unslotted = true
	for _, s := range order {
		e.moveFirst(s)
	}
	e.unslotted = !e.slotted
}

// moveFirst is one combatant's part of it: what goes before his first
// sub-action.
func (e *engine) moveFirst(s *state) {
	if len(s.units) == 0 {
		return
	}
	clear(e.mute)
	e.count = s.init.total
	if first := &s.units[0].act; first.Verb == "if" && e.able(s.f) && movesIn(first.Then, 0)+movesIn(first.Else, 0) > 0 {
		e.decide(s)
	}
	if len(s.units) == 0 {
		return
	}
	pre := s.units[0].pre
	if !slices.ContainsFunc(pre, func(in game.Intent) bool { return in.Verb != "wait" }) {
		return
	}
	e.speak(s)
	s.units[0].pre = nil
	for _, in := range pre {
		e.free(s, in, 1, "m", nil, 0)
	}
}

func movesIn(steps []game.Intent, depth int) (n int) {
	eachTo(steps, func(in *game.Intent) {
		if in.Verb == "move" {
			n++
		}
	}, game.MaxNesting+1-depth)
	return n
}
