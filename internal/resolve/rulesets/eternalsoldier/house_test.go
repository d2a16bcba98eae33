package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestAGameMayHaveItsOwnTables: cells, lists, rows of charts and new rows, which
// count in the resolution, in the view and in the forecast.
func TestAGameMayHaveItsOwnTables(t *testing.T) {
	t.Parallel()
	s := field([]string{
		`tables.arms.weapon.long_sword.damage=3d4`, `tables.arms.weapon.long_sword.bonus=5`, `tables.tables.early.penalty=[7, 9]`,
		`tables.charts.critical.78={"n": 3}`, `tables.adjustments.melee.target_prone.attack=33`,
		`tables.arms.weapon.scythe={"name": "scythe", "skill": "two_handed", "hands": 2, "speed": 8, "draw": 8, "type": "edged", "damage": "2d6", "reach": "pole"}`,
	}, who("ann", "a", "C3", "agi=10", "hp=50", "skills.one_handed=60", "skills.two_handed=40", "weapon=long_sword", "weapon=scythe:slung"), who("zog", "b", "D3", "hp=50", "posture=prone"))
	w := world(t, s)
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"hit/ann": {3}, "crit/ann": {75}, "dmg/ann": {4, 4, 4}}, dice.Constant(1)))
	ev := b.event(t, "ann/s0")
	if ev.Numbers["chance"] != 60+5+33 || ev.Numbers["damage"] != 12 || b.after[0].fighter("ann").Shift != -3 {
		t.Errorf("chance %d, damage %d, shift %d", ev.Numbers["chance"], ev.Numbers["damage"], b.after[0].fighter("ann").Shift)
	}
	for _, u := range ev.Unverified {
		if strings.HasPrefix(u, "long sword") {
			t.Errorf("the GM is asked about his own value: %s", u)
		}
	}
	r := ruleset(t)
	f := r.Forecast(r.See(w, "ann"), plan(t, strike), nil)
	if last := f.Lines[len(f.Lines)-1]; !strings.Contains(last.Value, "65% when ready; 58, 56, 5 when") {
		t.Errorf("forecast: %s", last.Value)
	}
	if th := r.See(w, "ann").Weapons[1]; !th.Melee || !th.TwoHanded {
		t.Errorf("the scythe: %+v", th)
	}
	loaded, err := r.Load(encode(t, w))
	if err != nil || string(encode(t, loaded)) != string(encode(t, w)) {
		t.Errorf("read back: %v", err)
	}
	// Other games keep ours.
	if book(t).weapon("long_sword").Bonus != 15 || book(t).weapon("scythe") != nil {
		t.Error("the tables of all games are changed")
	}
}

// TestTablesOfAGameAreChecked as ours are, and faults name their line.
func TestTablesOfAGameAreChecked(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		`tables.arms.weapon.long_sword.damage=3x4`: `"3x4" is not dice`,
		`tables.arms.weapon.long_sword.sped=4`:     "unknown key",
		`tables.spells.fire.damage=3`:              "there is no such table",
		`tables.settings.setting.light.values=[]`:  "there is no such table",
		`tables.charts.critical.77={"n": 3}`:       "no row goes up to 77",
		`tables.arms.sword.id=4`:                   `there is no "sword"`,
		`tables.arms.weapon.scythe={"name": "s"}`:  "weapon.scythe",
	} {
		s := field([]string{setting}, who("ann", "a", "C3"), who("zog", "b", "D3"))
		s.Settings[0].Line = 12
		_, faults := ruleset(t).setup(s)
		if len(faults) != 1 || !strings.Contains(faults[0].Error(), want) || faults[0].Line != 12 {
			t.Errorf("%s: %v, want %q", setting, faults, want)
		}
	}
}
