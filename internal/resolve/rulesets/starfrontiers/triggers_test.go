package starfrontiers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// holding is a plan that keeps one shot for a trigger.
func holding(when, do string) string {
	return `{"steps": [{"verb": "hold"}], "reactions": [{"when": ` + when + `, "do": [` + do + `]}]}`
}

// Each trigger fires by its class (4.5.2). Ann waits with 12; Bea, slower, does
// something that Ann sees; Cal is Ann's friend.
func TestTriggersFireByTheirClass(t *testing.T) {
	t.Parallel()
	const shot = `{"verb": "fire", "target": "bea"}`
	for _, c := range []struct {
		name      string
		when, bea string
		cal       string
		dice      map[string][]int
		want      string // refs in order
	}{
		{"within does not fire when he only shoots", `{"kind": "within", "who": "bea", "distance": 30}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 1}]}`, "", nil, "bea/r1.1 ann/r1.1x"},
		{"within fires as he steps", `{"kind": "within", "who": "bea", "distance": 30}`, `{"steps": [{"verb": "move", "direction": "W", "distance": 2, "mode": "walk"}]}`, "", nil, "bea/r1.1m ann/r1.1"},
		{"a declaration is interrupted", `{"kind": "declares", "who": "bea", "act": "fire"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 1}]}`, "", nil, "ann/r1.1 bea/r1.1"},
		{"drawing is a declaration", `{"kind": "declares", "who": "bea", "act": "draw"}`, `{"steps": [{"verb": "ready", "action": "draw", "item": "bea-knife"}]}`, "", nil, "ann/r1.1 bea/r1.1m"},
		{"somebody is hit", `{"kind": "hit", "object": "cal"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {20, 90}, "dmg/bea": {1}}, "bea/r1.1 ann/r1.1 bea/r1.2"},
		{"somebody is missed", `{"kind": "miss", "object": "any_ally"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {90, 90}}, "bea/r1.1 ann/r1.1 bea/r1.2"},
		{"somebody falls", `{"kind": "down", "object": "cal"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {20, 20}, "dmg/bea": {10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}, "bea/r1.1 ann/r1.1 bea/r1.2"},
		{"somebody is badly wounded", `{"kind": "wounded", "object": "cal"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {20, 90}, "dmg/bea": {5, 5, 5, 5, 5}}, "bea/r1.1 ann/r1.1 bea/r1.2"},
		{"a word is the signal", `{"kind": "signal", "who": "cal", "text": "now"}`, `{"steps": [{"verb": "wait"}]}`, `{"say": ["Now!"]}`, nil, "cal/r1.s ann/r1.1 bea/r1.1"},
		{"another word is not", `{"kind": "signal", "who": "cal", "text": "now"}`, `{"steps": [{"verb": "wait"}]}`, `{"say": ["Not yet."]}`, nil, "cal/r1.s bea/r1.1 ann/r1.1x"},
		{"the count drops", `{"kind": "count", "value": 4}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {90, 90}}, "bea/r1.1 bea/r1.2 ann/r1.1"},
		{"the count drops between two shots", `{"kind": "count", "value": 6}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 2}]}`, "", map[string][]int{"hit/bea": {90, 90}}, "bea/r1.1 ann/r1.1 bea/r1.2"},
		{"the turn ends", `{"kind": "end_of_turn"}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 1}]}`, "", nil, "bea/r1.1 ann/r1.1"},
		{"a state alone does not count", `{"kind": "declares", "who": "bea", "act": "fire", "and": [{"kind": "sta", "op": "<", "value": 10}]}`, `{"steps": [{"verb": "fire", "target": "cal", "shots": 1}]}`, "", nil, "bea/r1.1 ann/r1.1x"},
	} {
		w := world(t, battlefield(2,
			who("ann", "heroes", "A5", "rs=40", "sta=50", "facing=E", "weapon=laser_pistol"),
			who("bea", "gang", "E5", "rs=10", "sta=50", "facing=W", "weapon=laser_pistol:dial=5", "weapon=knife:sheathed", "weapon=laser_rifle:slung"),
			who("cal", "heroes", "A8", "rs=10", "sta=45", "facing=E"),
		))
		plans := map[game.ID]string{"ann": holding(c.when, shot), "bea": c.bea, "cal": `{"steps": []}`}
		if c.cal != "" {
			plans["cal"] = c.cal
		}
		dice := map[string][]int{"init/player-ann": {8}, "init/player-bea": {8}, "init/player-cal": {9}, "hit/ann": {90}}
		for k, v := range c.dice {
			dice[k] = v
		}
		var got []string
		for _, ev := range run(t, w, plans, dice).Events {
			if ev.Kind != "initiative" && ev.Kind != "tie" && ev.Kind != "hold" {
				got = append(got, ev.Ref)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// hall is a room with a wall across it and a door in the wall; Ann watches it.
func hall(t *testing.T) *World {
	s := battlefield(2,
		who("ann", "heroes", "G1", "rs=40", "sta=50", "facing=S", "weapon=laser_pistol"),
		who("bea", "gang", "G6", "rs=10", "sta=50", "facing=N"),
	)
	wall := game.Feature{ID: "wall", Name: "wall", Kind: "wall", Opaque: true}
	for x := range 40 {
		if x != 6 {
			wall.Squares = append(wall.Squares, game.Square{X: x, Y: 3})
		}
	}
	s.Features = []game.Feature{wall, {ID: "hatch", Name: "hatch", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 6, Y: 3}}}}
	return world(t, s)
}

func TestTriggersOfMovement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, when, at string }{
		{"appears in the open", `{"kind": "appears", "who": "any_enemy"}`, "G4"},
		{"enters an area", `{"kind": "enters", "who": "any_enemy", "area": "G3"}`, "G3"},
		{"a door opens", `{"kind": "opens", "object": "hatch"}`, "G4"},
		{"watch of a place", `{"kind": "watch", "who": "any_enemy", "area": "G3"}`, "G3"},
		{"leaves an area", `{"kind": "leaves", "who": "any_enemy", "area": "hatch"}`, "G3"},
	} {
		out := run(t, hall(t), map[game.ID]string{"ann": holding(c.when, `{"verb": "posture", "posture": "prone"}`),
			"bea": `{"steps": [{"verb": "move", "to": "G2", "mode": "run"}]}`}, map[string][]int{"init/player-ann": {8}, "init/player-bea": {8}})
		at, done := "", false
		for _, ev := range out.Events {
			if done = done || ev.Kind == "posture"; done {
				break
			}
			for _, x := range ev.Changes {
				if x.Who == "bea" && x.Field == "AT" {
					at = x.To
				}
			}
		}
		if !done || at != c.at {
			t.Errorf("%s: with her at %s, want %s\n%s", c.name, at, c.at, story(out))
		}
	}
}

func TestVanishingIsPerceivedByWhoeverSawHim(t *testing.T) {
	t.Parallel()
	w := hall(t)
	w.fighter("bea").Place = game.Square{X: 6, Y: 2}
	out := run(t, w, map[game.ID]string{"ann": holding(`{"kind": "vanishes", "who": "bea"}`, `{"verb": "posture", "posture": "crouch"}`),
		"bea": `{"steps": [{"verb": "move", "to": "K6", "mode": "run"}]}`}, map[string][]int{"init/player-ann": {8}, "init/player-bea": {8}})
	if ev := event(t, out, "ann/r1.1m"); ev.Kind != "posture" {
		t.Errorf("%s", story(out))
	}
}

// An action other than a shot needs a greater total to cut into a move (4.5.2):
// with the same total it comes when the move has ended, as a shot does not (8).
func TestOnlyAGreaterTotalCutsIntoAMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		do   string
		want string
	}{
		{`{"verb": "posture", "posture": "prone"}`, "bea/r1.1m ann/r1.1m"},
		{`{"verb": "fire", "target": "bea"}`, "bea/r1.1m ann/r1.1 bea/r1.1m2"},
	} {
		w := world(t, battlefield(2,
			who("ann", "heroes", "A5", "rs=40", "sta=50", "facing=E", "weapon=laser_pistol"),
			who("bea", "gang", "K5", "rs=30", "sta=50", "facing=W")))
		out := run(t, w, map[game.ID]string{"ann": holding(`{"kind": "within", "who": "bea", "distance": 10}`, c.do),
			"bea": `{"steps": [{"verb": "move", "to": "C5", "mode": "run"}]}`}, map[string][]int{"init/player-ann": {6}, "init/player-bea": {7}, "hit/ann": {90}})
		var got []string
		for _, ev := range out.Events {
			if ev.Kind != "initiative" && ev.Kind != "hold" {
				got = append(got, ev.Ref)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.do, diff)
		}
	}
}

// The else of a reaction is an if among what it does.
func TestAReactionChoosesWhenItIsSetOff(t *testing.T) {
	t.Parallel()
	for sta, want := range map[int]string{50: "fire", 20: "posture"} {
		w := world(t, battlefield(2,
			who("ann", "heroes", "A5", "rs=40", "sta=50", "sta_now="+fmt.Sprint(sta), "facing=E", "weapon=laser_pistol"),
			who("bea", "gang", "E5", "rs=10", "sta=50", "facing=W", "weapon=laser_pistol")))
		out := run(t, w, map[game.ID]string{
			"ann": holding(`{"kind": "attacks", "who": "bea"}`, `{"verb": "if", "when": {"kind": "sta", "op": ">=", "value": 30}, "then": [{"verb": "fire", "target": "bea", "shots": 1}], "else": [{"verb": "posture", "posture": "prone"}]}`),
			"bea": `{"steps": [{"verb": "fire", "target": "ann", "shots": 1}]}`}, map[string][]int{"init/player-ann": {8}, "hit/ann": {90}})
		for _, ev := range out.Events {
			if ev.Actor == "ann" && ev.Kind != "initiative" && ev.Kind != "hold" {
				if ev.Kind != want {
					t.Errorf("STA %d: %s, want %s", sta, ev.Kind, want)
				}
				break
			}
		}
	}
}
