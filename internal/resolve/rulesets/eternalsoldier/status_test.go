package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// patient is one with constitution 14 and strength 10, who has so many hit points
// left, and somebody who watches.
func patient(t testing.TB, hp int, settings ...string) *World {
	w := world(t, field(settings, who("zog", "b", "D3", "con=14", "str=10", "will=12", "agi=10"), who("ann", "a", "Z9", "skills.one_handed=90", "weapon=dagger")))
	z := w.fighter("zog")
	z.HP = hp
	return w
}

// outcomes lists when and how a kind of event came out.
func (b *bout) outcomes(kind string) []string {
	var out []string
	for _, ev := range b.events {
		if ev.Kind == kind {
			out = append(out, fmt.Sprintf("%d %s", ev.At, ev.Outcome))
		}
	}
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestHP5to8 are the will rolls of 14.6 with their clock: at -3 with a penalty of
// three, again after ten segments, and anew when another hit comes.
func TestHP5to8(t *testing.T) {
	t.Parallel()
	blow := func(hp int, wills []int, dmg ...int) *bout {
		w := world(t, field(nil, who("zog", "b", "D3", "con=14", "str=10", "will=12"), who("ann", "a", "C3", "hp=50", "agi=20", "skills.one_handed=90", "weapon=dagger")))
		w.fighter("zog").HP = hp
		steps := `{"verb": "melee", "target": "zog"}`
		if len(dmg) > 1 {
			steps += `, {"verb": "set_attack", "target": "zog", "segment": 6}`
		}
		return fought(t, w, 1, 25, map[game.ID]string{"ann": `{"steps": [` + steps + `]}`},
			dice.NewScripted(map[string][]int{"hit/ann": {50, 50}, "dmg/ann": dmg, "will/zog": wills}, dice.Constant(1)))
	}
	up := blow(2, []int{9, 9, 10}, 5)
	same(t, "HP5: at -3 a 9 stands, a 10 does not", up.outcomes("status"), "0 faltering", "10 faltering", "20 unconscious")
	if m := up.event(t, "zog/s10.w").Numbers["modifier"]; m != -3 {
		t.Errorf("HP5: the second roll is at %d, want -3", m)
	}
	again := blow(2, []int{9, 7, 8}, 5, 2)
	same(t, "HP8: a hit forces a roll at -5 and restarts the clock", again.outcomes("status"), "0 faltering", "6 faltering", "16 unconscious")
	if m := again.event(t, "zog/s6.w").Numbers["modifier"]; m != -5 {
		t.Errorf("HP8: at %d, want -5", m)
	}
	same(t, "HP4: at 0 the roll is without penalty", blow(5, []int{12}, 5).outcomes("status")[:1], "0 faltering")
	same(t, "HP7: at -8 he is dead", blow(-3, nil, 5).outcomes("status"), "0 dead")
}

// TestCX5: the GM declares death at -7, where the rules leave him alive.
func TestCX5(t *testing.T) {
	t.Parallel()
	hit := func(rulings ...game.Ruling) string {
		w := world(t, field(nil, who("zog", "b", "D3", "con=14", "str=10", "will=20"), who("ann", "a", "C3", "skills.one_handed=90", "weapon=dagger")))
		w.fighter("zog").HP = -2
		w.fighter("zog").Status = faltering
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {5}}, dice.Constant(1)), rulings...)
		return fmt.Sprint(b.after[0].fighter("zog").HP, " ", b.after[0].fighter("zog").Status)
	}
	if got := hit(); got != "-7 faltering" {
		t.Errorf("by the rules: %s", got)
	}
	if got := hit(game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "zog/s0.w", Value: dead, Text: "EVENT dead"}); got != "-7 dead" {
		t.Errorf("CX5: %s", got)
	}
}

// TestDrugsKeepUp is 7.4 with its end (HP9, HP10).
func TestDrugsKeepUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hp   int
		want []string
	}{{-2, []string{"5 unconscious"}}, {-3, []string{"2 faltering", "5 unconscious"}}} {
		w := patient(t, c.hp)
		z := w.fighter("zog")
		z.Status, z.Drug, z.DrugTill, z.WillAt = faltering, 2, 5, 2
		b := fought(t, w, 1, 8, nil, dice.NewScripted(map[string][]int{"will/zog": []int{11, 11}[:len(c.want)]}, dice.Constant(20)))
		same(t, fmt.Sprintf("at %d", c.hp), b.outcomes("status"), c.want...)
	}
}

// TestPoisonRunsItsCourse is PO1 by the clock: rolls at one-minute steps, two
// points lost, cured after three successes in a row.
func TestPoisonRunsItsCourse(t *testing.T) {
	t.Parallel()
	w := patient(t, 14)
	z := w.fighter("zog")
	z.CON = 12
	z.Poisons = []Poison{{Type: "C", Due: 120}}
	b := fought(t, w, 100, 900, nil, dice.NewScripted(map[string][]int{"poison/zog": {15, 7, 12, 13, 5, 6, 11}}, dice.Constant(1)))
	same(t, "PO1", b.outcomes("poison"), "120 suffers", "240 resisted", "360 resisted", "480 suffers", "600 resisted", "720 resisted", "840 cured")
	if after := b.out.World.(*World).fighter("zog"); after.HP != 12 || after.Poisons != nil {
		t.Errorf("hit points %d, poisons %v", after.HP, after.Poisons)
	}
}

// TestPoisonTakesAirAndAgility are PO2 and PO3 by the clock.
func TestPoisonTakesAirAndAgility(t *testing.T) {
	t.Parallel()
	w := patient(t, 14)
	z := w.fighter("zog")
	z.CON, z.AGI, z.Poisons = 10, 4, []Poison{{Type: "F", Due: 1}, {Type: "H", Due: 1}}
	z.Steps = plan(t, `{"steps": [{"verb": "hold", "segment": 5}, {"verb": "posture", "posture": "prone"}]}`).Steps
	b := fought(t, w, 1, 8, nil, dice.Constant(11))
	if got := b.after[1].fighter("zog").Suff; got != 140-10 {
		t.Errorf("PO2: %d suffocation points left, want 130", got)
	}
	after := b.after[7].fighter("zog")
	if b.agile(after) != 0 || after.Activity != nil || after.Posture != "stand" {
		t.Errorf("PO3: agility %d, and yet he does something: %+v", b.agile(after), after.Activity)
	}
}

// TestAPoisonedBladeNeedsAWound of at least a point past armor (7.7).
func TestAPoisonedBladeNeedsAWound(t *testing.T) {
	t.Parallel()
	for armor, want := range map[int]int{1: 1, 9: 0} {
		w := world(t, field(nil, who("zog", "b", "D3", "hp=50", `armor="chain_mail"`), who("ann", "a", "C3", "skills.one_handed=90", "weapon=dagger,poison:C")))
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {5}, "armor/zog": {armor, armor}}, dice.Constant(1)))
		if z := b.after[0].fighter("zog"); len(z.Poisons) != want || want == 1 && z.Poisons[0].Due != 120 {
			t.Errorf("armor %d: %+v", armor, z.Poisons)
		}
	}
}

// TestTheKilledStrikeOnce: who is killed in a segment still delivers the attack
// rolled in it (2.5 step 9).
func TestTheKilledStrikeOnce(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "hp=10", "weapon=long_sword")
	b := fought(t, w, 1, 10, map[game.ID]string{"ann": strike, "zog": `{"steps": [{"verb": "melee", "target": "ann", "blows": 3}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "hit/zog": {50}, "dmg/ann": {8, 8}, "dmg/zog": {3, 4}}, dice.Constant(1)))
	if a, z := b.after[0].fighter("ann"), b.after[0].fighter("zog"); a.HP != 93 || z.Status != dead {
		t.Errorf("Ann has %d, Zog is %s", a.HP, z.Status)
	}
	if !b.out.Done || len(b.after) != 1 {
		t.Errorf("done %v after %d segments", b.out.Done, len(b.after))
	}
}

// TestSurpriseLastsUntilNoticed (2.6): nobody declares or answers before, and from
// the next segment on he may.
func TestSurpriseLastsUntilNoticed(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "surprised=true", "int=10", "weapon=long_sword")
	b := fought(t, w, 1, 10, map[game.ID]string{"ann": `{"steps": [{"verb": "say", "text": "Ha!"}]}`, "zog": `{"steps": [{"verb": "melee", "target": "ann"}]}`},
		dice.NewScripted(map[string][]int{"awareness/zog": {11, 10}, "hit/zog": {50}}, dice.Constant(1)))
	same(t, "surprise", b.outcomes("surprise"), "0 unaware", "1 notices")
	if ev := b.event(t, "zog/s8"); ev.Numbers["chance"] != 75 {
		t.Errorf("his blow is at %d", ev.Numbers["chance"])
	}
	early := fought(t, duel(t, nil, "surprised=true", "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`},
		dice.NewScripted(map[string][]int{"awareness/zog": {20}, "hit/ann": {50}}, dice.Constant(1)))
	if ev := early.event(t, "ann/s0"); ev.Numbers["chance"] != 85+30 {
		t.Errorf("the blow at him who is surprised is at %d, want 115", ev.Numbers["chance"])
	}
}

// TestStunFromDamage is 9.1: as many segments as hit points lost.
func TestStunFromDamage(t *testing.T) {
	t.Parallel()
	b := fought(t, duel(t, []string{"stun_from_damage=true"}, "weapon=long_sword"), 1, 14, map[game.ID]string{
		"ann": strike, "zog": `{"steps": [{"verb": "hold", "segment": 1}, {"verb": "melee", "target": "ann"}]}`},
		dice.NewScripted(map[string][]int{"hit/ann": {50}, "dmg/ann": {3, 3}}, dice.Constant(50)))
	b.event(t, "zog/s13") // 0 + 6 stunned + 7 to prepare
	for _, ev := range b.events {
		if ev.Actor == "zog" && ev.Attack && ev.At < 13 {
			t.Errorf("he strikes in %d", ev.At)
		}
	}
}
