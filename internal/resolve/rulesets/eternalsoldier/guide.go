package eternalsoldier

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

var _ resolve.Guide = (*Ruleset)(nil)

var embeddedGuide = sync.OnceValues(func() (*resolve.GuideText, error) {
	t, err := embeddedTables()
	if err != nil {
		return nil, err
	}
	return resolve.ReadGuide(embedded, t.settings, func(g *resolve.GuideText) resolve.GuideFill {
		return (&Ruleset{t: t, guide: g}).guideFill(g.View())
	})
})

// Sample implements resolve.Guide.
func (r *Ruleset) Sample() game.View { return r.guide.View() }

// Guide implements resolve.Guide: what takes how long at the viewer's agility, his
// own weapons, and the numbers of the tables as his game has them.
func (r *Ruleset) Guide(v game.View) game.Guide { return r.guide.Fill(r.guideFill(v)) }

// guideFill is what stands in the guide of a viewer.
func (r *Ruleset) guideFill(v game.View) resolve.GuideFill {
	g := guided{rules: rules{r.t, nil}}
	k, ok := r.know(v)
	if ok {
		g.rules, g.me = k.rules, k.me
	}
	n := strconv.Itoa
	numbers := map[string]string{
		"segments_per_turn": g.word("segments_per_turn"), "set_bonus": n(g.Set.Bonus), "set_cap": g.word("set_cap"),
		"early_1": resolve.Signed(g.early(1)), "early_2": resolve.Signed(g.early(2)), "early_3": resolve.Signed(g.early(3)),
		"auto_each": resolve.Signed(g.Auto.Each), "auto_most": resolve.Signed(g.Auto.Most), "walk": n(g.Pace.Walk),
	}
	for _, a := range g.actions {
		numbers[a.ID+"_class"] = roman(a.Class)
	}
	return resolve.GuideFill{
		Words: resolve.ExampleWords(v), Numbers: numbers, Setting: g.word,
		Idle: func(verb string) bool { return k.idle(v, verb) },
		Tables: map[string][]game.Line{
			"times": g.times(), "weapons": g.arsenal(), "range": g.ranges(), "melee": g.changes(g.melee), "missile": g.changes(g.missile),
			"settings": r.guide.SettingLines(g.settings, g.set),
		},
	}
}

// guided makes the tables of a guide.
type guided struct {
	rules
	me *Fighter // nil for a view that is of no world
}

// star marks a value that no source prints.
func star(source string) string {
	if unprinted(source) {
		return "*"
	}
	return ""
}

// time says what a class takes.
func (g guided) time(class int) string {
	if g.me == nil || g.agile(g.me) < 1 {
		return "class " + roman(class)
	}
	s := g.segments(g.agile(g.me), class)
	if s == 1 {
		return "1 segment (class " + roman(class) + ")"
	}
	return fmt.Sprintf("%d segments (class %s)", s, roman(class))
}

// times are the actions that take a fixed time (2.4).
func (g guided) times() []game.Line {
	var out []game.Line
	for _, a := range g.actions {
		value := g.time(a.Class) + star(a.Source)
		if a.Acrobatic {
			value += ", less with Acrobatics"
		}
		out = append(out, game.Line{Label: a.Name, Value: value})
	}
	return out
}

// arsenal describes the weapons on the viewer's sheet; without a sheet all that
// there are.
func (g guided) arsenal() []game.Line {
	var out []game.Line
	if g.me == nil {
		for i := range g.tables.weapons {
			row := &g.tables.weapons[i]
			out = append(out, game.Line{Label: row.Name, Value: g.describe(arms{Weapon: &Weapon{}, row: row})})
		}
		for i := range g.shields {
			out = append(out, game.Line{Label: g.shields[i].Name, Value: g.describe(arms{Weapon: &Weapon{}, shield: &g.shields[i]})})
		}
		return out
	}
	for i := range g.me.Weapons {
		wp := &g.me.Weapons[i]
		a, ok := g.arm(g.me, wp.ID, false)
		if !ok {
			continue
		}
		out = append(out, game.Line{Label: wp.Name, Value: g.describe(a)})
		if far, _ := g.arm(g.me, wp.ID, true); far.row != a.row {
			out = append(out, game.Line{Label: wp.Name + ", thrown", Value: g.describe(far)})
		}
	}
	return out
}

// describe tells what a weapon does in one use: its classes, its bonus, its damage,
// how far it reaches, and the viewer's skill with it (5.2, 8.5). A star behind a
// value says that no source prints it.
func (g guided) describe(a arms) string {
	var parts []string
	add := func(column, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if a.row != nil && a.row.unverified(column) != "" || a.shield != nil && unprinted(a.shield.Source) {
			text += "*"
		}
		parts = append(parts, text)
	}
	given := func(own int, column string) string { // what the sheet says is the GM's own
		if own > 0 {
			return ""
		}
		return column
	}
	add(given(a.Speed, "speed"), "used in %s", g.time(a.speed()))
	if a.off() {
		parts[0] += ", one more in the off hand"
	}
	if a.Draw > 0 || a.shield != nil || a.row.Draw > 0 {
		add(given(a.Draw, "draw"), "drawn in %s", g.time(a.draw()))
	}
	if s := a.shield; s != nil {
		add("most", "holds %d points of a blow", s.Most)
		add("cover", "covers %d%% from missiles (%s)", s.Cover, resolve.Signed(s.CoverMod))
		return strings.Join(parts, "; ")
	}
	if n := a.reload(); n > 0 {
		add(given(a.Reload, "reload"), "loaded in %s", g.time(n))
	}
	if a.row.Bonus != 0 {
		add("bonus", "%s to the chance", resolve.Signed(a.row.Bonus))
	}
	damage := a.row.Damage
	if a.row.Casualty != "" {
		damage += fmt.Sprintf(" within %d ft and %s within %d ft", a.row.KillFeet, a.row.Casualty, a.row.CasualFeet)
	}
	add("damage", "damage %s, %s", damage, a.row.Type)
	switch {
	case a.row.Missile != "":
		add("range", "effective range %d yd", a.row.Range)
	default:
		add("reach", "reach %d ft", g.reach(a.row.Reach))
	}
	if a.row.Rounds > 1 {
		add("rounds", "holds %d", a.row.Rounds)
	}
	if n := a.rate(); n > 0 {
		add(given(a.Auto, "auto"), "%d shots a segment on automatic", n)
	}
	if a.twoHanded() {
		parts = append(parts, "two hands")
	}
	skill := g.skill(a.row.Skill).Name
	if g.me != nil {
		skill = fmt.Sprintf("your %s is %d%%", skill, g.percent(g.me, a.row.Skill))
	}
	return strings.Join(append(parts, skill), "; ")
}

// ranges is the chart of 5.3.
func (g guided) ranges() []game.Line {
	var out []game.Line
	for _, b := range g.Range.Band {
		out = append(out, game.Line{Label: fmt.Sprintf("up to %d%%", b.To), Value: resolve.Signed(b.Modifier) + star(g.Range.Source)})
	}
	return append(out, game.Line{Label: "beyond", Value: fmt.Sprintf("%d for each further 50%%, to %d%%%s", g.Range.Step, g.Range.Beyond, star(g.Range.Source))})
}

// changes are the rows of a chart of adjustments (4.4, 5.4) that count under the
// settings of the game.
func (g guided) changes(rows []adjustRow) []game.Line {
	var out []game.Line
	for _, a := range rows {
		if a.Group == "called" && !g.yes("called_shots") || a.ID == "faltering" && !g.yes("wounded_penalty") {
			continue
		}
		var parts []string
		for _, p := range []struct {
			what string
			n    int
			not  bool
		}{{"attack", a.Attack, false}, {"parry", a.Parry, a.NoParry}, {"dodge", a.Dodge, a.NoDodge}} {
			switch {
			case p.not:
				parts = append(parts, "no "+p.what)
			case p.n != 0:
				parts = append(parts, p.what+" "+resolve.Signed(p.n))
			}
		}
		out = append(out, game.Line{Label: a.Label, Value: strings.Join(parts, ", ") + star(a.Source)})
	}
	return out
}
