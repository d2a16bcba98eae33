package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestProjectShowsWhatWasPerceivedAndNoMore(t *testing.T) {
	t.Parallel()
	all := map[game.Grade]string{game.All: "gm", game.Own: "own", game.Seen: "seen", game.Actor: "actor", game.Target: "target", game.Heard: "heard"}
	die := game.Die{Name: "hit/zog/r1.1", Sides: 100, Value: 23, Source: "sealed"}
	event := func(text map[game.Grade]string, seen map[game.ID]game.Grade) game.Event {
		return game.Event{Ref: "zog/r1.1", Round: 2, Actor: "zog", Target: "bobo", Outcome: "hit", Dice: []game.Die{die},
			Lines: []game.Line{{Label: "chance", Value: "48"}}, Numbers: map[string]int{"chance": 48}, Text: text, Seen: seen}
	}
	only := func(g game.Grade) map[game.Grade]string { return map[game.Grade]string{g: string(g)} }
	sums := []game.Line{{Label: "chance", Value: "48"}}
	for _, c := range []struct {
		name   string
		event  game.Event
		reader []game.ID
		want   []ReportLine
	}{
		{"not perceived", event(all, map[game.ID]game.Grade{"mira": game.Seen}), []game.ID{"bobo"}, nil},
		{"seen by nobody", event(all, nil), []game.ID{"bobo"}, nil},
		{"no characters", event(all, map[game.ID]game.Grade{"bobo": game.Own}), nil, nil},
		{"done to him, by somebody else's die", event(all, map[game.ID]game.Grade{"bobo": game.Own}), []game.ID{"bobo"},
			[]ReportLine{{N: 1, Round: 2, Grade: game.Own, Text: "own", Sum: sums, Dice: []string{"hit d100 = 23 (sealed)"}}}},
		{"his own act", event(all, map[game.ID]game.Grade{"zog": game.Own}), []game.ID{"zog"},
			[]ReportLine{{N: 1, Round: 2, Grade: game.Own, Text: "own", Sum: sums, Dice: []string{"hit/zog/r1.1 d100 = 23 (sealed)"}}}},
		{"seen without numbers", event(all, map[game.ID]game.Grade{"bobo": game.Seen}), []game.ID{"bobo"}, []ReportLine{{N: 1, Round: 2, Grade: game.Seen, Text: "seen"}}},
		{"only who acted", event(all, map[game.ID]game.Grade{"bobo": game.Actor}), []game.ID{"bobo"}, []ReportLine{{N: 1, Round: 2, Grade: game.Actor, Text: "actor"}}},
		{"only to whom", event(all, map[game.ID]game.Grade{"bobo": game.Target}), []game.ID{"bobo"}, []ReportLine{{N: 1, Round: 2, Grade: game.Target, Text: "target"}}},
		{"only heard", event(all, map[game.ID]game.Grade{"bobo": game.Heard}), []game.ID{"bobo"}, []ReportLine{{N: 1, Round: 2, Grade: game.Heard, Text: "heard"}}},
		{"best of two characters", event(all, map[game.ID]game.Grade{"bobo": game.Heard, "mira": game.Seen}), []game.ID{"bobo", "mira"},
			[]ReportLine{{N: 1, Round: 2, Grade: game.Seen, Text: "seen"}}},
		{"the GM", event(all, nil), []game.ID{game.GM}, []ReportLine{{N: 1, Round: 2, Grade: game.All, Text: "gm", Sum: sums, Dice: []string{"hit/zog/r1.1 d100 = 23 (sealed)"}}}},
		{"a grade without text never tells more", event(only(game.All), map[game.ID]game.Grade{"bobo": game.Seen}), []game.ID{"bobo"}, nil},
		{"who acted is not told to him who saw the target", event(only(game.Actor), map[game.ID]game.Grade{"bobo": game.Target}), []game.ID{"bobo"}, nil},
		{"a grade without text takes what was heard", event(only(game.Heard), map[game.ID]game.Grade{"bobo": game.Target}), []game.ID{"bobo"},
			[]ReportLine{{N: 1, Round: 2, Grade: game.Target, Text: "heard"}}},
		{"an unknown grade tells nothing", event(all, map[game.ID]game.Grade{"bobo": "rumour"}), []game.ID{"bobo"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, Project([]game.Event{c.event}, c.reader)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOnlyTheGMReadsTheSecretLinesOfASum(t *testing.T) {
	t.Parallel()
	open, hidden := game.Line{Label: "GM", Value: "-13"}, game.Line{Label: "GM ruling 1", Value: "because a sniper", Secret: true}
	e := game.Event{Lines: []game.Line{open, hidden}, Text: map[game.Grade]string{game.All: "all", game.Own: "own"}, Seen: map[game.ID]game.Grade{"bobo": game.Own}}
	for reader, want := range map[game.ID][]game.Line{"bobo": {open}, game.GM: {open, hidden}} {
		if d := cmp.Diff(want, Project([]game.Event{e}, []game.ID{reader})[0].Sum); d != "" {
			t.Errorf("%s: %s", reader, d)
		}
	}
	if len(e.Lines) != 2 || e.Lines[1] != hidden {
		t.Errorf("the event was changed: %v", e.Lines)
	}
}

// Further wordings are taken in turn, by the lines that the reader himself gets; the
// GM reads the first everywhere, as in his packet.
func TestWordingsAreTakenInTurn(t *testing.T) {
	t.Parallel()
	shot := func(seen map[game.ID]game.Grade) game.Event {
		return game.Event{Kind: "fire", Seen: seen,
			Text: map[game.Grade]string{game.All: "all", game.Own: "own 1", game.Seen: "seen 1", game.Heard: "heard"},
			More: map[game.Grade][]string{game.Own: {"own 2"}, game.Seen: {"seen 2", "seen 3"}}}
	}
	both := map[game.ID]game.Grade{"bobo": game.Own, "mira": game.Seen}
	list := []game.Event{shot(both), shot(map[game.ID]game.Grade{"bobo": game.Seen, "mira": game.Heard}), shot(both), shot(both), shot(both)}
	for reader, want := range map[game.ID][]string{
		"bobo":  {"own 1", "seen 2", "own 1", "own 2", "own 1"},
		"mira":  {"seen 1", "heard", "seen 2", "seen 3", "seen 1"},
		game.GM: {"all", "all", "all", "all", "all"},
	} {
		var got []string
		for _, l := range Project(list, []game.ID{reader}) {
			got = append(got, l.Text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", reader, d)
		}
	}
}

func TestReportsNumberTheirOwnLines(t *testing.T) {
	t.Parallel()
	var got []string
	for _, l := range Project(events(), []game.ID{"mira"}) {
		got = append(got, string(rune('0'+l.N))+" "+l.Text)
	}
	if d := cmp.Diff([]string{"1 A beam hits Bobo.", "2 Zog slips behind the crates."}, got); d != "" {
		t.Error(d)
	}
}

// What a report must not hold: refs, ids, numbers and outcomes of events that
// are not the reader's own, and the names of other people's dice.
func TestReportHoldsNothingHidden(t *testing.T) {
	t.Parallel()
	for reader, secrets := range map[game.ID][]string{
		"mira": {"zog/r1", "bobo/r1", "4711", "d100", "chance", "Zog shoots", "laser rifle for 7", "14."},
		"bobo": {"zog/r1", "4711", "Zog", "rifle", "crates"},
		"ben":  {"Zog", "Bobo", "r1", "4711", "d100", "hit"},
	} {
		m, err := TurnReport(TurnReportIn{Head: Head{Game: "Dusk", Turn: 3}, Lines: Project(events(), []game.ID{reader})})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if strings.Contains(m.Text, s) || strings.Contains(m.Subject, s) {
				t.Errorf("%s reads %q:\n%s", reader, s, m.Text)
			}
		}
	}
}

func TestDifferencesAreInReadingOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		old, new []string
		want     []string
	}{
		{"equal", []string{"a", "b"}, []string{"a", "b"}, nil},
		{"empty", nil, nil, nil},
		{"first orders", nil, []string{"a"}, []string{"+ a"}},
		{"all taken out", []string{"a"}, nil, []string{"- a"}},
		{"one replaced", []string{"a", "b", "c"}, []string{"a", "x", "c"}, []string{"- b", "+ x"}},
		{"moved", []string{"a", "b", "c"}, []string{"c", "a", "b"}, []string{"+ c", "- c"}},
		{"repeated", []string{"a", "a"}, []string{"a"}, []string{"- a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, Differences(c.old, c.new)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHugeDifferencesStayBounded(t *testing.T) {
	t.Parallel()
	old, new := make([]string, 3_000), make([]string, 3_000)
	for i := range old {
		old[i], new[i] = "a", "b"
	}
	if got := Differences(old, new); len(got) != 6_000 {
		t.Errorf("%d lines", len(got))
	}
}

// TestEventDifferences: an event of both attempts stands once, with what is other
// in its sum; one of only one attempt stands whole, under its own number.
func TestEventDifferences(t *testing.T) {
	t.Parallel()
	text := func(s string) map[game.Grade]string { return map[game.Grade]string{game.All: s} }
	other := events()
	other[1].Text = text("Zog misses Bobo.")
	summed := events()
	summed[1].Text = text("Zog misses Bobo.")
	summed[1].Lines = []game.Line{{Label: "skill", Value: "60"}, {Label: "GM: rain", Value: "-20"}, {Label: "chance", Value: "30"}}
	unseen := events()
	unseen[1].Seen = map[game.ID]game.Grade{"rask": game.All}
	gone := events()[:2]
	for _, c := range []struct {
		name string
		b    []game.Event
		want []string
	}{
		{"the same", events(), nil},
		{"seen by others", unseen, nil},
		{"another sentence", other, []string{"+ 2. Zog misses Bobo. (before: Zog shoots Bobo with a laser rifle for 7.)"}},
		{"another sum", summed, []string{"+ 2. Zog misses Bobo. (GM: rain -20, chance 50 → 30, range -10 → none)"}},
		{"one less", gone, []string{"- 3. Zog slips behind the crates."}},
	} {
		if d := cmp.Diff(c.want, EventDifferences(events(), c.b)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	if d := cmp.Diff([]string{"+ 3. Zog slips behind the crates."}, EventDifferences(gone, events())); d != "" {
		t.Errorf("one more: %s", d)
	}
}

func TestSheetDifferencesListOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	a, b := bobo(), bobo()
	if got := SheetDifferences(a, b); got != nil {
		t.Errorf("equal sheets differ: %v", got)
	}
	b.Sheet = []game.Line{{Label: "Stamina", Value: "31 of 45"}, {Label: "Initiative modifier", Value: "+6"}, {Label: "Stunned", Value: "2 turns"}}
	b.Self.Place, b.Self.Posture = game.Square{X: 3, Y: 3}, "prone"
	b.Weapons = []game.Thing{b.Weapons[0], b.Weapons[1]}
	b.Weapons[0].Left, b.Weapons[0].Dial = 9, 2
	b.Weapons[1].State = "in_hand"
	b.Items = []game.Thing{{ID: "grenade", Name: "smoke grenade", State: "belt", Count: 1}}
	want := []game.Line{
		{Label: "Stamina", Value: "38 of 45 → 31 of 45"}, {Label: "Stunned", Value: "none → 2 turns"},
		{Label: "Place", Value: "at C4, crouching, facing east → at D4, lying flat, facing east"},
		{Label: "laser pistol, SEU", Value: "14 of 20 → 9 of 20"}, {Label: "laser pistol, dial", Value: "5 → 2"},
		{Label: "knife", Value: "sheathed → in hand"}, {Label: "smoke grenade, number", Value: "2 → 1"},
		{Label: "Beam weapons", Value: "level 2 → none"},
	}
	if d := cmp.Diff(want, SheetDifferences(a, b)); d != "" {
		t.Error(d)
	}
}
