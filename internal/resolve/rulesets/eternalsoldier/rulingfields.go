package eternalsoldier

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// late is the greatest segment that a ruling may name.
const late = 1_000_000

// figureFields are what a ruling may set on a combatant (12). A person is one of
// the combatants; the words of a weapon, a poison, armor, a hold or a skill are
// those of the game: see rulingFields.
var figureFields = []game.Field{
	{Name: "HP", Type: "number", Least: -1000, Most: 10_000, Help: "hit points left"},
	{Name: "HPMAX", Type: "number", Least: 1, Most: 10_000, Help: "hit points when he is well"},
	{Name: "HURT", Type: "number", Least: 1, Most: 1000, Help: "hit points that he loses now, as by a blow that no armor stops"},
	{Name: "SUFF", Type: "number", Least: -10_000, Most: 100_000, Help: "suffocation points left"},
	{Name: "STATUS", Type: "word", Words: []string{active, faltering, unconscious, dead, surrendered}, Help: "state; unconscious lasts until it is ruled otherwise"},
	{Name: "OUT_UNTIL", Type: "number", Least: 0, Most: late, Help: "the segment until which he is unconscious, whatever his hit points; 0: no longer"},
	{Name: "DIES_AT", Type: "number", Least: 0, Most: late, Help: "the segment in which he dies; until then no wound fells him, so that he can still speak; 0: as the rules have it"},
	{Name: "WILL_AT", Type: "number", Least: 0, Most: late, Help: "the segment of his next will roll; 0: none"},
	{Name: "STUNNED", Type: "number", Least: 0, Most: 10_000, Help: "segments for which he can neither act nor react; 0: he is not stunned"},
	{Name: "STR", Type: "number", Least: 1, Most: 100, Help: "his Strength"},
	{Name: "AGI", Type: "number", Least: 1, Most: 100, Help: "his Agility without armor and harm"},
	{Name: "DEX", Type: "number", Least: 1, Most: 100, Help: "his Dexterity"},
	{Name: "CON", Type: "number", Least: 1, Most: 1000, Help: "his Constitution"},
	{Name: "INT", Type: "number", Least: 1, Most: 100, Help: "his Intelligence"},
	{Name: "WILL", Type: "number", Least: 1, Most: 100, Help: "his Will"},
	{Name: "SPEED", Type: "number", Least: 0, Most: 1000, Help: "feet a segment at full speed; 0: as many as his agility"},
	{Name: "SIZE", Type: "word", Words: sizes, Help: "how large a target he is"},
	{Name: "LAST_ACTION", Type: "number", Least: longAgo, Most: late, Help: "the segment in which he completed his last action"},
	{Name: "READY_AT", Type: "number", Least: 0, Most: late, Help: "the segment in which he is ready with what he holds, this once"},
	{Name: "READY_SHIFT", Type: "number", Least: -100, Most: 1000, Help: "segments by which his next attack or reaction is ready later; negative: sooner"},
	{Name: "WAITS_FROM", Type: "number", Least: 0, Most: late, Help: "the segment from which his waiting counts for a set attack"},
	{Name: "WAITS_FOR", Type: "person", Help: "for whom he waits; himself: for anybody"},
	{Name: "DONE_AT", Type: "number", Least: 0, Most: late, Help: "the segment in which the activity under way is done"},
	{Name: "INTERRUPTED", Type: "word", Words: []string{"yes"}, Help: "the activity under way is broken off, and nothing of it is gained"},
	{Name: "AT", Type: "square", Help: "where he is"},
	{Name: "POSTURE", Type: "word", Words: postures, Help: "how he holds himself"},
	{Name: "FACING", Type: "word", Words: []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}, Help: "which way he looks"},
	{Name: "SURPRISED", Type: "word", Words: yesNo, Help: "whether he has not yet noticed what goes on"},
	{Name: "HIDDEN", Type: "word", Words: yesNo, Help: "yes: nobody sees him until he attacks; no: whoever looks, as when he joins the fight"},
	{Name: "SEEN_BY", Type: "person", Help: "one more who sees him while he is hidden"},
	{Name: "COVER", Type: "word", Words: append([]string{"map"}, coverWords...), Help: "percent of his body behind cover, against every shot; map: what stands there"},
	{Name: "GROUND", Type: "word", Words: append([]string{"map"}, grounds...), Help: "what he stands on, as far as blows go; map: what is there"},
	{Name: "MOUNTED", Type: "word", Words: yesNo, Help: "whether he is mounted"},
	{Name: "DRAWN", Type: "weapon", Help: "he has it in hand"},
	{Name: "STOWED", Type: "weapon", Help: "he has put it away"},
	{Name: "DROPPED", Type: "weapon", Help: "it lies at his feet"},
	{Name: "BROKEN", Type: "weapon", Help: "it is broken"},
	{Name: "MENDED", Type: "weapon", Help: "it is whole again"},
	{Name: "STUCK", Type: "weapon", Help: "it takes time to get it free"},
	{Name: "FREED", Type: "weapon", Help: "it is not stuck"},
	{Name: "AMMO", Type: "number", Least: 0, Most: 1000, Help: "rounds in the weapon that he holds"},
	{Name: "CARRIES", Type: "number", Least: 0, Most: 10_000, Help: "rounds that he carries besides"},
	{Name: "SPEED_CLASS", Type: "number", Least: 1, Most: maxClass, Help: "speed class of the weapon that he holds"},
	{Name: "DRAW_CLASS", Type: "number", Least: 1, Most: maxClass, Help: "class of drawing the weapon that he holds or carries first"},
	{Name: "RELOAD_CLASS", Type: "number", Least: 1, Most: maxClass, Help: "class of loading the weapon that he holds"},
	{Name: "COATED", Type: "poison", Help: "poison on the weapon that he holds"},
	{Name: "WEARS", Type: "armor", Help: "what he wears: body armor in place of his own, a field besides; none: nothing"},
	{Name: "WEAR", Type: "number", Least: 0, Most: 1000, Help: "hits that have burnt his ablative armor"},
	{Name: "POISON", Type: "poison", Help: "poison at work; none: all of it is cured"},
	{Name: "POISON_AT", Type: "number", Least: 0, Most: late, Help: "the segment of his next roll against poison"},
	{Name: "POISON_STREAK", Type: "number", Least: 0, Most: 100, Help: "rolls against it that he has made in a row"},
	{Name: "STIFF", Type: "number", Least: 0, Most: 100, Help: "points of agility lost to poison"},
	{Name: "DRUG", Type: "number", Least: 0, Most: 20, Help: "rating of a drug that keeps him up; 0: none"},
	{Name: "DRUG_UNTIL", Type: "number", Least: 0, Most: late, Help: "the segment in which it wears off"},
	{Name: "DRUG_AGI", Type: "number", Least: -50, Most: 50, Help: "what it does to his agility while it lasts"},
	{Name: "BONE", Type: "word", Words: []string{"main_arm", "off_arm", "leg", "none"}, Help: "a broken bone; none: all are set and healed"},
	{Name: "BONE_POINTS", Type: "number", Least: 1, Most: 1000, Help: "points to be healed before his broken bones are"},
	{Name: "INJURED", Type: "number", Least: 0, Most: 100, Help: "agility lost for good to a leg that was not set"},
	{Name: "INJURED_MAIN", Type: "number", Least: 0, Most: 100, Help: "the same for the main arm"},
	{Name: "INJURED_OFF", Type: "number", Least: 0, Most: 100, Help: "the same for the other arm"},
	{Name: "FALL", Type: "number", Least: 1, Most: 10_000, Help: "feet that he falls"},
	{Name: "COLLIDE", Type: "number", Least: 1, Most: 10_000, Help: "miles an hour at which he runs into something"},
	{Name: "ZONE", Type: "word", Words: []string{"kill", "casualty", "out"}, Help: "with AT EVENT: in which zone of that explosion he is"},
	{Name: "HELD", Type: "word", Words: []string{"no"}, Help: "free of all holds"},
	{Name: "HELD_BY", Type: "person", Help: "who grabs hold of him"},
	{Name: "HOLD", Type: "hold", Help: "which hold he is in"},
	{Name: "ROLL", Type: "roll", Help: "a roll on an attribute or a skill, for whatever you ask of it"},
}

// coverWords are percents of a body behind cover (5.4).
var coverWords = []string{"none", "25", "50", "75", "90"}

// The kinds of events that rulings speak of.
var (
	meleeKinds   = []string{"melee", "wrestle"}
	shotKinds    = []string{"fire", "throw"}
	attackKinds  = slices.Concat(meleeKinds, shotKinds)
	answerKinds  = []string{"parry", "dodge"}
	rolledKinds  = slices.Concat(attackKinds, answerKinds)
	hurtKinds    = append(slices.Clone(attackKinds), "harm")
	d20Kinds     = []string{"status", "footing", "poison"}
	deedKinds12  = slices.Concat(rolledKinds, []string{"begin", "move"})
	refusedKinds = []string{"melee", "fire", "throw", "quick_attack", "set_attack", "auto_fire", "wrestle"}
)

// eventFields are what a ruling may say of an event (12).
var eventFields = []game.Field{
	{Name: "OUTCOME", Type: "outcome", Words: []string{hit, miss}, Kinds: attackKinds, Help: "how an attack ends"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{critical}, Kinds: rolledKinds, Help: "a critical hit, parry or dodge; of a shot too, if you allow one"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{fumble}, Kinds: append(slices.Clone(meleeKinds), answerKinds...), Help: "of a blow, a hold, a parry or a dodge"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{wordSuccess, miss}, Kinds: append(slices.Clone(answerKinds), "done"), Help: "how a parry, a dodge or a treatment ends"},
	{Name: "OUTCOME", Type: "outcome", Words: append(slices.Clone(criticalEffects), wordNothing), Kinds: attackKinds, Help: "what a critical hit does, in place of the chart; nothing: no more than you tell, and your reason stands in its place"},
	{Name: "OUTCOME", Type: "outcome", Words: append(slices.Clone(fumbleEffects), wordNothing), Kinds: append(slices.Clone(meleeKinds), answerKinds...), Help: "what a fumble does, in place of the chart"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"breaks", "holds"}, Kinds: []string{"parry"}, Help: "whether what he parried with breaks"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{resolve.WordCancel}, Kinds: deedKinds12, Help: "it is not done, and his plan goes on; of a parry or a dodge: he cannot"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{wordFree}, Kinds: slices.Concat(rolledKinds, []string{"begin"}), Help: "it costs no time"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{resolve.WordAllow}, Kinds: refusedKinds, Help: "of what was impossible: from this segment on in this turn reach, hands, holds or harm do not keep him from it"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{wordDud}, Kinds: []string{"throw"}, Help: "what he throws does not go off"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"stands", "falls"}, Kinds: []string{"footing", "status"}, Help: "whether he stays up"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{faltering, unconscious, dead}, Kinds: []string{"status"}, Help: "what a will roll comes to"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"notices", "unaware"}, Kinds: []string{"surprise"}, Help: "whether he notices what goes on"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"resists", "suffers", "cured"}, Kinds: []string{"poison"}, Help: "what a roll against poison comes to"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{"free", "held"}, Kinds: []string{"break_free"}, Help: "whether he gets out of the hold"},
	{Name: "OUTCOME", Type: "outcome", Words: []string{collapses, stands, "strikes", "misses"}, Kinds: []string{"structure"}, Help: "whether a thing of the map stands, and whether what goes through it strikes who is behind"},
	{Name: "CHANCE", Type: "number", Least: -500, Most: 500, Kinds: append(slices.Clone(rolledKinds), "begin", "done"), Help: "the chance that is rolled against"},
	{Name: "MODIFIER", Type: "number", Least: -500, Most: 500, Kinds: slices.Concat(rolledKinds, d20Kinds, []string{"break_free", "grip", "ruling", "begin", "done", "surprise", "stun", "breakfall"}), Help: "a line of its sum; the reason is its name"},
	{Name: "TIMING", Type: "number", Least: -100, Most: 1000, Kinds: attackKinds, Help: "segments for which it is set; negative: early"},
	{Name: "ORDER", Type: "number", Least: -9, Most: 9, Kinds: attackKinds, Help: "within its segment: the lowest number first, and what it does counts for those behind; all others have 0"},
	{Name: "AWARE", Type: "word", Words: yesNo, Kinds: attackKinds, Help: "whether the target notices it"},
	{Name: "SIDE", Type: "word", Words: []string{"front", "flank", "behind"}, Kinds: attackKinds, Help: "from where it comes"},
	{Name: "REACTION", Type: "word", Words: []string{"none", "parry", "dodge"}, Kinds: attackKinds, Help: "what the target does about it, whatever the rules and his orders say"},
	{Name: "RANGE", Type: "number", Least: 0, Most: 10_000, Kinds: shotKinds, Help: "yards that count for the shot"},
	{Name: "DEGREES", Type: "number", Least: 0, Most: 180, Kinds: shotKinds, Help: "by how much the aim swings"},
	{Name: "COVER", Type: "word", Words: coverWords, Kinds: shotKinds, Help: "percent of the target behind cover"},
	{Name: "SHIELD", Type: "number", Least: 0, Most: 100, Kinds: shotKinds, Help: "what the target's shield takes off the chance"},
	{Name: "DAMAGE", Type: "number", Least: 0, Most: 1000, Kinds: hurtKinds, Help: "points before armor; of a harm: those that get through"},
	{Name: "CASUALTY", Type: "number", Least: 0, Most: 1000, Kinds: []string{"throw"}, Help: "of what explodes: points in the casualty zone; DAMAGE are those in the kill zone"},
	{Name: "TYPE", Type: "word", Words: damageTypes, Kinds: hurtKinds, Help: "the type of the damage"},
	{Name: "ARMOR", Type: "armor", Kinds: hurtKinds, Help: "which layer of armor counts; none: it is bypassed; all: every one"},
	{Name: "LOCATION", Type: "word", Kinds: hurtKinds, Help: "where it hits, for the report: leg, shoulder …"},
	{Name: "PASSES", Type: "number", Least: 0, Most: 1000, Kinds: []string{"parry"}, Help: "points that go through what he parried with"},
	{Name: "PROGRESS", Type: "word", Words: []string{"kept", "lost"}, Kinds: answerKinds, Help: "whether what he was drawing or loading goes on, or begins again"},
	{Name: "LANDS", Type: "square", Kinds: []string{"throw"}, Help: "where what explodes comes down"},
	{Name: "SEGMENTS", Type: "number", Least: 1, Most: 100_000, Kinds: []string{"begin"}, Help: "how long it takes"},
	{Name: "CLASS", Type: "number", Least: 1, Most: maxClass, Kinds: []string{"begin"}, Help: "the class of the action, 1 to 10"},
	{Name: "FEET", Type: "number", Least: 0, Most: 1000, Kinds: []string{"move"}, Help: "of one who sets out: feet a segment"},
	{Name: "LOSS", Type: "number", Least: 0, Most: 1000, Kinds: []string{"poison"}, Help: "what the poison takes at this roll"},
	{Name: "DICE", Type: "word", Words: []string{"hidden", "open"}, Help: "hidden: nobody but you reads how it was reckoned; open: whoever it befalls reads the dice that were kept from him"},
}

// thingFields are what a ruling may set on a thing of the map.
var thingFields = append(slices.Clone(resolve.ThingFields),
	game.Field{Name: "HITS", Type: "number", Least: 0, Most: 100_000, Help: "points that it can still take; 0: it collapses"},
	game.Field{Name: "MATERIAL", Type: "material", Help: "what it is made of"},
	game.Field{Name: "THICKNESS", Type: "number", Least: 1, Most: 1000, Help: "how thick it is, in units of its material"})

// squareFields are what a ruling may set on a square.
var squareFields = []game.Field{resolve.TerrainField}

var yesNo = resolve.YesNo

// setupSettings are read when the fight is set up, and never again.
var setupSettings = []string{"segment", "poised_at_start", "structure_hits"}

// attributeWords are what ROLL may be about, besides skills.
var attributeWords = []string{"str", "agi", "dex", "con", "int", "will"}

// rulingFields are all that the GM may decide in an encounter, with the words of
// its own tables.
func (r *Ruleset) rulingFields(v game.View) []game.Field {
	var o own
	_ = json.Unmarshal(v.Own, &o) // a view without it has the words of the book
	t := r.at(o.House)
	var poisons, armors, holds, skills, materials []string
	for _, p := range t.Poison {
		poisons = append(poisons, p.ID)
	}
	for _, a := range t.armors {
		armors = append(armors, string(a.ID))
	}
	for _, h := range t.holds {
		holds = append(holds, h.ID)
	}
	for _, s := range t.skills {
		skills = append(skills, s.ID)
	}
	for _, s := range t.structures {
		materials = append(materials, string(s.ID))
	}
	words := map[string][]string{
		"weapon": o.Names, "poison": append(poisons, "none"), "armor": append([]string{"none"}, armors...), "hold": holds,
		"roll": slices.Concat(attributeWords, skills), "material": materials,
	}
	list := resolve.WithPeople(slices.Concat(figureFields, recoveryFields), v)
	for _, s := range t.skills {
		list = append(list, game.Field{Name: strings.ToUpper(s.ID), Type: "number", Least: 0, Most: 1000, Help: "percent of his skill: " + s.Name})
	}
	events := slices.Clone(eventFields)
	for i := range events {
		if events[i].Name == "ARMOR" {
			events[i].Type, events[i].Words = "word", append([]string{"all", "none"}, armors...)
		}
	}
	list = slices.Concat(list, resolve.FieldsOf(game.OfEvent, events), resolve.FieldsOf(game.OfThing, thingFields), resolve.FieldsOf(game.OfSquare, squareFields))
	for i := range list {
		if w, ok := words[list[i].Type]; ok {
			list[i].Type, list[i].Words = "word", w
		}
	}
	for _, f := range t.settings.Fields() {
		if !slices.Contains(setupSettings, f.Name) {
			list = append(list, f)
		}
	}
	return append(list, game.Field{Name: tablePrefix, Of: game.OfTurn, Type: "cell",
		Help: "any value of the tables, by file, table, row and column: tables.arms.weapon.long_sword.damage 2d10"})
}
