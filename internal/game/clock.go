package game

import "fmt"

// Clock is how a game system keeps time, and of it the turn that is open or over.
type Clock struct {
	// Unit is what Event.At and Mark.At count: slot, segment or second.
	Unit string
	// RunsOn: time goes on from turn to turn and never begins anew, so that a turn
	// is a window of it, and whoever perceives a deed knows when it was. Without it
	// At begins anew with each round, and may tell of others what is theirs to know.
	RunsOn bool
	// First and Last are that window, both in it. An open turn may end before Last.
	First, Last int
}

// Says names a point of time: "segment 14".
func (c Clock) Says(at int) string { return fmt.Sprintf("%s %d", c.Unit, at) }

// Window names the time that the turn takes: "segments 11 to 20". It is empty
// where time begins anew with each round.
func (c Clock) Window() string {
	switch {
	case !c.RunsOn || c.Last < c.First:
		return ""
	case c.First == c.Last:
		return c.Says(c.First)
	}
	return fmt.Sprintf("%ss %d to %d", c.Unit, c.First, c.Last)
}

// Reached is the clock of a turn that is over: at is the first point of time
// behind it, as World.At gives it.
func (c Clock) Reached(at int64) Clock {
	c.Last = int(at) - 1
	return c
}
