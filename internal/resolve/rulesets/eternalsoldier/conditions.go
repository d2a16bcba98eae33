package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// holds evaluates a condition from what somebody perceives after step 2, and of
// deeds from what he saw in the segment before: nobody sees the declarations of
// the segment itself (2.5 step 3).
func (e *engine) holds(f *Fighter, c game.Condition) bool {
	return resolve.Holds(c, func(c game.Condition) bool { return e.atom(f, c) })
}

// subject is a combatant in somebody's eyes.
func (e *engine) subject(f, o *Fighter) resolve.Subject {
	return resolve.Subject{ID: o.ID, Side: o.Side, Race: o.Race, Relation: e.w.relation(f, o)}
}

// matchesSelector reports that a selector means a combatant.
func matchesSelector(id game.ID, relation string, o *Fighter) bool {
	if !resolve.IsSelector(id) && id != "" {
		return false
	}
	who := game.Who{id}
	if id == "" {
		who = nil
	}
	return resolve.Matches(who, resolve.Subject{ID: o.ID, Side: o.Side, Race: o.Race, Relation: relation})
}

// anybody tests each combatant that a condition watches and that f perceives.
func (e *engine) anybody(f *Fighter, who game.Who, test func(*Fighter) bool) bool {
	return slices.ContainsFunc(e.w.Fighters, func(o *Fighter) bool {
		return (o == f || e.sees(f, o)) && resolve.Matches(who, e.subject(f, o)) && test(o)
	})
}

// object is what a condition speaks of as a watch: the one named, or the actor.
func object(c game.Condition) game.Who {
	if c.Object.ID != "" {
		return game.Who{c.Object.ID}
	}
	if len(c.Who) > 0 {
		return c.Who
	}
	return game.Who{game.Me}
}

// saw looks for a deed of the last segment.
func (e *engine) saw(f *Fighter, kinds []string, who game.Who, on game.ID) bool {
	return slices.ContainsFunc(e.w.Heard, func(h Happening) bool {
		o := e.w.fighter(h.Who)
		if o == nil || !slices.Contains(kinds, h.Kind) || h.Who != f.ID && !slices.Contains(h.Seen, f.ID) {
			return false
		}
		if len(who) > 0 && !resolve.Matches(who, e.subject(f, o)) {
			return false
		}
		if on == "" {
			return true
		}
		t := e.w.fighter(h.Object)
		return t != nil && resolve.Matches(game.Who{on}, e.subject(f, t))
	})
}

// deeds are the kinds of happenings that an act of SCHEMA.md 5 means.
func deeds(act string) []string {
	switch act {
	case "move", "move_toward", "move_away":
		return []string{"move"}
	case "reload":
		return []string{reload}
	case "draw":
		return []string{draw, "pick_up"}
	case "use":
		return []string{"use"}
	case "speak":
		return []string{"speak"}
	case "any", "":
		return []string{"attack", "move", reload, draw, "pick_up", "use", "speak"}
	}
	return []string{"attack"}
}

func (e *engine) atom(f *Fighter, c game.Condition) bool {
	switch c.Kind {
	case "declares":
		return e.saw(f, deeds(c.Act), c.Who, c.Object.ID)
	case "attacks":
		return e.saw(f, []string{"attack"}, c.Who, c.Object.ID)
	case "hit", "miss":
		who := game.Who(nil)
		if c.By != "" {
			who = game.Who{c.By}
		}
		if len(who) == 0 {
			who = game.Who{game.Anyone, game.Me}
		}
		return e.saw(f, []string{c.Kind}, who, object(c)[0])
	case "surrenders":
		return e.anybody(f, c.Who, func(o *Fighter) bool { return o.Status == surrendered })
	case "down":
		return e.anybody(f, object(c), func(o *Fighter) bool { return !o.able() })
	case "wounded":
		return e.anybody(f, object(c), func(o *Fighter) bool { return o.HP < o.HPMax })
	case "held":
		return e.anybody(f, object(c), func(o *Fighter) bool { return len(o.Held) > 0 })
	case "sta":
		return c.Value != nil && resolve.Compare(f.HP, c.Op, *c.Value)
	case "los", "appears":
		return e.anybody(f, c.Who, func(o *Fighter) bool { return o != f })
	case "vanishes":
		return !e.anybody(f, c.Who, func(o *Fighter) bool { return o != f })
	case "within":
		return e.within(f, c)
	case "enters", "leaves":
		in := e.anybody(f, c.Who, func(o *Fighter) bool { return e.inArea(o, c.Area) })
		return in == (c.Kind == "enters")
	case "count", "time":
		return c.Value != nil && (c.Unit == "" || c.Unit == "segment" || c.Unit == "count") && resolve.Compare(e.now, orAtLeast(c.Op), *c.Value)
	case "ammo":
		return c.Value != nil && e.loaded(f, c)
	case "signal":
		return e.saw(f, []string{"speak"}, c.Who, "")
	case "opens":
		return slices.ContainsFunc(e.w.Features, func(x game.Feature) bool { return x.ID == c.Object.ID && x.State == "open" })
	}
	return false
}

// orAtLeast is the comparison of a moment: without one it has come.
func orAtLeast(op string) string {
	if op == "" {
		return ">="
	}
	return op
}

func (e *engine) within(f *Fighter, c game.Condition) bool {
	if c.Distance == nil {
		return false
	}
	from := f.At
	if !c.Of.IsZero() && c.Of.ID != game.Me {
		p, _, ok := e.placeOf(f, c.Of)
		if !ok {
			return false
		}
		from = p
	}
	most := lengthOf(*c.Distance, e.w.Side)
	return e.anybody(f, c.Who, func(o *Fighter) bool { return o != f && distance(from, o.At) <= most })
}

func (e *engine) inArea(o *Fighter, area game.Ref) bool {
	s := e.w.square(o.At)
	if area.Square != nil {
		return s == *area.Square
	}
	return slices.ContainsFunc(e.w.Features, func(x game.Feature) bool { return x.ID == area.ID && slices.Contains(x.Squares, s) })
}

func (e *engine) loaded(f *Fighter, c game.Condition) bool {
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		if wp.Full > 0 && (c.Weapon == wp.ID || c.Weapon == "" && wp.State == "in_hand") {
			return resolve.Compare(wp.Left, c.Op, *c.Value)
		}
	}
	return false
}
