package resolve

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// maxConditions bounds how many atoms of one condition are looked at.
const maxConditions = 64

// Holds evaluates a condition: (kind AND every And) OR any Or. Not turns round
// the kind, or the whole group when there is no kind. A condition that is
// nested or branched beyond reason is false.
func Holds(c game.Condition, atom func(game.Condition) bool) bool {
	budget := maxConditions
	return holds(c, atom, 0, &budget)
}

func holds(c game.Condition, atom func(game.Condition) bool, depth int, budget *int) bool {
	*budget--
	if *budget < 0 || depth > 8 {
		return false
	}
	v := c.Kind == "" && len(c.And) > 0
	if c.Kind != "" {
		v = atom(c) != c.Not
	}
	for _, a := range c.And {
		v = v && holds(a, atom, depth+1, budget)
	}
	for _, o := range c.Or {
		v = v || holds(o, atom, depth+1, budget)
	}
	if c.Kind == "" {
		v = v != c.Not
	}
	return v
}

// Atoms lists every part of a condition that has a kind, outermost first.
func Atoms(c game.Condition) []game.Condition {
	var out []game.Condition
	var walk func(game.Condition, int)
	walk = func(c game.Condition, depth int) {
		if depth > 8 || len(out) >= maxConditions {
			return
		}
		if c.Kind != "" {
			out = append(out, c)
		}
		for _, a := range c.And {
			walk(a, depth+1)
		}
		for _, o := range c.Or {
			walk(o, depth+1)
		}
	}
	walk(c, 0)
	return out
}

// Compare tests a <op> b; an empty or unknown op is "<=".
func Compare(a int, op string, b int) bool {
	switch op {
	case "<":
		return a < b
	case "=", "==":
		return a == b
	case ">=":
		return a >= b
	case ">":
		return a > b
	}
	return a <= b
}

// Subject is what selectors look at: a combatant in the eyes of the one whose
// order it is.
type Subject struct {
	ID       game.ID
	Side     game.ID
	Race     string
	Relation string // self, ally, enemy, neutral
	Trigger  bool   // set off the reaction that is being carried out
}

// Matches reports whether who names the subject: by id, selector, "race:X" or
// "side:X". An empty Who means any enemy.
func Matches(who game.Who, s Subject) bool {
	if len(who) == 0 {
		return s.Relation == "enemy"
	}
	return slices.ContainsFunc(who, func(id game.ID) bool { return matches(id, s) })
}

func matches(id game.ID, s Subject) bool {
	switch id {
	case game.AnyEnemy, game.NearestEnemy, game.WeakestEnemy, game.Leader:
		return s.Relation == "enemy"
	case game.AnyAlly:
		return s.Relation == "ally"
	case game.Anyone:
		return s.Relation != "self"
	case game.Me:
		return s.Relation == "self"
	case game.Trigger:
		return s.Trigger
	}
	if race, ok := strings.CutPrefix(string(id), "race:"); ok {
		return s.Race != "" && strings.EqualFold(race, s.Race)
	}
	if side, ok := strings.CutPrefix(string(id), "side:"); ok {
		return s.Side != "" && strings.EqualFold(side, string(s.Side))
	}
	return id == s.ID
}

// IsSelector reports that an id is resolved only when the step is carried out.
func IsSelector(id game.ID) bool {
	switch id {
	case game.AnyEnemy, game.AnyAlly, game.Anyone, game.NearestEnemy, game.WeakestEnemy, game.Leader, game.Trigger, game.Me:
		return true
	}
	return strings.HasPrefix(string(id), "race:") || strings.HasPrefix(string(id), "side:")
}
