package resolve

import (
	"slices"
	"strconv"
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

// ExampleWords puts what the viewer has and sees in the place of the {words} of
// example orders: {gun}, {blade}, {weapon} (either), {auto}, {thrown}, {parry},
// {held} and {packed} weapons, a {thing}, an {enemy} and an {other}, a {friend}, a
// {place}, and a segment or second that comes {later}.
func ExampleWords(v game.View) *strings.Replacer {
	var pairs []string
	set := func(key, value string) {
		if value != "" && !slices.Contains(pairs, key) {
			pairs = append(pairs, key, value)
		}
	}
	for _, w := range v.Weapons {
		out := w.State == "in_hand"
		if out {
			set("{held}", w.Name)
		}
		switch {
		case !out && w.State != "on_ground" && w.State != "broken":
			set("{packed}", w.Name)
		case out && w.Ranged:
			set("{gun}", w.Name)
			set("{weapon}", w.Name)
			if slices.Contains(w.Modes, "auto") {
				set("{auto}", w.Name)
			}
		case out && w.Kind != "" && w.Melee && w.Rate == 0 && !strings.Contains(w.Kind, "shield") && w.Kind != "buckler":
			set("{blade}", w.Name)
			set("{weapon}", w.Name)
		}
		if out && w.Thrown {
			set("{thrown}", w.Name)
		}
	}
	for _, w := range v.Weapons { // a shield parries better than a blade
		if w.State == "in_hand" && w.Melee && (strings.Contains(w.Kind, "shield") || w.Kind == "buckler") {
			set("{parry}", w.Name)
		}
	}
	for _, w := range v.Weapons {
		if w.State == "in_hand" && w.Melee {
			set("{parry}", w.Name)
		}
	}
	for _, it := range v.Items {
		if it.Kind != "ammo" {
			set("{thing}", it.Name)
		}
	}
	for _, o := range v.Others {
		if o.Relation == "ally" {
			set("{friend}", o.Name)
		}
		if o.Relation == "enemy" && o.InSight && !slices.Contains(o.Status, "down") {
			if slices.Contains(pairs, "{enemy}") {
				set("{other}", o.Name)
			}
			set("{enemy}", o.Name)
		}
	}
	for _, f := range v.Features {
		if !f.Opaque {
			set("{place}", f.Name)
		}
	}
	set("{place}", "E4")
	set("{later}", strconv.Itoa(v.Round+8))
	return strings.NewReplacer(pairs...)
}
