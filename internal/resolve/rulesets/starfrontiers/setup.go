package starfrontiers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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
		Features: []game.Feature{}, Fighters: []*Fighter{}, Past: []Past{}, Named: []string{},
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
	w.Settings, faults = b.t.readSettings(b.s.File, values)
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

// storedPlan is a plan as JSON keeps it: without its places in a letter.
func storedPlan(p game.Plan) *game.Plan {
	b, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	out := &game.Plan{}
	if json.Unmarshal(b, out) != nil {
		return nil
	}
	return out
}

// past notes an attack that happened before the world began: those who see both
// ends now know of it, and the one it struck if he sees who did it.
func (w *World) past(t *tables, attacker, target game.ID) Past {
	p := Past{Attacker: attacker, Target: target, Known: []game.ID{}}
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
		b.fault(c.Line, at+".policy", "%q is not a policy; write aggressive, cautious or hold", f.Policy)
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
	policies = []string{"", "aggressive", "cautious", "hold"}
)

// keyed is one key of the file at its place, to be read as what it must be.
type keyed struct {
	b  *builder
	at string
	v  game.Value
}

func (k keyed) number(into *int, low, high int) {
	n, err := strconv.Atoi(strings.TrimSpace(string(k.v.Raw)))
	if err != nil || n < low || n > high {
		k.b.fault(k.v.Line, k.at+"."+k.v.Key, "must be a whole number from %d to %d", low, high)
		return
	}
	*into = n
}

func (k keyed) word(into *string, allowed ...string) {
	var s string
	if json.Unmarshal(k.v.Raw, &s) != nil || !slices.Contains(allowed, s) {
		k.b.fault(k.v.Line, k.at+"."+k.v.Key, "must be one of %s", strings.Join(allowed, ", "))
		return
	}
	*into = s
}

func (k keyed) truth(into *bool) {
	if json.Unmarshal(k.v.Raw, into) != nil {
		k.b.fault(k.v.Line, k.at+"."+k.v.Key, "must be true or false")
	}
}

// value reads one key of a combatant that is not common to all systems.
func (b *builder) value(f *Fighter, race *raceRow, at string, v game.Value, now *int, given *bool) {
	key := strings.ToLower(v.Key)
	key = strings.TrimPrefix(key, "abilities.")
	number := keyed{b, at, v}.number
	word := keyed{b, at, v}.word
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
	case "limbs":
		number(&f.Limbs, 1, 20)
	case "model", "body", "programs", "damage", "attacks", "move_class": // creature has read them
	default:
		b.fault(v.Line, at+"."+v.Key, "is not a key of this system; known are str, sta, sta_now, dex, rs, int, log, per, ldr, im, level, attack, walk, run, carried_kg, size, handed, move_class, model, body, programs, limbs, damage, attacks, rage and skills")
	}
}

func (b *builder) weapon(g game.Gear, f *Fighter) Weapon {
	at := "weapon[" + string(g.ID) + "]"
	row := b.t.weapon(game.ID(g.Kind))
	if row == nil || row.Natural {
		var ids []string
		for _, w := range b.t.weapons {
			if w.Natural {
				continue
			}
			ids = append(ids, string(w.ID))
		}
		slices.Sort(ids)
		b.fault(g.Line, at+".kind", "%q is not a weapon; known are %s", g.Kind, strings.Join(ids, ", "))
		row = &weaponRow{}
	}
	w := Weapon{
		ID: g.ID, Kind: row.ID, Name: g.Name, State: "in_hand", Dial: row.DialMin, DialMax: row.DialMax,
		Left: row.Magazine, Full: row.Magazine, Rate: row.Rate, Every: row.Every, TwoHanded: row.Hands == 2,
	}
	if row.Shots == "launch" {
		w.Left = 0 // until the sheet says what is in it
	}
	if len(row.Modes) > 0 {
		w.Mode = row.Modes[0]
	}
	if len(row.Ammo) > 0 {
		w.Ammo = row.Ammo[0]
	}
	for _, v := range g.Values {
		number := keyed{b, at, v}.number
		word := keyed{b, at, v}.word
		truth := keyed{b, at, v}.truth
		switch v.Key {
		case "state":
			word(&w.State, "in_hand", "holstered", "slung", "sheathed", "belt", "boot", "bandolier", "on_ground", "mounted")
		case "hand":
			word(&w.Hand, "right", "left", "both")
		case "two_handed":
			truth(&w.TwoHanded)
		case "scope":
			truth(&w.Scope)
		case "mode":
			word(&w.Mode, row.Modes...)
		case "ammo":
			word(&w.Ammo, row.Ammo...)
		case "dial":
			number(&w.Dial, row.DialMin, max(row.DialMax, row.DialMin))
		case "dial_max":
			number(&w.DialMax, row.DialMin, max(row.DialMax, row.DialMin))
		case "seu", "rounds":
			number(&w.Left, 0, max(row.Magazine, 200))
			w.Full = max(w.Full, w.Left)
		case "rate":
			b.rate(&w, at, v)
		case "ranges":
			if json.Unmarshal(v.Raw, &w.Ranges) != nil || len(w.Ranges) != len(bands) || rangeFault(w.Ranges) != "" {
				b.fault(v.Line, at+".ranges", "needs %d rising limits in metres, 0 for a band that there is not", len(bands))
				w.Ranges = nil
			}
		case "loaded", "pack": // they name items, which fighter reads
		case "modes": // those of the table hold
		default:
			b.fault(v.Line, at+"."+v.Key, "is not a key of a weapon; known are state, hand, two_handed, mode, dial, dial_max, seu, rounds, rate, ammo, scope, loaded, ranges, pack")
		}
	}
	if w.State == "on_ground" {
		place := f.Place
		w.At = &place
	}
	return w
}

// rate reads a number of attacks a turn, or "1/2": one, then a turn of loading.
func (b *builder) rate(w *Weapon, at string, v game.Value) {
	if settingWord(v.Raw) == "1/2" {
		w.Rate, w.Every = 1, 2
		return
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(v.Raw)))
	if err != nil || n < 1 || n > 9 {
		b.fault(v.Line, at+"."+v.Key, `must be a whole number from 1 to 9, or "1/2"`)
		return
	}
	w.Rate = n
}

func (b *builder) item(g game.Gear) Item {
	it := Item{ID: g.ID, Kind: g.Kind, Name: g.Name, Count: 1}
	row := b.t.defence(g.Kind, g.Name)
	if row != nil {
		it.State = defenceStates(row.Class)[0]
		it.Left = row.Capacity
		if row.Class == "screen" {
			it.Left = row.Pack
		}
		it.Full = it.Left
	}
	pack := b.t.pack(&it)
	if pack != nil {
		it.Left, it.Full = pack.Holds, pack.Holds
	}
	if m := b.t.treatment(g.Kind, g.Name); m != nil && m.Doses > 0 {
		it.Left, it.Full = m.Doses, m.Doses
	}
	for _, v := range g.Values {
		k := keyed{b, "item[" + string(g.ID) + "]", v}
		switch {
		case row != nil && v.Key == "state":
			k.word(&it.State, defenceStates(row.Class)...)
			continue
		case v.Key == "pack" && row != nil && row.Class == "screen": // inside reads it
			continue
		case v.Key == "seu" && pack != nil:
			k.number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
			continue
		case row != nil && (v.Key == "seu" && row.Class == "screen" || v.Key == "capacity" && row.Capacity > 0):
			k.number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
			continue
		}
		switch v.Key {
		case "doses":
			k.number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
		case "count":
			n, err := strconv.Atoi(strings.TrimSpace(string(v.Raw)))
			if err != nil || n < 0 || n > 1000 {
				b.fault(v.Line, "item["+string(g.ID)+"].count", "must be a whole number from 0 to 1000")
				continue
			}
			it.Count = n
		case "effect", "state":
			it.Note = settingWord(v.Raw)
		default:
			b.fault(v.Line, "item["+string(g.ID)+"]."+v.Key, "is not a key of an item; known are count, effect and state; of a kit doses; of a screen state and seu, of a suit state and capacity")
		}
	}
	return it
}

// inside reads what is in a launcher and what is plugged into a pack: both name
// items of the same sheet.
func (b *builder) inside(c game.Combatant, f *Fighter) {
	plugged := map[game.ID]string{}
	for _, g := range slices.Concat(c.Weapons, c.Items) {
		for _, v := range g.Values {
			wp, word := f.weapon(g.ID), settingWord(v.Raw)
			switch {
			case v.Key == "pack":
				plugged[g.ID] = word
			case v.Key != "loaded" || wp == nil:
			case b.t.weapon(wp.Kind) == nil || b.t.weapon(wp.Kind).Shots != "launch":
			default:
				row := b.t.grenade(f.item(game.ID(word)))
				if row == nil {
					row = b.t.grenadeRow(game.ID(word))
				}
				if row == nil {
					b.fault(v.Line, "weapon["+string(g.ID)+"].loaded", "%q is neither a shell of the same combatant nor a kind of grenade", word)
					continue
				}
				wp.Loaded, wp.Left = row.ID, wp.Full
			}
		}
	}
	b.cords(c.Line, f, plugged)
}

// oneOfEach: nobody wears two suits or uses two screens (14.1).
func (b *builder) oneOfEach(c game.Combatant, f *Fighter) {
	used := map[string]string{}
	for i := range f.Items {
		it := &f.Items[i]
		row := b.t.defence(it.Kind, it.Name)
		if row == nil || row.Class != "suit" && row.Class != "screen" || it.State != "worn" && it.State != "on" {
			continue
		}
		if other, ok := used[row.Class]; ok {
			b.fault(c.Line, "combatant["+string(c.ID)+"].item", "%s and %s: nobody uses two %ss at once; give one state = %q", other, it.Name, row.Class, defenceStates(row.Class)[len(defenceStates(row.Class))-1])
			return
		}
		used[row.Class] = it.Name
	}
}
