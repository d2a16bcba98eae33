package starfrontiers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// TestSuite tries what every system must keep.
func TestSuite(t *testing.T) {
	t.Parallel()
	g := rulesettest.Generator{
		Input: func(r *rand.Rand) resolve.Input { return randomInput(t, r, 2+r.IntN(8)) },
		Plan:  func(r *rand.Rand, _ game.World, who game.ID) game.Plan { return randomPlan(r, who) },
		Twins: func(r *rand.Rand) rulesettest.Twins { return later(t, r, pick(r, lurker, stranger)(t, r)) },
		Acts: func(e game.Event) bool {
			return e.Kind != "ruling" && e.Kind != "status" && e.Kind != "explosion" && e.Kind != "lost" && e.Reason != "out_of_action"
		},
		Falls: func(e game.Event) []game.ID {
			return changedStatus(e, func(c game.Change) bool { return c.From == "able" })
		},
		Rises: func(e game.Event) []game.ID {
			return changedStatus(e, func(c game.Change) bool { return c.To == "able" })
		},
	}
	rulesettest.Run(t, ruleset(t), g)
}

func changedStatus(e game.Event, test func(game.Change) bool) []game.ID {
	var out []game.ID
	for _, c := range e.Changes {
		if c.Field == "STATUS" && test(c) {
			out = append(out, c.Who)
		}
	}
	return out
}

// later lets half of the twins begin after the pauses of their turn, so that both
// what a pause tells and what comes after it are compared.
func later(t testing.TB, r *rand.Rand, twins rulesettest.Twins) rulesettest.Twins {
	if r.IntN(2) == 0 {
		return twins
	}
	seed := named(r.Uint64())
	for _, in := range []*resolve.Input{&twins.With, &twins.Without} {
		in.Dice = seed
		*in = settled(t, *in)
	}
	return twins
}

// lurker puts a man of the gang into a room without a window, whom nobody sees
// and who opens a door there.
func lurker(t testing.TB, r *rand.Rand) rulesettest.Twins {
	w := randomWorld(t, r, 6)
	room := rulesettest.Room(w.Width, w.Height)
	closet := game.Feature{ID: "closet", Name: "closet", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 21, Y: 13}}}
	for _, f := range w.Fighters {
		if f.Place.X >= 18 && f.Place.Y >= 10 {
			f.Place.X -= 12
		}
	}
	for i := range w.Features {
		w.Features[i].Squares = slices.DeleteFunc(w.Features[i].Squares, func(s game.Square) bool { return s.X >= 18 && s.Y >= 10 })
	}
	w.Features = append(w.Features, room, closet)
	other := w.clone()
	// The totals of all who are surprised hang on the lowest of the others (2.1), and
	// where sides roll one who is not surprised saves his side from it: by the rules
	// these tell of him. So he is surprised himself.
	caught := Awareness{Surprise: surpriseUnaware}
	other.Fighters = append(other.Fighters, &Fighter{
		Awareness: caught,
		ID:        "zz", Name: "Lurker", Side: "gang", Race: "Human", Group: "lurkers", Place: game.Square{X: 21, Y: 14}, Facing: "N", Posture: "stand", Size: "medium",
		STA: 45, Now: 45, DEX: 45, RS: 5, STR: 45, Walk: 10, Run: 30, SeenBy: &[]game.ID{}, Policy: "hold",
		Skills: map[string]int{}, Status: []string{}, Weapons: []Weapon{}, Items: []Item{},
	})
	out := rulesettest.Twins{}
	in := resolve.Input{World: w, Turn: 1, Rounds: 1}
	for _, f := range w.Fighters {
		in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: randomPlan(r, f.ID), Source: "player"})
		if f.Side != "gang" {
			out.Viewers = append(out.Viewers, f.ID)
		}
	}
	out.Without, out.With = in, in
	out.With.World = other
	out.With.Orders = append(slices.Clone(in.Orders),
		game.Orders{Combatant: "zz", Plan: plan(t, `{"steps": [{"verb": "move", "direction": "N", "mode": "run"}]}`), Source: "player"})
	return out
}

// stranger is a figure too far away to be told from others: who he is does not
// matter.
func stranger(t testing.TB, r *rand.Rand) rulesettest.Twins {
	s := battlefield(20,
		who("c00", "heroes", "A10", "dex=90", "weapon="+pick(r, "heavy_laser:mounted", "laser_rifle"), "facing=E"),
		who("c01", "gang", "AK10", "sta=50", "weapon="+pick(r, "heavy_laser:mounted", "laser_rifle"), "facing=W"))
	w := world(t, s)
	other := w.clone()
	other.fighter("c01").Name, other.fighter("c01").Race = "Zarkon", "Yazirian"
	in := resolve.Input{World: w, Turn: 1, Rounds: 2, Orders: []game.Orders{
		{Combatant: "c00", Plan: randomPlan(r, "c00"), Source: "player"}, {Combatant: "c01", Plan: randomPlan(r, "c01"), Source: "player"},
	}}
	// What a random plan seldom does: a shot, and words.
	in.Orders[0].Plan.Steps = append(in.Orders[0].Plan.Steps, plan(t, `{"steps": [{"verb": "fire", "target": "c01", "shots": 1}, {"verb": "say", "text": "Stop!", "to": "c01"}]}`).Steps...)
	out := rulesettest.Twins{Without: in, With: in, Viewers: []game.ID{"c00"}, Apart: func(_, w game.World) bool {
		after := w.(*World)
		return after.fighter("c00").Place.X > 2 || after.fighter("c01").Place.X < 34
	}}
	out.With.World = other
	return out
}

// TestTheLurkerDoesSomething that would show if he were seen.
func TestTheLurkerDoesSomething(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		in := lurker(t, rand.New(rand.NewPCG(seed, 4))).With
		in.Dice = named(seed)
		after := ruleset(t).Resolve(settled(t, in)).World.(*World)
		if s := after.Features[len(after.Features)-1].State; s != "open" {
			t.Errorf("seed %d: the door is %s", seed, s)
		}
	}
}
