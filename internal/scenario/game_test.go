package scenario

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// small is a game file with everything that must be there and nothing else.
const small = `[game]
name = "Dusk"
title = "Dusk"
system = "star-frontiers"
grid = { width = 10, height = 5 }

[clock]
zone = "Europe/Berlin"
schedule = "0 20 * * *"

[gm]
name = "Greta"
address = "greta@example.org"

[[player]]
id = "anna"
name = "Anna"
address = "anna@example.org"

[[combatant]]
id = "bobo"
player = "anna"
side = "heroes"
place = "C2"

[[combatant]]
id = "zog"
side = "gang"
place = [7, 1]
`

func TestSmallestGameFile(t *testing.T) {
	t.Parallel()
	got, faults := ReadGame("small.toml", []byte(small))
	if faults != nil {
		t.Fatal(faults)
	}
	want := &Game{
		Name: "Dusk", Title: "Dusk", System: "star-frontiers",
		Clock:   Clock{Zone: "Europe/Berlin", Schedule: "0 20 * * *", MinTurn: 12 * time.Hour, Grace: 5 * time.Minute, Remind: 24 * time.Hour, EarlyClose: true},
		GM:      Person{ID: game.GM, Name: "Greta", Address: "greta@example.org", Zone: "Europe/Berlin"},
		GMProof: "verified",
		Players: []Person{{ID: "anna", Name: "Anna", Address: "anna@example.org", Zone: "Europe/Berlin"}},
		Scenario: game.Scenario{
			File: "small.toml", Title: "Dusk", System: "star-frontiers", Scale: game.Distance{Tenths: 20, Unit: "m"}, Units: "m",
			Width: 10, Height: 5, Turn: 1, Rounds: 1,
			Combatants: []game.Combatant{
				{ID: "bobo", Name: "Bobo", Side: "heroes", Player: "anna", Place: game.Square{X: 2, Y: 1}, Posture: "stand", Line: 20},
				{ID: "zog", Name: "Zog", Side: "gang", Place: game.Square{X: 7, Y: 1}, Posture: "stand", Line: 26},
			},
		},
		Source: small,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("game (-want +got):\n%s", diff)
	}
}

func TestValuesKeepTheirLines(t *testing.T) {
	t.Parallel()
	text := small + `rs = 60
visible_to = ["bobo"]
status = ["wounded"]
skills = { projectile = 1, "odd key" = 2 }

[combatant.more]
deep = [1, "two"]

[[combatant.weapon]]
kind = "laser_pistol"
dial = 3
[[combatant.weapon]]
kind = "laser_pistol"
name = "spare"
modes = [
  "stun", # a comment
  "kill",
]
seu = 4

[[feature]]
id = "hedge"
kind = "bush"
squares = ["A1:B2", [3, 3]]

[[group]]
id = "gang_of_one"
members = ["zog"]

[settings]
init.tie = "simultaneous"
'pbem.die_per' = "combatant"
odds = true
`
	got, faults := ReadGame("x.toml", []byte(text))
	if faults != nil {
		t.Fatal(faults)
	}
	raw := func(key, value string, line int) game.Value {
		return game.Value{Key: key, Raw: []byte(value), Line: line}
	}
	zog := got.Scenario.Combatants[1]
	want := game.Combatant{
		ID: "zog", Name: "Zog", Side: "gang", Place: game.Square{X: 7, Y: 1}, Posture: "stand", Status: []string{"wounded"},
		Hidden: []game.ID{"bobo"}, Line: 26,
		Weapons: []game.Gear{
			{ID: "zog-laser-pistol", Kind: "laser_pistol", Name: "laser pistol", Values: []game.Value{raw("dial", "3", 40)}, Line: 38},
			{ID: "zog-laser-pistol-2", Kind: "laser_pistol", Name: "spare", Values: []game.Value{raw("modes", `["stun","kill"]`, 44), raw("seu", "4", 48)}, Line: 41},
		},
		Values: []game.Value{raw("rs", "60", 30), raw("skills.odd key", "2", 33), raw("skills.projectile", "1", 33), raw("more.deep", `[1,"two"]`, 36)},
	}
	if diff := cmp.Diff(want, zog); diff != "" {
		t.Errorf("zog (-want +got):\n%s", diff)
	}
	hedge := game.Feature{ID: "hedge", Name: "bush", Kind: "bush", Cover: "soft", Low: true,
		Squares: []game.Square{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}, {X: 3, Y: 3}}}
	if diff := cmp.Diff([]game.Feature{hedge}, got.Scenario.Features); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]game.Group{{ID: "gang_of_one", Members: []game.ID{"zog"}}}, got.Scenario.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	settings := []game.Value{raw("init.tie", `"simultaneous"`, 60), raw("pbem.die_per", `"combatant"`, 61), raw("odds", "true", 62)}
	if diff := cmp.Diff(settings, got.Scenario.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// Each change to the small file gives exactly these faults.
func TestFaultsOfGameFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		old, new string // new "" appends nothing; old "" appends new at the end
		want     []string
	}{
		{"no TOML", `title = "Dusk"`, `title = Dusk`, []string{`f:3: this is not TOML`}},
		{"key twice", `title = "Dusk"`, "title = \"Dusk\"\ntitle = \"x\"", []string{`f:4: this is not TOML`}},
		{"unknown key", `title = "Dusk"`, "titel = \"Dusk\"\ntitle = \"Dusk\"", []string{"f:3: game.titel: there is no such key; did you mean title?"}},
		{"unknown table", "[gm]", "[weather]\nrain = true\n[gm]", []string{"f:11: weather: there is no such key; known here: clock, combatant, feature"}},
		{"no title", `title = "Dusk"`, "", []string{"f:1: game.title: it is missing"}},
		{"number for text", `title = "Dusk"`, "title = 7", []string{"f:3: game.title: 7 is not a text in quotes"}},
		{"long name", `name = "Dusk"`, `name = "Dusk til dawn"`, []string{`f:2: game.name: "Dusk til dawn" is not a short name`}},
		{"no grid", "grid = { width = 10, height = 5 }", "", []string{"f:1: game.grid: it is missing"}},
		{"half a grid", "height = 5", "heigth = 5", []string{"f:5: game.grid.height: it is missing", "f:5: game.grid.heigth: there is no such key; did you mean height?"}},
		{"grid too wide", "width = 10", "width = 1000", []string{"f:5: game.grid.width: 1000 is not a whole number from 1 to 200"}},
		{"scale", `system = "star-frontiers"`, "system = \"star-frontiers\"\nscale_m = 0.77777", []string{"f:5: game.scale_m: 0.77777 is not the length of a square"}},
		{"units", `system = "star-frontiers"`, "system = \"star-frontiers\"\nunits = \"km\"", []string{`f:5: game.units: "km" is not one of m, yd, ft`}},
		{"rounds", `system = "star-frontiers"`, "system = \"star-frontiers\"\nrounds = 21", []string{"f:5: game.rounds: 21 is not a whole number from 1 to 20"}},
		{"no clock", "[clock]\nzone = \"Europe/Berlin\"\nschedule = \"0 20 * * *\"\n", "", []string{"f:1: clock: there is no [clock]"}},
		{"zone", `zone = "Europe/Berlin"`, `zone = "Berlin"`, []string{`f:8: clock.zone: "Berlin" is not a zone`}},
		{"schedule", "0 20 * * *", "0 25 * * *", []string{`f:9: clock.schedule: "0 25 * * *" is not a schedule`}},
		{"impossible date", "0 20 * * *", "0 20 31 2 *", []string{`f:9: clock.schedule: the schedule "0 20 31 2 *" never comes true`}},
		{"zone in the schedule", "0 20 * * *", "CRON_TZ=UTC 0 20 * * *", []string{"f:9: clock.schedule: a schedule holds no zone"}},
		{"duration", `zone = "Europe/Berlin"`, "zone = \"Europe/Berlin\"\ngrace = \"5 minutes\"\nremind = 4", []string{
			`f:9: clock.grace: "5 minutes" is not a length of time`, "f:10: clock.remind: 4 is not a text in quotes"}},
		{"no gm", "[gm]\nname = \"Greta\"\naddress = \"greta@example.org\"\n", "", []string{"f:1: gm: there is no [gm]"}},
		{"proof", `name = "Greta"`, "name = \"Greta\"\nproof = \"none\"", []string{`f:13: gm.proof: "none" is not one of verified, token`}},
		{"address with a name", "greta@example.org", "Greta <greta@example.org>", []string{"f:13: gm.address: \"Greta <greta@example.org>\" is not a bare mail address"}},
		{"one address twice", "anna@example.org", "Greta@Example.org", []string{"f:18: player[anna].address: gm has this address already"}},
		{"a person's zone", `name = "Anna"`, "name = \"Anna\"\nzone = \"Mars/Olympus\"", []string{`f:18: player[anna].zone: "Mars/Olympus" is not a zone`}},
		{"no player", "[[player]]\nid = \"anna\"\nname = \"Anna\"\naddress = \"anna@example.org\"\n", "", []string{
			"f:1: player: there is no [[player]]", `f:16: combatant[bobo].player: there is no player "anna"`}},
		{"player mistyped", `player = "anna"`, `player = "ana"`, []string{
			`f: player[anna]: no combatant has player = "anna"`, `f:20: combatant[bobo].player: there is no player "ana"; did you mean anna?`}},
		{"one id twice", `id = "zog"`, `id = "bobo"`, []string{`f:27: combatant[bobo].id: "bobo" is already the id of a combatant`}},
		{"player and combatant of one id", `id = "zog"`, `id = "anna"`, []string{`f:27: combatant[anna].id: "anna" is already the id of a player`}},
		{"reserved id", `id = "zog"`, `id = "gm"`, []string{`f:27: combatant[gm].id: "gm" means the game master`}},
		{"bad id", `id = "zog"`, `id = "Big Zog"`, []string{`f:27: combatant[2].id: "Big Zog" is not an id`}},
		{"outside", `place = [7, 1]`, `place = "K1"`, []string{"f:29: combatant[zog].place: \"K1\" is outside of the map, which goes from A1 to J5"}},
		{"below zero", `place = [7, 1]`, `place = [-1, 1]`, []string{"f:29: combatant[zog].place: [-1,1] is outside of the map"}},
		{"no square", `place = [7, 1]`, `place = "here"`, []string{"f:29: combatant[zog].place: \"here\" is not a square"}},
		{"nowhere", `place = [7, 1]`, ``, []string{"f:26: combatant[zog].place: it is missing"}},
		{"same square", `place = [7, 1]`, `place = "C2"`, []string{"f:29: combatant[zog].place: bobo stands on C2 already"}},
		{"in a wall", "", "[[feature]]\nid = \"w\"\nkind = \"wall\"\nsquares = [\"B2:D2\"]", []string{"f:24: combatant[bobo].place: nobody can stand on C2: the wall w fills it"}},
		{"in an open door", "", "[[feature]]\nid = \"w\"\nkind = \"door\"\nstate = \"open\"\nsquares = [\"B2:D2\"]", nil},
		{"feature outside", "", "[[feature]]\nid = \"w\"\nkind = \"crate\"\nsquares = [\"E4\", \"K4\"]", []string{"f:33: feature[w].squares: \"K4\" is outside"}},
		{"feature without squares", "", "[[feature]]\nid = \"w\"\nkind = \"crate\"\ncover = \"thick\"", []string{
			"f:30: feature[w].squares: it is missing", `f:33: feature[w].cover: "thick" is not one of none, soft, hard`}},
		{"sees whom", "", "visible_to = \"friends\"", []string{`f:30: combatant[zog].visible_to: "friends" is neither`}},
		{"seen by nobody known", "", "visible_to = [\"rob\"]", []string{`f:26: combatant[zog].visible_to: there is no combatant "rob"`}},
		{"weapon without kind", "", "[[combatant.weapon]]\nname = \"gun\"", []string{"f:30: combatant[zog].weapon[1].kind: it is missing"}},
		{"group", "", "[[group]]\nid = \"g\"\nmembers = [\"zog\", \"zag\", \"bobo\"]", []string{
			"f:20: combatant[bobo].player: bobo is in the group g of the GM", `f:32: group[g].members: there is no combatant "zag"`}},
		{"list for table", "[gm]\nname = \"Greta\"\naddress = \"greta@example.org\"\n", "[[gm]]\nname = \"Greta\"\n", []string{"f:11: gm: ", "f:11: gm.name", "f:11: gm.address"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := small + c.new + "\n"
			if c.old != "" {
				if !strings.Contains(small, c.old) {
					t.Fatalf("%q is not in the file", c.old)
				}
				text = strings.Replace(small, c.old, c.new, 1)
			}
			got, faults := ReadGame("f", []byte(text))
			if (got == nil) == (len(faults) == 0) {
				t.Fatalf("game %v with faults %v", got, faults)
			}
			checkFaults(t, c.want, faults)
		})
	}
}

func checkFaults(t *testing.T, want []string, got []game.Fault) {
	t.Helper()
	for i, f := range got {
		if i >= len(want) || !strings.HasPrefix(f.Error(), want[i]) {
			t.Errorf("fault %d: %s", i, f.Error())
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d: %q", len(got), len(want), want)
	}
}

func TestFilesThatAreNoText(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"not UTF-8":      "[game]\nname = \"\xff\"",
		"larger than":    strings.Repeat("# comment\n", 100_000),
		"there is no [g": "",
	} {
		if g, faults := ReadGame("f", []byte(data)); g != nil || len(faults) == 0 || !strings.Contains(faults[0].Text, name) {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

func TestScales(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"2": "2 m", "2.0": "2 m", "0.9144": "1 yd", "1.524": "5 ft", "0.5": "0.5 m", "1.8288": "2 yd", "100": "100 m", "0": "", "-1": "", "0.33333": "", "101": "", "": "", "1e3": ""} {
		got, ok := scale(s)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q became %s, %v; want %q", s, got, ok, want)
		}
	}
}

func TestTheDemoGameReads(t *testing.T) {
	t.Parallel()
	const file = "../../examples/demo.toml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, faults := ReadGame(file, data)
	if faults != nil {
		t.Fatal(faults)
	}
	if g.Name != "Dusk" || len(g.Players) != 3 || len(g.Scenario.Combatants) != 6 || g.Clock.MinTurn != 15*time.Second {
		t.Errorf("got %+v", g)
	}
	now := at(t, "2026-10-25T00:30:10Z")
	next, err := g.Clock.Next(now)
	if err != nil || !next.Equal(at(t, "2026-10-25T00:31:00Z")) {
		t.Errorf("the next deadline is %v, %v", next, err)
	}
}

func FuzzReadGame(f *testing.F) {
	f.Add(small)
	f.Add(strings.ReplaceAll(small, "[7, 1]", "\"\"\"C\n4\"\"\""))
	f.Add("a.\"b.c\".d = [[{x = 'y'}], {}] # e\n[[p.q]]\n[p.q.r]\ns = '''\n'''")
	f.Fuzz(func(t *testing.T, text string) {
		g, faults := ReadGame("f", []byte(text))
		if (g == nil) == (len(faults) == 0) {
			t.Errorf("game %v with faults %v", g, faults)
		}
		lines := strings.Count(text, "\n") + 1
		for _, fault := range faults {
			if fault.Line < 0 || fault.Line > lines {
				t.Errorf("%s is beyond the %d lines", fault.Error(), lines)
			}
		}
		ReadScenario("f", []byte(text))
	})
}
