package parse_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/scenario"
)

// hiddenLetters speak of somebody whom the writer does not see, by his name, what
// he is and where he stands.
var hiddenLetters = []string{
	"Two shots at %.", "fire at % twice", "run to %", "I follow %.", "Shoot Wuxo's friend %.", "tell % to give up",
	"If % moves, I shoot him once.", "If % comes within 10 m of me, one shot at him. Otherwise I wait.", "% shoots at me and I duck.",
	"When % attacks one of us, I run to him and hit him.", "I watch %.", "Prefer %, then the nearest.", "throw a grenade at %",
	"Shoot the nearest enemy. If he is down: %.", "shot at % adn run", "% : two shots\nthen crouch", "Is % there? Then I shoot him.",
	"I shoot whoever stands behind %.", "\"Come out, %!\" I shout.", "As before, but at %.", "grab % and hold him down", "Burst at % and everybody near him.",
}

// sceneTexts are the letters of the phrasings that are written in a scene.
func sceneTexts(t *testing.T, scene string) []string {
	texts, who := seeds(t)
	var out []string
	for i, s := range texts {
		if strings.HasPrefix(who[i], scene+" ") {
			out = append(out, s)
		}
	}
	return out
}

// reader is one writer in one world.
type reader struct {
	actor parse.Actor
	check func(game.View, game.Plan) (game.Plan, []game.Problem) // nil: the rules do not set this scene up
}

func readerIn(t *testing.T, rules resolve.Ruleset, s game.Scenario, who game.ID) reader {
	t.Helper()
	v, ok := scenario.View(s, who)
	if !ok {
		t.Fatalf("no %s", who)
	}
	var r reader
	if w, faults := rules.Setup(s); len(faults) == 0 {
		v, r.check = rules.See(w, who), rules.Check
	}
	r.actor = parse.Actor{ID: who, View: v, Vocabulary: rules.Vocabulary(v)}
	return r
}

// gets is all that a writer gets of a letter: the plan, the problems, the words of
// the receipt, and what the rules make of it.
func (r reader) gets(t *testing.T, text string) string {
	t.Helper()
	var out []any
	for _, x := range parse.Orders(linesOf(text), []parse.Actor{r.actor}) {
		out = append(out, x.Plan, x.Problems, parse.Phrases(x.Plan, r.actor.Vocabulary))
		if r.check != nil {
			plan, problems := r.check(r.actor.View, x.Plan)
			out = append(out, plan, problems)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestHiddenEnemiesChangeNoByte: in every scene and for every character, a letter
// is read alike whether somebody whom its writer does not see is there or not, and
// an invented name reads as a hidden one.
func TestHiddenEnemiesChangeNoByte(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../scenario/testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	systems := map[string]int{}
	for _, file := range files {
		scene := strings.TrimSuffix(filepath.Base(file), ".json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, faults := scenario.ReadScene(file, data)
		if faults != nil {
			t.Fatal(faults)
		}
		rules, err := rulesets.Find(s.System)
		if err != nil {
			t.Fatal(err)
		}
		systems[s.System]++
		texts := sceneTexts(t, scene)
		for _, me := range s.Combatants {
			if me.Player == "" {
				continue
			}
			unseen := func(c game.Combatant) bool {
				v, _ := scenario.View(*s, me.ID)
				for _, o := range v.Others {
					if o.ID == c.ID {
						return false
					}
				}
				return c.ID != me.ID
			}
			var names []string
			without, with := *s, *s
			without.Combatants, with.Combatants = nil, nil
			for _, c := range s.Combatants {
				if unseen(c) {
					names = append(names, c.Name, c.Description)
					with.Combatants = append(with.Combatants, c)
					twin := c
					twin.ID, twin.Name, twin.Description = "wuxo", "Wuxo", "tall Kurabanda with a purple sash"
					twin.Weapons, twin.Items = nil, nil
					with.Combatants = append(with.Combatants, twin)
					names = append(names, "Wuxo", "the Kurabanda", "the one with the purple sash")
					continue
				}
				with.Combatants = append(with.Combatants, c)
				without.Combatants = append(without.Combatants, c)
			}
			if len(names) == 0 {
				continue // he sees everybody
			}
			t.Run(scene+" "+string(me.ID), func(t *testing.T) {
				t.Parallel()
				hidden, alone := readerIn(t, rules, with, me.ID), readerIn(t, rules, without, me.ID)
				if s.System == "star-frontiers" && (hidden.check == nil || alone.check == nil) {
					t.Fatal("the rules do not set the scene up")
				}
				letters := texts
				for _, text := range hiddenLetters {
					for _, name := range names {
						letters = append(letters[:len(letters):len(letters)], strings.ReplaceAll(text, "%", name))
					}
				}
				for _, text := range letters {
					a, b := hidden.gets(t, text), alone.gets(t, text)
					if a != b {
						t.Errorf("%s\nwith somebody hidden    %s\nwithout                 %s", text, a, b)
					}
					if !strings.Contains(text, "Wuxo") {
						continue
					}
					invented := strings.ReplaceAll(text, "Wuxo", "Qyxa")
					if c := hidden.gets(t, invented); strings.ReplaceAll(a, "Wuxo", "Qyxa") != c {
						t.Errorf("%s\nhidden   %s\ninvented %s", text, a, c)
					}
				}
			})
		}
	}
	for _, name := range []string{"star-frontiers", "eternal-soldier", "percentile"} {
		if systems[name] == 0 {
			t.Errorf("no scene of %s", name)
		}
	}
}
