package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Effect is something that goes on after the event that caused it: a stun, a
// poison, a wound that has not been treated (11, 12.4).
type Effect struct {
	Kind   string `json:"kind"`             // one of effectKinds
	Name   string `json:"name,omitempty"`   // what a wound is called
	Turns  int    `json:"turns,omitempty"`  // rounds to go; 0: until it is healed
	Wait   int    `json:"wait,omitempty"`   // rounds before its first
	Points int    `json:"points,omitempty"` // Stamina lost at the end of each round
	Dice   string `json:"dice,omitempty"`   // the same as dice
	Mod    int    `json:"mod,omitempty"`    // on attack rolls, as its kind says
	Check  int    `json:"check,omitempty"`  // on ability checks
	Sight  int    `json:"sight,omitempty"`  // metres that he still sees; 0: no limit
	Heal   string `json:"heal,omitempty"`   // what ends it: first_aid, minor_surgery, major_surgery, splint, hospital, solvaway
}

// Health is how somebody is apart from his Stamina.
type Health struct {
	Effects []Effect         `json:"effects,omitempty"` // what goes on: stuns, poison, wounds
	Ill     int              `json:"ill,omitempty"`     // Stamina lost to poison, which is no wound (1.1)
	Burned  int              `json:"burned,omitempty"`  // Stamina lost to fire, heat and acid in this encounter (11.6)
	Treated map[string]int64 `json:"treated,omitempty"` // rounds played when a treatment last helped him
	Task    *Task            `json:"task,omitempty"`    // what takes him several rounds
	Fell    int64            `json:"fell,omitempty"`    // rounds played, plus 1, when his Stamina was gone
	Ran     int64            `json:"ran,omitempty"`     // rounds for which he has run without a rest (17.4)
	RanAt   int64            `json:"ran_at,omitempty"`  // rounds played after the last of them
}

// effectKinds are the effects that the rules know.
var effectKinds = []string{
	"stunned", "unconscious", "incapacitated", // nothing can be done
	"bleeding", "poison", "burning", // Stamina is lost
	"smoke",            // Mod on all attack rolls
	"arm", "other_arm", // an arm is of no use: the one of the weapon, the other
	"leg",                 // half speed, no running, no dodging
	"sprain",              // half speed
	"broken_leg", "lamed", // no movement until it is splinted; crawling only
	"eyes",   // Mod on ranged attacks, Sight
	"chest",  // Mod on all attack rolls, Points for a round of running
	"winded", // no running
	"held", "entangled",
}

// limp are effects with which nothing can be done; shown are those that show on
// somebody as a state of the same name.
var (
	limp  = []string{"stunned", "unconscious", "incapacitated"}
	shown = []string{"stunned", "unconscious", "incapacitated", "held", "entangled"}
)

func (f *Fighter) has(kind string) bool {
	return slices.ContainsFunc(f.Effects, func(x Effect) bool { return x.Kind == kind })
}

// add begins an effect. Of two of a kind that end by themselves the one that
// goes on longest counts (11.2).
func (f *Fighter) add(x Effect) {
	if slices.Contains(shown, x.Kind) && !has(f.Status, x.Kind) {
		f.Status = append(f.Status, x.Kind)
	}
	if x.Turns > 0 && x.Points == 0 && x.Dice == "" {
		for i := range f.Effects {
			if o := &f.Effects[i]; o.Kind == x.Kind && o.Turns > 0 {
				o.Turns = max(o.Turns, x.Turns)
				return
			}
		}
	}
	if len(f.Effects) < maxEffects {
		f.Effects = append(f.Effects, x)
	}
}

// maxEffects bounds what one combatant can suffer from at a time.
const maxEffects = 50

// end ends the effects for which done is true, with the states that they show as.
func (f *Fighter) end(done func(Effect) bool) {
	var gone []string
	f.Effects = slices.DeleteFunc(f.Effects, func(x Effect) bool {
		if done(x) {
			gone = append(gone, x.Kind)
			return true
		}
		return false
	})
	f.Status = slices.DeleteFunc(f.Status, func(s string) bool {
		return slices.Contains(shown, s) && slices.Contains(gone, s) && !f.has(s) && (f.Now > 0 || s != "unconscious")
	})
	if len(f.Effects) == 0 {
		f.Effects = nil
	}
}

// endKind ends all effects of some kinds.
func (f *Fighter) endKind(kinds ...string) {
	f.end(func(x Effect) bool { return slices.Contains(kinds, x.Kind) })
}

// bound: threads hold him, and all that he can do is talk (10.3).
func (f *Fighter) bound() bool { return has(f.Status, "entangled") }

// tied gives the deeds that somebody bound can still do.
func tied(verb string) bool {
	switch verb {
	case "say", "wait", "ask", "hold", "special", "":
		return true
	}
	return false
}

// ails are the lines of a sum that come from what somebody suffers from (6.1
// no. 15, 7.1 no. 11).
func (f *Fighter) ails(ranged bool) []game.Line {
	var out []game.Line
	for _, x := range f.Effects {
		if x.Mod == 0 || x.Kind == "eyes" && !ranged {
			continue
		}
		label := x.Name
		if label == "" {
			label = resolve.Title(x.Kind)
		}
		out = append(out, game.Line{Label: label, Value: resolve.Signed(x.Mod)})
	}
	return out
}

// checks is what he suffers from takes off his ability checks (10.3).
func (f *Fighter) checks() int {
	sum := 0
	for _, x := range f.Effects {
		sum += x.Check
	}
	return sum
}

// blurred is how far somebody with hurt eyes sees, in metres; 0: as all others.
func (f *Fighter) blurred() int {
	least := 0
	for _, x := range f.Effects {
		if x.Sight > 0 && (least == 0 || x.Sight < least) {
			least = x.Sight
		}
	}
	return least
}

// mode is how fast somebody can move who ordered a mode: whoever is hurt in a
// leg neither runs nor dodges.
func (f *Fighter) mode(mode string) string {
	switch {
	case f.has("lamed"):
		return "crawl"
	case f.has("leg") && (mode == "run" || mode == "dodge"), f.has("winded") && mode == "run":
		return "walk"
	}
	return mode
}

// slowed is what hurts leave of an allowance, in metres (11.7, 12.4, 17.2).
func (f *Fighter) slowed(m int) int {
	for _, x := range f.Effects {
		switch x.Kind {
		case "broken_leg", "held", "entangled":
			return 0
		case "leg", "sprain":
			m /= 2
		}
	}
	return m
}

// unhandy tells why hurt arms keep somebody from using a weapon; an empty word: they do not.
func (f *Fighter) unhandy(wp *Weapon) string {
	arm, other := f.has("arm"), f.has("other_arm")
	if arm && other || wp.TwoHanded && (arm || other) {
		return "arm_useless"
	}
	return ""
}

// tick lets one round of everybody's lasting effects pass (4.7 step E): what
// hurts hurts, and what is over ends.
func (e *engine) tick() {
	for _, f := range e.w.Fighters {
		if len(f.Effects) > 0 {
			e.suffer(f)
		}
		e.drain(f)
	}
}

func (e *engine) suffer(f *Fighter) {
	ev := e.event(e.unique(fmt.Sprintf("%s/r%d.e", f.ID, e.round)), f, "status", "done")
	ev.Rule = "4.7"
	was := f.able()
	var told []string
	for i := range f.Effects {
		if look := e.ache(ev, f, &f.Effects[i]); look != "" {
			told = append(told, look)
		}
	}
	before := len(f.Effects)
	var over []string
	f.end(func(x Effect) bool {
		if x.Turns == -1 {
			over = append(over, x.Kind)
			return true
		}
		return false
	})
	if len(ev.Changes) == 0 && before == len(f.Effects) {
		return
	}
	for _, kind := range over {
		to := ""
		if slices.Contains(limp, kind) && f.able() && !was {
			to = "able"
			told = append(told, "comes round")
		} else {
			told = append(told, effectOver(kind))
		}
		ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", kind, to))
	}
	e.witnesses(ev, f, nil, false)
	e.tell(ev, f.Name+" "+strings.Join(told, ", ")+".")
}

// ache is one round of an effect; it gives what of it is to be seen. An effect
// that is over has -1 rounds to go.
func (e *engine) ache(ev *game.Event, f *Fighter, x *Effect) (look string) {
	if x.Wait > 0 {
		x.Wait--
		return ""
	}
	points := x.Points
	if x.Kind == "chest" {
		points = 0
		if s := e.by[f.ID]; s != nil && s.mode == "run" && s.walked > 0 {
			points = x.Points
		}
	}
	if n, err := resolve.ParseNotation(x.Dice); err == nil {
		points += e.rollSum(ev, "dmg", fmt.Sprintf("%s/r%d.e", f.ID, e.round), n)
	}
	if x.Kind == "entangled" && f.Now > e.Threads.BreakOver {
		x.Turns = -1
		return "tears the threads"
	}
	stopped := has(f.Status, "staydose") || x.Kind == "bleeding" && e.pressed[f.ID]
	if points > 0 && !stopped && f.Now > e.Stamina.BeyondHelp {
		label := x.Name
		if label == "" {
			label = resolve.Title(x.Kind)
		}
		ev.Lines = append(ev.Lines, game.Line{Label: label, Value: resolve.Signed(-points)})
		was := f.able()
		e.lose(ev, f, points, x.Kind)
		look = map[string]string{"bleeding": "bleeds", "poison": "sickens", "burning": "burns"}[x.Kind]
		if look == "" {
			look = "gasps"
		}
		if was && !f.able() {
			look += " and goes down"
		}
	}
	if x.Turns > 0 {
		if x.Turns--; x.Turns == 0 {
			x.Turns = -1
		}
	}
	return look
}

func effectOver(kind string) string {
	switch kind {
	case "stunned", "unconscious":
		return "stirs"
	case "poison":
		return "is rid of the poison"
	case "smoke":
		return "can breathe again"
	case "burning":
		return "has stopped burning"
	case "winded":
		return "has got his breath back"
	}
	return "is free of it"
}

// drain takes what a screen uses by the minute: every tenth round since it was
// switched on (14.1).
func (e *engine) drain(f *Fighter) {
	for i := range f.Items {
		it := &f.Items[i]
		row := e.defence(it.Kind, it.Name)
		if row == nil || row.SEUMinute == 0 || !it.protects(row) || (e.w.Played+1-it.Since)%10 != 0 {
			continue
		}
		cost := min(row.SEUMinute, it.Left)
		ev := e.event(e.unique(fmt.Sprintf("%s/r%d.e", f.ID, e.round)), f, "status", "done")
		ev.Rule = "14.1"
		ev.Changes = append(ev.Changes, changed(f.ID, "SEU", strconv.Itoa(it.Left), strconv.Itoa(it.Left-cost)))
		it.Left -= cost
		f.drained(it)
		if slices.Contains(row.Unverified, "seu_minute") {
			ev.Unverified = append(ev.Unverified, row.Name+": seu_minute")
		}
		e.spent(ev, f, guard{row: row, it: it})
		private(ev, fmt.Sprintf("%s's %s uses %d SEU; %d left.", f.Name, it.Name, cost, it.Left))
		e.emit(ev)
	}
}
