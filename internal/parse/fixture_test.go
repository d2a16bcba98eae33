package parse

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// shed is the world of the tests as Mira Tolan sees it: she has a laser pistol
// in hand and a vibroknife in its sheath; Zorg and Chirik are friends; Zog, two
// Yazirians, a robot and a Dralasite are enemies. Kira, who hides behind the
// forklift, is not in it.
func shed() Actor { return actorOf("mira") }

// zorgs is the same shed as Zorg sees it; Mira and he have one player.
func zorgs() Actor { return actorOf("zorg") }

func actorOf(self game.ID) Actor {
	person := func(id, name, race, description, relation string, metres int) game.Named {
		if game.ID(id) == self {
			relation = "self"
		}
		return game.Named{
			ID: game.ID(id), Names: []string{name}, Words: strings.Fields(strings.ToLower(description)), Relation: relation,
			Sight: &game.Sight{ID: game.ID(id), Name: name, Race: race, Description: description, Relation: relation, Distance: metres, InSight: true},
		}
	}
	thing := func(t game.Thing) game.Named {
		return game.Named{ID: t.ID, Names: []string{t.Name}, Kind: t.Kind, State: t.State, Rate: t.Rate, Thing: &t}
	}
	place := func(id, name, kind string) game.Named {
		return game.Named{ID: game.ID(id), Names: []string{name}, Words: strings.Fields(name), Kind: kind}
	}
	v := game.Vocabulary{
		Verbs: verbsOf("fire", "melee", "move", "posture", "reload", "ready", "hold", "wait", "defend", "say", "if", "set", "use", "face", "special"),
		People: []game.Named{
			person("mira", "Mira Tolan", "Human", "wiry woman in a grey flight suit", "ally", 5),
			person("zorg", "Zorg", "Dralasite", "squat grey Dralasite in a harness", "ally", 6),
			person("chirik", "Chirik", "Vrusk", "tall green-carapaced Vrusk", "ally", 8),
			person("yaz_scar", "scarred Yazirian", "Yazirian", "Yazirian with a scarred muzzle", "enemy", 13),
			person("robot", "security robot", "robot", "tracked security robot with a rifle arm", "enemy", 18),
			person("yaz_vest", "Yazirian in the green vest", "Yazirian", "Yazirian in a green vest, axe in hand", "enemy", 19),
			person("zog", "Zog", "Human", "huge bald man in a red coat, the gang boss", "enemy", 20),
			person("dral", "Dralasite gunman", "Dralasite", "brown Dralasite with a needler", "enemy", 22),
		},
		Places: []game.Named{
			place("crates_grey", "grey crates", "crate"), place("crates_blue", "blue crates", "crate"), place("pillar", "concrete pillar", "pillar"),
			place("low_wall", "low wall", "wall"), place("drums", "fuel drums", "drum"), place("office_door", "office door", "door"),
		},
	}
	if self == "zorg" {
		v.Things = []game.Named{
			thing(game.Thing{ID: "zorg-rifle", Name: "automatic rifle", Kind: "automatic_rifle", State: "in_hand", Rate: 3, Ranged: true}),
			thing(game.Thing{ID: "zorg-pistol", Name: "automatic pistol", Kind: "automatic_pistol", State: "holstered", Rate: 3, Ranged: true}),
		}
	} else {
		v.Things = []game.Named{
			thing(game.Thing{ID: "mira-laser", Name: "laser pistol", Kind: "laser_pistol", State: "in_hand", Rate: 2, Dial: 3, DialMax: 10, Ranged: true}),
			thing(game.Thing{ID: "mira-vibro", Name: "vibroknife", Kind: "vibroknife", State: "sheathed", Melee: true}),
			thing(game.Thing{ID: "mira-stick", Name: "stunstick", Kind: "stunstick", State: "belt", Melee: true, Modes: []string{"stun", "shock"}, Mode: "stun"}),
			thing(game.Thing{ID: "mira-stim", Name: "stimdose", Kind: "dose", Count: 1}),
			thing(game.Thing{ID: "mira-kit", Name: "medkit", Kind: "kit", Count: 1, Left: 10, Full: 10, Unit: "doses"}),
			thing(game.Thing{ID: "mira-screen", Name: "albedo screen", Kind: "albedo_screen", Count: 1, State: "off", Left: 50, Full: 50, Unit: "SEU"}),
		}
	}
	bare := thing(game.Thing{ID: game.BareHands, Name: "bare hands", Kind: "bare", State: "in_hand", Melee: true})
	bare.Words = []string{"fist", "fists", "hands"}
	v.Things = append(v.Things, bare)
	return Actor{ID: self, View: game.View{Viewer: self, Width: 40, Height: 30}, Vocabulary: v}
}

func verbsOf(names ...string) []game.Verb {
	var all []game.Verb
	for _, n := range names {
		all = append(all, game.Verb{Name: n})
	}
	return all
}

func linesOf(text string) []Line {
	var all []Line
	for i, l := range strings.Split(text, "\n") {
		all = append(all, Line{i + 1, l})
	}
	return all
}

// read reads a text for Mira alone.
func read(t testing.TB, text string) Reading {
	t.Helper()
	all := Orders(linesOf(text), []Actor{shed()})
	if len(all) != 1 {
		t.Fatalf("%d readings of %q, want 1", len(all), text)
	}
	return all[0]
}
