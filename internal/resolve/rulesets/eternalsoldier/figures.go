package eternalsoldier

// floorDiv divides and rounds down, below zero too (0.3). b is positive.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// strengthGuess names it.
const strengthGuess = "strength bonus: half of what strength is above 10"

// strengthBonus is added to damage and hit points (1.2); it is derived.
func strengthBonus(strength int) int { return floorDiv(strength-10, 2) }

// attributes are what an aptitude is made of. Agility is the effective one.
type attributes struct{ str, agi, dex int }

// skillTenths is a skill's percentage in tenths: half of points times aptitude,
// rounded down to the tenth (3.2). Skills without an aptitude have none.
func (s *skillRow) skillTenths(points int, a attributes) int {
	aptitude := s.Str*a.str + s.Agi*a.agi + s.Dex*a.dex // in tenths, for so are the weights
	return floorDiv(points*aptitude, 2)
}

// wear is what is worn, as far as agility goes (8.2).
type wear struct {
	minus   int    // sum of the agility minuses of the body armor
	powered string // first, improved or empty
	trained bool   // has the Powered Armor skill
}

// agility is the effective one (8.2): after armor, unset bones and poison. Armor
// and injuries leave at least 1, the first kind of powered armor 3; poison may
// take it to 0.
func (r rules) agility(strength, agi int, w wear, injuries, poison int) int {
	b, low, penalty := strengthBonus(strength), 1, 0
	switch {
	case w.powered == "first":
		low, penalty = r.Powered.Floor, w.minus
	case w.powered == "improved":
		if !w.trained {
			penalty = r.Powered.Untrained
		}
	case b >= 0:
		penalty = max(0, w.minus-b)
	case r.yes("weak_armor_cap"):
		penalty = w.minus + min(w.minus, -b)
	case w.minus > 0:
		penalty = w.minus - b
	}
	eff := max(1, max(min(low, agi), agi-penalty)-injuries)
	return max(0, eff-poison)
}

// hitPoints are the most that somebody has (7.1).
func hitPoints(con, strength int) int { return max(1, con+strengthBonus(strength)) }

// Where hit points leave somebody (7.2).
const (
	above = "above" // 0: nothing is wrong with him
	low   = "low"   // at 0 or below: a will roll decides
	slain = "slain"
)

// condition is what hit points mean: half of all below zero is death.
func (r rules) condition(hp, most int) string {
	switch {
	case 2*hp < -most, 2*hp == -most && r.word("death_at") == "half":
		return slain
	case hp > 0:
		return above
	}
	return low
}

// willRoll is the modifier of the roll that keeps somebody up, and whether it is
// needed at all; drug is the rating of what he has taken, 0 for nothing (7.3, 7.4).
func (r rules) willRoll(hp, drug int) (modifier int, needed bool) {
	threshold := 0
	if drug > 0 {
		threshold = -(drug + 1)
		if r.word("drug_threshold") == "at" {
			threshold = -drug
		}
	}
	return hp + drug, hp <= threshold
}

// attribute judges a D20 against an attribute (1.3).
func (r rules) attribute(value, modifier, roll int) bool {
	if r.yes("d20_extremes") {
		switch roll {
		case 1:
			return true
		case 20:
			return false
		}
	}
	if r.word("attribute_roll") == "under" {
		return roll < value+modifier
	}
	return roll <= value+modifier
}

// resists takes one roll against a poison (7.7): the new row of successes, what
// is lost (hit points, points of agility, tens of suffocation points), and
// whether the poison is over.
func (r rules) resists(p *poisonRow, constitution, roll, streak int) (newStreak, loss int, over bool) {
	if !r.attribute(constitution, p.Modifier, roll) {
		if p.Effect == "suffocation" {
			return 0, 10, false
		}
		return 0, 1, false
	}
	streak++
	return streak, 0, streak >= p.Recovery
}

// healed adds a day of rest to the tenths carried along (7.5): hit points
// gained, and the tenths left.
func (r rules) healed(constitution, tenths int) (points, left int) {
	if !r.yes("healing_tenths") {
		return constitution / 10, 0
	}
	tenths += constitution
	return tenths / 10, tenths % 10
}

// fallDice is how many dice a fall does (7.8); made tells that the agility roll
// was. With fall_roll = subtract a rolled die is taken off instead.
func (r rules) fallDice(feet int, made bool) int {
	n := feet / r.Fall.Feet
	if made && r.word("fall_roll") == "fewer" {
		n = max(0, n-1)
	}
	return n
}

// collisionDice is how many dice a collision does (7.8).
func (r rules) collisionDice(mph int) int { return mph / r.Fall.MPH }
