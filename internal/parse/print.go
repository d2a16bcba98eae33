package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// What is printed here is valid input: Orders reads it into the same plan.

// Phrases writes a plan as orders, one a line: steps, then the reactions that
// no hold feeds, standing orders, speech and questions to the GM.
func Phrases(p game.Plan, v game.Vocabulary) []string {
	var all []string
	fed := map[int][]game.Reaction{}
	for _, re := range p.Reactions {
		if re.Slot != nil {
			fed[*re.Slot] = append(fed[*re.Slot], re)
		}
	}
	for i, s := range p.Steps {
		line := Phrase(s, v)
		var held []string
		for _, re := range fed[i] {
			re.Round = 0
			held = append(held, PhraseReaction(re, v))
		}
		switch len(held) {
		case 0:
		case 1:
			line += ": " + held[0]
		default:
			line += ": [" + strings.Join(held, "], [") + "]"
		}
		all = append(all, line)
	}
	for _, re := range p.Reactions {
		if re.Slot == nil {
			all = append(all, PhraseReaction(re, v))
		}
	}
	for _, s := range p.Standing {
		switch {
		case s.Reaction != nil:
			all = append(all, "standing order: "+PhraseReaction(*s.Reaction, v))
		case s.Policy != nil:
			all = append(all, "standing order: "+Phrase(*s.Policy, v))
		}
	}
	for _, s := range p.Say {
		all = append(all, phraseSay(s.Text, s.To, v))
	}
	for _, a := range p.Ask {
		all = append(all, "question: "+a.Text)
	}
	return all
}

func round(n int) string {
	if n > 1 {
		return fmt.Sprintf("round %d: ", n)
	}
	return ""
}

// Phrase writes one intent as an order.
func Phrase(in game.Intent, v game.Vocabulary) string {
	s := round(in.Round) + phraseIntent(in, v) + phraseWay(in, v)
	if in.Pending != "" {
		s += " (not before you answer)"
	}
	return s
}

func phraseIntent(in game.Intent, v game.Vocabulary) string {
	if s := phraseMore(in, v); s != "" {
		return s
	}
	switch in.Verb {
	case "fire":
		return phraseFire(in, v)
	case "melee":
		return phraseMelee(in, v)
	case "move":
		return phraseMove(in, v)
	case "posture":
		switch in.Posture {
		case "prone":
			return "drop prone"
		case "stand":
			return "stand up"
		case "kneel":
			return "kneel down"
		}
		return "crouch down"
	case "reload":
		s := strings.TrimSpace("reload " + thingName(in.Weapon, v))
		if in.Ammo != "" {
			s += " with " + thingName(game.ID(in.Ammo), v)
		}
		return s + phraseOptions(in, v)
	case "ready":
		verb := map[string]string{"draw": "draw", "holster": "holster", "drop": "drop", "pick_up": "pick up", "swap": "switch to"}[in.Action]
		if verb == "" {
			verb = "draw"
		}
		if in.Action == "swap" && in.From != "" {
			return "swap " + thingName(game.ID(in.From), v) + " for " + thingName(in.Item, v)
		}
		return strings.TrimSpace(verb + " " + thingName(in.Item, v))
	case "use":
		if slices.ContainsFunc(v.Places, func(n game.Named) bool { return n.ID == in.Item }) {
			if in.Action != "" {
				return in.Action
			}
			return "use " + placeName(in.Item, v)
		}
		s := wearing(in) + " " + thingName(in.Item, v)
		if !in.On.IsZero() && in.On.ID != game.Me {
			if slices.ContainsFunc(v.Things, func(n game.Named) bool { return n.ID == in.On.ID }) {
				return s + " on " + thingName(in.On.ID, v)
			}
			s += " on " + refName(in.On, v)
		}
		return s
	case "set":
		if in.State != "" {
			return "turn " + in.State + " " + thingName(in.Item, v)
		}
		s := "set " + thingName(in.Item, v)
		if in.Mode != "" {
			return s + " to " + in.Mode
		}
		if in.Setting.Max {
			return s + " to full power"
		}
		return fmt.Sprintf("%s to power %d", s, in.Setting.N)
	case "face":
		if w := directionWords[in.Direction]; w != "" {
			return "face " + w
		}
		return "face " + refName(in.Target, v)
	case "special":
		if s := specialWords[in.Kind]; s != "" && in.Text == "" {
			if !in.Target.IsZero() {
				s += " on " + refName(in.Target, v)
			}
			return s
		}
		if in.Text == "" {
			return "special: " + strings.ReplaceAll(in.Kind, "_", " ")
		}
		return "special: " + in.Text
	case "hold":
		switch {
		case in.Segment > 0:
			return fmt.Sprintf("hold until segment %d", in.Segment)
		case in.Seconds > 0:
			return "hold for " + plural(in.Seconds, "second")
		case in.Second > 0:
			return fmt.Sprintf("hold until second %d", in.Second)
		}
		return "hold " + shots(max(in.Max, 1))
	case "say":
		return phraseSay(in.Text, in.Target.ID, v)
	case "if":
		return phraseIf(in, v)
	}
	return phraseOwn(in, v)
}

func shots(n int) string {
	if n == 1 {
		return "1 shot"
	}
	return strconv.Itoa(n) + " shots"
}

func phraseFire(in game.Intent, v game.Vocabulary) string {
	s := "fire " + shots(max(in.Shots, 1))
	if !in.Target.IsZero() {
		s += " at " + refName(in.Target, v)
	}
	if in.Weapon != "" {
		s += " with " + thingName(in.Weapon, v)
	}
	switch {
	case in.Setting.Max:
		s += " at full power"
	case in.Setting.N > 0:
		s += fmt.Sprintf(" at power %d", in.Setting.N)
	}
	s += settingOf(in.Mode)
	if in.Aim {
		s += " with careful aim"
	}
	if in.Lean {
		s += ", leaning out"
	}
	return s + phraseOptions(in, v) + phraseUntil(in, v)
}

// settingOf writes how a weapon is set; single shots go without saying.
func settingOf(mode string) string {
	if mode == "" || mode == "single" {
		return ""
	}
	return " on " + mode
}

// phraseMelee writes a blow; a gun that is swung is named by its butt.
func phraseMelee(in game.Intent, v game.Vocabulary) string {
	s := "strike"
	if !in.Target.IsZero() {
		s += " at " + refName(in.Target, v)
	}
	if in.Weapon != "" {
		with := " with "
		for _, t := range v.Things {
			if t.ID == in.Weapon && t.Thing != nil && t.Thing.Ranged {
				with = " with the butt of "
			}
		}
		s += with + thingName(in.Weapon, v)
	}
	s += settingOf(in.Mode)
	switch in.Ability {
	case "str":
		s += " by strength"
	case "dex":
		s += " by dexterity"
	}
	if in.Behind {
		s += " from behind"
	}
	if in.Blows > 1 {
		s += fmt.Sprintf(", %d blows", in.Blows)
	}
	return s + phraseOptions(in, v) + phraseUntil(in, v)
}

var relationWords = map[string]string{
	"behind": "behind", "beside": "beside", "in_front": "in front of", "onto": "onto", "into": "into", "under": "under",
	"through": "through", "past": "past", "around": "around", "between": "between",
}

var directionWords = map[string]string{
	"n": "north", "ne": "north-east", "e": "east", "se": "south-east", "s": "south", "sw": "south-west", "w": "west", "nw": "north-west",
	"forward": "forward", "back": "back", "left": "left", "right": "right",
}

var postureWords = map[string]string{"prone": "prone", "stand": "standing", "kneel": "kneeling", "crouch": "crouched"}

func phraseMove(in game.Intent, v game.Vocabulary) string {
	verb := in.Mode
	if verb == "" || verb == "sprint" {
		verb = "move"
	}
	if how := formName("move", "mode", in.Mode, v); strings.HasPrefix(how, "at ") && !slices.Contains([]string{"run", "walk", "dodge", "crawl"}, in.Mode) {
		in.Mode = ""
		return phraseMove(in, v) + " " + how
	}
	if !in.Follow.IsZero() {
		s := "follow " + refName(in.Follow, v)
		if in.Mode != "" {
			s += " " + map[string]string{"run": "running", "walk": "walking", "dodge": "dodging", "crawl": "crawling"}[in.Mode]
		}
		return strings.TrimSpace(s) + ending(in, v)
	}
	parts := []string{verb}
	if in.Distance != nil {
		parts = append(parts, in.Distance.String())
	}
	if w := directionWords[in.Direction]; w != "" {
		parts = append(parts, w)
	}
	if !in.AwayFrom.IsZero() {
		parts = append(parts, "away from", refName(in.AwayFrom, v))
	}
	if !in.To.IsZero() {
		relation := relationWords[in.Relation]
		if relation == "" {
			relation = "to"
		}
		parts = append(parts, relation, refName(in.To, v))
	}
	return strings.Join(parts, " ") + ending(in, v)
}

func ending(in game.Intent, v game.Vocabulary) string {
	if in.Weave {
		in.Weave = false
		return ", weaving" + ending(in, v)
	}
	if when := in.StopWhen; when != nil {
		in.StopWhen = nil
		return ending(in, v) + " until " + PhraseCondition(*when, v)
	}
	if w := postureWords[in.EndPosture]; w != "" {
		return ", ending " + w
	}
	return ""
}

func phraseSay(text string, to game.ID, v game.Vocabulary) string {
	s := `say "` + strings.ReplaceAll(text, `"`, "'") + `"`
	if to != "" {
		s += " to " + personName(to, v)
	}
	return s
}

// phraseIf writes an "if" step. One that would be read as a reaction says that
// it is for the own turn.
func phraseIf(in game.Intent, v game.Vocabulary) string {
	if in.When == nil {
		return "wait"
	}
	s := "if " + PhraseCondition(*in.When, v) + ", " + group(in.Then, v)
	if len(in.Else) > 0 {
		return s + ", otherwise " + group(in.Else, v)
	}
	if !in.When.Not && event(*in.When, false) {
		s = "on my turn, " + s
	}
	return s
}

// group writes several intents in brackets, so that it is clear what hangs on
// the condition.
func group(list []game.Intent, v game.Vocabulary) string {
	var all []string
	for _, in := range list {
		s := Phrase(in, v)
		if (in.Verb == "if" || in.Verb == "special") && len(list) > 1 {
			s = "[" + s + "]"
		}
		all = append(all, s)
	}
	s := strings.Join(all, ", then ")
	if len(list) == 1 && list[0].Verb != "if" && list[0].Verb != "special" {
		return s
	}
	return "[" + s + "]"
}

// actWords are the verbs of declares tests: third person, base form, and the
// preposition of their object.
var actWords = map[string][3]string{
	"fire": {"fires", "fire", "at"}, "burst": {"fires a burst", "fire a burst", "at"}, "throw": {"throws something", "throw something", "at"},
	"melee": {"strikes", "strike", "at"}, "wrestle": {"grapples", "grapple", ""}, "attack": {"attacks", "attack", ""},
	"move": {"moves", "move", ""}, "move_toward": {"comes closer", "come closer", "to"}, "move_away": {"moves away", "move away", "from"},
	"reload": {"reloads", "reload", ""}, "draw": {"draws a weapon", "draw a weapon", ""}, "use": {"uses something", "use something", ""},
	"speak": {"speaks", "speak", "to"}, "any": {"acts", "act", ""},
}

var opWords = map[string]string{"<": "less than", "<=": "at most", "=": "exactly", ">=": "at least", ">": "more than"}

// whoNames writes whom a condition watches.
func whoNames(w game.Who, v game.Vocabulary) string {
	var all []string
	for _, id := range w {
		if race, ok := strings.CutPrefix(string(id), "race:"); ok {
			all = append(all, "any "+race)
			continue
		}
		all = append(all, refName(game.To(id), v))
	}
	if len(all) == 0 {
		return "anyone"
	}
	return strings.Join(all, " or ")
}

var selectorWords = map[game.ID]string{
	game.AnyEnemy: "any enemy", game.AnyAlly: "any ally", game.Anyone: "anyone", game.NearestEnemy: "the nearest enemy",
	game.WeakestEnemy: "the weakest enemy", game.Leader: "the leader", game.Trigger: "whoever it is", game.Me: "me",
}

// refName writes a person, place, selector or square.
func refName(r game.Ref, v game.Vocabulary) string {
	if r.Square != nil {
		return r.Square.String()
	}
	if s := selectorWords[r.ID]; s != "" {
		return s
	}
	for _, p := range v.People {
		if p.ID == r.ID {
			return personName(r.ID, v)
		}
	}
	return placeName(r.ID, v)
}

func personName(id game.ID, v game.Vocabulary) string { return nameOf(id, v.People) }

// wearing is what somebody does who uses a thing: he puts it on, takes it off, or
// uses it.
func wearing(in game.Intent) string {
	said := append(strings.Fields(strings.ToLower(in.Action)), "", "")
	switch {
	case in.State == "carried", said[1] == "off", strings.HasPrefix(said[0], "unstrap"), strings.HasPrefix(said[0], "unbuckle"):
		return "take off the"
	case in.State == "off", said[1] == "on":
		return "put on"
	}
	return "use"
}

func thingName(id game.ID, v game.Vocabulary) string { return nameOf(id, v.Things) }
func placeName(id game.ID, v game.Vocabulary) string { return nameOf(id, v.Places) }

// nameOf is the best name, or the id if somebody else has that name too.
func nameOf(id game.ID, list []game.Named) string {
	name := string(id)
	for _, n := range list {
		if n.ID == id && len(n.Names) > 0 {
			name = n.Names[0]
		}
	}
	for _, n := range list {
		if n.ID == id {
			continue
		}
		for _, other := range n.Names {
			if strings.EqualFold(other, name) {
				return string(id)
			}
		}
	}
	return name
}
