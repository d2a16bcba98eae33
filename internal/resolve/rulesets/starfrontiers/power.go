package starfrontiers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// packRow is a power pack that is worn, and what can be plugged into it (9.1).
type packRow struct {
	ID      game.ID  `toml:"id"`
	Name    string   `toml:"name"`
	Holds   int      `toml:"holds"`
	Weapons int      `toml:"weapons"`
	Screens int      `toml:"screens"`
	Cord    int      `toml:"cord"` // rounds to plug or unplug
	Words   []string `toml:"words"`
	Trade   trade    `toml:"trade"`
	Source  string   `toml:"source"`
}

// Cord is what plugs a device into a pack, with what it held by itself.
type Cord struct {
	Pack game.ID `json:"pack"`
	Left int     `json:"left"`
	Full int     `json:"full"`
}

// pack finds the row of an item that is a power pack; nil: it is none.
func (t *tables) pack(it *Item) *packRow {
	if it == nil {
		return nil
	}
	for i := range t.packs {
		row := &t.packs[i]
		if it.Kind == string(row.ID) || it.Kind == "pack" && slices.ContainsFunc(resolve.Words(it.Name), func(w string) bool { return slices.Contains(row.Words, w) }) {
			return row
		}
	}
	return nil
}

// packFor is the pack named, or else the first one.
func (f *Fighter) packFor(t *tables, id game.ID) *Item {
	for i := range f.Items {
		if p := &f.Items[i]; t.pack(p) != nil && (id == "" || id == p.ID) {
			return p
		}
	}
	return nil
}

// consume takes so much out of a magazine, or of the pack that it is plugged
// into. A weapon that fires every other turn has to be got ready again (6.6).
func (e *engine) consume(ev *game.Event, f *Fighter, wp *Weapon, n int) {
	ev.Changes = append(ev.Changes, changed(f.ID, "AMMO", strconv.Itoa(wp.Left), strconv.Itoa(wp.Left-n)))
	wp.Left -= n
	wp.Unready = wp.Every > 1
	ev.Numbers["left"] = wp.Left
	if wp.Cord != nil {
		f.share(wp.Cord.Pack, wp.Left)
	}
}

// share tells all that is plugged into a pack what is left in it.
func (f *Fighter) share(pack game.ID, left int) {
	for i := range f.Items {
		if it := &f.Items[i]; it.ID == pack || it.Cord != nil && it.Cord.Pack == pack {
			it.Left = left
		}
	}
	for i := range f.Weapons {
		if wp := &f.Weapons[i]; wp.Cord != nil && wp.Cord.Pack == pack {
			wp.Left = left
		}
	}
}

// drained is share after a screen has used power.
func (f *Fighter) drained(it *Item) {
	if it.Cord != nil {
		f.share(it.Cord.Pack, it.Left)
	}
}

// socket tells why a device cannot be plugged into a pack; empty: it can.
func (f *Fighter) socket(t *tables, row *packRow, pack game.ID, screen bool) string {
	ports, used := row.Weapons, 0
	for i := range f.Weapons {
		if c := f.Weapons[i].Cord; c != nil && c.Pack == pack && !screen {
			used++
		}
	}
	if screen {
		ports = row.Screens
		for i := range f.Items {
			if c := f.Items[i].Cord; c != nil && c.Pack == pack {
				used++
			}
		}
	}
	if used >= ports {
		return fmt.Sprintf("The %s has no free port for it.", row.Name)
	}
	return ""
}

// powered reports a weapon that runs on SEU, so that it can be plugged in.
func (w *weaponRow) powered() bool { return w != nil && w.Unit == "SEU" }

// plugIn connects a weapon or a screen with a pack.
func (f *Fighter) plugIn(pack *Item, wp *Weapon, it *Item) {
	switch {
	case wp != nil:
		wp.Cord = &Cord{Pack: pack.ID, Left: wp.Left, Full: wp.Full}
		wp.Left, wp.Full = pack.Left, pack.Full
	case it != nil:
		it.Cord = &Cord{Pack: pack.ID, Left: it.Left, Full: it.Full}
		it.Left, it.Full = pack.Left, pack.Full
	}
}

// pullOut takes the cord off a weapon or a screen, which has then what it held
// by itself.
func pullOut(wp *Weapon, it *Item) {
	switch {
	case wp != nil && wp.Cord != nil:
		wp.Left, wp.Full, wp.Cord = wp.Cord.Left, wp.Cord.Full, nil
	case it != nil && it.Cord != nil:
		it.Left, it.Full, it.Cord = it.Cord.Left, it.Cord.Full, nil
		if it.Left == 0 && it.State == "on" {
			it.State = "off"
		}
	}
}

// plug checks plugging a weapon or a screen into a pack, or pulling it out.
func (c *checker) plug(in game.Intent) []game.Intent {
	wrong := func(kind, text, do string) []game.Intent {
		c.add(game.Wrong, kind, text, do)
		return nil
	}
	if in.Device == "" {
		in.Device = in.Item
	}
	wp, it := c.me.weapon(in.Device), c.me.item(in.Device)
	screen := it != nil && c.t.class(it) == "screen"
	if !c.row(wp).powered() && !screen {
		return wrong("unknown_weapon", "Only weapons and screens that run on power have a cord.", "name one of the sheet")
	}
	in.Item = ""
	if in.Verb == "unplug" {
		if wp != nil && wp.Cord == nil || screen && it.Cord == nil {
			return wrong("illegal_option", "It is plugged into nothing.", "leave it out")
		}
	} else {
		pack := c.me.packFor(c.t, in.Pack)
		if pack == nil {
			return wrong("unknown_weapon", "There is no such power pack on the sheet of "+c.v.Self.Name+".", "name one of the sheet")
		}
		if wp != nil && wp.Cord != nil || screen && it.Cord != nil {
			return wrong("illegal_option", "It is plugged in already.", "unplug it first")
		}
		if why := c.me.socket(c.t, c.t.pack(pack), pack.ID, screen); why != "" {
			return wrong("illegal_option", why, "unplug something first")
		}
	}
	if n := c.t.cordOf(c.me, in, wp, it); n > 1 {
		c.add(game.Noted, "use", fmt.Sprintf("That takes %d turns without a step; order it again in each of them.", n), "")
	}
	return []game.Intent{in}
}

// cordOf is how long it takes, by the pack.
func (t *tables) cordOf(f *Fighter, in game.Intent, wp *Weapon, it *Item) int {
	id := in.Pack
	switch {
	case in.Verb != "unplug":
	case wp != nil && wp.Cord != nil:
		id = wp.Cord.Pack
	case it != nil && it.Cord != nil:
		id = it.Cord.Pack
	}
	if row := t.pack(f.packFor(t, id)); row != nil {
		return max(row.Cord, 1)
	}
	return 1
}

// cord is one round of plugging something in or out (17.5).
func (e *engine) cord(s *state, in game.Intent, ref string) {
	f := s.f
	ev := e.event(ref, f, in.Verb, "done")
	ev.Rule = "17.5"
	wp, it := f.weapon(in.Device), f.item(in.Device)
	pack := f.packFor(e.tables, in.Pack)
	row := e.pack(pack)
	name := ""
	if wp != nil {
		name = wp.Name
	} else if it != nil {
		name = it.Name
	}
	plugged := wp != nil && wp.Cord != nil || it != nil && it.Cord != nil
	if name == "" || in.Verb == "plug" && (plugged || row == nil || f.socket(e.tables, row, pack.ID, wp == nil) != "") || in.Verb == "unplug" && !plugged {
		e.fail(s, ev, "not_there", f.Name+" finds nothing to connect.")
		return
	}
	e.witnesses(ev, f, nil, false)
	deed := map[string]string{"plug": "plugs the " + name + " in", "unplug": "unplugs the " + name}[in.Verb]
	rounds := e.cordOf(f, in, wp, it)
	done := e.progress(s, game.ID(in.Verb), in.Device)
	ev.Numbers["done"], ev.Numbers["of"] = done, rounds
	if done < rounds {
		e.tell(ev, fmt.Sprintf("%s %s (%d of %d turns).", f.Name, deed, done, rounds))
		return
	}
	f.Task = nil
	if in.Verb == "plug" {
		f.plugIn(pack, wp, it)
	} else {
		pullOut(wp, it)
	}
	ev.Changes = append(ev.Changes, changed(f.ID, "CORD", "", in.Verb+" "+name))
	e.tell(ev, fmt.Sprintf("%s %s.", f.Name, deed))
}

// progress is one round of something that takes several; it gives how many are
// done. Whoever takes a step, or does something else between, begins anew.
func (e *engine) progress(s *state, kind, on game.ID) int {
	f := s.f
	if t := f.Task; t == nil || t.Kind != kind || t.On != on || t.Round != e.w.Played-1 {
		f.Task = &Task{Kind: kind, On: on}
	}
	if f.Task.Done++; s.walked > 0 {
		f.Task.Done = 0
	}
	f.Task.Round = e.w.Played
	return f.Task.Done
}

// cords reads what is plugged into which pack when the game begins.
func (b *builder) cords(line int, f *Fighter, plugged map[game.ID]string) {
	for _, device := range slices.Sorted(maps.Keys(plugged)) {
		wp, it := f.weapon(device), f.item(device)
		pack := f.item(game.ID(plugged[device]))
		row := b.t.pack(pack)
		switch {
		case row == nil:
			b.fault(line, string(device)+".pack", "%q is no power pack of the same combatant", plugged[device])
		case wp != nil && !b.t.weapon(wp.Kind).powered():
			b.fault(line, string(device)+".pack", "it does not run on power")
		case f.socket(b.t, row, pack.ID, wp == nil) != "":
			b.fault(line, string(device)+".pack", "%s", f.socket(b.t, row, pack.ID, wp == nil))
		default:
			f.plugIn(pack, wp, it)
		}
	}
}
