package eternalsoldier

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// tables are all numbers of the rules, read from data/*.toml.
type tables struct {
	hash       string
	actions    []actionRow
	weapons    []weaponRow
	shields    []shieldRow
	armors     []armorRow
	structures []structureRow
	skills     []skillRow
	melee      []adjustRow
	missile    []adjustRow
	criticals  []chartRow
	fumbles    []chartRow
	holds      []holdRow
	called     []calledRow
	settings   resolve.Settings
	ambiguous  []ambiguityRow
	segment    segmentTable
	smallTables
}

// segmentTable is segments.toml: segments of class I to X, by agility from 1 (2.2).
type segmentTable struct {
	Source string  `toml:"source"`
	Table  [][]int `toml:"table"`
}

var embeddedTables = resolve.Embedded(embedded, loadTables)

// loadTables reads and validates the data files; the error names every fault
// with its file, key and reason.
func loadTables(files fs.FS) (*tables, error) {
	t := &tables{}
	data := resolve.NewData(files)
	var actions struct{ Action []actionRow }
	var arms struct {
		Weapon []weaponRow
		Shield []shieldRow
	}
	var armor struct{ Armor []armorRow }
	var structures struct{ Structure []structureRow }
	var skills struct{ Skill []skillRow }
	var adjustments struct{ Melee, Missile []adjustRow }
	var charts struct {
		Critical, Fumble []chartRow
		Hold             []holdRow
		Called           []calledRow
	}
	var settings struct {
		Setting   resolve.Settings
		Ambiguity []ambiguityRow
	}
	data.Read("actions.toml", &actions)
	data.Read("adjustments.toml", &adjustments)
	data.Read("armor.toml", &armor)
	data.Read("arms.toml", &arms)
	data.Read("charts.toml", &charts)
	data.Read("segments.toml", &t.segment)
	data.Read("settings.toml", &settings)
	data.Read("skills.toml", &skills)
	data.Read("structures.toml", &structures)
	data.Read("tables.toml", &t.smallTables)
	t.actions, t.weapons, t.shields, t.armors = actions.Action, arms.Weapon, arms.Shield, armor.Armor
	t.structures, t.skills = structures.Structure, skills.Skill
	t.melee, t.missile = adjustments.Melee, adjustments.Missile
	t.criticals, t.fumbles, t.holds = charts.Critical, charts.Fumble, charts.Hold
	t.called = charts.Called
	t.settings, t.ambiguous = settings.Setting, settings.Ambiguity
	t.hash = data.Hash()
	faults := data.Faults()
	if len(faults) == 0 {
		for _, f := range t.validate() {
			faults = append(faults, f)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("reading the eternal-soldier data: %w", err)
	}
	return t, nil
}

// sources are the tags of 0.1 that a row may carry.
var sources = []string{"C", "D", "W", "WP", "OR", "SD", "CG", "SK", "RV", "DER", "HD"}

// unprinted reports that no source prints a value.
func unprinted(source string) bool { return source == "DER" || source == "HD" }

func (t *tables) validate() []game.Fault {
	var out []game.Fault
	bad := func(file, key, text string, args ...any) {
		out = append(out, game.Fault{File: file, Key: key, Text: fmt.Sprintf(text, args...)})
	}
	source := func(file, key, s string) {
		if !slices.Contains(sources, s) {
			bad(file, key+".source", "%q is not a tag", s)
		}
	}
	for _, a := range t.actions {
		source("actions.toml", "action."+a.ID, a.Source)
		if a.ID == "" || a.Name == "" || a.Class < 1 || a.Class > maxClass {
			bad("actions.toml", "action."+a.ID, "needs an id, a name and a class of 1 to %d", maxClass)
		}
	}
	for _, id := range []string{"dodge", "wrestle", "pick_up", "prone", "drop", "stand", "kneel", "rise", "turn", "use", "look", "free_weapon", treat} {
		if t.action(id) == nil {
			bad("actions.toml", "action."+id, "is missing")
		}
	}
	t.validateArms(bad)
	for _, w := range t.weapons {
		source("arms.toml", "weapon."+string(w.ID), w.Source)
	}
	for _, a := range t.armors {
		key := "armor." + string(a.ID)
		source("armor.toml", key, a.Source)
		if a.ID == "" || a.Name == "" || a.Minus < 0 || !slices.Contains([]string{"", "first", "improved"}, a.Powered) {
			bad("armor.toml", key, "needs an id, a name, a minus of 0 or more; powered is first or improved")
		}
		for _, kind := range damageTypes {
			if d := a.of(kind); d != "" {
				if _, err := resolve.ParseNotation(d); err != nil {
					bad("armor.toml", key+"."+kind, "%v", err)
				}
			}
		}
	}
	for _, s := range t.structures {
		source("structures.toml", "structure."+string(s.ID), s.Source)
		if s.ID == "" || s.Unit == "" || s.Hits < 0 {
			bad("structures.toml", "structure."+string(s.ID), "needs an id and a unit, and no negative hits")
		}
	}
	for _, s := range t.skills {
		source("skills.toml", "skill."+s.ID, s.Source)
		if sum := s.Str + s.Agi + s.Dex; s.ID == "" || sum != 10 && sum != 0 {
			bad("skills.toml", "skill."+s.ID, "needs an id, and weights that sum to 10 or none")
		}
	}
	for _, list := range []struct {
		name string
		rows []adjustRow
	}{{"melee", t.melee}, {"missile", t.missile}} {
		for _, a := range list.rows {
			source("adjustments.toml", list.name+"."+a.ID, a.Source)
			if a.ID == "" || a.Label == "" {
				bad("adjustments.toml", list.name+"."+a.ID, "needs an id and a label")
			}
		}
	}
	t.validateCharts(bad)
	if n := len(t.segment.Table); n < 1 {
		bad("segments.toml", "table", "is missing")
	}
	for i, row := range t.segment.Table {
		if len(row) != maxClass || slices.Min(row) < 1 {
			bad("segments.toml", fmt.Sprintf("table[%d]", i), "needs %d values of 1 or more", maxClass)
		}
	}
	for _, s := range t.settings {
		if !s.Valid() || s.Rule == "" {
			bad("settings.toml", "setting."+s.Key, "needs a default and the rule that it decides")
		}
	}
	t.validateSmall(bad)
	return out
}

func (t *tables) validateArms(bad func(file, key, text string, args ...any)) {
	for i := range t.weapons {
		w := &t.weapons[i]
		key := "weapon." + string(w.ID)
		if w.ID == "" || w.Name == "" || t.skill(w.Skill) == nil || w.Speed < 1 || max(w.Speed, w.Draw, w.Reload) > maxClass || min(w.Draw, w.Reload) < 0 {
			bad("arms.toml", key, "needs an id, a name, a skill of skills.toml and classes of 1 to %d", maxClass)
		}
		if !slices.Contains(damageTypes, w.Type) {
			bad("arms.toml", key+".type", "%q is not a type of damage", w.Type)
		}
		for column, d := range map[string]string{"damage": w.Damage, "casualty": w.Casualty} {
			if _, err := resolve.ParseNotation(d); err != nil && (column == "damage" || d != "") {
				bad("arms.toml", key+"."+column, "%v", err)
			}
		}
		switch {
		case w.Missile == "" && t.reach(w.Reach) == 0:
			bad("arms.toml", key+".reach", "%q is not a reach of tables.toml", w.Reach)
		case w.Missile != "" && (!slices.Contains(missileKinds, w.Missile) || w.Range < 1):
			bad("arms.toml", key, "a missile needs a kind and a range")
		}
		for _, other := range []game.ID{w.Thrown, w.Wielded} {
			if other != "" && t.weapon(other) == nil {
				bad("arms.toml", key, "there is no weapon %q", other)
			}
		}
		if w.KillFeet < 0 || w.CasualFeet < w.KillFeet {
			bad("arms.toml", key, "the casualty zone holds the kill zone")
		}
	}
	if t.weapon(game.BareHands) == nil {
		bad("arms.toml", "weapon."+string(game.BareHands), "is missing")
	}
	for _, s := range t.shields {
		if s.ID == "" || s.Name == "" || s.Speed < 1 || s.Speed > maxClass || s.Most < 1 {
			bad("arms.toml", "shield."+string(s.ID), "needs an id, a name, a class and a Max Damage")
		}
	}
}

func (t *tables) validateCharts(bad func(file, key, text string, args ...any)) {
	for _, chart := range []struct {
		name    string
		rows    []chartRow
		effects []string
	}{{"critical", t.criticals, criticalEffects}, {"fumble", t.fumbles, fumbleEffects}} {
		last := 0
		for _, r := range chart.rows {
			if r.To <= last || r.Text == "" || !slices.Contains(chart.effects, r.Effect) {
				bad("charts.toml", fmt.Sprintf("%s[to = %d]", chart.name, r.To), "rows must rise, with a text and one of the effects %v", chart.effects)
			}
			if _, err := resolve.ParseNotation(r.Dice); r.Dice != "" && err != nil {
				bad("charts.toml", fmt.Sprintf("%s[to = %d].dice", chart.name, r.To), "%v", err)
			}
			last = r.To
		}
		if last != 100 {
			bad("charts.toml", chart.name, "must go up to 100")
		}
	}
	for _, c := range t.called {
		if c.ID == "" || len(c.Locations) == 0 || !slices.Contains([]string{"", "arm", "leg"}, c.Limb) || !slices.Contains(calledEffects, c.Effect) {
			bad("charts.toml", "called."+c.ID, "needs an id and locations; limb is arm or leg, effect one of %v", calledEffects[1:])
		}
		if c.Adjust != "" && find(t.melee, func(a *adjustRow) bool { return a.ID == c.Adjust }) == nil {
			bad("charts.toml", "called."+c.ID+".adjust", "there is no adjustment %q", c.Adjust)
		}
	}
	for _, h := range t.holds {
		if h.ID == "" || h.Name == "" || h.Skill != "wrestling" && h.Skill != "judo" {
			bad("charts.toml", "hold."+h.ID, "needs an id, a name, and wrestling or judo")
		}
		for _, other := range h.Needs {
			if t.hold(other) == nil {
				bad("charts.toml", "hold."+h.ID+".needs", "there is no hold %q", other)
			}
		}
		if _, err := resolve.ParseNotation(h.Damage); h.Damage != "" && err != nil {
			bad("charts.toml", "hold."+h.ID+".damage", "%v", err)
		}
	}
}

func (t *tables) validateSmall(bad func(file, key, text string, args ...any)) {
	positive := map[string]int{
		"set.bonus": t.Set.Bonus, "will.again": t.Will.Again, "will.wake": t.Will.Wake, "fall.die": t.Fall.Die, "fall.feet": t.Fall.Feet,
		"fall.mph": t.Fall.MPH, "suffocation.pool": t.Suffocation.Pool, "range.beyond": t.Range.Beyond, "pace.run": t.Pace.Run, "pace.walk": t.Pace.Walk,
		"missile_dodge.thrown": t.MissileDodge.Thrown, "missile_dodge.bow": t.MissileDodge.Bow, "missile_dodge.gun": t.MissileDodge.Gun, "missile_dodge.beam": t.MissileDodge.Beam,
		"ablative.hits": t.Ablative.Hits, "powered.strength": t.Powered.Strength, "explosion.scatter_die": t.Explosion.Scatter, "arc.flank": t.Arc.Flank, "arc.behind": t.Arc.Behind,
	}
	for _, key := range slices.Sorted(maps.Keys(positive)) {
		if positive[key] < 1 {
			bad("tables.toml", key, "must be 1 or more")
		}
	}
	if len(t.Early.Penalty) == 0 || !slices.IsSorted(t.Early.Penalty) || t.Early.Penalty[0] < 0 {
		bad("tables.toml", "early.penalty", "must rise")
	}
	last := -1
	for _, b := range t.Range.Band {
		if b.To <= last {
			bad("tables.toml", "range.band", "bands must rise")
		}
		last = b.To
	}
	if last < 0 {
		bad("tables.toml", "range.band", "is missing")
	}
	for _, p := range t.Poison {
		if p.ID == "" || p.Every < 1 || p.Recovery < 1 || !slices.Contains(poisonEffects, p.Effect) {
			bad("tables.toml", "poison."+p.ID, "needs a time, a recovery, and one of %v as its effect", poisonEffects)
		}
	}
}
