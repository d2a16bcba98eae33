package scenario

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// Scenario is a scenario file: one turn with its orders, dice and rulings, to
// be adjudicated without players, mail or database.
type Scenario struct {
	game.Scenario
	Opening string
	Orders  []Order          // in file order
	Dice    map[string][]int // scripts, as dice.NewScripted takes them
	Seed    string           // what all other dice follow from
	Rulings []Ruling
	Source  string // the whole file as it was read
	Scene   bool   // it was a JSON scene, which says who sees whom
}

// Order is what one combatant does: a text as a player would write it, or a plan.
type Order struct {
	Combatant game.ID
	Text      string
	Plan      *game.Plan
	Line      int // of the key; a text in """ begins on the next line
}

// Ruling is a ruling as the GM would write it in a letter, or taken apart. The
// text is read by whoever knows the events it may speak of.
type Ruling struct {
	Text   string // empty if Ruling is given
	Ruling game.Ruling
	Line   int
}

// defaultSeed is the seed of files that name none.
const defaultSeed = "pbemd"

// ReadScenario reads a scenario file. With faults, the scenario is nil.
func ReadScenario(file string, data []byte) (*Scenario, []game.Fault) {
	f := &faults{file: file}
	root, ok := f.readTOML(data)
	if !ok {
		return nil, f.list
	}
	t := f.table(root, "")
	e := f.encounter(words{player: "player", place: "place"})
	var g Game
	head := t.sub("game")
	if t.get("game") == nil {
		t.wrong("game", "there is no [game] with title, system and grid")
	} else {
		g.head(head, e)
		head.text("name")
		head.done()
	}
	e.figures(t)
	s := &Scenario{Opening: g.Opening, Seed: t.text("seed"), Source: string(data)}
	if s.Seed == "" {
		s.Seed = defaultSeed
	}
	s.orders(t, e)
	s.dice(t, e)
	s.rulings(t, e)
	for _, key := range []string{"player", "clock", "gm"} {
		if t.get(key) != nil {
			t.wrong(key, "a scenario file has no %s; a game file has, and is for pbemd game create", key)
		}
	}
	t.done()
	s.Scenario = e.out
	if len(f.list) > 0 {
		return nil, f.sorted()
	}
	return s, nil
}

func (s *Scenario) orders(t *table, e *encounter) {
	if t.get("orders") == nil {
		return
	}
	orders := t.sub("orders")
	for _, f := range orders.node.fields {
		id, n := game.ID(f.key), f.value
		o := Order{Combatant: id, Line: n.line}
		switch text, isText := n.scalar.(string); {
		case e.ids[id] != "combatant":
			orders.wrong(f.key, "there is no combatant %q", f.key)
		case isText:
			o.Text = text
		case n.kind == isTable:
			o.Plan = e.plan(orders.at(f.key), n)
		default:
			orders.wrong(f.key, "%s is neither a text nor a plan", n.text())
		}
		s.Orders = append(s.Orders, o)
	}
}

// plan reads a plan in the order schema's form.
func (e *encounter) plan(key string, n *node) *game.Plan {
	var p game.Plan
	d := json.NewDecoder(bytes.NewReader(n.raw()))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		e.add(n.line, key, "this is no plan: %s", strings.TrimPrefix(err.Error(), "json: "))
		return nil
	}
	return &p
}

func (s *Scenario) dice(t *table, e *encounter) {
	if t.get("dice") == nil {
		return
	}
	scripts := t.sub("dice")
	s.Dice = map[string][]int{}
	for _, f := range scripts.node.fields {
		name, ok := dice.ParseName(f.key)
		if !ok {
			kind, who, cut := strings.Cut(f.key, "/")
			if !cut || kind == "" || who == "" {
				scripts.wrong(f.key, `it is not a die; write "hit/bobo" for all of a kind in order, or a whole name such as "hit/bobo/r1.1"`)
				continue
			}
			name.Who = game.ID(who)
		}
		if !e.rolls(name.Who) {
			scripts.wrong(f.key, "there is no combatant, player or group %q", name.Who)
		}
		values := []*node{f.value}
		if f.value.kind == isList {
			values = f.value.items
		}
		for _, n := range values {
			v, ok := n.whole()
			if !ok || v < 1 || v > 1_000_000 {
				scripts.add(n.line, scripts.at(f.key), "%s is not a die's value", n.text())
				continue
			}
			s.Dice[f.key] = append(s.Dice[f.key], v)
		}
	}
}

// rolls reports whether somebody of that id may roll dice.
func (e *encounter) rolls(id game.ID) bool {
	return e.ids[id] == "combatant" || e.ids[id] == "group" || id == game.GM ||
		slices.ContainsFunc(e.out.Combatants, func(c game.Combatant) bool { return c.Player == id })
}

func (s *Scenario) rulings(t *table, e *encounter) {
	for i, r := range t.tables("ruling") {
		out := Ruling{Line: r.node.line, Text: strings.TrimSpace(r.text("line"))}
		if r.get("line") == nil {
			kinds := []string{"", string(game.RuleSet), string(game.RuleEvent), string(game.RuleDie), string(game.RuleMod), string(game.RuleNote), string(game.RuleOrders)}
			out.Ruling = game.Ruling{
				N: i + 1, Kind: game.RulingKind(r.word("kind", kinds...)), Ref: r.text("ref"), On: game.FieldKind(r.word("on", "", string(game.OfThing), string(game.OfSquare), string(game.OfTurn), string(game.OfGame))), Who: r.id("who"), Field: r.text("field"),
				Value: r.text("value"), Die: r.text("die"), Reason: r.text("reason"), Secret: r.truth("secret", false), Text: r.text("text"),
			}
			if out.Ruling.Kind == "" {
				r.wrong("kind", `it is missing; write line = "EVENT 2 HIT", or kind and its fields`)
			}
			if who := out.Ruling.Who; who != "" && out.Ruling.On == "" && e.ids[who] != "combatant" {
				r.wrong("who", "there is no combatant %q", who)
			}
		} else if out.Text == "" {
			r.wrong("line", `it is empty; write a ruling such as "EVENT 2 HIT"`)
		}
		r.done()
		s.Rulings = append(s.Rulings, out)
	}
}

// Read reads a scenario file or a JSON scene, whichever it is, as something
// that can be adjudicated: a scene has no orders, dice or rulings. A game file
// is read as a scenario file without them.
func Read(file string, data []byte) (*Scenario, []game.Fault) {
	if isJSON(file, data) {
		s, faults := ReadScene(file, data)
		if faults != nil {
			return nil, faults
		}
		return &Scenario{Scenario: *s, Seed: defaultSeed, Source: string(data), Scene: true}, nil
	}
	if isGame(data) {
		g, faults := ReadGame(file, data)
		if faults != nil {
			return nil, faults
		}
		return &Scenario{Scenario: g.Scenario, Opening: g.Opening, Seed: defaultSeed, Source: g.Source}, nil
	}
	return ReadScenario(file, data)
}

func isJSON(file string, data []byte) bool {
	return path.Ext(file) == ".json" || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// isGame tells a game file by its clock, which no scenario file has.
func isGame(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[clock]")) {
			return true
		}
	}
	return false
}
