package game

// Grade is how well a viewer perceived an event.
type Grade string

const (
	Own    Grade = "own"    // it is his own act, or done to him: numbers included
	Seen   Grade = "seen"   // he saw actor and target
	Actor  Grade = "actor"  // he saw who acted, not on whom
	Target Grade = "target" // he saw to whom it happened, not by whom
	Heard  Grade = "heard"  // he only heard it
	All    Grade = "gm"     // the GM's view: everything
)

// Grades lists them best first; a player with several characters is shown the
// best of theirs.
var Grades = []Grade{All, Own, Seen, Actor, Target, Heard}

// Better reports whether a is a better grade than b; any grade is better than none.
func Better(a, b Grade) bool {
	for _, g := range Grades {
		if g == b {
			return false
		}
		if g == a {
			return true
		}
	}
	return false
}

// Event is one sub-action with all its dice and effects. Ref names it
// independently of its position: who/when (design section 5).
type Event struct {
	Ref        string           `json:"ref"`
	Round      int              `json:"round"`
	At         int              `json:"at"` // slot, segment or second
	Actor      ID               `json:"actor"`
	Kind       string           `json:"kind"` // a verb, or initiative, lost, status, speech, round …
	Target     ID               `json:"target,omitempty"`
	Outcome    string           `json:"outcome"`          // hit, miss, critical, done, lost, impossible …
	Reason     string           `json:"reason,omitempty"` // why not, typed: no_line_of_sight, out_of_ammunition …
	Rule       string           `json:"rule,omitempty"`   // section of the rules
	Dice       []Die            `json:"dice"`
	Numbers    map[string]int   `json:"numbers"`
	Lines      []Line           `json:"lines"` // the sum, line by line
	Changes    []Change         `json:"changes,omitempty"`
	Seen       map[ID]Grade     `json:"seen"` // by combatant; set at that instant
	Text       map[Grade]string `json:"text"` // one sentence a grade
	Attack     bool             `json:"attack,omitempty"`
	Unverified []string         `json:"unverified,omitempty"` // values that no source prints and that decided here
	Ruled      []int            `json:"ruled,omitempty"`      // numbers of the rulings that touched it
	Masked     bool             `json:"masked,omitempty"`     // At tells something of others: only the GM is shown it

	// More holds further wordings of Text. They say the same, and a report that
	// tells of several such events takes them in turn.
	More map[Grade][]string `json:"more,omitempty"`
}

// Die is one die that was rolled. Source is sealed, scripted, constant or gm.
type Die struct {
	Name   string `json:"name"`
	Sides  int    `json:"sides"`
	Value  int    `json:"value"`
	Source string `json:"source"`
}

// Change is one figure of a combatant that an event altered.
type Change struct {
	Who   ID     `json:"who"`
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// EventNumber stands in the answer of an inquiry for the number that its event gets.
const EventNumber = "#"

// Inquiry is something that only the GM can decide: it stands on top of the
// packet with its default and the line that answers it.
type Inquiry struct {
	Ref     string `json:"ref,omitempty"`
	Kind    string `json:"kind"` // free_text, unverified, grievous_wound …
	Text    string `json:"text"`
	Default string `json:"default"`          // what was done in this attempt
	Answer  string `json:"answer,omitempty"` // an example line that would rule it; EventNumber in it is that of its event
	Of      string `json:"of,omitempty"`     // of unverified: the value that no source prints
}

// Mark is one entry of the timeline, neutral to the game system so that report
// can draw it.
type Mark struct {
	Round int    `json:"round"`
	At    int    `json:"at"`
	Who   ID     `json:"who"`
	Kind  string `json:"kind"`         // act, hold, react, lost, or one of those below
	On    ID     `json:"on,omitempty"` // of a reaction: whose deed set it off; of a cut: whose deed did it
	// Ref is that of the event that tells of it. Without one only the GM and those
	// who order Who are shown it.
	Ref  string `json:"ref,omitempty"`
	Text string `json:"text,omitempty"` // of what takes time: its name, "move" for a movement
	// Deed is the ref of the deed of On.
	Deed string `json:"deed,omitempty"`
	// Until is when what begins or is under way will be done, 0 when that is open; of
	// ready, when Who may act next.
	Until int `json:"until,omitempty"`
	// Masked is as in Event.
	Masked bool `json:"masked,omitempty"`
}

// The kinds of marks of a system whose time runs on: deeds that take time, and when
// one may act next.
const (
	MarkBegin = "begin" // something that takes time is begun
	MarkEnd   = "end"   // and done
	MarkCut   = "cut"   // and cut short
	MarkGoing = "going" // it is under way: at both ends of a turn, and when Until has changed
	MarkDown  = "down"  // Who can do nothing more
	MarkReady = "ready" // when Who may act next, as of At: when that has changed, and at the end of a turn
)

// Pause ends a Resolve before the turn is over: the briefs go out after the
// GM's OK, and the next phase opens on the stored world.
type Pause struct {
	Reason string        `json:"reason"`         // surprise, two_phase …
	Asks   []ID          `json:"asks"`           // combatants who may order in the next phase, sorted
	Briefs map[ID]string `json:"briefs"`         // what each of them is told
	Free   bool          `json:"free,omitempty"` // may be released without the GM, if the game allows
}
