package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func two(t testing.TB, bobo, zog []string, features ...game.Feature) *World {
	s := battlefield(2, who("bobo", "heroes", "A5", append([]string{"rs=50", "facing=E"}, bobo...)...), who("zog", "gang", "F5", append([]string{"rs=50", "facing=W"}, zog...)...))
	s.Features = features
	return world(t, s)
}

func oneShot(target string) string {
	return `{"steps": [{"verb": "fire", "target": "` + target + `", "shots": 1}]}`
}

func TestFumbleThrowsTheWeapon(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=45", "skills.projectile=2", "weapon=automatic_pistol"}, nil)
	plans := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}]}`}
	out := run(t, w, plans, map[string][]int{"hit/bobo": {96}, "fumble/bobo": {44}, "dist/bobo": {7}, "dir/bobo": {3}})
	ev := event(t, out, "bobo/r1.1")
	var dice []string
	for _, d := range ev.Dice {
		dice = append(dice, d.Name)
	}
	if diff := cmp.Diff([]string{"hit/bobo/r1.1", "fumble/bobo/r1.1", "dist/bobo/r1.1", "dir/bobo/r1.1"}, dice); diff != "" || ev.Outcome != "fumble" {
		t.Errorf("%s (-want +got):\n%s", ev.Outcome, diff)
	}
	if second := event(t, out, "bobo/r1.2"); second.Reason != "weapon_on_ground" {
		t.Errorf("the second shot: %s %s", second.Outcome, second.Reason)
	}
	wp := out.World.(*World).fighter("bobo").weapon("bobo-automatic_pistol")
	if wp.State != "on_ground" || *wp.At != (game.Square{X: 1, Y: 4}) {
		t.Errorf("it lies %s at %v", wp.State, wp.At)
	}
	// Picking it up takes a turn; it counts as holstered in the next.
	next := run(t, out.World.(*World), map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "to": "B5", "mode": "walk"}, {"verb": "ready", "action": "pick_up", "item": "bobo-automatic_pistol"}]}`}, nil)
	if ev := event(t, next, "bobo/r1.1"); ev.Kind != "ready" || ev.Outcome != "done" {
		t.Fatalf("%s", story(next))
	}
	third := run(t, next.World.(*World), map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"init/player-bobo": {8}})
	if got := event(t, third, "bobo/r1.i").Numbers["total"]; got != 10 {
		t.Errorf("the turn after: initiative %d, want 10", got)
	}
}

func TestSafeFumbleIsAPlainMiss(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=45", "skills.projectile=2", "weapon=automatic_pistol"}, nil)
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {96}, "fumble/bobo": {43}})
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "miss" || len(ev.Dice) != 2 {
		t.Errorf("%s with %d dice", ev.Outcome, len(ev.Dice))
	}
}

func TestLaserSpendsItsSettingAndRunsDry(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"skills.beam=1", "weapon=laser_pistol:in_hand:dial=3:seu=5"}, []string{"sta=100"})
	for _, c := range []struct {
		short string
		want  string
	}{
		{"refuse", "1"}, {"use_left", "2"},
	} {
		p := strings.Replace(`{"steps": [{"verb": "fire", "target": "zog", "shots": 2, "on_short": "HOW"}]}`, "HOW", c.short, 1)
		out := run(t, w, map[game.ID]string{"bobo": p}, map[string][]int{"hit/bobo": {30, 30}, "dmg/bobo": {1, 2, 3, 4, 5}})
		n := 0
		for _, ev := range out.Events {
			if ev.Attack {
				n++
			}
		}
		if itoa(n) != c.want {
			t.Errorf("%s: %d shots\n%s", c.short, n, story(out))
		}
		if c.short == "use_left" {
			if ev := event(t, out, "bobo/r1.2"); ev.Numbers["setting"] != 2 || ev.Numbers["damage"] != 4+5 || ev.Numbers["left"] != 0 {
				t.Errorf("%v", ev.Numbers)
			}
		}
	}
}

func TestReloadSpendsAClip(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol:in_hand:rounds=1", "clip=bulletclip_pistol"}, nil)
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "reload"}]}`}, nil)
	f := out.World.(*World).fighter("bobo")
	if f.Weapons[0].Left != 20 || f.Items[0].Count != 1 {
		t.Errorf("%d rounds, %d clips", f.Weapons[0].Left, f.Items[0].Count)
	}
}

func TestUnverifiedValuesAreNamedOnce(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=needler_rifle"}, []string{"sta=1000"})
	plans := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}]}`}
	out := run(t, w, plans, map[string][]int{"hit/bobo": {1, 1}})
	var told []string
	for _, q := range out.Inquiries {
		if q.Kind == "unverified" {
			told = append(told, q.Text)
		}
	}
	if len(told) != 3 { // ranges, rate, damage
		t.Errorf("%v", told)
	}
	if ev := event(t, out, "bobo/r1.2"); len(ev.Unverified) != 3 {
		t.Errorf("%v", ev.Unverified)
	}
	again := run(t, out.World.(*World), plans, map[string][]int{"hit/bobo": {1, 1}})
	for _, q := range again.Inquiries {
		if q.Kind == "unverified" {
			t.Errorf("told again: %s", q.Text)
		}
	}
}

func TestCoverLeaningAndHiding(t *testing.T) {
	t.Parallel()
	gun := []string{"dex=50", "weapon=automatic_pistol"}
	wall := func(squares ...string) game.Feature {
		f := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true}
		for _, s := range squares {
			sq, _ := game.ParseSquare(s)
			f.Squares = append(f.Squares, sq)
		}
		return f
	}
	crate := game.Feature{ID: "crate", Name: "crate", Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: 4, Y: 4}}}
	for _, c := range []struct {
		name     string
		zog      []string
		features []game.Feature
		plan     string
		chance   int // 0: no shot
		reason   string
	}{
		{"in the open", nil, nil, oneShot("zog"), 25 - 10 + 10, ""},
		{"behind a crate", nil, []game.Feature{crate}, oneShot("zog"), 25 - 10 + 10 - 20, ""},
		{"round the corner, leaning", nil, []game.Feature{wall("B5")}, `{"steps": [{"verb": "fire", "target": "zog", "shots": 1, "lean": true}]}`, 25, ""},
		{"aimed", nil, nil, `{"steps": [{"verb": "fire", "target": "zog", "shots": 1, "aim": true}]}`, 40, ""},
		{"dodging target", nil, nil, oneShot("zog"), 25 - 10 - 20, ""},
		{"prone target", []string{"posture=prone"}, nil, oneShot("zog"), 25 - 10 + 10 - 5, ""},
		{"large target", []string{"size=large"}, nil, oneShot("zog"), 25 - 10 + 10 + 5, ""},
	} {
		if c.name == "round the corner, leaning" {
			c.zog = append(c.zog, "exposed=")
		}
		w := two(t, gun, c.zog, c.features...)
		plans := map[game.ID]string{"bobo": c.plan}
		if c.name == "dodging target" {
			plans["zog"] = `{"steps": [{"verb": "move", "mode": "dodge"}]}`
		}
		ev := event(t, run(t, w, plans, nil), "bobo/r1.1")
		if got := ev.Numbers["chance"]; got != c.chance || !ev.Attack {
			t.Errorf("%s: chance %d, want %d (%s) %v", c.name, got, c.chance, ev.Reason, ev.Lines)
		}
	}
	// Who crouches behind a low wall is not to be seen at all.
	w := two(t, gun, []string{"posture=crouch"}, crate)
	rules := ruleset(t)
	if others := rules.See(w, "bobo").Others; len(others) != 0 {
		t.Errorf("Bobo sees %v", others)
	}
}

func TestDoorsOpenOnTheWay(t *testing.T) {
	t.Parallel()
	door := game.Feature{ID: "door", Name: "door", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 1, Y: 4}}}
	side := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true}
	for y := range 20 {
		if y != 4 {
			side.Squares = append(side.Squares, game.Square{X: 1, Y: y})
		}
	}
	w := two(t, nil, nil, door, side)
	rules := ruleset(t)
	if len(rules.See(w, "bobo").Others) != 0 {
		t.Error("Bobo sees through the door")
	}
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "to": "C5", "mode": "walk"}]}`}, nil)
	after := out.World.(*World)
	if after.Features[0].State != "open" || after.fighter("bobo").Place != (game.Square{X: 2, Y: 4}) {
		t.Errorf("door %s, Bobo at %s", after.Features[0].State, after.fighter("bobo").Place)
	}
	if len(rules.See(after, "bobo").Others) != 1 {
		t.Error("Bobo sees nobody through the open door")
	}
}

func TestMovementCosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, plan, at, mode string
		words                []string
	}{
		{"a walk ends at 10 m", `{"verb": "move", "direction": "south", "mode": "walk"}`, "A10", "walk", nil},
		{"diagonals alternate", `{"verb": "move", "to": [4, 8], "mode": "walk"}`, "D8", "walk", nil}, // 2, 4, 2 m and 4 more
		{"so many metres", `{"verb": "move", "direction": "south", "distance": 6, "mode": "run"}`, "A8", "run", nil},
		{"dodging is half a run", `{"verb": "move", "to": "A20", "mode": "dodge"}`, "A12", "dodge", nil},
		{"crawling", `{"verb": "move", "direction": "south", "mode": "crawl"}`, "A6", "crawl", nil},
		{"getting up takes half a walk", `{"verb": "move", "direction": "south", "mode": "walk"}`, "A7", "walk", []string{"posture=prone"}},
		{"a burden halves it", `{"verb": "move", "direction": "south", "mode": "walk"}`, "A7", "walk", []string{"carried_kg=40"}},
		{"behind somebody", `{"verb": "move", "to": "zog", "relation": "behind", "mode": "run"}`, "G5", "run", nil},
		{"away", `{"verb": "move", "away_from": "zog", "mode": "walk", "distance": 2}`, "A4", "walk", nil},
	} {
		w := two(t, c.words, nil)
		out := run(t, w, map[game.ID]string{"bobo": `{"steps": [` + c.plan + `]}`}, nil)
		if got := out.World.(*World).fighter("bobo").Place.String(); got != c.at {
			t.Errorf("%s: at %s, want %s\n%s", c.name, got, c.at, story(out))
		}
	}
}

func TestEventsAsEachSeesThem(t *testing.T) {
	t.Parallel()
	wall := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true}
	for x := range 12 {
		wall.Squares = append(wall.Squares, game.Square{X: x, Y: 10})
	}
	s := battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "weapon=automatic_pistol"),
		who("lani", "heroes", "C1", "facing=S"),                // sees both
		who("mate", "heroes", "A15", "facing=N"),               // behind the wall
		who("blind", "heroes", "C5", "facing=E"),               // his back to Bobo
		who("asleep", "heroes", "C2", "facing=S", "sta_now=0"), // perceives nothing
		who("zog", "gang", "F5", "gm=", "facing=W", "sta=100"),
		who("lurker", "gang", "H5", "gm=", "facing=W", "hidden=", "sta=100", "weapon=laser_pistol"),
	)
	s.Features = []game.Feature{wall}
	w := world(t, s)
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog"), "lurker": oneShot("zog")}, map[string][]int{"hit/bobo": {20}, "dmg/bobo": {5}})
	ev := event(t, out, "bobo/r1.1")
	want := map[game.ID]game.Grade{"bobo": game.Own, "lani": game.Seen, "mate": game.Heard, "blind": game.Target, "zog": game.Seen, "lurker": game.Seen}
	if diff := cmp.Diff(want, ev.Seen); diff != "" {
		t.Errorf("grades (-want +got):\n%s", diff)
	}
	texts := map[game.Grade]string{
		game.All:    "Bobo fires the automatic pistol at Zog, 10 m away (chance 23, roll 20), and hits for 5. Zog is grazed. STA 95/100.",
		game.Own:    "Bobo fires the automatic pistol at Zog (chance 23, roll 20) and hits for 5. Zog is grazed.",
		game.Seen:   "Bobo fires the automatic pistol at Zog and hits. Zog is grazed.",
		game.Actor:  "Bobo fires the automatic pistol at somebody out of sight.",
		game.Target: "A shot from somewhere out of sight hits Zog. Zog is grazed.",
		game.Heard:  "The bark of a pistol is heard.",
	}
	if diff := cmp.Diff(texts, ev.Text); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestAHiddenShooterIsNotNamedAndThenSeen(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "sta=100"),
		who("lurker", "gang", "H5", "gm=", "facing=W", "hidden=", "weapon=laser_pistol"),
	))
	rules := ruleset(t)
	if len(rules.See(w, "bobo").Others) != 0 {
		t.Fatal("he is seen before")
	}
	out := run(t, w, map[game.ID]string{"lurker": oneShot("bobo")}, map[string][]int{"hit/lurker": {10}})
	ev := event(t, out, "lurker/r1.1")
	if ev.Seen["bobo"] != game.Target || strings.Contains(ev.Text[game.Target], "Lurker") {
		t.Errorf("%s: %s", ev.Seen["bobo"], ev.Text[game.Target])
	}
	view := rules.See(out.World, "bobo")
	if len(view.Others) != 1 || len(view.Attacks) != 0 {
		t.Errorf("afterwards %v %v", view.Others, view.Attacks)
	}
}

func TestSpeech(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A5", "facing=E"), who("lani", "heroes", "A9", "facing=E"), who("zog", "gang", "F5", "facing=E")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [], "say": [{"text": "Drop it!"}, {"text": "Go left.", "to": "lani"}]}`}, nil)
	loud, quiet := event(t, out, "bobo/r1.s"), event(t, out, "bobo/r1.s2")
	if diff := cmp.Diff(map[game.ID]game.Grade{"bobo": game.Own, "lani": game.Seen, "zog": game.Heard}, loud.Seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[game.ID]game.Grade{"bobo": game.Own, "lani": game.Seen}, quiet.Seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if loud.Text[game.Heard] != "A voice: “Drop it!”" {
		t.Errorf("%s", loud.Text[game.Heard])
	}
}

func TestWordsToAHiddenManAreWordsToAll(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "A5", "facing=E"), who("skulker", "gang", "F5", "hidden=", "facing=W")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [], "say": [{"text": "Psst.", "to": "skulker"}]}`}, nil)
	ev := event(t, out, "bobo/r1.s")
	if ev.Target != "" || ev.Text[game.Own] != "Bobo: “Psst.”" {
		t.Errorf("%s to %q", ev.Text[game.Own], ev.Target)
	}
}

func TestUntilAndADialInAReaction(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol"}, []string{"gm=", "sta=5"})
	p := `{"steps": [{"verb": "fire", "target": "zog", "shots": 3, "until": {"kind": "down", "object": "zog"}}]}`
	out := run(t, w, map[game.ID]string{"bobo": p}, map[string][]int{"hit/bobo": {90, 20}, "dmg/bobo": {9}})
	if ev := event(t, out, "bobo/r1.3"); ev.Reason != "until" || ev.Attack {
		t.Errorf("%s", story(out))
	}
	w = two(t, []string{"rs=100", "weapon=laser_pistol:in_hand:dial=1"}, []string{"gm=", "sta=50"})
	out = run(t, w, map[game.ID]string{
		"bobo": `{"steps": [], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": 6}, "do": [{"verb": "fire", "target": "trigger", "setting": 4}]}]}`,
		"zog":  `{"steps": [{"verb": "move", "to": "B5", "mode": "walk"}]}`,
	}, map[string][]int{"hit/bobo": {10}, "init/player-bobo": {10}, "init/gang": {1}})
	if ev := event(t, out, "bobo/r1.2"); ev.Numbers["setting"] != 4 || !ev.Attack {
		t.Errorf("%s", story(out))
	}
}

func TestRulings(t *testing.T) {
	t.Parallel()
	w := func() *World {
		return two(t, []string{"dex=50", "weapon=automatic_pistol"}, []string{"gm=", "sta=50", "weapon=gyrojet_pistol"})
	}
	plans := map[game.ID]string{"bobo": oneShot("zog")}
	script := map[string][]int{"hit/bobo": {50}, "dmg/bobo": {4}}
	for _, c := range []struct {
		name   string
		ruling game.Ruling
		want   func(*testing.T, game.Event, *World)
		unused []int
	}{
		{"a die", game.Ruling{N: 1, Kind: game.RuleDie, Die: "hit/bobo/r1.1", Value: "20"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Outcome != "hit" || ev.Dice[0].Source != "gm" {
				t.Errorf("%s %+v", ev.Outcome, ev.Dice)
			}
		}, []int{}},
		{"a re-roll", game.Ruling{N: 1, Kind: game.RuleDie, Die: "hit/bobo/r1.1", Value: "reroll"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Dice[0].Name != "hit/bobo/r1.1~1" {
				t.Errorf("%+v", ev.Dice)
			}
		}, []int{}},
		{"a modifier", game.Ruling{N: 1, Kind: game.RuleMod, Who: "bobo", Value: "+30", Reason: "high ground"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Outcome != "hit" || ev.Numbers["chance"] != 55 || !slices.Contains(ev.Lines, game.Line{Label: "GM: high ground", Value: "+30"}) || strings.Count(encode(t, ev.Lines), "30") != 1 {
				t.Errorf("%s %v", ev.Outcome, ev.Lines)
			}
		}, []int{}},
		{"an outcome", game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "outcome", Value: "CRITICAL"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Outcome != "critical" || ev.Numbers["damage"] != 8 {
				t.Errorf("%s %v", ev.Outcome, ev.Numbers)
			}
		}, []int{}},
		{"an outcome as a word", game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "HIT"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Outcome != "hit" || ev.Numbers["damage"] != 4 {
				t.Errorf("%s %v", ev.Outcome, ev.Numbers)
			}
		}, []int{}},
		{"a chance", game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "CHANCE", Value: "60"}, func(t *testing.T, ev game.Event, _ *World) {
			if ev.Outcome != "hit" || ev.Numbers["chance"] != 60 {
				t.Errorf("%s %v", ev.Outcome, ev.Numbers)
			}
		}, []int{}},
		{"a figure before an event", game.Ruling{N: 1, Kind: game.RuleSet, Ref: "bobo/r1.1", Who: "zog", Field: "POSTURE", Value: "prone"}, func(t *testing.T, ev game.Event, w *World) {
			if ev.Numbers["chance"] != 20 || w.fighter("zog").Posture != "prone" {
				t.Errorf("%v", ev.Numbers)
			}
		}, []int{}},
		{"a figure at the end", game.Ruling{N: 1, Kind: game.RuleSet, Who: "zog", Field: "STA", Value: "12"}, func(t *testing.T, _ game.Event, w *World) {
			if w.fighter("zog").Now != 12 {
				t.Errorf("STA %d", w.fighter("zog").Now)
			}
		}, []int{}},
		{"a place", game.Ruling{N: 1, Kind: game.RuleSet, Who: "zog", Field: "AT", Value: "C3"}, func(t *testing.T, _ game.Event, w *World) {
			if w.fighter("zog").Place.String() != "C3" {
				t.Errorf("at %s", w.fighter("zog").Place)
			}
		}, []int{}},
		{"out of action", game.Ruling{N: 1, Kind: game.RuleSet, Who: "zog", Field: "DOWN", Value: "yes"}, func(t *testing.T, _ game.Event, w *World) {
			if w.fighter("zog").able() {
				t.Error("he is on his feet")
			}
		}, []int{}},
		{"a foe's orders", game.Ruling{N: 1, Kind: game.RuleOrders, Who: "zog", Value: `{"steps": [{"verb": "posture", "posture": "prone"}]}`}, func(t *testing.T, _ game.Event, w *World) {
			if w.fighter("zog").Posture != "prone" {
				t.Error("he stands")
			}
		}, []int{}},
		{"what does not occur", game.Ruling{N: 7, Kind: game.RuleDie, Die: "hit/nobody/r1.1", Value: "20"}, func(*testing.T, game.Event, *World) {}, []int{7}},
		{"a figure that cannot be", game.Ruling{N: 7, Kind: game.RuleSet, Who: "zog", Field: "AT", Value: "ZZ999"}, func(*testing.T, game.Event, *World) {}, []int{7}},
		{"a note changes nothing", game.Ruling{N: 1, Kind: game.RuleNote, Text: "NOTE rain"}, func(*testing.T, game.Event, *World) {}, []int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.ruling.Text = "as ruled"
			out := run(t, w(), plans, script, c.ruling)
			c.want(t, event(t, out, "bobo/r1.1"), out.World.(*World))
			if diff := cmp.Diff(c.unused, out.Unused); diff != "" {
				t.Errorf("unused (-want +got):\n%s", diff)
			}
			ruled := slices.ContainsFunc(out.Events, func(ev game.Event) bool { return slices.Contains(ev.Ruled, 1) })
			if ruled != (len(c.unused) == 0 && c.ruling.Kind != game.RuleNote) {
				t.Errorf("an event tells of it: %v", ruled)
			}
		})
	}
}

func TestRoundsEndWithTheFight(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol"}, []string{"gm=", "sta=5", "policy=hold"})
	in := input(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 1, "round": 2}]}`}, map[string][]int{"hit/bobo": {10}, "dmg/bobo": {9}})
	in.Orders = in.Orders[:1]
	in.Rounds = 5
	out := ruleset(t).Resolve(in)
	if !out.Done || out.World.At() != 2 || !strings.Contains(out.Why, "gang") {
		t.Errorf("done %v after %d rounds: %s", out.Done, out.World.At(), out.Why)
	}
	event(t, out, "bobo/r2.1")
}

func TestUnbuiltOrdersAndFreeTextGoToTheGM(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol"}, nil)
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "special", "kind": "free", "text": "I kick the lamp over"}, {"verb": "fire", "target": "zog", "shots": 1}]}`,
		"zog": `{"steps": [{"verb": "wrestle", "target": "bobo"}]}`}, nil)
	var kinds []string
	for _, q := range out.Inquiries {
		kinds = append(kinds, q.Kind+": "+q.Default)
	}
	if diff := cmp.Diff([]string{"not_built: nothing happens", "free_text: nothing happens"}, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ev := event(t, out, "bobo/r1.1"); !ev.Attack {
		t.Error("the rest of the plan was not carried out")
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "dex=50", "weapon=automatic_pistol"),
		who("zog", "gang", "F5", "gm=", "sta=5"), who("kira", "gang", "F7", "gm=", "sta=50"),
	))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}, {"verb": "if", "when": {"kind": "impossible"}, "then": [{"verb": "fire", "target": "kira", "shots": 1}]}]}`},
		map[string][]int{"hit/bobo": {20, 20}, "dmg/bobo": {9, 4}})
	if ev := event(t, out, "bobo/r1.2"); ev.Target != "kira" || !ev.Attack {
		t.Errorf("%s", story(out))
	}
}

func TestSimultaneousTies(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string][]string{"im_then_chain": {"bobo hit", "zog lost"}, "simultaneous": {"bobo hit", "zog hit"}} {
		w := world(t, set(battlefield(2,
			who("bobo", "heroes", "A5", "facing=E", "rs=50", "sta=5", "weapon=automatic_pistol"),
			who("zog", "gang", "F5", "facing=W", "rs=50", "sta=5", "weapon=automatic_pistol"),
		), "init.tie="+setting))
		out := run(t, w, map[game.ID]string{"bobo": oneShot("zog"), "zog": oneShot("bobo")}, map[string][]int{
			"init/player-bobo": {5}, "init/player-zog": {5}, "tie/bobo": {90}, "tie/zog": {10},
			"hit/bobo": {10}, "hit/zog": {10}, "dmg/bobo": {9}, "dmg/zog": {9},
		})
		if diff := cmp.Diff(want, shots(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", setting, diff)
		}
	}
}

func TestOnePlayersDieServesAllHisCharacters(t *testing.T) {
	t.Parallel()
	a, b := who("ann", "heroes", "A1", "rs=10"), who("bea", "heroes", "A3", "rs=60")
	a.Player, b.Player = "pat", "pat"
	w := world(t, battlefield(2, a, b, who("zog", "gang", "K1", "gm=", "rs=50"), who("zug", "gang", "K3", "gm=", "rs=20")))
	out := run(t, w, nil, map[string][]int{"init/pat": {7}, "init/gang": {2}})
	for ref, want := range map[string]int{"ann/r1.i": 8, "bea/r1.i": 13, "zog/r1.i": 7, "zug/r1.i": 4} {
		if got := event(t, out, ref).Numbers["total"]; got != want {
			t.Errorf("%s: %d, want %d", ref, got, want)
		}
	}
}
