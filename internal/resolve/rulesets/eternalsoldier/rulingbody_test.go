package eternalsoldier

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// TestWhatIsGoneBearsNobody: nobody leaps at a thing that a ruling took away, and who
// stood on it stands on the ground.
func TestWhatIsGoneBearsNobody(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]game.Ruling{
		"the thing":   {N: 1, Kind: game.RuleSet, On: game.OfThing, Who: "table", Field: "GONE", Value: "yes", Ref: game.Moment(0)},
		"its squares": {N: 1, Kind: game.RuleSet, On: game.OfSquare, Who: "D3", Field: "TERRAIN", Value: "open", Ref: game.Moment(0)},
	} {
		w := world(t, field(nil, who("ann", "a", "C3"), who("bob", "a", "D3"), who("zog", "b", "N9")))
		w.Features = []game.Feature{{ID: "table", Name: "table", Kind: "table", Low: true, Squares: []game.Square{{X: 3, Y: 2}}}}
		w.fighter("bob").Up = "table"
		b := fought(t, w, 3, 3, map[game.ID]string{"ann": `{"steps": [{"verb": "move", "mode": "jump", "to": "table"}]}`}, dice.Constant(10), x)
		if len(b.out.Unused) > 0 {
			t.Errorf("%s: the ruling was not used", name)
		}
		if up := b.out.World.(*World).fighter("bob").Up; up != "" {
			t.Errorf("%s: Bob still stands on %q", name, up)
		}
	}
}

// TestTimeThatBringsNoEndIsBounded: a poison that is never thrown off ends in a
// question to the GM, not in millions of rolls.
func TestTimeThatBringsNoEndIsBounded(t *testing.T) {
	t.Parallel()
	for _, poison := range []string{"A", "F", "H"} {
		w := patient(t, 10, "tables.tables.poison.A.every=1", "tables.tables.poison.A.recovery=1000")
		z := w.fighter("zog")
		z.HPMax, z.HP, z.CON = 9999, 9999, 20
		z.Poisons = []Poison{{Type: poison, Due: 1}}
		b, z := ruled(t, w, nil, "DAYS 365")
		if len(b.events) > 2*maxPassing {
			t.Errorf("%s: %d events", poison, len(b.events))
		}
		if len(z.Poisons) > 0 && z.Status != dead {
			t.Errorf("%s is still at work: %+v", poison, z.Poisons)
		}
		for _, ev := range b.events {
			if ev.At != 0 {
				t.Errorf("%s: %s is told of segment %d", poison, ev.Ref, ev.At)
				break
			}
		}
	}
}

// TestWhoIsPutOutStaysOut while days go by, until it is ruled otherwise; a term runs
// on with them.
func TestWhoIsPutOutStaysOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"STATUS unconscious", "DAYS 1"}, unconscious},
		{[]string{"STATUS unconscious", "DAYS 1", "STATUS able"}, active},
		{[]string{"OUT_UNTIL 500", "DAYS 1"}, active},
	} {
		if _, z := ruled(t, patient(t, 10), nil, c.sets...); z.Status != c.want {
			t.Errorf("%v: %s, want %s", c.sets, z.Status, c.want)
		}
	}
}

// TestRulingsOnRiders: who is set down somewhere rides no more, whom his mount
// carries goes with it, and who is put out of action falls.
func TestRulingsOnRiders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who          game.ID
		field, value string
		up           game.ID
		at           string // of Ann
	}{
		{"horse", "AT", "J9", "horse", "J9"},
		{"ann", "AT", "J9", "", "J9"},
		{"ann", "MOUNTED", "no", "", ""},
		{"ann", "STATUS", "unconscious", "", ""},
		{"horse", "STATUS", "dead", "", ""},
	} {
		w := stable(t, nil)
		w.fighter("ann").Up, w.fighter("ann").At = "horse", w.fighter("horse").At
		b := fought(t, w, 1, 1, nil, dice.Constant(10), game.Ruling{N: 1, Kind: game.RuleSet, Who: c.who, Field: c.field, Value: c.value})
		after := b.out.World.(*World)
		a := after.fighter("ann")
		if a.Up != c.up || c.at != "" && after.square(a.At).String() != c.at {
			t.Errorf("%s %s %s: up %q at %s", c.who, c.field, c.value, a.Up, after.square(a.At))
		}
	}
}

// TestWillRollIsReckonedBehindItsRulings: hit points that are set before it count.
func TestWillRollIsReckonedBehindItsRulings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rulings []game.Ruling
		want    bool
	}{
		{nil, true},
		{[]game.Ruling{{N: 1, Kind: game.RuleSet, Who: "zog", Field: "HP", Value: "5", Ref: "zog/s0.w"}}, false},
	} {
		w := patient(t, -3)
		rolled := false
		e := newEngine(rules{ruleset(t).t, w.Settings}, w, resolve.Input{World: w, Dice: dice.Constant(10), Rulings: c.rulings})
		e.wills(e.w.fighter("zog"), true)
		for _, ev := range e.out.Events {
			_, has := ev.Numbers["will"]
			rolled = rolled || has
		}
		if rolled != c.want {
			t.Errorf("with %d rulings a roll is %v", len(c.rulings), rolled)
		}
	}
}

// TestHarmBeforeAWillRollIsRefused, for it would come too late.
func TestHarmBeforeAWillRollIsRefused(t *testing.T) {
	t.Parallel()
	r, w := ruleset(t), patient(t, 10)
	for _, c := range []struct{ field, value, ref, says string }{
		{"HURT", "3", "zog/s4.w", "behind all harm"},
		{"FALL", "20", "zog/s4.w.2", "behind all harm"},
		{"HURT", "3", "ann/s4", ""},
		{"SUFF", "9000", "", "at most"},
	} {
		text, _ := r.Fault(w, nil, game.Ruling{Kind: game.RuleSet, Who: "zog", Field: c.field, Value: c.value, Ref: c.ref})
		if (text == "") != (c.says == "") || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %q", c.field, c.ref, text)
		}
	}
}
