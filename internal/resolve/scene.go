package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// ThingFields are what a ruling may set on a thing of the map.
var ThingFields = []game.Field{
	{Name: "OPEN", Type: "word", Words: YesNo, Help: "of a door"},
	{Name: "COVER", Type: "word", Words: []string{"none", "soft", "hard"}, Help: "the cover that it gives"},
	{Name: "OPAQUE", Type: "word", Words: YesNo, Help: "whether it stops sight, shots and steps"},
	{Name: "LOW", Type: "word", Words: YesNo, Help: "whether one can vault it and hide behind it"},
	{Name: "DIFFICULT", Type: "word", Words: YesNo, Help: "whether it is ground on which each step counts twice"},
	{Name: "AT", Type: "square", Help: "where it stands: this square alone"},
	{Name: "GONE", Type: "word", Words: []string{"yes"}, Help: "it is no more"},
}

// TerrainField is what a ruling may put into a square.
var TerrainField = game.Field{Name: "TERRAIN", Type: "word", Words: []string{"open", "wall", "low_wall", "difficult", "soft_cover", "hard_cover"}, Help: "what stands there; open: nothing"}

// Terrains are the things of TerrainField, without id and squares.
var Terrains = map[string]game.Feature{
	"open": {}, "wall": {Name: "wall", Kind: "wall", Opaque: true}, "low_wall": {Name: "low wall", Kind: "wall", Low: true},
	"difficult": {Name: "difficult ground", Kind: "ground", Difficult: true}, "soft_cover": {Name: "bush", Kind: "cover", Cover: "soft"}, "hard_cover": {Name: "heap of rubble", Kind: "cover", Cover: "hard"},
}

// GoneKind is the kind of a thing of the map that is no more.
const GoneKind = "gone"

// Gone is what is left of a thing of the map that is no more.
func Gone(f game.Feature) game.Feature {
	return game.Feature{ID: f.ID, Name: f.Name, Kind: GoneKind, Squares: []game.Square{}}
}

// FreeID is an id that is not taken, made of a base.
func FreeID(base string, taken func(game.ID) bool) game.ID {
	id := game.ID(base)
	for n := 2; taken(id); n++ {
		id = game.ID(base + "-" + strconv.Itoa(n))
	}
	return id
}

// ChangeThing is a thing of the map after a ruling set one of ThingFields on it, and
// what is said of that; it is not ok when the thing or the map does not have it.
func ChangeThing(is game.Feature, field, value string, inside func(game.Square) bool) (changed game.Feature, said string, ok bool) {
	yes, no := value == "yes", value == "no"
	said = is.Name + ": " + strings.ToLower(field) + " " + value + "."
	switch {
	case field == "OPEN" && is.Kind == "door" && (yes || no):
		if is.State, is.Opaque, is.Cover = "closed", true, ""; yes {
			is.State, is.Opaque = "open", false
		}
		said = is.Name + " is " + is.State + "."
	case field == "COVER" && slices.Contains([]string{"none", "soft", "hard"}, value):
		if is.Cover = value; value == "none" {
			is.Cover = ""
		}
		said = fmt.Sprintf("%s gives %s cover.", is.Name, map[string]string{"none": "no"}[value]+is.Cover)
	case field == "OPAQUE" && (yes || no):
		is.Opaque = yes
	case field == "LOW" && (yes || no):
		is.Low = yes
	case field == "DIFFICULT" && (yes || no):
		is.Difficult = yes
	case field == "AT":
		sq, good := game.ParseSquare(value)
		if !good || !inside(sq) {
			return is, "", false
		}
		is.Squares = []game.Square{sq}
		said = fmt.Sprintf("%s is now in %s.", is.Name, sq)
	case field == "GONE" && yes:
		said = is.Name + " is gone."
		is = Gone(is)
	default:
		return is, "", false
	}
	return is, said, true
}

// Terrain says what stands in a square after a ruling.
func Terrain(value string, sq game.Square) string {
	is := Terrains[value]
	if is.Name == "" {
		return fmt.Sprintf("Nothing stands in %s now.", sq)
	}
	return fmt.Sprintf("There is a %s in %s now.", is.Name, sq)
}

// DoorDeed is the state that an order wants a door to be in; empty: it wants
// something else of it, on which the GM rules.
func DoorDeed(action string) string {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(action)), " ")
	switch first {
	case "open", "opens":
		return "open"
	case "close", "closes", "shut", "shuts", "slam", "slams":
		return "closed"
	}
	return ""
}
