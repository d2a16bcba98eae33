package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// hurled is a weapon's row as it counts when the weapon is thrown (18.4); nil:
// it is not one to throw.
func (w *weaponRow) hurled() *weaponRow {
	if len(w.Thrown) == 0 {
		return nil
	}
	row := *w
	row.Group, row.Ranges, row.Melee, row.Rifle, row.Noise = "thrown", w.Thrown, false, false, ""
	if slices.Contains(w.Unverified, "thrown") {
		row.Unverified = append(slices.Clone(w.Unverified), "ranges")
	}
	return &row
}

// throwAt tells whether a throw is possible now, and if not, why: a grenade of
// one's own, one that lies beside him, or a weapon.
func (e *engine) throwAt(s *state, in game.Intent, by *happening) (shot, string) {
	sh := shot{row: e.weapon("grenade")}
	f := s.f
	if wp := f.weapon(in.Item); wp != nil {
		return e.hurlAt(s, in, wp, by)
	}
	switch it, lies := f.item(in.Item), e.lying(s, in, by); {
	case it != nil && e.tables.grenade(it) != nil && it.thrown() && it.Count > 0:
		sh.item, sh.name, sh.grenade = it, it.Name, e.tables.grenade(it)
		sh.fuse = fuse(in.Fuse)
	case lies != nil:
		sh.charge, sh.name, sh.grenade = lies, lies.Name, e.grenadeRow(lies.Kind)
	default:
		return sh, "no_weapon"
	}
	if sh.grenade == nil {
		return sh, "no_weapon"
	}
	if f.has("arm") && f.has("other_arm") {
		return sh, "arm_useless"
	}
	return e.aimLob(s, in, sh, by)
}

// lying is the grenade on the ground that he means to throw on: the one named,
// or the nearest in reach.
func (e *engine) lying(s *state, in game.Intent, by *happening) *Charge {
	if in.Item != "" {
		c := e.charge(in.Item)
		if c == nil || !e.reaches(s.f.Place, c.At) {
			return nil
		}
		return c
	}
	var best *Charge
	for i := range e.w.Charges {
		c := &e.w.Charges[i]
		if e.reaches(s.f.Place, c.At) && (best == nil || squared(s.f.Place, c.At) < squared(s.f.Place, best.At)) {
			best = c
		}
	}
	return best
}

// fuse reads turns; 0 means on impact.
func fuse(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// hurlAt is throwAt for a knife, an axe or a spear.
func (e *engine) hurlAt(s *state, in game.Intent, wp *Weapon, by *happening) (shot, string) {
	sh := shot{wp: wp, hurled: true}
	base := e.weapon(wp.Kind)
	if base == nil || base.hurled() == nil {
		return sh, "not_built"
	}
	sh.row = base.hurled()
	switch {
	case wp.State == "on_ground":
		return sh, "weapon_on_ground"
	case s.f.unhandy(wp) != "":
		return sh, s.f.unhandy(wp)
	}
	sh.target = e.aimedAt(s, in, by)
	if sh.target == nil || sh.target == s.f {
		return sh, "no_target"
	}
	if reason := e.lineOfFire(s, in, &sh, by); reason != "" {
		return sh, reason
	}
	if e.leftAlone(s, in, sh.target) {
		return sh, "target_down"
	}
	sh.metres = e.g.metres(s.f.Place, sh.target.Place)
	band, ok := sh.row.band(sh.metres)
	if !ok && s.allow {
		band, ok = bands[len(bands)-1], true
	}
	if !ok {
		return sh, "out_of_range"
	}
	sh.band, sh.at = band, sh.target.Place
	sh.dice, sh.extra = s.f.force(e.tables, base)
	return sh, ""
}

// launchAt tells whether a grenade rifle or a mortar can be fired now.
func (e *engine) launchAt(s *state, in game.Intent, by *happening) (shot, string) {
	var sh shot
	sh.wp = s.f.launcher(e.tables, in.Weapon)
	if sh.wp == nil {
		return sh, "no_weapon"
	}
	sh.row = e.weapon(sh.wp.Kind)
	sh.grenade = e.grenadeRow(sh.wp.Loaded)
	switch {
	case sh.row == nil || sh.row.Shots != "launch":
		return sh, "not_built"
	case sh.wp.Left < 1 || sh.grenade == nil:
		sh.grenade = nil
		return sh, "out_of_ammunition"
	}
	if reason := e.unready(s.f, sh); reason != "" {
		return sh, reason
	}
	sh.name = sh.wp.Name
	return e.aimLob(s, in, sh, by)
}

// unready tells why a firearm cannot be fired at all.
func (e *engine) unready(f *Fighter, sh shot) string {
	switch {
	case sh.wp.State == "on_ground":
		return "weapon_on_ground"
	case sh.wp.Jammed > e.w.Played:
		return "jammed"
	case sh.wp.Broken:
		return "broken"
	case f.unhandy(sh.wp) != "":
		return f.unhandy(sh.wp)
	case sh.row.Tripod && sh.wp.State != "mounted":
		return "not_mounted"
	case sh.wp.Unready:
		return "out_of_ammunition"
	}
	return ""
}

// aimLob finds where a grenade is to land, and whether it can: at somebody, or
// at a square in sight; at one out of sight only if the game or the GM allows it (5.2 no. 7).
func (e *engine) aimLob(s *state, in game.Intent, sh shot, by *happening) (shot, string) {
	place, person := in.Target, e.aimedAt(s, in, by)
	if place.IsZero() {
		place = in.To
	}
	if person != nil && person != s.f {
		sh.target = person
		sh.at = person.Place
		if reason := e.lineOfFire(s, in, &sh, by); reason != "" {
			return sh, reason
		}
	} else {
		at, ok := e.scene(s).place(place, "")
		if !ok {
			return sh, "no_target"
		}
		sh.at = at
		if reason := e.lineTo(s, &sh, by); reason != "" {
			return sh, reason
		}
	}
	sh.metres = e.g.metres(s.f.Place, sh.at)
	band, ok := sh.wp.band(sh.row, sh.metres)
	if !ok && s.allow {
		band, ok = bands[len(bands)-1], true
	}
	if !ok {
		return sh, "out_of_range"
	}
	sh.band = band
	return sh, ""
}

// lineTo is lineOfFire for a bare square.
func (e *engine) lineTo(s *state, sh *shot, by *happening) string {
	here := s.f.Place
	if here != sh.at && arc(s.f.facing(), here, sh.at) != "front" {
		if by != nil && !s.allow && (by.class == "move" || s.walked > 0 || s.turned) {
			return "out_of_field_of_fire"
		}
		if d, ok := resolve.Toward(here, sh.at); ok {
			sh.turn = d.String()
		}
	}
	if e.g.opaque(sh.at) {
		return "no_line_of_sight"
	}
	if here != sh.at && !e.g.eyes(e.tables, s.f).clear(here, sh.at) {
		sh.blind = true
		if e.w.setting("grenade_lobs") != "on" && !sh.row.Indirect && !s.allow {
			return "no_line_of_sight"
		}
	}
	return ""
}

// lob rolls a throw or the launch of a shell, and lets it land (10.2).
func (e *engine) lob(s *state, sh shot, k int, ref string) {
	f, when := s.f, fmt.Sprintf("r%d.%d", e.round, k)
	verb := "throw"
	if sh.wp != nil {
		verb = "launch"
	}
	ev := e.event(ref, f, verb, "miss")
	ev.Target, ev.Attack, ev.Rule = sh.targetID(), true, "10.2"
	if sh.turn != "" {
		ev.Changes = append(ev.Changes, changed(f.ID, "FACING", f.Facing, sh.turn))
		f.Facing = sh.turn
	}
	if sh.lean != nil {
		e.lean[f.ID] = *sh.lean
	}
	e.witnesses(ev, f, sh.target, sh.wp != nil)
	c := Charge{Ref: ref, Kind: sh.grenade.ID, Name: sh.grenade.Name, By: f.ID}
	if sh.fuse > 0 {
		c.Bursts = e.w.Played + int64(sh.fuse)
	}
	switch {
	case sh.item != nil:
		ev.Changes = append(ev.Changes, changed(f.ID, "ITEM", fmt.Sprintf("%s %d", sh.item.Name, sh.item.Count), fmt.Sprintf("%s %d", sh.item.Name, sh.item.Count-1)))
		sh.item.Count--
		ev.Numbers["left"] = sh.item.Count
	case sh.charge != nil:
		c.Bursts = sh.charge.Bursts
		e.w.Charges = slices.DeleteFunc(e.w.Charges, func(x Charge) bool { return x.At == sh.charge.At && x.Ref == sh.charge.Ref })
		e.remap()
	default:
		if sh.wp.holstered() {
			ev.Changes = append(ev.Changes, e.draw(f, sh.wp)...)
		}
		e.consume(ev, f, sh.wp, 1)
		sh.wp.Loaded = ""
		e.doubtful(ev, sh, "ranges")
	}
	ev.Numbers["metres"] = sh.metres

	e.ruleCover(ref, &sh)
	lines, chance := e.lobChance(s, sh)
	ev.Lines = append(ev.Lines, lines...)
	e.roll(ev, f, chance, when)
	ruled, forced := e.rules.EventWord(ref, outcomes...)
	if forced {
		ev.Outcome = ruled
	}
	c.At = sh.at
	switch fumbled := e.mayFumble(ev, forced) && (forced || e.slips(f, f.Skills[sh.row.Group], ev, when)); {
	case fumbled && sh.wp == nil:
		ev.Outcome = "fumble"
		c.At = e.flung(f, ev, when, sh.name)
	case fumbled:
		ev.Outcome = "fumble"
		sh.wp.Jammed = e.w.Played + 2
		ev.Lines = append(ev.Lines, game.Line{Label: "The weapon jams", Value: "until the end of the next round"})
	case ev.Outcome == "miss":
		c.At = e.astray(ev, f, sh, when)
	case ev.Outcome != "hit":
		// 10.2 no. 8: without the setting a plain hit, and never a wound.
		c.Twice = e.w.setting("grenade_crits") == "on"
		if ev.Outcome = "hit"; c.Twice {
			ev.Outcome = "critical"
		}
	}
	f.SeenBy = nil // a throw gives him away
	if sh.target != nil {
		e.remember(ev, f, sh.target)
	}
	e.lobTexts(ev, s, sh, c.At)
	e.lifted(ref)
	e.emit(ev)
	switch {
	case ev.Outcome == "fumble" && sh.wp != nil:
	case c.Bursts > 0:
		e.settle(c, ref)
	default:
		e.explode(c, ref+"b")
	}
}

// lobChance sums the lines of 6.1 for a grenade; a bare square is a target of
// medium size that stands still (10.2 no. 1).
func (e *engine) lobChance(s *state, sh shot) (lines []game.Line, chance int) {
	f := s.f
	hand := &Weapon{}
	if sh.wp != nil {
		hand = sh.wp
	}
	a := attack{
		base: f.Base, dex: f.DEX, robot: f.Level, skill: f.Skills[sh.row.Group], heavy: sh.row.Heavy,
		band: sh.band, target: "stationary", attacker: e.movement(f), size: "medium", wounded: e.wounded(f), wrongHand: f.wrongHand(hand), ails: f.ails(true),
	}
	if t := sh.target; t != nil {
		a.target, a.animalClass, a.cover, a.size, a.prone = e.movement(t), t.Class, sh.cover, t.Size, t.Posture == "prone"
		a.helpless = e.w.setting("stun_bonus_ranged") == "on" && t.helpless()
	}
	a.rifleInReach = sh.row.Rifle && e.g.reach(e.tables, f.Place, sh.at)
	lines, chance = e.sum(a)
	if sh.blind {
		lines = append(lines, game.Line{Label: "At a place out of sight", Value: resolve.Signed(e.Blast.Lob)})
		chance += e.Blast.Lob
	}
	return lines, chance
}

// astray is where a grenade lands that misses: it scatters (10.2 no. 3), but one
// of a grenade rifle flies on along its line until something stops it (no. 4).
func (e *engine) astray(ev *game.Event, f *Fighter, sh shot, when string) game.Square {
	if sh.row.Straight {
		at := e.g.beyond(f.Place, sh.at, sh.wp.reach(sh.row))
		ev.Lines = append(ev.Lines, game.Line{Label: "It flies on", Value: "to " + at.String()})
		return at
	}
	die := e.rules.Roll("scatter_dir/"+string(f.ID)+"/"+when, len(e.Fumble.Turns))
	ev.Dice = append(ev.Dice, die)
	onward, ok := resolve.Toward(f.Place, sh.at)
	if !ok {
		onward = f.facing()
	}
	d := e.fumbleDir(onward, die.Value)
	m := e.Blast.Scatter[sh.band]
	if sh.row.Indirect {
		m *= 2
	}
	if slices.Contains(e.Blast.Unverified, "scatter") {
		ev.Unverified = append(ev.Unverified, "grenades: scatter")
	}
	at, _ := e.g.slide(sh.at, d, e.offsetSquares(m*10_000, e.w.ScaleMM, d))
	ev.Lines = append(ev.Lines, game.Line{Label: "Scatters " + strconv.Itoa(m) + " m " + d.Word(), Value: "to " + at.String()})
	return at
}

// settle lets a grenade with a timer come to rest.
func (e *engine) settle(c Charge, ref string) {
	if len(e.w.Charges) < maxThings {
		e.w.Charges = append(e.w.Charges, c)
	}
	ev := e.event(ref+"b", e.w.fighter(c.By), "grenade", "done")
	ev.Rule = "10.2"
	turns := int(c.Bursts - e.w.Played)
	ev.Numbers["turns"] = turns
	text := fmt.Sprintf("The %s lies in %s.", c.Name, c.At)
	ev.Text[game.All] = fmt.Sprintf("The %s lies in %s and will burst at the end of round %d.", c.Name, c.At, c.Bursts)
	ev.Text[game.Own], ev.Text[game.Seen] = text, text
	e.remap()
	e.beheld(ev, c.At, 0)
	e.emit(ev)
	if e.alert {
		e.pending = append(e.pending, happening{class: "effect", kind: "grenade_lands", who: e.by[c.By], at: c.At, ev: ev})
	}
}

// remap makes the map anew after something on it has changed.
func (e *engine) remap() {
	clear(e.known)
	e.things = e.w.things()
	e.g = e.w.gridOf(slices.Concat(e.w.Features, e.things))
	e.look()
}

// leave lets a weapon lie where it was thrown to.
func (e *engine) leave(ev *game.Event, f *Fighter, wp *Weapon, at game.Square) {
	ev.Changes = append(ev.Changes, changed(f.ID, "WEAPON", wp.Name+" "+wp.State, wp.Name+" on_ground at "+at.String()))
	wp.State, wp.At = "on_ground", &at
}

// beheld lets whoever sees a square perceive what happens there: what is within
// so many metres touches him.
func (e *engine) beheld(ev *game.Event, at game.Square, metres int) {
	spot := game.Feature{Squares: []game.Square{at}}
	for _, v := range e.w.Fighters {
		switch {
		case metres > 0 && v.able() && e.g.metres(v.Place, at) <= metres, e.w.notices(e.tables, e.g, v, spot):
			ev.Seen[v.ID] = game.Seen
		case ev.Text[game.Heard] != "" && v.able():
			ev.Seen[v.ID] = game.Heard
		}
	}
	if _, ok := ev.Seen[ev.Actor]; ok && ev.Seen[ev.Actor] == game.Seen {
		ev.Seen[ev.Actor] = game.Own
	}
}

// lobTexts writes a throw in the words of each grade. Where it lands is told by
// what happens there.
func (e *engine) lobTexts(ev *game.Event, s *state, sh shot, at game.Square) {
	f := s.f
	verb := "throws " + article(sh.name)
	if sh.charge != nil {
		verb = "throws the " + sh.name + " on"
	}
	if sh.wp != nil {
		verb = "fires the " + sh.wp.Name
	}
	own := sh.aimed()
	if sh.target != nil {
		own = e.called(s, sh.target)
	}
	end := map[string]string{"miss": "and misses", "hit": "and hits the mark", "critical": "and hits the mark exactly", "fumble": "and lets it slip"}[ev.Outcome]
	if ev.Outcome == "fumble" && sh.wp != nil {
		end = "and the weapon jams"
	}
	figures := fmt.Sprintf("(chance %d, roll %d)", ev.Numbers["chance"], ev.Numbers["roll"])
	ev.Text[game.All] = fmt.Sprintf("%s %s at %s, %d m away %s, %s; it lands in %s.", f.Name, verb, sh.aimed(), sh.metres, figures, end, at)
	ev.Text[game.Own] = fmt.Sprintf("%s %s at %s %s %s.", f.Name, verb, own, figures, end)
	ev.Text[game.Seen] = fmt.Sprintf("%s %s at %s %s.", f.Name, verb, sh.aimed(), end)
	ev.Text[game.Actor] = fmt.Sprintf("%s %s at somebody out of sight.", f.Name, verb)
	if sh.target != nil {
		ev.Text[game.Target] = fmt.Sprintf("Something is thrown at %s from out of sight.", sh.target.Name)
	}
	if sh.wp != nil {
		ev.Text[game.Target] = fmt.Sprintf("Something is fired at %s from out of sight.", sh.aimed())
		ev.Text[game.Heard] = resolve.Title(sh.row.Noise) + " is heard."
	}
}

// article puts a or an before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeiouAEIOU", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// lostThrowText says in plain words why nothing was thrown.
func lostThrowText(who, target string, _ game.Intent, sh shot, reason string) string {
	at := target
	if at == "" {
		at = "the place"
	}
	why := map[string]string{
		"no_weapon":            "has nothing to throw",
		"not_built":            "cannot throw the " + sh.arm(),
		"weapon_on_ground":     "has no " + sh.arm() + " in hand",
		"arm_useless":          "cannot throw with that arm",
		"no_target":            "finds nobody to throw at",
		"target_down":          "does not throw: " + at + " is down already",
		"friend_in_blast":      "does not throw: somebody stands there who is not to be hurt",
		"no_line_of_sight":     "cannot see " + at + " and does not throw",
		"out_of_field_of_fire": "has " + at + " outside the field of fire",
		"out_of_range":         "does not throw: " + at + " is out of range",
		"out_of_action":        "is out of action before the throw",
		"not_programmed":       "is not programmed to attack " + at,
	}[reason]
	if why == "" {
		why = "does not throw"
	}
	return who + " " + why + "."
}
