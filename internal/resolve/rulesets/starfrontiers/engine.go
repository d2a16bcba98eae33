package starfrontiers

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// engine carries out one turn on a copy of the world (4.7).
type engine struct {
	*tables
	r      *Ruleset
	w      *World
	g      *grid
	in     resolve.Input
	rules  *resolve.Rulings
	out    resolve.Outcome
	round  int
	count  int    // the slot being resolved
	cause  *state // of the reaction that is being carried out: whose deed set it off
	st     []*state
	by     map[game.ID]*state
	lean   leans
	things []game.Feature   // smoke and grenades on the map
	busy   map[int]bool     // rulings that are being carried out
	mute   map[game.ID]bool // who does not react to the deed that is done now, by a ruling
	known  map[string]*grid // the map as those know it who do not know or see all of it
	refs   map[string]int
	picked map[*Weapon]bool
	kept   map[game.ID]game.Plan // plans of round 1 as they were checked
	ruled  map[game.ID][]int     // rulings that gave somebody his plan
	// In simultaneous ties (3.4) a count is played on how things stood at its start.
	snapAt  key
	snap    map[game.ID]moment
	pressed map[game.ID]bool // whose bleeding somebody has kept down this round
	// Reactions to effects and to the count (4.5.2).
	alert     bool             // somebody holds one
	pending   []happening      // what has taken effect and is not answered yet
	unslotted bool             // every held sub-action is at hand, whatever its slot
	slotted   bool             // the sequence has slots
	ties      []game.Die       // tie dice of this round
	stage     *Stage           // what earlier phases of the turn have left
	again     map[game.ID]bool // who has ordered anew after a pause
}

// moment is what a simultaneous tie keeps of a combatant.
type moment struct{ able, wounded bool }

// state is what a combatant is about in one round.
type state struct {
	f       *Fighter
	plan    game.Plan
	others  []game.Sight // whom he perceived when the round began
	init    initiative
	rs      int
	tie     int
	n       int // sub-actions the slots are computed with
	units   []unit
	next    int // index of the next unit
	after   []game.Intent
	rx      []*held
	mode    string    // movement declared for the round (6.5)
	walked  int       // millimetres
	odd     bool      // the next diagonal is a dear one
	shots   int       // shots planned, for sights and aim
	pair    []game.ID // two weapons that he fires (6.7)
	turned  bool      // has turned outside his slot
	early   bool      // has spent sub-action 1 on an opportunity shot before its slot
	failed  bool      // the last step could not be done
	defends bool
	locks   []game.ID // opponents in reach who have declared melee on him (7.2)
	// What a ruling says of the lock: yes, no or nothing.
	ruledLock string
	actions   int              // how many the GM counts his slots with; 0: as the rules do (4.4)
	slots     map[int]int      // counts that the GM has set, by sub-action from 1
	allow     bool             // the GM lets him do what the rules forbid
	surprised bool             // in this round (2.1)
	dropped   bool             // and it has cost him a part of his plan
	order     int              // in sequences without slots: 0 has the initiative
	uses      map[game.ID]bool // weapons that a plan of this turn uses or used (3.3, 4.3)
	first     []game.Intent    // the steps that were declared, where others are in force now
	spoke     bool
	given     bool // somebody ordered it; no default or policy
}

// held is a reaction with what is left of it.
type held struct {
	game.Reaction
	left    int
	feed    int      // number of the sub-action that feeds it; 0: any
	classes []string // of what can set it off
	told    bool     // the count that it waits for has come
}

func (s *state) key(slot int) key {
	return key{slot: slot, hand: s.f.Tie, im: s.init.modifier, total: s.init.total, rs: s.rs, index: s.next, tie: s.tie, id: s.f.ID}
}

// rank orders combatants for ties and reactions: the key without slot and index.
func (s *state) rank() key {
	k := s.key(0)
	k.index = 0
	return k
}

// Resolve implements resolve.Ruleset.
func (r *Ruleset) Resolve(in resolve.Input) resolve.Outcome {
	w, ok := in.World.(*World)
	if !ok {
		return resolve.Outcome{World: in.World, Events: []game.Event{}}
	}
	e := newEngine(r, w, in)
	plans := e.plans()
	e.startRulings()
	if !e.stage.Settled {
		if p := e.settleSurprise(plans); p != nil {
			return e.paused(p)
		}
	}
	rounds := min(max(in.Rounds, 1), maxRounds)
	for e.round = 1; e.round <= rounds; e.round++ {
		if p := e.beginRound(plans); p != nil {
			return e.paused(p)
		}
		e.playRound()
		e.w.Played++
		if e.out.Done, e.out.Why = resolve.Over(e.w.fighting()); e.out.Done {
			break
		}
	}
	e.round = min(e.round, rounds)
	e.endOfTurn(plans)
	e.w.Turn = max(in.Turn, e.w.Turn) + 1
	e.out.World = e.w.clone()
	e.out.Unused = e.rules.Unused()
	return e.out
}

// paused ends a phase of a turn that is not over.
func (e *engine) paused(p *game.Pause) resolve.Outcome {
	e.out.Pause = p
	e.out.World = e.w.clone()
	e.out.Unused = e.rules.Unused()
	return e.out
}

// newEngine begins a turn on a copy of the world.
func newEngine(r *Ruleset, w *World, in resolve.Input) *engine {
	e := &engine{
		tables: r.t.at(w), r: r, w: w.clone(), in: in, rules: resolve.NewRulings(in.Rulings, in.Dice),
		lean: leans{}, known: map[string]*grid{}, mute: map[game.ID]bool{}, busy: map[int]bool{}, refs: map[string]int{}, picked: map[*Weapon]bool{}, kept: map[game.ID]game.Plan{}, again: map[game.ID]bool{}, ruled: map[game.ID][]int{},
		out: resolve.Outcome{Events: []game.Event{}, Inquiries: []game.Inquiry{}, Timeline: []game.Mark{}},
	}
	e.things = e.w.things()
	e.g = e.w.gridOf(slices.Concat(e.w.Features, e.things))
	e.slotted = e.w.slotted()
	if e.stage, e.w.Stage = e.w.Stage, nil; e.stage == nil {
		e.stage = &Stage{}
	}
	return e
}

// beginRound reads the plans, rolls initiative and, in the first round, lets
// those whom the game asks answer what others have declared: a pause.
func (e *engine) beginRound(plans map[game.ID]ordered) *game.Pause {
	e.st, e.by = nil, map[game.ID]*state{}
	e.snap, e.pressed = nil, map[game.ID]bool{}
	e.alert, e.pending, e.unslotted, e.ties = false, nil, !e.slotted, nil
	for _, f := range e.w.Fighters {
		for i := range f.Weapons {
			if f.Weapons[i].Picked {
				e.picked[&f.Weapons[i]] = true
			}
		}
		if f.able() {
			s := e.prepare(f, plans)
			e.st = append(e.st, s)
			e.by[f.ID] = s
		}
	}
	e.initiatives()
	if e.round > 1 {
		return nil
	}
	if p := e.declarations(plans); p != nil {
		return p
	}
	e.w.Past = []resolve.Past{}
	return nil
}

func (e *engine) playRound() {
	for _, s := range e.st {
		if s.surprised {
			e.caught(s)
		}
	}
	e.locks()
	if !e.slotted || e.w.setting("pbem.movement") == "phase_low_first" {
		e.movePhase()
	}
	for {
		s := e.pick()
		if e.counted(s) {
			continue
		}
		if s == nil {
			break
		}
		e.process(s)
	}
	e.lastCall()
	e.endOfRound()
}

// pick gives the combatant whose sub-action has the greatest key (4.4).
func (e *engine) pick() *state {
	var best *state
	if !e.slotted {
		for _, s := range e.st {
			if s.next < len(s.units) && (best == nil || inTurn(s, best) < 0) {
				best = s
			}
		}
		return best
	}
	var bestKey key
	for _, s := range e.st {
		if s.next >= len(s.units) {
			continue
		}
		if k := s.key(e.slotOf(s, s.next)); best == nil || before(k, bestKey) < 0 {
			best, bestKey = s, k
		}
	}
	if best != nil && e.w.setting("init.tie") == "simultaneous" {
		if e.snap == nil || e.snapAt.slot != bestKey.slot || e.snapAt.im != bestKey.im {
			e.snapAt, e.snap = bestKey, map[game.ID]moment{}
			for _, f := range e.w.Fighters {
				e.snap[f.ID] = moment{f.able(), f.wounded()}
			}
		}
	}
	return best
}

func (e *engine) slotOf(s *state, i int) int {
	if !e.slotted {
		return s.init.total
	}
	if len(s.slots) == 0 {
		return slot(s.init.total, s.n, i+1)
	}
	at, ruled := s.slots[i+1]
	if !ruled {
		at = slot(s.init.total, s.n, i+1)
	}
	if i > 0 {
		at = min(at, e.slotOf(s, i-1)) // his sub-actions keep their order
	}
	return at
}

// able tells whether he acts at this count: in a simultaneous tie whoever could
// at its beginning.
func (e *engine) able(f *Fighter) bool {
	if s, ok := e.snap[f.ID]; ok {
		return s.able
	}
	return f.able()
}

// asIfAble lets somebody act who cannot; the function that it gives ends that.
func (e *engine) asIfAble(f *Fighter) func() {
	if e.snap == nil {
		e.snap = map[game.ID]moment{}
	}
	was, known := e.snap[f.ID]
	e.snap[f.ID] = moment{true, f.wounded()}
	return func() {
		if delete(e.snap, f.ID); known {
			e.snap[f.ID] = was
		}
	}
}

func (e *engine) wounded(f *Fighter) bool {
	if s, ok := e.snap[f.ID]; ok {
		return s.wounded
	}
	return f.wounded()
}

// process carries out the next sub-action of a combatant.
func (e *engine) process(s *state) {
	e.count = e.slotOf(s, s.next)
	clear(e.mute)
	e.speak(s)
	for range game.MaxNesting + 1 {
		if s.units[s.next].act.Verb != "if" {
			break
		}
		e.decide(s)
	}
	i := s.next
	u := s.units[i]
	s.next++
	last := s.next == len(s.units)
	if !e.able(s.f) && u.act.Verb != "" && e.allowed(e.peek(s, i+1, "")) {
		defer e.asIfAble(s.f)()
	}
	if !e.able(s.f) {
		e.lostUnit(s, u, i+1)
		return
	}
	for _, in := range u.pre {
		e.free(s, in, i+1, "m", nil, 0)
	}
	switch {
	case !e.able(s.f):
		if u.act.Verb != "" {
			e.lostUnit(s, u, i+1)
		}
		return
	case u.act.Verb == "hold":
		if !u.spent {
			e.holdEvent(s, i+1)
		}
	case u.act.Verb != "":
		e.act(s, u.act, u.fall, i+1)
	case s.given && len(s.units) == 1 && len(u.pre) > 0 && !slices.ContainsFunc(u.pre, func(in game.Intent) bool { return in.Verb != "wait" }):
		ev := e.event(e.ref(s, i+1, ""), s.f, "wait", "done")
		private(ev, fmt.Sprintf("%s waits.", s.f.Name))
		e.emit(ev)
	}
	if last {
		for _, in := range s.after {
			if e.able(s.f) {
				e.free(s, in, i+1, "z", nil, 0)
			}
		}
	}
}

// decide evaluates the if whose first slot has come up and puts its branch in
// its place; first in the plan, the branch fixes the number of sub-actions (4.5.1).
func (e *engine) decide(s *state) {
	i := s.next
	u := s.units[i]
	span := 1
	for i+span < len(s.units) && s.units[i+span].then && s.units[i+span].step == u.step {
		span++
	}
	branch := u.act.Else
	if e.able(s.f) && u.act.When != nil && e.holds(s, *u.act.When, nil) {
		branch = u.act.Then
	}
	s.mode = faster(s.mode, declaredMode(branch))
	got, after := compile(branch)
	got = got[:min(len(got), span)]
	if len(got) == 0 {
		got, after = []unit{{pre: after}}, nil
	}
	got[0].pre = append(slices.Clone(u.pre), got[0].pre...)
	for j := range got {
		got[j].step = u.step
	}
	rest := slices.Clone(s.units[i+span:])
	if i > 0 {
		for len(got) < span {
			got = append(got, unit{step: u.step})
		}
	} else if len(rest) > 0 && got[0].act.Verb == "" && len(got) == 1 {
		// Nothing of the branch takes a sub-action: what goes before runs with the next.
		rest[0].pre = append(got[0].pre, rest[0].pre...)
		got = nil
	}
	all := append(slices.Clone(s.units[:i]), got...)
	if len(after) > 0 {
		if len(rest) > 0 {
			rest[0].pre = append(after, rest[0].pre...)
		} else {
			s.after = append(after, s.after...)
		}
	}
	s.units = append(all, rest...)
	if i == 0 {
		e.fixCount(s)
		for k, u := range s.units {
			for _, h := range s.rx {
				if h.Slot != nil && u.step == *h.Slot {
					h.feed = k + 1
				}
			}
		}
	}
}

// endOfRound lets what was held and not used expire.
func (e *engine) endOfRound() {
	e.count = 0
	if n := len(e.out.Timeline); n > 0 {
		e.count = e.out.Timeline[n-1].At
	}
	for _, s := range e.st {
		s.f.Surprise = "" // it is over after the first round (2.1)
		for _, k := range e.spare(s, nil) {
			e.unusedEvent(s, k)
		}
	}
	e.fuses()
	e.tick()
	e.breathe()
	e.drift()
	e.look()
	clear(e.lean)
	for _, f := range e.w.Fighters {
		for i := range f.Weapons {
			if wp := &f.Weapons[i]; e.picked[wp] {
				wp.Picked = false
				delete(e.picked, wp)
			}
		}
	}
}
