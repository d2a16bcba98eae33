package starfrontiers

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// grenadeTables is grenades.toml (10).
type grenadeTables struct {
	Grenade []grenadeRow `toml:"grenade"`
	Blast   struct {
		Radius     int            `toml:"radius_m"`
		FuseMax    int            `toml:"fuse_max"`
		Lob        int            `toml:"lob"`
		Scatter    map[string]int `toml:"scatter"`
		Unverified []string       `toml:"unverified"`
	} `toml:"blast"`
	Cloud struct {
		Radius int `toml:"radius_m"`
		Grow   int `toml:"grow_m"`
		Grows  int `toml:"grow_rounds"`
		Rounds int `toml:"rounds"`
		Hides  int `toml:"hides_m"`
	} `toml:"cloud"`
}

// grenadeRow is one row of 10.3.
type grenadeRow struct {
	ID     game.ID  `toml:"id"`
	Name   string   `toml:"name"`
	Words  []string `toml:"words"`
	Type   string   `toml:"type"`
	Class  string   `toml:"class"`
	Damage string   `toml:"damage"`
	Avoid  string   `toml:"avoid"`
	Half   bool     `toml:"half"`
	Stun   bool     `toml:"stun"`
	Effect struct {
		Kind   string `toml:"kind"`
		Turns  string `toml:"turns"`
		Wait   int    `toml:"wait"`
		Points int    `toml:"points"`
		Dice   string `toml:"dice"`
		Mod    int    `toml:"mod"`
		Check  int    `toml:"check"`
		Heal   string `toml:"heal"`
	} `toml:"effect"`
	Cloud      bool     `toml:"cloud"`
	Look       string   `toml:"look"` // begins what is told of a victim
	Trade      trade    `toml:"trade"`
	Source     string   `toml:"source"`
	Unverified []string `toml:"unverified"`

	damage, turns resolve.Notation
}

// validate names what is wrong in grenades.toml, and reads the dice.
func (t *grenadeTables) validate(bad func(file, key, text string, args ...any)) {
	const file = "grenades.toml"
	if t.Blast.Radius < 1 || t.Blast.FuseMax < 1 || t.Cloud.Radius < 1 || t.Cloud.Grow < 0 || t.Cloud.Grows < 0 || t.Cloud.Rounds < 1 || t.Cloud.Hides < 1 || len(t.Grenade) == 0 {
		bad(file, "", "a figure of blast or cloud is missing")
	}
	for _, b := range bands {
		if t.Blast.Scatter[b] < 1 {
			bad(file, "blast.scatter."+b, "is missing")
		}
	}
	for i := range t.Grenade {
		g := &t.Grenade[i]
		key := "grenade." + string(g.ID)
		if g.ID == "" || g.Name == "" || g.Look == "" || !slices.Contains(attackTypes, g.Type) || !slices.Contains(damageClasses, g.Class) || !slices.Contains([]string{"", "rs", "sta"}, g.Avoid) || !g.Trade.ok() {
			bad(file, key, "needs an id, a name, a look, a type of attack, a damage class and a check to avoid it or none")
		}
		var err error
		if g.damage, err = resolve.ParseNotation(g.Damage); g.Damage != "" && err != nil {
			bad(file, key+".damage", "%v", err)
		}
		if g.Effect.Kind == "" {
			continue
		}
		if g.turns, err = resolve.ParseNotation(g.Effect.Turns); err != nil || !slices.Contains(effectKinds, g.Effect.Kind) || g.Effect.Kind == "burning" && g.turns.N > 0 {
			bad(file, key+".effect", "needs an effect that there is, and its turns; those of burning are fixed")
		}
		if _, err := resolve.ParseNotation(g.Effect.Dice); g.Effect.Dice != "" && err != nil {
			bad(file, key+".effect.dice", "%v", err)
		}
	}
}

// effect is what the grenade leaves behind on somebody, but for turns that are
// rolled for each victim.
func (g *grenadeRow) effect() *Effect {
	x := g.Effect
	if x.Kind == "" {
		return nil
	}
	return &Effect{Kind: x.Kind, Turns: g.turns.Plus, Wait: x.Wait, Points: x.Points, Dice: x.Dice, Mod: x.Mod, Check: x.Check, Heal: x.Heal}
}

// shellKinds are the kinds of items that burst: those that are thrown, and those
// that are launched.
var shellKinds = []string{"grenade", "shell", "rocket"}

// grenade finds what kind of grenade or shell an item is; nil: none.
func (t *tables) grenade(it *Item) *grenadeRow {
	if it == nil {
		return nil
	}
	for i := range t.Grenade {
		row := &t.Grenade[i]
		id := string(row.ID)
		if slices.ContainsFunc(shellKinds, func(kind string) bool { return it.Kind == id+"_"+kind }) ||
			slices.Contains(shellKinds, it.Kind) && (it.Note == id || slices.Contains(row.Words, it.Note)) {
			return row
		}
	}
	for i := range t.Grenade {
		row := &t.Grenade[i]
		if slices.Contains(shellKinds, it.Kind) && it.Note == "" && slices.ContainsFunc(resolve.Words(it.Name), func(w string) bool { return slices.Contains(row.Words, w) }) {
			return row
		}
	}
	return nil
}

// grenadeRow finds a row by its id.
func (t *tables) grenadeRow(id game.ID) *grenadeRow {
	for i := range t.Grenade {
		if t.Grenade[i].ID == id {
			return &t.Grenade[i]
		}
	}
	return nil
}

// thrown reports an item that is thrown by hand, and not launched.
func (it *Item) thrown() bool { return it.Kind == "grenade" || strings.HasSuffix(it.Kind, "_grenade") }

// Charge is a grenade that lies somewhere and will burst.
type Charge struct {
	Ref    string      `json:"ref"` // of the throw; its dice are named by it
	Kind   game.ID     `json:"kind"`
	Name   string      `json:"name"`
	By     game.ID     `json:"by"` // who threw it last
	At     game.Square `json:"at"`
	Bursts int64       `json:"bursts"`          // rounds played at whose end it does
	Twice  bool        `json:"twice,omitempty"` // whoever is in its square takes double (grenade_crits)
}

// Cloud is smoke that hangs somewhere.
type Cloud struct {
	At     game.Square `json:"at"`
	Metres int         `json:"metres"` // its radius now
	Grows  int         `json:"grows"`  // rounds in which it still grows
	Rounds int         `json:"rounds"` // to go
}

// smokeKind is the kind of a feature that is smoke.
const smokeKind = "smoke"

// maxThings bounds the clouds and the grenades that lie about.
const maxThings = 50

// things are the smoke that hangs over the map and the grenades that lie there,
// as features.
func (w *World) things() []game.Feature {
	if len(w.Clouds)+len(w.Charges) == 0 {
		return nil
	}
	var out []game.Feature
	solid := newGrid(w.Features, w.Width, w.Height, w.ScaleMM)
	for _, c := range w.Clouds {
		out = append(out, game.Feature{
			ID: nameless("smoke", c.At, w.Features, out), Name: "smoke at " + c.At.String(), Kind: smokeKind,
			Squares: solid.around(c.At, c.Metres), Cover: "soft",
		})
	}
	for _, c := range w.Charges {
		out = append(out, game.Feature{
			ID: nameless("grenade", c.At, w.Features, out), Name: c.Name + " at " + c.At.String(), Kind: "grenade", Squares: []game.Square{c.At},
		})
	}
	return out
}

// nameless makes an id by where a thing is, so that it tells of no other thing.
func nameless(kind string, at game.Square, taken ...[]game.Feature) game.ID {
	id := game.ID(kind + "-" + strings.ToLower(at.String()))
	same := func(f game.Feature) bool { return f.ID == id }
	for n := 2; slices.ContainsFunc(taken, func(list []game.Feature) bool { return slices.ContainsFunc(list, same) }); n++ {
		id = game.ID(kind + "-" + strings.ToLower(at.String()) + "-" + itoa(n))
	}
	return id
}

// charge finds a grenade that lies about by the id of its feature.
func (e *engine) charge(id game.ID) *Charge {
	for i := range e.w.Charges {
		if e.things[len(e.w.Clouds)+i].ID == id {
			return &e.w.Charges[i]
		}
	}
	return nil
}

// noticed are those things that somebody has before his eyes.
func (w *World) noticed(t *tables, g *grid, viewer *Fighter, things []game.Feature) []game.Feature {
	var out []game.Feature
	for _, f := range things {
		small := f.Kind != smokeKind && g.metres(viewer.Place, f.Squares[0]) > t.Senses.Details
		if !small && w.notices(t, g, viewer, f) {
			out = append(out, f)
		}
	}
	return out
}

// around lists the squares within so many metres of one that smoke creeps to
// without passing anything solid, row by row.
func (g *grid) around(at game.Square, metres int) []game.Square {
	in := map[game.Square]bool{at: true}
	for todo := []game.Square{at}; len(todo) > 0; todo = todo[1:] {
		for d := resolve.North; d <= resolve.NorthWest; d += 2 {
			n := step(todo[0], d)
			if !in[n] && g.inside(n) && !g.opaque(n) && g.metres(at, n) <= metres {
				in[n] = true
				todo = append(todo, n)
			}
		}
	}
	var out []game.Square
	r := metres*1000/g.scaleMM + 1
	for y := max(at.Y-r, 0); y <= min(at.Y+r, g.height-1); y++ {
		for x := max(at.X-r, 0); x <= min(at.X+r, g.width-1); x++ {
			if s := (game.Square{X: x, Y: y}); in[s] {
				out = append(out, s)
			}
		}
	}
	return out
}

// seesSmoke reports somebody who sees through smoke (10.3).
func (f *Fighter) seesSmoke(t *tables) bool {
	return slices.ContainsFunc(f.Items, func(it Item) bool {
		row := t.defence(it.Kind, it.Name)
		return row != nil && row.SeesSmoke && it.protects(row)
	})
}
