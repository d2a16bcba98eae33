package starfrontiers

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

//go:embed data/*.toml
var embedded embed.FS

// tables are all numbers of the rules, read from data/*.toml.
type tables struct {
	hash           string
	weapons        []weaponRow
	clips          []clipRow
	packs          []packRow
	races          []raceRow
	settings       resolve.Settings
	defences       []defenceRow
	treatments     []treatmentRow
	Fall           fallTable
	Poison         poisonTable
	Threads        threadsTable
	grievousTables []grievousTable
	wounds         *grievousTable // the one of the game; set by at
	verbs          []verbRow
	conditions     []conditionRow
	smallTables
	robotTables
	grenadeTables
}

// skillRow is a skill of 1.3.
type skillRow struct {
	ID   string `toml:"id"`
	Name string `toml:"name"`
}

type clipRow struct {
	ID         game.ID  `toml:"id"`
	Name       string   `toml:"name"`
	Holds      int      `toml:"holds"`
	Unit       string   `toml:"unit"`
	Words      []string `toml:"words"`
	Unverified bool     `toml:"unverified"`
	Trade      trade    `toml:"trade"`
}

type raceRow struct {
	ID         string   `toml:"id"`
	Name       string   `toml:"name"`
	Walk       int      `toml:"walk"`
	Run        int      `toml:"run"`
	Handed     bool     `toml:"handed"`
	Machine    bool     `toml:"machine"`
	Animal     bool     `toml:"animal"`
	Stamina    int      `toml:"stamina"`
	Blows      int      `toml:"blows"` // with bare hands, a turn; 0: one
	Limbs      int      `toml:"limbs"` // where blows go by pairs of them
	LimbsByDEX bool     `toml:"limbs_by_dex"`
	Rage       int      `toml:"rage"`     // battle rage score
	Programs   bool     `toml:"programs"` // does only what it is programmed for
	Unverified []string `toml:"unverified"`
}

type verbRow struct {
	Name    string   `toml:"name"`
	Class   string   `toml:"class"`
	Fields  []string `toml:"fields"`
	Words   []string `toml:"words"`
	Example string   `toml:"example"`
	Built   bool     `toml:"built"`
	Held    bool     `toml:"held"` // can be held ready as a reaction (4.5.3)
}

// smallTables is tables.toml.
type smallTables struct {
	Range            map[string]int `toml:"range"`
	TargetMovement   map[string]int `toml:"target_movement"`
	AttackerMovement map[string]int `toml:"attacker_movement"`
	TargetAnimal     map[string]int `toml:"target_animal"`
	InVehicle        map[string]int `toml:"in_vehicle"`
	Size             map[string]int `toml:"size"`
	Cover            map[string]int `toml:"cover"`
	Attack           struct {
		SkillLevel      int `toml:"skill_level"`
		UntrainedHeavy  int `toml:"untrained_heavy"`
		CarefulAim      int `toml:"careful_aim"`
		Burst           int `toml:"burst"`
		Prone           int `toml:"prone"`
		Wounded         int `toml:"wounded"`
		WrongHand       int `toml:"wrong_hand"`
		TwoWeapons      int `toml:"two_weapons"`
		RifleInReach    int `toml:"rifle_in_reach"`
		Stunned         int `toml:"stunned"`
		RobotBase       int `toml:"robot_base"`
		RobotLevel      int `toml:"robot_level"`
		RobotInitiative int `toml:"robot_initiative"`
	} `toml:"attack"`
	Melee struct {
		Behind           int     `toml:"behind"`
		Helpless         int     `toml:"helpless"`
		Rage             int     `toml:"rage"`
		TargetEncumbered int     `toml:"target_encumbered"`
		Encumbered       int     `toml:"encumbered"`
		Wounded          int     `toml:"wounded"`
		Defending        int     `toml:"defending"`
		Butt             game.ID `toml:"butt"`
		StrayMiss        int     `toml:"stray_miss"` // a shot that misses by no more may hit another of the fight
		StrayRoll        int     `toml:"stray_roll"` // and no roll above this one strays
	} `toml:"melee"`
	Burst struct {
		Targets int `toml:"targets"`
		Width   int `toml:"width_m"`
	} `toml:"burst"`
	Auto struct {
		Hit  int `toml:"hit"`
		Miss int `toml:"miss"`
	} `toml:"auto"`
	Initiative struct {
		Die     int `toml:"die"`
		Holster int `toml:"holster"`
	} `toml:"initiative"`
	Move struct {
		Crawl      int      `toml:"crawl_m"`
		Vault      int      `toml:"vault_m"`
		Rough      int      `toml:"rough"`
		Door       int      `toml:"door_m"`
		Unverified []string `toml:"unverified"`
	} `toml:"move"`
	Endurance struct {
		Score        string `toml:"score"` // sta or str
		RoundsAPoint int64  `toml:"rounds_a_point"`
		Rest         int64  `toml:"rest"`
		Warn         int64  `toml:"warn"`
	} `toml:"endurance"`
	Feat   []featRow `toml:"feat"`
	Policy struct {
		Lob     int `toml:"lob_m"`
		Victims int `toml:"lob_victims"`
	} `toml:"policy"`
	Senses struct {
		Spot         int      `toml:"spot_m"`
		Details      int      `toml:"details_m"`
		Reach        int      `toml:"reach_m"`
		Burst        int      `toml:"burst_m"`
		OpticsFactor int      `toml:"optics_factor"`
		Optics       []string `toml:"optics"`
		Poor         int      `toml:"poor_percent"`
	} `toml:"senses"`
	Stamina struct {
		BeyondHelp int `toml:"beyond_help"`
	} `toml:"stamina"`
	Fumble   fumbleTable   `toml:"fumble"`
	Critical []criticalRow `toml:"critical"`
	Skill    []skillRow    `toml:"skill"`
	Punch    []struct {
		To    int `toml:"to"`
		Score int `toml:"score"`
	} `toml:"punch"`
}

// bands in the order of a weapon's ranges.
var bands = [5]string{"point_blank", "short", "medium", "long", "extreme"}

var embeddedTables = resolve.Embedded(embedded, loadTables)

// loadTables reads and validates the data files; the error names every fault
// with its file, key and reason.
func loadTables(files fs.FS) (*tables, error) {
	t := &tables{}
	data := resolve.NewData(files)
	read := data.Read
	var weapons struct{ Weapon []weaponRow }
	var clips struct {
		Clip []clipRow
		Pack []packRow
	}
	var races struct{ Race []raceRow }
	var settings struct{ Setting resolve.Settings }
	var medical struct {
		Treatment []treatmentRow
		Poison    poisonTable
		Threads   threadsTable
		Fall      fallTable
	}
	var verbs struct{ Verb []verbRow }
	var conditions struct{ Condition []conditionRow }
	var defences struct{ Defence []defenceRow }
	var wounds struct{ Table []grievousTable }
	read("clips.toml", &clips)
	read("conditions.toml", &conditions)
	read("defences.toml", &defences)
	read("grenades.toml", &t.grenadeTables)
	read("grievous.toml", &wounds)
	read("medical.toml", &medical)
	read("races.toml", &races)
	read("robots.toml", &t.robotTables)
	read("settings.toml", &settings)
	read("tables.toml", &t.smallTables)
	read("verbs.toml", &verbs)
	read("weapons.toml", &weapons)
	t.weapons, t.clips, t.races, t.settings, t.verbs = weapons.Weapon, clips.Clip, races.Race, settings.Setting, verbs.Verb
	t.treatments, t.Poison, t.Threads, t.Fall = medical.Treatment, medical.Poison, medical.Threads, medical.Fall
	t.packs = clips.Pack
	t.conditions = conditions.Condition
	t.defences, t.grievousTables = defences.Defence, wounds.Table
	t.hash = data.Hash()
	faults := data.Faults()
	if len(faults) == 0 {
		for _, f := range t.validate() {
			faults = append(faults, f)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("reading the star-frontiers data: %w", err)
	}
	return t, nil
}

func (t *tables) validate() []game.Fault {
	var out []game.Fault
	bad := func(file, key, text string, args ...any) {
		out = append(out, game.Fault{File: file, Key: key, Text: fmt.Sprintf(text, args...)})
	}
	t.validateWeapons(bad)
	t.robotTables.validate(bad)
	t.grenadeTables.validate(bad)
	for _, id := range []game.ID{game.BareHands, "claws", "limbs", t.Melee.Butt} {
		if row := t.weapon(id); row == nil || !row.Melee {
			bad("weapons.toml", "weapon."+string(id), "is missing")
		}
	}
	for _, c := range t.clips {
		if !c.Trade.ok() {
			bad("clips.toml", "clip."+string(c.ID)+".trade", "needs a cost and kg of 0 or more, and doubts about no other")
		}
	}
	for _, p := range t.packs {
		if p.ID == "" || p.Name == "" || p.Holds < 1 || p.Weapons < 0 || p.Screens < 0 || p.Cord < 1 || !p.Trade.ok() {
			bad("clips.toml", "pack."+string(p.ID), "needs an id, a name, what it holds and the rounds of a cord")
		}
	}
	if t.Move.Crawl < 1 || t.Move.Vault < 1 || t.Move.Door < 0 || t.Move.Rough < 1 {
		bad("tables.toml", "move", "a figure is missing")
	}
	if e := t.Endurance; e.Score != "sta" && e.Score != "str" || e.RoundsAPoint < 1 || e.Rest < 1 || e.Warn < 1 {
		bad("tables.toml", "endurance", "needs the score sta or str, and rounds")
	}
	for _, f := range t.Feat {
		if f.Mode == "" || f.Race != "" && t.race(f.Race) == nil {
			bad("tables.toml", "feat."+f.Mode, "needs a mode, and a race that there is or none")
		}
	}
	if t.Policy.Lob < 1 || t.Policy.Victims < 1 {
		bad("tables.toml", "policy", "a figure is missing")
	}
	if t.Burst.Targets < 1 || t.Burst.Width < 1 {
		bad("tables.toml", "burst", "is missing")
	}
	for _, d := range t.defences {
		key := "defence." + string(d.ID)
		if d.ID == "" || d.Name == "" || !slices.Contains(defenceClasses, d.Class) {
			bad("defences.toml", key, "needs an id, a name and a class: %s", strings.Join(defenceClasses, ", "))
		}
		for _, kind := range slices.Concat(d.Stops, d.Halves, d.Tireless) {
			if !slices.Contains(attackTypes, kind) {
				bad("defences.toml", key, "%q is not a type of attack", kind)
			}
		}
		if d.SEUPoints < 0 || d.SEUHit < 0 || d.SEUMinute < 0 || d.Pack < 0 || d.Don < 0 || d.Capacity < 0 || d.Class == "screen" && d.Pack < 1 {
			bad("defences.toml", key, "figures must not be negative, and a screen needs a pack")
		}
		if len(d.HalfIf) != 0 && (len(d.HalfIf) != 2 || t.settings.Find(d.HalfIf[0]) == nil) {
			bad("defences.toml", key+".half_if", "must be a setting and its value")
		}
	}
	for _, m := range t.treatments {
		known := func(list, all []string) bool {
			return !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(all, s) })
		}
		if m.ID == "" || m.Name == "" || m.Actions < 1 || m.STA < 0 || m.Ill < 0 || m.Every < 0 || m.Doses < 0 || !known(m.Ends, effectKinds) || !known(m.Healed, heals) {
			bad("medical.toml", "treatment."+string(m.ID), "needs an id, a name, actions, and effects that there are")
		}
	}
	if t.Threads.BreakOver < 1 || t.Poison.Points < 1 {
		bad("medical.toml", "", "threads or poison is missing")
	}
	if f := t.Fall; f.Die < 2 || f.BreakDie < 2 || f.MinutesDie < 2 || f.TurnsAMinute < 1 || f.Sprain < 1 || f.Break < f.Sprain || f.Stun < f.Break {
		bad("medical.toml", "fall", "a figure is missing or out of range")
	}
	for _, r := range t.races {
		if r.ID == "" || r.Walk < 0 || r.Run < r.Walk {
			bad("races.toml", "race."+r.ID, "needs an id and 0 <= walk <= run")
		}
	}
	for _, s := range t.settings {
		if !s.Valid() {
			bad("settings.toml", "setting."+s.Key, "needs a default")
		}
	}
	for _, v := range t.verbs {
		if v.Built && (v.Class == "" || v.Example == "") {
			bad("verbs.toml", "verb."+v.Name, "needs a class and an example")
		}
	}
	for _, c := range t.conditions {
		if c.Class != "" && !slices.Contains(classes, c.Class) || c.Class == "" && !c.State {
			bad("conditions.toml", "condition."+c.Kind, "needs a class of trigger (%s) or state", strings.Join(classes, ", "))
		}
	}
	for _, b := range bands {
		if _, ok := t.Range[b]; !ok {
			bad("tables.toml", "range."+b, "is missing")
		}
	}
	for _, m := range []string{"stationary", "walk", "run", "dodge", "crawl"} {
		if _, ok := t.TargetMovement[m]; !ok {
			bad("tables.toml", "target_movement."+m, "is missing")
		}
		if _, ok := t.AttackerMovement[m]; !ok {
			bad("tables.toml", "attacker_movement."+m, "is missing")
		}
	}
	for _, text := range t.Fumble.faults() {
		bad("tables.toml", "fumble", "%s", text)
	}
	for _, text := range criticalFaults(t.Critical) {
		bad("tables.toml", "critical", "%s", text)
	}
	if len(t.grievousTables) == 0 {
		bad("grievous.toml", "table", "there is none")
	}
	for i := range t.grievousTables {
		for _, text := range t.grievousTables[i].faults() {
			bad("grievous.toml", "table."+t.grievousTables[i].ID, "%s", text)
		}
	}
	if len(t.Punch) == 0 || t.Initiative.Die < 2 || t.Senses.Spot < 1 || t.Senses.Details < 1 || t.Senses.OpticsFactor < 1 || t.Senses.Poor < 1 {
		bad("tables.toml", "", "a table is missing")
	}
	return out
}

func (t *tables) clip(id game.ID) *clipRow {
	for i := range t.clips {
		if t.clips[i].ID == id {
			return &t.clips[i]
		}
	}
	return nil
}

func (t *tables) race(name string) *raceRow {
	name = strings.ToLower(name)
	for i := range t.races {
		if t.races[i].ID == name || strings.ToLower(t.races[i].Name) == name || strings.HasSuffix(name, " "+t.races[i].ID) {
			return &t.races[i]
		}
	}
	return nil
}

func (t *tables) verb(name string) *verbRow {
	for i := range t.verbs {
		if t.verbs[i].Name == name {
			return &t.verbs[i]
		}
	}
	return nil
}
