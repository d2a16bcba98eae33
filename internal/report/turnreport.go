package report

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
)

// TurnReportIn is what one reader is told of a released turn.
type TurnReportIn struct {
	Head      Head               // of the turn that is over
	Lines     []ReportLine       // as Project makes them
	Names     map[game.ID]string // of all combatants
	Narrative []string           // the GM's NOTEs, a paragraph each
	Rulings   []string           // those that players are told of, in words
	Changes   []SheetChange
	Dice      string   // the block of the dice: leaves, lock, secrets, dice
	Reopened  bool     // orders were reopened after the GM had seen a draft
	Accepted  []string // late letters that the GM let count, such as "late letter 1"
	Done      string   // why the encounter is over; empty: it is not
	Next      *OpeningIn
	Course    *Course  // who acted when; nil: nobody that he noticed
	Map       *Picture // where everybody is, when Next does not say it
}

// SheetChange is one of the reader's characters before and after the turn.
type SheetChange struct {
	Name   string
	Before game.View
	After  game.View
}

// Lines lists what changed on his sheet.
func (c SheetChange) Lines() []game.Line { return SheetDifferences(c.Before, c.After) }

// TurnReport writes what the reader perceived, and opens the next turn in the
// same mail when Next is set: the Subject is then tagged with that turn, since an
// answer belongs to it. A Next of the same turn is its next part, after a pause.
func TurnReport(in TurnReportIn) (Mail, error) {
	tag := in.Head.Tag()
	if in.Next != nil {
		tag = in.Next.Head.Tag()
	}
	return composeTagged(tag, "report.txt", in.Head, in, in.pictures())
}

// pictures lists the pictures of both halves.
func (in TurnReportIn) pictures() []Picture {
	out := append(shown(in.Course.Shown()), shown(in.Map)...)
	if in.Next != nil {
		out = append(out, shown(in.Next.Map)...)
	}
	return out
}

// Subject is the Subject without its tag.
func (in TurnReportIn) Subject() string {
	switch {
	case in.GoesOn():
		return fmt.Sprintf("Turn %d goes on: part %d", in.Head.Turn, in.Next.Head.Phase+1)
	case in.Next != nil:
		return fmt.Sprintf("Turn %d is over, turn %d opens", in.Head.Turn, in.Next.Head.Turn)
	case in.Done != "":
		return fmt.Sprintf("Turn %d: the end", in.Head.Turn)
	}
	return fmt.Sprintf("Turn %d is over", in.Head.Turn)
}

// GoesOn reports that the turn is not over: a pause has opened a further part.
func (in TurnReportIn) GoesOn() bool { return in.Next != nil && in.Next.Head.Turn == in.Head.Turn }

// What is said of the mail in its marker line.
func (in TurnReportIn) What() string {
	switch {
	case in.GoesOn():
		return fmt.Sprintf("what happened so far, and part %d opens", in.Next.Head.Phase+1)
	case in.Next != nil:
		return fmt.Sprintf("report, and turn %d opens", in.Next.Head.Turn)
	}
	return "report"
}

// Rounds divides the story by round, in order.
func (in TurnReportIn) Rounds() []RoundLines {
	var out []RoundLines
	for _, l := range in.Lines {
		if l.Initiative {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Round != l.Round {
			out = append(out, RoundLines{Round: l.Round})
		}
		last := &out[len(out)-1]
		last.add(in.Head.Clock, l)
	}
	return out
}

// RoundLines are the lines of one round.
type RoundLines struct {
	Round int
	Times []TimeLines
}

// TimeLines are those of one point of time, or of a whole round where the reader
// is not told when each deed was.
type TimeLines struct {
	When  string // "segment 14"; empty: it is not told
	Lines []ReportLine
}

func (r *RoundLines) add(c game.Clock, l ReportLine) {
	when := ""
	switch {
	case c.RunsOn && l.Last:
		when = "at some time" // not under the time of the line before
	case c.RunsOn:
		when = c.Says(l.At)
	}
	if n := len(r.Times); n == 0 || r.Times[n-1].When != when {
		r.Times = append(r.Times, TimeLines{When: when})
	}
	last := &r.Times[len(r.Times)-1]
	last.Lines = append(last.Lines, l)
}
