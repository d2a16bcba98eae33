package starfrontiers

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Vocabulary implements resolve.Ruleset.
func (r *Ruleset) Vocabulary(v game.View) game.Vocabulary {
	voc := game.Vocabulary{Verbs: []game.Verb{}}
	fill := r.exampleWords(v)
	for _, row := range r.t.verbs {
		// What is not built yet is understood all the same, and refused by name.
		voc.Verbs = append(voc.Verbs, game.Verb{Name: row.Name, Class: row.Class, Fields: row.Fields, Words: row.Words, Example: fill.Replace(row.Example)})
	}
	for i := range voc.Verbs {
		if strings.Contains(voc.Verbs[i].Example, "{") {
			voc.Verbs[i].Example = ""
		}
	}
	things := slices.Concat(v.Weapons, v.Items, lyingGrenades(v))
	if v.Self.ID != "" {
		things = append(things, resolve.BareHands)
	}
	voc.People, voc.Things, voc.Places = resolve.People(v, distant), resolve.Things(things), resolve.Places(v)
	if v.Viewer == game.GM {
		voc.Fields = slices.Clone(rulingFields)
		var ids []string
		for _, o := range v.Others {
			ids = append(ids, string(o.ID))
		}
		for i := range voc.Fields {
			if voc.Fields[i].Type == "person" {
				voc.Fields[i].Type, voc.Fields[i].Words = "word", ids
			}
		}
	}
	return voc
}

// lyingGrenades are those that somebody sees lie about, as things that he may
// throw on (10.2 no. 5).
func lyingGrenades(v game.View) []game.Thing {
	var out []game.Thing
	for _, f := range v.Features {
		if f.Kind == "grenade" {
			out = append(out, game.Thing{ID: f.ID, Name: f.Name, Kind: "grenade", State: "on_ground", Count: 1, Thrown: true})
		}
	}
	return out
}

// exampleWords puts the viewer's own weapons, enemies and places into the
// examples of the verbs; what he has not stays a placeholder.
func (r *Ruleset) exampleWords(v game.View) *strings.Replacer {
	var pairs []string
	powered := ""
	set := func(key, value string) {
		if value != "" && !slices.Contains(pairs, key) {
			pairs = append(pairs, key, value)
		}
	}
	for _, w := range v.Weapons {
		if r.t.weapon(game.ID(w.Kind)).bursts() && w.State != "on_ground" {
			set("{automatic}", w.Name)
		}
		if row := r.t.weapon(game.ID(w.Kind)); row.powered() && row.Clip != "" {
			set("{powered}", w.Name)
			powered = w.Name
		}
		switch {
		case w.State == "in_hand" && w.Ranged:
			set("{gun}", w.Name)
			set("{shots}", []string{"one shot", "two shots", "three shots"}[max(0, min(w.Rate, 3)-1)])
		case w.State == "holstered" || w.State == "slung" || w.State == "sheathed":
			set("{packed}", w.Name)
		}
		if r.t.weapon(game.ID(w.Kind)).launches() && w.State != "on_ground" {
			set("{shell}", "a shell")
		}
		if w.DialMax > 4 {
			set("{dial}", w.Name)
		}
	}
	for _, it := range v.Items {
		gear := Item{ID: it.ID, Kind: it.Kind, Name: it.Name, Note: it.State}
		if r.t.grenade(&gear) != nil && gear.thrown() && it.Count > 0 {
			set("{grenade}", it.Name)
		}
		if r.t.pack(&gear) != nil {
			set("{pack}", it.Name)
			set("{plugged}", powered)
		}
		if it.Kind == "dose" || it.Kind == "kit" || r.t.treatment(it.Kind, it.Name) != nil {
			set("{dose}", it.Name)
		}
	}
	for _, o := range v.Others {
		if o.Relation == "ally" {
			set("{friend}", o.Name)
		}
		if o.Relation == "enemy" && o.InSight && o.Name != distant && !slices.Contains(o.Status, "down") {
			if slices.Contains(pairs, "{enemy}") {
				set("{other}", o.Name)
			}
			set("{enemy}", o.Name)
		}
	}
	for _, f := range v.Features {
		if f.Low {
			set("{place}", strings.TrimPrefix(f.Name, "to "))
			break
		}
	}
	if v.Width > 4 && v.Height > 4 {
		set("{place}", "E4")
	}
	return strings.NewReplacer(pairs...)
}

// rulingFields are what a ruling may set on a combatant (21).
var rulingFields = []game.Field{
	{Name: "STA", Type: "number", Help: "current Stamina; 0 or less takes him out, more brings him back"},
	{Name: "POSTURE", Type: "word", Words: postures, Help: "stand, crouch, kneel or prone"},
	{Name: "AT", Type: "square", Help: "the square where he is, such as E4"},
	{Name: "FACING", Type: "word", Words: []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}, Help: "which way he looks"},
	{Name: "ABLE", Type: "word", Words: []string{"yes", "no"}, Help: "yes: he can act again (STA at least 1); no: he is unconscious"},
	{Name: "DOWN", Type: "word", Words: []string{"yes", "no"}, Help: "the opposite of ABLE"},
	{Name: "DEAD", Type: "word", Words: []string{"yes", "no"}, Help: "yes: he is dead; no: he is not"},
	{Name: "HIDDEN", Type: "word", Words: []string{"yes", "no"}, Help: "yes: no enemy sees him until he attacks; no: whoever looks"},
	{Name: "LOCKED", Type: "word", Words: []string{"yes", "no"}, Help: "yes: he is locked in melee and cannot move this turn; no: he can"},
	{Name: "RAGE", Type: "word", Words: []string{"yes", "no"}, Help: "yes: he is in battle rage; no: he is not"},
	{Name: "DIAL", Type: "number", Help: "the setting of the laser in his hand"},
	{Name: "AMMO", Type: "number", Help: "what is left in the weapon in his hand"},
	{Name: "STUNNED", Type: "number", Help: "rounds for which he is stunned; 0: he is not"},
	{Name: "UNCONSCIOUS", Type: "number", Help: "rounds for which he is unconscious; 0: he is not"},
	{Name: "BLEEDING", Type: "number", Help: "Stamina lost at the end of each round; 0: it has stopped"},
	{Name: "POISON", Type: "number", Help: "rounds in which he loses Stamina to it; 0: it is out of him"},
	{Name: "WOUND", Type: "number", Help: "1 to 10: a wound of the table of wounds; 0: all his wounds are healed"},
	{Name: "BURN", Type: "number", Help: "Stamina lost to fire, heat or acid, before any defence"},
	{Name: "FALL", Type: "number", Help: "metres that he falls"},
	{Name: "SMOKE", Type: "number", Help: "metres: a cloud of smoke of that radius hangs round him; 0: the smoke where he is has cleared"},
	{Name: "COUGHING", Type: "number", Help: "rounds for which smoke hampers him; 0: he can breathe"},
	{Name: "BURNING", Type: "number", Help: "rounds for which he burns; 0: the fire is out"},
	{Name: "ENTANGLED", Type: "word", Words: []string{"yes", "no"}, Help: "yes: threads hold him where he is"},
	{Name: "SCREEN", Type: "word", Words: []string{"on", "off", "broken"}, Help: "what the state of his screen is"},
	{Name: "SEU", Type: "number", Help: "what is left in the power pack of his screen"},
	{Name: "CAPACITY", Type: "number", Help: "points that his suit still absorbs"},
	{Name: "BROKEN", Type: "word", Words: []string{"yes", "no"}, Help: "whether the weapon in his hand is broken"},
	{Name: "SURPRISE", Type: "word", Words: []string{"check", "unaware", "no"}, Help: "for this turn: he makes an Intuition check and may notice the ambush; or he cannot notice it; or neither"},
	{Name: "SURPRISED", Type: "word", Words: []string{"yes", "no"}, Help: "for this whole turn: yes: he can only move and take cover, after all others; no: he is not"},
	{Name: "SECRET", Type: "word", Words: []string{"yes", "no"}, Help: "for this whole turn: yes: nobody can read what he declares"},
	{Name: "SECOND", Type: "word", Words: []string{"yes", "no"}, Help: "for this whole turn: no: he is not asked again when others have declared"},
	{Name: "SHOWN", Type: "person", Help: "who sees him in this turn wherever he is"},
	{Name: "VEILED", Type: "person", Help: "who does not see him in this turn"},
	{Name: "SPOTTING", Type: "number", Help: "percent of the spotting distances that he has; 100: all"},
	{Name: "VIEW", Type: "number", Help: "how many times as far he sees from where he stands; 1: as on the flat"},
	{Name: "POLICY", Type: "word", Words: policies[1:], Help: "what a foe does without orders"},
	{Name: "FLEE", Type: "number", Help: "of a foe: with so much Stamina or less he flees; 0: he does not"},
	{Name: "PROTECT", Type: "person", Help: "of a foe: whom he protects under the policy protect"},
	{Name: "FATE", Type: "word", Words: []string{"dying", "unconscious", "dead"}, Help: "what his state is while he is down"},
}
