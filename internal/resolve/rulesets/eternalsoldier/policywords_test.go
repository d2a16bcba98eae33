package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
)

// letter reads a line of a letter as the game does: the plan, and its receipt.
func letter(t testing.TB, w *World, who game.ID, line string) (p game.Plan, receipt string, problems []game.Problem) {
	t.Helper()
	r := ruleset(t)
	v := r.See(w, who)
	voc := r.Vocabulary(v)
	got := parse.Orders([]parse.Line{{Text: line}}, []parse.Actor{{ID: who, View: v, Vocabulary: voc}})[0]
	checked, more := r.Check(v, got.Plan)
	return checked, strings.ReplaceAll(strings.Join(parse.Phrases(checked, voc), "; "), "standing order: ", ""), append(got.Problems, more...)
}

// reader is a scene for letters of Ann, who has these things.
func reader(t testing.TB, ann ...string) *World {
	return world(t, field(nil, who("ann", "a", "C3", append([]string{"skills.judo=50", "skills.wrestling=40"}, ann...)...), who("bob", "a", "C9"),
		who("zog", "b", "F3", "weapon=dagger"), who("yak", "b", "G3", "weapon=bow")))
}

// TestPoliciesInWords: what the receipt says of them is an order again, and means the same.
func TestPoliciesInWords(t *testing.T) {
	t.Parallel()
	w := reader(t, "weapon=long_sword", "weapon=medium_shield")
	for line, want := range map[string]string{
		"Parry if it costs no more than -30, else dodge, never lose my set attack for a dagger.": "take the blow of daggers, rather than lose my set attack; parry at up to -30; dodge",
		"Never lose my set attack for a dagger":                                                  "take the blow of daggers, rather than lose my set attack",
		"I keep my set attack against daggers, but I parry everything else with the shield.":     "take the blow of daggers, rather than lose my set attack; parry everything with medium shield",
		"Parry if my chance is 50 or better, else dodge if that is 40 or better, else take it.":  "parry if my chance is 50 or better; dodge if my chance is 40 or better; take the blow",
		"Dodge critical hits, parry everything else.":                                            "dodge critical hits; parry everything",
		"Against criticals dodge, otherwise parry.":                                              "dodge critical hits; parry",
		"Always dodge missiles.":                                                                   "dodge arrows",
		"Dodge missiles if my chance is 20 or better.":                                             "dodge arrows if my chance is 20 or better",
		"Dodge only thrown weapons.":                                                               "dodge thrown weapons",
		"Dodge arrows, never dodge bullets.":                                                       "dodge arrows; never dodge bullets",
		"Counter-throw, else parry with the long sword.":                                           "counter-throw; parry with long sword",
		"I counter-throw whoever strikes at me, else I dodge.":                                     "counter-throw; dodge",
		"Catch the weapon arm, else dodge.":                                                        "parry with bare hands; dodge",
		"I parry with the shield and I'm willing to quick parry at up to -30, else take the blow.": "parry with medium shield at up to -30; take the blow",
		"Parry at most two segments early.":                                                        "parry up to 2 segments early",
		"Parry Zog with the shield and dodge Yak.":                                                 "parry Zog with medium shield; dodge Yak",
		"Parry, even if it costs my attack.":                                                       "parry, even if it costs my attack",
		"Stop parrying.":                                                                           "never parry",
		"No more dodging arrows.":                                                                  "never dodge arrows",
		"I no longer parry or dodge.":                                                              "never parry; never dodge",
		"I parry no more.":                                                                         "never parry",
		"Dodge at up to -20, no parrying.":                                                         "dodge at up to -20; never parry",
		"Parry instead of dodging.":                                                                "parry; never dodge",
		"I stop to parry.":                                                                         "parry",
		"Never parry with the sword.":                                                              "never parry with long sword",
		"Parry daggers with the long sword; take everything else.":                                 "parry daggers with long sword; take the blow",
		"Dodge grabs, parry the rest.":                                                             "dodge grabs; parry",
		"Take the blow.":                                                                           "take the blow",
	} {
		first, receipt, problems := letter(t, w, "ann", line)
		for _, p := range problems {
			if p.Severity != game.Noted {
				t.Errorf("%q: %s", line, p.Text)
			}
		}
		if receipt != want {
			t.Errorf("%q is read as\n%s, want\n%s", line, receipt, want)
		}
		var again []game.Standing
		for part := range strings.SplitSeq(receipt, "; ") {
			p, _, _ := letter(t, w, "ann", part)
			again = append(again, p.Standing...)
		}
		if d := cmp.Diff(string(encode(t, first.Standing)), string(encode(t, again))); d != "" {
			t.Errorf("%q, read again: %s", receipt, d)
		}
	}
}

// TestPoliciesThatAreAskedAbout: what might turn one around is not passed over.
func TestPoliciesThatAreAskedAbout(t *testing.T) {
	t.Parallel()
	w := reader(t, "weapon=long_sword")
	for line, kind := range map[string]string{
		"Parry unless he is drunk.":             "policy_unclear",
		"Dodge if the moon shines.":             "trigger_unclear",
		"Parry with the axe.":                   "unknown_weapon",
		"Never parry with the shield.":          "unknown_weapon",
		"Parry arrows.":                         "illegal_option",
		"Parry with the long sword until noon.": "trigger_unclear",
	} {
		p, receipt, problems := letter(t, w, "ann", line)
		if len(p.Standing) > 0 || len(problems) == 0 || problems[0].Kind != kind {
			t.Errorf("%q is read as %q with %+v, want %s", line, receipt, problems, kind)
		}
	}
}

// TestHoldsInWords are those of 10.2, as players write them.
func TestHoldsInWords(t *testing.T) {
	t.Parallel()
	w := reader(t)
	for line, kind := range map[string]string{
		"Grab Zog.": "", "Wrestle Zog": "", "Grab Zog in an arm hold.": "arm_hold", "Put Zog in a head lock.": "head_lock", "headlock Zog": "head_lock",
		"Trip Zog.": "trip", "I trip up Zog": "trip", "Throw Zog down.": "throw_down", "I throw Zog to the ground": "throw_down", "Choke Zog.": "choke", "strangle Zog": "choke",
		"Get Zog in a bear hug.": "bear_hug", "leg lock Zog": "leg_hold", "Pin Zog completely": "full_pin", "Disarm Zog.": "disarm", "Break Zog's arm.": "break_limb",
		"Sweep Zog.": "sweep", "I throw Zog with a judo throw.": "judo_throw", "Throw Zog over my shoulder": "judo_throw", "wrist lock Zog": "joint_lock", "judo choke Zog": "judo_choke",
	} {
		p, receipt, problems := letter(t, w, "ann", line)
		if len(problems) > 0 || len(p.Steps) != 1 || p.Steps[0].Verb != "wrestle" || p.Steps[0].Kind != kind || p.Steps[0].Target.ID != "zog" {
			t.Errorf("%q is read as %q with %+v", line, receipt, problems)
			continue
		}
		if again, phrase, _ := letter(t, w, "ann", receipt); phrase != receipt || len(again.Steps) != 1 || again.Steps[0].Kind != kind {
			t.Errorf("%q, read again: %q", receipt, phrase)
		}
	}
}

// TestNeverLosingASetAttack: who has waited beyond readiness takes the blow of a
// dagger and keeps the bonus; the same blow he parries while he has none, and that
// of a sword in any case (2.3, 2.7).
func TestNeverLosingASetAttack(t *testing.T) {
	t.Parallel()
	const line = "Parry, never lose my set attack for a dagger."
	for _, c := range []struct {
		name, weapon string
		segment      int // of the blow
		last         int // Zog's last action; he is ready seven segments later
		parries      bool
	}{
		{"a dagger against a set attack", "dagger", 9, 0, false},
		{"a sword", "short_sword", 9, 0, true},
		{"a dagger while nothing is set", "dagger", 7, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C3", "hp=50", "skills.one_handed=70", "weapon="+c.weapon), who("zog", "b", "D3", "hp=50", "skills.one_handed=60", "weapon=long_sword")))
			w.Segment = c.segment
			z := w.fighter("zog")
			z.LastAction, z.HoldFrom = c.last, c.last
			p, _, _ := letter(t, w, "zog", line)
			b := fought(t, w, 1, 1, map[game.ID]string{"ann": strike, "zog": string(encode(t, p))}, dice.NewScripted(map[string][]int{"hit/ann": {50}}, dice.Constant(20)))
			after := b.after[c.segment].fighter("zog")
			if parried := after.LastAction == c.segment; parried != c.parries {
				t.Errorf("parried: %v, want %v; %s", parried, c.parries, b.refs())
			}
			a, _ := b.arm(after, "zog-long_sword", false)
			next := c.segment + 1
			if got := b.waited(after, b.readyWith(after, a, next), next, "ann"); (got == 3) == c.parries {
				t.Errorf("he is set for %d segments in the next", got)
			}
		})
	}
}

// TestHeldAttacksInWords: what an attack is held for is not lost, and the attack not
// made at once.
func TestHeldAttacksInWords(t *testing.T) {
	t.Parallel()
	w := reader(t, "weapon=long_sword")
	for line, want := range map[string]string{
		"Hold my attack until Zog moves, then strike.":         "wait; if Zog moves, strike at Zog with long sword",
		"Hold until Zog draws a weapon, then strike at him.":   "wait; if Zog draws a weapon, strike at Zog with long sword",
		"Hold my attack until segment 12, then strike at Zog.": "hold until segment 12; strike at Zog with long sword",
		"Wait until segment 12, then strike at Zog.":           "hold until segment 12; strike at Zog with long sword",
	} {
		if _, receipt, problems := letter(t, w, "ann", line); receipt != want || len(problems) > 0 {
			t.Errorf("%q is read as %q with %+v", line, receipt, problems)
		}
	}
}
