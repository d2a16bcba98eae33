package eternalsoldier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// ruled resolves one segment with what a GM sets at its end, and gives the patient.
func ruled(t testing.TB, w *World, script map[string][]int, sets ...string) (*bout, *Fighter) {
	t.Helper()
	var rulings []game.Ruling
	for i, s := range sets {
		field, value, _ := strings.Cut(s, " ")
		rulings = append(rulings, game.Ruling{N: i + 1, Kind: game.RuleSet, Who: "zog", Field: field, Value: value})
	}
	source := dice.NewScripted(script, dice.Constant(20))
	b := fought(t, w, 1, 1, nil, source, rulings...)
	if faults := source.Faults(); len(faults) > 0 {
		t.Error(faults)
	}
	if len(b.out.Unused) > 0 {
		t.Errorf("not used: %v", b.out.Unused)
	}
	return b, b.out.World.(*World).fighter("zog")
}

// TestDaysHeal: a tenth of constitution a day, the fractions carried on, up to the
// most (HP11, A50).
func TestDaysHeal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		sets     []string
		want     string
	}{
		{"one day", nil, []string{"DAYS 1"}, "1 hp, 4 tenths"},
		{"five days", nil, []string{"DAYS 5"}, "7 hp, 0 tenths"},
		{"five times a day", nil, []string{"DAYS 1", "DAYS 1", "DAYS 1", "DAYS 1", "DAYS 1"}, "7 hp, 0 tenths"},
		{"twice twelve hours are a day", nil, []string{"HOURS 12", "HOURS 12"}, "1 hp, 4 tenths"},
		{"less is none", nil, []string{"HOURS 23", "MINUTES 59"}, "0 hp, 0 tenths"},
		{"up to the most", nil, []string{"DAYS 10"}, "14 hp, 0 tenths"},
		{"under care", nil, []string{"CARE 40", "DAYS 2"}, "8 hp, 0 tenths"},
		{"without the tenths", []string{"healing_tenths=false"}, []string{"DAYS 5"}, "5 hp, 0 tenths"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := patient(t, 1, c.settings...)
			w.fighter("zog").HPMax = 15
			_, z := ruled(t, w, nil, c.sets...)
			if got := fmt.Sprintf("%d hp, %d tenths", z.HP-1, z.Tenths); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestPoisonsOverDays: the rolls of the slow types are made as they fall due, and
// what was lost comes back (7.7).
func TestPoisonsOverDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		settings []string
		poison   string
		sets     []string
		rolls    []int
		want     string
	}{
		{"A: a roll a day, two in a row end it", nil, "A", []string{"DAYS 3"}, []int{15, 14, 3}, "hp 10-1+3, agility 10, []"},
		{"B: a roll an hour", nil, "B", []string{"HOURS 4"}, []int{15, 3, 15, 15}, "hp 7, agility 10, [{B 7200 0 0}]"},
		{"and it kills", nil, "B", []string{"HOURS 60"}, make20(18), "dead"},
		{"E: air, by tens", nil, "E", []string{"HOURS 1"}, []int{15}, "hp 10, agility 10, [{E 7200 0 0}], suffocation 130"},
		{"G: agility, not over yet", nil, "G", []string{"MINUTES 3"}, []int{15, 15, 1}, "hp 10, agility 8, [{G 120 1 2}]"},
		{"G: it comes back, a point a minute", nil, "G", []string{"MINUTES 6"}, []int{15, 15, 1, 1, 1}, "hp 10, agility 9, []"},
		{"G: all of it", nil, "G", []string{"MINUTES 7"}, []int{15, 15, 1, 1, 1}, "hp 10, agility 10, []"},
		{"a modifier of the GM's own", []string{"tables.tables.poison.B.modifier=-4"}, "B", []string{"HOURS 2"}, []int{10, 11}, "hp 9, agility 10, [{B 7200 0 0}]"},
		{"a type of the GM's own", []string{`tables.tables.poison.X={"every": 240, "effect": "str", "recovery": 1}`}, "X", []string{"MINUTES 4"}, []int{15, 15}, "hp 10, agility 10, [{X 240 0 2}], strength 8"},
		{"of which strength comes back", []string{`tables.tables.poison.X={"every": 240, "effect": "str", "recovery": 1}`}, "X", []string{"MINUTES 8"}, []int{15, 15, 3}, "hp 10, agility 10, [], strength 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := patient(t, 10, c.settings...)
			z := w.fighter("zog")
			z.Poisons = []Poison{{Type: c.poison, Due: book(t).duration(c.poison)}}
			if c.poison == "X" {
				z.Poisons[0].Due = 240
			}
			_, z = ruled(t, w, map[string][]int{"poison/zog": c.rolls}, c.sets...)
			got := fmt.Sprintf("hp %d, agility %d, %v", z.HP, book(t).agile(z), z.Poisons)
			switch {
			case z.Status == dead:
				got = dead
			case strings.Contains(c.want, "suffocation"):
				got += fmt.Sprintf(", suffocation %d", z.Suff)
			case strings.Contains(c.want, "strength"):
				got += fmt.Sprintf(", strength %d", z.STR)
			}
			if want := strings.Replace(c.want, "10-1+3", "13", 1); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func make20(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 20
	}
	return out
}

// duration is the save rate of a poison; 0 for one that the book does not have.
func (r rules) duration(id string) int {
	if row := r.poison(id); row != nil {
		return row.Every
	}
	return 0
}

// TestBonesKnit: older wounds heal first, the limb is of no use until then, and one
// that was not set is slower for good (7.5).
func TestBonesKnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		bone   Bone
		sets   []string
		script map[string][]int
		want   string
	}{
		{"not healed yet", Bone{Limb: "leg", Points: 4, Older: 3}, []string{"CARE 10", "DAYS 6"}, nil, "[{leg 1 0 false}] 0 0 0"},
		{"set, it heals cleanly", Bone{Limb: "leg", Points: 4, Older: 3}, []string{"BONES_SET yes", "CARE 10", "DAYS 7"}, nil, "[] 0 0 0"},
		{"a leg that was not set", Bone{Limb: "leg", Points: 4, Older: 3}, []string{"CARE 10", "DAYS 7"}, map[string][]int{"bone/zog": {4}}, "[] 4 0 0"},
		{"the main arm", Bone{Limb: "main_arm", Points: 1}, []string{"CARE 10", "DAYS 1"}, map[string][]int{"bone/zog": {2}}, "[] 0 2 0"},
		{"the off arm", Bone{Limb: "off_arm", Points: 1}, []string{"CARE 10", "DAYS 1"}, map[string][]int{"bone/zog": {6}}, "[] 0 0 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := patient(t, 4)
			w.fighter("zog").Broken = []Bone{c.bone}
			_, z := ruled(t, w, c.script, c.sets...)
			if got := fmt.Sprint(z.Broken, " ", z.Injured, " ", z.InjuredM, " ", z.InjuredO); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestABoneIsOlderByItsWounds: a break remembers what he had lost before.
func TestABoneIsOlderByItsWounds(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "hp=50", "weapon=long_sword")
	w.fighter("zog").HP = 44
	b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"hit/ann": {2}, "crit/ann": {64}, "dmg/ann": {4, 3}}, dice.Constant(1)))
	if z := b.after[0].fighter("zog"); fmt.Sprint(z.Broken) != "[{leg 7 6 false}]" {
		t.Errorf("%v", z.Broken)
	}
}

// TestDrugsRunOn: segments, agility and what comes behind are the drug's own.
func TestDrugsRunOn(t *testing.T) {
	t.Parallel()
	s := field(nil, who("ann", "a", "C3", "agi=10", "item=drug,effect:3,segments:5,agility:-2,then:H,count:1"), who("zog", "b", "Z9"))
	w := world(t, s)
	b := fought(t, w, 1, 12, map[game.ID]string{"ann": `{"steps": [{"verb": "use", "item": "ann-drug"}]}`}, dice.Constant(1))
	var got []string
	for _, i := range []int{2, 3, 7, 8, 9} {
		a := b.after[i].fighter("ann")
		got = append(got, fmt.Sprint(a.Drug, "/", b.agile(a), "/", len(a.Poisons)))
	}
	if fmt.Sprint(got) != "[0/10/0 3/8/0 3/8/0 0/10/1 0/10/1]" {
		t.Errorf("rating, agility and poisons: %v", got)
	}
	_, faults := ruleset(t).setup(field(nil, who("ann", "a", "C3", "item=rope,agility:1"), who("zog", "b", "Z9")))
	if len(faults) != 1 || !strings.Contains(faults[0].Text, "is a key of a drug alone") {
		t.Errorf("%v", faults)
	}
}

// TestDrowning: no points in the first segments, as many as his constitution; then
// ten in each, and with air ten come back (7.6).
func TestDrowning(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("zog", "b", "D3"), who("ned", "b", "E9"), who("ann", "a", "Z9")))
	z := w.fighter("zog")
	z.CON, z.HPMax, z.Suff, z.SuffMax = 4, 2, 20, 20
	b, _ := ruled(t, w, nil, "AIR no")
	w = b.out.World.(*World)
	b = fought(t, w, 1, 9, nil, dice.Constant(1))
	var got []int
	for i := 1; i < 8; i++ {
		got = append(got, b.after[i].fighter("zog").Suff)
	}
	if fmt.Sprint(got) != "[20 20 20 20 10 0 -10]" {
		t.Errorf("suffocation points: %v", got)
	}
	same(t, "he passes out, and dies", b.outcomes("status"), "6 unconscious", "7 dead")
	again, _ := ruled(t, b.after[5], nil, "AIR yes")
	b = fought(t, again.out.World.(*World), 1, 1, nil, dice.Constant(1))
	if z = b.out.World.(*World).fighter("zog"); z.Suff != 10 || z.Status != active {
		t.Errorf("with air again: %d, %s", z.Suff, z.Status)
	}
	if _, z := ruled(t, patient(t, 14), nil, "AIR no", "MINUTES 1"); z.Suff != 140-10*(120-14) {
		t.Errorf("a minute under water: %d", z.Suff)
	}
}

// TestTimeWakes: who is at 0 or below after some time makes one will roll; who has
// healed is well (7.3).
func TestTimeWakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		hp   int
		sets []string
		roll []int
		want string
	}{
		{"healed", 0, []string{"DAYS 1"}, nil, "able 1"},
		{"awake", -3, []string{"HOURS 1"}, []int{9}, "faltering -3"},
		{"not awake", -3, []string{"HOURS 1"}, []int{10}, "unconscious -3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := patient(t, c.hp)
			w.fighter("zog").Status = unconscious
			_, z := ruled(t, w, map[string][]int{"will/zog": c.roll}, c.sets...)
			if got := fmt.Sprint(z.Status, " ", z.HP); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestMedics set bones by their skill; what else they do for the wounded is the GM's.
func TestMedics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ann   []string
		order string
		zog   string
		bone  bool
		roll  int
		want  string
		asked bool
	}{
		{"a bone is set", []string{"skills.medic=60"}, `{"verb": "treat", "target": "zog"}`, "D3", true, 60, "Ann has set the bone in Zog's leg.", false},
		{"with a kit", []string{"skills.medic=60", "item=kit"}, `{"verb": "use", "item": "ann-kit", "on": "zog"}`, "D3", true, 60, "Ann has set the bone in Zog's leg.", false},
		{"it does not work", []string{"skills.medic=60"}, `{"verb": "treat", "target": "zog"}`, "D3", true, 61, "Ann cannot help Zog.", false},
		{"no bone is broken", []string{"skills.medic=60"}, `{"verb": "treat", "target": "zog"}`, "D3", false, 5, "Ann has seen to Zog.", true},
		{"not learnt", nil, `{"verb": "treat", "target": "zog"}`, "D3", true, 0, "Ann has not learnt Medic.", false},
		{"too far", []string{"skills.medic=60"}, `{"verb": "treat", "target": "zog"}`, "G3", true, 0, "Ann is too far from Zog to help.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3", append([]string{"agi=10"}, c.ann...)...), who("zog", "a", c.zog), who("eve", "b", "Z9")))
			if c.bone {
				w.fighter("zog").Broken = []Bone{{Limb: "leg", Points: 3}}
			}
			b := fought(t, w, 1, 11, map[game.ID]string{"ann": `{"steps": [` + c.order + `]}`}, dice.NewScripted(map[string][]int{"medic/ann": {c.roll}}, dice.Constant(1)))
			said := false
			for _, ev := range b.events {
				said = said || ev.Text[game.All] == c.want
			}
			if !said {
				t.Errorf("nobody says %q", c.want)
			}
			if set := c.bone && b.out.World.(*World).fighter("zog").Broken[0].Set; set != strings.Contains(c.want, "set the bone") {
				t.Errorf("set: %v", set)
			}
			if asked := strings.Contains(fmt.Sprint(b.out.Inquiries), "What does it do for him?"); asked != c.asked {
				t.Errorf("asked: %v", b.out.Inquiries)
			}
		})
	}
}
