package starfrontiers

import (
	"fmt"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// strikeAt tells whether a blow is possible now, and if not, why: a typed reason.
func (e *engine) strikeAt(s *state, in game.Intent, by *happening) (shot, string) {
	var sh shot
	sh.wp, sh.row = s.f.blade(e.tables, in.Weapon)
	switch {
	case sh.wp == nil, sh.row == nil:
		return sh, "no_weapon"
	case sh.wp.State == "on_ground":
		return sh, "weapon_on_ground"
	case sh.wp.Jammed > e.w.Played:
		return sh, "jammed"
	case sh.wp.Broken:
		return sh, "broken"
	case !sh.row.Natural && s.f.unhandy(sh.wp) != "":
		return sh, s.f.unhandy(sh.wp)
	case sh.wp.Left < sh.row.SEUHit:
		return sh, "out_of_ammunition"
	}
	sh.target = e.aimedAt(s, in, by)
	t := sh.target
	if t == nil || t == s.f {
		return sh, "no_target"
	}
	sh.metres = e.g.metres(s.f.Place, t.Place)
	switch {
	case s.allow:
	case t.SeenBy != nil && !contains(*t.SeenBy, s.f.ID):
		return sh, "no_line_of_sight"
	case !e.reaches(s.f.Place, t.Place):
		return sh, "out_of_reach"
	case t.beyondBlows(), !e.able(t) && !e.wasDown(s, t):
		return sh, "target_down"
	}
	if arc(s.f.facing(), s.f.Place, t.Place) != "front" {
		if by != nil && !s.allow && (by.class == "move" || s.walked > 0 || s.turned) {
			return sh, "out_of_reach"
		}
		if d, ok := resolve.Toward(s.f.Place, t.Place); ok {
			sh.turn = d.String()
		}
	}
	return sh, ""
}

// reaches is the melee distance with nothing solid in between (7.1).
func (e *engine) reaches(a, b game.Square) bool {
	return e.g.reach(e.tables, a, b) && e.g.open(a, b)
}

// wasDown tells that the actor saw somebody lie there when the round began, so
// that a blow at him is meant; who falls meanwhile is left alone.
func (e *engine) wasDown(s *state, t *Fighter) bool {
	for _, o := range s.others {
		if o.ID == t.ID {
			return has(o.Status, "down")
		}
	}
	return false
}

// leftAlone tells that somebody lies there whom nobody means to attack.
func (e *engine) leftAlone(s *state, in game.Intent, t *Fighter) bool {
	return !s.allow && !e.able(t) && (resolve.IsSelector(in.Target.ID) || t.beyondBlows() || !e.wasDown(s, t))
}

// strike rolls a blow and applies its effects.
func (e *engine) strike(s *state, in game.Intent, sh shot, k int, ref string) {
	f, t, when := s.f, sh.target, fmt.Sprintf("r%d.%d", e.round, k)
	ev := e.event(ref, f, "melee", "miss")
	ev.Target, ev.Attack, ev.Rule = t.ID, true, "7.1"
	if sh.wp.holstered() {
		ev.Changes = append(ev.Changes, e.draw(f, sh.wp)...)
	}
	b := e.blow(s, in, sh)
	if sh.turn != "" {
		ev.Changes = append(ev.Changes, changed(f.ID, "FACING", f.Facing, sh.turn))
		f.Facing = sh.turn
	}
	e.witnesses(ev, f, t, false)
	e.doubtful(ev, sh, "to_hit")

	lines, chance := e.sumBlow(b)
	ev.Lines = append(ev.Lines, lines...)
	e.roll(ev, f, chance, when)
	ruled, forced := e.rules.EventWord(ref, outcomes...)
	if forced {
		ev.Outcome = ruled
	}
	fumbled := e.mayFumble(ev, forced) && e.fumble(s, sh, ev, when, forced)
	look := ""
	switch {
	case fumbled:
		ev.Outcome = "fumble"
	case ev.Outcome != "miss":
		if sh.row.SEUHit > 0 {
			e.consume(ev, f, sh.wp, sh.row.SEUHit)
		}
		sh.dice, sh.extra = f.force(e.tables, sh.row)
		look = e.hit(s, sh, ev, when, 0)
	}
	f.SeenBy = nil // a blow gives him away
	e.remember(ev, f, t)
	e.blowTexts(ev, s, sh, look)
	e.lifted(ref)
	e.emit(ev)
}

// roll rolls the to-hit die against a sum, as ruled, and classifies it.
func (e *engine) roll(ev *game.Event, f *Fighter, chance int, when string) game.Die {
	mods, total := e.rules.Mods(f.ID)
	ev.Lines = append(ev.Lines, mods...)
	chance += total
	mods, total = e.rules.Mod(ev.Ref)
	ev.Lines = append(ev.Lines, mods...)
	chance += total
	if v, ok := e.rules.EventNumber(ev.Ref, "chance"); ok {
		chance = v
	}
	roll := e.rules.Roll("hit/"+string(f.ID)+"/"+when, 100)
	ev.Dice = append(ev.Dice, roll)
	ev.Numbers["chance"], ev.Numbers["roll"] = chance, roll.Value
	ev.Lines = append(ev.Lines, game.Line{Label: "Chance", Value: strconv.Itoa(chance) + "%"}, game.Line{Label: "Roll", Value: strconv.Itoa(roll.Value)})
	ev.Outcome = e.result(chance, roll.Value, e.w.setting("auto_hit_miss") == "on", e.w.setting("crit_rules") == "on")
	return roll
}

// blow collects what the sum of 7.1 looks at, before the attacker turns.
func (e *engine) blow(s *state, in game.Intent, sh shot) blow {
	f, t := s.f, sh.target
	b := blow{
		base: f.Base, robot: f.Level, skill: f.Skills[sh.row.Group], toHit: sh.row.ToHit,
		helpless: t.helpless(), rage: f.Raging,
		ails: f.ails(false), targetEncumbered: t.encumbered(), encumbered: f.encumbered(), wounded: e.wounded(f),
	}
	b.ability, b.score = f.melee(in.Ability)
	b.behind = arc(t.facing(), t.Place, f.Place) == "rear"
	x := e.by[t.ID]
	b.unaware = !e.sees(t, f) || x != nil && x.surprised
	if x != nil && x.defends && !b.helpless && !b.behind && e.able(t) {
		b.defending = true
	}
	return b
}
