package eternalsoldier

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
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

// who is a combatant: keys of a sheet, and weapons as "weapon=kind" or
// "weapon=kind:state", with further keys of a weapon behind commas.
func who(id game.ID, side game.ID, at string, keys ...string) game.Combatant {
	s, ok := game.ParseSquare(at)
	if !ok {
		panic("no square " + at)
	}
	c := game.Combatant{ID: id, Name: strings.ToUpper(string(id[:1])) + string(id[1:]), Side: side, Player: "player-" + id, Place: s}
	for _, k := range keys {
		key, value, _ := strings.Cut(k, "=")
		switch key {
		case "weapon", "item":
			parts := strings.Split(value, ",")
			kind, state, _ := strings.Cut(parts[0], ":")
			g := game.Gear{ID: id + "-" + game.ID(kind), Kind: kind, Name: strings.ReplaceAll(kind, "_", " ")}
			if state != "" {
				g.Values = append(g.Values, raw("state", state))
			}
			for _, p := range parts[1:] {
				k, v, _ := strings.Cut(p, ":")
				g.Values = append(g.Values, raw(k, v))
			}
			if key == "item" {
				c.Items = append(c.Items, g)
			} else {
				c.Weapons = append(c.Weapons, g)
			}
		case "facing":
			c.Facing = value
		case "posture":
			c.Posture = value
		case "status":
			c.Status = append(c.Status, value)
		case "policy":
			c.Policy = value
		case "player":
			c.Player = game.ID(value)
		default:
			c.Values = append(c.Values, raw(key, value))
		}
	}
	return c
}

// raw is a value of a file: a number, true or false, or else a text.
func raw(key, value string) game.Value {
	if json.Valid([]byte(value)) {
		return game.Value{Key: key, Raw: json.RawMessage(value)}
	}
	b, _ := json.Marshal(value)
	return game.Value{Key: key, Raw: b}
}

// field is a map in squares of a yard.
func field(settings []string, people ...game.Combatant) game.Scenario {
	s := game.Scenario{File: "test", System: Name, Scale: game.Distance{Tenths: 10, Unit: "yd"}, Units: "yd", Width: 80, Height: 20, Combatants: people}
	for _, k := range settings {
		key, value, _ := strings.Cut(k, "=")
		s.Settings = append(s.Settings, raw(key, value))
	}
	return s
}

func world(t testing.TB, s game.Scenario) *World {
	t.Helper()
	w, faults := ruleset(t).setup(s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return w
}

func plan(t testing.TB, text string) game.Plan {
	t.Helper()
	var p game.Plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// bout is a fight carried out in windows of some segments.
type bout struct {
	rules
	events    []game.Event
	inquiries []game.Inquiry
	after     map[int]*World // by segment, where windows end
	out       resolve.Outcome
}

// fought plays n segments in windows of so many, with these plans at the start.
func fought(t testing.TB, w *World, window, n int, plans map[game.ID]string, source dice.Source, rulings ...game.Ruling) *bout {
	t.Helper()
	r := ruleset(t)
	b := &bout{rules: rules{r.t, w.Settings}, after: map[int]*World{}}
	w = resolve.Copy(w)
	was := w.Settings["segments_per_turn"]
	var orders []game.Orders
	for _, f := range w.Fighters {
		if p, ok := plans[f.ID]; ok {
			orders = append(orders, game.Orders{Combatant: f.ID, Plan: plan(t, p), Source: "player"})
		}
	}
	for end := w.Segment + n; w.Segment < end; {
		w.Settings["segments_per_turn"] = fmt.Sprint(min(window, end-w.Segment))
		b.out = r.resolve(w, resolve.Input{World: w, Turn: 1, Rounds: 1, Orders: orders, Dice: source, Rulings: rulings})
		orders = nil
		w = b.out.World.(*World)
		b.events = append(b.events, b.out.Events...)
		b.inquiries = append(b.inquiries, b.out.Inquiries...)
		b.after[w.Segment-1] = w
		if b.out.Done {
			break
		}
	}
	w.Settings["segments_per_turn"] = was
	return b
}

// event finds an event by its ref.
func (b *bout) event(t testing.TB, ref string) game.Event {
	t.Helper()
	for _, ev := range b.events {
		if ev.Ref == ref {
			return ev
		}
	}
	t.Fatalf("there is no event %s; there are %s", ref, b.refs())
	return game.Event{}
}

func (b *bout) refs() string {
	var out []string
	for _, ev := range b.events {
		out = append(out, ev.Ref)
	}
	return strings.Join(out, " ")
}

// ready is when somebody is ready with a weapon, after a segment.
func (b *bout) ready(t testing.TB, segment int, id, weapon game.ID) int {
	t.Helper()
	w := b.after[segment]
	if w == nil {
		t.Fatalf("segment %d was not the last of a window", segment)
	}
	f := w.fighter(id)
	a, ok := b.arm(f, weapon, true)
	if !ok {
		t.Fatalf("%s has no %s", id, weapon)
	}
	return b.readyWith(f, a, segment)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// named gives every die a value that follows from its name and a seed.
type named uint64

func (n named) Roll(name string, sides int) game.Die {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", uint64(n), name, sides)
	return game.Die{Name: name, Sides: sides, Value: int(h.Sum64()>>11%uint64(sides)) + 1, Source: dice.FromScript}
}
