package eternalsoldier

import (
	"strconv"
	"strings"
)

// maxClass is class X.
const maxClass = 10

// rules are the tables with the settings of one game.
type rules struct {
	*tables
	set map[string]string // what differs from the defaults
}

// word is the value of a setting; an unknown key has none.
func (r rules) word(key string) string {
	if v, ok := r.set[key]; ok {
		return v
	}
	if row := r.settings.Find(key); row != nil {
		return row.Values[0]
	}
	return ""
}

// yes reports that a setting is true.
func (r rules) yes(key string) bool { return r.word(key) == "true" }

// number is the value of a setting that is a whole number.
func (r rules) number(key string) int {
	n, _ := strconv.Atoi(r.word(key))
	return n
}

// segments is how many half-second segments an action of a class takes at an
// effective agility of 1 or more (2.2): by the table, beyond it by the formula.
// It is never less than 1.
func (r rules) segments(agility, class int) int {
	if agility < 1 || class < 1 {
		return 1
	}
	half := 0
	if r.word("segment_rounding") == "half_down" {
		half = 1
	} else if agility <= len(r.segment.Table) && class <= maxClass {
		return r.segment.Table[agility-1][class-1]
	}
	return max(1, (20*class+agility-half)/(2*agility))
}

// early is the penalty for acting n segments before readiness (2.3), 0 or negative.
func (r rules) early(n int) int {
	switch {
	case n <= 0:
		return 0
	case n <= len(r.Early.Penalty):
		return -r.Early.Penalty[n-1]
	}
	return -5 * n * (n + 1)
}

// setBonus is what waiting n segments beyond readiness adds to an attack (2.3);
// missile tells whether it is a shot.
func (r rules) setBonus(n int, missile bool) int {
	bonus := max(0, n) * r.Set.Bonus
	if !missile && r.word("set_cap_for") == "missile" {
		return bonus
	}
	return min(bonus, r.number("set_cap"))
}

// burstPenalty is what shot k of a burst, from 1, loses (5.6).
func (r rules) burstPenalty(k int) int {
	return max((k-1)*r.Auto.Each, r.Auto.Most)
}

var romans = [maxClass + 1]string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"}

// roman writes a class as the charts do.
func roman(class int) string {
	if class < 0 || class > maxClass {
		return strconv.Itoa(class)
	}
	return romans[class]
}

// parseClass reads a class: IV, or 4.
func parseClass(s string) (int, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	for i := 1; i <= maxClass; i++ {
		if s == romans[i] || s == strconv.Itoa(i) {
			return i, true
		}
	}
	return 0, false
}
