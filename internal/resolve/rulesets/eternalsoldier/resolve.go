package eternalsoldier

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Bounds of a plan.
const (
	maxSteps     = 60
	maxReactions = 30
	maxStanding  = 40
	maxSegments  = 2000 // in one turn
)

// resolve carries a turn out: segmentsPerTurn segments for each round, or fewer
// when the fight is over (2.7).
func (r *Ruleset) resolve(w *World, in resolve.Input) resolve.Outcome {
	e := newEngine(rules{r.at(w.House), w.Settings}, w, in)
	e.tablesOf = r.at
	e.w.Past = []resolve.Past{}
	e.setRules()
	e.underWay()
	e.takeOrders(in.Orders)
	e.run(e.window(in.Rounds))
	e.settle()
	e.lastly()
	e.w.Turn = max(in.Turn, e.w.Turn) + 1
	if !e.out.Done {
		e.out.Done, e.out.Why = resolve.Over(e.w.Bodies())
	}
	e.out.World = resolve.Copy(e.w)
	e.out.Unused = e.rulings.Unused()
	return e.out
}

// window is how many segments a turn of so many rounds has at most.
func (r rules) window(rounds int) int {
	return min(max(rounds, 1)*r.number("segments_per_turn"), maxSegments)
}

// settle applies what rulings set at the end of the turn, and what comes of it.
func (e *engine) settle() {
	e.now = max(e.w.Segment-1, 0)
	e.attacks, e.reactions, e.after, e.tally = nil, nil, nil, map[*Fighter]*tally{}
	e.applySets("")
	e.apply()
	e.usual()
}

// takeOrders puts new plans in place of old ones: new steps replace those that
// are left, and without new steps the old ones go on (2.7). A ruling may put the
// GM's plan in the place of anybody's.
func (e *engine) takeOrders(orders []game.Orders) {
	for _, f := range e.w.Fighters {
		i := slices.IndexFunc(orders, func(o game.Orders) bool { return o.Combatant == f.ID })
		plan, given := e.rulings.Orders(f.ID)
		switch {
		case given:
		case i >= 0:
			plan = orders[i].Plan
		default:
			continue
		}
		if !f.able() {
			continue
		}
		e.instruct(f, stored(plan))
	}
}

// stored is a plan as JSON keeps it: without its places in a letter.
func stored(p game.Plan) game.Plan {
	b, err := json.Marshal(p)
	var out game.Plan
	if err != nil || json.Unmarshal(b, &out) != nil {
		return game.Plan{}
	}
	return out
}

// instruct gives somebody new orders.
func (e *engine) instruct(f *Fighter, p game.Plan) {
	if !p.Empty() {
		f.Orders.Last = &p
	}
	steps := p.Steps[:min(len(p.Steps), maxSteps)]
	var do []game.Intent
	for _, s := range steps {
		if isPolicy(s.Verb) {
			p.Standing = append(p.Standing, game.Standing{Policy: &s})
		} else {
			do = append(do, s)
		}
	}
	for _, s := range p.Say {
		e.speech(f, s.Text, s.To)
	}
	if len(do) > 0 {
		f.Steps, f.Struck = do, 0
		if b := f.Burst; b != nil && do[0].Verb != "auto_fire" {
			b.On, b.Left = false, 0 // it ended in the last segment in which it fired
		}
		if isAttack(do[0].Verb) && do[0].Mode == "abandon" {
			e.breaksOff(f)
		}
	}
	plain, standing := f.waiting()
	if len(do) > 0 || len(p.Reactions) > 0 {
		plain = p.Reactions[:min(len(p.Reactions), maxReactions)]
	}
	if slices.ContainsFunc(p.Standing, func(s game.Standing) bool { return s.Reaction != nil }) {
		standing = nil
	}
	f.Reactions = nil
	f.Reactions = append(append(f.Reactions, plain...), standing...)
	f.Standing = stand(f.Standing, p.Standing)
	f.arm(p.Standing)
}

// waiting are the reactions that wait for their moment: those of the plan, and
// those of standing orders, which new steps do not end (2.7).
func (f *Fighter) waiting() (plain, standing []game.Reaction) {
	for _, r := range f.Reactions {
		if slices.ContainsFunc(f.Standing, func(s game.Standing) bool { return s.Reaction != nil && sameReaction(*s.Reaction, r) }) {
			standing = append(standing, r)
		} else {
			plain = append(plain, r)
		}
	}
	return plain, standing
}

// sameReaction reports one and the same, however often it has been carried out.
func sameReaction(a, b game.Reaction) bool {
	a.Max, b.Max = 0, 0
	x, errX := json.Marshal(a) // without where in a letter it stands
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// arm lets conditional standing orders wait for their moment. They do so from when
// they are given, whatever turns that is cut into.
func (f *Fighter) arm(given []game.Standing) {
	for _, s := range given {
		if s.Reaction != nil {
			f.Reactions = append(f.Reactions, *s.Reaction)
		}
	}
}

// stand puts new standing orders in place of old ones of the same kind: the
// reaction policies are one kind, for they are one list of preferences (2.7).
func stand(old, given []game.Standing) []game.Standing {
	kind := func(s game.Standing) string {
		switch {
		case s.Policy == nil:
			return "reaction"
		case isPolicy(s.Policy.Verb):
			return "policy"
		}
		return s.Policy.Verb
	}
	var out []game.Standing
	for _, s := range old {
		if !slices.ContainsFunc(given, func(g game.Standing) bool { return kind(g) == kind(s) }) {
			out = append(out, s)
		}
	}
	out = append(out, given...)
	return out[:min(len(out), maxStanding)]
}
