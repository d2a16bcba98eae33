package eternalsoldier

import (
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

func (t *tables) action(id string) *actionRow {
	return find(t.actions, func(a *actionRow) bool { return a.ID == id })
}

// weapon finds the row of a kind, by its own name or by one that stands in it.
func (t *tables) weapon(kind game.ID) *weaponRow {
	if w := find(t.weapons, func(w *weaponRow) bool { return w.ID == kind }); w != nil {
		return w
	}
	return find(t.weapons, func(w *weaponRow) bool { return slices.Contains(w.Also, kind) })
}

func (t *tables) shield(kind game.ID) *shieldRow {
	return find(t.shields, func(s *shieldRow) bool { return s.ID == kind || slices.Contains(s.Also, kind) })
}

func (t *tables) armor(id game.ID) *armorRow {
	return find(t.armors, func(a *armorRow) bool { return a.ID == id })
}

func (t *tables) structure(id game.ID) *structureRow {
	return find(t.structures, func(s *structureRow) bool { return s.ID == id })
}

func (t *tables) skill(id string) *skillRow {
	return find(t.skills, func(s *skillRow) bool { return s.ID == id })
}

func (t *tables) hold(id string) *holdRow {
	return find(t.holds, func(h *holdRow) bool { return h.ID == id })
}

func (t *tables) poison(id string) *poisonRow {
	return find(t.Poison, func(p *poisonRow) bool { return p.ID == id })
}

// reach is a reach in feet; 0 for a word that is none.
func (t *tables) reach(word string) int {
	switch word {
	case "unarmed":
		return t.Reach.Unarmed
	case "short":
		return t.Reach.Short
	case "medium":
		return t.Reach.Medium
	case "long":
		return t.Reach.Long
	case "pole":
		return t.Reach.Pole
	}
	return 0
}

// pace is a way of moving in hundredths of full speed; 0 for a word that is none.
func (t *tables) pace(mode string) int {
	switch mode {
	case "run", "sprint":
		return t.Pace.Run
	case "", "walk", "dodge":
		return t.Pace.Walk
	case "quarter":
		return t.Pace.Quarter
	case "crawl":
		return t.Pace.Crawl
	case "swim":
		return t.Pace.Swim
	case "climb":
		return t.Pace.Climb
	}
	return 0
}

// on is the row of a chart that a roll falls into.
func on(chart []chartRow, roll int) *chartRow {
	return find(chart, func(r *chartRow) bool { return roll <= r.To })
}

func find[T any](rows []T, is func(*T) bool) *T {
	for i := range rows {
		if is(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}
