package starfrontiers

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
)

// Every wording of an attack names who and whom, and its actor's the chance, the
// roll and the damage; nobody else reads a number.
func TestEveryWordingTellsTheSame(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range []struct {
		weapon, plan, way string
		close             bool
	}{
		{"automatic_pistol", oneShot("zog"), "shot", false},
		{"automatic_pistol", `{"steps": [{"verb": "burst", "targets": ["zog"]}]}`, "burst", false},
		{"knife", `{"steps": [{"verb": "throw", "weapon": "bobo-knife", "target": "zog"}]}`, "throw", false},
		{"club", `{"steps": [{"verb": "melee", "target": "zog", "blows": 1}]}`, "blow", true},
	} {
		for _, outcome := range []string{"miss", "hit", "critical", "grievous"} {
			at := "D1"
			if c.close {
				at = "B1"
			}
			w := world(t, battlefield(2, who("bobo", "heroes", "A1", "facing=E", "dex=60", "weapon="+c.weapon), who("zog", "gang", at, "facing=W", "sta=50")))
			out := run(t, w, map[game.ID]string{"bobo": c.plan}, map[string][]int{"hit/bobo": {40}},
				game.Ruling{N: 1, Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: outcome, Text: "EVENT 3 " + outcome})
			ev := event(t, out, "bobo/r1.1")
			if ev.Outcome != outcome {
				t.Errorf("%s: %s %s", c.way, ev.Outcome, ev.Text[game.Own])
				continue
			}
			for g, list := range map[game.Grade][]string{game.Own: ev.More[game.Own], game.Seen: ev.More[game.Seen]} {
				if want := len(otherWords[c.way][outcome]); len(list) != want || want == 0 {
					t.Errorf("%s, %s, %s: %d wordings, want %d", c.way, outcome, g, len(list), want)
				}
				all := append([]string{ev.Text[g]}, list...)
				for i, text := range all {
					wants := []string{"Bobo", "Zog"}
					if g == game.Own {
						wants = append(wants, "(chance "+strconv.Itoa(ev.Numbers["chance"])+", roll 40)")
					}
					if g == game.Own && outcome != "miss" {
						wants = append(wants, " for "+strconv.Itoa(ev.Numbers["damage"])+".")
					}
					for _, w := range wants {
						if !strings.Contains(text, w) {
							t.Errorf("%s, %s: %q lacks %q", c.way, outcome, text, w)
						}
					}
					if strings.ContainsAny(text, "{}") || g == game.Seen && strings.ContainsAny(text, "0123456789") || slices.Contains(all[:i], text) {
						t.Errorf("%s, %s: %q", c.way, outcome, text)
					}
				}
			}
			seen[c.way+" "+outcome] = true
		}
	}
	for way, outcomes := range otherWords {
		for outcome := range outcomes {
			if !seen[way+" "+outcome] {
				t.Errorf("no test tells of a %s that is a %s", way, outcome)
			}
		}
	}
}

// What is seen of a wound has the same standing in each wording.
func TestOtherLooksAreOfThoseOfAWound(t *testing.T) {
	t.Parallel()
	var looks []string
	for _, f := range []Fighter{
		{STA: 50, Now: 40}, {STA: 50, Now: 26}, {STA: 50, Now: 20}, {STA: 50, Now: 0}, {STA: 50, Now: 0, Level: 1},
		{STA: 50, Now: 0, Status: []string{"dead"}},
	} {
		for _, points := range []int{0, 1, 11, 30} {
			looks = append(looks, woundLook(&f, points, true))
		}
	}
	for look := range otherLooks {
		if !slices.Contains(looks, look) {
			t.Errorf("no wound looks like %q", look)
		}
	}
}

func TestAReportDoesNotRepeatItsWords(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=60", "weapon=automatic_pistol"}, []string{"sta=60"})
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 3}]}`}, map[string][]int{"hit/bobo": {90, 91, 92}})
	for _, viewer := range []game.ID{"bobo", "zog"} {
		var words []string
		for _, l := range report.Project(out.Events, []game.ID{viewer}) {
			if strings.Contains(l.Text, "automatic pistol") {
				plain, _, _ := strings.Cut(l.Text, " (")
				words = append(words, plain)
			}
		}
		if len(words) != 3 || words[0] == words[1] || words[1] == words[2] || words[0] == words[2] {
			t.Errorf("%s reads %q", viewer, words)
		}
	}
}
