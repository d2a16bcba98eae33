package eternalsoldier

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// deedKinds are the events that somebody does himself; harm and states happen to him.
var deedKinds = []string{"melee", "fire", "throw", "wrestle", "parry", "dodge", "begin", "move", "special"}

// TestSuite tries what every system must keep.
func TestSuite(t *testing.T) {
	t.Parallel()
	rulesettest.Run(t, ruleset(t), rulesettest.Generator{
		Input: func(r *rand.Rand) resolve.Input { return randomInput(t, r) },
		Plan:  func(r *rand.Rand, _ game.World, _ game.ID) game.Plan { return randomPlan(r) },
		Twins: func(r *rand.Rand) rulesettest.Twins { return lurker(t, r) },
		Acts: func(e game.Event) bool {
			return slices.Contains(deedKinds, e.Kind) && e.Outcome != "given_up" && e.Outcome != "done"
		},
		Falls: func(e game.Event) []game.ID { return changedStatus(e, func(to string) bool { return !onFeet(to) }) },
		Rises: func(e game.Event) []game.ID { return changedStatus(e, onFeet) },
	})
}

func onFeet(status string) bool { return status == active || status == faltering }

func changedStatus(e game.Event, test func(to string) bool) []game.ID {
	var out []game.ID
	for _, c := range e.Changes {
		if c.Field == "STATUS" && test(c.To) {
			out = append(out, c.Who)
		}
	}
	return out
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomWorld is a skirmish with anything in anybody's hands.
func randomWorld(t testing.TB, r *rand.Rand, n int) *World {
	var people []game.Combatant
	taken := map[string]bool{}
	for i := range n {
		at := ""
		for at == "" || taken[at] {
			at = game.Square{X: r.IntN(16), Y: r.IntN(9)}.String()
		}
		taken[at] = true
		side := game.ID([]string{"heroes", "gang"}[i%2])
		keys := []string{
			fmt.Sprintf("agi=%d", 5+r.IntN(16)), fmt.Sprintf("str=%d", 5+r.IntN(14)), fmt.Sprintf("con=%d", 6+r.IntN(14)), fmt.Sprintf("will=%d", 3+r.IntN(16)),
			"skills.one_handed=60", "skills.two_handed=55", "skills.archery=50", "skills.one_handed_missile=60", "skills.thrown=50", "skills.defense=45.5", "skills.wrestling=50", "points.judo=7",
		}
		state := pick(r, "in_hand", "sheathed")
		keys = append(keys, "weapon="+pick(r, "long_sword", "two_handed_sword", "spear", "dagger", "bow", "submachine_gun", "shotgun", "luger", "mace")+":"+state, "item=ammo,count:40")
		if r.IntN(2) == 0 {
			keys = append(keys, "weapon="+pick(r, "grenade", "throwing_knife", "foil", "medium_shield")+":belt")
		}
		if r.IntN(3) == 0 {
			keys = append(keys, `armor=["`+pick(r, "leather", "chain_mail", "ablative", "powered")+`","force_field"]`)
		}
		if r.IntN(6) == 0 {
			keys = append(keys, "surprised=true")
		}
		if r.IntN(4) == 0 {
			keys = append(keys, "policy="+pick(r, "aggressive", "cautious", "flee"))
		}
		people = append(people, who(game.ID(fmt.Sprintf("c%02d", i)), side, at, keys...))
	}
	s := field([]string{pick(r, "surprise=d6", "stun_from_damage=true", "opposed_combat=true", "light=darkness", "set_cap=50")}, people...)
	s.Width, s.Height = 24, 16
	for y := range 5 {
		s.Features = append(s.Features, game.Feature{ID: game.ID(fmt.Sprintf("wall%d", y)), Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 17, Y: y}}})
	}
	w := world(t, s)
	for _, f := range w.Fighters {
		if r.IntN(8) == 0 {
			f.Poisons = []Poison{{Type: pick(r, "D", "F", "H"), Due: 1}}
		}
	}
	return w
}

// randomPlan is any plan, nonsense too.
func randomPlan(r *rand.Rand) game.Plan {
	var p game.Plan
	someone := func() game.Ref {
		return game.To(pick(r, "c00", "c01", "c02", "c03", "c04", "nobody", game.NearestEnemy, game.AnyEnemy, ""))
	}
	for range r.IntN(6) {
		in := game.Intent{Verb: pick(r, "melee", "melee", "fire", "throw", "quick_attack", "set_attack", "auto_fire", "wrestle", "break_free", "release", "move", "posture", "face", "ready", "reload", "use", "special", "wait", "hold", "cease_fire", "say", "fly"), Target: someone()}
		switch in.Verb {
		case "quick_attack":
			in.Early = r.IntN(5)
		case "set_attack":
			in.Wait, in.Bonus = r.IntN(4), r.IntN(60)
		case "auto_fire":
			in.Rounds = r.IntN(20)
		case "melee":
			in.Blows = r.IntN(4)
		case "move":
			in.Mode = pick(r, "walk", "run", "crawl", "fly")
			if r.IntN(2) == 0 {
				in.To, in.Target = game.AtSquare(game.Square{X: r.IntN(30), Y: r.IntN(20)}), game.Ref{}
			} else {
				in.To, in.Target = in.Target, game.Ref{}
			}
		case "posture":
			in.Posture = pick(r, "prone", "stand", "kneel", "float")
		case "ready":
			in.Action, in.Item = pick(r, "draw", "drop", "holster", "pick_up", "swap"), pick[game.ID](r, "c00-long_sword", "c01-dagger", "c02-bow", "c03-grenade")
		case "hold":
			in.Segment = r.IntN(20)
		case "special":
			in.Kind = pick(r, "free", "surrender", "hide")
		case "wrestle":
			in.Kind = pick(r, "", "arm_hold", "trip", "choke", "judo_throw", "full_pin", "break_limb", "disarm")
		case "say":
			in.Text = "Stop!"
		}
		p.Steps = append(p.Steps, in)
	}
	if r.IntN(2) == 0 {
		p.Reactions = append(p.Reactions, game.Reaction{When: game.Condition{Kind: pick(r, "declares", "hit", "within", "down", "wounded"), Who: game.Who{game.AnyEnemy}, Distance: &game.Distance{Tenths: 50, Unit: "yd"}},
			Do: []game.Intent{{Verb: "melee", Target: game.To(game.NearestEnemy)}}, Max: r.IntN(3)})
	}
	if r.IntN(2) == 0 {
		p.Standing = append(p.Standing, game.Standing{Policy: &game.Intent{Verb: "parry_policy", MinChance: r.IntN(60), GiveUp: r.IntN(2) == 0}}, game.Standing{Policy: &game.Intent{Verb: "dodge_policy", MaxPenalty: r.IntN(60), GiveUp: r.IntN(2) == 0}})
	}
	return p
}

func randomInput(t testing.TB, r *rand.Rand) resolve.Input {
	w := randomWorld(t, r, 2+r.IntN(6))
	in := resolve.Input{World: w, Turn: 1, Rounds: 1 + r.IntN(2)}
	for _, f := range w.Fighters {
		if r.IntN(6) > 0 {
			in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: randomPlan(r), Source: "player"})
		}
	}
	return in
}

// lurker puts a bystander into a room without a window, whom nobody sees and who
// moves about there.
func lurker(t testing.TB, r *rand.Rand) rulesettest.Twins {
	w := randomWorld(t, r, 6)
	room := rulesettest.Room(w.Width, w.Height)
	w.Features = append(w.Features, room)
	other := resolve.Copy(w)
	hidden := world(t, field(nil, who("zz", "neutral", "V14", "weapon=dagger:belt"))).fighter("zz")
	hidden.SeenBy = &[]game.ID{}
	other.Fighters = append(other.Fighters, hidden)
	in := resolve.Input{World: w, Turn: 1, Rounds: 1}
	out := rulesettest.Twins{}
	for _, f := range w.Fighters {
		p := randomPlan(r)
		// What hangs on the way through the room would come upon him.
		p.Steps = slices.DeleteFunc(p.Steps, func(in game.Intent) bool { return in.Verb == "move" })
		in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: p, Source: "player"})
		out.Viewers = append(out.Viewers, f.ID)
	}
	out.Without, out.With = in, in
	out.With.World = other
	out.With.Orders = append(slices.Clone(in.Orders), game.Orders{Combatant: "zz", Source: "player",
		Plan: plan(t, `{"steps": [{"verb": "ready", "action": "draw", "item": "zz-dagger"}, {"verb": "move", "to": [21, 14]}, {"verb": "posture", "posture": "prone"}]}`)})
	return out
}

// TestTheLurkerDoesSomething that would show if he were seen.
func TestTheLurkerDoesSomething(t *testing.T) {
	t.Parallel()
	in := lurker(t, rand.New(rand.NewPCG(1, 4))).With
	in.World.(*World).Settings["segments_per_turn"] = "30"
	in.Dice = named(1)
	if z := ruleset(t).Resolve(in).World.(*World).fighter("zz"); z.Posture != "prone" || z.hand("main") == nil || z.Steps != nil {
		t.Errorf("he is %s, with %d steps to go", z.Posture, len(z.Steps))
	}
}

// TestTheCutIntoTurnsDoesNotShow: a fight in windows of 1, 5 and 20 segments
// gives the same events and the same world as one of 40 (2.7).
func TestTheCutIntoTurnsDoesNotShow(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 23))
		w := randomWorld(t, r, 2+r.IntN(5))
		plans := map[game.ID]string{}
		for _, f := range w.Fighters {
			plans[f.ID] = string(encode(t, randomPlan(r)))
		}
		whole := fought(t, w, 40, 40, plans, named(seed))
		for _, n := range []int{1, 5, 20} {
			parts := fought(t, w, n, 40, plans, named(seed))
			if a, b := told(t, whole), told(t, parts); a != b {
				t.Fatalf("seed %d, windows of %d: %s", seed, n, firstDifference(a, b))
			}
		}
	}
}

// told is all that came of a fight, in words and figures. What only a turn has,
// the attacks of the last one, stands aside.
func told(t testing.TB, b *bout) string {
	var out strings.Builder
	for _, ev := range b.events {
		out.Write(encode(t, ev))
		out.WriteByte('\n')
	}
	w := resolve.Copy(b.out.World.(*World))
	w.Past, w.Turn = nil, 0
	w.Settings = nil
	out.Write(encode(t, w))
	return out.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("\n%s\nand\n%s", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(x), len(y))
}
