package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// feature is a thing of the map that still stands; nil when there is none.
func (w *World) feature(id game.ID) *game.Feature {
	x := find(w.Features, func(x *game.Feature) bool { return x.ID == id && id != "" })
	if x == nil || x.State == destroyed || x.Kind == resolve.GoneKind {
		return nil
	}
	return x
}

// vanishes ends what stood on a thing of the map that is no more, and what it was
// made of.
func (e *engine) vanishes(id game.ID) {
	for _, f := range e.w.Fighters {
		if f.Up == id {
			f.Up = ""
		}
	}
	delete(e.w.Sections, id)
	e.walls = e.w.walls()
}

// destroyed is the state of a thing of the map that is no more.
const destroyed = "destroyed"

// faceOf is the middle of the square of a thing that somebody strikes: the nearest
// that nothing else hides from him.
func (e *engine) faceOf(f *Fighter, id game.ID) (Point, bool) {
	x := e.w.feature(id)
	if x == nil {
		return Point{}, false
	}
	var best Point
	found := false
	for _, s := range x.Squares {
		c := e.w.centre(s)
		if (!found || distance(f.At, c) < distance(f.At, best)) && e.walls.clear(e.w.square(f.At), s) {
			best, found = c, true
		}
	}
	return best, found
}

// goalName names what an attack is made at.
func (e *engine) goalName(f *Fighter, thing game.ID) string {
	if f != nil {
		return f.Name
	}
	if x := find(e.w.Features, func(x *game.Feature) bool { return x.ID == thing }); x != nil {
		return resolve.Definite(x.Name)
	}
	return "the place"
}

// damages is a blow or a shot that strikes a thing of the map (8.6): what its
// material stops, what goes through, and what that leaves of the section.
func (e *engine) damages(a *attack) {
	x := e.w.feature(a.thing)
	if !a.landed() || x == nil {
		return
	}
	row := a.arms.row
	n, err := resolve.ParseNotation(row.Damage)
	if err != nil {
		return
	}
	if row.Shotgun {
		n.N = e.shotgunDice(n.N, distance(a.f.At, *a.at), row.Range)
	}
	rolled := e.rollAll(a.ev, "dmg", a.f.ID, a.when, n)
	a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Damage " + n.String(), Value: strconv.Itoa(rolled)})
	if what := row.unverified("damage"); what != "" {
		a.ev.Unverified = append(a.ev.Unverified, what)
	}
	bonus := e.strengthLine(a.f, a.arms)
	if bonus != 0 {
		a.ev.Unverified = append(a.ev.Unverified, e.untoldOf(strengthGuess)...)
		a.ev.Lines = append(a.ev.Lines, game.Line{Label: "Strength", Value: resolve.Signed(bonus)})
	}
	damage := max(0, rolled+bonus)
	if v, ok := e.rulings.EventNumber(a.ref, "damage"); ok {
		damage = max(0, v)
	}
	a.ev.Numbers["damage"] = damage

	ev := e.event(e.unique(a.ref+".t"), a.f, "structure", "holds", "8.6")
	e.after = append(e.after, ev)
	b, ok := e.section(x.ID)
	if !ok {
		e.unmade(a, ev, x, damage)
		return
	}
	through := e.stopped(ev, x, b, damage, row.Type, a.arms.piercing())
	t := e.tallied(a.f)
	fate := e.fate(ev)
	t.effects = append(t.effects, func() {
		if e.wears(x.ID, through, ev, fate); fate == collapses {
			e.collapses(x.ID, ev)
		}
	})
	name := resolve.Definite(x.Name)
	text := resolve.Title(name) + " holds."
	if through > 0 {
		ev.Outcome = "pierced"
		text = resolve.Title(name) + " is pierced."
		if a.arms.missile() {
			if a.arms.piercing() && e.word("piercing_damage") == "full" {
				through = damage // (A42)
			}
			e.carriesOn(a, ev, x, through)
		}
	}
	e.tellThing(a.f, ev, x.ID, text)
}

// stopped takes off a hit what a barrier stops, with the lines of its sum.
func (e *engine) stopped(ev *game.Event, x *game.Feature, b barrier, damage int, kind string, piercing bool) (through int) {
	through, _ = b.passes(damage, kind, piercing)
	thick := b.thick()
	if piercing {
		thick += ", half of it for an armor-piercing shell"
	}
	stop := b.stop(kind, piercing)
	ev.Numbers["stops"], ev.Numbers["through"] = stop, through
	ev.Lines = append(ev.Lines,
		game.Line{Label: fmt.Sprintf("%s, %s against %s", x.Name, thick, kind), Value: resolve.Signed(-stop)},
		game.Line{Label: "Goes through", Value: strconv.Itoa(through)})
	return through
}

// thick is the thickness of a barrier in its unit, such as "Wood, 2.5 x 1 in".
func (b barrier) thick() string {
	n := strconv.Itoa(b.thickness / 10)
	if t := b.thickness % 10; t != 0 {
		n += "." + strconv.Itoa(t)
	}
	return fmt.Sprintf("%s, %s x %s", b.Name, n, b.Unit)
}

// unmade asks the GM what becomes of a thing whose material the game file does not
// name. Without an answer it holds.
func (e *engine) unmade(a *attack, ev *game.Event, x *game.Feature, damage int) {
	ev.Reason = "no_material"
	ev.Numbers["damage"] = damage
	if e.fate(ev) == collapses {
		t := e.tallied(a.f)
		t.effects = append(t.effects, func() { e.collapses(x.ID, ev) })
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "structure", Default: "it holds", Answer: "EVENT " + game.EventNumber + " COLLAPSES",
		Text: fmt.Sprintf("%s does %s of %s damage to %s, whose material and thickness the game file does not say.", a.f.Name, plural(damage, "point"), a.arms.row.Type, resolve.Definite(x.Name)),
	})
	e.tellThing(a.f, ev, x.ID, resolve.Title(resolve.Definite(x.Name))+" holds.")
}

// The words of a ruling on a thing that was struck.
const (
	collapses = "collapses"
	stands    = "stands"
)

// fate is what the GM decides on whether a thing stands (8.6 step 5, 12); empty:
// nothing.
func (e *engine) fate(ev *game.Event) string {
	w, _ := e.rulings.EventWord(ev.Ref, collapses, stands)
	e.ruled(ev)
	return w
}

// tellThing tells what became of a thing, to all who see it struck. What it comes
// to is known when the effects of the segment are.
func (e *engine) tellThing(f *Fighter, ev *game.Event, id game.ID, text string) {
	t := e.tallied(f)
	t.effects = append(t.effects, func() {
		if e.w.feature(id) == nil {
			ev.Outcome = destroyed
			text = resolve.Title(resolve.Definite(find(e.w.Features, func(x *game.Feature) bool { return x.ID == id }).Name)) + " is destroyed."
		}
		e.public(ev, f, text)
	})
}

// carriesOn asks the GM whether what goes through a thing strikes somebody in the
// line behind it (8.6 step 3). Ruled so, it does, behind his armor.
func (e *engine) carriesOn(a *attack, ev *game.Event, x *game.Feature, through int) {
	o := e.behindThing(a, x)
	if o == nil {
		return
	}
	kind := a.arms.row.Type
	if a.arms.piercing() {
		kind = "explosion"
	}
	if w, ok := e.rulings.EventWord(ev.Ref, "strikes", "misses"); ok {
		if w == "strikes" {
			e.reaches(o, blow{by: a.f, damage: through, kind: kind, from: ev.Ref, poison: a.arms.Poison})
		}
		return
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "structure", Default: "it strikes nobody", Answer: "EVENT " + game.EventNumber + " STRIKES",
		Text: fmt.Sprintf("%s of the shot at %s go through it, and %s is in the line behind.", plural(through, "point"), resolve.Definite(x.Name), o.Name),
	})
}

// behindThing is the first whom the line of a shot through a thing meets within
// its range; nil: nobody, or something opaque is before him.
func (e *engine) behindThing(a *attack, x *game.Feature) *Fighter {
	d := distance(a.f.At, *a.at)
	if d == 0 {
		return nil
	}
	far := (e.w.Width + e.w.Height) * e.w.Side
	end := Point{a.f.At.X + (a.at.X-a.f.At.X)*far/d, a.f.At.Y + (a.at.Y-a.f.At.Y)*far/d}
	past := false
	var hit *Fighter
	resolve.Cross(e.w.square(a.f.At), e.w.square(end), func(c resolve.Crossing) bool {
		switch {
		case c.Corner:
			return true
		case slices.Contains(x.Squares, c.Cell):
			past = true
			return true
		case !past:
			return true
		case e.walls.at(c.Cell):
			return false
		}
		for _, o := range e.w.Fighters {
			if o.Status != dead && e.w.square(o.At) == c.Cell {
				if _, carries := e.rangeModifier(distance(a.f.At, o.At), a.arms.row.Range, a.arms.row.Shotgun); carries {
					hit = o
				}
				return false
			}
		}
		return e.crowd.inside(c.Cell)
	})
	return hit
}

// breaches destroys what of the structures in the zones of a blast cannot stand
// it (8.6 step 5); of what is left the GM decides whether it still stands.
func (e *engine) breaches(a *attack, at Point, row *weaponRow, kill, casualty int) {
	for i := range e.w.Features {
		x := &e.w.Features[i]
		b, ok := e.section(x.ID)
		if !ok || x.State == destroyed {
			continue
		}
		inKill, inCasualty := b.blasted(kill, casualty)
		reached := slices.ContainsFunc(x.Squares, func(s game.Square) bool { return distance(at, e.w.centre(s)) <= row.CasualFeet*foot })
		if !reached {
			continue
		}
		gone := func(s game.Square) bool {
			d := distance(at, e.w.centre(s))
			return d <= row.KillFeet*foot && inKill || d <= row.CasualFeet*foot && inCasualty
		}
		ev := e.event(e.unique(a.ref+".t"), a.f, "structure", "holds", "8.6")
		e.after = append(e.after, ev)
		stop := b.stop("explosion", false)
		ev.Numbers["stops"] = stop
		ev.Lines = append(ev.Lines,
			game.Line{Label: fmt.Sprintf("%s, %s against explosion stops", x.Name, b.thick()), Value: strconv.Itoa(stop)},
			game.Line{Label: "Kill zone", Value: strconv.Itoa(kill)}, game.Line{Label: "Casualty zone", Value: strconv.Itoa(casualty)})
		rest := slices.DeleteFunc(slices.Clone(x.Squares), gone)
		id, lost := x.ID, len(x.Squares)-len(rest)
		text := resolve.Title(resolve.Definite(x.Name)) + " holds."
		t := e.tallied(a.f)
		fate := e.fate(ev)
		switch {
		case fate == stands:
		case len(rest) == 0 || fate == collapses:
			t.effects = append(t.effects, func() { e.collapses(id, ev) })
		case lost > 0:
			ev.Outcome = "breached"
			ev.Numbers["squares"] = lost
			text = fmt.Sprintf("%s is breached.", resolve.Title(resolve.Definite(x.Name)))
			t.effects = append(t.effects, func() {
				if x := e.w.feature(id); x != nil {
					x.Squares = rest
					e.walls = e.w.walls()
				}
			})
			e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
				Ref: ev.Ref, Kind: "structure", Default: "the rest stands", Answer: "EVENT " + game.EventNumber + " COLLAPSES",
				Text: fmt.Sprintf("The blast has destroyed %s of %s. Does the rest still stand?", plural(lost, "square"), resolve.Definite(x.Name)),
			})
		}
		e.tellThing(a.f, ev, id, text)
	}
}
