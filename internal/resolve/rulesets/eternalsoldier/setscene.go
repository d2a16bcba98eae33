package eternalsoldier

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Usual are the rules that hold again when a turn is over that had others by a
// ruling.
type Usual struct {
	Settings map[string]string `json:"settings"`
	House    map[string]string `json:"tables,omitempty"`
}

// setRules puts rules in force that hold from the beginning of the turn.
func (e *engine) setRules() {
	for _, x := range e.rulings.Sets("") {
		if x.On == game.OfTurn || x.On == game.OfGame {
			e.set(x)
		}
	}
}

// usual brings back the rules that the turn was without.
func (e *engine) usual() {
	if u := e.w.Usual; u != nil {
		e.w.Settings, e.w.House, e.w.Usual = u.Settings, u.House, nil
	}
}

// setScene sets what a ruling says of the rules, of a thing of the map or of a
// square. It is an event of the GM's own.
func (e *engine) setScene(x game.Ruling) {
	field, value := strings.TrimSpace(x.Field), strings.TrimSpace(x.Value)
	ev := e.event(e.ref(&Fighter{ID: game.GM}, ".g"+strconv.Itoa(x.N)), &Fighter{ID: game.GM}, "ruling", "set", "12")
	ev.Reason = strings.TrimSpace(x.Reason)
	said, ok := "", false
	var at []game.Square
	switch x.On {
	case game.OfTurn, game.OfGame:
		said, ok = e.setRule(x.On, field, value)
	case game.OfThing:
		said, at, ok = e.setThing(ev, x.Who, strings.ToUpper(field), strings.ToLower(value))
	case game.OfSquare:
		said, at, ok = e.setSquare(x.Who, strings.ToUpper(field), strings.ToLower(value))
	}
	if !ok {
		e.refs[ev.Ref] = 0
		return
	}
	e.done[x.N] = true
	e.rulings.Used(x.N)
	ev.Text[game.All] = fmt.Sprintf("The GM rules: %s", said)
	if !x.Secret {
		ev.Text[game.Seen] = ev.Text[game.All]
		for _, f := range e.w.Fighters {
			if f.able() && (at == nil || slices.ContainsFunc(at, func(s game.Square) bool { return e.walls.clear(e.w.square(f.At), s) })) {
				ev.Seen[f.ID] = game.Seen
			}
		}
	}
	e.emit(ev)
}

// setRule puts a setting, or a value of the tables, in force: for this turn, or
// from now on.
func (e *engine) setRule(on game.FieldKind, key, value string) (said string, ok bool) {
	w := e.w
	if path, cell := cellPath(key); cell {
		house := maps.Clone(w.House)
		if house == nil {
			house = map[string]string{}
		}
		house[path] = cellOf(value)
		if e.tablesOf == nil || e.tablesOf(house) == e.tablesOf(nil) {
			return "", false
		}
		e.keep(on)
		w.House = house
		if u := w.Usual; u != nil && on == game.OfGame {
			if u.House = maps.Clone(u.House); u.House == nil {
				u.House = map[string]string{}
			}
			u.House[path] = cellOf(value)
		}
		e.tables = e.tablesOf(house)
		return fmt.Sprintf("%s is %s %s.", tablePrefix+path, value, lasting(on)), true
	}
	row := e.settings.Find(key)
	if value = strings.ToLower(value); row == nil || !row.Takes(value) || slices.Contains(setupSettings, row.Key) {
		return "", false
	}
	e.keep(on)
	row.Put(w.Settings, value)
	if w.Usual != nil && on == game.OfGame {
		row.Put(w.Usual.Settings, value)
	}
	e.rules.set = w.Settings
	return fmt.Sprintf("%s is %s %s.", row.Key, value, lasting(on)), true
}

// keep remembers the rules that come back after the turn.
func (e *engine) keep(on game.FieldKind) {
	if e.w.Settings == nil {
		e.w.Settings = map[string]string{}
	}
	if e.w.Usual == nil && on == game.OfTurn {
		e.w.Usual = &Usual{Settings: maps.Clone(e.w.Settings), House: maps.Clone(e.w.House)}
	}
}

func lasting(on game.FieldKind) string {
	if on == game.OfGame {
		return "from now on"
	}
	return "in this turn"
}

// cellPath is the path of a value of the tables. Rows are named in small letters,
// poisons in capitals.
func cellPath(key string) (path string, ok bool) {
	path, ok = strings.CutPrefix(strings.ToLower(key), tablePrefix)
	if rest, poison := strings.CutPrefix(path, "tables.poison."); poison {
		row, column, more := strings.Cut(rest, ".")
		if path = "tables.poison." + strings.ToUpper(row); more {
			path += "." + column
		}
	}
	return path, ok
}

// cellOf is a value as a game file keeps it: as JSON, or else a text.
func cellOf(value string) string {
	if json.Valid([]byte(value)) {
		return value
	}
	b, _ := json.Marshal(value) // a string always can be
	return string(b)
}

// setThing changes a thing of the map; at are the squares by which it shows.
func (e *engine) setThing(ev *game.Event, id game.ID, field, value string) (said string, at []game.Square, ok bool) {
	i := slices.IndexFunc(e.w.Features, func(f game.Feature) bool { return f.ID == id })
	if i < 0 || e.w.Features[i].Kind == resolve.GoneKind {
		return "", nil, false
	}
	is := e.w.Features[i]
	at = is.Squares
	if slices.Contains([]string{"HITS", "MATERIAL", "THICKNESS"}, field) {
		said, ok = e.setSection(ev, is, field, value)
		return said, at, ok
	}
	is, said, ok = resolve.ChangeThing(is, field, value, func(s game.Square) bool { return s.X >= 0 && s.X < e.w.Width && s.Y >= 0 && s.Y < e.w.Height })
	if !ok {
		return "", nil, false
	}
	e.w.Features[i] = is
	e.walls = e.w.walls()
	if is.Kind == resolve.GoneKind {
		e.vanishes(id)
		return "The " + said, at, true
	}
	return "The " + said, append(slices.Clone(at), is.Squares...), true
}

// setSection sets what a thing is made of and what it can still take (8.6).
func (e *engine) setSection(ev *game.Event, is game.Feature, field, value string) (said string, ok bool) {
	s, made := e.w.Sections[is.ID]
	n, err := strconv.Atoi(value)
	switch {
	case field == "MATERIAL" && e.structure(game.ID(value)) != nil:
		if s.Kind = game.ID(value); !made {
			s.Tenths = 10
		}
		s.Left = e.stands(barrier{e.structure(s.Kind), s.Tenths})
	case !made || err != nil || n < 0:
		return "", false
	case field == "THICKNESS" && n > 0:
		s.Tenths = n * 10
		s.Left = e.stands(barrier{e.structure(s.Kind), s.Tenths})
	case field == "HITS" && n == 0:
		e.collapses(is.ID, ev)
		return "The " + is.Name + " collapses.", true
	case field == "HITS":
		s.Left = n
	default:
		return "", false
	}
	if e.w.Sections == nil {
		e.w.Sections = map[game.ID]Section{}
	}
	e.w.Sections[is.ID] = s
	if field == "MATERIAL" {
		value = e.structure(s.Kind).Name
	}
	return fmt.Sprintf("The %s: %s %s.", is.Name, strings.ToLower(field), value), true
}

// setSquare changes what stands in a square.
func (e *engine) setSquare(id game.ID, field, value string) (said string, at []game.Square, ok bool) {
	sq, good := game.ParseSquare(string(id))
	is, known := resolve.Terrains[value]
	if !good || !known || field != "TERRAIN" || sq.X >= e.w.Width || sq.Y >= e.w.Height {
		return "", nil, false
	}
	for i, f := range e.w.Features {
		if !slices.Contains(f.Squares, sq) {
			continue
		}
		f.Squares = slices.DeleteFunc(slices.Clone(f.Squares), func(s game.Square) bool { return s == sq })
		if len(f.Squares) == 0 {
			f = resolve.Gone(f)
		}
		if e.w.Features[i] = f; f.Kind == resolve.GoneKind {
			e.vanishes(f.ID)
		}
	}
	at = []game.Square{sq}
	if value != "open" {
		is.ID = resolve.FreeID("ruled-"+strings.ToLower(sq.String()), func(id game.ID) bool {
			return e.w.fighter(id) != nil || slices.ContainsFunc(e.w.Features, func(f game.Feature) bool { return f.ID == id })
		})
		is.Squares = at
		e.w.Features = append(e.w.Features, is)
	}
	e.walls = e.w.walls()
	return resolve.Terrain(value, sq), at, true
}
