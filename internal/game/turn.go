package game

// State is where a turn stands (design section 3).
type State string

const (
	Open     State = "open"
	Closed   State = "closed"
	Review   State = "review"
	Approved State = "approved"
	Released State = "released"
	Stuck    State = "stuck"
)

// moves lists every lawful change of state. The store repeats it as a
// compare-and-set; this table is what the tests of both are checked against.
var moves = map[State][]State{
	Open:     {Closed},
	Closed:   {Review, Stuck, Open},
	Review:   {Closed, Approved, Open},
	Approved: {Released, Stuck},
	Stuck:    {Open, Closed},
}

// CanMove reports whether a turn may go from one state to another.
func CanMove(from, to State) bool {
	for _, s := range moves[from] {
		if s == to {
			return true
		}
	}
	return false
}

// Orders is one combatant's plan as it entered a Resolve.
type Orders struct {
	Combatant ID     `json:"combatant"`
	Plan      Plan   `json:"plan"`
	Source    string `json:"source"` // player, standing, default, policy, gm
	Late      bool   `json:"late,omitempty"`
}
