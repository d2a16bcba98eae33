package eternalsoldier

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// areas12 are the numbered areas of section 12, in its order.
var areas12 = []string{
	"1 numbers", "2 rolls", "3 chances", "4 timing", "5 start", "6 awareness", "7 order", "8 reactions", "9 charts", "10 damage", "11 breakage", "12 will and death",
	"13 bones", "14 poison", "15 drugs", "16 falls", "17 explosions", "18 cover and movement", "19 wrestling", "20 skills", "21 optional rules", "22 rewind", "23 take over",
}

// row12 is one thing of an area that the GM may do: see rulesettest.Ruling.
type row12 struct {
	area, may   string
	first, says string
	scene       func(testing.TB) *World // nil: pair12
	plans       map[game.ID]string      // nil: Ann strikes once
	dice        map[string][]int
	shows       func(out resolve.Outcome, after *World) bool
	shown, not  string
}

// pair12 are Ann and Zog face to face with long swords.
func pair12(t testing.TB) *World { return scene12(t, nil, nil) }

// scene12 is the pair with further words for the two, and settings.
func scene12(t testing.TB, ann, zog []string, settings ...string) *World {
	t.Helper()
	body := []string{"agi=10", "hp=50", "skills.one_handed=60", "skills.defense=50", "skills.archery=50", "skills.one_handed_missile=50", "skills.thrown=50", "skills.wrestling=50"}
	arm := func(words []string) []string {
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "weapon=") }) {
			return words
		}
		return append([]string{"weapon=long_sword"}, words...)
	}
	at := func(words []string, square string) string {
		for _, w := range words {
			if s, ok := strings.CutPrefix(w, "at="); ok {
				square = s
			}
		}
		return square
	}
	bare := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "at=") || w == "weapon=none" })
	}
	return world(t, field(settings,
		who("ann", "a", at(ann, "C3"), append(slices.Clone(body), bare(arm(ann))...)...),
		who("zog", "b", at(zog, "D3"), append(slices.Clone(body), bare(arm(zog))...)...)))
}

func with(ann, zog []string, settings ...string) func(testing.TB) *World {
	return func(t testing.TB) *World { return scene12(t, ann, zog, settings...) }
}

// far are the two as shooters, twenty yards apart.
func far(ann, zog []string, settings ...string) func(testing.TB) *World {
	if !slices.ContainsFunc(ann, func(w string) bool { return strings.HasPrefix(w, "weapon=") }) {
		ann = append([]string{"weapon=luger"}, ann...)
	}
	return with(ann, append([]string{"at=W3"}, zog...), settings...)
}

// crowd12 has a comrade of Zog besides, so that the fight goes on without him.
func crowd12(t testing.TB) *World {
	return world(t, field(nil, who("ann", "a", "C3", "agi=10", "hp=50", "weapon=long_sword"), who("yor", "b", "Z9", "hp=50"), who("zog", "b", "D3", "agi=10", "hp=50", "weapon=long_sword")))
}

var (
	once   = map[game.ID]string{"ann": strike}
	shoots = map[game.ID]string{"ann": `{"steps": [{"verb": "fire", "target": "zog"}]}`}
	parry  = `{"standing": [{"verb": "parry_policy"}]}`
	parrys = map[game.ID]string{"ann": strike, "zog": parry}
	hits12 = map[string][]int{"hit/ann/s0": {30}, "dmg/ann": {4, 4}}
)

func (r row12) input(t testing.TB) resolve.Input {
	make, plans := r.scene, r.plans
	if make == nil {
		make = pair12
	}
	if plans == nil {
		plans = once
	}
	w := make(t)
	in := resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: dice.NewScripted(r.dice, dice.Constant(90))}
	for _, f := range w.Fighters {
		if p, ok := plans[f.ID]; ok {
			in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: plan(t, p), Source: "player"})
		}
	}
	return in
}

func tried12() []rulesettest.Ruling {
	var out []rulesettest.Ruling
	for _, r := range slices.Concat(numberRows12(), timeRows12(), fightRows12(), woundRows12(), mapRows12(), holdRows12(), processRows12()) {
		x := rulesettest.Ruling{Area: r.area, May: r.may, First: r.first, Says: r.says, Input: r.input, Shown: r.shown, Not: r.not}
		if r.shows != nil {
			x.Shows = func(out resolve.Outcome) bool { return r.shows(out, out.World.(*World)) }
		}
		out = append(out, x)
	}
	return out
}

// TestRulings12 has a row for each thing that section 12 lets the GM do: its words
// are read by the real reader, and what they change is looked for in the turn;
// without them it is not there.
func TestRulings12(t *testing.T) {
	t.Parallel()
	rulesettest.Rulings(t, ruleset(t), areas12, tried12())
}

// TestEveryFieldIsUnderstood: the packet names no field that is not carried out.
func TestEveryFieldIsUnderstood(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	rulesettest.EveryFieldIsSaid(t, rules.Vocabulary(rules.See(pair12(t), game.GM)).Fields, tried12())
}

// TestWhatThePacketOffersCanBeRuled in turns of every kind.
func TestWhatThePacketOffersCanBeRuled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		in := randomInput(t, rand.New(rand.NewPCG(seed, 12)))
		in.Dice = named(seed)
		rulesettest.Offered(t, ruleset(t), in)
	}
}

// happened gives an event, or one that is empty.
func happened(out resolve.Outcome, ref string) game.Event {
	for _, ev := range out.Events {
		if ev.Ref == ref {
			return ev
		}
	}
	return game.Event{}
}

func ended(ref, outcome string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool { return happened(out, ref).Outcome == outcome }
}

func there(ref string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool { return happened(out, ref).Ref != "" }
}

func never(ref string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool { return happened(out, ref).Ref == "" }
}

func number(ref, name string, want int) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool {
		n, ok := happened(out, ref).Numbers[name]
		return ok && n == want
	}
}

func after(id game.ID, test func(*Fighter) bool) func(resolve.Outcome, *World) bool {
	return func(_ resolve.Outcome, w *World) bool { return test(w.fighter(id)) }
}

func lined(ref, label, value string) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, _ *World) bool {
		return slices.ContainsFunc(happened(out, ref).Lines, func(l game.Line) bool { return strings.HasPrefix(l.Label, label) && l.Value == value })
	}
}

func all(tests ...func(resolve.Outcome, *World) bool) func(resolve.Outcome, *World) bool {
	return func(out resolve.Outcome, w *World) bool {
		return !slices.ContainsFunc(tests, func(test func(resolve.Outcome, *World) bool) bool { return !test(out, w) })
	}
}
