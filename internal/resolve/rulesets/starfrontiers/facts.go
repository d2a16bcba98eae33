package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// scene is what a combatant knows right now.
func (e *engine) scene(s *state) *scene {
	sc := &scene{t: e.tables, me: s.f.ID, at: s.f.Place, facing: s.f.facing()}
	sc.features, sc.g = e.place(s.f)
	for _, f := range e.w.Fighters {
		if f == s.f {
			continue
		}
		relation := e.w.relation(s.f, f)
		seen := e.sees(s.f, f)
		if !seen && relation != "ally" {
			continue
		}
		p := person{
			id: f.ID, name: e.w.nameFor(e.tables, s.f, f), side: f.Side, race: f.Race, relation: relation, at: f.Place, facing: f.facing(),
			down: f.down(), hurt: f.Now <= f.STA/2, seen: seen,
		}
		if p.name == distant {
			p.side, p.race = "", ""
		}
		d := squared(s.f.Place, f.Place)
		i, _ := slices.BinarySearchFunc(sc.people, d, func(p person, d int) int {
			if squared(s.f.Place, p.at) <= d {
				return -1
			}
			return 1
		})
		sc.people = slices.Insert(sc.people, i, p)
	}
	return sc
}

// holds evaluates a condition as the combatant perceives things now. ev is the
// event that may set off a reaction, nil for an if.
func (e *engine) holds(s *state, c game.Condition, ev *happening) bool {
	var sc *scene
	return resolve.Holds(c, func(a game.Condition) bool {
		if sc == nil {
			sc = e.scene(s)
		}
		return e.fact(s, sc, a, ev)
	})
}

// fact tests one part of a condition: against the event when it belongs to its
// class, else as a state of the moment.
func (e *engine) fact(s *state, sc *scene, c game.Condition, ev *happening) bool {
	row := e.condition(c.Kind)
	switch {
	case row == nil:
		return false
	case ev != nil && row.Class == ev.class:
		return e.answers(s, sc, c, ev)
	case !row.State:
		return false
	}
	any := func(who game.Who, test func(p *person) bool) bool {
		for i := range sc.people {
			p := &sc.people[i]
			if p.seen && resolve.Matches(who, sc.subject(p, ev.trigger())) && test(p) {
				return true
			}
		}
		return false
	}
	switch c.Kind {
	case "declares", "attacks":
		return any(whoOf(c), func(p *person) bool { return e.foresees(s, sc, c, p.id) })
	case "within", "range":
		return any(whoOf(c), func(p *person) bool { return e.near(s, sc, c, p.at) })
	case "los":
		return any(whoOf(c), func(*person) bool { return true })
	case "down":
		return any(whoOf(c), func(p *person) bool { return p.down })
	case "held":
		return any(whoOf(c), func(p *person) bool { return has(e.w.fighter(p.id).Status, "held") })
	case "wounded":
		if isMe(s, c.Object.ID) && len(c.Who) == 0 {
			return s.f.Now <= s.f.STA/2
		}
		return any(whoOf(c), func(p *person) bool { return p.hurt && e.w.tells(e.tables, s.f, e.w.fighter(p.id)) })
	case "sta":
		return isMe(s, c.Object.ID) && c.Value != nil && resolve.Compare(s.f.Now, c.Op, *c.Value)
	case "ammo":
		wp := s.f.weapon(c.Weapon)
		if c.Weapon == "" {
			wp = s.f.gun(e.tables)
		}
		return wp != nil && c.Value != nil && resolve.Compare(wp.Left, c.Op, *c.Value)
	case "cover":
		return e.covered(s, sc, c)
	case "ally_in_line":
		return any(whoOf(c), func(p *person) bool { return sc.allyBefore(p.at) })
	case "count":
		return c.Value != nil && resolve.Compare(e.count, c.Op, *c.Value)
	case "impossible":
		return s.failed
	}
	return false
}

// covered tells whether he has cover from every enemy in sight, or those whom
// the condition names have it from him; without a level any cover will do.
func (e *engine) covered(s *state, sc *scene, c game.Condition) bool {
	enough := func(cover string) bool { return cover == "hard" || cover == "soft" && c.Level != "hard" }
	mine := len(c.Who) == 0 && isMe(s, c.Object.ID)
	found := false
	for i := range sc.people {
		p := &sc.people[i]
		switch {
		case !p.seen || p.down:
		case mine && p.relation == "enemy":
			if found = enough(sc.g.cover(p.at, sc.at)); !found {
				return false
			}
		case !mine && resolve.Matches(whoOf(c), sc.subject(p, "")) && enough(sc.g.cover(sc.at, p.at)):
			return true
		}
	}
	return found
}

// allyBefore tells that a comrade stands in the line to a square.
func (sc *scene) allyBefore(to game.Square) bool {
	found := false
	resolve.Cross(sc.at, to, func(x resolve.Crossing) bool {
		found = slices.ContainsFunc(sc.people, func(p person) bool {
			return p.relation == "ally" && !p.down && p.at != to && p.at != sc.at && (p.at == x.Cell || x.Corner && p.at == x.Other)
		})
		return !found
	})
	return found
}

func isMe(s *state, id game.ID) bool { return id == "" || id == game.Me || id == s.f.ID }

// whoOf is whom a condition watches: who, or the object of "down" and the like.
func whoOf(c game.Condition) game.Who {
	if len(c.Who) == 0 && c.Object.ID != "" && c.Kind != "declares" && c.Kind != "attacks" {
		return game.Who{c.Object.ID}
	}
	return c.Who
}

// near tests a distance from what the condition names, or from oneself.
func (e *engine) near(s *state, sc *scene, c game.Condition, at game.Square) bool {
	from := sc.at
	if !c.Of.IsZero() && !isMe(s, c.Of.ID) || c.Of.Square != nil {
		place, ok := sc.place(c.Of, "")
		if !ok {
			return false
		}
		from = place
	}
	m := e.g.metres(from, at)
	if c.Distance != nil {
		return resolve.Compare(m*1000, c.Op, max(c.Distance.Millimetres(e.w.ScaleMM), 0))
	}
	return c.Value != nil && resolve.Compare(m, c.Op, *c.Value)
}

// declares tests what somebody is about to do.
func (e *engine) declares(s *state, sc *scene, c game.Condition, ev *happening) bool {
	x := ev.who.f
	if !resolve.Matches(c.Who, e.subject(s, x, x.ID)) {
		return false
	}
	return e.actMatches(s, sc, c, ev.act, ev.target, x.Place, ev.toward)
}

var attackActs = []string{"fire", "burst", "throw", "launch", "melee", "wrestle"}

func (e *engine) actMatches(s *state, sc *scene, c game.Condition, act string, target game.ID, from game.Square, toward *game.Square) bool {
	want := c.Act
	if c.Kind == "attacks" || want == "" && c.Kind == "declares" {
		want = map[string]string{"attacks": "attack", "declares": "any"}[c.Kind]
	}
	switch want {
	case "any":
	case "attack":
		if !slices.Contains(attackActs, act) {
			return false
		}
	case "move_toward", "move_away":
		if act != "move" || toward == nil {
			return false
		}
		of := sc.at
		if !c.Object.IsZero() && !isMe(s, c.Object.ID) {
			place, ok := sc.place(c.Object, "")
			if !ok {
				return false
			}
			of = place
		}
		return squared(*toward, of) < squared(from, of) == (want == "move_toward") && squared(*toward, of) != squared(from, of)
	default:
		if act != want {
			return false
		}
	}
	if c.Object.IsZero() || act == "move" {
		return true
	}
	if isMe(s, c.Object.ID) {
		return target == s.f.ID
	}
	if t := sc.person(target); t != nil {
		return resolve.Matches(game.Who{c.Object.ID}, sc.subject(t, ""))
	}
	return target == s.f.ID && resolve.Matches(game.Who{c.Object.ID}, resolve.Subject{ID: s.f.ID, Side: s.f.Side, Race: s.f.Race, Relation: "self"}) ||
		c.Object.ID == game.AnyAlly && target == s.f.ID
}

// foresees reads the unconditional steps that a slower combatant in sight has
// still to carry out (4.5.1).
func (e *engine) foresees(s *state, sc *scene, c game.Condition, id game.ID) bool {
	x := e.by[id]
	if x == nil || x.init.total >= s.init.total || x.f.Secret || !e.knows(s.f, x.f) {
		return false
	}
	test := func(in game.Intent) bool {
		act := in.Verb
		var target game.ID
		switch act {
		case "if", "hold", "wait", "":
			return false
		case "ready":
			act = map[string]string{"draw": "draw", "pick_up": "use"}[in.Action]
		case "say":
			act = "speak"
		}
		if row := e.verb(in.Verb); row != nil && row.Class == "attack" {
			if p := e.scene(x).pick(in.Target.ID, ""); p != nil {
				target = p.id
			}
		}
		if act == "burst" {
			for _, ref := range in.Targets {
				if p := e.scene(x).pick(ref.ID, ""); p != nil && e.actMatches(s, sc, c, act, p.id, x.f.Place, nil) {
					return true
				}
			}
		}
		var toward *game.Square
		if act == "move" {
			w := e.scene(x).route(in, "", x.f.allowance(e.tables, in.Mode)*1000, x.odd)
			if len(w.path) > 0 {
				toward = &w.path[len(w.path)-1]
			}
		}
		return e.actMatches(s, sc, c, act, target, x.f.Place, toward)
	}
	if x.first != nil {
		return x.next < len(x.units) && slices.ContainsFunc(x.first, test)
	}
	for _, u := range x.units[min(x.next, len(x.units)):] {
		if slices.ContainsFunc(u.pre, test) || test(u.act) {
			return true
		}
	}
	return slices.ContainsFunc(x.after, test)
}
