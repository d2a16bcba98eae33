package starfrontiers

import (
	"fmt"
	"slices"
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

// Guide implements resolve.Guide: the viewer's own weapons and grenades, and the
// numbers of the tables as his game has them.
func (r *Ruleset) Guide(v game.View) game.Guide { return r.guide.Fill(r.guideFill(v)) }

// guideFill is what stands in the guide of a viewer.
func (r *Ruleset) guideFill(v game.View) resolve.GuideFill {
	g := guided{tables: r.t}
	if k, ok := r.know(v); ok {
		g.me, g.set = k.me, k.set
	}
	t := r.t
	return resolve.GuideFill{
		Words: r.exampleWords(v),
		Numbers: map[string]string{
			"die": itoa(t.Initiative.Die), "holster": resolve.Signed(t.Initiative.Holster),
			"careful_aim": resolve.Signed(t.Attack.CarefulAim), "skill_level": resolve.Signed(t.Attack.SkillLevel), "prone": resolve.Signed(t.Attack.Prone),
			"burst": resolve.Signed(t.Attack.Burst), "burst_targets": itoa(t.Burst.Targets), "burst_width": itoa(t.Burst.Width),
			"reach": itoa(t.Senses.Reach), "defending": resolve.Signed(t.Melee.Defending), "crawl": itoa(t.Move.Crawl), "rough": itoa(t.Move.Rough),
			"auto_hit": itoa(t.Auto.Hit), "auto_miss": itoa(t.Auto.Miss),
		},
		Setting: func(key string) string { return settingOf(g.set, key) },
		Idle:    func(verb string) bool { row := t.verb(verb); return row != nil && !row.Built },
		Tables: map[string][]game.Line{
			"weapons": g.arsenal(), "shots": g.shots(), "blows": g.blows(), "settings": r.guide.SettingLines(t.settings, g.set),
		},
	}
}

// guided makes the tables of a guide.
type guided struct {
	*tables
	me  *Fighter // nil for a view that is of no world
	set map[string]string
}

// arsenal describes the weapons and grenades on the viewer's sheet; without a
// sheet all that there are.
func (g guided) arsenal() []game.Line {
	var out []game.Line
	add := func(name, value string) {
		if l := (game.Line{Label: name, Value: value}); value != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	if g.me == nil {
		for i := range g.weapons {
			if row := &g.weapons[i]; !row.Natural && row.Group != "thrown" {
				add(row.Name, g.describe(row, &Weapon{Rate: row.Rate, Every: row.Every, DialMax: row.DialMax, Full: row.Magazine}))
			}
		}
		for i := range g.Grenade {
			add(g.Grenade[i].Name, g.blast(&g.Grenade[i]))
		}
		return out
	}
	for i := range g.me.Weapons {
		wp := &g.me.Weapons[i]
		if row := g.weapon(wp.Kind); row != nil {
			if len(wp.Ranges) > 0 {
				own := *row
				own.Ranges = wp.Ranges
				row = &own
			}
			add(wp.Name, g.describe(row, wp))
		}
	}
	for i := range g.me.Items {
		if row := g.grenade(&g.me.Items[i]); row != nil {
			add(g.me.Items[i].Name, g.blast(row))
		}
	}
	return out
}

// describe tells what a weapon does: damage, attacks a turn, how far it carries,
// what it holds (18). A star behind a value says that only memory supports it.
func (g guided) describe(row *weaponRow, wp *Weapon) string {
	var parts []string
	add := func(cell, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if row.unverifiedCell(cell) {
			text += "*"
		}
		parts = append(parts, text)
	}
	switch {
	case len(row.DamageByBand) > 0:
		add("damage_by_band", "damage %s by range", strings.Join(row.DamageByBand, ", "))
	case row.PerSEU:
		add("damage", "damage %s for each SEU of the dial, %d to %d", row.Damage, row.DialMin, wp.DialMax)
	case row.damage[0].N > 0 || row.damage[0].Plus > 0:
		add("damage", "damage %s", row.Damage)
	case row.Stun != "":
		add("damage", "stuns")
	}
	if len(row.Modes) > 1 {
		add("modes", "%s", strings.Join(row.Modes, " or "))
	}
	if row.bursts() {
		add("burst", "a burst %s, %d rounds", row.Burst, row.BurstRounds)
	}
	switch {
	case row.Melee:
	case wp.Every > 1:
		add("rate", "%d every %d turns", wp.Rate, wp.Every)
	case wp.Rate == 1:
		add("rate", "1 attack a turn")
	default:
		add("rate", "%d attacks a turn", wp.Rate)
	}
	if row.ToHit != 0 {
		add("to_hit", "%s to the chance", resolve.Signed(row.ToHit))
	}
	switch text := bandsOf(row.Ranges); {
	case text != "":
		add("ranges", "%s", text)
	case !row.Melee:
		parts = append(parts, "its range stands in the game file, for no source gives it")
	}
	if text := bandsOf(row.Thrown); text != "" {
		add("thrown", "thrown %s", text)
	}
	if wp.Full > 0 {
		take := ""
		switch {
		case row.SEUShot > 0:
			take = fmt.Sprintf(", %d a shot", row.SEUShot)
		case row.SEUHit > 0:
			take = fmt.Sprintf(", %d a hit", row.SEUHit)
		}
		unit := row.Unit
		if wp.Full == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		add("magazine", "%d %s%s", wp.Full, unit, take)
	}
	if row.Hands == 2 {
		parts = append(parts, "two hands")
	}
	return strings.Join(parts, "; ")
}

// bandsOf names the bands of a weapon with their limits in metres.
func bandsOf(limits []int) string {
	var parts []string
	for i, m := range limits {
		if m > 0 {
			parts = append(parts, fmt.Sprintf("%s to %d m", bandWord(bands[i]), m))
		}
	}
	return strings.Join(parts, ", ")
}

// blast tells what a grenade does (10.3).
func (g guided) blast(row *grenadeRow) string {
	var parts []string
	if row.Damage != "" {
		parts = append(parts, "damage "+row.Damage)
	}
	if x := row.Effect; x.Kind != "" {
		parts = append(parts, strings.ReplaceAll(x.Kind, "_", " "))
	}
	if row.Stun {
		parts = append(parts, "puts to sleep or stuns")
	}
	parts = append(parts, fmt.Sprintf("within %d m", g.Blast.Radius))
	if row.Avoid != "" {
		avoided := "avoided"
		if row.Half {
			avoided = "half of it"
		}
		parts = append(parts, fmt.Sprintf("%s with %s or less", avoided, strings.ToUpper(row.Avoid)))
	}
	if len(row.Unverified) > 0 {
		parts[len(parts)-1] += "*"
	}
	return strings.Join(parts, "; ")
}

// shots are the lines that change a shot (6.1).
func (g guided) shots() []game.Line {
	var out []game.Line
	add := func(label string, v int) {
		if v != 0 {
			out = append(out, game.Line{Label: label, Value: resolve.Signed(v)})
		}
	}
	for _, b := range bands {
		add("Range, "+bandWord(b), g.Range[b])
	}
	for _, mode := range []string{"stationary", "walk", "run", "dodge", "crawl"} {
		add("Target "+movementWord(mode), g.TargetMovement[mode])
	}
	for _, mode := range []string{"walk", "run", "dodge", "crawl"} {
		add("Attacker "+movementWord(mode), g.AttackerMovement[mode])
	}
	a := g.Attack
	for _, l := range []struct {
		label string
		v     int
	}{
		{"Careful aim", a.CarefulAim}, {"Burst", a.Burst}, {"Target in soft cover", g.Cover["soft"]}, {"Target in hard cover", g.Cover["hard"]},
		{"Target is tiny", g.Size["tiny"]}, {"Target is small", g.Size["small"]}, {"Target is large", g.Size["large"]}, {"Target is giant", g.Size["giant"]},
		{"Target prone", a.Prone}, {"Target helpless", a.Stunned}, {"Attacker wounded", a.Wounded}, {"Wrong hand", a.WrongHand}, {"Two weapons", a.TwoWeapons},
		{"Rifle at melee distance", a.RifleInReach}, {"Heavy weapon, untrained", a.UntrainedHeavy},
	} {
		add(l.label, l.v)
	}
	return out
}

// blows are the lines that change a blow (7.1).
func (g guided) blows() []game.Line {
	var out []game.Line
	m := g.Melee
	for _, l := range []struct {
		label string
		v     int
	}{
		{"Target struck from behind", m.Behind}, {"Target helpless", m.Helpless}, {"Battle rage", m.Rage}, {"Target encumbered", m.TargetEncumbered},
		{"Attacker encumbered", m.Encumbered}, {"Attacker wounded", m.Wounded}, {"Target defending himself", m.Defending},
	} {
		out = append(out, game.Line{Label: l.label, Value: resolve.Signed(l.v)})
	}
	return out
}
