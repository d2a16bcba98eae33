package starfrontiers

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// otherWords are further ways to tell of an attack, by how it is made and how it
// ended; the first way is that of shotTexts and blowTexts. A report takes them in
// turn, so that a fight does not read like a list. {who} {gun} {at} stand for
// names, {with} for "with the club", {figures} for chance and roll and {for} for
// the damage, which only the actor reads.
var otherWords = map[string]map[string][]string{
	"shot": {
		"miss": {
			"{who}'s shot with the {gun}{figures} goes wide of {at}.",
			"{who} shoots at {at} with the {gun}{figures}, but does not hit.",
			"{who} lets fly at {at} with the {gun}{figures}: a miss.",
		},
		"hit": {
			"{who}'s shot with the {gun}{figures} strikes {at}{for}.",
			"{who} shoots at {at} with the {gun}{figures}: a hit{for}.",
			"{who} fires the {gun}{figures}, and {at} is hit{for}.",
		},
		"critical": {
			"{who}'s shot with the {gun}{figures} strikes {at} hard{for}.",
			"{who} shoots at {at} with the {gun}{figures}: a bad hit{for}.",
			"{who} fires the {gun}{figures}, and {at} is hit badly{for}.",
		},
		"grievous": {
			"{who}'s shot with the {gun}{figures} strikes {at} terribly{for}.",
			"{who} fires the {gun}{figures}, and {at} is hit terribly{for}.",
		},
	},
	"throw": {
		"miss": {
			"{who} throws the {gun}{figures}, and it goes wide of {at}.",
			"{who}'s throw of the {gun}{figures} misses {at}.",
		},
		"hit": {
			"{who} throws the {gun}{figures}, and it strikes {at}{for}.",
			"{who}'s throw of the {gun}{figures} hits {at}{for}.",
		},
		"critical": {"{who} throws the {gun}{figures}, and it strikes {at} hard{for}."},
		"grievous": {"{who} throws the {gun}{figures}, and it strikes {at} terribly{for}."},
	},
	"burst": {
		"miss": {
			"{who}'s burst of the {gun}{figures} goes wide of {at}.",
			"{who} sprays a burst of the {gun} at {at}{figures}, but does not hit.",
		},
		"hit": {
			"{who}'s burst of the {gun}{figures} catches {at}{for}.",
			"{who} sprays a burst of the {gun} at {at}{figures}: a hit{for}.",
		},
		"critical": {"{who}'s burst of the {gun}{figures} catches {at} badly{for}."},
		"grievous": {"{who}'s burst of the {gun}{figures} catches {at} terribly{for}."},
	},
	"blow": {
		"miss": {
			"{who} goes for {at} {with}{figures}, but does not connect.",
			"{who}'s blow {with}{figures} misses {at}.",
		},
		"hit": {
			"{who}'s blow {with}{figures} lands on {at}{for}.",
			"{who} hits {at} {with}{figures}{for}.",
		},
		"critical": {
			"{who}'s blow {with}{figures} lands hard on {at}{for}.",
			"{who} hits {at} badly {with}{figures}{for}.",
		},
		"grievous": {"{who} hits {at} terribly {with}{figures}{for}."},
	},
}

// otherLooks are further ways to say what woundLook says.
var otherLooks = map[string][]string{
	"is unhurt":                        {"takes no harm", "comes off unhurt"},
	"falls, and is dead":               {"falls dead"},
	"goes down":                        {"collapses", "sinks to the ground"},
	"reels from a dreadful wound":      {"is dreadfully wounded", "takes a dreadful wound"},
	"is wounded and in a bad way":      {"is badly hurt", "is hurt, and in a bad way"},
	"staggers":                         {"sways", "flinches"},
	"is grazed":                        {"gets no more than a graze", "is only scratched"},
	"stops dead in a shower of sparks": {"comes to a stop, spraying sparks"},
}

// reword gives an attack its further wordings: whoever reads of several does not
// read the same words each time. way is how it is made, own the name by which its
// actor calls the target, figures and damage what he alone reads.
func reword(ev *game.Event, way string, sh shot, who, own, look, figures, damage string) {
	with := "with the " + sh.wp.Name
	if sh.row.Natural {
		with = "with " + sh.wp.Name
	}
	words := otherWords[way][ev.Outcome]
	if len(words) == 0 {
		return
	}
	ev.More = map[game.Grade][]string{}
	for _, g := range []game.Grade{game.Own, game.Seen} {
		at := sh.target.Name
		if g == game.Own {
			at = own
		}
		list := make([]string, len(words))
		for i, w := range words {
			text := filled(w, func(what string) string {
				switch {
				case what == "who":
					return who
				case what == "gun":
					return sh.wp.Name
				case what == "with":
					return with
				case what == "at":
					return at
				case g == game.Seen:
					return ""
				case what == "figures":
					return figures
				}
				return damage
			})
			if look != "" {
				l := look
				if others := otherLooks[look]; len(others) > 0 {
					l = others[i%len(others)]
				}
				text += " " + resolve.Title(at) + " " + l + "."
			}
			list[i] = text
		}
		ev.More[g] = list
	}
}

// filled puts values into the places in braces. What it puts in is not read again:
// a name may hold braces.
func filled(words string, value func(what string) string) string {
	var b strings.Builder
	b.Grow(len(words) + 64)
	for {
		before, rest, found := strings.Cut(words, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		var what string
		what, words, _ = strings.Cut(rest, "}")
		b.WriteString(value(what))
	}
}

// figuresOf are the chance and the roll of an attack, for its actor.
func figuresOf(ev *game.Event) string {
	return fmt.Sprintf(" (chance %d, roll %d)", ev.Numbers["chance"], ev.Numbers["roll"])
}
