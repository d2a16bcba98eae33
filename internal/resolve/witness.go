package resolve

import (
	"cmp"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// Past is an attack of the last turn with those who saw both ends of it.
type Past struct {
	Attacker game.ID   `json:"attacker"`
	Target   game.ID   `json:"target"`
	Known    []game.ID `json:"known"`
}

// Onlooker is what somebody gets of another's deed at that instant.
type Onlooker struct {
	Actor  bool // he sees who acts
	Target bool // he sees to whom it is done; true when it is done to nobody
	Struck bool // it is done to him
	Awake  bool
}

// Grade is how he perceives a deed; "" for not at all. What touches somebody he
// always notices; noise is heard by whoever is awake. aimed: it is done to somebody.
func (o Onlooker) Grade(aimed, loud bool) game.Grade {
	switch {
	case o.Actor && (o.Target || o.Struck):
		return game.Seen
	case o.Actor:
		return game.Actor
	case aimed && (o.Struck || o.Target && o.Awake):
		return game.Target
	case loud && o.Awake:
		return game.Heard
	}
	return ""
}

// Witnesses grades how each of some perceives a deed; who does not is left out. The
// actor always knows of it. look gives an onlooker's id and what he gets.
func Witnesses[F comparable](ev *game.Event, all []F, actor F, aimed, loud bool, look func(F) (game.ID, Onlooker)) {
	if len(ev.Seen) == 0 {
		ev.Seen = make(map[game.ID]game.Grade, len(all))
	}
	for _, f := range all {
		id, o := look(f)
		if f == actor {
			ev.Seen[id] = game.Own
		} else if g := o.Grade(aimed, loud); g != "" {
			ev.Seen[id] = g
		}
	}
}

// Unprinted gives what the GM is to be told of the values of an event that no
// source prints, each the first time it counts; named remembers which those were.
func Unprinted(ev *game.Event, named *[]string) []game.Inquiry {
	var out []game.Inquiry
	for _, u := range ev.Unverified {
		if slices.Contains(*named, u) {
			continue
		}
		*named = append(*named, u)
		out = append(out, game.Inquiry{
			Ref: ev.Ref, Kind: "unverified", Of: u,
			Text:    "No source prints this value, and it counted for the first time: " + u + ".",
			Default: "the value of the data files was used",
		})
	}
	return out
}

// ByID finds one of a list that is sorted by id; nil when it is not there.
func ByID[T any](list []*T, id game.ID, of func(*T) game.ID) *T {
	i, ok := slices.BinarySearchFunc(list, id, func(x *T, id game.ID) int { return cmp.Compare(of(x), id) })
	if !ok {
		return nil
	}
	return list[i]
}
