package scenario

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Limits of a file.
const (
	maxGrid       = 200 // squares each way
	maxRounds     = 20
	maxCombatants = 200
)

// encounter reads what game files, scenario files and scenes share: the map
// and who stands on it.
type encounter struct {
	*faults
	out   game.Scenario
	words words
	ids   map[game.ID]string // what has an id, and what it is
	lines map[game.ID]int    // where a combatant's place is written
}

// words are the keys that are called differently in scenes.
type words struct {
	player, place string
	strict        bool // a scene's own keys only; game files leave the rest to the ruleset
}

func (f *faults) encounter(w words) *encounter {
	return &encounter{faults: f, words: w, ids: map[game.ID]string{}, lines: map[game.ID]int{}, out: game.Scenario{File: f.file}}
}

// claim notes an id; two things may not share one.
func (e *encounter) claim(t *table, key string, id game.ID, what string) {
	if id == "" {
		return
	}
	if id == game.GM {
		t.wrong(key, "%q means the game master; take another id", id)
	}
	if other, ok := e.ids[id]; ok {
		t.wrong(key, "%q is already the id of a %s; take another", id, other)
		return
	}
	e.ids[id] = what
}

// ground reads the size of the map: scale_m, units, grid.
func (e *encounter) ground(t *table) {
	e.out.Scale = game.Distance{Tenths: 20, Unit: "m"}
	if n := t.get("scale_m"); n != nil {
		num, _ := n.scalar.(json.Number)
		d, ok := scale(num.String())
		if !ok {
			t.wrong("scale_m", "%s is not the length of a square in metres: a multiple of 0.1, of a yard (0.9144) or of a foot (0.3048), at most 100", n.text())
		} else {
			e.out.Scale = d
		}
	}
	e.out.Units = t.word("units", "m", "yd", "ft")
	grid := t.sub("grid")
	if t.get("grid") == nil {
		t.wrong("grid", "it is missing: { width = 20, height = 14 }, in squares")
	} else {
		e.out.Width = grid.number("width", 1, maxGrid, 0)
		e.out.Height = grid.number("height", 1, maxGrid, 0)
		for _, key := range []string{"width", "height"} {
			if grid.get(key) == nil {
				grid.wrong(key, "it is missing: the number of squares, 1 to %d", maxGrid)
			}
		}
		grid.done()
	}
}

// scale reads metres a square, exactly: whole tenths of a metre, yards or feet.
func scale(s string) (game.Distance, bool) {
	whole, frac, _ := strings.Cut(s, ".")
	if len(frac) > 4 || len(whole) > 3 {
		return game.Distance{}, false
	}
	n, err := strconv.Atoi(whole + frac + strings.Repeat("0", 4-len(frac))) // tenths of a millimetre
	if err != nil || n <= 0 || n > 100_0000 {
		return game.Distance{}, false
	}
	for _, unit := range []struct {
		name   string
		length int // in tenths of a millimetre
	}{{"m", 10_000}, {"yd", 9144}, {"ft", 3048}} {
		if n*10%unit.length == 0 {
			return game.Distance{Tenths: n * 10 / unit.length, Unit: unit.name}, true
		}
	}
	return game.Distance{}, false
}

// squares reads a place: "E4", [4, 3], or a block "E4:G6".
func (e *encounter) squares(t *table, key string, n *node) []game.Square {
	from, to, ok := square(n)
	switch {
	case !ok:
		t.add(n.line, t.at(key), `%s is not a square; write "E4" or [4, 3]`, n.text())
	case !e.inside(from) || !e.inside(to):
		if e.out.Width > 0 && e.out.Height > 0 {
			last := game.Square{X: e.out.Width - 1, Y: e.out.Height - 1}
			t.add(n.line, t.at(key), "%s is outside of the map, which goes from A1 to %s", n.text(), last)
		}
	default:
		var out []game.Square
		for y := from.Y; y <= to.Y; y++ {
			for x := from.X; x <= to.X; x++ {
				out = append(out, game.Square{X: x, Y: y})
			}
		}
		return out
	}
	return nil
}

func square(n *node) (from, to game.Square, ok bool) {
	if n.kind == isList && len(n.items) == 2 {
		x, okX := n.items[0].whole()
		y, okY := n.items[1].whole()
		return game.Square{X: x, Y: y}, game.Square{X: x, Y: y}, okX && okY
	}
	name, _ := n.scalar.(string)
	first, second, block := strings.Cut(name, ":")
	from, ok = game.ParseSquare(first)
	if !block {
		return from, from, ok
	}
	to, ok2 := game.ParseSquare(second)
	return from, to, ok && ok2 && from.X <= to.X && from.Y <= to.Y
}

func (e *encounter) inside(s game.Square) bool {
	return s.X >= 0 && s.Y >= 0 && s.X < e.out.Width && s.Y < e.out.Height
}

var facings = []string{"", "N", "NE", "E", "SE", "S", "SW", "W", "NW"}

var postures = []string{"stand", "crouch", "kneel", "prone"}

// combatant reads one figure.
func (e *encounter) combatant(t *table) {
	c := game.Combatant{
		ID: t.id("id"), Name: t.text("name"), Side: t.id("side"), Player: t.id(e.words.player),
		Race: t.text("race"), Description: t.text("description"), Posture: t.word("posture", postures...), Line: t.node.line,
	}
	switch {
	case t.get("id") == nil:
		t.wrong("id", "it is missing: a short id, such as bobo")
	case c.Name == "":
		c.Name = strings.ToUpper(string(c.ID[:min(1, len(c.ID))])) + plain(string(c.ID[min(1, len(c.ID)):]))
	}
	if t.get("side") == nil {
		t.wrong("side", "it is missing: who fights together, such as heroes")
	}
	if n := t.get(e.words.place); n == nil {
		t.wrong(e.words.place, `it is missing: the square, "E4" or [4, 3]`)
	} else if at := e.squares(t, e.words.place, n); len(at) > 1 {
		t.wrong(e.words.place, "a combatant stands on one square")
	} else if len(at) == 1 {
		c.Place = at[0]
		e.lines[c.ID] = n.line
	}
	c.Status = t.texts("status")
	e.visibleTo(t, &c)
	c.Weapons = e.gear(t, "weapon", "weapons", c.ID)
	c.Items = e.gear(t, "item", "items", c.ID)
	if e.words.strict {
		c.Values = appendSkills(t)
		t.done()
	} else {
		c.Facing = t.word("facing", facings...)
		c.Policy = t.text("policy")
		c.Values = t.values()
	}
	e.claim(t, "id", c.ID, "combatant")
	e.out.Combatants = append(e.out.Combatants, c)
}

func appendSkills(t *table) []game.Value {
	if n := t.get("skills"); n != nil {
		return appendValues(nil, "skills", t.sub("skills").node)
	}
	return nil
}

// visibleTo reads "all", "none" or a list of those who see him. Without it, who
// has a line of sight does.
func (e *encounter) visibleTo(t *table, c *game.Combatant) {
	n := t.get("visible_to")
	switch {
	case n == nil:
	case n.scalar == "all":
		c.VisibleAll = true
	case n.scalar == "none":
		c.Hidden = []game.ID{}
	case n.kind == isList:
		c.Hidden = []game.ID{}
		for _, s := range t.texts("visible_to") {
			c.Hidden = append(c.Hidden, game.ID(s))
		}
	default:
		t.wrong("visible_to", `%s is neither "all", "none" nor a list of ids`, n.text())
	}
}

// gear reads the weapons or items of a combatant. In TOML they are called by
// one name ([[combatant.weapon]]), in scenes by the other.
func (e *encounter) gear(t *table, toml, scene string, owner game.ID) []game.Gear {
	key := toml
	if e.words.strict {
		key = scene
	}
	var out []game.Gear
	for _, g := range t.tables(key) {
		w := game.Gear{ID: g.id("id"), Kind: g.text("kind"), Name: g.text("name"), Line: g.node.line}
		if g.get("kind") == nil {
			g.wrong("kind", "it is missing: what the %s is, such as laser_pistol", toml)
			continue
		}
		if w.Name == "" {
			w.Name = plain(w.Kind)
		}
		if w.ID == "" && g.get("id") == nil && owner != "" {
			w.ID = e.free(string(owner) + "-" + strings.ReplaceAll(w.Kind, "_", "-"))
		}
		w.Values = g.values()
		e.claim(g, "id", w.ID, toml)
		out = append(out, w)
	}
	return out
}

// free is the id itself, or with the first number that makes it new.
func (e *encounter) free(id string) game.ID {
	out := game.ID(id)
	for n := 2; e.ids[out] != ""; n++ {
		out = game.ID(id + "-" + strconv.Itoa(n))
	}
	return out
}

// plain writes a kind as words: laser_pistol becomes "laser pistol".
func plain(kind string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(kind)
}

// check says what is wrong between the parts.
func (e *encounter) check(t *table, key string) {
	if len(e.out.Combatants) == 0 {
		t.wrong(key, "there is no combatant")
	}
	if len(e.out.Combatants) > maxCombatants {
		t.wrong(key, "there are more than %d combatants", maxCombatants)
	}
	for i, c := range e.out.Combatants {
		line, at := e.lines[c.ID], "combatant["+string(c.ID)+"]"
		for _, id := range c.Hidden {
			if e.ids[id] != "combatant" {
				e.add(c.Line, at+".visible_to", "there is no combatant %q", id)
			}
		}
		if line == 0 {
			continue // its place is wrong, and was told
		}
		for _, f := range e.out.Features {
			if f.Opaque && slices.Contains(f.Squares, c.Place) {
				e.add(line, at+"."+e.words.place, "nobody can stand on %s: the %s %s fills it", c.Place, f.Kind, f.ID)
			}
		}
		for _, other := range e.out.Combatants[:i] {
			if other.Place == c.Place && e.lines[other.ID] > 0 && e.out.Scale.Millimetres(0) <= 2000 && !e.words.strict {
				e.add(line, at+"."+e.words.place, "%s stands on %s already; a square of this size holds one", other.ID, c.Place)
			}
		}
	}
}

// groups reads the [[group]]s of the GM's combatants.
func (e *encounter) groups(t *table) {
	in := map[game.ID]game.ID{}
	for _, g := range t.tables("group") {
		group := game.Group{ID: g.id("id")}
		if g.get("id") == nil {
			g.wrong("id", "it is missing: the group's id, such as gang")
		}
		for _, s := range g.texts("members") {
			id := game.ID(s)
			switch {
			case e.ids[id] != "combatant":
				g.wrong("members", "there is no combatant %q", s)
			case in[id] != "":
				g.wrong("members", "%s is in the group %s already", s, in[id])
			default:
				in[id] = group.ID
				group.Members = append(group.Members, id)
			}
		}
		if len(g.list("members")) == 0 {
			g.wrong("members", "it is empty: the ids of the combatants in it")
		}
		g.done()
		e.claim(g, "id", group.ID, "group")
		e.out.Groups = append(e.out.Groups, group)
	}
	for _, c := range e.out.Combatants {
		if c.Player != "" && in[c.ID] != "" {
			e.add(c.Line, "combatant["+string(c.ID)+"].player", "%s is in the group %s of the GM, and cannot be ordered by a player as well", c.ID, in[c.ID])
		}
	}
}
