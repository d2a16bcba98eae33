package starfrontiers

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// named rolls every die from its name alone, as the sealed dice do.
type named uint64

func (n named) Roll(name string, sides int) game.Die {
	h := fnv.New64a()
	fmt.Fprint(h, uint64(n), name)
	return game.Die{Name: name, Sides: sides, Value: 1 + int(h.Sum64()%uint64(sides)), Source: "sealed"}
}

var testKinds = []string{"laser_pistol", "automatic_pistol", "automatic_rifle", "laser_rifle", "needler_pistol", "gyrojet_pistol", "gyrojet_rifle", "sonic_disruptor", "sword", "electrostunner", "sonic_stunner", "needler_pistol:ammo=anesthetic"}

var testGrenades = []string{"doze_grenade", "smoke_grenade", "poison_grenade", "tangler_grenade", "fragmentation_grenade", "incendiary_grenade"}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomSettings are variants of the sequence, half of the time the usual one.
func randomSettings(r *rand.Rand) []string {
	return pick(r, nil, nil, nil, []string{"sequence=side"}, []string{"sequence=individual"}, []string{"declaration=two_phase"},
		[]string{"movement=phase_low_first"}, []string{"declaration=two_phase", "movement=phase_low_first", "weather=poor"})
}

func randomWorld(t testing.TB, r *rand.Rand, n int) *World {
	s := set(battlefield(pick(r, 1, 2, 5)), randomSettings(r)...)
	s.Width, s.Height = 24, 16
	for i := range 6 {
		x, y := r.IntN(s.Width), r.IntN(s.Height)
		f := game.Feature{ID: game.ID(fmt.Sprintf("thing%d", i)), Name: "thing", Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: x, Y: y}}}
		if i%2 == 0 {
			f.Kind, f.Opaque, f.Low, f.Cover = "wall", true, false, ""
		}
		if i == 4 {
			f.Kind, f.Opaque, f.Difficult = "rubble", false, true
			f.Squares = append(f.Squares, game.Square{X: (x + 1) % s.Width, Y: y}, game.Square{X: x, Y: (y + 1) % s.Height})
		}
		if i == 5 {
			f.Kind, f.State, f.Opaque = "door", "closed", true
		}
		s.Features = append(s.Features, f)
	}
	for i := range n {
		side := pick(r, "heroes", "gang")
		if r.IntN(10) == 0 {
			side = "others"
		}
		c := who(fmt.Sprintf("c%02d", i), side, game.Square{X: r.IntN(s.Width), Y: r.IntN(s.Height)}.String(),
			fmt.Sprintf("dex=%d", 20+r.IntN(80)), fmt.Sprintf("rs=%d", 10+r.IntN(90)), fmt.Sprintf("sta=%d", 5+r.IntN(60)), "skills.medical=1",
			"weapon="+pick(r, testKinds...)+pick(r, "", ":holstered"), "weapon="+pick(r, "knife", "heavy_laser")+":holstered", "clip=powerclip",
			"item="+pick(r, "skeinsuit:capacity=4", "albedo_suit", "space_suit", "skeinsuit_civilian:carried"), "item="+pick(r, "stimdose", "staydose", "medkit"), "item="+pick(r, testGrenades...), "item=power_backpack:seu=7", "item=fragmentation_shell", "weapon="+pick(r, "grenade_rifle:loaded=doze", "machine_gun:mounted", "rocket_launcher", "axe", "spear:sheathed"), "item="+pick(r, "inertia_screen:seu=3", "albedo_screen:seu=1", "gauss_screen", "sonic_screen:off"))
		if side != "heroes" {
			c.Player = ""
			c.Policy = pick(r, "", "aggressive", "cautious", "hold", "flee", "protect")
		}
		if r.IntN(8) == 0 {
			c.Values = append(c.Values, game.Value{Key: "surprise", Raw: raw(pick(r, "check", "unaware"))})
		}
		if r.IntN(8) == 0 {
			c.Hidden = []game.ID{}
		}
		switch r.IntN(8) {
		case 0:
			c.Race = "robot"
			c.Values = append(c.Values, game.Value{Key: "level", Raw: raw("3")}, game.Value{Key: "programs", Raw: raw(pick(r, "none", "restrain", "self_defense", "attack_defense"))})
		case 1:
			c.Race, c.Weapons = "animal", nil
			c.Values = append(c.Values, game.Value{Key: "attack", Raw: raw("45")}, game.Value{Key: "damage", Raw: raw("2d10")}, game.Value{Key: "move_class", Raw: raw("fast")})
		case 2:
			c.Race = "Yazirian"
		}
		s.Combatants = append(s.Combatants, c)
	}
	return world(t, s)
}

func randomRef(r *rand.Rand) game.Ref {
	if r.IntN(4) == 0 {
		return game.AtSquare(game.Square{X: r.IntN(40) - 8, Y: r.IntN(30) - 8})
	}
	return game.To(pick[game.ID](r, "c00", "c01", "c02", "c03", "c04", "c05", "thing1", "nobody", game.NearestEnemy, game.WeakestEnemy, game.AnyEnemy, game.Trigger, game.Me, game.Leader, ""))
}

func randomCondition(r *rand.Rand, depth int) game.Condition {
	v := r.IntN(60) - 10
	c := game.Condition{
		Kind: pick(r, "within", "declares", "attacks", "los", "down", "sta", "ammo", "impossible", "wounded", "range", "opens", "enters", "leaves",
			"appears", "vanishes", "watch", "hit", "miss", "held", "surrenders", "grenade_lands", "signal", "notice", "count", "end_of_turn", "cover", "ally_in_line", ""),
		Who: game.Who{randomRef(r).ID}, Act: pick(r, "", "fire", "attack", "move", "move_toward", "any"), Object: randomRef(r), Of: randomRef(r), Area: pick(r, game.Ref{}, randomRef(r)),
		By: pick(r, "", "", randomRef(r).ID), Level: pick(r, "", "hard"), Text: pick(r, "", "hands"),
		Op: pick(r, "", "<", ">=", "="), Value: &v, Not: r.IntN(5) == 0,
	}
	if r.IntN(2) == 0 {
		c.Distance = &game.Distance{Tenths: r.IntN(400) - 50, Unit: pick(r, "m", "sq", "yd", "")}
	}
	if depth > 0 && r.IntN(3) == 0 {
		c.And = append(c.And, randomCondition(r, depth-1))
	}
	if depth > 0 && r.IntN(3) == 0 {
		c.Or = append(c.Or, randomCondition(r, depth-1))
	}
	return c
}

func randomIntent(r *rand.Rand, self game.ID, depth int) game.Intent {
	in := game.Intent{
		Verb:  pick(r, "fire", "fire", "fire", "move", "move", "posture", "face", "reload", "ready", "hold", "wait", "defend", "say", "set", "if", "special", "use", "melee", "melee", "throw", "throw", "throw", "burst", "burst", "launch", "plug", "unplug", "nonsense", ""),
		Shots: pick(r, 0, 1, 2, 3, -4, 1_000_000_000), Blows: pick(r, 0, 1, 2, -4, 1_000_000_000), Ability: pick(r, "", "str", "luck"), Target: randomRef(r), To: randomRef(r), Round: pick(r, 0, 0, 0, 1, 2, -7, 99),
		Mode: pick(r, "", "", "walk", "run", "dodge", "crawl", "swim", "jump", "glide", "blast"), Aim: r.IntN(6) == 0, Lean: r.IntN(6) == 0,
		Posture: pick(r, "prone", "stand", "crouch", "handstand"), EndPosture: pick(r, "", "crouch", "prone"),
		Action: pick(r, "draw", "holster", "drop", "pick_up", "eat", "open it", "close it", "put it on", "take it off"), Relation: pick(r, "", "behind", "onto", "past"),
		Direction: pick(r, "", "", "north", "se", "up"), Text: pick(r, "", "hello"), Setting: game.Setting{N: pick(r, 0, 1, 5, 10, -3, 1_000_000_000)},
		OnShort: pick(r, "", "use_left", "refuse"), Max: pick(r, 0, 2, -1, 1_000_000_000),
	}
	if r.IntN(2) == 0 {
		in.Weapon = game.ID(string(self) + "-" + pick(r, testKinds...))
		in.Item = in.Weapon
	}
	if r.IntN(3) == 0 {
		in.Item = game.ID(string(self) + "-" + pick(r, "stimdose", "medkit", "albedo_screen", "inertia_screen", "nothing"))
		in.State, in.On = pick(r, "on", "off", "carried", ""), randomRef(r)
		if r.IntN(3) == 0 {
			in.Item, in.State, in.Kind = "thing5", pick(r, "open", "closed", "ajar"), pick(r, "", "door", "jump")
		}
	}
	switch in.Verb {
	case "throw":
		in.Item = game.ID(string(self) + "-" + pick(r, append([]string{"axe", "spear", "nothing"}, testGrenades...)...))
		if r.IntN(4) == 0 {
			in.Item = pick[game.ID](r, "", "grenade-a1", "grenade-c3")
		}
		in.Fuse = pick(r, "", "", "impact", "1", "2", "11", "-1", "soon")
	case "burst":
		in.Weapon = game.ID(string(self) + "-" + pick(r, "automatic_pistol", "automatic_rifle", "machine_gun"))
		for range r.IntN(7) {
			in.Targets = append(in.Targets, randomRef(r))
		}
		in.Area = randomRef(r)
	case "launch":
		in.Weapon = pick(r, "", self+"-grenade_rifle")
		in.Shell = pick(r, "", self+"-fragmentation_shell")
	case "plug", "unplug":
		in.Device = game.ID(string(self) + "-" + pick(r, "laser_pistol", "inertia_screen", "albedo_screen", "sonic_disruptor", "heavy_laser"))
		in.Pack = pick(r, "", self+"-power_backpack", "nothing")
	case "reload":
		in.Weapon, in.Ammo = pick(r, "", self+"-grenade_rifle", in.Weapon), pick(r, "", "fragmentation", "barbed", "none")
	}
	if r.IntN(8) == 0 {
		in.AwayFrom = randomRef(r)
	}
	if r.IntN(4) == 0 {
		in.Distance = &game.Distance{Tenths: pick(r, 100, 0, -50, 1_000_000), Unit: "m"}
	}
	if r.IntN(8) == 0 {
		c := randomCondition(r, 1)
		in.StopWhen, in.Until = &c, &c
	}
	if in.Verb == "if" {
		c := randomCondition(r, 2)
		in.When = &c
		if depth > 0 {
			for range r.IntN(3) {
				in.Then = append(in.Then, randomIntent(r, self, depth-1))
				in.Else = append(in.Else, randomIntent(r, self, depth-1))
			}
		}
	}
	return in
}

func randomPlan(r *rand.Rand, self game.ID) game.Plan {
	var p game.Plan
	for range r.IntN(6) {
		p.Steps = append(p.Steps, randomIntent(r, self, 4))
	}
	for range r.IntN(3) {
		x := game.Reaction{When: randomCondition(r, 2), Max: pick(r, 0, 1, 3, -1, 1_000_000), Until: pick(r, "", "next_turn", "cancelled", "never")}
		if r.IntN(2) == 0 {
			n := r.IntN(8) - 1
			x.Slot = &n
		}
		for range 1 + r.IntN(2) {
			x.Do = append(x.Do, randomIntent(r, self, 1))
		}
		p.Reactions = append(p.Reactions, x)
	}
	if r.IntN(3) == 0 {
		p.Say = append(p.Say, game.Speech{Text: "Hands up!"})
	}
	if r.IntN(4) == 0 {
		in := randomIntent(r, self, 1)
		p.Standing = append(p.Standing, game.Standing{Policy: &in})
	}
	return p
}

func randomInput(t testing.TB, r *rand.Rand, n int) resolve.Input {
	w := randomWorld(t, r, n)
	in := resolve.Input{World: w, Turn: 1, Rounds: pick(r, 1, 1, 2, 3, -1), Dice: named(r.Uint64())}
	for _, f := range w.Fighters {
		if r.IntN(6) > 0 {
			in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: randomPlan(r, f.ID), Source: "player"})
		}
	}
	return in
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sane checks what must be true of every outcome.
func sane(t testing.TB, in resolve.Input, out resolve.Outcome) {
	t.Helper()
	before := in.World.(*World)
	after := out.World.(*World)
	now := map[game.ID]int{}
	able := map[game.ID]bool{}
	for _, f := range before.Fighters {
		now[f.ID], able[f.ID] = f.Now, f.able()
	}
	refs := map[string]bool{}
	for _, ev := range out.Events {
		if refs[ev.Ref] {
			t.Fatalf("the ref %s names two events", ev.Ref)
		}
		refs[ev.Ref] = true
		if !able[ev.Actor] && ev.Kind != "ruling" && ev.Kind != "status" && ev.Kind != "explosion" && ev.Kind != "lost" && ev.Reason != "out_of_action" {
			t.Fatalf("%s acts while unable: %s %s", ev.Actor, ev.Ref, ev.Kind)
		}
		for _, c := range ev.Changes {
			if c.Field == "STATUS" && (c.From == "able" || c.To == "able") {
				able[c.Who] = c.To == "able"
			}
		}
		for viewer, grade := range ev.Seen {
			if ev.Text[grade] == "" {
				t.Fatalf("%s has no text for %s, who has grade %s", ev.Ref, viewer, grade)
			}
		}
		if ev.Text[game.All] == "" {
			t.Fatalf("%s has no text for the GM", ev.Ref)
		}
	}
	for _, f := range after.Fighters {
		if !newGrid(nil, after.Width, after.Height, 1).inside(f.Place) {
			t.Fatalf("%s left the map: %v", f.ID, f.Place)
		}
		for _, wp := range f.Weapons {
			if wp.Left < 0 || wp.Left > wp.Full {
				t.Fatalf("%s has %d of %d", wp.ID, wp.Left, wp.Full)
			}
		}
		for _, it := range f.Items {
			if it.Count < 0 {
				t.Fatalf("%s: %d", it.ID, it.Count)
			}
			for _, wp := range f.Weapons {
				if wp.Cord != nil && wp.Cord.Pack == it.ID && wp.Left != it.Left {
					t.Fatalf("%s has %d, its pack %d", wp.ID, wp.Left, it.Left)
				}
			}
		}
	}
	if out.Pause != nil {
		if after.Stage == nil || len(out.Pause.Asks) == 0 || after.Turn != before.Turn {
			t.Fatalf("a pause that nobody can answer: %+v", out.Pause)
		}
		return
	}
	if after.Stage != nil {
		t.Fatal("the turn is over, and its pause is not")
	}
	if after.Played <= before.Played || after.Turn <= before.Turn {
		t.Fatalf("time stands still: %d, %d", after.Played, after.Turn)
	}
}

// settled plays a turn up to its last phase; nobody orders anew.
func settled(t testing.TB, in resolve.Input) resolve.Input {
	t.Helper()
	for range 20 {
		out := ruleset(t).Resolve(in)
		if out.Pause == nil {
			return in
		}
		sane(t, in, out)
		in.World, in.Orders, in.Phase = out.World, nil, in.Phase+1
	}
	t.Fatal("there is no end to the pauses")
	return in
}

// TestTwoTurnsAreSane: what this system's worlds and events must be besides the
// properties of all systems (TestSuite), in a second turn too.
func TestTwoTurnsAreSane(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		in := randomInput(t, r, 2+r.IntN(8))
		orders := in.Orders
		in = settled(t, in)
		out := rules.Resolve(in)
		sane(t, in, out)
		in.World, in.Orders, in.Phase = out.World, orders, 0
		in.Turn = out.World.(*World).Turn
		in = settled(t, in)
		sane(t, in, rules.Resolve(in))
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(uint64(1), uint64(2), 6)
	f.Add(uint64(3), uint64(4), 12)
	f.Fuzz(func(t *testing.T, a, b uint64, n int) {
		r := rand.New(rand.NewPCG(a, b))
		in := settled(t, randomInput(t, r, 1+(n%10+10)%10))
		sane(t, in, ruleset(t).Resolve(in))
	})
}

func FuzzResolvePlan(f *testing.F) {
	for _, p := range s1Plans {
		f.Add(p, p)
	}
	f.Add(s2Plans["bobo"], `{"steps": [{"verb": "fire", "shots": -1}]}`)
	f.Fuzz(func(t *testing.T, one, two string) {
		var a, b game.Plan
		if json.Unmarshal([]byte(one), &a) != nil || json.Unmarshal([]byte(two), &b) != nil {
			return
		}
		w := s2(t)
		in := resolve.Input{World: w, Turn: 1, Rounds: 2, Dice: named(7), Orders: []game.Orders{{Combatant: "bobo", Plan: a}, {Combatant: "yaz", Plan: b}}}
		sane(t, in, ruleset(t).Resolve(in))
	})
}

func benchmarkResolve(b *testing.B, n int) {
	s := battlefield(2)
	s.Width, s.Height = 60, 60
	for i := range 2 * n {
		side, x, player := "heroes", 2, game.ID("p")
		if i >= n {
			side, x, player = "gang", 40, ""
		}
		c := who(fmt.Sprintf("c%03d", i), side, game.Square{X: x + i%n/20, Y: i % 20 * 3}.String(), "weapon=automatic_rifle", "sta=50")
		c.Player, c.Policy = player, "aggressive"
		s.Combatants = append(s.Combatants, c)
	}
	s.Features = []game.Feature{{ID: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 20, Y: 5}, {X: 20, Y: 6}, {X: 20, Y: 7}}}}
	w := world(b, s)
	in := resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: named(1)}
	for _, f := range w.Fighters {
		in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: ruleset(b).Default(ruleset(b).See(w, f.ID)), Source: "policy"})
	}
	slices.Reverse(in.Orders)
	rules := ruleset(b)
	var out resolve.Outcome
	for b.Loop() {
		out = rules.Resolve(in)
	}
	pairs := float64(len(out.Events) * len(w.Fighters))
	b.ReportMetric(float64(len(out.Events)), "events")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/event/viewer")
}

// BenchmarkResolveGrowth shows that the work grows at most as events times viewers:
// the last figure of a line does not rise with the number of fighters.
func BenchmarkResolveGrowth(b *testing.B) {
	for _, n := range []int{4, 8, 16, 32, 64, 128} {
		b.Run(fmt.Sprintf("%dv%d", n, n), func(b *testing.B) { benchmarkResolve(b, n) })
	}
}

func BenchmarkResolve8v8(b *testing.B)     { benchmarkResolve(b, 8) }
func BenchmarkResolve100v100(b *testing.B) { benchmarkResolve(b, 100) }
