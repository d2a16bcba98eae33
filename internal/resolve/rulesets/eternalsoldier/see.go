package eternalsoldier

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	House    map[string]string `json:"tables,omitempty"`
	Segment  int               `json:"segment"`
	Names    []string          `json:"names,omitempty"` // of weapons; for the GM alone
}

// See implements resolve.Ruleset. An ally is known wherever he is; all others
// only as they are perceived.
func (r *Ruleset) See(gw game.World, viewer game.ID) game.View {
	w, ok := gw.(*World)
	if !ok {
		return game.View{Viewer: viewer, System: Name}
	}
	v := game.View{
		Viewer: viewer, System: Name, Title: w.Title, Turn: w.Turn, Round: w.Segment,
		ScaleMM: w.ScaleMM, Units: w.Units, Width: w.Width, Height: w.Height,
		Sheet: []game.Line{}, Weapons: []game.Thing{}, Items: []game.Thing{}, Others: []game.Sight{},
		Features: slices.DeleteFunc(append([]game.Feature{}, w.Features...), func(x game.Feature) bool { return x.Kind == resolve.GoneKind }), Attacks: []game.Attack{},
	}
	if viewer == game.GM {
		for _, f := range w.Fighters {
			s := w.sight(f, "neutral")
			s.InSight = true
			v.Others = append(v.Others, s)
		}
		v.Attacks = resolve.Attacks(w.Past, viewer)
		v.Own, _ = json.Marshal(own{House: w.House, Segment: w.Segment, Names: w.weaponNames()})
		return v
	}
	me := w.fighter(viewer)
	if me == nil {
		return v
	}
	v.Self = w.sight(me, "self")
	v.Self.InSight = true
	v.Others = w.others(me)
	k := rules{r.at(w.House), w.Settings}
	for i := range me.Weapons {
		v.Weapons = append(v.Weapons, k.thing(me, &me.Weapons[i]))
	}
	for _, it := range me.Items {
		v.Items = append(v.Items, game.Thing{ID: it.ID, Name: it.Name, Kind: it.Kind, Count: it.Count, State: it.Note})
	}
	for _, a := range me.Armor {
		if row := k.armor(a.Kind); row != nil && row.Field {
			v.Items = append(v.Items, game.Thing{ID: a.Kind, Name: row.Name, Kind: "field", Count: 1, State: onOrOff(!a.Off)})
		}
	}
	v.Attacks = resolve.Attacks(w.Past, viewer)
	v.Sheet = k.sheet(me, w.Segment)
	if ground := w.groundOf(me); ground != "" {
		v.Sheet = append(v.Sheet, game.Line{Label: "Stands", Value: ground})
	}
	if name := w.upName(me); name != "" {
		v.Sheet = append(v.Sheet, game.Line{Label: upLabel, Value: name})
	}
	v.Last, v.Standing = me.Orders.Last, me.Standing
	mine := *me
	mine.SeenBy, mine.Surprise = nil, false // what others know of him is not for him to know
	v.Own, _ = json.Marshal(own{Fighter: &mine, Settings: w.Settings, House: w.House, Segment: w.Segment})
	return v
}

// others are those whom somebody perceives or counts on, the nearest first.
func (w *World) others(me *Fighter) []game.Sight {
	opaque := w.walls()
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
		if seen := w.sees(me, f, opaque); seen || relation == "ally" {
			all = append(all, known{f, relation, seen, distance(me.At, f.At)})
		}
	}
	slices.SortFunc(all, func(a, b known) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.ID, b.ID)) })
	out := make([]game.Sight, 0, len(all))
	for _, f := range all {
		s := w.sight(f.Fighter, f.relation)
		s.InSight, s.Distance = f.seen, (f.distance+5000)/10_000
		out = append(out, s)
	}
	return out
}

// sight is a combatant as he looks.
func (w *World) sight(f *Fighter, relation string) game.Sight {
	s := game.Sight{
		ID: f.ID, Name: f.Name, Side: f.Side, Race: f.Race, Description: f.Description, Relation: relation,
		Place: w.square(f.At), Posture: f.Posture, Status: looks(f),
	}
	if d, ok := resolve.Toward(game.Square{}, game.Square{X: f.Facing.X, Y: f.Facing.Y}); ok {
		s.Facing = d.String()
	}
	if w.mounted(f) {
		s.Status = append(s.Status, "mounted")
	}
	var holding []string
	for i := range f.Weapons {
		if f.Weapons[i].inHand() {
			holding = append(holding, f.Weapons[i].Name)
		}
	}
	s.Holding = strings.Join(holding, " and ")
	return s
}

// looks is the state of somebody without figures. Whether who lies there is dead
// one does not see from afar.
func looks(f *Fighter) []string {
	var out []string
	switch {
	case f.Status == surrendered:
		out = append(out, surrendered)
	case !f.able():
		out = append(out, "down")
	case f.HP < f.HPMax:
		out = append(out, "wounded")
	}
	for _, h := range f.Held {
		out = append(out, "held_by:"+string(h.By))
	}
	if f.Seats > 0 {
		out = append(out, mountable)
	}
	return out
}

// thing is a weapon or a shield as its bearer knows it.
func (r rules) thing(f *Fighter, wp *Weapon) game.Thing {
	th := game.Thing{ID: wp.ID, Name: wp.Name, Kind: string(wp.Kind), State: wp.State}
	if wp.Broken {
		th.State = "broken"
	}
	a, ok := r.arm(f, wp.ID, false)
	if !ok {
		return th
	}
	th.TwoHanded = a.twoHanded()
	if a.shield != nil {
		th.Melee = true
		return th
	}
	far, _ := r.arm(f, wp.ID, true)
	th.Melee = !a.missile()
	th.Ranged = far.missile() && far.row.Missile != "thrown"
	th.Thrown = far.missile() && far.row.Missile == "thrown"
	th.Unverified = unprinted(a.row.Source)
	if wp.Full > 0 {
		th.Left, th.Full, th.Unit = wp.Left, wp.Full, "rounds"
	}
	if a.rate() > 0 {
		th.Modes = []string{"single", "auto"}
	}
	return th
}

// sheet prints a combatant's own figures in the order in which they matter.
func (r rules) sheet(f *Fighter, s int) []game.Line {
	n := strconv.Itoa
	lines := []game.Line{{Label: "Hit points", Value: n(f.HP) + "/" + n(f.HPMax)}}
	add := func(label, value string) { lines = append(lines, game.Line{Label: label, Value: value}) }
	if f.Suff < f.SuffMax {
		add("Suffocation points", n(f.Suff)+"/"+n(f.SuffMax))
	}
	add("Segment", n(s))
	if a := f.Activity; a != nil {
		add("Under way", fmt.Sprintf("%s, done in segment %d", a.Name, a.DoneAt))
	}
	for _, l := range r.readiness(f, s) {
		add(l.Label, l.Value)
	}
	agility := n(r.agile(f))
	if r.agile(f) != f.AGI {
		agility += " (" + n(f.AGI) + " without armor and harm)"
	}
	add("Agility", agility)
	for _, row := range r.skills {
		if _, ok := f.Skills[row.ID]; ok {
			add(row.Name, n(r.percent(f, row.ID))+"%")
		}
	}
	add("Movement", fmt.Sprintf("walk %d ft, run %d ft a segment", r.full(f)*r.Pace.Walk/100, r.full(f)*r.Pace.Run/100))
	for _, a := range f.Armor {
		if row := r.armor(a.Kind); row != nil {
			add("Armor", row.Name)
		}
	}
	for _, b := range f.Broken {
		add("Broken", strings.ReplaceAll(b.Limb, "_", " "))
	}
	return lines
}

// full is full speed in feet a segment (6).
func (r rules) full(f *Fighter) int {
	if f.Speed > 0 {
		return f.Speed
	}
	return r.agile(f)
}

// readiness is when each option is ready (2.4), as things stand before segment s.
func (r rules) readiness(f *Fighter, s int) []game.Line {
	var out []game.Line
	if r.agile(f) < 1 {
		return out
	}
	at := func(ready int) string {
		if ready <= s {
			return "now"
		}
		return "segment " + strconv.Itoa(ready)
	}
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		if a, ok := r.arm(f, wp.ID, false); ok && wp.inHand() {
			when := at(r.readyWith(f, a, s))
			if wp.Full > 0 && wp.Left == 0 {
				when = "not loaded"
			}
			out = append(out, game.Line{Label: "Ready with the " + wp.Name, Value: when})
		}
	}
	out = append(out, game.Line{Label: "Ready to dodge", Value: at(r.readyToDodge(f, f.LastAction))})
	return out
}

// weaponNames are the names of all weapons that somebody has, in the order of the
// sheets, each once.
func (w *World) weaponNames() []string {
	var out []string
	for _, f := range w.Fighters {
		for i := range f.Weapons {
			if name := strings.ToLower(f.Weapons[i].Name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
