package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// What a combatant's mark of surprise may be (2.1): he makes a check, or has no
// chance to notice anything; then he has noticed something, or is surprised.
const (
	surpriseCheck   = "check"
	surpriseUnaware = "unaware"
	surpriseNoticed = "noticed"
	surpriseCaught  = "surprised"
)

// somethingWrong is what he notices when the game does not say what.
const somethingWrong = "Something is wrong here: a sound, a movement, a thing out of its place."

// startRulings applies what the GM rules for the whole of this turn (2.1, 21).
// Other figures that he sets without an event count at its end.
func (e *engine) startRulings() {
	e.round = 1
	for _, x := range e.rules.Sets("") {
		if x.On == game.OfTurn || x.On == game.OfGame {
			e.setScene(x)
		}
	}
	for _, x := range e.rules.Sets("") {
		if f := e.w.fighter(x.Who); f != nil && x.On == "" && slices.Contains(startFields, strings.ToUpper(x.Field)) {
			e.applySet(x, f)
		}
	}
}

// setAwareness sets what a ruling says of somebody's awareness and of what others
// perceive of him (21); told: he reads of it himself.
func (e *engine) setAwareness(ev *game.Event, f *Fighter, field, value string) (told, ok bool) {
	low := strings.ToLower(value)
	n, err := strconv.Atoi(value)
	yes := low == "yes"
	from := ""
	switch field {
	case "SURPRISE":
		from = f.Surprise
		switch {
		case e.stage.Settled:
			return false, false // his check is behind him
		case low == "no":
			f.Surprise = ""
		case low == surpriseCheck, low == surpriseUnaware:
			f.Surprise = low
		default:
			return false, false
		}
	case "SURPRISED":
		from = f.Surprise
		if !yes && low != "no" {
			return false, false
		}
		f.Surprise = map[bool]string{true: surpriseCaught}[yes]
	case "NOTICE":
		from, f.Notice = f.Notice, value
	case "SECRET", "SECOND", "LEAN":
		switch {
		case !yes && low != "no":
			return false, false
		case field == "SECRET":
			f.Secret = yes
		case field == "SECOND":
			f.Once = !yes
		default:
			from, f.Lean, told = f.Lean, low, true
		}
	case "SPOTTING":
		if err != nil || n < 1 || n > 1000 {
			return false, false
		}
		from, told = strconv.Itoa(f.Spotting), true
		f.Spotting = n
	case "VIEW":
		if err != nil || n < 1 || n > 100 {
			return false, false
		}
		from, told = strconv.Itoa(f.View), true
		f.View = n
	case "SHOWN", "VEILED":
		id := game.ID(low)
		if e.w.fighter(id) == nil || id == f.ID {
			return false, false
		}
		f.Shown = slices.DeleteFunc(f.Shown, func(x game.ID) bool { return x == id })
		f.Veiled = slices.DeleteFunc(f.Veiled, func(x game.ID) bool { return x == id })
		if field == "SHOWN" {
			f.Shown = append(f.Shown, id)
		} else {
			f.Veiled = append(f.Veiled, id)
		}
	case "KNOWN", "MASKED":
		id := game.ID(low)
		if e.w.fighter(id) == nil || id == f.ID {
			return false, false
		}
		f.Known = slices.DeleteFunc(f.Known, func(x game.ID) bool { return x == id })
		f.Masked = slices.DeleteFunc(f.Masked, func(x game.ID) bool { return x == id })
		if field == "KNOWN" {
			f.Known = append(f.Known, id)
		} else {
			f.Masked = append(f.Masked, id)
		}
	case "INITIATIVE":
		if err != nil || n < -50 || n > 50 {
			return false, false
		}
		from, told = strconv.Itoa(f.Bonus), true
		f.Bonus = n
	case "TIE":
		if err != nil || n < 0 || n > 1000 {
			return false, false
		}
		from, f.Tie = strconv.Itoa(f.Tie), n
	case "GROUP":
		with := e.w.fighter(game.ID(low))
		if with == nil || with.Player != "" || f.Player != "" {
			return false, false
		}
		from = string(f.Group)
		if with == f {
			f.Group = e.w.alone(f)
			break
		}
		if f.Group = with.Group; f.Group == "" {
			f.Group = with.ID
		}
		with.Group = f.Group
	case "SURRENDERED":
		if !yes && low != "no" {
			return false, false
		}
		f.Status = slices.DeleteFunc(f.Status, func(s string) bool { return s == surrendered })
		if yes {
			f.Status = append(f.Status, surrendered)
		}
		told = true
	case "POLICY":
		if !slices.Contains(policies, low) || f.Player != "" {
			return false, false
		}
		from, f.Policy = f.Policy, low
	case "FLEE":
		if err != nil || n < 0 || n > 1000 || f.Player != "" {
			return false, false
		}
		from, f.Flee = strconv.Itoa(f.Flee), n
	case "PROTECT":
		id := game.ID(low)
		if e.w.fighter(id) == nil || f.Player != "" {
			return false, false
		}
		from, f.Protect = string(f.Protect), id
	default:
		return false, false
	}
	ev.Changes = append(ev.Changes, changed(f.ID, field, from, value))
	return told, true
}

// startFields are set from the beginning of the turn in which they are ruled.
var startFields = []string{"SURPRISE", "SURPRISED", "NOTICE", "SECRET", "SECOND", "SHOWN", "VEILED", "KNOWN", "MASKED", "LEAN", "LOCKED", "INITIATIVE", "TIE", "GROUP"}

// tooLate tells that a figure was settled before an event: who notices what, and
// who rolls how, as the turn begins.
func tooLate(field, ref string) bool {
	switch strings.ToUpper(field) {
	case "SURPRISE", "SURPRISED", "NOTICE", "SECOND":
		return ref != ""
	case "INITIATIVE":
		return ref != "" && !strings.HasSuffix(ref, ".i")
	}
	return false
}

// alone is a name under which nobody but one foe rolls initiative.
func (w *World) alone(f *Fighter) game.ID {
	id := f.ID
	for n := 2; slices.ContainsFunc(w.Fighters, func(o *Fighter) bool { return o != f && (o.Group == id || o.Player == id || o.ID == id) }); n++ {
		id = game.ID(fmt.Sprintf("%s-%d", f.ID, n))
	}
	return id
}

// settleSurprise rolls the checks of all who are marked (2.1). Whoever notices
// something and has left no word for it is asked what he does: a pause.
func (e *engine) settleSurprise(plans map[game.ID]ordered) *game.Pause {
	e.round = 1
	p := game.Pause{Reason: "surprise", Briefs: map[game.ID]string{}}
	for _, f := range e.w.Fighters {
		if !f.able() {
			continue
		}
		switch f.Surprise {
		case surpriseCheck:
			e.notice(f)
		case surpriseUnaware:
			ev := e.surpriseEvent(f)
			ev.Lines = append(ev.Lines, game.Line{Label: "No chance to notice anything", Value: "surprised"})
			f.Surprise = surpriseCaught
			e.surpriseRuled(ev, f)
		default:
			continue
		}
		if f.Surprise != surpriseNoticed {
			continue
		}
		if do, ok := noticeReply(f, plans[f.ID].plan); ok {
			plans[f.ID] = ordered{game.Plan{Steps: do, Say: plans[f.ID].plan.Say}, true}
			continue
		}
		if f.Player != "" {
			p.Asks = append(p.Asks, f.ID)
			p.Briefs[f.ID] = f.whatHeNotices() + " What does " + f.Name + " do, before anything happens?"
			e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
				Ref: fmt.Sprintf("%s/r1.u", f.ID), Kind: "surprise",
				Text:    fmt.Sprintf("%s notices something and will be asked what to do.", f.Name),
				Default: "he is told: " + f.whatHeNotices(),
				Answer:  string(f.ID) + " NOTICE " + f.whatHeNotices(),
			})
		}
	}
	return e.pause(p, plans)
}

func (f *Fighter) whatHeNotices() string {
	if f.Notice != "" {
		return f.Notice
	}
	return somethingWrong
}

// noticeReply is the standing answer to noticing something: "if I notice
// anything, …".
func noticeReply(f *Fighter, p game.Plan) ([]game.Intent, bool) {
	list := slices.Clone(p.Reactions)
	for _, s := range slices.Concat(p.Standing, f.Standing) {
		if s.Reaction != nil {
			list = append(list, *s.Reaction)
		}
	}
	for _, x := range list {
		if x.When.Kind == "notice" && !x.When.Not && len(x.Do) > 0 {
			return x.Do, true
		}
	}
	return nil, false
}

// surpriseEvent begins the event of a check, which nobody but the GM is told of
// unless it is passed.
func (e *engine) surpriseEvent(f *Fighter) *game.Event {
	ev := e.event(fmt.Sprintf("%s/r1.u", f.ID), f, "surprise", "surprised")
	ev.Rule, ev.At = "2.1", 0
	ev.Text[game.All] = f.Name + " suspects nothing."
	return ev
}

// notice is the Intuition check of one who has a chance to notice (2.1).
func (e *engine) notice(f *Fighter) {
	ev := e.surpriseEvent(f)
	chance := f.INT
	ev.Lines = append(ev.Lines, game.Line{Label: "Intuition", Value: strconv.Itoa(f.INT) + "%"})
	if v, ok := e.rules.EventNumber(ev.Ref, "chance"); ok {
		chance = v
	}
	roll := e.rules.Roll(fmt.Sprintf("surprise/%s/r1", f.ID), 100)
	ev.Dice = append(ev.Dice, roll)
	ev.Numbers["chance"], ev.Numbers["roll"] = chance, roll.Value
	ev.Lines = append(ev.Lines, game.Line{Label: "Chance", Value: strconv.Itoa(chance) + "%"}, game.Line{Label: "Roll", Value: strconv.Itoa(roll.Value)})
	f.Surprise = surpriseCaught
	if roll.Value <= chance {
		f.Surprise = surpriseNoticed
	}
	e.surpriseRuled(ev, f)
}

// surpriseRuled ends the event of a check with the GM's word on it.
func (e *engine) surpriseRuled(ev *game.Event, f *Fighter) {
	if word, ok := e.rules.EventWord(ev.Ref, surpriseNoticed, surpriseCaught); ok {
		f.Surprise = word
	}
	if f.Surprise == surpriseNoticed {
		ev.Outcome = surpriseNoticed
		private(ev, fmt.Sprintf("%s notices something. %s", f.Name, f.whatHeNotices()))
	}
	e.emit(ev)
}

// takenBySurprise cuts a plan down to what is left to somebody surprised: to
// move and take cover (2.1). dropped tells that there was more to it.
func takenBySurprise(p game.Plan) (left game.Plan, dropped bool) {
	left = game.Plan{Say: p.Say, Steps: onlyMoves(p.Steps, 0)}
	n, m := 0, 0
	count := func(n *int) func(*game.Intent) { return func(*game.Intent) { *n++ } }
	each(p.Steps, count(&n))
	each(left.Steps, count(&m))
	return left, n != m || len(p.Reactions) > 0
}

func onlyMoves(steps []game.Intent, depth int) []game.Intent {
	var out []game.Intent
	for _, s := range steps {
		switch s.Verb {
		case "move", "posture", "face", "say", "wait":
			out = append(out, s)
		case "if":
			s.Then, s.Else = onlyMoves(s.Then, depth+1), onlyMoves(s.Else, depth+1)
			if depth <= game.MaxNesting && len(s.Then)+len(s.Else) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// caught tells somebody surprised what is left to him.
func (e *engine) caught(s *state) {
	ev := e.event(e.unique(fmt.Sprintf("%s/r%d.v", s.f.ID, e.round)), s.f, "surprise", "surprised")
	ev.Rule, ev.Reason = "2.1", "surprised"
	text := fmt.Sprintf("%s is taken by surprise: all that is left is to move and take cover.", s.f.Name)
	if s.dropped {
		ev.Outcome = "lost"
		text += " The rest of the orders is lost."
	}
	private(ev, text)
	e.emit(ev)
}

// surpriseTotals puts everybody surprised below all others (2.1 no. 6); where
// sides roll, ranks sees to it.
func (e *engine) surpriseTotals() {
	if e.w.setting("sequence") == "side" {
		return
	}
	var others []int
	for _, s := range e.st {
		if !s.surprised {
			others = append(others, s.init.total)
		}
	}
	for _, s := range e.st {
		if s.surprised {
			s.init.total = surprisedTotal(s.init.total, others)
		}
	}
}

// sideCaught tells that everybody of a side who can act is surprised.
func (e *engine) sideCaught(side game.ID) bool {
	return !slices.ContainsFunc(e.st, func(s *state) bool { return s.side() == side && !s.surprised })
}
