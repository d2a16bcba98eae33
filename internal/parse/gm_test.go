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
	for _, s := range []string{"BOBO STA 12 because x SECRET", "EVENT 3 DAMAGE 12", "DIE a/b=", "MOD bobo +10", "NOTE\n x", "AS zog:\nOK", "AS : x", "because", "AS\u00a0zog: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := linesOf(text)
		got := GM(lines, forms, gmVocabulary(), refs)
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
