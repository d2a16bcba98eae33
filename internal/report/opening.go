package report

import "github.com/pbemd/pbemd/internal/game"

// OpeningIn is what a mail that opens a turn, or a further part of one, says.
type OpeningIn struct {
	Head       Head
	Deadline   When
	Lines      []string // prose: what the GM or a pause has to say, a paragraph each
	Characters []Character
	FormID     string   // of the order form, such as Dusk-3
	Dice       string   // the block of the dice: seals of the reader's side and the GM
	Owes       []string // the GM's: who has to send orders
	Map        *Picture // nil: none

	// GM makes it the GM's opening: his View is that of the one Character, and
	// Foes says of each combatant he orders what it will do.
	GM   bool
	Foes []game.Line
}

// Character is one of the reader's own: what he knows, and what he may do. One
// without Default and Examples cannot act in this turn, and the mail says so.
type Character struct {
	View     game.View
	Default  []string // what silence does, in words that are valid orders
	Examples []string // orders for his own weapons
	GoesOn   bool     // what he has begun goes on when nothing is ordered
}

// Opening writes the mail that opens a turn.
func Opening(in OpeningIn) (Mail, error) {
	name := "opening.txt"
	if in.GM {
		name = "opening-gm.txt"
	}
	return compose(name, in.Head, in, shown(in.Map))
}

// Able reports whether he may be ordered: there is something that he would do.
func (c Character) Able() bool { return len(c.Default)+len(c.Examples) > 0 }

// Form lists them with what they do without an answer.
func (in OpeningIn) Form() []FormEntry {
	var out []FormEntry
	for _, c := range in.Characters {
		if c.Able() {
			out = append(out, FormEntry{c.View.Self.Name, c.Default})
		}
	}
	return out
}

// Names lists those of the reader's characters who may be ordered.
func (in OpeningIn) Names() []string {
	var names []string
	for _, c := range in.Characters {
		if c.Able() {
			names = append(names, c.View.Self.Name)
		}
	}
	return names
}
