package eternalsoldier

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// average stands where a sheet gives no attribute (1.1).
const average = 10

// setup makes a world of a scenario.
func (r *Ruleset) setup(s game.Scenario) (*World, []game.Fault) {
	b := &builder{s: s}
	house, lines, values := readHouse(s.Settings)
	b.rules = rules{r.t, nil}
	if len(house) > 0 {
		t, err := r.replaced(house)
		if err != nil {
			return nil, houseFaults(s.File, err, lines)
		}
		b.rules = rules{t, nil}
	}
	sections, values := b.readSections(values)
	ground, values := b.readGround(values)
	set, faults := r.t.settings.Read(s.File, values)
	b.set, b.faults = set, append(b.faults, faults...)
	w := b.world(set)
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	w.Sections, w.Ground, w.House = sections, ground, house
	w.begin(b.number("segment"))
	return w, nil
}

// houseFaults are what is wrong with the tables of a game file, at its lines.
func houseFaults(file string, err error, lines map[string]int) []game.Fault {
	f := game.Fault{File: file, Key: strings.TrimSuffix(tablePrefix, "."), Text: err.Error()}
	if one, ok := errors.AsType[game.Fault](err); ok {
		f.Key, f.Text = one.Key, one.Text
		f.Line = lines[strings.TrimPrefix(one.Key, tablePrefix)]
	}
	if f.Line == 0 {
		for _, n := range lines {
			if f.Line == 0 || n < f.Line {
				f.Line = n
			}
		}
	}
	return []game.Fault{f}
}

// begin lets the fight begin in a segment other than 0 (2.6).
func (w *World) begin(segment int) {
	w.Segment = segment
	for _, f := range w.Fighters {
		f.HoldFrom = segment
		if f.NotBefore > 0 {
			f.NotBefore += segment
		}
		if f.LastAction >= 0 {
			f.LastAction = segment
		}
	}
}

type builder struct {
	rules
	s      game.Scenario
	faults []game.Fault
}

func (b *builder) fault(line int, key, text string, args ...any) {
	b.faults = append(b.faults, game.Fault{File: b.s.File, Line: line, Key: key, Text: fmt.Sprintf(text, args...)})
}

func (b *builder) keyed(at string, v game.Value) resolve.Keyed {
	return resolve.Keyed{File: b.s.File, At: at, Value: v, Faults: &b.faults}
}

func (b *builder) world(set map[string]string) *World {
	w := &World{
		Title: b.s.Title, Turn: max(b.s.Turn, 1), Side: lengthOf(b.s.Scale, 0), ScaleMM: b.s.Scale.Millimetres(0), Units: b.s.Units,
		Width: b.s.Width, Height: b.s.Height, Settings: set,
		Features: []game.Feature{}, Fighters: []*Fighter{}, Past: []resolve.Past{}, Named: []string{},
	}
	if w.Units == "" {
		w.Units = "yd"
	}
	if w.ScaleMM < 100 || w.ScaleMM > 100_000 {
		b.fault(0, "scale_m", "a square must be 0.1 to 100 metres long")
		w.ScaleMM, w.Side = 1000, 10_000
	}
	if w.Width < 1 || w.Height < 1 || w.Width > 500 || w.Height > 500 {
		b.fault(0, "grid", "the map must have 1 to 500 squares each way")
	}
	for _, f := range b.s.Features {
		f.Squares = slices.Clone(f.Squares)
		w.Features = append(w.Features, f)
	}
	for _, c := range b.s.Combatants {
		w.Fighters = append(w.Fighters, b.fighter(w, c))
	}
	slices.SortFunc(w.Fighters, func(a, b *Fighter) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for i := 1; i < len(w.Fighters); i++ {
		if w.Fighters[i].ID == w.Fighters[i-1].ID {
			b.fault(0, "combatant["+string(w.Fighters[i].ID)+"]", "there are two combatants of this id")
		}
	}
	for _, g := range b.s.Groups {
		for _, id := range g.Members {
			if f := w.fighter(id); f != nil {
				f.Group = g.ID
			}
		}
	}
	b.readRides(w)
	for _, f := range w.Fighters {
		b.face(w, f)
	}
	for _, a := range b.s.History {
		p := resolve.Past{Attacker: a.Attacker, Target: a.Target, Known: []game.ID{}}
		for _, f := range w.Fighters {
			p.Known = append(p.Known, f.ID)
		}
		w.Past = append(w.Past, p)
	}
	for _, f := range w.Fighters {
		if p, ok := b.s.Last[f.ID]; ok {
			last := stored(p)
			f.Orders.Last = &last
		}
	}
	// What a world is must not depend on whether it was loaded.
	return resolve.Copy(w)
}

// face turns whoever has no facing towards his nearest enemy.
func (b *builder) face(w *World, f *Fighter) {
	if f.Facing != (Point{}) {
		return
	}
	f.Facing = Point{0, -yard}
	best := -1
	for _, o := range w.Fighters {
		if d := distance(f.At, o.At); w.relation(f, o) == "enemy" && d > 0 && (best < 0 || d < best) {
			best, f.Facing = d, o.At.minus(f.At)
		}
	}
}

var (
	postures = []string{"stand", "kneel", "prone"}
	policies = []string{"", "aggressive", "cautious", "hold", "flee"}
	sizes    = []string{"tiny", "small", "medium", "large", "huge"}
)

func (b *builder) fighter(w *World, c game.Combatant) *Fighter {
	at := "combatant[" + string(c.ID) + "]"
	f := &Fighter{
		ID: c.ID, Name: c.Name, Side: c.Side, Player: c.Player, Race: c.Race, Description: c.Description,
		At: w.centre(c.Place), Posture: c.Posture, Size: "medium",
		STR: average, AGI: average, DEX: average, CON: average, INT: average, WILL: average,
		Skills: map[string]Skill{}, Weapons: []Weapon{}, Items: []Item{}, Armor: []Armor{}, Policy: c.Policy,
		Readiness: Readiness{LastAction: longAgo},
		Health:    Health{Status: active},
	}
	f.Standing = c.Standing
	f.arm(c.Standing)
	if f.Posture == "" {
		f.Posture = "stand"
	}
	if f.Posture == "crouch" {
		f.Posture = "kneel"
	}
	if !slices.Contains(postures, f.Posture) {
		b.fault(c.Line, at+".posture", "%q is not a posture; write %s", f.Posture, strings.Join(postures, ", "))
	}
	if c.Facing != "" {
		d, ok := resolve.ParseDir(c.Facing)
		if !ok {
			b.fault(c.Line, at+".facing", "%q is not a direction; write N, NE, E, SE, S, SW, W or NW", c.Facing)
		}
		x, y := d.Vector()
		f.Facing = Point{x * yard, y * yard}
	}
	if c.Place.X < 0 || c.Place.Y < 0 || c.Place.X >= b.s.Width || c.Place.Y >= b.s.Height {
		b.fault(c.Line, at+".place", "%s is outside of the map", c.Place)
	}
	if !c.VisibleAll && c.Hidden != nil {
		seen := slices.Clone(c.Hidden)
		f.SeenBy = &seen
	}
	if !slices.Contains(policies, f.Policy) {
		b.fault(c.Line, at+".policy", "%q is not a policy; write aggressive, cautious, hold or flee", f.Policy)
	}
	now := sheet{}
	for _, v := range c.Values {
		b.value(f, at, v, &now)
	}
	f.HPMax = hitPoints(f.CON, f.STR)
	if now.most != nil {
		f.HPMax = *now.most
	}
	f.SuffMax = f.HPMax * b.Suffocation.Pool
	f.HP, f.Suff = f.HPMax, f.SuffMax
	if now.hp != nil {
		f.HP = min(*now.hp, f.HPMax)
	}
	if !b.yes("poised_at_start") {
		f.LastAction = 0
	}
	for _, g := range c.Weapons {
		f.Weapons = append(f.Weapons, b.weaponOf(g, f))
	}
	b.hands(c, f)
	for _, g := range c.Items {
		f.Items = append(f.Items, b.item(g))
	}
	for _, s := range c.Status {
		switch {
		case slices.Contains([]string{unconscious, dead, surrendered, faltering}, s):
			f.Status = s
		case s == "surprised":
			f.Surprise = true
		case s == "mounted":
			f.Mounted = true
		}
	}
	if b.condition(f.HP, f.HPMax) == slain {
		f.Status = dead
	} else if f.HP <= 0 && f.Status == active {
		f.Status = unconscious
	}
	return f
}

// sheet is what a sheet says of hit points.
type sheet struct{ hp, most *int }

// value reads one key of a combatant that is not common to all systems.
func (b *builder) value(f *Fighter, at string, v game.Value, now *sheet) {
	key := strings.TrimPrefix(strings.ToLower(v.Key), "abilities.")
	k := b.keyed(at, v)
	if skill, ok := strings.CutPrefix(key, "skills."); ok && skill != "agility" {
		b.skillOf(f, k, skill)
		return
	}
	if skill, ok := strings.CutPrefix(key, "points."); ok {
		points := 0
		row := b.skill(skill)
		if row == nil || row.Str+row.Agi+row.Dex == 0 {
			k.Fault("is not a skill that has points")
			return
		}
		k.Number(&points, 0, 200)
		f.Skills[skill] = Skill{Points: points}
		return
	}
	number := func() *int {
		n := 0
		k.Number(&n, -1000, 10_000)
		return &n
	}
	switch key {
	case "str":
		k.Number(&f.STR, 1, 100)
	case "agi", "skills.agility":
		k.Number(&f.AGI, 1, 100)
	case "dex":
		k.Number(&f.DEX, 1, 100)
	case "con":
		k.Number(&f.CON, 1, 1000)
	case "int":
		k.Number(&f.INT, 1, 100)
	case "will":
		k.Number(&f.WILL, 1, 100)
	case "com", "cha": // no rule of combat asks for them
		k.Number(new(int), 1, 100)
	case "hp":
		now.most = number()
	case "hp_now":
		now.hp = number()
	case "speed":
		k.Number(&f.Speed, 0, 1000)
	case "seats":
		k.Number(&f.Seats, 0, 100)
	case "up":
		word := ""
		k.Text(&word)
		f.Up = game.ID(word)
	case "size":
		k.Word(&f.Size, sizes...)
	case "handed":
		word := ""
		k.Word(&word, "right", "left")
		f.LeftHanded = word == "left"
	case "surprised":
		k.Truth(&f.Surprise)
	case "mounted":
		k.Truth(&f.Mounted)
	case "armor":
		b.armorOf(f, k)
	default:
		k.Fault("is not a key of this system; known are str, agi, dex, con, int, will, com, cha, hp, hp_now, speed, seats, up, size, handed, surprised, mounted, armor, skills and points")
	}
}

// skillOf reads a percentage, in tenths if it is given so.
func (b *builder) skillOf(f *Fighter, k resolve.Keyed, skill string) {
	if b.skill(skill) == nil {
		var ids []string
		for _, s := range b.skills {
			ids = append(ids, s.ID)
		}
		k.Fault("is not a skill; known are %s", strings.Join(ids, ", "))
		return
	}
	tenths, ok := parseTenths(string(k.Value.Raw))
	if !ok {
		k.Fault("must be a percentage such as 60 or 32.5")
		return
	}
	f.Skills[skill] = Skill{Tenths: tenths}
}

func parseTenths(raw string) (int, bool) {
	whole, frac, _ := strings.Cut(strings.TrimSpace(raw), ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 0 || n > 1000 || len(frac) > 1 {
		return 0, false
	}
	t := 0
	if frac != "" {
		if t, err = strconv.Atoi(frac); err != nil {
			return 0, false
		}
	}
	return n*10 + t, true
}

// armorOf reads the names of what is worn: one piece of body armor, and fields.
func (b *builder) armorOf(f *Fighter, k resolve.Keyed) {
	var names []game.ID
	if json.Unmarshal(k.Value.Raw, &names) != nil {
		var one game.ID
		if json.Unmarshal(k.Value.Raw, &one) != nil {
			k.Fault("must be the name of a kind of armor, or a list of them")
			return
		}
		names = []game.ID{one}
	}
	body := 0
	for _, n := range names {
		row := b.armor(n)
		if row == nil {
			var ids []string
			for _, a := range b.armors {
				ids = append(ids, string(a.ID))
			}
			k.Fault("%q is not a kind of armor; known are %s", n, strings.Join(ids, ", "))
			return
		}
		if !row.Field {
			body++
		}
		f.Armor = append(f.Armor, Armor{Kind: row.ID})
	}
	if body > 1 {
		k.Fault("nobody wears two kinds of body armor; only fields go with another")
	}
}
