package starfrontiers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// setScene sets what a ruling says of the turn's rules, of a thing of the map or
// of a square (21). It is an event of the GM's own.
func (e *engine) setScene(x game.Ruling) {
	ev := e.gmEvent(fmt.Sprintf("%s/r%d.g%d", game.GM, e.round, x.N))
	field, value := strings.TrimSpace(x.Field), strings.ToLower(strings.TrimSpace(x.Value))
	var at, was []game.Square
	ok := false
	said := ""
	switch x.On {
	case game.OfTurn, game.OfGame:
		said, ok = e.setRule(x.On, field, value)
	case game.OfThing:
		said, at, was, ok = e.setThing(x.Who, strings.ToUpper(field), value)
	case game.OfSquare:
		said, at, ok = e.setSquare(x.Who, strings.ToUpper(field), value)
	}
	if !ok {
		return
	}
	e.refs["set"+strconv.Itoa(x.N)]++
	ev.Reason = strings.TrimSpace(x.Reason)
	e.rules.Used(x.N)
	ev.Text[game.All] = fmt.Sprintf("GM ruling %d: %s", x.N, said)
	switch {
	case x.Secret:
	case at == nil:
		for _, f := range e.w.Fighters {
			ev.Seen[f.ID] = game.Seen
		}
		ev.Text[game.Seen] = ev.Text[game.All]
	default:
		for _, f := range e.w.Fighters {
			switch {
			case e.w.notices(e.tables, e.g, f, game.Feature{Squares: at}):
				ev.Seen[f.ID] = game.Seen
			case e.w.notices(e.tables, e.g, f, game.Feature{Squares: was}):
				ev.Seen[f.ID] = game.Heard // where it is now he does not see
			}
		}
		ev.Text[game.Seen] = said
		if len(was) > 0 {
			ev.Text[game.Heard] = resolve.Title(resolve.Definite(e.w.Features[e.w.feature(x.Who)].Name)) + " is not where it was."
		}
	}
	e.emit(ev)
}

// gmEvent begins an event that nobody in the encounter brings about.
func (e *engine) gmEvent(ref string) *game.Event {
	return e.event(ref, &Fighter{ID: game.GM}, "ruling", "done")
}

// setRule puts a setting of 0.3 in force: for this turn, or from now on.
func (e *engine) setRule(on game.FieldKind, key, value string) (said string, ok bool) {
	row := e.settings.Find(key)
	if row == nil || !row.Takes(value) || e.stage.Settled && slices.Contains(openingSettings, row.Key) {
		return "", false
	}
	w := e.w
	if w.Usual == nil && on == game.OfTurn {
		w.Usual = &usual{maps.Clone(w.Settings)}
	}
	sets := []map[string]string{w.Settings}
	if on == game.OfGame && w.Usual != nil {
		sets = append(sets, w.Usual.Settings)
	}
	for _, set := range sets {
		row.Put(set, value)
	}
	e.slotted = w.slotted()
	e.remap()
	how := "in this turn"
	if on == game.OfGame {
		how = "from this turn on"
	}
	return fmt.Sprintf("%s is %s %s.", row.Key, value, how), true
}

// openingSettings decide how a turn begins, so that they cannot change after a
// pause in it.
var openingSettings = []string{"sequence", "pbem.declaration", "pbem.die_per"}

// feature is the index of a thing of the map, or -1.
func (w *World) feature(id game.ID) int {
	return slices.IndexFunc(w.Features, func(f game.Feature) bool { return f.ID == id })
}

// setThing changes a thing of the map; at are the squares by which it shows, was
// those from which it has been taken to another.
func (e *engine) setThing(id game.ID, field, value string) (said string, at, was []game.Square, ok bool) {
	i := e.w.feature(id)
	if i < 0 {
		return "", nil, nil, false
	}
	is, said, ok := resolve.ChangeThing(e.w.Features[i], field, value, e.g.inside)
	if !ok {
		return "", nil, nil, false
	}
	if at = e.w.Features[i].Squares; field == "AT" {
		at, was = is.Squares, at
	}
	e.alter(i, is)
	return resolve.Title(said), at, was, true
}

// alter puts a thing of the map in the place of what it was. Whoever does not
// have it before his eyes goes on believing the old.
func (e *engine) alter(i int, is game.Feature) {
	old := e.w.Features[i]
	for _, v := range e.w.Fighters {
		if v.Stale == nil {
			v.Stale = map[int]game.Feature{}
		}
		if _, ok := v.Stale[i]; !ok {
			v.Stale[i] = old
		}
	}
	e.w.Features[i] = is
	e.remap()
}

// setSquare changes what stands in a square, or the smoke there.
func (e *engine) setSquare(id game.ID, field, value string) (said string, at []game.Square, ok bool) {
	sq, good := game.ParseSquare(string(id))
	if !good || !e.g.inside(sq) {
		return "", nil, false
	}
	at = []game.Square{sq}
	switch field {
	case "SMOKE":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 100 {
			return "", nil, false
		}
		e.smokeAt(sq, n)
		if n == 0 {
			return fmt.Sprintf("The smoke in %s has cleared.", sq), at, true
		}
		return fmt.Sprintf("There is smoke round %s.", sq), at, true
	case "TERRAIN":
		is, known := resolve.Terrains[value]
		if !known {
			return "", nil, false
		}
		e.clearSquare(sq)
		if value == "open" {
			return resolve.Terrain(value, sq), at, true
		}
		is.ID, is.Squares = e.w.freeID("ruled-"+strings.ToLower(sq.String())), at
		e.w.Features = append(e.w.Features, game.Feature{})
		e.alter(len(e.w.Features)-1, is)
		return resolve.Terrain(value, sq), at, true
	}
	return "", nil, false
}

// clearSquare takes a square from all that stands in it.
func (e *engine) clearSquare(sq game.Square) {
	for i, f := range e.w.Features {
		if slices.Contains(f.Squares, sq) {
			f.Squares = slices.DeleteFunc(slices.Clone(f.Squares), func(s game.Square) bool { return s == sq })
			if len(f.Squares) == 0 {
				f = resolve.Gone(f)
			}
			e.alter(i, f)
		}
	}
}

// freeID is an id that neither a thing of the map nor a combatant has.
func (w *World) freeID(base string) game.ID {
	return resolve.FreeID(base, func(id game.ID) bool { return w.fighter(id) != nil || w.feature(id) >= 0 })
}
