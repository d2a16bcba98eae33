package starfrontiers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// 22.11: BU-1 to BU-5.
func TestBurstPoolsBU(t *testing.T) {
	t.Parallel()
	row := data(t).weapon("automatic_pistol")
	var got []string
	for n := 1; n <= 5; n++ {
		got = append(got, row.pool(n).String())
	}
	if diff := cmp.Diff([]string{"5d10", "6d10", "7d10", "8d10", "9d10"}, got); diff != "" {
		t.Errorf("BU-1 (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		id        string
		points, n int
		want      []int
	}{
		{"BU-2", 23, 5, []int{5, 5, 5, 4, 4}}, {"BU-3", 23, 3, []int{8, 8, 7}}, {"BU-3 one", 23, 1, []int{23}},
		{"BU-4", 3, 5, []int{1, 1, 1, 0, 0}}, {"BU-5", 30, 4, []int{8, 8, 7, 7}},
	} {
		if diff := cmp.Diff(c.want, split(c.points, c.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.id, diff)
		}
	}
}

func sprayed(t testing.TB, gun string, more ...string) *World {
	s := battlefield(2,
		who("bobo", "heroes", "A5", append([]string{"dex=60", "rs=100", "facing=E", gun}, more...)...),
		who("one", "gang", "F5", "sta=50", "rs=10"), who("three", "gang", "F7", "sta=50", "rs=10"), who("two", "gang", "F6", "sta=50", "rs=10"), who("wide", "gang", "F12", "sta=50", "rs=10"))
	s.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: 4, Y: 6}}}}
	return world(t, s)
}

func burstAt(ids string) string {
	return `{"steps": [{"verb": "burst", "targets": ["` + strings.Join(strings.Fields(ids), `", "`) + `"]}]}`
}

func TestBurstTakesTheWorstOfEachLineBU6(t *testing.T) {
	t.Parallel()
	w := sprayed(t, "weapon=automatic_pistol")
	plans := map[game.ID]string{"bobo": burstAt("one two three"), "two": `{"steps": [{"verb": "move", "to": "F1", "mode": "run"}]}`}
	out := run(t, w, plans, map[string][]int{"hit/bobo": {8}, "dmg/bobo": {3, 3, 3, 3, 3, 4, 4}})
	ev := event(t, out, "bobo/r1.1")
	got := lines(ev.Lines)
	// BU-6, BU-8.
	for _, want := range []string{"Target in hard cover: -20", "Target running: -10", "Burst: +20", "Range, short: -10"} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
	if ev.Numbers["chance"] != 30-10-10+20-20 || ev.Numbers["left"] != 10 || ev.Numbers["damage"] != 23 {
		t.Errorf("chance %d, %d left, %d points", ev.Numbers["chance"], ev.Numbers["left"], ev.Numbers["damage"])
	}
	after := out.World.(*World)
	if diff := cmp.Diff([]int{42, 42, 43}, []int{after.fighter("one").Now, after.fighter("two").Now, after.fighter("three").Now}); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, story(out))
	}
}

func TestBurstAtOneIsOneEvent(t *testing.T) {
	t.Parallel()
	out := run(t, sprayed(t, "weapon=machine_gun:mounted"), map[game.ID]string{"bobo": burstAt("one")}, map[string][]int{"hit/bobo": {30}, "dmg/bobo": {2}})
	ev := event(t, out, "bobo/r1.1")
	if ev.Outcome != "hit" || ev.Target != "one" || ev.Numbers["left"] != 180 || !strings.Contains(strings.Join(ev.Unverified, " "), "machine gun: damage") {
		t.Errorf("%s %+v %v", ev.Outcome, ev.Numbers, ev.Unverified)
	}
	if !strings.Contains(ev.Text[game.Seen], "fires a burst of the machine gun at One") {
		t.Error(ev.Text[game.Seen])
	}
}

// 6.8 no. 7 and 14.3.
func TestCriticalBursts(t *testing.T) {
	t.Parallel()
	w := sprayed(t, "weapon=automatic_pistol")
	w.fighter("two").Items = append(w.fighter("two").Items, Item{ID: "suit", Kind: "albedo_suit", Name: "albedo suit", Count: 1, State: "worn", Left: 100, Full: 100})
	out := run(t, w, map[game.ID]string{"bobo": burstAt("one two")}, map[string][]int{"hit/bobo": {5}, "dmg/bobo": {4, 4, 4, 4, 4, 3}})
	after := out.World.(*World)
	// 23 points double to 46; the albedo suit stops no bullets.
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "critical" || after.fighter("one").Now != 27 || after.fighter("two").Now != 27 {
		t.Errorf("%s: %d %d", ev.Outcome, after.fighter("one").Now, after.fighter("two").Now)
	}
}

func TestChecksOfBursts(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for _, c := range []struct {
		id, gun, step string
		want          string
		steps         int
	}{
		{"BU-7", "weapon=automatic_pistol:rounds=9", `{"verb": "burst", "targets": ["one"]}`, "wrong empty_weapon", 0},
		{"BU-8", "weapon=automatic_pistol", `{"verb": "burst", "targets": ["one"]}`, "", 1},
		{"BU-9 too many", "weapon=automatic_pistol", `{"verb": "burst", "targets": ["one", "two", "three", "wide", "one", "two"]}`, "wrong too_many_actions", 0},
		{"BU-9 too wide", "weapon=automatic_pistol", `{"verb": "burst", "targets": ["one", "wide"]}`, "wrong out_of_range", 0},
		{"an area", "weapon=automatic_pistol", `{"verb": "burst", "area": "F6"}`, "", 1},
		{"nobody", "weapon=automatic_pistol", `{"verb": "burst"}`, "asked which_target", 0},
		{"a laser", "weapon=laser_pistol", `{"verb": "burst", "weapon": "bobo-laser_pistol", "targets": ["one"]}`, "wrong illegal_option", 0},
		{"nothing that fires bursts", "weapon=laser_pistol", `{"verb": "burst", "targets": ["one"]}`, "wrong unknown_weapon", 0},
		{"as a mode", "weapon=automatic_pistol", `{"verb": "fire", "mode": "burst", "target": "one"}`, "", 1},
		{"a burst and a shot", "weapon=automatic_pistol", `{"verb": "burst", "targets": ["one"]}, {"verb": "fire", "target": "one", "shots": 1}`, "wrong too_many_actions", 1},
		{"not mounted", "weapon=machine_gun", `{"verb": "burst", "targets": ["one"]}`, "wrong illegal_option", 0},
	} {
		p, problems := rules.Check(rules.See(sprayed(t, c.gun), "bobo"), plan(t, `{"steps": [`+c.step+`]}`))
		var kinds []string
		for _, x := range problems {
			kinds = append(kinds, string(x.Severity)+" "+x.Kind)
		}
		if got := strings.Join(kinds, ", "); got != c.want || len(p.Steps) != c.steps {
			t.Errorf("%s: %d steps, %s; want %d, %s", c.id, len(p.Steps), got, c.steps, c.want)
		}
		if c.steps == 1 && p.Steps[0].Verb != "burst" {
			t.Errorf("%s: %+v", c.id, p.Steps[0])
		}
		if c.id == "an area" && len(p.Steps[0].Targets) != 3 {
			t.Errorf("the area takes in %v", p.Steps[0].Targets)
		}
	}
}

// 6.7: two weapons take turns, at -10 each, the other hand another -10.
func TestTwoWeapons(t *testing.T) {
	t.Parallel()
	for race, off := range map[string]int{"Human": 20, "Vrusk": 30, "Dralasite": 30} {
		w := world(t, battlefield(2,
			who("bobo", "heroes", "A5", "race="+race, "dex=80", "rs=100", "facing=E", "weapon=laser_pistol", "weapon=automatic_pistol"),
			who("zog", "gang", "C5", "sta=50", "rs=10")))
		out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 2}, {"verb": "fire", "weapon": "bobo-automatic_pistol", "target": "zog", "shots": 3}]}`}, nil)
		var got []string
		for _, ev := range out.Events {
			if ev.Kind == "fire" {
				name, _, _ := strings.Cut(strings.TrimPrefix(ev.Text[game.All], "Bobo fires the "), " ")
				got = append(got, name+" "+itoa(ev.Numbers["chance"]))
			}
		}
		second := "automatic " + itoa(off+10)
		if diff := cmp.Diff([]string{"laser 40", second, "laser 40", second, second}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", race, diff)
		}
	}
}

func TestTwoWeaponsNeedTwoHands(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "weapon=laser_pistol", "weapon=automatic_rifle:slung", "weapon=needler_pistol"), who("zog", "gang", "C5")))
	for _, c := range []struct{ second, want string }{{"automatic_rifle", "asked two_handed"}, {"needler_pistol", "noted two_weapons"}} {
		_, problems := rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 1}, {"verb": "fire", "weapon": "bobo-`+c.second+`", "target": "zog", "shots": 1}]}`))
		last := problems[len(problems)-1]
		if got := string(last.Severity) + " " + last.Kind; got != c.want {
			t.Errorf("%s: %s, want %s", c.second, got, c.want)
		}
	}
}

// A machine gun fires nothing but bursts; a foe without orders does so too.
func TestPolicyOfAMachineGunner(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for gun, want := range map[string]string{"weapon=machine_gun:mounted": "burst", "weapon=machine_gun:mounted:rounds=9": "reload"} {
		w := sprayed(t, gun, "gm=", "policy=aggressive", "clip=machine_gun_belt")
		p := rules.Default(rules.See(w, "bobo"))
		if len(p.Steps) != 1 || p.Steps[0].Verb != want || want == "burst" && len(p.Steps[0].Targets) != 3 {
			t.Errorf("%s: %+v", gun, p.Steps)
		}
		if checked, problems := rules.Check(rules.See(w, "bobo"), p); len(checked.Steps) != 1 {
			t.Errorf("%s: %v", gun, problems)
		}
	}
}

// 20.4: what is left afterwards, and the odds if the game shows them.
func TestForecastOfBurstsAndThrows(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := sprayed(t, "weapon=automatic_pistol", "item=doze_grenade:count=2", "weapon=knife:sheathed")
	w.Settings["show_odds"] = "on"
	for _, c := range []struct{ steps, want string }{
		{`{"verb": "burst", "weapon": "bobo-automatic_pistol", "targets": ["one", "two"]}`, "Ammunition: automatic pistol: 10 of 20 rounds left\nAutomatic pistol at One: 50% at 10 m if he stands still\n"},
		{`{"verb": "throw", "item": "bobo-doze_grenade", "target": "one"}`, "Ammunition: doze grenade: 1 left\nDoze grenade at One: 30% at 10 m if he stands still\n"},
		{`{"verb": "throw", "item": "bobo-doze_grenade", "target": "D4"}`, "Ammunition: doze grenade: 1 left\nDoze grenade at D4: 30% at 6 m if he stands still\n"},
		{`{"verb": "throw", "item": "bobo-knife", "target": "one"}`, "Knife at One: 30% at 10 m if he stands still\n"},
	} {
		fc := rules.Forecast(rules.See(w, "bobo"), plan(t, `{"steps": [`+c.steps+`]}`), dice.Constant(5))
		if got := lines(fc.Lines[1:]); got != c.want {
			t.Errorf("%s:\n%s", c.steps, got)
		}
	}
}
