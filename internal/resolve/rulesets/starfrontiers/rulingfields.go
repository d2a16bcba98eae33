package starfrontiers

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// rulingFields are what a ruling may set on a combatant (21). A person is one of
// the combatants.
var rulingFields = []game.Field{
	{Name: "STA", Type: "number", Least: -100, Most: 1000, Help: "current Stamina; 0 or less takes him out, more brings him back"},
	{Name: "POSTURE", Type: "word", Words: postures, Help: "how he holds himself"},
	{Name: "AT", Type: "square", Help: "where he is"},
	{Name: "FACING", Type: "word", Words: []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}, Help: "which way he looks"},
	{Name: "ABLE", Type: "word", Words: yesNo, Help: "yes: he can act again (STA at least 1); no: he is unconscious"},
	{Name: "DOWN", Type: "word", Words: yesNo, Help: "the opposite of ABLE"},
	{Name: "DEAD", Type: "word", Words: yesNo, Help: "yes: he is dead; no: he is not"},
	{Name: "HIDDEN", Type: "word", Words: yesNo, Help: "yes: no enemy sees him until he attacks; no: whoever looks"},
	{Name: "LOCKED", Type: "word", Words: yesNo, Help: "for this whole turn: yes: he is locked in melee and cannot move; no: he can"},
	{Name: "RAGE", Type: "word", Words: yesNo, Help: "yes: he is in battle rage; no: he is not"},
	{Name: "DIAL", Type: "number", Least: 1, Most: 100, Help: "the setting of the laser in his hand"},
	{Name: "AMMO", Type: "number", Least: 0, Most: 1000, Help: "what is left in the weapon in his hand"},
	{Name: "STUNNED", Type: "number", Least: 0, Most: 1000, Help: "rounds for which he is stunned; 0: he is not"},
	{Name: "UNCONSCIOUS", Type: "number", Least: 0, Most: 1000, Help: "rounds for which he is unconscious; 0: he is not"},
	{Name: "BLEEDING", Type: "number", Least: 0, Most: 1000, Help: "Stamina lost at the end of each round; 0: it has stopped"},
	{Name: "POISON", Type: "number", Least: 0, Most: 1000, Help: "rounds in which he loses Stamina to it; 0: it is out of him"},
	{Name: "WOUND", Type: "number", Least: 0, Most: 10, Help: "1 to 10: a wound of the table of wounds; 0: all his wounds are healed"},
	{Name: "BURN", Type: "number", Least: 0, Most: 1000, Help: "Stamina lost to fire, heat or acid, before any defence"},
	{Name: "FALL", Type: "number", Least: 1, Most: 1000, Help: "metres that he falls"},
	{Name: "SMOKE", Type: "number", Least: 0, Most: 100, Help: "metres: a cloud of smoke of that radius hangs round him; 0: the smoke where he is has cleared"},
	{Name: "COUGHING", Type: "number", Least: 0, Most: 1000, Help: "rounds for which smoke hampers him; 0: he can breathe"},
	{Name: "BURNING", Type: "number", Least: 0, Most: 1000, Help: "rounds for which he burns; 0: the fire is out"},
	{Name: "ENTANGLED", Type: "word", Words: yesNo, Help: "yes: threads hold him where he is"},
	{Name: "SCREEN", Type: "word", Words: []string{"on", "off", "broken"}, Help: "what the state of his screen is"},
	{Name: "SEU", Type: "number", Least: 0, Most: 1000, Help: "what is left in the power pack of his screen"},
	{Name: "CAPACITY", Type: "number", Least: 0, Most: 1000, Help: "points that his suit still absorbs"},
	{Name: "BROKEN", Type: "word", Words: yesNo, Help: "whether the weapon in his hand is broken"},
	{Name: "SURPRISE", Type: "word", Words: []string{"check", "unaware", "no"}, Help: "for this turn: he makes an Intuition check and may notice the ambush; or he cannot notice it; or neither"},
	{Name: "NOTICE", Type: "text", Help: "for this whole turn: what he notices if he passes his check, in words of yours"},
	{Name: "SURPRISED", Type: "word", Words: yesNo, Help: "for this whole turn: yes: he can only move and take cover, after all others; no: he is not"},
	{Name: "SECRET", Type: "word", Words: yesNo, Help: "for this whole turn: yes: nobody can read what he declares"},
	{Name: "SECOND", Type: "word", Words: yesNo, Help: "for this whole turn: no: he is not asked again when others have declared"},
	{Name: "SHOWN", Type: "person", Help: "who sees him in this turn wherever he is"},
	{Name: "VEILED", Type: "person", Help: "who does not see him in this turn"},
	{Name: "KNOWN", Type: "person", Help: "who tells him from others in this turn, however far away he is"},
	{Name: "MASKED", Type: "person", Help: "who takes him for a distant figure in this turn"},
	{Name: "LEAN", Type: "word", Words: yesNo, Help: "for this whole turn: yes: he can lean out beside any obstacle; no: he cannot lean"},
	{Name: "INITIATIVE", Type: "number", Least: -50, Most: 50, Help: "for this whole turn: added to his initiative"},
	{Name: "TIE", Type: "number", Least: 0, Most: 1000, Help: "for this whole turn: of several at the same count the highest goes first"},
	{Name: "GROUP", Type: "person", Help: "of a foe: with whom he rolls initiative from this turn on; himself: alone"},
	{Name: "REACTS", Type: "word", Words: yesNo, Help: "with AT EVENT: yes: what he holds is set off by that event, before it; no: it is not"},
	{Name: "SPOTTING", Type: "number", Least: 1, Most: 1000, Help: "percent of the spotting distances that he has; 100: all"},
	{Name: "VIEW", Type: "number", Least: 1, Most: 100, Help: "how many times as far he sees from where he stands; 1: as on the flat"},
	{Name: "POLICY", Type: "word", Words: policies[1:], Help: "what a foe does without orders"},
	{Name: "FLEE", Type: "number", Least: 0, Most: 1000, Help: "of a foe: with so much Stamina or less he flees; 0: he does not"},
	{Name: "PROTECT", Type: "person", Help: "of a foe: whom he protects under the policy protect"},
	{Name: "FATE", Type: "word", Words: []string{"dying", "unconscious", "dead"}, Help: "what his state is while he is down"},
	{Name: "SURRENDERED", Type: "word", Words: yesNo, Help: "yes: he has given up: he does nothing without orders, and his side does not fight on through him"},
	{Name: "DROPPED", Type: "square", Help: "where the weapon lies that he has let go of"},
	{Name: "CLIPS", Type: "number", Least: 0, Most: 100, Help: "how often he can still load the weapon in his hand"},
	{Name: "RATE", Type: "number", Least: 1, Most: 10, Help: "shots a turn of the weapon in his hand"},
	{Name: "WALK", Type: "number", Least: 0, Most: 1000, Help: "metres that he walks in a turn"},
	{Name: "RUN", Type: "number", Least: 0, Most: 1000, Help: "metres that he runs in a turn"},
	{Name: "STR", Type: "number", Least: 1, Most: 100, Help: "his Strength"},
	{Name: "DEX", Type: "number", Least: 1, Most: 100, Help: "his Dexterity"},
	{Name: "RS", Type: "number", Least: 1, Most: 100, Help: "his Reaction Speed"},
	{Name: "INT", Type: "number", Least: 1, Most: 100, Help: "his Intuition"},
}

// deeds are the kinds of events in which somebody does something; attacks those
// of them that have a roll to hit.
var (
	attackKinds = []string{"fire", "burst", "melee", "throw", "launch"}
	otherKinds  = []string{"move", "posture", "face", "ready", "reload", "set", "use", "special", "defend", "plug", "unplug", "wait", "hold", "lost"}
	deedKinds   = slices.Concat(attackKinds, otherKinds)
	hurtKinds   = append(slices.Clone(attackKinds), "explosion")
)

// eventFields are what a ruling may say of an event (21).
var eventFields = []game.Field{
	{Name: "OUTCOME", Type: "outcome", Words: outcomes, Kinds: attackKinds, Help: "how an attack ends"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"noticed", "surprised"}, Kinds: []string{"surprise"}, Help: "whether he notices the ambush"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{resolve.WordAllow}, Kinds: append(slices.Clone(attackKinds), "use", "lost"), Help: "let it be done this once though sight, range, reach, time or his own state forbid it"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{resolve.WordCancel}, Kinds: append(slices.Clone(deedKinds), "explosion"), Help: "it is not done; of an explosion: a dud"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{wordDeny}, Kinds: deedKinds, Help: "of a reaction: what set it off does not; he keeps it"},
	{Name: "CHANCE", Type: "number", Least: -500, Most: 500, Kinds: append(slices.Clone(attackKinds), "surprise"), Help: "the chance that is rolled against"},
	{Name: "MODIFIER", Type: "number", Least: -500, Most: 500, Kinds: attackKinds, Help: "a line of its sum; the reason is its name"},
	{Name: "COVER", Type: "word", Words: []string{"none", "soft", "hard"}, Kinds: []string{"fire", "burst", "throw", "launch"}, Help: "the target's cover"},
	{Name: "DAMAGE", Type: "number", Least: 0, Most: 1000, Kinds: hurtKinds, Help: "points that get through to one, or of a burst or an explosion those that are shared"},
	{Name: "HALVED", Type: "word", Words: yesNo, Kinds: hurtKinds, Help: "yes: half of the damage; no: avoiding it does not halve it"},
	{Name: "DEFENCE", Type: "word", Words: append([]string{"none", "all"}, defenceClasses...), Kinds: hurtKinds, Help: "which of his defences count"},
	{Name: "AVOIDED", Type: "word", Words: yesNo, Kinds: hurtKinds, Help: "whether he gets clear"},
	{Name: "RESISTED", Type: "word", Words: yesNo, Kinds: hurtKinds, Help: "whether he resists a stun, sleep or poison"},
	{Name: "TURNS", Type: "number", Least: 1, Most: 1000, Kinds: hurtKinds, Help: "rounds that he is out"},
	{Name: "WOUND", Type: "number", Least: 0, Most: woundDie, Kinds: attackKinds, Help: "of a grievous hit: a wound of the table; 0: none"},
	{Name: "LOCATION", Type: "word", Kinds: hurtKinds, Help: "where it hits, for the report: leg, shoulder …"},
	{Name: "TOTAL", Type: "number", Least: -100, Most: 1000, Kinds: []string{"initiative"}, Help: "his initiative"},
	{Name: "ACTIONS", Type: "number", Least: 1, Most: 9, Kinds: []string{"initiative"}, Help: "with how many sub-actions his slots are counted; what is beyond them is left out"},
	{Name: "SLOT", Type: "number", Least: -100, Most: 1000, Kinds: deedKinds, Help: "the count at which it comes, in the order of his plan"},
	{Name: "METRES", Type: "number", Least: 0, Most: 1000, Kinds: []string{"move"}, Help: "how far he can go in this piece of his way"},
	{Name: "DONE", Type: "number", Least: 0, Most: 100, Kinds: []string{"use"}, Help: "turns of a treatment that are behind him"},
	{Name: "HEALED", Type: "number", Least: 0, Most: 1000, Kinds: []string{"use"}, Help: "Stamina that a treatment gives back"},
}

// squareFields are what a ruling may set on a square (21).
var squareFields = []game.Field{
	resolve.TerrainField,
	{Name: "SMOKE", Type: "number", Least: 0, Most: 100, Help: "metres: a cloud of smoke of that radius; 0: the smoke there has cleared"},
}

var yesNo = resolve.YesNo

// rulings are all that the GM may decide in an encounter.
func (t *tables) rulings(v game.View) []game.Field {
	return slices.Concat(resolve.WithPeople(rulingFields, v), resolve.FieldsOf(game.OfEvent, eventFields), resolve.FieldsOf(game.OfThing, resolve.ThingFields),
		resolve.FieldsOf(game.OfSquare, squareFields), t.settings.Fields())
}
