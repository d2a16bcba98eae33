package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// TestCheckRefuses what names the unknown and what the rules forbid, and says what
// to do instead; a hidden name reads like an invented one.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil,
		who("ann", "a", "C3", "weapon=luger", "weapon=long_sword:sheathed"),
		who("zog", "b", "M3"), who("spy", "b", "M4")))
	w.fighter("spy").SeenBy = &[]game.ID{}
	w.fighter("ann").weapon("ann-long_sword").Broken = true
	r := ruleset(t)
	for _, c := range []struct {
		step, kind, text string
		severity         game.Severity
		left             int
	}{
		{`{"verb": "fire", "target": "zog"}`, "", "", "", 1},
		{`{"verb": "fire", "target": "nearest_enemy"}`, "", "", "", 1},
		{`{"verb": "fire", "target": "spy"}`, "target_not_visible", "Ann knows of nobody called spy here.", game.Wrong, 0},
		{`{"verb": "fire", "target": "yeti"}`, "target_not_visible", "Ann knows of nobody called yeti here.", game.Wrong, 0},
		{`{"verb": "fire", "target": "zog", "weapon": "bazooka"}`, "unknown_weapon", "Ann has no bazooka.", game.Wrong, 0},
		{`{"verb": "melee", "target": "zog", "weapon": "ann-long_sword"}`, "unknown_weapon", "is broken", game.Wrong, 0},
		{`{"verb": "auto_fire", "target": "zog", "weapon": "ann-luger"}`, "illegal_option", "does not fire on automatic", game.Wrong, 0},
		{`{"verb": "fire", "target": "ann"}`, "friendly_target", "does not attack himself", game.Wrong, 0},
		{`{"verb": "move", "to": "oz"}`, "path", "knows of no oz", game.Wrong, 0},
		{`{"verb": "move", "to": [3, 3], "mode": "glide"}`, "illegal_option", "cannot move like that", game.Wrong, 0},
		{`{"verb": "posture", "posture": "float"}`, "illegal_option", `no posture "float"`, game.Wrong, 0},
		{`{"verb": "launch", "target": "zog"}`, "illegal_option", "no such thing to do here: launch", game.Wrong, 0},
		{`{"verb": "set", "item": "ann-luger"}`, "illegal_option", "nothing to set", game.Wrong, 0},
		{`{"verb": "prefer"}`, "illegal_option", "no order of preference", game.Wrong, 0},
		{`{"verb": "defend"}`, "illegal_option", "parrying or dodging", game.Noted, 1},
		{`{"verb": "if", "when": {"kind": "down", "object": "zog"}, "then": [{"verb": "fire", "target": "yeti"}]}`, "target_not_visible", "yeti", game.Wrong, 0},
	} {
		got, problems := r.Check(r.See(w, "ann"), plan(t, `{"steps": [`+c.step+`]}`))
		if len(got.Steps) != c.left {
			t.Errorf("%s: %d steps left, want %d", c.step, len(got.Steps), c.left)
		}
		switch {
		case c.kind == "" && len(problems) > 0:
			t.Errorf("%s: %+v", c.step, problems)
		case c.kind != "" && (len(problems) != 1 || problems[0].Kind != c.kind || problems[0].Severity != c.severity || !strings.Contains(problems[0].Text, c.text) || problems[0].Do == "" || problems[0].Step != 1):
			t.Errorf("%s: %+v, want %s %q", c.step, problems, c.kind, c.text)
		}
	}
}

// TestCheckOfTheFallen leaves nothing of a plan, and says why.
func TestCheckOfTheFallen(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "status=unconscious"), who("zog", "b", "M3")))
	got, problems := ruleset(t).Check(ruleset(t).See(w, "ann"), plan(t, `{"steps": [{"verb": "wait"}], "standing": [{"verb": "dodge_policy"}]}`))
	if !got.Empty() || len(problems) != 1 || !strings.Contains(problems[0].Text, "out of action") {
		t.Errorf("%+v, %+v", got, problems)
	}
}

// TestForecastTellsReadinessAndChances from what the viewer knows (11).
func TestForecastTellsReadinessAndChances(t *testing.T) {
	t.Parallel()
	w := duel(t, nil, "weapon=long_sword")
	w.Segment = 3
	w.fighter("ann").LastAction = 1
	r := ruleset(t)
	f := r.Forecast(r.See(w, "ann"), plan(t, strike), nil)
	got := map[string]string{}
	for _, l := range f.Lines {
		got[l.Label] = l.Value
	}
	for label, want := range map[string]string{
		"Ready with the long sword": "segment 8", "Ready to dodge": "segment 5",
		"Chance with the long sword, before adjustments": "85% when ready; 75, 55, 25 when 1, 2, 3 segments early; 135 when set for 5",
	} {
		if got[label] != want {
			t.Errorf("%s: %q, want %q", label, got[label], want)
		}
	}
}

// TestForecastTellsTheRange of a shot at somebody in sight, and of nobody else.
func TestForecastTellsTheRange(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3", "weapon=luger"), who("zog", "b", "W3"), who("far", "b", "CB3"), who("spy", "b", "M4")))
	w.fighter("spy").SeenBy = &[]game.ID{}
	r := ruleset(t)
	for target, want := range map[string]string{"zog": "Range to Zog, about 20 yd: +10", "far": "Range to Far, about 77 yd: -20", "spy": ""} {
		got := ""
		for _, l := range r.Forecast(r.See(w, "ann"), plan(t, `{"steps": [{"verb": "fire", "weapon": "ann-luger", "target": "`+target+`"}]}`), nil).Lines {
			if strings.HasPrefix(l.Label, "Range") {
				got = l.Label + ": " + l.Value
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// TestSeeKeepsTheHidden out of the view of who does not see him, and shows allies
// and the state of others without figures.
func TestSeeKeepsTheHidden(t *testing.T) {
	t.Parallel()
	w := world(t, field(nil, who("ann", "a", "C3"), who("bob", "a", "D9"), who("zog", "b", "M3", "hp=20", "weapon=luger"), who("spy", "b", "M4")))
	w.fighter("spy").SeenBy, w.fighter("bob").SeenBy = &[]game.ID{"zog"}, &[]game.ID{}
	w.fighter("zog").HP = 5
	v := ruleset(t).See(w, "ann")
	got := map[game.ID]game.Sight{}
	for _, o := range v.Others {
		got[o.ID] = o
	}
	if _, ok := got["spy"]; ok || len(got) != 2 || got["bob"].InSight || !got["zog"].InSight {
		t.Errorf("%+v", v.Others)
	}
	if z := got["zog"]; z.Holding != "luger" || len(z.Status) != 1 || z.Status[0] != "wounded" || z.Distance != 9 {
		t.Errorf("%+v", z)
	}
	if gm := ruleset(t).See(w, game.GM); len(gm.Others) != 4 {
		t.Errorf("the GM sees %d", len(gm.Others))
	}
}
