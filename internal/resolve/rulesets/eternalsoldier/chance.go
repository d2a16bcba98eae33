package eternalsoldier

import (
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// sum is a chance with every line of how it came about, and the values in it
// that no source prints.
type sum struct {
	total      int
	base       int // without adjustments: skill and weapon bonus
	lines      []game.Line
	unverified []string
}

// start begins a sum with a percentage, which is always shown.
func (s *sum) start(label string, percent int) {
	s.total, s.base = percent, percent
	s.lines = append(s.lines, game.Line{Label: label, Value: strconv.Itoa(percent)})
}

// bonus adds a weapon's bonus, which belongs to the base.
func (s *sum) bonus(label string, n int, unverified string) {
	s.base += n
	s.add(label, n, unverified)
}

// add adds a modifier; one of 0 leaves no line. unverified names the value when
// no source prints it.
func (s *sum) add(label string, n int, unverified string) {
	if n == 0 {
		return
	}
	s.total += n
	s.lines = append(s.lines, game.Line{Label: label, Value: resolve.Signed(n)})
	if unverified != "" {
		s.unverified = append(s.unverified, unverified)
	}
}

// timing adds what acting early or late gives: n segments before readiness when
// negative, segments of waiting when positive.
func (r rules) timing(s *sum, n int, missile bool) {
	switch {
	case n < 0:
		what := ""
		if -n > r.Early.Printed {
			what = "penalty for acting " + strconv.Itoa(-n) + " segments early"
		}
		s.add(plural(-n, "segment")+" early", r.early(-n), what)
	case n > 0:
		s.add("Set for "+plural(n, "segment"), r.setBonus(n, missile), "")
	}
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Results of a roll.
const (
	critical = "critical"
	hit      = "hit" // of a parry, dodge or other skill: success
	miss     = "miss"
	fumble   = "fumble"
)

// critMost is the greatest roll that is a critical (3.3); 0 for none.
func (r rules) critMost(s sum) int {
	chance := s.total
	if r.word("crit_base") == "unadjusted" {
		chance = s.base
	}
	if s.total < 10 || chance < 10 {
		return 0
	}
	return chance / 10
}

// fumbleLeast is the least roll that is a fumble (3.4).
func (r rules) fumbleLeast(chance int) int {
	if r.word("fumble_rule") == "flat96" {
		return 96
	}
	fails := 100 - min(max(chance, 0), 99)
	return 101 - (fails+9)/10
}

// succeeds is the core test of 3.1.
func (r rules) succeeds(chance, roll int) bool {
	switch {
	case roll == 1 && r.yes("hit_always_01"):
		return true
	case roll == 100 && r.yes("fumble_always_100"):
		return false
	}
	return roll <= chance
}

// judge is the result of a D100 in melee: criticals and fumbles count (3.6).
func (r rules) judge(s sum, roll int) string {
	ok := r.succeeds(s.total, roll)
	switch {
	case ok && roll <= r.critMost(s):
		return critical
	case ok:
		return hit
	case roll >= r.fumbleLeast(s.total), roll == 100 && r.yes("fumble_always_100"):
		return fumble
	}
	return miss
}

// judgeShot is the result of a shot: there are no fumbles, and criticals only
// where a setting has them (5.1, A58).
func (r rules) judgeShot(s sum, roll int) string {
	ok := r.succeeds(s.total, roll)
	switch {
	case ok && r.yes("missile_criticals") && roll <= r.critMost(s):
		return critical
	case ok:
		return hit
	}
	return miss
}

// answered is what becomes of a blow when the defender's parry or dodge came out
// as reaction (4.5, 4.6): the blow's new result, and whether a parry has to
// stand the test of breakage.
func (r rules) answered(blow, reaction string) (result string, test bool) {
	switch {
	case reaction != hit && reaction != critical:
		return blow, false
	case blow != critical:
		return miss, reaction != critical || r.word("critical_parry_breakage") != "never"
	case reaction == critical:
		return miss, r.word("critical_parry_breakage") == "always"
	case r.yes("crit_reduced_still_lands"):
		return hit, r.yes("reduced_critical_breakage")
	}
	return miss, true
}

// missileDodge is the greatest roll that dodges a missile (5.7): base is Defense
// with all adjustments but the one for haste.
func (r rules) missileDodge(base, early int, kind string) int {
	divisor := r.MissileDodge.Gun
	switch kind {
	case "thrown":
		divisor = r.MissileDodge.Thrown
	case "bow":
		divisor = r.MissileDodge.Bow
	case "beam":
		divisor = r.MissileDodge.Beam
	}
	most := floorDiv(base+early, divisor)
	if !r.yes("missile_dodge_divide_after_penalty") {
		most = floorDiv(base, divisor) + early
	}
	if !r.yes("missile_dodge_equal") {
		most--
	}
	return most
}

// Lengths inside are in tenths of a millimetre, so that a foot is a whole number.
const (
	foot = 3048
	yard = 3 * foot
)

// rangeModifier is the modifier for a distance at a weapon's effective range in
// yards (5.3), and whether it carries that far.
func (r rules) rangeModifier(distance, effective int, shotgun bool) (modifier int, carries bool) {
	percent := func(p int) bool { return 100*distance <= p*effective*yard }
	if !percent(r.Range.Beyond) {
		return 0, false
	}
	if shotgun && !percent(100) {
		return 0, true
	}
	band := bandRow{}
	for _, band = range r.Range.Band {
		if percent(band.To) {
			return band.Modifier, true
		}
	}
	modifier = band.Modifier
	for p := band.To; !percent(p); p += 50 {
		modifier += r.Range.Step
	}
	return modifier, true
}

// shotgunDice is how many dice a shotgun still does at a distance (5.9).
func (r rules) shotgunDice(dice, distance, effective int) int {
	per := effective * yard / 2
	lost := distance / per
	if r.word("shotgun_die") == "begun" && distance%per > 0 {
		lost++
	}
	return max(0, dice-lost)
}
