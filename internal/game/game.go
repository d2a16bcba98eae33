// Package game holds the nouns that every other package speaks of: worlds,
// bodies, views, plans, events, rulings and the states of a turn. It is the
// centre of the functional core: it does no I/O, reads no clock, and imports
// only the standard library, so that any package can depend on it.
package game

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ID names a combatant, a feature, a weapon, an item, a player or a side. It is
// short, lower case, and stable for the life of a game.
type ID string

// GM is the viewer who sees everything.
const GM ID = "gm"

// Square is a place on the square map, x to the east, y to the south, from 0.
type Square struct{ X, Y int }

// MarshalJSON writes a square as [x, y].
func (s Square) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{s.X, s.Y}) }

// UnmarshalJSON reads [x, y] or a name such as "E4".
func (s *Square) UnmarshalJSON(b []byte) error {
	var xy [2]int
	if err := json.Unmarshal(b, &xy); err == nil {
		s.X, s.Y = xy[0], xy[1]
		return nil
	}
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return fmt.Errorf("a square is [x, y] or a name such as \"E4\": %w", err)
	}
	sq, ok := ParseSquare(name)
	if !ok {
		return fmt.Errorf("%q is not a square", name)
	}
	*s = sq
	return nil
}

// String names the square by column letters and row number: [4, 3] is E4.
// Columns after Z are AA, AB and so on; a negative place is written (x,y).
func (s Square) String() string {
	if s.X < 0 || s.Y < 0 {
		return fmt.Sprintf("(%d,%d)", s.X, s.Y)
	}
	col := ""
	for n := s.X + 1; n > 0; n = (n - 1) / 26 {
		col = string(rune('A'+(n-1)%26)) + col
	}
	return col + strconv.Itoa(s.Y+1)
}

// ParseSquare reads a square's name ("E4", "aa12"). Columns have one or two
// letters, rows are 1 to 999.
func ParseSquare(name string) (Square, bool) {
	name = strings.ToUpper(strings.TrimSpace(name))
	i, x := 0, 0
	for i < len(name) && name[i] >= 'A' && name[i] <= 'Z' {
		x = x*26 + int(name[i]-'A') + 1
		i++
	}
	if i == 0 || i > 2 || i == len(name) || len(name)-i > 3 {
		return Square{}, false
	}
	y, err := strconv.Atoi(name[i:])
	if err != nil || y < 1 || name[i] == '+' {
		return Square{}, false
	}
	return Square{x - 1, y - 1}, true
}

// Ref names what an intent is aimed at: a combatant, feature or item by id, a
// selector such as "nearest_enemy" or "trigger", or a square.
type Ref struct {
	ID     ID
	Square *Square
}

// To is a Ref to an id or a selector.
func To(id ID) Ref { return Ref{ID: id} }

// AtSquare is a Ref to a place.
func AtSquare(s Square) Ref { return Ref{Square: &s} }

// IsZero reports that nothing is named.
func (r Ref) IsZero() bool { return r.ID == "" && r.Square == nil }

// String gives the id, or the square's name.
func (r Ref) String() string {
	if r.Square != nil {
		return r.Square.String()
	}
	return string(r.ID)
}

// MarshalJSON writes the id as a string or the square as [x, y].
func (r Ref) MarshalJSON() ([]byte, error) {
	if r.Square != nil {
		return json.Marshal(*r.Square)
	}
	return json.Marshal(string(r.ID))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Ref) UnmarshalJSON(b []byte) error {
	*r = Ref{}
	if len(b) > 0 && b[0] == '[' {
		var s Square
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		r.Square = &s
		return nil
	}
	return json.Unmarshal(b, (*string)(&r.ID))
}

// Selectors: references that are resolved when the step is carried out.
const (
	AnyEnemy     ID = "any_enemy"
	AnyAlly      ID = "any_ally"
	Anyone       ID = "anyone"
	NearestEnemy ID = "nearest_enemy"
	WeakestEnemy ID = "weakest_enemy"
	Leader       ID = "leader"
	Trigger      ID = "trigger" // whoever set off the reaction
	Me           ID = "me"
	BareHands    ID = "bare"
)

// Who names whom a condition watches: one id, selector, "race:X", "side:X", or
// a list of ids of which one will do.
type Who []ID

// MarshalJSON writes one name as a string and several as a list.
func (w Who) MarshalJSON() ([]byte, error) {
	if len(w) == 1 {
		return json.Marshal(string(w[0]))
	}
	return json.Marshal([]ID(w))
}

// UnmarshalJSON reads a string or a list.
func (w *Who) UnmarshalJSON(b []byte) error {
	*w = nil
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]ID)(w))
	}
	var one ID
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	*w = Who{one}
	return nil
}

// Distance is a length as the player wrote it, in tenths of its unit.
type Distance struct {
	Tenths int
	Unit   string // m, yd, ft, sq
}

// Millimetres converts to millimetres; a square is as long as scaleMM.
func (d Distance) Millimetres(scaleMM int) int {
	switch d.Unit {
	case "yd":
		return d.Tenths * 9144 / 100
	case "ft":
		return d.Tenths * 3048 / 100
	case "sq":
		return d.Tenths * scaleMM / 10
	}
	return d.Tenths * 100
}

// Length writes metres in the unit that the players use: m, yd or ft.
func Length(metres int, units string) string {
	switch units {
	case "yd":
		return fmt.Sprintf("%d yd", (metres*10936+5000)/10000)
	case "ft":
		return fmt.Sprintf("%d ft", (metres*32808+5000)/10000)
	}
	return fmt.Sprintf("%d m", metres)
}

// String writes "10 m" or "2.5 yd".
func (d Distance) String() string {
	u := d.Unit
	if u == "" {
		u = "m"
	}
	return tenths(d.Tenths) + " " + u
}

func tenths(n int) string {
	if n%10 == 0 {
		return strconv.Itoa(n / 10)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + strconv.Itoa(n/10) + "." + strconv.Itoa(n%10)
}

// MarshalJSON writes {"value": v, "unit": u}.
func (d Distance) MarshalJSON() ([]byte, error) {
	u := d.Unit
	if u == "" {
		u = "m"
	}
	return json.Marshal(struct {
		Value json.Number `json:"value"`
		Unit  string      `json:"unit"`
	}{json.Number(tenths(d.Tenths)), u})
}

// UnmarshalJSON reads the object form, or a bare number of metres.
func (d *Distance) UnmarshalJSON(b []byte) error {
	var v struct {
		Value json.Number `json:"value"`
		Unit  string      `json:"unit"`
	}
	if len(b) > 0 && b[0] == '{' {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	} else if err := json.Unmarshal(b, &v.Value); err != nil {
		return err
	}
	n, err := parseTenths(v.Value.String())
	if err != nil {
		return err
	}
	if v.Unit == "" {
		v.Unit = "m"
	}
	*d = Distance{n, v.Unit}
	return nil
}

func parseTenths(s string) (int, error) {
	whole, frac, _ := strings.Cut(s, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < -1_000_000 || n > 1_000_000 {
		return 0, fmt.Errorf("%q is not a distance", s)
	}
	t := 0
	if frac != "" {
		if frac[0] < '0' || frac[0] > '9' {
			return 0, fmt.Errorf("%q is not a distance", s)
		}
		t = int(frac[0] - '0')
	}
	if strings.HasPrefix(s, "-") {
		t = -t
	}
	return n*10 + t, nil
}

// Setting is a dial's number, or "max".
type Setting struct {
	N   int
	Max bool
}

// IsZero reports that the order names no setting.
func (s Setting) IsZero() bool { return s.N == 0 && !s.Max }

// MarshalJSON writes the number or "max".
func (s Setting) MarshalJSON() ([]byte, error) {
	if s.Max {
		return []byte(`"max"`), nil
	}
	return json.Marshal(s.N)
}

// UnmarshalJSON reads a number or "max".
func (s *Setting) UnmarshalJSON(b []byte) error {
	if string(b) == `"max"` {
		*s = Setting{Max: true}
		return nil
	}
	*s = Setting{}
	return json.Unmarshal(b, &s.N)
}

// Marker begins the first line of every mail that pbemd sends; text after a copy
// of a marker line is our own, come back.
const Marker = "== pbemd"
