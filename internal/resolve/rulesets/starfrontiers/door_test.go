package starfrontiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// porch is Bobo in G5, before the hatch of the hall in G4 behind which Ann is.
func porch(t *testing.T, state string) *World {
	w := hall(t)
	w.fighter("bea").Place = game.Square{X: 6, Y: 4}
	f := &w.Features[1]
	f.State, f.Opaque, f.Cover = state, state != "open", ""
	return w
}

// 17.2: a door is opened for 2 m of the way, and closed again for as much.
func TestDoorsAreOpenedAndClosed(t *testing.T) {
	t.Parallel()
	use := func(action string) string {
		return `{"verb": "use", "item": "hatch", "action": "` + action + `"}`
	}
	walk := `{"verb": "move", "direction": "S", "mode": "walk"}`
	for _, c := range []struct {
		name, state, steps string
		want               string // the state of the hatch
		at                 string // where Bea ends
		reason             string // of the event
	}{
		{"opened", "closed", use("open the hatch"), "open", "G5", ""},
		{"closed", "open", use("close the hatch"), "closed", "G5", ""},
		{"2 m less of a walk", "closed", use("open the hatch") + "," + walk, "open", "G9", ""},
		{"the whole of a walk", "closed", walk, "closed", "G10", ""},
		{"after all of the way", "closed", walk + "," + use("open the hatch"), "closed", "G10", "out_of_reach"},
		{"walked up to", "closed", `{"verb": "move", "to": "F5", "mode": "walk"},` + use("open it"), "open", "F5", ""},
		{"beside two shots", "closed", use("open the hatch") + `, {"verb": "fire", "target": "ann", "shots": 2}`, "open", "G5", ""},
	} {
		w := porch(t, c.state)
		w.fighter("bea").Weapons = s1(t).fighter("bobo").Weapons
		out := run(t, w, map[game.ID]string{"bea": `{"steps": [` + c.steps + `]}`}, map[string][]int{"hit/bea": {90, 90}})
		after := out.World.(*World)
		f := after.Features[1]
		if f.State != c.want || f.Opaque != (c.want == "closed") || after.fighter("bea").Place.String() != c.at {
			t.Errorf("%s: %s (opaque %v), Bea in %s\n%s", c.name, f.State, f.Opaque, after.fighter("bea").Place, story(out))
		}
		if len(out.Inquiries) > 0 {
			t.Errorf("%s: the GM is asked %v", c.name, out.Inquiries)
		}
		if c.reason != "" && !slices.ContainsFunc(out.Events, func(ev game.Event) bool { return ev.Reason == c.reason }) {
			t.Errorf("%s: no %s\n%s", c.name, c.reason, story(out))
		}
	}
}

func TestWhoSeesADoorOpen(t *testing.T) {
	t.Parallel()
	w := porch(t, "closed")
	out := run(t, w, map[game.ID]string{
		"ann": holding(`{"kind": "opens", "object": "hatch"}`, `{"verb": "posture", "posture": "prone"}`),
		"bea": `{"steps": [{"verb": "use", "item": "hatch", "action": "open the hatch"}]}`,
	}, map[string][]int{"init/player-ann": {9}, "init/player-bea": {1}})
	ev := event(t, out, "bea/r1.1m")
	if ev.Rule != "17.2" || ev.Seen["ann"] != game.Heard || ev.Text[game.Heard] != "The hatch opens." || ev.Text[game.Own] != "Bea opens the hatch." {
		t.Errorf("%+v", ev)
	}
	if out.World.(*World).fighter("ann").Posture != "prone" {
		t.Errorf("Ann does not answer\n%s", story(out))
	}
	if got := out.World.(*World).fighter("ann").Stale; len(got) > 0 {
		t.Errorf("Ann believes %v", got)
	}
}

func TestWhatOfADoorIsRefusedOrRuled(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for _, c := range []struct{ name, state, action, at, want string }{
		{"open already", "open", "open the hatch", "G5", "The hatch is open already."},
		{"too far", "closed", "open the hatch", "G8", "The hatch is 8 m away."},
		{"locked", "locked", "open the hatch", "G5", "The rules do not say how this ends."},
		{"by force", "closed", "kick the hatch in", "G5", "The rules do not say how this ends."},
	} {
		w := porch(t, c.state)
		w.fighter("bea").Place, _ = game.ParseSquare(c.at)
		_, problems := rules.Check(rules.See(w, "bea"), plan(t, `{"steps": [{"verb": "use", "item": "hatch", "action": "`+c.action+`"}]}`))
		if len(problems) != 1 || !strings.Contains(problems[0].Text, c.want) {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
	// Nobody shuts a door on somebody.
	w := porch(t, "open")
	w.fighter("ann").Place = game.Square{X: 6, Y: 3}
	out := run(t, w, map[game.ID]string{"bea": `{"steps": [{"verb": "use", "item": "hatch", "action": "close the hatch"}]}`}, nil)
	if ev := event(t, out, "bea/r1.1m"); ev.Reason != "blocked" || out.World.(*World).Features[1].State != "open" {
		t.Errorf("%s %s", ev.Outcome, ev.Reason)
	}
}
