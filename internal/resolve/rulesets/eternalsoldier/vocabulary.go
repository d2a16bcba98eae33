package eternalsoldier

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Vocabulary implements resolve.Ruleset. The examples of the verbs speak of the
// viewer's own weapons and of whom he sees.
func (r *Ruleset) Vocabulary(v game.View) game.Vocabulary {
	voc := r.Planned.Vocabulary(v)
	if v.Viewer == game.GM {
		voc.Fields, voc.Moment = r.rulingFields(v), "segment"
	}
	words, others := resolve.ExampleWords(v), companyWords(v)
	t := r.t
	k, known := r.know(v)
	if known {
		t = k.tables
	}
	voc.Attacks = append(voc.Attacks, t.weaponKinds()...)
	for i := range voc.Verbs {
		verb := &voc.Verbs[i]
		if verb.Example = others.Replace(words.Replace(verb.Example)); strings.Contains(verb.Example, "{") || k.idle(v, verb.Name) {
			verb.Example = ""
		}
	}
	return voc
}

// companyWords puts friends and mounts whom the viewer sees into examples.
func companyWords(v game.View) *strings.Replacer {
	ally, mount := "", ""
	for _, o := range v.Others {
		switch {
		case !o.InSight || o.Relation == "enemy":
		case slices.Contains(o.Status, mountable):
			mount = cmp.Or(mount, o.Name)
		case o.Relation == "ally":
			ally = cmp.Or(ally, o.Name)
		}
	}
	return strings.NewReplacer("{ally}", cmp.Or(ally, "{ally}"), "{mount}", cmp.Or(mount, "{mount}"))
}

// weaponKinds are the weapons that a policy can name, in the plural first.
func (t *tables) weaponKinds() []game.Named {
	var out []game.Named
	for i := range t.weapons {
		w := &t.weapons[i]
		if w.ID == "bare" || w.ID == "kick" {
			continue
		}
		var names []string
		for _, name := range append([]game.ID{game.ID(w.Name)}, w.Also...) {
			one := strings.ReplaceAll(strings.ToLower(string(name)), "_", " ")
			many := one + "s"
			if stem, ok := strings.CutSuffix(one, "fe"); ok {
				many = stem + "ves"
			}
			names = append(names, many, one)
		}
		out = append(out, game.Named{ID: w.ID, Names: names})
	}
	return out
}

// idle reports a verb of which there is no use for the viewer now. What his sheet
// says is not known of a view that is of no world.
func (k *knowledge) idle(v game.View, verb string) bool {
	held := slices.ContainsFunc(v.Self.Status, func(s string) bool { return strings.HasPrefix(s, "held_by:") })
	switch verb {
	case "break_free":
		return !held
	case "release":
		return !slices.ContainsFunc(v.Others, func(o game.Sight) bool { return slices.Contains(o.Status, "held_by:"+string(v.Viewer)) })
	case "wrestle":
		return slices.ContainsFunc(v.Weapons, func(t game.Thing) bool { return t.State == "in_hand" })
	case "cease_fire":
		return true
	case "counter_throw":
		return k == nil || k.percent(k.me, "judo") <= 0
	case "acrobatics":
		return !onSheet(v, "Acrobatics")
	case treat:
		return !onSheet(v, "Medic")
	case "climb_down":
		return !onSheet(v, upLabel)
	}
	return false
}

// upLabel is the line of a sheet that says what somebody stands on or rides.
const upLabel = "Up on"

// onSheet reports a line of the viewer's sheet.
func onSheet(v game.View, label string) bool {
	return slices.ContainsFunc(v.Sheet, func(l game.Line) bool { return l.Label == label })
}
