package eternalsoldier

import "testing"

// TestStrengthBonus is the table of 1.2.
func TestStrengthBonus(t *testing.T) {
	t.Parallel()
	for strength, want := range map[int]int{1: -5, 2: -4, 3: -4, 4: -3, 7: -2, 8: -1, 9: -1, 10: 0, 11: 0, 12: 1, 17: 3, 18: 4, 25: 7, 60: 25} {
		if got := strengthBonus(strength); got != want {
			t.Errorf("strength %d: %d, want %d", strength, got, want)
		}
	}
}

// TestPointsOfDeath are the death points of 7.2.
func TestPointsOfDeath(t *testing.T) {
	t.Parallel()
	for most, dead := range map[int]int{18: -10, 10: -6, 14: -8, 15: -8} {
		if got := book(t).condition(dead, most); got != slain {
			t.Errorf("%d of %d: %s", dead, most, got)
		}
		if got := book(t).condition(dead+1, most); got != low {
			t.Errorf("%d of %d: %s", dead+1, most, got)
		}
	}
	if got := book(t, "death_at", "half").condition(-9, 18); got != slain {
		t.Errorf("exactly half, where that is death: %s", got)
	}
	if got := book(t).condition(1, 18); got != above {
		t.Errorf("1 hit point: %s", got)
	}
}

// TestEffectiveAgility are the parts of 8.2 that no vector shows.
func TestEffectiveAgility(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		settings         []string
		strength, agi    int
		w                wear
		injuries, poison int
		want             int
	}{
		{name: "unarmored", strength: 10, agi: 12, want: 12},
		{name: "improved and trained", strength: 10, agi: 12, w: wear{minus: 6, powered: "improved", trained: true}, want: 12},
		{name: "improved and untrained", strength: 18, agi: 12, w: wear{minus: 6, powered: "improved"}, want: 4},
		{name: "the first kind takes six from the strongest", strength: 18, agi: 12, w: wear{minus: 6, powered: "first"}, want: 6},
		{name: "nobody gains by its floor", strength: 10, agi: 2, w: wear{minus: 6, powered: "first"}, want: 2},
		{name: "injuries stop at one", strength: 10, agi: 5, injuries: 9, want: 1},
		{name: "poison does not", strength: 10, agi: 5, injuries: 9, poison: 1, want: 0},
		{name: "weakness without its cap", settings: []string{"weak_armor_cap", "false"}, strength: 3, agi: 20, w: wear{minus: 2}, want: 14},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := book(t, c.settings...).agility(c.strength, c.agi, c.w, c.injuries, c.poison); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

// TestAttributeRolls are A66 and the extremes of 1.3.
func TestAttributeRolls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings              []string
		value, modifier, roll int
		want                  bool
	}{
		{nil, 12, -3, 9, true}, {nil, 12, -3, 10, false}, {nil, 25, 0, 20, true}, {nil, -3, 0, 1, false},
		{[]string{"attribute_roll", "under"}, 12, -3, 9, false},
		{[]string{"d20_extremes", "true"}, 25, 0, 20, false},
		{[]string{"d20_extremes", "true"}, -3, 0, 1, true},
	} {
		if got := book(t, c.settings...).attribute(c.value, c.modifier, c.roll); got != c.want {
			t.Errorf("%v: %d against %d%+d: %v", c.settings, c.roll, c.value, c.modifier, got)
		}
	}
}

// TestWillBeforeAndBehindTheThreshold is A29.
func TestWillBeforeAndBehindTheThreshold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		hp, drug int
		needed   bool
	}{{nil, 1, 0, false}, {nil, 0, 0, true}, {nil, 0, 1, false}, {nil, -1, 1, false}, {nil, -2, 1, true}, {[]string{"drug_threshold", "at"}, -2, 2, true}} {
		if _, needed := book(t, c.settings...).willRoll(c.hp, c.drug); needed != c.needed {
			t.Errorf("%v: at %d under a drug of %d: %v", c.settings, c.hp, c.drug, needed)
		}
	}
}

// TestArmorBurnsAway is the wear of ablative armor (8.1).
func TestArmorBurnsAway(t *testing.T) {
	t.Parallel()
	r := book(t)
	foam, mail := r.armor("ablative"), r.armor("chain_mail")
	for worn, want := range map[int]string{0: "2d8", 4: "2d8", 5: "1d8", 9: "1d8", 10: "0"} {
		if got := r.stops(foam, "beam", worn).String(); got != want {
			t.Errorf("after %d hits: %s, want %s", worn, got, want)
		}
	}
	if got := r.stops(mail, "edged", 50).String(); got != "2d8" {
		t.Errorf("mail: %s", got)
	}
	if got := r.stops(mail, "beam", 0).String(); got != "0" {
		t.Errorf("mail against a beam: %s", got)
	}
	if got := book(t, "beam_column", "energy").stops(mail, "beam", 0).String(); got != "1d6" {
		t.Errorf("mail against a beam that is energy: %s", got)
	}
}

// TestAHoleInAWall: a section falls by what gets through, never a force screen (8.6).
func TestAHoleInAWall(t *testing.T) {
	t.Parallel()
	r := book(t)
	for _, c := range []struct {
		settings []string
		id       string
		tenths   int
		want     int
	}{{nil, "wood", 20, 100}, {nil, "wood", 5, 25}, {[]string{"structure_hits", "total"}, "wood", 20, 50}} {
		rules := book(t, c.settings...)
		if got := rules.stands(barrier{rules.structure("wood"), c.tenths}); got != c.want {
			t.Errorf("%v %d tenths of an inch: %d, want %d", c.settings, c.tenths, got, c.want)
		}
	}
	if got := r.stands(barrier{r.structure("force_screen"), 30}); got != 0 {
		t.Errorf("a force screen: %d", got)
	}
	// Half the thickness of 5 mm is not rounded, only the product (8.6 step 1).
	if got := (barrier{r.structure("steel_plate"), 50}).stop("bullet", true); got != 7 {
		t.Errorf("2.5 mm of steel stop %d, want 7", got)
	}
}
