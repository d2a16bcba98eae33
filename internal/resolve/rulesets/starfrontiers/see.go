package starfrontiers

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// own is what View.Own holds: the viewer's figures and the settings of the game.
type own struct {
	Fighter  *Fighter          `json:"fighter"`
	Settings map[string]string `json:"settings"`
	Roller   game.ID           `json:"roller"`
	Side     *sideModifier     `json:"side,omitempty"` // where sides roll
	Plan     *game.Plan        `json:"plan,omitempty"` // in force before a pause
}

// sideModifier is the modifier to a side's initiative.
type sideModifier struct {
	Modifier int  `json:"modifier"`
	Holster  bool `json:"holster,omitempty"` // with the penalty of 3.3
}

// distant is what anybody is called beyond detail distance.
const distant = "a distant figure"

// See implements resolve.Ruleset. An ally is known wherever he is; all others
// only as they are perceived; race, description, weapon and state only within
// detail distance (2.2).
func (r *Ruleset) See(gw game.World, viewer game.ID) game.View {
	w, ok := gw.(*World)
	if !ok {
		return game.View{Viewer: viewer, System: Name}
	}
	v := game.View{
		Viewer: viewer, System: Name, Title: w.Title, Turn: w.Turn, Round: int(w.Played) + 1,
		ScaleMM: w.ScaleMM, Units: w.Units, Width: w.Width, Height: w.Height,
		Sheet: []game.Line{}, Weapons: []game.Thing{}, Items: []game.Thing{}, Others: []game.Sight{},
		Features: []game.Feature{}, Attacks: []game.Attack{},
	}
	if viewer == game.GM {
		for _, f := range w.Fighters {
			s := fullSight(f, "neutral")
			s.InSight = true
			v.Others = append(v.Others, s)
		}
		v.Features = append(there(append(v.Features, w.Features...)), w.things()...)
		v.Attacks = resolve.Attacks(w.Past, viewer)
		return v
	}
	me := w.fighter(viewer)
	if me == nil {
		return v
	}
	things := w.things()
	g := w.gridOf(slices.Concat(w.Features, things))
	v.Features = append(append(v.Features, me.remembered(w.Features)...), w.noticed(r.t, g, me, things)...)
	v.Self = fullSight(me, "self")
	v.Self.InSight = true
	v.Others = r.others(w, g, me)
	for i := range me.Weapons {
		v.Weapons = append(v.Weapons, r.t.thing(&me.Weapons[i]))
	}
	for _, it := range me.Items {
		v.Items = append(v.Items, r.t.itemThing(&it))
	}
	v.Attacks = resolve.Attacks(w.Past, viewer)
	v.Sheet = r.t.sheet(me)
	v.Last = me.Last
	v.Standing = me.Standing
	v.Own, _ = json.Marshal(w.own(r.t, me))
	return v
}

// own are his figures as he may know them: who has noticed him, and what has
// changed unseen, is not for him to know.
func (w *World) own(t *tables, me *Fighter) own {
	mine := *me
	mine.SeenBy, mine.Exposed, mine.Stale, mine.Awareness = nil, false, nil, Awareness{}
	o := own{Fighter: &mine, Settings: w.Settings, Roller: w.roller(t, me)}
	if roller := w.fighter(o.Roller); roller != nil && w.setting("sequence") == "side" {
		i := w.sideInitiative(t, roller, game.Die{})
		o.Side = &sideModifier{i.modifier, i.holster}
	}
	if w.Stage != nil {
		if p, ok := w.Stage.Plans[me.ID]; ok {
			o.Plan = &p
		}
	}
	return o
}

// others are those whom somebody perceives or counts on, the nearest first.
func (r *Ruleset) others(w *World, g *grid, me *Fighter) []game.Sight {
	type known struct {
		*Fighter
		relation string
		seen     bool
		distance int
	}
	var all []known
	for _, f := range w.Fighters {
		if f == me {
			continue
		}
		relation := w.relation(me, f)
		if seen := w.sees(r.t, g, me, f); seen || relation == "ally" {
			all = append(all, known{f, relation, seen, g.metres(me.Place, f.Place)})
		}
	}
	slices.SortFunc(all, func(a, b known) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.ID, b.ID)) })
	out := make([]game.Sight, 0, len(all))
	for _, f := range all {
		s := game.Sight{ID: f.ID, Name: distant, Relation: f.relation, Place: f.Place, InSight: true}
		if name := w.nameFor(r.t, me, f.Fighter); name != distant {
			s = fullSight(f.Fighter, f.relation)
			s.Name, s.InSight = name, f.seen
		}
		s.Distance = f.distance
		if f.seen {
			s.Cover = g.eyes(r.t, me).cover(me.Place, f.Place)
		}
		out = append(out, s)
	}
	return out
}

// nameFor is what the viewer calls somebody whom he perceives.
func (w *World) nameFor(t *tables, viewer, other *Fighter) string {
	if w.relation(viewer, other) != "ally" && !w.tells(t, viewer, other) {
		return distant
	}
	return other.Name
}

func fullSight(f *Fighter, relation string) game.Sight {
	s := game.Sight{
		ID: f.ID, Name: f.Name, Side: f.Side, Race: f.Race, Description: f.Description, Relation: relation,
		Place: f.Place, Posture: f.Posture, Facing: f.Facing, Status: visibleStatus(f),
	}
	var holding []string
	for _, wp := range f.Weapons {
		if wp.inHand() {
			holding = append(holding, wp.Name)
		}
	}
	s.Holding = strings.Join(holding, " and ")
	return s
}

// visibleStatus is how he looks, without figures.
func visibleStatus(f *Fighter) []string {
	var out []string
	for _, s := range f.Status {
		if s != "wounded" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if f.down() && !slices.Contains(out, "down") {
		out = append([]string{"down"}, out...)
	} else if f.able() && (f.Now <= f.STA/2 || slices.Contains(f.Status, "wounded")) {
		out = append(out, "wounded")
	}
	return out
}

func (t *tables) thing(wp *Weapon) game.Thing {
	row := t.weapon(wp.Kind)
	th := game.Thing{ID: wp.ID, Name: wp.Name, Kind: string(wp.Kind), State: wp.State, Rate: wp.Rate, TwoHanded: wp.TwoHanded}
	if row == nil {
		return th
	}
	th.Melee, th.Ranged, th.Thrown = row.Melee, !row.Melee, len(row.Thrown) > 0
	th.Modes, th.Mode = row.Modes, wp.Mode
	th.Unverified = len(row.Unverified) > 0
	if row.PerSEU {
		th.Dial, th.DialMax = wp.Dial, wp.DialMax
	}
	if row.Magazine > 0 {
		th.Left, th.Full, th.Unit = wp.Left, wp.Full, row.Unit
	}
	return th
}

// itemThing is an item as its bearer knows it.
func (t *tables) itemThing(it *Item) game.Thing {
	th := game.Thing{ID: it.ID, Name: it.Name, Kind: it.Kind, Count: it.Count, State: it.Note}
	row := t.defence(it.Kind, it.Name)
	if m := t.treatment(it.Kind, it.Name); m != nil {
		// What it is for, in the words of the order schema.
		if th.Kind = "dose"; m.Doses > 0 {
			th.Kind = "kit"
		}
	}
	if t.grenade(it) != nil {
		if th.Kind = "shell"; it.thrown() {
			th.Kind, th.Thrown = "grenade", true
		}
	}
	switch {
	case t.pack(it) != nil:
		th.Left, th.Full, th.Unit = it.Left, it.Full, "SEU"
	case row == nil && it.Full > 0:
		th.Left, th.Full, th.Unit = it.Left, it.Full, "doses"
	case row != nil:
		th.State, th.Unverified = it.State, len(row.Unverified) > 0
		if th.Left, th.Full, th.Unit = it.Left, it.Full, "points"; row.Class == "screen" {
			th.Unit = "SEU"
		}
	}
	return th
}

// sheet prints a combatant's own figures in the order in which they matter;
// where he is and what he carries stands elsewhere in a view.
func (t *tables) sheet(f *Fighter) []game.Line {
	n := strconv.Itoa
	lines := []game.Line{{Label: "STA", Value: n(f.Now) + "/" + n(f.STA)}}
	add := func(label, value string) { lines = append(lines, game.Line{Label: label, Value: value}) }
	if f.wounded() {
		add("Wounded", resolve.Signed(t.Attack.Wounded)+" to hit")
	}
	add("Initiative modifier", resolve.Signed(f.initiativeModifier(t)))
	lines2, _ := t.sum(attack{base: f.Base, dex: f.DEX, robot: f.Level, band: "point_blank", target: "walk", attacker: "walk"})
	if len(lines2) > 0 {
		add("Ranged, "+strings.ToLower(lines2[0].Label[:1])+lines2[0].Label[1:], strings.TrimPrefix(lines2[0].Value, "+")+"%")
	}
	for _, s := range t.Skill {
		if level := f.Skills[s.ID]; level > 0 {
			add(s.Name, n(level))
		}
	}
	t.kinds(f, add)
	if left := t.wind(f) - f.Ran; f.Ran > 0 && left <= t.Endurance.Warn {
		add("Breath", "for "+plural(int(left), "more round")+" of running")
	}
	add("Movement", "walk "+n(f.allowance(t, "walk"))+" m, run "+n(f.allowance(t, "run"))+" m, dodge "+n(f.allowance(t, "dodge"))+" m")
	for _, x := range f.Effects {
		label, value := x.Name, strings.ReplaceAll(x.Kind, "_", " ")
		if label == "" {
			label = "State"
		}
		if x.Heal != "" {
			value += ", until " + strings.ReplaceAll(x.Heal, "_", " ")
		}
		add(label, value)
	}
	for i := range f.Weapons {
		if line := t.weaponLine(&f.Weapons[i]); line != "" {
			add("Range bands, "+f.Weapons[i].Name, line)
		}
	}
	return lines
}

// weaponLine tells of a weapon what a Thing has no place for: how far it
// carries, and with what it is loaded.
func (t *tables) weaponLine(wp *Weapon) string {
	row := t.weapon(wp.Kind)
	if row == nil || row.maxRange() == 0 {
		return ""
	}
	var limits []string
	for _, r := range row.Ranges {
		if r == 0 {
			limits = append(limits, "-")
		} else {
			limits = append(limits, strconv.Itoa(r))
		}
	}
	line := strings.Join(limits, "/") + " m"
	if wp.Ammo != "" {
		line += ", loaded with " + wp.Ammo
	}
	if wp.Every > 1 {
		line += ", " + strconv.Itoa(wp.Rate) + " every " + strconv.Itoa(wp.Every) + " turns"
	}
	return line
}
