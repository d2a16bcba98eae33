package starfrontiers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// pictures are those of a viewer's report, and of the mail that opened the turn.
func pictures(t *testing.T, viewer game.ID, before, after *World, out resolve.Outcome) []*report.Picture {
	t.Helper()
	rules := ruleset(t)
	was, is := []game.View{rules.See(before, viewer)}, []game.View{rules.See(after, viewer)}
	names := map[game.ID]string{}
	for _, b := range after.Bodies() {
		names[b.ID] = b.Name
	}
	var atlas report.Atlas
	reader := report.Reader{Characters: []game.ID{viewer}, Names: names, Views: append(is, was...)}
	return []*report.Picture{
		atlas.Map(nil, was), atlas.Map(was, is), report.NewCourse(out.Timeline, out.Events, reader, game.Clock{Unit: "slot"}).Shown(),
	}
}

// played carries a turn out and gives the pictures of each viewer.
func played(t *testing.T, in resolve.Input, viewers ...game.ID) (resolve.Outcome, map[game.ID][]*report.Picture) {
	t.Helper()
	out := ruleset(t).Resolve(in)
	all := map[game.ID][]*report.Picture{}
	for _, v := range viewers {
		all[v] = pictures(t, v, in.World.(*World), out.World.(*World), out)
	}
	return out, all
}

// TestPicturesHideWhatIsNotPerceived compares, byte for byte, what is shown of two
// worlds that differ only in what a viewer cannot perceive.
func TestPicturesHideWhatIsNotPerceived(t *testing.T) {
	t.Parallel()
	for name, twins := range map[string]func(testing.TB, *rand.Rand) rulesettest.Twins{"lurker": lurker, "stranger": stranger} {
		for seed := range uint64(4) {
			w := twins(t, rand.New(rand.NewPCG(seed, 17)))
			w.With.Dice, w.Without.Dice = named(seed), named(seed)
			with, a := played(t, w.With, w.Viewers...)
			without, b := played(t, w.Without, w.Viewers...)
			if w.Apart != nil && w.Apart(with.World, without.World) {
				continue
			}
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("%s, seed %d: it is shown (-without +with):\n%s", name, seed, diff)
			}
		}
	}
}

// TestASurprisedOneDoesNotLearnHowLateTheOthersAre: he comes after all of them (2.1
// no. 6), so that his own total would tell the least of theirs.
func TestASurprisedOneDoesNotLearnHowLateTheOthersAre(t *testing.T) {
	t.Parallel()
	w := ambush(t, "surprise=unaware")
	var lines [2][]report.ReportLine
	var shown [2][]*report.Picture
	var initiative [2][]report.Initiative
	for i, late := range []int{2, 7} {
		out := run(t, w, map[game.ID]string{"zog": zogShoots, "bea": `{"steps": [{"verb": "move", "to": "D8", "mode": "run"}]}`},
			map[string][]int{"init/gang": {late}, "init/player-ann": {4}, "init/player-bea": {4}, "hit/zog": {90}})
		lines[i] = report.Project(out.Events, []game.ID{"bea"})
		initiative[i] = report.TurnReportIn{Lines: lines[i], Names: map[game.ID]string{"bea": "Bea"}}.Initiatives()
		for j := range lines[i] {
			lines[i][j].At = 0 // initiative has shown what is shown of it
		}
		shown[i] = pictures(t, "bea", w, out.World.(*World), out)
		if got := event(t, out, "bea/r1.i").Numbers["total"]; got != late+2 {
			t.Errorf("bea has %d", got)
		}
	}
	for what, diff := range map[string]string{
		"lines": cmp.Diff(lines[0], lines[1]), "pictures": cmp.Diff(shown[0], shown[1]), "initiative": cmp.Diff(initiative[0][0].Order, initiative[1][0].Order),
	} {
		if diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	if got := initiative[0][0].Order; !strings.HasPrefix(got, "Bea last (") {
		t.Error(got)
	}
}

func TestPicturesHideWhySecretly(t *testing.T) {
	t.Parallel()
	in := randomInput(t, rand.New(rand.NewPCG(3, 7)), 6)
	var got [2]map[game.ID][]*report.Picture
	for i, why := range []string{"the hidden sniper jams him", "the air is thick"} {
		in.Rulings = []game.Ruling{{N: 1, Kind: game.RuleMod, Who: "c00", Value: "-13", Reason: why, Secret: true, Text: "MOD c00 -13 because " + why + " SECRET"}}
		_, got[i] = played(t, in, "c00", "c01")
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
}

// Whoever is out of sight acts in a slot of his own, early or late: who only
// hears him is shown neither him nor the slot.
func TestPicturesHideWhoShootsFromTheDark(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		for _, shooter := range []string{"dex=70", "dex=40"} {
			w := world(t, battlefield(2,
				who("bobo", "heroes", "A5", "facing=W", "sta=60", "weapon=automatic_pistol"),
				who("mira", "heroes", "A1", "facing=E", "sta=60", "weapon=automatic_pistol"),
				who("zog", "gang", "J5", "facing=W", shooter, "weapon=automatic_pistol", "sta=60")))
			in := resolve.Input{World: w, Turn: 1, Rounds: 1, Dice: named(seed), Orders: []game.Orders{
				{Combatant: "bobo", Plan: plan(t, `{"steps": [{"verb": "defend"}]}`), Source: "player"},
				{Combatant: "mira", Plan: plan(t, `{"steps": [{"verb": "defend"}]}`), Source: "player"},
				{Combatant: "zog", Plan: plan(t, oneShot("mira")), Source: "gm"},
			}}
			_, shown := played(t, in, "bobo")
			text := ""
			for _, p := range shown["bobo"] {
				text += strings.Join(p.Text, "\n")
			}
			if strings.Contains(text, "Zog") || !strings.Contains(text, "in between  somebody") {
				t.Errorf("seed %d: bobo is shown\n%s", seed, text)
			}
		}
	}
}

// A reaction names in the timeline whose deed set it off, and comes before the
// deed that it interrupts.
func TestAReactionIsMarkedWithWhatSetItOff(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "A1", "facing=E", "sta=60", "dex=60", "weapon=automatic_pistol"),
		who("zog", "gang", "H1", "facing=W", "sta=60", "dex=40")))
	plans := map[game.ID]string{
		"bobo": `{"steps": [{"verb": "hold"}], "reactions": [{"when": {"kind": "within", "who": "zog", "distance": {"value": 8, "unit": "m"}}, "do": [{"verb": "fire", "target": "zog", "shots": 1}]}]}`,
		"zog":  `{"steps": [{"verb": "move", "to": "B1", "mode": "run"}]}`,
	}
	out := run(t, w, plans, map[string][]int{"init/bobo": {8}, "init/zog": {2}, "hit/bobo": {95}})
	var got []string
	for _, m := range out.Timeline {
		got = append(got, fmt.Sprintf("%s %s %s", m.Who, m.Kind, m.On))
	}
	if all := strings.Join(got, "; "); !strings.Contains(all, "bobo react zog; zog act ") {
		t.Error(all)
	}
}
