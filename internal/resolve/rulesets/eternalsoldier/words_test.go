package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
)

// TestExamplesAreOrders: what the mails offer is read without a question, passes the
// check, and speaks of what the viewer has; a receipt prints it as an order again.
func TestExamplesAreOrders(t *testing.T) {
	t.Parallel()
	r := ruleset(t)
	for name, c := range map[string]struct {
		weapons []string
		want    []string // examples among others
	}{
		"a swordsman": {[]string{"weapon=long_sword", "weapon=medium_shield", "weapon=dagger:belt"}, []string{"strike at Zog with the long sword", "parry with the medium shield up to -30", "draw the dagger"}},
		"an archer":   {[]string{"weapon=bow", "item=ammo,count:4"}, []string{"fire the bow at Zog", "set attack on Zog with the bow at +50"}},
		"a gunman":    {[]string{"weapon=submachine_gun"}, []string{"full auto with the submachine gun at Zog, ten rounds"}},
		"bare hands":  {nil, []string{"grab Zog", "go prone"}},
		"a judoka":    {[]string{"skills.judo=50"}, []string{"counter-throw, else dodge"}},
	} {
		w := world(t, field(nil, who("ann", "a", "C3", c.weapons...), who("zog", "b", "F3")))
		v := r.See(w, "ann")
		voc := r.Vocabulary(v)
		read := func(line string) (string, []game.Problem, game.Plan) {
			got := parse.Orders([]parse.Line{{Text: line}}, []parse.Actor{{ID: "ann", View: v, Vocabulary: voc}})[0]
			checked, problems := r.Check(v, got.Plan)
			return strings.Join(parse.Phrases(checked, voc), "; "), append(got.Problems, problems...), checked
		}
		var all []string
		for _, verb := range voc.Verbs {
			if verb.Example == "" {
				continue
			}
			all = append(all, verb.Example)
			phrase, problems, p := read(verb.Example)
			if len(problems) > 0 || p.Empty() || len(p.Questions) > 0 {
				t.Errorf("%s: %q is read as %q with %+v", name, verb.Example, phrase, problems)
				continue
			}
			if again, _, _ := read(phrase); verb.Name != "say" && again != phrase {
				t.Errorf("%s: %q, read again: %s", name, verb.Example, cmp.Diff(phrase, again))
			}
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(all, "\n"), want) {
				t.Errorf("%s: no example %q among\n%s", name, want, strings.Join(all, "\n"))
			}
		}
	}
}
