package starfrontiers

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// 11.7, by a ruling: the engine knows no heights.
func TestFallsDM12(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id     string
		metres string
		dice   map[string][]int
		words  []string
		damage int
		effect string
		walk   int
	}{
		{"DM-12 4", "10", map[string][]int{"dmg/zog": {4}}, nil, 14, "", 10},
		{"DM-12 5", "10", map[string][]int{"dmg/zog": {5}}, nil, 15, "sprain", 5},
		{"DM-13 24", "20", map[string][]int{"dmg/zog": {4}}, nil, 24, "sprain", 5},
		{"DM-13 25 leg", "20", map[string][]int{"dmg/zog": {5}, "wound/zog": {8}}, nil, 25, "broken_leg", 0},
		{"DM-13 25 arm", "20", map[string][]int{"dmg/zog": {5}, "wound/zog": {9}}, nil, 25, "other_arm", 10},
		{"30, and not knocked out", "26", map[string][]int{"dmg/zog": {4}, "wound/zog": {8}, "resist/zog": {31}}, nil, 30, "broken_leg", 0},
		{"tumbling", "10", map[string][]int{"dmg/zog": {5}}, []string{"skills.martial_arts=3"}, 12, "", 10},
	} {
		w := two(t, nil, append([]string{"sta=60"}, c.words...))
		out := run(t, w, nil, c.dice, ruled(1, "zog", "FALL", c.metres))
		zog := out.World.(*World).fighter("zog")
		got := ""
		if len(zog.Effects) > 0 {
			got = zog.Effects[0].Kind
		}
		if zog.Now != 60-c.damage || got != c.effect || zog.allowance(data(t), "walk") != c.walk || len(out.Unused) > 0 {
			t.Errorf("%s: STA %d, %v, walks %d m: %v", c.id, zog.Now, zog.Effects, zog.allowance(data(t), "walk"), event(t, out, "zog/r1.g1").Lines)
		}
	}
	out := run(t, two(t, nil, []string{"sta=60"}), nil, map[string][]int{"dmg/zog": {5}, "wound/zog": {1}, "resist/zog": {30}, "stunturns/zog": {2}}, ruled(1, "zog", "FALL", "30"))
	if zog := out.World.(*World).fighter("zog"); zog.able() || zog.Effects[1].Turns != 20 {
		t.Errorf("35 points: %v %v", zog.Status, zog.Effects)
	}
}

func useOn(item, on string) map[game.ID]string {
	return map[game.ID]string{"bobo": `{"steps": [{"verb": "use", "item": "` + item + `", "on": "` + on + `"}]}`}
}

func medics(t testing.TB, words ...string) *World {
	return world(t, battlefield(2,
		who("bobo", "heroes", "A5", "skills.medical=1", "item=stimdose", "item=staydose", "item=antitox", "item=medkit:doses=3"),
		who("lani", "heroes", "B5", append([]string{"sta=45"}, words...)...), who("zog", "gang", "Z5", "gm=")))
}

func TestFirstAidDM15(t *testing.T) {
	t.Parallel()
	w := medics(t, "sta_now=20")
	lani := func() *Fighter { return w.fighter("lani") }
	for turn := 1; turn <= 10; turn++ {
		out := run(t, w, useOn("bobo-medkit", "lani"), nil)
		w = out.World.(*World)
		want := 20
		if turn >= 5 {
			want = 30
		}
		if lani().Now != want {
			t.Fatalf("DM-15: turn %d: STA %d, want %d: %s", turn, lani().Now, want, event(t, out, "bobo/r1.1").Text[game.All])
		}
		if ev := event(t, out, "bobo/r1.1"); turn == 10 && ev.Reason != "too_soon" {
			t.Errorf("DM-15: the second: %s %s", ev.Outcome, ev.Reason)
		}
	}
	if kit := w.fighter("bobo").item("bobo-medkit"); kit.Left != 1 {
		t.Errorf("%d doses left", kit.Left)
	}
	// What was begun is lost when he does something else.
	w = medics(t, "sta_now=20")
	for turn := 1; turn <= 6; turn++ {
		plans := useOn("bobo-medkit", "lani")
		if turn == 4 {
			plans = nil
		}
		w = run(t, w, plans, nil).World.(*World)
	}
	if lani().Now != 20 || w.fighter("bobo").Task.Done != 2 {
		t.Errorf("STA %d, %+v", lani().Now, w.fighter("bobo").Task)
	}
}

func TestDrugs(t *testing.T) {
	t.Parallel()
	after := func(w *World, item string) (*Fighter, game.Event) {
		out := run(t, w, useOn(item, "lani"), nil)
		return out.World.(*World).fighter("lani"), event(t, out, "bobo/r1.1")
	}
	w := medics(t)
	w.fighter("lani").add(Effect{Kind: "stunned", Turns: 50})
	lani, ev := after(w, "bobo-stimdose")
	if !lani.able() || lani.Effects != nil || !strings.Contains(ev.Text[game.Seen], "Bobo gives Lani stimdose; Lani comes round") {
		t.Errorf("stimdose: %v %v %s", lani.Status, lani.Effects, ev.Text[game.Seen])
	}
	w = medics(t)
	w.fighter("lani").add(Effect{Kind: "poison", Points: 5, Turns: 10})
	w = run(t, w, nil, nil).World.(*World)
	if l := w.fighter("lani"); l.Now != 40 || l.Ill != 5 || l.Effects[0].Turns != 9 {
		t.Errorf("poison: STA %d %+v", l.Now, l.Effects)
	}
	if lani, _ = after(w, "bobo-antitox"); lani.Now != 40 || lani.Effects != nil {
		t.Errorf("antitox: STA %d %+v", lani.Now, lani.Effects)
	}
	if lani, _ = after(w, "bobo-stimdose"); lani.Now != 40 || lani.Ill != 5 { // 5 back, and 5 more of the poison
		t.Errorf("stimdose against poison: STA %d, ill %d", lani.Now, lani.Ill)
	}
	for _, c := range []struct {
		now  string
		fell int64
		kept bool
	}{{"-5", 1, true}, {"-5", -10, false}, {"-31", 1, false}, {"3", 1, false}} {
		w = medics(t, "sta_now="+c.now)
		w.fighter("lani").Fell = c.fell
		if lani, ev = after(w, "bobo-staydose"); has(lani.Status, "staydose") != c.kept {
			t.Errorf("staydose at %s, fallen in %d: %v %s", c.now, c.fell, lani.Status, ev.Reason)
		}
	}
	// Beside him, and what there is.
	w = medics(t)
	w.fighter("lani").Place.X = 9
	if _, ev = after(w, "bobo-stimdose"); ev.Reason != "out_of_reach" {
		t.Errorf("from afar: %s", ev.Reason)
	}
}

func TestFirstAidStopsBleedingAndPressureHolds(t *testing.T) {
	t.Parallel()
	w := medics(t)
	w.fighter("lani").add(Effect{Kind: "bleeding", Name: "Bleeder", Points: 1, Heal: "first_aid"})
	for turn := 1; turn <= 6; turn++ {
		w = run(t, w, map[bool]map[game.ID]string{true: useOn("bobo-medkit", "lani"), false: nil}[turn > 1], nil).World.(*World)
	}
	if l := w.fighter("lani"); l.Now != 45 || l.Effects != nil { // 1 lost, and given back
		t.Errorf("STA %d %v", l.Now, l.Effects)
	}
}
