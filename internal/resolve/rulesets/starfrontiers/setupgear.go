package starfrontiers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func (b *builder) weapon(g game.Gear, f *Fighter) Weapon {
	at := "weapon[" + string(g.ID) + "]"
	row := b.t.weapon(game.ID(g.Kind))
	if row == nil || row.Natural {
		var ids []string
		for _, w := range b.t.weapons {
			if w.Natural {
				continue
			}
			ids = append(ids, string(w.ID))
		}
		slices.Sort(ids)
		b.fault(g.Line, at+".kind", "%q is not a weapon; known are %s", g.Kind, strings.Join(ids, ", "))
		row = &weaponRow{}
	}
	w := Weapon{
		ID: g.ID, Kind: row.ID, Name: g.Name, State: "in_hand", Dial: row.DialMin, DialMax: row.DialMax,
		Left: row.Magazine, Full: row.Magazine, Rate: row.Rate, Every: row.Every, TwoHanded: row.Hands == 2,
	}
	if row.launches() {
		w.Left = 0 // until the sheet says what is in it
	}
	if len(row.Modes) > 0 {
		w.Mode = row.Modes[0]
	}
	if len(row.Ammo) > 0 {
		w.Ammo = row.Ammo[0]
	}
	for _, v := range g.Values {
		number := b.keyed(at, v).Number
		word := b.keyed(at, v).Word
		truth := b.keyed(at, v).Truth
		switch v.Key {
		case "state":
			word(&w.State, "in_hand", "holstered", "slung", "sheathed", "belt", "boot", "bandolier", "on_ground", "mounted")
		case "hand":
			word(&w.Hand, "right", "left", "both")
		case "two_handed":
			truth(&w.TwoHanded)
		case "scope":
			truth(&w.Scope)
		case "mode":
			word(&w.Mode, row.Modes...)
		case "ammo":
			word(&w.Ammo, row.Ammo...)
		case "dial":
			number(&w.Dial, row.DialMin, max(row.DialMax, row.DialMin))
		case "dial_max":
			number(&w.DialMax, row.DialMin, max(row.DialMax, row.DialMin))
		case "seu", "rounds":
			number(&w.Left, 0, max(row.Magazine, 200))
			w.Full = max(w.Full, w.Left)
		case "rate":
			b.rate(&w, at, v)
		case "ranges":
			if json.Unmarshal(v.Raw, &w.Ranges) != nil || len(w.Ranges) != len(bands) || rangeFault(w.Ranges) != "" {
				b.fault(v.Line, at+".ranges", "needs %d rising limits in metres, 0 for a band that there is not", len(bands))
				w.Ranges = nil
			}
		case "loaded", "pack": // they name items, which fighter reads
		case "modes": // those of the table hold
		default:
			b.fault(v.Line, at+"."+v.Key, "is not a key of a weapon; known are state, hand, two_handed, mode, dial, dial_max, seu, rounds, rate, ammo, scope, loaded, ranges, pack")
		}
	}
	if w.State == "on_ground" {
		place := f.Place
		w.At = &place
	}
	return w
}

// rate reads a number of attacks a turn, or "1/2": one, then a turn of loading.
func (b *builder) rate(w *Weapon, at string, v game.Value) {
	if resolve.SettingWord(v.Raw) == "1/2" {
		w.Rate, w.Every = 1, 2
		return
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(v.Raw)))
	if err != nil || n < 1 || n > 9 {
		b.fault(v.Line, at+"."+v.Key, `must be a whole number from 1 to 9, or "1/2"`)
		return
	}
	w.Rate = n
}

func (b *builder) item(g game.Gear) Item {
	it := Item{ID: g.ID, Kind: g.Kind, Name: g.Name, Count: 1}
	row := b.t.defence(g.Kind, g.Name)
	if row != nil {
		it.State = defenceStates(row.Class)[0]
		it.Left = row.Capacity
		if row.Class == "screen" {
			it.Left = row.Pack
		}
		it.Full = it.Left
	}
	pack := b.t.pack(&it)
	if pack != nil {
		it.Left, it.Full = pack.Holds, pack.Holds
	}
	if m := b.t.treatment(g.Kind, g.Name); m != nil && m.Doses > 0 {
		it.Left, it.Full = m.Doses, m.Doses
	}
	for _, v := range g.Values {
		k := b.keyed("item["+string(g.ID)+"]", v)
		switch {
		case row != nil && v.Key == "state":
			k.Word(&it.State, defenceStates(row.Class)...)
			continue
		case v.Key == "pack" && row != nil && row.Class == "screen": // inside reads it
			continue
		case v.Key == "seu" && pack != nil:
			k.Number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
			continue
		case row != nil && (v.Key == "seu" && row.Class == "screen" || v.Key == "capacity" && row.Capacity > 0):
			k.Number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
			continue
		}
		switch v.Key {
		case "doses":
			k.Number(&it.Left, 0, 1000)
			it.Full = max(it.Full, it.Left)
		case "count":
			n, err := strconv.Atoi(strings.TrimSpace(string(v.Raw)))
			if err != nil || n < 0 || n > 1000 {
				b.fault(v.Line, "item["+string(g.ID)+"].count", "must be a whole number from 0 to 1000")
				continue
			}
			it.Count = n
		case "effect", "state":
			it.Note = resolve.SettingWord(v.Raw)
		default:
			b.fault(v.Line, "item["+string(g.ID)+"]."+v.Key, "is not a key of an item; known are count, effect and state; of a kit doses; of a power pack seu; of a screen state, seu and pack, of a suit state and capacity")
		}
	}
	return it
}

// inside reads what is in a launcher and what is plugged into a pack: both name
// items of the same sheet.
func (b *builder) inside(c game.Combatant, f *Fighter) {
	plugged := map[game.ID]string{}
	for _, g := range slices.Concat(c.Weapons, c.Items) {
		for _, v := range g.Values {
			wp, word := f.weapon(g.ID), resolve.SettingWord(v.Raw)
			switch {
			case v.Key == "pack":
				plugged[g.ID] = word
			case v.Key != "loaded" || wp == nil:
			case !b.t.weapon(wp.Kind).launches():
			default:
				row := b.t.grenade(f.item(game.ID(word)))
				if row == nil {
					row = b.t.grenadeRow(game.ID(word))
				}
				if row == nil {
					b.fault(v.Line, "weapon["+string(g.ID)+"].loaded", "%q is neither a shell of the same combatant nor a kind of grenade", word)
					continue
				}
				wp.Loaded, wp.Left = row.ID, wp.Full
			}
		}
	}
	b.cords(c.Line, f, plugged)
}

// oneOfEach: nobody wears two suits or uses two screens (14.1).
func (b *builder) oneOfEach(c game.Combatant, f *Fighter) {
	used := map[string]string{}
	for i := range f.Items {
		it := &f.Items[i]
		row := b.t.defence(it.Kind, it.Name)
		if row == nil || row.Class != "suit" && row.Class != "screen" || it.State != "worn" && it.State != "on" {
			continue
		}
		if other, ok := used[row.Class]; ok {
			b.fault(c.Line, "combatant["+string(c.ID)+"].item", "%s and %s: nobody uses two %ss at once; give one state = %q", other, it.Name, row.Class, defenceStates(row.Class)[len(defenceStates(row.Class))-1])
			return
		}
		used[row.Class] = it.Name
	}
}
