package starfrontiers

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// knowledge is a view opened up for the rules: all that a check, a default or a
// forecast may be made from.
type knowledge struct {
	t   *tables
	v   game.View
	me  *Fighter
	set map[string]string
	who game.ID // who rolls initiative for me
	sc  *scene
	own
}

// know opens a view; ok is false for the GM's and for one of another system.
func (r *Ruleset) know(v game.View) (*knowledge, bool) {
	var o own
	if len(v.Own) == 0 || json.Unmarshal(v.Own, &o) != nil || o.Fighter == nil {
		return nil, false
	}
	g := newGrid(v.Features, v.Width, v.Height, v.ScaleMM)
	g.trueReach = settingOf(o.Settings, "melee_diagonal") == "false"
	return r.open(v, o, g), true
}

// open is know with the figures read and the map made.
func (r *Ruleset) open(v game.View, o own, g *grid) *knowledge {
	k := &knowledge{t: r.t, v: v, me: o.Fighter, set: o.Settings, who: o.Roller, own: o}
	k.sc = &scene{t: r.t, g: g, me: k.me.ID, at: k.me.Place, facing: k.me.facing(), features: v.Features}
	for _, s := range v.Others {
		d, _ := resolve.ParseDir(s.Facing)
		k.sc.people = append(k.sc.people, person{
			id: s.ID, name: s.Name, side: s.Side, race: s.Race, relation: s.Relation, at: s.Place, facing: d,
			down: slices.Contains(s.Status, "down"), hurt: slices.Contains(s.Status, "wounded"), seen: s.InSight,
		})
	}
	return k
}

// know opens what a combatant knows at this instant, without the way through a
// view's bytes.
func (e *engine) know(f *Fighter) *knowledge {
	v := game.View{Viewer: f.ID, Self: fullSight(f, "self"), Others: e.r.others(e.w, e.g, f)}
	var g *grid
	v.Features, g = e.place(f)
	return e.r.open(v, e.w.own(e.tables, f), g)
}

func (k *knowledge) setting(key string) string { return settingOf(k.set, key) }

// row is the table's row of a weapon on the sheet.
func (k *knowledge) row(wp *Weapon) *weaponRow {
	if wp == nil {
		return nil
	}
	if row := k.t.weapon(wp.Kind); row != nil {
		return row
	}
	return &weaponRow{} // of a world made with other data: nothing can be done with it
}

// shoots reports that single shots with it are built.
func shoots(row *weaponRow) bool { return row != nil && row.Shots == "single" }

// gun is the weapon meant when none is named: the first in hand with which
// single shots can be fired, then the first that could be drawn.
func (f *Fighter) gun(t *tables) *Weapon {
	for _, inHand := range []bool{true, false} {
		for i := range f.Weapons {
			wp := &f.Weapons[i]
			if shoots(t.weapon(wp.Kind)) && wp.inHand() == inHand && wp.State != "on_ground" {
				return wp
			}
		}
	}
	return nil
}

// feeds is the item that loads a weapon, of a kind of ammunition if one is named:
// the item's id, a word of its name, or a kind of grenade. ok without an item:
// the weapon is loaded with what needs no counting.
func (f *Fighter) feeds(t *tables, wp *Weapon, ammo string) (*Item, bool) {
	row := t.weapon(wp.Kind)
	if row == nil {
		return nil, false
	}
	clip := t.clip(row.Clip)
	if clip == nil && row.Feed == "" {
		return nil, wp.Every > 1
	}
	for i := range f.Items {
		it := &f.Items[i]
		if it.Count < 1 || clip != nil && !clip.fits(it) || row.Feed != "" && !it.fed(row.Feed) {
			continue
		}
		g := t.grenade(it)
		if ammo == "" || ammo == string(it.ID) || slices.Contains(resolve.Words(it.Name), ammo) || it.Note == ammo || g != nil && string(g.ID) == ammo ||
			slices.Contains(row.Ammo, ammo) && row.ammoOf(it) == "" {
			return it, true
		}
	}
	return nil, false
}

// spent is the weapon meant when none is named that is to be loaded: the first in
// hand that is not full and can be; empty: none.
func (f *Fighter) spent(t *tables, ammo string) game.ID {
	for i := range f.Weapons {
		wp := &f.Weapons[i]
		if _, ok := f.feeds(t, wp, ammo); wp.inHand() && (wp.Unready || wp.Left < wp.Full && ok) && wp.Cord == nil {
			return wp.ID
		}
	}
	return ""
}

func (c *clipRow) fits(it *Item) bool {
	return it.Kind == string(c.ID) || it.Kind == "clip" && slices.ContainsFunc(c.Words, func(w string) bool {
		return slices.Contains(resolve.Words(it.Name), w) || slices.Contains(resolve.Words(it.Name), w+"clip")
	})
}

// fed reports an item of the kind that loads a launcher.
func (it *Item) fed(kind string) bool { return it.Kind == kind || strings.HasSuffix(it.Kind, "_"+kind) }

// ammoOf is which of a weapon's kinds of ammunition a clip holds; empty: it does
// not say.
func (w *weaponRow) ammoOf(it *Item) string {
	for _, a := range w.Ammo {
		if it.Note == a || slices.Contains(resolve.Words(it.Name), a) {
			return a
		}
	}
	return ""
}
