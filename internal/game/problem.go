package game

// Severity says what a problem costs its order.
type Severity string

const (
	// Wrong: the line (or the part named) is not carried out.
	Wrong Severity = "wrong"
	// Asked: a question; its default is carried out when nobody answers.
	Asked Severity = "asked"
	// Noted: a choice made for the player, or something left out; told, not asked.
	Noted Severity = "noted"
)

// Problem is what is wrong with an order, where, what was understood of it, and
// what to do about it. It is written for players: plain words, no internals.
type Problem struct {
	Severity   Severity `json:"severity"`
	Kind       string   `json:"kind"`                 // a question kind (SCHEMA.md 6), or unparsed, unknown_word, late, …
	Text       string   `json:"text"`                 // what is wrong, one sentence
	Understood string   `json:"understood,omitempty"` // what was read of it all the same
	Nearest    []string `json:"nearest,omitempty"`    // nearest known words, best first, at most 3
	Do         string   `json:"do,omitempty"`         // what to write instead, or what happens if nothing is written
	Source     string   `json:"source,omitempty"`     // the line as it was written
	At         Span     `json:"at,omitzero"`
	Step       int      `json:"step,omitempty"` // 1-based step of the plan it concerns; 0 = none
}

// Fault is something wrong in a file that a person wrote.
type Fault struct {
	File string
	Line int    // 1-based; 0 when unknown
	Key  string // dotted path of the key
	Text string // what is wrong and what would be right
}

// Error writes "file:line: key: text", leaving out what is unknown.
func (f Fault) Error() string {
	s := f.File
	if f.Line > 0 {
		s += ":" + itoa(f.Line)
	}
	if f.Key != "" {
		if s != "" {
			s += ": "
		}
		s += f.Key
	}
	if s != "" {
		s += ": "
	}
	return s + f.Text
}
