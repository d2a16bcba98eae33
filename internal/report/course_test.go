package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// deed is an act as the one reader, Bobo, perceives it.
type deed struct {
	at    int
	who   game.ID
	kind  string
	on    game.ID
	grade game.Grade // empty: not at all
	text  string     // empty: "<who> does it", without a name where the grade has none
}

// fought makes marks and events of deeds, after a line about the initiative of
// each of those named.
func fought(initiative []game.ID, deeds ...deed) (marks []game.Mark, events []game.Event) {
	seen := func(g game.Grade) map[game.ID]game.Grade {
		if g == "" {
			return nil
		}
		return map[game.ID]game.Grade{"bobo": g}
	}
	for _, who := range initiative {
		events = append(events, game.Event{Ref: string(who) + "/r1.i", Round: 1, Actor: who, Kind: "initiative", Seen: seen(game.Seen), Text: map[game.Grade]string{game.Seen: "He is quick."}})
	}
	for i, d := range deeds {
		ref := fmt.Sprintf("%s/r1.%d", d.who, i)
		text := d.text
		if text == "" {
			text = courseNames[d.who] + " does it."
			if d.on != "" {
				text = courseNames[d.who] + " fires at " + courseNames[d.on] + "."
			}
		}
		events = append(events, game.Event{Ref: ref, Round: 1, At: d.at, Actor: d.who, Seen: seen(d.grade),
			Text: map[game.Grade]string{game.All: text, game.Own: text, game.Seen: text, game.Actor: text, game.Target: text, game.Heard: text}})
		marks = append(marks, game.Mark{Round: 1, At: d.at, Who: d.who, Kind: d.kind, On: d.on, Ref: ref})
	}
	return marks, events
}

var courseNames = map[game.ID]string{"bobo": "Bobo", "mira": "Mira", "zog": "Zog", "al": "Al", "kira": "Kira"}

func courseOf(marks []game.Mark, events []game.Event, characters ...game.ID) *Course {
	v := field(20, 20, sight("bobo", "Bobo", "self", 0, 0), sight("mira", "Mira", "ally", 1, 1), sight("zog", "Zog", "enemy", 9, 9))
	return NewCourse(marks, events, Reader{Characters: characters, Names: courseNames, Views: []game.View{v}}, game.Clock{Unit: "slot"})
}

func fight() ([]game.Mark, []game.Event) {
	return fought([]game.ID{"zog"},
		deed{at: 14, who: "bobo", kind: "act", grade: game.Own},
		deed{at: 12, who: "bobo", kind: "react", on: "zog", grade: game.Own},
		deed{at: 12, who: "zog", kind: "act", grade: game.Seen},
		deed{at: 11, who: "kira", kind: "act", grade: game.Heard, text: "A shot is heard."},
		deed{at: 10, who: "kira", kind: "act"},
		deed{at: 9, who: "kira", kind: "act", grade: game.Target, text: "A shot hits Mira, says Kira."},
		deed{at: 8, who: "bobo", kind: "hold", grade: game.Own},
		deed{at: 7, who: "mira", kind: "act", grade: game.Actor},
		deed{at: 6, who: "zog", kind: "act", grade: game.Seen},
		deed{at: 6, who: "mira", kind: "react", on: "zog", grade: game.Seen},
		deed{at: 6, who: "al", kind: "react", on: "kira", grade: game.Actor, text: "Al shoots at somebody."},
		deed{at: 4, who: "al", kind: "act", grade: game.Seen, text: "Alas, somebody shoots."},
		deed{at: 2, who: "bobo", kind: "lost", grade: game.Own})
}

func TestACourseTellsWhatTheReaderPerceived(t *testing.T) {
	t.Parallel()
	want := []string{
		"slot 14     Bobo (1)",
		"slot 12     Bobo reacts to Zog (2), Zog (3)",
		"in between  somebody (4), somebody (5)",
		"slot 8      Bobo waits (6)",
		"in between  Mira (7)",
		"slot 6      Zog (8), Mira reacts to Zog (9)",
		"in between  Al (10), somebody (11)",
		"slot 2      Bobo in vain (12)",
	}
	marks, events := fight()
	c := courseOf(marks, events, "bobo")
	if diff := cmp.Diff(want, c.Picture.Text); diff != "" {
		t.Error(diff)
	}
	if want := "Timeline: when Bobo, Zog, Mira and Al acted."; c.Picture.Alt != want {
		t.Errorf("alt text: %s", c.Picture.Alt)
	}
	// The caption under the picture has the same words.
	if diff := cmp.Diff(letters(strings.Join(want, " ")), letters(c.Picture.Caption)); diff != "" {
		t.Error(diff)
	}
}

func TestTheGMsCourseTellsAll(t *testing.T) {
	t.Parallel()
	want := []string{
		"slot 14  Bobo (1)",
		"slot 12  Bobo reacts to Zog (2), Zog (3)",
		"slot 11  Kira (4)",
		"slot 10  Kira (5)",
	}
	marks, events := fight()
	c := courseOf(marks, events[1:], game.GM)
	if diff := cmp.Diff(want, c.Picture.Text[:4]); diff != "" {
		t.Error(diff)
	}
}

// What differs only in what nobody told the reader gives him the same picture.
func TestACourseHidesWhoAndWhen(t *testing.T) {
	t.Parallel()
	shot := deed{at: 9, who: "zog", kind: "act", grade: game.Heard, text: "A shot."}
	noise := func(shot deed, hidden ...deed) *Course {
		deeds := append([]deed{{at: 12, who: "bobo", kind: "act", grade: game.Own}}, hidden...)
		deeds = append(deeds, shot, deed{at: 5, who: "bobo", kind: "act", grade: game.Own})
		marks, events := fought([]game.ID{"zog"}, deeds...)
		return courseOf(marks, events, "bobo")
	}
	want := noise(shot)
	later, same, other, answer := shot, shot, shot, shot
	later.at, same.at, other.who, answer.kind, answer.on = 8, 12, "al", "react", "bobo"
	for name, got := range map[string]*Course{
		"another slot": noise(later), "the slot of his own act": noise(same), "another man": noise(other), "an answer": noise(answer),
		"somebody unnoticed between": noise(shot, deed{at: 10, who: "kira", kind: "act"}),
	} {
		if diff := cmp.Diff(want.Picture, got.Picture); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNothingPerceivedIsNoCourse(t *testing.T) {
	t.Parallel()
	marks, events := fought(nil, deed{at: 3, who: "kira", kind: "act"})
	if c := courseOf(marks, events, "bobo"); c != nil || c.Shown() != nil {
		t.Error(c.Picture.Text)
	}
}

// longCourse has far more deeds than a band, and more than the picture holds.
func longCourse(t testing.TB, characters ...game.ID) *Course {
	t.Helper()
	var marks []game.Mark
	var events []game.Event
	for round := 1; round <= 3; round++ {
		var deeds []deed
		for i := range 60 {
			deeds = append(deeds, deed{at: 60 - i/4, who: []game.ID{"bobo", "zog", "mira", "kira", "al"}[i%5], kind: "act", grade: game.Own})
		}
		m, e := fought(nil, deeds...)
		for i := range m {
			m[i].Round, e[i].Round = round, round
			m[i].Ref += fmt.Sprint("/", round)
			e[i].Ref = m[i].Ref
		}
		marks, events = append(marks, m...), append(events, e...)
	}
	return courseOf(marks, events, characters...)
}

func TestALongCourseFitsItsPicture(t *testing.T) {
	t.Parallel()
	for _, reader := range []game.ID{"bobo", game.GM} {
		p := longCourse(t, reader).Picture
		img, err := png.DecodeConfig(bytes.NewReader(p.PNG))
		if err != nil || img.Width != pixel(sheetWidth) || img.Height > 1700 || len(p.PNG) > 60_000 {
			t.Errorf("%s: a picture of %dx%d, %d bytes, %v", reader, img.Width, img.Height, len(p.PNG), err)
		}
		all := strings.Join(p.Text, "\n")
		if !strings.HasPrefix(all, "round 1, ") || !strings.Contains(all, "(180)") {
			t.Error(all)
		}
		for _, l := range p.Text {
			if textWidth(l) > columns {
				t.Errorf("%d columns: %s", textWidth(l), l)
			}
		}
	}
}

func BenchmarkCourse(b *testing.B) {
	marks, events := fight()
	for b.Loop() {
		courseOf(marks, events, "bobo")
	}
}

func BenchmarkALongCourse(b *testing.B) {
	for b.Loop() {
		longCourse(b, game.GM)
	}
}
