package starfrontiers

import "fmt"

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
	e.surpriseTotals()
	tied := map[key][]*state{}
	for _, s := range e.st {
		if v, ok := e.rules.EventNumber(refs[s], "total"); ok {
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
