package eternalsoldier

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// stateWords are where a weapon may be; all but the first and the last are
// places to draw it from.
var stateWords = []string{"in_hand", "stowed", "holstered", "slung", "sheathed", "belt", "boot", "bandolier", "mounted", "on_ground"}

func (b *builder) weaponOf(g game.Gear, f *Fighter) Weapon {
	at := "weapon[" + string(g.ID) + "]"
	row, shield := b.weapon(game.ID(g.Kind)), b.shield(game.ID(g.Kind))
	if row == nil && shield == nil {
		var ids []string
		for _, w := range b.weapons {
			ids = append(ids, string(w.ID))
		}
		for _, s := range b.shields {
			ids = append(ids, string(s.ID))
		}
		slices.Sort(ids)
		b.fault(g.Line, at+".kind", "%q is not a weapon; known are %s", g.Kind, strings.Join(ids, ", "))
		return Weapon{ID: g.ID}
	}
	w := Weapon{ID: g.ID, Kind: game.ID(g.Kind), Name: g.Name, State: "in_hand"}
	if w.Name == "" && row != nil {
		w.Name = row.Name
	} else if w.Name == "" {
		w.Name = shield.Name
	}
	if row != nil && row.Rounds > 0 && row.Missile != "thrown" {
		w.Full = row.Rounds
		if row.Rounds > 1 {
			w.Left = row.Rounds // a bow is not nocked until the sheet says so
		}
	}
	poised := true
	for _, v := range g.Values {
		k := b.keyed(at, v)
		switch v.Key {
		case "state":
			k.Word(&w.State, stateWords...)
		case "hand":
			word := ""
			k.Word(&word, "right", "left", "both", "main", "off")
			w.Hand = handOf(word, f.LeftHanded)
		case "speed_class":
			readClass(k, &w.Speed)
		case "draw_class":
			readClass(k, &w.Draw)
		case "reload_class":
			readClass(k, &w.Reload)
		case "auto_per_segment":
			k.Number(&w.Auto, 1, 50)
		case "rounds":
			k.Number(&w.Left, 0, 1000)
			w.Full = max(w.Full, w.Left)
		case "loaded":
			var loaded bool
			k.Truth(&loaded)
			if w.Left = 0; loaded {
				w.Left = w.Full
			}
		case "range_modifier":
			n := 0
			k.Number(&n, -200, 200)
			w.RangeMod = &n
		case "sight":
			k.Number(&w.Sight, 0, 100)
		case "poison":
			k.Word(&w.Poison, b.poisonIDs()...)
		case "armor_piercing":
			k.Truth(&w.Piercing)
		case "poised":
			k.Truth(&poised)
		case "two_handed", "modes", "mode", "barrels", "scope", "rate": // the table holds them
		default:
			k.Fault("is not a key of a weapon; known are state, hand, speed_class, draw_class, reload_class, auto_per_segment, rounds, loaded, range_modifier, sight, armor_piercing, poison and poised")
		}
	}
	switch {
	case w.State == "on_ground":
		place := f.At
		w.Place = &place
	case w.State == "in_hand" && !poised:
		f.Weapons = append(f.Weapons, w)
		if a, ok := b.arm(f, w.ID, false); ok {
			f.NotBefore = max(f.NotBefore, b.segments(b.agile(f), a.speed()))
		}
		f.Weapons = f.Weapons[:len(f.Weapons)-1]
	}
	return w
}

// poisonIDs are the types of poison of this game.
func (t *tables) poisonIDs() []string {
	var ids []string
	for _, p := range t.Poison {
		ids = append(ids, p.ID)
	}
	return ids
}

func handOf(word string, leftHanded bool) string {
	switch {
	case word == "right" && !leftHanded, word == "left" && leftHanded:
		return "main"
	case word == "right", word == "left":
		return "off"
	}
	return word
}

// readClass reads a class as a number or in Roman figures.
func readClass(k resolve.Keyed, into *int) {
	var word string
	if json.Unmarshal(k.Value.Raw, &word) != nil {
		word = string(k.Value.Raw)
	}
	n, ok := parseClass(word)
	if !ok {
		k.Fault("must be a class, I to X")
		return
	}
	*into = n
}

// hands gives what is in hand to a hand: both for what needs both, the off hand
// to a shield, the main hand to the first of the others.
func (b *builder) hands(c game.Combatant, f *Fighter) {
	taken := map[string]bool{}
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		if wp.State != "in_hand" {
			wp.Hand = ""
			continue
		}
		a, ok := b.arm(f, wp.ID, false)
		if !ok {
			continue
		}
		if a.row != nil && a.row.Hands == 2 {
			wp.Hand = "both"
		}
		if wp.Hand == "" && a.shield != nil {
			wp.Hand = "off"
		}
		if wp.Hand == "" {
			if wp.Hand = "main"; taken["main"] {
				wp.Hand = "off"
			}
		}
		both := wp.Hand == "both" && (taken["main"] || taken["off"])
		if both || taken[wp.Hand] || taken["both"] {
			b.fault(c.Line, "combatant["+string(c.ID)+"].weapon", "%s holds more than two hands can: give the %s another state", c.Name, wp.Name)
			return
		}
		taken[wp.Hand] = true
	}
}

func (b *builder) item(g game.Gear) Item {
	it := Item{ID: g.ID, Kind: g.Kind, Name: g.Name, Count: 1}
	var drug Drug
	drugs := false
	for _, v := range g.Values {
		k := b.keyed("item["+string(g.ID)+"]", v)
		switch v.Key {
		case "count":
			k.Number(&it.Count, 0, 10_000)
		case "effect", "state":
			it.Note = resolve.SettingWord(v.Raw)
		case "segments":
			k.Number(&drug.Segments, 1, 1_000_000)
			drugs = true
		case "agility":
			k.Number(&drug.Agility, -20, 20)
			drugs = true
		case "then":
			k.Word(&drug.Then, b.poisonIDs()...)
			drugs = true
		default:
			k.Fault("is not a key of an item; known are count, effect and state; of a drug also segments, agility and then")
		}
		if drugs && g.Kind != "drug" {
			k.Fault("is a key of a drug alone")
		}
	}
	if drugs {
		it.Drug = &drug
	}
	return it
}
