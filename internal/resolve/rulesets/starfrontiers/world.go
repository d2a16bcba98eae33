package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// World is one encounter. Fighters are sorted by id.
type World struct {
	Title    string            `json:"title"`
	Turn     int               `json:"turn"`   // the turn that is open
	Played   int64             `json:"played"` // rounds played
	ScaleMM  int               `json:"scale_mm"`
	Units    string            `json:"units"`
	Width    int               `json:"width"`
	Height   int               `json:"height"`
	Settings map[string]string `json:"settings"`        // only what differs from the default
	Usual    *usual            `json:"usual,omitempty"` // what comes back after a turn that the GM has ruled on
	House    *house            `json:"house,omitempty"` // tables of the game file
	Features []game.Feature    `json:"features"`
	Clouds   []Cloud           `json:"clouds,omitempty"`  // smoke
	Charges  []Charge          `json:"charges,omitempty"` // grenades that will burst
	Fighters []*Fighter        `json:"fighters"`
	Past     []resolve.Past    `json:"past"`            // attacks of the last turn
	Named    []string          `json:"named"`           // unverified values that the GM has been told of
	Stage    *Stage            `json:"stage,omitempty"` // of a turn that a pause has parted
}

// usual are the settings of a game whose turn has others by a ruling.
type usual struct {
	Settings map[string]string `json:"settings"`
}

// Fighter is one combatant with all his figures.
type Fighter struct {
	ID          game.ID         `json:"id"`
	Name        string          `json:"name"`
	Side        game.ID         `json:"side"`
	Player      game.ID         `json:"player,omitempty"`
	Group       game.ID         `json:"group,omitempty"`
	Race        string          `json:"race"`
	Description string          `json:"description,omitempty"`
	Place       game.Square     `json:"place"`
	Facing      string          `json:"facing"`
	Posture     string          `json:"posture"` // stand, crouch, kneel, prone
	Size        string          `json:"size"`
	Handed      string          `json:"handed,omitempty"` // right or left; empty: both hands alike
	STR         int             `json:"str"`
	STA         int             `json:"sta"` // the score; Now is what is left of it
	Now         int             `json:"sta_now"`
	DEX         int             `json:"dex"`
	RS          int             `json:"rs"`
	INT         int             `json:"int"`
	LOG         int             `json:"log"`
	PER         int             `json:"per"`
	LDR         int             `json:"ldr"`
	Skills      map[string]int  `json:"skills"`
	Level       int             `json:"level,omitempty"`   // robots and remote weapons
	Base        int             `json:"base,omitempty"`    // basic chance when the sheet gives one (an animal's attack number)
	IM          int             `json:"im,omitempty"`      // initiative modifier when the sheet gives one
	Class       string          `json:"class,omitempty"`   // animals: medium, fast, very_fast
	Walk        int             `json:"walk"`              // metres a turn
	Run         int             `json:"run"`               // metres a turn
	Carried     int             `json:"carried_kg"`        // kilograms
	Status      []string        `json:"status"`            // dying, dead, unconscious, wounded …
	Weapons     []Weapon        `json:"weapons"`           // in the order of the sheet
	Items       []Item          `json:"items"`             // in the order of the sheet
	SeenBy      *[]game.ID      `json:"seen_by"`           // nil: whoever looks; else these alone, until he attacks
	Exposed     bool            `json:"exposed,omitempty"` // in this turn everybody knows where he is
	Rage        int             `json:"rage,omitempty"`    // battle rage score (1.2)
	RageTried   bool            `json:"rage_tried,omitempty"`
	Raging      bool            `json:"raging,omitempty"`   // in battle rage
	Damage      string          `json:"damage,omitempty"`   // of an animal's attack (16.1)
	Attacks     int             `json:"attacks,omitempty"`  // of an animal, a turn
	Limbs       int             `json:"limbs,omitempty"`    // of robots and Dralasites
	Body        string          `json:"body,omitempty"`     // of a robot (16.2)
	Programs    []string        `json:"programs,omitempty"` // of a robot; what it may do
	Foes        []game.ID       `json:"foes,omitempty"`     // whom a robot that defends itself has seen attack it
	Guessed     bool            `json:"guessed,omitempty"`  // its metres a turn are placeholders
	Policy      string          `json:"policy,omitempty"`   // one of policies
	Flee        int             `json:"flee,omitempty"`     // of a foe: he flees with so much Stamina or less
	Protect     game.ID         `json:"protect,omitempty"`  // of a foe: whom he protects
	Standing    []game.Standing `json:"standing,omitempty"`
	Last        *game.Plan      `json:"last,omitempty"`
	Health
	Awareness
	// Stale holds features as he last saw them, by index, where they have changed since.
	Stale map[int]game.Feature `json:"stale,omitempty"`
}

// Weapon is one weapon on a sheet.
type Weapon struct {
	ID        game.ID      `json:"id"`
	Kind      game.ID      `json:"kind"`
	Name      string       `json:"name"`
	State     string       `json:"state"` // in_hand, holstered, slung, sheathed, belt, mounted, on_ground …
	Hand      string       `json:"hand,omitempty"`
	Mode      string       `json:"mode,omitempty"`
	Ammo      string       `json:"ammo,omitempty"`
	Dial      int          `json:"dial,omitempty"`
	DialMax   int          `json:"dial_max,omitempty"`
	Left      int          `json:"left"`
	Full      int          `json:"full"`
	Rate      int          `json:"rate"`
	Every     int          `json:"every,omitempty"`
	TwoHanded bool         `json:"two_handed,omitempty"`
	Scope     bool         `json:"scope,omitempty"`
	Broken    bool         `json:"broken,omitempty"`
	Unready   bool         `json:"unready,omitempty"` // fired, and not loaded or drawn again since (6.6)
	Loaded    game.ID      `json:"loaded,omitempty"`  // the kind of grenade in a launcher
	Ranges    []int        `json:"ranges,omitempty"`  // in metres, when the game file gives them
	Cord      *Cord        `json:"cord,omitempty"`    // plugs it into a power pack
	Picked    bool         `json:"picked,omitempty"`  // picked up last turn: counts as holstered
	Jammed    int64        `json:"jammed,omitempty"`  // until so many rounds have been played
	At        *game.Square `json:"at,omitempty"`      // where it lies
}

// Item is anything else carried.
type Item struct {
	ID    game.ID `json:"id"`
	Kind  string  `json:"kind"`
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Note  string  `json:"note,omitempty"`
	State string  `json:"state,omitempty"` // of a defence: on, off, worn, carried
	Left  int     `json:"left,omitempty"`  // SEU of a screen's pack, points a suit still absorbs
	Full  int     `json:"full,omitempty"`
	Cord  *Cord   `json:"cord,omitempty"`  // plugs a screen into a power pack
	Since int64   `json:"since,omitempty"` // rounds played when a screen was switched on
}

// Bodies implements game.World.
func (w *World) Bodies() []game.Body {
	out := make([]game.Body, 0, len(w.Fighters))
	for _, f := range w.Fighters {
		out = append(out, game.Body{
			ID: f.ID, Name: f.Name, Side: f.Side, Player: f.Player, Group: f.Group,
			Place: f.Place, Posture: f.Posture, Able: f.able(),
		})
	}
	return out
}

// fighting are the bodies with those who have given up out of the fight.
func (w *World) fighting() []game.Body {
	out := w.Bodies()
	for i, f := range w.Fighters {
		out[i].Able = out[i].Able && !has(f.Status, surrendered)
	}
	return out
}

// At implements game.World: rounds played.
func (w *World) At() int64 { return w.Played }

func (w *World) fighter(id game.ID) *Fighter {
	return resolve.ByID(w.Fighters, id, func(f *Fighter) game.ID { return f.ID })
}

// clone is a deep copy: a Resolve never changes the world it was given, and what
// it gives is what Load will read.
func (w *World) clone() *World {
	return resolve.Copy(w)
}

// roller names who rolls initiative for a combatant (3.1, 4.2 step 3).
func (w *World) roller(t *tables, f *Fighter) game.ID {
	switch sequence := w.setting("sequence"); {
	case sequence == "side":
		if r := w.sideRoller(t, f.sideID()); r != nil {
			return r.ID
		}
		return f.ID
	case sequence == "individual", w.setting("pbem.die_per") == "combatant":
		return f.ID
	case f.Player != "":
		return f.Player
	case f.Group != "":
		return f.Group
	}
	return f.ID
}

func (w *World) setting(key string) string { return settingOf(w.Settings, key) }

func (w *World) relation(a, b *Fighter) string { return resolve.Relation(a.ID, a.Side, b.ID, b.Side) }

// surrendered is the state of one who has given up, by a ruling (21).
const surrendered = "surrendered"

// disabling states: whoever has one can do nothing.
var disabling = []string{"dying", "dead", "unconscious", "stunned", "incapacitated", "down", "destroyed"}

func (f *Fighter) able() bool {
	return f.Now > 0 && !slices.ContainsFunc(f.Status, func(s string) bool { return slices.Contains(disabling, s) })
}

// down: lying there for all to see.
func (f *Fighter) down() bool { return !f.able() }

// wounded at half the score or less through wounds (1.1); a robot has no such
// penalty (16.2).
func (f *Fighter) wounded() bool {
	return f.Level == 0 && (f.Now+f.Ill <= f.STA/2 || slices.Contains(f.Status, "wounded"))
}

func (f *Fighter) encumbered() bool { return f.Carried*2 > f.STR }

func (f *Fighter) weapon(id game.ID) *Weapon {
	for i := range f.Weapons {
		if f.Weapons[i].ID == id {
			return &f.Weapons[i]
		}
	}
	return nil
}

func (f *Fighter) facing() resolve.Dir {
	d, _ := resolve.ParseDir(f.Facing)
	return d
}

// allowance is how far a mode carries in a turn, in metres (17.1, 17.2).
func (f *Fighter) allowance(t *tables, mode string) int {
	m := 0
	switch mode = f.mode(mode); mode {
	case "walk":
		m = f.Walk
	case "run":
		m = f.Run
	case "dodge":
		m = f.Run / 2
	case "crawl":
		m = min(t.Move.Crawl, f.Walk)
	}
	if f.encumbered() {
		m /= 2
	}
	return f.slowed(m)
}
