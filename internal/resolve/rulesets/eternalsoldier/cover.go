package eternalsoldier

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// Section is a part of the map that has a material and a thickness (8.6). Left is
// what it can still take; 0 with a material that never falls.
type Section struct {
	Kind   game.ID `json:"kind"`
	Tenths int     `json:"tenths"` // of the unit of thickness
	Left   int     `json:"left"`
}

// readSections takes out of the settings what features are made of:
//
//	[settings.structures]
//	gate = "wood 3"         # three inches
//	plate = "steel_plate 4.5"
func (b *builder) readSections(values []game.Value) (sections map[game.ID]Section, rest []game.Value) {
	for _, v := range values {
		id, ok := strings.CutPrefix(v.Key, "structures.")
		if !ok {
			rest = append(rest, v)
			continue
		}
		k := b.keyed("settings", v)
		kind, thickness, _ := strings.Cut(resolve.SettingWord(v.Raw), " ")
		row := b.structure(game.ID(kind))
		tenths, good := parseTenths(thickness)
		switch {
		case !slices.ContainsFunc(b.s.Features, func(f game.Feature) bool { return f.ID == game.ID(id) }):
			k.Fault("there is no feature %q", id)
		case row == nil:
			var ids []string
			for _, s := range b.structures {
				ids = append(ids, string(s.ID))
			}
			k.Fault("%q is not a material; known are %s", kind, strings.Join(ids, ", "))
		case !good || tenths == 0:
			k.Fault("needs a thickness in its unit (%s), as in \"%s 3\"", row.Unit, kind)
		default:
			if sections == nil {
				sections = map[game.ID]Section{}
			}
			sections[game.ID(id)] = Section{Kind: row.ID, Tenths: tenths, Left: b.stands(barrier{row, tenths})}
		}
	}
	return sections, rest
}

// section is what a feature is made of.
func (e *engine) section(id game.ID) (barrier, bool) {
	s, ok := e.w.Sections[id]
	row := e.structure(s.Kind)
	if !ok || row == nil {
		return barrier{}, false
	}
	return barrier{row, s.Tenths}, true
}

// wears takes what went through a section off what it can still take; at nothing
// it falls (8.6 step 6), unless the GM's word on its fate keeps it up.
func (e *engine) wears(id game.ID, through int, ev *game.Event, fate string) {
	s, ok := e.w.Sections[id]
	if !ok || through <= 0 || e.structure(s.Kind).Hits == 0 {
		return
	}
	s.Left -= through
	ev.Numbers["left"] = s.Left
	ev.Unverified = append(ev.Unverified, "structures: each section can take its Hits for each unit of thickness, and what goes through is taken off")
	ev.Lines = append(ev.Lines, game.Line{Label: "What the section can still take", Value: strconv.Itoa(max(0, s.Left))})
	ev.Changes = append(ev.Changes, changed(id, "LEFT", strconv.Itoa(s.Left+through), strconv.Itoa(s.Left)))
	e.w.Sections[id] = s
	if s.Left <= 0 && fate != stands {
		e.collapses(id, ev)
	}
}

// collapses opens a feature for good.
func (e *engine) collapses(id game.ID, ev *game.Event) {
	for i := range e.w.Features {
		f := &e.w.Features[i]
		if f.ID != id || f.State == destroyed {
			continue
		}
		f.Opaque, f.Cover, f.Low, f.State = false, "", false, destroyed
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(resolve.Definite(f.Name)), Value: "is destroyed"})
		ev.Changes = append(ev.Changes, changed(id, "STATE", "", destroyed))
	}
	e.vanishes(id)
}

// walls are the squares that nobody sees or walks through.
type walls struct {
	width int
	cells []bool // nil: there are none
}

func (w *World) walls() walls {
	out := walls{width: w.Width}
	for _, f := range w.Features {
		if !f.Opaque {
			continue
		}
		if out.cells == nil {
			out.cells = make([]bool, w.Width*w.Height)
		}
		for _, s := range f.Squares {
			if s.X >= 0 && s.X < w.Width && s.Y >= 0 && s.Y < w.Height {
				out.cells[s.Y*w.Width+s.X] = true
			}
		}
	}
	return out
}

// at reports that a square is one of them; beyond the map there is none.
func (w walls) at(s game.Square) bool {
	i := s.Y*w.width + s.X
	return s.X >= 0 && s.X < w.width && i >= 0 && i < len(w.cells) && w.cells[i]
}

// clear reports that nothing blocks the line between two squares.
func (w walls) clear(a, b game.Square) bool {
	return w.cells == nil || resolve.LineClear(a, b, w.at)
}

// shelter is what a target has between itself and a shot: a feature in the last
// two squares of the way, and the row of 5.4 that it counts as. Soft cover hides a
// quarter and hard cover half of a body; lower bodies behind low things more.
func (e *engine) shelter(from, to *Fighter) (feature *game.Feature, row string) {
	a, b := e.w.square(from.At), e.w.square(to.At)
	resolve.Cross(a, b, func(c resolve.Crossing) bool {
		if max(abs(c.Cell.X-b.X), abs(c.Cell.Y-b.Y)) > 1 {
			return true
		}
		for i := range e.w.Features {
			if f := &e.w.Features[i]; f.Cover != "" && slices.Contains(f.Squares, c.Cell) {
				feature = f
			}
		}
		return true
	})
	if feature == nil {
		return nil, ""
	}
	degree := 0
	if feature.Cover == "hard" {
		degree = 1
	}
	if feature.Low {
		switch to.Posture {
		case "kneel":
			degree++
		case "prone":
			degree += 2
		}
	}
	return feature, []string{"cover_25", "cover_50", "cover_75", "cover_90"}[min(degree, 3)]
}

// covered is a shot that only its target's cover has stopped: the cover is hit,
// and what goes through it goes on (5.4).
func (e *engine) covered(a *attack) bool {
	if a.cover == 0 || a.dodged || a.roll == 100 || a.roll > a.sum.total-a.cover {
		return false
	}
	n, err := resolve.ParseNotation(a.arms.row.Damage)
	if err != nil {
		return false
	}
	if a.arms.row.Shotgun {
		n.N = e.shotgunDice(n.N, distance(a.f.At, a.target.At), a.arms.row.Range)
	}
	damage := e.rollAll(a.ev, "dmg", a.f.ID, a.when, n)
	line := func(label, value string) { a.ev.Lines = append(a.ev.Lines, game.Line{Label: label, Value: value}) }
	line("Damage "+n.String()+", at the cover", strconv.Itoa(damage))
	t := a.target
	through := 0
	if a.shield != nil {
		broken, passes := breaks(damage, e.shield(a.shield.Kind).Most)
		through = passes
		if broken {
			line("The "+a.shield.Name, "breaks")
			wp := a.shield
			e.tallied(t).effects = append(e.tallied(t).effects, func() { wp.Broken = true })
		}
	} else if a.shelter != nil {
		if b, ok := e.section(a.shelter.ID); ok {
			through = e.stopped(a.ev, a.shelter, b, damage, a.arms.row.Type, a.arms.piercing())
			id, wear := a.shelter.ID, through
			e.tallied(t).effects = append(e.tallied(t).effects, func() { e.wears(id, wear, a.ev, "") })
		}
	}
	a.ev.Reason = "cover"
	if through == 0 {
		return true
	}
	kind := a.arms.row.Type
	if a.arms.piercing() {
		kind = "explosion"
		if e.word("piercing_damage") == "full" {
			through = damage
		}
	}
	e.reaches(t, blow{by: a.f, damage: through, kind: kind, from: a.ref, poison: a.arms.Poison})
	return true
}

// behind takes off a blast what stands between it and a point; stopped: something
// that has no material to reckon with.
func (e *engine) behind(from, to Point, damage int) (left int, stopped bool) {
	left = damage
	done := map[game.ID]bool{}
	resolve.Cross(e.w.square(from), e.w.square(to), func(c resolve.Crossing) bool {
		if !e.walls.at(c.Cell) || c.Corner {
			return true
		}
		for i := range e.w.Features {
			f := &e.w.Features[i]
			if !f.Opaque || done[f.ID] || !slices.Contains(f.Squares, c.Cell) {
				continue
			}
			done[f.ID] = true
			b, ok := e.section(f.ID)
			if !ok {
				stopped = true
				return false
			}
			left, _ = b.passes(left, "explosion", false)
		}
		return true
	})
	return left, stopped
}
