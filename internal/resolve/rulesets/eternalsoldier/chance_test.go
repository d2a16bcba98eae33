package eternalsoldier

import "testing"

// chance is a sum of one line.
func chance(n int) sum {
	var s sum
	s.start("skill", n)
	return s
}

// TestResultsOfARoll are the bounds of 3.1, 3.3 and 3.4, with the rolls of the
// long fight as evidence.
func TestResultsOfARoll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		settings     []string
		chance, roll int
		want         string
	}{
		{"a tenth is critical", nil, 82, 8, critical},
		{"one more is not", nil, 82, 9, hit},
		{"the chance itself succeeds", nil, 82, 82, hit},
		{"one more fails", nil, 82, 83, miss},
		{"no critical below a chance of ten", nil, 9, 1, hit},
		{"01 hits however low the chance", nil, -60, 1, hit},
		{"unless it does not", []string{"hit_always_01", "false"}, -60, 1, miss},
		{"97 fumbles at 62", nil, 62, 97, fumble},
		{"96 does not", nil, 62, 96, miss},
		{"91 does not fumble at 69", nil, 69, 91, miss},
		{"100 fumbles at 113", nil, 113, 100, fumble},
		{"99 hits at 113", nil, 113, 99, hit},
		{"a negative chance fumbles from 91", nil, -20, 91, fumble},
		{"but not at 90", nil, -20, 90, miss},
		{"flat: 96 fumbles", []string{"fumble_rule", "flat96"}, 62, 96, fumble},
		{"flat: 96 that hits does not", []string{"fumble_rule", "flat96"}, 97, 96, hit},
		{"100 may hit", []string{"fumble_always_100", "false"}, 113, 100, hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := book(t, c.settings...).judge(chance(c.chance), c.roll); got != c.want {
				t.Errorf("%d at %d is a %s, want a %s", c.roll, c.chance, got, c.want)
			}
		})
	}
}

// TestCriticalsMayGoByTheBareChance is ambiguity A8.
func TestCriticalsMayGoByTheBareChance(t *testing.T) {
	t.Parallel()
	s := chance(80)
	s.bonus("sword", 10, "")
	s.add("set", 50, "")
	if got := book(t).critMost(s); got != 14 {
		t.Errorf("adjusted: %d, want 14", got)
	}
	if got := book(t, "crit_base", "unadjusted").critMost(s); got != 9 {
		t.Errorf("unadjusted: %d, want 9", got)
	}
}

// TestShotsHaveNoCriticals is 5.1.
func TestShotsHaveNoCriticals(t *testing.T) {
	t.Parallel()
	r := book(t)
	for roll, want := range map[int]string{1: hit, 5: hit, 58: hit, 59: miss, 96: miss, 100: miss} {
		if got := r.judgeShot(chance(58), roll); got != want {
			t.Errorf("%d at 58 is a %s, want a %s", roll, got, want)
		}
	}
}

// TestAnsweredBlows are the tables of 4.5, with the ambiguities A11, A61 and A67.
func TestAnsweredBlows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings              []string
		blow, reaction, after string
		test                  bool
	}{
		{nil, hit, hit, miss, true},
		{nil, hit, critical, miss, true},
		{nil, hit, miss, hit, false},
		{nil, hit, fumble, hit, false},
		{nil, critical, hit, hit, false},
		{nil, critical, critical, miss, false},
		{nil, critical, miss, critical, false},
		{nil, critical, fumble, critical, false},
		{[]string{"crit_reduced_still_lands", "false"}, critical, hit, miss, true},
		{[]string{"reduced_critical_breakage", "true"}, critical, hit, hit, true},
		{[]string{"critical_parry_breakage", "never"}, hit, critical, miss, false},
		{[]string{"critical_parry_breakage", "always"}, critical, critical, miss, true},
	} {
		after, test := book(t, c.settings...).answered(c.blow, c.reaction)
		if after != c.after || test != c.test {
			t.Errorf("%v: %s answered by %s: %s, test %v; want %s, %v", c.settings, c.blow, c.reaction, after, test, c.after, c.test)
		}
	}
}

// TestRangeBands is the chart of 5.3, by exact feet.
func TestRangeBands(t *testing.T) {
	t.Parallel()
	r := book(t)
	for _, c := range []struct {
		feet, yards, want int
		carries           bool
	}{
		{30, 40, 20, true}, {31, 40, 10, true}, {60, 40, 10, true}, {61, 40, 0, true}, {120, 40, 0, true}, {121, 40, -10, true},
		{180, 30, -20, true}, // the Colt at 60 yards
		{180, 120, 10, true}, // the Uzi
		{180, 40, -10, true}, // the Luger
		{159, 40, -10, true}, // the Luger at 53
		{180, 20, -40, true}, // the bow
		{181, 20, -50, true}, // each further half
		{300, 20, -80, true}, // the end of its way
		{301, 20, 0, false},  // and no further
	} {
		got, carries := r.rangeModifier(c.feet*foot, c.yards, false)
		if got != c.want || carries != c.carries {
			t.Errorf("%d ft at %d yd: %d, %v; want %d, %v", c.feet, c.yards, got, carries, c.want, c.carries)
		}
	}
}

// TestShotgunDice is A43 at each half of the range.
func TestShotgunDice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ feet, completed, begun int }{{0, 4, 4}, {44, 4, 3}, {45, 3, 3}, {89, 3, 2}, {90, 2, 2}, {180, 0, 0}, {400, 0, 0}} {
		if got := book(t).shotgunDice(4, c.feet*foot, 30); got != c.completed {
			t.Errorf("%d ft: %d dice, want %d", c.feet, got, c.completed)
		}
		if got := book(t, "shotgun_die", "begun").shotgunDice(4, c.feet*foot, 30); got != c.begun {
			t.Errorf("%d ft, begun: %d dice, want %d", c.feet, got, c.begun)
		}
	}
}

// TestHasteAgainstMissiles is A16 and A15.
func TestHasteAgainstMissiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		want     int
	}{
		{nil, 36}, // floor((82 - 10) / 2)
		{[]string{"missile_dodge_divide_after_penalty", "false"}, 31},
		{[]string{"missile_dodge_equal", "false"}, 35},
	} {
		if got := book(t, c.settings...).missileDodge(82, -10, "thrown"); got != c.want {
			t.Errorf("%v: %d, want %d", c.settings, got, c.want)
		}
	}
}

// TestSetBonusOfShotsAlone is A5.
func TestSetBonusOfShotsAlone(t *testing.T) {
	t.Parallel()
	r := book(t, "set_cap_for", "missile")
	if got := r.setBonus(7, false); got != 70 {
		t.Errorf("a blow: %d, want 70", got)
	}
	if got := r.setBonus(7, true); got != 50 {
		t.Errorf("a shot: %d, want 50", got)
	}
}
