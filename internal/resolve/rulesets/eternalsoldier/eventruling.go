package eternalsoldier

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Words that a ruling may say of an event besides those of the charts (12).
const (
	wordSuccess = "success" // of a parry or a dodge
	wordNothing = "nothing" // of a critical hit or a fumble: no more than the GM tells
	wordFree    = "free"    // it costs no time
	wordDud     = "dud"     // of what explodes: it does not go off
)

// peek is the ref that somebody's next event of a suffix will have in this segment.
func (e *engine) peek(f *Fighter, suffix string) string {
	return e.peeked(fmt.Sprintf("%s/s%d%s", f.ID, e.now, suffix))
}

func (e *engine) peeked(base string) string {
	if n := e.refs[base] + 1; n > 1 {
		return base + "." + strconv.Itoa(n)
	}
	return base
}

// cancelled is the ruling that calls an event off; a later outcome lifts it.
func (e *engine) cancelled(ref string) (game.Ruling, bool) {
	x, ok := e.rulings.Foretold(ref, "outcome")
	return x, ok && x.Value == resolve.WordCancel
}

// cancels tells that something is not done because the GM has called it off.
func (e *engine) cancels(f *Fighter, ev *game.Event, x game.Ruling, what string) {
	e.rulings.Used(x.N)
	ev.Outcome, ev.Reason, ev.Attack = "cancelled", "ruled", false
	private(ev, fmt.Sprintf("It does not come to that: %s does not %s.", f.Name, what))
	e.emit(ev)
	e.mark(f, "lost", ev.Ref, "cancelled")
}

// attackVerbs say in a sentence what an attack is.
var attackVerbs = map[string]string{"melee": "strike", "fire": "fire", "throw": "throw", "wrestle": "grapple"}

// callOff takes out the attacks that the GM has called off. The step of the plan is
// over.
func (e *engine) callOff() {
	if len(e.rulings.All()) == 0 {
		return
	}
	e.attacks = slices.DeleteFunc(e.attacks, func(a *attack) bool {
		x, ok := e.cancelled(e.peek(a.f, ""))
		if ok {
			e.name(a)
			e.cancels(a.f, a.ev, x, attackVerbs[a.ev.Kind])
			if len(a.f.Steps) > 0 {
				e.next(a.f)
			}
			a.f.Burst = nil
		}
		return ok
	})
}

// calledOff reports that what somebody was about to do in this segment is called off,
// once: its step is over.
func (e *engine) calledOff(f *Fighter, steps int) bool {
	if !e.off[f] {
		return false
	}
	delete(e.off, f)
	if len(f.Steps) == steps && steps > 0 {
		e.next(f)
	}
	return true
}

// gratis reports that what somebody has begun cost him no time, so that his plan
// goes on in this segment, once.
func (e *engine) gratis(f *Fighter) bool {
	free := e.gift[f]
	delete(e.gift, f)
	return free
}

// allowed tells whether the GM has lifted what kept somebody from doing what he
// ordered: from the segment on in which he was told that he cannot.
func (e *engine) allowed(f *Fighter) bool {
	for _, x := range e.rulings.All() {
		if x.Kind != game.RuleEvent || !strings.EqualFold(x.Value, resolve.WordAllow) {
			continue
		}
		segment, ok := strings.CutPrefix(x.Ref, string(f.ID)+"/s")
		segment, suffix, _ := strings.Cut(segment, ".")
		if n, err := strconv.Atoi(segment); ok && err == nil && n <= e.now && strings.HasPrefix(suffix, "x") {
			e.lifted[f] = x.N
			return true
		}
	}
	return false
}

// waves sorts the attacks of a segment into those that come one behind the other
// because the GM says so; without a ruling all are simultaneous.
func (e *engine) waves() [][]*attack {
	order := func(a *attack) int {
		n, _ := e.orderOf(a)
		return n
	}
	if len(e.rulings.All()) == 0 || !slices.ContainsFunc(e.attacks, func(a *attack) bool { _, ok := e.orderOf(a); return ok }) {
		return [][]*attack{e.attacks}
	}
	all := slices.Clone(e.attacks)
	slices.SortStableFunc(all, func(a, b *attack) int { return cmp.Compare(order(a), order(b)) })
	var out [][]*attack
	for i, a := range all {
		if i == 0 || order(a) != order(all[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], a)
	}
	return out
}

func (e *engine) orderOf(a *attack) (int, bool) {
	ref := a.ref
	if ref == "" {
		ref = e.peek(a.f, "")
	}
	x, ok := e.rulings.Foretold(ref, "order")
	n, err := strconv.Atoi(x.Value)
	return n, ok && err == nil
}

// tooLate takes back an attack of a later wave that cannot be made after what the
// earlier ones did.
func (e *engine) tooLate(a *attack) bool {
	if a.made || a.f.able() && !a.f.stunned(e.now) && a.f.LastAction < e.now && (a.target == nil || a.target.Status != dead) {
		return false
	}
	e.name(a)
	e.rulings.EventNumber(a.ref, "order")
	a.ev.Outcome, a.ev.Reason, a.ev.Attack = "lost", "too_late", false
	private(a.ev, fmt.Sprintf("%s comes too late to %s.", a.f.Name, attackVerbs[a.ev.Kind]))
	e.emit(a.ev)
	e.mark(a.f, "lost", a.ref, "too late")
	return true
}

// ruleSum puts what is ruled of one roll into its sum: a modifier, or the chance.
func (e *engine) ruleSum(ref string, s *sum) {
	lines, n := e.rulings.Mod(ref)
	s.total += n
	s.lines = append(s.lines, lines...)
	x, _ := e.rulings.Foretold(ref, "chance")
	if v, ok := e.rulings.EventNumber(ref, "chance"); ok {
		s.total = v
		s.lines = append(s.lines, game.Line{Label: "Set by the GM", Value: strconv.Itoa(v), Secret: x.Secret})
	}
}

// ruleTiming sets how early or late an attack is.
func (e *engine) ruleTiming(a *attack) {
	if v, ok := e.rulings.EventNumber(a.ref, "timing"); ok {
		a.timing = v
	}
}

// side is from where an attack comes: behind, flank, or nothing for the front (4.4).
func (e *engine) side(a *attack) string {
	switch word, _ := e.rulings.EventValue(a.ref, "side", "front", "flank", "behind"); word {
	case "front":
		return ""
	case "":
		return e.sideOf(a.f, a.target)
	default:
		return word
	}
}

// answerRuled is what the GM says that the target does about an attack: none, parry
// or dodge; nothing when he leaves it to the rules.
func (e *engine) answerRuled(a *attack) string {
	word, _ := e.rulings.EventValue(a.ref, "reaction", "none", "parry", "dodge")
	if word != "" {
		e.ruled(a.ev)
	}
	return word
}

// denied tells whether the GM calls a parry or a dodge off.
func (e *engine) denied(r *reaction) bool {
	x, ok := e.cancelled(e.peeked(string(r.f.ID) + "/" + r.to.ref))
	if ok {
		ev := e.event(e.answerRef(r.f, r.to.ref, ""), r.f, r.verb, "", map[string]string{"parry": "4.5", "dodge": "4.6"}[r.verb])
		ev.Target = r.to.f.ID
		e.cancels(r.f, ev, x, r.verb)
	}
	return ok
}

// keepsOn tells whether what somebody was drawing or loading goes on though he
// reacts (A17).
func (e *engine) keepsOn(r *reaction) bool {
	word, ok := e.rulings.EventValue(r.ev.Ref, "progress", "kept", "lost")
	if ok {
		return word == "kept"
	}
	return !e.yes("reaction_resets_activity")
}

// ruleBlow sets what is ruled of a blow that reaches somebody, or of what it does
// to him: its type, the armor that counts, where it hits.
func (e *engine) ruleBlow(ev *game.Event, b *blow) (layer game.ID) {
	for _, ref := range []string{b.from, ev.Ref} {
		if word, ok := e.rulings.EventValue(ref, "type", damageTypes...); ok {
			b.kind = word
		}
		if word, ok := e.rulings.EventValue(ref, "armor"); ok {
			b.bypass, layer = word == "none", ""
			if word != "none" && word != "all" {
				layer = game.ID(word)
			}
		}
		x, known := e.rulings.Foretold(ref, "location")
		if where, ok := e.rulings.EventValue(ref, "location"); ok && known {
			ev.Lines = append(ev.Lines, game.Line{Label: "Where it hits", Value: where, Secret: x.Secret})
		}
	}
	return layer
}

// untold is the row of a chart in whose place a ruling puts nothing.
const untold = "nothing more"

// chartRuled is the row of a chart that the GM puts in the place of the one that
// was rolled.
func (e *engine) chartRuled(ref string, chart []chartRow, row *chartRow, effects []string) *chartRow {
	word, ok := e.rulings.EventWord(ref, append(slices.Clone(effects), wordNothing)...)
	switch {
	case !ok:
		return row
	case word == wordNothing:
		text := untold
		if x, known := e.rulings.Foretold(ref, "outcome", wordNothing); known && x.Reason != "" && !x.Secret {
			text = x.Reason
		}
		return &chartRow{Effect: wordNothing, Text: text, Source: "C"}
	}
	return find(chart, func(c *chartRow) bool { return c.Effect == word })
}

// ruleDie adds what is ruled of a roll on an attribute to its modifier.
func (e *engine) ruleDie(ev *game.Event, modifier int) int {
	lines, n := e.rulings.Mod(ev.Ref)
	ev.Lines = append(ev.Lines, lines...)
	return modifier + n
}

// veil hides how an event was reckoned from all but the GM, for whom it stands in its
// lines, or shows what was kept from those whom it befalls, as ruled.
func (e *engine) veil(ev *game.Event) {
	switch word, _ := e.rulings.EventValue(ev.Ref, "dice", "hidden", "open"); word {
	case "hidden":
		for _, d := range ev.Dice {
			ev.Lines = append(ev.Lines, game.Line{Label: d.Name + ", d" + strconv.Itoa(d.Sides), Value: strconv.Itoa(d.Value)})
		}
		ev.Dice, ev.Numbers = []game.Die{}, map[string]int{}
		for i := range ev.Lines {
			ev.Lines[i].Secret = true
		}
	case "open":
		for i := range ev.Lines {
			ev.Lines[i].Secret = false
		}
	}
}

// coverRuled is the cover that the GM gives somebody against a shot, as a row of
// 5.4; not ok when he leaves it to the map.
func (e *engine) coverRuled(a *attack) (row string, ok bool) {
	word, ok := e.rulings.EventValue(a.ref, "cover", coverWords...)
	if !ok && a.target.Cover != "" {
		word, ok = a.target.Cover, true
	}
	if word == "none" {
		return "", ok
	}
	return "cover_" + word, ok
}

// lands sets where what explodes comes down, as ruled; dud: it does not go off.
func (e *engine) lands(a *attack, at *Point) (dud bool) {
	if word, ok := e.rulings.EventValue(a.ref, "lands"); ok {
		if s, ok := game.ParseSquare(word); ok {
			*at = e.inside(e.w.centre(s))
			a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Lands in", Value: s.String()})
		}
	}
	if _, dud = e.rulings.EventWord(a.ref, wordDud); dud {
		a.ev.Lines = append(a.ev.Lines, game.Line{Label: "It does not go off", Value: wordDud})
		place := *at
		a.arms.Weapon.State, a.arms.Weapon.Place = "on_ground", &place
	}
	return dud
}

// zoneOf is the zone of an explosion that somebody is in at a distance: kill,
// casualty or out (8.4); or the one that the GM puts him in.
func (e *engine) zoneOf(f *Fighter, d int, row *weaponRow) string {
	switch {
	case e.zones[f] != "":
		return e.zones[f]
	case d > row.CasualFeet*foot:
		return "out"
	case d > row.KillFeet*foot:
		return "casualty"
	}
	return "kill"
}

// bidden is the parry or the dodge that the GM has somebody make, whatever forbids
// it; nil: none, or he has nothing to parry with.
func (e *engine) bidden(a *attack, last int, word string) *reaction {
	f := a.target
	switch {
	case word == "none" || !f.able() || e.agile(f) < 1:
		return nil
	case word == "dodge":
		return e.dodge(a, last)
	}
	return e.anyParry(a, last, "", func(game.ID) bool { return false })
}
