package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// reaction is a parry or a dodge (4.5, 4.6, 5.7).
type reaction struct {
	f       *Fighter
	to      *attack
	verb    string   // parry or dodge
	arms    arms     // of a parry
	hold    *holdRow // a technique in place of a parry (10.2)
	ready   int
	early   int
	penalty int  // for that, 0 or negative
	giveUp  bool // its policy would give up an attack of the same segment
	sum     sum
	most    int // of a dodge against a missile: the threshold
	roll    int
	result  string
	chart   string // what a fumble comes to
	ev      *game.Event
}

// isPolicy reports what says how to react to attacks.
func isPolicy(verb string) bool {
	switch verb {
	case "parry_policy", "dodge_policy", "take_blow", "counter_throw":
		return true
	}
	return false
}

// policies are somebody's reaction policies, best first: by rank, then as written.
func (f *Fighter) policies() []game.Intent {
	var out []game.Intent
	for _, s := range f.Standing {
		if s.Policy != nil && isPolicy(s.Policy.Verb) {
			out = append(out, *s.Policy)
		}
	}
	slices.SortStableFunc(out, func(a, b game.Intent) int {
		if a.Rank == 0 || b.Rank == 0 {
			return 0
		}
		return a.Rank - b.Rank
	})
	return out
}

// against reports that a policy speaks of an attack.
func (e *engine) against(f *Fighter, who game.Who, a *attack) bool {
	if len(who) == 0 {
		return true
	}
	for _, w := range who {
		missile := a.arms.missile()
		switch w {
		case "all", game.Anyone, game.AnyEnemy:
			return true
		case "melee":
			if !missile {
				return true
			}
		case "missile":
			if missile {
				return true
			}
		case "critical":
			if a.result == critical {
				return true
			}
		case a.f.ID, a.arms.Kind, a.arms.row.ID, game.ID(a.arms.row.Missile):
			return true
		}
	}
	return false
}

// decide is what somebody does about an attack by his policies; nil: he takes
// it. last is the action that readiness counts from.
func (e *engine) decide(a *attack, last int) *reaction {
	f := a.target
	if word := e.answerRuled(a); word != "" {
		return e.bidden(a, last, word)
	}
	if !f.able() || f.Surprise || f.stunned(e.now) || e.agile(f) < 1 || f.pinned() {
		return nil
	}
	policies := f.policies()
	barred := func(verb string, weapon game.ID) bool {
		return slices.ContainsFunc(policies, func(p game.Intent) bool {
			return p.Verb == verb && p.Allow != nil && !*p.Allow && e.against(f, p.Against, a) && (p.Weapon == "" || p.Weapon == weapon)
		})
	}
	for _, p := range policies {
		if p.Allow != nil && !*p.Allow || !e.against(f, p.Against, a) {
			continue
		}
		var r *reaction
		switch p.Verb {
		case "take_blow":
			if p.KeepSet && !e.setting(f) {
				continue
			}
			return nil
		case "dodge_policy":
			if !barred(p.Verb, "") {
				r = e.dodge(a, last)
			}
		case "parry_policy":
			r = e.bestParry(a, last, p.Weapon, func(id game.ID) bool { return barred(p.Verb, id) })
		case "counter_throw":
			if !barred(p.Verb, "") {
				r = e.counterThrow(a, last)
			}
		}
		if r == nil || !r.within(p) {
			continue
		}
		r.giveUp = p.GiveUp
		return r
	}
	return nil
}

// setting reports that somebody waits with a set attack, or has waited beyond
// readiness with what is in his hands: a reaction would lose the bonus (2.3).
func (e *engine) setting(f *Fighter) bool {
	if e.ownAttack(f) != nil {
		return false
	}
	if len(f.Orders.Steps) > 0 && f.Orders.Steps[0].Verb == "set_attack" {
		return true
	}
	return slices.ContainsFunc(f.Weapons, func(wp Weapon) bool {
		a, ok := e.arm(f, wp.ID, false)
		return ok && a.row != nil && wp.inHand() && e.waited(f, e.readyWith(f, a, e.now), e.now, f.HoldTarget) > 0
	})
}

// within keeps the limits of a policy. Without a least chance none is made that
// nothing but an 01 would bring off.
func (r *reaction) within(p game.Intent) bool {
	chance := r.sum.total
	if r.to.arms.missile() {
		chance = r.most
	}
	switch {
	case p.MaxPenalty > 0 && -r.penalty > p.MaxPenalty:
		return false
	case p.MaxEarly > 0 && r.early > p.MaxEarly:
		return false
	}
	return chance >= max(p.MinChance, 1)
}

// bestParry is the parry with the best chance among what is in hand, or with one
// weapon; nil when there is none. Missiles are not parried (5.1).
func (e *engine) bestParry(a *attack, last int, only game.ID, barred func(game.ID) bool) *reaction {
	if !e.parries(a) {
		return nil
	}
	return e.anyParry(a, last, only, barred)
}

// anyParry is the parry with the best chance, whatever forbids it.
func (e *engine) anyParry(a *attack, last int, only game.ID, barred func(game.ID) bool) *reaction {
	var best *reaction
	t := a.target
	if empty := t.hand("main") == nil && t.hand("off") == nil; empty && !a.arms.missile() && e.percent(t, "wrestling") > 0 &&
		(only == game.BareHands || only == "" && a.hold != nil) && !barred(game.BareHands) {
		return e.parry(a, e.wrestler("wrestling"), last) // catching the arm, or wriggling out (10.1)
	}
	for i := range t.Weapons {
		wp := &t.Weapons[i]
		if !wp.inHand() || wp.Stuck || only != "" && wp.ID != only || barred(wp.ID) {
			continue
		}
		arm, ok := e.arm(t, wp.ID, false)
		if !ok || arm.missile() || t.bound(arm) {
			continue
		}
		if r := e.parry(a, arm, last); best == nil || r.sum.total > best.sum.total {
			best = r
		}
	}
	return best
}

// parries reports an attack that can be parried: no missile, unless a setting says
// so (A47), not from behind, and seen (4.5).
func (e *engine) parries(a *attack) bool {
	thrown := a.arms.missile() && a.arms.row.Missile == "thrown" && e.yes("parry_thrown")
	return (!a.arms.missile() || thrown) && e.side(a) != "behind" && e.sees(a.target, a.f)
}

// parry is the sum of one (4.5).
func (e *engine) parry(a *attack, arm arms, last int) *reaction {
	f := a.target
	r := &reaction{f: f, to: a, verb: "parry", arms: arm}
	if last == f.LastAction && last != e.now {
		r.ready = e.readyWith(f, arm, e.now)
	} else {
		r.ready = last + e.segments(e.agileWith(f, arm.Hand), arm.speed()) + e.slower(arm)
	}
	r.early = max(0, r.ready-e.now)
	r.penalty = e.early(r.early)
	if arm.shield != nil {
		skill := e.skill("shield")
		if f.Skills["shield"] == (Skill{}) || e.word("shield_skill") == "one_handed" {
			skill = e.skill("one_handed")
		}
		r.sum.start(skill.Name, e.percentWith(f, skill.ID, arm.Hand))
		r.sum.bonus(arm.Name, arm.shield.Bonus, "")
	} else {
		skill := e.skill(arm.row.Skill)
		r.sum.start(skill.Name, e.percentWith(f, skill.ID, arm.Hand))
		r.sum.bonus(arm.Name, arm.row.Bonus, arm.row.unverified("bonus"))
		r.sum.unverified = append(r.sum.unverified, e.guesses(f, skill, arm)...)
	}
	e.timing(&r.sum, -r.early, false)
	if arm.off() && (arm.shield == nil || e.yes("off_hand_shield_penalty")) {
		r.sum.row(e.melee, "off_hand", toParry)
	}
	e.defence(r, toParry)
	return r
}

// dodge is the sum of one (4.6, 5.7).
func (e *engine) dodge(a *attack, last int) *reaction {
	f := a.target
	r := &reaction{f: f, to: a, verb: "dodge", ready: e.readyToDodge(f, last)}
	r.early = max(0, r.ready-e.now)
	r.penalty = e.early(r.early)
	r.sum.start(e.skill("defense").Name, e.percent(f, "defense"))
	if a.arms.missile() {
		e.defence(r, toDodge)
		r.most = e.missileDodge(r.sum.total, r.penalty, a.arms.row.Missile)
		e.timing(&r.sum, -r.early, false)
		return r
	}
	e.timing(&r.sum, -r.early, false)
	e.defence(r, toDodge)
	return r
}

// defence adds what the chart of 4.4 does to a defender.
func (e *engine) defence(r *reaction, of func(*adjustRow) int) {
	f := r.f
	if side := e.side(r.to); side == "flank" && !r.to.arms.missile() {
		r.sum.row(e.melee, side, of)
	}
	r.sum.row(e.melee, postureRow(f.Posture), of)
	if len(f.Held) > 0 {
		r.sum.row(e.melee, "held", of)
	}
	if e.w.unsteady(f) {
		r.sum.row(e.melee, "footing", of)
	}
	if f.inHeadLock() {
		r.sum.row(e.melee, "head_lock", of)
	}
	if light := e.word("light"); light != "good" {
		r.sum.row(e.melee, light, of)
	}
	if f.HP <= 0 && e.yes("wounded_penalty") {
		r.sum.row(e.melee, "faltering", of)
	}
}

// ownAttack is what somebody does in this segment and has not given up.
func (e *engine) ownAttack(f *Fighter) *attack {
	for _, a := range e.attacks {
		if a.f == f && !a.gone {
			return a
		}
	}
	return nil
}

// dodgeMissiles is step 5: before a shot is rolled its target may dodge (5.7).
func (e *engine) dodgeMissiles() {
	for _, a := range e.attacks {
		e.name(a)
	}
	for _, a := range e.attacks {
		if a.gone || a.target == nil || !a.arms.missile() || a.arms.row.KillFeet > 0 {
			continue
		}
		f := a.target
		if ruled := e.answerRuled(a); ruled == "none" || ruled == "" && (len(f.policies()) == 0 || !e.aware(a)) {
			continue
		}
		own := e.ownAttack(f)
		last := f.LastAction
		r := e.decide(a, last)
		if own != nil && (r == nil || !r.giveUp || own.locked) {
			if own.in.Verb == "auto_fire" {
				continue // its shots would have to be given up (5.6)
			}
			last = e.now // the attack is kept, and the dodge comes after it
			r = e.decide(a, last)
		}
		if r == nil || r.verb != "dodge" || e.denied(r) {
			continue
		}
		if own != nil {
			if last == e.now {
				own.kept = true
			} else {
				own.gone = true
			}
		}
		a.locked = true
		e.answer(r)
		a.dodged = r.result == hit
	}
}

// meleeReactions is step 7: who was hit answers before damage is rolled.
func (e *engine) meleeReactions() {
	for _, own := range e.attacks { // (a): all at once
		if own.gone || own.kept || own.locked || own.in.Verb == "auto_fire" || !e.yes("give_up_attack") {
			continue
		}
		own.withdrawn = slices.ContainsFunc(e.attacks, func(a *attack) bool {
			if a.target != own.f || !a.landed() || a.arms.missile() || !e.aware(a) {
				return false
			}
			shift := own.f.Shift
			if own.prior != nil {
				own.f.Shift = own.prior.shift // it would not be used up
			}
			r := e.decide(a, own.f.LastAction)
			own.f.Shift = shift
			return r != nil && r.giveUp
		})
	}
	for _, own := range e.attacks {
		if own.withdrawn {
			own.withdraw()
		}
	}
	answered := map[*Fighter]bool{}
	for _, a := range e.attacks { // (b): one by one
		if !a.landed() || a.target == nil {
			continue
		}
		f, ruled := a.target, e.answerRuled(a)
		switch {
		case a.arms.missile() && !(e.yes("parry_thrown") && a.arms.row.Missile == "thrown") && ruled != "parry",
			answered[f] && !e.yes("several_reactions") && ruled == "",
			ruled == "" && !e.aware(a):
			continue
		}
		last := f.LastAction
		if e.ownAttack(f) != nil {
			last = e.now
		}
		r := e.decide(a, last)
		if r == nil || r.verb == "dodge" && a.arms.missile() || e.denied(r) {
			continue
		}
		answered[f] = true
		e.answer(r)
		a.parried = r
		a.blow, a.test = e.answered(a.blow, r.result)
		a.test = a.test && r.verb == "parry" && a.hold == nil && !r.arms.bare
	}
}

// answer rolls a reaction. In every case readiness counts anew from here.
func (e *engine) answer(r *reaction) {
	f, a := r.f, r.to
	ref := e.answerRef(f, a.ref, "")
	r.ev = e.event(ref, f, r.verb, "", map[string]string{"parry": "4.5", "dodge": "4.6"}[r.verb])
	if r.hold != nil {
		r.ev.Rule = "10.2"
	}
	r.ev.Target = a.f.ID
	e.applySets(ref)
	before := r.sum.total
	e.ruleSum(ref, &r.sum)
	r.most += r.sum.total - before
	if x, ok := e.rulings.Foretold(ref, "chance"); ok {
		r.most, _ = strconv.Atoi(x.Value)
	}
	r.roll = e.roll(r.ev, r.verb, f.ID, a.ref, 100)
	r.ev.Lines = append(r.ev.Lines, r.sum.lines...)
	if r.verb == "dodge" && a.arms.missile() {
		r.ev.Rule = "5.7"
		r.ev.Lines = append(r.ev.Lines, game.Line{Label: "Threshold against " + missileWord(a.arms.row.Missile), Value: fmt.Sprint(r.most)})
		r.ev.Numbers["chance"] = r.most
		if r.result = miss; r.roll <= r.most {
			r.result = hit
		}
	} else {
		r.ev.Lines = append(r.ev.Lines, game.Line{Label: "Chance", Value: fmt.Sprint(r.sum.total)})
		r.ev.Numbers["chance"] = r.sum.total
		r.result = e.judge(r.sum, r.roll)
		e.opposes(r)
	}
	r.ev.Lines = append(r.ev.Lines, game.Line{Label: "D100", Value: fmt.Sprint(r.roll)})
	r.ev.Numbers["roll"], r.ev.Numbers["early"] = r.roll, r.early
	if w, ok := e.rulings.EventWord(ref, "success", hit, miss, critical, fumble); ok {
		if r.result = w; w == "success" {
			r.result = hit
		}
	}
	if r.ev.Outcome = r.result; r.result == hit {
		r.ev.Outcome = "success"
	}
	r.ev.Unverified = append(r.ev.Unverified, r.sum.unverified...)
	e.reactions = append(e.reactions, r)
	if at := a.f.At; at != f.At {
		e.turns = append(e.turns, func() { f.Facing = at.minus(f.At) })
	}
	f.Shift = 0
	if _, free := e.rulings.EventWord(ref, wordFree); !free {
		f.acted(e.now)
	}
	if f.Burst != nil {
		f.Burst.On, f.Burst.Left = false, 0
	}
	if act := f.Activity; act != nil && !e.keepsOn(r) {
		act.Start, act.DoneAt = e.now, e.now+act.DoneAt-act.Start
		e.markGoing(f)
	}
	e.ruled(r.ev)
	what := r.verb
	if r.hold != nil {
		what = r.hold.Name
	}
	e.stamp(f, "react", game.Mark{Ref: ref, Text: what, On: a.f.ID, Deed: a.ref})
}

// opposes lets a parry or a dodge work only when its skill roll difference beats
// that of the attack (9.2); ties favour the attacker.
func (e *engine) opposes(r *reaction) {
	a := r.to
	if !e.yes("opposed_combat") || r.result != hit && r.result != critical {
		return
	}
	mine, theirs := r.sum.total-r.roll, a.sum.total-a.roll
	ev := r.ev
	ev.Lines = append(ev.Lines, game.Line{Label: "Skill roll difference", Value: fmt.Sprint(mine)}, game.Line{Label: "To beat, the attack's", Value: fmt.Sprint(theirs), Secret: true})
	ev.Unverified = append(ev.Unverified, "opposed attack and defense: ties favour the attacker")
	if mine <= theirs {
		r.result = miss
	}
}

func missileWord(kind string) string {
	switch kind {
	case "thrown":
		return "a thrown weapon"
	case "bow":
		return "a bow"
	case "beam":
		return "a beam"
	}
	return "a gun"
}
