package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// guide has a section of each kind, for two characters.
func guide() Guide {
	g := Guide{
		Title: "Star Frontiers", Names: []string{"Bobo", "Mira"}, Commands: []Command{{"CHECK", "try orders without submitting them"}},
		Sections: []GuideSection{
			{Title: "How a turn goes", Steps: []string{"Everybody writes his orders.", "The higher act first."}},
			{Title: "Attacks", Text: []string{"Say how many shots: *one* | two."}},
			{Title: "Burning", Text: []string{"Nobody can."}, Needy: true},
			{Title: "Nothing"},
			{Title: "Weapons"},
			{Title: "What changes a shot", Text: []string{"A shot begins with half of DEX."}},
		},
	}
	far := []game.Line{{Label: "Range, short", Value: "-10"}, {Label: "Careful aim", Value: "+15"}}
	for _, who := range g.Names {
		own := []game.Line{{Label: who + "'s laser pistol", Value: "damage 1d10 for each SEU of the dial, 1 to 10; 2 attacks a turn*; point blank to 5 m, short to 20 m"}}
		g.Sections[1].Add(who, game.GuideSection{Orders: []game.GuideOrder{{Write: []string{who + ": two shots with the laser pistol at Zog"}, Says: "an action for each shot"}, {Write: []string{who + ": punch Zog"}}}})
		g.Sections[4].Add(who, game.GuideSection{Rows: own, Marks: "* Only memory supports it."})
		g.Sections[5].Add(who, game.GuideSection{Rows: far})
	}
	return g
}

// gmGuide is one of a GM, with the words of his rulings.
func gmGuide() Guide {
	g := Guide{Title: "Star Frontiers", GM: true, Names: []string{"Zog"}, Commands: []Command{{"CLOSE", "closes the turn now"}}, Rulings: rulingFields()}
	g.Sections = []GuideSection{{Title: "Attacks"}}
	g.Sections[0].Add("Zog", game.GuideSection{Orders: []game.GuideOrder{{Write: []string{"AS Zog: punch Bobo"}}}})
	return g
}

// TestGuideTellsOnceWhatHoldsForAll: a table that is the same for several stands there
// once, one's own under his name; sections that say nothing are left out.
func TestGuideTellsOnceWhatHoldsForAll(t *testing.T) {
	t.Parallel()
	var titles []string
	for _, s := range guide().Shown() {
		titles = append(titles, s.Title)
		switch s.Title {
		case "Weapons":
			if len(s.Tables) != 2 || !slices.Equal(s.Tables[0].Names, []string{"Bobo"}) || !slices.Equal(s.Tables[1].Names, []string{"Mira"}) {
				t.Errorf("weapons: %+v", s.Tables)
			}
		case "What changes a shot":
			if len(s.Tables) != 1 || !slices.Equal(s.Tables[0].Names, []string{"Bobo", "Mira"}) {
				t.Errorf("shots: %+v", s.Tables)
			}
		}
	}
	if want := []string{"How a turn goes", "Attacks", "Weapons", "What changes a shot"}; !slices.Equal(titles, want) {
		t.Errorf("sections %v, want %v", titles, want)
	}
}

// TestGuidePageIsTheMailWithoutItsHead: a command line prints what the mail says.
func TestGuidePageIsTheMailWithoutItsHead(t *testing.T) {
	t.Parallel()
	text, html, err := guide().Page()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Answer("guide", Head{}, guide())
	if err != nil {
		t.Fatal(err)
	}
	if _, body, _ := strings.Cut(m.Text, "\n"); strings.TrimSpace(body) != strings.TrimSpace(text) {
		t.Errorf("the page is\n%s\nand the mail\n%s", text, m.Text)
	}
	if strings.Contains(html+text, game.Marker) || !strings.Contains(html, "<title>Star Frontiers: how to order</title>") {
		t.Errorf("the page bears the head of a mail:\n%s", html)
	}
}
