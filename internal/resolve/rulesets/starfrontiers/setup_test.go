package starfrontiers

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

func TestSetupNamesEveryFault(t *testing.T) {
	t.Parallel()
	good := func() game.Scenario {
		return battlefield(2, who("bobo", "heroes", "A1", "weapon=laser_pistol"), who("zog", "gang", "F1", "gm="))
	}
	for _, c := range []struct {
		name string
		make func() game.Scenario
		want string // part of the fault
	}{
		{"unknown setting", func() game.Scenario { return set(good(), "pbem.colour=red") }, "pbem.colour: unknown setting; known are albedo_suit, auto_hit_miss"},
		{"unknown value", func() game.Scenario { return set(good(), "zero_sta=sleepy") }, `zero_sta: "sleepy" is not a value of this setting; allowed: dying, dead, unconscious_basic`},
		{"a value of a later time", func() game.Scenario { return set(good(), "weightless.check_timing=before_attack") }, `"before_attack" is not built yet; allowed: after_attack`},
		{"weather of nobody's", func() game.Scenario { return set(good(), "weather=0") }, `"0" is not a value of this setting; allowed: clear, poor, or 1 to 100`},
		{"surprise of nobody's", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "surprise=maybe")) }, "must be one of check, unaware"},
		{"a ward who is not there", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "protect=nobody")) }, `there is no other combatant "nobody"`},
		{"a chance that cannot be", func() game.Scenario { return set(good(), "grievous_chance=101") }, `allowed: table, or 0 to 100`},
		{"a critical table that ends", func() game.Scenario {
			s := good()
			s.Settings = append(s.Settings, game.Value{Key: "critical_table", Raw: []byte(`[{"to": 50, "critical": 3}]`)})
			return s
		}, "critical_table: the last row must be open"},
		{"a table of wounds with a gap", func() game.Scenario {
			s := good()
			s.Settings = append(s.Settings, game.Value{Key: "grievous_table.wound", Raw: []byte(`[{"roll": 1, "name": "Scar"}]`)})
			return s
		}, "no wound without a class for a roll of 2"},
		{"a key that no table has", func() game.Scenario { return set(good(), "fumble_table.luck=3") }, `fumble_table: this is no such table: unknown field "luck"`},
		{"two suits", func() game.Scenario {
			s := good()
			s.Combatants[0].Items = append(s.Combatants[0].Items, game.Gear{ID: "a", Kind: "skeinsuit", Name: "skeinsuit"}, game.Gear{ID: "b", Kind: "albedo_suit", Name: "albedo suit"})
			return s
		}, "nobody uses two suits at once"},
		{"no such race", func() game.Scenario {
			s := good()
			s.Combatants[0].Race = "Elf"
			s.Combatants[0].Line = 12
			return s
		}, `test:12: combatant[bobo].race: "Elf" is not a race; known are Human`},
		{"no such weapon", func() game.Scenario {
			return battlefield(2, who("bobo", "heroes", "A1", "weapon=bazooka"))
		}, `weapon[bobo-bazooka].kind: "bazooka" is not a weapon; known are automatic_pistol`},
		{"a score out of range", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "dex=400")) }, "combatant[bobo].dex: must be a whole number from 1 to 100"},
		{"a key of nobody", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "luck=4")) }, "combatant[bobo].luck: is not a key of this system"},
		{"a skill of nobody", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "skills.dancing=4")) }, "skills.dancing: is not a skill; known are beam"},
		{"a dial too far", func() game.Scenario {
			return battlefield(2, who("bobo", "heroes", "A1", "weapon=laser_pistol:in_hand:dial=11"))
		}, "dial: must be a whole number from 1 to 10"},
		{"a policy of nobody", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "policy=brave")) }, "write aggressive, cautious, hold, flee or protect"},
		{"off the map", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "ZZ1")) }, "is outside of the map"},
		{"two of one id", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1"), who("bobo", "heroes", "A2")) }, "there are two combatants of this id"},
		{"an animal without a number", func() game.Scenario { return battlefield(2, who("cat", "wild", "A1", "race=animal")) }, "needs its attack number"},
		{"a program of nobody", func() game.Scenario {
			return battlefield(2, who("cid", "gang", "A1", "race=robot", "programs=dance"))
		}, `programs: "dance" is not a program; known are none, restrain`},
		{"a robot's key on a man", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "model=warbot")) }, "model: is only for a robot"},
		{"an animal's damage that is none", func() game.Scenario {
			return battlefield(2, who("cat", "wild", "A1", "race=animal", "attack=50", "damage=lots"))
		}, `damage: "lots" is not dice`},
		{"a body's own weapon", func() game.Scenario { return battlefield(2, who("bobo", "heroes", "A1", "weapon=claws")) }, `"claws" is not a weapon`},
		{"no scale", func() game.Scenario {
			s := good()
			s.Scale = game.Distance{}
			return s
		}, "a square must be"},
	} {
		w, faults := ruleset(t).Setup(c.make())
		var got []string
		for _, f := range faults {
			got = append(got, f.Error())
		}
		if w != nil || len(faults) == 0 || !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, got, c.want)
		}
	}
}

func TestSettingsAreTakenWithAndWithoutPrefix(t *testing.T) {
	t.Parallel()
	w := world(t, set(battlefield(2, who("bobo", "heroes", "A1")), "die_per=combatant", "opportunity.low_vs_high=false", "fumble_rules=false", "show_odds=on"))
	want := map[string]string{"pbem.die_per": "combatant", "opportunity.low_vs_high": "false", "fumble_rules": "off", "show_odds": "on"}
	if diff := cmp.Diff(want, w.Settings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.setting("zero_sta") != "dying" || w.setting("pbem.movement") != "in_slot" {
		t.Error("defaults")
	}
}

func TestBrokenDataFilesAreNamed(t *testing.T) {
	t.Parallel()
	files := func(change func(map[string]string)) fstest.MapFS {
		texts := map[string]string{}
		entries, err := os.ReadDir("data")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := os.ReadFile("data/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			texts[e.Name()] = string(b)
		}
		change(texts)
		out := fstest.MapFS{}
		for name, text := range texts {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return out
	}
	replace := func(name, from, to string) func(map[string]string) {
		return func(m map[string]string) {
			if !strings.Contains(m[name], from) {
				t.Fatalf("%s has no %q", name, from)
			}
			m[name] = strings.Replace(m[name], from, to, 1)
		}
	}
	for _, c := range []struct {
		name   string
		change func(map[string]string)
		want   string
	}{
		{"not TOML", replace("races.toml", "[[race]]", "[[race"), "races.toml"},
		{"a missing file", func(m map[string]string) { delete(m, "clips.toml") }, "clips.toml"},
		{"an unknown key", replace("weapons.toml", "hands = 1", "fingers = 1"), "weapons.toml: weapon.fingers: unknown key"},
		{"bad dice", replace("weapons.toml", `"4d10"`, `"four dice"`), "weapon.electrostunner.damage"},
		{"ranges that fall", replace("weapons.toml", "[5, 10, 15, 0, 0]", "[5, 4, 15, 0, 0]"), "weapon.electrostunner.ranges: must rise"},
		{"an unknown clip", replace("weapons.toml", `clip = "powerclip"`, `clip = "jar"`), `"jar" is not in clips.toml`},
		{"an unknown skill", replace("weapons.toml", `group = "beam"`, `group = "luck"`), `"luck" is not a skill`},
		{"a gap in the critical table", replace("tables.toml", "to = 16", "to = 5"), "critical: rows must rise"},
		{"a race that runs slower than it walks", replace("races.toml", "run = 30", "run = 3"), "0 <= walk <= run"},
		{"a model without a body", replace("robots.toml", `body = "heavy_duty"`, `body = "glass"`), "model.warbot: needs a level"},
		{"limbs without dice", replace("robots.toml", `limb = "6d10"`, `limb = "hard"`), "body.heavy_duty: needs stamina"},
		{"no bare hands", replace("weapons.toml", `id = "bare"`, `id = "paws"`), "weapon.bare: is missing"},
		{"no fumble table", replace("tables.toml", "turns = [-1,", "turns = ["), "fumble: turns needs 10"},
	} {
		_, err := loadTables(files(c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	whole, err := loadTables(files(func(map[string]string) {}))
	if err != nil || whole.hash != ruleset(t).DataHash() || len(whole.hash) != 64 {
		t.Errorf("the data as they are: %v", err)
	}
}

func TestLoadRefusesWhatIsNoWorld(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "{}", `{"scale_mm": 2000, "fighters": [null]}`, `{"scale_mm": 2000, "fighters": [{}]}`} {
		if _, err := ruleset(t).Load([]byte(text)); err == nil {
			t.Errorf("%q was loaded", text)
		}
	}
}

func TestSheet(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A1", "sta=50", "sta_now=20", "dex=60", "rs=55", "skills.projectile=3", "facing=E", "weapon=automatic_pistol:in_hand:rounds=17", "weapon=laser_rifle:slung:dial=4", "clip=bulletclip_pistol"),
		who("zog", "gang", "F1", "gm="),
	))
	want := `STA: 20/50
Wounded: -10 to hit
Initiative modifier: +6
Ranged, basic chance, half of DEX 60: 30%
Projectile Weapons: 3
Melee, bare hands: 30%, 2 a turn, damage 3
Movement: walk 10 m, run 30 m, dodge 15 m
Range bands, automatic pistol: 5/15/30/60/150 m
Range bands, laser rifle: 10/40/100/200/400 m
`
	if diff := cmp.Diff(want, lines(ruleset(t).See(w, "bobo").Sheet)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeeing(t *testing.T) {
	t.Parallel()
	s := battlefield(25, // 25 m squares
		who("bobo", "heroes", "A1", "facing=E", "weapon=laser_pistol"),
		who("lani", "heroes", "A3", "facing=E", "hidden="),
		who("near", "gang", "Y1", "gm=", "weapon=sword"), // 600 m
		who("dim", "gang", "Z1", "gm=", "weapon=sword"),  // 625 m
		who("gone", "gang", "AN12", "gm="),               // over 1,000 m
		who("rear", "gang", "A20", "gm="),
		who("told", "gang", "A19", "gm=", "exposed="),
	)
	s.History = []game.Attack{{Attacker: "near", Target: "bobo"}, {Attacker: "gone", Target: "bobo"}}
	w := world(t, s)
	w.fighter("bobo").Facing = "N"
	rules := ruleset(t)
	v := rules.See(w, "bobo")
	var got []string
	for _, o := range v.Others {
		text := string(o.ID) + " " + o.Name + " " + o.Relation
		if o.Holding != "" {
			text += " with " + o.Holding
		}
		if !o.InSight {
			text += " (not seen)"
		}
		got = append(got, text)
	}
	want := []string{"lani Lani ally (not seen)", "told Told enemy", "near Near enemy with sword", "dim a distant figure enemy"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]game.Attack{{Attacker: "near", Target: "bobo"}}, v.Attacks); diff != "" {
		t.Errorf("attacks (-want +got):\n%s", diff)
	}
	var mine own
	if err := json.Unmarshal(v.Own, &mine); err != nil || mine.Roller != "player-bobo" || mine.Fighter.ID != "bobo" {
		t.Errorf("%+v %v", mine, err)
	}
	all := rules.See(w, game.GM)
	if len(all.Others) != 7 || len(rules.Vocabulary(all).Fields) == 0 || len(rules.Vocabulary(v).Fields) != 0 {
		t.Errorf("the GM sees %d", len(all.Others))
	}
}

func TestVocabularyHasVerbsWithExamples(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	voc := rules.Vocabulary(rules.See(checkWorld(t), "bobo"))
	names := map[string]bool{}
	for _, v := range voc.Verbs {
		names[v.Name] = true
		// He has no launcher, so nothing is said of launching.
		if v.Class == "" || (v.Example == "") != (v.Name == "launch" || !rules.t.verb(v.Name).Built) {
			t.Errorf("%s: class %q, example %q", v.Name, v.Class, v.Example)
		}
	}
	for _, v := range []string{"fire", "move", "posture", "reload", "ready", "hold", "wait", "defend", "say", "if", "face", "set"} {
		if !names[v] {
			t.Errorf("no %s", v)
		}
	}
	for _, p := range voc.People {
		if p.ID == "behind" {
			t.Error("it names somebody unseen")
		}
	}
	if len(voc.Things) == 0 || len(voc.Places) != 2 {
		t.Errorf("%d things, %d places", len(voc.Things), len(voc.Places))
	}
}

func TestDiceOwner(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A1"), who("zog", "gang", "F1", "gm="), who("zug", "gang", "F3", "gm=")))
	for name, want := range map[string]game.ID{"init/player-bobo/r1": "bobo", "init/gang/r1": "zog", "hit/zug/r1.2": "zug", "hit/nobody/r1.1": ""} {
		n, ok := dice.ParseName(name)
		if !ok {
			t.Fatal(name)
		}
		if got, secret := ruleset(t).DiceOwner(w, n); got != want || secret {
			t.Errorf("%s: %q %v", name, got, secret)
		}
	}
}
