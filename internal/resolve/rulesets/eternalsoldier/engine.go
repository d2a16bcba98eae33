package eternalsoldier

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// engine carries out a window of segments on a copy of the world (2.5, 2.7).
type engine struct {
	rules
	w       *World
	rulings *resolve.Rulings
	out     resolve.Outcome
	now     int // the segment
	walls   walls
	crowd   crowd
	refs    map[string]int
	dice    map[string]int   // by name without its number
	heard   []Happening      // of this segment
	noted   map[*Fighter]int // when each may act next, as the timeline has it
	ending  ending
	applied bool // step 9 of it is over
	// Of one segment:
	attacks   []*attack
	reactions []*reaction
	tally     map[*Fighter]*tally
	was       map[*Fighter]Point // before the movement of the segment
	after     []*game.Event      // what the blows brought with them, told behind them
	turns     []func()           // towards whom one has parried or dodged (4.4)
	lifted    map[*Fighter]int   // the ruling that lets him do what he cannot
	decided
}

// tally is what a segment does to one combatant; it is applied in step 9.
type tally struct {
	damage  int
	hits    int // blows that got through
	effects []func()
	harms   []*game.Event
}

func newEngine(r rules, w *World, in resolve.Input) *engine {
	e := &engine{
		rules: r, w: resolve.Copy(w), now: w.Segment, rulings: resolve.NewRulings(in.Rulings, in.Dice),
		refs: map[string]int{}, dice: map[string]int{}, noted: map[*Fighter]int{}, walls: w.walls(),
		decided: decided{done: map[int]bool{}, off: map[*Fighter]bool{}, gift: map[*Fighter]bool{}, zones: map[*Fighter]string{}}, lifted: map[*Fighter]int{},
		out: resolve.Outcome{Events: []game.Event{}, Inquiries: []game.Inquiry{}, Timeline: []game.Mark{}},
	}
	return e
}

// run resolves n segments, or fewer when the fight is over or the game ends turns
// early (2.7).
func (e *engine) run(n int) {
	e.watch()
	e.markReadiness(e.now)
	for i := range n {
		e.now = e.w.Segment
		e.segment()
		e.w.Segment++
		e.markReadiness(e.w.Segment)
		if e.out.Done, e.out.Why = resolve.Over(e.w.Bodies()); e.out.Done {
			return
		}
		if i+1 < n && e.ends() {
			return
		}
	}
}

// segment is the ten steps of 2.5.
func (e *engine) segment() {
	e.attacks, e.reactions, e.after = nil, nil, nil
	e.tally = map[*Fighter]*tally{}
	e.heard, e.turns, e.applied = nil, nil, false
	e.setMoment()
	for _, f := range e.w.Fighters { // 1
		e.complete(f)
	}
	for _, f := range e.w.Fighters { // 2
		e.timed(f)
	}
	e.crowd.gather(e.w)
	for _, f := range e.w.Fighters { // 3
		e.declare(f, false)
	}
	slices.SortFunc(e.attacks, func(a, b *attack) int {
		return cmp.Or(cmp.Compare(a.ready, b.ready), cmp.Compare(a.f.ID, b.f.ID))
	})
	moved := e.yes("move_before_fire")
	if moved {
		e.moves() // 4
		e.dropAttacks()
	}
	e.callOff()
	if !moved { // (A54)
		e.standing()
		e.dodgeMissiles()
		e.rollAttacks(true)
		e.moves()
		e.dropAttacks()
	}
	var made []*attack
	for i, wave := range e.waves() {
		if e.attacks = wave; i > 0 {
			e.reactions, e.after, e.tally = nil, nil, map[*Fighter]*tally{}
			e.attacks = slices.DeleteFunc(e.attacks, e.tooLate)
			e.dropAttacks()
		}
		if moved {
			e.dodgeMissiles() // 5
		}
		e.rollAttacks(false) // 6
		e.meleeReactions()   // 7
		e.damage()           // 8
		e.apply()            // 9
		e.applied = true
		made = append(made, e.attacks...)
	}
	e.attacks = made
	e.close() // 10
	e.w.Heard = e.heard
}

// close is step 10: readiness counts anew for all who acted, and what they begin.
func (e *engine) close() {
	done := map[*Fighter]bool{}
	for _, a := range e.attacks {
		if !a.made || a.gone || done[a.f] {
			continue
		}
		done[a.f] = true
		a.f.abandon(e.now)
		if !a.free {
			a.f.acted(e.now)
		}
		e.turnTo(a.f, a)
		e.spent(a.f, a)
	}
	for _, turn := range e.turns {
		turn()
	}
	for _, f := range e.w.Fighters {
		if f.LastAction == e.now && f.Activity == nil {
			e.declare(f, true)
		}
	}
}

// tallied is what the segment has done to somebody so far.
func (e *engine) tallied(f *Fighter) *tally {
	t := e.tally[f]
	if t == nil {
		t = &tally{}
		e.tally[f] = t
	}
	return t
}

// roll rolls a die of an event; one of the same name gets the next number.
func (e *engine) roll(ev *game.Event, kind string, who game.ID, when string, sides int) int {
	name := kind + "/" + string(who) + "/" + when
	e.dice[name]++
	if n := e.dice[name]; n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	d := e.rulings.Roll(name, sides)
	ev.Dice = append(ev.Dice, d)
	return d.Value
}

// rollAll rolls dice of a notation; the sum is not below 0.
func (e *engine) rollAll(ev *game.Event, kind string, who game.ID, when string, n resolve.Notation) int {
	total := n.Plus
	for range n.N {
		total += e.roll(ev, kind, who, when, n.Sides)
	}
	return max(0, total)
}

// when names this segment in refs and dice.
func (e *engine) when() string { return "s" + strconv.Itoa(e.now) }

// ref names an event of somebody in this segment. It is unique: a second one of
// the same suffix gets a number.
func (e *engine) ref(f *Fighter, suffix string) string {
	return e.unique(fmt.Sprintf("%s/s%d%s", f.ID, e.now, suffix))
}

func (e *engine) unique(base string) string {
	e.refs[base]++
	if n := e.refs[base]; n > 1 {
		return base + "." + strconv.Itoa(n)
	}
	return base
}

// answerRef names what somebody does about another's event, or what it does to
// him: who/ref, so that the name hangs on nothing but the two.
func (e *engine) answerRef(f *Fighter, ref, suffix string) string {
	return e.unique(string(f.ID) + "/" + ref + suffix)
}

// event begins one; it is stored by emit.
func (e *engine) event(ref string, f *Fighter, kind, outcome, rule string) *game.Event {
	return resolve.NewEvent(ref, 1, e.now, f.ID, kind, outcome, rule)
}
