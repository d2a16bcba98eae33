package report

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// ReceiptIn is what the answer to a letter with orders says.
type ReceiptIn struct {
	Head       Head
	Deadline   When
	Received   When // when the letter counts as received
	Characters []ReceiptCharacter
	Problems   []game.Problem // of the letter, not of one character
	LeftOut    LeftOut
	Ready      []string // who is ready, in sentences
	Owed       []string // characters that still owe orders
	Dice       string   // the block with the leaf as it stands
	Notes      []string // commands carried out, fresh tokens …, a sentence each
	Check      bool     // nothing was stored
	Gathered   int      // how many letters this receipt stands for; 0 and 1 are the same
	Earlier    []EarlierLetter
}

// EarlierLetter is what was wrong in a letter whose receipt was never sent,
// because this one took its place.
type EarlierLetter struct {
	Received When
	Problems []game.Problem
	Notes    []string
}

// ReceiptCharacter is what was read for one character.
type ReceiptCharacter struct {
	Name       string
	Understood []string // in order, each a valid order
	Problems   []game.Problem
	Changes    []string // against the orders before: "+ …", "- …"
	Newer      When     // when the orders were received that stand instead; zero: these stand
	Stands     []string // those, each a valid order; none: they were taken back
	Forecast   []game.Line
}

// LeftOut counts what of a letter was not read as orders, in lines.
type LeftOut struct {
	Quoted     int
	Tail       int      // below a signature, or our own text come back
	TailOrders []string // lines of the tail that would have been orders
}

// Any reports whether anything was left out.
func (l LeftOut) Any() bool { return l.Quoted+l.Tail > 0 }

// Receipt writes the answer to a letter with orders.
func Receipt(in ReceiptIn) (Mail, error) { return compose("receipt.txt", in.Head, in, nil) }

// Names lists the characters that the letter ordered.
func (in ReceiptIn) Names() []string {
	names := make([]string, len(in.Characters))
	for i, c := range in.Characters {
		names[i] = c.Name
	}
	return names
}

// Overtaken lists those of them for whom newer orders stand.
func (in ReceiptIn) Overtaken() []string {
	var names []string
	for _, c := range in.Characters {
		if !c.Newer.IsZero() {
			names = append(names, c.Name)
		}
	}
	return names
}

// Errors counts what needs the player's eye: everything but notes.
func (in ReceiptIn) Errors() int {
	n := errors(in.Problems)
	for _, c := range in.Characters {
		n += errors(c.Problems)
	}
	for _, e := range in.Earlier {
		n += errors(e.Problems)
	}
	return n
}

// Faulty lists what Errors counts, of this letter alone.
func (in ReceiptIn) Faulty() []game.Problem {
	all := slices.Clone(in.Problems)
	for _, c := range in.Characters {
		all = append(all, c.Problems...)
	}
	return slices.DeleteFunc(all, func(p game.Problem) bool { return p.Severity == game.Noted })
}

func errors(ps []game.Problem) int {
	n := 0
	for _, p := range ps {
		if p.Severity != game.Noted {
			n++
		}
	}
	return n
}

// Subject is the Subject without its tag.
func (in ReceiptIn) Subject() string {
	who := join(in.Names())
	var s string
	switch {
	case in.Check && who == "":
		s = "NOT SUBMITTED"
	case in.Check:
		s = "NOT SUBMITTED: " + who
	case who == "":
		s = "Your letter: no orders in it"
	default:
		s = "Orders for " + who + " received"
		if len(in.Overtaken()) > 0 {
			s += ", but newer ones stand"
		}
	}
	if n := in.Errors(); n > 0 {
		s += fmt.Sprintf(" (%s)", plural(n, "problem"))
	}
	return s
}
