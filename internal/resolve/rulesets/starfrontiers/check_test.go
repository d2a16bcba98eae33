package starfrontiers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

func checkWorld(t testing.TB, settings ...string) *World {
	s := battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "rs=50", "skills.beam=1", "weapon=automatic_pistol:in_hand:rounds=2", "weapon=laser_pistol:holstered:dial=3",
			"weapon=laser_rifle:slung:dial=5", "weapon=electrostunner:holstered", "weapon=needler_pistol:holstered:ammo=anesthetic", "weapon=machine_gun:mounted",
			"weapon=knife:sheathed", "clip=bulletclip_pistol", "item=stimdose", "item=medkit", "item=albedo_screen:off", "item=doze_grenade", "item=power_beltpack"),
		who("lani", "heroes", "A7", "facing=E"),
		who("zog", "gang", "F5", "gm=", "weapon=gyrojet_pistol"),
		who("far", "gang", "AN5", "gm="),
		who("felled", "gang", "F7", "gm=", "status=dead"),
		who("behind", "gang", "A1", "gm=", "hidden="),
	)
	s.Features = []game.Feature{
		{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 1, Y: 10}, {X: 0, Y: 10}, {X: 2, Y: 10}, {X: 3, Y: 10}}},
		{ID: "crate", Name: "crate", Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: 1, Y: 7}}},
	}
	return world(t, set(s, settings...))
}

func TestCheck(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	view := rules.See(checkWorld(t), "bobo")
	long := strings.Repeat(`{"verb": "say", "text": "a"},`, 80) + `{"verb": "wait"}`
	for _, c := range []struct {
		name, steps string
		want        string // kinds of the problems with their severity
		verbs       string // what is carried out
	}{
		{"a plain shot", `{"verb": "fire", "target": "zog", "shots": 1}`, "", "fire"},
		{"shots not said are asked for, one is fired", `{"verb": "fire", "target": "zog"}`, "asked shots", "fire"},
		{"more shots than the rate", `{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 5}`, "noted draw, asked too_many_actions", "fire fire"},
		{"not enough ammunition for all", `{"verb": "fire", "target": "zog", "shots": 3}`, "asked empty_weapon", "fire fire"},
		{"two weapons", `{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 1}`, "noted draw, noted two_weapons", "fire fire"},
		{"attack and reload", `{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "reload"}`, "asked attack_and_reload", "fire"},
		{"reload alone", `{"verb": "reload"}, {"verb": "move", "to": "C5", "mode": "walk"}`, "", "reload move"},
		{"aim with movement", `{"verb": "move", "to": "C5", "mode": "walk"}, {"verb": "fire", "target": "zog", "shots": 1, "aim": true}`, "asked aim_with_move", "move fire"},
		{"defend and attack", `{"verb": "fire", "target": "zog", "shots": 1}, {"verb": "defend"}`, "wrong contradiction", "fire"},
		{"an unseen target", `{"verb": "fire", "target": "behind", "shots": 1}`, "wrong target_not_visible", ""},
		{"a friend", `{"verb": "fire", "target": "lani", "shots": 1}`, "asked friendly_target", ""},
		{"somebody who is down", `{"verb": "fire", "target": "felled", "shots": 1}`, "wrong target_not_visible", ""},
		{"no target", `{"verb": "fire", "shots": 1}`, "asked which_target", ""},
		{"the leader", `{"verb": "fire", "target": "leader", "shots": 1}`, "asked which_target", ""},
		{"a place", `{"verb": "fire", "target": "crate", "shots": 1}`, "wrong illegal_option", ""},
		{"an unknown weapon", `{"verb": "fire", "weapon": "bazooka", "target": "zog", "shots": 1}`, "wrong unknown_weapon", ""},
		{"a melee weapon", `{"verb": "fire", "weapon": "bobo-knife", "target": "zog", "shots": 1}`, "wrong illegal_option", ""},
		{"a burst weapon", `{"verb": "fire", "weapon": "bobo-machine_gun", "target": "zog", "shots": 1}`, "noted unverified", "burst"},
		{"a stun", `{"verb": "fire", "weapon": "bobo-electrostunner", "target": "zog", "shots": 1}`, "noted draw", "fire"},
		{"switching to the blast is the attack of the turn", `{"verb": "fire", "weapon": "bobo-electrostunner", "mode": "blast", "target": "zog", "shots": 1}`, "noted draw, noted setting, asked too_many_actions", "set"},
		{"sleep needles", `{"verb": "fire", "weapon": "bobo-needler_pistol", "target": "zog", "shots": 1}`, "noted draw", "fire"},
		{"out of range", `{"verb": "fire", "weapon": "bobo-electrostunner", "mode": "blast", "target": "far", "shots": 1}`, "noted draw, wrong out_of_range", ""},
		{"a dial that costs an attack", `{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 2, "setting": 5}`, "noted draw, noted setting, asked too_many_actions", "set fire"},
		{"a dial beyond its end", `{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 1, "setting": 50}`, "noted draw, asked setting, noted setting", "fire"},
		{"too far", `{"verb": "move", "to": "Z5", "mode": "walk"}`, "asked path", "move"},
		{"a wall is stood beside", `{"verb": "move", "to": [1, 10], "mode": "walk"}`, "", "move"},
		{"off the map", `{"verb": "move", "to": [99, 99], "mode": "walk"}`, "wrong path", ""},
		{"a walk that is a run", `{"verb": "move", "to": "I5"}`, "noted path", "move"},
		{"swimming", `{"verb": "move", "to": "C5", "mode": "swim"}`, "noted free_text", "move"},
		{"what is not built", `{"verb": "prefer"}`, "wrong not_built", ""},
		{"a grenade that he has not", `{"verb": "throw", "item": "grenade", "target": "zog"}`, "wrong unknown_weapon", ""},
		{"what is no verb", `{"verb": "yodel"}`, "wrong illegal_option", ""},
		{"free text", `{"verb": "special", "kind": "free", "text": "I kick the lamp"}`, "noted free_text", "special"},
		{"a pending question about the target", `{"verb": "fire", "target": "zog", "shots": 1, "pending": "which_target"}`, "", ""},
		{"a pending question about shots", `{"verb": "fire", "target": "zog", "pending": "shots"}`, "", "fire"},
		{"an if", `{"verb": "if", "when": {"kind": "down", "object": "zog"}, "then": [{"verb": "wait"}], "else": [{"verb": "fire", "target": "zog", "shots": 2}]}`, "", "if"},
		{"a condition that is not built", `{"verb": "if", "when": {"kind": "opens", "object": "crate"}, "then": [{"verb": "wait"}]}`, "asked trigger_unclear", ""},
		{"declarations", `{"verb": "if", "when": {"kind": "declares", "who": "zog", "act": "fire"}, "then": [{"verb": "wait"}]}`, "noted faster_opponent", "if"},
		{"nested too deep", `{"verb": "if", "when": {"kind": "los", "who": "zog"}, "then": [{"verb": "if", "when": {"kind": "los", "who": "zog"}, "then": [{"verb": "if", "when": {"kind": "los", "who": "zog"}, "then": [{"verb": "if", "when": {"kind": "los", "who": "zog"}, "then": [{"verb": "wait"}]}]}]}]}`, "wrong trigger_unclear", ""},
		{"too many steps", long, "wrong too_many_actions", strings.TrimSpace(strings.Repeat("say ", 60))},
	} {
		got, problems := rules.Check(view, plan(t, `{"steps": [`+c.steps+`]}`))
		var kinds []string
		for _, p := range problems {
			kinds = append(kinds, string(p.Severity)+" "+p.Kind)
			if p.Text == "" {
				t.Errorf("%s: %s has no text", c.name, p.Kind)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(kinds, ", ")); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s%+v", c.name, diff, problems)
		}
		var verbs []string
		for _, in := range got.Steps {
			n := 1
			if in.Verb == "fire" {
				n = in.Shots
			}
			for range n {
				verbs = append(verbs, in.Verb)
			}
		}
		if diff := cmp.Diff(c.verbs, strings.Join(verbs, " ")); diff != "" {
			t.Errorf("%s: carried out (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestCheckOfReactions(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	view := rules.See(checkWorld(t), "bobo")
	for _, c := range []struct {
		name, plan, want string
		kept             int
	}{
		{"comes near", `{"reactions": [{"when": {"kind": "within", "who": "any_enemy", "distance": 10}, "do": [{"verb": "fire", "target": "trigger"}]}]}`, "", 1},
		{"no trigger", `{"reactions": [{"when": {"kind": "los", "who": "zog"}, "do": [{"verb": "fire", "target": "zog"}]}]}`, "trigger_unclear", 0},
		{"no distance", `{"reactions": [{"when": {"kind": "within", "who": "zog"}, "do": [{"verb": "fire", "target": "zog"}]}]}`, "trigger_unclear", 0},
		{"unseen", `{"reactions": [{"when": {"kind": "attacks", "who": "behind"}, "do": [{"verb": "fire", "target": "behind"}]}]}`, "target_not_visible", 0},
		{"no sub-action left", `{"steps": [{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog", "shots": 2}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 5}, "do": [{"verb": "fire", "weapon": "bobo-laser_pistol", "target": "zog"}]}]}`, "draw too_many_actions", 0},
		{"what cannot be held", `{"reactions": [{"when": {"kind": "within", "who": "zog", "distance": 5}, "do": [{"verb": "defend"}]}]}`, "illegal_option", 0},
		{"reloading beside shots", `{"steps": [{"verb": "fire", "weapon": "bobo-automatic_pistol", "target": "zog", "shots": 1}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 5}, "do": [{"verb": "reload", "weapon": "bobo-automatic_pistol"}]}]}`, "too_many_actions", 0},
		{"an effect without its number", `{"reactions": [{"when": {"kind": "count"}, "do": [{"verb": "posture", "posture": "prone"}]}]}`, "trigger_unclear", 0},
		{"what happens is no state", `{"steps": [{"verb": "if", "when": {"kind": "opens", "object": "bobo"}, "then": [{"verb": "wait"}]}]}`, "trigger_unclear", 0},
	} {
		got, problems := rules.Check(view, plan(t, c.plan))
		var kinds []string
		for _, p := range problems {
			kinds = append(kinds, p.Kind)
		}
		if diff := cmp.Diff(c.want, strings.Join(kinds, " ")); diff != "" || len(got.Reactions) != c.kept {
			t.Errorf("%s: %d kept, problems (-want +got):\n%s", c.name, len(got.Reactions), diff)
		}
	}
}

func TestCheckOfSomebodyOutOfAction(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2, who("bobo", "heroes", "A1", "sta_now=0"), who("zog", "gang", "C1")))
	got, problems := rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [{"verb": "wait"}]}`))
	if !got.Empty() || len(problems) != 1 || problems[0].Severity != game.Wrong {
		t.Errorf("%+v %+v", got, problems)
	}
}

func lines(list []game.Line) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(l.Label + ": " + l.Value + "\n")
	}
	return b.String()
}

func TestForecast(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	source := dice.NewScripted(map[string][]int{"init/player-bobo": {8}}, dice.Constant(0))
	p := plan(t, `{"steps": [{"verb": "fire", "weapon": "bobo-automatic_pistol", "target": "zog", "shots": 2}]}`)
	for name, c := range map[string]struct {
		settings []string
		want     string
	}{
		"as it comes":                 {nil, "Initiative: 13 (die 8, modifier +5)\nSlots: 13 fire, 7 fire\nAmmunition: automatic pistol: 0 of 20 rounds left\n"},
		"with odds":                   {[]string{"show_odds=on"}, "Initiative: 13 (die 8, modifier +5)\nSlots: 13 fire, 7 fire\nAmmunition: automatic pistol: 0 of 20 rounds left\nAutomatic pistol at Zog: 23% at 10 m if he stands still\n"},
		"hidden":                      {[]string{"init_visible=hidden"}, "Ammunition: automatic pistol: 0 of 20 rounds left\n"},
		"entitled to 3":               {[]string{"n_basis=entitled"}, "Initiative: 13 (die 8, modifier +5)\nSlots: 13 fire, 9 fire\nAmmunition: automatic pistol: 0 of 20 rounds left\n"},
		"a die that nobody knows yet": {[]string{"die_per=combatant"}, "Initiative: modifier +5; the die falls when the turn closes\nAmmunition: automatic pistol: 0 of 20 rounds left\n"},
	} {
		got := rules.Forecast(rules.See(checkWorld(t, c.settings...), "bobo"), p, source)
		if diff := cmp.Diff(c.want, lines(got.Lines)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for _, c := range []struct {
		name string
		foe  []string
		at   string
		want string
	}{
		{"nothing ordered", []string{"weapon=gyrojet_pistol"}, "F1", "defend"},
		{"aggressive fires all it has", []string{"policy=aggressive", "weapon=gyrojet_pistol"}, "F1", "fire bobo 3"},
		{"aggressive reloads", []string{"policy=aggressive", "weapon=gyrojet_pistol:in_hand:rounds=0", "clip=jetclip"}, "F1", "reload"},
		{"aggressive closes in when dry", []string{"policy=aggressive", "weapon=gyrojet_pistol:in_hand:rounds=0"}, "F1", "move bobo, melee"},
		{"aggressive closes in", []string{"policy=aggressive", "weapon=electrostunner:in_hand:mode=blast"}, "AA1", "move bobo"},
		{"cautious fires and ducks", []string{"policy=cautious", "weapon=gyrojet_pistol"}, "F1", "fire bobo 3, posture"},
		{"cautious stays", []string{"policy=cautious", "weapon=electrostunner:in_hand:mode=blast"}, "AA1", "posture"},
		{"hold waits", []string{"policy=hold", "weapon=gyrojet_pistol"}, "F1", "wait"},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "A1"), who("zog", "gang", c.at, append(c.foe, "gm=")...)))
		var got []string
		for _, in := range rules.Default(rules.See(w, "zog")).Steps {
			s := in.Verb
			if in.Verb == "fire" {
				s += " " + in.Target.String() + " " + itoa(in.Shots)
			}
			if in.Verb == "move" {
				s += " " + in.To.String()
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestStandingOrdersStandInForSilence(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2, who("bobo", "heroes", "A1", "facing=E", "weapon=automatic_pistol"), who("zog", "gang", "T1", "gm=")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "wait"}],
		"reactions": [{"when": {"kind": "within", "who": "any_enemy", "distance": 10}, "do": [{"verb": "fire", "target": "trigger"}], "until": "next_turn"}],
		"standing": [{"verb": "posture", "posture": "crouch"}]}`}, nil)
	got := rules.Default(rules.See(out.World, "bobo"))
	if len(got.Steps) != 1 || got.Steps[0].Posture != "crouch" || len(got.Reactions) != 1 {
		t.Fatalf("%s", encode(t, got))
	}
	// The reaction was for one more turn; the policy stays.
	in := input(t, out.World.(*World), nil, nil)
	in.Orders = nil
	again := rules.Default(rules.See(rules.Resolve(in).World, "bobo"))
	if len(again.Steps) != 1 || len(again.Reactions) != 0 {
		t.Errorf("%s", encode(t, again))
	}
}
