package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestTheFirstOvertAct begins the rolls of the surprised (2.6): waiting is none, nor
// is what they can neither see nor hear.
func TestTheFirstOvertAct(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, ann string
		hidden    bool
		want      []string
	}{
		{"she waits", `{"verb": "wait"}`, false, nil},
		{"she waits for her moment", `{"verb": "hold", "segment": 3}, {"verb": "ready", "action": "draw", "item": "ann-dagger"}`, false, []string{"3 unaware", "4 unaware", "5 notices"}},
		{"she draws at once", `{"verb": "ready", "action": "draw", "item": "ann-dagger"}`, false, []string{"0 unaware", "1 unaware", "2 notices"}},
		{"she draws out of sight", `{"verb": "ready", "action": "draw", "item": "ann-dagger"}`, true, nil},
		{"she is heard", `{"verb": "hold", "segment": 2}, {"verb": "say", "text": "Ha!"}`, true, []string{"3 unaware", "4 unaware", "5 notices"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := field(nil, who("ann", "a", "C3", "agi=10", "weapon=dagger:belt"), who("zog", "b", "H3", "int=10", "surprised=true"))
			if c.hidden {
				s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 5, Y: 1}, {X: 5, Y: 2}, {X: 5, Y: 3}}}}
			}
			b := fought(t, world(t, s), 1, 7, map[game.ID]string{"ann": `{"steps": [` + c.ann + `]}`}, dice.NewScripted(map[string][]int{"awareness/zog": {11, 11, 10}}, dice.Constant(1)))
			same(t, "surprise", b.outcomes("surprise"), c.want...)
		})
	}
}

// TestSurpriseOfAWoundedOne lasts until he notices, unless a wound is noticed (2.6).
func TestSurpriseOfAWoundedOne(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"surprise_ends_when_hit=false": true, "surprise_ends_when_hit=true": false} {
		b := fought(t, duel(t, []string{setting}, "surprised=true", "int=10", "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"awareness/zog": {20}, "hit/ann": {50}}, dice.Constant(1)))
		if z := b.after[0].fighter("zog"); z.Surprise != want || z.LastAction == 0 == want {
			t.Errorf("%s: surprised %v, last action %d", setting, z.Surprise, z.LastAction)
		}
	}
}

// TestSurpriseByADie lasts so many segments, and a stun that runs on beside it is
// not shortened by its end.
func TestSurpriseByADie(t *testing.T) {
	t.Parallel()
	w := duel(t, []string{"surprise=d6"}, "surprised=true")
	w.fighter("zog").StunnedTo = 6
	b := fought(t, w, 1, 5, map[game.ID]string{"ann": strike}, dice.NewScripted(map[string][]int{"surprise/zog": {3}, "hit/ann": {99}}, dice.Constant(99)))
	same(t, "surprise", b.outcomes("surprise"), "0 unaware", "1 unaware", "2 notices")
	if got := b.after[4].fighter("zog").StunnedTo; got != 6 {
		t.Errorf("stunned until %d, want 6", got)
	}
}

// TestUnnoticedBlowsAndShots: who is attacked from behind or out of hiding rolls to
// notice it; if he does not, he neither dodges nor parries, and is the easier to hit
// (4.4, 5.4, 5.7).
func TestUnnoticedBlowsAndShots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		gun     bool
		hidden  bool
		facing  string
		roll    int
		answers string // none, parry or dodge
		chance  int
	}{
		{"a blow in his face", false, false, "W", 0, "dodge", 85},
		{"a blow from behind that he notices", false, false, "E", 10, "dodge", 85 + 20},
		{"a blow from behind that he does not", false, false, "E", 11, "none", 85 + 20 + 30},
		{"a blow out of hiding that he notices", false, true, "W", 10, "dodge", 85},
		{"a blow out of hiding that he does not", false, true, "W", 11, "none", 85 + 30},
		{"a shot that he sees coming", true, false, "W", 0, "dodge", 60},
		{"a shot from behind that he notices", true, false, "E", 10, "dodge", 60},
		{"a shot from behind that he does not", true, false, "E", 11, "none", 60 + 10},
		{"a shot out of hiding that he does not", true, true, "W", 11, "none", 60 + 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			weapon, plan := "long_sword", strike
			if c.gun {
				weapon, plan = "luger,range_modifier:0", `{"steps": [{"verb": "fire", "target": "zog"}]}`
			}
			w := world(t, field(nil, who("ann", "a", "C3", "skills.one_handed=70", "skills.one_handed_missile=60", "weapon="+weapon),
				who("zog", "b", "D3", "int=10", "hp=100", "skills.defense=50", "skills.one_handed=60", "weapon=dagger", "facing="+c.facing)))
			if c.hidden {
				w.fighter("ann").SeenBy = &[]game.ID{}
			}
			script := map[string][]int{"hit/ann": {50}}
			if c.roll > 0 {
				script["awareness/zog"] = []int{c.roll}
			}
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": plan, "zog": `{"standing": [{"verb": "dodge_policy"}]}`}, dice.NewScripted(script, dice.Constant(99)))
			got := "none"
			for _, ev := range b.events {
				if ev.Ref == "zog/ann/s0" {
					got = ev.Kind
				}
			}
			if ev := b.event(t, "ann/s0"); got != c.answers || ev.Numbers["chance"] != c.chance {
				t.Errorf("%s, chance %d; want %s, %d", got, ev.Numbers["chance"], c.answers, c.chance)
			}
		})
	}
}

// TestAwarenessByRuling is 12, numbers 5 and 6: whether an attack is noticed, and
// who is surprised.
func TestAwarenessByRuling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value  string
		facing string
		chance int
	}{{"no", "W", 85 + 30}, {"yes", "E", 85 + 20}} {
		w := duel(t, nil, "int=10", "weapon=long_sword", "facing="+c.facing)
		b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike}, dice.Constant(20), game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "ann/s0", Field: "AWARE", Value: c.value})
		if got := b.event(t, "ann/s0").Numbers["chance"]; got != c.chance {
			t.Errorf("AWARE %s: %d, want %d", c.value, got, c.chance)
		}
	}
	b := fought(t, duel(t, nil, "weapon=long_sword"), 1, 1, map[game.ID]string{"ann": strike}, dice.Constant(20), game.Ruling{N: 1, Kind: game.RuleSet, Ref: "ann/s0", Who: "zog", Field: "SURPRISED", Value: "yes"})
	if got := b.event(t, "ann/s0").Numbers["chance"]; got != 85+30 || !b.after[0].fighter("zog").Surprise {
		t.Errorf("SURPRISED: %d, want 115", got)
	}
}

// TestLookingAndListening find what was not perceived: the hidden before one's eyes,
// who are seen from then on, and from where something is to be heard (1.3, 11).
func TestLookingAndListening(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, order string
		facing      string
		roll        int
		sees        bool
		text        string
	}{
		{"he looks and finds her", "look around", "W", 10, true, "Zog sees Ann."},
		{"he does not", "I look around", "W", 11, false, "Zog sees nothing new."},
		{"she is behind him", "look around", "E", 10, false, "Zog sees nothing new."},
		{"he turns to look", "look west", "E", 10, true, "Zog sees Ann."},
		{"he listens", "listen", "E", 10, false, "Zog hears somebody: W."},
		{"and hears nothing", "listen", "E", 11, false, "Zog hears nothing new."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3"), who("zog", "b", "H3", "agi=10", "int=10", "facing="+c.facing)))
			w.fighter("ann").SeenBy = &[]game.ID{}
			p, receipt, problems := letter(t, w, "zog", c.order)
			if len(problems) > 0 || len(p.Steps) != 1 || p.Steps[0].Verb != "look" {
				t.Fatalf("%q is read as %q with %+v", c.order, receipt, problems)
			}
			if _, again, _ := letter(t, w, "zog", receipt); again != receipt {
				t.Errorf("%q, read again: %q", receipt, again)
			}
			b := fought(t, w, 1, 5, map[game.ID]string{"ann": `{"steps": [{"verb": "hold", "segment": 2}, {"verb": "say", "text": "Hush!"}]}`, "zog": string(encode(t, p))},
				dice.NewScripted(map[string][]int{"awareness/zog": {c.roll}}, dice.Constant(1)))
			told := ""
			for _, ev := range b.events {
				if ev.Kind == "done" && ev.Outcome != "turn" {
					told = ev.Text[game.Own]
				}
			}
			if sees := ruleset(t).See(b.after[4], "zog"); (len(sees.Others) == 1) != c.sees || told != c.text {
				t.Errorf("%q, and he sees %d; %s", told, len(sees.Others), fmt.Sprint(b.refs()))
			}
		})
	}
}
