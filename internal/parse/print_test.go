package parse

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pbemd/pbemd/internal/game"
)

// What a receipt prints is valid input: printing a plan and reading it again
// gives the same plan.
func TestPrintedPlanReadsAsTheSamePlan(t *testing.T) {
	t.Parallel()
	for seed := range uint64(800) {
		g := planMaker{rand.New(rand.NewPCG(seed, 1)), shed()}
		want := g.plan()
		text := Phrases(want, g.a.Vocabulary)
		got := Orders(linesOf(strings.Join(text, "\n")), []Actor{g.a})[0]
		opts := []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(game.Intent{}, "At"), cmpopts.IgnoreFields(game.Reaction{}, "At")}
		if diff := cmp.Diff(want, got.Plan, opts...); diff != "" {
			t.Fatalf("seed %d:\n%s\n(-want +got):\n%s\n%+v", seed, strings.Join(text, "\n"), diff, got.Problems)
		}
		for _, p := range got.Problems {
			if p.Kind != "gm_question" {
				t.Fatalf("seed %d:\n%s\nproblem %+v", seed, strings.Join(text, "\n"), p)
			}
		}
	}
}

// Printing is stable: the second receipt says what the first said.
func TestPrintingTwiceSaysTheSame(t *testing.T) {
	t.Parallel()
	a := shed()
	for _, text := range []string{
		"fire laser x2 @ zog, full power", "hold my second shot: if Zog comes within 10 m, shoot him", "duck behind the grey crates",
		"if zog is down, shoot the robot twice, else reload", "I shout \"halt!\" and run to E4", "shoot anyone who comes within 5 yd",
	} {
		once := Phrases(Orders(linesOf(text), []Actor{a})[0].Plan, a.Vocabulary)
		twice := Phrases(Orders(linesOf(strings.Join(once, "\n")), []Actor{a})[0].Plan, a.Vocabulary)
		if diff := cmp.Diff(once, twice); diff != "" || len(once) == 0 {
			t.Errorf("%s: %q (-once +twice):\n%s", text, once, diff)
		}
	}
}

func TestNamesakesArePrintedByID(t *testing.T) {
	t.Parallel()
	a := shed()
	a.Vocabulary.People[5].Names = []string{"scarred Yazirian"}
	if got := Phrase(game.Intent{Verb: "fire", Shots: 1, Target: game.To("yaz_vest")}, a.Vocabulary); got != "fire 1 shot at yaz_vest" {
		t.Errorf("got %q", got)
	}
	r := Orders(linesOf("fire 1 shot at yaz_vest"), []Actor{a})[0]
	if len(r.Plan.Steps) != 1 || r.Plan.Steps[0].Target.ID != "yaz_vest" {
		t.Errorf("%+v", r.Plan)
	}
}

// planMaker makes plans that a letter could have held.
type planMaker struct {
	r *rand.Rand
	a Actor
}

func pick[T any](g planMaker, list ...T) T { return list[g.r.IntN(len(list))] }

func (g planMaker) plan() game.Plan {
	var p game.Plan
	moves := false
	for range g.r.IntN(4) {
		in := g.intent(2)
		moves = moves || in.Verb == "move"
		p.Steps = append(p.Steps, in)
	}
	if g.r.IntN(4) == 0 {
		n := 1 + g.r.IntN(2)
		in := game.Intent{Verb: "hold"}
		if n > 1 {
			in.Max = n
		}
		p.Steps = append(p.Steps, in)
		for range n {
			slot := len(p.Steps) - 1
			re := g.reaction()
			re.Slot = &slot
			p.Reactions = append(p.Reactions, re)
		}
	}
	if g.r.IntN(3) == 0 {
		p.Steps = append(p.Steps, game.Intent{Verb: "posture", Posture: "prone"})
	}
	for range g.r.IntN(3) {
		p.Reactions = append(p.Reactions, g.reaction())
	}
	if g.r.IntN(5) == 0 {
		re := g.reaction()
		p.Standing = append(p.Standing, game.Standing{Reaction: &re})
	}
	if g.r.IntN(4) == 0 {
		p.Say = append(p.Say, game.Speech{Text: pick(g, "Get down!", "Fire at Zog", "Run, all of you"), To: pick(g, game.ID(""), "zorg")})
	}
	if g.r.IntN(5) == 0 {
		p.Ask = append(p.Ask, game.Text{Text: "How far is Zog?"})
	}
	return p
}

func (g planMaker) enemy() game.Ref {
	return game.To(pick(g, game.ID("zog"), "robot", "yaz_scar", "yaz_vest", "dral", game.NearestEnemy))
}

func (g planMaker) intent(depth int) game.Intent {
	n := 14
	if depth > 0 {
		n = 16
	}
	switch g.r.IntN(n) {
	case 0, 1, 2:
		return g.fire(g.enemy())
	case 3, 4:
		return g.move()
	case 5:
		return game.Intent{Verb: "posture", Posture: pick(g, "prone", "stand", "kneel", "crouch")}
	case 6:
		return game.Intent{Verb: "reload", Weapon: "mira-laser"}
	case 7:
		return game.Intent{Verb: "ready", Action: pick(g, "draw", "drop", "pick_up", "swap", "holster"), Item: "mira-vibro"}
	case 8:
		return game.Intent{Verb: "set", Item: "mira-laser", Setting: pick(g, game.Setting{N: 7}, game.Setting{Max: true})}
	case 9:
		return pick(g, game.Intent{Verb: "face", Direction: "nw"}, game.Intent{Verb: "face", Target: game.To("zog")})
	case 10:
		in := game.Intent{
			Verb: "melee", Weapon: pick(g, game.ID("mira-vibro"), "mira-laser", game.BareHands), Target: g.enemy(),
			Blows: 1 + g.r.IntN(2), Ability: pick(g, "", "", "str", "dex"),
		}
		if g.r.IntN(6) == 0 && in.Target.ID == "zog" {
			in.Until = &game.Condition{Kind: "down", Object: in.Target}
		}
		if g.r.IntN(3) == 0 {
			in.Weapon, in.Mode = "mira-stick", pick(g, "stun", "shock")
		}
		return in
	case 11:
		return pick(g, game.Intent{Verb: "use", Item: "mira-stim", On: game.To("zorg")}, game.Intent{Verb: "use", Item: "mira-kit", On: game.To("chirik")}, game.Intent{Verb: "use", Item: "mira-stim"})
	case 12:
		return pick(g, game.Intent{Verb: "set", Item: "mira-screen", State: pick(g, "on", "off")}, game.Intent{Verb: "set", Item: "mira-stick", Mode: pick(g, "stun", "shock")})
	case 13:
		return game.Intent{Verb: "special", Kind: "free", Text: pick(g, "I kick the lamp over, then laugh", "hide and fire at nobody")}
	}
	when := g.condition(1)
	in := game.Intent{Verb: "if", When: &when, Then: []game.Intent{g.intent(depth - 1)}}
	if g.r.IntN(2) == 0 {
		in.Then = append(in.Then, g.intent(depth-1))
	}
	if g.r.IntN(2) == 0 {
		in.Else = []game.Intent{g.intent(depth - 1)}
	}
	return in
}

func (g planMaker) fire(target game.Ref) game.Intent {
	in := game.Intent{Verb: "fire", Weapon: "mira-laser", Target: target, Shots: 1 + g.r.IntN(3)}
	switch g.r.IntN(4) {
	case 0:
		in.Setting = game.Setting{N: 1 + g.r.IntN(10)}
	case 1:
		in.Setting = game.Setting{Max: true}
	}
	if g.r.IntN(6) == 0 && target.ID == "zog" {
		in.Until = &game.Condition{Kind: "down", Object: target}
	}
	in.Aim = g.r.IntN(4) == 0
	in.Lean = g.r.IntN(5) == 0
	return in
}

func (g planMaker) move() game.Intent {
	in := game.Intent{Verb: "move", Mode: pick(g, "", "walk", "run", "dodge", "crawl", "climb", "swim", "glide", "jump")}
	d := game.Distance{Tenths: pick(g, 50, 25, 120), Unit: pick(g, "m", "yd", "ft", "sq")}
	switch g.r.IntN(5) {
	case 0:
		in.To = game.AtSquare(game.Square{X: g.r.IntN(40), Y: g.r.IntN(30)})
	case 1:
		in.To, in.Relation = game.To(pick(g, game.ID("crates_grey"), "pillar", "zog", "zorg", "office_door")), pick(g, "", "behind", "beside", "in_front", "onto", "under", "around")
	case 2:
		in.Direction = pick(g, "n", "ne", "e", "se", "s", "sw", "w", "nw", "forward", "back", "left", "right")
		in.Distance = &d
	case 3:
		in.AwayFrom = game.To("zog")
	case 4:
		in.Mode, in.Follow = "", game.To("zorg")
	}
	if g.r.IntN(4) == 0 {
		in.EndPosture = pick(g, "prone", "kneel", "crouch")
	}
	return in
}

func (g planMaker) reaction() game.Reaction {
	re := game.Reaction{When: g.event(), Max: pick(g, 0, 0, 2), Until: pick(g, "", "", "end_of_turn", "next_turn", "cancelled")}
	target := game.To(game.Trigger)
	if len(re.When.Who) == 1 && !strings.Contains(string(re.When.Who[0]), ":") && re.When.Who[0] != game.AnyEnemy {
		target = game.To(re.When.Who[0])
	}
	re.Do = []game.Intent{g.fire(target)}
	switch g.r.IntN(4) {
	case 0:
		re.Do = append(re.Do, g.move())
	case 1:
		re.Do = []game.Intent{{Verb: "posture", Posture: "prone"}}
	case 2:
		re.Do = []game.Intent{{Verb: "say", Text: "Halt!"}, g.fire(target)}
	}
	return re
}

func (g planMaker) event() game.Condition {
	who := pick(g, game.Who{"zog"}, game.Who{"robot"}, game.Who{game.AnyEnemy}, game.Who{"race:Yazirian"}, game.Who{"zog", "robot"})
	var c game.Condition
	if g.r.IntN(2) == 0 {
		c = game.Condition{Kind: "within", Who: who, Distance: &game.Distance{Tenths: 100, Unit: pick(g, "m", "yd")}, Of: game.To(pick(g, game.Me, "zorg", "pillar"))}
	} else {
		c = game.Condition{Kind: "declares", Who: who, Act: pick(g, "fire", "throw", "attack", "move", "move_toward", "move_away", "reload", "draw", "use", "speak", "any", "wrestle", "melee")}
		switch c.Act {
		case "fire", "throw", "attack", "move_toward", "wrestle", "melee":
			c.Object = pick(g, game.Ref{}, game.To(game.Me), game.To("zorg"))
		}
	}
	switch g.r.IntN(5) {
	case 0:
		c.And = []game.Condition{g.state()}
	case 1:
		c.Or = []game.Condition{{Kind: "declares", Who: game.Who{"dral"}, Act: "fire"}}
	}
	return c
}

func (g planMaker) state() game.Condition {
	v := 1 + g.r.IntN(30)
	op := pick(g, "<", "<=", ">=", ">")
	c := pick(g,
		game.Condition{Kind: "down", Object: game.To(pick(g, game.ID("zog"), game.Me))},
		game.Condition{Kind: "los", Who: game.Who{pick(g, game.ID("zog"), game.AnyEnemy)}},
		game.Condition{Kind: "within", Who: game.Who{"zog"}, Distance: &game.Distance{Tenths: 55, Unit: "m"}, Of: game.To(game.Me)},
		game.Condition{Kind: "sta", Object: game.To(game.Me), Op: op, Value: &v},
		game.Condition{Kind: "ammo", Weapon: "mira-laser", Op: op, Value: &v},
	)
	c.Not = g.r.IntN(3) == 0
	return c
}

func (g planMaker) condition(depth int) game.Condition {
	if g.r.IntN(8) == 0 {
		return game.Condition{Kind: "impossible"}
	}
	c := g.state()
	if g.r.IntN(6) == 0 {
		c = game.Condition{Kind: "declares", Who: game.Who{"zog"}, Act: "fire", Not: g.r.IntN(2) == 0}
	}
	if depth > 0 && g.r.IntN(3) == 0 {
		c.And = append(c.And, g.condition(depth-1))
	}
	if depth > 0 && g.r.IntN(3) == 0 {
		c.Or = append(c.Or, g.condition(depth-1))
	}
	return c
}
