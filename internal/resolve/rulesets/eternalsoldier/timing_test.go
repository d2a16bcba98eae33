package eternalsoldier

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// TestSF1to4 are the properties SF1 to SF4 of 14.9.
func TestSF1to4(t *testing.T) {
	t.Parallel()
	r := book(t)
	for agi := 1; agi <= 40; agi++ {
		for class := 1; class <= maxClass; class++ {
			n := r.segments(agi, class)
			if n < 1 {
				t.Errorf("SF1: agility %d, class %s: %d", agi, roman(class), n)
			}
			if agi > 1 && n > r.segments(agi-1, class) {
				t.Errorf("SF2: agility %d, class %s takes longer than agility %d", agi, roman(class), agi-1)
			}
			if class > 1 && n < r.segments(agi, class-1) {
				t.Errorf("SF3: agility %d, class %s takes less than %s", agi, roman(class), roman(class-1))
			}
			if agi == 10 && n != class {
				t.Errorf("SF4: agility 10, class %s: %d", roman(class), n)
			}
		}
	}
}

// TestSF5 is the evidence of 2.2, without the row that contradicts the others.
func TestSF5(t *testing.T) {
	t.Parallel()
	r := book(t)
	for _, c := range []struct{ row, agi, class, want int }{
		{1, 15, 6, 4}, {2, 15, 7, 5}, {3, 15, 8, 5}, {4, 8, 9, 11}, {5, 8, 9, 11}, {6, 8, 3, 4}, {7, 8, 4, 5}, {8, 13, 4, 3},
		{9, 13, 4, 3}, {9, 14, 4, 3}, {10, 13, 3, 2}, {11, 13, 4, 3}, {13, 13, 5, 4}, {14, 13, 2, 2}, {14, 13, 3, 2},
		{15, 10, 7, 7}, {16, 10, 5, 5}, {17, 10, 4, 4}, {18, 10, 3, 3}, {19, 10, 1, 1}, {20, 10, 3, 3},
		{21, 17, 4, 2}, {21, 18, 4, 2}, {21, 19, 4, 2}, {21, 20, 4, 2}, {22, 13, 6, 5}, {22, 13, 7, 5}, {22, 14, 7, 5},
	} {
		if got := r.segments(c.agi, c.class); got != c.want {
			t.Errorf("row %d: agility %d, class %s takes %d segments, want %d", c.row, c.agi, roman(c.class), got, c.want)
		}
	}
}

// TestSF6 is the generated table of 2.2, which the data must hold and the formula give.
func TestSF6(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/segments.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := book(t)
	bare := rules{tables: &tables{settings: r.settings}} // without the table the formula counts
	cells := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []int
		for _, w := range strings.Fields(lines.Text()) {
			n, err := strconv.Atoi(w)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, n)
		}
		for class := 1; class < len(row); class++ {
			cells++
			if got := r.segments(row[0], class); got != row[class] {
				t.Errorf("agility %d, class %s: %d, want %d", row[0], roman(class), got, row[class])
			}
			if got := bare.segments(row[0], class); got != row[class] {
				t.Errorf("agility %d, class %s by the formula: %d, want %d", row[0], roman(class), got, row[class])
			}
		}
	}
	if cells != 300 {
		t.Errorf("%d cells, want 300", cells)
	}
}

// TestHalvesMayGoDown: ambiguity A3 matters in these cells alone.
func TestHalvesMayGoDown(t *testing.T) {
	t.Parallel()
	up, down := book(t), book(t, "segment_rounding", "half_down")
	halves := map[int][]int{4: {1, 3, 5, 7, 9}, 8: {2, 6, 10}, 12: {3, 9}, 16: {4}, 20: {1, 3, 5, 7, 9}, 24: {6}}
	for agi := 1; agi < 26; agi++ {
		for class := 1; class <= maxClass; class++ {
			want := up.segments(agi, class)
			for _, c := range halves[agi] {
				if c == class && want > 1 {
					want--
				}
			}
			if got := down.segments(agi, class); got != want {
				t.Errorf("agility %d, class %s: %d, want %d", agi, roman(class), got, want)
			}
		}
	}
}

// TestLaterPenaltiesAreTriangular beyond what the book prints (A4).
func TestLaterPenaltiesAreTriangular(t *testing.T) {
	t.Parallel()
	r := book(t)
	for n, want := range map[int]int{0: 0, 1: -10, 2: -30, 3: -60, 4: -100, 5: -150, 6: -210, 7: -280, 11: -660} {
		if got := r.early(n); got != want {
			t.Errorf("%d segments early: %d, want %d", n, got, want)
		}
	}
}

func TestClassesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"IV": 4, "ix": 9, "10": 10, " X ": 10, "XI": 0, "0": 0, "": 0, "IIII": 0} {
		if got, ok := parseClass(text); got != want || ok != (want > 0) {
			t.Errorf("class %q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for class := 1; class <= maxClass; class++ {
		if got, _ := parseClass(roman(class)); got != class {
			t.Errorf("class %d is written %s and read as %d", class, roman(class), got)
		}
	}
}

// TestTheClockIsTheWindowOfTheTurn: absolute segments, so many for each round.
func TestTheClockIsTheWindowOfTheTurn(t *testing.T) {
	t.Parallel()
	w := world(t, field([]string{"segments_per_turn=12"}, who("aknar", "a", "C3", "weapon=dagger"), who("guy", "b", "M3")))
	in := resolve.Input{World: w, Turn: 1, Rounds: 2, Dice: dice.Constant(1)}
	for _, want := range []string{"segments 0 to 23", "segments 24 to 47"} {
		clock := ruleset(t).Clock(in.World, in.Rounds)
		out := ruleset(t).Resolve(in)
		if got := clock.Window(); got != want || clock.Reached(out.World.At()) != clock {
			t.Errorf("%s, want %s; the turn reached %d", got, want, out.World.At())
		}
		in.World = out.World
	}
}

// TestWhatIsSaidIsSaidWhenTheWindowBegins, and not in segment 0.
func TestWhatIsSaidIsSaidWhenTheWindowBegins(t *testing.T) {
	t.Parallel()
	w := world(t, field([]string{"segments_per_turn=2"}, who("aknar", "a", "C3", "weapon=long_sword:sheathed"), who("guy", "b", "D3")))
	order := func(w game.World, turn int, text string) resolve.Outcome {
		return ruleset(t).Resolve(resolve.Input{World: w, Turn: turn, Rounds: 1, Dice: dice.Constant(50), Orders: []game.Orders{{Combatant: "aknar", Plan: plan(t, text)}}})
	}
	first := order(w, 1, `{"steps": [{"verb": "ready", "action": "draw", "item": "aknar-long_sword"}]}`)
	second := order(first.World, 2, `{"say": [{"text": "Hands, then!"}], "steps": [{"verb": "wait"}]}`)
	if e := second.Events[0]; e.Kind != "speech" || e.At != 2 || e.Ref != "aknar/s2.s" {
		t.Errorf("%s at %d: %s", e.Kind, e.At, e.Ref)
	}
}
