package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// wordDeny is what a ruling may say of a reaction: it is not set off (21).
const wordDeny = "deny"

// allowed tells whether the GM lets a deed be done this once. The deed marks
// the ruling as used when it is done: see lifted.
func (e *engine) allowed(ref string) bool {
	_, ok := e.rules.Foretold(ref, "outcome", resolve.WordAllow)
	return ok
}

// lifted notes that a deed was done because the GM allows it.
func (e *engine) lifted(ref string) { e.rules.EventWord(ref, resolve.WordAllow) }

// calledOff tells whether the GM has cancelled a deed; its event says so.
func (e *engine) calledOff(s *state, verb, ref string) bool {
	last, ok := e.rules.Foretold(ref, "outcome", append(slices.Clone(outcomes), resolve.WordAllow, resolve.WordCancel)...)
	if !ok || last.Value != resolve.WordCancel {
		return false
	}
	e.rules.Used(last.N)
	s.failed = true
	ev := e.event(ref, s.f, verb, "cancelled")
	ev.Reason = "ruled"
	private(ev, fmt.Sprintf("It does not come to that: %s does not %s.", s.f.Name, verbPhrase(verb)))
	e.emit(ev)
	e.mark(s, "lost", ref, "cancelled")
	return true
}

// peek is the ref that the next event of a sub-action will have.
func (e *engine) peek(s *state, k int, suffix string) string {
	base := fmt.Sprintf("%s/r%d.%d%s", s.f.ID, e.round, k, suffix)
	ref := e.unique(base)
	e.refs[base]--
	return ref
}

// denied tells whether the GM rules that what is held in sub-action k is not set
// off now. Each ruling denies it once; he keeps it.
func (e *engine) denied(c *state, k int) bool {
	base := fmt.Sprintf("%s/r%d.%d", c.f.ID, e.round, k)
	for _, ref := range []string{base, base + "m", base + "h"} {
		x, ok := e.rules.Unspent(ref, wordDeny)
		if !ok {
			continue
		}
		ev := e.event(e.unique(base+"n"), c.f, "hold", "denied")
		ev.Rule, ev.Reason = "4.5.2", "ruled"
		text := fmt.Sprintf("This is not the moment that %s is waiting for.", c.f.Name)
		ev.Text[game.All] = text
		if !x.Secret {
			private(ev, text)
		}
		e.emit(ev)
		return true
	}
	return false
}

// ruleReaction carries out REACTS: what somebody holds is set off by the deed of
// s that is about to be done, whatever the rules say; or nothing of it is.
func (e *engine) ruleReaction(x game.Ruling, f *Fighter, s *state) {
	c := e.by[f.ID]
	if c == nil || s == nil || c == s || e.refs["set"+strconv.Itoa(x.N)] > 0 {
		return
	}
	yes := strings.EqualFold(strings.TrimSpace(x.Value), "yes")
	by := &happening{class: "declare", who: s}
	var h *held
	var ks []int
	for _, one := range c.rx {
		if yes && one.left > 0 && f.able() {
			if ks = e.atHand(c, one); len(ks) > 0 && e.possible(c, one, by) {
				h = one
				break
			}
		}
	}
	if yes && h == nil {
		return
	}
	e.refs["set"+strconv.Itoa(x.N)]++
	e.rules.Used(x.N)
	ev := e.event(fmt.Sprintf("%s/r%d.g%d", f.ID, e.round, x.N), f, "ruling", "done")
	ev.Reason = strings.TrimSpace(x.Reason)
	text := fmt.Sprintf("GM ruling %d: %s does not react to this.", x.N, f.Name)
	if yes {
		text = fmt.Sprintf("GM ruling %d: %s reacts now.", x.N, f.Name)
	}
	ev.Text[game.All] = text
	if !x.Secret {
		private(ev, text)
	}
	e.emit(ev)
	if !yes {
		e.mute[f.ID] = true
		return
	}
	e.react(c, h, by, ks)
}

// atHand lists the held sub-actions that a reaction may spend when the GM sets it
// off: all that are left, whether their slots have come or not.
func (e *engine) atHand(c *state, h *held) []int {
	defer func(was bool) { e.unslotted = was }(e.unslotted)
	e.unslotted = true
	return e.spare(c, h)
}

// ruleCover gives a target the cover that the GM rules for one shot.
func (e *engine) ruleCover(ref string, sh *shot) {
	if word, ok := e.rules.EventValue(ref, "cover", "none", "soft", "hard"); ok {
		if sh.cover = word; word == "none" {
			sh.cover = ""
		}
	}
}

// ruledGuards are the defences of 14 that count against an attack, as ruled.
func (e *engine) ruledGuards(ref string, all []guard) []guard {
	word, ok := e.rules.EventValue(ref, "defence", append([]string{"none", "all"}, defenceClasses...)...)
	if !ok || word == "all" {
		return all
	}
	return slices.DeleteFunc(all, func(g guard) bool { return g.row.Class != word })
}

// ruledHalf halves damage, or does not, as ruled.
func (e *engine) ruledHalf(ev *game.Event, points int) int {
	if yes, ok := e.rules.EventFlag(ev.Ref, "halved"); ok && yes {
		points = halved(points, e.halvesUp())
		ev.Lines = append(ev.Lines, game.Line{Label: "Halved by the GM", Value: strconv.Itoa(points), Secret: true})
	}
	return points
}

// located notes where a hit sits, for the report.
func (e *engine) located(ev *game.Event) {
	x, known := e.rules.Foretold(ev.Ref, "location")
	if where, ok := e.rules.EventValue(ev.Ref, "location"); ok && known {
		ev.Lines = append(ev.Lines, game.Line{Label: "Where it hits", Value: where, Secret: x.Secret})
	}
}
