package eternalsoldier

import (
	"testing"

	"github.com/pbemd/pbemd/internal/resolve"
)

// book are the tables with the settings named, key and value by turns.
func book(t testing.TB, settings ...string) rules {
	t.Helper()
	tables, err := embeddedTables()
	if err != nil {
		t.Fatal(err)
	}
	r := rules{tables: tables, set: map[string]string{}}
	for i := 0; i+1 < len(settings); i += 2 {
		row := tables.settings.Find(settings[i])
		if row == nil {
			t.Fatalf("there is no setting %q", settings[i])
		}
		r.set[settings[i]] = settings[i+1]
	}
	return r
}

// vector is one row of section 14: figures, in the order in which the row names them.
type vector struct {
	id   string
	got  []any
	want []any
}

func check(t *testing.T, list []vector) {
	t.Helper()
	for _, v := range list {
		t.Run(v.id, func(t *testing.T) {
			t.Parallel()
			if len(v.got) != len(v.want) {
				t.Fatalf("%d figures, want %d", len(v.got), len(v.want))
			}
			for i := range v.got {
				if v.got[i] != v.want[i] {
					t.Errorf("figure %d is %v, want %v", i+1, v.got[i], v.want[i])
				}
			}
		})
	}
}

// chanceOf is a chance of skill and weapon, n segments early (negative) or set.
func chanceOf(r rules, skill, bonus, n int) int {
	var s sum
	s.start("skill", skill)
	s.bonus("weapon", bonus, "")
	r.timing(&s, n, false)
	return s.total
}

func (t *tables) tenths(skill string, points, str, agi, dex int) int {
	return t.skill(skill).skillTenths(points, attributes{str, agi, dex})
}

// TestVectorsBasics are the vectors of 14.2.
func TestVectorsBasics(t *testing.T) {
	t.Parallel()
	r := book(t)
	broken, passes := breaks(11, notation(t, r.weapon("foil").Damage).Max())
	var set, burst []any
	for _, n := range []int{5, 6, 9} {
		set = append(set, r.setBonus(n, false))
	}
	for k := 1; k <= 7; k++ {
		burst = append(burst, r.burstPenalty(k))
	}
	two, mount := chanceOf(r, 60, 0, 0), chanceOf(r, 30, 0, 0)
	// B9: the dodge of somebody whose last act was in 13 and who is attacked in 15.
	dodgeReady := 13 + r.segments(13, r.action("dodge").Class)
	check(t, []vector{
		{"B1", []any{chanceOf(r, 72, r.weapon("two_handed_sword").Bonus, 0)}, []any{92}},
		{"B2", []any{two, mount}, []any{60, 30}},
		{"B3", []any{chanceOf(r, 40, 0, 0)}, []any{40}},
		{"B4", []any{chanceOf(r, 72, 20, 24-27)}, []any{32}},
		{"B5", []any{chanceOf(r, 72, 20, 19-17)}, []any{112}},
		{"B6", []any{r.early(17 - 15)}, []any{-30}},
		{"B7", []any{r.early(0)}, []any{0}},
		{"B8", []any{r.early(17 - 18)}, []any{0}},
		{"B9", []any{r.early(18 - 15), dodgeReady, r.early(dodgeReady - 15), 325/10 + r.early(dodgeReady-15)}, []any{-60, 16, -10, 22}},
		{"B10", []any{broken, passes}, []any{true, 3}},
		{"B11", []any{r.missileDodge(82, 0, "thrown"), r.missileDodge(82, 0, "bow"), r.missileDodge(82, 0, "gun"), r.missileDodge(82, 0, "beam")}, []any{41, 20, 8, 8}},
		{"B12", set, []any{50, 50, 50}},
		{"B13", burst, []any{0, -10, -20, -30, -40, -40, -40}},
		{"B14", []any{r.tenths("one_handed", 11, 15, 15, 13), r.tenths("hand_to_hand", 9, 15, 15, 13), r.tenths("defense", 10, 15, 15, 13)}, []any{781, 639, 750}},
		{"B15", []any{r.tenths("two_handed", 14, 17, 8, 12), r.tenths("one_handed", 10, 17, 8, 12)}, []any{798, 570}},
		{"B16", []any{r.tenths("one_handed_missile", 8, 10, 13, 12), r.tenths("archery", 8, 10, 10, 15), r.tenths("one_handed_missile", 6, 10, 10, 15)}, []any{480, 600, 450}},
	})
}

func notation(t testing.TB, text string) resolve.Notation {
	t.Helper()
	n, err := resolve.ParseNotation(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestVectorsHitPoints are the vectors of 14.6 that need no clock.
func TestVectorsHitPoints(t *testing.T) {
	t.Parallel()
	r := book(t)
	will := func(hp, drug int) []any {
		m, needed := r.willRoll(hp, drug)
		return []any{m, needed}
	}
	rest := func(days int) int {
		points, tenths := 0, 0
		for range days {
			var p int
			p, tenths = r.healed(14, tenths)
			points += p
		}
		return points
	}
	check(t, []vector{
		{"HP1", []any{r.condition(-9, 18), r.condition(-10, 18)}, []any{low, slain}},
		{"HP2", []any{r.condition(-5, 10), r.condition(-6, 10)}, []any{low, slain}},
		{"HP3", []any{hitPoints(14, 10)}, []any{14}},
		{"HP4", append(will(0, 0), r.condition(0, 14)), []any{0, true, low}},
		{"HP5", will(14-17, 0), []any{-3, true}},
		{"HP6", []any{r.condition(14-21, 14)}, []any{low}},
		{"HP7", []any{r.condition(14-22, 14)}, []any{slain}},
		{"HP8", will(14-17-2, 0), []any{-5, true}},
		{"HP9", will(-2, 2)[1:], []any{false}},
		{"HP10", will(-3, 2), []any{-1, true}},
		{"HP11", []any{rest(1), rest(5), rest(10)}, []any{1, 7, 14}},
	})
}

// TestVectorsArmor are the vectors of 14.7.
func TestVectorsArmor(t *testing.T) {
	t.Parallel()
	r := book(t)
	// penalty of somebody whose agility is high enough to show all of it.
	penalty := func(strength, minus int) int { return 25 - r.agility(strength, 25, wear{minus: minus}, 0, 0) }
	powered, plate := r.armor("powered"), r.armor("full_plate")
	check(t, []vector{
		{"AR1", []any{penalty(18, 4)}, []any{0}},
		{"AR2", []any{penalty(3, 4)}, []any{8}},
		{"AR3", []any{penalty(3, 2)}, []any{4}},
		{"AR4", []any{penalty(14, 3)}, []any{1}},
		{"AR5", []any{penalty(16, 3), penalty(18, 3)}, []any{0, 0}},
		{"AR6", []any{penalty(6, 3)}, []any{5}},
		{"AR7", []any{r.agility(10, 8, wear{minus: powered.Minus, powered: powered.Powered}, 0, 0)}, []any{3}},
		{"AR8", []any{r.agility(10, 3, wear{minus: plate.Minus}, 0, 0)}, []any{1}},
	})
}

// TestVectorsThings are the vectors of 14.8 that need no clock.
func TestVectorsThings(t *testing.T) {
	t.Parallel()
	r := book(t)
	medium := r.shield("medium_shield")
	whole, none := breaks(20, medium.Most)
	broken, six := breaks(26, medium.Most)
	steel := barrier{r.structure("steel_plate"), 40}
	concrete := barrier{r.structure("concrete"), 30}
	through := func(damage int, piercing bool) []any {
		n, pierced := steel.passes(damage, "bullet", piercing)
		return []any{steel.stop("bullet", piercing), n, pierced}
	}
	inKill, inCasualty := concrete.blasted(40, 10)
	c, f, h := r.poison("C"), r.poison("F"), r.poison("H")
	poisoned := func(p *poisonRow, con int, rolls ...int) (total, used int, cured bool) {
		streak, loss := 0, 0
		for _, roll := range rolls {
			used++
			streak, loss, cured = book(t).resists(p, con, roll, streak)
			if total += loss; cured {
				return total, used, cured
			}
		}
		return total, used, cured
	}
	total, used, cured := poisoned(c, 12, 15, 7, 12, 13, 5, 6, 11)
	choked, _, _ := poisoned(f, 10, 11)
	lame, _, _ := poisoned(h, 10, 11, 12, 13, 14)
	shot, carries := r.rangeModifier(35*yard, r.weapon("shotgun").Range, true)
	check(t, []vector{
		{"SH1", []any{whole, none}, []any{false, 0}},
		{"SH2", []any{broken, six}, []any{true, 6}},
		{"ST1", through(27, false), []any{12, 15, true}},
		{"ST2", through(27, true), []any{6, 21, true}},
		{"ST3", through(12, false), []any{12, 0, false}},
		{"ST4", []any{concrete.stop("explosion", false), inKill, inCasualty}, []any{18, true, false}},
		{"PO1", []any{c.Every, total, used, cured}, []any{120, 2, 7, true}},
		{"PO2", []any{choked}, []any{10}},
		{"PO3", []any{lame, r.agility(10, 4, wear{}, 0, lame)}, []any{4, 0}},
		{"FA1", []any{r.fallDice(45, false), r.collisionDice(30)}, []any{3, 3}},
		{"FA2", []any{r.fallDice(45, true)}, []any{2}},
		{"EX1", []any{r.attribute(12, r.Explosion.Footing, 7), r.attribute(12, r.Explosion.Footing, 8)}, []any{true, false}},
		{"EX2", []any{r.attribute(12, 0, 12)}, []any{true}},
		{"SG1", []any{r.shotgunDice(4, 35*yard, 30), shot, carries}, []any{2, 0, true}},
	})
}

// TestVectorsContradictions are those of 14.10 that need no clock.
func TestVectorsContradictions(t *testing.T) {
	t.Parallel()
	r := book(t)
	var s sum
	s.start("One-Handed Weapon", 781/10)
	s.bonus("long sword", r.weapon("long_sword").Bonus, "")
	r.timing(&s, 2, false)
	s.add("GM: weapon bonus omitted", -15, "")
	dodgeReady := 13 + r.segments(14, r.action("dodge").Class)
	zero, zeroNeeded := r.willRoll(0, 0)
	_, two := r.willRoll(-2, 2)
	three, threeNeeded := r.willRoll(-3, 2)
	check(t, []vector{
		{"CX1", []any{s.total, r.critMost(s), r.judge(s, 3)}, []any{98, 9, critical}},
		{"CX4", []any{dodgeReady, r.early(dodgeReady - 15), 325/10 + r.early(dodgeReady-15)}, []any{16, -10, 22}},
		{"CX6", []any{zero, zeroNeeded, two, three, threeNeeded}, []any{0, true, false, -1, true}},
	})
}
