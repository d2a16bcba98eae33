package rulesettest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Generator makes what a system is tried on. Each function draws on the given
// source and nothing else, so that a seed names a case.
type Generator struct {
	// Input is a turn; nonsense in its plans is welcome. Its Dice are replaced.
	Input func(*rand.Rand) resolve.Input
	// Plan is any plan for a combatant, nonsense too.
	Plan func(*rand.Rand, game.World, game.ID) game.Plan
	// Twins are two turns that differ only in what some viewers cannot perceive.
	Twins func(*rand.Rand) Twins
	// Acts reports whether an event is a deed of its actor, which he cannot do
	// while he is unable. Nil: attacks, and whatever rolls a die.
	Acts func(game.Event) bool
	// Falls lists whom an event makes unable for the rest of the turn. Optional.
	Falls func(game.Event) []game.ID
	// Rises lists whom an event makes able to act again. Optional.
	Rises func(game.Event) []game.ID
	// Cases is on how many seeds each property is tried; 0: 40.
	Cases int
}

// Twins are two turns whose worlds differ only in what Viewers cannot perceive;
// they hold the same orders but for those of whoever is hidden.
type Twins struct {
	With, Without resolve.Input
	Viewers       []game.ID
	// Apart says that what was hidden came to light in the turn, so that nothing
	// can be said of its end. Optional.
	Apart func(with, without game.World) bool
}

// Run tries every property that a game system must have (design sections 5 and
// 6) on seeds 0, 1, ….
func Run(t *testing.T, rules resolve.Ruleset, g Generator) {
	t.Helper()
	cases := g.Cases
	if cases == 0 {
		cases = 40
	}
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(cases) {
				if err := p.holds(rules, g, rand.New(rand.NewPCG(seed, 17))); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// property is one thing that is true of every case of a system.
type property struct {
	name  string
	holds func(resolve.Ruleset, Generator, *rand.Rand) error
}

var properties = []property{
	{"the order of arrival does not matter", anyOrder},
	{"the same input gives the same bytes", sameBytes},
	{"a world is read back as it was written", readBack},
	{"an added order or modifier changes no die of others", ownDice},
	{"nothing is negative", notNegative},
	{"nobody acts while unable", onlyAble},
	{"a turn comes to an end", ends},
	{"events have their own refs and words", wellFormed},
	{"a checked plan passes the check", checkedTwice},
	{"who perceives no difference is told of none", fog},
}

// maxDice is how many dice a turn may roll before it counts as endless, and
// maxPauses how many parts it may have.
const (
	maxDice   = 200_000
	maxPauses = 20
)

// errEndless stops a turn that rolls too many dice.
var errEndless = errors.New("the turn does not come to an end")

// counted ends a turn that rolls dice without end.
type counted struct {
	dice.Source
	left *int
}

func (c counted) Roll(name string, sides int) game.Die {
	if *c.left--; *c.left < 0 {
		panic(errEndless)
	}
	return c.Source.Roll(name, sides)
}

// sealed are dice by name under one secret and one lock.
func sealed(r *rand.Rand) dice.Sealed {
	var secret, lock dice.Digest
	for i := range secret {
		secret[i], lock[i] = byte(r.Uint32()), byte(r.Uint32())
	}
	return dice.Sealed{Secrets: map[string]dice.Digest{dice.AudienceGM: secret}, Lock: &lock,
		Owner: func(dice.Name) (string, bool) { return dice.AudienceGM, false }}
}

// input is a turn of the generator under sealed dice.
func (g Generator) input(r *rand.Rand) resolve.Input {
	in := g.Input(r)
	in.Dice = sealed(r)
	return in
}

// carryOut resolves a turn; a panic and an endless turn are errors.
func carryOut(rules resolve.Ruleset, in resolve.Input) (out resolve.Outcome, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fmt.Errorf("the rules stopped: %v", p)
		}
	}()
	left := maxDice
	in.Dice = counted{in.Dice, &left}
	return rules.Resolve(in), nil
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// differ is an error that shows where two texts part; nil if they are the same.
func differ(what string, a, b any) error {
	x, y := encoded(a), encoded(b)
	if bytes.Equal(x, y) {
		return nil
	}
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	around := func(b []byte) string { return string(b[max(0, i-120):min(len(b), i+120)]) }
	return fmt.Errorf("%s:\n  %s\nand\n  %s", what, around(x), around(y))
}

func anyOrder(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	first, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	for range 3 {
		in.Orders = slices.Clone(in.Orders)
		r.Shuffle(len(in.Orders), func(i, j int) { in.Orders[i], in.Orders[j] = in.Orders[j], in.Orders[i] })
		again, err := carryOut(rules, in)
		if err != nil {
			return err
		}
		if err := differ("the orders in another order give another turn", first, again); err != nil {
			return err
		}
	}
	return nil
}

func sameBytes(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	world, orders := encoded(in.World), encoded(in.Orders)
	first, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	was := encoded(first)
	again, err := carryOut(rules, in)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(encoded(in.World), world):
		return errors.New("the world that was given is changed")
	case !bytes.Equal(encoded(in.Orders), orders):
		return errors.New("the orders that were given are changed")
	case !bytes.Equal(encoded(first), was):
		return errors.New("what came of the first time is changed by the second")
	}
	return differ("the second time gives another turn", first, again)
}

func readBack(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	out, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	for _, w := range []game.World{in.World, out.World} {
		loaded, err := rules.Load(encoded(w))
		if err != nil {
			return err
		}
		if err := differ("the world read back is written otherwise", w, loaded); err != nil {
			return err
		}
		if !reflect.DeepEqual(w, loaded) {
			return fmt.Errorf("Load(Marshal(w)) is not w, though it is written alike: %s", encoded(w))
		}
	}
	in.World, in.Turn = out.World, in.Turn+1
	one, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	if in.World, err = rules.Load(encoded(out.World)); err != nil {
		return err
	}
	two, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	return differ("the next turn is another one in the world read back", one, two)
}

// rolled names one die of a turn by what it is rolled for: the event, kind, who
// rolls, how many sides, and which one of these it is.
type rolled struct {
	ref, kind string
	who       game.ID
	sides, n  int
}

// diceOf lists the dice of a turn, and finds those that the source did not roll.
func diceOf(out resolve.Outcome, source dice.Source) (map[rolled]game.Die, error) {
	all := map[rolled]game.Die{}
	for _, e := range out.Events {
		for _, d := range e.Dice {
			name, ok := dice.ParseName(d.Name)
			if !ok {
				return nil, fmt.Errorf("event %s rolled a die without a proper name: %q", e.Ref, d.Name)
			}
			if want := source.Roll(d.Name, d.Sides); d.Source != dice.FromGM && d.Value != want.Value {
				return nil, fmt.Errorf("event %s says that %s is %d; it is %d", e.Ref, d.Name, d.Value, want.Value)
			}
			k := rolled{ref: e.Ref, kind: name.Kind, who: name.Who, sides: d.Sides}
			for all[k].Name != "" {
				k.n++
			}
			all[k] = d
		}
	}
	return all, nil
}

func ownDice(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	bodies := in.World.Bodies()
	who := bodies[r.IntN(len(bodies))].ID
	in.Orders = slices.DeleteFunc(slices.Clone(in.Orders), func(o game.Orders) bool { return o.Combatant == who })
	before, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	were, err := diceOf(before, in.Dice)
	if err != nil {
		return err
	}
	ordered, modified := in, in
	ordered.Orders = append(slices.Clone(in.Orders), game.Orders{Combatant: who, Source: "player", Plan: g.Plan(r, in.World, who)})
	modified.Rulings = append(slices.Clone(in.Rulings), game.Ruling{N: len(in.Rulings) + 1, Kind: game.RuleMod, Who: who, Value: "30", Reason: "high ground", Text: "MOD"})
	for what, changed := range map[string]resolve.Input{"an order": ordered, "a modifier": modified} {
		out, err := carryOut(rules, changed)
		if err != nil {
			return err
		}
		are, err := diceOf(out, in.Dice)
		if err != nil {
			return err
		}
		for k, d := range are {
			if was, ok := were[k]; ok && was != d {
				return fmt.Errorf("%s for %s makes %s = %d of event %s into %s = %d", what, who, was.Name, was.Value, k.ref, d.Name, d.Value)
			}
		}
	}
	return nil
}

func notNegative(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	for range 3 {
		out, err := carryOut(rules, in)
		if err != nil {
			return err
		}
		for _, e := range out.Events {
			if e.Numbers["damage"] < 0 || e.Round < 0 { // a count may be: totals below 0 are kept
				return fmt.Errorf("event %s: round %d, at %d, damage %d", e.Ref, e.Round, e.At, e.Numbers["damage"])
			}
			for _, d := range e.Dice {
				if d.Value < 1 || d.Value > d.Sides {
					return fmt.Errorf("event %s: %s is %d of %d sides", e.Ref, d.Name, d.Value, d.Sides)
				}
			}
		}
		for _, b := range out.World.Bodies() {
			if err := negative(rules.See(out.World, b.ID)); err != nil {
				return fmt.Errorf("%s: %w", b.ID, err)
			}
		}
		in.World, in.Turn = out.World, in.Turn+1
	}
	return nil
}

// negative finds a figure of a view that cannot be.
func negative(v game.View) error {
	for _, t := range slices.Concat(v.Weapons, v.Items) {
		if min(t.Count, t.Rate, t.Dial, t.DialMax, t.Left, t.Full) < 0 || t.Full > 0 && t.Left > t.Full || t.DialMax > 0 && t.Dial > t.DialMax {
			return fmt.Errorf("has %+v", t)
		}
	}
	for _, s := range append([]game.Sight{v.Self}, v.Others...) {
		if s.Distance < 0 || s.Place.X < 0 || s.Place.Y < 0 || s.Place.X >= v.Width || s.Place.Y >= v.Height {
			return fmt.Errorf("%s is at %v, %d away, on a map of %d by %d", s.ID, s.Place, s.Distance, v.Width, v.Height)
		}
	}
	return nil
}

func onlyAble(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	acts := g.Acts
	if acts == nil {
		acts = func(e game.Event) bool { return e.Attack || len(e.Dice) > 0 }
	}
	in := g.input(r)
	for range 4 {
		out, err := carryOut(rules, in)
		if err != nil {
			return err
		}
		able := map[game.ID]bool{}
		for _, b := range in.World.Bodies() {
			able[b.ID] = b.Able
		}
		for _, e := range out.Events {
			if is, known := able[e.Actor]; known && !is && acts(e) {
				return fmt.Errorf("%s acts while unable: %s %s", e.Actor, e.Ref, e.Kind)
			}
			if g.Falls != nil {
				for _, id := range g.Falls(e) {
					able[id] = false
				}
			}
			if g.Rises != nil {
				for _, id := range g.Rises(e) {
					able[id] = true
				}
			}
		}
		in.World, in.Turn = out.World, in.Turn+1
	}
	return nil
}

func ends(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	for range 4 {
		for in.Phase = 0; ; in.Phase++ {
			out, err := carryOut(rules, in)
			if err != nil {
				return err
			}
			if out.World.At() <= in.World.At() && (out.Pause == nil || in.Phase > maxPauses) {
				return fmt.Errorf("time stands still at %d", out.World.At())
			}
			in.World, in.Orders = out.World, nil
			for _, b := range in.World.Bodies() {
				in.Orders = append(in.Orders, game.Orders{Combatant: b.ID, Source: "player", Plan: g.Plan(r, in.World, b.ID)})
			}
			if out.Done {
				return nil
			}
			if out.Pause == nil {
				break
			}
		}
		in.Turn++
	}
	return nil
}

func wellFormed(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	in := g.input(r)
	out, err := carryOut(rules, in)
	if err != nil {
		return err
	}
	refs := map[string]bool{}
	for _, e := range out.Events {
		if e.Ref == "" || refs[e.Ref] {
			return fmt.Errorf("the ref %q names two events", e.Ref)
		}
		refs[e.Ref] = true
		if e.Text[game.All] == "" {
			return fmt.Errorf("event %s has no words for the GM", e.Ref)
		}
		for _, viewer := range slices.Sorted(maps.Keys(e.Seen)) {
			if e.Text[e.Seen[viewer]] == "" {
				return fmt.Errorf("event %s has no words for %s, who has grade %q", e.Ref, viewer, e.Seen[viewer])
			}
		}
	}
	return nil
}

func checkedTwice(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	w := g.Input(r).World
	for _, b := range w.Bodies() {
		v := rules.See(w, b.ID)
		once, _ := rules.Check(v, g.Plan(r, w, b.ID))
		twice, problems := rules.Check(v, once)
		if err := differ(fmt.Sprintf("a second check changes the plan of %s", b.ID), once, twice); err != nil {
			return err
		}
		for _, p := range problems {
			if p.Severity == game.Wrong {
				return fmt.Errorf("the plan of %s is refused the second time: %+v in %s", b.ID, p, encoded(once))
			}
		}
	}
	return nil
}
