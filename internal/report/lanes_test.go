package report

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

var bridgeNames = map[game.ID]string{"corvin": "Corvin", "ysolde": "Ysolde", "grunmar": "Grunmar", "tolk": "Tolk", "lurk": "Lurk"}

func bridgeClock() game.Clock { return game.Clock{Unit: "segment", RunsOn: true, First: 12, Last: 23} }

// step is an event with its mark, as Corvin perceives it.
type step struct {
	mark  game.Mark
	grade game.Grade // of Corvin; empty: not at all
	text  string     // in every grade; {} is left out of the line of who hears no name
}

// acted makes marks and events of steps; a mark without a text has no event.
func acted(steps ...step) (marks []game.Mark, events []game.Event) {
	for i, s := range steps {
		s.mark.Round = 1
		if s.text != "" {
			if s.mark.Ref == "" {
				s.mark.Ref = fmt.Sprintf("%s/s%d.%d", s.mark.Who, s.mark.At, i)
			}
			e := game.Event{Ref: s.mark.Ref, Round: 1, At: s.mark.At, Actor: s.mark.Who, Kind: "melee", Outcome: "hit", Seen: map[game.ID]game.Grade{}, Text: map[game.Grade]string{}}
			if s.grade != "" {
				e.Seen["corvin"] = s.grade
			}
			for _, g := range game.Grades {
				e.Text[g] = s.text
			}
			events = append(events, e)
		}
		marks = append(marks, s.mark)
	}
	return marks, events
}

// bridgeFight is a window in the middle of a fight.
func bridgeFight() ([]game.Mark, []game.Event) {
	return acted(
		step{mark: game.Mark{At: 12, Who: "corvin", Kind: game.MarkGoing, Text: "rise", Until: 13}},
		step{mark: game.Mark{At: 12, Who: "tolk", Kind: game.MarkGoing, Text: "load the bow", Until: 14}},
		step{mark: game.Mark{At: 13, Who: "corvin", Kind: game.MarkEnd, Text: "rise"}, grade: game.Own, text: "Corvin is standing."},
		step{mark: game.Mark{At: 13, Who: "corvin", Kind: game.MarkReady, Until: 16}},
		step{mark: game.Mark{At: 14, Who: "tolk", Kind: game.MarkEnd, Text: "load the bow"}, grade: game.Seen, text: "Tolk has the bow loaded."},
		step{mark: game.Mark{At: 15, Who: "grunmar", Kind: game.MarkBegin, Text: "move"}, grade: game.Seen, text: "Grunmar sets off at a walk."},
		step{mark: game.Mark{At: 15, Who: "lurk", Kind: game.MarkBegin, Text: "draw the knife", Until: 18}, text: "Lurk draws the knife."},
		step{mark: game.Mark{At: 17, Who: "tolk", Kind: "act", Ref: "tolk/s17"}, grade: game.Target, text: "Somebody fires at Corvin: a hit."},
		step{mark: game.Mark{At: 18, Who: "grunmar", Kind: game.MarkEnd, Text: "move"}, grade: game.Seen, text: "Grunmar has moved 3 feet."},
		step{mark: game.Mark{At: 18, Who: "corvin", Kind: "react", On: "grunmar", Ref: "corvin/grunmar/s18", Deed: "grunmar/s18"}, grade: game.Own, text: "Corvin parries Grunmar with the shield: it works."},
		step{mark: game.Mark{At: 18, Who: "grunmar", Kind: "act", Ref: "grunmar/s18"}, grade: game.Seen, text: "Grunmar strikes at Corvin: a hit."},
		step{mark: game.Mark{At: 18, Who: "corvin", Kind: game.MarkReady, Until: 24}},
		step{mark: game.Mark{At: 19, Who: "corvin", Kind: game.MarkReady, Until: 22}},
		step{mark: game.Mark{At: 20, Who: "grunmar", Kind: game.MarkBegin, Text: "turn", Until: 22}, grade: game.Seen, text: "Grunmar turns."},
		step{mark: game.Mark{At: 21, Who: "grunmar", Kind: game.MarkCut, Text: "turn", On: "ysolde", Deed: "ysolde/s21"}, grade: game.Seen, text: "Grunmar is thrown down by Ysolde."},
		step{mark: game.Mark{At: 21, Who: "ysolde", Kind: "act", Ref: "ysolde/s21"}, grade: game.Seen, text: "Ysolde fires at Grunmar: a critical hit."},
		step{mark: game.Mark{At: 22, Who: "corvin", Kind: game.MarkBegin, Text: "draw the knife", Until: 27}, grade: game.Own, text: "Corvin reaches for the knife, until segment 27."},
		step{mark: game.Mark{At: 23, Who: "tolk", Kind: game.MarkDown}, grade: game.Seen, text: "Tolk is dead."},
		step{mark: game.Mark{At: 23, Who: "ysolde", Kind: game.MarkReady, Until: 30}},
		step{mark: game.Mark{At: 23, Who: "corvin", Kind: game.MarkGoing, Text: "draw the knife", Until: 27}},
	)
}

func bridgeCourse(marks []game.Mark, events []game.Event, characters ...game.ID) *Course {
	v := field(22, 9, sight("corvin", "Corvin", "self", 4, 4), sight("ysolde", "Ysolde", "ally", 1, 3), sight("grunmar", "Grunmar", "enemy", 6, 4), sight("tolk", "Tolk", "enemy", 19, 4))
	return NewCourse(marks, events, Reader{Characters: characters, Names: bridgeNames, Views: []game.View{v}}, bridgeClock())
}

// TestACourseOfSegmentsTellsWhatTheReaderPerceived: of others what their lines say,
// of his own also what he was at and when he may act again, as it turned out.
func TestACourseOfSegmentsTellsWhatTheReaderPerceived(t *testing.T) {
	t.Parallel()
	marks, events := bridgeFight()
	c := bridgeCourse(marks, events, "corvin")
	want := []string{
		"before      Corvin is busy until 13",
		"segment 13  Corvin is done (1); ready again: Corvin in 16",
		"segment 14  Tolk is done (2)",
		"segment 15  Grunmar sets out (3)",
		"segment 17  somebody (4)",
		"segment 18  Grunmar stops (5), Corvin reacts to Grunmar (6), Grunmar",
		"            (7); ready again: Corvin in 22",
		"segment 20  Grunmar begins (8)",
		"segment 21  Grunmar is cut short by Ysolde (9), Ysolde (10)",
		"segment 22  Corvin begins (11)",
		"segment 23  Tolk is down (12)",
		"then        Corvin is busy until 27",
	}
	if diff := cmp.Diff(want, c.Picture.Text); diff != "" {
		t.Error(diff)
	}
	if want := "Timeline of segments 12 to 23: when Corvin, Tolk, Grunmar and Ysolde acted, and when one may act again."; c.Picture.Alt != want {
		t.Errorf("alt text: %s", c.Picture.Alt)
	}
	if diff := cmp.Diff(letters(strings.Join(want, " ")), letters(c.Picture.Caption)); diff != "" {
		t.Error(diff)
	}
	all := strings.Join(bridgeCourse(marks, events, game.GM).Picture.Text, " ")
	for _, w := range []string{"Tolk is busy until 14", "Lurk begins (4)", "Tolk (5)", "Ysolde is ready in 30"} {
		if !strings.Contains(strings.Join(strings.Fields(all), " "), w) {
			t.Errorf("the GM is not told %q: %s", w, all)
		}
	}
}

// TestACourseOfSegmentsHidesWhatNoLineTells: what differs only in marks of others
// that no line of the reader's tells of gives him the same picture.
func TestACourseOfSegmentsHidesWhatNoLineTells(t *testing.T) {
	t.Parallel()
	marks, events := bridgeFight()
	want := bridgeCourse(marks, events, "corvin").Picture
	at := func(who game.ID, kind string) int {
		return slices.IndexFunc(marks, func(m game.Mark) bool { return m.Who == who && m.Kind == kind })
	}
	for name, change := range map[string]func(m []game.Mark){
		"how long he is at it":    func(m []game.Mark) { m[at("grunmar", game.MarkBegin)].Until = 99 },
		"what he was at":          func(m []game.Mark) { m[at("tolk", game.MarkGoing)].Until = 20 },
		"when another is ready":   func(m []game.Mark) { m[at("ysolde", game.MarkReady)].Until = 25 },
		"who hides, and when":     func(m []game.Mark) { m[at("lurk", game.MarkBegin)].At = 19 },
		"who shot from the dark":  func(m []game.Mark) { m[at("tolk", "act")].Who = "lurk" },
		"what an unseen one does": func(m []game.Mark) { m[at("tolk", "act")].Kind = game.MarkBegin },
		"whom an unseen one answers": func(m []game.Mark) {
			m[at("tolk", "act")].Kind, m[at("tolk", "act")].On, m[at("tolk", "act")].Deed = "react", "corvin", "corvin/grunmar/s18"
		},
	} {
		other := slices.Clone(marks)
		change(other)
		if diff := cmp.Diff(want, bridgeCourse(other, events, "corvin").Picture); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAMaskedTimeIsNotTold: the deed is, but not when it was.
func TestAMaskedTimeIsNotTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who  game.ID
		want string // the headings of the story
		told bool
	}{{"corvin", "segment 13; at some time; segment 15", false}, {game.GM, "segment 13; segment 14; segment 15", true}} {
		marks, events := acted(
			step{mark: game.Mark{At: 13, Who: "corvin", Kind: "act"}, grade: game.Own, text: "Corvin strikes."},
			step{mark: game.Mark{At: 14, Who: "tolk", Kind: "act", Masked: true}, grade: game.Seen, text: "Tolk strikes."},
			step{mark: game.Mark{At: 15, Who: "corvin", Kind: "act"}, grade: game.Own, text: "Corvin strikes."})
		events[1].Masked = true
		in := TurnReportIn{Head: Head{Clock: bridgeClock()}, Lines: Project(events, []game.ID{c.who})}
		var when []string
		for _, l := range in.Rounds()[0].Times {
			when = append(when, l.When)
		}
		if got := strings.Join(when, "; "); got != c.want {
			t.Errorf("%s: %s", c.who, got)
		}
		if all := strings.Join(bridgeCourse(marks, events, c.who).Picture.Text, "\n"); strings.Contains(all, "segment 14") != c.told {
			t.Errorf("%s: %s", c.who, all)
		}
		if why, _, _ := Explain(WhyIn{Clock: bridgeClock(), Events: events}, []game.ID{c.who}, 2); (why.When != "") != c.told {
			t.Errorf("%s: WHY tells %q", c.who, why.When)
		}
	}
}

// TestWhatAnswersADeedStandsOverOrUnderIt, with nobody's token between, and each
// lane in the order of what happened.
func TestWhatAnswersADeedStandsOverOrUnderIt(t *testing.T) {
	t.Parallel()
	var steps []step
	people := []game.ID{"corvin", "ysolde", "grunmar", "tolk"}
	deed := func(i int) string { return fmt.Sprintf("%s/s12.%d", people[i%4], i) }
	for i := range 10 {
		by := people[i%4]
		on := people[(i+1+i/4)%4]
		if on != by {
			steps = append(steps, step{mark: game.Mark{At: 12, Who: on, Kind: "react", On: by, Ref: string(on) + "/" + deed(i), Deed: deed(i)}, grade: game.Own, text: bridgeNames[on] + " parries " + bridgeNames[by] + "."})
		}
		steps = append(steps, step{mark: game.Mark{At: 12, Who: by, Kind: "act", Ref: deed(i)}, grade: game.Own, text: bridgeNames[by] + " strikes."})
	}
	marks, events := acted(steps...)
	c := bridgeCourse(marks, events, game.GM)
	l := c.arrange()
	arrows, upright := 0, 0
	last := map[lane]int{}
	for i, m := range c.moments {
		if n, ok := last[m.lane()]; ok && l.column[i] <= n && m.kind != "react" {
			t.Errorf("%s in column %d after %d", m.words(), l.column[i], n)
		}
		last[m.lane()] = max(last[m.lane()], l.column[i])
		d := l.deedOf[i]
		if d < 0 {
			continue
		}
		arrows++
		if l.column[d] != l.column[i] {
			continue
		}
		upright++
		lo, hi := slices.Index(l.lanes, m.lane()), slices.Index(l.lanes, c.moments[d].lane())
		for j, o := range c.moments {
			if row := slices.Index(l.lanes, o.lane()); l.column[j] == l.column[i] && j != i && j != d && row >= min(lo, hi) && row <= max(lo, hi) {
				t.Errorf("%s stands between %s and its deed", o.words(), m.words())
			}
		}
	}
	if arrows < 7 || upright < arrows {
		t.Errorf("%d of %d arrows are upright", upright, arrows)
	}
}

// TestABurstIsOneToken: in the picture and in words.
func TestABurstIsOneToken(t *testing.T) {
	t.Parallel()
	var steps []step
	for range 8 {
		steps = append(steps, step{mark: game.Mark{At: 14, Who: "corvin", Kind: "act"}, grade: game.Own, text: "Corvin fires."})
	}
	c := bridgeCourse(acted(steps...))
	if c != nil {
		t.Fatal("nobody is told of it")
	}
	marks, events := acted(steps...)
	c = bridgeCourse(marks, events, "corvin")
	l := c.arrange()
	if l.columns[14] != 1 || l.texts[0] != "1…" {
		t.Errorf("%d columns, %v", l.columns[14], l.texts)
	}
	if got := c.Picture.Text[0]; got != "segment 14  Corvin (1, 2, 3, 4, 5, 6, 7, 8)" {
		t.Error(got)
	}
}

// TestStripsOfSegmentsFitTheirPicture: a long window is cut into strips of about
// the same length that hold every segment once and stay on the sheet.
func TestStripsOfSegmentsFitTheirPicture(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 12, 40, 100} {
		c := battle(n, 6)
		l := c.arrange()
		at := 0
		for _, s := range l.strips {
			for i := range s.width {
				if s.first+i != at || s.left[i]+s.width[i] > lanesRight+0.01 {
					t.Errorf("%d segments: %d stands at %.1f to %.1f in the place of %d", n, s.first+i, s.left[i], s.left[i]+s.width[i], at)
				}
				at++
			}
		}
		if at != n && l.dropped == 0 {
			t.Errorf("%d of %d segments are shown", at, n)
		}
		img, err := png.DecodeConfig(bytes.NewReader(c.Picture.PNG))
		if err != nil || img.Width != pixel(sheetWidth) || img.Height > pixel(lanesTall+80) || len(c.Picture.PNG) > 95_000 {
			t.Errorf("%d segments: a picture of %dx%d, %d bytes, %v", n, img.Width, img.Height, len(c.Picture.PNG), err)
		}
	}
}

// battle is a window of n segments in which so many act, a third of them in each
// segment, and answer each other.
func battle(n, people int) *Course {
	names := map[game.ID]string{}
	var steps []step
	id := func(i int) game.ID {
		id := game.ID(fmt.Sprintf("c%02d", i%people))
		names[id] = fmt.Sprintf("Berengar%02d", i%people)
		return id
	}
	for at := range n {
		for i := at % 3; i < people; i += 3 {
			who, on := id(i), id(i+1)
			deed := fmt.Sprintf("%s/s%d", who, at)
			if i%2 == 0 {
				steps = append(steps, step{mark: game.Mark{At: at, Who: on, Kind: "react", On: who, Ref: string(on) + "/" + deed, Deed: deed}, grade: game.Own, text: names[on] + " parries " + names[who] + "."})
			}
			steps = append(steps, step{mark: game.Mark{At: at, Who: who, Kind: "act", Ref: deed}, grade: game.Own, text: names[who] + " strikes."},
				step{mark: game.Mark{At: at, Who: who, Kind: game.MarkReady, Until: at + 3}})
		}
	}
	marks, events := acted(steps...)
	return NewCourse(marks, events, Reader{Characters: []game.ID{game.GM}, Names: names}, game.Clock{Unit: "segment", RunsOn: true, Last: n - 1})
}

func BenchmarkACourseOfSegments(b *testing.B) {
	marks, events := bridgeFight()
	for b.Loop() {
		bridgeCourse(marks, events, "corvin")
	}
}

func BenchmarkACourseOfSixteenInFortySegments(b *testing.B) {
	for b.Loop() {
		battle(40, 16)
	}
}
