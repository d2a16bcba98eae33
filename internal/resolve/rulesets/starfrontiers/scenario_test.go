package starfrontiers

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func ruleset(t testing.TB) *Ruleset {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// who is one combatant of a test: an id, a side and key=value words. Keys with
// a capital are figures of the sheet; weapon=kind:state:key=value adds a weapon.
func who(id, side, at string, words ...string) game.Combatant {
	sq, _ := game.ParseSquare(at)
	c := game.Combatant{ID: game.ID(id), Name: strings.ToUpper(id[:1]) + id[1:], Side: game.ID(side), Race: "Human", Place: sq, Player: game.ID("player-" + id)}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "race":
			c.Race = v
		case "facing":
			c.Facing = v
		case "posture":
			c.Posture = v
		case "policy":
			c.Policy = v
		case "gm":
			c.Player = ""
		case "exposed":
			c.VisibleAll = true
		case "status":
			c.Status = append(c.Status, v)
		case "hidden":
			c.Hidden = []game.ID{}
			for _, id := range strings.Split(v, ",") {
				if id != "" {
					c.Hidden = append(c.Hidden, game.ID(id))
				}
			}
		case "weapon":
			parts := strings.Split(v, ":")
			g := game.Gear{ID: game.ID(id + "-" + parts[0]), Kind: parts[0], Name: strings.ReplaceAll(parts[0], "_", " ")}
			for _, p := range parts[1:] {
				k, v, ok := strings.Cut(p, "=")
				if !ok {
					k, v = "state", p
				}
				g.Values = append(g.Values, game.Value{Key: k, Raw: raw(v)})
			}
			c.Weapons = append(c.Weapons, g)
		case "item":
			parts := strings.Split(v, ":")
			g := game.Gear{ID: game.ID(id + "-" + parts[0]), Kind: parts[0], Name: strings.ReplaceAll(parts[0], "_", " ")}
			for _, p := range parts[1:] {
				k, v, ok := strings.Cut(p, "=")
				if !ok {
					k, v = "state", p
				}
				g.Values = append(g.Values, game.Value{Key: k, Raw: raw(v)})
			}
			c.Items = append(c.Items, g)
		case "clip":
			c.Items = append(c.Items, game.Gear{ID: game.ID(id + "-clip"), Kind: v, Name: v, Values: []game.Value{{Key: "count", Raw: raw("2")}}})
		default:
			c.Values = append(c.Values, game.Value{Key: k, Raw: raw(v)})
		}
	}
	return c
}

func raw(v string) json.RawMessage {
	if _, err := strconv.Atoi(v); err == nil || v == "true" || v == "false" {
		return json.RawMessage(v)
	}
	return json.RawMessage(strconv.Quote(v))
}

func battlefield(metres int, cs ...game.Combatant) game.Scenario {
	return game.Scenario{
		File: "test", Title: "Test", System: Name, Scale: game.Distance{Tenths: metres * 10, Unit: "m"},
		Units: "m", Width: 40, Height: 20, Turn: 1, Combatants: cs,
	}
}

func set(s game.Scenario, pairs ...string) game.Scenario {
	for _, p := range pairs {
		k, v, _ := strings.Cut(p, "=")
		s.Settings = append(s.Settings, game.Value{Key: k, Raw: raw(v)})
	}
	return s
}

func world(t testing.TB, s game.Scenario) *World {
	t.Helper()
	w, faults := ruleset(t).Setup(s)
	if len(faults) > 0 {
		t.Fatalf("setup: %v", faults)
	}
	return w.(*World)
}

// run resolves one turn; dice are scripts of "kind/who" or whole names.
func run(t testing.TB, w *World, plans map[game.ID]string, dice map[string][]int, rulings ...game.Ruling) resolve.Outcome {
	t.Helper()
	in := input(t, w, plans, dice)
	in.Rulings = rulings
	return ruleset(t).Resolve(in)
}

func input(t testing.TB, w *World, plans map[game.ID]string, scripts map[string][]int) resolve.Input {
	t.Helper()
	in := resolve.Input{World: w, Turn: w.Turn, Rounds: 1, Dice: dice.NewScripted(scripts, dice.Constant(50))}
	for _, f := range w.Fighters {
		text, ok := plans[f.ID]
		if !ok {
			text = `{"steps": [{"verb": "wait"}]}`
		}
		in.Orders = append(in.Orders, game.Orders{Combatant: f.ID, Plan: plan(t, text), Source: "player"})
	}
	return in
}

func plan(t testing.TB, text string) game.Plan {
	t.Helper()
	var p game.Plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("plan %s: %v", text, err)
	}
	return p
}

// story writes the events that matter, one a line: at ref outcome and numbers.
func story(out resolve.Outcome) string {
	var b strings.Builder
	for _, ev := range out.Events {
		switch ev.Kind {
		case "initiative", "tie", "hold":
			continue
		}
		fmt.Fprintf(&b, "%d %s %s", ev.At, ev.Ref, ev.Outcome)
		if ev.Reason != "" {
			fmt.Fprintf(&b, " (%s)", ev.Reason)
		}
		if _, ok := ev.Numbers["chance"]; ok {
			fmt.Fprintf(&b, " %d/%d", ev.Numbers["roll"], ev.Numbers["chance"])
		}
		if d, ok := ev.Numbers["damage"]; ok {
			fmt.Fprintf(&b, " damage %d", d)
		}
		for _, c := range ev.Changes {
			if c.Field == "AT" || c.Field == "STA" {
				fmt.Fprintf(&b, " %s %s>%s", c.Field, c.From, c.To)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func event(t testing.TB, out resolve.Outcome, ref string) game.Event {
	t.Helper()
	for _, ev := range out.Events {
		if ev.Ref == ref {
			return ev
		}
	}
	t.Fatalf("no event %s in\n%s", ref, story(out))
	return game.Event{}
}
