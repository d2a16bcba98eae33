package starfrontiers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func throwAt(kind, at, more string) map[game.ID]string {
	return map[game.ID]string{"bobo": `{"steps": [{"verb": "throw", "item": "bobo-` + kind + `", "target": "` + at + `"` + more + `}]}`}
}

// thrower is Bobo in E10 with a grenade and Zog twelve metres to the east.
func thrower(t testing.TB, kind string, zog []string, settings ...string) *World {
	return world(t, set(battlefield(2,
		who("bobo", "heroes", "E10", "dex=60", "sta=50", "rs=50", "facing=E", "item="+kind),
		who("zog", "gang", "K10", append([]string{"sta=50", "rs=60", "facing=W"}, zog...)...),
	), settings...))
}

// lands is the square where a throw of the turn came down.
func lands(t testing.TB, out resolve.Outcome) string {
	t.Helper()
	for _, ev := range out.Events {
		if ev.Kind == "explosion" && ev.Target == "" {
			_, at, _ := strings.Cut(ev.Text[game.All], "bursts in ")
			at, _, _ = strings.Cut(at, " (")
			return strings.TrimSuffix(at, ".")
		}
	}
	t.Fatalf("nothing burst:\n%s", story(out))
	return ""
}

// 22.14: where grenades land. GR-1 to GR-3.
func TestGrenadesScatterGR(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id      string
		dir     int
		want    string
		thrower bool // is in the blast
	}{
		{"GR-1", 3, "P10", false},
		{"GR-2", 9, "F10", true},
		{"GR-3", 1, "O6", false},
	} {
		out := run(t, thrower(t, "fragmentation_grenade", nil), throwAt("fragmentation_grenade", "zog", ""),
			map[string][]int{"hit/bobo": {90}, "scatter_dir/bobo": {c.dir}})
		if got := lands(t, out); got != c.want {
			t.Errorf("%s: in %s, want %s", c.id, got, c.want)
		}
		hit := slices.ContainsFunc(out.Events, func(ev game.Event) bool { return ev.Kind == "explosion" && ev.Target == "bobo" })
		if hit != c.thrower {
			t.Errorf("%s: the thrower is in the blast: %v", c.id, hit)
		}
	}
}

// GR-4: three metres on a grid of one metre a square.
func TestTheBlastReachesThreeMetresGR4(t *testing.T) {
	t.Parallel()
	s := battlefield(1,
		who("bobo", "heroes", "A10", "dex=90", "facing=E", "item=fragmentation_grenade"),
		who("far", "gang", "O10", "gm=", "sta=80"), who("near", "gang", "N10", "gm=", "sta=80"), who("shut", "gang", "K12", "gm=", "sta=80"))
	s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 9, Y: 10}, {X: 10, Y: 10}, {X: 11, Y: 10}}}}
	out := run(t, world(t, s), throwAt("fragmentation_grenade", "K10", ""), map[string][]int{"hit/bobo": {20}, "dmg/bobo": {5, 5, 5, 5, 5, 5, 5, 6}, "avoid/near": {46}})
	w := out.World.(*World)
	for id, want := range map[game.ID]int{"near": 80 - 41, "far": 80, "shut": 80} {
		if got := w.fighter(id).Now; got != want {
			t.Errorf("%s has STA %d, want %d\n%s", id, got, want, story(out))
		}
	}
}

// GR-5 and throwing on what lies there.
func TestATimerGrenadeLiesUntilItsTimeGR5(t *testing.T) {
	t.Parallel()
	w := thrower(t, "fragmentation_grenade", nil)
	w.Turn = 4
	out := run(t, w, throwAt("fragmentation_grenade", "zog", `, "fuse": "1"`), map[string][]int{"hit/bobo": {10}, "dmg/bobo": {5, 5, 5, 5, 5, 5, 5, 5}, "avoid/zog": {61}})
	expect(t, out, `
16 zog/r1.1 done
15 bobo/r1.1 hit 10/20
15 bobo/r1.1b done
15 bobo/r1.f done damage 40
15 bobo/r1.f.zog hit damage 40 STA 50>10
`)
	two := run(t, thrower(t, "doze_grenade", nil), throwAt("doze_grenade", "zog", `, "fuse": "2"`), map[string][]int{"hit/bobo": {10}})
	mid := two.World.(*World)
	if len(mid.Charges) != 1 || mid.Charges[0].At != (game.Square{X: 10, Y: 9}) {
		t.Fatalf("%+v\n%s", mid.Charges, story(two))
	}
	v := ruleset(t).See(mid, "zog")
	f := v.Features[len(v.Features)-1]
	if f.ID != "grenade-k10" || f.Name != "doze grenade at K10" {
		t.Errorf("Zog sees %+v", f)
	}
	// Zog throws it back, and sleeps no more than Bobo does.
	back := run(t, mid, map[game.ID]string{"zog": `{"steps": [{"verb": "throw", "item": "grenade-k10", "target": "bobo"}]}`}, map[string][]int{"hit/zog": {5}, "resist/bobo": {51}, "stunturns/bobo": {7}})
	if f := back.World.(*World).fighter("bobo"); f.able() || f.Effects[0].Turns != 6 || len(back.World.(*World).Charges) != 0 {
		t.Errorf("Bobo: %v %v\n%s", f.Status, f.Effects, story(back))
	}
}

// GR-6.
func TestAGrenadeRifleMissFliesOnGR6(t *testing.T) {
	t.Parallel()
	s := battlefield(2,
		who("bobo", "heroes", "A10", "dex=60", "facing=E", "weapon=grenade_rifle:loaded=fragmentation", "item=doze_shell"),
		who("zog", "gang", "F10", "sta=50"))
	s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 20, Y: 9}, {X: 20, Y: 8}, {X: 20, Y: 10}}}}
	w := world(t, s)
	launch := map[game.ID]string{"bobo": `{"steps": [{"verb": "launch", "target": "zog"}]}`}
	out := run(t, w, launch, map[string][]int{"hit/bobo": {90}})
	if got := lands(t, out); got != "T10" {
		t.Errorf("it bursts in %s, want T10, before the wall", got)
	}
	// 6.6: one shot, then a turn of loading that has to be ordered.
	after := out.World.(*World)
	again := run(t, after, launch, nil)
	if strings.Contains(story(again), "90/") || after.fighter("bobo").Weapons[0].Left != 0 {
		t.Errorf("it is fired unloaded:\n%s", story(again))
	}
	loaded := run(t, after, map[game.ID]string{"bobo": `{"steps": [{"verb": "reload"}]}`}, nil).World.(*World)
	if wp := loaded.fighter("bobo").Weapons[0]; wp.Left != 1 || wp.Loaded != "doze" || loaded.fighter("bobo").Items[0].Count != 0 {
		t.Errorf("%+v", wp)
	}
	last := run(t, loaded, launch, map[string][]int{"hit/bobo": {5}, "resist/zog": {100}})
	if loaded.fighter("zog"); last.World.(*World).fighter("zog").able() {
		t.Errorf("the doze shell:\n%s", story(last))
	}
}

// GR-7: rounding a throw to one of eight directions.
func TestThrowVectorsGR7(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x, y int
		want resolve.Dir
	}{{5, 2, resolve.East}, {5, 3, resolve.SouthEast}, {4, 0, resolve.East}, {2, 2, resolve.SouthEast}} {
		if d, ok := resolve.Toward(game.Square{}, game.Square{X: c.x, Y: c.y}); !ok || d != c.want {
			t.Errorf("(%d,%d): %s, want %s", c.x, c.y, d, c.want)
		}
	}
}

// 10.3: what each grenade does to one who avoids it and to one who does not.
func TestGrenadesOneByOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kind string
		words      []string
		dice       map[string][]int
		sta        int
		effect     string
	}{
		{"doze", "doze_grenade", nil, map[string][]int{"resist/zog": {51}, "stunturns/zog": {30}}, 50, "unconscious 29"},
		{"doze resisted", "doze_grenade", nil, map[string][]int{"resist/zog": {50}}, 50, ""},
		{"doze in a mask", "doze_grenade", []string{"item=gas_mask"}, map[string][]int{"resist/zog": {51}}, 50, ""},
		{"doze at a robot", "doze_grenade", []string{"race=robot"}, map[string][]int{"resist/zog": {100}}, 50, ""},
		{"smoke", "smoke_grenade", nil, map[string][]int{"avoid/zog": {51}, "smoketurns/zog": {4}}, 50, "smoke 3"},
		{"smoke avoided", "smoke_grenade", nil, map[string][]int{"avoid/zog": {50}}, 50, ""},
		{"poison", "poison_grenade", nil, map[string][]int{"avoid/zog": {51}}, 45, "poison 9"},
		{"tangler", "tangler_grenade", nil, map[string][]int{"avoid/zog": {61}}, 50, "entangled 299"},
		{"tangler avoided", "tangler_grenade", nil, map[string][]int{"avoid/zog": {60}}, 50, ""},
		{"fragmentation avoided, DM-4", "fragmentation_grenade", nil, map[string][]int{"avoid/zog": {60}}, 30, ""},
		{"fragmentation, DM-4", "fragmentation_grenade", nil, map[string][]int{"avoid/zog": {61}}, 9, ""},
		{"fragmentation avoided in a skeinsuit, DM-5", "fragmentation_grenade", []string{"item=skeinsuit"}, map[string][]int{"avoid/zog": {60}}, 40, ""},
		{"incendiary", "incendiary_grenade", nil, map[string][]int{"avoid/zog": {61}, "dmg/bobo": {5, 5, 5, 5}}, 30, "burning 3"},
		{"incendiary avoided burns all the same", "incendiary_grenade", nil, map[string][]int{"avoid/zog": {60}, "dmg/bobo": {5, 5, 5, 5}}, 40, "burning 3"},
	} {
		dice := map[string][]int{"hit/bobo": {20}, "dmg/bobo": {5, 5, 5, 5, 5, 5, 5, 6}}
		for k, v := range c.dice {
			dice[k] = v
		}
		out := run(t, thrower(t, c.kind, c.words), throwAt(c.kind, "zog", ""), dice)
		zog := out.World.(*World).fighter("zog")
		var effects []string
		for _, x := range zog.Effects {
			effects = append(effects, fmt.Sprintf("%s %d", x.Kind, x.Turns))
		}
		if got := strings.Join(effects, ", "); zog.Now != c.sta || got != c.effect {
			t.Errorf("%s: STA %d, %q; want %d, %q\n%s", c.name, zog.Now, got, c.sta, c.effect, story(out))
		}
	}
}

func TestBurningGoesOnForThreeTurns(t *testing.T) {
	t.Parallel()
	out := run(t, thrower(t, "incendiary_grenade", nil), throwAt("incendiary_grenade", "zog", ""), map[string][]int{"hit/bobo": {20}, "dmg/bobo": {1, 1, 1, 1}, "avoid/zog": {99}})
	var left []int
	for range 4 {
		w := out.World.(*World)
		left = append(left, w.fighter("zog").Now)
		out = run(t, w, nil, map[string][]int{"dmg/zog": {3}})
	}
	if diff := cmp.Diff([]int{46, 43, 40, 37}, left); diff != "" || out.World.(*World).fighter("zog").Now != 37 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSmokeHampersAttacksAndChecks(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=50", "weapon=automatic_pistol"}, []string{"sta=50"})
	for _, id := range []game.ID{"bobo", "zog"} {
		w.fighter(id).add(Effect{Kind: "smoke", Turns: 5, Mod: -10, Check: -10})
	}
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, nil)
	if ev := event(t, out, "bobo/r1.1"); !strings.Contains(lines(ev.Lines), "Smoke: -10") {
		t.Errorf("%v", ev.Lines)
	}
	w.fighter("bobo").Items = append(w.fighter("bobo").Items, Item{ID: "frag", Kind: "fragmentation_grenade", Name: "grenade", Count: 1})
	w.fighter("zog").RS = 60
	out = run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "throw", "item": "frag", "target": "zog"}]}`}, map[string][]int{"hit/bobo": {1}, "avoid/zog": {51}})
	if ev := event(t, out, "bobo/r1.1b.zog"); !strings.Contains(lines(ev.Lines), "Avoids up to RS 60 -10: 51") || ev.Numbers["taken"] != ev.Numbers["damage"] {
		t.Errorf("%v", ev.Lines)
	}
}

// 10.3 and 5.2 no. 6: the cloud grows for four turns, blocks sight and gives cover.
func TestTheCloudGrowsAndHides(t *testing.T) {
	t.Parallel()
	s := battlefield(2,
		who("bobo", "heroes", "A10", "dex=60", "facing=E", "weapon=automatic_pistol", "item=smoke_grenade"),
		who("kira", "heroes", "A12", "facing=E", "item=ir_goggles"),
		who("zog", "gang", "Q10", "facing=W", "sta=50"))
	w := world(t, s)
	out := run(t, w, throwAt("smoke_grenade", "I10", ""), map[string][]int{"hit/bobo": {3}})
	var radius []int
	for range 6 {
		after := out.World.(*World)
		radius = append(radius, after.Clouds[0].Metres)
		out = run(t, after, nil, nil)
	}
	if diff := cmp.Diff([]int{6, 9, 12, 15, 15, 15}, radius); diff != "" {
		t.Errorf("at the end of each turn (-want +got):\n%s", diff)
	}
	after := out.World.(*World)
	rules := ruleset(t)
	names := func(who game.ID) string {
		var out []string
		for _, o := range rules.See(after, who).Others {
			if o.InSight {
				out = append(out, string(o.ID))
			}
		}
		return strings.Join(out, " ")
	}
	if got := names("bobo"); got != "kira" {
		t.Errorf("through the smoke Bobo sees %s", got)
	}
	if got := names("kira"); got != "bobo zog" {
		t.Errorf("with IR goggles Kira sees %s", got)
	}
	shot := run(t, after, map[game.ID]string{"bobo": oneShot("zog")}, nil)
	if strings.Contains(story(shot), "miss") || strings.Contains(story(shot), "hit") {
		t.Errorf("Bobo shoots at whom he does not see:\n%s", story(shot))
	}
	for range 95 {
		after = run(t, after, nil, nil).World.(*World)
	}
	if len(after.Clouds) != 0 {
		t.Errorf("after ten minutes: %+v", after.Clouds)
	}
}

func TestThinSmokeIsSoftCover(t *testing.T) {
	t.Parallel()
	g := newGrid([]game.Feature{{Kind: smokeKind, Squares: []game.Square{{X: 3, Y: 0}}}}, 9, 2, 2000)
	a, b := game.Square{X: 0, Y: 0}, game.Square{X: 5, Y: 0}
	if !g.clear(a, b) || g.cover(a, b) != "soft" {
		t.Errorf("two metres of smoke: clear %v, cover %q", g.clear(a, b), g.cover(a, b))
	}
	g = newGrid([]game.Feature{{Kind: smokeKind, Squares: []game.Square{{X: 0, Y: 0}, {X: 3, Y: 0}, {X: 5, Y: 0}}}}, 9, 2, 2000)
	if g.clear(a, b) {
		t.Error("four metres of smoke, the target's square counted, block sight")
	}
	if c := (game.Square{X: 2, Y: 0}); !g.clear(a, c) {
		t.Error("the viewer's own square does not count")
	}
}

// 10.2 no. 7: an armed grenade that slips bursts where it falls.
func TestAFumbledGrenadeBurstsWhereItFalls(t *testing.T) {
	t.Parallel()
	w := thrower(t, "fragmentation_grenade", nil)
	out := run(t, w, throwAt("fragmentation_grenade", "zog", ""), map[string][]int{"hit/bobo": {97}, "fumble/bobo": {80}, "dist/bobo": {7}, "dir/bobo": {9}, "avoid/bobo": {99}})
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "fumble" || lands(t, out) != "D10" {
		t.Errorf("%s, %s", ev.Outcome, lands(t, out))
	}
	if f := out.World.(*World).fighter("bobo"); f.able() {
		t.Errorf("Bobo stands in the blast with STA %d", f.Now)
	}
}

// 10.2 no. 8.
func TestCriticalThrows(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{"off": 45, "on": 41} {
		out := run(t, thrower(t, "fragmentation_grenade", []string{"sta=50"}, "grenade_crits="+setting), throwAt("fragmentation_grenade", "zog", ""),
			map[string][]int{"hit/bobo": {1}, "dmg/bobo": {1, 1, 1, 1, 1, 1, 1, 2}, "avoid/zog": {60}})
		f := out.World.(*World).fighter("zog")
		if setting == "off" && f.Now != 46 || setting == "on" && f.Now != want || len(f.Effects) > 0 {
			t.Errorf("%s: STA %d, %v", setting, f.Now, f.Effects)
		}
	}
}

// 5.2 no. 7.
func TestLobsOutOfSight(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"off": "lost", "on": "hit"} {
		s := battlefield(2, who("bobo", "heroes", "E10", "dex=90", "facing=E", "item=smoke_grenade"), who("zog", "gang", "AA1", "facing=E"))
		s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 6, Y: 8}, {X: 6, Y: 9}, {X: 6, Y: 10}}}}
		out := run(t, world(t, set(s, "grenade_lobs="+setting)), throwAt("smoke_grenade", "I10", ""), map[string][]int{"hit/bobo": {15}})
		ev := event(t, out, "bobo/r1.1")
		if ev.Outcome != want || setting == "on" && !strings.Contains(lines(ev.Lines), "out of sight: -20") {
			t.Errorf("%s: %s %v", setting, ev.Outcome, ev.Lines)
		}
	}
}

// 18.4 and 22.14: knives, axes and spears fly with the skill of throwing.
func TestThrownWeapons(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "E10", "str=50", "dex=60", "facing=E", "skills.thrown=2", "skills.melee=5", "weapon=spear"),
		who("zog", "gang", "G10", "sta=50", "facing=W")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "throw", "item": "bobo-spear", "target": "zog"}]}`}, map[string][]int{"hit/bobo": {60}, "dmg/bobo": {4, 5}})
	ev := event(t, out, "bobo/r1.1")
	if ev.Numbers["chance"] != 30+20+10 || ev.Outcome != "hit" || ev.Numbers["damage"] != 4+5+3 || ev.Kind != "throw" {
		t.Errorf("%s %d %d\n%v", ev.Outcome, ev.Numbers["chance"], ev.Numbers["damage"], ev.Lines)
	}
	if wp := out.World.(*World).fighter("bobo").Weapons[0]; wp.State != "on_ground" || wp.At.String() != "G10" {
		t.Errorf("the spear is %s at %v", wp.State, wp.At)
	}
	if !slices.Contains(ev.Unverified, "spear: ranges") {
		t.Errorf("%v", ev.Unverified)
	}
}

func TestChecksOfThrows(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	s := battlefield(2,
		who("bobo", "heroes", "E10", "facing=E", "item=doze_grenade", "item=smoke_grenade", "weapon=automatic_pistol", "weapon=knife:sheathed", "weapon=sword", "weapon=grenade_rifle:slung:loaded=doze", "item=fragmentation_shell"),
		who("lani", "heroes", "K11", "facing=E"), who("zog", "gang", "K10", "facing=W"), who("far", "gang", "AL10", "facing=W"))
	s.Features = []game.Feature{{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 8, Y: 8}}}}
	v := rules.See(world(t, s), "bobo")
	for _, c := range []struct {
		name, step string
		want       string
		steps      int
	}{
		{"which one", `{"verb": "throw", "target": "zog"}`, "asked grenade_kind", 0},
		{"a friend in the blast", `{"verb": "throw", "item": "bobo-doze_grenade", "target": "zog"}`, "noted friendly_target", 1},
		{"too far", `{"verb": "throw", "item": "bobo-doze_grenade", "target": "far"}`, "wrong out_of_range", 0},
		{"at a thing", `{"verb": "throw", "item": "bobo-smoke_grenade", "to": "crate"}`, "", 1},
		{"at a square", `{"verb": "throw", "item": "bobo-smoke_grenade", "to": "H5"}`, "", 1},
		{"off the map", `{"verb": "throw", "item": "bobo-smoke_grenade", "to": [99, 99]}`, "wrong path", 0},
		{"at oneself", `{"verb": "throw", "item": "bobo-smoke_grenade", "target": "me"}`, "wrong friendly_target", 0},
		{"at nobody", `{"verb": "throw", "item": "bobo-smoke_grenade"}`, "asked which_target", 0},
		{"too long a fuse", `{"verb": "throw", "item": "bobo-smoke_grenade", "to": "H5", "fuse": "11"}`, "wrong setting", 1},
		{"a sword", `{"verb": "throw", "item": "bobo-sword", "target": "zog"}`, "wrong illegal_option", 0},
		{"a knife", `{"verb": "throw", "item": "bobo-knife", "target": "zog"}`, "noted draw", 1},
		{"a shell by hand", `{"verb": "throw", "item": "bobo-fragmentation_shell", "target": "zog"}`, "wrong unknown_weapon", 0},
		{"a shell that is not loaded", `{"verb": "launch", "shell": "bobo-fragmentation_shell", "target": "zog"}`, "wrong which_weapon", 0},
		{"two grenades", `{"verb": "throw", "item": "bobo-doze_grenade", "to": "H5"}, {"verb": "throw", "item": "bobo-smoke_grenade", "to": "H5"}`, "wrong too_many_actions", 1},
		{"a grenade and a shot", `{"verb": "throw", "item": "bobo-doze_grenade", "to": "H5"}, {"verb": "fire", "target": "zog", "shots": 1}`, "wrong too_many_actions", 1},
		{"a shot with the launcher", `{"verb": "fire", "weapon": "bobo-grenade_rifle", "target": "far"}`, "noted draw", 1},
	} {
		p, problems := rules.Check(v, plan(t, `{"steps": [`+c.step+`]}`))
		var kinds []string
		for _, x := range problems {
			kinds = append(kinds, string(x.Severity)+" "+x.Kind)
		}
		if got := strings.Join(kinds, ", "); got != c.want || len(p.Steps) != c.steps {
			t.Errorf("%s: %d steps, %s; want %d, %s\n%+v", c.name, len(p.Steps), got, c.steps, c.want, problems)
		}
		again, _ := rules.Check(v, p)
		if diff := cmp.Diff(p.Steps, again.Steps); diff != "" {
			t.Errorf("%s: a second check changes it:\n%s", c.name, diff)
		}
	}
}

// 21: what the GM may rule about grenades and smoke.
func TestRulingsOnGrenades(t *testing.T) {
	t.Parallel()
	dice := map[string][]int{"hit/bobo": {90}, "dmg/bobo": {5, 5, 5, 5, 5, 5, 5, 5}, "avoid/zog": {99}}
	rule := func(r game.Ruling) *World {
		r.N = 1
		out := run(t, thrower(t, "fragmentation_grenade", nil), throwAt("fragmentation_grenade", "zog", ""), dice, r)
		if len(out.Unused) > 0 {
			t.Errorf("%+v was not used", r)
		}
		return out.World.(*World)
	}
	for name, c := range map[string]struct {
		r    game.Ruling
		zog  int
		bobo int
	}{
		"a hit":               {game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "outcome", Value: "hit"}, 10, 50},
		"the direction":       {game.Ruling{Kind: game.RuleDie, Die: "scatter_dir/bobo/r1.1", Value: "9"}, 50, 10},
		"what is in the sky":  {game.Ruling{Kind: game.RuleSet, Who: "zog", Field: "STA", Value: "7"}, 7, 50},
		"somebody out of way": {game.Ruling{Kind: game.RuleSet, Who: "zog", Field: "AT", Value: "A1", Ref: "bobo/r1.1"}, 50, 50},
	} {
		dice["avoid/bobo"] = []int{99}
		w := rule(c.r)
		if w.fighter("zog").Now != c.zog || w.fighter("bobo").Now != c.bobo {
			t.Errorf("%s: Zog %d, Bobo %d", name, w.fighter("zog").Now, w.fighter("bobo").Now)
		}
	}
	dice["hit/bobo"] = []int{20}
	for name, c := range map[string]struct {
		r   game.Ruling
		zog int
	}{
		"the points":  {game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.1b", Field: "damage", Value: "6"}, 44},
		"for one":     {game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.1b.zog", Field: "damage", Value: "3"}, 47},
		"he gets off": {game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.1b.zog", Field: "avoided", Value: "1"}, 30},
	} {
		if w := rule(c.r); w.fighter("zog").Now != c.zog {
			t.Errorf("%s: Zog %d", name, w.fighter("zog").Now)
		}
	}
	w := rule(game.Ruling{Kind: game.RuleSet, Who: "zog", Field: "SMOKE", Value: "5"})
	if len(w.Clouds) != 1 || w.Clouds[0].Metres != 5 {
		t.Errorf("%+v", w.Clouds)
	}
	out := run(t, w, nil, nil, game.Ruling{N: 1, Kind: game.RuleSet, Who: "zog", Field: "SMOKE", Value: "0"}, game.Ruling{N: 2, Kind: game.RuleSet, Who: "bobo", Field: "COUGHING", Value: "4"}, game.Ruling{N: 3, Kind: game.RuleSet, Who: "bobo", Field: "BURNING", Value: "2"})
	if w := out.World.(*World); len(w.Clouds) != 0 || !w.fighter("bobo").has("smoke") || !w.fighter("bobo").has("burning") || len(out.Unused) > 0 {
		t.Errorf("%+v %+v", w.Clouds, w.fighter("bobo").Effects)
	}
}

// "If a grenade lands near me, throw it back" (20.2).
func TestAGrenadeIsThrownBack(t *testing.T) {
	t.Parallel()
	w := thrower(t, "fragmentation_grenade", []string{"dex=60", "weapon=automatic_pistol"})
	plans := throwAt("fragmentation_grenade", "zog", `, "fuse": "1"`)
	plans["zog"] = `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "grenade_lands", "of": "me", "distance": 2}, "do": [{"verb": "throw"}]}]}`
	out := run(t, w, plans, map[string][]int{"init/player-bobo": {2}, "init/player-zog": {9}, "hit/bobo": {20}, "hit/zog": {20}, "avoid/bobo": {99}})
	if w := out.World.(*World); w.fighter("zog").Now != 50 || w.fighter("bobo").Now >= 50 {
		t.Errorf("Zog %d, Bobo %d\n%s", w.fighter("zog").Now, w.fighter("bobo").Now, story(out))
	}
}
