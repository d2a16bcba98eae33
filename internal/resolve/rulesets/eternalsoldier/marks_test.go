package eternalsoldier

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

// marked are the marks of one combatant in short: segment, kind, until, and of
// what cuts or is answered the deed.
func marked(b *bout, who game.ID) []string {
	var out []string
	for _, m := range b.out.Timeline {
		if m.Who != who {
			continue
		}
		s := fmt.Sprintf("%d %s", m.At, m.Kind)
		if m.Until > 0 {
			s += fmt.Sprintf(" %d", m.Until)
		}
		if m.Deed != "" {
			s += " " + m.Deed
		}
		out = append(out, s)
	}
	return out
}

// TestTheTimelineShowsReadinessAndWhatTakesTime: the long fight's first segments,
// and what is carried over into the next window.
func TestTheTimelineShowsReadinessAndWhatTakesTime(t *testing.T) {
	t.Parallel()
	first := fought(t, aknar(t), 10, 10, aknarPlans, aknarDice())
	for who, want := range map[game.ID][]string{
		"aknar":      {"0 begin 4", "4 end", "4 ready 9", "9 act", "9 ready 14", "9 ready 14"},
		"beauregard": {"0 begin 11", "9 going 11"},
	} {
		if diff := cmp.Diff(want, marked(first, who)); diff != "" {
			t.Errorf("%s: %s", who, diff)
		}
	}
	second := fought(t, aknar(t), 10, 20, aknarPlans, aknarDice())
	for who, want := range map[game.ID][]string{
		"aknar":      {"10 ready 14", "16 act", "16 ready 19", "19 ready 19"},
		"beauregard": {"10 going 11", "11 end", "11 ready 22", "19 ready 22"},
	} {
		if diff := cmp.Diff(want, marked(second, who)); diff != "" {
			t.Errorf("%s: %s", who, diff)
		}
	}
}

// TestTheTimelineShowsWhatCutsShort: a trip, a blow that fells
// somebody, and an order that cannot wait his own activity.
func TestTheTimelineShowsWhatCutsShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ann   string // more of the sheets
		guy   string
		plans map[game.ID]string
		dice  map[string][]int
		want  string // the mark
		text  string // of the event that tells of it
	}{
		{"a trip", "", "posture=kneel", map[game.ID]string{
			"ann": `{"steps": [{"verb": "wrestle", "kind": "trip", "target": "guy"}]}`,
			"guy": `{"steps": [{"verb": "posture", "posture": "stand"}]}`,
		}, map[string][]int{"hit/ann": {20}}, "0 cut ann/s0", "Ann grabs for Guy with the hands: a hit."},
		{"a deadly blow", "weapon=long_sword", "hp=1", map[game.ID]string{
			"ann": `{"steps": [{"verb": "melee", "target": "guy", "weapon": "ann-long_sword"}]}`,
			"guy": `{"steps": [{"verb": "ready", "action": "draw", "item": "guy-two_handed_sword"}]}`,
		}, map[string][]int{"hit/ann": {50}, "dmg/ann": {8, 8, 8}}, "0 cut", "Guy is dead."},
		{"a reaction", "weapon=long_sword", "", map[game.ID]string{
			"ann": `{"steps": [{"verb": "melee", "target": "guy", "weapon": "ann-long_sword"}]}`,
			"guy": `{"steps": [{"verb": "ready", "action": "draw", "item": "guy-two_handed_sword"}],
				"reactions": [{"when": {"kind": "attacks", "who": "ann"}, "do": [{"verb": "melee", "target": "ann", "weapon": "bare"}]}]}`,
		}, map[string][]int{"hit/ann": {99}, "fumble/ann": {99}}, "1 cut", "Guy breaks off: draw the two handed sword."},
	} {
		w := world(t, field(nil,
			who("ann", "a", "C3", append(strings.Fields(c.ann), "agi=15", "hp=99", "skills.one_handed=70", "skills.wrestling=70")...),
			who("guy", "b", "D3", append(strings.Fields(c.guy), "agi=8", "weapon=two_handed_sword:slung")...)))
		b := fought(t, w, 4, 4, c.plans, dice.NewScripted(c.dice, dice.Constant(50)))
		marks := marked(b, "guy")
		i := slices.IndexFunc(marks, func(m string) bool { return strings.Contains(m, " cut") })
		if i < 0 || !strings.HasPrefix(marks[i], c.want) {
			t.Errorf("%s: %q", c.name, marks)
			continue
		}
		ref := b.out.Timeline[slices.IndexFunc(b.out.Timeline, func(m game.Mark) bool { return m.Kind == game.MarkCut })].Ref
		if text := b.event(t, ref).Text[game.All]; text != c.text {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

// TestPicturesHideWhatIsNotPerceived compares, byte for byte, what is shown of two
// worlds that differ only in somebody whom nobody sees.
func TestPicturesHideWhatIsNotPerceived(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		w := lurker(t, rand.New(rand.NewPCG(seed, 17)))
		w.With.Dice, w.Without.Dice = named(seed), named(seed)
		with, without := ruleset(t).Resolve(w.With), ruleset(t).Resolve(w.Without)
		for _, viewer := range w.Viewers {
			if diff := cmp.Diff(timeline(t, w.Without.World, without, viewer), timeline(t, w.With.World, with, viewer)); diff != "" {
				t.Errorf("seed %d, %s: it is shown (-without +with):\n%s", seed, viewer, diff)
			}
		}
		if all := timeline(t, w.With.World, with, game.GM); !strings.Contains(all.Alt, "Zz") {
			t.Errorf("seed %d: he does nothing that the GM is shown:\n%s", seed, strings.Join(all.Text, "\n"))
		}
	}
}

// timeline is the picture of a turn for one viewer; nil: he noticed nothing.
func timeline(t testing.TB, before game.World, out resolve.Outcome, viewer game.ID) *report.Picture {
	t.Helper()
	rules := ruleset(t)
	names := map[game.ID]string{}
	for _, b := range out.World.Bodies() {
		names[b.ID] = b.Name
	}
	reader := report.Reader{Characters: []game.ID{viewer}, Names: names, Views: []game.View{rules.See(out.World, viewer), rules.See(before, viewer)}}
	return report.NewCourse(out.Timeline, out.Events, reader, rules.Clock(before, 1).Reached(out.World.At())).Shown()
}
