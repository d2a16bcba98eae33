package parse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pbemd/pbemd/internal/game"
)

func gmVocabulary() game.Vocabulary {
	return game.Vocabulary{
		People: []game.Named{
			{ID: "bobo", Names: []string{"Bobo"}}, {ID: "zog", Names: []string{"Zog"}}, {ID: "kira", Names: []string{"Kira Vance"}},
			{ID: "yaz_1", Names: []string{"scarred Yazirian"}},
		},
		Fields: []game.Field{
			{Name: "STA", Type: "number"}, {Name: "POSTURE", Type: "word", Words: []string{"stand", "prone"}}, {Name: "AT", Type: "square"}, {Name: "MOOD", Type: "word"},
		},
	}
}

// ruledVocabulary says of events, things, squares and rules too what they can be.
func ruledVocabulary() game.Vocabulary {
	v := gmVocabulary()
	v.Moment = "segment"
	v.Places = []game.Named{{ID: "gate", Names: []string{"the iron gate"}}, {ID: "turn", Names: []string{"Turn Stile"}}}
	v.Fields = append(v.Fields,
		game.Field{Name: "NOTICE", Type: "text"}, game.Field{Name: "TIE", Type: "number", Least: 0, Most: 9},
		game.Field{Name: "OUTCOME", Of: game.OfEvent, Type: "outcome", Words: []string{"hit", "miss"}}, game.Field{Name: "OUTCOME", Of: game.OfEvent, Type: "outcome", Words: []string{"cancel"}},
		game.Field{Name: "DAMAGE", Of: game.OfEvent, Type: "number", Least: 0, Most: 99}, game.Field{Name: "COVER", Of: game.OfEvent, Type: "word", Words: []string{"none", "hard"}},
		game.Field{Name: "OPEN", Of: game.OfThing, Type: "word", Words: []string{"yes", "no"}}, game.Field{Name: "AT", Of: game.OfThing, Type: "square"},
		game.Field{Name: "SMOKE", Of: game.OfSquare, Type: "number", Least: 0, Most: 9},
		game.Field{Name: "init.tie", Of: game.OfTurn, Type: "word", Words: []string{"chain", "simultaneous"}}, game.Field{Name: "chance", Of: game.OfTurn, Type: "number", Words: []string{"table"}, Least: 0, Most: 100}, game.Field{Name: "tables.", Of: game.OfTurn, Type: "cell"})
	return v
}

func TestRulingsOnOtherThings(t *testing.T) {
	t.Parallel()
	set := func(on game.FieldKind, who, field, value string) game.Ruling {
		return game.Ruling{Kind: game.RuleSet, On: on, Who: game.ID(who), Field: field, Value: value}
	}
	event := func(field, value string) game.Ruling {
		return game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.1", Field: field, Value: value}
	}
	because, at, secret := set(game.OfThing, "gate", "OPEN", "yes"), set(game.OfSquare, "E4", "SMOKE", "3"), set("", "bobo", "NOTICE", "Because of the wind you hear a twig.")
	first, later, dark := set("", "bobo", "AT", "E4"), set("", "bobo", "STA", "12"), set(game.OfTurn, "", "chance", "40")
	first.Ref, later.Ref, dark.Ref = game.Moment(0), game.Moment(12), game.Moment(3)
	because.Reason, at.Ref, secret.Secret = "somebody leans on it", "bobo/r1.1", true
	for line, want := range map[string]game.Ruling{
		"GATE OPEN yes because somebody leans on it":              because,
		"IRON GATE OPEN yes":                                      set(game.OfThing, "gate", "OPEN", "yes"),
		"the iron gate OPEN yes":                                  set(game.OfThing, "gate", "OPEN", "yes"),
		"the gate open NO":                                        set(game.OfThing, "gate", "OPEN", "no"),
		"gate AT e4":                                              set(game.OfThing, "gate", "AT", "E4"),
		"e4 smoke 3 AT EVENT 2":                                   at,
		"TURN init.tie simultaneous":                              set(game.OfTurn, "", "init.tie", "simultaneous"),
		"turn tie Simultaneous.":                                  set(game.OfTurn, "", "init.tie", "simultaneous"),
		"GAME chance 40":                                          set(game.OfGame, "", "chance", "40"),
		"game chance table":                                       set(game.OfGame, "", "chance", "table"),
		"BOBO STA 12 at segment 12":                               later,
		"BOBO AT E4 AT SEGMENT 0":                                 first,
		"TURN chance 40 AT SEGMENT 3":                             dark,
		"GAME tables.arms.Sword.damage 3d4.":                      set(game.OfGame, "", "tables.arms.sword.damage", "3d4"),
		"TURN Tables.early.penalty = [7, 9]":                      set(game.OfTurn, "", "tables.early.penalty", "[7, 9]"),
		"BOBO NOTICE Because of the wind you hear a twig. SECRET": secret,
		"SET the gate OPEN no":                                    set(game.OfThing, "gate", "OPEN", "no"),
		"set bobo STA 12":                                         set("", "bobo", "STA", "12"),
		"SET TURN tie chain":                                      set(game.OfTurn, "", "init.tie", "chain"),
		"EVENT 2 CANCEL":                                          event("outcome", "cancel"),
		"EVENT 2 cover HARD":                                      event("cover", "hard"),
		"EVENT 2 DAMAGE = 12":                                     event("damage", "12"),
	} {
		got := GM(linesOf(line), forms, ruledVocabulary(), refs)
		if len(got.Rulings) != 1 || len(got.Rest)+len(got.Problems) != 0 {
			t.Errorf("%s: %+v", line, got)
			continue
		}
		if diff := cmp.Diff(want, got.Rulings[0], cmpopts.IgnoreFields(game.Ruling{}, "Text")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	for line, says := range map[string]string{
		"GATE OPEN maybe": "yes, no", "GATE AT nowhere": "a square such as E4", "GATE HAIR red": "OPEN, AT", "E4 SMOKE 10": "from 0 to 9", "BOBO TIE -1": "from 0 to 9",
		"TURN gravity off": "init.tie, chance", "TURN chance 101": "table, or a whole number from 0 to 100", "TURN chance 40 AT EVENT 1": "AT SEGMENT 12",
		"SET bibo STA 12": `by the name of "bibo"`, "SET bobo twelve points": "what shall be set",
		"EVENT 2 PURPLE": "Outcomes are HIT, MISS, CANCEL", "EVENT 2 COVER": "none, hard", "EVENT 2 DAMAGE lots": "from 0 to 99", "BOBO NOTICE SECRET": "words of your own",
	} {
		got := GM(linesOf(line), forms, ruledVocabulary(), refs)
		if len(got.Problems) != 1 || len(got.Rulings) != 0 || !strings.Contains(got.Problems[0].Text+" "+got.Problems[0].Do, says) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	// What only looks like one is prose.
	for _, line := range []string{"Turn 3 was great", "The gate open at last, we all went in", "Bobo, notice the twig", "Bobo notice the twig", "Game on"} {
		got := GM(linesOf(line), forms, ruledVocabulary(), refs)
		if len(got.Rulings)+len(got.Problems) != 0 || len(got.Rest) != 1 {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// What the rules object to is a problem of its line, and no ruling any more.
func TestRulesObjectToRulings(t *testing.T) {
	t.Parallel()
	got := GM(linesOf("BOBO STA 12\nBOBO STA 99\nEVENT 1 HIT"), forms, gmVocabulary(), refs)
	got.Object(func(r game.Ruling) (string, string) {
		if r.Value == "99" {
			return "He has 45.", "Write at most 45."
		}
		return "", ""
	})
	if len(got.Rulings) != 2 || len(got.Problems) != 1 || len(got.Rest) != 1 {
		t.Fatalf("%+v", got)
	}
	if p := got.Problems[0]; p.Text != "He has 45." || p.Do != "Write at most 45." || p.Source != "BOBO STA 99" || p.At != (game.Span{Line: 2, Col: 1, Len: 11}) || p.Severity != game.Wrong {
		t.Errorf("%+v", p)
	}
}

func TestErrata(t *testing.T) {
	t.Parallel()
	got := GM(linesOf("ERRATUM It was Mira\n  who hit.\n\nNOTE Rain."), forms, gmVocabulary(), refs)
	if diff := cmp.Diff([]string{"It was Mira\nwho hit."}, got.Errata); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Rain."}, got.Notes); diff != "" {
		t.Error(diff)
	}
}

var refs = []string{"zog/r1.1", "bobo/r1.1", "bobo/r1.2"}

func TestRulings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want game.Ruling
	}{
		{"BOBO STA 12", game.Ruling{Kind: game.RuleSet, Who: "bobo", Field: "STA", Value: "12"}},
		{"bobo sta -3.", game.Ruling{Kind: game.RuleSet, Who: "bobo", Field: "STA", Value: "-3"}},
		{"Kira Vance POSTURE Prone because she slipped SECRET", game.Ruling{Kind: game.RuleSet, Who: "kira", Field: "POSTURE", Value: "prone", Reason: "she slipped", Secret: true}},
		{"yaz_1 at e4", game.Ruling{Kind: game.RuleSet, Who: "yaz_1", Field: "AT", Value: "E4"}},
		{"scarred Yazirian STA = 4 AT EVENT 2", game.Ruling{Kind: game.RuleSet, Who: "yaz_1", Field: "STA", Value: "4", Ref: "bobo/r1.1"}},
		{"BOBO AT E4 AT EVENT 3 SECRET", game.Ruling{Kind: game.RuleSet, Who: "bobo", Field: "AT", Value: "E4", Ref: "bobo/r1.2", Secret: true}},
		{"EVENT 3 HIT", game.Ruling{Kind: game.RuleEvent, Ref: "bobo/r1.2", Field: "outcome", Value: "hit"}},
		{"event 1 damage 12 because he fell on it.", game.Ruling{Kind: game.RuleEvent, Ref: "zog/r1.1", Field: "damage", Value: "12", Reason: "he fell on it."}},
		{"DIE hit/bobo/r1.1 = 42", game.Ruling{Kind: game.RuleDie, Die: "hit/bobo/r1.1", Value: "42"}},
		{"DIE hit/bobo/r1.1=42", game.Ruling{Kind: game.RuleDie, Die: "hit/bobo/r1.1", Value: "42"}},
		{"die hit/bobo/r1.1#2 REROLL", game.Ruling{Kind: game.RuleDie, Die: "hit/bobo/r1.1#2", Value: "reroll"}},
		{"MOD bobo +10 because high ground", game.Ruling{Kind: game.RuleMod, Who: "bobo", Value: "10", Reason: "high ground"}},
		{"MOD Kira Vance -5", game.Ruling{Kind: game.RuleMod, Who: "kira", Value: "-5"}},
	}
	for _, tt := range tests {
		got := GM(linesOf(tt.line), forms, gmVocabulary(), refs)
		if len(got.Rulings) != 1 || len(got.Rest)+len(got.Problems) != 0 {
			t.Errorf("%s: %+v", tt.line, got)
			continue
		}
		if diff := cmp.Diff(tt.want, got.Rulings[0], cmpopts.IgnoreFields(game.Ruling{}, "Text")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
}

func TestRulingsGoneWrong(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"EVENT 7 HIT": "1 to 3", "EVENT 2": "what the event shall be", "EVENT 2 12": "what the event shall be", "DIE hit/bobo/r1.1 = lots": "die shall show",
		"MOD Bibo +10": `no combatant "Bibo"`, "MOD bobo high": "whole number", "BOBO STA lots": "no value for STA", "BOBO AT nowhere": "no value for AT",
		"BOBO POSTURE flying": "no value for POSTURE", "BOBO STAMINA 12": "nothing that can be set", "AS Zug: fire at Bobo": `no combatant "zug"`, "BOBO STA 12 AT EVENT 9": "1 to 3",
	} {
		got := GM(linesOf("OK\n"+line), forms, gmVocabulary(), refs)
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Text, says) || len(got.Rulings) != 0 {
			t.Errorf("%s: %+v", line, got)
			continue
		}
		p := got.Problems[0]
		if p.At.Line != 2 || p.Source != line || p.Do == "" {
			t.Errorf("%s: problem %+v", line, p)
		}
		if got.OnlyThanks() {
			t.Errorf("%s: taken for thanks", line)
		}
	}
}

func TestGMLetter(t *testing.T) {
	t.Parallel()
	got := GM(linesOf(`CLOSE
NOTE The lights go out,
  and somebody laughs.
Water drips.

BOBO STA 12
AS zog, Kira Vance: fire twice at Bobo
  then crouch

if Bobo moves, shoot him
EVENT 1 MISS
AS scarred Yazirian: wait
DROP 3
What do you think of all this?
Thanks, Rolf`), forms, gmVocabulary(), refs)
	var commands []string
	for _, c := range got.Commands {
		commands = append(commands, c.Word)
	}
	if diff := cmp.Diff([]string{"CLOSE", "DROP"}, commands); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"The lights go out,\nand somebody laughs.\nWater drips."}, got.Notes); diff != "" {
		t.Error(diff)
	}
	if len(got.Rulings) != 2 || got.Rulings[0].Text != "BOBO STA 12" || got.Rulings[1].Value != "miss" {
		t.Errorf("rulings %+v", got.Rulings)
	}
	want := []AsBlock{
		{[]game.ID{"zog", "kira"}, []Line{{7, "                    fire twice at Bobo"}, {8, "  then crouch"}, {9, ""}, {10, "if Bobo moves, shoot him"}}},
		{[]game.ID{"yaz_1"}, []Line{{12, "                     wait"}}},
	}
	if diff := cmp.Diff(want, got.As); diff != "" {
		t.Errorf("as (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"What do you think of all this?", "Thanks, Rolf"}, texts(got.Rest)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyThanks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "Thanks!\nRolf": true, "great turn, thanks a lot :-)": true, "Best regards,\nRolf Meyer": true, "--": true, "ok thanks\n\n\n": true,
		"but move Zog": false, "Wait": false, "Thanks!\nWait": false, "Stop": false, "no": false, "Thanks, but Zog is dead": false, "Rolf": false,
		"Cheers, fire at Zog": false, "Hi!\nBOBO STA": false, "oops": false, "Sorry": false, "good luck 3": false,
	} {
		if got := GM(linesOf(text), forms, gmVocabulary(), refs).OnlyThanks(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzGM(f *testing.F) {
	for _, s := range []string{"BOBO STA 12 because x SECRET", "EVENT 3 DAMAGE 12", "DIE a/b=", "MOD bobo +10", "NOTE\n x", "AS zog:\nOK", "AS : x", "because", "AS\u00a0zog: x", "BOBO NOTICE x SECRET", "GATE OPEN yes AT EVENT 2", "E4 SMOKE 3", "TURN tie chain", "EVENT 2 COVER hard", "ERRATUM x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := linesOf(text)
		got := GM(lines, forms, ruledVocabulary(), refs)
		got.OnlyThanks()
		for _, p := range got.Problems {
			if n := len([]rune(p.Source)); p.At.Line < 1 || p.At.Line > len(lines) || p.At.Col < 1 || p.At.Col-1+p.At.Len > n {
				t.Errorf("problem %+v lies outside of its line", p)
			}
		}
		for _, r := range got.Rulings {
			if r.Kind == "" || r.Text == "" {
				t.Errorf("ruling %+v", r)
			}
		}
	})
}
