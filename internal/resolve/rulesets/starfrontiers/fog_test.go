package starfrontiers

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

// projected is all that a player's report is made from.
func projected(out resolve.Outcome, viewer game.ID) []report.ReportLine {
	return report.Project(out.Events, []game.ID{viewer})
}

func TestADistantTargetHasNoNameInTheShootersReport(t *testing.T) {
	t.Parallel()
	s := battlefield(20,
		who("bobo", "heroes", "A10", "dex=90", "weapon=heavy_laser:mounted", "facing=E"),
		who("zog", "gang", "AK10", "sta=50", "facing=W"))
	down := game.Ruling{N: 1, Kind: game.RuleSet, Ref: "bobo/r1.1", Who: "zog", Field: "DOWN", Value: "yes", Text: "zog DOWN yes AT bobo/r1.1"}
	for want, rulings := range map[string][]game.Ruling{
		"and hits for 25. A distant figure reels": nil,
		"a distant figure is down already":        {down},
	} {
		plans := map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 1}]}`}
		out := run(t, world(t, s), plans, map[string][]int{"hit/bobo": {3}, "dmg/bobo": {5, 5, 5, 5, 5}}, rulings...)
		ev := event(t, out, "bobo/r1.1")
		if !strings.Contains(ev.Text[game.Own], want) || !strings.Contains(ev.Text[game.All], "Zog") {
			t.Errorf("%s\n%s", ev.Text[game.Own], ev.Text[game.All])
		}
		if text := encode(t, projected(out, "bobo")); strings.Contains(text, "Zog") {
			t.Error(text)
		}
	}
}

func TestADoorIsOpenToWhoeverHasSeenIt(t *testing.T) {
	t.Parallel()
	s := battlefield(2,
		who("bobo", "heroes", "A5", "facing=E", "sta=50"), who("kira", "heroes", "J1", "facing=S", "sta=50"),
		who("zog", "gang", "J6", "facing=N", "sta=50"))
	s.Features = []game.Feature{
		{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 5, Y: 3}, {X: 5, Y: 4}, {X: 5, Y: 5}, {X: 5, Y: 6}}},
		{ID: "door", Name: "door", Kind: "door", State: "closed", Opaque: true, Cover: "hard", Squares: []game.Square{{X: 9, Y: 4}}},
	}
	w := world(t, s)
	door := func(w *World, who game.ID) game.Feature { return ruleset(t).See(w, who).Features[1] }
	through := run(t, w, map[game.ID]string{"zog": `{"steps": [{"verb": "move", "direction": "N", "distance": {"value": 4, "unit": "m"}, "mode": "run"}]}`}, nil).World.(*World)
	for id, want := range map[game.ID]string{"bobo": "closed", "kira": "open", "zog": "open", game.GM: "open"} {
		if got := door(through, id); got.State != want || got.Opaque != (want == "closed") {
			t.Errorf("to %s the door is %+v", id, got)
		}
	}
	if strings.Contains(string(ruleset(t).See(through, "bobo").Own), "stale") {
		t.Error("bobo's own figures tell of the door")
	}
	// Round the wall he has it before his eyes, and keeps it in mind.
	round := run(t, through, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "to": "A1", "mode": "run"}, {"verb": "face", "direction": "SE"}]}`}, nil).World.(*World)
	back := run(t, round, map[game.ID]string{"bobo": `{"steps": [{"verb": "move", "to": "A5", "mode": "run"}]}`}, nil).World.(*World)
	for _, w := range []*World{round, back} {
		if got := door(w, "bobo"); got.State != "open" {
			t.Errorf("he has seen the door, and it is %+v", got)
		}
	}
}

func TestASecretRulingIsToldToNobody(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for seed := range uint64(30) {
		in := randomInput(t, rand.New(rand.NewPCG(seed, 7)), 6)
		var out [2]resolve.Outcome
		for i, why := range []string{"the hidden sniper jams him", "the air is thick"} {
			in.Rulings = []game.Ruling{
				{N: 1, Kind: game.RuleMod, Who: "c00", Value: "-13", Reason: why, Secret: true, Text: "MOD c00 -13 because " + why + " SECRET"},
				{N: 2, Kind: game.RuleSet, Who: "c01", Field: "STA", Value: "3", Reason: why, Secret: true, Text: "c01 STA 3 because " + why + " SECRET"},
				{N: 3, Kind: game.RuleEvent, Ref: "c00/r1.1", Field: "HIT", Reason: why, Secret: true, Text: "EVENT 7 HIT because " + why + " SECRET"},
				{N: 4, Kind: game.RuleDie, Die: "hit/c02/r1.1", Value: "1", Reason: why, Secret: true, Text: "DIE hit/c02/r1.1 = 1 because " + why + " SECRET"},
			}
			out[i] = rules.Resolve(in)
		}
		for _, f := range in.World.(*World).Fighters {
			lines := projected(out[0], f.ID)
			if diff := cmp.Diff(lines, projected(out[1], f.ID)); diff != "" {
				t.Fatalf("seed %d: %s reads why (-one +other):\n%s", seed, f.ID, diff)
			}
			if text := encode(t, lines); strings.Contains(text, "ruling") {
				t.Fatalf("seed %d: %s reads of a ruling: %s", seed, f.ID, text)
			}
		}
	}
}

func TestASecretRulingIsCarriedOutAllTheSame(t *testing.T) {
	t.Parallel()
	w := two(t, []string{"dex=60", "weapon=automatic_pistol"}, []string{"sta=40"})
	out := run(t, w, map[game.ID]string{"bobo": oneShot("zog")}, nil,
		game.Ruling{N: 1, Kind: game.RuleMod, Who: "bobo", Value: "-13", Reason: "a sniper", Secret: true, Text: "MOD bobo -13 because a sniper SECRET"},
		game.Ruling{N: 2, Kind: game.RuleSet, Who: "zog", Field: "POSTURE", Value: "prone", Secret: true, Text: "zog POSTURE prone SECRET"})
	read := func(id game.ID) string { return encode(t, projected(out, id)) }
	if got := read("bobo"); !strings.Contains(got, `{"label":"GM","value":"-13"}`) || strings.Contains(got, "sniper") || strings.Contains(got, "zog/r1.g2") {
		t.Errorf("bobo reads %s", got)
	}
	if got := read("zog"); strings.Contains(got, "POSTURE") || strings.Contains(got, "is now") {
		t.Errorf("zog reads %s", got)
	}
	if got := read(game.GM); !strings.Contains(got, "because a sniper") || !strings.Contains(got, "Zog POSTURE prone") {
		t.Errorf("the GM reads %s", got)
	}
	if p := out.World.(*World).fighter("zog").Posture; p != "prone" {
		t.Errorf("zog is %s", p)
	}
}

func TestAHiddenNameReadsLikeAnInventedOne(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	w := world(t, battlefield(2, who("bobo", "heroes", "A1", "weapon=automatic_pistol"), who("skulker", "gang", "F1", "hidden=")))
	for _, form := range []string{
		`{"steps": [{"verb": "fire", "target": "NAME", "shots": 1}]}`,
		`{"steps": [{"verb": "move", "to": "NAME"}]}`,
		`{"steps": [{"verb": "face", "target": "NAME"}]}`,
		`{"reactions": [{"when": {"kind": "within", "who": "NAME", "distance": 5}, "do": [{"verb": "fire", "target": "NAME"}]}]}`,
		`{"steps": [{"verb": "if", "when": {"kind": "down", "object": "NAME"}, "then": [{"verb": "wait"}]}]}`,
	} {
		var got []string
		for _, name := range []string{"skulker", "nowhere"} {
			out, problems := rules.Check(rules.See(w, "bobo"), plan(t, strings.ReplaceAll(form, "NAME", name)))
			got = append(got, strings.ReplaceAll(encode(t, out)+encode(t, problems), name, "NAME"))
		}
		if got[0] != got[1] {
			t.Errorf("%s:\nhidden   %s\ninvented %s", form, got[0], got[1])
		}
	}
}

// Nobody reads a name that his grade must not give him.
func TestGradesNameOnlyWhomTheyMay(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		in := randomInput(t, r, 8)
		names := map[game.ID]string{}
		for _, f := range in.World.(*World).Fighters {
			names[f.ID] = f.Name
		}
		for _, ev := range rules.Resolve(in).Events {
			if !slices.Contains([]string{"fire", "throw", "launch", "burst", "explosion"}, ev.Kind) {
				continue
			}
			if ev.Kind == "explosion" && ev.Target == ev.Actor {
				continue
			}
			if ev.Target != "" && strings.Contains(ev.Text[game.Actor], names[ev.Target]) && ev.Attack {
				t.Fatalf("%s: %s", ev.Ref, ev.Text[game.Actor])
			}
			if strings.Contains(ev.Text[game.Target], names[ev.Actor]) {
				t.Fatalf("%s: %s", ev.Ref, ev.Text[game.Target])
			}
			for _, n := range names {
				if strings.Contains(ev.Text[game.Heard], n) {
					t.Fatalf("%s: %s", ev.Ref, ev.Text[game.Heard])
				}
			}
		}
	}
}

// Whoever saw the grenade come knows who threw it; nobody else reads his name or
// learns that somebody out of sight was hurt.
func TestABurstTellsOnlyWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := battlefield(2,
		who("bobo", "heroes", "A10", "dex=90", "facing=E", "item=smoke_grenade", "item=fragmentation_grenade"),
		who("zog", "gang", "H10", "sta=50", "facing=E"), who("mate", "gang", "I10", "sta=50", "facing=E"), who("shut", "gang", "Z10", "sta=50", "facing=E"))
	s.Features = []game.Feature{{ID: "wall", Name: "wall", Kind: "wall", Opaque: true, Squares: []game.Square{{X: 24, Y: 8}, {X: 24, Y: 9}, {X: 24, Y: 10}}}}
	out := run(t, world(t, s), throwAt("fragmentation_grenade", "zog", ""), map[string][]int{"hit/bobo": {20}, "dmg/bobo": {2}})
	read := func(who game.ID) string {
		var b strings.Builder
		for _, ev := range out.Events {
			if g, ok := ev.Seen[who]; ok && ev.Kind != "initiative" {
				b.WriteString(ev.Text[g] + "\n")
			}
		}
		return b.String()
	}
	if got := read("zog"); strings.Contains(got, "Bobo") || !strings.Contains(got, "bursts in H10") || !strings.Contains(got, "The fragments reach Zog, who goes down.") {
		t.Errorf("Zog, who looks the other way, reads\n%s", got)
	}
	if got := read("shut"); strings.Contains(got, "H10") || strings.Contains(got, "Zog") || !strings.Contains(got, "An explosion is heard.") {
		t.Errorf("behind the wall one reads\n%s", got)
	}
	if got := read("bobo"); !strings.Contains(got, "Bobo throws a fragmentation grenade at Zog") || !strings.Contains(got, "Mate") {
		t.Errorf("Bobo reads\n%s", got)
	}
	for _, id := range []game.ID{"zog", "shut"} {
		if text := encode(t, projected(out, id)); strings.Contains(text, "obo") {
			t.Errorf("%s: %s", id, text)
		}
	}
}
