package starfrontiers

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// vectors gives the rows of testdata/vectors.md whose id begins with a prefix.
func vectors(t *testing.T, prefix string) [][]string {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "| "+prefix) {
			continue
		}
		var cells []string
		for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		out = append(out, cells)
	}
	if len(out) == 0 {
		t.Fatalf("no vectors %s", prefix)
	}
	return out
}

func data(t testing.TB) *tables { return ruleset(t).t }

func TestInitiativeModifierIM1(t *testing.T) {
	t.Parallel()
	want := map[int]int{1: 1, 10: 1, 11: 2, 35: 4, 50: 5, 55: 6, 60: 6, 67: 7, 100: 10}
	for rs, im := range want {
		if got := (&Fighter{RS: rs}).initiativeModifier(data(t)); got != im {
			t.Errorf("RS %d: IM %d, want %d", rs, got, im)
		}
	}
}

func TestInitiativeTotals(t *testing.T) {
	t.Parallel()
	pistol := func(state string) []Weapon {
		return []Weapon{{ID: "gun", Kind: "automatic_pistol", State: state}}
	}
	fires := map[game.ID]bool{"gun": true}
	for _, c := range []struct {
		id      string
		rs, die int
		state   string
		uses    map[game.ID]bool
		setting string
		want    int
	}{
		{"IN-1", 50, 8, "in_hand", fires, "always_if_holstered", 13},
		{"IN-2", 50, 8, "holstered", fires, "always_if_holstered", 10},
		{"IN-3", 50, 8, "holstered", nil, "if_drawn_this_turn", 13},
		{"IN-4", 50, 8, "holstered", nil, "always_if_holstered", 10},
		{"IN-5", 10, 1, "holstered", fires, "always_if_holstered", -1},
		{"IN-6 in hand", 100, 10, "in_hand", fires, "always_if_holstered", 20},
		{"IN-6 drawn", 100, 10, "holstered", fires, "if_drawn_this_turn", 17},
	} {
		f := &Fighter{RS: c.rs, Weapons: pistol(c.state)}
		if got := data(t).initiative(f, c.setting, c.uses, game.Die{Value: c.die}); got.total != c.want {
			t.Errorf("%s: %d, want %d", c.id, got.total, c.want)
		}
	}
}

func TestSideInitiative(t *testing.T) {
	t.Parallel()
	tab := data(t)
	for _, c := range []struct {
		id        string
		holstered bool
		want      int
	}{{"IN-7", false, 11}, {"IN-8", true, 8}, {"IN-9 another member's weapon", false, 11}} {
		if got, _ := sideRoll(tab, 4, []int{4, 6, 7}, c.holstered); got != c.want {
			t.Errorf("%s: %d, want %d", c.id, got, c.want)
		}
	}
	if compareSides(side{"x", 9, 4, 0}, side{"y", 9, 6, 0}) < 0 {
		t.Error("IN-10: the higher modifier has initiative")
	}
	if compareSides(side{"x", 9, 7 - 3, 0}, side{"y", 9, 5, 0}) < 0 {
		t.Error("IN-11: the holster counts in ties")
	}
	sides := []side{{"b", 9, 1, 0}, {"c", 5, 1, 0}, {"a", 12, 1, 0}}
	slices.SortFunc(sides, compareSides)
	if sides[0].total != 12 || sides[1].total != 9 || sides[2].total != 5 {
		t.Errorf("IN-12: attacks go %v", sides)
	}
}

func TestSurprisedTotalIN16(t *testing.T) {
	t.Parallel()
	if got := surprisedTotal(15, []int{12, 7}); got != 6 {
		t.Errorf("%d, want 6", got)
	}
	if got := surprisedTotal(15, nil); got != 15 {
		t.Errorf("everybody surprised: %d, want 15", got)
	}
}

func TestRobotInitiative(t *testing.T) {
	t.Parallel()
	tab := data(t)
	if got := tab.initiative(&Fighter{Level: 4}, "", nil, game.Die{Value: 6}).total; got != 13 {
		t.Errorf("IN-13: %d", got)
	}
	if got := tab.initiative(&Fighter{Level: 2}, "", nil, game.Die{Value: 1}).total; got != 6 {
		t.Errorf("IN-14: %d", got)
	}
}

func TestHolsterSweepIN17(t *testing.T) {
	t.Parallel()
	for die := 1; die <= 10; die++ {
		for state, less := range map[string]int{"in_hand": 0, "holstered": 3} {
			f := &Fighter{RS: 50, Weapons: []Weapon{{ID: "gun", State: state}}}
			if got := data(t).initiative(f, "if_drawn_this_turn", map[game.ID]bool{"gun": true}, game.Die{Value: die}).total; got != die+5-less {
				t.Errorf("d10 %d, %s: %d", die, state, got)
			}
		}
	}
}

func TestSlotsSL(t *testing.T) {
	t.Parallel()
	rows := vectors(t, "SL-")
	if len(rows) != 22 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		total, _ := strconv.Atoi(row[1])
		for n := 1; n <= 5; n++ {
			var got []string
			for k := 1; k <= n; k++ {
				got = append(got, strconv.Itoa(slot(total, n, k)))
			}
			if s := strings.Join(got, ", "); s != row[n+1] {
				t.Errorf("%s n=%d: %s, want %s", row[0], n, s, row[n+1])
			}
		}
	}
}

func TestChanceTH(t *testing.T) {
	t.Parallel()
	// A base of 60 with a walking target at point blank, for the single lines.
	sixty := func(change func(*attack)) attack {
		a := attack{base: 60, band: "point_blank", target: "walk", attacker: "walk"}
		change(&a)
		return a
	}
	at := func(kind game.ID, m int) string {
		band, ok := data(t).weapon(kind).band(m)
		if !ok {
			t.Fatalf("%s at %d m", kind, m)
		}
		return band
	}
	scoped, _ := closer(at("laser_rifle", 150))
	for _, c := range []struct {
		id   string
		a    attack
		want int
	}{
		{"TH-1", attack{dex: 55, skill: 2, band: at("laser_pistol", 18), target: "stationary", attacker: "stationary"}, 48},
		{"TH-2", attack{dex: 55, skill: 2, band: at("laser_pistol", 18), target: "stationary", attacker: "stationary", aim: true}, 63},
		{"TH-3", attack{dex: 45, skill: 1, band: at("automatic_rifle", 60), target: "run", attacker: "stationary", burst: true, cover: "soft"}, 13},
		{"TH-4", attack{dex: 60, heavy: true, band: at("heavy_laser", 400), size: "giant", targetRides: true, attacker: "stationary"}, 0},
		{"TH-5", attack{dex: 60, skill: 3, heavy: true, band: at("heavy_laser", 400), size: "giant", targetRides: true, attacker: "stationary"}, 30},
		{"TH-6", attack{dex: 50, band: "point_blank", target: "dodge", attacker: "run"}, -5},
		{"TH-7", attack{dex: 70, skill: 3, band: "point_blank", target: "stationary", attacker: "walk", wounded: true, wrongHand: true, twoWeapons: true}, 45},
		{"TH-8", attack{dex: 50, skill: 1, band: scoped, target: "stationary", attacker: "stationary"}, 25},
		{"TH-9 heavy gyrojet", sixty(func(a *attack) { a.heavy, a.skill = true, 3 }), 80},
		{"TH-9 other heavy groups", sixty(func(a *attack) { a.heavy = true }), 50},
		{"TH-9 level 1", sixty(func(a *attack) { a.heavy, a.skill = true, 1 }), 60},
		{"TH-10", attack{robot: 4, band: "short", target: "stationary", attacker: "stationary"}, 70},
		{"TH-12", attack{robot: 3, band: "medium", target: "walk", attacker: "stationary"}, 40},
		{"TH-18 prone", sixty(func(a *attack) { a.prone = true }), 55},
		{"TH-18 tiny", sixty(func(a *attack) { a.size = "tiny" }), 50},
		{"TH-18 small", sixty(func(a *attack) { a.size = "small" }), 55},
		{"TH-18 large", sixty(func(a *attack) { a.size = "large" }), 65},
		{"TH-18 giant", sixty(func(a *attack) { a.size = "giant" }), 70},
		{"TH-19 soft", sixty(func(a *attack) { a.cover = "soft" }), 50},
		{"TH-19 hard", sixty(func(a *attack) { a.cover = "hard" }), 40},
		{"TH-20 stationary", sixty(func(a *attack) { a.target = "stationary" }), 70},
		{"TH-20 running", sixty(func(a *attack) { a.target = "run" }), 50},
		{"TH-20 dodging", sixty(func(a *attack) { a.target = "dodge" }), 40},
		{"TH-23 DEX 1", attack{dex: 1, band: "point_blank", target: "walk", attacker: "walk"}, 1},
		{"TH-23 DEX 2", attack{dex: 2, band: "point_blank", target: "walk", attacker: "walk"}, 1},
		{"TH-23 DEX 45", attack{dex: 45, band: "point_blank", target: "walk", attacker: "walk"}, 23},
		{"TH-23 DEX 99", attack{dex: 99, band: "point_blank", target: "walk", attacker: "walk"}, 50},
		{"TH-23 DEX 100", attack{dex: 100, band: "point_blank", target: "walk", attacker: "walk"}, 50},
	} {
		lines, got := data(t).sum(c.a)
		if got != c.want {
			t.Errorf("%s: %d, want %d: %v", c.id, got, c.want, lines)
		}
	}
	// TH-11 and TH-13 to TH-17 are blows: TestToHitInMeleeTH.
	for _, c := range []struct {
		id           string
		chance, roll int
		want         string
	}{
		{"TH-21", 0, 5, "hit"}, {"TH-21", 0, 6, "miss"}, {"TH-22", 130, 95, "hit"}, {"TH-22", 130, 96, "miss"},
		{"TH-4 hits", 0, 5, "hit"}, {"TH-6 hits", -5, 5, "hit"}, {"TH-6 misses", -5, 6, "miss"},
	} {
		if got := data(t).result(c.chance, c.roll, true, true); got != c.want {
			t.Errorf("%s: %d on %d is %s, want %s", c.id, c.roll, c.chance, got, c.want)
		}
	}
	if got := data(t).result(97, 96, false, true); got != "hit" {
		t.Errorf("without automatic results 96 on 97 is %s", got)
	}
}

func TestRangeBandsRB(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{
		"RB-1": "electrostunner", "RB-2": "laser_pistol", "RB-3": "laser_rifle", "RB-4": "heavy_laser", "RB-5": "sonic_disruptor",
		"RB-6": "automatic_pistol", "RB-7": "automatic_rifle", "RB-8": "machine_gun", "RB-9": "needler_pistol",
		"RB-10": "gyrojet_pistol", "RB-11": "gyrojet_rifle grenade_rifle", "RB-12": "grenade",
	}
	short := map[string]string{"PB": "point_blank", "S": "short", "M": "medium", "L": "long", "E": "extreme"}
	cell := regexp.MustCompile(`(\d+): (\w+) \(([^)]*)\)`)
	rows := vectors(t, "RB-")
	if len(rows) != len(kinds) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for kind := range strings.FieldsSeq(kinds[row[0]]) {
			w := data(t).weapon(game.ID(kind))
			for _, m := range cell.FindAllStringSubmatch(row[2], -1) {
				distance, _ := strconv.Atoi(m[1])
				band, ok := w.band(distance)
				if m[2] == "none" {
					if ok {
						t.Errorf("%s %s at %d m: %s, want no shot", row[0], kind, distance, band)
					}
					continue
				}
				line, _ := strconv.Atoi(m[3])
				if band != short[m[2]] || data(t).Range[band] != line {
					t.Errorf("%s %s at %d m: %s %d, want %s %d", row[0], kind, distance, band, data(t).Range[band], m[2], line)
				}
			}
		}
	}
}

func TestDistanceDI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ scale, dx, dy, want int }{
		{2, 1, 0, 2}, {2, 1, 1, 3}, {2, 2, 1, 4}, {2, 2, 2, 6}, {2, 3, 1, 6}, // DI-1
		{5, 3, 2, 18}, {5, 4, 3, 25}, // DI-2
		{2, 0, 0, 0}, {25, 40, 0, 1000},
	} {
		if got := metres(c.scale*1000, game.Square{}, game.Square{X: c.dx, Y: c.dy}); got != c.want {
			t.Errorf("%d m grid (%d,%d): %d m, want %d", c.scale, c.dx, c.dy, got, c.want)
		}
	}
}

func TestLineOfSightLO(t *testing.T) {
	t.Parallel()
	sq := func(x, y int) game.Square { return game.Square{X: x, Y: y} }
	for _, c := range []struct {
		id     string
		b      game.Square
		opaque []game.Square
		clear  bool
	}{
		{"LO-1 blocked", sq(4, 0), []game.Square{sq(2, 0)}, false},
		{"LO-1 clear", sq(4, 0), []game.Square{sq(2, 1)}, true},
		{"LO-2 clear", sq(2, 2), []game.Square{sq(1, 0)}, true},
		{"LO-2 blocked", sq(2, 2), []game.Square{sq(1, 0), sq(0, 1)}, false},
		{"LO-3", sq(2, 2), []game.Square{sq(1, 1)}, false},
		{"LO-4", sq(3, 1), []game.Square{sq(1, 0)}, false},
		{"LO-5 (2,1)", sq(5, 2), []game.Square{sq(2, 1)}, false},
		{"LO-5 (3,1)", sq(5, 2), []game.Square{sq(3, 1)}, false},
		{"LO-5 (1,1)", sq(5, 2), []game.Square{sq(1, 1)}, false},
		{"LO-6 (3,1)", sq(6, 3), []game.Square{sq(3, 1)}, false},
		{"LO-6 (3,2)", sq(6, 3), []game.Square{sq(3, 2)}, false},
		{"LO-6 (2,1)", sq(6, 3), []game.Square{sq(2, 1)}, false},
		{"LO-7", sq(1, 0), []game.Square{sq(1, 0)}, true},
	} {
		g := newGrid([]game.Feature{{Kind: "wall", Opaque: true, Squares: c.opaque}}, 10, 10, 2000)
		if got := g.clear(sq(0, 0), c.b); got != c.clear {
			t.Errorf("%s: clear is %v", c.id, got)
		}
		if got := g.clear(c.b, sq(0, 0)); got != c.clear {
			t.Errorf("%s the other way: clear is %v", c.id, got)
		}
	}
	g := newGrid([]game.Feature{{Kind: "wall", Opaque: true, Squares: []game.Square{sq(1, 0)}}}, 10, 10, 2000)
	if at, ok := g.lean(sq(0, 0), sq(3, 1), false); !ok || at != sq(0, 1) {
		t.Errorf("LO-4: leaning to %v %v, want (0,1)", at, ok)
	}
}

func TestArcsFA(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id     string
		facing resolve.Dir
		dx, dy int
		want   string
	}{
		{"FA-1 N", resolve.North, 0, -3, "front"}, {"FA-1 NE", resolve.North, 3, -3, "front"}, {"FA-1 E", resolve.North, 3, 0, "front"},
		{"FA-1 SE", resolve.North, 3, 3, "side"}, {"FA-1 S", resolve.North, 0, 3, "rear"},
		{"FA-2 E", resolve.NorthEast, 3, 0, "front"}, {"FA-2 SE", resolve.NorthEast, 3, 3, "front"},
		{"FA-2 S", resolve.NorthEast, 0, 3, "side"}, {"FA-2 W", resolve.NorthEast, -3, 0, "side"},
		{"FA-3", resolve.North, 1, 2, "rear"}, {"same square", resolve.North, 0, 0, "front"},
	} {
		if got := arc(c.facing, game.Square{X: 5, Y: 5}, game.Square{X: 5 + c.dx, Y: 5 + c.dy}); got != c.want {
			t.Errorf("%s: %s, want %s", c.id, got, c.want)
		}
	}
}

func TestCriticalTableCG(t *testing.T) {
	t.Parallel()
	tab := data(t)
	rows := vectors(t, "CG-")
	if len(rows) != 43 {
		t.Fatalf("%d rows", len(rows))
	}
	result := func(id string, chance, roll int, want string) {
		if got := tab.result(chance, roll, true, true); got != want {
			t.Errorf("%s: %d on %d is %s, want %s", id, roll, chance, got, want)
		}
	}
	for i, roll := range []int{4, 5, 11, 12, 75, 76, 95, 96} {
		want, _, _ := strings.Cut(rows[0][2+i], " ")
		result("CG-1", 75, roll, want)
	}
	said := regexp.MustCompile(`^(\d+) (hit|critical|grievous|miss)`)
	for _, row := range rows[1:] {
		chance, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range append(row[4:8:8], row[9]) {
			if cell == "-" {
				continue
			}
			m := said.FindStringSubmatch(cell)
			if m == nil {
				t.Fatalf("%s: %q", row[0], cell)
			}
			roll, _ := strconv.Atoi(m[1])
			result(row[0], chance, roll, m[2])
		}
		last, _ := strconv.Atoi(row[8])
		if got := tab.result(chance, last, true, true); got == "miss" {
			t.Errorf("%s: the last hitting roll %d misses", row[0], last)
		}
		for col, list := range map[int][]string{2: {"grievous"}, 3: {"grievous", "critical"}} {
			_, to, ok := strings.Cut(row[col], "-")
			end, _ := strconv.Atoi(to)
			if !ok {
				end = 0
			}
			for roll := 1; roll <= 100; roll++ {
				if slices.Contains(list, tab.result(chance, roll, true, true)) != (roll <= end) {
					t.Errorf("%s: %d on %d is %s, the range is %s", row[0], roll, chance, tab.result(chance, roll, true, true), row[col])
				}
			}
		}
	}
}

func TestPowerPW(t *testing.T) {
	t.Parallel()
	laser, heavy := data(t).weapon("laser_pistol"), data(t).weapon("heavy_laser")
	if laser.cost(3) != 3 || laser.damageAt("short", 3).String() != "3d10" {
		t.Errorf("PW-1: %d SEU, %s", laser.cost(3), laser.damageAt("short", 3))
	}
	shots := func(left, dial int) (n, rest int) {
		for laser.take(left, dial, false) > 0 {
			left -= laser.take(left, dial, false)
			n++
		}
		return n, left
	}
	if n, _ := shots(20, 10); n != 2 {
		t.Errorf("PW-2: %d shots", n)
	}
	if n, rest := shots(20, 3); n != 6 || rest != 2 {
		t.Errorf("PW-3: %d shots, %d left", n, rest)
	}
	if laser.take(2, 3, false) != 0 || laser.take(2, 3, true) != 2 {
		t.Error("PW-3: the seventh shot")
	}
	if heavy.take(4, 10, true) != 0 {
		t.Error("PW-4: below the least setting")
	}
	for _, c := range []struct {
		skill, changed, cost int
	}{{0, 0, 1}, {2, 0, 1}, {3, 0, 0}, {4, 1, 1}, {5, 0, 0}, {6, 1, 0}} {
		if got, ok := dialCost("coe", c.skill, c.changed, c.changed > 0); got != c.cost || !ok {
			t.Errorf("PW-5: skill %d, change %d costs %d", c.skill, c.changed+1, got)
		}
	}
	if _, ok := dialCost("book", 6, 0, true); ok {
		t.Error("book: not during the turn")
	}
}

func TestStaminaDM(t *testing.T) {
	t.Parallel()
	f := &Fighter{STA: 45, Now: 23}
	if f.wounded() {
		t.Error("DM-1: 23 of 45 is not wounded")
	}
	if f.Now = 22; !f.wounded() {
		t.Error("DM-1: 22 of 45 is wounded")
	}
	e := &engine{tables: data(t), w: &World{}, rules: resolve.NewRulings(nil, nil)}
	for _, c := range []struct {
		now          int
		able, beyond bool
	}{{1, true, false}, {0, false, false}, {-30, false, false}, {-31, false, true}} { // DM-2
		f := &Fighter{STA: 45, Now: 45}
		ev := e.event("x", f, "fire", "hit")
		e.lose(ev, f, 45-c.now, "ballistic")
		if f.able() != c.able || has(f.Status, "dead") != c.beyond || !c.able && !has(f.Status, "dying") {
			t.Errorf("DM-2: STA %d: able %v, %v", c.now, f.able(), f.Status)
		}
	}
	if got := data(t).result(75, 2, true, true); got != "grievous" { // DM-9, with the critical rules on
		t.Errorf("DM-9: 02 on 75 is %s", got)
	}
	for str, want := range map[int]int{20: 1, 21: 2, 40: 2, 41: 3, 60: 3, 61: 4, 80: 4, 81: 5, 100: 5} { // DM-10
		if got := data(t).punch(str); got != want {
			t.Errorf("DM-10: STR %d punches %d, want %d", str, got, want)
		}
	}
}

func TestZeroStaminaSettings(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"dying": "dying", "dead": "dead", "unconscious_basic": "unconscious"} {
		if got := zeroStatus(setting); got != want {
			t.Errorf("%s: %s", setting, got)
		}
	}
}
