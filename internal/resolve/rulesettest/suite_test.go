package rulesettest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// duel is a small game system that keeps every property: who is able fires once
// at whom he wants and sees. With a flaw it breaks one of them.
type duel struct {
	Pausing
	flaw  string
	calls *atomic.Int64
}

// field is its world.
type field struct {
	Turn     int       `json:"turn"`
	Duelists []duelist `json:"duelists"`
}

type duelist struct {
	ID     game.ID `json:"id"`
	Wounds int     `json:"wounds"`
	Shots  int     `json:"shots"`
	Hidden bool    `json:"hidden,omitempty"` // nobody else sees him
}

func (d duelist) able() bool { return d.Wounds < 2 }

func (w *field) Bodies() []game.Body {
	var out []game.Body
	for i, d := range w.Duelists {
		out = append(out, game.Body{ID: d.ID, Name: "Duelist " + string(d.ID), Side: d.ID, Player: d.ID, Place: game.Square{X: i}, Able: d.able()})
	}
	return out
}

func (w *field) At() int64 { return int64(w.Turn) }

func (w *field) find(id game.ID) *duelist {
	for i := range w.Duelists {
		if w.Duelists[i].ID == id {
			return &w.Duelists[i]
		}
	}
	return nil
}

func (x duel) Load(b []byte) (game.World, error) {
	w := &field{}
	err := json.Unmarshal(b, w)
	if x.flaw == "loses shots" {
		w.Duelists[0].Shots++
	}
	return w, err
}

func (x duel) Clock(game.World, int) game.Clock { return game.Clock{Unit: "slot"} }

func (x duel) See(gw game.World, viewer game.ID) game.View {
	w := gw.(*field)
	v := game.View{Viewer: viewer, Width: 20, Height: 1}
	for _, b := range w.Bodies() {
		d := w.find(b.ID)
		s := game.Sight{ID: b.ID, Name: b.Name, Place: b.Place}
		switch {
		case b.ID == viewer:
			v.Self = s
			v.Weapons = []game.Thing{{ID: "pistol", Name: "pistol", Left: d.Shots, Full: 3}}
		case !d.Hidden || x.flaw == "sees everybody":
			v.Others = append(v.Others, s)
		}
	}
	switch x.flaw {
	case "off the map":
		v.Self.Place.X += w.Turn * 20
	case "whispers":
		v.Own = encoded(len(w.Duelists))
	}
	return v
}

func (x duel) Vocabulary(v game.View) game.Vocabulary {
	voc := game.Vocabulary{Verbs: []game.Verb{{Name: "fire", Class: "attack"}}}
	for _, s := range v.Others {
		voc.People = append(voc.People, game.Named{ID: s.ID, Names: []string{s.Name}})
	}
	return voc
}

func (x duel) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	var out game.Plan
	var problems []game.Problem
	for _, s := range p.Steps {
		if !slices.ContainsFunc(v.Others, func(o game.Sight) bool { return o.ID == s.Target.ID }) {
			problems = append(problems, game.Problem{Severity: game.Wrong, Text: "You know of no " + string(s.Target.ID) + "."})
			if x.flaw != "keeps what it refuses" {
				continue
			}
		}
		if x.flaw == "adds a shot" {
			s.Shots++
		}
		out.Steps = append(out.Steps, s)
	}
	return out, problems
}

func (x duel) Default(game.View) game.Plan { return game.Plan{} }

func (x duel) Forecast(v game.View, _ game.Plan, _ dice.Source) game.Forecast {
	return game.Forecast{Lines: []game.Line{{Label: "in sight", Value: fmt.Sprint(len(v.Others))}}}
}

func (x duel) Resolve(in resolve.Input) resolve.Outcome {
	x.calls.Add(1)
	w := &field{Turn: in.World.(*field).Turn + 1, Duelists: slices.Clone(in.World.(*field).Duelists)}
	out := resolve.Outcome{World: w, Events: []game.Event{}}
	orders := slices.Clone(in.Orders)
	switch x.flaw {
	case "first come, first served":
	case "changes the orders":
		if len(in.Orders) > 0 && len(in.Orders[0].Plan.Steps) > 0 {
			in.Orders[0].Plan.Steps[0].Shots++
		}
		fallthrough
	default:
		slices.SortFunc(orders, func(a, b game.Orders) int { return strings.Compare(string(a.Combatant), string(b.Combatant)) })
	}
	if x.flaw == "panics" && in.Turn == 2 {
		panic("no rule for this")
	}
	for x.flaw == "never ends" {
		in.Dice.Roll("hit/a/r1.1", 100)
	}
	if x.flaw == "changes the world" {
		in.World.(*field).Turn++
	}
	if x.flaw == "time stands still" {
		w.Turn--
	}
	seq := 0
	for _, o := range orders {
		for _, s := range o.Plan.Steps {
			x.fire(in, w, &out, o.Combatant, s.Target.ID, &seq)
		}
	}
	if x.flaw == "explains too much" {
		for i := range out.Events {
			out.Events[i].Rule = fmt.Sprint(len(w.Duelists))
		}
	}
	if x.flaw == "remembers" {
		out.Why = fmt.Sprint(x.calls.Load())
	}
	if x.flaw == "briefs everybody" {
		out.Pause = &game.Pause{Briefs: map[game.ID]string{}}
		for _, d := range w.Duelists {
			out.Pause.Briefs[d.ID] = fmt.Sprintf("%d are here", len(w.Duelists))
		}
	}
	return out
}

// firesUnable: who was unable before the turn fires, or who fell in it.
func (x duel) firesUnable(in resolve.Input, who game.ID) bool {
	return x.flaw == "the fallen fire" || x.flaw == "the dying fire" && in.World.(*field).find(who).able()
}

func (x duel) fire(in resolve.Input, w *field, out *resolve.Outcome, who, at game.ID, seq *int) {
	me, him := w.find(who), w.find(at)
	if me == nil || him == nil || him.Hidden && him != me || !me.able() && !x.firesUnable(in, who) || me.Shots == 0 && x.flaw != "shoots the empty pistol" {
		return
	}
	if slices.ContainsFunc(out.Events, func(e game.Event) bool { return e.Actor == who }) && x.flaw != "one ref for two" {
		return
	}
	*seq++
	name := "hit/" + string(who) + "/r1.1"
	if x.flaw == "dice in sequence" {
		name = fmt.Sprintf("hit/%s/r1.%d", who, *seq)
	}
	hit := in.Dice.Roll(name, 100)
	switch {
	case x.flaw == "bends dice" && len(in.Rulings) > 0:
		hit.Value = hit.Value%100 + 1
	case x.flaw == "a die without a name":
		hit.Name = "hit"
	case x.flaw == "a die of 101":
		hit.Value = 101
	}
	me.Shots--
	e := game.Event{Ref: string(who) + "/r1.1", Actor: who, Target: at, Kind: "fire", Attack: true, Outcome: "miss", Dice: []game.Die{hit}, Seen: map[game.ID]game.Grade{},
		Text: map[game.Grade]string{game.All: string(who + " fires at " + at), game.Own: "own", game.Seen: string(who + " fires at " + at)}}
	if hit.Value > 20 && him != me {
		him.Wounds++
		e.Outcome = "hit"
		if him.Wounds == 2 {
			e.Outcome = "dies"
		}
	}
	if x.flaw == "heals" {
		e.Numbers = map[string]int{"damage": -1}
	}
	for _, d := range w.Duelists {
		switch {
		case d.ID == who || d.ID == at:
			e.Seen[d.ID] = game.Own
		case !me.Hidden || x.flaw == "tells of the hidden":
			e.Seen[d.ID] = game.Seen
		}
	}
	switch x.flaw {
	case "no words for a witness":
		delete(e.Text, game.Seen)
	case "no words for the GM":
		delete(e.Text, game.All)
	case "no ref":
		e.Ref = ""
	}
	out.Events = append(out.Events, e)
}

// duels makes cases for it.
func duels() Generator {
	g := Generator{Cases: 30}
	g.Plan = func(r *rand.Rand, w game.World, who game.ID) game.Plan {
		var p game.Plan
		for range r.IntN(3) {
			p.Steps = append(p.Steps, game.Intent{Verb: "fire", Target: game.To([]game.ID{"a", "b", "c", "d", "z", "nobody"}[r.IntN(6)])})
		}
		return p
	}
	g.Input = func(r *rand.Rand) resolve.Input {
		w := &field{Turn: 1, Duelists: []duelist{}}
		for _, id := range []game.ID{"a", "b", "c", "d"} {
			w.Duelists = append(w.Duelists, duelist{ID: id, Wounds: r.IntN(3), Shots: r.IntN(4)})
		}
		in := resolve.Input{World: w, Turn: 1, Rounds: 1}
		for _, b := range w.Bodies() {
			in.Orders = append(in.Orders, game.Orders{Combatant: b.ID, Source: "player", Plan: g.Plan(r, w, b.ID)})
		}
		return in
	}
	g.Twins = func(r *rand.Rand) Twins {
		t := Twins{Without: g.Input(r), Viewers: []game.ID{"a", "b", "c", "d"}}
		w := t.Without.World.(*field)
		t.With = t.Without
		t.With.World = &field{Turn: w.Turn, Duelists: append(slices.Clone(w.Duelists), duelist{ID: "z", Shots: 3, Hidden: true})}
		// He fires at himself, which does no harm.
		t.With.Orders = append(slices.Clone(t.Without.Orders), game.Orders{Combatant: "z", Plan: game.Plan{Steps: []game.Intent{{Verb: "fire", Target: game.To("z")}}}})
		return t
	}
	g.Falls = func(e game.Event) []game.ID {
		if e.Outcome == "dies" {
			return []game.ID{e.Target}
		}
		return nil
	}
	return g
}

// TestTheSuiteHolds for a system that keeps every property.
func TestTheSuiteHolds(t *testing.T) {
	t.Parallel()
	Run(t, duel{calls: new(atomic.Int64)}, duels())
}

// TestEveryPropertyCanFail: each flaw breaks the property that it is there for.
func TestEveryPropertyCanFail(t *testing.T) {
	t.Parallel()
	flaws := map[string][]string{
		"the order of arrival does not matter":                {"first come, first served"},
		"the same input gives the same bytes":                 {"remembers", "changes the world", "changes the orders"},
		"a world is read back as it was written":              {"loses shots"},
		"an added order or modifier changes no die of others": {"dice in sequence", "bends dice", "a die without a name"},
		"nothing is negative":                                 {"shoots the empty pistol", "off the map", "heals", "a die of 101"},
		"nobody acts while unable":                            {"the fallen fire", "the dying fire"},
		"a turn comes to an end":                              {"never ends", "time stands still", "panics"},
		"events have their own refs and words":                {"one ref for two", "no ref", "no words for a witness", "no words for the GM"},
		"a checked plan passes the check":                     {"keeps what it refuses", "adds a shot"},
		"who perceives no difference is told of none":         {"sees everybody", "whispers", "tells of the hidden", "briefs everybody", "explains too much"},
	}
	for _, p := range properties {
		if len(flaws[p.name]) == 0 {
			t.Errorf("nothing shows that %q can fail", p.name)
		}
		for _, flaw := range flaws[p.name] {
			t.Run(flaw, func(t *testing.T) {
				t.Parallel()
				rules, g := duel{flaw: flaw, calls: new(atomic.Int64)}, duels()
				failed := ""
				for seed := range uint64(g.Cases) {
					if err := p.holds(rules, g, rand.New(rand.NewPCG(seed, 17))); err != nil {
						failed = err.Error()
						break
					}
				}
				if failed == "" {
					t.Errorf("%q holds", p.name)
				}
			})
		}
	}
}
