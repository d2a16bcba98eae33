package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// World is one encounter. Fighters are sorted by id. Whatever runs on from one
// turn into the next stands in it (2.7): readiness, activities, bursts, movement,
// timers and what is left of everybody's plan.
type World struct {
	Title    string              `json:"title"`
	Turn     int                 `json:"turn"`     // the turn that is open
	Segment  int                 `json:"segment"`  // the next one to be resolved; absolute
	Side     int                 `json:"side"`     // of a square, in tenths of a millimetre
	ScaleMM  int                 `json:"scale_mm"` // the same in millimetres, for views
	Units    string              `json:"units"`
	Width    int                 `json:"width"`
	Height   int                 `json:"height"`
	Settings map[string]string   `json:"settings"`         // only what differs from the default
	House    map[string]string   `json:"tables,omitempty"` // values of the game file in place of ours, as JSON
	Features []game.Feature      `json:"features"`
	Sections map[game.ID]Section `json:"sections,omitempty"` // what features are made of
	Ground   map[game.ID]string  `json:"ground,omitempty"`   // what features are like to stand on
	Fighters []*Fighter          `json:"fighters"`
	Past     []resolve.Past      `json:"past"`            // attacks of the last turn
	Heard    []Happening         `json:"heard,omitempty"` // of the last segment, for conditions
	Overt    bool                `json:"overt,omitempty"` // the first overt act has been done (2.6)
	Named    []string            `json:"named"`           // unprinted values that the GM has been told of
	Usual    *Usual              `json:"usual,omitempty"` // the rules after this turn, when a ruling changed them for it
}

// Fighter is one combatant with all his figures.
type Fighter struct {
	ID          game.ID          `json:"id"`
	Name        string           `json:"name"`
	Side        game.ID          `json:"side"`
	Player      game.ID          `json:"player,omitempty"`
	Group       game.ID          `json:"group,omitempty"`
	Race        string           `json:"race,omitempty"`
	Description string           `json:"description,omitempty"`
	At          Point            `json:"at"`
	Facing      Point            `json:"facing"`  // a direction of any length
	Posture     string           `json:"posture"` // stand, kneel, prone
	Size        string           `json:"size"`    // tiny, small, medium, large, huge
	LeftHanded  bool             `json:"left_handed,omitempty"`
	Mounted     bool             `json:"mounted,omitempty"`
	Ground      string           `json:"ground,omitempty"`  // under him, when it is not that of the map
	Up          game.ID          `json:"up,omitempty"`      // the thing of the map that he stands on, or whom he rides
	Seats       int              `json:"seats,omitempty"`   // so many can ride on him
	Steered     game.ID          `json:"steered,omitempty"` // by whom of them
	STR         int              `json:"str"`
	AGI         int              `json:"agi"`
	DEX         int              `json:"dex"`
	CON         int              `json:"con"`
	INT         int              `json:"int"`
	WILL        int              `json:"will"`
	Skills      map[string]Skill `json:"skills"`
	Speed       int              `json:"speed,omitempty"` // feet a segment when the sheet gives them
	Weapons     []Weapon         `json:"weapons"`         // in the order of the sheet
	Items       []Item           `json:"items"`
	Armor       []Armor          `json:"armor"`
	SeenBy      *[]game.ID       `json:"seen_by"` // nil: whoever looks; else these alone, until he attacks
	Policy      string           `json:"policy,omitempty"`
	Cover       string           `json:"cover,omitempty"` // percent behind cover, as ruled; empty: what stands there
	Readiness
	Health
	Orders
}

// Skill is points times aptitude, or a percentage in tenths that the sheet gives.
type Skill struct {
	Points int `json:"points,omitempty"`
	Tenths int `json:"tenths,omitempty"`
}

// Readiness is where somebody stands in time (2.3, 2.4). Segments are absolute.
type Readiness struct {
	LastAction int       `json:"last_action"`             // when his last action was completed
	Shift      int       `json:"ready_shift,omitempty"`   // one-shot, from the charts
	Delay      int       `json:"prep_delay,omitempty"`    // preparation lost since LastAction, without an activity under way
	HoldFrom   int       `json:"hold_from,omitempty"`     // since when he waits
	HoldTarget game.ID   `json:"hold_target,omitempty"`   // for whom; empty: for anybody
	NotBefore  int       `json:"not_before,omitempty"`    // a weapon in hand that is not poised (2.6)
	Activity   *Activity `json:"activity,omitempty"`      // under way
	Burst      *Burst    `json:"burst,omitempty"`         // automatic fire under way or just ended
	Move       *Movement `json:"move,omitempty"`          // under way
	Moved      bool      `json:"moved,omitempty"`         // he has moved before
	StunnedTo  int       `json:"stunned_until,omitempty"` // cannot act or react before
	// SurprisedTo is how long surprise lasts that a die decides.
	SurprisedTo int `json:"surprised_until,omitempty"`
}

// Activity is an action that takes a fixed time (2.4).
type Activity struct {
	Kind   string  `json:"kind"` // an action of the tables, or draw, stow or reload
	Name   string  `json:"name"`
	Start  int     `json:"start"`
	DoneAt int     `json:"done_at"`
	Item   game.ID `json:"item,omitempty"`
	Toward *Point  `json:"toward,omitempty"` // of a turn: the new facing
	On     game.ID `json:"on,omitempty"`     // to whom something is given
	State  string  `json:"state,omitempty"`  // of a door: what it is to be
}

// Burst is automatic fire (5.6).
type Burst struct {
	Weapon game.ID `json:"weapon"`
	Target game.ID `json:"target"`
	Shots  int     `json:"shots"`            // fired so far
	Left   int     `json:"left,omitempty"`   // rounds still ordered; 0: none
	Last   int     `json:"last"`             // segment of the last shot
	On     bool    `json:"on,omitempty"`     // the trigger is still held
	Whole  bool    `json:"whole,omitempty"`  // every shot of that segment was fired
	Shifts int     `json:"shifts,omitempty"` // to other targets so far
}

// Movement is what is under way (6).
type Movement struct {
	Pace    int         `json:"pace"` // hundredths of full speed
	Begun   int         `json:"begun"`
	Counted int         `json:"counted,omitempty"` // the last segment that cost preparation
	Feet    int         `json:"feet"`              // so far
	From    Point       `json:"from"`
	To      Point       `json:"to"`
	Toward  game.ID     `json:"toward,omitempty"`  // somebody who may move himself
	Rolling bool        `json:"rolling,omitempty"` // its first segment is not halved
	Reach   int         `json:"reach,omitempty"`   // stop so near to him
	Posture string      `json:"end_posture,omitempty"`
	Rate    *int        `json:"rate,omitempty"`    // feet a segment, as ruled
	Doubled bool        `json:"doubled,omitempty"` // by powered armor
	Intent  game.Intent `json:"intent"`
}

// Health is what becomes of somebody (7).
type Health struct {
	HP       int      `json:"hp"`
	HPMax    int      `json:"hp_max"`
	Suff     int      `json:"suff"`
	SuffMax  int      `json:"suff_max"`
	Status   string   `json:"status"`            // one of the states below
	WillAt   int      `json:"will_at,omitempty"` // when the next will roll is due; 0: never
	Drug     int      `json:"drug,omitempty"`    // rating
	DrugTill int      `json:"drug_until,omitempty"`
	DrugAgi  int      `json:"drug_agility,omitempty"` // what the drug does to agility
	DrugThen string   `json:"drug_then,omitempty"`    // the poison that sets in when it wears off
	Poisons  []Poison `json:"poisons,omitempty"`
	Lame     int      `json:"agility_lost,omitempty"` // to poison
	Mending  []Mend   `json:"mending,omitempty"`      // what poisons took and comes back
	Injured  int      `json:"injuries,omitempty"`     // to a leg that was not set
	InjuredM int      `json:"injured_main,omitempty"` // to the main arm, and to the other one
	InjuredO int      `json:"injured_off,omitempty"`
	Broken   []Bone   `json:"broken,omitempty"`
	Airless  int      `json:"airless,omitempty"` // segments without air, from 1; 0: he can breathe
	Tenths   int      `json:"heal_tenths,omitempty"`
	Rested   int      `json:"rested,omitempty"` // segments of the day that has not passed yet
	Care     int      `json:"care,omitempty"`   // tenths of a hit point healed a day in place of constitution
	Surprise bool     `json:"surprised,omitempty"`
	OutUntil int      `json:"out_until,omitempty"` // unconscious before this segment, as ruled
	DiesAt   int      `json:"dies_at,omitempty"`   // as ruled, and by no wound before
	Held     []HeldBy `json:"held,omitempty"`
}

// Mend is what comes back after a poison (7.7): a point each period.
type Mend struct {
	Effect string `json:"effect"`
	Points int    `json:"points"`
	Every  int    `json:"every"`
	Due    int    `json:"due"`
}

// Bone is a broken one (7.5): it is useless until the points of the blow are healed.
type Bone struct {
	Limb   string `json:"limb"` // main_arm, off_arm or leg
	Points int    `json:"points"`
	Older  int    `json:"older,omitempty"` // points of older wounds, which heal first
	Set    bool   `json:"set,omitempty"`   // it heals cleanly
}

// HeldBy is a hold that somebody is in (10).
type HeldBy struct {
	By   game.ID `json:"by"`
	Hold string  `json:"hold"`
}

// Poison is one at work (7.7).
type Poison struct {
	Type   string `json:"type"`
	Due    int    `json:"due"`
	Streak int    `json:"streak,omitempty"`
	Taken  int    `json:"taken,omitempty"` // points of an attribute
}

// States of a combatant.
const (
	active      = "able"
	faltering   = "faltering" // at 0 or below, and on his feet
	unconscious = "unconscious"
	dead        = "dead"
	surrendered = "surrendered"
)

// Orders is what is left of somebody's plan.
type Orders struct {
	Steps     []game.Intent   `json:"steps,omitempty"`
	Reactions []game.Reaction `json:"reactions,omitempty"`
	Standing  []game.Standing `json:"standing,omitempty"`
	Last      *game.Plan      `json:"last,omitempty"`
	Struck    int             `json:"struck,omitempty"` // blows of the first step already made
}

// Weapon is one weapon on a sheet, or a shield. A class of 0 and an empty text
// are those of the tables.
type Weapon struct {
	ID       game.ID `json:"id"`
	Kind     game.ID `json:"kind"`
	Name     string  `json:"name"`
	State    string  `json:"state"`          // in_hand, stowed words of the sheet, on_ground
	Hand     string  `json:"hand,omitempty"` // main, off, both
	Left     int     `json:"left"`           // rounds in it
	Full     int     `json:"full"`
	Speed    int     `json:"speed_class,omitempty"`
	Draw     int     `json:"draw_class,omitempty"`
	Reload   int     `json:"reload_class,omitempty"`
	Auto     int     `json:"auto_per_segment,omitempty"`
	RangeMod *int    `json:"range_modifier,omitempty"` // instead of the chart (5.3)
	Sight    int     `json:"sight,omitempty"`          // what a telescopic sight adds to a shot (5.4)
	Piercing bool    `json:"armor_piercing,omitempty"` // its shells are
	Poison   string  `json:"poison,omitempty"`         // on the blade
	Broken   bool    `json:"broken,omitempty"`
	Stuck    bool    `json:"stuck,omitempty"`
	Place    *Point  `json:"place,omitempty"` // where it lies
}

// Item is anything else carried.
type Item struct {
	ID    game.ID `json:"id"`
	Kind  string  `json:"kind"`
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Note  string  `json:"note,omitempty"`
	Drug  *Drug   `json:"drug,omitempty"`
}

// Armor is one layer.
type Armor struct {
	Kind game.ID `json:"kind"`
	Hits int     `json:"hits,omitempty"` // that have burnt it
	Off  bool    `json:"off,omitempty"`  // a field that is switched off
}

// Happening is a deed of the last segment, for conditions of the next.
type Happening struct {
	Kind   string    `json:"kind"` // attack, hit, miss, move, draw, reload, speak, down …
	Who    game.ID   `json:"who"`
	Object game.ID   `json:"object,omitempty"`
	Seen   []game.ID `json:"seen"`
}

// Bodies implements game.World.
func (w *World) Bodies() []game.Body {
	out := make([]game.Body, 0, len(w.Fighters))
	for _, f := range w.Fighters {
		out = append(out, game.Body{
			ID: f.ID, Name: f.Name, Side: f.Side, Player: f.Player, Group: f.Group,
			Place: w.square(f.At), Posture: f.Posture, Able: f.able() && (f.Seats == 0 || f.Player != ""), // a mount is nobody who fights on
		})
	}
	return out
}

// At implements game.World: the segment reached.
func (w *World) At() int64 { return int64(w.Segment) }

func (w *World) fighter(id game.ID) *Fighter {
	return resolve.ByID(w.Fighters, id, func(f *Fighter) game.ID { return f.ID })
}

func (w *World) relation(a, b *Fighter) string { return resolve.Relation(a.ID, a.Side, b.ID, b.Side) }

// able: conscious, and has not given up.
func (f *Fighter) able() bool { return f.Status == active || f.Status == faltering }

func (f *Fighter) pinned() bool {
	return slices.ContainsFunc(f.Held, func(h HeldBy) bool { return h.Hold == "full_pin" })
}

func (f *Fighter) weapon(id game.ID) *Weapon {
	for i := range f.Weapons {
		if f.Weapons[i].ID == id {
			return &f.Weapons[i]
		}
	}
	return nil
}

func (wp *Weapon) inHand() bool { return wp.State == "in_hand" && !wp.Broken }
