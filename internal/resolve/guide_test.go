package resolve

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// guideOf reads a guide.toml as a system with one setting, one number and one table
// would.
func guideOf(text string) (*GuideText, error) {
	files := fstest.MapFS{"data/guide.toml": {Data: []byte("title = \"Test\"\n" + text)}}
	return ReadGuide(files, testSettings, func(*GuideText) GuideFill { return testFill("pbem") })
}

var testSettings = Settings{{Key: "sequence", Values: []string{"pbem", "side"}, Rule: "3.1"}, {Key: "cap", Values: []string{"50"}, Number: []int{0, 99}}}

func testFill(sequence string) GuideFill {
	return GuideFill{
		Words: strings.NewReplacer("{enemy}", "Zog"), Numbers: map[string]string{"aim": "+15"},
		Tables:  map[string][]game.Line{"weapons": {{Label: "pistol", Value: "damage 1d10*"}}},
		Setting: func(string) string { return sequence }, Idle: func(verb string) bool { return verb == "break_free" },
	}
}

// TestGuideIsFilledIn: words under a condition stand there if the game's settings
// are so, numbers come from the tables, and an order that needs what the viewer has
// not is left out.
func TestGuideIsFilledIn(t *testing.T) {
	t.Parallel()
	g, err := guideOf(`
[[section]]
title = "Attacks"
rows = "weapons"
marks = "* No source prints it."
[[section.text]]
says = "Aim gives {aim}."
[[section.text]]
if = ["sequence=side"]
says = "Sides roll."
[[section.order]]
verb = "fire"
write = "fire the {gun} at {enemy}"
[[section.order]]
verb = "fire"
write = "aim the {gun}"
or = ["aim at {enemy}"]
says = "{aim}"
[[section.order]]
verb = "break_free"
write = "break free"
`)
	if err != nil {
		t.Fatal(err)
	}
	want := game.GuideSection{
		Title: "Attacks", Text: []string{"Aim gives +15."}, Rows: []game.Line{{Label: "pistol", Value: "damage 1d10*"}}, Marks: "* No source prints it.", Needy: true,
		Orders: []game.GuideOrder{{Verb: "fire", Form: "aim the {gun}", Write: []string{"aim at Zog"}, Says: "+15"}},
	}
	if d := cmp.Diff(want, g.Fill(testFill("pbem")).Sections[0]); d != "" {
		t.Error(d)
	}
	if got := g.Fill(testFill("side")).Sections[0].Text; len(got) != 2 || got[1] != "Sides roll." {
		t.Errorf("by sides: %q", got)
	}
}

// TestGuideNamesSettingsOfTheGame: those that are not the defaults, with what they
// are about.
func TestGuideNamesSettingsOfTheGame(t *testing.T) {
	t.Parallel()
	g, err := guideOf("[setting]\nsequence = \"who acts when\"\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []game.Line{{Label: "sequence", Value: "side here, not pbem: who acts when (rules 3.1)"}, {Label: "cap", Value: "7 here, not 50"}}
	if d := cmp.Diff(want, g.SettingLines(testSettings, map[string]string{"sequence": "side", "cap": "7"})); d != "" {
		t.Error(d)
	}
	if got := g.SettingLines(testSettings, map[string]string{"cap": "50"}); got != nil {
		t.Errorf("defaults: %v", got)
	}
}

// TestGuideFaults: what a guide.toml has wrong is named when it is read.
func TestGuideFaults(t *testing.T) {
	t.Parallel()
	section := "[[section]]\ntitle = \"A\"\n"
	for text, want := range map[string]string{
		section:                       "needs a title, and something to say",
		section + "rows = \"wepons\"": `there is no table "wepons"`,
		section + "[[section.text]]\nsays = \"Aim gives {amm}.\"":                            "what is not filled in",
		section + "[[section.text]]\nif = [\"sequence=sides\"]\nsays = \"x\"":                `"sequence=sides" is no setting`,
		section + "[[section.order]]\nif = [\"sequenze=side\"]\nverb = \"x\"\nwrite = \"x\"": `"sequenze=side" is no setting`,
		section + "[[section.order]]\nwrite = \"x\"":                                         "needs a verb",
		"[setting]\nsequenze = \"x\"":                                                        "there is no such setting",
		"[sample]\nveiwer = \"you\"":                                                         "veiwer",
		"tittle = \"x\"":                                                                     "unknown key",
	} {
		if _, err := guideOf(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nis read with %v, want %q", text, err, want)
		}
	}
}
