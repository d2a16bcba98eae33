package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// sentAt is a letter and how long after noon our server received it.
type sentAt struct {
	who  game.ID
	text string
	at   time.Duration
}

// permutations of 0, 1, 2.
var permutations = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// TestPermutations: whatever order three letters are stored and read in, and
// however often that is tried again, the same orders are in force at the end.
func TestPermutations(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	tests := []struct {
		name    string
		letters [3]sentAt
		want    map[game.ID]string // in the plan in force
	}{
		{"two revisions and CLEAR", [3]sentAt{{"anna", "two shots at Zog", m}, {"anna", "one shot at Zog", 2 * m}, {"anna", "CLEAR", 3 * m}}, nil},
		{"CLEAR between", [3]sentAt{{"anna", "two shots at Zog", m}, {"anna", "CLEAR", 2 * m}, {"anna", "one shot at Zog", 3 * m}}, map[game.ID]string{"bobo": `"shots":1`}},
		{"CLEAR first", [3]sentAt{{"anna", "CLEAR", m}, {"anna", "one shot at Zog", 2 * m}, {"anna", "two shots at Zog", 3 * m}}, map[game.ID]string{"bobo": `"shots":2`}},
		{"received in one instant", [3]sentAt{{"anna", "one shot at Zog", m}, {"anna", "CLEAR", m}, {"anna", "two shots at Zog", m}}, map[game.ID]string{"bobo": `"shots":2`}},
		{"two players", [3]sentAt{{"anna", "two shots at Zog", m}, {"ben", "one shot at Zog", 2 * m}, {"anna", "one shot at Zog", 3 * m}},
			map[game.ID]string{"bobo": `"shots":1`, "chirik": `"shots":1`}},
		{"thanks replaces nothing", [3]sentAt{{"anna", "one shot at Zog", m}, {"anna", "two shots at Zog", 2 * m}, {"anna", "Thanks a lot!", 3 * m}}, map[game.ID]string{"bobo": `"shots":2`}},
	}
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{noGame: true})
		file := dailyGame(t)
		n := 0
		for _, tt := range tests {
			for _, p := range permutations {
				inOrder := [3]int{0, 1, 2}
				back := [3]int{p[2], p[1], p[0]}
				n++
				got := b.readIn(strings.Replace(file, `name = "Dusk"`, fmt.Sprintf(`name = "Dusk%d"`, n), 1), tt.letters, inOrder, p)
				checkForce(t, fmt.Sprintf("%s: read in the order %v", tt.name, p), got, tt.want)
				if tt.letters[0].at == tt.letters[1].at {
					continue // then the order of storing decides, by the letters' ids
				}
				n++
				got = b.readIn(strings.Replace(file, `name = "Dusk"`, fmt.Sprintf(`name = "Dusk%d"`, n), 1), tt.letters, p, back)
				checkForce(t, fmt.Sprintf("%s: stored in the order %v, read in the order %v", tt.name, p, back), got, tt.want)
			}
		}
		if d := b.dispositions(); d[""] != 0 {
			t.Errorf("dispositions %v", d)
		}
	})
}

func checkForce(t *testing.T, what string, got map[game.ID]store.Revision, want map[game.ID]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: in force are the orders of %v", what, slices.Sorted(maps.Keys(got)))
	}
	for who, words := range want {
		if !strings.Contains(string(got[who].Plan), words) {
			t.Errorf("%s: the plan of %s is %s, want %s", what, who, got[who].Plan, words)
		}
	}
}

// readIn makes a game, stores its letters in one order and reads them in
// another, with every step repeated, and gives the orders then in force.
func (b *bench) readIn(file string, letters [3]sentAt, storing, reading [3]int) map[game.ID]store.Revision {
	b.t.Helper()
	ctx := b.t.Context()
	g, faults, err := b.d.CreateGame(ctx, "test.toml", []byte(file))
	if err != nil || len(faults) > 0 {
		b.t.Fatal(faults, err)
	}
	s, err := b.st.Snapshot(ctx, g.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	var ids [3]int64
	keep := func(i int) (fresh bool) {
		role := s.Roles[slices.IndexFunc(s.Roles, func(r store.Role) bool { return r.Key == letters[i].who })]
		raw := fmt.Sprintf("From: %s\r\nTo: %s\r\nMessage-ID: <%d.%s@x.test>\r\nSubject: orders\r\n\r\n%s\r\n",
			role.Address, mail.PlusAddress(b.d.Address, b.d.Keys.Seal(b.d.orderToken(role, s.Turn))), i, g.Name, letters[i].text)
		ids[i], fresh, err = b.st.StoreLetter(ctx, store.NewLetter{
			Account: "main", Raw: []byte(raw), MessageID: fmt.Sprintf("<%d.%s@x.test>", i, g.Name),
			ReceivedAt: s.Turn.OpenedAt.Add(letters[i].at), UID: 1, UIDValidity: 1,
		})
		b.must(err)
		return fresh
	}
	for _, i := range storing {
		if !keep(i) {
			b.t.Fatalf("letter %d was stored before", i)
		}
		if keep(i) {
			b.t.Fatalf("letter %d was stored twice", i)
		}
	}
	for _, i := range reading {
		if _, err := b.st.TakeLetter(ctx, ids[i]); err != nil { // a process that dies of it
			b.t.Fatal(err)
		}
		b.clock.advance(claimTerm)
		for range 2 {
			b.must(b.d.ingest(ctx, store.Work{Kind: workIngest, Row: ids[i]}))
		}
		keep(i)
	}
	for _, i := range storing {
		b.must(b.d.ingest(ctx, store.Work{Kind: workIngest, Row: ids[i]}))
	}
	if s, err = b.st.Snapshot(ctx, g.ID); err != nil {
		b.t.Fatal(err)
	}
	return s.InForce()
}
