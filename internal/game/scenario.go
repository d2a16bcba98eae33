package game

import "encoding/json"

// Scenario is an encounter as a person describes it: a game file, a scenario
// file or a JSON scene, after reading and before a ruleset has made a World of
// it. Values keep the place they were written at, so that a ruleset can name it.
type Scenario struct {
	File       string
	Title      string
	System     string
	Scale      Distance // length of a square
	Units      string   // m, yd, ft
	Width      int
	Height     int
	Turn       int
	Rounds     int // rounds a turn, default 1
	Settings   []Value
	Combatants []Combatant
	Features   []Feature
	Groups     []Group
	History    []Attack
	Last       map[ID]Plan
}

// Value is one key of a file with its place. Raw is the value as JSON.
type Value struct {
	Key  string
	Raw  json.RawMessage
	Line int
}

// Combatant is one figure of a scenario. Fields that all systems share are
// named; everything else is in Values, for the ruleset to read and to refuse.
type Combatant struct {
	ID          ID
	Name        string
	Side        ID
	Player      ID // who orders it; empty for the GM
	Race        string
	Description string
	Place       Square
	Posture     string
	Facing      string
	Status      []string
	Hidden      []ID // VisibleTo in a scene: nil = all; see VisibleAll
	VisibleAll  bool
	Weapons     []Gear
	Items       []Gear
	Policy      string // foes: what they do without orders
	Standing    []Standing
	Values      []Value // abilities, skills and whatever the system has
	Line        int
}

// Gear is a weapon or an item of a scenario.
type Gear struct {
	ID     ID
	Kind   string
	Name   string
	Values []Value
	Line   int
}

// Group is a set of the GM's combatants that roll initiative together.
type Group struct {
	ID      ID
	Members []ID
}
