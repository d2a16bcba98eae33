package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// TestOrdersOnTheMove are carried out beside the movement before them (2.5 step 3),
// and the receipt says so.
func TestOrdersOnTheMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, receipt string
		shot          int // segment of her shot; -1: none
		moved         bool
	}{
		{"I walk north while firing once at Zog with the luger.", "walk north; fire 1 shot at Zog with luger on the move", 0, true},
		{"Fire once at Zog with the luger while walking north.", "walk north; fire 1 shot at Zog with luger on the move", 0, true},
		{"Walk north, fire once at Zog with the luger on the move.", "walk north; fire 1 shot at Zog with luger on the move", 0, true},
		{"Walk north and draw the dagger on the move.", "walk north; draw dagger on the move", -1, true},
		{"Fire once at Zog with the luger, then walk north.", "fire 1 shot at Zog with luger; walk north", 0, false},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			w := world(t, field(nil, who("ann", "a", "C19", "agi=10", "skills.one_handed_missile=60", "weapon=luger", "weapon=dagger:belt"), who("zog", "b", "Z19")))
			p, receipt, problems := letter(t, w, "ann", c.line)
			if receipt != c.receipt || len(problems) > 0 {
				t.Fatalf("read as %q with %+v", receipt, problems)
			}
			if _, again, _ := letter(t, w, "ann", strings.ReplaceAll(receipt, ";", ".")); again != receipt {
				t.Errorf("%q, read again: %q", receipt, again)
			}
			b := fought(t, w, 1, 6, map[game.ID]string{"ann": string(encode(t, p))}, dice.Constant(99))
			shot := -1
			for _, ev := range b.events {
				if ev.Attack {
					shot = ev.At
				}
			}
			a := b.after[0].fighter("ann")
			if moved := a.At != w.fighter("ann").At; shot != c.shot || moved != c.moved {
				t.Errorf("shot in %d, moved in 0: %v; %s", shot, moved, b.refs())
			}
			end := b.after[5].fighter("ann")
			if len(end.Steps) != 1 || end.Steps[0].Verb != "move" || end.Move == nil {
				t.Errorf("what is left of the plan: %+v", end.Steps)
			}
			if strings.Contains(c.line, "dagger") && end.Weapons[1].State != "in_hand" {
				t.Errorf("the dagger is %s", end.Weapons[1].State)
			}
		})
	}
}
