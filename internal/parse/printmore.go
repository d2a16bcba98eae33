package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// phraseMore writes the orders that not every game has; "" if it is none of them.
func phraseMore(in game.Intent, v game.Vocabulary) string {
	target := func() string {
		switch {
		case !in.Target.IsZero():
			return " at " + refName(in.Target, v)
		case !in.To.IsZero():
			relation := relationWords[in.Relation]
			if relation == "" {
				relation = "at"
			}
			return " " + relation + " " + refName(in.To, v)
		}
		return ""
	}
	with := func() string {
		if in.Weapon == "" {
			return ""
		}
		return " with " + thingName(in.Weapon, v)
	}
	switch in.Verb {
	case "throw":
		s := "throw " + thingName(in.Item, v) + target() + phraseOptions(in, v)
		switch in.Fuse {
		case "":
		case "impact":
			s += " on impact"
		default:
			s += ", fuse " + in.Fuse
		}
		return s
	case "launch":
		if in.Shell == "" {
			return "launch" + target() + with()
		}
		return "launch " + thingName(in.Shell, v) + with() + target()
	case "burst":
		var names []string
		for _, t := range in.Targets {
			names = append(names, refName(t, v))
		}
		s := "fire a burst"
		switch {
		case len(names) > 0:
			s += " at " + strings.Join(names, " and ")
		case !in.Area.IsZero():
			s += " at " + refName(in.Area, v)
		}
		return s + with() + phraseUntil(in, v)
	case "auto_fire":
		s := "fire full auto" + target() + with()
		if in.Rounds > 0 {
			s += ", " + plural(in.Rounds, "round")
		}
		if in.Segments > 0 {
			s += " for " + plural(in.Segments, "segment")
		}
		return s + phraseUntil(in, v)
	case "quick_attack":
		s := "quick attack" + target() + with() + phraseOptions(in, v)
		if in.Early > 0 {
			s += ", " + plural(in.Early, "segment") + " early"
		}
		if in.Segment > 0 {
			s += fmt.Sprintf(" in segment %d", in.Segment)
		}
		return s
	case "set_attack":
		verb := "strike"
		for _, t := range v.Things {
			if t.ID == in.Weapon && t.Thing != nil && t.Thing.Ranged {
				verb = "fire"
			}
		}
		if in.Wait == 0 && in.Bonus == 0 && in.Segment == 0 {
			verb = "set attack" // nothing else tells it from an ordinary one
		}
		s := verb + target() + with() + phraseOptions(in, v)
		switch {
		case in.Wait > 0:
			s += ", " + plural(in.Wait, "segment") + " past ready"
		case in.Bonus > 0:
			s += fmt.Sprintf(" at +%d", in.Bonus)
		case in.Segment > 0:
			s += fmt.Sprintf(" in segment %d", in.Segment)
		}
		return s
	case "wrestle":
		how := "wrestle"
		if in.Kind != "" {
			how = formName(in.Verb, "kind", in.Kind, v)
		}
		return strings.TrimSpace(how + " " + refName(in.Target, v))
	case "squeeze":
		return strings.TrimSpace("squeeze " + refName(in.Target, v))
	case "release":
		if in.Target.IsZero() {
			return "release"
		}
		return "release " + refName(in.Target, v)
	case "prefer":
		return phrasePrefer(in, v)
	case "plug", "unplug":
		s := map[string]string{"plug": "plug in ", "unplug": "unplug "}[in.Verb] + thingName(in.Device, v)
		if in.Pack != "" {
			s += " to " + thingName(in.Pack, v)
		}
		return strings.TrimSpace(s)
	}
	if isPolicy(in, v) {
		return phrasePolicy(in, v)
	}
	return ""
}

// isPolicy reports what is done against blows and missiles.
func isPolicy(in game.Intent, v game.Vocabulary) bool {
	switch in.Verb {
	case "parry_policy", "dodge_policy", "take_blow":
		return true
	}
	return slices.ContainsFunc(v.Verbs, func(x game.Verb) bool { return x.Name == in.Verb && x.Class == "policy" && x.Name != "prefer" })
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func phraseUntil(in game.Intent, v game.Vocabulary) string {
	if in.Until == nil {
		return ""
	}
	return " until " + PhraseCondition(*in.Until, v)
}

// phraseOptions writes what an attack is given besides weapon and target.
func phraseOptions(in game.Intent, v game.Vocabulary) string {
	s := ""
	if in.Called != "" {
		s += ", called shot to the " + strings.ReplaceAll(in.Called, "_", " ")
		if in.CalledPoints > 0 {
			s += " for " + plural(in.CalledPoints, "point")
		}
	}
	if in.OnlyIfReached {
		s += ", only if reached"
	}
	for _, o := range []struct {
		name string
		n    int
	}{{"quick", in.Quick}, {"power", in.Power}, {"quick reload", in.QuickReload}} {
		if o.n > 0 {
			s += fmt.Sprintf(", %s %d", o.name, o.n)
		}
	}
	if in.Snap {
		s += ", snap shot"
		if in.SnapAfter > 0 {
			s += " after " + plural(in.SnapAfter, "second")
		}
	}
	for _, o := range []struct{ name, use string }{{"AGI", in.Agi}, {"PER", in.Per}, {"STR", in.Str}} {
		if o.use != "" {
			s += ", " + o.name + " to " + o.use
		}
	}
	for _, t := range in.Alt {
		s += ", alternatively at " + refName(t, v)
	}
	return s
}

var preferenceWords = map[game.ID]string{
	"nearest": "the nearest", "weakest": "the weakest", "most_dangerous": "the most dangerous", "leader": "the leader", "shot_me": "whoever shot me", "wounded": "the wounded",
}

// phrasePrefer writes whom somebody would rather attack.
func phrasePrefer(in game.Intent, v game.Vocabulary) string {
	var names []string
	for _, id := range in.Order {
		w := preferenceWords[id]
		if w == "" {
			w = personName(id, v)
		}
		names = append(names, w)
	}
	return "prefer " + strings.Join(names, ", then ")
}

var againstWords = map[game.ID]string{
	"all": "everything", "melee": "melee blows", "missile": "arrows", "thrown": "thrown weapons", "gun": "bullets", "spear": "spears",
}

// phrasePolicy writes what is done against blows and missiles.
func phrasePolicy(in game.Intent, v game.Vocabulary) string {
	verb := map[string]string{"parry_policy": "parry", "dodge_policy": "dodge", "take_blow": "take the blow"}[in.Verb]
	for _, x := range v.Verbs {
		if verb == "" && x.Name == in.Verb && len(x.Words) > 0 {
			verb = x.Words[0]
		}
	}
	s := verb
	if in.Allow != nil && !*in.Allow {
		s = "never " + verb
	}
	for _, id := range in.Against {
		if in.Verb == "take_blow" {
			s += " of"
		}
		switch i := slices.IndexFunc(v.Attacks, func(n game.Named) bool { return n.ID == id }); {
		case againstWords[id] != "":
			s += " " + againstWords[id]
		case i >= 0:
			s += " " + v.Attacks[i].Names[0]
		default:
			s += " " + personName(id, v)
		}
	}
	if in.Weapon != "" {
		s += " with " + thingName(in.Weapon, v)
	}
	if in.MinChance > 0 {
		s += fmt.Sprintf(" if my chance is %d or better", in.MinChance)
	}
	if in.MaxPenalty > 0 {
		s += fmt.Sprintf(" at up to -%d", in.MaxPenalty)
	}
	if in.MaxEarly > 0 {
		s += " up to " + plural(in.MaxEarly, "segment") + " early"
	}
	if in.GiveUp {
		s += ", even if it costs my attack"
	}
	if in.KeepSet {
		s += ", rather than lose my set attack"
	}
	return s
}

// phraseHappening writes the tests of what becomes of people, doors and time;
// "" if it is none of them.
func phraseHappening(c game.Condition, v game.Vocabulary) string {
	yes := func(a, b string) string {
		if c.Not {
			return b
		}
		return a
	}
	who := func() string { return whoNames(c.Who, v) }
	object := func() string {
		if c.Object.ID == game.Me {
			return "I"
		}
		return refName(c.Object, v)
	}
	is := func(state, opposite string) string {
		verb := "is"
		if object() == "I" {
			verb = "am"
		}
		if c.Not {
			if opposite != "" {
				return object() + " " + verb + " " + opposite
			}
			return object() + " " + verb + " not " + state
		}
		return object() + " " + verb + " " + state
	}
	switch c.Kind {
	case "attacks":
		return is("attacked by "+who(), "")
	case "held":
		return is("held", "free")
	case "wounded":
		return is("wounded", "")
	case "hit":
		return is("hit", "")
	case "cover":
		return is("in cover", "")
	case "ally_in_line":
		if c.Object.IsZero() {
			return "any ally" + yes(" is", " is not") + " in the line of fire"
		}
		return is("in the line of fire", "")
	case "enters":
		return who() + yes(" enters ", " does not enter ") + refName(c.Area, v)
	case "leaves":
		return who() + yes(" leaves ", " does not leave ") + refName(c.Area, v)
	case "appears":
		s := who() + yes(" appears", " does not appear")
		if !c.Area.IsZero() {
			s += " at " + refName(c.Area, v)
		}
		return s
	case "vanishes":
		return who() + yes(" vanishes", " does not vanish")
	case "surrenders":
		return who() + yes(" surrenders", " does not surrender")
	case "signal":
		return who() + " gives the signal"
	case "opens":
		return refName(c.Object, v) + yes(" opens", " is not open")
	case "notice":
		return "I notice anything"
	case "grenade_lands":
		s := "a grenade lands"
		if c.Distance != nil {
			s += " within " + c.Distance.String()
		}
		if c.Distance != nil {
			return s + " of " + refName(c.Of, v)
		}
		return s + " near " + refName(c.Of, v)
	case "end_of_turn":
		return "the turn ends"
	case "miss":
		return "my shot misses"
	case "count":
		if c.Value != nil {
			return fmt.Sprintf("the count is %d", *c.Value)
		}
	case "time":
		if c.Value != nil {
			return fmt.Sprintf("it is %s %d", c.Unit, *c.Value)
		}
	}
	return ""
}

// specialWords are orders for special acts that have a name.
var specialWords = map[string]string{
	"battle_rage": "go into battle rage", "surrender": "surrender", "feign_death": "play dead", "tumble": "tumble",
	"nerve_combat": "use nerve combat", "lie_detection": "use lie detection",
}
