package eternalsoldier

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// row adds an adjustment of a chart to a sum; a row that there is not adds nothing.
func (s *sum) row(rows []adjustRow, id string, of func(*adjustRow) int) {
	a := find(rows, func(a *adjustRow) bool { return a.ID == id })
	if a == nil {
		return
	}
	what := ""
	if unprinted(a.Source) {
		what = "adjustment: " + a.Label
	}
	s.add(a.Label, of(a), what)
}

func toAttack(a *adjustRow) int { return a.Attack }
func toParry(a *adjustRow) int  { return a.Parry }
func toDodge(a *adjustRow) int  { return a.Dodge }

// sideOf tells from where a blow comes: behind, flank, or nothing for the front (4.4).
func (r rules) sideOf(attacker, target *Fighter) string {
	switch d := degrees(target.Facing, attacker.At.minus(target.At)); {
	case d > r.Arc.Behind:
		return "behind"
	case d > r.Arc.Flank:
		return "flank"
	}
	return ""
}

// aware: knows that this attack is coming (4.4). Who is attacked from behind or
// out of sight rolls awareness; the die stands in the attack's event.
func (e *engine) aware(a *attack) bool {
	if a.known == nil {
		known := e.expects(a)
		a.known = &known
	}
	return *a.known
}

func (e *engine) expects(a *attack) bool {
	t := a.target
	if yes, ok := e.rulings.EventFlag(a.ref, "aware"); ok {
		return yes
	}
	if t.Surprise || t.Status == unconscious {
		return false
	}
	if e.sees(t, a.f) && e.side(a) != "behind" {
		return true
	}
	if !t.able() {
		return false
	}
	return e.notices(a.ev, t, "avoid/"+a.ref)
}

// notices is an awareness roll (1.3, A55).
func (e *engine) notices(ev *game.Event, f *Fighter, when string) bool {
	modifier := 0
	if !ev.Attack { // what is ruled of an attack is about its own roll
		modifier = e.ruleDie(ev, 0)
	}
	if p := e.percent(f, "awareness"); p > 0 && e.word("awareness") == "skill" {
		return e.succeeds(p+modifier, e.secret(ev, "awareness", f.ID, when, 100))
	}
	return e.attribute(f.INT, modifier, e.secret(ev, "awareness", f.ID, when, 20))
}

// secret rolls a die that only the GM reads of: its line is secret, and it stands
// in no event that others see.
func (e *engine) secret(ev *game.Event, kind string, who game.ID, when string, sides int) int {
	hidden := e.event("", &Fighter{ID: who}, kind, "done", "")
	v := e.roll(hidden, kind, who, when, sides)
	ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("Awareness of %s, d%d", who, sides), Value: fmt.Sprint(v), Secret: true})
	return v
}

// sumOf is the chance of an attack before its roll (4.2, 5.5).
func (e *engine) sumOf(a *attack) sum {
	var s sum
	f, skill := a.f, e.skill(a.arms.row.Skill)
	s.start(skill.Name, e.percentWith(f, skill.ID, a.arms.Hand))
	s.unverified = append(s.unverified, e.guesses(f, skill, a.arms)...)
	s.bonus(a.arms.Name, a.arms.row.Bonus, a.arms.row.unverified("bonus"))
	missile := a.arms.missile()
	rows := e.melee
	if missile {
		rows = e.missile
	}
	if a.timing < 0 || a.shot <= 1 || a.arms.rate() == 0 {
		e.timing(&s, a.timing, missile)
	}
	if a.shot > 0 {
		s.add(fmt.Sprintf("Shot %d of the burst", a.shot), e.burstPenalty(a.shot), "")
		if a.burst != nil && a.burst.Shifts > 0 {
			s.add("Other targets within the burst", a.burst.Shifts*e.Auto.Shift, "penalty for a new target within a burst")
		}
	}
	if a.arms.off() {
		s.row(rows, "off_hand", toAttack)
	}
	if missile {
		e.missileRows(&s, a)
	} else if a.target != nil {
		e.meleeRows(&s, a)
	}
	if light := e.word("light"); light != "good" {
		s.row(rows, light, toAttack)
	}
	e.calledRows(&s, a)
	if f.HP <= 0 && e.yes("wounded_penalty") {
		s.row(e.melee, "faltering", toAttack)
	}
	if f.inHeadLock() {
		s.row(e.melee, "head_lock", toAttack)
	}
	lines, n := e.rulings.Mods(f.ID)
	s.total += n
	s.lines = append(s.lines, lines...)
	return s
}

// meleeRows are what the chart of 4.4 adds to a blow.
func (e *engine) meleeRows(s *sum, a *attack) {
	t := a.target
	s.row(e.melee, e.side(a), toAttack)
	if !e.aware(a) {
		s.row(e.melee, "unaware", toAttack)
	}
	s.row(e.melee, postureRow(t.Posture), toAttack)
	if a.f.Posture == "prone" {
		s.row(e.melee, "attacker_prone", toAttack)
	}
	if e.w.above(a.f, t) {
		s.row(e.melee, "higher", toAttack)
	}
	if e.w.unsteady(a.f) {
		s.row(e.melee, "footing", toAttack)
	}
	switch {
	case t.pinned():
		s.row(e.melee, "pinned", toAttack)
	case len(t.Held) > 0:
		s.row(e.melee, "held", toAttack)
	}
	s.row(e.melee, t.Size, toAttack)
}

func postureRow(posture string) string {
	switch posture {
	case "prone":
		return "target_prone"
	case "kneel":
		return "target_kneeling"
	}
	return ""
}

// missileRows are what the charts of 5.3 and 5.4 add to a shot.
func (e *engine) missileRows(s *sum, a *attack) {
	a.flight = distance(a.f.At, a.spot)
	yards, ruled := e.rulings.EventNumber(a.ref, "range")
	if ruled {
		a.flight = yards * yard
	}
	n, _ := e.rangeModifier(a.flight, a.arms.row.Range, a.arms.row.Shotgun)
	what := "effective range of the " + a.arms.row.Name
	if a.arms.RangeMod != nil && !ruled {
		n, what = *a.arms.RangeMod, ""
	}
	s.add(fmt.Sprintf("Range %d yd", (a.flight+yard/2)/yard), n, what)
	s.add("Sight of the "+a.arms.Name, a.arms.Sight, "")
	if e.races(a.f) {
		s.row(e.missile, "running", toAttack)
	}
	if a.in.Ability == braced && a.f.Move == nil && rests(e.w.Features, e.w.square(a.f.At)) {
		s.row(e.missile, "braced", toAttack)
	}
	t := a.target
	if t == nil {
		return
	}
	if t.Posture == "prone" {
		s.row(e.missile, "target_prone", toAttack)
	}
	s.row(e.missile, t.Size, toAttack)
	if t.Surprise || t.Move == nil && !e.aware(a) {
		s.row(e.missile, "unaware", toAttack)
	}
	d := e.swing(a.f, t)
	if v, ok := e.rulings.EventNumber(a.ref, "degrees"); ok {
		d = v
	}
	if d > 0 {
		s.add("Aim swings", -d, "")
	}
	if e.friendBeside(a.f, t) {
		s.row(e.missile, "friend", toAttack)
	}
	covers, fixed := e.rulings.EventNumber(a.ref, "shield")
	for i := range t.Weapons {
		wp := &t.Weapons[i]
		if row := e.shield(wp.Kind); row != nil && wp.inHand() && (fixed || e.side(a) != "behind") {
			mod, what := row.CoverMod, "cover of a "+row.Name
			if fixed {
				mod, what = -covers, ""
			}
			s.add("Behind a "+row.Name, mod, what)
			a.cover += mod
			a.shield = wp
		}
	}
	feature, row := e.shelter(a.f, t)
	if word, ok := e.coverRuled(a); ok {
		feature, row = nil, word
	}
	if feature != nil || row != "" {
		before := s.total
		s.row(e.missile, row, toAttack)
		a.cover += s.total - before
		a.shelter, a.shield = feature, nil
	}
}

// friendBeside: the target fights a comrade of the firer hand to hand.
func (e *engine) friendBeside(f, t *Fighter) bool {
	for _, o := range e.w.Fighters {
		if o != f && o != t && !e.w.together(f, o) && o.able() && e.w.relation(f, o) == "ally" && e.w.relation(t, o) == "enemy" && e.w.touches(o.At, t.At, e.reach("short")) {
			return true
		}
	}
	return false
}

// guesses are the values behind a skill used with a weapon that no source prints and
// of which the GM has not been told: what its percentage is made of when the sheet
// gives points, and how long it takes.
func (e *engine) guesses(f *Fighter, skill *skillRow, a arms) []string {
	var out []string
	if unprinted(skill.Source) && f.Skills[skill.ID].Points > 0 {
		out = append(out, "aptitude of "+skill.Name)
	}
	if a.Weapon != nil && a.Weapon.Speed == 0 && a.row != nil {
		if what := a.row.unverified("speed"); what != "" {
			out = append(out, what+" class")
		}
	}
	return e.untoldOf(append(out, segmentsGuess)...)
}

// untoldOf are those of some values behind nearly everything of which the GM has not
// been told yet: they are named once, and not with every event.
func (e *engine) untoldOf(what ...string) []string {
	return slices.DeleteFunc(what, func(w string) bool {
		return slices.Contains(e.w.Named, w) || w == segmentsGuess && !unprinted(e.tables.segment.Source)
	})
}

// segmentsGuess names the table of 2.2.
const segmentsGuess = "segments of each class by agility"
