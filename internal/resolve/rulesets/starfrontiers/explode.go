package starfrontiers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// explode lets a grenade burst: its dice are rolled once, and whoever is near
// enough and has nothing solid between suffers, by id (10.2 no. 6). ref names the
// event; of each victim it is ref.victim.
func (e *engine) explode(c Charge, ref string) {
	row, by := e.grenadeRow(c.Kind), e.w.fighter(c.By)
	if row == nil || by == nil {
		return
	}
	if s := e.by[c.By]; s != nil {
		e.applySets(ref, s)
	}
	ev := e.event(ref, by, "explosion", "done")
	ev.Rule = "10.3"
	if e.dud(ev, c) {
		return
	}
	points := 0
	if row.damage.N > 0 {
		points = e.rollSum(ev, "dmg", ref, row.damage)
		ev.Lines = append(ev.Lines, damageLine(row.damage, ev.Dice, points))
		if v, ok := e.rules.EventNumber(ref, "damage"); ok {
			points = max(v, 0)
		}
		ev.Numbers["damage"] = points
	}
	for _, cell := range row.Unverified {
		ev.Unverified = append(ev.Unverified, row.Name+": "+cell)
	}
	text := fmt.Sprintf("The %s bursts in %s.", c.Name, c.At)
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = text, text, text
	ev.Text[game.Heard] = "An explosion is heard."
	if points > 0 {
		ev.Text[game.All] = fmt.Sprintf("The %s bursts in %s (%d points).", c.Name, c.At, points)
	}
	e.beheld(ev, c.At, e.Blast.Radius)
	e.emit(ev)
	for _, f := range e.w.Fighters {
		if e.g.metres(c.At, f.Place) <= e.Blast.Radius && e.g.open(c.At, f.Place) && !f.beyondBlows() {
			e.blast(c, ref, row, by, f, points)
		}
	}
	if row.Cloud && len(e.w.Clouds) < maxThings {
		e.w.Clouds = append(e.w.Clouds, Cloud{At: c.At, Metres: e.Cloud.Radius, Grows: e.Cloud.Grows, Rounds: e.Cloud.Rounds})
		e.remap()
	}
}

// dud tells whether the GM rules that a grenade does not burst; its event says so.
func (e *engine) dud(ev *game.Event, c Charge) bool {
	if _, ok := e.rules.EventWord(ev.Ref, resolve.WordCancel); !ok {
		return false
	}
	ev.Outcome, ev.Reason = "cancelled", "ruled"
	text := fmt.Sprintf("The %s lies in %s and does not burst.", c.Name, c.At)
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Seen] = text, text, text
	e.beheld(ev, c.At, 0)
	e.emit(ev)
	return true
}

// passedBy tells whether the GM rules that what reaches several does not reach
// one of them; the GM alone reads of it.
func (e *engine) passedBy(ev *game.Event, what string, f *Fighter) bool {
	if _, ok := e.rules.EventWord(ev.Ref, resolve.WordCancel); !ok {
		return false
	}
	ev.Outcome, ev.Reason = "cancelled", "ruled"
	ev.Text[game.All] = fmt.Sprintf("%s does not reach %s.", what, f.Name)
	e.emit(ev)
	return true
}

// blast is what a burst does to one of those who are in it. Nobody is told by
// whom it was who did not see the throw.
func (e *engine) blast(c Charge, ref string, row *grenadeRow, by, f *Fighter, points int) {
	own := ref + "." + string(f.ID)
	if s := e.by[f.ID]; s != nil {
		e.applySets(own, s)
	}
	ev := e.event(own, by, "explosion", "hit")
	ev.Target, ev.Rule = f.ID, "10.3"
	if e.passedBy(ev, "The "+c.Name, f) {
		return
	}
	ev.Numbers["metres"] = e.g.metres(c.At, f.Place)
	ev.Seen[f.ID] = game.Target
	for _, v := range e.w.Fighters {
		if v != f && e.knows(v, f) {
			ev.Seen[v.ID] = game.Target
		}
	}
	if _, ok := ev.Seen[by.ID]; ok {
		ev.Seen[by.ID] = game.Own
	}
	look := e.inflict(ev, harm{
		to: f, by: by, dice: string(f.ID) + "/" + ref, ref: ref, kind: row.Type, class: row.Class, points: points,
		stun: row.Stun, avoid: row.Avoid, half: row.Half, effect: row.effect(), turns: row.turns,
		twice: c.Twice && f.Place == c.At,
	})
	text := fmt.Sprintf("%s %s, who %s.", row.Look, f.Name, look)
	ev.Text[game.All], ev.Text[game.Own], ev.Text[game.Target] = text, text, text
	if taken, ok := ev.Numbers["taken"]; ok {
		ev.Text[game.All] += fmt.Sprintf(" %d of %d points; STA %d/%d.", taken, ev.Numbers["damage"], f.Now, f.STA)
	}
	e.emit(ev)
}

// fuses lets those grenades burst whose time has come (4.7 step E), by whoever
// threw them.
func (e *engine) fuses() {
	var due []Charge
	e.w.Charges = slices.DeleteFunc(e.w.Charges, func(c Charge) bool {
		over := c.Bursts <= e.w.Played+1
		if over {
			due = append(due, c)
		}
		return over
	})
	if len(due) == 0 {
		return
	}
	if len(e.w.Charges) == 0 {
		e.w.Charges = nil
	}
	e.remap()
	slices.SortStableFunc(due, func(a, b Charge) int { return cmp.Compare(a.By, b.By) })
	for _, c := range due {
		e.explode(c, e.unique(fmt.Sprintf("%s/r%d.f", c.By, e.round)))
	}
}

// drift lets the smoke grow, hang and clear (10.3).
func (e *engine) drift() {
	if len(e.w.Clouds) == 0 {
		return
	}
	for i := range e.w.Clouds {
		c := &e.w.Clouds[i]
		if c.Grows > 0 {
			c.Grows--
			c.Metres += e.Cloud.Grow
		}
		c.Rounds--
	}
	e.w.Clouds = slices.DeleteFunc(e.w.Clouds, func(c Cloud) bool { return c.Rounds < 1 })
	if len(e.w.Clouds) == 0 {
		e.w.Clouds = nil
	}
	e.remap()
}

// smoke puts a cloud of so many metres round somebody, or clears the smoke where he is.
func (e *engine) smoke(f *Fighter, metres int) { e.smokeAt(f.Place, metres) }

func (e *engine) smokeAt(at game.Square, metres int) {
	if metres > 0 && len(e.w.Clouds) < maxThings {
		e.w.Clouds = append(e.w.Clouds, Cloud{At: at, Metres: metres, Rounds: e.Cloud.Rounds})
	}
	if metres == 0 {
		e.w.Clouds = slices.DeleteFunc(e.w.Clouds, func(c Cloud) bool { return e.g.metres(c.At, at) <= c.Metres })
		if len(e.w.Clouds) == 0 {
			e.w.Clouds = nil
		}
	}
	e.remap()
}

// backBlast is what a launcher does to those in the square directly behind it (9.1).
func (e *engine) backBlast(f *Fighter, sh shot, ref string) {
	behind := step(f.Place, f.facing().Turned(4))
	if !e.g.open(f.Place, behind) {
		return
	}
	for _, t := range e.w.Fighters {
		if t.Place != behind || t == f || t.beyondBlows() {
			continue
		}
		own := ref + "b." + string(t.ID)
		ev := e.event(own, f, "explosion", "hit")
		ev.Target, ev.Rule = t.ID, "9.1"
		if e.passedBy(ev, "The blast", t) {
			continue
		}
		e.witnesses(ev, f, t, false)
		points := e.rollSum(ev, "dmg", string(f.ID)+"/"+ref+"b."+string(t.ID), sh.row.backBlast)
		ev.Lines = append(ev.Lines, damageLine(sh.row.backBlast, ev.Dice, points))
		look := e.inflict(ev, harm{to: t, by: f, dice: string(t.ID) + "/" + own, kind: "explosion", class: "blast", points: points})
		text := fmt.Sprintf("The blast behind the %s reaches %s, who %s.", sh.wp.Name, t.Name, look)
		for _, g := range []game.Grade{game.All, game.Own, game.Seen, game.Target} {
			ev.Text[g] = text
		}
		ev.Text[game.Actor] = fmt.Sprintf("Flames shoot out behind %s.", f.Name)
		e.emit(ev)
	}
}
