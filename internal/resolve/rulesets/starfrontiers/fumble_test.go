package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func TestFumblesFU(t *testing.T) {
	t.Parallel()
	tab := data(t)
	for _, c := range []struct {
		id               string
		dex, skill, roll int
		fumble           bool
	}{
		{"FU-2", 45, 2, 43, false}, {"FU-2", 45, 2, 44, true},
		{"FU-3", 50, 0, 25, false}, {"FU-3", 50, 0, 26, true},
		{"FU-4", 51, 0, 26, false}, {"FU-4", 51, 0, 27, true},
		{"FU-5", 90, 6, 95, false}, {"FU-5", 90, 6, 96, true},
		{"FU-6", 100, 4, 90, false}, {"FU-6", 100, 4, 91, true},
		{"FU-7", 100, 5, 95, false}, {"FU-7", 100, 5, 96, true}, {"FU-7", 100, 5, 100, true},
		{"FU-8", 1, 0, 1, false}, {"FU-8", 1, 0, 2, true},
	} {
		if got := tab.fumbles(c.dex, c.skill, c.roll); got != c.fumble {
			t.Errorf("%s: DEX %d skill %d roll %d: %v", c.id, c.dex, c.skill, c.roll, got)
		}
	}
	for _, c := range []struct {
		id                      string
		facing                  resolve.Dir
		feet, die, metres, want int
		dir                     resolve.Dir
	}{
		{"FU-10", resolve.North, 7, 3, 2, 1, resolve.North},
		{"FU-11", resolve.North, 3, 9, 2, 0, resolve.South},
		{"FU-12", resolve.North, 10, 7, 2, 2, resolve.East},
		{"FU-13", resolve.East, 8, 1, 2, 1, resolve.NorthEast},
		{"FU-14 orthogonal", resolve.North, 10, 3, 5, 1, resolve.North},
		{"FU-14 diagonal", resolve.North, 10, 1, 5, 0, resolve.NorthWest},
	} {
		d := tab.fumbleDir(c.facing, c.die)
		if n := tab.fumbleSquares(c.feet, c.metres*1000, d); d != c.dir || n != c.want {
			t.Errorf("%s: %d squares %s, want %d %s", c.id, n, d, c.want, c.dir)
		}
	}
	for feet := 1; feet <= 10; feet++ { // FU-15
		for _, c := range []struct {
			metres, want int
			d            resolve.Dir
		}{
			{2, map[bool]int{true: 0, false: 1}[feet <= 3] + feet/10, resolve.North},
			{2, map[bool]int{true: 0, false: 1}[feet <= 4], resolve.NorthEast},
			{5, map[bool]int{true: 0, false: 1}[feet <= 8], resolve.North},
			{5, 0, resolve.NorthEast},
		} {
			if got := tab.fumbleSquares(feet, c.metres*1000, c.d); got != c.want {
				t.Errorf("FU-15: %d ft %s on %d m: %d, want %d", feet, c.d, c.metres, got, c.want)
			}
		}
	}
}

// FU-1 and FU-9: from 96 on a roll is checked for a fumble, 00 with it.
func TestRollsThatAreCheckedForAFumble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id      string
		roll    int
		checked bool
	}{{"FU-1", 95, false}, {"FU-2", 96, true}, {"FU-9", 100, true}} {
		out := run(t, brawl(t, nil, nil), map[game.ID]string{"bobo": punches}, map[string][]int{"hit/bobo": {c.roll, 90}, "fumble/bobo": {1}})
		ev := event(t, out, "bobo/r1.1")
		checked := slices.ContainsFunc(ev.Dice, func(d game.Die) bool { return strings.HasPrefix(d.Name, "fumble/") })
		if checked != c.checked || ev.Outcome != "miss" {
			t.Errorf("%s: checked %v, %s", c.id, checked, ev.Outcome)
		}
	}
}

func TestFumbleDirectionsFD(t *testing.T) {
	t.Parallel()
	rows := vectors(t, "FD-")
	if len(rows) != 8 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		facing, _ := resolve.ParseDir(row[1])
		var got []string
		for die := 1; die <= 10; die++ {
			got = append(got, data(t).fumbleDir(facing, die).String())
		}
		if diff := cmp.Diff(row[2:], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row[0], diff)
		}
	}
}
