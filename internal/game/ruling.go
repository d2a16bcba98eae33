package game

// Ruling is one decision of the GM. All rulings of a turn apply in every
// attempt; the number is that of the turn and phase, from 1.
type Ruling struct {
	N      int        `json:"n"`
	Kind   RulingKind `json:"kind"`
	Ref    string     `json:"ref,omitempty"`   // event ruled on: who/when, or a Moment; empty for the others
	Who    ID         `json:"who,omitempty"`   // combatant, for set and mod; the thing or square that On tells of
	On     FieldKind  `json:"on,omitempty"`    // set: what it is set on; empty: a combatant
	Field  string     `json:"field,omitempty"` // set: a Vocabulary field; event: outcome or a number's name
	Value  string     `json:"value,omitempty"`
	Die    string     `json:"die,omitempty"`    // name of the die, for die
	Reason string     `json:"reason,omitempty"` // "because …"
	Secret bool       `json:"secret,omitempty"` // players are not told of it
	Text   string     `json:"text"`             // the line as written
	Letter int64      `json:"letter"`           // the letter that holds it
}

// Moment is the Ref of a ruling that holds from a moment on, such as a segment,
// and not before an event.
func Moment(n int) string { return "@" + itoa(n) }

// RulingKind tells rulings apart.
type RulingKind string

const (
	RuleSet    RulingKind = "set"    // BOBO STA 12, DOOR OPEN yes: applies at the end of the turn, or at Ref; TURN sequence side: to the whole turn
	RuleEvent  RulingKind = "event"  // EVENT 7 HIT, EVENT 7 COVER hard
	RuleDie    RulingKind = "die"    // DIE hit/bobo/r1.1 = 42; Value "reroll" takes the next re-roll
	RuleMod    RulingKind = "mod"    // MOD bobo +10 because high ground: attack rolls of this turn
	RuleNote   RulingKind = "note"   // NOTE …: narrative for the report, changes no event
	RuleAccept RulingKind = "accept" // ACCEPT n: late letter n counts
	RuleOrders RulingKind = "orders" // AS zog: … after the first close: Value is the plan as JSON
)
