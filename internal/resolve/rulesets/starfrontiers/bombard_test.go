package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// throng is Zog, a foe, in A5 and enemies before him; more are further combatants.
func throng(t testing.TB, zog []string, more ...game.Combatant) *World {
	cs := []game.Combatant{who("zog", "gang", "A5", append([]string{"gm=", "dex=50", "facing=E"}, zog...)...)}
	return world(t, battlefield(2, append(cs, more...)...))
}

// House policies (21): when a foe throws what bursts. Squares are of 2 m, and a
// burst reaches 3 m.
func TestFoesThrowGrenadesWithSense(t *testing.T) {
	t.Parallel()
	const pistol, frag = "weapon=automatic_pistol", "item=fragmentation_grenade"
	ann, bea := who("ann", "heroes", "F5", "facing=W"), who("bea", "heroes", "G5", "facing=W")
	far := who("bea", "heroes", "F9", "facing=W")
	for _, c := range []struct {
		name string
		zog  []string
		more []game.Combatant
		want string
	}{
		{"two in the blast", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, bea}, "throw ann, if fire ann"},
		{"cautious, he crouches after it", []string{"policy=cautious", pistol, frag}, []game.Combatant{ann, bea}, "throw ann, if fire ann, posture"},
		{"one, and he can shoot", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, far}, "fire ann"},
		{"one, and no other attack", []string{"policy=cautious", frag}, []game.Combatant{ann, far}, "throw ann, posture"},
		{"one, and an empty pistol", []string{"policy=aggressive", pistol + ":rounds=0", "clip=bulletclip_pistol", frag}, []game.Combatant{ann}, "throw ann, if reload"},
		{"one near enough to run up to", []string{"policy=aggressive", frag}, []game.Combatant{ann}, "move, melee ann"},
		{"the square that reaches most", []string{"policy=aggressive", pistol, frag}, []game.Combatant{who("ann", "heroes", "D5"), who("bea", "heroes", "G7"), who("cal", "heroes", "H7")}, "throw bea, if fire ann"},
		{"a friend among them", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, bea, who("kira", "gang", "G6", "gm=")}, "fire ann"},
		{"a friend who lies there", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, bea, who("kira", "gang", "G6", "gm=", "status=dying", "sta_now=-1")}, "fire ann"},
		{"a bystander among them", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, bea, who("nun", "neutral", "G6", "gm=")}, "fire ann"},
		{"himself", []string{"policy=aggressive", pistol, frag}, []game.Combatant{who("ann", "heroes", "B5"), who("bea", "heroes", "B6")}, "fire ann"},
		{"nobody sees the second", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, who("bea", "heroes", "G5", "hidden=")}, "fire ann"},
		{"the second is down", []string{"policy=aggressive", pistol, frag}, []game.Combatant{ann, who("bea", "heroes", "G5", "status=dying", "sta_now=-1")}, "fire ann"},
		{"too far", []string{"policy=aggressive", pistol, frag}, []game.Combatant{who("ann", "heroes", "J5"), who("bea", "heroes", "K5")}, "fire ann"},
		{"smoke is no attack", []string{"policy=aggressive", pistol, "item=smoke_grenade"}, []game.Combatant{ann, bea}, "fire ann"},
		{"gas does nothing to robots", []string{"policy=aggressive", pistol, "item=doze_grenade"}, []game.Combatant{ann, who("bea", "heroes", "G5", "race=robot", "level=2")}, "fire ann"},
		{"none left", []string{"policy=aggressive", pistol, frag + ":count=0"}, []game.Combatant{ann, bea}, "fire ann"},
		{"hold", []string{"policy=hold", pistol, frag}, []game.Combatant{ann, bea}, "wait"},
		{"no policy", []string{pistol, frag}, []game.Combatant{ann, bea}, "defend"},
		{"both arms hurt", []string{"policy=aggressive", frag, "arms"}, []game.Combatant{ann, bea}, "move, melee ann"},
		{"a grenade rifle", []string{"policy=aggressive", "weapon=grenade_rifle:loaded=fragmentation"}, []game.Combatant{ann, bea}, "launch ann, if move"},
		{"a grenade rifle that has been fired", []string{"policy=aggressive", "weapon=grenade_rifle:rounds=0", "item=fragmentation_shell"}, []game.Combatant{who("ann", "heroes", "AK5")}, "reload"},
		{"the same, and somebody near enough to strike", []string{"policy=aggressive", "weapon=grenade_rifle:rounds=0", "item=fragmentation_shell"}, []game.Combatant{ann}, "move, melee ann"},
	} {
		arms := slices.Contains(c.zog, "arms")
		w := throng(t, slices.DeleteFunc(slices.Clone(c.zog), func(s string) bool { return s == "arms" }), c.more...)
		if arms {
			w.fighter("zog").add(Effect{Kind: "arm"})
			w.fighter("zog").add(Effect{Kind: "other_arm"})
		}
		rules := ruleset(t)
		view := rules.See(w, "zog")
		p := rules.Default(view)
		var got []string
		for _, s := range p.Steps {
			word := s.Verb
			if s.Verb == "if" {
				word += " " + s.Then[0].Verb
				s = s.Then[0]
			}
			if s.Target.ID != "" {
				word += " " + string(s.Target.ID)
			}
			got = append(got, word)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
			continue
		}
		if checked, problems := rules.Check(view, p); len(checked.Steps) != len(p.Steps) || slices.ContainsFunc(problems, func(x game.Problem) bool { return x.Severity == game.Wrong }) {
			t.Errorf("%s: %v", c.name, problems)
		}
		if diff := cmp.Diff(p, rules.Default(rules.See(w, "zog"))); diff != "" {
			t.Errorf("%s: another plan the second time:\n%s", c.name, diff)
		}
	}
}

// A friend who has run into the blast before the throw is spared: the foe makes
// his other attack. What the GM orders himself is thrown all the same.
func TestFoesSpareWhoeverRunsIntoTheBlast(t *testing.T) {
	t.Parallel()
	const kiraRuns = `{"steps": [{"verb": "move", "to": "F6", "mode": "run"}]}`
	w := func() *World {
		return throng(t, []string{"policy=aggressive", "weapon=automatic_pistol", "item=fragmentation_grenade"},
			who("ann", "heroes", "F5", "sta=100"), who("bea", "heroes", "G5", "sta=100"), who("kira", "gang", "A10", "sta=100"))
	}
	for _, c := range []struct {
		name, kira string
		ordered    bool
		want       string
	}{
		{"alone with the enemy", `{"steps": [{"verb": "wait"}]}`, false, "throw"},
		{"a friend has come", kiraRuns, false, "fire"},
		{"on the GM's own order", kiraRuns, true, "throw"},
	} {
		in := input(t, w(), map[game.ID]string{"kira": c.kira, "zog": `{"steps": [{"verb": "throw", "item": "zog-fragmentation_grenade", "target": "ann"}]}`},
			map[string][]int{"init/player-kira": {9}, "init/gang": {1}, "hit/zog": {20}})
		if !c.ordered {
			in.Orders = slices.DeleteFunc(in.Orders, func(o game.Orders) bool { return o.Combatant == "zog" })
		}
		out := ruleset(t).Resolve(in)
		if ev := event(t, out, "zog/r1.1"); ev.Kind != c.want || !ev.Attack {
			t.Errorf("%s: %s %s (%s), want %s\n%s", c.name, ev.Kind, ev.Outcome, ev.Reason, c.want, story(out))
		}
	}
}
