package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// squares of the duel: Ann stands in C3, Zog in D3.
func terrain(kind string, difficult bool, at string) game.Feature {
	s, _ := game.ParseSquare(at)
	return game.Feature{ID: game.ID(kind), Name: kind, Kind: kind, Difficult: difficult, Squares: []game.Square{s}}
}

// TestGroundAndFooting are the rows of 4.4 for higher ground, riders and bad
// footing: to strike, to parry and to dodge.
func TestGroundAndFooting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		settings     []string
		feature      game.Feature
		ann, zog     []string
		policy       string
		hit, answers int
	}{
		{name: "level ground", policy: "parry_policy", hit: 85, answers: 75},
		{name: "she stands higher", settings: []string{"ground.rampart=high"}, feature: terrain("rampart", false, "C3"), policy: "parry_policy", hit: 95, answers: 75},
		{name: "he does: nobody gains by it", settings: []string{"ground.rampart=high"}, feature: terrain("rampart", false, "D3"), policy: "parry_policy", hit: 85, answers: 75},
		{name: "a rampart of which nothing is said", feature: terrain("rampart", false, "C3"), policy: "parry_policy", hit: 85, answers: 75},
		{name: "she is mounted", ann: []string{"mounted=true"}, policy: "parry_policy", hit: 95, answers: 75},
		{name: "both are", ann: []string{"mounted=true"}, zog: []string{"status=mounted"}, policy: "parry_policy", hit: 85, answers: 75},
		{name: "she stands in mud", settings: []string{"ground.mud=bad_footing"}, feature: terrain("mud", false, "C3"), policy: "parry_policy", hit: 75, answers: 75},
		{name: "he does, and parries", settings: []string{"ground.mud=bad_footing"}, feature: terrain("mud", false, "D3"), policy: "parry_policy", hit: 85, answers: 65},
		{name: "he does, and dodges", settings: []string{"ground.mud=bad_footing"}, feature: terrain("mud", false, "D3"), policy: "dodge_policy", hit: 85, answers: 40},
		{name: "difficult ground is bad footing", feature: terrain("rubble", true, "D3"), policy: "dodge_policy", hit: 85, answers: 40},
		{name: "unless it is said not to be", settings: []string{"ground.rubble=level"}, feature: terrain("rubble", true, "D3"), policy: "dodge_policy", hit: 85, answers: 50},
		{name: "a rider has no bad footing", zog: []string{"mounted=true"}, feature: terrain("rubble", true, "D3"), policy: "dodge_policy", hit: 85, answers: 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := field(c.settings,
				who("ann", "a", "C3", append([]string{"hp=100", "skills.one_handed=70", "weapon=long_sword"}, c.ann...)...),
				who("zog", "b", "D3", append([]string{"hp=100", "skills.one_handed=60", "skills.defense=50", "weapon=long_sword"}, c.zog...)...))
			if c.feature.ID != "" {
				s.Features = append(s.Features, c.feature)
			}
			b := fought(t, world(t, s), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "` + c.policy + `"}]}`}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(20)))
			if hit, answers := b.event(t, "ann/s0").Numbers["chance"], b.event(t, "zog/ann/s0").Numbers["chance"]; hit != c.hit || answers != c.answers {
				t.Errorf("%d, answered at %d; want %d and %d", hit, answers, c.hit, c.answers)
			}
		})
	}
}

// TestGroundIsNamedWell in the game file, and told to whoever stands on it.
func TestGroundIsNamedWell(t *testing.T) {
	t.Parallel()
	s := field([]string{"ground.rampart=high"}, who("ann", "a", "C3", "mounted=true"), who("zog", "b", "D3"))
	s.Features = append(s.Features, terrain("rampart", false, "C3"))
	w := world(t, s)
	if v := ruleset(t).See(w, "ann"); v.Sheet[len(v.Sheet)-1] != (game.Line{Label: "Stands", Value: "mounted, higher ground"}) {
		t.Errorf("her sheet: %+v", v.Sheet)
	}
	if v := ruleset(t).See(w, "zog"); strings.Join(v.Others[0].Status, " ") != "mounted" {
		t.Errorf("he sees her as %v", v.Others[0].Status)
	}
	for setting, want := range map[string]string{"ground.moat=high": `there is no feature "moat"`, "ground.rampart=steep": `"steep" is not a kind of ground; write level, high, bad_footing`} {
		s.Settings = []game.Value{raw(strings.Split(setting, "=")[0], strings.Split(setting, "=")[1])}
		if _, faults := ruleset(t).setup(s); len(faults) != 1 || faults[0].Text != want {
			t.Errorf("%s: %v, want %q", setting, faults, want)
		}
	}
}

// TestGroundByRuling is 12: what somebody stands on, whatever the map says.
func TestGroundByRuling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who          game.ID
		field, value string
		hit, answers int
	}{
		{"ann", "GROUND", "high", 95, 75}, {"ann", "GROUND", "bad_footing", 75, 75}, {"zog", "GROUND", "bad_footing", 85, 65}, {"ann", "MOUNTED", "yes", 95, 75}, {"zog", "GROUND", "map", 85, 75},
	} {
		b := fought(t, duel(t, nil, "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike, "zog": `{"standing": [{"verb": "parry_policy"}]}`}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(20)),
			game.Ruling{N: 1, Kind: game.RuleSet, Ref: "ann/s0", Who: c.who, Field: c.field, Value: c.value})
		if hit, answers := b.event(t, "ann/s0").Numbers["chance"], b.event(t, "zog/ann/s0").Numbers["chance"]; hit != c.hit || answers != c.answers || len(b.out.Unused) > 0 {
			t.Errorf("%s %s %s: %d, answered at %d; want %d and %d", c.who, c.field, c.value, hit, answers, c.hit, c.answers)
		}
	}
}
