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
		voc.Fields = r.t.rulings(v)
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
		case w.State == "in_hand" && w.Melee:
			set("{blade}", w.Name)
		case w.State == "holstered" || w.State == "slung" || w.State == "sheathed":
			set("{packed}", w.Name)
			if w.Ranged {
				set("{packed_gun}", w.Name)
			}
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
