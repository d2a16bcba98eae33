package starfrontiers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// outcomes that a ruling may give a shot.
var outcomes = []string{"hit", "miss", "critical", "grievous", "fumble"}

// shoot carries out one single shot (6.10) or one blow (7.1). by is the event
// that it reacts to; a shot in reaction to movement is an opportunity shot (8).
func (e *engine) shoot(s *state, in game.Intent, fall []game.Intent, k int, by *happening) {
	ref := e.ref(s, k, "")
	e.applySets(ref, s)
	if e.calledOff(s, in.Verb, ref) {
		return
	}
	defer func(was bool) { s.allow = was }(s.allow)
	s.allow = e.allowed(ref)
	if in.Until != nil && e.holds(s, *in.Until, nil) {
		ev := e.event(ref, s.f, in.Verb, "done")
		ev.Reason = "until"
		private(ev, fmt.Sprintf("%s stops %s, as planned.", s.f.Name, attackWords[in.Verb].doing))
		e.emit(ev)
		return
	}
	sh, reason := e.attackAt(s, in, by)
	var answers []answer
	if reason == "" {
		answers = e.declare(s, in.Verb, sh.targetID(), nil)
		switch {
		case !e.able(s.f):
			e.lostShot(s, in, sh, ref, "out_of_action")
			e.answer(answers)
			return
		case len(e.out.Events) > 0:
			// An interrupt may have changed everything.
			sh, reason = e.attackAt(s, in, by)
		}
	}
	if reason != "" {
		if by == nil && len(fall) > 0 {
			e.fallback(s, fall, k, ref)
		} else {
			e.lostShot(s, in, sh, ref, reason)
		}
		e.answer(answers)
		return
	}
	s.failed = false
	switch {
	case in.Verb == "melee":
		e.strike(s, in, sh, k, ref)
	case in.Verb == "burst":
		e.burst(s, in, sh, k, ref)
	case sh.grenade != nil:
		e.lob(s, sh, k, ref)
	default:
		e.fire(s, in, sh, k, ref, by)
	}
	e.mark(s, "act", ref, attackWords[in.Verb].does+" at "+sh.aimed())
	e.aftermath(atOnce)
	e.answer(answers)
}

// attackWords are what attacks are called: he fires, he stops firing.
var attackWords = map[string]struct{ does, doing string }{
	"fire": {"fires", "firing"}, "burst": {"fires a burst", "firing"}, "melee": {"strikes", "striking"},
	"throw": {"throws", "throwing"}, "launch": {"fires", "firing"},
}

// fallback does what was ordered in case the step is impossible; it spends the
// same sub-action.
func (e *engine) fallback(s *state, fall []game.Intent, k int, ref string) {
	e.refs[ref]-- // the event of the sub-action has not been told yet
	shot := false
	for _, in := range fall {
		switch {
		case isAttack(in.Verb) && !shot:
			shot = true
			in.Shots, in.Blows = min(in.Shots, 1), min(in.Blows, 1)
			e.shoot(s, in, nil, k, nil)
		case spends(&in) == 0:
			e.free(s, in, k, "m", nil, 0)
		case !shot:
			shot = true
			e.act(s, in, nil, k)
		}
	}
}

// attackAt tells whether an attack is possible now, and if not, why: a typed reason.
func (e *engine) attackAt(s *state, in game.Intent, by *happening) (shot, string) {
	aim := e.aimAt
	switch in.Verb {
	case "melee":
		aim = e.strikeAt
	case "burst":
		aim = e.burstAt
	case "throw":
		aim = e.throwAt
	case "launch":
		aim = e.launchAt
	}
	sh, reason := aim(s, in, by)
	switch {
	case reason != "", s.allow:
	case !s.f.mayAttack(e.tables, sh.targetID()):
		reason = "not_programmed"
	case e.spared(s, sh):
		reason = "friend_in_blast"
	}
	return sh, reason
}

// shot is one that can be fired, or a blow that can be struck.
type shot struct {
	wp     *Weapon
	row    *weaponRow
	target *Fighter
	metres int
	band   string
	scope  bool
	turn   string // facing to turn to first
	lean   *game.Square
	cover  string
	dice   resolve.Notation // damage of a blow
	extra  []bonus
	// Of what bursts, and of what is thrown (10).
	grenade *grenadeRow
	name    string      // of the grenade
	item    *Item       // it is one of those; nil: it is in a launcher, or lies about
	charge  *Charge     // it lay about
	at      game.Square // where it is to land; of a target its square
	fuse    int         // turns; 0: it bursts where it lands
	blind   bool        // at a square that he does not see
	hurled  bool        // a weapon that is thrown
	targets []shot      // of a burst: whom it may hit
}

// targetID is whom an attack is for; a place has no id.
func (sh shot) targetID() game.ID {
	if sh.target == nil {
		return ""
	}
	return sh.target.ID
}

// aimed is what an attack is for, in words.
func (sh shot) aimed() string {
	if sh.target == nil {
		return sh.at.String()
	}
	return sh.target.Name
}

// arm is what it is made with, in words.
func (sh shot) arm() string {
	switch {
	case sh.name != "":
		return sh.name
	case sh.wp != nil:
		return sh.wp.Name
	}
	return "weapon"
}

// aimAt tells whether the shot is possible now, and if not, why: a typed reason.
func (e *engine) aimAt(s *state, in game.Intent, by *happening) (shot, string) {
	var sh shot
	sh.wp = s.f.weapon(in.Weapon)
	if in.Weapon == "" {
		sh.wp = s.f.gun(e.tables)
	}
	if sh.wp == nil {
		return sh, "no_weapon"
	}
	sh.row = e.weapon(sh.wp.Kind)
	if !shoots(sh.row) {
		return sh, "not_built"
	}
	if reason := e.unready(s.f, sh); reason != "" {
		return sh, reason
	}
	sh.target = e.aimedAt(s, in, by)
	switch {
	case sh.target == nil || sh.target == s.f:
		return sh, "no_target"
	case sh.row.take(sh.wp.Left, sh.wp.Dial, e.useLeft(in)) == 0:
		return sh, "out_of_ammunition"
	}
	if reason := e.lineOfFire(s, in, &sh, by); reason != "" {
		return sh, reason
	}
	if e.leftAlone(s, in, sh.target) {
		return sh, "target_down"
	}
	sh.metres = e.g.metres(s.f.Place, sh.target.Place)
	band, ok := sh.wp.band(sh.row, sh.metres)
	if !ok && s.allow {
		band, ok = bands[len(bands)-1], true
	}
	if !ok {
		return sh, "out_of_range"
	}
	if sh.wp.Scope && s.shots <= 1 && len(s.pair) == 0 {
		band, sh.scope = closer(band)
	}
	sh.band = band
	return sh, ""
}

// aimedAt is whom an attack is for, by name or by a selector at this instant; by
// is the event that it reacts to. nil: there is nobody.
func (e *engine) aimedAt(s *state, in game.Intent, by *happening) *Fighter {
	if !resolve.IsSelector(in.Target.ID) {
		return e.w.fighter(in.Target.ID)
	}
	trigger := game.ID("")
	if by != nil {
		trigger = by.trigger()
	}
	if p := e.scene(s).pick(in.Target.ID, trigger); p != nil {
		return e.w.fighter(p.id)
	}
	return nil
}

// lineOfFire tests sight and field of fire. At his own slot turning is free;
// outside it once a turn, if he has not moved, and never for an opportunity shot (5.1).
func (e *engine) lineOfFire(s *state, in game.Intent, sh *shot, by *happening) string {
	t := sh.target
	shown := s.allow || contains(t.Shown, s.f.ID)
	if !shown && (contains(t.Veiled, s.f.ID) || t.SeenBy != nil && !contains(*t.SeenBy, s.f.ID) || !e.w.spots(e.tables, s.f, t.Place)) {
		return "no_line_of_sight"
	}
	g := e.g.eyes(e.tables, s.f)
	sh.cover = g.cover(s.f.Place, t.Place)
	if !shown && s.f.Place != t.Place && !e.w.lineTo(g, s.f, t, t.Place, e.lean) {
		hidden := t.Posture != "stand" && g.hides(s.f.Place, t.Place)
		place, ok := g.lean(s.f.Place, t.Place, s.f.Lean == "yes")
		if s.f.Lean == "no" || !in.Lean && s.f.Lean != "yes" || !ok || hidden {
			return "no_line_of_sight"
		}
		sh.lean = &place
		sh.cover = g.cover(place, t.Place)
	} else if !g.clear(s.f.Place, t.Place) {
		if _, leaning := e.lean[t.ID]; leaning {
			sh.cover = "hard" // he shows himself no more than he must
		}
	}
	if arc(s.f.facing(), s.f.Place, t.Place) == "front" {
		return ""
	}
	switch {
	case by == nil, s.allow:
	case by.class == "move", s.walked > 0, s.turned:
		return "out_of_field_of_fire"
	}
	if d, ok := resolve.Toward(s.f.Place, t.Place); ok {
		sh.turn = d.String()
	}
	return ""
}

func contains(ids []game.ID, id game.ID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

func (e *engine) useLeft(in game.Intent) bool {
	switch in.OnShort {
	case "use_left":
		return true
	case "refuse":
		return false
	}
	return e.w.setting("low_ammo") == "use_what_is_left"
}

// movement is what the movement lines of the sum look at (6.5).
func (e *engine) movement(f *Fighter) string {
	s := e.by[f.ID]
	if s == nil || !f.able() && s.walked == 0 {
		return "stationary"
	}
	if e.w.setting("pbem.movement_mod_basis") != "actual_so_far" {
		return s.mode
	}
	switch m := s.walked / 1000; {
	case s.mode == "dodge":
		return "dodge"
	case s.walked == 0:
		return "stationary"
	case m <= f.Walk:
		return "walk"
	}
	return "run"
}

// fire rolls the shot and applies its effects.
func (e *engine) fire(s *state, in game.Intent, sh shot, k int, ref string, by *happening) {
	f, t, when := s.f, sh.target, fmt.Sprintf("r%d.%d", e.round, k)
	ev := e.event(ref, f, in.Verb, "miss")
	ev.Target, ev.Attack, ev.Rule = t.ID, true, "6.10"
	if sh.hurled {
		ev.Rule = "18.4"
	}
	if by != nil && by.class == "move" {
		ev.Rule = "8"
	}
	if sh.wp.holstered() {
		ev.Changes = append(ev.Changes, e.draw(f, sh.wp)...)
	}
	if sh.turn != "" {
		ev.Changes = append(ev.Changes, changed(f.ID, "FACING", f.Facing, sh.turn))
		f.Facing = sh.turn
		s.turned = s.turned || by != nil
	}
	if sh.lean != nil {
		e.lean[f.ID] = *sh.lean
	}
	e.witnesses(ev, f, t, !sh.hurled)

	dial := sh.wp.Dial
	if !sh.hurled {
		spent := sh.row.take(sh.wp.Left, sh.wp.Dial, e.useLeft(in))
		if sh.row.PerSEU {
			dial = spent
			ev.Numbers["setting"] = dial
		}
		e.consume(ev, f, sh.wp, spent)
	}
	ev.Numbers["metres"] = sh.metres
	e.doubtful(ev, sh, "ranges")
	if s.shots > 1 {
		e.doubtful(ev, sh, "rate")
	}

	e.ruleCover(ref, &sh)
	lines, chance := e.chance(s, in, sh, by)
	ev.Lines = append(ev.Lines, lines...)
	skill := e.skillValue(f.Level, f.Skills[sh.row.Group], sh.row.Heavy)
	e.roll(ev, f, chance, when)
	ruled, forced := e.rules.EventWord(ref, outcomes...)
	if forced {
		ev.Outcome = ruled
	}
	fumbled := e.mayFumble(ev, forced) && e.fumble(s, sh, ev, when, forced)
	hurt := ""
	switch {
	case fumbled:
		ev.Outcome = "fumble"
	case ev.Outcome != "miss":
		hurt = e.hit(s, sh, ev, when, dial)
	}
	if sh.row.backBlast.N > 0 && !fumbled {
		defer e.backBlast(f, sh, ref)
	}
	if sh.hurled && !fumbled {
		e.leave(ev, f, sh.wp, t.Place)
	}
	if f.SeenBy != nil {
		f.SeenBy = nil // a shot gives him away
	}
	e.remember(ev, f, t)
	e.shotTexts(ev, s, sh, hurt)
	e.lifted(ref)
	e.emit(ev)
	if ev.Outcome == "miss" && !forced {
		e.stray(s, sh, ev, skill, when, dial)
	}
}

// doubtful names a cell of the weapon table that rests on memory.
func (e *engine) doubtful(ev *game.Event, sh shot, cell string) {
	if sh.row.unverifiedCell(cell) {
		ev.Unverified = append(ev.Unverified, sh.row.Name+": "+cell)
	}
}

// chance sums the lines of 6.1.
func (e *engine) chance(s *state, in game.Intent, sh shot, by *happening) (lines []game.Line, chance int) {
	f, t := s.f, sh.target
	a := attack{
		base: f.Base, dex: f.DEX, robot: f.Level, skill: f.Skills[sh.row.Group], heavy: sh.row.Heavy,
		band: sh.band, target: e.movement(t), attacker: e.movement(f), animalClass: t.Class,
		aim: in.Aim && s.walked == 0 && s.mode == "stationary" && len(s.pair) == 0, cover: sh.cover, size: t.Size, prone: t.Posture == "prone",
		wounded: e.wounded(f), wrongHand: f.wrongHand(sh.wp) || s.f.second(s.pair, sh.wp), twoWeapons: slices.Contains(s.pair, sh.wp.ID), rifleInReach: sh.row.Rifle && e.g.reach(e.tables, f.Place, t.Place), ails: f.ails(true),
		helpless: e.w.setting("stun_bonus_ranged") == "on" && t.helpless(),
	}
	if by != nil && by.class == "move" {
		switch rule := e.w.setting("opportunity.target_move_mod"); {
		case rule == "cancel", rule == "cancel_unless_dodging" && a.target != "dodge":
			a.target = "walk"
		}
	}
	lines, chance = e.sum(a)
	if sh.scope {
		lines = append(lines, game.Line{Label: "Telescopic sight: one band closer", Value: "0"})
	}
	return lines, chance
}

// hit rolls damage and does it (11.1), and says how it looks.
func (e *engine) hit(s *state, sh shot, ev *game.Event, when string, dial int) string {
	who := string(s.f.ID) + "/" + when
	h := harm{
		to: sh.target, by: s.f, dice: who, kind: sh.row.Type, class: sh.row.Class, skill: s.f.Skills[sh.row.Group],
	}
	nerve := 0
	if sh.row.ID == game.BareHands {
		nerve = e.nerve(s.f, sh.target)
	}
	h.knocks = knocksOut(e.w.setting, ev.Numbers["roll"], sh.row.Melee && sh.row.Blunt, nerve)
	if stun := sh.row.stunType(sh.wp.Mode); stun != "" {
		h.kind, h.stun = stun, true
		return e.inflict(ev, h)
	}
	n := sh.dice
	if !sh.row.Melee && !sh.hurled {
		n = sh.row.damageAt(sh.band, dial)
	}
	if sleep, ok := sh.row.sleep[sh.wp.Ammo]; ok {
		n, h.sleep = sleep, true
	}
	e.doubtful(ev, sh, "damage")
	first := len(ev.Dice)
	h.points = e.rollSum(ev, "dmg", who, n)
	if n.N > 0 || n.Plus != 0 || len(sh.extra) == 0 {
		ev.Lines = append(ev.Lines, damageLine(n, ev.Dice[first:], h.points))
	}
	for _, x := range sh.extra {
		h.points += x.n
		ev.Lines = append(ev.Lines, game.Line{Label: x.label, Value: resolve.Signed(x.n)})
	}
	return e.inflict(ev, h)
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// remember keeps the attack for the next turn's "the one who shot me".
func (e *engine) remember(ev *game.Event, f, t *Fighter) {
	p := resolve.Past{Attacker: f.ID, Target: t.ID, Known: []game.ID{}}
	for _, v := range e.w.Fighters {
		if g := ev.Seen[v.ID]; g == game.Own || g == game.Seen {
			p.Known = append(p.Known, v.ID)
		}
	}
	if slices.Contains(p.Known, t.ID) {
		t.learn(e.tables, f.ID)
	}
	if len(e.w.Past) < 1000 {
		e.w.Past = append(e.w.Past, p)
	}
}

// lostShot notes an attack that was not made, and why.
func (e *engine) lostShot(s *state, in game.Intent, sh shot, ref, reason string) {
	s.failed = true
	ev := e.event(ref, s.f, in.Verb, "lost")
	ev.Reason, ev.Rule = reason, "6.10"
	text := lostText
	switch in.Verb {
	case "melee":
		ev.Rule, text = "7.1", lostBlowText
	case "throw":
		ev.Rule, text = "10.2", lostThrowText
	}
	private(ev, text(s.f.Name, "", in, sh, reason))
	if sh.target != nil {
		ev.Target = sh.target.ID
		ev.Text[game.All] = text(s.f.Name, sh.target.Name, in, sh, reason)
		ev.Text[game.Own] = text(s.f.Name, e.called(s, sh.target), in, sh, reason)
	}
	e.emit(ev)
	e.mark(s, "lost", ref, strings.ReplaceAll(reason, "_", " "))
}
