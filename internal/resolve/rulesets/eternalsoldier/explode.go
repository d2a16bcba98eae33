package eternalsoldier

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// bursts lets something thrown go off where it lands (8.4): all in the kill zone
// and in the casualty zone suffer, each behind his own armor.
func (e *engine) bursts(a *attack) {
	at := a.spot
	ev, row := a.ev, a.arms.row
	if !a.landed() {
		at = e.scatter(a, at)
	}
	if e.lands(a, &at) {
		return
	}
	kill, err := resolve.ParseNotation(row.Damage)
	casualty, err2 := row.casualtyDice()
	if err != nil || err2 != nil {
		return
	}
	most, wounded := e.rollAll(ev, "dmg", a.f.ID, a.when, kill), e.rollAll(ev, "casualty", a.f.ID, a.when, casualty)
	if v, ok := e.rulings.EventNumber(a.ref, "damage"); ok {
		most = max(0, v)
	}
	if v, ok := e.rulings.EventNumber(a.ref, "casualty"); ok {
		wounded = max(0, v)
	}
	ev.Numbers["damage"], ev.Numbers["casualty"] = most, wounded
	ev.Lines = append(ev.Lines,
		game.Line{Label: fmt.Sprintf("Kill zone %d ft, %s", row.KillFeet, kill), Value: fmt.Sprint(most)},
		game.Line{Label: fmt.Sprintf("Casualty zone %d ft, %s", row.CasualFeet, casualty), Value: fmt.Sprint(wounded)})
	ev.Unverified = append(ev.Unverified, row.Name+": zones and damage")
	a.arms.Weapon.State, a.arms.Weapon.Broken = "on_ground", true // it is spent
	e.breaches(a, at, row, most, wounded)
	for _, f := range e.w.Fighters {
		zone := e.zoneOf(f, distance(at, f.At), row)
		if f.Status == dead || zone == "out" {
			continue
		}
		damage, footing := wounded, 0
		if zone == "kill" {
			damage, footing = most, e.Explosion.Footing
		}
		damage, stopped := e.behind(at, f.At, damage)
		if stopped && e.zones[f] == "" {
			continue
		}
		delete(e.zones, f)
		e.reaches(f, blow{by: a.f, damage: damage, kind: "explosion", from: a.ref})
		t := e.tallied(f)
		t.effects = append(t.effects, func() {
			if e.condition(f.HP, f.HPMax) != slain {
				e.keepsFooting(f, footing, a.ref)
			}
		})
	}
}

// casualtyDice are those of the casualty zone: half of the kill zone's, rounded
// down, when the row gives none (8.4).
func (w *weaponRow) casualtyDice() (resolve.Notation, error) {
	if w.Casualty != "" {
		return resolve.ParseNotation(w.Casualty)
	}
	n, err := resolve.ParseNotation(w.Damage)
	n.N, n.Plus = n.N/2, n.Plus/2
	return n, err
}

// keepsFooting rolls for somebody's footing and lets him fall at once.
func (e *engine) keepsFooting(f *Fighter, modifier int, from string) {
	t := e.tallied(f)
	n := len(t.effects)
	e.footing(f, modifier, from)
	for _, fall := range t.effects[n:] {
		fall()
	}
	t.effects = t.effects[:n]
}

// scatter is where a thrown explosive lands that missed: a die of tenths of the
// way off, in one of eight directions (8.4).
func (e *engine) scatter(a *attack, at Point) Point {
	tenths := e.roll(a.ev, "scatter", a.f.ID, a.when, e.Explosion.Scatter)
	dir := resolve.Dir(e.roll(a.ev, "direction", a.f.ID, a.when, 8) - 1)
	off := distance(a.f.At, at) * tenths / 10
	a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Lands", Value: fmt.Sprintf("%d ft %s of it", off/foot, dir)})
	return e.inside(at.moved(dir, off))
}

// drops is a fall or a collision: dice of pummel damage against armor (7.8). An
// agility roll makes a fall cheaper by a die.
func (e *engine) drops(f *Fighter, ev *game.Event, dice int, agile bool) {
	n := resolve.Notation{N: dice, Sides: e.Fall.Die}
	less := 0
	if agile {
		roll := e.roll(ev, "agi", f.ID, ev.Ref, 20)
		ok := e.attribute(e.agile(f), e.ruleDie(ev, 0), roll)
		ev.Lines = append(ev.Lines, game.Line{Label: fmt.Sprintf("Agility %d, D20 %d", e.agile(f), roll), Value: map[bool]string{true: "a die less", false: "fails"}[ok]})
		switch {
		case ok && e.word("fall_roll") == "fewer":
			n.N = max(0, n.N-1)
		case ok:
			less = e.roll(ev, "less", f.ID, ev.Ref, e.Fall.Die)
		}
	}
	if n.N == 0 {
		return
	}
	damage := max(0, e.rollAll(ev, "fall", f.ID, ev.Ref, n)-less)
	e.ruled(ev)
	what := "Collision "
	if agile {
		what = "Fall "
	}
	ev.Lines = append(ev.Lines, game.Line{Label: what + n.String(), Value: fmt.Sprint(damage)})
	if agile {
		damage = e.breakFall(f, ev.Ref, damage)
	}
	e.reaches(f, blow{damage: damage, kind: "pummel", from: ev.Ref})
}
