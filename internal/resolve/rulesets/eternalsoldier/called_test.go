package eternalsoldier

import (
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestCalledShots are 4.4 with their house values: the penalty, what hit points
// lost there bring with them, and that the chart breaks the limb that was called.
func TestCalledShots(t *testing.T) {
	t.Parallel()
	on := []string{"called_shots=true"}
	for _, c := range []struct {
		name     string
		settings []string
		called   string
		zog      []string
		dice     map[string][]int
		chance   int
		want     string // posture, hit points, bones, stunned until, what he holds
	}{
		{name: "nowhere", settings: on, chance: 75, want: "stand 95 [] 0 dagger small shield"},
		{name: "the setting is off", called: "eye", chance: 75, want: "stand 95 [] 0 dagger small shield"},
		{name: "a leg, and he keeps his feet", settings: on, called: "leg", dice: map[string][]int{"agi/zog": {10}}, chance: 55, want: "stand 95 [] 0 dagger small shield"},
		{name: "a leg, and he falls", settings: on, called: "left_leg", dice: map[string][]int{"agi/zog": {11}}, chance: 55, want: "prone 95 [] 0 dagger small shield"},
		{name: "armor stops it", settings: on, called: "leg", zog: []string{"armor=combat"}, dice: map[string][]int{"armor/zog": {2, 2, 2, 2}}, chance: 55, want: "stand 100 [] 0 dagger small shield"},
		{name: "an arm alone loses no more", settings: on, called: "arm", chance: 55, want: "stand 95 [] 0 dagger small shield"},
		{name: "the hand of the shield", settings: on, called: "hand", dice: map[string][]int{"arm/zog": {2}}, chance: 45, want: "stand 95 [] 0 dagger"},
		{name: "the only hand that holds something", settings: on, called: "hand", zog: []string{"weapon=mace"}, chance: 45, want: "stand 95 [] 0"},
		{name: "the head, and he reels", settings: on, called: "head", dice: map[string][]int{"will/zog": {11}}, chance: 45, want: "stand 95 [] 5 dagger small shield"},
		{name: "the head, and he keeps his wits", settings: on, called: "throat", dice: map[string][]int{"will/zog": {10}}, chance: 45, want: "stand 95 [] 0 dagger small shield"},
		{name: "the eye: no armor is there", settings: on, called: "eye", zog: []string{"armor=combat"}, dice: map[string][]int{"will/zog": {11}}, chance: 25, want: "stand 95 [] 5 dagger small shield"},
		{name: "the chest", settings: on, called: "chest", chance: 75, want: "stand 95 [] 0 dagger small shield"},
		{name: "the chart breaks the arm that was called", settings: on, called: "shield_arm", dice: map[string][]int{"hit/ann": {2}, "crit/ann": {60}}, chance: 55, want: "stand 95 [off_arm 5] 0 dagger"},
		{name: "and the arm in place of a leg", settings: on, called: "right_arm", dice: map[string][]int{"hit/ann": {2}, "crit/ann": {66}}, chance: 55, want: "stand 95 [main_arm 5] 0 small shield"},
		{name: "the left is the main one of the left-handed", settings: on, called: "left_arm", zog: []string{"handed=left", "weapon=mace"}, dice: map[string][]int{"hit/ann": {2}, "crit/ann": {60}}, chance: 55, want: "stand 95 [main_arm 5] 0"},
		{name: "the leg in place of an arm", settings: on, called: "leg", dice: map[string][]int{"hit/ann": {2}, "crit/ann": {60}, "agi/zog": {1}}, chance: 55, want: "prone 95 [leg 5] 0 dagger small shield"},
		{name: "the chart alone rolls for the arm", settings: on, dice: map[string][]int{"hit/ann": {2}, "crit/ann": {60}, "arm/zog": {2}}, chance: 75, want: "stand 95 [off_arm 5] 0 dagger"},
		{name: "what the called hand holds is dropped", settings: on, called: "shield_arm", dice: map[string][]int{"hit/ann": {2}, "crit/ann": {80}}, chance: 55, want: "stand 95 [] 0 dagger"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if len(c.zog) == 0 || c.zog[len(c.zog)-1] != "weapon=mace" {
				c.zog = append(c.zog, "weapon=dagger", "weapon=small_shield")
			}
			w := world(t, field(c.settings, who("ann", "a", "C3", "agi=10", "str=10", "skills.one_handed=60", "weapon=long_sword"),
				who("zog", "b", "D3", append([]string{"agi=10", "str=20", "will=10", "hp=100"}, c.zog...)...)))
			script := map[string][]int{"hit/ann": {20}, "dmg/ann": {2, 3}}
			for k, v := range c.dice {
				script[k] = v
			}
			source := dice.NewScripted(script, nil)
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": `{"steps": [{"verb": "melee", "target": "zog", "called": "` + c.called + `"}]}`}, source)
			z := b.after[0].fighter("zog")
			var bones []string
			for _, bone := range z.Broken {
				bones = append(bones, fmt.Sprint(bone.Limb, " ", bone.Points))
			}
			got := fmt.Sprint(z.Posture, " ", z.HP, " ", bones, " ", z.StunnedTo)
			for i := range z.Weapons {
				if z.Weapons[i].inHand() {
					got += " " + z.Weapons[i].Name
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if n := b.event(t, "ann/s0").Numbers["chance"]; n != c.chance {
				t.Errorf("chance %d, want %d", n, c.chance)
			}
			if f := source.Faults(); len(f) > 0 {
				t.Error(f)
			}
		})
	}
}

// TestCalledShotsInWords: the receipt says where, and a game without them says so.
func TestCalledShotsInWords(t *testing.T) {
	t.Parallel()
	people := []game.Combatant{who("ann", "a", "C3", "skills.one_handed_missile=60", "weapon=luger"), who("zog", "b", "F3")}
	with, without := world(t, field([]string{"called_shots=true"}, people...)), world(t, field(nil, people...))
	const line = "Fire the luger once at Zog's left leg."
	p, receipt, problems := letter(t, with, "ann", line)
	if len(problems) > 0 || len(p.Steps) != 1 || p.Steps[0].Called != "left_leg" || receipt != "fire 1 shot at Zog with luger, called shot to the left leg" {
		t.Errorf("%q with %+v", receipt, problems)
	}
	if _, _, problems := letter(t, without, "ann", line); len(problems) != 1 || problems[0].Severity != game.Noted || problems[0].Do != "the attack is made without aiming at the left leg" {
		t.Errorf("without called shots: %+v", problems)
	}
	b := fought(t, with, 1, 1, map[game.ID]string{"ann": string(encode(t, p))}, dice.NewScripted(map[string][]int{"hit/ann": {20}, "agi/zog": {20}}, dice.Constant(1)))
	if got := b.event(t, "ann/s0").Text[game.All]; got != "Ann fires at Zog with the luger, at the left leg: a hit." || b.after[0].fighter("zog").Posture != "prone" {
		t.Errorf("%q; he is %s", got, b.after[0].fighter("zog").Posture)
	}
}
