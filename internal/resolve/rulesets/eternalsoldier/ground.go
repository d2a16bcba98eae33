package eternalsoldier

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// What the ground is like that somebody stands on (4.4).
const (
	groundLevel = "level"
	groundHigh  = "high"        // higher than what is around it
	groundBad   = "bad_footing" // mud, ice, rubble
)

var grounds = []string{groundLevel, groundHigh, groundBad}

// readGround takes out of the settings what features are like to stand on; without
// a word of it difficult ground is bad footing, and everything else is level:
//
//	[settings.ground]
//	rampart = "high"
//	pond = "bad_footing"
func (b *builder) readGround(values []game.Value) (ground map[game.ID]string, rest []game.Value) {
	for _, v := range values {
		id, ok := strings.CutPrefix(v.Key, "ground.")
		if !ok {
			rest = append(rest, v)
			continue
		}
		k := b.keyed("settings", v)
		word := resolve.SettingWord(v.Raw)
		switch {
		case !slices.ContainsFunc(b.s.Features, func(f game.Feature) bool { return f.ID == game.ID(id) }):
			k.Fault("there is no feature %q", id)
		case !slices.Contains(grounds, word):
			k.Fault("%q is not a kind of ground; write %s", word, strings.Join(grounds, ", "))
		default:
			if ground == nil {
				ground = map[game.ID]string{}
			}
			ground[game.ID(id)] = word
		}
	}
	return ground, rest
}

// standsOn reports that the ground under somebody is of a kind: as it was said of
// him, or by a feature in whose squares he is.
func (w *World) standsOn(f *Fighter, kind string) bool {
	if f.Ground != "" {
		return f.Ground == kind
	}
	if w.feature(f.Up) != nil {
		return kind == groundHigh
	}
	s := w.square(f.At)
	return slices.ContainsFunc(w.Features, func(x game.Feature) bool {
		word, said := w.Ground[x.ID]
		if !said && x.Difficult {
			word = groundBad
		}
		return word == kind && slices.Contains(x.Squares, s)
	})
}

// above reports that somebody strikes down at another: from higher ground, or
// mounted at one on foot (4.4).
func (w *World) above(f, t *Fighter) bool {
	return w.mounted(f) && !w.mounted(t) || w.standsOn(f, groundHigh) && !w.standsOn(t, groundHigh) && !w.mounted(t)
}

// mounted: on something that carries him, or on a mount that the sheet only names.
func (w *World) mounted(f *Fighter) bool { return f.Mounted || w.ridden(f) != nil }

// unsteady: has bad footing under him (4.4). Who is mounted has not.
func (w *World) unsteady(f *Fighter) bool { return !w.mounted(f) && w.standsOn(f, groundBad) }

// groundOf tells somebody what he stands on; "" for level ground on foot.
func (w *World) groundOf(f *Fighter) string {
	var out []string
	if w.mounted(f) {
		out = append(out, "mounted")
	}
	if w.standsOn(f, groundHigh) {
		out = append(out, "higher ground")
	}
	if w.unsteady(f) {
		out = append(out, "bad footing")
	}
	return strings.Join(out, ", ")
}
