package dice

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestSealedRollsUnderTheRightKey(t *testing.T) {
	t.Parallel()
	v := newTurnOne()
	s := Sealed{Secrets: map[string]Digest{"heroes": v.heroes, AudienceGM: v.gm}, Lock: &v.lock, Owner: owner}
	for _, c := range []struct {
		name string
		key  Digest
	}{
		{"init/anna/r1", EarlyKey(v.heroes)},
		{"surprise/bobo/r1", EarlyKey(v.gm)},
		{"hit/bobo/r1.1", LateKey(v.heroes, v.lock)},
		{"init/zog/r1", LateKey(v.gm, v.lock)},
		{"surprise/zog/r1", LateKey(v.gm, v.lock)},
		{"nonsense", LateKey(v.gm, v.lock)},
	} {
		want := game.Die{Name: c.name, Sides: 100, Value: Value(c.key, c.name, 100), Source: FromSealed}
		if diff := cmp.Diff(want, s.Roll(c.name, 100)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSealedWithoutLockKnowsOnlyEarlyDice(t *testing.T) {
	t.Parallel()
	v := newTurnOne()
	s := Sealed{Secrets: map[string]Digest{"heroes": v.heroes}, Owner: owner, Else: Constant(0)}
	for name, want := range map[string]string{
		"init/anna/r1":     FromSealed,
		"hit/bobo/r1.1":    FromConstant,
		"surprise/bobo/r1": FromConstant,
		"init/zog/r1":      FromConstant,
	} {
		if got := s.Roll(name, 10).Source; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestSealedRefusesDiceNobodySealed(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a die without a secret was rolled")
		}
	}()
	Sealed{Owner: owner}.Roll("hit/bobo/r1.1", 100)
}

func TestScriptedInOrderAndByFullName(t *testing.T) {
	t.Parallel()
	s := NewScripted(map[string][]int{
		"hit/bobo":      {32, 46},
		"hit/bobo/r1.2": {5},
		"dmg/bobo":      {12},
		"init/zog":      {3, 4},
	}, Constant(0))
	var got []game.Die
	for _, c := range []struct {
		name  string
		sides int
	}{
		{"hit/bobo/r1.1", 100}, {"hit/bobo/r1.1", 100}, {"hit/bobo/r1.2", 100}, {"hit/bobo/r1.3", 100},
		{"hit/bobo/r1.4", 100}, {"dmg/bobo/r1.1", 10}, {"hit/zog/r1.1", 100},
	} {
		got = append(got, s.Roll(c.name, c.sides))
	}
	want := []game.Die{
		{Name: "hit/bobo/r1.1", Sides: 100, Value: 32, Source: FromScript},
		{Name: "hit/bobo/r1.1", Sides: 100, Value: 32, Source: FromScript},
		{Name: "hit/bobo/r1.2", Sides: 100, Value: 5, Source: FromScript},
		{Name: "hit/bobo/r1.3", Sides: 100, Value: 46, Source: FromScript},
		{Name: "hit/bobo/r1.4", Sides: 100, Value: 50, Source: FromConstant},
		{Name: "dmg/bobo/r1.1", Sides: 10, Value: 10, Source: FromScript},
		{Name: "hit/zog/r1.1", Sides: 100, Value: 50, Source: FromConstant},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dice (-want +got):\n%s", diff)
	}
	faults := []string{
		"dmg/bobo: 12 is not on the d10 of dmg/bobo/r1.1; 10 was taken",
		"init/zog: [3 4] was not used: no such die was rolled",
	}
	if diff := cmp.Diff(faults, s.Faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestConstantStaysOnTheDie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ value, sides, want int }{{0, 10, 5}, {0, 1, 1}, {50, 100, 50}, {50, 10, 10}, {-3, 6, 1}} {
		if got := Constant(c.value).Roll("hit/bobo/r1.1", c.sides).Value; got != c.want {
			t.Errorf("constant %d on a d%d gave %d, want %d", c.value, c.sides, got, c.want)
		}
	}
}
