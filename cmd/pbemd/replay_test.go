package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/daemon"
)

// TestShowReplayed: a line each, and below it what differs.
func TestShowReplayed(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, r := range []daemon.Replayed{
		{Turn: 1},
		{Turn: 1, Attempt: 1, Events: 12},
		{Turn: 1, Attempt: 2, Released: true, Events: 12, Difference: &daemon.Difference{Ref: "bobo/r1.2", What: "outcome", Was: `"hit"`, Is: `"miss"`}},
		{Turn: 1, Phase: 1, Faults: []string{"Its lock is 00; the letters that counted give 01."}},
		{Turn: 1, Phase: 1, Attempt: 3, Released: true, Events: 4, Other: "star-frontiers 1 (data 0a1b2c)"},
		{Turn: 2, Attempt: 1, Other: "star-frontiers 1 (data 0a1b2c)", Difference: &daemon.Difference{What: "the outcome, done", Was: "false", Is: "true"}},
		{Turn: 2, Attempt: 2, Stuck: true, Faults: []string{"the rules stopped: a table has no row 7"}},
		{Turn: 2, Attempt: 2, Stuck: true, Events: 9},
	} {
		if err := showReplayed(&got, r); err != nil {
			t.Fatal(err)
		}
	}
	want := `turn 1                             world and lock follow from the turn before
turn 1 attempt 1                   same bytes, 12 events
turn 1 attempt 2 (released)        differs
  first is event bobo/r1.2, outcome
    was "hit"
    is  "miss"
turn 1 part 2                      broken
  Its lock is 00; the letters that counted give 01.
turn 1 part 2 attempt 3 (released) the same 4 events and world, drafted under star-frontiers 1 (data 0a1b2c)
turn 2 attempt 1                   differs, drafted under star-frontiers 1 (data 0a1b2c)
  the events are the same; first is the outcome, done
    was false
    is  true
turn 2 attempt 2                   stuck
  the rules stopped: a table has no row 7
turn 2 attempt 2                   stuck, but now it comes to its end, 9 events: REOPEN by the GM lets it go on
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
