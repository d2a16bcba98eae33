package starfrontiers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// 18.6: shots per full magazine.
func TestShotsPerMagazine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weapon    game.ID
		full      int
		dial      int
		shots, by int // by: rounds of a burst
		left      int
	}{
		{"laser_pistol", 20, 1, 20, 0, 0}, {"laser_pistol", 20, 2, 10, 0, 0}, {"laser_pistol", 20, 3, 6, 0, 2}, {"laser_pistol", 20, 5, 4, 0, 0}, {"laser_pistol", 20, 10, 2, 0, 0},
		{"electrostunner", 20, 0, 10, 0, 0}, {"sonic_disruptor", 20, 0, 5, 0, 0}, {"heavy_laser", 100, 20, 5, 0, 0},
		{"automatic_pistol", 20, 0, 20, 0, 0}, {"automatic_pistol", 20, 0, 2, 10, 0}, {"machine_gun", 200, 0, 10, 20, 0},
	} {
		row := data(t).weapon(c.weapon)
		n, left := 0, c.full
		for row.Magazine == c.full {
			take := row.take(left, c.dial, false)
			if c.by > 0 {
				take = row.BurstRounds
			}
			if take == 0 || left < take {
				break
			}
			left -= take
			n++
		}
		if n != c.shots || left != c.left || row.BurstRounds != c.by && c.by > 0 {
			t.Errorf("%s at %d: %d shots, %d left; want %d, %d", c.weapon, c.dial, n, left, c.shots, c.left)
		}
	}
}

// 9.1: what is plugged into one pack shares it.
func TestACordDrawsOnThePack(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=50", "weapon=heavy_laser:mounted:pack=bobo-power_backpack:dial=20", "item=power_backpack:seu=45", "item=inertia_screen:pack=bobo-power_backpack"}, []string{"weapon=automatic_pistol", "dex=50"})
	f := w.fighter("bobo")
	if f.Weapons[0].Left != 45 || f.Weapons[0].Full != 45+55 && f.Weapons[0].Full != 100 || f.Items[1].Left != 45 {
		t.Fatalf("%+v %+v", f.Weapons[0], f.Items)
	}
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog"), "zog": oneShot("bobo")}, map[string][]int{"hit/bobo": {99}, "fumble/bobo": {100}, "hit/zog": {10}})
	after := out.World.(*World).fighter("bobo")
	if got := []int{after.Weapons[0].Left, after.Items[0].Left, after.Items[1].Left}; !cmp.Equal(got, []int{23, 23, 23}) {
		t.Errorf("after a shot of 20 and a hit on the screen: %v\n%s", got, story(out))
	}
	if after.Weapons[0].State != "mounted" || after.Weapons[0].Jammed == 0 {
		t.Errorf("a corded weapon does not fly (A-44): %+v", after.Weapons[0])
	}
}

// 17.5: two turns to plug in, and to unplug.
func TestPluggingTakesTwoTurns(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=laser_pistol:seu=3", "item=power_beltpack"}, nil)
	plug := map[game.ID]string{"bobo": `{"steps": [{"verb": "plug", "device": "bobo-laser_pistol", "pack": "bobo-power_beltpack"}]}`}
	first := run(t, w, plug, nil).World.(*World)
	if first.fighter("bobo").Weapons[0].Cord != nil {
		t.Error("it is plugged in after one turn")
	}
	second := run(t, first, plug, nil).World.(*World)
	if wp := second.fighter("bobo").Weapons[0]; wp.Cord == nil || wp.Left != 50 || wp.Full != 50 {
		t.Fatalf("%+v", wp)
	}
	unplug := map[game.ID]string{"bobo": `{"steps": [{"verb": "unplug", "device": "bobo-laser_pistol"}]}`}
	third := run(t, second, unplug, nil).World.(*World)
	if wp := run(t, third, unplug, nil).World.(*World).fighter("bobo").Weapons[0]; wp.Cord != nil || wp.Left != 3 || wp.Full != 20 {
		t.Errorf("the clip is what it was: %+v", wp)
	}
	// Who walks meanwhile begins anew.
	walk := map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "to": "A6", "mode": "walk"}, {"verb": "plug", "device": "bobo-laser_pistol"}]}`}
	if wp := run(t, run(t, w, plug, nil).World.(*World), walk, nil).World.(*World).fighter("bobo").Weapons[0]; wp.Cord != nil {
		t.Error("he plugs it in while walking")
	}
}

func TestPortsOfPacks(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2, who("bobo", "heroes", "A5", "weapon=laser_pistol:pack=bobo-power_beltpack", "weapon=laser_rifle:slung", "weapon=knife", "item=power_beltpack", "item=albedo_screen:off"), who("zog", "gang", "F5")))
	for _, c := range []struct{ step, want string }{
		{`{"verb": "plug", "device": "bobo-laser_rifle"}`, "has no free port"},
		{`{"verb": "plug", "device": "bobo-albedo_screen"}`, "That takes 2 turns"},
		{`{"verb": "plug", "device": "bobo-laser_pistol"}`, "plugged in already"},
		{`{"verb": "plug", "device": "bobo-knife"}`, "run on power"},
		{`{"verb": "plug", "device": "bobo-laser_rifle", "pack": "nothing"}`, "no such power pack"},
		{`{"verb": "unplug", "device": "bobo-laser_rifle"}`, "plugged into nothing"},
		{`{"verb": "reload", "weapon": "bobo-laser_pistol"}`, "draws on a power pack"},
	} {
		_, problems := rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [`+c.step+`]}`))
		if text := fmt.Sprint(problems); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.step, text)
		}
	}
	for word, want := range map[string]string{"weapon=laser_pistol:pack=nowhere": "is no power pack", "weapon=sword:pack=bobo-power_beltpack": "does not run on power", "weapon=grenade_rifle:loaded=confetti": "neither a shell", "weapon=bow:ranges=3": "needs 5 rising limits"} {
		_, faults := rules.Setup(battlefield(2, who("bobo", "heroes", "A5", word, "item=power_beltpack")))
		if text := fmt.Sprint(faults); !strings.Contains(text, want) {
			t.Errorf("%s: %s", word, text)
		}
	}
}

// 6.6: a bow is drawn again after each arrow, when that is ordered.
func TestRateOneInTwo(t *testing.T) {
	t.Parallel()
	s := battlefield(2, who("bobo", "heroes", "A5", "dex=50", "facing=E"), who("zog", "gang", "F5", "sta=50"))
	s.Combatants[0].Weapons = []game.Gear{{ID: "bow", Kind: "bow", Name: "bow", Values: []game.Value{{Key: "ranges", Raw: []byte("[5, 10, 20, 40, 80]")}}}}
	out := run(t, world(t, s), map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {90}})
	if ev := event(t, out, "bobo/r1.1"); ev.Outcome != "miss" || ev.Numbers["chance"] != 25-10+10 {
		t.Errorf("%s %d", ev.Outcome, ev.Numbers["chance"])
	}
	w := out.World.(*World)
	rules := ruleset(t)
	if p, problems := rules.Check(rules.See(w, "bobo"), plan(t, oneShot("zog"))); len(p.Steps) != 0 || !strings.Contains(fmt.Sprint(problems), "got ready after each shot") {
		t.Errorf("%v %v", p.Steps, problems)
	}
	ready := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "reload"}]}`}, nil).World.(*World)
	if p, _ := rules.Check(rules.See(ready, "bobo"), plan(t, oneShot("zog"))); len(p.Steps) != 1 {
		t.Errorf("%v", p.Steps)
	}
}

// 9.4: the kind of needles is that of the clip.
func TestReloadingWithAKindOfNeedles(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"weapon=needler_pistol:rounds=0"}, nil)
	f := w.fighter("bobo")
	f.Items = append(f.Items, Item{ID: "a", Kind: "clip", Name: "barbed needleclip", Count: 1}, Item{ID: "b", Kind: "clip", Name: "anesthetic needle clip", Count: 1})
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "reload", "ammo": "anesthetic"}]}`}, nil).World.(*World).fighter("bobo")
	if wp := out.Weapons[0]; wp.Ammo != "anesthetic" || wp.Left != 10 || out.Items[0].Count != 1 || out.Items[1].Count != 0 {
		t.Errorf("%+v %+v", wp, out.Items)
	}
}

// 9.1: the back-blast of a rocket.
func TestBackBlast(t *testing.T) {
	t.Parallel()
	s := battlefield(2, who("bobo", "heroes", "C5", "dex=90", "facing=E"), who("lani", "heroes", "B5", "sta=60", "facing=E"), who("zog", "gang", "J5", "sta=90"))
	s.Combatants[0].Weapons = []game.Gear{{ID: "tube", Kind: "rocket_launcher", Name: "rocket launcher", Values: []game.Value{{Key: "ranges", Raw: []byte("[0, 50, 100, 200, 400]")}}}}
	out := run(t, world(t, s), map[game.ID]string{"bobo": oneShot("zog")}, map[string][]int{"hit/bobo": {40}, "dmg/bobo": {2}})
	ev := event(t, out, "bobo/r1.1b.lani")
	if ev.Numbers["taken"] < 5 || out.World.(*World).fighter("lani").Now != 60-ev.Numbers["taken"] {
		t.Errorf("%+v", ev)
	}
}
