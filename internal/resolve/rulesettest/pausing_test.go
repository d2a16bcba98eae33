package rulesettest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func TestPausingAsksInTheMiddleAndThenEnds(t *testing.T) {
	t.Parallel()
	p := Pausing{}
	w, faults := p.Setup(game.Scenario{Combatants: []game.Combatant{{ID: "zog", Name: "Zog", Side: "b"}, {ID: "ann", Name: "Ann", Side: "a", Player: "pat"}}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	in := resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: dice.Constant(5), Rulings: []game.Ruling{
		{N: 1, Kind: game.RuleDie, Die: "luck/ann/p0", Value: "9"}, {N: 2, Kind: game.RuleDie, Die: "luck/nobody/p0", Value: "9"},
	}}
	first := p.Resolve(in)
	if first.Pause == nil {
		t.Fatal("no pause")
	}
	if diff := cmp.Diff([]game.ID{"ann", "zog"}, first.Pause.Asks); diff != "" || len(first.Pause.Briefs) != 2 {
		t.Errorf("asks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2}, first.Unused); diff != "" || first.Events[0].Dice[0].Value != 9 {
		t.Errorf("rulings: unused (-want +got):\n%s%+v", diff, first.Events[0].Dice)
	}
	b, err := json.Marshal(first.World)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := p.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.World, loaded); diff != "" {
		t.Errorf("Load(Marshal(w)) (-want +got):\n%s", diff)
	}
	in.World, in.Phase, in.Rulings = loaded, 1, nil
	if second := p.Resolve(in); second.Pause != nil || second.World.At() != 2 {
		t.Errorf("phase 1: pause %v, at %d", second.Pause, second.World.At())
	}
}
