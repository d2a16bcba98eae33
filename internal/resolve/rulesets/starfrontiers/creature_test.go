package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestRobotsAndAnimalsAsTheyAreSetUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		words []string
		want  string // level, STA, walk/run, blows, damage, programs
	}{
		{"a robot and nothing else", []string{"race=robot"}, "1 100 10/30 1 2d10 attack_defense search_destroy"},
		{"a warbot", []string{"race=robot", "model=warbot"}, "5 500 10/120 1 6d10 attack_defense search_destroy"},
		{"a better warbot", []string{"race=robot", "level=6", "model=warbot", "sta=450", "limbs=6"}, "6 450 10/120 3 6d10 attack_defense search_destroy"},
		{"a security robot", []string{"race=security robot", "model=security", "level=4"}, "4 100 10/90 1 2d10 restrain"},
		{"a heavy body", []string{"race=robot", "body=heavy_duty", "programs=attack defense"}, "1 500 10/30 1 6d10 attack_defense"},
		{"a remote weapon", []string{"race=remote weapon", "level=2"}, "2 50 0/0 1 2d10"},
		{"a fast animal", []string{"race=animal", "attack=45", "damage=3d10", "attacks=2", "move_class=fast"}, "0 45 15/90 2 3d10"},
		{"a very slow animal", []string{"race=animal", "attack=45", "move_class=very_slow"}, "0 45 15/15 1 1d10"},
		{"a man", nil, "0 45 10/30 2 0"},
		{"a Dralasite", []string{"race=Dralasite", "dex=60"}, "0 45 5/20 2 0"},
		{"a Dralasite of six limbs", []string{"race=Dralasite", "limbs=6", "dex=55"}, "0 45 5/20 3 0"},
		{"a clumsy one", []string{"race=Dralasite", "limbs=6", "dex=30"}, "0 45 5/20 1 0"},
	} {
		f := world(t, battlefield(2, who("x", "gang", "A1", c.words...))).fighter("x")
		tables := ruleset(t).t
		row := f.natural(tables)
		got := strings.TrimSpace(strings.Join([]string{
			itoa(f.Level), itoa(f.STA), itoa(f.Walk) + "/" + itoa(f.Run), itoa(f.blows(tables, row)), row.damageAt("", 0).String(), strings.Join(f.Programs, " "),
		}, " "))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// 16.2: what a program lets a robot do. Cid stands beside Bobo, who has struck
// at him or not.
func TestProgramsOfRobots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		programs string
		struck   bool
		attacks  bool
		want     string // what the check says
		policy   string // what the policy orders when Bobo is two moves away
	}{
		{"none", false, false, "has no program to attack", "wait"},
		{"restrain", true, false, "its programs: restrain", "wait"},
		{"self_defense", false, false, "has not attacked it", "wait"},
		{"self_defense", true, true, "", "wait"},
		{"attack_defense", false, true, "", "wait"},
		{"attack_defense,search_destroy", false, true, "", "move"},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "E5", "facing=E", "sta=50"), who("cid", "gang", "F5", "race=robot", "level=2", "programs="+c.programs, "facing=W", "policy=aggressive", "gm=")))
		if c.struck {
			out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "weapon": "bare", "target": "cid"}]}`}, map[string][]int{"hit/bobo": {90}})
			w = out.World.(*World)
			w.fighter("bobo").Place = game.Square{X: 4, Y: 4}
		}
		rules := ruleset(t)
		blow := `{"steps": [{"verb": "melee", "target": "bobo"}]}`
		p, problems := rules.Check(rules.See(w, "cid"), plan(t, blow))
		var texts []string
		for _, x := range problems {
			texts = append(texts, x.Text+" "+x.Do)
		}
		if len(p.Steps) > 0 != c.attacks || !strings.Contains(strings.Join(texts, "\n"), c.want) {
			t.Errorf("%s, struck %v: %d steps, %q", c.programs, c.struck, len(p.Steps), texts)
		}
		// Held ready for whoever comes, the program still holds.
		out := run(t, w, map[game.ID]string{"cid": blow}, nil)
		if got := slices.ContainsFunc(out.Events, func(ev game.Event) bool { return ev.Attack }); got != c.attacks {
			t.Errorf("%s, struck %v: attack %v\n%s", c.programs, c.struck, got, story(out))
		}
		w.fighter("bobo").Place = game.Square{X: 30, Y: 4}
		w.fighter("cid").Facing = "E"
		def := rules.Default(rules.See(w, "cid"))
		if len(def.Steps) == 0 || def.Steps[0].Verb != c.policy {
			t.Errorf("%s, struck %v: policy %+v, want %s", c.programs, c.struck, def.Steps, c.policy)
		}
	}
}

func TestARobotFightsWithItsLimbs(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "E5", "facing=E", "sta=50"), who("cid", "gang", "F5", "race=robot", "level=3", "sta_now=20", "facing=W")))
	blow := `{"steps": [{"verb": "melee", "weapon": "bare", "target": "bobo", "blows": 1}]}`
	out := run(t, w, map[game.ID]string{"cid": blow}, map[string][]int{"hit/cid": {60}, "dmg/cid": {4, 5}})
	if ev := event(t, out, "cid/r1.1"); ev.Numbers["chance"] != 60 || ev.Numbers["damage"] != 9 || len(ev.Unverified) > 0 {
		t.Errorf("%+v", ev)
	}
}

// TH-13 in the field: an animal of attack 45 bites one who lies stunned.
func TestAnAnimalBites(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "E5", "sta=50", "status=stunned"), who("lani", "heroes", "A1", "hidden="),
		who("cat", "wild", "F5", "race=animal", "attack=45", "damage=2d10", "attacks=2", "facing=W", "gm=", "policy=aggressive")))
	out := run(t, w, map[game.ID]string{"cat": `{"steps": [{"verb": "melee", "target": "bobo", "blows": 2}]}`}, map[string][]int{"hit/cat": {65, 66}, "dmg/cat": {4, 5}})
	expect(t, out, `
15 cat/r1.1 hit 65/65 damage 9 STA 50>41
15 lani/r1.1 done
8 cat/r1.2 miss 66/65
`)
	// In reach it bites, out of reach it runs up and bites.
	for at, want := range map[string]string{"F5": "melee", "M5": "move melee"} {
		sq, _ := game.ParseSquare(at)
		w.fighter("cat").Place = sq
		w.fighter("bobo").Status = nil
		var got []string
		for _, s := range ruleset(t).Default(ruleset(t).See(w, "cat")).Steps {
			got = append(got, s.Verb)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("from %s: %v", at, got)
		}
	}
}

func TestBattleRage(t *testing.T) {
	t.Parallel()
	rage := `{"steps": [{"verb": "special", "kind": "free", "text": "I go into battle rage"}, {"verb": "melee", "weapon": "bare", "target": "zog"}]}`
	w := brawl(t, []string{"race=Yazirian"}, nil)
	out := run(t, w, map[game.ID]string{"bobo": rage}, map[string][]int{"rage/bobo": {5}, "hit/bobo": {45}})
	if ev := event(t, out, "bobo/r1.1"); ev.Numbers["chance"] != 45 || ev.Outcome != "hit" {
		t.Errorf("%s", story(out))
	}
	if ev := event(t, out, "bobo/r1.1m"); ev.Text[game.Seen] != "Bobo falls into battle rage." || ev.Seen["zog"] != game.Seen || len(out.Inquiries) > 0 {
		t.Errorf("%+v %v", ev, out.Inquiries)
	}
	again, problems := ruleset(t).Check(ruleset(t).See(out.World, "bobo"), plan(t, rage))
	if len(again.Steps) != 1 || !strings.Contains(problems[0].Text, "tried once") {
		t.Errorf("%v %v", again.Steps, problems)
	}
	out = run(t, w, map[game.ID]string{"bobo": rage}, map[string][]int{"rage/bobo": {6}, "hit/bobo": {45}})
	if ev := event(t, out, "bobo/r1.1m"); len(ev.Seen) != 1 || event(t, out, "bobo/r1.1").Numbers["chance"] != 25 {
		t.Errorf("a failed try is seen: %v\n%s", ev.Seen, story(out))
	}
	human := brawl(t, nil, nil)
	out = run(t, human, map[game.ID]string{"bobo": rage}, map[string][]int{"hit/bobo": {45}})
	if diff := cmp.Diff("ruling", event(t, out, "bobo/r1.1m").Outcome); diff != "" {
		t.Errorf("a human has no battle rage: %s", diff)
	}
}
