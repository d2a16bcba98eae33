package starfrontiers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The columns of Cr and kg in 9.1, 10.3, 16.2 and 18.1 to 18.3, every row: "n/f"
// is a figure that no source seen gives, "?" one that only memory supports.
// Melee weapons and what is thrown (18.4, 18.5) have no such columns.
func TestCostsAndMasses(t *testing.T) {
	t.Parallel()
	const want = `
electrostunner 500 1
laser_pistol 600 1
laser_rifle 800 3?
heavy_laser 6000 20
sonic_disruptor 700 4
sonic_stunner 500? 1?
sonic_devastator n/f n/f
automatic_pistol 200 2
automatic_rifle 300 3?
machine_gun n/f n/f
needler_pistol 200? n/f
needler_rifle n/f n/f
recoilless_rifle n/f n/f
bow n/f n/f
gyrojet_pistol 200 n/f
gyrojet_rifle 300 n/f
grenade_rifle n/f n/f
grenade_mortar n/f n/f
rocket_launcher n/f n/f
powerclip 100 n/f
bulletclip_pistol n/f n/f
bulletclip_rifle n/f n/f
needleclip_pistol n/f n/f
needleclip_rifle n/f n/f
machine_gun_belt n/f n/f
jetclip n/f n/f
power_beltpack 250 4
power_backpack 500 10
doze 10 n/f
smoke 10 n/f
poison n/f n/f
tangler n/f n/f
fragmentation n/f n/f
incendiary n/f n/f
standard n/f 100
heavy_duty n/f 500
anthropomorphic n/f 100
`
	tab := data(t)
	var b strings.Builder
	b.WriteByte('\n')
	add := func(id any, x trade) {
		cell := func(n int, key string) string {
			switch {
			case n == 0:
				return "n/f"
			case slices.Contains(x.Unverified, key):
				return fmt.Sprint(n, "?")
			}
			return fmt.Sprint(n)
		}
		fmt.Fprintln(&b, id, cell(x.Cost, "cost"), cell(x.KG, "kg"))
	}
	for i := range tab.weapons {
		switch w := &tab.weapons[i]; {
		case !w.Melee && w.ID != "grenade":
			add(w.ID, w.Trade)
		case w.Trade.Cost != 0 || w.Trade.KG != 0:
			t.Errorf("%s: no source has a cost or a mass of it", w.ID)
		}
	}
	for _, c := range tab.clips {
		add(c.ID, c.Trade)
	}
	for _, p := range tab.packs {
		add(p.ID, p.Trade)
	}
	for _, g := range tab.Grenade {
		add(g.ID, g.Trade)
	}
	for _, x := range tab.Body {
		add(x.ID, x.Trade)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(want, "\n") - 1; n != 7+7+5+9+6+3 { // 18.1, 18.2, 18.3, 9.1, 10.3, 16.2
		t.Errorf("%d rows", n)
	}
}

func TestFaultsOfTrade(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]trade{
		"a negative cost":          {Cost: -1},
		"a doubt about nothing":    {Cost: 5, Unverified: []string{"kg"}},
		"a doubt about the colour": {Cost: 5, Unverified: []string{"colour"}},
	} {
		if x.ok() {
			t.Errorf("%s is taken", name)
		}
	}
}
