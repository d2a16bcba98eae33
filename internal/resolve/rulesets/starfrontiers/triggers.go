package starfrontiers

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// conditionRow is one row of conditions.toml.
type conditionRow struct {
	Kind  string   `toml:"kind"`
	Class string   `toml:"class"`
	State bool     `toml:"state"`
	Needs []string `toml:"needs"`
}

// classes are the classes of triggers (4.5.2), and that of the word left for a
// surprise (2.1).
var classes = []string{"declare", "move", "effect", "count", "notice"}

func (t *tables) condition(kind string) *conditionRow {
	for i := range t.conditions {
		if t.conditions[i].Kind == kind {
			return &t.conditions[i]
		}
	}
	return nil
}

// happening is what may set off a reaction (4.5.2): somebody is about to do
// something, has entered a square, something has taken effect, or the count has
// dropped.
type happening struct {
	class  string // one of classes
	kind   string // of an effect and of a count: the condition that it answers
	who    *state // whose deed it is; nil: nobody's who is in the fight
	act    string
	target game.ID      // whom it is done to, or the door that opens
	toward *game.Square // of a move about to begin
	from   game.Square  // of a square entered: the one left
	before map[game.ID]bool
	at     game.Square // where a grenade lies
	said   string
	ev     *game.Event // of an effect
}

func (ev *happening) trigger() game.ID {
	if ev == nil || ev.who == nil {
		return ""
	}
	return ev.who.f.ID
}

// classesOf lists the classes of what can set a reaction off.
func (t *tables) classesOf(c game.Condition) []string {
	var out []string
	for _, a := range resolve.Atoms(c) {
		if row := t.condition(a.Kind); row != nil && row.Class != "" && !a.Not && !slices.Contains(out, row.Class) {
			out = append(out, row.Class)
		}
	}
	return out
}

// setOff finds the first reaction of a combatant that an event sets off: its
// condition holds, and a part of it that belongs to the class of the event is
// true of the event.
func (e *engine) setOff(c *state, ev *happening) *held {
	var sc *scene
	for _, h := range c.rx {
		if h.left < 1 || !slices.Contains(h.classes, ev.class) {
			continue
		}
		if sc == nil {
			if !e.perceives(c, ev) {
				return nil
			}
			sc = e.scene(c)
		}
		if e.triggers(c, sc, h, ev) {
			return h
		}
	}
	return nil
}

func (e *engine) triggers(c *state, sc *scene, h *held, ev *happening) bool {
	return slices.ContainsFunc(resolve.Atoms(h.When), func(a game.Condition) bool {
		row := e.condition(a.Kind)
		return !a.Not && row != nil && row.Class == ev.class && e.answers(c, sc, a, ev)
	}) && e.holds(c, h.When, ev)
}

// perceives: a reaction answers only what its owner perceives. What touches him,
// speech and explosions he always does (4.5).
func (e *engine) perceives(c *state, ev *happening) bool {
	switch ev.class {
	case "count":
		return true
	case "move":
		return e.sees(c.f, ev.who.f) || ev.before[c.f.ID]
	case "effect":
		if ev.kind == "opens" {
			i := slices.IndexFunc(e.w.Features, func(f game.Feature) bool { return f.ID == ev.target })
			return i >= 0 && e.w.notices(e.tables, e.g, c.f, e.w.Features[i])
		}
		if t := e.w.fighter(ev.target); t != nil && (t == c.f || e.sees(c.f, t)) {
			return true
		}
		_, told := ev.ev.Seen[c.f.ID]
		return told && (ev.target == "" || ev.ev.Target == ev.target && ev.ev.Seen[c.f.ID] != game.Heard && ev.ev.Seen[c.f.ID] != game.Actor)
	case "declare":
		if ev.act == "speak" {
			_, told := ev.ev.Seen[c.f.ID]
			return told
		}
	}
	return e.sees(c.f, ev.who.f)
}

// answers tests one part of a condition against an event of its class.
func (e *engine) answers(s *state, sc *scene, c game.Condition, ev *happening) bool {
	switch ev.class {
	case "declare":
		return e.declares(s, sc, c, ev)
	case "move":
		return e.moves(s, sc, c, ev)
	case "count":
		if c.Kind == "count" {
			return ev.kind == "count" && c.Value != nil && resolve.Compare(e.count, c.Op, *c.Value)
		}
		return ev.kind == c.Kind
	}
	if ev.kind != c.Kind {
		return false
	}
	switch c.Kind {
	case "opens":
		return c.Object.IsZero() || c.Object.ID == ev.target
	case "grenade_lands":
		return e.lands(sc, c, ev)
	case "signal", "surrenders":
		return e.calls(s, c, ev)
	}
	object := c.Object.ID
	if object == "" && len(c.Who) == 0 {
		object = game.Me
	}
	who := c.Who
	if object != "" {
		who = game.Who{object}
	}
	t := e.w.fighter(ev.target)
	return t != nil && resolve.Matches(who, e.subject(s, t, ev.trigger())) && (c.By == "" || e.doneBy(s, c.By, ev))
}

// doneBy tells that a deed was done by somebody whom he names and perceives.
func (e *engine) doneBy(s *state, by game.ID, ev *happening) bool {
	if ev.who == nil || ev.who != s && !e.sees(s.f, ev.who.f) {
		return false
	}
	return resolve.Matches(game.Who{by}, e.subject(s, ev.who.f, ""))
}

// calls: somebody says something, or gives himself up. Without a name a signal
// is a comrade's and a surrender an enemy's.
func (e *engine) calls(s *state, c game.Condition, ev *happening) bool {
	who := whoOf(c)
	if len(who) == 0 && c.Kind == "signal" {
		who = game.Who{game.AnyAlly}
	}
	return ev.who != nil && ev.who != s && resolve.Matches(who, e.subject(s, ev.who.f, "")) &&
		strings.Contains(strings.ToLower(ev.said), strings.ToLower(c.Text))
}

// lands: a grenade comes to lie near what is named, or near oneself; without a
// distance near enough to be caught in its burst.
func (e *engine) lands(sc *scene, c game.Condition, ev *happening) bool {
	of := c.Of
	if of.IsZero() {
		of = c.Object
	}
	at := sc.at
	if !of.IsZero() {
		var ok bool
		if at, ok = sc.place(of, ""); !ok {
			return false
		}
	}
	m := e.g.metres(at, ev.at)
	if c.Distance != nil {
		return resolve.Compare(m*1000, c.Op, max(c.Distance.Millimetres(e.w.ScaleMM), 0))
	}
	return m <= e.Senses.Burst
}

// moves tests what somebody does who has entered a square.
func (e *engine) moves(s *state, sc *scene, c game.Condition, ev *happening) bool {
	x := ev.who.f
	if !resolve.Matches(whoOf(c), e.subject(s, x, x.ID)) {
		return false
	}
	now, before := e.sees(s.f, x), ev.before[s.f.ID]
	area := c.Area
	for _, ref := range []game.Ref{c.Object, c.Of} {
		if area.IsZero() && c.Kind != "within" {
			area = ref
		}
	}
	in, was := sc.within(area, x.Place), sc.within(area, ev.from)
	switch c.Kind {
	case "within":
		return now && e.near(s, sc, c, x.Place)
	case "appears":
		return now && !before && in
	case "vanishes":
		return !now && before && was
	case "watch":
		return now && in
	case "enters":
		return now && in && (!was || area.IsZero() && !before)
	case "leaves":
		return was && (now || before) && (!in || area.IsZero() && !now)
	}
	return false
}

// within tells whether a square belongs to an area: a square, a thing of the map
// (with the squares beside it where nobody can stand in it), or the squares
// beside somebody. Nothing named is everywhere.
func (sc *scene) within(area game.Ref, at game.Square) bool {
	switch {
	case area.IsZero():
		return true
	case area.Square != nil:
		return at == *area.Square
	}
	if f := sc.feature(area.ID); f != nil {
		return slices.ContainsFunc(f.Squares, func(s game.Square) bool {
			return s == at || sc.g.opaque(s) && chebyshev(s, at) == 1
		})
	}
	place, ok := sc.place(area, "")
	if sc.pick(area.ID, "") == nil && !isSelf(sc, area.ID) {
		return ok && place == at
	}
	return ok && chebyshev(place, at) <= 1
}

func isSelf(sc *scene, id game.ID) bool { return id == game.Me || id == sc.me }

// subject is somebody in the eyes of a combatant: beyond detail distance he has
// neither side nor race (2.2).
func (e *engine) subject(s *state, f *Fighter, trigger game.ID) resolve.Subject {
	x := resolve.Subject{ID: f.ID, Side: f.Side, Race: f.Race, Relation: e.w.relation(s.f, f), Trigger: f.ID == trigger}
	if f != s.f && e.w.nameFor(e.tables, s.f, f) == distant {
		x.Side, x.Race = "", ""
	}
	return x
}

// note remembers what an event has brought about, for reactions to it.
func (e *engine) note(ev *game.Event) {
	if !e.alert {
		return
	}
	add := func(kind string, of game.ID) {
		e.pending = append(e.pending, happening{class: "effect", kind: kind, who: e.by[ev.Actor], target: of, ev: ev})
	}
	switch {
	case ev.Kind == "speech":
		said := happening{class: "declare", who: e.by[ev.Actor], act: "speak", target: ev.Target, ev: ev}
		if said.who == nil {
			return
		}
		e.pending = append(e.pending, said)
		said.class, said.kind, said.target, said.said = "effect", "signal", "", ev.Text[game.All]
		e.pending = append(e.pending, said)
	case ev.Attack && ev.Target != "" && ev.Outcome == "miss":
		add("miss", ev.Target)
	case ev.Attack && ev.Target != "" && ev.Outcome != "fumble":
		add("hit", ev.Target)
	}
	for _, c := range ev.Changes {
		f := e.w.fighter(c.Who)
		switch {
		case f == nil:
		case c.Field == "STATUS" && c.From == "able":
			add("down", c.Who)
		case c.Field == "STATUS" && c.To == "held":
			add("held", c.Who)
		case c.Field == "STA":
			from, err := strconv.Atoi(c.From)
			to, err2 := strconv.Atoi(c.To)
			if err == nil && err2 == nil && from > f.STA/2 && to <= f.STA/2 {
				add("wounded", c.Who)
			}
		}
	}
}

// aftermath carries out the reactions to what has taken effect, before anything
// else happens. Each spends a held sub-action, so that there is an end to it.
// stop runs before the first.
func (e *engine) aftermath(stop func()) {
	for len(e.pending) > 0 {
		ev := e.pending[0]
		e.pending = e.pending[1:]
		for _, c := range e.reactors(nil) {
			if ev.class == "declare" && c == ev.who {
				continue
			}
			h := e.setOff(c, &ev)
			if h == nil {
				continue
			}
			if ks := e.spare(c, h); len(ks) > 0 && e.possible(c, h, &ev) {
				stop()
				e.react(c, h, &ev, ks)
			}
		}
	}
}

// atOnce is for aftermath where nothing has to be brought to an end before.
func atOnce() {}

// counted carries out a reaction to the count that is due before the next
// sub-action; it tells whether there was one (4.5.2).
func (e *engine) counted(next *state) bool {
	if !e.alert || !e.slotted {
		return false
	}
	var who *state
	var what *held
	var at key
	for _, c := range e.reactors(nil) {
		for _, h := range c.rx {
			ks := e.spare(c, h)
			if h.left < 1 || h.told || len(ks) == 0 || !slices.Contains(h.classes, "count") {
				continue
			}
			due, ok := dueAt(h.When)
			if !ok {
				continue
			}
			k := c.key(min(due, e.slotOf(c, ks[0]-1)))
			if what == nil || before(k, at) < 0 {
				who, what, at = c, h, k
			}
		}
	}
	if what == nil || next != nil && before(at, next.key(e.slotOf(next, next.next))) > 0 {
		return false
	}
	e.count, what.told = at.slot, true
	if ev := (&happening{class: "count", kind: "count"}); e.triggers(who, e.scene(who), what, ev) {
		e.react(who, what, ev, e.spare(who, what))
	}
	return true
}

// dueAt is the count at which a condition on it comes true: as high as can be
// when it is true from the start.
func dueAt(c game.Condition) (int, bool) {
	due, found := 0, false
	for _, a := range resolve.Atoms(c) {
		if a.Kind != "count" || a.Not || a.Value == nil {
			continue
		}
		v := *a.Value
		switch a.Op {
		case "<":
			v--
		case ">", ">=":
			v = maxCount
		}
		if !found || v > due {
			due, found = v, true
		}
	}
	return due, found
}

// maxCount is above every initiative total.
const maxCount = 1_000_000

// lastCall carries out what was held for the end of the turn.
func (e *engine) lastCall() {
	ev := &happening{class: "count", kind: "end_of_turn"}
	for _, c := range e.reactors(nil) {
		if h := e.setOff(c, ev); h != nil {
			e.react(c, h, ev, e.spare(c, h))
		}
	}
}
