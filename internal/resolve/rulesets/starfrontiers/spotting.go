package starfrontiers

import (
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// Awareness is what somebody knows, and lets others know, beyond the rules of
// sight (2, 4.5, 21).
type Awareness struct {
	Surprise string    `json:"surprise,omitempty"` // check, unaware; then noticed or surprised (2.1)
	Notice   string    `json:"notice,omitempty"`   // what he notices when he passes the check
	Spotting int       `json:"spotting,omitempty"` // percent of his spotting distances that are left; 0: all
	View     int       `json:"view,omitempty"`     // his viewpoint makes him see so many times as far; 0: as on the flat
	Shown    []game.ID `json:"shown,omitempty"`    // who sees him in this turn wherever he is
	Veiled   []game.ID `json:"veiled,omitempty"`   // who does not see him in this turn
	Secret   bool      `json:"secret,omitempty"`   // nobody reads his plan in this turn
	Once     bool      `json:"once,omitempty"`     // he declares but once in this turn
	Ruled
}

// Ruled is what the GM has ruled of somebody for this turn (21).
type Ruled struct {
	Known  []game.ID `json:"known,omitempty"`  // who tells him from others however far off he is
	Masked []game.ID `json:"masked,omitempty"` // to whom he is a distant figure
	Lean   string    `json:"lean,omitempty"`   // yes: he can lean beside any obstacle; no: he cannot
	Lock   string    `json:"lock,omitempty"`   // yes: he is locked in melee; no: he is not (7.2)
	Bonus  int       `json:"bonus,omitempty"`  // to his initiative
	Tie    int       `json:"tie,omitempty"`    // the higher goes first at the same count
}

// endAwareness ends what lasts a turn.
func (f *Fighter) endAwareness() {
	f.Surprise, f.Notice, f.Shown, f.Veiled, f.Secret, f.Once = "", "", nil, nil, false, false
	f.Ruled = Ruled{}
}

// spots tells whether a man in a square is near enough to be seen on clear
// ground, and tells whether he is near enough to be told from others (2.2).
// Optics carry farther, weather and the viewer's own state less far; a high
// viewpoint lets him see farther and no clearer.
func (w *World) spots(t *tables, viewer *Fighter, at game.Square) bool {
	return w.carries(t, viewer, at, t.Senses.Spot, max(viewer.View, 1))
}

// far tells whether a thing in a square is too far away to be told from others.
func (w *World) far(t *tables, viewer *Fighter, at game.Square) bool {
	return !w.carries(t, viewer, at, t.Senses.Details, 1)
}

// tells is that for somebody, of whom the GM may rule otherwise.
func (w *World) tells(t *tables, viewer, other *Fighter) bool {
	switch {
	case contains(other.Masked, viewer.ID):
		return false
	case contains(other.Known, viewer.ID):
		return true
	}
	return !w.far(t, viewer, other.Place)
}

func (w *World) carries(t *tables, viewer *Fighter, at game.Square, metres, view int) bool {
	g := grid{scaleMM: w.ScaleMM}
	weather, foul := w.Settings["weather"]
	if light := w.Settings["light"]; light != "" {
		if m, err := strconv.Atoi(light); err == nil && !g.within(viewer.Place, at, m) {
			return false
		}
	}
	if !foul && viewer.Spotting == 0 && g.within(viewer.Place, at, metres) {
		return true
	}
	return g.within(viewer.Place, at, w.sight(t, viewer, metres*view, weather))
}

// sight is how far a distance of 2.2 is for somebody, in metres.
func (w *World) sight(t *tables, viewer *Fighter, metres int, weather string) int {
	if viewer.optics(t) {
		metres *= t.Senses.OpticsFactor
	}
	if weather != "" {
		metres = metres * t.weather(weather) / 100
	}
	if viewer.Spotting > 0 {
		metres = metres * viewer.Spotting / 100
	}
	return metres
}

// weather is the percentage that it leaves of the distances.
func (t *tables) weather(setting string) int {
	if setting == "poor" {
		return t.Senses.Poor
	}
	n := 0
	for _, d := range setting {
		n = n*10 + int(d-'0')
	}
	return n
}

// optics: glasses that he carries, or a telescopic sight on a weapon in hand.
func (f *Fighter) optics(t *tables) bool {
	return slices.ContainsFunc(f.Items, func(it Item) bool { return it.Count > 0 && slices.Contains(t.Senses.Optics, it.Kind) }) ||
		slices.ContainsFunc(f.Weapons, func(wp Weapon) bool { return wp.Scope && wp.inHand() })
}
