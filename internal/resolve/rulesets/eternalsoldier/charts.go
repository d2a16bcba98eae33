package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// criticalRow rolls the chart for a blow that is still critical (4.8); nil for others.
func (e *engine) criticalRow(a *attack) *chartRow {
	if a.blow != critical {
		return nil
	}
	roll := e.roll(a.ev, "crit", a.f.ID, a.when, 100)
	row := on(e.criticals, roll)
	row = e.chartRuled(a.ref, e.criticals, row, criticalEffects)
	a.ev.Numbers["critical"] = roll
	a.chart = tells(row, false)
	e.chartLine(a.ev, "Critical hit", roll, row)
	return row
}

// tells is what a row of a chart comes to, for the report: ": falls". Of a fumbled
// dodge all but one row is a fall.
func tells(row *chartRow, dodge bool) string {
	switch {
	case row.Effect == wordNothing && row.Text == untold:
		return ""
	case dodge && row.Effect != "later" && row.Effect != wordNothing:
		return ", and falls"
	}
	return ": " + row.Text
}

func (e *engine) chartLine(ev *game.Event, chart string, roll int, row *chartRow) {
	ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("%s chart %02d", chart, roll), Value: row.Text})
	if unprinted(row.Source) {
		ev.Unverified = append(ev.Unverified, strings.ToLower(chart)+" chart: "+row.Text)
	}
}

// critical brings about a row of the chart: the damage that comes of it, and
// whether armor counts. What else it does takes effect in step 9.
func (e *engine) critical(a *attack, row *chartRow, damage int) (total int, bypass bool) {
	t, ev := a.target, a.ev
	switch row.Effect {
	case "extra":
		n, _ := resolve.ParseNotation(row.Dice)
		extra := e.rollAll(ev, "extra", a.f.ID, a.when, n)
		ev.Lines = append(ev.Lines, game.Line{Label: "Extra " + n.String(), Value: resolve.Signed(extra)})
		return damage + extra, false
	case "times":
		return damage * row.N, false
	case "bypass":
		return damage, true
	case "sooner":
		a.f.shifts(e, -row.N)
	case "later":
		t.shifts(e, row.N)
	case "footing":
		e.footing(t, 0, a.ref)
	case "break_arm", "break_leg":
		limb := e.brokenBy(a, row.Effect)
		e.tallied(t).effects = append(e.tallied(t).effects, func() { e.breakLimb(t, limb, a.ref, ev) })
	case "disarm":
		hand := "main"
		if c := e.calledAt(a); c != nil && c.Limb == "arm" {
			hand = e.armAt(a)
		}
		e.tallied(t).effects = append(e.tallied(t).effects, func() {
			if wp := t.hand(hand); wp != nil {
				e.letGo(t, wp)
			}
		})
	}
	return damage, false
}

// footing is an agility roll to stay on one's feet; who fails falls in step 9. It
// is an event of its own, for the figures are his.
func (e *engine) footing(f *Fighter, modifier int, from string) {
	if f.Posture == "prone" || f.Status == unconscious || f.Status == dead {
		return
	}
	ev := e.event(e.answerRef(f, from, ".a"), f, "footing", "stands", "8.4")
	roll := e.roll(ev, "agi", f.ID, from, 20)
	ev.Lines = append(ev.Lines, game.Line{Label: "Agility", Value: strconv.Itoa(e.agile(f))})
	modifier, zone := e.ruleDie(ev, modifier), modifier
	ok := e.attribute(e.agile(f), modifier, roll)
	if zone != 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "In the kill zone", Value: resolve.Signed(zone)})
	}
	ev.Lines = append(ev.Lines, game.Line{Label: "D20", Value: strconv.Itoa(roll)})
	if w, ruled := e.rulings.EventWord(ev.Ref, "stands", "falls"); ruled {
		ok = w == "stands"
	}
	text := f.Name + " stays up."
	if !ok {
		ev.Outcome, text = "falls", f.Name+" is thrown down."
		t := e.tallied(f)
		t.effects = append(t.effects, func() { e.falls(f, ev) })
	}
	e.ruled(ev)
	e.public(ev, f, text)
	e.after = append(e.after, ev)
}

// breakLimb breaks a bone (7.5): an arm drops what it holds, a leg throws down.
// from is the ref of the blow.
func (e *engine) breakLimb(f *Fighter, limb, from string, ev *game.Event) {
	points := 0
	for _, harm := range e.tallied(f).harms {
		if strings.HasPrefix(harm.Ref, string(f.ID)+"/"+from+".e") {
			points += harm.Numbers["damage"]
		}
	}
	f.Broken = append(f.Broken, Bone{Limb: limb, Points: points, Older: max(0, f.HPMax-f.HP-points)})
	ev.Changes = append(ev.Changes, changed(f.ID, "BONE", "", limb))
	switch limb {
	case "leg":
		e.falls(f, ev)
	default:
		if wp := f.hand(strings.TrimSuffix(limb, "_arm")); wp != nil {
			e.letGo(f, wp)
		}
	}
}

// fumbles rolls the chart for a fumble (4.8). When it was a dodge, every row about
// a weapon or a strike is a fall. It gives what it comes to, for the report.
func (e *engine) fumbles(f *Fighter, a arms, ev *game.Event, who game.ID, when string, dodge bool) (told string) {
	roll := e.roll(ev, "fumble", who, when, 100)
	row := on(e.tables.fumbles, roll)
	row = e.chartRuled(ev.Ref, e.tables.fumbles, row, fumbleEffects)
	effect := row.Effect
	if dodge && effect != "later" && effect != wordNothing {
		effect = "falls"
	}
	ev.Numbers["fumble"] = roll
	e.chartLine(ev, "Fumble", roll, row)
	if e.word("fumble_rule") == "mirrored" && ev.Numbers["roll"] < 100 {
		ev.Unverified = append(ev.Unverified, "which rolls are fumbles: the worst tenth of the failing ones")
	}
	told = tells(row, dodge)
	if a.bare && slices.Contains([]string{"drops", "stuck", "flies"}, effect) {
		told = ", but there is no weapon to lose"
	}
	if a.bare && effect == "breaks" {
		told = ": a bone in the hand breaks"
	}
	t := e.tallied(f)
	then := func(do func()) { t.effects = append(t.effects, do) }
	switch effect {
	case "falls":
		then(func() { e.falls(f, ev) })
	case "later":
		f.shifts(e, row.N)
	case "drops":
		if !a.bare {
			then(func() { e.letGo(f, a.Weapon) })
		}
	case "stuck":
		then(func() { a.Weapon.Stuck = true })
	case "flies":
		if !a.bare {
			e.flies(f, a, row, ev, who, when)
		}
	case "other":
		e.strikesOther(f, a, ev, who, when)
	case "self":
		if n, err := resolve.ParseNotation(damageDice(a)); err == nil {
			hurt := max(0, e.rollAll(ev, "dmg", who, when, n)+e.strengthLine(f, a)) / 2
			e.reaches(f, blow{by: f, damage: hurt, kind: damageType(a), from: ev.Ref})
		}
	case "breaks":
		if a.bare {
			limb := "main_arm"
			if a.Hand == "off" {
				limb = "off_arm"
			}
			then(func() { e.breakLimb(f, limb, ev.Ref, ev) })
		} else {
			then(func() { a.Weapon.Broken = true })
		}
	}
	return told
}

// damageDice are the dice of a weapon; a shield has those of a fist.
func damageDice(a arms) string {
	if a.row == nil {
		return "1d4"
	}
	return a.row.Damage
}

func damageType(a arms) string {
	if a.row == nil {
		return "pummel"
	}
	return a.row.Type
}

// flies throws a fumbled weapon in one of eight directions.
func (e *engine) flies(f *Fighter, a arms, row *chartRow, ev *game.Event, who game.ID, when string) {
	n, _ := resolve.ParseNotation(row.Dice)
	feet := e.rollAll(ev, "flies", who, when, n)
	dir := resolve.Dir(e.roll(ev, "direction", who, when, 8) - 1)
	to := f.At.moved(dir, feet*foot)
	ev.Lines = append(ev.Lines, game.Line{Label: "The " + a.Name + " flies", Value: fmt.Sprintf("%d ft %s", feet, dir)})
	e.tallied(f).effects = append(e.tallied(f).effects, func() {
		e.letGo(f, a.Weapon)
		a.Weapon.Place = &to
	})
}

// moved is a point so far off in one of the eight directions.
func (p Point) moved(d resolve.Dir, n int) Point {
	x, y := d.Vector()
	if x != 0 && y != 0 {
		n = n * 1000 / 1414
	}
	return Point{p.X + x*n, p.Y + y*n}
}

// strikesOther is the fumble that hits the nearest other creature in reach.
func (e *engine) strikesOther(f *Fighter, a arms, ev *game.Event, who game.ID, when string) {
	var other *Fighter
	for _, o := range e.w.Fighters {
		if o == f || o.ID == ev.Target || o.Status == dead || !e.w.touches(f.At, o.At, e.reachOf(a)) {
			continue
		}
		if other == nil || distance(f.At, o.At) < distance(f.At, other.At) {
			other = o
		}
	}
	if other == nil {
		return
	}
	var s sum
	skill, bonus := "hand_to_hand", 0
	if a.row != nil {
		skill, bonus = a.row.Skill, a.row.Bonus
	}
	s.start(e.skill(skill).Name, e.percent(f, skill))
	s.bonus(a.Name, bonus, "")
	roll := e.roll(ev, "other", who, when, 100)
	ok := e.succeeds(s.total, roll)
	ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("At %s: %d, D100 %d", other.Name, s.total, roll), Value: map[bool]string{true: hit, false: miss}[ok]})
	if !ok {
		return
	}
	if n, err := resolve.ParseNotation(damageDice(a)); err == nil {
		e.reaches(other, blow{by: f, damage: max(0, e.rollAll(ev, "dmg", who, when, n)+e.strengthLine(f, a)), kind: damageType(a), from: ev.Ref})
	}
}

// strayed is a miss into a fight hand to hand: within 20 of the chance it is
// rolled once more at a comrade (5.4).
func (e *engine) strayed(a *attack) {
	penalty := 0
	if row := find(e.missile, func(r *adjustRow) bool { return r.ID == "friend" }); row != nil {
		penalty = row.Attack
	}
	if a.dodged || a.roll > a.sum.total-penalty || a.roll == 100 || !e.friendBeside(a.f, a.target) {
		return
	}
	var friend *Fighter
	for _, o := range e.w.Fighters {
		if o != a.f && o != a.target && o.able() && e.w.relation(a.f, o) == "ally" && e.w.touches(o.At, a.target.At, e.reach("short")) &&
			(friend == nil || distance(a.target.At, o.At) < distance(a.target.At, friend.At)) {
			friend = o
		}
	}
	if friend == nil {
		return
	}
	roll := e.roll(a.ev, "stray", a.f.ID, a.when, 100)
	ok := e.succeeds(a.sum.total-penalty, roll)
	a.ev.Lines = append(a.ev.Lines, game.Line{Label: fmt.Sprintf("Astray, at %s: %d, D100 %d", friend.Name, a.sum.total-penalty, roll), Value: map[bool]string{true: hit, false: miss}[ok]})
	if !ok {
		return
	}
	if n, err := resolve.ParseNotation(a.arms.row.Damage); err == nil {
		e.reaches(friend, blow{by: a.f, damage: e.rollAll(a.ev, "dmg", a.f.ID, a.when, n), kind: a.arms.row.Type, from: a.ref})
	}
}
