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
	Pictures   []Picture

	// GM makes it the GM's opening: his View is that of the one Character, and
	// Foes says of each combatant he orders what it will do.
	GM   bool
	Foes []game.Line
}

// Character is one of the reader's own: what he knows, and what he may do.
type Character struct {
	View     game.View
	Default  []string // what silence does, in words that are valid orders
	Examples []string // orders for his own weapons
}

// Opening writes the mail that opens a turn.
func Opening(in OpeningIn) (Mail, error) {
	name := "opening.txt"
	if in.GM {
		name = "opening-gm.txt"
	}
	return compose(name, in.Head, in, in.Pictures)
}

// Names lists the reader's characters by name.
func (in OpeningIn) Names() []string {
	names := make([]string, len(in.Characters))
	for i, c := range in.Characters {
		names[i] = c.View.Self.Name
	}
	return names
}
