package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

const warehouse = "../../internal/scenario/testdata/sf-warehouse.json"

func TestParsePrintsThePlan(t *testing.T) {
	t.Parallel()
	code, out, errs := command(parseCommand, "Fire my laser twice at Zog.\n", "--scene", warehouse, "--actor", "mira", "--json")
	if code != exitDone || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var p game.Plan
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Steps) != 1 || p.Steps[0].Verb != "fire" || p.Steps[0].Shots != 2 || p.Steps[0].Target != game.To("zog") || p.Steps[0].Weapon != "mira-laser" {
		t.Errorf("got %s", out)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"steps", "reactions", "standing", "say", "ask", "questions", "unparsed"} {
		if !strings.HasPrefix(string(keys[k]), "[") {
			t.Errorf("%s is %s", k, keys[k])
		}
	}
}

func TestParseOfSeveralActors(t *testing.T) {
	t.Parallel()
	text := "Mira: fire twice at Zog\nChirik: crouch\n"
	for _, args := range [][]string{{"--actor", "mira,chirik"}, {"--actor", "mira", "--actor", "chirik"}, {"--actor", "mira", "chirik"}} {
		code, out, errs := command(parseCommand, text, append([]string{"--json", "--scene", warehouse}, args...)...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		var plans map[game.ID]game.Plan
		if err := json.Unmarshal([]byte(out), &plans); err != nil {
			t.Fatal(err)
		}
		got := map[game.ID]string{}
		for id, p := range plans {
			for _, s := range p.Steps {
				got[id] += s.Verb + " "
			}
		}
		if diff := cmp.Diff(map[game.ID]string{"mira": "fire ", "chirik": "posture "}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
}

func TestParseForPeople(t *testing.T) {
	t.Parallel()
	code, out, errs := command(parseCommand, "Fire twice at Zog.\nFly to the moon.\n", "--scene", warehouse, "--actor", "mira")
	if code != exitDone || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"Mira Tolan\n  1. fire 2 shots at Zog", "line 2, column 1: ", "    | Fly to the moon.\n    | ^^^"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

// A name that is hidden from the reader reads like one that nobody has.
func TestParseKeepsHiddenNamesHidden(t *testing.T) {
	t.Parallel()
	const hidden, invented = "skulker", "skalker"
	_, a, _ := command(parseCommand, "Shoot the "+hidden+".", "--scene", warehouse, "--actor", "mira")
	_, b, _ := command(parseCommand, "Shoot the "+invented+".", "--scene", warehouse, "--actor", "mira")
	if a != strings.ReplaceAll(b, invented, hidden) {
		t.Errorf("hidden:\n%s\ninvented:\n%s", a, b)
	}
}

func TestParseTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":           {nil, exitUsage, "usage: pbemd parse"},
		"no actor":          {[]string{"--scene", warehouse}, exitUsage, "usage: pbemd parse"},
		"no scene":          {[]string{"--actor", "mira"}, exitUsage, "usage: pbemd parse"},
		"scene is the text": {[]string{"--scene", "-", "--actor", "mira"}, exitUsage, "usage: pbemd parse"},
		"unknown actor":     {[]string{"--scene", warehouse, "--actor", "mirra"}, exitError, `no combatant "mirra"; it has chirik, dral`},
		"no such file":      {[]string{"--scene", "nowhere.json", "--actor", "mira"}, exitError, "nowhere.json"},
	} {
		code, out, errs := command(parseCommand, "wait", c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, want %d; printed %q; %q is not in standard error:\n%s", name, code, c.code, out, c.want, errs)
		}
	}
}
