package game

import (
	"encoding/json"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// World is the state of one encounter. Only its ruleset looks inside; everybody
// else knows the bodies in it and the time.
type World interface {
	// Bodies lists the combatants, sorted by id.
	Bodies() []Body
	// At is the absolute time: the round, segment or second reached.
	At() int64
}

// Body is what every package may know of a combatant. It is not what a player
// may know: that is a View.
type Body struct {
	ID      ID     `json:"id"`
	Name    string `json:"name"`
	Side    ID     `json:"side"`
	Player  ID     `json:"player,omitempty"` // who orders it; empty for the GM's own
	Group   ID     `json:"group,omitempty"`  // the GM's group that rolls initiative together
	Place   Square `json:"place"`
	Posture string `json:"posture,omitempty"`
	Able    bool   `json:"able"` // can act, and so owes orders
}

// View is all that a viewer knows: the only thing that a player's mail, a
// vocabulary, a check or a forecast may be made from. It is plain data. The
// viewer is a combatant, or GM.
type View struct {
	Viewer   ID              `json:"viewer"`
	System   string          `json:"system"`
	Title    string          `json:"title,omitempty"`
	Turn     int             `json:"turn"`
	Round    int             `json:"round"`
	ScaleMM  int             `json:"scale_mm"` // millimetres a square
	Units    string          `json:"units"`    // what players write: m, yd, ft
	Width    int             `json:"width"`    // squares
	Height   int             `json:"height"`
	Self     Sight           `json:"self"`
	Sheet    []Line          `json:"sheet"` // own figures, in the order to print them
	Weapons  []Thing         `json:"weapons"`
	Items    []Thing         `json:"items"`
	Others   []Sight         `json:"others"` // who is perceived, nearest first, then by id
	Features []Feature       `json:"features"`
	Attacks  []Attack        `json:"attacks,omitempty"`   // of the last turn, as perceived
	Last     *Plan           `json:"last_plan,omitempty"` // own plan of the last turn: "as before"
	Standing []Standing      `json:"standing,omitempty"`  // own standing orders in force
	Own      json.RawMessage `json:"own,omitempty"`       // the ruleset's own figures of the viewer; opaque elsewhere
}

// Sight is a combatant as the viewer perceives him.
type Sight struct {
	ID          ID       `json:"id"`
	Name        string   `json:"name"` // as the viewer knows him: a name, or a description
	Side        ID       `json:"side,omitempty"`
	Race        string   `json:"race,omitempty"`
	Description string   `json:"description,omitempty"`
	Relation    string   `json:"relation"` // self, ally, enemy, neutral
	Place       Square   `json:"place"`
	Distance    int      `json:"distance"` // metres from the viewer, as the rules measure
	Posture     string   `json:"posture,omitempty"`
	Facing      string   `json:"facing,omitempty"`
	Holding     string   `json:"holding,omitempty"` // what is seen in his hands
	Status      []string `json:"status,omitempty"`  // visible states: down, wounded …
	Cover       string   `json:"cover,omitempty"`   // soft or hard, as seen from the viewer
	InSight     bool     `json:"in_sight"`          // false: known to be there (an ally), not seen now
}

// Thing is a weapon or an item on the viewer's own sheet.
type Thing struct {
	ID         ID       `json:"id"`
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`            // laser_pistol, grenade …
	State      string   `json:"state,omitempty"` // in_hand, holstered, slung …
	Count      int      `json:"count,omitempty"`
	Rate       int      `json:"rate,omitempty"` // attacks a turn
	Dial       int      `json:"dial,omitempty"`
	DialMax    int      `json:"dial_max,omitempty"`
	Left       int      `json:"left,omitempty"` // rounds or SEU in it
	Full       int      `json:"full,omitempty"`
	Unit       string   `json:"unit,omitempty"` // SEU, rounds, shots
	Modes      []string `json:"modes,omitempty"`
	Mode       string   `json:"mode,omitempty"`
	Melee      bool     `json:"melee,omitempty"`
	Ranged     bool     `json:"ranged,omitempty"`
	Thrown     bool     `json:"thrown,omitempty"` // made to be thrown, or good for it
	TwoHanded  bool     `json:"two_handed,omitempty"`
	Unverified bool     `json:"unverified,omitempty"`
}

// Feature is a thing of the map that has a name.
type Feature struct {
	ID      ID       `json:"id"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // wall, crate, door, rock, cliff …
	Squares []Square `json:"squares"`
	State   string   `json:"state,omitempty"` // of doors: open, closed
	Opaque  bool     `json:"opaque,omitempty"`
	Cover   string   `json:"cover,omitempty"` // soft or hard
	Low     bool     `json:"low,omitempty"`   // can be vaulted, hides who crouches
	// Difficult ground slows whoever walks on it.
	Difficult bool `json:"difficult,omitempty"`
}

// Attack is one attack that the viewer perceived.
type Attack struct {
	Attacker ID `json:"attacker"`
	Target   ID `json:"target"`
}

// Line is a labelled figure, as printed: a line of a sum or of a sheet.
type Line struct {
	Label  string `json:"label"`
	Value  string `json:"value"`
	Secret bool   `json:"secret,omitempty"` // only the GM reads it
}

// Vocabulary is what the viewer has words for. Parse knows nothing else of a
// game: a name that is not in it does not exist for this viewer.
type Vocabulary struct {
	Verbs  []Verb  `json:"verbs"`
	People []Named `json:"people"`
	Things []Named `json:"things"`
	Places []Named `json:"places"`
	// Attacks are the kinds of attack that a policy can name, beside those that
	// every system has: daggers, bolts.
	Attacks []Named `json:"attacks,omitempty"`
	// Fields are what a ruling may decide; only for the GM.
	Fields []Field `json:"fields,omitempty"`
	// Moment is what a ruling may count time in, as in AT SEGMENT 12; empty: it
	// names events alone.
	Moment string `json:"moment,omitempty"`
}

// Verb is one intent that the system knows.
type Verb struct {
	Name    string   `json:"name"`              // the intent's verb
	Class   string   `json:"class"`             // attack, move, act, gear, minor, special, policy, if
	Fields  []string `json:"fields,omitempty"`  // JSON names that it takes
	Words   []string `json:"words,omitempty"`   // further words players use for it
	Forms   []Form   `json:"forms,omitempty"`   // words for one way of doing it
	Example string   `json:"example,omitempty"` // one order as a player would write it
}

// Form is one way of doing what a verb means: its words, of which the first is
// printed, and the fields of the intent that they stand for. A * stands for whom
// it is done to; words that begin with it only tell how, and order nothing by
// themselves.
type Form struct {
	Words []string          `json:"words"`
	Set   map[string]string `json:"set"`
}

// Named is a person, thing or place with the words that mean it.
type Named struct {
	ID       ID       `json:"id"`
	Names    []string `json:"names"`              // whole names, best first
	Words    []string `json:"words,omitempty"`    // words of a description, race, kind
	Relation string   `json:"relation,omitempty"` // people: self, ally, enemy, neutral
	Kind     string   `json:"kind,omitempty"`
	State    string   `json:"state,omitempty"`
	Rate     int      `json:"rate,omitempty"`
	Thing    *Thing   `json:"thing,omitempty"`
	Sight    *Sight   `json:"sight,omitempty"`
}

// Field is something that a ruling may decide.
type Field struct {
	Name  string    `json:"name"`         // STA, POSTURE, AT …; of an event COVER, DAMAGE …
	Of    FieldKind `json:"of,omitempty"` // what it is set on
	Type  string    `json:"type"`         // number, word, square, text; for an event outcome: a word that stands alone; cell: Name begins the path of a value in the tables
	Words []string  `json:"words,omitempty"`
	Least int       `json:"least,omitempty"` // of a number; with Most 0: any
	Most  int       `json:"most,omitempty"`
	Help  string    `json:"help,omitempty"`
	Kinds []string  `json:"kinds,omitempty"` // of an event: the kinds that it says something of; none: every kind
}

// FieldKind tells what a field is set on: a combatant when it is empty.
type FieldKind string

// The kinds of things that a ruling is about besides combatants.
const (
	OfEvent  FieldKind = "event"  // EVENT 7 COVER hard
	OfThing  FieldKind = "thing"  // DOOR OPEN yes: a thing of the map
	OfSquare FieldKind = "square" // E4 TERRAIN wall
	OfTurn   FieldKind = "turn"   // TURN crit_rules off: the rules of this turn
	OfGame   FieldKind = "game"   // GAME crit_rules off: the rules from now on
)

// Allowed says what may be written as the value of a field.
func (f Field) Allowed() string {
	var parts []string
	if len(f.Words) > 0 {
		parts = append(parts, strings.Join(f.Words, ", "))
	}
	switch f.Type {
	case "number":
		number := "a whole number"
		if f.Most != 0 {
			number = "a whole number from " + itoa(f.Least) + " to " + itoa(f.Most)
		}
		parts = append(parts, number)
	case "square":
		parts = append(parts, "a square such as E4")
	case "word":
		if len(f.Words) == 0 {
			parts = append(parts, "one word of your own")
		}
	case "text":
		parts = append(parts, "words of your own")
	case "cell":
		parts = append(parts, "a number, a word or a list, as in the game file")
	}
	return strings.Join(parts, ", or ")
}

// Forecast is what a plan would look like if all goes as the viewer expects. It
// is made only from what he knows, his own dice and constants.
type Forecast struct {
	Lines []Line `json:"lines"` // initiative, slots, ammunition, odds: in print order
}
