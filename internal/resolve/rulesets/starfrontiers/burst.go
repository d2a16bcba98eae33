package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// bursts reports a weapon that can fire bursts.
func (w *weaponRow) bursts() bool { return w != nil && w.BurstRounds > 0 }

// burstAt tells whether a burst is possible now, and whom of those named it may
// hit: the first, and others who are near all before them (6.8 no. 2).
func (e *engine) burstAt(s *state, in game.Intent, by *happening) (shot, string) {
	var sh shot
	sh.wp = s.f.burster(e.tables, in.Weapon)
	if sh.wp == nil {
		return sh, "no_weapon"
	}
	sh.row = e.weapon(sh.wp.Kind)
	if !sh.row.bursts() {
		return sh, "not_built"
	}
	if reason := e.unready(s.f, sh); reason != "" {
		return sh, reason
	}
	refs := in.Targets
	if !in.Target.IsZero() {
		refs = append([]game.Ref{in.Target}, refs...)
	}
	why := "no_target"
	if sh.wp.Left < sh.row.BurstRounds {
		why = "out_of_ammunition"
		refs = nil
	}
	for _, ref := range refs {
		if len(sh.targets) == e.Burst.Targets {
			break
		}
		one, reason := e.burstShot(s, in, sh, ref, by)
		if reason == "" {
			sh.targets = append(sh.targets, one)
		} else if why == "no_target" {
			why = reason
			sh.target = one.target
		}
	}
	if len(sh.targets) == 0 {
		return sh, why
	}
	sh.target = sh.targets[0].target
	sh.at, sh.metres, sh.turn = sh.target.Place, sh.targets[0].metres, ""
	for _, one := range sh.targets {
		sh.metres = max(sh.metres, one.metres)
	}
	var near bool
	if sh.band, near = sh.wp.band(sh.row, sh.metres); !near {
		sh.band = bands[len(bands)-1] // the GM allows it
	}
	if d, ok := facingAll(s.f, sh.targets); ok {
		if d.String() != s.f.Facing {
			sh.turn = d.String()
		}
		return sh, ""
	}
	if s.allow {
		return sh, ""
	}
	return sh, "out_of_field_of_fire"
}

// burstShot is one of the targets of a burst.
func (e *engine) burstShot(s *state, in game.Intent, sh shot, ref game.Ref, by *happening) (shot, string) {
	one := shot{wp: sh.wp, row: sh.row}
	one.target = e.aimedAt(s, game.Intent{Target: ref}, by)
	t := one.target
	if t == nil || t == s.f || slices.ContainsFunc(sh.targets, func(o shot) bool { return o.target == t }) {
		return one, "no_target"
	}
	if reason := e.lineOfFire(s, game.Intent{Lean: in.Lean}, &one, by); reason != "" {
		return one, reason
	}
	if e.leftAlone(s, game.Intent{Target: ref}, t) {
		return one, "target_down"
	}
	one.metres = e.g.metres(s.f.Place, t.Place)
	var ok bool
	if one.band, ok = sh.wp.band(sh.row, one.metres); !ok && !s.allow {
		return one, "out_of_range"
	}
	if s.allow {
		return one, ""
	}
	for _, o := range sh.targets {
		if e.g.metres(o.target.Place, t.Place) > e.Burst.Width {
			return one, "out_of_range"
		}
	}
	return one, ""
}

// facingAll is a facing with all targets in front; the present one if it can be.
func facingAll(f *Fighter, targets []shot) (resolve.Dir, bool) {
	for n := range 8 {
		d := f.facing().Turned(n)
		if !slices.ContainsFunc(targets, func(o shot) bool { return arc(d, f.Place, o.target.Place) != "front" }) {
			return d, true
		}
	}
	return f.facing(), false
}

// burst rolls once for all of its targets and shares out what it does (6.8).
func (e *engine) burst(s *state, in game.Intent, sh shot, k int, ref string) {
	f, when := s.f, fmt.Sprintf("r%d.%d", e.round, k)
	ev := e.event(ref, f, "burst", "miss")
	ev.Attack, ev.Rule = true, "6.8"
	single := (*Fighter)(nil)
	if len(sh.targets) == 1 {
		single = sh.target
		ev.Target = single.ID
	}
	if sh.wp.holstered() {
		ev.Changes = append(ev.Changes, e.draw(f, sh.wp)...)
	}
	if sh.turn != "" {
		ev.Changes = append(ev.Changes, changed(f.ID, "FACING", f.Facing, sh.turn))
		f.Facing = sh.turn
	}
	e.witnesses(ev, f, single, true)
	e.consume(ev, f, sh.wp, sh.row.BurstRounds)
	ev.Numbers["metres"], ev.Numbers["targets"] = sh.metres, len(sh.targets)
	e.doubtful(ev, sh, "ranges")
	for i := range sh.targets {
		e.ruleCover(ref, &sh.targets[i])
	}
	lines, chance := e.burstChance(s, sh)
	ev.Lines = append(ev.Lines, lines...)
	e.roll(ev, f, chance, when)
	ruled, forced := e.rules.EventWord(ref, outcomes...)
	if forced {
		ev.Outcome = ruled
	}
	if e.mayFumble(ev, forced) && e.fumble(s, sh, ev, when, forced) {
		ev.Outcome = "fumble"
	}
	f.SeenBy = nil
	for _, one := range sh.targets {
		e.remember(ev, f, one.target)
	}
	var shares, doubled []int
	if ev.Outcome == "hit" || ev.Outcome == "critical" || ev.Outcome == "grievous" {
		pool := sh.row.pool(len(sh.targets))
		e.doubtful(ev, sh, "damage")
		first := len(ev.Dice)
		points := e.rollSum(ev, "dmg", string(f.ID)+"/"+when, pool)
		ev.Lines = append(ev.Lines, damageLine(pool, ev.Dice[first:], points))
		if v, ok := e.rules.EventNumber(ref, "damage"); ok && single == nil {
			points = max(v, 0)
		}
		ev.Numbers["damage"] = points
		shares, doubled = split(points, len(sh.targets)), split(2*points, len(sh.targets))
	}
	e.lifted(ref)
	if single != nil {
		look := ""
		if shares != nil {
			h := burstHarm(ev, s, sh, sh.target, shares[0], doubled[0])
			h.knocks = knocksOut(e.w.setting, ev.Numbers["roll"], false, 0)
			h.dice = string(f.ID) + "/" + when
			look = e.inflict(ev, h)
		}
		e.shotTexts(ev, s, sh, look)
		e.emit(ev)
		return
	}
	e.burstTexts(ev, s, sh)
	e.emit(ev)
	for i := range shares {
		e.struck(ev, s, sh, sh.targets[i].target, shares[i], doubled[i])
	}
}

// struck is what a burst does to one of several targets.
func (e *engine) struck(burst *game.Event, s *state, sh shot, t *Fighter, share, doubled int) {
	ev := e.event(burst.Ref+"."+string(t.ID), s.f, "burst", burst.Outcome)
	ev.Target, ev.Rule = t.ID, "6.8"
	if e.passedBy(ev, "The burst", t) {
		return
	}
	e.witnesses(ev, s.f, t, false)
	ev.Lines = append(ev.Lines, game.Line{Label: "Share of the burst", Value: strconv.Itoa(share)})
	h := burstHarm(ev, s, sh, t, share, doubled)
	h.knocks = knocksOut(e.w.setting, burst.Numbers["roll"], false, 0)
	look := e.inflict(ev, h)
	own := e.called(s, t)
	says := func(name string) string {
		return fmt.Sprintf("The burst hits %s. %s %s.", name, resolve.Title(name), look)
	}
	ev.Text[game.All], ev.Text[game.Seen], ev.Text[game.Own] = says(t.Name), says(t.Name), says(own)
	ev.Text[game.All] += fmt.Sprintf(" %d of %d points; STA %d/%d.", ev.Numbers["taken"], ev.Numbers["damage"], t.Now, t.STA)
	ev.Text[game.Actor] = "The burst hits somebody out of sight."
	ev.Text[game.Target] = fmt.Sprintf("A burst from somewhere out of sight hits %s. %s %s.", t.Name, t.Name, look)
	e.emit(ev)
}

func burstHarm(ev *game.Event, s *state, sh shot, t *Fighter, share, doubled int) harm {
	return harm{
		to: t, by: s.f, dice: string(t.ID) + "/" + ev.Ref, kind: sh.row.Type, class: sh.row.Class, skill: s.f.Skills[sh.row.Group],
		points: share, double: doubled,
	}
}

// pool is the damage of a burst at so many targets (6.8 no. 4).
func (w *weaponRow) pool(targets int) resolve.Notation {
	n := w.burst
	n.N += w.burstExtra.N * (targets - 1)
	n.Plus += w.burstExtra.Plus * (targets - 1)
	return n
}

// split shares out points as evenly as can be, what is left over to the first
// ones (6.8 no. 5).
func split(points, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = points / n
		if i < points%n {
			out[i]++
		}
	}
	return out
}

// burstChance sums the lines of 6.1; of each the worst of all targets counts (6.8 no. 3).
func (e *engine) burstChance(s *state, sh shot) (lines []game.Line, chance int) {
	f := s.f
	a := attack{
		base: f.Base, dex: f.DEX, robot: f.Level, skill: f.Skills[sh.row.Group], heavy: sh.row.Heavy,
		band: sh.band, attacker: e.movement(f), burst: true, wounded: e.wounded(f), wrongHand: f.wrongHand(sh.wp), ails: f.ails(true),
		helpless: e.w.setting("stun_bonus_ranged") == "on",
	}
	for i, one := range sh.targets {
		t := one.target
		if moves := e.movement(t); i == 0 || e.moveLine(moves, t.Class) < e.moveLine(a.target, a.animalClass) {
			a.target, a.animalClass = moves, t.Class
		}
		if i == 0 || e.Size[t.Size] < e.Size[a.size] {
			a.size = t.Size
		}
		a.cover = coverNames[max(coverOf(a.cover), coverOf(one.cover))]
		a.prone = a.prone || t.Posture == "prone"
		a.helpless = a.helpless && t.helpless()
		a.rifleInReach = a.rifleInReach || sh.row.Rifle && e.g.reach(e.tables, f.Place, t.Place)
	}
	return e.sum(a)
}

// moveLine is the line of a target's movement (6.1 no. 4).
func (t *tables) moveLine(mode, animal string) int {
	if animal != "" && mode == "run" {
		return t.TargetAnimal[animal]
	}
	return t.TargetMovement[mode]
}

// burstTexts writes a burst at several targets in the words of each grade.
func (e *engine) burstTexts(ev *game.Event, s *state, sh shot) {
	f := s.f
	end := map[string]string{
		"miss": "and misses", "hit": "and hits", "critical": "and hits badly", "grievous": "and hits terribly", "fumble": "and loses hold of the weapon",
	}[ev.Outcome]
	if ev.Outcome == "fumble" && sh.wp.State != "on_ground" {
		end = "and the weapon jams"
	}
	names, own := "", ""
	for i, one := range sh.targets {
		if i > 0 {
			names, own = names+", ", own+", "
		}
		names, own = names+one.target.Name, own+e.called(s, one.target)
	}
	figures := fmt.Sprintf("(chance %d, roll %d)", ev.Numbers["chance"], ev.Numbers["roll"])
	ev.Text[game.All] = fmt.Sprintf("%s fires a burst of the %s at %s, up to %d m away %s %s.", f.Name, sh.wp.Name, names, sh.metres, figures, end)
	if points, ok := ev.Numbers["damage"]; ok {
		ev.Text[game.All] += fmt.Sprintf(" %d points to share.", points)
	}
	ev.Text[game.Own] = fmt.Sprintf("%s fires a burst of the %s at %s %s %s.", f.Name, sh.wp.Name, own, figures, end)
	ev.Text[game.Seen] = fmt.Sprintf("%s fires a burst of the %s %s.", f.Name, sh.wp.Name, end)
	ev.Text[game.Heard] = resolve.Title(sh.row.Noise) + " is heard."
}

// pairOf are the two weapons of a plan that fires two; nil: it fires one.
func pairOf(steps []game.Intent, rx []game.Reaction) []game.ID {
	var used []game.ID
	note := func(in *game.Intent) {
		if in.Verb == "fire" && !slices.Contains(used, in.Weapon) {
			used = append(used, in.Weapon)
		}
	}
	each(steps, note)
	for _, x := range rx {
		each(x.Do, note)
	}
	if len(used) != 2 {
		return nil
	}
	return used
}

// second reports the weapon of a pair that is in the wrong hand: whoever has a
// hand of his own holds one there, the later one of the sheet if it does not say (6.7).
func (f *Fighter) second(pair []game.ID, wp *Weapon) bool {
	if len(pair) < 2 || f.Handed == "" || !slices.Contains(pair, wp.ID) {
		return false
	}
	last := game.ID("")
	for i := range f.Weapons {
		if o := &f.Weapons[i]; slices.Contains(pair, o.ID) {
			if f.inOther(o) {
				return f.inOther(wp)
			}
			last = o.ID
		}
	}
	return wp.ID == last
}
