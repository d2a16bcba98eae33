package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// ref names an event of sub-action k; suffix tells what belongs to it (see the
// package comment). It is unique: repeated ones are numbered.
func (e *engine) ref(s *state, k int, suffix string) string {
	return e.unique(fmt.Sprintf("%s/r%d.%d%s", s.f.ID, e.round, k, suffix))
}

func (e *engine) unique(base string) string {
	e.refs[base]++
	if n := e.refs[base]; n > 1 {
		if last := base[len(base)-1]; last >= '0' && last <= '9' {
			base += "."
		}
		return base + strconv.Itoa(n)
	}
	return base
}

// event begins one; it is stored by emit. What the GM has set before it and was
// not set yet is set now.
func (e *engine) event(ref string, f *Fighter, kind, outcome string) *game.Event {
	if ref != "" {
		e.applySets(ref, e.by[f.ID])
	}
	return resolve.NewEvent(ref, e.round, e.count, f.ID, kind, outcome, "")
}

// emit stores an event with the rulings that touched it. A line of its sum
// names each of them.
func (e *engine) emit(ev *game.Event) {
	touched := slices.Concat(e.rules.Take(), e.rules.On(ev.Ref), e.rules.OnDice(ev.Dice))
	slices.Sort(touched)
	e.rules.Note(ev, slices.Compact(touched))
	resolve.Told(ev)
	e.out.Inquiries = append(e.out.Inquiries, resolve.Unprinted(ev, &e.w.Named)...)
	e.look()
	e.out.Events = append(e.out.Events, *ev)
	e.note(ev)
}

func (e *engine) mark(s *state, kind, ref, text string) {
	// A surprised one comes after all others (2.1 no. 6).
	m := game.Mark{Round: e.round, At: e.count, Who: s.f.ID, Kind: kind, Ref: ref, Text: text, Masked: s.surprised}
	if e.cause != nil {
		m.On = e.cause.f.ID
		if kind == "act" {
			m.Kind = "react"
		}
	}
	e.out.Timeline = append(e.out.Timeline, m)
}

// private makes an event one that only the actor and the GM know of.
func private(ev *game.Event, text string) {
	ev.Seen[ev.Actor] = game.Own
	ev.Text[game.All], ev.Text[game.Own] = text, text
}

func (e *engine) initiativeEvent(s *state, ref string) {
	i := s.init
	ev := e.event(ref, s.f, "initiative", "done")
	ev.At = i.total
	ev.Rule = "3.2"
	ev.Dice = append(ev.Dice, i.die)
	ev.Numbers["total"], ev.Numbers["actions"] = i.total, s.n
	base := i.modifier
	if i.holster {
		base -= e.Initiative.Holster
	}
	if i.die.Name == "" {
		ev.Dice = ev.Dice[:0]
	} else {
		who := ""
		if r := e.w.fighter(i.roller); r != nil && r != s.f {
			who = ", rolled by " + r.Name
		}
		ev.Lines = append(ev.Lines, game.Line{Label: "Initiative die" + who, Value: strconv.Itoa(i.die.Value)})
	}
	label := "Initiative modifier"
	if i.roller != "" {
		label = "Highest initiative modifier of the side"
	}
	ev.Lines = append(ev.Lines, game.Line{Label: label, Value: resolve.Signed(base)})
	if i.holster {
		ev.Lines = append(ev.Lines, game.Line{Label: "Weapon holstered or slung", Value: resolve.Signed(e.Initiative.Holster)})
	}
	if i.bonus != 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "GM", Value: resolve.Signed(i.bonus)})
	}
	text := fmt.Sprintf("%s has initiative %d.", s.f.Name, i.total)
	if s.surprised {
		// By how much the others are before him would tell of others.
		ev.Rule, ev.Masked = "2.1", true
		ev.Lines = append(ev.Lines, game.Line{Label: "Surprised: after all others", Value: strconv.Itoa(i.total), Secret: true})
		private(ev, text)
		ev.Text[game.Own] = s.f.Name + " is surprised, and acts after all others."
	} else {
		ev.Lines = append(ev.Lines, game.Line{Label: "Initiative", Value: strconv.Itoa(i.total)})
		private(ev, text)
	}
	if orders := e.ruled[s.f.ID]; len(orders) > 0 {
		ev.Ruled = append(ev.Ruled, orders...)
		ev.Lines = append(ev.Lines, e.rules.Lines(orders)...)
		delete(e.ruled, s.f.ID)
	}
	ev.Text[game.Seen] = text
	visible := e.w.setting("pbem.init_visible")
	for _, v := range e.w.Fighters {
		if v != s.f && !s.surprised && (visible == "all_public" || visible != "hidden" && v.able() && e.knows(v, s.f)) {
			ev.Seen[v.ID] = game.Seen
		}
	}
	e.emit(ev)
}

// tieEvent tells the GM alone of a tie die: that there was a tie says that there
// is somebody with the same figures, whom the other may not perceive.
func (e *engine) tieEvent(s *state, d game.Die) {
	ev := e.event(e.unique(fmt.Sprintf("%s/r%d.t", s.f.ID, e.round)), s.f, "tie", "done")
	ev.At, ev.Rule = s.init.total, "3.4"
	ev.Dice = append(ev.Dice, d)
	ev.Lines = append(ev.Lines, game.Line{Label: "Tie die", Value: strconv.Itoa(d.Value)})
	ev.Text[game.All] = fmt.Sprintf("%s rolls %d for the tie.", s.f.Name, d.Value)
	e.emit(ev)
}

func (e *engine) holdEvent(s *state, k int) {
	ref := e.ref(s, k, "h")
	e.applySets(ref, s)
	ev := e.event(ref, s.f, "hold", "done")
	ev.Rule = "4.5.2"
	private(ev, fmt.Sprintf("%s waits for the right moment.", s.f.Name))
	e.emit(ev)
	e.mark(s, "hold", ref, "holds")
}

func (e *engine) unusedEvent(s *state, k int) {
	ref := e.ref(s, k, "x")
	ev := e.event(ref, s.f, "lost", "lost")
	ev.Rule, ev.Reason = "4.5.2", "not_triggered"
	private(ev, fmt.Sprintf("The moment that %s was waiting for did not come.", s.f.Name))
	e.emit(ev)
}

// lostUnit notes a sub-action that can no longer be carried out.
func (e *engine) lostUnit(s *state, u unit, k int) {
	if u.act.Verb == "" && len(u.pre) == 0 {
		return
	}
	ref := e.ref(s, k, "")
	ev := e.event(ref, s.f, "lost", "lost")
	ev.Rule, ev.Reason = "4.7", "out_of_action"
	private(ev, fmt.Sprintf("%s is out of action and cannot %s.", s.f.Name, verbPhrase(unitWord(u))))
	e.emit(ev)
	e.mark(s, "lost", ref, "out of action")
}

// sees is perception at this instant.
func (e *engine) sees(viewer, other *Fighter) bool {
	return e.w.seesAt(e.tables, e.g, viewer, other, other.Place, e.lean)
}

// knows is seeing within detail distance.
func (e *engine) knows(viewer, other *Fighter) bool {
	return e.w.tells(e.tables, viewer, other) && e.sees(viewer, other)
}

// called is what somebody is to the one who acts: who is out of sight keeps the
// name that he had when the round began.
func (e *engine) called(s *state, other *Fighter) string {
	if e.sees(s.f, other) || e.w.relation(s.f, other) == "ally" {
		return e.w.nameFor(e.tables, s.f, other)
	}
	for _, o := range s.others {
		if o.ID == other.ID {
			return o.Name
		}
	}
	return distant
}

// witnesses grades everybody's perception of a deed with at most one target.
// What touches somebody he always notices; noise is heard by whoever is awake.
func (e *engine) witnesses(ev *game.Event, actor, target *Fighter, loud bool) {
	resolve.Witnesses(ev, e.w.Fighters, actor, target != nil, loud, func(v *Fighter) (game.ID, resolve.Onlooker) {
		if v == actor {
			return v.ID, resolve.Onlooker{}
		}
		return v.ID, resolve.Onlooker{Actor: e.knows(v, actor), Target: target == nil || v == target || e.knows(v, target), Struck: v == target, Awake: v.able()}
	})
}

// speak says what the plan lets him say, once, when he first acts.
func (e *engine) speak(s *state) {
	if s.spoke || !e.able(s.f) {
		return
	}
	s.spoke = true
	for _, x := range s.plan.Say {
		e.speech(s, x.Text, x.To)
	}
	e.aftermath(atOnce)
}

func (e *engine) speech(s *state, text string, to game.ID) {
	if text == "" {
		return
	}
	ev := e.event(e.unique(fmt.Sprintf("%s/r%d.s", s.f.ID, e.round)), s.f, "speech", "done")
	ev.Seen[s.f.ID] = game.Own
	said := fmt.Sprintf("%s: \u201c%s\u201d", s.f.Name, text)
	own := said
	// Words to somebody he does not know of are words to everybody.
	if hearer := e.scene(s).person(to); hearer != nil {
		ev.Target = to
		said = fmt.Sprintf("%s to %s: \u201c%s\u201d", s.f.Name, e.w.fighter(to).Name, text)
		own = fmt.Sprintf("%s to %s: \u201c%s\u201d", s.f.Name, hearer.name, text)
	}
	for _, v := range e.w.Fighters {
		if v == s.f || !v.able() || ev.Target != "" && v.ID != ev.Target {
			continue
		}
		// A comrade's voice is known.
		if e.knows(v, s.f) || e.w.relation(v, s.f) == "ally" {
			ev.Seen[v.ID] = game.Seen
		} else {
			ev.Seen[v.ID] = game.Heard
		}
	}
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = said, own, said
	ev.Text[game.Heard] = fmt.Sprintf("A voice: \u201c%s\u201d", text)
	e.emit(ev)
}

func changed(who game.ID, field, from, to string) game.Change {
	return game.Change{Who: who, Field: field, From: from, To: to}
}
