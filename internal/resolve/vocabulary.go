package resolve

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// BareHands is what everybody can strike with.
var BareHands = game.Thing{ID: game.BareHands, Name: "bare hands", Kind: string(game.BareHands), State: "in_hand", Melee: true}

// People names the viewer and all whom he perceives. Somebody called anonymous
// is too far off to have a name of his own.
func People(v game.View, anonymous string) []game.Named {
	out := []game.Named{}
	if v.Self.ID != "" {
		out = append(out, personWords(v.Self, anonymous))
	}
	for _, o := range v.Others {
		out = append(out, personWords(o, anonymous))
	}
	return out
}

func personWords(s game.Sight, anonymous string) game.Named {
	names := []string{s.Name}
	if !strings.EqualFold(string(s.ID), s.Name) && s.Name != anonymous {
		names = append(names, string(s.ID))
	}
	return game.Named{
		ID: s.ID, Names: names, Words: Words(s.Name, s.Race, s.Description, s.Holding),
		Relation: s.Relation, State: strings.Join(s.Status, ", "), Sight: &s,
	}
}

// Things names weapons and items of the viewer's own sheet.
func Things(list []game.Thing) []game.Named {
	out := []game.Named{}
	for _, th := range list {
		if th.ID == game.BareHands {
			out = append(out, game.Named{ID: th.ID, Names: []string{th.Name}, Words: []string{"fist", "fists", "hands", "punch"}, Kind: th.Kind, Thing: &th})
			continue
		}
		kind := strings.ReplaceAll(th.Kind, "_", " ")
		names := []string{th.Name}
		if kind != th.Name {
			names = append(names, kind)
		}
		names = append(names, string(th.ID))
		out = append(out, game.Named{ID: th.ID, Names: names, Words: Words(th.Name, kind, th.State), Kind: th.Kind, State: th.State, Rate: th.Rate, Thing: &th})
	}
	return out
}

// Places names the features of the map.
func Places(v game.View) []game.Named {
	out := []game.Named{}
	for _, f := range v.Features {
		names := []string{f.Name}
		if string(f.ID) != f.Name {
			names = append(names, string(f.ID))
		}
		out = append(out, game.Named{ID: f.ID, Names: names, Words: Words(f.Name, f.Kind), Kind: f.Kind, State: f.State})
	}
	return out
}

// small words of descriptions that mean nobody.
var noWords = []string{"a", "an", "the", "of", "in", "on", "with", "and", "his", "her", "its", "by", "at", "to", "has", "have", "who", "is"}

// Words are the words of texts that may tell somebody or something apart, each once.
func Words(texts ...string) []string {
	out := []string{}
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return r == ' ' || r == ',' || r == '.' || r == ';' || r == '-' || r == '_' || r == '(' || r == ')'
		}) {
			if !slices.Contains(noWords, w) && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
