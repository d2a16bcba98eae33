package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// braced is the ability of an order to fire with the weapon rested on something (5.4).
const braced = "braced"

// rests reports that there is something to rest a weapon on: a low thing or cover in
// the square itself or beside it.
func rests(features []game.Feature, at game.Square) bool {
	return slices.ContainsFunc(features, func(x game.Feature) bool {
		return (x.Low || x.Cover != "") && slices.ContainsFunc(x.Squares, func(s game.Square) bool {
			return max(abs(s.X-at.X), abs(s.Y-at.Y)) <= 1
		})
	})
}
