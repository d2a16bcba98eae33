package starfrontiers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// ordered is a plan as it came in, with where it came from.
type ordered struct {
	plan  game.Plan
	given bool
}

// plans collects what everybody was ordered; a ruling replaces a plan.
func (e *engine) plans() map[game.ID]ordered {
	out := e.carried(e.in.Orders)
	for _, f := range e.w.Fighters {
		if p, ok := e.rules.Orders(f.ID); ok {
			out[f.ID] = ordered{p, true}
			e.ruled[f.ID] = e.rules.Take()
		}
	}
	return out
}

// prepare reads a combatant's plan for the round as his rules check gives it.
func (e *engine) prepare(f *Fighter, plans map[game.ID]ordered) *state {
	s := &state{f: f, rs: f.reaction(e.tables), mode: "stationary", ruledLock: f.Lock}
	k := e.know(f)
	s.others = k.v.Others
	o, ok := plans[f.ID]
	part := game.Plan{}
	if ok {
		part, ok = roundOf(o.plan, e.round)
	}
	s.given = ok && o.given
	if !ok {
		part, _ = roundOf(k.silence(), 1)
	}
	e.unbuilt(f, part)
	s.plan, _ = check(k, part)
	if e.round == 1 {
		e.kept[f.ID] = s.plan
	}
	s.uses = weaponsUsed(s.plan)
	if first, ok := e.stage.First[f.ID]; ok && e.round == 1 {
		// What was declared first can be read by others, and its price has been
		// paid: another plan does not give it back (4.3).
		was, _ := check(k, first)
		maps.Copy(s.uses, weaponsUsed(was))
		if e.again[f.ID] {
			s.first = was.Steps
		}
	}
	if s.surprised = f.Surprise == surpriseCaught && e.round == 1; s.surprised {
		s.plan, s.dropped = takenBySurprise(s.plan)
		s.uses = weaponsUsed(s.plan)
	}
	s.mode = declaredMode(s.plan.Steps)
	s.defends = slices.ContainsFunc(s.plan.Steps, func(in game.Intent) bool { return in.Verb == "defend" }) // from the start (7.1)
	each(s.plan.Steps, func(in *game.Intent) {
		if in.Verb == "fire" {
			s.shots += max(in.Shots, 1)
		}
	})
	s.pair = pairOf(s.plan.Steps, s.plan.Reactions)
	s.units, s.after = compile(s.plan.Steps)
	s.units, s.after = withHolds(s.units, s.after, s.plan.Reactions)
	for _, x := range s.plan.Reactions {
		if x.When.Kind == "notice" {
			continue // the word left for a surprise (2.1)
		}
		h := &held{Reaction: x, left: x.Max, classes: e.classesOf(x.When)}
		e.alert = e.alert || slices.Contains(h.classes, "effect") || slices.Contains(h.classes, "count") || slices.Contains(h.classes, "declare")
		if x.Slot != nil {
			for k, u := range s.units {
				if u.step == *x.Slot {
					h.feed = k + 1
				}
			}
		}
		s.rx = append(s.rx, h)
	}
	e.fixCount(s)
	return s
}

// unbuilt asks the GM about orders whose rules are not built yet.
func (e *engine) unbuilt(f *Fighter, p game.Plan) {
	told := map[string]bool{}
	note := func(in *game.Intent) {
		row := e.verb(in.Verb)
		if row == nil || row.Built || told[in.Verb] {
			return
		}
		told[in.Verb] = true
		e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
			Ref: fmt.Sprintf("%s/r%d.1", f.ID, e.round), Kind: "not_built",
			Text:    fmt.Sprintf("%s was ordered to %s; the rules of this system are not built for that yet.", f.Name, strings.ReplaceAll(in.Verb, "_", " ")),
			Default: "nothing happens",
			Answer:  fmt.Sprintf("%s STA %d", f.ID, f.Now),
		})
	}
	each(p.Steps, note)
	for _, x := range p.Reactions {
		each(x.Do, note)
	}
}

// fixCount sets the number of sub-actions that the slots are computed with.
func (e *engine) fixCount(s *state) {
	s.n = len(s.units)
	if s.actions > 0 {
		s.n = s.actions
		return
	}
	if e.w.setting("pbem.n_basis") == "entitled" && !s.surprised {
		s.n = max(s.n, s.f.entitlement(e.tables, s.plan.Steps, s.plan.Reactions))
	}
}
