package eternalsoldier

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Vocabulary implements resolve.Ruleset. The examples of the verbs speak of the
// viewer's own weapons and of whom he sees.
func (r *Ruleset) Vocabulary(v game.View) game.Vocabulary {
	voc := r.Planned.Vocabulary(v)
	if v.Viewer == game.GM {
		voc.Fields, voc.Moment = r.rulingFields(v), "segment"
	}
	words := exampleWords(v)
	k, known := r.know(v)
	t := r.t
	if known {
		t = k.tables
	}
	voc.Attacks = append(voc.Attacks, t.attackKinds()...)
	for i := range voc.Verbs {
		verb := &voc.Verbs[i]
		if verb.Example = words.Replace(verb.Example); strings.Contains(verb.Example, "{") || idle(v, verb.Name) || verb.Name == "counter_throw" && (!known || k.percent(k.me, "judo") <= 0) {
			verb.Example = ""
		}
	}
	return voc
}

// attackKinds are the weapons that a policy can name, in the plural first.
func (t *tables) attackKinds() []game.Named {
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

// idle reports a verb of which there is no use for the viewer now.
func idle(v game.View, verb string) bool {
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
	}
	return false
}

// exampleWords puts what the viewer has and sees into examples.
func exampleWords(v game.View) *strings.Replacer {
	var pairs []string
	set := func(key, value string) {
		if value != "" && !slices.Contains(pairs, key) {
			pairs = append(pairs, key, value)
		}
	}
	for _, w := range v.Weapons {
		out := w.State == "in_hand"
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
		if o.Relation == "enemy" && o.InSight && !slices.Contains(o.Status, "down") {
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
