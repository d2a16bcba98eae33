package starfrontiers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// throw checks the throw of a grenade, of one that lies about, or of a weapon (10, 18.4).
func (c *checker) throw(in game.Intent) []game.Intent {
	if in.Item == "" {
		in.Item = in.Weapon
	}
	in.Weapon = ""
	if wp := c.me.weapon(in.Item); wp != nil {
		return c.hurl(in, wp)
	}
	it := c.me.item(in.Item)
	lies := c.sc.feature(in.Item)
	switch {
	case in.Item == "" && c.reacting: // whatever has landed beside him
	case in.Item == "":
		if it = c.onlyGrenade(); it == nil {
			return nil
		}
		in.Item = it.ID
	case lies != nil && lies.Kind == "grenade":
		if !c.moved && !c.reacting && !c.sc.g.reach(c.t, c.sc.at, lies.Squares[0]) {
			c.add(game.Wrong, "out_of_range", fmt.Sprintf("The %s is %d m away.", lies.Name, c.sc.g.metres(c.sc.at, lies.Squares[0])), "move there first")
			return nil
		}
	case it == nil || c.t.grenade(it) == nil || !it.thrown():
		c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("%s has nothing called %q to throw.", c.v.Self.Name, in.Item), c.grenadeList())
		return nil
	case it.Count < 1:
		c.add(game.Wrong, "empty_weapon", "There is no "+it.Name+" left.", c.grenadeList())
		return nil
	}
	if in.Fuse == "impact" || it == nil {
		in.Fuse = ""
	}
	if in.Fuse != "" {
		if n, err := strconv.Atoi(in.Fuse); err != nil || n < 1 || n > c.t.Blast.FuseMax {
			c.add(game.Wrong, "setting", fmt.Sprintf("A timer can be set to 1 to %d turns.", c.t.Blast.FuseMax), "it bursts where it lands")
			in.Fuse = ""
		} else {
			in.Fuse = strconv.Itoa(n)
		}
	}
	if !c.landing(&in, c.t.weapon("grenade"), nil) || !c.programmed(in.Target) {
		return nil
	}
	if row := c.t.grenade(it); row != nil {
		c.doubtful(row.Name, row.Unverified)
	}
	return []game.Intent{in}
}

// onlyGrenade is the grenade meant when none is named.
func (c *checker) onlyGrenade() *Item {
	var only *Item
	for i := range c.me.Items {
		it := &c.me.Items[i]
		if c.t.grenade(it) == nil || !it.thrown() || it.Count < 1 {
			continue
		}
		if only != nil {
			c.ask("grenade_kind", "Which grenade?", "none is thrown; "+c.grenadeList())
			return nil
		}
		only = it
	}
	if only == nil {
		c.add(game.Wrong, "unknown_weapon", c.v.Self.Name+" carries no grenade.", "leave it out")
	}
	return only
}

func (c *checker) grenadeList() string {
	var have []string
	for i := range c.me.Items {
		if it := &c.me.Items[i]; c.t.grenade(it) != nil && it.thrown() && it.Count > 0 {
			have = append(have, it.Name)
		}
	}
	if len(have) == 0 {
		return c.v.Self.Name + " carries no grenade"
	}
	return "carried: " + strings.Join(have, ", ")
}

// doubtful notes figures that rest on memory alone.
func (c *checker) doubtful(name string, cells []string) {
	if len(cells) > 0 && !c.asked["unverified "+name] {
		c.asked["unverified "+name] = true
		c.add(game.Noted, "unverified", fmt.Sprintf("No source seen prints all figures of the %s (%s).", name, strings.Join(cells, ", ")), "those of the data files are taken; the GM may rule otherwise")
	}
}

// hurl checks the throw of a knife, an axe or a spear.
func (c *checker) hurl(in game.Intent, wp *Weapon) []game.Intent {
	row := c.row(wp).hurled()
	switch {
	case row == nil:
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" is not made for throwing.", "use it another way")
		return nil
	case wp.State == "on_ground":
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" lies on the ground.", "pick it up first; that takes a turn's action")
		return nil
	case c.me.unhandy(wp) != "":
		c.add(game.Wrong, "illegal_option", c.unusable(wp), "use another weapon")
		return nil
	}
	in.Fuse = ""
	if in.Target.IsZero() {
		in.Target, in.To = in.To, game.Ref{}
	}
	if !c.target(in.Target) || !c.programmed(in.Target) {
		return nil
	}
	if in.Target.IsZero() {
		in.Target = game.To(game.Trigger)
	}
	if p := c.sc.pick(in.Target.ID, ""); p != nil && !c.moved && !c.reacting && p.seen {
		m := c.sc.g.metres(c.sc.at, p.at)
		if _, ok := row.band(m); !ok {
			c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; the %s flies %d m.", p.name, m, wp.Name, row.maxRange()), "move closer, or use another weapon")
			return nil
		}
	}
	c.draws(wp)
	return []game.Intent{in}
}

// draws notes that a weapon has to be drawn for what is ordered.
func (c *checker) draws(wp *Weapon) {
	if wp.holstered() && !c.drawn {
		c.drawn = true
		c.add(game.Noted, "draw", fmt.Sprintf("The %s has to be drawn first (%+d on initiative).", wp.Name, c.t.Initiative.Holster), "")
	}
}

// landing checks at whom or where something that bursts is aimed.
func (c *checker) landing(in *game.Intent, row *weaponRow, wp *Weapon) bool {
	ref := in.Target
	if ref.IsZero() {
		ref = in.To
	}
	in.Target, in.To = ref, game.Ref{}
	at, place := game.Square{}, ref.Square != nil || c.sc.feature(ref.ID) != nil
	switch {
	case ref.IsZero() && c.reacting:
		in.Target = game.To(game.Trigger)
		return true
	case place:
		at, place = c.sc.place(ref, "")
		if !place {
			c.add(game.Wrong, "path", fmt.Sprintf("%s is not on the map.", ref.String()), "write a square such as E4, something on the map, or somebody in sight")
			return false
		}
	case ref.ID == game.Me || ref.ID == c.me.ID:
		c.add(game.Wrong, "friendly_target", "That would be at oneself.", "name another target, or a square")
		return false
	default:
		if !c.target(ref) {
			return false
		}
		p := c.sc.pick(ref.ID, "")
		if p == nil || !p.seen {
			return true
		}
		at = p.at
	}
	if c.moved || c.reacting {
		return true
	}
	m := c.sc.g.metres(c.sc.at, at)
	if _, ok := wp.band(row, m); !ok {
		c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; it reaches %d m.", c.sc.called(ref), m, wp.reach(row)), "move closer, or choose something nearer")
		return false
	}
	if place && at != c.sc.at && !c.sc.g.eyes(c.t, c.me).clear(c.sc.at, at) {
		if c.setting("grenade_lobs") != "on" && !row.Indirect {
			c.ask("target_not_visible", fmt.Sprintf("%s does not see %s.", c.v.Self.Name, c.sc.called(ref)), "it is not thrown there unless the GM allows lobs at places out of sight")
		} else {
			c.add(game.Noted, "target_not_visible", fmt.Sprintf("%s does not see %s (%+d to hit).", c.v.Self.Name, c.sc.called(ref), c.t.Blast.Lob), "")
		}
	}
	c.near(at, m)
	return true
}

// called is what somebody, a thing or a place is called.
func (sc *scene) called(ref game.Ref) string {
	if p := sc.pick(ref.ID, ""); p != nil {
		return p.name
	}
	if f := sc.feature(ref.ID); f != nil {
		return f.Name
	}
	return ref.String()
}

// near notes friends in the blast, and oneself.
func (c *checker) near(at game.Square, m int) {
	var names []string
	if m <= c.t.Blast.Radius {
		names = append(names, c.v.Self.Name)
	}
	for _, p := range c.sc.people {
		if p.relation == "ally" && c.sc.g.metres(at, p.at) <= c.t.Blast.Radius {
			names = append(names, p.name)
		}
	}
	if len(names) > 0 {
		c.add(game.Noted, "friendly_target", fmt.Sprintf("Within %d m of it: %s.", c.t.Blast.Radius, strings.Join(names, ", ")), "it is done all the same; change the order if that is not meant")
	}
}

// launch checks the launch of a shell from a grenade rifle or a mortar.
func (c *checker) launch(in game.Intent) []game.Intent {
	wp := c.me.launcher(c.t, in.Weapon)
	if wp == nil {
		c.add(game.Wrong, "unknown_weapon", c.v.Self.Name+" carries nothing that fires shells.", "use another weapon")
		return nil
	}
	row := c.row(wp)
	in.Verb, in.Weapon, in.Fuse, in.Shots = "launch", wp.ID, "", 0
	if row.Shots != "launch" {
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" fires no shells.", "use another weapon")
		return nil
	}
	if !c.fit(wp, row) {
		return nil
	}
	loaded := c.t.grenadeRow(wp.Loaded)
	if wp.Left < 1 || loaded == nil {
		c.add(game.Wrong, "empty_weapon", "The "+wp.Name+" is not loaded.", "reload it with a shell first; that takes the turn")
		return nil
	}
	if shell := c.me.item(in.Shell); shell != nil && c.t.grenade(shell) != nil && c.t.grenade(shell) != loaded {
		c.add(game.Wrong, "which_weapon", fmt.Sprintf("The %s is loaded with a %s.", wp.Name, shellName(loaded)), "fire that, or reload it with the other first")
		return nil
	}
	if !c.landing(&in, row, wp) || !c.programmed(in.Target) {
		return nil
	}
	c.draws(wp)
	c.doubtful(loaded.Name, loaded.Unverified)
	return []game.Intent{in}
}

// shellName is what a grenade is called as a shell.
func shellName(row *grenadeRow) string { return strings.TrimSuffix(row.Name, " grenade") + " shell" }

// fit says what keeps a weapon from being fired, apart from its magazine.
func (c *checker) fit(wp *Weapon, row *weaponRow) bool {
	switch {
	case wp.State == "on_ground":
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" lies on the ground.", "pick it up first; that takes a turn's action")
	case wp.Broken || c.me.unhandy(wp) != "":
		c.add(game.Wrong, "illegal_option", c.unusable(wp), "use another weapon")
	case wp.reach(row) == 0:
		c.add(game.Wrong, "illegal_option", "No source gives the ranges of the "+wp.Name+".", "the GM can give them in the game file, or rule on it")
	case row.Tripod && wp.State != "mounted":
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" must be mounted to fire.", "use another weapon")
	case wp.Unready:
		c.add(game.Wrong, "empty_weapon", "The "+wp.Name+" has to be got ready after each shot.", "reload it first; that takes the turn")
	default:
		return true
	}
	return false
}

// burst checks a burst (6.8).
func (c *checker) burst(in game.Intent) []game.Intent {
	wp := c.me.burster(c.t, in.Weapon)
	if wp == nil {
		c.add(game.Wrong, "unknown_weapon", c.v.Self.Name+" carries no weapon that fires bursts.", "use single shots")
		return nil
	}
	row := c.row(wp)
	in.Verb, in.Weapon, in.Shots, in.Mode, in.Aim, in.Setting = "burst", wp.ID, 0, "", false, game.Setting{}
	if !row.bursts() {
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" fires no bursts.", "use single shots")
		return nil
	}
	if !c.fit(wp, row) {
		return nil
	}
	if wp.Left < row.BurstRounds {
		c.add(game.Wrong, "empty_weapon", fmt.Sprintf("A burst takes %d %s; the %s has %d.", row.BurstRounds, row.Unit, wp.Name, wp.Left), "reload, or fire single shots")
		return nil
	}
	targets := in.Targets
	if !in.Target.IsZero() {
		targets = append([]game.Ref{in.Target}, targets...)
	}
	if len(targets) == 0 && !in.Area.IsZero() {
		targets = c.within(in.Area)
		if len(targets) == 0 {
			c.add(game.Wrong, "target_not_visible", "No enemy is in sight there.", "name somebody in sight: "+c.inSight())
			return nil
		}
	}
	in.Target, in.Targets, in.Area = game.Ref{}, nil, game.Ref{}
	if len(targets) == 0 && c.reacting {
		in.Targets = []game.Ref{game.To(game.Trigger)}
		return []game.Intent{in}
	}
	if len(targets) == 0 {
		targets = []game.Ref{{}} // asks for one
	}
	if len(targets) > c.t.Burst.Targets {
		c.add(game.Wrong, "too_many_actions", fmt.Sprintf("A burst is for %d targets at most.", c.t.Burst.Targets), "the burst is left out; name fewer")
		return nil
	}
	for _, ref := range targets {
		ref = c.named(ref)
		if !c.target(ref) || !c.programmed(ref) {
			return nil
		}
		if !slices.ContainsFunc(in.Targets, func(o game.Ref) bool { return o.ID == ref.ID }) {
			in.Targets = append(in.Targets, ref)
		}
	}
	if !c.moved && !c.reacting && !c.spread(in.Targets, wp, row) {
		return nil
	}
	c.draws(wp)
	if row.unverifiedCell("damage") {
		c.doubtful(row.Name, []string{"damage of a burst"})
	}
	return []game.Intent{in}
}

// spread says whether all targets of a burst are in range and near each other (6.8 no. 2).
func (c *checker) spread(targets []game.Ref, wp *Weapon, row *weaponRow) bool {
	var seen []*person
	for _, ref := range targets {
		p := c.sc.pick(ref.ID, "")
		if p == nil || !p.seen {
			continue
		}
		if m := c.sc.g.metres(c.sc.at, p.at); m > wp.reach(row) {
			c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; the %s reaches %d m.", p.name, m, wp.Name, wp.reach(row)), "move closer, or leave him out")
			return false
		}
		for _, o := range seen {
			if m := c.sc.g.metres(o.at, p.at); m > c.t.Burst.Width {
				c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s and %s are %d m apart; the targets of a burst must be within %d m of each other.", o.name, p.name, m, c.t.Burst.Width), "the burst is left out; leave one of them out")
				return false
			}
		}
		seen = append(seen, p)
	}
	return true
}

// within are the enemies in sight nearest to a place that a burst can take in.
func (k *knowledge) within(area game.Ref) []game.Ref {
	at, ok := k.sc.place(area, "")
	if !ok {
		return nil
	}
	var list []person
	for _, p := range k.sc.people {
		if p.seen && !p.down && p.relation == "enemy" {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b person) int { return cmp.Compare(squared(at, a.at), squared(at, b.at)) })
	var out []game.Ref
	var in []person
	for _, p := range list {
		if len(out) == k.t.Burst.Targets || k.sc.g.metres(at, p.at) > k.t.Burst.Width ||
			slices.ContainsFunc(in, func(o person) bool { return k.sc.g.metres(o.at, p.at) > k.t.Burst.Width }) {
			continue
		}
		in, out = append(in, p), append(out, game.To(p.id))
	}
	return out
}

// band is the range band of a distance with a weapon: of the game file's ranges,
// else of its row's. No weapon: something thrown.
func (wp *Weapon) band(row *weaponRow, m int) (string, bool) {
	if wp != nil && len(wp.Ranges) > 0 {
		own := *row
		own.Ranges = wp.Ranges
		return own.band(m)
	}
	return row.band(m)
}

// reach is the greatest distance of a shot with a weapon, in metres.
func (wp *Weapon) reach(row *weaponRow) int {
	if wp != nil && len(wp.Ranges) > 0 {
		return slices.Max(wp.Ranges)
	}
	return row.maxRange()
}
