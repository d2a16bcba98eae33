package game

import "encoding/json"

// Plan is what one combatant will do, as the parser read it from a letter. Its
// JSON form is the order schema's, field for field (orders/SCHEMA.md).
type Plan struct {
	Steps     []Intent   `json:"steps"`
	Reactions []Reaction `json:"reactions"`
	Standing  []Standing `json:"standing"`
	Say       []Speech   `json:"say"`
	Ask       []Text     `json:"ask"`
	Questions []Question `json:"questions"`
	Unparsed  []string   `json:"unparsed"`
}

// MarshalJSON writes every list, empty ones as [].
func (p Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	q := plain(p)
	if q.Steps == nil {
		q.Steps = []Intent{}
	}
	if q.Reactions == nil {
		q.Reactions = []Reaction{}
	}
	if q.Standing == nil {
		q.Standing = []Standing{}
	}
	if q.Say == nil {
		q.Say = []Speech{}
	}
	if q.Ask == nil {
		q.Ask = []Text{}
	}
	if q.Questions == nil {
		q.Questions = []Question{}
	}
	if q.Unparsed == nil {
		q.Unparsed = []string{}
	}
	return json.Marshal(q)
}

// Empty reports that the plan orders nothing: no step, reaction, standing order
// or speech. Questions alone are no order.
func (p Plan) Empty() bool {
	return len(p.Steps) == 0 && len(p.Reactions) == 0 && len(p.Standing) == 0 && len(p.Say) == 0
}

// Intent is one step. Only the fields of its verb are set.
type Intent struct {
	Verb    string `json:"verb"`
	Round   int    `json:"round,omitempty"`
	Pending string `json:"pending,omitempty"` // question kind; not to be carried out before the answer

	Weapon  ID      `json:"weapon,omitempty"`
	Item    ID      `json:"item,omitempty"`
	Target  Ref     `json:"target,omitzero"`
	Targets []Ref   `json:"targets,omitempty"`
	To      Ref     `json:"to,omitzero"`
	On      Ref     `json:"on,omitzero"`
	Area    Ref     `json:"area,omitzero"`
	From    string  `json:"from,omitempty"`
	Shots   int     `json:"shots,omitempty"`
	Blows   int     `json:"blows,omitempty"`
	Setting Setting `json:"setting,omitzero"`
	Aim     bool    `json:"aim,omitempty"`
	Lean    bool    `json:"lean,omitempty"`
	Mode    string  `json:"mode,omitempty"`
	State   string  `json:"state,omitempty"`
	Ammo    string  `json:"ammo,omitempty"`
	OnShort string  `json:"on_short,omitempty"`
	Barrels int     `json:"barrels,omitempty"`
	Shell   ID      `json:"shell,omitempty"`
	Fuse    string  `json:"fuse,omitempty"`
	Ability string  `json:"ability,omitempty"`
	Behind  bool    `json:"from_behind,omitempty"`

	AwayFrom   Ref        `json:"away_from,omitzero"`
	Follow     Ref        `json:"follow,omitzero"`
	Direction  string     `json:"direction,omitempty"`
	Distance   *Distance  `json:"distance,omitempty"`
	Relation   string     `json:"relation,omitempty"`
	StopWhen   *Condition `json:"stop_when,omitempty"`
	Weave      bool       `json:"weave,omitempty"`
	EndPosture string     `json:"end_posture,omitempty"`
	Posture    string     `json:"posture,omitempty"`
	Action     string     `json:"action,omitempty"`
	Device     ID         `json:"device,omitempty"`
	Pack       ID         `json:"pack,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Text       string     `json:"text,omitempty"`

	When  *Condition `json:"when,omitempty"`
	Until *Condition `json:"until,omitempty"`
	Then  []Intent   `json:"then,omitempty"`
	Else  []Intent   `json:"else,omitempty"`
	Max   int        `json:"max,omitempty"`
	Order []ID       `json:"order,omitempty"`

	Segment  int `json:"segment,omitempty"`
	Second   int `json:"second,omitempty"`
	Seconds  int `json:"seconds,omitempty"`
	Early    int `json:"early,omitempty"`
	Wait     int `json:"wait,omitempty"`
	Bonus    int `json:"bonus,omitempty"`
	Rounds   int `json:"rounds,omitempty"`
	Segments int `json:"segments,omitempty"`

	Called        string     `json:"called,omitempty"`
	CalledPoints  int        `json:"called_points,omitempty"`
	OnlyIfReached bool       `json:"only_if_reached,omitempty"`
	Quick         int        `json:"quick,omitempty"`        // points
	QuickReload   int        `json:"quick_reload,omitempty"` // points
	Snap          bool       `json:"snap,omitempty"`
	SnapAfter     int        `json:"snap_after,omitempty"`
	SnapWhen      *Condition `json:"snap_when,omitempty"`
	Alt           []Ref      `json:"alt,omitempty"`
	Agi           string     `json:"agi,omitempty"` // both, draw, speed, none
	Per           string     `json:"per,omitempty"` // range, none
	Str           string     `json:"str,omitempty"` // range, damage, none
	Power         int        `json:"power,omitempty"`
	Repeat        int        `json:"repeat,omitempty"`

	Against    Who   `json:"against,omitempty"`
	MaxPenalty int   `json:"max_penalty,omitempty"`
	MaxEarly   int   `json:"max_early,omitempty"`
	MinChance  int   `json:"min_chance,omitempty"`
	Allow      *bool `json:"allow,omitempty"`
	GiveUp     bool  `json:"give_up_attack,omitempty"`
	KeepSet    bool  `json:"keep_set,omitempty"` // of take_blow: only while a set attack waits
	Rank       int   `json:"rank,omitempty"`

	At Span `json:"-"` // where in the letter it was read
}

// Reaction is a held order: when the condition comes true, do the intents.
type Reaction struct {
	When  Condition `json:"when"`
	Do    []Intent  `json:"do"`
	Max   int       `json:"max,omitempty"`
	Until string    `json:"until,omitempty"` // end_of_turn, next_turn, cancelled
	Round int       `json:"round,omitempty"`
	Slot  *int      `json:"slot,omitempty"` // index of the hold step that feeds it

	At Span `json:"-"`
}

// Standing is an order beyond this turn: a reaction, or a bare intent (a policy).
type Standing struct {
	Reaction *Reaction
	Policy   *Intent
}

// MarshalJSON writes the reaction or the intent.
func (s Standing) MarshalJSON() ([]byte, error) {
	if s.Policy != nil {
		return json.Marshal(*s.Policy)
	}
	if s.Reaction != nil {
		return json.Marshal(*s.Reaction)
	}
	return []byte("null"), nil
}

// UnmarshalJSON tells the two forms apart by the key "verb".
func (s *Standing) UnmarshalJSON(b []byte) error {
	var probe struct {
		Verb string `json:"verb"`
	}
	if err := json.Unmarshal(b, &probe); err != nil {
		return err
	}
	*s = Standing{}
	if probe.Verb != "" {
		s.Policy = new(Intent)
		return json.Unmarshal(b, s.Policy)
	}
	s.Reaction = new(Reaction)
	return json.Unmarshal(b, s.Reaction)
}

// Speech is what a character says; To is empty when everybody may hear it.
type Speech struct {
	Text string `json:"text"`
	To   ID     `json:"to,omitempty"`
}

// UnmarshalJSON reads an object or a bare text.
func (s *Speech) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*s = Speech{}
		return json.Unmarshal(b, &s.Text)
	}
	type plain Speech
	return json.Unmarshal(b, (*plain)(s))
}

// Text is a player's question to the GM.
type Text struct {
	Text string `json:"text"`
}

// UnmarshalJSON reads an object or a bare text.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Text)
	}
	type plain Text
	return json.Unmarshal(b, (*plain)(t))
}

// Question is something the engine must put to the player. Default says what is
// carried out when nobody answers before the close; it may only do less than
// was written (star-frontiers.md 20.3).
type Question struct {
	Kind    string   `json:"kind"`
	Text    string   `json:"text,omitempty"`    // the question in plain words
	Choices []string `json:"choices,omitempty"` // answers that would do
	Default string   `json:"default,omitempty"` // what silence does, in plain words

	At Span `json:"-"`
}

// UnmarshalJSON reads an object or a bare kind.
func (q *Question) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*q = Question{}
		return json.Unmarshal(b, &q.Kind)
	}
	type plain Question
	return json.Unmarshal(b, (*plain)(q))
}

// Condition is a bounded test of what the actor perceives at that instant.
type Condition struct {
	Kind     string    `json:"kind"`
	Who      Who       `json:"who,omitempty"`
	Act      string    `json:"act,omitempty"`
	Object   Ref       `json:"object,omitzero"`
	Distance *Distance `json:"distance,omitempty"`
	Of       Ref       `json:"of,omitzero"`
	Area     Ref       `json:"area,omitzero"`
	By       ID        `json:"by,omitempty"`
	Op       string    `json:"op,omitempty"` // <, <=, =, >=, >
	Value    *int      `json:"value,omitempty"`
	Unit     string    `json:"unit,omitempty"`
	Weapon   ID        `json:"weapon,omitempty"`
	Level    string    `json:"level,omitempty"`
	Text     string    `json:"text,omitempty"`

	Not bool        `json:"not,omitempty"`
	And []Condition `json:"and,omitempty"`
	Or  []Condition `json:"or,omitempty"`
}

// MaxNesting is how deep conditionals may be nested (star-frontiers.md 4.5.1).
const MaxNesting = 3

// Span is a place in the text of a letter. Line and Col are counted from 1, Col
// and Len in characters (runes); a zero Span means "nowhere in particular".
type Span struct{ Line, Col, Len int }
