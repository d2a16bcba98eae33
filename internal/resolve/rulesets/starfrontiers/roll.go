package starfrontiers

import (
	"fmt"
	"strconv"
)

// initiatives rolls for everybody and settles ties (3.2-3.4).
func (e *engine) initiatives() {
	if e.w.setting("sequence") == "side" {
		e.rollSides()
	} else {
		for _, s := range e.st {
			die := e.rollOnce(initName(e.w.roller(e.tables, s.f), e.round), e.tables.Initiative.Die)
			s.init = e.initiative(s.f, e.w.setting("init.holster_applies"), s.uses, die)
		}
	}
	refs := map[*state]string{}
	for _, s := range e.st {
		refs[s] = fmt.Sprintf("%s/r%d.i", s.f.ID, e.round)
		e.applySets(refs[s], s)
	}
	for _, s := range e.st {
		s.init.bonus = e.bonus(s)
		s.init.total += s.init.bonus
	}
	e.surpriseTotals()
	tied := map[key][]*state{}
	for _, s := range e.st {
		e.ruledSlots(s, refs[s])
		if v, ok := e.foretold(refs[s], "total"); ok {
			s.init.total, s.init.ruled = v, true
		} else if v, ok := e.stage.Totals[s.f.ID]; ok && e.round == 1 {
			s.init.total, s.init.ruled = v, true
		}
	}
	if !e.slotted {
		e.ranks()
	}
	for _, s := range e.st {
		k := s.rank()
		k.id, k.tie = "", 0
		tied[k] = append(tied[k], s)
		e.initiativeEvent(s, refs[s])
	}
	for _, s := range e.st {
		k := s.rank()
		k.id, k.tie = "", 0
		if group := tied[k]; len(group) > 1 {
			e.breakTie(group)
			delete(tied, k)
		}
	}
}

// tieWeights keep a later roll from undoing an earlier one.
var tieWeights = [4]int{101 * 101 * 101, 101 * 101, 101, 1}

// breakTie rolls the tie dice of combatants who are equal in all else; those
// who roll the same roll again.
func (e *engine) breakTie(group []*state) {
	for n, weight := range tieWeights {
		rolled := map[int][]*state{}
		var order []int
		for _, s := range group {
			name := fmt.Sprintf("tie/%s/r%d", s.f.ID, e.round)
			if n > 0 {
				name += fmt.Sprintf("#%d", n+1)
			}
			die := e.rollOnce(name, 100)
			e.ties = append(e.ties, die)
			s.tie += weight * die.Value
			e.tieEvent(s, die)
			if len(rolled[die.Value]) == 0 {
				order = append(order, die.Value)
			}
			rolled[die.Value] = append(rolled[die.Value], s)
		}
		group = nil
		for _, v := range order {
			if len(rolled[v]) > 1 {
				group = append(group, rolled[v]...)
			}
		}
		if len(group) == 0 {
			return
		}
	}
}

// bonus is what the GM adds to somebody's initiative, or to that of his side.
func (e *engine) bonus(s *state) int {
	if e.w.setting("sequence") != "side" {
		return s.f.Bonus
	}
	sum := 0
	for _, o := range e.st {
		if o.side() == s.side() {
			sum += o.f.Bonus
		}
	}
	return sum
}

// ruledSlots reads with how many sub-actions the GM counts somebody's slots, and
// which slots he sets (4.4).
func (e *engine) ruledSlots(s *state, ref string) {
	if n, ok := e.foretold(ref, "actions"); ok && n > 0 && e.slotted {
		s.actions = min(n, 9)
		s.units = s.units[:min(len(s.units), s.actions)]
		e.fixCount(s)
	}
	for k := 1; k <= len(s.units); k++ {
		for _, suffix := range []string{"", "h", "x", "m"} {
			if at, ok := e.foretold(fmt.Sprintf("%s/r%d.%d%s", s.f.ID, e.round, k, suffix), "slot"); ok && e.slotted {
				if s.slots == nil {
					s.slots = map[int]int{}
				}
				s.slots[k] = at
			}
		}
	}
}

// foretold is a number ruled on an event that has not begun; its own event tells
// of the ruling.
func (e *engine) foretold(ref, name string) (int, bool) {
	x, ok := e.rules.Foretold(ref, name)
	n, err := strconv.Atoi(x.Value)
	if !ok || err != nil || n < -10000 || n > 10000 {
		return 0, false
	}
	e.rules.Mark(x.N)
	return n, true
}
