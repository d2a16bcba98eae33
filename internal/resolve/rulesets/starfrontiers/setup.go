package starfrontiers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// averageScore stands where a sheet gives none (1.1).
const averageScore = 45

// Setup implements resolve.Ruleset.
func (r *Ruleset) Setup(s game.Scenario) (game.World, []game.Fault) {
	b := &builder{t: r.t, s: s}
	w := b.world()
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	return w, nil
}

type builder struct {
	t      *tables
	s      game.Scenario
	faults []game.Fault
}

func (b *builder) fault(line int, key, text string, args ...any) {
	b.faults = append(b.faults, game.Fault{File: b.s.File, Line: line, Key: key, Text: fmt.Sprintf(text, args...)})
}

func (b *builder) world() *World {
	w := &World{
		Title: b.s.Title, Turn: max(b.s.Turn, 1), ScaleMM: b.s.Scale.Millimetres(0), Units: b.s.Units,
		Width: b.s.Width, Height: b.s.Height,
		Features: []game.Feature{}, Fighters: []*Fighter{}, Past: []resolve.Past{}, Named: []string{},
	}
	if w.Units == "" {
		w.Units = "m"
	}
	if w.ScaleMM < 100 || w.ScaleMM > 100_000 {
		b.fault(0, "scale_m", "a square must be 0.1 to 100 metres long")
	}
	if w.Width < 1 || w.Height < 1 || w.Width > 500 || w.Height > 500 {
		b.fault(0, "grid", "the map must have 1 to 500 squares each way")
	}
	house, values, faults := b.t.readHouse(b.s.File, b.s.Settings)
	w.House = house
	b.faults = append(b.faults, faults...)
	w.Settings, faults = b.t.settings.Read(b.s.File, values)
	b.faults = append(b.faults, faults...)
	for _, f := range b.s.Features {
		f.Squares = slices.Clone(f.Squares)
		w.Features = append(w.Features, f)
	}
	for _, c := range b.s.Combatants {
		w.Fighters = append(w.Fighters, b.fighter(c))
	}
	slices.SortFunc(w.Fighters, func(a, b *Fighter) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for i := 1; i < len(w.Fighters); i++ {
		if w.Fighters[i].ID == w.Fighters[i-1].ID {
			b.fault(0, "combatant["+string(w.Fighters[i].ID)+"]", "there are two combatants of this id")
		}
	}
	if len(b.faults) > 0 {
		return nil
	}
	b.groups(w)
	b.facings(w)
	for _, f := range w.Fighters {
		if f.Protect != "" && (w.fighter(f.Protect) == nil || f.Protect == f.ID) {
			b.fault(0, "combatant["+string(f.ID)+"].protect", "there is no other combatant %q", f.Protect)
		}
	}
	if len(b.faults) > 0 {
		return nil
	}
	for _, a := range b.s.History {
		w.Past = append(w.Past, w.past(b.t, a.Attacker, a.Target))
	}
	for _, f := range w.Fighters {
		if p, ok := b.s.Last[f.ID]; ok {
			f.Last = storedPlan(p)
		}
	}
	// What a world is must not depend on whether it was loaded.
	return w.clone()
}

// storedPlan is a plan as JSON keeps it: without its places in a letter. Of one
// that JSON cannot keep nothing is left.
func storedPlan(p game.Plan) *game.Plan {
	out := &game.Plan{}
	if b, err := json.Marshal(p); err != nil || json.Unmarshal(b, out) != nil {
		return &game.Plan{}
	}
	return out
}

// past notes an attack that happened before the world began: those who see both
// ends now know of it, and the one it struck if he sees who did it.
func (w *World) past(t *tables, attacker, target game.ID) resolve.Past {
	p := resolve.Past{Attacker: attacker, Target: target, Known: []game.ID{}}
	a, d := w.fighter(attacker), w.fighter(target)
	if a == nil || d == nil {
		return p
	}
	g := w.grid()
	for _, f := range w.Fighters {
		if f == a || w.sees(t, g, f, a) && (f == d || w.sees(t, g, f, d)) {
			p.Known = append(p.Known, f.ID)
		}
	}
	return p
}

// groups puts the GM's combatants into the groups of the scenario; all of a
// side that are in none form one group of their own.
func (b *builder) groups(w *World) {
	for _, g := range b.s.Groups {
		for _, id := range g.Members {
			switch f := w.fighter(id); {
			case f == nil:
				b.fault(0, "group["+string(g.ID)+"].members", "there is no combatant %q", id)
			case f.Player != "":
				b.fault(0, "group["+string(g.ID)+"].members", "%s is ordered by a player", id)
			default:
				f.Group = g.ID
			}
		}
	}
	for _, f := range w.Fighters {
		if f.Player == "" && f.Group == "" {
			f.Group = f.Side
		}
	}
	// A roller's name must not mean both a player and a group.
	for _, f := range w.Fighters {
		for _, o := range w.Fighters {
			if f.Player != "" && f.Player == o.Group {
				f.Group = ""
				b.fault(0, "group["+string(o.Group)+"]", "a group and a player have the same id; give the group another one")
				return
			}
		}
	}
}

// facings turns whoever has no facing towards his nearest enemy.
func (b *builder) facings(w *World) {
	for _, f := range w.Fighters {
		if f.Facing != "" {
			continue
		}
		f.Facing = resolve.North.String()
		best := -1
		for _, o := range w.Fighters {
			if w.relation(f, o) != "enemy" {
				continue
			}
			if d := squared(f.Place, o.Place); best < 0 || d < best {
				if dir, ok := resolve.Toward(f.Place, o.Place); ok {
					best, f.Facing = d, dir.String()
				}
			}
		}
	}
}

func (b *builder) fighter(c game.Combatant) *Fighter {
	at := "combatant[" + string(c.ID) + "]"
	race := b.t.race(c.Race)
	if race == nil && c.Race == "" {
		race = b.t.race("human")
	}
	if race == nil {
		var names []string
		for _, r := range b.t.races {
			names = append(names, r.Name)
		}
		b.fault(c.Line, at+".race", "%q is not a race; known are %s", c.Race, strings.Join(names, ", "))
		race = &raceRow{}
	}
	f := &Fighter{
		ID: c.ID, Name: c.Name, Side: c.Side, Player: c.Player, Race: c.Race, Description: c.Description,
		Place: c.Place, Facing: c.Facing, Posture: c.Posture, Size: "medium",
		STR: averageScore, STA: averageScore, DEX: averageScore, RS: averageScore,
		INT: averageScore, LOG: averageScore, PER: averageScore, LDR: averageScore,
		Skills: map[string]int{}, Walk: race.Walk, Run: race.Run,
		Status: slices.Clone(c.Status), Policy: c.Policy,
		Weapons: []Weapon{}, Items: []Item{}, Standing: slices.Clone(c.Standing),
	}
	if f.Race == "" {
		f.Race = race.Name
	}
	if f.Status == nil {
		f.Status = []string{}
	}
	if race.Handed {
		f.Handed = "right"
	}
	b.creature(f, race, at, c.Values)
	if f.Posture == "" {
		f.Posture = "stand"
	}
	if !slices.Contains(postures, f.Posture) {
		b.fault(c.Line, at+".posture", "%q is not a posture; write %s", f.Posture, strings.Join(postures, ", "))
	}
	if f.Facing != "" {
		if d, ok := resolve.ParseDir(f.Facing); ok {
			f.Facing = d.String()
		} else {
			b.fault(c.Line, at+".facing", "%q is not a direction; write N, NE, E, SE, S, SW, W or NW", f.Facing)
		}
	}
	if c.Place.X < 0 || c.Place.Y < 0 || c.Place.X >= b.s.Width || c.Place.Y >= b.s.Height {
		b.fault(c.Line, at+".place", "%s is outside of the map", c.Place)
	}
	f.Exposed = c.VisibleAll
	if !c.VisibleAll && c.Hidden != nil {
		seen := slices.Clone(c.Hidden)
		f.SeenBy = &seen
	}
	if !slices.Contains(policies, f.Policy) {
		b.fault(c.Line, at+".policy", "%q is not a policy; write aggressive, cautious, hold, flee or protect", f.Policy)
	}
	now, given := 0, false
	for _, v := range c.Values {
		b.value(f, race, at, v, &now, &given)
	}
	f.Now = f.STA
	switch {
	case given:
		f.Now = min(now, f.STA)
	case slices.Contains(f.Status, "wounded"):
		f.Now = f.STA / 2
	}
	if race.Animal && f.Base == 0 {
		b.fault(c.Line, at+".attack", "an animal needs its attack number")
	}
	for _, g := range c.Weapons {
		f.Weapons = append(f.Weapons, b.weapon(g, f))
	}
	for _, g := range c.Items {
		f.Items = append(f.Items, b.item(g))
	}
	b.oneOfEach(c, f)
	b.inside(c, f)
	return f
}

var (
	postures = []string{"stand", "crouch", "kneel", "prone"}
	policies = []string{"", "aggressive", "cautious", "hold", "flee", "protect"}
)

// keyed is one key of the file at its place, to be read as what it must be.
func (b *builder) keyed(at string, v game.Value) resolve.Keyed {
	return resolve.Keyed{File: b.s.File, At: at, Value: v, Faults: &b.faults}
}

// value reads one key of a combatant that is not common to all systems.
func (b *builder) value(f *Fighter, race *raceRow, at string, v game.Value, now *int, given *bool) {
	key := strings.ToLower(v.Key)
	key = strings.TrimPrefix(key, "abilities.")
	number := b.keyed(at, v).Number
	word := b.keyed(at, v).Word
	if skill, ok := strings.CutPrefix(key, "skills."); ok {
		if !slices.ContainsFunc(b.t.Skill, func(s skillRow) bool { return s.ID == skill }) {
			var ids []string
			for _, s := range b.t.Skill {
				ids = append(ids, s.ID)
			}
			b.fault(v.Line, at+"."+v.Key, "is not a skill; known are %s", strings.Join(ids, ", "))
			return
		}
		level := 0
		number(&level, 0, 8)
		f.Skills[skill] = level
		return
	}
	switch key {
	case "str":
		number(&f.STR, 1, 100)
	case "sta":
		number(&f.STA, 1, 1000)
	case "sta_now":
		*given = true
		number(now, -100, 1000)
	case "dex":
		number(&f.DEX, 1, 100)
	case "rs":
		number(&f.RS, 1, 100)
	case "int":
		number(&f.INT, 1, 100)
	case "log":
		number(&f.LOG, 1, 100)
	case "per":
		number(&f.PER, 1, 100)
	case "ldr":
		number(&f.LDR, 1, 100)
	case "im":
		number(&f.IM, 1, 20)
	case "level":
		number(&f.Level, 1, 6)
		if !race.Machine {
			b.fault(v.Line, at+"."+v.Key, "only robots and remote weapons have a level")
		}
	case "attack":
		number(&f.Base, 1, 100)
	case "walk":
		number(&f.Walk, 0, 200)
	case "run":
		number(&f.Run, 0, 400)
	case "carried_kg":
		number(&f.Carried, 0, 1000)
	case "size":
		word(&f.Size, "tiny", "small", "medium", "large", "giant")
	case "handed":
		word(&f.Handed, "right", "left")
	case "rage":
		number(&f.Rage, 0, 100)
	case "flee_below":
		number(&f.Flee, 0, 1000)
	case "protect":
		var id string
		b.keyed(at, v).Text(&id)
		f.Protect = game.ID(id)
	case "surprise":
		word(&f.Surprise, surpriseCheck, surpriseUnaware)
	case "notice":
		b.keyed(at, v).Text(&f.Notice)
	case "spotting":
		number(&f.Spotting, 1, 1000)
	case "viewpoint":
		number(&f.View, 1, 100)
	case "limbs":
		number(&f.Limbs, 1, 20)
	case "model", "body", "programs", "damage", "attacks", "move_class": // creature has read them
	default:
		b.fault(v.Line, at+"."+v.Key, "is not a key of this system; known are str, sta, sta_now, dex, rs, int, log, per, ldr, im, level, attack, walk, run, carried_kg, size, handed, move_class, model, body, programs, limbs, damage, attacks, rage, surprise, notice, spotting, viewpoint, flee_below, protect and skills")
	}
}
