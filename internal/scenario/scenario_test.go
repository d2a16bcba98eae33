package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

const turn = `seed = "abc"

[game]
title = "Hold-up"
system = "star-frontiers"
grid = { width = 14, height = 3 }

[[combatant]]
id = "bobo"
player = "anna"
side = "heroes"
place = "A1"

[[combatant]]
id = "yaz"
side = "gang"
place = "K1"

[orders]
yaz = """
Run to B1.
"""
[orders.bobo]
steps = [{ verb = "hold" }, { verb = "fire", target = "yaz", shots = 1 }]
reactions = [{ when = { kind = "within", who = "yaz", distance = { value = 10, unit = "m" } }, do = [{ verb = "fire", target = "trigger" }], max = 2 }]

[dice]
"hit/bobo" = [12, 40]
"init/anna" = 8
"dmg/bobo/r1.1" = 7

[[ruling]]
line = "EVENT 2 HIT"

[[ruling]]
kind = "set"
who = "yaz"
field = "STA"
value = "12"
reason = "he was hurt before"
`

func TestScenarioFile(t *testing.T) {
	t.Parallel()
	got, faults := ReadScenario("turn.toml", []byte(turn))
	if faults != nil {
		t.Fatal(faults)
	}
	want := &Scenario{
		Seed: "abc",
		Orders: []Order{
			{Combatant: "yaz", Text: "Run to B1.\n", Line: 20},
			{Combatant: "bobo", Line: 23, Plan: &game.Plan{
				Steps: []game.Intent{{Verb: "hold"}, {Verb: "fire", Target: game.To("yaz"), Shots: 1}},
				Reactions: []game.Reaction{{
					When: game.Condition{Kind: "within", Who: game.Who{"yaz"}, Distance: &game.Distance{Tenths: 100, Unit: "m"}},
					Do:   []game.Intent{{Verb: "fire", Target: game.To(game.Trigger)}}, Max: 2,
				}},
			}},
		},
		Dice: map[string][]int{"hit/bobo": {12, 40}, "init/anna": {8}, "dmg/bobo/r1.1": {7}},
		Rulings: []Ruling{
			{Text: "EVENT 2 HIT", Line: 32},
			{Ruling: game.Ruling{N: 2, Kind: game.RuleSet, Who: "yaz", Field: "STA", Value: "12", Reason: "he was hurt before"}, Line: 35},
		},
		Source: turn,
	}
	want.Scenario = got.Scenario
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
	if len(got.Combatants) != 2 || got.Combatants[1].Place != (game.Square{X: 10}) {
		t.Errorf("combatants: %+v", got.Combatants)
	}
}

func TestFaultsOfScenarioFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"orders of nobody", "yaz = \"\"\"", "zay = \"\"\"", []string{`f:20: orders.zay: there is no combatant "zay"`}},
		{"orders are a number", "yaz = \"\"\"\nRun to B1.\n\"\"\"", "yaz = 3", []string{"f:20: orders.yaz: 3 is neither a text nor a plan"}},
		{"a plan with an unknown field", `verb = "hold"`, `verb = "hold", shoots = 2`, []string{`f:23: orders.bobo: this is no plan: unknown field "shoots"`}},
		{"a plan with a wrong type", `shots = 1`, `shots = "one"`, []string{"f:23: orders.bobo: this is no plan: "}},
		{"a die of nobody", `"hit/bobo"`, `"hit/bob"`, []string{`f:28: dice.hit/bob: there is no combatant, player or group "bob"`}},
		{"no die", `"hit/bobo"`, `hit`, []string{"f:28: dice.hit: it is not a die"}},
		{"no value", `[12, 40]`, `[12, 0, "x"]`, []string{"f:28: dice.hit/bobo: 0 is not a die's value", `f:28: dice.hit/bobo: "x" is not a die's value`}},
		{"empty ruling", `line = "EVENT 2 HIT"`, `line = " "`, []string{"f:33: ruling[1].line: it is empty"}},
		{"ruling without kind", "kind = \"set\"\n", "", []string{"f:35: ruling[2].kind: it is missing"}},
		{"ruling on nobody", "\nwho = \"yaz\"", "\nwho = \"zay\"", []string{`f:37: ruling[2].who: there is no combatant "zay"`}},
		{"both forms of a ruling", `kind = "set"`, "line = \"NOTE x\"\nkind = \"set\"", []string{
			"f:37: ruling[2].kind: there is no such key", "f:38: ruling[2].who", "f:39: ruling[2].field", "f:40: ruling[2].value", "f:41: ruling[2].reason"}},
		{"a clock", `[orders]`, "[clock]\nzone = \"UTC\"\n[orders]", []string{"f:19: clock: a scenario file has no clock"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(turn, c.old) {
				t.Fatalf("%q is not in the file", c.old)
			}
			got, faults := ReadScenario("f", []byte(strings.Replace(turn, c.old, c.new, 1)))
			if got != nil {
				t.Error("it was read")
			}
			checkFaults(t, c.want, faults)
		})
	}
}

func TestScenesOfTheCorpus(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		system, scale    string
		combatants, last int
		history          []game.Attack
	}{
		"es-bridge":    {"eternal-soldier", "1 yd", 9, 0, []game.Attack{{Attacker: "tolk", Target: "hollis"}, {Attacker: "grunmar", Target: "corvin"}}},
		"pm-ford":      {"percentile", "5 ft", 9, 1, []game.Attack{{Attacker: "out_hood", Target: "aldric"}, {Attacker: "out_boy", Target: "corin"}}},
		"sf-canyon":    {"star-frontiers", "5 m", 9, 3, []game.Attack{{Attacker: "rusk", Target: "tasha"}, {Attacker: "bandit_tall", Target: "kik"}, {Attacker: "bandit_mg", Target: "gorlap"}, {Attacker: "tasha", Target: "rusk"}}},
		"sf-corridor":  {"star-frontiers", "2 m", 9, 3, []game.Attack{{Attacker: "sathar_red", Target: "harlan"}, {Attacker: "dask", Target: "yalu"}, {Attacker: "sathar_whip", Target: "bokk"}}},
		"sf-warehouse": {"star-frontiers", "2 m", 10, 3, []game.Attack{{Attacker: "yaz_scar", Target: "mira"}, {Attacker: "zog", Target: "chirik"}, {Attacker: "zorg", Target: "yaz_vest"}}},
	} {
		file := filepath.Join("testdata", name+".json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, faults := Read(file, data)
		if faults != nil {
			t.Error(faults)
			continue
		}
		if s.System != want.system || s.Scale.String() != want.scale || len(s.Combatants) != want.combatants || len(s.Last) != want.last {
			t.Errorf("%s: %s, %s, %d combatants, %d last orders", name, s.System, s.Scale, len(s.Combatants), len(s.Last))
		}
		if diff := cmp.Diff(want.history, s.History); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

const scene = `{
 "id": "x", "system": "star-frontiers", "units": "m", "scale_m": 2,
 "grid": {"width": 5, "height": 5},
 "combatants": [
  {"id": "a", "name": "A", "side": "s", "position": [1, 1], "pc_owner": null,
   "weapons": [{"id": "a-gun", "name": "gun", "kind": "laser_pistol", "dial": 2}],
   "items": [], "skills": {"beam": 1}, "visible_to": []},
  {"id": "b", "name": "B", "side": "t", "position": [2, 2], "visible_to": "all"}
 ],
 "history": [{"turn": 1, "text": "…", "attacks": [{"attacker": "a", "target": "b"}]}],
 "last_orders": {"a": {"steps": [{"verb": "fire", "target": "b"}]}}
}`

func TestFaultsOfScenes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"as it is", "star", "star", nil},
		{"no JSON", `"id": "x",`, `"id": x,`, []string{"f:2: this is not JSON"}},
		{"cut off", "\n}", "\n", []string{"f:11: this is not JSON: unexpected EOF"}},
		{"more", "\n}", "\n}{}", []string{"f:12: this is not JSON: there is more after its end"}},
		{"too deep", `"…"`, strings.Repeat("[", 200) + strings.Repeat("]", 200), []string{"f:10: this is not JSON: it is nested deeper than 100"}},
		{"key twice", `"id": "x",`, `"id": "x", "id": "y",`, []string{`f:2: this is not JSON: the key "id" stands twice`}},
		{"unknown key", `"id": "x",`, `"id": "x", "weather": "rain",`, []string{"f:2: weather: there is no such key"}},
		{"unknown key of a combatant", `"side": "t",`, `"side": "t", "hp": 3,`, []string{"f:8: combatants[b].hp: there is no such key"}},
		{"unknown key of the history", `"turn": 1,`, `"turn": 1, "who": 1,`, []string{"f:10: history[1].who: there is no such key"}},
		{"outside", "[2, 2]", "[5, 2]", []string{"f:8: combatants[b].position: [5,2] is outside of the map"}},
		{"attack on nobody", `"target": "b"}]`, `"target": "c"}]`, []string{`f:10: history[1].attacks[1].target: there is no combatant "c"`}},
		{"last orders of nobody", `{"a": {"steps"`, `{"c": {"steps"`, []string{`f:11: last_orders.c: there is no combatant "c"`}},
		{"last orders that are none", `[{"verb": "fire", "target": "b"}]`, `3`, []string{"f:11: last_orders.a: this is no plan"}},
		{"seen by", `"visible_to": []`, `"visible_to": ["c"]`, []string{`f:5: combatant[a].visible_to: there is no combatant "c"`}},
		{"a list", scene, "[]", []string{"f:1: [] is not a table", "f:1: id:", "f:1: system:", "f:1: grid:", "f:1: combatants: there is no combatant"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(scene, c.old) {
				t.Fatalf("%q is not in the scene", c.old)
			}
			got, faults := ReadScene("f", []byte(strings.Replace(scene, c.old, c.new, 1)))
			if (got == nil) == (len(faults) == 0) {
				t.Errorf("scene %v with faults %v", got, faults)
			}
			checkFaults(t, c.want, faults)
		})
	}
}

func TestReadTellsTheFormsApart(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"game": small, "scenario": turn, "scene": scene} {
		s, faults := Read("f", []byte(text))
		if faults != nil || len(s.Combatants) != 2 || s.Seed == "" || s.Source != text {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

func TestTheHoldupReads(t *testing.T) {
	t.Parallel()
	const file = "../../examples/holdup.toml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, faults := Read(file, data)
	if faults != nil {
		t.Fatal(faults)
	}
	if len(s.Orders) != 2 || len(s.Orders[1].Plan.Reactions) != 1 || s.Seed != "holdup" {
		t.Errorf("got %+v", s)
	}
}

func FuzzReadScene(f *testing.F) {
	f.Add(scene)
	f.Fuzz(func(t *testing.T, text string) {
		s, faults := ReadScene("f", []byte(text))
		if (s == nil) == (len(faults) == 0) {
			t.Errorf("scene %v with faults %v", s, faults)
		}
	})
}
