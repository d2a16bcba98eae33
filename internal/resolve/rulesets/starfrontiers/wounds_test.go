package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// hurt is one shot of bobo's at zog, who stands at point blank and walks; the
// chance is 75: DEX 90, skill 3. words are zog's.
func hurt(t testing.TB, weapon string, dice map[string][]int, settings []string, words ...string) (resolve.Outcome, game.Event, *Fighter) {
	t.Helper()
	kind, _, _ := strings.Cut(weapon, ":")
	group := data(t).weapon(game.ID(kind)).Group
	w := world(t, set(battlefield(2,
		who("bobo", "heroes", "A1", "dex=90", "skills."+group+"=3", "facing=E", "weapon="+weapon),
		who("zog", "gang", "C1", append([]string{"sta=50", "facing=W"}, words...)...),
	), settings...))
	out := run(t, w, map[game.ID]string{
		"bobo": `{"steps": [{"verb": "fire", "weapon": "bobo-` + kind + `", "target": "zog", "shots": 1}]}`,
		"zog":  `{"steps": [{"verb": "move", "to": "D1", "mode": "walk"}]}`,
	}, dice, game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "chance", Value: "75"})
	return out, event(t, out, "bobo/r1.1"), out.World.(*World).fighter("zog")
}

func hasLine(ev game.Event, label, value string) bool {
	return slices.ContainsFunc(ev.Lines, func(l game.Line) bool {
		return strings.Contains(l.Label, label) && strings.Contains(l.Value, value)
	})
}

func TestStunDM3(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id     string
		roll   int
		resist int
		words  []string
		stun   string
		turns  int
	}{
		{"DM-3 28", 50, 28, nil, "", 0},
		{"DM-3 29", 50, 29, nil, "stunned", 41},
		{"a critical halves the Stamina", 5, 15, nil, "stunned", 41},
		{"it is rounded up", 5, 14, nil, "", 0},
		{"an implant", 50, 99, []string{"item=anti_shock_implant"}, "", 0},
		{"a gauss screen", 50, 99, []string{"item=gauss_screen"}, "", 0},
		{"CD-15", 50, 99, []string{"item=gauss_screen:seu=1"}, "stunned", 41},
		{"a machine", 50, 99, []string{"race=robot", "level=2"}, "", 0},
	} {
		_, ev, zog := hurt(t, "electrostunner", map[string][]int{"hit/bobo": {c.roll}, "resist/zog": {c.resist}, "stunturns/bobo": {42}}, nil, append(c.words, "sta_now=28")...)
		if has(zog.Status, "stunned") != (c.stun != "") || zog.able() == (c.stun != "") || c.turns > 0 && zog.Effects[0].Turns != c.turns {
			t.Errorf("%s: %v %v %v", c.id, zog.Status, zog.Effects, ev.Lines)
		}
		if strings.Contains(encode(t, readable(ev)), "28") {
			t.Errorf("%s: the shooter reads how strong he is: %v", c.id, ev.Lines)
		}
	}
}

// readable gives the lines of a sum that a player reads.
func readable(ev game.Event) []game.Line {
	return slices.DeleteFunc(slices.Clone(ev.Lines), func(l game.Line) bool { return l.Secret })
}

func TestAStunPasses(t *testing.T) {
	t.Parallel()
	out, _, zog := hurt(t, "electrostunner", map[string][]int{"hit/bobo": {50}, "resist/zog": {99}, "stunturns/bobo": {2}}, nil)
	if zog.able() || zog.Effects[0].Turns != 1 { // the round in which it begins counts
		t.Fatalf("%v", zog.Effects)
	}
	next := run(t, out.World.(*World), nil, nil)
	if f := next.World.(*World).fighter("zog"); !f.able() || f.Effects != nil || len(f.Status) > 0 {
		t.Errorf("%v %v", f.Effects, f.Status)
	}
	if ev := event(t, next, "zog/r1.e"); !strings.Contains(ev.Text[game.All], "Zog comes round") {
		t.Error(ev.Text[game.All])
	}
}

func TestNeedlesPutToSleep(t *testing.T) {
	t.Parallel()
	dice := map[string][]int{"hit/bobo": {50}, "dmg/bobo": {6}, "resist/zog": {45}, "stunturns/bobo": {30}}
	_, ev, zog := hurt(t, "needler_pistol:ammo=anesthetic", dice, nil)
	if zog.Now != 44 || !has(zog.Status, "unconscious") { // 45 is above what is left
		t.Errorf("STA %d %v: %v", zog.Now, zog.Status, ev.Lines)
	}
	dice["resist/zog"] = []int{44}
	if _, _, zog = hurt(t, "needler_pistol:ammo=anesthetic", dice, nil); zog.Now != 44 || !zog.able() {
		t.Errorf("resisted: STA %d %v", zog.Now, zog.Status)
	}
	if _, _, zog = hurt(t, "needler_pistol:ammo=anesthetic", dice, nil, "item=inertia_screen"); zog.Now != 50 || !zog.able() {
		t.Errorf("a screen: STA %d %v", zog.Now, zog.Status)
	}
}

func TestKnockOutsDM(t *testing.T) {
	t.Parallel()
	// DM-9: with the critical rules a 02 is a critical hit, without them a knock-out.
	_, ev, zog := hurt(t, "automatic_pistol", map[string][]int{"hit/bobo": {5}, "dmg/bobo": {3}}, nil)
	if ev.Outcome != "critical" || !zog.able() {
		t.Errorf("DM-9 with critical rules: %s %v", ev.Outcome, zog.Status)
	}
	dice := map[string][]int{"hit/bobo": {2}, "dmg/bobo": {3}, "stunturns/bobo": {70}}
	_, ev, zog = hurt(t, "automatic_pistol", dice, []string{"crit_rules=off"})
	if ev.Outcome != "hit" || !has(zog.Status, "unconscious") || zog.Effects[0].Turns != 69 || zog.Now != 47 {
		t.Errorf("DM-9 without: %s %v %v", ev.Outcome, zog.Status, zog.Effects)
	}
	if _, _, zog = hurt(t, "automatic_pistol", dice, []string{"crit_rules=off", "ko_01_02=off"}); !zog.able() {
		t.Errorf("ko_01_02 off: %v", zog.Status)
	}
	if _, _, zog = hurt(t, "needler_pistol", dice, []string{"crit_rules=off"}, "item=skeinsuit"); !zog.able() {
		t.Errorf("nothing got through: %v", zog.Status)
	}
	// DM-7 and DM-8.
	set := func(values map[string]string) func(string) string {
		return func(k string) string { return settingOf(values, k) }
	}
	off := set(map[string]string{"crit_rules": "off"})
	for roll := 1; roll <= 61; roll++ {
		want := roll <= 6 || roll%10 == 0
		if got := data(t).result(60, roll, true, false) == "hit" && knocksOut(off, roll, true, 4); got != (want && roll <= 60) {
			t.Errorf("DM-7: %d knocks out: %v", roll, got)
		}
		if got := knocksOut(set(nil), roll, true, 4); got != (roll%10 == 0) {
			t.Errorf("DM-7 with critical rules: %d knocks out: %v", roll, got)
		}
	}
	if data(t).result(55, 50, true, true) != "hit" || !knocksOut(set(nil), 50, true, 0) || data(t).result(55, 60, true, true) != "miss" {
		t.Error("DM-8")
	}
	martial := &Fighter{Skills: map[string]int{"martial_arts": 4}}
	for race, want := range map[string]int{"Human": 4, "Yazirian": 4, "Sathar": 0, "animal": 0} {
		if got := data(t).nerve(martial, &Fighter{Race: race}); got != want {
			t.Errorf("nerve combat against %s: %d", race, got)
		}
	}
}

// strike runs one harm on somebody by hand, as area effects do.
func strike(t testing.TB, h harm, dice map[string][]int, words ...string) (*game.Event, *Fighter) {
	t.Helper()
	w := world(t, battlefield(2, who("bobo", "heroes", "A1"), who("zog", "gang", "C1", append([]string{"sta=80", "rs=60"}, words...)...)))
	in := input(t, w, nil, dice)
	e := newEngine(ruleset(t), w, in)
	e.round = 1
	h.to, h.by, h.dice = e.w.fighter("zog"), e.w.fighter("bobo"), "zog/bobo/r1.1"
	ev := e.event("bobo/r1.1", h.by, "throw", "hit")
	e.inflict(ev, h)
	return ev, h.to
}

func TestAvoidanceDM4To6(t *testing.T) {
	t.Parallel()
	frag := harm{kind: "fragment", class: "blast", points: 41, avoid: "rs", half: true}
	for _, c := range []struct {
		id    string
		avoid int
		words []string
		want  int
	}{{"DM-4 60", 60, nil, 60}, {"DM-4 61", 61, nil, 39}, {"DM-5", 60, []string{"item=skeinsuit"}, 70}} {
		if _, zog := strike(t, frag, map[string][]int{"avoid/zog": {c.avoid}}, c.words...); zog.Now != c.want {
			t.Errorf("%s: STA %d, want %d", c.id, zog.Now, c.want)
		}
	}
	tangler := harm{kind: "web", class: "blast", avoid: "rs", effect: &Effect{Kind: "entangled", Turns: 300, Heal: "solvaway"}}
	for avoid, want := range map[int]bool{60: false, 61: true} {
		if _, zog := strike(t, tangler, map[string][]int{"avoid/zog": {avoid}}); zog.has("entangled") != want {
			t.Errorf("DM-6 %d: entangled %v", avoid, zog.Effects)
		}
	}
}

func TestBurnsDM14(t *testing.T) {
	t.Parallel()
	for points, able := range map[int]bool{22: true, 23: false} {
		if _, zog := strike(t, harm{kind: "heat", class: "burn", points: points}, nil, "sta=45"); zog.able() != able {
			t.Errorf("DM-14: %d of burns: able %v %v", points, zog.able(), zog.Status)
		}
	}
	if _, zog := strike(t, harm{kind: "laser", class: "burn", points: 40}, nil, "sta=45"); !zog.able() {
		t.Errorf("a laser is no fire: %v", zog.Status)
	}
}

func ruled(n int, who game.ID, field, value string) game.Ruling {
	return game.Ruling{N: n, Kind: game.RuleSet, Who: who, Field: field, Value: value, Text: string(who) + " " + field + " " + value}
}

func TestWoundsHinder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		roll   int
		name   string
		weapon string
		words  []string
		test   func(f *Fighter) bool
	}{
		{1, "Bleeder", "automatic_pistol", nil, func(f *Fighter) bool { return f.Now == 50-18-1 }},
		{1, "Deep burn", "laser_pistol:dial=2", nil, func(f *Fighter) bool { return f.Now == 50-18-6 && f.Burned == 6 && f.Effects == nil }},
		{1, "Gear hit", "electrostunner:mode=blast", []string{"item=inertia_screen"}, func(f *Fighter) bool { return f.Items[0].State == "broken" }},
		{2, "Weapon arm", "automatic_pistol", nil, func(f *Fighter) bool { return f.Weapons[0].State == "on_ground" && f.wrongHand(&Weapon{}) }},
		{3, "Other arm", "automatic_pistol", nil, func(f *Fighter) bool {
			return f.unhandy(&Weapon{TwoHanded: true}) != "" && f.unhandy(&Weapon{}) == "" && f.Weapons[0].State == "in_hand"
		}},
		{4, "Leg", "automatic_pistol", nil, func(f *Fighter) bool { return f.allowance(data(t), "walk") == 5 && f.allowance(data(t), "run") == 5 }},
		{5, "Both legs", "automatic_pistol", nil, func(f *Fighter) bool { return f.allowance(data(t), "run") == 2 && f.Posture == "prone" }},
		{6, "Head, dazed", "automatic_pistol", nil, func(f *Fighter) bool { return has(f.Status, "stunned") && f.Effects[0].Turns == 3 }},
		{7, "Eyes", "automatic_pistol", nil, func(f *Fighter) bool {
			return len(f.ails(true)) == 1 && f.ails(true)[0].Value == "-20" && len(f.ails(false)) == 0 && f.blurred() == 10
		}},
		{8, "Chest", "automatic_pistol", nil, func(f *Fighter) bool { return f.ails(false)[0].Value == "-10" }},
		{9, "Gear hit", "automatic_pistol", nil, func(f *Fighter) bool { return f.Weapons[0].Broken }},
		{10, "Mortal", "automatic_pistol", nil, func(f *Fighter) bool { return f.Now == 50-18-6-2 }},
	} {
		dice := map[string][]int{"hit/bobo": {4}, "dmg/bobo": {9}, "dmg/zog": {6}, "grievous/bobo": {1}, "wound/bobo": {c.roll}, "stunturns/bobo": {4}}
		if c.weapon != "automatic_pistol" {
			dice["dmg/bobo"] = []int{4, 5}
			if strings.HasPrefix(c.weapon, "electro") {
				dice["dmg/bobo"] = []int{1, 1, 1, 1}
			}
		}
		out, ev, zog := hurt(t, c.weapon, dice, nil, append(c.words, "weapon=sword")...)
		if !hasLine(ev, "Wound", c.name) || !c.test(zog) {
			t.Errorf("%d %s: STA %d %v %+v: %v", c.roll, c.name, zog.Now, zog.Status, zog.Effects, ev.Lines)
		}
		if !slices.ContainsFunc(out.Inquiries, func(q game.Inquiry) bool { return q.Kind == "grievous_wound" && strings.Contains(q.Text, c.name) }) {
			t.Errorf("%s: the GM is not asked", c.name)
		}
	}
	// Blast rolls twice and keeps both; burns and shocks have rows of their own.
	wounds := data(t).grievous("default-v1")
	for class, want := range map[string]string{"burn": "Deep burn", "shock": "Gear hit", "crush": "Bleeder"} {
		if got := wounds.wound(1, class).Name; got != want {
			t.Errorf("%s: %s", class, got)
		}
	}
	if !slices.Contains(wounds.Twice, "blast") {
		t.Error("blast rolls once")
	}
}

// DM-16: a published table that gives its chance by skill.
func TestChanceOfAWoundDM16(t *testing.T) {
	t.Parallel()
	dragon := grievousTable{Chance: 3, ChancePerSkill: 2, ClassChance: map[string]int{"burn": 50}}
	for _, c := range []struct {
		setting, class string
		skill, want    int
	}{{"table", "puncture", 4, 11}, {"table", "burn", 0, 50}, {"35", "burn", 4, 35}} {
		if got := dragon.chance(c.setting, c.class, c.skill); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestAGameBringsItsOwnTables(t *testing.T) {
	t.Parallel()
	s := battlefield(2, who("bobo", "heroes", "A1", "dex=90", "skills.projectile=3", "facing=E", "weapon=automatic_pistol"), who("zog", "gang", "C1", "sta=50"))
	wounds := `[{"roll":1,"name":"Scar","effects":[{"kind":"chest","mod":-7}]}`
	for n := 2; n <= 10; n++ {
		wounds += `,{"roll":` + itoa(n) + `,"name":"Scratch"}`
	}
	s.Settings = append(s.Settings,
		game.Value{Key: "critical_table", Raw: []byte(`[{"to":50,"critical":1},{"to":999999,"grievous":30,"critical":40}]`)},
		game.Value{Key: "fumble_table.from", Raw: []byte(`90`)},
		game.Value{Key: "grievous_table.chance", Raw: []byte(`5`)},
		game.Value{Key: "grievous_table.class_chance.puncture", Raw: []byte(`60`)},
		game.Value{Key: "grievous_table.wound", Raw: []byte(wounds + `]`)})
	w := world(t, s)
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {30}, "dmg/bobo": {2}, "grievous/bobo": {60}, "wound/bobo": {1}})
	zog := out.World.(*World).fighter("zog")
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "grievous" || len(zog.Effects) != 1 || zog.Effects[0].Mod != -7 || zog.Effects[0].Name != "Scar" {
		t.Errorf("%s %+v %v", ev.Outcome, zog.Effects, ev.Lines)
	}
	out = run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {90}, "fumble/bobo": {99}})
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "fumble" {
		t.Errorf("a 90: %s", ev.Outcome)
	}
	// Another game is not touched.
	out = run(t, two(t, []string{"dex=90", "weapon=automatic_pistol"}, nil), map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {90}})
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "miss" {
		t.Errorf("a 90 elsewhere: %s", ev.Outcome)
	}
}

// Section 21: damage, critical and grievous hits, states, resources, medical.
func TestRulingsOnWounds(t *testing.T) {
	t.Parallel()
	onEvent := func(n int, field, value string) game.Ruling {
		return game.Ruling{N: n, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: field, Value: value}
	}
	setup := func() *World {
		return world(t, battlefield(2, who("bobo", "heroes", "A1", "dex=50", "facing=E", "weapon=electrostunner", "weapon=automatic_pistol:holstered"),
			who("zog", "gang", "B1", "sta=50", "facing=W", "weapon=sword", "item=inertia_screen", "item=skeinsuit")))
	}
	stun := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "weapon": "bobo-electrostunner", "target": "zog", "shots": 1}]}`}
	shot := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "weapon": "bobo-automatic_pistol", "target": "zog", "shots": 1}]}`}
	for _, c := range []struct {
		name    string
		plan    map[game.ID]string
		rulings []game.Ruling
		test    func(f *Fighter) bool
	}{
		{"a stun is resisted", stun, []game.Ruling{onEvent(1, "outcome", "hit"), onEvent(2, "resisted", "1")}, (*Fighter).able},
		{"a stun is not resisted, for so long", stun, []game.Ruling{onEvent(1, "outcome", "hit"), onEvent(2, "resisted", "0"), onEvent(3, "turns", "7")}, func(f *Fighter) bool { return !f.able() && f.Effects[0].Turns == 6 }},
		{"damage is what he loses", shot, []game.Ruling{onEvent(1, "outcome", "hit"), onEvent(2, "damage", "17")}, func(f *Fighter) bool { return f.Now == 33 }},
		{"a wound is chosen", shot, []game.Ruling{onEvent(1, "outcome", "grievous"), onEvent(2, "damage", "9"), onEvent(3, "wound", "4")}, func(f *Fighter) bool { return f.has("leg") }},
		{"a wound is taken back", shot, []game.Ruling{onEvent(1, "outcome", "grievous"), onEvent(2, "damage", "9"), onEvent(3, "wound", "0")}, func(f *Fighter) bool { return f.Effects == nil }},
		{"STUNNED", nil, []game.Ruling{ruled(1, "zog", "STUNNED", "3")}, func(f *Fighter) bool { return has(f.Status, "stunned") }},
		{"UNCONSCIOUS and back", nil, []game.Ruling{ruled(1, "zog", "UNCONSCIOUS", "3"), ruled(2, "zog", "UNCONSCIOUS", "0")}, (*Fighter).able},
		{"BLEEDING", nil, []game.Ruling{ruled(1, "zog", "BLEEDING", "2")}, func(f *Fighter) bool { return f.has("bleeding") }},
		{"POISON", nil, []game.Ruling{ruled(1, "zog", "POISON", "4")}, func(f *Fighter) bool { return f.Effects[0].Turns == 4 && f.Effects[0].Points == 5 }},
		{"WOUND", nil, []game.Ruling{ruled(1, "zog", "WOUND", "5")}, func(f *Fighter) bool { return f.has("lamed") && f.Posture == "prone" }},
		{"WOUND 0", nil, []game.Ruling{ruled(1, "zog", "WOUND", "5"), ruled(2, "zog", "WOUND", "0")}, func(f *Fighter) bool { return f.Effects == nil }},
		{"BURN", nil, []game.Ruling{ruled(1, "zog", "BURN", "26")}, func(f *Fighter) bool { return f.Now == 24 && !f.able() }},
		{"ENTANGLED", nil, []game.Ruling{ruled(1, "zog", "ENTANGLED", "yes")}, func(f *Fighter) bool { return f.allowance(data(t), "run") == 0 }},
		{"SCREEN", nil, []game.Ruling{ruled(1, "zog", "SCREEN", "off")}, func(f *Fighter) bool { return f.Items[0].State == "off" }},
		{"SEU", nil, []game.Ruling{ruled(1, "zog", "SEU", "9")}, func(f *Fighter) bool { return f.Items[0].Left == 9 }},
		{"CAPACITY", nil, []game.Ruling{ruled(1, "zog", "CAPACITY", "8")}, func(f *Fighter) bool { return f.Items[1].Left == 8 }},
		{"BROKEN", nil, []game.Ruling{ruled(1, "zog", "BROKEN", "yes")}, func(f *Fighter) bool { return f.Weapons[0].Broken }},
		{"ABLE", nil, []game.Ruling{ruled(1, "zog", "STUNNED", "30"), ruled(2, "zog", "ABLE", "yes")}, func(f *Fighter) bool { return f.able() && f.Effects == nil }},
	} {
		out := run(t, setup(), c.plan, nil, c.rulings...)
		if zog := out.World.(*World).fighter("zog"); !c.test(zog) || len(out.Unused) > 0 {
			t.Errorf("%s: STA %d %v %+v, unused %v\n%s", c.name, zog.Now, zog.Status, zog.Effects, out.Unused, story(out))
		}
	}
	out := run(t, setup(), nil, nil, ruled(1, "zog", "WOUND", "11"), ruled(2, "bobo", "SEU", "5"), ruled(3, "zog", "SCREEN", "maybe"), ruled(4, "zog", "STUNNED", "-1"))
	if len(out.Unused) != 4 {
		t.Errorf("what cannot be is not told: %v", out.Unused)
	}
}

// What 11 says of blows, carried out: tens knock out, a stunstick stuns, arms fail.
func TestBlowsKnockOutAndStun(t *testing.T) {
	t.Parallel()
	dice := map[string][]int{"hit/bobo": {20}, "stunturns/bobo": {33}}
	out := run(t, brawl(t, nil, nil), map[game.ID]string{"bobo": punches}, dice)
	if zog := out.World.(*World).fighter("zog"); !has(zog.Status, "unconscious") || zog.Effects[0].Turns != 32 {
		t.Errorf("DM-8: %v %v", zog.Status, zog.Effects)
	}
	out = run(t, brawl(t, nil, nil, "ko_blunt_tens=off"), map[game.ID]string{"bobo": punches}, dice)
	if zog := out.World.(*World).fighter("zog"); !zog.able() {
		t.Errorf("without the tens: %v", zog.Status)
	}
	// Nerve combat: level 4 makes the low rolls 1 to 6.
	for roll, able := range map[int]bool{6: false, 7: true} {
		out = run(t, brawl(t, []string{"skills.martial_arts=4"}, nil, "crit_rules=off"), map[game.ID]string{"bobo": punches}, map[string][]int{"hit/bobo": {roll, 99}, "fumble/bobo": {1}})
		if zog := out.World.(*World).fighter("zog"); zog.able() != able {
			t.Errorf("DM-7: %d: %v", roll, zog.Status)
		}
	}
	stick := map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "weapon": "bobo-stunstick", "target": "zog", "blows": 1}]}`}
	out = run(t, brawl(t, []string{"weapon=stunstick"}, nil), stick, map[string][]int{"hit/bobo": {21}, "resist/zog": {51}})
	if zog := out.World.(*World).fighter("zog"); !has(zog.Status, "stunned") || zog.Now != 50 || out.World.(*World).fighter("bobo").Weapons[0].Left != 18 {
		t.Errorf("a stunstick: %v STA %d", zog.Status, zog.Now)
	}
	// PW-6: a miss takes no power.
	out = run(t, brawl(t, []string{"weapon=stunstick"}, nil), stick, map[string][]int{"hit/bobo": {90}})
	if left := out.World.(*World).fighter("bobo").Weapons[0].Left; left != 20 {
		t.Errorf("a miss leaves %d SEU", left)
	}
	w := brawl(t, []string{"weapon=polearm"}, nil)
	w.fighter("bobo").add(Effect{Kind: "other_arm", Name: "Other arm"})
	_, problems := ruleset(t).Check(ruleset(t).See(w, "bobo"), plan(t, strings.ReplaceAll(stick["bobo"], "stunstick", "polearm")))
	if len(problems) == 0 || !strings.Contains(problems[0].Text, "With that arm") {
		t.Errorf("a polearm with one arm: %v", problems)
	}
}

func TestWhoeverIsBoundCanOnlyTalk(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol"}, []string{"item=solvaway"})
	w.fighter("bobo").add(Effect{Kind: "entangled", Turns: 300, Heal: "solvaway"})
	p := `{"steps": [{"verb": "say", "text": "Help!"}, {"verb": "move", "to": "A9", "mode": "run"}, {"verb": "fire", "target": "zog", "shots": 1}],
		"reactions": [{"when": {"kind": "within", "who": "zog", "distance": 20}, "do": [{"verb": "fire", "target": "zog"}]}]}`
	out := run(t, w, map[game.ID]string{"bobo": p, "zog": `{"steps": [{"verb": "move", "to": "B5", "mode": "run"}]}`}, nil)
	for _, ev := range out.Events {
		if ev.Actor == "bobo" && (ev.Attack || ev.Kind == "move" && ev.Outcome == "done") {
			t.Errorf("he does %s", ev.Ref)
		}
	}
	if bobo := out.World.(*World).fighter("bobo"); bobo.Place.X != 0 || !bobo.bound() || bobo.Effects[0].Turns != 299 {
		t.Errorf("%s %v", bobo.Place, bobo.Effects)
	}
	w = run(t, out.World.(*World), map[game.ID]string{"zog": `{"steps": [{"verb": "use", "item": "zog-solvaway", "on": "bobo"}]}`}, nil).World.(*World)
	if w.fighter("bobo").bound() {
		t.Error("solvaway does not free him")
	}
	w.fighter("bobo").STA, w.fighter("bobo").Now = 120, 101
	w.fighter("bobo").add(Effect{Kind: "entangled", Turns: 300, Heal: "solvaway"})
	if w = run(t, w, nil, nil).World.(*World); w.fighter("bobo").bound() {
		t.Error("101 Stamina does not tear the threads")
	}
}

func TestShotsAtWhoeverLiesThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  string
		setting string
		chance  int // 0: no shot
	}{
		{"stunned", "stun_bonus_ranged=off", 25 - 10 + 10}, {"stunned", "stun_bonus_ranged=on", 25 - 10 + 10 + 20}, {"dead", "stun_bonus_ranged=off", 0},
	} {
		w := world(t, set(battlefield(2, who("bobo", "heroes", "A5", "dex=50", "facing=E", "weapon=automatic_pistol"), who("zog", "gang", "F5", "status="+c.status), who("mook", "gang", "Z9")), c.setting))
		out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, nil)
		got := 0
		for _, ev := range out.Events {
			if ev.Attack {
				got = ev.Numbers["chance"]
			}
		}
		if got != c.chance {
			t.Errorf("%s %s: chance %d, want %d\n%s", c.status, c.setting, got, c.chance, story(out))
		}
	}
	// Who falls in the same round is left alone.
	w := two(t, []string{"dex=50", "weapon=automatic_pistol"}, []string{"sta_now=1"})
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}]}`}, map[string][]int{"hit/bobo": {20, 20}})
	if ev := event(t, out, "bobo/r1.2"); ev.Reason != "target_down" {
		t.Errorf("%s %s", ev.Outcome, ev.Reason)
	}
}

func TestFumblesAreRuled(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=automatic_pistol"}, nil)
	ruling := game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: "outcome", Value: "fumble"}
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"dist/bobo": {10}, "dir/bobo": {9}}, ruling)
	ev := event(t, out, "bobo/r1.1")
	if ev.Outcome != "fumble" || len(ev.Dice) != 3 || out.World.(*World).fighter("bobo").Weapons[0].State != "on_ground" {
		t.Errorf("granted: %s %v", ev.Outcome, ev.Dice)
	}
	if !slices.ContainsFunc(out.Inquiries, func(q game.Inquiry) bool { return q.Kind == "fumble_off_map" && q.Answer == "DIE dir/bobo/r1.1 REROLL" }) {
		t.Errorf("off the map: %v", out.Inquiries)
	}
	ruling.Value = "miss"
	out = run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {99}}, ruling)
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "miss" {
		t.Errorf("cancelled: %s", ev.Outcome)
	}
}
