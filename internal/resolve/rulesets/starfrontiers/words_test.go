package starfrontiers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/parse"
)

// The examples of grenades, bursts and cords are orders, and a receipt prints
// them as orders again.
func TestOrdersOfGrenadesAndBurstsAreRead(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "weapon=automatic_pistol", "weapon=laser_pistol:holstered", "weapon=spear:sheathed", "weapon=grenade_rifle:slung:loaded=doze", "item=doze_grenade", "item=doze_shell", "item=power_beltpack"),
		who("zog", "gang", "F5"), who("kag", "gang", "F6")))
	w.Charges = []Charge{{Ref: "zog/r1.1", Kind: "doze", Name: "doze grenade", By: "zog", At: w.fighter("bobo").Place, Bursts: 5}}
	v := rules.See(w, "bobo")
	voc := rules.Vocabulary(v)
	read := func(line string) string {
		got := parse.Orders([]parse.Line{{Text: line}}, []parse.Actor{{ID: "bobo", View: v, Vocabulary: voc}})[0]
		checked, _ := rules.Check(v, got.Plan)
		return strings.Join(parse.Phrases(checked, voc), "; ")
	}
	for line, want := range map[string]string{
		"throw the doze grenade at Zog":                     "throw doze grenade at Zog",
		"throw the doze grenade at D4 with a two-turn fuse": "throw doze grenade at D4, fuse 2",
		"throw the doze grenade at A5 at Zog":               "throw doze grenade at A5 at Zog",
		"throw the spear at Zog":                            "throw spear at Zog",
		"spray Zog and Kag with the automatic pistol":       "fire a burst at Zog and Kag with automatic pistol",
		"launch a shell at Zog":                             "launch doze shell with grenade rifle at Zog",
		"plug in the laser pistol":                          "plug in laser pistol",
		"reload the grenade rifle":                          "reload grenade rifle",
	} {
		got := read(line)
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if diff := cmp.Diff(got, read(got)); diff != "" {
			t.Errorf("%s: a second reading differs:\n%s", line, diff)
		}
	}
}
