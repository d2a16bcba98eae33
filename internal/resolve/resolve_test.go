package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

func TestDirections(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Dir{"N": North, "ne": NorthEast, "south-west": SouthWest, "North West": NorthWest, "EAST": East} {
		if got, ok := ParseDir(text); !ok || got != want {
			t.Errorf("%q: %s %v", text, got, ok)
		}
	}
	if _, ok := ParseDir("up"); ok {
		t.Error("up is no direction of the map")
	}
	// GR-7 of the star-frontiers analysis: how a vector is rounded.
	for _, c := range []struct {
		x, y int
		want Dir
	}{{5, 2, East}, {5, 3, SouthEast}, {4, 0, East}, {2, 2, SouthEast}, {-2, -5, North}, {-3, -5, NorthWest}} {
		if got, ok := Toward(game.Square{X: 10, Y: 10}, game.Square{X: 10 + c.x, Y: 10 + c.y}); !ok || got != c.want {
			t.Errorf("(%d,%d): %s, want %s", c.x, c.y, got, c.want)
		}
	}
	if _, ok := Toward(game.Square{}, game.Square{}); ok {
		t.Error("the same square lies in no direction")
	}
}

func TestCrossIsTheSameBothWays(t *testing.T) {
	t.Parallel()
	cells := func(a, b game.Square) map[game.Square]bool {
		out := map[game.Square]bool{}
		Cross(a, b, func(c Crossing) bool {
			out[c.Cell] = true
			if c.Corner {
				out[c.Other] = true
			}
			return true
		})
		return out
	}
	for x := -6; x <= 6; x++ {
		for y := -6; y <= 6; y++ {
			a, b := game.Square{}, game.Square{X: x, Y: y}
			if diff := cmp.Diff(cells(a, b), cells(b, a)); diff != "" {
				t.Errorf("(%d,%d):\n%s", x, y, diff)
			}
		}
	}
}

func TestNotation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Notation{
		"4d10": {4, 10, 0}, "d6": {1, 6, 0}, "2d10+1": {2, 10, 1}, "3D6 - 2": {3, 6, -2}, "5": {0, 0, 5}, "0": {},
	} {
		got, err := ParseNotation(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v %v", text, got, err)
		}
		if again, err := ParseNotation(got.String()); err != nil || again != got {
			t.Errorf("%q is written %s", text, got)
		}
	}
	for _, text := range []string{"", "four", "d", "0d6", "4d1", "1000d6", "2d10+", "2d10++1", "4d10x"} {
		if got, err := ParseNotation(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
	if got := (Notation{1, 10, 2}).Times(3); got != (Notation{3, 10, 2}) || got.Min() != 5 || got.Max() != 32 {
		t.Errorf("%+v", got)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	yes, no := game.Condition{Kind: "yes"}, game.Condition{Kind: "no"}
	not := func(c game.Condition) game.Condition { c.Not = true; return c }
	and := func(c game.Condition, with ...game.Condition) game.Condition { c.And = with; return c }
	or := func(c game.Condition, with ...game.Condition) game.Condition { c.Or = with; return c }
	deep := yes
	for range 20 {
		deep = and(yes, deep)
	}
	for _, c := range []struct {
		name string
		c    game.Condition
		want bool
	}{
		{"a kind", yes, true}, {"another", no, false}, {"not", not(no), true},
		{"and", and(yes, no), false}, {"and not", and(yes, not(no)), true}, {"or", or(no, yes), true},
		{"not turns round the kind alone", and(not(no), yes), true},
		{"only and", and(game.Condition{}, yes, yes), true}, {"only or", or(game.Condition{}, no, yes), true},
		{"not of a group", not(and(game.Condition{}, yes, no)), true}, {"nothing", game.Condition{}, false},
		{"nested beyond reason", deep, false},
	} {
		if got := Holds(c.c, func(a game.Condition) bool { return a.Kind == "yes" }); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if got := len(Atoms(and(or(yes, no), yes))); got != 3 {
		t.Errorf("%d atoms", got)
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	zog := Subject{ID: "zog", Side: "gang", Race: "Yazirian", Relation: "enemy", Trigger: true}
	lani := Subject{ID: "lani", Side: "heroes", Race: "Human", Relation: "ally"}
	for _, c := range []struct {
		who       game.Who
		zog, lani bool
	}{
		{nil, true, false}, {game.Who{"zog"}, true, false}, {game.Who{game.AnyEnemy}, true, false}, {game.Who{game.AnyAlly}, false, true},
		{game.Who{game.Anyone}, true, true}, {game.Who{game.Trigger}, true, false}, {game.Who{"race:yazirian"}, true, false},
		{game.Who{"side:heroes"}, false, true}, {game.Who{"nobody", "lani"}, false, true}, {game.Who{game.Me}, false, false},
	} {
		if Matches(c.who, zog) != c.zog || Matches(c.who, lani) != c.lani {
			t.Errorf("%v: zog %v, lani %v", c.who, Matches(c.who, zog), Matches(c.who, lani))
		}
	}
}

func TestRulingsOnDice(t *testing.T) {
	t.Parallel()
	die := func(value string) game.Ruling {
		return game.Ruling{Kind: game.RuleDie, Die: "hit/bobo/r1.1", Value: value}
	}
	for _, c := range []struct {
		name   string
		values []string
		want   game.Die
		unused int
	}{
		{"none", nil, game.Die{Name: "hit/bobo/r1.1", Sides: 100, Value: 7, Source: "constant"}, 0},
		{"a value", []string{"42"}, game.Die{Name: "hit/bobo/r1.1", Sides: 100, Value: 42, Source: "gm"}, 0},
		{"the last value", []string{"42", "43"}, game.Die{Name: "hit/bobo/r1.1", Sides: 100, Value: 43, Source: "gm"}, 0},
		{"a re-roll", []string{"REROLL"}, game.Die{Name: "hit/bobo/r1.1~1", Sides: 100, Value: 7, Source: "constant"}, 0},
		{"two", []string{"reroll", "reroll"}, game.Die{Name: "hit/bobo/r1.1~2", Sides: 100, Value: 7, Source: "constant"}, 0},
		{"a re-roll of a value", []string{"42", "reroll"}, game.Die{Name: "hit/bobo/r1.1~1", Sides: 100, Value: 7, Source: "constant"}, 0},
		{"what the die does not have", []string{"101"}, game.Die{Name: "hit/bobo/r1.1", Sides: 100, Value: 7, Source: "constant"}, 1},
	} {
		var list []game.Ruling
		for i, v := range c.values {
			r := die(v)
			r.N = i + 1
			list = append(list, r)
		}
		r := NewRulings(list, dice.Constant(7))
		if diff := cmp.Diff(c.want, r.Roll("hit/bobo/r1.1", 100)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if got := r.Unused(); len(got) != c.unused {
			t.Errorf("%s: unused %v", c.name, got)
		}
	}
}

func TestASecretRulingGivesItsFigureAndNoReason(t *testing.T) {
	t.Parallel()
	r := NewRulings([]game.Ruling{
		{N: 1, Kind: game.RuleMod, Who: "bobo", Value: "-13", Reason: "a sniper", Secret: true, Text: "MOD bobo -13 because a sniper SECRET"},
		{N: 2, Kind: game.RuleMod, Who: "bobo", Value: "10", Reason: "high ground", Text: "MOD bobo +10 because high ground"},
	}, nil)
	lines, total := r.Mods("bobo")
	want := []game.Line{{Label: "GM", Value: "-13"}, {Label: "GM: high ground", Value: "+10"}}
	if diff := cmp.Diff(want, lines); diff != "" || total != -3 {
		t.Errorf("total %d (-want +got):\n%s", total, diff)
	}
	want = []game.Line{{Label: "GM ruling 1", Value: "because a sniper", Secret: true}}
	if diff := cmp.Diff(want, r.Lines(r.Take())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
