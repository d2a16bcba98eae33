package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// Sums of 22.4 for blows.
func TestToHitInMeleeTH(t *testing.T) {
	t.Parallel()
	tables := ruleset(t).t
	for _, c := range []struct {
		id   string
		b    blow
		want int
	}{
		{"TH-11 level 1", blow{robot: 1}, 40},
		{"TH-11 level 2", blow{robot: 2}, 50},
		{"TH-11 level 3", blow{robot: 3}, 60},
		{"TH-11 level 4", blow{robot: 4}, 70},
		{"TH-11 level 5", blow{robot: 5}, 80},
		{"TH-11 level 6", blow{robot: 6}, 90},
		{"TH-13", blow{base: 45, helpless: true}, 65},
		{"TH-14", blow{ability: "DEX", score: 55, skill: 2, toHit: 10, behind: true}, 78},
		{"TH-15", blow{base: 65, rage: true}, 85},
		{"TH-16", blow{ability: "DEX", score: 40, skill: 4}, 60},
		{"TH-17 defending", blow{base: 60, defending: true}, 45},
		{"TH-17 target encumbered", blow{base: 60, targetEncumbered: true}, 70},
		{"TH-17 attacker encumbered", blow{base: 60, encumbered: true}, 50},
		{"TH-17 wounded", blow{base: 60, wounded: true}, 50},
		{"helpless and from behind is not twice 20", blow{base: 60, helpless: true, behind: true}, 80},
		{"an unaware target", blow{base: 60, unaware: true}, 80},
	} {
		if _, got := tables.sumBlow(c.b); got != c.want {
			t.Errorf("%s: %d, want %d", c.id, got, c.want)
		}
	}
}

// brawl is two who stand next to each other and face each other.
func brawl(t testing.TB, bobo, zog []string, settings ...string) *World {
	return world(t, set(battlefield(2,
		who("bobo", "heroes", "E5", append([]string{"str=50", "dex=40", "rs=50", "sta=50", "facing=E"}, bobo...)...),
		who("zog", "gang", "F5", append([]string{"str=40", "dex=40", "rs=50", "sta=50", "facing=W"}, zog...)...),
	), settings...))
}

const punches = `{"steps": [{"verb": "melee", "weapon": "bare", "target": "zog", "blows": 2}]}`

func TestS6BoboPunches(t *testing.T) {
	t.Parallel()
	scripts := map[string][]int{"init/player-bobo": {8}, "init/player-zog": {5}, "hit/bobo": {21, 21}, "hit/zog": {99}, "fumble/zog": {10}}
	zog := `{"steps": [{"verb": "fire", "target": "bobo", "shots": 1}]}`
	out := run(t, brawl(t, nil, []string{"weapon=automatic_pistol"}), map[game.ID]string{"bobo": punches, "zog": zog}, scripts)
	expect(t, out, `
13 bobo/r1.1 hit 21/25 damage 3 STA 50>47
10 zog/r1.1 miss 99/30
7 bobo/r1.2 hit 21/25 damage 3 STA 47>44
`)
	scripts["hit/bobo"] = []int{20}
	out = run(t, brawl(t, nil, []string{"weapon=automatic_pistol", "sta_now=2"}), map[game.ID]string{"bobo": punches, "zog": zog}, scripts)
	expect(t, out, `
13 bobo/r1.1 hit 20/25 damage 3 STA 2>-1
10 zog/r1.1 lost (out_of_action)
7 bobo/r1.2 lost (target_down)
`)
	// Or it goes to the target of the fallback.
	w := world(t, battlefield(2,
		who("bobo", "heroes", "E5", "str=50", "dex=40", "rs=50", "sta=50", "facing=E"),
		who("kira", "gang", "F4", "sta=50", "facing=W"), who("zog", "gang", "F5", "sta=50", "sta_now=2", "facing=W"),
	))
	out = run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "weapon": "bare", "target": "zog", "blows": 2},
		{"verb": "if", "when": {"kind": "impossible"}, "then": [{"verb": "melee", "weapon": "bare", "target": "kira", "blows": 1}]}]}`},
		map[string][]int{"init/player-bobo": {8}, "init/player-kira": {1}, "init/player-zog": {1}, "hit/bobo": {20, 19}})
	expect(t, out, `
13 bobo/r1.1 hit 20/25 damage 3 STA 2>-1
7 bobo/r1.2 hit 19/25 damage 3 STA 50>47
6 kira/r1.1 done
6 zog/r1.1 lost (out_of_action)
`)
}

func TestMeleeLockML(t *testing.T) {
	t.Parallel()
	const hit, shoot, away = `{"steps": [{"verb": "melee", "target": "bobo"}]}`, `{"steps": [{"verb": "fire", "target": "bobo", "shots": 1}]}`, `{"steps": [{"verb": "move", "to": "A5", "mode": "run"}]}`
	held := `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "declares", "who": "bobo", "act": "any"}, "do": [{"verb": "melee", "target": "bobo"}]}]}`
	gun := []string{"weapon=automatic_pistol"}
	for _, c := range []struct {
		id     string
		zog    string
		moves  bool
		ruling string
	}{
		{"ML-1", hit, false, ""},
		{"ML-2", shoot, true, ""},
		{"ML-5", held, true, ""},
		{"a blow on nobody in particular locks", `{"steps": [{"verb": "melee"}]}`, false, ""},
		{"a conditional blow does not", `{"steps": [{"verb": "if", "when": {"kind": "los", "who": "bobo"}, "then": [{"verb": "melee", "target": "bobo"}]}]}`, true, ""},
		{"the GM lifts it", hit, true, "no"},
		{"the GM grants it", shoot, false, "yes"},
	} {
		var rulings []game.Ruling
		if c.ruling != "" {
			rulings = append(rulings, game.Ruling{N: 1, Kind: game.RuleSet, Ref: "bobo/r1.i", Who: "bobo", Field: "LOCKED", Value: c.ruling, Text: "bobo LOCKED " + c.ruling})
		}
		out := run(t, brawl(t, nil, gun), map[game.ID]string{"bobo": away, "zog": c.zog}, map[string][]int{"init/player-bobo": {9}, "init/player-zog": {1}}, rulings...)
		moved := out.World.(*World).fighter("bobo").Place != game.Square{X: 4, Y: 4}
		if moved != c.moves || len(out.Unused) > 0 {
			t.Errorf("%s: moved %v, want %v; unused %v\n%s", c.id, moved, c.moves, out.Unused, story(out))
		}
		if !c.moves {
			if ev := event(t, out, "bobo/r1.1m"); ev.Reason != "melee_lock" || ev.Rule != "7.2" {
				t.Errorf("%s: %s %s", c.id, ev.Reason, ev.Rule)
			}
		}
	}
	w := world(t, battlefield(1, who("bobo", "heroes", "E5", "facing=E"), who("zog", "gang", "H5", "facing=W")))
	out := run(t, w, map[game.ID]string{"bobo": away, "zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`}, nil)
	if got := out.World.(*World).fighter("bobo").Place; got != (game.Square{X: 0, Y: 4}) {
		t.Errorf("ML-3: three squares of 1 m: %s\n%s", got, story(out))
	}
}

func TestML4TheSlowerStepsIn(t *testing.T) {
	t.Parallel()
	plans := map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`}
	scripts := map[string][]int{"init/player-bobo": {4}, "init/player-zog": {7}, "hit/bobo": {90}, "hit/zog": {90}}
	out := run(t, brawl(t, nil, nil), plans, scripts)
	expect(t, out, `
9 bobo/r1.l done AT E5>F5
12 zog/r1.1 miss 90/20
9 bobo/r1.1 miss 90/25
`)
	plans["bobo"] = `{"steps": [{"verb": "wait"}, {"verb": "melee", "target": "zog"}]}`
	out = run(t, brawl(t, nil, nil), plans, scripts)
	if got := out.World.(*World).fighter("bobo").Place; got != (game.Square{X: 4, Y: 4}) {
		t.Errorf("told to stay, he goes to %s", got)
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		metres   int
		zog      string
		diagonal string
		reached  bool
	}{
		{"2 m squares, the neighbour", 2, "F5", "true", true},
		{"2 m squares, a diagonal", 2, "F6", "true", true},
		{"2 m squares, a diagonal by true distance", 2, "F6", "false", false},
		{"2 m squares, two away", 2, "G5", "true", false},
		{"1 m squares, two away", 1, "G5", "true", true},
		{"5 m squares, the neighbour", 5, "F5", "true", false},
		{"5 m squares, the same", 5, "E5", "true", true},
	} {
		w := world(t, set(battlefield(c.metres, who("bobo", "heroes", "E5", "facing=E"), who("zog", "gang", c.zog, "facing=W")), "melee_diagonal="+c.diagonal))
		p, problems := ruleset(t).Check(ruleset(t).See(w, "bobo"), plan(t, punches))
		if got := len(p.Steps) > 0; got != c.reached || !got && !strings.Contains(problems[0].Text, "a blow reaches 2 m") {
			t.Errorf("%s: %v, want %v: %v", c.name, got, c.reached, problems)
		}
	}
}

func TestBlowsInTheSum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		bobo, zog []string
		plan      string
		other     string // Zog's plan
		want      string // lines of the sum
	}{
		{"bare hands, the better ability", nil, nil, punches, "", "Basic chance, half of STR 50 +25"},
		{"the other ability on demand", nil, nil, `{"steps": [{"verb": "melee", "target": "zog", "ability": "dex"}]}`, "", "Basic chance, half of DEX 40 +20"},
		{"a defender", nil, nil, punches, `{"steps": [{"verb": "defend"}]}`, "Basic chance, half of STR 50 +25\nTarget defending himself -15"},
		{"from behind", nil, []string{"facing=E"}, punches, "", "Basic chance, half of STR 50 +25\nTarget struck from behind +20"},
		{"a defender's back", nil, []string{"facing=E"}, punches, `{"steps": [{"verb": "defend"}]}`, "Basic chance, half of STR 50 +25\nTarget struck from behind +20"},
		{"not seen coming", []string{"hidden="}, nil, punches, "", "Basic chance, half of STR 50 +25\nTarget unaware +20"},
		{"one who lies stunned", nil, []string{"status=stunned"}, punches, "", "Basic chance, half of STR 50 +25\nTarget helpless +20"},
		{"loads", []string{"carried_kg=40"}, []string{"carried_kg=30"}, punches, "", "Basic chance, half of STR 50 +25\nTarget encumbered +10\nAttacker encumbered -10"},
		{"wounds", []string{"sta_now=20"}, nil, punches, "", "Basic chance, half of STR 50 +25\nAttacker wounded -10"},
		{"a sword with skill", []string{"weapon=sword", "skills.melee=2"}, nil, `{"steps": [{"verb": "melee", "target": "zog"}]}`, "", "Basic chance, half of STR 50 +25\nSkill 2 +20"},
		{"a pistol butt is a club", []string{"weapon=automatic_pistol", "skills.melee=1"}, nil, `{"steps": [{"verb": "melee", "weapon": "bobo-automatic_pistol", "target": "zog"}]}`, "", "Basic chance, half of STR 50 +25\nSkill 1 +10"},
	} {
		plans := map[game.ID]string{"bobo": c.plan}
		if c.other != "" {
			plans["zog"] = c.other
		}
		out := run(t, brawl(t, c.bobo, c.zog), plans, map[string][]int{"hit/bobo": {90}})
		ev := event(t, out, "bobo/r1.1")
		end := slices.IndexFunc(ev.Lines, func(l game.Line) bool { return l.Label == "Chance" })
		if end < 0 {
			t.Errorf("%s: %s (%s)", c.name, ev.Outcome, ev.Reason)
			continue
		}
		var got []string
		for _, l := range ev.Lines[:end] {
			got = append(got, l.Label+" "+l.Value)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestWhatBlowsDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		bobo  []string
		plan  string
		roll  int
		dmg   []int
		zog   int // STA of 50
		left  int // of the weapon
		doubt string
	}{
		{"DM-11 a punch with Martial Arts 3", []string{"skills.martial_arts=3"}, punches, 50, nil, 44, -1, ""},
		{"DM-11 critical", []string{"skills.martial_arts=3"}, punches, 5, nil, 38, -1, ""},
		{"a sword adds the punching score", []string{"weapon=sword"}, `{"steps": [{"verb": "melee", "target": "zog"}]}`, 20, []int{1, 2, 3}, 41, 0, "sword: damage"},
		{"a vibroknife uses power for a hit", []string{"weapon=vibroknife"}, `{"steps": [{"verb": "melee", "target": "zog"}]}`, 20, []int{1, 2}, 47, 19, "vibroknife: damage"},
		{"and none for a miss", []string{"weapon=vibroknife"}, `{"steps": [{"verb": "melee", "target": "zog"}]}`, 80, nil, 50, 20, "vibroknife: to_hit"},
		{"a drawn knife", []string{"weapon=knife:sheathed"}, `{"steps": [{"verb": "melee", "weapon": "bobo-knife", "target": "zog"}]}`, 20, []int{4}, 43, 0, "knife: to_hit"},
	} {
		out := run(t, brawl(t, c.bobo, nil), map[game.ID]string{"bobo": c.plan}, map[string][]int{"hit/bobo": {c.roll, 90}, "dmg/bobo": c.dmg})
		w := out.World.(*World)
		if got := w.fighter("zog").Now; got != c.zog {
			t.Errorf("%s: STA %d, want %d\n%s", c.name, got, c.zog, story(out))
		}
		if bobo := w.fighter("bobo"); c.left >= 0 && (bobo.Weapons[0].Left != c.left || !bobo.Weapons[0].inHand()) {
			t.Errorf("%s: %+v", c.name, bobo.Weapons[0])
		}
		if ev := event(t, out, "bobo/r1.1"); c.doubt != "" && !slices.Contains(ev.Unverified, c.doubt) {
			t.Errorf("%s: unverified %v", c.name, ev.Unverified)
		}
	}
}

func TestMeleeFumbles(t *testing.T) {
	t.Parallel()
	scripts := map[string][]int{"hit/bobo": {97}, "fumble/bobo": {96}, "dist/bobo": {5}, "dir/bobo": {3}}
	out := run(t, brawl(t, []string{"weapon=sword"}, nil), map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "target": "zog"}]}`}, scripts)
	if sword := out.World.(*World).fighter("bobo").Weapons[0]; sword.State != "on_ground" {
		t.Errorf("%+v", sword)
	}
	out = run(t, brawl(t, nil, nil), map[game.ID]string{"bobo": punches}, map[string][]int{"hit/bobo": {97, 50}, "fumble/bobo": {96}})
	if f := out.World.(*World).fighter("bobo"); f.Posture != "prone" || event(t, out, "bobo/r1.1").Outcome != "fumble" {
		t.Errorf("%s\n%s", f.Posture, story(out))
	}
}

func TestChecksOfBlows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		plan  string
		steps int
		want  string // part of a problem
	}{
		{"no such weapon", `{"steps": [{"verb": "melee", "weapon": "axe", "target": "zog"}]}`, 0, `There is no "axe"`},
		{"a weapon too heavy to swing", `{"steps": [{"verb": "melee", "weapon": "bobo-heavy_laser", "target": "zog"}]}`, 0, "Nobody can strike with the heavy laser"},
		{"a friend", `{"steps": [{"verb": "melee", "target": "lani"}]}`, 0, "on your own side"},
		{"oneself", `{"steps": [{"verb": "melee", "target": "me"}]}`, 0, "a blow at oneself"},
		{"nobody", `{"steps": [{"verb": "melee", "target": "kira"}]}`, 0, "sees nobody called"},
		{"a square", `{"steps": [{"verb": "melee", "target": "E6"}]}`, 0, "Blows at places"},
		{"nobody in particular", `{"steps": [{"verb": "melee"}]}`, 1, ""},
		{"three punches of two", `{"steps": [{"verb": "melee", "weapon": "bare", "target": "zog", "blows": 3}]}`, 1, "3 actions in a turn; Bobo has 2"},
		{"two strokes of one", `{"steps": [{"verb": "melee", "weapon": "bobo-knife", "target": "zog", "blows": 2}]}`, 1, "2 actions in a turn; Bobo has 1"},
		{"a shot and a blow", `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "melee", "target": "zog"}]}`, 1, "of one kind and with one weapon"},
		{"a blow and a defence", `{"steps": [{"verb": "defend"}, {"verb": "melee", "target": "zog"}]}`, 1, "makes no attack"},
		{"a stun setting", `{"steps": [{"verb": "melee", "weapon": "bobo-sword", "target": "zog", "mode": "stun"}]}`, 0, `has no mode "stun"`},
		{"a move away", `{"steps": [{"verb": "move", "to": "A5", "mode": "walk"}]}`, 1, "Zog is within reach"},
		{"a blow held ready", `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 2}, "do": [{"verb": "melee"}]}]}`, 1, ""},
	} {
		w := brawl(t, []string{"weapon=automatic_pistol", "weapon=knife:sheathed", "weapon=sword:slung", "weapon=heavy_laser:slung"}, nil)
		lani := *w.fighter("bobo")
		lani.ID, lani.Name, lani.Weapons, lani.Place = "lani", "Lani", nil, game.Square{X: 4, Y: 3}
		w.Fighters = slices.Insert(w.Fighters, 1, &lani)
		rules := ruleset(t)
		p, problems := rules.Check(rules.See(w, "bobo"), plan(t, c.plan))
		var texts []string
		for _, x := range problems {
			texts = append(texts, x.Text)
		}
		if len(p.Steps) != c.steps || !strings.Contains(strings.Join(texts, "\n"), c.want) || c.want == "" && len(texts) > 0 {
			t.Errorf("%s: %d steps, %q", c.name, len(p.Steps), texts)
		}
	}
}

func TestForecastOfBlows(t *testing.T) {
	t.Parallel()
	w := brawl(t, []string{"weapon=stunstick:in_hand:mode=shock", "skills.melee=1"}, nil, "show_odds=on")
	rules := ruleset(t)
	view := rules.See(w, "bobo")
	p, _ := rules.Check(view, plan(t, `{"steps": [{"verb": "melee", "target": "zog"}]}`))
	got := lines(rules.Forecast(view, p, named(1)).Lines)
	for _, want := range []string{"Ammunition: stunstick: 18 to 20 of 20 SEU left", "Stunstick at Zog: 35% if he does not defend himself"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// 6.9: Bobo shoots at Zog, who is in melee with Lani.
func TestShotsIntoAMelee(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		setting  string
		zog      string
		roll     int
		stray    int
		want     string // outcome of the second roll
		laniLost int
	}{
		{"near miss that hits the other", "on", `{"steps": [{"verb": "melee", "target": "lani"}]}`, 60, 20, "hit", 4},
		{"near miss that misses both", "on", `{"steps": [{"verb": "melee", "target": "lani"}]}`, 60, 40, "miss", 0},
		{"a miss by 21", "on", `{"steps": [{"verb": "melee", "target": "lani"}]}`, 76, 20, "", 0},
		{"nobody fights", "on", `{"steps": [{"verb": "wait"}]}`, 60, 20, "", 0},
		{"switched off", "off", `{"steps": [{"verb": "melee", "target": "lani"}]}`, 60, 20, "", 0},
	} {
		w := world(t, set(battlefield(2,
			who("bobo", "heroes", "A5", "dex=50", "skills.projectile=2", "facing=E", "weapon=automatic_pistol", "rs=90"),
			who("lani", "heroes", "C6", "sta=50", "facing=N"), who("zog", "gang", "C5", "sta=50", "facing=S"),
		), "shots_into_melee="+c.setting))
		scripts := map[string][]int{"init/player-bobo": {9}, "init/player-zog": {1}, "hit/bobo": {c.roll}, "dmg/bobo": {4}, "hit/zog": {90}}
		if c.want != "" {
			scripts["stray/bobo"] = []int{c.stray}
		}
		plans := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}]}`, "zog": c.zog}
		out := run(t, w, plans, scripts)
		// 25 + 20 skill + 10 stationary at 4 m: 55 at Zog when he is locked or waits, 35 without skill.
		if got := 50 - out.World.(*World).fighter("lani").Now; got != c.laniLost {
			t.Errorf("%s: Lani lost %d\n%s", c.name, got, story(out))
		}
		i := slices.IndexFunc(out.Events, func(ev game.Event) bool { return ev.Ref == "bobo/r1.1w" })
		if c.want == "" {
			if i >= 0 {
				t.Errorf("%s: a stray shot\n%s", c.name, story(out))
			}
			continue
		}
		if i < 0 || out.Events[i].Outcome != c.want || out.Events[i].Numbers["chance"] != 35 || out.Events[i].Target != "lani" {
			t.Errorf("%s:\n%s", c.name, story(out))
		}
	}
}

// 7.4, and the reason of a rifle's line.
func TestRifleAtMeleeDistance(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]int{"automatic_rifle": 20 - 30 + 10, "automatic_pistol": 20 + 10} {
		out := run(t, brawl(t, []string{"weapon=" + kind}, nil), map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}]}`}, map[string][]int{"hit/bobo": {90}})
		if got := event(t, out, "bobo/r1.1").Numbers["chance"]; got != want {
			t.Errorf("%s: chance %d, want %d", kind, got, want)
		}
	}
}

func TestAHeldBlowAndOP9(t *testing.T) {
	t.Parallel()
	// Zog runs up; Bobo strikes as he comes into reach.
	w := world(t, battlefield(2, who("bobo", "heroes", "A1", "str=60", "rs=90", "facing=E"), who("zog", "gang", "H1", "sta=50", "facing=W")))
	out := run(t, w, map[game.ID]string{
		"bobo": `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 2}, "do": [{"verb": "melee", "weapon": "bare"}]}]}`,
		"zog":  `{"steps": [{"verb": "move", "to": "bobo", "mode": "run"}]}`,
	}, map[string][]int{"init/player-bobo": {9}, "init/player-zog": {1}, "hit/bobo": {20}})
	expect(t, out, `
6 zog/r1.1m done AT H1>B1
6 bobo/r1.1 hit 20/30 damage 3 STA 50>47
`)
	// OP-9: who is locked by the mover has no shot for him.
	w = world(t, battlefield(2, who("sol", "heroes", "E5", "rs=90", "facing=E", "weapon=laser_pistol"), who("max", "gang", "F5", "facing=W")))
	out = run(t, w, map[game.ID]string{
		"sol": `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "max", "op": ">=", "distance": 4}, "do": [{"verb": "fire", "target": "max"}]}]}`,
		"max": `{"steps": [{"verb": "melee", "target": "sol"}, {"verb": "move", "to": "J5", "mode": "run"}]}`,
	}, map[string][]int{"init/player-sol": {9}, "init/player-max": {1}, "hit/max": {90}})
	if slices.ContainsFunc(out.Events, func(ev game.Event) bool { return ev.Kind == "fire" && ev.Attack }) {
		t.Errorf("OP-9: he shot\n%s", story(out))
	}
}

func TestFoesFightHandToHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		zog  []string
		at   string
		want []string
	}{
		{"a sword in hand, in reach", []string{"weapon=sword"}, "F5", []string{"melee"}},
		{"nothing in hand, in reach", nil, "F5", []string{"melee"}},
		{"near enough to run up", []string{"weapon=sword"}, "L5", []string{"move", "melee"}},
		{"too far to run up", []string{"weapon=sword"}, "AK5", []string{"move"}},
		{"a pistol", []string{"weapon=automatic_pistol"}, "F5", []string{"fire"}},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "E5"), who("zog", "gang", c.at, append(c.zog, "gm=", "policy=aggressive")...)))
		rules := ruleset(t)
		view := rules.See(w, "zog")
		p := rules.Default(view)
		var got []string
		for _, s := range p.Steps {
			got = append(got, s.Verb)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if checked, problems := rules.Check(view, p); len(checked.Steps) != len(p.Steps) || slices.ContainsFunc(problems, func(x game.Problem) bool { return x.Severity == game.Wrong }) {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}
